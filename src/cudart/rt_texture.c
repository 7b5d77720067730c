/* Texture objects. */
#include <string.h>

#include "cudart/cudart.h"
static host_error read_resource(const rt_resource_desc *r, host_texture_desc *out)
{
    out->resource = r->type;
    switch (r->type) {
    case HOST_RESOURCE_ARRAY:
        if (!host_array_valid(host_get(), r->u.array)) return HOST_INVALID_VALUE;
        out->array = r->u.array;
        out->format = out->array->format;
        return 0;
    case HOST_RESOURCE_LINEAR:
        out->address = (uint64_t)(uintptr_t)r->u.linear.pointer;
        out->bytes = r->u.linear.bytes;
        out->format = rt_format(&r->u.linear.desc);
        return 0;
    case HOST_RESOURCE_PITCH:
        out->address = (uint64_t)(uintptr_t)r->u.pitch.pointer;
        out->width = r->u.pitch.width;
        out->height = r->u.pitch.height;
        out->pitch = r->u.pitch.pitch;
        out->format = rt_format(&r->u.pitch.desc);
        return 0;
    case HOST_RESOURCE_MIPMAPPED:
        if (!host_mipmap_valid(host_get(), r->u.array)) return HOST_INVALID_VALUE;
        out->mipmap = r->u.array;
        out->format = out->mipmap->level[0]->format;
        return 0;
    default: return HOST_INVALID_VALUE;
    }
}

RT(cudaCreateTextureObject)(uint64_t *out, const rt_resource_desc *resource, const rt_texture_desc *texture,
                            const face_resource_view *view)
{
    host_texture_desc t = {0};
    if (!out || !resource || !texture) return rt_end(HOST_INVALID_VALUE);
    host_error error = read_resource(resource, &t);
    if (!error) error = face_view_read(view, &t.view);
    if (error) return rt_end(error);
    memcpy(t.address_mode, texture->address_mode, sizeof t.address_mode);
    t.filter_mode = texture->filter_mode;
    t.read_mode = texture->read_mode;
    t.normalized_coordinates = texture->normalized != 0;
    t.srgb = texture->srgb != 0;
    t.seamless = texture->seamless != 0;
    t.plain_trilinear = texture->no_trilinear != 0;
    t.max_anisotropy = texture->max_anisotropy;
    t.blend_levels = texture->mipmap_filter == HOST_FILTER_LINEAR;
    t.level_bias = texture->mipmap_bias;
    t.least_level = texture->mipmap_min;
    t.most_level = texture->mipmap_max;
    memcpy(t.border, texture->border, sizeof t.border);
    return rt_end(host_texture_create(host_get(), &t, out));
}

RT(cudaGetTextureObjectResourceDesc)(rt_resource_desc *out, uint64_t texture)
{
    const host_texture_desc *t = host_texture_get(host_get(), texture);
    if (!out || !t) return rt_end(HOST_INVALID_VALUE);
    memset(out, 0, sizeof *out);
    out->type = t->resource;
    if (t->resource == HOST_RESOURCE_ARRAY) {
        out->u.array = t->array;
    } else if (t->resource == HOST_RESOURCE_MIPMAPPED) {
        out->u.array = t->mipmap;
    } else if (t->resource == HOST_RESOURCE_LINEAR) {
        out->u.linear.pointer = (void *)(uintptr_t)t->address;
        out->u.linear.desc = rt_channel(&t->format);
        out->u.linear.bytes = t->bytes;
    } else {
        out->u.pitch.pointer = (void *)(uintptr_t)t->address;
        out->u.pitch.desc = rt_channel(&t->format);
        out->u.pitch.width = t->width;
        out->u.pitch.height = t->height;
        out->u.pitch.pitch = t->pitch;
    }
    return rt_end(0);
}

RT(cudaGetTextureObjectTextureDesc)(rt_texture_desc *out, uint64_t texture)
{
    const host_texture_desc *t = host_texture_get(host_get(), texture);
    if (!out || !t) return rt_end(HOST_INVALID_VALUE);
    memset(out, 0, sizeof *out);
    memcpy(out->address_mode, t->address_mode, sizeof out->address_mode);
    out->filter_mode = t->filter_mode;
    out->read_mode = t->read_mode;
    out->normalized = t->normalized_coordinates;
    out->srgb = t->srgb;
    out->seamless = t->seamless;
    out->no_trilinear = t->plain_trilinear;
    out->max_anisotropy = t->max_anisotropy;
    out->mipmap_filter = t->blend_levels;
    out->mipmap_bias = t->level_bias;
    out->mipmap_min = t->least_level;
    out->mipmap_max = t->most_level;
    memcpy(out->border, t->border, sizeof out->border);
    return rt_end(0);
}
