/* emit_access.c: builds the events of memory accesses: what the PTX says, what the count plan made of it. */
#include <string.h>

#include "event/invariants.h"
#include "exec/defined.h"
#include "exec/operand.h"

static void deliver_memory(exec_ctx *x, const event_memory *e)
{
    event_check_memory(e);
    x->worker->built[e->kind]++;
    for (uint32_t k = 0; k < x->listener_count; k++) {
        const exec_listener *l = &x->listeners[k];
        if (l->kinds >> e->kind & 1) l->memory(l->state, e);
    }
}

/* EVENT_ATOMIC_NONE of everything that does not update. */
static inline uint8_t atomic_class(const code_insn *i)
{
    bool updates = i->event_op == EVENT_ATOMIC || i->event_op == EVENT_REDUCTION;
    if (!updates) return EVENT_ATOMIC_NONE;
    return i->op == OP_sured ? i->mem.surface.event_class : i->mem.atomic.event_class;
}

/* Accesses to the frame of an activation: parameters of calls. They have no address operand, and their instruction no
 * space. */
static inline bool is_frame_access(const code_insn *i)
{
    switch (i->op) {
    case OP_ld_frame:
    case OP_st_frame:
    case OP_call:
    case OP_builtin:
    case OP_ret: return true;
    default: return false;
    }
}

static inline void fill_access(const exec_ctx *x, const code_insn *i, const exec_access *a, event_memory *e)
{
    *e = (event_memory){
        .launch = x->event_launch,
        .insn = i->site,
        .space = a->space,
        .op = a->op ? (uint8_t)(a->op - 1) : i->event_op,
        .atomic = atomic_class(i),
        .shape = a->shape,
        .bytes = a->bytes ? a->bytes : (uint8_t)(i->mem.bytes * i->mem.vector),
        .matrices = a->matrices,
        .generic = i->mem.space == PTX_GENERIC && !is_frame_access(i),
        .flags = i->event_flags | a->flags,
        .mask = a->mask,
        .off_mask = a->matrices || a->one_lane ? 0 : x->mask & ~a->mask,
        .address = a->address,
        .address2 = a->address2,
        .details = x->details,
        .sources = a->sources,
        .bytes_total = a->bytes_total,
        .block = x->block->linear,
        .cluster = x->block->cluster->index,
        .warp = x->warp->index,
        .virtual_sm = x->block->virtual_sm,
        .texels = a->texels,
        .async = a->async,
    };
    if (e->op == EVENT_COPY_READ) e->atomic = EVENT_ATOMIC_NONE;
}

/* The addresses of an event that begins so many bytes behind those of the access. */
static const uint64_t *moved_addresses(uint64_t *moved, const event_memory *e, int32_t by)
{
    for (uint32_t mask = e->mask; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        moved[lane] = e->address[lane] + (uint64_t)(int64_t)by;
    }
    return moved;
}

/* The plan joined several accesses, or left words out; of two events the first is delivered here. False: this is a round whose
 * words came with those of one before. moved: room for the addresses. */
static bool join_words(exec_ctx *x, const code_insn *i, event_memory *e, uint64_t *moved)
{
    e->bytes = i->mem.access.joined_words * 4;
    if (e->shape == EVENT_CONSECUTIVE) e->shape = EVENT_GENERAL;
    if (i->mem.access.joined_at) e->address = moved_addresses(moved, e, i->mem.access.joined_at);
    if (i->mem.access.by_rounds && e->mask && e->address[__builtin_ctz(e->mask)] % e->bytes) return false;
    if (!i->mem.access.apart) return true;
    deliver_memory(x, e);
    e->address = moved_addresses(moved, e, i->mem.access.apart);
    return true;
}

/* What the count plan made of the instruction. */
static inline void emit_counted(exec_ctx *x, const code_insn *i, const exec_access *a)
{
    event_memory e;
    uint64_t moved[32];
    fill_access(x, i, a, &e);
    e.kind = EVENT_COUNTED;
    if (a->surface) e.space = EVENT_TEXTURE;
    if (i->event_flags & EVENT_ONE_LANE) e.mask &= -e.mask;
    bool access = i->op == OP_ld || i->op == OP_st;
    if (access && i->mem.access.joined_words && !join_words(x, i, &e, moved)) return;
    deliver_memory(x, &e);
}

static inline void tell_plain(exec_ctx *x, const code_insn *i, uint32_t mask, event_space space, event_shape shape,
                              const uint64_t *address)
{
    event_memory *e = &x->plain;
    LW_ASSERT(e->warp == x->warp->index && e->block == x->block->linear); /* exec_emit_enter() */
    e->insn = i->site;
    e->space = (uint8_t)space;
    e->op = i->event_op;
    e->shape = (uint8_t)shape;
    e->bytes = (uint8_t)(i->mem.bytes * i->mem.vector);
    e->generic = i->mem.space == PTX_GENERIC;
    e->flags = i->event_flags;
    e->mask = mask;
    e->off_mask = x->mask & ~mask;
    e->address = address;
}

void exec_emit_plain(exec_ctx *x, const code_insn *i, uint32_t mask, event_space space, event_shape shape,
                     const uint64_t *address)
{
    uint64_t moved[32];
    event_memory *e = &x->plain;
    tell_plain(x, i, mask, space, shape, address);
    if (__builtin_expect(i->mem.access.joined_words, 0) && !join_words(x, i, e, moved)) return;
    deliver_memory(x, e);
}

void exec_emit_texels(exec_ctx *x, const code_insn *i, uint32_t mask, const uint64_t *address,
                      const event_texels *texels)
{
    if (!x->tells_plain) {
        exec_emit_access(x, i,
                         &(exec_access){.mask = mask, .space = EVENT_TEXTURE, .address = address, .texels = texels});
        return;
    }
    event_memory *e = &x->plain;
    tell_plain(x, i, mask, EVENT_TEXTURE, EVENT_GENERAL, address);
    e->texels = texels;
    deliver_memory(x, e);
    e->texels = NULL;
}

static bool has_result(const code_insn *i)
{
    const code_list *list = i->mem.list;
    for (uint32_t k = 0; k < i->mem.vector; k++)
        if (list->ref[k] != CODE_NO_REF) return true;
    return false;
}

#define STORED_STEP 32 /* bytes of the widest vector */

/* What the lanes store, when a vector takes it from several registers. */
static const uint8_t *gather_stored(const exec_ctx *x, const code_insn *i, uint8_t (*to)[STORED_STEP])
{
    for (uint32_t k = 0; k < i->mem.vector; k++)
        for (uint32_t lane = 0; lane < 32; lane++)
            memcpy(to[lane] + k * i->mem.bytes, exec_lane_bytes(x, i->mem.list->ref[k], i->mem.access.reg_bytes, lane),
                   i->mem.bytes);
    return to[0];
}

/* What the PTX says: the count plan undone. */
static void emit_stated(exec_ctx *x, const code_insn *i, const exec_access *a)
{
    event_memory e;
    uint8_t stored[32][STORED_STEP];
    fill_access(x, i, a, &e);
    e.kind = EVENT_ACCESS;
    e.flags &= (uint8_t)~EVENT_ONE_LANE;
    if (i->op == OP_st && i->mem.vector == 1) {
        e.stored = exec_lane_bytes(x, i->mem.list->ref[0], 0, 0);
        e.stored_step = i->mem.access.reg_bytes;
    } else if (i->op == OP_st) {
        memset(stored, 0, sizeof stored);
        e.stored = gather_stored(x, i, stored);
        e.stored_step = STORED_STEP;
    }
    if (i->op == OP_ld || i->op == OP_st) {
        e.op = i->op == OP_ld ? EVENT_LOAD : EVENT_STORE;
        e.atomic = EVENT_ATOMIC_NONE;
    } else if (i->op == OP_atom) {
        e.op = has_result(i) ? EVENT_ATOMIC : EVENT_REDUCTION;
        if (e.atomic == EVENT_ATOMIC_ADD_1) e.atomic = EVENT_ATOMIC_ADD;
    }
    if (x->undefined) exec_undefined_give(x, i, &e, a);
    deliver_memory(x, &e);
    if (x->undefined) exec_undefined_take(x, i, &e, a);
}

void exec_emit_access(exec_ctx *x, const code_insn *i, const exec_access *access)
{
    bool counted = i->event_op != CODE_NO_EVENT && access->only != EVENT_ACCESS + 1;
    if (exec_wants(x, EVENT_COUNTED) && counted) emit_counted(x, i, access);
    if (exec_wants(x, EVENT_ACCESS) && access->only != EVENT_COUNTED + 1) emit_stated(x, i, access);
}

void exec_emit_bytes(exec_ctx *x, const code_insn *i, const exec_bytes *b)
{
    if (!exec_wants_stated(x) || !b->bytes) return;
    uint64_t at[32], there[32];
    for (uint32_t l = 0; l < 32; l++) {
        at[l] = b->address;
        there[l] = b->other ? *b->other : 0;
    }
    exec_access access = {.mask = b->mask,
                          .space = (uint8_t)b->space,
                          .shape = EVENT_UNIFORM,
                          .op = (uint8_t)(b->op + 1),
                          .bytes = (uint8_t)LW_MIN(b->bytes, 16u),
                          .flags = EVENT_BULK,
                          .bytes_total = b->bytes,
                          .sources = b->mask,
                          .address = at,
                          .value = b->value,
                          .address2 = b->other ? there : NULL};
    exec_emit_access(x, i, &access);
}

void exec_emit_spaces(exec_ctx *x, const code_insn *i, const uint32_t lanes_of[EVENT_SPACE_COUNT],
                      const uint64_t *address)
{
    if (!exec_wants_access(x, i)) return;
    for (uint32_t space = 0; space < EVENT_SPACE_COUNT; space++) {
        if (!lanes_of[space]) continue;
        exec_emit_access(x, i, &(exec_access){.mask = lanes_of[space], .space = (uint8_t)space, .address = address});
    }
}
