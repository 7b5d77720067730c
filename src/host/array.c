/* Arrays: rows of texels in device memory, which textures read. */
#include <stdlib.h>

#include "device/profile.h"
#include "host/array_priv.h"
#include "host/capture.h"
#include "host/emit_priv.h"
#include "host/handle_priv.h"
#include "host/memory_priv.h"
#include "host/origin_priv.h"
#include "host/queue_priv.h"
#include "host/state_priv.h"

host_error host_array_create(host_context *c, const host_format *f, uint64_t width, uint64_t height, uint64_t depth,
                             uint32_t flags, host_array **out)
{
    if (!f || !out || !width || (depth && !height && !(flags & HOST_ARRAY_LAYERED))) return HOST_INVALID_VALUE;
    host_error error = host_status(c);
    if (!error) error = host_capture_forbid(c);
    if (error) return error;
    int bits = f->bits[0] + f->bits[1] + f->bits[2] + f->bits[3];
    if (bits <= 0 || bits % 8 || bits > 128 || f->kind < 0 || f->kind > 2) return HOST_INVALID_CHANNEL_DESCRIPTOR;
    host_array *a = lw_alloc(sizeof *a);
    *a = (host_array){.width = width, .height = height, .depth = depth, .format = *f, .flags = flags};
    a->element_bytes = (uint32_t)bits / 8;
    a->pitch = lw_round_up(width * a->element_bytes, c->device->texture_pitch_alignment);
    uint64_t bytes = a->pitch * LW_MAX(height, UINT64_C(1)) * LW_MAX(depth, UINT64_C(1));
    error = host_memory_error(
        mem_alloc(c->memory, bytes, c->device->texture_alignment, MEM_DEVICE, 0, "array", &a->address));
    if (error) {
        free(a);
        return error;
    }
    mem_note_made(c->memory, a->address, host_origin_here(c));
    host_fill_fresh(c, a->address, bytes);
    host_emit_alloc(c, a->address, bytes, false, NULL);
    host_lock(c);
    lw_vec_push(&c->arrays->all, a);
    host_unlock(c);
    host_handle_add(c, a, HOST_T_ARRAY);
    *out = a;
    return 0;
}

bool host_array_valid(host_context *c, const host_array *array) { return host_handle_is(c, array, HOST_T_ARRAY); }

host_error host_array_destroy(host_context *c, host_array *a)
{
    if (!a) return 0;
    if (!host_array_valid(c, a)) return HOST_INVALID_VALUE;
    host_handle_remove(c, a);
    host_queue_synchronize(c);
    mem_note_freed(c->memory, a->address, host_origin_here(c));
    host_emit_free(c, a->address, host_queue_place(c));
    mem_free(c->memory, a->address);
    host_lock(c);
    for (size_t i = 0; i < c->arrays->all.count; i++) {
        if (c->arrays->all.items[i] != a) continue;
        c->arrays->all.items[i] = c->arrays->all.items[--c->arrays->all.count];
        break;
    }
    host_unlock(c);
    free(a);
    return host_status(c);
}

void host_arrays_free(host_context *c)
{
    for (size_t i = 0; i < c->arrays->all.count; i++) {
        host_handle_remove(c, c->arrays->all.items[i]);
        mem_free(c->memory, c->arrays->all.items[i]->address);
        free(c->arrays->all.items[i]);
    }
    c->arrays->all.count = 0;
}
