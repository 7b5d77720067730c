// Several host threads launch kernels at once, each with its own stream and data; last errors are per thread.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

__global__ void work(int *p, int n, int k) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = p[i] * 3 + k;
}

__device__ int shared_counter;
__global__ void bump() { atomicAdd(&shared_counter, 1); }

static std::atomic<int> failures(0);

static void run(int id, int rounds) {
    const int n = 3000;
    std::vector<int> h(n), want(n);
    int *d;
    cudaStream_t s;
    if (cudaSetDevice(0) != cudaSuccess || cudaStreamCreate(&s) != cudaSuccess ||
        cudaMalloc(&d, n * sizeof(int)) != cudaSuccess) {
        failures++;
        return;
    }
    for (int i = 0; i < n; i++) want[i] = h[i] = i + id;
    cudaMemcpyAsync(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice, s);
    for (int r = 0; r < rounds; r++) {
        work<<<4, 128, 0, s>>>(d, n, id * r);
        bump<<<1, 32, 0, s>>>();
        for (int &w : want) w = w * 3 + id * r;
    }
    cudaMemcpyAsync(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost, s);
    if (cudaStreamSynchronize(s) != cudaSuccess || h != want) failures++;
    if (id == 2) { // an error here must not be seen by the others
        work<<<1, 5000, 0, s>>>(d, n, 0);
        cudaError_t e = cudaPeekAtLastError(); // which one depends on the runtime's version
        if (e != cudaErrorInvalidConfiguration && e != cudaErrorInvalidValue) failures++;
    } else if (cudaGetLastError() != cudaSuccess)
        failures++;
    cudaFree(d);
    cudaStreamDestroy(s);
}

int main() {
    const int T = 6, rounds = 5;
    std::vector<std::thread> threads;
    for (int t = 0; t < T; t++) threads.emplace_back(run, t, rounds);
    for (auto &t : threads) t.join();
    int count;
    cudaMemcpyFromSymbol(&count, shared_counter, sizeof count);
    bool ok = failures == 0 && count == T * rounds * 32 && cudaGetLastError() == cudaSuccess;
    printf("%d failures, %d\n%s\n", failures.load(), count, ok ? "PASS" : "FAIL");
    return !ok;
}
