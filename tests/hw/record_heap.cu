// What malloc and free of the device access, and where they put blocks: COUNT blocks of SIZE bytes in BLOCKS x THREADS threads, LANES of
// each warp; then free, forwards or (order 1) backwards, then the same again. Addresses are printed.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void create(void **out, int count, size_t size, unsigned lanes)
{
    if (threadIdx.x % 32 >= lanes) return;
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < count; k++) out[at * count + k] = malloc(size);
}
__global__ void destroy(void **out, int count, int order, unsigned lanes)
{
    if (threadIdx.x % 32 >= lanes) return;
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < count; k++) free(out[at * count + (order ? count - 1 - k : k)]);
}
int main(int argc, char **argv)
{
    int count = atoi(argv[1]), order = argc > 6 ? atoi(argv[6]) : 0;
    size_t size = atoll(argv[2]);
    unsigned blocks = atoi(argv[3]), threads = atoi(argv[4]), lanes = atoi(argv[5]);
    void **out;
    size_t n = (size_t)count * blocks * threads;
    cudaMallocManaged(&out, n * sizeof *out);
    for (int round = 0; round < 2; round++) {
        for (size_t k = 0; k < n; k++) out[k] = NULL;
        create<<<blocks, threads>>>(out, count, size, lanes);
        cudaDeviceSynchronize();
        printf("round %d:", round);
        for (size_t k = 0, shown = 0; k < n && shown < 600; k++)
            if (out[k]) printf(" %llx", (unsigned long long)out[k]), shown++;
        printf("\n");
        destroy<<<blocks, threads>>>(out, count, order, lanes);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
