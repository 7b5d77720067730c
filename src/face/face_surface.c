/* Surface objects. */
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
