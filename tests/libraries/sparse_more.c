/* cuSPARSE: systems of three and five diagonals in all their arrangements, Cholesky's factors without fill, rotations, and ELL formats;
 * each put in, or compared with sums written out. Prints what differs, and "ok sparse_more". */
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "library_test.h"

static cusparseHandle_t handle;
enum { N = 7, SYSTEMS = 3, DIAGONALS = 5 };

static void *managed(size_t bytes)
{
    void *out = NULL;
    cudaMallocManaged(&out, bytes, cudaMemAttachGlobal);
    memset(out, 0, bytes);
    return out;
}

/* Element r of diagonal d (2: the main one) of system i; the main one is 0 where rows must be exchanged. */
static double element(int d, int r, int i)
{
    if (r + d - 2 < 0 || r + d - 2 >= N) return 0;
    return d == 2 ? (r == 3 ? 0 : 3 + r % 2) : (d == 1 ? 1 : d == 3 ? -1.5 : 0.25 * d) + 0.5 * i;
}

static void bands(void)
{
    double *d[DIAGONALS], *x = managed(8 * N * SYSTEMS);
    size_t bytes;
    for (int k = 0; k < DIAGONALS; k++) d[k] = managed(8 * N * SYSTEMS);
    void *buffer = managed(4096);
    for (int arrangement = 0; arrangement < 4;
         arrangement++) { /* together, strided, interleaved, five diagonals interleaved */
        int step = arrangement < 2 ? 1 : SYSTEMS, next = arrangement < 2 ? N : 1;
        for (int i = 0; i < SYSTEMS; i++)
            for (int r = 0; r < N; r++) {
                x[r * step + i * next] = r + 1 + i;
                for (int k = 0; k < DIAGONALS; k++) d[k][r * step + i * next] = element(k, r, arrangement ? i : 0);
            }
        if (arrangement == 0) {
            OK(cusparseDgtsv2_bufferSizeExt(handle, N, SYSTEMS, d[1], d[2], d[3], x, N, &bytes));
            OK(cusparseDgtsv2(handle, N, SYSTEMS, d[1], d[2], d[3], x, N, buffer));
        } else if (arrangement == 1) {
            OK(cusparseDgtsv2StridedBatch_bufferSizeExt(handle, N, d[1], d[2], d[3], x, SYSTEMS, N, &bytes));
            OK(cusparseDgtsv2StridedBatch(handle, N, d[1], d[2], d[3], x, SYSTEMS, N, buffer));
        } else if (arrangement == 2) {
            OK(cusparseDgtsvInterleavedBatch_bufferSizeExt(handle, 0, N, d[1], d[2], d[3], x, SYSTEMS, &bytes));
            OK(cusparseDgtsvInterleavedBatch(handle, 0, N, d[1], d[2], d[3], x, SYSTEMS, buffer));
        } else {
            OK(cusparseDgpsvInterleavedBatch_bufferSizeExt(handle, 0, N, d[0], d[1], d[2], d[3], d[4], x, SYSTEMS,
                                                           &bytes));
            OK(cusparseDgpsvInterleavedBatch(handle, 0, N, d[0], d[1], d[2], d[3], d[4], x, SYSTEMS, buffer));
        }
        cudaDeviceSynchronize();
        CHECK(bytes > 0);
        for (int i = 0; i < SYSTEMS; i++) {
            double worst = 0;
            for (int r = 0; r < N; r++) {
                double sum = -(r + 1.0 + i);
                for (int k = arrangement == 3 ? 0 : 1; k < (arrangement == 3 ? 5 : 4); k++) {
                    int c = r + k - 2;
                    if (c >= 0 && c < N) sum += element(k, r, arrangement ? i : 0) * x[c * step + i * next];
                }
                worst = fmax(worst, fabs(sum));
            }
            CHECK(worst < 1e-10);
        }
    }
    for (int k = 0; k < DIAGONALS; k++) cudaFree(d[k]);
    cudaFree(x), cudaFree(buffer);
}

static void complex_bands(void) /* (i 1; 1 2) x = (1 + i, 3): x = (1, 1) */
{
    cuComplex *dl = managed(16), *d = managed(16), *du = managed(16), *x = managed(16);
    dl[1].x = 1, d[0].y = 1, d[1].x = 2, du[0].x = 1, x[0].x = 1, x[0].y = 1, x[1].x = 3;
    OK(cusparseCgtsv2_nopivot(handle, 2, 1, dl, d, du, x, 2, managed(128)));
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++) CHECK(fabsf(x[i].x - 1) < 1e-6f && fabsf(x[i].y) < 1e-6f);
    cudaFree(dl), cudaFree(d), cudaFree(du), cudaFree(x);
}

/* A dense symmetric pattern has no fill: L L' is A. */
static void cholesky(void)
{
    enum { M = 4 };
    int *offsets = managed(4 * (M + 1)), *columns = managed(4 * M * M), bytes, position;
    double *values = managed(8 * M * M), kept[M * M];
    csric02Info_t info;
    cusparseMatDescr_t descriptor;
    for (int i = 0; i < M * M; i++) {
        columns[i] = i % M, offsets[i / M + 1] = i + 1;
        values[i] = kept[i] = i / M == i % M ? 6 + i % M : (i / M) * (i % M) % 3 - 1;
    }
    OK(cusparseCreateMatDescr(&descriptor));
    OK(cusparseCreateCsric02Info(&info));
    OK(cusparseDcsric02_bufferSize(handle, M, M * M, descriptor, values, offsets, columns, info, &bytes));
    OK(cusparseDcsric02_analysis(handle, M, M * M, descriptor, values, offsets, columns, info,
                                 CUSPARSE_SOLVE_POLICY_NO_LEVEL, NULL));
    OK(cusparseDcsric02(handle, M, M * M, descriptor, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL,
                        NULL));
    OK(cusparseXcsric02_zeroPivot(handle, info, &position));
    CHECK(position == -1);
    for (int r = 0; r < M; r++)
        for (int c = 0; c <= r; c++) {
            double sum = 0;
            for (int k = 0; k <= c; k++) sum += values[r * M + k] * values[c * M + k];
            CHECK(fabs(sum - kept[r * M + c]) < 1e-12);
        }
    memcpy(values, kept, sizeof kept);
    values[5] = -1; /* the second pivot */
    OK(cusparseDcsric02(handle, M, M * M, descriptor, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL,
                        NULL));
    CHECK(cusparseXcsric02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_ZERO_PIVOT && position == 1);
    OK(cusparseDestroyCsric02Info(info));
    OK(cusparseDestroyMatDescr(descriptor));
    cudaFree(offsets), cudaFree(columns), cudaFree(values);
}

static void rotation(void)
{
    int *indices = managed(8);
    float *x = managed(8), *y = managed(16), c = 0.6f, s = 0.8f;
    cusparseSpVecDescr_t dx;
    cusparseDnVecDescr_t dy;
    indices[0] = 1, indices[1] = 3, x[0] = 5, x[1] = 10;
    for (int i = 0; i < 4; i++) y[i] = (float)(i + 1) * 10;
    OK(cusparseCreateSpVec(&dx, 4, 2, indices, x, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    OK(cusparseCreateDnVec(&dy, 4, y, CUDA_R_32F));
    OK(cusparseRot(handle, &c, &s, dx, dy));
    cudaDeviceSynchronize();
    CHECK(fabsf(x[0] - 19) < 1e-5f && fabsf(y[1] - 8) < 1e-5f && fabsf(x[1] - 38) < 1e-5f && fabsf(y[3] - 16) < 1e-5f);
    CHECK(y[0] == 10 && y[2] == 30);
    OK(cusparseDestroySpVec(dx));
    OK(cusparseDestroyDnVec(dy));
    cudaFree(indices), cudaFree(x), cudaFree(y);
}

/* (1 2 0; 0 0 3; 4 0 5) in slices of two rows, and (0 0 1 2; 0 0 3 4; 5 6 7 8; 9 10 11 12) in blocks of 2 x 2. */
static void padded(void)
{
    static const int sliced_columns[] = {0, 2, 1, -1, 0, -1, 2, -1}, blocked_columns[] = {1, -1, 0, 1};
    static const float sliced[] = {1, 3, 2, 9, 4, 9, 5, 9}, want[] = {5, 9, 19};
    static const float blocked[] = {1, 2, 99, 99, 3, 4, 99, 99, 5, 6, 7, 8, 9, 10, 11, 12},
                       want_blocked[] = {11, 25, 70, 110};
    int *offsets = managed(12), *columns = managed(64);
    float *values = managed(64), *x = managed(16), *y = managed(16), one = 1, zero = 0;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t dx, dy;
    cusparseDnMatDescr_t mx, my;
    offsets[1] = 4, offsets[2] = 8;
    memcpy(columns, sliced_columns, sizeof sliced_columns), memcpy(values, sliced, sizeof sliced);
    for (int i = 0; i < 4; i++) x[i] = (float)(i + 1);
    OK(cusparseCreateSlicedEll(&a, 3, 3, 5, 8, 2, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    OK(cusparseCreateDnVec(&dx, 3, x, CUDA_R_32F));
    OK(cusparseCreateDnVec(&dy, 3, y, CUDA_R_32F));
    OK(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, dx, &zero, dy, CUDA_R_32F,
                    CUSPARSE_SPMV_ALG_DEFAULT, NULL));
    cudaDeviceSynchronize();
    for (int i = 0; i < 3; i++) CHECK(y[i] == want[i]);
    OK(cusparseDestroySpMat(a));
    OK(cusparseCreateDnMat(&mx, 4, 1, 4, x, CUDA_R_32F, CUSPARSE_ORDER_COL));
    OK(cusparseCreateDnMat(&my, 4, 1, 4, y, CUDA_R_32F, CUSPARSE_ORDER_COL));
    memcpy(columns, blocked_columns, sizeof blocked_columns), memcpy(values, blocked, sizeof blocked);
    CHECK(cusparseCreateBlockedEll(&a, 4, 4, 3, 4, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                   CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE);
    OK(cusparseCreateBlockedEll(&a, 4, 4, 2, 4, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                CUDA_R_32F));
    OK(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, mx, &zero, my,
                    CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
    cudaDeviceSynchronize();
    for (int i = 0; i < 4; i++) CHECK(y[i] == want_blocked[i]);
    OK(cusparseDestroyDnMat(mx));
    OK(cusparseCreateDnMat(&mx, 4, 4, 4, values, CUDA_R_32F, CUSPARSE_ORDER_COL));
    CHECK(cusparseSparseToDense(handle, a, mx, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, NULL) ==
          CUSPARSE_STATUS_NOT_SUPPORTED);
    OK(cusparseDestroySpMat(a));
    OK(cusparseDestroyDnMat(mx));
    OK(cusparseDestroyDnMat(my));
    OK(cusparseDestroyDnVec(dx));
    OK(cusparseDestroyDnVec(dy));
    cudaFree(offsets), cudaFree(columns), cudaFree(values), cudaFree(x), cudaFree(y);
}

/* Blocks of 2 x 3, by rows and by columns: products where they are, and the product with the unit matrix. */
static void blocks(void)
{
    enum { ROWS = 4, COLUMNS = 6, INNER = 5, STORED = 3 * 6 };
    int *offsets = managed(12), *columns = managed(12);
    float *values = managed(4 * STORED), *a = managed(4 * ROWS * INNER), *b = managed(4 * INNER * COLUMNS),
          *dense = managed(4 * ROWS * COLUMNS);
    float *unit = managed(4 * COLUMNS * COLUMNS);
    const float alpha = 2, beta = 0.5f, one = 1, zero = 0;
    for (int i = 0; i < COLUMNS; i++) unit[i * COLUMNS + i] = 1;
    offsets[1] = 1, offsets[2] = 3;
    columns[0] = 1, columns[1] = 0, columns[2] = 1;
    for (int i = 0; i < ROWS * INNER; i++) a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < INNER * COLUMNS; i++) b[i] = (float)(i % 5 - 1);
    for (int order = CUSPARSE_ORDER_COL; order <= CUSPARSE_ORDER_ROW; order++) {
        cusparseSpMatDescr_t m;
        cusparseDnMatDescr_t da, db, dd, de;
        for (int i = 0; i < STORED; i++) values[i] = (float)i;
        OK(cusparseCreateBsr(&m, 2, 2, 3, 2, 3, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F, (cusparseOrder_t)order));
        OK(cusparseCreateDnMat(&da, ROWS, INNER, INNER, a, CUDA_R_32F, CUSPARSE_ORDER_ROW));
        OK(cusparseCreateDnMat(&db, INNER, COLUMNS, COLUMNS, b, CUDA_R_32F, CUSPARSE_ORDER_ROW));
        OK(cusparseCreateDnMat(&dd, ROWS, COLUMNS, COLUMNS, dense, CUDA_R_32F, CUSPARSE_ORDER_ROW));
        OK(cusparseCreateDnMat(&de, COLUMNS, COLUMNS, COLUMNS, unit, CUDA_R_32F, CUSPARSE_ORDER_ROW));
        OK(cusparseSDDMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, da, db,
                         &beta, m, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, NULL));
        OK(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m, de, &zero,
                        dd, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
        cudaDeviceSynchronize();
        for (int block = 0; block < 3; block++)
            for (int e = 0; e < 6; e++) {
                int r = order == CUSPARSE_ORDER_ROW ? e / 3 : e % 2, c = order == CUSPARSE_ORDER_ROW ? e % 3 : e / 2;
                float sum = beta * (float)(block * 6 + e);
                r += block ? 2 : 0, c += 3 * columns[block];
                for (int k = 0; k < INNER; k++) sum += alpha * a[r * INNER + k] * b[k * COLUMNS + c];
                CHECK(values[block * 6 + e] == sum && dense[r * COLUMNS + c] == sum);
            }
        CHECK(dense[0] == 0);
        CHECK(cusparseDenseToSparse_convert(handle, dd, m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, NULL) ==
              CUSPARSE_STATUS_NOT_SUPPORTED);
        OK(cusparseDestroySpMat(m));
        OK(cusparseDestroyDnMat(da));
        OK(cusparseDestroyDnMat(db));
        OK(cusparseDestroyDnMat(dd));
        OK(cusparseDestroyDnMat(de));
    }
}

/* The blocks that are there are filled, and one that is not with zeros. */
static void dense_to_ell(void)
{
    enum { SIDE = 4 };
    int *columns = managed(16);
    float *values = managed(4 * SIDE * SIDE), *dense = managed(4 * SIDE * SIDE);
    cusparseSpMatDescr_t m;
    cusparseDnMatDescr_t d;
    columns[0] = 1, columns[1] = -1, columns[2] = 0, columns[3] = 1;
    for (int i = 0; i < SIDE * SIDE; i++) dense[i] = (float)(i + 1), values[i] = -1;
    OK(cusparseCreateBlockedEll(&m, SIDE, SIDE, 2, SIDE, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                CUDA_R_32F));
    OK(cusparseCreateDnMat(&d, SIDE, SIDE, SIDE, dense, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    OK(cusparseDenseToSparse_analysis(handle, d, m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, NULL));
    OK(cusparseDenseToSparse_convert(handle, d, m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, NULL));
    cudaDeviceSynchronize();
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) {
            float wanted = r < 2 ? (c < 2 ? dense[r * SIDE + c + 2] : 0) : dense[r * SIDE + c];
            CHECK(values[r * SIDE + c] == wanted);
        }
    OK(cusparseDestroySpMat(m));
    OK(cusparseDestroyDnMat(d));
}

/* Indices in any order: the same sums as in order. */
static void any_order(void)
{
    static const int orders[2][3] = {{1, 4, 6}, {6, 1, 4}};
    const float alpha = 2, beta = 3;
    for (int order = 0; order < 2; order++) {
        int *indices = managed(12);
        float *x = managed(12), *y = managed(4 * N);
        cusparseSpVecDescr_t dx;
        cusparseDnVecDescr_t dy;
        memcpy(indices, orders[order], sizeof orders[order]);
        for (int k = 0; k < 3; k++) x[k] = (float)(indices[k] * 10);
        for (int i = 0; i < N; i++) y[i] = (float)i;
        OK(cusparseCreateSpVec(&dx, N, 3, indices, x, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        OK(cusparseCreateDnVec(&dy, N, y, CUDA_R_32F));
        OK(cusparseAxpby(handle, &alpha, dx, &beta, dy));
        cudaDeviceSynchronize();
        for (int i = 0; i < N; i++) CHECK(y[i] == (float)(3 * i + (i == 1 || i == 4 || i == 6 ? 20 * i : 0)));
        OK(cusparseDestroySpVec(dx));
        OK(cusparseDestroyDnVec(dy));
    }
}

int main(void)
{
    OK(cusparseCreate(&handle));
    bands();
    complex_bands();
    cholesky();
    rotation();
    padded();
    blocks();
    dense_to_ell();
    any_order();
    OK(cusparseDestroy(handle));
    if (!failures) printf("ok sparse_more\n");
    return failures != 0;
}
