// cp.async: the pipeline primitives, cuda::pipeline with two stages, and cooperative memcpy_async.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <vector>

namespace cg = cooperative_groups;

#define BLOCK 128

// Each thread copies its own 16 bytes; the tile is then read by others.
__global__ void primitives(const float4 *in, float *out, int tiles) {
    __shared__ float4 s[2][BLOCK];
    const float4 *src = in + blockIdx.x * tiles * BLOCK;
    __pipeline_memcpy_async(&s[0][threadIdx.x], &src[threadIdx.x], sizeof(float4));
    __pipeline_commit();
    float sum = 0;
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles)
            __pipeline_memcpy_async(&s[(t + 1) & 1][threadIdx.x], &src[(t + 1) * BLOCK + threadIdx.x], sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 v = s[t & 1][BLOCK - 1 - threadIdx.x];
        sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

__global__ void zero_fill(const int *in, int *out, int n) {
    __shared__ __align__(16) int s[BLOCK * 4];
    int first = threadIdx.x * 4, valid = max(0, min(4, n - first));
    __pipeline_memcpy_async(&s[first], in + (valid ? first : 0), 16, 16 - valid * 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = threadIdx.x; i < BLOCK * 4; i += BLOCK) out[i] = s[i];
}

__global__ void with_pipeline(const int *in, int *out, int tiles) {
    constexpr int stages = 2;
    __shared__ int s[stages][BLOCK];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int *src = in + blockIdx.x * tiles * BLOCK;
    int sum = 0;
    for (int compute = 0, fetch = 0; compute < tiles; compute++) {
        for (; fetch < tiles && fetch < compute + stages; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[fetch % stages], src + fetch * BLOCK, sizeof(int) * BLOCK, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[compute % stages][BLOCK - 1 - threadIdx.x] * (compute + 1);
        pipe.consumer_release();
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

__global__ void cooperative(const int *in, int *out) {
    __shared__ int s[BLOCK * 2];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + blockIdx.x * BLOCK * 2, sizeof(int) * BLOCK * 2);
    cg::wait(block);
    out[blockIdx.x * BLOCK + threadIdx.x] = s[2 * threadIdx.x] - s[2 * threadIdx.x + 1];
}

int main() {
    const int blocks = 6, tiles = 5, n = blocks * tiles * BLOCK;
    std::vector<float> f(4 * n), fo(blocks * BLOCK);
    std::vector<int> h(n), o(blocks * BLOCK);
    for (int i = 0; i < 4 * n; i++) f[i] = i % 13;
    for (int i = 0; i < n; i++) h[i] = i * i % 101;
    float *df, *dfo;
    int *d, *dout;
    cudaMalloc(&df, f.size() * 4);
    cudaMalloc(&dfo, fo.size() * 4);
    cudaMalloc(&d, n * 4);
    cudaMalloc(&dout, o.size() * 4);
    cudaMemcpy(df, f.data(), f.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice);
    bool ok = true;

    primitives<<<blocks, BLOCK>>>((float4 *)df, dfo, tiles);
    cudaMemcpy(fo.data(), dfo, fo.size() * 4, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < BLOCK; t++) {
            float want = 0;
            for (int k = 0; k < tiles; k++)
                for (int c = 0; c < 4; c++) want += (c + 1) * f[((b * tiles + k) * BLOCK + BLOCK - 1 - t) * 4 + c];
            ok &= fo[b * BLOCK + t] == want;
        }
    if (!ok) printf("primitives\n");
    with_pipeline<<<blocks, BLOCK>>>(d, dout, tiles);
    cudaMemcpy(o.data(), dout, o.size() * 4, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < BLOCK; t++) {
            int want = 0;
            for (int k = 0; k < tiles; k++) want += h[(b * tiles + k) * BLOCK + BLOCK - 1 - t] * (k + 1);
            ok &= o[b * BLOCK + t] == want;
        }
    if (!ok) printf("pipeline\n");
    cooperative<<<blocks, BLOCK>>>(d, dout);
    cudaMemcpy(o.data(), dout, o.size() * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < blocks * BLOCK; i++) ok &= o[i] == h[2 * i] - h[2 * i + 1];
    if (!ok) printf("cooperative\n");
    zero_fill<<<1, BLOCK>>>(d, dout, 203);
    cudaMemcpy(o.data(), dout, BLOCK * 4 * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BLOCK * 4; i++) ok &= o[i] == (i < 203 ? h[i] : 0);
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(df); cudaFree(dfo); cudaFree(d); cudaFree(dout);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
