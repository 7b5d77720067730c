/* plan_meet.c: a store that one of two ways overwrites, `s[t] = 0; if (i < n) s[t] = a[i];`: the assembler stores once, where
 * the ways meet, whichever value it is by then. The first of the two stores tells that.
 *
 * What ptxas 13.0 was seen to do for sm_90 (tests/unit/test_plan.c): the way that stores is one basic block, and so is the
 * other, if it is more than a jump; nothing else leads to where they meet. Before the branch, behind the last barrier, stand
 * just the stores of that memory that the block makes, in the same order, and nothing behind the first of them reads this memory
 * or has an atomic there; nor does the block. Not if lanes that do not take the block go to the end of the kernel straight
 * away, and not at an address that the loop around computes. Where two ways met so, there is one more store than the text has. */
#include "code/plan_ways.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STORES = 16, SPACES = 2 };

typedef struct meeting {
    plan_ways ways;
    const plan_alignment *definitions;
    bool (*met)[SPACES]; /* by block: a store to this memory stands at its start now */
    uint32_t *looped;    /* by micro-operation: the last one of which a loop begins there or before */
} meeting;

typedef struct store_list {
    code_insn *store[MOST_STORES];
    uint32_t count;
} store_list;

static uint32_t target_of(const decoder *d, const code_insn *bra)
{
    return (uint32_t)(bra->branch.to->target - d->out->insns);
}

static void find_loops(meeting *m)
{
    const decoder *d = m->ways.d;
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_bra && i->branch.to->backward) m->looped[target_of(d, i)] = u;
    }
    for (uint32_t u = 1; u < d->insns.count; u++) m->looped[u] = LW_MAX(m->looped[u], m->looped[u - 1]);
}

/* ---------------------------------------------------------------- what blocks store */
static bool touches(const code_insn *i, ptx_space space)
{
    return i->mem.space == space || i->mem.space == PTX_GENERIC ||
           (space == PTX_SHARED && i->mem.space == PTX_SHARED_CLUSTER);
}

/* ld.global.nc is of what nothing in the kernel writes. */
static bool is_read_only(const decoder *d, uint32_t u)
{
    uint32_t insn = d->infos.items[u].ptx_insn;
    return insn < d->f->insn_count && strstr(d->f->insns[insn].mnemonic, ".nc");
}

/* May a store to this memory not move across it? */
static bool reads(const decoder *d, uint32_t u, ptx_space space)
{
    const code_insn *i = &d->insns.items[u];
    switch (i->op) {
    case OP_ld: return touches(i, space) && !is_read_only(d, u);
    case OP_atom: return touches(i, space);
    default: return false;
    }
}

/* Neither a plain access, nor what the assembler moves such around. */
static bool stops(const decoder *d, const code_insn *i)
{
    switch (i->op) {
    case OP_ld:
    case OP_st: return i->mem.access.ordered;
    case OP_block:
    case OP_bra:
    case OP_atom:
    case OP_shfl:
    case OP_vote:
    case OP_special: return false;
    default: return !code_uops[i->op].computes || plan_has_slow_path(i->op) || plan_splits_block(d, i);
    }
}

static bool add_store(store_list *list, code_insn *i)
{
    if (i->guard != CODE_NO_REF || i->mem.access.ordered || list->count == MOST_STORES) return false;
    list->store[list->count++] = i;
    return true;
}

/* The stores to this memory at the end of block b, the last one first. */
static bool stores_before(const meeting *m, uint32_t b, ptx_space space, store_list *out)
{
    const decoder *d = m->ways.d;
    const plan_block *k = &m->ways.blocks[b];
    bool read = false;
    for (uint32_t u = k->end; u-- > k->first;) {
        code_insn *i = &d->insns.items[u];
        if (plan_has_slow_path(i->op)) return false;
        if (stops(d, i)) return out->count && (i->op == OP_bar || plan_splits_block(d, i));
        read |= reads(d, u, space);
        if (i->op != OP_st || i->event_op == CODE_NO_EVENT || !touches(i, space)) continue;
        if (read || i->mem.space != space || !add_store(out, i)) return false;
    }
    return out->count && !m->met[b][space == PTX_GLOBAL];
}

/* Those that block b makes of this memory, the last one first, if it moves nothing but them. */
static bool stores_within(const meeting *m, uint32_t b, ptx_space space, store_list *out)
{
    const decoder *d = m->ways.d;
    for (uint32_t u = m->ways.blocks[b].end; u-- > m->ways.blocks[b].first;) {
        code_insn *i = &d->insns.items[u];
        if (stops(d, i) || reads(d, u, space)) return false;
        if (i->op != OP_st || i->event_op == CODE_NO_EVENT || !touches(i, space)) continue;
        if (i->mem.space != space || !add_store(out, i)) return false;
    }
    return true;
}

/* ---------------------------------------------------------------- ways that meet */
/* Is the address computed in a loop that holds the store, too? */
static bool varies_in_loop(const meeting *m, const code_insn *store)
{
    if (!code_is_virtual(store->a)) return false;
    const code_insn *i = plan_definition(m->definitions, store->a);
    if (!i) return true;
    return m->looped[i - m->ways.d->insns.items] > (uint32_t)(store - m->ways.d->insns.items);
}

static bool same_place(const meeting *m, const code_insn *i, const code_insn *other)
{
    return i->a != CODE_NO_REF && i->a == other->a && i->mem.offset == other->mem.offset &&
           i->mem.bytes == other->mem.bytes && i->mem.vector == other->mem.vector && !varies_in_loop(m, i);
}

static bool ends_kernel(const meeting *m, uint32_t b)
{
    const code_insn *i = plan_last_of(&m->ways, b);
    return plan_ends_thread(i) && i->guard == CODE_NO_REF;
}

/* The block that lanes sent to b come to, if that does no more than send them to a block that nobody else comes to. */
static uint32_t behind_jump(const meeting *m, uint32_t b)
{
    if (b == PLAN_NONE || m->ways.blocks[b].entered != 1) return b;
    const plan_block *k = &m->ways.blocks[b];
    bool jumps = k->end - k->first == 2 && k->fall == PLAN_NONE && k->jump != PLAN_NONE;
    return jumps && m->ways.blocks[k->jump].entered == 1 ? k->jump : b;
}

/* The block where the two ways meet, or PLAN_NONE. */
static uint32_t meets_at(const meeting *m, uint32_t way, uint32_t other)
{
    if (way == PLAN_NONE || other == PLAN_NONE || way == other || m->ways.blocks[way].entered != 1) return PLAN_NONE;
    uint32_t at = plan_only_way(&m->ways, way);
    if (at == PLAN_NONE || m->ways.blocks[at].entered != 2) return PLAN_NONE;
    if (at == other) return ends_kernel(m, at) ? PLAN_NONE : at;
    return m->ways.blocks[other].entered == 1 && plan_only_way(&m->ways, other) == at ? at : PLAN_NONE;
}

/* Nothing stored to this memory, and nothing read, on the way that does not store? */
static bool leaves_alone(const meeting *m, uint32_t other, uint32_t at, ptx_space space)
{
    store_list none = {0};
    return other == at || (stores_within(m, other, space, &none) && !none.count);
}

static bool stores_to(const meeting *m, uint32_t b, ptx_space space)
{
    for (uint32_t u = m->ways.blocks[b].end; u-- > m->ways.blocks[b].first;) {
        const code_insn *i = &m->ways.d->insns.items[u];
        if (i->op == OP_bar) return false;
        if (i->op == OP_st && touches(i, space)) return true;
    }
    return false;
}

/* Does block `way` read memory that is stored to before the branch? Then nothing that is stored there moves. */
static bool reads_stored(const meeting *m, uint32_t b, uint32_t way)
{
    bool of_shared = false, of_global = false;
    for (uint32_t u = m->ways.blocks[way].first; u < m->ways.blocks[way].end; u++) {
        of_shared |= reads(m->ways.d, u, PTX_SHARED);
        of_global |= reads(m->ways.d, u, PTX_GLOBAL);
    }
    return (of_shared && stores_to(m, b, PTX_SHARED)) || (of_global && stores_to(m, b, PTX_GLOBAL));
}

static void store_once(meeting *m, uint32_t b, uint32_t way, uint32_t other, ptx_space space)
{
    uint32_t at = meets_at(m, way, other);
    store_list before = {0}, within = {0};
    if (at == PLAN_NONE || at == b || !stores_before(m, b, space, &before) || !stores_within(m, way, space, &within))
        return;
    if (before.count != within.count || !leaves_alone(m, other, at, space)) return;
    for (uint32_t k = 0; k < before.count; k++)
        if (!same_place(m, before.store[k], within.store[k])) return;
    if (reads_stored(m, b, way)) return;
    for (uint32_t k = 0; k < within.count; k++) {
        within.store[k]->event_op = CODE_NO_EVENT;
        m->ways.d->builder->sites.items[within.store[k]->site].is_memory = false;
    }
    m->met[at][space == PTX_GLOBAL] = true;
}

void plan_meet(decoder *d, const plan_alignment *definitions)
{
    meeting m = {.ways.d = d, .definitions = definitions};
    plan_ways_find(&m.ways);
    m.met = lw_alloc((m.ways.count + 1) * sizeof *m.met);
    m.looped = lw_alloc((d->insns.count + 1) * sizeof *m.looped);
    find_loops(&m);
    for (uint32_t b = 0; b < m.ways.count; b++) {
        uint32_t fall = behind_jump(&m, m.ways.blocks[b].fall), jump = behind_jump(&m, m.ways.blocks[b].jump);
        for (int s = 0; s < SPACES; s++) {
            ptx_space space = s ? PTX_GLOBAL : PTX_SHARED;
            store_once(&m, b, fall, jump, space);
            store_once(&m, b, jump, fall, space);
        }
    }
    plan_ways_free(&m.ways);
    free(m.looped);
    free(m.met);
}
