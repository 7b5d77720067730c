/* What the profiler counts of texture fetches, surface accesses and copies by tensor maps. One launch a case, one warp (of tensor
 * maps: one thread); the cases' names are printed in the order of the launches.
 *   count_texture textures | maps | more | surfaces under ncu; see record.sh. more: other shapes, formats and surfaces; pattern by pattern
 *   count_texture maps N                 what the copy of case N of maps does */
#include "record_texture.h"
#include <cuda.h>

/* ---- patterns of a warp: which texel each lane reads ---- */
struct places {
    short x[32], y[32], z[32];
    unsigned mask;
};
static const int pairs[][3] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}, {7, 0, 0}, {8, 0, 0}, {15, 0, 0}, {16, 0, 0},
                               {0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {0, 4, 0}, {0, 7, 0}, {0, 8, 0}, {1, 1, 0},  {3, 1, 0},
                               {4, 1, 0}, {0, 0, 1}, {0, 0, 2}, {1, 0, 1}, {0, 1, 1}, {8, 8, 0}};
static const int pair_count = sizeof pairs / sizeof pairs[0];

static int place(int pattern, places *p, char *name)
{
    static const char *names[] = {"row",
                                  "column",
                                  "8x4",
                                  "4x8",
                                  "16x2",
                                  "2x16",
                                  "same",
                                  "row by 2",
                                  "row by 4",
                                  "column by 2",
                                  "diagonal",
                                  "row from 3",
                                  "4x4x2",
                                  "2x2x8",
                                  "along z",
                                  "random 8",
                                  "random 16",
                                  "random 64",
                                  "random 64 again",
                                  "random 64 16 lanes",
                                  "random 64 first"};
    const int count = sizeof names / sizeof names[0];
    if (pattern >= count + pair_count) return 0;
    memset(p, 0, sizeof *p);
    p->mask = 0xffffffffu;
    for (int l = 0; l < 32; l++) {
        int x = l, y = 0, z = 0;
        switch (pattern) {
        case 0: break;
        case 1: x = 0, y = l; break;
        case 2: x = l % 8, y = l / 8; break;
        case 3: x = l % 4, y = l / 4; break;
        case 4: x = l % 16, y = l / 16; break;
        case 5: x = l % 2, y = l / 2; break;
        case 6: x = y = 5; break;
        case 7: x = 2 * l; break;
        case 8: x = 4 * l % 64, y = l / 16; break;
        case 9: x = 0, y = 2 * l; break;
        case 10: x = y = l; break;
        case 11: x = l + 3; break;
        case 12: x = l % 4, y = l / 4 % 4, z = l / 16; break;
        case 13: x = l % 2, y = l / 2 % 2, z = l / 4; break;
        case 14: x = 0, z = l % 16; break;
        default:
            if (pattern < count) {
                int among = pattern == 15 ? 8 : pattern == 16 ? 16 : 64, key = pattern == 20 ? 0 : pattern;
                x = random_bits(key, l) % among, y = random_bits(key + 50, l) % among,
                z = random_bits(key + 90, l) % 16;
                if (pattern == 19) p->mask = 0xffff;
            } else {
                const int *at = pairs[pattern - count];
                x = l ? at[0] : 0, y = l ? at[1] : 0, z = l ? at[2] : 0;
                p->mask = 3;
            }
        }
        p->x[l] = x, p->y[l] = y, p->z[l] = z;
    }
    if (pattern < count) strcpy(name, names[pattern]);
    else
        sprintf(name, "two lanes %d %d %d", pairs[pattern - count][0], pairs[pattern - count][1],
                pairs[pattern - count][2]);
    return 1;
}

/* The size of dynamic shared memory tells the cases of fetches apart in a report: 16 bytes a case. */
static size_t told(void)
{
    static size_t bytes;
    return 16 * bytes++;
}

/* ---- kernels: what is read becomes one word, so that nothing is left out ---- */
#define LANE                                                                                                           \
    int l = threadIdx.x, x = p.x[l], y = p.y[l], z = p.z[l];                                                           \
    if (!(p.mask >> l & 1)) return;                                                                                    \
    (void)x, (void)y, (void)z

static __device__ float word(float v) { return v; }
static __device__ float word(float2 v) { return v.x + v.y; }
static __device__ float word(uint2 v) { return (float)(v.x ^ v.y); }
static __device__ float word(float4 v) { return v.x + v.y + v.z + v.w; }
static __device__ float word(unsigned char v) { return v; }
static __device__ float word(uint4 v) { return (float)(v.x ^ v.y ^ v.z ^ v.w); }
static __device__ float word(unsigned v) { return v; }

template <typename T, int How> __global__ void fetches(cudaTextureObject_t t, const __grid_constant__ places p,
                                                       float part, float *out)
{
    LANE;
    T v;
    if (How == 0) v = tex1D<T>(t, x + part);
    else if (How == 1) v = tex2D<T>(t, x + part, y + part);
    else if (How == 2) v = tex3D<T>(t, x + part, y + part, z + part);
    else if (How == 3) v = tex2DLayered<T>(t, x + part, y + part, z);
    else if (How == 4) v = tex1Dfetch<T>(t, x + 64 * y);
    else v = tex2Dgather<T>(t, x + part, y + part, 0);
    float w = word(v);
    if (w == 1234.0f)
        *out = w; /* never, but of whole numbers, too, the assembler does not know it: no store is counted */
}
template <typename T, int How> __global__ void surface(cudaSurfaceObject_t s, const __grid_constant__ places p,
                                                       float *out)
{
    LANE;
    T v = {};
    if (How == 0) v = surf2Dread<T>(s, x * (int)sizeof(T), y);
    else if (How == 1) v = surf3Dread<T>(s, x * (int)sizeof(T), y, z);
    else if (How == 2) v = surf2DLayeredread<T>(s, x * (int)sizeof(T), y, z);
    else if (How == 3) surf2Dwrite<T>(v, s, x * (int)sizeof(T), y);
    else surf3Dwrite<T>(v, s, x * (int)sizeof(T), y, z);
    float w = word(v);
    if (w == 1234.0f) *out = w;
}

static float *out;
template <typename T, int How> static void all_fetches(const char *name, cudaTextureObject_t t, float part)
{
    places p;
    char pattern[64];
    for (int k = 0; place(k, &p, pattern); k++) {
        printf("CASE %s,%s\n", name, pattern);
        fetches<T, How><<<1, 32, told()>>>(t, p, part, out);
    }
    CHECK(cudaDeviceSynchronize());
}
template <typename T, int How> static void all_accesses(const char *name, cudaSurfaceObject_t s)
{
    places p;
    char pattern[64];
    for (int k = 0; place(k, &p, pattern); k++) {
        printf("CASE %s,%s\n", name, pattern);
        surface<T, How><<<1, 32, told()>>>(s, p, out);
    }
    CHECK(cudaDeviceSynchronize());
}

static cudaTextureObject_t of(const shape &s, const format &f, cudaTextureFilterMode filter)
{
    memory m = make_memory(s, f, LEVEL, 0);
    return make_texture(m, description(cudaAddressModeClamp, filter, false, false));
}
static cudaSurfaceObject_t surface_of(const shape &s, const format &f)
{
    memory m = make_memory(s, f, LEVEL, 0);
    cudaResourceDesc r = {};
    cudaSurfaceObject_t out;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = m.array;
    CHECK(cudaCreateSurfaceObject(&out, &r));
    return out;
}

static void textures(void)
{
    const shape two = {2, 128, 128, 0, 0, cudaArrayTextureGather}, three = {3, 64, 64, 16, 0, 0},
                layers = {2, 64, 64, 16, 0, cudaArrayLayered};
    all_fetches<float, 1>("2d f32 points", of(two, F32x1, cudaFilterModePoint), 0.5f);
    all_fetches<float, 1>("2d f32 linear", of(two, F32x1, cudaFilterModeLinear), 0.75f);
    all_fetches<unsigned char, 1>("2d u8 points", of(two, U8x1, cudaFilterModePoint), 0.5f);
    all_fetches<float4, 1>("2d f32x4 points", of(two, F32x4, cudaFilterModePoint), 0.5f);
    all_fetches<float, 2>("3d f32 points", of(three, F32x1, cudaFilterModePoint), 0.5f);
    all_fetches<float, 2>("3d f32 linear", of(three, F32x1, cudaFilterModeLinear), 0.75f);
    all_fetches<float, 3>("layers f32 points", of(layers, F32x1, cudaFilterModePoint), 0.5f);
    all_fetches<float, 0>("1d f32 points", of({1, 128, 0, 0, 0, 0}, F32x1, cudaFilterModePoint), 0.5f);
    all_fetches<float4, 5>("gather f32", of(two, F32x1, cudaFilterModePoint), 0.75f);
    cudaResourceDesc r = {};
    cudaTextureDesc d = description(cudaAddressModeClamp, cudaFilterModePoint, false, false);
    cudaTextureObject_t t;
    void *linear;
    CHECK(cudaMalloc(&linear, 128 * 128 * 4));
    CHECK(cudaMemset(linear, 0, 128 * 128 * 4));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = linear;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = r.res.pitch2D.height = 128;
    r.res.pitch2D.pitchInBytes = 512;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    all_fetches<float, 1>("pitch f32 points", t, 0.5f);
    r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = linear;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 128 * 128 * 4;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    all_fetches<float, 4>("fetch f32", t, 0);
    const shape writable = {2, 128, 128, 0, 0, cudaArraySurfaceLoadStore},
                writable3 = {3, 64, 64, 16, 0, cudaArraySurfaceLoadStore};
    all_accesses<unsigned, 0>("suld 2d 4", surface_of(writable, U8x4));
    all_accesses<uint4, 0>("suld 2d 16", surface_of(writable, U32x4));
    all_accesses<unsigned, 1>("suld 3d 4", surface_of(writable3, U8x4));
    all_accesses<unsigned, 3>("sust 2d 4", surface_of(writable, U8x4));
    all_accesses<unsigned, 4>("sust 3d 4", surface_of(writable3, U8x4));
}

/* ---- more shapes ---- */
template <int How> __global__ void fetches_more(cudaTextureObject_t t, const __grid_constant__ places p, float part,
                                                float scale, float level, float *out)
{
    LANE;
    float w;
    if (How == 0) w = tex1DLayered<float>(t, x + part, y & 7);
    else if (How == 1) w = tex2DLayered<float>(t, x + part, y + part, z);
    else if (How == 2) w = texCubemap<float>(t, (x + part) * scale - 1, (y + part) * scale - 1, 1.0f);
    else if (How == 3)
        w = texCubemap<float>(t, z % 3 == 0 ? 1.0f : x * scale - 1, z % 3 == 1 ? 1.0f : y * scale - 1,
                              z % 3 == 2 ? -1.0f : (x ^ y) * scale - 1);
    else if (How == 4) w = texCubemapLayered<float>(t, (x + part) * scale - 1, (y + part) * scale - 1, -1.0f, z & 1);
    else if (How == 5) w = tex2DLod<float>(t, (x + part) * scale, (y + part) * scale, level);
    else w = tex3DLod<float>(t, (x + part) * scale, (y + part) * scale, (z + part) * scale * 4, level);
    if (w == 1234.0f) *out = w;
}
template <typename T, int How> __global__ void surface_more(cudaSurfaceObject_t s, const __grid_constant__ places p,
                                                            float *out)
{
    LANE;
    T v = {};
    if (How == 0) v = surf1Dread<T>(s, x * (int)sizeof(T));
    else if (How == 1) surf1Dwrite<T>(v, s, x * (int)sizeof(T));
    else if (How == 2) v = surf2Dread<T>(s, x * (int)sizeof(T), y);
    else if (How == 3) surf2Dwrite<T>(v, s, x * (int)sizeof(T), y);
    else if (How == 4) surf2DLayeredwrite<T>(v, s, x * (int)sizeof(T), y, z);
    else if (How == 5) v = surfCubemapread<T>(s, x * (int)sizeof(T), y, z % 6);
    else if (How == 7)
        asm volatile("sured.b.3d.add.u32.clamp [%0, {%1, %2, %3, %3}], %4;" ::"l"(s), "r"(x * 4), "r"(y), "r"(z), "r"(1)
                     : "memory");
    else asm volatile("sured.b.2d.add.u32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x * 4), "r"(y), "r"(1) : "memory");
    float w = word(v);
    if (w == 1234.0f) *out = w;
}

struct more_kind {
    const char *name;
    void (*launch)(uint64_t object, const places &p);
    uint64_t object;
};
#define FETCH(T, how, part) [](uint64_t t, const places &p) { fetches<T, how><<<1, 32, told()>>>(t, p, part, out); }
#define MORE(how, part, scale, level)                                                                                  \
    [](uint64_t t, const places &p) { fetches_more<how><<<1, 32, told()>>>(t, p, part, scale, level, out); }
#define SURFACE(T, how) [](uint64_t t, const places &p) { surface<T, how><<<1, 32, told()>>>(t, p, out); }
#define SURFACE_MORE(T, how) [](uint64_t t, const places &p) { surface_more<T, how><<<1, 32, told()>>>(t, p, out); }

static uint64_t of_levels(const shape &s, cudaTextureFilterMode filter, cudaTextureFilterMode between)
{
    memory m = make_memory(s, F32x1, LEVEL, 0);
    cudaTextureDesc d = description(cudaAddressModeClamp, filter, true, false);
    d.mipmapFilterMode = between;
    return make_texture(m, d);
}
static uint64_t of_fractions(const shape &s, const format &f, cudaTextureFilterMode filter)
{
    return make_texture(make_memory(s, f, LEVEL, 0), description(cudaAddressModeClamp, filter, false, true));
}
static uint64_t of_memory(bool pitch, cudaTextureFilterMode filter)
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = description(cudaAddressModeClamp, filter, false, false);
    cudaTextureObject_t t;
    void *linear;
    CHECK(cudaMalloc(&linear, 128 * 128 * 4));
    CHECK(cudaMemset(linear, 0, 128 * 128 * 4));
    r.resType = pitch ? cudaResourceTypePitch2D : cudaResourceTypeLinear;
    if (pitch) {
        r.res.pitch2D.devPtr = linear;
        r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
        r.res.pitch2D.width = r.res.pitch2D.height = 128;
        r.res.pitch2D.pitchInBytes = 512;
    } else {
        r.res.linear.devPtr = linear;
        r.res.linear.desc = cudaCreateChannelDesc<float>();
        r.res.linear.sizeInBytes = 128 * 128 * 4;
    }
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

/* Twelve patterns: the order is that of what they tell, since a profiler may be stopped. */
static void launch_all(const more_kind *kinds, int count)
{
    static const int patterns[] = {17, 0, 2, 15, 1, 13, 16, 10, 4, 19, 21, 11};
    for (int pattern : patterns)
        for (const more_kind *k = kinds; k < kinds + count; k++) {
            places p;
            char name[64];
            place(pattern, &p, name);
            printf("CASE %s,%s\n", k->name, name);
            k->launch(k->object, p);
            CHECK(cudaDeviceSynchronize());
        }
}

static void more(void)
{
    const auto points = cudaFilterModePoint, linear = cudaFilterModeLinear;
    const unsigned writes = cudaArraySurfaceLoadStore;
    const shape two = {2, 128, 128, 0, 0, cudaArrayTextureGather}, three = {3, 64, 64, 16, 0, 0},
                cube = {2, 64, 64, 6, 0, cudaArrayCubemap},
                cubes = {2, 64, 64, 12, 0, cudaArrayCubemap | cudaArrayLayered};
    const more_kind kinds[] = {
        {"2d u8 linear", FETCH(float, 1, 0.75f), of_fractions({2, 128, 128, 0, 0, 0}, U8x1, linear)},
        {"2d u8x4 linear", FETCH(float4, 1, 0.75f), of_fractions({2, 128, 128, 0, 0, 0}, U8x4, linear)},
        {"2d f32x4 linear", FETCH(float4, 1, 0.75f), of(two, F32x4, linear)},
        {"2d f32 linear at centres", FETCH(float, 1, 0.5f), of(two, F32x1, linear)},
        {"3d f32 linear at centres", FETCH(float, 2, 0.5f), of(three, F32x1, linear)},
        {"2d f32x2 points", FETCH(float2, 1, 0.5f), of(two, F32x2, points)},
        {"gather f32", FETCH(float4, 5, 0.75f), of(two, F32x1, points)},
        {"1d f32 points", FETCH(float, 0, 0.5f), of({1, 128, 0, 0, 0, 0}, F32x1, points)},
        {"1d f32 linear", FETCH(float, 0, 0.75f), of({1, 128, 0, 0, 0, 0}, F32x1, linear)},
        {"1d layers f32 linear", MORE(0, 0.75f, 0, 0), of({1, 128, 0, 8, 0, cudaArrayLayered}, F32x1, linear)},
        {"layers f32 linear", MORE(1, 0.75f, 0, 0), of({2, 64, 64, 16, 0, cudaArrayLayered}, F32x1, linear)},
        {"3d u8x4 linear", FETCH(float4, 2, 0.75f), of_fractions(three, U8x4, linear)},
        {"3d f32x4 points", FETCH(float4, 2, 0.5f), of(three, F32x4, points)},
        {"cube f32 points", MORE(2, 0.5f, 1 / 32.0f, 0), of(cube, F32x1, points)},
        {"cube f32 linear", MORE(2, 0.75f, 1 / 32.0f, 0), of(cube, F32x1, linear)},
        {"cube faces f32 points", MORE(3, 0.5f, 1 / 32.0f, 0), of(cube, F32x1, points)},
        {"cubes f32 points", MORE(4, 0.5f, 1 / 32.0f, 0), of(cubes, F32x1, points)},
        {"levels 2d f32 points 1", MORE(5, 0.5f, 1 / 64.0f, 1), of_levels({2, 128, 128, 0, 4, 0}, points, points)},
        {"levels 2d f32 linear 1", MORE(5, 0.75f, 1 / 64.0f, 1), of_levels({2, 128, 128, 0, 4, 0}, linear, points)},
        {"levels 2d f32 linear 0.5", MORE(5, 0.75f, 1 / 64.0f, 0.5f),
         of_levels({2, 128, 128, 0, 4, 0}, linear, linear)},
        {"levels 3d f32 linear 0.5", MORE(6, 0.75f, 1 / 64.0f, 0.5f), of_levels({3, 64, 64, 16, 3, 0}, linear, linear)},
        {"pitch f32 points", FETCH(float, 1, 0.5f), of_memory(true, points)},
        {"pitch f32 linear", FETCH(float, 1, 0.75f), of_memory(true, linear)},
        {"fetch f32", FETCH(float, 4, 0), of_memory(false, points)},
        {"sust 1d 4", SURFACE_MORE(unsigned, 1), surface_of({1, 128, 0, 0, 0, writes}, U8x4)},
        {"sust 2d 1", SURFACE_MORE(unsigned char, 3), surface_of({2, 128, 128, 0, 0, writes}, U8x1)},
        {"sust 2d 4", SURFACE(unsigned, 3), surface_of({2, 128, 128, 0, 0, writes}, U8x4)},
        {"sust 2d 16", SURFACE_MORE(uint4, 3), surface_of({2, 128, 128, 0, 0, writes}, U32x4)},
        {"sust 3d 4", SURFACE(unsigned, 4), surface_of({3, 64, 64, 16, 0, writes}, U8x4)},
        {"sust layers 4", SURFACE_MORE(unsigned, 4), surface_of({2, 64, 64, 16, 0, writes | cudaArrayLayered}, U8x4)},
    };
    launch_all(kinds, (int)(sizeof kinds / sizeof kinds[0]));
}

/* Accesses to surfaces that read, and what the assembler had left out of `more`, since no whole number was 1234.5. */
static void surfaces(void)
{
    const unsigned writes = cudaArraySurfaceLoadStore;
    const shape one = {1, 128, 0, 0, 0, writes}, two = {2, 128, 128, 0, 0, writes}, three = {3, 64, 64, 16, 0, writes},
                layers = {2, 64, 64, 16, 0, writes | cudaArrayLayered};
    const more_kind kinds[] = {
        {"suld 2d 4", SURFACE(unsigned, 0), surface_of(two, U8x4)},
        {"suld 2d 16", SURFACE(uint4, 0), surface_of(two, U32x4)},
        {"suld 3d 4", SURFACE(unsigned, 1), surface_of(three, U8x4)},
        {"suld layers 4", SURFACE(unsigned, 2), surface_of(layers, U8x4)},
        {"suld 1d 4", SURFACE_MORE(unsigned, 0), surface_of(one, U8x4)},
        {"suld 2d 8", SURFACE_MORE(uint2, 2), surface_of(two, F32x2)},
        {"suld 3d 16", SURFACE(uint4, 1), surface_of(three, U32x4)},
        {"suld cube 4", SURFACE_MORE(unsigned, 5), surface_of({2, 64, 64, 6, 0, writes | cudaArrayCubemap}, U8x4)},
        {"sured 2d 4", SURFACE_MORE(unsigned, 6), surface_of(two, U8x4)},
        {"sured 3d 4", SURFACE_MORE(unsigned, 7), surface_of(three, U8x4)},
        {"2d u16 points", FETCH(unsigned, 1, 0.5f), of({2, 128, 128, 0, 0, 0}, U16x1, cudaFilterModePoint)},
    };
    launch_all(kinds, (int)(sizeof kinds / sizeof kinds[0]));
}

/* ---- tensor maps ---- */
__global__ void copy_box(const __grid_constant__ CUtensorMap map, int how, int x, int y, unsigned bytes, unsigned *dump)
{
    extern __shared__ __align__(1024) unsigned tile[];
    __shared__ __align__(8) uint64_t barrier;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(tile),
             done = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.proxy.async;" ::: "memory");
    if (how == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                     "%3}], [%4];" ::"r"(to),
                     "l"(&map), "r"(x), "r"(y), "r"(bar)
                     : "memory");
        for (int k = 0; !done && k < 20000; k++)
            asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(bar)
                         : "memory");
        for (unsigned k = 0; dump && k < bytes / 4; k++) dump[k] = tile[k];
        return;
    }
    for (unsigned k = 0; dump && k < bytes / 4; k++) tile[k] = 0x01010101 * (k & 63);
    asm volatile("fence.proxy.async;" ::: "memory");
    if (how == 1)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
                     "r"(x), "r"(y), "r"(to)
                     : "memory");
    else if (how == 2)
        asm volatile(
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
            "r"(x), "r"(y), "r"(to)
            : "memory");
    else
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(x), "r"(y)
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* The error, FNV-1a of what came into shared memory (loads) or of the tensor (others), first words of it. */
static void print_map(cudaError_t status, void *tensor, unsigned *dump, int how, unsigned count)
{
    static unsigned kept[256 * 256];
    uint64_t hash = 0xcbf29ce484222325u;
    printf("  %s", cudaGetErrorName(status));
    if (status) {
        printf("\n");
        exit(0);
    }
    if (how) CHECK(cudaMemcpy(kept, tensor, sizeof kept, cudaMemcpyDeviceToHost));
    else memcpy(kept, dump, 4 * count);
    count = how ? 256 * 256 : count;
    for (unsigned k = 0; k < count; k++) hash = (hash ^ kept[k]) * 0x100000001b3u;
    printf(" %016llx %x %x %x %x %x %x\n", (unsigned long long)hash, kept[0], kept[1], kept[2], kept[3], kept[4],
           kept[5]);
}

/* only: -1, or the number of the one case whose result is printed */
static void maps(int only)
{
    typedef CUresult (*encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static const char *const hows[] = {"load", "store", "reduce", "prefetch"};
    struct {
        unsigned box[2];
        int swizzle, x, y, bytes;
    } cases[] = {{{4, 1}, 0, 0, 0, 4},   {{8, 1}, 0, 0, 0, 4},    {{8, 8}, 0, 0, 0, 4},    {{8, 8}, 1, 0, 0, 4},
                 {{16, 8}, 0, 0, 0, 4},  {{16, 8}, 2, 0, 0, 4},   {{32, 8}, 0, 0, 0, 4},   {{32, 8}, 3, 0, 0, 4},
                 {{64, 8}, 0, 0, 0, 4},  {{64, 64}, 0, 0, 0, 4},  {{32, 64}, 3, 0, 0, 4},  {{32, 8}, 3, 1, 0, 4},
                 {{32, 8}, 3, 4, 0, 4},  {{32, 8}, 3, 8, 3, 4},   {{32, 8}, 3, -16, 0, 4}, {{32, 8}, 3, 240, 0, 4},
                 {{32, 8}, 3, 0, -4, 4}, {{32, 8}, 3, 0, 252, 4}, {{32, 8}, 3, 0, 300, 4}, {{64, 16}, 3, 0, 0, 2},
                 {{64, 16}, 3, 3, 0, 2}, {{128, 16}, 3, 0, 0, 1}, {{16, 1}, 0, 0, 0, 1},   {{4, 64}, 0, 0, 0, 4},
                 {{4, 64}, 0, 6, 0, 4},  {{256, 1}, 0, 0, 0, 4},  {{8, 64}, 0, 4, 0, 4}};
    encoder encode;
    cudaDriverEntryPointQueryResult found;
    void *tensor;
    unsigned *dump = nullptr, number = 0, told = 0;
    static unsigned kept[256 * 256];
    CHECK(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
    CHECK(cudaMalloc(&tensor, 256 * 256 * 4));
    for (int k = 0; k < 256 * 256; k++) kept[k] = k;
    CHECK(cudaMemcpy(tensor, kept, sizeof kept, cudaMemcpyHostToDevice));
    if (only >= 0) CHECK(cudaMallocManaged(&dump, 65536));
    CHECK(cudaFuncSetAttribute(copy_box, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536 + 16 * 128));
    for (int how = 0; how < 4; how++)
        for (auto &c : cases) {
            CUtensorMap map;
            cuuint64_t dims[2] = {256, 256}, strides[1] = {(cuuint64_t)256 * c.bytes};
            cuuint32_t steps[2] = {1, 1};
            CUtensorMapDataType type = c.bytes == 4   ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                       : c.bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                                      : CU_TENSOR_MAP_DATA_TYPE_UINT8;
            if (how == 2 && c.bytes == 1) continue; /* no addition of bytes */
            if (encode(&map, type, 2, tensor, dims, strides, c.box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                       (CUtensorMapSwizzle)c.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
                fprintf(stderr, "no map\n");
                exit(1);
            }
            bool refused =
                c.x * c.bytes % 16 || ((how == 1 || how == 2) && (c.x < 0 || c.y < 0)); /* an illegal instruction */
            if (only < 0 && refused) continue;
            if (only >= 0 && (int)number++ != only) continue;
            fflush(stdout);
            printf("CASE %s,box %ux%u of %d bytes swizzle %d at %d %d\n", hows[how], c.box[0], c.box[1], c.bytes,
                   c.swizzle, c.x, c.y);
            /* the size of shared memory tells the cases apart in a report */
            copy_box<<<1, 1, 65536 + 16 * told++>>>(map, how, c.x, c.y, c.box[0] * c.box[1] * c.bytes, dump);
            cudaError_t status = cudaDeviceSynchronize();
            if (only < 0) CHECK(status);
            else print_map(status, tensor, dump, how, c.box[0] * c.box[1] * c.bytes / 4);
        }
}

int main(int argc, char **argv)
{
    CHECK(cudaMalloc(&out, 4));
    if (argc > 1 && !strcmp(argv[1], "maps")) maps(argc > 2 ? atoi(argv[2]) : -1);
    else if (argc > 1 && !strcmp(argv[1], "more")) more();
    else if (argc > 1 && !strcmp(argv[1], "surfaces")) surfaces();
    else textures();
    return 0;
}
