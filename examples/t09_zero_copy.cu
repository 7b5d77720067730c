/* T9: zero-copy: the kernel reads and writes pinned host memory through a device pointer to it; nothing is copied.
 * Each access crosses the bus, so it suits data touched once. All four flags of cudaHostAlloc are tried.
 * Argument: the number of elements, 4096 by default. */
#include "example.h"

__global__ void sum_arrays(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i];
}

static int run_flags(const char *name, unsigned flags, int n) {
    size_t bytes = n * sizeof(float);
    float *a, *b, *dev_a, *dev_b, *dev_c;
    float *c = (float *)malloc(bytes), *expected = (float *)malloc(bytes);
    int pass;

    CHECK(cudaHostAlloc((void **)&a, bytes, flags));
    CHECK(cudaHostAlloc((void **)&b, bytes, flags));
    CHECK(cudaMalloc((void **)&dev_c, bytes));
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 0.25f * i;
        expected[i] = 1.25f * i;
    }
    CHECK(cudaHostGetDevicePointer((void **)&dev_a, a, 0));
    CHECK(cudaHostGetDevicePointer((void **)&dev_b, b, 0));
    sum_arrays<<<(n + 127) / 128, 128>>>(dev_a, dev_b, dev_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, dev_c, bytes, cudaMemcpyDeviceToHost));
    pass = same_floats(name, expected, c, n, 0.0f);
    CHECK(cudaFreeHost(a));
    CHECK(cudaFreeHost(b));
    CHECK(cudaFree(dev_c));
    free(c);
    free(expected);
    return pass;
}

/* The result, too, is host memory: visible to the host after the synchronisation. */
static int run_in_place(int n) {
    size_t bytes = n * sizeof(float);
    float *a, *dev_a, *expected = (float *)malloc(bytes);
    int pass;

    CHECK(cudaHostAlloc((void **)&a, bytes, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&dev_a, a, 0));
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        expected[i] = 2.0f * i;
    }
    sum_arrays<<<(n + 127) / 128, 128>>>(dev_a, dev_a, dev_a, n);
    CHECK_LAUNCH();
    pass = same_floats("in place", expected, a, n, 0.0f);
    CHECK(cudaFreeHost(a));
    free(expected);
    return pass;
}

int main(int argc, char **argv) {
    int n = arg_int(argc, argv, 1, 4096), can_map, pass = 1;

    CHECK(cudaDeviceGetAttribute(&can_map, cudaDevAttrCanMapHostMemory, 0));
    if (!can_map) {
        printf("the device cannot map host memory\n");
        return finish(0);
    }
    pass &= run_flags("default", cudaHostAllocDefault | cudaHostAllocMapped, n);
    pass &= run_flags("portable", cudaHostAllocPortable | cudaHostAllocMapped, n);
    pass &= run_flags("mapped", cudaHostAllocMapped, n);
    pass &= run_flags("write-combined", cudaHostAllocWriteCombined | cudaHostAllocMapped, n);
    pass &= run_in_place(n);
    return finish(pass);
}
