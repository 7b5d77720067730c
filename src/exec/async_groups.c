/* async_groups.c: which asynchronous copies a group, a wait or an arrival completes. The data lands when a copy is
 * issued; this is only for clients that want to see completions, and costs nothing without one.
 *
 * Groups belong to threads: a wait of some lanes completes, of each operation, the part that those lanes issued. */
#include "exec/emit.h"

/* An operation that some of its lanes have not waited for. */
struct exec_async_op {
    struct exec_async_op *next; /* issued before */
    uint32_t number;
    uint32_t left;    /* lanes for which it is not complete */
    uint32_t open;    /* lanes that have not closed its group */
    uint32_t read;    /* lanes that waited for its reads */
    uint32_t arrived; /* lanes whose cp.async.mbarrier.arrive covers it */
    event_mechanism by;
    uint32_t group[32]; /* of lanes not in open: the group's number */
};

/* What a warp has under way; block storage, and with it this, is used again by later blocks. */
struct exec_async {
    struct exec_async_op *ops, *free;
    uint32_t groups[EVENT_MECHANISM_COUNT][32]; /* groups closed by each lane */
};

static exec_async *async_of(exec_ctx *x)
{
    exec_warp *w = x->warp;
    if (!w->async) w->async = LW_NEW(&x->worker->arena, exec_async);
    return w->async;
}

void exec_groups_reset(exec_warp *w)
{
    exec_async *a = w->async;
    if (!a) return;
    struct exec_async_op *kept = a->free;
    for (struct exec_async_op *o = a->ops, *next; o; o = next) {
        next = o->next;
        o->next = kept;
        kept = o;
    }
    *a = (exec_async){.free = kept};
}

uint32_t exec_groups_issue(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t bytes)
{
    uint32_t number = exec_async_number(x);
    event_mechanism by = exec_group_mechanism(x, i);
    exec_async_use use = {.number = number, .mask = mask, .mechanism = by, .bytes = bytes};
    exec_emit_async_issue(x, i, &use);
    if (!exec_wants(x, EVENT_ASYNC_COMPLETE)) return number;
    exec_async *a = async_of(x);
    struct exec_async_op *o = a->free;
    if (o) a->free = o->next;
    else o = LW_NEW(&x->worker->arena, struct exec_async_op);
    *o = (struct exec_async_op){.next = a->ops, .number = number, .left = mask, .open = mask, .by = by};
    a->ops = o;
    return number;
}

static void commit(exec_async *a, uint32_t mask, event_mechanism by)
{
    for (struct exec_async_op *o = a->ops; o; o = o->next) {
        uint32_t closed = o->by == by ? o->open & mask : 0;
        o->open &= ~closed;
        for (; closed; closed &= closed - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(closed);
            o->group[lane] = a->groups[by][lane];
        }
    }
    for (uint32_t m = mask; m; m &= m - 1) a->groups[by][__builtin_ctz(m)]++;
}

/* Lanes of mask for which a wait until `pending` groups are left completes the operation. */
static uint32_t covered(const exec_async *a, const struct exec_async_op *o, uint32_t mask, uint32_t pending)
{
    uint32_t out = 0;
    for (uint32_t m = o->left & mask & ~o->open; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (a->groups[o->by][lane] - o->group[lane] > pending) out |= m & -m;
    }
    return out;
}

static void wait(exec_ctx *x, const code_insn *i, exec_async *a, uint32_t mask)
{
    const event_insn *what = &x->event_launch->insns[i->site];
    event_mechanism by = exec_group_mechanism(x, i);
    for (struct exec_async_op **link = &a->ops; *link;) {
        struct exec_async_op *o = *link;
        uint32_t lanes = 0;
        if (o->by == by) lanes = what->all ? o->left & mask : covered(a, o, mask, i->group.keep);
        if (what->reads) lanes &= ~o->read;
        exec_async_use use = {.number = o->number, .mask = lanes, .mechanism = by, .reads_only = what->reads};
        if (lanes) exec_emit_async_complete(x, i, &use);
        if (what->reads) o->read |= lanes;
        else o->left &= ~lanes;
        if (o->left) {
            link = &o->next;
            continue;
        }
        *link = o->next;
        o->next = a->free;
        a->free = o;
    }
}

void exec_groups_use(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    exec_emit_async_group(x, i, mask);
    if (!exec_wants(x, EVENT_ASYNC_COMPLETE)) return;
    if (i->group.waits) wait(x, i, async_of(x), mask);
    else commit(async_of(x), mask, exec_group_mechanism(x, i));
}

void exec_groups_arrive(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address)
{
    if (!exec_wants(x, EVENT_ASYNC_COMPLETE)) return;
    for (struct exec_async_op *o = async_of(x)->ops; o; o = o->next) {
        uint32_t lanes = o->by != EVENT_BY_GROUP ? 0 : o->left & ~o->arrived & (1u << lane);
        o->arrived |= lanes;
        exec_async_use use = {.number = o->number, .mask = lanes, .mechanism = EVENT_BY_MBARRIER, .address = address};
        if (lanes) exec_emit_async_complete(x, i, &use);
    }
}
