/* test_tensor_sums: products of tensor cores of 16-bit floats, eight sums at a time (lanes_tensor.c), against the exact sum one at a time
 * (tensor_sum.c): operands at the ends of what the vectors hold, all products of a sum large, or none. */
#include "fixture.h"

#include "exec/tensor_sum.h"

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

UNIT_MAIN()
