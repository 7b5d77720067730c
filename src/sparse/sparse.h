/* sparse.h: cuSPARSE's generic interface: products of sparse matrices with vectors and dense matrices, and conversions. Entry
 * points are named lw_cusparse_<exported name>; a call is put on the stream of its handle (host/library.h). Sums are made in
 * double precision, in the order in which the elements lie in memory, and rounded once. */
#ifndef LW_SPARSE_H
#define LW_SPARSE_H

#include "face/library.h"

enum { /* cusparseStatus_t */
       SPARSE_OK = 0,
       SPARSE_NOT_INITIALIZED = 1,
       SPARSE_INVALID_VALUE = 3,
       SPARSE_EXECUTION_FAILED = 6,
       SPARSE_NOT_SUPPORTED = 10
};
enum { SPARSE_OP_N = 0, SPARSE_OP_T = 1, SPARSE_OP_C = 2 }; /* cusparseOperation_t */
enum {
    SPARSE_CSR = 1,
    SPARSE_CSC = 2,
    SPARSE_COO = 3,
    SPARSE_BLOCKED_ELL = 5,
    SPARSE_BSR = 6,
    SPARSE_SLICED_ELL = 7
}; /* cusparseFormat_t */
enum { SPARSE_ORDER_COLUMNS = 1, SPARSE_ORDER_ROWS = 2 };          /* cusparseOrder_t */
enum { SPARSE_INDEX_16U = 1, SPARSE_INDEX_32I, SPARSE_INDEX_64I }; /* cusparseIndexType_t */

typedef struct sparse_handle {
    uint32_t magic;
    int pointer_mode; /* 0: scalars lie in host memory, 1: in device memory */
    void *stream;     /* cudaStream_t */
} sparse_handle;

/* A sparse matrix. Of CSR `first` are the offsets of rows and `second` the columns, of CSC offsets of columns and rows,
 * of COO rows and columns; addresses of device memory. Of sliced ELL `first` are the offsets of slices and `second`
 * columns, of blocked ELL `second` are columns of blocks; there, -1 is a place without an element. Of BSR `first` are
 * the offsets of rows of blocks and `second` the blocks' columns. Products know these three, solves those of ELL. */
typedef struct sparse_matrix {
    int format;
    int64_t rows, columns, count; /* count: of elements that are stored */
    uint64_t first, second, values;
    int first_type, second_type, base, value_type; /* value_type: cudaDataType */
    int batch;
    int upper, unit;              /* which triangle is solved with; unit: its diagonal counts as ones */
    int64_t first_stride, stride; /* elements from one of a batch to the next, of offsets and of the rest */
    int64_t block,
        slots; /* ELL: rows of a slice, or rows and columns of a block; places for elements, all in all or (blocked)
                             in a row. BSR: rows and columns of a block */
    int order; /* BSR: of a block's elements */
} sparse_matrix;

/* A sparse vector: `count` indices and values. */
typedef struct sparse_vector {
    int64_t size, count;
    uint64_t indices, values;
    int index_type, base, value_type;
} sparse_vector;

/* A dense matrix, or (columns == 1) a vector. */
typedef struct sparse_dense {
    int64_t rows, columns, ld;
    uint64_t values;
    int value_type, order, batch;
    int64_t stride; /* elements from one of a batch to the next */
} sparse_dense;

typedef struct sparse_scalar {
    uint64_t device; /* 0: value holds it */
    int type;        /* cudaDataType */
    double value[2]; /* room for any of them */
} sparse_scalar;

/* A product of two sparse matrices, between the calls that make it: its elements by rows, columns ascending. */
typedef struct sparse_product {
    int64_t products, count, rows, *offsets, *columns;
    double (*values)[2];
} sparse_product;

/* What a call does; `work` says which fields it uses. */
typedef struct sparse_call sparse_call;
struct sparse_call {
    void (*work)(host_library *l, sparse_call *c);
    int op_a, op_b;
    sparse_scalar alpha, beta;
    sparse_matrix a, second; /* second: another one, of products and sums */
    sparse_vector x;
    sparse_dense b, c;
    uint64_t from, to, result; /* result: where a scalar goes */
    bool result_on_host;
    int64_t count, rows;
    int base;
    sparse_matrix *counted; /* whose count is found out */
    int64_t *pivot;
    sparse_product *product;
};

/* ---------------------------------------------------------------- sparse_core.c: what entry points share */
#define SPARSE(name) int lw_cusparse_##name
#define sparse_end(status) sparse_end_call(status, __func__)
int sparse_end_call(int status, const char *function); /* gives the status; others than 0 become findings */
int sparse_unsupported(const char *function);          /* how an entry point ends that is not there */
bool sparse_valid(const sparse_handle *h);
/* A scalar of a cudaDataType where the handle's mode says; false: no address, or no such type. */
bool sparse_scalar_at(const sparse_handle *h, const void *at, int type, sparse_scalar *out);
int sparse_put(sparse_handle *h, sparse_call *c, void (*work)(host_library *, sparse_call *), bool wait,
               const char *function);
static inline uint64_t sparse_number(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }
/* A matrix of the older interface: CSR, indices of 32 bits. */
sparse_matrix sparse_plain(int64_t rows, int64_t columns, int64_t count, const void *offsets, const void *indices,
                           const void *values, int base, int type);
typedef struct sparse_old_descriptor { /* cusparseMatDescr_t: a few numbers */
    int Type, FillMode, DiagType, IndexBase;
} sparse_old_descriptor;

/* ---------------------------------------------------------------- sparse_run.c, sparse_convert.c */
void sparse_run(host_library *l, const void *call);       /* calls work */
void sparse_multiply(host_library *l, sparse_call *c);    /* c = alpha op(a) op(b) + beta c */
void sparse_dot(host_library *l, sparse_call *c);         /* result = op(x) . b */
void sparse_add(host_library *l, sparse_call *c);         /* b = alpha x + beta b */
void sparse_gather(host_library *l, sparse_call *c);      /* x = b at its indices */
void sparse_scatter(host_library *l, sparse_call *c);     /* b at its indices = x */
void sparse_count(host_library *l, sparse_call *c);       /* elements of b that are not 0: a's offsets and count */
void sparse_from_dense(host_library *l, sparse_call *c);  /* a = b */
void sparse_fill_places(host_library *l, sparse_call *c); /* a = b in the blocks of ELL that are there */
void sparse_to_dense(host_library *l, sparse_call *c);    /* b = a */
void sparse_compress(host_library *l, sparse_call *c);    /* sorted indices to offsets */
void sparse_expand(host_library *l, sparse_call *c);      /* offsets to indices */
void sparse_identity(host_library *l, sparse_call *c);    /* 0, 1, 2 ... */
void sparse_turn(host_library *l, sparse_call *c);        /* CSR a to CSC: counted->first ... */
void sparse_solve(host_library *l, sparse_call *c);       /* op(triangle of a) c = alpha op(b) */
void sparse_factor(host_library *l, sparse_call *c);      /* a = L U without fill; *pivot: the first zero, or -1 */

void sparse_factor_symmetric(host_library *l, sparse_call *c); /* the same for the lower triangle: a = L L' */
void sparse_rotate(host_library *l, sparse_call *c);           /* x = alpha x + beta b, b = alpha b - beta x */

/* ---------------------------------------------------------------- sparse_product.c, sparse_sort.c */
void sparse_sample(host_library *l, sparse_call *c); /* a = alpha (op(b) op(c)) where a has elements, + beta a */
void sparse_count_products(host_library *l, sparse_call *c); /* product->products, of a second */
void sparse_make_product(host_library *l, sparse_call *c);   /* product = a second; counted's count */
void sparse_store_pattern(host_library *l, sparse_call *c);  /* product's offsets and columns to a */
void sparse_store_values(host_library *l, sparse_call *c);   /* a's values = alpha product + beta a's */
void sparse_forget_product(sparse_product *p);
void sparse_make_sum(host_library *l, sparse_call *c); /* to, result: offsets of alpha a + beta second, and the count */
void sparse_store_sum(host_library *l, sparse_call *c);   /* and its columns and values, x */
void sparse_count_lines(host_library *l, sparse_call *c); /* elements of b that are not 0, by rows or (op_a) columns */
/* a's indices in order; to: what is permuted with them. op_a: by columns first; a COO: both change, else the second. */
void sparse_sort(host_library *l, sparse_call *c);

/* ---- what they share (sparse_memory.c) ---- */
sparse_matrix sparse_of_batch(const sparse_matrix *m, int64_t i);
size_t sparse_index_bytes(int type);
int64_t sparse_index(int type, const void *array, int64_t i);
void sparse_set_index(int type, void *array, int64_t i, int64_t value);
/* Memory of `count` elements of `bytes`; NULL if a kernel would fault there. */
void *sparse_use(host_library *l, uint64_t address, int64_t count, size_t bytes, host_library_access access);
/* Values as double-precision complex numbers, to be freed; NULL as above. */
double (*sparse_values(host_library *l, uint64_t address, int64_t count, int type))[2];
double (*sparse_dense_values(host_library *l, const sparse_dense *d, int64_t i))[2]; /* by columns, packed */
bool sparse_store_dense(host_library *l, const sparse_dense *d, int64_t i, double (*values)[2]);
/* Rows and columns of all elements, from 0; *out_rows and *out_columns are to be freed. m->count becomes less where the offsets lead to
 * fewer elements. */
bool sparse_positions(host_library *l, sparse_matrix *m, int64_t **out_rows, int64_t **out_columns);
/* All elements, to be freed by sparse_free_elements(), also if it fails. */
typedef struct sparse_elements {
    int64_t *rows, *columns;
    double (*values)[2];
} sparse_elements;
bool sparse_read_elements(host_library *l, sparse_matrix *m, sparse_elements *out);
void sparse_free_elements(sparse_elements *e);
/* sum += x * y, x conjugated if wanted. */
static inline void sparse_add_product(double sum[2], const double x[2], const double y[2], bool conjugate)
{
    double imaginary = conjugate ? -x[1] : x[1];
    sum[0] += x[0] * y[0] - imaginary * y[1];
    sum[1] += x[0] * y[1] + imaginary * y[0];
}
bool sparse_scalar_of(host_library *l, const sparse_scalar *s, double out[2]);

#endif
