/* T5: the split of the on-chip memory between L1 and shared memory.
 * A preference per device and per kernel, the carve-out of cc 7.0 and later, and more than 48 KB of dynamic shared
 * memory, which a kernel must ask for. For each size it prints how many blocks fit on a multiprocessor. */
#include "example.h"

#define BLOCK 128

/* Fills the whole dynamic buffer, then sums it backwards. */
__global__ void fill_and_sum(long long *out, int words) {
    extern __shared__ int s[];
    long long sum = 0;

    for (int i = threadIdx.x; i < words; i += blockDim.x)
        s[i] = i + blockIdx.x;
    __syncthreads();
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        sum += s[words - 1 - i];
    atomicAdd((unsigned long long *)&out[blockIdx.x], (unsigned long long)sum);
}

static int run_size(int shared_bytes, int grid) {
    int words = shared_bytes / (int)sizeof(int), blocks_per_sm = 0, pass = 1;
    long long *d_out, *out = (long long *)malloc(grid * sizeof *out);

    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, fill_and_sum, BLOCK, shared_bytes));
    printf("%7d bytes of shared memory: %2d blocks of %d threads on a multiprocessor\n", shared_bytes, blocks_per_sm,
           BLOCK);
    CHECK(cudaMalloc((void **)&d_out, grid * sizeof *d_out));
    CHECK(cudaMemset(d_out, 0, grid * sizeof *d_out));
    fill_and_sum<<<grid, BLOCK, shared_bytes>>>(d_out, words);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, grid * sizeof *out, cudaMemcpyDeviceToHost));
    for (int b = 0; b < grid; b++) {
        long long expected = (long long)words * (words - 1) / 2 + (long long)words * b;
        if (out[b] != expected) {
            printf("%d bytes: block %d is %lld, expected %lld\n", shared_bytes, b, out[b], expected);
            pass = 0;
        }
    }
    CHECK(cudaFree(d_out));
    free(out);
    return pass && blocks_per_sm > 0;
}

/* Above 48 KB without asking: the launch must be refused, and leave no lasting error. */
static int refused_without_asking(int bytes) {
    long long *d_out;
    cudaError_t error;

    CHECK(cudaMalloc((void **)&d_out, sizeof *d_out));
    fill_and_sum<<<1, BLOCK, bytes>>>(d_out, bytes / (int)sizeof(int));
    error = cudaGetLastError();
    CHECK(cudaFree(d_out));
    if (error != cudaErrorInvalidValue) {
        printf("%d bytes without asking: %s, expected cudaErrorInvalidValue\n", bytes, cudaGetErrorName(error));
        return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    static const int carveouts[] = {cudaSharedmemCarveoutMaxL1, 25, 50, 75, cudaSharedmemCarveoutMaxShared};
    int grid = arg_int(argc, argv, 1, 4), optin, pass = 1;
    enum cudaFuncCache config;

    CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    CHECK(cudaDeviceGetCacheConfig(&config));
    printf("device cache preference: %d, largest block: %d bytes\n", (int)config, optin);
    CHECK(cudaFuncSetCacheConfig(fill_and_sum, cudaFuncCachePreferL1));
    for (size_t i = 0; i < sizeof carveouts / sizeof carveouts[0]; i++) {
        CHECK(cudaFuncSetAttribute(fill_and_sum, cudaFuncAttributePreferredSharedMemoryCarveout, carveouts[i]));
        printf("carve-out of %d %%:\n", carveouts[i]);
        pass &= run_size(1024, grid);
        pass &= run_size(16 * 1024, grid);
    }
    pass &= run_size(48 * 1024, grid);
    if (optin > 48 * 1024) {
        pass &= refused_without_asking(64 * 1024);
        CHECK(cudaFuncSetAttribute(fill_and_sum, cudaFuncAttributeMaxDynamicSharedMemorySize, optin));
        pass &= run_size(64 * 1024, grid);
        pass &= run_size(optin, grid);
    }
    return finish(pass);
}
