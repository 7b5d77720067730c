// PageRank by power iteration: push with float atomics, dangling mass, L1 difference.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void push(const int *row, const int *col, const float *rank, float *next, float *dangling, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int begin = row[v], end = row[v + 1];
    if (begin == end) {
        atomicAdd(dangling, rank[v]);
        return;
    }
    float share = rank[v] / (end - begin);
    for (int e = begin; e < end; e++) atomicAdd(&next[col[e]], share);
}

__global__ void apply(float *rank, const float *next, const float *dangling, float damping, int n, float *delta) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    float d = 0;
    if (v < n) {
        float r = (1 - damping) / n + damping * (next[v] + *dangling / n);
        d = fabsf(r - rank[v]);
        rank[v] = r;
    }
    for (int o = 16; o; o >>= 1) d += __shfl_down_sync(0xffffffff, d, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(delta, d);
}

int main() {
    const int n = 2000, iters = 25;
    std::vector<int> row(n + 1, 0), col;
    for (int v = 0; v < n; v++) {
        int degree = v % 7 == 0 ? 0 : rand() % 9;
        for (int k = 0; k < degree; k++) col.push_back((rand() % 3 == 0) ? rand() % 20 : rand() % n);
        row[v + 1] = (int)col.size();
    }
    float *d_rank, *d_next, *d_scalars;
    int *d_row, *d_col;
    cudaMalloc(&d_row, (n + 1) * sizeof(int));
    cudaMalloc(&d_col, col.size() * sizeof(int));
    cudaMalloc(&d_rank, n * sizeof(float));
    cudaMalloc(&d_next, n * sizeof(float));
    cudaMalloc(&d_scalars, 2 * sizeof(float));
    std::vector<float> rank(n, 1.0f / n);
    cudaMemcpy(d_row, row.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_col, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_rank, rank.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    float scalars[2] = {0, 0};
    for (int it = 0; it < iters; it++) {
        cudaMemset(d_next, 0, n * sizeof(float));
        cudaMemset(d_scalars, 0, 2 * sizeof(float));
        push<<<(n + 127) / 128, 128>>>(d_row, d_col, d_rank, d_next, d_scalars, n);
        apply<<<(n + 127) / 128, 128>>>(d_rank, d_next, d_scalars, 0.85f, n, d_scalars + 1);
    }
    cudaMemcpy(scalars, d_scalars, sizeof(scalars), cudaMemcpyDeviceToHost);
    cudaMemcpy(rank.data(), d_rank, n * sizeof(float), cudaMemcpyDeviceToHost);
    std::vector<double> r(n, 1.0 / n), next(n);
    for (int it = 0; it < iters; it++) {
        double dangling = 0;
        std::fill(next.begin(), next.end(), 0);
        for (int v = 0; v < n; v++) {
            if (row[v] == row[v + 1]) dangling += r[v];
            for (int e = row[v]; e < row[v + 1]; e++) next[col[e]] += r[v] / (row[v + 1] - row[v]);
        }
        for (int v = 0; v < n; v++) r[v] = 0.15 / n + 0.85 * (next[v] + dangling / n);
    }
    bool ok = cudaGetLastError() == cudaSuccess && scalars[1] < 1e-3f;
    double sum = 0;
    for (int v = 0; v < n; v++) {
        sum += rank[v];
        if (fabs(rank[v] - r[v]) > 1e-4 * r[v] + 1e-8) {
            printf("rank[%d] = %g, expected %g\n", v, rank[v], r[v]);
            ok = false;
            break;
        }
    }
    printf("sum %f, last change %g\n", sum, scalars[1]);
    cudaFree(d_row); cudaFree(d_col); cudaFree(d_rank); cudaFree(d_next); cudaFree(d_scalars);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
