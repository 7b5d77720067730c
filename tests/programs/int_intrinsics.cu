// Integer intrinsics against plain C: brev, clz, ffs, popc, byte_perm, funnel shifts, mulhi, sad, hadd, SIMD in a word.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define COUNT 30

__global__ void kernel(const uint32_t *a, const uint32_t *b, uint32_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t x = a[i], y = b[i], *o = out + i * COUNT;
    int s = (int)x, t = (int)y;
    unsigned long long w = ((unsigned long long)x << 32) | y;
    o[0] = __brev(x);
    o[1] = __clz(s);
    o[2] = __ffs(s);
    o[3] = __popc(x);
    o[4] = __byte_perm(x, y, 0x3A51);
    o[5] = __funnelshift_l(x, y, t & 63);
    o[6] = __funnelshift_r(x, y, t & 63);
    o[7] = __funnelshift_lc(x, y, t & 63);
    o[8] = __funnelshift_rc(x, y, t & 63);
    o[9] = __umulhi(x, y);
    o[10] = __mulhi(s, t);
    o[11] = __mul24(s, t);
    o[12] = __umul24(x, y);
    o[13] = __sad(s, t, 5u);
    o[14] = __usad(x, y, 7u);
    o[15] = __hadd(s, t);
    o[16] = __rhadd(s, t);
    o[17] = __uhadd(x, y);
    o[18] = __urhadd(x, y);
    o[19] = __clzll(w >> (x & 31));
    o[20] = __ffsll(w << (y & 63));
    o[21] = __popcll(w);
    o[22] = (uint32_t)(__brevll(w) >> 7);
    o[23] = (uint32_t)__umul64hi(w, w ^ 0x123456789ABCDEFull);
    o[24] = __vadd4(x, y);
    o[25] = __vabsdiffu4(x, y);
    o[26] = __vmaxs2(x, y);
    o[27] = __vcmpeq4(x & 0x0F0F0F0F, y & 0x0F0F0F0F);
    o[28] = __dp2a_lo(s, t, 3);
    o[29] = __vavgu4(x, y);
}

static void reference(uint32_t x, uint32_t y, uint32_t *o) {
    int32_t s = x, t = y;
    unsigned long long w = ((unsigned long long)x << 32) | y;
    auto bytes = [&](auto f) {
        uint32_t r = 0;
        for (int k = 0; k < 32; k += 8) r |= (uint32_t)(f((x >> k) & 255, (y >> k) & 255) & 255) << k;
        return r;
    };
    uint32_t r = 0;
    for (int k = 0; k < 32; k++) r |= ((x >> k) & 1u) << (31 - k);
    o[0] = r;
    o[1] = x ? __builtin_clz(x) : 32;
    o[2] = __builtin_ffs(s);
    o[3] = __builtin_popcount(x);
    r = 0;
    for (int k = 0; k < 4; k++) {
        int sel = (0x3A51 >> (4 * k)) & 15;
        uint32_t byte = (sel & 7) < 4 ? (x >> (8 * (sel & 3))) & 255 : (y >> (8 * (sel & 3))) & 255;
        r |= byte << (8 * k); // the builtin ignores the sign bit of the selector
    }
    o[4] = r;
    unsigned long long hl = ((unsigned long long)y << 32) | x;
    int sh = t & 31, shc = (t & 63) > 32 ? 32 : t & 63;
    o[5] = (uint32_t)((hl << sh) >> 32);
    o[6] = (uint32_t)(hl >> sh);
    o[7] = shc == 32 ? x : (uint32_t)((hl << shc) >> 32);
    o[8] = shc == 32 ? y : (uint32_t)(hl >> shc);
    o[9] = (uint32_t)(((unsigned long long)x * y) >> 32);
    o[10] = (uint32_t)(((long long)s * t) >> 32);
    auto se24 = [](int32_t v) { return (int32_t)((uint32_t)v << 8) >> 8; };
    o[11] = (uint32_t)((long long)se24(s) * se24(t));
    o[12] = (x & 0xFFFFFF) * (y & 0xFFFFFF);
    o[13] = (uint32_t)(s > t ? (long long)s - t : (long long)t - s) + 5;
    o[14] = (x > y ? x - y : y - x) + 7;
    o[15] = (uint32_t)(((long long)s + t) >> 1);
    o[16] = (uint32_t)(((long long)s + t + 1) >> 1);
    o[17] = (uint32_t)(((unsigned long long)x + y) >> 1);
    o[18] = (uint32_t)(((unsigned long long)x + y + 1) >> 1);
    unsigned long long v = w >> (x & 31);
    o[19] = v ? __builtin_clzll(v) : 64;
    o[20] = __builtin_ffsll((long long)(w << (y & 63)));
    o[21] = __builtin_popcountll(w);
    unsigned long long rv = 0;
    for (int k = 0; k < 64; k++) rv |= ((w >> k) & 1ull) << (63 - k);
    o[22] = (uint32_t)(rv >> 7);
    o[23] = (uint32_t)(((unsigned __int128)w * (w ^ 0x123456789ABCDEFull)) >> 64);
    o[24] = bytes([](int p, int q) { return p + q; });
    o[25] = bytes([](int p, int q) { return abs(p - q); });
    int16_t xl = x, xh = x >> 16, yl = y, yh = y >> 16;
    o[26] = (uint16_t)(xl > yl ? xl : yl) | (uint32_t)(uint16_t)(xh > yh ? xh : yh) << 16;
    o[27] = bytes([](int p, int q) { return (p & 15) == (q & 15) ? 255 : 0; });
    o[28] = (uint32_t)((int16_t)x * (int8_t)y + (int16_t)(x >> 16) * (int8_t)(y >> 8) + 3);
    o[29] = bytes([](int p, int q) { return (p + q + 1) >> 1; });
}

int main() {
    const int n = 2000;
    static uint32_t a[n], b[n], out[n * COUNT];
    const uint32_t special[] = {0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x00FF00FF, 0x12345678, 0x800000};
    for (int i = 0; i < n; i++) {
        a[i] = i < 64 ? special[i / 8] : (uint32_t)rand() * 2654435761u;
        b[i] = i < 64 ? special[i % 8] : (uint32_t)rand() * 40503u + i;
    }
    uint32_t *da, *db, *dout;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dout, sizeof out);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    kernel<<<(n + 63) / 64, 64>>>(da, db, dout, n);
    cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess, first[COUNT] = {0};
    for (int i = 0; i < n; i++) {
        uint32_t want[COUNT];
        reference(a[i], b[i], want);
        for (int k = 0; k < COUNT; k++)
            if (out[i * COUNT + k] != want[k]) {
                bad++;
                if (!first[k]++)
                    printf("operation %d of %08x, %08x: %08x, expected %08x\n", k, a[i], b[i], out[i * COUNT + k],
                           want[k]);
            }
    }
    cudaFree(da); cudaFree(db); cudaFree(dout);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
