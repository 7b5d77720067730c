// Matrix-vector products: thread per row, warp per row, block per row, and the transposed product by columns.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void thread_per_row(const float *A, const float *x, float *y, int m, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m) return;
    float s = 0;
    for (int c = 0; c < n; c++) s += A[r * n + c] * x[c];
    y[r] = s;
}

__global__ void warp_per_row(const float *A, const float *x, float *y, int m, int n) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (r >= m) return;
    float s = 0;
    for (int c = lane; c < n; c += 32) s += A[r * n + c] * x[c];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
    if (lane == 0) y[r] = s;
}

template <int B> __global__ void block_per_row(const float *A, const float *x, float *y, int n) {
    __shared__ float s[B];
    float acc = 0;
    for (int c = threadIdx.x; c < n; c += B) acc += A[blockIdx.x * n + c] * x[c];
    s[threadIdx.x] = acc;
    __syncthreads();
    for (int k = B / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}

__global__ void transposed(const float *A, const float *x, float *y, int m, int n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    float s = 0;
    for (int r = 0; r < m; r++) s += A[r * n + c] * x[r];
    y[c] = s;
}

int main() {
    const int m = 190, n = 260;
    std::vector<float> A(m * n), x(m > n ? m : n), y(x.size());
    for (auto &v : A) v = (rand() % 19 - 9) * 0.5f;
    for (auto &v : x) v = (rand() % 7 - 3);
    float *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * 4);
    cudaMalloc(&dx, x.size() * 4);
    cudaMalloc(&dy, y.size() * 4);
    cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
    int bad = 0;
    for (int which = 0; which < 4; which++) {
        cudaMemset(dy, 0xff, y.size() * 4);
        int rows = m, cols = n;
        switch (which) {
        case 0: thread_per_row<<<(m + 63) / 64, 64>>>(dA, dx, dy, m, n); break;
        case 1: warp_per_row<<<(m * 32 + 127) / 128, 128>>>(dA, dx, dy, m, n); break;
        case 2: block_per_row<64><<<m, 64>>>(dA, dx, dy, n); break;
        case 3: transposed<<<(n + 63) / 64, 64>>>(dA, dx, dy, m, n); rows = n; cols = m; break;
        }
        if (cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost) != cudaSuccess) bad++;
        for (int r = 0; r < rows; r++) {
            float want = 0;
            for (int c = 0; c < cols; c++) want += (which == 3 ? A[c * n + r] : A[r * n + c]) * x[c];
            if (y[r] != want && bad++ < 4) printf("%d: y[%d] = %f, expected %f\n", which, r, y[r], want);
        }
    }
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
