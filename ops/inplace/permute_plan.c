/*
 * Plans of permutations in place with bounded scratch. A permutation of dimensions is a sequence of steps: each takes
 * the dimension that is to come next past those before it, which is a batch of m x n transpositions of blocks of bytes.
 * Whatever is left of the tensor inside the untouched outer dimensions and fits into the scratch is instead permuted
 * into it and copied back, many at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime_api.h>
#include "inplace/steps.h"

#define SCRATCH_BASE ((int64_t)32 << 20)
#define SCRATCH_LINES 16 /* lines of the longer side that may lie in the scratch beside that */
#define STEPS_MOST (3 * LW_OPS_MAX_RANK)

typedef struct steps_plan {
    lw_plan base;
    lw_step *steps;
    int count;
    int most; /* places for steps; a step that could not be planned whole may hold a plan as well */
} steps_plan;

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream);
static void describe(const lw_plan *plan, char *text, size_t size);
static void release(lw_plan *plan);

static const lw_plan_type steps_type = {
    .bytes = sizeof(steps_plan), .in_place = true, .run = run, .describe = describe, .release = release};

/* ---- steps by other plans ---- */

static int plan_launches(const lw_step *s) { return lw_plan_launches(s->whole); }

static lw_ops_status run_plan(const lw_step *s, char *data, char *scratch, lw_stream stream)
{
    return lw_plan_run(s->whole, data + s->offset, data + s->offset, scratch, stream);
}

static int describe_plan(const lw_step *s, char *text, size_t size)
{
    return snprintf(text, size, "plan at %lld", (long long)s->offset);
}

static int describe_square(const lw_step *s, char *text, size_t size)
{
    (void)s;
    return snprintf(text, size, "square");
}

static const lw_step_kind part = {plan_launches, run_plan, describe_plan};
static const lw_step_kind square = {plan_launches, run_plan, describe_square};

/* ---- a step that fits into the scratch ---- */

static int fit_launches(const lw_step *s) { return (int)(2 * ((s->batch + s->group - 1) / s->group)); }

static lw_ops_status run_fit(const lw_step *s, char *data, char *scratch, lw_stream stream)
{
    for (int64_t b = 0; b < s->batch; b += s->group) {
        int64_t n = lw_smaller(s->group, s->batch - b);
        char *at = data + b * s->one;
        lw_ops_status st = lw_plan_run(n == s->group ? s->whole : s->rest, scratch, at, NULL, stream);
        if (st != LW_OPS_OK) return st;
        int e = (int)cudaMemcpyAsync(at, scratch, (size_t)(n * s->one), cudaMemcpyDeviceToDevice, (cudaStream_t)stream);
        if (e) return LW_OPS_LAUNCH;
    }
    return LW_OPS_OK;
}

static int describe_fit(const lw_step *s, char *text, size_t size)
{
    return snprintf(text, size, "scratch, %lld at once", (long long)s->group);
}

static const lw_step_kind fit = {fit_launches, run_fit, describe_fit};

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

static lw_ops_status fit_step(const lw_ops *ops, lw_step *s, int64_t batch, int rank, const int64_t *extent,
                              const int *perm, int elem, int align, int64_t cap, lw_ops_error *err)
{
    int64_t one = elem;
    for (int i = 0; i < rank; i++) one *= extent[i];
    s->kind = &fit;
    s->one = one;
    s->batch = batch;
    s->group = lw_smaller(batch, cap / one);
    s->scratch = s->group * one;
    lw_ops_status st = group_plan(ops, s->group, rank, extent, perm, elem, align, &s->whole, err);
    if (st == LW_OPS_OK && batch % s->group) {
        st = group_plan(ops, batch % s->group, rank, extent, perm, elem, align, &s->rest, err);
    }
    return st;
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
static lw_ops_status add_step(const lw_ops *ops, lw_step *s, int *count, order_state *o, int64_t batch, int elem,
                              int align, int64_t scratch, lw_ops_error *err)
{
    int first = o->perm[0];
    int64_t m = 1, n = o->extent[first], block = elem;
    for (int i = 0; i < first; i++) m *= o->extent[i];
    for (int i = first + 1; i < o->rank; i++) block *= o->extent[i];
    *count = 1;
    int64_t cap = scratch ? scratch : SCRATCH_BASE + SCRATCH_LINES * lw_bigger(m, n) * block;
    bool is_square = m == n && block <= LW_OPS_MAX_ELEM;
    if (m * n * block <= cap && !is_square) {
        lw_ops_status st = fit_step(ops, s, batch, o->rank, o->extent, o->perm, elem, align, cap, err);
        o->rank = 0;
        return st;
    }
    for (int i = first; i > 0; i--) o->extent[i] = o->extent[i - 1];
    o->extent[0] = n;
    for (int i = 0; i < o->rank; i++) o->perm[i] = o->perm[i] == first ? 0 : o->perm[i] + (o->perm[i] < first);
    if (is_square) {
        s->kind = &square;
        lw_ops_status st =
            lw_transpose_square_inplace_plan(ops, batch, n, (int)block, n * block, n * n * block, &s->whole, err);
        if (st != LW_OPS_UNSUPPORTED) return st; /* else too many blocks for one launch: by passes */
    }
    int steps = lw_tiles_steps(ops, s, batch, m, n, block, cap);
    if (steps) {
        *count = steps;
        return LW_OPS_OK;
    }
    memset(s, 0, 3 * sizeof *s);
    return lw_passes_step(ops, s, batch, m, n, block, align, cap, err);
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
        if (extent[i] < 0) return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "extent %d is negative", i);
        if (perm[i] < 0 || perm[i] >= rank || (seen >> perm[i] & 1)) {
            return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "perm is not a permutation of 0..%d", rank - 1);
        }
        seen |= 1u << perm[i];
    }
    return LW_OPS_OK;
}

static lw_plan *new_steps(const lw_ops *ops, int most)
{
    lw_plan *q = lw_plan_new(ops, &steps_type);
    steps_plan *t = (steps_plan *)q;
    if (!q) return NULL;
    t->steps = calloc((size_t)most, sizeof *t->steps);
    t->most = t->steps ? most : 0;
    if (t->steps) return q;
    lw_plan_destroy(q);
    return NULL;
}

/* Counts the next step in. */
static void take_step(steps_plan *t)
{
    const lw_step *s = &t->steps[t->count++];
    t->base.launches += s->kind->launches(s);
    if ((size_t)s->scratch > t->base.workspace) t->base.workspace = (size_t)s->scratch;
}

lw_ops_status lw_permute_inplace_plan(const lw_ops *ops, int rank, const int64_t *extent, const int *perm,
                                      int elem_bytes, int64_t scratch, lw_plan **plan, lw_ops_error *err)
{
    order_state o;
    double volume = 2.0 * elem_bytes;
    if (plan) *plan = NULL;
    if (!ops || !plan || scratch < 0 || (rank > 0 && (!extent || !perm))) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the handle, extents, permutation or plan pointer is NULL");
    }
    if (elem_bytes < 1 || elem_bytes > LW_OPS_MAX_ELEM) {
        return lw_ops_fail(err, LW_OPS_BAD_TYPE, "elements of %d bytes; 1 to 64 are possible", elem_bytes);
    }
    if (rank < 0 || rank >= LW_OPS_MAX_RANK)
        return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "rank %d; 0 to 7 are possible", rank);
    lw_ops_status st = check_order(&o, rank, extent, perm, &volume, err);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = new_steps(ops, STEPS_MOST);
    if (!q) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the plan");
    q->align = lw_low_bit((uint64_t)elem_bytes, 16);
    q->useful_bytes = volume;
    steps_plan *t = (steps_plan *)q;
    int64_t batch = 1;
    for (; volume > 0 && st == LW_OPS_OK;) {
        simplify(&o);
        strip_outer(&o, &batch);
        if (o.rank < 2) break;
        int count = 0;
        st = add_step(ops, &t->steps[t->count], &count, &o, batch, elem_bytes, q->align, scratch, err);
        for (; count > 0 && st == LW_OPS_OK; count--) take_step(t);
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
static lw_ops_status record_steps(const lw_ops *ops, steps_plan *t, const lw_record *l, int64_t records, bool to_soa,
                                  int unit, int64_t scratch, lw_ops_error *err)
{
    int count = l->fields + 1;
    lw_ops_status st = LW_OPS_OK;
    for (int i = 0; i < count && st == LW_OPS_OK; i++) {
        int f = to_soa ? i - 1 : i; /* the field, or the step of all units, which is first or last */
        bool all = to_soa ? i == 0 : i == count - 1;
        int64_t n = all ? l->record_bytes / unit : l->size[f] / unit;
        bool forward = all == to_soa; /* records x n become n x records */
        lw_step *s = &t->steps[t->count];
        if (n == 1) continue;
        s->kind = &part;
        s->offset = all ? 0 : l->offset[f] * records;
        st = lw_transpose_inplace_plan(ops, 1, forward ? records : n, forward ? n : records, unit, scratch, &s->whole,
                                       err);
        if (st != LW_OPS_OK) break;
        s->scratch = (int64_t)lw_plan_workspace(s->whole);
        take_step(t);
    }
    return st;
}

lw_ops_status lw_record_inplace_plan(const lw_ops *ops, const lw_record *layout, int64_t records, int to_soa,
                                     int64_t scratch, lw_plan **plan, lw_ops_error *err)
{
    lw_plan *probe = NULL;
    if (plan) *plan = NULL;
    if (!plan || scratch < 0)
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the plan pointer is NULL, or scratch is negative");
    lw_ops_status st = lw_record_plan(ops, layout, records, LW_PAD_KEEP, &probe, err); /* checks everything */
    lw_plan_destroy(probe);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = new_steps(ops, layout->fields + 1);
    if (!q) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the plan");
    int64_t unit = layout->record_bytes;
    for (int f = 0; f < layout->fields; f++) unit = lw_gcd(lw_gcd(unit, layout->size[f]), layout->offset[f]);
    if (unit > LW_OPS_MAX_ELEM) unit = lw_low_bit((uint64_t)unit, LW_OPS_MAX_ELEM);
    q->align = lw_low_bit((uint64_t)unit, 16);
    q->useful_bytes = 2.0 * (double)records * layout->record_bytes;
    if (records > 1) st = record_steps(ops, (steps_plan *)q, layout, records, to_soa != 0, (int)unit, scratch, err);
    if (st != LW_OPS_OK) lw_plan_destroy(q);
    else *plan = q;
    return st;
}

static void release(lw_plan *plan)
{
    steps_plan *t = (steps_plan *)plan;
    for (int i = 0; i < t->most; i++) {
        lw_plan_destroy(t->steps[i].whole);
        lw_plan_destroy(t->steps[i].rest);
    }
    free(t->steps);
}

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream)
{
    const steps_plan *t = (const steps_plan *)plan;
    (void)src;
    if (!t->count) return LW_OPS_OK;
    if (!dst) return LW_OPS_BAD_ARGUMENT;
    if ((uintptr_t)dst % (uintptr_t)plan->align) return LW_OPS_MISALIGNED;
    if (plan->workspace && (!workspace || (uintptr_t)workspace % 256)) return LW_OPS_WORKSPACE;
    lw_ops_status st = lw_check_device(plan->ops);
    for (int i = 0; i < t->count && st == LW_OPS_OK; i++) {
        st = t->steps[i].kind->run(&t->steps[i], dst, workspace, stream);
    }
    return st;
}

static void describe(const lw_plan *plan, char *text, size_t size)
{
    const steps_plan *t = (const steps_plan *)plan;
    size_t at = 0;
    if (!t->count) snprintf(text, size, "nothing to do");
    for (int i = 0; i < t->count && at < size; i++) {
        int n = at ? snprintf(text + at, size - at, ", ") : 0;
        at += (size_t)n;
        if (at >= size) return;
        n = t->steps[i].kind->describe(&t->steps[i], text + at, size - at);
        at += n > 0 ? (size_t)n : 0;
    }
}
