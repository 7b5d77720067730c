/* cusolverSp: systems with sparse matrices, in memory of the device or of the host (...Host), in one call or in steps. All are solved by
 * L U (solver_sparse.h): Q R's and Cholesky's factors are not seen by programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver_entry.h"
#include "solver/solver_sparse.h"

typedef enum sp_step { SP_SOLVE, SP_COPY, SP_FACTOR, SP_FACTOR_COPY, SP_SUBSTITUTE, SP_DIAGONAL } sp_step;

/* A call: addresses are of the device, or (host) of the host. */
typedef struct sp_call {
    sp_step step;
    bool host;
    solver_pivots pivots;
    solver_rows rows; /* offsets, columns and values as addresses */
    int count;
    double threshold, tolerance;
    solver_steps *info;
    uint64_t b, x; /* 0: none */
    int *singular; /* of the host: the first small pivot, or -1 */
} sp_call;

static void *use(host_library *l, const sp_call *c, const void *at, int64_t count, size_t bytes,
                 host_library_access access, bool *ok)
{
    return c->host ? (void *)(uintptr_t)at : solver_use(l, AT(at), count, bytes, access, ok);
}

/* The call's matrix where it can be read; false: it cannot, or has an index outside of itself. */
static bool read_rows(host_library *l, const sp_call *c, solver_rows *out)
{
    bool ok = true;
    const solver_rows *m = &c->rows;
    *out = *m;
    out->offsets = use(l, c, m->offsets, m->n + 1, 4, HOST_LIBRARY_READS, &ok);
    out->columns = use(l, c, m->columns, c->count, 4, HOST_LIBRARY_READS, &ok);
    out->values = use(l, c, m->values, c->count, blas_type_bytes[m->type], HOST_LIBRARY_READS, &ok);
    if (!ok) return false;
    if (out->offsets[m->n] - m->base <= c->count && solver_rows_valid(out)) return true;
    if (l) host_library_fail(l, "an index of the sparse matrix lies outside of it");
    return false;
}

static void substitute(host_library *l, const sp_call *c, const solver_factors *f)
{
    bool ok = true;
    size_t size = blas_type_bytes[c->rows.type];
    const void *b = use(l, c, (const void *)(uintptr_t)c->b, f->n, size, HOST_LIBRARY_READS, &ok);
    void *x = use(l, c, (const void *)(uintptr_t)c->x, f->n, size, HOST_LIBRARY_WRITES, &ok);
    if (ok) solver_substitute(f, c->rows.type, b, x);
}

static void factor(host_library *l, const sp_call *c, const solver_rows *m, solver_factors *out)
{
    int *order = c->step == SP_SOLVE ? lw_alloc((size_t)LW_MAX(m->n, 1) * sizeof *order) : NULL;
    if (order) solver_order(m, order);
    solver_factor(m, c->pivots, c->threshold, c->tolerance, order, NULL, out);
    if (c->singular) *c->singular = out->zero;
    if (c->b && c->x && out->zero < 0) substitute(l, c, out);
    free(order);
}

static void forget_copy(solver_steps *i)
{
    free(i->offsets);
    free(i->columns);
    free(i->values);
    i->offsets = i->columns = NULL;
    i->values = NULL;
}

static void copy_rows(solver_steps *i, const solver_rows *m)
{
    size_t count = (size_t)(m->offsets[m->n] - m->base), size = blas_type_bytes[m->type];
    forget_copy(i);
    i->offsets = lw_alloc(((size_t)m->n + 1) * 4);
    i->columns = lw_alloc(LW_MAX(count, 1u) * 4);
    i->values = lw_alloc(LW_MAX(count, 1u) * size);
    memcpy(i->offsets, m->offsets, ((size_t)m->n + 1) * 4);
    memcpy(i->columns, m->columns, count * 4);
    memcpy(i->values, m->values, count * size);
    i->rows = *m;
    i->rows.offsets = i->offsets, i->rows.columns = i->columns, i->rows.values = i->values;
}

static void put_diagonal(host_library *l, const sp_call *c) /* of Cholesky's factor: roots of the pivots */
{
    bool ok = true;
    const solver_factors *f = &c->info->factors;
    bool narrow = blas_real(c->rows.type) == BLAS_S;
    void *to = use(l, c, (const void *)(uintptr_t)c->x, f->n, narrow ? 4 : 8, HOST_LIBRARY_WRITES, &ok);
    for (int k = 0; ok && k < f->n; k++) {
        double root = sqrt(f->upper[k].values[f->upper[k].count - 1][0]);
        if (narrow) ((float *)to)[k] = (float)root;
        else ((double *)to)[k] = root;
    }
}

static void run(host_library *l, const void *args)
{
    const sp_call *c = args;
    solver_rows m;
    solver_factors once;
    switch (c->step) {
    case SP_SOLVE:
        if (!read_rows(l, c, &m)) return;
        factor(l, c, &m, &once);
        solver_forget_factors(&once);
        return;
    case SP_COPY:
        if (read_rows(l, c, &m)) copy_rows(c->info, &m);
        return;
    case SP_FACTOR:
        if (!read_rows(l, c, &m)) return;
        solver_forget_factors(&c->info->factors);
        factor(l, c, &m, &c->info->factors);
        return;
    case SP_FACTOR_COPY:
        solver_forget_factors(&c->info->factors);
        factor(l, c, &c->info->rows, &c->info->factors);
        return;
    case SP_SUBSTITUTE: substitute(l, c, &c->info->factors); return;
    case SP_DIAGONAL: put_diagonal(l, c); return;
    }
}

/* The call waits: what it finds is the host's. */
static int put(solver_handle *h, const sp_call *c, const char *function)
{
    if (!solver_valid(h)) return solver_end_call(SOLVER_NOT_INITIALIZED, function);
    if (c->info && (c->step == SP_SUBSTITUTE || c->step == SP_DIAGONAL) && !c->info->factors.upper)
        return solver_end_call(SOLVER_INTERNAL_ERROR, function);
    if (c->info && c->step == SP_FACTOR_COPY && !c->info->offsets)
        return solver_end_call(SOLVER_INTERNAL_ERROR, function);
    if (!c->host) return solver_put_other(h, run, c, sizeof *c, function);
    run(NULL, c);
    return SOLVER_OK;
}

/* ---------------------------------------------------------------- handles */
#define SP_CALL(stepped, on_host, T_) sp_call c = {.step = stepped, .host = on_host, .rows = {.type = T_}}
#define MATRIX_ARGS                                                                                                    \
    int n, int count, const solver_descriptor *d, const void *values, const int *offsets, const int *columns
#define TAKE_MATRIX                                                                                                    \
    VALID;                                                                                                             \
    HAVE(n >= 0 && count >= 0 && d && values && offsets && columns);                                                   \
    c.rows.n = n, c.rows.base = d->IndexBase, c.rows.offsets = offsets, c.rows.columns = columns;                      \
    c.rows.values = values, c.count = count

SOLVER(cusolverDnCreate)(solver_handle **out);
SOLVER(cusolverDnDestroy)(solver_handle *h);
SOLVER(cusolverDnSetStream)(solver_handle *h, void *stream);
SOLVER(cusolverDnGetStream)(solver_handle *h, void **out);
SOLVER(cusolverSpCreate)(solver_handle **out) { return lw_cusolver_cusolverDnCreate(out); }
SOLVER(cusolverSpDestroy)(solver_handle *h) { return lw_cusolver_cusolverDnDestroy(h); }
SOLVER(cusolverSpSetStream)(solver_handle *h, void *stream) { return lw_cusolver_cusolverDnSetStream(h, stream); }
SOLVER(cusolverSpGetStream)(solver_handle *h, void **out) { return lw_cusolver_cusolverDnGetStream(h, out); }

/* ---------------------------------------------------------------- in one call */
#define SOLVE(symbol, T_, on_host, how)                                                                                \
    SOLVER(symbol)                                                                                                     \
    (solver_handle * h, MATRIX_ARGS, const void *b, double tolerance, UNUSED int reorder, void *x, int *singular)      \
    {                                                                                                                  \
        SP_CALL(SP_SOLVE, on_host, T_);                                                                                \
        TAKE_MATRIX;                                                                                                   \
        HAVE(b &&x &&singular);                                                                                        \
        c.pivots = how, c.threshold = 1, c.tolerance = tolerance, c.b = AT(b), c.x = AT(x), c.singular = singular;     \
        return put(h, &c, __func__);                                                                                   \
    }
/* Tolerances of single precision are floats, which are passed differently. */
#define SOLVE_NARROW(symbol, T_, on_host, how)                                                                         \
    SOLVER(symbol)                                                                                                     \
    (solver_handle * h, MATRIX_ARGS, const void *b, float tolerance, UNUSED int reorder, void *x, int *singular)       \
    {                                                                                                                  \
        SP_CALL(SP_SOLVE, on_host, T_);                                                                                \
        TAKE_MATRIX;                                                                                                   \
        HAVE(b &&x &&singular);                                                                                        \
        c.pivots = how, c.threshold = 1, c.tolerance = (double)tolerance, c.b = AT(b), c.x = AT(x);                    \
        c.singular = singular;                                                                                         \
        return put(h, &c, __func__);                                                                                   \
    }
#define SOLVES(M, X, T_)                                                                                               \
    M(cusolverSp##X##csrlsvqr, T_, false, SOLVER_PIVOTS_GREATEST)                                                      \
    M(cusolverSp##X##csrlsvchol, T_, false, SOLVER_PIVOTS_DIAGONAL)                                                    \
    M(cusolverSp##X##csrlsvqrHost, T_, true, SOLVER_PIVOTS_GREATEST)                                                   \
    M(cusolverSp##X##csrlsvluHost, T_, true, SOLVER_PIVOTS_GREATEST)                                                   \
    M(cusolverSp##X##csrlsvcholHost, T_, true, SOLVER_PIVOTS_DIAGONAL)
SOLVES(SOLVE_NARROW, S, BLAS_S)
SOLVES(SOLVE, D, BLAS_D)
SOLVES(SOLVE_NARROW, C, BLAS_C)
SOLVES(SOLVE, Z, BLAS_Z)

/* ---------------------------------------------------------------- in steps */
#define INFO(Name)                                                                                                     \
    SOLVER(cusolverSpCreate##Name)(solver_steps * *out)                                                                \
    {                                                                                                                  \
        HAVE(out);                                                                                                     \
        *out = lw_alloc(sizeof **out);                                                                                 \
        return SOLVER_OK;                                                                                              \
    }                                                                                                                  \
    SOLVER(cusolverSpDestroy##Name)(solver_steps * i)                                                                  \
    {                                                                                                                  \
        if (!i) return SOLVER_OK;                                                                                      \
        forget_copy(i);                                                                                                \
        solver_forget_factors(&i->factors);                                                                            \
        free(i);                                                                                                       \
        return SOLVER_OK;                                                                                              \
    }
INFO(CsrqrInfo)
INFO(CsrqrInfoHost)
INFO(CsrcholInfo)
INFO(CsrcholInfoHost)
INFO(CsrluInfoHost)

/* Patterns are looked at when there are values. */
#define ANALYSIS(symbol, sizes, least)                                                                                 \
    SOLVER(symbol)                                                                                                     \
    (solver_handle * h, sizes, int count, const solver_descriptor *d, const int *offsets, const int *columns,          \
     solver_steps *i)                                                                                                  \
    {                                                                                                                  \
        VALID;                                                                                                         \
        HAVE((least) >= 0 && count >= 0 && d && offsets && columns && i);                                              \
        return SOLVER_OK;                                                                                              \
    }
#define COMMA ,
ANALYSIS(cusolverSpXcsrqrAnalysis, int m COMMA int n, m - n)
ANALYSIS(cusolverSpXcsrqrAnalysisHost, int m COMMA int n, m - n)
ANALYSIS(cusolverSpXcsrqrAnalysisBatched, int m COMMA int n, m - n)
ANALYSIS(cusolverSpXcsrcholAnalysis, int n, n)
ANALYSIS(cusolverSpXcsrcholAnalysisHost, int n, n)
ANALYSIS(cusolverSpXcsrluAnalysisHost, int n, n)

enum { SOME_BYTES = 512 }; /* not used; programs expect some */
#define BUFFER(symbol, sizes)                                                                                          \
    SOLVER(symbol)                                                                                                     \
    (solver_handle * h, sizes, int count, const solver_descriptor *d, const void *values, const int *offsets,          \
     const int *columns, solver_steps *i, size_t *inside, size_t *work)                                                \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        VALID;                                                                                                         \
        HAVE(count >= 0 && d && values && offsets && columns && i && inside && work);                                  \
        *inside = *work = SOME_BYTES;                                                                                  \
        return SOLVER_OK;                                                                                              \
    }
#define QR_BUFFER_ARGS int m __attribute__((unused)) COMMA int n

#define ZERO_PIVOT(symbol, R)                                                                                          \
    SOLVER(symbol)(solver_handle * h, solver_steps * i, R tolerance, int *position)                                    \
    {                                                                                                                  \
        VALID;                                                                                                         \
        HAVE(i && i->factors.upper && position);                                                                       \
        *position = small_pivot(&i->factors, (double)tolerance);                                                       \
        return SOLVER_OK;                                                                                              \
    }
static int small_pivot(const solver_factors *f, double tolerance)
{
    for (int k = 0; k < f->n; k++) {
        const double *pivot = f->upper[k].values[f->upper[k].count - 1];
        if (k == f->zero || hypot(pivot[0], pivot[1]) <= tolerance) return k;
    }
    return -1;
}

#define FACTOR(symbol, T_, on_host, how)                                                                               \
    SOLVER(symbol)(solver_handle * h, MATRIX_ARGS, solver_steps * i, void *buffer)                                     \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        SP_CALL(SP_FACTOR, on_host, T_);                                                                               \
        TAKE_MATRIX;                                                                                                   \
        HAVE(i);                                                                                                       \
        c.info = i, c.pivots = how, c.threshold = 1;                                                                   \
        return put(h, &c, __func__);                                                                                   \
    }
#define SUBSTITUTE(symbol, T_, on_host, sizes)                                                                         \
    SOLVER(symbol)(solver_handle * h, sizes, const void *b, void *x, solver_steps *i, void *buffer)                    \
    {                                                                                                                  \
        (void)buffer, (void)n;                                                                                         \
        SP_CALL(SP_SUBSTITUTE, on_host, T_);                                                                           \
        HAVE(b &&x &&i);                                                                                               \
        c.info = i, c.b = AT(b), c.x = AT(x);                                                                          \
        return put(h, &c, __func__);                                                                                   \
    }

/* Q R, real: the matrix is copied, less mu times the identity; b and x of the factoring call may be left out. */
#define QR(X, T_, R, suffix, on_host)                                                                                  \
    BUFFER(cusolverSp##X##csrqrBufferInfo##suffix, QR_BUFFER_ARGS)                                                     \
    SOLVER(cusolverSp##X##csrqrSetup##suffix)(solver_handle * h, int m, MATRIX_ARGS, R mu, solver_steps *i)            \
    {                                                                                                                  \
        SP_CALL(SP_COPY, on_host, T_);                                                                                 \
        TAKE_MATRIX;                                                                                                   \
        HAVE(i);                                                                                                       \
        if (m != n) return solver_end(solver_unsupported(__func__));                                                   \
        c.info = i, c.rows.shift = (double)mu;                                                                         \
        return put(h, &c, __func__);                                                                                   \
    }                                                                                                                  \
    SOLVER(cusolverSp##X##csrqrFactor##suffix)                                                                         \
    (solver_handle * h, int m, int n, int count, void *b, void *x, solver_steps *i, void *buffer)                      \
    {                                                                                                                  \
        (void)buffer, (void)m, (void)n, (void)count;                                                                   \
        SP_CALL(SP_FACTOR_COPY, on_host, T_);                                                                          \
        HAVE(i);                                                                                                       \
        c.info = i, c.pivots = SOLVER_PIVOTS_GREATEST, c.threshold = 1, c.b = AT(b), c.x = AT(x);                      \
        return put(h, &c, __func__);                                                                                   \
    }                                                                                                                  \
    SUBSTITUTE(cusolverSp##X##csrqrSolve##suffix, T_, on_host, int m __attribute__((unused)) COMMA int n)
#define CHOLESKY(X, T_, suffix, on_host)                                                                               \
    BUFFER(cusolverSp##X##csrcholBufferInfo##suffix, int n)                                                            \
    FACTOR(cusolverSp##X##csrcholFactor##suffix, T_, on_host, SOLVER_PIVOTS_DIAGONAL)                                  \
    SUBSTITUTE(cusolverSp##X##csrcholSolve##suffix, T_, on_host, int n)
#define SYSTEMS(X, T_, R)                                                                                              \
    CHOLESKY(X, T_, , false)                                                                                           \
    CHOLESKY(X, T_, Host, true)                                                                                        \
    BUFFER(cusolverSp##X##csrluBufferInfoHost, int n)                                                                  \
    SUBSTITUTE(cusolverSp##X##csrluSolveHost, T_, true, int n)                                                         \
    ZERO_PIVOT(cusolverSp##X##csrqrZeroPivot, R)                                                                       \
    ZERO_PIVOT(cusolverSp##X##csrqrZeroPivotHost, R)                                                                   \
    ZERO_PIVOT(cusolverSp##X##csrcholZeroPivot, R)                                                                     \
    ZERO_PIVOT(cusolverSp##X##csrcholZeroPivotHost, R)                                                                 \
    ZERO_PIVOT(cusolverSp##X##csrluZeroPivotHost, R)                                                                   \
    SOLVER(cusolverSp##X##csrcholDiag)(solver_handle * h, solver_steps * i, void *diagonal)                            \
    {                                                                                                                  \
        SP_CALL(SP_DIAGONAL, false, T_);                                                                               \
        HAVE(i &&diagonal);                                                                                            \
        c.info = i, c.x = AT(diagonal);                                                                                \
        return put(h, &c, __func__);                                                                                   \
    }                                                                                                                  \
    SOLVER(cusolverSp##X##csrluFactorHost)                                                                             \
    (solver_handle * h, MATRIX_ARGS, solver_steps * i, R threshold, void *buffer)                                      \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        SP_CALL(SP_FACTOR, true, T_);                                                                                  \
        TAKE_MATRIX;                                                                                                   \
        HAVE(i);                                                                                                       \
        c.info = i, c.pivots = SOLVER_PIVOTS_GREATEST, c.threshold = (double)threshold;                                \
        return put(h, &c, __func__);                                                                                   \
    }
SYSTEMS(S, BLAS_S, float)
SYSTEMS(D, BLAS_D, double)
SYSTEMS(C, BLAS_C, float)
SYSTEMS(Z, BLAS_Z, double)
QR(S, BLAS_S, float, , false)
QR(S, BLAS_S, float, Host, true)
QR(D, BLAS_D, double, , false)
QR(D, BLAS_D, double, Host, true)

/* Systems of one pattern, one after the other. */
#define BATCHED(X, T_)                                                                                                 \
    SOLVER(cusolverSp##X##csrqrBufferInfoBatched)                                                                      \
    (solver_handle * h, int m, int n, int count, const solver_descriptor *d, const void *values, const int *offsets,   \
     const int *columns, int batch, solver_steps *i, size_t *inside, size_t *work)                                     \
    {                                                                                                                  \
        VALID;                                                                                                         \
        HAVE(m >= n && n >= 0 && count >= 0 && d && values && offsets && columns && batch > 0 && i && inside && work); \
        *inside = *work = SOME_BYTES;                                                                                  \
        return SOLVER_OK;                                                                                              \
    }                                                                                                                  \
    SOLVER(cusolverSp##X##csrqrsvBatched)                                                                              \
    (solver_handle * h, int m, MATRIX_ARGS, const void *b, void *x, int batch, solver_steps *i, void *buffer)          \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        SP_CALL(SP_SOLVE, false, T_);                                                                                  \
        TAKE_MATRIX;                                                                                                   \
        HAVE(b &&x &&batch > 0 && i);                                                                                  \
        if (m != n) return solver_end(solver_unsupported(__func__));                                                   \
        c.pivots = SOLVER_PIVOTS_GREATEST, c.threshold = 1, c.tolerance = -1; /* whatever the pivots are */            \
        size_t size = blas_type_bytes[T_];                                                                             \
        int status = SOLVER_OK;                                                                                        \
        for (size_t k = 0; k < (size_t)batch && !status; k++) {                                                        \
            c.rows.values = (const char *)values + k * (size_t)count * size;                                           \
            c.b = AT(b) + k * (size_t)n * size, c.x = AT(x) + k * (size_t)n * size;                                    \
            status = put(h, &c, __func__);                                                                             \
        }                                                                                                              \
        return status;                                                                                                 \
    }
EACH(BATCHED)
