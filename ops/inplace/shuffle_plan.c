/*
 * Plans of permutations in place with bounded scratch. A permutation of dimensions is a sequence of steps: each takes
 * the dimension that is to come next past those before it, which is a batch of m x n transpositions of blocks of bytes.
 * Whatever is left of the tensor inside the untouched outer dimensions and fits into the scratch is instead permuted
 * into it and copied back, many at a time. A step that does not fit goes through the passes of shuffle.cu: columns in
 * strips as wide as the scratch allows, rows in shared memory. The shorter side takes the role of the rows, by the
 * inverse passes if need be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime_api.h>
#include "common/internal.h"
#include "common/plans.h"

#define SCRATCH_BASE ((int64_t)32 << 20)
#define SCRATCH_LINES 16      /* lines of the longer side that may lie in the scratch beside that */
#define TURN_BYTES (32 << 10) /* rows of a block up to here; one longer row still goes into shared memory */
#define SIDE_MAX ((int64_t)1 << 30)
#define TILE_SHARED (68 << 10) /* of a tile in shared memory: three on a multiprocessor of compute capability 9.0 */
#define CHUNK_BYTES 1024       /* of a line of a panel, if the sides allow it */
#define CHUNK_LEAST 256
#define CHUNKS_SAVED 12 /* one chunk in so many is saved */
#define STEPS_MOST (3 * LW_OPS_MAX_RANK)

static int64_t bigger(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* ---- a step that fits into the scratch ---- */

/* Permutes `group` sub-tensors of the given extents at once. */
static lw_ops_status group_plan(const lw_ops *ops, int64_t group, int rank, const int64_t *extent, const int *perm,
                                int elem, int align, lw_plan **plan, lw_ops_error *err)
{
    int64_t in[LW_OPS_MAX_RANK], out[LW_OPS_MAX_RANK];
    int order[LW_OPS_MAX_RANK], n = 0;
    in[n] = out[n] = group;
    order[n] = n;
    for (n = 1; n <= rank; n++) {
        in[n] = extent[n - 1];
        out[n] = extent[perm[n - 1]];
        order[n] = perm[n - 1] + 1;
    }
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem, n, in), dst = lw_tensor_dense(NULL, LW_BYTES, elem, n, out);
    src.align = dst.align = align;
    return lw_permute_plan(ops, &dst, &src, order, plan, err);
}

static lw_ops_status fit_step(const lw_ops *ops, lw_inplace_step *s, int64_t batch, int rank, const int64_t *extent,
                              const int *perm, int elem, int align, int64_t cap, lw_ops_error *err)
{
    int64_t one = elem;
    for (int i = 0; i < rank; i++) one *= extent[i];
    s->kind = LW_STEP_FIT;
    s->one = one;
    s->batch = batch;
    s->group = smaller(batch, cap / one);
    s->scratch = s->group * one;
    lw_ops_status st = group_plan(ops, s->group, rank, extent, perm, elem, align, &s->whole, err);
    if (st == LW_OPS_OK && batch % s->group) {
        st = group_plan(ops, batch % s->group, rank, extent, perm, elem, align, &s->rest, err);
    }
    return st;
}

/* ---- a step through passes ---- */

static lw_ops_status pass_step(const lw_ops *ops, lw_inplace_step *s, int64_t batch, int64_t m, int64_t n,
                               int64_t block, int align, int64_t cap, lw_ops_error *err)
{
    int unit = lw_low_bit((uint64_t)(block | align), 16);
    int64_t k = block / unit, row = n * block;
    s->kind = LW_STEP_PASSES;
    s->batch = batch;
    s->one = m * n * block;
    s->backwards = n > m;
    if (s->backwards) { /* the array is seen as n rows of m */
        int64_t x = m;
        m = n;
        n = x;
        row = n * block;
    }
    int64_t c = gcd(m, n), units = n * k;
    if (m > SIDE_MAX || units > SIDE_MAX) return lw_fail(err, LW_OPS_UNSUPPORTED, "a side of more than 2^30 units");
    s->unit = unit;
    s->rotate = c > 1;
    s->row = row;
    lw_shuffle_params *p = &s->p;
    p->m = lw_fdiv_make((uint32_t)m);
    p->n = lw_fdiv_make((uint32_t)n);
    p->a = lw_fdiv_make((uint32_t)(m / c));
    p->b = lw_fdiv_make((uint32_t)(n / c));
    p->k = lw_fdiv_make((uint32_t)k);
    p->m_mod_n = (uint32_t)(m % n);
    p->units = (uint32_t)units;
    p->row_units = lw_fdiv_make((uint32_t)units);
    s->strip = smaller(cap / (m * unit), units);
    if (s->strip >= 256) s->strip &= ~(int64_t)127;
    else if (s->strip >= 32) s->strip &= ~(int64_t)31;
    s->scratch = s->strip * unit * m;
    if (row <= ops->shared_optin - 1024) {
        s->rows_each = bigger(1, TURN_BYTES / row);
        s->turn_shared = (uint32_t)(s->rows_each * row);
    } else { /* rows of one batch in the scratch */
        s->rows_each = smaller(m, cap / row);
        s->scratch = bigger(s->scratch, s->rows_each * row);
    }
    if (s->strip < 1 || s->rows_each < 1) {
        return lw_fail(err, LW_OPS_WORKSPACE, "this shape needs a scratch of %lld bytes at least",
                       (long long)bigger(m * unit, s->turn_shared ? 0 : row));
    }
    return LW_OPS_OK;
}

/* ---- steps through tiles and chunks ---- */

/* Elements from one line of a tile in shared memory to the next: an odd number of words. */
static int64_t tile_pitch(int64_t rows, int64_t elem)
{
    if (elem >= 4) return rows | 1;
    int64_t words = (rows * elem + 3) / 4;
    return (words | 1) * 4 / elem;
}

/* The longest divisor of a side that makes chunks of CHUNK_LEAST to `most` bytes, whole vectors; lines of tiles with
 * so many lines of that length must fit into shared memory. 0: there is none. */
static int64_t chunk_of(int64_t side, int64_t elem, int64_t most, int64_t lines, int64_t shared)
{
    for (int64_t c = smaller(most / elem, side); c * elem >= CHUNK_LEAST; c--) {
        if (side % c == 0 && c * elem % 16 == 0 && tile_pitch(c, elem) * lines * elem <= shared) return c;
    }
    return 0;
}

/* batch times rows x cols elements become cols x rows, or back. */
static void tiles_step(lw_inplace_step *s, int64_t batch, int64_t rows, int64_t cols, int64_t elem, bool back)
{
    lw_panel_params *p = &s->panel;
    s->kind = LW_STEP_TILES;
    s->unit = (int)elem;
    s->turn_shared = (uint32_t)(tile_pitch(rows, elem) * cols * elem);
    s->tiles = (uint32_t)batch;
    p->panel_bytes = rows * cols * elem;
    p->rows = lw_fdiv_make((uint32_t)rows);
    p->cols = lw_fdiv_make((uint32_t)cols);
    p->pitch = (uint32_t)tile_pitch(rows, elem);
    p->back = back;
}

/* batch times m x n chunks become n x m. */
static bool chunks_step(lw_inplace_step *s, int64_t batch, int64_t m, int64_t n, int64_t chunk, int64_t cap)
{
    lw_panel_params *p = &s->panel;
    int64_t chunks = m * n, saved = smaller(bigger(chunks / CHUNKS_SAVED, 1), cap / chunk / batch);
    int64_t warps = saved + (chunks - saved + 31) / 32;
    if (chunks >= 0x7fffffff || saved < 1 || (double)batch * (double)warps >= 0x7fffffff) return false;
    s->kind = LW_STEP_CHUNKS;
    s->scratch = batch * saved * chunk;
    p->chunk = (uint32_t)chunk;
    p->chunks = (uint32_t)chunks;
    p->saved = (uint32_t)saved;
    p->one = chunks * chunk;
    p->warps = lw_fdiv_make((uint32_t)warps);
    p->batches = (uint32_t)batch;
    p->source = lw_fdiv_make((uint32_t)m); /* place j m + i has what stood at i n + j */
    p->others = (uint32_t)n;
    return true;
}

/* Number of steps, 0: not this way. m x n elements become n x m. */
static int tiled_steps(const lw_ops *ops, lw_inplace_step *s, int64_t batch, int64_t m, int64_t n, int64_t elem,
                       int64_t cap)
{
    bool back = n > m;
    int64_t few = smaller(m, n), many = bigger(m, n), shared = smaller(TILE_SHARED, ops->shared_optin - 1024);
    if (elem > 16 || (elem & (elem - 1)) || few < 2 || (double)batch * (double)m >= 0x7fffffff ||
        (double)batch * (double)n >= 0x7fffffff) {
        return 0;
    }
    int64_t p = chunk_of(many, elem, CHUNK_BYTES, few, shared);
    if (p && many > p) { /* few columns */
        int64_t panels = many / p;
        tiles_step(&s[back ? 1 : 0], batch * panels, p, few, elem, back);
        return chunks_step(&s[back ? 0 : 1], batch, back ? few : panels, back ? panels : few, p * elem, cap) ? 2 : 0;
    }
    int64_t side = elem; /* bytes of a square tile's side */
    while ((side + elem) * (side + elem) <= shared * elem) side += elem;
    p = chunk_of(m, elem, side, 0, shared);
    int64_t q = p ? chunk_of(n, elem, side, 0, shared) : 0;
    if (!q || tile_pitch(p, elem) * q * elem > shared || (double)batch * (m / p) * (n / q) >= 0x7fffffff) return 0;
    if (!chunks_step(&s[0], batch * (m / p), p, n / q, q * elem, cap)) return 0;
    tiles_step(&s[1], batch * (m / p) * (n / q), p, q, elem, false);
    return chunks_step(&s[2], batch, m / p, n, p * elem, cap) ? 3 : 0;
}

/* ---- creation ---- */

typedef struct order_state {
    int64_t extent[LW_OPS_MAX_RANK]; /* of the input's dimensions, merged */
    int perm[LW_OPS_MAX_RANK];
    int rank;
} order_state;

/* Drops extents of 1 and joins dimensions that stay neighbours. */
static void simplify(order_state *o)
{
    int64_t extent[LW_OPS_MAX_RANK];
    int perm[LW_OPS_MAX_RANK], name[LW_OPS_MAX_RANK], n = 0, left = 0;
    for (int i = 0; i < o->rank; i++) {
        name[i] = left;
        if (o->extent[i] != 1) extent[left++] = o->extent[i];
    }
    for (int i = 0; i < o->rank; i++) {
        if (o->extent[o->perm[i]] != 1) perm[n++] = name[o->perm[i]];
    }
    for (int i = 0; i + 1 < n;) {
        if (perm[i + 1] != perm[i] + 1) {
            i++;
            continue;
        }
        int gone = perm[i + 1];
        extent[gone - 1] *= extent[gone];
        for (int k = gone; k + 1 < n; k++) extent[k] = extent[k + 1];
        for (int k = i + 1; k + 1 < n; k++) perm[k] = perm[k + 1];
        n--;
        for (int k = 0; k < n; k++) perm[k] -= perm[k] >= gone;
    }
    memcpy(o->extent, extent, sizeof extent);
    memcpy(o->perm, perm, sizeof perm);
    o->rank = n;
}

/* Outer dimensions that stay where they are only repeat the rest. */
static void strip_outer(order_state *o, int64_t *batch)
{
    while (o->rank > 0 && o->perm[0] == 0) {
        *batch *= o->extent[0];
        o->rank--;
        for (int i = 0; i < o->rank; i++) {
            o->extent[i] = o->extent[i + 1];
            o->perm[i] = o->perm[i + 1] - 1;
        }
    }
}

/* The next steps: all that is left if it fits, else the dimension that comes first is brought to the front. */
static lw_ops_status add_step(const lw_ops *ops, lw_inplace_step *s, int *count, order_state *o, int64_t batch,
                              int elem, int align, int64_t scratch, lw_ops_error *err)
{
    int first = o->perm[0];
    int64_t m = 1, n = o->extent[first], block = elem;
    for (int i = 0; i < first; i++) m *= o->extent[i];
    for (int i = first + 1; i < o->rank; i++) block *= o->extent[i];
    *count = 1;
    int64_t cap = scratch ? scratch : SCRATCH_BASE + SCRATCH_LINES * bigger(m, n) * block;
    bool square = m == n && block <= LW_OPS_MAX_ELEM;
    if (m * n * block <= cap && !square) {
        lw_ops_status st = fit_step(ops, s, batch, o->rank, o->extent, o->perm, elem, align, cap, err);
        o->rank = 0;
        return st;
    }
    for (int i = first; i > 0; i--) o->extent[i] = o->extent[i - 1];
    o->extent[0] = n;
    for (int i = 0; i < o->rank; i++) o->perm[i] = o->perm[i] == first ? 0 : o->perm[i] + (o->perm[i] < first);
    if (square) {
        s->kind = LW_STEP_SQUARE;
        lw_ops_status st =
            lw_transpose_square_inplace_plan(ops, batch, n, (int)block, n * block, n * n * block, &s->whole, err);
        if (st != LW_OPS_UNSUPPORTED) return st; /* else too many blocks for one launch: by passes */
    }
    int steps = tiled_steps(ops, s, batch, m, n, block, cap);
    if (steps) {
        *count = steps;
        return LW_OPS_OK;
    }
    memset(s, 0, 3 * sizeof *s);
    return pass_step(ops, s, batch, m, n, block, align, cap, err);
}

static lw_ops_status check_order(order_state *o, int rank, const int64_t *extent, const int *perm, double *volume,
                                 lw_ops_error *err)
{
    unsigned seen = 0;
    memset(o, 0, sizeof *o);
    o->rank = rank;
    for (int i = 0; i < rank; i++) {
        o->extent[i] = extent[i];
        o->perm[i] = perm[i];
        *volume *= (double)extent[i];
        if (extent[i] < 0) return lw_fail(err, LW_OPS_BAD_SHAPE, "extent %d is negative", i);
        if (perm[i] < 0 || perm[i] >= rank || (seen >> perm[i] & 1)) {
            return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no permutation of 0..%d", rank - 1);
        }
        seen |= 1u << perm[i];
    }
    return LW_OPS_OK;
}

/* Kernels and copies of one run of a step. */
static int step_launches(const lw_inplace_step *s)
{
    if (s->kind == LW_STEP_SQUARE) return lw_plan_launches(s->whole);
    if (s->kind == LW_STEP_FIT) return (int)(2 * ((s->batch + s->group - 1) / s->group));
    if (s->kind == LW_STEP_TILES) return 1;
    if (s->kind == LW_STEP_CHUNKS) return 2;
    int64_t strips = (s->p.units + s->strip - 1) / s->strip, m = s->p.m.d;
    int64_t turns = s->turn_shared ? 1 : 2 * ((m + s->rows_each - 1) / s->rows_each);
    return (int)(s->batch * (2 * strips * (1 + s->rotate) + turns));
}

lw_ops_status lw_permute_inplace_plan(const lw_ops *ops, int rank, const int64_t *extent, const int *perm,
                                      int elem_bytes, int64_t scratch, lw_plan **plan, lw_ops_error *err)
{
    order_state o;
    double volume = 2.0 * elem_bytes;
    if (plan) *plan = NULL;
    if (!ops || !plan || scratch < 0 || (rank > 0 && (!extent || !perm))) {
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no handle, extents, permutation or place for the plan");
    }
    if (elem_bytes < 1 || elem_bytes > LW_OPS_MAX_ELEM) {
        return lw_fail(err, LW_OPS_BAD_TYPE, "elements of %d bytes; 1 to 64 are possible", elem_bytes);
    }
    if (rank < 0 || rank >= LW_OPS_MAX_RANK)
        return lw_fail(err, LW_OPS_BAD_SHAPE, "rank %d; 0 to 7 are possible", rank);
    lw_ops_status st = check_order(&o, rank, extent, perm, &volume, err);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, LW_PLAN_STEPS);
    if (q) q->steps = calloc(STEPS_MOST, sizeof *q->steps);
    if (!q || !q->steps) {
        lw_plan_destroy(q);
        return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the plan");
    }
    q->align = lw_low_bit((uint64_t)elem_bytes, 16);
    q->useful_bytes = volume;
    int64_t batch = 1;
    for (; volume > 0 && st == LW_OPS_OK;) {
        simplify(&o);
        strip_outer(&o, &batch);
        if (o.rank < 2) break;
        lw_inplace_step *s = &q->steps[q->step_count];
        int count = 0;
        st = add_step(ops, s, &count, &o, batch, elem_bytes, q->align, scratch, err);
        q->step_count += count;
        for (; count-- > 0; s++) {
            q->launches += st == LW_OPS_OK ? step_launches(s) : 0;
            if ((size_t)s->scratch > q->workspace) q->workspace = (size_t)s->scratch;
        }
    }
    if (st != LW_OPS_OK) lw_plan_destroy(q);
    else *plan = q;
    return st;
}

lw_ops_status lw_transpose_inplace_plan(const lw_ops *ops, int64_t batch, int64_t rows, int64_t cols, int elem_bytes,
                                        int64_t scratch, lw_plan **plan, lw_ops_error *err)
{
    const int64_t extent[3] = {batch, rows, cols};
    const int perm[3] = {0, 2, 1};
    return lw_permute_inplace_plan(ops, 3, extent, perm, elem_bytes, scratch, plan, err);
}

/* ---- records ---- */

/* AoS: records x units; the units' arrays; then, field by field, units x records become records x units. And back. */
static lw_ops_status record_steps(const lw_ops *ops, lw_plan *q, const lw_record *l, int64_t records, bool to_soa,
                                  int unit, int64_t scratch, lw_ops_error *err)
{
    int count = l->fields + 1;
    lw_ops_status st = LW_OPS_OK;
    for (int i = 0; i < count && st == LW_OPS_OK; i++) {
        int f = to_soa ? i - 1 : i; /* the field, or the step of all units, which is first or last */
        bool all = to_soa ? i == 0 : i == count - 1;
        int64_t n = all ? l->record_bytes / unit : l->size[f] / unit;
        bool forward = all == to_soa; /* records x n become n x records */
        lw_inplace_step *s = &q->steps[q->step_count];
        if (n == 1) continue;
        s->kind = LW_STEP_PLAN;
        s->offset = all ? 0 : l->offset[f] * records;
        st = lw_transpose_inplace_plan(ops, 1, forward ? records : n, forward ? n : records, unit, scratch, &s->whole,
                                       err);
        if (st != LW_OPS_OK) break;
        q->step_count++;
        q->launches += lw_plan_launches(s->whole);
        if (lw_plan_workspace(s->whole) > q->workspace) q->workspace = lw_plan_workspace(s->whole);
    }
    return st;
}

lw_ops_status lw_record_inplace_plan(const lw_ops *ops, const lw_record *layout, int64_t records, int to_soa,
                                     int64_t scratch, lw_plan **plan, lw_ops_error *err)
{
    lw_plan *probe = NULL;
    if (plan) *plan = NULL;
    if (!plan || scratch < 0) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no place for the plan or a negative scratch");
    lw_ops_status st = lw_record_plan(ops, layout, records, LW_PAD_KEEP, &probe, err); /* checks everything */
    lw_plan_destroy(probe);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, LW_PLAN_STEPS);
    if (q) q->steps = calloc((size_t)layout->fields + 1, sizeof *q->steps);
    if (!q || !q->steps) {
        lw_plan_destroy(q);
        return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the plan");
    }
    int64_t unit = layout->record_bytes;
    for (int f = 0; f < layout->fields; f++) unit = gcd(gcd(unit, layout->size[f]), layout->offset[f]);
    if (unit > LW_OPS_MAX_ELEM) unit = lw_low_bit((uint64_t)unit, LW_OPS_MAX_ELEM);
    q->align = lw_low_bit((uint64_t)unit, 16);
    q->useful_bytes = 2.0 * (double)records * layout->record_bytes;
    if (records > 1) st = record_steps(ops, q, layout, records, to_soa != 0, (int)unit, scratch, err);
    if (st != LW_OPS_OK) lw_plan_destroy(q);
    else *plan = q;
    return st;
}

void lw_steps_free(lw_plan *plan)
{
    for (int i = 0; i < plan->step_count; i++) {
        lw_plan_destroy(plan->steps[i].whole);
        lw_plan_destroy(plan->steps[i].rest);
    }
    free(plan->steps);
}

/* ---- running ---- */

static int run_fit(const lw_inplace_step *s, char *data, char *scratch, lw_stream stream)
{
    for (int64_t b = 0; b < s->batch; b += s->group) {
        int64_t n = smaller(s->group, s->batch - b);
        char *at = data + b * s->one;
        lw_ops_status st = lw_copy_run(n == s->group ? s->whole : s->rest, scratch, at, stream);
        if (st != LW_OPS_OK) return (int)st;
        int e = (int)cudaMemcpyAsync(at, scratch, (size_t)(n * s->one), cudaMemcpyDeviceToDevice, (cudaStream_t)stream);
        if (e) return LW_OPS_LAUNCH;
    }
    return LW_OPS_OK;
}

/* One pass over all columns: strips go to the scratch by one kernel and come back by another. */
typedef struct column_pass {
    bool band_first; /* rotated on the way out, rows moved on the way back; else the other way round */
    int lines;       /* lw_lines */
    bool by_block, backwards;
} column_pass;

static int strip_kernel(const lw_inplace_step *s, lw_shuffle_params *p, bool band, const column_pass *c, int64_t first,
                        int64_t units, lw_stream stream)
{
    int64_t bytes = units * s->unit;
    p->first_unit = (uint32_t)first;
    if (band) {
        int64_t rows = lw_shuffle_band_rows(s->unit), cols = (units + 31) / 32;
        p->units = (uint32_t)units;
        p->k = s->p.k;
        p->by_block = c->by_block;
        p->backwards = c->backwards;
        p->col_tiles = lw_fdiv_make((uint32_t)cols);
        int64_t grid = (p->m.d + rows - 1) / rows * cols;
        return grid >= 0x7fffffff ? 1 : lw_shuffle_launch(p, LW_PASS_BAND, s->unit, (uint32_t)grid, 0, stream);
    }
    int wide = lw_low_bit(
        (uint64_t)(uintptr_t)p->src | (uint64_t)(uintptr_t)p->dst | (uint64_t)(p->src_row | p->dst_row | bytes), 16);
    p->units = (uint32_t)(bytes / wide);
    p->k = lw_fdiv_make(p->units);
    p->lines = c->lines;
    p->rows_per_block = p->units >= 512 ? 1 : 1024 / p->units;
    uint32_t grid = (p->m.d + p->rows_per_block - 1) / p->rows_per_block;
    return lw_shuffle_launch(p, LW_PASS_LINES, wide, grid, 0, stream);
}

static int run_columns(const lw_inplace_step *s, const column_pass *c, char *data, char *scratch, lw_stream stream)
{
    int e = 0;
    for (int64_t first = 0; first < s->p.row_units.d && !e; first += s->strip) {
        int64_t units = smaller(s->strip, s->p.row_units.d - first);
        lw_shuffle_params p = s->p;
        p.src = data + first * s->unit;
        p.src_row = s->row;
        p.dst = scratch;
        p.dst_row = s->strip * s->unit;
        e = strip_kernel(s, &p, c->band_first, c, first, units, stream);
        p.src = scratch;
        p.src_row = s->strip * s->unit;
        p.dst = data + first * s->unit;
        p.dst_row = s->row;
        if (!e) e = strip_kernel(s, &p, !c->band_first, c, first, units, stream);
    }
    return e;
}

static int run_rows(const lw_inplace_step *s, char *data, char *scratch, lw_stream stream)
{
    int64_t m = s->p.m.d;
    int e = 0;
    lw_shuffle_params p = s->p;
    p.backwards = s->backwards;
    p.dst_row = s->row;
    if (s->turn_shared) {
        p.dst = data;
        p.rows_per_block = (uint32_t)s->rows_each;
        return lw_shuffle_launch(&p, LW_PASS_TURN, s->unit, (uint32_t)((m + s->rows_each - 1) / s->rows_each),
                                 s->turn_shared, stream);
    }
    int64_t parts = (p.units + 4 * LW_BLOCK - 1) / (4 * LW_BLOCK);
    p.col_tiles = lw_fdiv_make((uint32_t)parts);
    for (int64_t i = 0; i < m && !e; i += s->rows_each) {
        int64_t rows = smaller(s->rows_each, m - i);
        e = (int)cudaMemcpyAsync(scratch, data + i * s->row, (size_t)(rows * s->row), cudaMemcpyDeviceToDevice,
                                 (cudaStream_t)stream);
        p.src = scratch;
        p.src_row = s->row;
        p.dst = data + i * s->row;
        p.first_row = (uint32_t)i;
        if (!e)
            e = rows * parts >= 0x7fffffff
                    ? 1
                    : lw_shuffle_launch(&p, LW_PASS_SPREAD, s->unit, (uint32_t)(rows * parts), 0, stream);
    }
    return e;
}

static int run_passes(const lw_inplace_step *s, char *data, char *scratch, lw_stream stream)
{
    const column_pass rotate = {true, LW_LINES_STRAIGHT, true, s->backwards};
    const column_pass shuffle = {!s->backwards, s->backwards ? LW_LINES_SCATTER : LW_LINES_GATHER, false, s->backwards};
    int e = 0;
    for (int64_t b = 0; b < s->batch && !e; b++) {
        char *at = data + b * s->one;
        if (!s->backwards) {
            if (s->rotate) e = run_columns(s, &rotate, at, scratch, stream);
            if (!e) e = run_rows(s, at, scratch, stream);
            if (!e) e = run_columns(s, &shuffle, at, scratch, stream);
        } else {
            e = run_columns(s, &shuffle, at, scratch, stream);
            if (!e) e = run_rows(s, at, scratch, stream);
            if (!e && s->rotate) e = run_columns(s, &rotate, at, scratch, stream);
        }
    }
    return e ? LW_OPS_LAUNCH : LW_OPS_OK;
}

static lw_ops_status run_chunks(const lw_inplace_step *s, char *data, char *scratch, lw_stream stream)
{
    lw_panel_params p = s->panel;
    size_t saved = (size_t)p.saved * p.chunk;
    int e = (int)cudaMemcpy2DAsync(scratch, saved, data, (size_t)p.one, saved, p.batches, cudaMemcpyDeviceToDevice,
                                   (cudaStream_t)stream);
    p.data = data;
    p.scratch = scratch;
    if (!e) e = lw_chunk_launch(&p, lw_low_bit((uint64_t)(uintptr_t)data, 16), stream);
    return e ? LW_OPS_LAUNCH : LW_OPS_OK;
}

static lw_ops_status run_tiles(const lw_inplace_step *s, char *data, lw_stream stream)
{
    lw_panel_params p = s->panel;
    p.data = data;
    return lw_panel_launch(&p, s->unit, s->tiles, s->turn_shared, stream) ? LW_OPS_LAUNCH : LW_OPS_OK;
}

lw_ops_status lw_steps_run(const lw_plan *plan, void *data, void *workspace, lw_stream stream)
{
    if (!plan->step_count) return LW_OPS_OK;
    if (!data) return LW_OPS_BAD_ARGUMENT;
    if ((uintptr_t)data % (uintptr_t)plan->align) return LW_OPS_MISALIGNED;
    if (plan->workspace && (!workspace || (uintptr_t)workspace % 256)) return LW_OPS_WORKSPACE;
    lw_ops_status st = lw_check_device(plan->ops);
    for (int i = 0; i < plan->step_count && st == LW_OPS_OK; i++) {
        const lw_inplace_step *s = &plan->steps[i];
        if (s->kind == LW_STEP_SQUARE) st = lw_inplace_run(s->whole, data, stream);
        else if (s->kind == LW_STEP_PLAN) st = lw_steps_run(s->whole, (char *)data + s->offset, workspace, stream);
        else if (s->kind == LW_STEP_TILES) st = run_tiles(s, data, stream);
        else if (s->kind == LW_STEP_CHUNKS) st = run_chunks(s, data, workspace, stream);
        else if (s->kind == LW_STEP_FIT) st = (lw_ops_status)run_fit(s, data, workspace, stream);
        else st = (lw_ops_status)run_passes(s, data, workspace, stream);
    }
    return st;
}

void lw_steps_describe(const lw_plan *plan, char *text, size_t size)
{
    size_t at = 0;
    if (!plan->step_count) snprintf(text, size, "nothing to do");
    for (int i = 0; i < plan->step_count && at < size; i++) {
        const lw_inplace_step *s = &plan->steps[i];
        int n;
        if (s->kind == LW_STEP_SQUARE) n = snprintf(text + at, size - at, "%ssquare", at ? ", " : "");
        else if (s->kind == LW_STEP_PLAN)
            n = snprintf(text + at, size - at, "%splan at %lld", at ? ", " : "", (long long)s->offset);
        else if (s->kind == LW_STEP_FIT)
            n = snprintf(text + at, size - at, "%sscratch, %lld at once", at ? ", " : "", (long long)s->group);
        else if (s->kind == LW_STEP_TILES)
            n = snprintf(text + at, size - at, "%stiles of %u x %u", at ? ", " : "", s->panel.rows.d, s->panel.cols.d);
        else if (s->kind == LW_STEP_CHUNKS)
            n = snprintf(text + at, size - at, "%s%u x %u chunks of %u bytes", at ? ", " : "", s->panel.source.d,
                         s->panel.others, s->panel.chunk);
        else
            n = snprintf(text + at, size - at, "%s%s%d passes of %lld x %u units of %d bytes in strips of %lld",
                         at ? ", " : "", s->backwards ? "inverse " : "", 2 + s->rotate, (long long)s->p.m.d, s->p.units,
                         s->unit, (long long)s->strip);
        at += n > 0 ? (size_t)n : 0;
    }
}
