/* Surface objects: arrays that kernels read and write in place. */
#include "host/devices.h"
#include "host/surface_priv.h"

#include <stdlib.h>

#include "host/array_priv.h"
#include "host/queue_priv.h"
#include "host/refuse.h"
#include "host/slots_priv.h"
#include "host/texture_ref_priv.h"

/* So that the handle of a texture is no handle of a surface, and a kernel that takes one for the other is told. */
#define FIRST_HANDLE (UINT64_C(1) << 30)

typedef struct surface {
    host_array *array; /* may be gone: then the access faults */
    exec_surface facts;
} surface;

struct host_surfaces {
    host_slots slots;
};

host_surfaces *host_surfaces_make(void) { return lw_alloc(sizeof(host_surfaces)); }
void host_surfaces_free(host_context *c) { host_slots_free(&c->surfaces->slots); }

static surface *find(host_context *c, uint64_t handle)
{
    handle = host_texture_ref_object(c, handle);
    return handle > FIRST_HANDLE ? host_slots_find(&c->surfaces->slots, handle - FIRST_HANDLE) : NULL;
}

static exec_surface facts_of(const host_array *a)
{
    static const char kinds[] = {[HOST_FORMAT_SIGNED] = 'S', [HOST_FORMAT_UNSIGNED] = 'U', [HOST_FORMAT_FLOAT] = 'F'};
    uint32_t rows = (uint32_t)LW_MAX(a->height, UINT64_C(1)), slices = (uint32_t)LW_MAX(a->depth, UINT64_C(1));
    return (exec_surface){.address = a->address,
                          .pitch = a->pitch,
                          .slice = a->pitch * rows,
                          .size = {(uint32_t)a->width, rows, slices},
                          .texel_bytes = (uint8_t)a->element_bytes,
                          .channels = (uint8_t)(a->element_bytes * 8 / (uint32_t)a->format.bits[0]),
                          .kind = kinds[a->format.kind],
                          .normalized = a->format.normalized,
                          .tiles = exec_tiles_of(a->width * a->element_bytes, rows)};
}

host_error host_surface_create(host_context *c, host_array *array, uint64_t *out)
{
    host_error error = host_status(c);
    if (error) return error;
    if (!out || !host_array_valid(c, array)) return HOST_INVALID_VALUE;
    /* Levels of mipmapped arrays need no flag: cuda-samples' bindlessTexture writes them without. */
    if (!(array->flags & HOST_ARRAY_SURFACE) && !array->is_level)
        return host_refuse(HOST_INVALID_VALUE, "The array was not made for surfaces: its flags lack "
                                               "cudaArraySurfaceLoadStore (CUDA_ARRAY3D_SURFACE_LDST).");
    if (host_array_device(c, array) != host_device_current(c)) return HOST_PEER_ACCESS_NOT_ENABLED;
    surface *s = lw_alloc(sizeof *s);
    *s = (surface){array, facts_of(array)};
    host_lock(c);
    *out = FIRST_HANDLE + host_slots_add(&c->surfaces->slots, s);
    host_unlock(c);
    return 0;
}

host_error host_surface_destroy(host_context *c, uint64_t handle)
{
    if (!handle) return 0;
    if (!find(c, handle)) return HOST_INVALID_VALUE;
    host_queue_drain(c);
    host_lock(c);
    free(host_slots_remove(&c->surfaces->slots, handle - FIRST_HANDLE));
    host_unlock(c);
    return 0;
}

host_array *host_surface_array(host_context *c, uint64_t handle)
{
    const surface *s = find(c, handle);
    return s ? s->array : NULL;
}

bool host_surface_find(host_context *c, uint64_t handle, exec_surface *out)
{
    const surface *s = find(c, handle);
    if (s) *out = s->facts;
    return s != NULL;
}
