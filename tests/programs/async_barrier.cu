// cuda::barrier in shared memory: split arrive and wait, producer and consumer warps, memcpy_async completion.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <utility>
#include <vector>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void split(const int *in, int *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ block_barrier bar;
    __shared__ int s[128];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    int v = in[blockIdx.x * 128 + threadIdx.x];
    for (int round = 0; round < 3; round++) {
        s[threadIdx.x] = v;
        block_barrier::arrival_token token = bar.arrive();
        int independent = v * 2; // work between arrive and wait
        bar.wait(std::move(token));
        v = s[(threadIdx.x + 1) % 128] + independent;
        bar.arrive_and_wait();
    }
    out[blockIdx.x * 128 + threadIdx.x] = v;
}

#define SLOTS 2
#define ITEMS 32
// Warp 0 produces, warp 1 consumes, through two slots with a full and an empty barrier each.
__global__ void producer_consumer(const int *in, int *out, int batches) {
    __shared__ block_barrier full[SLOTS], empty[SLOTS];
    __shared__ int slot[SLOTS][ITEMS];
    if (threadIdx.x < SLOTS) {
        init(&full[threadIdx.x], 64);
        init(&empty[threadIdx.x], 64);
    }
    __syncthreads();
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int b = 0; b < batches; b++) {
            empty[b % SLOTS].arrive_and_wait();
            slot[b % SLOTS][lane] = in[b * ITEMS + lane] * 3;
            (void)full[b % SLOTS].arrive();
        }
    } else {
        for (int i = 0; i < SLOTS; i++) (void)empty[i].arrive();
        for (int b = 0; b < batches; b++) {
            full[b % SLOTS].arrive_and_wait();
            out[b * ITEMS + lane] = slot[b % SLOTS][31 - lane];
            (void)empty[b % SLOTS].arrive();
        }
    }
}

__global__ void copy_with_barrier(const int4 *in, int *out) {
    __shared__ block_barrier bar;
    __shared__ alignas(16) int4 s[64];
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, s, in + blockIdx.x * 64, cuda::aligned_size_t<16>(sizeof(int4) * 64), bar);
    bar.arrive_and_wait();
    int4 v = s[63 - threadIdx.x];
    out[blockIdx.x * 64 + threadIdx.x] = v.x ^ v.y ^ v.z ^ v.w;
}

int main() {
    const int n = 1024;
    std::vector<int> h(n), out(n);
    for (int i = 0; i < n; i++) h[i] = i * 31 % 257;
    int *in, *d;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&d, n * 4);
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    split<<<n / 128, 128>>>(in, d);
    cudaMemcpy(out.data(), d, n * 4, cudaMemcpyDeviceToHost);
    bool ok = true;
    for (int b = 0; b < n / 128; b++) {
        std::vector<int> v(h.begin() + b * 128, h.begin() + (b + 1) * 128), w(128);
        for (int r = 0; r < 3; r++) {
            for (int t = 0; t < 128; t++) w[t] = v[(t + 1) % 128] + 2 * v[t];
            v = w;
        }
        for (int t = 0; t < 128; t++) ok &= out[b * 128 + t] == v[t];
    }
    if (!ok) printf("split\n");
    producer_consumer<<<1, 64>>>(in, d, 20);
    cudaMemcpy(out.data(), d, n * 4, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 20; b++)
        for (int l = 0; l < 32; l++) ok &= out[b * 32 + l] == h[b * 32 + 31 - l] * 3;
    if (!ok) printf("producer\n");
    copy_with_barrier<<<n / 256, 64>>>((int4 *)in, d);
    cudaMemcpy(out.data(), d, n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n / 4; i++) {
        int k = (i / 64 * 64 + 63 - i % 64) * 4;
        ok &= out[i] == (h[k] ^ h[k + 1] ^ h[k + 2] ^ h[k + 3]);
    }
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(in);
    cudaFree(d);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
