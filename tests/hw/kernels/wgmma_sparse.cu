// nvcc: -gencode arch=compute_90a,code=compute_90a
/* What the operands of sparse wgmma in shared memory cost: A has half of its columns kept, B all. What the matrices hold does not
 * matter; the metadata name the first two of four (of tf32: the first of two). */
#include "hw.h"

/* Accumulators: 4 registers for each 8 columns; what is computed of them keeps the product alive. */
#define R4(t) "d" #t "a, d" #t "b, d" #t "c, d" #t "d"
#define R8(t) R4(t##0) ", " R4(t##1)
#define R12(t) R8(t##0) ", " R4(t##1)
#define R16(t) R8(t##0) ", " R8(t##1)
#define R32(t) R16(t##0) ", " R16(t##1)
#define R64(t) R32(t##0) ", " R32(t##1)
#define R128(t) R64(t##0) ", " R64(t##1)
#define X4(t) "xor.b32 x, x, d" #t "a;\nxor.b32 x, x, d" #t "b;\nxor.b32 x, x, d" #t "c;\nxor.b32 x, x, d" #t "d;\n"
#define X8(t) X4(t##0) X4(t##1)
#define X12(t) X8(t##0) X4(t##1)
#define X16(t) X8(t##0) X8(t##1)
#define X32(t) X16(t##0) X16(t##1)
#define X64(t) X32(t##0) X32(t##1)
#define X128(t) X64(t##0) X64(t##1)

/* PRODUCT(name, shape and types, registers of D, A, what follows scale-d, a second product) */
#define PRODUCT(name, shape, regs, a, tail, again)                                                                      \
    __global__ void name(int *out, unsigned long long in_a, unsigned long long in_b) {                                 \
        extern __shared__ __align__(1024) char s[];                                                                    \
        unsigned long long at = (unsigned long long)(__cvta_generic_to_shared(s) >> 4);                                \
        int x;                                                                                                         \
        asm volatile("{\n.reg .b32 " R##regs(_) ", x, m;\nmov.b32 m, 0x44444444;\n.reg .b32 a0, a1, a2, a3;\nmov.b32 a0, %3;\nmov.b32 a1, %3;\n"   \
                     "mov.b32 a2, %3;\nmov.b32 a3, %3;\n.reg .pred p, q;\nsetp.lt.s32 p, %3, 0;\nsetp.ge.s32 q, %3, 0;\n"    \
                     "wgmma.fence.sync.aligned;\nwgmma.mma_async.sp.sync.aligned." shape " {" R##regs(_) "}, " a          \
                     ", %2, m, 0, p" tail ";\n" again(shape, regs, a, tail)                                                   \
                     "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmov.b32 x, 0;\n"             \
                     X##regs(_) "mov.b32 %0, x;\n}" : "=r"(x) : "l"(in_a + at), "l"(in_b + at), "r"((int)threadIdx.x) : "memory"); \
        out[threadIdx.x] = x;                                                                                          \
    }
#define ONCE(shape, regs, a, tail)
#define TWICE(shape, regs, a, tail) "wgmma.mma_async.sp.sync.aligned." shape " {" R##regs(_) "}, " a ", %2, m, 0, q" tail ";\n"
#define HALF(name, n, regs, a, tail) PRODUCT(name, "m64n" #n "k32.f32.f16.f16", regs, a, tail, ONCE)
#define REGISTERS "{a0, a1, a2, a3}"
#define SHARED "%1"

HALF(n8, 8, 4, SHARED, ", 1, 1, 0, 0")
HALF(n16, 16, 8, SHARED, ", 1, 1, 0, 0")
HALF(n64, 64, 32, SHARED, ", 1, 1, 0, 0")
HALF(n128, 128, 64, SHARED, ", 1, 1, 0, 0")
HALF(n256, 256, 128, SHARED, ", 1, 1, 0, 0")
HALF(registers8, 8, 4, REGISTERS, ", 1, 1, 0")
HALF(registers64, 64, 32, REGISTERS, ", 1, 1, 0")
HALF(registers128, 128, 64, REGISTERS, ", 1, 1, 0")
HALF(turned_a, 64, 32, SHARED, ", 1, 1, 1, 0")
HALF(turned_b, 64, 32, SHARED, ", 1, 1, 0, 1")
HALF(turned_both, 128, 64, SHARED, ", 1, 1, 1, 1")
PRODUCT(twice, "m64n64k32.f32.f16.f16", 32, SHARED, ", 1, 1, 0, 0", TWICE)
PRODUCT(bytes, "m64n64k64.s32.s8.s8", 32, SHARED, "", ONCE)
PRODUCT(fp8, "m64n64k64.f32.e4m3.e4m3", 32, SHARED, ", 1, 1", ONCE)
PRODUCT(tf32, "m64n64k16.f32.tf32.tf32", 32, SHARED, ", 1, 1", ONCE)

/* A descriptor at an offset; bytes. swizzle: 0 none, 1 128, 2 64, 3 32 bytes. */
static unsigned long long matrix(unsigned offset, unsigned leading, unsigned stride, unsigned swizzle) {
    return (unsigned long long)(offset >> 4) | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(stride >> 4) << 32 | (unsigned long long)swizzle << 62;
}

static int *out;
template <typename T> static void run(T kernel, int threads, unsigned long long a, unsigned long long b) {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    kernel<<<1, threads, 65536>>>(out, a, b);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main(void) {
    out = device_words<int>(1024, true);
    const unsigned long long a128 = matrix(0, 16, 1024, 1), b128 = matrix(8192, 16, 1024, 1);
    run(n8, 128, a128, b128);
    run(n16, 128, a128, b128);
    run(n64, 128, a128, b128);
    run(n128, 128, a128, b128);
    run(n256, 128, a128, b128);
    run(registers8, 128, a128, b128);
    run(registers64, 128, a128, b128);
    run(registers128, 128, a128, b128);
    run(n64, 128, matrix(0, 16, 512, 2), b128);
    run(n64, 128, matrix(0, 16, 256, 3), matrix(8192, 16, 512, 2));
    run(n64, 128, matrix(0, 128, 256, 0), matrix(8192, 128, 512, 0));
    run(n64, 128, matrix(0, 144, 288, 0), matrix(8192, 144, 576, 0));
    run(turned_a, 128, matrix(0, 8192, 1024, 1), b128);
    run(turned_b, 128, a128, matrix(8192, 8192, 1024, 1));
    run(turned_both, 128, matrix(0, 8192, 1024, 1), matrix(8192, 2048, 1024, 1));
    run(twice, 128, a128, b128);
    run(bytes, 128, a128, b128);
    run(fp8, 128, a128, b128);
    run(tf32, 128, a128, b128);
    run(n64, 256, a128, b128);
    run(registers64, 256, a128, b128);
    puts("done");
    return 0;
}
