/* Errors, types, tensors and the arithmetic that planners share. */
#include "common/base.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cuda_runtime_api.h>

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

lw_ops_status lw_ops_fail(lw_ops_error *err, lw_ops_status status, const char *format, ...)
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

lw_ops_status lw_launch_status(int cuda_error) { return cuda_error ? LW_OPS_LAUNCH : LW_OPS_OK; }

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

double lw_read_bytes(const lw_dim *d, int count, int elem)
{
    double bytes = elem;
    for (int i = 0; i < count; i++) {
        if (d[i].in || d[i].n == 0) bytes *= (double)d[i].n;
    }
    return bytes;
}

/* Extents of 1 dropped, the others by output stride, which becomes positive; how many there are. */
static int sort_dims(lw_dim *d, int count, lw_span *span)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        lw_dim x = d[i];
        if (x.n == 1) continue;
        if (x.out < 0) {
            span->out_off += (x.n - 1) * x.out;
            span->in_off += (x.n - 1) * x.in;
            x.out = -x.out;
            x.in = -x.in;
        }
        int at = n++;
        for (; at > 0 && d[at - 1].out > x.out; at--) d[at] = d[at - 1];
        d[at] = x;
    }
    return n;
}

/* Neighbours that lie one in the other on both sides become one dimension; how many there are. */
static int merge_dims(lw_dim *d, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        lw_dim *last = n ? &d[n - 1] : NULL;
        if (last && d[i].out == last->n * last->out && d[i].in == last->n * last->in) last->n *= d[i].n;
        else d[n++] = d[i];
    }
    return n;
}

bool lw_dims_normalise(lw_dim *d, int *count, int64_t in_elem, int64_t out_elem, lw_span *span)
{
    int n = sort_dims(d, *count, span);
    int64_t reach = out_elem;
    span->in_lo = span->in_off;
    span->in_hi = span->in_off + in_elem;
    for (int i = 0; i < n; i++) {
        int64_t in = (d[i].n - 1) * d[i].in;
        if (d[i].out < reach) return false;
        reach += (d[i].n - 1) * d[i].out;
        if (in < 0) span->in_lo += in;
        else span->in_hi += in;
    }
    span->out_lo = span->out_off;
    span->out_hi = span->out_off + reach;
    *count = merge_dims(d, n);
    return true;
}

bool lw_outer_fill(lw_outer *o, const lw_dim *d, int count, unsigned skip, uint64_t *blocks)
{
    o->dims = 0;
    for (int i = 0; i < count; i++) {
        if (skip >> i & 1) continue;
        if (d[i].n >= 0x7fffffff || (*blocks *= (uint64_t)d[i].n) >= 0x7fffffff) return false;
        o->div[o->dims] = lw_fdiv_make((uint32_t)d[i].n);
        o->in[o->dims] = d[i].in;
        o->out[o->dims++] = d[i].out;
    }
    return true;
}
