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
       COMPUTE_32F_FAST_TF32 = 77
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
        *out_work = is_complex ? BLAS_C : BLAS_S;
        *out_scalar = is_complex ? BLAS_C_32F : BLAS_R_32F;
        return true;
    case COMPUTE_64F:
    case COMPUTE_64F_PEDANTIC:
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
