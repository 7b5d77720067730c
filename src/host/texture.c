/* Texture objects: linear memory, pitched 2-D memory and arrays; what a descriptor may say, and the table of handles.
 * texture_sample.c reads them. */
#include <stdlib.h>
#include <string.h>

#include "device/profile.h"
#include "host/queue_priv.h"
#include "host/services_priv.h"
#include "host/slots_priv.h"
#include "host/state_priv.h"
#include "host/texture_priv.h"

static uint32_t element_bytes(const host_format *f)
{
    return (uint32_t)(f->bits[0] + f->bits[1] + f->bits[2] + f->bits[3]) / 8;
}

static host_error check_format(const host_format *f)
{
    int channels = 0;
    for (int i = 0; i < 4; i++) {
        int bits = f->bits[i];
        if (!bits) continue;
        if (bits != f->bits[0] || (bits != 8 && bits != 16 && bits != 32)) return HOST_INVALID_CHANNEL_DESCRIPTOR;
        channels++;
    }
    bool shape = channels == 1 || channels == 2 || channels == 4;
    return shape && f->kind >= 0 && f->kind <= 2 ? 0 : HOST_INVALID_CHANNEL_DESCRIPTOR;
}

static host_error check_desc(host_context *c, const host_texture_desc *t)
{
    host_error error = check_format(&t->format);
    if (error) return error;
    bool floats = t->format.kind == HOST_FORMAT_FLOAT;
    if (t->read_mode == HOST_READ_NORMALIZED && !floats && t->format.bits[0] == 32) return HOST_INVALID_NORM_SETTING;
    if (t->filter_mode == HOST_FILTER_LINEAR && !floats && t->read_mode != HOST_READ_NORMALIZED)
        return HOST_INVALID_FILTER_SETTING;
    if (t->resource == HOST_RESOURCE_ARRAY) return host_array_valid(c, t->array) ? 0 : HOST_INVALID_VALUE;
    uint64_t bytes = t->resource == HOST_RESOURCE_LINEAR ? t->bytes : t->pitch * (t->height ? t->height - 1 : 0) + 1;
    mem_allocation a;
    if (t->address % c->device->texture_alignment || !mem_find(c->memory, t->address, &a)) return HOST_INVALID_VALUE;
    if (bytes > a.address + a.bytes - t->address) return HOST_INVALID_VALUE;
    if (t->resource == HOST_RESOURCE_PITCH &&
        (t->pitch % c->device->texture_pitch_alignment || !t->width || !t->height))
        return HOST_INVALID_VALUE;
    return 0;
}

/* ---- the table of textures ---- */
static tex_shape shape_of(const host_texture_desc *t)
{
    uint32_t bytes = element_bytes(&t->format);
    if (t->resource == HOST_RESOURCE_ARRAY) {
        const host_array *a = t->array;
        int64_t h = (int64_t)LW_MAX(a->height, UINT64_C(1)), d = (int64_t)LW_MAX(a->depth, UINT64_C(1));
        return (tex_shape){a->address, a->pitch, a->pitch * (uint64_t)h, {(int64_t)a->width, h, d}};
    }
    if (t->resource == HOST_RESOURCE_PITCH)
        return (tex_shape){t->address, t->pitch, t->pitch * t->height, {(int64_t)t->width, (int64_t)t->height, 1}};
    return (tex_shape){t->address, t->bytes, t->bytes, {(int64_t)(t->bytes / bytes), 1, 1}};
}

const host_texture_sampler *host_texture_sampler_of_host(void)
{
#define DECLARED(isa) extern const host_texture_sampler host_texture_sampler_##isa;
#define ADDRESS(isa) &host_texture_sampler_##isa,
    EXEC_LEVELS(DECLARED)
    static const host_texture_sampler *const levels[] = {EXEC_LEVELS(ADDRESS)};
#undef DECLARED
#undef ADDRESS
    return levels[exec_host_level()];
}

static host_texture *texture_new(const host_texture_desc *desc)
{
    host_texture *t = lw_alloc(sizeof *t);
    t->desc = *desc;
    t->shape = shape_of(desc);
    t->bytes = element_bytes(&desc->format);
    t->width = (uint32_t)desc->format.bits[0] / 8;
    t->channels = t->bytes / t->width;
    t->small = desc->format.kind != HOST_FORMAT_FLOAT && t->width == 1 && desc->read_mode == HOST_READ_NORMALIZED;
    t->plain = t->width == 4;
    for (int d = 0; d < 3; d++) {
        /* Wrap and mirror work on normalised coordinates only; otherwise they clamp. */
        int mode = desc->address_mode[d];
        bool clamps = !desc->normalized_coordinates && (mode == HOST_ADDRESS_WRAP || mode == HOST_ADDRESS_MIRROR);
        t->mode[d] = clamps ? HOST_ADDRESS_CLAMP : mode;
    }
    t->sampler = host_texture_sampler_of_host();
    t->sampler->prepare(t);
    return t;
}

struct host_textures {
    host_slots slots;
};

host_textures *host_textures_make(void) { return lw_alloc(sizeof(host_textures)); }

host_error host_texture_create(host_context *c, const host_texture_desc *desc, uint64_t *out)
{
    host_error error = host_status(c);
    if (!error) error = out ? check_desc(c, desc) : HOST_INVALID_VALUE;
    if (error) return error;
    host_texture *t = texture_new(desc);
    host_lock(c);
    *out = host_slots_add(&c->textures->slots, t);
    host_unlock(c);
    return 0;
}

const host_texture *host_texture_find(host_context *c, uint64_t handle)
{
    return host_slots_find(&c->textures->slots, handle);
}

const host_texture_desc *host_texture_get(host_context *c, uint64_t handle)
{
    const host_texture *t = host_texture_find(c, handle);
    return t ? &t->desc : NULL;
}

host_error host_texture_destroy(host_context *c, uint64_t handle)
{
    if (!handle) return 0;
    if (!host_texture_get(c, handle)) return HOST_INVALID_VALUE;
    host_queue_drain(c);
    host_lock(c);
    free(host_slots_remove(&c->textures->slots, handle));
    host_unlock(c);
    return 0;
}

void host_textures_free(host_context *c) { host_slots_free(&c->textures->slots); }

/* ---- fetching ---- */
/* Those of `lanes` that name the texture of the first one. */
static uint32_t lanes_of_first(const exec_texture_fetch *f, uint32_t lanes)
{
    uint64_t handle = f->texture[__builtin_ctz(lanes)], differ = 0;
    uint32_t same = 0;
    if (lanes == UINT32_MAX) {
        for (uint32_t l = 0; l < 32; l++) differ |= f->texture[l] ^ handle;
        if (!differ) return lanes;
    }
    for (uint32_t m = lanes; m; m &= m - 1) same |= f->texture[__builtin_ctz(m)] == handle ? m & -m : 0;
    return same;
}

bool host_texture_fetch(void *context, const exec_texture_fetch *f, uint32_t *out_bad)
{
    *f->located = 0;
    for (uint32_t rest = f->mask; rest;) {
        *out_bad = (uint32_t)__builtin_ctz(rest);
        const host_texture *t = host_texture_find(context, f->texture[*out_bad]);
        if (!t || f->dimensions < 1 || f->dimensions > 3) return false;
        uint32_t lanes = lanes_of_first(f, rest);
        t->sampler->sample(t, f, lanes);
        rest &= ~lanes;
    }
    return true;
}
