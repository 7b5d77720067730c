/* Handles, descriptors, and the calls that are put on streams. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "face/face.h"
#include "sparse/sparse.h"

#define MAGIC 0x6c777370u
#define VERSION 12602 /* of cuSPARSE: 12.6.2, of CUDA 13.0 */

/* ---------------------------------------------------------------- errors */
static const struct {
    int status;
    const char *name, *text;
} statuses[] = {
    {SPARSE_OK, "CUSPARSE_STATUS_SUCCESS", "success"},
    {SPARSE_NOT_INITIALIZED, "CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {2, "CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {SPARSE_INVALID_VALUE, "CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {4, "CUSPARSE_STATUS_ARCH_MISMATCH", "not supported for the device architecture"},
    {SPARSE_EXECUTION_FAILED, "CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {7, "CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {8, "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {SPARSE_NOT_SUPPORTED, "CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {11, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};

const char *lw_cusparse_cusparseGetErrorName(int status)
{
    for (size_t i = 0; i < LW_COUNT(statuses); i++)
        if (statuses[i].status == status) return statuses[i].name;
    return "unrecognized error code";
}

const char *lw_cusparse_cusparseGetErrorString(int status)
{
    for (size_t i = 0; i < LW_COUNT(statuses); i++)
        if (statuses[i].status == status) return statuses[i].text;
    return "unrecognized error code";
}

static const face_library library = {"lw_cusparse_", lw_cusparse_cusparseGetErrorName, SPARSE_NOT_SUPPORTED,
                                     SPARSE_EXECUTION_FAILED};
int sparse_end_call(int status, const char *function) { return face_library_end(&library, status, function); }
int sparse_unsupported(const char *function)
{
    return sparse_end_call(face_library_unsupported(&library, function), function);
}

/* ---------------------------------------------------------------- handles */
bool sparse_valid(const sparse_handle *h) { return h && h->magic == MAGIC; }

SPARSE(cusparseCreate)(sparse_handle **out)
{
    if (!out) return sparse_end(SPARSE_INVALID_VALUE);
    sparse_handle *h = lw_alloc(sizeof *h);
    h->magic = MAGIC;
    *out = h;
    return SPARSE_OK;
}

SPARSE(cusparseDestroy)(sparse_handle *h)
{
    if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);
    host_synchronize(host_get());
    h->magic = 0;
    free(h);
    return SPARSE_OK;
}

SPARSE(cusparseGetVersion)(sparse_handle *h, int *out)
{
    if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);
    if (!out) return sparse_end(SPARSE_INVALID_VALUE);
    *out = VERSION;
    return SPARSE_OK;
}

SPARSE(cusparseGetProperty)(int which, int *out)
{
    static const int version[] = {VERSION / 1000, VERSION / 100 % 10, VERSION % 100};
    if (!out || which < 0 || which >= (int)LW_COUNT(version)) return sparse_end(SPARSE_INVALID_VALUE);
    *out = version[which];
    return SPARSE_OK;
}

#define SETTING(name, type, field)                                                                                     \
    SPARSE(cusparseSet##name)(sparse_handle * h, type value)                                                           \
    {                                                                                                                  \
        if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);                                               \
        h->field = value;                                                                                              \
        return SPARSE_OK;                                                                                              \
    }                                                                                                                  \
    SPARSE(cusparseGet##name)(sparse_handle * h, type * out)                                                           \
    {                                                                                                                  \
        if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);                                               \
        if (!out) return sparse_end(SPARSE_INVALID_VALUE);                                                             \
        *out = h->field;                                                                                               \
        return SPARSE_OK;                                                                                              \
    }
SETTING(Stream, void *, stream)
SETTING(PointerMode, int, pointer_mode)

/* ---------------------------------------------------------------- descriptors of the older interface: a few numbers */
SPARSE(cusparseCreateMatDescr)(sparse_old_descriptor **out)
{
    if (!out) return sparse_end(SPARSE_INVALID_VALUE);
    *out = lw_alloc(sizeof **out);
    return SPARSE_OK;
}
SPARSE(cusparseDestroyMatDescr)(sparse_old_descriptor *d)
{
    free(d);
    return SPARSE_OK;
}
#define OLD_NUMBER(name)                                                                                               \
    SPARSE(cusparseSetMat##name)(sparse_old_descriptor * d, int value)                                                 \
    {                                                                                                                  \
        if (!d || value < 0 || value > 3) return sparse_end(SPARSE_INVALID_VALUE);                                     \
        d->name = value;                                                                                               \
        return SPARSE_OK;                                                                                              \
    }                                                                                                                  \
    SPARSE(cusparseGetMat##name)(const sparse_old_descriptor *d) { return d ? d->name : 0; }
OLD_NUMBER(Type)
OLD_NUMBER(FillMode)
OLD_NUMBER(DiagType)
OLD_NUMBER(IndexBase)

/* ---------------------------------------------------------------- calls */
bool sparse_scalar_at(const sparse_handle *h, const void *at, int type, sparse_scalar *out)
{
    size_t bytes = blas_element_bytes(type);
    *out = (sparse_scalar){.type = type};
    if (!at || !bytes || bytes > sizeof out->value) return false;
    if (h->pointer_mode) out->device = sparse_number(at);
    else memcpy(out->value, at, bytes);
    return true;
}

int sparse_put(sparse_handle *h, sparse_call *c, void (*work)(host_library *, sparse_call *), bool wait,
               const char *function)
{
    c->work = work;
    return face_library_put(&library, function, h->stream, sparse_run, c, sizeof *c, wait);
}

sparse_matrix sparse_plain(int64_t rows, int64_t columns, int64_t count, const void *offsets, const void *indices,
                           const void *values, int base, int type)
{
    return (sparse_matrix){.format = SPARSE_CSR,
                           .rows = rows,
                           .columns = columns,
                           .count = count,
                           .first = sparse_number(offsets),
                           .second = sparse_number(indices),
                           .values = sparse_number(values),
                           .first_type = SPARSE_INDEX_32I,
                           .second_type = SPARSE_INDEX_32I,
                           .base = base,
                           .value_type = type,
                           .batch = 1};
}

static bool types_known(sparse_call *c)
{
    return blas_element_bytes(c->a.value_type) && blas_element_bytes(c->b.value_type) &&
           blas_element_bytes(c->c.value_type);
}

static int check_shapes(sparse_call *c)
{
    int64_t rows = c->op_a == SPARSE_OP_N ? c->a.rows : c->a.columns;
    int64_t inner = c->op_a == SPARSE_OP_N ? c->a.columns : c->a.rows;
    int64_t inner_b = c->op_b == SPARSE_OP_N ? c->b.rows : c->b.columns;
    int64_t columns = c->op_b == SPARSE_OP_N ? c->b.columns : c->b.rows;
    if (c->op_a < 0 || c->op_a > SPARSE_OP_C || c->op_b < 0 || c->op_b > SPARSE_OP_C) return SPARSE_INVALID_VALUE;
    bool is_real = c->a.value_type != BLAS_C_32F && c->a.value_type != BLAS_C_64F;
    if (is_real && c->op_a == SPARSE_OP_C) return SPARSE_INVALID_VALUE; /* as the library has it */
    if (rows != c->c.rows || inner != inner_b || columns != c->c.columns) return SPARSE_INVALID_VALUE;
    return types_known(c) && (c->a.batch <= 1 || c->a.batch == c->c.batch) ? SPARSE_OK : SPARSE_NOT_SUPPORTED;
}

/* A product of a sparse matrix with a dense one, or a vector. only_ask: the size of its buffer is asked, of which it needs
 * none. */
static int product(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                   const sparse_dense *b, const void *beta, const sparse_dense *out, int compute, bool only_ask,
                   const char *function)
{
    if (!sparse_valid(h)) return sparse_end_call(SPARSE_NOT_INITIALIZED, function);
    if (!a || !b || !out) return sparse_end_call(SPARSE_INVALID_VALUE, function);
    sparse_call c = {.op_a = op_a, .op_b = op_b, .a = *a, .b = *b, .c = *out};
    int status = check_shapes(&c);
    if (!status && (!sparse_scalar_at(h, alpha, compute, &c.alpha) || !sparse_scalar_at(h, beta, compute, &c.beta)))
        status = SPARSE_INVALID_VALUE;
    if (status || only_ask) return sparse_end_call(status, function);
    return sparse_put(h, &c, sparse_multiply, false, function);
}

SPARSE(cusparseSpMV)(sparse_handle *h, int op, const void *alpha, const sparse_matrix *a, const sparse_dense *x,
                     const void *beta, const sparse_dense *y, int compute, int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    return product(h, op, SPARSE_OP_N, alpha, a, x, beta, y, compute, false, __func__);
}
SPARSE(cusparseSpMV_bufferSize)(sparse_handle *h, int op, const void *alpha, const sparse_matrix *a,
                                const sparse_dense *x, const void *beta, const sparse_dense *y, int compute,
                                int algorithm, size_t *bytes)
{
    (void)algorithm;
    if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);
    *bytes = 0;
    return product(h, op, SPARSE_OP_N, alpha, a, x, beta, y, compute, true, __func__);
}
SPARSE(cusparseSpMV_preprocess)(sparse_handle *h, int op, const void *alpha, const sparse_matrix *a,
                                const sparse_dense *x, const void *beta, const sparse_dense *y, int compute,
                                int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    return product(h, op, SPARSE_OP_N, alpha, a, x, beta, y, compute, true, __func__);
}
SPARSE(cusparseSpMM)(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                     const sparse_dense *b, const void *beta, const sparse_dense *c, int compute, int algorithm,
                     void *buffer)
{
    (void)algorithm, (void)buffer;
    return product(h, op_a, op_b, alpha, a, b, beta, c, compute, false, __func__);
}
SPARSE(cusparseSpMM_bufferSize)(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                                const sparse_dense *b, const void *beta, const sparse_dense *c, int compute,
                                int algorithm, size_t *bytes)
{
    (void)algorithm;
    if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);
    *bytes = 0;
    return product(h, op_a, op_b, alpha, a, b, beta, c, compute, true, __func__);
}
SPARSE(cusparseSpMM_preprocess)(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                                const sparse_dense *b, const void *beta, const sparse_dense *c, int compute,
                                int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    return product(h, op_a, op_b, alpha, a, b, beta, c, compute, true, __func__);
}

/* ---------------------------------------------------------------- sparse vectors with dense ones */
static int with_vector(sparse_handle *h, sparse_call *c, const sparse_vector *x, const sparse_dense *y,
                       void (*work)(host_library *, sparse_call *), bool wait, const char *function)
{
    if (!sparse_valid(h)) return sparse_end_call(SPARSE_NOT_INITIALIZED, function);
    if (!x || !y || x->size != y->rows) return sparse_end_call(SPARSE_INVALID_VALUE, function);
    if (!blas_element_bytes(x->value_type) || !blas_element_bytes(y->value_type))
        return sparse_end_call(SPARSE_NOT_SUPPORTED, function);
    c->x = *x;
    c->b = *y;
    return sparse_put(h, c, work, wait, function);
}

SPARSE(cusparseSpVV)(sparse_handle *h, int op, const sparse_vector *x, const sparse_dense *y, void *result, int compute,
                     void *buffer)
{
    (void)buffer;
    sparse_call c = {.op_a = op, .alpha.type = compute, .result = sparse_number(result)};
    if (!result || !blas_element_bytes(compute)) return sparse_end(SPARSE_INVALID_VALUE);
    c.result_on_host = sparse_valid(h) && !h->pointer_mode;
    return with_vector(h, &c, x, y, sparse_dot, c.result_on_host, __func__);
}
SPARSE(cusparseSpVV_bufferSize)(sparse_handle *h, int op, const sparse_vector *x, const sparse_dense *y,
                                const void *result, int compute, size_t *bytes)
{
    (void)op, (void)result, (void)compute;
    if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);
    if (!x || !y || !bytes) return sparse_end(SPARSE_INVALID_VALUE);
    *bytes = 0;
    return SPARSE_OK;
}
SPARSE(cusparseAxpby)(sparse_handle *h, const void *alpha, const sparse_vector *x, const void *beta,
                      const sparse_dense *y)
{
    sparse_call c = {0};
    if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);
    if (!x || !sparse_scalar_at(h, alpha, x->value_type, &c.alpha) ||
        !sparse_scalar_at(h, beta, x->value_type, &c.beta))
        return sparse_end(SPARSE_INVALID_VALUE);
    return with_vector(h, &c, x, y, sparse_add, false, __func__);
}
SPARSE(cusparseRot)(sparse_handle *h, const void *cosine, const void *sine, const sparse_vector *x,
                    const sparse_dense *y)
{
    sparse_call c = {0};
    if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);
    if (!x || !sparse_scalar_at(h, cosine, x->value_type, &c.alpha) ||
        !sparse_scalar_at(h, sine, x->value_type, &c.beta))
        return sparse_end(SPARSE_INVALID_VALUE);
    return with_vector(h, &c, x, y, sparse_rotate, false, __func__);
}
SPARSE(cusparseGather)(sparse_handle *h, const sparse_dense *y, const sparse_vector *x)
{
    return with_vector(h, &(sparse_call){0}, x, y, sparse_gather, false, __func__);
}
SPARSE(cusparseScatter)(sparse_handle *h, const sparse_vector *x, const sparse_dense *y)
{
    return with_vector(h, &(sparse_call){0}, x, y, sparse_scatter, false, __func__);
}

/* ---------------------------------------------------------------- dense and sparse matrices */
static int convert(sparse_handle *h, const sparse_dense *dense, const sparse_matrix *matrix, sparse_matrix *counted,
                   void (*work)(host_library *, sparse_call *), const char *function)
{
    if (!sparse_valid(h)) return sparse_end_call(SPARSE_NOT_INITIALIZED, function);
    if (!dense || !matrix || dense->rows != matrix->rows || dense->columns != matrix->columns)
        return sparse_end_call(SPARSE_INVALID_VALUE, function);
    bool blocks = matrix->format == SPARSE_BLOCKED_ELL && work != sparse_to_dense; /* as on a card */
    if (matrix->format > SPARSE_COO && !blocks) return sparse_end_call(SPARSE_NOT_SUPPORTED, function);
    if (blocks && work == sparse_count) work = NULL; /* the blocks that are stored are given */
    if (blocks && work == sparse_from_dense) work = sparse_fill_places;
    sparse_call c = {.a = *matrix, .b = *dense, .c = *dense, .counted = counted};
    if (!types_known(&c)) return sparse_end_call(SPARSE_NOT_SUPPORTED, function);
    return work ? sparse_put(h, &c, work, counted != NULL, function) : SPARSE_OK;
}

SPARSE(cusparseDenseToSparse_bufferSize)(sparse_handle *h, const sparse_dense *a, sparse_matrix *b, int algorithm,
                                         size_t *bytes)
{
    (void)algorithm;
    if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);
    *bytes = 0;
    return convert(h, a, b, NULL, NULL, __func__);
}
SPARSE(cusparseDenseToSparse_analysis)(sparse_handle *h, const sparse_dense *a, sparse_matrix *b, int algorithm,
                                       void *buffer)
{
    (void)algorithm, (void)buffer;
    return convert(h, a, b, b, sparse_count, __func__); /* the program asks for the count next */
}
SPARSE(cusparseDenseToSparse_convert)(sparse_handle *h, const sparse_dense *a, sparse_matrix *b, int algorithm,
                                      void *buffer)
{
    (void)algorithm, (void)buffer;
    return convert(h, a, b, NULL, sparse_from_dense, __func__);
}
SPARSE(cusparseSparseToDense_bufferSize)(sparse_handle *h, const sparse_matrix *a, const sparse_dense *b, int algorithm,
                                         size_t *bytes)
{
    (void)algorithm;
    if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);
    *bytes = 0;
    return convert(h, b, a, NULL, NULL, __func__);
}
SPARSE(cusparseSparseToDense)(sparse_handle *h, const sparse_matrix *a, const sparse_dense *b, int algorithm,
                              void *buffer)
{
    (void)algorithm, (void)buffer;
    return convert(h, b, a, NULL, sparse_to_dense, __func__);
}

/* ---------------------------------------------------------------- the older interface: indices of 32 bits */
static int indices(sparse_handle *h, const void *from, void *to, int count, int rows, int base,
                   void (*work)(host_library *, sparse_call *), const char *function)
{
    if (!sparse_valid(h)) return sparse_end_call(SPARSE_NOT_INITIALIZED, function);
    if (count < 0 || rows < 0 || base < 0 || base > 1) return sparse_end_call(SPARSE_INVALID_VALUE, function);
    sparse_call c = {.from = sparse_number(from), .to = sparse_number(to), .count = count, .rows = rows, .base = base};
    return sparse_put(h, &c, work, false, function);
}
SPARSE(cusparseXcoo2csr)(sparse_handle *h, const int *from, int count, int rows, int *to, int base)
{
    return indices(h, from, to, count, rows, base, sparse_compress, __func__);
}
SPARSE(cusparseXcsr2coo)(sparse_handle *h, const int *from, int count, int rows, int *to, int base)
{
    return indices(h, from, to, count, rows, base, sparse_expand, __func__);
}
SPARSE(cusparseCreateIdentityPermutation)(sparse_handle *h, int count, int *to)
{
    return indices(h, NULL, to, count, 0, 0, sparse_identity, __func__);
}

SPARSE(cusparseCsr2cscEx2_bufferSize)(sparse_handle *h, int rows, int columns, int count, const void *values,
                                      const int *offsets, const int *indices_in, void *out_values, int *out_offsets,
                                      int *out_indices, int type, int action, int base, int algorithm, size_t *bytes)
{
    (void)values, (void)offsets, (void)indices_in, (void)out_values, (void)out_offsets, (void)out_indices, (void)type;
    (void)action, (void)base, (void)algorithm;
    if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);
    if (!bytes || rows < 0 || columns < 0 || count < 0) return sparse_end(SPARSE_INVALID_VALUE);
    *bytes = 0;
    return SPARSE_OK;
}
SPARSE(cusparseCsr2cscEx2)(sparse_handle *h, int rows, int columns, int count, const void *values, const int *offsets,
                           const int *indices_in, void *out_values, int *out_offsets, int *out_indices, int type,
                           int action, int base, int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);
    if (rows < 0 || columns < 0 || count < 0 || base < 0 || base > 1) return sparse_end(SPARSE_INVALID_VALUE);
    if (action && !blas_element_bytes(type)) return sparse_end(SPARSE_NOT_SUPPORTED);
    sparse_call c = {.to = sparse_number(out_offsets)};
    c.a = sparse_plain(rows, columns, count, offsets, indices_in, values, base, type);
    c.x = (sparse_vector){
        .count = action ? count : 0, .indices = sparse_number(out_indices), .values = sparse_number(out_values)};
    return sparse_put(h, &c, sparse_turn, false, __func__);
}

/* ---------------------------------------------------------------- triangular systems */
/* Their descriptors hold the matrix's values when they were changed after the analysis. */
typedef struct solver {
    uint64_t values; /* 0: the matrix's own */
} solver;

static int create_solver(solver **out, const char *function)
{
    if (!out) return sparse_end_call(SPARSE_INVALID_VALUE, function);
    *out = lw_alloc(sizeof **out);
    return SPARSE_OK;
}

static int solve(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a, const sparse_dense *b,
                 const sparse_dense *out, int compute, const solver *s, bool only_ask, const char *function)
{
    if (!sparse_valid(h)) return sparse_end_call(SPARSE_NOT_INITIALIZED, function);
    if (!a || !b || !out || !s || a->rows != a->columns) return sparse_end_call(SPARSE_INVALID_VALUE, function);
    sparse_call c = {.op_a = op_a, .op_b = op_b, .a = *a, .b = *b, .c = *out};
    int status = a->format == SPARSE_BSR ? SPARSE_NOT_SUPPORTED : check_shapes(&c);
    if (!status && (a->batch > 1 || b->batch > 1 || out->batch > 1)) status = SPARSE_NOT_SUPPORTED;
    if (!status && !sparse_scalar_at(h, alpha, compute, &c.alpha)) status = SPARSE_INVALID_VALUE;
    if (status || only_ask) return sparse_end_call(status, function);
    if (s->values) c.a.values = s->values;
    return sparse_put(h, &c, sparse_solve, false, function);
}

#define SOLVER(name, operations, op_b)                                                                                 \
    SPARSE(cusparse##name##_createDescr)(solver * *out) { return create_solver(out, __func__); }                       \
    SPARSE(cusparse##name##_destroyDescr)(solver * s)                                                                  \
    {                                                                                                                  \
        free(s);                                                                                                       \
        return SPARSE_OK;                                                                                              \
    }                                                                                                                  \
    SPARSE(cusparse##name##_bufferSize)                                                                                \
    (sparse_handle * h, operations, const void *alpha, const sparse_matrix *a, const sparse_dense *b,                  \
     const sparse_dense *c, int compute, int algorithm, solver *s, size_t *bytes)                                      \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);                                                           \
        *bytes = 0;                                                                                                    \
        return solve(h, op_a, op_b, alpha, a, b, c, compute, s, true, __func__);                                       \
    }                                                                                                                  \
    SPARSE(cusparse##name##_analysis)                                                                                  \
    (sparse_handle * h, operations, const void *alpha, const sparse_matrix *a, const sparse_dense *b,                  \
     const sparse_dense *c, int compute, int algorithm, solver *s, void *buffer)                                       \
    {                                                                                                                  \
        (void)algorithm, (void)buffer;                                                                                 \
        return solve(h, op_a, op_b, alpha, a, b, c, compute, s, true, __func__);                                       \
    }                                                                                                                  \
    SPARSE(cusparse##name##_solve)                                                                                     \
    (sparse_handle * h, operations, const void *alpha, const sparse_matrix *a, const sparse_dense *b,                  \
     const sparse_dense *c, int compute, int algorithm, solver *s)                                                     \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        return solve(h, op_a, op_b, alpha, a, b, c, compute, s, false, __func__);                                      \
    }                                                                                                                  \
    SPARSE(cusparse##name##_updateMatrix)(sparse_handle * h, solver * s, void *values, int part)                       \
    {                                                                                                                  \
        if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);                                               \
        if (!s || !values) return sparse_end(SPARSE_INVALID_VALUE);                                                    \
        if (part) return sparse_unsupported(__func__); /* the diagonal alone */                                        \
        s->values = sparse_number(values);                                                                             \
        return SPARSE_OK;                                                                                              \
    }
#define ONE_OPERATION int op_a
#define TWO_OPERATIONS int op_a, int op_b
SOLVER(SpSV, ONE_OPERATION, SPARSE_OP_N)
SOLVER(SpSM, TWO_OPERATIONS, op_b)

/* ---------------------------------------------------------------- L U without fill */
typedef struct factors {
    int64_t pivot; /* -1: none is zero */
} factors;

#define FACTORS_INFO(Name, zero_pivot)                                                                                 \
    SPARSE(cusparseCreate##Name##Info)(factors * *out)                                                                 \
    {                                                                                                                  \
        if (!out) return sparse_end(SPARSE_INVALID_VALUE);                                                             \
        *out = lw_alloc(sizeof **out);                                                                                 \
        (*out)->pivot = -1;                                                                                            \
        return SPARSE_OK;                                                                                              \
    }                                                                                                                  \
    SPARSE(cusparseDestroy##Name##Info)(factors * f)                                                                   \
    {                                                                                                                  \
        free(f);                                                                                                       \
        return SPARSE_OK;                                                                                              \
    }                                                                                                                  \
    SPARSE(zero_pivot)(sparse_handle * h, factors * f, int *position)                                                  \
    {                                                                                                                  \
        if (!sparse_valid(h)) return sparse_end(SPARSE_NOT_INITIALIZED);                                               \
        if (!f || !position) return sparse_end(SPARSE_INVALID_VALUE);                                                  \
        host_synchronize(host_get());                                                                                  \
        *position = (int)f->pivot;                                                                                     \
        return f->pivot < 0 ? SPARSE_OK : ZERO_PIVOT;                                                                  \
    }
enum { ZERO_PIVOT = 9 };
FACTORS_INFO(Csrilu02, cusparseXcsrilu02_zeroPivot)
FACTORS_INFO(Csric02, cusparseXcsric02_zeroPivot)

static int factor(sparse_handle *h, int rows, int count, const sparse_old_descriptor *d, void *values,
                  const int *offsets, const int *columns, int type, factors *f,
                  void (*work)(host_library *, sparse_call *), const char *function)
{
    if (!sparse_valid(h)) return sparse_end_call(SPARSE_NOT_INITIALIZED, function);
    if (rows < 0 || count < 0 || !d || !f) return sparse_end_call(SPARSE_INVALID_VALUE, function);
    if (!work) return SPARSE_OK;
    sparse_call c = {.pivot = &f->pivot};
    c.a = sparse_plain(rows, rows, count, offsets, columns, values, d->IndexBase, type);
    return sparse_put(h, &c, work, false, function);
}

#define FACTORS_OF(letter, type, name, work)                                                                           \
    SPARSE(cusparse##letter##name##_bufferSize)                                                                        \
    (sparse_handle * h, int rows, int count, const sparse_old_descriptor *d, void *values, const int *offsets,         \
     const int *columns, factors *f, int *bytes)                                                                       \
    {                                                                                                                  \
        if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);                                                           \
        *bytes = 0;                                                                                                    \
        return factor(h, rows, count, d, values, offsets, columns, type, f, NULL, __func__);                           \
    }                                                                                                                  \
    SPARSE(cusparse##letter##name##_analysis)                                                                          \
    (sparse_handle * h, int rows, int count, const sparse_old_descriptor *d, void *values, const int *offsets,         \
     const int *columns, factors *f, int policy, void *buffer)                                                         \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        return factor(h, rows, count, d, values, offsets, columns, type, f, NULL, __func__);                           \
    }                                                                                                                  \
    SPARSE(cusparse##letter##name)                                                                                     \
    (sparse_handle * h, int rows, int count, const sparse_old_descriptor *d, void *values, const int *offsets,         \
     const int *columns, factors *f, int policy, void *buffer)                                                         \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        return factor(h, rows, count, d, values, offsets, columns, type, f, work, __func__);                           \
    }                                                                                                                  \
    SPARSE(cusparse##letter##name##_bufferSizeExt)                                                                     \
    (sparse_handle * h, int rows, int count, const sparse_old_descriptor *d, void *values, const int *offsets,         \
     const int *columns, factors *f, size_t *bytes)                                                                    \
    {                                                                                                                  \
        if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);                                                           \
        *bytes = 0;                                                                                                    \
        return factor(h, rows, count, d, values, offsets, columns, type, f, NULL, __func__);                           \
    }
#define FACTORS(letter, type)                                                                                          \
    FACTORS_OF(letter, type, csrilu02, sparse_factor)                                                                  \
    FACTORS_OF(letter, type, csric02, sparse_factor_symmetric)
FACTORS(S, BLAS_R_32F)
FACTORS(D, BLAS_R_64F)
FACTORS(C, BLAS_C_32F)
FACTORS(Z, BLAS_C_64F)
