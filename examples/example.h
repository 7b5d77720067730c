/* example.h - what the examples share: error checks, the comparison with the CPU's result, sizes from the command line.
 * An example prints PASS and returns 0, or prints the first difference and returns 1. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t check_error_ = (call);                                                                             \
        if (check_error_ != cudaSuccess) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(check_error_));           \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* After a launch: the launch's own error, then the error of its execution. */
#define CHECK_LAUNCH()                                                                                                 \
    do {                                                                                                               \
        CHECK(cudaGetLastError());                                                                                     \
        CHECK(cudaDeviceSynchronize());                                                                                \
    } while (0)

/* argv[index] as a positive number, or the default. */
static inline int arg_int(int argc, char **argv, int index, int otherwise) {
    int value = argc > index ? atoi(argv[index]) : otherwise;
    return value > 0 ? value : otherwise;
}

/* 1 when equal; otherwise prints the first difference. */
static inline int same_ints(const char *what, const int *expected, const int *got, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (expected[i] != got[i]) {
            printf("%s: element %zu is %d, expected %d\n", what, i, got[i], expected[i]);
            return 0;
        }
    }
    return 1;
}

static inline int same_floats(const char *what, const float *expected, const float *got, size_t n, float tolerance) {
    for (size_t i = 0; i < n; i++) {
        if (!(fabsf(expected[i] - got[i]) <= tolerance * fmaxf(1.0f, fabsf(expected[i])))) {
            printf("%s: element %zu is %g, expected %g\n", what, i, got[i], expected[i]);
            return 0;
        }
    }
    return 1;
}

/* Prints the last line; the value for main to return. */
static inline int finish(int pass) {
    printf("%s\n", pass ? "PASS" : "FAIL");
    return pass ? 0 : 1;
}

#endif
