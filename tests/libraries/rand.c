/* cuRAND's host interface: sequences that curand_kernel.h gives on a device (recorded from its code, run by lanewise),
 * moments of every distribution, Sobol points, seeds, offsets and errors. Prints what differs, and "ok rand". */
#include <cuda_runtime_api.h>
#include <curand.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "library_test.h"

#define COUNT 100000

static curandGenerator_t generator(curandRngType_t type, unsigned long long seed)
{
    curandGenerator_t g;
    OK(curandCreateGenerator(&g, type));
    OK(curandSetPseudoRandomGeneratorSeed(g, seed));
    return g;
}

/* ---- sequences ---- */
static const struct sequence {
    curandRngType_t type;
    unsigned long long seed;
    struct {
        unsigned at, value;
    } words[4];
} sequences[] = {
    {CURAND_RNG_PSEUDO_XORWOW,
     0ull,
     {{0, 0xbd7f03b6u}, {4097, 0x75da7152u}, {50001, 0x77a07a91u}, {99998, 0xc96b19f0u}}},
    {CURAND_RNG_PSEUDO_MRG32K3A,
     0ull,
     {{0, 0x2083cd07u}, {4097, 0x6e973f46u}, {50001, 0xa88b1992u}, {99998, 0xc6b0bdbau}}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10,
     0ull,
     {{0, 0x6627e8d5u}, {4097, 0xd0416899u}, {50001, 0xec9f7009u}, {99998, 0xe9a12422u}}},
    {CURAND_RNG_PSEUDO_XORWOW,
     1234567890123ull,
     {{0, 0x2f091a51u}, {4097, 0x62216e50u}, {50001, 0x41d8c462u}, {99998, 0x33d92b15u}}},
    {CURAND_RNG_PSEUDO_MRG32K3A,
     1234567890123ull,
     {{0, 0xcc4ad37du}, {4097, 0xa28365b0u}, {50001, 0xcf8db128u}, {99998, 0x77b81a47u}}},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10,
     1234567890123ull,
     {{0, 0x450d0f76u}, {4097, 0xdfde9b0bu}, {50001, 0xeae30b92u}, {99998, 0x8a181bbeu}}},
};

static void check_sequences(void)
{
    unsigned *words;
    cudaMallocManaged((void **)&words, COUNT * sizeof *words, 1);
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const struct sequence *s = &sequences[i];
        curandGenerator_t g = generator(s->type, s->seed);
        OK(curandGenerate(g, words, 1000)); /* in two parts: the second goes on where the first ended */
        OK(curandGenerate(g, words + 1000, COUNT - 1000));
        cudaDeviceSynchronize();
        for (int k = 0; k < 4; k++) CHECK(words[s->words[k].at] == s->words[k].value);
        unsigned later = words[4096 * 3 + 17];
        OK(curandSetGeneratorOffset(g, 4096 * 3 + 16));
        OK(curandGenerate(g, words, 32));
        cudaDeviceSynchronize();
        CHECK(words[1] == later);
        OK(curandDestroyGenerator(g));
    }
    cudaFree(words);
}

/* ---- distributions ---- */
static void check_moments(const double *x, double mean, double variance, int line)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) sum += x[i];
    for (int i = 0; i < COUNT; i++) squares += (x[i] - sum / COUNT) * (x[i] - sum / COUNT);
    double error = 5 * sqrt(variance / COUNT); /* five standard deviations */
    if (fabs(sum / COUNT - mean) > error || fabs(squares / COUNT / variance - 1) > 0.1) {
        failures++;
        printf("line %d: mean %g, variance %g, not %g and %g\n", line, sum / COUNT, squares / COUNT, mean, variance);
    }
}

static double numbers[COUNT];
#define MOMENTS(type, array, mean, variance)                                                                           \
    do {                                                                                                               \
        cudaDeviceSynchronize();                                                                                       \
        for (int i = 0; i < COUNT; i++) numbers[i] = (double)((type *)(array))[i];                                     \
        check_moments(numbers, mean, variance, __LINE__);                                                              \
    } while (0)

static void check_distributions(curandRngType_t type)
{
    void *to;
    cudaMallocManaged(&to, COUNT * 8, 1);
    curandGenerator_t g = generator(type, 42);
    OK(curandGenerateUniform(g, to, COUNT));
    MOMENTS(float, to, 0.5, 1.0 / 12);
    OK(curandGenerateUniformDouble(g, to, COUNT));
    MOMENTS(double, to, 0.5, 1.0 / 12);
    OK(curandGenerateNormal(g, to, COUNT, 3, 2));
    MOMENTS(float, to, 3, 4);
    OK(curandGenerateNormalDouble(g, to, COUNT, -1, 0.5));
    MOMENTS(double, to, -1, 0.25);
    OK(curandGenerateLogNormal(g, to, COUNT, 0, 0.25f));
    MOMENTS(float, to, exp(0.03125), (exp(0.0625) - 1) * exp(0.0625));
    OK(curandGenerateLogNormalDouble(g, to, COUNT, 0, 0.25));
    MOMENTS(double, to, exp(0.03125), (exp(0.0625) - 1) * exp(0.0625));
    OK(curandGeneratePoisson(g, to, COUNT, 0.5));
    MOMENTS(unsigned, to, 0.5, 0.5);
    OK(curandGeneratePoisson(g, to, COUNT, 5000));
    MOMENTS(unsigned, to, 5000, 5000);
    bool pairs = type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A;
    CHECK(curandGenerateNormal(g, to, 3, 0, 1) == (pairs ? CURAND_STATUS_LENGTH_NOT_MULTIPLE : CURAND_STATUS_SUCCESS));
    CHECK(curandGeneratePoisson(g, to, 3, -1) == CURAND_STATUS_OUT_OF_RANGE);
    OK(curandDestroyGenerator(g));
    cudaFree(to);
}

/* ---- Sobol points ---- */
static void check_sobol(void)
{
    static const float expected[2][8] = {{0, 0.5f, 0.75f, 0.25f, 0.375f, 0.875f, 0.625f, 0.125f},
                                         {0, 0.5f, 0.25f, 0.75f, 0.375f, 0.875f, 0.125f, 0.625f}};
    curandGenerator_t g;
    float points[16];
    OK(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SOBOL32));
    OK(curandSetQuasiRandomGeneratorDimensions(g, 2));
    OK(curandGenerateUniform(g, points, 16));
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 8; i++) CHECK(fabsf(points[d * 8 + i] - expected[d][i]) < 1e-6f);
    CHECK(curandGenerateUniform(g, points, 15) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK(curandSetPseudoRandomGeneratorSeed(g, 1) == CURAND_STATUS_TYPE_ERROR);
    OK(curandDestroyGenerator(g));
}

/* ---- tables of device code, which a generator's points follow; NVIDIA's library has them ---- */
static void check_tables(void)
{
    enum { DIMENSIONS = 25, POINTS = 6 };
    curandDirectionVectors32_t *plain, *scrambled;
    curandDirectionVectors64_t *wide;
    unsigned *constants, points[DIMENSIONS * POINTS];
    unsigned long long *wide_constants, wide_points[DIMENSIONS * POINTS];
    curandGenerator_t g;
    if (curandGetDirectionVectors32(&plain, CURAND_DIRECTION_VECTORS_32_JOEKUO6) ==
        CURAND_STATUS_INITIALIZATION_FAILED) {
        CHECK(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32) == CURAND_STATUS_INITIALIZATION_FAILED);
        return;
    }
    OK(curandGetDirectionVectors32(&scrambled, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
    OK(curandGetDirectionVectors64(&wide, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
    OK(curandGetScrambleConstants32(&constants));
    OK(curandGetScrambleConstants64(&wide_constants));
    CHECK(curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_32_JOEKUO6) == CURAND_STATUS_OUT_OF_RANGE);
    for (int which = 0; which < 2; which++) {
        OK(curandCreateGeneratorHost(&g, which ? CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 : CURAND_RNG_QUASI_SOBOL32));
        OK(curandSetQuasiRandomGeneratorDimensions(g,
                                                   DIMENSIONS)); /* 20 of them are lanewise's own, unless scrambled */
        OK(curandGenerate(g, points, DIMENSIONS * POINTS));
        OK(curandDestroyGenerator(g));
        for (unsigned d = 0; d < DIMENSIONS; d++)
            for (unsigned i = 0, gray; i < POINTS; i++) {
                unsigned expected = which ? constants[d] : 0;
                for (gray = i ^ i >> 1; gray; gray &= gray - 1)
                    expected ^= (which ? scrambled : plain)[d][__builtin_ctz(gray)];
                CHECK(points[d * POINTS + i] == expected);
            }
    }
    OK(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64));
    OK(curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS));
    OK(curandGenerateLongLong(g, wide_points, DIMENSIONS * POINTS));
    OK(curandDestroyGenerator(g));
    for (unsigned d = 0; d < DIMENSIONS; d++)
        CHECK(wide_points[d * POINTS + 3] == (wide_constants[d] ^ wide[d][1])); /* 3 is 2 as a Gray code */
}

int main(void)
{
    check_tables();
    check_sequences();
    check_distributions(CURAND_RNG_PSEUDO_XORWOW);
    check_distributions(CURAND_RNG_PSEUDO_MRG32K3A);
    check_distributions(CURAND_RNG_PSEUDO_MT19937);
    check_distributions(CURAND_RNG_PSEUDO_PHILOX4_32_10);
    check_sobol();
    curandGenerator_t g;
    CHECK(curandCreateGenerator(&g, (curandRngType_t)7) == CURAND_STATUS_TYPE_ERROR);
    if (!failures) printf("ok rand\n");
    return failures != 0;
}
