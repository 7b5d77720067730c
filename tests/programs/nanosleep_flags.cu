// Blocks that wait for each other: flags with __threadfence and volatile, __nanosleep back-off, cuda::atomic_ref.
#include <cstdio>
#include <cuda/atomic>

#define N 64

// Block 0 produces, block 1 consumes (both are resident on any GPU).
__global__ void producer_consumer(volatile int *data, volatile int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t * t;
        __threadfence();
        __syncthreads();
        if (t == 0) *flag = 1;
    } else {
        if (t == 0) {
            unsigned ns = 8;
            while (*flag == 0) {
                __nanosleep(ns);
                if (ns < 256) ns *= 2;
            }
        }
        __syncthreads();
        __threadfence();
        out[t] = data[N - 1 - t];
    }
}

// The last block to finish adds up the partial sums.
__device__ unsigned finished;
__global__ void last_block(const int *in, int *partial, int *total, int n) {
    __shared__ bool am_last;
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&s, i < n ? in[i] : 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        __threadfence();
        unsigned ticket = atomicInc(&finished, gridDim.x);
        am_last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (am_last && threadIdx.x == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += ((volatile int *)partial)[b];
        *total = sum;
        finished = 0;
    }
}

// Acquire and release through libcu++.
__global__ void relay(int *slots, int rounds) {
    cuda::atomic_ref<int, cuda::thread_scope_device> turn(slots[0]);
    if (threadIdx.x != 0) return;
    for (int r = 0; r < rounds; r++) {
        int mine = r * gridDim.x + blockIdx.x;
        while (turn.load(cuda::memory_order_acquire) != mine) {}
        slots[1] = slots[1] * 2 % 1000003 + (int)blockIdx.x + 1;
        turn.store(mine + 1, cuda::memory_order_release);
    }
}

// A barrier between blocks built from an atomic counter.
__global__ void home_made_barrier(unsigned *arrived, int *a, int *b) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, n = gridDim.x * blockDim.x;
    a[g] = g * 3;
    __syncthreads();
    if (t == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x) __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
    b[g] = ((volatile int *)a)[n - 1 - g];
}

int main() {
    int *d, h[1024];
    bool ok = true;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    producer_consumer<<<2, N>>>(d, d + 100, d + 200);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int t = 0; t < N; t++) ok &= h[200 + t] == (N - 1 - t) * (N - 1 - t);

    int want = 0, total;
    for (int i = 0; i < 700; i++) want += h[i] = i % 91;
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    for (int repeat = 0; repeat < 2; repeat++) {
        last_block<<<11, 64>>>(d, d + 800, d + 900, 700);
        cudaMemcpy(&total, d + 900, sizeof(int), cudaMemcpyDeviceToHost);
        ok &= total == want;
    }
    const int G = 4, R = 10;
    cudaMemset(d, 0, sizeof h);
    relay<<<G, 32>>>(d, R);
    cudaMemcpy(h, d, 2 * sizeof(int), cudaMemcpyDeviceToHost);
    int v = 0;
    for (int i = 0; i < G * R; i++) v = v * 2 % 1000003 + i % G + 1;
    ok &= h[0] == G * R && h[1] == v;

    cudaMemset(d, 0, sizeof h);
    home_made_barrier<<<8, 32>>>((unsigned *)d, d + 256, d + 512);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int g = 0; g < 256; g++) ok &= h[512 + g] == (255 - g) * 3;
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
