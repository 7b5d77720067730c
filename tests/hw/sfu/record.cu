/* Records what the approximations (.approx, .full) give on a card.
 *
 *   record sums            writes the rows of h200.csv: for each form and each upper 9 bits of the operand the sum of
 *                          result * (2 m + 1) over the lower 23 bits m, its halves xor'ed
 *   record results FOLDER  writes FOLDER/NAME.u32: results one by one, for fit.py
 *
 * nvcc -arch=sm_90 -O2 -o record record.cu. Operands: f32: the number itself; f64: the number is the high word, the low
 * word a constant; halves: the lower 16 bits, of x2 all 32; div: two halves of splitmix64 of the number. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOW_WORD 0x9e3779b9
#define FIRSTS 512
#define OPERANDS (1u << 23)

__device__ uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* ---- a device function and two kernels a form ---- */
#define KERNELS(name)                                                                                                  \
    __global__ void name##_sums(unsigned long long *sums)                                                              \
    {                                                                                                                  \
        unsigned long long sum = 0;                                                                                    \
        uint32_t first = blockIdx.y;                                                                                   \
        for (uint32_t m = blockIdx.x * blockDim.x + threadIdx.x; m < OPERANDS; m += gridDim.x * blockDim.x)            \
            sum += name(first << 23 | m) * (2ull * m + 1);                                                             \
        atomicAdd(&sums[first], sum);                                                                                  \
    }                                                                                                                  \
    __global__ void name##_results(uint32_t *out, uint32_t first, uint32_t step, uint32_t count)                       \
    {                                                                                                                  \
        for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x)               \
            out[k] = name(first + k * step);                                                                           \
    }
#define F32(name, form)                                                                                                \
    __device__ uint32_t name(uint32_t u)                                                                               \
    {                                                                                                                  \
        float r;                                                                                                       \
        asm volatile(form " %0, %1;" : "=f"(r) : "f"(__uint_as_float(u)));                                             \
        return __float_as_uint(r);                                                                                     \
    }                                                                                                                  \
    KERNELS(name)
#define DIV(name, form)                                                                                                \
    __device__ uint32_t name(uint32_t u)                                                                               \
    {                                                                                                                  \
        uint64_t both = mix(u);                                                                                        \
        float r, a = __uint_as_float((uint32_t)both), b = __uint_as_float((uint32_t)(both >> 32));                     \
        asm volatile(form " %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));                                                  \
        return __float_as_uint(r);                                                                                     \
    }                                                                                                                  \
    KERNELS(name)
#define F64(name, form)                                                                                                \
    __device__ uint32_t name(uint32_t u)                                                                               \
    {                                                                                                                  \
        double r;                                                                                                      \
        asm volatile(form " %0, %1;" : "=d"(r) : "d"(__hiloint2double((int)u, (int)LOW_WORD)));                        \
        return (uint32_t)__double2hiint(r) ^ (uint32_t)__double2loint(r);                                              \
    }                                                                                                                  \
    KERNELS(name)
#define HALF(name, form)                                                                                               \
    __device__ uint32_t name(uint32_t u)                                                                               \
    {                                                                                                                  \
        uint16_t r;                                                                                                    \
        asm volatile(form " %0, %1;" : "=h"(r) : "h"((uint16_t)u));                                                    \
        return r;                                                                                                      \
    }                                                                                                                  \
    KERNELS(name)
#define HALVES(name, form)                                                                                             \
    __device__ uint32_t name(uint32_t u)                                                                               \
    {                                                                                                                  \
        uint32_t r;                                                                                                    \
        asm volatile(form " %0, %1;" : "=r"(r) : "r"(u));                                                              \
        return r;                                                                                                      \
    }                                                                                                                  \
    KERNELS(name)
#define FORMS                                                                                                          \
    F32(rcp_ftz, "rcp.approx.ftz.f32")                                                                                 \
    F32(rcp, "rcp.approx.f32")                                                                                         \
    F32(rsqrt_ftz, "rsqrt.approx.ftz.f32")                                                                             \
    F32(rsqrt, "rsqrt.approx.f32")                                                                                     \
    F32(sqrt_ftz, "sqrt.approx.ftz.f32")                                                                               \
    F32(sqrt_plain, "sqrt.approx.f32")                                                                                 \
    F32(sin_ftz, "sin.approx.ftz.f32")                                                                                 \
    F32(sin_plain, "sin.approx.f32")                                                                                   \
    F32(cos_ftz, "cos.approx.ftz.f32")                                                                                 \
    F32(cos_plain, "cos.approx.f32")                                                                                   \
    F32(lg2_ftz, "lg2.approx.ftz.f32")                                                                                 \
    F32(lg2, "lg2.approx.f32")                                                                                         \
    F32(ex2_ftz, "ex2.approx.ftz.f32")                                                                                 \
    F32(ex2, "ex2.approx.f32")                                                                                         \
    F32(tanh_plain, "tanh.approx.f32")                                                                                 \
    F64(rcp_f64, "rcp.approx.ftz.f64")                                                                                 \
    F64(rsqrt_f64, "rsqrt.approx.ftz.f64")                                                                             \
    HALF(ex2_f16, "ex2.approx.f16")                                                                                    \
    HALF(tanh_f16, "tanh.approx.f16")                                                                                  \
    HALF(ex2_bf16, "ex2.approx.ftz.bf16")                                                                              \
    HALF(tanh_bf16, "tanh.approx.bf16")                                                                                \
    HALVES(ex2_f16x2, "ex2.approx.f16x2")                                                                              \
    HALVES(tanh_f16x2, "tanh.approx.f16x2")                                                                            \
    HALVES(ex2_bf16x2, "ex2.approx.ftz.bf16x2")                                                                        \
    HALVES(tanh_bf16x2, "tanh.approx.bf16x2")                                                                          \
    DIV(div_approx, "div.approx.f32")                                                                                  \
    DIV(div_approx_ftz, "div.approx.ftz.f32")                                                                          \
    DIV(div_full, "div.full.f32")                                                                                      \
    DIV(div_full_ftz, "div.full.ftz.f32")
FORMS

typedef void (*sums_fn)(unsigned long long *);
typedef void (*results_fn)(uint32_t *, uint32_t, uint32_t, uint32_t);

static void print_sums(const char *form, sums_fn kernel)
{
    unsigned long long *device, sums[FIRSTS];
    /* of a single half each first bits give the same */
    int rows = !strcmp(form + strlen(form) - 2, "16") ? 1 : FIRSTS;
    cudaMalloc(&device, sizeof sums);
    cudaMemset(device, 0, sizeof sums);
    kernel<<<dim3(64, FIRSTS), 256>>>(device);
    cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost);
    cudaFree(device);
    for (int k = 0; k < rows; k++) {
        if (k % 32 == 0) printf("%s%s,%d,", k ? "\n" : "", form, k);
        printf("%s%08x", k % 32 ? " " : "", (uint32_t)(sums[k] ^ sums[k] >> 32));
    }
    putchar('\n');
}

static void write_results(const char *folder, const char *name, results_fn kernel, uint32_t first, uint32_t step,
                          uint32_t count)
{
    char path[4096];
    uint32_t *device, *results = (uint32_t *)malloc(4ull * count);
    cudaMalloc(&device, 4ull * count);
    kernel<<<2048, 256>>>(device, first, step, count);
    cudaMemcpy(results, device, 4ull * count, cudaMemcpyDeviceToHost);
    cudaFree(device);
    snprintf(path, sizeof path, "%s/%s.u32", folder, name);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(results, 4, count, out) != count || fclose(out)) exit(1);
    free(results);
}

/* Binades [2^e, 2^(e + 1)) of what fit.py looks at. */
static void write_all(const char *folder)
{
    char name[32];
    write_results(folder, "rcp_0", rcp_ftz_results, 127u << 23, 1, OPERANDS);
    for (int e = 0; e <= 1; e++) {
        snprintf(name, sizeof name, "rsqrt_%d", e);
        write_results(folder, name, rsqrt_ftz_results, (uint32_t)(127 + e) << 23, 1, OPERANDS);
        snprintf(name, sizeof name, "sqrt_%d", e);
        write_results(folder, name, sqrt_ftz_results, (uint32_t)(127 + e) << 23, 1, OPERANDS);
    }
    write_results(folder, "ex2_0", ex2_ftz_results, 127u << 23, 1, OPERANDS);
    write_results(folder, "lg2_1", lg2_ftz_results, 128u << 23, 1, OPERANDS);
    for (int e = -2; e <= 2; e++) {
        snprintf(name, sizeof name, "sin_%d", e);
        write_results(folder, name, sin_ftz_results, (uint32_t)(127 + e) << 23, 1, OPERANDS);
        snprintf(name, sizeof name, "cos_%d", e);
        write_results(folder, name, cos_ftz_results, (uint32_t)(127 + e) << 23, 1, OPERANDS);
    }
    for (int e = -8; e <= 2; e++) {
        snprintf(name, sizeof name, "tanh_%d", e);
        write_results(folder, name, tanh_plain_results, (uint32_t)(127 + e) << 23, 16, OPERANDS / 16);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "results")) {
        write_all(argv[2]);
        return cudaDeviceSynchronize() != cudaSuccess;
    }
    puts("form,first,sums");
#undef KERNELS
#define PRINT(name, form) print_sums(form, name##_sums);
#undef F32
#undef F64
#undef HALF
#undef HALVES
#undef DIV
#define F32 PRINT
#define F64 PRINT
#define HALF PRINT
#define HALVES PRINT
#define DIV PRINT
    FORMS
    return cudaDeviceSynchronize() != cudaSuccess;
}
