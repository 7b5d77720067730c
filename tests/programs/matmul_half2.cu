// Half-precision matrix multiplication: half2 products, float accumulation, compared with a float reference.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <vector>

// B is given transposed so that both operands run along half2 pairs.
__global__ void hgemm(const half2 *A, const half2 *Bt, float *C, int n, int k2) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0.f;
    for (int k = 0; k < k2; k += 4) {
        half2 acc = __float2half2_rn(0.f);
#pragma unroll
        for (int u = 0; u < 4; u++) acc = __hfma2(A[row * k2 + k + u], Bt[col * k2 + k + u], acc);
        float2 f = __half22float2(acc);
        sum += f.x + f.y;
    }
    C[row * n + col] = sum;
}

__global__ void to_half(const float *in, half *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __float2half(in[i]);
}

int main() {
    const int n = 64, k = 64;
    std::vector<float> a(n * k), bt(n * k), c(n * n);
    for (auto &v : a) v = (rand() % 65 - 32) / 32.0f; // exact in half
    for (auto &v : bt) v = (rand() % 65 - 32) / 64.0f;
    float *d_f, *d_c;
    half *d_a, *d_b;
    cudaMalloc(&d_f, n * k * sizeof(float));
    cudaMalloc(&d_a, n * k * sizeof(half));
    cudaMalloc(&d_b, n * k * sizeof(half));
    cudaMalloc(&d_c, n * n * sizeof(float));
    cudaMemcpy(d_f, a.data(), n * k * sizeof(float), cudaMemcpyHostToDevice);
    to_half<<<(n * k + 255) / 256, 256>>>(d_f, d_a, n * k);
    cudaMemcpy(d_f, bt.data(), n * k * sizeof(float), cudaMemcpyHostToDevice);
    to_half<<<(n * k + 255) / 256, 256>>>(d_f, d_b, n * k);
    hgemm<<<dim3(n / 16, n / 16), dim3(16, 16)>>>((half2 *)d_a, (half2 *)d_b, d_c, n, k / 2);
    cudaMemcpy(c.data(), d_c, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double want = 0;
            for (int x = 0; x < k; x++) want += (double)a[i * k + x] * bt[j * k + x];
            worst = fmax(worst, fabs(want - c[i * n + j]));
        }
    printf("largest error %g\n", worst);
    ok = ok && worst < 0.03;
    cudaFree(d_f);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
