/* slots.c: register allocation: virtual registers -> offsets in the lane file of an activation, by liveness and linear
 * scan, so that a warp's registers stay in the host's first-level cache.
 *
 * Lanes are independent and every write is masked, so per-thread liveness is enough also under divergence. A slot is
 * not reused in the very micro-operation that last reads it: some read lanes of others after writing. */
#include "code/uops.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
enum { CLASS_COUNT = 6 };
static const uint32_t class_bytes[CLASS_COUNT] = {4, 64, 64, 128, 256, 512};

static uint32_t class_of(uint32_t bytes)
{
    return bytes == 0 ? 0 : bytes == 1 ? 1 : bytes == 2 ? 2 : bytes == 4 ? 3 : bytes == 8 ? 4 : 5;
}

typedef struct interval {
    uint32_t start, end;
} interval;

typedef struct liveness {
    decoder *d;
    uint32_t block_count;
    uint32_t *block_first; /* first micro-operation of local block b; [count] = end */
    uint32_t *block_of;    /* local block of a micro-operation */
    interval *range;
    uint32_t *only_block; /* block a register occurs in; NONE - 1 if several */
    uint32_t *index;      /* dense index of registers that live across blocks, NONE otherwise */
    uint32_t *global;     /* dense index -> register */
    uint32_t global_count, words;
    uint64_t *in, *out, *use, *def;
} liveness;

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

static void note_occurrence(liveness *l, uint32_t u, uint32_t v, bool write, bool kills)
{
    interval *r = &l->range[v];
    uint32_t b = l->block_of[u];
    if (r->start == NONE) {
        r->start = u;
        l->only_block[v] = write && kills ? b : NONE - 1; /* read before written: lives across blocks */
    } else if (l->only_block[v] != b) {
        l->only_block[v] = NONE - 1;
    }
    r->end = u;
}

static void note_use_def(liveness *l, uint32_t u, uint32_t v, bool write, bool kills)
{
    uint32_t k = l->index[v];
    if (k == NONE) return;
    uint64_t *use = l->use + (size_t)l->block_of[u] * l->words, *def = l->def + (size_t)l->block_of[u] * l->words;
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

static bool merge_out(liveness *l, uint32_t b, uint32_t s)
{
    bool changed = false;
    uint64_t *out = l->out + (size_t)b * l->words, *in = l->in + (size_t)s * l->words;
    for (uint32_t w = 0; w < l->words; w++) {
        uint64_t x = out[w] | in[w];
        changed |= x != out[w];
        out[w] = x;
    }
    return changed;
}

static bool flow_block(liveness *l, uint32_t b)
{
    bool changed = false, falls = true;
    for (uint32_t u = l->block_first[b]; u < l->block_first[b + 1]; u++) {
        const code_insn *i = &l->d->insns.items[u];
        if (i->op == OP_bra) {
            changed |= merge_out(l, b, target_block(l, i->branch.to->target));
            falls = i->guard != CODE_NO_REF;
        } else if (i->op == OP_brx) {
            const code_table *t = i->table.to;
            for (uint32_t k = 0; k < t->count; k++) changed |= merge_out(l, b, target_block(l, t->target[k]));
            falls = i->guard != CODE_NO_REF;
        } else if ((i->op == OP_ret || i->op == OP_exit || i->op == OP_trap) && i->guard == CODE_NO_REF) {
            falls = false;
        }
    }
    if (falls && b + 1 < l->block_count) changed |= merge_out(l, b, b + 1);
    uint64_t *in = l->in + (size_t)b * l->words, *out = l->out + (size_t)b * l->words;
    uint64_t *use = l->use + (size_t)b * l->words, *def = l->def + (size_t)b * l->words;
    for (uint32_t w = 0; w < l->words; w++) in[w] = use[w] | (out[w] & ~def[w]);
    return changed;
}

static void extend_over_blocks(liveness *l)
{
    for (uint32_t b = 0; b < l->block_count; b++)
        for (uint32_t w = 0; w < l->words; w++) {
            uint64_t in = l->in[(size_t)b * l->words + w], out = l->out[(size_t)b * l->words + w];
            for (uint64_t m = in | out; m; m &= m - 1) {
                uint32_t bit = (uint32_t)__builtin_ctzll(m);
                interval *r = &l->range[l->global[w * 64 + bit]];
                uint32_t first = l->block_first[b], last = l->block_first[b + 1] - 1;
                if (in >> bit & 1) r->start = LW_MIN(r->start, first), r->end = LW_MAX(r->end, first);
                if (out >> bit & 1) r->end = LW_MAX(r->end, last), r->start = LW_MIN(r->start, last);
            }
        }
}

static void compute_ranges(liveness *l)
{
    uint32_t vregs = (uint32_t)l->d->vregs.count, n = (uint32_t)l->d->insns.count;
    l->range = lw_alloc(vregs * sizeof *l->range);
    l->only_block = lw_alloc(vregs * sizeof *l->only_block);
    l->index = lw_alloc(vregs * sizeof *l->index);
    l->global = lw_alloc((vregs + 64) * sizeof *l->global);
    for (uint32_t v = 0; v < vregs; v++) l->range[v].start = NONE, l->index[v] = NONE;
    for (uint32_t u = 0; u < n; u++) each_register(l, u, note_occurrence);
    for (uint32_t v = 0; v < vregs; v++)
        if (l->range[v].start != NONE && l->only_block[v] == NONE - 1) {
            l->index[v] = l->global_count;
            l->global[l->global_count++] = v;
        }
    l->words = (l->global_count + 63) / 64;
    size_t bits = (size_t)l->block_count * l->words * sizeof(uint64_t);
    l->in = lw_alloc(bits), l->out = lw_alloc(bits), l->use = lw_alloc(bits), l->def = lw_alloc(bits);
    for (uint32_t u = 0; u < n; u++) each_register(l, u, note_use_def);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = l->block_count; b-- > 0;) changed |= flow_block(l, b);
    }
    extend_over_blocks(l);
}

/* ---------------------------------------------------------------- linear scan */
typedef struct scan {
    uint32_t *offset; /* of each register */
    LW_VEC(uint32_t) free[CLASS_COUNT];
    uint32_t *starts, *ends; /* bucket heads by micro-operation */
    uint32_t *next_start, *next_end;
    uint32_t bytes, live_bytes, most_live;
} scan;

static uint32_t take_slot(scan *s, uint32_t class)
{
    if (s->free[class].count) return s->free[class].items[--s->free[class].count];
    if (class == 0) { /* predicates: sixteen to a line */
        uint32_t line = s->bytes;
        s->bytes += 64;
        for (uint32_t k = 16; k-- > 1;) lw_vec_push(&s->free[0], line + 4 * k);
        return line;
    }
    uint32_t at = s->bytes;
    s->bytes += class_bytes[class];
    return at;
}

static code_ref patched(const scan *s, code_ref r)
{
    if (r == CODE_NO_REF || !(r & VIRTUAL)) return r;
    return s->offset[(r & ~VIRTUAL) >> 2] | (r & 3);
}

static void patch_all(decoder *d, const scan *s)
{
    for (uint32_t u = 0; u < d->insns.count; u++) {
        code_insn *i = &d->insns.items[u];
        uop_info *n = &d->infos.items[u];
        i->d = patched(s, i->d), i->a = patched(s, i->a), i->b = patched(s, i->b), i->c = patched(s, i->c);
        i->e = patched(s, i->e), i->guard = patched(s, i->guard);
        for (uint32_t k = 0; n->list && k < n->list->count; k++) n->list->ref[k] = patched(s, n->list->ref[k]);
        if (n->call) {
            for (uint32_t k = 0; k < n->call->argument_count; k++) {
                code_copy *c = (code_copy *)&n->call->arguments[k];
                c->ref = patched(s, c->ref);
            }
            for (uint32_t k = 0; k < n->call->result_count; k++) {
                code_copy *c = (code_copy *)&n->call->results[k];
                c->ref = patched(s, c->ref);
            }
        }
    }
}

void code_assign_slots(decoder *d)
{
    liveness l = {.d = d};
    find_blocks(&l);
    compute_ranges(&l);
    uint32_t vregs = (uint32_t)d->vregs.count, n = (uint32_t)d->insns.count;
    scan s = {0};
    s.offset = lw_alloc(vregs * sizeof(uint32_t));
    s.starts = lw_alloc(n * sizeof(uint32_t)), s.ends = lw_alloc(n * sizeof(uint32_t));
    s.next_start = lw_alloc(vregs * sizeof(uint32_t)), s.next_end = lw_alloc(vregs * sizeof(uint32_t));
    memset(s.starts, 0xff, n * sizeof(uint32_t)), memset(s.ends, 0xff, n * sizeof(uint32_t));
    for (uint32_t v = vregs; v-- > 0;) {
        if (l.range[v].start == NONE) continue;
        s.next_start[v] = s.starts[l.range[v].start], s.starts[l.range[v].start] = v;
        s.next_end[v] = s.ends[l.range[v].end], s.ends[l.range[v].end] = v;
    }
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = s.starts[u]; v != NONE; v = s.next_start[v]) {
            s.offset[v] = take_slot(&s, class_of(d->vregs.items[v].bytes));
            s.live_bytes += LW_MAX(d->vregs.items[v].bytes, d->vregs.items[v].bytes ? 4 : 0);
            s.most_live = LW_MAX(s.most_live, s.live_bytes);
        }
        for (uint32_t v = s.ends[u]; v != NONE; v = s.next_end[v]) {
            lw_vec_push(&s.free[class_of(d->vregs.items[v].bytes)], s.offset[v]);
            s.live_bytes -= LW_MAX(d->vregs.items[v].bytes, d->vregs.items[v].bytes ? 4 : 0);
        }
    }
    patch_all(d, &s);
    d->out->register_bytes = (uint32_t)lw_round_up(LW_MAX(s.bytes, 64u), 64);
    d->out->live_registers = s.most_live / 4;
    free(s.offset), free(s.starts), free(s.ends), free(s.next_start), free(s.next_end);
    for (uint32_t c = 0; c < CLASS_COUNT; c++) lw_vec_free(&s.free[c]);
    free(l.block_first), free(l.block_of), free(l.range), free(l.only_block), free(l.index), free(l.global);
    free(l.in), free(l.out), free(l.use), free(l.def);
}
