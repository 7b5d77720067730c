// Stereo disparity with the SIMD-in-a-word video intrinsics, and every __v* function against byte arithmetic.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define RAD 4
__global__ void disparity(const unsigned *l, const unsigned *r, unsigned *odata, int w, int h, int dmin, int dmax) {
    __shared__ unsigned diff[8 + 2 * RAD][8 + 2 * RAD];
    int tx = blockIdx.x * 8 + threadIdx.x, ty = blockIdx.y * 8 + threadIdx.y;
    unsigned best = 0xffffffff, bd = 0;
    for (int d = dmin; d <= dmax; d++) {
        for (int yy = threadIdx.y; yy < 8 + 2 * RAD; yy += 8) for (int xx = threadIdx.x; xx < 8 + 2 * RAD; xx += 8) {
            int x = min(max((int)blockIdx.x * 8 + xx - RAD, 0), w - 1), y = min(max((int)blockIdx.y * 8 + yy - RAD, 0), h - 1);
            int xr = min(max(x + d, 0), w - 1);
            unsigned a = l[y * w + x], b = r[y * w + xr], o;
            asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(o) : "r"(a), "r"(b), "r"(0));
            diff[yy][xx] = o;
        }
        __syncthreads();
        unsigned c = 0;
        for (int j = 0; j <= 2 * RAD; j++) for (int i = 0; i <= 2 * RAD; i++) c += diff[threadIdx.y + j][threadIdx.x + i];
        if (c < best) { best = c; bd = d - dmin; }
        __syncthreads();
    }
    if (tx < w && ty < h) odata[ty * w + tx] = bd;
}
__global__ void video(const unsigned *a, const unsigned *b, unsigned *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    unsigned x = a[i], y = b[i], *p = o + i * 20; int k = 0;
    p[k++] = __vadd4(x, y); p[k++] = __vsub4(x, y); p[k++] = __vaddus4(x, y); p[k++] = __vsubus4(x, y); p[k++] = __vabsdiffu4(x, y);
    p[k++] = __vmaxu4(x, y); p[k++] = __vmins4(x, y); p[k++] = __vcmpgtu4(x, y); p[k++] = __vsetles4(x, y); p[k++] = __vavgu4(x, y);
    p[k++] = __vsadu4(x, y); p[k++] = __vadd2(x, y); p[k++] = __vaddss2(x, y); p[k++] = __vabs2(x); p[k++] = __vneg4(y);
    p[k++] = __vcmpeq4(x, y); p[k++] = __sad(x, y, 3); p[k++] = __byte_perm(x, y, 0x5140); p[k++] = __vhaddu4(x, y); p[k++] = __vmaxs2(x, y);
}
static unsigned each(unsigned x, unsigned y, int (*f)(int, int), bool sgn, int bits) {
    unsigned r = 0, m = bits == 8 ? 255 : 65535;
    for (int s = 0; s < 32; s += bits) { int p = (x >> s) & m, q = (y >> s) & m; if (sgn) { p = bits == 8 ? (signed char)p : (short)p; q = bits == 8 ? (signed char)q : (short)q; } r |= ((unsigned)f(p, q) & m) << s; }
    return r;
}
int main() {
    const int W = 48, H = 24, N = W * H; int bad = 0;
    unsigned *l, *r, *o; cudaMallocManaged(&l, N * 4); cudaMallocManaged(&r, N * 4); cudaMallocManaged(&o, N * 80);
    srand(5); for (int i = 0; i < N; i++) { l[i] = (unsigned)rand() * 2654435761u; }
    for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) r[y * W + x] = l[y * W + (x + 3 < W ? x + 3 : W - 1)];
    disparity<<<dim3(W / 8, H / 8), dim3(8, 8)>>>(l, r, o, W, H, -6, 0);
    if (cudaDeviceSynchronize()) { puts(cudaGetErrorString(cudaGetLastError())); return 1; }
    for (int y = 8; y < 16; y++) for (int x = 16; x < 32; x++) bad += o[y * W + x] != 3;
    printf("disparity bad %d\n", bad);
    for (int i = 0; i < N; i++) if (i % 7 == 0) r[i] = l[i] ^ (i & 0xff00ff);
    video<<<(N + 127) / 128, 128>>>(l, r, o, N);
    if (cudaDeviceSynchronize()) { puts(cudaGetErrorString(cudaGetLastError())); return 1; }
    int wrong[20] = {0};
    for (int i = 0; i < N; i++) {
        unsigned x = l[i], y = r[i], e[20]; int k = 0;
        e[k++] = each(x, y, [](int a, int b) { return a + b; }, 0, 8); e[k++] = each(x, y, [](int a, int b) { return a - b; }, 0, 8);
        e[k++] = each(x, y, [](int a, int b) { return a + b > 255 ? 255 : a + b; }, 0, 8); e[k++] = each(x, y, [](int a, int b) { return a < b ? 0 : a - b; }, 0, 8);
        e[k++] = each(x, y, [](int a, int b) { return abs(a - b); }, 0, 8); e[k++] = each(x, y, [](int a, int b) { return a > b ? a : b; }, 0, 8);
        e[k++] = each(x, y, [](int a, int b) { return a < b ? a : b; }, 1, 8); e[k++] = each(x, y, [](int a, int b) { return a > b ? 255 : 0; }, 0, 8);
        e[k++] = each(x, y, [](int a, int b) { return a <= b ? 1 : 0; }, 1, 8); e[k++] = each(x, y, [](int a, int b) { return (a + b + 1) >> 1; }, 0, 8);
        unsigned s = 0; for (int q = 0; q < 32; q += 8) s += abs((int)((x >> q) & 255) - (int)((y >> q) & 255)); e[k++] = s;
        e[k++] = each(x, y, [](int a, int b) { return a + b; }, 0, 16); e[k++] = each(x, y, [](int a, int b) { int t = a + b; return t > 32767 ? 32767 : t < -32768 ? -32768 : t; }, 1, 16);
        e[k++] = each(x, y, [](int a, int) { return abs(a); }, 1, 16); e[k++] = each(x, y, [](int, int b) { return -b; }, 1, 8);
        e[k++] = each(x, y, [](int a, int b) { return a == b ? 255 : 0; }, 0, 8);
        long long dd = (long long)(int)x - (int)y; e[k++] = (unsigned)(dd < 0 ? -dd : dd) + 3;
        e[k++] = (x & 255) | ((y & 255) << 8) | (((x >> 8) & 255) << 16) | (((y >> 8) & 255) << 24);
        e[k++] = each(x, y, [](int a, int b) { return (a + b) >> 1; }, 0, 8); e[k++] = each(x, y, [](int a, int b) { return a > b ? a : b; }, 1, 16);
        for (int j = 0; j < 20; j++) wrong[j] += e[j] != o[i * 20 + j];
    }
    for (int j = 0; j < 20; j++) if (wrong[j]) { printf("function %d wrong %d times\n", j, wrong[j]); bad++; }
    puts(bad ? "FAIL" : "PASS"); return bad != 0;
}
