/* control.c: groups, joins, frames: divergence and reconvergence, calls and returns, exit.
 *
 * A join's mask are the live lanes that will reach it; lanes that exit leave every mask. When all have arrived the
 * group goes on, whole, under the join's parent. Lanes wait nowhere else (but see exec_joins_break). */
#include "exec/exec_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- groups and joins */
void exec_group_set_state(exec_warp *w, exec_group *g, exec_group_state state)
{
    bool was = g->state == GROUP_READY, is = state == GROUP_READY;
    g->state = (uint8_t)state;
    if (was == is) return;
    w->ready += is ? 1u : -1u;
    if (is && w->ready == 1) w->block->ready_warps++;
    if (!is && w->ready == 0) w->block->ready_warps--;
}

exec_group *exec_group_new(exec_warp *w, uint32_t mask, const code_insn *pc, exec_frame *frame, exec_join *join)
{
    uint32_t k = (uint32_t)__builtin_ctz(~w->groups_used);
    exec_group *g = &w->groups[k];
    w->groups_used |= 1u << k;
    *g = (exec_group){.pc = pc, .frame = frame, .join = join, .mask = mask};
    exec_group_set_state(w, g, GROUP_READY);
    return g;
}

void exec_group_free(exec_warp *w, exec_group *g)
{
    exec_group_set_state(w, g, GROUP_FREE);
    w->groups_used &= ~(1u << (g - w->groups));
}

/* NULL: all are in use. 32 lanes part at most 31 times, but groups that a barrier in divergent code has united part
 * again under joins of their own. */
static exec_join *join_new(exec_warp *w, const code_insn *pc, exec_frame *frame, exec_join *parent, uint32_t mask,
                           const code_insn *creator)
{
    if (w->joins_used == ~UINT64_C(0)) return NULL;
    uint32_t k = (uint32_t)__builtin_ctzll(~w->joins_used);
    w->joins_used |= UINT64_C(1) << k;
    w->joins[k] = (exec_join){.pc = pc, .frame = frame, .parent = parent, .mask = mask, .creator = creator};
    return &w->joins[k];
}

static bool join_used(const exec_warp *w, const exec_join *j) { return w->joins_used >> (j - w->joins) & 1; }
static void join_free(exec_warp *w, const exec_join *j) { w->joins_used &= ~(UINT64_C(1) << (j - w->joins)); }

/* The join for a divergence of x->mask that meets at pc: the running group's own if it already waits there. NULL after
 * a fault. */
static exec_join *join_for(exec_ctx *x, const code_insn *pc, const code_insn *creator)
{
    exec_group *g = x->group;
    if (g->join && g->join->pc == pc && g->join->frame == g->frame) return g->join;
    exec_join *j = join_new(x->warp, pc, g->frame, g->join, x->mask, creator);
    if (!j)
        exec_fail(
            x, creator, EXEC_STACK_OVERFLOW, (uint32_t)__builtin_ctz(x->mask), 0, 0, false, "code",
            "lanes of a warp wait for each other at more than %zu places: barriers in deeply nested divergent code",
            LW_COUNT(x->warp->joins));
    return j;
}

/* Where lanes go on after a join; the end of a function is its last micro-operation, a return. */
static const code_insn *resume_point(const exec_join *j)
{
    return j->pc ? j->pc : &j->frame->function->insns[j->frame->function->insn_count - 1];
}

/* Lanes arrive at a join from outside of any group. */
static void arrive(exec_join *j, uint32_t lanes) { j->arrived |= lanes; }

/* A join whose lanes are all there, or all gone: continue as a group, or vanish. */
static void join_settle(exec_warp *w, exec_join *j)
{
    if (!join_used(w, j) || j->arrived != j->mask) return;
    uint32_t mask = j->mask;
    join_free(w, j);
    if (mask) exec_group_new(w, mask, resume_point(j), j->frame, j->parent);
}

/* The running group reached its join: wait, or go on with all lanes. Ends the loop if the group ceased to run. */
void exec_group_arrive(exec_ctx *x, exec_join *join)
{
    exec_group *g = x->group;
    join->arrived |= x->mask;
    if (join->arrived == join->mask) {
        x->mask = g->mask = join->mask;
        g->join = join->parent;
        join_free(x->warp, join);
        return;
    }
    exec_group_free(x->warp, g);
    x->group = NULL;
    x->go = 0;
}

/* Lets the lanes that wait at a join go on without the others. */
bool exec_join_release(exec_warp *w, exec_join *j)
{
    if (!j->arrived) return false;
    exec_group_new(w, j->arrived, resume_point(j), j->frame, j->parent);
    j->mask &= ~j->arrived;
    j->arrived = 0;
    if (!j->mask) join_free(w, j);
    return true;
}

bool exec_joins_break(exec_warp *w)
{
    bool any = false;
    for (uint64_t m = w->joins_used; m; m &= m - 1) any |= exec_join_release(w, &w->joins[__builtin_ctzll(m)]);
    return any;
}

/* Groups that stand at one pc under one join are one group again (after a broken join or a barrier). */
void exec_groups_merge(exec_warp *w)
{
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        exec_group *a = &w->groups[__builtin_ctz(m)];
        if (a->state != GROUP_READY) continue;
        for (uint32_t n = m & (m - 1); n; n &= n - 1) {
            exec_group *b = &w->groups[__builtin_ctz(n)];
            if (b->state != GROUP_READY || b->pc != a->pc || b->frame != a->frame || b->join != a->join) continue;
            a->mask |= b->mask;
            exec_group_free(w, b);
            m &= ~(1u << (b - w->groups));
        }
    }
}

/* ---------------------------------------------------------------- branches */
/* Splits the running group: `taken` lanes go to target, the others to pc; both meet at join_pc. */
static void diverge(exec_ctx *x, uint32_t taken, const code_insn *target, const code_insn *join_pc,
                    const code_insn *creator)
{
    exec_group *g = x->group;
    uint32_t rest = x->mask & ~taken;
    exec_join *j = join_for(x, join_pc, creator);
    if (!j) return;
    g->join = j;
    const code_insn *low = x->pc < target ? x->pc : target, *high = x->pc < target ? target : x->pc;
    uint32_t low_lanes = x->pc < target ? rest : taken, high_lanes = x->pc < target ? taken : rest;
    if (low == join_pc) {
        arrive(j, low_lanes);
        low = high, low_lanes = high_lanes;
    } else if (high == join_pc) {
        arrive(j, high_lanes);
    } else {
        exec_group_new(x->warp, high_lanes, high, g->frame, j);
    }
    x->pc = low;
    x->mask = g->mask = low_lanes;
}

static void count_back_edge(exec_ctx *x, const code_branch *br)
{
    x->slice -= br->spin ? 64 : 1;
    x->worker->spin_edges += br->spin;
    if (x->slice > 0) return;
    x->worker->spun = br->spin;
    x->go = 0;
}

/* Jumps through tables and calls may be loops too: a launch must stay interruptible. */
static void count_jump(exec_ctx *x)
{
    if (--x->slice > 0) return;
    x->worker->spun = false;
    x->go = 0;
}

void run_bra(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_branch *br = i->ptr;
    if (mask == x->mask) x->pc = br->target;
    else diverge(x, mask, br->target, br->join, i);
    if (br->backward) {
        x->worker->spin_branch = i;
        count_back_edge(x, br);
    }
}

void run_brx(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_table *t = i->ptr;
    const uint32_t *index = LANES(uint32_t, i->a);
    uint32_t left = mask;
    exec_group *g = x->group;
    count_jump(x);
    while (left) { /* lanes by target; the last target keeps the running group */
        uint32_t lane = (uint32_t)__builtin_ctz(left), k = index[lane], same = 0;
        for (uint32_t m = left; m; m &= m - 1) same |= index[__builtin_ctz(m)] == k ? m & -m : 0;
        const code_insn *target = k < t->count ? t->target[k] : NULL;
        if (!target) {
            exec_fail(x, i, EXEC_INVALID_PC, lane, k, 0, false, "code", "branch index %u of a table of %u", k,
                      t->count);
            return;
        }
        left &= ~same;
        if (same == x->mask) {
            x->pc = target;
            return;
        }
        exec_join *j = join_for(x, t->join, i);
        if (!j) return;
        g->join = j;
        if (target == t->join) arrive(j, same);
        else exec_group_new(x->warp, same, target, g->frame, j);
        x->mask = g->mask = x->mask & ~same;
    }
    /* guarded: the others fall through */
}

/* ---------------------------------------------------------------- frames */
static uint32_t frame_class(uint32_t bytes)
{
    uint32_t size_class = 0;
    while (size_class < 7 && (UINT32_C(2048) << size_class) < bytes) size_class++;
    return size_class;
}

exec_frame *exec_frame_new(exec_worker *worker, const code_function *f)
{
    uint32_t size_class = frame_class(f->register_bytes), bytes = UINT32_C(2048) << size_class;
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

void exec_frame_release(exec_worker *worker, exec_warp *w, exec_frame *f, uint32_t lanes)
{
    f->lanes &= ~lanes;
    if (f->lanes || f == &w->root) return;
    uint32_t size_class = frame_class(f->function->register_bytes);
    /* larger than every class: stays in the arena */
    if ((UINT32_C(2048) << size_class) < f->function->register_bytes) return;
    f->next_free = worker->free_frames[size_class];
    worker->free_frames[size_class] = f;
}

/* ---------------------------------------------------------------- calls */
static void copy_argument(exec_ctx *x, const code_copy *c, uint8_t *caller, uint8_t *callee, uint32_t mask, bool result)
{
    if (!c->bytes) return;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint8_t *formal = callee + (size_t)lane * x->local_stride + c->callee_offset;
        uint8_t *actual = c->ref == CODE_NO_REF ? caller + (size_t)lane * x->local_stride + c->caller_offset
                                                : x->file[c->ref & 3] + (c->ref & ~3u) + (size_t)lane * c->bytes;
        memcpy(result ? actual : formal, result ? formal : actual, c->bytes);
    }
}

/* The signature of an indirect call may not be that of the function it reaches. */
static bool copies_fit(const code_copy *c, uint32_t count, uint32_t bytes)
{
    for (uint32_t k = 0; k < count; k++)
        if (c[k].callee_offset + c[k].bytes > bytes) return false;
    return true;
}

static void enter(exec_ctx *x, const code_insn *i, const code_call *call, const code_function *callee, uint32_t lanes,
                  const code_insn *return_to)
{
    exec_group *g = x->group;
    exec_frame *from = g->frame;
    uint32_t base = from->base + from->function->local_bytes + from->extra;
    base = (uint32_t)lw_round_up(base, LW_MAX(callee->local_alignment, 16u));
    if (base + callee->local_bytes > x->local_stride) {
        exec_fail(x, i, EXEC_STACK_OVERFLOW, (uint32_t)__builtin_ctz(lanes), base, callee->local_bytes, true, "local",
                  "the call of %s needs %u bytes of stack, %u are left of %u (cudaLimitStackSize)", callee->ptx->name,
                  callee->local_bytes, x->local_stride > base ? x->local_stride - base : 0, x->local_stride);
        return;
    }
    if (!call->callee && !(copies_fit(call->arguments, call->argument_count, x->local_stride - base) &&
                           copies_fit(call->results, call->result_count, x->local_stride - base))) {
        exec_fail(x, i, EXEC_INVALID_PC, (uint32_t)__builtin_ctz(lanes), callee->address, 0, false, "code",
                  "indirect call of %s with other parameters than it has", callee->ptx->name);
        return;
    }
    count_jump(x);
    uint8_t *local = exec_warp_local(x);
    for (uint32_t k = 0; k < call->argument_count; k++)
        copy_argument(x, &call->arguments[k], local + from->base, local + base, lanes, false);
    exec_frame *f = exec_frame_new(x->worker, callee);
    f->parent = from, f->call = call, f->return_to = return_to, f->lanes = lanes, f->base = base;
    g->frame = f;
    x->file[CODE_FRAME] = f->registers;
    x->pc = callee->insns;
}

static const code_function *callee_of(exec_ctx *x, const code_insn *i, const code_call *call, uint32_t lane)
{
    if (call->callee) return call->callee;
    uint64_t address = LANES(uint64_t, i->a)[lane];
    const code_function *f = code_function_at(x->launch->kernel, address);
    if (!f) exec_fail(x, i, EXEC_INVALID_PC, lane, address, 0, false, "code", "indirect call to no function");
    return f;
}

void run_call(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_call *call = i->ptr;
    const code_insn *next = x->pc;
    uint32_t same = mask;
    const code_function *callee = callee_of(x, i, call, (uint32_t)__builtin_ctz(mask));
    if (!callee) return;
    if (!call->callee) {
        const uint64_t *target = LANES(uint64_t, i->a);
        uint64_t first = target[__builtin_ctz(mask)];
        same = 0;
        for (uint32_t m = mask; m; m &= m - 1) same |= target[__builtin_ctz(m)] == first ? m & -m : 0;
    }
    if (same != x->mask) { /* the others call something else, or nothing */
        exec_join *j = join_for(x, call->join, i);
        if (!j) return;
        uint32_t others = mask & ~same, skip = x->mask & ~mask;
        x->group->join = j;
        if (skip) arrive(j, skip);
        if (others) { /* they execute the call again, as a group of their own */
            exec_group_new(x->warp, others, i, x->group->frame, j);
        }
        x->mask = x->group->mask = same;
    }
    enter(x, i, call, callee, same, next);
}

static void do_return(exec_ctx *x, exec_frame *f)
{
    exec_group *g = x->group;
    exec_frame *to = f->parent;
    uint8_t *callee = exec_warp_local(x) + f->base, *caller = exec_warp_local(x) + to->base;
    x->file[CODE_FRAME] = to->registers;
    for (uint32_t k = 0; k < f->call->result_count; k++)
        copy_argument(x, &f->call->results[k], caller, callee, x->mask, true);
    g->frame = to;
    x->pc = f->return_to;
    exec_frame_release(x->worker, x->warp, f, x->mask);
}

void run_ret(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    exec_group *g = x->group;
    if (mask != x->mask) { /* some return, the others go on: they meet at the function's end */
        exec_join *j = join_for(x, NULL, i);
        if (!j) return;
        g->join = j;
        arrive(j, mask);
        x->mask = g->mask = x->mask & ~mask;
        return;
    }
    exec_join *j = g->join;
    if (j && !j->pc && j->frame == g->frame) {
        exec_group_arrive(x, j);
        if (!x->go) return;
    }
    do_return(x, g->frame);
}

/* ---------------------------------------------------------------- exit */
void exec_lanes_exit(exec_ctx *x, uint32_t lanes)
{
    exec_group *g = x->group;
    exec_warp *w = x->warp;
    w->live &= ~lanes;
    for (exec_frame *f = g->frame, *up; f; f = up) {
        up = f->parent;
        exec_frame_release(x->worker, w, f, lanes);
    }
    for (exec_join *j = g->join; j; j = j->parent) j->mask &= ~lanes;
    x->mask = g->mask = x->mask & ~lanes;
    exec_join *j = g->join;
    if (!x->mask) {
        exec_group_free(w, g);
        x->group = NULL;
        x->go = 0;
        /* nobody else may be left below these joins */
        while (j) {
            exec_join *up = j->parent;
            bool settled = join_used(w, j) && j->arrived == j->mask;
            bool vanished = settled && !j->mask;
            join_settle(w, j);
            if (!vanished) break;
            j = up;
        }
    }
    exec_threads_exit(x, w->block, lw_popcount(lanes));
    exec_warpsync_check(x, w);
}

void run_exit(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    (void)i;
    exec_lanes_exit(x, mask);
}

/* ---------------------------------------------------------------- basic blocks */
void run_block(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (i->sub) {
        exec_join *j = x->group->join;
        if (j && j->pc == i && j->frame == x->group->frame) {
            exec_group_arrive(x, j);
            if (!x->go) return;
            mask = x->mask;
        }
    }
    x->warp->clock += 8;
    x->block_inst[i->imm]++;
    x->block_lanes[i->imm] += lw_popcount(mask);
}

void run_trap(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    exec_fail(x, i, EXEC_TRAP, (uint32_t)__builtin_ctz(mask), 0, 0, false, "code",
              i->imm ? "breakpoint instruction" : "trap instruction executed");
}
