// Bit tricks: Morton codes, Gray codes, next power of two, bit matrix transpose with ballots, population of subsets.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

__host__ __device__ inline uint32_t spread(uint32_t v) {
    v = (v | (v << 16)) & 0x030000FF;
    v = (v | (v << 8)) & 0x0300F00F;
    v = (v | (v << 4)) & 0x030C30C3;
    v = (v | (v << 2)) & 0x09249249;
    return v;
}
__host__ __device__ inline uint32_t morton3(uint32_t x, uint32_t y, uint32_t z)
{
    return spread(x) | spread(y) << 1 | spread(z) << 2;
}
__host__ __device__ inline uint32_t compact(uint32_t v) {
    v &= 0x09249249;
    v = (v ^ (v >> 2)) & 0x030C30C3;
    v = (v ^ (v >> 4)) & 0x0300F00F;
    v = (v ^ (v >> 8)) & 0xFF0000FF;
    v = (v ^ (v >> 16)) & 0x3FF;
    return v;
}
__host__ __device__ inline uint32_t next_pow2(uint32_t v) {
    v--;
    v |= v >> 1; v |= v >> 2; v |= v >> 4; v |= v >> 8; v |= v >> 16;
    return v + 1;
}
__host__ __device__ inline uint32_t gray(uint32_t v) { return v ^ (v >> 1); }
__host__ __device__ inline uint32_t ungray(uint32_t g) {
    for (int s = 1; s < 32; s <<= 1) g ^= g >> s;
    return g;
}
__host__ __device__ inline int parity(uint32_t v) {
    v ^= v >> 16; v ^= v >> 8; v ^= v >> 4;
    return (0x6996 >> (v & 15)) & 1;
}
__host__ __device__ inline uint32_t isqrt(uint32_t v) {
    uint32_t r = 0, bit = 1u << 30;
    while (bit > v) bit >>= 2;
    while (bit) {
        if (v >= r + bit) {
            v -= r + bit;
            r = (r >> 1) + bit;
        } else
            r >>= 1;
        bit >>= 2;
    }
    return r;
}
__host__ __device__ inline uint64_t modpow(uint64_t b, uint64_t e, uint64_t m) {
    uint64_t r = 1;
    for (b %= m; e; e >>= 1, b = b * b % m)
        if (e & 1) r = r * b % m;
    return r;
}

struct Results {
    uint32_t morton, back, pow2, g, ug, root, mp;
    int par, sign, lg;
};

__host__ __device__ Results compute(uint32_t v) {
    Results r;
    r.morton = morton3(v & 1023, (v >> 10) & 1023, (v >> 20) & 1023);
    r.back = compact(r.morton) | compact(r.morton >> 1) << 10 | compact(r.morton >> 2) << 20;
    r.pow2 = next_pow2(v >> 1);
    r.g = gray(v);
    r.ug = ungray(r.g);
    r.root = isqrt(v);
    r.mp = (uint32_t)modpow(v, 65537, 1000000007);
    r.par = parity(v);
    int32_t s = (int32_t)v;
    r.sign = (s > 0) - (s < 0);
    r.lg = 0;
    for (uint32_t t = v; t >>= 1;) r.lg++;
    return r;
}

__global__ void kernel(const uint32_t *in, Results *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = compute(in[i]);
}

// 32 x 32 bits: lane l holds row l; afterwards it holds column l.
__global__ void transpose_bits(const uint32_t *in, uint32_t *by_ballot, uint32_t *by_shuffle) {
    int lane = threadIdx.x & 31;
    uint32_t row = in[threadIdx.x], col = 0;
    for (int b = 0; b < 32; b++) {
        uint32_t vote = __ballot_sync(0xffffffff, (row >> b) & 1);
        if (lane == b) col = vote;
    }
    by_ballot[threadIdx.x] = col;
    uint32_t x = row, m = 0x0000FFFF;
    for (int j = 16; j; j >>= 1, m ^= m << j) {
        uint32_t other = __shfl_xor_sync(0xffffffff, x, j);
        x = lane & j ? (x & ~m) | ((other >> j) & m) : (x & m) | ((other << j) & ~m);
    }
    by_shuffle[threadIdx.x] = x;
}

int main() {
    const int n = 3000;
    static uint32_t h[n];
    static Results got[n];
    for (int i = 0; i < n; i++) h[i] = (uint32_t)rand() * 2654435761u >> (i % 29);
    uint32_t *d, *t1, *t2;
    Results *dr;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&dr, sizeof got);
    cudaMalloc(&t1, 64 * 4);
    cudaMalloc(&t2, 64 * 4);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    kernel<<<(n + 127) / 128, 128>>>(d, dr, n);
    cudaMemcpy(got, dr, sizeof got, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) {
        Results w = compute(h[i]), g = got[i];
        bad += w.morton != g.morton || w.back != g.back || w.pow2 != g.pow2 || w.g != g.g || w.ug != g.ug ||
               w.root != g.root || w.mp != g.mp || w.par != g.par || w.sign != g.sign || w.lg != g.lg;
        bad += g.back != (h[i] & 0x3FFFFFFF) || g.ug != h[i] || g.par != __builtin_parity(h[i]) ||
               (uint64_t)g.root * g.root > h[i] || (uint64_t)(g.root + 1) * (g.root + 1) <= h[i];
    }
    transpose_bits<<<1, 64>>>(d, t1, t2);
    uint32_t b1[64], b2[64];
    cudaMemcpy(b1, t1, sizeof b1, cudaMemcpyDeviceToHost);
    cudaMemcpy(b2, t2, sizeof b2, cudaMemcpyDeviceToHost);
    for (int w = 0; w < 2; w++)
        for (int c = 0; c < 32; c++) {
            uint32_t want = 0;
            for (int r = 0; r < 32; r++) want |= ((h[w * 32 + r] >> c) & 1u) << r;
            bad += b1[w * 32 + c] != want || b2[w * 32 + c] != want;
        }
    bad += cudaGetLastError() != cudaSuccess;
    cudaFree(d); cudaFree(dr); cudaFree(t1); cudaFree(t2);
    printf(bad ? "%d wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
