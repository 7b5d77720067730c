/* emit.h: inside exec/: the one place where events of a launch are built (emit.c). Executors say what happened; whether
 * anybody wants to know is decided here. */
#ifndef LW_EXEC_EMIT_H
#define LW_EXEC_EMIT_H

#include "exec/exec_priv.h"

static inline bool exec_wants(const exec_ctx *x, event_kind kind) { return x->wants >> kind & 1; }

/* Does anybody want the accesses of this instruction? The one branch that a launch without clients pays. */
static inline bool exec_wants_access(const exec_ctx *x, const code_insn *i)
{
    return (x->wants & (EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_COUNTED))) &&
           (i->event_op != CODE_NO_EVENT || exec_wants(x, EVENT_ACCESS));
}

/* Shared memory of a block: static and dynamic variables; and where the system's begins, behind them. */
uint32_t exec_shared_bytes(const exec_launch *launch);
uint32_t exec_reserved_at(const exec_launch *launch);

/* ---- clients ---- */
void exec_listen(exec_ctx *x, uint32_t worker); /* begins the clients of the launch on this worker */
void exec_listen_end(exec_ctx *x);              /* merges them, and the counts of built events */

/* ---- memory ---- */
/* Does anybody want what the PTX says of memory, also where the assembler makes no memory instruction of it? */
static inline bool exec_wants_stated(const exec_ctx *x) { return exec_wants(x, EVENT_ACCESS); }

/* One space of one instruction's access. What is 0 follows from the instruction. */
typedef struct exec_access {
    const uint64_t *address;
    uint32_t mask;
    uint8_t space, shape;
    uint8_t op;                           /* event_op + 1: copies have two sides */
    uint8_t bytes;                        /* per lane */
    uint8_t matrices;                     /* and then no lane counts as switched off */
    uint8_t flags;                        /* EVENT_... besides the instruction's */
    bool surface;                         /* global memory as the PTX says it; counted as the texture unit's */
    uint8_t only;                         /* event kind + 1: there is no event of the other kind; 0: of both */
    bool one_lane;                        /* a bulk operation: no lane counts as switched off */
    uint32_t sources, bytes_total, async; /* as in event_memory */
    const code_ref *value;                /* the register of a parameter or result of a call; NULL: none */
    const event_texels *texels;
    const uint64_t *address2; /* apart from address: read as a pair, the two stores just made would stall the load */
} exec_access;
/* Only if exec_wants_access(). */
void exec_emit_access(exec_ctx *x, const code_insn *i, const exec_access *access);
/* The same for loads and stores of one space, by far the most accesses; only if x->tells_plain. */
void exec_emit_plain(exec_ctx *x, const code_insn *i, uint32_t mask, event_space space, event_shape shape,
                     const uint64_t *address);
/* A fetch from a texture; only if exec_wants_access(). address: if not x->tells_plain. */
void exec_emit_texels(exec_ctx *x, const code_insn *i, uint32_t mask, const uint64_t *address,
                      const event_texels *texels);
/* The running warp is another one. */
static inline void exec_emit_enter(exec_ctx *x)
{
    const exec_block *block = x->block;
    x->plain.block = block->linear;
    x->plain.cluster = block->cluster->index;
    x->plain.warp = x->warp->index;
    x->plain.virtual_sm = block->virtual_sm;
}
/* An access whose lanes lie in several spaces, lanes_of[space]: one event for each. Asks whether it is wanted. */
void exec_emit_spaces(exec_ctx *x, const code_insn *i, const uint32_t lanes_of[EVENT_SPACE_COUNT],
                      const uint64_t *address);

/* Bytes that a call or a function of the system reads or writes: of every lane of mask at one address. Only clients that
 * want what the PTX says see them: on a card parameters are registers. */
typedef struct exec_bytes {
    event_op op;
    event_space space;
    uint32_t mask, bytes;
    uint64_t address;      /* as in event_memory */
    const uint64_t *other; /* copies: the other side's, in local memory; else NULL */
    const code_ref *value; /* as in exec_access */
} exec_bytes;
void exec_emit_bytes(exec_ctx *x, const code_insn *i, const exec_bytes *bytes);

/* ---- values and order of accesses (order.c), only if x->fields ---- */
exec_order *exec_order_new(void);
void exec_order_free(exec_order *order);
/* Around an access by the lanes of mask to `bytes` at their pointers: begin, then before and after each lane's part, the
 * event, end. Between begin and end nothing may fault. */
void exec_watch_begin(exec_ctx *x, const code_insn *i, uint32_t mask, uint8_t *const pointer[32], uint32_t bytes);
void exec_watch_before(exec_ctx *x, uint32_t lane, const uint8_t *p, uint32_t bytes);
void exec_watch_after(exec_ctx *x, uint32_t lane, const uint8_t *p, uint32_t bytes, bool reads, bool writes);
void exec_watch_end(exec_ctx *x);
/* A store that is not numbered took effect on bytes at p: reads from now on come from no numbered write. */
void exec_order_overwrite(exec_ctx *x, const uint8_t *p, uint64_t bytes);
static inline void exec_note_overwrite(exec_ctx *x, const uint8_t *p, uint64_t bytes)
{
    if (x->fields & EVENT_FIELD_ORDER) exec_order_overwrite(x, p, bytes);
}
/* One operation on an object that only this worker uses, after it took effect: its numbers. */
void exec_order_touch(exec_ctx *x, const uint8_t *p, uint32_t bytes, bool writes, uint64_t *read_from, uint64_t *write);

/* ---- synchronisation: each asks whether its kind is wanted ---- */
void exec_emit_block(exec_ctx *x, const exec_block *block, event_kind kind); /* EVENT_BLOCK_START, EVENT_BLOCK_EXIT */
void exec_emit_lanes_exit(exec_ctx *x, uint32_t mask);
/* counts: threads that the arrival counts for */
void exec_emit_barrier_arrive(exec_ctx *x, const code_insn *i, uint32_t id, uint32_t mask, uint32_t counts, bool waits);
void exec_emit_misuse(exec_ctx *x, const code_insn *i, event_misuse misuse, uint32_t mask, uint32_t lanes);
/* Misuse by a block as a whole. */
void exec_emit_block_misuse(exec_ctx *x, const code_insn *i, const exec_block *block, event_misuse misuse);
/* before the barrier begins anew; i: what completed it, NULL: an exit */
void exec_emit_barrier_release(exec_ctx *x, const code_insn *i, const exec_block *block, uint32_t id);
void exec_emit_warp_sync(exec_ctx *x, const code_insn *i, uint32_t mask);
/* For each distinct member mask that lanes of `mask` hold in the register `members`. */
void exec_emit_warp_syncs(exec_ctx *x, const code_insn *i, code_ref members, uint32_t mask);
/* The lanes of mask use undefined bits where they decide. */
void exec_emit_undefined_use(exec_ctx *x, const code_insn *i, event_use use, uint32_t mask, const event_origin *origin);
void exec_emit_print(exec_ctx *x, const code_insn *i, uint32_t mask, const event_print *print);
void exec_emit_fence(exec_ctx *x, const code_insn *i, uint32_t mask);
/* EVENT_SAVE, EVENT_RESTORE: of so many registers, by a function that mask enters or leaves; 0: nothing is told. */
void exec_emit_save(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t registers, bool again);
void exec_emit_restore(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t registers);
void exec_emit_heap_call(exec_ctx *x, const code_insn *i, uint32_t mask, bool frees, uint64_t bytes);
/* EVENT_FRAME_BEGIN, EVENT_FRAME_END: bytes from offset on of the local memory of each thread of mask. */
void exec_emit_frame(exec_ctx *x, const code_insn *i, event_kind kind, uint32_t mask, uint32_t offset, uint32_t bytes);
void exec_emit_cluster_arrive(exec_ctx *x, const code_insn *i, uint32_t mask);
void exec_emit_cluster_release(exec_ctx *x, const exec_cluster *cluster);
void exec_emit_cluster_wait(exec_ctx *x, const code_insn *i, uint32_t mask);

/* One operation on one object, by the lanes of mask alike. */
typedef struct exec_mbarrier_use {
    event_mbarrier op;
    uint32_t mask;
    uint64_t address;      /* (rank << 24) + offset */
    uint32_t count, bytes; /* of one lane */
    uint32_t phase;        /* parity */
    uint64_t read_from, write;
} exec_mbarrier_use;
void exec_emit_mbarrier(exec_ctx *x, const code_insn *i, const exec_mbarrier_use *use);
void exec_emit_mbarrier_phase(exec_ctx *x, const code_insn *i, uint64_t address, uint32_t phase);

typedef struct exec_async_use {
    uint32_t number, mask;
    event_mechanism mechanism;
    uint64_t address; /* of the mbarrier object */
    uint32_t bytes;
    bool reads_only;
} exec_async_use;
void exec_emit_async_issue(exec_ctx *x, const code_insn *i, const exec_async_use *use);
void exec_emit_async_complete(exec_ctx *x, const code_insn *i, const exec_async_use *use);
void exec_emit_async_group(exec_ctx *x, const code_insn *i, uint32_t mask); /* commit or wait */
/* How an operation completes that belongs to a group, or whose groups the instruction closes or awaits. */
event_mechanism exec_group_mechanism(const exec_ctx *x, const code_insn *i);

#endif
