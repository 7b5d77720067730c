/* Every op on small buffers: see every_op.h. Limits: float data whose bytes are below 125, so that no sum is a NaN. */
#include "every_op.h"

#define N EVERY_N
#define MANY_BINS 16384 /* forced through the partition where the device can */

static lw_tensor square(void *data)
{
    const int64_t side[2] = {64, 64};
    return lw_tensor_dense(data, LW_F32, 0, 2, side);
}

static lw_hist levels(int type, int64_t bins)
{
    return test_hist_of(type, LW_HIST_INTEGER, bins, 4 * N / lw_type_bytes(type));
}

static lw_ops_status hist_plan(const lw_ops *ops, int which, lw_plan **plan, lw_ops_error *err)
{
    lw_hist w = levels(LW_U8, 256);
    if (which == EVERY_SHARES) {
        w = levels(LW_U32, MANY_BINS);
        w.strategy = LW_HIST_PARTITION;
        w.outside = LW_HIST_CLAMP;
    } else if (which == EVERY_LEVELS) {
        w = levels(LW_F32, 100);
        w.binning = LW_HIST_EVEN;
        w.range = LW_HIST_RANGE_FOUND;
    } else if (which >= EVERY_WEIGHTS) {
        w.row_samples = N;
        w.weight_type = w.count_type = LW_F32;
        w.deterministic = which == EVERY_FIXED;
    }
    lw_ops_status st = lw_hist_plan(ops, &w, plan, err);
    if (st != LW_OPS_UNSUPPORTED || !w.strategy) return st;
    w.strategy = 0; /* a device whose shared memory is too small for a partition */
    return lw_hist_plan(ops, &w, plan, err);
}

lw_ops_status every_plan(const lw_ops *ops, int which, lw_plan **plan, lw_ops_error *err)
{
    static const int turned[2] = {1, 0}, back[3] = {2, 1, 0};
    const int64_t n = N, inner[2] = {60, 60}, before[2] = {2, 2}, box[3] = {8, 16, 32};
    const float value = 1;
    const lw_record layout = {.fields = 2, .record_bytes = 8, .offset = {0, 4}, .size = {4, 4}};
    lw_tensor a = square(NULL), line = lw_tensor_dense(NULL, LW_F32, 0, 1, &n), half = a;
    half = lw_tensor_dense(NULL, LW_BF16, 0, 2, a.extent);
    lw_tensor small = lw_tensor_dense(NULL, LW_F32, 0, 2, inner);
    switch (which) {
    case EVERY_COPY: return lw_copy_plan(ops, &a, &a, plan, err);
    case EVERY_TRANSPOSE: return lw_transpose_plan(ops, 1, 64, 64, 4, 0, plan, err);
    case EVERY_PERMUTE: return lw_permute_plan(ops, &a, &a, turned, plan, err);
    case EVERY_FLIP: return lw_flip_plan(ops, &line, &line, 1, plan, err);
    case EVERY_FLIP_IN_PLACE: return lw_flip_inplace_plan(ops, &line, 1, plan, err);
    case EVERY_SQUARE: return lw_transpose_square_inplace_plan(ops, 1, 64, 4, 256, N * 4, plan, err);
    case EVERY_IN_PLACE: return lw_transpose_inplace_plan(ops, 1, 128, 32, 4, 128 * 4 * 8, plan, err);
    case EVERY_PERMUTE_IN_PLACE: return lw_permute_inplace_plan(ops, 3, box, back, 4, 4096, plan, err);
    case EVERY_RECORD_IN_PLACE: return lw_record_inplace_plan(ops, &layout, N / 2, 1, 0, plan, err);
    case EVERY_CONVERT: return lw_convert_plan(ops, &half, &a, turned, 0, plan, err);
    case EVERY_PAD: return lw_pad_plan(ops, &a, &small, before, &value, plan, err);
    case EVERY_RECORD: return lw_record_plan(ops, &layout, N / 2, LW_PAD_ZERO, plan, err);
    default: return hist_plan(ops, which, plan, err);
    }
}

static bool counting(int which) { return (which >= EVERY_HIST && which < EVERY_PLANS) || which == EVERY_ONE_HIST; }

test_buffer *every_result(every_op *c) { return counting(c->which) ? &c->counts : &c->out; }

lw_ops_status every_call(void *context, cudaStream_t stream)
{
    static const int turned[2] = {1, 0};
    every_op *c = context;
    char *in = test_device(&c->in), *out = test_device(&c->out), *counts = test_device(&c->counts);
    void *fields[2] = {out, out + N * 2};
    const void *from[2] = {in, in + N * 2};
    lw_tensor a = square(in), b = square(out);
    lw_hist w = levels(LW_U8, 256);
    const void *index = test_device(&c->index);
    switch (c->which) {
    case EVERY_FLIP_IN_PLACE:
    case EVERY_SQUARE:
    case EVERY_IN_PLACE:
    case EVERY_PERMUTE_IN_PLACE:
    case EVERY_RECORD_IN_PLACE: return lw_plan_run(c->plan[c->which], out, out, c->workspace, stream);
    case EVERY_RECORD: return lw_aos_to_soa(c->plan[EVERY_RECORD], fields, in, stream);
    case EVERY_TO_AOS: return lw_soa_to_aos(c->plan[EVERY_RECORD], out, from, stream);
    case EVERY_HIST:
    case EVERY_SHARES:
    case EVERY_LEVELS: return lw_hist_run(c->plan[c->which], counts, in, NULL, c->workspace, stream);
    case EVERY_WEIGHTS:
    case EVERY_FIXED:
        return lw_hist_run_weighted(c->plan[c->which], counts, in, test_device(&c->weights), NULL, c->workspace,
                                    stream);
    case EVERY_GATHER: return lw_gather_rows(c->ops, out, 256, in, 64, 256, 256, index, 4, 64, LW_INDEX_SKIP, stream);
    case EVERY_SCATTER: return lw_scatter_rows(c->ops, out, 64, 256, in, 256, 256, index, 4, 64, LW_INDEX_SKIP, stream);
    case EVERY_ONE_COPY: return lw_copy(c->ops, &b, &a, stream, NULL);
    case EVERY_ONE_PERMUTE: return lw_permute(c->ops, &b, &a, turned, stream, NULL);
    case EVERY_ONE_FLIP: return lw_flip(c->ops, &b, &a, 3, stream, NULL);
    case EVERY_ONE_HIST: return lw_hist_count(c->ops, &w, counts, in, NULL, stream, NULL);
    default: return lw_plan_run(c->plan[c->which], out, in, NULL, stream);
    }
}

static void make_weights(test_state *t, every_op *c)
{
    c->weights = test_buffer_make(t, N * 4, 0);
    for (int i = 0; i < N; i++) ((float *)test_host(&c->weights))[i] = (float)(i % 31) * 0.25f;
    test_upload(t, &c->weights);
}

void every_setup(test_state *t, const lw_ops *ops, every_op *c)
{
    static const char *const names[EVERY_CALLS] = {"copy",
                                                   "transpose",
                                                   "permute",
                                                   "flip",
                                                   "flip in place",
                                                   "square in place",
                                                   "in place",
                                                   "permute in place",
                                                   "record in place",
                                                   "convert",
                                                   "pad",
                                                   "aos to soa",
                                                   "hist",
                                                   "hist by partition",
                                                   "hist of a range to be found",
                                                   "weights",
                                                   "deterministic weights",
                                                   "soa to aos",
                                                   "gather",
                                                   "scatter",
                                                   "copy at once",
                                                   "permute at once",
                                                   "flip at once",
                                                   "hist at once"};
    size_t space = 256;
    memset(c, 0, sizeof *c);
    c->t = t;
    c->ops = ops;
    memcpy(c->name, names, sizeof names);
    c->in = test_buffer_make(t, N * 4, 0);
    c->out = test_buffer_make(t, N * 4, 0);
    c->index = test_buffer_make(t, 64 * 4, 0);
    c->counts = test_buffer_make(t, MANY_BINS * 4, 0);
    make_weights(t, c);
    for (int i = 0; i < 64; i++) ((int *)test_host(&c->index))[i] = (i * 13 + 5) % 64;
    for (size_t i = 0; i < N * 4; i++)
        ((unsigned char *)test_host(&c->in))[i] = (unsigned char)((i * 37 + i / 256) % 125);
    test_upload(t, &c->index);
    test_upload(t, &c->in);
    test_upload(t, &c->out);
    test_upload(t, &c->counts);
    for (int i = 0; i < EVERY_PLANS; i++) {
        lw_ops_error err = {0};
        lw_ops_status st = every_plan(ops, i, &c->plan[i], &err);
        test_check(t, st == LW_OPS_OK, "plan of %s: %s", c->name[i], err.text);
        if (lw_plan_workspace(c->plan[i]) > space) space = lw_plan_workspace(c->plan[i]);
    }
    test_cuda(t, (int)cudaMalloc(&c->workspace, space), "workspace");
}

void every_free(every_op *c)
{
    for (int i = 0; i < EVERY_PLANS; i++) lw_plan_destroy(c->plan[i]);
    cudaFree(c->workspace);
    test_buffer_free(&c->in);
    test_buffer_free(&c->out);
    test_buffer_free(&c->index);
    test_buffer_free(&c->counts);
    test_buffer_free(&c->weights);
}
