/* Entry points of products and sums of sparse matrices, sampled products, sorting and counting. */
#include <stdlib.h>

#include "blas/blas_convert.h"
#include "sparse/sparse.h"

#define NEED(condition, status)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) return sparse_end_call(status, function);                                                    \
    } while (0)
/* Programs allocate what they are told, and ask again if that was nothing. */
enum { SOME_BYTES = 256 };

/* ---------------------------------------------------------------- sampled products */
static int sample(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_dense *a, const sparse_dense *b,
                  const void *beta, sparse_matrix *out, int compute, bool only_ask, const char *function)
{
    NEED(sparse_valid(h), SPARSE_NOT_INITIALIZED);
    NEED(a && b && out && op_a >= 0 && op_a <= SPARSE_OP_C && op_b >= 0 && op_b <= SPARSE_OP_C, SPARSE_INVALID_VALUE);
    int64_t rows = op_a ? a->columns : a->rows, inner = op_a ? a->rows : a->columns;
    int64_t inner_b = op_b ? b->columns : b->rows, columns = op_b ? b->rows : b->columns;
    NEED(out->format <= SPARSE_COO || out->format == SPARSE_BSR, SPARSE_NOT_SUPPORTED);
    NEED(rows == out->rows && columns == out->columns && inner == inner_b, SPARSE_INVALID_VALUE);
    NEED(blas_element_bytes(a->value_type) && blas_element_bytes(b->value_type) && blas_element_bytes(out->value_type),
         SPARSE_NOT_SUPPORTED);
    sparse_call c = {.op_a = op_a, .op_b = op_b, .a = *out, .b = *a, .c = *b};
    NEED(sparse_scalar_at(h, alpha, compute, &c.alpha) && sparse_scalar_at(h, beta, compute, &c.beta),
         SPARSE_INVALID_VALUE);
    return only_ask ? SPARSE_OK : sparse_put(h, &c, sparse_sample, false, function);
}

SPARSE(cusparseSDDMM)(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_dense *a,
                      const sparse_dense *b, const void *beta, sparse_matrix *c, int compute, int algorithm,
                      void *buffer)
{
    (void)algorithm, (void)buffer;
    return sample(h, op_a, op_b, alpha, a, b, beta, c, compute, false, __func__);
}
SPARSE(cusparseSDDMM_bufferSize)(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_dense *a,
                                 const sparse_dense *b, const void *beta, sparse_matrix *c, int compute, int algorithm,
                                 size_t *bytes)
{
    (void)algorithm;
    if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);
    *bytes = 0;
    return sample(h, op_a, op_b, alpha, a, b, beta, c, compute, true, __func__);
}
SPARSE(cusparseSDDMM_preprocess)(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_dense *a,
                                 const sparse_dense *b, const void *beta, sparse_matrix *c, int compute, int algorithm,
                                 void *buffer)
{
    (void)algorithm, (void)buffer;
    return sample(h, op_a, op_b, alpha, a, b, beta, c, compute, true, __func__);
}

/* ---------------------------------------------------------------- products of sparse matrices */
SPARSE(cusparseSpGEMM_createDescr)(sparse_product **out)
{
    if (!out) return sparse_end(SPARSE_INVALID_VALUE);
    *out = lw_alloc(sizeof **out);
    return SPARSE_OK;
}
SPARSE(cusparseSpGEMM_destroyDescr)(sparse_product *p)
{
    if (!p) return SPARSE_OK;
    host_synchronize(host_get()); /* calls under way read it */
    sparse_forget_product(p);
    free(p);
    return SPARSE_OK;
}
SPARSE(cusparseSpGEMM_getNumProducts)(const sparse_product *p, int64_t *out)
{
    if (!p || !out) return sparse_end(SPARSE_INVALID_VALUE);
    *out = p->products;
    return SPARSE_OK;
}

/* alpha, beta: NULL where only patterns are asked for. work NULL: nothing is done yet. */
typedef struct square {
    int op_a, op_b;
    const void *alpha, *beta;
    const sparse_matrix *a, *b;
    sparse_matrix *c;
    int compute;
    sparse_product *product;
} square;

static bool is_csr(const sparse_matrix *m) { return m->format == SPARSE_CSR && m->batch <= 1; }

static int multiply(sparse_handle *h, const square *s, void (*work)(host_library *, sparse_call *), bool wait,
                    const char *function)
{
    NEED(sparse_valid(h), SPARSE_NOT_INITIALIZED);
    NEED(s->a && s->b && s->c && s->product, SPARSE_INVALID_VALUE);
    NEED(s->a->columns == s->b->rows && s->a->rows == s->c->rows && s->b->columns == s->c->columns,
         SPARSE_INVALID_VALUE);
    NEED(s->op_a == SPARSE_OP_N && s->op_b == SPARSE_OP_N && is_csr(s->a) && is_csr(s->b) && is_csr(s->c),
         SPARSE_NOT_SUPPORTED); /* as the library has it */
    NEED(blas_element_bytes(s->a->value_type) && blas_element_bytes(s->b->value_type) &&
             blas_element_bytes(s->c->value_type),
         SPARSE_NOT_SUPPORTED);
    if (!work) return SPARSE_OK;
    bool stores = work == sparse_store_pattern || work == sparse_store_values;
    sparse_call c = {.a = stores ? *s->c : *s->a, .second = *s->b, .product = s->product};
    if (work == sparse_make_product && wait) c.counted = s->c;
    if (work == sparse_store_values)
        NEED(sparse_scalar_at(h, s->alpha, s->compute, &c.alpha) && sparse_scalar_at(h, s->beta, s->compute, &c.beta),
             SPARSE_INVALID_VALUE);
    return sparse_put(h, &c, work, wait, function);
}

/* The program asks for the count of products, or of the result's elements, next: the call waits. Without a buffer it only
 * says how large that is. */
#define STEP(name, work)                                                                                               \
    SPARSE(name)                                                                                                       \
    (sparse_handle * h, int op_a, int op_b, const void *alpha, const sparse_matrix *a, const sparse_matrix *b,         \
     const void *beta, sparse_matrix *c, int compute, int algorithm, sparse_product *p, size_t *bytes, void *buffer)   \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);                                                           \
        if (!buffer) *bytes = SOME_BYTES;                                                                              \
        square s = {op_a, op_b, alpha, beta, a, b, c, compute, p};                                                     \
        return multiply(h, &s, buffer ? work : NULL, true, __func__);                                                  \
    }
STEP(cusparseSpGEMM_workEstimation, sparse_count_products)
STEP(cusparseSpGEMM_compute, sparse_make_product)

SPARSE(cusparseSpGEMM_estimateMemory)(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                                      const sparse_matrix *b, const void *beta, sparse_matrix *c, int compute,
                                      int algorithm, sparse_product *p, float fraction, size_t *bytes, void *buffer,
                                      size_t *next_bytes)
{
    (void)algorithm, (void)fraction;
    if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);
    if (!buffer) *bytes = SOME_BYTES;
    else if (next_bytes) *next_bytes = SOME_BYTES;
    square s = {op_a, op_b, alpha, beta, a, b, c, compute, p};
    return multiply(h, &s, NULL, false, __func__);
}
SPARSE(cusparseSpGEMM_copy)(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                            const sparse_matrix *b, const void *beta, sparse_matrix *c, int compute, int algorithm,
                            sparse_product *p)
{
    (void)algorithm;
    square s = {op_a, op_b, alpha, beta, a, b, c, compute, p};
    int status = multiply(h, &s, sparse_store_pattern, false, __func__);
    return status ? status : multiply(h, &s, sparse_store_values, false, __func__);
}

/* The same in steps that can be repeated with other values. */
SPARSE(cusparseSpGEMMreuse_workEstimation)(sparse_handle *h, int op_a, int op_b, const sparse_matrix *a,
                                           const sparse_matrix *b, sparse_matrix *c, int algorithm, sparse_product *p,
                                           size_t *bytes, void *buffer)
{
    (void)algorithm;
    if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);
    if (!buffer) *bytes = SOME_BYTES;
    square s = {op_a, op_b, NULL, NULL, a, b, c, 0, p};
    return multiply(h, &s, NULL, false, __func__);
}
SPARSE(cusparseSpGEMMreuse_nnz)(sparse_handle *h, int op_a, int op_b, const sparse_matrix *a, const sparse_matrix *b,
                                sparse_matrix *c, int algorithm, sparse_product *p, size_t *bytes2, void *buffer2,
                                size_t *bytes3, void *buffer3, size_t *bytes4, void *buffer4)
{
    (void)algorithm, (void)buffer3, (void)buffer4;
    if (!bytes2 || !bytes3 || !bytes4) return sparse_end(SPARSE_INVALID_VALUE);
    if (!buffer2) *bytes2 = *bytes3 = *bytes4 = SOME_BYTES;
    square s = {op_a, op_b, NULL, NULL, a, b, c, 0, p};
    return multiply(h, &s, buffer2 ? sparse_make_product : NULL, true, __func__);
}
SPARSE(cusparseSpGEMMreuse_copy)(sparse_handle *h, int op_a, int op_b, const sparse_matrix *a, const sparse_matrix *b,
                                 sparse_matrix *c, int algorithm, sparse_product *p, size_t *bytes, void *buffer)
{
    (void)algorithm;
    if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);
    if (!buffer) *bytes = SOME_BYTES;
    square s = {op_a, op_b, NULL, NULL, a, b, c, 0, p};
    return multiply(h, &s, buffer ? sparse_store_pattern : NULL, false, __func__);
}
SPARSE(cusparseSpGEMMreuse_compute)(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                                    const sparse_matrix *b, const void *beta, sparse_matrix *c, int compute,
                                    int algorithm, sparse_product *p)
{
    (void)algorithm;
    square s = {op_a, op_b, alpha, beta, a, b, c, compute, p};
    int status = multiply(h, &s, sparse_make_product, false, __func__);
    return status ? status : multiply(h, &s, sparse_store_values, false, __func__);
}

/* ---------------------------------------------------------------- sums of sparse matrices, of the older interface */
typedef struct old_matrix {
    const sparse_old_descriptor *descriptor;
    int count;
    const void *values;
    const int *offsets, *columns;
} old_matrix;

static int add(sparse_handle *h, int rows, int columns, const old_matrix *a, const old_matrix *b,
               const sparse_old_descriptor *out, int type, sparse_call *c, void (*work)(host_library *, sparse_call *),
               const char *function)
{
    NEED(sparse_valid(h), SPARSE_NOT_INITIALIZED);
    NEED(rows >= 0 && columns >= 0 && a->count >= 0 && b->count >= 0 && a->descriptor && b->descriptor && out,
         SPARSE_INVALID_VALUE);
    c->a = sparse_plain(rows, columns, a->count, a->offsets, a->columns, a->values, a->descriptor->IndexBase, type);
    c->second =
        sparse_plain(rows, columns, b->count, b->offsets, b->columns, b->values, b->descriptor->IndexBase, type);
    c->base = out->IndexBase;
    return sparse_put(h, c, work, c->result_on_host, function);
}

SPARSE(cusparseXcsrgeam2Nnz)(sparse_handle *h, int rows, int columns, const sparse_old_descriptor *da, int count_a,
                             const int *offsets_a, const int *columns_a, const sparse_old_descriptor *db, int count_b,
                             const int *offsets_b, const int *columns_b, const sparse_old_descriptor *dc, int *offsets,
                             int *total, void *buffer)
{
    (void)buffer;
    sparse_call c = {.to = sparse_number(offsets), .result = sparse_number(total)};
    c.result_on_host = sparse_valid(h) && !h->pointer_mode;
    old_matrix a = {da, count_a, NULL, offsets_a, columns_a}, b = {db, count_b, NULL, offsets_b, columns_b};
    return add(h, rows, columns, &a, &b, dc, BLAS_R_32F, &c, sparse_make_sum, __func__);
}

#define GEAM_OPERANDS                                                                                                  \
    sparse_handle *h, int rows, int columns, const void *alpha, const sparse_old_descriptor *da, int count_a,          \
        const void *values_a, const int *offsets_a, const int *columns_a, const void *beta,                            \
        const sparse_old_descriptor *db, int count_b, const void *values_b, const int *offsets_b,                      \
        const int *columns_b, const sparse_old_descriptor *dc, void *values, int *offsets, int *out_columns
#define GEAM(letter, type)                                                                                             \
    SPARSE(cusparse##letter##csrgeam2_bufferSizeExt)(GEAM_OPERANDS, size_t *bytes)                                     \
    {                                                                                                                  \
        (void)rows, (void)columns, (void)alpha, (void)da, (void)count_a, (void)values_a, (void)offsets_a;              \
        (void)columns_a, (void)beta, (void)db, (void)count_b, (void)values_b, (void)offsets_b, (void)columns_b;        \
        (void)dc, (void)values, (void)offsets, (void)out_columns;                                                      \
        if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);                                               \
        if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);                                                           \
        *bytes = 0;                                                                                                    \
        return SPARSE_OK;                                                                                              \
    }                                                                                                                  \
    SPARSE(cusparse##letter##csrgeam2)(GEAM_OPERANDS, void *buffer)                                                    \
    {                                                                                                                  \
        (void)buffer, (void)offsets;                                                                                   \
        sparse_call c = {.x = {.indices = sparse_number(out_columns), .values = sparse_number(values)}};               \
        old_matrix a = {da, count_a, values_a, offsets_a, columns_a};                                                  \
        old_matrix b = {db, count_b, values_b, offsets_b, columns_b};                                                  \
        if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);                                               \
        if (!sparse_scalar_at(h, alpha, type, &c.alpha) || !sparse_scalar_at(h, beta, type, &c.beta))                  \
            return sparse_end(SPARSE_INVALID_VALUE);                                                                   \
        return add(h, rows, columns, &a, &b, dc, type, &c, sparse_store_sum, __func__);                                \
    }
GEAM(S, BLAS_R_32F)
GEAM(D, BLAS_R_64F)
GEAM(C, BLAS_C_32F)
GEAM(Z, BLAS_C_64F)

/* ---------------------------------------------------------------- counting and sorting, of the older interface */
static int count_lines(sparse_handle *h, int direction, int rows, int columns, const void *a, int ld, int *counts,
                       int *total, int type, const char *function)
{
    NEED(sparse_valid(h), SPARSE_NOT_INITIALIZED);
    NEED(rows >= 0 && columns >= 0 && ld >= LW_MAX(rows, 1) && total && direction >= 0 && direction <= 1,
         SPARSE_INVALID_VALUE);
    sparse_call c = {.op_a = direction, .to = sparse_number(counts), .result = sparse_number(total)};
    c.result_on_host = !h->pointer_mode;
    c.b = (sparse_dense){rows, columns, ld, sparse_number(a), type, SPARSE_ORDER_COLUMNS, 1, 0};
    return sparse_put(h, &c, sparse_count_lines, c.result_on_host, function);
}
#define NNZ(letter, type)                                                                                              \
    SPARSE(cusparse##letter##nnz)                                                                                      \
    (sparse_handle * h, int direction, int rows, int columns, const sparse_old_descriptor *d, const void *a, int ld,   \
     int *counts, int *total)                                                                                          \
    {                                                                                                                  \
        if (!d) return sparse_end(SPARSE_INVALID_VALUE);                                                               \
        return count_lines(h, direction, rows, columns, a, ld, counts, total, type, __func__);                         \
    }
NNZ(S, BLAS_R_32F)
NNZ(D, BLAS_R_64F)
NNZ(C, BLAS_C_32F)
NNZ(Z, BLAS_C_64F)

static int sort(sparse_handle *h, int format, int rows, int columns, int count, int base, const int *first,
                const int *second, int *moved, bool columns_first, const char *function)
{
    NEED(sparse_valid(h), SPARSE_NOT_INITIALIZED);
    NEED(rows >= 0 && columns >= 0 && count >= 0, SPARSE_INVALID_VALUE);
    sparse_call c = {.op_a = columns_first, .to = sparse_number(moved)};
    c.a = sparse_plain(rows, columns, count, first, second, NULL, base, BLAS_R_32F);
    c.a.format = format;
    return sparse_put(h, &c, sparse_sort, false, function);
}
#define SORT(name, format, by_columns)                                                                                 \
    SPARSE(cusparse##name)                                                                                             \
    (sparse_handle * h, int rows, int columns, int count, const sparse_old_descriptor *d, const int *first,            \
     int *second, int *moved, void *buffer)                                                                            \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        if (!d) return sparse_end(SPARSE_INVALID_VALUE);                                                               \
        return sort(h, format, rows, columns, count, d->IndexBase, first, second, moved, by_columns, __func__);        \
    }
#define SORT_COO(name, by_columns)                                                                                     \
    SPARSE(cusparse##name)                                                                                             \
    (sparse_handle * h, int rows, int columns, int count, int *first, int *second, int *moved, void *buffer)           \
    {                                                                                                                  \
        (void)buffer; /* their bases do not change the order: the least index may be 1 */                              \
        return sort(h, SPARSE_COO, rows + 1, columns + 1, count, 0, first, second, moved, by_columns, __func__);       \
    }
#define SORT_BYTES(name)                                                                                               \
    SPARSE(cusparse##name##_bufferSizeExt)                                                                             \
    (sparse_handle * h, int rows, int columns, int count, const int *first, const int *second, size_t *bytes)          \
    {                                                                                                                  \
        (void)rows, (void)columns, (void)count, (void)first, (void)second;                                             \
        if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);                                               \
        if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);                                                           \
        *bytes = 0;                                                                                                    \
        return SPARSE_OK;                                                                                              \
    }
SORT(Xcsrsort, SPARSE_CSR, false)
SORT(Xcscsort, SPARSE_CSC, true)
SORT_COO(XcoosortByRow, false)
SORT_COO(XcoosortByColumn, true)
SORT_BYTES(Xcsrsort)
SORT_BYTES(Xcscsort)
SORT_BYTES(Xcoosort)
