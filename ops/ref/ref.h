/*
 * CPU references of the GPU operations: the plainest loops that define what each one does. Tensors hold host pointers.
 */
#ifndef LW_OPS_REF_H
#define LW_OPS_REF_H

#include <stdbool.h>
#include "lanewise/ops.h"

void lw_ref_copy(const lw_tensor *dst, const lw_tensor *src);
void lw_ref_permute(const lw_tensor *dst, const lw_tensor *src, const int *perm);
void lw_ref_flip(const lw_tensor *dst, const lw_tensor *src, uint32_t axes);
void lw_ref_convert(const lw_tensor *dst, const lw_tensor *src, const int *perm, uint32_t flags);
void lw_ref_pad(const lw_tensor *dst, const lw_tensor *src, const int64_t *before, const void *value);
void lw_ref_aos_to_soa(const lw_record *layout, int64_t records, void *const *fields, const void *aos);
void lw_ref_soa_to_aos(const lw_record *layout, int64_t records, int padding, void *aos, const void *const *fields);
/* counts: bins (+ 2) entries per histogram; edges: bins + 1 of the edge type for each dimension, for LW_HIST_EDGES and LW_HIST_EVEN. */
void lw_ref_hist(const lw_hist *what, void *counts, const void *samples, const void *edges);
/* Sums of weights; 0, or -1 without memory. Not for ranges from the device: pass their edges. */
int lw_ref_hist_weighted(const lw_hist *what, void *sums, const void *samples, const void *weights, const void *edges);

#endif
