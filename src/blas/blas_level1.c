/* Level 1: vectors. */
#include <complex.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "blas/blas_entry.h"

static blas_operand vector(const void *address, int64_t increment) { return blas_vector(address, increment); }
static int as_int(int64_t n) { return (int)n; }
static bool fits(int64_t n) { return blas_fits(n); }

static void set_result(blas_args *args, const blas_handle *h, void *result)
{
    args->result = (uint64_t)(uintptr_t)result;
    args->result_on_host = h->pointer_mode == BLAS_POINTER_HOST;
}

/* ---------------------------------------------------------------- axpy, copy, swap, scal */
static void run_axpy(host_library *l, const blas_args *a)
{
    size_t size = blas_type_bytes[a->type];
    const void *alpha = blas_use_scalar(l, &a->alpha, a->type);
    const void *x = blas_use_vector(l, &a->a, 0, size, a->n, HOST_LIBRARY_READS);
    void *y = blas_use_vector(l, &a->b, 0, size, a->n, HOST_LIBRARY_UPDATES);
    int n = as_int(a->n), incx = as_int(a->a.ld), incy = as_int(a->b.ld);
    if (alpha && x && y) blas_host(a->type, "axpy")(&n, alpha, x, &incx, y, &incy);
}

#define AXPY(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)(blas_handle * h, INT n, const void *alpha, const void *x, INT incx, void *y, INT incy)              \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(alpha &&fits(n));                                                                                         \
        if (n <= 0) return BLAS_OK;                                                                                    \
        blas_args a = {.routine = run_axpy, .type = t, .n = n, .a = vector(x, incx), .b = vector(y, incy)};            \
        a.alpha = blas_scalar_of(h, alpha, t);                                                                         \
        return blas_put(h, &a, __func__);                                                                              \
    }
TYPES_V2(AXPY, axpy)

static void run_copy(host_library *l, const blas_args *a)
{
    size_t size = blas_type_bytes[a->type];
    void *x = blas_use_vector(l, &a->a, 0, size, a->n, a->flag ? HOST_LIBRARY_UPDATES : HOST_LIBRARY_READS);
    void *y = blas_use_vector(l, &a->b, 0, size, a->n, a->flag ? HOST_LIBRARY_UPDATES : HOST_LIBRARY_WRITES);
    int n = as_int(a->n), incx = as_int(a->a.ld), incy = as_int(a->b.ld);
    if (x && y) blas_host(a->type, a->flag ? "swap" : "copy")(&n, x, &incx, y, &incy);
}

#define COPY(symbol, t, INT) COPY_OR_SWAP(symbol, t, INT, false)
#define SWAP(symbol, t, INT) COPY_OR_SWAP(symbol, t, INT, true)
#define COPY_OR_SWAP(symbol, t, INT, swap)                                                                             \
    CUBLAS(symbol)(blas_handle * h, INT n, void *x, INT incx, void *y, INT incy)                                       \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(fits(n));                                                                                                 \
        if (n <= 0) return BLAS_OK;                                                                                    \
        blas_args a = {.routine = run_copy, .type = t, .n = n, .a = vector(x, incx), .b = vector(y, incy)};            \
        a.flag = swap;                                                                                                 \
        return blas_put(h, &a, __func__);                                                                              \
    }
TYPES_V2(COPY, copy)
TYPES_V2(SWAP, swap)

/* types[0]: the scalar's type: real for csscal and zdscal. */
static void run_scal(host_library *l, const blas_args *a)
{
    blas_type scalar = (blas_type)a->types[0];
    const void *alpha = blas_use_scalar(l, &a->alpha, scalar);
    void *x = blas_use_vector(l, &a->a, 0, blas_type_bytes[a->type], a->n, HOST_LIBRARY_UPDATES);
    int n = as_int(a->n), incx = as_int(a->a.ld);
    if (!alpha || !x || incx <= 0) return;
    blas_function scal = scalar == a->type   ? blas_host(a->type, "scal")
                         : a->type == BLAS_C ? blas_host_named("csscal_")
                                             : blas_host_named("zdscal_");
    scal(&n, alpha, x, &incx);
}

#define SCAL_OF(symbol, t, scalar, INT)                                                                                \
    CUBLAS(symbol)(blas_handle * h, INT n, const void *alpha, void *x, INT incx)                                       \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(alpha &&fits(n));                                                                                         \
        if (n <= 0 || incx <= 0) return BLAS_OK;                                                                       \
        blas_args a = {.routine = run_scal, .type = t, .n = n, .a = vector(x, incx), .types = {scalar}};               \
        a.alpha = blas_scalar_of(h, alpha, scalar);                                                                    \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define SCAL(symbol, t, INT) SCAL_OF(symbol, t, t, INT)
#define SCAL_REAL(symbol, t, INT) SCAL_OF(symbol, t, (t - 2), INT)
TYPES_V2(SCAL, scal)
WIDTHS_V2(SCAL_REAL, cublasCsscal, BLAS_C)
WIDTHS_V2(SCAL_REAL, cublasZdscal, BLAS_Z)

/* ---------------------------------------------------------------- dot, nrm2, asum */
typedef float (*float_function)();
typedef double (*double_function)();
typedef float _Complex (*complex_function)();
typedef double _Complex (*double_complex_function)();

/* flag: conjugated */
static void run_dot(host_library *l, const blas_args *a)
{
    size_t size = blas_type_bytes[a->type];
    const void *x = blas_use_vector(l, &a->a, 0, size, a->n, HOST_LIBRARY_READS);
    const void *y = blas_use_vector(l, &a->b, 0, size, a->n, HOST_LIBRARY_READS);
    int n = as_int(a->n), incx = as_int(a->a.ld), incy = as_int(a->b.ld);
    union {
        float s;
        double d;
        float _Complex c;
        double _Complex z;
    } out;
    if (!x || !y) return;
    const char *name = !blas_is_complex(a->type) ? "dot" : a->flag ? "dotc" : "dotu";
    blas_function dot = blas_host(a->type, name);
    switch (a->type) {
    case BLAS_S: out.s = ((float_function)(void *)dot)(&n, x, &incx, y, &incy); break;
    case BLAS_D: out.d = ((double_function)(void *)dot)(&n, x, &incx, y, &incy); break;
    case BLAS_C: out.c = ((complex_function)(void *)dot)(&n, x, &incx, y, &incy); break;
    case BLAS_Z: out.z = ((double_complex_function)(void *)dot)(&n, x, &incx, y, &incy); break;
    }
    blas_store_result(l, a, &out, size);
}

#define DOT_OF(symbol, t, conjugated, INT)                                                                             \
    CUBLAS(symbol)(blas_handle * h, INT n, const void *x, INT incx, const void *y, INT incy, void *result)             \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(result &&fits(n));                                                                                        \
        blas_args a = {.routine = run_dot, .type = t, .n = LW_MAX(n, 0), .a = vector(x, incx), .b = vector(y, incy)};  \
        a.flag = conjugated;                                                                                           \
        set_result(&a, h, result);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define DOT(symbol, t, INT) DOT_OF(symbol, t, false, INT)
#define DOTC(symbol, t, INT) DOT_OF(symbol, t, true, INT)
WIDTHS_V2(DOT, cublasSdot, BLAS_S)
WIDTHS_V2(DOT, cublasDdot, BLAS_D)
WIDTHS_V2(DOT, cublasCdotu, BLAS_C)
WIDTHS_V2(DOT, cublasZdotu, BLAS_Z)
WIDTHS_V2(DOTC, cublasCdotc, BLAS_C)
WIDTHS_V2(DOTC, cublasZdotc, BLAS_Z)

/* flag: the sum of absolute values, else the Euclidean norm */
static void run_norm(host_library *l, const blas_args *a)
{
    static const char *const names[2][4] = {{"snrm2_", "dnrm2_", "scnrm2_", "dznrm2_"},
                                            {"sasum_", "dasum_", "scasum_", "dzasum_"}};
    const void *x = blas_use_vector(l, &a->a, 0, blas_type_bytes[a->type], a->n, HOST_LIBRARY_READS);
    int n = as_int(a->n), incx = as_int(a->a.ld);
    if (!x) return;
    blas_type type = a->type;
    /* OpenBLAS 0.3.21 adds complex values up wrongly with AVX-512 (scasum, stride 1, more than 8 of them): their parts
     * are twice as many real values. */
    if (a->flag && blas_is_complex(type) && incx == 1 && n <= INT_MAX / 2) {
        type = blas_real(type);
        n *= 2;
    }
    blas_function norm = blas_host_named(names[a->flag][type]);
    if (blas_real(a->type) == BLAS_S) {
        float out = n > 0 && incx > 0 ? ((float_function)(void *)norm)(&n, x, &incx) : 0;
        blas_store_result(l, a, &out, sizeof out);
    } else {
        double out = n > 0 && incx > 0 ? ((double_function)(void *)norm)(&n, x, &incx) : 0;
        blas_store_result(l, a, &out, sizeof out);
    }
}

#define NORM_OF(symbol, t, sum, INT)                                                                                   \
    CUBLAS(symbol)(blas_handle * h, INT n, const void *x, INT incx, void *result)                                      \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(result &&fits(n));                                                                                        \
        blas_args a = {.routine = run_norm, .type = t, .n = LW_MAX(n, 0), .a = vector(x, incx), .flag = sum};          \
        set_result(&a, h, result);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define NRM2(symbol, t, INT) NORM_OF(symbol, t, false, INT)
#define ASUM(symbol, t, INT) NORM_OF(symbol, t, true, INT)
WIDTHS_V2(NRM2, cublasSnrm2, BLAS_S)
WIDTHS_V2(NRM2, cublasDnrm2, BLAS_D)
WIDTHS_V2(NRM2, cublasScnrm2, BLAS_C)
WIDTHS_V2(NRM2, cublasDznrm2, BLAS_Z)
WIDTHS_V2(ASUM, cublasSasum, BLAS_S)
WIDTHS_V2(ASUM, cublasDasum, BLAS_D)
WIDTHS_V2(ASUM, cublasScasum, BLAS_C)
WIDTHS_V2(ASUM, cublasDzasum, BLAS_Z)

/* ---------------------------------------------------------------- amax, amin: index from 1 of the first such element */
static double magnitude(const void *x, int64_t i, blas_type type)
{
    const float *s = x;
    const double *d = x;
    switch (type) {
    case BLAS_S: return fabs((double)s[i]);
    case BLAS_D: return fabs(d[i]);
    case BLAS_C: return (double)(fabsf(s[2 * i]) + fabsf(s[2 * i + 1]));
    default: return fabs(d[2 * i]) + fabs(d[2 * i + 1]);
    }
}

/* flag: of the least. types[0]: the result has 8 bytes. */
static void run_extreme(host_library *l, const blas_args *a)
{
    const void *x = blas_use_vector(l, &a->a, 0, blas_type_bytes[a->type], a->n, HOST_LIBRARY_READS);
    int64_t best = 0;
    if (!x) return;
    for (int64_t i = 0; i < a->n && a->a.ld > 0; i++) {
        double here = magnitude(x, i * a->a.ld, a->type),
               there = best ? magnitude(x, (best - 1) * a->a.ld, a->type) : 0;
        if (!best || (a->flag ? here < there : here > there)) best = i + 1;
    }
    int32_t narrow = (int32_t)best;
    blas_store_result(l, a, a->types[0] ? (void *)&best : &narrow, a->types[0] ? 8 : 4);
}

#define EXTREME_OF(symbol, t, least, INT)                                                                              \
    CUBLAS(symbol)(blas_handle * h, INT n, const void *x, INT incx, void *result)                                      \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(result);                                                                                                  \
        blas_args a = {.routine = run_extreme, .type = t, .n = LW_MAX(n, 0), .a = vector(x, incx), .flag = least};     \
        a.types[0] = sizeof(INT) == 8;                                                                                 \
        set_result(&a, h, result);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define AMAX(symbol, t, INT) EXTREME_OF(symbol, t, false, INT)
#define AMIN(symbol, t, INT) EXTREME_OF(symbol, t, true, INT)
WIDTHS_V2(AMAX, cublasIsamax, BLAS_S)
WIDTHS_V2(AMAX, cublasIdamax, BLAS_D)
WIDTHS_V2(AMAX, cublasIcamax, BLAS_C)
WIDTHS_V2(AMAX, cublasIzamax, BLAS_Z)
WIDTHS_V2(AMIN, cublasIsamin, BLAS_S)
WIDTHS_V2(AMIN, cublasIdamin, BLAS_D)
WIDTHS_V2(AMIN, cublasIcamin, BLAS_C)
WIDTHS_V2(AMIN, cublasIzamin, BLAS_Z)

/* ---------------------------------------------------------------- plane rotations */
/* alpha: c, real; beta: s, of types[0]. */
static void run_rot(host_library *l, const blas_args *a)
{
    size_t size = blas_type_bytes[a->type];
    blas_type sine = (blas_type)a->types[0];
    const void *c = blas_use_scalar(l, &a->alpha, blas_real(a->type)), *s = blas_use_scalar(l, &a->beta, sine);
    void *x = blas_use_vector(l, &a->a, 0, size, a->n, HOST_LIBRARY_UPDATES);
    void *y = blas_use_vector(l, &a->b, 0, size, a->n, HOST_LIBRARY_UPDATES);
    int n = as_int(a->n), incx = as_int(a->a.ld), incy = as_int(a->b.ld);
    if (!c || !s || !x || !y) return;
    blas_function rot = sine == a->type || a->type < BLAS_C ? blas_host(a->type, "rot")
                        : a->type == BLAS_C                 ? blas_host_named("csrot_")
                                                            : blas_host_named("zdrot_");
    if (rot) rot(&n, x, &incx, y, &incy, c, s);
    else host_library_fail(l, "the host's BLAS has no complex plane rotation");
}

#define ROT_OF(symbol, t, sine, INT)                                                                                   \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, INT n, void *x, INT incx, void *y, INT incy, const void *c, const void *s)                       \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(c &&s &&fits(n));                                                                                         \
        if (n <= 0) return BLAS_OK;                                                                                    \
        blas_args a = {.routine = run_rot, .type = t, .n = n, .a = vector(x, incx), .b = vector(y, incy)};             \
        a.types[0] = sine;                                                                                             \
        a.alpha = blas_scalar_of(h, c, blas_real(t));                                                                  \
        a.beta = blas_scalar_of(h, s, sine);                                                                           \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define ROT(symbol, t, INT) ROT_OF(symbol, t, t, INT)
#define ROT_REAL(symbol, t, INT) ROT_OF(symbol, t, (t - 2), INT)
TYPES_V2(ROT, rot)
WIDTHS_V2(ROT_REAL, cublasCsrot, BLAS_C)
WIDTHS_V2(ROT_REAL, cublasZdrot, BLAS_Z)
