/* Scalar shared accesses at neighbouring addresses: when does the assembler make one wide access of them? */
#include "hw.h"

#define FILL(s, n)                                                                                                  \
    for (int k_ = threadIdx.x; k_ < (n); k_ += blockDim.x) s[k_] = in[k_];                                          \
    __syncthreads()

#define READ(name, declaration, count, base, expression)                                                            \
    __global__ void name(int *out, const int *in) {                                                                 \
        declaration;                                                                                                \
        FILL(s, count);                                                                                             \
        int t = threadIdx.x, i = base;                                                                              \
        (void)t;                                                                                                    \
        out[TID] = expression;                                                                                      \
    }
READ(pair_aligned, __shared__ __align__(16) int s[512], 512, 2 * t, s[i] + 3 * s[i + 1])
READ(pair_natural, __shared__ int s[512], 512, 2 * t, s[i] + 3 * s[i + 1])
READ(pair_reversed, __shared__ __align__(16) int s[512], 512, 2 * t, 3 * s[i + 1] - s[i])
READ(pair_odd, __shared__ __align__(16) int s[512], 512, 2 * t + 1, s[i] + 3 * s[i + 1])
READ(pair_unknown, __shared__ __align__(16) int s[512], 512, t, s[i] + 3 * s[i + 1])
READ(pair_masked, __shared__ __align__(16) int s[512], 512, t & ~1, s[i] + 3 * s[i + 1])
READ(pair_loaded, __shared__ __align__(16) int s[512], 512, in[t] & 62, s[i] + 3 * s[i + 1])
READ(pair_times_six, __shared__ __align__(16) int s[1024], 1024, 6 * t, s[i] + 3 * s[i + 1])
READ(quad_aligned, __shared__ __align__(16) int s[1024], 1024, 4 * t, s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3])
READ(quad_natural, __shared__ int s[1024], 1024, 4 * t, s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3])
READ(quad_plus_two, __shared__ __align__(16) int s[1024], 1024, 4 * t + 2, s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3])
READ(quad_times_six, __shared__ __align__(16) int s[1024], 1024, 6 * t, s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3])
READ(quad_no_last, __shared__ __align__(16) int s[1024], 1024, 4 * t, s[i] + 3 * s[i + 1] + 5 * s[i + 2])
READ(quad_no_third, __shared__ __align__(16) int s[1024], 1024, 4 * t, s[i] + 3 * s[i + 1] + 7 * s[i + 3])
READ(quad_no_second, __shared__ __align__(16) int s[1024], 1024, 4 * t, s[i] + 5 * s[i + 2] + 7 * s[i + 3])
READ(quad_first_last, __shared__ __align__(16) int s[1024], 1024, 4 * t, s[i] + 7 * s[i + 3])
READ(eight_aligned, __shared__ __align__(16) int s[1024], 1024, 8 * t,
     s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3] + 9 * s[i + 4] + 11 * s[i + 5] + 13 * s[i + 6] + 15 * s[i + 7])
READ(uniform_quad, __shared__ __align__(16) int s[64], 64, 4 * (t / 32), s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3])
READ(constant_quad, __shared__ __align__(16) int s[64], 64, 8, s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3])
READ(constant_natural, __shared__ int s[64], 64, 8, s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3])
READ(bytes_quad, __shared__ __align__(16) unsigned char s[512], 512, 4 * t, s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3])
READ(shorts_pair, __shared__ __align__(16) unsigned short s[512], 512, 2 * t, s[i] + 3 * s[i + 1])
READ(shorts_quad, __shared__ __align__(16) unsigned short s[512], 512, 4 * t, s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3])
READ(longs_pair, __shared__ __align__(16) long long s[512], 512, 2 * t, (int)(s[i] + 3 * s[i + 1]))
READ(rows_pair, __shared__ __align__(16) int s[1024], 1024, 32 * (t / 32) + 2 * (t % 16), s[i] + 3 * s[i + 1] + s[i + 256] + s[i + 257])
READ(volatile_pair, volatile __shared__ __align__(16) int s[512], 512, 2 * t, s[i] + 3 * s[i + 1])

__global__ void pair_store_between(int *out, const int *in) {
    __shared__ __align__(16) int s[512];
    FILL(s, 512);
    int t = threadIdx.x, a = s[2 * t];
    s[2 * t + 256 - 128] = a + 1;
    out[TID] = a + 3 * s[2 * t + 1];
}
__global__ void pair_other_array_between(int *out, const int *in) {
    __shared__ __align__(16) int s[512], r[128];
    FILL(s, 512);
    int t = threadIdx.x, a = s[2 * t];
    r[t] = a + 1;
    out[TID] = a + 3 * s[2 * t + 1];
    __syncthreads();
    out[TID + 1024] = r[127 - t];
}
__global__ void pair_barrier_between(int *out, const int *in) {
    __shared__ __align__(16) int s[512];
    FILL(s, 512);
    int t = threadIdx.x, a = s[2 * t];
    __syncthreads();
    out[TID] = a + 3 * s[2 * t + 1];
}
__global__ void pair_warp_sync_between(int *out, const int *in) {
    __shared__ __align__(16) int s[512];
    FILL(s, 512);
    int t = threadIdx.x, a = s[2 * t];
    __syncwarp();
    out[TID] = a + 3 * s[2 * t + 1];
}
__global__ void pair_global_store_between(int *out, const int *in) {
    __shared__ __align__(16) int s[512];
    FILL(s, 512);
    int t = threadIdx.x, a = s[2 * t];
    out[TID + 1024] = a;
    out[TID] = a + 3 * s[2 * t + 1];
}
__global__ void pair_conditional(int *out, const int *in) {
    __shared__ __align__(16) int s[512];
    FILL(s, 512);
    int t = threadIdx.x;
    if (in[t] & 8) out[TID] = s[2 * t] + 3 * s[2 * t + 1];
}
__global__ void pair_second_conditional(int *out, const int *in) {
    __shared__ __align__(16) int s[512];
    FILL(s, 512);
    int t = threadIdx.x, a = s[2 * t];
    if (a & 8) a += 3 * s[2 * t + 1];
    out[TID] = a;
}
__global__ void row_loop(int *out, const int *in) {
    __shared__ __align__(16) int s[32 * 32];
    FILL(s, 1024);
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 32; k++) sum += s[(t / 32) * 32 + k] * (k + 1);
    out[TID] = sum;
}
__global__ void row_loop_rolled(int *out, const int *in) {
    __shared__ __align__(16) int s[32 * 32];
    FILL(s, 1024);
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 32; k++) sum += s[(t / 32) * 32 + k] * (k + 1);
    out[TID] = sum;
}
__global__ void row_loop_by_four(int *out, const int *in, int n) {
    __shared__ __align__(16) int s[32 * 32];
    FILL(s, 1024);
    int t = threadIdx.x, sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++) sum += s[(t / 32) * 32 + k] * (k + 1);
    out[TID] = sum;
}
__global__ void row_loop_padded(int *out, const int *in) {
    __shared__ int s[33 * 32];
    FILL(s, 1024);
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 32; k++) sum += s[(t / 32) * 33 + k] * (k + 1);
    out[TID] = sum;
}
__global__ void column_loop(int *out, const int *in) {
    __shared__ __align__(16) int s[32 * 32];
    FILL(s, 1024);
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 32; k++) sum += s[(t % 32) * 32 + k] * (k + 1);
    out[TID] = sum;
}
__global__ void dynamic_quad(int *out, const int *in) {
    extern __shared__ int d[];
    FILL(d, 1024);
    int i = 4 * threadIdx.x;
    out[TID] = d[i] + 3 * d[i + 1] + 5 * d[i + 2] + 7 * d[i + 3];
}
__global__ void dynamic_quad_aligned(int *out, const int *in) {
    extern __shared__ __align__(16) int e[];
    FILL(e, 1024);
    int i = 4 * threadIdx.x;
    out[TID] = e[i] + 3 * e[i + 1] + 5 * e[i + 2] + 7 * e[i + 3];
}
__global__ void after_odd_variable(int *out, const int *in) {
    __shared__ int first;
    __shared__ int s[1024];
    if (threadIdx.x == 0) first = in[5];
    FILL(s, 1024);
    int i = 4 * threadIdx.x;
    out[TID] = first + s[i] + 3 * s[i + 1] + 5 * s[i + 2] + 7 * s[i + 3];
}
#define WRITE(name, declaration, statement)                                                                         \
    __global__ void name(int *out, const int *in) {                                                                 \
        declaration;                                                                                                \
        int t = threadIdx.x, v = in[TID];                                                                           \
        statement;                                                                                                  \
        __syncthreads();                                                                                            \
        out[TID] = s[127 - t] + s[255 - t];                                                                         \
    }
WRITE(write_pair, __shared__ __align__(16) int s[512], s[2 * t] = v; s[2 * t + 1] = v + 1)
WRITE(write_pair_natural, __shared__ int s[512], s[2 * t] = v; s[2 * t + 1] = v + 1)
WRITE(write_quad, __shared__ __align__(16) int s[512], s[4 * t] = v; s[4 * t + 1] = v + 1; s[4 * t + 2] = v + 2; s[4 * t + 3] = v + 3)
WRITE(write_quad_natural, __shared__ int s[512], s[4 * t] = v; s[4 * t + 1] = v + 1; s[4 * t + 2] = v + 2; s[4 * t + 3] = v + 3)
WRITE(write_three, __shared__ __align__(16) int s[512], s[4 * t] = v; s[4 * t + 1] = v + 1; s[4 * t + 2] = v + 2)
WRITE(write_zeros, __shared__ __align__(16) int s[512], s[4 * t] = 0; s[4 * t + 1] = 0; s[4 * t + 2] = 0; s[4 * t + 3] = 0)
WRITE(write_bytes, __shared__ __align__(16) unsigned char s[512], s[4 * t] = v; s[4 * t + 1] = v + 1; s[4 * t + 2] = v + 2; s[4 * t + 3] = v + 3)
WRITE(write_same_twice, __shared__ __align__(16) int s[512], s[2 * t] = v; s[2 * t] = v + 1)

int main(void) {
    int *in = device_words<int>(1 << 16, false), *out = device_words<int>(1 << 16, true);
#define RUN(name) LAUNCH(name, 2, 64, out, in)
    RUN(pair_aligned); RUN(pair_natural); RUN(pair_reversed); RUN(pair_odd); RUN(pair_unknown); RUN(pair_masked);
    RUN(pair_loaded); RUN(pair_times_six); RUN(quad_aligned); RUN(quad_natural); RUN(quad_plus_two); RUN(quad_times_six);
    RUN(quad_no_last); RUN(quad_no_third); RUN(quad_no_second); RUN(quad_first_last); RUN(eight_aligned);
    RUN(uniform_quad); RUN(constant_quad); RUN(constant_natural); RUN(bytes_quad); RUN(shorts_pair); RUN(shorts_quad);
    RUN(longs_pair); RUN(rows_pair); RUN(volatile_pair);
    RUN(pair_store_between); RUN(pair_other_array_between); RUN(pair_barrier_between); RUN(pair_warp_sync_between);
    RUN(pair_global_store_between); RUN(pair_conditional); RUN(pair_second_conditional);
    RUN(row_loop); RUN(row_loop_rolled); LAUNCH(row_loop_by_four, 2, 64, out, in, 30); RUN(row_loop_padded); RUN(column_loop);
    dynamic_quad<<<2, 64, 4096>>>(out, in);
    dynamic_quad_aligned<<<2, 64, 4096>>>(out, in);
    CHECK(cudaDeviceSynchronize());
    RUN(after_odd_variable);
    RUN(write_pair); RUN(write_pair_natural); RUN(write_quad); RUN(write_quad_natural); RUN(write_three); RUN(write_zeros);
    RUN(write_bytes); RUN(write_same_twice);
    puts("done");
    return 0;
}
