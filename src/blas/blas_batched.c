/* Batches of small systems: LU factorisation with and without pivots, solution, inverse. The host's LAPACK does them, which
 * OpenBLAS holds. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_entry.h"

static size_t size_of(const blas_args *a) { return blas_type_bytes[a->type]; }

/* Array of `count` ints of matrix n at the address in extra[which]; NULL with *out_ok: there is none. */
static int *use_ints(host_library *l, uint64_t address, int64_t n, int64_t count, host_library_access access, bool *ok)
{
    if (!address) return NULL;
    uint64_t bytes = (uint64_t)count * 4;
    int *out = host_library_use(l, (host_library_memory){address + (uint64_t)n * bytes, bytes, 1, bytes}, access);
    *ok = *ok && out;
    return out;
}

static void move_matrix(char *to, int64_t ld_to, const char *from, int64_t ld_from, int64_t n, size_t size)
{
    for (int64_t j = 0; j < n; j++)
        memmove(to + (size_t)(j * ld_to) * size, from + (size_t)(j * ld_from) * size, (size_t)n * size);
}

/* ---- LU without pivots: LAPACK has none. Column by column; *info: the first zero pivot, from 1. */
#define LU(T, suffix)                                                                                                  \
    static void lu_##suffix(T *a, int64_t ld, int64_t m, int64_t n, int *info)                                         \
    {                                                                                                                  \
        *info = 0;                                                                                                     \
        for (int64_t k = 0; k < LW_MIN(m, n); k++) {                                                                   \
            T pivot = a[k + k * ld];                                                                                   \
            if (pivot == 0 && !*info) *info = (int)k + 1;                                                              \
            if (pivot == 0) continue;                                                                                  \
            for (int64_t i = k + 1; i < m; i++) a[i + k * ld] /= pivot;                                                \
            for (int64_t j = k + 1; j < n; j++)                                                                        \
                for (int64_t i = k + 1; i < m; i++) a[i + j * ld] -= a[i + k * ld] * a[k + j * ld];                    \
        }                                                                                                              \
    }
LU(float, s)
LU(double, d)
LU(float _Complex, c)
LU(double _Complex, z)

void blas_lu_plain(blas_type type, void *matrix, int64_t ld, int64_t m, int64_t n, int *info)
{
    switch (type) {
    case BLAS_S: lu_s(matrix, ld, m, n, info); break;
    case BLAS_D: lu_d(matrix, ld, m, n, info); break;
    case BLAS_C: lu_c(matrix, ld, m, n, info); break;
    case BLAS_Z: lu_z(matrix, ld, m, n, info); break;
    }
}

static blas_function lapack(host_library *l, blas_type type, const char *name)
{
    blas_function f = blas_host(type, name);
    if (!f) host_library_fail(l, "the host's BLAS holds no LAPACK: install OpenBLAS");
    return f;
}

/* extra: pivots, infos */
static void run_getrf(host_library *l, const blas_args *a)
{
    int n = (int)a->n, lda = (int)a->a.ld;
    blas_function getrf = lapack(l, a->type, "getrf");
    for (int64_t i = 0; getrf && i < a->batch; i++) {
        bool ok = true;
        void *A = blas_use_matrix(l, &a->a, i, size_of(a), n, n, HOST_LIBRARY_UPDATES);
        int *pivots = use_ints(l, a->extra[0], i, n, HOST_LIBRARY_WRITES, &ok);
        int *info = use_ints(l, a->extra[1], i, 1, HOST_LIBRARY_WRITES, &ok);
        if (!A || !ok) return;
        if (pivots) getrf(&n, &n, A, &lda, pivots, info);
        else blas_lu_plain(a->type, A, lda, n, n, info);
    }
}

#define GETRF(symbol, t)                                                                                               \
    CUBLAS(symbol)(blas_handle * h, int n, void *A, int lda, int *pivots, int *info, int count)                        \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(blas_size(n) && blas_ld(lda, n) && count >= 0 && info);                                                   \
        if (!n) return BLAS_OK;                                                                                        \
        blas_args a = {.routine = run_getrf, .type = t, .n = n, .a = blas_matrix(A, lda), .batch = count};             \
        a.a.pointers = true;                                                                                           \
        a.extra[0] = (uint64_t)(uintptr_t)pivots;                                                                      \
        a.extra[1] = (uint64_t)(uintptr_t)info;                                                                        \
        return blas_put(h, &a, __func__);                                                                              \
    }
GETRF(cublasSgetrfBatched, BLAS_S)
GETRF(cublasDgetrfBatched, BLAS_D)
GETRF(cublasCgetrfBatched, BLAS_C)
GETRF(cublasZgetrfBatched, BLAS_Z)

/* Pivots that change nothing, where a call has none. */
static int *identity(int n)
{
    int *out = lw_alloc(LW_MAX((size_t)n, 1u) * sizeof *out);
    for (int i = 0; i < n; i++) out[i] = i + 1;
    return out;
}

static void run_getrs(host_library *l, const blas_args *a) /* extra: pivots */
{
    int n = (int)a->n, columns = (int)a->m, lda = (int)a->a.ld, ldb = (int)a->b.ld, info;
    blas_function getrs = lapack(l, a->type, "getrs");
    int *none = identity(n);
    for (int64_t i = 0; getrs && i < a->batch; i++) {
        bool ok = true;
        const void *A = blas_use_matrix(l, &a->a, i, size_of(a), n, n, HOST_LIBRARY_READS);
        void *B = blas_use_matrix(l, &a->b, i, size_of(a), n, columns, HOST_LIBRARY_UPDATES);
        const int *pivots = use_ints(l, a->extra[0], i, n, HOST_LIBRARY_READS, &ok);
        if (!A || !B || !ok) break;
        getrs(&a->trans_a, &n, &columns, A, &lda, pivots ? pivots : none, B, &ldb, &info, (size_t)1);
    }
    free(none);
}

#define GETRS(symbol, t)                                                                                               \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op, int n, int columns, const void *A, int lda, const int *pivots, void *B, int ldb,         \
     int *info, int count)                                                                                             \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(blas_trans(op) && op != BLAS_OP_CONJG && info);                                                           \
        *info = !blas_size(n) ? -2 : !blas_size(columns) ? -3 : !blas_ld(lda, n) ? -5 : !blas_ld(ldb, n) ? -8 : 0;     \
        NEED(!*info && count >= 0);                                                                                    \
        if (!n || !columns) return BLAS_OK;                                                                            \
        blas_args a = {.routine = run_getrs, .type = t, .n = n, .m = columns, .batch = count};                         \
        a.trans_a = blas_trans(op);                                                                                    \
        a.a = blas_matrix(A, lda);                                                                                     \
        a.b = blas_matrix(B, ldb);                                                                                     \
        a.a.pointers = a.b.pointers = true;                                                                            \
        a.extra[0] = (uint64_t)(uintptr_t)pivots;                                                                      \
        return blas_put(h, &a, __func__);                                                                              \
    }
GETRS(cublasSgetrsBatched, BLAS_S)
GETRS(cublasDgetrsBatched, BLAS_D)
GETRS(cublasCgetrsBatched, BLAS_C)
GETRS(cublasZgetrsBatched, BLAS_Z)

/* The inverse of A into C; flag: A is not factorised yet, and stays as it is. extra: pivots, infos. */
static void run_getri(host_library *l, const blas_args *a)
{
    int n = (int)a->n, ldc = (int)a->c.ld, room = LW_MAX(64 * n, 1);
    blas_function getrf = lapack(l, a->type, "getrf"), getri = getrf ? lapack(l, a->type, "getri") : NULL;
    int *own = identity(n);
    void *work = lw_alloc((size_t)room * size_of(a));
    for (int64_t i = 0; getri && i < a->batch; i++) {
        bool ok = true;
        const void *A = blas_use_matrix(l, &a->a, i, size_of(a), n, n, HOST_LIBRARY_READS);
        void *C = blas_use_matrix(l, &a->c, i, size_of(a), n, n, HOST_LIBRARY_WRITES);
        const int *pivots = use_ints(l, a->extra[0], i, n, HOST_LIBRARY_READS, &ok);
        int *info = use_ints(l, a->extra[1], i, 1, HOST_LIBRARY_WRITES, &ok);
        if (!A || !C || !ok) break;
        move_matrix(C, ldc, A, a->a.ld, n, size_of(a));
        *info = 0;
        if (a->flag) getrf(&n, &n, C, &ldc, own, info);
        if (!*info) getri(&n, C, &ldc, pivots ? pivots : own, work, &room, info);
    }
    free(own);
    free(work);
}

#define INVERSE_BODY(t, whole)                                                                                         \
    NEED_HANDLE;                                                                                                       \
    NEED(blas_size(n) && blas_ld(lda, n) && blas_ld(ldc, n) && count >= 0 && info);                                    \
    if (!n) return BLAS_OK;                                                                                            \
    blas_args a = {.routine = run_getri, .type = t, .n = n, .batch = count, .flag = whole};                            \
    a.a = blas_matrix(A, lda);                                                                                         \
    a.c = blas_matrix(C, ldc);                                                                                         \
    a.a.pointers = a.c.pointers = true;                                                                                \
    a.extra[1] = (uint64_t)(uintptr_t)info;
#define GETRI(symbol, t)                                                                                               \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int n, const void *A, int lda, const int *pivots, void *C, int ldc, int *info, int count)        \
    {                                                                                                                  \
        INVERSE_BODY(t, false)                                                                                         \
        a.extra[0] = (uint64_t)(uintptr_t)pivots;                                                                      \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define LARGEST_INVERSE 32 /* of matinvBatched, as documented */
#define MATINV(symbol, t)                                                                                              \
    CUBLAS(symbol)(blas_handle * h, int n, const void *A, int lda, void *C, int ldc, int *info, int count)             \
    {                                                                                                                  \
        INVERSE_BODY(t, true)                                                                                          \
        NEED(n <= LARGEST_INVERSE);                                                                                    \
        return blas_put(h, &a, __func__);                                                                              \
    }
GETRI(cublasSgetriBatched, BLAS_S)
GETRI(cublasDgetriBatched, BLAS_D)
GETRI(cublasCgetriBatched, BLAS_C)
GETRI(cublasZgetriBatched, BLAS_Z)
MATINV(cublasSmatinvBatched, BLAS_S)
MATINV(cublasDmatinvBatched, BLAS_D)
MATINV(cublasCmatinvBatched, BLAS_C)
MATINV(cublasZmatinvBatched, BLAS_Z)
