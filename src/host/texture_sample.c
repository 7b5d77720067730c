/* texture_sample.c: what a texture gives at coordinates. Coordinates, address modes and filtering follow the CUDA
 * programming guide's appendix on texture fetching: a linear filter works on 1.8 fixed-point weights; normalised reads
 * map integers to [0,1] or [-1,1]. Integer coordinates (tex1Dfetch) index memory without filtering; outside it they read
 * zero.
 *
 * The first part is the definition, one lane at a time. The second does the same for the lanes of a warp in loops that
 * the compiler vectorises, for texels of 32 and of 8 bits; to the bit, as test_host checks. Compiled once per host instruction set, as
 * exec/lanes.h says. */
#include <math.h>
#include <string.h>

#include "host/texture_priv.h"

#define ISA_JOIN2(a, b) a##_##b
#define ISA_JOIN(a, b) ISA_JOIN2(a, b)
#define ISA(name) ISA_JOIN(name, LANES_ISA)

/* ---- one lane ---- */
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
    *out_address = address;
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

/* x: behind the number of a layer. */
static void fetch_real(const host_texture *t, const tex_shape *s, uint32_t n, const uint32_t *bits, texel *out,
                       uint64_t *out_address)
{
    float x[3] = {0, 0, 0};
    memcpy(x, bits, n * sizeof x[0]);
    for (uint32_t d = 0; d < n && t->desc.normalized_coordinates; d++) x[d] *= (float)s->size[d];
    if (t->desc.filter_mode == HOST_FILTER_LINEAR) fetch_linear(t, s, n, x, out, out_address);
    else fetch_point(t, s, n, x, out, out_address);
}

/* A layer is a slice; its number is clamped. */
static uint64_t layer_offset(const tex_shape *s, uint32_t layer)
{
    return (uint64_t)LW_MIN((int64_t)layer, s->size[2] - 1) * s->slice;
}

static void sample_each(const host_texture *t, const exec_texture_fetch *f, uint32_t lanes)
{
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), bits[4] = {0};
        tex_shape s = t->shape;
        texel value = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        for (uint32_t k = 0; k < f->dimensions + f->layered; k++) bits[k] = f->coordinate[k][lane];
        if (f->layered) {
            s.address += layer_offset(&s, bits[0]);
            s.size[2] = 1;
        }
        f->address[lane] = 0;
        *f->located &= ~(1u << lane);
        if (f->real) fetch_real(t, &s, f->dimensions, bits + f->layered, &value, &f->address[lane]);
        else fetch_indexed(t, &s, f->dimensions, bits + f->layered, &value, &f->address[lane]);
        if (f->address[lane]) *f->located |= 1u << lane;
        for (uint32_t k = 0; k < 4; k++) f->out[k][lane] = value.u[k];
    }
}

/* ---- a warp's lanes together ---- */
enum { LANES = 32, MOST_INDEX = 1 << 30 }; /* greater coordinates and sizes go lane by lane */

#if defined __clang__
#define EACH_LANE for (uint32_t l = 0; l < LANES; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (uint32_t l = 0; l < LANES; l++)
#endif

static const uint32_t lane_bit[LANES] = {
    1u,       1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* Texels of the lanes of `inside`, as distances from the texture's first byte; those of others are somewhere in it. */
typedef struct lane_texels {
    uint64_t at[LANES];
    uint32_t inside;
} lane_texels;

static void prepare(host_texture *t)
{
    bool linear = t->desc.filter_mode == HOST_FILTER_LINEAR;
    bool bytes = t->width == 1;
    t->together = t->plain || (bytes && (!linear || t->small));
    for (int d = 0; d < 3; d++) t->together = t->together && t->shape.size[d] < MOST_INDEX;
    /* a product of an index and a step is one of 32 bits each */
    t->together = t->together && t->shape.pitch <= UINT32_MAX;
    for (uint32_t k = 0; k < 256 && bytes; k++) {
        uint8_t byte = (uint8_t)k;
        texel value = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        read_channel(&t->desc, &byte, 0, &value);
        t->byte_value[k] = value.u[0];
    }
}

/* A coordinate of all lanes, in texels; 0 of those not asked for. false: some is too great. */
static bool lane_coordinates(const uint32_t *bits, uint32_t lanes, float scale, float x[LANES])
{
    uint32_t far = 0;
    EACH_LANE
    {
        float value;
        memcpy(&value, &bits[l], 4);
        value = lanes & lane_bit[l] ? value * scale : 0;
        far |= !(fabsf(value) < (float)MOST_INDEX);
        x[l] = value;
    }
    return !far;
}

static inline void floor_lanes(const float x[LANES], int32_t out[LANES])
{
    EACH_LANE
    {
        int32_t n = (int32_t)x[l];
        out[l] = n - ((float)n > x[l]);
    }
}

/* Indices of lanes under an address mode; returns those that are not of the border, whose index becomes 0. */
static uint32_t wrap_lanes(int mode, int32_t size, int32_t at[LANES])
{
    if (mode == HOST_ADDRESS_CLAMP) {
        EACH_LANE
        {
            int32_t n = at[l] < size - 1 ? at[l] : size - 1;
            at[l] = n > 0 ? n : 0;
        }
        return UINT32_MAX;
    }
    uint32_t out = 0;
    EACH_LANE out |= at[l] < 0 || at[l] >= size ? lane_bit[l] : 0;
    for (uint32_t m = out; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        int64_t index = at[l];
        if (wrap_index(mode, size, &index)) out &= ~lane_bit[l];
        else index = 0;
        at[l] = (int32_t)index;
    }
    return ~out;
}

/* Goes so many steps on in one dimension. */
static inline void add_steps(uint64_t at[LANES], const int32_t index[LANES], uint64_t step)
{
    if (step <= UINT32_MAX) EACH_LANE at[l] += (uint64_t)(uint32_t)index[l] * (uint32_t)step;
    else EACH_LANE at[l] += (uint64_t)(uint32_t)index[l] * step;
}

static void begin_texels(const host_texture *t, const exec_texture_fetch *f, lane_texels *out)
{
    memset(out->at, 0, sizeof out->at);
    out->inside = UINT32_MAX;
    if (f->layered) EACH_LANE out->at[l] = layer_offset(&t->shape, f->coordinate[0][l]);
}

static inline uint64_t step_of(const host_texture *t, uint32_t dimension)
{
    return dimension == 0 ? t->bytes : dimension == 1 ? t->shape.pitch : t->shape.slice;
}

static inline float scale_of(const host_texture *t, uint32_t dimension)
{
    return t->desc.normalized_coordinates ? (float)t->shape.size[dimension] : 1.0f;
}

static void tell_addresses(const host_texture *t, const exec_texture_fetch *f, const lane_texels *at)
{
    uint64_t first = t->shape.address;
    uint64_t *address = f->address;
    EACH_LANE address[l] = first + at->at[l];
    *f->located = f->mask & at->inside;
}

/* The texels as they read, and what is read outside. */
static void read_lanes(const host_texture *t, const exec_texture_fetch *f, uint32_t lanes, const lane_texels *at,
                       const uint32_t outside[4])
{
    const uint8_t *first = mem_storage(t->shape.address);
    for (uint32_t c = 0; c < 4; c++) {
        uint32_t *out = f->out[c];
        if (!(f->components >> c & 1)) continue;
        if (c >= t->channels) memset(out, 0, LANES * sizeof *out);
        else if (t->plain) EACH_LANE memcpy(&out[l], first + at->at[l] + 4 * c, 4);
        else EACH_LANE out[l] = t->byte_value[first[at->at[l] + c]];
    }
    for (uint32_t m = lanes & ~at->inside; m; m &= m - 1)
        for (uint32_t c = 0; c < 4; c++) f->out[c][__builtin_ctz(m)] = outside[c];
    tell_addresses(t, f, at);
}

static bool point_lanes(const host_texture *t, const exec_texture_fetch *f, uint32_t lanes)
{
    lane_texels at;
    begin_texels(t, f, &at);
    for (uint32_t d = 0; d < f->dimensions; d++) {
        float x[LANES];
        int32_t index[LANES];
        if (!lane_coordinates(f->coordinate[f->layered + d], lanes, scale_of(t, d), x)) return false;
        floor_lanes(x, index);
        at.inside &= wrap_lanes(t->mode[d], (int32_t)t->shape.size[d], index);
        add_steps(at.at, index, step_of(t, d));
    }
    uint32_t border[4];
    memcpy(border, t->desc.border, sizeof border);
    read_lanes(t, f, lanes, &at, border);
    return true;
}

static void indexed_lanes(const host_texture *t, const exec_texture_fetch *f, uint32_t lanes)
{
    static const uint32_t zero[4];
    lane_texels at;
    begin_texels(t, f, &at);
    for (uint32_t d = 0; d < f->dimensions; d++) {
        int32_t index[LANES];
        EACH_LANE index[l] = lanes & lane_bit[l] ? (int32_t)f->coordinate[f->layered + d][l] : 0;
        at.inside &= wrap_lanes(HOST_ADDRESS_BORDER, (int32_t)t->shape.size[d], index);
        add_steps(at.at, index, step_of(t, d));
    }
    read_lanes(t, f, lanes, &at, zero);
}

/* The corners of a filter: their texels, and their weights in 256ths. */
typedef struct lane_corners {
    lane_texels texels[8];
    int32_t weight[8][LANES];
    uint32_t count;
} lane_corners;

/* One dimension of a filter: the near and the far index, and the weight of the far one in 256ths. */
typedef struct lane_axis {
    int32_t index[2][LANES], far[LANES];
    uint32_t inside[2];
} lane_axis;

static bool axis_lanes(const host_texture *t, const uint32_t *bits, uint32_t lanes, uint32_t d, lane_axis *out)
{
    float x[LANES];
    if (!lane_coordinates(bits, lanes, scale_of(t, d), x)) return false;
    EACH_LANE x[l] = x[l] - 0.5f;
    floor_lanes(x, out->index[0]);
    EACH_LANE
    {
        float part = (x[l] - (float)out->index[0][l]) * 256.0f; /* exact, in 0 to 256 */
        int32_t whole = (int32_t)part;
        out->far[l] = whole + (part - (float)whole >= 0.5f);
        out->index[1][l] = out->index[0][l] + 1;
    }
    for (uint32_t k = 0; k < 2; k++) out->inside[k] = wrap_lanes(t->mode[d], (int32_t)t->shape.size[d], out->index[k]);
    return true;
}

/* As corner_weights(). */
static void weigh_corners(uint32_t n, const lane_axis axis[3], lane_corners *out)
{
    if (n == 1) {
        EACH_LANE
        {
            out->weight[0][l] = 256 - axis[0].far[l];
            out->weight[1][l] = axis[0].far[l];
        }
        return;
    }
    EACH_LANE
    {
        int32_t a = axis[0].far[l], b = axis[1].far[l], far = (a * b + 128) >> 8;
        out->weight[0][l] = 256 - a - b + far;
        out->weight[1][l] = a - far;
        out->weight[2][l] = b - far;
        out->weight[3][l] = far;
    }
    for (uint32_t i = 0; i < 4 && n == 3; i++) EACH_LANE
        {
            int32_t back = (out->weight[i][l] * axis[2].far[l] + 128) >> 8;
            out->weight[i][l] -= back;
            out->weight[i + 4][l] = back;
        }
}

static void place_corners(const host_texture *t, const exec_texture_fetch *f, const lane_axis axis[3],
                          lane_corners *out)
{
    begin_texels(t, f, &out->texels[0]);
    for (uint32_t d = 0; d < f->dimensions; d++) {
        uint32_t half = 1u << d;
        for (uint32_t i = 0; i < half; i++) { /* those so far, once near and once far in this dimension */
            lane_texels *near = &out->texels[i], *far = &out->texels[i + half];
            *far = *near;
            near->inside &= axis[d].inside[0];
            far->inside &= axis[d].inside[1];
            add_steps(near->at, axis[d].index[0], step_of(t, d));
            add_steps(far->at, axis[d].index[1], step_of(t, d));
        }
    }
    out->count = 1u << f->dimensions;
}

/* Single precision, corner by corner in their order; a corner without weight adds nothing, whatever lies there. */
static void filter_floats(const host_texture *t, const lane_corners *corners, uint32_t channel, uint32_t lanes,
                          uint32_t out[LANES])
{
    const uint8_t *first = (const uint8_t *)mem_storage(t->shape.address) + 4 * channel;
    float sum[LANES] = {0};
    for (uint32_t i = 0; i < corners->count; i++) {
        const lane_texels *at = &corners->texels[i];
        const int32_t *weight = corners->weight[i];
        float value[LANES];
        EACH_LANE memcpy(&value[l], first + at->at[l], 4);
        for (uint32_t m = lanes & ~at->inside; m; m &= m - 1) value[__builtin_ctz(m)] = t->desc.border[channel];
        EACH_LANE
        {
            float term = (float)weight[l] / 256.0f * value[l];
            sum[l] += weight[l] ? term : 0.0f;
        }
    }
    memcpy(out, sum, sizeof sum);
}

/* 8-bit texels: whole numbers until the last step. All corners lie inside. */
static void filter_bytes(const host_texture *t, const lane_corners *corners, uint32_t channel, uint32_t out[LANES])
{
    const uint8_t *first = (const uint8_t *)mem_storage(t->shape.address) + channel;
    bool is_signed = t->desc.format.kind == HOST_FORMAT_SIGNED;
    const double most = is_signed ? 32767 : 65535, unit = is_signed ? 127 : 255;
    int32_t sum[LANES] = {0};
    for (uint32_t i = 0; i < corners->count; i++) {
        const uint64_t *at = corners->texels[i].at;
        int32_t value[LANES];
        EACH_LANE value[l] = first[at[l]];
        if (is_signed) EACH_LANE value[l] = LW_MAX((int8_t)value[l], -127);
        EACH_LANE sum[l] += corners->weight[i][l] * value[l];
    }
    EACH_LANE
    {
        float value = (float)(nearest((double)sum[l] * most / (256 * unit)) / most);
        memcpy(&out[l], &value, 4);
    }
}

static bool linear_lanes(const host_texture *t, const exec_texture_fetch *f, uint32_t lanes)
{
    lane_axis axis[3];
    lane_corners corners;
    uint32_t inside = UINT32_MAX;
    for (uint32_t d = 0; d < f->dimensions; d++) {
        if (!axis_lanes(t, f->coordinate[f->layered + d], lanes, d, &axis[d])) return false;
        inside &= axis[d].inside[0] & axis[d].inside[1];
    }
    if (t->small && (lanes & ~inside)) return false; /* the border is no whole number */
    weigh_corners(f->dimensions, axis, &corners);
    place_corners(t, f, axis, &corners);
    for (uint32_t c = 0; c < 4; c++) {
        if (!(f->components >> c & 1)) continue;
        if (c >= t->channels) memset(f->out[c], 0, LANES * sizeof f->out[c][0]);
        else if (t->small) filter_bytes(t, &corners, c, f->out[c]);
        else filter_floats(t, &corners, c, lanes, f->out[c]);
    }
    tell_addresses(t, f, &corners.texels[0]);
    return true;
}

static void sample(const host_texture *t, const exec_texture_fetch *f, uint32_t lanes)
{
    /* others' results stand in the same arrays */
    bool alone = lanes == f->mask && t->together;
    if (alone && !f->real) {
        indexed_lanes(t, f, lanes);
        return;
    }
    bool linear = t->desc.filter_mode == HOST_FILTER_LINEAR;
    if (alone && (linear ? linear_lanes(t, f, lanes) : point_lanes(t, f, lanes))) return;
    sample_each(t, f, lanes);
}

extern const host_texture_sampler ISA(host_texture_sampler);
const host_texture_sampler ISA(host_texture_sampler) = {prepare, sample, sample_each};
