/* kernels: kernels at sizes that a GPU is used for, to compare caches, DRAM and time with what a card measures.
 *
 *   kernels list               names, one a line: CASE GROUP FOOTPRINT_BYTES
 *   kernels time [CASE...]     CASE,microseconds: median of 11 launches, each timed by events, after one that is not
 *   kernels run N [CASE...]    launches each case N times, for a profiler; kernels whose names begin with setup_ are not
 *                              part of a case
 *
 * A case is a row of cases[]; its group is what it stresses. Every buffer holds values that make the work defined. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef unsigned int u32;
typedef unsigned long long u64;

/* ---------------------------------------------------------------- buffers */
static char *pool; /* one allocation; cases take parts of it */
static size_t pool_bytes, pool_used;

static void *take(size_t bytes)
{
    void *p = pool + pool_used;
    pool_used += (bytes + 511) / 512 * 512;
    if (pool_used > pool_bytes) {
        fprintf(stderr, "the pool of %zu bytes is too small\n", pool_bytes);
        exit(1);
    }
    return p;
}

__host__ __device__ static u32 mix(u32 x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void setup_floats(float *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (float)(mix((u32)i) & 1023) / 1024.0f;
}

__global__ void setup_doubles(double *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (double)(mix((u32)i) & 1023) / 1024.0;
}

/* Numbers below limit, by chance. */
__global__ void setup_indices(u32 *p, size_t n, u32 limit)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = mix((u32)i * 2654435761u + 12345u) % limit;
}

/* A ring of words `stride` apart: each holds the index of the next. */
__global__ void setup_ring(u32 *p, u32 n, u32 stride)
{
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = (i + stride) % n;
}

/* Rows of a sparse matrix: 4 to 60 entries each, 32 in the mean. */
__global__ void setup_rows(u32 *begin, u32 rows)
{
    for (u32 r = blockIdx.x * blockDim.x + threadIdx.x; r <= rows; r += gridDim.x * blockDim.x)
        begin[r] = r * 32 + (r && r < rows ? mix(r) % 28 : 0);
}

static float *floats(size_t n)
{
    float *p = (float *)take(n * sizeof *p);
    setup_floats<<<1024, 256>>>(p, n);
    return p;
}

static double *doubles(size_t n)
{
    double *p = (double *)take(n * sizeof *p);
    setup_doubles<<<1024, 256>>>(p, n);
    return p;
}

static u32 *indices(size_t n, u32 limit)
{
    u32 *p = (u32 *)take(n * sizeof *p);
    setup_indices<<<1024, 256>>>(p, n, limit);
    return p;
}

static u32 *words(size_t n)
{
    u32 *p = (u32 *)take(n * sizeof *p);
    CHECK(cudaMemset(p, 0, n * sizeof *p));
    return p;
}

/* ---------------------------------------------------------------- streaming */
__global__ void copy_scalar(float *out, const float *in, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

__global__ void copy_vector(float4 *out, const float4 *in, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        out[i] = in[i];
}

__global__ void triad(float *a, const float *b, const float *c, float s, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] + s * c[i];
}

__global__ void fill(float *out, float value, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}

__global__ void sum(float *out, const float *in, size_t n)
{
    __shared__ float part[32];
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        s += in[i];
    for (int k = 16; k; k /= 2) s += __shfl_down_sync(~0u, s, k);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int k = 16; k; k /= 2) s += __shfl_down_sync(~0u, s, k);
        if (!threadIdx.x) atomicAdd(out, s);
    }
}

__global__ void strided(float *out, const float *in, u32 stride, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * stride];
}

__global__ void offset_copy(float *out, const float *in, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i + 1 < n) out[i] = in[i + 1];
}

/* ---------------------------------------------------------------- transposes */
__global__ void transpose_read(float *out, const float *in, u32 n)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x;
    u32 y = blockIdx.y * blockDim.y + threadIdx.y;
    out[(size_t)x * n + y] = in[(size_t)y * n + x];
}

__global__ void transpose_write(float *out, const float *in, u32 n)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x;
    u32 y = blockIdx.y * blockDim.y + threadIdx.y;
    out[(size_t)y * n + x] = in[(size_t)x * n + y];
}

template <int PAD> __global__ void transpose_tile(float *out, const float *in, u32 n)
{
    __shared__ float tile[32][32 + PAD];
    u32 x = blockIdx.x * 32 + threadIdx.x;
    u32 y = blockIdx.y * 32 + threadIdx.y;
    for (u32 k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (u32 k = 0; k < 32; k += 8) out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

/* ---------------------------------------------------------------- matrices */
__global__ void matmul_naive(float *c, const float *a, const float *b, u32 n)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x;
    u32 y = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (u32 k = 0; k < n; k++) s += a[(size_t)y * n + k] * b[(size_t)k * n + x];
    c[(size_t)y * n + x] = s;
}

template <int T> __global__ void matmul_tile(float *c, const float *a, const float *b, u32 n)
{
    __shared__ float as[T][T], bs[T][T];
    u32 x = blockIdx.x * T + threadIdx.x;
    u32 y = blockIdx.y * T + threadIdx.y;
    float s = 0;
    for (u32 k = 0; k < n; k += T) {
        as[threadIdx.y][threadIdx.x] = a[(size_t)y * n + k + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(size_t)(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int j = 0; j < T; j++) s += as[threadIdx.y][j] * bs[j][threadIdx.x];
        __syncthreads();
    }
    c[(size_t)y * n + x] = s;
}

/* 64 x 64 of a block of 256 threads, 4 x 4 of a thread. */
__global__ void matmul_registers(float *c, const float *a, const float *b, u32 n)
{
    __shared__ float as[16][64 + 4], bs[16][64];
    u32 tx = threadIdx.x % 16;
    u32 ty = threadIdx.x / 16;
    float s[4][4] = {};
    for (u32 k = 0; k < n; k += 16) {
        for (u32 i = threadIdx.x; i < 1024; i += 256) {
            as[i % 16][i / 16] = a[(size_t)(blockIdx.y * 64 + i / 16) * n + k + i % 16];
            bs[i / 64][i % 64] = b[(size_t)(k + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
        for (u32 j = 0; j < 16; j++)
            for (u32 p = 0; p < 4; p++)
                for (u32 q = 0; q < 4; q++) s[p][q] += as[j][ty * 4 + p] * bs[j][tx * 4 + q];
        __syncthreads();
    }
    for (u32 p = 0; p < 4; p++)
        for (u32 q = 0; q < 4; q++)
            c[(size_t)(blockIdx.y * 64 + ty * 4 + p) * n + blockIdx.x * 64 + tx * 4 + q] = s[p][q];
}

__global__ void matvec(float *y, const float *a, const float *x, u32 n)
{
    u32 row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    u32 lane = threadIdx.x % 32;
    float s = 0;
    for (u32 k = lane; k < n; k += 32) s += a[(size_t)row * n + k] * x[k];
    for (int k = 16; k; k /= 2) s += __shfl_down_sync(~0u, s, k);
    if (!lane) y[row] = s;
}

/* ---------------------------------------------------------------- stencils */
__global__ void stencil_1d(float *out, const float *in, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x + 4;
    if (i + 4 >= n) return;
    float s = 0;
    for (int k = -4; k <= 4; k++) s += in[i + k];
    out[i] = s;
}

__global__ void stencil_2d(float *out, const float *in, u32 n)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    u32 y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x + 1 >= n || y + 1 >= n) return;
    size_t i = (size_t)y * n + x;
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

__global__ void stencil_2d_shared(float *out, const float *in, u32 n)
{
    __shared__ float tile[18][34];
    u32 x0 = blockIdx.x * 32;
    u32 y0 = blockIdx.y * 16;
    for (u32 i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
        u32 x = min(x0 + i % 34, n - 1);
        u32 y = min(y0 + i / 34, n - 1);
        tile[i / 34][i % 34] = in[(size_t)y * n + x];
    }
    __syncthreads();
    u32 x = x0 + threadIdx.x + 1;
    u32 y = y0 + threadIdx.y + 1;
    if (x + 1 >= n || y + 1 >= n) return;
    u32 i = threadIdx.y + 1;
    u32 j = threadIdx.x + 1;
    out[(size_t)y * n + x] = 0.2f * (tile[i][j] + tile[i][j - 1] + tile[i][j + 1] + tile[i - 1][j] + tile[i + 1][j]);
}

__global__ void stencil_3d(float *out, const float *in, u32 n)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    u32 y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x + 1 >= n || y + 1 >= n) return;
    size_t plane = (size_t)n * n;
    for (u32 z = 1; z + 1 < n; z++) {
        size_t i = z * plane + (size_t)y * n + x;
        out[i] = in[i] * 0.4f + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane]);
    }
}

/* ---------------------------------------------------------------- gathers, scatters, sparse */
__global__ void gather(float *out, const float *in, const u32 *index, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}

__global__ void scatter(float *out, const float *in, const u32 *index, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[index[i]] = in[i];
}

__global__ void spmv_scalar(float *y, const u32 *begin, const u32 *column, const float *value, const float *x, u32 rows)
{
    u32 r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (u32 k = begin[r]; k < begin[r + 1]; k++) s += value[k] * x[column[k]];
    y[r] = s;
}

__global__ void spmv_vector(float *y, const u32 *begin, const u32 *column, const float *value, const float *x, u32 rows)
{
    u32 r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    u32 lane = threadIdx.x % 32;
    if (r >= rows) return;
    float s = 0;
    for (u32 k = begin[r] + lane; k < begin[r + 1]; k += 32) s += value[k] * x[column[k]];
    for (int k = 16; k; k /= 2) s += __shfl_down_sync(~0u, s, k);
    if (!lane) y[r] = s;
}

__global__ void chase(u32 *out, const u32 *ring, u32 steps)
{
    u32 at = threadIdx.x;
    for (u32 k = 0; k < steps; k++) at = ring[at];
    out[threadIdx.x] = at;
}

/* ---------------------------------------------------------------- atomics */
__global__ void histogram_global(u32 *bins, const u32 *in, u32 n)
{
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1);
}

__global__ void histogram_shared(u32 *bins, const u32 *in, u32 n)
{
    __shared__ u32 mine[256];
    for (u32 i = threadIdx.x; i < 256; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    for (u32 i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], mine[i]);
}

__global__ void atomic_float(float *out, const float *in, const u32 *index, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[index[i]], in[i]);
}

__global__ void atomic_ticket(u32 *counter, u32 *out, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = atomicAdd(counter + (i & 1), i);
}

/* ---------------------------------------------------------------- arithmetic */
template <class T, int CHAINS> __global__ void fma_chains(T *out, T a, T b, int steps)
{
    T x[CHAINS];
    for (int c = 0; c < CHAINS; c++) x[c] = (T)(threadIdx.x + c);
    for (int k = 0; k < steps; k++)
        for (int c = 0; c < CHAINS; c++) x[c] = x[c] * a + b;
    T s = 0;
    for (int c = 0; c < CHAINS; c++) s += x[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void special(float *out, int steps)
{
    float x = threadIdx.x * 0.001f;
    for (int k = 0; k < steps; k++) x = __sinf(x) + __expf(-x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void integer_mix(u32 *out, int steps)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < steps; k++) x = mix(x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void divide(float *out, const float *in, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i] + 1.0f;
    for (int k = 0; k < 16; k++) x = sqrtf(1.0f + 1.0f / x);
    out[i] = x;
}

__global__ void black_scholes(float *call, const float *price, const float *strike, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = price[i] * 30 + 1, x = strike[i] * 100 + 1;
    float d1 = (logf(s / x) + 0.065f) / 0.3f;
    float d2 = d1 - 0.3f;
    call[i] = s * normcdff(d1) - x * expf(-0.02f) * normcdff(d2);
}

__global__ void nbody(float4 *out, const float4 *in, u32 n)
{
    __shared__ float4 tile[256];
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float4 p = in[i];
    float ax = 0, ay = 0, az = 0;
    for (u32 t = 0; t < n; t += 256) {
        tile[threadIdx.x] = in[t + threadIdx.x];
        __syncthreads();
        for (u32 j = 0; j < 256; j++) {
            float dx = tile[j].x - p.x, dy = tile[j].y - p.y, dz = tile[j].z - p.z;
            float d = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = tile[j].w * d * d * d;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, 0);
}

/* ---------------------------------------------------------------- divergence */
__global__ void mandelbrot(u32 *out, u32 n)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x;
    u32 y = blockIdx.y * blockDim.y + threadIdx.y;
    float cr = x * 3.0f / n - 2.0f, ci = y * 3.0f / n - 1.5f, zr = 0, zi = 0;
    u32 k = 0;
    while (k < 256 && zr * zr + zi * zi < 4) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        k++;
    }
    out[(size_t)y * n + x] = k;
}

__global__ void collatz(u32 *out, u32 n)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 v = i + 1;
    u32 k = 0;
    while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        k++;
    }
    out[i] = k;
}

__global__ void two_ways(float *out, int steps)
{
    float x = threadIdx.x;
    if (threadIdx.x & 1)
        for (int k = 0; k < steps; k++) x = x * 0.999f + 1;
    else
        for (int k = 0; k < steps; k++) x = x * 1.001f - 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* ---------------------------------------------------------------- shared memory, blocks */
template <int STRIDE> __global__ void banks(float *out, int steps)
{
    __shared__ float s[32 * 32];
    for (u32 i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = i;
    __syncthreads();
    float x = 0;
    u32 at = threadIdx.x % 32 * STRIDE;
    for (int k = 0; k < steps; k++) {
        x += s[at % 1024];
        at += 1 + (int)x % 2;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void scan_blocks(u32 *out, const u32 *in)
{
    __shared__ u32 s[2][1024];
    u32 t = threadIdx.x;
    u32 from = 0;
    s[0][t] = in[blockIdx.x * 1024 + t];
    __syncthreads();
    for (u32 d = 1; d < 1024; d *= 2) {
        s[!from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = !from;
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = s[from][t];
}

__global__ void barriers(u32 *out, int steps)
{
    __shared__ u32 s;
    if (!threadIdx.x) s = 0;
    for (int k = 0; k < steps; k++) {
        __syncthreads();
        if (threadIdx.x == k % blockDim.x) s += k;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void softmax_rows(float *out, const float *in, u32 columns)
{
    __shared__ float part[8];
    const float *row = in + (size_t)blockIdx.x * columns;
    float most = -1e30f;
    for (u32 k = threadIdx.x; k < columns; k += 256) most = fmaxf(most, row[k]);
    for (int k = 16; k; k /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, k));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
    __syncthreads();
    for (int k = 0; k < 8; k++) most = fmaxf(most, part[k]);
    __syncthreads();
    float s = 0;
    for (u32 k = threadIdx.x; k < columns; k += 256) s += expf(row[k] - most);
    for (int k = 16; k; k /= 2) s += __shfl_xor_sync(~0u, s, k);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0;
    for (int k = 0; k < 8; k++) s += part[k];
    for (u32 k = threadIdx.x; k < columns; k += 256) out[(size_t)blockIdx.x * columns + k] = expf(row[k] - most) / s;
}

__global__ void nothing() {}

/* ---------------------------------------------------------------- cases */
#define MI ((size_t)1 << 20)
#define BLOCKS(n) (u32)(((n) + 255) / 256), 256
#define TILES(n) dim3((n) / 32, (n) / 32), dim3(32, 8)
#define SQUARES(n, t) dim3((n) / (t), (n) / (t)), dim3(t, t)

/* A case's buffers are set up when it is first launched; `data` holds them. */
struct buffers {
    float *a, *b, *c;
    double *d;
    u32 *u, *v, *w;
};

struct time_case {
    const char *name, *group;
    size_t bytes; /* footprint, about */
    void (*setup)(buffers *);
    void (*launch)(const buffers *);
};

#define CASE(name, group, bytes, setup, launch)                                                                        \
    {#name, group, bytes,                                                                                              \
     [](buffers *p) {                                                                                                  \
         setup;                                                                                                        \
         (void)p;                                                                                                      \
     },                                                                                                                \
     [](const buffers *p) {                                                                                            \
         launch;                                                                                                       \
         (void)p;                                                                                                      \
     }},
static const time_case cases[] = {
#include "cases.inc"
};
static const int case_count = sizeof cases / sizeof cases[0];

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static float median_time(const time_case *c, const buffers *p)
{
    enum { RUNS = 11 };
    float ms[RUNS];
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    c->launch(p);
    for (int k = 0; k < RUNS; k++) {
        CHECK(cudaEventRecord(from));
        c->launch(p);
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        CHECK(cudaEventElapsedTime(&ms[k], from, to));
    }
    CHECK(cudaEventDestroy(from));
    CHECK(cudaEventDestroy(to));
    qsort(ms, RUNS, sizeof ms[0], by_value);
    return ms[RUNS / 2] * 1000;
}

static bool is_asked(const time_case *c, int argc, char **argv)
{
    for (int k = 0; k < argc; k++)
        if (!strcmp(argv[k], c->name)) return true;
    return argc == 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "list";
    int launches = argc > 2 && !strcmp(what, "run") ? atoi(argv[2]) : 1;
    int names = !strcmp(what, "run") ? 3 : 2;
    size_t most = 0;
    for (int k = 0; k < case_count; k++) {
        if (!strcmp(what, "list")) printf("%s %s %zu\n", cases[k].name, cases[k].group, cases[k].bytes);
        else if (is_asked(&cases[k], argc - names, argv + names) && cases[k].bytes > most) most = cases[k].bytes;
    }
    if (!strcmp(what, "list")) return 0;
    pool_bytes = most + most / 8 + 16 * MI;
    CHECK(cudaMalloc(&pool, pool_bytes));
    for (int k = 0; k < case_count; k++) {
        if (!is_asked(&cases[k], argc - names, argv + names)) continue;
        buffers p = {};
        pool_used = 0;
        cases[k].setup(&p);
        CHECK(cudaDeviceSynchronize());
        if (!strcmp(what, "time")) printf("%s,%.3f\n", cases[k].name, median_time(&cases[k], &p));
        else
            for (int n = 0; n < launches; n++) cases[k].launch(&p);
        CHECK(cudaDeviceSynchronize());
        fflush(stdout);
    }
    return 0;
}
