/* Arrays: rows of texels in device memory, which textures read. */
#include <stdlib.h>

#include "device/profile.h"
#include "host/array_priv.h"
#include "host/capture.h"
#include "host/devices.h"
#include "host/emit_priv.h"
#include "host/handle_priv.h"
#include "host/memory_priv.h"
#include "host/origin_priv.h"
#include "host/queue_priv.h"
#include "host/refuse.h"
#include "host/state_priv.h"

/* 1, 2 or 4 channels of the same 8, 16 or 32 bits. */
static bool format_exists(const host_format *f)
{
    int channels = 0;
    for (int k = 0; k < 4; k++) {
        if (!f->bits[k]) continue;
        if (f->bits[k] != f->bits[0] || channels != k) return false;
        channels++;
    }
    bool width = f->bits[0] == 8 || f->bits[0] == 16 || f->bits[0] == 32;
    bool kind = f->kind >= HOST_FORMAT_SIGNED && f->kind <= HOST_FORMAT_FLOAT;
    return width && kind && (channels == 1 || channels == 2 || channels == 4) &&
           !(f->kind == HOST_FORMAT_FLOAT && f->bits[0] == 8);
}

/* Which dimensions an array of these flags has (the runtime's reference, cudaMalloc3DArray). */
static bool shape_exists(uint64_t width, uint64_t height, uint64_t depth, uint32_t flags)
{
    bool layered = flags & HOST_ARRAY_LAYERED;
    if (!width) return false;
    if (flags & HOST_ARRAY_CUBEMAP) return width == height && (layered ? depth && depth % 6 == 0 : depth == 6);
    if (layered) return depth != 0;
    return height || !depth;
}

static bool within(uint64_t width, uint64_t height, uint64_t depth, uint64_t w, uint64_t h, uint64_t d)
{
    return width <= w && height <= h && depth <= d;
}

/* The device's limits for textures; those for surfaces are the same but for one-dimensional ones. */
static bool size_fits(const device_profile *p, uint64_t width, uint64_t height, uint64_t depth, uint32_t flags)
{
    const uint64_t cube_layers = 2046 * 6;
    uint64_t layered = (uint64_t)p->texture_layered_width, layers = (uint64_t)p->texture_layers;
    bool surface = flags & HOST_ARRAY_SURFACE;
    if (flags & HOST_ARRAY_CUBEMAP) return within(width, height, depth, layered, layered, cube_layers);
    if (flags & HOST_ARRAY_LAYERED) return within(width, height, depth, layered, layered, layers);
    if (flags & HOST_ARRAY_GATHER) return within(width, height, depth, layered, layered, 0);
    if (depth)
        return within(width, height, depth, (uint64_t)p->texture3d_width, (uint64_t)p->texture3d_height,
                      (uint64_t)p->texture3d_depth);
    if (height) return within(width, height, depth, (uint64_t)p->texture2d_width, (uint64_t)p->texture2d_height, 0);
    return width <= (surface ? layered : (uint64_t)p->texture1d);
}

static host_error check_array(host_context *c, const host_format *f, uint64_t width, uint64_t height, uint64_t depth,
                              uint32_t flags)
{
    if (!shape_exists(width, height, depth, flags))
        return host_refuse(HOST_INVALID_VALUE, "No array has these dimensions with these flags: a cubemap is square "
                                               "and has 6 layers, of layered ones the depth is the number of layers.");
    host_error error = host_status(c);
    if (!error) error = host_capture_forbid(c);
    if (error) return error;
    if (!format_exists(f)) return HOST_INVALID_CHANNEL_DESCRIPTOR;
    return size_fits(c->device, width, height, depth, flags) ? 0 : HOST_INVALID_VALUE;
}

host_error host_array_create(host_context *c, const host_format *f, uint64_t width, uint64_t height, uint64_t depth,
                             uint32_t flags, host_array **out)
{
    if (!f || !out) return HOST_INVALID_VALUE;
    host_error error = check_array(c, f, width, height, depth, flags);
    if (error) return error;
    int bits = f->bits[0] + f->bits[1] + f->bits[2] + f->bits[3];
    host_array *a = lw_alloc(sizeof *a);
    *a = (host_array){.width = width, .height = height, .depth = depth, .format = *f, .flags = flags};
    a->element_bytes = (uint32_t)bits / 8;
    a->pitch = lw_round_up(width * a->element_bytes, c->device->texture_pitch_alignment);
    uint64_t bytes = a->pitch * LW_MAX(height, UINT64_C(1)) * LW_MAX(depth, UINT64_C(1));
    error = host_memory_error(mem_alloc_on(c->memory, host_device_current(c), bytes, c->device->texture_alignment,
                                           MEM_DEVICE, 0, "array", &a->address));
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
    if (!host_array_valid(c, a) || a->is_level) return HOST_INVALID_VALUE;
    host_queue_synchronize(c);
    host_array_end(c, a);
    return host_status(c);
}

void host_array_end(host_context *c, host_array *a)
{
    host_handle_remove(c, a);
    mem_note_freed(c->memory, a->address, host_origin_here(c), false);
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
}

void host_arrays_free(host_context *c)
{
    for (size_t i = 0; i < c->arrays->all.count; i++) {
        host_handle_remove(c, c->arrays->all.items[i]);
        mem_free(c->memory, c->arrays->all.items[i]->address);
        free(c->arrays->all.items[i]);
    }
    for (size_t i = 0; i < c->arrays->mipmaps.count; i++) {
        host_handle_remove(c, c->arrays->mipmaps.items[i]);
        free(c->arrays->mipmaps.items[i]);
    }
    c->arrays->all.count = 0;
    c->arrays->mipmaps.count = 0;
}

uint32_t host_array_device(host_context *c, const host_array *array)
{
    mem_allocation a;
    return mem_find(c->memory, array->address, &a) ? a.device : 0;
}
