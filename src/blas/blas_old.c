/* The interface of before CUDA 4 (cublas.h): one handle for the process, scalars as values, results returned, letters as in
 * Fortran, and an error that is asked for afterwards. Each call is that of today (cublas_v2.h) on this handle. */
#include <complex.h>

#include "blas/blas_entry.h"
#include "face/face.h"

typedef float _Complex cfloat;
typedef double _Complex cdouble;

static struct {
    blas_handle *handle; /* NULL before cublasInit() */
    int error;           /* of the last call that failed, until it is asked for */
} old;

static void note(int status)
{
    if (status) old.error = status;
}

CUBLAS(cublasCreate_v2)(blas_handle **out);
CUBLAS(cublasDestroy_v2)(blas_handle *h);
CUBLAS(cublasSetStream_v2)(blas_handle *h, void *stream);
CUBLAS(cublasGetVersion_v2)(blas_handle *h, int *out);

CUBLAS(cublasInit)(void)
{
    int status = old.handle ? BLAS_OK : lw_cublas_cublasCreate_v2(&old.handle);
    note(status);
    return status;
}

CUBLAS(cublasShutdown)(void)
{
    int status = lw_cublas_cublasDestroy_v2(old.handle);
    old.handle = NULL;
    return status;
}

CUBLAS(cublasGetError)(void)
{
    int error = old.error;
    old.error = BLAS_OK;
    return error;
}

CUBLAS(cublasGetVersion)(int *out) { return lw_cublas_cublasGetVersion_v2(old.handle, out); }
CUBLAS(cublasSetKernelStream)(void *stream) { return lw_cublas_cublasSetStream_v2(old.handle, stream); }

CUBLAS(cublasAlloc)(int n, int bytes, void **out)
{
    uint64_t address = 0;
    if (!blas_handle_valid(old.handle)) return blas_end(BLAS_NOT_INITIALIZED);
    NEED(n > 0 && bytes > 0 && out);
    host_error error = host_malloc(host_get(), (uint64_t)n * (uint64_t)bytes, MEM_DEVICE, 0, &address);
    *out = (void *)(uintptr_t)address;
    return error ? blas_end(BLAS_ALLOC_FAILED) : BLAS_OK;
}

CUBLAS(cublasFree)(void *pointer)
{
    if (!blas_handle_valid(old.handle)) return blas_end(BLAS_NOT_INITIALIZED);
    return host_free(host_get(), (uint64_t)(uintptr_t)pointer) ? blas_end(BLAS_INTERNAL_ERROR) : BLAS_OK;
}

/* ---------------------------------------------------------------- letters; -1, which no call takes, for another */
enum { NONE = -1 };
static int letter(char c) { return c | 0x20; }
static int op_of(char c)
{
    int l = letter(c);
    return l == 'n' ? BLAS_OP_N : l == 't' ? BLAS_OP_T : l == 'c' ? BLAS_OP_C : NONE;
}
static int uplo_of(char c) { return letter(c) == 'l' ? BLAS_LOWER : letter(c) == 'u' ? BLAS_UPPER : NONE; }
static int side_of(char c) { return letter(c) == 'l' ? BLAS_LEFT : letter(c) == 'r' ? BLAS_RIGHT : NONE; }
static int diag_of(char c) { return letter(c) == 'n' ? 0 : letter(c) == 'u' ? 1 : NONE; }

/* ---------------------------------------------------------------- how an entry point is made: its v2 form is declared and called */
#define TODAY(symbol) lw_cublas_##symbol##_v2
#define OLD(symbol) lw_cublas_##symbol
#define P const void *
#define H old.handle

#define PLAIN(symbol, types, old_types, ...)                                                                           \
    int TODAY(symbol) types;                                                                                           \
    void OLD(symbol) old_types;                                                                                        \
    void OLD(symbol) old_types { note(TODAY(symbol)(H, __VA_ARGS__)); }
/* R: what it returns, 0 if it fails */
#define RESULT(symbol, R, types, old_types, ...)                                                                       \
    int TODAY(symbol) types;                                                                                           \
    R OLD(symbol) old_types;                                                                                           \
    R OLD(symbol) old_types                                                                                            \
    {                                                                                                                  \
        R out = 0;                                                                                                     \
        note(TODAY(symbol)(H, __VA_ARGS__, &out));                                                                     \
        return out;                                                                                                    \
    }

/* ---------------------------------------------------------------- level 1 */
#define ONE_VECTOR(symbol, R)                                                                                          \
    RESULT(symbol, R, (blas_handle *, int, P, int, void *), (int n, P x, int incx), n, x, incx)
ONE_VECTOR(cublasSnrm2, float)
ONE_VECTOR(cublasDnrm2, double)
ONE_VECTOR(cublasScnrm2, float)
ONE_VECTOR(cublasDznrm2, double)
ONE_VECTOR(cublasSasum, float)
ONE_VECTOR(cublasDasum, double)
ONE_VECTOR(cublasScasum, float)
ONE_VECTOR(cublasDzasum, double)
ONE_VECTOR(cublasIsamax, int)
ONE_VECTOR(cublasIdamax, int)
ONE_VECTOR(cublasIcamax, int)
ONE_VECTOR(cublasIzamax, int)
ONE_VECTOR(cublasIsamin, int)
ONE_VECTOR(cublasIdamin, int)
ONE_VECTOR(cublasIcamin, int)
ONE_VECTOR(cublasIzamin, int)

#define DOT(symbol, R)                                                                                                 \
    RESULT(symbol, R, (blas_handle *, int, P, int, P, int, void *), (int n, P x, int incx, P y, int incy), n, x, incx, \
           y, incy)
DOT(cublasSdot, float)
DOT(cublasDdot, double)
DOT(cublasCdotu, cfloat)
DOT(cublasCdotc, cfloat)
DOT(cublasZdotu, cdouble)
DOT(cublasZdotc, cdouble)

#define SCAL(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, P, void *, int), (int n, T alpha, void *x, int incx), n, &alpha, x, incx)
SCAL(cublasSscal, float)
SCAL(cublasDscal, double)
SCAL(cublasCscal, cfloat)
SCAL(cublasZscal, cdouble)
SCAL(cublasCsscal, float)
SCAL(cublasZdscal, double)

#define AXPY(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, P, P, int, void *, int), (int n, T alpha, P x, int incx, void *y, int incy), n, \
          &alpha, x, incx, y, incy)
AXPY(cublasSaxpy, float)
AXPY(cublasDaxpy, double)
AXPY(cublasCaxpy, cfloat)
AXPY(cublasZaxpy, cdouble)

#define TWO_VECTORS(symbol)                                                                                            \
    PLAIN(symbol, (blas_handle *, int, void *, int, void *, int), (int n, void *x, int incx, void *y, int incy), n, x, \
          incx, y, incy)
TWO_VECTORS(cublasScopy)
TWO_VECTORS(cublasDcopy)
TWO_VECTORS(cublasCcopy)
TWO_VECTORS(cublasZcopy)
TWO_VECTORS(cublasSswap)
TWO_VECTORS(cublasDswap)
TWO_VECTORS(cublasCswap)
TWO_VECTORS(cublasZswap)

#define ROT(symbol, C, S)                                                                                              \
    PLAIN(symbol, (blas_handle *, int, void *, int, void *, int, P, P),                                                \
          (int n, void *x, int incx, void *y, int incy, C c, S s), n, x, incx, y, incy, &c, &s)
ROT(cublasSrot, float, float)
ROT(cublasDrot, double, double)
ROT(cublasCrot, float, cfloat)
ROT(cublasZrot, double, cdouble)
ROT(cublasCsrot, float, float)
ROT(cublasZdrot, double, double)

#define ROTG(symbol)                                                                                                   \
    PLAIN(symbol, (blas_handle *, void *, void *, void *, void *), (void *a, void *b, void *c, void *s), a, b, c, s)
#define ROTG_COMPLEX(symbol, T)                                                                                        \
    PLAIN(symbol, (blas_handle *, void *, void *, void *, void *), (void *a, T b, void *c, void *s), a, &b, c, s)
ROTG(cublasSrotg)
ROTG(cublasDrotg)
ROTG_COMPLEX(cublasCrotg, cfloat)
ROTG_COMPLEX(cublasZrotg, cdouble)

#define ROTM(symbol)                                                                                                   \
    PLAIN(symbol, (blas_handle *, int, void *, int, void *, int, P),                                                   \
          (int n, void *x, int incx, void *y, int incy, P parameters), n, x, incx, y, incy, parameters)
#define ROTMG(symbol)                                                                                                  \
    PLAIN(symbol, (blas_handle *, void *, void *, void *, P, void *),                                                  \
          (void *d1, void *d2, void *x1, P y1, void *parameters), d1, d2, x1, y1, parameters)
ROTM(cublasSrotm)
ROTM(cublasDrotm)
ROTMG(cublasSrotmg)
ROTMG(cublasDrotmg)

/* ---------------------------------------------------------------- level 2 */
#define GEMV(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, int, P, P, int, P, int, P, void *, int),                                   \
          (char trans, int m, int n, T alpha, P A, int lda, P x, int incx, T beta, void *y, int incy), op_of(trans),   \
          m, n, &alpha, A, lda, x, incx, &beta, y, incy)
#define GBMV(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, int, int, int, P, P, int, P, int, P, void *, int),                         \
          (char trans, int m, int n, int kl, int ku, T alpha, P A, int lda, P x, int incx, T beta, void *y, int incy), \
          op_of(trans), m, n, kl, ku, &alpha, A, lda, x, incx, &beta, y, incy)
#define TRMV(symbol)                                                                                                   \
    PLAIN(symbol, (blas_handle *, int, int, int, int, P, int, void *, int),                                            \
          (char uplo, char trans, char diag, int n, P A, int lda, void *x, int incx), uplo_of(uplo), op_of(trans),     \
          diag_of(diag), n, A, lda, x, incx)
#define TBMV(symbol)                                                                                                   \
    PLAIN(symbol, (blas_handle *, int, int, int, int, int, P, int, void *, int),                                       \
          (char uplo, char trans, char diag, int n, int k, P A, int lda, void *x, int incx), uplo_of(uplo),            \
          op_of(trans), diag_of(diag), n, k, A, lda, x, incx)
#define TPMV(symbol)                                                                                                   \
    PLAIN(symbol, (blas_handle *, int, int, int, int, P, void *, int),                                                 \
          (char uplo, char trans, char diag, int n, P AP, void *x, int incx), uplo_of(uplo), op_of(trans),             \
          diag_of(diag), n, AP, x, incx)
#define LEVEL2_OF(t, T)                                                                                                \
    GEMV(cublas##t##gemv, T)                                                                                           \
    GBMV(cublas##t##gbmv, T)                                                                                           \
    TRMV(cublas##t##trmv)                                                                                              \
    TRMV(cublas##t##trsv)                                                                                              \
    TBMV(cublas##t##tbmv)                                                                                              \
    TBMV(cublas##t##tbsv)                                                                                              \
    TPMV(cublas##t##tpmv)                                                                                              \
    TPMV(cublas##t##tpsv)
LEVEL2_OF(S, float)
LEVEL2_OF(D, double)
LEVEL2_OF(C, cfloat)
LEVEL2_OF(Z, cdouble)

#define SYMV(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, P, P, int, P, int, P, void *, int),                                        \
          (char uplo, int n, T alpha, P A, int lda, P x, int incx, T beta, void *y, int incy), uplo_of(uplo), n,       \
          &alpha, A, lda, x, incx, &beta, y, incy)
#define SBMV(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, int, P, P, int, P, int, P, void *, int),                                   \
          (char uplo, int n, int k, T alpha, P A, int lda, P x, int incx, T beta, void *y, int incy), uplo_of(uplo),   \
          n, k, &alpha, A, lda, x, incx, &beta, y, incy)
#define SPMV(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, P, P, P, int, P, void *, int),                                             \
          (char uplo, int n, T alpha, P AP, P x, int incx, T beta, void *y, int incy), uplo_of(uplo), n, &alpha, AP,   \
          x, incx, &beta, y, incy)
#define SYR(symbol, T)                                                                                                 \
    PLAIN(symbol, (blas_handle *, int, int, P, P, int, void *, int),                                                   \
          (char uplo, int n, T alpha, P x, int incx, void *A, int lda), uplo_of(uplo), n, &alpha, x, incx, A, lda)
#define SPR(symbol, T)                                                                                                 \
    PLAIN(symbol, (blas_handle *, int, int, P, P, int, void *), (char uplo, int n, T alpha, P x, int incx, void *AP),  \
          uplo_of(uplo), n, &alpha, x, incx, AP)
#define SYR2(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, P, P, int, P, int, void *, int),                                           \
          (char uplo, int n, T alpha, P x, int incx, P y, int incy, void *A, int lda), uplo_of(uplo), n, &alpha, x,    \
          incx, y, incy, A, lda)
#define SPR2(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, P, P, int, P, int, void *),                                                \
          (char uplo, int n, T alpha, P x, int incx, P y, int incy, void *AP), uplo_of(uplo), n, &alpha, x, incx, y,   \
          incy, AP)
#define GER(symbol, T)                                                                                                 \
    PLAIN(symbol, (blas_handle *, int, int, P, P, int, P, int, void *, int),                                           \
          (int m, int n, T alpha, P x, int incx, P y, int incy, void *A, int lda), m, n, &alpha, x, incx, y, incy, A,  \
          lda)
#define SYMMETRIC_OF(t, T, dense, packed, R)                                                                           \
    SYMV(cublas##t##dense##mv, T)                                                                                      \
    SPMV(cublas##t##packed##mv, T)                                                                                     \
    SYR2(cublas##t##dense##r2, T)                                                                                      \
    SPR2(cublas##t##packed##r2, T)                                                                                     \
    SPR(cublas##t##packed##r, R)
SYMMETRIC_OF(S, float, sy, sp, float)
SYMMETRIC_OF(D, double, sy, sp, double)
SYR(cublasSsyr, float)
SYR(cublasDsyr, double)
SBMV(cublasSsbmv, float)
SBMV(cublasDsbmv, double)
SYMV(cublasChemv, cfloat)
SYMV(cublasZhemv, cdouble)
SPMV(cublasChpmv, cfloat)
SPMV(cublasZhpmv, cdouble)
SBMV(cublasChbmv, cfloat)
SBMV(cublasZhbmv, cdouble)
SYR(cublasCher, float)
SYR(cublasZher, double)
SPR(cublasChpr, float)
SPR(cublasZhpr, double)
SYR2(cublasCher2, cfloat)
SYR2(cublasZher2, cdouble)
SPR2(cublasChpr2, cfloat)
SPR2(cublasZhpr2, cdouble)
GER(cublasSger, float)
GER(cublasDger, double)
GER(cublasCgeru, cfloat)
GER(cublasCgerc, cfloat)
GER(cublasZgeru, cdouble)
GER(cublasZgerc, cdouble)

/* ---------------------------------------------------------------- level 3 */
#define GEMM(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, int, int, int, P, P, int, P, int, P, void *, int),                         \
          (char trans_a, char trans_b, int m, int n, int k, T alpha, P A, int lda, P B, int ldb, T beta, void *C,      \
           int ldc),                                                                                                   \
          op_of(trans_a), op_of(trans_b), m, n, k, &alpha, A, lda, B, ldb, &beta, C, ldc)
#define SYMM(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, int, int, P, P, int, P, int, P, void *, int),                              \
          (char side, char uplo, int m, int n, T alpha, P A, int lda, P B, int ldb, T beta, void *C, int ldc),         \
          side_of(side), uplo_of(uplo), m, n, &alpha, A, lda, B, ldb, &beta, C, ldc)
#define SYRK(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, int, int, P, P, int, P, void *, int),                                      \
          (char uplo, char trans, int n, int k, T alpha, P A, int lda, T beta, void *C, int ldc), uplo_of(uplo),       \
          op_of(trans), n, k, &alpha, A, lda, &beta, C, ldc)
#define SYR2K(symbol, T, R)                                                                                            \
    PLAIN(symbol, (blas_handle *, int, int, int, int, P, P, int, P, int, P, void *, int),                              \
          (char uplo, char trans, int n, int k, T alpha, P A, int lda, P B, int ldb, R beta, void *C, int ldc),        \
          uplo_of(uplo), op_of(trans), n, k, &alpha, A, lda, B, ldb, &beta, C, ldc)
#define TRSM(symbol, T)                                                                                                \
    PLAIN(symbol, (blas_handle *, int, int, int, int, int, int, P, P, int, void *, int),                               \
          (char side, char uplo, char trans, char diag, int m, int n, T alpha, P A, int lda, void *B, int ldb),        \
          side_of(side), uplo_of(uplo), op_of(trans), diag_of(diag), m, n, &alpha, A, lda, B, ldb)
#define TRMM(symbol, T) /* over B, where today's writes C */                                                           \
    PLAIN(symbol, (blas_handle *, int, int, int, int, int, int, P, P, int, P, int, void *, int),                       \
          (char side, char uplo, char trans, char diag, int m, int n, T alpha, P A, int lda, void *B, int ldb),        \
          side_of(side), uplo_of(uplo), op_of(trans), diag_of(diag), m, n, &alpha, A, lda, B, ldb, B, ldb)
#define LEVEL3_OF(t, T)                                                                                                \
    GEMM(cublas##t##gemm, T)                                                                                           \
    SYMM(cublas##t##symm, T)                                                                                           \
    SYRK(cublas##t##syrk, T)                                                                                           \
    SYR2K(cublas##t##syr2k, T, T)                                                                                      \
    TRSM(cublas##t##trsm, T)                                                                                           \
    TRMM(cublas##t##trmm, T)
LEVEL3_OF(S, float)
LEVEL3_OF(D, double)
LEVEL3_OF(C, cfloat)
LEVEL3_OF(Z, cdouble)
SYMM(cublasChemm, cfloat)
SYMM(cublasZhemm, cdouble)
SYRK(cublasCherk, float)
SYRK(cublasZherk, double)
SYR2K(cublasCher2k, cfloat, float)
SYR2K(cublasZher2k, cdouble, double)
