/* Batches of QR factorisations and least squares, by the host's LAPACK. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_entry.h"

static size_t size_of(const blas_args *a) { return blas_type_bytes[a->type]; }

static blas_function lapack(host_library *l, blas_type type, const char *name)
{
    blas_function f = blas_host(type, name);
    if (!f) host_library_fail(l, "the host's BLAS holds no LAPACK: install OpenBLAS");
    return f;
}

/* b: the factors of the reflections, min(m, n) of each matrix. */
static void run_geqrf(host_library *l, const blas_args *a)
{
    int m = (int)a->m, n = (int)a->n, lda = (int)a->a.ld, room = 64 * LW_MAX(n, 1), info;
    blas_function geqrf = lapack(l, a->type, "geqrf");
    void *work = lw_alloc((size_t)room * size_of(a));
    for (int64_t i = 0; geqrf && i < a->batch; i++) {
        void *A = blas_use_matrix(l, &a->a, i, size_of(a), m, n, HOST_LIBRARY_UPDATES);
        void *tau = blas_use_vector(l, &a->b, i, size_of(a), LW_MIN(m, n), HOST_LIBRARY_WRITES);
        if (!A || !tau) break;
        geqrf(&m, &n, A, &lda, tau, work, &room, &info);
    }
    free(work);
}

#define GEQRF(symbol, t)                                                                                               \
    CUBLAS(symbol)(blas_handle * h, int m, int n, void *A, int lda, void *tau, int *info, int count)                   \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(info);                                                                                                    \
        *info = m < 0 ? -1 : n < 0 ? -2 : !blas_ld(lda, m) ? -4 : count < 0 ? -7 : 0;                                  \
        NEED(!*info);                                                                                                  \
        if (!m || !n) return BLAS_OK;                                                                                  \
        blas_args a = {.routine = run_geqrf, .type = t, .m = m, .n = n, .batch = count, .a = blas_matrix(A, lda)};     \
        a.b = blas_vector(tau, 1);                                                                                     \
        a.a.pointers = a.b.pointers = true;                                                                            \
        return blas_put(h, &a, __func__);                                                                              \
    }
GEQRF(cublasSgeqrfBatched, BLAS_S)
GEQRF(cublasDgeqrfBatched, BLAS_D)
GEQRF(cublasCgeqrfBatched, BLAS_C)
GEQRF(cublasZgeqrfBatched, BLAS_Z)

/* m equations for n unknowns, k right sides in b. extra[0]: where the infos of the matrices go, 0: nowhere. */
static void run_gels(host_library *l, const blas_args *a)
{
    int m = (int)a->m, n = (int)a->n, k = (int)a->k, lda = (int)a->a.ld, ldb = (int)a->b.ld;
    int room = m + 64 * LW_MAX(LW_MAX(n, k), 1), info;
    blas_function gels = lapack(l, a->type, "gels");
    void *work = lw_alloc((size_t)room * size_of(a));
    for (int64_t i = 0; gels && i < a->batch; i++) {
        void *A = blas_use_matrix(l, &a->a, i, size_of(a), m, n, HOST_LIBRARY_UPDATES);
        void *B = blas_use_matrix(l, &a->b, i, size_of(a), m, k, HOST_LIBRARY_UPDATES);
        host_library_memory slot = {a->extra[0] + (uint64_t)i * 4, 4, 1, 4};
        int *to = a->extra[0] ? host_library_use(l, slot, HOST_LIBRARY_WRITES) : &info;
        if (!A || !B || !to) break;
        gels(&a->trans_a, &m, &n, &k, A, &lda, B, &ldb, work, &room, &info, (size_t)1);
        *to = info;
    }
    free(work);
}

#define GELS(symbol, t)                                                                                                \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op, int m, int n, int k, void *A, int lda, void *B, int ldb, int *info, int *infos,          \
     int count)                                                                                                        \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(info);                                                                                                    \
        *info = m < 0              ? -2                                                                                \
                : n < 0            ? -3                                                                                \
                : k < 0            ? -4                                                                                \
                : !blas_ld(lda, m) ? -6                                                                                \
                : !blas_ld(ldb, m) ? -8                                                                                \
                : count < 0        ? -11                                                                               \
                                   : 0;                                                                                       \
        NEED(!*info);                                                                                                  \
        if (op != BLAS_OP_N || m < n) return blas_end(BLAS_NOT_SUPPORTED); /* as documented */                         \
        if (!n || !k) return BLAS_OK;                                                                                  \
        blas_args a = {.routine = run_gels, .type = t, .m = m, .n = n, .k = k, .batch = count, .trans_a = 'N'};        \
        a.a = blas_matrix(A, lda);                                                                                     \
        a.b = blas_matrix(B, ldb);                                                                                     \
        a.a.pointers = a.b.pointers = true;                                                                            \
        a.extra[0] = (uint64_t)(uintptr_t)infos;                                                                       \
        return blas_put(h, &a, __func__);                                                                              \
    }
GELS(cublasSgelsBatched, BLAS_S)
GELS(cublasDgelsBatched, BLAS_D)
GELS(cublasCgelsBatched, BLAS_C)
GELS(cublasZgelsBatched, BLAS_Z)
