/*
 * Rows of the copy-like ops: 2-D transposes of listed and odd sizes, batches, seeded permutations, in-place forms,
 * reversals. Peers: cuBLAS geam and cublasLtMatrixTransform of transposes, Thrust of reversals.
 */
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "peers.h"

typedef struct copy_context {
    bench_state *b;
    const lw_plan *plan;
    size_t in_bytes;
    int offset_in, offset_out;
    bool inplace;
    peer_blas *blas; /* transposes */
    int elem;
    int64_t reversed; /* elements of a reversal that Thrust can do */
} copy_context;

static int call_plan(void *context, int set, cudaStream_t stream)
{
    const copy_context *c = context;
    size_t at = (size_t)set * c->in_bytes;
    char *out = c->b->b + at + c->offset_out;
    return (int)lw_plan_run(c->plan, out, c->inplace ? out : c->b->a + at + c->offset_in, NULL, stream);
}

static int call_geam(void *context, int set, cudaStream_t stream)
{
    const copy_context *c = context;
    size_t at = (size_t)set * c->in_bytes;
    return peer_geam(c->blas, c->b->b + at + c->offset_out, c->b->a + at + c->offset_in, stream);
}

static int call_transform(void *context, int set, cudaStream_t stream)
{
    const copy_context *c = context;
    size_t at = (size_t)set * c->in_bytes;
    return peer_transform(c->blas, c->b->b + at + c->offset_out, c->b->a + at + c->offset_in, stream);
}

static int call_thrust(void *context, int set, cudaStream_t stream)
{
    const copy_context *c = context;
    size_t at = (size_t)set * c->in_bytes;
    return peer_thrust_reverse(c->b->b + at, c->inplace ? c->b->b + at : c->b->a + at, c->reversed, c->elem, stream);
}

/* Those that can do it: a try that fails is none. */
static void add_peers(bench_row *row, const copy_context *c, cudaStream_t stream)
{
    static const bench_peer all[] = {
        {call_geam, "cuBLAS geam"}, {call_transform, "cublasLtMatrixTransform"}, {call_thrust, "Thrust"}};
    const bool there[] = {peer_has_geam(c->blas), peer_has_transform(c->blas) && !c->offset_in, c->reversed > 0};
    int n = 0;
    for (int i = 0; i < 3; i++) {
        if (!there[i] || all[i].call((void *)c, 0, stream)) continue;
        row->more[n++] = all[i];
    }
    if (cudaStreamSynchronize(stream) != cudaSuccess) memset(row->more, 0, sizeof row->more);
    cudaGetLastError();
}

static void run_plan(bench_state *b, lw_plan *plan, const char *op, const char *what, size_t side, copy_context *c)
{
    char chosen[128];
    c->b = b;
    c->plan = plan;
    c->in_bytes = (side + 64 + 511) & ~(size_t)511;
    if (plan && c->in_bytes <= b->size) {
        lw_plan_describe(plan, chosen, sizeof chosen);
        bench_row row = {.op = op,
                         .what = what,
                         .plan = chosen,
                         .bytes = lw_plan_useful_bytes(plan),
                         .in_bytes = c->in_bytes,
                         .call = call_plan,
                         .context = c,
                         .peer_name = ""};
        if (!b->limit.counting && (!b->filter || strstr(op, b->filter))) add_peers(&row, c, b->stream);
        bench_measure(b, &row);
    }
    lw_plan_destroy(plan);
}

static void transpose_row(bench_state *b, const char *op, int64_t batch, int64_t rows, int64_t cols, int elem, int off,
                          peer_blas *blas)
{
    char what[96];
    lw_plan *plan = NULL;
    copy_context c = {.offset_in = off, .offset_out = off};
    if (batch == 1 && off % elem == 0 && peer_blas_set(blas, rows, cols, elem)) c.blas = blas;
    snprintf(what, sizeof what, "%lldx%lldx%lld e%d", (long long)batch, (long long)rows, (long long)cols, elem);
    if (off) snprintf(what + strlen(what), sizeof what - strlen(what), " +off %d", off);
    lw_transpose_plan(b->ops, batch, rows, cols, elem, off, &plan, NULL);
    run_plan(b, plan, op, what, (size_t)(batch * rows * cols * elem), &c);
}

static uint64_t next(uint64_t *s)
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Extents of any size whose product fits. */
int bench_permute_shape(uint64_t *seed, int elem, int64_t *in, int *perm)
{
    int rank = 3 + (int)(next(seed) % 5);
    int64_t volume = 1, want = ((int64_t)(256 + next(seed) % 768) << 20) / elem;
    for (int i = 0; i < rank; i++) {
        double left = (double)want / (double)volume, mean = 1;
        int rest = rank - i;
        while (mean < 1e9) { /* the rest-th root of what is left */
            double p = 1;
            for (int k = 0; k < rest; k++) p *= mean;
            if (p >= left) break;
            mean *= 1.05;
        }
        int64_t e = i + 1 == rank ? (int64_t)left : (int64_t)(mean * (0.4 + (double)(next(seed) % 1000) / 700));
        if (next(seed) % 2) e = e > 8 ? e & ~(int64_t)7 : e; /* half of them multiples of 8 */
        in[i] = e < 2 ? 2 : e;
        volume *= in[i];
        perm[i] = i;
    }
    for (bool moved = false; !moved;) {
        for (int i = rank - 1; i > 0; i--) {
            int j = (int)(next(seed) % (uint64_t)(i + 1)), k = perm[i];
            perm[i] = perm[j];
            perm[j] = k;
        }
        for (int i = 0; i < rank; i++) moved = moved || perm[i] != i;
    }
    return rank;
}

static void permute_row(bench_state *b, uint64_t *seed, int elem)
{
    int perm[8];
    int64_t in[8], out[8], volume = 1;
    char what[160] = "", op[24];
    lw_plan *plan = NULL;
    copy_context c = {0};
    int rank = bench_permute_shape(seed, elem, in, perm);
    for (int i = 0; i < rank; i++) {
        out[i] = in[perm[i]];
        volume *= in[i];
        snprintf(what + strlen(what), sizeof what - strlen(what), i ? "x%lld" : "%lld", (long long)in[i]);
    }
    snprintf(what + strlen(what), sizeof what - strlen(what), " p");
    for (int i = 0; i < rank; i++) snprintf(what + strlen(what), sizeof what - strlen(what), "%d", perm[i]);
    snprintf(what + strlen(what), sizeof what - strlen(what), " e%d", elem);
    snprintf(op, sizeof op, elem >= 4 ? "permute4" : "permute1");
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem, rank, in),
              dst = lw_tensor_dense(NULL, LW_BYTES, elem, rank, out);
    lw_permute_plan(b->ops, &dst, &src, perm, &plan, NULL);
    run_plan(b, plan, op, what, (size_t)volume * (size_t)elem, &c);
}

static void flips(bench_state *b)
{
    static const int elems[] = {1, 2, 4, 8, 16, 12, 3};
    char what[96];
    for (int i = 0; i < 7; i++) {
        for (int odd = 0; odd < 2; odd++) {
            int64_t n = ((int64_t)1 << 30) / elems[i] - odd;
            lw_tensor t = lw_tensor_dense(NULL, LW_BYTES, elems[i], 1, &n);
            lw_plan *plan = NULL;
            bool thrust = elems[i] != 12 && elems[i] != 3;
            copy_context c = {.elem = elems[i], .reversed = thrust ? n : 0}, d = c;
            d.inplace = true;
            snprintf(what, sizeof what, "1 GiB e%d%s", elems[i], odd ? " odd" : "");
            lw_flip_plan(b->ops, &t, &t, 1, &plan, NULL);
            run_plan(b, plan, "flip", what, (size_t)1 << 30, &c);
            lw_flip_inplace_plan(b->ops, &t, 1, &plan, NULL);
            run_plan(b, plan, "flipin", what, (size_t)1 << 30, &d);
        }
    }
    const int64_t image[3] = {64, 2048, 2048};
    for (uint32_t axes = 1; axes < 8; axes++) {
        lw_tensor t = lw_tensor_dense(NULL, LW_F32, 4, 3, image);
        lw_plan *plan = NULL;
        copy_context c = {0}, d = {.inplace = true};
        snprintf(what, sizeof what, "64x2048x2048 f32 axes %u", axes);
        lw_flip_plan(b->ops, &t, &t, axes, &plan, NULL);
        run_plan(b, plan, "flip", what, (size_t)1 << 30, &c);
        lw_flip_inplace_plan(b->ops, &t, axes, &plan, NULL);
        run_plan(b, plan, "flipin", what, (size_t)1 << 30, &d);
    }
}

static void transposes(bench_state *b, peer_blas *blas)
{
    static const int64_t large[][2] = {{8192, 8192},   {16384, 16384}, {12288, 12288},
                                       {10000, 10000}, {16384, 16416}, {5000, 50000}};
    static const int64_t odd[][2] = {{8191, 8193}, {10001, 10003}, {4999, 50001}, {16384, 8190}};
    static const int elems[] = {4, 2, 1, 8, 16, 12};
    for (int e = 0; e < 6; e++) {
        for (int i = 0; i < 6; i++) transpose_row(b, "transpose", 1, large[i][0], large[i][1], elems[e], 0, blas);
        for (int i = 0; i < 4; i++) transpose_row(b, "transodd", 1, odd[i][0], odd[i][1], elems[e], 0, blas);
        transpose_row(b, "transodd", 1, 8192, 8192, elems[e], 1, blas);
        transpose_row(b, "transodd", 1, 8192, 8192, elems[e], 4, blas);
    }
    transpose_row(b, "transpose", 1, 4096, 4096, 4, 0, blas);
    transpose_row(b, "transpose", 1, 32768, 32768, 1, 0, blas);
    for (int e = 0; e < 3; e++) {
        transpose_row(b, "batch", 1 << 20, 4, 4, elems[e], 0, NULL);
        transpose_row(b, "batch", 1 << 18, 16, 16, elems[e], 0, NULL);
        transpose_row(b, "batch", 65536, 32, 32, elems[e], 0, NULL);
        transpose_row(b, "batch", 100, 1000, 1000, elems[e], 0, NULL);
    }
    static const int64_t small[] = {256, 512, 1024, 2048};
    for (int i = 0; i < 4; i++) transpose_row(b, "small", 1, small[i], small[i], 4, 0, blas);
    for (int e = 0; e < 5; e++) {
        static const int64_t sides[] = {16384, 10000, 8191};
        for (int i = 0; i < 3; i++) {
            char what[64];
            lw_plan *plan = NULL;
            copy_context c = {.inplace = true};
            int64_t n = sides[i], bytes = n * n * elems[e];
            if (elems[e] > 8 && i == 0) continue;
            snprintf(what, sizeof what, "%lld^2 e%d", (long long)n, elems[e]);
            lw_transpose_square_inplace_plan(b->ops, 1, n, elems[e], n * elems[e], bytes, &plan, NULL);
            run_plan(b, plan, "square", what, (size_t)bytes, &c);
        }
    }
}

void bench_rows_copy(bench_state *b, uint64_t seed, int shapes)
{
    peer_blas *blas = b->limit.counting ? NULL : peer_blas_make();
    transposes(b, blas);
    peer_blas_free(blas);
    flips(b);
    static const int elems[] = {4, 8, 16, 4}, small[] = {1, 2};
    for (int i = 0; i < shapes; i++) permute_row(b, &seed, elems[i % 4]);
    for (int i = 0; i < shapes / 2; i++) permute_row(b, &seed, small[i % 2]);
}
