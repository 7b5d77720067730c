/* Entry points of parts of spectra, reduced forms, and solutions by iterative refinement, which are solved in the type of the matrix
 * here. */
#include <stdlib.h>

#include "solver/solver_entry.h"

/* ---------------------------------------------------------------- ranges of eigenvalues */
static char range_of(int range) { return range >= 1001 && range <= 1003 ? "AIV"[range - 1001] : 0; }

static bool good_range(int range, int64_t n, double low, double high, int64_t first, int64_t last)
{
    char r = range_of(range);
    return r == 'A' || (r == 'V' && low < high) || (r == 'I' && first >= 1 && last >= first && last <= n);
}

/* Eigenvalues in a range, of one matrix or (b) two; found: on the host, an int. */
static int put_range(solver_handle *h, solver_call *c, int range, int *found, const char *function)
{
    int64_t count = 0;
    c->range = range_of(range);
    c->found = &count;
    int status = solver_put_waiting(h, c, solver_syevdx, function);
    if (!status && found) *found = (int)count;
    return status;
}

#define SYEVDX(Xname, T_, R)                                                                                           \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int job, int range, int fill, int n, UNUSED const void *a, int lda, UNUSED R low,              \
     UNUSED R high, UNUSED int first, UNUSED int last, UNUSED int *found, UNUSED const void *w,                        \
     int *out) ROOM(out, n, lda - n, job, fill, range)                                                                 \
        SOLVER(cusolverDn##Xname)(solver_handle * h, int job, int range, int fill, int n, void *a, int lda, R low,     \
                                  R high, int first, int last, int *found, void *w, void *work, int size, int *info)   \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n));                                                            \
        HAVE(good_range(range, n, (double)low, (double)high, first, last));                                            \
        solver_call c = {.type = T_, .batch = 1, .job = JOB(job), .uplo = blas_uplo(fill), .n = n};                    \
        c.a = blas_matrix(a, lda), c.values = AT(w), c.info = AT(info);                                                \
        c.low = (double)low, c.high = (double)high, c.first = first, c.last = last;                                    \
        return put_range(h, &c, range, found, __func__);                                                               \
    }
SYEVDX(Ssyevdx, BLAS_S, float)
SYEVDX(Dsyevdx, BLAS_D, double)
SYEVDX(Cheevdx, BLAS_C, float)
SYEVDX(Zheevdx, BLAS_Z, double)

#define SYGVDX(Xname, T_, R)                                                                                           \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int problem, int job, int range, int fill, int n, UNUSED const void *a, int lda,               \
     UNUSED const void *b, int ldb, UNUSED R low, UNUSED R high, UNUSED int first, UNUSED int last, UNUSED int *found, \
     UNUSED const void *w, int *out) ROOM(out, n, lda - n, ldb - n, job, fill, range, problem - 1)                     \
        SOLVER(cusolverDn##Xname)(solver_handle * h, int problem, int job, int range, int fill, int n, void *a,        \
                                  int lda, void *b, int ldb, R low, R high, int first, int last, int *found, void *w,  \
                                  void *work, int size, int *info)                                                     \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(problem >= 1 && problem <= 3 && blas_uplo(fill) && n >= 0 && blas_ld(lda, n) && blas_ld(ldb, n) && b);    \
        HAVE(good_range(range, n, (double)low, (double)high, first, last));                                            \
        solver_call c = {.type = T_, .batch = 1, .job = JOB(job), .uplo = blas_uplo(fill), .n = n};                    \
        c.problem = problem, c.a = blas_matrix(a, lda), c.b = blas_matrix(b, ldb);                                     \
        c.values = AT(w), c.info = AT(info);                                                                           \
        c.low = (double)low, c.high = (double)high, c.first = first, c.last = last;                                    \
        return put_range(h, &c, range, found, __func__);                                                               \
    }
SYGVDX(Ssygvdx, BLAS_S, float)
SYGVDX(Dsygvdx, BLAS_D, double)
SYGVDX(Chegvdx, BLAS_C, float)
SYGVDX(Zhegvdx, BLAS_Z, double)

#define SYGVJ(Xname, T_)                                                                                               \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int problem, int job, int fill, int n, UNUSED const void *a, int lda, UNUSED const void *b,    \
     int ldb, UNUSED const void *w, int *out, UNUSED void *params)                                                     \
        ROOM(out, n, lda - n, ldb - n, job, fill, problem - 1)                                                         \
            SOLVER(cusolverDn##Xname)(solver_handle * h, int problem, int job, int fill, int n, void *a, int lda,      \
                                      void *b, int ldb, void *w, void *work, int size, int *info, void *params)        \
    {                                                                                                                  \
        (void)work, (void)size, (void)params;                                                                          \
        VALID;                                                                                                         \
        HAVE(problem >= 1 && problem <= 3 && blas_uplo(fill) && n >= 0 && blas_ld(lda, n) && blas_ld(ldb, n));         \
        PUT(T_, solver_sygvd, 1, .problem = problem, .job = JOB(job), .uplo = blas_uplo(fill), .n = n,                 \
            .a = blas_matrix(a, lda), .b = blas_matrix(b, ldb), .values = AT(w), .info = AT(info));                    \
    }
SYGVJ(Ssygvj, BLAS_S)
SYGVJ(Dsygvj, BLAS_D)
SYGVJ(Chegvj, BLAS_C)
SYGVJ(Zhegvj, BLAS_Z)

/* ---------------------------------------------------------------- the greatest singular values, of each of a batch */
#define GESVDA(X, T_)                                                                                                  \
    SOLVER(cusolverDn##X##gesvdaStridedBatched_bufferSize)                                                             \
    (solver_handle * h, int job, int rank, int m, int n, UNUSED const void *a, int lda, UNUSED long long stride_a,     \
     UNUSED const void *s, UNUSED long long stride_s, UNUSED const void *u, int ldu, UNUSED long long stride_u,        \
     UNUSED const void *v, int ldv, UNUSED long long stride_v, int *out, int count)                                    \
        ROOM(out, m, n, rank, job, lda - m, ldu, ldv, count) SOLVER(cusolverDn##X##gesvdaStridedBatched)(              \
            solver_handle * h, int job, int rank, int m, int n, const void *a, int lda, long long stride_a, void *s,   \
            long long stride_s, void *u, int ldu, long long stride_u, void *v, int ldv, long long stride_v,            \
            void *work, int size, int *info, double *rest, int count)                                                  \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(m >= 0 && n >= 0 && rank >= 0 && rank <= LW_MIN(m, n) && blas_ld(lda, m) && count >= 0);                  \
        solver_call c = {.type = T_, .batch = count, .job = JOB(job), .job_right = JOB(job), .m = m, .n = n};          \
        c.k = rank, c.values = AT(s), c.value_stride = stride_s, c.info = AT(info), c.more[0] = AT(rest);              \
        c.a = (blas_operand){.address = AT(a), .ld = lda, .stride = stride_a};                                         \
        c.u = (blas_operand){.address = AT(u), .ld = ldu, .stride = stride_u};                                         \
        c.v = (blas_operand){.address = AT(v), .ld = ldv, .stride = stride_v};                                         \
        return (rest ? solver_put_waiting : solver_put)(h, &c, solver_gesvdx, __func__);                               \
    }
EACH(GESVDA)

/* ---------------------------------------------------------------- bidiagonal and tridiagonal forms */
#define GEBRD(X, T_)                                                                                                   \
    SOLVER(cusolverDn##X##gebrd_bufferSize)(solver_handle * h, int m, int n, int *out) ROOM(out, m - n, n)             \
        SOLVER(cusolverDn##X##gebrd)(solver_handle * h, int m, int n, void *a, int lda, void *d, void *e, void *tauq,  \
                                     void *taup, void *work, int size, int *info)                                      \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(n >= 0 && m >= n && blas_ld(lda, m)); /* as on a card: m >= n */                                          \
        PUT(T_, solver_gebrd, 1, .m = m, .n = n, .a = blas_matrix(a, lda), .values = AT(d), .factors = AT(tauq),       \
            .more = {AT(e), AT(taup)}, .info = AT(info));                                                              \
    }
EACH(GEBRD)

#define SYTRD(Xname, T_)                                                                                               \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int fill, int n, UNUSED const void *a, int lda, UNUSED const void *d, UNUSED const void *e,    \
     UNUSED const void *tau, int *out) ROOM(out, n, lda - n, fill)                                                     \
        SOLVER(cusolverDn##Xname)(solver_handle * h, int fill, int n, void *a, int lda, void *d, void *e, void *tau,   \
                                  void *work, int size, int *info)                                                     \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n));                                                            \
        PUT(T_, solver_sytrd, 1, .uplo = blas_uplo(fill), .n = n, .a = blas_matrix(a, lda), .values = AT(d),           \
            .factors = AT(tau), .more = {AT(e)}, .info = AT(info));                                                    \
    }
REAL(SYTRD, sytrd)
IMAGINARY(SYTRD, hetrd)

#define ORGBR(Xname, T_)                                                                                               \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int side, int m, int n, int k, UNUSED const void *a, int lda, UNUSED const void *tau,          \
     int *out) ROOM(out, m, n, k, lda - m, side)                                                                       \
        SOLVER(cusolverDn##Xname)(solver_handle * h, int side, int m, int n, int k, void *a, int lda, const void *tau, \
                                  void *work, int size, int *info)                                                     \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_side(side) && m >= 0 && n >= 0 && k >= 0 && blas_ld(lda, m));                                        \
        PUT(T_, solver_orgbr, 1, .job = side == BLAS_LEFT ? 'Q' : 'P', .m = m, .n = n, .k = k,                         \
            .a = blas_matrix(a, lda), .factors = AT(tau), .info = AT(info));                                           \
    }
REAL(ORGBR, orgbr)
IMAGINARY(ORGBR, ungbr)

#define ORGTR(Xname, T_)                                                                                               \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int fill, int n, UNUSED const void *a, int lda, UNUSED const void *tau, int *out)              \
        ROOM(out, n, lda - n, fill) SOLVER(cusolverDn##Xname)(solver_handle * h, int fill, int n, void *a, int lda,    \
                                                              const void *tau, void *work, int size, int *info)        \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n));                                                            \
        PUT(T_, solver_orgtr, 1, .uplo = blas_uplo(fill), .n = n, .a = blas_matrix(a, lda), .factors = AT(tau),        \
            .info = AT(info));                                                                                         \
    }
REAL(ORGTR, orgtr)
IMAGINARY(ORGTR, ungtr)

#define ORMTR(Xname, T_)                                                                                               \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int side, int fill, int op, int m, int n, UNUSED const void *a, int lda,                       \
     UNUSED const void *tau, UNUSED const void *c, int ldc, int *out) ROOM(out, m, n, lda, ldc - m, side, fill, op)    \
        SOLVER(cusolverDn##Xname)(solver_handle * h, int side, int fill, int op, int m, int n, void *a, int lda,       \
                                  void *tau, void *c, int ldc, void *work, int size, int *info)                        \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        char trans = op == BLAS_OP_N ? 'N' : !blas_is_complex(T_) ? 'T' : op == BLAS_OP_C ? 'C' : 0;                   \
        HAVE(blas_side(side) && blas_uplo(fill) && trans && m >= 0 && n >= 0 && blas_ld(ldc, m));                      \
        HAVE(blas_ld(lda, side == BLAS_LEFT ? m : n));                                                                 \
        PUT(T_, solver_ormtr, 1, .side = blas_side(side), .uplo = blas_uplo(fill), .trans = trans, .m = m, .n = n,     \
            .a = blas_matrix(a, lda), .b = blas_matrix(c, ldc), .factors = AT(tau), .info = AT(info));                 \
    }
REAL(ORMTR, ormtr)
IMAGINARY(ORMTR, unmtr)

#define LAUUM(X, T_)                                                                                                   \
    SOLVER(cusolverDn##X##lauum_bufferSize)                                                                            \
    (solver_handle * h, int fill, int n, UNUSED void *a, int lda, int *out) ROOM(out, n, lda - n, fill) SOLVER(        \
        cusolverDn##X##lauum)(solver_handle * h, int fill, int n, void *a, int lda, void *work, int size, int *info)   \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n));                                                            \
        PUT(T_, solver_lauum, 1, .uplo = blas_uplo(fill), .n = n, .a = blas_matrix(a, lda), .info = AT(info));         \
    }                                                                                                                  \
    SOLVER(cusolverDn##X##laswp)                                                                                       \
    (solver_handle * h, int n, void *a, int lda, int first, int last, const int *pivots, int step)                     \
    {                                                                                                                  \
        VALID;                                                                                                         \
        HAVE(n >= 0 && blas_ld(lda, last) && first >= 1 && last >= first && step);                                     \
        PUT(T_, solver_laswp, 1, .n = n, .a = blas_matrix(a, lda), .first = first, .last = last, .k = step,            \
            .pivots = AT(pivots));                                                                                     \
    }                                                                                                                  \
    SOLVER(cusolverDn##X##sytri_bufferSize)                                                                            \
    (solver_handle * h, int fill, int n, UNUSED void *a, int lda, UNUSED const int *pivots, int *out)                  \
        ROOM(out, n, lda - n, fill) SOLVER(cusolverDn##X##sytri)(solver_handle * h, int fill, int n, void *a, int lda, \
                                                                 const int *pivots, void *work, int size, int *info)   \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n) && pivots);                                                  \
        PUT(T_, solver_sytri, 1, .uplo = blas_uplo(fill), .n = n, .a = blas_matrix(a, lda), .pivots = AT(pivots),      \
            .info = AT(info));                                                                                         \
    }
EACH(LAUUM)

/* ---------------------------------------------------------------- iterative refinement: solved at once, in the matrix's type */
static int ask_room(solver_handle *h, bool ok, size_t *out, const char *function)
{
    if (!solver_valid(h)) return solver_end_call(SOLVER_NOT_INITIALIZED, function);
    if (!ok || !out) return solver_end_call(SOLVER_INVALID_VALUE, function);
    *out = 16; /* not used; programs expect some */
    return SOLVER_OK;
}

static int put_solution(solver_handle *h, solver_call *c, int *iterations, const char *function)
{
    bool squares = c->k >= 0;
    int64_t columns = squares ? c->k : c->m, rows = squares ? c->m : c->n;
    if (!solver_valid(h)) return solver_end_call(SOLVER_NOT_INITIALIZED, function);
    bool ok = blas_size(c->n) && blas_size(c->m) && columns >= 0 && rows >= c->n && blas_ld(c->a.ld, rows) &&
              blas_ld(c->b.ld, rows) && blas_ld(c->u.ld, c->n) && iterations;
    if (!ok) return solver_end_call(SOLVER_INVALID_VALUE, function);
    *iterations = 0; /* none is needed */
    return solver_put(h, c, squares ? solver_gels : solver_gesv, function);
}

#define IRS(P, T_)                                                                                                     \
    SOLVER(cusolverDn##P##gesv_bufferSize)                                                                             \
    (solver_handle * h, int n, int columns, UNUSED void *a, int lda, UNUSED int *pivots, UNUSED void *b, int ldb,      \
     UNUSED void *x, int ldx, UNUSED void *work, size_t *out)                                                          \
    {                                                                                                                  \
        bool ok = n >= 0 && columns >= 0 && blas_ld(lda, n) && blas_ld(ldb, n) && blas_ld(ldx, n);                     \
        return ask_room(h, ok, out, __func__);                                                                         \
    }                                                                                                                  \
    SOLVER(cusolverDn##P##gesv)                                                                                        \
    (solver_handle * h, int n, int columns, void *a, int lda, UNUSED int *pivots, void *b, int ldb, void *x, int ldx,  \
     UNUSED void *work, UNUSED size_t bytes, int *iterations, int *info)                                               \
    {                                                                                                                  \
        solver_call c = {.type = T_, .batch = 1, .n = n, .m = columns, .k = -1, .info = AT(info)};                     \
        c.a = blas_matrix(a, lda), c.b = blas_matrix(b, ldb), c.u = blas_matrix(x, ldx);                               \
        return put_solution(h, &c, iterations, __func__);                                                              \
    }                                                                                                                  \
    SOLVER(cusolverDn##P##gels_bufferSize)                                                                             \
    (solver_handle * h, int m, int n, int columns, UNUSED void *a, int lda, UNUSED void *b, int ldb, UNUSED void *x,   \
     int ldx, UNUSED void *work, size_t *out)                                                                          \
    {                                                                                                                  \
        bool ok = m >= n && n >= 0 && columns >= 0 && blas_ld(lda, m) && blas_ld(ldb, m) && blas_ld(ldx, n);           \
        return ask_room(h, ok, out, __func__);                                                                         \
    }                                                                                                                  \
    SOLVER(cusolverDn##P##gels)                                                                                        \
    (solver_handle * h, int m, int n, int columns, void *a, int lda, void *b, int ldb, void *x, int ldx,               \
     UNUSED void *work, UNUSED size_t bytes, int *iterations, int *info)                                               \
    {                                                                                                                  \
        solver_call c = {.type = T_, .batch = 1, .n = n, .m = m, .k = columns, .info = AT(info)};                      \
        c.a = blas_matrix(a, lda), c.b = blas_matrix(b, ldb), c.u = blas_matrix(x, ldx);                               \
        return put_solution(h, &c, iterations, __func__);                                                              \
    }
IRS(ZZ, BLAS_Z)
IRS(ZC, BLAS_Z)
IRS(ZK, BLAS_Z)
IRS(ZE, BLAS_Z)
IRS(ZY, BLAS_Z)
IRS(CC, BLAS_C)
IRS(CK, BLAS_C)
IRS(CE, BLAS_C)
IRS(CY, BLAS_C)
IRS(DD, BLAS_D)
IRS(DS, BLAS_D)
IRS(DH, BLAS_D)
IRS(DB, BLAS_D)
IRS(DX, BLAS_D)
IRS(SS, BLAS_S)
IRS(SH, BLAS_S)
IRS(SB, BLAS_S)
IRS(SX, BLAS_S)

/* What an expert's call is told, and tells. */
typedef struct irs_params {
    int main_precision; /* cusolverPrecType_t: as CUSOLVER_R_64F */
    int most;
} irs_params;

SOLVER(cusolverDnIRSParamsCreate)(irs_params **out)
{
    HAVE(out);
    *out = lw_alloc(sizeof **out);
    **out = (irs_params){0, 50};
    return SOLVER_OK;
}
SOLVER(cusolverDnIRSParamsDestroy)(irs_params *p)
{
    free(p);
    return SOLVER_OK;
}
SOLVER(cusolverDnIRSParamsSetSolverPrecisions)(irs_params *p, int precision, int lowest)
{
    (void)lowest;
    HAVE(p);
    p->main_precision = precision;
    return SOLVER_OK;
}
SOLVER(cusolverDnIRSParamsSetSolverMainPrecision)(irs_params *p, int precision)
{
    HAVE(p);
    p->main_precision = precision;
    return SOLVER_OK;
}
SOLVER(cusolverDnIRSParamsSetMaxIters)(irs_params *p, int most)
{
    HAVE(p);
    p->most = most;
    return SOLVER_OK;
}
SOLVER(cusolverDnIRSParamsGetMaxIters)(irs_params *p, int *out)
{
    HAVE(p && out);
    *out = p->most;
    return SOLVER_OK;
}
#define IRS_SETTING(name, type)                                                                                        \
    SOLVER(cusolverDnIRSParams##name)(irs_params * p, UNUSED type value)                                               \
    {                                                                                                                  \
        HAVE(p);                                                                                                       \
        return SOLVER_OK;                                                                                              \
    }
IRS_SETTING(SetSolverLowestPrecision, int)
IRS_SETTING(SetRefinementSolver, int)
IRS_SETTING(SetTol, double)
IRS_SETTING(SetTolInner, double)
IRS_SETTING(SetMaxItersInner, int)
SOLVER(cusolverDnIRSParamsEnableFallback)(irs_params *p)
{
    HAVE(p);
    return SOLVER_OK;
}
SOLVER(cusolverDnIRSParamsDisableFallback)(irs_params *p)
{
    HAVE(p);
    return SOLVER_OK;
}

typedef struct irs_infos {
    int most;
} irs_infos;
SOLVER(cusolverDnIRSInfosCreate)(irs_infos **out)
{
    HAVE(out);
    *out = lw_alloc(sizeof **out);
    return SOLVER_OK;
}
SOLVER(cusolverDnIRSInfosDestroy)(irs_infos *i)
{
    free(i);
    return SOLVER_OK;
}
SOLVER(cusolverDnIRSInfosRequestResidual)(irs_infos *i)
{
    HAVE(i);
    return SOLVER_OK;
}
#define IRS_NUMBER(name, value)                                                                                        \
    SOLVER(cusolverDnIRSInfosGet##name)(irs_infos * i, int *out)                                                       \
    {                                                                                                                  \
        HAVE(i &&out);                                                                                                 \
        *out = value;                                                                                                  \
        return SOLVER_OK;                                                                                              \
    }
IRS_NUMBER(Niters, 0)
IRS_NUMBER(OuterNiters, 0)
IRS_NUMBER(MaxIters, i->most)

static bool main_type(const irs_params *p, blas_type *out)
{
    static const struct {
        int precision;
        blas_type type;
    } types[] = {{1203, BLAS_D}, {1204, BLAS_S}, {1213, BLAS_Z}, {1214, BLAS_C}}; /* CUSOLVER_R_64F ... */
    for (size_t i = 0; p && i < LW_COUNT(types); i++)
        if (types[i].precision == p->main_precision) {
            *out = types[i].type;
            return true;
        }
    return false;
}

SOLVER(cusolverDnIRSXgesv_bufferSize)(solver_handle *h, irs_params *p, int n, int columns, size_t *out)
{
    blas_type type;
    return ask_room(h, main_type(p, &type) && n >= 0 && columns >= 0, out, __func__);
}
SOLVER(cusolverDnIRSXgels_bufferSize)(solver_handle *h, irs_params *p, int m, int n, int columns, size_t *out)
{
    blas_type type;
    return ask_room(h, main_type(p, &type) && m >= n && n >= 0 && columns >= 0, out, __func__);
}
SOLVER(cusolverDnIRSXgesv)
(solver_handle *h, irs_params *p, irs_infos *infos, int n, int columns, void *a, int lda, void *b, int ldb, void *x,
 int ldx, void *work, size_t bytes, int *iterations, int *info)
{
    (void)work, (void)bytes;
    solver_call c = {.batch = 1, .n = n, .m = columns, .k = -1, .info = AT(info)};
    HAVE(infos && main_type(p, &c.type));
    infos->most = p->most;
    c.a = blas_matrix(a, lda), c.b = blas_matrix(b, ldb), c.u = blas_matrix(x, ldx);
    return put_solution(h, &c, iterations, __func__);
}
SOLVER(cusolverDnIRSXgels)
(solver_handle *h, irs_params *p, irs_infos *infos, int m, int n, int columns, void *a, int lda, void *b, int ldb,
 void *x, int ldx, void *work, size_t bytes, int *iterations, int *info)
{
    (void)work, (void)bytes;
    solver_call c = {.batch = 1, .n = n, .m = m, .k = columns, .info = AT(info)};
    HAVE(infos && main_type(p, &c.type));
    infos->most = p->most;
    c.a = blas_matrix(a, lda), c.b = blas_matrix(b, ldb), c.u = blas_matrix(x, ldx);
    return put_solution(h, &c, iterations, __func__);
}
