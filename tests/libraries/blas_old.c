/* cuBLAS's interface of before CUDA 4: handles, memory and errors of its own, and results of each family against sums written out.
 * Prints what differs, and "ok blas_old". */
#include <cublas.h>
#include <math.h>
#include <stdio.h>

#include "library_test.h"

#define NEAR(x, y) NEAR_BY(x, y, 1e-4)
enum { N = 6 };

static float a[N * N], b[N * N], c[N * N], x[N], y[N], got[N * N];
static float *da, *db, *dc, *dx, *dy;

static void fill(void)
{
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i * 7 % 11) - 4;
        b[i] = (float)(i * 5 % 13) - 5;
        c[i] = (float)(i * 3 % 7) - 2;
    }
    for (int i = 0; i < N; i++) x[i] = (float)(i + 1), y[i] = (float)(3 * i - 7);
    OK(cublasSetMatrix(N, N, 4, a, N, da, N));
    OK(cublasSetMatrix(N, N, 4, b, N, db, N));
    OK(cublasSetMatrix(N, N, 4, c, N, dc, N));
    OK(cublasSetVector(N, 4, x, 1, dx, 1));
    OK(cublasSetVector(N, 4, y, 1, dy, 1));
}

static void level1(void)
{
    double dot = 0, norm = 0, sum = 0;
    for (int i = 0; i < N; i++) dot += x[i] * y[i], norm += y[i] * y[i], sum += fabs(y[i]);
    fill();
    NEAR(cublasSdot(N, dx, 1, dy, 1), dot);
    NEAR(cublasSnrm2(N, dy, 1), sqrt(norm));
    NEAR(cublasSasum(N, dy, 1), sum);
    CHECK(cublasIsamax(N, dx, 1) == N && cublasIsamin(N, dx, 1) == 1);
    cublasSaxpy(N, 2.5f, dx, 1, dy, 1);
    cublasSscal(N, -2, dx, 1);
    OK(cublasGetVector(N, 4, dy, 1, got, 1));
    for (int i = 0; i < N; i++) NEAR(got[i], 2.5 * x[i] + y[i]);
    OK(cublasGetVector(N, 4, dx, 1, got, 1));
    for (int i = 0; i < N; i++) NEAR(got[i], -2 * x[i]);
}

static void levels(void)
{
    fill();
    cublasSgemv('t', N, N, 2, da, N, dx, 1, -1, dy, 1);
    OK(cublasGetVector(N, 4, dy, 1, got, 1));
    for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int i = 0; i < N; i++) sum += a[i + j * N] * x[i];
        NEAR(got[j], 2 * sum - y[j]);
    }
    cublasSgemm('N', 'T', N, N, N, 0.5f, da, N, db, N, 3, dc, N);
    OK(cublasGetMatrix(N, N, 4, dc, N, got, N));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += a[i + k * N] * b[j + k * N];
            NEAR(got[i + j * N], 0.5 * sum + 3 * c[i + j * N]);
        }
    cublasStrmm('L', 'U', 'N', 'U', N, N, 1, da, N, db, N); /* over b, with ones on the diagonal */
    cublasStrsm('L', 'U', 'N', 'U', N, N, 1, da, N, db, N); /* and back */
    OK(cublasGetMatrix(N, N, 4, db, N, got, N));
    for (int i = 0; i < N * N; i++) NEAR(got[i], b[i]);
}

/* Scalars and results of two numbers are passed in registers. */
static void complex_numbers(void)
{
    cuDoubleComplex z[2] = {{1, 2}, {3, -1}}, w[2] = {{-2, 1}, {0.5, 4}}, back[2], alpha = {0, 1}, beta = {2, 0};
    cuDoubleComplex *dz, *dw;
    OK(cublasAlloc(2, sizeof *z, (void **)&dz));
    OK(cublasAlloc(2, sizeof *w, (void **)&dw));
    OK(cublasSetVector(2, sizeof *z, z, 1, dz, 1));
    OK(cublasSetVector(2, sizeof *w, w, 1, dw, 1));
    cuDoubleComplex dot = cublasZdotc(2, dz, 1, dw, 1); /* conj(1+2i)(-2+i) + conj(3-i)(0.5+4i) */
    NEAR(dot.x, 0 - 2.5);
    NEAR(dot.y, 5 + 12.5);
    cublasZgemm('N', 'N', 2, 1, 1, alpha, dz, 2, dz, 1, beta, dw, 2); /* w = i z z0 + 2 w */
    OK(cublasGetVector(2, sizeof *w, dw, 1, back, 1));
    NEAR(back[1].x, -5 + 1); /* i (3-i) (1+2i) */
    NEAR(back[1].y, 5 + 8);
    OK(cublasFree(dz));
    OK(cublasFree(dw));
}

int main(void)
{
    cublasSscal(1, 1, NULL, 1);
    CHECK(cublasGetError() == CUBLAS_STATUS_NOT_INITIALIZED && cublasGetError() == CUBLAS_STATUS_SUCCESS);
    if (cublasInit() != CUBLAS_STATUS_SUCCESS) return printf("no BLAS on this machine\n"), 77; /* CTest skips */
    OK(cublasAlloc(N * N, 4, (void **)&da));
    OK(cublasAlloc(N * N, 4, (void **)&db));
    OK(cublasAlloc(N * N, 4, (void **)&dc));
    OK(cublasAlloc(N, 4, (void **)&dx));
    OK(cublasAlloc(N, 4, (void **)&dy));
    CHECK(cublasAlloc(0, 4, (void **)&da) == CUBLAS_STATUS_INVALID_VALUE);
    fill();
    level1();
    levels();
    complex_numbers();
    OK(cublasGetError());
    cublasSgemm('X', 'N', N, N, N, 1, da, N, db, N, 0, dc, N);
    CHECK(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
    OK(cublasFree(da));
    OK(cublasShutdown());
    CHECK(cublasFree(db) == CUBLAS_STATUS_NOT_INITIALIZED);
    if (!failures) printf("ok blas_old\n");
    return failures != 0;
}
