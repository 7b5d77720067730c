/* Level 1 of mixed types (cublasDotEx ...), and the making of plane rotations. Elements are read as double precision numbers, and
 * results rounded once. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "blas/blas_entry.h"

typedef double _Complex number;

/* A vector while a call runs; increments below 0 lead through it from its end, as in Fortran. */
typedef struct strided {
    char *base;
    int type; /* cudaDataType */
    int64_t increment, count;
    size_t bytes;
} strided;

static bool use(host_library *l, const blas_args *a, const blas_operand *o, int type, host_library_access access,
                strided *out)
{
    *out = (strided){NULL, type, o->ld, a->n, blas_element_bytes(type)};
    out->base = blas_use_vector(l, o, 0, out->bytes, a->n, access);
    return out->base != NULL;
}

static char *place(const strided *v, int64_t i)
{
    int64_t at = v->increment < 0 ? (i - v->count + 1) * v->increment : i * v->increment;
    return v->base + (size_t)at * v->bytes;
}

static number get(const strided *v, int64_t i)
{
    number x;
    blas_scalar_to_work(BLAS_Z, &x, v->type, place(v, i));
    return x;
}

static void put(const strided *v, int64_t i, number x) { blas_from_work(BLAS_Z, &x, v->type, place(v, i), 1, 1, 1); }

/* ---------------------------------------------------------------- types */
static bool is_complex(int type) { return type == BLAS_C_32F || type == BLAS_C_64F; }

/* Types that the library computes vectors of `type` in: in single precision those of 16 bits, else in their own. */
static bool computes(int type, int compute)
{
    if (type == BLAS_R_16F || type == BLAS_R_16BF) return compute == BLAS_R_32F;
    return compute == type && (type == BLAS_R_32F || type == BLAS_R_64F || is_complex(type));
}

static int real_type(int type) { return type == BLAS_C_32F ? BLAS_R_32F : type == BLAS_C_64F ? BLAS_R_64F : type; }

/* A scalar of a cudaDataType; its blas_type is only asked for when it is used, as the widest. */
static blas_scalar scalar_of(const blas_handle *h, const void *pointer, int type)
{
    blas_scalar out = {0};
    if (h->pointer_mode == BLAS_POINTER_DEVICE) out.device = (uint64_t)(uintptr_t)pointer;
    else memcpy(&out.value, pointer, blas_element_bytes(type));
    return out;
}

static bool read_scalar(host_library *l, const blas_scalar *s, int type, number *out)
{
    size_t bytes = blas_element_bytes(type);
    const void *at = &s->value;
    if (s->device) at = host_library_use(l, (host_library_memory){s->device, bytes, 1, bytes}, HOST_LIBRARY_READS);
    if (at) blas_scalar_to_work(BLAS_Z, out, type, at);
    return at != NULL;
}

static void store(host_library *l, const blas_args *a, int type, number value)
{
    char raw[16];
    blas_from_work(BLAS_Z, &value, type, raw, 1, 1, 1);
    blas_store_result(l, a, raw, blas_element_bytes(type));
}

static void set_result(blas_args *args, const blas_handle *h, void *result)
{
    args->result = (uint64_t)(uintptr_t)result;
    args->result_on_host = h->pointer_mode == BLAS_POINTER_HOST;
}

/* ---------------------------------------------------------------- results: types of x, y (or of the index), the result */
static void run_dot(host_library *l, const blas_args *a) /* flag: conjugated */
{
    strided x, y;
    number sum = 0;
    if (!use(l, a, &a->a, a->types[0], HOST_LIBRARY_READS, &x) ||
        !use(l, a, &a->b, a->types[1], HOST_LIBRARY_READS, &y))
        return;
    for (int64_t i = 0; i < a->n; i++) sum += (a->flag ? conj(get(&x, i)) : get(&x, i)) * get(&y, i);
    store(l, a, a->types[2], sum);
}

#define DOT_OF(symbol, conjugated, INT)                                                                                \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, INT n, const void *x, int x_type, INT incx, const void *y, int y_type, INT incy, void *result,   \
     int result_type, int compute)                                                                                     \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(result);                                                                                                  \
        if (y_type != x_type || result_type != x_type || !computes(x_type, compute))                                   \
            return blas_end(BLAS_NOT_SUPPORTED);                                                                       \
        blas_args a = {.routine = run_dot, .n = LW_MAX(n, 0), .types = {x_type, y_type, result_type}};                 \
        a.a = blas_vector(x, incx);                                                                                    \
        a.b = blas_vector(y, incy);                                                                                    \
        a.flag = conjugated;                                                                                           \
        set_result(&a, h, result);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define DOT(symbol, t, INT) DOT_OF(symbol, false, INT)
#define DOTC(symbol, t, INT) DOT_OF(symbol, true, INT)
WIDTHS(DOT, cublasDotEx, 0)
WIDTHS(DOTC, cublasDotcEx, 0)

static void run_norm(host_library *l, const blas_args *a) /* flag: the sum of absolute values */
{
    strided x;
    double sum = 0;
    if (!use(l, a, &a->a, a->types[0], HOST_LIBRARY_READS, &x)) return;
    for (int64_t i = 0; i < a->n && x.increment > 0; i++) {
        number e = get(&x, i);
        if (a->flag) sum += fabs(creal(e)) + fabs(cimag(e));
        else sum = hypot(sum, cabs(e));
    }
    store(l, a, a->types[2], sum);
}

#define NORM_OF(symbol, absolute, INT)                                                                                 \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, INT n, const void *x, int x_type, INT incx, void *result, int result_type, int compute)          \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(result);                                                                                                  \
        bool known = is_complex(x_type) ? compute == real_type(x_type) : computes(x_type, compute);                    \
        if (!known || result_type != real_type(x_type)) return blas_end(BLAS_NOT_SUPPORTED);                           \
        blas_args a = {.routine = run_norm, .n = LW_MAX(n, 0), .types = {x_type, 0, result_type}, .flag = absolute};   \
        a.a = blas_vector(x, incx);                                                                                    \
        set_result(&a, h, result);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define NRM2(symbol, t, INT) NORM_OF(symbol, false, INT)
#define ASUM(symbol, t, INT) NORM_OF(symbol, true, INT)
WIDTHS(NRM2, cublasNrm2Ex, 0)
WIDTHS(ASUM, cublasAsumEx, 0)

static void run_extreme(host_library *l, const blas_args *a) /* flag: the least; types[1]: the index has 8 bytes */
{
    strided x;
    int64_t best = 0;
    double there = 0;
    if (!use(l, a, &a->a, a->types[0], HOST_LIBRARY_READS, &x)) return;
    for (int64_t i = 0; i < a->n && x.increment > 0; i++) {
        double here = fabs(creal(get(&x, i))) + fabs(cimag(get(&x, i)));
        if (!best || (a->flag ? here < there : here > there)) best = i + 1, there = here;
    }
    int32_t narrow = (int32_t)best;
    blas_store_result(l, a, a->types[1] ? (void *)&best : &narrow, a->types[1] ? 8 : 4);
}

#define EXTREME_OF(symbol, least, INT)                                                                                 \
    CUBLAS(symbol)(blas_handle * h, INT n, const void *x, int x_type, INT incx, void *result)                          \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(result);                                                                                                  \
        if (!blas_element_bytes(x_type)) return blas_end(BLAS_NOT_SUPPORTED);                                          \
        blas_args a = {.routine = run_extreme, .n = LW_MAX(n, 0), .types = {x_type, sizeof(INT) == 8}, .flag = least}; \
        a.a = blas_vector(x, incx);                                                                                    \
        set_result(&a, h, result);                                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define AMAX(symbol, t, INT) EXTREME_OF(symbol, false, INT)
#define AMIN(symbol, t, INT) EXTREME_OF(symbol, true, INT)
WIDTHS(AMAX, cublasIamaxEx, 0)
WIDTHS(AMIN, cublasIaminEx, 0)

/* ---------------------------------------------------------------- vectors: types of x, y and the scalar */
static void run_axpy(host_library *l, const blas_args *a)
{
    strided x, y;
    number alpha;
    if (!read_scalar(l, &a->alpha, a->types[2], &alpha) || !use(l, a, &a->a, a->types[0], HOST_LIBRARY_READS, &x) ||
        !use(l, a, &a->b, a->types[1], HOST_LIBRARY_UPDATES, &y))
        return;
    for (int64_t i = 0; i < a->n; i++) put(&y, i, alpha * get(&x, i) + get(&y, i));
}

#define AXPY(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, INT n, const void *alpha, int alpha_type, const void *x, int x_type, INT incx, void *y,          \
     int y_type, INT incy, int compute)                                                                                \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(alpha);                                                                                                   \
        bool known = y_type == x_type && (alpha_type == compute || alpha_type == x_type);                              \
        if (!known || !computes(x_type, compute)) return blas_end(BLAS_NOT_SUPPORTED);                                 \
        if (n <= 0) return BLAS_OK;                                                                                    \
        blas_args a = {.routine = run_axpy, .n = n, .types = {x_type, y_type, alpha_type}};                            \
        a.a = blas_vector(x, incx);                                                                                    \
        a.b = blas_vector(y, incy);                                                                                    \
        a.alpha = scalar_of(h, alpha, alpha_type);                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
WIDTHS(AXPY, cublasAxpyEx, 0)

static void run_scal(host_library *l, const blas_args *a)
{
    strided x;
    number alpha;
    if (!read_scalar(l, &a->alpha, a->types[2], &alpha) || !use(l, a, &a->a, a->types[0], HOST_LIBRARY_UPDATES, &x))
        return;
    for (int64_t i = 0; i < a->n; i++) put(&x, i, alpha * get(&x, i));
}

#define SCAL(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)                                                                                                     \
    (blas_handle * h, INT n, const void *alpha, int alpha_type, void *x, int x_type, INT incx, int compute)            \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(alpha);                                                                                                   \
        bool known = alpha_type == compute || alpha_type == x_type;                                                    \
        if (!known || !computes(x_type, compute)) return blas_end(BLAS_NOT_SUPPORTED);                                 \
        if (n <= 0 || incx <= 0) return BLAS_OK;                                                                       \
        blas_args a = {.routine = run_scal, .n = n, .types = {x_type, 0, alpha_type}, .a = blas_vector(x, incx)};      \
        a.alpha = scalar_of(h, alpha, alpha_type);                                                                     \
        return blas_put(h, &a, __func__);                                                                              \
    }
WIDTHS(SCAL, cublasScalEx, 0)

static void run_copy(host_library *l, const blas_args *a) /* flag: both ways */
{
    strided x, y;
    if (!use(l, a, &a->a, a->types[0], a->flag ? HOST_LIBRARY_UPDATES : HOST_LIBRARY_READS, &x) ||
        !use(l, a, &a->b, a->types[1], a->flag ? HOST_LIBRARY_UPDATES : HOST_LIBRARY_WRITES, &y))
        return;
    for (int64_t i = 0; i < a->n; i++) {
        char one[16], other[16];
        memcpy(one, place(&x, i), x.bytes);
        memcpy(other, place(&y, i), y.bytes);
        memcpy(place(&y, i), one, x.bytes);
        if (a->flag) memcpy(place(&x, i), other, y.bytes);
    }
}

#define COPY_OF(symbol, swap, INT)                                                                                     \
    CUBLAS(symbol)(blas_handle * h, INT n, void *x, int x_type, INT incx, void *y, int y_type, INT incy)               \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        if (x_type != y_type || !blas_element_bytes(x_type)) return blas_end(BLAS_NOT_SUPPORTED);                      \
        if (n <= 0) return BLAS_OK;                                                                                    \
        blas_args a = {.routine = run_copy, .n = n, .types = {x_type, y_type}, .flag = swap};                          \
        a.a = blas_vector(x, incx);                                                                                    \
        a.b = blas_vector(y, incy);                                                                                    \
        return blas_put(h, &a, __func__);                                                                              \
    }
#define COPY(symbol, t, INT) COPY_OF(symbol, false, INT)
#define SWAP(symbol, t, INT) COPY_OF(symbol, true, INT)
WIDTHS(COPY, cublasCopyEx, 0)
WIDTHS(SWAP, cublasSwapEx, 0)

/* ---------------------------------------------------------------- rotations */
/* Numbers that a call reads and writes by themselves: on the host or the device, as the handle's mode says. */
static void *use_number(host_library *l, const blas_args *a, uint64_t address, size_t bytes)
{
    if (a->result_on_host) return (void *)(uintptr_t)address;
    return host_library_use(l, (host_library_memory){address, bytes, 1, bytes}, HOST_LIBRARY_UPDATES);
}

static void run_rotg(host_library *l, const blas_args *a)
{
    size_t size = blas_type_bytes[a->type], real = blas_type_bytes[blas_real(a->type)];
    void *x = use_number(l, a, a->a.address, size), *y = use_number(l, a, a->b.address, size);
    void *c = use_number(l, a, a->c.address, real), *s = use_number(l, a, a->extra[0], size);
    if (x && y && c && s) blas_host(a->type, "rotg")(x, y, c, s);
}

#define ROTG(symbol, t)                                                                                                \
    CUBLAS(symbol)(blas_handle * h, void *x, void *y, void *c, void *s)                                                \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(x &&y &&c &&s);                                                                                           \
        blas_args a = {.routine = run_rotg, .type = t, .a = blas_vector(x, 1), .b = blas_vector(y, 1)};                \
        a.c = blas_vector(c, 1);                                                                                       \
        a.extra[0] = (uint64_t)(uintptr_t)s;                                                                           \
        set_result(&a, h, x);                                                                                          \
        return blas_put(h, &a, __func__);                                                                              \
    }
ROTG(cublasSrotg_v2, BLAS_S)
ROTG(cublasDrotg_v2, BLAS_D)
ROTG(cublasCrotg_v2, BLAS_C)
ROTG(cublasZrotg_v2, BLAS_Z)

enum { ROTM_PARAMETERS = 5 };

static void run_rotmg(host_library *l, const blas_args *a) /* extra: y1, the parameters */
{
    size_t size = blas_type_bytes[a->type];
    void *d1 = use_number(l, a, a->a.address, size), *d2 = use_number(l, a, a->b.address, size);
    void *x1 = use_number(l, a, a->c.address, size), *y1 = use_number(l, a, a->extra[0], size);
    void *parameters = use_number(l, a, a->extra[1], ROTM_PARAMETERS * size);
    if (d1 && d2 && x1 && y1 && parameters) blas_host(a->type, "rotmg")(d1, d2, x1, y1, parameters);
}

static void run_rotm(host_library *l, const blas_args *a)
{
    size_t size = blas_type_bytes[a->type];
    void *parameters = use_number(l, a, a->extra[0], ROTM_PARAMETERS * size);
    void *x = blas_use_vector(l, &a->a, 0, size, a->n, HOST_LIBRARY_UPDATES);
    void *y = blas_use_vector(l, &a->b, 0, size, a->n, HOST_LIBRARY_UPDATES);
    int n = (int)a->n, incx = (int)a->a.ld, incy = (int)a->b.ld;
    if (parameters && x && y) blas_host(a->type, "rotm")(&n, x, &incx, y, &incy, parameters);
}

#define ROTMG(symbol, t)                                                                                               \
    CUBLAS(symbol)(blas_handle * h, void *d1, void *d2, void *x1, const void *y1, void *parameters)                    \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(d1 &&d2 &&x1 &&y1 &&parameters);                                                                          \
        blas_args a = {.routine = run_rotmg, .type = t, .a = blas_vector(d1, 1), .b = blas_vector(d2, 1)};             \
        a.c = blas_vector(x1, 1);                                                                                      \
        a.extra[0] = (uint64_t)(uintptr_t)y1;                                                                          \
        a.extra[1] = (uint64_t)(uintptr_t)parameters;                                                                  \
        set_result(&a, h, d1);                                                                                         \
        return blas_put(h, &a, __func__);                                                                              \
    }
ROTMG(cublasSrotmg_v2, BLAS_S)
ROTMG(cublasDrotmg_v2, BLAS_D)

/* Waits where its parameters lie on the host: they are the program's again when it returns. */
#define ROTM(symbol, t, INT)                                                                                           \
    CUBLAS(symbol)(blas_handle * h, INT n, void *x, INT incx, void *y, INT incy, const void *parameters)               \
    {                                                                                                                  \
        NEED_HANDLE;                                                                                                   \
        NEED(parameters &&blas_fits(n));                                                                               \
        if (n <= 0) return BLAS_OK;                                                                                    \
        blas_args a = {.routine = run_rotm, .type = t, .n = n, .a = blas_vector(x, incx), .b = blas_vector(y, incy)};  \
        a.extra[0] = (uint64_t)(uintptr_t)parameters;                                                                  \
        set_result(&a, h, (void *)(uintptr_t)a.extra[0]);                                                              \
        return blas_put(h, &a, __func__);                                                                              \
    }
WIDTHS_V2(ROTM, cublasSrotm, BLAS_S)
WIDTHS_V2(ROTM, cublasDrotm, BLAS_D)
