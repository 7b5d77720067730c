/* Handles, small objects, and how calls begin and end. */
#include <stdlib.h>

#include "face/face.h"
#include "solver/solver.h"

#define MAGIC 0x6c777376u
#define VERSION 12004 /* of cuSOLVER: 12.0.4, of CUDA 13.0 */

const char *solver_status_name(int status)
{
    static const char *const names[] = {
        "CUSOLVER_STATUS_SUCCESS",
        "CUSOLVER_STATUS_NOT_INITIALIZED",
        "CUSOLVER_STATUS_ALLOC_FAILED",
        "CUSOLVER_STATUS_INVALID_VALUE",
        "CUSOLVER_STATUS_ARCH_MISMATCH",
        "CUSOLVER_STATUS_MAPPING_ERROR",
        "CUSOLVER_STATUS_EXECUTION_FAILED",
        "CUSOLVER_STATUS_INTERNAL_ERROR",
        "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
        "CUSOLVER_STATUS_NOT_SUPPORTED",
        "CUSOLVER_STATUS_ZERO_PIVOT",
    };
    return status >= 0 && status < (int)LW_COUNT(names) ? names[status] : "unrecognized status";
}

static const face_library library = {"lw_cusolver_", solver_status_name, SOLVER_NOT_SUPPORTED, SOLVER_EXECUTION_FAILED};

int solver_end_call(int status, const char *function) { return face_library_end(&library, status, function); }
int solver_unsupported(const char *function)
{
    return solver_end_call(face_library_unsupported(&library, function), function);
}

/* ---------------------------------------------------------------- handles */
bool solver_valid(const solver_handle *h) { return h && h->magic == MAGIC; }

static int create(solver_handle **out, const char *function)
{
    if (!out) return solver_end_call(SOLVER_INVALID_VALUE, function);
    if (!blas_host_available()) return solver_end_call(SOLVER_NOT_INITIALIZED, function);
    *out = lw_alloc(sizeof **out);
    **out = (solver_handle){.magic = MAGIC, .deterministic = 1};
    return SOLVER_OK;
}

SOLVER(cusolverDnCreate)(solver_handle **out) { return create(out, __func__); }
SOLVER(cusolverDnDestroy)(solver_handle *h)
{
    if (!solver_valid(h)) return solver_end(SOLVER_NOT_INITIALIZED);
    host_synchronize(host_get());
    h->magic = 0;
    free(h);
    return SOLVER_OK;
}

#define SETTING(name, type, field)                                                                                     \
    SOLVER(cusolverDnSet##name)(solver_handle * h, type value)                                                         \
    {                                                                                                                  \
        if (!solver_valid(h)) return solver_end(SOLVER_NOT_INITIALIZED);                                               \
        h->field = value;                                                                                              \
        return SOLVER_OK;                                                                                              \
    }                                                                                                                  \
    SOLVER(cusolverDnGet##name)(solver_handle * h, type * out)                                                         \
    {                                                                                                                  \
        if (!solver_valid(h)) return solver_end(SOLVER_NOT_INITIALIZED);                                               \
        if (!out) return solver_end(SOLVER_INVALID_VALUE);                                                             \
        *out = h->field;                                                                                               \
        return SOLVER_OK;                                                                                              \
    }
SETTING(Stream, void *, stream)
SETTING(DeterministicMode, int, deterministic)
SETTING(MathMode, int, math_mode)
SETTING(EmulationStrategy, int, emulation)

SOLVER(cusolverGetVersion)(int *out)
{
    if (!out) return solver_end(SOLVER_INVALID_VALUE);
    *out = VERSION;
    return SOLVER_OK;
}
SOLVER(cusolverGetProperty)(int which, int *out)
{
    static const int version[] = {VERSION / 1000, VERSION / 100 % 10, VERSION % 100};
    if (!out || which < 0 || which >= (int)LW_COUNT(version)) return solver_end(SOLVER_INVALID_VALUE);
    *out = version[which];
    return SOLVER_OK;
}

/* ---------------------------------------------------------------- calls */
static void run(host_library *l, const void *args)
{
    const solver_call *c = args;
    c->work(l, c);
}

int solver_put_other(solver_handle *h, void (*other)(host_library *l, const void *args), const void *args, size_t bytes,
                     const char *function)
{
    return face_library_put(&library, function, h->stream, other, args, bytes, true);
}

int solver_put_waiting(solver_handle *h, solver_call *c, void (*work)(host_library *l, const solver_call *c),
                       const char *function)
{
    c->work = work;
    return face_library_put(&library, function, h->stream, run, c, sizeof *c, true);
}

int solver_put(solver_handle *h, solver_call *c, void (*work)(host_library *l, const solver_call *c),
               const char *function)
{
    c->work = work;
    return face_library_put(&library, function, h->stream, run, c, sizeof *c, false);
}

blas_function solver_routine(host_library *l, const solver_call *c, const char *real, const char *complex)
{
    blas_function out = blas_host(c->type, blas_is_complex(c->type) && complex ? complex : real);
    if (!out) host_library_fail(l, "the host's BLAS holds no LAPACK: install OpenBLAS");
    return out;
}

void *solver_use(host_library *l, uint64_t address, int64_t count, size_t bytes, host_library_access access, bool *ok)
{
    uint64_t all = (uint64_t)count * bytes;
    void *out = host_library_use(l, (host_library_memory){address, all, 1, all}, access);
    *ok = *ok && out;
    return out;
}

void *solver_matrix(host_library *l, const solver_call *c, const blas_operand *o, int64_t i, int64_t rows,
                    int64_t columns, host_library_access access, bool *ok)
{
    void *out = blas_use_matrix(l, o, i, blas_type_bytes[c->type], rows, columns, access);
    *ok = *ok && out;
    return out;
}

void *solver_room(const solver_call *c, const void *asked, int *out_count)
{
    double wanted = blas_real(c->type) == BLAS_S ? (double)*(const float *)asked : *(const double *)asked;
    *out_count = wanted < 1 ? 1 : (int)wanted + (blas_real(c->type) == BLAS_S ? (int)(wanted / (1 << 20)) : 0);
    return lw_alloc((size_t)*out_count * blas_type_bytes[c->type]);
}

int solver_sizes(solver_handle *h, const int64_t *sizes, int count, int *out, const char *function)
{
    if (!solver_valid(h)) return solver_end_call(SOLVER_NOT_INITIALIZED, function);
    bool ok = out != NULL;
    for (int i = 0; i < count; i++) ok = ok && sizes[i] >= 0;
    if (!ok) return solver_end_call(SOLVER_INVALID_VALUE, function);
    *out = 1;
    return SOLVER_OK;
}
