/* Texture objects: linear memory, pitched 2-D memory and arrays, read with point or linear filtering. Coordinates,
 * address modes and filtering follow the CUDA programming guide's appendix on texture fetching: a linear filter works
 * on 1.8 fixed-point weights; normalised reads map integers to [0,1] or [-1,1]. Integer coordinates (tex1Dfetch) index
 * linear memory without filtering; outside it they read zero. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/profile.h"
#include "host/host_priv.h"

enum { RESOURCE_ARRAY = 0, RESOURCE_LINEAR = 2, RESOURCE_PITCH = 3 };
enum { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

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
    bool floats = t->format.kind == 2;
    if (t->read_mode == 1 && !floats && t->format.bits[0] == 32) return HOST_INVALID_NORM_SETTING;
    if (t->filter_mode == 1 && !floats && t->read_mode != 1) return HOST_INVALID_FILTER_SETTING;
    if (t->resource == RESOURCE_ARRAY) return host_array_valid(t->array) ? 0 : HOST_INVALID_VALUE;
    uint64_t bytes = t->resource == RESOURCE_LINEAR ? t->bytes : t->pitch * (t->height ? t->height - 1 : 0) + 1;
    mem_allocation a;
    if (t->address % c->device->texture_alignment || !mem_find(c->memory, t->address, &a)) return HOST_INVALID_VALUE;
    if (bytes > a.address + a.bytes - t->address) return HOST_INVALID_VALUE;
    if (t->resource == RESOURCE_PITCH && (t->pitch % c->device->texture_pitch_alignment || !t->width || !t->height))
        return HOST_INVALID_VALUE;
    return 0;
}

host_error host_texture_create(host_context *c, const host_texture_desc *desc, uint64_t *out)
{
    host_error error = host_status(c);
    if (!error) error = out ? check_desc(c, desc) : HOST_INVALID_VALUE;
    if (error) return error;
    host_texture_desc *t = lw_alloc(sizeof *t);
    *t = *desc;
    host_lock(c);
    lw_vec_push(&c->textures, t);
    *out = c->textures.count;
    host_unlock(c);
    return 0;
}

const host_texture_desc *host_texture_get(host_context *c, uint64_t handle)
{
    const host_texture_desc *t = NULL;
    host_lock(c);
    if (handle >= 1 && handle <= c->textures.count) t = c->textures.items[handle - 1];
    host_unlock(c);
    return t;
}

host_error host_texture_destroy(host_context *c, uint64_t handle)
{
    if (!handle) return 0;
    if (!host_texture_get(c, handle)) return HOST_INVALID_VALUE;
    host_engine_drain(c);
    host_lock(c);
    free(c->textures.items[handle - 1]);
    c->textures.items[handle - 1] = NULL;
    host_unlock(c);
    return 0;
}

void host_textures_free(host_context *c)
{
    for (size_t i = 0; i < c->textures.count; i++) {
        free(c->textures.items[i]);
        c->textures.items[i] = NULL;
    }
}

/* ---- fetching ---- */
typedef struct texel {
    float f[4];
    uint32_t u[4]; /* as integers, when the read mode keeps them */
} texel;

typedef struct tex_shape {
    uint64_t address, pitch, slice;
    int64_t size[3]; /* 1 for dimensions there are not */
} tex_shape;

static tex_shape shape_of(const host_texture_desc *t)
{
    uint32_t bytes = element_bytes(&t->format);
    if (t->resource == RESOURCE_ARRAY) {
        const host_array *a = t->array;
        int64_t h = (int64_t)LW_MAX(a->height, UINT64_C(1)), d = (int64_t)LW_MAX(a->depth, UINT64_C(1));
        return (tex_shape){a->address, a->pitch, a->pitch * (uint64_t)h, {(int64_t)a->width, h, d}};
    }
    if (t->resource == RESOURCE_PITCH)
        return (tex_shape){t->address, t->pitch, t->pitch * t->height, {(int64_t)t->width, (int64_t)t->height, 1}};
    return (tex_shape){t->address, t->bytes, t->bytes, {(int64_t)(t->bytes / bytes), 1, 1}};
}

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
    bool is_signed = t->format.kind == 0;
    uint32_t raw = bits == 8 ? *p : bits == 16 ? lw_read_u16(p) : lw_read_u32(p);
    if (t->format.kind == 2) {
        float value;
        memcpy(&value, &raw, sizeof value);
        out->f[channel] = bits == 16 ? half_to_float((uint16_t)raw) : value;
        memcpy(&out->u[channel], &out->f[channel], 4);
        return;
    }
    int32_t wide = bits == 8 ? (int8_t)raw : bits == 16 ? (int16_t)raw : (int32_t)raw;
    out->u[channel] = is_signed ? (uint32_t)wide : raw;
    if (t->read_mode == 1) {
        float most = is_signed ? (float)((1u << (bits - 1)) - 1) : (float)((1u << bits) - 1);
        out->f[channel] = is_signed ? fmaxf((float)wide / most, -1.0f) : (float)raw / most;
        memcpy(&out->u[channel], &out->f[channel], 4);
    }
}

/* The texel at integer coordinates that lie inside. */
static texel read_texel(const host_texture_desc *t, const tex_shape *s, const int64_t at[3], uint64_t *out_address)
{
    texel out = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    uint32_t bytes = element_bytes(&t->format), width = (uint32_t)t->format.bits[0] / 8;
    uint64_t address =
        s->address + (uint64_t)at[2] * s->slice + (uint64_t)at[1] * s->pitch + (uint64_t)at[0] * bytes;
    for (uint32_t i = 0; i < bytes / width; i++)
        read_channel(t, (const uint8_t *)(uintptr_t)(address + i * width), (int)i, &out);
    if (out_address) *out_address = address;
    return out;
}

/* An integer coordinate under an address mode; false: the border colour. */
static bool wrap_index(int mode, int64_t size, int64_t *x)
{
    if (*x >= 0 && *x < size) return true;
    switch (mode) {
    case ADDRESS_WRAP: *x = ((*x % size) + size) % size; return true;
    case ADDRESS_MIRROR: {
        int64_t m = ((*x % (2 * size)) + 2 * size) % (2 * size);
        *x = m < size ? m : 2 * size - 1 - m;
        return true;
    }
    case ADDRESS_CLAMP: *x = *x < 0 ? 0 : size - 1; return true;
    default: return false;
    }
}

static texel fetch_at(const host_texture_desc *t, const tex_shape *s, uint32_t dimensions, const int64_t where[3],
                      uint64_t *out_address)
{
    int64_t at[3] = {0, 0, 0};
    for (uint32_t d = 0; d < dimensions; d++) {
        at[d] = where[d];
        /* Wrap and mirror work on normalised coordinates only; otherwise they clamp. */
        int mode = t->address_mode[d];
        if (!t->normalized_coordinates && (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR)) mode = ADDRESS_CLAMP;
        if (!wrap_index(mode, s->size[d], &at[d])) {
            texel border;
            memcpy(border.f, t->border, sizeof border.f);
            memcpy(border.u, t->border, sizeof border.u);
            return border;
        }
    }
    return read_texel(t, s, at, out_address);
}

static texel fetch_point(const host_texture_desc *t, const tex_shape *s, uint32_t n, const float *x, uint64_t *address)
{
    int64_t where[3] = {0, 0, 0};
    for (uint32_t d = 0; d < n; d++) where[d] = (int64_t)floorf(x[d]);
    return fetch_at(t, s, n, where, address);
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

/* A filtered channel. The result of 8-bit normalised texels keeps 16 bits (as recorded);
 * everything else is filtered in single precision. */
static float filter_channel(const host_texture_desc *t, const texel *corner, const int *weight, uint32_t count,
                            int channel)
{
    if (t->format.kind == 2 || t->format.bits[0] != 8) {
        float sum = 0;
        for (uint32_t i = 0; i < count; i++)
            if (weight[i]) sum += (float)weight[i] / 256.0f * corner[i].f[channel];
        return sum;
    }
    double most = t->format.kind == 0 ? 32767 : 65535, unit = t->format.kind == 0 ? 127 : 255, sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += weight[i] * round(corner[i].f[channel] * unit);
    return (float)(round(sum * most / (256 * unit)) / most);
}

static texel fetch_linear(const host_texture_desc *t, const tex_shape *s, uint32_t n, const float *x, uint64_t *address)
{
    int64_t base[3] = {0, 0, 0};
    int axis[3] = {0, 0, 0}, weight[8];
    for (uint32_t d = 0; d < n; d++) {
        float shifted = x[d] - 0.5f;
        float low = floorf(shifted);
        base[d] = (int64_t)low;
        axis[d] = (int)roundf((shifted - low) * 256.0f); /* 8 bits of fraction, as the guide says */
    }
    corner_weights(n, axis, weight);
    texel corner[8], out;
    for (uint32_t i = 0; i < 1u << n; i++) {
        int64_t where[3];
        for (uint32_t d = 0; d < n; d++) where[d] = base[d] + (i >> d & 1);
        corner[i] = fetch_at(t, s, n, where, i ? NULL : address);
    }
    for (int c = 0; c < 4; c++) out.f[c] = filter_channel(t, corner, weight, 1u << n, c);
    memcpy(out.u, out.f, sizeof out.u);
    return out;
}

bool host_texture_fetch(void *context, uint64_t handle, uint32_t n, bool layered, bool coordinates_float,
                        const uint32_t *coordinates, ptx_type type, uint32_t out[4], uint64_t *out_address)
{
    const host_texture_desc *t = host_texture_get(context, handle);
    (void)type; /* the bits are the same whatever the instruction calls them */
    if (out_address) *out_address = 0;
    if (!t || n < 1 || n > 3) return false;
    tex_shape s = shape_of(t);
    if (layered) { /* a layer is a slice; its number is clamped */
        int64_t layer = coordinates[0];
        s.address += (uint64_t)LW_MIN(layer, s.size[2] - 1) * s.slice;
        s.size[2] = 1;
        coordinates++;
    }
    texel value = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    if (!coordinates_float) {
        int64_t where[3] = {0, 0, 0};
        bool inside = true;
        for (uint32_t d = 0; d < n; d++) {
            where[d] = (int32_t)coordinates[d];
            inside = inside && where[d] >= 0 && where[d] < s.size[d];
        }
        if (inside) value = read_texel(t, &s, where, out_address);
    } else {
        float x[3] = {0, 0, 0};
        for (uint32_t d = 0; d < n; d++) {
            memcpy(&x[d], &coordinates[d], 4);
            if (t->normalized_coordinates) x[d] *= (float)s.size[d];
        }
        value = t->filter_mode == 1 ? fetch_linear(t, &s, n, x, out_address) : fetch_point(t, &s, n, x, out_address);
    }
    memcpy(out, value.u, sizeof value.u);
    return true;
}
