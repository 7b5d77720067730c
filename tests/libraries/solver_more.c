/* cuSOLVER: parts of spectra, reduced forms, refined solutions, and sparse systems in one call, in steps and refactorised; each
 * multiplied out or put in. Prints what differs, and "ok solver_more". */
#include <cuda_runtime_api.h>
#include <cusolverDn.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "library_test.h"

static cusolverDnHandle_t dn;
static double *work; /* managed, as all arrays here */
static int *info;
#define NEAR(x, y) NEAR_BY(x, y, 1e-10)
enum { N = 5 };

static void *managed(size_t bytes)
{
    void *out = NULL;
    cudaMallocManaged(&out, bytes, cudaMemAttachGlobal);
    memset(out, 0, bytes);
    return out;
}

static void wait_for(void)
{
    cudaDeviceSynchronize();
    CHECK(!info[0]);
}

/* c (m x n) = op(a) b, op: transposed; a's inner dimension k. */
static void multiply(int m, int n, int k, const double *a, int transposed, const double *b, int b_transposed, double *c)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int at = 0; at < k; at++)
                sum += (transposed ? a[at + i * k] : a[i + at * m]) * (b_transposed ? b[j + at * n] : b[at + j * k]);
            c[i + j * m] = sum;
        }
}

static void fill(double *a, int m, int n, int symmetric)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            a[i + j * m] = symmetric ? (i * j % 5) + (i == j ? 4 + i : 0) : (i * 3 + j * 7) % 11 - 4;
}

static void spectra(double *a, double *v, double *w, double *all)
{
    int found = 0, bytes;
    fill(a, N, N, 1), memcpy(v, a, N * N * 8);
    OK(cusolverDnDsyevd(dn, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, N, v, N, all, work, 1, info));
    wait_for();
    memcpy(v, a, N * N * 8);
    OK(cusolverDnDsyevdx_bufferSize(dn, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, N, v, N,
                                    0, 0, 2, 4, &found, w, &bytes));
    OK(cusolverDnDsyevdx(dn, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, N, v, N, 0, 0, 2,
                         4, &found, w, work, bytes, info));
    wait_for();
    CHECK(found == 3);
    for (int k = 0; k < 3; k++) {
        double product[N];
        NEAR(w[k], all[k + 1]);
        multiply(N, 1, N, a, 0, v + k * N, 0, product);
        for (int i = 0; i < N; i++) NEAR(product[i], w[k] * v[i + k * N]);
    }
    memcpy(v, a, N * N * 8);
    OK(cusolverDnDsyevdx(dn, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_RANGE_V, CUBLAS_FILL_MODE_LOWER, N, v, N,
                         all[0] + 1e-9, all[2] + 1e-9, 0, 0, &found, w, work, bytes, info));
    CHECK(found == 2 &&
          cusolverDnDsyevdx(dn, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, N, v, N, 0, 0,
                            3, N + 1, &found, w, work, bytes, info) == CUSOLVER_STATUS_INVALID_VALUE);
}

/* A without symmetry: A v = s v, for real ones and pairs. */
static void general_values(double *a, double *v, double *w, double *copy)
{
    size_t on_device, on_host;
    fill(a, N, N, 0), memcpy(copy, a, N * N * 8);
    OK(cusolverDnXgeev_bufferSize(dn, NULL, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR, N, CUDA_R_64F, a, N,
                                  CUDA_R_64F, w, CUDA_R_64F, NULL, N, CUDA_R_64F, v, N, CUDA_R_64F, &on_device,
                                  &on_host));
    OK(cusolverDnXgeev(dn, NULL, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR, N, CUDA_R_64F, copy, N,
                       CUDA_R_64F, w, CUDA_R_64F, NULL, N, CUDA_R_64F, v, N, CUDA_R_64F, work, on_device, NULL, on_host,
                       info));
    wait_for();
    for (int k = 0; k < N; k++) {
        double re[N], im[N], none[N] = {0}, *x = v + k * N, *y = w[N + k] != 0 ? x + N : none;
        multiply(N, 1, N, a, 0, x, 0, re), multiply(N, 1, N, a, 0, y, 0, im);
        for (int i = 0; i < N; i++) {
            CHECK(fabs(re[i] - (w[k] * x[i] - w[N + k] * y[i])) < 1e-9);
            CHECK(fabs(im[i] - (w[k] * y[i] + w[N + k] * x[i])) < 1e-9);
        }
        if (w[N + k] != 0) k++;
    }
}

static void greatest_values(double *a, double *u, double *v, double *s)
{
    enum { M = 6, RANK = 2 };
    double rest[2], all = 0, left = 0;
    int bytes;
    fill(a, M, 2 * N, 0);
    OK(cusolverDnDgesvdaStridedBatched_bufferSize(dn, CUSOLVER_EIG_MODE_VECTOR, RANK, M, N, a, M, M * N, s, RANK, u, M,
                                                  M * RANK, v, N, N * RANK, &bytes, 2));
    OK(cusolverDnDgesvdaStridedBatched(dn, CUSOLVER_EIG_MODE_VECTOR, RANK, M, N, a, M, M * N, s, RANK, u, M, M * RANK,
                                       v, N, N * RANK, work, bytes, info, rest, 2));
    wait_for();
    for (int i = 0; i < M * N; i++) {
        double sum = a[i];
        for (int k = 0; k < RANK; k++) sum -= s[k] * u[i % M + k * M] * v[i / M + k * N];
        left += sum * sum, all += a[i] * a[i];
    }
    NEAR(rest[0], sqrt(left));
    NEAR(all - left, s[0] * s[0] + s[1] * s[1]);
}

/* A = Q T Q' and Q' A P = B. */
static void reduced_forms(double *a, double *q, double *d, double *e, double *tau, double *c)
{
    enum { M = 7 };
    int bytes;
    double whole[N * N] = {0}, product[M * M], back[M * M], *taup = tau + M, p[N * N];
    fill(a, N, N, 1), memcpy(q, a, N * N * 8);
    OK(cusolverDnDsytrd_bufferSize(dn, CUBLAS_FILL_MODE_LOWER, N, q, N, d, e, tau, &bytes));
    OK(cusolverDnDsytrd(dn, CUBLAS_FILL_MODE_LOWER, N, q, N, d, e, tau, work, bytes, info));
    memset(c, 0, N * N * 8);
    for (int i = 0; i < N; i++) c[i + i * N] = 1;
    OK(cusolverDnDormtr(dn, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, N, N, q, N, tau, c, N, work, 1,
                        info));
    OK(cusolverDnDorgtr(dn, CUBLAS_FILL_MODE_LOWER, N, q, N, tau, work, 1, info));
    wait_for();
    for (int i = 0; i < N * N; i++) NEAR(c[i], q[i]);
    for (int i = 0; i < N; i++) {
        whole[i + i * N] = d[i];
        if (i + 1 < N) whole[i + 1 + i * N] = whole[i + (i + 1) * N] = e[i];
    }
    multiply(N, N, N, q, 0, whole, 0, product), multiply(N, N, N, product, 0, q, 1, back);
    for (int i = 0; i < N * N; i++) NEAR(back[i], a[i]);
    fill(a, M, N, 0), memcpy(q, a, M * N * 8);
    OK(cusolverDnDgebrd_bufferSize(dn, M, N, &bytes));
    OK(cusolverDnDgebrd(dn, M, N, q, M, d, e, tau, taup, work, bytes, info));
    cudaDeviceSynchronize();
    for (int j = 0; j < N; j++) memcpy(c + j * N, q + j * M, N * 8); /* rows of P lie above the diagonal */
    OK(cusolverDnDorgbr(dn, CUBLAS_SIDE_LEFT, M, N, N, q, M, tau, work, 1, info));
    OK(cusolverDnDorgbr(dn, CUBLAS_SIDE_RIGHT, N, N, M, c, N, taup, work, 1, info));
    wait_for();
    memcpy(p, c, sizeof p);
    multiply(N, N, M, q, 1, a, 0, product), multiply(N, N, N, product, 0, p, 1, back);
    for (int i = 0; i < N * N; i++) {
        int row = i % N, column = i / N;
        CHECK(fabs(back[i] - (row == column ? d[row] : column == row + 1 ? e[row] : 0)) < 1e-9);
    }
}

static void solutions(double *a, double *b, double *x, double *c)
{
    enum { M = 7 };
    size_t bytes, on_host;
    int iterations;
    double product[M];
    cusolverDnIRSParams_t params;
    cusolverDnIRSInfos_t infos;
    fill(a, N, N, 1);
    for (int i = 0; i < M; i++) b[i] = i * i - 3;
    OK(cusolverDnDSgesv_bufferSize(dn, N, 1, a, N, NULL, b, N, x, N, NULL, &bytes));
    OK(cusolverDnDSgesv(dn, N, 1, a, N, NULL, b, N, x, N, work, bytes, &iterations, info));
    wait_for();
    multiply(N, 1, N, a, 0, x, 0, product);
    for (int i = 0; i < N; i++) NEAR(product[i], b[i]);
    memset(x, 0, N * 8);
    OK(cusolverDnIRSParamsCreate(&params));
    OK(cusolverDnIRSInfosCreate(&infos));
    CHECK(cusolverDnIRSXgesv_bufferSize(dn, params, N, 1, &bytes) ==
          CUSOLVER_STATUS_INVALID_VALUE); /* of no type yet */
    OK(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, CUSOLVER_R_16F));
    OK(cusolverDnIRSXgesv(dn, params, infos, N, 1, a, N, b, N, x, N, work, bytes, &iterations, info));
    wait_for();
    multiply(N, 1, N, a, 0, x, 0, product);
    for (int i = 0; i < N; i++) NEAR(product[i], b[i]);
    OK(cusolverDnIRSParamsDestroy(params));
    OK(cusolverDnIRSInfosDestroy(infos));
    fill(a, M, N, 0);
    OK(cusolverDnDDgels(dn, M, N, 1, a, M, b, M, x, N, work, bytes, &iterations, info));
    wait_for();
    multiply(M, 1, N, a, 0, x, 0, product);
    for (int j = 0; j < N; j++) { /* the rest is orthogonal to the columns */
        double sum = 0;
        for (int i = 0; i < M; i++) sum += a[i + j * M] * (product[i] - b[i]);
        CHECK(fabs(sum) < 1e-9);
    }
    fill(a, N, N, 1), memcpy(c, a, N * N * 8);
    OK(cusolverDnXtrtri_bufferSize(dn, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT, N, CUDA_R_64F, c, N, &bytes,
                                   &on_host));
    OK(cusolverDnXtrtri(dn, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT, N, CUDA_R_64F, c, N, work, bytes, NULL,
                        on_host, info));
    wait_for();
    for (int i = 0; i < N * N; i++) {
        double sum = 0;
        for (int k = i % N; k <= i / N; k++) sum += a[i % N + k * N] * c[k + i / N * N];
        if (i % N <= i / N) NEAR(sum, i % N == i / N);
    }
}

/* ---------------------------------------------------------------- sparse: a grid of 4 x 5 points, with some asymmetry */
enum { GRID = 20 };
static int offsets[GRID + 1], columns[5 * GRID], *d_offsets, *d_columns, count;
static double values[5 * GRID], *d_values;

static void make_grid(int asymmetric)
{
    count = 0;
    for (int r = 0; r < GRID; r++) {
        offsets[r] = count;
        for (int c = 0; c < GRID; c++) {
            int near_row = (r / 5 == c / 5 && (r - c == 1 || c - r == 1)) || r - c == 5 || c - r == 5;
            if (r != c && !near_row) continue;
            values[count] = r == c ? 4.5 + r % 3 : asymmetric && c > r ? -1.5 : -1;
            columns[count++] = c;
        }
    }
    offsets[GRID] = count;
    memcpy(d_offsets, offsets, sizeof offsets), memcpy(d_columns, columns, sizeof columns);
    memcpy(d_values, values, sizeof values);
}

static void check_solution(const double *x, const double *b, double scale)
{
    for (int r = 0; r < GRID; r++) {
        double sum = 0;
        for (int k = offsets[r]; k < offsets[r + 1]; k++) sum += scale * values[k] * x[columns[k]];
        NEAR(sum, b[r]);
    }
}

static void sparse_in_one(cusolverSpHandle_t sp, cusparseMatDescr_t d, double *b, double *x)
{
    int singular = 7;
    make_grid(1);
    OK(cusolverSpDcsrlsvqr(sp, GRID, count, d, d_values, d_offsets, d_columns, b, 1e-12, 1, x, &singular));
    CHECK(singular == -1);
    check_solution(x, b, 1);
    memset(x, 0, GRID * 8);
    OK(cusolverSpDcsrlsvluHost(sp, GRID, count, d, values, offsets, columns, b, 1e-12, 0, x, &singular));
    CHECK(singular == -1);
    check_solution(x, b, 1);
    make_grid(0);
    OK(cusolverSpDcsrlsvchol(sp, GRID, count, d, d_values, d_offsets, d_columns, b, 1e-12, 1, x, &singular));
    CHECK(singular == -1);
    check_solution(x, b, 1);
    values[0] = -40;
    OK(cusolverSpDcsrlsvcholHost(sp, GRID, count, d, values, offsets, columns, b, 1e-12, 0, x, &singular));
    CHECK(singular >= 0);       /* not positive definite */
    memset(d_values, 0, 3 * 8); /* the first row is 0 */
    OK(cusolverSpDcsrlsvqr(sp, GRID, count, d, d_values, d_offsets, d_columns, b, 1e-12, 0, x, &singular));
    CHECK(singular >= 0);
}

static void sparse_in_steps(cusolverSpHandle_t sp, cusparseMatDescr_t d, double *b, double *x)
{
    csrqrInfo_t qr;
    csrcholInfo_t chol;
    size_t inside, room;
    int position;
    make_grid(1);
    OK(cusolverSpCreateCsrqrInfo(&qr));
    OK(cusolverSpXcsrqrAnalysis(sp, GRID, GRID, count, d, d_offsets, d_columns, qr));
    OK(cusolverSpDcsrqrBufferInfo(sp, GRID, GRID, count, d, d_values, d_offsets, d_columns, qr, &inside, &room));
    CHECK(cusolverSpDcsrqrSolve(sp, GRID, GRID, b, x, qr, work) == CUSOLVER_STATUS_INTERNAL_ERROR); /* no factors yet */
    OK(cusolverSpDcsrqrSetup(sp, GRID, GRID, count, d, d_values, d_offsets, d_columns, 0, qr));
    OK(cusolverSpDcsrqrFactor(sp, GRID, GRID, count, NULL, NULL, qr, work));
    OK(cusolverSpDcsrqrZeroPivot(sp, qr, 1e-12, &position));
    CHECK(position == -1);
    OK(cusolverSpDcsrqrSolve(sp, GRID, GRID, b, x, qr, work));
    check_solution(x, b, 1);
    OK(cusolverSpDestroyCsrqrInfo(qr));
    make_grid(0);
    OK(cusolverSpCreateCsrcholInfo(&chol));
    OK(cusolverSpXcsrcholAnalysis(sp, GRID, count, d, d_offsets, d_columns, chol));
    OK(cusolverSpDcsrcholFactor(sp, GRID, count, d, d_values, d_offsets, d_columns, chol, work));
    OK(cusolverSpDcsrcholSolve(sp, GRID, b, x, chol, work));
    check_solution(x, b, 1);
    OK(cusolverSpDcsrcholDiag(sp, chol, x));
    NEAR(x[0], sqrt(values[0]));
    OK(cusolverSpDestroyCsrcholInfo(chol));
}

/* L U of the host, multiplied out, then the card's factorisation of other values in its order. */
static void refactored(cusolverSpHandle_t sp, cusparseMatDescr_t d, double *b, double *x)
{
    static int p[GRID], q[GRID], ol[GRID + 1], cl[GRID * GRID], ou[GRID + 1], cu[GRID * GRID];
    static double l[GRID * GRID], u[GRID * GRID], sum[GRID][GRID];
    csrluInfoHost_t lu;
    cusolverRfHandle_t rf;
    int in_l, in_u;
    make_grid(1);
    OK(cusolverSpCreateCsrluInfoHost(&lu));
    OK(cusolverSpXcsrluAnalysisHost(sp, GRID, count, d, offsets, columns, lu));
    OK(cusolverSpDcsrluFactorHost(sp, GRID, count, d, values, offsets, columns, lu, 1, work));
    OK(cusolverSpXcsrluNnzHost(sp, &in_l, &in_u, lu));
    OK(cusolverSpDcsrluExtractHost(sp, p, q, d, l, ol, cl, d, u, ou, cu, lu, work));
    CHECK(ol[GRID] == in_l && ou[GRID] == in_u);
    for (int i = 0; i < GRID; i++) {
        for (int at = ou[i]; at < ou[i + 1]; at++) sum[i][cu[at]] += u[at];
        for (int k = ol[i]; k < ol[i + 1]; k++)
            for (int at = ou[cl[k]]; at < ou[cl[k] + 1]; at++) sum[i][cu[at]] += l[k] * u[at];
    }
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            double there = 0;
            for (int k = offsets[p[i]]; k < offsets[p[i] + 1]; k++) there += columns[k] == q[j] ? values[k] : 0;
            NEAR(sum[i][j], there);
        }
    OK(cusolverSpDestroyCsrluInfoHost(lu));
    OK(cusolverRfCreate(&rf));
    OK(cusolverRfSetupHost(GRID, count, offsets, columns, values, in_l, ol, cl, l, in_u, ou, cu, u, p, q, rf));
    OK(cusolverRfAnalyze(rf));
    for (int i = 0; i < count; i++) d_values[i] *= 2;
    int *dp = managed(sizeof p), *dq = managed(sizeof q);
    memcpy(dp, p, sizeof p), memcpy(dq, q, sizeof q), memcpy(x, b, GRID * 8);
    OK(cusolverRfResetValues(GRID, count, d_offsets, d_columns, d_values, dp, dq, rf));
    OK(cusolverRfRefactor(rf));
    OK(cusolverRfSolve(rf, dp, dq, 1, work, GRID, x, GRID));
    check_solution(x, b, 2);
    OK(cusolverRfDestroy(rf));
    cudaFree(dp), cudaFree(dq);
}

static void orders(cusolverSpHandle_t sp, cusparseMatDescr_t d)
{
    int p[GRID], seen[GRID] = {0}, symmetric = 0, map[5 * GRID], moved_offsets[GRID + 1], moved[5 * GRID], found;
    make_grid(0);
    OK(cusolverSpXcsrsymrcmHost(sp, GRID, count, d, offsets, columns, p));
    for (int i = 0; i < GRID; i++) CHECK(p[i] >= 0 && p[i] < GRID && !seen[p[i]]++);
    OK(cusolverSpXcsrissymHost(sp, GRID, count, d, offsets, offsets + 1, columns, &symmetric));
    CHECK(symmetric);
    memcpy(moved_offsets, offsets, sizeof offsets), memcpy(moved, columns, sizeof columns);
    for (int i = 0; i < count; i++) map[i] = i;
    OK(cusolverSpXcsrpermHost(sp, GRID, GRID, count, d, moved_offsets, moved, p, p, map, work));
    for (int r = 0; r < GRID; r++)
        for (int k = moved_offsets[r]; k < moved_offsets[r + 1]; k++)
            CHECK(columns[map[k]] == p[moved[k]] && map[k] >= offsets[p[r]] && map[k] < offsets[p[r] + 1]);
    int two[] = {0, 2, 3}, away[] = {0, 1, 0}; /* (x x; x 0): rows must change */
    double any[] = {1, 1, 1};
    OK(cusolverSpDcsrzfdHost(sp, 2, 3, d, any, two, away, p, &found));
    CHECK(found == 2 && p[0] == 1 && p[1] == 0);
    columns[0] = GRID;
    CHECK(cusolverSpXcsrsymrcmHost(sp, GRID, count, d, offsets, columns, p) == CUSOLVER_STATUS_INVALID_VALUE);
}

int main(void)
{
    if (cusolverDnCreate(&dn) != CUSOLVER_STATUS_SUCCESS)
        return printf("no LAPACK on this machine\n"), 77; /* CTest skips */
    double *a = managed(4096), *b = managed(4096), *c = managed(4096), *e = managed(4096), *f = managed(4096);
    int sweeps;
    cusolverSpHandle_t sp;
    cusparseMatDescr_t d;
    syevjInfo_t jacobi;
    work = managed(4096), info = managed(64);
    d_offsets = managed(sizeof offsets), d_columns = managed(sizeof columns), d_values = managed(sizeof values);
    spectra(a, b, c, e);
    general_values(a, b, c, e);
    greatest_values(a, b, c, e);
    reduced_forms(a, b, c, e, f, work + 64);
    solutions(a, b, c, e);
    OK(cusolverDnCreateSyevjInfo(&jacobi));
    OK(cusolverDnXsyevjGetSweeps(dn, jacobi, &sweeps));
    OK(cusolverDnDestroySyevjInfo(jacobi));
    OK(cusolverSpCreate(&sp));
    cusparseCreateMatDescr(&d);
    for (int i = 0; i < GRID; i++) b[i] = i % 7 - 2;
    sparse_in_one(sp, d, b, c);
    sparse_in_steps(sp, d, b, c);
    refactored(sp, d, b, c);
    orders(sp, d);
    cusparseDestroyMatDescr(d);
    OK(cusolverSpDestroy(sp));
    OK(cusolverDnDestroy(dn));
    if (!failures) printf("ok solver_more\n");
    return failures != 0;
}
