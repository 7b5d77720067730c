/* Frees, copies, bounds of variables, leaks. The calls of the host are told apart by their lines. build with: -g */
#include "cases.h"

CASE(double_free)
{
    int *d = zeros<int>(16);
    cudaFree(d);
    cudaFree(d); // found double_free: api error
}
CASE(free_null) { cudaFree(nullptr); } // silent
CASE(free_inner)
{
    int *d = zeros<int>(16);
    cudaFree(d + 1); // found free_inner: api error
    cudaFree(d);
}
CASE(free_again) // silent: the same address may come again
{
    for (int i = 0; i < 3; i++) {
        int *d = zeros<int>(16);
        cudaFree(d);
    }
}
CASE(copy_past_device)
{
    int *d = zeros<int>(16), host[32] = {};
    cudaMemcpy(d, host, 17 * 4, cudaMemcpyHostToDevice); // found copy_past_device: api error
    cudaFree(d);
}
CASE(copy_whole) // silent
{
    int *d = zeros<int>(16), host[32] = {};
    cudaMemcpy(d, host, 16 * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(host + 16, d, 16 * 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
}
CASE(copy_from_past)
{
    int *d = zeros<int>(16), host[32];
    cudaMemcpy(host, d + 8, 9 * 4, cudaMemcpyDeviceToHost); // found copy_from_past: api error
    cudaFree(d);
}
CASE(copy_from_tail) // silent
{
    int *d = zeros<int>(16), host[32];
    cudaMemcpy(host, d + 8, 8 * 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
}
CASE(set_past)
{
    int *d = zeros<int>(16);
    cudaMemset(d + 1, 0, 64); // found set_past: api error
    cudaFree(d);
}
CASE(set_tail) // silent
{
    int *d = zeros<int>(16);
    cudaMemset(d + 1, 0, 60);
    cudaFree(d);
}
CASE(rows_past)
{
    int *d = zeros<int>(64), host[64] = {};
    cudaMemcpy2D(d, 64, host, 32, 32, 5, cudaMemcpyHostToDevice); // found rows_past: api error
    cudaFree(d);
}
CASE(rows_last) // silent: the last row has no gap behind it
{
    int *d = zeros<int>(56), host[64] = {};
    cudaMemcpy2D(d, 64, host, 32, 32, 4, cudaMemcpyHostToDevice);
    cudaFree(d);
}

__device__ int table[8];

__global__ void read_table(int *out, int index)
{
    out[0] = table[index]; // found table_past: memcheck error
}

CASE(table_past) { int *d = zeros<int>(1); read_table<<<1, 1>>>(d, 2000); finish(d, 1); }
CASE(table_last) { int *d = zeros<int>(1); read_table<<<1, 1>>>(d, 7); finish(d, 1); } // silent

CASE(symbol_past)
{
    int host[2001] = {};
    cudaMemcpyToSymbol(table, host, sizeof host); // found symbol_past: api error
}
CASE(symbol_last) { int host[8] = {}; cudaMemcpyToSymbol(table, host, sizeof host); } // silent

__global__ void two_variables(int *out, int index)
{
    __shared__ int a[16];
    __shared__ int b[16];
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    __syncwarp();
    if (threadIdx.x == 0)
        a[index] = 3; // found variable_left: memcheck error
    __syncwarp();
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

CASE(variable_left) { int *d = zeros<int>(16); two_variables<<<1, 16>>>(d, 18); finish(d, 16); }

__global__ void one_thread(int *out, int index)
{
    __shared__ int a[16];
    __shared__ int b[16];
    a[index] = 3;
    b[index] = 4;
    out[0] = a[index] + b[index];
}

CASE(variable_last) { int *d = zeros<int>(1); one_thread<<<1, 1>>>(d, 15); finish(d, 1); } // silent

__global__ void read_after(const int *p, int *out)
{
    out[threadIdx.x] = p[threadIdx.x]; // found read_freed, read_past: memcheck error
}

CASE(read_freed)
{
    int *d = zeros<int>(32), *e = zeros<int>(32);
    cudaFree(e);
    read_after<<<1, 32>>>(e, d);
    finish(d, 32);
}
CASE(read_past) { int *d = zeros<int>(32), *e = zeros<int>(31); read_after<<<1, 32>>>(e, d); finish(d, 32); cudaFree(e); }
CASE(read_all) { int *d = zeros<int>(32), *e = zeros<int>(32); read_after<<<1, 32>>>(e, d); finish(d, 32); cudaFree(e); } // silent

__global__ void heap(int *out, int twice)
{
    volatile int *p = (volatile int *)malloc(64);
    p[15] = 3;
    out[0] = p[15];
    free((void *)p);
    if (twice)
        free((void *)p); // found heap_twice: memcheck error
}

CASE(heap_twice) { int *d = zeros<int>(1); heap<<<1, 1>>>(d, 1); finish(d, 1); }
CASE(heap_once) { int *d = zeros<int>(1); heap<<<1, 1>>>(d, 0); finish(d, 1); } // silent

__global__ void heap_write(int *out, int index)
{
    volatile int *p = (volatile int *)malloc(64);
    p[index] = 3; // found heap_past: memcheck error
    out[0] = index;
    free((void *)p);
}

CASE(heap_past) { int *d = zeros<int>(1); heap_write<<<1, 1>>>(d, 16); finish(d, 1); }
CASE(heap_last) { int *d = zeros<int>(1); heap_write<<<1, 1>>>(d, 15); finish(d, 1); } // silent

CASE(leak_one)
{
    int *d;
    cudaMalloc(&d, 64); // found leak_one: leakcheck note
}
CASE(leak_none) // silent
{
    int *d;
    cudaMalloc(&d, 64);
    cudaFree(d);
}
CASE(leak_pinned)
{
    int *d;
    cudaMallocHost(&d, 64); // found leak_pinned: leakcheck note
}
CASE(leak_managed)
{
    int *d;
    cudaMallocManaged(&d, 64); // found leak_managed: leakcheck note
}
CASE(leak_async_none) // silent
{
    int *d;
    cudaMallocAsync(&d, 64, 0);
    cudaFreeAsync(d, 0);
    cudaDeviceSynchronize();
}
