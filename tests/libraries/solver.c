/* cuSOLVER: factors multiplied out and solutions put in, in all four types. Prints what differs, and "ok solver". */
#include <complex.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library_test.h"

typedef double _Complex number;
enum { S, D, C, Z, M = 7, N = 5, LD = 8, COLUMNS = 2 };
static const cudaDataType data_types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

static cusolverDnHandle_t handle;
static int *info;

/* ---- numbers of a type ---- */
static void put(int type, void *array, int i, number x)
{
    if (type == S) ((float *)array)[i] = (float)creal(x);
    if (type == D) ((double *)array)[i] = creal(x);
    if (type == C) ((float _Complex *)array)[i] = (float _Complex)x;
    if (type == Z) ((double _Complex *)array)[i] = x;
}
static number get(int type, const void *array, int i)
{
    return type == S   ? ((const float *)array)[i]
           : type == D ? ((const double *)array)[i]
           : type == C ? ((const float _Complex *)array)[i]
                       : ((const double _Complex *)array)[i];
}
static double real(int type, const void *array, int i)
{
    return type == S || type == C ? ((const float *)array)[i] : ((const double *)array)[i];
}
static number some(int type, int i) { return (i * 37 % 17 - 8) / 8.0 + (type >= C ? (i * 29 % 13 - 6) / 6.0 * I : 0); }

static void *managed(size_t bytes)
{
    void *out = NULL;
    if (cudaMallocManaged(&out, bytes, 1)) abort();
    memset(out, 0, bytes);
    return out;
}

/* A matrix of LD rows: kind 'g' any, 'h' Hermitian, 'p' Hermitian and positive. */
static void *matrix(int type, char kind)
{
    void *a = managed(LD * LD * 16);
    for (int j = 0; j < LD; j++)
        for (int i = 0; i < LD; i++) {
            number x = kind == 'g' || i <= j ? some(type, i + 11 * j) : conj(some(type, j + 11 * i));
            if (kind != 'g' && i == j) x = creal(x) + (kind == 'p' ? 20 : 0);
            put(type, a, i + j * LD, x);
        }
    return a;
}
static void *copy(const void *a)
{
    void *out = managed(LD * LD * 16);
    memcpy(out, a, LD * LD * 16);
    return out;
}

/* op(A) X of rows x columns with A of rows x inner, against B; all of LD rows. */
static void same_product(int type, const void *a, char op, const void *x, const void *b, int rows, int inner,
                         int columns, int line)
{
    double tolerance = type == S || type == C ? 2e-4 : 1e-11;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            number sum = 0;
            for (int k = 0; k < inner; k++) {
                number y = op == 'N' ? get(type, a, i + k * LD) : get(type, a, k + i * LD);
                sum += (op == 'C' ? conj(y) : y) * get(type, x, k + j * LD);
            }
            number want = get(type, b, i + j * LD);
            if (cabs(sum - want) <= tolerance * (1 + cabs(want))) continue;
            failures++;
            printf("line %d, type %c: %g%+gi, not %g%+gi\n", line, "SDCZ"[type], creal(sum), cimag(sum), creal(want),
                   cimag(want));
            return;
        }
}
#define PRODUCT(a, op, x, b, rows, inner, columns) same_product(type, a, op, x, b, rows, inner, columns, __LINE__)

static void done(void)
{
    CHECK(!cudaDeviceSynchronize());
    CHECK(*info == 0);
    *info = -1;
}

/* One call by its type: F(name of real types, of complex ones, arguments). */
#define F4(sd, cz, ...)                                                                                                \
    do {                                                                                                               \
        if (type == S) OK(cusolverDnS##sd(handle, __VA_ARGS__));                                                       \
        if (type == D) OK(cusolverDnD##sd(handle, __VA_ARGS__));                                                       \
        if (type == C) OK(cusolverDnC##cz(handle, __VA_ARGS__));                                                       \
        if (type == Z) OK(cusolverDnZ##cz(handle, __VA_ARGS__));                                                       \
    } while (0)
#define UPPER CUBLAS_FILL_MODE_UPPER
#define LOWER CUBLAS_FILL_MODE_LOWER

static void check_cholesky(int type, cublasFillMode_t fill)
{
    void *a = matrix(type, 'p'), *factor = copy(a), *b = matrix(type, 'g'), *x = copy(b), *work = managed(16);
    int size = 0;
    F4(potrf_bufferSize, potrf_bufferSize, fill, N, (void *)factor, LD, &size);
    CHECK(size >= 1);
    F4(potrf, potrf, fill, N, (void *)factor, LD, work, size, info);
    done();
    F4(potrs, potrs, fill, N, COLUMNS, (void *)factor, LD, (void *)x, LD, info);
    done();
    PRODUCT(a, 'N', x, b, N, N, COLUMNS);
    F4(potri, potri, fill, N, (void *)factor, LD, work, size, info);
    done();
    for (int i = 0; i < N; i++) /* the inverse's other half */
        for (int j = 0; j < i; j++) {
            int here = i + j * LD, there = j + i * LD;
            if (fill == LOWER) put(type, factor, there, conj(get(type, factor, here)));
            else put(type, factor, here, conj(get(type, factor, there)));
        }
    PRODUCT(factor, 'N', b, x, N, N, COLUMNS);
    cudaFree(a), cudaFree(factor), cudaFree(b), cudaFree(x), cudaFree(work);
}

static void check_not_positive(int type)
{
    void *a = matrix(type, 'p'), *work = managed(16);
    put(type, a, 2 + 2 * LD, -1);
    F4(potrf, potrf, LOWER, N, a, LD, work, 1, info);
    CHECK(!cudaDeviceSynchronize() && *info == 3);
    cudaFree(a), cudaFree(work);
}

static void check_batch(int type)
{
    void *a[2] = {matrix(type, 'p'), matrix(type, 'p')}, *f[2], *b = matrix(type, 'g'), *x[2];
    void **factors = managed(sizeof f), **rights = managed(sizeof x);
    int *infos = managed(2 * sizeof(int));
    put(type, a[1], 0, 50);
    for (int i = 0; i < 2; i++) factors[i] = copy(a[i]), rights[i] = copy(b);
    F4(potrfBatched, potrfBatched, LOWER, N, (void *)factors, LD, infos, 2);
    F4(potrsBatched, potrsBatched, LOWER, N, 1, (void *)factors, LD, (void *)rights, LD, info, 2);
    done();
    CHECK(!infos[0] && !infos[1]);
    for (int i = 0; i < 2; i++) {
        PRODUCT(a[i], 'N', rights[i], b, N, N, 1);
        cudaFree(a[i]), cudaFree(factors[i]), cudaFree(rights[i]);
    }
    cudaFree(factors), cudaFree(rights), cudaFree(b), cudaFree(infos);
}

static void check_lu(int type, bool pivots, cublasOperation_t op)
{
    void *a = matrix(type, pivots ? 'g' : 'p'), *factor = copy(a), *b = matrix(type, 'g'), *x = copy(b);
    void *work = managed(16);
    int *rows = pivots ? managed(4 * N) : NULL;
    F4(getrf, getrf, N, N, factor, LD, work, rows, info);
    done();
    F4(getrs, getrs, op, N, COLUMNS, factor, LD, rows, x, LD, info);
    done();
    PRODUCT(a, op == CUBLAS_OP_N ? 'N' : op == CUBLAS_OP_T ? 'T' : 'C', x, b, N, N, COLUMNS);
    cudaFree(a), cudaFree(factor), cudaFree(b), cudaFree(x), cudaFree(work), cudaFree(rows);
}

static void check_qr(int type)
{
    void *a = matrix(type, 'g'), *factor = copy(a), *tau = managed(16 * N), *r = managed(LD * LD * 16);
    void *work = managed(16), *back = copy(a), *one = managed(LD * LD * 16);
    F4(geqrf, geqrf, M, N, factor, LD, tau, work, 1, info);
    done();
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++) put(type, r, i + j * LD, get(type, factor, i + j * LD));
    F4(ormqr, unmqr, CUBLAS_SIDE_LEFT, type >= C ? CUBLAS_OP_C : CUBLAS_OP_T, M, N, N, factor, LD, tau, back, LD, work,
       1, info); /* Q' A = R */
    done();
    for (int i = 0; i < LD; i++) put(type, one, i + i * LD, 1);
    PRODUCT(one, 'N', back, r, N, N, N);
    F4(orgqr, ungqr, M, N, N, factor, LD, tau, work, 1, info);
    done();
    PRODUCT(factor, 'N', r, a, M, N, N);
    PRODUCT(factor, 'C', factor, one, N, M, N);
    cudaFree(a), cudaFree(factor), cudaFree(tau), cudaFree(r), cudaFree(work), cudaFree(back), cudaFree(one);
}

/* A V = B V diag(values); b NULL: one. */
static void check_vectors(int type, const void *a, const void *b, const void *v, const void *values, int line)
{
    void *right = managed(LD * LD * 16), *scaled = copy(v);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) put(type, scaled, i + j * LD, get(type, v, i + j * LD) * real(type, values, j));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            number sum = b ? 0 : get(type, scaled, i + j * LD);
            for (int k = 0; b && k < N; k++) sum += get(type, b, i + k * LD) * get(type, scaled, k + j * LD);
            put(type, right, i + j * LD, sum);
        }
    same_product(type, a, 'N', v, right, N, N, N, line);
    for (int i = 1; i < N; i++) CHECK(real(type, values, i) >= real(type, values, i - 1));
    cudaFree(right), cudaFree(scaled);
}

static void check_eigenvalues(int type, cublasFillMode_t fill)
{
    void *a = matrix(type, 'h'), *v = copy(a), *w = managed(8 * N * 2), *b = matrix(type, 'p'), *f = copy(b);
    void *work = managed(16), *two = managed(2 * LD * N * 16);
    int *infos = managed(8);
    syevjInfo_t params;
    F4(syevd, heevd, CUSOLVER_EIG_MODE_VECTOR, fill, N, v, LD, w, work, 1, info);
    done();
    check_vectors(type, a, NULL, v, w, __LINE__);
    memcpy(v, a, LD * LD * 16);
    F4(sygvd, hegvd, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, fill, N, v, LD, f, LD, w, work, 1, info);
    done();
    check_vectors(type, a, b, v, w, __LINE__);
    OK(cusolverDnCreateSyevjInfo(&params));
    OK(cusolverDnXsyevjSetTolerance(params, 1e-7));
    OK(cusolverDnXsyevjSetMaxSweeps(params, 15));
    OK(cusolverDnXsyevjSetSortEig(params, 1));
    size_t element = (size_t)(type == S ? 4 : type == Z ? 16 : 8), bytes = LD * N * element;
    memcpy(two, a, bytes), memcpy((char *)two + bytes, b, bytes);
    F4(syevjBatched, heevjBatched, CUSOLVER_EIG_MODE_VECTOR, fill, N, two, LD, w, work, 1, infos, params, 2);
    CHECK(!cudaDeviceSynchronize() && !infos[0] && !infos[1]);
    for (int i = 0; i < 2; i++) {
        memcpy(v, (char *)two + i * bytes, bytes);
        check_vectors(type, i ? b : a, NULL, v, (char *)w + i * N * (type == S || type == C ? 4 : 8), __LINE__);
    }
    OK(cusolverDnDestroySyevjInfo(params));
    cudaFree(a), cudaFree(v), cudaFree(w), cudaFree(b), cudaFree(f), cudaFree(work), cudaFree(two), cudaFree(infos);
}

static void check_singular_values(int type, bool jacobi)
{
    void *a = matrix(type, 'g'), *used = copy(a), *s = managed(8 * N), *u = managed(LD * LD * 16), *work = managed(16);
    void *v = managed(LD * LD * 16), *vt = managed(LD * LD * 16);
    gesvdjInfo_t params;
    OK(cusolverDnCreateGesvdjInfo(&params));
    if (jacobi) F4(gesvdj, gesvdj, CUSOLVER_EIG_MODE_VECTOR, 1, M, N, used, LD, s, u, LD, v, LD, work, 1, info, params);
    else F4(gesvd, gesvd, 'S', 'S', M, N, used, LD, s, u, LD, vt, LD, work, 1, NULL, info);
    done();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            number x = jacobi ? conj(get(type, v, j + i * LD)) : get(type, vt, i + j * LD);
            put(type, vt, i + j * LD, x * real(type, s, i));
        }
    PRODUCT(u, 'N', vt, a, M, N, N);
    for (int i = 1; i < N; i++) CHECK(real(type, s, i) <= real(type, s, i - 1));
    OK(cusolverDnDestroyGesvdjInfo(params));
    cudaFree(a), cudaFree(used), cudaFree(s), cudaFree(u), cudaFree(work), cudaFree(v), cudaFree(vt);
}

static void check_singular_batch(int type)
{
    size_t element = (size_t)(type == S ? 4 : type == Z ? 16 : 8), bytes = LD * N * element;
    void *a[2] = {matrix(type, 'g'), matrix(type, 'p')}, *both = managed(2 * LD * LD * 16), *s = managed(2 * 8 * N);
    void *u = managed(2 * LD * LD * 16), *v = managed(2 * LD * LD * 16), *work = managed(16),
         *vt = managed(LD * LD * 16);
    int *infos = managed(8);
    gesvdjInfo_t params;
    OK(cusolverDnCreateGesvdjInfo(&params));
    for (int i = 0; i < 2; i++) memcpy((char *)both + i * bytes, a[i], bytes);
    F4(gesvdjBatched, gesvdjBatched, CUSOLVER_EIG_MODE_VECTOR, M, N, both, LD, s, u, LD, v, LD, work, 1, infos, params,
       2);
    CHECK(!cudaDeviceSynchronize() && !infos[0] && !infos[1]);
    for (int which = 0; which < 2; which++) {
        const char *values = (char *)s + which * N * (type == S || type == C ? 4 : 8),
                   *right = (char *)v + which * bytes;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                put(type, vt, i + j * LD, conj(get(type, right, j + i * LD)) * real(type, values, i));
        PRODUCT((char *)u + which * LD * M * element, 'N', vt, a[which], M, N, N);
        cudaFree(a[which]);
    }
    OK(cusolverDnDestroyGesvdjInfo(params));
    cudaFree(both), cudaFree(s), cudaFree(u), cudaFree(v), cudaFree(work), cudaFree(vt), cudaFree(infos);
}

static void check_wide(int type)
{
    cudaDataType t = data_types[type], r = data_types[type & 1];
    void *a = matrix(type, 'g'), *f = copy(a), *b = matrix(type, 'g'), *x = copy(b), *h = matrix(type, 'h'),
         *v = copy(h);
    void *w = managed(8 * N);
    int64_t *pivots = managed(8 * N);
    size_t device = 0, host = 0;
    cusolverDnParams_t params;
    OK(cusolverDnCreateParams(&params));
    OK(cusolverDnXgetrf_bufferSize(handle, params, N, N, t, f, LD, t, &device, &host));
    CHECK(device && host);
    OK(cusolverDnXgetrf(handle, params, N, N, t, f, LD, pivots, t, w, device, NULL, 0, info));
    done();
    OK(cusolverDnXgetrs(handle, params, CUBLAS_OP_N, N, COLUMNS, t, f, LD, pivots, t, x, LD, info));
    done();
    PRODUCT(a, 'N', x, b, N, N, COLUMNS);
    OK(cusolverDnXsyevd(handle, params, CUSOLVER_EIG_MODE_VECTOR, LOWER, N, t, v, LD, r, w, t, NULL, 0, NULL, 0, info));
    done();
    check_vectors(type, h, NULL, v, w, __LINE__);
    OK(cusolverDnDestroyParams(params));
    cudaFree(a), cudaFree(f), cudaFree(b), cudaFree(x), cudaFree(h), cudaFree(v), cudaFree(w), cudaFree(pivots);
}

int cusolverDnXlarft(void *handle); /* in no header of ours: not supported */

static void check_errors(void)
{
    CHECK(cusolverDnXlarft(handle) == CUSOLVER_STATUS_NOT_SUPPORTED);
    float *a = managed(64 * 4);
    int size;
    CHECK(cusolverDnSpotrf(NULL, LOWER, 2, a, 2, a, 1, info) == CUSOLVER_STATUS_NOT_INITIALIZED);
    CHECK(cusolverDnSpotrf(handle, LOWER, 4, a, 3, a, 1, info) == CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(cusolverDnSgetrf_bufferSize(handle, -1, 2, a, 2, &size) == CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(cusolverDnSgesvd(handle, 'N', 'N', 2, 3, a, 2, a, a, 2, a, 2, a, 1, a, info) ==
          CUSOLVER_STATUS_INVALID_VALUE);
    cudaFree(a);
}

int main(void)
{
    if (cusolverDnCreate(&handle)) return 77; /* no BLAS */
    info = managed(sizeof *info);
    *info = -1;
    for (int type = S; type <= Z; type++) {
        for (int fill = 0; fill < 2; fill++) {
            check_cholesky(type, fill ? UPPER : LOWER);
            check_eigenvalues(type, fill ? UPPER : LOWER);
        }
        for (int op = CUBLAS_OP_N; op <= CUBLAS_OP_C; op++) check_lu(type, true, (cublasOperation_t)op);
        check_not_positive(type);
        check_batch(type);
        check_lu(type, false, CUBLAS_OP_N);
        check_qr(type);
        check_singular_values(type, false);
        check_singular_values(type, true);
        check_singular_batch(type);
        check_wide(type);
    }
    check_errors();
    OK(cusolverDnDestroy(handle));
    cudaFree(info);
    if (!failures) printf("ok solver\n");
    return failures != 0;
}
