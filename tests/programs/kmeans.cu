// k-means on 2-D points: assignment, update with shared partial sums, several iterations.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define K 5

struct Data {
    explicit Data(int n) : size(n), bytes(n * sizeof(float)) {
        cudaMalloc(&x, bytes);
        cudaMalloc(&y, bytes);
    }
    ~Data() {
        cudaFree(x);
        cudaFree(y);
    }
    Data(const Data &) = delete;
    float *x{nullptr}, *y{nullptr};
    int size;
    size_t bytes;
};

__device__ float squared_l2(float x1, float y1, float x2, float y2) {
    return (x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2);
}

__global__ void assign_clusters(const float *__restrict__ x, const float *__restrict__ y, int n,
                                const float *__restrict__ mx, const float *__restrict__ my, float *sum_x, float *sum_y,
                                int *counts, int *label) {
    __shared__ float s[2 * K];
    __shared__ float bx[K], by[K];
    __shared__ int bc[K];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < K) {
        s[t] = mx[t];
        s[t + K] = my[t];
        bx[t] = by[t] = 0;
        bc[t] = 0;
    }
    __syncthreads();
    if (i < n) {
        float best = FLT_MAX;
        int arg = -1;
        for (int c = 0; c < K; ++c) {
            float d = squared_l2(x[i], y[i], s[c], s[c + K]);
            if (d < best) {
                best = d;
                arg = c;
            }
        }
        label[i] = arg;
        atomicAdd(&bx[arg], x[i]);
        atomicAdd(&by[arg], y[i]);
        atomicAdd(&bc[arg], 1);
    }
    __syncthreads();
    if (t < K) {
        atomicAdd(&sum_x[t], bx[t]);
        atomicAdd(&sum_y[t], by[t]);
        atomicAdd(&counts[t], bc[t]);
    }
}

__global__ void new_means(float *mx, float *my, const float *sx, const float *sy, const int *counts) {
    int c = threadIdx.x;
    int count = max(1, counts[c]);
    mx[c] = sx[c] / count;
    my[c] = sy[c] / count;
}

int main() {
    const int n = 3000, iterations = 8;
    std::vector<float> x(n), y(n), mx(K), my(K);
    std::vector<int> label(n);
    for (int i = 0; i < n; i++) {
        int c = i % K;
        x[i] = c * 10 + (rand() % 400) / 100.0f;
        y[i] = (c * c % 7) * 10 + (rand() % 400) / 100.0f;
    }
    for (int c = 0; c < K; c++) {
        mx[c] = x[c];
        my[c] = y[c];
    }
    std::vector<double> rx(mx.begin(), mx.end()), ry(my.begin(), my.end());
    Data points(n), means(K), sums(K);
    int *counts, *d_label;
    cudaMalloc(&counts, K * sizeof(int));
    cudaMalloc(&d_label, n * sizeof(int));
    cudaMemcpy(points.x, x.data(), points.bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(points.y, y.data(), points.bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(means.x, mx.data(), means.bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(means.y, my.data(), means.bytes, cudaMemcpyHostToDevice);
    for (int it = 0; it < iterations; it++) {
        cudaMemset(sums.x, 0, sums.bytes);
        cudaMemset(sums.y, 0, sums.bytes);
        cudaMemset(counts, 0, K * sizeof(int));
        assign_clusters<<<(n + 255) / 256, 256>>>(points.x, points.y, n, means.x, means.y, sums.x, sums.y, counts,
                                                  d_label);
        new_means<<<1, K>>>(means.x, means.y, sums.x, sums.y, counts);
        double sx[K] = {0}, sy[K] = {0};
        int cnt[K] = {0};
        for (int i = 0; i < n; i++) {
            int arg = 0;
            for (int c = 1; c < K; c++)
                if (pow(x[i] - rx[c], 2) + pow(y[i] - ry[c], 2) < pow(x[i] - rx[arg], 2) + pow(y[i] - ry[arg], 2))
                    arg = c;
            sx[arg] += x[i];
            sy[arg] += y[i];
            cnt[arg]++;
        }
        for (int c = 0; c < K; c++)
            if (cnt[c]) {
                rx[c] = sx[c] / cnt[c];
                ry[c] = sy[c] / cnt[c];
            }
    }
    cudaMemcpy(mx.data(), means.x, means.bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(my.data(), means.y, means.bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(label.data(), d_label, n * sizeof(int), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int c = 0; c < K; c++) {
        printf("mean %d: %f %f\n", c, mx[c], my[c]);
        ok &= fabs(mx[c] - rx[c]) < 1e-2 && fabs(my[c] - ry[c]) < 1e-2;
    }
    for (int i = 0; i < n; i++) ok &= label[i] == label[i % K];
    cudaFree(counts);
    cudaFree(d_label);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
