/* Races in global memory between blocks, launches and streams. */
#include "cases.h"

__global__ void neighbour(int *p)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0)
        p[b] = p[b + 1] + 1; // found global_neighbour: racecheck error
}

CASE(global_neighbour) { int *d = zeros<int>(9); neighbour<<<8, 32>>>(d); finish(d, 9); }

__global__ void neighbour_pingpong(const int *from, int *to)
{
    if (threadIdx.x == 0)
        to[blockIdx.x] = from[blockIdx.x + 1] + 1;
}

CASE(global_neighbour_clean) // silent
{
    int *a = zeros<int>(9), *d = zeros<int>(9);
    neighbour_pingpong<<<8, 32>>>(a, d);
    neighbour_pingpong<<<8, 32>>>(d, a);
    finish(d, 9);
    cudaFree(a);
}

template <int RELEASE> __global__ void flag(int *data, int *ready, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42; // found flag_nofence: racecheck error
        if (RELEASE)
            __threadfence();
        atomicExch(ready, 1);
    } else {
        while (atomicAdd(ready, 0) == 0)
            ;
        __threadfence();
        *out = *data; // found flag_nofence: racecheck error
    }
}

static void run_flag(void (*kernel)(int *, int *, int *))
{
    int *data = zeros<int>(1), *ready = zeros<int>(1), *d = zeros<int>(1);
    kernel<<<2, 1>>>(data, ready, d);
    finish(d, 1);
    cudaFree(data);
    cudaFree(ready);
}

CASE(flag_nofence) { run_flag(flag<0>); }
CASE(flag_clean) { run_flag(flag<1>); } // silent

__global__ void plain_count(int *p)
{
    *p += 1; // found plain_count: racecheck error
}

CASE(plain_count) { int *d = zeros<int>(1); plain_count<<<4, 1>>>(d); finish(d, 1); }

__global__ void atomic_count(int *p) { atomicAdd(p, 1); }

CASE(atomic_count) { int *d = zeros<int>(1); atomic_count<<<4, 32>>>(d); finish(d, 1); } // silent

__global__ void cta_atomic(int *p)
{
    atomicAdd_block(p, 1); // found cta_atomic: racecheck error
}

CASE(cta_atomic) { int *d = zeros<int>(1); cta_atomic<<<2, 1>>>(d); finish(d, 1); }
CASE(cta_atomic_one) { int *d = zeros<int>(1); cta_atomic<<<1, 32>>>(d); finish(d, 1); } // silent

__global__ void mixed_size(unsigned *p)
{
    if (blockIdx.x == 0)
        *(volatile unsigned short *)p = 5; // found mixed_size: racecheck error
    else
        atomicAdd(p, 65536u); // found mixed_size: racecheck error
}

CASE(mixed_size) { unsigned *d = zeros<unsigned>(1); mixed_size<<<2, 1>>>(d); finish(d, 1); }

template <int FENCE> __global__ void last_block(int *partial, unsigned *count, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x; // found last_block_nofence: racecheck error
        if (FENCE)
            __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        out[threadIdx.x] = partial[threadIdx.x]; // found last_block_nofence: racecheck error
}

static void run_last(void (*kernel)(int *, unsigned *, int *))
{
    int *partial = zeros<int>(8), *d = zeros<int>(8);
    unsigned *count = zeros<unsigned>(1);
    kernel<<<8, 32>>>(partial, count, d);
    finish(d, 8);
    cudaFree(partial);
    cudaFree(count);
}

CASE(last_block_nofence) { run_last(last_block<0>); }
CASE(last_block) { run_last(last_block<1>); } // silent: the barrier after a relaxed read orders it

template <int EXIT> __global__ void spinlock(int *lock, int *p)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *p += 1; // found lock_noexit: racecheck error
    if (EXIT)
        __threadfence();
    atomicExch(lock, 0);
}

static void run_lock(void (*kernel)(int *, int *))
{
    int *lock = zeros<int>(1), *d = zeros<int>(1);
    kernel<<<4, 32>>>(lock, d);
    finish(d, 1);
    cudaFree(lock);
}

CASE(lock_noexit) { run_lock(spinlock<0>); }
CASE(lock_clean) { run_lock(spinlock<1>); } // silent

/* Within a block a lock of the block and one of the device are the same. */
__global__ void two_scopes(int *lock, int *p)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *p = *p + 1;
        __threadfence();
        atomicExch(lock, 0);
    } else if (threadIdx.x == 32) {
        while (atomicCAS_block(lock, 0, 1) != 0)
            ;
        __threadfence_block();
        *p = *p + 2;
        __threadfence_block();
        atomicExch_block(lock, 0);
    }
}

CASE(lock_two_scopes) // silent
{
    int *lock = zeros<int>(1), *d = zeros<int>(1);
    two_scopes<<<1, 64>>>(lock, d);
    finish(d, 1);
    cudaFree(lock);
}

__global__ void lookback_packed(unsigned long long *state, int *out)
{
    int b = blockIdx.x;
    unsigned long long before = 1ull << 32;
    if (b > 0)
        while (((before = *(volatile unsigned long long *)&state[b - 1]) >> 32) == 0)
            ;
    unsigned sum = unsigned(before) + b;
    *(volatile unsigned long long *)&state[b] = 1ull << 32 | sum;
    out[b] = sum;
}

CASE(lookback_packed) // silent: value and status in one word
{
    unsigned long long *state = zeros<unsigned long long>(8);
    int *d = zeros<int>(8);
    lookback_packed<<<8, 1>>>(state, d);
    finish(d, 8);
    cudaFree(state);
}

__global__ void fill(int *p, int value)
{
    p[threadIdx.x] = value + threadIdx.x; // found two_streams, event_unwaited: racecheck error
}

__global__ void add(const int *from, int *to)
{
    to[threadIdx.x] = from[threadIdx.x] + 1; // found two_streams, event_unwaited: racecheck error
}

static void run_streams(bool record, bool wait)
{
    int *a = zeros<int>(64), *d = zeros<int>(64);
    cudaDeviceSynchronize();
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEvent_t e;
    cudaEventCreate(&e);
    fill<<<1, 64, 0, s>>>(a, 3);
    if (record)
        cudaEventRecord(e, s);
    if (wait)
        cudaStreamWaitEvent(t, e, 0);
    add<<<1, 64, 0, t>>>(a, d);
    finish(d, 64);
    cudaFree(a);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}

CASE(two_streams) { run_streams(false, false); }
CASE(event_unwaited) { run_streams(true, false); }
CASE(events) { run_streams(true, true); } // silent
