/* Copies and fills (copy.c). */
#ifndef LW_HOST_COPY_H
#define LW_HOST_COPY_H

#include "host/types.h"

/* One side of a copy: rows of pitch bytes, slices of pitch * rows bytes. */
typedef struct host_side {
    uint64_t address; /* first byte that takes part */
    uint64_t pitch, rows;
} host_side;
enum { HOST_COPY_H2H, HOST_COPY_H2D, HOST_COPY_D2H, HOST_COPY_D2D, HOST_COPY_DEFAULT }; /* = cudaMemcpyKind */
typedef struct host_copy {
    host_side dst, src;
    uint64_t width, height, depth; /* bytes, rows, slices; height and depth at least 1 unless the copy is empty */
    int kind;
    bool between; /* of a call that names both devices, which need not see each other's pools */
} host_copy;
static inline host_copy host_copy_flat(uint64_t dst, uint64_t src, uint64_t bytes, int kind)
{
    return (host_copy){{dst, bytes, 1}, {src, bytes, 1}, bytes, 1, 1, kind, false};
}
typedef struct host_fill {
    host_side dst;
    uint32_t value, element_bytes; /* 1, 2, 4 */
    uint64_t width, height, depth; /* elements, rows, slices */
} host_fill;
/* wait: the synchronous form. HOST_INVALID_VALUE, HOST_INVALID_MEMCPY_DIRECTION, HOST_INVALID_PITCH_VALUE. */
host_error host_copy_put(host_context *context, host_stream *stream, const host_copy *copy, bool wait);
host_error host_fill_put(host_context *context, host_stream *stream, const host_fill *fill, bool wait);

#endif
