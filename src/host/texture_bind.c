/* What texture and surface references stand for: objects that are made anew whenever the host changes something. */
#include "host/surface.h"
#include "host/texture_ref.h"

void host_texture_ref_bind(host_context *c, host_texture_ref *r)
{
    uint64_t old = r->object, fresh = 0;
    if (!r->bound || host_texture_create(c, &r->desc, &fresh)) fresh = 0; /* the next change may complete it */
    __atomic_store_n(&r->object, fresh, __ATOMIC_RELEASE);
    if (old) host_texture_destroy(c, old);
}

host_error host_surface_ref_bind(host_context *c, host_texture_ref *r, host_array *array)
{
    uint64_t old = r->object, fresh = 0;
    host_error error = host_surface_create(c, array, &fresh);
    if (error) return error;
    r->desc.array = array;
    __atomic_store_n(&r->object, fresh, __ATOMIC_RELEASE);
    if (old) host_surface_destroy(c, old);
    return 0;
}
