// SAXPY with a grid-stride loop: any grid works for any n.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

__global__ void saxpy(int n, float a, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}

int main() {
    const int N = 100003;
    std::vector<float> x(N), y(N), result(N);
    for (int i = 0; i < N; i++) {
        x[i] = float(i % 97);
        y[i] = 2.0f;
    }
    float *d_x, *d_y;
    gpuErrchk(cudaMalloc(&d_x, N * sizeof(float)));
    gpuErrchk(cudaMalloc(&d_y, N * sizeof(float)));
    bool ok = true;
    const int grids[] = {1, 7, 32, 500};
    for (int grid : grids) {
        gpuErrchk(cudaMemcpy(d_x, x.data(), N * sizeof(float), cudaMemcpyHostToDevice));
        gpuErrchk(cudaMemcpy(d_y, y.data(), N * sizeof(float), cudaMemcpyHostToDevice));
        saxpy<<<grid, 192>>>(N, 3.0f, d_x, d_y);
        gpuErrchk(cudaPeekAtLastError());
        gpuErrchk(cudaDeviceSynchronize());
        gpuErrchk(cudaMemcpy(result.data(), d_y, N * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++)
            if (result[i] != 3.0f * (i % 97) + 2.0f) {
                printf("grid %d: y[%d] = %f\n", grid, i, result[i]);
                ok = false;
                break;
            }
    }
    cudaFree(d_x);
    cudaFree(d_y);
    printf(ok ? "PASS\n" : "FAIL\n");
    return ok ? 0 : 1;
}
