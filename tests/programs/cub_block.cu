// CUB inside a kernel: block load, scan, reduce, radix sort, store; warp reduce and scan.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <vector>

template <int BLOCK, int ITEMS> __global__ void sort_and_scan(const int *in, int *sorted, int *scanned, int *sums) {
    typedef cub::BlockLoad<int, BLOCK, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
    typedef cub::BlockStore<int, BLOCK, ITEMS, cub::BLOCK_STORE_TRANSPOSE> Store;
    typedef cub::BlockRadixSort<int, BLOCK, ITEMS> Sort;
    typedef cub::BlockScan<int, BLOCK> Scan;
    typedef cub::BlockReduce<int, BLOCK> Reduce;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
        typename Reduce::TempStorage reduce;
    } temp;
    int items[ITEMS], prefix[ITEMS], base = blockIdx.x * BLOCK * ITEMS;
    Load(temp.load).Load(in + base, items);
    __syncthreads();
    int total;
    Scan(temp.scan).ExclusiveSum(items, prefix, total);
    __syncthreads();
    Store(temp.store).Store(scanned + base, prefix);
    __syncthreads();
    int biggest = Reduce(temp.reduce).Reduce(items, [](int a, int b) { return a > b ? a : b; });
    __syncthreads();
    Sort(temp.sort).SortDescending(items);
    __syncthreads();
    Store(temp.store).Store(sorted + base, items);
    if (threadIdx.x == 0) {
        sums[blockIdx.x * 2] = total;
        sums[blockIdx.x * 2 + 1] = biggest;
    }
}

__global__ void warps(const int *in, int *out) {
    typedef cub::WarpReduce<int> WarpReduce;
    typedef cub::WarpScan<int> WarpScan;
    __shared__ typename WarpReduce::TempStorage r[4];
    __shared__ typename WarpScan::TempStorage s[4];
    int w = threadIdx.x / 32, v = in[threadIdx.x], incl;
    int sum = WarpReduce(r[w]).Sum(v);
    WarpScan(s[w]).InclusiveSum(v, incl);
    sum = __shfl_sync(~0u, sum, 0);
    out[threadIdx.x] = sum * 10000 + incl;
}

int main() {
    constexpr int BLOCK = 64, ITEMS = 5, GRID = 6, n = BLOCK * ITEMS * GRID;
    std::vector<int> h(n), sorted(n), scanned(n), sums(GRID * 2);
    for (auto &v : h) v = rand() % 2000 - 1000;
    int *in, *ds, *dc, *dt;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&ds, n * 4);
    cudaMalloc(&dc, n * 4);
    cudaMalloc(&dt, GRID * 8);
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    sort_and_scan<BLOCK, ITEMS><<<GRID, BLOCK>>>(in, ds, dc, dt);
    cudaMemcpy(sorted.data(), ds, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(scanned.data(), dc, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(sums.data(), dt, GRID * 8, cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int g = 0; g < GRID; g++) {
        std::vector<int> part(h.begin() + g * BLOCK * ITEMS, h.begin() + (g + 1) * BLOCK * ITEMS);
        int s = 0;
        for (size_t i = 0; i < part.size(); i++) {
            ok &= scanned[g * BLOCK * ITEMS + i] == s;
            s += part[i];
        }
        std::sort(part.rbegin(), part.rend());
        ok &= sums[g * 2] == s && sums[g * 2 + 1] == part[0];
        ok &= std::equal(part.begin(), part.end(), sorted.begin() + g * BLOCK * ITEMS);
    }
    if (!ok) printf("block\n");
    for (auto &v : h) v = rand() % 9;
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    warps<<<1, 128>>>(in, ds);
    cudaMemcpy(sorted.data(), ds, 128 * 4, cudaMemcpyDeviceToHost);
    for (int w = 0; w < 4; w++) {
        int sum = 0, run = 0;
        for (int l = 0; l < 32; l++) sum += h[w * 32 + l];
        for (int l = 0; l < 32; l++) {
            run += h[w * 32 + l];
            ok &= sorted[w * 32 + l] == sum * 10000 + run;
        }
    }
    cudaFree(in); cudaFree(ds); cudaFree(dc); cudaFree(dt);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
