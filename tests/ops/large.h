/* Filling and checking of buffers on the device, independent of the library: see large.cu. */
#ifndef LW_OPS_TEST_LARGE_H
#define LW_OPS_TEST_LARGE_H

#include <stdint.h>
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LARGE_RANK 4

typedef enum large_mode { LARGE_BYTES, LARGE_FLOAT, LARGE_CONSTANT } large_mode;

/*
 * For all indices i: the element of `elem` bytes at out + out_base + sum of i * out_stride must be what large_fill()
 * wrote at src_base + sum of i * src_stride; or the float of that one byte; or `constant` in every byte. Index 0 is
 * replaced by i * mul % extent[0] on one side where a multiplier is given.
 */
typedef struct large_check {
    const unsigned char *out;
    int64_t out_base, src_base;
    int64_t extent[LARGE_RANK], out_stride[LARGE_RANK], src_stride[LARGE_RANK];
    int64_t out_mul, src_mul; /* 0: none */
    int32_t elem, mode, constant, reserved;
} large_check;

/* Byte x of the buffer becomes a function of x: cudaError_t. */
int large_fill(void *p, int64_t bytes, cudaStream_t stream);
/* index[i] = i * mul % rows */
int large_index(int32_t *index, int64_t count, int64_t mul, int64_t rows, cudaStream_t stream);
/* Elements that are wrong; negative: a CUDA error. */
int64_t large_wrong(const large_check *check, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
