// 256-bin histograms: global atomics, shared atomics, per-warp sub-histograms, packed byte counters, warp-aggregated.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef unsigned int uint;
typedef unsigned char uchar;

__global__ void hist_global(const uchar *data, uint n, uint *hist) {
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&hist[data[i]], 1);
}

__global__ void hist_shared(const uchar *data, uint n, uint *hist) {
    __shared__ uint s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&s[data[i]], 1);
    __syncthreads();
    atomicAdd(&hist[threadIdx.x], s[threadIdx.x]);
}

#define WARPS 6
__global__ void hist_warps(const uint *data4, uint n4, uint *hist) {
    __shared__ uint s[WARPS * 256];
    uint *mine = s + (threadIdx.x >> 5) * 256;
    for (int i = threadIdx.x; i < WARPS * 256; i += blockDim.x) s[i] = 0;
    __syncthreads();
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
        uint d = data4[i];
        atomicAdd(mine + (d & 0xFF), 1);
        atomicAdd(mine + ((d >> 8) & 0xFF), 1);
        atomicAdd(mine + ((d >> 16) & 0xFF), 1);
        atomicAdd(mine + ((d >> 24) & 0xFF), 1);
    }
    __syncthreads();
    for (uint bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        uint sum = 0;
        for (int w = 0; w < WARPS; w++) sum += s[bin + w * 256];
        atomicAdd(hist + bin, sum);
    }
}

// 64 bins, one byte counter for every thread and bin, no atomics (at most 255 inputs a thread).
#define BYTE_THREADS 64
__global__ void hist64_bytes(const uchar *data, uint n, uint *hist) {
    __shared__ uchar counters[64 * BYTE_THREADS];
    for (int i = threadIdx.x; i < 64 * BYTE_THREADS / 4; i += blockDim.x) ((uint *)counters)[i] = 0;
    __syncthreads();
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        counters[(data[i] >> 2) * BYTE_THREADS + threadIdx.x]++;
    __syncthreads();
    uint sum = 0;
    for (int t = 0; t < BYTE_THREADS; t++)
        sum += counters[threadIdx.x * BYTE_THREADS + ((t + threadIdx.x) & (BYTE_THREADS - 1))];
    atomicAdd(&hist[threadIdx.x], sum);
}

__global__ void hist_aggregated(const uchar *data, uint n, uint *hist) {
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        uint bin = data[i];
        uint peers = __match_any_sync(__activemask(), bin);
        if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&hist[bin], __popc(peers));
    }
}

int main() {
    const uint n = 40000;
    std::vector<uchar> data(n);
    std::vector<uint> want(256, 0), got(256);
    for (auto &b : data) {
        b = (uchar)((rand() % 256) & (rand() % 256));
        want[b]++;
    }
    uchar *d;
    uint *h;
    cudaMalloc(&d, n);
    cudaMalloc(&h, 256 * sizeof(uint));
    cudaMemcpy(d, data.data(), n, cudaMemcpyHostToDevice);
    bool ok = true;
    for (int k = 0; k < 5; k++) {
        cudaMemset(h, 0, 256 * sizeof(uint));
        switch (k) {
        case 0: hist_global<<<16, 128>>>(d, n, h); break;
        case 1: hist_shared<<<16, 256>>>(d, n, h); break;
        case 2: hist_warps<<<8, WARPS * 32>>>((uint *)d, n / 4, h); break;
        case 3: hist64_bytes<<<16, BYTE_THREADS>>>(d, n, h); break;
        case 4: hist_aggregated<<<16, 128>>>(d, n, h); break;
        }
        cudaMemcpy(got.data(), h, 256 * sizeof(uint), cudaMemcpyDeviceToHost);
        std::vector<uint> expected = want;
        if (k == 3) {
            expected.assign(256, 0);
            for (int b = 0; b < 256; b++) expected[b / 4] += want[b];
        }
        if (got != expected) {
            printf("variant %d is wrong\n", k);
            ok = false;
        }
    }
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    cudaFree(h);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
