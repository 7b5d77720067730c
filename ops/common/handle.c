/*
 * Handle, errors, types and what all plans share. The handle reads the device's limits once and loads every kernel, so
 * that running never loads a module (which would synchronise or be illegal while a stream is captured).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime_api.h>
#include "common/internal.h"
#include "common/plans.h"

#define LW_OPS_VERSION "0.1.0"

static const char *const status_text[] = {
    [LW_OPS_OK] = "no error",
    [LW_OPS_BAD_ARGUMENT] = "an argument is NULL or outside its range",
    [LW_OPS_BAD_TYPE] = "unknown element type or unequal element sizes",
    [LW_OPS_BAD_SHAPE] = "rank or extents are out of range or do not match",
    [LW_OPS_BAD_STRIDE] = "elements of the output overlap each other",
    [LW_OPS_OVERLAP] = "input and output overlap",
    [LW_OPS_MISALIGNED] = "a pointer has less than the declared alignment",
    [LW_OPS_WORKSPACE] = "the workspace is missing or not aligned to 256 bytes",
    [LW_OPS_UNSUPPORTED] = "not supported by this version or this device",
    [LW_OPS_NO_MEMORY] = "out of host memory",
    [LW_OPS_DEVICE] = "no such device, or another device is current",
    [LW_OPS_LAUNCH] = "a kernel launch failed",
    [LW_OPS_FILE] = "reading or writing a file failed",
    [LW_OPS_BUSY] = "all tickets are in use",
};

const char *lw_ops_version(void) { return LW_OPS_VERSION; }

const char *lw_ops_status_text(int status)
{
    if (status < 0 || status > LW_OPS_BUSY) return "unknown status";
    return status_text[status];
}

int lw_type_bytes(int type)
{
    static const unsigned char bytes[LW_TYPE_COUNT] = {
        [LW_U8] = 1,  [LW_I8] = 1,  [LW_U16] = 2,  [LW_I16] = 2, [LW_U32] = 4, [LW_I32] = 4,    [LW_U64] = 8,
        [LW_I64] = 8, [LW_F16] = 2, [LW_BF16] = 2, [LW_F32] = 4, [LW_F64] = 8, [LW_F8E4M3] = 1, [LW_F8E5M2] = 1,
    };
    return type > LW_BYTES && type < LW_TYPE_COUNT ? bytes[type] : 0;
}

lw_tensor lw_tensor_dense(void *data, int type, int elem_bytes, int rank, const int64_t *extent)
{
    lw_tensor t;
    memset(&t, 0, sizeof t);
    t.data = data;
    t.type = type;
    t.elem_bytes = type == LW_BYTES ? elem_bytes : lw_type_bytes(type);
    t.rank = rank;
    int64_t step = t.elem_bytes;
    for (int i = rank < LW_OPS_MAX_RANK ? rank - 1 : LW_OPS_MAX_RANK - 1; i >= 0; i--) {
        t.extent[i] = extent[i];
        t.stride[i] = step;
        step *= extent[i] > 0 ? extent[i] : 1;
    }
    return t;
}

lw_ops_status lw_fail(lw_ops_error *err, lw_ops_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        err->status = (int32_t)status;
        err->cuda_error = 0;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

lw_ops_status lw_launch_status(const lw_plan *plan, int cuda_error)
{
    (void)plan;
    return cuda_error ? LW_OPS_LAUNCH : LW_OPS_OK;
}

lw_ops_status lw_check_device(const lw_ops *ops)
{
    int current = -1;
    if (cudaGetDevice(&current) != cudaSuccess || current != ops->device) return LW_OPS_DEVICE;
    return LW_OPS_OK;
}

lw_fdiv lw_fdiv_make(uint32_t d)
{
    lw_fdiv f = {d, 1, 0};
    while (((uint64_t)1 << f.s) < d) f.s++;
    if (d > 1) f.m = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << f.s) - d)) / d + 1);
    else f.m = 1;
    return f;
}

int lw_low_bit(uint64_t bits, int cap)
{
    uint64_t low = bits & -bits;
    return low && low < (uint64_t)cap ? (int)low : cap;
}

static int read_limits(lw_ops *ops)
{
    static const enum cudaDeviceAttr attr[] = {
        cudaDevAttrComputeCapabilityMajor,
        cudaDevAttrComputeCapabilityMinor,
        cudaDevAttrMultiProcessorCount,
        cudaDevAttrMaxSharedMemoryPerBlockOptin,
        cudaDevAttrMaxSharedMemoryPerMultiprocessor,
        cudaDevAttrL2CacheSize,
    };
    int v[6];
    for (int i = 0; i < 6; i++) {
        int e = (int)cudaDeviceGetAttribute(&v[i], attr[i], ops->device);
        if (e) return e;
    }
    ops->cc = 10 * v[0] + v[1];
    ops->sms = v[2];
    ops->shared_optin = v[3];
    ops->shared_sm = v[4];
    ops->l2_bytes = v[5];
    return 0;
}

static int load_kernels(lw_ops *ops)
{
    int code = 0, e = lw_rows_setup(&code);
    if (ops->cc >= 90 && code < 90) ops->cc = code; /* a library without kernels for clusters and bulk copies */
    if (!e) e = lw_tile_setup();
    if (!e) e = lw_scalar_setup();
    if (!e) e = lw_bulk_setup();
    if (!e) e = lw_box_setup(ops);
    if (!e) e = lw_runs_setup(ops);
    if (!e) e = lw_gather_setup(ops);
    if (!e) e = lw_direct_setup();
    if (!e) e = lw_inplace_setup();
    if (!e) e = lw_pairs_setup(ops);
    if (!e) e = lw_flip_setup();
    if (!e) e = lw_convert_setup();
    if (!e) e = lw_pad_setup();
    if (!e) e = lw_shuffle_setup(ops);
    if (!e) e = lw_panel_setup(ops);
    if (!e) e = lw_index_setup();
    if (!e) e = lw_record_setup(ops);
    if (!e) e = lw_hist_setup(ops);
    return e;
}

lw_ops_status lw_ops_create(lw_ops **out, int device, lw_ops_error *err)
{
    int before = 0;
    if (!out) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no place for the handle");
    *out = NULL;
    lw_ops *ops = calloc(1, sizeof *ops);
    if (!ops) return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the handle");
    ops->device = device;
    int e = (int)cudaGetDevice(&before);
    if (!e) e = read_limits(ops);
    if (!e) e = (int)cudaSetDevice(device);
    if (!e) {
        e = load_kernels(ops);
        cudaSetDevice(before);
    }
    if (e) {
        free(ops);
        lw_fail(err, LW_OPS_DEVICE, "device %d: %s", device, cudaGetErrorString((cudaError_t)e));
        if (err) err->cuda_error = e;
        return LW_OPS_DEVICE;
    }
    *out = ops;
    return LW_OPS_OK;
}

void lw_ops_destroy(lw_ops *ops) { free(ops); }

/* ---- plans ---- */

lw_plan *lw_plan_new(const lw_ops *ops, lw_plan_kind kind)
{
    lw_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return NULL;
    plan->kind = kind;
    plan->ops = ops;
    plan->align = 1;
    return plan;
}

void lw_plan_destroy(lw_plan *plan)
{
    if (plan && plan->steps) lw_steps_free(plan);
    if (plan && plan->pad) lw_pad_free(plan);
    free(plan);
}

size_t lw_plan_workspace(const lw_plan *plan) { return plan ? plan->workspace : 0; }

double lw_plan_useful_bytes(const lw_plan *plan) { return plan ? plan->useful_bytes : 0; }

int lw_plan_launches(const lw_plan *plan) { return plan ? plan->launches : 0; }

void lw_plan_describe(const lw_plan *plan, char *text, size_t size)
{
    if (!text || !size) return;
    text[0] = 0;
    if (!plan) return;
    switch (plan->kind) {
    case LW_PLAN_COPY: lw_copy_describe(plan, text, size); break;
    case LW_PLAN_SWAP:
    case LW_PLAN_SQUARE: lw_inplace_describe(plan, text, size); break;
    case LW_PLAN_CONVERT: lw_convert_describe(plan, text, size); break;
    case LW_PLAN_PAD:
        if (plan->pad->one.grid) snprintf(text, size, "rows of vectors in one launch");
        else snprintf(text, size, "copy and %d fills", plan->pad->fills);
        break;
    case LW_PLAN_STEPS: lw_steps_describe(plan, text, size); break;
    case LW_PLAN_RECORD: lw_record_describe(plan, text, size); break;
    case LW_PLAN_HIST: lw_hist_describe(plan, text, size); break;
    }
}

lw_ops_status lw_plan_run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream)
{
    if (!plan) return LW_OPS_BAD_ARGUMENT;
    if (plan->kind == LW_PLAN_COPY) return lw_copy_run(plan, dst, src, stream);
    if (plan->kind == LW_PLAN_CONVERT) return lw_convert_run(plan, dst, src, stream);
    if (plan->kind == LW_PLAN_PAD) return lw_pad_run(plan, dst, src, stream);
    if (plan->kind != LW_PLAN_SWAP && plan->kind != LW_PLAN_SQUARE && plan->kind != LW_PLAN_STEPS)
        return LW_OPS_BAD_ARGUMENT;
    if (dst != src) return LW_OPS_OVERLAP;
    if (plan->kind == LW_PLAN_STEPS) return lw_steps_run(plan, dst, workspace, stream);
    return lw_inplace_run(plan, dst, stream);
}
