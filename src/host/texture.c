/* Texture objects: linear memory, pitched 2-D memory and arrays, read with point or linear filtering. Coordinates,
 * address modes and filtering follow the CUDA programming guide's appendix on texture fetching: a linear filter works
 * on 1.8 fixed-point weights; normalised reads map integers to [0,1] or [-1,1]. Integer coordinates (tex1Dfetch) index
 * linear memory without filtering; outside it they read zero. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/profile.h"
#include "host/queue_priv.h"
#include "host/services_priv.h"
#include "host/state_priv.h"
#include "host/texture.h"

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
typedef struct tex_shape {
    uint64_t address, pitch, slice;
    int64_t size[3]; /* 1 for dimensions there are not */
} tex_shape;

typedef struct host_texture {
    host_texture_desc desc;
    tex_shape shape;
    uint32_t bytes, width, channels; /* of a texel, of a channel; channels */
    int mode[3];                     /* address modes as they act */
    bool small;                      /* 8-bit texels read as normalised floats */
    bool plain;                      /* 32-bit texels that are read as they stand */
} host_texture;

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
    return t;
}

enum { HOST_TEXTURES_FIRST = 64 }; /* textures in the first chunk of the table */

struct host_textures {
    host_texture **chunks[24]; /* handles count from 1; NULL: destroyed */
    uint64_t count;
};

host_textures *host_textures_make(void) { return lw_alloc(sizeof(host_textures)); }

/* The place of a handle. Entries never move, so that running kernels find theirs without a lock: chunk k holds
 * HOST_TEXTURES_FIRST << k of them. NULL: no such handle has been given out. */
static host_texture **texture_place(host_context *c, uint64_t handle)
{
    if (!handle || handle > UINT32_MAX) return NULL;
    uint64_t n = (handle - 1) / HOST_TEXTURES_FIRST + 1;
    uint32_t k = 63u - (uint32_t)__builtin_clzll(n);
    if (k >= LW_COUNT(c->textures->chunks)) return NULL;
    host_texture **chunk = __atomic_load_n(&c->textures->chunks[k], __ATOMIC_ACQUIRE);
    return chunk ? &chunk[handle - 1 - HOST_TEXTURES_FIRST * ((UINT64_C(1) << k) - 1)] : NULL;
}

static void texture_place_new(host_context *c, uint64_t handle)
{
    uint32_t k = 63u - (uint32_t)__builtin_clzll((handle - 1) / HOST_TEXTURES_FIRST + 1);
    if (c->textures->chunks[k]) return;
    __atomic_store_n(&c->textures->chunks[k],
                     lw_alloc(((size_t)HOST_TEXTURES_FIRST << k) * sizeof *c->textures->chunks[k]), __ATOMIC_RELEASE);
}

host_error host_texture_create(host_context *c, const host_texture_desc *desc, uint64_t *out)
{
    host_error error = host_status(c);
    if (!error) error = out ? check_desc(c, desc) : HOST_INVALID_VALUE;
    if (error) return error;
    host_texture *t = texture_new(desc);
    host_lock(c);
    *out = ++c->textures->count;
    texture_place_new(c, *out);
    *texture_place(c, *out) = t;
    host_unlock(c);
    return 0;
}

const host_texture_desc *host_texture_get(host_context *c, uint64_t handle)
{
    host_texture **place = texture_place(c, handle);
    return place && *place ? &(*place)->desc : NULL;
}

host_error host_texture_destroy(host_context *c, uint64_t handle)
{
    if (!handle) return 0;
    if (!host_texture_get(c, handle)) return HOST_INVALID_VALUE;
    host_queue_drain(c);
    host_lock(c);
    host_texture **place = texture_place(c, handle);
    free(*place);
    *place = NULL;
    host_unlock(c);
    return 0;
}

void host_textures_free(host_context *c)
{
    for (uint64_t handle = 1; handle <= c->textures->count; handle++) free(*texture_place(c, handle));
    for (size_t k = 0; k < LW_COUNT(c->textures->chunks); k++) {
        free(c->textures->chunks[k]);
        c->textures->chunks[k] = NULL;
    }
    c->textures->count = 0;
}

/* ---- fetching ---- */
typedef struct texel {
    float f[4];
    uint32_t u[4]; /* as integers, when the read mode keeps them */
} texel;

static float half_to_float(uint16_t h)
{
    int exponent = h >> 10 & 31;
    float mantissa = (float)(h & 1023);
    float value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                  : exponent     ? ldexpf(1024 + mantissa, exponent - 25)
                                 : ldexpf(mantissa, -24);
    return h & 0x8000 ? -value : value;
}

static void read_channel(const host_texture_desc *t, const uint8_t *p, int channel, texel *out)
{
    int bits = t->format.bits[0];
    bool is_signed = t->format.kind == HOST_FORMAT_SIGNED;
    uint32_t raw = bits == 8 ? *p : bits == 16 ? lw_read_u16(p) : lw_read_u32(p);
    if (t->format.kind == HOST_FORMAT_FLOAT) {
        float value;
        memcpy(&value, &raw, sizeof value);
        out->f[channel] = bits == 16 ? half_to_float((uint16_t)raw) : value;
        memcpy(&out->u[channel], &out->f[channel], 4);
        return;
    }
    int32_t wide = bits == 8 ? (int8_t)raw : bits == 16 ? (int16_t)raw : (int32_t)raw;
    out->u[channel] = is_signed ? (uint32_t)wide : raw;
    if (t->read_mode == HOST_READ_NORMALIZED) {
        float most = is_signed ? (float)((1u << (bits - 1)) - 1) : (float)((1u << bits) - 1);
        out->f[channel] = is_signed ? fmaxf((float)wide / most, -1.0f) : (float)raw / most;
        memcpy(&out->u[channel], &out->f[channel], 4);
    }
}

/* The texel at an address; channels there are not read as zero. */
static inline void read_texel(const host_texture *t, uint64_t address, texel *out)
{
    const uint8_t *p = mem_storage(address);
    if (!t->plain) {
        for (uint32_t i = 0; i < t->channels; i++) read_channel(&t->desc, p + i * t->width, (int)i, out);
        return;
    }
    for (uint32_t i = 0; i < t->channels; i++) {
        out->u[i] = lw_read_u32(p + 4 * i);
        memcpy(&out->f[i], &out->u[i], 4);
    }
}

/* An integer coordinate under an address mode; false: the border colour. */
static bool wrap_index(int mode, int64_t size, int64_t *x)
{
    if (*x >= 0 && *x < size) return true;
    switch (mode) {
    case HOST_ADDRESS_WRAP: *x = ((*x % size) + size) % size; return true;
    case HOST_ADDRESS_MIRROR: {
        int64_t m = ((*x % (2 * size)) + 2 * size) % (2 * size);
        *x = m < size ? m : 2 * size - 1 - m;
        return true;
    }
    case HOST_ADDRESS_CLAMP: *x = *x < 0 ? 0 : size - 1; return true;
    default: return false;
    }
}

/* The greatest integer not above x, without the library; what is not a number or too large becomes a far number. */
static inline int64_t floor_index(float x)
{
    float near = x > -4e18f ? x < 4e18f ? x : 4e18f : -4e18f;
    int64_t n = (int64_t)near;
    return n - ((float)n > near);
}

static void read_border(const host_texture *t, texel *out)
{
    memcpy(out->f, t->desc.border, sizeof out->f);
    memcpy(out->u, t->desc.border, sizeof out->u);
}

static void fetch_point(const host_texture *t, const tex_shape *s, uint32_t n, const float *x, texel *out,
                        uint64_t *out_address)
{
    const uint64_t step[3] = {t->bytes, s->pitch, s->slice};
    uint64_t address = s->address;
    for (uint32_t d = 0; d < n; d++) {
        int64_t at = floor_index(x[d]);
        if (!wrap_index(t->mode[d], s->size[d], &at)) {
            read_border(t, out);
            return;
        }
        address += (uint64_t)at * step[d];
    }
    read_texel(t, address, out);
    if (out_address) *out_address = address;
}

/* Weights of the corners in 256ths. In two dimensions the weight of the far corner is rounded and the others follow
 * from the weights of the axes, so that they add up to 256 (as recorded on an H200). */
static void corner_weights(uint32_t n, const int axis[3], int out[8])
{
    if (n == 1) {
        out[0] = 256 - axis[0];
        out[1] = axis[0];
        return;
    }
    int far = (axis[0] * axis[1] + 128) / 256;
    int plane[4] = {256 - axis[0] - axis[1] + far, axis[0] - far, axis[1] - far, far};
    for (int i = 0; i < 4; i++) {
        int back = n == 3 ? (plane[i] * axis[2] + 128) / 256 : 0;
        out[i] = plane[i] - back;
        out[i + 4] = back;
    }
}

/* The integer nearest to x, halves away from zero, for |x| < 2^31. */
static inline int32_t nearest(double x) { return (int32_t)(x < 0 ? x - 0.5 : x + 0.5); }

/* A channel at the corners, as the filter adds it up: 8-bit texels in integers, everything else as floats. */
static inline float corner_value(const host_texture *t, uint64_t address, uint32_t channel)
{
    const uint8_t *p = mem_storage(address);
    if (t->small) {
        if (t->desc.format.kind) return p[channel];
        return (float)LW_MAX((int8_t)p[channel], -127);
    }
    texel one = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    if (t->plain) memcpy(&one.f[0], p + 4 * channel, 4);
    else read_channel(&t->desc, p + channel * t->width, 0, &one);
    return one.f[0];
}

static float border_value(const host_texture *t, uint32_t channel)
{
    float value = t->desc.border[channel];
    return t->small ? (float)round((double)value * (t->desc.format.kind ? 255 : 127)) : value;
}

/* A filtered channel. The result of 8-bit normalised texels keeps 16 bits (as recorded); everything else is filtered in
 * single precision. corner: an address, 0 for the border. */
static inline float filter_channel(const host_texture *t, const uint64_t *corner, const int *weight, uint32_t count,
                                   uint32_t channel)
{
    float sum = 0;
    if (!t->small) {
        for (uint32_t i = 0; i < count; i++)
            if (weight[i])
                sum += (float)weight[i] / 256.0f *
                       (corner[i] ? corner_value(t, corner[i], channel) : border_value(t, channel));
        return sum;
    }
    double most = t->desc.format.kind == HOST_FORMAT_SIGNED ? 32767 : 65535,
           unit = t->desc.format.kind == HOST_FORMAT_SIGNED ? 127 : 255, exact = 0;
    for (uint32_t i = 0; i < count; i++)
        exact += (double)weight[i] * (corner[i] ? corner_value(t, corner[i], channel) : border_value(t, channel));
    return (float)(nearest(exact * most / (256 * unit)) / most);
}

static void fetch_linear(const host_texture *t, const tex_shape *s, uint32_t n, const float *x, texel *out,
                         uint64_t *out_address)
{
    const uint64_t step[3] = {t->bytes, s->pitch, s->slice};
    uint64_t offset[3][2], corner[8];
    bool inside[3][2];
    int axis[3] = {0, 0, 0}, weight[8];
    for (uint32_t d = 0; d < n; d++) {
        float shifted = x[d] - 0.5f;
        int64_t low = floor_index(shifted);
        float part = shifted - (float)low;
        axis[d] = part >= 0 && part <= 1 ? nearest(part * 256.0f) : 0; /* 8 bits of fraction, as the guide says */
        for (int far = 0; far < 2; far++) {
            int64_t at = low + far;
            inside[d][far] = wrap_index(t->mode[d], s->size[d], &at);
            offset[d][far] = (uint64_t)at * step[d];
        }
    }
    corner_weights(n, axis, weight);
    for (uint32_t i = 0; i < 1u << n; i++) {
        corner[i] = s->address;
        bool in = true;
        for (uint32_t d = 0; d < n; d++) in &= inside[d][i >> d & 1], corner[i] += offset[d][i >> d & 1];
        if (!in) corner[i] = 0;
    }
    for (uint32_t c = 0; c < t->channels; c++) out->f[c] = filter_channel(t, corner, weight, 1u << n, c);
    memcpy(out->u, out->f, sizeof out->u);
    if (out_address) *out_address = corner[0];
}

bool host_texture_fetch(void *context, uint64_t handle, uint32_t n, bool layered, bool coordinates_float,
                        const uint32_t *coordinates, ptx_type type, uint32_t out[4], uint64_t *out_address)
{
    host_texture **place = texture_place(context, handle);
    const host_texture *t = place ? *place : NULL;
    (void)type; /* the bits are the same whatever the instruction calls them */
    if (out_address) *out_address = 0;
    if (!t || n < 1 || n > 3) return false;
    tex_shape s = t->shape;
    if (layered) { /* a layer is a slice; its number is clamped */
        int64_t layer = coordinates[0];
        s.address += (uint64_t)LW_MIN(layer, s.size[2] - 1) * s.slice;
        s.size[2] = 1;
        coordinates++;
    }
    texel value = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    if (!coordinates_float) {
        const uint64_t step[3] = {t->bytes, s.pitch, s.slice};
        uint64_t address = s.address;
        bool inside = true;
        for (uint32_t d = 0; d < n; d++) {
            int64_t at = (int32_t)coordinates[d];
            inside = inside && at >= 0 && at < s.size[d];
            address += (uint64_t)at * step[d];
        }
        if (inside) read_texel(t, address, &value);
        if (inside && out_address) *out_address = address;
    } else {
        float x[3] = {0, 0, 0};
        for (uint32_t d = 0; d < n; d++) {
            memcpy(&x[d], &coordinates[d], 4);
            if (t->desc.normalized_coordinates) x[d] *= (float)s.size[d];
        }
        if (t->desc.filter_mode == HOST_FILTER_LINEAR) fetch_linear(t, &s, n, x, &value, out_address);
        else fetch_point(t, &s, n, x, &value, out_address);
    }
    memcpy(out, value.u, sizeof value.u);
    return true;
}
