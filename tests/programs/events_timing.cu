// Timing with events, as a class; flags, order of events, stream queries, events across streams, blocking sync.
#include <cstdio>

struct GpuTimer {
    cudaEvent_t start, stop;
    GpuTimer() {
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
    }
    ~GpuTimer() {
        cudaEventDestroy(start);
        cudaEventDestroy(stop);
    }
    void Start() { cudaEventRecord(start, 0); }
    void Stop() { cudaEventRecord(stop, 0); }
    float Elapsed() {
        float elapsed;
        cudaEventSynchronize(stop);
        cudaEventElapsedTime(&elapsed, start, stop);
        return elapsed;
    }
};

__global__ void work(float *p, int rounds) {
    float v = p[threadIdx.x];
    for (int i = 0; i < rounds; i++) v = v * 0.999f + 1.0f;
    p[threadIdx.x] = v;
}

int main() {
    float *d, h[64];
    bool ok = true;
    cudaMalloc(&d, 64 * sizeof(float));
    cudaMemset(d, 0, 64 * sizeof(float));
    work<<<1, 64>>>(d, 1);
    GpuTimer timer;
    timer.Start();
    work<<<1, 64>>>(d, 10);
    timer.Stop();
    float little = timer.Elapsed();
    timer.Start();
    for (int i = 0; i < 5; i++) work<<<1, 64>>>(d, 2000);
    timer.Stop();
    float much = timer.Elapsed();
    printf("%f ms and %f ms\n", little, much);
    ok &= little >= 0 && much > 0;

    cudaStream_t s;
    cudaEvent_t a, b, c, blocking;
    cudaStreamCreate(&s);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventCreate(&c);
    cudaEventCreateWithFlags(&blocking, cudaEventBlockingSync);
    cudaEventRecord(a, s);
    work<<<1, 64, 0, s>>>(d, 1000);
    cudaEventRecord(b, s);
    work<<<1, 64, 0, s>>>(d, 1000);
    cudaEventRecord(c, s);
    cudaEventRecord(blocking, s);
    cudaError_t q = cudaEventQuery(c);
    ok &= q == cudaSuccess || q == cudaErrorNotReady;
    ok &= cudaEventSynchronize(blocking) == cudaSuccess;
    float ab, bc, ac;
    cudaEventElapsedTime(&ab, a, b);
    cudaEventElapsedTime(&bc, b, c);
    cudaEventElapsedTime(&ac, a, c);
    ok &= ab >= 0 && bc >= 0 && ac >= ab && ac + 1e-3f >= ab + bc - 1e-3f;
    ok &= cudaEventQuery(c) == cudaSuccess && cudaStreamQuery(s) == cudaSuccess;
    cudaEventRecord(a, s); // recorded again: later than c
    cudaEventSynchronize(a);
    float ca;
    cudaEventElapsedTime(&ca, c, a);
    ok &= ca >= 0;
    float v = 0;
    for (int r = 0; r < 1 + 10 + 10000 + 2000; r++) v = v * 0.999f + 1.0f;
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    ok &= h[63] > v * 0.999f && h[63] < v * 1.001f;
    cudaEventDestroy(a); cudaEventDestroy(b); cudaEventDestroy(c); cudaEventDestroy(blocking);
    cudaStreamDestroy(s);
    cudaFree(d);
    ok &= cudaGetLastError() == cudaSuccess || q == cudaErrorNotReady;
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
