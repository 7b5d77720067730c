/* Arrays and mipmapped arrays, which textures read and surfaces write (array.c, mipmap.c). */
#ifndef LW_HOST_ARRAY_H
#define LW_HOST_ARRAY_H

#include "host/cuda_numbers.h"
#include "host/types.h"

/* Arrays: rows of pitch bytes in device memory. */
typedef struct host_format {
    int bits[4];     /* x, y, z, w */
    int kind;        /* host_format_kind */
    bool normalized; /* integers stand for fractions, however they are read */
} host_format;
struct host_array {
    uint64_t address, pitch;
    uint64_t width, height, depth; /* elements, as asked; height/depth 0 for lower dimensions; depth: also layers */
    host_format format;
    uint32_t element_bytes;
    uint32_t flags; /* host_array_flag */
    bool is_level;  /* of a mipmapped array, with which it goes */
};
host_error host_array_create(host_context *context, const host_format *format, uint64_t width, uint64_t height,
                             uint64_t depth, uint32_t flags, host_array **out);
host_error host_array_destroy(host_context *context, host_array *array);
bool host_array_valid(host_context *context, const host_array *array);

enum { HOST_MIPMAP_LEVELS = 17 }; /* at most: of 65536 texels */

/* One array a level; the next one has half the texels of each dimension, at least one; layers stay. */
struct host_mipmap {
    uint32_t count;
    host_array *level[HOST_MIPMAP_LEVELS];
};
/* levels: at most so many; there are no more than halving gives. */
host_error host_mipmap_create(host_context *context, const host_format *format, const uint64_t size[3], uint32_t levels,
                              uint32_t flags, host_mipmap **out);
host_error host_mipmap_destroy(host_context *context, host_mipmap *mipmap);
host_error host_mipmap_level(host_context *context, const host_mipmap *mipmap, uint32_t level, host_array **out);
bool host_mipmap_valid(host_context *context, const host_mipmap *mipmap);

/* The device whose it is. */
uint32_t host_array_device(host_context *context, const host_array *array);

#endif
