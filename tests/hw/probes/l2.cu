/* l2: sequences of copies, fills and simple kernels, to see what L2 keeps and when it writes back.
 *
 *   l2 FILE [SECONDS [FLAG [NAME]]]   carries out the lines of FILE whose flags have FLAG ('-': all), until SECONDS have passed;
 *                                        says on stdout of each profiled launch "NAME,STEP,LAUNCH".
 * A line: NAME FLAGS STEP...; steps as in step(). Kernels whose names begin with p_ are to be profiled. */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t e_ = (call);                                                                      \
        if (e_ != cudaSuccess) {                                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));    \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

typedef unsigned int u32;
typedef unsigned long long u64;

__device__ float slow(float x, int work)
{
    for (int k = 0; k < work; k++) x = fmaf(x, 0.999f, 0.5f);
    return x;
}

/* Blocks of 256 threads; each reads R pieces of 1 KB that follow each other, and writes W. */
template <int R, int W>
__global__ void p_mix(const float *in, float *out, int work, float value, float zero)
{
    float x[R ? R : 1] = {0}, s = 0;
#pragma unroll
    for (int k = 0; k < R; k++) x[k] = in[((size_t)blockIdx.x * R + k) * 256 + threadIdx.x];
#pragma unroll
    for (int k = 0; k < R; k++) s += x[k];
    s = value + slow(s, work) * zero;
    if (W == 0 && s == 1.2345f) out[0] = s;
#pragma unroll
    for (int k = 0; k < W; k++) out[((size_t)blockIdx.x * W + k) * 256 + threadIdx.x] = s + x[0] * (float)(R > 0);
}

__global__ void p_add(const float *a, const float *b, float *out, int work, float value, float zero)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float s = a[i] + b[i];
    out[i] = s + value + slow(s, work) * zero;
}

__global__ void p_scale(float *x, int work, float value, float zero)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float s = x[i];
    x[i] = s + value + slow(s, work) * zero;
}

__global__ void p_read(const float *in, float *sums, float value)
{
    float s = in[(size_t)blockIdx.x * 256 + threadIdx.x];
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (s == 1.2345f || (value != 0 && threadIdx.x == 0)) sums[blockIdx.x] = s + value;
}

__global__ void p_stride(const float4 *in, float *sums, size_t n, float value)
{
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)256 + threadIdx.x; i < n; i += (size_t)gridDim.x * 256) {
        float4 v = in[i];
        s += v.x + v.y + v.z + v.w;
    }
    if (s == 1.2345f || (value != 0 && threadIdx.x == 0)) sums[blockIdx.x] = s + value;
}

/* Every block reads all. */
__global__ void p_all(const float4 *in, float *sums, size_t n)
{
    float s = 0;
    for (size_t i = threadIdx.x; i < n; i += 1024) {
        float4 v = in[i];
        s += v.x + v.y + v.z + v.w;
    }
    if (s == 1.2345f) sums[blockIdx.x] = s;
}

__global__ void p_gather(const float *in, float *sums, u32 n, u32 seed)
{
    float s = 0;
    for (u32 k = 0; k < 8; k++) {
        u32 x = (blockIdx.x * 256 + threadIdx.x) * 8 + k + seed * 2654435761u;
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x ^= x >> 16;
        s += in[(u64)x * n >> 32];
    }
    if (s == 1.2345f) sums[blockIdx.x] = s;
}

/* One sector, or one word of each line. */
__global__ void p_lines(const float *in, float *sums)
{
    float s = in[((size_t)blockIdx.x * 256 + threadIdx.x) * 32];
    if (s == 1.2345f) sums[blockIdx.x] = s;
}

__global__ void p_spin(u64 ns)
{
    u64 t0, t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    } while (t - t0 < ns);
}

__global__ void u_init(float *x, size_t n, float value)
{
    for (size_t i = blockIdx.x * (size_t)256 + threadIdx.x; i < n; i += (size_t)gridDim.x * 256)
        x[i] = value + (float)(i & 1023) / 1024.0f;
}

__global__ void u_read(const float4 *in, float *sums, size_t n)
{
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)256 + threadIdx.x; i < n; i += (size_t)gridDim.x * 256) s += in[i].x;
    if (s == 1.2345f) sums[blockIdx.x] = s;
}

/* ---------------------------------------------------------------- buffers */
static float *buffer[26];
static size_t bytes_of[26];
static char *host;
static const size_t host_bytes = (size_t)512 << 20;
static int launches;

static size_t mega(const char *text) { return (size_t)(atof(text) * 1048576); }

/* All of L2 clean, and of memory that is free again. */
static void flush()
{
    float *x;
    const size_t bytes = (size_t)256 << 20;
    CHECK(cudaMalloc((void **)&x, bytes));
    u_init<<<1056, 256>>>(x, bytes / 4, 1);
    for (int k = 0; k < 3; k++) u_read<<<1056, 256>>>((const float4 *)x, x, bytes / 16);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(x));
}

static void free_all()
{
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < 26; k++) {
        if (buffer[k]) CHECK(cudaFree(buffer[k]));
        buffer[k] = NULL;
        bytes_of[k] = 0;
    }
}

/* -1: another value in each launch. */
static float value_of(const char *text) { return atof(text) < 0 ? (float)(launches + 1) : (float)atof(text); }

template <int R, int W> static void mix_as(const float *in, float *out, size_t unit, int work, float value)
{
    p_mix<R, W><<<(u32)(unit / 1024), 256>>>(in, out, work, value, 0);
}

static void mix(int r, int w, const float *in, float *out, size_t unit, int work, float value)
{
    switch (r * 10 + w) {
    case 1: mix_as<0, 1>(in, out, unit, work, value); break;
    case 10: mix_as<1, 0>(in, out, unit, work, value); break;
    case 11: mix_as<1, 1>(in, out, unit, work, value); break;
    case 12: mix_as<1, 2>(in, out, unit, work, value); break;
    case 14: mix_as<1, 4>(in, out, unit, work, value); break;
    case 21: mix_as<2, 1>(in, out, unit, work, value); break;
    case 41: mix_as<4, 1>(in, out, unit, work, value); break;
    case 81: mix_as<8, 1>(in, out, unit, work, value); break;
    case 44: mix_as<4, 4>(in, out, unit, work, value); break;
    default: fprintf(stderr, "no mix %d %d\n", r, w); exit(1);
    }
}

#define BUF(k) buffer[f[k][0] - 'a']

/* One step: its letter and fields, joined by colons. */
static void step(const char *name, const char *text)
{
    char copy[128], *f[12] = {0};
    int n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = strtok(copy, ":"); p && n < 12; p = strtok(NULL, ":")) f[n++] = p;
    char what = f[0][0];
    int b = n > 1 ? f[1][0] - 'a' : 0;
    if (what == 'A') { /* A:x:MB allocate */
        bytes_of[b] = mega(f[2]);
        CHECK(cudaMalloc((void **)&buffer[b], bytes_of[b]));
    } else if (what == 'H') { /* H:x[:MB] copy from the host */
        CHECK(cudaMemcpy(buffer[b], host, n > 2 ? mega(f[2]) : bytes_of[b], cudaMemcpyHostToDevice));
    } else if (what == 'D') { /* D:x copy to the host */
        CHECK(cudaMemcpy(host, buffer[b], bytes_of[b], cudaMemcpyDeviceToHost));
    } else if (what == 'C') { /* C:to:from copy on the device */
        CHECK(cudaMemcpy(buffer[b], BUF(2), bytes_of[b], cudaMemcpyDeviceToDevice));
    } else if (what == 'S') { /* S:x set */
        CHECK(cudaMemset(buffer[b], 0, bytes_of[b]));
    } else if (what == 'U') { /* U:x set by a kernel */
        u_init<<<1056, 256>>>(buffer[b], bytes_of[b] / 4, 2);
    } else if (what == 'F') {
        flush();
    } else if (what == 'W') { /* W:ms wait */
        CHECK(cudaDeviceSynchronize());
        u64 ms = (u64)atof(f[1]);
        auto t0 = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - t0 < std::chrono::milliseconds(ms)) {}
    } else {
        float *out = buffer[b];
        if (what == 'M') /* M:in:out:r:w:unit:work:value */
            mix(atoi(f[3]), atoi(f[4]), BUF(1), BUF(2), mega(f[5]), atoi(f[6]), value_of(f[7]));
        else if (what == '+') /* +:a:b:out:MB:work:value */
            p_add<<<(u32)(mega(f[4]) / 1024), 256>>>(BUF(1), BUF(2), BUF(3), atoi(f[5]), value_of(f[6]), 0);
        else if (what == 'I') /* I:x:MB:work:value in place */
            p_scale<<<(u32)(mega(f[2]) / 1024), 256>>>(out, atoi(f[3]), value_of(f[4]), 0);
        else if (what == 'R') /* R:x:MB[:sums] */
            p_read<<<(u32)(mega(f[2]) / 1024), 256>>>(out, n > 3 ? BUF(3) : out, n > 3 ? launches + 1 : 0);
        else if (what == 'G') /* G:x:MB[:sums] in one wave */
            p_stride<<<1056, 256>>>((const float4 *)out, n > 3 ? BUF(3) : out, mega(f[2]) / 16, n > 3 ? launches + 1 : 0);
        else if (what == 'L') /* L:x:MB */
            p_all<<<132, 1024>>>((const float4 *)out, out, mega(f[2]) / 16);
        else if (what == 'g') /* g:x:MB:loads_in_millions */
            p_gather<<<(u32)(atof(f[3]) * 1048576 / 2048), 256>>>(out, out, (u32)(mega(f[2]) / 4), (u32)launches);
        else if (what == 'l') /* l:x:MB */
            p_lines<<<(u32)(mega(f[2]) / 32768), 256>>>(out, out);
        else if (what == 'T') /* T:us */
            p_spin<<<1, 32>>>((u64)(atof(f[1]) * 1000));
        else { fprintf(stderr, "%s: %s?\n", name, text); exit(1); }
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        printf("%s,%s,%d\n", name, text, launches++);
    }
}

static void line_of(char *line, const char *flag, const char *only)
{
    char *save, *name = strtok_r(line, " \n", &save), *flags = name ? strtok_r(NULL, " \n", &save) : NULL;
    if (!flags || name[0] == '#' || (flag[0] != '-' && !strchr(flags, flag[0])) || (only && strcmp(only, name))) return;
    if (!only) flush();
    for (char *s = strtok_r(NULL, " \n", &save); s; s = strtok_r(NULL, " \n", &save)) {
        int times = 1;
        if (strchr(s, '*')) {
            times = atoi(s);
            s = strchr(s, '*') + 1;
        }
        for (int k = 0; k < times; k++) step(name, s);
    }
    free_all();
    fflush(stdout);
}

int main(int argc, char **argv)
{
    auto t0 = std::chrono::steady_clock::now();
    double seconds = argc > 2 ? atof(argv[2]) : 1e9;
    const char *flag = argc > 3 ? argv[3] : "-", *only = argc > 4 ? argv[4] : NULL;
    FILE *f = fopen(argv[1], "r");
    char line[2048];
    if (!f) return 1;
    host = (char *)malloc(host_bytes);
    for (size_t k = 0; k < host_bytes / 4; k++) ((float *)host)[k] = (float)(k & 255) / 256;
    while (fgets(line, sizeof line, f)) {
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count() > seconds) break;
        line_of(line, flag, only);
    }
    return 0;
}
