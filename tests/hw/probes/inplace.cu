// Threads that change neighbouring elements in place, one behind the other: which of their loads and stores find the line in L1.
//     nvcc -arch=sm_90 -O3 -lineinfo -cudart shared tests/hw/probes/inplace.cu -o inplace
//     ncu --clock-control none --cache-control none --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, _st.sum, _lookup_hit of both,
//         lts__t_sectors_srcunit_tex_op_read.sum, _write.sum, gpu__time_duration.sum ./inplace
// With an argument it prints the cases, in the order of launches: kernel with blocks x threads, type of the elements.
#include <cuda_runtime.h>
#include <stdio.h>

#define N 16384
#define BYTES (32 << 20)

template <class T> __global__ void add(int n, T *x, T *y)
{
    for (int i = 0; i < n; i++) y[i] = x[i] + y[i];
}
template <class T> __global__ void add_rolled(int n, T *x, T *y)
{
#pragma unroll 1
    for (int i = 0; i < n; i++) y[i] = x[i] + y[i];
}
template <class T> __global__ void scale(int n, T *x, T *y)
{
    for (int i = 0; i < n; i++) y[i] = y[i] * 2;
}
template <class T> __global__ void scale_rolled(int n, T *x, T *y)
{
#pragma unroll 1
    for (int i = 0; i < n; i++) y[i] = y[i] * 2;
}
template <class T> __global__ void sum(int n, T *x, T *y)
{
    for (int i = 1; i < n; i++) y[i] = y[i] + y[i - 1];
}
template <class T> __global__ void other(int n, T *x, T *y)
{
    for (int i = 0; i < n; i++) y[i] = x[i] * 2;
}
template <class T> __global__ void chunks(int n, T *x, T *y)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t * n; i < t * n + n; i++) y[i] = x[i] + y[i];
}
template <class T> __global__ void strided(int n, T *x, T *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] + y[i];
}
template <class T> __global__ void slow(int n, T *x, T *y, int work)
{
    for (int i = 0; i < n; i++) {
        T v = y[i];
        for (int k = 0; k < work; k++) v = v * v + 1;
        y[i] = v;
    }
}

static int list_only;

#define RUN(name, call)                                                                                                          \
    do {                                                                                                                         \
        if (list_only) printf("%s,%s\n", name, type);                                                                            \
        else { call; cudaDeviceSynchronize(); }                                                                                  \
    } while (0)

template <class T> static void all(const char *type, T *x, T *y)
{
    RUN("add 1x1", (add<T><<<1, 1>>>(N, x, y)));
    RUN("add_rolled 1x1", (add_rolled<T><<<1, 1>>>(N, x, y)));
    RUN("scale 1x1", (scale<T><<<1, 1>>>(N, x, y)));
    RUN("scale_rolled 1x1", (scale_rolled<T><<<1, 1>>>(N, x, y)));
    RUN("sum 1x1", (sum<T><<<1, 1>>>(N, x, y)));
    RUN("other 1x1", (other<T><<<1, 1>>>(N, x, y)));
    RUN("add 1x32", (add<T><<<1, 32>>>(N, x, y)));
    RUN("add 132x1", (add<T><<<132, 1>>>(N, x, y)));
    RUN("chunks 1x32 of 64", (chunks<T><<<1, 32>>>(64, x, y)));
    RUN("chunks 1x256 of 64", (chunks<T><<<1, 256>>>(64, x, y)));
    RUN("chunks 1x8 of 512", (chunks<T><<<1, 8>>>(512, x, y)));
    RUN("chunks 8x1 of 512", (chunks<T><<<8, 1>>>(512, x, y)));
    RUN("chunks 132x128 of 64", (chunks<T><<<132, 128>>>(64, x, y)));
    RUN("strided 1x256", (strided<T><<<1, 256>>>(N * 4, x, y)));
    RUN("slow 4", (slow<T><<<1, 1>>>(N, x, y, 4)));
    RUN("slow 16", (slow<T><<<1, 1>>>(N, x, y, 16)));
    RUN("slow 64", (slow<T><<<1, 1>>>(N, x, y, 64)));
    RUN("slow 256", (slow<T><<<1, 1>>>(N / 4, x, y, 256)));
}

int main(int argc, char **argv)
{
    float *x, *y;
    (void)argv;
    list_only = argc > 1;
    for (int managed = 0; managed < 2; managed++) {
        if (managed && (cudaMallocManaged(&x, BYTES) || cudaMallocManaged(&y, BYTES))) return 1;
        if (!managed && (cudaMalloc(&x, BYTES) || cudaMalloc(&y, BYTES))) return 1;
        if (!list_only) {
            cudaMemset(x, 0, BYTES);
            cudaMemset(y, 0, BYTES);
            cudaDeviceSynchronize();
        }
        all<float>(managed ? "managed float" : "float", x, y);
        all<double>(managed ? "managed double" : "double", (double *)x, (double *)y);
        if (!managed) all<int>("int", (int *)x, (int *)y);
    }
    return 0;
}
