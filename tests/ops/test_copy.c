/*
 * Strided copies, permutations, flips and in-place forms against the CPU reference: listed sizes (0, 1, 31, 32, 33,
 * odd, around tile sizes) for every element size, then random shapes with misaligned bases, padded and negative
 * strides.
 */
#include "few_handle.h"

typedef struct copy_case {
    lw_plan *plan;
    void *dst;
    const void *src;
} copy_case;

static lw_ops_status run_case(void *context, cudaStream_t stream)
{
    copy_case *c = context;
    return lw_plan_run(c->plan, c->dst, c->src, NULL, stream);
}

/* Byte range of a tensor around its element 0. */
static void range(const lw_tensor *t, int elem, int64_t *lo, int64_t *hi)
{
    *lo = 0;
    *hi = elem;
    for (int i = 0; i < t->rank; i++) {
        int64_t span = (t->extent[i] - 1) * t->stride[i];
        if (t->extent[i] == 0) {
            *hi = *lo;
            return;
        }
        if (span < 0) *lo += span;
        else *hi += span;
    }
}

static void compare(test_state *t, lw_tensor dst, lw_tensor src, const int *perm, uint32_t axes, int dmis, int smis,
                    bool capture, const char *name)
{
    int64_t dlo, dhi, slo, shi;
    char what[320], shape[160] = "", chosen[96];
    int elem = src.elem_bytes;
    range(&dst, elem, &dlo, &dhi);
    range(&src, elem, &slo, &shi);
    for (int i = 0; i < dst.rank; i++) {
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), " %lld:%lld/%lld", (long long)dst.extent[i],
                 (long long)dst.stride[i], (long long)src.stride[perm ? perm[i] : i]);
    }
    test_buffer d = test_buffer_make(t, (size_t)(dhi - dlo), (size_t)dmis);
    test_buffer s = test_buffer_make(t, (size_t)(shi - slo), (size_t)smis);
    lw_plan *plan = NULL;
    lw_ops_error err;
    lw_ops_status st = perm ? lw_permute_plan(t->ops, &dst, &src, perm, &plan, &err)
                            : lw_flip_plan(t->ops, &dst, &src, axes, &plan, &err);
    test_check(t, st == LW_OPS_OK, "%s elem %d%s: %s", name, elem, shape, err.text);
    if (st == LW_OPS_OK) {
        lw_plan_describe(plan, chosen, sizeof chosen);
        snprintf(what, sizeof what, "%s elem %d mis %d/%d%s [%s]", name, elem, dmis, smis, shape, chosen);
        copy_case c = {plan, (char *)test_device(&d) - dlo, (char *)test_device(&s) - slo};
        dst.data = (char *)test_host(&d) - dlo;
        src.data = (char *)test_host(&s) - slo;
        test_upload(t, &d);
        test_upload(t, &s);
        st = run_case(&c, t->stream);
        test_check(t, st == LW_OPS_OK, "%s: %s", what, lw_ops_status_text(st));
        perm ? lw_ref_permute(&dst, &src, perm) : lw_ref_flip(&dst, &src, axes);
        test_same(t, &d, what);
        test_graph g;
        if (capture && test_capture(t, &g, run_case, &c)) {
            for (int replay = 0; replay < 2; replay++) {
                for (size_t i = 0; i < s.bytes; i++) ((unsigned char *)test_host(&s))[i] ^= (unsigned char)(i * 7 + 13);
                test_upload(t, &s);
                test_replay(t, &g);
                perm ? lw_ref_permute(&dst, &src, perm) : lw_ref_flip(&dst, &src, axes);
                test_same(t, &d, what);
            }
            test_graph_free(&g);
        }
    }
    lw_plan_destroy(plan);
    test_buffer_free(&d);
    test_buffer_free(&s);
}

static void transposes(test_state *t)
{
    static const int64_t sizes[][3] = {
        {1, 0, 5},     {1, 1, 1}, {1, 31, 33}, {1, 32, 32}, {2, 33, 31},   {1, 64, 128}, {3, 5, 7},     {1, 130, 259},
        {2, 128, 128}, {5, 4, 4}, {3, 16, 16}, {1, 3, 700}, {1, 200, 144}, {40, 2, 3},   {1, 127, 131}, {2, 96, 65},
    };
    static const int elems[] = {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64, 5};
    const int perm[3] = {0, 2, 1};
    for (size_t e = 0; e < sizeof elems / sizeof *elems; e++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const int64_t in[3] = {sizes[i][0], sizes[i][1], sizes[i][2]}, out[3] = {in[0], in[2], in[1]};
            lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elems[e], 3, in);
            lw_tensor dst = lw_tensor_dense(NULL, LW_BYTES, elems[e], 3, out);
            if (elems[e] * in[1] * in[2] > 300000) continue;
            compare(t, dst, src, perm, 0, 0, 0, i == 3, "transpose");
            src.align = dst.align = 1;
            if (i == 7 || i == 3) compare(t, dst, src, perm, 0, 5, 3, false, "transpose");
            if (i == 8) compare(t, dst, src, perm, 0, 8, 4, false, "transpose");
        }
    }
}

/* Matrices of some tiles of bulk.cu at odd addresses: whole and cut tiles, both ends of the tensor, rows with padding, mirrored. */
static void odd_tiles(test_state *t)
{
    static const int cases[][4] = {
        /* element bytes, rows, columns, what bases are off by */
        {1, 251, 253, 0}, {1, 128, 256, 1}, {2, 251, 253, 0}, {2, 256, 128, 2}, {4, 121, 313, 0}, {4, 64, 320, 4},
        {8, 61, 125, 4},  {8, 64, 64, 12},  {12, 61, 125, 0}, {12, 64, 96, 4},  {16, 29, 125, 4}, {16, 32, 64, 8},
    };
    const int perm[3] = {0, 2, 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int *c = cases[i];
        const int64_t in[3] = {2, c[1], c[2]}, out[3] = {2, c[2], c[1]};
        for (int form = 0; form < 3; form++) {
            lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, c[0], 3, in),
                      dst = lw_tensor_dense(NULL, LW_BYTES, c[0], 3, out);
            if (c[3]) src.align = dst.align = c[3] & -c[3];
            if (form == 1) { /* rows with something between */
                src.stride[1] += c[0];
                src.stride[0] = c[1] * src.stride[1] + c[0];
                dst.stride[1] += 3 * c[0];
                dst.stride[0] = c[2] * dst.stride[1];
            }
            if (form == 2) {
                src.stride[1] = -src.stride[1];
                dst.stride[0] = -dst.stride[0];
            }
            compare(t, dst, src, perm, 0, c[3], c[3], i == 4 && form == 0, "odd tiles");
        }
    }
}

static void flips(test_state *t)
{
    static const int64_t sizes[] = {0, 1, 31, 32, 33, 4095, 5001};
    static const int elems[] = {1, 2, 3, 4, 8, 16, 24};
    for (size_t e = 0; e < sizeof elems / sizeof *elems; e++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            lw_tensor a = lw_tensor_dense(NULL, LW_BYTES, elems[e], 1, &sizes[i]);
            compare(t, a, a, NULL, 1, 0, 0, i == 4, "flip");
            a.align = 1;
            compare(t, a, a, NULL, 1, 3, 9, false, "flip");
        }
    }
    const int64_t image[3] = {6, 33, 40};
    for (uint32_t axes = 0; axes < 8; axes++) {
        lw_tensor a = lw_tensor_dense(NULL, LW_BYTES, 4, 3, image);
        compare(t, a, a, NULL, axes, 0, 4, false, "flip");
        a = lw_tensor_dense(NULL, LW_BYTES, 2, 3, image);
        compare(t, a, a, NULL, axes, 0, 0, false, "flip");
    }
}

/* Aligned rows with gaps in up to four more dimensions, copied and reversed, also rows of more than a block's bytes. */
static void aligned_rows(test_state *t)
{
    static const int64_t outer[] = {3, 5, 2, 2}, bytes[] = {64, 80, 4096, 4112, 20000};
    for (int elem = 1; elem <= 16; elem *= 2) {
        for (int rank = 1; rank <= 5; rank++) {
            for (int i = 0; i < 5; i++) {
                int64_t extent[5], in = bytes[i] + 16, out = bytes[i] + 48;
                for (int k = 0; k + 1 < rank; k++) extent[k] = outer[k];
                extent[rank - 1] = bytes[i] / elem;
                lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem, rank, extent), dst = src;
                for (int k = rank - 2; k >= 0; k--) { /* nothing that could be merged */
                    src.stride[k] = in;
                    dst.stride[k] = out;
                    in = in * extent[k] + 32;
                    out = out * extent[k] + 16;
                }
                for (uint32_t axes = 0; axes < 2; axes++) {
                    uint32_t all = axes << (rank - 1) | (rank > 1 && i % 2 ? 1u : 0);
                    compare(t, dst, src, NULL, all, 0, 0, i == 1 && rank == 2, "aligned rows");
                }
            }
        }
    }
}

static void inplace_case(test_state *t, lw_plan *plan, lw_tensor a, int mis, uint32_t axes, bool square,
                         const char *name);

static void flip_in_place(test_state *t, lw_tensor a, uint32_t axes, int mis)
{
    lw_ops_error err;
    lw_plan *plan = NULL;
    char name[256], chosen[120];
    a.align = mis ? 1 : 0;
    lw_ops_status st = lw_flip_inplace_plan(t->ops, &a, axes, &plan, &err);
    test_check(t, st == LW_OPS_OK, "flip in place: %s", err.text);
    if (st != LW_OPS_OK) return;
    lw_plan_describe(plan, chosen, sizeof chosen);
    snprintf(name, sizeof name, "flip in place elem %d mis %d %lldx%lld axes %u [%s]", a.elem_bytes, mis,
             (long long)a.extent[0], (long long)a.extent[1], axes, chosen);
    inplace_case(t, plan, a, mis, axes, false, name);
    lw_plan_destroy(plan);
}

/* Every element size: rows of more than a block's bytes, short ones, with gaps and without, bases aligned and odd. */
static void flips_of_every_size(test_state *t)
{
    for (int elem = 1; elem <= LW_OPS_MAX_ELEM; elem++) {
        const int64_t shapes[][2] = {{1, 36000 / elem + 3}, {9, 2100 / elem + 2}, {60, 70 / elem + 2}};
        for (int i = 0; i < 3; i++) {
            int mis = 1 + elem % 13, low = elem & -elem;
            lw_tensor a = lw_tensor_dense(NULL, LW_BYTES, elem, 2, shapes[i]), wide = a;
            for (int odd = 0; odd < 2; odd++) {
                a.align = odd;
                compare(t, a, a, NULL, 2, odd * mis, odd * 5, false, "flip");
                flip_in_place(t, a, 2, odd * mis);
                flip_in_place(t, a, 2, odd * low); /* aligned to the element only */
            }
            const int64_t three[3] = {3, shapes[i][0], shapes[i][1] / (i ? 1 : 6) + 2};
            lw_tensor b = lw_tensor_dense(NULL, LW_BYTES, elem, 3, three);
            compare(t, b, b, NULL, 5, 0, 0, false, "flip");
            wide.stride[0] += 7;
            wide.align = 1;
            compare(t, wide, a, NULL, 1 + (uint32_t)(elem + i) % 3, mis, 2, false, "flip");
            compare(t, a, wide, NULL, 1 + (uint32_t)(elem + i + 1) % 3, mis, 0, false, "flip");
            flip_in_place(t, wide, 1 + (uint32_t)(elem + i) % 3, mis);
        }
    }
}

/* A random layout of the extents: any order of dimensions, padding, some strides negative. */
static void random_strides(test_state *t, lw_tensor *a, bool broadcast)
{
    int order[LW_OPS_MAX_RANK];
    int64_t step = a->elem_bytes;
    for (int i = 0; i < a->rank; i++) order[i] = i;
    for (int i = a->rank - 1; i > 0; i--) {
        int j = (int)test_random(t, (uint64_t)i + 1), k = order[i];
        order[i] = order[j];
        order[j] = k;
    }
    if (test_random(t, 8) == 0) step *= 2;
    for (int i = 0; i < a->rank; i++) {
        int k = order[i];
        a->stride[k] = step;
        step *= a->extent[k] > 0 ? a->extent[k] : 1;
        if (test_random(t, 4) == 0) step += (int64_t)test_random(t, 3) * (test_random(t, 2) ? a->elem_bytes : 16);
        if (test_random(t, 6) == 0) a->stride[k] = -a->stride[k];
        if (broadcast && test_random(t, 8) == 0) a->stride[k] = 0;
    }
}

static void random_shapes(test_state *t)
{
    static const int elems[] = {1, 2, 4, 8, 16, 1, 2, 4, 3, 12, 32, 6};
    for (int i = 0; i < t->cases; i++) {
        int rank = (int)test_random(t, 9), elem = elems[test_random(t, 12)];
        int64_t extent[LW_OPS_MAX_RANK] = {0}, volume = elem;
        for (int k = 0; k < rank; k++) {
            int64_t most = 40000 / volume;
            extent[k] = 1 + (int64_t)test_random(t, most > 300 ? 300 : most > 0 ? (uint64_t)most : 1);
            if (rank > 4) extent[k] = 1 + extent[k] % 7;
            else if (test_random(t, 2)) extent[k] = (extent[k] + 15) & ~15;
            volume *= extent[k];
        }
        lw_tensor a = lw_tensor_dense(NULL, LW_BYTES, elem, rank, extent), b = a;
        int perm[LW_OPS_MAX_RANK];
        for (int k = 0; k < rank; k++) perm[k] = k;
        if (test_random(t, 3)) random_strides(t, &a, true);
        if (test_random(t, 3)) random_strides(t, &b, false);
        bool aligned = test_random(t, 2);
        if (!aligned) a.align = b.align = 1;
        compare(t, b, a, perm, 0, aligned ? 0 : (int)test_random(t, 17), aligned ? 0 : (int)test_random(t, 17), i == 0,
                "random");
    }
}

/* What permutations did: gathered as runs, as lines, squares in registers. */
enum { BY_RUNS, BY_LINES, BY_SQUARES, WAYS };

/* One at two addresses, its plan counted in `seen`. */
static void permute_case(test_state *t, int rank, const int64_t *in, const int *perm, int elem, int i, int *seen)
{
    int64_t out[LW_OPS_MAX_RANK];
    for (int k = 0; k < rank; k++) out[k] = in[perm[k]];
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem, rank, in);
    lw_tensor dst = lw_tensor_dense(NULL, LW_BYTES, elem, rank, out);
    int unit = elem & -elem, off = i % 3 ? 0 : unit * (1 + (int)test_random(t, 7));
    char chosen[128] = "";
    lw_plan *plan = NULL;
    if (off) src.align = dst.align = unit;
    compare(t, dst, src, perm, 0, off, i % 2 ? off : 0, i == 4, "permute");
    lw_permute_plan(t->ops, &dst, &src, perm, &plan, NULL);
    lw_plan_describe(plan, chosen, sizeof chosen);
    lw_plan_destroy(plan);
    bool gathered = strstr(chosen, "gathered") != NULL, lines = strstr(chosen, "lines") != NULL;
    seen[BY_RUNS] += gathered && !lines;
    seen[BY_LINES] += gathered && lines;
    seen[BY_SQUARES] += strstr(chosen, "in registers") != NULL;
}

/*
 * Permutations of some boxes: what gather.cu does by runs and by lines, and direct.cu by squares, for every unit, at
 * aligned and odd addresses, with extents that boxes cut. On devices that gather both forms must come up.
 */
static void permutes(test_state *t)
{
    static const int elems[] = {1, 2, 4, 8, 16, 12}, last_first[] = {2, 0, 1};
    static const struct {
        int elem;
        int64_t in[3];
    } lines[] = {
        {4, {13, 7, 175}}, {2, {13, 37, 133}}, {1, {19, 37, 148}}, {1, {58, 6, 176}}, {2, {4, 53, 105}},
    };
    int seen[WAYS] = {0};
    for (int i = 0; i < 60 + t->cases / 2; i++) {
        int elem = elems[i % 6], rank = 3 + (int)test_random(t, elem < 3 ? 2 : 4), perm[LW_OPS_MAX_RANK];
        int64_t in[LW_OPS_MAX_RANK], left = (30000 + (int64_t)test_random(t, 90000)) / elem;
        for (int k = 0; k < rank; k++) {
            int64_t most = rank - k > 3 ? 9 : rank - k > 2 ? 40 : left / 12;
            in[k] = 2 + (int64_t)test_random(t, most > 120 ? 120 : most > 2 ? (uint64_t)most - 1 : 1);
            if (k + 1 == rank) in[k] = left > 3 ? left : 3;
            if (test_random(t, 2) && in[k] > 8) in[k] &= ~7;
            left /= in[k];
            perm[k] = k;
        }
        for (int k = rank - 1; k > 0; k--) {
            int j = (int)test_random(t, (uint64_t)k + 1), swap = perm[k];
            perm[k] = perm[j];
            perm[j] = swap;
        }
        permute_case(t, rank, in, perm, elem, i, seen);
    }
    lw_ops *own = t->ops;
    if (!(t->ops = test_few_handle(t)))
        t->ops = own; /* lines are for much data: on one multiprocessor little will do */
    for (int i = 0; i < 3 * 5; i++) permute_case(t, 3, lines[i / 3].in, last_first, lines[i / 3].elem, i, seen);
    if (t->ops != own) lw_ops_destroy(t->ops);
    t->ops = own;
    test_check(t, !test_has_hopper(t) || (seen[BY_RUNS] > 3 && seen[BY_LINES] > 3),
               "boxes gathered as runs %d, as lines %d", seen[BY_RUNS], seen[BY_LINES]);
    test_check(t, seen[BY_SQUARES] > 0, "squares in registers %d", seen[BY_SQUARES]);
}

static void inplace_case(test_state *t, lw_plan *plan, lw_tensor a, int mis, uint32_t axes, bool square,
                         const char *name)
{
    int64_t lo, hi;
    range(&a, a.elem_bytes, &lo, &hi);
    test_buffer d = test_buffer_make(t, (size_t)(hi - lo), (size_t)mis), old = d;
    const int swap[3] = {0, 2, 1};
    size_t all = d.bytes + d.offset + 2 * GUARD;
    test_upload(t, &d);
    old.host = malloc(all);
    if (!old.host) exit(1);
    memcpy(old.host, d.host, all);
    lw_tensor from = a, to = a;
    from.data = (char *)test_host(&old) - lo;
    to.data = (char *)test_host(&d) - lo;
    square ? lw_ref_permute(&to, &from, swap) : lw_ref_flip(&to, &from, axes);
    char *dev = (char *)test_device(&d) - lo;
    lw_ops_status st = lw_plan_run(plan, dev, dev, NULL, t->stream);
    test_check(t, st == LW_OPS_OK, "%s: %s", name, lw_ops_status_text(st));
    test_same(t, &d, name);
    copy_case c = {plan, dev, dev};
    test_graph g;
    if (mis == 0 && a.elem_bytes == 4 && test_capture(t, &g, run_case, &c)) {
        test_replay(t, &g); /* back */
        test_replay(t, &g); /* and forth: the same as once */
        test_same(t, &d, name);
        test_graph_free(&g);
    }
    free(old.host);
    test_buffer_free(&d);
}

/* gap: elements between rows; mis: elements before the first. */
static void square_case(test_state *t, int64_t batch, int64_t n, int elem, int64_t gap, int mis)
{
    const int64_t extent[3] = {batch, n, n};
    lw_tensor a = lw_tensor_dense(NULL, LW_BYTES, elem, 3, extent);
    lw_plan *plan = NULL;
    lw_ops_error err;
    char name[96];
    a.stride[1] += gap * elem;
    a.stride[0] = n * a.stride[1] + gap / 2 * elem;
    snprintf(name, sizeof name, "%lld squares in place elem %d n %lld gap %lld", (long long)batch, elem, (long long)n,
             (long long)gap);
    lw_ops_status st = lw_transpose_square_inplace_plan(t->ops, batch, n, elem, a.stride[1], a.stride[0], &plan, &err);
    test_check(t, st == LW_OPS_OK, "%s: %s", name, err.text);
    if (plan) inplace_case(t, plan, a, mis * elem, 0, true, name);
    lw_plan_destroy(plan);
}

/*
 * Rows by bulk copies (cc 9.0 and later): four tiles along a side of 128, 96 and 64 elements, as many matrices as the
 * planner asks for on a device of 132 multiprocessors (44 pairs); of bytes also nine tiles of 256. Odd pitches, twice
 * and (2 bytes) four times odd ones, bases at an odd element.
 */
static void bulk_squares(test_state *t)
{
    static const int elems[] = {1, 2, 4, 8}, sides[] = {128, 128, 96, 64};
    for (int e = 0; e < 4; e++) {
        int64_t n = 3 * sides[e] + 1;
        square_case(t, 5, n, elems[e], 0, 0);
        square_case(t, 5, n + 3, elems[e], 3, 1);
        if (e < 3) square_case(t, 5, n + 1, elems[e], 4, 3);
        if (e == 1) square_case(t, 5, n + 1, elems[e], 6, 1);
    }
    square_case(t, 1, 9 * 256 - 3, 1, 0, 0);
    square_case(t, 1, 9 * 256 - 2, 1, 0, 5);
}

static void inplace(test_state *t)
{
    static const int64_t sizes[] = {0, 1, 31, 32, 33, 4096, 5001};
    static const int elems[] = {1, 2, 3, 4, 8, 12, 16, 24, 64};
    lw_ops_error err;
    char name[96];
    for (size_t e = 0; e < sizeof elems / sizeof *elems; e++) {
        for (size_t i = 0; i < 7; i++) {
            lw_tensor a = lw_tensor_dense(NULL, LW_BYTES, elems[e], 1, &sizes[i]);
            lw_plan *plan = NULL;
            a.align = i & 1 ? 1 : 0;
            snprintf(name, sizeof name, "flip in place elem %d n %lld", elems[e], (long long)sizes[i]);
            lw_ops_status st = lw_flip_inplace_plan(t->ops, &a, 1, &plan, &err);
            test_check(t, st == LW_OPS_OK, "%s: %s", name, err.text);
            if (plan) inplace_case(t, plan, a, i & 1 ? 3 : 0, 1, false, name);
            lw_plan_destroy(plan);
        }
        static const int64_t squares[] = {1, 2, 31, 32, 33, 64, 100, 130};
        for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
            int64_t n = squares[i], extent[3] = {2, n, n};
            if (n * elems[e] > 1100) continue;
            lw_tensor a = lw_tensor_dense(NULL, LW_BYTES, elems[e], 3, extent);
            lw_plan *plan = NULL;
            snprintf(name, sizeof name, "square in place elem %d n %lld", elems[e], (long long)n);
            lw_ops_status st =
                lw_transpose_square_inplace_plan(t->ops, 2, n, elems[e], a.stride[1], a.stride[0], &plan, &err);
            test_check(t, st == LW_OPS_OK, "%s: %s", name, err.text);
            if (plan) inplace_case(t, plan, a, i & 1 ? 0 : elems[e], 0, true, name);
            lw_plan_destroy(plan);
        }
        for (int gap = 1; gap < 12; gap += 2) { /* several tiles, rows at every kind of address */
            int64_t n = elems[e] < 3 ? 141 : elems[e] <= 8 ? 83 : 37, extent[3] = {2, n, n};
            int unit = elems[e] & -elems[e];
            lw_tensor a = lw_tensor_dense(NULL, LW_BYTES, elems[e], 3, extent);
            lw_plan *plan = NULL;
            a.stride[1] += gap * unit;
            a.stride[0] = n * a.stride[1] + gap / 3 * unit;
            snprintf(name, sizeof name, "square in place elem %d n %lld gap %d", elems[e], (long long)n, gap);
            lw_ops_status st =
                lw_transpose_square_inplace_plan(t->ops, 2, n, elems[e], a.stride[1], a.stride[0], &plan, &err);
            test_check(t, st == LW_OPS_OK, "%s: %s", name, err.text);
            if (plan) inplace_case(t, plan, a, gap & 2 ? unit : 0, 0, true, name);
            lw_plan_destroy(plan);
        }
        const int64_t many[3] = {1, 16 * 64 + 5, 16 * 64 + 5}; /* tiles in groups */
        if (elems[e] == 4) {
            lw_tensor a = lw_tensor_dense(NULL, LW_BYTES, 4, 3, many);
            lw_plan *plan = NULL;
            lw_ops_status st =
                lw_transpose_square_inplace_plan(t->ops, 1, many[1], 4, a.stride[1], a.stride[0], &plan, &err);
            test_check(t, st == LW_OPS_OK, "square of groups: %s", err.text);
            if (plan) inplace_case(t, plan, a, 4, 0, true, "square of groups");
            lw_plan_destroy(plan);
        }
    }
    for (uint32_t axes = 0; axes < 8; axes++) {
        for (int v = 0; v < 4; v++) {
            const int64_t extent[3] = {5 + v, 3 + v, v & 1 ? 32 : 17};
            lw_tensor a = lw_tensor_dense(NULL, LW_BYTES, v == 3 ? 12 : 4, 3, extent);
            if (v == 2) a.stride[0] = -(a.stride[0] + 64);
            lw_plan *plan = NULL;
            snprintf(name, sizeof name, "flip in place axes %u variant %d", axes, v);
            lw_ops_status st = lw_flip_inplace_plan(t->ops, &a, axes, &plan, &err);
            test_check(t, st == LW_OPS_OK, "%s: %s", name, err.text);
            if (plan) inplace_case(t, plan, a, 0, axes, false, name);
            lw_plan_destroy(plan);
        }
    }
}

static void refusals(test_state *t)
{
    const int64_t n[2] = {8, 8};
    const int twice[2] = {0, 0};
    lw_ops_error err;
    lw_plan *plan = NULL;
    lw_tensor a = lw_tensor_dense(NULL, LW_F32, 0, 2, n), b = a;
    b.stride[0] = 4;
    test_check(t, lw_copy_plan(t->ops, &b, &a, &plan, &err) == LW_OPS_BAD_STRIDE && !plan, "self-overlap accepted");
    test_check(t, lw_permute_plan(t->ops, &a, &a, twice, &plan, &err) == LW_OPS_BAD_ARGUMENT, "no permutation");
    b = lw_tensor_dense(NULL, LW_U8, 0, 2, n);
    test_check(t, lw_copy_plan(t->ops, &b, &a, &plan, &err) == LW_OPS_BAD_TYPE, "element sizes differ");
    b = lw_tensor_dense(NULL, LW_BYTES, 65, 2, n);
    test_check(t, lw_copy_plan(t->ops, &b, &b, &plan, &err) == LW_OPS_BAD_TYPE, "65 bytes");
    b = a;
    b.extent[1] = 9;
    test_check(t, lw_copy_plan(t->ops, &b, &a, &plan, &err) == LW_OPS_BAD_SHAPE, "extents differ");
    if (lw_copy_plan(t->ops, &a, &a, &plan, &err) == LW_OPS_OK) {
        test_buffer d = test_buffer_make(t, 512, 0);
        char *p = test_device(&d);
        test_upload(t, &d);
        test_check(t, lw_plan_run(plan, p, p + 252, NULL, t->stream) == LW_OPS_OVERLAP, "overlap accepted");
        test_check(t, lw_plan_run(plan, p, p + 258, NULL, t->stream) == LW_OPS_MISALIGNED, "misaligned accepted");
        test_check(t, lw_plan_run(plan, p, p + 256, NULL, t->stream) == LW_OPS_OK, "adjacent refused");
        test_cuda(t, cudaStreamSynchronize(t->stream), "adjacent copy");
        test_buffer_free(&d);
    }
    lw_plan_destroy(plan);
    test_check(t, lw_ops_create(NULL, 0, &err) == LW_OPS_BAD_ARGUMENT, "NULL handle");
}

/* The forms that plan and run in one call. */
static void one_shot(test_state *t)
{
    static const int turned[2] = {1, 0};
    const int64_t in[2] = {33, 70}, out[2] = {70, 33};
    lw_ops_error err;
    test_buffer a = test_buffer_make(t, 33 * 70 * 4, 0), b = test_buffer_make(t, 33 * 70 * 4, 0);
    test_upload(t, &a);
    test_upload(t, &b);
    for (int way = 0; way < 3; way++) {
        lw_tensor src = lw_tensor_dense(test_device(&a), LW_F32, 0, 2, in), host_src = src;
        lw_tensor dst = lw_tensor_dense(test_device(&b), LW_F32, 0, 2, way == 1 ? out : in), host_dst = dst;
        host_src.data = test_host(&a);
        host_dst.data = test_host(&b);
        lw_ops_status st = way == 0   ? lw_copy(t->ops, &dst, &src, t->stream, &err)
                           : way == 1 ? lw_permute(t->ops, &dst, &src, turned, t->stream, &err)
                                      : lw_flip(t->ops, &dst, &src, 3, t->stream, &err);
        test_check(t, st == LW_OPS_OK, "one shot %d: %s", way, err.text);
        if (way == 0) lw_ref_copy(&host_dst, &host_src);
        else if (way == 1) lw_ref_permute(&host_dst, &host_src, turned);
        else lw_ref_flip(&host_dst, &host_src, 3);
        test_same(t, &b, "one shot");
    }
    test_buffer_free(&a);
    test_buffer_free(&b);
}

int main(void)
{
    test_state t;
    int code = test_begin(&t);
    if (code) return code;
    transposes(&t);
    odd_tiles(&t);
    flips(&t);
    aligned_rows(&t);
    flips_of_every_size(&t);
    random_shapes(&t);
    permutes(&t);
    inplace(&t);
    bulk_squares(&t);
    one_shot(&t);
    refusals(&t);
    return test_end(&t, "copy");
}
