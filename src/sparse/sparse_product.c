/* Products and sums of sparse matrices, and dense products where a sparse matrix has elements. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "sparse/sparse.h"

static void scale_by(double x[2], const double factor[2])
{
    double real = x[0] * factor[0] - x[1] * factor[1];
    x[1] = x[0] * factor[1] + x[1] * factor[0];
    x[0] = real;
}

/* ---------------------------------------------------------------- products where there are elements */
/* Values of matrix `m` of one of a batch, all in all. */
static bool store_values(host_library *l, const sparse_matrix *m, double (*values)[2])
{
    void *to = sparse_use(l, m->values, m->count, blas_element_bytes(m->value_type), HOST_LIBRARY_WRITES);
    if (to) blas_from_work(BLAS_Z, values, m->value_type, to, LW_MAX(m->count, 1), m->count, 1);
    return to != NULL;
}

static void take(double out[2], double (*dense)[2], int op, int64_t rows, int64_t i, int64_t j)
{
    memcpy(out, dense[op == SPARSE_OP_N ? i + j * rows : j + i * rows], 2 * sizeof *out);
    if (op == SPARSE_OP_C) out[1] = -out[1];
}

static bool sample_one(host_library *l, sparse_call *c, int64_t i, const double alpha[2], const double beta[2])
{
    sparse_matrix m = sparse_of_batch(&c->a, i);
    sparse_elements e;
    bool ok = sparse_read_elements(l, &m, &e);
    double(*b)[2] = ok ? sparse_dense_values(l, &c->b, i) : NULL, (*d)[2] = b ? sparse_dense_values(l, &c->c, i) : NULL;
    int64_t inner = c->op_a == SPARSE_OP_N ? c->b.columns : c->b.rows;
    for (int64_t k = 0; d && k < m.count; k++) {
        double sum[2] = {0, 0}, x[2], y[2];
        for (int64_t at = 0; at < inner; at++) {
            take(x, b, c->op_a, c->b.rows, e.rows[k], at);
            take(y, d, c->op_b, c->c.rows, at, e.columns[k]);
            sparse_add_product(sum, x, y, false);
        }
        scale_by(sum, alpha);
        if (beta[0] != 0 || beta[1] != 0) sparse_add_product(sum, beta, e.values[k], false);
        memcpy(e.values[k], sum, sizeof sum);
    }
    ok = d && store_values(l, &m, e.values);
    free(b);
    free(d);
    sparse_free_elements(&e);
    return ok;
}

void sparse_sample(host_library *l, sparse_call *c)
{
    double alpha[2], beta[2];
    if (!sparse_scalar_of(l, &c->alpha, alpha) || !sparse_scalar_of(l, &c->beta, beta)) return;
    for (int64_t i = 0; i < LW_MAX(c->a.batch, 1); i++)
        if (!sample_one(l, c, i, alpha, beta)) return;
}

/* ---------------------------------------------------------------- rows as they are made */
/* One row of a result: sums by column, of which `used` are there. */
typedef struct row_sums {
    double (*sums)[2];
    char *there;
    int64_t *used, count;
} row_sums;

static row_sums new_row(int64_t columns)
{
    size_t n = (size_t)LW_MAX(columns, 1);
    return (row_sums){lw_alloc(n * 2 * sizeof(double)), lw_alloc(n), lw_alloc(n * sizeof(int64_t)), 0};
}

static void free_row(row_sums *r)
{
    free(r->sums);
    free(r->there);
    free(r->used);
}

static void add_to_row(row_sums *r, int64_t column, const double x[2], const double y[2])
{
    if (!r->there[column]) r->used[r->count++] = column;
    r->there[column] = 1;
    sparse_add_product(r->sums[column], x, y, false);
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Appends the row to the product and empties it. room: of elements. */
static void finish_row(row_sums *r, sparse_product *p, int64_t *room)
{
    qsort(r->used, (size_t)r->count, sizeof *r->used, ascending);
    if (p->count + r->count > *room) {
        *room = LW_MAX(2 * *room, p->count + r->count);
        p->columns = lw_realloc(p->columns, (size_t)*room * sizeof *p->columns);
        p->values = lw_realloc(p->values, (size_t)*room * sizeof *p->values);
    }
    for (int64_t i = 0; i < r->count; i++, p->count++) {
        int64_t column = r->used[i];
        p->columns[p->count] = column;
        memcpy(p->values[p->count], r->sums[column], sizeof *p->values);
        r->sums[column][0] = r->sums[column][1] = 0;
        r->there[column] = 0;
    }
    r->count = 0;
}

/* Where the rows of elements that lie by rows begin; to be freed. */
static int64_t *row_begins(const sparse_elements *e, int64_t rows, int64_t count)
{
    int64_t *out = lw_alloc((size_t)(rows + 2) * sizeof *out);
    for (int64_t k = 0; k < count; k++) out[e->rows[k] + 1]++;
    for (int64_t r = 0; r < rows; r++) out[r + 1] += out[r];
    return out;
}

static void begin_product(sparse_product *p, int64_t rows)
{
    sparse_forget_product(p);
    p->rows = rows;
    p->offsets = lw_alloc((size_t)(rows + 1) * sizeof *p->offsets);
}

void sparse_forget_product(sparse_product *p)
{
    free(p->offsets);
    free(p->columns);
    free(p->values);
    *p = (sparse_product){0};
}

/* ---------------------------------------------------------------- a second */
static void multiply_rows(sparse_call *c, const sparse_elements *a, const sparse_elements *b, sparse_product *p)
{
    int64_t *from = row_begins(a, c->a.rows, c->a.count), *to = row_begins(b, c->second.rows, c->second.count);
    row_sums row = new_row(c->second.columns);
    int64_t room = 0;
    for (int64_t r = 0; r < c->a.rows; r++) {
        for (int64_t k = from[r]; k < from[r + 1]; k++)
            for (int64_t at = to[a->columns[k]]; at < to[a->columns[k] + 1]; at++)
                add_to_row(&row, b->columns[at], a->values[k], b->values[at]);
        finish_row(&row, p, &room);
        p->offsets[r + 1] = p->count;
    }
    free_row(&row);
    free(from);
    free(to);
}

void sparse_make_product(host_library *l, sparse_call *c)
{
    sparse_elements a, b = {0};
    if (sparse_read_elements(l, &c->a, &a) && sparse_read_elements(l, &c->second, &b)) {
        begin_product(c->product, c->a.rows);
        multiply_rows(c, &a, &b, c->product);
        if (c->counted) c->counted->count = c->product->count;
    }
    sparse_free_elements(&a);
    sparse_free_elements(&b);
}

void sparse_count_products(host_library *l, sparse_call *c)
{
    sparse_elements a, b = {0};
    c->product->products = 0;
    if (sparse_read_elements(l, &c->a, &a) && sparse_read_elements(l, &c->second, &b)) {
        int64_t *begins = row_begins(&b, c->second.rows, c->second.count);
        for (int64_t k = 0; k < c->a.count; k++)
            c->product->products += begins[a.columns[k] + 1] - begins[a.columns[k]];
        free(begins);
    }
    sparse_free_elements(&a);
    sparse_free_elements(&b);
}

void sparse_store_pattern(host_library *l, sparse_call *c)
{
    sparse_matrix *m = &c->a;
    const sparse_product *p = c->product;
    void *offsets = sparse_use(l, m->first, p->rows + 1, sparse_index_bytes(m->first_type), HOST_LIBRARY_WRITES);
    void *columns = sparse_use(l, m->second, p->count, sparse_index_bytes(m->second_type), HOST_LIBRARY_WRITES);
    if (!offsets || !columns) return;
    for (int64_t r = 0; r <= p->rows; r++) sparse_set_index(m->first_type, offsets, r, p->offsets[r] + m->base);
    for (int64_t k = 0; k < p->count; k++) sparse_set_index(m->second_type, columns, k, p->columns[k] + m->base);
}

void sparse_store_values(host_library *l, sparse_call *c)
{
    const sparse_product *p = c->product;
    double alpha[2], beta[2];
    if (!sparse_scalar_of(l, &c->alpha, alpha) || !sparse_scalar_of(l, &c->beta, beta)) return;
    bool adds = beta[0] != 0 || beta[1] != 0;
    double(*old)[2] = adds ? sparse_values(l, c->a.values, p->count, c->a.value_type) : NULL;
    if (adds && !old) return;
    double(*out)[2] = lw_alloc((size_t)LW_MAX(p->count, 1) * sizeof *out);
    for (int64_t k = 0; k < p->count; k++) {
        sparse_add_product(out[k], alpha, p->values[k], false);
        if (adds) sparse_add_product(out[k], beta, old[k], false);
    }
    sparse_matrix m = c->a;
    m.count = p->count;
    store_values(l, &m, out);
    free(out);
    free(old);
}

/* ---------------------------------------------------------------- alpha a + beta second */
/* numeric: with values; else the pattern alone, whose elements are all 0. */
static bool add_matrices(host_library *l, sparse_call *c, bool numeric, sparse_product *out)
{
    double factors[2][2] = {{0}};
    if (numeric && (!sparse_scalar_of(l, &c->alpha, factors[0]) || !sparse_scalar_of(l, &c->beta, factors[1])))
        return false;
    sparse_matrix *both[2] = {&c->a, &c->second};
    sparse_elements e[2] = {{0}, {0}};
    int64_t *begins[2] = {NULL, NULL}, room = 0;
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        ok =
            numeric ? sparse_read_elements(l, both[i], &e[i]) : sparse_positions(l, both[i], &e[i].rows, &e[i].columns);
        if (ok) begins[i] = row_begins(&e[i], both[i]->rows, both[i]->count);
    }
    row_sums row = new_row(c->a.columns);
    if (ok) begin_product(out, c->a.rows);
    for (int64_t r = 0; ok && r < c->a.rows; r++) {
        for (int i = 0; i < 2; i++)
            for (int64_t k = begins[i][r]; k < begins[i][r + 1]; k++)
                add_to_row(&row, e[i].columns[k], factors[i], numeric ? e[i].values[k] : factors[i]);
        finish_row(&row, out, &room);
        out->offsets[r + 1] = out->count;
    }
    free_row(&row);
    for (int i = 0; i < 2; i++) {
        sparse_free_elements(&e[i]);
        free(begins[i]);
    }
    return ok;
}

void sparse_make_sum(host_library *l, sparse_call *c)
{
    sparse_product sum = {0};
    int32_t *offsets = sparse_use(l, c->to, c->a.rows + 1, 4, HOST_LIBRARY_WRITES);
    int32_t *count = (int32_t *)(uintptr_t)c->result;
    if (count && !c->result_on_host) count = sparse_use(l, c->result, 1, 4, HOST_LIBRARY_WRITES);
    if (offsets && (count || !c->result) && add_matrices(l, c, false, &sum)) {
        for (int64_t r = 0; r <= sum.rows; r++) offsets[r] = (int32_t)sum.offsets[r] + c->base;
        if (count) *count = (int32_t)sum.count;
    }
    sparse_forget_product(&sum);
}

void sparse_store_sum(host_library *l, sparse_call *c)
{
    sparse_product sum = {0};
    if (add_matrices(l, c, true, &sum)) {
        int32_t *columns = sparse_use(l, c->x.indices, sum.count, 4, HOST_LIBRARY_WRITES);
        sparse_matrix m = {.values = c->x.values, .count = sum.count, .value_type = c->a.value_type};
        for (int64_t k = 0; columns && k < sum.count; k++) columns[k] = (int32_t)sum.columns[k] + c->base;
        if (columns) store_values(l, &m, sum.values);
    }
    sparse_forget_product(&sum);
}
