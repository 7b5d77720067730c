// Gaussian elimination with the Fan1/Fan2 pair of kernels and partial pivoting done by a kernel of its own.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CHECK_CUDA(func)                                                                             \
    {                                                                                                \
        cudaError_t status = (func);                                                                 \
        if (status != cudaSuccess) {                                                                 \
            printf("CUDA API failed at line %d with error: %s (%d)\n", __LINE__,                     \
                   cudaGetErrorString(status), status);                                              \
            return EXIT_FAILURE;                                                                     \
        }                                                                                            \
    }

__global__ void pivot(float *a, float *b, int size, int t) {
    __shared__ float best[64];
    __shared__ int where[64];
    int tid = threadIdx.x;
    best[tid] = -1;
    where[tid] = t;
    for (int i = t + tid; i < size; i += blockDim.x)
        if (fabsf(a[i * size + t]) > best[tid]) {
            best[tid] = fabsf(a[i * size + t]);
            where[tid] = i;
        }
    __syncthreads();
    for (int s = 32; s > 0; s >>= 1) {
        if (tid < s && (best[tid + s] > best[tid] || (best[tid + s] == best[tid] && where[tid + s] < where[tid]))) {
            best[tid] = best[tid + s];
            where[tid] = where[tid + s];
        }
        __syncthreads();
    }
    int row = where[0];
    if (row == t) return;
    for (int j = t + tid; j < size; j += blockDim.x) {
        float tmp = a[t * size + j];
        a[t * size + j] = a[row * size + j];
        a[row * size + j] = tmp;
    }
    if (tid == 0) {
        float tmp = b[t];
        b[t] = b[row];
        b[row] = tmp;
    }
}

__global__ void Fan1(float *m_cuda, float *a_cuda, int Size, int t) {
    if (threadIdx.x + blockIdx.x * blockDim.x >= Size - 1 - t) return;
    *(m_cuda + Size * (blockDim.x * blockIdx.x + threadIdx.x + t + 1) + t) =
        *(a_cuda + Size * (blockDim.x * blockIdx.x + threadIdx.x + t + 1) + t) / *(a_cuda + Size * t + t);
}

__global__ void Fan2(float *m_cuda, float *a_cuda, float *b_cuda, int Size, int t) {
    if (threadIdx.x + blockIdx.x * blockDim.x >= Size - 1 - t) return;
    if (threadIdx.y + blockIdx.y * blockDim.y >= Size - t) return;
    int xidx = blockIdx.x * blockDim.x + threadIdx.x;
    int yidx = blockIdx.y * blockDim.y + threadIdx.y;
    a_cuda[Size * (xidx + 1 + t) + (yidx + t)] -= m_cuda[Size * (xidx + 1 + t) + t] * a_cuda[Size * t + (yidx + t)];
    if (yidx == 0) b_cuda[xidx + 1 + t] -= m_cuda[Size * (xidx + 1 + t) + (yidx + t)] * b_cuda[t];
}

int main() {
    const int n = 40;
    float a[n * n], b[n], x[n], want[n];
    for (int i = 0; i < n; i++) {
        want[i] = (i % 9) - 4;
        for (int j = 0; j < n; j++) a[i * n + j] = (rand() % 2000 - 1000) / 500.0f;
    }
    a[0] = 0; // needs the pivoting
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++) s += (double)a[i * n + j] * want[j];
        b[i] = (float)s;
    }
    float *m_cuda, *a_cuda, *b_cuda;
    CHECK_CUDA(cudaMalloc((void **)&m_cuda, sizeof a));
    CHECK_CUDA(cudaMalloc((void **)&a_cuda, sizeof a));
    CHECK_CUDA(cudaMalloc((void **)&b_cuda, sizeof b));
    CHECK_CUDA(cudaMemset(m_cuda, 0, sizeof a));
    CHECK_CUDA(cudaMemcpy(a_cuda, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(b_cuda, b, sizeof b, cudaMemcpyHostToDevice));
    dim3 block1(32), grid1((n + 31) / 32), block2(8, 8), grid2((n + 7) / 8, (n + 7) / 8);
    for (int t = 0; t < n - 1; t++) {
        pivot<<<1, 64>>>(a_cuda, b_cuda, n, t);
        Fan1<<<grid1, block1>>>(m_cuda, a_cuda, n, t);
        Fan2<<<grid2, block2>>>(m_cuda, a_cuda, b_cuda, n, t);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaMemcpy(a, a_cuda, sizeof a, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(b, b_cuda, sizeof b, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int i = n - 1; i >= 0; i--) {
        double s = b[i];
        for (int j = i + 1; j < n; j++) s -= (double)a[i * n + j] * x[j];
        x[i] = (float)(s / a[i * n + i]);
        worst = fmax(worst, fabs(x[i] - want[i]));
    }
    printf("error %g\n", worst);
    cudaFree(m_cuda); cudaFree(a_cuda); cudaFree(b_cuda);
    puts(worst < 5e-3 ? "PASS" : "FAIL");
    return worst < 5e-3 ? 0 : 1;
}
