// Coalesced groups: aggregation in divergent code, binary and labelled partitions, ranks and shuffles within them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void odd_even_sums(const int *in, int *odd_even, int *sizes, int n) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        auto sub = cg::binary_partition(tile, (v & 1) != 0);
        int sum = cg::reduce(sub, v, cg::plus<int>());
        if (sub.thread_rank() == 0) {
            atomicAdd(&odd_even[v & 1], sum);
            atomicAdd(&sizes[v & 1], (int)sub.size());
        }
    }
}

__global__ void buckets(const int *in, int *slot, int *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cg::coalesced_group active = cg::coalesced_threads();
    int b = in[i] % 5;
    auto same = cg::labeled_partition(active, b);
    int base = 0;
    if (same.thread_rank() == 0) base = atomicAdd(&counts[b], same.size());
    slot[i] = same.shfl(base, 0) + same.thread_rank();
}

__global__ void divergent(int *out) {
    int t = threadIdx.x;
    out[t] = -1;
    if (t % 3 == 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        int next = g.shfl_down(t, 1);
        int total = cg::reduce(g, 1, cg::plus<int>());
        out[t] = next * 1000 + total * 100 + g.thread_rank();
        if (g.any(t == 27)) out[t] += 1000000;
    }
}

int main() {
    const int n = 4096;
    std::vector<int> h(n), slot(n);
    int want[2] = {0, 0}, wcount[2] = {0, 0}, bucket[5] = {0};
    for (int i = 0; i < n; i++) {
        h[i] = (i * 7919) % 1000;
        want[h[i] & 1] += h[i];
        wcount[h[i] & 1]++;
        bucket[h[i] % 5]++;
    }
    int *d, *d_out, *d_slot, got[4], gotb[5], lane[32];
    cudaMalloc(&d, n * 4);
    cudaMalloc(&d_out, 32 * 4);
    cudaMalloc(&d_slot, n * 4);
    cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, 32 * 4);
    odd_even_sums<<<8, 128>>>(d, d_out, d_out + 2, n);
    cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost);
    bool ok = got[0] == want[0] && got[1] == want[1] && got[2] == wcount[0] && got[3] == wcount[1];

    const int m = n - 13;
    for (int i = m; i < n; i++) bucket[h[i] % 5]--;
    cudaMemset(d_out, 0, 32 * 4);
    buckets<<<(n + 127) / 128, 128>>>(d, d_slot, d_out, m);
    cudaMemcpy(gotb, d_out, sizeof gotb, cudaMemcpyDeviceToHost);
    cudaMemcpy(slot.data(), d_slot, m * 4, cudaMemcpyDeviceToHost);
    std::vector<std::vector<char>> seen(5);
    for (int b = 0; b < 5; b++) {
        ok &= gotb[b] == bucket[b];
        seen[b].assign(bucket[b], 0);
    }
    for (int i = 0; i < m && ok; i++) {
        int b = h[i] % 5;
        ok = slot[i] >= 0 && slot[i] < bucket[b] && !seen[b][slot[i]];
        if (ok) seen[b][slot[i]] = 1;
    }
    divergent<<<1, 32>>>(d_out);
    cudaMemcpy(lane, d_out, sizeof lane, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 32; t++) {
        int w = t % 3 ? -1 : (t == 30 ? 30 : t + 3) * 1000 + 11 * 100 + t / 3 + 1000000;
        if (lane[t] != w) {
            printf("lane %d: %d, expected %d\n", t, lane[t], w);
            ok = false;
        }
    }
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(d); cudaFree(d_out); cudaFree(d_slot);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
