/* turns: what a warp waits for in chains and loops, cycles by clock64 a turn; locks. Prints "case,blocks,warps of a block,cycles a turn". */
#include <cstdio>
#include <cstdint>
#define TURNS 512
__device__ double table[64];
__device__ float sink_f[4096 * 64];
__device__ double sink_d[4096 * 64];
__device__ int sink_i[4096 * 64];
__device__ long long spent[1024];
#define BEGIN __syncthreads(); long long begin = clock64();
#define END __syncthreads(); if (threadIdx.x == 0) spent[blockIdx.x] = clock64() - begin;
__global__ void dfma_chain(double a, double b) { double x = threadIdx.x; BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) {
#pragma unroll
        for (int j = 0; j < 16; j++) x = x * a + b; } END sink_d[blockIdx.x * blockDim.x + threadIdx.x] = x; }
__global__ void dadd_chain(double a, double b) { double x = threadIdx.x; BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) {
#pragma unroll
        for (int j = 0; j < 16; j++) x = x + a; } END sink_d[blockIdx.x * blockDim.x + threadIdx.x] = x; }
__global__ void convert_double(double a, double b) { double x = threadIdx.x; BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) {
#pragma unroll
        for (int j = 0; j < 8; j++) x = (double)__double2int_rn(x); } END sink_d[blockIdx.x * blockDim.x + threadIdx.x] = x; }
__global__ void table_double(double a, double b) { double x = threadIdx.x; int at = threadIdx.x & 8; BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) { double2 v = __ldg((const double2 *)(table + at)); at = __double2loint(v.x) & 8; x += v.y; }
    END sink_d[blockIdx.x * blockDim.x + threadIdx.x] = x; }
__global__ void sin_double(double a, double b) { double x = 0, s = 0; double w = a * threadIdx.x; BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) { s += sin(x * w); x += 1; } END sink_d[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void sin_cos_double(double a, double b) { double x = 0, s = 0; double w = a * threadIdx.x; BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) { s += sin(x * w) * b; s += cos(x * w); x += 1; } END sink_d[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void branch_double(double a, double b) { double x = threadIdx.x, s = 0; BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) { x = x * a + b; if (fabs(x) > 1e300) { s += sqrt(x); __nanosleep(1); } } END sink_d[blockIdx.x * blockDim.x + threadIdx.x] = x + s; }
/* the smallest loop: the bound in a register, so that nothing is unrolled */
__global__ void loop_least(float a, int step, int n) { float s = 0; int i = threadIdx.x; BEGIN
#pragma unroll 1
    for (; i < n; i += step) s += a; END sink_f[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void loop_four(float a, int step, int n) { float s = 1; int i = threadIdx.x; BEGIN
#pragma unroll 1
    for (; i < n; i += step) { s = s * a + a; s = s * a + a; s = s * a + a; s = s * a + a; } END sink_f[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void loop_sixteen(float a, int step, int n) { float s = 1; int i = threadIdx.x; BEGIN
#pragma unroll 1
    for (; i < n; i += step) {
#pragma unroll
        for (int j = 0; j < 16; j++) s = s * a + a; } END sink_f[blockIdx.x * blockDim.x + threadIdx.x] = s; }
/* if: a branch over one store-free block that some warps take */
__global__ void loop_if(float a, int step, int n) { float s = 1; int i = threadIdx.x; BEGIN
#pragma unroll 1
    for (; i < n; i += step) { if (s < 0) { s = sqrtf(-s); __nanosleep(1); } s = s * a + a; } END sink_f[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void loop_int(int a, int step, int n) { int s = 1, i = threadIdx.x; BEGIN
#pragma unroll 1
    for (; i < n; i += step) s = (s ^ i) + a; END sink_i[blockIdx.x * blockDim.x + threadIdx.x] = s; }
/* registers of products and sums: the same each time; all change; one of two shared */
__global__ void ffma_same(const float *p) { float x = p[threadIdx.x], a = p[1], b = p[2]; BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) {
#pragma unroll
        for (int j = 0; j < 16; j++) x = x * a + b; } END sink_f[blockIdx.x * blockDim.x + threadIdx.x] = x; }
__global__ void ffma_change(const float *p) { float x = p[threadIdx.x], y = p[1], z = p[2]; BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) {
#pragma unroll
        for (int j = 0; j < 6; j++) { x = x * y + z; y = x * y + z; z = x * y + z; } } END sink_f[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z; }
__global__ void ffma_tile(const float *p) { float c[16], a[4], b[4];
    for (int i = 0; i < 4; i++) a[i] = p[i], b[i] = p[4 + i];
    for (int i = 0; i < 16; i++) c[i] = p[threadIdx.x + i];
    BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) {
#pragma unroll
        for (int i = 0; i < 16; i++) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(c[i]) : "f"(a[i / 4]), "f"(b[i % 4])); }
    END float s = 0; for (int i = 0; i < 16; i++) s += c[i]; sink_f[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void ffma_dots(const float *p) { float c = 0, a[8], b[8];
    for (int i = 0; i < 8; i++) a[i] = p[threadIdx.x + i], b[i] = p[threadIdx.x + 8 + i];
    BEGIN
#pragma unroll 1
    for (int k = 0; k < TURNS; k++) {
#pragma unroll
        for (int i = 0; i < 8; i++) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(c) : "f"(a[i]), "f"(b[i])); }
    END sink_f[blockIdx.x * blockDim.x + threadIdx.x] = c; }
__device__ int mutex_word, counted, other_word[64];
__global__ void lock_plain(void) { BEGIN if (threadIdx.x == 0) { while (atomicCAS(&mutex_word, 0, 1)); counted = counted + 1; atomicExch(&mutex_word, 0); } END }
__global__ void lock_fenced(void) { BEGIN if (threadIdx.x == 0) { while (atomicCAS(&mutex_word, 0, 1)); __threadfence(); counted = counted + 1; __threadfence(); atomicExch(&mutex_word, 0); } END }
static void show(const char *name, int blocks, int warps, double turns)
{
    cudaError_t e = cudaDeviceSynchronize();
    if (e) { printf("%s,%d,%d,%s\n", name, blocks, warps, cudaGetErrorString(e)); exit(1); }
    static long long all[1024]; double sum = 0;
    cudaMemcpyFromSymbol(all, spent, sizeof all);
    for (int k = 0; k < blocks && k < 1024; k++) sum += all[k];
    printf("%s,%d,%d,%.2f\n", name, blocks, warps, sum / (blocks < 1024 ? blocks : 1024) / turns);
}
int main()
{
    float *p; cudaMalloc(&p, 1 << 20); cudaMemset(p, 0, 1 << 20);
    printf("# case, blocks, warps of a block, cycles a turn (ffma_same, dfma_chain, dadd_chain: 16 each; convert: 8 pairs; change: 18; tile: 16; dots: 8)\n");
    int warps[] = {1, 2, 4, 8, 16, 32};
    for (int w : warps) for (int r = 0; r < 2; r++) {
        int t = 32 * w;
#define DO(name, turns, ...) name<<<1, t>>>(__VA_ARGS__); if (r) show(#name, 1, w, turns);
        DO(dfma_chain, TURNS, 0.9, 0.1) DO(dadd_chain, TURNS, 0.9, 0.1) DO(convert_double, TURNS, 0.9, 0.1) DO(table_double, TURNS, 0.9, 0.1)
        DO(sin_double, TURNS, 0.9, 0.1) DO(sin_cos_double, TURNS, 0.9, 0.1) DO(branch_double, TURNS, 0.9, 0.1)
        DO(loop_least, 4096, 1.5f, t, t * 4096) DO(loop_four, 4096, 0.5f, t, t * 4096) DO(loop_sixteen, 4096, 0.5f, t, t * 4096)
        DO(loop_if, 4096, 0.5f, t, t * 4096) DO(loop_int, 4096, 3, t, t * 4096)
        DO(ffma_same, TURNS, p) DO(ffma_change, TURNS, p) DO(ffma_tile, TURNS, p) DO(ffma_dots, TURNS, p)
    }
    int many[] = {1, 16, 32, 132, 264, 512};
    for (int b : many) for (int r = 0; r < 2; r++) { int t = 1024, w = 32;
        cudaEvent_t x, y; cudaEventCreate(&x); cudaEventCreate(&y); float ms;
        for (int f = 0; f < 2; f++) { cudaEventRecord(x); if (f) lock_fenced<<<b, t>>>(); else lock_plain<<<b, t>>>(); cudaEventRecord(y); cudaDeviceSynchronize();
            cudaEventElapsedTime(&ms, x, y); if (r) printf("%s,%d,%d,%.1f ns a block\n", f ? "lock_fenced" : "lock_plain", b, w, ms * 1e6 / b); } }
    return 0;
}
