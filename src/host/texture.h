/* Textures (texture.c). */
#ifndef LW_HOST_TEXTURE_H
#define LW_HOST_TEXTURE_H

#include "host/array.h"
#include "host/cuda_numbers.h"
#include "host/types.h"

typedef struct host_texture_desc {
    int resource; /* host_resource */
    host_array *array;
    uint64_t address, bytes;       /* linear: bytes in all; pitch: address of row 0 */
    uint64_t width, height, pitch; /* pitch 2-D */
    host_format format;
    int address_mode[3]; /* host_address_mode */
    int filter_mode;     /* host_filter_mode */
    int read_mode;       /* host_read_mode */
    bool normalized_coordinates, srgb;
    float border[4];
} host_texture_desc;
host_error host_texture_create(host_context *context, const host_texture_desc *desc, uint64_t *out_handle);
host_error host_texture_destroy(host_context *context, uint64_t handle);
const host_texture_desc *host_texture_get(host_context *context, uint64_t handle);

#endif
