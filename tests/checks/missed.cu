/* What mutants of correct programs showed (mutants.py): one case for each kind that was missed, and the correct program. */
#include "cases.h"

template <int BARRIER> __global__ void freed_early(int *out)
{
    __shared__ int *room;
    int t = threadIdx.x;
    if (t == 0)
        room = (int *)malloc(64 * sizeof(int));
    __syncthreads();
    room[t] = t;
    __syncthreads();
    out[t] = room[63 - t]; // found heap_free_nobar: racecheck error
    if (BARRIER)
        __syncthreads();
    if (t == 0)
        free(room); // found heap_free_nobar: racecheck error
}

CASE(heap_free_nobar) { int *d = zeros<int>(64); freed_early<0><<<1, 64>>>(d); finish(d, 64); }
CASE(heap_free_bar) { int *d = zeros<int>(64); freed_early<1><<<1, 64>>>(d); finish(d, 64); } // silent

template <int ARRIVE> __global__ void __cluster_dims__(2) waits(int *out)
{
    if (ARRIVE)
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); // found wait_alone: synccheck error
    out[blockIdx.x * 32 + threadIdx.x] = 1;
}

CASE(wait_alone) { int *d = zeros<int>(64); waits<0><<<2, 32>>>(d); finish(d, 64); }
CASE(wait_arrived) { int *d = zeros<int>(64); waits<1><<<2, 32>>>(d); finish(d, 64); } // silent

__global__ void before(int *p)
{
    cudaTriggerProgrammaticLaunchCompletion();
    p[threadIdx.x] = threadIdx.x; // found dependent_nowait: racecheck error
}

template <int WAIT> __global__ void behind(const int *p, int *out)
{
    if (WAIT)
        cudaGridDependencySynchronize();
    out[threadIdx.x] = p[63 - threadIdx.x]; // found dependent_nowait: racecheck error
}

static void run_dependent(void (*kernel)(const int *, int *))
{
    int *p = zeros<int>(64), *d = zeros<int>(64);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaDeviceSynchronize();
    before<<<1, 64, 0, stream>>>(p);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {dim3(1), dim3(64), 0, stream, &early, 1};
    cudaLaunchKernelEx(&config, kernel, (const int *)p, d);
    finish(d, 64);
    cudaStreamDestroy(stream);
    cudaFree(p);
}

CASE(dependent_nowait) { run_dependent(behind<0>); }
CASE(dependent_wait) { run_dependent(behind<1>); } // silent

/* Strong accesses do not race, but here they do not order anything either: another schedule changes the result. */
template <int BARRIER> __global__ void volatile_only(volatile int *data, volatile int *flag, int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t; // found volatile_nobar: racecheck warning
        __threadfence();
        __syncthreads();
        if (t == 0)
            *flag = 1;
    } else {
        if (t == 0)
            while (*flag == 0)
                ;
        if (BARRIER)
            __syncthreads();
        __threadfence();
        out[t] = data[63 - t]; // found volatile_nobar: racecheck warning
    }
}

static void run_volatile(void (*kernel)(volatile int *, volatile int *, int *))
{
    int *data = zeros<int>(64), *flag = zeros<int>(1), *d = zeros<int>(64);
    kernel<<<2, 64>>>(data, flag, d);
    finish(d, 64);
    cudaFree(data);
    cudaFree(flag);
}

CASE(volatile_nobar) { run_volatile(volatile_only<0>); }
CASE(volatile_bar) { run_volatile(volatile_only<1>); } // silent
