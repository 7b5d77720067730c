/* Launchers of the histogram's kernels; they return the launch's own cudaError_t. kind: lw_hist_kind. Not installed. */
#ifndef LW_OPS_HIST_KERNELS_H
#define LW_OPS_HIST_KERNELS_H

#include "common/base.h"
#include "hist/hist.h"

#ifdef __cplusplus
extern "C" {
#endif

int lw_hist_launch(const lw_hist_params *p, int kind, int mode, int strategy, uint32_t grid, uint32_t shared,
                   lw_stream stream);
int lw_hist_few_launch(const lw_hist_params *p, int kind, int mode, bool many, uint32_t grid, uint32_t shared,
                       lw_stream stream); /* many: LW_FEW_COUNTERS counters of a bin */
int lw_hist_part_launch(const lw_hist_params *p, int kind, int mode, uint32_t blocks, uint32_t shared,
                        lw_stream stream);
int lw_hist_cluster_launch(const lw_hist_params *p, int kind, int mode, uint32_t blocks, uint32_t cluster,
                           uint32_t shared, lw_stream stream);
int lw_hist_any_launch(const lw_hist_any *a, int kind, int add, uint32_t grid, uint32_t shared, lw_stream stream);
int lw_hist_sum_launch(const lw_hist_any *a, int kind, int mode, int add, uint32_t grid, uint32_t shared,
                       lw_stream stream);
int lw_hist_finish_launch(const lw_hist_any *a, uint32_t grid, lw_stream stream);
int lw_hist_weights_launch(const lw_hist_any *a, uint32_t grid, lw_stream stream);
int lw_hist_range_launch(const lw_hist_any *a, int kind, uint32_t grid, lw_stream stream);
int lw_hist_edges_launch(const lw_hist_any *a, int type, uint32_t grid, lw_stream stream);
int lw_hist_clear(void *counts, size_t bytes, lw_stream stream);

#ifdef __cplusplus
}
#endif
#endif
