// Stream compaction: scan-based and stable, ballot within a warp, warp-aggregated atomics (unordered).
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

__device__ int atomicAggInc(int *ctr) {
    auto g = cg::coalesced_threads();
    int warp_res;
    if (g.thread_rank() == 0) warp_res = atomicAdd(ctr, g.size());
    return g.shfl(warp_res, 0) + g.thread_rank();
}

__global__ void filter_k(int *dst, int *nres, const int *src, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    if (src[i] > 0) dst[atomicAggInc(nres)] = src[i];
}

__global__ void count_kept(const int *src, int *counts, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int c = __syncthreads_count(i < n && src[i] > 0);
    if (threadIdx.x == 0) counts[blockIdx.x] = c;
}

__global__ void scan_one_warp(int *counts, int m, int *total) {
    int lane = threadIdx.x, running = 0;
    for (int base = 0; base < m; base += 32) {
        int v = base + lane < m ? counts[base + lane] : 0, x = v;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            int y = __shfl_up_sync(0xffffffff, x, d);
            if (lane >= d) x += y;
        }
        if (base + lane < m) counts[base + lane] = running + x - v;
        running += __shfl_sync(0xffffffff, x, 31);
    }
    if (lane == 0) *total = running;
}

__global__ void write_kept(const int *src, const int *offsets, int *dst, int n) {
    __shared__ int warp_count[32];
    int i = threadIdx.x + blockIdx.x * blockDim.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    bool keep = i < n && src[i] > 0;
    unsigned mask = __ballot_sync(0xffffffff, keep);
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    if (lane == 0) warp_count[warp] = __popc(mask);
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; w++) before += warp_count[w];
    if (keep) dst[offsets[blockIdx.x] + before + __popc(mask & below)] = src[i];
}

int main() {
    const int n = 30001, B = 256, G = (n + B - 1) / B;
    std::vector<int> h(n), want, got(n);
    for (auto &v : h) {
        v = rand() % 100 - 60;
        if (v > 0) want.push_back(v);
    }
    int *src, *dst, *counts, *total, kept;
    cudaMalloc(&src, n * 4);
    cudaMalloc(&dst, n * 4);
    cudaMalloc(&counts, G * 4);
    cudaMalloc(&total, 4);
    cudaMemcpy(src, h.data(), n * 4, cudaMemcpyHostToDevice);
    count_kept<<<G, B>>>(src, counts, n);
    scan_one_warp<<<1, 32>>>(counts, G, total);
    write_kept<<<G, B>>>(src, counts, dst, n);
    cudaMemcpy(&kept, total, 4, cudaMemcpyDeviceToHost);
    bool ok = kept == (int)want.size();
    cudaMemcpy(got.data(), dst, want.size() * 4, cudaMemcpyDeviceToHost);
    ok = ok && std::equal(want.begin(), want.end(), got.begin());

    cudaMemset(total, 0, 4);
    cudaMemset(dst, 0, n * 4);
    filter_k<<<G, B>>>(dst, total, src, n);
    cudaMemcpy(&kept, total, 4, cudaMemcpyDeviceToHost);
    ok = ok && kept == (int)want.size();
    cudaMemcpy(got.data(), dst, want.size() * 4, cudaMemcpyDeviceToHost);
    std::sort(got.begin(), got.begin() + want.size());
    std::sort(want.begin(), want.end());
    ok = ok && std::equal(want.begin(), want.end(), got.begin()) && cudaGetLastError() == cudaSuccess;
    cudaFree(src); cudaFree(dst); cudaFree(counts); cudaFree(total);
    printf("%d kept\n%s\n", kept, ok ? "PASS" : "FAIL");
    return !ok;
}
