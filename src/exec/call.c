/* call.c: calls and returns. Each activation of a function by lanes of a warp has a frame: a lane file for its
 * registers, and a part of each thread's local memory, through which parameters travel. */
#include "exec/defined.h"
#include "exec/operand.h"
#include "exec/warp.h"

#include <string.h>

/* ---------------------------------------------------------------- frames */
/* Lane files come in sizes of 2 KiB << class and are used again; a larger one stays in the worker's arena. */
enum { CLASSES = LW_COUNT(((exec_worker *)NULL)->free_frames) };

static uint32_t class_bytes(uint32_t size_class) { return UINT32_C(2048) << size_class; }

static uint32_t class_of(const code_function *f)
{
    uint32_t size_class = 0;
    while (size_class < CLASSES - 1 && class_bytes(size_class) < f->register_bytes) size_class++;
    return size_class;
}

static exec_frame *frame_new(exec_worker *worker, const code_function *f)
{
    uint32_t size_class = class_of(f), bytes = class_bytes(size_class);
    exec_frame *frame = worker->free_frames[size_class];
    if (frame && f->register_bytes <= bytes) {
        worker->free_frames[size_class] = frame->next_free;
    } else {
        frame = LW_NEW(&worker->arena, exec_frame);
        frame->registers = lw_arena_alloc_aligned(&worker->arena, LW_MAX(bytes, f->register_bytes), 64);
    }
    uint8_t *registers = frame->registers;
    exec_defined *defined = frame->defined;
    exec_defined_forget(defined);
    *frame = (exec_frame){.function = f, .registers = registers, .defined = defined};
    return frame;
}

/* Lanes leave a frame; the last of them give it back. */
static void frame_leave(exec_ctx *x, exec_frame *f, uint32_t lanes)
{
    LW_ASSERT(!(lanes & ~f->lanes));
    f->lanes &= ~lanes;
    if (f->lanes || f == &x->warp->root) return;
    uint32_t size_class = class_of(f->function);
    if (class_bytes(size_class) < f->function->register_bytes) return;
    f->next_free = x->worker->free_frames[size_class];
    x->worker->free_frames[size_class] = f;
}

void exec_frames_leave(exec_ctx *x, exec_frame *f, uint32_t lanes)
{
    while (f) {
        exec_frame *parent = f->parent;
        frame_leave(x, f, lanes);
        f = parent;
    }
}

/* ---------------------------------------------------------------- parameters */
/* A parameter or result that travels: its frames' offsets in each thread's local memory. */
typedef struct travel {
    uint32_t caller, callee; /* where their frames begin */
    bool result;             /* from the callee; else to it */
} travel;

static void copy_argument(exec_ctx *x, const code_copy *c, const travel *t, uint32_t mask)
{
    uint8_t *local = exec_warp_local(x);
    LANES_OF(mask)
    {
        uint8_t *thread = local + (size_t)l * x->local_stride;
        uint8_t *formal = thread + t->callee + c->callee_offset;
        uint8_t *actual =
            c->ref == CODE_NO_REF ? thread + t->caller + c->caller_offset : exec_lane_bytes(x, c->ref, c->bytes, l);
        if (t->result) memcpy(actual, formal, c->bytes);
        else memcpy(formal, actual, c->bytes);
    }
}

/* One side of such a copy: bytes at `offset` of each thread's local memory; other: the other side's, if it lies there
 * too. */
static void tell_side(exec_ctx *x, const code_insn *i, event_op op, const code_copy *c, uint32_t mask, uint64_t offset,
                      const uint64_t *other)
{
    const code_ref *value = c->ref == CODE_NO_REF ? NULL : &c->ref;
    exec_bytes side = {op, EVENT_LOCAL, mask, c->bytes, offset, other, value};
    exec_emit_bytes(x, i, &side);
}

static void tell_argument(exec_ctx *x, const code_insn *i, const code_copy *c, const travel *t, uint32_t mask)
{
    uint64_t formal = (uint64_t)t->callee + c->callee_offset;
    uint64_t actual = (uint64_t)t->caller + c->caller_offset;
    bool in_register = c->ref != CODE_NO_REF;
    if (in_register) {
        tell_side(x, i, t->result ? EVENT_LOAD : EVENT_STORE, c, mask, formal, NULL);
        return;
    }
    uint64_t from = t->result ? formal : actual, to = t->result ? actual : formal;
    tell_side(x, i, EVENT_COPY_READ, c, mask, from, &to);
    tell_side(x, i, EVENT_COPY_WRITE, c, mask, to, &from);
}

static void pass(exec_ctx *x, const code_insn *i, const code_copy *copies, uint32_t count, const travel *t,
                 uint32_t mask)
{
    for (uint32_t k = 0; k < count; k++) {
        if (!copies[k].bytes) continue;
        copy_argument(x, &copies[k], t, mask);
        if (exec_wants_stated(x)) tell_argument(x, i, &copies[k], t, mask);
    }
}

static bool copies_fit(const code_copy *c, uint32_t count, uint32_t bytes)
{
    for (uint32_t k = 0; k < count; k++)
        if (c[k].callee_offset + c[k].bytes > bytes) return false;
    return true;
}

/* The signature of an indirect call may not be that of the function it reaches. */
static bool signature_fits(const code_call *call, uint32_t bytes)
{
    return call->callee || (copies_fit(call->arguments, call->argument_count, bytes) &&
                            copies_fit(call->results, call->result_count, bytes));
}

/* ---------------------------------------------------------------- calls */
/* Offset of the callee's frame in each thread's local memory. */
static uint32_t frame_base(const exec_frame *from, const code_function *callee)
{
    uint32_t end = from->base + from->function->local_bytes + from->extra;
    return (uint32_t)lw_round_up(end, LW_MAX(callee->local_alignment, 16u));
}

/* Can the callee begin with its frame at base? false after a fault. */
static bool may_enter(exec_ctx *x, const code_insn *i, const code_call *call, const code_function *callee,
                      uint32_t base, uint32_t lanes)
{
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    if (base + callee->local_bytes > x->local_stride) {
        exec_fail(x, i, EXEC_STACK_OVERFLOW, lane, base, callee->local_bytes, true, "local",
                  "the call of %s needs %u bytes of stack, %u are left of %u (cudaLimitStackSize)", callee->ptx->name,
                  callee->local_bytes, x->local_stride > base ? x->local_stride - base : 0, x->local_stride);
        return false;
    }
    if (!signature_fits(call, x->local_stride - base)) {
        exec_fail(x, i, EXEC_INVALID_PC, lane, callee->address, 0, false, "code",
                  "indirect call of %s: the parameters do not match", callee->ptx->name);
        return false;
    }
    return true;
}

/* Is callee active already, for other lanes, too? */
static bool is_active_apart(const exec_frame *from, const code_function *callee, uint32_t lanes)
{
    for (const exec_frame *f = from; f; f = f->parent)
        if (f->function == callee) return f->lanes != lanes;
    return false;
}

/* The running group enters callee. */
static void enter(exec_ctx *x, const code_insn *i, const code_call *call, const code_function *callee,
                  const code_insn *return_to)
{
    exec_group *g = x->group;
    exec_frame *from = g->frame;
    uint32_t base = frame_base(from, callee), lanes = x->mask;
    if (!may_enter(x, i, call, callee, base, lanes)) return;
    exec_count_jump(x);
    travel there = {.caller = from->base, .callee = base};
    exec_emit_frame(x, i, EVENT_FRAME_BEGIN, lanes, base, callee->local_bytes);
    if (callee->saves) exec_emit_save(x, i, lanes, callee->saves, is_active_apart(from, callee, lanes));
    pass(x, i, call->arguments, call->argument_count, &there, lanes);
    exec_frame *f = frame_new(x->worker, callee);
    f->parent = from;
    f->call = call;
    f->return_to = return_to;
    f->lanes = lanes;
    f->base = base;
    g->frame = f;
    x->file[CODE_FRAME] = f->registers;
    x->pc = callee->insns;
}

static const code_function *callee_of(exec_ctx *x, const code_insn *i, const code_call *call, uint32_t lane)
{
    if (call->callee) return call->callee;
    uint64_t address = LANES(uint64_t, i->a)[lane];
    const code_function *f = code_function_at(x->launch->kernel, address);
    if (!f)
        exec_fail(x, i, EXEC_INVALID_PC, lane, address, 0, false, "code",
                  "indirect call to an address that is not a function");
    return f;
}

/* Those of mask that call what its first lane calls. */
static uint32_t lanes_with_callee(exec_ctx *x, const code_insn *i, const code_call *call, uint32_t mask)
{
    if (call->callee) return mask;
    const uint64_t *target = LANES(uint64_t, i->a);
    uint64_t first = target[__builtin_ctz(mask)];
    uint32_t same = 0;
    for (uint32_t m = mask; m; m &= m - 1) same |= target[__builtin_ctz(m)] == first ? m & -m : 0;
    return same;
}

void run_call(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_call *call = i->call;
    const code_insn *return_to = x->pc;
    const code_function *callee = callee_of(x, i, call, (uint32_t)__builtin_ctz(mask));
    if (!callee) return;
    uint32_t same = lanes_with_callee(x, i, call, mask);
    uint32_t skip = x->mask & ~mask, others = mask & ~same;
    if (skip && !exec_group_part(x, skip, call->join, call->join, i)) return;
    /* those that call something else execute the call again, as a group of their own */
    if (others && !exec_group_part(x, others, i, call->join, i)) return;
    enter(x, i, call, callee, return_to);
}

static void do_return(exec_ctx *x, const code_insn *i, exec_frame *f)
{
    exec_frame *to = f->parent;
    travel back = {.caller = to->base, .callee = f->base, .result = true};
    x->file[CODE_FRAME] = to->registers;
    x->group->frame = to;
    pass(x, i, f->call->results, f->call->result_count, &back, x->mask);
    exec_emit_restore(x, i, x->mask, f->function->saves);
    exec_emit_frame(x, i, EVENT_FRAME_END, x->mask, f->base, f->function->local_bytes + f->extra);
    x->pc = f->return_to;
    frame_leave(x, f, x->mask);
}

/* Lanes that return while others go on wait for them at the function's end: a join without pc. */
void run_ret(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (mask != x->mask) {
        exec_group_part(x, mask, NULL, NULL, i);
        return;
    }
    exec_join *j = x->group->join;
    if (j && !j->pc && j->frame == x->group->frame) {
        exec_group_arrive(x, j);
        if (!x->go) return;
    }
    do_return(x, i, x->group->frame);
}
