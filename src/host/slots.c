/* Tables from small handles to objects. */
#include "host/slots_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { HOST_SLOTS_FIRST = 64 }; /* entries of the first chunk */

static uint32_t chunk_of(uint64_t handle)
{
    return 63u - (uint32_t)__builtin_clzll((handle - 1) / HOST_SLOTS_FIRST + 1);
}

/* The place of a handle; NULL: no such handle has been given out. */
static void **place_of(const host_slots *s, uint64_t handle)
{
    if (!handle || handle > UINT32_MAX) return NULL;
    uint32_t k = chunk_of(handle);
    if (k >= LW_COUNT(s->chunks)) return NULL;
    void **chunk = __atomic_load_n(&s->chunks[k], __ATOMIC_ACQUIRE);
    return chunk ? &chunk[handle - 1 - HOST_SLOTS_FIRST * ((UINT64_C(1) << k) - 1)] : NULL;
}

uint64_t host_slots_add(host_slots *s, void *object)
{
    uint64_t handle = ++s->count;
    uint32_t k = chunk_of(handle);
    if (!s->chunks[k]) {
        void **chunk = lw_alloc(((size_t)HOST_SLOTS_FIRST << k) * sizeof *chunk);
        __atomic_store_n(&s->chunks[k], chunk, __ATOMIC_RELEASE);
    }
    *place_of(s, handle) = object;
    return handle;
}

void *host_slots_find(const host_slots *s, uint64_t handle)
{
    void **place = place_of(s, handle);
    return place ? *place : NULL;
}

void *host_slots_remove(host_slots *s, uint64_t handle)
{
    void **place = place_of(s, handle);
    if (!place) return NULL;
    void *object = *place;
    *place = NULL;
    return object;
}

void host_slots_free(host_slots *s)
{
    for (uint64_t handle = 1; handle <= s->count; handle++) free(*place_of(s, handle));
    for (size_t k = 0; k < LW_COUNT(s->chunks); k++) free(s->chunks[k]);
    memset(s, 0, sizeof *s);
}
