/* Matrix products: plain, batched, of mixed types. All are one routine; elements of other types than that which is computed
 * in are converted before and after. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "blas/blas_entry.h"
#include "blas/blas_gemm.h"

static const int data_types[] = {BLAS_R_32F, BLAS_R_64F, BLAS_C_32F, BLAS_C_64F};

/* An operand as the host's routine takes it: in place, or converted. */
typedef struct operand {
    void *in_place;
    void *data;  /* what is computed with: in_place, or a copy */
    int ld;      /* of data */
    bool copied; /* free(data) */
} operand;

static bool use_operand(host_library *l, const blas_args *a, const blas_operand *o, int64_t n, int type, int64_t rows,
                        int64_t columns, host_library_access access, operand *out)
{
    out->in_place = blas_use_matrix(l, o, n, blas_element_bytes(type), rows, columns, access);
    if (!out->in_place) return false;
    out->copied = !blas_is_work_type(type, a->type);
    out->data = out->in_place;
    out->ld = (int)o->ld;
    if (!out->copied) return true;
    out->ld = (int)LW_MAX(rows, 1);
    out->data = lw_alloc(LW_MAX((size_t)(rows * columns), 1u) * blas_type_bytes[a->type]);
    if (access != HOST_LIBRARY_WRITES) blas_to_work(a->type, out->data, type, out->in_place, o->ld, rows, columns);
    return true;
}

static void free_operand(operand *o)
{
    if (o->copied) free(o->data);
}

static void multiply(const blas_args *a, const void *alpha, const void *beta, const operand *x, const operand *y,
                     const operand *c)
{
    int m = (int)a->m, n = (int)a->n, k = (int)a->k;
    blas_host(a->type, "gemm")(&a->trans_a, &a->trans_b, &m, &n, &k, alpha, x->data, &x->ld, y->data, &y->ld, beta,
                               c->data, &c->ld, (size_t)1, (size_t)1);
}

static bool one_product(host_library *l, const blas_args *a, int64_t i, const void *alpha, const void *beta)
{
    operand x = {0}, y = {0}, c = {0};
    bool plain_a = a->trans_a == 'N', plain_b = a->trans_b == 'N';
    bool replaces = blas_is_zero(beta, a->type);
    bool ok =
        use_operand(l, a, &a->a, i, a->types[0], plain_a ? a->m : a->k, plain_a ? a->k : a->m, HOST_LIBRARY_READS,
                    &x) &&
        use_operand(l, a, &a->b, i, a->types[1], plain_b ? a->k : a->n, plain_b ? a->n : a->k, HOST_LIBRARY_READS,
                    &y) &&
        use_operand(l, a, &a->c, i, a->types[2], a->m, a->n, replaces ? HOST_LIBRARY_WRITES : HOST_LIBRARY_UPDATES, &c);
    if (ok) multiply(a, alpha, beta, &x, &y, &c);
    if (ok && c.copied) blas_from_work(a->type, c.data, a->types[2], c.in_place, a->c.ld, a->m, a->n);
    free_operand(&x);
    free_operand(&y);
    free_operand(&c);
    return ok;
}

static void run_gemm(host_library *l, const blas_args *a)
{
    double scalars[2][2];
    const blas_scalar *given[2] = {&a->alpha, &a->beta};
    size_t bytes = blas_element_bytes(a->types[3]);
    for (int k = 0; k < 2; k++) {
        const void *at =
            given[k]->device
                ? host_library_use(l, (host_library_memory){given[k]->device, bytes, 1, bytes}, HOST_LIBRARY_READS)
                : &given[k]->value;
        if (!at) return;
        blas_scalar_to_work(a->type, scalars[k], a->types[3], at);
    }
    for (int64_t i = 0; i < a->batch; i++)
        if (!one_product(l, a, i, scalars[0], scalars[1])) return;
    host_library_repeats(l);
}

/* ---------------------------------------------------------------- what is computed in */
enum { /* cublasComputeType_t */
       COMPUTE_16F = 64,
       COMPUTE_16F_PEDANTIC = 65,
       COMPUTE_32F = 68,
       COMPUTE_32F_PEDANTIC = 69,
       COMPUTE_64F = 70,
       COMPUTE_64F_PEDANTIC = 71,
       COMPUTE_32I = 72,
       COMPUTE_32I_PEDANTIC = 73,
       COMPUTE_32F_FAST_16F = 74,
       COMPUTE_32F_FAST_16BF = 75,
       COMPUTE_32F_FAST_TF32 = 77,
       COMPUTE_32F_EMULATED_16BFX9 = 78,
       COMPUTE_64F_EMULATED_FIXEDPOINT = 79
};

bool blas_compute_type(int compute, bool is_complex, blas_type *out_work, int *out_scalar)
{
    switch (compute) {
    case COMPUTE_16F:
    case COMPUTE_16F_PEDANTIC:
        *out_work = BLAS_S;
        *out_scalar = BLAS_R_16F;
        return !is_complex;
    case COMPUTE_32F:
    case COMPUTE_32F_PEDANTIC:
    case COMPUTE_32F_FAST_16F:
    case COMPUTE_32F_FAST_16BF:
    case COMPUTE_32F_FAST_TF32:
    case COMPUTE_32F_EMULATED_16BFX9:
        *out_work = is_complex ? BLAS_C : BLAS_S;
        *out_scalar = is_complex ? BLAS_C_32F : BLAS_R_32F;
        return true;
    case COMPUTE_64F:
    case COMPUTE_64F_PEDANTIC:
    case COMPUTE_64F_EMULATED_FIXEDPOINT:
        *out_work = is_complex ? BLAS_Z : BLAS_D;
        *out_scalar = is_complex ? BLAS_C_64F : BLAS_R_64F;
        return true;
    case COMPUTE_32I:
    case COMPUTE_32I_PEDANTIC:
        *out_work = BLAS_D; /* exact up to 2^53 */
        *out_scalar = BLAS_R_32I;
        return !is_complex;
    default: return false;
    }
}

int blas_gemm_args(blas_handle *h, const blas_product *p, blas_args *out)
{
    bool is_complex = p->types[2] == BLAS_C_32F || p->types[2] == BLAS_C_64F;
    *out = (blas_args){.routine = run_gemm, .m = p->m, .n = p->n, .k = p->k, .batch = p->batch};
    if (!blas_handle_valid(h)) return BLAS_NOT_INITIALIZED;
    if (!blas_trans(p->op_a) || !blas_trans(p->op_b) || p->op_a == BLAS_OP_CONJG || p->op_b == BLAS_OP_CONJG)
        return BLAS_INVALID_VALUE;
    if (!blas_size(p->m) || !blas_size(p->n) || !blas_size(p->k) || p->batch < 0) return BLAS_INVALID_VALUE;
    if (!blas_ld(p->a.ld, p->op_a ? p->k : p->m) || !blas_ld(p->b.ld, p->op_b ? p->n : p->k) || !blas_ld(p->c.ld, p->m))
        return BLAS_INVALID_VALUE;
    if (!p->alpha || !p->beta) return BLAS_INVALID_VALUE;
    if (!blas_compute_type(p->compute, is_complex, &out->type, &out->types[3])) return BLAS_NOT_SUPPORTED;
    for (int i = 0; i < 3; i++)
        if (!blas_element_bytes(p->types[i])) return BLAS_NOT_SUPPORTED;
    memcpy(out->types, p->types, sizeof p->types);
    out->trans_a = blas_trans(p->op_a);
    out->trans_b = blas_trans(p->op_b);
    out->a = p->a;
    out->b = p->b;
    out->c = p->c;
    out->alpha = blas_scalar_bytes(h, p->alpha, out->types[3]);
    out->beta = blas_scalar_bytes(h, p->beta, out->types[3]);
    return BLAS_OK;
}

blas_scalar blas_scalar_bytes(const blas_handle *h, const void *pointer, int type)
{
    blas_scalar out = {0};
    if (h->pointer_mode == BLAS_POINTER_DEVICE) out.device = (uint64_t)(uintptr_t)pointer;
    else memcpy(&out.value, pointer, blas_element_bytes(type));
    return out;
}

static int put_product(blas_handle *h, const blas_product *p, const char *function)
{
    blas_args args;
    int status = blas_gemm_args(h, p, &args);
    if (status) return blas_end_call(status, function);
    if (!p->m || !p->n || !p->batch) return BLAS_OK;
    return blas_put(h, &args, function);
}

/* ---------------------------------------------------------------- entry points */
#define PRODUCT(INT)                                                                                                   \
    blas_product p = {.op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .batch = 1};   \
    p.a = blas_matrix(A, lda);                                                                                         \
    p.b = blas_matrix(B, ldb);                                                                                         \
    p.c = blas_matrix(C, ldc);
#define TYPES_ALL(type, how)                                                                                           \
    p.types[0] = p.types[1] = p.types[2] = (type);                                                                     \
    p.compute = (how);
#define COMPUTE_OF(t) (blas_real(t) == BLAS_S ? COMPUTE_32F : COMPUTE_64F)

#define GEMM_OF(symbol, INT, type, how)                                                                                \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *A, INT lda,              \
     const void *B, INT ldb, const void *beta, void *C, INT ldc)                                                       \
    {                                                                                                                  \
        PRODUCT(INT) TYPES_ALL(type, how) return put_product(h, &p, __func__);                                         \
    }
#define GEMM(symbol, t, INT) GEMM_OF(symbol, INT, data_types[t], COMPUTE_OF(t))
TYPES_V2(GEMM, gemm)
COMPLEX(GEMM, gemm3m)
GEMM_OF(cublasHgemm, int, BLAS_R_16F, COMPUTE_16F)
GEMM_OF(cublasHgemm_64, int64_t, BLAS_R_16F, COMPUTE_16F)

#define GEMM_BATCHED_OF(symbol, INT, type, how)                                                                        \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *A, INT lda,              \
     const void *B, INT ldb, const void *beta, void *C, INT ldc, INT count)                                            \
    {                                                                                                                  \
        PRODUCT(INT) TYPES_ALL(type, how) p.batch = count;                                                             \
        p.a.pointers = p.b.pointers = p.c.pointers = true;                                                             \
        return put_product(h, &p, __func__);                                                                           \
    }
#define GEMM_BATCHED(symbol, t, INT) GEMM_BATCHED_OF(symbol, INT, data_types[t], COMPUTE_OF(t))
TYPES(GEMM_BATCHED, gemmBatched)
WIDTHS(GEMM_BATCHED, cublasCgemm3mBatched, BLAS_C)
GEMM_BATCHED_OF(cublasHgemmBatched, int, BLAS_R_16F, COMPUTE_16F)
GEMM_BATCHED_OF(cublasHgemmBatched_64, int64_t, BLAS_R_16F, COMPUTE_16F)

#define GEMM_STRIDED_OF(symbol, INT, type, how)                                                                        \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *A, INT lda,              \
     long long stride_a, const void *B, INT ldb, long long stride_b, const void *beta, void *C, INT ldc,               \
     long long stride_c, INT count)                                                                                    \
    {                                                                                                                  \
        PRODUCT(INT) TYPES_ALL(type, how) p.batch = count;                                                             \
        p.a.stride = stride_a;                                                                                         \
        p.b.stride = stride_b;                                                                                         \
        p.c.stride = stride_c;                                                                                         \
        return put_product(h, &p, __func__);                                                                           \
    }
#define GEMM_STRIDED(symbol, t, INT) GEMM_STRIDED_OF(symbol, INT, data_types[t], COMPUTE_OF(t))
TYPES(GEMM_STRIDED, gemmStridedBatched)
WIDTHS(GEMM_STRIDED, cublasCgemm3mStridedBatched, BLAS_C)
GEMM_STRIDED_OF(cublasHgemmStridedBatched, int, BLAS_R_16F, COMPUTE_16F)
GEMM_STRIDED_OF(cublasHgemmStridedBatched_64, int64_t, BLAS_R_16F, COMPUTE_16F)

/* Types of their own for A, B and C. algo: a hint. */
#define MIXED_TYPES(how)                                                                                               \
    (void)algo;                                                                                                        \
    p.types[0] = type_a;                                                                                               \
    p.types[1] = type_b;                                                                                               \
    p.types[2] = type_c;                                                                                               \
    p.compute = (how);

#define GEMM_EX(symbol, INT)                                                                                           \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *A, int type_a, INT lda,  \
     const void *B, int type_b, INT ldb, const void *beta, void *C, int type_c, INT ldc, int compute, int algo)        \
    {                                                                                                                  \
        PRODUCT(INT) MIXED_TYPES(compute) return put_product(h, &p, __func__);                                         \
    }
GEMM_EX(cublasGemmEx, int)
GEMM_EX(cublasGemmEx_64, int64_t)

#define GEMM_BATCHED_EX(symbol, INT)                                                                                   \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *A, int type_a, INT lda,  \
     const void *B, int type_b, INT ldb, const void *beta, void *C, int type_c, INT ldc, INT count, int compute,       \
     int algo)                                                                                                         \
    {                                                                                                                  \
        PRODUCT(INT) MIXED_TYPES(compute) p.batch = count;                                                             \
        p.a.pointers = p.b.pointers = p.c.pointers = true;                                                             \
        return put_product(h, &p, __func__);                                                                           \
    }
GEMM_BATCHED_EX(cublasGemmBatchedEx, int)
GEMM_BATCHED_EX(cublasGemmBatchedEx_64, int64_t)

#define GEMM_STRIDED_EX(symbol, INT)                                                                                   \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *A, int type_a, INT lda,  \
     long long stride_a, const void *B, int type_b, INT ldb, long long stride_b, const void *beta, void *C,            \
     int type_c, INT ldc, long long stride_c, INT count, int compute, int algo)                                        \
    {                                                                                                                  \
        PRODUCT(INT) MIXED_TYPES(compute) p.batch = count;                                                             \
        p.a.stride = stride_a;                                                                                         \
        p.b.stride = stride_b;                                                                                         \
        p.c.stride = stride_c;                                                                                         \
        return put_product(h, &p, __func__);                                                                           \
    }
GEMM_STRIDED_EX(cublasGemmStridedBatchedEx, int)
GEMM_STRIDED_EX(cublasGemmStridedBatchedEx_64, int64_t)

/* Scalars and sums of 32 bits. */
#define SGEMM_EX(symbol, INT)                                                                                          \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op_a, int op_b, INT m, INT n, INT k, const void *alpha, const void *A, int type_a, INT lda,  \
     const void *B, int type_b, INT ldb, const void *beta, void *C, int type_c, INT ldc)                               \
    {                                                                                                                  \
        int algo = 0;                                                                                                  \
        PRODUCT(INT) MIXED_TYPES(COMPUTE_32F) return put_product(h, &p, __func__);                                     \
    }
SGEMM_EX(cublasSgemmEx, int)
SGEMM_EX(cublasSgemmEx_64, int64_t)
SGEMM_EX(cublasCgemmEx, int)
SGEMM_EX(cublasCgemmEx_64, int64_t)
SGEMM_EX(cublasCgemm3mEx, int)
SGEMM_EX(cublasCgemm3mEx_64, int64_t)

/* ---------------------------------------------------------------- groups: batches of different shapes, their shapes on the host */
static int put_groups(blas_handle *h, const blas_groups *g, const char *function)
{
    if (!blas_handle_valid(h)) return blas_end_call(BLAS_NOT_INITIALIZED, function);
    if (g->count < 0 || h->pointer_mode != BLAS_POINTER_HOST) return blas_end_call(BLAS_INVALID_VALUE, function);
    blas_type work;
    int scalar;
    bool is_complex = g->product.types[2] == BLAS_C_32F || g->product.types[2] == BLAS_C_64F;
    if (!blas_compute_type(g->product.compute, is_complex, &work, &scalar))
        return blas_end_call(BLAS_NOT_SUPPORTED, function);
    for (int64_t i = 0, first = 0; i < g->count; i++) {
        blas_product p = g->product;
        blas_operand *operands[] = {&p.a, &p.b, &p.c};
        p.op_a = g->op_a[i];
        p.op_b = g->op_b[i];
        p.m = blas_group_number(g, g->m, i);
        p.n = blas_group_number(g, g->n, i);
        p.k = blas_group_number(g, g->k, i);
        p.batch = blas_group_number(g, g->sizes, i);
        for (int o = 0; o < 3; o++) {
            operands[o]->ld = blas_group_number(g, g->ld[o], i);
            operands[o]->address += (uint64_t)first * 8;
            operands[o]->pointers = true;
        }
        p.alpha = (const char *)p.alpha + (size_t)i * blas_element_bytes(scalar);
        p.beta = (const char *)p.beta + (size_t)i * blas_element_bytes(scalar);
        int status = put_product(h, &p, function);
        if (status) return status;
        first += p.batch;
    }
    return BLAS_OK;
}

#define GROUPS(INT)                                                                                                    \
    blas_groups g = {.op_a = op_a, .op_b = op_b, .m = m, .n = n, .k = k, .sizes = sizes, .count = count};              \
    g.ld[0] = lda, g.ld[1] = ldb, g.ld[2] = ldc;                                                                       \
    g.wide = sizeof(INT) == 8;                                                                                         \
    g.product.a.address = (uint64_t)(uintptr_t)A;                                                                      \
    g.product.b.address = (uint64_t)(uintptr_t)B;                                                                      \
    g.product.c.address = (uint64_t)(uintptr_t)C;                                                                      \
    g.product.alpha = alpha, g.product.beta = beta;

#define GEMM_GROUPED(symbol, t, INT)                                                                                   \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, const int *op_a, const int *op_b, const INT *m, const INT *n, const INT *k, const void *alpha,   \
     const void *A, const INT *lda, const void *B, const INT *ldb, const void *beta, void *C, const INT *ldc,          \
     INT count, const INT *sizes)                                                                                      \
    {                                                                                                                  \
        GROUPS(INT)                                                                                                    \
        g.product.types[0] = g.product.types[1] = g.product.types[2] = data_types[t];                                  \
        g.product.compute = COMPUTE_OF(t);                                                                             \
        return put_groups(h, &g, __func__);                                                                            \
    }
REALS(GEMM_GROUPED, gemmGroupedBatched)

#define GEMM_GROUPED_EX(symbol, INT)                                                                                   \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, const int *op_a, const int *op_b, const INT *m, const INT *n, const INT *k, const void *alpha,   \
     const void *A, int type_a, const INT *lda, const void *B, int type_b, const INT *ldb, const void *beta, void *C,  \
     int type_c, const INT *ldc, INT count, const INT *sizes, int compute)                                             \
    {                                                                                                                  \
        GROUPS(INT)                                                                                                    \
        g.product.types[0] = type_a;                                                                                   \
        g.product.types[1] = type_b;                                                                                   \
        g.product.types[2] = type_c;                                                                                   \
        g.product.compute = compute;                                                                                   \
        return put_groups(h, &g, __func__);                                                                            \
    }
GEMM_GROUPED_EX(cublasGemmGroupedBatchedEx, int)
GEMM_GROUPED_EX(cublasGemmGroupedBatchedEx_64, int64_t)

/* ---------------------------------------------------------------- matrix times vector, of mixed types
 * y^T = x^T op(A)^T, so that increments are leading dimensions. */
static blas_product vector_product(int op, int64_t m, int64_t n, int type, int type_y)
{
    blas_product p = {.op_a = BLAS_OP_N, .m = 1, .compute = COMPUTE_32F, .types = {type, type, type_y}};
    p.n = op == BLAS_OP_N ? m : n;
    p.k = op == BLAS_OP_N ? n : m;
    p.op_b = op == BLAS_OP_N ? BLAS_OP_T : op == BLAS_OP_T || op == BLAS_OP_C ? BLAS_OP_N : -1;
    return p;
}

#define GEMV_MIXED(symbol, INT, type, type_y)                                                                          \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op, INT m, INT n, const void *alpha, const void *A, INT lda, const void *x, INT incx,        \
     const void *beta, void *y, INT incy, INT count)                                                                   \
    {                                                                                                                  \
        blas_product p = vector_product(op, m, n, type, type_y);                                                       \
        p.alpha = alpha, p.beta = beta, p.batch = count;                                                               \
        p.a = blas_matrix(x, incx);                                                                                    \
        p.b = blas_matrix(A, lda);                                                                                     \
        p.c = blas_matrix(y, incy);                                                                                    \
        p.a.pointers = p.b.pointers = p.c.pointers = true;                                                             \
        return put_product(h, &p, __func__);                                                                           \
    }
#define GEMV_MIXED_STRIDED(symbol, INT, type, type_y)                                                                  \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, int op, INT m, INT n, const void *alpha, const void *A, INT lda, long long stride_a,             \
     const void *x, INT incx, long long stride_x, const void *beta, void *y, INT incy, long long stride_y, INT count)  \
    {                                                                                                                  \
        blas_product p = vector_product(op, m, n, type, type_y);                                                       \
        p.alpha = alpha, p.beta = beta, p.batch = count;                                                               \
        p.a = blas_matrix(x, incx);                                                                                    \
        p.b = blas_matrix(A, lda);                                                                                     \
        p.c = blas_matrix(y, incy);                                                                                    \
        p.a.stride = stride_x, p.b.stride = stride_a, p.c.stride = stride_y;                                           \
        return put_product(h, &p, __func__);                                                                           \
    }
#define GEMV_MIXED_ALL(name, type, type_y)                                                                             \
    GEMV_MIXED(cublas##name##gemvBatched, int, type, type_y)                                                           \
    GEMV_MIXED(cublas##name##gemvBatched_64, int64_t, type, type_y)                                                    \
    GEMV_MIXED_STRIDED(cublas##name##gemvStridedBatched, int, type, type_y)                                            \
    GEMV_MIXED_STRIDED(cublas##name##gemvStridedBatched_64, int64_t, type, type_y)
GEMV_MIXED_ALL(HSH, BLAS_R_16F, BLAS_R_16F)
GEMV_MIXED_ALL(HSS, BLAS_R_16F, BLAS_R_32F)
GEMV_MIXED_ALL(TST, BLAS_R_16BF, BLAS_R_16BF)
GEMV_MIXED_ALL(TSS, BLAS_R_16BF, BLAS_R_32F)
