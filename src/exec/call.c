/* call.c: calls and returns. Each activation of a function by lanes of a warp has a frame: a lane file for its
 * registers, and a part of each thread's local memory, through which parameters travel. */
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
    *frame = (exec_frame){.function = f, .registers = registers};
    return frame;
}

/* Lanes leave a frame; the last of them give it back. */
static void frame_leave(exec_ctx *x, exec_frame *f, uint32_t lanes)
{
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
/* Copies one parameter (to the callee) or result (from it) of the lanes of mask. caller, callee: lane 0's frames. */
static void copy_argument(exec_ctx *x, const code_copy *c, uint8_t *caller, uint8_t *callee, uint32_t mask, bool result)
{
    if (!c->bytes) return;
    for (uint32_t m = mask; m; m &= m - 1) {
        size_t lane = (size_t)__builtin_ctz(m), thread = lane * x->local_stride;
        uint8_t *formal = callee + thread + c->callee_offset;
        uint8_t *actual = c->ref == CODE_NO_REF ? caller + thread + c->caller_offset
                                                : x->file[c->ref & 3] + (c->ref & ~3u) + lane * c->bytes;
        memcpy(result ? actual : formal, result ? formal : actual, c->bytes);
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

/* The running group enters callee. */
static void enter(exec_ctx *x, const code_insn *i, const code_call *call, const code_function *callee,
                  const code_insn *return_to)
{
    exec_group *g = x->group;
    exec_frame *from = g->frame;
    uint32_t base = frame_base(from, callee), lanes = x->mask;
    if (!may_enter(x, i, call, callee, base, lanes)) return;
    exec_count_jump(x);
    uint8_t *local = exec_warp_local(x);
    for (uint32_t k = 0; k < call->argument_count; k++)
        copy_argument(x, &call->arguments[k], local + from->base, local + base, lanes, false);
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

static void do_return(exec_ctx *x, exec_frame *f)
{
    exec_frame *to = f->parent;
    uint8_t *local = exec_warp_local(x);
    x->file[CODE_FRAME] = to->registers;
    for (uint32_t k = 0; k < f->call->result_count; k++)
        copy_argument(x, &f->call->results[k], local + to->base, local + f->base, x->mask, true);
    x->group->frame = to;
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
    do_return(x, x->group->frame);
}
