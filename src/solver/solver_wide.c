/* The entry points whose sizes have 64 bits and whose types are arguments, and the small objects that calls take. */
#include <stdlib.h>

#include "blas/blas_entry.h"
#include "solver/solver.h"

#define AT(pointer) ((uint64_t)(uintptr_t)(pointer))

/* cudaDataType to the type of a matrix. */
static bool type_of(int data, blas_type *out)
{
    static const int types[] = {0, 1, 4, 5}; /* CUDA_R_32F, R_64F, C_32F, C_64F */
    for (size_t i = 0; i < LW_COUNT(types); i++)
        if (types[i] == data) {
            *out = (blas_type)i;
            return true;
        }
    return false;
}

/* How each of these calls begins: types (the first is the matrix's, others equal to it, or its real one), then what must hold. */
#define BEGIN(data, condition)                                                                                         \
    solver_call c = {.batch = 1};                                                                                      \
    if (!solver_valid(h)) return solver_end(SOLVER_NOT_INITIALIZED);                                                   \
    if (!type_of(data, &c.type)) return solver_end(SOLVER_NOT_SUPPORTED);                                              \
    if (!(condition)) return solver_end(SOLVER_INVALID_VALUE);                                                         \
    (void)params
#define END(work) return solver_put(h, &c, work, __func__)
#define ROOM_ARGS size_t *out_device, size_t *out_host
#define WORK_ARGS void *device, size_t device_bytes, void *host, size_t host_bytes, int *info
#define NO_WORK (void)device, (void)device_bytes, (void)host, (void)host_bytes

static int room(solver_handle *h, bool ok, ROOM_ARGS, const char *function)
{
    if (!solver_valid(h)) return solver_end_call(SOLVER_NOT_INITIALIZED, function);
    if (!ok || !out_device || !out_host) return solver_end_call(SOLVER_INVALID_VALUE, function);
    *out_device = *out_host = 16; /* not used; programs expect some */
    return SOLVER_OK;
}

SOLVER(cusolverDnXpotrf_bufferSize)
(solver_handle *h, void *params, int fill, int64_t n, int type, const void *a, int64_t lda, int compute, ROOM_ARGS)
{
    (void)params, (void)type, (void)a, (void)compute;
    return room(h, blas_uplo(fill) && blas_size(n) && blas_ld(lda, n), out_device, out_host, __func__);
}
SOLVER(cusolverDnXpotrf)
(solver_handle *h, void *params, int fill, int64_t n, int type, void *a, int64_t lda, int compute, WORK_ARGS)
{
    BEGIN(type, compute == type && blas_uplo(fill) && blas_size(n) && blas_ld(lda, n));
    NO_WORK;
    c.uplo = blas_uplo(fill), c.n = n, c.a = blas_matrix(a, lda), c.info = AT(info);
    END(solver_potrf);
}
SOLVER(cusolverDnXpotrs)
(solver_handle *h, void *params, int fill, int64_t n, int64_t columns, int type, const void *a, int64_t lda, int type_b,
 void *b, int64_t ldb, int *info)
{
    BEGIN(type, type_b == type && blas_uplo(fill) && blas_size(n) && blas_size(columns) && blas_ld(lda, n) &&
                    blas_ld(ldb, n));
    c.uplo = blas_uplo(fill), c.n = n, c.m = columns, c.a = blas_matrix(a, lda), c.b = blas_matrix(b, ldb);
    c.info = AT(info);
    END(solver_potrs);
}

SOLVER(cusolverDnXgetrf_bufferSize)
(solver_handle *h, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda, int compute, ROOM_ARGS)
{
    (void)params, (void)type, (void)a, (void)compute;
    return room(h, blas_size(m) && blas_size(n) && blas_ld(lda, m), out_device, out_host, __func__);
}
SOLVER(cusolverDnXgetrf)
(solver_handle *h, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivots, int compute,
 WORK_ARGS)
{
    BEGIN(type, compute == type && blas_size(m) && blas_size(n) && blas_ld(lda, m));
    NO_WORK;
    c.m = m, c.n = n, c.a = blas_matrix(a, lda), c.pivots = AT(pivots), c.wide = true, c.info = AT(info);
    END(solver_getrf);
}
SOLVER(cusolverDnXgetrs)
(solver_handle *h, void *params, int op, int64_t n, int64_t columns, int type, const void *a, int64_t lda,
 const int64_t *pivots, int type_b, void *b, int64_t ldb, int *info)
{
    BEGIN(type,
          type_b == type && blas_trans(op) && blas_size(n) && blas_size(columns) && blas_ld(lda, n) && blas_ld(ldb, n));
    c.trans = blas_trans(op), c.n = n, c.m = columns, c.a = blas_matrix(a, lda), c.b = blas_matrix(b, ldb);
    c.pivots = AT(pivots), c.wide = true, c.info = AT(info);
    END(solver_getrs);
}

SOLVER(cusolverDnXgeqrf_bufferSize)
(solver_handle *h, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda, int type_tau,
 const void *tau, int compute, ROOM_ARGS)
{
    (void)params, (void)type, (void)a, (void)type_tau, (void)tau, (void)compute;
    return room(h, blas_size(m) && blas_size(n) && blas_ld(lda, m), out_device, out_host, __func__);
}
SOLVER(cusolverDnXgeqrf)
(solver_handle *h, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int type_tau, void *tau,
 int compute, WORK_ARGS)
{
    BEGIN(type, compute == type && type_tau == type && blas_size(m) && blas_size(n) && blas_ld(lda, m));
    NO_WORK;
    c.m = m, c.n = n, c.a = blas_matrix(a, lda), c.factors = AT(tau), c.info = AT(info);
    END(solver_geqrf);
}

SOLVER(cusolverDnXsyevd_bufferSize)
(solver_handle *h, void *params, int job, int fill, int64_t n, int type, const void *a, int64_t lda, int type_w,
 const void *w, int compute, ROOM_ARGS)
{
    (void)params, (void)job, (void)type, (void)a, (void)type_w, (void)w, (void)compute;
    return room(h, blas_uplo(fill) && blas_size(n) && blas_ld(lda, n), out_device, out_host, __func__);
}
SOLVER(cusolverDnXsyevd)
(solver_handle *h, void *params, int job, int fill, int64_t n, int type, void *a, int64_t lda, int type_w, void *w,
 int compute, WORK_ARGS)
{
    BEGIN(type, compute == type && type_w == (type & 1) && blas_uplo(fill) && blas_size(n) && blas_ld(lda, n));
    NO_WORK;
    c.job = job ? 'V' : 'N', c.uplo = blas_uplo(fill), c.n = n, c.a = blas_matrix(a, lda), c.values = AT(w);
    c.info = AT(info);
    END(solver_syevd);
}

SOLVER(cusolverDnXgesvd_bufferSize)
(solver_handle *h, void *params, signed char job_u, signed char job_v, int64_t m, int64_t n, int type, const void *a,
 int64_t lda, int type_s, const void *s, int type_u, const void *u, int64_t ldu, int type_v, const void *vt,
 int64_t ldvt, int compute, ROOM_ARGS)
{
    (void)params, (void)job_u, (void)job_v, (void)type, (void)a, (void)type_s, (void)s, (void)type_u, (void)u;
    (void)ldu, (void)type_v, (void)vt, (void)ldvt, (void)compute;
    return room(h, blas_size(n) && blas_size(m) && m >= n && blas_ld(lda, m), out_device, out_host, __func__);
}
SOLVER(cusolverDnXgesvd)
(solver_handle *h, void *params, signed char job_u, signed char job_v, int64_t m, int64_t n, int type, void *a,
 int64_t lda, int type_s, void *s, int type_u, void *u, int64_t ldu, int type_v, void *vt, int64_t ldvt, int compute,
 WORK_ARGS)
{
    BEGIN(type, compute == type && type_u == type && type_v == type && type_s == (type & 1) && blas_size(n) &&
                    blas_size(m) && m >= n && blas_ld(lda, m));
    NO_WORK;
    c.job = job_u, c.job_right = job_v, c.m = m, c.n = n, c.a = blas_matrix(a, lda), c.values = AT(s);
    c.u = blas_matrix(u, ldu), c.v = blas_matrix(vt, ldvt), c.info = AT(info);
    END(solver_gesvd);
}

/* ---------------------------------------------------------------- parameters of calls */
/* One kind of object for all: nothing that they hold changes a result here. */
typedef struct solver_params {
    double tolerance;
    int sweeps, sort;
} solver_params;

static int make(solver_params **out, const char *function)
{
    if (!out) return solver_end_call(SOLVER_INVALID_VALUE, function);
    *out = lw_alloc(sizeof **out);
    **out = (solver_params){.tolerance = 1e-7, .sweeps = 100, .sort = 1};
    return SOLVER_OK;
}

SOLVER(cusolverDnCreateParams)(solver_params **out) { return make(out, __func__); }
SOLVER(cusolverDnDestroyParams)(solver_params *p)
{
    free(p);
    return SOLVER_OK;
}
SOLVER(cusolverDnSetAdvOptions)(solver_params *p, int function, int algorithm)
{
    (void)function, (void)algorithm;
    return p ? SOLVER_OK : solver_end(SOLVER_INVALID_VALUE);
}

#define JACOBI(Name, name)                                                                                             \
    SOLVER(cusolverDnCreate##Name##Info)(solver_params * *out) { return make(out, __func__); }                         \
    SOLVER(cusolverDnDestroy##Name##Info)(solver_params * p)                                                           \
    {                                                                                                                  \
        free(p);                                                                                                       \
        return SOLVER_OK;                                                                                              \
    }                                                                                                                  \
    SOLVER(cusolverDnX##name##SetTolerance)(solver_params * p, double value)                                           \
    {                                                                                                                  \
        if (!p) return solver_end(SOLVER_INVALID_VALUE);                                                               \
        p->tolerance = value;                                                                                          \
        return SOLVER_OK;                                                                                              \
    }                                                                                                                  \
    SOLVER(cusolverDnX##name##SetMaxSweeps)(solver_params * p, int value)                                              \
    {                                                                                                                  \
        if (!p) return solver_end(SOLVER_INVALID_VALUE);                                                               \
        p->sweeps = value;                                                                                             \
        return SOLVER_OK;                                                                                              \
    }                                                                                                                  \
    SOLVER(cusolverDnX##name##SetSortEig)(solver_params * p, int value)                                                \
    {                                                                                                                  \
        if (!p) return solver_end(SOLVER_INVALID_VALUE);                                                               \
        p->sort = value;                                                                                               \
        return SOLVER_OK;                                                                                              \
    }
JACOBI(Syevj, syevj)
JACOBI(Gesvdj, gesvdj)
