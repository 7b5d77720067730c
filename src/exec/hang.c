/* hang.c: who waits where: the texts of hangs, and of barriers that part of a block never reaches. */
#include "exec/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many groups are named, in so many characters: the message of a fault has 1024. */
enum { GROUPS_SHOWN = 8, WAITERS_LENGTH = 899 };

/* The instruction a group stands at. One that waits at a barrier goes on behind it. */
static const code_insn *stands_at(const exec_group *g) { return g->state == GROUP_BARRIER ? g->pc - 1 : g->pc; }

static const char *what_it_does(const exec_group *g)
{
    switch (g->state) {
    case GROUP_BARRIER: return "wait at a barrier";
    case GROUP_COUNTED:
    case GROUP_WARPSYNC: return "wait for lanes of their warp";
    case GROUP_CLUSTER: return "wait at the cluster barrier";
    default: return "spin";
    }
}

/* Which barrier it is, if not that of __syncthreads, and how many it still lacks. */
static void describe_barrier(const exec_block *block, uint32_t id, lw_text *out)
{
    const exec_barrier *b = &block->barriers[id];
    uint32_t expected = b->expected ? b->expected : block->live_threads;
    if (id) lw_text_add(out, ", barrier %u", id);
    if (b->arrived < expected) lw_text_add(out, " (%u of %u threads have come)", b->arrived, expected);
}

/* The innermost line in the file of the kernel's own code: functions of headers that are inlined there stand at their call. */
static uint32_t line_of(const ptx_line *leaf)
{
    const ptx_line *outer = leaf, *l = leaf;
    while (outer && outer->inlined_at) outer = outer->inlined_at;
    while (l && l != outer && (!l->file || !outer->file || strcmp(l->file, outer->file))) l = l->inlined_at;
    return l ? l->line : 0;
}

static void describe_group(const exec_launch *l, const exec_warp *w, const exec_group *g, lw_text *out)
{
    const uint32_t *block = w->block->id;
    bool leads = !out->size; /* the list */
    uint32_t line = line_of(l->kernel->sites[stands_at(g)->site].insn->source);
    uint32_t first[3];
    exec_thread_of_lane(w, (uint32_t)__builtin_ctz(g->mask), l->block, first);
    lw_text_add(out, "%sblock (%u,%u,%u) warp %u: %u threads from (%u,%u,%u) %s", out->size ? "; " : "", block[0],
                block[1], block[2], w->index, lw_popcount(g->mask), first[0], first[1], first[2], what_it_does(g));
    if (line) lw_text_add(out, " at line %u", line);
    if (g->state == GROUP_BARRIER && (leads || g->barrier)) describe_barrier(w->block, g->barrier, out);
}

static void describe_warp(const exec_launch *l, const exec_warp *w, uint32_t *shown, lw_text *out)
{
    for (uint32_t m = w->groups_used; m && *shown < GROUPS_SHOWN; m &= m - 1, ++*shown)
        describe_group(l, w, &w->groups[__builtin_ctz(m)], out);
}

/* One group after the other, from the first block's first warp on. Free out->data. */
static void describe_waiters(const exec_launch *l, const exec_cluster *c, lw_text *out)
{
    uint32_t shown = 0;
    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) describe_warp(l, &c->blocks[b].warps[k], &shown, out);
}

/* The first group of a cluster that waits, made the running one so that a message can name its place. NULL: none. */
static const code_insn *first_waiter(exec_worker *worker, exec_cluster *c, uint32_t *out_lane)
{
    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) {
            exec_warp *w = &c->blocks[b].warps[k];
            if (!w->groups_used) continue;
            const exec_group *g = &w->groups[__builtin_ctz(w->groups_used)];
            worker->x.warp = w;
            worker->x.block = w->block;
            *out_lane = (uint32_t)__builtin_ctz(g->mask);
            return stands_at(g);
        }
    return NULL;
}

void exec_hang_fail(exec_worker *worker, exec_cluster *c, const char *why)
{
    uint32_t lane;
    const code_insn *at = first_waiter(worker, c, &lane);
    if (!at) return;
    lw_text who = {0};
    describe_waiters(worker->run->launch, c, &who);
    exec_fail(&worker->x, at, EXEC_HANG, lane, 0, 0, false, "code", "%s: %.*s", why, WAITERS_LENGTH - (int)strlen(why),
              who.data);
    lw_text_free(&who);
}

void exec_hang_warn(exec_worker *worker, exec_cluster *c)
{
    uint32_t lane;
    const code_insn *at = first_waiter(worker, c, &lane);
    if (!at || at->op != OP_bar) return;
    lw_text who = {0};
    char text[sizeof(((exec_fault *)NULL)->message)];
    describe_waiters(worker->run->launch, c, &who);
    snprintf(text, sizeof text,
             "barrier in divergent code, reached by part of the block only: %.*s; the other threads went past it",
             WAITERS_LENGTH, who.data);
    exec_warn(&worker->x, at, EXEC_DIVERGENT_BARRIER, lane, text);
    lw_text_free(&who);
}

void exec_hang_parted(exec_worker *worker, exec_warp *w)
{
    const exec_group *g = &w->groups[__builtin_ctz(w->groups_used)];
    lw_text who = {0};
    uint32_t shown = 0;
    describe_warp(worker->run->launch, w, &shown, &who);
    worker->x.warp = w;
    worker->x.block = w->block;
    exec_fail(&worker->x, stands_at(g), EXEC_HANG, (uint32_t)__builtin_ctz(g->mask), 0, 0, false, "code",
              "the kernel hangs on a GPU, where threads of one warp meet at one barrier only: %.*s; move the barrier "
              "out of the branch or loop, so that all threads execute it",
              WAITERS_LENGTH - 200, who.data);
    lw_text_free(&who);
}
