/* cusolverDn.h: cuSOLVER's dense part as lanewise implements it, for compilers without NVIDIA's toolkit. Names, orders of parameters
 * and numbers are NVIDIA's; functions that are missing here are not supported. What they do is documented in NVIDIA's manual;
 * docs/LIBRARIES.md says what differs. */
#ifndef LANEWISE_CLANG_CUSOLVERDN_H
#define LANEWISE_CLANG_CUSOLVERDN_H

#include <cuComplex.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolver_common.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct cusolverDnIRSParams *cusolverDnIRSParams_t;
typedef struct cusolverDnIRSInfos *cusolverDnIRSInfos_t;
typedef struct syevjInfo *syevjInfo_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
typedef enum { CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1 } cusolverDnFunction_t;

/* a shape or a declaration a line */
/* clang-format off */
/* A shape is the declaration of a routine whose values have type T and whose real numbers have type R.
 * These declare the routine of a shape for float and double (S, D), for the complex types (C, Z), for all four. */
#define LANEWISE_CUSOLVER_REAL(SHAPE, routine) SHAPE(cusolverDnS##routine, float, float) SHAPE(cusolverDnD##routine, double, double)
#define LANEWISE_CUSOLVER_COMPLEX(SHAPE, routine) SHAPE(cusolverDnC##routine, cuComplex, float) SHAPE(cusolverDnZ##routine, cuDoubleComplex, double)
#define LANEWISE_CUSOLVER_ALL(SHAPE, routine) SHAPE(cusolverDnS##routine, float, float) SHAPE(cusolverDnD##routine, double, double) SHAPE(cusolverDnC##routine, cuComplex, float) SHAPE(cusolverDnZ##routine, cuDoubleComplex, double)
/* Those that refine a solution of one precision by factors of another. */
#define LANEWISE_CUSOLVER_MIXED(SHAPE, routine) SHAPE(cusolverDnSB##routine, float, float) SHAPE(cusolverDnSH##routine, float, float) SHAPE(cusolverDnSS##routine, float, float) SHAPE(cusolverDnSX##routine, float, float) SHAPE(cusolverDnDB##routine, double, double) SHAPE(cusolverDnDD##routine, double, double) SHAPE(cusolverDnDH##routine, double, double) SHAPE(cusolverDnDS##routine, double, double) SHAPE(cusolverDnDX##routine, double, double) SHAPE(cusolverDnCC##routine, cuComplex, float) SHAPE(cusolverDnCE##routine, cuComplex, float) SHAPE(cusolverDnCK##routine, cuComplex, float) SHAPE(cusolverDnCY##routine, cuComplex, float) SHAPE(cusolverDnZC##routine, cuDoubleComplex, double) SHAPE(cusolverDnZE##routine, cuDoubleComplex, double) SHAPE(cusolverDnZK##routine, cuDoubleComplex, double) SHAPE(cusolverDnZY##routine, cuDoubleComplex, double) SHAPE(cusolverDnZZ##routine, cuDoubleComplex, double)

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream);
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t mode);
cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t *mode);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function, cusolverAlgMode_t algorithm);
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t *info);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info);
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int max_sweeps);
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int sort_eig);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t *info);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info);
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int max_sweeps);
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sort_svd);
#define LANEWISE_CUSOLVER_POTRF_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, int *Lwork);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_POTRF_BUFFER_SIZE, potrf_bufferSize)
#define LANEWISE_CUSOLVER_POTRF(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, T *Workspace, int Lwork, int *devInfo);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_POTRF, potrf)
#define LANEWISE_CUSOLVER_POTRF_BATCHED(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *Aarray[], int lda, int *infoArray, int batchSize);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_POTRF_BATCHED, potrfBatched)
#define LANEWISE_CUSOLVER_POTRS(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T *A, int lda, T *B, int ldb, int *devInfo);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_POTRS, potrs)
#define LANEWISE_CUSOLVER_POTRS_BATCHED(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, T *A[], int lda, T *B[], int ldb, int *d_info, int batchSize);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_POTRS_BATCHED, potrsBatched)
#define LANEWISE_CUSOLVER_POTRI_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, int *lwork);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_POTRI_BUFFER_SIZE, potri_bufferSize)
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_POTRI_BUFFER_SIZE, lauum_bufferSize)
#define LANEWISE_CUSOLVER_POTRI(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, T *work, int lwork, int *devInfo);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_POTRI, potri)
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_POTRI, lauum)
#define LANEWISE_CUSOLVER_GETRF_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, T *A, int lda, int *Lwork);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GETRF_BUFFER_SIZE, getrf_bufferSize)
#define LANEWISE_CUSOLVER_GETRF(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, T *A, int lda, T *Workspace, int *devIpiv, int *devInfo);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GETRF, getrf)
#define LANEWISE_CUSOLVER_GETRS(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T *A, int lda, const int *devIpiv, T *B, int ldb, int *devInfo);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GETRS, getrs)
#define LANEWISE_CUSOLVER_SYTRF_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int n, T *A, int lda, int *lwork);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_SYTRF_BUFFER_SIZE, sytrf_bufferSize)
#define LANEWISE_CUSOLVER_SYTRF(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, int *ipiv, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_SYTRF, sytrf)
#define LANEWISE_CUSOLVER_GEQRF_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, T *A, int lda, int *lwork);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GEQRF_BUFFER_SIZE, geqrf_bufferSize)
#define LANEWISE_CUSOLVER_GEQRF(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, T *A, int lda, T *TAU, T *Workspace, int Lwork, int *devInfo);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GEQRF, geqrf)
#define LANEWISE_CUSOLVER_ORGQR_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, int k, const T *A, int lda, const T *tau, int *lwork);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_ORGQR_BUFFER_SIZE, orgqr_bufferSize)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_ORGQR_BUFFER_SIZE, ungqr_bufferSize)
#define LANEWISE_CUSOLVER_ORGQR(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, int k, T *A, int lda, const T *tau, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_ORGQR, orgqr)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_ORGQR, ungqr)
#define LANEWISE_CUSOLVER_ORMQR_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k, const T *A, int lda, const T *tau, const T *C, int ldc, int *lwork);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_ORMQR_BUFFER_SIZE, ormqr_bufferSize)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_ORMQR_BUFFER_SIZE, unmqr_bufferSize)
#define LANEWISE_CUSOLVER_ORMQR(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k, const T *A, int lda, const T *tau, T *C, int ldc, T *work, int lwork, int *devInfo);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_ORMQR, ormqr)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_ORMQR, unmqr)
#define LANEWISE_CUSOLVER_SYEVD_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *A, int lda, const R *W, int *lwork);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_SYEVD_BUFFER_SIZE, syevd_bufferSize)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_SYEVD_BUFFER_SIZE, heevd_bufferSize)
#define LANEWISE_CUSOLVER_SYEVD(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, int lda, R *W, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_SYEVD, syevd)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_SYEVD, heevd)
#define LANEWISE_CUSOLVER_SYGVD_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb, const R *W, int *lwork);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_SYGVD_BUFFER_SIZE, sygvd_bufferSize)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_SYGVD_BUFFER_SIZE, hegvd_bufferSize)
#define LANEWISE_CUSOLVER_SYGVD(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_SYGVD, sygvd)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_SYGVD, hegvd)
#define LANEWISE_CUSOLVER_SYEVJ_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *A, int lda, const R *W, int *lwork, syevjInfo_t params);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_SYEVJ_BUFFER_SIZE, syevj_bufferSize)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_SYEVJ_BUFFER_SIZE, heevj_bufferSize)
#define LANEWISE_CUSOLVER_SYEVJ(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, int lda, R *W, T *work, int lwork, int *info, syevjInfo_t params);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_SYEVJ, syevj)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_SYEVJ, heevj)
#define LANEWISE_CUSOLVER_SYEVJ_BATCHED_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *A, int lda, const R *W, int *lwork, syevjInfo_t params, int batchSize);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_SYEVJ_BATCHED_BUFFER_SIZE, syevjBatched_bufferSize)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_SYEVJ_BATCHED_BUFFER_SIZE, heevjBatched_bufferSize)
#define LANEWISE_CUSOLVER_SYEVJ_BATCHED(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, int lda, R *W, T *work, int lwork, int *info, syevjInfo_t params, int batchSize);
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_SYEVJ_BATCHED, syevjBatched)
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_SYEVJ_BATCHED, heevjBatched)
#define LANEWISE_CUSOLVER_GESVD_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, int *lwork);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GESVD_BUFFER_SIZE, gesvd_bufferSize)
#define LANEWISE_CUSOLVER_GESVD(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T *A, int lda, R *S, T *U, int ldu, T *VT, int ldvt, T *work, int lwork, R *rwork, int *info);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GESVD, gesvd)
#define LANEWISE_CUSOLVER_GESVDJ_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n, const T *A, int lda, const R *S, const T *U, int ldu, const T *V, int ldv, int *lwork, gesvdjInfo_t params);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GESVDJ_BUFFER_SIZE, gesvdj_bufferSize)
#define LANEWISE_CUSOLVER_GESVDJ(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n, T *A, int lda, R *S, T *U, int ldu, T *V, int ldv, T *work, int lwork, int *info, gesvdjInfo_t params);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GESVDJ, gesvdj)
#define LANEWISE_CUSOLVER_GESVDJ_BATCHED_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, const T *A, int lda, const R *S, const T *U, int ldu, const T *V, int ldv, int *lwork, gesvdjInfo_t params, int batchSize);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GESVDJ_BATCHED_BUFFER_SIZE, gesvdjBatched_bufferSize)
#define LANEWISE_CUSOLVER_GESVDJ_BATCHED(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, T *A, int lda, R *S, T *U, int ldu, T *V, int ldv, T *work, int lwork, int *info, gesvdjInfo_t params, int batchSize);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GESVDJ_BATCHED, gesvdjBatched)
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, int64_t *ipiv, cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeTau, const void *tau, cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeTau, void *tau, cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeW, const void *W, cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeW, void *W, cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobvt, int64_t m, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeS, const void *S, cudaDataType dataTypeU, const void *U, int64_t ldu, cudaDataType dataTypeVT, const void *VT, int64_t ldvt, cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobvt, int64_t m, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeS, void *S, cudaDataType dataTypeU, void *U, int64_t ldu, cudaDataType dataTypeVT, void *VT, int64_t ldvt, cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n, int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeB, void *B, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t trans, int64_t n, int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda, const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb, int *info);
#define LANEWISE_CUSOLVER_GELS(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs, T *dA, cusolver_int_t ldda, T *dB, cusolver_int_t lddb, T *dX, cusolver_int_t lddx, void *dWorkspace, size_t lwork_bytes, cusolver_int_t *iter, cusolver_int_t *d_info);
LANEWISE_CUSOLVER_MIXED(LANEWISE_CUSOLVER_GELS, gels)
#define LANEWISE_CUSOLVER_GELS_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs, T *dA, cusolver_int_t ldda, T *dB, cusolver_int_t lddb, T *dX, cusolver_int_t lddx, void *dWorkspace, size_t *lwork_bytes);
LANEWISE_CUSOLVER_MIXED(LANEWISE_CUSOLVER_GELS_BUFFER_SIZE, gels_bufferSize)
#define LANEWISE_CUSOLVER_GESV(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolver_int_t n, cusolver_int_t nrhs, T *dA, cusolver_int_t ldda, cusolver_int_t *dipiv, T *dB, cusolver_int_t lddb, T *dX, cusolver_int_t lddx, void *dWorkspace, size_t lwork_bytes, cusolver_int_t *iter, cusolver_int_t *d_info);
LANEWISE_CUSOLVER_MIXED(LANEWISE_CUSOLVER_GESV, gesv)
#define LANEWISE_CUSOLVER_GESV_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolver_int_t n, cusolver_int_t nrhs, T *dA, cusolver_int_t ldda, cusolver_int_t *dipiv, T *dB, cusolver_int_t lddb, T *dX, cusolver_int_t lddx, void *dWorkspace, size_t *lwork_bytes);
LANEWISE_CUSOLVER_MIXED(LANEWISE_CUSOLVER_GESV_BUFFER_SIZE, gesv_bufferSize)
#define LANEWISE_CUSOLVER_GEBRD(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, T *A, int lda, R *D, R *E, T *TAUQ, T *TAUP, T *Work, int Lwork, int *devInfo);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GEBRD, gebrd)
#define LANEWISE_CUSOLVER_GEBRD_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, int *Lwork);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GEBRD_BUFFER_SIZE, gebrd_bufferSize)
#define LANEWISE_CUSOLVER_GESVDA_STRIDED_BATCHED(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *d_A, int lda, long long int strideA, R *d_S, long long int strideS, T *d_U, int ldu, long long int strideU, T *d_V, int ldv, long long int strideV, T *d_work, int lwork, int *d_info, double *h_R_nrmF, int batchSize);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GESVDA_STRIDED_BATCHED, gesvdaStridedBatched)
#define LANEWISE_CUSOLVER_GESVDA_STRIDED_BATCHED_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T *d_A, int lda, long long int strideA, const R *d_S, long long int strideS, const T *d_U, int ldu, long long int strideU, const T *d_V, int ldv, long long int strideV, int *lwork, int batchSize);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_GESVDA_STRIDED_BATCHED_BUFFER_SIZE, gesvdaStridedBatched_bufferSize)
#define LANEWISE_CUSOLVER_HEEVDX(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *A, int lda, R vl, R vu, int il, int iu, int *meig, R *W, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_HEEVDX, heevdx)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_HEEVDX, syevdx)
#define LANEWISE_CUSOLVER_HEEVDX_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo, int n, const T *A, int lda, R vl, R vu, int il, int iu, int *meig, const R *W, int *lwork);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_HEEVDX_BUFFER_SIZE, heevdx_bufferSize)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_HEEVDX_BUFFER_SIZE, syevdx_bufferSize)
#define LANEWISE_CUSOLVER_HEGVDX(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R vl, R vu, int il, int iu, int *meig, R *W, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_HEGVDX, hegvdx)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_HEGVDX, sygvdx)
#define LANEWISE_CUSOLVER_HEGVDX_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb, R vl, R vu, int il, int iu, int *meig, const R *W, int *lwork);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_HEGVDX_BUFFER_SIZE, hegvdx_bufferSize)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_HEGVDX_BUFFER_SIZE, sygvdx_bufferSize)
#define LANEWISE_CUSOLVER_HEGVJ(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W, T *work, int lwork, int *info, syevjInfo_t params);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_HEGVJ, hegvj)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_HEGVJ, sygvj)
#define LANEWISE_CUSOLVER_HEGVJ_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb, const R *W, int *lwork, syevjInfo_t params);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_HEGVJ_BUFFER_SIZE, hegvj_bufferSize)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_HEGVJ_BUFFER_SIZE, sygvj_bufferSize)
#define LANEWISE_CUSOLVER_HETRD(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, R *d, R *e, T *tau, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_HETRD, hetrd)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_HETRD, sytrd)
#define LANEWISE_CUSOLVER_HETRD_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, const T *A, int lda, const R *d, const R *e, const T *tau, int *lwork);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_HETRD_BUFFER_SIZE, hetrd_bufferSize)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_HETRD_BUFFER_SIZE, sytrd_bufferSize)
#define LANEWISE_CUSOLVER_LASWP(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, int n, T *A, int lda, int k1, int k2, const int *devIpiv, int incx);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_LASWP, laswp)
#define LANEWISE_CUSOLVER_SYTRI(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, const int *ipiv, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_SYTRI, sytri)
#define LANEWISE_CUSOLVER_SYTRI_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, const int *ipiv, int *lwork);
LANEWISE_CUSOLVER_ALL(LANEWISE_CUSOLVER_SYTRI_BUFFER_SIZE, sytri_bufferSize)
#define LANEWISE_CUSOLVER_UNGBR(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasSideMode_t side, int m, int n, int k, T *A, int lda, const T *tau, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_UNGBR, ungbr)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_UNGBR, orgbr)
#define LANEWISE_CUSOLVER_UNGBR_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasSideMode_t side, int m, int n, int k, const T *A, int lda, const T *tau, int *lwork);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_UNGBR_BUFFER_SIZE, ungbr_bufferSize)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_UNGBR_BUFFER_SIZE, orgbr_bufferSize)
#define LANEWISE_CUSOLVER_UNGTR(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, const T *tau, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_UNGTR, ungtr)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_UNGTR, orgtr)
#define LANEWISE_CUSOLVER_UNGTR_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, const T *A, int lda, const T *tau, int *lwork);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_UNGTR_BUFFER_SIZE, ungtr_bufferSize)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_UNGTR_BUFFER_SIZE, orgtr_bufferSize)
#define LANEWISE_CUSOLVER_UNMTR(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, int m, int n, T *A, int lda, T *tau, T *C, int ldc, T *work, int lwork, int *info);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_UNMTR, unmtr)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_UNMTR, ormtr)
#define LANEWISE_CUSOLVER_UNMTR_BUFFER_SIZE(name, T, R) cusolverStatus_t name(cusolverDnHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, int m, int n, const T *A, int lda, const T *tau, const T *C, int ldc, int *lwork);
LANEWISE_CUSOLVER_COMPLEX(LANEWISE_CUSOLVER_UNMTR_BUFFER_SIZE, unmtr_bufferSize)
LANEWISE_CUSOLVER_REAL(LANEWISE_CUSOLVER_UNMTR_BUFFER_SIZE, ormtr_bufferSize)
cusolverStatus_t cusolverDnGetEmulationStrategy(cusolverDnHandle_t handle, cudaEmulationStrategy *strategy);
cusolverStatus_t cusolverDnGetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t *mode);
cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t *infos_ptr);
cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos);
cusolverStatus_t cusolverDnIRSInfosGetMaxIters(cusolverDnIRSInfos_t infos, cusolver_int_t *maxiters);
cusolverStatus_t cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos, cusolver_int_t *niters);
cusolverStatus_t cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos, cusolver_int_t *outer_niters);
cusolverStatus_t cusolverDnIRSInfosRequestResidual(cusolverDnIRSInfos_t infos);
cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t *params_ptr);
cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t *maxiters);
cusolverStatus_t cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t maxiters);
cusolverStatus_t cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params, cusolver_int_t maxiters_inner);
cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params, cusolverIRSRefinement_t refinement_solver);
cusolverStatus_t cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params, cusolverPrecType_t solver_lowest_precision);
cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params, cusolverPrecType_t solver_main_precision);
cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params, cusolverPrecType_t solver_main_precision, cusolverPrecType_t solver_lowest_precision);
cusolverStatus_t cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params, double val);
cusolverStatus_t cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params, double val);
cusolverStatus_t cusolverDnIRSXgels(cusolverDnHandle_t handle, cusolverDnIRSParams_t gels_irs_params, cusolverDnIRSInfos_t gels_irs_infos, cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs, void *dA, cusolver_int_t ldda, void *dB, cusolver_int_t lddb, void *dX, cusolver_int_t lddx, void *dWorkspace, size_t lwork_bytes, cusolver_int_t *niters, cusolver_int_t *d_info);
cusolverStatus_t cusolverDnIRSXgels_bufferSize(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs, size_t *lwork_bytes);
cusolverStatus_t cusolverDnIRSXgesv(cusolverDnHandle_t handle, cusolverDnIRSParams_t gesv_irs_params, cusolverDnIRSInfos_t gesv_irs_infos, cusolver_int_t n, cusolver_int_t nrhs, void *dA, cusolver_int_t ldda, void *dB, cusolver_int_t lddb, void *dX, cusolver_int_t lddx, void *dWorkspace, size_t lwork_bytes, cusolver_int_t *niters, cusolver_int_t *d_info);
cusolverStatus_t cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolver_int_t n, cusolver_int_t nrhs, size_t *lwork_bytes);
cusolverStatus_t cusolverDnSetEmulationStrategy(cusolverDnHandle_t handle, cudaEmulationStrategy strategy);
cusolverStatus_t cusolverDnSetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t mode);
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeW, void *W, cudaDataType dataTypeVL, void *VL, int64_t ldvl, cudaDataType dataTypeVR, void *VR, int64_t ldvr, cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeW, const void *W, cudaDataType dataTypeVL, const void *VL, int64_t ldvl, cudaDataType dataTypeVR, const void *VR, int64_t ldvr, cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t handle, gesvdjInfo_t info, double *residual);
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t handle, gesvdjInfo_t info, int *executed_sweeps);
cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, int econ, int64_t m, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeS, void *S, cudaDataType dataTypeU, void *U, int64_t ldu, cudaDataType dataTypeV, void *V, int64_t ldv, cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *d_info, double *h_err_sigma);
cusolverStatus_t cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, int econ, int64_t m, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeS, const void *S, cudaDataType dataTypeU, const void *U, int64_t ldu, cudaDataType dataTypeV, const void *V, int64_t ldv, cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXgesvdr(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p, int64_t niters, cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeSrand, void *Srand, cudaDataType dataTypeUrand, void *Urand, int64_t ldUrand, cudaDataType dataTypeVrand, void *Vrand, int64_t ldVrand, cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *d_info);
cusolverStatus_t cusolverDnXgesvdr_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p, int64_t niters, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeSrand, const void *Srand, cudaDataType dataTypeUrand, const void *Urand, int64_t ldUrand, cudaDataType dataTypeVrand, const void *Vrand, int64_t ldVrand, cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeW, void *W, cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *info, int64_t batchSize);
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeW, const void *W, cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost, int64_t batchSize);
cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu, int64_t *meig64, cudaDataType dataTypeW, void *W, cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu, int64_t *h_meig, cudaDataType dataTypeW, const void *W, cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t handle, syevjInfo_t info, double *residual);
cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t handle, syevjInfo_t info, int *executed_sweeps);
cusolverStatus_t cusolverDnXsytrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda, const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda, const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost, int *devInfo);
cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
