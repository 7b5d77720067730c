// Host functions in streams: cudaLaunchHostFunc and cudaStreamAddCallback run in order with the kernels around them.
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>

struct Step {
    int *host;     // pinned, written by the copy before this step
    int expected;
    int index;
    std::atomic<int> *done;
    std::atomic<int> *errors;
};

__global__ void add(int *value, int amount) { *value += amount; }

void CUDART_CB hostStep(void *data) {
    Step *s = (Step *)data;
    if (*s->host != s->expected) s->errors->fetch_add(1);
    if (s->done->fetch_add(1) != s->index) s->errors->fetch_add(1);
}

void CUDART_CB callback(cudaStream_t stream, cudaError_t status, void *data) {
    Step *s = (Step *)data;
    if (status != cudaSuccess || stream == nullptr) s->errors->fetch_add(1);
    hostStep(data);
}

int main() {
    const int N = 10;
    std::atomic<int> done(0), errors(0);
    Step steps[N];
    int *d, *h;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d, sizeof(int));
    cudaHostAlloc(&h, N * sizeof(int), cudaHostAllocDefault);
    cudaMemsetAsync(d, 0, sizeof(int), stream);
    int total = 0;
    for (int i = 0; i < N; i++) {
        total += i + 1;
        add<<<1, 1, 0, stream>>>(d, i + 1);
        cudaMemcpyAsync(&h[i], d, sizeof(int), cudaMemcpyDeviceToHost, stream);
        steps[i] = {&h[i], total, i, &done, &errors};
        cudaError_t e = i % 2 ? cudaStreamAddCallback(stream, callback, &steps[i], 0)
                              : cudaLaunchHostFunc(stream, hostStep, &steps[i]);
        if (e != cudaSuccess) {
            printf("%s\n", cudaGetErrorString(e));
            return 1;
        }
    }
    cudaError_t e = cudaStreamSynchronize(stream);
    printf("%d host steps, %d errors, %s\n", done.load(), errors.load(), cudaGetErrorName(e));
    bool ok = e == cudaSuccess && done == N && errors == 0;
    cudaStreamDestroy(stream);
    cudaFree(d);
    cudaFreeHost(h);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
