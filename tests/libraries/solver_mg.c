/* cusolverMg on three devices, in tiles of three columns: factors, solutions and eigenvalues, multiplied out. Prints what differs,
 * and "ok solver_mg". */
#include <cuda_runtime_api.h>
#include <cusolverMg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "library_test.h"

static cusolverMgHandle_t mg;
static cudaLibMgGrid_t grid;
#define NEAR(x, y) NEAR_BY(x, y, 1e-10)
enum { N = 20, TILE = 3, DEVICES = 3, RIGHT = 4 };

typedef struct spread {
    void *at[DEVICES];
    cudaLibMgMatrixDesc_t desc;
    int columns;
} spread;

static char *place(const spread *s, int rows, size_t element, int column)
{
    int tile = column / TILE, local = tile / DEVICES * TILE + column % TILE;
    return (char *)s->at[tile % DEVICES] + (size_t)(local * rows) * element;
}

/* Columns of `rows` numbers, by tiles in turns; whole: NULL for pivots. */
static spread deal(const double *whole, int rows, int columns)
{
    spread s = {.columns = columns};
    size_t element = whole ? sizeof(double) : sizeof(int);
    for (int i = 0; i < DEVICES; i++) {
        cudaSetDevice(i);
        cudaMalloc(&s.at[i], (size_t)rows * (size_t)(columns / DEVICES + TILE) * element);
    }
    cudaSetDevice(0);
    OK(cusolverMgCreateMatrixDesc(&s.desc, rows, columns, rows, TILE, CUDA_R_64F, grid));
    for (int j = 0; whole && j < columns; j++)
        cudaMemcpy(place(&s, rows, element, j), whole + j * rows, (size_t)rows * element, cudaMemcpyDefault);
    return s;
}

static void collect(const spread *s, void *whole, int rows, size_t element)
{
    for (int j = 0; j < s->columns; j++)
        cudaMemcpy((char *)whole + (size_t)(j * rows) * element, place(s, rows, element, j), (size_t)rows * element,
                   cudaMemcpyDefault);
}

static void end(spread *s)
{
    for (int i = 0; i < DEVICES; i++) cudaFree(s->at[i]);
    OK(cusolverMgDestroyMatrixDesc(s->desc));
}

static double a_at(int i, int j) { return i == j ? N : 1.0 / (1 + i + j) + (i < j ? 0.25 : 0); }
static double symmetric_at(int i, int j) { return i < j ? a_at(j, i) : a_at(i, j); }
static double b_at(int i, int j) { return (i * 3 + j * 5) % 7 - 2; }

static void solution(double (*at)(int, int), const double *x)
{
    for (int j = 0; j < RIGHT; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += at(i, k) * x[k + j * N];
            NEAR(sum, b_at(i, j));
        }
}

static void by_lu(double *a, double *b)
{
    spread da = deal(a, N, N), db = deal(b, N, RIGHT), dp = deal(NULL, 1, N);
    double x[N * RIGHT];
    int info = -1, pivots[N];
    int64_t room = 0;
    OK(cusolverMgGetrf_bufferSize(mg, N, N, da.at, 1, 1, da.desc, (int **)dp.at, CUDA_R_64F, &room));
    CHECK(room > 0);
    OK(cusolverMgGetrf(mg, N, N, da.at, 1, 1, da.desc, (int **)dp.at, CUDA_R_64F, NULL, 0, &info));
    CHECK(!info);
    collect(&dp, pivots, 1, sizeof(int));
    for (int i = 0; i < N; i++) CHECK(pivots[i] > i && pivots[i] <= N);
    OK(cusolverMgGetrs(mg, CUBLAS_OP_N, N, RIGHT, da.at, 1, 1, da.desc, (int **)dp.at, db.at, 1, 1, db.desc, CUDA_R_64F,
                       NULL, 0, &info));
    collect(&db, x, N, sizeof(double));
    solution(a_at, x);
    end(&da);
    end(&db);
    end(&dp);
}

static void by_cholesky(double *a, double *b)
{
    spread da = deal(a, N, N), db = deal(b, N, RIGHT);
    double x[N * RIGHT], inverse[N * N];
    int info = -1;
    OK(cusolverMgPotrf(mg, CUBLAS_FILL_MODE_LOWER, N, da.at, 1, 1, da.desc, CUDA_R_64F, NULL, 0, &info));
    CHECK(!info);
    OK(cusolverMgPotrs(mg, CUBLAS_FILL_MODE_LOWER, N, RIGHT, da.at, 1, 1, da.desc, db.at, 1, 1, db.desc, CUDA_R_64F,
                       NULL, 0, &info));
    collect(&db, x, N, sizeof(double));
    solution(symmetric_at, x);
    OK(cusolverMgPotri(mg, CUBLAS_FILL_MODE_LOWER, N, da.at, 1, 1, da.desc, CUDA_R_64F, NULL, 0, &info));
    collect(&da, inverse, N, sizeof(double));
    for (int i = 0; i < N; i++) { /* the first column of the inverse */
        double sum = 0;
        for (int k = 0; k < N; k++) sum += symmetric_at(i, k) * inverse[k];
        NEAR(sum, i == 0);
    }
    end(&da);
    end(&db);
}

static void eigenvalues(double *a)
{
    spread da = deal(a, N, N);
    double values[N], v[N * N];
    int info = -1;
    OK(cusolverMgSyevd(mg, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, da.at, 1, 1, da.desc, values,
                       CUDA_R_64F, CUDA_R_64F, NULL, 0, &info));
    CHECK(!info);
    collect(&da, v, N, sizeof(double));
    for (int e = 0; e < N; e++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += symmetric_at(i, k) * v[k + e * N];
            NEAR(sum, values[e] * v[i + e * N]);
        }
    end(&da);
}

static void errors(double *a)
{
    spread da = deal(a, N, N);
    int info, none[] = {DEVICES};
    CHECK(cusolverMgDeviceSelect(mg, 1, none) == CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(cusolverMgPotrf(mg, CUBLAS_FILL_MODE_LOWER, N + 1, da.at, 1, 1, da.desc, CUDA_R_64F, NULL, 0, &info) ==
          CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(cusolverMgPotrf(mg, CUBLAS_FILL_MODE_LOWER, N, da.at, 1, 1, da.desc, CUDA_R_32F, NULL, 0, &info) ==
          CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(cusolverMgPotrf(NULL, CUBLAS_FILL_MODE_LOWER, N, da.at, 1, 1, da.desc, CUDA_R_64F, NULL, 0, &info) ==
          CUSOLVER_STATUS_NOT_INITIALIZED);
    end(&da);
    a[0] = -1; /* not definite: told by info */
    da = deal(a, N, N);
    OK(cusolverMgPotrf(mg, CUBLAS_FILL_MODE_LOWER, N, da.at, 1, 1, da.desc, CUDA_R_64F, NULL, 0, &info));
    CHECK(info == 1);
    end(&da);
}

int main(void)
{
    static double a[N * N], s[N * N], b[N * RIGHT];
    int devices[DEVICES] = {0, 1, 2};
    if (cusolverMgCreate(&mg) != CUSOLVER_STATUS_SUCCESS) return printf("no LAPACK on this machine\n"), 77;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i + j * N] = a_at(i, j), s[i + j * N] = symmetric_at(i, j);
    for (int i = 0; i < N * RIGHT; i++) b[i] = b_at(i % N, i / N);
    for (int i = 1; i < DEVICES; i++) cudaDeviceEnablePeerAccess(i, 0);
    OK(cusolverMgDeviceSelect(mg, DEVICES, devices));
    OK(cusolverMgCreateDeviceGrid(&grid, 1, DEVICES, devices, CUDALIBMG_GRID_MAPPING_COL_MAJOR));
    by_lu(a, b);
    by_cholesky(s, b);
    eigenvalues(s);
    errors(s);
    OK(cusolverMgDestroyGrid(grid));
    OK(cusolverMgDestroy(mg));
    if (!failures) printf("ok solver_mg\n");
    return failures != 0;
}
