/* Races between the lanes of a warp, and what orders them. */
#include "cases.h"

__global__ void warp_volatile(int *out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    s[t + 32] = t;
    __syncwarp();
    if (t < 16) {
        s[t] += s[t + 16]; // found warp_volatile: racecheck warning
        s[t] += s[t + 8];  // found warp_volatile: racecheck warning
    }
    __syncwarp();
    out[t] = s[0];
}

CASE(warp_volatile) { int *d = zeros<int>(32); warp_volatile<<<1, 32>>>(d); finish(d, 32); }

template <unsigned MASK> __global__ void warp_exchange(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; // found warp_partial: racecheck error
    if (MASK >> t & 1)
        __syncwarp(MASK);
    out[t] = s[31 - t]; // found warp_partial: racecheck error // missing warp_partial: no __syncwarp()
}

CASE(warp_partial) { int *d = zeros<int>(32); warp_exchange<0xffffu><<<1, 32>>>(d); finish(d, 32); }
CASE(warp_full) { int *d = zeros<int>(32); warp_exchange<0xffffffffu><<<1, 32>>>(d); finish(d, 32); } // silent

__global__ void ballot_only(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; // found ballot_only: racecheck warning
    unsigned all = __ballot_sync(0xffffffffu, t & 1);
    out[t] = s[31 - t] + __popc(all); // found ballot_only: racecheck warning
}

CASE(ballot_only) { int *d = zeros<int>(32); ballot_only<<<1, 32>>>(d); finish(d, 32); }

template <int SYNC> __global__ void warp_tail(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        if (t < step)
            s[t] += s[t + step]; // found warp_tail_nosync: racecheck error
        if (SYNC)
            __syncwarp();
    }
    if (t == 0)
        out[0] = s[0];
}

CASE(warp_tail_nosync) { int *d = zeros<int>(1); warp_tail<0><<<1, 32>>>(d); finish(d, 1); }
CASE(warp_tail) { int *d = zeros<int>(1); warp_tail<1><<<1, 32>>>(d); finish(d, 1); } // silent

__global__ void shuffle_sum(int *out)
{
    int v = threadIdx.x;
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, step);
    out[threadIdx.x] = v;
}

CASE(shuffle_sum) { int *d = zeros<int>(32); shuffle_sum<<<1, 32>>>(d); finish(d, 32); } // silent

__global__ void half_warps(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    unsigned mask = t < 16 ? 0xffffu : 0xffff0000u;
    s[t] = t;
    __syncwarp(mask);
    out[t] = s[t ^ 15];
}

CASE(half_warps) { int *d = zeros<int>(32); half_warps<<<1, 32>>>(d); finish(d, 32); } // silent

__global__ void same_address(int *out)
{
    __shared__ int s;
    s = threadIdx.x; // found same_address: racecheck error
    __syncwarp();
    out[threadIdx.x] = s;
}

CASE(same_address) { int *d = zeros<int>(32); same_address<<<1, 32>>>(d); finish(d, 32); }
