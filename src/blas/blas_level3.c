/* Level 3 but for products: symmetric, Hermitian and triangular matrices, and cuBLAS's own geam and dgmm. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas_entry.h"

static int as_int(int64_t n) { return (int)n; }
static size_t size_of(const blas_args *a) { return blas_type_bytes[a->type]; }
static const size_t one = 1; /* length of a letter: Fortran's hidden arguments */

/* C is read unless beta is 0. */
static host_library_access access_of(const void *beta, blas_type type)
{
    return blas_is_zero(beta, type) ? HOST_LIBRARY_WRITES : HOST_LIBRARY_UPDATES;
}

/* ---------------------------------------------------------------- symm, hemm */
static void run_symm(host_library *l, const blas_args *a) /* flag: Hermitian */
{
    const void *alpha = blas_use_scalar(l, &a->alpha, a->type), *beta = blas_use_scalar(l, &a->beta, a->type);
    if (!alpha || !beta) return;
    int m = as_int(a->m), n = as_int(a->n), lda = as_int(a->a.ld), ldb = as_int(a->b.ld), ldc = as_int(a->c.ld);
    int order = a->side == 'L' ? m : n;
    const void *A = blas_use_matrix(l, &a->a, 0, size_of(a), order, order, HOST_LIBRARY_READS);
    const void *B = blas_use_matrix(l, &a->b, 0, size_of(a), m, n, HOST_LIBRARY_READS);
    void *C = blas_use_matrix(l, &a->c, 0, size_of(a), m, n, access_of(beta, a->type));
    if (A && B && C)
        blas_host(a->type, a->flag ? "hemm" : "symm")(&a->side, &a->uplo, &m, &n, alpha, A, &lda, B, &ldb, beta, C,
                                                      &ldc, one, one);
}

#define SYMM_OF(symbol, t, INT, hermitian)                                                                             \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int side, int uplo, INT m, INT n, const void *alpha, const void *A, INT lda, const void *B,      \
     INT ldb, const void *beta, void *C, INT ldc)                                                                      \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(blas_side(side) && blas_uplo(uplo) && blas_size(m) && blas_size(n) && alpha && beta);                     \
        NEED(blas_ld(lda, side == BLAS_LEFT ? m : n) && blas_ld(ldb, m) && blas_ld(ldc, m));                           \
        if (!m || !n) return BLAS_OK;                                                                                  \
        blas_args a = {.routine = run_symm, .type = t, .m = m, .n = n, .flag = hermitian};                             \
        a.side = blas_side(side);                                                                                      \
        a.uplo = blas_uplo(uplo);                                                                                      \
        a.a = blas_matrix(A, lda);                                                                                     \
        a.b = blas_matrix(B, ldb);                                                                                     \
        a.c = blas_matrix(C, ldc);                                                                                     \
        a.alpha = blas_scalar_of(h, alpha, t);                                                                         \
        a.beta = blas_scalar_of(h, beta, t);                                                                           \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SYMM(symbol, t, INT) SYMM_OF(symbol, t, INT, false)
#define HEMM(symbol, t, INT) SYMM_OF(symbol, t, INT, true)
TYPES_V2(SYMM, symm)
COMPLEX_V2(HEMM, hemm)

/* ---------------------------------------------------------------- syrk, herk, syr2k, her2k, syrkx, herkx */
typedef enum rank_kind { RANK_K, RANK_2K, RANK_KX } rank_kind;

static const char *rank_name(const blas_args *a)
{
    bool two = a->types[0] == RANK_2K;
    return a->flag ? (two ? "her2k" : "herk") : two ? "syr2k" : "syrk";
}

/* C = alpha op(A) op(B)^T + beta C in one triangle: the whole product, of which the triangle is kept. */
static void run_kx(const blas_args *a, const void *alpha, const void *beta, const char *A, const char *B, char *C)
{
    int n = as_int(a->n), k = as_int(a->k), lda = as_int(a->a.ld), ldb = as_int(a->b.ld), ldc = as_int(a->c.ld);
    char other = a->flag ? 'C' : 'T';
    char ta = a->trans_a == 'N' ? 'N' : other, tb = a->trans_a == 'N' ? other : 'N';
    size_t size = size_of(a);
    char *all = lw_alloc((size_t)n * (size_t)n * size);
    union {
        float s[2];
        double d[2];
    } full_beta = {{0}}; /* real, for Hermitian ones */
    if (blas_real(a->type) == BLAS_S) memcpy(full_beta.s, beta, a->flag ? 4 : size);
    else memcpy(full_beta.d, beta, a->flag ? 8 : size);
    for (int j = 0; j < n; j++)
        memcpy(all + (size_t)j * (size_t)n * size, C + (size_t)j * (size_t)ldc * size, (size_t)n * size);
    blas_host(a->type, "gemm")(&ta, &tb, &n, &n, &k, alpha, A, &lda, B, &ldb, &full_beta, all, &n, one, one);
    for (int j = 0; j < n; j++) {
        int first = a->uplo == 'L' ? j : 0, end = a->uplo == 'L' ? n : j + 1;
        memcpy(C + ((size_t)j * (size_t)ldc + (size_t)first) * size,
               all + ((size_t)j * (size_t)n + (size_t)first) * size, (size_t)(end - first) * size);
    }
    free(all);
    for (int j = 0; a->flag && j < n; j++) { /* a Hermitian matrix's diagonal is real */
        char *at = C + ((size_t)j * (size_t)ldc + (size_t)j) * size + size / 2;
        memset(at, 0, size / 2);
    }
}

/* flag: Hermitian; types: the kind, of alpha, of beta. */
static void run_rank(host_library *l, const blas_args *a)
{
    const void *alpha = blas_use_scalar(l, &a->alpha, (blas_type)a->types[1]);
    const void *beta = blas_use_scalar(l, &a->beta, (blas_type)a->types[2]);
    if (!alpha || !beta) return;
    int n = as_int(a->n), k = as_int(a->k), lda = as_int(a->a.ld), ldb = as_int(a->b.ld), ldc = as_int(a->c.ld);
    bool plain = a->trans_a == 'N';
    const void *A = blas_use_matrix(l, &a->a, 0, size_of(a), plain ? n : k, plain ? k : n, HOST_LIBRARY_READS);
    const void *B = A;
    if (a->types[0] != RANK_K)
        B = blas_use_matrix(l, &a->b, 0, size_of(a), plain ? n : k, plain ? k : n, HOST_LIBRARY_READS);
    void *C = blas_use_matrix(l, &a->c, 0, size_of(a), n, n, HOST_LIBRARY_UPDATES);
    if (!A || !B || !C) return;
    blas_function f = blas_host(a->type, rank_name(a));
    if (a->types[0] == RANK_KX) run_kx(a, alpha, beta, A, B, C);
    else if (a->types[0] == RANK_K) f(&a->uplo, &a->trans_a, &n, &k, alpha, A, &lda, beta, C, &ldc, one, one);
    else f(&a->uplo, &a->trans_a, &n, &k, alpha, A, &lda, B, &ldb, beta, C, &ldc, one, one);
}

/* Hermitian updates take 'C' for transposed, symmetric ones 'T'. */
static char rank_trans(int op, bool hermitian, blas_type type)
{
    if (op == BLAS_OP_N) return 'N';
    if (op == BLAS_OP_T && !hermitian) return 'T';
    return op == BLAS_OP_C && (hermitian || !blas_is_complex(type)) ? (hermitian ? 'C' : 'T') : 0;
}

#define RANK_BODY(t, kind, hermitian, alpha_type, beta_type)                                                           \
    NEED_HANDLE;                                                                                                       \
    NEED(blas_uplo(uplo) && rank_trans(op, hermitian, t) && blas_size(n) && blas_size(k) && alpha && beta);            \
    NEED(blas_ld(lda, op == BLAS_OP_N ? n : k) && blas_ld(ldc, n));                                                    \
    if (!n) return BLAS_OK;                                                                                            \
    blas_args a = {.routine = run_rank, .type = t, .n = n, .k = k, .flag = hermitian};                                 \
    a.types[0] = (kind);                                                                                               \
    a.types[1] = (alpha_type);                                                                                         \
    a.types[2] = (beta_type);                                                                                          \
    a.uplo = blas_uplo(uplo);                                                                                          \
    a.trans_a = rank_trans(op, hermitian, t);                                                                          \
    a.a = blas_matrix(A, lda);                                                                                         \
    a.c = blas_matrix(C, ldc);                                                                                         \
    a.alpha = blas_scalar_of(h, alpha, alpha_type);                                                                    \
    a.beta = blas_scalar_of(h, beta, beta_type);

#define SYRK_OF(symbol, t, INT, hermitian, scalar)                                                                     \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int uplo, int op, INT n, INT k, const void *alpha, const void *A, INT lda, const void *beta,     \
     void *C, INT ldc)                                                                                                 \
    {                                                                                                                  \
        RANK_BODY(t, RANK_K, hermitian, scalar, scalar)                                                                \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SYR2K_OF(symbol, t, INT, kind, hermitian, beta_type)                                                           \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int uplo, int op, INT n, INT k, const void *alpha, const void *A, INT lda, const void *B,        \
     INT ldb, const void *beta, void *C, INT ldc)                                                                      \
    {                                                                                                                  \
        RANK_BODY(t, kind, hermitian, t, beta_type)                                                                    \
        NEED(blas_ld(ldb, op == BLAS_OP_N ? n : k));                                                                   \
        a.b = blas_matrix(B, ldb);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SYRK(symbol, t, INT) SYRK_OF(symbol, t, INT, false, t)
#define HERK(symbol, t, INT) SYRK_OF(symbol, t, INT, true, (t - 2))
#define SYR2K(symbol, t, INT) SYR2K_OF(symbol, t, INT, RANK_2K, false, t)
#define HER2K(symbol, t, INT) SYR2K_OF(symbol, t, INT, RANK_2K, true, (t - 2))
#define SYRKX(symbol, t, INT) SYR2K_OF(symbol, t, INT, RANK_KX, false, t)
#define HERKX(symbol, t, INT) SYR2K_OF(symbol, t, INT, RANK_KX, true, (t - 2))
TYPES_V2(SYRK, syrk)
COMPLEX_V2(HERK, herk)
TYPES_V2(SYR2K, syr2k)
COMPLEX_V2(HER2K, her2k)
TYPES(SYRKX, syrkx)
COMPLEX(HERKX, herkx)

/* ---------------------------------------------------------------- trmm, trsm */
/* In place on B; flag: solves. */
static void triangular(const blas_args *a, const void *alpha, const void *A, void *B, int ldb)
{
    int m = as_int(a->m), n = as_int(a->n), lda = as_int(a->a.ld);
    blas_host(a->type, a->flag ? "trsm" : "trmm")(&a->side, &a->uplo, &a->trans_a, &a->diag, &m, &n, alpha, A, &lda, B,
                                                  &ldb, one, one, one, one);
}

static void run_trmm(host_library *l, const blas_args *a) /* C = alpha op(A) B */
{
    int64_t order = a->side == 'L' ? a->m : a->n;
    size_t size = size_of(a);
    const void *alpha = blas_use_scalar(l, &a->alpha, a->type);
    const char *A = blas_use_matrix(l, &a->a, 0, size, order, order, HOST_LIBRARY_READS);
    const char *B = blas_use_matrix(l, &a->b, 0, size, a->m, a->n, HOST_LIBRARY_READS);
    char *C = blas_use_matrix(l, &a->c, 0, size, a->m, a->n, HOST_LIBRARY_WRITES);
    if (!alpha || !A || !B || !C) return;
    for (int64_t j = 0; j < a->n; j++)
        memmove(C + (size_t)(j * a->c.ld) * size, B + (size_t)(j * a->b.ld) * size, (size_t)a->m * size);
    triangular(a, alpha, A, C, as_int(a->c.ld));
}

static void run_trsm(host_library *l, const blas_args *a) /* op(A) X = alpha B, X over B */
{
    int64_t order = a->side == 'L' ? a->m : a->n;
    const void *alpha = blas_use_scalar(l, &a->alpha, a->type);
    if (!alpha) return;
    for (int64_t i = 0; i < a->batch; i++) {
        const void *A = blas_use_matrix(l, &a->a, i, size_of(a), order, order, HOST_LIBRARY_READS);
        void *B = blas_use_matrix(l, &a->b, i, size_of(a), a->m, a->n, HOST_LIBRARY_UPDATES);
        if (!A || !B) return;
        triangular(a, alpha, A, B, as_int(a->b.ld));
    }
}

#define TRIANGULAR_BODY(t, how)                                                                                        \
    NEED_HANDLE;                                                                                                       \
    NEED(blas_side(side) && blas_uplo(uplo) && blas_trans(op) && op != BLAS_OP_CONJG && blas_diag(diag));              \
    NEED(blas_size(m) && blas_size(n) && alpha && blas_ld(lda, side == BLAS_LEFT ? m : n) && blas_ld(ldb, m));         \
    if (!m || !n) return BLAS_OK;                                                                                      \
    blas_args a = {.routine = how, .type = t, .m = m, .n = n, .batch = 1};                                             \
    a.side = blas_side(side);                                                                                          \
    a.uplo = blas_uplo(uplo);                                                                                          \
    a.trans_a = blas_trans(op);                                                                                        \
    a.diag = blas_diag(diag);                                                                                          \
    a.a = blas_matrix(A, lda);                                                                                         \
    a.b = blas_matrix(B, ldb);                                                                                         \
    a.alpha = blas_scalar_of(h, alpha, t);

#define TRMM(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int side, int uplo, int op, int diag, INT m, INT n, const void *alpha, const void *A, INT lda,   \
     const void *B, INT ldb, void *C, INT ldc)                                                                         \
    {                                                                                                                  \
        TRIANGULAR_BODY(t, run_trmm)                                                                                   \
        NEED(blas_ld(ldc, m));                                                                                         \
        a.c = blas_matrix(C, ldc);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define TRSM(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int side, int uplo, int op, int diag, INT m, INT n, const void *alpha, const void *A, INT lda,   \
     void *B, INT ldb)                                                                                                 \
    {                                                                                                                  \
        TRIANGULAR_BODY(t, run_trsm)                                                                                   \
        a.flag = true;                                                                                                 \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define TRSM_BATCHED(symbol, t, INT)                                                                                   \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int side, int uplo, int op, int diag, INT m, INT n, const void *alpha, const void *A, INT lda,   \
     void *B, INT ldb, INT count)                                                                                      \
    {                                                                                                                  \
        TRIANGULAR_BODY(t, run_trsm)                                                                                   \
        NEED(count >= 0);                                                                                              \
        a.flag = true;                                                                                                 \
        a.batch = count;                                                                                               \
        a.a.pointers = a.b.pointers = true;                                                                            \
        return blas_put(h, &a, __func__);                                                                              \
    }
TYPES_V2(TRMM, trmm)
TYPES_V2(TRSM, trsm)
TYPES(TRSM_BATCHED, trsmBatched)

/* ---------------------------------------------------------------- geam, dgmm: one loop for each type */
#define ELEMENT(op, M, i, j, ld, conjugate)                                                                            \
    ((op) == 'N' ? (M)[(i) + (j) * (ld)] : (op) == 'T' ? (M)[(j) + (i) * (ld)] : conjugate((M)[(j) + (i) * (ld)]))
#define SAME(x) (x)

#define LOOPS(T, suffix, conjugate)                                                                                    \
    static void geam_##suffix(const blas_args *a, const T *alpha, const T *A, const T *beta, const T *B, T *C)         \
    {                                                                                                                  \
        for (int64_t j = 0; j < a->n; j++)                                                                             \
            for (int64_t i = 0; i < a->m; i++) {                                                                       \
                T x = *alpha != 0 ? *alpha * ELEMENT(a->trans_a, A, i, j, a->a.ld, conjugate) : 0;                     \
                T y = *beta != 0 ? *beta * ELEMENT(a->trans_b, B, i, j, a->b.ld, conjugate) : 0;                       \
                C[i + j * a->c.ld] = x + y;                                                                            \
            }                                                                                                          \
    }                                                                                                                  \
    static void dgmm_##suffix(const blas_args *a, const T *A, const T *x, T *C)                                        \
    {                                                                                                                  \
        int64_t count = a->side == 'L' ? a->m : a->n, step = a->b.ld;                                                  \
        int64_t first = step < 0 ? (1 - count) * step : 0;                                                             \
        for (int64_t j = 0; j < a->n; j++)                                                                             \
            for (int64_t i = 0; i < a->m; i++)                                                                         \
                C[i + j * a->c.ld] = A[i + j * a->a.ld] * x[first + (a->side == 'L' ? i : j) * step];                  \
    }
LOOPS(float, s, SAME)
LOOPS(double, d, SAME)
LOOPS(float _Complex, c, conjf)
LOOPS(double _Complex, z, conj)

static void run_geam(host_library *l, const blas_args *a)
{
    const void *alpha = blas_use_scalar(l, &a->alpha, a->type), *beta = blas_use_scalar(l, &a->beta, a->type);
    if (!alpha || !beta) return;
    bool plain_a = a->trans_a == 'N', plain_b = a->trans_b == 'N';
    static char nothing; /* a matrix that a zero factor leaves out may be no memory at all */
    const void *A = &nothing, *B = &nothing;
    if (!blas_is_zero(alpha, a->type))
        A = blas_use_matrix(l, &a->a, 0, size_of(a), plain_a ? a->m : a->n, plain_a ? a->n : a->m, HOST_LIBRARY_READS);
    if (!blas_is_zero(beta, a->type))
        B = blas_use_matrix(l, &a->b, 0, size_of(a), plain_b ? a->m : a->n, plain_b ? a->n : a->m, HOST_LIBRARY_READS);
    void *C = blas_use_matrix(l, &a->c, 0, size_of(a), a->m, a->n, HOST_LIBRARY_WRITES);
    if (!A || !B || !C) return;
    switch (a->type) {
    case BLAS_S: geam_s(a, alpha, A, beta, B, C); break;
    case BLAS_D: geam_d(a, alpha, A, beta, B, C); break;
    case BLAS_C: geam_c(a, alpha, A, beta, B, C); break;
    case BLAS_Z: geam_z(a, alpha, A, beta, B, C); break;
    }
}

#define GEAM(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op_a, int op_b, INT m, INT n, const void *alpha, const void *A, INT lda, const void *beta,   \
     const void *B, INT ldb, void *C, INT ldc)                                                                         \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(blas_trans(op_a) && blas_trans(op_b) && op_a != BLAS_OP_CONJG && op_b != BLAS_OP_CONJG);                  \
        NEED(blas_size(m) && blas_size(n) && alpha && beta && blas_ld(ldc, m));                                        \
        NEED(blas_ld(lda, op_a == BLAS_OP_N ? m : n) && blas_ld(ldb, op_b == BLAS_OP_N ? m : n));                      \
        NEED((C != A || (op_a == BLAS_OP_N && lda == ldc)) && (C != B || (op_b == BLAS_OP_N && ldb == ldc)));          \
        if (!m || !n) return BLAS_OK;                                                                                  \
        blas_args a = {.routine = run_geam, .type = t, .m = m, .n = n};                                                \
        a.trans_a = blas_trans(op_a);                                                                                  \
        a.trans_b = blas_trans(op_b);                                                                                  \
        a.a = blas_matrix(A, lda);                                                                                     \
        a.b = blas_matrix(B, ldb);                                                                                     \
        a.c = blas_matrix(C, ldc);                                                                                     \
        a.alpha = blas_scalar_of(h, alpha, t);                                                                         \
        a.beta = blas_scalar_of(h, beta, t);                                                                           \
        return blas_put(h, &a, __func__);                                                                              \
    }
TYPES(GEAM, geam)

static void run_dgmm(host_library *l, const blas_args *a)
{
    const void *A = blas_use_matrix(l, &a->a, 0, size_of(a), a->m, a->n, HOST_LIBRARY_READS);
    const void *x = blas_use_vector(l, &a->b, 0, size_of(a), a->side == 'L' ? a->m : a->n, HOST_LIBRARY_READS);
    void *C = blas_use_matrix(l, &a->c, 0, size_of(a), a->m, a->n, HOST_LIBRARY_WRITES);
    if (!A || !x || !C) return;
    switch (a->type) {
    case BLAS_S: dgmm_s(a, A, x, C); break;
    case BLAS_D: dgmm_d(a, A, x, C); break;
    case BLAS_C: dgmm_c(a, A, x, C); break;
    case BLAS_Z: dgmm_z(a, A, x, C); break;
    }
}

#define DGMM(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int side, INT m, INT n, const void *A, INT lda, const void *x, INT incx, void *C, INT ldc)       \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(blas_side(side) && blas_size(m) && blas_size(n) && blas_ld(lda, m) && blas_ld(ldc, m));                   \
        if (!m || !n) return BLAS_OK;                                                                                  \
        blas_args a = {.routine = run_dgmm, .type = t, .m = m, .n = n, .side = blas_side(side)};                       \
        a.a = blas_matrix(A, lda);                                                                                     \
        a.b = blas_vector(x, incx);                                                                                    \
        a.c = blas_matrix(C, ldc);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
TYPES(DGMM, dgmm)
