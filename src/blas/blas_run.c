/* What the routines share while they run: where their operands are. */
#include <string.h>

#include "blas/blas.h"

const size_t blas_type_bytes[] = {4, 8, 8, 16};

const void *blas_use_scalar(host_library *l, const blas_scalar *scalar, blas_type type)
{
    if (!scalar->device) return &scalar->value;
    size_t bytes = blas_type_bytes[type];
    return host_library_use(l, (host_library_memory){scalar->device, bytes, 1, bytes}, HOST_LIBRARY_READS);
}

/* Address of operand n of a batch; false if the pointers cannot be read. */
static bool place_of(host_library *l, const blas_operand *o, int64_t n, size_t element, uint64_t *out)
{
    *out = o->address + (uint64_t)(n * o->stride) * element;
    if (!o->pointers) return true;
    host_library_memory slot = {o->address + (uint64_t)n * 8, 8, 1, 8};
    const uint64_t *at = host_library_use(l, slot, HOST_LIBRARY_READS);
    if (at) *out = *at;
    return at != NULL;
}

/* Where operands may lie in memory of the host, what no kernel could access is that. */
static void *use(host_library *l, const blas_operand *o, host_library_memory m, host_library_access access)
{
    return o->anywhere ? host_library_use_anywhere(l, m, access) : host_library_use(l, m, access);
}

void *blas_use_matrix(host_library *l, const blas_operand *o, int64_t n, size_t element, int64_t rows, int64_t columns,
                      host_library_access access)
{
    uint64_t address;
    if (!place_of(l, o, n, element, &address)) return NULL;
    host_library_memory m = {address, (uint64_t)rows * element, (uint64_t)columns, (uint64_t)o->ld * element};
    return use(l, o, m, access);
}

void *blas_use_vector(host_library *l, const blas_operand *o, int64_t n, size_t element, int64_t count,
                      host_library_access access)
{
    uint64_t address, step = (uint64_t)(o->ld < 0 ? -o->ld : o->ld) * element;
    if (!place_of(l, o, n, element, &address)) return NULL;
    host_library_memory m = {address, element, (uint64_t)LW_MAX(count, 0), step};
    if (step == element) m = (host_library_memory){address, element * m.rows, 1, element * m.rows};
    return use(l, o, m, access);
}

void blas_store_result(host_library *l, const blas_args *args, const void *value, size_t bytes)
{
    void *to = (void *)(uintptr_t)args->result;
    if (!args->result_on_host)
        to = host_library_use(l, (host_library_memory){args->result, bytes, 1, bytes}, HOST_LIBRARY_WRITES);
    if (to) memcpy(to, value, bytes);
}

static bool equals(const void *scalar, blas_type type, double real)
{
    float s[2] = {0};
    double d[2] = {0};
    memcpy(blas_real(type) == BLAS_S ? (void *)s : d, scalar, blas_type_bytes[type]);
    return blas_real(type) == BLAS_S ? s[0] == (float)real && !s[1] : d[0] == real && !d[1];
}

bool blas_is_zero(const void *scalar, blas_type type) { return equals(scalar, type, 0); }
bool blas_is_one(const void *scalar, blas_type type) { return equals(scalar, type, 1); }
