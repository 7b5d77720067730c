/* wgmma_operands.h: the frame of the kernels that tell what operands of wgmma in shared memory cost. Before it: MMA, the instruction up to
 * its shape; METADATA, what follows the operands (sparse: a register m names the first two of four kept, of tf32 the first of two);
 * DEPTH, the k of halves. What the matrices hold does not matter. */
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
                     "wgmma.fence.sync.aligned;\n" MMA shape " {" R##regs(_) "}, " a          \
                     ", %2" METADATA ", p" tail ";\n" again(shape, regs, a, tail)                                                   \
                     "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmov.b32 x, 0;\n"             \
                     X##regs(_) "mov.b32 %0, x;\n}" : "=r"(x) : "l"(in_a + at), "l"(in_b + at), "r"((int)threadIdx.x) : "memory"); \
        out[threadIdx.x] = x;                                                                                          \
    }
#define ONCE(shape, regs, a, tail)
#define TWICE(shape, regs, a, tail) MMA shape " {" R##regs(_) "}, " a ", %2" METADATA ", q" tail ";\n"
#define HALF(name, n, regs, a, tail) PRODUCT(name, "m64n" #n DEPTH ".f32.f16.f16", regs, a, tail, ONCE)
#define REGISTERS "{a0, a1, a2, a3}"
#define SHARED "%1"

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
