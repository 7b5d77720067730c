/* slots.c: register allocation: virtual registers -> offsets in the lane file of an activation, by liveness and linear
 * scan, so that a warp's registers stay in the host's first-level cache.
 *
 * Lanes are independent and every write is masked, so per-thread liveness is enough also under divergence. A slot is
 * not reused in the very micro-operation that last reads it: some read lanes of others after writing. */
#include "code/invariants.h"
#include "code/uops.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define SEVERAL (UINT32_MAX - 1) /* only_block: the register lives across blocks */

/* Slots come in classes by the bytes of a lane: 0 (predicates, a bit for each lane), 1, 2, 4, 8, 16. All but predicates
 * start at a line of the host's cache, as the executors' vector instructions expect. */
enum { PREDICATES, LINE, CLASS_COUNT = 6, PREDICATES_OF_LINE = 16 };
static const uint32_t class_bytes[CLASS_COUNT] = {4, 64, 64, 128, 256, 512};

static uint32_t class_of(uint32_t bytes) { return bytes ? 1 + (uint32_t)__builtin_ctz(bytes) : PREDICATES; }

/* Micro-operations in which a register is live: the first and the last. */
typedef struct interval {
    uint32_t start; /* NONE: the register does not occur */
    uint32_t end;
} interval;

/* Which registers live where. A register is *global* if it lives across blocks: only those have bits in the sets. */
typedef struct liveness {
    decoder *d;
    uint32_t block_count;
    uint32_t *block_first; /* by block: its first micro-operation; [block_count]: the end */
    uint32_t *block_of;    /* by micro-operation: its block, counted within the function */
    interval *range;       /* by register */
    uint32_t *only_block;  /* by register: the one block that it occurs in, or SEVERAL */
    uint32_t *index;       /* by register: its bit in the sets, or NONE */
    uint32_t *global;      /* by bit: its register */
    uint32_t global_count; /* bits in use */
    uint32_t words;        /* of a set */
    /* sets by block, `words` words each: live at its start and at its end, read before written, overwritten */
    uint64_t *in, *out, *use, *def;
} liveness;

/* The set of a block. */
static uint64_t *set_of(const liveness *l, uint64_t *sets, uint32_t block) { return sets + (size_t)block * l->words; }

typedef void (*visit_fn)(liveness *l, uint32_t u, uint32_t v, bool write, bool kills);

typedef struct register_walk {
    liveness *l;
    visit_fn visit;
    uint32_t u;        /* micro-operation */
    bool write, kills; /* kills: the old value is gone in every lane */
} register_walk;

static void visit_register(void *user, code_ref r, code_operand what)
{
    (void)what;
    const register_walk *w = user;
    w->visit(w->l, w->u, code_vreg_of(r), w->write, w->kills);
}

/* Calls visit for every register of a micro-operation, reads first. */
static void each_register(liveness *l, uint32_t u, visit_fn visit)
{
    const code_insn *i = &l->d->insns.items[u];
    const uop_info *n = &l->d->infos.items[u];
    register_walk w = {.l = l, .visit = visit, .u = u, .kills = i->guard == CODE_NO_REF};
    code_each_read(i, n, visit_register, &w);
    w.write = true;
    code_each_written(i, n, visit_register, &w);
}

/* A register that is read before it is written in its first block got its value in another one: it lives across
 * blocks. */
static void note_occurrence(liveness *l, uint32_t u, uint32_t v, bool write, bool kills)
{
    interval *r = &l->range[v];
    uint32_t b = l->block_of[u];
    if (r->start == NONE) {
        r->start = u;
        l->only_block[v] = write && kills ? b : SEVERAL; /* read before written */
    } else if (l->only_block[v] != b) {
        l->only_block[v] = SEVERAL;
    }
    r->end = u;
}

static void note_use_def(liveness *l, uint32_t u, uint32_t v, bool write, bool kills)
{
    uint32_t k = l->index[v];
    if (k == NONE) return;
    uint64_t *use = set_of(l, l->use, l->block_of[u]);
    uint64_t *def = set_of(l, l->def, l->block_of[u]);
    uint64_t bit = (uint64_t)1 << (k & 63);
    if (!write && !(def[k >> 6] & bit)) use[k >> 6] |= bit;
    if (write && kills) def[k >> 6] |= bit;
}

static void find_blocks(liveness *l)
{
    decoder *d = l->d;
    uint32_t n = (uint32_t)d->insns.count;
    l->block_of = lw_alloc(n * sizeof *l->block_of);
    for (uint32_t u = 0; u < n; u++) l->block_count += d->insns.items[u].op == OP_block;
    l->block_first = lw_alloc((l->block_count + 1) * sizeof *l->block_first);
    uint32_t b = NONE;
    for (uint32_t u = 0; u < n; u++) {
        if (d->insns.items[u].op == OP_block) l->block_first[++b] = u;
        l->block_of[u] = b;
    }
    l->block_first[l->block_count] = n;
}

/* Local block that starts at the block micro-operation a pointer into out->insns means. */
static uint32_t target_block(const liveness *l, const code_insn *target)
{
    return l->block_of[target - l->d->out->insns];
}

/* out of b also has what lives at the start of its successor s. true: it grew. */
static bool merge_out(liveness *l, uint32_t b, uint32_t s)
{
    bool changed = false;
    uint64_t *out = set_of(l, l->out, b);
    uint64_t *in = set_of(l, l->in, s);
    for (uint32_t w = 0; w < l->words; w++) {
        uint64_t x = out[w] | in[w];
        changed |= x != out[w];
        out[w] = x;
    }
    return changed;
}

/* in = use + (out - def). in only grows, so that the fixpoint ends. */
static void flow_through(liveness *l, uint32_t b)
{
    const uint64_t *out = set_of(l, l->out, b);
    const uint64_t *use = set_of(l, l->use, b);
    const uint64_t *def = set_of(l, l->def, b);
    uint64_t *in = set_of(l, l->in, b);
    for (uint32_t w = 0; w < l->words; w++) in[w] = use[w] | (out[w] & ~def[w]);
}

/* What lives where the branches at u lead lives at the end of b. *falls: may lanes go on behind it? */
static bool flow_branch(liveness *l, uint32_t b, const code_insn *i, bool *falls)
{
    bool changed = false;
    bool guarded = i->guard != CODE_NO_REF;
    switch (i->op) {
    case OP_bra: *falls = guarded; return merge_out(l, b, target_block(l, i->branch.to->target));
    case OP_brx:
        *falls = guarded;
        for (uint32_t k = 0; k < i->table.to->count; k++)
            changed |= merge_out(l, b, target_block(l, i->table.to->target[k]));
        return changed;
    case OP_ret:
    case OP_exit:
    case OP_trap:
        if (!guarded) *falls = false;
        return false;
    default: return false;
    }
}

static bool flow_block(liveness *l, uint32_t b)
{
    bool changed = false;
    bool falls = true;
    for (uint32_t u = l->block_first[b]; u < l->block_first[b + 1]; u++)
        changed |= flow_branch(l, b, &l->d->insns.items[u], &falls);
    if (falls && b + 1 < l->block_count) changed |= merge_out(l, b, b + 1);
    flow_through(l, b);
    return changed;
}

static void extend(interval *r, uint32_t u)
{
    r->start = LW_MIN(r->start, u);
    r->end = LW_MAX(r->end, u);
}

/* A global register lives from the first to the last micro-operation of a block if it lives at its start and its end. */
static void extend_over_block(liveness *l, uint32_t b)
{
    const uint64_t *in = set_of(l, l->in, b);
    const uint64_t *out = set_of(l, l->out, b);
    for (uint32_t w = 0; w < l->words; w++)
        for (uint64_t m = in[w] | out[w]; m; m &= m - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(m);
            interval *r = &l->range[l->global[w * 64 + bit]];
            if (in[w] >> bit & 1) extend(r, l->block_first[b]);
            if (out[w] >> bit & 1) extend(r, l->block_first[b + 1] - 1);
        }
}

/* Intervals by the text alone, and which registers are global. */
static void find_occurrences(liveness *l)
{
    uint32_t registers = (uint32_t)l->d->vregs.count;
    l->range = lw_alloc(registers * sizeof *l->range);
    l->only_block = lw_alloc(registers * sizeof *l->only_block);
    l->index = lw_alloc(registers * sizeof *l->index);
    l->global = lw_alloc((registers + 64) * sizeof *l->global);
    for (uint32_t v = 0; v < registers; v++) {
        l->range[v].start = NONE;
        l->index[v] = NONE;
    }
    for (uint32_t u = 0; u < l->d->insns.count; u++) each_register(l, u, note_occurrence);
    for (uint32_t v = 0; v < registers; v++) {
        if (l->range[v].start == NONE || l->only_block[v] != SEVERAL) continue;
        l->index[v] = l->global_count;
        l->global[l->global_count++] = v;
    }
}

/* Backward fixpoint over the blocks. */
static void solve(liveness *l)
{
    l->words = (l->global_count + 63) / 64;
    size_t bytes = (size_t)l->block_count * l->words * sizeof(uint64_t);
    l->in = lw_alloc(bytes);
    l->out = lw_alloc(bytes);
    l->use = lw_alloc(bytes);
    l->def = lw_alloc(bytes);
    for (uint32_t u = 0; u < l->d->insns.count; u++) each_register(l, u, note_use_def);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = l->block_count; b-- > 0;) changed |= flow_block(l, b);
    }
}

static void liveness_compute(liveness *l)
{
    find_blocks(l);
    find_occurrences(l);
    solve(l);
    for (uint32_t b = 0; b < l->block_count; b++) extend_over_block(l, b);
}

static void liveness_free(liveness *l)
{
    free(l->block_first);
    free(l->block_of);
    free(l->range);
    free(l->only_block);
    free(l->index);
    free(l->global);
    free(l->in);
    free(l->out);
    free(l->use);
    free(l->def);
}

/* ---------------------------------------------------------------- linear scan */
/* Registers in lists, one for each micro-operation: those whose interval begins, or ends, there. */
typedef struct buckets {
    uint32_t *first; /* by micro-operation: a register; NONE: no more */
    uint32_t *next;  /* by register: the next of its list */
} buckets;

typedef struct scan {
    const liveness *l;
    uint32_t *offset;                   /* by register: its slot in the lane file, bytes */
    LW_VEC(uint32_t) free[CLASS_COUNT]; /* slots that were in use before */
    buckets starts, ends;
    uint32_t bytes;      /* of the lane file so far */
    uint32_t live_bytes; /* of live registers, 4 at least each; predicates are not counted */
    uint32_t most_live;
} scan;

static buckets buckets_make(uint32_t insns, uint32_t registers)
{
    buckets b = {.first = lw_alloc(insns * sizeof *b.first), .next = lw_alloc(registers * sizeof *b.next)};
    memset(b.first, 0xff, insns * sizeof *b.first);
    return b;
}

static void buckets_add(buckets *b, uint32_t insn, uint32_t v)
{
    b->next[v] = b->first[insn];
    b->first[insn] = v;
}

static void buckets_free(buckets *b)
{
    free(b->first);
    free(b->next);
}

static uint32_t take_slot(scan *s, uint32_t class)
{
    if (s->free[class].count) return s->free[class].items[--s->free[class].count];
    uint32_t at = s->bytes;
    s->bytes += class_bytes[class == PREDICATES ? LINE : class];
    if (class == PREDICATES)
        for (uint32_t k = PREDICATES_OF_LINE; k-- > 1;) lw_vec_push(&s->free[PREDICATES], at + 4 * k);
    return at;
}

/* What a register counts as in the estimate of hardware registers. */
static uint32_t counted_bytes(uint32_t bytes) { return bytes ? LW_MAX(bytes, 4u) : 0; }

static void begin_register(scan *s, uint32_t v)
{
    uint32_t bytes = s->l->d->vregs.items[v].bytes;
    s->offset[v] = take_slot(s, class_of(bytes));
    s->live_bytes += counted_bytes(bytes);
    s->most_live = LW_MAX(s->most_live, s->live_bytes);
}

static void end_register(scan *s, uint32_t v)
{
    uint32_t bytes = s->l->d->vregs.items[v].bytes;
    lw_vec_push(&s->free[class_of(bytes)], s->offset[v]);
    s->live_bytes -= counted_bytes(bytes);
}

/* Slots of registers that end at a micro-operation are free from the next one on. */
static void scan_registers(scan *s)
{
    const liveness *l = s->l;
    uint32_t insns = (uint32_t)l->d->insns.count;
    for (uint32_t v = (uint32_t)l->d->vregs.count; v-- > 0;) {
        if (l->range[v].start == NONE) continue;
        buckets_add(&s->starts, l->range[v].start, v);
        buckets_add(&s->ends, l->range[v].end, v);
    }
    for (uint32_t u = 0; u < insns; u++) {
        for (uint32_t v = s->starts.first[u]; v != NONE; v = s->starts.next[v]) begin_register(s, v);
        for (uint32_t v = s->ends.first[u]; v != NONE; v = s->ends.next[v]) end_register(s, v);
    }
}

/* ---------------------------------------------------------------- virtual registers -> offsets */
static code_ref patched(const scan *s, code_ref r)
{
    if (r == CODE_NO_REF || !(r & VIRTUAL)) return r;
    return s->offset[code_vreg_of(r)] | (r & 3);
}

static void patch_copies(const scan *s, const code_copy *copies, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        code_copy *c = (code_copy *)&copies[k];
        c->ref = patched(s, c->ref);
    }
}

/* Components of a texel that nobody reads, which compilers name nevertheless, are not fetched, as if PTX said `_`: they live in the
 * fetch alone. */
static void drop_components(const scan *s, uint32_t u, code_list *list)
{
    for (uint32_t k = 0; k < list->results; k++) {
        code_ref r = list->ref[k];
        if (r == CODE_NO_REF || !(r & VIRTUAL)) continue;
        const interval *lives = &s->l->range[code_vreg_of(r)];
        if (lives->start == u && lives->end == u) list->ref[k] = CODE_NO_REF;
    }
}

static void patch_insn(const scan *s, uint32_t u)
{
    code_insn *i = &s->l->d->insns.items[u];
    const uop_info *n = &s->l->d->infos.items[u];
    if (i->op == OP_tex) drop_components(s, u, n->list);
    i->d = patched(s, i->d);
    i->a = patched(s, i->a);
    i->b = patched(s, i->b);
    i->c = patched(s, i->c);
    i->e = patched(s, i->e);
    i->guard = patched(s, i->guard);
    for (uint32_t k = 0; n->list && k < n->list->count; k++) n->list->ref[k] = patched(s, n->list->ref[k]);
    if (!n->call) return;
    patch_copies(s, n->call->arguments, n->call->argument_count);
    patch_copies(s, n->call->results, n->call->result_count);
}

/* Where LW_ASSERT is on: no two registers that live at the same time share a slot. */
static void check_slots(const scan *s)
{
    const liveness *l = s->l;
    LW_VEC(code_slot) slots = {0};
    for (uint32_t u = 0; u < l->d->insns.count; u++)
        for (uint32_t v = s->starts.first[u]; v != NONE; v = s->starts.next[v]) {
            uint32_t bytes = class_bytes[class_of(l->d->vregs.items[v].bytes)];
            lw_vec_push(&slots, ((code_slot){l->range[v].start, l->range[v].end, s->offset[v], bytes}));
        }
    uint32_t *free_from = lw_alloc((s->bytes / 4 + 1) * sizeof *free_from);
    code_check_slots(slots.items, (uint32_t)slots.count, s->bytes, free_from);
    free(free_from);
    lw_vec_free(&slots);
}

void code_assign_slots(decoder *d)
{
    uint32_t insns = (uint32_t)d->insns.count;
    uint32_t registers = (uint32_t)d->vregs.count;
    liveness l = {.d = d};
    liveness_compute(&l);
    scan s = {.l = &l,
              .offset = lw_alloc(registers * sizeof(uint32_t)),
              .starts = buckets_make(insns, registers),
              .ends = buckets_make(insns, registers)};
    scan_registers(&s);
    if (CODE_CHECKS) check_slots(&s);
    for (uint32_t u = 0; u < insns; u++) patch_insn(&s, u);
    d->out->register_bytes = (uint32_t)lw_round_up(LW_MAX(s.bytes, 64u), 64);
    d->out->live_registers = s.most_live / 4;
    for (uint32_t c = 0; c < CLASS_COUNT; c++) lw_vec_free(&s.free[c]);
    buckets_free(&s.starts);
    buckets_free(&s.ends);
    free(s.offset);
    liveness_free(&l);
}
