// Grid-wide synchronisation in a cooperative launch: reduction in two phases, ping-pong stencil, occupancy-sized grid.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void reduce_once(const int *in, int *partial, int *out, int n) {
    cg::grid_group grid = cg::this_grid();
    extern __shared__ int s[];
    int sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int k = blockDim.x / 2; k; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = s[0];
    grid.sync();
    if (grid.thread_rank() == 0) {
        int total = 0;
        for (int b = 0; b < gridDim.x; b++) total += partial[b];
        *out = total;
    }
}

__global__ void relax(int *a, int *b, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            b[i] = a[(i + n - 1) % n] + a[(i + 1) % n] - a[i];
        int *t = a;
        a = b;
        b = t;
        grid.sync();
    }
}

int main() {
    int device = 0, supported, sms, per_sm;
    cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (!supported) {
        printf("no cooperative launch\nFAIL\n");
        return 1;
    }
    int n = 20000, threads = 128;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, reduce_once, threads, threads * sizeof(int));
    int blocks = per_sm * sms > 24 ? 24 : per_sm * sms;
    std::vector<int> h(n);
    int want = 0, got;
    for (int i = 0; i < n; i++) want += h[i] = i % 113;
    int *in, *partial, *out;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&partial, n * 4);
    cudaMalloc(&out, 4);
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    void *args[] = {&in, &partial, &out, &n};
    cudaError_t e =
        cudaLaunchCooperativeKernel((void *)reduce_once, dim3(blocks), dim3(threads), args, threads * sizeof(int), 0);
    bool ok = e == cudaSuccess;
    cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost);
    ok &= got == want;

    int m = 1000, steps = 7;
    std::vector<int> a(h.begin(), h.begin() + m), b(m);
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < m; i++) b[i] = a[(i + m - 1) % m] + a[(i + 1) % m] - a[i];
        a.swap(b);
    }
    void *args2[] = {&in, &partial, &m, &steps};
    e = cudaLaunchCooperativeKernel(relax, 6, 96, args2);
    ok &= e == cudaSuccess;
    std::vector<int> r(m);
    cudaMemcpy(r.data(), steps % 2 ? partial : in, m * 4, cudaMemcpyDeviceToHost);
    ok &= r == a && cudaGetLastError() == cudaSuccess;

    // more blocks than can be resident
    e = cudaLaunchCooperativeKernel((void *)reduce_once, dim3(per_sm * sms + 1), dim3(threads), args,
                                    threads * sizeof(int), 0);
    ok &= e == cudaErrorCooperativeLaunchTooLarge;
    cudaGetLastError();
    cudaFree(in); cudaFree(partial); cudaFree(out);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
