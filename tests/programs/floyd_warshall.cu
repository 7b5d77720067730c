// All-pairs shortest paths: one launch per intermediate node, and the blocked three-phase version.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define INF 1000000
#define B 16

__global__ void floyd_step(int *d, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j >= n) return;
    __shared__ int ik;
    if (threadIdx.x == 0) ik = d[i * n + k];
    __syncthreads();
    if (ik == INF) return;
    int through = ik + d[k * n + j];
    if (through < d[i * n + j]) d[i * n + j] = through;
}

__global__ void phase1(int *d, int n, int kb) {
    __shared__ int t[B][B];
    int x = threadIdx.x, y = threadIdx.y, at = (kb * B + y) * n + kb * B + x;
    t[y][x] = d[at];
    __syncthreads();
    for (int k = 0; k < B; k++) {
        int v = t[y][k] + t[k][x];
        __syncthreads();
        if (v < t[y][x]) t[y][x] = v;
        __syncthreads();
    }
    d[at] = t[y][x];
}

__global__ void phase2(int *d, int n, int kb) {
    __shared__ int pivot[B][B], t[B][B];
    int other = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    if (other == kb) return;
    bool row = blockIdx.y == 0;
    int at = row ? (kb * B + y) * n + other * B + x : (other * B + y) * n + kb * B + x;
    pivot[y][x] = d[(kb * B + y) * n + kb * B + x];
    t[y][x] = d[at];
    __syncthreads();
    for (int k = 0; k < B; k++) {
        int v = row ? pivot[y][k] + t[k][x] : t[y][k] + pivot[k][x];
        __syncthreads();
        t[y][x] = min(t[y][x], v);
        __syncthreads();
    }
    d[at] = t[y][x];
}

__global__ void phase3(int *d, int n, int kb) {
    __shared__ int left[B][B], top[B][B];
    int x = threadIdx.x, y = threadIdx.y;
    if (blockIdx.x == kb || blockIdx.y == kb) return;
    int gx = blockIdx.x * B + x, gy = blockIdx.y * B + y;
    left[y][x] = d[gy * n + kb * B + x];
    top[y][x] = d[(kb * B + y) * n + gx];
    __syncthreads();
    int v = d[gy * n + gx];
#pragma unroll
    for (int k = 0; k < B; k++) v = min(v, left[y][k] + top[k][x]);
    d[gy * n + gx] = v;
}

int main() {
    const int n = 64;
    std::vector<int> g(n * n, INF), want, got(n * n);
    for (int i = 0; i < n; i++) g[i * n + i] = 0;
    for (int e = 0; e < 300; e++) g[(rand() % n) * n + rand() % n] = rand() % 100 + 1;
    for (int i = 0; i < n; i++) g[i * n + i] = 0;
    want = g;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) want[i * n + j] = std::min(want[i * n + j], want[i * n + k] + want[k * n + j]);
    int *d;
    cudaMalloc(&d, n * n * sizeof(int));
    cudaMemcpy(d, g.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
    for (int k = 0; k < n; k++) floyd_step<<<dim3(1, n), 64>>>(d, n, k);
    cudaMemcpy(got.data(), d, n * n * sizeof(int), cudaMemcpyDeviceToHost);
    auto same = [&] {
        for (int i = 0; i < n * n; i++)
            if (std::min(got[i], INF) != std::min(want[i], INF)) return false;
        return true;
    };
    bool ok = same();
    cudaMemcpy(d, g.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
    for (int kb = 0; kb < n / B; kb++) {
        phase1<<<1, dim3(B, B)>>>(d, n, kb);
        phase2<<<dim3(n / B, 2), dim3(B, B)>>>(d, n, kb);
        phase3<<<dim3(n / B, n / B), dim3(B, B)>>>(d, n, kb);
    }
    cudaMemcpy(got.data(), d, n * n * sizeof(int), cudaMemcpyDeviceToHost);
    ok = same() && ok && cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
