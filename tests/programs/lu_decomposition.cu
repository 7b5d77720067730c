// LU decomposition without pivoting, in place, several kernels a step; then forward and back substitution.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale_column(double *a, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
    if (i < n) a[i * n + k] /= a[k * n + k];
}

__global__ void update(double *a, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1, i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
    if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

__global__ void solve(const double *lu, const double *b, double *x, int n) {
    extern __shared__ double y[];
    int t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) y[i] = b[i];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        for (int i = k + 1 + t; i < n; i += blockDim.x) y[i] -= lu[i * n + k] * y[k];
        __syncthreads();
    }
    for (int k = n - 1; k >= 0; k--) {
        if (t == 0) y[k] /= lu[k * n + k];
        __syncthreads();
        for (int i = t; i < k; i += blockDim.x) y[i] -= lu[i * n + k] * y[k];
        __syncthreads();
    }
    for (int i = t; i < n; i += blockDim.x) x[i] = y[i];
}

int main() {
    const int n = 72;
    std::vector<double> a(n * n), b(n, 0), x(n), want(n), lu(n * n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) a[i * n + j] = (rand() % 2001 - 1000) / 1000.0 + (i == j ? n : 0);
        want[i] = sin(i);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) b[i] += a[i * n + j] * want[j];
    double *da, *db, *dx;
    cudaMalloc(&da, n * n * sizeof(double));
    cudaMalloc(&db, n * sizeof(double));
    cudaMalloc(&dx, n * sizeof(double));
    cudaMemcpy(da, a.data(), n * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    for (int k = 0; k < n - 1; k++) {
        int rest = n - k - 1;
        scale_column<<<(rest + 31) / 32, 32>>>(da, n, k);
        update<<<dim3((rest + 15) / 16, (rest + 7) / 8), dim3(16, 8)>>>(da, n, k);
    }
    solve<<<1, 64, n * sizeof(double)>>>(da, db, dx, n);
    cudaMemcpy(x.data(), dx, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(lu.data(), da, n * n * sizeof(double), cudaMemcpyDeviceToHost);
    double worst = 0, residual = 0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(x[i] - want[i]));
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k <= (i < j ? i : j); k++) s += (k == i ? 1.0 : lu[i * n + k]) * lu[k * n + j];
            residual = fmax(residual, fabs(s - a[i * n + j]));
        }
    }
    printf("error %g, residual %g\n", worst, residual);
    bool ok = cudaGetLastError() == cudaSuccess && worst < 1e-11 && residual < 1e-11;
    cudaFree(da); cudaFree(db); cudaFree(dx);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
