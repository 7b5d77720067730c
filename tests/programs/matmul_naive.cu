// Matrix multiplication as in the programming guide: one thread an element, row-major Matrix struct passed by value.
#include <cmath>
#include <cstdio>
#include <cstdlib>

typedef struct {
    int width;
    int height;
    float *elements;
} Matrix;

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) {
    float Cvalue = 0;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= A.height || col >= B.width) return;
    for (int e = 0; e < A.width; ++e)
        Cvalue += A.elements[row * A.width + e] * B.elements[e * B.width + col];
    C.elements[row * C.width + col] = Cvalue;
}

void MatMul(const Matrix A, const Matrix B, Matrix C) {
    Matrix d_A, d_B, d_C;
    size_t size = A.width * A.height * sizeof(float);
    d_A.width = A.width; d_A.height = A.height;
    cudaMalloc(&d_A.elements, size);
    cudaMemcpy(d_A.elements, A.elements, size, cudaMemcpyHostToDevice);
    size = B.width * B.height * sizeof(float);
    d_B.width = B.width; d_B.height = B.height;
    cudaMalloc(&d_B.elements, size);
    cudaMemcpy(d_B.elements, B.elements, size, cudaMemcpyHostToDevice);
    size = C.width * C.height * sizeof(float);
    d_C.width = C.width; d_C.height = C.height;
    cudaMalloc(&d_C.elements, size);
    dim3 dimBlock(16, 16);
    dim3 dimGrid((B.width + dimBlock.x - 1) / dimBlock.x, (A.height + dimBlock.y - 1) / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock>>>(d_A, d_B, d_C);
    cudaMemcpy(C.elements, d_C.elements, size, cudaMemcpyDeviceToHost);
    cudaFree(d_A.elements);
    cudaFree(d_B.elements);
    cudaFree(d_C.elements);
}

Matrix create(int height, int width) {
    Matrix m = {width, height, (float *)malloc(width * height * sizeof(float))};
    for (int i = 0; i < width * height; i++) m.elements[i] = (rand() % 21 - 10) / 4.0f;
    return m;
}

int main() {
    Matrix A = create(70, 45), B = create(45, 83), C = create(70, 83);
    MatMul(A, B, C);
    if (cudaGetLastError() != cudaSuccess) return 1;
    int bad = 0;
    for (int i = 0; i < C.height; i++)
        for (int j = 0; j < C.width; j++) {
            float sum = 0; // multiples of 1/16: exact in any order
            for (int k = 0; k < A.width; k++) sum += A.elements[i * A.width + k] * B.elements[k * B.width + j];
            bad += sum != C.elements[i * C.width + j];
        }
    free(A.elements);
    free(B.elements);
    free(C.elements);
    printf(bad ? "FAIL\n" : "PASS\n");
    return bad != 0;
}
