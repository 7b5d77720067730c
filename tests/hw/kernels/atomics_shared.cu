/* Atomics on shared memory: every operation and type, results used and not, one address for all lanes and many. */
#include "hw.h"

#define LANES(name, type, expression)                                                                               \
    __global__ void name##_dead(type *out, const unsigned *in) {                                                    \
        __shared__ type s[64];                                                                                      \
        unsigned v = in[TID];                                                                                       \
        type *a = s + (v >> 8 & 63);                                                                                \
        if (threadIdx.x < 64) s[threadIdx.x] = 0;                                                                   \
        __syncthreads();                                                                                            \
        expression;                                                                                                 \
        __syncthreads();                                                                                            \
        if (threadIdx.x < 64) out[threadIdx.x] = s[threadIdx.x];                                                    \
    }                                                                                                               \
    __global__ void name##_used(type *out, const unsigned *in) {                                                    \
        __shared__ type s[64];                                                                                      \
        unsigned v = in[TID];                                                                                       \
        type *a = s + (v >> 8 & 63);                                                                                \
        if (threadIdx.x < 64) s[threadIdx.x] = 0;                                                                   \
        __syncthreads();                                                                                            \
        out[TID] = expression;                                                                                      \
    }                                                                                                               \
    __global__ void name##_uniform_dead(type *out, const unsigned *in) {                                            \
        __shared__ type s;                                                                                          \
        unsigned v = in[TID];                                                                                       \
        type *a = &s;                                                                                               \
        (void)v;                                                                                                    \
        if (threadIdx.x == 0) s = 0;                                                                                \
        __syncthreads();                                                                                            \
        expression;                                                                                                 \
        __syncthreads();                                                                                            \
        if (threadIdx.x == 0) out[0] = s;                                                                           \
    }                                                                                                               \
    __global__ void name##_uniform_used(type *out, const unsigned *in) {                                            \
        __shared__ type s;                                                                                          \
        unsigned v = in[TID];                                                                                       \
        type *a = &s;                                                                                               \
        (void)v;                                                                                                    \
        if (threadIdx.x == 0) s = 0;                                                                                \
        __syncthreads();                                                                                            \
        out[TID] = expression;                                                                                      \
    }
typedef unsigned long long u64;
LANES(add_one, int, atomicAdd(a, 1))
LANES(add_seven, int, atomicAdd(a, 7))
LANES(add_value, int, atomicAdd(a, (int)v))
LANES(sub_value, int, atomicSub(a, (int)v))
LANES(sub_one, int, atomicSub(a, 1))
LANES(add_u64, u64, atomicAdd(a, (u64)v))
LANES(add_u64_one, u64, atomicAdd(a, 1ull))
LANES(add_float, float, atomicAdd(a, (float)(v & 3)))
LANES(add_double, double, atomicAdd(a, (double)(v & 3)))
LANES(min_int, int, atomicMin(a, (int)v))
LANES(max_unsigned, unsigned, atomicMax(a, v))
LANES(max_u64, u64, atomicMax(a, (u64)v))
LANES(and_unsigned, unsigned, atomicAnd(a, v))
LANES(or_unsigned, unsigned, atomicOr(a, v))
LANES(or_one, unsigned, atomicOr(a, 1u))
LANES(xor_unsigned, unsigned, atomicXor(a, v))
LANES(inc_unsigned, unsigned, atomicInc(a, 1000u))
LANES(exch_int, int, atomicExch(a, (int)v))
LANES(cas_int, int, atomicCAS(a, 0, (int)v))
LANES(exch_u64, u64, atomicExch(a, (u64)v))
LANES(cas_u64, u64, atomicCAS(a, 0ull, (u64)v))

__global__ void histogram(int *bins, const unsigned char *in, int n) {
    __shared__ int s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    __syncthreads();
    for (int i = TID; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}
__global__ void histogram_weighted(float *bins, const unsigned char *in, int n) {
    __shared__ float s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    __syncthreads();
    for (int i = TID; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[in[i]], 0.5f);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}
__global__ void count_if(int *out, const unsigned *in) {
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    if (in[TID] >> 9 & 1) atomicAdd(&n, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = n;
}
__global__ void queue_push(int *out, const unsigned *in) {
    __shared__ int n, items[128];
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    if (in[TID] >> 9 & 1) items[atomicAdd(&n, 1)] = in[TID];
    __syncthreads();
    if ((int)threadIdx.x < n) out[TID] = items[threadIdx.x];
}
__global__ void add_one_loop(int *out, const unsigned *in) {
    __shared__ int s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) atomicAdd(&s[in[TID + 256 * k] >> 8 & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) out[threadIdx.x] = s[threadIdx.x];
}

#define RUN(name, type)                                                                                             \
    LAUNCH(name##_dead, 2, 96, (type *)out, in);                                                                    \
    LAUNCH(name##_used, 2, 96, (type *)out, in);                                                                    \
    LAUNCH(name##_uniform_dead, 2, 96, (type *)out, in);                                                            \
    LAUNCH(name##_uniform_used, 2, 96, (type *)out, in)

int main(void) {
    unsigned *in = device_words<unsigned>(1 << 16, false);
    char *out = device_words<char>(1 << 16, true);
    RUN(add_one, int);
    RUN(add_seven, int);
    RUN(add_value, int);
    RUN(sub_value, int);
    RUN(sub_one, int);
    RUN(add_u64, u64);
    RUN(add_u64_one, u64);
    RUN(add_float, float);
    RUN(add_double, double);
    RUN(min_int, int);
    RUN(max_unsigned, unsigned);
    RUN(max_u64, u64);
    RUN(and_unsigned, unsigned);
    RUN(or_unsigned, unsigned);
    RUN(or_one, unsigned);
    RUN(xor_unsigned, unsigned);
    RUN(inc_unsigned, unsigned);
    RUN(exch_int, int);
    RUN(cas_int, int);
    RUN(exch_u64, u64);
    RUN(cas_u64, u64);
    LAUNCH(histogram, 2, 128, (int *)out, (const unsigned char *)in, 5000);
    CHECK(cudaMemset(out, 0, 1 << 16));
    LAUNCH(histogram_weighted, 2, 128, (float *)out, (const unsigned char *)in, 5000);
    LAUNCH(count_if, 2, 128, (int *)out, in);
    LAUNCH(queue_push, 1, 32, (int *)out, in);
    LAUNCH(add_one_loop, 2, 128, (int *)out, in);
    puts("done");
    return 0;
}
