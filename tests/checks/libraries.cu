/* Thrust, CUB, cooperative groups and libcu++ as correct programs use them: all silent. */
#include "cases.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

namespace cg = cooperative_groups;

static const int COUNT = 10000;

static thrust::device_vector<int> numbers(int modulus)
{
    thrust::host_vector<int> h(COUNT);
    unsigned x = 12345;
    for (int &v : h) v = int((x = x * 1664525 + 1013904223) >> 8) % modulus;
    return h;
}

static void show(const thrust::device_vector<int> &v)
{
    thrust::host_vector<int> h = v;
    long long sum = 0;
    for (size_t i = 0; i < h.size(); i++) sum += (long long)h[i] * (long long)(i % 1000 + 1);
    printf("%zu: %lld\n", h.size(), sum);
}

/* Calls a function of CUB twice: for the size of its storage, then to do the work. */
template <typename F> static void with_storage(F call)
{
    size_t bytes = 0;
    void *storage = nullptr;
    call(storage, bytes);
    cudaMalloc(&storage, bytes);
    call(storage, bytes);
    cudaDeviceSynchronize();
    cudaFree(storage);
}

CASE(thrust_sort) // silent
{
    thrust::device_vector<int> v = numbers(1 << 20);
    thrust::sort(v.begin(), v.end(), thrust::greater<int>());
    show(v);
}

CASE(thrust_sort_by_key) // silent
{
    thrust::device_vector<int> k = numbers(500), v(COUNT);
    thrust::sequence(v.begin(), v.end());
    thrust::stable_sort_by_key(k.begin(), k.end(), v.begin());
    show(v);
}

struct by_last_digit {
    __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

CASE(thrust_merge_sort) // silent
{
    thrust::device_vector<int> v = numbers(1 << 20);
    thrust::stable_sort(v.begin(), v.end(), by_last_digit());
    show(v);
}

CASE(thrust_scan_by_key) // silent
{
    thrust::device_vector<int> k = numbers(3), v = numbers(10), out(COUNT);
    thrust::inclusive_scan_by_key(k.begin(), k.end(), v.begin(), out.begin());
    show(out);
}

CASE(thrust_unique) // silent
{
    thrust::device_vector<int> v = numbers(3), out(COUNT);
    out.erase(thrust::unique_copy(v.begin(), v.end(), out.begin()), out.end());
    show(out);
}

CASE(thrust_unique_in_place) // silent
{
    thrust::device_vector<int> v = numbers(3);
    v.erase(thrust::unique(v.begin(), v.end()), v.end());
    show(v);
}

CASE(thrust_reduce_by_key) // silent
{
    thrust::device_vector<int> k = numbers(3), v = numbers(10), keys(COUNT), sums(COUNT);
    auto end = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), keys.begin(), sums.begin());
    sums.erase(end.second, sums.end());
    show(sums);
}

CASE(thrust_transform) // silent
{
    thrust::device_vector<int> a = numbers(1000), b = numbers(77), c(COUNT);
    thrust::transform(a.begin(), a.end(), b.begin(), c.begin(), thrust::multiplies<int>());
    printf("%d\n", thrust::reduce(c.begin(), c.end()));
    show(c);
}

CASE(cub_scan) // silent
{
    thrust::device_vector<int> v = numbers(10), out(COUNT);
    with_storage([&](void *s, size_t &n) { cub::DeviceScan::InclusiveSum(s, n, v.data().get(), out.data().get(), COUNT); });
    show(out);
}

/* A value of 12 bytes does not fit into one word with its status. */
struct wide {
    int a, b, c;
};
struct add_wide {
    __host__ __device__ wide operator()(const wide &x, const wide &y) const { return {x.a + y.a, x.b + y.b, x.c + y.c}; }
};

CASE(cub_scan_wide) // silent
{
    thrust::device_vector<wide> v(COUNT, wide{1, 2, 3}), out(COUNT);
    with_storage([&](void *s, size_t &n) {
        cub::DeviceScan::InclusiveScan(s, n, v.data().get(), out.data().get(), add_wide(), COUNT);
    });
    wide last = out[COUNT - 1];
    printf("%d %d %d\n", last.a, last.b, last.c);
}

CASE(cub_reduce) // silent
{
    thrust::device_vector<int> v = numbers(100), out(1);
    with_storage([&](void *s, size_t &n) { cub::DeviceReduce::Max(s, n, v.data().get(), out.data().get(), COUNT); });
    show(out);
}

CASE(cub_histogram) // silent
{
    thrust::device_vector<int> v = numbers(256), out(256);
    with_storage([&](void *s, size_t &n) {
        cub::DeviceHistogram::HistogramEven(s, n, v.data().get(), out.data().get(), 257, 0, 256, COUNT);
    });
    show(out);
}

CASE(cub_select) // silent
{
    thrust::device_vector<int> v = numbers(256), flags = numbers(2), out(COUNT), chosen(1);
    with_storage([&](void *s, size_t &n) {
        cub::DeviceSelect::Flagged(s, n, v.data().get(), flags.data().get(), out.data().get(), chosen.data().get(), COUNT);
    });
    out.resize(chosen[0]);
    show(out);
}

CASE(cub_run_length) // silent
{
    thrust::device_vector<int> v = numbers(3), out(COUNT), lengths(COUNT), runs(1);
    with_storage([&](void *s, size_t &n) {
        cub::DeviceRunLengthEncode::Encode(s, n, v.data().get(), out.data().get(), lengths.data().get(), runs.data().get(),
                                           COUNT);
    });
    lengths.resize(runs[0]);
    show(lengths);
}

CASE(cub_radix_sort) // silent
{
    thrust::device_vector<int> k = numbers(1 << 24), v = numbers(100), keys(COUNT), values(COUNT);
    with_storage([&](void *s, size_t &n) {
        cub::DeviceRadixSort::SortPairs(s, n, k.data().get(), keys.data().get(), v.data().get(), values.data().get(), COUNT);
    });
    show(keys);
    show(values);
}

__global__ void reuse_storage(const int *in, int *out)
{
    typedef cub::BlockScan<int, 128> scan;
    typedef cub::BlockReduce<int, 128> reduce;
    __shared__ union {
        scan::TempStorage scan;
        reduce::TempStorage reduce;
    } storage;
    int t = threadIdx.x, before, total;
    scan(storage.scan).ExclusiveSum(in[t], before, total);
    __syncthreads();
    int most = reduce(storage.reduce).Reduce(in[t] + before, cuda::maximum<>());
    __syncthreads();
    scan(storage.scan).InclusiveSum(before, before);
    out[t] = before + total + (t ? 0 : most);
}

CASE(cub_reuse_storage) // silent
{
    thrust::device_vector<int> v = numbers(10), out(128);
    reuse_storage<<<1, 128>>>(v.data().get(), out.data().get());
    show(out);
}

__global__ void block_sort(int *p)
{
    typedef cub::BlockRadixSort<int, 128, 4> sort;
    __shared__ sort::TempStorage storage;
    int items[4];
    cub::LoadDirectBlocked(threadIdx.x, p, items);
    sort(storage).Sort(items);
    cub::StoreDirectBlocked(threadIdx.x, p, items);
}

CASE(cub_block_sort) // silent
{
    thrust::device_vector<int> v = numbers(1 << 20);
    block_sort<<<1, 128>>>(v.data().get());
    show(v);
}

__global__ void groups(const int *in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(block);
    __shared__ int sums[8];
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    int sum = cg::reduce(warp, v, cg::plus<int>()) + cg::inclusive_scan(eight, v);
    if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
    block.sync();
    if (v % 3 == 0) {
        cg::coalesced_group some = cg::coalesced_threads();
        sum += cg::reduce(some, v, cg::greater<int>());
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + sums[threadIdx.x % 8];
}

CASE(groups_reduce) // silent
{
    thrust::device_vector<int> v = numbers(1000), out(1024);
    groups<<<4, 256>>>(v.data().get(), out.data().get());
    show(out);
}

__global__ void barriers(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> filled, drained;
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) {
        init(&filled, 128);
        init(&drained, 128);
    }
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        if (t < 64) {
            if (k) drained.arrive_and_wait();
            s[t] = in[k * 64 + t];
            (void)filled.arrive();
        } else {
            filled.arrive_and_wait();
            out[k * 64 + t - 64] = s[127 - t];
            if (k < 3) (void)drained.arrive();
        }
    }
}

CASE(barrier_producer_consumer) // silent
{
    thrust::device_vector<int> v = numbers(1000), out(256);
    barriers<<<1, 128>>>(v.data().get(), out.data().get());
    show(out);
}

__global__ void pipelined(const int *in, int *out)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int s[2][128];
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int fetch = 0, k = 0; k < 4; k++) {
        for (; fetch < 4 && fetch < k + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[fetch % 2], in + fetch * 128, sizeof s[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[k % 2][127 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

CASE(pipeline_of_a_block) // silent
{
    thrust::device_vector<int> v = numbers(1000), out(128);
    pipelined<<<1, 128>>>(v.data().get(), out.data().get());
    show(out);
}

/* Tiles of several warps exchange values through scratch memory of the block. */
__global__ void large_tiles(const int *in, int *out)
{
    __shared__ cg::block_tile_memory<256> scratch;
    cg::thread_block block = cg::this_thread_block(scratch);
    auto tile = cg::tiled_partition<64>(block);
    int t = threadIdx.x, sum = cg::reduce(tile, in[t], cg::plus<int>());
    out[t] = sum + tile.shfl(in[t], 5) + tile.any(in[t] == 70);
}

CASE(groups_large_tiles) // silent
{
    thrust::device_vector<int> v = numbers(1000), out(256);
    large_tiles<<<1, 256>>>(v.data().get(), out.data().get());
    show(out);
}
