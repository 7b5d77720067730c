// Tensor core matrix multiplication through nvcuda::wmma, 16 x 16 x 16 fragments of half with float accumulation.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

using namespace nvcuda;

__global__ void wmma_gemm(const half *a, const half *b, const float *c, float *d, int M, int N, int K, float alpha,
                          float beta)
{
    int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warpN = blockIdx.y * blockDim.y + threadIdx.y;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a_frag;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b_frag;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc, c_frag;
    wmma::fill_fragment(acc, 0.0f);
    for (int k = 0; k < K; k += 16) {
        int row = warpM * 16, col = warpN * 16;
        if (row < M && col < N) {
            wmma::load_matrix_sync(a_frag, a + row * K + k, K);
            wmma::load_matrix_sync(b_frag, b + col * K + k, K);
            wmma::mma_sync(acc, a_frag, b_frag, acc);
        }
    }
    int row = warpM * 16, col = warpN * 16;
    if (row < M && col < N) {
        wmma::load_matrix_sync(c_frag, c + row * N + col, N, wmma::mem_row_major);
        for (int i = 0; i < c_frag.num_elements; i++) c_frag.x[i] = alpha * acc.x[i] + beta * c_frag.x[i];
        wmma::store_matrix_sync(d + row * N + col, c_frag, N, wmma::mem_row_major);
    }
}

int main() {
    const int M = 64, N = 96, K = 48;
    std::vector<half> a(M * K), b(N * K);
    std::vector<float> c(M * N), d(M * N);
    for (auto &v : a) v = __float2half((rand() % 9 - 4) * 0.5f);
    for (auto &v : b) v = __float2half((rand() % 9 - 4) * 0.5f);
    for (auto &v : c) v = rand() % 10;
    half *da, *db;
    float *dc, *dd;
    cudaMalloc(&da, a.size() * 2);
    cudaMalloc(&db, b.size() * 2);
    cudaMalloc(&dc, c.size() * 4);
    cudaMalloc(&dd, d.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), c.size() * 4, cudaMemcpyHostToDevice);
    wmma_gemm<<<dim3(1, 2), dim3(128, 4)>>>(da, db, dc, dd, M, N, K, 2.0f, -1.0f);
    cudaError_t e = cudaMemcpy(d.data(), dd, d.size() * 4, cudaMemcpyDeviceToHost);
    bool ok = e == cudaSuccess;
    if (!ok) printf("%s\n", cudaGetErrorString(e));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0; // multiples of 1/4: exact
            for (int k = 0; k < K; k++) s += __half2float(a[i * K + k]) * __half2float(b[j * K + k]);
            ok &= d[i * N + j] == 2 * s - c[i * N + j];
        }
    cudaFree(da); cudaFree(db); cudaFree(dc); cudaFree(dd);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
