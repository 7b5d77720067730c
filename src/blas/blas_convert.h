/* blas_convert.h: element types of mixed routines, by way of the type that is computed in (blas_convert.c). */
#ifndef LW_BLAS_CONVERT_H
#define LW_BLAS_CONVERT_H

#include "blas/blas.h"

enum { /* cudaDataType */
       BLAS_R_32F = 0,
       BLAS_R_64F = 1,
       BLAS_R_16F = 2,
       BLAS_R_8I = 3,
       BLAS_C_32F = 4,
       BLAS_C_64F = 5,
       BLAS_C_16F = 6, /* in planes alone (cuBLASLt) */
       BLAS_R_8U = 8,
       BLAS_R_32I = 10,
       BLAS_R_16BF = 14,
       BLAS_C_16BF = 15, /* in planes alone */
       BLAS_R_8F_E4M3 = 28,
       BLAS_R_8F_E5M2 = 29
};

size_t blas_element_bytes(int type); /* 0: a type that is not supported */
bool blas_is_work_type(int type, blas_type work);
/* rows x columns elements of `type` at from, column by column with leading dimension ld, to and from a dense array of
 * work's elements. Results are rounded to nearest even, those of integers to the nearest and clamped. */
void blas_to_work(blas_type work, void *to, int type, const void *from, int64_t ld, int64_t rows, int64_t columns);
void blas_from_work(blas_type work, const void *from, int type, void *to, int64_t ld, int64_t rows, int64_t columns);
/* One number of `type` as work's. */
void blas_scalar_to_work(blas_type work, void *to, int type, const void *from);

#endif
