/* plan_again.c: a load from an address that was loaded before, with nothing between that may write it. The assembler
 * may load once and keep the value (tests/programs2/sample_groups_barriers.cu: scans, labelled). Whether it does
 * depends on registers and basic blocks: such rows are marked. Loads on two sides of a branch stay two, but for those that
 * plan_sink.c moves. In one basic block there is one load of a word, and none behind a store; and of two stores to one place
 * the second alone. */
#include "code/plan.h"

#include <stdlib.h>

typedef LW_VEC(uint32_t) load_list;

static bool ends_values(const code_insn *i)
{
    switch (i->op) {
    case OP_st: return i->mem.space != PTX_LOCAL;
    case OP_atom:
    case OP_bar:
    case OP_cluster_bar:
    case OP_fence:
    case OP_call:
    case OP_builtin: return true;
    default: return false;
    }
}

static bool is_plain_load(const code_insn *i)
{
    if (i->op != OP_ld) return false;
    bool space = i->mem.space == PTX_GLOBAL || i->mem.space == PTX_SHARED;
    return space && i->event_op != CODE_NO_EVENT && !i->mem.access.ordered;
}

static bool same_access(const code_insn *i, const code_insn *other)
{
    return i->a != CODE_NO_REF && i->a == other->a && i->mem.offset == other->mem.offset &&
           i->mem.bytes == other->mem.bytes && i->mem.vector == other->mem.vector && i->mem.space == other->mem.space;
}

typedef struct again {
    const decoder *d;
    const plan_alignment *blocks;
    load_list loads; /* micro-operations whose address still holds what they loaded or stored */
} again;

static void drop_written(void *user, code_ref written, code_operand what)
{
    (void)what;
    const decoder *d = ((again *)user)->d;
    load_list *loads = &((again *)user)->loads;
    size_t kept = 0;
    for (size_t k = 0; k < loads->count; k++) {
        uint32_t u = loads->items[k];
        if (d->insns.items[u].a != written) loads->items[kept++] = u;
    }
    loads->count = kept;
}

/* May the assembler have the value of one load at the other? */
static bool may_be_one(const again *a, uint32_t first, uint32_t second)
{
    const decoder *d = a->d;
    uint32_t from = d->builder->sites.items[d->insns.items[first].site].block;
    uint32_t to = d->builder->sites.items[d->insns.items[second].site].block;
    return plan_dominates(a->blocks, from, to);
}

static void add_load(decoder *d, again *a, uint32_t u)
{
    load_list *loads = &a->loads;
    const code_insn *i = &d->insns.items[u];
    for (size_t k = 0; k < loads->count; k++) {
        const code_insn *other = &d->insns.items[loads->items[k]];
        if (!same_access(i, other) || !may_be_one(a, loads->items[k], u)) continue;
        plan_mark(d, other->site, PLAN_LOADED_AGAIN);
        plan_mark(d, i->site, PLAN_LOADED_AGAIN);
        code_site *sites = d->builder->sites.items;
        sites[i->site].repeats |= sites[other->site].block == sites[i->site].block;
    }
    enum { REMEMBERED = 256 }; /* keeps straight-line code of many thousand loads linear */
    if (loads->count == REMEMBERED) loads->count = 0;
    lw_vec_push(loads, u);
}

/* ---- in one basic block ---- */

/* A store leaves what was loaded from the other space. */
static void drop_space(again *a, uint8_t space)
{
    size_t kept = 0;
    for (size_t k = 0; k < a->loads.count; k++)
        if (a->d->insns.items[a->loads.items[k]].mem.space != space) a->loads.items[kept++] = a->loads.items[k];
    a->loads.count = kept;
}

/* Which of the access's registers holds what lies at that offset from its base, in as many bytes? */
static int element_at(const code_insn *i, int64_t offset, uint32_t bytes)
{
    int64_t within = offset - i->mem.offset;
    bool fits = i->mem.bytes == bytes && within >= 0 && within % bytes == 0 && within / bytes < i->mem.vector;
    return fits ? (int)(within / bytes) : -1;
}

/* The register that holds element k of the load at u already; `load`: what loaded it, if it was not stored. */
static bool is_there(const again *a, const code_insn *i, uint32_t k, code_ref *loaded)
{
    int64_t offset = i->mem.offset + (int64_t)k * i->mem.bytes;
    for (size_t n = a->loads.count; n-- > 0;) {
        const code_insn *other = &a->d->insns.items[a->loads.items[n]];
        int at = other->a == i->a && other->mem.space == i->mem.space ? element_at(other, offset, i->mem.bytes) : -1;
        if (at < 0) continue;
        *loaded = other->op == OP_ld ? other->mem.list->ref[at] : CODE_NO_REF;
        return true;
    }
    return false;
}

/* Is what lies at its address in registers behind it? A store of narrow registers keeps less than they hold. */
static bool gives_value(const code_insn *i)
{
    if (i->op != OP_ld && i->op != OP_st) return false;
    if (i->guard != CODE_NO_REF || i->event_op == CODE_NO_EVENT || i->mem.access.ordered) return false;
    if (i->mem.bytes < 4) return is_plain_load(i) && i->mem.vector == 1;
    return is_plain_load(i) || (i->op == OP_st && i->mem.space != PTX_LOCAL);
}

/* Loads by each base, before values are looked for. */
typedef struct known_values {
    uint32_t *reads;              /* by virtual register */
    const plan_alignment *blocks; /* what writes each */
    uint8_t *widths; /* by virtual register that is a base: the numbers of bytes that are loaded, as bits */
} known_values;

static uint8_t width_bit(const code_insn *i) { return (uint8_t)(i->mem.bytes * i->mem.vector); }

static void note_widths(const decoder *d, known_values *v)
{
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (is_plain_load(i) && code_is_virtual(i->a)) v->widths[code_vreg_of(i->a)] |= width_bit(i);
    }
}

/* Does the assembler look again at which words of the vector load are needed, when some turn out to be there? It does where
 * loads of another width have the same base, and for pairs of shared memory. */
static bool drops_known_words(const known_values *v, const code_insn *i)
{
    if (i->mem.bytes != 4 || !code_is_virtual(i->a)) return false;
    return (i->mem.space == PTX_SHARED && i->mem.vector == 2) || v->widths[code_vreg_of(i->a)] != width_bit(i);
}

static uint32_t *reads_of(const known_values *v, code_ref r)
{
    return code_is_virtual(r) && !plan_has_several(v->blocks, r) ? &v->reads[code_vreg_of(r)] : NULL;
}

/* Which elements of a load nothing has yet, and which were stored, as bits. */
typedef struct elements {
    uint32_t missing, stored;
} elements;

/* What is there of a load. What loads of the same gave them is read for it, if they give all that is read of it. */
static elements elements_of(const again *a, known_values *v, const code_insn *i)
{
    elements e = {.missing = (1u << i->mem.vector) - 1};
    code_ref loaded[4] = {CODE_NO_REF, CODE_NO_REF, CODE_NO_REF, CODE_NO_REF};
    bool narrow = i->mem.vector > 1 && i->mem.bytes < 4;
    if (i->a == CODE_NO_REF || i->guard != CODE_NO_REF || i->mem.vector > LW_COUNT(loaded) || narrow) return e;
    for (uint32_t k = 0; k < i->mem.vector; k++) {
        const uint32_t *reads = reads_of(v, i->mem.list->ref[k]);
        bool there = is_there(a, i, k, &loaded[k]), unread = i->mem.vector > 1 && reads && !*reads;
        if (there || unread) e.missing &= ~(1u << k);
        if (there && loaded[k] == CODE_NO_REF) e.stored |= 1u << k;
    }
    for (uint32_t k = 0; !e.missing && k < i->mem.vector; k++) {
        uint32_t *from = reads_of(v, loaded[k]), *to = reads_of(v, i->mem.list->ref[k]);
        if (from && (!to || *to)) ++*from;
    }
    return e;
}

/* Of the load nothing is loaded that is there: nothing at all, or not the words that were stored. */
static void load_rest(const again *a, known_values *v, code_insn *i)
{
    elements e = elements_of(a, v, i);
    if (!e.missing) {
        i->event_op = CODE_NO_EVENT;
        a->d->builder->sites.items[i->site].is_memory = false;
        return;
    }
    for (uint32_t k = 0; e.stored && drops_known_words(v, i) && k < i->mem.vector; k++) {
        uint32_t *reads = e.stored >> k & 1 ? reads_of(v, i->mem.list->ref[k]) : NULL;
        if (reads) *reads = 0;
    }
}

void plan_once(decoder *d, uint32_t *reads, const plan_alignment *blocks)
{
    enum { REMEMBERED = 64 };
    again a = {.d = d};
    known_values v = {.reads = reads, .blocks = blocks, .widths = lw_alloc(d->vregs.count + 1)};
    note_widths(d, &v);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        code_insn *i = &d->insns.items[u];
        if (plan_ends_search(i)) a.loads.count = 0;
        if (i->op == OP_st) drop_space(&a, i->mem.space);
        if (is_plain_load(i)) load_rest(&a, &v, i);
        if (gives_value(i)) {
            if (a.loads.count == REMEMBERED) a.loads.count = 0;
            lw_vec_push(&a.loads, u);
        }
        code_each_written(i, &d->infos.items[u], drop_written, &a);
    }
    lw_vec_free(&a.loads);
    free(v.widths);
}

/* ---- stores that the next one makes nothing of ---- */
static bool is_plain_store(const code_insn *i)
{
    bool space = i->mem.space == PTX_GLOBAL || i->mem.space == PTX_SHARED;
    return i->op == OP_st && space && i->guard == CODE_NO_REF && i->event_op != CODE_NO_EVENT && !i->mem.access.ordered;
}

/* Of stores to where i stores the same bytes. */
static void drop_overwritten(decoder *d, const again *a, const code_insn *i)
{
    for (size_t k = 0; k < a->loads.count; k++) {
        code_insn *earlier = &d->insns.items[a->loads.items[k]];
        if (!same_access(i, earlier)) continue;
        earlier->event_op = CODE_NO_EVENT;
        d->builder->sites.items[earlier->site].is_memory = false;
    }
}

void plan_overwritten(decoder *d)
{
    again a = {.d = d}; /* its list is of stores */
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        bool accesses = i->event_op != CODE_NO_EVENT, simple = i->op == OP_ld || i->op == OP_st;
        if (plan_ends_search(i) || (accesses && !simple)) a.loads.count = 0;
        if (is_plain_store(i)) drop_overwritten(d, &a, i);
        if (accesses && simple) drop_space(&a, i->mem.space);
        if (is_plain_store(i)) lw_vec_push(&a.loads, u);
        code_each_written(i, &d->infos.items[u], drop_written, &a);
    }
    lw_vec_free(&a.loads);
}

void plan_again(decoder *d, const plan_alignment *blocks)
{
    again a = {.d = d, .blocks = blocks};
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (ends_values(i)) a.loads.count = 0;
        if (is_plain_load(i)) add_load(d, &a, u);
        code_each_written(i, &d->infos.items[u], drop_written, &a);
    }
    lw_vec_free(&a.loads);
}
