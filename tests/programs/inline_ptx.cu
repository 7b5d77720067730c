// Inline PTX: special registers, predicates, carries, bit fields, video-free arithmetic, loads with cache operators.
#include <cstdint>
#include <cstdio>
#include <cstring>

__device__ __forceinline__ uint32_t bfe(uint32_t v, uint32_t pos, uint32_t len) {
    uint32_t r;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(v), "r"(pos), "r"(len));
    return r;
}
__device__ __forceinline__ uint32_t bfi(uint32_t a, uint32_t b, uint32_t pos, uint32_t len) {
    uint32_t r;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(pos), "r"(len));
    return r;
}
__device__ uint4 add128(uint4 a, uint4 b) {
    uint4 r;
    asm("add.cc.u32 %0, %4, %8;\n\t"
        "addc.cc.u32 %1, %5, %9;\n\t"
        "addc.cc.u32 %2, %6, %10;\n\t"
        "addc.u32 %3, %7, %11;"
        : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
    return r;
}

__global__ void kernel(const uint32_t *in, uint32_t *out) {
    int t = threadIdx.x;
    uint32_t x = in[t], *o = out + t * 20, r;
    asm("mov.u32 %0, %%laneid;" : "=r"(o[0]));
    asm("mov.u32 %0, %%tid.x;" : "=r"(o[1]));
    asm("mov.u32 %0, %%ntid.x;" : "=r"(o[2]));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(o[3]));
    o[4] = bfe(x, 4, 9);
    o[5] = bfi(0x5A5A, x, 8, 12);
    asm("{\n\t"
        ".reg .pred p;\n\t"
        "setp.gt.u32 p, %1, 1000;\n\t"
        "selp.u32 %0, 7, 9, p;\n\t"
        "}" : "=r"(o[6]) : "r"(x));
    asm("{\n\t.reg .u32 t1;\n\tmul.lo.u32 t1, %1, %1;\n\tmad.lo.u32 %0, t1, %1, %2;\n\t}"
        : "=r"(o[7])
        : "r"(x), "r"(t));
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(o[8]) : "l"(in + (t ^ 1)));
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(o[9]) : "l"(in + (t ^ 2)));
    uint4 s = add128(make_uint4(x, ~0u, ~0u, 5), make_uint4(~0u, 0, 0, t));
    o[10] = s.y;
    o[11] = s.w;
    asm("prmt.b32 %0, %1, %2, 0x0246;" : "=r"(o[12]) : "r"(x), "r"(~x));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(o[13]) : "r"(x), "r"(0x0F0F0F0Fu), "r"(t));
    asm("shf.l.wrap.b32 %0, %1, %1, 5;" : "=r"(o[14]) : "r"(x));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(o[15]) : "r"(x), "r"(0x10203040u), "r"(3));
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(o[16]) : "r"(x), "r"(0x01020304u), "r"(t));
    r = x;
    asm volatile("{\n\t"
                 ".reg .pred q;\n\t"
                 "LOOP_%=:\n\t"
                 "setp.lt.u32 q, %0, 100;\n\t"
                 "@q bra DONE_%=;\n\t"
                 "shr.u32 %0, %0, 1;\n\t"
                 "bra LOOP_%=;\n\t"
                 "DONE_%=:\n\t"
                 "}" : "+r"(r));
    o[17] = r;
    __shared__ uint32_t sh[32];
    uint32_t addr = (uint32_t)__cvta_generic_to_shared(&sh[t]);
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(addr), "r"(x + 1) : "memory");
    __syncwarp();
    asm volatile("ld.shared.u32 %0, [%1];"
                 : "=r"(o[18])
                 : "r"((uint32_t)__cvta_generic_to_shared(&sh[31 - t]))
                 : "memory");
    float f;
    asm("cvt.rn.f32.u32 %0, %1;" : "=f"(f) : "r"(x));
    asm("mul.rz.f32 %0, %0, 0f3DCCCCCD;" : "+f"(f)); // times 0.1
    o[19] = __float_as_uint(f);
}

int main() {
    uint32_t in[32], out[32 * 20], *d_in, *d_out;
    for (int i = 0; i < 32; i++) in[i] = i * i * 2654435761u >> (i % 24);
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    kernel<<<1, 32>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess;
    for (int t = 0; t < 32; t++) {
        uint32_t x = in[t], w[20], *o = out + t * 20;
        w[0] = w[1] = t;
        w[2] = 32;
        w[3] = t == 31 ? ~0u : (2u << t) - 1;
        w[4] = (x >> 4) & 511;
        w[5] = (x & ~(0xFFFu << 8)) | ((0x5A5Au & 0xFFF) << 8);
        w[6] = x > 1000 ? 7 : 9;
        w[7] = x * x * x + t;
        w[8] = in[t ^ 1];
        w[9] = in[t ^ 2];
        int carry = x != 0; // x + (2^32 - 1)
        w[10] = carry ? 0 : ~0u;
        w[11] = 5 + t + carry;
        uint8_t bytes[8];
        for (int k = 0; k < 4; k++) {
            bytes[k] = x >> (8 * k);
            bytes[4 + k] = ~x >> (8 * k);
        }
        w[12] = bytes[6] | bytes[4] << 8 | bytes[2] << 16 | (uint32_t)bytes[0] << 24;
        w[13] = x ^ 0x0F0F0F0F ^ t;
        w[14] = x << 5 | x >> 27;
        w[15] = 3;
        w[16] = t;
        for (int k = 0; k < 4; k++) {
            int p = (x >> (8 * k)) & 255, q = (0x10203040u >> (8 * k)) & 255;
            w[15] += p > q ? p - q : q - p;
            w[16] += p * ((0x01020304u >> (8 * k)) & 255);
        }
        w[17] = x;
        while (w[17] >= 100) w[17] >>= 1;
        w[18] = in[31 - t] + 1;
        w[19] = 0;
        for (int k = 0; k < 19; k++)
            if (o[k] != w[k] && bad++ < 8) printf("lane %d, value %d: %x, expected %x\n", t, k, o[k], w[k]);
        float f;
        memcpy(&f, &o[19], 4);
        double exact = (double)(float)x * (double)0.1f;
        bad += !(f <= exact && exact - f <= exact * 1.2e-7);
    }
    cudaFree(d_in);
    cudaFree(d_out);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
