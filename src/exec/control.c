/* control.c: branches, jump tables, basic blocks, exit: where lanes of a group part, and where they meet again. */
#include "exec/emit.h"
#include "exec/warp.h"

/* ---------------------------------------------------------------- time slices */
/* A group gives up its slice at backward branches only: straight code ends by itself. Waiting is dear, so that whoever
 * is waited for has its turn soon. */
static exec_rounds *rounds_of(exec_warp *w, const code_insn *branch)
{
    for (uint32_t k = 0; k < w->rounds_used; k++)
        if (w->rounds[k].branch == branch) return &w->rounds[k];
    uint32_t k = w->rounds_used < EXEC_ROUNDS ? w->rounds_used++ : branch->site % EXEC_ROUNDS;
    w->rounds[k] = (exec_rounds){.branch = branch};
    return &w->rounds[k];
}

/* An atomic that only looks, or tries to take a lock: a compare-and-swap, an exchange, or one whose operand is 0. */
static bool only_looks(const code_insn *i, const ptx_insn *insn)
{
    if (i->mem.atomic.operation == ATOM_CAS || i->mem.atomic.operation == ATOM_EXCH) return true;
    const ptx_operand *last = &insn->operands[insn->operand_count - 1];
    return last->kind == PTX_OP_INT && !last->imm;
}

/* Times that a loop's basic blocks were executed that change what others see. */
static uint64_t changes_in(const exec_ctx *x, const code_insn *branch)
{
    const code_site *sites = x->worker->run->launch->kernel->sites;
    const code_insn *block = NULL;
    uint64_t changes = 0;
    for (const code_insn *i = branch->branch.to->target; i < branch; i++) {
        if (i->op == OP_block) block = i;
        bool changes_memory = i->op == OP_stmatrix || (i->op == OP_st && i->mem.space != PTX_LOCAL);
        changes_memory |= i->op == OP_atom && !only_looks(i, sites[i->site].insn);
        if (changes_memory && block) changes += x->block_inst[block->block.index];
    }
    return changes;
}

static void add_waits(exec_ctx *x, exec_rounds *r, const code_insn *branch)
{
    exec_worker *worker = x->worker;
    if (!worker->waits)
        worker->waits = LW_NEW_ARRAY(&worker->arena, uint64_t, worker->run->launch->kernel->site_count + 1);
    worker->waits[branch->site] += r->alike;
    x->warp->waited += r->alike * r->cycles;
    r->clock -= r->alike * r->cycles;
}

/* Rounds that are all alike and change nothing wait for other warps. Those of lanes that contend for a word with each other
 * are no more than lanes. Not inlined: the way round other loops is hot (W4 of bench/ takes 2 % longer). */
static __attribute__((noinline)) void note_round(exec_ctx *x, const code_insn *branch)
{
    enum { SURE = 64, MORE = 4 };
    exec_warp *w = x->warp;
    exec_rounds *r = rounds_of(w, branch);
    uint64_t now = w->clock - w->waited, cycles = now - r->clock;
    bool alike = r->clock && cycles == r->cycles;
    r->alike = alike ? r->alike + 1 : 0;
    r->waits &= alike;
    r->clock = now;
    r->cycles = cycles;
    if (r->alike == 1 && !r->waits) r->changes = changes_in(x, branch);
    if (r->alike < (r->waits ? MORE : SURE)) return;
    r->waits = changes_in(x, branch) == r->changes;
    if (r->waits) add_waits(x, r, branch);
    r->alike = 0;
}

static void count_back_edge(exec_ctx *x, const code_insn *branch, const code_branch *br)
{
    x->slice -= br->spin ? EXEC_COST_SPIN : EXEC_COST_BRANCH;
    if (br->spin) {
        x->worker->spin_edges++;
        if (x->worker->run->launch->timed) note_round(x, branch);
        x->warp->clock_reads = 0; /* it waits for others, and perhaps not for longer than some clocks */
    }
    if (x->slice > 0) return;
    x->worker->spun = br->spin;
    x->go = 0;
}

/* ---------------------------------------------------------------- branches */
/* Lanes that do not take a branch only jump on: at once, so that those who stand at the lower address go first. */
static void jump_over(exec_ctx *x, const code_insn *block, uint32_t lanes)
{
    x->warp->clock += block->block.cycles;
    x->block_inst[block->block.index]++;
    x->block_lanes[block->block.index] += lw_popcount(lanes);
    x->pc = (block + 1)->branch.to->target;
}

/* `taken` lanes of the running group go to target, the others to pc; both meet at join_pc. The group keeps the lanes at
 * the lower address, unless they have met already. */
static void diverge(exec_ctx *x, uint32_t taken, const code_insn *target, const code_insn *join_pc,
                    const code_insn *creator)
{
    uint32_t rest = x->mask & ~taken;
    const code_insn *over = creator->op == OP_bra ? creator->branch.to->over : NULL;
    if (over) jump_over(x, over, rest);
    bool keep_rest = x->pc < target;
    x->parted[creator->site] = true;
    if ((keep_rest ? x->pc : target) == join_pc) keep_rest = !keep_rest;
    if (keep_rest) {
        exec_group_part(x, taken, target, join_pc, creator);
    } else if (exec_group_part(x, rest, x->pc, join_pc, creator)) {
        x->pc = target;
    }
}

void run_bra(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_branch *br = i->branch.to;
    if (mask == x->mask) x->pc = br->target;
    else diverge(x, mask, br->target, br->join, i);
    if (br->backward) {
        x->worker->spin_branch = i;
        count_back_edge(x, i, br);
    }
}

/* Those of lanes whose index is k. */
static uint32_t lanes_with(const uint32_t *index, uint32_t lanes, uint32_t k)
{
    uint32_t same = 0;
    for (uint32_t m = lanes; m; m &= m - 1) same |= index[__builtin_ctz(m)] == k ? m & -m : 0;
    return same;
}

/* Lanes part by target; the last target keeps the running group. Lanes switched off by the guard fall through. */
void run_brx(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_table *t = i->table.to;
    const uint32_t *index = LANES(uint32_t, i->a);
    uint32_t left = mask;
    exec_count_jump(x);
    while (left) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), k = index[lane];
        uint32_t same = lanes_with(index, left, k);
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
        x->parted[i->site] = true;
        if (!exec_group_part(x, same, target, t->join, i)) return;
    }
}

/* ---------------------------------------------------------------- exit */
static void lanes_exit(exec_ctx *x, uint32_t lanes)
{
    exec_group *g = x->group;
    exec_warp *w = x->warp;
    exec_join *join = g->join;
    exec_emit_lanes_exit(x, lanes);
    w->live &= ~lanes;
    /* who has arrived at the cluster barrier and exits is not waited for, and does not count for another */
    w->block->cluster->barrier_arrived -= lw_popcount(w->cluster_arrived & lanes);
    w->cluster_arrived &= ~lanes;
    exec_frames_leave(x, g->frame, lanes);
    for (exec_join *j = join; j; j = j->parent) j->mask &= ~lanes;
    x->mask &= ~lanes;
    g->mask = x->mask;
    if (!x->mask) {
        exec_group_free(w, g);
        x->group = NULL;
        x->go = 0;
        exec_joins_settle(w, join);
    }
    exec_threads_exit(x, w->block, lw_popcount(lanes));
    exec_warpsync_check(x, w);
}

void run_exit(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    (void)i;
    lanes_exit(x, mask);
}

void run_trap(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    bool no_grid = x->launch->kernel->uses_grid_sync && !x->launch->grid_workspace;
    const char *what = i->trap.is_breakpoint ? "breakpoint instruction" : "trap instruction executed";
    exec_fail(x, i, EXEC_TRAP, (uint32_t)__builtin_ctz(mask), 0, 0, false, "code", "%s%s", what,
              no_grid ? ": grid.sync() does so where the kernel is not launched by cudaLaunchCooperativeKernel" : "");
}

/* ---------------------------------------------------------------- basic blocks */
/* A block at which lanes meet: if the running group waits for others here, that comes first. */
static bool meets_here(const exec_ctx *x, const code_insn *i)
{
    const exec_join *j = x->group->join;
    return j && j->pc == i && j->frame == x->group->frame;
}

/* Lanes that came here by a shorter way, and let those behind them go first, come along: those of `else`, where the first
 * part of `if (a && b)` said it already. The assembler lets them meet before the place where all do (machine code of ptxas
 * 13.0, and the ninth draw: rys_merge merge_tiled_kernel). */
static void take_who_stands_here(exec_ctx *x, const code_insn *i)
{
    exec_warp *w = x->warp;
    for (uint32_t used = w->groups_used; used; used &= used - 1) {
        exec_group *g = &w->groups[__builtin_ctz(used)];
        bool alike =
            g->pc == i && g->join == x->group->join && g->frame == x->group->frame && g->rounds == x->group->rounds;
        if (g == x->group || g->state != GROUP_READY || !alike) continue;
        x->mask |= g->mask;
        exec_group_free(w, g);
    }
    x->group->mask = x->mask;
}

/* Not inlined: run_block() then saves few registers. */
__attribute__((noinline)) bool exec_meet(exec_ctx *x, const code_insn *i)
{
    if (meets_here(x, i)) exec_group_arrive(x, x->group->join);
    if (!x->go) return false;
    if (x->warp->groups_used & (x->warp->groups_used - 1)) take_who_stands_here(x, i);
    return true;
}

static inline void count_block(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (i->block.stores && x->stops_at_stores) { /* the scheduler goes on carefully */
        x->stops_at_stores = false;
        x->go = 0;
    }
    x->warp->clock += i->block.cycles;
    x->block_inst[i->block.index]++;
    x->block_lanes[i->block.index] += lw_popcount(mask);
}

void run_block(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    bool may_meet = i->block.joins;
    if (may_meet) {
        if (!exec_meet(x, i)) return;
        mask = x->mask;
    }
    count_block(x, i, mask);
}

void exec_enter_block(exec_ctx *x, const code_insn *i) { count_block(x, i, x->mask); }
