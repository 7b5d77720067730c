// SGEMM with 2-D block tiling: each thread computes an 8 x 8 piece from registers, vectorised loads, A transposed.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
    const int cRow = blockIdx.y, cCol = blockIdx.x;
    const int threadCol = threadIdx.x % (BN / TN);
    const int threadRow = threadIdx.x / (BN / TN);
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];

    A += cRow * BM * K;
    B += cCol * BN;
    C += cRow * BM * N + cCol * BN;

    const int innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4);
    const int rowStrideA = ((BM * BN) / (TM * TN) * 4) / BK;
    const int innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
    const int rowStrideB = ((BM * BN) / (TM * TN)) / (BN / 4);

    float threadResults[TM * TN] = {0.0};
    float regM[TM] = {0.0}, regN[TN] = {0.0};

    for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
        for (int off = 0; off < BM; off += rowStrideA) {
            float4 tmp = reinterpret_cast<float4 *>(&A[(innerRowA + off) * K + innerColA * 4])[0];
            As[(innerColA * 4 + 0) * BM + innerRowA + off] = tmp.x;
            As[(innerColA * 4 + 1) * BM + innerRowA + off] = tmp.y;
            As[(innerColA * 4 + 2) * BM + innerRowA + off] = tmp.z;
            As[(innerColA * 4 + 3) * BM + innerRowA + off] = tmp.w;
        }
        for (int off = 0; off < BK; off += rowStrideB)
            reinterpret_cast<float4 *>(&Bs[(innerRowB + off) * BN + innerColB * 4])[0] =
                reinterpret_cast<float4 *>(&B[(innerRowB + off) * N + innerColB * 4])[0];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int dotIdx = 0; dotIdx < BK; ++dotIdx) {
            for (int i = 0; i < TM; ++i) regM[i] = As[dotIdx * BM + threadRow * TM + i];
            for (int i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
            for (int m = 0; m < TM; ++m)
                for (int n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; m += 1)
        for (int n = 0; n < TN; n += 4) {
            float4 tmp = reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0];
            tmp.x = alpha * threadResults[m * TN + n] + beta * tmp.x;
            tmp.y = alpha * threadResults[m * TN + n + 1] + beta * tmp.y;
            tmp.z = alpha * threadResults[m * TN + n + 2] + beta * tmp.z;
            tmp.w = alpha * threadResults[m * TN + n + 3] + beta * tmp.w;
            reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0] = tmp;
        }
}

int main() {
    const int M = 128, N = 192, K = 64;
    std::vector<float> a(M * K), b(K * N), c(M * N), got(M * N);
    for (auto &v : a) v = rand() / (float)RAND_MAX - 0.5f;
    for (auto &v : b) v = rand() / (float)RAND_MAX - 0.5f;
    for (auto &v : c) v = rand() / (float)RAND_MAX;
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * 4);
    cudaMalloc(&db, b.size() * 4);
    cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
    bool ok = true;
    for (int which = 0; which < 2; which++) {
        cudaMemcpy(dc, c.data(), c.size() * 4, cudaMemcpyHostToDevice);
        if (which == 0)
            sgemm<64, 64, 8, 8, 8><<<dim3(N / 64, M / 64), 64>>>(M, N, K, 0.5f, da, db, 2.0f, dc);
        else
            sgemm<64, 64, 16, 4, 4><<<dim3(N / 64, M / 64), 256>>>(M, N, K, 0.5f, da, db, 2.0f, dc);
        cudaError_t e = cudaMemcpy(got.data(), dc, got.size() * 4, cudaMemcpyDeviceToHost);
        if (e != cudaSuccess) {
            printf("%s\n", cudaGetErrorString(e));
            return 1;
        }
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double want = 0;
                for (int k = 0; k < K; k++) want += (double)a[i * K + k] * b[k * N + j];
                want = 0.5 * want + 2.0 * c[i * N + j];
                if (fabs(want - got[i * N + j]) > 1e-4) ok = false;
            }
    }
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
