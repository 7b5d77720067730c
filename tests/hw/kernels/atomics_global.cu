/* Atomics on global memory: every operation and type, results used and not, one address for all lanes and many. */
#include "hw.h"

#define LANES(name, type, expression)                                                                               \
    __global__ void name##_dead(type *p, const unsigned *in) {                                                      \
        unsigned v = in[TID];                                                                                       \
        type *a = p + (v >> 8 & 63);                                                                                \
        (void)v;                                                                                                    \
        expression;                                                                                                 \
    }                                                                                                               \
    __global__ void name##_used(type *p, const unsigned *in, type *out) {                                           \
        unsigned v = in[TID];                                                                                       \
        type *a = p + (v >> 8 & 63);                                                                                \
        (void)v;                                                                                                    \
        out[TID] = expression;                                                                                      \
    }                                                                                                               \
    __global__ void name##_uniform_dead(type *p, const unsigned *in) {                                              \
        unsigned v = in[TID];                                                                                       \
        type *a = p;                                                                                                \
        (void)v;                                                                                                    \
        expression;                                                                                                 \
    }                                                                                                               \
    __global__ void name##_uniform_used(type *p, const unsigned *in, type *out) {                                   \
        unsigned v = in[TID];                                                                                       \
        type *a = p;                                                                                                \
        (void)v;                                                                                                    \
        out[TID] = expression;                                                                                      \
    }
typedef unsigned long long u64;
LANES(add_one, int, atomicAdd(a, 1))
LANES(add_seven, int, atomicAdd(a, 7))
LANES(add_value, int, atomicAdd(a, (int)v))
LANES(sub_value, int, atomicSub(a, (int)v))
LANES(add_u64, u64, atomicAdd(a, (u64)v))
LANES(add_u64_one, u64, atomicAdd(a, 1ull))
LANES(add_float, float, atomicAdd(a, (float)(v & 3)))
LANES(add_double, double, atomicAdd(a, (double)(v & 3)))
LANES(min_int, int, atomicMin(a, (int)v))
LANES(max_unsigned, unsigned, atomicMax(a, v))
LANES(max_u64, u64, atomicMax(a, (u64)v))
LANES(and_unsigned, unsigned, atomicAnd(a, v))
LANES(or_unsigned, unsigned, atomicOr(a, v))
LANES(xor_unsigned, unsigned, atomicXor(a, v))
LANES(inc_unsigned, unsigned, atomicInc(a, 1000u))
LANES(exch_int, int, atomicExch(a, (int)v))
LANES(cas_int, int, atomicCAS(a, 0, (int)v))
LANES(exch_u64, u64, atomicExch(a, (u64)v))
LANES(cas_u64, u64, atomicCAS(a, 0ull, (u64)v))

__global__ void count_if(int *counter, const unsigned *in) {
    if (in[TID] >> 9 & 1) atomicAdd(counter, 1);
}
__global__ void compact(int *out, int *counter, const int *in) {
    int v = in[TID];
    if (v >> 9 & 1) out[atomicAdd(counter, 1)] = v;
}
__global__ void one_thread(int *counter, const int *in) {
    if (threadIdx.x == 0) atomicAdd(counter, in[blockIdx.x]);
}
__global__ void block_address(int *counters, const int *in) { atomicAdd(&counters[blockIdx.x], in[TID]); }
__global__ void warp_address(int *counters, const int *in) { atomicAdd(&counters[threadIdx.x / 32], in[TID]); }
__global__ void loaded_address(int *counters, const int *in) { atomicAdd(&counters[in[0] & 7], in[TID]); }
__global__ void one_of_two(int *counters, const int *in) { atomicAdd(&counters[in[TID] >> 9 & 1], 1); }
__global__ void in_loop(int *counter, const int *in) {
    for (int k = 0; k < 4; k++) atomicAdd(counter, in[TID + 256 * k]);
}
__global__ void trips_loop(int *counter, const int *in) {
    for (int k = 0; k < (in[TID] >> 4 & 7); k++) atomicAdd(counter, k);
}
__global__ void block_scope(int *counter, const int *in) { atomicAdd_block(counter, in[TID]); }
__global__ void system_scope(int *counter, const int *in) { atomicAdd_system(counter, in[TID]); }
__global__ void histogram(int *bins, const unsigned char *in, int n) {
    for (int i = TID; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1);
}

#define RUN(name, type)                                                                                             \
    LAUNCH(name##_dead, 2, 96, (type *)p, in);                                                                      \
    LAUNCH(name##_used, 2, 96, (type *)p, in, (type *)out);                                                         \
    LAUNCH(name##_uniform_dead, 2, 96, (type *)p, in);                                                              \
    LAUNCH(name##_uniform_used, 2, 96, (type *)p, in, (type *)out)

int main(void) {
    unsigned *in = device_words<unsigned>(1 << 16, false);
    char *p = device_words<char>(1 << 16, true), *out = device_words<char>(1 << 16, true);
    int *q = (int *)p, *o = (int *)out;
    const int *si = (const int *)in;
    RUN(add_one, int);
    RUN(add_seven, int);
    RUN(add_value, int);
    RUN(sub_value, int);
    RUN(add_u64, u64);
    RUN(add_u64_one, u64);
    CHECK(cudaMemset(p, 0, 1 << 16));
    RUN(add_float, float);
    CHECK(cudaMemset(p, 0, 1 << 16));
    RUN(add_double, double);
    RUN(min_int, int);
    RUN(max_unsigned, unsigned);
    RUN(max_u64, u64);
    RUN(and_unsigned, unsigned);
    RUN(or_unsigned, unsigned);
    RUN(xor_unsigned, unsigned);
    RUN(inc_unsigned, unsigned);
    RUN(exch_int, int);
    RUN(cas_int, int);
    RUN(exch_u64, u64);
    RUN(cas_u64, u64);
    CHECK(cudaMemset(p, 0, 1 << 16));
    LAUNCH(count_if, 2, 128, q, in);
    LAUNCH(one_thread, 2, 128, q, si);
    LAUNCH(block_address, 2, 128, q, si);
    LAUNCH(warp_address, 2, 128, q, si);
    LAUNCH(loaded_address, 2, 128, q, si);
    LAUNCH(one_of_two, 2, 128, q, si);
    LAUNCH(in_loop, 2, 128, q, si);
    LAUNCH(trips_loop, 2, 128, q, si);
    LAUNCH(block_scope, 2, 128, q, si);
    LAUNCH(system_scope, 2, 128, q, si);
    LAUNCH(histogram, 4, 128, q, (const unsigned char *)in, 5000);
    CHECK(cudaMemset(p, 0, 1 << 16));
    LAUNCH(compact, 1, 32, o, q, si); /* one warp: the order is given */
    puts("done");
    return 0;
}
