// DGEMM with shared sub-matrices as in the guide's second version (Asub, Bsub by pointer), plus a float4/double2
// variant.
#include <cmath>
#include <cstdio>
#include <vector>

#define BLOCK_SIZE 16

struct Matrix {
    int width, height, stride;
    double *elements;
};

__device__ double GetElement(const Matrix A, int row, int col) { return A.elements[row * A.stride + col]; }
__device__ void SetElement(Matrix A, int row, int col, double value) { A.elements[row * A.stride + col] = value; }
__device__ Matrix GetSubMatrix(Matrix A, int row, int col) {
    Matrix Asub;
    Asub.width = BLOCK_SIZE;
    Asub.height = BLOCK_SIZE;
    Asub.stride = A.stride;
    Asub.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
    return Asub;
}

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) {
    int blockRow = blockIdx.y, blockCol = blockIdx.x;
    Matrix Csub = GetSubMatrix(C, blockRow, blockCol);
    double Cvalue = 0;
    int row = threadIdx.y, col = threadIdx.x;
    for (int m = 0; m < (A.width / BLOCK_SIZE); ++m) {
        Matrix Asub = GetSubMatrix(A, blockRow, m);
        Matrix Bsub = GetSubMatrix(B, m, blockCol);
        __shared__ double As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ double Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[row][col] = GetElement(Asub, row, col);
        Bs[row][col] = GetElement(Bsub, row, col);
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e)
            Cvalue += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    SetElement(Csub, row, col, Cvalue);
}

// Two columns a thread through double2.
__global__ void matmul_double2(const double *A, const double2 *B, double2 *C, int n) {
    int col2 = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    double2 acc = make_double2(0, 0);
    for (int k = 0; k < n; k++) {
        double a = A[row * n + k];
        double2 b = B[k * (n / 2) + col2];
        acc.x = fma(a, b.x, acc.x);
        acc.y = fma(a, b.y, acc.y);
    }
    C[row * (n / 2) + col2] = acc;
}

int main() {
    const int n = 64;
    std::vector<double> a(n * n), b(n * n), got(n * n), want(n * n, 0.0);
    for (int i = 0; i < n * n; i++) {
        a[i] = sin(i * 0.37);
        b[i] = cos(i * 0.11);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) want[i * n + j] += a[i * n + k] * b[k * n + j];
    Matrix A = {n, n, n, nullptr}, B = A, C = A;
    size_t bytes = n * n * sizeof(double);
    cudaMalloc(&A.elements, bytes);
    cudaMalloc(&B.elements, bytes);
    cudaMalloc(&C.elements, bytes);
    cudaMemcpy(A.elements, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(B.elements, b.data(), bytes, cudaMemcpyHostToDevice);
    int bad = 0;
    for (int which = 0; which < 2; which++) {
        if (which == 0)
            MatMulKernel<<<dim3(n / BLOCK_SIZE, n / BLOCK_SIZE), dim3(BLOCK_SIZE, BLOCK_SIZE)>>>(A, B, C);
        else
            matmul_double2<<<dim3(n / 32, n / 8), dim3(16, 8)>>>(A.elements, (double2 *)B.elements,
                                                                (double2 *)C.elements, n);
        if (cudaMemcpy(got.data(), C.elements, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) bad++;
        for (int i = 0; i < n * n; i++) bad += fabs(got[i] - want[i]) > 1e-12;
    }
    cudaFree(A.elements);
    cudaFree(B.elements);
    cudaFree(C.elements);
    printf(bad ? "%d wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
