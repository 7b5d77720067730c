/* cublasXt.h: cublasXt, as lanewise implements it, for compilers without NVIDIA's toolkit. Names,
 * orders of parameters and numbers are NVIDIA's; functions that are missing here are not supported. What they do is documented in
 * NVIDIA's manual; docs/LIBRARIES.md says what differs. */
#ifndef LANEWISE_CLANG_CUBLASXT_H
#define LANEWISE_CLANG_CUBLASXT_H

#include <cublas_v2.h>
#include <stddef.h>

typedef struct cublasXtContext *cublasXtHandle_t;
typedef enum { CUBLASXT_PINNING_DISABLED = 0, CUBLASXT_PINNING_ENABLED = 1 } cublasXtPinnedMemMode_t;
typedef enum {
    CUBLASXT_FLOAT = 0,
    CUBLASXT_DOUBLE = 1,
    CUBLASXT_COMPLEX = 2,
    CUBLASXT_DOUBLECOMPLEX = 3
} cublasXtOpType_t;
typedef enum {
    CUBLASXT_GEMM = 0,
    CUBLASXT_SYRK = 1,
    CUBLASXT_HERK = 2,
    CUBLASXT_SYMM = 3,
    CUBLASXT_HEMM = 4,
    CUBLASXT_TRSM = 5,
    CUBLASXT_SYR2K = 6,
    CUBLASXT_HER2K = 7,
    CUBLASXT_SPMM = 8,
    CUBLASXT_SYRKX = 9,
    CUBLASXT_HERKX = 10,
    CUBLASXT_TRMM = 11,
    CUBLASXT_ROUTINE_MAX = 12
} cublasXtBlasOp_t;

#ifdef __cplusplus
extern "C" {
#endif

/* a shape or a declaration a line */
/* clang-format off */
/* A shape is the declaration of a routine whose values have type T and whose real numbers have type R.
 * These declare the routine of a shape for float and double (S, D), for the complex types (C, Z), for all four. */
#define LANEWISE_CUBLASXT_COMPLEX(SHAPE, routine) SHAPE(cublasXtC##routine, cuComplex, float) SHAPE(cublasXtZ##routine, cuDoubleComplex, double)
#define LANEWISE_CUBLASXT_ALL(SHAPE, routine) SHAPE(cublasXtS##routine, float, float) SHAPE(cublasXtD##routine, double, double) SHAPE(cublasXtC##routine, cuComplex, float) SHAPE(cublasXtZ##routine, cuDoubleComplex, double)

#define LANEWISE_CUBLASXT_GEMM(name, T, R) cublasStatus_t name(cublasXtHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, size_t m, size_t n, size_t k, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C, size_t ldc);
LANEWISE_CUBLASXT_ALL(LANEWISE_CUBLASXT_GEMM, gemm)
#define LANEWISE_CUBLASXT_HEMM(name, T, R) cublasStatus_t name(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C, size_t ldc);
LANEWISE_CUBLASXT_COMPLEX(LANEWISE_CUBLASXT_HEMM, hemm)
LANEWISE_CUBLASXT_ALL(LANEWISE_CUBLASXT_HEMM, symm)
#define LANEWISE_CUBLASXT_HER2K(name, T, R) cublasStatus_t name(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const R *beta, T *C, size_t ldc);
LANEWISE_CUBLASXT_COMPLEX(LANEWISE_CUBLASXT_HER2K, her2k)
LANEWISE_CUBLASXT_COMPLEX(LANEWISE_CUBLASXT_HER2K, herkx)
cublasStatus_t cublasXtCherk(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const float *alpha, const cuComplex *A, size_t lda, const float *beta, cuComplex *C, size_t ldc);
cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle);
#define LANEWISE_CUBLASXT_SYR2K(name, T, R) cublasStatus_t name(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C, size_t ldc);
LANEWISE_CUBLASXT_ALL(LANEWISE_CUBLASXT_SYR2K, syr2k)
LANEWISE_CUBLASXT_ALL(LANEWISE_CUBLASXT_SYR2K, syrkx)
#define LANEWISE_CUBLASXT_SYRK(name, T, R) cublasStatus_t name(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const T *alpha, const T *A, size_t lda, const T *beta, T *C, size_t ldc);
LANEWISE_CUBLASXT_ALL(LANEWISE_CUBLASXT_SYRK, syrk)
#define LANEWISE_CUBLASXT_TRMM(name, T, R) cublasStatus_t name(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, T *C, size_t ldc);
LANEWISE_CUBLASXT_ALL(LANEWISE_CUBLASXT_TRMM, trmm)
#define LANEWISE_CUBLASXT_TRSM(name, T, R) cublasStatus_t name(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n, const T *alpha, const T *A, size_t lda, T *B, size_t ldb);
LANEWISE_CUBLASXT_ALL(LANEWISE_CUBLASXT_TRSM, trsm)
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[]);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *blockDim);
cublasStatus_t cublasXtGetNumBoards(int nbDevices, int deviceId[], int *nbBoards);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode);
cublasStatus_t cublasXtMaxBoards(int *nbGpuBoards);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim);
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t blasOp, cublasXtOpType_t type, float ratio);
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t blasOp, cublasXtOpType_t type, void *blasFunctor);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtZherk(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const double *alpha, const cuDoubleComplex *A, size_t lda, const double *beta, cuDoubleComplex *C, size_t ldc);

#ifdef __cplusplus
}
#endif

#endif
