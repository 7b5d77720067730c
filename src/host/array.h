/* Arrays, which textures read (array.c). */
#ifndef LW_HOST_ARRAY_H
#define LW_HOST_ARRAY_H

#include "host/cuda_numbers.h"
#include "host/types.h"

/* Arrays (textures): rows of pitch bytes in device memory. */
typedef struct host_format {
    int bits[4]; /* x, y, z, w */
    int kind;    /* host_format_kind */
} host_format;
struct host_array {
    uint64_t address, pitch;
    uint64_t width, height, depth; /* elements, as asked; height/depth 0 for lower dimensions */
    host_format format;
    uint32_t element_bytes;
    uint32_t flags; /* host_array_flag and the caller's */
};
host_error host_array_create(host_context *context, const host_format *format, uint64_t width, uint64_t height,
                             uint64_t depth, uint32_t flags, host_array **out);
host_error host_array_destroy(host_context *context, host_array *array);
bool host_array_valid(host_context *context, const host_array *array);

#endif
