/* Textures (texture.c). */
#ifndef LW_HOST_TEXTURE_H
#define LW_HOST_TEXTURE_H

#include "host/array.h"
#include "host/cuda_numbers.h"
#include "host/types.h"

/* Part of an array, or another reading of its texels. */
typedef struct host_resource_view {
    bool given;
    int number;         /* of the format, as the caller had it */
    host_format format; /* no bits: the resource's */
    uint64_t width, height, depth;
    uint32_t first_level, last_level, first_layer, last_layer;
} host_resource_view;

typedef struct host_texture_desc {
    int resource; /* host_resource */
    host_array *array;
    host_mipmap *mipmap;
    uint64_t address, bytes;       /* linear: bytes in all; pitch: address of row 0 */
    uint64_t width, height, pitch; /* pitch 2-D */
    host_format format;
    int address_mode[3]; /* host_address_mode */
    int filter_mode;     /* host_filter_mode */
    int read_mode;       /* host_read_mode */
    bool normalized_coordinates, srgb, seamless, plain_trilinear;
    float border[4];
    bool blend_levels; /* the filter between levels is linear */
    float level_bias, least_level, most_level;
    uint32_t max_anisotropy; /* as given: 0 is 1 */
    host_resource_view view;
} host_texture_desc;
host_error host_texture_create(host_context *context, const host_texture_desc *desc, uint64_t *out_handle);
host_error host_texture_destroy(host_context *context, uint64_t handle);
const host_texture_desc *host_texture_get(host_context *context, uint64_t handle);

#endif
