// Half, bfloat16 and 8-bit floats. The host part checks every conversion by exhaustion; main returns non-zero on error.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdio.h>

#define SCALAR(fn) h[k] = fn(h[k]), b[k] = fn(b[k]), k++;
#define BINARY(fn) h[k] = fn(h[k], h[k + 1]), b[k] = fn(b[k], b[k + 1]), k++;
#define BINARY2(fn) h2[k] = fn(h2[k], h2[k + 1]), b2[k] = fn(b2[k], b2[k + 1]), k++;
#define RELATION(fn) f[k] += (float)(fn(h[k], h[k + 1]) + fn(b[k], b[k + 1])), k++;

__global__ void arithmetic(half *h, half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2, float *f, int k)
{
    SCALAR(__hneg)
    SCALAR(__habs) SCALAR(hsqrt) SCALAR(hrsqrt) SCALAR(hrcp) SCALAR(hexp) SCALAR(hexp2) SCALAR(hexp10) SCALAR(hlog)
        SCALAR(hlog2) SCALAR(hlog10) SCALAR(hsin) SCALAR(hcos) SCALAR(hfloor) SCALAR(hceil) SCALAR(htrunc) SCALAR(hrint)
            BINARY(__hadd) BINARY(__hsub) BINARY(__hmul) BINARY(__hdiv) BINARY(__hmin) BINARY(__hmax) BINARY(__hmin_nan)
                BINARY(__hadd_sat) BINARY2(__hadd2) BINARY2(__hsub2) BINARY2(__hmul2) BINARY2(__h2div) BINARY2(__hmin2)
                    BINARY2(__hmax2) BINARY2(__hgt2) RELATION(__heq) RELATION(__hne) RELATION(__hlt) RELATION(__hle)
                        RELATION(__hgt) RELATION(__hge) RELATION(__hgeu) h[k] = __hfma(h[0], h[1], h[2]),
                                                                         b[k] = __hfma(b[0], b[1], b[2]);
    h2[k] = __hfma2(h2[0], h2[1], h2[2]), b2[k] = __hfma2(b2[0], b2[1], b2[2]);
    h[0] += h[1] * h[2] - h[3] / h[4], b[0] -= b[1] * b[2] + b[3] / b[4];
    h2[0] = -h2[1] + h2[2], b2[0] *= b2[1];
    if (h[0] < h[1] && b[0] >= b[1] && h2[0] == h2[1] && __hbgt2(b2[0], b2[1]) && !__hisnan(h[3]) && __hisinf(b[2]))
        h[k]++, --b[k];
}
__global__ void conversions(half *h, half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2, float *f, double *d, int *i)
{
    h[0] = __float2half(f[0]), h[1] = __float2half_rz(f[1]), h[2] = __double2half(d[0]), h[3] = __int2half_rn(i[0]),
    h[4] = f[2];
    b[0] = __float2bfloat16(f[0]), b[1] = __float2bfloat16_ru(f[1]), b[2] = __double2bfloat16(d[0]), b[3] = d[3];
    h2[0] = __floats2half2_rn(f[0], f[1]), h2[1] = __float2half2_rn(f[2]), h2[2] = __halves2half2(h[0], h[1]);
    b2[0] = __floats2bfloat162_rn(f[0], f[1]), b2[1] = __bfloat162bfloat162(b[3]);
    f[0] = __half2float(h[1]) + __bfloat162float(b[1]) + __low2float(h2[1]) + __high2float(b2[1]) +
           __half22float2(h2[2]).x;
    h[5] = __low2half(h2[1]), h[6] = __high2half(h2[1]), h2[3] = __lowhigh2highlow(h2[0]),
    h2[4] = __lows2half2(h2[1], h2[2]);
    i[1] = __half2int_rn(h[1]) + __half2int_rz(h[2]) + __bfloat162int_rd(b[2]) + (int)__half2uint_ru(h[3]) +
           __half_as_ushort(h[4]);
    h[7] = __ushort_as_half(7), h[8] = __ldg(h + 9), h2[5] = __ldg(h2 + 6);
    h[9] = __shfl_xor_sync(~0u, h[9], 1), h2[7] = __shfl_down_sync(~0u, h2[7], 1), b[4] = __shfl_sync(~0u, b[4], 0);
    h[10] = atomicAdd(h + 11, h[0]), h2[8] = atomicAdd(h2 + 9, h2[0]), b[5] = atomicAdd(b + 6, b[0]),
    b2[2] = atomicAdd(b2 + 3, b2[0]);
}
__global__ void eighths(__nv_fp8_e4m3 *p, __nv_fp8_e5m2 *q, __nv_fp8x4_e4m3 *r, float4 *v)
{
    p[0] = __nv_fp8_e4m3(v[0].x), q[0] = __nv_fp8_e5m2(v[0].y), r[0] = __nv_fp8x4_e4m3(v[1]);
    v[2] = (float4)r[1], v[3].x = (float)p[1] + (float)q[1], v[3].y = __half2float((half)p[2]);
}

/* The nearest value of a format, found by looking at all of them: ties to the even bits. */
template <class F> static int nearest(double x, int top, F value)
{
    int best = 0;
    for (int lo = 0, hi = top; lo <= hi;) {
        int mid = (lo + hi) / 2;
        if (value(mid) <= x)
            best = mid, lo = mid + 1;
        else
            hi = mid - 1;
    }
    if (best == top)
        return top;
    double below = x - value(best), above = value(best + 1) - x;
    return below < above || (below == above && !(best & 1)) ? best : best + 1;
}

/* A 16-bit float takes integers by assignment and gives them by casts, as the toolkit's: rounded to zero, saturated. */
template <class H> static int count_bad_members()
{
    H h;
    int bad = 0;
    bad += (float)(h = (short)-3) != -3, bad += (float)(h = (unsigned short)5) != 5;
    bad += (float)(h = 6 - 12) != -6, bad += (float)(h = 7u) != 7, bad += (float)(h = 'a') != 97;
    bad += (float)(h = 9ll) != 9, bad += (float)(h = 10ull) != 10;
    h = -300.5f;
    bad += (short)h != -300 || (int)h != -300 || (long)h != -300 || (long long)h != -300;
    bad += (unsigned short)h != 0 || (unsigned)h != 0 || (unsigned long)h != 0 || (unsigned long long)h != 0;
    bad += (signed char)h != -128 || (unsigned char)h != 0 || (double)h != (double)(float)h;
    h = 300;
    bad += (char)h != 127 || (unsigned char)h != 255 || !(bool)h;
    return bad;
}

int main()
{
    int bad = count_bad_members<half>() + count_bad_members<__nv_bfloat16>();
    for (unsigned u = 0; u < 65536; u++) {
        half h = __ushort_as_half((unsigned short)u);
        __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)u);
        float x = __half2float(h), y = __bfloat162float(b);
        bad += x == x && __half_as_ushort(__float2half(x)) != u;
        bad += y == y && __bfloat16_as_ushort(__float2bfloat16(y)) != u;
    }
    auto as_half = [](int i) { return (double)__half2float(__ushort_as_half((unsigned short)i)); };
    auto as_e4m3 = [](int i) { return (double)lwc_fp8_to_float((unsigned char)i, __NV_E4M3); };
    auto as_e5m2 = [](int i) { return (double)lwc_fp8_to_float((unsigned char)i, __NV_E5M2); };
    unsigned seed = 1;
    for (int i = 0; i < 300000; i++) {
        seed = seed * 1664525u + 1013904223u;
        double x = exp2(((seed >> 8) % 4096) / 4096.0 * 40 - 26) * ((seed & 1) ? 1.0 : 1.0 + (seed >> 12) * 1e-9);
        if (i % 3 == 0) /* exact ties */
            x = (as_half((int)(seed % 31742)) + as_half((int)(seed % 31742) + 1)) / 2;
        if (x < 65504)
            bad += __half_as_ushort(__double2half(x)) != nearest(x, 0x7bff, as_half);
        bad += __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E4M3) != nearest(x, 0x7e, as_e4m3);
        bad += __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E5M2) != nearest(x, 0x7b, as_e5m2);
    }
    bad += __half2int_rz(__float2half(-3.7f)) != -3 || __half2float(__float2half(1e6f)) != INFINITY;
    bad += __half_as_ushort(__float2half_rz(65519.0f)) != 0x7bff || __half_as_ushort(__float2half_ru(1e-9f)) != 1;
    bad += __half2float(__float2half(1.5f) * __float2half(2.0f)) != 3.0f;
    printf("half: %d errors\n", bad);
    return bad != 0;
}
