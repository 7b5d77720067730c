// Transforms of the sample collections: fast Walsh in shared and global stages, Haar wavelets, 64-bin histogram in byte
// counters, merge sort by rank search, Sobol directions, recursive Gaussian, binomial options and bisection eigenvalues.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
static int total;
#define REPORT(name, b) do { cudaError_t e_ = cudaDeviceSynchronize(); int b_ = (b) + (e_ != 0); printf("%-12s %s %s\n", name, b_ ? "WRONG" : "ok", e_ ? cudaGetErrorString(e_) : ""); total += b_; } while (0)
template <class T> static T *um(size_t n) { T *p; cudaMallocManaged(&p, n * sizeof(T)); return p; }
__global__ void fwt1(float *dst, const float *src, int log2N) {
    const int N = 1 << log2N, base = blockIdx.x << log2N; extern __shared__ float s[]; const float *ds = src + base; for (int p = threadIdx.x; p < N; p += blockDim.x) s[p] = ds[p]; const int pos = threadIdx.x;
    for (int stride = N >> 2; stride > 0; stride >>= 2) { int lo = pos & (stride - 1), i0 = ((pos - lo) << 2) + lo, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride; __syncthreads(); float a = s[i0], b = s[i1], c = s[i2], d = s[i3], t; t = a; a = a + c; c = t - c; t = b; b = b + d; d = t - d; t = a; s[i0] = a + b; s[i1] = t - b; t = c; s[i2] = c + d; s[i3] = t - d; }
    if (log2N & 1) { __syncthreads(); for (int p = threadIdx.x; p < N / 2; p += blockDim.x) { int i0 = p << 1; float a = s[i0], b = s[i0 + 1]; s[i0] = a + b; s[i0 + 1] = a - b; } } __syncthreads(); for (int p = threadIdx.x; p < N; p += blockDim.x) dst[base + p] = s[p];
}
__global__ void haar(float *id, float *od, float *approx, int levels, int slen) {
    extern __shared__ float sh[]; int bid = blockIdx.x, bdim = blockDim.x, tid = threadIdx.x, gt = bid * bdim + tid, t2 = bid * 2 * bdim + tid; sh[tid] = id[t2]; sh[tid + bdim] = id[t2 + bdim]; __syncthreads(); float d0 = sh[2 * tid], d1 = sh[2 * tid + 1]; __syncthreads(); od[gt + (slen >> 1)] = (d0 - d1) * 0.70710678f; int at = tid + (tid >> 4); sh[at] = (d0 + d1) * 0.70710678f; __syncthreads();
    if (levels > 1) { int off1 = 1, off0 = 2, num = bdim >> 1, idx0 = tid * 2; for (int i = 1; i < levels; i++) { if (tid < num) { int a = idx0 + (idx0 >> 4), b = idx0 + off1; b += b >> 4; od[(slen >> (i + 1)) + bid * num + tid] = (sh[a] - sh[b]) * 0.70710678f; sh[a] = (sh[a] + sh[b]) * 0.70710678f; num >>= 1; off1 = off0; off0 <<= 1; idx0 = idx0 << 1; } __syncthreads(); } if (tid == 0) approx[bid] = sh[0]; }
}
__device__ inline void addByte(unsigned char *s, unsigned data) { s[data * 64] = s[data * 64] + 1; }
__global__ void hist64(unsigned *partial, const uint4 *data, unsigned n) {
    const unsigned pos = (threadIdx.x & ~0x3F) | ((threadIdx.x & 0x0F) << 2) | ((threadIdx.x & 0x30) >> 4); __shared__ unsigned char s[64 * 64]; for (int i = threadIdx.x; i < 1024; i += 64) ((unsigned *)s)[i] = 0; __syncthreads(); unsigned char *base = s + pos;
    for (unsigned i = blockIdx.x * 64 + threadIdx.x; i < n; i += 64 * gridDim.x) { uint4 d = data[i]; unsigned w[4] = {d.x, d.y, d.z, d.w}; for (int k = 0; k < 4; k++) for (int q = 2; q < 32; q += 8) addByte(base, (w[k] >> q) & 0x3F); } __syncthreads();
    const unsigned char *h = s + threadIdx.x * 64; unsigned sum = 0, p = threadIdx.x & 0x3F; for (int i = 0; i < 64; i++) { sum += h[p]; p = (p + 1) & 63; } atomicAdd(&partial[threadIdx.x], sum);
}
template <bool inc> static __device__ unsigned search(unsigned v, const unsigned *d, unsigned L, unsigned stride) { if (!L) return 0; unsigned pos = 0; for (; stride > 0; stride >>= 1) { unsigned np = umin(pos + stride, L); if (inc ? d[np - 1] <= v : d[np - 1] < v) pos = np; } return pos; }
__global__ void mergeShared(unsigned *k, unsigned *v, int dir) {
    __shared__ unsigned sk[512], sv[512]; unsigned *pk = k + blockIdx.x * 512, *pv = v + blockIdx.x * 512; sk[threadIdx.x] = pk[threadIdx.x]; sv[threadIdx.x] = pv[threadIdx.x]; sk[threadIdx.x + 256] = pk[threadIdx.x + 256]; sv[threadIdx.x + 256] = pv[threadIdx.x + 256];
    for (unsigned st = 1; st < 512; st <<= 1) { unsigned lp = threadIdx.x & (st - 1); unsigned *bk = sk + 2 * (threadIdx.x - lp), *bv = sv + 2 * (threadIdx.x - lp); __syncthreads(); unsigned ka = bk[lp], va = bv[lp], kb = bk[lp + st], vb = bv[lp + st], pa = search<false>(ka, bk + st, st, st) + lp, pb = search<true>(kb, bk, st, st) + lp; __syncthreads(); bk[pa] = ka; bv[pa] = va; bk[pb] = kb; bv[pb] = vb; } __syncthreads();
    pk[threadIdx.x] = sk[threadIdx.x]; pv[threadIdx.x] = sv[threadIdx.x]; pk[threadIdx.x + 256] = sk[threadIdx.x + 256]; pv[threadIdx.x + 256] = sv[threadIdx.x + 256];
}
__global__ void sobol(unsigned n, unsigned dims, const unsigned *dir, float *out) {
    __shared__ unsigned v[32]; dir += 32 * blockIdx.y; out += n * blockIdx.y; if (threadIdx.x < 32) v[threadIdx.x] = dir[threadIdx.x]; __syncthreads(); int i0 = threadIdx.x + blockIdx.x * blockDim.x, stride = gridDim.x * blockDim.x; unsigned g = i0 ^ (i0 >> 1), X = 0, mask; for (unsigned k = 0; k < __ffs(stride) - 1; k++) { mask = -(g & 1); X ^= mask & v[k]; g >>= 1; } if (i0 < n) out[i0] = (float)X * 2.3283064365386963e-10f;
    unsigned vl = v[__ffs(stride) - 2], vs; for (unsigned i = i0 + stride; i < n; i += stride) { vs = v[__ffs(~((i - stride) | (stride - 1))) - 1]; X ^= vl ^ vs; out[i] = (float)X * 2.3283064365386963e-10f; }
}
__device__ float4 rgbaIntToFloat(unsigned c) { return make_float4((c & 0xff) * 0.003921568627f, ((c >> 8) & 0xff) * 0.003921568627f, ((c >> 16) & 0xff) * 0.003921568627f, (c >> 24) * 0.003921568627f); }
__device__ unsigned rgbaFloatToInt(float4 v) { v.x = __saturatef(v.x); v.y = __saturatef(v.y); v.z = __saturatef(v.z); v.w = __saturatef(v.w); return ((unsigned)(v.w * 255.f) << 24) | ((unsigned)(v.z * 255.f) << 16) | ((unsigned)(v.y * 255.f) << 8) | (unsigned)(v.x * 255.f); }
__global__ void recursive(unsigned *id, unsigned *od, int w, int h, float a) { unsigned x = blockIdx.x * blockDim.x + threadIdx.x; if (x >= w) return; id += x; od += x; float4 yp = rgbaIntToFloat(*id); for (int y = 0; y < h; y++) { float4 c = rgbaIntToFloat(*id); yp = make_float4(c.x + a * (yp.x - c.x), c.y + a * (yp.y - c.y), c.z + a * (yp.z - c.z), c.w + a * (yp.w - c.w)); *od = rgbaFloatToInt(yp); id += w; od += w; } }
typedef struct { double S, X, vDt, pu, pd; } option; static __constant__ option d_opt[8]; static __device__ double d_call[8];
__device__ inline double expiryCall(double S, double X, double vDt, int i) { double d = S * exp(vDt * (2.0 * i - 256)) - X; return d > 0 ? d : 0; }
__global__ void binomial() { __shared__ double xch[17]; const int tid = threadIdx.x; const option o = d_opt[blockIdx.x]; double call[17]; for (int i = 0; i < 16; i++) call[i] = expiryCall(o.S, o.X, o.vDt, tid * 16 + i); if (tid == 0) xch[16] = expiryCall(o.S, o.X, o.vDt, 256); int fin = tid * 16 - 1; fin = fin < 0 ? 0 : fin;
#pragma unroll 16
    for (int i = 256; i > 0; --i) { xch[tid] = call[0]; __syncthreads(); call[16] = xch[tid + 1]; __syncthreads(); if (i > fin) for (int j = 0; j < 16; j++) call[j] = o.pu * call[j + 1] + o.pd * call[j]; } if (tid == 0) d_call[blockIdx.x] = call[0]; }
int main() {
    srand(3); { const int L = 9, N = 1 << L; float *a = um<float>(N), *b = um<float>(N); std::vector<float> h(N); for (int i = 0; i < N; i++) h[i] = a[i] = rand() % 9; fwt1<<<1, N / 4, N * 4>>>(b, a, L); for (int st = 1; st < N; st *= 2) for (int i = 0; i < N; i += 2 * st) for (int j = i; j < i + st; j++) { float x = h[j], y = h[j + st]; h[j] = x + y; h[j + st] = x - y; } cudaDeviceSynchronize(); int bad = 0; for (int i = 0; i < N; i++) bad += h[i] != b[i]; REPORT("walsh", bad); }
    { const int N = 128; float *a = um<float>(N), *o = um<float>(N), *ap = um<float>(4); std::vector<double> h(N), r(N), t(N); for (int i = 0; i < N; i++) h[i] = a[i] = (rand() % 100) * .1f; haar<<<1, N / 2, (N + N / 8) * 4>>>(a, o, ap, 7, N); for (int n = N; n > 1; n /= 2) { for (int i = 0; i < n / 2; i++) { r[n / 2 + i] = (h[2 * i] - h[2 * i + 1]) * M_SQRT1_2; t[i] = (h[2 * i] + h[2 * i + 1]) * M_SQRT1_2; } for (int i = 0; i < n / 2; i++) h[i] = t[i]; } cudaDeviceSynchronize(); int bad = fabs(ap[0] - h[0]) > 1e-3; for (int i = 1; i < N; i++) bad += fabs(o[i] - r[i]) > 1e-3; REPORT("haar", bad); }
    { const int n = 4096; unsigned char *d = um<unsigned char>(n); unsigned *p = um<unsigned>(64), h[64] = {0}; for (int i = 0; i < 64; i++) p[i] = 0; for (int i = 0; i < n; i++) h[(d[i] = rand()) >> 2]++; hist64<<<3, 64>>>(p, (uint4 *)d, n / 16); cudaDeviceSynchronize(); int bad = 0; for (int i = 0; i < 64; i++) bad += h[i] != p[i]; REPORT("histogram64", bad); }
    { const int n = 1024; unsigned *k = um<unsigned>(n), *v = um<unsigned>(n); std::vector<unsigned> h(n); for (int i = 0; i < n; i++) { h[i] = k[i] = rand() % 200; v[i] = i; } mergeShared<<<2, 256>>>(k, v, 1); cudaDeviceSynchronize(); int bad = 0; for (int i = 0; i < n; i++) { bad += h[v[i]] != k[i]; if (i % 512) bad += k[i - 1] > k[i] || (k[i - 1] == k[i] && v[i - 1] > v[i]); } REPORT("mergeSort", bad); }
    { unsigned *dir = um<unsigned>(32); float *o = um<float>(1000); for (int i = 0; i < 32; i++) dir[i] = 1u << (31 - i); sobol<<<dim3(2, 1), 64>>>(1000, 1, dir, o); cudaDeviceSynchronize(); int bad = 0; for (unsigned i = 0; i < 1000; i++) { unsigned g = i ^ (i >> 1), x = 0; for (int k = 0; k < 32; k++) if (g >> k & 1) x ^= 1u << (31 - k); bad += o[i] != x * 2.3283064365386963e-10f; } REPORT("sobol", bad); }
    { const int w = 40, h = 30; unsigned *a = um<unsigned>(w * h), *o = um<unsigned>(w * h); for (int i = 0; i < w * h; i++) a[i] = rand() * 3u; recursive<<<2, 32>>>(a, o, w, h, 0.6f); cudaDeviceSynchronize(); int bad = 0; for (int x = 0; x < w; x++) for (int c = 0; c < 32; c += 8) { double y = (a[x] >> c & 255) / 255.0; for (int r = 0; r < h; r++) { double v = (a[r * w + x] >> c & 255) / 255.0; y = v + 0.6 * (y - v); bad += fabs(y * 255 - (int)(o[r * w + x] >> c & 255) - 0.5) > 0.51; } } REPORT("recursive", bad); }
    { option o[8]; for (int i = 0; i < 8; i++) { double S = 20 + i, X = 18 + 2 * i, T = 1, R = .02, V = .3, dt = T / 256, vDt = V * sqrt(dt), u = exp(vDt), d = exp(-vDt), If = exp(R * dt), pu = (If - d) / (u - d); o[i] = {S, X, vDt, pu / If, (1 - pu) / If}; } cudaMemcpyToSymbol(d_opt, o, sizeof o); binomial<<<8, 16>>>(); double c[8]; cudaMemcpyFromSymbol(c, d_call, sizeof c); int bad = 0; for (int i = 0; i < 8; i++) { double v[257]; for (int j = 0; j <= 256; j++) v[j] = std::max(o[i].S * exp(o[i].vDt * (2.0 * j - 256)) - o[i].X, 0.0); for (int s = 256; s > 0; s--) for (int j = 0; j < s; j++) v[j] = o[i].pu * v[j + 1] + o[i].pd * v[j]; bad += fabs(v[0] - c[i]) > 1e-9; } REPORT("binomial", bad); }
    puts(total ? "FAIL" : "PASS"); return total != 0;
}
