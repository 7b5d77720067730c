// clock(), clock64(), globaltimer: they run forwards, and further for more work; timing inside a kernel.
#include <cstdio>

__device__ unsigned long long globaltimer() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__global__ void timed(float *data, long long *cycles, int rounds) {
    float v = data[threadIdx.x];
    __syncthreads();
    long long start = clock64();
    for (int i = 0; i < rounds; i++) v = v * 1.0001f + 0.5f;
    long long stop = clock64();
    data[threadIdx.x] = v;
    cycles[threadIdx.x] = stop - start;
}

__global__ void wait_clock(unsigned long long *out, long long cycles) {
    clock_t c0 = clock();
    long long start = clock64();
    unsigned long long g0 = globaltimer();
    while (clock64() - start < cycles) {}
    out[0] = clock64() - start;
    out[1] = (unsigned)(clock() - c0);
    out[2] = globaltimer() - g0;
}

__global__ void wait_globaltimer(unsigned long long ns, unsigned long long *out) {
    unsigned long long t0 = globaltimer(), t;
    do t = globaltimer();
    while (t - t0 < ns);
    *out = t - t0;
}

int main() {
    float *d;
    long long *c, few[32], many[32];
    unsigned long long *o, h[3];
    cudaMalloc(&d, 32 * sizeof(float));
    cudaMalloc(&c, 32 * sizeof(long long));
    cudaMalloc(&o, 3 * sizeof(*o));
    cudaMemset(d, 0, 32 * sizeof(float));
    timed<<<1, 32>>>(d, c, 100);
    timed<<<1, 32>>>(d, c, 100);
    cudaMemcpy(few, c, sizeof few, cudaMemcpyDeviceToHost);
    timed<<<1, 32>>>(d, c, 3000);
    cudaMemcpy(many, c, sizeof many, cudaMemcpyDeviceToHost);
    printf("100 rounds %lld cycles, 3000 rounds %lld cycles\n", few[0], many[0]);
    bool ok = true;
    for (int t = 0; t < 32; t++) ok &= few[t] > 0 && many[t] > 5 * few[t];
    wait_clock<<<1, 1>>>(o, 20000);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    printf("waited %llu cycles, clock %llu, %llu ns\n", h[0], h[1], h[2]);
    ok &= h[0] >= 20000 && h[1] >= 20000 && h[0] < 100000000;
    wait_globaltimer<<<1, 1>>>(5000, o);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    ok &= h[0] >= 5000 && cudaGetLastError() == cudaSuccess;
    cudaEvent_t begin, end; // the wait takes no time here, and its events tell it
    float ms = 0;
    cudaEventCreate(&begin); cudaEventCreate(&end);
    cudaEventRecord(begin);
    wait_globaltimer<<<1, 1>>>(20000000, o);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    printf("events: %s 20 ms\n", ms >= 20 ? "at least" : "less than");
    ok &= ms >= 20;
    cudaFree(d); cudaFree(c); cudaFree(o);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
