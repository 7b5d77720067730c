/* Calls that are in few programs: updates of rank k of mixed types, packed triangles and back, complex updates of rank 2 that are not
 * Hermitian, and rotations of mixed types. */
#include <complex.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "blas/blas_entry.h"

/* ---------------------------------------------------------------- rank k: of single precision here */
#define P const void *
#define RANK_EX(symbol, plain, INT)                                                                                    \
    int lw_cublas_##plain(blas_handle *, int, int, INT, INT, P, P, INT, P, void *, INT);                               \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int uplo, int op, INT n, INT k, P alpha, P A, int type_a, INT lda, P beta, void *C, int type_c,  \
     INT ldc)                                                                                                          \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        if (type_a != BLAS_C_32F || type_c != BLAS_C_32F) return blas_end(blas_unsupported(__func__));                 \
        return lw_cublas_##plain(h, uplo, op, n, k, alpha, A, lda, beta, C, ldc);                                      \
    }
RANK_EX(cublasCherkEx, cublasCherk_v2, int)
RANK_EX(cublasCherkEx_64, cublasCherk_v2_64, int64_t)
RANK_EX(cublasCherk3mEx, cublasCherk_v2, int)
RANK_EX(cublasCherk3mEx_64, cublasCherk_v2_64, int64_t)
RANK_EX(cublasCsyrkEx, cublasCsyrk_v2, int)
RANK_EX(cublasCsyrkEx_64, cublasCsyrk_v2_64, int64_t)
RANK_EX(cublasCsyrk3mEx, cublasCsyrk_v2, int)
RANK_EX(cublasCsyrk3mEx_64, cublasCsyrk_v2_64, int64_t)

/* ---------------------------------------------------------------- packed triangles; flag: to packed */
static void run_pack(host_library *l, const blas_args *a)
{
    size_t size = blas_type_bytes[a->type], packed = (size_t)a->n * ((size_t)a->n + 1) / 2 * size;
    host_library_memory memory = {a->b.address, packed, 1, packed};
    char *P_ = host_library_use(l, memory, a->flag ? HOST_LIBRARY_WRITES : HOST_LIBRARY_READS);
    char *A = blas_use_matrix(l, &a->a, 0, size, a->n, a->n, a->flag ? HOST_LIBRARY_READS : HOST_LIBRARY_UPDATES);
    if (!P_ || !A) return;
    for (int64_t j = 0; j < a->n; j++) {
        int64_t first = a->uplo == 'L' ? j : 0, end = a->uplo == 'L' ? a->n : j + 1;
        char *column = A + (size_t)(j * a->a.ld + first) * size;
        size_t bytes = (size_t)(end - first) * size;
        memcpy(a->flag ? P_ : column, a->flag ? column : P_, bytes);
        P_ += bytes;
    }
}

#define PACK_BODY(t, to_packed)                                                                                        \
    NEED_HANDLE;                                                                                                       \
    NEED(blas_uplo(uplo) && blas_size(n) && blas_ld(lda, n));                                                          \
    if (!n) return BLAS_OK;                                                                                            \
    blas_args a = {.routine = run_pack, .type = t, .n = n, .uplo = blas_uplo(uplo), .flag = to_packed};                \
    a.a = blas_matrix(A, lda);                                                                                         \
    a.b = blas_vector(AP, 1);                                                                                          \
    return blas_put(h, &a, __func__);
#define PACK(t, type)                                                                                                  \
    CUBLAS(cublas##t##trttp)(blas_handle * h, int uplo, int n, P A, int lda, void *AP){PACK_BODY(type, true)} CUBLAS(  \
        cublas##t##tpttr)(blas_handle * h, int uplo, int n, P AP, void *A, int lda)                                    \
    {                                                                                                                  \
        PACK_BODY(type, false)                                                                                         \
    }
PACK(S, BLAS_S)
PACK(D, BLAS_D)
PACK(C, BLAS_C)
PACK(Z, BLAS_Z)

/* ---------------------------------------------------------------- complex syr2, which no library of the host has */
#define SYR2_LOOP(T, suffix)                                                                                           \
    static void syr2_##suffix(const blas_args *a, const T *alpha, const T *x, const T *y, T *A)                        \
    {                                                                                                                  \
        int64_t fx = a->b.ld < 0 ? (1 - a->n) * a->b.ld : 0, fy = a->c.ld < 0 ? (1 - a->n) * a->c.ld : 0;              \
        for (int64_t j = 0; j < a->n; j++)                                                                             \
            for (int64_t i = a->uplo == 'L' ? j : 0; i < (a->uplo == 'L' ? a->n : j + 1); i++)                         \
                A[i + j * a->a.ld] +=                                                                                  \
                    *alpha * (x[fx + i * a->b.ld] * y[fy + j * a->c.ld] + y[fy + i * a->c.ld] * x[fx + j * a->b.ld]);  \
    }
SYR2_LOOP(float _Complex, c)
SYR2_LOOP(double _Complex, z)

static void run_syr2(host_library *l, const blas_args *a)
{
    size_t size = blas_type_bytes[a->type];
    const void *alpha = blas_use_scalar(l, &a->alpha, a->type);
    const void *x = blas_use_vector(l, &a->b, 0, size, a->n, HOST_LIBRARY_READS);
    const void *y = blas_use_vector(l, &a->c, 0, size, a->n, HOST_LIBRARY_READS);
    void *A = blas_use_matrix(l, &a->a, 0, size, a->n, a->n, HOST_LIBRARY_UPDATES);
    if (!alpha || !x || !y || !A) return;
    if (a->type == BLAS_C) syr2_c(a, alpha, x, y, A);
    else syr2_z(a, alpha, x, y, A);
}

#define SYR2(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)(blas_handle * h, int uplo, INT n, P alpha, P x, INT incx, P y, INT incy, void *A, INT lda)          \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(blas_uplo(uplo) && blas_size(n) && alpha && incx && incy && blas_fits(incx) && blas_fits(incy));          \
        NEED(blas_ld(lda, n));                                                                                         \
        if (!n) return BLAS_OK;                                                                                        \
        blas_args a = {.routine = run_syr2, .type = t, .n = n, .uplo = blas_uplo(uplo), .a = blas_matrix(A, lda)};     \
        a.b = blas_vector(x, incx);                                                                                    \
        a.c = blas_vector(y, incy);                                                                                    \
        a.alpha = blas_scalar_of(h, alpha, t);                                                                         \
        return blas_put(h, &a, __func__);                                                                              \
    }
COMPLEX_V2(SYR2, syr2)

/* ---------------------------------------------------------------- rotations: of one type throughout, those of today */
/* The form of a type among its four; -1: types that differ, or of 16 bits. */
static int same_type(int x, int y, int scalar, int compute)
{
    int t = x == BLAS_R_32F   ? BLAS_S
            : x == BLAS_R_64F ? BLAS_D
            : x == BLAS_C_32F ? BLAS_C
            : x == BLAS_C_64F ? BLAS_Z
                              : -1;
    bool real_scalar = (t == BLAS_C && scalar == BLAS_R_32F) || (t == BLAS_Z && scalar == BLAS_R_64F);
    return x == y && compute == x && (scalar == x || real_scalar) ? t : -1;
}

#define ROT_TYPES(M, INT, suffix)                                                                                      \
    M(cublasSrot_v2##suffix, INT)                                                                                      \
    M(cublasDrot_v2##suffix, INT)                                                                                      \
    M(cublasCrot_v2##suffix, INT)                                                                                      \
    M(cublasZrot_v2##suffix, INT)                                                                                      \
    M(cublasCsrot_v2##suffix, INT)                                                                                     \
    M(cublasZdrot_v2##suffix, INT)
#define DECLARE_ROT(symbol, INT) int lw_cublas_##symbol(blas_handle *, INT, void *, INT, void *, INT, P, P);
#define POINTER_ROT(symbol, INT) lw_cublas_##symbol,

#define ROT_EX(symbol, INT, suffix)                                                                                    \
    ROT_TYPES(DECLARE_ROT, INT, suffix)                                                                                \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, INT n, void *x, int type_x, INT incx, void *y, int type_y, INT incy, P c, P s, int type_cs,      \
     int compute)                                                                                                      \
    {                                                                                                                  \
        static int (*const forms[])(blas_handle *, INT, void *, INT, void *, INT, P,                                   \
                                    P) = {ROT_TYPES(POINTER_ROT, INT, suffix)};                                        \
        int t = same_type(type_x, type_y, type_cs, compute);                                                           \
        NEED_HANDLE;                                                                                                   \
        if (t < 0) return blas_end(blas_unsupported(__func__));                                                        \
        return forms[t + (type_cs == type_x ? 0 : 2)](h, n, x, incx, y, incy, c, s);                                   \
    }
ROT_EX(cublasRotEx, int, )
ROT_EX(cublasRotEx_64, int64_t, _64)

CUBLAS(cublasSrotg_v2)(blas_handle *, void *, void *, void *, void *);
CUBLAS(cublasDrotg_v2)(blas_handle *, void *, void *, void *, void *);
CUBLAS(cublasCrotg_v2)(blas_handle *, void *, void *, void *, void *);
CUBLAS(cublasZrotg_v2)(blas_handle *, void *, void *, void *, void *);
CUBLAS(cublasRotgEx)(blas_handle *h, void *x, void *y, int type, void *c, void *s, int type_cs, int compute)
{
    static int (*const forms[])(blas_handle *, void *, void *, void *, void *) = {
        lw_cublas_cublasSrotg_v2, lw_cublas_cublasDrotg_v2, lw_cublas_cublasCrotg_v2, lw_cublas_cublasZrotg_v2};
    int t = same_type(type, type, type_cs, compute);
    NEED_HANDLE;
    return t < 0 ? blas_end(blas_unsupported(__func__)) : forms[t](h, x, y, c, s);
}

CUBLAS(cublasSrotmg_v2)(blas_handle *, void *, void *, void *, P, void *);
CUBLAS(cublasDrotmg_v2)(blas_handle *, void *, void *, void *, P, void *);
CUBLAS(cublasRotmgEx)
(blas_handle *h, void *d1, int type_d1, void *d2, int type_d2, void *x1, int type_x1, P y1, int type_y1,
 void *parameters, int type, int compute)
{
    int t = same_type(type_d1, type_d2, type_x1, compute);
    NEED_HANDLE;
    if ((t != BLAS_S && t != BLAS_D) || type_y1 != type_x1 || type != type_x1)
        return blas_end(blas_unsupported(__func__));
    return (t == BLAS_S ? lw_cublas_cublasSrotmg_v2 : lw_cublas_cublasDrotmg_v2)(h, d1, d2, x1, y1, parameters);
}

#define ROTM_EX(symbol, INT, suffix)                                                                                   \
    CUBLAS(cublasSrotm_v2##suffix)(blas_handle *, INT, void *, INT, void *, INT, P);                                   \
    CUBLAS(cublasDrotm_v2##suffix)(blas_handle *, INT, void *, INT, void *, INT, P);                                   \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, INT n, void *x, int type_x, INT incx, void *y, int type_y, INT incy, P parameters, int type,     \
     int compute)                                                                                                      \
    {                                                                                                                  \
        int t = same_type(type_x, type_y, type, compute);                                                              \
        NEED_HANDLE;                                                                                                   \
        if (t != BLAS_S && t != BLAS_D) return blas_end(blas_unsupported(__func__));                                   \
        return (t == BLAS_S ? lw_cublas_cublasSrotm_v2##suffix : lw_cublas_cublasDrotm_v2##suffix)(h, n, x, incx, y,   \
                                                                                                   incy, parameters);  \
    }
ROTM_EX(cublasRotmEx, int, )
ROTM_EX(cublasRotmEx_64, int64_t, _64)
