/* kernels.h: kernels with an array in shared memory whose order of elements is a parameter, L: L::at(i) is where element i
 * lies, L::room(n) how many elements the array needs. None of them was looked at while the rules were written. */
#pragma once

struct Plain {
    static __host__ __device__ constexpr int room(int n) { return n; }
    static __host__ __device__ constexpr int at(int i) { return i; }
    template <int COLUMNS> static __host__ __device__ constexpr int in_row(int r, int c) { return r * COLUMNS + c; }
};
template <int COLUMNS, int PAD> struct Padded {
    static __host__ __device__ constexpr int room(int n) { return n + (n + COLUMNS - 1) / COLUMNS * PAD; }
    static __host__ __device__ constexpr int at(int i) { return i + i / COLUMNS * PAD; }
    /* As a program says it that has rows. */
    template <int> static __host__ __device__ constexpr int in_row(int r, int c) { return r * (COLUMNS + PAD) + c; }
};
template <int APART, int PIECES, int UNIT> struct Swizzled {
    static __host__ __device__ constexpr int room(int n) { return n; }
    static __host__ __device__ constexpr int at(int i) { return i ^ i / APART % PIECES * UNIT; }
};
template <int COLUMNS, int ROWS> struct Swapped {
    static __host__ __device__ constexpr int room(int n) { return n; }
    static __host__ __device__ constexpr int at(int i) { return i % COLUMNS * ROWS + i / COLUMNS; }
};
template <int LATER> struct Shifted {
    static __host__ __device__ constexpr int room(int n) { return n + LATER; }
    static __host__ __device__ constexpr int at(int i) { return i + LATER; }
};

#define KERNEL template <class L> __global__ void

KERNEL transpose_double(double *out, const double *in)
{
    __shared__ double s[L::room(256)];
    s[L::at(threadIdx.y * 16 + threadIdx.x)] = in[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = s[L::at(threadIdx.x * 16 + threadIdx.y)];
}

KERNEL transpose_short(short *out, const short *in)
{
    __shared__ short s[L::room(1024)];
    for (int y = threadIdx.y; y < 32; y += 8) s[L::at(y * 32 + threadIdx.x)] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8) out[y * 32 + threadIdx.x] = s[L::at(threadIdx.x * 32 + y)];
}

KERNEL transpose_wide(float *out, const float *in)
{
    __shared__ float s[L::room(64 * 32)];
    for (int y = threadIdx.y; y < 32; y += 4)
        for (int x = threadIdx.x; x < 64; x += 32) s[L::at(y * 64 + x)] = in[y * 64 + x];
    __syncthreads();
    for (int x = threadIdx.y; x < 64; x += 4) out[x * 32 + threadIdx.x] = s[L::at(threadIdx.x * 64 + x)];
}

KERNEL transpose_8x32(float *out, const float *in)
{
    __shared__ float s[L::room(256)];
    s[L::at(threadIdx.y * 8 + threadIdx.x)] = in[threadIdx.y * 8 + threadIdx.x];
    __syncthreads();
    int i = threadIdx.y * 8 + threadIdx.x;
    out[i] = s[L::at(i % 32 * 8 + i / 32)];
}

KERNEL chunk_sums(float *out, const float *in)
{
    __shared__ float s[L::room(2048)];
    for (int i = threadIdx.x; i < 2048; i += 128) s[L::at(i)] = in[i];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < 16; i++) sum += s[L::at(threadIdx.x * 16 + i)];
    out[threadIdx.x] = sum;
}

KERNEL chunk_prefix(int *out, const int *in)
{
    __shared__ int s[L::room(1024)];
    for (int i = threadIdx.x; i < 1024; i += 128) s[L::at(i)] = in[i];
    __syncthreads();
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 8; i++) s[L::at(threadIdx.x * 8 + i)] = sum += s[L::at(threadIdx.x * 8 + i)];
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 128) out[i] = s[L::at(i)];
}

KERNEL bodies_of_four(float *out, const float *in)
{
    __shared__ float s[L::room(512)];
    for (int i = threadIdx.x; i < 512; i += 128) s[L::at(i)] = in[i];
    __syncthreads();
    float x = s[L::at(threadIdx.x * 4)];
#pragma unroll 1
    for (int i = 1; i < 3; i++) x += s[L::at(threadIdx.x * 4 + i)];
    out[threadIdx.x] = x;
}

KERNEL particles_of_six(float *out, const float *in)
{
    __shared__ float s[L::room(768)];
    for (int i = threadIdx.x; i < 768; i += 128) s[L::at(i)] = in[i];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 3; i++) s[L::at(threadIdx.x * 6 + i)] += s[L::at(threadIdx.x * 6 + i + 3)];
    __syncthreads();
    out[threadIdx.x] = s[L::at(threadIdx.x * 6)];
}

KERNEL complex_pairs(float *out, const float *in)
{
    __shared__ float s[L::room(256)];
    for (int i = threadIdx.x; i < 256; i += 128) s[L::at(i)] = in[i];
    __syncthreads();
    float real = s[L::at(threadIdx.x * 2)];
    __syncthreads();
    out[threadIdx.x] = real * s[L::at(threadIdx.x * 2 + 1)];
}

KERNEL tree_up(float *out, const float *in)
{
    __shared__ float s[L::room(512)];
    s[L::at(threadIdx.x)] = in[threadIdx.x];
    s[L::at(threadIdx.x + 256)] = in[threadIdx.x + 256];
    for (int step = 1; step < 512; step *= 2) {
        __syncthreads();
        int i = (threadIdx.x + 1) * step * 2 - 1;
        if (i < 512) s[L::at(i)] += s[L::at(i - step)];
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = s[L::at(511)];
}

KERNEL tree_double(double *out, const double *in)
{
    __shared__ double s[L::room(256)];
    s[L::at(threadIdx.x)] = in[threadIdx.x];
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        int i = threadIdx.x * step * 2;
        if (i + step < 256) s[L::at(i)] += s[L::at(i + step)];
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = s[L::at(0)];
}

KERNEL column_sums(float *out, const float *in)
{
    __shared__ float s[L::room(32 * 64)];
    for (int i = threadIdx.x; i < 2048; i += 64) s[L::at(i)] = in[i];
    __syncthreads();
    float sum = 0;
    if (threadIdx.x < 32)
#pragma unroll 1
        for (int i = 0; i < 64; i++) sum += s[L::at(threadIdx.x * 64 + i)];
    out[threadIdx.x] = sum;
}

KERNEL multiply_transposed(float *out, const float *a, const float *b)
{
    __shared__ float s[L::room(256)];
    __shared__ float other[256];
    int i = threadIdx.y * 16 + threadIdx.x;
    s[L::at(i)] = a[i];
    other[i] = b[i];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 16; k++) sum += other[threadIdx.y * 16 + k] * s[L::at(threadIdx.x * 16 + k)];
    out[i] = sum;
}

KERNEL gram(float *out, const float *a)
{
    __shared__ float s[L::room(32 * 24)];
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 768; i += 256) s[L::at(i)] = a[i];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 24; k++) sum += s[L::at(threadIdx.y * 24 + k)] * s[L::at(threadIdx.x * 24 + k)];
    out[threadIdx.y * 32 + threadIdx.x] = sum;
}

KERNEL eliminate(float *out, const float *in)
{
    __shared__ float s[L::room(1024)];
    for (int r = 0; r < 32; r++) s[L::at(r * 32 + threadIdx.x)] = in[r * 32 + threadIdx.x];
    for (int k = 0; k < 31; k++) {
        __syncthreads();
        if (threadIdx.x > k) {
            float f = s[L::at(threadIdx.x * 32 + k)] / s[L::at(k * 33)];
#pragma unroll 1
            for (int c = k; c < 32; c++) s[L::at(threadIdx.x * 32 + c)] -= f * s[L::at(k * 32 + c)];
        }
    }
    __syncthreads();
    out[threadIdx.x] = s[L::at(threadIdx.x * 33)];
}

KERNEL butterfly(float *out, const float *in)
{
    __shared__ float s[L::room(1024)];
    for (int i = threadIdx.x; i < 1024; i += 256) s[L::at(i)] = in[i];
    for (int step = 1; step < 1024; step *= 4) {
        __syncthreads();
        int i = threadIdx.x / step * step * 4 + threadIdx.x % step;
        float a = s[L::at(i)], b = s[L::at(i + step)], c = s[L::at(i + 2 * step)], d = s[L::at(i + 3 * step)];
        s[L::at(i)] = a + b + c + d;
        s[L::at(i + step)] = a - b + c - d;
        s[L::at(i + 2 * step)] = a + b - c - d;
        s[L::at(i + 3 * step)] = a - b - c + d;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256) out[i] = s[L::at(i)];
}

KERNEL anti_diagonals(int *out, const int *in)
{
    __shared__ int s[L::room(33 * 32)];
    for (int i = threadIdx.x; i < 33 * 32; i += 32) s[L::at(i)] = in[i];
    for (int d = 0; d < 32; d++) {
        __syncthreads();
        int r = threadIdx.x, c = d - r;
        if (c >= 0) s[L::at((r + 1) * 32 + c)] += s[L::at(r * 32 + c)];
    }
    __syncthreads();
    out[threadIdx.x] = s[L::at(1024 + threadIdx.x)];
}

KERNEL private_counters(unsigned *out, const unsigned char *in)
{
    __shared__ unsigned s[L::room(64 * 16)];
    for (int i = threadIdx.x; i < 1024; i += 64) s[L::at(i)] = 0;
    __syncthreads();
    for (int i = 0; i < 32; i++) s[L::at(threadIdx.x * 16 + in[i * 64 + threadIdx.x] % 16)]++;
    __syncthreads();
    unsigned sum = 0;
    if (threadIdx.x < 16)
        for (int i = 0; i < 64; i++) sum += s[L::at(i * 16 + threadIdx.x)];
    out[threadIdx.x] = sum;
}

KERNEL planes(float *out, const float *in)
{
    __shared__ float s[L::room(8 * 8 * 8)];
    int i = threadIdx.z * 64 + threadIdx.y * 8 + threadIdx.x;
    s[L::at(i)] = in[i];
    __syncthreads();
    out[i] = s[L::at(threadIdx.x * 64 + threadIdx.y * 8 + threadIdx.z)];
}

KERNEL rotate(float *out, const float *in)
{
    __shared__ float s[L::room(48 * 48)];
    for (int y = threadIdx.y; y < 48; y += 16)
        for (int x = threadIdx.x; x < 48; x += 16) s[L::at(y * 48 + x)] = in[y * 48 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 48; y += 16)
        for (int x = threadIdx.x; x < 48; x += 16) out[y * 48 + x] = s[L::at((47 - x) * 48 + y)];
}

KERNEL upper_triangle(float *out, const float *in)
{
    __shared__ float s[L::room(1024)];
    for (int r = 0; r < 32; r++) s[L::at(r * 32 + threadIdx.x)] = in[r * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int c = 0; c < 32; c++)
        if (c >= threadIdx.x) sum += s[L::at(threadIdx.x * 32 + c)];
    out[threadIdx.x] = sum;
}

KERNEL pool_2x2(float *out, const float *in)
{
    __shared__ float s[L::room(2048)];
    for (int i = threadIdx.x; i < 2048; i += 256) s[L::at(i)] = in[i];
    __syncthreads();
    for (int o = threadIdx.x; o < 512; o += 256) {
        int y = o / 32, x = o % 32;
        float most = s[L::at(y * 128 + x * 2)];
        most = fmaxf(most, s[L::at(y * 128 + x * 2 + 1)]);
        most = fmaxf(most, s[L::at(y * 128 + 64 + x * 2)]);
        out[o] = fmaxf(most, s[L::at(y * 128 + 64 + x * 2 + 1)]);
    }
}

KERNEL every_third(float *out, const float *in)
{
    __shared__ float s[L::room(1024)];
    for (int i = threadIdx.x; i < 1024; i += 128) s[L::at(i)] = in[i];
    __syncthreads();
    out[threadIdx.x] = s[L::at(threadIdx.x * 8)] + s[L::at(threadIdx.x * 8 + 5)];
}

KERNEL bytes_by_column(unsigned char *out, const unsigned char *in)
{
    __shared__ unsigned char s[L::room(64 * 64)];
    for (int i = threadIdx.x; i < 4096; i += 64) s[L::at(i)] = in[i];
    __syncthreads();
    for (int i = 0; i < 64; i++) out[i * 64 + threadIdx.x] = s[L::at(threadIdx.x * 64 + i)];
}

KERNEL bank_of_queues(int *out, const int *in)
{
    __shared__ int s[L::room(64 * 32)];
    for (int i = 0; i < 32; i++) s[L::at(threadIdx.x * 32 + i)] = in[i * 64 + threadIdx.x];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += s[L::at(threadIdx.x * 32 + (i * 5) % 32)];
    out[threadIdx.x] = sum;
}

KERNEL gather_4x4(float *out, const float *in)
{
    __shared__ float s[L::room(1024)];
    for (int i = threadIdx.x; i < 1024; i += 64) s[L::at(i)] = in[i];
    __syncthreads();
    int y = threadIdx.x / 8 * 4, x = threadIdx.x % 8 * 4;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 16; k++) sum += s[L::at((y + k / 4) * 32 + x + k % 4)];
    out[threadIdx.x] = sum;
}

KERNEL floyd(int *out, const int *in)
{
    __shared__ int s[L::room(1024)];
    int i = threadIdx.x, j = threadIdx.y;
    s[L::at(i * 32 + j)] = in[j * 32 + i];
    for (int k = 0; k < 32; k++) {
        __syncthreads();
        int way = s[L::at(i * 32 + k)] + s[L::at(k * 32 + j)];
        __syncthreads();
        if (way < s[L::at(i * 32 + j)]) s[L::at(i * 32 + j)] = way;
    }
    __syncthreads();
    out[j * 32 + i] = s[L::at(i * 32 + j)];
}

KERNEL sort_columns(int *out, const int *in)
{
    __shared__ int s[L::room(512)];
    for (int i = threadIdx.x; i < 512; i += 32) s[L::at(i)] = in[i];
    __syncthreads();
    for (int n = 0; n < 16; n++)
#pragma unroll 1
        for (int i = n % 2; i < 15; i += 2) {
            int a = s[L::at(threadIdx.x * 16 + i)], b = s[L::at(threadIdx.x * 16 + i + 1)];
            if (a <= b) continue;
            s[L::at(threadIdx.x * 16 + i)] = b;
            s[L::at(threadIdx.x * 16 + i + 1)] = a;
        }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += 32) out[i] = s[L::at(i)];
}

KERNEL convolve_rows(float *out, const float *in)
{
    __shared__ float s[L::room(32 * 20)];
    for (int i = threadIdx.x; i < 640; i += 64) s[L::at(i)] = in[i];
    __syncthreads();
    float sum = 0;
    if (threadIdx.x < 32)
#pragma unroll 1
        for (int k = 0; k < 5; k++) sum += s[L::at(threadIdx.x * 20 + k * 4)];
    out[threadIdx.x] = sum;
}

KERNEL add_to_rows(int *out, const int *in)
{
    __shared__ int s[L::room(1024)];
    for (int i = threadIdx.x; i < 1024; i += 256) s[L::at(i)] = 0;
    __syncthreads();
    atomicAdd(&s[L::at(threadIdx.x % 32 * 32 + threadIdx.x / 32)], in[threadIdx.x]);
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256) out[i] = s[L::at(i)];
}

KERNEL dynamic_columns(float *out, const float *in)
{
    extern __shared__ float buffer[];
    for (int y = 0; y < 32; y++) buffer[L::template in_row<32>(y, threadIdx.x)] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = 0; y < 32; y++) out[y * 32 + threadIdx.x] = buffer[L::template in_row<32>(threadIdx.x, y)];
}

KERNEL rows_of_half_a_line(float *out, const float *in)
{
    __shared__ float s[L::room(64 * 16)];
    for (int i = threadIdx.x; i < 1024; i += 64) s[L::at(i)] = in[i];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 16; i++) out[i * 64 + threadIdx.x] = s[L::at(threadIdx.x * 16 + (i ^ 3))];
}
