// Philox4x32-10 with __umulhi, checked against the published known-answer vectors, and Box-Muller normals from it.
#include <cmath>
#include <cstdio>
#include <cstdint>
#include <vector>

__device__ __forceinline__ uint4 philox_round(uint4 c, uint2 k) {
    uint32_t hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
    uint32_t hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
    return make_uint4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
}

__device__ uint4 philox4x32_10(uint4 c, uint2 k) {
#pragma unroll
    for (int i = 0; i < 10; i++) {
        c = philox_round(c, k);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}

__global__ void known(const uint4 *c, const uint2 *k, uint4 *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = philox4x32_10(c[i], k[i]);
}

__global__ void normals(float *out, int n, uint2 key) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 >= n) return;
    uint4 r = philox4x32_10(make_uint4(i, 0, 0, 0), key);
    float u0 = (r.x + 1.0f) * 2.3283064e-10f, u1 = r.y * 2.3283064e-10f;
    float u2 = (r.z + 1.0f) * 2.3283064e-10f, u3 = r.w * 2.3283064e-10f;
    float s, c;
    sincospif(2.0f * u1, &s, &c);
    float rad = sqrtf(-2.0f * logf(u0));
    out[4 * i] = rad * s;
    out[4 * i + 1] = rad * c;
    sincospif(2.0f * u3, &s, &c);
    rad = sqrtf(-2.0f * logf(u2));
    out[4 * i + 2] = rad * s;
    out[4 * i + 3] = rad * c;
}

int main() {
    uint4 c[3] = {{0, 0, 0, 0},
                  {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
                  {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}};
    uint2 k[3] = {{0, 0}, {0xffffffffu, 0xffffffffu}, {0xa4093822u, 0x299f31d0u}};
    uint4 want[3] = {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u},
                     {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu},
                     {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}};
    uint4 *dc, *dout, got[3];
    uint2 *dk;
    cudaMalloc(&dc, sizeof c);
    cudaMalloc(&dk, sizeof k);
    cudaMalloc(&dout, sizeof got);
    cudaMemcpy(dc, c, sizeof c, cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k, sizeof k, cudaMemcpyHostToDevice);
    known<<<1, 32>>>(dc, dk, dout, 3);
    cudaMemcpy(got, dout, sizeof got, cudaMemcpyDeviceToHost);
    bool ok = true;
    for (int i = 0; i < 3; i++)
        if (got[i].x != want[i].x || got[i].y != want[i].y || got[i].z != want[i].z || got[i].w != want[i].w) {
            printf("vector %d: %08x %08x %08x %08x\n", i, got[i].x, got[i].y, got[i].z, got[i].w);
            ok = false;
        }
    const int n = 40000;
    float *d;
    std::vector<float> h(n);
    cudaMalloc(&d, n * sizeof(float));
    normals<<<(n / 4 + 127) / 128, 128>>>(d, n, make_uint2(42, 7));
    cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    double m1 = 0, m2 = 0;
    for (float v : h) {
        m1 += v;
        m2 += v * v;
    }
    m1 /= n;
    m2 = m2 / n - m1 * m1;
    printf("mean %f variance %f\n", m1, m2);
    ok = ok && std::fabs(m1) < 0.03 && std::fabs(m2 - 1) < 0.05 && cudaGetLastError() == cudaSuccess;
    cudaFree(dc); cudaFree(dk); cudaFree(dout); cudaFree(d);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
