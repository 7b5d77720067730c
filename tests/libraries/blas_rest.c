/* cublasXt with memory of the host and the device, grouped products, packed triangles, updates of mixed types and settings of
 * emulation. Prints what differs, and "ok blas_rest". */
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "library_test.h"

static cublasHandle_t handle;
#define NEAR(x, y) NEAR_BY(x, y, 1e-4)
enum { N = 5 };
static const float one = 1, zero = 0, two = 2;

static void *to_device(const void *host, size_t bytes)
{
    void *device = NULL;
    cudaMalloc(&device, bytes);
    cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
    return device;
}

static double product(const float *a, const float *b, int m, int k, int i, int j)
{
    double sum = 0;
    for (int at = 0; at < k; at++) sum += a[i + at * m] * b[at + j * k];
    return sum;
}

static void several_devices(void)
{
    cublasXtHandle_t xt;
    float a[N * N], b[N * N], c[N * N] = {0}, half[N * N];
    int device = 0, number = 0;
    for (int i = 0; i < N * N; i++) a[i] = (float)(i % 7) - 3, b[i] = (float)(i % 5) - 1;
    OK(cublasXtCreate(&xt));
    OK(cublasXtDeviceSelect(xt, 1, &device));
    OK(cublasXtSetBlockDim(xt, 64));
    OK(cublasXtGetBlockDim(xt, &number));
    CHECK(number == 64);
    OK(cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N, &zero, c, N));
    for (int i = 0; i < N * N; i++) NEAR(c[i], product(a, b, N, N, i % N, i / N)); /* all in memory of the host */
    float *device_a = to_device(a, sizeof a), *device_c = to_device(c, sizeof c);
    OK(cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &two, device_a, N, b, N, &zero, device_c, N));
    cudaMemcpy(half, device_c, sizeof half, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * N; i++) NEAR(half[i], 2 * c[i]);
    OK(cublasXtSsyrk(xt, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, N, N, &one, a, N, &zero, half, N));
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += a[k + i * N] * a[k + j * N];
            NEAR(half[i + j * N], sum);
        }
    OK(cublasXtDestroy(xt));
    cudaFree(device_a), cudaFree(device_c);
}

/* Two products of 2 x 3 by 3 x 2, and one of 3 x 2 by 2 x 3. */
static void groups(void)
{
    cublasOperation_t op[2] = {CUBLAS_OP_N, CUBLAS_OP_N};
    int m[2] = {2, 3}, n[2] = {2, 3}, k[2] = {3, 2}, sizes[2] = {2, 1}, lda[2] = {2, 3}, ldb[2] = {3, 2};
    float alpha[2] = {1, 2}, beta[2] = {0, 0}, host[3][2][6], c[9], *a_at[3], *b_at[3], *c_at[3];
    for (int i = 0; i < 3; i++) {
        for (int at = 0; at < 12; at++) (&host[i][0][0])[at] = (float)(at * (i + 2) % 9) - 4;
        a_at[i] = to_device(host[i][0], 24);
        b_at[i] = to_device(host[i][1], 24);
        c_at[i] = to_device(c, sizeof c);
    }
    const float *const *a = to_device(a_at, sizeof a_at), *const *b = to_device(b_at, sizeof b_at);
    float *const *to = to_device(c_at, sizeof c_at);
    OK(cublasSgemmGroupedBatched(handle, op, op, m, n, k, alpha, a, lda, b, ldb, beta, to, lda, 2, sizes));
    for (int i = 0; i < 3; i++) {
        int group = i == 2, rows = m[group];
        cudaMemcpy(c, c_at[i], sizeof c, cudaMemcpyDeviceToHost);
        for (int at = 0; at < rows * n[group]; at++)
            NEAR(c[at], (group + 1) * product(host[i][0], host[i][1], rows, k[group], at % rows, at / rows));
        cudaFree(a_at[i]), cudaFree(b_at[i]), cudaFree(c_at[i]);
    }
    cudaFree((void *)a), cudaFree((void *)b), cudaFree((void *)to);
}

static void triangles(void)
{
    float a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, packed[6], back[9];
    float *full = to_device(a, sizeof a), *short_ = to_device(a, sizeof packed);
    OK(cublasStrttp(handle, CUBLAS_FILL_MODE_UPPER, 3, full, 3, short_));
    cudaMemcpy(packed, short_, sizeof packed, cudaMemcpyDeviceToHost);
    CHECK(packed[0] == 1 && packed[1] == 4 && packed[2] == 5 && packed[3] == 7 && packed[5] == 9);
    OK(cublasStpttr(handle, CUBLAS_FILL_MODE_LOWER, 3, short_, full, 3)); /* 1 4 5, 7 8, 9 */
    cudaMemcpy(back, full, sizeof back, cudaMemcpyDeviceToHost);
    CHECK(back[0] == 1 && back[1] == 4 && back[2] == 5 && back[4] == 7 && back[8] == 9 && back[3] == 4 && back[6] == 7);
    cudaFree(full), cudaFree(short_);
}

static void complex_updates(void)
{
    cuComplex x[2] = {{1, 1}, {2, -1}}, y[2] = {{0, 2}, {3, 0}}, a[4] = {{0, 0}}, alpha = {1, 0}, zero_ = {0, 0};
    cuComplex *dx = to_device(x, sizeof x), *dy = to_device(y, sizeof y), *da = to_device(a, sizeof a);
    OK(cublasCsyr2_v2(handle, CUBLAS_FILL_MODE_LOWER, 2, &alpha, dx, 1, dy, 1, da, 2));
    cudaMemcpy(a, da, sizeof a, cudaMemcpyDeviceToHost);
    NEAR(a[0].x, -4);
    NEAR(a[0].y, 4); /* 2 (1+i) 2i */
    NEAR(a[1].x, 5);
    NEAR(a[1].y, 7); /* (2-i) 2i + 3 (1+i) */
    NEAR(a[2].x, 0);
    NEAR(a[2].y, 0); /* the other triangle */
    OK(cublasCherkEx(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 1, &one, dx, CUDA_C_32F, 2, &zero, da, CUDA_C_32F,
                     2));
    cudaMemcpy(a, da, sizeof a, cudaMemcpyDeviceToHost);
    NEAR(a[1].x, 1);
    NEAR(a[1].y, -3); /* (2-i) conj(1+i) */
    OK(cublasCsyrkEx(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 1, &alpha, dx, CUDA_C_32F, 2, &zero_, da,
                     CUDA_C_32F, 2));
    cudaMemcpy(a, da, sizeof a, cudaMemcpyDeviceToHost);
    NEAR(a[1].x, 3);
    NEAR(a[1].y, 1); /* (2-i)(1+i) */
    /* the diagonal of a Hermitian matrix is real, whatever was there */
    a[0].y = a[3].y = 5;
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    OK(cublasCherkx(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 1, &alpha, dx, 2, dx, 2, &one, da, 2));
    cudaMemcpy(a, da, sizeof a, cudaMemcpyDeviceToHost);
    CHECK(a[0].y == 0 && a[3].y == 0);
    float c = 0, s = 1;
    OK(cublasRotEx(handle, 2, dx, CUDA_C_32F, 1, dy, CUDA_C_32F, 1, &c, &s, CUDA_R_32F, CUDA_C_32F));
    cudaMemcpy(x, dx, sizeof x, cudaMemcpyDeviceToHost);
    CHECK(x[0].x == 0 && x[0].y == 2 && x[1].x == 3);
    cudaFree(dx), cudaFree(dy), cudaFree(da);
}

/* Half precision times single, increments of 2; 0x3c00 is 1, 0x4000 2, 0x4200 3. */
static void mixed_vectors(void)
{
    unsigned short a[4] = {0x3c00, 0x4000, 0x4200, 0x3c00}, x[4] = {0x4000, 0, 0x3c00, 0};
    float y[4] = {10, -1, 20, -1};
    void *da = to_device(a, sizeof a), *dx = to_device(x, sizeof x);
    float *dy = to_device(y, sizeof y);
    OK(cublasHSSgemvStridedBatched(handle, CUBLAS_OP_N, 2, 2, &one, da, 2, 4, dx, 2, 4, &one, dy, 2, 4, 1));
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    CHECK(y[0] == 15 && y[1] == -1 && y[2] == 25 && y[3] == -1); /* 1*2 + 3*1, 2*2 + 1*1 */
    OK(cublasHSSgemvStridedBatched(handle, CUBLAS_OP_T, 2, 2, &one, da, 2, 4, dx, 2, 4, &zero, dy, 2, 4, 1));
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    CHECK(y[0] == 4 && y[2] == 7); /* 1*2 + 2*1, 3*2 + 1*1 */
    cudaFree(da), cudaFree(dx), cudaFree(dy);
}

static void emulation(void)
{
    cudaEmulationSpecialValuesSupport special = 0;
    cublasEmulationStrategy_t strategy = 0;
    int offset = 0;
    OK(cublasGetEmulationSpecialValuesSupport(handle, &special));
    CHECK(special == CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT);
    OK(cublasSetEmulationStrategy(handle, CUBLAS_EMULATION_STRATEGY_EAGER));
    OK(cublasGetEmulationStrategy(handle, &strategy));
    CHECK(strategy == CUBLAS_EMULATION_STRATEGY_EAGER);
    OK(cublasSetFixedPointEmulationMantissaBitOffset(handle, -8));
    OK(cublasGetFixedPointEmulationMantissaBitOffset(handle, &offset));
    CHECK(offset == -8);
}

cublasStatus_t cublasXtSspmm(void *handle); /* in no header of ours: not supported */

int main(void)
{
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return printf("no BLAS on this machine\n"), 77; /* CTest skips */
    CHECK(cublasXtSspmm(NULL) == CUBLAS_STATUS_NOT_SUPPORTED);
    several_devices();
    groups();
    triangles();
    complex_updates();
    mixed_vectors();
    emulation();
    OK(cublasDestroy(handle));
    if (!failures) printf("ok blas_rest\n");
    return failures != 0;
}
