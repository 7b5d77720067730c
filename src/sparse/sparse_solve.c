/* Triangular systems, and the factors of a matrix without fill. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "sparse/sparse.h"

/* The rows of op(matrix): begin[r] .. begin[r + 1] are places in `order`, which are elements. */
typedef struct row_list {
    int64_t *begin, *order;
} row_list;

static row_list by_rows(const int64_t *rows, int64_t count, int64_t n)
{
    row_list out = {lw_alloc(((size_t)n + 2) * sizeof(int64_t)), lw_alloc((size_t)LW_MAX(count, 1) * sizeof(int64_t))};
    for (int64_t k = 0; k < count; k++) out.begin[rows[k] + 2]++;
    for (int64_t r = 0; r < n; r++) out.begin[r + 2] += out.begin[r + 1];
    for (int64_t k = 0; k < count; k++) out.order[out.begin[rows[k] + 1]++] = k;
    return out;
}

static void free_rows(row_list *r)
{
    free(r->begin);
    free(r->order);
}

static void divide(double x[2], const double by[2])
{
    double size = by[0] * by[0] + by[1] * by[1];
    double real = (x[0] * by[0] + x[1] * by[1]) / size;
    x[1] = (x[1] * by[0] - x[0] * by[1]) / size;
    x[0] = real;
}

typedef struct triangle {
    const sparse_matrix *matrix;
    const int64_t *rows, *columns; /* of op(matrix) */
    double (*values)[2];
    row_list lists;
    bool upper, conjugate;
} triangle;

/* Solves one column in place. */
static void solve_column(const triangle *t, double (*x)[2])
{
    int64_t n = t->matrix->rows;
    for (int64_t i = 0; i < n; i++) {
        int64_t r = t->upper ? n - 1 - i : i;
        double diagonal[2] = {t->matrix->unit, 0};
        for (int64_t at = t->lists.begin[r]; at < t->lists.begin[r + 1]; at++) {
            int64_t k = t->lists.order[at], c = t->columns[k];
            double value[2] = {-t->values[k][0], t->conjugate ? t->values[k][1] : -t->values[k][1]};
            if (t->upper ? c > r : c < r) sparse_add_product(x[r], value, x[c], false);
            if (c == r && !t->matrix->unit) diagonal[0] -= value[0], diagonal[1] -= value[1];
        }
        divide(x[r], diagonal);
    }
}

/* op(b), by columns, times alpha. */
static double (*right_side(host_library *l, sparse_call *c, const double alpha[2]))[2]
{
    double(*b)[2] = sparse_dense_values(l, &c->b, 0);
    if (!b) return NULL;
    int64_t rows = c->c.rows, columns = c->c.columns;
    double(*out)[2] = lw_alloc((size_t)LW_MAX(rows * columns, 1) * sizeof *out);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            double x[2];
            memcpy(x, b[c->op_b == SPARSE_OP_N ? i + j * rows : j + i * columns], sizeof x);
            if (c->op_b == SPARSE_OP_C) x[1] = -x[1];
            sparse_add_product(out[i + j * rows], alpha, x, false);
        }
    free(b);
    return out;
}

void sparse_solve(host_library *l, sparse_call *c)
{
    double alpha[2];
    sparse_elements e = {0};
    if (!sparse_scalar_of(l, &c->alpha, alpha)) return;
    double(*x)[2] = sparse_read_elements(l, &c->a, &e) ? right_side(l, c, alpha) : NULL;
    if (x) {
        bool turned = c->op_a != SPARSE_OP_N;
        triangle t = {&c->a, turned ? e.columns : e.rows, turned ? e.rows : e.columns, e.values,
                      {0},   turned != c->a.upper,        c->op_a == SPARSE_OP_C};
        t.lists = by_rows(t.rows, c->a.count, c->a.rows);
        for (int64_t j = 0; j < c->c.columns; j++) solve_column(&t, x + j * c->c.rows);
        sparse_store_dense(l, &c->c, 0, x);
        free_rows(&t.lists);
    }
    sparse_free_elements(&e);
    free(x);
}

/* Place of column c in row r of a CSR matrix whose columns are sorted; -1: not stored. */
static int64_t find(const sparse_elements *e, const row_list *rows, int64_t r, int64_t c)
{
    for (int64_t at = rows->begin[r]; at < rows->begin[r + 1]; at++)
        if (e->columns[rows->order[at]] == c) return rows->order[at];
    return -1;
}

/* Row r less its part of the rows above it. */
static void eliminate(sparse_elements *e, const row_list *rows, int64_t r)
{
    for (int64_t at = rows->begin[r]; at < rows->begin[r + 1]; at++) {
        int64_t k = rows->order[at], above = e->columns[k];
        int64_t diagonal = above < r ? find(e, rows, above, above) : -1;
        if (diagonal < 0) continue;
        divide(e->values[k], e->values[diagonal]);
        double factor[2] = {-e->values[k][0], -e->values[k][1]};
        for (int64_t other = rows->begin[above]; other < rows->begin[above + 1]; other++) {
            int64_t from = rows->order[other];
            int64_t to = e->columns[from] > above ? find(e, rows, r, e->columns[from]) : -1;
            if (to >= 0) sparse_add_product(e->values[to], factor, e->values[from], false);
        }
    }
}

void sparse_factor(host_library *l, sparse_call *c)
{
    sparse_matrix *m = &c->a;
    sparse_elements e;
    *c->pivot = -1;
    if (sparse_read_elements(l, m, &e)) {
        row_list rows = by_rows(e.rows, m->count, m->rows);
        for (int64_t r = 0; r < m->rows; r++) {
            eliminate(&e, &rows, r);
            int64_t diagonal = find(&e, &rows, r, r);
            bool zero = diagonal < 0 || (e.values[diagonal][0] == 0 && e.values[diagonal][1] == 0);
            if (zero && *c->pivot < 0) *c->pivot = r + m->base;
        }
        free_rows(&rows);
        size_t bytes = blas_element_bytes(m->value_type);
        void *to = sparse_use(l, m->values, m->count, bytes, HOST_LIBRARY_WRITES);
        if (to) blas_from_work(BLAS_Z, e.values, m->value_type, to, LW_MAX(m->count, 1), m->count, 1);
    }
    sparse_free_elements(&e);
}

/* Element k of row r, of a column above, less the products of what lies before it in both rows; by the diagonal, which is real. */
static void reduce_element(sparse_elements *e, const row_list *rows, int64_t r, int64_t k)
{
    int64_t above = e->columns[k], diagonal = find(e, rows, above, above);
    for (int64_t at = rows->begin[r]; at < rows->begin[r + 1]; at++) {
        int64_t mine = rows->order[at], other = e->columns[mine] < above ? find(e, rows, above, e->columns[mine]) : -1;
        if (other < 0) continue;
        double conjugated[2] = {-e->values[other][0], e->values[other][1]};
        sparse_add_product(e->values[k], e->values[mine], conjugated, false);
    }
    if (diagonal >= 0) divide(e->values[k], e->values[diagonal]);
}

void sparse_factor_symmetric(host_library *l, sparse_call *c)
{
    sparse_matrix *m = &c->a;
    sparse_elements e;
    *c->pivot = -1;
    if (sparse_read_elements(l, m, &e)) {
        row_list rows = by_rows(e.rows, m->count, m->rows);
        for (int64_t r = 0; r < m->rows; r++) {
            int64_t diagonal = find(&e, &rows, r, r);
            double left = diagonal < 0 ? 0 : e.values[diagonal][0];
            for (int64_t at = rows.begin[r]; at < rows.begin[r + 1]; at++) {
                int64_t k = rows.order[at];
                if (e.columns[k] >= r) continue;
                reduce_element(&e, &rows, r, k);
                left -= e.values[k][0] * e.values[k][0] + e.values[k][1] * e.values[k][1];
            }
            if (!(left > 0) && *c->pivot < 0) *c->pivot = r + m->base;
            if (diagonal >= 0) e.values[diagonal][0] = sqrt(left), e.values[diagonal][1] = 0;
        }
        free_rows(&rows);
        void *to = sparse_use(l, m->values, m->count, blas_element_bytes(m->value_type), HOST_LIBRARY_WRITES);
        if (to) blas_from_work(BLAS_Z, e.values, m->value_type, to, LW_MAX(m->count, 1), m->count, 1);
    }
    sparse_free_elements(&e);
}
