/* Cycles from an operation to the next that needs its result, of one warp: loops of 4096 times four of the same operation in a row, and what
 * a turn of a loop takes that does it once. One kernel each:
 *     ncu --clock-control none --metrics sm__cycles_elapsed.max,smsp__inst_executed.sum ./latencies
 * `latencies list` says what the launches are, in order. */
#include <cstdio>
#include <cstring>

#define TURNS 4096

#define OPERATIONS(OP)                                                                                                           \
    OP(fadd, float, x + y) OP(fmul, float, x * y) OP(ffma, float, x * y + z) OP(fmax, float, fmaxf(x, y))                        \
    OP(fdiv_same, float, x / y) OP(fdiv_other, float, y / x) OP(fdiv_two, float, 2.0f / x) OP(frcp, float, 1.0f / x)            \
    OP(fsqrt, float, sqrtf(x)) OP(frsqrt, float, rsqrtf(x)) OP(fsin, float, sinf(x)) OP(fcos, float, cosf(x))                    \
    OP(fsincos, float, (sincosf(x, &s, &c), s + c)) OP(fsin_fast, float, __sinf(x)) OP(fexp, float, expf(x))                     \
    OP(fexp_fast, float, __expf(x)) OP(fexp2, float, exp2f(x)) OP(flog, float, logf(x)) OP(flog_fast, float, __logf(x))          \
    OP(flog2, float, log2f(x)) OP(fpow, float, powf(x, y)) OP(ftanh, float, tanhf(x)) OP(fatan, float, atanf(x))                 \
    OP(fatan2, float, atan2f(x, y)) OP(facos, float, acosf(x)) OP(ferf, float, erff(x)) OP(fmod_, float, fmodf(x, y))            \
    OP(ffloor, float, floorf(x) + y) OP(fround, float, roundf(x) + y) OP(fint, float, (float)(int)x)                             \
    OP(fhypot, float, hypotf(x, y)) OP(fcbrt, float, cbrtf(x)) OP(fbranch, float, x > y ? x * z : x + z)                         \
    OP(dadd, double, x + y) OP(dmul, double, x * y) OP(dfma, double, x * y + z) OP(dmax, double, fmax(x, y))                     \
    OP(ddiv_same, double, x / y) OP(ddiv_other, double, y / x) OP(dsqrt, double, sqrt(x)) OP(dsin, double, sin(x))               \
    OP(dcos, double, cos(x)) OP(dexp, double, exp(x)) OP(dlog, double, log(x)) OP(dpow, double, pow(x, y))                       \
    OP(dfloat, double, (double)(float)x + y) OP(dint, double, (double)(int)x) OP(dfloor, double, floor(x) + y)                   \
    OP(fdouble, float, (float)((double)x * 1.1)) OP(fdouble_add, float, (float)(x + 0.5)) OP(fexp_double, float, exp((double)x)) \
    OP(iadd, int, x + y) OP(imul, int, x * y) OP(imad, int, x * y + z) OP(imin, int, min(x, y) ^ z) OP(ishift, int, x << y)      \
    OP(ixor, int, (x ^ y) + z) OP(idiv, int, x / y) OP(irem, int, x % y + z) OP(idiv_other, int, y / (x | 1))                    \
    OP(idiv_known, int, x / 10 + y) OP(irem_known, int, x % 10 + y) OP(udiv, unsigned, x / y) OP(urem, unsigned, x % y + z)      \
    OP(ipopc, int, __popc(x) + y) OP(iclz, int, __clz(x) + y) OP(iffs, int, __ffs(x) + y) OP(ibrev, int, __brev(x) + y)          \
    OP(imulhi, int, __mulhi(x, y) + z) OP(ifloat, int, (int)((float)x * 1.5f)) OP(iabs, int, abs(x) + y)                         \
    OP(iselect, int, x > y ? x - z : x + z)                                                                                      \
    OP(ladd, long long, x + y) OP(lmul, long long, x * y) OP(lmad, long long, x * y + z) OP(ldiv, long long, x / y)              \
    OP(lrem, long long, x % y + z) OP(lshift, long long, (x >> y) + z) OP(ulmulhi, unsigned long long, __umul64hi(x, y) + z)     \
    OP(shuffle, int, __shfl_xor_sync(0xffffffffu, x, 1) + y) OP(shuffle_down, int, x + __shfl_down_sync(0xffffffffu, x, 1))      \
    OP(ballot, int, (int)__ballot_sync(0xffffffffu, x > y) + z) OP(any, int, __any_sync(0xffffffffu, x > y) + x)                 \
    OP(reduce, int, __reduce_add_sync(0xffffffffu, x)) OP(warp_sync, int, (__syncwarp(), x + y))                                 \
    OP(block_sync, int, (__syncthreads(), x + y)) OP(shared_load, int, place[x & 63])                                            \
    OP(shared_round, int, (place[threadIdx.x] = x, __syncwarp(), place[threadIdx.x ^ 1]))                                        \
    OP(shared_barrier, int, (place[threadIdx.x] = x, __syncthreads(), place[threadIdx.x ^ 1]))                                   \
    OP(shared_atomic, int, atomicAdd(&place[threadIdx.x], x)) OP(shared_atomic_one, int, atomicAdd(&place[0], x))                \
    OP(local, int, local_[x & 7] + y) OP(constant_load, int, constants[x & 63] + y)                                             \
    OP(global_load, int, global[x & 63]) OP(global_atomic, int, atomicAdd(&global[threadIdx.x + 64], x) & 63)

__constant__ int constants[64];

#define KERNEL(name, type, expression)                                                                                           \
    template <int N> __global__ void name(type *out, type a, type y, type z, int *global)                                        \
    {                                                                                                                            \
        __shared__ int place[64];                                                                                                \
        int local_[8];                                                                                                           \
        float s, c;                                                                                                              \
        for (int k = 0; k < 8; k++) local_[k] = k * (int)z;                                                                      \
        place[threadIdx.x] = place[threadIdx.x + 32] = 0;                                                                        \
        type x = a;                                                                                                              \
        _Pragma("unroll 1") for (int k = 0; k < TURNS; k++) {                                                                    \
            x = (expression);                                                                                                    \
            if (N > 1) x = (expression);                                                                                         \
            if (N > 1) x = (expression);                                                                                         \
            if (N > 1) x = (expression);                                                                                         \
        }                                                                                                                        \
        out[threadIdx.x] = x;                                                                                                    \
        (void)s, (void)c, (void)local_;                                                                                          \
    }
OPERATIONS(KERNEL)

// A loop over an array in L1 that adds: the load's address is known before. And of several loads a turn.
__global__ void sum_loads(float *out, const float *in, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) sum += in[k & 255];
    out[threadIdx.x] = sum;
}
__global__ void sum_branch(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        if (in[k & 255] >= 0) sum += 1.5f;
        else sum = sum * 0.5f + out[k & 31];
    out[threadIdx.x] = sum;
}
__global__ void empty_loop(float *out, int n)
{
#pragma unroll 1
    for (int k = 0; k < n; k++) asm volatile("");
    out[threadIdx.x] = n;
}

int main(int argc, char **argv)
{
    void *out = nullptr;
    int *global = nullptr;
    bool list = argc > 1 && !strcmp(argv[1], "list");
    if (!list) {
        cudaMalloc(&out, 4096);
        cudaMalloc(&global, 4096);
        cudaMemset(global, 0, 4096);
    }
#define RUN(name, type, expression)                                                                                              \
    if (list) printf(#name ",1\n" #name ",4\n");                                                                                 \
    else {                                                                                                                       \
        name<1><<<1, 32>>>((type *)out, (type)1.37, (type)3, (type)2, global);                                                   \
        name<4><<<1, 32>>>((type *)out, (type)1.37, (type)3, (type)2, global);                                                   \
    }
    OPERATIONS(RUN)
    if (list) printf("sum_loads,1\nsum_branch,1\nempty_loop,1\n");
    else {
        sum_loads<<<1, 32>>>((float *)out, (float *)global, TURNS);
        sum_branch<<<1, 32>>>((float *)out, (float *)global, TURNS);
        empty_loop<<<1, 32>>>((float *)out, TURNS);
    }
    return list ? 0 : cudaDeviceSynchronize();
}
