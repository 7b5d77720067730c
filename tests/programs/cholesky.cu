// Cholesky factorisation of a symmetric positive definite matrix: one block in shared memory for each small matrix.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T, int N> __global__ void batched_cholesky(T *matrices, int *info) {
    __shared__ T a[N][N + 1];
    __shared__ int failed;
    T *m = matrices + blockIdx.x * N * N;
    const int t = threadIdx.x;
    for (int i = t; i < N * N; i += blockDim.x) a[i / N][i % N] = m[i];
    if (t == 0) failed = 0;
    __syncthreads();
    for (int k = 0; k < N; k++) {
        if (t == 0) {
            if (a[k][k] <= 0) failed = k + 1;
            else a[k][k] = sqrt(a[k][k]);
        }
        __syncthreads();
        if (failed) break; // the same for all threads
        for (int i = k + 1 + t; i < N; i += blockDim.x) a[i][k] /= a[k][k];
        __syncthreads();
        for (int i = k + 1 + t; i < N; i += blockDim.x)
            for (int j = k + 1; j <= i; j++) a[i][j] -= a[i][k] * a[j][k];
        __syncthreads();
    }
    for (int i = t; i < N * N; i += blockDim.x) m[i] = i % N <= i / N ? a[i / N][i % N] : T(0);
    if (t == 0) info[blockIdx.x] = failed;
}

template <typename T, int N> bool run(double tolerance) {
    const int batch = 6;
    std::vector<T> a(batch * N * N), l(a.size());
    std::vector<int> info(batch);
    for (int b = 0; b < batch; b++) {
        std::vector<double> g(N * N);
        for (auto &v : g) v = (rand() % 200 - 100) / 100.0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double s = i == j ? 1.0 : 0.0;
                for (int k = 0; k < N; k++) s += g[i * N + k] * g[j * N + k];
                a[(b * N + i) * N + j] = (T)s;
            }
    }
    a[(3 * N + 5) * N + 5] = -1; // the fourth is not positive definite
    T *d;
    int *di;
    cudaMalloc(&d, a.size() * sizeof(T));
    cudaMalloc(&di, batch * sizeof(int));
    cudaMemcpy(d, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice);
    batched_cholesky<T, N><<<batch, 32>>>(d, di);
    cudaMemcpy(l.data(), d, a.size() * sizeof(T), cudaMemcpyDeviceToHost);
    cudaMemcpy(info.data(), di, batch * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(di);
    bool ok = cudaGetLastError() == cudaSuccess;
    double worst = 0;
    for (int b = 0; b < batch; b++) {
        if (b == 3) {
            ok &= info[b] == 6;
            continue;
        }
        ok &= info[b] == 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) {
                double s = 0;
                for (int k = 0; k <= j; k++) s += (double)l[(b * N + i) * N + k] * l[(b * N + j) * N + k];
                worst = fmax(worst, fabs(s - a[(b * N + i) * N + j]));
            }
    }
    printf("n = %d: residual %g\n", N, worst);
    return ok && worst < tolerance;
}

int main() {
    bool ok = run<float, 24>(1e-3) & run<double, 40>(1e-11);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
