/* Accesses and copies outside their memory, leaks, barriers. */
#include "cases.h"

__global__ void store(int *p, int index)
{
    p[index] = 1; // found global_after, null_store, use_after_free, host_pointer: memcheck error
}

CASE(global_after) { int *d = zeros<int>(16); store<<<1, 1>>>(d, 16); finish(d, 16); }
CASE(global_last) { int *d = zeros<int>(16); store<<<1, 1>>>(d, 15); finish(d, 16); } // silent
CASE(null_store) { int *d = zeros<int>(16); store<<<1, 1>>>(nullptr, 0); finish(d, 16); }
CASE(host_pointer) { int *d = zeros<int>(16), here[4]; store<<<1, 1>>>(here, 0); finish(d, 16); }
CASE(use_after_free)
{
    int *d = zeros<int>(16), *e = zeros<int>(16);
    cudaFree(e);
    store<<<1, 1>>>(e, 0);
    finish(d, 16);
}

__global__ void before(int *p)
{
    p[threadIdx.x] = p[int(threadIdx.x) - 1]; // found global_before: memcheck error
}

CASE(global_before) { int *d = zeros<int>(16); before<<<1, 1>>>(d); finish(d, 16); }

__global__ void misaligned(char *p)
{
    *(int *)(p + 2) = 1; // found misaligned_store: memcheck error
}

CASE(misaligned_store) { char *d = zeros<char>(16); misaligned<<<1, 1>>>(d); finish(d, 16); }

__global__ void dynamic_shared(int *out, int index)
{
    extern __shared__ int s[];
    s[index] = 1; // found dynamic_after: memcheck error
    out[0] = s[index];
}

CASE(dynamic_after) { int *d = zeros<int>(1); dynamic_shared<<<1, 1, 64>>>(d, 400); finish(d, 1); }
CASE(dynamic_last) { int *d = zeros<int>(1); dynamic_shared<<<1, 1, 64>>>(d, 15); finish(d, 1); } // silent
