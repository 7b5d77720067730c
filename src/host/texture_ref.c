/* Texture and surface references. Kernels name them by the address of their variable, which is no handle: handles are
 * small. The list only grows while the context lives, so kernels look without a lock. */
#include "host/texture_ref_priv.h"

#include <stdlib.h>

#include "host/texture_priv.h"

static host_texture_ref *find(const host_context *c, uint64_t address)
{
    host_texture_ref *r = __atomic_load_n(&c->textures->refs, __ATOMIC_ACQUIRE);
    while (r && r->address != address) r = r->next;
    return r;
}

host_texture_ref *host_texture_ref_of(host_context *c, uint64_t address)
{
    host_lock(c);
    host_texture_ref *r = find(c, address);
    if (!r) {
        r = lw_alloc(sizeof *r);
        *r = (host_texture_ref){.next = c->textures->refs, .address = address};
        for (int d = 0; d < 3; d++) r->desc.address_mode[d] = HOST_ADDRESS_CLAMP;
        __atomic_store_n(&c->textures->refs, r, __ATOMIC_RELEASE);
    }
    host_unlock(c);
    return r;
}

bool host_texture_ref_valid(host_context *c, const host_texture_ref *ref)
{
    const host_texture_ref *r = c->textures->refs;
    while (r && r != ref) r = r->next;
    return r != NULL;
}

uint64_t host_texture_ref_object(const host_context *c, uint64_t handle)
{
    if (handle <= UINT32_MAX) return handle;
    const host_texture_ref *r = find(c, handle);
    return r ? __atomic_load_n(&r->object, __ATOMIC_ACQUIRE) : 0;
}

void host_texture_refs_free(host_context *c)
{
    while (c->textures->refs) {
        host_texture_ref *next = c->textures->refs->next;
        free(c->textures->refs);
        c->textures->refs = next;
    }
}
