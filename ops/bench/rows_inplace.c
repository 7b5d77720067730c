/*
 * Rows of the in-place forms with bounded scratch: general matrices, few columns, N-D permutations, records. The
 * workspace is what the plan asks for; its size stands in the row.
 */
#include <stdlib.h>
#include <string.h>
#include "bench.h"

typedef struct inplace_context {
    bench_state *b;
    const lw_plan *plan;
    size_t bytes;
    void *scratch;
} inplace_context;

static int call(void *context, int set, cudaStream_t stream)
{
    const inplace_context *c = context;
    char *p = c->b->b + (size_t)set * c->bytes;
    return (int)lw_plan_run(c->plan, p, p, c->scratch, stream);
}

static void row(bench_state *b, lw_plan *plan, const char *op, const char *what, size_t bytes)
{
    char chosen[160], name[128];
    inplace_context c = {b, plan, (bytes + 511) & ~(size_t)511, NULL};
    if (!plan || c.bytes > b->size || (b->filter && !strstr(op, b->filter))) {
        lw_plan_destroy(plan);
        return;
    }
    size_t space = lw_plan_workspace(plan);
    if (!space || cudaMalloc(&c.scratch, space) == cudaSuccess) {
        lw_plan_describe(plan, chosen, sizeof chosen);
        snprintf(name, sizeof name, "%s scratch %.1f MiB launches %d", what, (double)space / (1 << 20),
                 lw_plan_launches(plan));
        bench_row r = {.op = op,
                       .what = name,
                       .plan = chosen,
                       .bytes = lw_plan_useful_bytes(plan),
                       .in_bytes = c.bytes,
                       .call = call,
                       .context = &c,
                       .peer_name = ""};
        bench_measure(b, &r);
        cudaFree(c.scratch);
    } else {
        cudaGetLastError();
    }
    lw_plan_destroy(plan);
}

void bench_rows_inplace(bench_state *b, uint64_t seed, int shapes)
{
    static const int elems[] = {4, 8, 2, 1};
    static const int64_t general[][2] = {{16384, 8192}, {10000, 20000}, {8191, 16411}, {30000, 9000}, {12288, 20480}};
    static const int64_t few[][2] = {{1 << 26, 3}, {1 << 24, 16}, {1 << 23, 24}, {1 << 22, 64}, {64, 1 << 22}};
    char what[96];
    for (int i = 0; i < 5; i++) {
        for (int e = 0; e < (i == 0 ? 4 : 1); e++) {
            lw_plan *plan = NULL;
            int64_t m = general[i][0], n = general[i][1];
            snprintf(what, sizeof what, "%lldx%lld e%d", (long long)m, (long long)n, elems[e]);
            lw_transpose_inplace_plan(b->ops, 1, m, n, elems[e], 0, &plan, NULL);
            row(b, plan, "inplace", what, (size_t)(m * n * elems[e]));
        }
    }
    for (int i = 0; i < 5; i++) {
        lw_plan *plan = NULL;
        int64_t m = few[i][0], n = few[i][1];
        snprintf(what, sizeof what, "%lldx%lld e4", (long long)m, (long long)n);
        lw_transpose_inplace_plan(b->ops, 1, m, n, 4, 0, &plan, NULL);
        row(b, plan, "inplacefew", what, (size_t)(m * n * 4));
    }
    for (int i = 0; i < shapes / 20; i++) { /* seeded */
        lw_plan *plan = NULL;
        int64_t m = 3000 + (int64_t)(seed * 2654435761u % 20011), n = 3000 + (int64_t)((seed >> 7) * 40503u % 20021);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        snprintf(what, sizeof what, "%lldx%lld e4 seeded", (long long)m, (long long)n);
        lw_transpose_inplace_plan(b->ops, 1, m, n, 4, 0, &plan, NULL);
        row(b, plan, "inplace", what, (size_t)(m * n * 4));
    }
    const int64_t image[4] = {64, 256, 128, 96};
    const int channels[4] = {0, 3, 1, 2}, turned[4] = {3, 1, 0, 2};
    for (int i = 0; i < 2; i++) {
        lw_plan *plan = NULL;
        lw_permute_inplace_plan(b->ops, 4, image, i ? turned : channels, 4, 0, &plan, NULL);
        row(b, plan, "inplacend", i ? "64x256x128x96 p3102 e4" : "64x256x128x96 p0312 e4", 64ull * 256 * 128 * 96 * 4);
    }
    lw_record l = {.fields = 4, .record_bytes = 16, .offset = {0, 4, 8, 12}, .size = {4, 4, 4, 4}};
    for (int way = 0; way < 2; way++) {
        lw_plan *plan = NULL;
        lw_record_inplace_plan(b->ops, &l, 1 << 26, way, 0, &plan, NULL);
        row(b, plan, "inplacerec", way ? "2^26 records of 4 x 4 to fields" : "2^26 records of 4 x 4 from fields",
            (size_t)1 << 30);
    }
}
