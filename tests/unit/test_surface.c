/* test_surface: reads, writes and reductions on surfaces, against places that the test works out itself; their boundary modes. */
#include "texture_kernel.h"

/* ---------------------------------------------------------------- surfaces */
enum { WIDTH = 8, HEIGHT = 5, DEPTH = 6 };

typedef struct surface_case {
    const char *geometry;
    uint32_t dimensions, layered;
    uint64_t size[3];
    uint32_t flags;
} surface_case;

static const surface_case surface_cases[] = {
    {"1d", 1, 0, {WIDTH, 0, 0}, 0},
    {"2d", 2, 0, {WIDTH, HEIGHT, 0}, 0},
    {"3d", 3, 0, {WIDTH, HEIGHT, DEPTH}, 0},
    {"a1d", 1, 1, {WIDTH, 0, DEPTH}, HOST_ARRAY_LAYERED},
    {"a2d", 2, 1, {WIDTH, HEIGHT, DEPTH}, HOST_ARRAY_LAYERED},
    {"a2d", 2, 1, {WIDTH, WIDTH, 6}, HOST_ARRAY_CUBEMAP},
    {"a2d", 2, 1, {WIDTH, WIDTH, 12}, HOST_ARRAY_CUBEMAP | HOST_ARRAY_LAYERED},
};

typedef struct access_case {
    const char *form, *load_to, *store_from;
    uint32_t bytes, elements, element;
} access_case;

static const access_case access_cases[] = {
    {"b8", "{%h0}", "{%h0}", 1, 1, 1},
    {"v2.b8", "{%h0, %h1}", "{%h0, %h1}", 2, 2, 1},
    {"v4.b8", "{%h0, %h1, %h2, %h3}", "{%h0, %h1, %h2, %h3}", 4, 4, 1},
    {"b16", "{%h0}", "{%h0}", 2, 1, 2},
    {"v4.b16", "{%h0, %h1, %h2, %h3}", "{%h0, %h1, %h2, %h3}", 8, 4, 2},
    {"b32", "{%o0}", "{%r4}", 4, 1, 4},
    {"v2.b32", "{%o0, %o1}", "{%r4, %r5}", 8, 2, 4},
    {"v4.b32", "{%o0, %o1, %o2, %o3}", "{%r4, %r5, %r6, %r7}", 16, 4, 4},
    {"b64", "{%rd4}", "{%rd4}", 8, 1, 8},
    {"v2.b64", "{%rd4, %rd5}", "{%rd4, %rd5}", 16, 2, 8},
};

static const char *coordinates_of(const surface_case *s)
{
    static const char *const texts[] = {"", "{%r0}", "{%r0, %r1}", "{%r0, %r1, %r2, %r2}"};
    return texts[s->dimensions + s->layered];
}

/* Words of the input and output by elements of 1, 2 and 8 bytes. */
static const char *spread(uint32_t element, bool load)
{
    switch (element) {
    case 1:
    case 2:
        return load ? "cvt.u32.u16 %o0, %h0;\ncvt.u32.u16 %o1, %h1;\ncvt.u32.u16 %o2, %h2;\ncvt.u32.u16 %o3, %h3;"
                    : "cvt.u16.u32 %h0, %r4;\ncvt.u16.u32 %h1, %r5;\ncvt.u16.u32 %h2, %r6;\ncvt.u16.u32 %h3, %r7;";
    case 8:
        return load ? "mov.b64 {%o0, %o1}, %rd4;\nmov.b64 {%o2, %o3}, %rd5;"
                    : "mov.b64 %rd4, {%r4, %r5};\nmov.b64 %rd5, {%r6, %r7};";
    default: return "";
    }
}

/* Where lane l's access lies in the array's bytes; -1: nowhere. mode 1: clamp. */
static int64_t place_of(const surface_case *s, const host_array *a, const uint32_t *at, uint32_t bytes, int mode)
{
    int64_t row = (int64_t)(s->size[0] * a->element_bytes), rows = (int64_t)LW_MAX(s->size[1], UINT64_C(1));
    int64_t end[3] = {row, rows, (int64_t)LW_MAX(s->size[2], UINT64_C(1))};
    int64_t step[3] = {1, (int64_t)a->pitch, (int64_t)a->pitch * rows}, place = 0;
    uint32_t which[3] = {0, 1, 2}, n = s->dimensions;
    if (s->layered) which[n++] = 2;
    for (uint32_t d = 0; d < n; d++) {
        uint32_t dim = which[d];
        int64_t x = (int32_t)at[s->layered ? (d == s->dimensions ? 0 : d + 1) : d], size = dim ? 1 : bytes;
        if (x < 0 || x + size > end[dim]) {
            if (mode != 1) return -1;
            x = x < 0 ? 0 : end[dim] - size;
        }
        place += x * step[dim];
    }
    return place;
}

static void draw_places(const surface_case *s, const host_array *a, uint32_t bytes, words *in)
{
    for (uint32_t l = 0; l < 32; l++) {
        for (uint32_t k = 0; k < 8; k++) in->u[l][k] = draw() ^ draw() << 16;
        for (uint32_t k = 0; k < s->dimensions + s->layered; k++) in->u[l][k] = draw() % 9 - 1;
        uint32_t row = (uint32_t)(s->size[0] * a->element_bytes) / bytes;
        in->u[l][s->layered] = (draw() % (row + 2) - 1) * bytes;
        if (s->layered) in->u[l][0] = draw() % 13;
        for (uint32_t k = 4; k < 8 && bytes < 4; k++) in->u[l][k] &= 0xff;
    }
}

/* Loads of one form against the array's bytes; returns lanes that differ. */
static uint32_t wrong_loads(const surface_case *s, const access_case *form, const host_array *a, uint64_t surface,
                            const char *mode)
{
    char text[512];
    words in;
    uint32_t out[32][4], wrong = 0;
    snprintf(text, sizeof text,
             "mov.b16 %%h0, 0;\nmov.b16 %%h1, 0;\nmov.b16 %%h2, 0;\nmov.b16 %%h3, 0;\n"
             "mov.b64 %%rd4, 0;\nmov.b64 %%rd5, 0;\n"
             "suld.b.%s.%s.%s %s, [%%rd0, %s];\n%s",
             s->geometry, form->form, mode, form->load_to, coordinates_of(s), spread(form->element, true));
    draw_places(s, a, form->bytes, &in);
    CHECK_EQ_INT(run_one(text, surface, &in, out), 0);
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t want[4] = {0};
        int64_t at = place_of(s, a, in.u[l], form->bytes, mode[0] == 'c');
        uint32_t word = form->element < 4 ? 4 : form->element;
        for (uint32_t e = 0; e < form->elements && at >= 0; e++)
            memcpy((uint8_t *)want + e * word, bytes_of(a) + at + e * form->element, form->element);
        wrong += memcmp(want, out[l], sizeof want) != 0;
    }
    return wrong;
}

/* Stores of one form: the array afterwards against a copy to which the same was done. From the last lane down. */
static bool stores_right(const surface_case *s, const access_case *form, const host_array *a, uint64_t surface,
                         const char *mode)
{
    char text[512];
    words in;
    uint32_t out[32][4];
    uint64_t size = a->pitch * LW_MAX(a->height, UINT64_C(1)) * LW_MAX(a->depth, UINT64_C(1));
    uint8_t *want = malloc(size);
    memcpy(want, bytes_of(a), size);
    snprintf(text, sizeof text, "%s\nsust.b.%s.%s.%s [%%rd0, %s], %s;", spread(form->element, false), s->geometry,
             form->form, mode, coordinates_of(s), form->store_from);
    draw_places(s, a, form->bytes, &in);
    CHECK_EQ_INT(run_one(text, surface, &in, out), 0);
    for (uint32_t l = 32; l-- > 0;) {
        int64_t at = place_of(s, a, in.u[l], form->bytes, mode[0] == 'c');
        uint32_t word = form->element < 4 ? 4 : form->element;
        for (uint32_t e = 0; e < form->elements && at >= 0; e++)
            memcpy(want + at + e * form->element, (uint8_t *)&in.u[l][4] + e * word, form->element);
    }
    bool right = !memcmp(want, bytes_of(a), size);
    free(want);
    return right;
}

UNIT_CASE(surfaces_read_and_write_arrays)
{
    host_context *c = host_get();
    host_format format = {{32, 32, 32, 32}, HOST_FORMAT_UNSIGNED, false};
    for (size_t k = 0; k < LW_COUNT(surface_cases); k++) {
        const surface_case *s = &surface_cases[k];
        host_array *a = NULL;
        uint64_t surface = 0;
        REQUIRE(!host_array_create(c, &format, s->size[0], s->size[1], s->size[2], s->flags | HOST_ARRAY_SURFACE, &a));
        REQUIRE(!host_surface_create(c, a, &surface));
        for (uint64_t b = 0; b < a->pitch * LW_MAX(a->height, UINT64_C(1)) * LW_MAX(a->depth, UINT64_C(1)); b++)
            bytes_of(a)[b] = (uint8_t)draw();
        for (size_t f = 0; f < LW_COUNT(access_cases); f++) {
            const char *mode = (k + f) % 2 ? "zero" : "clamp";
            uint32_t wrong = wrong_loads(s, &access_cases[f], a, surface, mode);
            if (wrong) UNIT_FAIL("%u lanes differ: suld %s %s %s", wrong, s->geometry, access_cases[f].form, mode);
            if (!stores_right(s, &access_cases[f], a, surface, mode))
                UNIT_FAIL("sust %s %s %s", s->geometry, access_cases[f].form, mode);
        }
        CHECK_EQ_INT(host_surface_destroy(c, surface), 0);
        CHECK_EQ_INT(host_surface_destroy(c, surface), HOST_INVALID_VALUE);
        CHECK_EQ_INT(host_array_destroy(c, a), 0);
    }
}

static uint64_t surface_over(host_format format, host_array **out)
{
    uint64_t surface = 0;
    CHECK_EQ_INT(host_array_create(host_get(), &format, WIDTH, HEIGHT, 0, HOST_ARRAY_SURFACE, out), 0);
    CHECK_EQ_INT(host_surface_create(host_get(), *out, &surface), 0);
    return surface;
}

UNIT_CASE(formatted_stores_convert)
{
    host_array *a;
    words in = {0};
    uint32_t out[32][4];
    for (uint32_t l = 0; l < 32; l++) in.u[l][0] = l % WIDTH, in.u[l][1] = l / WIDTH;
    for (uint32_t l = 0; l < 32; l++)
        for (uint32_t k = 4; k < 8; k++) in.f[l][k] = (float)l / 16 - 0.5f;
    uint64_t s = surface_over((host_format){{16, 16, 0, 0}, HOST_FORMAT_FLOAT, false}, &a);
    CHECK_EQ_INT(run_one("sust.p.2d.v4.b32.trap [%rd0, {%r0, %r1}], {%r4, %r5, %r6, %r7};", s, &in, out), 0);
    CHECK_EQ_INT(lw_read_u32(bytes_of(a)), 0xb800b800); /* -0.5 */
    CHECK_EQ_INT(lw_read_u32(bytes_of(a) + 3 * a->pitch), 0x3c003c00);
    s = surface_over((host_format){{8, 0, 0, 0}, HOST_FORMAT_SIGNED, true}, &a);
    CHECK_EQ_INT(run_one("sust.p.2d.b32.trap [%rd0, {%r0, %r1}], %r4;", s, &in, out), 0);
    CHECK_EQ_INT((int8_t)bytes_of(a)[0], -63); /* halves towards zero */
    CHECK_EQ_INT((int8_t)bytes_of(a)[3 * a->pitch + 7], 127);
    s = surface_over((host_format){{8, 8, 8, 8}, HOST_FORMAT_UNSIGNED, false}, &a);
    in.u[0][4] = 300;
    CHECK_EQ_INT(run_one("sust.p.2d.v2.b32.trap [%rd0, {%r0, %r1}], {%r4, %r0};", s, &in, out), 0);
    CHECK_EQ_INT(lw_read_u32(bytes_of(a)) & 0xffff, 255);
    CHECK_EQ_INT(bytes_of(a)[4 * 7 + 1], 7);
}

UNIT_CASE(reductions_on_surfaces)
{
    static const struct {
        const char *text;
        uint32_t start, want;
    } cases[] = {{"sured.b.add.2d.u32.trap [%rd0, {%r0, %r1}], %r4;", 5, 5 + 32 * 33 / 2},
                 {"sured.b.min.2d.u32.clamp [%rd0, {%r0, %r1}], %r4;", 99, 1},
                 {"sured.b.max.2d.s32.zero [%rd0, {%r0, %r1}], %r4;", 0xffffff00, 32},
                 {"sured.b.or.2d.b32.trap [%rd0, {%r0, %r1}], %r4;", 0x100, 0x13f},
                 {"sured.b.and.2d.b32.trap [%rd0, {%r0, %r1}], %r4;", 0xffffffff, 0},
                 {"sured.p.add.2d.b32.trap [%rd0, {%r2, %r1}], %r4;", 1, 1 + 32 * 33 / 2},
                 {"sured.p.min.2d.b32.trap [%rd0, {%r2, %r1}], %r4;", 0xfffffff0, 0xfffffff0}};
    host_array *a;
    words in = {0};
    uint32_t out[32][4];
    uint64_t s = surface_over((host_format){{32, 0, 0, 0}, HOST_FORMAT_SIGNED, false}, &a);
    for (uint32_t l = 0; l < 32; l++) in.u[l][0] = 12, in.u[l][1] = 2, in.u[l][2] = 3, in.u[l][4] = l + 1;
    for (size_t k = 0; k < LW_COUNT(cases); k++) {
        memcpy(bytes_of(a) + 2 * a->pitch + 12, &cases[k].start, 4);
        CHECK_EQ_INT(run_one(cases[k].text, s, &in, out), 0);
        CHECK_EQ_INT(lw_read_u32(bytes_of(a) + 2 * a->pitch + 12), cases[k].want);
    }
}

UNIT_CASE(surfaces_out_of_range_trap)
{
    host_array *a;
    words in = {0};
    uint32_t out[32][4];
    uint64_t s = surface_over((host_format){{32, 0, 0, 0}, HOST_FORMAT_SIGNED, false}, &a);
    in.u[9][0] = 4 * WIDTH;
    CHECK_EQ_INT(run_one("suld.b.2d.b32.trap %o0, [%rd0, {%r0, %r1}];", s, &in, out), HOST_ILLEGAL_ADDRESS);
    CHECK_EQ_INT(host_reset(host_get()), 0);
    CHECK_EQ_INT(run_one("suld.b.2d.b32.trap %o0, [%rd0, {%r0, %r1}];", 1, &in, out), HOST_ILLEGAL_ADDRESS);
    CHECK_EQ_INT(host_reset(host_get()), 0);
}

UNIT_MAIN()
