/* later.h: kernels that were written after the rules, to see whether these hold for what they were not made for: the access patterns of
 * well-known public programs and others, as in kernels.h (s in shared memory) and global.h (array). Names begin with h_ and gh_. */
#pragma once

KERNEL h_wavefront_16(int *out, const int *in) /* sequence alignment: anti-diagonals of 17 x 17 */
{
    __shared__ int s[L::room(17 * 17)];
    int t = threadIdx.x;
    for (int i = t; i < 289; i += 16) s[L::at(i)] = in[i];
    __syncthreads();
    for (int m = 0; m < 16; m++) {
        if (t <= m) {
            int x = t + 1, y = m - t + 1;
            s[L::at(y * 17 + x)] =
                max(s[L::at((y - 1) * 17 + x - 1)], max(s[L::at(y * 17 + x - 1)], s[L::at((y - 1) * 17 + x)]) - 1);
        }
        __syncthreads();
    }
    for (int y = 0; y < 16; y++) out[y * 16 + t] = s[L::at((y + 1) * 17 + t + 1)];
}

KERNEL h_scan_work_efficient(int *out, const int *in) /* up-sweep and down-sweep */
{
    __shared__ int s[L::room(512)];
    int t = threadIdx.x, offset = 1;
    s[L::at(2 * t)] = in[2 * t];
    s[L::at(2 * t + 1)] = in[2 * t + 1];
    for (int d = 256; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d) s[L::at(offset * (2 * t + 2) - 1)] += s[L::at(offset * (2 * t + 1) - 1)];
    }
    if (t == 0) s[L::at(511)] = 0;
    for (int d = 1; d < 512; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, old = s[L::at(a)];
            s[L::at(a)] = s[L::at(b)];
            s[L::at(b)] += old;
        }
    }
    __syncthreads();
    out[2 * t] = s[L::at(2 * t)];
    out[2 * t + 1] = s[L::at(2 * t + 1)];
}

KERNEL h_tile_16(float *out, const float *in) /* a tile of 16 x 16, read by columns */
{
    __shared__ float s[L::room(256)];
    s[L::at(threadIdx.y * 16 + threadIdx.x)] = in[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = s[L::at(threadIdx.x * 16 + threadIdx.y)];
}

KERNEL h_tile_64_bytes(unsigned char *out, const unsigned char *in)
{
    __shared__ unsigned char s[L::room(32 * 32)];
    for (int y = threadIdx.y; y < 32; y += 8) s[L::at(y * 32 + threadIdx.x)] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8) out[y * 32 + threadIdx.x] = s[L::at(threadIdx.x * 32 + y)];
}

KERNEL h_convolve_columns(float *out, const float *in) /* a column of a separable filter, kept by rows */
{
    __shared__ float s[L::room(16 * 80)];
    for (int i = threadIdx.y; i < 80; i += 8) s[L::at(threadIdx.x * 80 + i)] = in[i * 16 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < 64; i += 8) {
        float sum = 0;
#pragma unroll 1
        for (int k = 0; k < 9; k++) sum += s[L::at(threadIdx.x * 80 + i + k)];
        out[i * 16 + threadIdx.x] = sum;
    }
}

KERNEL h_lu_perimeter(float *out, const float *in)
{
    __shared__ float s[L::room(16 * 16)];
    int t = threadIdx.x;
    for (int i = 0; i < 16; i++) s[L::at(i * 16 + t)] = in[i * 16 + t] + 1;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 15; i++) {
        float sum = s[L::at(t * 16 + i)];
#pragma unroll 1
        for (int j = 0; j < i; j++) sum -= s[L::at(t * 16 + j)] * s[L::at(j * 16 + i)];
        if (t > i) s[L::at(t * 16 + i)] = sum / s[L::at(i * 17)];
        __syncthreads();
    }
    for (int i = 0; i < 16; i++) out[i * 16 + t] = s[L::at(i * 16 + t)];
}

KERNEL h_dct_rows(float *out, const float *in) /* 8 x 8 blocks: a thread has a row */
{
    __shared__ float s[L::room(32 * 64)];
    for (int i = threadIdx.x; i < 2048; i += 256) s[L::at(i)] = in[i];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++) sum += s[L::at(threadIdx.x * 8 + k)] * (k + 1);
    __syncthreads();
    s[L::at(threadIdx.x * 8)] = sum;
    __syncthreads();
    for (int i = threadIdx.x; i < 2048; i += 256) out[i] = s[L::at(i)];
}

KERNEL h_fft_stride_8(float *out, const float *in) /* radix 8, first exchange */
{
    __shared__ float s[L::room(512)];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 8; k++) s[L::at(t * 8 + k)] = in[t + 64 * k];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 8; k++) out[t + 64 * k] = s[L::at(k * 64 + t)];
}

KERNEL h_bitonic_pairs(int *out, const int *in)
{
    __shared__ int s[L::room(512)];
    int t = threadIdx.x;
    s[L::at(t)] = in[t];
    s[L::at(t + 256)] = in[t + 256];
    for (int step = 1; step < 512; step *= 2) {
        __syncthreads();
        int a = 2 * t - (t & (step - 1)), b = a + step, x = s[L::at(a)], y = s[L::at(b)];
        s[L::at(a)] = min(x, y);
        s[L::at(b)] = max(x, y);
    }
    __syncthreads();
    out[t] = s[L::at(t)];
    out[t + 256] = s[L::at(t + 256)];
}

KERNEL h_haar(float *out, const float *in) /* wavelet: pairs of neighbours */
{
    __shared__ float s[L::room(512)];
    int t = threadIdx.x;
    s[L::at(t)] = in[t];
    s[L::at(t + 256)] = in[t + 256];
    __syncthreads();
    float a = s[L::at(2 * t)];
    __syncthreads();
    float b = s[L::at(2 * t + 1)];
    out[t] = a + b;
    out[t + 256] = a - b;
}

KERNEL h_reduce_by_row(double *out, const double *in)
{
    __shared__ double s[L::room(32 * 32)];
    int x = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < 32; r += 8) s[L::at(r * 32 + x)] = in[r * 32 + x];
    __syncthreads();
    double sum = 0;
    if (y == 0)
#pragma unroll 1
        for (int c = 0; c < 32; c++) sum += s[L::at(x * 32 + c)];
    out[y * 32 + x] = sum;
}

KERNEL h_histogram_of_lanes(unsigned *out, const unsigned *in) /* 64 bins per thread */
{
    __shared__ unsigned s[L::room(32 * 64)];
    for (int i = threadIdx.x; i < 2048; i += 32) s[L::at(i)] = 0;
    __syncthreads();
    for (int i = 0; i < 64; i++) s[L::at(threadIdx.x * 64 + in[i * 32 + threadIdx.x] % 64)]++;
    __syncthreads();
    for (int b = threadIdx.x; b < 64; b += 32) {
        unsigned sum = 0;
#pragma unroll 1
        for (int k = 0; k < 32; k++) sum += s[L::at(k * 64 + b)];
        out[b] = sum;
    }
}

KERNEL h_game_of_stencils(float *out, const float *in) /* by columns over a halo of one */
{
    __shared__ float s[L::room(34 * 34)];
    int x = threadIdx.x, y = threadIdx.y;
    for (int i = y * 32 + x; i < 34 * 34; i += 256) s[L::at(i)] = in[i];
    __syncthreads();
    for (int c = y; c < 32; c += 8)
        out[x * 32 + c] = s[L::at((x + 1) * 34 + c)] + s[L::at((x + 1) * 34 + c + 2)] + s[L::at(x * 34 + c + 1)] +
                          s[L::at((x + 2) * 34 + c + 1)];
}

KERNEL h_matrix_column_block(float *out, const float *in) /* B of a product, kept by columns of 48 */
{
    __shared__ float s[L::room(32 * 48)];
    for (int i = threadIdx.x; i < 1536; i += 64) s[L::at(i)] = in[i];
    __syncthreads();
    float sum = 0;
    if (threadIdx.x < 32)
#pragma unroll 1
        for (int k = 0; k < 48; k++) sum += s[L::at(threadIdx.x * 48 + k)];
    out[threadIdx.x] = sum;
}

KERNEL h_half_columns(unsigned short *out, const unsigned short *in)
{
    __shared__ unsigned short s[L::room(64 * 64)];
    for (int y = threadIdx.y; y < 64; y += 4) s[L::at(y * 64 + threadIdx.x)] = in[y * 64 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 64; y += 4) out[y * 64 + threadIdx.x] = s[L::at(threadIdx.x * 64 + y)];
}

KERNEL h_records_of_twelve(float *out, const float *in) /* lattice cells of 12 floats */
{
    __shared__ float s[L::room(12 * 64)];
    for (int i = threadIdx.x; i < 768; i += 64) s[L::at(i)] = in[i];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 12; k++) sum += s[L::at(threadIdx.x * 12 + k)];
    out[threadIdx.x] = sum;
}

KERNEL h_levels_of_a_tree(int *out, const int *in) /* a heap: each thread sifts in its own */
{
    __shared__ int s[L::room(64 * 8)];
    for (int i = threadIdx.x; i < 512; i += 64) s[L::at(i)] = in[i];
    __syncthreads();
    int at = 0;
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        int child = 2 * at + 1;
        if (s[L::at(threadIdx.x * 8 + child)] < s[L::at(threadIdx.x * 8 + child + 1)]) child++;
        s[L::at(threadIdx.x * 8 + at)] = s[L::at(threadIdx.x * 8 + child)];
        at = child;
    }
    out[threadIdx.x] = s[L::at(threadIdx.x * 8)];
}

KERNEL h_rotate_90(int *out, const int *in)
{
    __shared__ int s[L::room(32 * 32)];
    for (int y = threadIdx.y; y < 32; y += 4) s[L::at(threadIdx.x * 32 + 31 - y)] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 4) out[y * 32 + threadIdx.x] = s[L::at(y * 32 + threadIdx.x)];
}

KERNEL h_sorted_runs(int *out, const int *in) /* each thread merges two runs of 8 */
{
    __shared__ int s[L::room(32 * 16)];
    for (int i = threadIdx.x; i < 512; i += 32) s[L::at(i)] = in[i];
    __syncthreads();
    int a = threadIdx.x * 16, b = a + 8, last = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++) {
        int x = s[L::at(a)], y = s[L::at(b)];
        if (x <= y) a++;
        else b++;
        last += min(x, y);
    }
    out[threadIdx.x] = last;
}

/* ---- arrays in global memory ---- */
GLOBAL_KERNEL gh_complex_product(float *array, float *other)
{
    float re = array[L::at(THREAD * 2)], im = array[L::at(THREAD * 2 + 1)];
    other[THREAD] = re * re - im * im;
}

GLOBAL_KERNEL gh_bodies_of_seven(float *array, float *other)
{
    float m = array[L::at(THREAD * 7 + 6)];
    for (int k = 0; k < 3; k++) array[L::at(THREAD * 7 + k)] += m * array[L::at(THREAD * 7 + 3 + k)];
    other[THREAD] = m;
}

GLOBAL_KERNEL gh_colours_planar(unsigned char *array, unsigned char *other)
{
    array[L::at(THREAD * 4)] = other[THREAD];
    array[L::at(THREAD * 4 + 2)] = (unsigned char)(255 - other[THREAD]);
}

GLOBAL_KERNEL gh_apples_on_trees(int *array, int *other)
{
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < 32; k++) sum += array[L::at(THREAD * 32 + k)];
    other[THREAD] = sum;
}

GLOBAL_KERNEL gh_transpose_read(float *array, float *other)
{
    int x = threadIdx.x, y = blockIdx.x * 8 + threadIdx.y;
    other[y * 32 + x] = array[L::at(x * 32 + y)];
}

GLOBAL_KERNEL gh_lattice_of_nine(float *array, float *other)
{
    float rho = 0;
#pragma unroll 1
    for (int k = 0; k < 9; k++) rho += array[L::at(THREAD * 9 + k)];
    other[THREAD] = rho;
}

GLOBAL_KERNEL gh_rows_of_35(float *array, float *other)
{
    int y = blockIdx.x * 8 + threadIdx.y;
    other[y * 32 + threadIdx.x] = array[L::at(y * 35 + threadIdx.x)];
}

GLOBAL_KERNEL gh_behind_one(double *array, double *other) { other[THREAD] = array[L::at(THREAD + 1)]; }

GLOBAL_KERNEL gh_eight_features(float *array, float *other)
{
    float d = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++)
        d += (array[L::at(THREAD * 8 + k)] - other[k]) * (array[L::at(THREAD * 8 + k)] - other[k]);
    other[64 + THREAD] = d;
}

GLOBAL_KERNEL gh_quads_last_field(int *array, int *other) { other[THREAD] = array[L::at(THREAD * 4 + 3)]; }

GLOBAL_KERNEL gh_shorts_of_six(short *array, short *other)
{
    other[THREAD] = (short)(array[L::at(THREAD * 6)] + array[L::at(THREAD * 6 + 5)]);
}

GLOBAL_KERNEL gh_elimination_column(float *array, float *other) { array[L::at(THREAD * 48 + 5)] /= other[0] + 3; }

GLOBAL_KERNEL gh_histories(long long *array, long long *other)
{
#pragma unroll 1
    for (int k = 0; k < 6; k++) array[L::at(THREAD * 12 + k)] = other[THREAD] + k;
}

/* Arrays in shared memory of which layouts are refused; check.py has the reasons. */
KERNEL s_no_alignment(
    float *out,
    const float *in) /* columns of vectors: rows that are longer by one element tear none apart, but misalign them */
{
    __shared__ __align__(16) float s[L::room(32 * 32)];
    for (int i = threadIdx.x; i < 1024; i += 32) s[L::at(i)] = in[i];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int c = 0; c < 8; c++) {
        float4 v = *(const float4 *)&s[L::at(threadIdx.x * 32 + c * 4)];
        sum += v.x + v.y * v.z + v.w;
    }
    for (int c = 0; c < 32; c++) sum += s[L::at(c * 32 + threadIdx.x)];
    out[threadIdx.x] = sum;
}

KERNEL s_no_room(float *out, const float *in) /* nine blocks just fit on a multiprocessor of an H200 */
{
    __shared__ float s[L::room(194 * 32)];
    for (int i = threadIdx.x; i < 194 * 32; i += 128) s[L::at(i)] = in[i];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int c = 0; c < 32; c++) sum += s[L::at(threadIdx.x * 32 + c)];
    out[threadIdx.x] = sum;
}

KERNEL s_no_end(float *out, const float *in) /* the last row reaches into the next array */
{
    __shared__ float s[31 * 32], next[128];
    for (int i = threadIdx.x; i < 31 * 32; i += 32) s[L::at(i)] = in[i];
    next[threadIdx.x] = next[threadIdx.x + 32] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 31) next[threadIdx.x] += s[L::at(threadIdx.x * 32 + 1)];
    __syncthreads();
    out[threadIdx.x] = s[L::at(threadIdx.x * 32)] + next[threadIdx.x + 1];
}

KERNEL s_no_telling_which(float *out, const float *in)
{
    __shared__ float s[1024], t[1024];
    for (int i = threadIdx.x; i < 1024; i += 32) s[L::at(i)] = in[i], t[i] = in[i + 1];
    __syncthreads();
    const float *from = in[0] > 0 ? s : t;
    out[threadIdx.x] = from[L::at(threadIdx.x * 32)] + s[L::at(threadIdx.x * 32 + 1)];
}
