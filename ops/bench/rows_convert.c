/*
 * Rows of the conversions (contiguous, turned, 3-D), of pads and crops, and of rows taken and put by an index. The
 * denominator is a copy of as many bytes, half of them read.
 */
#include <stdlib.h>
#include <string.h>
#include "bench.h"

#define MATRIX 16384 /* rows and columns */

typedef struct plan_context {
    bench_state *b;
    lw_plan *plan;
    size_t shift; /* bytes that both bases lie behind a multiple of 256 */
} plan_context;

static int call_plan(void *context, int set, cudaStream_t stream)
{
    const plan_context *c = context;
    (void)set;
    return (int)lw_plan_run(c->plan, c->b->b + c->shift, c->b->a + c->shift, NULL, stream);
}

static void plan_row(bench_state *b, const char *op, const char *what, lw_plan *plan, size_t shift)
{
    char chosen[128];
    plan_context c = {b, plan, shift};
    if (!plan) return;
    lw_plan_describe(plan, chosen, sizeof chosen);
    bench_row row = {.op = op,
                     .what = what,
                     .plan = chosen,
                     .bytes = lw_plan_useful_bytes(plan),
                     .in_bytes = (size_t)1 << 30,
                     .call = call_plan,
                     .context = &c,
                     .peer_name = ""};
    bench_measure(b, &row);
    lw_plan_destroy(plan);
}

typedef struct convert_what {
    const char *name;
    int from, to;
    uint32_t flags;
} convert_what;

static const convert_what conversions[] = {
    {"f32 to bf16", LW_F32, LW_BF16, 0},
    {"f32 to f16", LW_F32, LW_F16, 0},
    {"f16 to f32", LW_F16, LW_F32, 0},
    {"f64 to f32", LW_F64, LW_F32, 0},
    {"i8 to f32", LW_I8, LW_F32, 0},
    {"f32 to u8", LW_F32, LW_U8, 0},
    {"bf16 to fp8", LW_BF16, LW_F8E4M3, 0},
    {"byte swap of 4", LW_U32, LW_U32, LW_CONVERT_SWAP_INPUT},
    {"byte swap of 2", LW_U16, LW_U16, LW_CONVERT_SWAP_INPUT},
    {"conjugate of f32 pairs", LW_F32, LW_F32, LW_CONVERT_COMPLEX | LW_CONVERT_CONJUGATE},
};

/* 2^28 elements as one run, turned, or with the last two of three dimensions turned. */
static void convert_row(bench_state *b, const convert_what *w, int form, size_t shift)
{
    static const char *const forms[] = {"contiguous", "transposed", "4096x64x1024 p021"};
    static const int turned[] = {1, 0}, inner[] = {0, 2, 1};
    const int64_t flat[] = {MATRIX, MATRIX}, in[] = {4096, 64, 1024}, out[] = {4096, 1024, 64};
    char what[96];
    lw_plan *plan = NULL;
    int rank = form == 2 ? 3 : 2, parts = w->flags & LW_CONVERT_COMPLEX ? 2 : 1;
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, lw_type_bytes(w->from) * parts, rank, form == 2 ? in : flat);
    lw_tensor dst = lw_tensor_dense(NULL, LW_BYTES, lw_type_bytes(w->to) * parts, rank, form == 2 ? out : flat);
    src.type = w->from;
    dst.type = w->to;
    lw_convert_plan(b->ops, &dst, &src, form == 1 ? turned : form == 2 ? inner : NULL, w->flags, &plan, NULL);
    snprintf(what, sizeof what, "%s %s%s", w->name, forms[form], shift ? ", bases + 8" : "");
    plan_row(b, "convert", what, plan, shift);
}

static void pad_row(bench_state *b, int elem, int64_t rows, int64_t cols, int64_t margin)
{
    static const unsigned char value[16] = {1, 2, 3, 4};
    const int64_t in[] = {rows, cols}, before[] = {margin, margin};
    const int64_t out[] = {rows + 2 * margin, cols + 2 * margin};
    char what[96];
    lw_plan *plan = NULL;
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem, 2, in), dst = lw_tensor_dense(NULL, LW_BYTES, elem, 2, out);
    lw_pad_plan(b->ops, &dst, &src, before, value, &plan, NULL);
    snprintf(what, sizeof what, "%lldx%lld e%d margin %lld", (long long)rows, (long long)cols, elem, (long long)margin);
    plan_row(b, margin < 0 ? "crop" : "pad", what, plan, 0);
}

typedef struct index_context {
    bench_state *b;
    int64_t rows, row_bytes;
    const void *index;
    bool scatter;
} index_context;

static int call_index(void *context, int set, cudaStream_t stream)
{
    const index_context *c = context;
    (void)set;
    if (c->scatter) {
        return (int)lw_scatter_rows(c->b->ops, c->b->b, c->rows, c->row_bytes, c->b->a, c->row_bytes, c->row_bytes,
                                    c->index, 4, c->rows, 0, stream);
    }
    return (int)lw_gather_rows(c->b->ops, c->b->b, c->row_bytes, c->b->a, c->rows, c->row_bytes, c->row_bytes, c->index,
                               4, c->rows, 0, stream);
}

/* Every row once, in an order that jumps: index i is i times an odd number, modulo a power of two. */
static void index_row(bench_state *b, int64_t row_bytes, bool scatter)
{
    char what[96];
    int64_t rows = ((int64_t)1 << 30) / row_bytes;
    if (b->filter && !strstr(scatter ? "scatter" : "gather", b->filter)) return; /* the order takes a while */
    uint32_t *order = malloc((size_t)rows * 4);
    char *index = b->a + b->size - (((size_t)rows * 4 + 255) & ~(size_t)255);
    if (!order) return;
    for (int64_t i = 0; i < rows; i++) order[i] = (uint32_t)(((uint64_t)i * 2654435761u) & (uint64_t)(rows - 1));
    cudaMemcpy(index, order, (size_t)rows * 4, cudaMemcpyHostToDevice);
    free(order);
    index_context c = {b, rows, row_bytes, index, scatter};
    snprintf(what, sizeof what, "rows of %lld bytes", (long long)row_bytes);
    bench_row row = {.op = scatter ? "scatter" : "gather",
                     .what = what,
                     .plan = "",
                     .in_bytes = (size_t)1 << 30,
                     .bytes = (double)rows * (double)(2 * row_bytes + 4),
                     .call = call_index,
                     .context = &c,
                     .peer_name = ""};
    bench_measure(b, &row);
}

void bench_rows_convert(bench_state *b)
{
    int count = (int)(sizeof conversions / sizeof *conversions);
    for (int form = 0; form < 3; form++) {
        for (int i = 0; i < count; i++) convert_row(b, &conversions[i], form, 0);
    }
    convert_row(b, &conversions[0], 0, 8);
    pad_row(b, 4, 8192, 8192, 64);
    pad_row(b, 4, 8191, 8189, 3);
    pad_row(b, 2, 8192, 16384, 1);
    pad_row(b, 1, 16384, 16384, 16);
    pad_row(b, 4, 16384, 16384, -64);
    pad_row(b, 4, 16384, 16384, -3);
    pad_row(b, 1, 16384, 16384, -1);
    for (int scatter = 0; scatter < 2; scatter++) {
        for (int64_t bytes = 64; bytes <= 4096; bytes *= 4) index_row(b, bytes, scatter);
    }
}
