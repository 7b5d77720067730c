/* Plans of conversions: any permutation, another element type, byte order or conjugate. Host only. */
#include <stdio.h>
#include <string.h>
#include "common/plan.h"
#include "convert/convert.h"

#define TILE 32
#define TILE_MIN 8 /* shorter dimensions on either side are not worth a tile */

typedef struct convert_plan {
    lw_plan base;
    lw_span span;
    bool turned; /* by tiles: another dimension is the fastest in the input */
    uint32_t grid;
    int arithmetic; /* 0: bits, 1: f32, 2: f64 */
    lw_convert_params p;
    lw_convert_params v; /* by vectors, where pointers are multiples of in_vector and out_vector bytes */
    uint32_t vector_grid, in_vector, out_vector; /* grid 0: strides forbid it */
} convert_plan;

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream);
static void describe(const lw_plan *plan, char *text, size_t size);

static const lw_plan_type convert_type = {.bytes = sizeof(convert_plan), .run = run, .describe = describe};

static bool is_signed(int type) { return type != LW_U8 && type != LW_U16 && type != LW_U32 && type != LW_U64; }

static bool convertible(int type)
{
    return type == LW_U8 || type == LW_I8 || type == LW_F16 || type == LW_BF16 || type == LW_F32 || type == LW_F64 ||
           type == LW_F8E4M3 || type == LW_F8E5M2;
}

static bool plan_turned(convert_plan *c, const lw_dim *d, int count, int b, uint64_t *grid)
{
    lw_convert_params *p = &c->p;
    int64_t x = (d[0].n + TILE - 1) / TILE, y = (d[b].n + TILE - 1) / TILE;
    p->across = d[0].n;
    p->down = d[b].n;
    p->across_in = d[0].in;
    p->across_out = d[0].out;
    p->down_in = d[b].in;
    p->down_out = d[b].out;
    if (x >= 0x7fffffff || y >= 0x7fffffff || x * y >= 0x7fffffff) return false;
    p->col_tiles = lw_fdiv_make((uint32_t)x);
    p->row_tiles = lw_fdiv_make((uint32_t)y);
    *grid = (uint64_t)(x * y);
    c->turned = true;
    return lw_outer_fill(&p->outer, d, count, 1u | 1u << b, grid);
}

static bool plan_straight(convert_plan *c, const lw_dim *d, int count, uint64_t *grid)
{
    static const lw_dim one = {1, 0, 0};
    const lw_dim *fast = count ? &d[0] : &one;
    lw_convert_params *p = &c->p;
    uint64_t rows = 1;
    p->across = fast->n;
    p->across_in = fast->in;
    p->across_out = fast->out;
    if (!lw_outer_fill(&p->outer, d, count, 1, &rows)) return false;
    p->rows = (uint32_t)rows;
    int64_t parts = (p->across + LW_CONVERT_SEGMENT - 1) / LW_CONVERT_SEGMENT;
    if (p->across <= LW_CONVERT_SEGMENT / 2) {
        p->rows_per_block = (uint32_t)(LW_CONVERT_SEGMENT / p->across);
        *grid = (rows + p->rows_per_block - 1) / p->rows_per_block;
        p->width = lw_fdiv_make((uint32_t)p->across);
    } else {
        if (parts >= 0x7fffffff) return false;
        p->width = lw_fdiv_make(1);
        p->col_tiles = lw_fdiv_make((uint32_t)parts);
        *grid = rows * (uint64_t)parts;
    }
    return *grid < 0x7fffffff;
}

/* Straight by vectors: both sides contiguous, all rows of both aligned like the first. */
static void plan_vectors(convert_plan *c, const lw_dim *d, int count)
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
    if ((bits_in | (uint64_t)c->span.in_off) % c->in_vector || (bits_out | (uint64_t)c->span.out_off) % c->out_vector)
        return;
    v->across = d[0].n * v->parts;
    int64_t width = (v->across + parts - 1) / parts, segments = (width + LW_CONVERT_SEGMENT - 1) / LW_CONVERT_SEGMENT;
    uint64_t grid = v->rows;
    v->rows_per_block = width <= LW_CONVERT_SEGMENT / 2 ? (uint32_t)(LW_CONVERT_SEGMENT / width) : 0;
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
static void plan_turned_vectors(convert_plan *c, const lw_dim *d, int count, int b)
{
    lw_convert_params *v = &c->v;
    *v = c->p;
    int side = LW_CONVERT_SIDE(v->in_bytes, v->out_bytes), slots = LW_CONVERT_SLOTS(v->in_bytes, v->out_bytes);
    uint64_t bits_in = (uint64_t)c->span.in_off, bits_out = (uint64_t)c->span.out_off, grid;
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
    if (lw_outer_fill(&v->outer, d, count, 1u | 1u << b, &grid)) c->vector_grid = (uint32_t)grid;
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
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "unknown flags");
    }
    if (!lw_type_bytes(dst->type) || !lw_type_bytes(src->type))
        return lw_ops_fail(err, LW_OPS_BAD_TYPE, "a conversion requires known types other than LW_BYTES");
    if (!same && (!convertible(dst->type) || !convertible(src->type))) {
        return lw_ops_fail(err, LW_OPS_BAD_TYPE,
                           "only u8, i8, fp8, f16, bf16, f32 and f64 are converted into each other");
    }
    if ((flags & LW_CONVERT_CONJUGATE) && !(flags & LW_CONVERT_COMPLEX)) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "LW_CONVERT_CONJUGATE requires LW_CONVERT_COMPLEX");
    }
    bool integer = same && !(convertible(src->type) && src->type != LW_U8 && src->type != LW_I8);
    if ((flags & LW_CONVERT_CONJUGATE) && (!is_signed(dst->type) || !is_signed(src->type) || integer)) {
        return lw_ops_fail(err, LW_OPS_BAD_TYPE, "LW_CONVERT_CONJUGATE requires floating-point elements");
    }
    return LW_OPS_OK;
}

static lw_ops_status gather_dims(const lw_tensor *dst, const lw_tensor *src, const int *perm, lw_dim *d, double *volume,
                                 lw_ops_error *err)
{
    unsigned seen = 0;
    if (dst->rank != src->rank || dst->rank < 0 || dst->rank > LW_OPS_MAX_RANK) {
        return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "the ranks differ: %d and %d", src->rank, dst->rank);
    }
    for (int i = 0; i < dst->rank; i++) {
        int from = perm ? perm[i] : i;
        if (from < 0 || from >= dst->rank || (seen >> from & 1)) {
            return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "perm is not a permutation of 0..%d", dst->rank - 1);
        }
        seen |= 1u << from;
        if (dst->extent[i] != src->extent[from] || dst->extent[i] < 0) {
            return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "output extent %d does not match input extent %d", i, from);
        }
        d[i] = (lw_dim){dst->extent[i], src->stride[from], dst->stride[i]};
        *volume *= (double)dst->extent[i];
    }
    return LW_OPS_OK;
}

/* Of a conversion: 0 bits, 1 f32, 2 f64. */
static int arithmetic_of(int from, int to)
{
    if (from == to) return 0;
    return from == LW_F64 || to == LW_F64 ? 2 : 1;
}

static lw_ops_status choose(lw_plan *q, const lw_tensor *dst, const lw_tensor *src, uint32_t flags, lw_dim *d,
                            int count, lw_ops_error *err)
{
    convert_plan *c = (convert_plan *)q;
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
    c->arithmetic = arithmetic_of(src->type, dst->type);
    for (int i = 0; i < count; i++) {
        bits |=
            d[i].n > 1 ? (uint64_t)d[i].in % (uint64_t)p->in_bytes | (uint64_t)d[i].out % (uint64_t)p->out_bytes : 0;
    }
    if (bits) return lw_ops_fail(err, LW_OPS_MISALIGNED, "a stride is not a multiple of the type's size");
    if (!lw_dims_normalise(d, &count, p->in_bytes * p->parts, p->out_bytes * p->parts, &c->span)) {
        return lw_ops_fail(err, LW_OPS_BAD_STRIDE, "elements of the output overlap, or could overlap");
    }
    int b = input_dim(d, count, p->in_bytes * p->parts);
    bool ok = b && plan_turned(c, d, count, b, &grid);
    if (ok) {
        plan_turned_vectors(c, d, count, b);
    } else {
        c->turned = false;
        ok = plan_straight(c, d, count, &grid);
        if (ok) plan_vectors(c, d, count);
    }
    if (!ok) return lw_ops_fail(err, LW_OPS_UNSUPPORTED, "this shape needs more than 2^31 blocks");
    c->grid = (uint32_t)grid;
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
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the handle, a tensor or the plan pointer is NULL");
    lw_ops_status st = check_types(dst, src, flags, err);
    if (st == LW_OPS_OK) st = gather_dims(dst, src, perm, d, &volume, err);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, &convert_type);
    if (!q) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the plan");
    int parts = flags & LW_CONVERT_COMPLEX ? 2 : 1;
    q->useful_bytes =
        volume * parts * lw_type_bytes(dst->type) + lw_read_bytes(d, dst->rank, parts * lw_type_bytes(src->type));
    if (volume > 0) st = choose(q, dst, src, flags, d, dst->rank, err);
    if (st != LW_OPS_OK) lw_plan_destroy(q);
    else *plan = q;
    return st;
}

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream)
{
    (void)workspace;
    const convert_plan *c = (const convert_plan *)plan;
    if (!plan->launches) return LW_OPS_OK;
    if (!dst || !src) return LW_OPS_BAD_ARGUMENT;
    uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
    if (d % (uintptr_t)c->p.out_bytes || s % (uintptr_t)c->p.in_bytes) return LW_OPS_MISALIGNED;
    if (d + (uintptr_t)c->span.out_lo < s + (uintptr_t)c->span.in_hi &&
        s + (uintptr_t)c->span.in_lo < d + (uintptr_t)c->span.out_hi) {
        return LW_OPS_OVERLAP;
    }
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    bool vectors = c->vector_grid && s % c->in_vector == 0 && d % c->out_vector == 0;
    lw_convert_params p = vectors ? c->v : c->p;
    p.in = (const char *)src + c->span.in_off;
    p.out = (char *)dst + c->span.out_off;
    int form = (c->turned ? LW_CONVERT_TURNED : LW_CONVERT_STRAIGHT) + (vectors ? LW_CONVERT_VECTORS : 0);
    uint32_t grid = vectors ? c->vector_grid : c->grid;
    return lw_launch_status(lw_convert_launch(&p, form, c->arithmetic, grid, stream));
}

static void describe(const lw_plan *plan, char *text, size_t size)
{
    const convert_plan *c = (const convert_plan *)plan;
    static const char *const kernel[2][2] = {{"straight", "straight by vectors"}, {"tile 32 x 32", "tile by vectors"}};
    static const char *const arithmetic[] = {"", ", by f32", ", by f64"};
    snprintf(text, size, "%s, %d to %d bytes%s%s", kernel[c->turned][c->vector_grid > 0], c->p.in_bytes, c->p.out_bytes,
             c->p.parts == 2 ? ", complex" : "", arithmetic[c->arithmetic]);
}
