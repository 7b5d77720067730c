// 1-D convolution: basic, mask in constant memory, tiled with halos, tiled relying on the cache for halos.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define MAX_MASK_WIDTH 11
#define TILE_SIZE 128

__constant__ float M[MAX_MASK_WIDTH];

__global__ void convolution_1D_basic(const float *N, const float *Mask, float *P, int Mask_Width, int Width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= Width) return;
    float Pvalue = 0;
    int N_start_point = i - (Mask_Width / 2);
    for (int j = 0; j < Mask_Width; j++)
        if (N_start_point + j >= 0 && N_start_point + j < Width)
            Pvalue += N[N_start_point + j] * Mask[j];
    P[i] = Pvalue;
}

__global__ void convolution_1D_constant(const float *N, float *P, int Mask_Width, int Width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float Pvalue = 0;
    int start = i - (Mask_Width / 2);
    for (int j = 0; j < Mask_Width; j++)
        if (start + j >= 0 && start + j < Width) Pvalue += N[start + j] * M[j];
    if (i < Width) P[i] = Pvalue;
}

__global__ void convolution_1D_tiled(const float *N, float *P, int Mask_Width, int Width) {
    __shared__ float N_ds[TILE_SIZE + MAX_MASK_WIDTH - 1];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = Mask_Width / 2;
    int left = (blockIdx.x - 1) * (int)blockDim.x + threadIdx.x;
    if (threadIdx.x >= blockDim.x - n)
        N_ds[threadIdx.x - (blockDim.x - n)] = (left < 0) ? 0 : N[left];
    N_ds[n + threadIdx.x] = i < Width ? N[i] : 0;
    int right = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
    if (threadIdx.x < n)
        N_ds[n + blockDim.x + threadIdx.x] = (right >= Width) ? 0 : N[right];
    __syncthreads();
    float Pvalue = 0;
    for (int j = 0; j < Mask_Width; j++) Pvalue += N_ds[threadIdx.x + j] * M[j];
    if (i < Width) P[i] = Pvalue;
}

__global__ void convolution_1D_cached(const float *N, float *P, int Mask_Width, int Width) {
    __shared__ float N_ds[TILE_SIZE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < Width) N_ds[threadIdx.x] = N[i];
    __syncthreads();
    int tile_start = blockIdx.x * blockDim.x, next_tile = (blockIdx.x + 1) * blockDim.x;
    int start = i - Mask_Width / 2;
    float Pvalue = 0;
    for (int j = 0; j < Mask_Width; j++) {
        int index = start + j;
        if (index >= 0 && index < Width) {
            if (index >= tile_start && index < next_tile) Pvalue += N_ds[threadIdx.x + j - Mask_Width / 2] * M[j];
            else Pvalue += N[index] * M[j];
        }
    }
    if (i < Width) P[i] = Pvalue;
}

int main() {
    const int width = 5000, mw = 9, grid = (width + TILE_SIZE - 1) / TILE_SIZE;
    static float n[5000], p[5000], want[5000];
    const float mask[mw] = {1, -2, 3, 4, 5, 4, 3, -2, 1};
    for (int i = 0; i < width; i++) n[i] = rand() % 50;
    for (int i = 0; i < width; i++) {
        want[i] = 0;
        for (int j = 0; j < mw; j++)
            if (i - mw / 2 + j >= 0 && i - mw / 2 + j < width) want[i] += n[i - mw / 2 + j] * mask[j];
    }
    float *dn, *dp, *dm;
    cudaMalloc(&dn, sizeof n);
    cudaMalloc(&dp, sizeof p);
    cudaMalloc(&dm, sizeof mask);
    cudaMemcpy(dn, n, sizeof n, cudaMemcpyHostToDevice);
    cudaMemcpy(dm, mask, sizeof mask, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(M, mask, sizeof mask);
    int bad = 0;
    for (int k = 0; k < 4; k++) {
        cudaMemset(dp, 0, sizeof p);
        if (k == 0) convolution_1D_basic<<<grid, TILE_SIZE>>>(dn, dm, dp, mw, width);
        if (k == 1) convolution_1D_constant<<<grid, TILE_SIZE>>>(dn, dp, mw, width);
        if (k == 2) convolution_1D_tiled<<<grid, TILE_SIZE>>>(dn, dp, mw, width);
        if (k == 3) convolution_1D_cached<<<grid, TILE_SIZE>>>(dn, dp, mw, width);
        if (cudaMemcpy(p, dp, sizeof p, cudaMemcpyDeviceToHost) != cudaSuccess) bad++;
        for (int i = 0; i < width; i++)
            if (p[i] != want[i] && bad++ < 4) printf("kernel %d: p[%d] = %f, expected %f\n", k, i, p[i], want[i]);
    }
    cudaFree(dn);
    cudaFree(dp);
    cudaFree(dm);
    printf(bad ? "FAIL\n" : "PASS\n");
    return bad != 0;
}
