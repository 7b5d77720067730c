/* blas_entry.h: what the files of entry points share: one expansion for each type and each width of integers. */
#ifndef LW_BLAS_ENTRY_H
#define LW_BLAS_ENTRY_H

#include "blas/blas.h"

/* M(symbol, type, INT) is expanded for each entry point. _v2: the name has this suffix. */
#define WIDTHS(M, name, type)                                                                                          \
    M(name, type, int)                                                                                                 \
    M(name##_64, type, int64_t)
#define WIDTHS_V2(M, name, type)                                                                                       \
    M(name##_v2, type, int)                                                                                            \
    M(name##_v2_64, type, int64_t)
#define REALS(M, name)                                                                                                 \
    WIDTHS(M, cublasS##name, BLAS_S)                                                                                   \
    WIDTHS(M, cublasD##name, BLAS_D)
#define REALS_V2(M, name)                                                                                              \
    WIDTHS_V2(M, cublasS##name, BLAS_S)                                                                                \
    WIDTHS_V2(M, cublasD##name, BLAS_D)
#define COMPLEX(M, name)                                                                                               \
    WIDTHS(M, cublasC##name, BLAS_C)                                                                                   \
    WIDTHS(M, cublasZ##name, BLAS_Z)
#define COMPLEX_V2(M, name)                                                                                            \
    WIDTHS_V2(M, cublasC##name, BLAS_C)                                                                                \
    WIDTHS_V2(M, cublasZ##name, BLAS_Z)
#define TYPES(M, name)                                                                                                 \
    REALS(M, name)                                                                                                     \
    COMPLEX(M, name)
#define TYPES_V2(M, name)                                                                                              \
    REALS_V2(M, name)                                                                                                  \
    COMPLEX_V2(M, name)

#define NEED_HANDLE                                                                                                    \
    do {                                                                                                               \
        if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);                                              \
    } while (0)
#define NEED(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) return blas_end(BLAS_INVALID_VALUE);                                                         \
    } while (0)

static inline blas_operand blas_vector(const void *address, int64_t increment)
{
    return (blas_operand){.address = (uint64_t)(uintptr_t)address, .ld = increment};
}

static inline blas_operand blas_matrix(const void *address, int64_t ld)
{
    return (blas_operand){.address = (uint64_t)(uintptr_t)address, .ld = ld};
}

/* Fortran's integers are as wide as an int. */
static inline bool blas_fits(int64_t n) { return n >= INT32_MIN && n <= INT32_MAX; }
static inline bool blas_size(int64_t n) { return n >= 0 && n <= INT32_MAX; }
static inline bool blas_ld(int64_t ld, int64_t rows) { return blas_fits(ld) && ld >= LW_MAX(rows, 1); }

#endif
