/* cuBLAS against sums written out: every family of calls in every type it has. Prints what differs, and "ok blas". */
#include <complex.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library_test.h"

typedef double _Complex number;
enum { S, D, C, Z };
static const size_t bytes_of[] = {4, 8, 8, 16};
static cublasHandle_t handle;

/* ---- numbers of a type, on the device ---- */
static void put(int type, void *array, size_t i, number x)
{
    if (type == S) ((float *)array)[i] = (float)creal(x);
    if (type == D) ((double *)array)[i] = creal(x);
    if (type == C) ((float _Complex *)array)[i] = (float _Complex)x;
    if (type == Z) ((double _Complex *)array)[i] = x;
}

static number get(int type, const void *array, size_t i)
{
    if (type == S) return ((const float *)array)[i];
    if (type == D) return ((const double *)array)[i];
    if (type == C) return (number)((const float _Complex *)array)[i];
    return ((const double _Complex *)array)[i];
}

static number some(int type, unsigned i, unsigned seed)
{
    double re = (double)((i * 37 + seed * 11) % 17) - 8, im = (double)((i * 29 + seed * 7) % 13) - 6;
    return type >= C ? re + im * I : re;
}

typedef struct array {
    number host[4096];
    void *device;
    size_t count;
    int type;
} array;

static void upload(array *a)
{
    char *raw = malloc(a->count * 16);
    for (size_t i = 0; i < a->count; i++) put(a->type, raw, i, a->host[i]);
    cudaMemcpy(a->device, raw, a->count * bytes_of[a->type], cudaMemcpyHostToDevice);
    free(raw);
}

static array *fresh(int type, size_t count, unsigned seed)
{
    array *a = calloc(1, sizeof *a);
    a->type = type;
    a->count = count;
    for (size_t i = 0; i < count; i++) a->host[i] = some(type, (unsigned)i, seed);
    cudaMalloc(&a->device, count * bytes_of[type]);
    upload(a);
    return a;
}

/* Whether the device holds what `host` says it should. */
static int same(const array *a)
{
    char *raw = malloc(a->count * 16);
    int wrong = 0;
    cudaMemcpy(raw, a->device, a->count * bytes_of[a->type], cudaMemcpyDeviceToHost);
    double limit = a->type == S || a->type == C ? 1e-4 : 1e-11;
    for (size_t i = 0; i < a->count; i++) {
        number x = get(a->type, raw, i);
        if (cabs(x - a->host[i]) <= limit * (1 + cabs(a->host[i]))) continue;
        if (!wrong++)
            printf("type %d, element %zu: %g%+gi instead of %g%+gi\n", a->type, i, creal(x), cimag(x),
                   creal(a->host[i]), cimag(a->host[i]));
    }
    free(raw);
    return !wrong;
}

static void drop(array *a)
{
    cudaFree(a->device);
    free(a);
}

/* ---- the scalars ---- */
static double scalar_room[2][2];
static void *scalar(int which, int type, number x)
{
    put(type, scalar_room[which], 0, x);
    return scalar_room[which];
}

/* Calls the entry point of a type; arguments after the handle. */
#define CALL(type, name, ...)                                                                                          \
    ((type) == S   ? cublasS##name(handle, __VA_ARGS__)                                                                \
     : (type) == D ? cublasD##name(handle, __VA_ARGS__)                                                                \
     : (type) == C ? cublasC##name(handle, __VA_ARGS__)                                                                \
                   : cublasZ##name(handle, __VA_ARGS__))

static number at(const array *a, cublasOperation_t op, size_t i, size_t j, size_t ld)
{
    number x = op == CUBLAS_OP_N ? a->host[i + j * ld] : a->host[j + i * ld];
    return op == CUBLAS_OP_C ? conj(x) : x;
}

#define M 13
#define N 9
#define K 11
#define LD 17

/* ---------------------------------------------------------------- products */
static void expect_product(int type, cublasOperation_t ta, cublasOperation_t tb, const array *a, const array *b,
                           array *c, number alpha, number beta)
{
    (void)type;
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            number sum = 0;
            for (size_t k = 0; k < K; k++) sum += at(a, ta, i, k, LD) * at(b, tb, k, j, LD);
            c->host[i + j * LD] = alpha * sum + beta * c->host[i + j * LD];
        }
}

static void products(int type)
{
    static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
    for (int x = 0; x < 9; x++) {
        cublasOperation_t ta = ops[x / 3], tb = ops[x % 3];
        array *a = fresh(type, LD * LD, 1), *b = fresh(type, LD * LD, 2), *c = fresh(type, LD * N, 3);
        number alpha = some(type, 5, 5), beta = x % 2 ? 0 : some(type, 7, 7);
        expect_product(type, ta, tb, a, b, c, alpha, beta);
        OK(CALL(type, gemm, ta, tb, M, N, K, scalar(0, type, alpha), a->device, LD, b->device, LD,
                scalar(1, type, beta), c->device, LD));
        CHECK(same(c));
        drop(a), drop(b), drop(c);
    }
}

static void batches(int type)
{
    enum { COUNT = 3 };
    array *a = fresh(type, LD * LD * COUNT, 1), *b = fresh(type, LD * LD * COUNT, 2),
          *c = fresh(type, LD * N * COUNT, 3);
    array *one[3] = {fresh(type, LD * LD, 1), fresh(type, LD * LD, 2), fresh(type, LD * N, 3)};
    for (size_t n = 0; n < COUNT; n++) {
        memcpy(one[0]->host, a->host + n * LD * LD, LD * LD * sizeof(number));
        memcpy(one[1]->host, b->host + n * LD * LD, LD * LD * sizeof(number));
        memcpy(one[2]->host, c->host + n * LD * N, LD * N * sizeof(number));
        expect_product(type, CUBLAS_OP_N, CUBLAS_OP_T, one[0], one[1], one[2], 2, 0);
        memcpy(c->host + n * LD * N, one[2]->host, LD * N * sizeof(number));
    }
    OK(CALL(type, gemmStridedBatched, CUBLAS_OP_N, CUBLAS_OP_T, M, N, K, scalar(0, type, 2), a->device, LD, LD * LD,
            b->device, LD, LD * LD, scalar(1, type, 0), c->device, LD, LD * N, COUNT));
    CHECK(same(c));
    void *pointers[3][COUNT], *on_device[3];
    array *operands[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        size_t step = (k < 2 ? LD * LD : LD * N) * bytes_of[type];
        for (size_t n = 0; n < COUNT; n++) pointers[k][n] = (char *)operands[k]->device + n * step;
        cudaMalloc(&on_device[k], sizeof pointers[k]);
        cudaMemcpy(on_device[k], pointers[k], sizeof pointers[k], cudaMemcpyHostToDevice);
    }
    cudaMemset(c->device, 0, LD * N * COUNT * bytes_of[type]);
    OK(CALL(type, gemmBatched, CUBLAS_OP_N, CUBLAS_OP_T, M, N, K, scalar(0, type, 2), on_device[0], LD, on_device[1],
            LD, scalar(1, type, 0), on_device[2], LD, COUNT));
    for (size_t n = 0; n < COUNT; n++) /* rows beyond M were zero, and stay */
        for (size_t j = 0; j < N; j++)
            for (size_t i = M; i < LD; i++) c->host[i + j * LD + n * LD * N] = 0;
    CHECK(same(c));
    for (int k = 0; k < 3; k++) cudaFree(on_device[k]), drop(one[k]), drop(operands[k]);
}

/* ---------------------------------------------------------------- level 2 */
static void vectors_and_matrices(int type)
{
    array *a = fresh(type, LD * N, 1), *x = fresh(type, 2 * N, 2), *y = fresh(type, 3 * M, 3);
    number alpha = some(type, 3, 3), beta = some(type, 4, 4);
    for (size_t i = 0; i < M; i++) {
        number sum = 0;
        for (size_t j = 0; j < N; j++) sum += a->host[i + j * LD] * x->host[2 * j];
        y->host[3 * i] = alpha * sum + beta * y->host[3 * i];
    }
    OK(CALL(type, gemv, CUBLAS_OP_N, M, N, scalar(0, type, alpha), a->device, LD, x->device, 2, scalar(1, type, beta),
            y->device, 3));
    CHECK(same(y));

    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) a->host[i + j * LD] += alpha * y->host[3 * i] * x->host[2 * j];
    void *factor = scalar(0, type, alpha);
    if (type == S) OK(cublasSger(handle, M, N, factor, y->device, 3, x->device, 2, a->device, LD));
    if (type == D) OK(cublasDger(handle, M, N, factor, y->device, 3, x->device, 2, a->device, LD));
    if (type == C) OK(cublasCgeru(handle, M, N, factor, y->device, 3, x->device, 2, a->device, LD));
    if (type == Z) OK(cublasZgeru(handle, M, N, factor, y->device, 3, x->device, 2, a->device, LD));
    CHECK(same(a));
    drop(a), drop(x), drop(y);
}

/* A triangular matrix, its product with a vector, and the way back. */
static void triangular(int type)
{
    array *a = fresh(type, LD * N, 1), *x = fresh(type, N, 2), *start = fresh(type, N, 2);
    for (size_t i = 0; i < N; i++) a->host[i + i * LD] = 20;
    upload(a);
    for (size_t i = 0; i < N; i++) {
        number sum = 0;
        for (size_t j = i; j < N; j++) sum += a->host[i + j * LD] * start->host[j];
        x->host[i] = sum;
    }
    OK(CALL(type, trmv, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, N, a->device, LD, x->device, 1));
    CHECK(same(x));
    OK(CALL(type, trsv, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, N, a->device, LD, x->device, 1));
    memcpy(x->host, start->host, sizeof x->host);
    CHECK(same(x));
    drop(a), drop(x), drop(start);
}

static void symmetric(int type)
{
    array *a = fresh(type, LD * N, 1), *x = fresh(type, N, 2), *y = fresh(type, N, 3), *c = fresh(type, LD * N, 4);
    for (size_t i = 0; i < N; i++) {
        number sum = 0;
        for (size_t j = 0; j < N; j++) sum += a->host[i >= j ? i + j * LD : j + i * LD] * x->host[j];
        y->host[i] = 2 * sum;
    }
    OK(CALL(type, symv, CUBLAS_FILL_MODE_LOWER, N, scalar(0, type, 2), a->device, LD, x->device, 1, scalar(1, type, 0),
            y->device, 1));
    CHECK(same(y));

    for (size_t i = 0; i < N; i++) /* rank k, below the diagonal */
        for (size_t j = 0; j <= i; j++) {
            number sum = 0;
            for (size_t k = 0; k < 5; k++) sum += a->host[i + k * LD] * a->host[j + k * LD];
            c->host[i + j * LD] = sum + 3 * c->host[i + j * LD];
        }
    OK(CALL(type, syrk, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, N, 5, scalar(0, type, 1), a->device, LD,
            scalar(1, type, 3), c->device, LD));
    CHECK(same(c));
    drop(a), drop(x), drop(y), drop(c);
}

/* ---------------------------------------------------------------- level 3 */
static void solves(int type)
{
    array *a = fresh(type, LD * M, 1), *b = fresh(type, LD * N, 2), *c = fresh(type, LD * N, 3);
    for (size_t i = 0; i < M; i++) a->host[i + i * LD] = 25;
    upload(a);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            number sum = 0;
            for (size_t k = 0; k <= i; k++) sum += a->host[i + k * LD] * b->host[k + j * LD];
            c->host[i + j * LD] = 2 * sum;
        }
    OK(CALL(type, trmm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, M, N,
            scalar(0, type, 2), a->device, LD, b->device, LD, c->device, LD));
    CHECK(same(c));
    OK(CALL(type, trsm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, M, N,
            scalar(0, type, 0.5), a->device, LD, c->device, LD));
    for (size_t j = 0; j < N; j++) memcpy(c->host + j * LD, b->host + j * LD, M * sizeof(number));
    CHECK(same(c));
    drop(a), drop(b), drop(c);
}

static void elementwise(int type)
{
    array *a = fresh(type, LD * M, 1), *b = fresh(type, LD * N, 2), *c = fresh(type, LD * N, 3), *x = fresh(type, N, 4);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) c->host[i + j * LD] = 2 * a->host[j + i * LD] - 3 * b->host[i + j * LD];
    OK(CALL(type, geam, CUBLAS_OP_T, CUBLAS_OP_N, M, N, scalar(0, type, 2), a->device, LD, scalar(1, type, -3),
            b->device, LD, c->device, LD));
    CHECK(same(c));
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) c->host[i + j * LD] = b->host[i + j * LD] * x->host[j];
    OK(CALL(type, dgmm, CUBLAS_SIDE_RIGHT, M, N, b->device, LD, x->device, 1, c->device, LD));
    CHECK(same(c));
    drop(a), drop(b), drop(c), drop(x);
}

/* ---------------------------------------------------------------- level 1 */
static void vectors(int type)
{
    enum { COUNT = 50 };
    array *x = fresh(type, COUNT, 1), *y = fresh(type, 2 * COUNT, 2);
    number alpha = some(type, 3, 1), dot = 0;
    double norm = 0, sum = 0, most = -1;
    int largest = 0;
    for (size_t i = 0; i < COUNT; i++) {
        y->host[2 * i] += alpha * x->host[i];
        double size = fabs(creal(x->host[i])) + fabs(cimag(x->host[i]));
        norm += creal(x->host[i] * conj(x->host[i]));
        sum += size;
        if (size > most) most = size, largest = (int)i + 1;
    }
    OK(CALL(type, axpy, COUNT, scalar(0, type, alpha), x->device, 1, y->device, 2));
    CHECK(same(y));
    for (size_t i = 0; i < COUNT; i++) dot += x->host[i] * y->host[2 * i];

    char out[16];
    double length, total;
    float length_s, total_s;
    int index;
    if (type == S) OK(cublasSdot(handle, COUNT, x->device, 1, y->device, 2, (void *)out));
    if (type == D) OK(cublasDdot(handle, COUNT, x->device, 1, y->device, 2, (void *)out));
    if (type == C) OK(cublasCdotu(handle, COUNT, x->device, 1, y->device, 2, (void *)out));
    if (type == Z) OK(cublasZdotu(handle, COUNT, x->device, 1, y->device, 2, (void *)out));
    CHECK(cabs(get(type, out, 0) - dot) <= 1e-4 * (1 + cabs(dot)));
    if (type == S) {
        OK(cublasSnrm2(handle, COUNT, x->device, 1, &length_s));
        length = length_s;
    }
    if (type == D) OK(cublasDnrm2(handle, COUNT, x->device, 1, &length));
    if (type == C) {
        OK(cublasScnrm2(handle, COUNT, x->device, 1, &length_s));
        length = length_s;
    }
    if (type == Z) OK(cublasDznrm2(handle, COUNT, x->device, 1, &length));
    CHECK(fabs(length - sqrt(norm)) <= 1e-5 * length);
    if (type == S) {
        OK(cublasSasum(handle, COUNT, x->device, 1, &total_s));
        total = total_s;
    }
    if (type == D) OK(cublasDasum(handle, COUNT, x->device, 1, &total));
    if (type == C) {
        OK(cublasScasum(handle, COUNT, x->device, 1, &total_s));
        total = total_s;
    }
    if (type == Z) OK(cublasDzasum(handle, COUNT, x->device, 1, &total));
    CHECK(fabs(total - sum) <= 1e-5 * sum);
    if (type == S) OK(cublasIsamax(handle, COUNT, x->device, 1, &index));
    if (type == D) OK(cublasIdamax(handle, COUNT, x->device, 1, &index));
    if (type == C) OK(cublasIcamax(handle, COUNT, x->device, 1, &index));
    if (type == Z) OK(cublasIzamax(handle, COUNT, x->device, 1, &index));
    CHECK(index == largest);

    OK(CALL(type, scal, COUNT, scalar(0, type, alpha), x->device, 1));
    for (size_t i = 0; i < COUNT; i++) x->host[i] *= alpha;
    CHECK(same(x));
    OK(CALL(type, swap, COUNT, x->device, 1, y->device, 2));
    for (size_t i = 0; i < COUNT; i++) {
        number t = x->host[i];
        x->host[i] = y->host[2 * i];
        y->host[2 * i] = t;
    }
    CHECK(same(x) && same(y));
    OK(CALL(type, copy, COUNT, y->device, 2, x->device, 1));
    for (size_t i = 0; i < COUNT; i++) x->host[i] = y->host[2 * i];
    CHECK(same(x));
    drop(x), drop(y);
}

/* ---------------------------------------------------------------- systems */
static void systems(int type)
{
    array *a = fresh(type, N * N, 1), *inverse = fresh(type, N * N, 2), *product = fresh(type, N * N, 3);
    void *pointers[2] = {a->device, inverse->device}, **on_device;
    int *pivots, *info, status;
    for (size_t i = 0; i < N; i++) a->host[i + i * N] += 30;
    upload(a);
    array *original = fresh(type, N * N, 1);
    memcpy(original->host, a->host, sizeof a->host);
    upload(original);
    cudaMalloc((void **)&on_device, sizeof pointers);
    cudaMemcpy(on_device, pointers, sizeof pointers, cudaMemcpyHostToDevice);
    cudaMalloc((void **)&pivots, N * sizeof *pivots);
    cudaMalloc((void **)&info, sizeof *info);
    OK(CALL(type, getrfBatched, N, (void *)on_device, N, pivots, info, 1));
    OK(CALL(type, getriBatched, N, (void *)on_device, N, pivots, (void *)(on_device + 1), N, info, 1));
    cudaMemcpy(&status, info, sizeof status, cudaMemcpyDeviceToHost);
    CHECK(status == 0);
    OK(CALL(type, gemm, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, scalar(0, type, 1), original->device, N, inverse->device, N,
            scalar(1, type, 0), product->device, N));
    for (size_t i = 0; i < N * N; i++) product->host[i] = i % (N + 1) ? 0 : 1;
    CHECK(same(product));
    drop(a), drop(inverse), drop(product), drop(original);
    cudaFree(on_device), cudaFree(pivots), cudaFree(info);
}

/* Least squares: with as many equations as the solution satisfies, and R of A = Q R: R' R = A' A. */
static void least_squares(int type)
{
    array *a = fresh(type, M * N, 1), *b = fresh(type, M * 2, 2), *q = fresh(type, M * N, 1), *tau = fresh(type, N, 3);
    void *pointers[4] = {a->device, b->device, q->device, tau->device}, **on_device;
    int *infos, info = 7, status = 7;
    number solution[2 * N];
    for (size_t i = 0; i < N; i++) a->host[i + i * M] += 30;
    for (size_t i = 0; i < 2 * N; i++) solution[i] = some(type, (unsigned)i, 9);
    for (size_t i = 0; i < M; i++)
        for (size_t c = 0; c < 2; c++) {
            b->host[i + c * M] = 0;
            for (size_t j = 0; j < N; j++) b->host[i + c * M] += a->host[i + j * M] * solution[j + c * N];
        }
    memcpy(q->host, a->host, sizeof a->host);
    upload(a), upload(b), upload(q);
    cudaMalloc((void **)&on_device, sizeof pointers), cudaMalloc((void **)&infos, sizeof *infos);
    cudaMemcpy(on_device, pointers, sizeof pointers, cudaMemcpyHostToDevice);
    OK(CALL(type, gelsBatched, CUBLAS_OP_N, M, N, 2, (void *)on_device, M, (void *)(on_device + 1), M, &info, infos,
            1));
    OK(CALL(type, geqrfBatched, M, N, (void *)(on_device + 2), M, (void *)(on_device + 3), &status, 1));
    CHECK(info == 0 && status == 0);
    char *raw = malloc(M * N * 16);
    cudaMemcpy(raw, b->device, M * 2 * bytes_of[type], cudaMemcpyDeviceToHost);
    for (size_t j = 0; j < 2 * N; j++)
        CHECK(cabs(get(type, raw, j % N + j / N * M) - solution[j]) < (type == S || type == C ? 1e-3 : 1e-10));
    cudaMemcpy(raw, q->device, M * N * bytes_of[type], cudaMemcpyDeviceToHost);
    for (size_t x = 0; x < N; x++)
        for (size_t y = 0; y < N; y++) {
            number want = 0, sum = 0;
            for (size_t k = 0; k < M; k++) want += conj(a->host[k + x * M]) * a->host[k + y * M];
            for (size_t k = 0; k <= (x < y ? x : y); k++)
                sum += conj(get(type, raw, k + x * M)) * get(type, raw, k + y * M);
            CHECK(cabs(sum - want) <= (type == S || type == C ? 1e-3 : 1e-10) * (1 + cabs(want)));
        }
    free(raw);
    drop(a), drop(b), drop(q), drop(tau);
    cudaFree(on_device), cudaFree(infos);
}

/* ---------------------------------------------------------------- vectors of mixed types, rotations */
static void typed_vectors(int type)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    enum { COUNT = 37 };
    cudaDataType_t t = types[type], real = types[type & 1];
    array *x = fresh(type, 2 * COUNT, 1), *y = fresh(type, COUNT, 2);
    number dot = 0, dotc = 0, alpha = some(type, 3, 5);
    double sum = 0, square = 0;
    char got[16];
    for (size_t i = 0; i < COUNT; i++) { /* y is walked from its end */
        number a = x->host[2 * i], b = y->host[COUNT - 1 - i];
        dot += a * b, dotc += conj(a) * b;
        sum += fabs(creal(a)) + fabs(cimag(a)), square += creal(a * conj(a));
    }
    OK(cublasDotEx(handle, COUNT, x->device, t, 2, y->device, t, -1, got, t, t));
    CHECK(cabs(get(type, got, 0) - dot) <= 1e-5 * (1 + cabs(dot)));
    OK(cublasDotcEx(handle, COUNT, x->device, t, 2, y->device, t, -1, got, t, t));
    CHECK(cabs(get(type, got, 0) - dotc) <= 1e-5 * (1 + cabs(dotc)));
    OK(cublasAsumEx(handle, COUNT, x->device, t, 2, got, real, real));
    CHECK(cabs(get(type & 1, got, 0) - sum) <= 1e-5 * sum);
    OK(cublasNrm2Ex(handle, COUNT, x->device, t, 2, got, real, real));
    CHECK(cabs(get(type & 1, got, 0) - sqrt(square)) <= 1e-5 * sqrt(square));
    OK(cublasAxpyEx(handle, COUNT, scalar(0, type, alpha), t, x->device, t, 2, y->device, t, 1, t));
    for (size_t i = 0; i < COUNT; i++) y->host[i] += alpha * x->host[2 * i];
    CHECK(same(y));
    OK(cublasScalEx(handle, COUNT, scalar(0, type, alpha), t, y->device, t, 1, t));
    OK(cublasSwapEx(handle, COUNT, x->device, t, 2, y->device, t, 1));
    for (size_t i = 0; i < COUNT; i++) {
        number was = x->host[2 * i];
        x->host[2 * i] = alpha * y->host[i], y->host[i] = was;
    }
    CHECK(same(x) && same(y));
    int most = 0, index = 0;
    for (size_t i = 1; i < COUNT; i++) {
        number a = y->host[i], b = y->host[most];
        if (fabs(creal(a)) + fabs(cimag(a)) > fabs(creal(b)) + fabs(cimag(b))) most = (int)i;
    }
    OK(cublasIamaxEx(handle, COUNT, y->device, t, 1, &index));
    CHECK(index == most + 1);
    CHECK(cublasDotEx(handle, COUNT, x->device, t, 2, y->device, CUDA_R_16F, 1, got, t, t) ==
          CUBLAS_STATUS_NOT_SUPPORTED);
    drop(x), drop(y);
}

static void rotations(void)
{
    double a = 3, b = 4, c, s, x[2] = {3, 1}, y[2] = {4, 2}, *dx, *dy, d1 = 1, d2 = 1, x1 = 3, y1 = 4, parameters[5];
    float _Complex p = 3, q = 4 * I, t;
    float u;
    OK(cublasDrotg(handle, &a, &b, &c, &s));
    CHECK(fabs(a - 5) < 1e-12 && fabs(c - 0.6) < 1e-12 && fabs(s - 0.8) < 1e-12);
    OK(cublasCrotg(handle, (cuComplex *)&p, (cuComplex *)&q, &u, (cuComplex *)&t));
    CHECK(fabs(u - 0.6) < 1e-6 && cabs((number)t + 0.8 * I) < 1e-6);
    OK(cublasDrotmg(handle, &d1, &d2, &x1, &y1, parameters)); /* of weights 1: what makes the second element 0 */
    cudaMalloc((void **)&dx, sizeof x), cudaMalloc((void **)&dy, sizeof y);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice), cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
    OK(cublasDrotm(handle, 2, dx, 1, dy, 1, parameters));
    cudaMemcpy(x, dx, sizeof x, cudaMemcpyDeviceToHost), cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    CHECK(fabs(x[0] - x1) < 1e-12 && fabs(y[0]) < 1e-12);
    cudaFree(dx), cudaFree(dy);
}

/* ---------------------------------------------------------------- mixed types */
static unsigned short half_of(int x) /* small integers */
{
    int size = x < 0 ? -x : x, exponent = 0;
    if (!x) return 0;
    while (size >> (exponent + 1)) exponent++;
    return (unsigned short)((x < 0 ? 0x8000 : 0) | (exponent + 15) << 10 | ((size << (10 - exponent)) & 0x3ff));
}

static void mixed(void)
{
    unsigned short a[64], b[64];
    signed char p[64], q[64];
    int sums[64];
    float c[64], alpha = 1, beta = 0;
    int one = 1, none = 0, wrong = 0;
    void *da, *db, *dc;
    cudaMalloc(&da, sizeof a), cudaMalloc(&db, sizeof b), cudaMalloc(&dc, sizeof c);
    for (int i = 0; i < 64; i++) {
        a[i] = half_of(i % 9 - 4), b[i] = half_of(i % 7 - 3);
        p[i] = (signed char)(i % 9 * 25 - 100), q[i] = (signed char)(i % 7 * 30 - 90);
    }
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice), cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    unsigned short dot;
    int expected = 0;
    for (int i = 0; i < 64; i++) expected += (i % 9 - 4) * (i % 7 - 3);
    OK(cublasDotEx(handle, 64, da, CUDA_R_16F, 1, db, CUDA_R_16F, 1, &dot, CUDA_R_16F, CUDA_R_32F));
    CHECK(dot == half_of(expected));
    OK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &alpha, da, CUDA_R_16F, 8, db, CUDA_R_16F, 8, &beta, dc,
                    CUDA_R_32F, 8, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        int sum = 0;
        for (int k = 0; k < 8; k++) sum += ((i % 8 + k * 8) % 9 - 4) * ((k + i / 8 * 8) % 7 - 3);
        wrong += c[i] != (float)sum;
    }
    cudaMemcpy(da, p, sizeof p, cudaMemcpyHostToDevice), cudaMemcpy(db, q, sizeof q, cudaMemcpyHostToDevice);
    OK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, da, CUDA_R_8I, 8, db, CUDA_R_8I, 8, &none, dc,
                    CUDA_R_32I, 8, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    cudaMemcpy(sums, dc, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        int sum = 0;
        for (int k = 0; k < 8; k++) sum += p[i % 8 + k * 8] * q[k + i / 8 * 8];
        wrong += sums[i] != sum;
    }
    CHECK(!wrong);
    cudaFree(da), cudaFree(db), cudaFree(dc);
}

/* ---------------------------------------------------------------- what calls answer */
static void answers(void)
{
    float *a, one = 1, *on_device, result = 0;
    int version;
    cudaMalloc((void **)&a, 4096), cudaMalloc((void **)&on_device, 8);
    OK(cublasGetVersion(handle, &version));
    CHECK(version >= 130000);
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 7, a, 8, &one, a, 8) ==
          CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemm(NULL, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 8, a, 8, &one, a, 8) ==
          CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, -1, 8, 8, &one, a, 8, a, 8, &one, a, 8) ==
          CUBLAS_STATUS_INVALID_VALUE);
    CHECK(!strcmp(cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED), "the requested functionality is not supported"));
    /* scalars and results on the device: the call does not wait */
    float two = 2, ones[4] = {1, 1, 1, 1};
    cudaMemcpy(on_device, &two, 4, cudaMemcpyHostToDevice), cudaMemcpy(a, ones, 16, cudaMemcpyHostToDevice);
    OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    OK(cublasSscal(handle, 4, on_device, a, 1));
    OK(cublasSdot(handle, 4, a, 1, a, 1, on_device + 1));
    OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    cudaMemcpy(&result, on_device + 1, 4, cudaMemcpyDeviceToHost);
    CHECK(result == 16);
    /* a call that is captured runs when its graph does */
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&stream);
    OK(cublasSetStream(handle, stream));
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    OK(cublasSscal(handle, 4, &two, a, 1));
    cudaStreamEndCapture(stream, &graph);
    cudaMemcpy(ones, a, 16, cudaMemcpyDeviceToHost);
    CHECK(ones[0] == 2);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    cudaGraphLaunch(exec, stream), cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(ones, a, 16, cudaMemcpyDeviceToHost);
    CHECK(ones[0] == 8);
    OK(cublasSetStream(handle, NULL));
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
    cudaFree(a), cudaFree(on_device);
}

int main(int argc, char **argv)
{
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
        printf("no BLAS on this machine\n"); /* CTest skips */
        return 77;
    }
    if (argc > 1 && !strcmp(argv[1], "fault")) { /* a matrix that ends behind its allocation */
        float *a, one = 1;
        cudaMalloc((void **)&a, 4096);
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3000, 1, 1, &one, a, 3000, a, 1, &one, a, 3000);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 0;
    }
    for (int type = S; type <= Z; type++) {
        products(type);
        batches(type);
        vectors_and_matrices(type);
        triangular(type);
        symmetric(type);
        solves(type);
        elementwise(type);
        vectors(type);
        systems(type);
        least_squares(type);
        typed_vectors(type);
    }
    rotations();
    mixed();
    answers();
    OK(cublasDestroy(handle));
    if (!failures) printf("ok blas\n");
    return failures != 0;
}
