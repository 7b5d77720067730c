/* cublasXt: products and solves of matrices that may lie in memory of the host, which a card would split among devices. They are
 * the calls of cublas_v2.h, waited for. */
#include <stdlib.h>

#include "blas/blas_entry.h"

enum { DEFAULT_BLOCK = 2048, LARGEST_BLOCK = 1 << 20, MOST_DEVICES = 16 };

typedef struct xt_handle {
    blas_handle blas; /* first: an xt_handle is one, too */
    int block, pinning;
} xt_handle;

CUBLAS(cublasDestroy_v2)(blas_handle *h);

CUBLAS(cublasXtCreate)(xt_handle **out)
{
    NEED(out);
    if (!blas_host_available()) return blas_end(BLAS_NOT_INITIALIZED);
    blas_handle *plain = blas_new_handle();
    xt_handle *h = lw_alloc(sizeof *h);
    *h = (xt_handle){.blas = *plain, .block = DEFAULT_BLOCK};
    h->blas.anywhere = true;
    free(plain);
    *out = h;
    return BLAS_OK;
}
CUBLAS(cublasXtDestroy)(xt_handle *h) { return lw_cublas_cublasDestroy_v2(h ? &h->blas : NULL); }

CUBLAS(cublasXtDeviceSelect)(xt_handle *xt, int count, const int *devices)
{
    blas_handle *h = xt ? &xt->blas : NULL;
    NEED_HANDLE;
    NEED(count > 0 && count <= MOST_DEVICES && devices);
    for (int i = 0; i < count; i++) NEED(devices[i] >= 0 && devices[i] < (int)host_device_count(host_get()));
    return BLAS_OK;
}

CUBLAS(cublasXtMaxBoards)(int *out)
{
    NEED(out);
    *out = MOST_DEVICES;
    return BLAS_OK;
}
CUBLAS(cublasXtGetNumBoards)(int count, const int *devices, int *out)
{
    NEED(count > 0 && devices && out);
    *out = count; /* each device a board of its own */
    return BLAS_OK;
}

#define SETTING(name, field, least, most)                                                                              \
    CUBLAS(cublasXtSet##name)(xt_handle * xt, int value)                                                               \
    {                                                                                                                  \
        blas_handle *h = xt ? &xt->blas : NULL;                                                                        \
        NEED_HANDLE;                                                                                                   \
        NEED(value >= (least) && value <= (most));                                                                     \
        xt->field = value;                                                                                             \
        return BLAS_OK;                                                                                                \
    }                                                                                                                  \
    CUBLAS(cublasXtGet##name)(xt_handle * xt, int *out)                                                                \
    {                                                                                                                  \
        blas_handle *h = xt ? &xt->blas : NULL;                                                                        \
        NEED_HANDLE;                                                                                                   \
        NEED(out);                                                                                                     \
        *out = xt->field;                                                                                              \
        return BLAS_OK;                                                                                                \
    }
SETTING(BlockDim, block, 1, LARGEST_BLOCK)
SETTING(PinningMemMode, pinning, 0, 1)

/* A routine of the program for a share of the work: there is no share here. */
CUBLAS(cublasXtSetCpuRoutine)(xt_handle *xt, int op, int type, void *routine)
{
    blas_handle *h = xt ? &xt->blas : NULL;
    (void)routine;
    NEED_HANDLE;
    NEED(op >= 0 && op < 12 && type >= BLAS_S && type <= BLAS_Z);
    return BLAS_OK;
}
CUBLAS(cublasXtSetCpuRatio)(xt_handle *xt, int op, int type, float ratio)
{
    blas_handle *h = xt ? &xt->blas : NULL;
    NEED_HANDLE;
    NEED(op >= 0 && op < 12 && type >= BLAS_S && type <= BLAS_Z && ratio >= 0 && ratio <= 1);
    return BLAS_OK;
}

/* ---------------------------------------------------------------- the routines */
#define P const void *
#define N int64_t /* size_t, which the plain call refuses where it is too large */

#define XT(symbol, plain, types, names, ...)                                                                           \
    int lw_cublas_##plain types;                                                                                       \
    CUBLAS(symbol) names                                                                                               \
    {                                                                                                                  \
        int status = lw_cublas_##plain(xt ? &xt->blas : NULL, __VA_ARGS__);                                            \
        if (!status) host_synchronize(host_get());                                                                     \
        return status;                                                                                                 \
    }

#define XT_GEMM(t)                                                                                                     \
    XT(cublasXt##t##gemm, cublas##t##gemm_v2_64, (blas_handle *, int, int, N, N, N, P, P, N, P, N, P, void *, N),      \
       (xt_handle * xt, int op_a, int op_b, N m, N n, N k, P alpha, P A, N lda, P B, N ldb, P beta, void *C, N ldc),   \
       op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)
#define XT_SYRK(t, name)                                                                                               \
    XT(cublasXt##t##name, cublas##t##name##_v2_64, (blas_handle *, int, int, N, N, P, P, N, P, void *, N),             \
       (xt_handle * xt, int uplo, int op, N n, N k, P alpha, P A, N lda, P beta, void *C, N ldc), uplo, op, n, k,      \
       alpha, A, lda, beta, C, ldc)
#define XT_SYR2K(symbol, plain)                                                                                        \
    XT(symbol, plain, (blas_handle *, int, int, N, N, P, P, N, P, N, P, void *, N),                                    \
       (xt_handle * xt, int uplo, int op, N n, N k, P alpha, P A, N lda, P B, N ldb, P beta, void *C, N ldc), uplo,    \
       op, n, k, alpha, A, lda, B, ldb, beta, C, ldc)
#define XT_SYMM(t, name)                                                                                               \
    XT(cublasXt##t##name, cublas##t##name##_v2_64, (blas_handle *, int, int, N, N, P, P, N, P, N, P, void *, N),       \
       (xt_handle * xt, int side, int uplo, N m, N n, P alpha, P A, N lda, P B, N ldb, P beta, void *C, N ldc), side,  \
       uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc)
#define XT_TRSM(t)                                                                                                     \
    XT(cublasXt##t##trsm, cublas##t##trsm_v2_64, (blas_handle *, int, int, int, int, N, N, P, P, N, void *, N),        \
       (xt_handle * xt, int side, int uplo, int op, int diag, N m, N n, P alpha, P A, N lda, void *B, N ldb), side,    \
       uplo, op, diag, m, n, alpha, A, lda, B, ldb)
#define XT_TRMM(t)                                                                                                     \
    XT(cublasXt##t##trmm, cublas##t##trmm_v2_64, (blas_handle *, int, int, int, int, N, N, P, P, N, P, N, void *, N),  \
       (xt_handle * xt, int side, int uplo, int op, int diag, N m, N n, P alpha, P A, N lda, P B, N ldb, void *C,      \
        N ldc),                                                                                                        \
       side, uplo, op, diag, m, n, alpha, A, lda, B, ldb, C, ldc)
#define XT_ALL(t)                                                                                                      \
    XT_GEMM(t)                                                                                                         \
    XT_SYRK(t, syrk)                                                                                                   \
    XT_SYR2K(cublasXt##t##syr2k, cublas##t##syr2k_v2_64)                                                               \
    XT_SYR2K(cublasXt##t##syrkx, cublas##t##syrkx_64)                                                                  \
    XT_SYMM(t, symm)                                                                                                   \
    XT_TRSM(t)                                                                                                         \
    XT_TRMM(t)
#define XT_HERMITIAN(t)                                                                                                \
    XT_SYRK(t, herk)                                                                                                   \
    XT_SYR2K(cublasXt##t##her2k, cublas##t##her2k_v2_64)                                                               \
    XT_SYR2K(cublasXt##t##herkx, cublas##t##herkx_64)                                                                  \
    XT_SYMM(t, hemm)
XT_ALL(S)
XT_ALL(D)
XT_ALL(C)
XT_ALL(Z)
XT_HERMITIAN(C)
XT_HERMITIAN(Z)
