/* Texture objects: linear memory, pitched 2-D memory, arrays and mipmapped arrays; what a descriptor may say, what is
 * derived from it once, and the table of handles.
 * texture_sample.c reads them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/profile.h"
#include "host/devices.h"
#include "host/queue_priv.h"
#include "host/refuse.h"
#include "host/services_priv.h"
#include "host/state_priv.h"
#include "host/surface_priv.h"
#include "host/texture_priv.h"
#include "host/texture_ref_priv.h"

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

/* What a texture reads: the resource's texels, or its view's. */
static const host_format *format_of(const host_texture_desc *t)
{
    return t->view.given && t->view.format.bits[0] ? &t->view.format : &t->format;
}

static bool reads_fractions(const host_texture_desc *t)
{
    const host_format *f = format_of(t);
    return f->kind != HOST_FORMAT_FLOAT && (f->normalized || t->read_mode == HOST_READ_NORMALIZED);
}

static host_error check_modes(const host_texture_desc *t)
{
    const host_format *f = format_of(t);
    host_error error = check_format(f);
    if (error) return error;
    bool floats = f->kind == HOST_FORMAT_FLOAT;
    if (t->read_mode == HOST_READ_NORMALIZED && !floats && f->bits[0] == 32) return HOST_INVALID_NORM_SETTING;
    bool filters = t->filter_mode == HOST_FILTER_LINEAR || (t->resource == HOST_RESOURCE_MIPMAPPED && t->blend_levels);
    if (filters && !floats && !reads_fractions(t)) return HOST_INVALID_FILTER_SETTING;
    if (t->resource == HOST_RESOURCE_MIPMAPPED && !t->normalized_coordinates)
        return host_refuse(HOST_INVALID_VALUE, "Textures of mipmapped arrays take normalised coordinates only.");
    return 0;
}

/* A view has texels of the same size, and lies within the levels and layers. */
static host_error check_view(const host_texture_desc *t)
{
    const host_resource_view *v = &t->view;
    if (!v->given) return 0;
    const host_array *a = t->resource == HOST_RESOURCE_MIPMAPPED ? t->mipmap->level[0] : t->array;
    uint32_t levels = t->resource == HOST_RESOURCE_MIPMAPPED ? t->mipmap->count : 1;
    bool fits = v->first_level <= v->last_level && v->last_level < levels && v->first_layer <= v->last_layer &&
                v->last_layer < LW_MAX(a->depth, UINT64_C(1)) && element_bytes(format_of(t)) == a->element_bytes;
    return fits ? 0
                : host_refuse(HOST_INVALID_VALUE, "The view's format, levels or layers are not those of the array.");
}

static host_error check_memory(host_context *c, const host_texture_desc *t)
{
    const device_profile *p = c->device;
    bool linear = t->resource == HOST_RESOURCE_LINEAR;
    uint64_t bytes = linear ? t->bytes : t->pitch * (t->height ? t->height - 1 : 0) + 1;
    mem_allocation a;
    if (t->address % p->texture_alignment || !mem_find(c->memory, t->address, &a)) return HOST_INVALID_VALUE;
    if (!linear && bytes > a.address + a.bytes - t->address) return HOST_INVALID_VALUE;
    if (linear) return t->bytes / element_bytes(&t->format) <= (uint64_t)p->texture1d_linear ? 0 : HOST_INVALID_VALUE;
    if (t->pitch % p->texture_pitch_alignment || !t->width || !t->height) return HOST_INVALID_VALUE;
    bool small = t->width <= (uint64_t)p->texture2d_linear_width && t->height <= (uint64_t)p->texture2d_linear_height;
    return small ? 0 : HOST_INVALID_VALUE;
}

static host_error check_desc(host_context *c, const host_texture_desc *t)
{
    host_error error = check_modes(t);
    if (error) return error;
    switch (t->resource) {
    case HOST_RESOURCE_ARRAY: return host_array_valid(c, t->array) ? check_view(t) : HOST_INVALID_VALUE;
    case HOST_RESOURCE_MIPMAPPED: return host_mipmap_valid(c, t->mipmap) ? check_view(t) : HOST_INVALID_VALUE;
    default: return t->view.given ? HOST_INVALID_VALUE : check_memory(c, t);
    }
}

/* ---- what a texture is made of ---- */
static tex_shape shape_of_array(const host_array *a, const host_resource_view *view)
{
    int32_t h = (int32_t)LW_MAX(a->height, UINT64_C(1)), d = (int32_t)LW_MAX(a->depth, UINT64_C(1));
    tex_shape s = {.address = a->address,
                   .pitch = a->pitch,
                   .slice = a->pitch * (uint64_t)h,
                   .size = {(int32_t)a->width, h, d},
                   .tiles = exec_tiles_of(a->width * a->element_bytes, (uint64_t)h)};
    if (!view->given || !(a->flags & (HOST_ARRAY_LAYERED | HOST_ARRAY_CUBEMAP))) return s;
    s.address += view->first_layer * s.slice;
    s.size[2] = (int32_t)(view->last_layer - view->first_layer + 1);
    return s;
}

static void find_levels(host_texture *out)
{
    const host_texture_desc *t = &out->desc;
    uint32_t first = t->view.given ? t->view.first_level : 0;
    out->level_count = 1;
    switch (t->resource) {
    case HOST_RESOURCE_ARRAY: out->level[0] = shape_of_array(t->array, &t->view); break;
    case HOST_RESOURCE_MIPMAPPED:
        out->level_count = (t->view.given ? t->view.last_level + 1 : t->mipmap->count) - first;
        for (uint32_t k = 0; k < out->level_count; k++)
            out->level[k] = shape_of_array(t->mipmap->level[first + k], &t->view);
        break;
    case HOST_RESOURCE_PITCH:
        out->level[0] = (tex_shape){.address = t->address,
                                    .pitch = t->pitch,
                                    .slice = t->pitch * t->height,
                                    .size = {(int32_t)t->width, (int32_t)t->height, 1}};
        break;
    default:
        out->level[0] = (tex_shape){.address = t->address,
                                    .pitch = t->bytes,
                                    .slice = t->bytes,
                                    .size = {(int32_t)(t->bytes / out->bytes), 1, 1}};
        break;
    }
}

/* A level in 256ths within those that there are. */
static int32_t lod_of(const host_texture *t, float level)
{
    float most = (float)(t->level_count - 1);
    return (int32_t)((level > 0 ? level < most ? level : most : 0) * 256.0f);
}

/* A card's table is coarser than the curve of IEC 61966-2-1. */
static const uint16_t srgb_16384ths[256] = {
#include "host/texture_srgb.def"
};

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool reads_srgb(const host_texture_desc *t)
{
    const host_format *f = format_of(t);
    return t->srgb && f->kind == HOST_FORMAT_UNSIGNED && f->bits[0] == 8 && reads_fractions(t);
}

static tex_texel texel_of(const host_texture_desc *t, uint32_t channel)
{
    const host_format *f = format_of(t);
    bool is_signed = f->kind == HOST_FORMAT_SIGNED, fractions = reads_fractions(t);
    if (f->bits[0] == 32) return TEX_WORD;
    if (f->kind == HOST_FORMAT_FLOAT) return TEX_HALF;
    if (f->bits[0] == 8 && reads_srgb(t) && channel < 3) return TEX_SRGB;
    if (f->bits[0] == 8 && fractions) return is_signed ? TEX_S8_FRACTION : TEX_U8_FRACTION;
    if (f->bits[0] == 8) return is_signed ? TEX_S8 : TEX_U8;
    if (fractions) return is_signed ? TEX_S16_FRACTION : TEX_U16_FRACTION;
    return is_signed ? TEX_S16 : TEX_U16;
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

static void read_format(host_texture *t)
{
    const host_format *f = format_of(&t->desc);
    t->bytes = element_bytes(f);
    t->width = (uint32_t)f->bits[0] / 8;
    t->channels = t->bytes / t->width;
    for (uint32_t c = 0; c < 4; c++) t->texel[c] = texel_of(&t->desc, c);
    t->small = t->width < 4 && reads_fractions(&t->desc) && !reads_srgb(&t->desc);
    for (uint32_t k = 0; k < 256 && t->texel[0] == TEX_SRGB; k++)
        t->srgb[k] = float_bits((float)srgb_16384ths[k] / 16384.0f);
}

/* The border's colour as the format holds it (recorded on an H100): halves are truncated, fractions rounded and within their
 * range, of integers the low bits of the colour's own bits count. */
static uint32_t border_of(const host_texture *t, uint32_t channel)
{
    const host_format *f = format_of(&t->desc);
    float color = t->desc.border[channel];
    uint32_t bits = float_bits(color), mask = t->width == 4 ? UINT32_MAX : (1u << 8 * t->width) - 1;
    bool is_signed = f->kind == HOST_FORMAT_SIGNED;
    if (t->width == 4) return bits;
    if (f->kind == HOST_FORMAT_FLOAT) {
        if (fabsf(color) >= 65536.0f) return isinf(color) ? bits : (bits & 0x80000000u) | float_bits(65504.0f);
        return bits & 0xffffe000u;
    }
    if (!reads_fractions(&t->desc)) {
        uint32_t low = bits & mask;
        return is_signed && low > mask / 2 ? low | ~mask : low;
    }
    double most = is_signed ? mask / 2 : mask, least = is_signed ? -1 : 0;
    float x = (float)((color > least ? color < 1 ? (double)color : 1 : color <= least ? least : 0) * most);
    double whole = x < 0 ? -ceilf(-x - 0.5f) : ceilf(x - 0.5f); /* the nearest, halves towards zero */
    return float_bits((float)(whole / most) + 0.0f);            /* no zero is negative */
}

static void find_range(const host_texture *t, uint32_t d, tex_step *s)
{
    float size = (float)(int32_t)s->size, half = t->desc.filter_mode == HOST_FILTER_LINEAR ? 0.5f : 0;
    switch (t->mode[d]) {
    case HOST_ADDRESS_CLAMP: s->least = half, s->most = half ? size - half : size - 1; break;
    case HOST_ADDRESS_BORDER: s->least = -2, s->most = size + 2; break;
    default: break; /* what is no number is 0 */
    }
}

static void find_steps(const host_texture *t, tex_shape *s)
{
    uint64_t bytes[3] = {t->bytes, s->pitch, s->slice};
    s->near = s->slice * (uint64_t)s->size[2] <= INT32_MAX;
    for (uint32_t d = 0; d < 3; d++) {
        s->near &= s->size[d] < 1 << 22;
        s->step[d] = (tex_step){.size = (uint32_t)s->size[d], .bytes = (uint32_t)bytes[d]};
        /* products with other sizes than powers of two come out lower by 2^-16 (seen on an H100) */
        bool exact = !t->desc.normalized_coordinates || lw_is_power_of_2((uint64_t)s->size[d]);
        s->step[d].half = exact ? 0.5f : 0.5f + 1.0f / 256;
        find_range(t, d, &s->step[d]);
    }
    /* as exec_tile_x(), exec_tile_y() and exec_tile_z() */
    tex_step *x = &s->step[0], *y = &s->step[1], *z = &s->step[2];
    bool tiled = s->tiles.row;
    x->scale = t->bytes, x->high = 5, x->times = tiled ? 4 : 1, x->low = 4, x->mask = tiled;
    y->scale = 1, y->high = tiled ? 2 : 0, y->times = tiled ? s->tiles.row : (uint32_t)(s->pitch / 32);
    y->mask = tiled ? 2 : 0;
    z->scale = 1, z->times = s->tiles.slice;
}

static host_texture *texture_new(const host_texture_desc *desc)
{
    host_texture *t = lw_alloc(sizeof *t);
    t->desc = *desc;
    t->desc.max_anisotropy = LW_MIN(desc->max_anisotropy, 16u);
    read_format(t);
    for (uint32_t c = 0; c < 4; c++) t->border[c] = border_of(t, c);
    find_levels(t);
    for (int d = 0; d < 3; d++) {
        /* Wrap and mirror work on normalised coordinates only; otherwise they clamp. */
        int mode = desc->address_mode[d];
        bool clamps = !desc->normalized_coordinates && (mode == HOST_ADDRESS_WRAP || mode == HOST_ADDRESS_MIRROR);
        t->mode[d] = clamps ? HOST_ADDRESS_CLAMP : mode;
    }
    for (uint32_t k = 0; k < t->level_count; k++) find_steps(t, &t->level[k]);
    t->least_lod = lod_of(t, desc->least_level);
    t->most_lod = LW_MAX(lod_of(t, desc->most_level), t->least_lod);
    t->sampler = host_texture_sampler_of_host();
    return t;
}

host_textures *host_textures_make(void) { return lw_alloc(sizeof(host_textures)); }

/* A card takes linear memory that is said to be longer than its allocation (NVIDIA's convolutionFFT2D does that): texels behind the
 * allocation are outside of the texture here, and read as 0. */
static host_texture_desc within_memory(host_context *c, const host_texture_desc *desc)
{
    host_texture_desc out = *desc;
    mem_allocation a;
    if (out.resource == HOST_RESOURCE_LINEAR && mem_find(c->memory, out.address, &a))
        out.bytes = LW_MIN(out.bytes, a.address + a.bytes - out.address);
    return out;
}

host_error host_texture_create(host_context *c, const host_texture_desc *desc, uint64_t *out)
{
    host_error error = host_status(c);
    if (!error) error = out ? check_desc(c, desc) : HOST_INVALID_VALUE;
    bool others = !error && desc->array && host_array_device(c, desc->array) != host_device_current(c);
    if (others) return HOST_PEER_ACCESS_NOT_ENABLED;
    if (error) return error;
    host_texture_desc within = within_memory(c, desc);
    host_texture *t = texture_new(&within);
    t->desc = *desc;
    host_lock(c);
    *out = host_slots_add(&c->textures->slots, t);
    host_unlock(c);
    return 0;
}

const host_texture *host_texture_find(host_context *c, uint64_t handle)
{
    return host_slots_find(&c->textures->slots, host_texture_ref_object(c, handle));
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

void host_textures_free(host_context *c)
{
    host_slots_free(&c->textures->slots);
    host_texture_refs_free(c);
}

/* ---- fetching ---- */
bool host_texture_fetch(void *context, const exec_texture_fetch *f, uint32_t *out_bad)
{
    *f->located = 0;
    for (uint32_t rest = f->mask; rest;) {
        *out_bad = (uint32_t)__builtin_ctz(rest);
        const host_texture *t = host_texture_find(context, f->texture[*out_bad]);
        if (!t) return false;
        rest &= ~t->sampler->sample(t, f, rest);
    }
    return true;
}

/* ---- queries ---- */
/* OpenCL's numbers, which the PTX ISA refers to. */
static uint32_t channel_type(const host_format *f, bool normalized)
{
    uint32_t width = f->bits[0] == 8 ? 0 : f->bits[0] == 16 ? 1 : 2;
    if (f->kind == HOST_FORMAT_FLOAT) return f->bits[0] == 16 ? 0x10dd : 0x10de;
    if (normalized) return (f->kind == HOST_FORMAT_SIGNED ? 0x10d0 : 0x10d2) + width;
    return (f->kind == HOST_FORMAT_SIGNED ? 0x10d7 : 0x10da) + width;
}

static uint32_t channel_order(const host_format *f) { return f->bits[3] ? 0x10b5 : f->bits[1] ? 0x10b2 : 0x10b0; }

/* The PTX ISA's: wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border. */
static uint32_t address_number(int mode)
{
    static const uint32_t numbers[] = {
        [HOST_ADDRESS_WRAP] = 0, [HOST_ADDRESS_CLAMP] = 3, [HOST_ADDRESS_MIRROR] = 1, [HOST_ADDRESS_BORDER] = 4};
    return numbers[mode & 3];
}

static const host_array *first_array(const host_texture_desc *t)
{
    if (t->resource == HOST_RESOURCE_ARRAY) return t->array;
    return t->resource == HOST_RESOURCE_MIPMAPPED ? t->mipmap->level[0] : NULL;
}

bool host_texture_query(void *context, uint64_t handle, uint32_t query, uint32_t level, uint32_t *out)
{
    const host_texture *t = host_texture_find(context, handle);
    if (!t) return false;
    const host_array *a = first_array(&t->desc);
    bool layered = a && a->flags & (HOST_ARRAY_LAYERED | HOST_ARRAY_CUBEMAP);
    const tex_shape *s = &t->level[LW_MIN(level, t->level_count - 1)];
    switch (query) {
    case CODE_QUERY_WIDTH: *out = (uint32_t)s->size[0]; break;
    case CODE_QUERY_HEIGHT: *out = (uint32_t)s->size[1]; break;
    case CODE_QUERY_DEPTH: *out = layered ? 1 : (uint32_t)s->size[2]; break;
    case CODE_QUERY_ARRAY_SIZE: *out = layered ? (uint32_t)s->size[2] : 0; break;
    case CODE_QUERY_LEVELS: *out = t->level_count; break;
    case CODE_QUERY_CHANNEL_TYPE: *out = channel_type(format_of(&t->desc), reads_fractions(&t->desc)); break;
    case CODE_QUERY_CHANNEL_ORDER: *out = channel_order(format_of(&t->desc)); break;
    case CODE_QUERY_NORMALIZED: *out = t->desc.normalized_coordinates; break;
    case CODE_QUERY_FILTER: *out = (uint32_t)t->desc.filter_mode; break;
    case CODE_QUERY_ADDRESS_0:
    case CODE_QUERY_ADDRESS_1:
    case CODE_QUERY_ADDRESS_2: *out = address_number(t->desc.address_mode[query - CODE_QUERY_ADDRESS_0]); break;
    default: *out = 0; break; /* samples: there are no textures with several */
    }
    return true;
}

bool host_surface_query(void *context, uint64_t handle, uint32_t query, uint32_t *out)
{
    exec_surface s;
    const host_array *a = host_surface_array(context, handle);
    if (!a || !host_surface_find(context, handle, &s)) return false;
    bool layered = a->flags & (HOST_ARRAY_LAYERED | HOST_ARRAY_CUBEMAP);
    switch (query) {
    case CODE_QUERY_WIDTH: *out = s.size[0]; break;
    case CODE_QUERY_HEIGHT: *out = s.size[1]; break;
    case CODE_QUERY_DEPTH: *out = layered ? 1 : s.size[2]; break;
    case CODE_QUERY_ARRAY_SIZE: *out = layered ? s.size[2] : 0; break;
    case CODE_QUERY_CHANNEL_TYPE: *out = channel_type(&a->format, a->format.normalized); break;
    case CODE_QUERY_CHANNEL_ORDER: *out = channel_order(&a->format); break;
    default: *out = 0; break; /* memory_layout: not linear */
    }
    return true;
}
