// Kernels of the heterogeneous-benchmark kind, small: backprop, B+ tree range search, lavaMD boxes, Needleman-Wunsch in
// diagonals of tiles, LU in perimeter steps, SRAD, streamcluster's gain, particle filter, pathfinder with pyramids, hotspot.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>
static int total_bad;
static void verdict(const char *name, int bad) { cudaError_t e = cudaDeviceSynchronize(); if (e) { bad++; printf("%s: %s\n", name, cudaGetErrorString(e)); } printf("%-16s %s\n", name, bad ? "WRONG" : "ok"); total_bad += bad; }
static float frand() { return rand() / (float)RAND_MAX; }
template <class T> static T *um(size_t n) { T *p; if (cudaMallocManaged(&p, n * sizeof(T))) exit(2); memset(p, 0, n * sizeof(T)); return p; }

#define WIDTH 16
#define HEIGHT 16
__global__ void bpnn_layerforward(float *in, float *w, float *partial, int n_in, int hid) {
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y, index = (hid + 1) * HEIGHT * by + (hid + 1) * ty + tx + 1 + (hid + 1), index_in = HEIGHT * by + ty + 1;
    __shared__ float node[HEIGHT]; __shared__ float m[HEIGHT][WIDTH];
    if (tx == 0) node[ty] = in[index_in];
    __syncthreads(); m[ty][tx] = w[index]; __syncthreads(); m[ty][tx] *= node[ty]; __syncthreads();
    for (int i = 1; i <= __log2f(HEIGHT); i++) { int p = __powf(2, i); if (ty % p == 0) m[ty][tx] += m[ty + p / 2][tx]; __syncthreads(); }
    w[index] = m[ty][tx]; __syncthreads();
    if (tx == 0) partial[by * hid + ty] = m[tx][ty];
}
static void backprop() {
    int n = 64, hid = 16; float *in = um<float>(n + 1), *w = um<float>((n + 1) * (hid + 1)), *p = um<float>(n / 16 * hid); std::vector<float> w0;
    for (int i = 0; i <= n; i++) in[i] = frand(); for (int i = 0; i < (n + 1) * (hid + 1); i++) w[i] = frand(); w0.assign(w, w + (n + 1) * (hid + 1));
    bpnn_layerforward<<<dim3(1, n / 16), dim3(16, 16)>>>(in, w, p, n, hid); cudaDeviceSynchronize(); int bad = 0;
    for (int j = 0; j < hid; j++) { double s = 0, r = 0; for (int k = 0; k < n / 16; k++) s += p[k * hid + j]; for (int i = 1; i <= n; i++) r += in[i] * w0[i * (hid + 1) + j + 1]; bad += fabs(s - r) > 1e-3; }
    verdict("backprop", bad);
}
typedef struct knode { int location; int indices[9]; int keys[9]; bool is_leaf; int num_keys; } knode;
__global__ void findK(long height, knode *kn, long *currKnode, long *offset, int *keys, int *ans) {
    int tid = threadIdx.x, bid = blockIdx.x;
    for (int i = 0; i < height; i++) {
        if (kn[currKnode[bid]].keys[tid] <= keys[bid] && kn[currKnode[bid]].keys[tid + 1] > keys[bid]) if (kn[offset[bid]].indices[tid] < 1000) offset[bid] = kn[offset[bid]].indices[tid];
        __syncthreads(); if (tid == 0) currKnode[bid] = offset[bid]; __syncthreads();
    }
    if (kn[currKnode[bid]].keys[tid] == keys[bid]) ans[bid] = kn[currKnode[bid]].indices[tid];
}
static void bptree() {
    knode *k = um<knode>(9); k[0].num_keys = 8; for (int i = 0; i < 8; i++) { k[0].keys[i] = i * 80; k[0].indices[i] = i + 1; } k[0].keys[8] = 1 << 30;
    for (int c = 1; c <= 8; c++) { k[c].is_leaf = true; for (int i = 0; i < 8; i++) { k[c].keys[i] = (c - 1) * 80 + i * 10; k[c].indices[i] = 5000 + (c - 1) * 8 + i; } k[c].keys[8] = 1 << 30; }
    int q = 40, *keys = um<int>(q), *ans = um<int>(q), bad = 0; long *cur = um<long>(q), *off = um<long>(q); for (int i = 0; i < q; i++) { keys[i] = (i * 17 % 64) * 10 + (i % 5 == 0); ans[i] = -1; }
    findK<<<q, 8>>>(2, k, cur, off, keys, ans); cudaDeviceSynchronize(); for (int i = 0; i < q; i++) bad += ans[i] != (keys[i] % 10 ? -1 : 5000 + keys[i] / 10);
    verdict("b+tree", bad);
}
struct FOUR { double v, x, y, z; }; struct nei { int x, y, z, number; long offset; }; struct box { int x, y, z, number; long offset; int nn; nei nei[26]; }; struct par { double alpha; }; struct dims { int cur, box1d; long cpu, boxes; };
#define PPB 20
__global__ void lavamd(par p, dims dm, const box *b, const FOUR *rv, const double *qv, FOUR *fv) {
    int bx = blockIdx.x, tx = threadIdx.x; __shared__ FOUR rA[PPB], rB[PPB]; __shared__ double q[PPB]; double a2 = 2.0 * p.alpha * p.alpha;
    if (bx >= dm.boxes) return; int first = b[bx].offset; for (int w = tx; w < PPB; w += blockDim.x) rA[w] = rv[first + w]; __syncthreads();
    for (int k = 0; k < 1 + b[bx].nn; k++) {
        int pt = k == 0 ? bx : b[bx].nei[k - 1].number; const FOUR *r = rv + b[pt].offset; for (int w = tx; w < PPB; w += blockDim.x) { rB[w] = r[w]; q[w] = qv[b[pt].offset + w]; } __syncthreads();
        for (int w = tx; w < PPB; w += blockDim.x) for (int j = 0; j < PPB; j++) {
            double r2 = rA[w].v + rB[j].v - (rA[w].x * rB[j].x + rA[w].y * rB[j].y + rA[w].z * rB[j].z), vij = exp(-a2 * r2), fs = 2 * vij;
            fv[first + w].v += q[j] * vij; fv[first + w].x += q[j] * fs * (rA[w].x - rB[j].x); fv[first + w].y += q[j] * fs * (rA[w].y - rB[j].y); fv[first + w].z += q[j] * fs * (rA[w].z - rB[j].z); }
        __syncthreads();
    }
}
static void lava() {
    const int B = 8; par p = {0.5}; dims dm = {0, 2, 0, B}; box *b = um<box>(B); FOUR *r = um<FOUR>(B * PPB), *f = um<FOUR>(B * PPB); double *q = um<double>(B * PPB); int bad = 0;
    for (int i = 0; i < B; i++) { b[i].number = i; b[i].offset = i * PPB; for (int j = 0; j < B; j++) if (j != i) b[i].nei[b[i].nn++].number = j; }
    for (int i = 0; i < B * PPB; i++) { r[i] = {frand(), frand(), frand(), frand()}; q[i] = frand(); }
    lavamd<<<B, 32>>>(p, dm, b, r, q, f); cudaDeviceSynchronize();
    for (int i = 0; i < B * PPB; i++) { double v = 0, x = 0; for (int j = 0; j < B * PPB; j++) { double r2 = r[i].v + r[j].v - (r[i].x * r[j].x + r[i].y * r[j].y + r[i].z * r[j].z), e = exp(-0.5 * r2); v += q[j] * e; x += q[j] * 2 * e * (r[i].x - r[j].x); } bad += fabs(v - f[i].v) > 1e-9 || fabs(x - f[i].x) > 1e-9; }
    verdict("lavaMD", bad);
}
#define BS 16
__device__ __host__ int maximum(int a, int b, int c) { int k = a <= b ? b : a; return k <= c ? c : k; }
__global__ void needle(int *ref, int *m, int cols, int penalty, int i, int width, bool second) {
    int bx = blockIdx.x, tx = threadIdx.x, bix = second ? bx + width - i : bx, biy = second ? width - bx - 1 : i - 1 - bx;
    int index = cols * BS * biy + BS * bix + tx + cols + 1, index_n = cols * BS * biy + BS * bix + tx + 1, index_w = cols * BS * biy + BS * bix + cols, index_nw = cols * BS * biy + BS * bix;
    __shared__ int temp[BS + 1][BS + 1]; __shared__ int rf[BS][BS];
    if (tx == 0) temp[tx][0] = m[index_nw]; for (int ty = 0; ty < BS; ty++) rf[ty][tx] = ref[index + cols * ty]; __syncthreads();
    temp[tx + 1][0] = m[index_w + cols * tx]; __syncthreads(); temp[0][tx + 1] = m[index_n]; __syncthreads();
    for (int d = 0; d < BS; d++) { if (tx <= d) { int x = tx + 1, y = d - tx + 1; temp[y][x] = maximum(temp[y - 1][x - 1] + rf[y - 1][x - 1], temp[y][x - 1] - penalty, temp[y - 1][x] - penalty); } __syncthreads(); }
    for (int d = BS - 2; d >= 0; d--) { if (tx <= d) { int x = tx + BS - d, y = BS - tx; temp[y][x] = maximum(temp[y - 1][x - 1] + rf[y - 1][x - 1], temp[y][x - 1] - penalty, temp[y - 1][x] - penalty); } __syncthreads(); }
    for (int ty = 0; ty < BS; ty++) m[index + ty * cols] = temp[ty + 1][tx + 1];
}
static void nw() {
    int n = 64, c = n + 1, bad = 0, pen = 10; int *ref = um<int>(c * c), *m = um<int>(c * c); std::vector<int> h(c * c);
    for (int i = 0; i < c * c; i++) ref[i] = rand() % 21 - 8; for (int i = 0; i < c; i++) m[i] = m[i * c] = -i * pen; h.assign(m, m + c * c);
    for (int i = 1; i < c; i++) for (int j = 1; j < c; j++) h[i * c + j] = maximum(h[(i - 1) * c + j - 1] + ref[i * c + j], h[i * c + j - 1] - pen, h[(i - 1) * c + j] - pen);
    int w = n / BS; for (int i = 1; i <= w; i++) needle<<<i, BS>>>(ref, m, c, pen, i, w, false); for (int i = w - 1; i >= 1; i--) needle<<<i, BS>>>(ref, m, c, pen, i, w, true);
    cudaDeviceSynchronize(); for (int i = 0; i < c * c; i++) bad += m[i] != h[i]; verdict("nw", bad);
}
__global__ void lud_diagonal(float *m, int dim, int off) {
    __shared__ float s[16][16]; int t = threadIdx.x, ao = off * dim + off; for (int i = 0; i < 16; i++) { s[i][t] = m[ao + t]; ao += dim; } __syncthreads();
    for (int i = 0; i < 15; i++) { if (t > i) { for (int j = 0; j < i; j++) s[t][i] -= s[t][j] * s[j][i]; s[t][i] /= s[i][i]; } __syncthreads(); if (t > i) for (int j = 0; j < i + 1; j++) s[i + 1][t] -= s[i + 1][j] * s[j][t]; __syncthreads(); }
    ao = (off + 1) * dim + off; for (int i = 1; i < 16; i++) { m[ao + t] = s[i][t]; ao += dim; }
}
__global__ void lud_perimeter(float *m, int dim, int off) {
    __shared__ float d[16][16], r[16][16], c[16][16]; int t = threadIdx.x & 15, b = off + (blockIdx.x + 1) * 16; bool row = threadIdx.x < 16;
    for (int i = 0; i < 16; i++) { if (row) { d[i][t] = m[(off + i) * dim + off + t]; r[i][t] = m[(off + i) * dim + b + t]; } else c[i][t] = m[(b + i) * dim + off + t]; } __syncthreads();
    if (row) { for (int i = 1; i < 16; i++) for (int j = 0; j < i; j++) r[i][t] -= d[i][j] * r[j][t]; }
    else for (int i = 0; i < 16; i++) { for (int j = 0; j < i; j++) c[t][i] -= c[t][j] * d[j][i]; c[t][i] /= d[i][i]; }
    __syncthreads(); for (int i = 0; i < 16; i++) if (row) m[(off + i) * dim + b + t] = r[i][t]; else m[(b + i) * dim + off + t] = c[i][t];
}
__global__ void lud_internal(float *m, int dim, int off) {
    __shared__ float r[16][16], c[16][16]; int x = threadIdx.x, y = threadIdx.y, gr = off + (blockIdx.y + 1) * 16, gc = off + (blockIdx.x + 1) * 16;
    r[y][x] = m[(off + y) * dim + gc + x]; c[y][x] = m[(gr + y) * dim + off + x]; __syncthreads(); float s = 0; for (int i = 0; i < 16; i++) s += c[y][i] * r[i][x]; m[(gr + y) * dim + gc + x] -= s;
}
static void lud() {
    int n = 64, bad = 0, i; float *m = um<float>(n * n); std::vector<float> a(n * n); for (i = 0; i < n * n; i++) a[i] = m[i] = frand() + (i % (n + 1) == 0 ? n : 0);
    for (i = 0; i < n - 16; i += 16) { lud_diagonal<<<1, 16>>>(m, n, i); int k = (n - i) / 16 - 1; lud_perimeter<<<k, 32>>>(m, n, i); lud_internal<<<dim3(k, k), dim3(16, 16)>>>(m, n, i); } lud_diagonal<<<1, 16>>>(m, n, i); cudaDeviceSynchronize();
    for (int r = 0; r < n; r++) for (int c = 0; c < n; c++) { double s = 0; for (int k = 0; k <= (r < c ? r : c); k++) s += (k == r ? 1.0 : m[r * n + k]) * m[k * n + c]; bad += fabs(s - a[r * n + c]) > 1e-3; } verdict("lud", bad);
}
__global__ void pgain(int num, int dim, long x, const struct Point *p, int K, const float *coord, float *work, const int *ct, bool *sw);
struct Point { float weight; float *coord; long assign; float cost; };
__global__ void pgain(int num, int dim, long x, const Point *p, int K, const float *coord, float *work, const int *ct, bool *sw) {
    int tid = (gridDim.x * blockIdx.y + blockIdx.x) * blockDim.x + threadIdx.x; extern __shared__ float cx[]; if (threadIdx.x == 0) for (int i = 0; i < dim; i++) cx[i] = coord[i * num + x]; __syncthreads();
    if (tid >= num) return; float *lower = &work[tid * (K + 1)], d = 0; for (int i = 0; i < dim; i++) d += (coord[i * num + tid] - cx[i]) * (coord[i * num + tid] - cx[i]); d *= p[tid].weight;
    if (d < p[tid].cost) { sw[tid] = 1; lower[K] += d - p[tid].cost; } else lower[ct[p[tid].assign]] += p[tid].cost - d;
}
static void streamcluster() {
    int n = 300, dim = 7, K = 3, bad = 0; Point *p = um<Point>(n); float *c = um<float>(n * dim), *w = um<float>(n * (K + 1)); int *ct = um<int>(n); bool *sw = um<bool>(n); for (int i = 0; i < n * dim; i++) c[i] = frand();
    for (int i = 0; i < n; i++) { p[i].weight = 1 + i % 3; p[i].assign = i % 3 * 100; p[i].cost = frand() * 2; } ct[100] = 1; ct[200] = 2; pgain<<<dim3(3, 1), 128, dim * 4>>>(n, dim, 42, p, K, c, w, ct, sw); cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) { float d = 0; for (int k = 0; k < dim; k++) d += (c[k * n + i] - c[k * n + 42]) * (c[k * n + i] - c[k * n + 42]); d *= p[i].weight; if (fabsf(d - p[i].cost) < 1e-5) continue; bad += sw[i] != (d < p[i].cost) || fabsf(w[i * 4 + (d < p[i].cost ? 3 : i % 3)] - (d < p[i].cost ? d - p[i].cost : p[i].cost - d)) > 1e-4; } verdict("streamcluster", bad);
}
__device__ double d_randu(int *seed, int i) { int M = INT_MAX, A = 1103515245, C = 12345, num = A * seed[i] + C; seed[i] = num % M; return fabs(seed[i] / (double)M); }
__device__ double d_randn(int *seed, int i) { double u = d_randu(seed, i), v = d_randu(seed, i); return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v); }
__global__ void find_index(double *ax, double *cdf, double *u, double *xj, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int idx = -1; for (int k = 0; k < n; k++) if (cdf[k] >= u[i]) { idx = k; break; } if (idx == -1) idx = n - 1; xj[i] = ax[idx]; __syncthreads(); }
__global__ void likelihood(double *x, int *seed, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { x[i] = x[i] + 1.0 + 5.0 * d_randn(seed, i); } __syncthreads(); }
static void particle() {
    int n = 200, bad = 0; double *x = um<double>(n), *cdf = um<double>(n), *u = um<double>(n), *xj = um<double>(n), h; int *seed = um<int>(n); for (int i = 0; i < n; i++) { seed[i] = 977 * (i + 1); x[i] = i; cdf[i] = (i + 1.0) / n; u[i] = ((i * 7) % n + 0.5) / n; }
    find_index<<<2, 128>>>(x, cdf, u, xj, n); cudaDeviceSynchronize(); for (int i = 0; i < n; i++) bad += xj[i] != (i * 7) % n; likelihood<<<2, 128>>>(x, seed, n); cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) { int s = 977 * (i + 1); double r[2]; for (int k = 0; k < 2; k++) { s = (int)(1103515245u * (unsigned)s + 12345u) % INT_MAX; r[k] = fabs(s / (double)INT_MAX); } h = i + 1.0 + 5 * sqrt(-2 * log(r[0])) * cos(2 * 3.14159265358979323846 * r[1]); bad += fabs(h - x[i]) > 1e-9; } verdict("particlefilter", bad);
}
#define IN_RANGE(x, lo, hi) ((x) >= (lo) && (x) <= (hi))
__global__ void dynproc(int iter, int *wall, int *src, int *res, int cols, int start, int border) {
    __shared__ int prev[64], result[64]; int bx = blockIdx.x, tx = threadIdx.x, small = 64 - iter * 2, blkX = small * bx - border, blkXmax = blkX + 63, xidx = blkX + tx, lo = blkX < 0 ? -blkX : 0, hi = blkXmax > cols - 1 ? 63 - (blkXmax - cols + 1) : 63, W = max(tx - 1, lo), E = min(tx + 1, hi); bool ok = IN_RANGE(tx, lo, hi), computed; if (IN_RANGE(xidx, 0, cols - 1)) prev[tx] = src[xidx]; __syncthreads();
    for (int i = 0; i < iter; i++) { computed = false; if (IN_RANGE(tx, i + 1, 64 - i - 2) && ok) { computed = true; int s = min(min(prev[W], prev[tx]), prev[E]); result[tx] = s + wall[cols * (start + i) + xidx]; } __syncthreads(); if (i == iter - 1) break; if (computed) prev[tx] = result[tx]; __syncthreads(); } if (computed) res[xidx] = result[tx];
}
static void pathfinder() {
    int cols = 300, rows = 21, pyr = 4, bad = 0; int *wall = um<int>(cols * rows), *r[2] = {um<int>(cols), um<int>(cols)}; for (int i = 0; i < cols * rows; i++) wall[i] = rand() % 10; std::vector<int> a(wall, wall + cols), b(cols); memcpy(r[0], wall, cols * 4); int src = 1, dst = 0, small = 64 - 2 * pyr;
    for (int t = 0; t < rows - 1; t += pyr) { int x = src; src = dst; dst = x; dynproc<<<(cols + small - 1) / small, 64>>>(pyr < rows - t - 1 ? pyr : rows - t - 1, wall + cols, r[src], r[dst], cols, t, pyr); } cudaDeviceSynchronize();
    for (int t = 1; t < rows; t++) { for (int i = 0; i < cols; i++) { int s = a[i]; if (i) s = s < a[i - 1] ? s : a[i - 1]; if (i < cols - 1) s = s < a[i + 1] ? s : a[i + 1]; b[i] = s + wall[t * cols + i]; } a.swap(b); } for (int i = 0; i < cols; i++) bad += r[dst][i] != a[i]; verdict("pathfinder", bad);
}
__global__ void srad(float *J, float *out, int *iN, int *iS, int *jE, int *jW, int rows, int cols, float q0) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= rows * cols) return; int r = i % rows, c = i / rows; float Jc = J[i], n = J[iN[r] + rows * c] - Jc, s = J[iS[r] + rows * c] - Jc, w = J[r + rows * jW[c]] - Jc, e = J[r + rows * jE[c]] - Jc, G2 = (n * n + s * s + w * w + e * e) / (Jc * Jc), L = (n + s + w + e) / Jc, num = 0.5f * G2 - (1.0f / 16.0f) * (L * L), den = 1 + .25f * L, q = num / (den * den); den = (q - q0) / (q0 * (1 + q0)); float k = 1.0f / (1.0f + den); out[i] = k < 0 ? 0 : k > 1 ? 1 : k;
}
static void sradt() {
    int R = 33, C = 27, bad = 0; float *J = um<float>(R * C), *o = um<float>(R * C); int *x[4]; for (int k = 0; k < 4; k++) x[k] = um<int>(64); for (int i = 0; i < R * C; i++) J[i] = expf(frand()); for (int i = 0; i < R; i++) { x[0][i] = i ? i - 1 : 0; x[1][i] = i < R - 1 ? i + 1 : i; } for (int i = 0; i < C; i++) { x[3][i] = i ? i - 1 : 0; x[2][i] = i < C - 1 ? i + 1 : i; }
    srad<<<(R * C + 255) / 256, 256>>>(J, o, x[0], x[1], x[2], x[3], R, C, 0.05f); cudaDeviceSynchronize(); for (int i = 0; i < R * C; i++) { int r = i % R, c = i / R; double Jc = J[i], n = J[x[0][r] + R * c] - Jc, s = J[x[1][r] + R * c] - Jc, w = J[r + R * x[3][c]] - Jc, e = J[r + R * x[2][c]] - Jc, G = (n * n + s * s + w * w + e * e) / (Jc * Jc), L = (n + s + w + e) / Jc, q = (.5 * G - L * L / 16) / ((1 + .25 * L) * (1 + .25 * L)), k = 1 / (1 + (q - .05) / (.05 * 1.05)); k = k < 0 ? 0 : k > 1 ? 1 : k; bad += fabs(k - o[i]) > 1e-3; } verdict("srad", bad);
}
int main() { srand(7); backprop(); bptree(); lava(); nw(); lud(); streamcluster(); particle(); pathfinder(); sradt(); puts(total_bad ? "FAIL" : "PASS"); return total_bad != 0; }
