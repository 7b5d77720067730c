/* test_tensor_sums: products of tensor cores of 16-bit floats, eight sums at a time (lanes_tensor.c), against the exact sum one at a time
 * (tensor_sum.c): operands at the ends of what the vectors hold, all products of a sum large, or none. Products of f16 with C and D of
 * two types against those with C and D of f32, as machine code for sm_90 has them. */
#include "fixture.h"

#include "base/half.h"
#include "exec/tensor_sum.h"

#include <math.h>

enum { SETS = 6000, WORDS = 8 };

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A block has one A, B and C: even k of A is a, odd k b; of B likewise; all of C are one. */
static char *text_of(const char *type)
{
    lw_text text = {0};
    lw_text_add(&text,
                ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                ".reg .b32 %%a, %%b, %%s, %%d<4>; .reg .f32 %%c; .reg .b64 %%x, %%y;\n"
                "ld.param.u64 %%x, [p]; mov.u32 %%s, %%ctaid.x; mul.wide.u32 %%y, %%s, 32; add.u64 %%x, %%x, %%y;\n"
                "ld.global.b32 %%a, [%%x]; ld.global.b32 %%b, [%%x+4]; ld.global.f32 %%c, [%%x+8];\n");
    lw_text_add(&text,
                "mma.sync.aligned.m16n8k16.row.col.f32.%s.%s.f32 {%%d0, %%d1, %%d2, %%d3}, {%%a, %%a, %%a, %%a}, {%%b, "
                "%%b}, {%%c, %%c, %%c, %%c};\n",
                type, type);
    lw_text_add(&text, "st.global.v4.b32 [%%x+16], {%%d0, %%d1, %%d2, %%d3};\nret;\n}\n");
    return text.data;
}

static uint32_t expected_of(code_tensor_type type, const uint32_t *words)
{
    const code_tensor t = {
        .m = 16, .n = 8, .k = 16, .a = type, .b = type, .c = TENSOR_F32, .step = 16, .bits = 25, .keep = 23};
    tensor_number products[16];
    for (uint32_t k = 0; k < 16; k++)
        products[k] = exec_tensor_product(exec_tensor_decode(type, words[0] >> 16 * (k & 1) & 0xffff),
                                          exec_tensor_decode(type, words[1] >> 16 * (k & 1) & 0xffff));
    return exec_tensor_step(&t, products, 16, words[2], true);
}

static void compare(code_tensor_type type, const char *name, const uint16_t *halves, uint32_t count)
{
    static const uint32_t sums[] = {0,          0x80000000, 0x427fffff, 0xc27fffff, 0x407fffff, 0x7f7fffff, 0x00000001,
                                    0x00800000, 0x33800000, 0x7f800000, 0x3f800001, 0x4b7fffff, 0xcb7fffff, 0x20000000};
    fixture f;
    exec_result result = {0};
    uint32_t seed = 15, wrong = 0;
    char *text = text_of(name);
    REQUIRE(load(&f, text, "k"));
    uint64_t at = buffer(&f, SETS * WORDS * 4);
    uint32_t *words = (uint32_t *)(uintptr_t)at;
    for (uint32_t n = 0; n < SETS; n++) {
        uint32_t *w = words + (size_t)n * WORDS;
        w[0] = halves[draw(&seed) % count] | (uint32_t)halves[draw(&seed) % count] << 16;
        w[1] = halves[draw(&seed) % count] | (uint32_t)halves[draw(&seed) % count] << 16;
        if (n % 3 == 0) w[0] = (w[0] & 0xffff) * 0x10001u, w[1] = (w[1] & 0xffff) * 0x10001u; /* all products alike */
        w[2] = sums[draw(&seed) % LW_COUNT(sums)];
    }
    exec_launch l = launch_of(&f, SETS, 32, &at);
    CHECK(exec_run(&l, &result, &f.error) == LW_OK && result.fault.kind == EXEC_NO_FAULT);
    for (uint32_t n = 0; n < SETS; n++) {
        const uint32_t *w = words + (size_t)n * WORDS;
        uint32_t want = expected_of(type, w);
        for (uint32_t k = 4; k < 8; k++)
            if (w[k] != want && !wrong++)
                UNIT_FAIL("%s %08x %08x + %08x: %08x, not %08x", name, w[0], w[1], w[2], w[k], want);
    }
    exec_result_free(&result);
    unload(&f);
    free(text);
}

UNIT_CASE(sums_of_f16)
{
    static const uint16_t halves[] = {0,      0x8000, 0x3fff, 0xbfff, 0x3ffe, 0x0001, 0x03ff, 0x8400,
                                      0x7bff, 0xfbff, 0x3c00, 0x7c00, 0x7e01, 0x4001, 0x1400};
    compare(TENSOR_F16, "f16", halves, LW_COUNT(halves));
}

UNIT_CASE(sums_of_bf16)
{
    static const uint16_t halves[] = {0,      0x8000, 0x3fff, 0xbfff, 0x3ffe, 0x0001, 0x007f, 0x8080, 0x7f7f, 0xff7f,
                                      0x3f80, 0x7f80, 0x7fc1, 0x4001, 0x1400, 0x2000, 0x2a80, 0x0400, 0x5f00, 0x47ff};
    compare(TENSOR_BF16, "bf16", halves, LW_COUNT(halves));
}

/* ---------------------------------------------------------------- C and D of two types */
enum {
    AT_B = 512,
    AT_HALF_C = 1024,
    AT_C = 1536,
    AT_F32 = 2560,
    AT_WIDENED = 3584,
    AT_NARROWED = 4608,
    AT_CUT = 5120,
    SET = 5632
};

static void add_product(lw_text *text, const char *shape, const char *types, const char *d, const char *c, int to,
                        int columns)
{
    lw_text_add(text,
                "wmma.mma.sync.aligned.row.col.%s.%s {%s}, {%%a0,%%a1,%%a2,%%a3,%%a4,%%a5,%%a6,%%a7}, "
                "{%%b0,%%b1,%%b2,%%b3,%%b4,%%b5,%%b6,%%b7}, {%s};\n",
                shape, types, d, c);
    lw_text_add(text, "wmma.store.d.sync.aligned.row.%s.global.%.3s [%%x+%d], {%s}, %d;\n", shape, types, to, d,
                columns);
}

/* f32 of f32; f32 of f16; f16 of f32, without .satfinite and with it. */
static char *mixed_text(int m, int n)
{
    static const char halves[] = "%h0,%h1,%h2,%h3", words[] = "%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7",
                      results[] = "%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7", few[] = "%d0,%d1,%d2,%d3";
    char shape[24];
    lw_text text = {0};
    snprintf(shape, sizeof shape, "m%dn%dk16", m, n);
    lw_text_add(&text,
                ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                ".reg .b32 %%a<8>, %%b<8>, %%h<4>, %%c<8>, %%d<8>, %%s; .reg .b64 %%x, %%y;\n"
                "ld.param.u64 %%x, [p]; mov.u32 %%s, %%ctaid.x; mul.wide.u32 %%y, %%s, %d; add.u64 %%x, %%x, %%y;\n",
                SET);
    lw_text_add(&text,
                "wmma.load.a.sync.aligned.row.%s.global.f16 {%%a0,%%a1,%%a2,%%a3,%%a4,%%a5,%%a6,%%a7}, [%%x], 16;\n",
                shape);
    lw_text_add(&text,
                "wmma.load.b.sync.aligned.col.%s.global.f16 {%%b0,%%b1,%%b2,%%b3,%%b4,%%b5,%%b6,%%b7}, [%%x+%d], 16;\n",
                shape, AT_B);
    lw_text_add(&text, "wmma.load.c.sync.aligned.row.%s.global.f16 {%s}, [%%x+%d], %d;\n", shape, halves, AT_HALF_C, n);
    lw_text_add(&text, "wmma.load.c.sync.aligned.row.%s.global.f32 {%s}, [%%x+%d], %d;\n", shape, words, AT_C, n);
    add_product(&text, shape, "f32.f32", results, words, AT_F32, n);
    add_product(&text, shape, "f32.f16", results, halves, AT_WIDENED, n);
    add_product(&text, shape, "f16.f32", few, words, AT_NARROWED, n);
    add_product(&text, shape, "f16.f32.satfinite", few, words, AT_CUT, n);
    lw_text_add(&text, "ret;\n}\n");
    return text.data;
}

/* The f16 next to zero, of a sum that is none. */
static uint16_t cut_half(float value)
{
    uint16_t half = lw_half_of_float(value);
    if (value - value != 0) return half;
    return (half & 0x7fff) && fabsf(lw_float_of_half(half)) > fabsf(value) ? (uint16_t)(half - 1) : half;
}

static uint32_t compare_mixed_set(const uint8_t *at, uint32_t count)
{
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t sum, widened;
        uint16_t narrowed, cut;
        float value;
        memcpy(&sum, at + AT_F32 + 4 * k, 4);
        memcpy(&widened, at + AT_WIDENED + 4 * k, 4);
        memcpy(&narrowed, at + AT_NARROWED + 2 * k, 2);
        memcpy(&cut, at + AT_CUT + 2 * k, 2);
        memcpy(&value, &sum, 4);
        bool number = value == value;
        wrong += widened != sum || narrowed != (number ? lw_half_of_float(value) : 0x7fff) ||
                 cut != (number ? cut_half(value) : 0x7fff);
    }
    return wrong;
}

static void fill_mixed_set(uint8_t *at, uint32_t *seed)
{
    for (uint32_t k = 0; k < 512; k++) { /* A and B: some subnormal, few that are no numbers */
        uint16_t half = (uint16_t)(draw(seed) & (draw(seed) % 64 ? 0xbfff : 0xffff));
        memcpy(at + 2 * k, &half, 2);
    }
    for (uint32_t k = 0; k < 256; k++) {
        uint16_t half = (uint16_t)draw(seed);
        float value = lw_float_of_half(half);
        memcpy(at + AT_HALF_C + 2 * k, &half, 2);
        memcpy(at + AT_C + 4 * k, &value, 4);
    }
}

UNIT_CASE(wmma_with_c_and_d_of_two_types)
{
    static const int shapes[][2] = {{16, 16}, {32, 8}, {8, 32}};
    enum { SETS_OF_MIXED = 40 };
    for (size_t k = 0; k < LW_COUNT(shapes); k++) {
        fixture f;
        exec_result result = {0};
        uint32_t seed = 15, wrong = 0;
        char *text = mixed_text(shapes[k][0], shapes[k][1]);
        REQUIRE(load(&f, text, "k"));
        uint64_t at = buffer(&f, SETS_OF_MIXED * SET);
        uint8_t *bytes = (uint8_t *)(uintptr_t)at;
        for (uint32_t n = 0; n < SETS_OF_MIXED; n++) fill_mixed_set(bytes + (size_t)n * SET, &seed);
        exec_launch l = launch_of(&f, SETS_OF_MIXED, 32, &at);
        CHECK(exec_run(&l, &result, &f.error) == LW_OK && result.fault.kind == EXEC_NO_FAULT);
        for (uint32_t n = 0; n < SETS_OF_MIXED; n++) wrong += compare_mixed_set(bytes + (size_t)n * SET, 256);
        CHECK_EQ_INT(wrong, 0);
        exec_result_free(&result);
        unload(&f);
        free(text);
    }
}

/* Element i of a lane's C in m8n8k4, as the PTX ISA draws it for f16 and f32: row and column of the lane's product. */
static uint32_t place_of(bool wide, uint32_t lane, uint32_t i)
{
    uint32_t h = lane >> 4, q = lane & 3;
    return wide ? 8 * ((lane & 1) + (i & 2) + 4 * h) + (i & 4) + (lane & 2) + (i & 1) : 8 * (q + 4 * h) + i;
}

UNIT_CASE(quads_with_c_of_f16_and_d_of_f32)
{
    static const char text[] =
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<8>, %s; .reg .f32 %f<24>; .reg .b64 %x, %y;\n"
        "ld.param.u64 %x, [p]; mov.u32 %s, %laneid; mul.wide.u32 %y, %s, 128; add.u64 %x, %x, %y;\n"
        "ld.global.v4.b32 {%r0,%r1,%r2,%r3}, [%x]; ld.global.v4.b32 {%r4,%r5,%r6,%r7}, [%x+16];\n"
        "ld.global.v4.f32 {%f0,%f1,%f2,%f3}, [%x+32]; ld.global.v4.f32 {%f4,%f5,%f6,%f7}, [%x+48];\n"
        "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {%f8,%f9,%f10,%f11,%f12,%f13,%f14,%f15}, {%r0,%r1}, "
        "{%r2,%r3}, "
        "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};\n"
        "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16 {%f16,%f17,%f18,%f19,%f20,%f21,%f22,%f23}, {%r0,%r1}, "
        "{%r2,%r3}, "
        "{%r4,%r5,%r6,%r7};\n"
        "st.global.v4.f32 [%x+64], {%f8,%f9,%f10,%f11}; st.global.v4.f32 [%x+80], {%f12,%f13,%f14,%f15};\n"
        "st.global.v4.f32 [%x+96], {%f16,%f17,%f18,%f19}; st.global.v4.f32 [%x+112], {%f20,%f21,%f22,%f23};\nret;\n}\n";
    fixture f;
    exec_result result = {0};
    uint32_t seed = 5;
    REQUIRE(load(&f, text, "k"));
    uint64_t at = buffer(&f, 32 * 128);
    uint16_t c[4][64];
    for (uint32_t k = 0; k < 256; k++) c[k / 64][k % 64] = (uint16_t)(draw(&seed) & 0xbfff);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint8_t *bytes = (uint8_t *)(uintptr_t)at + (size_t)128 * lane;
        const uint16_t *own = c[lane >> 2 & 3];
        for (uint32_t k = 0; k < 8; k++) {
            uint16_t half = (uint16_t)(draw(&seed) & 0xbfff);
            float value = lw_float_of_half(own[place_of(true, lane, k)]);
            memcpy(bytes + 2 * k, &half, 2);
            memcpy(bytes + 16 + 2 * k, &own[place_of(false, lane, k)], 2);
            memcpy(bytes + 32 + 4 * k, &value, 4);
        }
    }
    exec_launch l = launch_of(&f, 1, 32, &at);
    CHECK(exec_run(&l, &result, &f.error) == LW_OK && result.fault.kind == EXEC_NO_FAULT);
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint8_t *bytes = (const uint8_t *)(uintptr_t)at + (size_t)128 * lane;
        CHECK(!memcmp(bytes + 64, bytes + 96, 32));
    }
    exec_result_free(&result);
    unload(&f);
}

UNIT_MAIN()
