/* What the recorded programs share: error checks, deterministic buffers, launches. Every kernel here is launched once or a
 * few times on small grids; its counters on a GPU are recorded by tools/record_hw.sh and compared with the emulated ones by
 * tools/compare_hw.sh. Nothing may depend on timing, on the order of blocks or on addresses beyond their alignment. */
#ifndef HW_H
#define HW_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                 \
    do {                                                                                                            \
        cudaError_t error_ = (call);                                                                                \
        if (error_ != cudaSuccess) {                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                         \
            exit(1);                                                                                                \
        }                                                                                                           \
    } while (0)

/* Launches and waits: LAUNCH((kernel<a, b>), grid, block, arguments...) */
#define LAUNCH(kernel, grid, block, ...)                                                                            \
    do {                                                                                                            \
        kernel<<<grid, block>>>(__VA_ARGS__);                                                                       \
        CHECK(cudaGetLastError());                                                                                  \
        CHECK(cudaDeviceSynchronize());                                                                             \
    } while (0)

/* Device memory of 32-bit words word(k) = k * 1664525 + 1013904223, or zero. */
template <typename T> static T *device_words(size_t bytes, bool zero) {
    void *p;
    CHECK(cudaMalloc(&p, bytes));
    CHECK(cudaMemset(p, 0, bytes));
    if (!zero) {
        unsigned *h = (unsigned *)malloc(bytes);
        for (size_t k = 0; k < bytes / 4; k++) h[k] = (unsigned)k * 1664525u + 1013904223u;
        CHECK(cudaMemcpy(p, h, bytes / 4 * 4, cudaMemcpyHostToDevice));
        free(h);
    }
    return (T *)p;
}

/* Device floats k % 17 / 4: no NaN, and sums are exact. */
template <typename T> static T *device_reals(size_t count) {
    void *p;
    T *h = (T *)malloc(count * sizeof(T));
    for (size_t k = 0; k < count; k++) h[k] = (T)(k % 17) / (T)4;
    CHECK(cudaMalloc(&p, count * sizeof(T)));
    CHECK(cudaMemcpy(p, h, count * sizeof(T), cudaMemcpyHostToDevice));
    free(h);
    return (T *)p;
}

#define TID ((int)(blockIdx.x * blockDim.x + threadIdx.x))

#endif
