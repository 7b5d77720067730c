/*
 * More than 2^32 elements through every op that moves them, compared element by element on the device (large.cu) with
 * plain 64-bit arithmetic; the output poisoned, the bytes round it watched. A card needs 60 GiB free for all of it; a
 * case that does not fit counts as skipped. Where LW_OPS_TEST_CASES is not above 100, the same with small sides, which
 * is what an emulator can do. Histograms of that size: test_hist.c.
 */
#include "harness.h"
#include "large.h"

#define POISON 0xa5
#define EDGE 4096 /* watched bytes before and behind the output */

typedef struct large_state {
    test_state *t;
    unsigned char *in, *out; /* out: EDGE bytes, the output, EDGE bytes */
    int64_t size;            /* bytes of in, and of the output */
    void *workspace;
    size_t workspace_bytes;
    int64_t side; /* side * side is above 2^32, or small */
    int64_t many;
    bool big;
} large_state;

static bool fits(large_state *s, int64_t in_bytes, int64_t out_bytes, const char *name)
{
    if (in_bytes <= s->size && out_bytes <= s->size) return true;
    printf("SKIPPED: %s needs %.1f GB\n", name, (double)(in_bytes + out_bytes) * 1e-9);
    s->t->skipped++;
    return false;
}

static void prepare(large_state *s, int64_t in_bytes, int64_t out_bytes)
{
    test_cuda(s->t, large_fill(s->in, in_bytes, s->t->stream), "filling");
    test_cuda(s->t, (int)cudaMemsetAsync(s->out, POISON, (size_t)out_bytes + 2 * EDGE, s->t->stream), "poison");
}

static large_check line_of(const unsigned char *p, int64_t bytes, int constant)
{
    return (large_check){.out = p,
                         .extent = {bytes, 1, 1, 1},
                         .out_stride = {1},
                         .elem = 1,
                         .mode = LARGE_CONSTANT,
                         .constant = constant};
}

/* What was written, and that nothing was written round it. */
static void verify(large_state *s, large_check c, int64_t out_bytes, const char *name)
{
    large_check before = line_of(s->out, EDGE, POISON), behind = line_of(s->out + EDGE + out_bytes, EDGE, POISON);
    c.out = s->out + EDGE;
    int64_t wrong = large_wrong(&c, s->t->stream), round = 0, n = 1;
    round += large_wrong(&before, s->t->stream) + large_wrong(&behind, s->t->stream);
    for (int d = 0; d < LARGE_RANK; d++) n *= c.extent[d];
    test_check(s->t, wrong == 0, "%s: %lld of %lld elements are wrong", name, (long long)wrong, (long long)n);
    test_check(s->t, round == 0, "%s: %lld bytes outside were written", name, (long long)round);
    test_check(s->t, !s->big || n > (int64_t)1 << 32, "%s: only %lld elements", name, (long long)n);
}

/* Runs a plan and frees it. */
static bool run(large_state *s, lw_ops_status st, lw_plan *plan, lw_ops_error *err, bool in_place, const char *name)
{
    char chosen[160] = "";
    test_check(s->t, st == LW_OPS_OK, "%s: %s", name, err->text);
    if (st == LW_OPS_OK) {
        lw_plan_describe(plan, chosen, sizeof chosen);
        if (s->big) printf("%s: %s\n", name, chosen);
        fflush(stdout);
        if (lw_plan_workspace(plan) > s->workspace_bytes) {
            cudaFree(s->workspace);
            s->workspace_bytes = lw_plan_workspace(plan);
            st = cudaMalloc(&s->workspace, s->workspace_bytes) ? LW_OPS_NO_MEMORY : LW_OPS_OK;
        }
        if (st == LW_OPS_OK)
            st = lw_plan_run(plan, s->out + EDGE, in_place ? s->out + EDGE : s->in, s->workspace, s->t->stream);
        test_check(s->t, st == LW_OPS_OK, "%s [%s]: %s", name, chosen, lw_ops_status_text(st));
        test_cuda(s->t, (int)cudaStreamSynchronize(s->t->stream), name);
    }
    lw_plan_destroy(plan);
    return st == LW_OPS_OK;
}

static void permute(large_state *s, int rank, const int64_t *in, const int *perm, int elem, uint32_t axes)
{
    lw_ops_error err = {0};
    lw_plan *plan = NULL;
    int64_t out[LARGE_RANK], bytes = elem;
    char name[96];
    for (int i = 0; i < rank; i++) out[i] = in[perm[i]];
    for (int i = 0; i < rank; i++) bytes *= in[i];
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem, rank, in),
              dst = lw_tensor_dense(NULL, LW_BYTES, elem, rank, out);
    large_check c = {.extent = {1, 1, 1, 1}, .elem = elem};
    for (int i = 0; i < rank; i++) {
        bool back = axes >> i & 1;
        c.extent[i] = out[i];
        c.out_stride[i] = dst.stride[i];
        c.src_stride[i] = back ? -src.stride[perm[i]] : src.stride[perm[i]];
        if (back) c.src_base += (out[i] - 1) * src.stride[perm[i]];
    }
    snprintf(name, sizeof name, "%s of rank %d, %d-byte elements, %.2e of them", axes ? "flip" : "permute", rank, elem,
             (double)(bytes / elem));
    if (!fits(s, bytes, bytes, name)) return;
    prepare(s, bytes, bytes);
    lw_ops_status st = axes ? lw_flip_plan(s->t->ops, &dst, &src, axes, &plan, &err)
                            : lw_permute_plan(s->t->ops, &dst, &src, perm, &plan, &err);
    if (run(s, st, plan, &err, false, name)) verify(s, c, bytes, name);
}

static void in_place(large_state *s, int rank, const int64_t *in, const int *perm, int elem, const char *name)
{
    lw_ops_error err = {0};
    lw_plan *plan = NULL;
    int64_t out[LARGE_RANK], bytes = elem;
    for (int i = 0; i < rank; i++) out[i] = in[perm[i]];
    for (int i = 0; i < rank; i++) bytes *= in[i];
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem, rank, in),
              dst = lw_tensor_dense(NULL, LW_BYTES, elem, rank, out);
    large_check c = {.extent = {1, 1, 1, 1}, .elem = elem};
    for (int i = 0; i < rank; i++) {
        c.extent[i] = out[i];
        c.out_stride[i] = dst.stride[i];
        c.src_stride[i] = src.stride[perm[i]];
    }
    if (!fits(s, 0, bytes, name)) return;
    prepare(s, 0, bytes);
    test_cuda(s->t, large_fill(s->out + EDGE, bytes, s->t->stream), "filling");
    lw_ops_status st = lw_permute_inplace_plan(s->t->ops, rank, in, perm, elem, 0, &plan, &err);
    if (run(s, st, plan, &err, true, name)) verify(s, c, bytes, name);
}

static void flip_in_place(large_state *s, int elem)
{
    lw_ops_error err = {0};
    lw_plan *plan = NULL;
    int64_t n = s->many + 5, bytes = n * elem;
    char name[64];
    snprintf(name, sizeof name, "flip in place, %d-byte elements", elem);
    lw_tensor t = lw_tensor_dense(NULL, LW_BYTES, elem, 1, &n);
    large_check c = {
        .extent = {n, 1, 1, 1}, .out_stride = {elem}, .src_stride = {-elem}, .src_base = (n - 1) * elem, .elem = elem};
    if (!fits(s, 0, bytes, name)) return;
    prepare(s, 0, bytes);
    test_cuda(s->t, large_fill(s->out + EDGE, bytes, s->t->stream), "filling");
    lw_ops_status st = lw_flip_inplace_plan(s->t->ops, &t, 1, &plan, &err);
    if (run(s, st, plan, &err, true, name)) verify(s, c, bytes, name);
}

/* A crop: rows of the input lie further apart. */
static void crop(large_state *s, int elem)
{
    lw_ops_error err = {0};
    lw_plan *plan = NULL;
    int64_t n[2] = {s->side, s->side + 1}, row = (s->side + 7) * elem, bytes = n[0] * n[1] * elem;
    char name[64];
    snprintf(name, sizeof name, "crop, %d-byte elements", elem);
    lw_tensor dst = lw_tensor_dense(NULL, LW_BYTES, elem, 2, n), src = dst;
    src.stride[0] = row;
    large_check c = {
        .extent = {n[0], n[1], 1, 1}, .out_stride = {dst.stride[0], elem}, .src_stride = {row, elem}, .elem = elem};
    if (!fits(s, row * n[0], bytes, name)) return;
    prepare(s, row * n[0], bytes);
    lw_ops_status st = lw_copy_plan(s->t->ops, &dst, &src, &plan, &err);
    if (run(s, st, plan, &err, false, name)) verify(s, c, bytes, name);
}

static void pad(large_state *s)
{
    lw_ops_error err = {0};
    lw_plan *plan = NULL;
    const unsigned char value = 77;
    int64_t n[2] = {s->side, s->side + 1}, m[2] = {n[0] + 2, n[1] + 3}, before[2] = {1, 2}, bytes = m[0] * m[1];
    lw_tensor src = lw_tensor_dense(NULL, LW_U8, 0, 2, n), dst = lw_tensor_dense(NULL, LW_U8, 0, 2, m);
    large_check c = {.extent = {n[0], n[1], 1, 1},
                     .out_stride = {m[1], 1},
                     .src_stride = {n[1], 1},
                     .out_base = m[1] + 2,
                     .elem = 1};
    if (!fits(s, n[0] * n[1], bytes, "pad")) return;
    prepare(s, n[0] * n[1], bytes);
    lw_ops_status st = lw_pad_plan(s->t->ops, &dst, &src, before, &value, &plan, &err);
    if (!run(s, st, plan, &err, false, "pad")) return;
    verify(s, c, bytes, "pad");
    large_check last = line_of(s->out + EDGE + bytes - m[1], m[1], value), right = last;
    right.out = s->out + EDGE + m[1] - 1;
    right.extent[0] = m[0];
    right.out_stride[0] = m[1];
    test_check(s->t, large_wrong(&last, s->t->stream) + large_wrong(&right, s->t->stream) == 0, "pad: the margin");
}

static void convert(large_state *s, bool turned)
{
    lw_ops_error err = {0};
    lw_plan *plan = NULL;
    const int perm[2] = {turned ? 1 : 0, turned ? 0 : 1};
    int64_t in[2] = {s->side, s->side + 9}, out[2] = {in[perm[0]], in[perm[1]]}, n = in[0] * in[1];
    lw_tensor src = lw_tensor_dense(NULL, LW_U8, 0, 2, in), dst = lw_tensor_dense(NULL, LW_F32, 0, 2, out);
    const char *name = turned ? "u8 to f32, turned" : "u8 to f32";
    large_check c = {.extent = {out[0], out[1], 1, 1},
                     .out_stride = {dst.stride[0], dst.stride[1]},
                     .src_stride = {src.stride[perm[0]], src.stride[perm[1]]},
                     .elem = 4,
                     .mode = LARGE_FLOAT};
    if (!fits(s, n, 4 * n, name)) return;
    prepare(s, n, 4 * n);
    lw_ops_status st = lw_convert_plan(s->t->ops, &dst, &src, perm, 0, &plan, &err);
    if (run(s, st, plan, &err, false, name)) verify(s, c, 4 * n, name);
}

/* Rows of 4100 bytes by index; as many elements as rows * 4100. */
static void by_index(large_state *s, bool scatter)
{
    int64_t row = 4100, rows = s->many / row + 3, mul = 7919, bytes = rows * row; /* mul is a prime: all rows */
    large_check c = {.extent = {rows, row, 1, 1},
                     .out_stride = {row, 1},
                     .src_stride = {row, 1},
                     .elem = 1,
                     .out_mul = scatter ? mul : 0,
                     .src_mul = scatter ? 0 : mul};
    const char *name = scatter ? "scatter" : "gather";
    int32_t *index = NULL;
    if (!fits(s, bytes, bytes, name) || !test_cuda(s->t, (int)cudaMalloc((void **)&index, (size_t)rows * 4), "index"))
        return;
    prepare(s, bytes, bytes);
    test_check(s->t, rows % mul != 0, "all rows");
    test_cuda(s->t, large_index(index, rows, mul, rows, s->t->stream), "index");
    lw_ops_status st = scatter ? lw_scatter_rows(s->t->ops, s->out + EDGE, rows, row, s->in, row, row, index, 4, rows,
                                                 LW_INDEX_SKIP, s->t->stream)
                               : lw_gather_rows(s->t->ops, s->out + EDGE, row, s->in, rows, row, row, index, 4, rows,
                                                LW_INDEX_SKIP, s->t->stream);
    test_check(s->t, st == LW_OPS_OK, "%s: %s", name, lw_ops_status_text(st));
    verify(s, c, bytes, name);
    cudaFree(index);
}

static void records(large_state *s, const lw_record *l, bool to_soa)
{
    lw_ops_error err = {0};
    lw_plan *plan = NULL;
    int64_t n = s->many / l->fields + 77, bytes = n * l->record_bytes, at = 0;
    void *fields[LW_OPS_MAX_FIELDS];
    char name[64];
    snprintf(name, sizeof name, "%s, %d fields", to_soa ? "AoS to SoA" : "SoA to AoS", l->fields);
    if (!fits(s, bytes, bytes, name)) return;
    prepare(s, bytes, bytes);
    for (int f = 0; f < l->fields; f++, at += n * l->size[f - 1]) fields[f] = (to_soa ? s->out + EDGE : s->in) + at;
    lw_ops_status st = lw_record_plan(s->t->ops, l, n, LW_PAD_KEEP, &plan, &err);
    if (st == LW_OPS_OK) {
        st = to_soa ? lw_aos_to_soa(plan, fields, s->in, s->t->stream)
                    : lw_soa_to_aos(plan, s->out + EDGE, (const void *const *)fields, s->t->stream);
    }
    test_check(s->t, st == LW_OPS_OK, "%s: %s %s", name, lw_ops_status_text(st), err.text);
    lw_plan_destroy(plan);
    at = 0;
    int64_t wrong = 0;
    for (int f = 0; f < l->fields; f++, at += n * l->size[f - 1]) {
        large_check c = {.out = s->out + EDGE, .extent = {n, 1, 1, 1}, .elem = l->size[f]};
        c.out_base = to_soa ? at : l->offset[f];
        c.src_base = to_soa ? l->offset[f] : at;
        c.out_stride[0] = to_soa ? l->size[f] : l->record_bytes;
        c.src_stride[0] = to_soa ? l->record_bytes : l->size[f];
        wrong += large_wrong(&c, s->t->stream);
    }
    large_check before = line_of(s->out, EDGE, POISON), behind = line_of(s->out + EDGE + bytes, EDGE, POISON);
    test_check(s->t, wrong == 0, "%s: %lld of %lld elements are wrong", name, (long long)wrong,
               (long long)(n * l->fields));
    test_check(s->t, large_wrong(&before, s->t->stream) + large_wrong(&behind, s->t->stream) == 0, "%s: outside", name);
    if (s->big) printf("%s: %.2e elements\n", name, (double)n * l->fields);
}

/* The check sees one byte that is wrong, 2^32 bytes away. */
static void control(large_state *s)
{
    int64_t bytes = s->many + 4096;
    large_check c = {.out = s->out, .extent = {bytes, 1, 1, 1}, .out_stride = {1}, .src_stride = {1}, .elem = 1};
    test_cuda(s->t, large_fill(s->out, bytes, s->t->stream), "filling");
    test_check(s->t, large_wrong(&c, s->t->stream) == 0, "the control: a filled buffer");
    unsigned char got = 0;
    test_cuda(s->t, (int)cudaMemcpy(&got, s->out + s->many + 7, 1, cudaMemcpyDeviceToHost), "control");
    test_fill(s->t, s->out + s->many + 7, got ^ 1, 1);
    test_cuda(s->t, (int)cudaDeviceSynchronize(), "control");
    test_check(s->t, large_wrong(&c, s->t->stream) == 1, "the control: one byte was changed");
    c.src_base = 4096; /* as if all came from elsewhere: nearly all are wrong */
    test_check(s->t, large_wrong(&c, s->t->stream) > bytes / 2, "the control: another place");
}

static void all(large_state *s)
{
    static const int turned[2] = {1, 0}, same[1] = {0}, image[3] = {0, 2, 1}, back[4] = {3, 2, 1, 0},
                     rows[4] = {2, 0, 1, 3};
    const int64_t q = s->side, whole[2] = {q, q}, even[2] = {q & ~(int64_t)127, (q + 127) & ~(int64_t)127},
                  odd[2] = {q + 1, q + 3}, batch[3] = {s->many / 16 + 1, 4, 4}, line[1] = {s->many + 3};
    const int64_t r = s->big ? 260 : 7, box[4] = {r, r + 1, r, r - 3}, apart[4] = {r, r, r + 2, r},
                  pages[3] = {2, q, q / 2 + 1};
    const lw_record two = {.fields = 2, .record_bytes = 2, .offset = {0, 1}, .size = {1, 1}};
    const lw_record mixed = {.fields = 3, .record_bytes = 7, .offset = {0, 4, 6}, .size = {4, 2, 1}};
    const lw_record words = {.fields = 4, .record_bytes = 16, .offset = {0, 4, 8, 12}, .size = {4, 4, 4, 4}};
    control(s);
    permute(s, 2, even, turned, 1, 0);
    permute(s, 2, odd, turned, 1, 0);
    permute(s, 2, odd, turned, 2, 0);
    permute(s, 2, even, turned, 4, 0);
    permute(s, 2, odd, turned, 4, 0);
    permute(s, 3, batch, image, 1, 0);
    permute(s, 4, box, back, 1, 0);
    permute(s, 4, apart, rows, 2, 0);
    permute(s, 4, box, back, 4, 0);
    permute(s, 1, line, same, 1, 1);
    permute(s, 1, line, same, 4, 1);
    permute(s, 3, pages, (const int[]){0, 1, 2}, 1, 5);
    flip_in_place(s, 1);
    flip_in_place(s, 4);
    in_place(s, 2, whole, turned, 1, "square in place");
    in_place(s, 2, even, turned, 1, "transpose in place");
    in_place(s, 2, odd, turned, 1, "transpose in place, odd sides");
    crop(s, 1);
    crop(s, 4);
    pad(s);
    convert(s, false);
    convert(s, true);
    by_index(s, false);
    by_index(s, true);
    for (int to_soa = 0; to_soa < 2; to_soa++) {
        records(s, &two, to_soa);
        records(s, &mixed, to_soa);
        records(s, &words, to_soa);
    }
}

int main(void)
{
    test_state t;
    large_state s;
    size_t free_bytes = 0, whole = 0;
    int code = test_begin(&t);
    if (code) return code;
    memset(&s, 0, sizeof s);
    s.t = &t;
    cudaMemGetInfo(&free_bytes, &whole);
    s.big = t.cases > 100 && free_bytes > (size_t)11 << 30;
    s.side = s.big ? 65600 : 150;
    s.many = s.big ? (int64_t)1 << 32 : 40000;
    s.size = s.big ? (int64_t)(free_bytes / 20 * 9) : 1 << 20;
    if (s.size > (int64_t)20 << 30) s.size = (int64_t)20 << 30;
    if (!s.big) printf("small sizes only\n");
    if (test_cuda(&t, (int)cudaMalloc((void **)&s.in, (size_t)s.size), "input") &&
        test_cuda(&t, (int)cudaMalloc((void **)&s.out, (size_t)s.size + 2 * EDGE), "output"))
        all(&s);
    cudaFree(s.in);
    cudaFree(s.out);
    cudaFree(s.workspace);
    return test_end(&t, "large");
}
