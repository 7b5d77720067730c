/* cusolverRf: a matrix is factorised again and again in the order of rows and columns of a first factorisation, whose own factors are
 * not needed here. */
#include <stdlib.h>
#include <string.h>

#include "solver/solver_entry.h"
#include "solver/solver_sparse.h"

typedef struct rf_handle {
    solver_handle base; /* first: what calls are put with */
    int format, diagonal, factoring, solving, fast;
    double zero, boost;
    int *rows, *order, *offsets, *columns;
    double *values;
    int n, count;
    solver_factors factors;
} rf_handle;

static bool rf_valid(const rf_handle *h) { return h && solver_valid(&h->base); }
#define RF                                                                                                             \
    do {                                                                                                               \
        if (!rf_valid(h)) return solver_end(SOLVER_NOT_INITIALIZED);                                                   \
    } while (0)

static void forget(rf_handle *h)
{
    void *all[] = {h->rows, h->order, h->offsets, h->columns, h->values};
    for (size_t i = 0; i < LW_COUNT(all); i++) free(all[i]);
    if (h->factors.upper) solver_forget_factors(&h->factors);
}

SOLVER(cusolverDnCreate)(solver_handle **out);
SOLVER(cusolverDnDestroy)(solver_handle *h);
SOLVER(cusolverRfCreate)(rf_handle **out)
{
    solver_handle *plain = NULL;
    HAVE(out);
    int status = lw_cusolver_cusolverDnCreate(&plain);
    if (status) return status;
    *out = lw_alloc(sizeof **out);
    **out = (rf_handle){.base = *plain};
    free(plain);
    return SOLVER_OK;
}
SOLVER(cusolverRfDestroy)(rf_handle *h)
{
    RF;
    forget(h);
    return lw_cusolver_cusolverDnDestroy(&h->base);
}

#define PAIR(name, T, first, second)                                                                                   \
    SOLVER(cusolverRfSet##name)(rf_handle * h, T a, T b)                                                               \
    {                                                                                                                  \
        RF;                                                                                                            \
        h->first = a, h->second = b;                                                                                   \
        return SOLVER_OK;                                                                                              \
    }                                                                                                                  \
    SOLVER(cusolverRfGet##name)(rf_handle * h, T * a, T * b)                                                           \
    {                                                                                                                  \
        RF;                                                                                                            \
        HAVE(a &&b);                                                                                                   \
        *a = h->first, *b = h->second;                                                                                 \
        return SOLVER_OK;                                                                                              \
    }
PAIR(MatrixFormat, int, format, diagonal)
PAIR(Algs, int, factoring, solving)
PAIR(NumericProperties, double, zero, boost)
SOLVER(cusolverRfSetResetValuesFastMode)(rf_handle *h, int on)
{
    RF;
    h->fast = on;
    return SOLVER_OK;
}
SOLVER(cusolverRfGetResetValuesFastMode)(rf_handle *h, int *out)
{
    RF;
    HAVE(out);
    *out = h->fast;
    return SOLVER_OK;
}
SOLVER(cusolverRfGetNumericBoostReport)(rf_handle *h, int *out)
{
    RF;
    HAVE(out);
    *out = 0; /* nothing is boosted */
    return SOLVER_OK;
}

/* ---------------------------------------------------------------- calls */
typedef struct rf_call {
    rf_handle *h;
    bool host;
    int n, count, columns, ld;
    uint64_t offsets, indices, values, rows, order, x;
} rf_call;

static void *copy(host_library *l, const rf_call *c, uint64_t from, int64_t count, size_t bytes, bool *ok)
{
    const void *at =
        c->host ? (const void *)(uintptr_t)from : solver_use(l, from, count, bytes, HOST_LIBRARY_READS, ok);
    void *out = lw_alloc(LW_MAX((size_t)count, 1u) * bytes);
    if (at && *ok) memcpy(out, at, (size_t)count * bytes);
    return out;
}

static solver_rows rows_of(const rf_handle *h)
{
    return (solver_rows){.n = h->n, .offsets = h->offsets, .columns = h->columns, .values = h->values, .type = BLAS_D};
}

static void run_take(host_library *l, const void *args)
{
    const rf_call *c = args;
    rf_handle *h = c->h;
    bool ok = true;
    forget(h);
    h->n = c->n, h->count = c->count;
    h->offsets = copy(l, c, c->offsets, c->n + 1, 4, &ok);
    h->columns = copy(l, c, c->indices, c->count, 4, &ok);
    h->values = copy(l, c, c->values, c->count, 8, &ok);
    h->rows = copy(l, c, c->rows, c->n, 4, &ok);
    h->order = copy(l, c, c->order, c->n, 4, &ok);
    solver_rows m = rows_of(h);
    for (int k = 0; ok && k < h->n; k++)
        ok = h->rows[k] >= 0 && h->rows[k] < h->n && h->order[k] >= 0 && h->order[k] < h->n;
    ok = ok && h->offsets[h->n] <= h->count && solver_rows_valid(&m);
    if (!ok) h->n = 0;
    if (!ok && l) host_library_fail(l, "an index of the sparse matrix lies outside of it");
}

static void run_factor(host_library *l, const void *args)
{
    rf_handle *h = ((const rf_call *)args)->h;
    solver_rows m = rows_of(h);
    (void)l;
    if (h->factors.upper) solver_forget_factors(&h->factors);
    solver_factor(&m, SOLVER_PIVOTS_GIVEN, 1, 0, h->order, h->rows, &h->factors);
}

static void run_solve(host_library *l, const void *args) /* x = solution for x, in place */
{
    const rf_call *c = args;
    bool ok = true;
    for (int j = 0; j < c->columns; j++) {
        double *x = solver_use(l, c->x + (uint64_t)j * (uint64_t)c->ld * 8, c->h->n, 8, HOST_LIBRARY_UPDATES, &ok);
        if (!ok) return;
        solver_substitute(&c->h->factors, BLAS_D, x, x);
    }
}

static int take(rf_handle *h, rf_call *c, const char *function)
{
    bool there = c->offsets && c->indices && c->values && c->rows && c->order && c->n >= 0 && c->count >= 0;
    if (!rf_valid(h)) return solver_end_call(SOLVER_NOT_INITIALIZED, function);
    if (!there) return solver_end_call(SOLVER_INVALID_VALUE, function);
    c->h = h;
    if (c->host) run_take(NULL, c);
    else {
        int status = solver_put_other(&h->base, run_take, c, sizeof *c, function);
        if (status) return status;
    }
    return h->n == c->n ? SOLVER_OK : solver_end_call(SOLVER_INVALID_VALUE, function);
}

#define SETUP(symbol, on_host)                                                                                         \
    SOLVER(symbol)                                                                                                     \
    (int n, int count, int *offsets, int *columns, double *values, UNUSED int count_l, UNUSED int *offsets_l,          \
     UNUSED int *columns_l, UNUSED double *values_l, UNUSED int count_u, UNUSED int *offsets_u, UNUSED int *columns_u, \
     UNUSED double *values_u, int *p, int *q, rf_handle *h)                                                            \
    {                                                                                                                  \
        rf_call c = {.host = on_host, .n = n, .count = count, .offsets = AT(offsets), .indices = AT(columns)};         \
        c.values = AT(values), c.rows = AT(p), c.order = AT(q);                                                        \
        return take(h, &c, __func__);                                                                                  \
    }
SETUP(cusolverRfSetupHost, true)
SETUP(cusolverRfSetupDevice, false)

SOLVER(cusolverRfResetValues)
(int n, int count, int *offsets, int *columns, double *values, int *p, int *q, rf_handle *h)
{
    rf_call c = {.n = n, .count = count, .offsets = AT(offsets), .indices = AT(columns), .values = AT(values)};
    c.rows = AT(p), c.order = AT(q);
    return take(h, &c, __func__);
}

SOLVER(cusolverRfAnalyze)(rf_handle *h)
{
    RF;
    return h->rows ? SOLVER_OK : solver_end(SOLVER_INTERNAL_ERROR);
}
SOLVER(cusolverRfRefactor)(rf_handle *h)
{
    RF;
    rf_call c = {.h = h};
    if (!h->rows) return solver_end(SOLVER_INTERNAL_ERROR);
    int status = solver_put_other(&h->base, run_factor, &c, sizeof c, __func__);
    return status || h->factors.zero < 0 ? status : solver_end(SOLVER_ZERO_PIVOT);
}
SOLVER(cusolverRfSolve)(rf_handle *h, int *p, int *q, int columns, double *temp, int ldt, double *x, int ldx)
{
    (void)p, (void)q, (void)temp, (void)ldt;
    RF;
    HAVE(columns >= 0 && x && blas_ld(ldx, h->n));
    rf_call c = {.h = h, .columns = columns, .ld = ldx, .x = AT(x)};
    if (!h->factors.upper) return solver_end(SOLVER_INTERNAL_ERROR);
    return solver_put_other(&h->base, run_solve, &c, sizeof c, __func__);
}
