/* cublas.h: cuBLAS's interface of before CUDA 4, as lanewise implements it, for compilers without NVIDIA's toolkit. Names,
 * orders of parameters and numbers are NVIDIA's; functions that are missing here are not supported. What they do is documented in
 * NVIDIA's manual; docs/LIBRARIES.md says what differs. */
#ifndef LANEWISE_CLANG_CUBLAS_H
#define LANEWISE_CLANG_CUBLAS_H

#define LANEWISE_CUBLAS_OLD
#include <cublas_v2.h>

#define cublasStatus cublasStatus_t

#ifdef __cplusplus
extern "C" {
#endif

/* a shape or a declaration a line */
/* clang-format off */
/* A shape is the declaration of a routine whose values have type T and whose real numbers have type R.
 * These declare the routine of a shape for float and double (S, D), for the complex types (C, Z), for all four. */
#define LANEWISE_CUBLAS_OLD_REAL(SHAPE, routine) SHAPE(cublasS##routine, float, float) SHAPE(cublasD##routine, double, double)
#define LANEWISE_CUBLAS_OLD_COMPLEX(SHAPE, routine) SHAPE(cublasC##routine, cuComplex, float) SHAPE(cublasZ##routine, cuDoubleComplex, double)
#define LANEWISE_CUBLAS_OLD_ALL(SHAPE, routine) SHAPE(cublasS##routine, float, float) SHAPE(cublasD##routine, double, double) SHAPE(cublasC##routine, cuComplex, float) SHAPE(cublasZ##routine, cuDoubleComplex, double)

cublasStatus_t cublasAlloc(int n, int elemSize, void **devicePtr);

cuComplex cublasCdotc(int n, const cuComplex *x, int incx, const cuComplex *y, int incy);
cuComplex cublasCdotu(int n, const cuComplex *x, int incx, const cuComplex *y, int incy);
double cublasDasum(int n, const double *x, int incx);
double cublasDdot(int n, const double *x, int incx, const double *y, int incy);
double cublasDnrm2(int n, const double *x, int incx);
double cublasDzasum(int n, const cuDoubleComplex *x, int incx);
double cublasDznrm2(int n, const cuDoubleComplex *x, int incx);
cublasStatus_t cublasFree(void *devicePtr);
cublasStatus_t cublasGetError(void);
cublasStatus_t cublasGetVersion(int *version);
int cublasIcamax(int n, const cuComplex *x, int incx);
int cublasIcamin(int n, const cuComplex *x, int incx);
int cublasIdamax(int n, const double *x, int incx);
int cublasIdamin(int n, const double *x, int incx);
cublasStatus_t cublasInit(void);
int cublasIsamax(int n, const float *x, int incx);
int cublasIsamin(int n, const float *x, int incx);
int cublasIzamax(int n, const cuDoubleComplex *x, int incx);
int cublasIzamin(int n, const cuDoubleComplex *x, int incx);
float cublasSasum(int n, const float *x, int incx);
float cublasScasum(int n, const cuComplex *x, int incx);
float cublasScnrm2(int n, const cuComplex *x, int incx);
float cublasSdot(int n, const float *x, int incx, const float *y, int incy);
cublasStatus_t cublasSetKernelStream(cudaStream_t stream);
cublasStatus_t cublasShutdown(void);
float cublasSnrm2(int n, const float *x, int incx);
cuDoubleComplex cublasZdotc(int n, const cuDoubleComplex *x, int incx, const cuDoubleComplex *y, int incy);
cuDoubleComplex cublasZdotu(int n, const cuDoubleComplex *x, int incx, const cuDoubleComplex *y, int incy);
#define LANEWISE_CUBLAS_OLD_AXPY(name, T, R) void name(int n, T alpha, const T *x, int incx, T *y, int incy);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_AXPY, axpy)
#define LANEWISE_CUBLAS_OLD_COPY(name, T, R) void name(int n, const T *x, int incx, T *y, int incy);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_COPY, copy)
#define LANEWISE_CUBLAS_OLD_GBMV(name, T, R) void name(char trans, int m, int n, int kl, int ku, T alpha, const T *A, int lda, const T *x, int incx, T beta, T *y, int incy);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_GBMV, gbmv)
#define LANEWISE_CUBLAS_OLD_GEMM(name, T, R) void name(char transa, char transb, int m, int n, int k, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C, int ldc);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_GEMM, gemm)
#define LANEWISE_CUBLAS_OLD_GEMV(name, T, R) void name(char trans, int m, int n, T alpha, const T *A, int lda, const T *x, int incx, T beta, T *y, int incy);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_GEMV, gemv)
#define LANEWISE_CUBLAS_OLD_GERC(name, T, R) void name(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *A, int lda);
LANEWISE_CUBLAS_OLD_COMPLEX(LANEWISE_CUBLAS_OLD_GERC, gerc)
LANEWISE_CUBLAS_OLD_COMPLEX(LANEWISE_CUBLAS_OLD_GERC, geru)
LANEWISE_CUBLAS_OLD_REAL(LANEWISE_CUBLAS_OLD_GERC, ger)
#define LANEWISE_CUBLAS_OLD_HBMV(name, T, R) void name(char uplo, int n, int k, T alpha, const T *A, int lda, const T *x, int incx, T beta, T *y, int incy);
LANEWISE_CUBLAS_OLD_COMPLEX(LANEWISE_CUBLAS_OLD_HBMV, hbmv)
LANEWISE_CUBLAS_OLD_REAL(LANEWISE_CUBLAS_OLD_HBMV, sbmv)
#define LANEWISE_CUBLAS_OLD_HEMM(name, T, R) void name(char side, char uplo, int m, int n, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C, int ldc);
LANEWISE_CUBLAS_OLD_COMPLEX(LANEWISE_CUBLAS_OLD_HEMM, hemm)
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_HEMM, symm)
#define LANEWISE_CUBLAS_OLD_HEMV(name, T, R) void name(char uplo, int n, T alpha, const T *A, int lda, const T *x, int incx, T beta, T *y, int incy);
LANEWISE_CUBLAS_OLD_COMPLEX(LANEWISE_CUBLAS_OLD_HEMV, hemv)
LANEWISE_CUBLAS_OLD_REAL(LANEWISE_CUBLAS_OLD_HEMV, symv)
#define LANEWISE_CUBLAS_OLD_HER(name, T, R) void name(char uplo, int n, R alpha, const T *x, int incx, T *A, int lda);
LANEWISE_CUBLAS_OLD_COMPLEX(LANEWISE_CUBLAS_OLD_HER, her)
LANEWISE_CUBLAS_OLD_REAL(LANEWISE_CUBLAS_OLD_HER, syr)
#define LANEWISE_CUBLAS_OLD_HER2(name, T, R) void name(char uplo, int n, T alpha, const T *x, int incx, const T *y, int incy, T *A, int lda);
LANEWISE_CUBLAS_OLD_COMPLEX(LANEWISE_CUBLAS_OLD_HER2, her2)
LANEWISE_CUBLAS_OLD_REAL(LANEWISE_CUBLAS_OLD_HER2, syr2)
void cublasCher2k(char uplo, char trans, int n, int k, cuComplex alpha, const cuComplex *A, int lda, const cuComplex *B, int ldb, float beta, cuComplex *C, int ldc);
void cublasCherk(char uplo, char trans, int n, int k, float alpha, const cuComplex *A, int lda, float beta, cuComplex *C, int ldc);
#define LANEWISE_CUBLAS_OLD_HPMV(name, T, R) void name(char uplo, int n, T alpha, const T *AP, const T *x, int incx, T beta, T *y, int incy);
LANEWISE_CUBLAS_OLD_COMPLEX(LANEWISE_CUBLAS_OLD_HPMV, hpmv)
LANEWISE_CUBLAS_OLD_REAL(LANEWISE_CUBLAS_OLD_HPMV, spmv)
#define LANEWISE_CUBLAS_OLD_HPR(name, T, R) void name(char uplo, int n, R alpha, const T *x, int incx, T *AP);
LANEWISE_CUBLAS_OLD_COMPLEX(LANEWISE_CUBLAS_OLD_HPR, hpr)
LANEWISE_CUBLAS_OLD_REAL(LANEWISE_CUBLAS_OLD_HPR, spr)
#define LANEWISE_CUBLAS_OLD_HPR2(name, T, R) void name(char uplo, int n, T alpha, const T *x, int incx, const T *y, int incy, T *AP);
LANEWISE_CUBLAS_OLD_COMPLEX(LANEWISE_CUBLAS_OLD_HPR2, hpr2)
LANEWISE_CUBLAS_OLD_REAL(LANEWISE_CUBLAS_OLD_HPR2, spr2)
void cublasCrot(int n, cuComplex *x, int incx, cuComplex *y, int incy, float c, cuComplex s);
void cublasCrotg(cuComplex *ca, cuComplex cb, float *sc, cuComplex *cs);
#define LANEWISE_CUBLAS_OLD_SCAL(name, T, R) void name(int n, T alpha, T *x, int incx);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_SCAL, scal)
void cublasCsrot(int n, cuComplex *x, int incx, cuComplex *y, int incy, float c, float s);
void cublasCsscal(int n, float alpha, cuComplex *x, int incx);
#define LANEWISE_CUBLAS_OLD_SWAP(name, T, R) void name(int n, T *x, int incx, T *y, int incy);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_SWAP, swap)
#define LANEWISE_CUBLAS_OLD_SYR2K(name, T, R) void name(char uplo, char trans, int n, int k, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C, int ldc);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_SYR2K, syr2k)
#define LANEWISE_CUBLAS_OLD_SYRK(name, T, R) void name(char uplo, char trans, int n, int k, T alpha, const T *A, int lda, T beta, T *C, int ldc);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_SYRK, syrk)
#define LANEWISE_CUBLAS_OLD_TBMV(name, T, R) void name(char uplo, char trans, char diag, int n, int k, const T *A, int lda, T *x, int incx);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_TBMV, tbmv)
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_TBMV, tbsv)
#define LANEWISE_CUBLAS_OLD_TPMV(name, T, R) void name(char uplo, char trans, char diag, int n, const T *AP, T *x, int incx);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_TPMV, tpmv)
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_TPMV, tpsv)
#define LANEWISE_CUBLAS_OLD_TRMM(name, T, R) void name(char side, char uplo, char transa, char diag, int m, int n, T alpha, const T *A, int lda, T *B, int ldb);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_TRMM, trmm)
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_TRMM, trsm)
#define LANEWISE_CUBLAS_OLD_TRMV(name, T, R) void name(char uplo, char trans, char diag, int n, const T *A, int lda, T *x, int incx);
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_TRMV, trmv)
LANEWISE_CUBLAS_OLD_ALL(LANEWISE_CUBLAS_OLD_TRMV, trsv)
void cublasDrot(int n, double *x, int incx, double *y, int incy, double sc, double ss);
void cublasDrotg(double *sa, double *sb, double *sc, double *ss);
void cublasDrotm(int n, double *x, int incx, double *y, int incy, const double *sparam);
void cublasDrotmg(double *sd1, double *sd2, double *sx1, const double *sy1, double *sparam);
void cublasSrot(int n, float *x, int incx, float *y, int incy, float sc, float ss);
void cublasSrotg(float *sa, float *sb, float *sc, float *ss);
void cublasSrotm(int n, float *x, int incx, float *y, int incy, const float *sparam);
void cublasSrotmg(float *sd1, float *sd2, float *sx1, const float *sy1, float *sparam);
void cublasZdrot(int n, cuDoubleComplex *x, int incx, cuDoubleComplex *y, int incy, double c, double s);
void cublasZdscal(int n, double alpha, cuDoubleComplex *x, int incx);
void cublasZher2k(char uplo, char trans, int n, int k, cuDoubleComplex alpha, const cuDoubleComplex *A, int lda, const cuDoubleComplex *B, int ldb, double beta, cuDoubleComplex *C, int ldc);
void cublasZherk(char uplo, char trans, int n, int k, double alpha, const cuDoubleComplex *A, int lda, double beta, cuDoubleComplex *C, int ldc);
void cublasZrot(int n, cuDoubleComplex *x, int incx, cuDoubleComplex *y, int incy, double sc, cuDoubleComplex cs);
void cublasZrotg(cuDoubleComplex *ca, cuDoubleComplex cb, double *sc, cuDoubleComplex *cs);

#ifdef __cplusplus
}
#endif

#endif
