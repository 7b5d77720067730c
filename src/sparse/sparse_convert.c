/* Conversions between formats. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "sparse/sparse.h"

/* ---------------------------------------------------------------- dense to sparse */
static bool is_stored(const double x[2]) { return x[0] != 0 || x[1] != 0; }

/* Element `at` of line `line` of the sparse format, out of a matrix by columns. */
static const double *element(const sparse_matrix *m, double (*dense)[2], int64_t line, int64_t at)
{
    return m->format == SPARSE_CSC ? dense[at + line * m->rows] : dense[line + at * m->rows];
}

void sparse_count(host_library *l, sparse_call *c)
{
    sparse_matrix *m = &c->a;
    int64_t lines = m->format == SPARSE_CSC ? m->columns : m->rows,
            length = m->format == SPARSE_CSC ? m->rows : m->columns;
    double(*dense)[2] = sparse_dense_values(l, &c->b, 0);
    if (!dense) return;
    void *offsets = NULL;
    if (m->format != SPARSE_COO)
        offsets = sparse_use(l, m->first, lines + 1, sparse_index_bytes(m->first_type), HOST_LIBRARY_WRITES);
    int64_t count = 0;
    for (int64_t line = 0; line < lines; line++) {
        if (offsets) sparse_set_index(m->first_type, offsets, line, count + m->base);
        for (int64_t at = 0; at < length; at++) count += is_stored(element(m, dense, line, at));
    }
    if (offsets) sparse_set_index(m->first_type, offsets, lines, count + m->base);
    c->counted->count = count;
    free(dense);
}

void sparse_from_dense(host_library *l, sparse_call *c)
{
    sparse_matrix *m = &c->a;
    bool coo = m->format == SPARSE_COO;
    int64_t lines = m->format == SPARSE_CSC ? m->columns : m->rows,
            length = m->format == SPARSE_CSC ? m->rows : m->columns;
    size_t bytes = blas_element_bytes(m->value_type);
    int64_t firsts = coo ? m->count : lines + 1;
    void *first = sparse_use(l, m->first, firsts, sparse_index_bytes(m->first_type), HOST_LIBRARY_WRITES);
    void *second = sparse_use(l, m->second, m->count, sparse_index_bytes(m->second_type), HOST_LIBRARY_WRITES);
    char *values = sparse_use(l, m->values, m->count, bytes, HOST_LIBRARY_WRITES);
    double(*dense)[2] = first && second && values ? sparse_dense_values(l, &c->b, 0) : NULL;
    int64_t k = 0;
    for (int64_t line = 0; dense && line < lines; line++) {
        if (!coo) sparse_set_index(m->first_type, first, line, k + m->base);
        for (int64_t at = 0; at < length && k < m->count; at++) {
            const double *x = element(m, dense, line, at);
            if (!is_stored(x)) continue;
            if (coo) sparse_set_index(m->first_type, first, k, line + m->base);
            sparse_set_index(m->second_type, second, k, at + m->base);
            blas_from_work(BLAS_Z, x, m->value_type, values + (size_t)k * bytes, 1, 1, 1);
            k++;
        }
    }
    if (dense && !coo) sparse_set_index(m->first_type, first, lines, k + m->base);
    free(dense);
}

void sparse_to_dense(host_library *l, sparse_call *c)
{
    sparse_matrix *m = &c->a;
    int64_t *rows, *columns;
    if (!sparse_positions(l, m, &rows, &columns)) return;
    double(*values)[2] = sparse_values(l, m->values, m->count, m->value_type);
    double(*dense)[2] = lw_alloc((size_t)LW_MAX(m->rows * m->columns, 1) * sizeof *dense);
    for (int64_t k = 0; values && k < m->count; k++)
        memcpy(dense[rows[k] + columns[k] * m->rows], values[k], sizeof *dense);
    if (values) sparse_store_dense(l, &c->b, 0, dense);
    free(rows);
    free(columns);
    free(values);
    free(dense);
}

/* ---------------------------------------------------------------- indices of 32 bits */
void sparse_compress(host_library *l, sparse_call *c)
{
    const int32_t *from = sparse_use(l, c->from, c->count, 4, HOST_LIBRARY_READS);
    int32_t *to = sparse_use(l, c->to, c->rows + 1, 4, HOST_LIBRARY_WRITES);
    if (!from || !to) return;
    int64_t k = 0;
    for (int64_t row = 0; row <= c->rows; row++) {
        while (k < c->count && from[k] - c->base < row) k++;
        to[row] = (int32_t)k + c->base;
    }
}

void sparse_expand(host_library *l, sparse_call *c)
{
    const int32_t *from = sparse_use(l, c->from, c->rows + 1, 4, HOST_LIBRARY_READS);
    int32_t *to = sparse_use(l, c->to, c->count, 4, HOST_LIBRARY_WRITES);
    if (!from || !to) return;
    for (int64_t row = 0; row < c->rows; row++)
        for (int64_t k = LW_MAX(from[row] - c->base, 0); k < LW_MIN(from[row + 1] - c->base, c->count); k++)
            to[k] = (int32_t)row + c->base;
}

void sparse_identity(host_library *l, sparse_call *c)
{
    int32_t *to = sparse_use(l, c->to, c->count, 4, HOST_LIBRARY_WRITES);
    for (int32_t k = 0; to && k < c->count; k++) to[k] = k;
}

/* The elements by columns, in the order of rows: a counting sort. x.values, x.indices, to: values, rows and offsets of the
 * result; x.count 0: values stay as they are. */
void sparse_turn(host_library *l, sparse_call *c)
{
    sparse_matrix *m = &c->a;
    size_t bytes = blas_element_bytes(m->value_type);
    int64_t *rows, *columns;
    if (!sparse_positions(l, m, &rows, &columns)) return;
    bool with_values = c->x.count > 0;
    const char *values = with_values ? sparse_use(l, m->values, m->count, bytes, HOST_LIBRARY_READS) : "";
    char *out_values = with_values ? sparse_use(l, c->x.values, m->count, bytes, HOST_LIBRARY_WRITES) : (char *)rows;
    int32_t *out_rows = sparse_use(l, c->x.indices, m->count, 4, HOST_LIBRARY_WRITES);
    int32_t *offsets = sparse_use(l, c->to, m->columns + 1, 4, HOST_LIBRARY_WRITES);
    if (values && out_values && out_rows && offsets) {
        int64_t *next = lw_alloc((size_t)(m->columns + 1) * sizeof *next);
        for (int64_t k = 0; k < m->count; k++) next[columns[k] + 1]++;
        for (int64_t i = 0; i < m->columns; i++) next[i + 1] += next[i];
        for (int64_t i = 0; i <= m->columns; i++) offsets[i] = (int32_t)next[i] + m->base;
        for (int64_t k = 0; k < m->count; k++) {
            int64_t at = next[columns[k]]++;
            out_rows[at] = (int32_t)rows[k] + m->base;
            if (with_values) memcpy(out_values + (size_t)at * bytes, values + (size_t)k * bytes, bytes);
        }
        free(next);
    }
    free(rows);
    free(columns);
}
