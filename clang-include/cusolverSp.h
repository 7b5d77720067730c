/* cusolverSp.h: cuSOLVER's sparse part as lanewise implements it, for compilers without NVIDIA's toolkit. Names, orders of
 * parameters and numbers are NVIDIA's; functions that are missing here are not supported. What they do is documented in NVIDIA's manual;
 * docs/LIBRARIES.md says what differs. */
#ifndef LANEWISE_CLANG_CUSOLVERSP_H
#define LANEWISE_CLANG_CUSOLVERSP_H

#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <cusolver_common.h>
#include <cusparse.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cusolverSpContext *cusolverSpHandle_t;
typedef struct csrqrInfo *csrqrInfo_t;

#ifdef __cplusplus
extern "C" {
#endif

/* a shape or a declaration a line */
/* clang-format off */
/* A shape is the declaration of a routine whose values have type T and whose real numbers have type R.
 * These declare the routine of a shape for float and double (S, D), for the complex types (C, Z), for all four. */
#define LANEWISE_CUSOLVERSP_ALL(SHAPE, routine) SHAPE(cusolverSpS##routine, float, float) SHAPE(cusolverSpD##routine, double, double) SHAPE(cusolverSpC##routine, cuComplex, float) SHAPE(cusolverSpZ##routine, cuDoubleComplex, double)

#define LANEWISE_CUSOLVERSP_CSRLSVCHOL(name, T, R) cusolverStatus_t name(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrVal, const int *csrRowPtr, const int *csrColInd, const T *b, R tol, int reorder, T *x, int *singularity);
LANEWISE_CUSOLVERSP_ALL(LANEWISE_CUSOLVERSP_CSRLSVCHOL, csrlsvchol)
LANEWISE_CUSOLVERSP_ALL(LANEWISE_CUSOLVERSP_CSRLSVCHOL, csrlsvcholHost)
LANEWISE_CUSOLVERSP_ALL(LANEWISE_CUSOLVERSP_CSRLSVCHOL, csrlsvqr)
#define LANEWISE_CUSOLVERSP_CSRLSVLU_HOST(name, T, R) cusolverStatus_t name(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *b, R tol, int reorder, T *x, int *singularity);
LANEWISE_CUSOLVERSP_ALL(LANEWISE_CUSOLVERSP_CSRLSVLU_HOST, csrlsvluHost)
#define LANEWISE_CUSOLVERSP_CSRLSVQR_HOST(name, T, R) cusolverStatus_t name(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *b, R tol, int reorder, T *x, int *singularity);
LANEWISE_CUSOLVERSP_ALL(LANEWISE_CUSOLVERSP_CSRLSVQR_HOST, csrlsvqrHost)
#define LANEWISE_CUSOLVERSP_CSRQR_BUFFER_INFO_BATCHED(name, T, R) cusolverStatus_t name(cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, const T *csrVal, const int *csrRowPtr, const int *csrColInd, int batchSize, csrqrInfo_t info, size_t *internalDataInBytes, size_t *workspaceInBytes);
LANEWISE_CUSOLVERSP_ALL(LANEWISE_CUSOLVERSP_CSRQR_BUFFER_INFO_BATCHED, csrqrBufferInfoBatched)
#define LANEWISE_CUSOLVERSP_CSRQRSV_BATCHED(name, T, R) cusolverStatus_t name(cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *b, T *x, int batchSize, csrqrInfo_t info, void *pBuffer);
LANEWISE_CUSOLVERSP_ALL(LANEWISE_CUSOLVERSP_CSRQRSV_BATCHED, csrqrsvBatched)
#define LANEWISE_CUSOLVERSP_CSRZFD_HOST(name, T, R) cusolverStatus_t name(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, int *P, int *numnz);
LANEWISE_CUSOLVERSP_ALL(LANEWISE_CUSOLVERSP_CSRZFD_HOST, csrzfdHost)
cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle);
cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t *info);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info);
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *streamId);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t streamId);
cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrEndPtrA, const int *csrColIndA, int *issym);
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA, const int64_t *options, int *p);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, int *csrRowPtrA, int *csrColIndA, const int *p, const int *q, int *map, void *pBuffer);
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA, const int *p, const int *q, size_t *bufferSizeInBytes);
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA, csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA, int *p);
cusolverStatus_t cusolverSpXcsrsymmdqHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA, int *p);
cusolverStatus_t cusolverSpXcsrsymrcmHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA, int *p);
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
