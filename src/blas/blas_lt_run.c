/* cuBLASLt: products and transforms. Epilogues are applied to dense columns of the type that is computed in (blas_lt_matrix.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "blas/blas_entry.h"
#include "blas/blas_gemm.h"
#include "blas/blas_lt.h"

/* ---------------------------------------------------------------- a product */
typedef struct lt_args {
    blas_lt_product product;
    blas_lt_layout a, b, c, d;
    uint64_t at_a, at_b, at_c, at_d;
    blas_scalar alpha, beta;
    blas_type work;
    int scalar_type;
    int64_t m, n, k;
} lt_args;

static double real_at(blas_type work, const void *dense, int64_t at)
{
    return work == BLAS_S ? (double)((const float *)dense)[at] : ((const double *)dense)[at];
}

static void set_real(blas_type work, void *dense, int64_t at, double x)
{
    if (work == BLAS_S) ((float *)dense)[at] = (float)x;
    else ((double *)dense)[at] = x;
}

static double gelu(double x) { return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

/* Its derivative. */
static double gelu_slope(double x)
{
    double inner = 0.7978845608028654 * (x + 0.044715 * x * x * x), t = tanh(inner);
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

static void *use_bias(host_library *lib, const lt_args *a, int64_t i, int64_t count, host_library_access access)
{
    const blas_lt_product *p = &a->product;
    blas_operand o = {.address = p->bias, .ld = 1, .stride = p->bias_stride};
    int type = p->bias_type < 0 ? (int)a->d.type : p->bias_type;
    return blas_use_vector(lib, &o, i, blas_element_bytes(type), count, access);
}

static bool add_bias(host_library *lib, const lt_args *a, int64_t i, void *dense)
{
    int type = a->product.bias_type < 0 ? (int)a->d.type : a->product.bias_type;
    const void *bias = use_bias(lib, a, i, a->m, HOST_LIBRARY_READS);
    if (!bias) return false;
    double *values = lw_alloc((size_t)LW_MAX(a->m, 1) * sizeof *values);
    blas_to_work(BLAS_D, values, type, bias, LW_MAX(a->m, 1), a->m, 1);
    for (int64_t at = 0; at < a->m * a->n; at++)
        set_real(a->work, dense, at, real_at(a->work, dense, at) + values[at % a->m]);
    free(values);
    return true;
}

/* The bias becomes the sums of a dense matrix's rows, or of its columns. */
static bool store_sums(host_library *lib, const lt_args *a, int64_t i, const void *dense, int64_t rows, int64_t columns,
                       bool of_columns)
{
    int type = a->product.bias_type < 0 ? (int)a->d.type : a->product.bias_type;
    int64_t count = of_columns ? columns : rows;
    void *to = use_bias(lib, a, i, count, HOST_LIBRARY_WRITES);
    if (!to) return false;
    double *sums = lw_alloc((size_t)LW_MAX(count, 1) * sizeof *sums);
    for (int64_t at = 0; at < rows * columns; at++)
        sums[of_columns ? at / rows : at % rows] += real_at(a->work, dense, at);
    blas_from_work(BLAS_D, sums, type, to, LW_MAX(count, 1), count, 1);
    free(sums);
    return true;
}

/* GELU's input: stored for the way back, or there already, and its derivative a factor. */
static bool auxiliary(host_library *lib, const lt_args *a, int64_t i, void *dense)
{
    const blas_lt_product *p = &a->product;
    bool back = p->epilogue & LT_EPILOGUE_GELU_BACK;
    blas_lt_layout aux = a->d;
    aux.type = p->aux_type < 0 ? a->d.type : (uint32_t)p->aux_type;
    aux.ld = p->aux_ld;
    aux.stride = p->aux_stride;
    blas_lt_lying at = blas_lt_use(lib, &aux, p->aux, i, back ? HOST_LIBRARY_READS : HOST_LIBRARY_WRITES);
    if (!at.first) return false;
    if (!back) {
        blas_lt_scatter(a->work, &aux, dense, at);
        return true;
    }
    void *input = blas_lt_gather(a->work, &aux, at, BLAS_OP_N, a->m, a->n);
    for (int64_t k = 0; k < a->m * a->n; k++)
        set_real(a->work, dense, k, real_at(a->work, dense, k) * gelu_slope(real_at(a->work, input, k)));
    free(input);
    return true;
}

/* What is done with the product before it is stored; real types alone. x, y: op(A), op(B). */
static bool epilogue(host_library *lib, const lt_args *a, int64_t i, void *dense, const void *x, const void *y)
{
    int e = a->product.epilogue;
    if ((e & LT_EPILOGUE_BIAS) && !add_bias(lib, a, i, dense)) return false;
    if ((e & LT_EPILOGUE_AUX) && !auxiliary(lib, a, i, dense)) return false;
    if ((e & LT_EPILOGUE_SUMS) && !store_sums(lib, a, i, dense, a->m, a->n, false)) return false;
    if ((e & LT_EPILOGUE_SUMS_A) && !store_sums(lib, a, i, x, a->m, a->k, false)) return false;
    if ((e & LT_EPILOGUE_SUMS_B) && !store_sums(lib, a, i, y, a->k, a->n, true)) return false;
    for (int64_t at = 0; (e & (LT_EPILOGUE_RELU | LT_EPILOGUE_GELU)) && at < a->m * a->n; at++) {
        double value = real_at(a->work, dense, at);
        set_real(a->work, dense, at, e & LT_EPILOGUE_GELU ? gelu(value) : value > 0 ? value : 0);
    }
    return true;
}

/* The factor that the scale of an operand makes; index: 0 A, 1 B, 2 C, 3 D. 1 where its scales are those of parts. */
static bool scale_of(host_library *lib, const blas_lt_product *p, int index, double *out)
{
    *out = 1;
    if (!p->scales[index] || p->scale_modes[index]) return true;
    const float *at = host_library_use(lib, (host_library_memory){p->scales[index], 4, 1, 4}, HOST_LIBRARY_READS);
    if (at) *out = (double)*at;
    return at != NULL;
}

/* Scales of A's rows or B's columns (one for each), of 128 elements of those along k, or of squares of 128 x 128. A row's lie
 * beside the next row's; those of squares along k, a multiple of 4 of them. dense: op(A), or op(B), of which a column is `k` long. */
static bool scale_parts(host_library *lib, const lt_args *a, int index, float *dense)
{
    int mode = a->product.scale_modes[index];
    if (!mode) return true;
    int64_t outer = index ? a->n : a->m, k = a->k, blocks = (k + 127) / 128, along = (blocks + 3) / 4 * 4;
    int64_t count = mode == LT_SCALES_OUTER ? outer : mode == LT_SCALES_LINES ? blocks * outer : 0;
    if (mode == LT_SCALES_SQUARES) count = along * ((outer + 127) / 128);
    uint64_t bytes = (uint64_t)count * sizeof(float);
    const float *scales =
        host_library_use(lib, (host_library_memory){a->product.scales[index], bytes, 1, bytes}, HOST_LIBRARY_READS);
    if (!scales) return false;
    for (int64_t i = 0; i < outer; i++)
        for (int64_t l = 0; l < k; l++) {
            int64_t at = mode == LT_SCALES_OUTER   ? i
                         : mode == LT_SCALES_LINES ? i + l / 128 * outer
                                                   : l / 128 + i / 128 * along;
            dense[index ? l + i * k : i + l * outer] *= scales[at];
        }
    return true;
}

static void multiply_all(blas_type work, void *dense, int64_t count, double factor)
{
    int64_t n = count * (blas_is_complex(work) ? 2 : 1);
    for (int64_t at = 0; factor != 1 && at < n; at++)
        set_real(blas_real(work), dense, at, real_at(blas_real(work), dense, at) * factor);
}

/* The greatest magnitude of D before its scale, over the whole batch. */
static bool store_largest(host_library *lib, const lt_args *a, int64_t i, const void *dense)
{
    if (!a->product.largest) return true;
    host_library_access access = i ? HOST_LIBRARY_UPDATES : HOST_LIBRARY_WRITES;
    float *to = host_library_use(lib, (host_library_memory){a->product.largest, 4, 1, 4}, access);
    float largest = to && i ? *to : 0;
    int64_t n = a->m * a->n * (blas_is_complex(a->work) ? 2 : 1);
    for (int64_t at = 0; at < n; at++) largest = fmaxf(largest, (float)fabs(real_at(blas_real(a->work), dense, at)));
    if (to) *to = largest;
    return to != NULL;
}

/* An operand as the host's routine takes it: where it lies, or dense. */
typedef struct taken {
    void *data, *own; /* own: to be freed */
    char trans;
    int ld;
} taken;

static taken take(const lt_args *a, const blas_lt_layout *l, blas_lt_lying at, int op, int64_t rows, int64_t columns,
                  bool as_it_lies)
{
    if (as_it_lies && l->order == LT_ORDER_COLUMNS && !l->plane && blas_is_work_type((int)l->type, a->work))
        return (taken){at.first, NULL, blas_trans(op), (int)LW_MIN(l->ld, INT32_MAX)};
    void *dense = blas_lt_gather(a->work, l, at, op, rows, columns);
    return (taken){dense, dense, 'N', (int)LW_MAX(rows, 1)};
}

/* D, with what is done to it before it is stored. */
static bool finish(host_library *lib, const lt_args *a, int64_t i, void *d, const taken *x, const taken *y,
                   double scale)
{
    bool ok = blas_is_complex(a->work) || epilogue(lib, a, i, d, x->data, y->data);
    ok = ok && store_largest(lib, a, i, d);
    multiply_all(a->work, d, a->m * a->n, scale);
    return ok;
}

static bool one_product(host_library *lib, const lt_args *a, int64_t i, const void *alpha, const void *beta)
{
    const blas_lt_product *p = &a->product;
    double scale[4];
    for (int k = 0; k < 4; k++)
        if (!scale_of(lib, p, k, &scale[k])) return false;
    bool keeps = !blas_is_zero(beta, a->work), scaled = scale[0] * scale[1] != 1;
    blas_lt_lying at_a = blas_lt_use(lib, &a->a, a->at_a, i, HOST_LIBRARY_READS);
    blas_lt_lying at_b = blas_lt_use(lib, &a->b, a->at_b, i, HOST_LIBRARY_READS);
    blas_lt_lying at_c = keeps ? blas_lt_use(lib, &a->c, a->at_c, i, HOST_LIBRARY_READS) : (blas_lt_lying){"", NULL};
    blas_lt_lying at_d = blas_lt_use(lib, &a->d, a->at_d, i, HOST_LIBRARY_WRITES);
    if (!at_a.first || !at_b.first || !at_c.first || !at_d.first) return false;
    int m = (int)a->m, n = (int)a->n, k = (int)a->k, ld = LW_MAX(m, 1);
    bool as_they_lie = !(p->epilogue & (LT_EPILOGUE_SUMS_A | LT_EPILOGUE_SUMS_B)) && !p->scale_modes[0];
    taken x = take(a, &a->a, at_a, p->op_a, m, k, as_they_lie && !scaled);
    taken y = take(a, &a->b, at_b, p->op_b, k, n, as_they_lie);
    void *d = keeps ? blas_lt_gather(a->work, &a->c, at_c, BLAS_OP_N, m, n)
                    : lw_alloc((size_t)LW_MAX(a->m * a->n, 1) * blas_type_bytes[a->work]);
    if (scaled) multiply_all(a->work, x.data, a->m * a->k, scale[0] * scale[1]);
    multiply_all(a->work, d, a->m * a->n, scale[2]);
    bool ok = scale_parts(lib, a, 0, x.data) && scale_parts(lib, a, 1, y.data);
    if (ok)
        blas_host(a->work, "gemm")(&x.trans, &y.trans, &m, &n, &k, alpha, x.data, &x.ld, y.data, &y.ld, beta, d, &ld,
                                   (size_t)1, (size_t)1);
    ok = ok && finish(lib, a, i, d, &x, &y, scale[3]);
    if (ok) blas_lt_scatter(a->work, &a->d, d, at_d);
    free(x.own);
    free(y.own);
    free(d);
    return ok;
}

/* alpha and beta as the type that is computed in. */
static bool read_scalars(host_library *lib, const lt_args *a, double out[2][2])
{
    const blas_scalar *given[2] = {&a->alpha, &a->beta};
    size_t bytes = blas_element_bytes(a->scalar_type);
    for (int k = 0; k < 2; k++) {
        host_library_memory memory = {given[k]->device, bytes, 1, bytes};
        const void *at = given[k]->device ? host_library_use(lib, memory, HOST_LIBRARY_READS) : &given[k]->value;
        if (!at) return false;
        blas_scalar_to_work(a->work, out[k], a->scalar_type, at);
    }
    return true;
}

static void run_product(host_library *lib, const void *args)
{
    const lt_args *a = args;
    double scalars[2][2];
    if (!read_scalars(lib, a, scalars)) return;
    for (int64_t i = 0; i < a->d.batch; i++)
        if (!one_product(lib, a, i, scalars[0], scalars[1])) return;
    host_library_repeats(lib);
}

/* All but those on the way back of ReLU, whose stored input is a mask of bits. */
static bool epilogue_known(int e)
{
    static const int known[] = {
        LT_EPILOGUE_NONE,
        LT_EPILOGUE_RELU,
        LT_EPILOGUE_BIAS,
        LT_EPILOGUE_RELU | LT_EPILOGUE_BIAS,
        LT_EPILOGUE_GELU,
        LT_EPILOGUE_GELU | LT_EPILOGUE_BIAS,
        LT_EPILOGUE_GELU | LT_EPILOGUE_AUX,
        LT_EPILOGUE_GELU | LT_EPILOGUE_AUX | LT_EPILOGUE_BIAS,
        LT_EPILOGUE_GELU_BACK | LT_EPILOGUE_AUX,
        LT_EPILOGUE_GELU_BACK | LT_EPILOGUE_AUX | LT_EPILOGUE_SUMS,
        LT_EPILOGUE_SUMS_A,
        LT_EPILOGUE_SUMS_B,
    };
    for (size_t i = 0; i < LW_COUNT(known); i++)
        if (known[i] == e) return true;
    return false;
}

/* Scales of parts: of 8-bit operands, whose elements along k lie side by side. Those of 16 and 32 elements are for devices of 10.0 and
 * later. */
static bool scales_mixed(const blas_lt_product *p) /* one number for an operand, and parts for the other */
{
    return !p->scale_modes[0] != !p->scale_modes[1];
}

static bool scales_known(const lt_args *a)
{
    const blas_lt_product *p = &a->product;
    for (size_t i = 2; i < LW_COUNT(p->scale_modes); i++)
        if (p->scale_modes[i]) return false;
    int of_a = p->scale_modes[0], of_b = p->scale_modes[1];
    if (!of_a && !of_b) return true;
    bool eights = blas_element_bytes((int)a->a.type) == 1 && blas_element_bytes((int)a->b.type) == 1 &&
                  a->a.type >= BLAS_R_8F_E4M3 && a->b.type >= BLAS_R_8F_E4M3;
    bool along = p->op_a == BLAS_OP_T && p->op_b == BLAS_OP_N && a->work == BLAS_S;
    if (!eights || !along || !p->scales[0] || !p->scales[1]) return false;
    if (of_a == LT_SCALES_OUTER || of_b == LT_SCALES_OUTER) return of_a == of_b;
    bool blocks = (of_a == LT_SCALES_LINES || of_a == LT_SCALES_SQUARES) &&
                  (of_b == LT_SCALES_LINES || of_b == LT_SCALES_SQUARES);
    return blocks && (of_a == LT_SCALES_LINES || of_b == LT_SCALES_LINES);
}

/* 0, or the status that cublasLtMatmul and its heuristic answer. Fills in what follows from the descriptors. */
static int check_product(lt_args *a)
{
    const blas_lt_product *p = &a->product;
    bool is_complex = blas_lt_is_complex(&a->d);
    if (!blas_lt_known(&a->a) || !blas_lt_known(&a->b) || !blas_lt_known(&a->c) || !blas_lt_known(&a->d))
        return BLAS_NOT_SUPPORTED;
    a->m = (int64_t)a->d.rows;
    a->n = (int64_t)a->d.columns;
    a->k = (int64_t)(p->op_a == BLAS_OP_N ? a->a.columns : a->a.rows);
    int64_t rows_a = (int64_t)(p->op_a == BLAS_OP_N ? a->a.rows : a->a.columns);
    int64_t rows_b = (int64_t)(p->op_b == BLAS_OP_N ? a->b.rows : a->b.columns);
    int64_t columns_b = (int64_t)(p->op_b == BLAS_OP_N ? a->b.columns : a->b.rows);
    if (rows_a != a->m || rows_b != a->k || columns_b != a->n) return BLAS_INVALID_VALUE;
    if (a->c.rows != a->d.rows || a->c.columns != a->d.columns) return BLAS_INVALID_VALUE;
    if (!blas_compute_type(p->compute, is_complex, &a->work, &a->scalar_type)) return BLAS_NOT_SUPPORTED;
    a->scalar_type = p->scale;
    if (scales_mixed(p)) return BLAS_INVALID_VALUE;
    if (!scales_known(a)) return BLAS_NOT_SUPPORTED;
    if (!epilogue_known(p->epilogue) || !blas_element_bytes(p->scale)) return BLAS_NOT_SUPPORTED;
    if (is_complex && p->epilogue != LT_EPILOGUE_NONE) return BLAS_NOT_SUPPORTED;
    return p->pointer_mode > BLAS_POINTER_DEVICE || p->op_c ? BLAS_NOT_SUPPORTED : BLAS_OK;
}

LT(cublasLtMatmul)(void *handle, const blas_lt_product *product, const void *alpha, const void *A,
                   const blas_lt_layout *a, const void *B, const blas_lt_layout *b, const void *beta, const void *C,
                   const blas_lt_layout *c, void *D, const blas_lt_layout *d, const void *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream)
{
    (void)algorithm, (void)workspace, (void)workspace_bytes;
    if (!handle) return lt_end(BLAS_NOT_INITIALIZED);
    if (!product || !alpha || !beta || !a || !b || !c || !d) return lt_end(BLAS_INVALID_VALUE);
    lt_args args = {.product = *product, .a = *a, .b = *b, .c = *c, .d = *d};
    int status = check_product(&args);
    if (status) return lt_end(status);
    args.at_a = (uint64_t)(uintptr_t)A;
    args.at_b = (uint64_t)(uintptr_t)B;
    args.at_c = (uint64_t)(uintptr_t)C;
    args.at_d = (uint64_t)(uintptr_t)D;
    blas_handle scalars = {.pointer_mode = product->pointer_mode};
    args.alpha = blas_scalar_bytes(&scalars, alpha, args.scalar_type);
    args.beta = blas_scalar_bytes(&scalars, beta, args.scalar_type);
    return face_library_put(&blas_lt_library, __func__, stream, run_product, &args, sizeof args, false);
}

/* ---------------------------------------------------------------- algorithms: one */
typedef struct lt_heuristic {
    blas_lt_algorithm algorithm;
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} lt_heuristic;

LT(cublasLtMatmulAlgoGetHeuristic)(void *handle, const blas_lt_product *product, const blas_lt_layout *a,
                                   const blas_lt_layout *b, const blas_lt_layout *c, const blas_lt_layout *d,
                                   const void *preference, int most, lt_heuristic *out, int *out_count)
{
    if (!handle || !product || !a || !b || !c || !d || !preference || most <= 0 || !out || !out_count)
        return lt_end(BLAS_INVALID_VALUE);
    lt_args args = {.product = *product, .a = *a, .b = *b, .c = *c, .d = *d};
    int status = check_product(&args);
    *out_count = status ? 0 : 1;
    if (status) return lt_end(scales_mixed(product) ? BLAS_INVALID_VALUE : BLAS_NOT_SUPPORTED); /* as an H200 */
    out[0] = (lt_heuristic){.waves = 1};
    return BLAS_OK;
}

LT(cublasLtMatmulAlgoCheck)(void *handle, const blas_lt_product *product, const blas_lt_layout *a,
                            const blas_lt_layout *b, const blas_lt_layout *c, const blas_lt_layout *d,
                            const void *algorithm, lt_heuristic *out)
{
    if (!handle || !product || !a || !b || !c || !d || !algorithm || !out) return lt_end(BLAS_INVALID_VALUE);
    lt_args args = {.product = *product, .a = *a, .b = *b, .c = *c, .d = *d};
    *out = (lt_heuristic){.state = check_product(&args)};
    return lt_end(out->state);
}

/* ---------------------------------------------------------------- transforms: D = alpha op(A) + beta op(B), of any two types */
static bool add_scaled(host_library *lib, const lt_args *a, const blas_lt_layout *l, uint64_t address, int op,
                       int64_t i, double factor, double *sum)
{
    if (!address || factor == 0) return true;
    blas_lt_lying at = blas_lt_use(lib, l, address, i, HOST_LIBRARY_READS);
    if (!at.first) return false;
    double *values = blas_lt_gather(BLAS_D, l, at, op, a->m, a->n);
    for (int64_t k = 0; k < a->m * a->n; k++) sum[k] += factor * values[k];
    free(values);
    return true;
}

static void run_transform(host_library *lib, const void *args)
{
    const lt_args *a = args;
    double scalars[2][2];
    if (!read_scalars(lib, a, scalars)) return;
    double *sum = lw_alloc((size_t)LW_MAX(a->m * a->n, 1) * sizeof *sum);
    for (int64_t i = 0; i < a->d.batch; i++) {
        memset(sum, 0, (size_t)(a->m * a->n) * sizeof *sum);
        blas_lt_lying to = blas_lt_use(lib, &a->d, a->at_d, i, HOST_LIBRARY_WRITES);
        bool ok = to.first && add_scaled(lib, a, &a->a, a->at_a, a->product.op_a, i, scalars[0][0], sum) &&
                  add_scaled(lib, a, &a->b, a->at_b, a->product.op_b, i, scalars[1][0], sum);
        if (!ok) break;
        blas_lt_scatter(BLAS_D, &a->d, sum, to);
    }
    free(sum);
}

static bool transform_fits(const lt_args *a, const blas_lt_layout *l, int op)
{
    int64_t rows = (int64_t)(op == BLAS_OP_N ? l->rows : l->columns);
    int64_t columns = (int64_t)(op == BLAS_OP_N ? l->columns : l->rows);
    return rows == a->m && columns == a->n;
}

LT(cublasLtMatrixTransform)(void *handle, const blas_lt_transform *transform, const void *alpha, const void *A,
                            const blas_lt_layout *a, const void *beta, const void *B, const blas_lt_layout *b, void *C,
                            const blas_lt_layout *c, void *stream)
{
    if (!handle) return lt_end(BLAS_NOT_INITIALIZED);
    if (!transform || !alpha || !a || !c || !C || !A) return lt_end(BLAS_INVALID_VALUE);
    lt_args args = {.a = *a, .d = *c, .work = BLAS_D, .scalar_type = transform->scale};
    bool adds = B && b && beta;
    if (adds) args.b = *b;
    args.m = (int64_t)c->rows;
    args.n = (int64_t)c->columns;
    args.product.op_a = transform->op_a;
    args.product.op_b = transform->op_b;
    if (!blas_lt_known(a) || !blas_lt_known(c) || (adds && !blas_lt_known(b)) || !blas_element_bytes(transform->scale))
        return lt_end(BLAS_NOT_SUPPORTED);
    if (blas_lt_is_complex(a) || blas_lt_is_complex(c)) return lt_end(BLAS_NOT_SUPPORTED);
    if (!transform_fits(&args, a, transform->op_a) || (adds && !transform_fits(&args, b, transform->op_b)))
        return lt_end(BLAS_INVALID_VALUE);
    args.at_a = (uint64_t)(uintptr_t)A;
    args.at_b = adds ? (uint64_t)(uintptr_t)B : 0;
    args.at_d = (uint64_t)(uintptr_t)C;
    blas_handle scalars = {.pointer_mode = transform->pointer_mode};
    args.alpha = blas_scalar_bytes(&scalars, alpha, transform->scale);
    args.beta = blas_scalar_bytes(&scalars, adds ? beta : alpha, transform->scale);
    return face_library_put(&blas_lt_library, __func__, stream, run_transform, &args, sizeof args, false);
}
