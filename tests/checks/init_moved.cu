/* What passes through shared or local memory: the finding names the load of what was never written, not of the tile. */
#include "cases.h"

static int *fresh(size_t count)
{
    int *p;
    cudaMalloc(&p, count * sizeof *p);
    return p;
}

__global__ void staged(const int *in, int *out)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = in[threadIdx.x]; // found staged_fresh: initcheck error
    __syncthreads();
    if (tile[31 - threadIdx.x]) // found staged_fresh: initcheck error
        out[threadIdx.x] = 1;
}
CASE(staged_fresh) { int *in = fresh(32), *out = zeros<int>(32); staged<<<1, 32>>>(in, out); finish(out, 32); }
CASE(staged_set) { int *in = zeros<int>(32), *out = zeros<int>(32); staged<<<1, 32>>>(in, out); finish(out, 32); } // silent

__global__ void print_loaded(const int *in)
{
    int value = in[threadIdx.x]; // found print_staged: initcheck error
    printf("%d\n", value); // found print_staged: initcheck error
}
CASE(print_staged) { int *in = fresh(1); print_loaded<<<1, 1>>>(in); cudaDeviceSynchronize(); cudaFree(in); }

__global__ void print(const int *in)
{
    if (threadIdx.x == 3) printf("%d\n", in[3]); // found print_fresh: initcheck error
}
CASE(print_fresh)
{
    int *in = fresh(32);
    print<<<1, 32>>>(in);
    cudaDeviceSynchronize();
}
__global__ void print_mixed(const int *in)
{
    if (threadIdx.x == 3) printf("%d %f %d\n", in[3], 1.5 * in[4], in[5]);
}
CASE(print_gaps) // silent: between the packed arguments lies nothing
{
    int *in = zeros<int>(32);
    print_mixed<<<1, 32>>>(in);
    cudaDeviceSynchronize();
}
