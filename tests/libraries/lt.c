/* cuBLASLt against sums written out: transposes, orders, batches, types, epilogues, transforms, errors. Prints what
 * differs, and "ok lt". */
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "library_test.h"

static cublasLtHandle_t handle;
enum { M = 7, N = 5, K = 6, BATCH = 2 };

static double some(int i, int seed) { return ((i * 37 + seed * 11) % 17 - 8) / 4.0; }

/* An array of floats, or of bfloat16, that the device sees too. */
typedef struct array {
    void *at;
    bool bf16;
} array;

static void put(const array *a, int i, double x)
{
    union {
        float f;
        unsigned bits;
    } value = {.f = (float)x};
    if (a->bf16) ((unsigned short *)a->at)[i] = (unsigned short)(value.bits >> 16); /* what is put here fits */
    else ((float *)a->at)[i] = value.f;
}

static double get(const array *a, int i)
{
    union {
        unsigned bits;
        float f;
    } value;
    if (!a->bf16) return ((float *)a->at)[i];
    value.bits = (unsigned)((unsigned short *)a->at)[i] << 16;
    return value.f;
}

static array fresh(int count, int seed, bool bf16)
{
    array a = {NULL, bf16};
    cudaMallocManaged(&a.at, (size_t)count * 4, 1);
    for (int i = 0; i < count; i++) put(&a, i, some(i, seed));
    return a;
}

typedef struct form {
    bool trans_a, trans_b, rows, bf16; /* rows: D is stored by rows */
    int batch;
    cublasLtEpilogue_t epilogue;
} form;

static cublasLtMatrixLayout_t layout_of(const form *f, int rows, int columns, bool by_rows)
{
    cublasLtMatrixLayout_t layout;
    int32_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL, batch = f->batch;
    int64_t stride = rows * columns;
    OK(cublasLtMatrixLayoutCreate(&layout, f->bf16 ? CUDA_R_16BF : CUDA_R_32F, (uint64_t)rows, (uint64_t)columns,
                                  by_rows ? columns : rows));
    OK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    OK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch));
    OK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
    return layout;
}

static double activated(const form *f, double x)
{
    if (f->epilogue & CUBLASLT_EPILOGUE_RELU) return x > 0 ? x : 0;
    if (f->epilogue & CUBLASLT_EPILOGUE_GELU)
        return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    return x;
}

static double product_at(const form *f, const array *a, const array *b, int batch, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += get(a, batch * M * K + (f->trans_a ? k + i * K : i + k * M)) *
               get(b, batch * K * N + (f->trans_b ? j + k * N : k + j * K));
    return sum;
}

static void check_product(const form *f)
{
    array a = fresh(M * K * BATCH, 1, f->bf16), b = fresh(K * N * BATCH, 2, f->bf16),
          c = fresh(M * N * BATCH, 3, f->bf16);
    array d = fresh(M * N * BATCH, 4, f->bf16), bias = fresh(M, 5, f->bf16), aux = fresh(M * N * BATCH, 6, f->bf16);
    cublasLtMatmulDesc_t product;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int32_t ta = f->trans_a, tb = f->trans_b, count = 0;
    int64_t aux_ld = f->rows ? N : M, aux_stride = M * N;
    float alpha = 0.5f, beta = 2;
    OK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &f->epilogue, sizeof f->epilogue));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.at, sizeof bias.at));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux.at, sizeof aux.at));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &aux_ld, sizeof aux_ld));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, &aux_stride,
                                      sizeof aux_stride));
    cublasLtMatrixLayout_t la = layout_of(f, ta ? K : M, ta ? M : K, false),
                           lb = layout_of(f, tb ? N : K, tb ? K : N, false);
    cublasLtMatrixLayout_t lc = layout_of(f, M, N, f->rows), ld = layout_of(f, M, N, f->rows);
    OK(cublasLtMatmulPreferenceCreate(&preference));
    OK(cublasLtMatmulAlgoGetHeuristic(handle, product, la, lb, lc, ld, preference, 1, &found, &count));
    CHECK(count == 1);
    OK(cublasLtMatmul(handle, product, &alpha, a.at, la, b.at, lb, &beta, c.at, lc, d.at, ld, &found.algo, NULL, 0, 0));
    cudaDeviceSynchronize();
    double tolerance = f->bf16 ? 1.0 / 128 : 1e-5;
    for (int batch = 0; batch < f->batch; batch++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                int at = batch * M * N + (f->rows ? i * N + j : i + j * M);
                double want = alpha * product_at(f, &a, &b, batch, i, j) + beta * get(&c, at);
                if (f->epilogue & CUBLASLT_EPILOGUE_BIAS) want += get(&bias, i);
                if (f->epilogue & 128) CHECK(fabs(get(&aux, at) - want) <= tolerance * (1 + fabs(want)));
                want = activated(f, want);
                CHECK(fabs(get(&d, at) - want) <= tolerance * (1 + fabs(want)));
            }
    OK(cublasLtMatmulPreferenceDestroy(preference));
    OK(cublasLtMatmulDescDestroy(product));
    cublasLtMatrixLayout_t layouts[] = {la, lb, lc, ld};
    for (int i = 0; i < 4; i++) OK(cublasLtMatrixLayoutDestroy(layouts[i]));
    array *all[] = {&a, &b, &c, &d, &bias, &aux};
    for (int i = 0; i < 6; i++) cudaFree(all[i]->at);
}

/* From columns to rows, scaled, plus the transpose of another matrix. */
static void check_transform(void)
{
    form f = {.batch = 1};
    array a = fresh(M * N, 1, false), b = fresh(N * M, 2, false), c = fresh(M * N, 3, false);
    cublasLtMatrixLayout_t la = layout_of(&f, M, N, false), lb = layout_of(&f, N, M, false),
                           lc = layout_of(&f, M, N, true);
    cublasLtMatrixTransformDesc_t transform;
    float alpha = 2, beta = 3;
    int32_t turned = CUBLAS_OP_T;
    OK(cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F));
    OK(cublasLtMatrixTransformDescSetAttribute(transform, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, &turned,
                                               sizeof turned));
    OK(cublasLtMatrixTransform(handle, transform, &alpha, a.at, la, &beta, b.at, lb, c.at, lc, 0));
    cudaDeviceSynchronize();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            CHECK(fabs(get(&c, i * N + j) - (2 * get(&a, i + j * M) + 3 * get(&b, j + i * N))) < 1e-5);
    OK(cublasLtMatrixTransformDescDestroy(transform));
    OK(cublasLtMatrixLayoutDestroy(la));
    OK(cublasLtMatrixLayoutDestroy(lb));
    OK(cublasLtMatrixLayoutDestroy(lc));
}

/* The way back: GELU's derivative times a product, the sums of its rows, and those of an operand. */
static void check_back(cublasLtEpilogue_t epilogue)
{
    form f = {.batch = 1};
    array a = fresh(M * K, 1, false), b = fresh(K * N, 2, false), d = fresh(M * N, 4, false);
    array bias = fresh(M + N, 5, false), aux = fresh(M * N, 6, false), largest = fresh(1, 7, false);
    cublasLtMatmulDesc_t product;
    int64_t aux_ld = M;
    float alpha = 0.5f, beta = 0;
    OK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.at, sizeof bias.at));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux.at, sizeof aux.at));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &aux_ld, sizeof aux_ld));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, &largest.at, sizeof largest.at));
    cublasLtMatrixLayout_t la = layout_of(&f, M, K, false), lb = layout_of(&f, K, N, false),
                           ld = layout_of(&f, M, N, false);
    OK(cublasLtMatmul(handle, product, &alpha, a.at, la, b.at, lb, &beta, d.at, ld, d.at, ld, NULL, NULL, 0, 0));
    cudaDeviceSynchronize();
    bool back = epilogue & 64, of_a = epilogue == CUBLASLT_EPILOGUE_BGRADA, of_b = epilogue == CUBLASLT_EPILOGUE_BGRADB;
    double rows[M] = {0}, columns[N] = {0}, most = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double x = get(&aux, i + j * M), step = 1e-4, want = alpha * product_at(&f, &a, &b, 0, i, j);
            form g = {.epilogue = CUBLASLT_EPILOGUE_GELU};
            if (back) want *= (activated(&g, x + step) - activated(&g, x - step)) / (2 * step);
            CHECK(fabs(get(&d, i + j * M) - want) <= 1e-4 * (1 + fabs(want)));
            rows[i] += want;
            most = fmax(most, fabs(want));
        }
    CHECK(fabs(get(&largest, 0) - most) <= 1e-4 * (1 + most));
    for (int i = 0; of_a && i < M; i++)
        for (int k = rows[i] = 0; k < K; k++) rows[i] += get(&a, i + k * M);
    for (int j = 0; of_b && j < N; j++)
        for (int k = 0; k < K; k++) columns[j] += get(&b, k + j * K);
    for (int i = 0; (of_a || (epilogue & 16)) && i < M; i++) CHECK(fabs(get(&bias, i) - rows[i]) <= 1e-3);
    for (int j = 0; of_b && j < N; j++) CHECK(fabs(get(&bias, j) - columns[j]) <= 1e-3);
    OK(cublasLtMatmulDescDestroy(product));
    OK(cublasLtMatrixLayoutDestroy(la));
    OK(cublasLtMatrixLayoutDestroy(lb));
    OK(cublasLtMatrixLayoutDestroy(ld));
    array *all[] = {&a, &b, &d, &bias, &aux, &largest};
    for (int i = 0; i < 6; i++) cudaFree(all[i]->at);
}

/* An algorithm by its number, with settings, for a batch whose matrices lie where pointers say. */
static void check_pointers(void)
{
    form f = {.batch = 1};
    array a[2], b[2], d[2];
    void *at[3][2], *pointers;
    int ids[4], count = 0, able = 0, batch = 2;
    unsigned tile = 5, mode = CUBLASLT_BATCH_MODE_POINTER_ARRAY;
    size_t written = 0;
    float alpha = 2, beta = 0;
    cublasLtMatmulAlgo_t algorithm;
    cublasLtMatmulDesc_t product;
    OK(cublasLtMatmulAlgoGetIds(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                                4, ids, &count));
    CHECK(count == 1);
    OK(cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                              ids[0], &algorithm));
    OK(cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile, sizeof tile));
    tile = 0;
    OK(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile, sizeof tile, &written));
    CHECK(tile == 5 && written == sizeof tile);
    OK(cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT, &able, 4,
                                         &written));
    CHECK(able == 1);
    OK(cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_TILE_IDS, NULL, 0, &written));
    CHECK(written == sizeof tile);
    for (int i = 0; i < 2; i++) {
        a[i] = fresh(M * K, (unsigned)i, false), b[i] = fresh(K * N, (unsigned)i + 4, false);
        d[i] = fresh(M * N, 7, false);
        at[0][i] = a[i].at, at[1][i] = b[i].at, at[2][i] = d[i].at;
    }
    cudaMalloc(&pointers, sizeof at);
    cudaMemcpy(pointers, at, sizeof at, cudaMemcpyHostToDevice);
    cublasLtMatrixLayout_t layouts[] = {layout_of(&f, M, K, false), layout_of(&f, K, N, false),
                                        layout_of(&f, M, N, false)};
    for (int i = 0; i < 3; i++) {
        OK(cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch));
        OK(cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, &mode, sizeof mode));
    }
    void **where = pointers;
    OK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    OK(cublasLtMatmul(handle, product, &alpha, where, layouts[0], where + 2, layouts[1], &beta, where + 4, layouts[2],
                      where + 4, layouts[2], &algorithm, NULL, 0, 0));
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++)
        for (int at_d = 0; at_d < M * N; at_d++) {
            double want = 2 * product_at(&f, &a[i], &b[i], 0, at_d % M, at_d / M);
            CHECK(fabs(get(&d[i], at_d) - want) <= 1e-4 * (1 + fabs(want)));
        }
    OK(cublasLtMatmulDescDestroy(product));
    for (int i = 0; i < 3; i++) OK(cublasLtMatrixLayoutDestroy(layouts[i]));
    for (int i = 0; i < 2; i++) cudaFree(a[i].at), cudaFree(b[i].at), cudaFree(d[i].at);
    cudaFree(pointers);
}

/* ---------------------------------------------------------------- complex numbers in planes */
static void set_plane(cublasLtMatrixLayout_t l, int64_t bytes)
{
    OK(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, &bytes, sizeof bytes));
}

/* The imaginary plane lies before the real one; B's numbers are conjugated and turned. */
static void check_planes(void)
{
    array a = fresh(2 * M * K, 1, true), b = fresh(2 * N * K, 2, true), d = fresh(2 * M * N, 3, false);
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t la, lb, ld;
    int32_t conjugated = CUBLAS_OP_C;
    float alpha[2] = {1, 0}, beta[2] = {0, 0};
    OK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_C_32F));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSB, &conjugated, sizeof conjugated));
    OK(cublasLtMatrixLayoutCreate(&la, CUDA_C_16BF, M, K, M));
    OK(cublasLtMatrixLayoutCreate(&lb, CUDA_C_16BF, N, K, N));
    OK(cublasLtMatrixLayoutCreate(&ld, CUDA_C_32F, M, N, M));
    set_plane(la, -2 * M * K);
    set_plane(lb, -2 * N * K);
    set_plane(ld, -4 * M * N);
    OK(cublasLtMatmul(handle, product, alpha, (short *)a.at + M * K, la, (short *)b.at + N * K, lb, beta,
                      (float *)d.at + M * N, ld, (float *)d.at + M * N, ld, NULL, NULL, 0, NULL));
    cudaDeviceSynchronize();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double real = 0, imaginary = 0;
            for (int k = 0; k < K; k++) {
                double ar = get(&a, M * K + i + k * M), ai = get(&a, i + k * M);
                double br = get(&b, N * K + j + k * N), bi = -get(&b, j + k * N);
                real += ar * br - ai * bi;
                imaginary += ar * bi + ai * br;
            }
            CHECK(fabs(get(&d, M * N + i + j * M) - real) < 1e-4);
            CHECK(fabs(get(&d, i + j * M) - imaginary) < 1e-4);
        }
    OK(cublasLtMatrixLayoutDestroy(la));
    OK(cublasLtMatrixLayoutDestroy(lb));
    OK(cublasLtMatrixLayoutDestroy(ld));
    OK(cublasLtMatmulDescDestroy(product));
}

/* ---------------------------------------------------------------- scales of parts, of 8-bit numbers */
enum {
    OUTER = 130,
    LONG = 640
}; /* more than a square, and no multiple of it; five squares along k, which take room for eight */

static float scale_at(int mode, const float *scales, int outer, int along)
{
    if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F) return scales[outer];
    if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F) return scales[outer + along / 128 * OUTER];
    return scales[along / 128 + outer / 128 * 8];
}

static void check_scales(int mode_a, int mode_b)
{
    const int of_b = mode_b;
    static const unsigned char numbers[4] = {0x38, 0x40, 0x30, 0xb8}; /* as e4m3 */
    static const double values[4] = {1, 2, 0.5, -1};
    unsigned char *a, *b;
    array d = fresh(OUTER * OUTER, 1, false), scales = fresh(2048, 2, false);
    float alpha = 1, beta = 0;
    int32_t turned = CUBLAS_OP_T;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t in, out;
    cudaMallocManaged((void **)&a, OUTER * LONG, 1);
    cudaMallocManaged((void **)&b, OUTER * LONG, 1);
    for (int i = 0; i < OUTER * LONG; i++) a[i] = numbers[(i * 7 + i / 5) % 4], b[i] = numbers[(i * 3 + i / 11) % 4];
    for (int i = 0; i < 2048; i++) put(&scales, i, 1 + i % 13);
    OK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &mode_a, sizeof mode_a));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &mode_b, sizeof mode_b));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scales.at, sizeof scales.at));
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &scales.at, sizeof scales.at));
    OK(cublasLtMatrixLayoutCreate(&in, CUDA_R_8F_E4M3, LONG, OUTER, LONG));
    OK(cublasLtMatrixLayoutCreate(&out, CUDA_R_32F, OUTER, OUTER, OUTER));
    OK(cublasLtMatmul(handle, product, &alpha, a, in, b, in, &beta, d.at, out, d.at, out, NULL, NULL, 0, NULL));
    cudaDeviceSynchronize();
    mode_b = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F; /* as an H200 answers */
    OK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &mode_b, sizeof mode_b));
    CHECK(cublasLtMatmul(handle, product, &alpha, a, in, b, in, &beta, d.at, out, d.at, out, NULL, NULL, 0, NULL) ==
          CUBLAS_STATUS_INVALID_VALUE);
    for (int i = 0; i < OUTER; i += 43)
        for (int j = 1; j < OUTER; j += 64) {
            double sum = 0;
            for (int k = 0; k < LONG; k++) {
                int at = k + i * LONG, bt = k + j * LONG;
                sum += values[(at * 7 + at / 5) % 4] * values[(bt * 3 + bt / 11) % 4] *
                       (double)scale_at(mode_a, scales.at, i, k) * (double)scale_at(of_b, scales.at, j, k);
            }
            CHECK(fabs(get(&d, i + j * OUTER) - sum) < 1e-4 * (fabs(sum) + 1000));
        }
    OK(cublasLtMatrixLayoutDestroy(in));
    OK(cublasLtMatrixLayoutDestroy(out));
    OK(cublasLtMatmulDescDestroy(product));
}

int main(void)
{
    static const cublasLtEpilogue_t epilogues[] = {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS,
                                                   CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU,
                                                   CUBLASLT_EPILOGUE_GELU_AUX_BIAS};
    if (cublasLtCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 77; /* no BLAS on this machine */
    for (int bits = 0; bits < 16; bits++)
        for (size_t e = 0; e < sizeof epilogues / sizeof *epilogues; e++)
            check_product(&(form){bits & 1, bits & 2, bits & 4, bits & 8, 1 + (bits & 1), epilogues[e]});
    check_transform();
    check_pointers();
    check_back(CUBLASLT_EPILOGUE_DGELU);
    check_back(CUBLASLT_EPILOGUE_DGELU_BGRAD);
    check_back(CUBLASLT_EPILOGUE_BGRADA);
    check_back(CUBLASLT_EPILOGUE_BGRADB);
    check_planes();
    check_scales(CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
    check_scales(CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F);
    check_scales(CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F);
    check_scales(CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F);
    cublasLtMatmulDesc_t product;
    OK(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, NULL, 4) == CUBLAS_STATUS_INVALID_VALUE);
    OK(cublasLtMatmulDescDestroy(product));
    OK(cublasLtDestroy(handle));
    if (!failures) printf("ok lt\n");
    return failures != 0;
}
