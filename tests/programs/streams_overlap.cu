// Four streams, each copying in, computing and copying out its part of a pinned array; events order two streams.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define NSTREAM 4

inline cudaError_t checkCuda(cudaError_t result) {
    if (result != cudaSuccess) {
        fprintf(stderr, "CUDA Runtime Error: %s\n", cudaGetErrorString(result));
        exit(1);
    }
    return result;
}

__global__ void kernel(float *a, int offset) {
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)i;
    float s = sinf(x);
    float c = cosf(x);
    a[i] = a[i] + sqrtf(s * s + c * c);
}

float maxError(float *a, int n) {
    float maxE = 0;
    for (int i = 0; i < n; i++) {
        float error = fabs(a[i] - 1.0f);
        if (error > maxE) maxE = error;
    }
    return maxE;
}

__global__ void doubled(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2;
}
__global__ void plus_three(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += 3;
}

int main() {
    const int blockSize = 256, n = 4 * 1024 * NSTREAM, streamSize = n / NSTREAM,
              streamBytes = streamSize * sizeof(float);
    float *a, *d_a, ms;
    checkCuda(cudaMallocHost((void **)&a, n * sizeof(float)));
    checkCuda(cudaMalloc((void **)&d_a, n * sizeof(float)));
    cudaEvent_t startEvent, stopEvent, dummyEvent;
    cudaStream_t stream[NSTREAM];
    checkCuda(cudaEventCreate(&startEvent));
    checkCuda(cudaEventCreate(&stopEvent));
    checkCuda(cudaEventCreateWithFlags(&dummyEvent, cudaEventDisableTiming));
    for (int i = 0; i < NSTREAM; ++i) checkCuda(cudaStreamCreate(&stream[i]));
    bool ok = true;
    for (int version = 0; version < 2; version++) {
        memset(a, 0, n * sizeof(float));
        checkCuda(cudaEventRecord(startEvent, 0));
        if (version == 0)
            for (int i = 0; i < NSTREAM; ++i) {
                int offset = i * streamSize;
                checkCuda(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice, stream[i]));
                kernel<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
                checkCuda(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost, stream[i]));
            }
        else {
            for (int i = 0; i < NSTREAM; ++i)
                checkCuda(cudaMemcpyAsync(&d_a[i * streamSize], &a[i * streamSize], streamBytes, cudaMemcpyHostToDevice,
                                          stream[i]));
            for (int i = 0; i < NSTREAM; ++i)
                kernel<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, i * streamSize);
            for (int i = 0; i < NSTREAM; ++i)
                checkCuda(cudaMemcpyAsync(&a[i * streamSize], &d_a[i * streamSize], streamBytes, cudaMemcpyDeviceToHost,
                                          stream[i]));
        }
        checkCuda(cudaEventRecord(stopEvent, 0));
        checkCuda(cudaEventSynchronize(stopEvent));
        checkCuda(cudaEventElapsedTime(&ms, startEvent, stopEvent));
        checkCuda(cudaDeviceSynchronize());
        printf("version %d: %f ms, max error %e\n", version, ms, maxError(a, n));
        ok &= maxError(a, n) < 1e-6f && ms >= 0;
    }
    // order between non-blocking streams by an event: (1 * 2) + 3, never (1 + 3) * 2
    const int m = 5000;
    int *h = (int *)malloc(m * sizeof(int)), *d;
    cudaStream_t s1, s2;
    checkCuda(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
    checkCuda(cudaStreamCreateWithPriority(&s2, cudaStreamNonBlocking, 0));
    checkCuda(cudaMalloc(&d, m * sizeof(int)));
    for (int i = 0; i < m; i++) h[i] = 1;
    checkCuda(cudaMemcpy(d, h, m * sizeof(int), cudaMemcpyHostToDevice));
    doubled<<<(m + 127) / 128, 128, 0, s1>>>(d, m);
    checkCuda(cudaEventRecord(dummyEvent, s1));
    checkCuda(cudaStreamWaitEvent(s2, dummyEvent, 0));
    plus_three<<<(m + 127) / 128, 128, 0, s2>>>(d, m);
    checkCuda(cudaStreamSynchronize(s2));
    ok &= cudaStreamQuery(s2) == cudaSuccess && cudaEventQuery(dummyEvent) == cudaSuccess;
    checkCuda(cudaMemcpy(h, d, m * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < m; i++) ok &= h[i] == 5;
    ok &= cudaEventElapsedTime(&ms, dummyEvent, stopEvent) == cudaErrorInvalidResourceHandle;
    for (int i = 0; i < NSTREAM; ++i) checkCuda(cudaStreamDestroy(stream[i]));
    checkCuda(cudaStreamDestroy(s1));
    checkCuda(cudaStreamDestroy(s2));
    cudaEventDestroy(startEvent);
    cudaEventDestroy(stopEvent);
    cudaEventDestroy(dummyEvent);
    cudaFree(d_a);
    cudaFree(d);
    cudaFreeHost(a);
    free(h);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
