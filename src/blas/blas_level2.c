/* Level 2: a matrix and vectors. */
#include <string.h>

#include "blas/blas_entry.h"

static int as_int(int64_t n) { return (int)n; }

/* How a matrix is stored. */
typedef enum storage { DENSE, BANDED, PACKED } storage;

/* The matrix of a call; rows, columns: of a dense or banded one; packed ones have n (n + 1) / 2 elements. */
static void *use_stored(host_library *l, const blas_args *a, storage kind, int64_t rows, int64_t columns,
                        host_library_access access)
{
    size_t size = blas_type_bytes[a->type];
    if (kind != PACKED) return blas_use_matrix(l, &a->a, 0, size, rows, columns, access);
    blas_operand all = {.address = a->a.address, .ld = 1};
    return blas_use_vector(l, &all, 0, size, a->n * (a->n + 1) / 2, access);
}

/* ---------------------------------------------------------------- gemv, gbmv */
/* y = alpha op(A) x + beta y. flag: banded. For each of a batch. */
static void run_gemv(host_library *l, const blas_args *a)
{
    size_t size = blas_type_bytes[a->type];
    const void *alpha = blas_use_scalar(l, &a->alpha, a->type), *beta = blas_use_scalar(l, &a->beta, a->type);
    if (!alpha || !beta) return;
    bool plain = a->trans_a == 'N';
    int m = as_int(a->m), n = as_int(a->n), kl = as_int(a->kl), ku = as_int(a->ku);
    int lda = as_int(a->a.ld), incx = as_int(a->b.ld), incy = as_int(a->c.ld);
    for (int64_t i = 0; i < a->batch; i++) {
        const void *matrix = blas_use_matrix(l, &a->a, i, size, a->flag ? kl + ku + 1 : m, n, HOST_LIBRARY_READS);
        const void *x = blas_use_vector(l, &a->b, i, size, plain ? n : m, HOST_LIBRARY_READS);
        void *y = blas_use_vector(l, &a->c, i, size, plain ? m : n,
                                  blas_is_zero(beta, a->type) ? HOST_LIBRARY_WRITES : HOST_LIBRARY_UPDATES);
        if (!matrix || !x || !y) return;
        if (a->flag)
            blas_host(a->type, "gbmv")(&a->trans_a, &m, &n, &kl, &ku, alpha, matrix, &lda, x, &incx, beta, y, &incy,
                                       (size_t)1);
        else blas_host(a->type, "gemv")(&a->trans_a, &m, &n, alpha, matrix, &lda, x, &incx, beta, y, &incy, (size_t)1);
    }
}

#define GEMV_BODY(t, A, lda, x, incx, y, incy)                                                                         \
    NEED_HANDLE;                                                                                                       \
    NEED(blas_trans(op) && op != BLAS_OP_CONJG && blas_size(m) && blas_size(n) && alpha && beta);                      \
    NEED(incx &&incy &&blas_fits(incx) && blas_fits(incy));                                                            \
    if (!m || !n) return BLAS_OK;                                                                                      \
    blas_args a = {.routine = run_gemv, .type = t, .m = m, .n = n, .trans_a = blas_trans(op), .batch = 1};             \
    a.a = blas_matrix(A, lda);                                                                                         \
    a.b = blas_vector(x, incx);                                                                                        \
    a.c = blas_vector(y, incy);                                                                                        \
    a.alpha = blas_scalar_of(h, alpha, t);                                                                             \
    a.beta = blas_scalar_of(h, beta, t);

#define GEMV(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op, INT m, INT n, const void *alpha, const void *A, INT lda, const void *x, INT incx,        \
     const void *beta, void *y, INT incy)                                                                              \
    {                                                                                                                  \
        GEMV_BODY(t, A, lda, x, incx, y, incy)                                                                         \
        NEED(blas_ld(lda, m));                                                                                         \
        return blas_put(h, &a, __func__);                                                                              \
    }
TYPES_V2(GEMV, gemv)

#define GBMV(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op, INT m, INT n, INT kl, INT ku, const void *alpha, const void *A, INT lda, const void *x,  \
     INT incx, const void *beta, void *y, INT incy)                                                                    \
    {                                                                                                                  \
        GEMV_BODY(t, A, lda, x, incx, y, incy)                                                                         \
        NEED(blas_size(kl) && blas_size(ku) && blas_ld(lda, kl + ku + 1));                                             \
        a.flag = true;                                                                                                 \
        a.kl = kl;                                                                                                     \
        a.ku = ku;                                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
TYPES_V2(GBMV, gbmv)

#define GEMV_BATCHED(symbol, t, INT)                                                                                   \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op, INT m, INT n, const void *alpha, const void *A, INT lda, const void *x, INT incx,        \
     const void *beta, void *y, INT incy, INT count)                                                                   \
    {                                                                                                                  \
        GEMV_BODY(t, A, lda, x, incx, y, incy)                                                                         \
        NEED(blas_ld(lda, m) && count >= 0);                                                                           \
        a.batch = count;                                                                                               \
        a.a.pointers = a.b.pointers = a.c.pointers = true;                                                             \
        return blas_put(h, &a, __func__);                                                                              \
    }
TYPES(GEMV_BATCHED, gemvBatched)

#define GEMV_STRIDED(symbol, t, INT)                                                                                   \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op, INT m, INT n, const void *alpha, const void *A, INT lda, long long strideA,              \
     const void *x, INT incx, long long stridex, const void *beta, void *y, INT incy, long long stridey, INT count)    \
    {                                                                                                                  \
        GEMV_BODY(t, A, lda, x, incx, y, incy)                                                                         \
        NEED(blas_ld(lda, m) && count >= 0);                                                                           \
        a.batch = count;                                                                                               \
        a.a.stride = strideA;                                                                                          \
        a.b.stride = stridex;                                                                                          \
        a.c.stride = stridey;                                                                                          \
        return blas_put(h, &a, __func__);                                                                              \
    }
TYPES(GEMV_STRIDED, gemvStridedBatched)

/* ---------------------------------------------------------------- triangular: x = op(A) x, or solves for it */
static void run_triangular(host_library *l, const blas_args *a)
{
    static const char *const names[2][3] = {{"trmv", "tbmv", "tpmv"}, {"trsv", "tbsv", "tpsv"}};
    storage kind = (storage)a->types[0];
    int n = as_int(a->n), k = as_int(a->k), lda = as_int(a->a.ld), incx = as_int(a->b.ld);
    const void *matrix = use_stored(l, a, kind, kind == BANDED ? k + 1 : n, n, HOST_LIBRARY_READS);
    void *x = blas_use_vector(l, &a->b, 0, blas_type_bytes[a->type], n, HOST_LIBRARY_UPDATES);
    blas_function f = blas_host(a->type, names[a->flag][kind]);
    size_t one = 1; /* length of the letters: Fortran's hidden arguments */
    if (!matrix || !x) return;
    if (kind == DENSE) f(&a->uplo, &a->trans_a, &a->diag, &n, matrix, &lda, x, &incx, one, one, one);
    else if (kind == BANDED) f(&a->uplo, &a->trans_a, &a->diag, &n, &k, matrix, &lda, x, &incx, one, one, one);
    else f(&a->uplo, &a->trans_a, &a->diag, &n, matrix, x, &incx, one, one, one);
}

#define TRIANGULAR_BODY(t, kind, solve)                                                                                \
    NEED_HANDLE;                                                                                                       \
    NEED(blas_uplo(uplo) && blas_trans(op) && op != BLAS_OP_CONJG && blas_diag(diag) && blas_size(n));                 \
    NEED(incx &&blas_fits(incx));                                                                                      \
    if (!n) return BLAS_OK;                                                                                            \
    blas_args a = {.routine = run_triangular, .type = t, .n = n, .flag = solve, .types = {kind}};                      \
    a.uplo = blas_uplo(uplo);                                                                                          \
    a.trans_a = blas_trans(op);                                                                                        \
    a.diag = blas_diag(diag);                                                                                          \
    a.b = blas_vector(x, incx);

#define TRMV_OF(symbol, t, INT, solve)                                                                                 \
    CUBLAS(symbol)(blas_handle * h, int uplo, int op, int diag, INT n, const void *A, INT lda, void *x, INT incx)      \
    {                                                                                                                  \
        TRIANGULAR_BODY(t, DENSE, solve)                                                                               \
        NEED(blas_ld(lda, n));                                                                                         \
        a.a = blas_matrix(A, lda);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define TBMV_OF(symbol, t, INT, solve)                                                                                 \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int uplo, int op, int diag, INT n, INT k, const void *A, INT lda, void *x, INT incx)             \
    {                                                                                                                  \
        TRIANGULAR_BODY(t, BANDED, solve)                                                                              \
        NEED(blas_size(k) && blas_ld(lda, k + 1));                                                                     \
        a.k = k;                                                                                                       \
        a.a = blas_matrix(A, lda);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define TPMV_OF(symbol, t, INT, solve)                                                                                 \
    CUBLAS(symbol)(blas_handle * h, int uplo, int op, int diag, INT n, const void *AP, void *x, INT incx)              \
    {                                                                                                                  \
        TRIANGULAR_BODY(t, PACKED, solve)                                                                              \
        a.a = blas_matrix(AP, 1);                                                                                      \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define TRMV(symbol, t, INT) TRMV_OF(symbol, t, INT, false)
#define TRSV(symbol, t, INT) TRMV_OF(symbol, t, INT, true)
#define TBMV(symbol, t, INT) TBMV_OF(symbol, t, INT, false)
#define TBSV(symbol, t, INT) TBMV_OF(symbol, t, INT, true)
#define TPMV(symbol, t, INT) TPMV_OF(symbol, t, INT, false)
#define TPSV(symbol, t, INT) TPMV_OF(symbol, t, INT, true)
TYPES_V2(TRMV, trmv)
TYPES_V2(TRSV, trsv)
TYPES_V2(TBMV, tbmv)
TYPES_V2(TBSV, tbsv)
TYPES_V2(TPMV, tpmv)
TYPES_V2(TPSV, tpsv)

/* ---------------------------------------------------------------- symmetric and Hermitian: y = alpha A x + beta y */
/* flag: Hermitian. csymv and zsymv are of LAPACK, which OpenBLAS holds. */
static void run_symv(host_library *l, const blas_args *a)
{
    static const char *const names[2][3] = {{"symv", "sbmv", "spmv"}, {"hemv", "hbmv", "hpmv"}};
    storage kind = (storage)a->types[0];
    size_t size = blas_type_bytes[a->type], one = 1;
    int n = as_int(a->n), k = as_int(a->k), lda = as_int(a->a.ld), incx = as_int(a->b.ld), incy = as_int(a->c.ld);
    const void *alpha = blas_use_scalar(l, &a->alpha, a->type), *beta = blas_use_scalar(l, &a->beta, a->type);
    const void *matrix = use_stored(l, a, kind, kind == BANDED ? k + 1 : n, n, HOST_LIBRARY_READS);
    const void *x = blas_use_vector(l, &a->b, 0, size, n, HOST_LIBRARY_READS);
    void *y = blas_use_vector(l, &a->c, 0, size, n, HOST_LIBRARY_UPDATES);
    blas_function f = blas_host(a->type, names[a->flag][kind]);
    if (!f) host_library_fail(l, "the host's BLAS lacks it: install OpenBLAS");
    if (!f || !alpha || !beta || !matrix || !x || !y) return;
    if (kind == DENSE) f(&a->uplo, &n, alpha, matrix, &lda, x, &incx, beta, y, &incy, one);
    else if (kind == BANDED) f(&a->uplo, &n, &k, alpha, matrix, &lda, x, &incx, beta, y, &incy, one);
    else f(&a->uplo, &n, alpha, matrix, x, &incx, beta, y, &incy, one);
}

#define SYMV_BODY(t, kind, hermitian)                                                                                  \
    NEED_HANDLE;                                                                                                       \
    NEED(blas_uplo(uplo) && blas_size(n) && alpha && beta);                                                            \
    NEED(incx &&incy &&blas_fits(incx) && blas_fits(incy));                                                            \
    if (!n) return BLAS_OK;                                                                                            \
    blas_args a = {.routine = run_symv, .type = t, .n = n, .flag = hermitian, .types = {kind}};                        \
    a.uplo = blas_uplo(uplo);                                                                                          \
    a.b = blas_vector(x, incx);                                                                                        \
    a.c = blas_vector(y, incy);                                                                                        \
    a.alpha = blas_scalar_of(h, alpha, t);                                                                             \
    a.beta = blas_scalar_of(h, beta, t);

#define SYMV_OF(symbol, t, INT, hermitian)                                                                             \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int uplo, INT n, const void *alpha, const void *A, INT lda, const void *x, INT incx,             \
     const void *beta, void *y, INT incy)                                                                              \
    {                                                                                                                  \
        SYMV_BODY(t, DENSE, hermitian)                                                                                 \
        NEED(blas_ld(lda, n));                                                                                         \
        a.a = blas_matrix(A, lda);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SBMV_OF(symbol, t, INT, hermitian)                                                                             \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int uplo, INT n, INT k, const void *alpha, const void *A, INT lda, const void *x, INT incx,      \
     const void *beta, void *y, INT incy)                                                                              \
    {                                                                                                                  \
        SYMV_BODY(t, BANDED, hermitian)                                                                                \
        NEED(blas_size(k) && blas_ld(lda, k + 1));                                                                     \
        a.k = k;                                                                                                       \
        a.a = blas_matrix(A, lda);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SPMV_OF(symbol, t, INT, hermitian)                                                                             \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int uplo, INT n, const void *alpha, const void *AP, const void *x, INT incx, const void *beta,   \
     void *y, INT incy)                                                                                                \
    {                                                                                                                  \
        SYMV_BODY(t, PACKED, hermitian)                                                                                \
        a.a = blas_matrix(AP, 1);                                                                                      \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SYMV(symbol, t, INT) SYMV_OF(symbol, t, INT, false)
#define HEMV(symbol, t, INT) SYMV_OF(symbol, t, INT, true)
#define SBMV(symbol, t, INT) SBMV_OF(symbol, t, INT, false)
#define HBMV(symbol, t, INT) SBMV_OF(symbol, t, INT, true)
#define SPMV(symbol, t, INT) SPMV_OF(symbol, t, INT, false)
#define HPMV(symbol, t, INT) SPMV_OF(symbol, t, INT, true)
TYPES_V2(SYMV, symv)
COMPLEX_V2(HEMV, hemv)
REALS_V2(SBMV, sbmv)
COMPLEX_V2(HBMV, hbmv)
REALS_V2(SPMV, spmv)
COMPLEX_V2(HPMV, hpmv)

/* ---------------------------------------------------------------- updates of rank 1 and 2 */
static void run_ger(host_library *l, const blas_args *a)
{
    size_t size = blas_type_bytes[a->type];
    int m = as_int(a->m), n = as_int(a->n), lda = as_int(a->a.ld), incx = as_int(a->b.ld), incy = as_int(a->c.ld);
    const void *alpha = blas_use_scalar(l, &a->alpha, a->type);
    const void *x = blas_use_vector(l, &a->b, 0, size, m, HOST_LIBRARY_READS);
    const void *y = blas_use_vector(l, &a->c, 0, size, n, HOST_LIBRARY_READS);
    void *matrix = blas_use_matrix(l, &a->a, 0, size, m, n, HOST_LIBRARY_UPDATES);
    const char *name = !blas_is_complex(a->type) ? "ger" : a->flag ? "gerc" : "geru";
    if (alpha && x && y && matrix) blas_host(a->type, name)(&m, &n, alpha, x, &incx, y, &incy, matrix, &lda);
}

#define GER_OF(symbol, t, INT, conjugated)                                                                             \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, INT m, INT n, const void *alpha, const void *x, INT incx, const void *y, INT incy, void *A,      \
     INT lda)                                                                                                          \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(blas_size(m) && blas_size(n) && alpha && blas_ld(lda, m));                                                \
        NEED(incx &&incy &&blas_fits(incx) && blas_fits(incy));                                                        \
        if (!m || !n) return BLAS_OK;                                                                                  \
        blas_args a = {.routine = run_ger, .type = t, .m = m, .n = n, .flag = conjugated};                             \
        a.a = blas_matrix(A, lda);                                                                                     \
        a.b = blas_vector(x, incx);                                                                                    \
        a.c = blas_vector(y, incy);                                                                                    \
        a.alpha = blas_scalar_of(h, alpha, t);                                                                         \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define GER(symbol, t, INT) GER_OF(symbol, t, INT, false)
#define GERC(symbol, t, INT) GER_OF(symbol, t, INT, true)
REALS_V2(GER, ger)
COMPLEX_V2(GER, geru)
COMPLEX_V2(GERC, gerc)

/* flag: Hermitian; types: storage, rank, and of alpha. csyr and zsyr are of LAPACK; csyr2 and zsyr2 are in blas_rest.c. */
static void run_syr(host_library *l, const blas_args *a)
{
    static const char *const names[2][2][2] = {{{"syr", "spr"}, {"syr2", "spr2"}}, {{"her", "hpr"}, {"her2", "hpr2"}}};
    storage kind = (storage)a->types[0];
    int rank = a->types[1];
    size_t size = blas_type_bytes[a->type], one = 1;
    int n = as_int(a->n), lda = as_int(a->a.ld), incx = as_int(a->b.ld), incy = as_int(a->c.ld);
    const void *alpha = blas_use_scalar(l, &a->alpha, (blas_type)a->types[2]);
    const void *x = blas_use_vector(l, &a->b, 0, size, n, HOST_LIBRARY_READS);
    const void *y = rank == 2 ? blas_use_vector(l, &a->c, 0, size, n, HOST_LIBRARY_READS) : x;
    void *matrix = use_stored(l, a, kind, n, n, HOST_LIBRARY_UPDATES);
    blas_function f = blas_host(a->type, names[a->flag][rank - 1][kind == PACKED]);
    if (!f) host_library_fail(l, "the host's BLAS lacks it: install OpenBLAS");
    if (!f || !alpha || !x || !y || !matrix) return;
    if (rank == 1 && kind == DENSE) f(&a->uplo, &n, alpha, x, &incx, matrix, &lda, one);
    else if (rank == 1) f(&a->uplo, &n, alpha, x, &incx, matrix, one);
    else if (kind == DENSE) f(&a->uplo, &n, alpha, x, &incx, y, &incy, matrix, &lda, one);
    else f(&a->uplo, &n, alpha, x, &incx, y, &incy, matrix, one);
}

#define SYR_BODY(t, kind, rank, hermitian, scalar)                                                                     \
    NEED_HANDLE;                                                                                                       \
    NEED(blas_uplo(uplo) && blas_size(n) && alpha && incx && blas_fits(incx));                                         \
    if (!n) return BLAS_OK;                                                                                            \
    blas_args a = {.routine = run_syr, .type = t, .n = n, .flag = hermitian, .types = {kind, rank, scalar}};           \
    a.uplo = blas_uplo(uplo);                                                                                          \
    a.b = blas_vector(x, incx);                                                                                        \
    a.alpha = blas_scalar_of(h, alpha, scalar);

#define SYR_OF(symbol, t, INT, hermitian, scalar)                                                                      \
    CUBLAS(symbol)(blas_handle * h, int uplo, INT n, const void *alpha, const void *x, INT incx, void *A, INT lda)     \
    {                                                                                                                  \
        SYR_BODY(t, DENSE, 1, hermitian, scalar)                                                                       \
        NEED(blas_ld(lda, n));                                                                                         \
        a.a = blas_matrix(A, lda);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SPR_OF(symbol, t, INT, hermitian, scalar)                                                                      \
    CUBLAS(symbol)(blas_handle * h, int uplo, INT n, const void *alpha, const void *x, INT incx, void *AP)             \
    {                                                                                                                  \
        SYR_BODY(t, PACKED, 1, hermitian, scalar)                                                                      \
        a.a = blas_matrix(AP, 1);                                                                                      \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SYR2_OF(symbol, t, INT, hermitian)                                                                             \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int uplo, INT n, const void *alpha, const void *x, INT incx, const void *y, INT incy, void *A,   \
     INT lda)                                                                                                          \
    {                                                                                                                  \
        SYR_BODY(t, DENSE, 2, hermitian, t)                                                                            \
        NEED(blas_ld(lda, n) && incy && blas_fits(incy));                                                              \
        a.a = blas_matrix(A, lda);                                                                                     \
        a.c = blas_vector(y, incy);                                                                                    \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SPR2_OF(symbol, t, INT, hermitian)                                                                             \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int uplo, INT n, const void *alpha, const void *x, INT incx, const void *y, INT incy, void *AP)  \
    {                                                                                                                  \
        SYR_BODY(t, PACKED, 2, hermitian, t)                                                                           \
        NEED(incy &&blas_fits(incy));                                                                                  \
        a.a = blas_matrix(AP, 1);                                                                                      \
        a.c = blas_vector(y, incy);                                                                                    \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SYR(symbol, t, INT) SYR_OF(symbol, t, INT, false, t)
#define HER(symbol, t, INT) SYR_OF(symbol, t, INT, true, (t - 2))
#define SPR(symbol, t, INT) SPR_OF(symbol, t, INT, false, t)
#define HPR(symbol, t, INT) SPR_OF(symbol, t, INT, true, (t - 2))
#define SYR2(symbol, t, INT) SYR2_OF(symbol, t, INT, false)
#define HER2(symbol, t, INT) SYR2_OF(symbol, t, INT, true)
#define SPR2(symbol, t, INT) SPR2_OF(symbol, t, INT, false)
#define HPR2(symbol, t, INT) SPR2_OF(symbol, t, INT, true)
TYPES_V2(SYR, syr)
COMPLEX_V2(HER, her)
REALS_V2(SPR, spr)
COMPLEX_V2(HPR, hpr)
REALS_V2(SYR2, syr2)
COMPLEX_V2(HER2, her2)
REALS_V2(SPR2, spr2)
COMPLEX_V2(HPR2, hpr2)
