/* blas_gemm.h: one matrix product, or a batch of them, C = alpha op(A) op(B) + beta C (blas_gemm.c). */
#ifndef LW_BLAS_GEMM_H
#define LW_BLAS_GEMM_H

#include "blas/blas.h"

typedef struct blas_product {
    int op_a, op_b;
    int64_t m, n, k, batch;
    const void *alpha, *beta; /* of the type that belongs to compute, where the handle's pointer mode says */
    blas_operand a, b, c;
    int types[3]; /* cudaDataType of A, B, C */
    int compute;  /* cublasComputeType_t */
} blas_product;

/* Products of several shapes: arrays of `count`, in memory of the host; scalars lie one behind the other. */
typedef struct blas_groups {
    const int *op_a, *op_b;
    const void *m, *n, *k, *ld[3], *sizes; /* numbers of 4 bytes, or (wide) 8 */
    bool wide;
    int64_t count;
    blas_product product; /* what all have in common; operands: the addresses of their pointers */
} blas_groups;
static inline int64_t blas_group_number(const blas_groups *g, const void *numbers, int64_t i)
{
    return g->wide ? ((const int64_t *)numbers)[i] : ((const int *)numbers)[i];
}

/* Checks it and writes the call; a status. */
int blas_gemm_args(blas_handle *handle, const blas_product *product, blas_args *out);
/* What is computed in, and the type of the scalars (cudaDataType); false: not supported. */
bool blas_compute_type(int compute, bool is_complex, blas_type *out_work, int *out_scalar);
blas_scalar blas_scalar_bytes(const blas_handle *handle, const void *pointer, int type);

#endif
