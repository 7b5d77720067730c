// nvcc: --default-stream per-thread
// Default stream per thread: kernels of two host threads in "the default stream" are independent of each other.
#include <cstdio>
#include <thread>

const int N = 1 << 13;

__global__ void kernel(float *x, int n) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    for (int i = tid; i < n; i += blockDim.x * gridDim.x) x[i] = sqrtf((float)i) + x[i];
}

static int results[8];

static void launch_kernel(int id) {
    float *data, *host = new float[N];
    cudaMalloc(&data, N * sizeof(float));
    cudaMemsetAsync(data, 0, N * sizeof(float), 0);
    kernel<<<1, 64>>>(data, N);
    kernel<<<4, 64, 0, cudaStreamPerThread>>>(data, N);
    cudaMemcpyAsync(host, data, N * sizeof(float), cudaMemcpyDeviceToHost, 0);
    cudaError_t e = cudaStreamSynchronize(0);
    int bad = e != cudaSuccess;
    for (int i = 0; i < N; i++) bad += fabsf(host[i] - 2 * sqrtf((float)i)) > 1e-3f;
    cudaFree(data);
    delete[] host;
    results[id] = bad;
}

int main() {
    std::thread threads[8];
    for (int i = 0; i < 8; i++) threads[i] = std::thread(launch_kernel, i);
    int bad = 0;
    for (int i = 0; i < 8; i++) {
        threads[i].join();
        bad += results[i];
    }
    // the legacy stream still orders with blocking streams
    float *d, h = -1;
    cudaMalloc(&d, 16 * sizeof(float));
    cudaMemsetAsync(d, 0, 16 * sizeof(float), cudaStreamLegacy);
    kernel<<<1, 16, 0, cudaStreamLegacy>>>(d, 16);
    cudaMemcpyAsync(&h, d + 9, sizeof(float), cudaMemcpyDeviceToHost, cudaStreamLegacy);
    bad += cudaStreamSynchronize(cudaStreamLegacy) != cudaSuccess || h != 3.0f;
    cudaFree(d);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
