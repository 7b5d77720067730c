/* Barriers that part of a warp's lanes reach: which lanes are together behind them, whether other warps are waited for, and where a
 * card hangs. Output: h100-partial-barriers.txt.
 *
 *   nvcc -arch=sm_90 -O2 partial_barriers.cu
 *   partial_barriers CASE THREADS LIMIT MODULUS     lanes with thread % MODULUS < LIMIT sync; a case may never end: give it a time limit
 *
 * A row a thread at the edges: thread: out[0] to out[7], of which 0, 2, 4 and 6 are masks of the lanes that are together; -1: not written. */
#include <cstdio>
#include <cstdlib>
#define OUT 8
__device__ __forceinline__ unsigned long long now()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
__device__ __forceinline__ unsigned active()
{
    unsigned m;
    asm volatile("activemask.b32 %0;" : "=r"(m));
    return m;
}
__device__ int tickets;
__device__ int ticket() { return atomicAdd(&tickets, 1); }
/* lanes of a part sync, the others go on; behind it all join */
__global__ void part(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    o[0] = active();
    if (t % mod < limit) {
        o[1] = ticket();
        __syncthreads();
        o[2] = active();
        o[3] = ticket();
    }
    o[4] = active();
    o[5] = ticket();
}
/* behind it a barrier for all */
__global__ void part_then_all(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    o[0] = active();
    if (t % mod < limit) {
        o[1] = ticket();
        __syncthreads();
        o[2] = active();
        o[3] = ticket();
    }
    o[4] = active();
    o[5] = ticket();
    __syncthreads();
    o[6] = active();
    o[7] = ticket();
}
/* both ways have one */
__global__ void both(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    o[0] = active();
    if (t % mod < limit) {
        o[1] = ticket();
        __syncthreads();
        o[2] = active();
        o[3] = ticket();
    } else {
        o[1] = 1000 + ticket();
        __syncthreads();
        o[2] = active();
        o[3] = 1000 + ticket();
    }
    o[4] = active();
    o[5] = ticket();
}
/* a loop of as many barriers as the lane says */
__global__ void loop(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    int n = t % mod / limit;
    o[0] = active();
    for (int k = 0; k < n; k++) {
        __syncthreads();
        o[1 + k % 3] = active();
    }
    o[4] = active();
    o[5] = ticket();
}
/* the others leave the kernel */
__global__ void leave(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    o[0] = active();
    if (t % mod >= limit) return;
    o[1] = ticket();
    __syncthreads();
    o[2] = active();
    o[3] = ticket();
}
/* warp 1 comes 1 ms later */
__global__ void late(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    unsigned long long begin = now();
    o[0] = active();
    if (t >= 32)
        while (now() - begin < 1000000);
    if (t % mod < limit) {
        o[1] = ticket();
        __syncthreads();
        o[2] = active();
        o[3] = ticket();
    }
    o[4] = active();
    o[5] = (int)((now() - begin) / 1000);
}
/* only one warp has it */
__global__ void one_warp(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    unsigned long long begin = now();
    o[0] = active();
    if (t >= 32)
        while (now() - begin < 1000000);
    if (t < limit) {
        o[1] = ticket();
        __syncthreads();
        o[2] = active();
        o[3] = ticket();
    }
    o[4] = active();
    o[5] = (int)((now() - begin) / 1000);
}
/* what is written before by the other lanes of the warp, and of the other warp */
__global__ void exchange(int *o, int limit, int mod)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    o += t * OUT;
    s[t] = -1;
    __syncthreads();
    o[0] = active();
    s[t] = t;
    if (t % mod < limit) {
        __syncthreads();
        o[1] = s[63 - t];
        o[2] = active();
    }
    o[4] = active();
    o[5] = s[(t + 32) % 64];
}
/* a short part: machine code has the barrier under a predicate; behind it one for all */
__global__ void short_then_all(int *o, int limit, int mod)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = -1;
    o += t * OUT;
    __syncthreads();
    o[0] = active();
    if (t % mod < limit) {
        s[t] = t;
        __syncthreads();
    }
    o[1] = s[63 - t];
    o[2] = active();
    __syncthreads();
    o[3] = s[(t + 32) % 64];
    o[4] = active();
}
/* both ways have one, and are short: how many barriers does a warp pass that goes both? */
__global__ void both_short(int *o, int limit, int mod)
{
    __shared__ int s[2];
    int t = threadIdx.x;
    o += t * OUT;
    if (!t) s[0] = s[1] = 0;
    __syncthreads();
    o[0] = active();
    if (t % mod < limit) {
        s[0] = 1;
        __syncthreads();
    } else {
        s[1] = 1;
        __syncthreads();
    }
    o[1] = s[0];
    o[2] = active();
    o[3] = s[1];
    if (!t) s[0] = 2;
    __syncthreads();
    o[4] = active();
    o[5] = s[0];
    __syncthreads();
    if (t == 32) s[0] = 3;
    o[7] = s[0];
}
/* one way is short, the other long */
__global__ void short_and_long(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    o[0] = active();
    if (t % mod < limit) {
        o[1] = ticket();
        __syncthreads();
        o[2] = active();
        o[3] = ticket();
    } else {
        o[1] = 1;
        __syncthreads();
    }
    o[4] = active();
    o[5] = ticket();
}
/* a short part in a long one whose others leave: a convolution that loads its kernel by some threads */
__global__ void short_in_long(int *o, int limit, int mod)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    o += t * OUT;
    s[t] = -1;
    o[0] = active();
    if (t % mod < 2 * limit) {
        if (t % mod < limit) {
            s[t] = t;
            __syncthreads();
        }
        o[1] = ticket();
        o[2] = active();
        __syncthreads();
        o[3] = s[63 - t];
        o[4] = active();
    }
}
/* as many barriers as the lane says, then one for all */
__global__ void loop_then_all(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    int n = t % mod / limit;
    o[0] = active();
    for (int k = 0; k < n; k++) {
        o[1] = ticket();
        __syncthreads();
        o[2] = active();
    }
    __syncthreads();
    o[4] = active();
    o[5] = ticket();
}
/* the same of a stride of threads: each goes round once or twice */
__global__ void stride_then_all(int *o, int limit, int mod)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    o += t * OUT;
    o[0] = active();
    for (int k = t; k < blockDim.x + limit; k += blockDim.x) {
        s[k] = ticket();
        __syncthreads();
        o[1] = s[k ^ 1];
    }
    o[2] = active();
    __syncthreads();
    o[4] = active();
    o[5] = s[t];
}
/* lanes skip the rest of a round, and go on with the next: the barrier is the same one */
__global__ void skip_a_round(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    o[0] = active();
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        if (t % mod < limit && k == 1) continue;
        o[1] = ticket();
        __syncthreads();
        o[2] = active();
    }
    o[4] = active();
    o[5] = ticket();
}
/* barriers that need not be reached together */
__global__ void unaligned(int *o, int limit, int mod)
{
    int t = threadIdx.x;
    o += t * OUT;
    o[0] = active();
    if (t % mod < limit) {
        o[1] = ticket();
        asm volatile("barrier.sync 0;" ::: "memory");
        o[2] = active();
        o[3] = ticket();
    } else {
        o[1] = 1000 + ticket();
        asm volatile("barrier.sync 0;" ::: "memory");
        o[2] = active();
        o[3] = 1000 + ticket();
    }
    o[4] = active();
    o[5] = ticket();
}
int main(int n, char **v)
{
    void (*k[])(int *, int, int) = {part, part_then_all, both, loop, leave, late, one_warp, exchange,
                                 short_then_all, both_short, short_and_long, short_in_long, loop_then_all,
                                 stride_then_all, skip_a_round, unaligned};
    const char *names[] = {"part", "part_then_all", "both", "loop", "leave", "late", "one_warp", "exchange",
                           "short_then_all", "both_short", "short_and_long", "short_in_long", "loop_then_all",
                           "stride_then_all", "skip_a_round", "unaligned"};
    int c = atoi(v[1]), threads = atoi(v[2]), limit = atoi(v[3]), mod = atoi(v[4]), *d, h[64 * OUT];
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0xff, sizeof h);
    k[c]<<<1, threads>>>(d, limit, mod);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s,%d,%d,%d,%s\n", names[c], threads, limit, mod, cudaGetErrorName(e));
    for (int t = 0; t < threads; t++) {
        if (t % 8 && t % mod != limit && t % mod != limit - 1) continue;
        printf(" %d:", t);
        for (int j = 0; j < OUT; j++)
            j == 0 || j == 2 || j == 4 || j == 6 ? printf(" %08x", h[t * OUT + j]) : printf(" %d", h[t * OUT + j]);
        printf("\n");
    }
    return 0;
}
