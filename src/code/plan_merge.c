/* plan_merge.c: scalar shared loads and stores at neighbouring addresses become one 64- or 128-bit machine instruction.
 *
 * What the compiler was seen to do for an H200 (tests/hw/kernels: shared_merge.cu, matmul.cu): it joins accesses of one
 * basic block with one base register and one guard, in one aligned 16-byte piece that the alignment of the base proves.
 * Loads: three or four words that include the first one are one 128-bit load, also with a gap; the words {0, 1} and
 * {2, 3} are 64-bit loads; words with a gap and no third one stay alone. Stores: four words, two 64-bit halves or a
 * full pair, no gaps. Barriers, fences, calls, atomics and volatile accesses end the search, stores end it for loads
 * that they may touch.
 *
 * The member with the lowest address tells the event of the whole; the others tell none. */
#include "code/plan.h"

#include <stdlib.h>

typedef struct member {
    uint32_t u;    /* micro-operation */
    uint8_t words; /* which words of the piece it covers */
} member;

typedef struct piece {
    code_ref base, guard;
    int64_t at; /* offset of the piece: a multiple of 16 */
    bool load;
    LW_VEC(member) members;
} piece;

typedef struct merger {
    decoder *d;
    const plan_value *values;
    LW_VEC(piece) open;
} merger;

static bool is_shared_access(const code_insn *i)
{
    return (i->op == OP_ld || i->op == OP_st) && i->mem.space == PTX_SHARED && i->event_op != CODE_NO_EVENT;
}

static uint32_t bytes_of(const code_insn *i) { return (uint32_t)i->mem.bytes * i->mem.vector; }

static uint32_t zeros_of_base(const merger *m, const code_insn *i)
{
    return i->a == CODE_NO_REF ? 4 : plan_value_of(m->d, m->values, i->a).zeros;
}

/* The members in `words` become one access: the lowest tells it. */
static void join_members(merger *m, const piece *p, uint32_t words, uint32_t bytes)
{
    uint32_t lowest = UINT32_MAX, lowest_words = 0, count = 0;
    for (size_t k = 0; k < p->members.count; k++) {
        const member *a = &p->members.items[k];
        if (!(a->words & words)) continue;
        count++;
        if (lowest == UINT32_MAX || a->words < lowest_words) lowest = a->u, lowest_words = a->words;
    }
    if (count < 2) return;
    for (size_t k = 0; k < p->members.count; k++) {
        const member *a = &p->members.items[k];
        code_insn *i = &m->d->insns.items[a->u];
        if (!(a->words & words) || a->u == lowest) continue;
        i->event_op = CODE_NO_EVENT;
        m->d->builder->sites.items[i->site].is_memory = false;
    }
    m->d->insns.items[lowest].mem.access.joined_bytes = (uint8_t)bytes;
}

static void mark_members(merger *m, const piece *p, enum plan_rule rule)
{
    for (size_t k = 0; k < p->members.count; k++) plan_mark(m->d, m->d->insns.items[p->members.items[k].u].site, rule);
}

/* Decides a piece. Which words may form one access depends on the proven alignment (8 or 16 bytes). */
static void close_piece(merger *m, piece *p)
{
    uint32_t words = 0, twice = 0;
    for (size_t k = 0; k < p->members.count; k++) {
        twice |= words & p->members.items[k].words;
        words |= p->members.items[k].words;
    }
    if (p->members.count > 1) {
        bool wide = zeros_of_base(m, &m->d->insns.items[p->members.items[0].u]) >= 4;
        uint32_t count = lw_popcount(words);
        if (twice) mark_members(m, p, PLAN_SHARED_TWICE);
        else if (wide && (words == 15 || (p->load && count == 3 && (words & 1)))) join_members(m, p, 15, 16);
        else {
            if ((words & 3) == 3) join_members(m, p, 3, 8);
            if ((words & 12) == 12) join_members(m, p, 12, 8);
            bool gap = words == 5 || words == 10 || (p->load ? words == 14 : count == 3 && words != 7);
            if (wide && gap) mark_members(m, p, PLAN_SHARED_GAP);
        }
    }
    lw_vec_free(&p->members);
}

static void close_all(merger *m)
{
    for (size_t k = 0; k < m->open.count; k++) close_piece(m, &m->open.items[k]);
    m->open.count = 0;
}

/* Ends the pieces that an access may touch: a store those of loads, any access those of stores, unless one base tells
 * them apart. */
static void close_touched(merger *m, const code_insn *i)
{
    size_t kept = 0;
    int64_t end = i->mem.offset + bytes_of(i);
    for (size_t k = 0; k < m->open.count; k++) {
        piece *p = &m->open.items[k];
        bool both_load = i->op == OP_ld && p->load;
        bool apart = p->base == i->a && (end <= p->at || i->mem.offset >= p->at + 16);
        bool own = p->base == i->a && p->guard == i->guard && p->load == (i->op == OP_ld) && !apart;
        if (both_load || apart || own) m->open.items[kept++] = *p;
        else close_piece(m, p);
    }
    m->open.count = kept;
}

static void add_access(merger *m, uint32_t u)
{
    const code_insn *i = &m->d->insns.items[u];
    uint32_t bytes = bytes_of(i), zeros = zeros_of_base(m, i);
    if (i->mem.access.ordered) {
        close_all(m);
        return;
    }
    close_touched(m, i);
    int64_t at = i->mem.offset & ~INT64_C(15), within = i->mem.offset & 15;
    if (zeros < 3 || bytes < 4 || (i->mem.offset & 3) || within + bytes > 16) return;
    member a = {u, (uint8_t)(((1u << bytes / 4) - 1) << within / 4)};
    for (size_t k = 0; k < m->open.count; k++) {
        piece *p = &m->open.items[k];
        if (p->base != i->a || p->guard != i->guard || p->at != at || p->load != (i->op == OP_ld)) continue;
        lw_vec_push(&p->members, a);
        return;
    }
    piece fresh = {.base = i->a, .guard = i->guard, .at = at, .load = i->op == OP_ld};
    lw_vec_push(&fresh.members, a);
    lw_vec_push(&m->open, fresh);
}

/* A register that is written: what uses its old value as an address or guard ends. */
static void close_written(void *user, code_ref r, code_operand what)
{
    (void)what;
    merger *m = user;
    size_t kept = 0;
    for (size_t k = 0; k < m->open.count; k++) {
        piece *p = &m->open.items[k];
        bool uses = p->base == r || (p->guard != CODE_NO_REF && (p->guard & ~1u) == (r & ~1u));
        if (uses) close_piece(m, p);
        else m->open.items[kept++] = *p;
    }
    m->open.count = kept;
}

static bool ends_search(const code_insn *i)
{
    switch (i->op) {
    case OP_block:
    case OP_bra:
    case OP_brx:
    case OP_call:
    case OP_ret:
    case OP_exit:
    case OP_trap:
    case OP_bar:
    case OP_cluster_bar:
    case OP_warpsync:
    case OP_fence:
    case OP_atom: return true;
    case OP_ld:
    case OP_st: return i->mem.space == PTX_GENERIC || i->mem.space == PTX_SHARED_CLUSTER;
    /* these branch to a slow path and so end the basic block (tests/programs/softmax_layernorm.cu: layernorm) */
    case OP_div_f32:
    case OP_rcp_f32:
    case OP_sqrt_f32:
    case OP_div_f64:
    case OP_rcp_f64:
    case OP_sqrt_f64:
    case OP_div_s64:
    case OP_div_u64:
    case OP_rem_s64:
    case OP_rem_u64: return true;
    default: return false;
    }
}

/* Loads of neighbouring words that stayed alone because they stand in different blocks: a short conditional block may
 * become part of the one before. */
static void mark_elsewhere(decoder *d, const plan_value *values)
{
    LW_VEC(uint32_t) alone = {0};
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        bool plain = is_shared_access(i) && !i->mem.access.joined_bytes && !i->mem.access.ordered;
        if (i->op != OP_ld || !plain || i->a == CODE_NO_REF || bytes_of(i) > 8) continue;
        if (plan_value_of(d, values, i->a).zeros < 3) continue;
        for (size_t k = alone.count; k-- > 0 && alone.count - k < 64;) {
            const code_insn *other = &d->insns.items[alone.items[k]];
            bool near = other->a == i->a && (other->mem.offset ^ i->mem.offset) < 16 &&
                        (other->mem.offset ^ i->mem.offset) >= 4;
            if (!near || d->builder->sites.items[other->site].block == d->builder->sites.items[i->site].block) continue;
            plan_mark(d, other->site, PLAN_SHARED_ELSEWHERE), plan_mark(d, i->site, PLAN_SHARED_ELSEWHERE);
        }
        lw_vec_push(&alone, u);
    }
    lw_vec_free(&alone);
}

void plan_merge(decoder *d, const plan_value *values)
{
    merger m = {.d = d, .values = values};
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (ends_search(i)) close_all(&m);
        if (is_shared_access(i)) add_access(&m, u);
        code_each_written(i, &d->infos.items[u], close_written, &m);
    }
    close_all(&m);
    lw_vec_free(&m.open);
    mark_elsewhere(d, values);
}
