/*
 * Plans of conversions (any permutation, another element type, byte order or conjugate) and of pads (a copy into a
 * larger or smaller tensor whose other elements get a constant). Host only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/internal.h"
#include "common/plans.h"

#define SEGMENT (4 * LW_BLOCK)
#define TILE 32
#define TILE_MIN 8 /* shorter dimensions on either side are not worth a tile */

static bool is_signed(int type) { return type != LW_U8 && type != LW_U16 && type != LW_U32 && type != LW_U64; }

static bool convertible(int type)
{
    return type == LW_U8 || type == LW_I8 || type == LW_F16 || type == LW_BF16 || type == LW_F32 || type == LW_F64 ||
           type == LW_F8E4M3 || type == LW_F8E5M2;
}

/* Dimensions by output stride, all output strides positive, neighbours merged; false if outputs overlap. */
static bool normalise(lw_dim *d, int *count, int64_t out_elem, lw_convert_data *c)
{
    int n = 0, m = 0;
    int64_t reach = out_elem;
    for (int i = 0; i < *count; i++) {
        lw_dim x = d[i];
        if (x.n == 1) continue;
        if (x.out < 0) {
            c->out_off += (x.n - 1) * x.out;
            c->in_off += (x.n - 1) * x.in;
            x.out = -x.out;
            x.in = -x.in;
        }
        int at = n++;
        for (; at > 0 && d[at - 1].out > x.out; at--) d[at] = d[at - 1];
        d[at] = x;
    }
    c->in_lo = c->in_off;
    c->in_hi = c->in_off + c->in_elem;
    for (int i = 0; i < n; i++) {
        int64_t span = (d[i].n - 1) * d[i].in;
        if (d[i].out < reach) return false;
        reach += (d[i].n - 1) * d[i].out;
        if (span < 0) c->in_lo += span;
        else c->in_hi += span;
    }
    c->out_lo = c->out_off;
    c->out_hi = c->out_off + reach;
    for (int i = 0; i < n; i++) {
        lw_dim *last = m ? &d[m - 1] : NULL;
        if (last && d[i].out == last->n * last->out && d[i].in == last->n * last->in) last->n *= d[i].n;
        else d[m++] = d[i];
    }
    *count = m;
    return true;
}

static bool set_outer(lw_outer *o, const lw_dim *d, int count, int skip0, int skip1, uint64_t *blocks)
{
    o->nd = 0;
    for (int i = 0; i < count; i++) {
        if (i == skip0 || i == skip1) continue;
        if (d[i].n >= 0x7fffffff || (*blocks *= (uint64_t)d[i].n) >= 0x7fffffff) return false;
        o->div[o->nd] = lw_fdiv_make((uint32_t)d[i].n);
        o->in[o->nd] = d[i].in;
        o->out[o->nd++] = d[i].out;
    }
    return true;
}

static bool plan_turned(lw_convert_data *c, const lw_dim *d, int count, int b, uint64_t *grid)
{
    lw_convert_params *p = &c->p;
    int64_t x = (d[0].n + TILE - 1) / TILE, y = (d[b].n + TILE - 1) / TILE;
    p->n0 = d[0].n;
    p->n1 = d[b].n;
    p->in0 = d[0].in;
    p->out0 = d[0].out;
    p->in1 = d[b].in;
    p->out1 = d[b].out;
    if (x >= 0x7fffffff || y >= 0x7fffffff || x * y >= 0x7fffffff) return false;
    p->col_tiles = lw_fdiv_make((uint32_t)x);
    p->row_tiles = lw_fdiv_make((uint32_t)y);
    *grid = (uint64_t)(x * y);
    c->turned = true;
    return set_outer(&p->outer, d, count, 0, b, grid);
}

static bool plan_straight(lw_convert_data *c, const lw_dim *d, int count, uint64_t *grid)
{
    static const lw_dim one = {1, 0, 0};
    const lw_dim *fast = count ? &d[0] : &one;
    lw_convert_params *p = &c->p;
    uint64_t rows = 1;
    p->n0 = fast->n;
    p->in0 = fast->in;
    p->out0 = fast->out;
    if (!set_outer(&p->outer, d, count, 0, 0, &rows)) return false;
    p->rows = (uint32_t)rows;
    int64_t parts = (p->n0 + SEGMENT - 1) / SEGMENT;
    if (p->n0 <= SEGMENT / 2) {
        p->rows_per_block = (uint32_t)(SEGMENT / p->n0);
        *grid = (rows + p->rows_per_block - 1) / p->rows_per_block;
        p->width = lw_fdiv_make((uint32_t)p->n0);
    } else {
        if (parts >= 0x7fffffff) return false;
        p->width = lw_fdiv_make(1);
        p->col_tiles = lw_fdiv_make((uint32_t)parts);
        *grid = rows * (uint64_t)parts;
    }
    return *grid < 0x7fffffff;
}

/* Straight by vectors: both sides contiguous, all rows of both aligned like the first. */
static void plan_vectors(lw_convert_data *c, const lw_dim *d, int count)
{
    lw_convert_params *v = &c->v;
    *v = c->p;
    uint32_t wide = (uint32_t)(v->in_bytes > v->out_bytes ? v->in_bytes : v->out_bytes), parts = 16 / wide;
    uint64_t bits_in = 0, bits_out = 0;
    c->in_vector = parts * (uint32_t)v->in_bytes;
    c->out_vector = parts * (uint32_t)v->out_bytes;
    if (count < 1 || d[0].in != v->in_bytes * v->parts || d[0].out != v->out_bytes * v->parts) return;
    for (int i = 1; i < count; i++) {
        bits_in |= (uint64_t)d[i].in;
        bits_out |= (uint64_t)d[i].out;
    }
    if ((bits_in | (uint64_t)c->in_off) % c->in_vector || (bits_out | (uint64_t)c->out_off) % c->out_vector) return;
    v->n0 = d[0].n * v->parts;
    int64_t width = (v->n0 + parts - 1) / parts, segments = (width + SEGMENT - 1) / SEGMENT;
    uint64_t grid = v->rows;
    v->rows_per_block = width <= SEGMENT / 2 ? (uint32_t)(SEGMENT / width) : 0;
    if (v->rows_per_block) {
        v->width = lw_fdiv_make((uint32_t)width);
        grid = (v->rows + v->rows_per_block - 1) / v->rows_per_block;
    } else {
        if (segments >= 0x7fffffff) return;
        v->width = lw_fdiv_make(1);
        v->col_tiles = lw_fdiv_make((uint32_t)segments);
        grid *= (uint64_t)segments;
    }
    if (grid < 0x7fffffff) c->vector_grid = (uint32_t)grid;
}

/* Turned by vectors: the input's rows and the output's, d[b] and d[0], contiguous and all aligned like the first. */
static void plan_turned_vectors(lw_convert_data *c, const lw_dim *d, int count, int b)
{
    lw_convert_params *v = &c->v;
    *v = c->p;
    int side = LW_CONVERT_SIDE(v->in_bytes, v->out_bytes), slots = LW_CONVERT_SLOTS(v->in_bytes, v->out_bytes);
    uint64_t bits_in = (uint64_t)c->in_off, bits_out = (uint64_t)c->out_off, grid;
    c->in_vector = (uint32_t)(side * v->in_bytes);
    c->out_vector = 16;
    if (v->parts != 1 || side * v->out_bytes < 4 || d[0].out != v->out_bytes || d[b].in != v->in_bytes) return;
    for (int i = 0; i < count; i++) {
        if (i != b) bits_in |= (uint64_t)d[i].in;
        if (i != 0) bits_out |= (uint64_t)d[i].out;
    }
    if (bits_in % c->in_vector || bits_out % c->out_vector) return;
    int64_t wide = slots * side, high = LW_BLOCK / slots * side;
    int64_t x = (d[0].n + wide - 1) / wide, y = (d[b].n + high - 1) / high;
    double places = (double)x * (double)y * (double)(wide * high);
    if (places > 4.0 * (double)d[0].n * (double)d[b].n) return; /* tiles nearly empty */
    v->col_tiles = lw_fdiv_make((uint32_t)x);
    v->row_tiles = lw_fdiv_make((uint32_t)y);
    grid = (uint64_t)(x * y);
    if (set_outer(&v->outer, d, count, 0, b, &grid)) c->vector_grid = (uint32_t)grid;
}

/* The dimension that runs fastest in the input, if it is not the output's. */
static int input_dim(const lw_dim *d, int count, int64_t in_elem)
{
    for (int i = 1; i < count; i++) {
        if ((d[i].in == in_elem || d[i].in == -in_elem) && d[i].n >= TILE_MIN && d[0].n >= TILE_MIN) return i;
    }
    return 0;
}

static lw_ops_status check_types(const lw_tensor *dst, const lw_tensor *src, uint32_t flags, lw_ops_error *err)
{
    bool same = dst->type == src->type;
    if (flags &
        ~(uint32_t)(LW_CONVERT_SWAP_INPUT | LW_CONVERT_SWAP_OUTPUT | LW_CONVERT_COMPLEX | LW_CONVERT_CONJUGATE)) {
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "unknown flags");
    }
    if (!lw_type_bytes(dst->type) || !lw_type_bytes(src->type))
        return lw_fail(err, LW_OPS_BAD_TYPE, "a conversion needs types");
    if (!same && (!convertible(dst->type) || !convertible(src->type))) {
        return lw_fail(err, LW_OPS_BAD_TYPE, "only u8, i8, fp8, f16, bf16, f32 and f64 are converted into each other");
    }
    if ((flags & LW_CONVERT_CONJUGATE) && !(flags & LW_CONVERT_COMPLEX)) {
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "only complex elements have a conjugate");
    }
    bool integer = same && !(convertible(src->type) && src->type != LW_U8 && src->type != LW_I8);
    if ((flags & LW_CONVERT_CONJUGATE) && (!is_signed(dst->type) || !is_signed(src->type) || integer)) {
        return lw_fail(err, LW_OPS_BAD_TYPE, "the conjugate needs floating-point elements");
    }
    return LW_OPS_OK;
}

static lw_ops_status gather_dims(const lw_tensor *dst, const lw_tensor *src, const int *perm, lw_dim *d, double *volume,
                                 lw_ops_error *err)
{
    unsigned seen = 0;
    if (dst->rank != src->rank || dst->rank < 0 || dst->rank > LW_OPS_MAX_RANK) {
        return lw_fail(err, LW_OPS_BAD_SHAPE, "ranks %d and %d", src->rank, dst->rank);
    }
    for (int i = 0; i < dst->rank; i++) {
        int from = perm ? perm[i] : i;
        if (from < 0 || from >= dst->rank || (seen >> from & 1)) {
            return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no permutation of 0..%d", dst->rank - 1);
        }
        seen |= 1u << from;
        if (dst->extent[i] != src->extent[from] || dst->extent[i] < 0) {
            return lw_fail(err, LW_OPS_BAD_SHAPE, "output extent %d does not match input extent %d", i, from);
        }
        d[i] = (lw_dim){dst->extent[i], src->stride[from], dst->stride[i]};
        *volume *= (double)dst->extent[i];
    }
    return LW_OPS_OK;
}

static lw_ops_status choose(lw_plan *q, const lw_tensor *dst, const lw_tensor *src, uint32_t flags, lw_dim *d,
                            int count, lw_ops_error *err)
{
    lw_convert_data *c = &q->u.convert;
    lw_convert_params *p = &c->p;
    uint64_t grid = 1, bits = 0;
    p->in_type = src->type;
    p->out_type = dst->type;
    p->in_bytes = lw_type_bytes(src->type);
    p->out_bytes = lw_type_bytes(dst->type);
    p->parts = flags & LW_CONVERT_COMPLEX ? 2 : 1;
    p->conjugate = (flags & LW_CONVERT_CONJUGATE) != 0;
    p->swap_in = (flags & LW_CONVERT_SWAP_INPUT) && p->in_bytes > 1;
    p->swap_out = (flags & LW_CONVERT_SWAP_OUTPUT) && p->out_bytes > 1;
    c->in_elem = p->in_bytes * p->parts;
    c->arithmetic = src->type == dst->type ? 0 : src->type == LW_F64 || dst->type == LW_F64 ? 2 : 1;
    for (int i = 0; i < count; i++) {
        bits |=
            d[i].n > 1 ? (uint64_t)d[i].in % (uint64_t)p->in_bytes | (uint64_t)d[i].out % (uint64_t)p->out_bytes : 0;
    }
    if (bits) return lw_fail(err, LW_OPS_MISALIGNED, "a stride is no multiple of the type's size");
    if (!normalise(d, &count, p->out_bytes * p->parts, c)) {
        return lw_fail(err, LW_OPS_BAD_STRIDE, "elements of the output overlap, or could");
    }
    int b = input_dim(d, count, c->in_elem);
    bool ok = b && plan_turned(c, d, count, b, &grid);
    if (ok) {
        plan_turned_vectors(c, d, count, b);
    } else {
        c->turned = false;
        ok = plan_straight(c, d, count, &grid);
        if (ok) plan_vectors(c, d, count);
    }
    if (!ok) return lw_fail(err, LW_OPS_UNSUPPORTED, "this shape needs more than 2^31 blocks");
    q->grid = (uint32_t)grid;
    q->launches = 1;
    return LW_OPS_OK;
}

lw_ops_status lw_convert_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                              uint32_t flags, lw_plan **plan, lw_ops_error *err)
{
    lw_dim d[LW_OPS_MAX_RANK];
    double volume = 1;
    if (plan) *plan = NULL;
    if (!ops || !dst || !src || !plan)
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no handle, tensor or place for the plan");
    lw_ops_status st = check_types(dst, src, flags, err);
    if (st == LW_OPS_OK) st = gather_dims(dst, src, perm, d, &volume, err);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, LW_PLAN_CONVERT);
    if (!q) return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the plan");
    int parts = flags & LW_CONVERT_COMPLEX ? 2 : 1;
    q->useful_bytes =
        volume * parts * lw_type_bytes(dst->type) + lw_read_bytes(d, dst->rank, parts * lw_type_bytes(src->type));
    if (volume > 0) st = choose(q, dst, src, flags, d, dst->rank, err);
    if (st != LW_OPS_OK) lw_plan_destroy(q);
    else *plan = q;
    return st;
}

lw_ops_status lw_convert_run(const lw_plan *plan, void *dst, const void *src, lw_stream stream)
{
    const lw_convert_data *c = &plan->u.convert;
    if (!plan->launches) return LW_OPS_OK;
    if (!dst || !src) return LW_OPS_BAD_ARGUMENT;
    uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
    if (d % (uintptr_t)c->p.out_bytes || s % (uintptr_t)c->p.in_bytes) return LW_OPS_MISALIGNED;
    if (d + (uintptr_t)c->out_lo < s + (uintptr_t)c->in_hi && s + (uintptr_t)c->in_lo < d + (uintptr_t)c->out_hi) {
        return LW_OPS_OVERLAP;
    }
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    bool vectors = c->vector_grid && s % c->in_vector == 0 && d % c->out_vector == 0;
    lw_convert_params p = vectors ? c->v : c->p;
    p.in = (const char *)src + c->in_off;
    p.out = (char *)dst + c->out_off;
    int form = (c->turned ? LW_CONVERT_TURNED : LW_CONVERT_STRAIGHT) + (vectors ? LW_CONVERT_VECTORS : 0);
    uint32_t grid = vectors ? c->vector_grid : plan->grid;
    return lw_launch_status(plan, lw_convert_launch(&p, form, c->arithmetic, grid, stream));
}

void lw_convert_describe(const lw_plan *plan, char *text, size_t size)
{
    const lw_convert_data *c = &plan->u.convert;
    snprintf(text, size, "%s, %d to %d bytes%s%s",
             c->turned        ? c->vector_grid ? "tile by vectors" : "tile 32 x 32"
             : c->vector_grid ? "straight by vectors"
                              : "straight",
             c->p.in_bytes, c->p.out_bytes, c->p.parts == 2 ? ", complex" : "",
             c->arithmetic == 2 ? ", by f64"
             : c->arithmetic    ? ", by f32"
                                : "");
}

/* ---- pads ---- */

/* One box of the output that lies outside the input, as rows of a pattern. */
static bool plan_fill(lw_pad_fill *f, const lw_tensor *t, int elem, const int64_t *from, const int64_t *n,
                      const void *value)
{
    lw_dim d[LW_OPS_MAX_RANK];
    lw_convert_data c;
    int count = 0;
    memset(&c, 0, sizeof c);
    for (int i = 0; i < t->rank; i++) {
        f->offset += from[i] * t->stride[i];
        d[count++] = (lw_dim){n[i], t->stride[i], t->stride[i]};
    }
    if (!normalise(d, &count, elem, &c)) return false;
    f->offset += c.out_off;
    bool run = count > 0 && d[0].out == elem;
    int64_t bytes = run ? d[0].n * elem : elem;
    uint64_t bits = (uint64_t)bytes | (uint64_t)f->offset, rows = 1;
    for (int i = run ? 1 : 0; i < count; i++) bits |= (uint64_t)d[i].out;
    f->bits = bits;
    f->bytes = bytes;
    f->power = !(elem & (elem - 1));
    lw_fill_params *p = &f->p;
    p->elem = elem;
    for (int i = 0; i < 64; i++) p->pattern[i] = ((const unsigned char *)value)[i % elem];
    if (!set_outer(&p->outer, d, count, run ? 0 : -1, -1, &rows)) return false;
    p->rows = (uint32_t)rows;
    return true;
}

lw_ops_status lw_pad_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int64_t *before,
                          const void *value, lw_plan **plan, lw_ops_error *err)
{
    int64_t lo[LW_OPS_MAX_RANK], hi[LW_OPS_MAX_RANK], from[LW_OPS_MAX_RANK], n[LW_OPS_MAX_RANK];
    lw_plan *probe = NULL;
    if (plan) *plan = NULL;
    if (!ops || !dst || !src || !before || !value || !plan) {
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no handle, tensor, margins, value or place for the plan");
    }
    lw_ops_status st = lw_copy_plan(ops, dst, dst, &probe, err); /* checks the output */
    lw_plan_destroy(probe);
    if (st != LW_OPS_OK) return st;
    if (src->rank != dst->rank) return lw_fail(err, LW_OPS_BAD_SHAPE, "ranks %d and %d", src->rank, dst->rank);
    lw_plan *q = lw_plan_new(ops, LW_PLAN_PAD);
    if (q) q->pad = calloc(1, sizeof *q->pad);
    if (!q || !q->pad) {
        lw_plan_destroy(q);
        return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the plan");
    }
    lw_pad_data *pad = q->pad;
    lw_tensor inner = *dst, part = *src;
    int elem = dst->type == LW_BYTES ? dst->elem_bytes : lw_type_bytes(dst->type);
    bool empty = false;
    inner.align = part.align = lw_low_bit((uint64_t)elem, 16); /* the corners of both boxes are no better */
    if (dst->align && dst->align < inner.align) inner.align = part.align = dst->align;
    if (src->align && src->align < inner.align) inner.align = part.align = src->align;
    for (int i = 0; i < dst->rank; i++) {
        lo[i] = before[i] > 0 ? before[i] : 0;
        hi[i] = before[i] + src->extent[i] < dst->extent[i] ? before[i] + src->extent[i] : dst->extent[i];
        if (lo[i] > dst->extent[i]) lo[i] = dst->extent[i];
        if (hi[i] < lo[i]) hi[i] = lo[i];
        empty = empty || hi[i] == lo[i];
        inner.extent[i] = part.extent[i] = hi[i] - lo[i];
        pad->dst_offset += lo[i] * dst->stride[i];
        pad->src_offset += (lo[i] - before[i]) * src->stride[i];
    }
    st = lw_copy_plan(ops, &inner, &part, &pad->copy, err);
    for (int i = 0; i < dst->rank && st == LW_OPS_OK; i++) { /* before and after dimension i, inside the slower ones */
        for (int side = 0; side < 2; side++) {
            bool none = false;
            for (int k = 0; k < dst->rank; k++) {
                from[k] = k < i ? lo[k] : 0;
                n[k] = k < i ? hi[k] - lo[k] : dst->extent[k];
            }
            from[i] = side ? hi[i] : 0;
            n[i] = side ? dst->extent[i] - hi[i] : lo[i];
            for (int k = 0; k < dst->rank; k++) none = none || n[k] == 0;
            if (none) continue;
            if (!plan_fill(&pad->fill[pad->fills++], dst, elem, from, n, value)) {
                st = lw_fail(err, LW_OPS_UNSUPPORTED, "this shape needs more than 2^31 rows");
            }
        }
    }
    q->align = inner.align;
    if (st == LW_OPS_OK && pad->fills && !empty) lw_pad_one_plan(&pad->one, dst, src, elem, before, value);
    q->launches = pad->one.grid ? 1 : pad->fills + (empty || !pad->copy ? 0 : lw_plan_launches(pad->copy));
    q->useful_bytes = elem;
    for (int i = 0; i < dst->rank; i++) q->useful_bytes *= (double)dst->extent[i];
    if (pad->copy) q->useful_bytes += pad->copy->read_bytes;
    if (st != LW_OPS_OK) lw_plan_destroy(q);
    else *plan = q;
    return st;
}

void lw_pad_free(lw_plan *plan)
{
    lw_plan_destroy(plan->pad->copy);
    free(plan->pad);
}

static int run_fill(const lw_pad_fill *f, char *dst, lw_stream stream)
{
    lw_fill_params p = f->p;
    p.out = dst + f->offset;
    int vec = lw_low_bit(f->bits | (uint64_t)(uintptr_t)p.out, 16);
    if (!f->power && vec > 8) vec = 8;
    if (!f->power || vec > f->p.elem) { /* whole elements in a vector, or whole vectors in an element */
        if (!f->power) vec = lw_low_bit((uint64_t)(vec | p.elem), 8);
    }
    p.n0 = f->bytes / vec;
    uint64_t grid;
    if (p.n0 <= SEGMENT / 2) {
        p.width = lw_fdiv_make((uint32_t)p.n0);
        p.rows_per_block = (uint32_t)(SEGMENT / p.n0);
        grid = (p.rows + (uint64_t)p.rows_per_block - 1) / p.rows_per_block;
    } else {
        int64_t parts = (p.n0 + SEGMENT - 1) / SEGMENT;
        if (parts >= 0x7fffffff) return 1;
        p.width = lw_fdiv_make(1);
        p.parts = lw_fdiv_make((uint32_t)parts);
        grid = (uint64_t)p.rows * (uint64_t)parts;
    }
    return grid >= 0x7fffffff ? 1 : lw_fill_launch(&p, vec, (uint32_t)grid, stream);
}

lw_ops_status lw_pad_run(const lw_plan *plan, void *dst, const void *src, lw_stream stream)
{
    const lw_pad_data *pad = plan->pad;
    if (!plan->launches) return LW_OPS_OK;
    if (!dst || !src) return LW_OPS_BAD_ARGUMENT;
    if (((uintptr_t)dst | (uintptr_t)src) % (uintptr_t)plan->align) return LW_OPS_MISALIGNED;
    lw_ops_status st = lw_check_device(plan->ops);
    if (st == LW_OPS_OK && pad->one.grid && ((uintptr_t)dst | (uintptr_t)src) % 16 == 0) {
        return lw_pad_one_run(plan, &pad->one, dst, src, stream);
    }
    if (st == LW_OPS_OK)
        st = lw_copy_run(pad->copy, (char *)dst + pad->dst_offset, (const char *)src + pad->src_offset, stream);
    for (int i = 0; i < pad->fills && st == LW_OPS_OK; i++) {
        if (run_fill(&pad->fill[i], dst, stream)) st = LW_OPS_LAUNCH;
    }
    return st;
}
