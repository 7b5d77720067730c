/* misc.c: micro-operations of no family: naps, conversion of addresses, the stack. */
#include "exec/emit.h"
#include "exec/operand.h"
#include "exec/warp.h"

#include <string.h>

void run_nanosleep(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const exec_launch *launch = x->worker->run->launch;
    uint64_t nap = LANES(uint32_t, i->a)[__builtin_ctz(mask)];
    x->warp->clock += launch->timed ? nap * launch->device.clock_khz / 1000000 : nap;
    x->slice -= EXEC_COST_SLEEP; /* whoever sleeps waits for somebody */
}

void run_nop(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)x, (void)i, (void)mask; }

/* ---------------------------------------------------------------- addresses */
void run_cvta(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t window = i->window.space == PTX_LOCAL ? MEM_LOCAL_WINDOW : MEM_SHARED_WINDOW;
    LANES_OF(mask)
    {
        uint64_t a = exec_lane_uint(x, i->a, i->window.bytes, l);
        uint64_t r = i->window.to_space ? a - window : a + window;
        exec_set_lane_uint(x, i->d, i->window.bytes, l, r);
    }
}

static bool lies_in(exec_ctx *x, uint64_t a, ptx_space space)
{
    mem_allocation allocation;
    switch (space) {
    case PTX_SHARED:
        return mem_in_shared_window(a) && (a - MEM_SHARED_WINDOW) >> MEM_SHARED_SLOT_SHIFT == x->block->rank;
    case PTX_SHARED_CLUSTER: return mem_in_shared_window(a);
    case PTX_LOCAL: return mem_in_local_window(a);
    case PTX_CONST: return mem_find(x->launch->memory, a, &allocation) && allocation.kind == MEM_CONST_VAR;
    case PTX_PARAM: return a - x->worker->run->params_address < LW_MAX(x->launch->kernel->param_bytes, 1u);
    default: return !mem_in_shared_window(a) && !mem_in_local_window(a);
    }
}

void run_isspacep(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t word = 0;
    LANES_OF(mask)
    {
        uint64_t a = exec_lane_uint(x, i->a, i->window.bytes, l);
        word |= (uint32_t)lies_in(x, a, (ptx_space)i->window.space) << l;
    }
    PREDICATE(i->d) = (PREDICATE(i->d) & ~mask) | word;
}

/* ---------------------------------------------------------------- stack */
static void store_uint(exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask, uint64_t v)
{
    uint8_t *d = x->file[ref & 3] + (ref & ~3u);
    LANES_OF(mask) memcpy(d + (size_t)l * bytes, &v, bytes);
}

/* The address of a byte of the function's frame. */
void run_frame_address(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t window = i->stack.generic ? MEM_LOCAL_WINDOW : 0;
    store_uint(x, i->d, i->stack.bytes, mask, window + x->group->frame->base + (uint64_t)i->stack.offset);
}

/* Aligned new bytes above the frame. */
void run_alloca(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    exec_frame *f = x->group->frame;
    uint64_t most = 0;
    LANES_OF(mask)
    {
        uint64_t n = exec_lane_uint(x, i->a, i->stack.bytes, l);
        most = LW_MAX(most, n);
    }
    uint64_t end = (uint64_t)f->base + f->function->local_bytes + f->extra;
    uint64_t at = lw_round_up(end, (uint64_t)LW_MAX(i->stack.alignment, 16));
    if (most > x->local_stride || at + most > x->local_stride) {
        exec_fail(x, i, EXEC_STACK_OVERFLOW, (uint32_t)__builtin_ctz(mask), at, (uint32_t)most, true, "local",
                  "alloca of %llu bytes exceeds the stack (cudaLimitStackSize)", (unsigned long long)most);
        return;
    }
    store_uint(x, i->d, i->stack.bytes, mask, at);
    exec_emit_frame(x, i, EVENT_FRAME_BEGIN, mask, (uint32_t)at, (uint32_t)most);
    f->extra = (uint32_t)(lw_round_up(at + most, 16) - f->base - f->function->local_bytes);
}

void run_stacksave(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    store_uint(x, i->d, i->stack.bytes, mask, x->group->frame->extra);
}

void run_stackrestore(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t v = exec_lane_uint(x, i->a, i->stack.bytes, (uint32_t)__builtin_ctz(mask));
    if (v > x->local_stride) {
        exec_fail(x, i, EXEC_STACK_OVERFLOW, (uint32_t)__builtin_ctz(mask), v, 0, false, "local",
                  "stackrestore of a value that stacksave did not return");
        return;
    }
    exec_frame *f = x->group->frame;
    uint32_t end = f->base + f->function->local_bytes + (uint32_t)v;
    if (v < f->extra) exec_emit_frame(x, i, EVENT_FRAME_END, mask, end, f->extra - (uint32_t)v);
    f->extra = (uint32_t)v;
}
