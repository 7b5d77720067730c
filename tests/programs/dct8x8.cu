// 8 x 8 block DCT with quantisation and inverse, the heart of JPEG.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK_SIZE 8

__constant__ float DCTv8matrix[BLOCK_SIZE * BLOCK_SIZE];
__constant__ short Q[64] = {32, 33, 51, 81, 66, 39, 34, 17, 33, 36, 48, 47, 28, 23, 12, 12, 51, 48, 47, 28, 23, 12,
                            12, 12, 81, 47, 28, 23, 12, 12, 12, 12, 66, 28, 23, 12, 12, 12, 12, 12, 39, 23, 12, 12,
                            12, 12, 12, 12, 34, 12, 12, 12, 12, 12, 12, 12, 17, 12, 12, 12, 12, 12, 12, 12};

__global__ void DCT(float *dst, const float *src, int stride, bool inverse) {
    __shared__ float block[BLOCK_SIZE][BLOCK_SIZE], tmp[BLOCK_SIZE][BLOCK_SIZE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int at = (blockIdx.y * BLOCK_SIZE + ty) * stride + blockIdx.x * BLOCK_SIZE + tx;
    block[ty][tx] = src[at];
    __syncthreads();
    float acc = 0;
#pragma unroll
    for (int i = 0; i < BLOCK_SIZE; i++)
        acc += (inverse ? DCTv8matrix[i * BLOCK_SIZE + ty] : DCTv8matrix[ty * BLOCK_SIZE + i]) * block[i][tx];
    tmp[ty][tx] = acc;
    __syncthreads();
    acc = 0;
#pragma unroll
    for (int i = 0; i < BLOCK_SIZE; i++)
        acc += tmp[ty][i] * (inverse ? DCTv8matrix[i * BLOCK_SIZE + tx] : DCTv8matrix[tx * BLOCK_SIZE + i]);
    dst[at] = acc;
}

__global__ void quantize(float *data, int stride) {
    int tx = threadIdx.x, ty = threadIdx.y;
    float q = Q[ty * 8 + tx];
    float *p = data + (blockIdx.y * 8 + ty) * stride + blockIdx.x * 8 + tx;
    *p = roundf(*p / q) * q;
}

int main() {
    const int W = 64, H = 48;
    float m[64];
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 8; i++) m[k * 8 + i] = (k ? 0.5 : sqrt(0.125)) * cos(M_PI * (2 * i + 1) * k / 16);
    cudaMemcpyToSymbol(DCTv8matrix, m, sizeof m);
    std::vector<float> img(W * H), coef(W * H), back(W * H);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) img[y * W + x] = 100 * sinf(x * 0.1f) + 60 * cosf(y * 0.13f) + rand() % 10;
    float *a, *b;
    cudaMalloc(&a, W * H * 4);
    cudaMalloc(&b, W * H * 4);
    cudaMemcpy(a, img.data(), W * H * 4, cudaMemcpyHostToDevice);
    dim3 grid(W / 8, H / 8), block(8, 8);
    DCT<<<grid, block>>>(b, a, W, false);
    cudaMemcpy(coef.data(), b, W * H * 4, cudaMemcpyDeviceToHost);
    DCT<<<grid, block>>>(a, b, W, true);
    cudaMemcpy(back.data(), a, W * H * 4, cudaMemcpyDeviceToHost);
    double err = 0, dct_err = 0, psnr = 0;
    for (int i = 0; i < W * H; i++) err = fmax(err, fabs(back[i] - img[i]));
    for (int k = 0; k < 8; k++)
        for (int l = 0; l < 8; l++) { // one block by the definition
            double s = 0;
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 8; x++) s += m[k * 8 + y] * m[l * 8 + x] * img[(16 + y) * W + 24 + x];
            dct_err = fmax(dct_err, fabs(s - coef[(16 + k) * W + 24 + l]));
        }
    quantize<<<grid, block>>>(b, W);
    DCT<<<grid, block>>>(a, b, W, true);
    cudaMemcpy(back.data(), a, W * H * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < W * H; i++) psnr += (back[i] - img[i]) * (back[i] - img[i]);
    psnr = 10 * log10(255.0 * 255.0 * W * H / psnr);
    printf("round trip %g, coefficients %g, PSNR after quantisation %.1f dB\n", err, dct_err, psnr);
    bool ok = cudaGetLastError() == cudaSuccess && err < 1e-3 && dct_err < 1e-3 && psnr > 30 && psnr < 60;
    cudaFree(a);
    cudaFree(b);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
