/*
 * A step of a permutation in place that does not fit into the scratch, through the passes of shuffle.cu: columns in strips
 * as wide as the scratch allows, rows in shared memory. The shorter side takes the role of the rows, by the inverse passes
 * if need be.
 */
#include <stdio.h>
#include <cuda_runtime_api.h>
#include "inplace/steps.h"

#define TURN_BYTES (32 << 10) /* rows of a block up to here; one longer row still goes into shared memory */
#define SIDE_MAX ((int64_t)1 << 30)

static int launches(const lw_step *s)
{
    int64_t strips = (s->p.units + s->strip - 1) / s->strip, m = s->p.m.d;
    int64_t turns = s->turn_shared ? 1 : 2 * ((m + s->rows_each - 1) / s->rows_each);
    return (int)(s->batch * (2 * strips * (1 + s->rotate) + turns));
}

/* ---- running ---- */

/* One pass over all columns: strips go to the scratch by one kernel and come back by another. */
typedef struct column_pass {
    bool band_first; /* rotated on the way out, rows moved on the way back; else the other way round */
    int lines;       /* lw_lines */
    bool by_block, backwards;
} column_pass;

static int strip_kernel(const lw_step *s, lw_shuffle_params *p, bool band, const column_pass *c, int64_t first,
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

static int run_columns(const lw_step *s, const column_pass *c, char *data, char *scratch, lw_stream stream)
{
    int e = 0;
    for (int64_t first = 0; first < s->p.row_units.d && !e; first += s->strip) {
        int64_t units = lw_smaller(s->strip, s->p.row_units.d - first);
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

static int run_rows(const lw_step *s, char *data, char *scratch, lw_stream stream)
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
        int64_t rows = lw_smaller(s->rows_each, m - i);
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

static int all_passes(const lw_step *s, char *data, char *scratch, lw_stream stream)
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
    return e;
}

static lw_ops_status run(const lw_step *s, char *data, char *scratch, lw_stream stream)
{
    return all_passes(s, data, scratch, stream) ? LW_OPS_LAUNCH : LW_OPS_OK;
}

static int describe(const lw_step *s, char *text, size_t size)
{
    return snprintf(text, size, "%s%d passes of %lld x %u units of %d bytes in strips of %lld",
                    s->backwards ? "inverse " : "", 2 + s->rotate, (long long)s->p.m.d, s->p.units, s->unit,
                    (long long)s->strip);
}

static const lw_step_kind passes = {launches, run, describe};

/* ---- creation ---- */

/* Columns of a strip, and where rows are shuffled: in shared memory, or in the scratch. */
static void plan_scratch(const lw_ops *ops, lw_step *s, int64_t m, int64_t units, int64_t cap)
{
    s->strip = lw_smaller(cap / (m * s->unit), units);
    if (s->strip >= 256) s->strip &= ~(int64_t)127;
    else if (s->strip >= 32) s->strip &= ~(int64_t)31;
    s->scratch = s->strip * s->unit * m;
    if (s->row <= ops->shared_optin - 1024) {
        s->rows_each = lw_bigger(1, TURN_BYTES / s->row);
        s->turn_shared = (uint32_t)(s->rows_each * s->row);
    } else { /* rows of one batch in the scratch */
        s->rows_each = lw_smaller(m, cap / s->row);
        s->scratch = lw_bigger(s->scratch, s->rows_each * s->row);
    }
}

lw_ops_status lw_passes_step(const lw_ops *ops, lw_step *s, int64_t batch, int64_t m, int64_t n, int64_t block,
                             int align, int64_t cap, lw_ops_error *err)
{
    int unit = lw_low_bit((uint64_t)(block | align), 16);
    int64_t k = block / unit, row = n * block;
    s->kind = &passes;
    s->batch = batch;
    s->one = m * n * block;
    s->backwards = n > m;
    if (s->backwards) { /* the array is seen as n rows of m */
        int64_t x = m;
        m = n;
        n = x;
        row = n * block;
    }
    int64_t c = lw_gcd(m, n), units = n * k;
    if (m > SIDE_MAX || units > SIDE_MAX)
        return lw_ops_fail(err, LW_OPS_UNSUPPORTED, "a side is longer than 2^30 units");
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
    plan_scratch(ops, s, m, units, cap);
    if (s->strip < 1 || s->rows_each < 1) {
        return lw_ops_fail(err, LW_OPS_WORKSPACE, "this shape needs a scratch of at least %lld bytes",
                           (long long)lw_bigger(m * unit, s->turn_shared ? 0 : row));
    }
    return LW_OPS_OK;
}
