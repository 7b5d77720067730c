/* Operands while a call runs: indices of three widths, values of any type, dense matrices of both orders. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "sparse/sparse.h"

size_t sparse_index_bytes(int type) { return type == SPARSE_INDEX_16U ? 2 : type == SPARSE_INDEX_64I ? 8 : 4; }

int64_t sparse_index(int type, const void *array, int64_t i)
{
    if (type == SPARSE_INDEX_16U) return ((const uint16_t *)array)[i];
    if (type == SPARSE_INDEX_64I) return ((const int64_t *)array)[i];
    return ((const int32_t *)array)[i];
}

void sparse_set_index(int type, void *array, int64_t i, int64_t value)
{
    if (type == SPARSE_INDEX_16U) ((uint16_t *)array)[i] = (uint16_t)value;
    else if (type == SPARSE_INDEX_64I) ((int64_t *)array)[i] = value;
    else ((int32_t *)array)[i] = (int32_t)value;
}

void *sparse_use(host_library *l, uint64_t address, int64_t count, size_t bytes, host_library_access access)
{
    uint64_t all = (uint64_t)count * bytes;
    return host_library_use(l, (host_library_memory){address, all, 1, all}, access);
}

double (*sparse_values(host_library *l, uint64_t address, int64_t count, int type))[2]
{
    const void *at = sparse_use(l, address, count, blas_element_bytes(type), HOST_LIBRARY_READS);
    if (!at) return NULL;
    double(*out)[2] = lw_alloc((size_t)LW_MAX(count, 1) * sizeof *out);
    blas_to_work(BLAS_Z, out, type, at, LW_MAX(count, 1), count, 1);
    return out;
}

sparse_matrix sparse_of_batch(const sparse_matrix *m, int64_t i)
{
    sparse_matrix out = *m;
    out.first += (uint64_t)(i * m->first_stride) * sparse_index_bytes(m->first_type);
    out.second += (uint64_t)(i * m->stride) * sparse_index_bytes(m->second_type);
    out.values += (uint64_t)(i * m->stride) * blas_element_bytes(m->value_type);
    return out;
}

/* A dense matrix in memory: lines of `length`, ld apart. */
static void *use_dense(host_library *l, const sparse_dense *d, int64_t i, host_library_access access)
{
    bool by_rows = d->order == SPARSE_ORDER_ROWS;
    size_t bytes = blas_element_bytes(d->value_type);
    uint64_t length = (uint64_t)(by_rows ? d->columns : d->rows), lines = (uint64_t)(by_rows ? d->rows : d->columns);
    host_library_memory m = {d->values + (uint64_t)(i * d->stride) * bytes, length * bytes, lines,
                             (uint64_t)d->ld * bytes};
    return host_library_use(l, m, access);
}

static void turn(double (*to)[2], double (*from)[2], int64_t rows, int64_t columns)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) memcpy(to[c * rows + r], from[r * columns + c], sizeof *to);
}

double (*sparse_dense_values(host_library *l, const sparse_dense *d, int64_t i))[2]
{
    const void *at = use_dense(l, d, i, HOST_LIBRARY_READS);
    if (!at) return NULL;
    size_t bytes = (size_t)LW_MAX(d->rows * d->columns, 1) * 2 * sizeof(double);
    double(*out)[2] = lw_alloc(bytes);
    if (d->order != SPARSE_ORDER_ROWS) {
        blas_to_work(BLAS_Z, out, d->value_type, at, d->ld, d->rows, d->columns);
        return out;
    }
    double(*lines)[2] = lw_alloc(bytes);
    blas_to_work(BLAS_Z, lines, d->value_type, at, d->ld, d->columns, d->rows);
    turn(out, lines, d->rows, d->columns);
    free(lines);
    return out;
}

bool sparse_store_dense(host_library *l, const sparse_dense *d, int64_t i, double (*values)[2])
{
    void *at = use_dense(l, d, i, HOST_LIBRARY_WRITES);
    if (!at) return false;
    if (d->order != SPARSE_ORDER_ROWS) {
        blas_from_work(BLAS_Z, values, d->value_type, at, d->ld, d->rows, d->columns);
        return true;
    }
    double(*lines)[2] = lw_alloc((size_t)LW_MAX(d->rows * d->columns, 1) * sizeof *lines);
    turn(lines, values, d->columns, d->rows);
    blas_from_work(BLAS_Z, lines, d->value_type, at, d->ld, d->columns, d->rows);
    free(lines);
    return true;
}

/* Indices of elements out of compressed offsets: n lines. False if they lead past the elements. */
static bool expand_offsets(const sparse_matrix *m, const void *offsets, int64_t n, int64_t *out)
{
    for (int64_t line = 0; line < n; line++) {
        int64_t begin = sparse_index(m->first_type, offsets, line) - m->base;
        int64_t end = sparse_index(m->first_type, offsets, line + 1) - m->base;
        if (begin < 0 || end > m->count) return false;
        for (int64_t k = begin; k < end; k++) out[k] = line;
    }
    return true;
}

static void read_indices(const sparse_matrix *m, int type, const void *array, int64_t *out)
{
    for (int64_t k = 0; k < m->count; k++) out[k] = sparse_index(type, array, k) - m->base;
}

static bool all_below(const int64_t *indices, int64_t count, int64_t limit)
{
    for (int64_t k = 0; k < count; k++)
        if (indices[k] < 0 || indices[k] >= limit) return false;
    return true;
}

/* Programs may say that there are more elements than the offsets lead to, and a card reads none of those. */
static int64_t elements_of(const sparse_matrix *m, const void *offsets, int64_t lines)
{
    int64_t end = sparse_index(m->first_type, offsets, lines) - m->base;
    return end >= 0 ? LW_MIN(end, m->count) : m->count;
}

bool sparse_positions(host_library *l, sparse_matrix *m, int64_t **out_rows, int64_t **out_columns)
{
    size_t bytes = (size_t)LW_MAX(m->count, 1) * sizeof(int64_t);
    int64_t lines = m->format == SPARSE_CSC ? m->columns : m->rows;
    int64_t firsts = m->format == SPARSE_COO ? m->count : lines + 1;
    const void *first = sparse_use(l, m->first, firsts, sparse_index_bytes(m->first_type), HOST_LIBRARY_READS);
    const void *second = sparse_use(l, m->second, m->count, sparse_index_bytes(m->second_type), HOST_LIBRARY_READS);
    *out_rows = *out_columns = NULL;
    if (!first || !second) return false;
    if (m->format != SPARSE_COO) m->count = elements_of(m, first, lines);
    int64_t *one = lw_alloc(bytes), *other = lw_alloc(bytes);
    bool ok = true;
    if (m->format == SPARSE_COO) read_indices(m, m->first_type, first, one);
    else ok = expand_offsets(m, first, lines, one);
    read_indices(m, m->second_type, second, other);
    *out_rows = m->format == SPARSE_CSC ? other : one;
    *out_columns = m->format == SPARSE_CSC ? one : other;
    ok = ok && all_below(*out_rows, m->count, m->rows) && all_below(*out_columns, m->count, m->columns);
    if (!ok) {
        host_library_fail(l, "an index of the sparse matrix lies outside of it");
        free(one);
        free(other);
        *out_rows = *out_columns = NULL;
    }
    return ok;
}

bool sparse_scalar_of(host_library *l, const sparse_scalar *s, double out[2])
{
    const void *at = s->value;
    if (s->device) at = sparse_use(l, s->device, 1, blas_element_bytes(s->type), HOST_LIBRARY_READS);
    if (at) blas_scalar_to_work(BLAS_Z, out, s->type, at);
    return at != NULL;
}

/* Where place k of an ELL matrix would be; false: there is no element. */
typedef struct places {
    const sparse_matrix *m;
    const void *offsets, *columns;
    int64_t slice; /* that place k lies in */
} places;

static bool place_at(places *p, int64_t k, int64_t *row, int64_t *column)
{
    const sparse_matrix *m = p->m;
    if (m->format == SPARSE_BLOCKED_ELL) { /* rows of m->slots values, blocks side by side */
        int64_t blocks = m->slots / m->block, at = k % m->slots;
        *row = k / m->slots;
        int64_t found = sparse_index(m->second_type, p->columns, *row / m->block * blocks + at / m->block);
        *column = (found - m->base) * m->block + at % m->block;
        return found >= m->base;
    }
    while (sparse_index(m->first_type, p->offsets, p->slice + 1) - m->base <= k) p->slice++;
    int64_t found = sparse_index(m->second_type, p->columns, k);
    *row = p->slice * m->block + (k - (sparse_index(m->first_type, p->offsets, p->slice) - m->base)) % m->block;
    *column = found - m->base;
    return found >= m->base && *row < m->rows;
}

/* Elements of ELL formats, without the places that hold none; m->count becomes their number. */
static bool read_places(host_library *l, sparse_matrix *m, sparse_elements *out)
{
    bool sliced = m->format == SPARSE_SLICED_ELL;
    int64_t all = sliced ? m->slots : m->rows * m->slots, slices = sliced ? (m->rows + m->block - 1) / m->block : 0;
    int64_t indices = sliced ? all : all / (m->block * m->block);
    places p = {.m = m};
    p.columns = sparse_use(l, m->second, indices, sparse_index_bytes(m->second_type), HOST_LIBRARY_READS);
    if (sliced) p.offsets = sparse_use(l, m->first, slices + 1, sparse_index_bytes(m->first_type), HOST_LIBRARY_READS);
    out->values = sparse_values(l, m->values, all, m->value_type);
    if (!p.columns || (sliced && !p.offsets) || !out->values) return false;
    if (sliced) all = LW_MIN(all, sparse_index(m->first_type, p.offsets, slices) - m->base);
    out->rows = lw_alloc((size_t)LW_MAX(all, 1) * sizeof *out->rows);
    out->columns = lw_alloc((size_t)LW_MAX(all, 1) * sizeof *out->columns);
    m->count = 0;
    for (int64_t k = 0; k < all; k++) {
        int64_t row, column;
        if (!place_at(&p, k, &row, &column)) continue;
        out->rows[m->count] = row;
        out->columns[m->count] = column;
        memcpy(out->values[m->count++], out->values[k], sizeof *out->values);
    }
    if (all_below(out->columns, m->count, m->columns)) return true;
    host_library_fail(l, "an index of the sparse matrix lies outside of it");
    return false;
}

/* Elements of BSR in the order in which they lie. */
static bool read_blocks(host_library *l, sparse_matrix *m, sparse_elements *out)
{
    int64_t rows = m->block, columns = m->slots, each = rows * columns, blocks = m->count / each,
            lines = m->rows / rows;
    const void *first = sparse_use(l, m->first, lines + 1, sparse_index_bytes(m->first_type), HOST_LIBRARY_READS);
    const void *second = sparse_use(l, m->second, blocks, sparse_index_bytes(m->second_type), HOST_LIBRARY_READS);
    if (!first || !second) return false;
    int64_t end = sparse_index(m->first_type, first, lines) - m->base, k = 0;
    m->count = (end >= 0 ? LW_MIN(end, blocks) : blocks) * each;
    out->values = sparse_values(l, m->values, m->count, m->value_type);
    if (!out->values) return false;
    out->rows = lw_alloc((size_t)LW_MAX(m->count, 1) * sizeof *out->rows);
    out->columns = lw_alloc((size_t)LW_MAX(m->count, 1) * sizeof *out->columns);
    bool by_rows = m->order == SPARSE_ORDER_ROWS, ok = true;
    for (int64_t line = 0; line < lines && ok; line++) {
        int64_t b = sparse_index(m->first_type, first, line) - m->base;
        int64_t stop = sparse_index(m->first_type, first, line + 1) - m->base;
        ok = b * each == k && stop <= m->count / each;
        for (; ok && b < stop; b++)
            for (int64_t e = 0; e < each; e++, k++) {
                out->rows[k] = line * rows + (by_rows ? e / columns : e % rows);
                out->columns[k] =
                    (sparse_index(m->second_type, second, b) - m->base) * columns + (by_rows ? e % columns : e / rows);
            }
    }
    if (ok && all_below(out->columns, m->count, m->columns)) return true;
    host_library_fail(l, "an index of the sparse matrix lies outside of it");
    return false;
}

void sparse_fill_places(host_library *l, sparse_call *c)
{
    sparse_matrix *m = &c->a;
    int64_t all = m->rows * m->slots;
    size_t bytes = blas_element_bytes(m->value_type);
    places p = {.m = m};
    p.columns =
        sparse_use(l, m->second, all / (m->block * m->block), sparse_index_bytes(m->second_type), HOST_LIBRARY_READS);
    char *values = sparse_use(l, m->values, all, bytes, HOST_LIBRARY_WRITES);
    double(*dense)[2] = p.columns && values ? sparse_dense_values(l, &c->b, 0) : NULL;
    for (int64_t k = 0; dense && k < all; k++) {
        static const double none[2];
        int64_t row, column;
        bool there = place_at(&p, k, &row, &column);
        if (there && (column < 0 || column >= m->columns)) {
            host_library_fail(l, "an index of the sparse matrix lies outside of it");
            break;
        }
        blas_from_work(BLAS_Z, there ? dense[row + column * m->rows] : none, m->value_type, values + (size_t)k * bytes,
                       1, 1, 1);
    }
    free(dense);
}

bool sparse_read_elements(host_library *l, sparse_matrix *m, sparse_elements *out)
{
    *out = (sparse_elements){0};
    if (m->format == SPARSE_BSR) return read_blocks(l, m, out);
    if (m->format > SPARSE_COO) return read_places(l, m, out);
    if (!sparse_positions(l, m, &out->rows, &out->columns)) return false;
    out->values = sparse_values(l, m->values, m->count, m->value_type);
    return out->values != NULL;
}

void sparse_free_elements(sparse_elements *e)
{
    free(e->rows);
    free(e->columns);
    free(e->values);
    *e = (sparse_elements){0};
}
