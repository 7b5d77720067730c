/* cusolverSp's functions of the host: what L U's factors look like, orders, permutations, symmetry. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "solver/solver_entry.h"
#include "solver/solver_sparse.h"

/* ---------------------------------------------------------------- factors as matrices by rows */
SOLVER(cusolverSpXcsrluNnzHost)(solver_handle *h, int *lower, int *upper, solver_steps *i)
{
    VALID;
    HAVE(lower && upper && i && i->factors.upper);
    *lower = *upper = 0;
    for (int k = 0; k < i->factors.n; k++) *lower += i->factors.lower[k].count, *upper += i->factors.upper[k].count;
    return SOLVER_OK;
}

/* Columns to rows: number of the row of element i of a column. */
typedef struct extraction {
    const solver_column *columns;
    const int *number; /* of a row of A; NULL: rows are numbers */
    int n, base, type;
} extraction;

static void extract(const extraction *e, void *values, int *offsets, int *indices)
{
    size_t bytes = blas_element_bytes(e->type);
    memset(offsets, 0, ((size_t)e->n + 1) * sizeof *offsets);
    for (int k = 0; k < e->n; k++)
        for (int i = 0; i < e->columns[k].count; i++) {
            int row = e->columns[k].rows[i];
            offsets[(e->number ? e->number[row] : row) + 1]++;
        }
    for (int r = 0; r < e->n; r++) offsets[r + 1] += offsets[r];
    int *next = lw_alloc(((size_t)e->n + 1) * sizeof *next);
    memcpy(next, offsets, (size_t)e->n * sizeof *next);
    for (int k = 0; k < e->n; k++)
        for (int i = 0; i < e->columns[k].count; i++) {
            int row = e->columns[k].rows[i], at = next[e->number ? e->number[row] : row]++;
            indices[at] = k + e->base;
            blas_from_work(BLAS_Z, e->columns[k].values[i], e->type, (char *)values + (size_t)at * bytes, 1, 1, 1);
        }
    for (int r = 0; r <= e->n; r++) offsets[r] += e->base;
    free(next);
}

/* A(P, Q) = L U; L without its ones. */
#define EXTRACT(X, data)                                                                                               \
    SOLVER(cusolverSp##X##csrluExtractHost)                                                                            \
    (solver_handle * h, int *p, int *q, const solver_descriptor *dl, void *l, int *offsets_l, int *columns_l,          \
     const solver_descriptor *du, void *u, int *offsets_u, int *columns_u, solver_steps *i, void *buffer)              \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        VALID;                                                                                                         \
        HAVE(p &&q &&dl &&l &&offsets_l &&columns_l &&du &&u &&offsets_u &&columns_u);                                 \
        HAVE(i && i->factors.upper);                                                                                   \
        const solver_factors *f = &i->factors;                                                                         \
        int *number = lw_alloc((size_t)LW_MAX(f->n, 1) * sizeof *number);                                              \
        for (int k = 0; k < f->n; k++) number[f->rows[k]] = k, p[k] = f->rows[k], q[k] = f->order[k];                  \
        extract(&(extraction){f->lower, number, f->n, dl->IndexBase, data}, l, offsets_l, columns_l);                  \
        extract(&(extraction){f->upper, NULL, f->n, du->IndexBase, data}, u, offsets_u, columns_u);                    \
        free(number);                                                                                                  \
        return SOLVER_OK;                                                                                              \
    }
EXTRACT(S, BLAS_R_32F)
EXTRACT(D, BLAS_R_64F)
EXTRACT(C, BLAS_C_32F)
EXTRACT(Z, BLAS_C_64F)

/* ---------------------------------------------------------------- orders */
static int order(solver_handle *h, const solver_rows *m, int count, int *out, const char *function)
{
    if (!solver_valid(h)) return solver_end_call(SOLVER_NOT_INITIALIZED, function);
    bool ok = m->n >= 0 && count >= 0 && m->offsets && m->columns && out && solver_rows_valid(m);
    if (!ok || m->offsets[m->n] - m->base > count) return solver_end_call(SOLVER_INVALID_VALUE, function);
    solver_order(m, out);
    return SOLVER_OK;
}

/* One order serves them all: Cuthill and McKee's. */
#define ORDER(symbol, ...)                                                                                             \
    SOLVER(symbol)                                                                                                     \
    (solver_handle * h, int n, int count, const solver_descriptor *d, const int *offsets, const int *columns,          \
     ##__VA_ARGS__, int *p)                                                                                            \
    {                                                                                                                  \
        HAVE(d);                                                                                                       \
        return order(h, &(solver_rows){.n = n, .base = d->IndexBase, .offsets = offsets, .columns = columns}, count,   \
                     p, __func__);                                                                                     \
    }
ORDER(cusolverSpXcsrsymrcmHost)
ORDER(cusolverSpXcsrsymmdqHost)
ORDER(cusolverSpXcsrsymamdHost)
ORDER(cusolverSpXcsrmetisndHost, UNUSED const int64_t *options)

/* P so that A(P, :) has no zero on its diagonal, as far as that goes. */
#define ZERO_FREE(X)                                                                                                   \
    SOLVER(cusolverSp##X##csrzfdHost)                                                                                  \
    (solver_handle * h, int n, UNUSED int count, const solver_descriptor *d, UNUSED const void *values,                \
     const int *offsets, const int *columns, int *p, int *found)                                                       \
    {                                                                                                                  \
        VALID;                                                                                                         \
        HAVE(n >= 0 && d && offsets && columns && p && found);                                                         \
        solver_rows m = {.n = n, .base = d->IndexBase, .offsets = offsets, .columns = columns};                        \
        HAVE(solver_rows_valid(&m));                                                                                   \
        *found = match(&m, p);                                                                                         \
        return SOLVER_OK;                                                                                              \
    }
static int match(const solver_rows *m, int *rows)
{
    int found = solver_match(m, rows), next = 0;
    bool *taken = lw_alloc((size_t)LW_MAX(m->n, 1));
    for (int c = 0; c < m->n; c++)
        if (rows[c] >= 0) taken[rows[c]] = true;
    for (int c = 0; c < m->n; c++) {
        if (rows[c] >= 0) continue;
        while (taken[next]) next++;
        rows[c] = next++;
    }
    free(taken);
    return found;
}
ZERO_FREE(S)
ZERO_FREE(D)
ZERO_FREE(C)
ZERO_FREE(Z)

SOLVER(cusolverSpXcsrissymHost)
(solver_handle *h, int n, int count, const solver_descriptor *d, const int *begins, const int *ends, const int *columns,
 int *out)
{
    VALID;
    HAVE(n >= 0 && count >= 0 && d && begins && ends && columns && out);
    *out = 1;
    for (int r = 0; r < n && *out; r++)
        for (int k = begins[r] - d->IndexBase; k < ends[r] - d->IndexBase && *out; k++) {
            int c = columns[k] - d->IndexBase, found = 0;
            HAVE(c >= 0 && c < n);
            for (int i = begins[c] - d->IndexBase; i < ends[c] - d->IndexBase; i++)
                found |= columns[i] - d->IndexBase == r;
            *out = found;
        }
    return SOLVER_OK;
}

/* ---------------------------------------------------------------- B = A(p, q), and where its elements were */
SOLVER(cusolverSpXcsrperm_bufferSizeHost)
(solver_handle *h, int m, int n, int count, const solver_descriptor *d, const int *offsets, const int *columns,
 const int *p, const int *q, size_t *out)
{
    VALID;
    HAVE(m >= 0 && n >= 0 && count >= 0 && d && offsets && columns && p && q && out);
    *out = 16; /* not used; programs expect some */
    return SOLVER_OK;
}

typedef struct element {
    int column, map;
} element;
static int by_column(const void *a, const void *b)
{
    return ((const element *)a)->column - ((const element *)b)->column;
}

static bool is_permutation(const int *p, int n)
{
    bool *seen = lw_alloc((size_t)LW_MAX(n, 1)), ok = true;
    for (int i = 0; i < n && ok; i++) {
        ok = p[i] >= 0 && p[i] < n && !seen[p[i]];
        if (ok) seen[p[i]] = true;
    }
    free(seen);
    return ok;
}

SOLVER(cusolverSpXcsrpermHost)
(solver_handle *h, int m, int n, int count, const solver_descriptor *d, int *offsets, int *columns, const int *p,
 const int *q, int *map, void *buffer)
{
    (void)buffer;
    VALID;
    HAVE(m >= 0 && n >= 0 && count >= 0 && d && offsets && columns && p && q && map);
    HAVE(is_permutation(p, m) && is_permutation(q, n) && offsets[m] - d->IndexBase <= count);
    int base = d->IndexBase, to = 0;
    int *place = lw_alloc((size_t)LW_MAX(n, 1) * sizeof *place), *begins = lw_alloc(((size_t)m + 1) * sizeof *begins);
    element *all = lw_alloc((size_t)LW_MAX(count, 1) * sizeof *all);
    for (int j = 0; j < n; j++) place[q[j]] = j;
    memcpy(begins, offsets, ((size_t)m + 1) * sizeof *begins);
    for (int r = 0; r < m; r++) {
        int first = to;
        for (int k = begins[p[r]] - base; k < begins[p[r] + 1] - base; k++)
            all[to++] = (element){place[columns[k] - base], map[k]};
        qsort(all + first, (size_t)(to - first), sizeof *all, by_column);
        offsets[r + 1] = to + base;
    }
    for (int k = 0; k < to; k++) columns[k] = all[k].column + base, map[k] = all[k].map;
    free(place);
    free(begins);
    free(all);
    return SOLVER_OK;
}
