/* Surface objects, and views of arrays as textures read them. */
#include <string.h>

#include "face/face.h"

host_error face_surface_create(const face *self, const face_array_resource *resource, uint64_t *out)
{
    if (!out || !resource || resource->type != HOST_RESOURCE_ARRAY) return HOST_INVALID_VALUE;
    if (!host_array_valid(host_get(), resource->array)) return self->bad_array;
    return host_surface_create(host_get(), resource->array, out);
}

host_error face_surface_resource(face_array_resource *out, uint64_t surface)
{
    host_array *array = host_surface_array(host_get(), surface);
    if (!out || !array) return HOST_INVALID_VALUE;
    memset(out, 0, sizeof *out);
    out->type = HOST_RESOURCE_ARRAY;
    out->array = array;
    return 0;
}

/* cudaResViewFormat..., CU_RES_VIEW_FORMAT_...: 1, 2, 4 channels of each kind, from 1 on. */
static const struct {
    int bits, kind;
} view_kinds[] = {{8, HOST_FORMAT_UNSIGNED}, {8, HOST_FORMAT_SIGNED},    {16, HOST_FORMAT_UNSIGNED},
                  {16, HOST_FORMAT_SIGNED},  {32, HOST_FORMAT_UNSIGNED}, {32, HOST_FORMAT_SIGNED},
                  {16, HOST_FORMAT_FLOAT},   {32, HOST_FORMAT_FLOAT}};

host_error face_view_read(const face_resource_view *view, host_resource_view *out)
{
    if (!view) return 0;
    *out = (host_resource_view){.given = true,
                                .number = view->format,
                                .width = view->width,
                                .height = view->height,
                                .depth = view->depth,
                                .first_level = view->first_level,
                                .last_level = view->last_level,
                                .first_layer = view->first_layer,
                                .last_layer = view->last_layer};
    if (!view->format) return 0;
    uint32_t at = (uint32_t)view->format - 1, channels = 1u << at % 3;
    if (at / 3 >= LW_COUNT(view_kinds)) return HOST_NOT_SUPPORTED; /* compressed blocks */
    out->format.kind = view_kinds[at / 3].kind;
    for (uint32_t k = 0; k < channels; k++) out->format.bits[k] = view_kinds[at / 3].bits;
    return 0;
}

host_error face_view_of_texture(face_resource_view *out, uint64_t texture)
{
    const host_texture_desc *t = host_texture_get(host_get(), texture);
    if (!out || !t || !t->view.given) return HOST_INVALID_VALUE;
    const host_resource_view *v = &t->view;
    *out = (face_resource_view){v->number,      v->width,      v->height,      v->depth,
                                v->first_level, v->last_level, v->first_layer, v->last_layer};
    return 0;
}
