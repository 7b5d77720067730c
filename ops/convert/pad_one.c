/*
 * Pads in one launch (pad.cu): dense outputs whose rows are rows of the source, of at least 8 KiB, everything a
 * multiple of 16 bytes. All else is a copy and boxes around it (pad_plan.c). Host only.
 */
#include <string.h>
#include "convert/pad.h"

typedef struct pad_dim {
    int64_t n, size, before; /* elements of the output, of the source, and those before the source's first */
    int64_t out, in;         /* strides in bytes */
} pad_dim;

/* A dimension with a positive output stride, put where it belongs by that; one of extent 1 moves the source alone. */
static void insert(pad_dim *d, int *count, pad_dim x, lw_pad_one *one)
{
    if (x.n == 1) {
        one->span.in_off -= x.before * x.in;
        return;
    }
    if (x.out < 0) {
        one->span.out_off += (x.n - 1) * x.out;
        one->span.in_off += (x.size - 1) * x.in;
        x = (pad_dim){x.n, x.size, x.n - x.size - x.before, -x.out, -x.in};
    }
    int at = (*count)++;
    for (; at > 0 && d[at - 1].out > x.out; at--) d[at] = d[at - 1];
    d[at] = x;
}

/* Neighbours merged where the faster one has no margin; false if the output has gaps. */
static bool merge(pad_dim *d, int *count, int64_t elem)
{
    int64_t bytes = elem;
    int m = 0;
    for (int i = 0; i < *count; i++) {
        pad_dim *last = m ? &d[m - 1] : NULL;
        if (d[i].out != bytes) return false;
        bytes *= d[i].n;
        if (last && last->before == 0 && last->size == last->n && (d[i].size == 1 || d[i].in == last->n * last->in)) {
            *last = (pad_dim){last->n * d[i].n, last->n * d[i].size, last->n * d[i].before, last->out, last->in};
        } else {
            d[m++] = d[i];
        }
    }
    *count = m;
    return true;
}

/* The source's bytes around its element 0. */
static void source_range(const lw_tensor *src, int64_t elem, lw_pad_one *one)
{
    one->span.in_hi = elem;
    for (int i = 0; i < src->rank; i++) {
        int64_t span = (src->extent[i] - 1) * src->stride[i];
        if (span < 0) one->span.in_lo += span;
        else one->span.in_hi += span;
    }
}

static bool fits(int64_t x) { return x > -0x7fffffff && x < 0x7fffffff; }

/* Rows of the output and where they are in the source; false: not all vectors, or numbers too large for the kernel. */
static bool rows(lw_pad_one *one, const pad_dim *d, int count, int64_t elem)
{
    lw_pad_params *p = &one->p;
    int64_t lo = d[0].before > 0 ? d[0].before : 0, hi = d[0].before + d[0].size, all = 1, segment = lw_pad_segment();
    if (hi > d[0].n) hi = d[0].n;
    p->width = d[0].n * elem;
    p->first = lo * elem;
    p->len = (hi - lo) * elem;
    one->span.in_off += (lo - d[0].before) * elem;
    uint64_t bits = (uint64_t)(p->width | p->first | p->len | one->span.in_off | one->span.out_off);
    for (int i = 1; i < count; i++) {
        if (!fits(d[i].n) || !fits(d[i].size) || !fits(d[i].before) || !fits(all *= d[i].n)) return false;
        p->dim[p->dims++] =
            (lw_pad_dim){lw_fdiv_make((uint32_t)d[i].n), (uint32_t)(int32_t)d[i].before, (uint32_t)d[i].size, d[i].in};
        bits |= (uint64_t)d[i].in;
    }
    int64_t segments = (p->width + segment - 1) / segment;
    if (bits % 16 || p->width < segment / 2 || !fits(segments) || !fits(segments * all)) return false;
    p->segments = lw_fdiv_make((uint32_t)segments);
    one->bytes = all * p->width;
    one->grid = (uint32_t)(segments * all);
    return true;
}

void lw_pad_one_plan(lw_pad_one *one, const lw_tensor *dst, const lw_tensor *src, int64_t elem, const int64_t *before,
                     const void *value)
{
    pad_dim d[LW_OPS_MAX_RANK];
    int count = 0;
    if (elem > 16 || (elem & (elem - 1))) return;
    for (int i = 0; i < dst->rank; i++) {
        pad_dim x = {dst->extent[i], src->extent[i], before[i], dst->stride[i], src->stride[i]};
        insert(d, &count, x, one);
    }
    if (count == 0 || !merge(d, &count, elem) || (d[0].in != elem && d[0].size > 1)) return;
    if (!rows(one, d, count, elem)) return;
    source_range(src, elem, one);
    for (int i = 0; i < 16; i++) one->p.pattern[i] = ((const unsigned char *)value)[i % elem];
}

lw_ops_status lw_pad_one_run(const lw_pad_one *one, char *dst, const char *src, lw_stream stream)
{
    lw_pad_params p = one->p;
    p.in = src + one->span.in_off;
    p.out = dst + one->span.out_off;
    uintptr_t begin = (uintptr_t)p.out, end = begin + (uintptr_t)one->bytes;
    if (begin < (uintptr_t)src + (uintptr_t)one->span.in_hi && (uintptr_t)src + (uintptr_t)one->span.in_lo < end)
        return LW_OPS_OVERLAP;
    return lw_launch_status(lw_pad_launch(&p, one->grid, stream));
}
