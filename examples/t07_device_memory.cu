/* T7: device memory by hand: property query, cudaMalloc, cudaMemset, cudaMemcpy in each direction, cudaFree.
 * faults/t07_leak.cu forgets a cudaFree and reads past an end. */
#include "example.h"

__global__ void add_one(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        data[i] += 1;
}

int main(int argc, char **argv) {
    int n = arg_int(argc, argv, 1, 5000), pass;
    size_t bytes = n * sizeof(int), free_bytes, total_bytes;
    int *host = (int *)malloc(bytes), *expected = (int *)malloc(bytes);
    int *d_a, *d_b;
    struct cudaDeviceProp prop;

    CHECK(cudaGetDeviceProperties(&prop, 0));
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    printf("%s, cc %d.%d, %d multiprocessors, %.1f GB of global memory\n", prop.name, prop.major, prop.minor,
           prop.multiProcessorCount, prop.totalGlobalMem / 1e9);
    pass = free_bytes <= total_bytes && prop.warpSize == 32;

    CHECK(cudaMalloc((void **)&d_a, bytes));
    CHECK(cudaMalloc((void **)&d_b, bytes));
    CHECK(cudaMemset(d_a, 0x01, bytes)); /* bytes, so every int becomes 0x01010101 */
    add_one<<<(n + 255) / 256, 256>>>(d_a, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(d_b, d_a, bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(host, d_b, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        expected[i] = 0x01010102;
    pass &= same_ints("memset and add", expected, host, n);

    for (int i = 0; i < n; i++) {
        host[i] = i;
        expected[i] = i + 1;
    }
    CHECK(cudaMemcpy(d_a, host, bytes, cudaMemcpyHostToDevice));
    add_one<<<(n + 255) / 256, 256>>>(d_a, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, d_a, bytes, cudaMemcpyDeviceToHost));
    pass &= same_ints("copy and add", expected, host, n);

    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(NULL));
    free(host);
    free(expected);
    return finish(pass);
}
