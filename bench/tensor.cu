// Rows of `make bench`: products of tensor cores. Prints thousands of millions of multiply-adds a second of processor time, launch included.
// nvcc: -gencode arch=compute_90a,code=compute_90a
#include "measure.h"

enum { BLOCKS = 16, ROUNDS = 32, ALL = BLOCKS * ROUNDS };

static __device__ unsigned operand(int k)
{
    return 0x3c003c00u ^ (threadIdx.x * 2654435761u + k * 40503u & 0x83ff83ffu);
}

/* m16n8k16: 2,048 multiply-adds of a warp */
template <bool Bfloat> __global__ void warps(float *out)
{
    float d[4] = {};
    unsigned a[4], b[2];
    for (int k = 0; k < 4; k++) a[k] = operand(k);
    for (int k = 0; k < 2; k++) b[k] = operand(k + 4);
    for (int k = 0; k < ROUNDS; k++) {
#define MMA(type)                                                                                                      \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                                                \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
        if (Bfloat) MMA("bf16");
        else MMA("f16");
    }
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

/* m64n64k16: 65,536 multiply-adds of a warpgroup, operands in shared memory of 128-byte swizzle */
#define R4(t) "d" #t "a, d" #t "b, d" #t "c, d" #t "d"
#define R8(t) R4(t##0) ", " R4(t##1)
#define R16(t) R8(t##0) ", " R8(t##1)
#define R32(t) R16(t##0) ", " R16(t##1)
template <bool Bfloat> __global__ void groups(float *out)
{
    __shared__ __align__(1024) unsigned s[4096];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) s[k] = operand(k);
    __syncthreads();
    unsigned long long base = __cvta_generic_to_shared(s) >> 4, kind = 1ull << 16 | 64ull << 32 | 1ull << 62;
    float d;
#define WGMMA(type)                                                                                                    \
    asm volatile(                                                                                                      \
        "{\n.reg .f32 " R32(                                                                                           \
            _) ";\n.reg .pred p;\n.reg .b32 k;\nmov.b32 k, 0;\n"                                                       \
               "setp.ne.s32 p, k, 0;\nfence.proxy.async;\nwgmma.fence.sync.aligned;\nAGAIN%=:\n"                       \
               "wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type " {" R32(                                   \
                   _) "}, %1, %2, p, 1, 1, 0, 0;\n"                                                                    \
                      "add.s32 k, k, 1;\nsetp.lt.s32 p, k, %3;\n@p bra AGAIN%=;\nwgmma.commit_group.sync.aligned;\n"   \
                      "wgmma.wait_group.sync.aligned 0;\nadd.f32 %0, d_000a, d_111a;\n}"                               \
        : "=f"(d)                                                                                                      \
        : "l"(base | kind), "l"((base + 512) | kind), "r"((int)ROUNDS)                                                 \
        : "memory")
    if (Bfloat) WGMMA("bf16");
    else WGMMA("f16");
    out[threadIdx.x] = d;
}

int main()
{
    float *out;
    check(cudaMalloc(&out, 4096));
    measure("mma of f16, multiply-adds (goal 2.5)", 2048 * 4.0 * ALL, "G", [&] { warps<false><<<BLOCKS, 128>>>(out); });
    measure("mma of bf16, multiply-adds (goal 2.5)", 2048 * 4.0 * ALL, "G", [&] { warps<true><<<BLOCKS, 128>>>(out); });
    measure("wgmma of f16, multiply-adds (goal 2.5)", 65536.0 * ALL, "G", [&] { groups<false><<<BLOCKS, 128>>>(out); });
    measure("wgmma of bf16, multiply-adds (goal 2.5)", 65536.0 * ALL, "G", [&] { groups<true><<<BLOCKS, 128>>>(out); });
}
