/* Patterns of real kernels in shared and global memory: racy ones and their repaired twins. */
#include "cases.h"

template <int BARRIERS> __global__ void blelloch(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[2 * t] = 1;
    s[2 * t + 1] = 1; // found sweep_nobar: racecheck error
    for (int d = 64, step = 1; d > 0; d /= 2, step *= 2) {
        if (BARRIERS)
            __syncthreads();
        if (t < d) s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1]; // found sweep_nobar: racecheck error
    }
    if (t == 0)
        out[0] = s[127];
}

CASE(sweep_nobar) { int *d = zeros<int>(1); blelloch<0><<<1, 64>>>(d); finish(d, 1); }
CASE(sweep_clean) { int *d = zeros<int>(1); blelloch<1><<<1, 64>>>(d); finish(d, 1); } // silent

template <int BARRIER> __global__ void warp_sums(int *out)
{
    __shared__ int sums[4];
    int v = threadIdx.x;
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffffu, v, step);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = v; // found warp_sums_nobar: racecheck error
    if (BARRIER)
        __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sums[0] + sums[1] + sums[2] + sums[3]; // found warp_sums_nobar: racecheck error
}

CASE(warp_sums_nobar) { int *d = zeros<int>(1); warp_sums<0><<<1, 128>>>(d); finish(d, 1); }
CASE(warp_sums_clean) { int *d = zeros<int>(1); warp_sums<1><<<1, 128>>>(d); finish(d, 1); } // silent

template <int BUFFERS> __global__ void ring(int *out)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 4; i++) {
        s[i % BUFFERS][t] = i + t; // found ring_of_one: racecheck error
        __syncthreads();
        sum += s[i % BUFFERS][63 - t]; // found ring_of_one: racecheck error
    }
    out[t] = sum;
}

CASE(ring_of_one) { int *d = zeros<int>(64); ring<1><<<1, 64>>>(d); finish(d, 64); }
CASE(ring_of_two) { int *d = zeros<int>(64); ring<2><<<1, 64>>>(d); finish(d, 64); } // silent

template <int SPACE> __global__ void halo_steps(int *out)
{
    __shared__ int s[2][66];
    int t = threadIdx.x + 1;
    s[0][t] = t;
    s[1][t] = t;
    if (t < 3) {
        s[t - 1][0] = 0;
        s[t - 1][65] = 0;
    }
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        int v = s[i % 2 * SPACE][t - 1] + s[i % 2 * SPACE][t + 1]; // found halo_inplace: racecheck error
        s[(i + 1) % 2 * SPACE][t] = v; // found halo_inplace: racecheck error
        __syncthreads();
    }
    out[t - 1] = s[SPACE][t];
}

CASE(halo_inplace) { int *d = zeros<int>(64); halo_steps<0><<<1, 64>>>(d); finish(d, 64); }
CASE(halo_two_planes) { int *d = zeros<int>(64); halo_steps<1><<<1, 64>>>(d); finish(d, 64); } // silent

template <int BARRIER> __global__ void merge_bins(int *out)
{
    __shared__ int bins[4][32];
    int t = threadIdx.x, warp = t / 32;
    bins[warp][t % 32] = 0; // found warp_bins_nobar: racecheck error
    __syncwarp();
    atomicAdd(&bins[warp][(t * 7) % 8], 1); // found warp_bins_nobar: racecheck error
    if (BARRIER)
        __syncthreads();
    if (t < 32)
        out[t] = bins[0][t] + bins[1][t] + bins[2][t] + bins[3][t]; // found warp_bins_nobar: racecheck error
}

CASE(warp_bins_nobar) { int *d = zeros<int>(32); merge_bins<0><<<1, 128>>>(d); finish(d, 32); }
CASE(warp_bins_clean) { int *d = zeros<int>(32); merge_bins<1><<<1, 128>>>(d); finish(d, 32); } // silent

template <typename T> __global__ void neighbours_of_word(T *p)
{
    if (threadIdx.x % 32 == 0)
        p[blockIdx.x * 2 + threadIdx.x / 32] += 1;
}

CASE(global_bytes) // silent: different bytes of one word
{
    unsigned char *d = zeros<unsigned char>(16);
    neighbours_of_word<<<8, 64>>>(d);
    finish(d, 16);
}

template <typename T> __global__ void own_part(T *out)
{
    __shared__ T s[128];
    s[threadIdx.x] = T(threadIdx.x);
    out[threadIdx.x] = s[threadIdx.x];
}

CASE(shared_bytes_own) { auto *d = zeros<unsigned char>(128); own_part<<<1, 128>>>(d); finish(d, 128); } // silent
CASE(shared_halves_own) { auto *d = zeros<unsigned short>(128); own_part<<<1, 128>>>(d); finish(d, 128); } // silent

template <int WIDE> __global__ void word_over_bytes(int *out)
{
    __shared__ unsigned w[64];
    unsigned char *b = reinterpret_cast<unsigned char *>(w);
    int t = threadIdx.x;
    w[t] = 0; // found word_over_byte: racecheck error
    b[t * 4 + t % 4] = 1; // found word_over_byte: racecheck error
    if (WIDE == 0)
        __syncthreads();
    out[t] = w[63 - t % 64]; // found word_over_byte: racecheck error
}

CASE(word_after_byte) { int *d = zeros<int>(64); word_over_bytes<0><<<1, 64>>>(d); finish(d, 64); } // silent
CASE(word_over_byte) { int *d = zeros<int>(64); word_over_bytes<1><<<1, 64>>>(d); finish(d, 64); }

template <int FENCE> __global__ void lookback_split(int *value, int *status, int *out)
{
    int b = blockIdx.x, before = 0;
    if (b > 0) {
        while (*(volatile int *)&status[b - 1] == 0)
            ;
        __threadfence();
        before = __ldcg(&value[b - 1]); // found lookback_nofence: racecheck error
    }
    __stcg(&value[b], before + b); // found lookback_nofence: racecheck error
    if (FENCE)
        __threadfence();
    *(volatile int *)&status[b] = 1;
    out[b] = before + b;
}

static void run_lookback(void (*kernel)(int *, int *, int *))
{
    int *value = zeros<int>(8), *status = zeros<int>(8), *d = zeros<int>(8);
    kernel<<<8, 1>>>(value, status, d);
    finish(d, 8);
    cudaFree(value);
    cudaFree(status);
}

CASE(lookback_nofence) { run_lookback(lookback_split<0>); }
CASE(lookback_fence) { run_lookback(lookback_split<1>); } // silent

template <int FENCE> __global__ void ticket_lock(unsigned *ticket, unsigned *serving, int *p)
{
    unsigned mine = atomicAdd(ticket, 1);
    while (*(volatile unsigned *)serving != mine)
        ;
    __threadfence();
    *p += 1; // found ticket_noexit: racecheck error
    if (FENCE)
        __threadfence();
    *(volatile unsigned *)serving = mine + 1;
}

static void run_ticket(void (*kernel)(unsigned *, unsigned *, int *))
{
    unsigned *ticket = zeros<unsigned>(1), *serving = zeros<unsigned>(1);
    int *d = zeros<int>(1);
    kernel<<<4, 1>>>(ticket, serving, d);
    finish(d, 1);
    cudaFree(ticket);
    cudaFree(serving);
}

CASE(ticket_noexit) { run_ticket(ticket_lock<0>); }
CASE(ticket_clean) { run_ticket(ticket_lock<1>); } // silent

__global__ void last_volatile(volatile int *partial, unsigned *count, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        out[threadIdx.x] = partial[threadIdx.x];
}

CASE(last_block_volatile) // silent: the partial results are volatile, too
{
    int *partial = zeros<int>(8), *d = zeros<int>(8);
    unsigned *count = zeros<unsigned>(1);
    last_volatile<<<8, 32>>>(partial, count, d);
    finish(d, 8);
    cudaFree(partial);
    cudaFree(count);
}

template <int RELEASE> __global__ void release_acquire(int *data, int *ready, int *out)
{
    if (blockIdx.x == 0) {
        *data = 5; // found store_relaxed: racecheck error
        if (RELEASE)
            asm volatile("st.release.gpu.u32 [%0], 1;" ::"l"(ready) : "memory");
        else
            asm volatile("st.relaxed.gpu.u32 [%0], 1;" ::"l"(ready) : "memory");
    } else {
        int seen = 0;
        while (!seen)
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(ready) : "memory");
        *out = *data; // found store_relaxed: racecheck error
    }
}

static void run_release(void (*kernel)(int *, int *, int *))
{
    int *data = zeros<int>(1), *ready = zeros<int>(1), *d = zeros<int>(1);
    kernel<<<2, 1>>>(data, ready, d);
    finish(d, 1);
    cudaFree(data);
    cudaFree(ready);
}

CASE(store_relaxed) { run_release(release_acquire<0>); }
CASE(store_release) { run_release(release_acquire<1>); } // silent

template <int FENCE> __global__ void narrow_fence(int *data, int *ready, int *out)
{
    if (blockIdx.x == 0) {
        *data = 5; // found fence_of_block: racecheck error
        if (FENCE)
            __threadfence_system();
        else
            __threadfence_block();
        atomicExch(ready, 1);
    } else {
        while (atomicAdd(ready, 0) == 0)
            ;
        __threadfence();
        *out = *data; // found fence_of_block: racecheck error
    }
}

CASE(fence_of_block) { run_release(narrow_fence<0>); }
CASE(fence_of_system) { run_release(narrow_fence<1>); } // silent

__global__ void rmw_chain(int *data, int *count, int *out)
{
    if (blockIdx.x < 4) {
        data[blockIdx.x] = blockIdx.x;
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
    } else {
        int seen = 0;
        while (seen < 4)
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(count) : "memory");
        out[0] = data[0] + data[1] + data[2] + data[3];
    }
}

CASE(rmw_chain) // silent: releases add up through the chain of atomics
{
    int *data = zeros<int>(4), *count = zeros<int>(1), *d = zeros<int>(1);
    rmw_chain<<<5, 1>>>(data, count, d);
    finish(d, 1);
    cudaFree(data);
    cudaFree(count);
}

template <unsigned MASK> __global__ void quads(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; // found quads_nosync: racecheck error
    if (MASK)
        __syncwarp(MASK << (t & ~3));
    out[t] = s[t ^ 3]; // found quads_nosync: racecheck error
}

CASE(quads_nosync) { int *d = zeros<int>(32); quads<0><<<1, 32>>>(d); finish(d, 32); }
CASE(quads_mask) { int *d = zeros<int>(32); quads<15><<<1, 32>>>(d); finish(d, 32); } // silent

template <int WIDTH> __global__ void two_warps(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t; // found syncwarp_of_two: racecheck error
    __syncwarp();
    out[t] = s[t ^ WIDTH]; // found syncwarp_of_two: racecheck error
}

CASE(syncwarp_of_two) { int *d = zeros<int>(64); two_warps<32><<<1, 64>>>(d); finish(d, 64); }
CASE(syncwarp_of_one) { int *d = zeros<int>(64); two_warps<16><<<1, 64>>>(d); finish(d, 64); } // silent

__global__ void compact(const int *in, int *out, int *count)
{
    unsigned keep = __ballot_sync(0xffffffffu, (threadIdx.x + in[threadIdx.x]) % 3 == 0);
    int base = 0;
    if (threadIdx.x % 32 == 0)
        base = atomicAdd(count, __popc(keep));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (keep >> threadIdx.x % 32 & 1)
        out[base + __popc(keep & ((1u << threadIdx.x % 32) - 1))] = 1;
}

CASE(ballot_compact) // silent: every place is given out once
{
    int *in = zeros<int>(64), *count = zeros<int>(1), *d = zeros<int>(64);
    compact<<<1, 64>>>(in, d, count);
    finish(d, 64);
    cudaFree(in);
    cudaFree(count);
}

template <int NEXT> __global__ void rows(int *p)
{
    int b = blockIdx.x, t = threadIdx.x;
    p[b * 32 + t + NEXT] = b + 1; // found rows_overlap: racecheck error
}

CASE(rows_overlap) { int *d = zeros<int>(130); rows<1><<<4, 33>>>(d); finish(d, 128); }
CASE(rows_apart) { int *d = zeros<int>(129); rows<0><<<4, 32>>>(d); finish(d, 128); } // silent

template <int ATOMIC> __global__ void maximum(int *p)
{
    int v = blockIdx.x + 1;
    if (ATOMIC)
        atomicMax(p, v);
    else if (*p < v) // found maximum_plain: racecheck error
        *p = v; // found maximum_plain: racecheck error
}

CASE(maximum_plain) { int *d = zeros<int>(1); maximum<0><<<4, 1>>>(d); finish(d, 1); }
CASE(maximum_atomic) { int *d = zeros<int>(1); maximum<1><<<4, 1>>>(d); finish(d, 1); } // silent

template <int COUNT> __global__ void groups(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, group = t / 64;
    s[t] = t; // found named_per_warp: racecheck error
    if (COUNT == 64)
        asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
    else
        asm volatile("bar.sync %0, 32;" ::"r"(t / 32 + 1) : "memory");
    out[t] = s[t ^ 63]; // found named_per_warp: racecheck error
}

CASE(named_per_warp) { int *d = zeros<int>(128); groups<32><<<1, 128>>>(d); finish(d, 128); }
CASE(named_per_group) { int *d = zeros<int>(128); groups<64><<<1, 128>>>(d); finish(d, 128); } // silent

template <int SYNC> __global__ void arrive_only(int *out)
{
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        s[lane] = lane;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        if (!SYNC)
            s[lane] = 2 * lane; // found arrive_early: racecheck error
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[lane] = s[31 - lane]; // found arrive_early: racecheck error
    }
}

CASE(arrive_early) { int *d = zeros<int>(32); arrive_only<0><<<1, 64>>>(d); finish(d, 32); }
CASE(arrive_last) { int *d = zeros<int>(32); arrive_only<1><<<1, 64>>>(d); finish(d, 32); } // silent
