// LSD radix sort, 4 bits a pass: block histograms, scan of the counts, stable scatter.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int RADIX_BITS = 4;
constexpr int RADIX = 1 << RADIX_BITS;
constexpr int BLOCK = 256;

__global__ void count_digits(const unsigned *keys, int *counts, int n, int shift) {
    __shared__ int hist[RADIX];
    if (threadIdx.x < RADIX) hist[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&hist[(keys[i] >> shift) & (RADIX - 1)], 1);
    __syncthreads();
    if (threadIdx.x < RADIX) counts[threadIdx.x * gridDim.x + blockIdx.x] = hist[threadIdx.x];
}

// One block scans all the counts in place (exclusive).
__global__ void scan_counts(int *counts, int m) {
    __shared__ int partial[1024];
    int t = threadIdx.x, per = (m + blockDim.x - 1) / blockDim.x;
    int begin = min(t * per, m), end = min(begin + per, m), sum = 0;
    for (int i = begin; i < end; i++) sum += counts[i];
    partial[t] = sum;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int v = t >= d ? partial[t - d] : 0;
        __syncthreads();
        partial[t] += v;
        __syncthreads();
    }
    int running = t > 0 ? partial[t - 1] : 0;
    for (int i = begin; i < end; i++) {
        int c = counts[i];
        counts[i] = running;
        running += c;
    }
}

__global__ void scatter(const unsigned *in, unsigned *out, const int *offsets, int n, int shift) {
    __shared__ unsigned char digits[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x, t = threadIdx.x;
    unsigned key = i < n ? in[i] : 0;
    int d = (key >> shift) & (RADIX - 1);
    digits[t] = i < n ? d : 255;
    __syncthreads();
    // rank among equal digits before this thread: whole warps by ballot, earlier warps by counting
    int rank = 0;
    unsigned same = __match_any_sync(~0u, (int)digits[t]);
    rank = __popc(same & ((1u << (t & 31)) - 1));
    for (int k = 0; k < (t & ~31); k++) rank += digits[k] == d;
    if (i < n) out[offsets[d * gridDim.x + blockIdx.x] + rank] = key;
}

int main() {
    const int n = 5000, grid = (n + BLOCK - 1) / BLOCK;
    std::vector<unsigned> h(n), out(n);
    for (auto &k : h) k = ((unsigned)rand() << 16) ^ rand();
    unsigned *a, *b;
    int *counts;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMalloc(&counts, grid * RADIX * sizeof(int));
    cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
    for (int shift = 0; shift < 32; shift += RADIX_BITS) {
        count_digits<<<grid, BLOCK>>>(a, counts, n, shift);
        scan_counts<<<1, 256>>>(counts, grid * RADIX);
        scatter<<<grid, BLOCK>>>(a, b, counts, n, shift);
        std::swap(a, b);
    }
    cudaMemcpy(out.data(), a, n * 4, cudaMemcpyDeviceToHost);
    std::sort(h.begin(), h.end());
    bool ok = cudaGetLastError() == cudaSuccess && out == h;
    cudaFree(a);
    cudaFree(b);
    cudaFree(counts);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
