// Atomics, warp functions, integer and SIMD intrinsics, casts, loads and stores: every overload once.
#include <cuda_runtime.h>

#define ALL_ATOMICS(S)                                                                                              \
    template <class T> __device__ void arithmetic##S(T *p, T v) { atomicAdd##S(p, v); p[1] = atomicExch##S(p, v); } \
    template <class T> __device__ void ordered##S(T *p, T v) { atomicMin##S(p, v); p[1] = atomicMax##S(p, v); }     \
    template <class T> __device__ void logic##S(T *p, T v)                                                          \
    {                                                                                                               \
        atomicAnd##S(p, v), atomicOr##S(p, v), atomicXor##S(p, v);                                                  \
        p[1] = atomicCAS##S(p, v, (T)(v + 1));                                                                      \
    }                                                                                                               \
    __global__ void atomics##S(int *i, unsigned *u, long long *l, unsigned long long *ul, float *f, double *d,      \
                               unsigned short *h)                                                                   \
    {                                                                                                               \
        __shared__ int s[2];                                                                                        \
        arithmetic##S(i, 1), arithmetic##S(u, 1u), arithmetic##S(ul, 1ull), arithmetic##S(f, 1.0f);                 \
        d[1] = atomicAdd##S(d, 1.0);                                                                                \
        arithmetic##S(s, (int)threadIdx.x);                                                                         \
        ordered##S(i, 1), ordered##S(u, 1u), ordered##S(l, 1ll), ordered##S(ul, 1ull), ordered##S(s, 3);            \
        logic##S(i, 1), logic##S(u, 1u), logic##S(ul, 1ull), logic##S(s, 3);                                        \
        i[0] = atomicSub##S(i, 2), u[0] = atomicSub##S(u, 2u);                                                      \
        u[1] = atomicInc##S(u, 7), u[2] = atomicDec##S(u, 7);                                                       \
        h[1] = atomicCAS##S(h, (unsigned short)1, (unsigned short)2);                                               \
    }
ALL_ATOMICS()
ALL_ATOMICS(_block)
ALL_ATOMICS(_system)

template <class T> __device__ T exchange(T v)
{
    v += __shfl_sync(~0u, v, 3);
    v += __shfl_up_sync(~0u, v, 1);
    v += __shfl_down_sync(~0u, v, 2, 16);
    return v + __shfl_xor_sync(~0u, v, 4);
}
template <class T> __global__ void shuffles(T *p)
{
    int all;
    p[threadIdx.x] = exchange(p[threadIdx.x]);
    p[0] += (T)(__match_any_sync(~0u, p[1]) + __match_all_sync(~0u, p[2], &all));
    p[1] += (T)all;
}
template __global__ void shuffles(int *);
template __global__ void shuffles(unsigned *);
template __global__ void shuffles(long *);
template __global__ void shuffles(unsigned long *);
template __global__ void shuffles(long long *);
template __global__ void shuffles(unsigned long long *);
template __global__ void shuffles(float *);
template __global__ void shuffles(double *);

__global__ void votes(unsigned *u, int *i)
{
    u[0] = __ballot_sync(~0u, i[0]) + __activemask();
    i[1] = __all_sync(~0u, i[0]) + __any_sync(~0u, i[0]) + __uni_sync(~0u, i[0]);
    u[1] = __reduce_add_sync(~0u, u[2]) + __reduce_min_sync(~0u, u[3]) + __reduce_max_sync(~0u, u[4]);
    u[2] = __reduce_and_sync(~0u, u[2]) + __reduce_or_sync(~0u, u[3]) + __reduce_xor_sync(~0u, u[4]);
    i[2] = __reduce_add_sync(~0u, i[2]) + __reduce_min_sync(~0u, i[3]) + __reduce_max_sync(~0u, i[4]);
}

__global__ void integers(int *i, unsigned *u, long long *l, unsigned long long *ul, char4 c, uchar4 uc)
{
    i[0] = __clz(i[1]) + __clzll(l[0]) + __ffs(i[2]) + __ffsll(l[1]) + __popc(u[0]) + __popcll(ul[0]);
    u[1] = __brev(u[1]) + __byte_perm(u[2], u[3], 0x4321) + __fns(u[4], 0, 2);
    ul[1] = __brevll(ul[2]) + __umul64hi(ul[3], ul[4]);
    u[2] = __funnelshift_l(u[1], u[2], u[3]) + __funnelshift_lc(u[1], u[2], u[3]) + __funnelshift_r(u[4], u[5], 9) +
           __funnelshift_rc(u[4], u[5], 9);
    i[3] = __mulhi(i[1], i[2]) + __mul24(i[3], i[4]) + __hadd(i[5], i[6]) + __rhadd(i[5], i[6]);
    u[3] = __umulhi(u[1], u[2]) + __umul24(u[3], u[4]) + __uhadd(u[5], u[6]) + __urhadd(u[5], u[6]);
    l[2] = __mul64hi(l[3], l[4]);
    u[5] = __sad(i[1], i[2], u[3]) + __usad(u[1], u[2], u[3]);
    i[4] = __dp4a(i[1], i[2], i[3]) + __dp4a(c, c, 1) + __dp2a_lo(i[1], i[2], 3) + __dp2a_hi(i[1], i[2], 3);
    u[6] = __dp4a(u[1], u[2], u[3]) + __dp4a(uc, uc, 1u) + __dp2a_lo(u[1], u[2], 3u) + __dp2a_hi(u[1], u[2], 3u);
    i[5] = min(i[1], i[2]) + max(i[3], 4) + (int)min(u[1], 3) + (int)max(l[1], 4ll) + abs(i[6]);
    u[7] = __vadd4(u[1], u[2]) ^ __vsub2(u[3], u[4]) ^ __vmaxs4(u[1], u[2]) ^ __vabsdiffu4(u[3], u[4]) ^
           __vcmpeq4(u[1], u[2]) ^ __vsetgtu2(u[3], u[4]) ^ __vsadu4(u[1], u[2]) ^ __vavgs2(u[3], u[4]) ^
           __vaddss2(u[1], u[2]);
    i[6] = __viaddmax_s32(i[1], i[2], i[3]) + __vimax3_s32_relu(i[1], i[2], i[3]);
}

__global__ void casts(float *f, double *d, int *i, unsigned *u, long long *l, unsigned long long *ul)
{
    i[0] = __float2int_rn(f[0]) + __float2int_rz(f[1]) + __float2int_ru(f[2]) + __float2int_rd(f[3]) +
           __double2int_rn(d[0]);
    u[0] = __float2uint_rn(f[0]) + __float2uint_rz(f[1]) + __double2uint_ru(d[2]) + __double2uint_rd(d[3]);
    l[0] = __float2ll_rn(f[0]) + __double2ll_rz(d[1]);
    ul[0] = __float2ull_ru(f[0]) + __double2ull_rd(d[1]);
    f[0] = __int2float_rn(i[0]) + __int2float_rz(i[1]) + __uint2float_ru(u[1]) + __ll2float_rd(l[1]) +
           __ull2float_rn(ul[2]);
    d[0] = __int2double_rn(i[0]) + __uint2double_rn(u[0]) + __ll2double_ru(l[0]) + __ull2double_rd(ul[0]);
    f[1] = __double2float_rn(d[1]) + __double2float_rz(d[2]) + __double2float_ru(d[3]) + __double2float_rd(d[4]);
    i[1] = __float_as_int(f[2]) + __double2hiint(d[1]) + __double2loint(d[2]) + (int)__float_as_uint(f[3]);
    f[2] = __int_as_float(i[2]) + __uint_as_float(u[3]);
    d[1] = __hiloint2double(i[3], i[4]) + __longlong_as_double(l[1]);
    l[1] = __double_as_longlong(d[2]);
}

template <class T> __global__ void caches(const T *in, T *out)
{
    T v = __ldg(in);
    __stcs(out, v);
    __stcg(out + 1, __ldcg(in + 1));
    __stwb(out + 2, __ldca(in + 2));
    __stwt(out + 3, __ldcs(in + 3));
    __stcs(out + 4, __ldcv(out + 5));
    __stcs(out + 6, __ldlu(out + 7));
}
#define CACHES(T) template __global__ void caches(const T *, T *);
CACHES(char) CACHES(signed char) CACHES(unsigned char) CACHES(short) CACHES(unsigned short) CACHES(int) CACHES(unsigned)
CACHES(long) CACHES(unsigned long) CACHES(long long) CACHES(unsigned long long) CACHES(float) CACHES(double)
CACHES(char2) CACHES(char4) CACHES(uchar2) CACHES(uchar4) CACHES(short2) CACHES(short4) CACHES(ushort2) CACHES(ushort4)
CACHES(int2) CACHES(int4) CACHES(uint2) CACHES(uint4) CACHES(longlong2) CACHES(ulonglong2) CACHES(float2) CACHES(float4)
CACHES(double2)

int main() { return 0; }
