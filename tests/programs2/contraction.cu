// contraction.cu: which sums the assembler fuses with a product. PTX that says `mul` and `add` without a rounding modifier may
// be fused; whether it is shows in the last bit. What is expected here is what ptxas makes of it (13.0, sm_90, run on an
// H200), so the program passes on a card and under an emulator that knows its rules.
#include <cmath>
#include <cstdio>
#include <cstdint>
#include <cstring>

// a * b = 1 + 2^-11 + 2^-24 and c = -(1 + 2^-11): a fused sum is 2^-24, one of a rounded product is 0.
static const float factor = 1.0f + 1.0f / 4096;
static const float addend = -(1.0f + 1.0f / 2048);
static const float fused = 1.0f / 16777216, apart = 0.0f;

__constant__ float in_constant_memory = 1.0f + 1.0f / 4096;

// Each case gives r of a, b, c (loaded from memory), of the parameter `same`, and of the predicate t, which is true.
#define CASE(name, text)                                                                                               \
    __global__ void name(const float *in, float *out, int n, float same)                                               \
    {                                                                                                                  \
        float r, s;                                                                                                    \
        asm volatile("{ .reg .f32 a, b, c, p, q, u; .reg .pred t; .reg .b32 k;\n"                                      \
                     "mov.f32 %1, 0f00000000; setp.ne.s32 t, %3, 12345;\n"                                             \
                     "ld.volatile.global.f32 a, [%2]; ld.volatile.global.f32 b, [%2+4];\n"                             \
                     "ld.volatile.global.f32 c, [%2+8];\n" text "}"                                                     \
                     : "=f"(r), "=f"(s)                                                                                \
                     : "l"(in), "r"(n), "f"(same), "l"(&in_constant_memory)                                            \
                     : "memory");                                                                                      \
        out[0] = r, out[1] = s;                                                                                        \
    }

CASE(plain, "mul.f32 p, a, b; add.f32 %0, p, c;")
CASE(second_addend, "mul.f32 p, a, b; add.f32 %0, c, p;")
CASE(product_rounds, "mul.rn.f32 p, a, b; add.f32 %0, p, c;")
CASE(sum_rounds, "mul.f32 p, a, b; add.rn.f32 %0, p, c;")
CASE(minus_other, "neg.f32 c, c; mul.f32 p, a, b; sub.f32 %0, p, c;")
CASE(minus_product, "neg.f32 a, a; mul.f32 p, a, b; sub.f32 %0, c, p;")
CASE(through_neg, "neg.f32 a, a; mul.f32 p, a, b; neg.f32 q, p; add.f32 %0, q, c;")
CASE(also_stored, "mul.f32 p, a, b; st.volatile.global.f32 [%2+12], p; add.f32 %0, p, c;")
CASE(two_sums, "mul.f32 p, a, b; add.f32 %0, p, c; add.f32 %1, c, p;")
CASE(first_of_two_products, "neg.f32 u, a; mul.f32 p, a, b; mul.f32 q, u, b; add.f32 %0, p, q;")
CASE(reader_took_another, "mul.f32 p, a, b; mul.f32 q, a, c; add.f32 %1, p, q; add.f32 %0, p, c;")
CASE(past_branch, "mul.f32 p, a, b; @t bra L; st.volatile.global.f32 [%2+12], a;\nL: add.f32 %0, p, c;")
CASE(constant_past_branch, "mul.f32 p, a, 0f3f800800; @t bra L; st.volatile.global.f32 [%2+12], a;\nL: add.f32 %0, p, c;")
CASE(moved_past_branch, "mov.f32 u, 0f3f800800; mul.f32 p, u, a; @t bra L; st.volatile.global.f32 [%2+12], a;\nL: add.f32 %0, p, c;")
CASE(parameter_past_branch, "mul.f32 p, a, %4; @t bra L; st.volatile.global.f32 [%2+12], a;\nL: add.f32 %0, p, c;")
CASE(past_division, "mul.f32 p, a, b; div.rn.f32 %1, c, a; add.f32 %0, p, c;")
CASE(past_root, "mul.f32 p, a, b; sqrt.rn.f32 %1, a; add.f32 %0, p, c;")
CASE(past_reciprocal, "mul.f32 p, a, b; rcp.rn.f32 %1, a; add.f32 %0, p, c;")
CASE(past_approximation, "mul.f32 p, a, b; sin.approx.f32 %1, a; add.f32 %0, p, c;")
CASE(past_barrier, "mul.f32 p, a, b; bar.sync 0; add.f32 %0, p, c;")
CASE(guarded_product, "mov.f32 p, 0f00000000; @t mul.f32 p, a, b; add.f32 %0, p, c;")
CASE(guarded_sum, "mov.f32 %0, 0f00000000; mul.f32 p, a, b; @t add.f32 %0, p, c;")
CASE(flushes_product, "mul.ftz.f32 p, a, b; add.f32 %0, p, c;")
CASE(flushes_sum, "mul.f32 p, a, b; add.ftz.f32 %0, p, c;")
CASE(flushes_both, "mul.ftz.f32 p, a, b; add.ftz.f32 %0, p, c;")
CASE(saturates, "mul.f32 p, a, b; add.sat.f32 %0, p, c;")
CASE(factor_written_again, "mul.f32 p, a, b; mov.f32 a, 0f00000000; add.f32 %0, p, c; add.rn.f32 %0, %0, a;")
CASE(product_written_again, "mul.f32 p, a, b; add.f32 %0, p, c; mul.f32 p, c, c; st.volatile.global.f32 [%2+12], p;")

__global__ void doubles(const float *in, float *out, int n, float same)
{
    double a = 1.0 + 1.0 / 134217728, c = -(1.0 + 1.0 / 67108864), r; // 2^-27, 2^-26: the product's tail is 2^-54
    a += in[3], c += in[3];
    asm volatile("{ .reg .f64 p; mul.f64 p, %1, %1; add.f64 %0, p, %2; }" : "=d"(r) : "d"(a), "d"(c));
    out[0] = r == 1.0 / 18014398509481984.0 ? 1.0f / 16777216 : (float)r, out[1] = 0;
}

// 1 + 2^-6 squared is 1 + 2^-5 + 2^-12
__global__ void halves(const float *in, float *out, int n, float same)
{
    unsigned short a = 0x3c10, c = 0xbc20, r;
    if (in[3] != 0) a = c;
    asm volatile("{ .reg .b16 p; mul.f16 p, %1, %1; add.f16 %0, p, %2; }" : "=h"(r) : "h"(a), "h"(c));
    out[0] = r == 0x0c00 ? 1.0f / 16777216 : r == 0 ? 0.0f : (float)r, out[1] = 0;
}

// a / b = a * rcp(b): as fma.rn of the reciprocal, which is seen where the rounded quotient gives another sum
__global__ void quotient(const float *in, float *out, int n, float same)
{
    bool equal = true, seen = false;
    for (int k = 1; k <= 32; k++) {
        float whole, parts, rounded, a = in[1], b = in[0] * k, c = in[2] / k;
        asm volatile("{ .reg .f32 p; div.full.f32 p, %1, %2; add.f32 %0, p, %3; }" : "=f"(whole) : "f"(a), "f"(b), "f"(c));
        asm volatile("{ .reg .f32 p; rcp.approx.f32 p, %2; fma.rn.f32 %0, %1, p, %3; }" : "=f"(parts) : "f"(a), "f"(b), "f"(c));
        asm volatile("{ .reg .f32 p; div.full.f32 p, %1, %2; add.rn.f32 %0, p, %3; }" : "=f"(rounded) : "f"(a), "f"(b), "f"(c));
        equal = equal && whole == parts;
        seen = seen || whole != rounded;
    }
    out[0] = equal && seen ? 1.0f / 16777216 : 0.0f, out[1] = 0;
}

struct test_case {
    const char *name;
    void (*kernel)(const float *, float *, int, float);
    float expected[2];
};

static const test_case cases[] = {
    {"plain", plain, {fused, 0}},
    {"second_addend", second_addend, {fused, 0}},
    {"product_rounds", product_rounds, {apart, 0}},
    {"sum_rounds", sum_rounds, {apart, 0}},
    {"minus_other", minus_other, {fused, 0}},
    {"minus_product", minus_product, {fused, 0}},
    {"through_neg", through_neg, {fused, 0}},
    {"also_stored", also_stored, {apart, 0}},
    {"two_sums", two_sums, {fused, fused}},
    {"first_of_two_products", first_of_two_products, {fused, 0}},
    {"reader_took_another", reader_took_another, {apart, -0x1p-12f - 0x1p-23f}},
    {"past_branch", past_branch, {apart, 0}},
    {"constant_past_branch", constant_past_branch, {fused, 0}},
    {"moved_past_branch", moved_past_branch, {fused, 0}},
    {"parameter_past_branch", parameter_past_branch, {fused, 0}},
    {"past_division", past_division, {apart, NAN}},
    {"past_root", past_root, {apart, NAN}},
    {"past_reciprocal", past_reciprocal, {apart, NAN}},
    {"past_approximation", past_approximation, {fused, NAN}},
    {"past_barrier", past_barrier, {fused, 0}},
    {"guarded_product", guarded_product, {apart, 0}},
    {"guarded_sum", guarded_sum, {fused, 0}},
    {"flushes_product", flushes_product, {apart, 0}},
    {"flushes_sum", flushes_sum, {apart, 0}},
    {"flushes_both", flushes_both, {fused, 0}},
    {"saturates", saturates, {fused, 0}},
    {"factor_written_again", factor_written_again, {fused, 0}},
    {"product_written_again", product_written_again, {fused, 0}},
    {"doubles", doubles, {fused, 0}},
    {"halves", halves, {fused, 0}},
    {"quotient", quotient, {fused, 0}},
};

// NAN: any value
static bool is_expected(float got, float expected) { return std::isnan(expected) || got == expected; }

int main()
{
    float *in, *out;
    if (cudaMallocManaged(&in, 4 * sizeof *in) || cudaMallocManaged(&out, 2 * sizeof *out)) return 1;
    int failures = 0;
    for (const test_case &t : cases) {
        in[0] = in[1] = factor, in[2] = addend, in[3] = 0;
        t.kernel<<<1, 1>>>(in, out, 1, factor);
        if (cudaDeviceSynchronize() != cudaSuccess) {
            printf("%s: %s\n", t.name, cudaGetErrorString(cudaGetLastError()));
            return 1;
        }
        if (is_expected(out[0], t.expected[0]) && is_expected(out[1], t.expected[1])) continue;
        printf("%s: %a and %a, expected %a and %a\n", t.name, out[0], out[1], t.expected[0], t.expected[1]);
        failures++;
    }
    printf(failures ? "%d FAILED\n" : "PASS\n", failures);
    return failures != 0;
}
