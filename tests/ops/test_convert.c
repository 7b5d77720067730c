/*
 * Conversions between all types, byte orders and conjugates, straight and permuted; pads and crops. Against the
 * reference bit for bit, but for the bits of a NaN.
 */
#include <math.h>
#include "harness.h"

static const int types[] = {LW_U8, LW_I8, LW_F16, LW_BF16, LW_F8E4M3, LW_F8E5M2, LW_F32, LW_F64};

typedef struct convert_case {
    lw_plan *plan;
    void *dst;
    const void *src;
} convert_case;

static lw_ops_status run_case(void *context, cudaStream_t stream)
{
    convert_case *c = context;
    return lw_plan_run(c->plan, c->dst, c->src, NULL, stream);
}

/* NaNs of the result are what the device gave: any NaN is right where the reference has one. */
static void forgive_nan(test_state *t, const test_buffer *d, int type, int64_t n, bool swap)
{
    int bytes = lw_type_bytes(type);
    unsigned char *got = malloc(d->bytes + 1), *want = test_host(d);
    if (!got) exit(1);
    test_cuda(t, (int)cudaStreamSynchronize(t->stream), "convert");
    test_cuda(t, (int)cudaMemcpy(got, test_device(d), d->bytes, cudaMemcpyDeviceToHost), "download");
    for (int64_t i = 0; i < n; i++) {
        uint64_t v[2] = {0, 0};
        for (int b = 0; b < bytes; b++) {
            int at = swap ? bytes - 1 - b : b;
            v[0] |= (uint64_t)got[i * bytes + b] << 8 * at;
            v[1] |= (uint64_t)want[i * bytes + b] << 8 * at;
        }
        static const uint64_t inf[LW_TYPE_COUNT] = {
            [LW_F16] = 0x7c00,  [LW_BF16] = 0x7f80,    [LW_F8E4M3] = 0x7e,
            [LW_F8E5M2] = 0x7c, [LW_F32] = 0x7f800000, [LW_F64] = 0x7ff0000000000000};
        uint64_t mask = ((uint64_t)1 << (8 * bytes - 1)) - 1;
        if (inf[type] && (v[0] & mask) > inf[type] && (v[1] & mask) > inf[type]) {
            memcpy(want + i * bytes, got + i * bytes, (size_t)bytes);
        }
    }
    free(got);
}

/* Random bits hit every kind of value; f32 and f64 are mostly brought into the range of the small types. */
static void samples(test_state *t, const test_buffer *s, int type)
{
    int64_t n = (int64_t)s->bytes / lw_type_bytes(type);
    static const double odd[] = {0.0,           -0.0,
                                 0.5,           1.5,
                                 2.5,           -0.5,
                                 127.5,         128,
                                 255.5,         448,
                                 464,           465,
                                 57344,         61440,
                                 65504,         65519.99,
                                 65520,         1e-3,
                                 1e-7,          5.9e-8,
                                 1.1754944e-38, INFINITY,
                                 -INFINITY,     NAN,
                                 1.00048828125, 1.000976562500001};
    for (int64_t i = 0; i < n && (type == LW_F32 || type == LW_F64); i++) {
        double x = (double)(int64_t)test_random(t, 0) * 0x1p-63 * ldexp(1, (int)test_random(t, 40) - 22);
        if (test_random(t, 8) == 0) x = odd[test_random(t, sizeof odd / sizeof *odd)];
        if (test_random(t, 20) == 0) continue;
        float f = (float)x;
        if (type == LW_F64) memcpy((char *)test_host(s) + 8 * i, &x, 8);
        else memcpy((char *)test_host(s) + 4 * i, &f, 4);
    }
}

/* base: of both buffers behind a boundary of 512 bytes; gap, out_gap: elements between the rows of a matrix. */
static void compare_gaps(test_state *t, int from, int to, int rank, const int64_t *in, const int *perm, uint32_t flags,
                         bool capture, size_t base, int64_t gap, int64_t out_gap)
{
    int64_t out[LW_OPS_MAX_RANK], n = 1;
    int parts = flags & LW_CONVERT_COMPLEX ? 2 : 1;
    char what[128];
    lw_ops_error err = {0};
    for (int i = 0; i < rank; i++) {
        out[i] = in[perm ? perm[i] : i];
        n *= in[i];
    }
    n *= parts;
    snprintf(what, sizeof what, "convert %d to %d, %lld x .., %s, flags %u, base %zu, gap %lld", from, to,
             (long long)(rank ? in[0] : 1), perm ? "permuted" : "straight", flags, base, (long long)gap);
    int64_t more = gap && rank == 2 ? in[0] * gap * parts : 0;
    int64_t out_more = out_gap && rank == 2 ? out[0] * out_gap * parts : 0;
    test_buffer s = test_buffer_make(t, (size_t)((n + more) * lw_type_bytes(from)), base),
                d = test_buffer_make(t, (size_t)((n + out_more) * lw_type_bytes(to)), base);
    n += out_more;
    if (!(flags & LW_CONVERT_SWAP_INPUT)) samples(t, &s, from);
    lw_tensor src = lw_tensor_dense(test_host(&s), LW_BYTES, lw_type_bytes(from) * parts, rank, in);
    lw_tensor dst = lw_tensor_dense(test_host(&d), LW_BYTES, lw_type_bytes(to) * parts, rank, out);
    src.type = from;
    dst.type = to;
    if (more) src.stride[0] += gap * parts * lw_type_bytes(from);
    if (out_more) dst.stride[0] += out_gap * parts * lw_type_bytes(to);
    convert_case c = {NULL, test_device(&d), test_device(&s)};
    lw_ops_status st = lw_convert_plan(t->ops, &dst, &src, perm, flags, &c.plan, &err);
    test_check(t, st == LW_OPS_OK, "%s: %s", what, err.text);
    test_upload(t, &s);
    test_upload(t, &d);
    test_check(t, run_case(&c, t->stream) == LW_OPS_OK, "%s", what);
    lw_ref_convert(&dst, &src, perm, flags);
    forgive_nan(t, &d, to, n, flags & LW_CONVERT_SWAP_OUTPUT);
    test_same(t, &d, what);
    test_graph g;
    if (capture && test_capture(t, &g, run_case, &c)) {
        for (int replay = 0; replay < 2; replay++) {
            samples(t, &s, from);
            test_upload(t, &s);
            test_replay(t, &g);
            lw_ref_convert(&dst, &src, perm, flags);
            forgive_nan(t, &d, to, n, flags & LW_CONVERT_SWAP_OUTPUT);
            test_same(t, &d, what);
        }
        test_graph_free(&g);
    }
    lw_plan_destroy(c.plan);
    test_buffer_free(&s);
    test_buffer_free(&d);
}

static void compare_at(test_state *t, int from, int to, int rank, const int64_t *in, const int *perm, uint32_t flags,
                       bool capture, size_t base, int64_t gap)
{
    compare_gaps(t, from, to, rank, in, perm, flags, capture, base, gap, 0);
}

static void compare(test_state *t, int from, int to, int rank, const int64_t *in, const int *perm, uint32_t flags,
                    bool capture)
{
    compare_at(t, from, to, rank, in, perm, flags, capture, 8, 0);
}

/* Vectors on both sides: whole and cut ones, several rows, rows that are not aligned. */
static void vectors(test_state *t, int from, int to)
{
    static const int64_t lines[][1] = {{1}, {33}, {64}, {5001}, {4096}};
    const int64_t rows[2] = {7, 96}, uneven[2] = {5, 203};
    uint32_t pairs = LW_CONVERT_COMPLEX | LW_CONVERT_CONJUGATE;
    bool real = from > LW_I8 && to > LW_I8;
    for (int i = 0; i < 5; i++) compare_at(t, from, to, 1, lines[i], NULL, 0, false, 16, 0);
    compare_at(t, from, to, 2, rows, NULL, 0, false, 32, 32);
    compare_at(t, from, to, 2, rows, NULL, 0, false, 32, 3);
    compare_at(t, from, to, 2, uneven, NULL, 0, false, 16, 5);
    compare_at(t, from, to, 1, lines[3], NULL, real ? pairs : LW_CONVERT_COMPLEX, false, 16, 0);
    uint32_t swap = from < to ? LW_CONVERT_SWAP_INPUT : LW_CONVERT_SWAP_OUTPUT;
    compare_at(t, from, to, 1, lines[1], NULL, swap, false, 16, 0);
    if (from == to) compare_at(t, from, to, 1, lines[3], NULL, LW_CONVERT_SWAP_OUTPUT, from == LW_F32, 16, 0);
}

/* Vectors on both sides of a tile: several tiles, cut ones, cut vectors. */
static void turned_vectors(test_state *t, int from, int to)
{
    static const int64_t even[3] = {2, 80, 144}, uneven[2] = {71, 133};
    static const int inner[3] = {0, 2, 1}, turned[2] = {1, 0};
    compare_at(t, from, to, 3, even, inner, 0, false, 16, 0);
    compare_gaps(t, from, to, 2, uneven, turned, from == to ? LW_CONVERT_SWAP_OUTPUT : 0, false, 32, 11, 9);
}

/* mis: elements that both bases lie after an address aligned to 256. */
static void pad_at(test_state *t, int elem, int rank, const int64_t *in, const int64_t *out, const int64_t *before,
                   bool capture, int mis)
{
    unsigned char value[64];
    lw_ops_error err = {0};
    int64_t a = elem, b = elem;
    for (int i = 0; i < 64; i++) value[i] = (unsigned char)(i * 37 + 11);
    for (int i = 0; i < rank; i++) {
        a *= in[i];
        b *= out[i];
    }
    test_buffer s = test_buffer_make(t, (size_t)a, mis * elem), d = test_buffer_make(t, (size_t)b, 2 * mis * elem);
    lw_tensor src = lw_tensor_dense(test_host(&s), LW_BYTES, elem, rank, in),
              dst = lw_tensor_dense(test_host(&d), LW_BYTES, elem, rank, out);
    convert_case c = {NULL, test_device(&d), test_device(&s)};
    lw_ops_status st = lw_pad_plan(t->ops, &dst, &src, before, value, &c.plan, &err);
    test_check(t, st == LW_OPS_OK, "pad: %s", err.text);
    if (st != LW_OPS_OK) return;
    test_upload(t, &s);
    test_upload(t, &d);
    test_check(t, run_case(&c, t->stream) == LW_OPS_OK, "pad elem %d", elem);
    lw_ref_pad(&dst, &src, before, value);
    test_same(t, &d, "pad");
    test_graph g;
    if (capture && test_capture(t, &g, run_case, &c)) {
        for (int replay = 0; replay < 2; replay++) {
            for (size_t i = 0; i < s.bytes; i++) ((unsigned char *)test_host(&s))[i] ^= (unsigned char)(i * 3 + 5);
            test_upload(t, &s);
            test_replay(t, &g);
            lw_ref_pad(&dst, &src, before, value);
            test_same(t, &d, "pad, replayed");
        }
        test_graph_free(&g);
    }
    lw_plan_destroy(c.plan);
    test_buffer_free(&s);
    test_buffer_free(&d);
}

static void pad(test_state *t, int elem, int rank, const int64_t *in, const int64_t *out, const int64_t *before,
                bool capture)
{
    pad_at(t, elem, rank, in, out, before, capture, 0);
}

/*
 * Rows of 8 KiB and more at multiples of 16 bytes, which go in one launch (elements of 1 to 16 bytes), and next to these.
 * The last case has a fastest dimension without margins.
 */
static void long_pads(test_state *t, int elem)
{
    const int64_t unit = elem < 16 && 16 % elem == 0 ? 16 / elem : 1, n = 600 * unit;
    const int64_t in[3] = {3, 5, n}, out[3] = {5, 6, n + 9 * unit}, before[3] = {1, 1, 7 * unit}, odd[3] = {1, 1, 7},
                  less[3] = {2, 9, n - 20 * unit}, mixed[3] = {-1, 2, -10 * unit}, after[3] = {0, 0, 0};
    const int64_t wide[3] = {2, n / 4, 4}, wider[3] = {3, n / 4 + 4 * unit, 4}, second[3] = {1, 2 * unit, 0};
    for (int mis = 0; mis < 2; mis++) {
        pad_at(t, elem, 3, in, out, before, elem == 4, mis);
        pad_at(t, elem, 3, in, out, odd, false, mis);
        pad_at(t, elem, 3, in, less, mixed, false, mis);
        pad_at(t, elem, 3, in, out, after, false, mis);
        pad_at(t, elem, 3, wide, wider, second, false, mis);
    }
}

static void refusals(test_state *t)
{
    const int64_t n[1] = {8};
    lw_plan *plan = NULL;
    lw_ops_error err;
    lw_tensor a = lw_tensor_dense(NULL, LW_F32, 0, 1, n), b = lw_tensor_dense(NULL, LW_I64, 0, 1, n),
              c = lw_tensor_dense(NULL, LW_U8, 0, 1, n);
    test_check(t, lw_convert_plan(t->ops, &b, &a, NULL, 0, &plan, &err) == LW_OPS_BAD_TYPE && !plan, "f32 to i64");
    test_check(t, lw_convert_plan(t->ops, &a, &a, NULL, LW_CONVERT_CONJUGATE, &plan, &err) == LW_OPS_BAD_ARGUMENT,
               "real conjugate");
    test_check(t,
               lw_convert_plan(t->ops, &c, &a, NULL, LW_CONVERT_CONJUGATE | LW_CONVERT_COMPLEX, &plan, &err) ==
                   LW_OPS_BAD_TYPE,
               "conjugate of u8");
    a.stride[0] = 6;
    test_check(t, lw_convert_plan(t->ops, &c, &a, NULL, 0, &plan, &err) == LW_OPS_MISALIGNED, "a stride of 6 bytes");
}

int main(void)
{
    static const int64_t flat[][1] = {{0}, {1}, {31}, {33}, {5001}}, cube[3] = {5, 37, 65}, thin[3] = {700, 3, 2};
    static const int turned[3] = {2, 0, 1}, back[3] = {2, 1, 0};
    test_state t;
    int code = test_begin(&t);
    if (code) return code;
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 8; k++) {
            for (int f = 0; f < 5; f++)
                compare(&t, types[i], types[k], 1, flat[f], NULL, 0, f == 4 && i == 6 && k == 2);
            compare(&t, types[i], types[k], 3, cube, turned, 0, i == 7 && k == 3);
            compare(&t, types[i], types[k], 3, thin, back,
                    i == k || i < 6 ? LW_CONVERT_SWAP_INPUT | LW_CONVERT_SWAP_OUTPUT : 0, false);
            vectors(&t, types[i], types[k]);
            turned_vectors(&t, types[i], types[k]);
            if (i > 1 && k > 1)
                compare(&t, types[i], types[k], 3, cube, turned, LW_CONVERT_COMPLEX | LW_CONVERT_CONJUGATE, false);
        }
    }
    static const int wide[] = {LW_U16, LW_I32, LW_U64};
    for (int i = 0; i < 3; i++) compare(&t, wide[i], wide[i], 3, cube, turned, LW_CONVERT_SWAP_OUTPUT, i == 1);
    compare(&t, LW_F32, LW_F32, 0, NULL, NULL, LW_CONVERT_SWAP_INPUT, false);
    static const int elems[] = {1, 2, 3, 4, 8, 12, 16, 24, 64};
    static const int64_t in[3] = {4, 9, 17}, out[3] = {7, 12, 40}, less[3] = {2, 5, 9}, before[3] = {1, 2, 8},
                         crop[3] = {-1, -3, -5}, mixed[3] = {2, -4, 3}, away[3] = {0, 50, 0}, big[1] = {5000},
                         bigger[1] = {9001}, at[1] = {1000};
    for (int e = 0; e < 9; e++) {
        pad(&t, elems[e], 3, in, out, before, e == 3);
        pad(&t, elems[e], 3, in, less, crop, false);
        pad(&t, elems[e], 3, in, out, mixed, false);
        pad(&t, elems[e], 3, in, out, away, false);
        pad(&t, elems[e], 1, big, bigger, at, false);
        long_pads(&t, elems[e]);
    }
    refusals(&t);
    return test_end(&t, "convert");
}
