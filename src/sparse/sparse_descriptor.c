/* Descriptors of the generic interface: made, read, changed. */
#include <stdlib.h>

#include "sparse/sparse.h"

static uint64_t number(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }
static void *pointer(uint64_t address) { return (void *)(uintptr_t)address; }

static int make_matrix(sparse_matrix **out, const sparse_matrix *made)
{
    if (!out || made->rows < 0 || made->columns < 0 || made->count < 0 || made->base < 0 || made->base > 1)
        return SPARSE_INVALID_VALUE;
    *out = lw_alloc(sizeof **out);
    **out = *made;
    return SPARSE_OK;
}

/* Each is there for operands that are written and for those that are only read. */
#define BOTH(M)                                                                                                        \
    M()                                                                                                                \
    M(Const)

#define CREATE_COMPRESSED(constant, name, format)                                                                      \
    SPARSE(cusparseCreate##constant##name)                                                                             \
    (sparse_matrix * *out, int64_t rows, int64_t columns, int64_t count, void *offsets, void *indices, void *values,   \
     int offset_type, int index_type, int base, int type)                                                              \
    {                                                                                                                  \
        return make_matrix(out, &(sparse_matrix){format, rows, columns, count, number(offsets), number(indices),       \
                                                 number(values), offset_type, index_type, base, type, 1, 0, 0, 0, 0,   \
                                                 0, 0, 0});                                                            \
    }
#define CREATE_CSR(constant) CREATE_COMPRESSED(constant, Csr, SPARSE_CSR)
#define CREATE_CSC(constant) CREATE_COMPRESSED(constant, Csc, SPARSE_CSC)
#define CREATE_COO(constant)                                                                                           \
    SPARSE(cusparseCreate##constant##Coo)                                                                              \
    (sparse_matrix * *out, int64_t rows, int64_t columns, int64_t count, void *row_indices, void *column_indices,      \
     void *values, int index_type, int base, int type)                                                                 \
    {                                                                                                                  \
        return make_matrix(out, &(sparse_matrix){SPARSE_COO, rows, columns, count, number(row_indices),                \
                                                 number(column_indices), number(values), index_type, index_type, base, \
                                                 type, 1, 0, 0, 0, 0, 0, 0, 0});                                       \
    }
#define CREATE_SLICED(constant)                                                                                        \
    SPARSE(cusparseCreate##constant##SlicedEll)                                                                        \
    (sparse_matrix * *out, int64_t rows, int64_t columns, int64_t count, int64_t slots, int64_t slice, void *offsets,  \
     void *indices, void *values, int offset_type, int index_type, int base, int type)                                 \
    {                                                                                                                  \
        if (slots < count || slice <= 0) return SPARSE_INVALID_VALUE;                                                  \
        return make_matrix(out, &(sparse_matrix){SPARSE_SLICED_ELL, rows, columns, count, number(offsets),             \
                                                 number(indices), number(values), offset_type, index_type, base, type, \
                                                 1, 0, 0, 0, 0, slice, slots, 0});                                     \
    }
#define CREATE_BLOCKED(constant)                                                                                       \
    SPARSE(cusparseCreate##constant##BlockedEll)                                                                       \
    (sparse_matrix * *out, int64_t rows, int64_t columns, int64_t block, int64_t width, void *indices, void *values,   \
     int index_type, int base, int type)                                                                               \
    {                                                                                                                  \
        if (rows < 0 || block <= 0 || width < 0 || rows % block || width % block) return SPARSE_INVALID_VALUE;         \
        return make_matrix(out, &(sparse_matrix){SPARSE_BLOCKED_ELL, rows, columns, rows * width, 0, number(indices),  \
                                                 number(values), index_type, index_type, base, type, 1, 0, 0, 0, 0,    \
                                                 block, width, 0});                                                    \
    }
#define CREATE_BSR(constant)                                                                                           \
    SPARSE(cusparseCreate##constant##Bsr)                                                                              \
    (sparse_matrix * *out, int64_t block_rows, int64_t block_columns, int64_t blocks, int64_t rows, int64_t columns,   \
     void *offsets, void *indices, void *values, int offset_type, int index_type, int base, int type, int order)       \
    {                                                                                                                  \
        if (rows <= 0 || columns <= 0 || order < SPARSE_ORDER_COLUMNS || order > SPARSE_ORDER_ROWS)                    \
            return SPARSE_INVALID_VALUE;                                                                               \
        return make_matrix(out, &(sparse_matrix){SPARSE_BSR, block_rows * rows, block_columns * columns,               \
                                                 blocks * rows * columns, number(offsets), number(indices),            \
                                                 number(values), offset_type, index_type, base, type, 1, 0, 0, 0, 0,   \
                                                 rows, columns, order});                                               \
    }
#define CREATE_SPARSE_VECTOR(constant)                                                                                 \
    SPARSE(cusparseCreate##constant##SpVec)                                                                            \
    (sparse_vector * *out, int64_t size, int64_t count, void *indices, void *values, int index_type, int base,         \
     int type)                                                                                                         \
    {                                                                                                                  \
        if (!out || size < 0 || count < 0 || count > size) return SPARSE_INVALID_VALUE;                                \
        *out = lw_alloc(sizeof **out);                                                                                 \
        **out = (sparse_vector){size, count, number(indices), number(values), index_type, base, type};                 \
        return SPARSE_OK;                                                                                              \
    }
#define CREATE_DENSE_VECTOR(constant)                                                                                  \
    SPARSE(cusparseCreate##constant##DnVec)(sparse_dense * *out, int64_t size, void *values, int type)                 \
    {                                                                                                                  \
        if (!out || size < 0) return SPARSE_INVALID_VALUE;                                                             \
        *out = lw_alloc(sizeof **out);                                                                                 \
        **out = (sparse_dense){size, 1, LW_MAX(size, 1), number(values), type, SPARSE_ORDER_COLUMNS, 1, 0};            \
        return SPARSE_OK;                                                                                              \
    }
#define CREATE_DENSE(constant)                                                                                         \
    SPARSE(cusparseCreate##constant##DnMat)                                                                            \
    (sparse_dense * *out, int64_t rows, int64_t columns, int64_t ld, void *values, int type, int order)                \
    {                                                                                                                  \
        if (!out || rows < 0 || columns < 0 || ld < (order == SPARSE_ORDER_ROWS ? columns : rows))                     \
            return SPARSE_INVALID_VALUE;                                                                               \
        *out = lw_alloc(sizeof **out);                                                                                 \
        **out = (sparse_dense){rows, columns, ld, number(values), type, order, 1, 0};                                  \
        return SPARSE_OK;                                                                                              \
    }
BOTH(CREATE_CSR)
BOTH(CREATE_CSC)
BOTH(CREATE_COO)
BOTH(CREATE_SLICED)
BOTH(CREATE_BLOCKED)
BOTH(CREATE_BSR)
BOTH(CREATE_SPARSE_VECTOR)
BOTH(CREATE_DENSE_VECTOR)
BOTH(CREATE_DENSE)

#define DESTROY(name)                                                                                                  \
    SPARSE(cusparseDestroy##name)(void *descriptor)                                                                    \
    {                                                                                                                  \
        free(descriptor);                                                                                              \
        return SPARSE_OK;                                                                                              \
    }
DESTROY(SpMat)
DESTROY(SpVec)
DESTROY(DnMat)
DESTROY(DnVec)

/* ---------------------------------------------------------------- reading */
#define GET_COMPRESSED(prefix, name)                                                                                   \
    SPARSE(cusparse##prefix##name##Get)                                                                                \
    (const sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *count, void **offsets, void **indices,          \
     void **values, int *offset_type, int *index_type, int *base, int *type)                                           \
    {                                                                                                                  \
        if (!m) return SPARSE_INVALID_VALUE;                                                                           \
        *rows = m->rows;                                                                                               \
        *columns = m->columns;                                                                                         \
        *count = m->count;                                                                                             \
        *offsets = pointer(m->first);                                                                                  \
        *indices = pointer(m->second);                                                                                 \
        *values = pointer(m->values);                                                                                  \
        *offset_type = m->first_type;                                                                                  \
        *index_type = m->second_type;                                                                                  \
        *base = m->base;                                                                                               \
        *type = m->value_type;                                                                                         \
        return SPARSE_OK;                                                                                              \
    }
GET_COMPRESSED(, Csr)
GET_COMPRESSED(Const, Csr)
GET_COMPRESSED(Const, Csc)
GET_COMPRESSED(, Csc)

#define GET_COO(prefix)                                                                                                \
    SPARSE(cusparse##prefix##CooGet)                                                                                   \
    (const sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *count, void **row_indices,                      \
     void **column_indices, void **values, int *index_type, int *base, int *type)                                      \
    {                                                                                                                  \
        if (!m) return SPARSE_INVALID_VALUE;                                                                           \
        *rows = m->rows;                                                                                               \
        *columns = m->columns;                                                                                         \
        *count = m->count;                                                                                             \
        *row_indices = pointer(m->first);                                                                              \
        *column_indices = pointer(m->second);                                                                          \
        *values = pointer(m->values);                                                                                  \
        *index_type = m->first_type;                                                                                   \
        *base = m->base;                                                                                               \
        *type = m->value_type;                                                                                         \
        return SPARSE_OK;                                                                                              \
    }
#define GET_DENSE(prefix)                                                                                              \
    SPARSE(cusparse##prefix##DnMatGet)                                                                                 \
    (const sparse_dense *d, int64_t *rows, int64_t *columns, int64_t *ld, void **values, int *type, int *order)        \
    {                                                                                                                  \
        if (!d) return SPARSE_INVALID_VALUE;                                                                           \
        *rows = d->rows;                                                                                               \
        *columns = d->columns;                                                                                         \
        *ld = d->ld;                                                                                                   \
        *values = pointer(d->values);                                                                                  \
        *type = d->value_type;                                                                                         \
        *order = d->order;                                                                                             \
        return SPARSE_OK;                                                                                              \
    }
#define GET_DENSE_VECTOR(prefix)                                                                                       \
    SPARSE(cusparse##prefix##DnVecGet)(const sparse_dense *d, int64_t *size, void **values, int *type)                 \
    {                                                                                                                  \
        if (!d) return SPARSE_INVALID_VALUE;                                                                           \
        *size = d->rows;                                                                                               \
        *values = pointer(d->values);                                                                                  \
        *type = d->value_type;                                                                                         \
        return SPARSE_OK;                                                                                              \
    }
#define GET_SPARSE_VECTOR(prefix)                                                                                      \
    SPARSE(cusparse##prefix##SpVecGet)                                                                                 \
    (const sparse_vector *x, int64_t *size, int64_t *count, void **indices, void **values, int *index_type, int *base, \
     int *type)                                                                                                        \
    {                                                                                                                  \
        if (!x) return SPARSE_INVALID_VALUE;                                                                           \
        *size = x->size;                                                                                               \
        *count = x->count;                                                                                             \
        *indices = pointer(x->indices);                                                                                \
        *values = pointer(x->values);                                                                                  \
        *index_type = x->index_type;                                                                                   \
        *base = x->base;                                                                                               \
        *type = x->value_type;                                                                                         \
        return SPARSE_OK;                                                                                              \
    }
#define GET_VALUES(prefix, name, type)                                                                                 \
    SPARSE(cusparse##prefix##name##GetValues)(const type *d, void **out)                                               \
    {                                                                                                                  \
        if (!d || !out) return SPARSE_INVALID_VALUE;                                                                   \
        *out = pointer(d->values);                                                                                     \
        return SPARSE_OK;                                                                                              \
    }
#define GET_ALL_VALUES(prefix)                                                                                         \
    GET_VALUES(prefix, SpMat, sparse_matrix)                                                                           \
    GET_VALUES(prefix, SpVec, sparse_vector)                                                                           \
    GET_VALUES(prefix, DnMat, sparse_dense)                                                                            \
    GET_VALUES(prefix, DnVec, sparse_dense)
BOTH(GET_COO)
BOTH(GET_DENSE)
BOTH(GET_DENSE_VECTOR)
BOTH(GET_SPARSE_VECTOR)
BOTH(GET_ALL_VALUES)

SPARSE(cusparseSpMatGetSize)(const sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *count)
{
    if (!m || !rows || !columns || !count) return SPARSE_INVALID_VALUE;
    *rows = m->rows;
    *columns = m->columns;
    *count = m->count;
    return SPARSE_OK;
}

#define GET_NUMBER(name, type, field)                                                                                  \
    SPARSE(cusparse##name)(const type *d, int *out)                                                                    \
    {                                                                                                                  \
        if (!d || !out) return SPARSE_INVALID_VALUE;                                                                   \
        *out = d->field;                                                                                               \
        return SPARSE_OK;                                                                                              \
    }
GET_NUMBER(SpMatGetFormat, sparse_matrix, format)
GET_NUMBER(SpMatGetIndexBase, sparse_matrix, base)
GET_NUMBER(SpMatGetStridedBatch, sparse_matrix, batch)
GET_NUMBER(SpVecGetIndexBase, sparse_vector, base)

/* ---------------------------------------------------------------- changing */
#define SET_VALUES(name, type)                                                                                         \
    SPARSE(cusparse##name##SetValues)(type * d, void *values)                                                          \
    {                                                                                                                  \
        if (!d) return SPARSE_INVALID_VALUE;                                                                           \
        d->values = number(values);                                                                                    \
        return SPARSE_OK;                                                                                              \
    }
SET_VALUES(SpMat, sparse_matrix)
SET_VALUES(SpVec, sparse_vector)
SET_VALUES(DnMat, sparse_dense)
SET_VALUES(DnVec, sparse_dense)

#define SET_POINTERS(name)                                                                                             \
    SPARSE(cusparse##name##SetPointers)(sparse_matrix * m, void *first, void *second, void *values)                    \
    {                                                                                                                  \
        if (!m) return SPARSE_INVALID_VALUE;                                                                           \
        m->first = number(first);                                                                                      \
        m->second = number(second);                                                                                    \
        m->values = number(values);                                                                                    \
        return SPARSE_OK;                                                                                              \
    }
SET_POINTERS(Csr)
SET_POINTERS(Csc)
SET_POINTERS(Coo)

SPARSE(cusparseCsrSetStridedBatch)(sparse_matrix *m, int batch, int64_t offsets_stride, int64_t stride)
{
    if (!m || batch <= 0 || m->format != SPARSE_CSR) return SPARSE_INVALID_VALUE;
    m->batch = batch;
    m->first_stride = offsets_stride;
    m->stride = stride;
    return SPARSE_OK;
}
SPARSE(cusparseCooSetStridedBatch)(sparse_matrix *m, int batch, int64_t stride)
{
    if (!m || batch <= 0 || m->format != SPARSE_COO) return SPARSE_INVALID_VALUE;
    m->batch = batch;
    m->first_stride = m->stride = stride;
    return SPARSE_OK;
}
SPARSE(cusparseDnMatSetStridedBatch)(sparse_dense *d, int batch, int64_t stride)
{
    if (!d || batch <= 0) return SPARSE_INVALID_VALUE;
    d->batch = batch;
    d->stride = stride;
    return SPARSE_OK;
}
SPARSE(cusparseDnMatGetStridedBatch)(const sparse_dense *d, int *batch, int64_t *stride)
{
    if (!d || !batch || !stride) return SPARSE_INVALID_VALUE;
    *batch = d->batch;
    *stride = d->stride;
    return SPARSE_OK;
}

/* Attribute 0: which triangle (0 lower, 1 upper); 1: its diagonal (0 as stored, 1 ones). */
SPARSE(cusparseSpMatSetAttribute)(sparse_matrix *m, int attribute, const int *value, size_t bytes)
{
    if (!m || !value || bytes < sizeof *value || *value < 0 || *value > 1) return SPARSE_INVALID_VALUE;
    if (attribute < 0 || attribute > 1) return SPARSE_INVALID_VALUE;
    *(attribute ? &m->unit : &m->upper) = *value;
    return SPARSE_OK;
}
SPARSE(cusparseSpMatGetAttribute)(const sparse_matrix *m, int attribute, int *out, size_t bytes)
{
    if (!m || !out || bytes < sizeof *out || attribute < 0 || attribute > 1) return SPARSE_INVALID_VALUE;
    *out = attribute ? m->unit : m->upper;
    return SPARSE_OK;
}
