/*
 * Device code of weighted histograms: how weights are added in shared and global memory, as f32, f64, or multiples of a
 * power of two whose sum does not depend on the order.
 */
#ifndef LW_OPS_HIST_SUMS_CUH
#define LW_OPS_HIST_SUMS_CUH

#include "hist/hist.cuh"

/* 2^k as two factors, neither of which over- or underflows: a weight times both is its number of multiples. */
struct scale {
    double one, two, limit;
};

LW_DEV int fixed_bits(const lw_hist_any &a)
{
    double limit = a.limit > 0 ? a.limit : *a.found;
    return limit > 0 ? 61 - a.head - ilogb(limit) : 0; /* limit < 2^(ilogb + 1) */
}

LW_DEV scale fixed_scale(const lw_hist_any &a)
{
    int k = fixed_bits(a);
    scale s = {scalbn(1.0, k / 2), scalbn(1.0, k - k / 2), a.limit > 0 ? a.limit : *a.found};
    return s;
}

LW_DEV int64_t multiples(const scale &s, double w)
{
    if (w != w) return 0;
    return __double2ll_rn(fmin(fmax(w, -s.limit), s.limit) * s.one * s.two);
}

LW_DEV float sum_of_warp(float v)
{
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

LW_DEV double sum_of_warp(double v)
{
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

LW_DEV long long sum_of_warp(long long v)
{
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

LW_DEV void add_real(const lw_hist_any &a, int64_t at, double v)
{
    if (a.sum_wide) atomicAdd((double *)a.sums + at, v);
    else atomicAdd((float *)a.sums + at, (float)v);
}

/* 64 bits as two counters: the carry goes along with the upper half. */
LW_DEV void add_halves(uint32_t *word, uint32_t at, long long v)
{
    uint32_t low = (uint32_t)v, high = (uint32_t)((unsigned long long)v >> 32);
    uint32_t old = atomicAdd(&word[2 * at], low);
    high += old + low < old;
    if (high) atomicAdd(&word[2 * at + 1], high);
}

/* One sample per lane, the whole warp together; e not below a.group: not counted. */
template <int W>
LW_DEV void add_entry(const lw_hist_any &a, uint32_t *word, uint32_t place, int64_t base, uint32_t e, double w,
                      const scale &s)
{
    if (W == LW_ADD_COUNT) {
        if (a.in_shared) {
            count_one(place, min(e, (uint32_t)a.group));
            return;
        }
        uint32_t same = __match_any_sync(0xffffffffu, e);
        bool adds = e < a.group && (threadIdx.x & 31) == (uint32_t)__ffs(same) - 1;
        if (adds) add_global(a.axis[0], base + e, __popc(same));
        return;
    }
    uint32_t one = __shfl_sync(0xffffffffu, e, 0);
    bool merged = __all_sync(0xffffffffu, e == one); /* equal lanes would take turns: one adds for all */
    bool adds = e < a.group && (!merged || (threadIdx.x & 31) == 0);
    if (W == LW_ADD_FIXED) {
        long long v = multiples(s, w);
        if (merged) v = sum_of_warp(v);
        if (adds && a.in_shared) add_halves(word, e, v);
        else if (adds) atomicAdd(a.fixed + base + e, (unsigned long long)v);
    } else if (W == LW_ADD_F32) {
        float v = (float)w;
        if (merged) v = sum_of_warp(v);
        if (adds && a.in_shared) atomicAdd((float *)word + e, v);
        else if (adds) add_real(a, base + e, v);
    } else {
        if (merged) w = sum_of_warp(w);
        if (adds && a.in_shared) atomicAdd((double *)word + e, w);
        else if (adds) add_real(a, base + e, w);
    }
}

template <int W> LW_DEV void flush_any(const lw_hist_any &a, const uint32_t *word, int64_t base)
{
    for (int64_t i = threadIdx.x; i < a.group; i += LW_HIST_THREADS) {
        if (W == LW_ADD_COUNT) {
            if (word[i]) add_global(a.axis[0], base + i, word[i]);
        } else if (W == LW_ADD_FIXED) {
            unsigned long long v = word[2 * i] | (unsigned long long)word[2 * i + 1] << 32;
            if (v) atomicAdd(a.fixed + base + i, v);
        } else {
            double v = W == LW_ADD_F32 ? ((const float *)word)[i] : ((const double *)word)[i];
            if (v != 0) add_real(a, base + i, v);
        }
    }
}

#endif
