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

/* ---------------------------------------------------------------- parts of spectra, triangles */
SOLVER(cusolverDnXsyevBatched_bufferSize)
(solver_handle *h, void *params, int job, int fill, int64_t n, int type, const void *a, int64_t lda, int type_w,
 const void *w, int compute, ROOM_ARGS, int64_t count)
{
    (void)params, (void)job, (void)type, (void)a, (void)type_w, (void)w, (void)compute;
    return room(h, blas_uplo(fill) && blas_size(n) && blas_ld(lda, n) && count >= 0, out_device, out_host, __func__);
}
SOLVER(cusolverDnXsyevBatched)
(solver_handle *h, void *params, int job, int fill, int64_t n, int type, void *a, int64_t lda, int type_w, void *w,
 int compute, WORK_ARGS, int64_t count)
{
    BEGIN(type,
          compute == type && type_w == (type & 1) && blas_uplo(fill) && blas_size(n) && blas_ld(lda, n) && count >= 0);
    NO_WORK;
    c.job = job ? 'V' : 'N', c.uplo = blas_uplo(fill), c.n = n, c.batch = count, c.values = AT(w), c.info = AT(info);
    c.a = (blas_operand){.address = AT(a), .ld = lda, .stride = lda * n};
    END(solver_syevd);
}

SOLVER(cusolverDnXsyevdx_bufferSize)
(solver_handle *h, void *params, int job, int range, int fill, int64_t n, int type, const void *a, int64_t lda,
 void *low, void *high, int64_t first, int64_t last, int64_t *found, int type_w, const void *w, int compute, ROOM_ARGS)
{
    (void)params, (void)job, (void)range, (void)type, (void)a, (void)low, (void)high, (void)first, (void)last;
    (void)found, (void)type_w, (void)w, (void)compute;
    return room(h, blas_uplo(fill) && blas_size(n) && blas_ld(lda, n), out_device, out_host, __func__);
}
static double limit_of(const void *limit, blas_type type)
{
    return !limit ? 0 : blas_real(type) == BLAS_S ? (double)*(const float *)limit : *(const double *)limit;
}
SOLVER(cusolverDnXsyevdx)
(solver_handle *h, void *params, int job, int range, int fill, int64_t n, int type, void *a, int64_t lda, void *low,
 void *high, int64_t first, int64_t last, int64_t *found, int type_w, void *w, int compute, WORK_ARGS)
{
    BEGIN(type, compute == type && type_w == (type & 1) && blas_uplo(fill) && blas_size(n) && blas_ld(lda, n) &&
                    range >= 1001 && range <= 1003);
    NO_WORK;
    c.range = "AIV"[range - 1001], c.low = limit_of(low, c.type), c.high = limit_of(high, c.type);
    c.first = first, c.last = last, c.found = found;
    if (c.range == 'I' && (first < 1 || last < first || last > n)) return solver_end(SOLVER_INVALID_VALUE);
    c.job = job ? 'V' : 'N', c.uplo = blas_uplo(fill), c.n = n, c.a = blas_matrix(a, lda), c.values = AT(w);
    c.info = AT(info);
    return solver_put_waiting(h, &c, solver_syevdx, __func__);
}

SOLVER(cusolverDnXgeev_bufferSize)
(solver_handle *h, void *params, int job_l, int job_r, int64_t n, int type, const void *a, int64_t lda, int type_w,
 const void *w, int type_l, const void *vl, int64_t ldvl, int type_r, const void *vr, int64_t ldvr, int compute,
 ROOM_ARGS)
{
    (void)params, (void)job_r, (void)type, (void)a, (void)type_w, (void)w, (void)type_l, (void)vl, (void)ldvl;
    (void)type_r, (void)vr, (void)ldvr, (void)compute, (void)job_l;
    return room(h, blas_size(n) && blas_ld(lda, n), out_device, out_host, __func__);
}
/* Of a real matrix, values are real parts and then imaginary ones, or complex numbers, as type_w says. */
SOLVER(cusolverDnXgeev)
(solver_handle *h, void *params, int job_l, int job_r, int64_t n, int type, void *a, int64_t lda, int type_w, void *w,
 int type_l, void *vl, int64_t ldvl, int type_r, void *vr, int64_t ldvr, int compute, WORK_ARGS)
{
    BEGIN(type, compute == type && type_l == type && type_r == type && (type_w == type || type_w == (type | 4)) &&
                    blas_size(n) && blas_ld(lda, n) && (!job_l || blas_ld(ldvl, n)) && (!job_r || blas_ld(ldvr, n)));
    NO_WORK;
    c.job = job_l ? 'V' : 'N', c.job_right = job_r ? 'V' : 'N', c.n = n, c.a = blas_matrix(a, lda), c.values = AT(w);
    c.u = blas_matrix(vl, ldvl), c.v = blas_matrix(vr, ldvr), c.info = AT(info), c.wide = type_w != type;
    END(solver_geev);
}

SOLVER(cusolverDnXgesvdp_bufferSize)
(solver_handle *h, void *params, int job, int econ, int64_t m, int64_t n, int type, const void *a, int64_t lda,
 int type_s, const void *s, int type_u, const void *u, int64_t ldu, int type_v, const void *v, int64_t ldv, int compute,
 ROOM_ARGS)
{
    (void)params, (void)job, (void)econ, (void)type, (void)a, (void)type_s, (void)s, (void)type_u, (void)u, (void)ldu;
    (void)type_v, (void)v, (void)ldv, (void)compute;
    return room(h, blas_size(n) && blas_size(m) && blas_ld(lda, m), out_device, out_host, __func__);
}
SOLVER(cusolverDnXgesvdp)
(solver_handle *h, void *params, int job, int econ, int64_t m, int64_t n, int type, void *a, int64_t lda, int type_s,
 void *s, int type_u, void *u, int64_t ldu, int type_v, void *v, int64_t ldv, int compute, WORK_ARGS, double *error)
{
    BEGIN(type, compute == type && type_u == type && type_v == type && type_s == (type & 1) && blas_size(n) &&
                    blas_size(m) && blas_ld(lda, m));
    NO_WORK;
    c.job = c.job_right = !job ? 'N' : econ ? 'S' : 'A';
    c.turned = true, c.m = m, c.n = n, c.a = blas_matrix(a, lda), c.values = AT(s), c.info = AT(info);
    c.u = blas_matrix(u, ldu), c.v = blas_matrix(v, ldv);
    if (error) *error = 0; /* nothing is perturbed here */
    END(solver_gesvd);
}

SOLVER(cusolverDnXgesvdr_bufferSize)
(solver_handle *h, void *params, signed char job_u, signed char job_v, int64_t m, int64_t n, int64_t k, int64_t more,
 int64_t rounds, int type, const void *a, int64_t lda, int type_s, const void *s, int type_u, const void *u,
 int64_t ldu, int type_v, const void *v, int64_t ldv, int compute, ROOM_ARGS)
{
    (void)params, (void)job_u, (void)job_v, (void)more, (void)rounds, (void)type, (void)a, (void)type_s, (void)s;
    (void)type_u, (void)u, (void)ldu, (void)type_v, (void)v, (void)ldv, (void)compute;
    return room(h, blas_size(n) && blas_size(m) && blas_ld(lda, m) && k >= 0 && k <= LW_MIN(m, n), out_device, out_host,
                __func__);
}
/* The card draws vectors at random; the exact values are given here. */
SOLVER(cusolverDnXgesvdr)
(solver_handle *h, void *params, signed char job_u, signed char job_v, int64_t m, int64_t n, int64_t k, int64_t more,
 int64_t rounds, int type, void *a, int64_t lda, int type_s, void *s, int type_u, void *u, int64_t ldu, int type_v,
 void *v, int64_t ldv, int compute, WORK_ARGS)
{
    BEGIN(type, compute == type && type_u == type && type_v == type && type_s == (type & 1) && blas_size(n) &&
                    blas_size(m) && blas_ld(lda, m) && k >= 0 && k <= LW_MIN(m, n));
    NO_WORK, (void)more, (void)rounds;
    c.job = job_u == 'S' ? 'V' : 'N', c.job_right = job_v == 'S' ? 'V' : 'N', c.m = m, c.n = n, c.k = k;
    c.a = blas_matrix(a, lda), c.values = AT(s), c.u = blas_matrix(u, ldu), c.v = blas_matrix(v, ldv);
    c.info = AT(info);
    END(solver_gesvdx);
}

SOLVER(cusolverDnXtrtri_bufferSize)
(solver_handle *h, int fill, int diag, int64_t n, int type, void *a, int64_t lda, ROOM_ARGS)
{
    (void)type, (void)a;
    return room(h, blas_uplo(fill) && blas_diag(diag) && blas_size(n) && blas_ld(lda, n), out_device, out_host,
                __func__);
}
SOLVER(cusolverDnXtrtri)(solver_handle *h, int fill, int diag, int64_t n, int type, void *a, int64_t lda, WORK_ARGS)
{
    void *params = NULL;
    BEGIN(type, blas_uplo(fill) && blas_diag(diag) && blas_size(n) && blas_ld(lda, n));
    NO_WORK;
    c.uplo = blas_uplo(fill), c.job = blas_diag(diag), c.n = n, c.a = blas_matrix(a, lda), c.info = AT(info);
    END(solver_trtri);
}

SOLVER(cusolverDnXsytrs_bufferSize)
(solver_handle *h, int fill, int64_t n, int64_t columns, int type, const void *a, int64_t lda, const int64_t *pivots,
 int type_b, void *b, int64_t ldb, ROOM_ARGS)
{
    (void)type, (void)a, (void)pivots, (void)type_b, (void)b;
    return room(h, blas_uplo(fill) && blas_size(n) && blas_size(columns) && blas_ld(lda, n) && blas_ld(ldb, n),
                out_device, out_host, __func__);
}
SOLVER(cusolverDnXsytrs)
(solver_handle *h, int fill, int64_t n, int64_t columns, int type, const void *a, int64_t lda, const int64_t *pivots,
 int type_b, void *b, int64_t ldb, WORK_ARGS)
{
    void *params = NULL;
    BEGIN(type, type_b == type && blas_uplo(fill) && blas_size(n) && blas_size(columns) && blas_ld(lda, n) &&
                    blas_ld(ldb, n) && pivots);
    NO_WORK;
    c.uplo = blas_uplo(fill), c.n = n, c.m = columns, c.a = blas_matrix(a, lda), c.b = blas_matrix(b, ldb);
    c.pivots = AT(pivots), c.info = AT(info);
    END(solver_sytrs);
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
/* What a call of Jacobi's method needed: LAPACK's methods take no sweeps, and leave nothing worth a number. */
#define JACOBI_TELLS(name)                                                                                             \
    SOLVER(cusolverDnX##name##GetSweeps)(solver_handle * h, solver_params * p, int *out)                               \
    {                                                                                                                  \
        if (!solver_valid(h)) return solver_end(SOLVER_NOT_INITIALIZED);                                               \
        if (!p || !out) return solver_end(SOLVER_INVALID_VALUE);                                                       \
        *out = 1;                                                                                                      \
        return SOLVER_OK;                                                                                              \
    }                                                                                                                  \
    SOLVER(cusolverDnX##name##GetResidual)(solver_handle * h, solver_params * p, double *out)                          \
    {                                                                                                                  \
        if (!solver_valid(h)) return solver_end(SOLVER_NOT_INITIALIZED);                                               \
        if (!p || !out) return solver_end(SOLVER_INVALID_VALUE);                                                       \
        *out = 0;                                                                                                      \
        return SOLVER_OK;                                                                                              \
    }
JACOBI_TELLS(syevj)
JACOBI_TELLS(gesvdj)
JACOBI(Syevj, syevj)
JACOBI(Gesvdj, gesvdj)
