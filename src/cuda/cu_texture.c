/* Arrays and texture objects. */
#include <string.h>

#include "cuda/driver.h"

/* CUarray_format of one channel. */
static const struct {
    int format, bits, kind;
} formats[] = {{0x01, 8, HOST_FORMAT_UNSIGNED}, {0x02, 16, HOST_FORMAT_UNSIGNED}, {0x03, 32, HOST_FORMAT_UNSIGNED},
               {0x08, 8, HOST_FORMAT_SIGNED},   {0x09, 16, HOST_FORMAT_SIGNED},   {0x0a, 32, HOST_FORMAT_SIGNED},
               {0x10, 16, HOST_FORMAT_FLOAT},   {0x20, 32, HOST_FORMAT_FLOAT}};

/* CU_AD_FORMAT_UNORM_INT8X1 and the following: by sign, bits, and 1, 2 or 4 channels. */
enum { NORMALIZED_FIRST = 0xc0, NORMALIZED_SIGNED = 6, NORMALIZED_16 = 3, NORMALIZED_END = 0xcc };

static host_format format_of(int bits, int kind, uint32_t channels)
{
    host_format f = {.kind = kind};
    for (uint32_t c = 0; c < channels; c++) f.bits[c] = bits;
    return f;
}

host_error cu_format(int format, uint32_t channels, host_format *out)
{
    if (channels != 1 && channels != 2 && channels != 4) return HOST_INVALID_VALUE;
    for (size_t i = 0; i < LW_COUNT(formats); i++) {
        if (formats[i].format != format) continue;
        *out = format_of(formats[i].bits, formats[i].kind, channels);
        return 0;
    }
    if (format < NORMALIZED_FIRST || format >= NORMALIZED_END)
        return format > 0 ? cu_unsupported("this array format") : HOST_INVALID_VALUE;
    int n = format - NORMALIZED_FIRST;
    if (channels != 1u << n % NORMALIZED_16) return HOST_INVALID_VALUE;
    int bits = n % NORMALIZED_SIGNED >= NORMALIZED_16 ? 16 : 8;
    *out = format_of(bits, n >= NORMALIZED_SIGNED ? HOST_FORMAT_SIGNED : HOST_FORMAT_UNSIGNED, channels);
    out->normalized = true;
    return 0;
}

void cu_format_back(const host_format *format, int *out_format, uint32_t *out_channels)
{
    *out_channels = 0;
    *out_format = 0;
    for (int c = 0; c < 4; c++) *out_channels += format->bits[c] != 0;
    for (size_t i = 0; i < LW_COUNT(formats); i++)
        if (formats[i].bits == format->bits[0] && formats[i].kind == format->kind) *out_format = formats[i].format;
    if (!format->normalized) return;
    *out_format = NORMALIZED_FIRST + (format->kind == HOST_FORMAT_SIGNED ? NORMALIZED_SIGNED : 0) +
                  (format->bits[0] == 16 ? NORMALIZED_16 : 0) + (int)*out_channels / 2;
}

/* ---- arrays ---- */
CU(cuArray3DCreate_v2)(host_array **out, const cu_array3d_desc *d)
{
    host_format format;
    CU_NEED;
    if (!out || !d) return cu_end(HOST_INVALID_VALUE);
    if (d->flags & ~(uint32_t)HOST_ARRAY_FLAGS) return cu_end(cu_unsupported("cuArray3DCreate with these flags"));
    host_error error = cu_format(d->format, d->channels, &format);
    if (!error) error = host_array_create(host_get(), &format, d->width, d->height, d->depth, d->flags, out);
    return cu_end(error);
}

CU(cuArrayCreate_v2)(host_array **out, const cu_array_desc *d)
{
    if (!d) return cu_end(HOST_INVALID_VALUE);
    cu_array3d_desc wide = {d->width, d->height, 0, d->format, d->channels, 0};
    return lw_cuda_cuArray3DCreate_v2(out, &wide);
}

CU(cuArray3DGetDescriptor_v2)(cu_array3d_desc *out, const host_array *array)
{
    CU_NEED_INIT;
    if (!out) return cu_end(HOST_INVALID_VALUE);
    if (!host_array_valid(host_get(), array)) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    *out =
        (cu_array3d_desc){.width = array->width, .height = array->height, .depth = array->depth, .flags = array->flags};
    cu_format_back(&array->format, &out->format, &out->channels);
    return cu_end(0);
}

CU(cuArrayGetDescriptor_v2)(cu_array_desc *out, const host_array *array)
{
    cu_array3d_desc wide;
    if (!out) return cu_end(HOST_INVALID_VALUE);
    int error = lw_cuda_cuArray3DGetDescriptor_v2(&wide, array);
    if (!error) *out = (cu_array_desc){wide.width, wide.height, wide.format, wide.channels};
    return cu_end(error);
}

CU(cuMipmappedArrayCreate)(host_mipmap **out, const cu_array3d_desc *d, unsigned levels)
{
    host_format format;
    CU_NEED;
    if (!out || !d) return cu_end(HOST_INVALID_VALUE);
    if (d->flags & ~(uint32_t)HOST_ARRAY_FLAGS)
        return cu_end(cu_unsupported("cuMipmappedArrayCreate with these flags"));
    host_error error = cu_format(d->format, d->channels, &format);
    uint64_t size[3] = {d->width, d->height, d->depth};
    return cu_end(error ? error : host_mipmap_create(host_get(), &format, size, levels, d->flags, out));
}

/* ---- texture objects ---- */
/* CU_TRSF_... */
enum {
    TEXTURE_READ_AS_INTEGER = 1,
    TEXTURE_NORMALIZED = 2,
    TEXTURE_SRGB = 0x10,
    TEXTURE_PLAIN_TRILINEAR = 0x20,
    TEXTURE_SEAMLESS = 0x40
};

static host_error read_resource(const cu_resource_desc *r, host_texture_desc *out)
{
    out->resource = r->type;
    switch (r->type) {
    case HOST_RESOURCE_ARRAY:
        if (!host_array_valid(host_get(), r->u.array)) return HOST_INVALID_RESOURCE_HANDLE;
        out->array = r->u.array;
        out->format = out->array->format;
        return 0;
    case HOST_RESOURCE_LINEAR:
        out->address = r->u.linear.pointer;
        out->bytes = r->u.linear.bytes;
        return cu_format(r->u.linear.format, r->u.linear.channels, &out->format);
    case HOST_RESOURCE_PITCH:
        out->address = r->u.pitch.pointer;
        out->width = r->u.pitch.width;
        out->height = r->u.pitch.height;
        out->pitch = r->u.pitch.pitch;
        return cu_format(r->u.pitch.format, r->u.pitch.channels, &out->format);
    case HOST_RESOURCE_MIPMAPPED:
        if (!host_mipmap_valid(host_get(), r->u.array)) return HOST_INVALID_RESOURCE_HANDLE;
        out->mipmap = r->u.array;
        out->format = out->mipmap->level[0]->format;
        return 0;
    default: return HOST_INVALID_VALUE;
    }
}

/* Integers of 8 and 16 bits are read as fractions unless the program says otherwise; wider ones never are. */
static bool is_narrow(const host_format *f) { return f->kind != HOST_FORMAT_FLOAT && f->bits[0] < 32; }

static void read_sampler(const cu_texture_desc *texture, host_texture_desc *t)
{
    memcpy(t->address_mode, texture->address_mode, sizeof t->address_mode);
    t->filter_mode = texture->filter_mode;
    t->read_mode = is_narrow(&t->format) && !(texture->flags & TEXTURE_READ_AS_INTEGER);
    t->normalized_coordinates = (texture->flags & TEXTURE_NORMALIZED) != 0;
    t->srgb = (texture->flags & TEXTURE_SRGB) != 0;
    t->seamless = (texture->flags & TEXTURE_SEAMLESS) != 0;
    t->plain_trilinear = (texture->flags & TEXTURE_PLAIN_TRILINEAR) != 0;
    t->max_anisotropy = texture->max_anisotropy;
    t->blend_levels = texture->mipmap_filter == HOST_FILTER_LINEAR;
    t->level_bias = texture->mipmap_bias;
    t->least_level = texture->mipmap_min;
    t->most_level = texture->mipmap_max;
    memcpy(t->border, texture->border, sizeof t->border);
}

/* The driver takes a linear filter of 32-bit integers, which the runtime refuses (Warp's textures have one unless they are told
 * otherwise); what such a fetch gives is written nowhere. */
static void drop_filter(host_texture_desc *t)
{
    static bool told;
    bool wide = t->format.kind != HOST_FORMAT_FLOAT && t->format.bits[0] == 32;
    if (!wide || (t->filter_mode != HOST_FILTER_LINEAR && !t->blend_levels)) return;
    t->filter_mode = HOST_FILTER_POINT;
    t->blend_levels = false;
    if (!__atomic_test_and_set(&told, __ATOMIC_RELAXED))
        host_note(host_get(), "cuTexObjectCreate: textures of 32-bit integers have no linear filter: fetches give the "
                              "nearest texel");
}

CU(cuTexObjectCreate)(uint64_t *out, const cu_resource_desc *resource, const cu_texture_desc *texture,
                      const face_resource_view *view)
{
    host_texture_desc t = {0};
    CU_NEED;
    if (!out || !resource || !texture) return cu_end(HOST_INVALID_VALUE);
    host_error error = read_resource(resource, &t);
    if (!error) error = face_view_read(view, &t.view);
    if (error) return cu_end(error);
    read_sampler(texture, &t);
    drop_filter(&t);
    return cu_end(host_texture_create(host_get(), &t, out));
}

CU(cuTexObjectGetResourceDesc)(cu_resource_desc *out, uint64_t texture)
{
    CU_NEED_INIT;
    const host_texture_desc *t = host_texture_get(host_get(), texture);
    if (!out || !t) return cu_end(HOST_INVALID_VALUE);
    memset(out, 0, sizeof *out);
    out->type = t->resource;
    if (t->resource == HOST_RESOURCE_ARRAY) {
        out->u.array = t->array;
    } else if (t->resource == HOST_RESOURCE_MIPMAPPED) {
        out->u.array = t->mipmap;
    } else if (t->resource == HOST_RESOURCE_LINEAR) {
        out->u.linear.pointer = t->address;
        out->u.linear.bytes = t->bytes;
        cu_format_back(&t->format, &out->u.linear.format, &out->u.linear.channels);
    } else {
        out->u.pitch.pointer = t->address;
        out->u.pitch.width = t->width;
        out->u.pitch.height = t->height;
        out->u.pitch.pitch = t->pitch;
        cu_format_back(&t->format, &out->u.pitch.format, &out->u.pitch.channels);
    }
    return cu_end(0);
}

CU(cuTexObjectGetTextureDesc)(cu_texture_desc *out, uint64_t texture)
{
    CU_NEED_INIT;
    const host_texture_desc *t = host_texture_get(host_get(), texture);
    if (!out || !t) return cu_end(HOST_INVALID_VALUE);
    memset(out, 0, sizeof *out);
    memcpy(out->address_mode, t->address_mode, sizeof out->address_mode);
    out->filter_mode = t->filter_mode;
    if (is_narrow(&t->format) && !t->read_mode) out->flags |= TEXTURE_READ_AS_INTEGER;
    if (t->normalized_coordinates) out->flags |= TEXTURE_NORMALIZED;
    if (t->srgb) out->flags |= TEXTURE_SRGB;
    if (t->seamless) out->flags |= TEXTURE_SEAMLESS;
    if (t->plain_trilinear) out->flags |= TEXTURE_PLAIN_TRILINEAR;
    out->max_anisotropy = t->max_anisotropy;
    out->mipmap_filter = t->blend_levels;
    out->mipmap_bias = t->level_bias;
    out->mipmap_min = t->least_level;
    out->mipmap_max = t->most_level;
    memcpy(out->border, t->border, sizeof out->border);
    return cu_end(0);
}
