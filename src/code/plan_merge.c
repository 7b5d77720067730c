/* plan_merge.c: which words the machine instructions of plain loads and stores move. The assembler drops the words of a
 * load that nothing reads, and makes one 64- or 128-bit instruction of scalar accesses at neighbouring addresses.
 *
 * What the compiler was seen to do for an H200 (tests/hw/kernels: shared_merge.cu, matmul.cu; global accesses and
 * unread words: the machine code of ptxas 13.0): it joins accesses of one basic block with one base register and one
 * guard, in one aligned 16-byte piece that the alignment of the base proves (plan_align.c).
 * Loads: three or four words are one 128-bit load, also with a gap; the words {0, 1} and {2, 3} are 64-bit loads; words
 * with a gap and no third one stay alone, of a vector, too. Stores: four words, two 64-bit halves or a full pair, no gaps. Barriers,
 * fences, calls, atomics and volatile accesses end the search, stores end it for loads that they may touch, divisions of
 * whole numbers for stores. A vector
 * load with three or four words read stays as it is; with fewer it is a load of those.
 *
 * Shared and global accesses of 16-bit registers (not of wider ones, which such a load extends, nor of what is needed extended:
 * plan_words.c) become 32-bit ones in aligned pairs and 64-bit ones in aligned fours, loads also with one of the four
 * missing, and no 128-bit ones; bytes stay alone.
 *
 * Local arrays that stay in memory are joined like shared ones, as far as the assembler aligns them (plan_values.c), and stores
 * also around atomics and divisions of whole numbers.
 *
 * A 64-bit load of which only one half is needed is one of 32 bits.
 *
 * Shared and local loads are also joined with one in another basic block that all ways lead through, across branches, stores to
 * and atomics of other memory; not across loops, and nothing else that ends the search. Where the first of two is not always
 * executed, both are marked.
 *
 * The member with the lowest address tells the event of the whole; the others tell none. */
#include "code/dominators.h"
#include "code/plan.h"

#include <stdlib.h>

enum { PIECE_BYTES = 16, WORD_BYTES = 4, HALF_BYTES = 2 };

typedef struct member {
    uint32_t u;     /* micro-operation */
    uint8_t words;  /* which words (or halves) of the piece it covers, unread ones not counted */
    int64_t offset; /* from the piece's base */
} member;

typedef struct piece {
    code_ref base, guard;
    int64_t at; /* offset of the piece: a multiple of 16, or that of a vector access that lies otherwise */
    uint8_t space;
    uint8_t unit;  /* bytes of what members count: WORD_BYTES or HALF_BYTES */
    uint8_t zeros; /* low bits of the address at `at` that are known to be zero */
    bool load;
    bool doubles; /* of elements of 64 bits, which are not joined with smaller ones */
    LW_VEC(member) members;
} piece;

typedef struct merger {
    decoder *d;
    const plan_value *values;
    const uint32_t *reads; /* how often each virtual register is read */
    uint8_t *needs;        /* which parts of each virtual register are */
    uint8_t *needed;       /* by micro-operation: the words that a joined load was made of; 0: all that it moves */
    bool has_halves;       /* some access is of 16 bits: alignment to 4 bytes matters */
    plan_alignment *alignment;
    LW_VEC(piece) open;
} merger;

static bool is_plain_access(const code_insn *i)
{
    if (i->op != OP_ld && i->op != OP_st) return false;
    bool space = i->mem.space == PTX_SHARED || i->mem.space == PTX_GLOBAL || i->mem.space == PTX_LOCAL;
    return space && i->event_op != CODE_NO_EVENT;
}

static bool is_shared_access(const code_insn *i) { return is_plain_access(i) && i->mem.space == PTX_SHARED; }

static uint32_t bytes_of(const code_insn *i) { return (uint32_t)i->mem.bytes * i->mem.vector; }

/* ---- words that are read ---- */

static bool is_read(const merger *m, code_ref r)
{
    if (r == CODE_NO_REF) return false;
    return !(r & VIRTUAL) || m->reads[(r & ~VIRTUAL) >> 2];
}

/* Of a 64-bit load of one value: which halves are needed, or both. */
static uint8_t halves_needed(const merger *m, const code_insn *i)
{
    const uint8_t both = PLAN_LOW_HALF | PLAN_HIGH_HALF;
    if (i->op != OP_ld || i->mem.vector != 1 || i->mem.bytes != 8) return both;
    code_ref r = i->mem.list->ref[0];
    uint8_t needed = code_is_virtual(r) && m->reads[code_vreg_of(r)] ? m->needs[code_vreg_of(r)] & both : both;
    return needed ? needed : both;
}

static bool is_half_loaded(const merger *m, const code_insn *i)
{
    return halves_needed(m, i) != (PLAN_LOW_HALF | PLAN_HIGH_HALF);
}

/* The words of an access of 4 to 16 bytes, from its own first one; of a load those that something reads. */
static uint32_t live_words(const merger *m, uint32_t u)
{
    const code_insn *i = &m->d->insns.items[u];
    uint32_t all = (1u << bytes_of(i) / WORD_BYTES) - 1, live = 0;
    const code_list *list = i->mem.list;
    if (i->op != OP_ld || i->mem.vector < 2 || i->mem.bytes < HALF_BYTES || !list) return all;
    uint32_t element = (1u << LW_MAX(i->mem.bytes / WORD_BYTES, 1)) - 1;
    for (uint32_t k = 0; k < i->mem.vector; k++)
        if (is_read(m, list->ref[k])) live |= element << (k * i->mem.bytes / WORD_BYTES);
    return lw_popcount(live) >= 3 ? all : live;
}

/* A vector load some words of which nothing reads. */
static bool loses_words(const merger *m, uint32_t u)
{
    const code_insn *i = &m->d->insns.items[u];
    return i->op == OP_ld && i->mem.vector > 1 && live_words(m, u) != (1u << bytes_of(i) / WORD_BYTES) - 1;
}

/* ---- alignment of bases ---- */

static uint32_t block_of(const merger *m, const code_insn *i) { return m->d->builder->sites.items[i->site].block; }

static bool is_all_read(const merger *m, const code_insn *i)
{
    for (uint32_t k = 0; i->op == OP_ld && i->mem.vector > 1 && k < i->mem.vector; k++)
        if (!is_read(m, i->mem.list->ref[k])) return false;
    return true;
}

/* What the access at u shows: the wider it is, the more low bits of its base are zero. Words apart are loaded each by itself. */
static void prove(merger *m, uint32_t u)
{
    const code_insn *i = &m->d->insns.items[u];
    if (!is_plain_access(i) || i->mem.access.ordered || bytes_of(i) < WORD_BYTES) return;
    uint32_t live = live_words(m, u);
    bool part = is_half_loaded(m, i) || (i->mem.bytes < WORD_BYTES && !is_all_read(m, i));
    bool wide = !part && (live == 3 || live == 12 || live == 15);
    uint32_t bytes = wide ? lw_popcount(live) * WORD_BYTES : WORD_BYTES;
    if ((!wide && !m->has_halves) || i->mem.offset % bytes) return;
    plan_alignment_prove(m->alignment, u, block_of(m, i), (uint32_t)__builtin_ctz(bytes));
}

/* How many low bits of a base are zero where the access is. Where a variable of global memory lies the assembler does not know. */
static uint32_t zeros_of_base(const merger *m, const code_insn *i, code_ref base)
{
    if (base == CODE_NO_REF && i->mem.space == PTX_SHARED)
        return LW_MIN(plan_shared_alignment(m->d, (uint64_t)i->mem.offset), 4u);
    if (base == CODE_NO_REF) return i->mem.space == PTX_GLOBAL ? 0 : 4;
    return plan_zeros_at(m->alignment, base, block_of(m, i));
}

/* ---- pieces ---- */

/* The words become one access: the member with the lowest of them tells it. */
static void join_words(merger *m, const piece *p, uint32_t words, uint32_t bytes)
{
    const member *lowest = NULL;
    for (size_t k = 0; k < p->members.count; k++) {
        const member *a = &p->members.items[k];
        if ((a->words & words) && (!lowest || a->words < lowest->words)) lowest = a;
    }
    if (!lowest) return;
    for (size_t k = 0; k < p->members.count; k++) {
        const member *a = &p->members.items[k];
        code_insn *i = &m->d->insns.items[a->u];
        if (!(a->words & words) || a == lowest) continue;
        i->event_op = CODE_NO_EVENT;
        m->d->builder->sites.items[i->site].is_memory = false;
    }
    code_insn *i = &m->d->insns.items[lowest->u];
    for (size_t k = 0; p->unit == WORD_BYTES && k < p->members.count; k++)
        m->needed[lowest->u] |= p->members.items[k].words & words;
    int64_t first = p->at + (int64_t)__builtin_ctz(words) * p->unit;
    if (bytes == bytes_of(i) && first == lowest->offset) return;
    i->mem.access.joined_words = bytes / WORD_BYTES;
    i->mem.access.joined_at = (int32_t)(first - lowest->offset);
}

static void mark_members(merger *m, const piece *p, enum plan_rule rule)
{
    for (size_t k = 0; k < p->members.count; k++) plan_mark(m->d, m->d->insns.items[p->members.items[k].u].site, rule);
}

/* Words that no wider access holds: an access that lost its others is one of a single word, and one with two of them left,
 * which are apart, is two. */
static void narrow_alone(merger *m, const piece *p, uint32_t joined)
{
    for (size_t k = 0; k < p->members.count; k++) {
        const member *a = &p->members.items[k];
        if (a->words & joined) continue;
        code_insn *i = &m->d->insns.items[a->u];
        uint32_t first = a->words & -a->words, rest = a->words & ~first;
        if (lw_popcount(a->words) * WORD_BYTES == bytes_of(i)) continue;
        piece alone = {.at = p->at, .unit = WORD_BYTES};
        lw_vec_push(&alone.members, *a);
        join_words(m, &alone, first, WORD_BYTES);
        if (rest) i->mem.access.apart = (uint8_t)((__builtin_ctz(rest) - __builtin_ctz(first)) * WORD_BYTES);
        lw_vec_free(&alone.members);
    }
}

/* Joins what a piece has; returns the words that are in joined accesses. */
static uint32_t join_piece(merger *m, const piece *p, uint32_t words, uint32_t zeros)
{
    uint32_t count = lw_popcount(words), joined = 0;
    bool most = p->load && count == 3;
    if (zeros >= 4 && (words == 15 || most)) {
        join_words(m, p, 15, PIECE_BYTES);
        return 15;
    }
    for (uint32_t half = 3; half <= 12; half <<= 2) {
        if ((words & half) != half) continue;
        join_words(m, p, half, PIECE_BYTES / 2);
        joined |= half;
    }
    return joined;
}

/* 16-bit accesses; an aligned pair is two bits, an aligned four four bits. */
static void join_halves(merger *m, const piece *p, uint32_t halves, uint32_t zeros)
{
    for (uint32_t four = 15; four <= 15 << 4; four <<= 4) {
        uint32_t count = lw_popcount(halves & four);
        if (zeros >= 3 && (count == 4 || (count == 3 && p->load))) {
            join_words(m, p, four, PIECE_BYTES / 2);
            continue;
        }
        for (uint32_t pair = four & four >> 2; pair & four; pair <<= 2)
            if ((halves & pair) == pair) join_words(m, p, pair, WORD_BYTES);
    }
}

/* Words that several loads of the piece name are loaded once, if one access holds all that the piece names. */
static bool holds_all(const piece *p, uint32_t words)
{
    if (!p->load || p->unit != WORD_BYTES) return false;
    return words == 3 || words == 12 || (p->zeros >= 4 && lw_popcount(words) >= 3);
}

/* Decides a piece. Which words may form one access depends on the proven alignment (8 or 16 bytes). */
static void close_piece(merger *m, piece *p)
{
    uint32_t words = 0;
    uint32_t twice = 0;
    for (size_t k = 0; k < p->members.count; k++) {
        twice |= words & p->members.items[k].words;
        words |= p->members.items[k].words;
    }
    if (twice && !holds_all(p, words)) mark_members(m, p, PLAN_SHARED_TWICE);
    else if (p->unit == HALF_BYTES) join_halves(m, p, words, p->zeros);
    else if (p->zeros >= 3) narrow_alone(m, p, join_piece(m, p, words, p->zeros));
    lw_vec_free(&p->members);
}

static void close_all(merger *m)
{
    for (size_t k = 0; k < m->open.count; k++) close_piece(m, &m->open.items[k]);
    m->open.count = 0;
}

/* Atomics end what is not the thread's own. */
static void close_shared(merger *m)
{
    size_t kept = 0;
    for (size_t k = 0; k < m->open.count; k++) {
        if (m->open.items[k].space == PTX_LOCAL) m->open.items[kept++] = m->open.items[k];
        else close_piece(m, &m->open.items[k]);
    }
    m->open.count = kept;
}

static void close_stores(merger *m)
{
    size_t kept = 0;
    for (size_t k = 0; k < m->open.count; k++) {
        if (m->open.items[k].load || m->open.items[k].space == PTX_LOCAL) m->open.items[kept++] = m->open.items[k];
        else close_piece(m, &m->open.items[k]);
    }
    m->open.count = kept;
}

/* The address of an access as what the assembler knows of it: a base, and how far behind it; as it is written where more is
 * known of its alignment so. */
typedef struct place {
    code_ref base;
    int64_t offset;
} place;

static place place_of(const merger *m, const code_insn *i)
{
    place p = {i->a, i->mem.offset};
    uint64_t constant;
    for (int sums = 0; sums < 4; sums++) {
        const code_insn *sum = plan_definition(m->alignment, p.base);
        bool adds = sum && sum->guard == CODE_NO_REF &&
                    (sum->op == OP_add_s32 || sum->op == OP_add_u32 || sum->op == OP_add_s64 || sum->op == OP_add_u64);
        if (!adds || !plan_constant(m->d, sum->b, &constant) || !plan_definition(m->alignment, sum->a)) break;
        bool wide = sum->op == OP_add_s64 || sum->op == OP_add_u64;
        p = (place){sum->a, p.offset + (wide ? (int64_t)constant : (int32_t)constant)};
    }
    if (p.base != i->a && zeros_of_base(m, i, p.base) < zeros_of_base(m, i, i->a)) p = (place){i->a, i->mem.offset};
    return p;
}

/* Ends the pieces that the assembler does not extend across an access to the same memory, wherever that lies: those of
 * loads across a store, those of stores across a load or a store that is not theirs. */
static void close_others(merger *m, const code_insn *i)
{
    place a = place_of(m, i);
    size_t kept = 0;
    for (size_t k = 0; k < m->open.count; k++) {
        piece *p = &m->open.items[k];
        bool load = i->op == OP_ld, at_same = p->at == (a.offset & ~INT64_C(15));
        bool own = p->base == a.base && p->guard == i->guard && at_same;
        if (p->space != i->mem.space || (p->load && load) || (!p->load && !load && own)) m->open.items[kept++] = *p;
        else close_piece(m, p);
    }
    m->open.count = kept;
}

/* A 16-bit access whose register need hold no more. */
static bool is_half(const merger *m, const code_insn *i)
{
    code_ref r = i->mem.list->ref[0];
    if (i->mem.access.reg_bytes != HALF_BYTES || i->op == OP_st) return i->mem.access.reg_bytes == HALF_BYTES;
    return !code_is_virtual(r) || !(m->needs[code_vreg_of(r)] & PLAN_EXTENDED);
}

static void add_access(merger *m, uint32_t u)
{
    const code_insn *i = &m->d->insns.items[u];
    uint32_t bytes = bytes_of(i);
    place from = place_of(m, i);
    uint32_t zeros = zeros_of_base(m, i, from.base);
    if (i->mem.access.ordered) {
        close_all(m);
        return;
    }
    close_others(m, i);
    if (is_half_loaded(m, i)) {
        m->d->insns.items[u].mem.access.joined_words = 1;
        m->d->insns.items[u].mem.access.joined_at = halves_needed(m, i) == PLAN_HIGH_HALF ? WORD_BYTES : 0;
        return;
    }
    int64_t at = from.offset & ~INT64_C(15), within = from.offset & 15;
    bool halves = i->mem.space != PTX_LOCAL && bytes == HALF_BYTES && is_half(m, i);
    uint8_t unit = halves ? HALF_BYTES : WORD_BYTES;
    bool fits = zeros >= (halves ? 2 : 3) && bytes >= unit && within % unit == 0 && within + bytes <= PIECE_BYTES;
    if (!fits && loses_words(m, u)) { /* a vector access is aligned, whatever is known of its base */
        at = from.offset;
        within = 0;
        zeros = bytes == PIECE_BYTES ? 4 : 3;
    } else if (!fits) return;
    member a = {u, halves ? (uint8_t)(1u << within / HALF_BYTES) : (uint8_t)(live_words(m, u) << within / WORD_BYTES),
                from.offset};
    for (size_t k = 0; k < m->open.count; k++) {
        piece *p = &m->open.items[k];
        bool same = p->base == from.base && p->guard == i->guard && p->at == at && p->space == i->mem.space;
        bool like = p->unit == unit && p->load == (i->op == OP_ld) && p->doubles == (i->mem.bytes == 8);
        if (!same || !like) continue;
        lw_vec_push(&p->members, a);
        return;
    }
    piece fresh = {.base = from.base, .guard = i->guard, .at = at, .space = i->mem.space, .unit = unit};
    fresh.zeros = (uint8_t)zeros;
    fresh.load = i->op == OP_ld;
    fresh.doubles = i->mem.bytes == 8;
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

bool plan_ends_search(const code_insn *i)
{
    switch (i->op) {
    case OP_block:
    case OP_bra:
    case OP_brx:
    case OP_call:
    case OP_builtin:
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
    /* these end the basic block, too (tests/programs/softmax_layernorm.cu: layernorm) */
    default: return plan_has_slow_path(i->op);
    }
}

/* Instructions that the assembler may execute under a predicate instead of branching around them. */
#define SHORT_BLOCK 16

/* Whatever the assembler makes of branches. */
static bool ends_any_block(const code_insn *i) { return i->op != OP_block && i->op != OP_bra && plan_ends_search(i); }

/* A branch around a short block that has no branch of its own. */
static bool skips_short_block(const decoder *d, uint32_t u)
{
    const code_insn *i = &d->insns.items[u];
    if (i->guard == CODE_NO_REF || !i->branch.to) return false;
    int64_t end = i->branch.to->target - d->out->insns;
    if (end <= u || end > u + 1 + SHORT_BLOCK) return false;
    for (uint32_t v = u + 1; v < end; v++)
        if (d->insns.items[v].op == OP_bra || ends_any_block(&d->insns.items[v])) return false;
    return true;
}

/* A branch forward, to where the later load still lies ahead. */
static bool stays_between(const decoder *d, uint32_t u, uint32_t to)
{
    const code_insn *i = &d->insns.items[u];
    if (!i->branch.to) return false;
    int64_t target = i->branch.to->target - d->out->insns;
    return target > u && target <= to;
}

static bool is_entered_from_behind(const decoder *d, uint32_t from, uint32_t to)
{
    for (uint32_t u = to + 1; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        int64_t target = i->op == OP_bra && i->branch.to ? i->branch.to->target - d->out->insns : 0;
        if (target > from && target <= to) return true;
    }
    return false;
}

/* Does each way from one load lead to the other, and does no access to shared memory stop the assembler from joining
 * them? */
static bool may_become_one(const decoder *d, uint32_t from, uint32_t to)
{
    for (uint32_t u = from + 1; u < to; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_bra ? !skips_short_block(d, u) && !stays_between(d, u, to) : ends_any_block(i)) return false;
        if (i->op == OP_st && i->mem.space == PTX_SHARED) return false;
    }
    return !is_entered_from_behind(d, from, to);
}

static int64_t first_byte(const code_insn *i)
{
    return i->mem.offset + (i->mem.access.joined_words ? i->mem.access.joined_at : 0);
}

/* Other words of the same aligned 16 bytes? */
static bool are_neighbours(const code_insn *i, const code_insn *other)
{
    int64_t difference = first_byte(i) ^ first_byte(other);
    return i->a == other->a && difference >= 4 && difference < PIECE_BYTES;
}

/* ---- words that are loaded in another basic block ---- */

/* Where a load begins, as it is joined by now. */
static place first_place(const merger *m, const code_insn *i)
{
    place p = place_of(m, i);
    if (i->mem.access.joined_words) p.offset += i->mem.access.joined_at;
    return p;
}

/* The words of its 16 bytes that it moves then. */
static uint32_t words_of(const merger *m, const code_insn *i)
{
    uint32_t bytes = i->mem.access.joined_words ? i->mem.access.joined_words * WORD_BYTES : bytes_of(i);
    uint64_t within = (uint64_t)first_place(m, i).offset & 15;
    if (bytes_of(i) < WORD_BYTES || within % WORD_BYTES || within + bytes > PIECE_BYTES)
        return 0; /* halves: at most 8 */
    return ((1u << bytes / WORD_BYTES) - 1) << within / WORD_BYTES;
}

/* A walk from a load on all ways to a later one, which all lead through the first. */
typedef struct between {
    const merger *m;
    uint32_t first, later; /* micro-operations */
    uint8_t *seen;         /* by block: FOUND, STOPS, LEADS */
    code_edges edges;      /* between blocks, of ways that may lead to the later one */
    LW_VEC(uint32_t) todo; /* micro-operations that begin blocks */
    uint32_t steps;
} between;

enum {
    FOUND = 1,
    STOPS = 2,
    LEADS = 4
}; /* something in the block keeps the load where it is; leads to the later load */

/* May the assembler load what lies in this space across it? It does across stores and atomics of other memory. */
static bool passes_load(const code_insn *i, uint8_t space)
{
    bool known = i->mem.space == PTX_GLOBAL || i->mem.space == PTX_SHARED || i->mem.space == PTX_LOCAL;
    if (i->op == OP_st || i->op == OP_atom) return known && i->mem.space != space;
    return i->op == OP_block || i->op == OP_bra || i->op == OP_ret || i->op == OP_exit || !ends_any_block(i);
}

static uint32_t target_block(const between *w, const code_insn *bra)
{
    return w->m->d->insns.items[bra->branch.to->target - w->m->d->out->insns].block.index;
}

static void walk_to(between *w, uint32_t from, uint32_t u)
{
    lw_vec_push(&w->edges, ((code_edge){from, w->m->d->insns.items[u].block.index}));
    lw_vec_push(&w->todo, u);
}

/* Goes on from u to the end of its basic block. */
static void walk_block(between *w, uint32_t u, uint32_t block)
{
    const decoder *d = w->m->d;
    const plan_alignment *a = w->m->alignment;
    for (; u < d->insns.count && u != w->later; u++) {
        const code_insn *i = &d->insns.items[u];
        w->steps++;
        if (!passes_load(i, d->insns.items[w->first].mem.space)) w->seen[block] |= STOPS;
        if (i->op == OP_block) walk_to(w, block, u);
        if (i->op == OP_bra) {
            uint32_t to = target_block(w, i);
            bool around = plan_dominates(a, to, block);
            if (!around) walk_to(w, block, (uint32_t)(i->branch.to->target - d->out->insns));
            else if (!plan_dominates(a, to, block_of(w->m, &d->insns.items[w->first]))) w->seen[block] |= STOPS;
        }
        bool ends = i->op == OP_bra || i->op == OP_ret || i->op == OP_exit;
        if (i->op == OP_block || (ends && i->guard == CODE_NO_REF)) return;
    }
}

/* Does a block that leads to the later load keep it where it is? */
static bool is_stopped(between *w, uint32_t to)
{
    bool more = true;
    w->seen[to] |= LEADS;
    while (more) {
        more = false;
        for (size_t k = 0; k < w->edges.count; k++) {
            uint8_t *from = &w->seen[w->edges.items[k].from];
            if ((*from & LEADS) || !(w->seen[w->edges.items[k].to] & LEADS)) continue;
            *from |= LEADS;
            more = true;
        }
    }
    for (uint32_t b = 0; b <= w->m->d->kernel->block_count; b++)
        if ((w->seen[b] & (STOPS | LEADS)) == (STOPS | LEADS)) return true;
    return false;
}

/* Is the later load in a loop that the first is not in? */
static bool goes_around(const between *w)
{
    const decoder *d = w->m->d;
    uint32_t home = block_of(w->m, &d->insns.items[w->first]), to = block_of(w->m, &d->insns.items[w->later]);
    uint32_t block = 0;
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_block) block = i->block.index;
        if (i->op != OP_bra || !i->branch.to->backward) continue;
        uint32_t head = target_block(w, i);
        if (plan_dominates(w->m->alignment, head, block) && plan_dominates(w->m->alignment, head, to) &&
            !plan_dominates(w->m->alignment, head, home))
            return true;
    }
    return false;
}

/* Does the assembler load at the first what the later one loads? It does across branches, but not across loops. */
static bool is_loaded_before(const merger *m, uint32_t first, uint32_t later)
{
    enum { LONGEST = 4096 };
    const decoder *d = m->d;
    uint32_t home = block_of(m, &d->insns.items[first]), to = block_of(m, &d->insns.items[later]);
    if (!plan_dominates(m->alignment, home, to)) return false;
    between w = {.m = m, .first = first, .later = later, .seen = lw_alloc(d->kernel->block_count + 1)};
    bool ok = !goes_around(&w);
    w.seen[home] = FOUND;
    if (ok) walk_block(&w, first + 1, home);
    while (ok && w.todo.count && w.steps < LONGEST) {
        uint32_t u = w.todo.items[--w.todo.count], block = d->insns.items[u].block.index;
        if (w.seen[block] & FOUND) continue;
        w.seen[block] |= FOUND;
        walk_block(&w, u + 1, block);
    }
    ok = ok && w.steps < LONGEST && !is_stopped(&w, to);
    free(w.seen);
    lw_vec_free(&w.todo);
    lw_vec_free(&w.edges);
    return ok;
}

static bool is_free_load(const merger *m, const code_insn *i)
{
    bool own = is_plain_access(i) && (i->mem.space == PTX_SHARED || i->mem.space == PTX_LOCAL);
    bool known = !code_is_virtual(i->a) || plan_definition(m->alignment, i->a);
    return i->op == OP_ld && own && !i->mem.access.ordered && i->guard == CODE_NO_REF && known &&
           !i->mem.access.apart && words_of(m, i);
}

static uint32_t needed_words(const merger *m, uint32_t u)
{
    return m->needed[u] ? m->needed[u] : words_of(m, &m->d->insns.items[u]);
}

/* Loads the words of the later load with those of the earlier one, if one instruction can. */
static bool load_with(merger *m, uint32_t first, uint32_t later)
{
    code_insn *a = &m->d->insns.items[first], *b = &m->d->insns.items[later];
    place at = first_place(m, a), other = first_place(m, b);
    if (at.base != other.base || a->mem.space != b->mem.space || ((at.offset ^ other.offset) & ~INT64_C(15)))
        return false;
    uint32_t words = needed_words(m, first) | needed_words(m, later);
    bool again = needed_words(m, first) & needed_words(m, later);
    uint32_t zeros = zeros_of_base(m, a, at.base);
    bool all = zeros >= 4 && lw_popcount(words) >= 3, pair = zeros >= 3 && (words == 3 || words == 12);
    bool like = (a->mem.bytes == 8) == (b->mem.bytes == 8);
    if (!like || again || (!all && !pair) || !is_loaded_before(m, first, later)) return false;
    int64_t joined = (at.offset & ~INT64_C(15)) + (words == 12 ? PIECE_BYTES / 2 : 0);
    a->mem.access.joined_words = all ? 4 : 2;
    a->mem.access.joined_at = (int32_t)(joined - place_of(m, a).offset);
    m->needed[first] = (uint8_t)words;
    b->event_op = CODE_NO_EVENT;
    m->d->builder->sites.items[b->site].is_memory = false;
    return true;
}

/* The assembler loads at once what lies beside a word that was loaded in a block before. */
static void join_elsewhere(merger *m)
{
    LW_VEC(uint32_t) loads = {0};
    for (uint32_t u = 0; u < m->d->insns.count; u++) {
        if (!is_free_load(m, &m->d->insns.items[u])) continue;
        bool joined = false;
        for (size_t k = loads.count; k-- > 0 && loads.count - k < 64 && !joined;)
            joined = load_with(m, loads.items[k], u);
        if (!joined) lw_vec_push(&loads, u);
    }
    lw_vec_free(&loads);
}

/* Loads of neighbouring words, or of pairs of them, in different blocks: blocks may become one, or the later load is
 * done with the first. */
static void mark_elsewhere(decoder *d, const plan_value *values)
{
    LW_VEC(uint32_t) alone = {0};
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        bool plain = is_shared_access(i) && i->event_op != CODE_NO_EVENT && !i->mem.access.ordered;
        if (i->op != OP_ld || !plain) continue;
        uint32_t bytes = i->mem.access.joined_words ? i->mem.access.joined_words * WORD_BYTES : bytes_of(i);
        if ((bytes > PIECE_BYTES / 2 && !i->mem.access.joined_words) ||
            (i->a != CODE_NO_REF && plan_value_of(d, values, i->a).zeros < 3))
            continue;
        for (size_t k = alone.count; k-- > 0 && alone.count - k < 64;) {
            const code_insn *other = &d->insns.items[alone.items[k]];
            if (!are_neighbours(i, other)) continue;
            if (d->builder->sites.items[other->site].block == d->builder->sites.items[i->site].block) continue;
            if (!may_become_one(d, alone.items[k], u)) continue;
            plan_mark(d, other->site, PLAN_SHARED_ELSEWHERE);
            plan_mark(d, i->site, PLAN_SHARED_ELSEWHERE);
        }
        lw_vec_push(&alone, u);
    }
    lw_vec_free(&alone);
}

/* The last three words of a piece whose first is loaded in another block: if what lies between them moves, it takes
 * part (tests/programs/dct8x8.cu: DCT). */
static void mark_first_elsewhere(decoder *d)
{
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (!is_shared_access(i) || i->op != OP_ld || i->mem.access.joined_at >= 0) continue;
        for (uint32_t v = 0; v < d->insns.count; v++) {
            const code_insn *first = &d->insns.items[v];
            bool is_first = is_shared_access(first) && first->op == OP_ld && first->a == i->a &&
                            first->mem.offset == i->mem.offset + i->mem.access.joined_at;
            if (!is_first) continue;
            plan_mark(d, first->site, PLAN_SHARED_ELSEWHERE);
            plan_mark(d, i->site, PLAN_SHARED_ELSEWHERE);
        }
    }
}

void plan_merge(decoder *d, const plan_value *values, const uint32_t *reads, plan_alignment *alignment)
{
    merger m = {.d = d, .values = values, .reads = reads, .needs = plan_needs(d), .alignment = alignment};
    m.needed = lw_alloc(d->insns.count + 1);
    for (uint32_t u = 0; u < d->insns.count; u++)
        m.has_halves |= is_plain_access(&d->insns.items[u]) && bytes_of(&d->insns.items[u]) == HALF_BYTES;
    for (uint32_t u = 0; u < d->insns.count; u++) prove(&m, u);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_atom && i->mem.space != PTX_GENERIC) close_shared(&m);
        else if (plan_ends_search(i)) close_all(&m);
        if (plan_splits_block(d, i)) close_stores(&m);
        if (is_plain_access(i)) add_access(&m, u);
        code_each_written(i, &d->infos.items[u], close_written, &m);
    }
    close_all(&m);
    join_elsewhere(&m);
    lw_vec_free(&m.open);
    free(m.needs);
    free(m.needed);
    mark_elsewhere(d, values);
    mark_first_elsewhere(d);
}
