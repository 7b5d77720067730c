/* Records what textures and surfaces give: coordinates and their ties, weights, sums, formats, cubemaps, levels, derivatives,
 * anisotropy, coordinates that are no number, borders, gathers, queries, boundary modes, conversions of sust.p.
 *
 *   record_texture DIR        writes DIR/words.bin (32-bit words, little endian) and DIR/index.csv (name, first word, words)
 *   record_texture trap N     one access that may end the launch; prints the error's number
 *
 * -DPART=n builds what a driver may refuse to load as programs of their own: 0 (or nothing) fetches and surfaces, 1 offsets and
 * results of 16 bits, 2 sust.p, 3 to 6 queries.
 *
 * The same program under lanewise makes the same files; compare_texture.py says where they differ. */
#include "record_texture.h"

#ifndef PART
#define PART 0
#endif

enum how { T1, T2, T3, A1, A2, CUBE, ACUBE };
enum with { PLAIN, LOD, GRAD, GATHER0, GATHER1, GATHER2, GATHER3, OFFSET, HALF };

struct sample {
    float c[3];
    int layer;
    float lod;
    float dx[3], dy[3];
};

static __device__ uint4 words(float4 v)
{
    return make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), __float_as_uint(v.w));
}
static __device__ uint4 words(uint4 v) { return v; }

template <typename T> static __device__ T fetch(cudaTextureObject_t t, int how, int with, const sample &s)
{
    float x = s.c[0], y = s.c[1], z = s.c[2];
    if (with == LOD) {
        switch (how) {
        case T1: return tex1DLod<T>(t, x, s.lod);
        case T2: return tex2DLod<T>(t, x, y, s.lod);
        case T3: return tex3DLod<T>(t, x, y, z, s.lod);
        case A1: return tex1DLayeredLod<T>(t, x, s.layer, s.lod);
        case A2: return tex2DLayeredLod<T>(t, x, y, s.layer, s.lod);
        case CUBE: return texCubemapLod<T>(t, x, y, z, s.lod);
        default: return texCubemapLayeredLod<T>(t, x, y, z, s.layer, s.lod);
        }
    }
    if (with == GRAD) {
        float2 dx = make_float2(s.dx[0], s.dx[1]), dy = make_float2(s.dy[0], s.dy[1]);
        float4 dx3 = make_float4(s.dx[0], s.dx[1], s.dx[2], 0), dy3 = make_float4(s.dy[0], s.dy[1], s.dy[2], 0);
        switch (how) {
        case T1: return tex1DGrad<T>(t, x, s.dx[0], s.dy[0]);
        case T2: return tex2DGrad<T>(t, x, y, dx, dy);
        case T3: return tex3DGrad<T>(t, x, y, z, dx3, dy3);
        case A1: return tex1DLayeredGrad<T>(t, x, s.layer, s.dx[0], s.dy[0]);
        case A2: return tex2DLayeredGrad<T>(t, x, y, s.layer, dx, dy);
        case CUBE: return texCubemapGrad<T>(t, x, y, z, dx3, dy3);
        default: return texCubemapLayeredGrad<T>(t, x, y, z, s.layer, dx3, dy3);
        }
    }
    if (with >= GATHER0 && with <= GATHER3) {
        switch (with) {
        case GATHER0: return tex2Dgather<T>(t, x, y, 0);
        case GATHER1: return tex2Dgather<T>(t, x, y, 1);
        case GATHER2: return tex2Dgather<T>(t, x, y, 2);
        default: return tex2Dgather<T>(t, x, y, 3);
        }
    }
    switch (how) {
    case T1: return tex1D<T>(t, x);
    case T2: return tex2D<T>(t, x, y);
    case T3: return tex3D<T>(t, x, y, z);
    case A1: return tex1DLayered<T>(t, x, s.layer);
    case A2: return tex2DLayered<T>(t, x, y, s.layer);
    case CUBE: return texCubemap<T>(t, x, y, z);
    default: return texCubemapLayered<T>(t, x, y, z, s.layer);
    }
}

template <typename T> __global__ void fetch_all(cudaTextureObject_t t, int how, int with, const sample *s, int count,
                                                uint4 *out)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < count) out[n] = words(fetch<T>(t, how, with, s[n]));
}

/* Offsets of texels, and results of 16 bits: PTX only. */
#if PART == 1
__global__ void fetch_special(cudaTextureObject_t t, int with, const sample *s, int count, uint4 *out)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count) return;
    float x = s[n].c[0], y = s[n].c[1];
    uint4 v;
    uint16_t h[4];
    switch (with) {
    case OFFSET:
        asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8};"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(t), "f"(x), "f"(y), "r"(-3), "r"(5));
        break;
    default:
        asm volatile("tex.2d.v4.f16.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                     : "=h"(h[0]), "=h"(h[1]), "=h"(h[2]), "=h"(h[3])
                     : "l"(t), "f"(x), "f"(y));
        v = make_uint4(h[0], h[1], h[2], h[3]);
        break;
    }
    out[n] = v;
}
#endif

/* ---- one section: samples through a texture; `channels` words of each are kept ---- */
enum { MOST = 1 << 17 };
static sample *samples; /* managed */
static uint4 *results;

static void record(const char *name, cudaTextureObject_t t, int how, int with, int count, int channels,
                   bool integers = false)
{
    static uint32_t kept[4 * MOST];
#if PART == 1
    fetch_special<<<(count + 127) / 128, 128>>>(t, with, samples, count, results);
#else
    if (integers) fetch_all<uint4><<<(count + 127) / 128, 128>>>(t, how, with, samples, count, results);
    else fetch_all<float4><<<(count + 127) / 128, 128>>>(t, how, with, samples, count, results);
#endif
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < count; k++) memcpy(kept + (size_t)k * channels, &results[k], 4 * channels);
    emit(name, kept, (size_t)count * channels);
}

static void with_texture(const char *name, const memory &m, const cudaTextureDesc &d, int how, int with, int count,
                         int channels, bool integers = false)
{
    cudaTextureObject_t t = make_texture(m, d);
    record(name, t, how, with, count, channels, integers);
    CHECK(cudaDestroyTextureObject(t));
}

static const cudaTextureAddressMode modes[4] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                                cudaAddressModeBorder};
static const cudaTextureFilterMode filters[2] = {cudaFilterModePoint, cudaFilterModeLinear};

static void clear_samples(int count) { memset(samples, 0, sizeof(sample) * count); }

/* Coordinates of a texture of `size` texels: far, near, and close to where a weight turns. */
static float coordinate(uint32_t seed, int k, int size, bool normalized)
{
    float x = random_in(seed, k, -1.5f * size, 2.5f * size);
    uint32_t r = random_bits(seed + 1, k);
    if (k & 1) x = floorf(x * 512.0f) / 512.0f; /* halves of 256ths: ties */
    if (k & 2) x = random_in(seed + 2, k, 0, (float)size);
    if ((k & 3) == 3) x = floorf(x * 512.0f) / 512.0f;
    if (normalized) x /= (float)size;
    if (k & 4) x = float_of(bits_of(x) + r % 5 - 2);
    return x;
}

static void coordinates(void)
{
    static const int sizes[] = {1, 7, 64, 100, 1000};
    char name[96];
    for (int size : sizes) {
        memory m = make_memory({1, size, 0, 0, 0, 0}, F32x1, RAMP, 1);
        for (int normalized = 0; normalized < 2; normalized++) {
            for (int k = 0; k < 512; k++) samples[k].c[0] = coordinate(10 + size, k, size, normalized);
            for (int mode = 0; mode < 4; mode++)
                for (int filter = 0; filter < 2; filter++) {
                    snprintf(name, sizeof name, "coordinates size %d norm %d mode %d filter %d", size, normalized, mode,
                             filter);
                    with_texture(name, m, description(modes[mode], filters[filter], normalized, false), T1, PLAIN, 512,
                                 1);
                }
        }
        free_memory(m);
    }
    memory m = make_memory({1, 8, 0, 0, 0, 0}, F32x1, RAMP, 1);
    for (int k = 0; k < 4096; k++) samples[k].c[0] = -0.5f + k / 2048.0f;
    with_texture("ties at the border", m, description(cudaAddressModeBorder, cudaFilterModeLinear, false, false), T1,
                 PLAIN, 4096, 1);
    for (int k = 0; k < 4096; k++) samples[k].c[0] = 2 + k / 2048.0f;
    with_texture("ties", m, description(cudaAddressModeClamp, cudaFilterModeLinear, false, false), T1, PLAIN, 4096, 1);
    for (int k = 0; k < 4096; k++) samples[k].c[0] = (2 + k / 2048.0f) / 8;
    with_texture("ties normalized", m, description(cudaAddressModeClamp, cudaFilterModeLinear, true, false), T1, PLAIN,
                 4096, 1);
    free_memory(m);
    m = make_memory({1, 100, 0, 0, 0, 0}, F32x1, RAMP, 1);
    for (int k = 0; k < 4096; k++) samples[k].c[0] = random_unit(99, k);
    with_texture("normalized of 100", m, description(cudaAddressModeClamp, cudaFilterModeLinear, true, false), T1,
                 PLAIN, 4096, 1);
    with_texture("normalized of 100 points", m, description(cudaAddressModeClamp, cudaFilterModePoint, true, false), T1,
                 PLAIN, 4096, 1);
    free_memory(m);
}

/* The weights of the corners: the other texels of a one-hot texture are read only by weight 0. */
static void weights(void)
{
    memory m = make_memory({2, 4, 4, 0, 0, 0}, F32x4, CORNERS, 1);
    cudaTextureDesc d = description(cudaAddressModeClamp, cudaFilterModeLinear, false, false);
    for (int k = 0; k < 65536; k++) {
        samples[k].c[0] = 0.5f + (k & 255) / 256.0f;
        samples[k].c[1] = 0.5f + (k >> 8) / 256.0f;
    }
    with_texture("weights 2d", m, d, T2, PLAIN, 65536, 4);
    free_memory(m);
    memory near = make_memory({3, 4, 4, 4, 0, 0}, F32x4, CORNERS, 1),
           far = make_memory({3, 4, 4, 4, 0, 0}, F32x4, CORNERS2, 1);
    static const int edges[4] = {0, 1, 128, 255};
    for (int k = 0; k < 16384; k++) {
        for (int n = 0; n < 3; n++) {
            int w = random_bits(200 + n, k) & 255;
            if (k & 1 && k / 2 % 3 == n) w = edges[k / 8 & 3];
            samples[k].c[n] = 0.5f + w / 256.0f;
        }
    }
    with_texture("weights 3d near", near, d, T3, PLAIN, 16384, 4);
    with_texture("weights 3d far", far, d, T3, PLAIN, 16384, 4);
    free_memory(near);
    free_memory(far);
}

/* Filtered texels of every format. */
static void sums(void)
{
    struct {
        const char *name;
        format f;
        int fill;
        bool fractions, srgb;
    } cases[] = {{"f32 unit", F32x4, UNIT, false, false},
                 {"f32 wide", F32x4, WIDE, false, false},
                 {"f32 special", F32x4, SPECIAL, false, false},
                 {"f32 bits", F32x4, BITS, false, false},
                 {"f16 unit", F16x4, UNIT, false, false},
                 {"f16 bits", F16x4, BITS, false, false},
                 {"u8", U8x4, BITS, true, false},
                 {"s8", S8x4, BITS, true, false},
                 {"u16", U16x4, BITS, true, false},
                 {"s16", S16x4, BITS, true, false},
                 {"srgb", U8x4, BITS, true, true},
                 {"f32x1", F32x1, UNIT, false, false},
                 {"f32x2", F32x2, UNIT, false, false},
                 {"f16x1", F16x1, UNIT, false, false},
                 {"u8x1", U8x1, BITS, true, false},
                 {"u8x2", U8x2, BITS, true, false},
                 {"u16x1", U16x1, BITS, true, false},
                 {"s8x1", S8x1, BITS, true, false},
                 {"s16x1", S16x1, BITS, true, false}};
    char name[96];
    for (auto &c : cases)
        for (int n = 1; n <= 3; n++) {
            memory m = make_memory({n, 16, n > 1 ? 16 : 0, n > 2 ? 16 : 0, 0, 0}, c.f, c.fill, 300 + n);
            int count = c.f.channels == 4 ? 1024 : 256;
            for (int k = 0; k < count; k++)
                for (int a = 0; a < 3; a++) samples[k].c[a] = random_in(310 + a, k, -0.5f, 16.5f);
            for (int filter = 0; filter < 2; filter++) {
                if (!filter && (n != 2 || count != 1024)) continue;
                cudaTextureDesc d = description(cudaAddressModeClamp, filters[filter], false, c.fractions);
                d.sRGB = c.srgb;
                snprintf(name, sizeof name, "sums %s %dd filter %d", c.name, n, filter);
                if (PART == 0) with_texture(name, m, d, n == 1 ? T1 : n == 2 ? T2 : T3, PLAIN, count, c.f.channels);
                if (PART == 1 && n == 2 && count == 1024) {
                    snprintf(name, sizeof name, "halves %s filter %d", c.name, filter);
                    with_texture(name, m, d, T2, HALF, count, 4);
                    snprintf(name, sizeof name, "offsets %s filter %d", c.name, filter);
                    with_texture(name, m, d, T2, OFFSET, count, 4);
                }
            }
            free_memory(m);
        }
}

/* Every value of a channel, read as a point. */
static void conversions(void)
{
    struct {
        const char *name;
        format f;
        bool fractions, srgb;
    } cases[] = {{"u8", U8x1, true, false},   {"s8", S8x1, true, false},    {"u16", U16x1, true, false},
                 {"s16", S16x1, true, false}, {"f16", F16x1, false, false}, {"srgb", U8x4, true, true}};
    for (auto &c : cases) {
        int count = c.f.bits == 8 ? 256 : 65536;
        memory m = make_memory({1, count, 0, 0, 0, 0}, c.f, LEVEL, 0);
        uint8_t *bytes = (uint8_t *)malloc(count * 4);
        for (int k = 0; k < count; k++)
            for (int n = 0; n < c.f.channels * c.f.bits / 8; n++)
                bytes[k * c.f.channels * c.f.bits / 8 + n] = (uint8_t)(c.f.bits == 16 ? k >> 8 * n : k);
        size_t row = (size_t)count * c.f.channels * c.f.bits / 8;
        CHECK(cudaMemcpy2DToArray(m.array, 0, 0, bytes, row, row, 1, cudaMemcpyHostToDevice));
        free(bytes);
        cudaTextureDesc d = description(cudaAddressModeClamp, cudaFilterModePoint, false, c.fractions);
        d.sRGB = c.srgb;
        for (int k = 0; k < count; k++) samples[k].c[0] = k + 0.5f;
        char name[64];
        snprintf(name, sizeof name, "values %s", c.name);
        with_texture(name, m, d, T1, PLAIN, count, c.srgb ? 4 : 1);
        free_memory(m);
    }
}

static void directions(int count)
{
    static const float steps[7] = {-2, -1, -0.5f, 0, 0.5f, 1, 2};
    const float odd[6] = {-0.0f, NAN, INFINITY, -INFINITY, 1, 0};
    for (int k = 0; k < count; k++) {
        float *c = samples[k].c;
        for (int n = 0; n < 3; n++) {
            c[n] = random_in(400 + n, k, -1, 1);
            if (k < 343) c[n] = steps[n == 0 ? k % 7 : n == 1 ? k / 7 % 7 : k / 49];
            else if (k < 343 + 216) c[n] = odd[n == 0 ? (k - 343) % 6 : n == 1 ? (k - 343) / 6 % 6 : (k - 343) / 36];
            else if (k < 1600) c[n] = (random_bits(410 + n, k) & 1 ? 1.0f : -1.0f) * random_in(420 + n, k, 0.85f, 1);
            else if (k < 2200 && (int)(random_bits(430, k) % 3) != n)
                c[n] = (random_bits(410 + n, k) & 1 ? 1.0f : -1.0f) * random_in(420 + n, k, 0.85f, 1);
        }
        samples[k].layer = (int)(random_bits(440, k) % 4) - 1;
    }
}

static void cubes(void)
{
    memory m = make_memory({2, 8, 8, 6, 0, cudaArrayCubemap}, F32x1, RAMP, 1);
    cudaTextureDesc d = description(cudaAddressModeClamp, cudaFilterModePoint, true, false);
    directions(4096);
    with_texture("cube points", m, d, CUBE, PLAIN, 4096, 1);
    d.filterMode = cudaFilterModeLinear;
    with_texture("cube linear", m, d, CUBE, PLAIN, 4096, 1);
    for (int k = 0; k < 3; k++) d.addressMode[k] = cudaAddressModeWrap;
    with_texture("cube linear wrap", m, d, CUBE, PLAIN, 1024, 1);
    free_memory(m);
    m = make_memory({2, 8, 8, 6, 0, cudaArrayCubemap}, F32x4, FACES, 1);
    d = description(cudaAddressModeClamp, cudaFilterModeLinear, true, false);
    d.seamlessCubemap = 1;
    with_texture("cube seamless", m, d, CUBE, PLAIN, 4096, 4);
    d.seamlessCubemap = 0;
    with_texture("cube not seamless", m, d, CUBE, PLAIN, 4096, 4);
    free_memory(m);
    m = make_memory({2, 8, 8, 6, 0, cudaArrayCubemap}, U8x4, BITS, 1);
    d.readMode = cudaReadModeNormalizedFloat;
    d.seamlessCubemap = 1;
    with_texture("cube seamless u8", m, d, CUBE, PLAIN, 4096, 4);
    free_memory(m);
    m = make_memory({2, 8, 8, 18, 0, cudaArrayCubemap | cudaArrayLayered}, F32x1, RAMP, 1);
    d = description(cudaAddressModeClamp, cudaFilterModeLinear, true, false);
    with_texture("cube layers", m, d, ACUBE, PLAIN, 1024, 1);
    free_memory(m);
    m = make_memory({2, 64, 64, 6, 7, cudaArrayCubemap}, F32x1, LEVEL, 1);
    d.mipmapFilterMode = cudaFilterModeLinear;
    for (int k = 0; k < 4096; k++)
        for (int n = 0; n < 3; n++) {
            samples[k].dx[n] = random_in(450 + n, k, -1, 1) * exp2f(-(float)(k & 7));
            samples[k].dy[n] = random_in(460 + n, k, -1, 1) * exp2f(-(float)(k >> 3 & 7));
        }
    with_texture("cube derivatives", m, d, CUBE, GRAD, 4096, 1);
    free_memory(m);
}

/* Which level is read for a given one: the levels hold their numbers. */
static void levels(void)
{
    struct {
        int blends;
        float bias, least, most;
        int no_shortcut;
    } cases[] = {{0, 0, 0, 100, 0},     {1, 0, 0, 100, 0},           {1, 0, 0, 100, 1},
                 {0, 0, 0, 100, 1},     {1, 0.3f, 0, 100, 1},        {1, -0.7f, 0, 100, 1},
                 {0, 0.3f, 0, 100, 1},  {1, 1.0f / 1024, 0, 100, 1}, {1, 3.0f / 1024, 0, 100, 1},
                 {1, 20, 0, 100, 1},    {1, 0, 0.4f, 3.3f, 1},       {0, 0, 0.4f, 3.3f, 1},
                 {0, 0, 0.5f, 2.5f, 1}, {1, 0, 1.25f, 1.25f, 1},     {1, 0, 3, 1, 1},
                 {0, 0, 3, 1, 1},       {1, 0, 0.501f, 100, 1},      {1, 1.3f, 2, 100, 1}};
    const float odd[8] = {NAN, INFINITY, -INFINITY, -1e30f, 1e30f, -0.0f, 1e-40f, 7};
    char name[96];
    for (int n = 1; n <= 3; n++) {
        memory m = make_memory({n, 64, n > 1 ? 64 : 0, n > 2 ? 64 : 0, 7, 0}, F32x1, LEVEL, 1);
        for (auto &c : cases) {
            if (n != 2 && &c != &cases[0] && &c != &cases[1]) continue;
            cudaTextureDesc d = description(cudaAddressModeClamp, cudaFilterModeLinear, true, false);
            d.mipmapFilterMode = filters[c.blends];
            d.mipmapLevelBias = c.bias;
            d.minMipmapLevelClamp = c.least;
            d.maxMipmapLevelClamp = c.most;
            d.disableTrilinearOptimization = c.no_shortcut;
            clear_samples(3072);
            for (int k = 0; k < 3072; k++) {
                samples[k].c[0] = samples[k].c[1] = samples[k].c[2] = 0.5f;
                samples[k].lod = k < 1024 ? -1 + 9 * k / 1024.0f : 1 + (k - 1024) / 2048.0f;
                if (k < 8) samples[k].lod = odd[k];
            }
            snprintf(name, sizeof name, "levels %dd blends %d bias %g from %g to %g whole %d", n, c.blends, c.bias,
                     c.least, c.most, c.no_shortcut);
            with_texture(name, m, d, n == 1 ? T1 : n == 2 ? T2 : T3, LOD, &c < &cases[4] ? 3072 : 1024, 1);
            snprintf(name, sizeof name, "no level %dd blends %d bias %g from %g to %g whole %d", n, c.blends, c.bias,
                     c.least, c.most, c.no_shortcut);
            with_texture(name, m, d, n == 1 ? T1 : n == 2 ? T2 : T3, PLAIN, 1, 1);
        }
        free_memory(m);
    }
}

/* Blends of two levels. */
static void blends(void)
{
    struct {
        const char *name;
        format f;
        int fill;
        bool fractions;
    } cases[] = {{"f32", F32x4, UNIT, false}, {"f32 wide", F32x4, WIDE, false}, {"f32 special", F32x4, SPECIAL, false},
                 {"f16", F16x4, UNIT, false}, {"u8", U8x4, BITS, true},         {"s8", S8x4, BITS, true},
                 {"u16", U16x4, BITS, true}};
    char name[96];
    for (auto &c : cases) {
        memory m = make_memory({2, 64, 64, 0, 7, 0}, c.f, c.fill, 500);
        for (int filter = 0; filter < 2; filter++) {
            cudaTextureDesc d = description(cudaAddressModeWrap, filters[filter], true, c.fractions);
            d.mipmapFilterMode = cudaFilterModeLinear;
            d.disableTrilinearOptimization = 1;
            for (int k = 0; k < 1024; k++) {
                samples[k].c[0] = random_unit(510, k);
                samples[k].c[1] = random_unit(511, k);
                samples[k].lod = random_in(512, k, -0.5f, 6.5f);
            }
            snprintf(name, sizeof name, "blends %s filter %d", c.name, filter);
            with_texture(name, m, d, T2, LOD, 1024, 4);
        }
        free_memory(m);
    }
    memory m = make_memory({3, 16, 16, 16, 5, 0}, F32x4, UNIT, 500);
    cudaTextureDesc d = description(cudaAddressModeClamp, cudaFilterModeLinear, true, false);
    d.mipmapFilterMode = cudaFilterModeLinear;
    d.disableTrilinearOptimization = 1;
    for (int k = 0; k < 1024; k++) samples[k].c[2] = random_unit(513, k);
    with_texture("blends 3d", m, d, T3, LOD, 1024, 4);
    free_memory(m);
}

/* The level from derivatives. */
static void derivatives(void)
{
    static const int sizes[4][2] = {{64, 64}, {64, 16}, {256, 256}, {100, 60}};
    char name[96];
    for (auto &size : sizes) {
        int most = 1;
        while (size[0] >> most) most++;
        memory m = make_memory({2, size[0], size[1], 0, most, 0}, F32x1, LEVEL, 1);
        for (int anisotropy : {0, 2, 4, 16}) {
            cudaTextureDesc d = description(cudaAddressModeWrap, cudaFilterModeLinear, true, false);
            d.mipmapFilterMode = cudaFilterModeLinear;
            d.disableTrilinearOptimization = 1;
            d.maxAnisotropy = anisotropy;
            clear_samples(4096);
            for (int k = 0; k < 4096; k++) {
                sample &s = samples[k];
                float turn = random_in(600, k, 0, 6.2831853f), turn2 = random_in(601, k, 0, 6.2831853f);
                float far = exp2f(random_in(602, k, -1, 5)), far2 = exp2f(random_in(603, k, -1, 5));
                s.c[0] = s.c[1] = 0.5f;
                if (k < 1024) { /* one step along x: log2 itself */
                    s.dx[0] = exp2f((float)(k / 256)) * (1 + (k & 255) / 256.0f) / size[0];
                    if (k & 1) s.dy[1] = 1.0f / 4096;
                } else if (k < 1536) { /* of one length, all directions */
                    s.dx[0] = 4 * cosf(turn) / size[0];
                    s.dx[1] = 4 * sinf(turn) / size[1];
                } else {
                    s.dx[0] = far * cosf(turn) / size[0];
                    s.dx[1] = far * sinf(turn) / size[1];
                    s.dy[0] = far2 * cosf(turn2) / size[0];
                    s.dy[1] = far2 * sinf(turn2) / size[1];
                }
            }
            snprintf(name, sizeof name, "derivatives %dx%d anisotropy %d", size[0], size[1], anisotropy);
            with_texture(name, m, d, T2, GRAD, 4096, 1);
        }
        free_memory(m);
    }
    for (int n = 1; n <= 3; n += 2) {
        memory m = make_memory({n, 64, n > 1 ? 64 : 0, n > 2 ? 64 : 0, 7, 0}, F32x1, LEVEL, 1);
        cudaTextureDesc d = description(cudaAddressModeWrap, cudaFilterModeLinear, true, false);
        d.mipmapFilterMode = cudaFilterModeLinear;
        for (int k = 0; k < 1024; k++)
            for (int a = 0; a < 3; a++) {
                samples[k].dx[a] = random_in(610 + a, k, -1, 1) / 4;
                samples[k].dy[a] = random_in(620 + a, k, -1, 1) / 4;
            }
        snprintf(name, sizeof name, "derivatives of %dd", n);
        with_texture(name, m, d, n == 1 ? T1 : T3, GRAD, 1024, 1);
        free_memory(m);
    }
}

/* How samples lie along a long step: a column of ones. */
static void anisotropy(void)
{
    static const float ratios[] = {1.25f, 1.5f, 2, 3, 4, 6, 8, 12, 16, 20};
    char name[96];
    memory m = make_memory({2, 256, 256, 0, 9, 0}, F32x1, COLUMN, 1);
    for (float ratio : ratios) {
        cudaTextureDesc d = description(cudaAddressModeClamp, cudaFilterModeLinear, true, false);
        d.mipmapFilterMode = cudaFilterModePoint;
        d.maxAnisotropy = 16;
        clear_samples(1024);
        for (int k = 0; k < 1024; k++) {
            samples[k].c[0] = (128.5f + (k - 512) / 32.0f) / 256;
            samples[k].c[1] = 0.5f;
            samples[k].dx[0] = ratio / 256;
            samples[k].dy[1] = 1.0f / 256;
        }
        snprintf(name, sizeof name, "anisotropy ratio %g", ratio);
        with_texture(name, m, d, T2, GRAD, 1024, 1);
    }
    free_memory(m);
    m = make_memory({2, 64, 64, 0, 7, 0}, F32x4, UNIT, 1);
    for (int most : {2, 4, 16}) {
        cudaTextureDesc d = description(cudaAddressModeWrap, cudaFilterModeLinear, true, false);
        d.mipmapFilterMode = cudaFilterModeLinear;
        d.maxAnisotropy = most;
        for (int k = 0; k < 1024; k++)
            for (int n = 0; n < 2; n++) {
                samples[k].c[n] = random_unit(700 + n, k);
                samples[k].dx[n] = random_in(710 + n, k, -1, 1) * exp2f(-(float)(k & 7));
                samples[k].dy[n] = random_in(720 + n, k, -1, 1) * exp2f(-(float)(k >> 3 & 7));
            }
        snprintf(name, sizeof name, "anisotropy of noise, at most %d", most);
        with_texture(name, m, d, T2, GRAD, 1024, 4);
    }
    free_memory(m);
}

static const float odd_coordinates[] = {NAN,
                                        -NAN,
                                        INFINITY,
                                        -INFINITY,
                                        3e38f,
                                        -3e38f,
                                        1e20f,
                                        -1e20f,
                                        1e10f,
                                        -1e10f,
                                        4294967296.0f,
                                        2147483648.0f,
                                        -2147483648.0f,
                                        16777216.0f,
                                        16777215.0f,
                                        8388607.5f,
                                        8388608.5f,
                                        1048576.25f,
                                        131072.3f,
                                        -131072.3f,
                                        65536.7f,
                                        -65536.7f,
                                        32768.7f,
                                        -32768.7f,
                                        32767.9f,
                                        1000.6f,
                                        -1000.6f,
                                        100.6f,
                                        -100.6f,
                                        -1e-40f,
                                        1e-40f,
                                        -0.0f,
                                        0,
                                        -1e-10f,
                                        0.99999994f,
                                        1,
                                        5.9999995f,
                                        6,
                                        6.5f,
                                        7};

static void odd(void)
{
    const int count = sizeof odd_coordinates / sizeof odd_coordinates[0];
    char name[96];
    memory one = make_memory({1, 6, 0, 0, 0, 0}, F32x1, RAMP, 1), two = make_memory({2, 6, 4, 0, 0, 0}, F32x1, RAMP, 1);
    for (int n = 1; n <= 2; n++)
        for (int mode = 0; mode < 4; mode++)
            for (int filter = 0; filter < 2; filter++)
                for (int normalized = 0; normalized < 2; normalized++) {
                    clear_samples(2 * count);
                    for (int k = 0; k < count; k++) {
                        samples[k].c[0] = odd_coordinates[k];
                        samples[k].c[1] = normalized ? 0.3f : 1.3f;
                        samples[k + count].c[1] = odd_coordinates[k];
                        samples[k + count].c[0] = normalized ? 0.3f : 1.3f;
                    }
                    snprintf(name, sizeof name, "odd %dd mode %d filter %d norm %d", n, mode, filter, normalized);
                    with_texture(name, n == 1 ? one : two, description(modes[mode], filters[filter], normalized, false),
                                 n == 1 ? T1 : T2, PLAIN, n * count, 1);
                }
    free_memory(one);
    free_memory(two);
    static const int layers[] = {INT32_MIN, -65536, -2, -1, 0, 1, 2, 3, 4, 5, 100, 2047, 2048, 65535, 65536, INT32_MAX};
    memory m = make_memory({2, 4, 4, 4, 0, cudaArrayLayered}, F32x1, RAMP, 1);
    clear_samples(16);
    for (int k = 0; k < 16; k++) samples[k].layer = layers[k], samples[k].c[0] = samples[k].c[1] = 1.5f;
    for (int mode : {1, 3})
        for (int filter = 0; filter < 2; filter++) {
            snprintf(name, sizeof name, "layers mode %d filter %d", mode, filter);
            with_texture(name, m, description(modes[mode], filters[filter], false, false), A2, PLAIN, 16, 1);
        }
    free_memory(m);
}

static void borders(void)
{
    struct {
        const char *name;
        format f;
        bool fractions;
    } cases[] = {{"f32", F32x4, false},
                 {"f16", F16x4, false},
                 {"u8 fractions", U8x4, true},
                 {"s8 fractions", S8x4, true},
                 {"u16 fractions", U16x4, true},
                 {"s16 fractions", S16x4, true},
                 {"u8", U8x4, false},
                 {"s8", S8x4, false},
                 {"u16", U16x4, false},
                 {"s16", S16x4, false},
                 {"u32", U32x4, false}};
    static const float colors[3][4] = {{0.3f, 0.7f, -0.4f, 1}, {2, -1.5f, 1e5f, 300}, {1e-3f, 1e-5f, NAN, -INFINITY}};
    char name[96];
    for (auto &c : cases) {
        memory m = make_memory({2, 4, 4, 0, 0, cudaArrayTextureGather}, c.f,
                               c.f.kind == cudaChannelFormatKindFloat ? UNIT : BITS, 1);
        bool integers = c.f.kind != cudaChannelFormatKindFloat && !c.fractions;
        for (int color = 0; color < 3; color++)
            for (int filter = 0; filter < (integers ? 1 : 2); filter++) {
                cudaTextureDesc d = description(cudaAddressModeBorder, filters[filter], false, c.fractions);
                memcpy(d.borderColor, colors[color], sizeof d.borderColor);
                for (int k = 0; k < 64; k++)
                    samples[k].c[0] = -1 + (k & 7) * 0.8f, samples[k].c[1] = -1 + (k >> 3) * 0.8f;
                snprintf(name, sizeof name, "border %s color %d filter %d", c.name, color, filter);
                with_texture(name, m, d, T2, PLAIN, 64, 4, integers);
                snprintf(name, sizeof name, "border gather %s color %d filter %d", c.name, color, filter);
                with_texture(name, m, d, T2, GATHER1, 64, 4, integers);
            }
        free_memory(m);
    }
}

static void gathers(void)
{
    struct {
        const char *name;
        format f;
        bool fractions;
    } cases[] = {{"f32", F32x4, false},
                 {"u8 fractions", U8x4, true},
                 {"s16 fractions", S16x4, true},
                 {"u32", U32x4, false},
                 {"f16", F16x4, false}};
    char name[96];
    for (auto &c : cases) {
        memory m = make_memory({2, 16, 16, 0, 0, cudaArrayTextureGather}, c.f,
                               c.f.kind == cudaChannelFormatKindFloat ? UNIT : BITS, 1);
        bool integers = c.f.kind == cudaChannelFormatKindUnsigned && !c.fractions;
        for (int component = 0; component < 4; component++)
            for (int mode = 0; mode < 4; mode++) {
                if (component && mode) continue;
                for (int k = 0; k < 512; k++)
                    for (int n = 0; n < 2; n++) samples[k].c[n] = coordinate(800 + n, k, 16, true);
                snprintf(name, sizeof name, "gather %s component %d mode %d", c.name, component, mode);
                with_texture(name, m, description(modes[mode], cudaFilterModePoint, true, c.fractions), T2,
                             GATHER0 + component, 512, 4, integers);
            }
        free_memory(m);
    }
}

#include "record_surface.inl"

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "trap")) return one_trap(atoi(argv[2]));
    const char *folder = argc > 1 ? argv[1] : ".";
    char path[1024];
    snprintf(path, sizeof path, "%s/words.bin", folder);
    words_file = fopen(path, "wb");
    snprintf(path, sizeof path, "%s/index.csv", folder);
    index_file = fopen(path, "w");
    if (!words_file || !index_file) return 2;
    CHECK(cudaMallocManaged(&samples, sizeof(sample) * MOST));
    CHECK(cudaMallocManaged(&results, sizeof(uint4) * MOST));
    clear_samples(MOST);
    if (PART <= 1) sums();
    if (PART == 0) {
        coordinates();
        weights();
        conversions();
        cubes();
        levels();
        blends();
        derivatives();
        anisotropy();
        odd();
        borders();
        gathers();
        surfaces();
    }
    if (PART == 2) conversions_of_stores();
    if (PART >= 3) queries();
    fclose(words_file);
    fclose(index_file);
    return 0;
}
