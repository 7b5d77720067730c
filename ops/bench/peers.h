/* Peers that are C++ libraries, and the making of samples. */
#ifndef LW_OPS_BENCH_PEERS_H
#define LW_OPS_BENCH_PEERS_H

#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cub::DeviceHistogram::HistogramEven of int samples over levels 0..bins. */
int peer_cub_hist(void *temp, size_t temp_bytes, const void *samples, void *counts, int bins, int64_t n, cudaStream_t stream);

/* style 0: uniform, 1: constant, 2: product of three uniform numbers, 3: sorted */
int bench_samples(void *samples, int64_t n, uint32_t bins, int style, cudaStream_t stream);
int bench_samples_bytes(void *samples, int64_t n, int style, cudaStream_t stream);
int bench_samples_real(void *samples, int64_t n, int wide, cudaStream_t stream); /* uniform over 0..1 */

#ifdef __cplusplus
}
#endif
#endif
