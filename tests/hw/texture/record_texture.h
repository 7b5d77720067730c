/* Operands of record_texture.cu, made with integers alone, so that every machine makes the same ones; textures of every
 * shape; and the file of results. */
#ifndef LANEWISE_RECORD_TEXTURE_H
#define LANEWISE_RECORD_TEXTURE_H
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t status_ = (call);                                                                                  \
        if (status_ != cudaSuccess) {                                                                                  \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(status_));                        \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- numbers from keys: the finalizer of splitmix64 ---- */
static uint64_t mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}
static uint32_t random_bits(uint32_t a, uint32_t b) { return (uint32_t)(mix(mix(20261125u + a) ^ b) >> 32); }
static float random_unit(uint32_t a, uint32_t b) { return (float)(random_bits(a, b) >> 8) / 16777216.0f; }
static float random_in(uint32_t a, uint32_t b, float least, float most)
{
    return least + (most - least) * random_unit(a, b);
}
static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}
static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

/* ---- results: words, and a table of what they are ---- */
static FILE *words_file, *index_file;
static size_t words_written;

static void emit(const char *name, const uint32_t *words, size_t count)
{
    fprintf(index_file, "%s,%zu,%zu\n", name, words_written, count);
    fwrite(words, 4, count, words_file);
    fflush(index_file);
    fflush(words_file);
    words_written += count;
}

/* ---- texels ---- */
enum fill {
    BITS,     /* any bits */
    UNIT,     /* floats between -1 and 1 */
    WIDE,     /* floats of 40 exponents */
    SPECIAL,  /* zeros of both signs, subnormals, infinities, NaNs among others */
    RAMP,     /* x + 1, + 4096 y, + 65536 z: exact in single precision */
    LEVEL,    /* the number of the level */
    CORNERS,  /* channel c is 1 where (x & 1) + 2 (y & 1) = c and z is even */
    CORNERS2, /* the same where z is odd */
    FACES,    /* of cubemaps: channel face / 2 is 1; channel 3 is a number of the texel */
    COLUMN    /* 1 where x = 128, else 0 */
};

static float value_of(int fill, uint32_t seed, int level, int channel, int x, int y, int z)
{
    uint32_t r = random_bits(seed * 64 + (uint32_t)level * 8 + (uint32_t)channel, (uint32_t)((z * 512 + y) * 512 + x));
    static const uint32_t specials[8] = {0,          0x80000000u, 1,          0x007fffffu,
                                         0x7f800000, 0xff800000u, 0x7fc12345, 0xffa00001u};
    switch (fill) {
    case UNIT: return (float)(int32_t)(r & 0xffffff00u) / 2147483648.0f;
    case WIDE:
        return ldexpf((float)(int32_t)((r & 0xffffffu) | 0x800000u) * (r >> 31 ? -1.0f : 1.0f),
                      -43 + (int)(r >> 25 & 31) % 40);
    case SPECIAL: return r >> 29 < 2 ? float_of(specials[r & 7]) : (float)(int32_t)(r & 0xffffff00u) / 2147483648.0f;
    case RAMP: return (float)(x + 1 + 4096 * y + 65536 * z);
    case LEVEL: return (float)level;
    case CORNERS: return (x & 1) + 2 * (y & 1) == channel && !(z & 1);
    case CORNERS2: return (x & 1) + 2 * (y & 1) == channel && (z & 1);
    case FACES: return channel == 3 ? (float)(r & 0xffff) : (z % 6) / 2 == channel;
    case COLUMN: return x == 128;
    default: return float_of(r);
    }
}

/* ---- textures ---- */
struct shape {
    int dimensions; /* 1 to 3; of cubemaps and layered ones without the layers */
    int w, h, d;    /* d: depth or layers; 0: none */
    int levels;     /* 0: an array, else a mipmapped array */
    unsigned flags;
};
struct format {
    int channels, bits;
    cudaChannelFormatKind kind;
};
static const format F32x4 = {4, 32, cudaChannelFormatKindFloat}, F32x1 = {1, 32, cudaChannelFormatKindFloat},
                    F16x4 = {4, 16, cudaChannelFormatKindFloat}, U8x4 = {4, 8, cudaChannelFormatKindUnsigned},
                    S8x4 = {4, 8, cudaChannelFormatKindSigned}, U16x4 = {4, 16, cudaChannelFormatKindUnsigned},
                    S16x4 = {4, 16, cudaChannelFormatKindSigned}, U32x4 = {4, 32, cudaChannelFormatKindUnsigned},
                    U8x1 = {1, 8, cudaChannelFormatKindUnsigned}, U16x1 = {1, 16, cudaChannelFormatKindUnsigned},
                    S8x1 = {1, 8, cudaChannelFormatKindSigned}, S16x1 = {1, 16, cudaChannelFormatKindSigned},
                    F16x1 = {1, 16, cudaChannelFormatKindFloat}, U8x2 = {2, 8, cudaChannelFormatKindUnsigned},
                    F32x2 = {2, 32, cudaChannelFormatKindFloat};

struct memory {
    shape s;
    format f;
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
};

static int at_least_1(int n) { return n > 1 ? n : 1; }

static void fill_array(cudaArray_t array, const shape &s, const format &f, int fill, uint32_t seed, int level)
{
    bool layered = s.flags & (cudaArrayLayered | cudaArrayCubemap);
    int w = at_least_1(s.w >> level), h = s.h ? at_least_1(s.h >> level) : 1;
    int d = layered ? at_least_1(s.d) : s.d ? at_least_1(s.d >> level) : 1;
    size_t texel = (size_t)f.channels * f.bits / 8, channel = f.bits / 8;
    uint8_t *bytes = (uint8_t *)malloc(texel * w * h * d), *to = bytes;
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
                for (int c = 0; c < f.channels; c++, to += channel) {
                    float v = value_of(fill, seed, level, c, x, y, z);
                    uint32_t raw = bits_of(v);
                    __half half_value = __float2half(v);
                    if (f.kind == cudaChannelFormatKindFloat && f.bits == 16 && fill != BITS)
                        memcpy(to, &half_value, 2);
                    else memcpy(to, &raw, channel);
                }
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(bytes, texel * w, w, h);
    p.dstArray = array;
    p.extent = make_cudaExtent(w, h, d);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    free(bytes);
}

static memory make_memory(const shape &s, const format &f, int fill, uint32_t seed)
{
    memory m = {s, f, nullptr, nullptr};
    int b = f.bits, n = f.channels;
    cudaChannelFormatDesc d = cudaCreateChannelDesc(b, n > 1 ? b : 0, n > 2 ? b : 0, n > 2 ? b : 0, f.kind);
    cudaExtent e = make_cudaExtent(s.w, s.h, s.d);
    if (s.levels) {
        CHECK(cudaMallocMipmappedArray(&m.mipmap, &d, e, s.levels, s.flags));
        for (int k = 0; k < s.levels; k++) {
            cudaArray_t level;
            CHECK(cudaGetMipmappedArrayLevel(&level, m.mipmap, k));
            fill_array(level, s, f, fill, seed, k);
        }
    } else {
        CHECK(cudaMalloc3DArray(&m.array, &d, e, s.flags));
        fill_array(m.array, s, f, fill, seed, 0);
    }
    return m;
}

static void free_memory(memory &m)
{
    if (m.array) CHECK(cudaFreeArray(m.array));
    if (m.mipmap) CHECK(cudaFreeMipmappedArray(m.mipmap));
}

static cudaTextureDesc description(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized,
                                   bool fractions)
{
    cudaTextureDesc t = {};
    for (int k = 0; k < 3; k++) t.addressMode[k] = mode;
    t.filterMode = filter;
    t.normalizedCoords = normalized;
    t.readMode = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    t.maxMipmapLevelClamp = 100;
    return t;
}

static cudaTextureObject_t make_texture(const memory &m, const cudaTextureDesc &t)
{
    cudaTextureObject_t out;
    cudaResourceDesc r = {};
    r.resType = m.mipmap ? cudaResourceTypeMipmappedArray : cudaResourceTypeArray;
    if (m.mipmap) r.res.mipmap.mipmap = m.mipmap;
    else r.res.array.array = m.array;
    CHECK(cudaCreateTextureObject(&out, &r, &t, nullptr));
    return out;
}
#endif
