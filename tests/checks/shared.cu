/* Races in shared memory of one block, and code like it that is right. */
#include "cases.h"

template <int BARRIERS> __global__ void reduce(int *out)
{
    __shared__ int sum[256];
    int t = threadIdx.x;
    sum[t] = t;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            sum[t] += sum[t + step]; // found reduce_nobar: racecheck error
        if (BARRIERS)
            __syncthreads();
    }
    if (t == 0)
        out[0] = sum[0];
}

CASE(reduce_nobar) { int *d = zeros<int>(1); reduce<0><<<1, 256>>>(d); finish(d, 1); }
CASE(reduce_clean) { int *d = zeros<int>(1); reduce<1><<<1, 256>>>(d); finish(d, 1); } // silent

template <int BARRIER> __global__ void transpose(int *out)
{
    __shared__ int tile[16][17];
    tile[threadIdx.y][threadIdx.x] = threadIdx.y * 16 + threadIdx.x; // found transpose_nobar: racecheck error
    if (BARRIER)
        __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // found transpose_nobar: racecheck error
}

CASE(transpose_nobar) { int *d = zeros<int>(256); transpose<0><<<1, dim3(16, 16)>>>(d); finish(d, 256); }
CASE(transpose_clean) { int *d = zeros<int>(256); transpose<1><<<1, dim3(16, 16)>>>(d); finish(d, 256); } // silent

template <int BARRIER> __global__ void tile_loop(const int *in, int *out, int tiles)
{
    __shared__ int tile[128];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < tiles; i++) {
        tile[t] = in[i * 128 + t]; // found tile_war: racecheck error
        __syncthreads();
        sum += tile[127 - t]; // found tile_war: racecheck error
        if (BARRIER)
            __syncthreads();
    }
    out[t] = sum;
}

static void run_tiles(void (*kernel)(const int *, int *, int), int tiles)
{
    int *in = zeros<int>(512), *d = zeros<int>(128);
    kernel<<<1, 128>>>(in, d, tiles);
    finish(d, 128);
    cudaFree(in);
}

CASE(tile_war) { run_tiles(tile_loop<0>, 4); }
CASE(tile_war_clean) { run_tiles(tile_loop<1>, 4); } // silent
CASE(tile_war_one) { run_tiles(tile_loop<0>, 1); } // silent: one tile needs no second barrier

template <int BARRIER> __global__ void stencil(const int *in, int *out)
{
    __shared__ int s[130];
    int t = threadIdx.x;
    s[t + 1] = in[t + 1]; // found stencil_halo: racecheck error
    if (t == 0)
        s[0] = in[0]; // no thread of another warp reads it
    if (t == 127)
        s[129] = in[129];
    if (BARRIER)
        __syncthreads();
    else
        __syncwarp();
    out[t] = s[t] + s[t + 1] + s[t + 2]; // found stencil_halo: racecheck error // missing stencil_halo: no barrier of the block
}

static void run_stencil(void (*kernel)(const int *, int *))
{
    int *in = zeros<int>(130), *d = zeros<int>(128);
    kernel<<<1, 128>>>(in, d);
    finish(d, 128);
    cudaFree(in);
}

CASE(stencil_halo) { run_stencil(stencil<0>); }
CASE(stencil_clean) { run_stencil(stencil<1>); } // silent

__global__ void scan_inplace(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = 1;
    for (int step = 1; step < 128; step *= 2) {
        __syncthreads();
        if (t >= step)
            s[t] += s[t - step]; // found scan_inplace: racecheck error
    }
    out[t] = s[t];
}

CASE(scan_inplace) { int *d = zeros<int>(128); scan_inplace<<<1, 128>>>(d); finish(d, 128); }

__global__ void scan_pingpong(int *out)
{
    __shared__ int s[2][128];
    int t = threadIdx.x, from = 0;
    s[0][t] = 1;
    for (int step = 1; step < 128; step *= 2, from = 1 - from) {
        __syncthreads();
        s[1 - from][t] = s[from][t] + (t >= step ? s[from][t - step] : 0);
    }
    out[t] = s[from][t];
}

CASE(scan_pingpong) { int *d = zeros<int>(128); scan_pingpong<<<1, 128>>>(d); finish(d, 128); } // silent

template <int BARRIER> __global__ void storage_reuse(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    int a = s[63 - t]; // found storage_reuse: racecheck error
    if (BARRIER)
        __syncthreads();
    s[t] = 2 * t; // found storage_reuse: racecheck error
    __syncthreads();
    out[t] = a + s[63 - t];
}

CASE(storage_reuse) { int *d = zeros<int>(64); storage_reuse<0><<<1, 64>>>(d); finish(d, 64); }
CASE(storage_reuse_clean) { int *d = zeros<int>(64); storage_reuse<1><<<1, 64>>>(d); finish(d, 64); } // silent

__global__ void bytes(int *out)
{
    __shared__ unsigned char b[128];
    __shared__ unsigned short h[128];
    int t = threadIdx.x;
    b[t] = t;
    h[(t * 64 + t / 2) % 128] = t;
    out[t] = b[t] + h[(t * 64 + t / 2) % 128];
}

CASE(bytes_of_words) { int *d = zeros<int>(128); bytes<<<1, 128>>>(d); finish(d, 128); } // silent

template <int ATOMIC> __global__ void histogram(const int *in, int *out)
{
    __shared__ int bins[32];
    int t = threadIdx.x;
    if (t < 32)
        bins[t] = 0;
    __syncthreads();
    if (ATOMIC)
        atomicAdd(&bins[(t + in[t]) % 32], 1);
    else
        bins[(t + in[t]) % 32] += 1; // found histogram_plain: racecheck error, warning
    __syncthreads();
    if (t < 32)
        atomicAdd(&out[t], bins[t]);
}

static void run_histogram(void (*kernel)(const int *, int *))
{
    int *in = zeros<int>(128), *d = zeros<int>(32);
    kernel<<<4, 128>>>(in, d);
    finish(d, 32);
    cudaFree(in);
}

CASE(histogram_plain) { run_histogram(histogram<0>); }
CASE(histogram_private) { run_histogram(histogram<1>); } // silent

template <int BARRIER> __global__ void histogram_zero(int *out)
{
    __shared__ int bins[32];
    int t = threadIdx.x;
    if (t < 32)
        bins[t] = 0; // found histogram_zero_nobar: racecheck error
    if (BARRIER)
        __syncthreads();
    atomicAdd(&bins[t % 32], 1); // found histogram_zero_nobar: racecheck error
    __syncthreads();
    if (t < 32)
        out[t] = bins[t];
}

CASE(histogram_zero_nobar) { int *d = zeros<int>(32); histogram_zero<0><<<1, 64>>>(d); finish(d, 32); }
CASE(histogram_zero_clean) { int *d = zeros<int>(32); histogram_zero<1><<<1, 64>>>(d); finish(d, 32); } // silent

template <int BARRIER> __global__ void broadcast(int *out)
{
    __shared__ int value;
    if (threadIdx.x == 0)
        value = out[0] + 7; // found broadcast_nobar: racecheck error
    if (BARRIER)
        __syncthreads();
    out[threadIdx.x + 1] = value; // found broadcast_nobar: racecheck error
}

CASE(broadcast_nobar) { int *d = zeros<int>(65); broadcast<0><<<1, 64>>>(d); finish(d, 64); }
CASE(broadcast_clean) { int *d = zeros<int>(65); broadcast<1><<<1, 64>>>(d); finish(d, 64); } // silent

__global__ void same_value(int *out)
{
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        found = 1; // found same_value: racecheck warning
    __syncthreads();
    out[threadIdx.x] = found;
}

CASE(same_value) { int *d = zeros<int>(64); same_value<<<1, 64>>>(d); finish(d, 64); }

/* One instruction of one warp: one of its stores is performed, whichever. */
__global__ void one_value(int *out)
{
    __shared__ int found;
    found = out[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = found + 1;
}

CASE(one_value_of_a_warp) { int *d = zeros<int>(32); one_value<<<1, 32>>>(d); finish(d, 32); } // silent

__global__ void double_buffer(const int *in, int *out)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 4; i++) {
        s[i % 2][t] = in[i * 64 + t];
        __syncthreads();
        sum += s[i % 2][63 - t];
    }
    out[t] = sum;
}

CASE(double_buffer)  // silent: one barrier a step is enough
{
    int *in = zeros<int>(256), *d = zeros<int>(64);
    double_buffer<<<1, 64>>>(in, d);
    finish(d, 64);
    cudaFree(in);
}

template <int SYNC> __global__ void named_barriers(int *out)
{
    __shared__ int s[2][32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x < 32) { // the producer: waits for an empty buffer, fills it
            if (i >= 2)
                asm volatile("bar.sync %0, 64;" ::"r"(3 + i % 2) : "memory");
            s[i % 2][lane] = i + lane; // found named_late: racecheck error
            if (SYNC)
                asm volatile("bar.arrive %0, 64;" ::"r"(1 + i % 2) : "memory");
        } else { // the consumer
            if (SYNC)
                asm volatile("bar.sync %0, 64;" ::"r"(1 + i % 2) : "memory");
            sum += s[i % 2][31 - lane]; // found named_late: racecheck error
            if (i < 2)
                asm volatile("bar.arrive %0, 64;" ::"r"(3 + i % 2) : "memory");
        }
    }
    out[threadIdx.x] = sum;
}

CASE(named_late) { int *d = zeros<int>(64); named_barriers<0><<<1, 64>>>(d); finish(d, 64); }
CASE(named_barriers) { int *d = zeros<int>(64); named_barriers<1><<<1, 64>>>(d); finish(d, 64); } // silent

__global__ void early_exit(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= 64)
        return;
    s[t] = t;
    __syncthreads();
    out[t] = s[63 - t];
}

CASE(early_exit) { int *d = zeros<int>(64); early_exit<<<1, 128>>>(d); finish(d, 64); } // silent

template <int BARRIER> __global__ void counter(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0; // found count_nobar: racecheck error
    if (BARRIER)
        __syncthreads();
    atomicAdd(&count, 1); // found count_nobar: racecheck error
    __syncthreads();
    out[threadIdx.x] = count;
}

static void run_counter(void (*kernel)(int *)) { int *d = zeros<int>(64); kernel<<<1, 64>>>(d); finish(d, 64); }

CASE(count_nobar) { run_counter(counter<0>); }
CASE(count_bar) { run_counter(counter<1>); } // silent

/* As same_value and one_value, by vectors. */
__global__ void same_vector(int *out)
{
    __shared__ int4 found;
    if (threadIdx.x % 32 == 0)
        found = make_int4(1, 2, 3, 4); // found same_vector: racecheck warning
    __syncthreads();
    out[threadIdx.x] = found.w;
}

CASE(same_vector) { int *d = zeros<int>(64); same_vector<<<1, 64>>>(d); finish(d, 64); }

__global__ void one_vector(int4 *out) { out[0] = make_int4(out[1].x, 2, 3, 4); }

CASE(one_vector_of_a_warp) { int *d = zeros<int>(8); one_vector<<<1, 32>>>((int4 *)d); finish(d, 8); } // silent

__global__ void two_vectors(int *out)
{
    __shared__ int4 found;
    if (threadIdx.x % 32 == 0)
        found = make_int4(1, 2, 3, threadIdx.x); // found two_vectors: racecheck error
    __syncthreads();
    out[threadIdx.x] = found.w;
}

CASE(two_vectors) { int *d = zeros<int>(64); two_vectors<<<1, 64>>>(d); finish(d, 64); }
