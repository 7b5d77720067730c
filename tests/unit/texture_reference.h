/* texture_reference.h: what a texture gives at coordinates, one lane at a time: what the sampler must agree with to the
 * bit. One level, no cubemaps. */
#ifndef LW_TESTS_TEXTURE_REFERENCE_H
#define LW_TESTS_TEXTURE_REFERENCE_H

#include <math.h>
#include <string.h>

#include "host/texture_priv.h"

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
    if (t->read_mode == HOST_READ_NORMALIZED || t->format.normalized) {
        float most = is_signed ? (float)((1u << (bits - 1)) - 1) : (float)((1u << bits) - 1);
        out->f[channel] = is_signed ? fmaxf((float)wide / most, -1.0f) : (float)raw / most;
        memcpy(&out->u[channel], &out->f[channel], 4);
    }
}

/* The texel at an address; channels there are not read as zero. */
static void read_texel(const host_texture *t, uint64_t address, texel *out)
{
    const uint8_t *p = mem_storage(address);
    if (t->width != 4) {
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

/* The greatest integer not above x. */
static int64_t floor_index(float x)
{
    if (!(fabsf(x) < 1e18f)) return x > 0 ? INT64_C(1) << 40 : -(INT64_C(1) << 40);
    return (int64_t)floorf(x);
}

/* A coordinate in texels. What repeats is brought into the first period before it is scaled, and the product is rounded down;
 * what is no number, or too small, counts as 0 (as recorded on cards). */
static float coordinate_of(const host_texture *t, uint32_t d, int64_t size, float x)
{
    int mode = t->mode[d];
    bool repeats = mode == HOST_ADDRESS_WRAP || mode == HOST_ADDRESS_MIRROR;
    if (isnan(x) || fabsf(x) < 0x1p-126f || (repeats && isinf(x))) x = 0;
    if (t->desc.normalized_coordinates) {
        if (mode == HOST_ADDRESS_WRAP) x -= floorf(x);
        if (mode == HOST_ADDRESS_MIRROR) x -= 2 * floorf(x / 2);
        double exact = (double)x * (double)size;
        float product = x * (float)size;
        x = (double)product > exact ? nextafterf(product, -INFINITY) : product;
    }
    if (fabsf(x) < (float)TEX_MOST_INDEX) return x;
    return x > 0 ? (float)TEX_MOST_INDEX : -(float)TEX_MOST_INDEX;
}

static void read_border(const host_texture *t, texel *out)
{
    memcpy(out->f, t->border, sizeof out->f);
    memcpy(out->u, t->border, sizeof out->u);
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
    *out_address = address;
}

/* Weights of the corners in 256ths: z, then x, then y are parted (as recorded on cards). */
static void corner_weights(uint32_t n, const int axis[3], int out[8])
{
    int planes[2] = {n == 3 ? 256 - axis[2] : 256, n == 3 ? axis[2] : 0};
    for (int z = 0; z < 2; z++) {
        int far = (planes[z] * axis[0] + 128) / 256, near = planes[z] - far, *w = out + 4 * z;
        int b = n == 1 ? 0 : axis[1];
        w[3] = (far * b + 128) / 256;
        w[1] = far - w[3];
        w[0] = (near * (256 - b) + 128) / 256;
        w[2] = near - w[0];
    }
}

/* x with so many bits behind the first one, halves away from zero. */
static double kept(double x, int bits)
{
    int exponent;
    if (!isfinite(x) || x == 0) return x;
    double m = frexp(x, &exponent);
    return ldexp(round(ldexp(m, bits + 1)), exponent - bits - 1);
}

static double unit_of(const host_texture *t)
{
    bool is_signed = t->desc.format.kind == HOST_FORMAT_SIGNED;
    return (double)((1u << (8 * t->width - is_signed)) - 1);
}

/* A channel at the corners, as the filter adds it up: fractions as integers. */
static double corner_value(const host_texture *t, uint64_t address, uint32_t channel)
{
    const uint8_t *p = mem_storage(address);
    float border;
    memcpy(&border, &t->border[channel], sizeof border);
    if (!address) return t->small ? round((double)border * unit_of(t)) : border;
    p += channel * t->width;
    if (t->small) {
        bool is_signed = t->desc.format.kind == HOST_FORMAT_SIGNED;
        if (t->width == 1) return is_signed ? (int8_t)*p : *p;
        return is_signed ? (int16_t)lw_read_u16(p) : lw_read_u16(p);
    }
    texel one = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    if (t->width == 4) memcpy(&one.f[0], p, 4);
    else read_channel(&t->desc, p, 0, &one);
    return one.f[0];
}

/* A filtered channel: exact, and rounded once (as recorded on cards). corner: an address, 0 for the border. */
static float filter_channel(const host_texture *t, const uint64_t *corner, const int *weight, uint32_t count,
                            uint32_t channel)
{
    double sum = 0, most = t->desc.format.kind == HOST_FORMAT_SIGNED ? 32767 : 65535;
    for (uint32_t i = 0; i < count; i++)
        if (weight[i]) sum += weight[i] * corner_value(t, corner[i], channel);
    if (!t->small) return (float)kept(sum / 256, t->width == 2 ? 10 : 23);
    return (float)(fmax(floor(sum * (most / (256 * unit_of(t))) + 0.5), -most) / most);
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
        bool whole = !t->desc.normalized_coordinates || !(s->size[d] & (s->size[d] - 1));
        float bump = whole ? 0 : 1.0f / 256; /* products with other sizes come out lower by 2^-16 */
        axis[d] = part >= 0 && part <= 1 ? (int)floorf(part * 256.0f + 0.5f - bump) : 0;
        if (t->mode[d] == HOST_ADDRESS_CLAMP && (low < 0 || low >= s->size[d] - 1)) axis[d] = 0;
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
        for (uint32_t d = 0; d < n; d++) {
            in &= inside[d][i >> d & 1];
            corner[i] += offset[d][i >> d & 1];
        }
        if (!in) corner[i] = 0;
    }
    for (uint32_t c = 0; c < t->channels; c++) out->f[c] = filter_channel(t, corner, weight, 1u << n, c);
    memcpy(out->u, out->f, sizeof out->u);
    *out_address = corner[0];
}

static void fetch_indexed(const host_texture *t, const tex_shape *s, uint32_t n, const uint32_t *x, texel *out,
                          uint64_t *out_address)
{
    const uint64_t step[3] = {t->bytes, s->pitch, s->slice};
    uint64_t address = s->address;
    for (uint32_t d = 0; d < n; d++) {
        int64_t at = (int32_t)x[d];
        if (at < 0 || at >= s->size[d]) return;
        address += (uint64_t)at * step[d];
    }
    read_texel(t, address, out);
    *out_address = address;
}

static void fetch_real(const host_texture *t, const tex_shape *s, uint32_t n, const uint32_t *bits, texel *out,
                       uint64_t *out_address)
{
    float x[3] = {0, 0, 0};
    memcpy(x, bits, n * sizeof x[0]);
    for (uint32_t d = 0; d < n; d++) x[d] = coordinate_of(t, d, s->size[d], x[d]);
    if (n == 1 && t->mode[1] == HOST_ADDRESS_BORDER) n = 2; /* linear ones blend with the border, y is 0 */
    if (t->desc.filter_mode == HOST_FILTER_LINEAR) fetch_linear(t, s, n, x, out, out_address);
    else fetch_point(t, s, n, x, out, out_address);
}

/* What one lane reads of level 0; returns the texel's address, 0 if it has none. layer: of layered textures. */
static uint64_t reference_fetch(const host_texture *t, uint32_t n, bool real, uint32_t layer, const uint32_t *bits,
                                uint32_t out[4])
{
    tex_shape s = t->level[0];
    texel value = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    uint64_t address = 0;
    s.address += LW_MIN((int64_t)layer, (int64_t)s.size[2] - 1) * (int64_t)s.slice;
    if (real) fetch_real(t, &s, n, bits, &value, &address);
    else fetch_indexed(t, &s, n, bits, &value, &address);
    memcpy(out, value.u, sizeof value.u);
    return address;
}

#endif
