/* Peers that are C++ libraries, and the making of samples. */
#ifndef LW_OPS_BENCH_PEERS_H
#define LW_OPS_BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * cub::DeviceHistogram of n samples of an lw_type (U8, I32, F32, F64): HistogramEven over lo..hi, or with edges in
 * device memory (F32, F64) HistogramRange.
 */
int peer_cub_hist(int type, void *temp, size_t temp_bytes, const void *samples, void *counts, const void *edges,
                  int bins, double lo, double hi, int64_t n, cudaStream_t stream);
/* thrust::reverse_copy, or thrust::reverse where out is in; elements of 1, 2, 4, 8 or 16 bytes. */
int peer_thrust_reverse(void *out, const void *in, int64_t n, int elem, cudaStream_t stream);

/* cuBLAS and cublasLt: transposes of rows x cols, peers_blas.c. NULL: not there. */
typedef struct peer_blas peer_blas;
peer_blas *peer_blas_make(void);
void peer_blas_free(peer_blas *p);
/* Prepares for one shape; false: neither can do it. geam: 4 and 8 bytes; cublasLtMatrixTransform: 1, 2 and 4. */
bool peer_blas_set(peer_blas *p, int64_t rows, int64_t cols, int elem);
int peer_geam(peer_blas *p, void *out, const void *in, cudaStream_t stream);
int peer_transform(peer_blas *p, void *out, const void *in, cudaStream_t stream);
bool peer_has_geam(const peer_blas *p);
bool peer_has_transform(const peer_blas *p);

/* style 0: uniform, 1: constant, 2: product of three uniform numbers, 3: sorted */
int bench_samples(void *samples, int64_t n, uint32_t bins, int style, cudaStream_t stream);
int bench_samples_bytes(void *samples, int64_t n, int style, cudaStream_t stream);
int bench_samples_real(void *samples, int64_t n, int wide, cudaStream_t stream); /* uniform over 0..1 */

#ifdef __cplusplus
}
#endif
#endif
