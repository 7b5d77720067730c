// Quantised 8-bit matrix multiplication with __dp4a (four products a step) and __dp2a_lo, tiled in shared memory.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define T 16

__global__ void igemm(const int *A4, const int *Bt4, int *C, int n, int k4) {
    __shared__ int As[T][T + 1], Bs[T][T + 1];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x, acc = 0;
    for (int k = 0; k < k4; k += T) {
        As[threadIdx.y][threadIdx.x] = A4[row * k4 + k + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = Bt4[(blockIdx.x * T + threadIdx.y) * k4 + k + threadIdx.x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < T; i++) acc = __dp4a(As[threadIdx.y][i], Bs[threadIdx.x][i], acc);
        __syncthreads();
    }
    C[row * n + col] = acc;
}

__global__ void dot_u8(const unsigned *a, const unsigned *b, unsigned *out, int n) {
    unsigned sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum = __dp4a(a[i], b[i], sum);
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x == 0) *out = sum;
}

int main() {
    const int n = 48, k = 128;
    std::vector<int8_t> a(n * k), bt(n * k);
    std::vector<int> c(n * n);
    for (auto &v : a) v = (int8_t)(rand() % 256 - 128);
    for (auto &v : bt) v = (int8_t)(rand() % 256 - 128);
    int *da, *db, *dc;
    unsigned *dsum, sum, wantsum = 0;
    cudaMalloc(&da, n * k);
    cudaMalloc(&db, n * k);
    cudaMalloc(&dc, n * n * sizeof(int));
    cudaMalloc(&dsum, sizeof(unsigned));
    cudaMemcpy(da, a.data(), n * k, cudaMemcpyHostToDevice);
    cudaMemcpy(db, bt.data(), n * k, cudaMemcpyHostToDevice);
    igemm<<<dim3(n / T, n / T), dim3(T, T)>>>(da, db, dc, n, k / 4);
    cudaMemcpy(c.data(), dc, n * n * sizeof(int), cudaMemcpyDeviceToHost);
    dot_u8<<<1, 32>>>((unsigned *)da, (unsigned *)db, dsum, n * k / 4);
    cudaMemcpy(&sum, dsum, sizeof(unsigned), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int want = 0;
            for (int x = 0; x < k; x++) want += (int)a[i * k + x] * bt[j * k + x];
            ok &= want == c[i * n + j];
        }
    for (int i = 0; i < n * k; i++) wantsum += (unsigned)(uint8_t)a[i] * (uint8_t)bt[i];
    ok &= sum == wantsum;
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    cudaFree(dsum);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
