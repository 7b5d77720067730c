/* L U of sparse matrices, orders of their columns, and matchings. */
#include "solver/solver_sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"

static void subtract_product(sparse_value to, const sparse_value x, const sparse_value y)
{
    to[0] -= x[0] * y[0] - x[1] * y[1];
    to[1] -= x[0] * y[1] + x[1] * y[0];
}

static void divide(sparse_value x, const sparse_value by)
{
    double square = by[0] * by[0] + by[1] * by[1], real = (x[0] * by[0] + x[1] * by[1]) / square;
    x[1] = (x[1] * by[0] - x[0] * by[1]) / square;
    x[0] = real;
}

static double magnitude(const sparse_value x) { return x[1] == 0 ? fabs(x[0]) : hypot(x[0], x[1]); }
static bool is_zero(const sparse_value x) { return x[0] == 0 && x[1] == 0; }

static void append(solver_column *c, int row, const sparse_value value)
{
    if (c->count == c->room) {
        c->room = LW_MAX(2 * c->room, 8);
        c->rows = lw_realloc(c->rows, (size_t)c->room * sizeof *c->rows);
        c->values = lw_realloc(c->values, (size_t)c->room * sizeof *c->values);
    }
    c->rows[c->count] = row;
    memcpy(c->values[c->count++], value, sizeof(sparse_value));
}

bool solver_rows_valid(const solver_rows *m)
{
    if (m->offsets[0] != m->base) return false;
    for (int r = 0; r < m->n; r++)
        if (m->offsets[r + 1] < m->offsets[r]) return false;
    int count = m->offsets[m->n] - m->base;
    for (int k = 0; k < count; k++)
        if (m->columns[k] < m->base || m->columns[k] >= m->n + m->base) return false;
    return true;
}

/* ---------------------------------------------------------------- the matrix by columns */
static solver_column *by_columns(const solver_rows *m)
{
    static const int work_types[] = {BLAS_R_32F, BLAS_R_64F, BLAS_C_32F, BLAS_C_64F};
    solver_column *out = lw_alloc((size_t)LW_MAX(m->n, 1) * sizeof *out);
    for (int r = 0; r < m->n; r++) {
        bool shifted = m->shift == 0;
        for (int k = m->offsets[r] - m->base; k < m->offsets[r + 1] - m->base; k++) {
            sparse_value v;
            int column = m->columns[k] - m->base;
            blas_scalar_to_work(BLAS_Z, v, work_types[m->type],
                                (const char *)m->values + (size_t)k * blas_type_bytes[m->type]);
            if (column == r && !shifted) v[0] -= m->shift, shifted = true;
            append(&out[column], r, v);
        }
        if (!shifted) append(&out[r], r, (sparse_value){-m->shift, 0});
    }
    return out;
}

static void free_columns(solver_column *columns, int n)
{
    for (int j = 0; columns && j < n; j++) free(columns[j].rows), free(columns[j].values);
    free(columns);
}

/* ---------------------------------------------------------------- L U */
typedef struct factoring {
    solver_factors *f;
    sparse_value *x; /* the column as it is reduced, by rows of A */
    bool *taken;     /* rows that are pivots */
    solver_pivots how;
    double threshold, tolerance;
    const int *rows;
} factoring;

/* Takes the columns before out of column k. */
static void reduce(factoring *w, int k)
{
    solver_factors *f = w->f;
    for (int j = 0; j < k; j++) {
        double *here = w->x[f->rows[j]];
        if (is_zero(here)) continue;
        append(&f->upper[k], j, here);
        const solver_column *l = &f->lower[j];
        for (int i = 0; i < l->count; i++) subtract_product(w->x[l->rows[i]], here, l->values[i]);
    }
}

static int choose_row(const factoring *w, int k, int diagonal)
{
    if (w->how == SOLVER_PIVOTS_GIVEN) return w->rows[k];
    if (w->how == SOLVER_PIVOTS_DIAGONAL) return diagonal;
    int best = -1;
    for (int r = 0; r < w->f->n; r++)
        if (!w->taken[r] && (best < 0 || magnitude(w->x[r]) > magnitude(w->x[best]))) best = r;
    bool as_great = !w->taken[diagonal] && !is_zero(w->x[diagonal]) &&
                    magnitude(w->x[diagonal]) >= w->threshold * magnitude(w->x[best]);
    return as_great ? diagonal : best;
}

static void finish_column(factoring *w, int k, int pivot)
{
    solver_factors *f = w->f;
    bool small = magnitude(w->x[pivot]) <= w->tolerance || (w->how == SOLVER_PIVOTS_DIAGONAL && !(w->x[pivot][0] > 0));
    if (small && f->zero < 0) f->zero = k;
    f->rows[k] = pivot;
    w->taken[pivot] = true;
    append(&f->upper[k], k, w->x[pivot]);
    for (int r = 0; r < f->n; r++) {
        if (!w->taken[r] && !is_zero(w->x[r]) && !is_zero(w->x[pivot])) {
            divide(w->x[r], w->x[pivot]);
            append(&f->lower[k], r, w->x[r]);
        }
    }
    memset(w->x, 0, (size_t)f->n * sizeof *w->x);
}

void solver_factor(const solver_rows *m, solver_pivots how, double threshold, double tolerance, const int *order,
                   const int *rows, solver_factors *out)
{
    size_t n = (size_t)LW_MAX(m->n, 1);
    solver_column *a = by_columns(m);
    *out = (solver_factors){m->n,
                            -1,
                            lw_alloc(n * sizeof(int)),
                            lw_alloc(n * sizeof(int)),
                            lw_alloc(n * sizeof(solver_column)),
                            lw_alloc(n * sizeof(solver_column))};
    factoring w = {out, lw_alloc(n * sizeof(sparse_value)), lw_alloc(n), how, threshold, tolerance, rows};
    for (int k = 0; k < m->n; k++) {
        int column = order ? order[k] : k;
        out->order[k] = column;
        for (int i = 0; i < a[column].count; i++) { /* elements that are there twice are added */
            double *to = w.x[a[column].rows[i]];
            to[0] += a[column].values[i][0], to[1] += a[column].values[i][1];
        }
        reduce(&w, k);
        finish_column(&w, k, choose_row(&w, k, column));
    }
    free(w.x);
    free(w.taken);
    free_columns(a, m->n);
}

void solver_forget_factors(solver_factors *f)
{
    free_columns(f->lower, f->n);
    free_columns(f->upper, f->n);
    free(f->rows);
    free(f->order);
    *f = (solver_factors){.zero = -1};
}

void solver_substitute(const solver_factors *f, blas_type type, const void *b, void *x)
{
    static const int data_types[] = {BLAS_R_32F, BLAS_R_64F, BLAS_C_32F, BLAS_C_64F};
    size_t n = (size_t)LW_MAX(f->n, 1);
    sparse_value *work = lw_alloc(n * sizeof *work), *y = lw_alloc(n * sizeof *y);
    blas_to_work(BLAS_Z, work, data_types[type], b, (int64_t)n, f->n, 1);
    for (int k = 0; k < f->n; k++) {
        const solver_column *l = &f->lower[k];
        memcpy(y[k], work[f->rows[k]], sizeof *y);
        for (int i = 0; i < l->count; i++) subtract_product(work[l->rows[i]], y[k], l->values[i]);
    }
    for (int k = f->n - 1; k >= 0; k--) {
        const solver_column *u = &f->upper[k];
        divide(y[k], u->values[u->count - 1]);
        for (int i = 0; i < u->count - 1; i++) subtract_product(y[u->rows[i]], y[k], u->values[i]);
        memcpy(work[f->order[k]], y[k], sizeof *y);
    }
    blas_from_work(BLAS_Z, work, data_types[type], x, (int64_t)n, f->n, 1);
    free(work);
    free(y);
}

/* ---------------------------------------------------------------- orders */
/* Neighbours of each node of the pattern and its transpose, one list for each. */
typedef struct graph {
    int *begins, *ends;
} graph;

static graph neighbours(const solver_rows *m)
{
    size_t n = (size_t)m->n, count = (size_t)(m->offsets[m->n] - m->base);
    graph g = {lw_alloc((n + 2) * sizeof(int)), lw_alloc((2 * count + 1) * sizeof(int))};
    int *next = lw_alloc((n + 1) * sizeof *next);
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < m->n; r++)
            for (int k = m->offsets[r] - m->base; k < m->offsets[r + 1] - m->base; k++) {
                int c = m->columns[k] - m->base;
                if (c == r) continue;
                if (!pass) g.begins[r + 1]++, g.begins[c + 1]++;
                else g.ends[next[r]++] = c, g.ends[next[c]++] = r;
            }
        if (pass) break;
        for (size_t i = 0; i < n; i++) g.begins[i + 1] += g.begins[i];
        memcpy(next, g.begins, n * sizeof *next);
    }
    free(next);
    return g;
}

static int degree(const graph *g, int node) { return g->begins[node + 1] - g->begins[node]; }

/* Nodes from `first` by breadth, those of small degree first; appended to out. */
static int spread(const graph *g, int first, bool *seen, int *out, int count)
{
    int at = count;
    seen[first] = true;
    out[count++] = first;
    for (; at < count; at++) {
        int begin = count;
        for (int k = g->begins[out[at]]; k < g->begins[out[at] + 1]; k++) {
            int node = g->ends[k], place = count;
            if (seen[node]) continue;
            seen[node] = true;
            for (; place > begin && degree(g, out[place - 1]) > degree(g, node); place--) out[place] = out[place - 1];
            out[place] = node;
            count++;
        }
    }
    return count;
}

void solver_order(const solver_rows *m, int *out)
{
    graph g = neighbours(m);
    bool *seen = lw_alloc((size_t)LW_MAX(m->n, 1));
    int count = 0;
    while (count < m->n) {
        int first = -1;
        for (int i = 0; i < m->n; i++)
            if (!seen[i] && (first < 0 || degree(&g, i) < degree(&g, first))) first = i;
        count = spread(&g, first, seen, out, count);
    }
    for (int i = 0; i < m->n / 2; i++) {
        int other = out[i];
        out[i] = out[m->n - 1 - i];
        out[m->n - 1 - i] = other;
    }
    free(seen);
    free(g.begins);
    free(g.ends);
}

/* ---------------------------------------------------------------- matching */
typedef struct matching {
    const solver_rows *m;
    int *row_of; /* of each column, -1 */
    int *visited, round;
} matching;

/* A column for row r, whose holder may move on; depth is bounded by the length of a path. */
static bool place_row(matching *w, int r)
{
    const solver_rows *m = w->m;
    for (int k = m->offsets[r] - m->base; k < m->offsets[r + 1] - m->base; k++) {
        int c = m->columns[k] - m->base;
        if (w->row_of[c] < 0) return w->row_of[c] = r, true;
    }
    for (int k = m->offsets[r] - m->base; k < m->offsets[r + 1] - m->base; k++) {
        int c = m->columns[k] - m->base;
        if (w->visited[c] == w->round) continue;
        w->visited[c] = w->round;
        if (place_row(w, w->row_of[c])) return w->row_of[c] = r, true;
    }
    return false;
}

int solver_match(const solver_rows *m, int *rows)
{
    matching w = {m, rows, lw_alloc((size_t)LW_MAX(m->n, 1) * sizeof(int)), 0};
    int found = 0;
    for (int c = 0; c < m->n; c++) rows[c] = -1;
    for (int r = 0; r < m->n; r++) {
        w.round++;
        found += place_row(&w, r);
    }
    free(w.visited);
    return found;
}
