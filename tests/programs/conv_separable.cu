// Separable convolution: a row pass and a column pass with several results per thread, kernel in constant memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define KERNEL_RADIUS 4
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
#define ROWS_BLOCKDIM_X 16
#define ROWS_BLOCKDIM_Y 4
#define ROWS_RESULT_STEPS 4
#define ROWS_HALO_STEPS 1
#define COLUMNS_BLOCKDIM_X 16
#define COLUMNS_BLOCKDIM_Y 8
#define COLUMNS_RESULT_STEPS 4
#define COLUMNS_HALO_STEPS 1

__constant__ float c_Kernel[KERNEL_LENGTH];

__global__ void convolutionRows(float *d_Dst, const float *d_Src, int imageW, int imageH, int pitch) {
    __shared__ float s_Data[ROWS_BLOCKDIM_Y][(ROWS_RESULT_STEPS + 2 * ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X];
    const int baseX = (blockIdx.x * ROWS_RESULT_STEPS - ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X + threadIdx.x;
    const int baseY = blockIdx.y * ROWS_BLOCKDIM_Y + threadIdx.y;
    d_Src += baseY * pitch + baseX;
    d_Dst += baseY * pitch + baseX;
#pragma unroll
    for (int i = ROWS_HALO_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS; i++)
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] = d_Src[i * ROWS_BLOCKDIM_X];
#pragma unroll
    for (int i = 0; i < ROWS_HALO_STEPS; i++)
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] =
            (baseX >= -i * ROWS_BLOCKDIM_X) ? d_Src[i * ROWS_BLOCKDIM_X] : 0;
#pragma unroll
    for (int i = ROWS_HALO_STEPS + ROWS_RESULT_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS + ROWS_HALO_STEPS; i++)
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] =
            (imageW - baseX > i * ROWS_BLOCKDIM_X) ? d_Src[i * ROWS_BLOCKDIM_X] : 0;
    __syncthreads();
#pragma unroll
    for (int i = ROWS_HALO_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
            sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X + j];
        d_Dst[i * ROWS_BLOCKDIM_X] = sum;
    }
}

__global__ void convolutionColumns(float *d_Dst, const float *d_Src, int imageW, int imageH, int pitch) {
    __shared__ float s_Data[COLUMNS_BLOCKDIM_X]
                           [(COLUMNS_RESULT_STEPS + 2 * COLUMNS_HALO_STEPS) * COLUMNS_BLOCKDIM_Y + 1];
    const int baseX = blockIdx.x * COLUMNS_BLOCKDIM_X + threadIdx.x;
    const int baseY = (blockIdx.y * COLUMNS_RESULT_STEPS - COLUMNS_HALO_STEPS) * COLUMNS_BLOCKDIM_Y + threadIdx.y;
    d_Src += baseY * pitch + baseX;
    d_Dst += baseY * pitch + baseX;
    for (int i = 0; i < COLUMNS_RESULT_STEPS + 2 * COLUMNS_HALO_STEPS; i++) {
        int y = baseY + i * COLUMNS_BLOCKDIM_Y;
        s_Data[threadIdx.x][threadIdx.y + i * COLUMNS_BLOCKDIM_Y] =
            (y >= 0 && y < imageH) ? d_Src[i * COLUMNS_BLOCKDIM_Y * pitch] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = COLUMNS_HALO_STEPS; i < COLUMNS_HALO_STEPS + COLUMNS_RESULT_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
            sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.x][threadIdx.y + i * COLUMNS_BLOCKDIM_Y + j];
        d_Dst[i * COLUMNS_BLOCKDIM_Y * pitch] = sum;
    }
}

int main() {
    const int W = 192, H = 64;
    std::vector<float> in(W * H), mid(W * H), want(W * H), got(W * H);
    float k[KERNEL_LENGTH];
    for (int i = 0; i < KERNEL_LENGTH; i++) k[i] = (float)(rand() % 16);
    for (auto &v : in) v = (float)(rand() % 16);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float s = 0;
            for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
                if (x + j >= 0 && x + j < W) s += in[y * W + x + j] * k[KERNEL_RADIUS - j];
            mid[y * W + x] = s;
        }
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float s = 0;
            for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
                if (y + j >= 0 && y + j < H) s += mid[(y + j) * W + x] * k[KERNEL_RADIUS - j];
            want[y * W + x] = s;
        }
    float *a, *b, *c;
    cudaMalloc(&a, W * H * 4);
    cudaMalloc(&b, W * H * 4);
    cudaMalloc(&c, W * H * 4);
    cudaMemcpyToSymbol(c_Kernel, k, sizeof(k));
    cudaMemcpy(a, in.data(), W * H * 4, cudaMemcpyHostToDevice);
    dim3 rblocks(W / (ROWS_RESULT_STEPS * ROWS_BLOCKDIM_X), H / ROWS_BLOCKDIM_Y);
    convolutionRows<<<rblocks, dim3(ROWS_BLOCKDIM_X, ROWS_BLOCKDIM_Y)>>>(b, a, W, H, W);
    dim3 cblocks(W / COLUMNS_BLOCKDIM_X, H / (COLUMNS_RESULT_STEPS * COLUMNS_BLOCKDIM_Y));
    convolutionColumns<<<cblocks, dim3(COLUMNS_BLOCKDIM_X, COLUMNS_BLOCKDIM_Y)>>>(c, b, W, H, W);
    cudaMemcpy(got.data(), c, W * H * 4, cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess && got == want;
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
