/* T13: a kernel's effective bandwidth: (bytes read + bytes written) / time.
 * One copy and one saxpy, a warm-up launch and the best of several timed ones. Arguments: the number of elements
 * (65536 by default; on a GPU take 2^26 or more), the repetitions (3). */
#include "example.h"

#define BLOCK 256

__global__ void copy(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

__global__ void saxpy(float *y, const float *x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void show(const char *name, double bytes, float ms) {
    printf("%-6s %10.4f ms %10.2f GB/s\n", name, ms, bytes / (ms * 1e6));
}

int main(int argc, char **argv) {
    int n = arg_int(argc, argv, 1, 1 << 16), repeat = arg_int(argc, argv, 2, 3), grid = (n + BLOCK - 1) / BLOCK;
    size_t bytes = n * sizeof(float);
    float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes), *got = (float *)malloc(bytes);
    float *d_x, *d_y, ms, best_copy = INFINITY, best_saxpy = INFINITY;
    cudaEvent_t start, stop;
    int pass;

    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 1024);
        y[i] = x[i];
    }
    CHECK(cudaMalloc((void **)&d_x, bytes));
    CHECK(cudaMalloc((void **)&d_y, bytes));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));

    for (int r = 0; r <= repeat; r++) { /* the first is the warm-up */
        CHECK(cudaEventRecord(start));
        copy<<<grid, BLOCK>>>(d_y, d_x, n);
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (r > 0)
            best_copy = fminf(best_copy, ms);
    }
    for (int r = 0; r <= repeat; r++) {
        CHECK(cudaEventRecord(start));
        saxpy<<<grid, BLOCK>>>(d_y, d_x, 2.0f, n);
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (r > 0)
            best_saxpy = fminf(best_saxpy, ms);
    }
    CHECK(cudaGetLastError());
    show("copy", 2.0 * bytes, best_copy);
    show("saxpy", 3.0 * bytes, best_saxpy);

    CHECK(cudaMemcpy(got, d_y, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        for (int r = 0; r <= repeat; r++)
            y[i] = 2.0f * x[i] + y[i]; /* small whole numbers: exact */
    }
    pass = same_floats("saxpy", y, got, n, 0.0f);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    free(x);
    free(y);
    free(got);
    return finish(pass);
}
