/* warp.c: the groups and joins of a warp: lanes part, wait for each other, and are one group again.
 *
 * A join's mask are the live lanes that will reach it; lanes that exit leave every mask. When all have arrived the
 * group goes on, whole, under the join's parent. Lanes wait nowhere else (but see exec_joins_break). */
#include "exec/warp.h"

/* ---------------------------------------------------------------- groups */
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
    LW_ASSERT(mask && !(mask & ~w->live));
    LW_ASSERT(w->groups_used != UINT32_MAX);
    uint32_t k = (uint32_t)__builtin_ctz(~w->groups_used);
    exec_group *g = &w->groups[k];
    w->groups_used |= 1u << k;
    *g = (exec_group){.pc = pc, .frame = frame, .join = join, .mask = mask};
    exec_group_set_state(w, g, GROUP_READY);
    return g;
}

void exec_group_free(exec_warp *w, exec_group *g)
{
    LW_ASSERT(w->groups_used >> (g - w->groups) & 1);
    exec_group_set_state(w, g, GROUP_FREE);
    w->groups_used &= ~(1u << (g - w->groups));
}

void exec_groups_merge(exec_warp *w)
{
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        exec_group *a = &w->groups[__builtin_ctz(m)];
        if (a->state != GROUP_READY) continue;
        for (uint32_t n = m & (m - 1); n; n &= n - 1) {
            exec_group *b = &w->groups[__builtin_ctz(n)];
            if (b->state != GROUP_READY || b->pc != a->pc || b->frame != a->frame || b->join != a->join ||
                b->rounds != a->rounds)
                continue;
            a->mask |= b->mask;
            exec_group_free(w, b);
            m &= ~(1u << (b - w->groups));
        }
    }
}

void exec_group_settle(exec_ctx *x)
{
    exec_group *g = x->group;
    if (!g || g->state != GROUP_READY) return;
    g->pc = x->pc;
    g->mask = x->mask;
}

void exec_group_follow(exec_ctx *x)
{
    exec_group *g = x->group;
    if (!g) return;
    if (g->state == GROUP_FREE) {
        x->group = NULL;
        x->go = 0;
    } else {
        x->mask = g->mask;
    }
}

/* ---------------------------------------------------------------- joins */
static bool join_used(const exec_warp *w, const exec_join *j) { return w->joins_used >> (j - w->joins) & 1; }
static void join_free(exec_warp *w, const exec_join *j) { w->joins_used &= ~(UINT64_C(1) << (j - w->joins)); }

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

/* Lanes reach a join. Those that wait there are in no group. */
static void join_arrive(exec_join *j, uint32_t lanes)
{
    LW_ASSERT(!(lanes & ~j->mask) && !(lanes & j->arrived));
    j->arrived |= lanes;
}

/* Where lanes go on after a join; the end of a function is its last micro-operation, a return. */
static const code_insn *resume_point(const exec_join *j)
{
    return j->pc ? j->pc : &j->frame->function->insns[j->frame->function->insn_count - 1];
}

bool exec_group_part(exec_ctx *x, uint32_t lanes, const code_insn *target, const code_insn *join_pc,
                     const code_insn *creator)
{
    LW_ASSERT(lanes && !(lanes & ~x->mask) && lanes != x->mask);
    exec_group *g = x->group;
    exec_join *j = join_for(x, join_pc, creator);
    if (!j) return false;
    g->join = j;
    x->mask &= ~lanes;
    g->mask = x->mask;
    if (target == join_pc) join_arrive(j, lanes);
    else exec_group_new(x->warp, lanes, target, g->frame, j);
    return true;
}

void exec_group_arrive(exec_ctx *x, exec_join *join)
{
    exec_group *g = x->group;
    join_arrive(join, x->mask);
    if (join->arrived == join->mask) {
        g->mask = join->mask;
        g->join = join->parent;
        x->mask = join->mask;
        join_free(x->warp, join);
        return;
    }
    exec_group_free(x->warp, g);
    x->group = NULL;
    x->go = 0;
}

/* A join whose lanes are all there goes on as a group. Returns whether they are all gone instead: then its parent may
 * have nobody left to wait for either. */
static bool join_settle(exec_warp *w, exec_join *j)
{
    if (!join_used(w, j) || j->arrived != j->mask) return false;
    join_free(w, j);
    if (j->mask) exec_group_new(w, j->mask, resume_point(j), j->frame, j->parent);
    return !j->mask;
}

void exec_joins_settle(exec_warp *w, exec_join *j)
{
    while (j && join_settle(w, j)) j = j->parent;
}

bool exec_join_release(exec_warp *w, exec_join *j)
{
    if (!j->arrived || j->counted) return false;
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
