/* Memory that nobody has written: where it is used, and where it is only moved. */
#include "cases.h"
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

/* Device memory that nothing has written. */
template <typename T> static T *fresh(size_t count)
{
    void *p = nullptr;
    cudaMalloc(&p, count * sizeof(T));
    return static_cast<T *>(p);
}

/* ---- atomics ---- */
__global__ void histogram(const int *in, int *bins)
{
    atomicAdd(&bins[in[threadIdx.x] & 15], 1); // found histogram_fresh: initcheck error
}
CASE(histogram_fresh)
{
    int *in = zeros<int>(64), *bins = fresh<int>(16);
    histogram<<<1, 64>>>(in, bins);
    finish(bins, 16);
}
CASE(histogram_zeroed) // silent
{
    int *in = zeros<int>(64), *bins = zeros<int>(16);
    histogram<<<1, 64>>>(in, bins);
    finish(bins, 16);
}
__global__ void shared_histogram(int *out, bool clear)
{
    __shared__ int bins[32];
    if (clear) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x & 7], 1); // found shared_histogram_fresh: initcheck error
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x & 7];
}
CASE(shared_histogram_fresh)
{
    int *out = zeros<int>(32);
    shared_histogram<<<1, 32>>>(out, false);
    finish(out, 32);
}
CASE(shared_histogram_zeroed) // silent
{
    int *out = zeros<int>(32);
    shared_histogram<<<1, 32>>>(out, true);
    finish(out, 32);
}
__global__ void add_operand(const float *in, float *sum)
{
    atomicAdd(sum, in[threadIdx.x]); // found atomic_operand: initcheck error
}
CASE(atomic_operand)
{
    float *in = fresh<float>(32), *sum = zeros<float>(1);
    add_operand<<<1, 32>>>(in, sum);
    finish(sum, 1);
}
__global__ void take_lock(int *lock, int *out)
{
    if (atomicCAS(lock, 0, 1) == 0) out[0] = 1; // found lock_fresh: initcheck error
}
CASE(lock_fresh)
{
    int *lock = fresh<int>(1), *out = zeros<int>(1);
    take_lock<<<1, 1>>>(lock, out);
    finish(out, 1);
}
__global__ void exchange(int *p, int *out) { out[threadIdx.x] = atomicExch(&p[threadIdx.x], 1) * 0; }
CASE(exchange_moves) // silent: the old value is not used
{
    int *p = fresh<int>(32), *out = zeros<int>(32);
    exchange<<<1, 32>>>(p, out);
    finish(out, 32);
}

/* ---- branches, addresses ---- */
__global__ void branch(const int *in, int *out)
{
    if (in[threadIdx.x] > 3) // found branch_fresh, branch_tail: initcheck error
        atomicAdd(out, 1);
}
CASE(branch_fresh)
{
    int *in = fresh<int>(32), *out = zeros<int>(1);
    branch<<<1, 32>>>(in, out);
    finish(out, 1);
}
CASE(branch_tail)
{
    int *in = fresh<int>(32), *out = zeros<int>(1);
    cudaMemset(in, 0, 31 * sizeof(int));
    branch<<<1, 32>>>(in, out);
    finish(out, 1);
}
CASE(branch_set) // silent
{
    int *in = fresh<int>(32), *out = zeros<int>(1);
    cudaMemset(in, 0, 32 * sizeof(int));
    branch<<<1, 32>>>(in, out);
    finish(out, 1);
}
__global__ void gather(const int *index, const int *in, int *out)
{
    out[threadIdx.x] = in[index[threadIdx.x] & 31]; // found index_fresh: initcheck error
}
CASE(index_fresh)
{
    int *index = fresh<int>(32), *in = zeros<int>(32), *out = zeros<int>(32);
    gather<<<1, 32>>>(index, in, out);
    finish(out, 32);
}
__global__ void sum_first(const int *count, const int *in, int *out)
{
    int sum = 0;
    for (int i = 0; i < *count; i++) // found count_fresh: initcheck error
        sum += in[i];
    *out = sum;
}
CASE(count_fresh)
{
    int *count = fresh<int>(1), *in = zeros<int>(32), *out = zeros<int>(1);
    sum_first<<<1, 1>>>(count, in, out);
    finish(out, 1);
}

/* ---- results that reach the host ---- */
__global__ void accumulate(const float *in, float *out)
{
    out[threadIdx.x] += in[threadIdx.x]; // found accumulate_fresh, accumulate_read: initcheck error
}
CASE(accumulate_fresh)
{
    float *in = zeros<float>(64), *out = fresh<float>(64);
    accumulate<<<1, 64>>>(in, out);
    finish(out, 64);
}
CASE(accumulate_read)
{
    float *in = fresh<float>(64), *out = zeros<float>(64);
    accumulate<<<1, 64>>>(in, out);
    finish(out, 64);
}
CASE(accumulate_set) // silent
{
    float *in = zeros<float>(64), *out = zeros<float>(64);
    accumulate<<<1, 64>>>(in, out);
    finish(out, 64);
}
CASE(accumulate_dropped) // silent: nobody looks at the result
{
    float *in = zeros<float>(64), *out = fresh<float>(64);
    accumulate<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
}
CASE(accumulate_part) // silent: only the part that is defined is copied
{
    float *in = zeros<float>(64), *out = fresh<float>(64);
    cudaMemset(out, 0, 32 * sizeof(float));
    accumulate<<<1, 64>>>(in, out);
    finish(out, 32);
}
__global__ void reduce(const float *in, float *out, int n)
{
    __shared__ float part[128];
    int t = threadIdx.x;
    if (t < n) part[t] = in[t];
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (t < k) part[t] += part[t + k]; // found reduce_short: initcheck error
        __syncthreads();
    }
    if (t == 0) *out = part[0]; // found reduce_short: initcheck error
}
CASE(reduce_short)
{
    float *in = zeros<float>(128), *out = zeros<float>(1);
    reduce<<<1, 128>>>(in, out, 100);
    finish(out, 1);
}
CASE(reduce_full) // silent
{
    float *in = zeros<float>(128), *out = zeros<float>(1);
    reduce<<<1, 128>>>(in, out, 128);
    finish(out, 1);
}
__global__ void tile(const int *in, int *out, int n)
{
    __shared__ int t[32][33];
    if (threadIdx.x < n) t[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y] + 1; // found tile_part: initcheck error
}
CASE(tile_part)
{
    int *in = zeros<int>(1024), *out = zeros<int>(1024);
    tile<<<1, dim3(32, 32)>>>(in, out, 31);
    finish(out, 1024);
}
CASE(tile_whole) // silent
{
    int *in = zeros<int>(1024), *out = zeros<int>(1024);
    tile<<<1, dim3(32, 32)>>>(in, out, 32);
    finish(out, 1024);
}
__global__ void into_managed(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1; // found managed_result: initcheck error
}
CASE(managed_result)
{
    int *in = fresh<int>(32), *out = nullptr;
    cudaMallocManaged(&out, 32 * sizeof(int));
    into_managed<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%d\n", out[3]);
}
CASE(managed_source) // silent: the host writes managed memory as it likes
{
    int *in = nullptr, *out = zeros<int>(32);
    cudaMallocManaged(&in, 32 * sizeof(int));
    into_managed<<<1, 32>>>(in, out);
    finish(out, 32);
}
CASE(pinned_source) // silent
{
    int *in = nullptr, *out = zeros<int>(32);
    cudaMallocHost(&in, 32 * sizeof(int));
    into_managed<<<1, 32>>>(in, out);
    finish(out, 32);
}

/* ---- two kernels ---- */
__global__ void move(const int *in, int *out, int n)
{
    if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x];
}
__global__ void test(const int *in, int *out)
{
    if (in[threadIdx.x]) // found moved_then_tested, copied_then_tested, half_copied: initcheck error
        atomicAdd(out, 1);
}
CASE(moved_then_tested)
{
    int *in = fresh<int>(32), *between = zeros<int>(32), *out = zeros<int>(1);
    move<<<1, 32>>>(in, between, 32);
    test<<<1, 32>>>(between, out);
    finish(out, 1);
}
CASE(copied_then_tested)
{
    int *in = fresh<int>(32), *between = zeros<int>(32), *out = zeros<int>(1);
    cudaMemcpy(between, in, 128, cudaMemcpyDeviceToDevice);
    test<<<1, 32>>>(between, out);
    finish(out, 1);
}
CASE(half_copied)
{
    int host[16] = {}, *in = fresh<int>(32), *out = zeros<int>(1);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    test<<<1, 32>>>(in, out);
    finish(out, 1);
}
CASE(all_copied) // silent
{
    int host[32] = {}, *in = fresh<int>(32), *out = zeros<int>(1);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    test<<<1, 32>>>(in, out);
    finish(out, 1);
}
CASE(moved_only) // silent: undefined bytes may be moved
{
    int *in = fresh<int>(32), *out = zeros<int>(32);
    move<<<1, 32>>>(in, out, 32);
    cudaDeviceSynchronize();
}
CASE(moved_part) // silent: what is tested was written
{
    int *in = zeros<int>(32), *between = fresh<int>(64), *out = zeros<int>(1);
    move<<<1, 32>>>(in, between, 32);
    test<<<1, 32>>>(between, out);
    finish(out, 1);
}
CASE(pool_set) // silent
{
    int *p = nullptr, *out = zeros<int>(32);
    cudaMallocAsync((void **)&p, 128, 0);
    cudaMemsetAsync(p, 0, 128, 0);
    test<<<1, 32>>>(p, out);
    cudaFreeAsync(p, 0);
    finish(out, 32);
}
__global__ void test_pool(const int *in, int *out)
{
    if (in[threadIdx.x]) // found pool_fresh, freed_again: initcheck error
        atomicAdd(out, 1);
}
CASE(pool_fresh)
{
    int *p = nullptr, *out = zeros<int>(32);
    cudaMallocAsync((void **)&p, 128, 0);
    test_pool<<<1, 32>>>(p, out);
    cudaFreeAsync(p, 0);
    finish(out, 32);
}
CASE(freed_again)
{
    int *p = zeros<int>(32), *out = zeros<int>(1);
    cudaFree(p);
    p = fresh<int>(32);
    test_pool<<<1, 32>>>(p, out);
    finish(out, 1);
}
__device__ int counter[32];
__global__ void count_up(int *out) { out[threadIdx.x] = ++counter[threadIdx.x]; }
CASE(variable_is_zero) // silent
{
    int *out = zeros<int>(32);
    count_up<<<1, 32>>>(out);
    finish(out, 32);
}

/* ---- local memory and registers ---- */
__global__ void local_array(int *out, int n, int k)
{
    int a[32];
    for (int i = 0; i < n; i++) a[(i * 7) & 31] = i;
    if (a[k & 31] > 4) out[threadIdx.x] = 1; // found local_part: initcheck error
}
CASE(local_part)
{
    int *out = zeros<int>(32);
    local_array<<<1, 32>>>(out, 20, 1);
    finish(out, 32);
}
CASE(local_whole) // silent
{
    int *out = zeros<int>(32);
    local_array<<<1, 32>>>(out, 32, 5);
    finish(out, 32);
}

/* ---- parts of words ---- */
struct flags {
    unsigned a : 3, b : 5, c : 24;
};
__global__ void set_bits(flags *f)
{
    f[threadIdx.x].a = 1;
    f[threadIdx.x].b = 2;
}
__global__ void read_bits(const flags *f, int *out, bool all)
{
    int v = 0;
    if (f[threadIdx.x].a == 1 && f[threadIdx.x].b == 2) v = 1; // found bit_field_unset: initcheck error
    if (all && f[threadIdx.x].c) v = 2;
    out[threadIdx.x] = v; // found bit_field_unset: initcheck error
}
CASE(bit_fields) // silent: only what was set is read
{
    flags *f = fresh<flags>(32);
    int *out = zeros<int>(32);
    set_bits<<<1, 32>>>(f);
    read_bits<<<1, 32>>>(f, out, false);
    finish(out, 32);
}
CASE(bit_field_unset)
{
    flags *f = fresh<flags>(32);
    int *out = zeros<int>(32);
    set_bits<<<1, 32>>>(f);
    read_bits<<<1, 32>>>(f, out, true);
    finish(out, 32);
}
struct padded {
    char c;
    int i;
    short s;
    double d;
};
__global__ void fill_padded(padded *p)
{
    padded v;
    v.c = 1, v.i = 2, v.s = 3, v.d = 4;
    p[threadIdx.x] = v;
}
__global__ void copy_padded(const padded *p, padded *q)
{
    __shared__ padded t[32];
    t[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    q[threadIdx.x] = t[31 - threadIdx.x];
}
CASE(padding_copied) // silent
{
    padded *p = fresh<padded>(32), *q = fresh<padded>(32), host[32];
    fill_padded<<<1, 32>>>(p);
    copy_padded<<<1, 32>>>(p, q);
    cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[3].i);
}
__global__ void half_sum(const half2 *in, half *out, int n)
{
    half2 v = in[threadIdx.x]; // found halves_fresh: initcheck error
    half2 w = __hadd2(v, v);
    out[2 * threadIdx.x] = __low2half(w);
    if (2 * threadIdx.x + 1 < n) out[2 * threadIdx.x + 1] = __high2half(w); // found halves_fresh: initcheck error
}
CASE(halves_odd) // silent: the upper half of the last pair is not used
{
    half *in = fresh<half>(64), *out = zeros<half>(64);
    cudaMemset(in, 0, 63 * 2);
    half_sum<<<1, 32>>>((half2 *)in, out, 63);
    half host[63];
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}
CASE(halves_fresh)
{
    half *in = fresh<half>(64), *out = zeros<half>(64);
    cudaMemset(in, 0, 63 * 2);
    half_sum<<<1, 32>>>((half2 *)in, out, 64);
    half host[64];
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}
__global__ void bytes(const unsigned char *in, int *out)
{
    unsigned w = reinterpret_cast<const unsigned *>(in)[threadIdx.x]; // found byte_fresh: initcheck error
    if ((w & 0xff) == 7) out[threadIdx.x] = 1;
    if ((w >> 16 & 0xff) == 7) out[threadIdx.x] = 2; // found byte_fresh: initcheck error
}
CASE(byte_fresh)
{
    unsigned char *in = fresh<unsigned char>(128);
    int *out = zeros<int>(32);
    cudaMemset2D(in, 4, 0, 2, 32);
    bytes<<<1, 32>>>(in, out);
    finish(out, 32);
}
CASE(byte_set) // silent: the last byte of each word is not used
{
    unsigned char *in = fresh<unsigned char>(128);
    int *out = zeros<int>(32);
    cudaMemset2D(in, 4, 0, 3, 32);
    bytes<<<1, 32>>>(in, out);
    finish(out, 32);
}
CASE(rows_with_gaps) // silent: the gap between rows of a pitched copy
{
    char *p = nullptr, host[32 * 100] = {}, back[32 * 100];
    size_t pitch;
    cudaMallocPitch((void **)&p, &pitch, 100, 32);
    cudaMemcpy2D(p, pitch, host, 100, 100, 32, cudaMemcpyHostToDevice);
    cudaMemcpy2D(back, 100, p, pitch, 100, 32, cudaMemcpyDeviceToHost);
}

/* ---- warps ---- */
__global__ void shuffled(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    int v = in[t]; // found shuffle_fresh: initcheck error
    for (int k = 16; k; k >>= 1) {
        int other = __shfl_down_sync(~0u, v, k);
        if (t + k < n) v += other;
    }
    if (t == 0) *out = v; // found shuffle_fresh: initcheck error
}
CASE(shuffle_part) // silent: lanes beyond n are not added
{
    int *in = fresh<int>(32), *out = zeros<int>(1);
    cudaMemset(in, 0, 20 * 4);
    shuffled<<<1, 32>>>(in, out, 20);
    finish(out, 1);
}
CASE(shuffle_fresh)
{
    int *in = fresh<int>(32), *out = zeros<int>(1);
    cudaMemset(in, 0, 20 * 4);
    shuffled<<<1, 32>>>(in, out, 32);
    finish(out, 1);
}
__global__ void shuffle_by(const int *lane, int *out)
{
    out[threadIdx.x] = __shfl_sync(~0u, (int)threadIdx.x, lane[threadIdx.x]); // found shuffle_lane: initcheck error
}
CASE(shuffle_lane)
{
    int *lane = fresh<int>(32), *out = zeros<int>(32);
    shuffle_by<<<1, 32>>>(lane, out);
    finish(out, 32);
}
__global__ void ballot(const int *in, int *out, int n)
{
    unsigned all = __ballot_sync(~0u, threadIdx.x < n && in[threadIdx.x] > 0);
    if (all) out[threadIdx.x] = 1;
}
CASE(ballot_part) // silent
{
    int *in = fresh<int>(32), *out = zeros<int>(32);
    cudaMemset(in, 0, 20 * 4);
    ballot<<<1, 32>>>(in, out, 20);
    finish(out, 32);
}
__global__ void ballot_all(const int *in, int *out)
{
    unsigned all = __ballot_sync(~0u, in[threadIdx.x] > 0); // found ballot_last: initcheck error
    if (all & 1) out[threadIdx.x] = 1;
    if (all >> 31) out[threadIdx.x] = 2; // found ballot_last: initcheck error
}
CASE(ballot_last)
{
    int *in = fresh<int>(32), *out = zeros<int>(32);
    cudaMemset(in, 0, 20 * 4);
    ballot_all<<<1, 32>>>(in, out);
    finish(out, 32);
}
CASE(ballot_first) // silent
{
    int *in = zeros<int>(32), *out = zeros<int>(32);
    ballot_all<<<1, 32>>>(in, out);
    finish(out, 32);
}
__global__ void ballot_any(const int *in, int *out)
{
    if (__any_sync(~0u, in[threadIdx.x] > 0)) out[threadIdx.x] = 1; // found any_fresh: initcheck error
}
CASE(any_fresh)
{
    int *in = fresh<int>(32), *out = zeros<int>(32);
    cudaMemset(in, 0, 20 * 4);
    ballot_any<<<1, 32>>>(in, out);
    finish(out, 32);
}
CASE(any_decided) // silent: a defined lane decides
{
    int *in = fresh<int>(32), *out = zeros<int>(32);
    cudaMemset(in, 1, 20 * 4);
    ballot_any<<<1, 32>>>(in, out);
    finish(out, 32);
}

/* ---- selection and masking ---- */
__global__ void masked(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    int v = in[t];
    out[t] = t < n ? v * 3 : -1;
}
CASE(selected_away) // silent
{
    int *in = fresh<int>(32), *out = zeros<int>(32);
    cudaMemset(in, 0, 20 * 4);
    masked<<<1, 32>>>(in, out, 20);
    finish(out, 32);
}
__global__ void and_away(const int *in, const int *mask, int *out)
{
    if (in[threadIdx.x] & mask[threadIdx.x]) out[threadIdx.x] = 1;
}
CASE(masked_away) // silent: the mask is zero
{
    int *in = fresh<int>(32), *mask = zeros<int>(32), *out = zeros<int>(32);
    and_away<<<1, 32>>>(in, mask, out);
    finish(out, 32);
}
__global__ void grid_stride(const float *in, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * in[i];
}
CASE(stride_tail) // silent: what lies behind n is not read
{
    float *in = fresh<float>(1024), *out = fresh<float>(1024);
    cudaMemset(in, 0, 1000 * 4);
    grid_stride<<<2, 64>>>(in, out, 1000);
    finish(out, 1000);
}
__global__ void ping(const float *from, float *to)
{
    int t = threadIdx.x;
    to[t] = (from[t] + from[(t + 1) & 63]) / 2;
}
CASE(double_buffer) // silent
{
    float *a = zeros<float>(64), *b = fresh<float>(64);
    for (int i = 0; i < 4; i++) {
        ping<<<1, 64>>>(a, b);
        float *t = a;
        a = b, b = t;
    }
    finish(a, 64);
}
__global__ void clear(int *p) { p[threadIdx.x] = 0; }
CASE(cleared_by_kernel) // silent
{
    int *in = zeros<int>(32), *bins = fresh<int>(32);
    clear<<<1, 32>>>(bins);
    histogram<<<1, 32>>>(in, bins);
    finish(bins, 16);
}

/* ---- asynchronous copies ---- */
__global__ void staged(const int *in, int *out, int n)
{
    __shared__ int4 t[32];
    int left = n - 4 * int(threadIdx.x);
    int bytes = left <= 0 ? 0 : left >= 4 ? 16 : 4 * left;
    unsigned to = unsigned(__cvta_generic_to_shared(&t[threadIdx.x]));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in + 4 * threadIdx.x), "r"(bytes));
    asm volatile("cp.async.wait_all;" ::: "memory");
    int4 v = t[threadIdx.x]; // found async_fresh: initcheck error
    if (v.x + v.y + v.z + v.w) out[threadIdx.x] = 1; // found async_fresh: initcheck error
}
CASE(async_tail) // silent: what is beyond the end is filled with zeros
{
    int *in = fresh<int>(128), *out = zeros<int>(32);
    cudaMemset(in, 0, 50 * 4);
    staged<<<1, 32>>>(in, out, 50);
    finish(out, 32);
}
CASE(async_fresh)
{
    int *in = fresh<int>(128), *out = zeros<int>(32);
    cudaMemset(in, 0, 50 * 4);
    staged<<<1, 32>>>(in, out, 51);
    finish(out, 32);
}

/* The barriers of tiles of several warps lie in shared memory of the system; the first user of each clears its bit. */
__global__ void large_tiles(int *out)
{
    __shared__ cg::block_tile_memory<128> scratch;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(scratch));
    tile.sync();
    out[threadIdx.x] = (int)tile.thread_rank();
}
CASE(tiles_of_warps) { int *d = zeros<int>(128); large_tiles<<<1, 128>>>(d); finish(d, 128); } // silent

/* ---- clusters ---- */
template <int ALL> __global__ void __cluster_dims__(2) push(int *out)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    cluster.sync();
    if (ALL || t < 31) cluster.map_shared_rank(s, rank ^ 1)[t] = t;
    cluster.sync();
    out[rank * 32 + t] = s[t] + 1; // found cluster_part: initcheck error
}
CASE(cluster_part) { int *d = zeros<int>(64); push<0><<<2, 32>>>(d); finish(d, 64); }
CASE(cluster_all) { int *d = zeros<int>(64); push<1><<<2, 32>>>(d); finish(d, 64); } // silent

/* ---- matrices ---- */
__global__ void product(const float *a, const float *b, float *out)
{
    const unsigned *ra = reinterpret_cast<const unsigned *>(a), *rb = reinterpret_cast<const unsigned *>(b);
    int t = threadIdx.x;
    unsigned a0 = ra[t], a1 = ra[t + 32], b0 = rb[t]; // found mma_part: initcheck error
    float c[4] = {};
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(b0));
    for (int k = 0; k < 4; k++)
        if (out) out[t * 4 + k] = c[k]; // found mma_part: initcheck error
}
static void run_product(int written)
{
    float *a = fresh<float>(64), *b = zeros<float>(32), *out = zeros<float>(128);
    cudaMemset(a, 0, written * sizeof(float));
    product<<<1, 32>>>(a, b, out);
    finish(out, 128);
}
CASE(mma_part) { run_product(63); }
CASE(mma_all) { run_product(64); } // silent
CASE(mma_row_unused) // silent: what nobody has written belongs to a row of the product that is not stored
{
    float *a = fresh<float>(64), *out = zeros<float>(128);
    cudaMemset(a, 0, 60 * sizeof(float));
    product<<<1, 32>>>(a, zeros<float>(32), out);
    finish(out, 4 * 28);
}
CASE(mma_unread) { product<<<1, 32>>>(fresh<float>(64), fresh<float>(32), nullptr); finish(zeros<int>(1), 1); } // silent

/* ---- textures and surfaces ---- */
__global__ void fetched(cudaTextureObject_t texture, const int *limit, int *out)
{
    int v = tex1Dfetch<int>(texture, threadIdx.x); // found texture_part: initcheck error
    out[threadIdx.x] = v;
    if (limit && v > *limit) out[0] = 1; // found texture_part: initcheck error
}
static void run_fetched(int written, bool decides)
{
    int *in = fresh<int>(32), *limit = zeros<int>(1), *out = zeros<int>(32);
    cudaMemset(in, 0, written * sizeof(int));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = in;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 32 * sizeof(int);
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    fetched<<<1, 32>>>(texture, decides ? limit : nullptr, out);
    finish(out, decides ? 31 : 32);
}
CASE(texture_part) { run_fetched(31, true); }
CASE(texture_all) { run_fetched(32, true); } // silent
CASE(texture_moved) { run_fetched(31, false); } // silent

__global__ void surface_write(cudaSurfaceObject_t s, int n) { if (threadIdx.x < n) surf1Dwrite(7, s, threadIdx.x * 4); }
__global__ void surface_read(cudaSurfaceObject_t s, int *out)
{
    int v = surf1Dread<int>(s, threadIdx.x * 4); // found surface_part: initcheck error
    if (v > 5) out[threadIdx.x] = v; // found surface_part: initcheck error
}
static void run_surface(int written)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaResourceDesc resource = {};
    int *out = zeros<int>(32);
    resource.resType = cudaResourceTypeArray;
    cudaMallocArray(&resource.res.array.array, &format, 32, 0, cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t s;
    cudaCreateSurfaceObject(&s, &resource);
    surface_write<<<1, 32>>>(s, written);
    surface_read<<<1, 32>>>(s, out);
    finish(out, 32);
}
CASE(surface_part) { run_surface(31); }
CASE(surface_all) { run_surface(32); } // silent

/* ---- bulk reductions and copies by tensor maps ---- */
template <int WRITTEN> __global__ void bulk_add(int *out)
{
    __shared__ alignas(128) int s[32];
    unsigned from = (unsigned)__cvta_generic_to_shared(s);
    if (threadIdx.x < WRITTEN) s[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x) return;
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 128;" ::"l"(out), "r"(from) : "memory"); // found bulk_add_fresh, bulk_add_part: initcheck error
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
CASE(bulk_add_fresh) { int *d = fresh<int>(32); bulk_add<32><<<1, 32>>>(d); finish(d, 32); }
CASE(bulk_add_part) { int *d = zeros<int>(32); bulk_add<31><<<1, 32>>>(d); finish(d, 32); }
CASE(bulk_add_all) { int *d = zeros<int>(32); bulk_add<32><<<1, 32>>>(d); finish(d, 32); } // silent

template <int LIMIT> __global__ void boxed(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ alignas(128) int tile[8 * 8];
    __shared__ unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar), to = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.proxy.async.shared::cta;" ::"r"(b) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(b) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];"
                     ::"r"(to), "l"(&map), "r"(b) : "memory");
    }
    __syncthreads();
    asm volatile("{\n.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra AGAIN;\n}" ::"r"(b) : "memory");
    int v = tile[threadIdx.x]; // found boxed_part: initcheck error
    if (v > LIMIT) out[threadIdx.x] = v; // found boxed_part: initcheck error
}
static void run_boxed(int written)
{
    int *in = fresh<int>(64), *out = zeros<int>(64);
    cudaMemset(in, 0, written * sizeof(int));
    void *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    CUtensorMap map;
    cuuint64_t size[2] = {8, 8}, pitch[1] = {32};
    cuuint32_t box[2] = {8, 8}, step[2] = {1, 1};
    reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, size, pitch, box, step,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    boxed<5><<<1, 64>>>(map, out);
    finish(out, 64);
}
CASE(boxed_part) { run_boxed(63); }
CASE(boxed_all) { run_boxed(64); } // silent
