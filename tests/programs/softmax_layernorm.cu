// Row-wise kernels of neural networks: online softmax, layer normalisation with Welford, GELU, embedding, cross
// entropy.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}

// One warp a row; float4 loads; maximum and sum in one pass.
__global__ void softmax_warp(const float *x, float *y, int rows, int cols) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float4 *x4 = (const float4 *)(x + row * cols);
    float m = -INFINITY, s = 0;
    for (int i = lane; i < cols / 4; i += 32) {
        float4 v = x4[i];
        float local = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), old = m;
        m = fmaxf(m, local);
        s = s * __expf(old - m) + __expf(v.x - m) + __expf(v.y - m) + __expf(v.z - m) + __expf(v.w - m);
    }
    float all = warp_max(m);
    s = warp_sum(m == -INFINITY ? 0.0f : s * __expf(m - all));
    float inv = 1.0f / s;
    float4 *y4 = (float4 *)(y + row * cols);
    for (int i = lane; i < cols / 4; i += 32) {
        float4 v = x4[i];
        y4[i] = make_float4(__expf(v.x - all) * inv, __expf(v.y - all) * inv, __expf(v.z - all) * inv,
                            __expf(v.w - all) * inv);
    }
}

struct Welford {
    float mean, m2, n;
};
__device__ Welford combine(Welford a, Welford b) {
    Welford r;
    r.n = a.n + b.n;
    if (r.n == 0) return a;
    float delta = b.mean - a.mean;
    r.mean = a.mean + delta * b.n / r.n;
    r.m2 = a.m2 + b.m2 + delta * delta * a.n * b.n / r.n;
    return r;
}

__global__ void layernorm(const float *x, const float *gamma, const float *beta, float *y, int cols, float eps) {
    __shared__ Welford part[32];
    __shared__ float mean, rstd;
    const float *row = x + blockIdx.x * cols;
    Welford w = {0, 0, 0};
    for (int i = threadIdx.x; i < cols; i += blockDim.x) w = combine(w, {row[i], 0, 1});
    for (int o = 16; o; o >>= 1) {
        Welford other = {__shfl_xor_sync(~0u, w.mean, o), __shfl_xor_sync(~0u, w.m2, o), __shfl_xor_sync(~0u, w.n, o)};
        w = combine(w, other);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = w;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x / 32; k++) w = combine(w, part[k]);
        mean = w.mean;
        rstd = rsqrtf(w.m2 / w.n + eps);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[blockIdx.x * cols + i] = (row[i] - mean) * rstd * gamma[i] + beta[i];
}

__global__ void gelu(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        x[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    }
}

__global__ void cross_entropy(const float *p, const int *target, float *loss, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float l = r < rows ? -logf(fmaxf(p[r * cols + target[r]], 1e-20f)) : 0;
    l = warp_sum(l);
    if (threadIdx.x % 32 == 0) atomicAdd(loss, l / rows);
}

int main() {
    const int rows = 40, cols = 264;
    std::vector<float> x(rows * cols), y(rows * cols), g(cols), b(cols);
    std::vector<int> target(rows);
    for (auto &v : x) v = (rand() % 2000 - 1000) / 100.0f;
    for (int i = 0; i < cols; i++) {
        g[i] = 1 + i * 0.01f;
        b[i] = i * 0.02f - 1;
    }
    for (auto &t : target) t = rand() % cols;
    float *dx, *dy, *dg, *db, *dl, loss;
    int *dt;
    cudaMalloc(&dx, x.size() * 4);
    cudaMalloc(&dy, x.size() * 4);
    cudaMalloc(&dg, cols * 4);
    cudaMalloc(&db, cols * 4);
    cudaMalloc(&dl, 4);
    cudaMalloc(&dt, rows * 4);
    cudaMemset(dl, 0, 4);
    cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dg, g.data(), cols * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), cols * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dt, target.data(), rows * 4, cudaMemcpyHostToDevice);
    int bad = 0;
    softmax_warp<<<(rows + 3) / 4, 128>>>(dx, dy, rows, cols);
    cross_entropy<<<1, 64>>>(dy, dt, dl, rows, cols);
    cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&loss, dl, 4, cudaMemcpyDeviceToHost);
    double want_loss = 0;
    for (int r = 0; r < rows; r++) {
        double m = -1e30, s = 0;
        for (int c = 0; c < cols; c++) m = fmax(m, x[r * cols + c]);
        for (int c = 0; c < cols; c++) s += exp(x[r * cols + c] - m);
        for (int c = 0; c < cols; c++) bad += fabs(y[r * cols + c] - exp(x[r * cols + c] - m) / s) > 1e-6;
        want_loss -= log(exp(x[r * cols + target[r]] - m) / s) / rows;
    }
    if (bad || fabs(loss - want_loss) > 1e-3 * want_loss)
        printf("softmax: %d wrong, loss %f, expected %f\n", bad++, loss, want_loss);
    layernorm<<<rows, 96>>>(dx, dg, db, dy, cols, 1e-5f);
    gelu<<<(rows * cols + 255) / 256, 256>>>(dy, rows * cols);
    cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost);
    for (int r = 0; r < rows; r++) {
        double mean = 0, var = 0;
        for (int c = 0; c < cols; c++) mean += x[r * cols + c] / cols;
        for (int c = 0; c < cols; c++) var += pow(x[r * cols + c] - mean, 2) / cols;
        for (int c = 0; c < cols; c++) {
            double v = (x[r * cols + c] - mean) / sqrt(var + 1e-5) * g[c] + b[c];
            v = 0.5 * v * (1 + tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
            bad += fabs(v - y[r * cols + c]) > 1e-4;
        }
    }
    bad += cudaGetLastError() != cudaSuccess;
    cudaFree(dx); cudaFree(dy); cudaFree(dg); cudaFree(db); cudaFree(dl); cudaFree(dt);
    printf(bad ? "%d wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
