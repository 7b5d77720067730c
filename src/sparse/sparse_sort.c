/* Indices in order, and how many elements there are. Indices of 32 bits. */
#include <stdlib.h>

#include "sparse/sparse.h"

typedef struct sorted {
    int64_t major, minor, place;
} sorted;

static int by_place(const void *a, const void *b)
{
    const sorted *x = a, *y = b;
    if (x->major != y->major) return x->major < y->major ? -1 : 1;
    if (x->minor != y->minor) return x->minor < y->minor ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void sparse_sort(host_library *l, sparse_call *c)
{
    sparse_matrix *m = &c->a;
    bool coo = m->format == SPARSE_COO;
    int64_t *rows, *columns;
    if (!sparse_positions(l, m, &rows, &columns)) return;
    int32_t *first = coo ? sparse_use(l, m->first, m->count, 4, HOST_LIBRARY_WRITES) : (int32_t *)rows;
    int32_t *second = sparse_use(l, m->second, m->count, 4, HOST_LIBRARY_WRITES);
    int32_t *moved = c->to ? sparse_use(l, c->to, m->count, 4, HOST_LIBRARY_UPDATES) : (int32_t *)rows;
    size_t n = (size_t)LW_MAX(m->count, 1);
    sorted *list = lw_alloc(n * sizeof *list);
    int32_t *old = lw_alloc(n * sizeof *old);
    bool ok = first && second && moved, columns_first = c->op_a != 0;
    for (int64_t k = 0; ok && k < m->count; k++) {
        list[k] = (sorted){columns_first ? columns[k] : rows[k], columns_first ? rows[k] : columns[k], k};
        if (c->to) old[k] = moved[k];
    }
    if (ok) qsort(list, (size_t)m->count, sizeof *list, by_place);
    for (int64_t k = 0; ok && k < m->count; k++) {
        int64_t row = columns_first ? list[k].minor : list[k].major;
        int64_t column = columns_first ? list[k].major : list[k].minor;
        if (coo) first[k] = (int32_t)row + m->base;
        second[k] = (int32_t)(m->format == SPARSE_CSC ? row : column) + m->base;
        if (c->to) moved[k] = old[list[k].place];
    }
    free(list);
    free(old);
    free(rows);
    free(columns);
}

void sparse_count_lines(host_library *l, sparse_call *c)
{
    int64_t lines = c->op_a ? c->b.columns : c->b.rows;
    double(*dense)[2] = sparse_dense_values(l, &c->b, 0);
    int32_t *counts = dense ? sparse_use(l, c->to, lines, 4, HOST_LIBRARY_WRITES) : NULL;
    int32_t *total = (int32_t *)(uintptr_t)c->result;
    if (counts && !c->result_on_host) total = sparse_use(l, c->result, 1, 4, HOST_LIBRARY_WRITES);
    if (counts && total) {
        *total = 0;
        for (int64_t i = 0; i < lines; i++) counts[i] = 0;
        for (int64_t k = 0; k < c->b.rows * c->b.columns; k++) {
            bool stored = dense[k][0] != 0 || dense[k][1] != 0;
            counts[c->op_a ? k / c->b.rows : k % c->b.rows] += stored;
            *total += stored;
        }
    }
    free(dense);
}
