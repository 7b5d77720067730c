/* Products and sums. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "sparse/sparse.h"

void sparse_run(host_library *l, const void *call)
{
    sparse_call c = *(const sparse_call *)call; /* its own: what is found out about operands is noted in it */
    c.work(l, &c);
}

static void scale_by(double x[2], const double factor[2])
{
    double real = x[0] * factor[0] - x[1] * factor[1];
    x[1] = x[0] * factor[1] + x[1] * factor[0];
    x[0] = real;
}

static bool is_zero(const double x[2]) { return x[0] == 0 && x[1] == 0; }

/* out = op(e) op(b), all by columns. */
static void multiply(sparse_call *c, const sparse_elements *e, double (*b)[2], double (*out)[2])
{
    int64_t rows = c->c.rows, columns = c->c.columns;
    bool conjugate_b = c->op_b == SPARSE_OP_C;
    for (int64_t k = 0; k < c->a.count; k++) {
        int64_t row = c->op_a == SPARSE_OP_N ? e->rows[k] : e->columns[k];
        int64_t inner = c->op_a == SPARSE_OP_N ? e->columns[k] : e->rows[k];
        for (int64_t j = 0; j < columns; j++) {
            double y[2];
            memcpy(y, b[c->op_b == SPARSE_OP_N ? inner + j * c->b.rows : j + inner * c->b.rows], sizeof y);
            if (conjugate_b) y[1] = -y[1];
            sparse_add_product(out[row + j * rows], e->values[k], y, c->op_a == SPARSE_OP_C);
        }
    }
}

static bool multiply_one(host_library *l, sparse_call *c, const sparse_elements *e, int64_t i, const double alpha[2],
                         const double beta[2])
{
    int64_t size = c->c.rows * c->c.columns;
    double(*b)[2] = sparse_dense_values(l, &c->b, i);
    double(*old)[2] = b && !is_zero(beta) ? sparse_dense_values(l, &c->c, i) : NULL;
    double(*out)[2] = lw_alloc((size_t)LW_MAX(size, 1) * sizeof *out);
    bool ok = b && (old || is_zero(beta));
    if (ok) multiply(c, e, b, out);
    for (int64_t k = 0; ok && k < size; k++) {
        scale_by(out[k], alpha);
        if (old) sparse_add_product(out[k], beta, old[k], false);
    }
    ok = ok && sparse_store_dense(l, &c->c, i, out);
    free(b);
    free(old);
    free(out);
    return ok;
}

void sparse_multiply(host_library *l, sparse_call *c)
{
    double alpha[2], beta[2];
    sparse_elements e;
    if (!sparse_scalar_of(l, &c->alpha, alpha) || !sparse_scalar_of(l, &c->beta, beta)) return;
    const sparse_matrix first = c->a;
    bool ok = sparse_read_elements(l, &c->a, &e);
    for (int64_t i = 0; ok && i < LW_MAX(c->c.batch, 1); i++) {
        if (i && c->a.batch > 1) {
            c->a = sparse_of_batch(&first, i);
            sparse_free_elements(&e);
            ok = sparse_read_elements(l, &c->a, &e);
        }
        ok = ok && multiply_one(l, c, &e, i, alpha, beta);
    }
    sparse_free_elements(&e);
}

/* ---------------------------------------------------------------- sparse vectors */
/* Its indices, from 0, to be freed; NULL if they cannot be read or lie outside. */
static int64_t *indices_of(host_library *l, const sparse_vector *x)
{
    const void *at = sparse_use(l, x->indices, x->count, sparse_index_bytes(x->index_type), HOST_LIBRARY_READS);
    if (!at) return NULL;
    int64_t *out = lw_alloc((size_t)LW_MAX(x->count, 1) * sizeof *out);
    for (int64_t k = 0; k < x->count; k++) {
        out[k] = sparse_index(x->index_type, at, k) - x->base;
        if (out[k] >= 0 && out[k] < x->size) continue;
        host_library_fail(l, "an index of the sparse vector lies outside of it");
        free(out);
        return NULL;
    }
    return out;
}

void sparse_dot(host_library *l, sparse_call *c)
{
    int64_t *indices = indices_of(l, &c->x);
    double(*x)[2] = indices ? sparse_values(l, c->x.values, c->x.count, c->x.value_type) : NULL;
    double(*y)[2] = x ? sparse_dense_values(l, &c->b, 0) : NULL;
    double sum[2] = {0, 0};
    for (int64_t k = 0; y && k < c->x.count; k++) sparse_add_product(sum, x[k], y[indices[k]], c->op_a == SPARSE_OP_C);
    void *to = (void *)(uintptr_t)c->result;
    if (y && !c->result_on_host)
        to = sparse_use(l, c->result, 1, blas_element_bytes(c->alpha.type), HOST_LIBRARY_WRITES);
    if (y && to) blas_from_work(BLAS_Z, sum, c->alpha.type, to, 1, 1, 1);
    free(indices);
    free(x);
    free(y);
}

/* Numbers as they lie: long vectors are not brought to double precision as a whole. */
typedef struct numbers {
    char *at;
    int type;
    size_t bytes;
} numbers;

static numbers use_numbers(host_library *l, uint64_t address, int64_t count, int type, host_library_access access)
{
    numbers out = {NULL, type, blas_element_bytes(type)};
    out.at = sparse_use(l, address, count, out.bytes, access);
    return out;
}
static void read_number(const numbers *n, int64_t i, double out[2])
{
    blas_to_work(BLAS_Z, out, n->type, n->at + (size_t)i * n->bytes, 1, 1, 1);
}
static void write_number(const numbers *n, int64_t i, const double x[2])
{
    blas_from_work(BLAS_Z, x, n->type, n->at + (size_t)i * n->bytes, 1, 1, 1);
}

static bool ascending(const int64_t *indices, int64_t count)
{
    for (int64_t k = 1; k < count; k++)
        if (indices[k] < indices[k - 1]) return false;
    return true;
}

/* y = alpha x + beta y, element by element of y, each rounded once. */
static void add_in_order(host_library *l, sparse_call *c, const int64_t *indices, const double alpha[2],
                         const double beta[2])
{
    numbers x = use_numbers(l, c->x.values, c->x.count, c->x.value_type, HOST_LIBRARY_READS);
    numbers y = use_numbers(l, c->b.values, c->b.rows, c->b.value_type, HOST_LIBRARY_UPDATES);
    int64_t k = 0;
    for (int64_t i = 0; x.at && y.at && i < c->b.rows; i++) {
        double sum[2], factor[2];
        read_number(&y, i, sum);
        scale_by(sum, beta);
        for (; k < c->x.count && indices[k] == i; k++) {
            read_number(&x, k, factor);
            sparse_add_product(sum, alpha, factor, false);
        }
        write_number(&y, i, sum);
    }
}

void sparse_add(host_library *l, sparse_call *c)
{
    double alpha[2], beta[2];
    if (!sparse_scalar_of(l, &c->alpha, alpha) || !sparse_scalar_of(l, &c->beta, beta)) return;
    int64_t *indices = indices_of(l, &c->x);
    if (indices && ascending(indices, c->x.count)) {
        add_in_order(l, c, indices, alpha, beta);
        free(indices);
        return;
    }
    double(*x)[2] = indices ? sparse_values(l, c->x.values, c->x.count, c->x.value_type) : NULL;
    double(*y)[2] = x ? sparse_dense_values(l, &c->b, 0) : NULL;
    for (int64_t i = 0; y && i < c->b.rows; i++) scale_by(y[i], beta);
    for (int64_t k = 0; y && k < c->x.count; k++) sparse_add_product(y[indices[k]], alpha, x[k], false);
    if (y) sparse_store_dense(l, &c->b, 0, y);
    free(indices);
    free(x);
    free(y);
}

void sparse_gather(host_library *l, sparse_call *c)
{
    int64_t *indices = indices_of(l, &c->x);
    numbers y = use_numbers(l, c->b.values, c->b.rows, c->b.value_type, HOST_LIBRARY_READS);
    numbers x = use_numbers(l, c->x.values, c->x.count, c->x.value_type, HOST_LIBRARY_WRITES);
    for (int64_t k = 0; indices && x.at && y.at && k < c->x.count; k++) {
        double value[2];
        read_number(&y, indices[k], value);
        write_number(&x, k, value);
    }
    free(indices);
}

void sparse_scatter(host_library *l, sparse_call *c)
{
    int64_t *indices = indices_of(l, &c->x);
    numbers x = use_numbers(l, c->x.values, c->x.count, c->x.value_type, HOST_LIBRARY_READS);
    numbers y = use_numbers(l, c->b.values, c->b.rows, c->b.value_type, HOST_LIBRARY_UPDATES);
    for (int64_t k = 0; indices && x.at && y.at && k < c->x.count; k++) {
        double value[2];
        read_number(&x, k, value);
        write_number(&y, indices[k], value);
    }
    free(indices);
}

void sparse_rotate(host_library *l, sparse_call *c)
{
    double alpha[2], beta[2], less[2];
    if (!sparse_scalar_of(l, &c->alpha, alpha) || !sparse_scalar_of(l, &c->beta, beta)) return;
    int64_t *indices = indices_of(l, &c->x);
    double(*x)[2] = indices ? sparse_values(l, c->x.values, c->x.count, c->x.value_type) : NULL;
    double(*y)[2] = x ? sparse_dense_values(l, &c->b, 0) : NULL;
    void *to =
        y ? sparse_use(l, c->x.values, c->x.count, blas_element_bytes(c->x.value_type), HOST_LIBRARY_WRITES) : NULL;
    less[0] = -beta[0], less[1] = -beta[1];
    for (int64_t k = 0; to && k < c->x.count; k++) {
        double one[2] = {0, 0}, other[2] = {0, 0};
        sparse_add_product(one, alpha, x[k], false);
        sparse_add_product(one, beta, y[indices[k]], false);
        sparse_add_product(other, alpha, y[indices[k]], false);
        sparse_add_product(other, less, x[k], false);
        memcpy(x[k], one, sizeof one);
        memcpy(y[indices[k]], other, sizeof other);
    }
    if (to) blas_from_work(BLAS_Z, x, c->x.value_type, to, LW_MAX(c->x.count, 1), c->x.count, 1);
    if (to) sparse_store_dense(l, &c->b, 0, y);
    free(indices);
    free(x);
    free(y);
}
