/*
 * Transposition and permutation in place against the CPU reference: matrices of every relation of sides, with so little
 * scratch that they go through strips and passes, batches, permutations of up to 5 dimensions, every element size.
 */
#include "harness.h"

typedef struct shuffle_case {
    lw_plan *plan;
    void *data, *workspace;
} shuffle_case;

static lw_ops_status run_case(void *context, cudaStream_t stream)
{
    shuffle_case *c = context;
    return lw_plan_run(c->plan, c->data, c->data, c->workspace, stream);
}

static void reference(const test_buffer *d, int rank, const int64_t *in, const int *perm, int elem)
{
    int64_t out[LW_OPS_MAX_RANK];
    void *old = malloc(d->bytes + 1);
    if (!old) exit(1);
    memcpy(old, test_host(d), d->bytes);
    for (int i = 0; i < rank; i++) out[i] = in[perm[i]];
    lw_tensor src = lw_tensor_dense(old, LW_BYTES, elem, rank, in),
              dst = lw_tensor_dense(test_host(d), LW_BYTES, elem, rank, out);
    lw_ref_permute(&dst, &src, perm);
    free(old);
}

static void compare(test_state *t, int rank, const int64_t *in, const int *perm, int elem, int64_t scratch,
                    bool capture)
{
    char what[256] = "", chosen[160];
    lw_ops_error err = {0};
    shuffle_case c = {0};
    size_t bytes = (size_t)elem;
    for (int i = 0; i < rank; i++) {
        bytes *= (size_t)in[i];
        snprintf(what + strlen(what), sizeof what - strlen(what), "%lld.%d ", (long long)in[i], perm[i]);
    }
    lw_ops_status st = lw_permute_inplace_plan(t->ops, rank, in, perm, elem, scratch, &c.plan, &err);
    test_check(t, st == LW_OPS_OK, "in place %selem %d scratch %lld: %s", what, elem, (long long)scratch, err.text);
    if (st != LW_OPS_OK) return;
    lw_plan_describe(c.plan, chosen, sizeof chosen);
    snprintf(what + strlen(what), sizeof what - strlen(what), "elem %d [%s]", elem, chosen);
    size_t space = lw_plan_workspace(c.plan);
    test_check(t, !scratch || space <= (size_t)scratch, "%s: %zu bytes of scratch", what, space);
    test_buffer d = test_buffer_make(t, bytes, 0), w = test_buffer_make(t, space, 0);
    test_upload(t, &d);
    test_upload(t, &w);
    c.data = test_device(&d);
    c.workspace = test_device(&w);
    test_check(t, run_case(&c, t->stream) == LW_OPS_OK, "%s", what);
    reference(&d, rank, in, perm, elem);
    test_same(t, &d, what);
    /* nothing beyond the scratch is touched: what lies inside it is taken as it is */
    test_cuda(t, (int)cudaMemcpy(test_host(&w), test_device(&w), space, cudaMemcpyDeviceToHost), "scratch");
    test_same(t, &w, "around the scratch");
    test_graph g;
    if (capture && test_capture(t, &g, run_case, &c)) {
        for (int replay = 0; replay < 2; replay++) {
            for (size_t i = 0; i < bytes; i++) ((unsigned char *)test_host(&d))[i] ^= (unsigned char)(i * 5 + 1);
            test_upload(t, &d);
            test_replay(t, &g);
            reference(&d, rank, in, perm, elem);
            test_same(t, &d, what);
        }
        test_graph_free(&g);
    }
    lw_plan_destroy(c.plan);
    test_buffer_free(&d);
    test_buffer_free(&w);
}

/* Few columns: panels and chunks, with much and with hardly any scratch: then cycles without a saved chunk occur. */
static void few_columns(test_state *t)
{
    static const int64_t sides[][2] = {{4096, 24}, {24, 4096}, {2048, 64}, {64, 3072}, {1500, 5}, {3, 8192}, {2, 8192}};
    static const int elems[] = {4, 1, 2, 8, 16};
    static const int turned[2] = {1, 0}, swap[3] = {0, 2, 1};
    const int64_t batch[3] = {3, 1024, 17};
    for (size_t e = 0; e < sizeof elems / sizeof *elems; e++) {
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
            int64_t bytes = sides[i][0] * sides[i][1] * elems[e];
            if (e > 2 && i % 2) continue;
            compare(t, 2, sides[i], turned, elems[e], bytes / 3, e == 0 && i < 2);
            if (e != 1) compare(t, 2, sides[i], turned, elems[e], 4096, false);
        }
    }
    compare(t, 3, batch, swap, 4, 30000, true);
    /* both sides long: tiles between two permutations of chunks */
    static const int64_t longer[][2] = {{640, 384}, {300, 600}, {512, 1024}};
    const int64_t three[3] = {2, 320, 448};
    for (size_t e = 0; e < sizeof elems / sizeof *elems; e++) {
        for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
            int64_t bytes = longer[i][0] * longer[i][1] * elems[e];
            if (e > 2 && i == 2) continue;
            compare(t, 2, longer[i], turned, elems[e], bytes / 20, e == 0 && i == 1);
        }
    }
    compare(t, 3, three, swap, 4, 70000, false);
}

int main(void)
{
    static const int64_t sides[][2] = {{1, 7},   {7, 1},    {2, 3},    {31, 33},  {33, 31},  {64, 32},   {32, 96},
                                       {97, 61}, {100, 30}, {30, 100}, {17, 600}, {600, 17}, {130, 128}, {36, 250}};
    static const int elems[] = {1, 2, 3, 4, 8, 12, 16, 24};
    static const int turned[2] = {1, 0};
    test_state t;
    int code = test_begin(&t);
    if (code) return code;
    for (size_t e = 0; e < sizeof elems / sizeof *elems; e++) {
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
            int64_t most = sides[i][0] > sides[i][1] ? sides[i][0] : sides[i][1];
            if (e > 3 && i % 3 == 1) continue;
            compare(&t, 2, sides[i], turned, elems[e], most * elems[e] * (1 + (int64_t)i % 3 * 17), e == 3 && i == 7);
            compare(&t, 2, sides[i], turned, elems[e], 0, e == 3 && i == 8);
        }
    }
    const int64_t longer[2] = {30, 7000}, batch[3] = {5, 20, 33}, squares[3] = {3, 40, 40};
    const int swap[3] = {0, 2, 1};
    const int64_t blocks[3] = {20, 30, 41}, wide[3] = {3, 4, 60000};
    const int rows[3] = {1, 0, 2}, back[3] = {2, 1, 0};
    compare(&t, 2, longer, turned, 1, 7000 * 40, false);
    compare(&t, 3, batch, swap, 4, 0, false);
    compare(&t, 3, batch, swap, 4, 20 * 33 * 4 * 2, true);
    compare(&t, 3, batch, swap, 4, 600, false);
    compare(&t, 3, squares, swap, 2, 0, false);
    compare(&t, 3, blocks, rows, 4, 41 * 4 * 31, false);
    compare(&t, 3, blocks, back, 2, 41 * 31 * 20, false);
    compare(&t, 3, wide, rows, 4, 60000 * 4 * 7, false); /* rows longer than shared memory */
    compare(&t, 3, wide, back, 4, 60000 * 4 * 6, false);
    for (int i = 0; i < t.cases; i++) {
        static const int few[] = {1, 2, 4, 4, 8, 6};
        int rank = 2 + (int)test_random(&t, 4), perm[LW_OPS_MAX_RANK], elem = few[test_random(&t, 6)];
        int64_t extent[LW_OPS_MAX_RANK], volume = elem;
        for (int k = 0; k < rank; k++) {
            extent[k] = 1 + (int64_t)test_random(&t, rank == 2 ? 200 : rank == 3 ? 40 : 12);
            volume *= extent[k];
            perm[k] = k;
        }
        for (int k = rank - 1; k > 0; k--) {
            int j = (int)test_random(&t, (uint64_t)k + 1), x = perm[k];
            perm[k] = perm[j];
            perm[j] = x;
        }
        compare(&t, rank, extent, perm, elem, i % 3 == 0 ? 0 : volume / 2 + elem, i == 1);
    }
    few_columns(&t);
    lw_plan *plan = NULL;
    lw_ops_error err;
    const int twice[2] = {1, 1};
    const int64_t empty[2] = {0, 5};
    test_check(&t,
               lw_permute_inplace_plan(t.ops, 2, sides[3], twice, 4, 0, &plan, &err) == LW_OPS_BAD_ARGUMENT && !plan,
               "no permutation");
    test_check(&t, lw_transpose_inplace_plan(t.ops, 1, 100, 1000, 4, 399, &plan, &err) == LW_OPS_WORKSPACE && !plan,
               "too little scratch");
    test_check(&t, lw_permute_inplace_plan(t.ops, 2, empty, turned, 4, 0, &plan, &err) == LW_OPS_OK, "nothing");
    test_check(&t, lw_plan_run(plan, NULL, NULL, NULL, t.stream) == LW_OPS_OK, "nothing to do");
    lw_plan_destroy(plan);
    if (lw_transpose_inplace_plan(t.ops, 1, 100, 1000, 4, 0, &plan, &err) == LW_OPS_OK) {
        test_buffer d = test_buffer_make(&t, 400000, 0);
        void *p = test_device(&d);
        test_check(&t, lw_plan_run(plan, p, p, NULL, t.stream) == LW_OPS_WORKSPACE, "no workspace");
        test_buffer_free(&d);
    }
    lw_plan_destroy(plan);
    return test_end(&t, "shuffle");
}
