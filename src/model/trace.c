/* Traces: a vector of accesses, and one of the addresses of those that are no stride. */
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

typedef struct lane_addresses {
    uint64_t lane[32];
} lane_addresses;

struct model_trace {
    LW_VEC(model_touch) touches;
    LW_VEC(lane_addresses) others;
    int64_t *budget;
    uint64_t dropped;
};

model_trace *model_trace_make(int64_t *budget)
{
    model_trace *t = lw_alloc(sizeof *t);
    t->budget = budget;
    return t;
}

void model_trace_free(model_trace *trace)
{
    if (!trace) return;
    lw_vec_free(&trace->touches);
    lw_vec_free(&trace->others);
    free(trace);
}

/* Whether lane i of those that are on is at base + i * step. */
static bool is_stride(model_touch *to, const uint64_t address[32])
{
    uint32_t first = (uint32_t)__builtin_ctz(to->mask), rest = to->mask & (to->mask - 1);
    int64_t step = 0;
    if (rest) {
        uint32_t second = (uint32_t)__builtin_ctz(rest);
        int64_t apart = (int64_t)(address[second] - address[first]), lanes = second - first;
        if (apart % lanes || apart / lanes != (int32_t)(apart / lanes)) return false;
        step = apart / lanes;
    }
    to->step = (int32_t)step;
    to->base = address[first] - (uint64_t)(first * step);
    for (uint32_t m = rest; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        if (address[i] != to->base + (uint64_t)(i * step)) return false;
    }
    return true;
}

/* Takes bytes from what all traces may have. */
static bool afford(model_trace *t, size_t bytes)
{
    if (!t->dropped && !t->budget) return true;
    if (!t->dropped && __atomic_sub_fetch(t->budget, (int64_t)bytes, __ATOMIC_RELAXED) >= 0)
        return true; /* once it is spent nobody asks again */
    t->dropped++;
    return false;
}

void model_trace_add(model_trace *trace, const event_memory *e)
{
    model_touch touch = {.insn = e->insn,
                         .mask = e->mask,
                         .block = e->block,
                         .space = e->space,
                         .op = e->op,
                         .atomic = e->atomic,
                         .bytes = e->bytes,
                         .flags = e->flags};
    if (e->shape == EVENT_UNIFORM) {
        touch.base = e->address[__builtin_ctz(e->mask)];
    } else if (!is_stride(&touch, e->address)) {
        lane_addresses all = {{0}};
        if (!afford(trace, sizeof touch + sizeof all)) return;
        for (uint32_t m = e->mask; m; m &= m - 1) all.lane[__builtin_ctz(m)] = e->address[__builtin_ctz(m)];
        lw_vec_push(&trace->others, all);
        touch.other = (uint32_t)trace->others.count;
        touch.base = all.lane[__builtin_ctz(e->mask)];
        lw_vec_push(&trace->touches, touch);
        return;
    }
    if (afford(trace, sizeof touch)) lw_vec_push(&trace->touches, touch);
}

uint64_t model_trace_dropped(const model_trace *trace) { return trace->dropped; }
size_t model_trace_count(const model_trace *trace) { return trace->touches.count; }

const model_touch *model_trace_at(const model_trace *trace, size_t index, uint64_t address[32])
{
    const model_touch *t = &trace->touches.items[index];
    if (t->other) memcpy(address, trace->others.items[t->other - 1].lane, sizeof(uint64_t[32]));
    else
        for (uint32_t i = 0; i < 32; i++) address[i] = t->base + (uint64_t)((int64_t)i * t->step);
    return t;
}
