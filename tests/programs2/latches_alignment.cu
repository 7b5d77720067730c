// Latches, semaphores, waiting on atomics, alignas behind __shared__, two results of one comparison in inline PTX, and
// recursion as deep as a card's stack allows.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>

namespace cg = cooperative_groups;
typedef cuda::latch<cuda::thread_scope_block> block_latch;
typedef cuda::counting_semaphore<cuda::thread_scope_device, 4> device_semaphore;

__global__ void mirror(int *out)
{
    __shared__ alignas(16) int tile[64];
    __shared__ alignas(block_latch) char room[sizeof(block_latch)];
    block_latch *all_written = (block_latch *)room;
    if (threadIdx.x == 0) new (all_written) block_latch(blockDim.x);
    __syncthreads();
    tile[threadIdx.x] = (int)threadIdx.x + (int)((size_t)tile & 15);
    all_written->arrive_and_wait();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void guarded(device_semaphore *s, int *inside, int *most)
{
    if (threadIdx.x) return;
    s->acquire();
    atomicMax(most, atomicAdd(inside, 1) + 1);
    atomicSub(inside, 1);
    s->release();
}

__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__global__ void hand_over(int *out)
{
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[1] = 42;
        flag.store(1, cuda::memory_order_release);
        flag.notify_all();
    } else {
        flag.wait(0, cuda::memory_order_acquire);
        out[0] = out[1];
    }
}

__global__ void two_results(int *out)
{
    int t = threadIdx.x, r = 0, s = 0;
    asm("{.reg .pred p, q; setp.lt.u32 p|q, %1, 16; @p mov.u32 %0, 1; @q mov.u32 %0, 2;}" : "+r"(r) : "r"(t));
    asm("{.reg .pred p, q; setp.gt.f32 p|q, %1, 0f41000000; selp.b32 %0, 3, 4, q;}" : "=r"(s) : "f"((float)t));
    out[t] = r * 10 + s;
}

// 25 calls of itself fit the default stack on a card (40 bytes each).
__device__ int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__global__ void deep(int *out) { out[threadIdx.x] = ackermann(threadIdx.x & 1, threadIdx.x); }

__global__ void broadcast(int *out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[threadIdx.x] = cg::invoke_one_broadcast(tile, [] { return (int)threadIdx.x / 8; });
}

int main()
{
    int *o, bad = 0;
    device_semaphore *s;
    cudaMallocManaged(&o, 64 * sizeof *o);
    cudaMallocManaged(&s, sizeof *s);
    new (s) device_semaphore(4);
    mirror<<<1, 64>>>(o);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++) bad += o[i] != 63 - i;
    o[0] = o[1] = 0;
    guarded<<<32, 32>>>(s, o, o + 1);
    cudaDeviceSynchronize();
    bad += o[0] != 0 || o[1] < 1 || o[1] > 4;
    hand_over<<<2, 32>>>(o);
    cudaDeviceSynchronize();
    bad += o[0] != 42;
    two_results<<<1, 32>>>(o);
    cudaDeviceSynchronize();
    for (int t = 0; t < 32; t++) bad += o[t] != (t < 16 ? 10 : 20) + (t > 8 ? 4 : 3);
    deep<<<1, 16>>>(o);
    cudaDeviceSynchronize();
    for (int t = 0; t < 16; t++) bad += o[t] != ((t & 1) ? t + 2 : t + 1);
    broadcast<<<1, 32>>>(o);
    cudaDeviceSynchronize();
    for (int t = 0; t < 32; t++) bad += o[t] != t / 8;
    bad += cudaGetLastError() != cudaSuccess;
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
