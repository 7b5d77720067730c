/* test_texture: arrays and textures, without a compiler: kernels from PTX text against references written down
 * here, texel by texel. */
#include "texture_kernel.h"

#include "host/texture_ref.h"
#include "texture_reference.h"

#include <math.h>

/* ---------------------------------------------------------------- arrays */
UNIT_CASE(arrays_have_the_shapes_that_cuda_documents)
{
    static const struct {
        uint64_t size[3];
        uint32_t flags;
        int error;
    } cases[] = {{{8, 0, 0}, 0, 0},
                 {{0, 8, 0}, 0, HOST_INVALID_VALUE},
                 {{8, 0, 4}, 0, HOST_INVALID_VALUE},
                 {{8, 0, 4}, HOST_ARRAY_LAYERED, 0},
                 {{8, 8, 0}, HOST_ARRAY_LAYERED, HOST_INVALID_VALUE},
                 {{8, 8, 6}, HOST_ARRAY_CUBEMAP, 0},
                 {{8, 4, 6}, HOST_ARRAY_CUBEMAP, HOST_INVALID_VALUE},
                 {{8, 8, 5}, HOST_ARRAY_CUBEMAP, HOST_INVALID_VALUE},
                 {{8, 8, 18}, HOST_ARRAY_CUBEMAP | HOST_ARRAY_LAYERED, 0},
                 {{8, 8, 17}, HOST_ARRAY_CUBEMAP | HOST_ARRAY_LAYERED, HOST_INVALID_VALUE},
                 {{8, 8, 2}, HOST_ARRAY_GATHER, HOST_INVALID_VALUE},
                 {{UINT64_C(1) << 20, 1, 0}, 0, HOST_INVALID_VALUE}};
    host_format format = {{32, 0, 0, 0}, HOST_FORMAT_FLOAT, false}, three = {{32, 32, 32, 0}, HOST_FORMAT_FLOAT, false};
    host_array *a = NULL;
    uint64_t surface;
    for (size_t k = 0; k < LW_COUNT(cases); k++) {
        const uint64_t *size = cases[k].size;
        int error = host_array_create(host_get(), &format, size[0], size[1], size[2], cases[k].flags, &a);
        if (error != cases[k].error) UNIT_FAIL("case %zu: error %d", k, error);
        if (!error && cases[k].flags) CHECK_EQ_INT(host_surface_create(host_get(), a, &surface), HOST_INVALID_VALUE);
        if (!error) host_array_destroy(host_get(), a);
    }
    CHECK_EQ_INT(host_array_create(host_get(), &three, 8, 8, 0, 0, &a), HOST_INVALID_CHANNEL_DESCRIPTOR);
}

UNIT_CASE(mipmapped_arrays_halve)
{
    host_format format = {{8, 8, 8, 8}, HOST_FORMAT_UNSIGNED, false};
    uint64_t flat[3] = {20, 7, 0}, layers[3] = {4, 4, 9};
    host_mipmap *m = NULL;
    host_array *a = NULL;
    REQUIRE(!host_mipmap_create(host_get(), &format, flat, 99, 0, &m));
    CHECK_EQ_INT(m->count, 5);
    REQUIRE(!host_mipmap_level(host_get(), m, 3, &a));
    CHECK_EQ_INT(a->width, 2);
    CHECK_EQ_INT(a->height, 1);
    CHECK_EQ_INT(a->depth, 0);
    CHECK_EQ_INT(host_array_destroy(host_get(), a), HOST_INVALID_VALUE);
    uint64_t surface = 0;
    CHECK_EQ_INT(host_surface_create(host_get(), a, &surface), 0); /* a level needs no flag */
    CHECK_EQ_INT(host_surface_destroy(host_get(), surface), 0);
    CHECK_EQ_INT(host_mipmap_level(host_get(), m, 5, &a), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_mipmap_destroy(host_get(), m), 0);
    CHECK_EQ_INT(host_mipmap_destroy(host_get(), m), HOST_INVALID_VALUE);
    REQUIRE(!host_mipmap_create(host_get(), &format, layers, 2, HOST_ARRAY_LAYERED, &m));
    CHECK_EQ_INT(m->count, 2);
    CHECK_EQ_INT(m->level[1]->depth, 9);
    CHECK_EQ_INT(host_mipmap_destroy(host_get(), m), 0);
}

/* ---------------------------------------------------------------- textures, level 0 */
/* Lane 5 alone, among lanes that fetch elsewhere. */
static float fetch_bits(uint64_t texture, uint32_t n, bool real, uint32_t x, uint32_t y)
{
    enum { LANE = 5 };
    uint32_t at[2][32], out[4][32], located, bad;
    uint64_t handles[32] = {0}, address[32];
    float value;
    memset(at, 0xff, sizeof at);
    at[0][LANE] = x;
    at[1][LANE] = y;
    handles[LANE] = texture;
    exec_texture_fetch f = {.mask = 1u << LANE,
                            .dimensions = n,
                            .real = real,
                            .type = PTX_F32,
                            .components = 15,
                            .texture = handles,
                            .coordinate = {at[0], at[1]},
                            .out = out,
                            .address = address,
                            .located = &located};
    CHECK(host_texture_fetch(host_get(), &f, &bad));
    memcpy(&value, &out[0][LANE], 4);
    return value;
}

static float fetch(uint64_t texture, uint32_t n, float x, float y)
{
    uint32_t bits[2];
    memcpy(&bits[0], &x, 4);
    memcpy(&bits[1], &y, 4);
    return fetch_bits(texture, n, true, bits[0], bits[1]);
}
static float fetch_texel(uint64_t texture, uint32_t i) { return fetch_bits(texture, 1, false, i, 0); }

UNIT_CASE(textures_of_pitched_memory)
{
    host_context *c = host_get();
    uint64_t a = device_buffer(256), handle = 0;
    float *p = mem_storage(a);
    for (int i = 0; i < 64; i++) p[i] = (float)i;
    host_texture_desc t = {
        .resource = 3, .address = a, .width = 8, .height = 8, .pitch = 32, .format = {{32, 0, 0, 0}, 2, false}};
    t.address_mode[0] = t.address_mode[1] = 1; /* clamp */
    CHECK_EQ_INT(host_texture_create(c, &t, &handle), 0);
    CHECK_NEAR(fetch(handle, 2, 3.9f, 2.1f), 19, 0);
    CHECK_NEAR(fetch(handle, 2, -5, 100), 56, 0);
    CHECK_EQ_INT(host_texture_destroy(c, handle), 0);
    CHECK_EQ_INT(host_texture_destroy(c, handle), HOST_INVALID_VALUE);
    t.filter_mode = 1;
    CHECK_EQ_INT(host_texture_create(c, &t, &handle), 0);
    CHECK_NEAR(fetch(handle, 2, 3.5f, 2.5f), 19, 0);
    CHECK_NEAR(fetch(handle, 2, 4.0f, 3.0f), 23.5, 0); /* between four texels */
    host_texture_destroy(c, handle);
    t.format = (host_format){{32, 0, 0, 0}, 0, false}; /* integers are not filtered */
    CHECK_EQ_INT(host_texture_create(c, &t, &handle), HOST_INVALID_FILTER_SETTING);
    t.filter_mode = 0;
    t.read_mode = 1;
    CHECK_EQ_INT(host_texture_create(c, &t, &handle), HOST_INVALID_NORM_SETTING);
    t.read_mode = 0;
    t.address += 4;
    CHECK_EQ_INT(host_texture_create(c, &t, &handle), HOST_INVALID_VALUE);
    host_free(c, a);
}

/* A coordinate for a texture of 7 or 5 texels: mostly near it, sometimes far out, seldom no number. */
static float draw_coordinate(uint32_t *seed, bool normalised)
{
    uint32_t r = *seed = *seed * 1664525u + 1013904223u;
    float value = (float)(int32_t)(r >> 8 & 0xfff) / 256.0f - 4.0f;
    if (normalised) value /= 5.0f;
    if (r >> 24 == 1) return value * 3e9f;
    if (r >> 24 == 2) return NAN;
    if (r >> 26 == 3) return roundf(value);
    return value;
}

static bool is_nan(uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

/* Fetches by a warp, and one by one by the reference; returns lanes that differ in a bit. */
static uint32_t lanes_that_differ(uint64_t handle, uint32_t mask, uint32_t n, bool real, const uint32_t *layer,
                                  uint32_t at[3][32])
{
    uint32_t out[4][32], located = 0, wrong = 0, bad;
    uint64_t handles[32], address[32];
    for (uint32_t l = 0; l < 32; l++) handles[l] = handle;
    exec_texture_fetch f = {.mask = mask,
                            .dimensions = n,
                            .layered = layer != NULL,
                            .real = real,
                            .type = PTX_F32,
                            .components = 15,
                            .texture = handles,
                            .out = out,
                            .address = address,
                            .addressed = true,
                            .located = &located};
    if (layer) f.coordinate[0] = layer;
    for (uint32_t d = 0; d < n; d++) f.coordinate[f.layered + d] = at[d];
    const host_texture *t = host_texture_find(host_get(), handle);
    CHECK(host_texture_fetch(host_get(), &f, &bad));
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t bits[3] = {at[0][l], at[1][l], at[2][l]}, want[4];
        if (!(mask >> l & 1)) continue;
        uint64_t place = reference_fetch(t, n, real, layer ? layer[l] : 0, bits, want);
        bool differs = (located >> l & 1) != (place != 0);
        for (uint32_t c = 0; c < 4; c++) differs |= out[c][l] != want[c] && !(is_nan(out[c][l]) && is_nan(want[c]));
        if (place) differs |= address[l] != place;
        wrong += differs;
    }
    return wrong;
}

static uint32_t compare_drawn(uint64_t handle, bool normalised, uint32_t most, bool layered, uint32_t *seed)
{
    uint32_t wrong = 0;
    for (uint32_t round = 0; round < 24; round++) {
        uint32_t at[3][32], n = 1 + round % most, mask = round % 3 ? UINT32_MAX : *seed | 1;
        bool real = round % 6 != 5;
        for (uint32_t k = 0; k < 96; k++) {
            float value = draw_coordinate(seed, normalised && real);
            int32_t index = (int32_t)(*seed >> 8 & 15) - 4;
            memcpy(&at[k / 32][k % 32], real ? (void *)&value : (void *)&index, 4);
        }
        if (real && round % 4) /* and none so far out that the lanes go one by one */
            for (uint32_t k = 0; k < 96; k++) {
                float value;
                memcpy(&value, &at[k / 32][k % 32], 4);
                if (!(fabsf(value) < 1000)) at[k / 32][k % 32] = 0;
            }
        uint32_t layer[32];
        for (uint32_t l = 0; l < 32; l++) layer[l] = (l + round) % 5;
        wrong += lanes_that_differ(handle, mask, n, real, layered ? layer : NULL, at);
    }
    return wrong;
}

UNIT_CASE(textures_are_those_of_the_reference)
{
    static const host_format formats[] = {{{32, 0, 0, 0}, 2, false},    {{32, 32, 0, 0}, 0, false},
                                          {{32, 32, 32, 32}, 2, false}, {{8, 0, 0, 0}, 1, false},
                                          {{8, 8, 8, 8}, 1, false},     {{8, 8, 8, 8}, 0, false},
                                          {{16, 0, 0, 0}, 2, false},    {{16, 16, 0, 0}, 1, false}};
    uint32_t seed = 7, created = 0;
    uint64_t memory = device_buffer(4096), handle;
    uint8_t *bytes = mem_storage(memory);
    for (uint32_t k = 0; k < 4096; k++) bytes[k] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
    float special[] = {INFINITY, NAN, -0.0f, 1e-40f};
    memcpy(bytes + 128 + 4, special, sizeof special);
    for (uint32_t k = 0; k < LW_COUNT(formats) * 32; k++) {
        host_texture_desc t = {.resource = 3,
                               .address = memory,
                               .width = 7,
                               .height = 5,
                               .pitch = 128,
                               .format = formats[k / 32],
                               .filter_mode = (int)(k & 1),
                               .read_mode = (int)(k >> 1 & 1),
                               .normalized_coordinates = k >> 2 & 1,
                               .border = {0.25f, -2, 3, 0.7f}};
        for (int d = 0; d < 3; d++) t.address_mode[d] = (int)(k >> 3 & 3);
        if (host_texture_create(host_get(), &t, &handle)) continue; /* integers are not filtered, and the like */
        created++;
        CHECK_EQ_INT(compare_drawn(handle, t.normalized_coordinates, 2, false, &seed), 0);
        host_texture_destroy(host_get(), handle);
    }
    CHECK(created > 100);
    host_free(host_get(), memory);
}

/* Warps whose lanes follow each other along a row, as most do: of 32 lanes, of two rows of 16, of a step of half a texel; all ways of
 * the host's processor. */
UNIT_CASE(rows_of_textures_are_those_of_the_reference)
{
    static const host_format formats[] = {{{32, 0, 0, 0}, 2, false},
                                          {{8, 8, 8, 8}, 1, false},
                                          {{8, 8, 8, 8}, 0, false},
                                          {{16, 16, 0, 0}, 2, false},
                                          {{16, 0, 0, 0}, 0, false}};
    static const char *const levels[] = {"v2", "v3", "v4"};
    uint64_t memory = device_buffer(512 * 20), handle;
    uint8_t *bytes = mem_storage(memory);
    for (uint32_t k = 0; k < 512 * 20; k++) bytes[k] = (uint8_t)draw();
    for (uint32_t k = 0; k < LW_COUNT(formats) * 16 * LW_COUNT(levels); k++) {
        host_texture_desc t = {.resource = 3,
                               .address = memory,
                               .width = k & 1 ? 64 : 61,
                               .height = 17,
                               .pitch = 512,
                               .format = formats[k / 16 % LW_COUNT(formats)],
                               .filter_mode = (int)(k & 1),
                               .read_mode = 1,
                               .normalized_coordinates = k >> 1 & 1,
                               .border = {0.25f, -2, 3, 0.7f}};
        setenv("LANEWISE_ISA", levels[k / 16 / LW_COUNT(formats)], 1);
        for (int d = 0; d < 3; d++) t.address_mode[d] = (int)(k >> 2 & 3);
        CHECK_EQ_INT(host_texture_create(host_get(), &t, &handle), 0);
        for (uint32_t round = 0; round < 24; round++) {
            uint32_t at[3][32], mask = round % 5 ? UINT32_MAX : draw() | 1;
            float along = round % 3 == 2 ? 0.5f : 1, x = (float)(draw() % 1000) / 10 - 20,
                  y = (float)(draw() % 200) / 10;
            for (uint32_t l = 0; l < 32; l++) {
                bool two = round % 3 == 1;
                float u = x + along * (float)(two ? l % 16 : l), v = two ? y + (float)(l / 16) : y;
                if (t.normalized_coordinates) u /= (float)t.width, v /= (float)t.height;
                memcpy(&at[0][l], &u, 4);
                memcpy(&at[1][l], &v, 4);
                at[2][l] = 0;
            }
            CHECK_EQ_INT(lanes_that_differ(handle, mask, 2, true, NULL, at), 0);
        }
        host_texture_destroy(host_get(), handle);
    }
    unsetenv("LANEWISE_ISA");
    host_free(host_get(), memory);
}

/* One recorded line of texture_h200.txt against the same fetches here; returns how many values differ by more than
 * tolerance. */
static int compare_recorded(const char *values, uint64_t texture, float start, float step, float tolerance)
{
    int wrong = 0;
    for (int i = 0; i < 40; i++) {
        char *end;
        float want = strtof(values, &end);
        float got = fetch(texture, 2, fmaf(step, (float)i, start), 1.25f);
        if (fabsf(got - want) > tolerance && !wrong++) printf("    value %d: %.9g, recorded %.9g\n", i, got, want);
        values = end;
    }
    return wrong;
}

/* As NVIDIA's convolutionFFT2D has them, which an H200 takes: linear memory that ends before the texture does. */
UNIT_CASE(linear_textures_longer_than_their_memory)
{
    host_context *c = host_get();
    uint64_t handle, floats = device_buffer(1024);
    for (int i = 0; i < 256; i++) ((float *)mem_storage(floats))[i] = (float)i + 1;
    host_texture_desc t = {.resource = HOST_RESOURCE_LINEAR,
                           .address = floats,
                           .bytes = 1 << 20,
                           .format = {{32, 0, 0, 0}, 2, false},
                           .filter_mode = 1};
    REQUIRE(!host_texture_create(c, &t, &handle));
    CHECK_EQ_INT((int64_t)host_texture_get(c, handle)->bytes, 1 << 20);
    CHECK(fetch_texel(handle, 255) == 256 && fetch_texel(handle, 256) == 0 && fetch_texel(handle, 200000) == 0);
    host_texture_destroy(c, handle);
    host_free(c, floats);
    CHECK_EQ_INT(host_texture_create(c, &t, &handle), HOST_INVALID_VALUE);
}

UNIT_CASE(textures_as_recorded_on_an_h200)
{
    host_context *c = host_get();
    char line[4096];
    int norm, mode, filter, is_signed = 0, compared = 0;
    uint64_t handle, floats = device_buffer(1024), bytes = device_buffer(1024);
    for (int i = 0; i < 64; i++) {
        ((float *)mem_storage(floats))[i] = (float)i + 0.5f;
        ((uint8_t *)mem_storage(bytes))[i] = (uint8_t)(i * 5);
    }
    FILE *file = fopen(unit_path("unit/texture_h200.txt"), "r");
    REQUIRE(file != NULL);
    while (fgets(line, sizeof line, file)) {
        host_texture_desc t = {.resource = 3,
                               .address = floats,
                               .width = 8,
                               .height = 8,
                               .pitch = 32,
                               .format = {{32, 0, 0, 0}, 2, false},
                               .border = {9}};
        const char *values = strchr(line, ':');
        if (sscanf(line, "norm %d mode %d filter %d", &norm, &mode, &filter) == 3) {
            t.normalized_coordinates = norm;
            t.address_mode[0] = t.address_mode[1] = mode;
        } else if (sscanf(line, "u8 signed %d filter %d", &is_signed, &filter) == 2) {
            norm = 2;
            t.address = bytes;
            t.height = 2;
            t.format = (host_format){{8, 0, 0, 0}, is_signed ? 0 : 1, false};
            t.read_mode = 1;
            t.address_mode[0] = t.address_mode[1] = 1;
        } else {
            continue;
        }
        t.filter_mode = filter;
        CHECK_EQ_INT(host_texture_create(c, &t, &handle), 0);
        static const float starts[] = {-3.3f, -1.1f, -1.1f}, steps[] = {0.411f, 0.083f, 0.26f};
        /* Signed bytes through the linear filter: the last of 16 bits is not known in every case. */
        float tolerance = norm == 2 && is_signed && filter ? 1.01f / 32767 : 0;
        int wrong = compare_recorded(values + 1, handle, starts[norm], steps[norm], tolerance);
        if (wrong) UNIT_FAIL("%d of 40 values differ: %.40s", wrong, line);
        host_texture_destroy(c, handle);
        compared++;
    }
    fclose(file);
    CHECK_EQ_INT(compared, 20);
    host_free(c, floats);
    host_free(c, bytes);
}

/* Arrays of three dimensions and layers, all formats. */
UNIT_CASE(textures_of_arrays_are_those_of_the_reference)
{
    static const host_format formats[] = {{{32, 0, 0, 0}, HOST_FORMAT_FLOAT, false},
                                          {{8, 8, 0, 0}, HOST_FORMAT_SIGNED, true},
                                          {{16, 16, 16, 16}, HOST_FORMAT_FLOAT, false},
                                          {{16, 0, 0, 0}, HOST_FORMAT_SIGNED, true},
                                          {{16, 16, 0, 0}, HOST_FORMAT_UNSIGNED, false}};
    host_context *c = host_get();
    uint32_t drawn = 11, created = 0;
    for (uint32_t k = 0; k < LW_COUNT(formats) * 32; k++) {
        bool layered = k & 16;
        host_array *a = NULL;
        uint64_t handle;
        REQUIRE(!host_array_create(c, &formats[k / 32], 7, 5, 4, layered ? HOST_ARRAY_LAYERED : 0, &a));
        for (uint64_t b = 0; b < a->pitch * 20; b++) bytes_of(a)[b] = (uint8_t)draw();
        host_texture_desc t = {.resource = HOST_RESOURCE_ARRAY,
                               .array = a,
                               .format = formats[k / 32],
                               .filter_mode = (int)(k & 1),
                               .read_mode = (int)(k >> 1 & 1),
                               .normalized_coordinates = k >> 1 & 1,
                               .border = {0.25f, -2, 3, 0.7f}};
        for (int d = 0; d < 3; d++) t.address_mode[d] = (int)(k >> 2 & 3);
        if (!host_texture_create(c, &t, &handle)) {
            created++;
            CHECK_EQ_INT(compare_drawn(handle, t.normalized_coordinates, layered ? 2 : 3, layered, &drawn), 0);
            host_texture_destroy(c, handle);
        }
        host_array_destroy(c, a);
    }
    CHECK(created > 120);
}

/* ---------------------------------------------------------------- kernels with textures */
static float *row_of(const host_array *a, uint64_t slice, uint64_t y)
{
    uint64_t rows = LW_MAX(a->height, UINT64_C(1));
    return (float *)(void *)(bytes_of(a) + (slice * rows + y) * a->pitch);
}

static const host_format one_float = {{32, 0, 0, 0}, HOST_FORMAT_FLOAT, false};

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_at(uint32_t out[32][4], uint32_t lane, uint32_t k)
{
    float value;
    memcpy(&value, &out[lane][k], sizeof value);
    return value;
}

#define FETCH(instruction, more)                                                                                       \
    "{ .reg .f32 %q<4>;\n" instruction " {%q0, %q1, %q2, %q3}, " more                                                  \
    ";\nmov.b32 %o0, %q0;\nmov.b32 %o1, %q1;\nmov.b32 %o2, %q2;\nmov.b32 %o3, %q3; }"

/* Level k is 10 k everywhere. */
static host_mipmap *numbered_levels(void)
{
    host_mipmap *m = NULL;
    uint64_t size[3] = {16, 16, 0};
    CHECK_EQ_INT(host_mipmap_create(host_get(), &one_float, size, 9, 0, &m), 0);
    for (uint32_t k = 0; k < m->count; k++)
        for (uint64_t y = 0; y < m->level[k]->height; y++)
            for (uint64_t x = 0; x < m->level[k]->width; x++) row_of(m->level[k], 0, y)[x] = 10.0f * (float)k;
    return m;
}

static uint64_t texture_of(host_texture_desc t)
{
    uint64_t handle = 0;
    t.format = one_float;
    for (int d = 0; d < 3; d++) t.address_mode[d] = HOST_ADDRESS_CLAMP;
    CHECK_EQ_INT(host_texture_create(host_get(), &t, &handle), 0);
    return handle;
}

UNIT_CASE(levels_of_mipmaps)
{
    static const char level[] = FETCH("tex.level.2d.v4.f32.f32", "[%rd0, {%f0, %f1}], %f2");
    static const char steps[] = FETCH("tex.grad.2d.v4.f32.f32", "[%rd0, {%f0, %f1}], {%f2, %f3}, {%f4, %f5}");
    static const struct {
        float lod, blended, nearest;
    } cases[] = {{-3, 0, 0}, {0, 0, 0}, {0.25f, 2.5f, 0}, {1.75f, 17.5f, 20}, {3.4f, 34, 30}, {9, 40, 40}};
    host_mipmap *m = numbered_levels();
    words in = {0};
    uint32_t out[32][4];
    host_texture_desc t = {
        .resource = HOST_RESOURCE_MIPMAPPED, .mipmap = m, .normalized_coordinates = true, .most_level = 99};
    uint64_t nearest = texture_of(t), blended, late;
    t.blend_levels = true;
    blended = texture_of(t);
    t.level_bias = 0.5f;
    t.least_level = 1;
    t.most_level = 2;
    late = texture_of(t);
    for (size_t k = 0; k < LW_COUNT(cases); k++) in.f[k][2] = cases[k].lod;
    CHECK_EQ_INT(run_one(level, nearest, &in, out), 0);
    for (uint32_t k = 0; k < LW_COUNT(cases); k++) CHECK_NEAR(float_at(out, k, 0), cases[k].nearest, 0);
    CHECK_EQ_INT(run_one(level, blended, &in, out), 0);
    for (uint32_t k = 0; k < LW_COUNT(cases); k++) CHECK_NEAR(float_at(out, k, 0), cases[k].blended, 0.03);
    CHECK_EQ_INT(run_one(level, late, &in, out), 0);
    CHECK_NEAR(float_at(out, 1, 0), 10, 0);
    CHECK_NEAR(float_at(out, 3, 0), 20, 0);
    for (uint32_t k = 0; k < 4; k++) in.f[k][2] = (float)(1 << k) / 16; /* steps of 1, 2, 4, 8 texels */
    CHECK_EQ_INT(run_one(steps, blended, &in, out), 0);
    for (uint32_t k = 0; k < 4; k++) CHECK_NEAR(float_at(out, k, 0), 10 * (float)k, 0);
    t = (host_texture_desc){.resource = HOST_RESOURCE_MIPMAPPED, .mipmap = m, .format = one_float};
    CHECK_EQ_INT(host_texture_create(host_get(), &t, &late), HOST_INVALID_VALUE); /* not normalised */
}

/* Every face holds its number, and 6 more in each further layer. */
UNIT_CASE(faces_of_cubemaps)
{
    static const float directions[6][3] = {{2, 0.5f, -1}, {-2, 0.5f, 1},   {1, 3, -1},
                                           {1, -3, 1},    {0.1f, 0.2f, 1}, {0, 0, -1}};
    host_array *a = NULL;
    words in = {0};
    uint32_t out[32][4];
    REQUIRE(!host_array_create(host_get(), &one_float, 4, 4, 12, HOST_ARRAY_CUBEMAP | HOST_ARRAY_LAYERED, &a));
    for (uint64_t s = 0; s < 12; s++)
        for (uint64_t k = 0; k < 16; k++) row_of(a, s, k / 4)[k % 4] = (float)s;
    host_texture_desc t = {.resource = HOST_RESOURCE_ARRAY, .array = a, .normalized_coordinates = true};
    uint64_t points = texture_of(t), seamless;
    t.filter_mode = HOST_FILTER_LINEAR;
    t.seamless = true;
    seamless = texture_of(t);
    for (uint32_t k = 0; k < 12; k++) {
        in.u[k][0] = k / 6;
        memcpy(&in.f[k][1], directions[k % 6], sizeof directions[0]);
    }
    CHECK_EQ_INT(run_one(FETCH("tex.acube.v4.f32.f32", "[%rd0, {%r0, %f1, %f2, %f3}]"), points, &in, out), 0);
    for (uint32_t k = 0; k < 12; k++) CHECK_NEAR(float_at(out, k, 0), (float)k, 0);
    in.f[0][1] = 1, in.f[0][2] = 0, in.f[0][3] = 0.999f; /* on +x, beside +z */
    in.f[1][1] = 1, in.f[1][2] = 0, in.f[1][3] = 0;
    CHECK_EQ_INT(run_one(FETCH("tex.cube.v4.f32.f32", "[%rd0, {%f1, %f2, %f3, %f3}]"), seamless, &in, out), 0);
    CHECK_NEAR(float_at(out, 0, 0), 2, 0.02); /* half of 0, half of 4 */
    CHECK_NEAR(float_at(out, 1, 0), 0, 0);
}

UNIT_CASE(gathers_offsets_and_queries)
{
    host_array *a = NULL;
    words in = {0};
    uint32_t out[32][4];
    REQUIRE(!host_array_create(host_get(), &one_float, 8, 8, 0, HOST_ARRAY_GATHER, &a));
    for (uint64_t k = 0; k < 64; k++) row_of(a, 0, k / 8)[k % 8] = (float)k;
    uint64_t t = texture_of((host_texture_desc){.resource = HOST_RESOURCE_ARRAY, .array = a});
    in.f[0][0] = 3, in.f[0][1] = 5; /* between texels 2, 3 and 4, 5 */
    in.f[1][0] = 2.499f, in.f[1][1] = 4.5f;
    in.u[0][2] = 1, in.u[0][3] = (uint32_t)-2;
    CHECK_EQ_INT(run_one(FETCH("tld4.r.2d.v4.f32.f32", "[%rd0, {%f0, %f1}]"), t, &in, out), 0);
    CHECK_NEAR(float_at(out, 0, 0), 42, 0);
    CHECK_NEAR(float_at(out, 0, 1), 43, 0);
    CHECK_NEAR(float_at(out, 0, 2), 35, 0);
    CHECK_NEAR(float_at(out, 0, 3), 34, 0);
    CHECK_NEAR(float_at(out, 1, 3), 34, 0); /* a weight of 1 has gone over */
    CHECK_EQ_INT(run_one(FETCH("tld4.g.2d.v4.f32.f32", "[%rd0, {%f0, %f1}]"), t, &in, out), 0);
    CHECK_NEAR(float_at(out, 0, 0), 0, 0);
    CHECK_EQ_INT(run_one(FETCH("tex.2d.v4.f32.f32", "[%rd0, {%f0, %f1}], {%r2, %r3}"), t, &in, out), 0);
    CHECK_NEAR(float_at(out, 0, 0), 3 * 8 + 4, 0);
    host_array *line = NULL;
    REQUIRE(!host_array_create(host_get(), &one_float, 8, 0, 0, 0, &line));
    for (uint64_t k = 0; k < 8; k++) row_of(line, 0, 0)[k] = (float)k;
    uint64_t flat = texture_of((host_texture_desc){.resource = HOST_RESOURCE_ARRAY, .array = line});
    CHECK_EQ_INT(run_one(FETCH("tex.1d.v4.f32.f32", "[%rd0, %f0], %r2"), flat, &in, out), 0);
    CHECK_NEAR(float_at(out, 0, 0), 4, 0); /* texel 3 and one: of one dimension offsets are no vector */
    CHECK_EQ_INT(run_one("tex.2d.v2.f16x2.f32 {%o0, %o1}, [%rd0, {%f0, %f1}];", t, &in, out), 0);
    CHECK_EQ_INT(out[0][0], 0x5160); /* 43 */
    CHECK_EQ_INT(run_one("txq.width.b32 %o0, [%rd0];\ntxq.height.b32 %o1, [%rd0];\n"
                         "txq.num_mipmap_levels.b32 %o2, [%rd0];\ntxq.addr_mode_0.b32 %o3, [%rd0];",
                         t, &in, out),
                 0);
    CHECK(out[31][0] == 8 && out[31][1] == 8 && out[31][2] == 1 && out[31][3] == 3);
    uint64_t levels = texture_of((host_texture_desc){
        .resource = HOST_RESOURCE_MIPMAPPED, .mipmap = numbered_levels(), .normalized_coordinates = true});
    in.u[0][0] = 2;
    CHECK_EQ_INT(
        run_one("txq.level.width.b32 %o0, [%rd0], %r0;\ntxq.num_mipmap_levels.b32 %o1, [%rd0];", levels, &in, out), 0);
    CHECK(out[0][0] == 4 && out[0][1] == 5);
}

/* ---------------------------------------------------------------- references of old PTX */
int lw_cuda_cuInit(unsigned flags);
int lw_cuda_cuCtxCreate_v2(void **out, unsigned flags, int device);
int lw_cuda_cuModuleGetTexRef(host_texture_ref **out, host_module *module, const char *name);
int lw_cuda_cuModuleGetSurfRef(host_texture_ref **out, host_module *module, const char *name);
int lw_cuda_cuTexRefSetArray(host_texture_ref *ref, host_array *array, unsigned flags);
int lw_cuda_cuTexRefSetAddress_v2(size_t *offset, host_texture_ref *ref, uint64_t pointer, size_t bytes);
int lw_cuda_cuTexRefSetFormat(host_texture_ref *ref, int format, int channels);
int lw_cuda_cuTexRefSetAddressMode(host_texture_ref *ref, int dimension, int mode);
int lw_cuda_cuTexRefGetAddressMode(int *out, host_texture_ref *ref, int dimension);
int lw_cuda_cuTexRefSetFlags(host_texture_ref *ref, unsigned flags);
int lw_cuda_cuTexRefGetFlags(unsigned *out, host_texture_ref *ref);
int lw_cuda_cuTexRefSetFilterMode(host_texture_ref *ref, int mode);
int lw_cuda_cuSurfRefSetArray(host_texture_ref *ref, host_array *array, unsigned flags);

static const char references[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n.global .texref tr;\n.global .surfref sr;\n"
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [out];\nmov.f32 %f0, 0f40200000;\nmov.f32 %f1, 0f3F800000;\n"
    "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [tr, {%f0, %f1}];\ntxq.width.b32 %r0, [tr];\n"
    "mov.u32 %r1, 4;\nmov.u32 %r2, 1;\nmov.b32 %r3, %f2;\nsust.b.2d.b32.trap [sr, {%r1, %r2}], {%r3};\n"
    "suld.b.2d.b32.trap {%r4}, [sr, {%r1, %r2}];\nst.global.f32 [%rd1], %f2;\nst.global.u32 [%rd1+4], %r0;\n"
    "st.global.u32 [%rd1+8], %r4;\nret;\n}\n";

static void run_references(host_module *m, uint32_t out[4])
{
    host_context *c = host_get();
    host_kernel *k = NULL;
    uint64_t to = device_buffer(64);
    void *params[] = {&to};
    host_launch_config g = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = host_stream_resolve(c, NULL, false)};
    CHECK_EQ_INT(host_module_kernel(m, "k", &k), 0);
    CHECK_EQ_INT(host_launch(k, &g, params, NULL, 0), 0);
    CHECK_EQ_INT(host_synchronize(c), 0);
    memcpy(out, mem_storage(to), 16);
    host_free(c, to);
}

UNIT_CASE(texture_and_surface_references)
{
    host_part part = {"references.ptx", references, strlen(references)};
    host_module *m = NULL;
    host_texture_ref *t = NULL, *s = NULL;
    host_array *a = NULL, *b = NULL;
    lw_error error = {0};
    uint32_t out[4];
    unsigned flags = 0;
    int mode = 0;
    void *context = NULL;
    REQUIRE(!lw_cuda_cuInit(0) && !lw_cuda_cuCtxCreate_v2(&context, 0, 0));
    REQUIRE(!host_module_load(host_get(), &part, 1, &m, &error));
    REQUIRE(!lw_cuda_cuModuleGetTexRef(&t, m, "tr") && !lw_cuda_cuModuleGetSurfRef(&s, m, "sr"));
    CHECK(lw_cuda_cuModuleGetTexRef(&t, m, "no") != 0);
    REQUIRE(!host_array_create(host_get(), &one_float, 8, 4, 0, 0, &a));
    REQUIRE(!host_array_create(host_get(), &one_float, 8, 4, 0, HOST_ARRAY_SURFACE, &b));
    for (uint64_t k = 0; k < 32; k++) row_of(a, 0, k / 8)[k % 8] = (float)k;
    CHECK_EQ_INT(lw_cuda_cuSurfRefSetArray(s, b, 0), 0);
    CHECK(lw_cuda_cuTexRefSetArray(t, a, 0) != 0); /* the array's format must be said to count */
    CHECK_EQ_INT(lw_cuda_cuTexRefSetArray(t, a, 1), 0);
    run_references(m, out);
    CHECK_NEAR(float_of_bits(out[0]), 10, 0);
    CHECK_EQ_INT(out[1], 8);
    CHECK_EQ_INT(out[2], out[0]);
    CHECK_EQ_INT(lw_cuda_cuTexRefSetFilterMode(t, HOST_FILTER_LINEAR), 0);
    run_references(m, out);
    CHECK_NEAR(float_of_bits(out[0]), 6, 0); /* rows 0 and 1 at x = 2 */
    CHECK_EQ_INT(lw_cuda_cuTexRefSetFilterMode(t, HOST_FILTER_POINT), 0);
    CHECK_EQ_INT(lw_cuda_cuTexRefSetFlags(t, 2), 0);
    CHECK_EQ_INT(lw_cuda_cuTexRefSetAddressMode(t, 0, HOST_ADDRESS_WRAP), 0);
    CHECK(!lw_cuda_cuTexRefGetFlags(&flags, t) && flags == 2);
    CHECK(!lw_cuda_cuTexRefGetAddressMode(&mode, t, 0) && mode == HOST_ADDRESS_WRAP);
    run_references(m, out);
    CHECK_NEAR(float_of_bits(out[0]), 28, 0); /* half a width on, the last row */
    CHECK(lw_cuda_cuTexRefSetFlags((host_texture_ref *)out, 0) != 0);
}

UNIT_MAIN()
