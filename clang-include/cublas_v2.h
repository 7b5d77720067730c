/* cublas_v2.h: cuBLAS as lanewise implements it, for compilers without NVIDIA's toolkit. Function names, parameter orders and numbers are
 * those of cuBLAS 13; the functions that are missing here are those that are not supported. What they do is documented in NVIDIA's cuBLAS
 * manual; docs/LIBRARIES.md says what differs. */
#ifndef LANEWISE_CLANG_CUBLAS_V2_H
#define LANEWISE_CLANG_CUBLAS_V2_H

#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stdint.h>

#ifdef __CUDA__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#elif defined(__cplusplus)
struct __half;
struct __nv_bfloat16;
#else
typedef struct {
    unsigned short x;
} __nv_bfloat16;
typedef struct {
    unsigned short x;
} __half;
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 1
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 130100

typedef struct cublasContext *cublasHandle_t;
typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
    CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
    CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79
} cublasComputeType_t;
typedef enum {
    CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
    CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
    CUBLAS_EMULATION_STRATEGY_EAGER = 2
} cublasEmulationStrategy_t;
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef cudaDataType cublasDataType_t;
typedef void (*cublasLogCallback)(const char *message);

/* a shape or a declaration a line */
/* clang-format off */
/* A shape is the declaration of a routine whose values have type T and whose real numbers have type R; I is the type of its sizes.
 * These declare the routine of a shape for float and double (S, D), for the complex types (C, Z), for all four; BOTH: with 32-bit
 * sizes and, as _64, with 64-bit ones. */
#define LANEWISE_CUBLAS_BOTH(SHAPE, name, T, R) SHAPE(name, T, R, int) SHAPE(name##_64, T, R, int64_t)
#define LANEWISE_CUBLAS_REAL_BOTH(SHAPE, routine) LANEWISE_CUBLAS_BOTH(SHAPE, cublasS##routine, float, float) LANEWISE_CUBLAS_BOTH(SHAPE, cublasD##routine, double, double)
#define LANEWISE_CUBLAS_COMPLEX_BOTH(SHAPE, routine) LANEWISE_CUBLAS_BOTH(SHAPE, cublasC##routine, cuComplex, float) LANEWISE_CUBLAS_BOTH(SHAPE, cublasZ##routine, cuDoubleComplex, double)
#define LANEWISE_CUBLAS_ALL_BOTH(SHAPE, routine) LANEWISE_CUBLAS_BOTH(SHAPE, cublasS##routine, float, float) LANEWISE_CUBLAS_BOTH(SHAPE, cublasD##routine, double, double) LANEWISE_CUBLAS_BOTH(SHAPE, cublasC##routine, cuComplex, float) LANEWISE_CUBLAS_BOTH(SHAPE, cublasZ##routine, cuDoubleComplex, double)
#define LANEWISE_CUBLAS_ALL(SHAPE, routine) SHAPE(cublasS##routine, float, float) SHAPE(cublasD##routine, double, double) SHAPE(cublasC##routine, cuComplex, float) SHAPE(cublasZ##routine, cuDoubleComplex, double)

const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
size_t cublasGetCudartVersion(void);

#define LANEWISE_CUBLAS_AXPY(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, const T *alpha, const T *x, I incx, T *y, I incy);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_AXPY, axpy_v2)
#define LANEWISE_CUBLAS_COPY(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, const T *x, I incx, T *y, I incy);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_COPY, copy_v2)
#define LANEWISE_CUBLAS_SWAP(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, T *x, I incx, T *y, I incy);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_SWAP, swap_v2)
#define LANEWISE_CUBLAS_SCAL(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, const T *alpha, T *x, I incx);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_SCAL, scal_v2)
#define LANEWISE_CUBLAS_SCAL_OF_COMPLEX(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, const R *alpha, T *x, I incx);
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_SCAL_OF_COMPLEX, cublasCsscal_v2, cuComplex, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_SCAL_OF_COMPLEX, cublasZdscal_v2, cuDoubleComplex, double)
#define LANEWISE_CUBLAS_DOT(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, const T *x, I incx, const T *y, I incy, T *result);
LANEWISE_CUBLAS_REAL_BOTH(LANEWISE_CUBLAS_DOT, dot_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_DOT, dotu_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_DOT, dotc_v2)
#define LANEWISE_CUBLAS_NRM2(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, const T *x, I incx, R *result);
LANEWISE_CUBLAS_REAL_BOTH(LANEWISE_CUBLAS_NRM2, nrm2_v2)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_NRM2, cublasScnrm2_v2, cuComplex, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_NRM2, cublasDznrm2_v2, cuDoubleComplex, double)
LANEWISE_CUBLAS_REAL_BOTH(LANEWISE_CUBLAS_NRM2, asum_v2)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_NRM2, cublasScasum_v2, cuComplex, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_NRM2, cublasDzasum_v2, cuDoubleComplex, double)
#define LANEWISE_CUBLAS_AMAX(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, const T *x, I incx, I *result);
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_AMAX, cublasIsamax_v2, float, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_AMAX, cublasIdamax_v2, double, double)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_AMAX, cublasIcamax_v2, cuComplex, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_AMAX, cublasIzamax_v2, cuDoubleComplex, double)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_AMAX, cublasIsamin_v2, float, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_AMAX, cublasIdamin_v2, double, double)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_AMAX, cublasIcamin_v2, cuComplex, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_AMAX, cublasIzamin_v2, cuDoubleComplex, double)
#define LANEWISE_CUBLAS_ROT(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, T *x, I incx, T *y, I incy, const R *c, const T *s);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_ROT, rot_v2)
#define LANEWISE_CUBLAS_ROT_OF_COMPLEX(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, T *x, I incx, T *y, I incy, const R *c, const R *s);
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_ROT_OF_COMPLEX, cublasCsrot_v2, cuComplex, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_ROT_OF_COMPLEX, cublasZdrot_v2, cuDoubleComplex, double)
#define LANEWISE_CUBLAS_GEMV(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, I m, I n, const T *alpha, const T *A, I lda, const T *x, I incx, const T *beta, T *y, I incy);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_GEMV, gemv_v2)
#define LANEWISE_CUBLAS_GBMV(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, I m, I n, I kl, I ku, const T *alpha, const T *A, I lda, const T *x, I incx, const T *beta, T *y, I incy);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_GBMV, gbmv_v2)
#define LANEWISE_CUBLAS_TRMV(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, I n, const T *A, I lda, T *x, I incx);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_TRMV, trmv_v2)
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_TRMV, trsv_v2)
#define LANEWISE_CUBLAS_TBMV(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, I n, I k, const T *A, I lda, T *x, I incx);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_TBMV, tbmv_v2)
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_TBMV, tbsv_v2)
#define LANEWISE_CUBLAS_TPMV(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, I n, const T *AP, T *x, I incx);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_TPMV, tpmv_v2)
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_TPMV, tpsv_v2)
#define LANEWISE_CUBLAS_SYMV(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *A, I lda, const T *x, I incx, const T *beta, T *y, I incy);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_SYMV, symv_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_SYMV, hemv_v2)
#define LANEWISE_CUBLAS_SBMV(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, I n, I k, const T *alpha, const T *A, I lda, const T *x, I incx, const T *beta, T *y, I incy);
LANEWISE_CUBLAS_REAL_BOTH(LANEWISE_CUBLAS_SBMV, sbmv_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_SBMV, hbmv_v2)
#define LANEWISE_CUBLAS_SPMV(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *AP, const T *x, I incx, const T *beta, T *y, I incy);
LANEWISE_CUBLAS_REAL_BOTH(LANEWISE_CUBLAS_SPMV, spmv_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_SPMV, hpmv_v2)
#define LANEWISE_CUBLAS_GER(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I m, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T *A, I lda);
LANEWISE_CUBLAS_REAL_BOTH(LANEWISE_CUBLAS_GER, ger_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_GER, geru_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_GER, gerc_v2)
#define LANEWISE_CUBLAS_SYR(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, T *A, I lda);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_SYR, syr_v2)
#define LANEWISE_CUBLAS_HER(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, I n, const R *alpha, const T *x, I incx, T *A, I lda);
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_HER, her_v2)
#define LANEWISE_CUBLAS_SPR(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, I n, const R *alpha, const T *x, I incx, T *AP);
LANEWISE_CUBLAS_REAL_BOTH(LANEWISE_CUBLAS_SPR, spr_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_SPR, hpr_v2)
#define LANEWISE_CUBLAS_SYR2(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T *A, I lda);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_SYR2, syr2_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_SYR2, her2_v2)
#define LANEWISE_CUBLAS_SPR2(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T *AP);
LANEWISE_CUBLAS_REAL_BOTH(LANEWISE_CUBLAS_SPR2, spr2_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_SPR2, hpr2_v2)
#define LANEWISE_CUBLAS_GEMM(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k, const T *alpha, const T *A, I lda, const T *B, I ldb, const T *beta, T *C, I ldc);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_GEMM, gemm_v2)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_GEMM, cublasHgemm, __half, __half)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_GEMM, gemm3m)
#define LANEWISE_CUBLAS_GEMM_BATCHED(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k, const T *alpha, const T *const A[], I lda, const T *const B[], I ldb, const T *beta, T *const C[], I ldc, I batchCount);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_GEMM_BATCHED, gemmBatched)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_GEMM_BATCHED, cublasHgemmBatched, __half, __half)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_GEMM_BATCHED, cublasCgemm3mBatched, cuComplex, float)
#define LANEWISE_CUBLAS_GEMM_STRIDED_BATCHED(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k, const T *alpha, const T *A, I lda, long long int strideA, const T *B, I ldb, long long int strideB, const T *beta, T *C, I ldc, long long int strideC, I batchCount);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_GEMM_STRIDED_BATCHED, gemmStridedBatched)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_GEMM_STRIDED_BATCHED, cublasHgemmStridedBatched, __half, __half)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_GEMM_STRIDED_BATCHED, cublasCgemm3mStridedBatched, cuComplex, float)
#define LANEWISE_CUBLAS_GEMV_BATCHED(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, I m, I n, const T *alpha, const T *const A[], I lda, const T *const x[], I incx, const T *beta, T *const y[], I incy, I batchCount);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_GEMV_BATCHED, gemvBatched)
#define LANEWISE_CUBLAS_GEMV_STRIDED_BATCHED(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, I m, I n, const T *alpha, const T *A, I lda, long long int strideA, const T *x, I incx, long long int stridex, const T *beta, T *y, I incy, long long int stridey, I batchCount);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_GEMV_STRIDED_BATCHED, gemvStridedBatched)
#define LANEWISE_CUBLAS_SYMM(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, I m, I n, const T *alpha, const T *A, I lda, const T *B, I ldb, const T *beta, T *C, I ldc);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_SYMM, symm_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_SYMM, hemm_v2)
#define LANEWISE_CUBLAS_SYRK(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const T *alpha, const T *A, I lda, const T *beta, T *C, I ldc);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_SYRK, syrk_v2)
#define LANEWISE_CUBLAS_HERK(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const R *alpha, const T *A, I lda, const R *beta, T *C, I ldc);
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_HERK, herk_v2)
#define LANEWISE_CUBLAS_SYR2K(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const T *alpha, const T *A, I lda, const T *B, I ldb, const T *beta, T *C, I ldc);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_SYR2K, syr2k_v2)
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_SYR2K, syrkx)
#define LANEWISE_CUBLAS_HER2K(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const T *alpha, const T *A, I lda, const T *B, I ldb, const R *beta, T *C, I ldc);
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_HER2K, her2k_v2)
LANEWISE_CUBLAS_COMPLEX_BOTH(LANEWISE_CUBLAS_HER2K, herkx)
#define LANEWISE_CUBLAS_TRMM(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, I m, I n, const T *alpha, const T *A, I lda, const T *B, I ldb, T *C, I ldc);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_TRMM, trmm_v2)
#define LANEWISE_CUBLAS_TRSM(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, I m, I n, const T *alpha, const T *A, I lda, T *B, I ldb);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_TRSM, trsm_v2)
#define LANEWISE_CUBLAS_TRSM_BATCHED(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, I m, I n, const T *alpha, const T *const A[], I lda, T *const B[], I ldb, I batchCount);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_TRSM_BATCHED, trsmBatched)
#define LANEWISE_CUBLAS_GEAM(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, const T *alpha, const T *A, I lda, const T *beta, const T *B, I ldb, T *C, I ldc);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_GEAM, geam)
#define LANEWISE_CUBLAS_DGMM(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, I m, I n, const T *A, I lda, const T *x, I incx, T *C, I ldc);
LANEWISE_CUBLAS_ALL_BOTH(LANEWISE_CUBLAS_DGMM, dgmm)
#define LANEWISE_CUBLAS_GETRF_BATCHED(name, T, R) cublasStatus_t name(cublasHandle_t handle, int n, T *const A[], int lda, int *P, int *info, int batchSize);
LANEWISE_CUBLAS_ALL(LANEWISE_CUBLAS_GETRF_BATCHED, getrfBatched)
#define LANEWISE_CUBLAS_GETRS_BATCHED(name, T, R) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T *const A[], int lda, const int *P, T *const B[], int ldb, int *info, int batchSize);
LANEWISE_CUBLAS_ALL(LANEWISE_CUBLAS_GETRS_BATCHED, getrsBatched)
#define LANEWISE_CUBLAS_GETRI_BATCHED(name, T, R) cublasStatus_t name(cublasHandle_t handle, int n, const T *const A[], int lda, const int *P, T *const C[], int ldc, int *info, int batchSize);
LANEWISE_CUBLAS_ALL(LANEWISE_CUBLAS_GETRI_BATCHED, getriBatched)
#define LANEWISE_CUBLAS_MATINV_BATCHED(name, T, R) cublasStatus_t name(cublasHandle_t handle, int n, const T *const A[], int lda, T *const C[], int ldc, int *info, int batchSize);
LANEWISE_CUBLAS_ALL(LANEWISE_CUBLAS_MATINV_BATCHED, matinvBatched)
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void *alpha, const void *A, cudaDataType Atype, int lda, const void *B, cudaDataType Btype, int ldb, const void *beta, void *C, cudaDataType Ctype, int ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha, const void *A, cudaDataType Atype, int64_t lda, const void *B, cudaDataType Btype, int64_t ldb, const void *beta, void *C, cudaDataType Ctype, int64_t ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void *alpha, const void *A, cudaDataType Atype, int lda, long long int strideA, const void *B, cudaDataType Btype, int ldb, long long int strideB, const void *beta, void *C, cudaDataType Ctype, int ldc, long long int strideC, int batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha, const void *A, cudaDataType Atype, int64_t lda, long long int strideA, const void *B, cudaDataType Btype, int64_t ldb, long long int strideB, const void *beta, void *C, cudaDataType Ctype, int64_t ldc, long long int strideC, int64_t batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void *alpha, const void *const Aarray[], cudaDataType Atype, int lda, const void *const Barray[], cudaDataType Btype, int ldb, const void *beta, void *const Carray[], cudaDataType Ctype, int ldc, int batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha, const void *const Aarray[], cudaDataType Atype, int64_t lda, const void *const Barray[], cudaDataType Btype, int64_t ldb, const void *beta, void *const Carray[], cudaDataType Ctype, int64_t ldc, int64_t batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
#define LANEWISE_CUBLAS_GEMM_EX(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k, const T *alpha, const void *A, cudaDataType Atype, I lda, const void *B, cudaDataType Btype, I ldb, const T *beta, void *C, cudaDataType Ctype, I ldc);
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_GEMM_EX, cublasSgemmEx, float, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_GEMM_EX, cublasCgemmEx, cuComplex, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_GEMM_EX, cublasCgemm3mEx, cuComplex, float)
cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *y, int64_t incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb);
cublasStatus_t cublasSetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda, void *B, int64_t ldb);
cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void *x, int incx, void *y, int incy, cudaStream_t stream);
cublasStatus_t cublasSetVectorAsync_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *y, int64_t incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda, void *B, int64_t ldb, cudaStream_t stream);
cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasGetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *y, int64_t incy);
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb);
cublasStatus_t cublasGetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda, void *B, int64_t ldb);
cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void *x, int incx, void *y, int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *y, int64_t incy, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize, const void *A, int lda, void *B, int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda, void *B, int64_t ldb, cudaStream_t stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t value);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *value);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t value);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *value);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t value);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *value);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int value);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *value);
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file);
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, const void *y, cudaDataType yType, int incy, void *result, cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasDotEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx, const void *y, cudaDataType yType, int64_t incy, void *result, cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, const void *y, cudaDataType yType, int incy, void *result, cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasDotcEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx, const void *y, cudaDataType yType, int64_t incy, void *result, cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, void *result, cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasNrm2Ex_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx, void *result, cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasAsumEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, void *result, cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasAsumEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx, void *result, cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasIamaxEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, int *result);
cublasStatus_t cublasIamaxEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx, int64_t *result);
cublasStatus_t cublasIaminEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, int *result);
cublasStatus_t cublasIaminEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx, int64_t *result);
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType, const void *x, cudaDataType xType, int incx, void *y, cudaDataType yType, int incy, cudaDataType executiontype);
cublasStatus_t cublasAxpyEx_64(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType alphaType, const void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType, int64_t incy, cudaDataType executiontype);
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType, void *x, cudaDataType xType, int incx, cudaDataType executionType);
cublasStatus_t cublasScalEx_64(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType alphaType, void *x, cudaDataType xType, int64_t incx, cudaDataType executionType);
cublasStatus_t cublasCopyEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, void *y, cudaDataType yType, int incy);
cublasStatus_t cublasCopyEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType, int64_t incy);
cublasStatus_t cublasSwapEx(cublasHandle_t handle, int n, void *x, cudaDataType xType, int incx, void *y, cudaDataType yType, int incy);
cublasStatus_t cublasSwapEx_64(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType, int64_t incy);
#define LANEWISE_CUBLAS_ROTM(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, I n, T *x, I incx, T *y, I incy, const T *param);
LANEWISE_CUBLAS_REAL_BOTH(LANEWISE_CUBLAS_ROTM, rotm_v2)
#define LANEWISE_CUBLAS_ROTG(name, T, R) cublasStatus_t name(cublasHandle_t handle, T *a, T *b, R *c, T *s);
LANEWISE_CUBLAS_ALL(LANEWISE_CUBLAS_ROTG, rotg_v2)
#define LANEWISE_CUBLAS_GEQRF_BATCHED(name, T, R) cublasStatus_t name(cublasHandle_t handle, int m, int n, T *const Aarray[], int lda, T *const TauArray[], int *info, int batchSize);
LANEWISE_CUBLAS_ALL(LANEWISE_CUBLAS_GEQRF_BATCHED, geqrfBatched)
#define LANEWISE_CUBLAS_GELS_BATCHED(name, T, R) cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs, T *const Aarray[], int lda, T *const Carray[], int ldc, int *info, int *devInfoArray, int batchSize);
LANEWISE_CUBLAS_ALL(LANEWISE_CUBLAS_GELS_BATCHED, gelsBatched)
cublasStatus_t cublasSrotmg_v2(cublasHandle_t handle, float *d1, float *d2, float *x1, const float *y1, float *param);
cublasStatus_t cublasDrotmg_v2(cublasHandle_t handle, double *d1, double *d2, double *x1, const double *y1, double *param);
#define LANEWISE_CUBLAS_HERK3M_EX(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const R *alpha, const void *A, cudaDataType Atype, I lda, const R *beta, void *C, cudaDataType Ctype, I ldc);
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_HERK3M_EX, cublasCherk3mEx, cuComplex, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_HERK3M_EX, cublasCherkEx, cuComplex, float)
#define LANEWISE_CUBLAS_SYRK3M_EX(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, I n, I k, const T *alpha, const void *A, cudaDataType Atype, I lda, const T *beta, void *C, cudaDataType Ctype, I ldc);
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_SYRK3M_EX, cublasCsyrk3mEx, cuComplex, float)
LANEWISE_CUBLAS_BOTH(LANEWISE_CUBLAS_SYRK3M_EX, cublasCsyrkEx, cuComplex, float)
#define LANEWISE_CUBLAS_TPTTR(name, T, R) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *AP, T *A, int lda);
LANEWISE_CUBLAS_ALL(LANEWISE_CUBLAS_TPTTR, tpttr)
#define LANEWISE_CUBLAS_TRTTP(name, T, R) cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *A, int lda, T *AP);
LANEWISE_CUBLAS_ALL(LANEWISE_CUBLAS_TRTTP, trttp)
#define LANEWISE_CUBLAS_GEMM_GROUPED_BATCHED(name, T, R, I) cublasStatus_t name(cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[], const I m_array[], const I n_array[], const I k_array[], const T alpha_array[], const T *const Aarray[], const I lda_array[], const T *const Barray[], const I ldb_array[], const T beta_array[], T *const Carray[], const I ldc_array[], I group_count, const I group_size[]);
LANEWISE_CUBLAS_REAL_BOTH(LANEWISE_CUBLAS_GEMM_GROUPED_BATCHED, gemmGroupedBatched)
cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[], const int m_array[], const int n_array[], const int k_array[], const void *alpha_array, const void *const Aarray[], cudaDataType_t Atype, const int lda_array[], const void *const Barray[], cudaDataType_t Btype, const int ldb_array[], const void *beta_array, void *const Carray[], cudaDataType_t Ctype, const int ldc_array[], int group_count, const int group_size[], cublasComputeType_t computeType);
cublasStatus_t cublasGemmGroupedBatchedEx_64(cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[], const int64_t m_array[], const int64_t n_array[], const int64_t k_array[], const void *alpha_array, const void *const Aarray[], cudaDataType_t Atype, const int64_t lda_array[], const void *const Barray[], cudaDataType_t Btype, const int64_t ldb_array[], const void *beta_array, void *const Carray[], cudaDataType_t Ctype, const int64_t ldc_array[], int64_t group_count, const int64_t group_size[], cublasComputeType_t computeType);
cublasStatus_t cublasGetEmulationSpecialValuesSupport(cublasHandle_t handle, cudaEmulationSpecialValuesSupport *mask);
cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t handle, cublasEmulationStrategy_t *emulationStrategy);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle, int* *mantissaBitCount);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitOffset(cublasHandle_t handle, int *mantissaBitOffset);
cublasStatus_t cublasGetFixedPointEmulationMantissaControl(cublasHandle_t handle, cudaEmulationMantissaControl *mantissaControl);
cublasStatus_t cublasGetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t handle, int *maxMantissaBitCount);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *userCallback);
cublasStatus_t cublasHSHgemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float *alpha, const __half *const Aarray[], int lda, const __half *const xarray[], int incx, const float *beta, __half *const yarray[], int incy, int batchCount);
cublasStatus_t cublasHSHgemvBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float *alpha, const __half *const Aarray[], int64_t lda, const __half *const xarray[], int64_t incx, const float *beta, __half *const yarray[], int64_t incy, int64_t batchCount);
cublasStatus_t cublasHSHgemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float *alpha, const __half *A, int lda, long long int strideA, const __half *x, int incx, long long int stridex, const float *beta, __half *y, int incy, long long int stridey, int batchCount);
cublasStatus_t cublasHSHgemvStridedBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float *alpha, const __half *A, int64_t lda, long long int strideA, const __half *x, int64_t incx, long long int stridex, const float *beta, __half *y, int64_t incy, long long int stridey, int64_t batchCount);
cublasStatus_t cublasHSSgemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float *alpha, const __half *const Aarray[], int lda, const __half *const xarray[], int incx, const float *beta, float *const yarray[], int incy, int batchCount);
cublasStatus_t cublasHSSgemvBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float *alpha, const __half *const Aarray[], int64_t lda, const __half *const xarray[], int64_t incx, const float *beta, float *const yarray[], int64_t incy, int64_t batchCount);
cublasStatus_t cublasHSSgemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float *alpha, const __half *A, int lda, long long int strideA, const __half *x, int incx, long long int stridex, const float *beta, float *y, int incy, long long int stridey, int batchCount);
cublasStatus_t cublasHSSgemvStridedBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float *alpha, const __half *A, int64_t lda, long long int strideA, const __half *x, int64_t incx, long long int stridex, const float *beta, float *y, int64_t incy, long long int stridey, int64_t batchCount);
cublasStatus_t cublasRotEx(cublasHandle_t handle, int n, void *x, cudaDataType xType, int incx, void *y, cudaDataType yType, int incy, const void *c, const void *s, cudaDataType csType, cudaDataType executiontype);
cublasStatus_t cublasRotEx_64(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType, int64_t incy, const void *c, const void *s, cudaDataType csType, cudaDataType executiontype);
cublasStatus_t cublasRotgEx(cublasHandle_t handle, void *a, void *b, cudaDataType abType, void *c, void *s, cudaDataType csType, cudaDataType executiontype);
cublasStatus_t cublasRotmEx(cublasHandle_t handle, int n, void *x, cudaDataType xType, int incx, void *y, cudaDataType yType, int incy, const void *param, cudaDataType paramType, cudaDataType executiontype);
cublasStatus_t cublasRotmEx_64(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType, int64_t incy, const void *param, cudaDataType paramType, cudaDataType executiontype);
cublasStatus_t cublasRotmgEx(cublasHandle_t handle, void *d1, cudaDataType d1Type, void *d2, cudaDataType d2Type, void *x1, cudaDataType x1Type, const void *y1, cudaDataType y1Type, void *param, cudaDataType paramType, cudaDataType executiontype);
cublasStatus_t cublasSetEmulationSpecialValuesSupport(cublasHandle_t handle, cudaEmulationSpecialValuesSupport mask);
cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t handle, cublasEmulationStrategy_t emulationStrategy);
cublasStatus_t cublasSetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle, int *mantissaBitCount);
cublasStatus_t cublasSetFixedPointEmulationMantissaBitOffset(cublasHandle_t handle, int mantissaBitOffset);
cublasStatus_t cublasSetFixedPointEmulationMantissaControl(cublasHandle_t handle, cudaEmulationMantissaControl mantissaControl);
cublasStatus_t cublasSetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t handle, int maxMantissaBitCount);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback);
cublasStatus_t cublasTSSgemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float *alpha, const __nv_bfloat16 *const Aarray[], int lda, const __nv_bfloat16 *const xarray[], int incx, const float *beta, float *const yarray[], int incy, int batchCount);
cublasStatus_t cublasTSSgemvBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float *alpha, const __nv_bfloat16 *const Aarray[], int64_t lda, const __nv_bfloat16 *const xarray[], int64_t incx, const float *beta, float *const yarray[], int64_t incy, int64_t batchCount);
cublasStatus_t cublasTSSgemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float *alpha, const __nv_bfloat16 *A, int lda, long long int strideA, const __nv_bfloat16 *x, int incx, long long int stridex, const float *beta, float *y, int incy, long long int stridey, int batchCount);
cublasStatus_t cublasTSSgemvStridedBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float *alpha, const __nv_bfloat16 *A, int64_t lda, long long int strideA, const __nv_bfloat16 *x, int64_t incx, long long int stridex, const float *beta, float *y, int64_t incy, long long int stridey, int64_t batchCount);
cublasStatus_t cublasTSTgemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float *alpha, const __nv_bfloat16 *const Aarray[], int lda, const __nv_bfloat16 *const xarray[], int incx, const float *beta, __nv_bfloat16 *const yarray[], int incy, int batchCount);
cublasStatus_t cublasTSTgemvBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float *alpha, const __nv_bfloat16 *const Aarray[], int64_t lda, const __nv_bfloat16 *const xarray[], int64_t incx, const float *beta, __nv_bfloat16 *const yarray[], int64_t incy, int64_t batchCount);
cublasStatus_t cublasTSTgemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float *alpha, const __nv_bfloat16 *A, int lda, long long int strideA, const __nv_bfloat16 *x, int incx, long long int stridex, const float *beta, __nv_bfloat16 *y, int incy, long long int stridey, int batchCount);
cublasStatus_t cublasTSTgemvStridedBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float *alpha, const __nv_bfloat16 *A, int64_t lda, long long int strideA, const __nv_bfloat16 *x, int64_t incx, long long int stridex, const float *beta, __nv_bfloat16 *y, int64_t incy, long long int stridey, int64_t batchCount);

#ifndef LANEWISE_CUBLAS_OLD /* cublas.h, whose names these are */
#define cublasSrotm cublasSrotm_v2
#define cublasDrotm cublasDrotm_v2
#define cublasSrotm_64 cublasSrotm_v2_64
#define cublasDrotm_64 cublasDrotm_v2_64
#define cublasSrotg cublasSrotg_v2
#define cublasDrotg cublasDrotg_v2
#define cublasCrotg cublasCrotg_v2
#define cublasZrotg cublasZrotg_v2
#define cublasSrotmg cublasSrotmg_v2
#define cublasDrotmg cublasDrotmg_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasSaxpy_64 cublasSaxpy_v2_64
#define cublasDaxpy cublasDaxpy_v2
#define cublasDaxpy_64 cublasDaxpy_v2_64
#define cublasCaxpy cublasCaxpy_v2
#define cublasCaxpy_64 cublasCaxpy_v2_64
#define cublasZaxpy cublasZaxpy_v2
#define cublasZaxpy_64 cublasZaxpy_v2_64
#define cublasScopy cublasScopy_v2
#define cublasScopy_64 cublasScopy_v2_64
#define cublasDcopy cublasDcopy_v2
#define cublasDcopy_64 cublasDcopy_v2_64
#define cublasCcopy cublasCcopy_v2
#define cublasCcopy_64 cublasCcopy_v2_64
#define cublasZcopy cublasZcopy_v2
#define cublasZcopy_64 cublasZcopy_v2_64
#define cublasSswap cublasSswap_v2
#define cublasSswap_64 cublasSswap_v2_64
#define cublasDswap cublasDswap_v2
#define cublasDswap_64 cublasDswap_v2_64
#define cublasCswap cublasCswap_v2
#define cublasCswap_64 cublasCswap_v2_64
#define cublasZswap cublasZswap_v2
#define cublasZswap_64 cublasZswap_v2_64
#define cublasSscal cublasSscal_v2
#define cublasSscal_64 cublasSscal_v2_64
#define cublasDscal cublasDscal_v2
#define cublasDscal_64 cublasDscal_v2_64
#define cublasCscal cublasCscal_v2
#define cublasCscal_64 cublasCscal_v2_64
#define cublasZscal cublasZscal_v2
#define cublasZscal_64 cublasZscal_v2_64
#define cublasCsscal cublasCsscal_v2
#define cublasCsscal_64 cublasCsscal_v2_64
#define cublasZdscal cublasZdscal_v2
#define cublasZdscal_64 cublasZdscal_v2_64
#define cublasSdot cublasSdot_v2
#define cublasSdot_64 cublasSdot_v2_64
#define cublasDdot cublasDdot_v2
#define cublasDdot_64 cublasDdot_v2_64
#define cublasCdotu cublasCdotu_v2
#define cublasCdotu_64 cublasCdotu_v2_64
#define cublasZdotu cublasZdotu_v2
#define cublasZdotu_64 cublasZdotu_v2_64
#define cublasCdotc cublasCdotc_v2
#define cublasCdotc_64 cublasCdotc_v2_64
#define cublasZdotc cublasZdotc_v2
#define cublasZdotc_64 cublasZdotc_v2_64
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSnrm2_64 cublasSnrm2_v2_64
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDnrm2_64 cublasDnrm2_v2_64
#define cublasScnrm2 cublasScnrm2_v2
#define cublasScnrm2_64 cublasScnrm2_v2_64
#define cublasDznrm2 cublasDznrm2_v2
#define cublasDznrm2_64 cublasDznrm2_v2_64
#define cublasSasum cublasSasum_v2
#define cublasSasum_64 cublasSasum_v2_64
#define cublasDasum cublasDasum_v2
#define cublasDasum_64 cublasDasum_v2_64
#define cublasScasum cublasScasum_v2
#define cublasScasum_64 cublasScasum_v2_64
#define cublasDzasum cublasDzasum_v2
#define cublasDzasum_64 cublasDzasum_v2_64
#define cublasIsamax cublasIsamax_v2
#define cublasIsamax_64 cublasIsamax_v2_64
#define cublasIdamax cublasIdamax_v2
#define cublasIdamax_64 cublasIdamax_v2_64
#define cublasIcamax cublasIcamax_v2
#define cublasIcamax_64 cublasIcamax_v2_64
#define cublasIzamax cublasIzamax_v2
#define cublasIzamax_64 cublasIzamax_v2_64
#define cublasIsamin cublasIsamin_v2
#define cublasIsamin_64 cublasIsamin_v2_64
#define cublasIdamin cublasIdamin_v2
#define cublasIdamin_64 cublasIdamin_v2_64
#define cublasIcamin cublasIcamin_v2
#define cublasIcamin_64 cublasIcamin_v2_64
#define cublasIzamin cublasIzamin_v2
#define cublasIzamin_64 cublasIzamin_v2_64
#define cublasSrot cublasSrot_v2
#define cublasSrot_64 cublasSrot_v2_64
#define cublasDrot cublasDrot_v2
#define cublasDrot_64 cublasDrot_v2_64
#define cublasCrot cublasCrot_v2
#define cublasCrot_64 cublasCrot_v2_64
#define cublasZrot cublasZrot_v2
#define cublasZrot_64 cublasZrot_v2_64
#define cublasCsrot cublasCsrot_v2
#define cublasCsrot_64 cublasCsrot_v2_64
#define cublasZdrot cublasZdrot_v2
#define cublasZdrot_64 cublasZdrot_v2_64
#define cublasSgemv cublasSgemv_v2
#define cublasSgemv_64 cublasSgemv_v2_64
#define cublasDgemv cublasDgemv_v2
#define cublasDgemv_64 cublasDgemv_v2_64
#define cublasCgemv cublasCgemv_v2
#define cublasCgemv_64 cublasCgemv_v2_64
#define cublasZgemv cublasZgemv_v2
#define cublasZgemv_64 cublasZgemv_v2_64
#define cublasSgbmv cublasSgbmv_v2
#define cublasSgbmv_64 cublasSgbmv_v2_64
#define cublasDgbmv cublasDgbmv_v2
#define cublasDgbmv_64 cublasDgbmv_v2_64
#define cublasCgbmv cublasCgbmv_v2
#define cublasCgbmv_64 cublasCgbmv_v2_64
#define cublasZgbmv cublasZgbmv_v2
#define cublasZgbmv_64 cublasZgbmv_v2_64
#define cublasStrmv cublasStrmv_v2
#define cublasStrmv_64 cublasStrmv_v2_64
#define cublasDtrmv cublasDtrmv_v2
#define cublasDtrmv_64 cublasDtrmv_v2_64
#define cublasCtrmv cublasCtrmv_v2
#define cublasCtrmv_64 cublasCtrmv_v2_64
#define cublasZtrmv cublasZtrmv_v2
#define cublasZtrmv_64 cublasZtrmv_v2_64
#define cublasStbmv cublasStbmv_v2
#define cublasStbmv_64 cublasStbmv_v2_64
#define cublasDtbmv cublasDtbmv_v2
#define cublasDtbmv_64 cublasDtbmv_v2_64
#define cublasCtbmv cublasCtbmv_v2
#define cublasCtbmv_64 cublasCtbmv_v2_64
#define cublasZtbmv cublasZtbmv_v2
#define cublasZtbmv_64 cublasZtbmv_v2_64
#define cublasStpmv cublasStpmv_v2
#define cublasStpmv_64 cublasStpmv_v2_64
#define cublasDtpmv cublasDtpmv_v2
#define cublasDtpmv_64 cublasDtpmv_v2_64
#define cublasCtpmv cublasCtpmv_v2
#define cublasCtpmv_64 cublasCtpmv_v2_64
#define cublasZtpmv cublasZtpmv_v2
#define cublasZtpmv_64 cublasZtpmv_v2_64
#define cublasStrsv cublasStrsv_v2
#define cublasStrsv_64 cublasStrsv_v2_64
#define cublasDtrsv cublasDtrsv_v2
#define cublasDtrsv_64 cublasDtrsv_v2_64
#define cublasCtrsv cublasCtrsv_v2
#define cublasCtrsv_64 cublasCtrsv_v2_64
#define cublasZtrsv cublasZtrsv_v2
#define cublasZtrsv_64 cublasZtrsv_v2_64
#define cublasStbsv cublasStbsv_v2
#define cublasStbsv_64 cublasStbsv_v2_64
#define cublasDtbsv cublasDtbsv_v2
#define cublasDtbsv_64 cublasDtbsv_v2_64
#define cublasCtbsv cublasCtbsv_v2
#define cublasCtbsv_64 cublasCtbsv_v2_64
#define cublasZtbsv cublasZtbsv_v2
#define cublasZtbsv_64 cublasZtbsv_v2_64
#define cublasStpsv cublasStpsv_v2
#define cublasStpsv_64 cublasStpsv_v2_64
#define cublasDtpsv cublasDtpsv_v2
#define cublasDtpsv_64 cublasDtpsv_v2_64
#define cublasCtpsv cublasCtpsv_v2
#define cublasCtpsv_64 cublasCtpsv_v2_64
#define cublasZtpsv cublasZtpsv_v2
#define cublasZtpsv_64 cublasZtpsv_v2_64
#define cublasSsymv cublasSsymv_v2
#define cublasSsymv_64 cublasSsymv_v2_64
#define cublasDsymv cublasDsymv_v2
#define cublasDsymv_64 cublasDsymv_v2_64
#define cublasCsymv cublasCsymv_v2
#define cublasCsymv_64 cublasCsymv_v2_64
#define cublasZsymv cublasZsymv_v2
#define cublasZsymv_64 cublasZsymv_v2_64
#define cublasChemv cublasChemv_v2
#define cublasChemv_64 cublasChemv_v2_64
#define cublasZhemv cublasZhemv_v2
#define cublasZhemv_64 cublasZhemv_v2_64
#define cublasSsbmv cublasSsbmv_v2
#define cublasSsbmv_64 cublasSsbmv_v2_64
#define cublasDsbmv cublasDsbmv_v2
#define cublasDsbmv_64 cublasDsbmv_v2_64
#define cublasChbmv cublasChbmv_v2
#define cublasChbmv_64 cublasChbmv_v2_64
#define cublasZhbmv cublasZhbmv_v2
#define cublasZhbmv_64 cublasZhbmv_v2_64
#define cublasSspmv cublasSspmv_v2
#define cublasSspmv_64 cublasSspmv_v2_64
#define cublasDspmv cublasDspmv_v2
#define cublasDspmv_64 cublasDspmv_v2_64
#define cublasChpmv cublasChpmv_v2
#define cublasChpmv_64 cublasChpmv_v2_64
#define cublasZhpmv cublasZhpmv_v2
#define cublasZhpmv_64 cublasZhpmv_v2_64
#define cublasSger cublasSger_v2
#define cublasSger_64 cublasSger_v2_64
#define cublasDger cublasDger_v2
#define cublasDger_64 cublasDger_v2_64
#define cublasCgeru cublasCgeru_v2
#define cublasCgeru_64 cublasCgeru_v2_64
#define cublasZgeru cublasZgeru_v2
#define cublasZgeru_64 cublasZgeru_v2_64
#define cublasCgerc cublasCgerc_v2
#define cublasCgerc_64 cublasCgerc_v2_64
#define cublasZgerc cublasZgerc_v2
#define cublasZgerc_64 cublasZgerc_v2_64
#define cublasSsyr cublasSsyr_v2
#define cublasSsyr_64 cublasSsyr_v2_64
#define cublasDsyr cublasDsyr_v2
#define cublasDsyr_64 cublasDsyr_v2_64
#define cublasCsyr cublasCsyr_v2
#define cublasCsyr_64 cublasCsyr_v2_64
#define cublasZsyr cublasZsyr_v2
#define cublasZsyr_64 cublasZsyr_v2_64
#define cublasCher cublasCher_v2
#define cublasCher_64 cublasCher_v2_64
#define cublasZher cublasZher_v2
#define cublasZher_64 cublasZher_v2_64
#define cublasSspr cublasSspr_v2
#define cublasSspr_64 cublasSspr_v2_64
#define cublasDspr cublasDspr_v2
#define cublasDspr_64 cublasDspr_v2_64
#define cublasChpr cublasChpr_v2
#define cublasChpr_64 cublasChpr_v2_64
#define cublasZhpr cublasZhpr_v2
#define cublasZhpr_64 cublasZhpr_v2_64
#define cublasSsyr2 cublasSsyr2_v2
#define cublasSsyr2_64 cublasSsyr2_v2_64
#define cublasDsyr2 cublasDsyr2_v2
#define cublasDsyr2_64 cublasDsyr2_v2_64
#define cublasCher2 cublasCher2_v2
#define cublasCher2_64 cublasCher2_v2_64
#define cublasZher2 cublasZher2_v2
#define cublasZher2_64 cublasZher2_v2_64
#define cublasSspr2 cublasSspr2_v2
#define cublasSspr2_64 cublasSspr2_v2_64
#define cublasDspr2 cublasDspr2_v2
#define cublasDspr2_64 cublasDspr2_v2_64
#define cublasChpr2 cublasChpr2_v2
#define cublasChpr2_64 cublasChpr2_v2_64
#define cublasZhpr2 cublasZhpr2_v2
#define cublasZhpr2_64 cublasZhpr2_v2_64
#define cublasSgemm cublasSgemm_v2
#define cublasSgemm_64 cublasSgemm_v2_64
#define cublasDgemm cublasDgemm_v2
#define cublasDgemm_64 cublasDgemm_v2_64
#define cublasCgemm cublasCgemm_v2
#define cublasCgemm_64 cublasCgemm_v2_64
#define cublasZgemm cublasZgemm_v2
#define cublasZgemm_64 cublasZgemm_v2_64
#define cublasSsymm cublasSsymm_v2
#define cublasSsymm_64 cublasSsymm_v2_64
#define cublasDsymm cublasDsymm_v2
#define cublasDsymm_64 cublasDsymm_v2_64
#define cublasCsymm cublasCsymm_v2
#define cublasCsymm_64 cublasCsymm_v2_64
#define cublasZsymm cublasZsymm_v2
#define cublasZsymm_64 cublasZsymm_v2_64
#define cublasChemm cublasChemm_v2
#define cublasChemm_64 cublasChemm_v2_64
#define cublasZhemm cublasZhemm_v2
#define cublasZhemm_64 cublasZhemm_v2_64
#define cublasSsyrk cublasSsyrk_v2
#define cublasSsyrk_64 cublasSsyrk_v2_64
#define cublasDsyrk cublasDsyrk_v2
#define cublasDsyrk_64 cublasDsyrk_v2_64
#define cublasCsyrk cublasCsyrk_v2
#define cublasCsyrk_64 cublasCsyrk_v2_64
#define cublasZsyrk cublasZsyrk_v2
#define cublasZsyrk_64 cublasZsyrk_v2_64
#define cublasCherk cublasCherk_v2
#define cublasCherk_64 cublasCherk_v2_64
#define cublasZherk cublasZherk_v2
#define cublasZherk_64 cublasZherk_v2_64
#define cublasSsyr2k cublasSsyr2k_v2
#define cublasSsyr2k_64 cublasSsyr2k_v2_64
#define cublasDsyr2k cublasDsyr2k_v2
#define cublasDsyr2k_64 cublasDsyr2k_v2_64
#define cublasCsyr2k cublasCsyr2k_v2
#define cublasCsyr2k_64 cublasCsyr2k_v2_64
#define cublasZsyr2k cublasZsyr2k_v2
#define cublasZsyr2k_64 cublasZsyr2k_v2_64
#define cublasCher2k cublasCher2k_v2
#define cublasCher2k_64 cublasCher2k_v2_64
#define cublasZher2k cublasZher2k_v2
#define cublasZher2k_64 cublasZher2k_v2_64
#define cublasStrmm cublasStrmm_v2
#define cublasStrmm_64 cublasStrmm_v2_64
#define cublasDtrmm cublasDtrmm_v2
#define cublasDtrmm_64 cublasDtrmm_v2_64
#define cublasCtrmm cublasCtrmm_v2
#define cublasCtrmm_64 cublasCtrmm_v2_64
#define cublasZtrmm cublasZtrmm_v2
#define cublasZtrmm_64 cublasZtrmm_v2_64
#define cublasStrsm cublasStrsm_v2
#define cublasStrsm_64 cublasStrsm_v2_64
#define cublasDtrsm cublasDtrsm_v2
#define cublasDtrsm_64 cublasDtrsm_v2_64
#define cublasCtrsm cublasCtrsm_v2
#define cublasCtrsm_64 cublasCtrsm_v2_64
#define cublasZtrsm cublasZtrsm_v2
#define cublasZtrsm_64 cublasZtrsm_v2_64
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#endif

#ifdef __cplusplus
}
#endif

#endif
