/* exec_priv.h: inside exec/: what executors of micro-operations may call. What they see: worker.h and state.h. */
#ifndef LW_EXEC_PRIV_H
#define LW_EXEC_PRIV_H

#include "exec/worker.h"

/* ---- faults (fault.c) ---- */
/* Records the fault (lowest block wins), stops the launch and ends the running group's loop. lane: 0..31 */
void exec_fail(exec_ctx *x, const code_insn *i, exec_fault_kind kind, uint32_t lane, uint64_t address, uint32_t bytes,
               bool is_write, const char *space, const char *format, ...) __attribute__((format(printf, 9, 10)));
/* A thread whose assert failed: its line, and the fault if it is the first in the grid. The launch goes on with what is on
 * the device, whose asserts have their lines as well; the thread is to end. */
void exec_assert(exec_ctx *x, const code_insn *i, uint32_t lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Counts an access that is an error but that a card lets through: it becomes a finding, and the launch goes on. owner:
 * together with the instruction, what is reported once. The record to describe it in if it is the lowest place yet, else
 * NULL. */
exec_fault *exec_pass(exec_ctx *x, const code_insn *i, exec_fault_kind kind, uint32_t lane, uint32_t owner);
void exec_pass_end(exec_worker *worker); /* adds the worker's records to the result */
void exec_pass_sort(exec_result *result, const exec_launch *launch);
/* Records a warning of the whole cluster's state; the launch goes on. The lowest place is kept. */
void exec_warn(exec_ctx *x, const code_insn *i, exec_fault_kind kind, uint32_t lane, const char *message);
void exec_thread_of_lane(const exec_warp *w, uint32_t lane, const uint32_t block_dim[3], uint32_t out[3]);

/* ---- bounds of a card (tests/hw/h200-bounds.csv) ---- */
#define EXEC_SHARED_GRANULE 128u /* shared memory faults from the next multiple of this */
#define EXEC_SHARED_BELOW 1024u  /* the system's part below the block's own */
#define EXEC_LOCAL_BEYOND 1104u  /* of the stack's end above a thread's variables, the least measured */

/* ---- calls (call.c) ---- */
/* Lanes that exit leave f and the frames of its callers. */
void exec_frames_leave(exec_ctx *x, exec_frame *f, uint32_t lanes);

/* ---- barriers (barrier.c) ---- */
void exec_threads_exit(exec_ctx *x, exec_block *b, uint32_t threads);
/* May a collective over these members run now? Then *out_lanes are the lanes that take part. false: the group waits. */
bool exec_warpsync_ready(exec_ctx *x, const code_insn *i, uint32_t members, uint32_t mask, uint32_t *out_lanes);
void exec_warpsync_check(exec_ctx *x, exec_warp *w); /* runs collectives whose lanes have all come */
bool exec_warpsync_force(exec_warp *w);              /* last resort: every waiting group runs alone */

/* ---- memory (ldst.c and friends) ---- */
uint8_t *exec_warp_local(exec_ctx *x); /* local memory of the running warp: 32 x local_stride */
/* Host pointer of a lane's access in any space, checked; NULL after exec_fail(). *out_space: where it lies. */
uint8_t *exec_lane_pointer(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address,
                           uint32_t bytes, bool is_write, event_space *out_space, uint64_t *out_event_address);
/* The same without the check that the address is aligned to `bytes`: copies of any length. */
uint8_t *exec_lane_range(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address,
                         uint32_t bytes, bool is_write, event_space *out_space, uint64_t *out_event_address);
void exec_lane_addresses(exec_ctx *x, const code_insn *i, uint64_t out[32]);
const char *exec_space_name(event_space space);

/* Addresses of a cluster's shared memory: (rank << 24) + offset. */
static inline uint64_t exec_shared_slot(uint32_t rank) { return (uint64_t)rank << MEM_SHARED_SLOT_SHIFT; }
static inline uint32_t exec_shared_rank(uint64_t address) { return (uint32_t)(address >> MEM_SHARED_SLOT_SHIFT); }
static inline uint64_t exec_shared_offset(uint64_t address) { return address & (exec_shared_slot(1) - 1); }
/* What addresses in the block's own shared memory begin at: without a register they are offsets alone. */
static inline uint64_t exec_own_slot(const exec_ctx *x, const code_insn *i)
{
    return i->a == CODE_NO_REF ? 0 : exec_shared_slot(x->block->rank);
}

/* One atomic operation on memory found by exec_lane_pointer(); returns the old bits (atom.c). */
uint64_t exec_atomic_update(exec_ctx *x, uint32_t operation, ptx_type type, uint8_t *p, event_space space,
                            uint64_t value);

/* ---- asynchronous operations (async.c, mbarrier.c) ---- */
/* An operation that completes by groups is issued; its number. */
uint32_t exec_groups_issue(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t bytes);
void exec_groups_use(exec_ctx *x, const code_insn *i, uint32_t mask); /* commit_group, wait_group, wait_all */
/* cp.async.mbarrier.arrive of a lane on the object at (rank << 24) + offset. */
void exec_groups_arrive(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address);
void exec_groups_reset(exec_warp *w); /* a block begins */
/* Transaction bytes arrive at the mbarrier object at (rank << 24) + offset in shared memory. false: a fault. */
bool exec_mbarrier_complete_tx(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, uint32_t bytes);

static inline uint32_t exec_async_number(exec_ctx *x) { return ++x->block->async_issued; }

/* Whether the device may read, or write, the allocation. */
static inline bool exec_reaches(const exec_ctx *x, const mem_allocation *a, bool writes)
{
    const exec_launch *l = x->launch;
    if (a->listed) return (writes ? a->writers : a->readers) >> l->device_number & 1;
    bool of_device = a->kind == MEM_DEVICE || a->kind == MEM_GLOBAL_VAR;
    return !(of_device && l->out_of_reach >> a->device & 1);
}

/* The site that c belongs to touches this allocation. */
static inline void exec_note_allocation(exec_ctx *x, exec_alloc_cache *c, const mem_allocation *a)
{
    c->low = a->address;
    c->high = a->address + a->bytes;
    c->distance = mem_distance(a->address);
    if (a->kind == MEM_MANAGED || a->kind == MEM_PINNED || a->kind == MEM_REGISTERED) x->worker->host_visible = true;
    if (a->kind == MEM_HEAP) x->on_heap[c - x->caches] = true;
}

/* ---- executors ---- */
typedef struct exec_run_entry {
    uint16_t op;
    code_run_fn run;
} exec_run_entry;
/* slow_path.c: whether machine code calls its slow path for a / b, given their bits, and ... */
bool exec_divides_slowly(uint32_t a, uint32_t b);
/* ... puts itself before operations whose slow path saves registers; run: by op. */
void exec_take_slow_paths(struct code_body *body, code_run_fn *run);
#define UOP(id, ...) void run_##id(exec_ctx *x, const code_insn *i, uint32_t mask);
#include "code/uops.def"
#undef UOP

#endif
