/* What warps wait for: small kernels, one cause of time each. Output: name,us: the shortest of four launches, by events. The first word
 * of a name is the cause: A shared atomics that are loops, B fences, C printf, D compare-and-swaps of one word, E constants, F code larger
 * than instruction caches, G results of instructions, H loads of few blocks. usage: waits [CAUSE]; EMULATED=1: one launch each. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define CK(x) do { cudaError_t e = (x); if (e) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
static int emulated;
static const char *only;
template <class F> static void timed(const char *name, F launch)
{
    if (only && strncmp(name, only, strlen(only))) return;
    cudaEvent_t a, b; CK(cudaEventCreate(&a)); CK(cudaEventCreate(&b));
    if (!emulated) launch();
    CK(cudaDeviceSynchronize());
    float best = 1e30f;
    for (int r = 0; r < (emulated ? 1 : 4); r++) {
        CK(cudaEventRecord(a)); launch(); CK(cudaEventRecord(b)); CK(cudaEventSynchronize(b));
        float ms; CK(cudaEventElapsedTime(&ms, a, b)); if (ms < best) best = ms;
    }
    printf("%s,%.3f\n", name, best * 1e3f); fflush(stdout);
}
/* ---- A: shared atomics that are loops */
template <class T, int PATTERN> __global__ void shared_add(T *out, int n)
{
    __shared__ T s[1024];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    s[threadIdx.x] = 0; __syncthreads();
    int at = PATTERN == 0 ? 0 : PATTERN == 1 ? l : PATTERN == 2 ? w : w * 32 + l;
    for (int k = 0; k < n; k++) atomicAdd(&s[at], (T)(k + 1));
    __syncthreads(); out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}
/* ---- B: fences */
__global__ void fence(volatile float *p, int n, int store, int lanes)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if ((int)(threadIdx.x % 32) >= lanes) return;
    for (int k = 0; k < n; k++) { if (store) p[i] = k; __threadfence(); }
}
/* ---- C: printf */
__global__ void print1(int n, int lanes) { if ((int)(threadIdx.x % 32) < lanes) for (int k = 0; k < n; k++) printf("%d\n", k); }
__global__ void print8(int n, int lanes) { if ((int)(threadIdx.x % 32) < lanes) for (int k = 0; k < n; k++) printf("%d %d %d %d %d %d %d %d\n", k, n, k, n, k, n, k, n); }
/* ---- D: compare-and-swap loops on one word */
__global__ void cas_max(int *p, const int *v) { int mine = v[blockIdx.x * blockDim.x + threadIdx.x], old = *(volatile int *)p;
    while (mine > old) { int seen = atomicCAS(p, old, mine); if (seen == old) break; old = seen; } }
__global__ void cas_add(int *p, const int *v) { int mine = v[blockIdx.x * blockDim.x + threadIdx.x], old = *(volatile int *)p, seen;
    do { seen = old; old = atomicCAS(p, seen, seen + mine); } while (old != seen); }
__global__ void lock_add(int *p, const int *v) { if (threadIdx.x % 32 == 0) { while (atomicCAS(p, 0, 1)) ; p[64] += v[0]; __threadfence(); atomicExch(p, 0); } }
__global__ void word_max(int *p, const int *v) { atomicMax(p, v[blockIdx.x * blockDim.x + threadIdx.x]); }
/* ---- E: constants */
__constant__ int table[8192];
__global__ void const_loop(int *out, int n, int size) { int s = 0; for (int k = 0; k < n; k++) s += table[(k * 4) & (size - 1)]; out[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void const_lanes(int *out, int n, int size) { int s = 0; for (int k = 0; k < n; k++) s += table[(k + threadIdx.x * 4) & (size - 1)]; out[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void const_straight(int *out) { int s = 0;
#pragma unroll
    for (int k = 0; k < 1024; k++) s += table[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s; }
/* ---- F: code that is larger than instruction caches */
template <int N> __global__ void straight(float *out, int n, float a)
{
    float x0 = threadIdx.x, x1 = a, x2 = a + 1, x3 = a + 2;
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int j = 0; j < N / 4; j++) { x0 = x0 * a + (j + 0.5f); x1 = x1 * a + (j + 1.5f); x2 = x2 * a + (j + 2.5f); x3 = x3 * a + (j + 3.5f); }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3;
}
/* ---- G: what a warp waits for */
__global__ void g_fma(float *out, int n, float a) { float x = a; for (int k = 0; k < n; k++) x = x * a + x; out[threadIdx.x] = x; }
__global__ void g_fdiv(float *out, int n, float a) { float x = a; for (int k = 0; k < n; k++) x = a / (x + 1); out[threadIdx.x] = x; }
__global__ void g_sqrt(float *out, int n, float a) { float x = a; for (int k = 0; k < n; k++) x = sqrtf(x + 2); out[threadIdx.x] = x; }
__global__ void g_exp(float *out, int n, float a) { float x = a; for (int k = 0; k < n; k++) x = expf(-x); out[threadIdx.x] = x; }
__global__ void g_sin(float *out, int n, float a) { float x = a; for (int k = 0; k < n; k++) x = sinf(x); out[threadIdx.x] = x; }
__global__ void g_dadd(double *out, int n, double a) { double x = a; for (int k = 0; k < n; k++) x = x * a + x; out[threadIdx.x] = x; }
__global__ void g_ddiv(double *out, int n, double a) { double x = a; for (int k = 0; k < n; k++) x = a / (x + 1); out[threadIdx.x] = x; }
__global__ void g_imod(int *out, int n, int m) { int x = n; for (int k = 0; k < n; k++) x = (x + 77777) % m; out[threadIdx.x] = x; }
__global__ void g_lmod(long long *out, int n, long long m) { long long x = n; for (int k = 0; k < n; k++) x = (x + 77777) % m; out[threadIdx.x] = x; }
__global__ void g_while(int *out, int n, int m) { int x = threadIdx.x, c = 0; while (c < n) { if ((x & 3) == 1) x = x * 3 + m; else x = (x >> 1) + c; c++; } out[threadIdx.x] = x; }
__global__ void g_load1(float *out, const float *p, int n) { float s = 0; for (int k = 0; k < n; k++) s += p[(k & 255) * 32 + threadIdx.x % 32]; out[threadIdx.x] = s; }
__global__ void g_load_dep(int *out, const int *p, int n) { int x = threadIdx.x % 32; for (int k = 0; k < n; k++) x = p[x]; out[threadIdx.x] = x; }
__global__ void g_load_if(int *out, const int *p, int n) { int s = 0, x = threadIdx.x % 32; for (int k = 0; k < n; k++) { int v = p[(k & 63) * 32 + x]; if (v > s) s = v + k; else s += 3; } out[threadIdx.x] = s; }
__global__ void g_load_store(int *out, int *p, int n) { int x = threadIdx.x; for (int k = 0; k < n; k++) p[x] = p[x] + k; out[threadIdx.x] = p[x]; }
__global__ void g_shared_bar(int *out, int n) { __shared__ int s[2048]; s[threadIdx.x] = threadIdx.x; __syncthreads();
    for (int k = 0; k < n; k++) { int v = s[(threadIdx.x + 1) % blockDim.x] + s[(threadIdx.x + 33) % blockDim.x]; __syncthreads(); s[threadIdx.x] = v; __syncthreads(); } out[threadIdx.x] = s[threadIdx.x]; }
__global__ void g_one_warp_bar(int *out, int n) { __shared__ int s[2048]; s[threadIdx.x] = threadIdx.x; __syncthreads();
    for (int k = 0; k < n; k++) { if (threadIdx.x < 32) s[threadIdx.x] = s[threadIdx.x + 32] + s[threadIdx.x + 64] + 1; __syncthreads(); } out[threadIdx.x] = s[threadIdx.x]; }
__global__ void g_shared_dep(int *out, int n) { __shared__ int s[1024]; s[threadIdx.x] = (threadIdx.x + 5) % 32; __syncthreads(); int x = threadIdx.x % 32; for (int k = 0; k < n; k++) x = s[x]; out[threadIdx.x] = x; }
__global__ void g_shfl(int *out, int n) { int x = threadIdx.x; for (int k = 0; k < n; k++) x += __shfl_xor_sync(~0u, x, 1 + (k & 15)); out[threadIdx.x] = x; }
__global__ void g_ballot(int *out, int n) { int x = threadIdx.x; for (int k = 0; k < n; k++) x += __ballot_sync(~0u, x & 1); out[threadIdx.x] = x; }
__global__ void g_local(int *out, int n) { int a[64]; for (int k = 0; k < 64; k++) a[k] = k ^ threadIdx.x; int x = threadIdx.x % 64; for (int k = 0; k < n; k++) { x = a[x & 63]; a[(x + k) & 63] = k; } out[threadIdx.x] = x; }
__noinline__ __device__ int callee(int x, int k) { return x * k + (x >> 3); }
__global__ void g_call(int *out, int n) { int x = threadIdx.x; for (int k = 0; k < n; k++) x = callee(x, k); out[threadIdx.x] = x; }
/* ---- H: few blocks read much memory */
template <int U> __global__ void few(float *out, const float *p, size_t n, int stride) { float s = 0; size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x);
    for (int k = 0; k < (int)n; k += U) {
#pragma unroll
        for (int u = 0; u < U; u++) s += p[(i + (size_t)(k + u) * stride) & ((size_t)(16 << 20) - 1)]; }
    out[i] = s; }
int main(int argc, char **argv)
{
    emulated = getenv("EMULATED") != NULL; only = argc > 1 ? argv[1] : NULL;
    char *mem; int n, N; CK(cudaMalloc(&mem, 1 << 28)); CK(cudaMemset(mem, 0, 1 << 28)); char *out = mem + (1 << 27);
    char name[99];
    for (int b : {1, 132, 528}) for (int w : {1, 2, 8, 32}) {
#define A(T, P) sprintf(name, "A " #T " pattern " #P " blocks %d warps %d", b, w); timed(name, [&] { shared_add<T, P><<<b, 32 * w>>>((T *)mem, 64); });
        A(float, 0) A(float, 1) A(float, 2) A(float, 3) A(double, 0) A(double, 1) A(double, 3)
    }
    for (int b : {1, 132, 1056}) for (int w : {1, 8}) for (int st : {0, 1}) for (int l : {1, 32}) { sprintf(name, "B fence store %d lanes %d blocks %d warps %d", st, l, b, w); timed(name, [&] { fence<<<b, 32 * w>>>((float *)mem, 64, st, l); }); }
    for (int b : {1, 24, 132}) for (int w : {1, 2, 8}) for (int l : {1, 32}) { if (b * w * l > 20000) continue;
        sprintf(name, "C print1 lanes %d blocks %d warps %d", l, b, w); timed(name, [&] { print1<<<b, 32 * w>>>(1, l); });
        sprintf(name, "C print8 lanes %d blocks %d warps %d", l, b, w); timed(name, [&] { print8<<<b, 32 * w>>>(1, l); }); }
    int *h = (int *)malloc(4 << 18), *v = (int *)(mem + 4096);
    for (int order = 0; order < 3; order++) for (n = 1024; n <= 1 << 18; n *= 16) {
        for (int k = 0; k < n; k++) h[k] = order == 0 ? k + 1 : order == 1 ? n - k : (int)((k * 2654435761u >> 8) & 0xffffff);
        CK(cudaMemcpy(v, h, 4 * n, cudaMemcpyHostToDevice));
        sprintf(name, "D cas_max order %d threads %d", order, n); timed(name, [&] { cudaMemsetAsync(mem, 0, 4); cas_max<<<n / 256, 256>>>((int *)mem, v); });
        sprintf(name, "D word_max order %d threads %d", order, n); timed(name, [&] { cudaMemsetAsync(mem, 0, 4); word_max<<<n / 256, 256>>>((int *)mem, v); });
        if (n > 1 << 14 || order) continue;
        sprintf(name, "D cas_add threads %d", n); timed(name, [&] { cudaMemsetAsync(mem, 0, 4); cas_add<<<n / 256, 256>>>((int *)mem, v); });
        sprintf(name, "D lock_add threads %d", n); timed(name, [&] { cudaMemsetAsync(mem, 0, 4); lock_add<<<n / 256, 256>>>((int *)mem, v); });
    }
    for (int s : {256, 2048, 8192}) for (int w : {1, 8}) { int *o = (int *)out;
        sprintf(name, "E const_loop words %d warps %d", s, w); timed(name, [&] { const_loop<<<528, 32 * w>>>(o, 1024, s); });
        sprintf(name, "E const_lanes words %d warps %d", s, w); timed(name, [&] { const_lanes<<<528, 32 * w>>>(o, 256, s); }); }
    timed("E const_straight 1056x8", [&] { const_straight<<<1056, 256>>>((int *)out); });
    timed("E const_straight 16384x8", [&] { const_straight<<<16384, 256>>>((int *)out); });
    for (int b : {1, 132}) for (int w : {1, 8, 32}) { float *o = (float *)out;
#define F(NN) sprintf(name, "F straight " #NN " blocks %d warps %d", b, w); timed(name, [&] { straight<NN><<<b, 32 * w>>>(o, 65536 / NN, 1.0001f); });
        F(512) F(2048) F(4096) F(8192) F(16384) F(32768) }
    n = 1024; N = n;
    for (int w : {1, 4, 16}) { int t = 32 * w, *o = (int *)out; float *f = (float *)out; double *d = (double *)out;
#define G(K, ...) sprintf(name, "G " #K " warps %d", w); timed(name, [&] { K<<<1, t>>>(__VA_ARGS__); });
        G(g_fma, f, N, 1.0001f) G(g_fdiv, f, N, 1.5f) G(g_sqrt, f, N, 1.5f) G(g_exp, f, N, 1.5f) G(g_sin, f, N, 1.5f) G(g_dadd, d, N, 1.0001) G(g_ddiv, d, N, 1.5)
        G(g_imod, o, N, 12345) G(g_lmod, (long long *)out, N, 12345) G(g_while, o, N, 7) G(g_load1, f, (float *)mem, N) G(g_load_dep, o, (int *)mem, N) G(g_load_if, o, (int *)mem, N)
        G(g_load_store, o, (int *)mem, N) G(g_shared_bar, o, N) G(g_one_warp_bar, o, N) G(g_shared_dep, o, N) G(g_shfl, o, N) G(g_ballot, o, N) G(g_local, o, N) G(g_call, o, N) }
    for (int b : {1, 8, 32}) for (int w : {1, 8}) { float *o = (float *)out, *p = (float *)mem;
#define H(U, S, NAME) sprintf(name, "H few " #U " " NAME " blocks %d warps %d", b, w); timed(name, [&] { few<U><<<b, 32 * w>>>(o, p, 1024, S); });
        H(1, b * w * 32, "rows") H(4, b * w * 32, "rows") H(16, b * w * 32, "rows") H(1, 40032, "far") H(4, 40032, "far") H(16, 40032, "far") }
    return 0;
}
