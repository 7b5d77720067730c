/* Handles, their settings, versions, names of errors, copies of vectors and matrices, and how calls begin and end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas.h"
#include "face/face.h"
#include "face/library.h"

#define MAGIC 0x6c77626cu
#define ALL_SPECIAL_VALUES 0xffff /* CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT */
#define VERSION_MAJOR 13
#define VERSION_MINOR 1
#define VERSION_PATCH 0

/* ---------------------------------------------------------------- errors */
typedef struct status_desc {
    int status;
    const char *name, *text;
} status_desc;

static const status_desc statuses[] = {
    {BLAS_OK, "CUBLAS_STATUS_SUCCESS", "success"},
    {BLAS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {BLAS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {BLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "the function requires an architectural feature absent from the device"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {BLAS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {BLAS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {BLAS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the requested functionality is not supported"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "the license check failed"},
};

static const status_desc *find_status(int status)
{
    for (size_t i = 0; i < LW_COUNT(statuses); i++)
        if (statuses[i].status == status) return &statuses[i];
    return NULL;
}

const char *blas_status_name(int status)
{
    const status_desc *row = find_status(status);
    return row ? row->name : "unrecognized status";
}

const char *blas_status_text(int status)
{
    const status_desc *row = find_status(status);
    return row ? row->text : "unrecognized status";
}

const char *lw_cublas_cublasGetStatusName(int status) { return blas_status_name(status); }
const char *lw_cublas_cublasGetStatusString(int status) { return blas_status_text(status); }

static const face_library library = {"lw_cublas_", blas_status_name, BLAS_NOT_SUPPORTED, BLAS_EXECUTION_FAILED};

int blas_end_call(int status, const char *function) { return face_library_end(&library, status, function); }
int blas_unsupported(const char *function) { return face_library_unsupported(&library, function); }

/* ---------------------------------------------------------------- calls */
bool blas_handle_valid(const blas_handle *h) { return h && h->magic == MAGIC; }

static void run(host_library *l, const void *args)
{
    const blas_args *a = args;
    a->routine(l, a);
}

int blas_put(blas_handle *h, const blas_args *args, const char *function)
{
    if (!blas_handle_valid(h)) return blas_end_call(BLAS_NOT_INITIALIZED, function);
    bool wait = args->result && args->result_on_host;
    blas_args a = *args;
    a.a.anywhere = a.b.anywhere = a.c.anywhere = h->anywhere;
    return face_library_put(&library, function, h->stream, run, &a, sizeof a, wait);
}

blas_scalar blas_scalar_of(const blas_handle *h, const void *pointer, blas_type type)
{
    blas_scalar out = {0};
    if (h->pointer_mode == BLAS_POINTER_DEVICE) out.device = (uint64_t)(uintptr_t)pointer;
    else memcpy(&out.value, pointer, blas_type_bytes[type]);
    return out;
}

char blas_trans(int op) { return op >= BLAS_OP_N && op <= BLAS_OP_CONJG ? "NTCR"[op] : 0; }
char blas_uplo(int fill) { return fill == BLAS_LOWER ? 'L' : fill == BLAS_UPPER ? 'U' : 0; }
char blas_side(int side) { return side == BLAS_LEFT ? 'L' : side == BLAS_RIGHT ? 'R' : 0; }
char blas_diag(int diag) { return diag == 0 ? 'N' : diag == 1 ? 'U' : 0; }

/* ---------------------------------------------------------------- handles */
blas_handle *blas_new_handle(void)
{
    blas_handle *h = lw_alloc(sizeof *h);
    *h = (blas_handle){.magic = MAGIC, .special_values = ALL_SPECIAL_VALUES};
    return h;
}

CUBLAS(cublasCreate_v2)(blas_handle **out)
{
    if (!out) return blas_end(BLAS_INVALID_VALUE);
    if (!blas_host_available()) return blas_end(BLAS_NOT_INITIALIZED);
    *out = blas_new_handle();
    return BLAS_OK;
}

CUBLAS(cublasDestroy_v2)(blas_handle *h)
{
    if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);
    host_synchronize(host_get());
    h->magic = 0;
    free(h);
    return BLAS_OK;
}

CUBLAS(cublasGetVersion_v2)(blas_handle *h, int *out)
{
    (void)h;
    if (!out) return blas_end(BLAS_INVALID_VALUE);
    *out = VERSION_MAJOR * 10000 + VERSION_MINOR * 100 + VERSION_PATCH;
    return BLAS_OK;
}

int blas_version_part(int which, int *out)
{
    static const int version[] = {VERSION_MAJOR, VERSION_MINOR, VERSION_PATCH};
    if (!out || which < 0 || which >= (int)LW_COUNT(version)) return BLAS_INVALID_VALUE;
    *out = version[which];
    return BLAS_OK;
}
CUBLAS(cublasGetProperty)(int which, int *out) { return blas_end(blas_version_part(which, out)); }

size_t lw_cublas_cublasGetCudartVersion(void) { return FACE_VERSION; }

#define SETTING(name, field, highest)                                                                                  \
    CUBLAS(cublasSet##name)(blas_handle * h, int value)                                                                \
    {                                                                                                                  \
        if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);                                              \
        if (value < 0 || value > (highest)) return blas_end(BLAS_INVALID_VALUE);                                       \
        h->field = value;                                                                                              \
        return BLAS_OK;                                                                                                \
    }                                                                                                                  \
    CUBLAS(cublasGet##name)(blas_handle * h, int *out)                                                                 \
    {                                                                                                                  \
        if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);                                              \
        if (!out) return blas_end(BLAS_INVALID_VALUE);                                                                 \
        *out = h->field;                                                                                               \
        return BLAS_OK;                                                                                                \
    }
#define MATH_FLAGS 0xff /* CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION and the modes */
SETTING(PointerMode_v2, pointer_mode, 1)
SETTING(AtomicsMode, atomics_mode, 1)
SETTING(MathMode, math_mode, MATH_FLAGS)
SETTING(SmCountTarget, sm_count_target, INT32_MAX)
SETTING(EmulationStrategy, emulation_strategy, 2)
SETTING(EmulationSpecialValuesSupport, special_values, ALL_SPECIAL_VALUES)
SETTING(FixedPointEmulationMantissaControl, mantissa_control, 1)
SETTING(FixedPointEmulationMaxMantissaBitCount, mantissa_bits, INT32_MAX)

CUBLAS(cublasSetFixedPointEmulationMantissaBitOffset)(blas_handle *h, int bits)
{
    if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);
    h->mantissa_offset = bits;
    return BLAS_OK;
}
CUBLAS(cublasGetFixedPointEmulationMantissaBitOffset)(blas_handle *h, int *out)
{
    if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);
    if (!out) return blas_end(BLAS_INVALID_VALUE);
    *out = h->mantissa_offset;
    return BLAS_OK;
}
CUBLAS(cublasSetFixedPointEmulationMantissaBitCountPointer)(blas_handle *h, void *to)
{
    if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);
    h->mantissa_used = to;
    return BLAS_OK;
}
CUBLAS(cublasGetFixedPointEmulationMantissaBitCountPointer)(blas_handle *h, void **out)
{
    if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);
    if (!out) return blas_end(BLAS_INVALID_VALUE);
    *out = h->mantissa_used;
    return BLAS_OK;
}

CUBLAS(cublasSetStream_v2)(blas_handle *h, void *stream)
{
    if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);
    if (!face_stream(stream, false)) return blas_end(BLAS_INVALID_VALUE);
    h->stream = stream;
    return BLAS_OK;
}

CUBLAS(cublasGetStream_v2)(blas_handle *h, void **out)
{
    if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);
    if (!out) return blas_end(BLAS_INVALID_VALUE);
    *out = h->stream;
    return BLAS_OK;
}

CUBLAS(cublasSetWorkspace_v2)(blas_handle *h, void *workspace, size_t bytes)
{
    if (!blas_handle_valid(h)) return blas_end(BLAS_NOT_INITIALIZED);
    if (bytes && (uintptr_t)workspace % 256) return blas_end(BLAS_INVALID_VALUE);
    return BLAS_OK; /* nothing needs it */
}

CUBLAS(cublasLoggerConfigure)(int on, int to_stdout, int to_stderr, const char *file)
{
    (void)on, (void)to_stdout, (void)to_stderr, (void)file;
    return BLAS_OK;
}
CUBLAS(cublasSetLoggerCallback)(void *callback)
{
    (void)callback;
    return BLAS_OK;
}
CUBLAS(cublasGetLoggerCallback)(void **out)
{
    if (!out) return blas_end(BLAS_INVALID_VALUE);
    *out = NULL;
    return BLAS_OK;
}

/* ---------------------------------------------------------------- copies between host and device */
typedef struct copying {
    void *stream;
    bool wait;
} copying;

static int copy(const copying *how, const void *from, int64_t from_pitch, void *to, int64_t to_pitch, int64_t width,
                int64_t rows, int kind)
{
    if (width < 0 || rows < 0) return BLAS_INVALID_VALUE;
    if (!width || !rows) return BLAS_OK;
    host_copy k = {.dst = {(uint64_t)(uintptr_t)to, (uint64_t)to_pitch, (uint64_t)rows},
                   .src = {(uint64_t)(uintptr_t)from, (uint64_t)from_pitch, (uint64_t)rows},
                   .width = (uint64_t)width,
                   .height = (uint64_t)rows,
                   .depth = 1,
                   .kind = kind};
    return face_copy_put(how->stream, false, &k, how->wait) ? 11 : BLAS_OK;
}

static int copy_vector(const copying *how, int64_t n, int64_t bytes, const void *x, int64_t incx, void *y, int64_t incy,
                       int kind)
{
    if (incx <= 0 || incy <= 0 || bytes <= 0) return BLAS_INVALID_VALUE;
    if (incx == 1 && incy == 1) return copy(how, x, n * bytes, y, n * bytes, n * bytes, 1, kind);
    return copy(how, x, incx * bytes, y, incy * bytes, bytes, n, kind);
}

static int copy_matrix(const copying *how, int64_t rows, int64_t columns, int64_t bytes, const void *a, int64_t lda,
                       void *b, int64_t ldb, int kind)
{
    if (lda <= 0 || ldb <= 0 || bytes <= 0 || rows > lda || rows > ldb) return BLAS_INVALID_VALUE;
    return copy(how, a, lda * bytes, b, ldb * bytes, rows * bytes, columns, kind);
}

#define COPIES(suffix, INT)                                                                                            \
    CUBLAS(cublasSetVector##suffix)(INT n, INT bytes, const void *x, INT incx, void *y, INT incy)                      \
    {                                                                                                                  \
        return blas_end(copy_vector(&(copying){NULL, true}, n, bytes, x, incx, y, incy, HOST_COPY_H2D));               \
    }                                                                                                                  \
    CUBLAS(cublasGetVector##suffix)(INT n, INT bytes, const void *x, INT incx, void *y, INT incy)                      \
    {                                                                                                                  \
        return blas_end(copy_vector(&(copying){NULL, true}, n, bytes, x, incx, y, incy, HOST_COPY_D2H));               \
    }                                                                                                                  \
    CUBLAS(cublasSetVectorAsync##suffix)(INT n, INT bytes, const void *x, INT incx, void *y, INT incy, void *stream)   \
    {                                                                                                                  \
        return blas_end(copy_vector(&(copying){stream, false}, n, bytes, x, incx, y, incy, HOST_COPY_H2D));            \
    }                                                                                                                  \
    CUBLAS(cublasGetVectorAsync##suffix)(INT n, INT bytes, const void *x, INT incx, void *y, INT incy, void *stream)   \
    {                                                                                                                  \
        return blas_end(copy_vector(&(copying){stream, false}, n, bytes, x, incx, y, incy, HOST_COPY_D2H));            \
    }                                                                                                                  \
    CUBLAS(cublasSetMatrix##suffix)(INT rows, INT columns, INT bytes, const void *a, INT lda, void *b, INT ldb)        \
    {                                                                                                                  \
        return blas_end(copy_matrix(&(copying){NULL, true}, rows, columns, bytes, a, lda, b, ldb, HOST_COPY_H2D));     \
    }                                                                                                                  \
    CUBLAS(cublasGetMatrix##suffix)(INT rows, INT columns, INT bytes, const void *a, INT lda, void *b, INT ldb)        \
    {                                                                                                                  \
        return blas_end(copy_matrix(&(copying){NULL, true}, rows, columns, bytes, a, lda, b, ldb, HOST_COPY_D2H));     \
    }                                                                                                                  \
    CUBLAS(cublasSetMatrixAsync##suffix)                                                                               \
    (INT rows, INT columns, INT bytes, const void *a, INT lda, void *b, INT ldb, void *stream)                         \
    {                                                                                                                  \
        return blas_end(copy_matrix(&(copying){stream, false}, rows, columns, bytes, a, lda, b, ldb, HOST_COPY_H2D));  \
    }                                                                                                                  \
    CUBLAS(cublasGetMatrixAsync##suffix)                                                                               \
    (INT rows, INT columns, INT bytes, const void *a, INT lda, void *b, INT ldb, void *stream)                         \
    {                                                                                                                  \
        return blas_end(copy_matrix(&(copying){stream, false}, rows, columns, bytes, a, lda, b, ldb, HOST_COPY_D2H));  \
    }
COPIES(, int)
COPIES(_64, int64_t)
