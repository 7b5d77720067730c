/* Texture and surface references: deprecated, and still taken by the driver. */
#include <string.h>

#include "cuda/driver.h"
#include "host/texture_ref.h"

/* CU_TRSF_... */
enum { REF_READ_AS_INTEGER = 1, REF_NORMALIZED = 2, REF_SRGB = 0x10 };

static bool is_narrow(const host_format *f) { return f->kind != HOST_FORMAT_FLOAT && f->bits[0] < 32; }

static uint32_t flags_of(const host_texture_desc *t)
{
    uint32_t flags = t->normalized_coordinates ? REF_NORMALIZED : 0;
    if (t->srgb) flags |= REF_SRGB;
    return t->read_mode == HOST_READ_NORMALIZED ? flags : flags | REF_READ_AS_INTEGER;
}

/* Narrow integers are read as fractions unless the flags say otherwise; the read mode keeps what the flags said. */
static int bind(host_texture_ref *r)
{
    host_texture_desc kept = r->desc;
    if (!is_narrow(&r->desc.format)) r->desc.read_mode = HOST_READ_ELEMENT;
    host_texture_ref_bind(host_get(), r);
    r->desc.read_mode = kept.read_mode;
    return 0;
}

/* The calls of one reference: the driver must be there, and know it. */
#define REF(name, params, change)                                                                                      \
    CU(name) params                                                                                                    \
    {                                                                                                                  \
        CU_NEED;                                                                                                       \
        if (!host_texture_ref_valid(host_get(), ref)) return cu_end(HOST_INVALID_RESOURCE_HANDLE);                     \
        host_texture_desc *t = &ref->desc;                                                                             \
        (void)t;                                                                                                       \
        return cu_end(change);                                                                                         \
    }

static host_error find(host_texture_ref **out, host_module *module, const char *name)
{
    uint64_t address = 0, bytes = 0;
    if (!out || !name) return HOST_INVALID_VALUE;
    if (!host_module_valid(host_get(), module)) return HOST_INVALID_RESOURCE_HANDLE;
    host_error error = host_module_symbol(module, name, &address, &bytes);
    if (error) return error;
    *out = host_texture_ref_of(host_get(), address);
    return 0;
}

CU(cuModuleGetTexRef)(host_texture_ref **out, host_module *module, const char *name)
{
    CU_NEED;
    host_error error = find(out, module, name);
    if (!error && !(*out)->bound) (*out)->desc.read_mode = HOST_READ_NORMALIZED;
    return cu_end(error);
}

CU(cuModuleGetSurfRef)(host_texture_ref **out, host_module *module, const char *name)
{
    CU_NEED;
    return cu_end(find(out, module, name));
}

/* ---- what it reads ---- */
static host_error set_array(host_texture_ref *ref, host_array *array)
{
    if (!host_array_valid(host_get(), array)) return HOST_INVALID_RESOURCE_HANDLE;
    ref->desc.resource = HOST_RESOURCE_ARRAY;
    ref->desc.array = array;
    ref->desc.format = array->format;
    ref->bound = true;
    return bind(ref);
}
REF(cuTexRefSetArray, (host_texture_ref * ref, host_array *array, unsigned flags),
    flags == 1 ? set_array(ref, array) : HOST_INVALID_VALUE)

static host_error set_mipmap(host_texture_ref *ref, host_mipmap *mipmap)
{
    if (!host_mipmap_valid(host_get(), mipmap)) return HOST_INVALID_RESOURCE_HANDLE;
    ref->desc.resource = HOST_RESOURCE_MIPMAPPED;
    ref->desc.mipmap = mipmap;
    ref->desc.format = mipmap->level[0]->format;
    ref->bound = true;
    return bind(ref);
}
REF(cuTexRefSetMipmappedArray, (host_texture_ref * ref, host_mipmap *mipmap, unsigned flags),
    flags == 1 ? set_mipmap(ref, mipmap) : HOST_INVALID_VALUE)

/* Addresses need not be aligned: the caller is told how many bytes to add. */
static host_error set_address(size_t *offset, host_texture_ref *ref, uint64_t pointer, size_t bytes)
{
    const uint64_t alignment = 512; /* of textures, on all devices that have references */
    uint64_t rest = pointer % alignment;
    if (rest && !offset) return HOST_INVALID_VALUE;
    if (offset) *offset = rest;
    ref->desc.resource = HOST_RESOURCE_LINEAR;
    ref->desc.address = pointer - rest;
    ref->desc.bytes = bytes + rest;
    ref->bound = true;
    return bind(ref);
}
REF(cuTexRefSetAddress_v2, (size_t *offset, host_texture_ref *ref, uint64_t pointer, size_t bytes),
    set_address(offset, ref, pointer, bytes))

static host_error set_address_2d(host_texture_ref *ref, const cu_array_desc *desc, uint64_t pointer, size_t pitch)
{
    if (!desc) return HOST_INVALID_VALUE;
    host_error error = cu_format(desc->format, desc->channels, &ref->desc.format);
    if (error) return error;
    ref->desc.resource = HOST_RESOURCE_PITCH;
    ref->desc.address = pointer;
    ref->desc.width = desc->width;
    ref->desc.height = desc->height;
    ref->desc.pitch = pitch;
    ref->bound = true;
    return bind(ref);
}
REF(cuTexRefSetAddress2D_v3, (host_texture_ref * ref, const cu_array_desc *desc, uint64_t pointer, size_t pitch),
    set_address_2d(ref, desc, pointer, pitch))

static host_error set_format(host_texture_ref *ref, int format, int channels)
{
    host_error error = cu_format(format, (uint32_t)channels, &ref->desc.format);
    return error ? error : bind(ref);
}
REF(cuTexRefSetFormat, (host_texture_ref * ref, int format, int channels), set_format(ref, format, channels))

/* ---- how it reads ---- */
#define SETTER(name, type, field)                                                                                      \
    static host_error set_##name(host_texture_ref *ref, type value)                                                    \
    {                                                                                                                  \
        ref->desc.field = value;                                                                                       \
        return bind(ref);                                                                                              \
    }
SETTER(filter, int, filter_mode)
SETTER(mipmap_filter, bool, blend_levels)
SETTER(bias, float, level_bias)
SETTER(anisotropy, uint32_t, max_anisotropy)
#undef SETTER

static host_error set_address_mode(host_texture_ref *ref, int dimension, int mode)
{
    if (dimension < 0 || dimension > 2 || mode < 0 || mode > HOST_ADDRESS_BORDER) return HOST_INVALID_VALUE;
    ref->desc.address_mode[dimension] = mode;
    return bind(ref);
}

static host_error set_clamp(host_texture_ref *ref, float least, float most)
{
    ref->desc.least_level = least;
    ref->desc.most_level = most;
    return bind(ref);
}

static host_error set_border(host_texture_ref *ref, const float *color)
{
    if (!color) return HOST_INVALID_VALUE;
    memcpy(ref->desc.border, color, sizeof ref->desc.border);
    return bind(ref);
}

static host_error set_flags(host_texture_ref *ref, unsigned flags)
{
    ref->desc.read_mode = flags & REF_READ_AS_INTEGER ? HOST_READ_ELEMENT : HOST_READ_NORMALIZED;
    ref->desc.normalized_coordinates = (flags & REF_NORMALIZED) != 0;
    ref->desc.srgb = (flags & REF_SRGB) != 0;
    return bind(ref);
}

REF(cuTexRefSetFilterMode, (host_texture_ref * ref, int mode), set_filter(ref, mode))
REF(cuTexRefSetMipmapFilterMode, (host_texture_ref * ref, int mode), set_mipmap_filter(ref, mode != 0))
REF(cuTexRefSetMipmapLevelBias, (host_texture_ref * ref, float bias), set_bias(ref, bias))
REF(cuTexRefSetMaxAnisotropy, (host_texture_ref * ref, unsigned most), set_anisotropy(ref, most))
REF(cuTexRefSetAddressMode, (host_texture_ref * ref, int dimension, int mode), set_address_mode(ref, dimension, mode))
REF(cuTexRefSetMipmapLevelClamp, (host_texture_ref * ref, float least, float most), set_clamp(ref, least, most))
REF(cuTexRefSetBorderColor, (host_texture_ref * ref, const float *color), set_border(ref, color))
REF(cuTexRefSetFlags, (host_texture_ref * ref, unsigned flags), set_flags(ref, flags))

/* ---- what was set ---- */
#define GETTER(call, type, value)                                                                                      \
    REF(call, (type * out, host_texture_ref * ref), out ? (*out = (value), 0) : HOST_INVALID_VALUE)
GETTER(cuTexRefGetArray, host_array *, t->array)
GETTER(cuTexRefGetMipmappedArray, host_mipmap *, t->mipmap)
GETTER(cuTexRefGetAddress_v2, uint64_t, t->address)
GETTER(cuTexRefGetFilterMode, int, t->filter_mode)
GETTER(cuTexRefGetMipmapFilterMode, int, t->blend_levels)
GETTER(cuTexRefGetMipmapLevelBias, float, t->level_bias)
GETTER(cuTexRefGetMaxAnisotropy, int, (int)t->max_anisotropy)
GETTER(cuTexRefGetFlags, unsigned, flags_of(t))
#undef GETTER

REF(cuTexRefGetAddressMode, (int *out, host_texture_ref *ref, int dimension),
    out &&dimension >= 0 && dimension <= 2 ? (*out = t->address_mode[dimension], 0) : HOST_INVALID_VALUE)
REF(cuTexRefGetMipmapLevelClamp, (float *least, float *most, host_texture_ref *ref),
    least &&most ? (*least = t->least_level, *most = t->most_level, 0) : HOST_INVALID_VALUE)
REF(cuTexRefGetBorderColor, (float *out, host_texture_ref *ref),
    out ? (memcpy(out, t->border, sizeof t->border), 0) : HOST_INVALID_VALUE)

static host_error get_format(const host_format *f, int *format, int *channels)
{
    uint32_t count = 0;
    if (!format || !channels) return HOST_INVALID_VALUE;
    cu_format_back(f, format, &count);
    *channels = (int)count;
    return 0;
}
REF(cuTexRefGetFormat, (int *format, int *channels, host_texture_ref *ref), get_format(&t->format, format, channels))

/* ---- surfaces ---- */
static host_error set_surface(host_texture_ref *ref, host_array *array)
{
    if (!host_array_valid(host_get(), array)) return HOST_INVALID_RESOURCE_HANDLE;
    return host_surface_ref_bind(host_get(), ref, array);
}
REF(cuSurfRefSetArray, (host_texture_ref * ref, host_array *array, unsigned flags),
    flags ? HOST_INVALID_VALUE : set_surface(ref, array))
REF(cuSurfRefGetArray, (host_array * *out, host_texture_ref *ref), out ? (*out = t->array, 0) : HOST_INVALID_VALUE)
#undef REF

/* References are bound to their modules; launches need not be told of them. */
CU(cuParamSetTexRef)(const void *function, int unit, host_texture_ref *ref)
{
    CU_NEED;
    (void)unit;
    if (!host_texture_ref_valid(host_get(), ref)) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    return cu_end(cu_kernel(function));
}
