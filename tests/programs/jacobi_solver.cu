// Jacobi iterations for a diagonally dominant system, convergence checked on the host every few sweeps.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void jacobi(const double *A, const double *b, const double *x, double *xnew, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        double sigma = 0.0;
        for (int j = 0; j < n; j++)
            if (j != row) sigma += A[row * n + j] * x[j];
        xnew[row] = (b[row] - sigma) / A[row * n + row];
    }
}

__global__ void max_difference(const double *x, const double *y, double *result, int n) {
    __shared__ double s[128];
    double m = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmax(m, fabs(x[i] - y[i]));
    s[threadIdx.x] = m;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] = fmax(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *result = s[0];
}

int main() {
    const int n = 128;
    std::vector<double> A(n * n), b(n), x(n), solution(n);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            A[i * n + j] = (rand() % 200 - 100) / 100.0;
            sum += fabs(A[i * n + j]);
        }
        A[i * n + i] = sum * 1.5;
        solution[i] = i * 0.25 - 7;
    }
    for (int i = 0; i < n; i++) {
        b[i] = 0;
        for (int j = 0; j < n; j++) b[i] += A[i * n + j] * solution[j];
    }
    double *dA, *db, *dx, *dxn, *ddiff, diff = 1;
    cudaMalloc(&dA, n * n * sizeof(double));
    cudaMalloc(&db, n * sizeof(double));
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dxn, n * sizeof(double));
    cudaMalloc(&ddiff, sizeof(double));
    cudaMemcpy(dA, A.data(), n * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(dx, 0, n * sizeof(double));
    int sweeps = 0;
    while (diff > 1e-12 && sweeps < 400) {
        for (int k = 0; k < 8; k++, sweeps++) {
            jacobi<<<(n + 31) / 32, 32>>>(dA, db, dx, dxn, n);
            std::swap(dx, dxn);
        }
        max_difference<<<1, 128>>>(dx, dxn, ddiff, n);
        if (cudaMemcpy(&diff, ddiff, sizeof(double), cudaMemcpyDeviceToHost) != cudaSuccess) {
            printf("CUDA error\n");
            return 1;
        }
    }
    cudaMemcpy(x.data(), dx, n * sizeof(double), cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - solution[i]));
    printf("%d sweeps, error %g\n", sweeps, worst);
    cudaFree(dA); cudaFree(db); cudaFree(dx); cudaFree(dxn); cudaFree(ddiff);
    bool ok = worst < 1e-9;
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
