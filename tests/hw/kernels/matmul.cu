/* Matrix products with shared tiles: the textbook forms, in several tile shapes and types, and one with register blocks. */
#include "hw.h"

template <int T, typename V> __global__ void tiled(V *c, const V *a, const V *b, int n) {
    __shared__ V as[T][T], bs[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    V sum = 0;
    for (int t = 0; t < n / T; t++) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t * T + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t * T + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
template <int T> __global__ void tiled_padded(float *c, const float *a, const float *b, int n) {
    __shared__ float as[T][T + 1], bs[T][T + 1];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / T; t++) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t * T + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t * T + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
/* Any size: the edges are filled with zeros. */
template <int T> __global__ void tiled_edges(float *c, const float *a, const float *b, int n) {
    __shared__ float as[T][T], bs[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < (n + T - 1) / T; t++) {
        int x = t * T + threadIdx.x, y = t * T + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < n && x < n ? a[row * n + x] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = y < n && col < n ? b[y * n + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < T; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}
/* The tile of b is stored transposed: a column of it is read along its row. */
template <int T> __global__ void tiled_transposed(float *c, const float *a, const float *b, int n) {
    __shared__ float as[T][T], bs[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / T; t++) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t * T + threadIdx.x];
        bs[threadIdx.x][threadIdx.y] = b[(t * T + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; k++) sum += as[threadIdx.y][k] * bs[threadIdx.x][k];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
__global__ void untiled(float *c, const float *a, const float *b, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
/* 64x64 tile of c by 16x16 threads, 4x4 results each. */
__global__ void register_blocked(float *c, const float *a, const float *b, int n) {
    __shared__ float as[16][64], bs[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = t; i < 16 * 64; i += 256) {
            as[i % 16][i / 16] = a[(blockIdx.y * 64 + i / 16) * n + k0 + i % 16];
            bs[i / 64][i % 64] = b[(k0 + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float x[4], y[4];
            for (int i = 0; i < 4; i++) x[i] = as[k][ty * 4 + i], y[i] = bs[k][tx * 4 + i];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4 + j] = sum[i][j];
}
/* The same with float4 in the source. */
__global__ void register_blocked_v4(float *c, const float *a, const float *b, int n) {
    __shared__ __align__(16) float as[16][64], bs[16][64];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        float4 va = *(const float4 *)&a[(blockIdx.y * 64 + t / 4) * n + k0 + t % 4 * 4];
        as[t % 4 * 4][t / 4] = va.x, as[t % 4 * 4 + 1][t / 4] = va.y;
        as[t % 4 * 4 + 2][t / 4] = va.z, as[t % 4 * 4 + 3][t / 4] = va.w;
        *(float4 *)&bs[t / 16][t % 16 * 4] = *(const float4 *)&b[(k0 + t / 16) * n + blockIdx.x * 64 + t % 16 * 4];
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float4 x = *(float4 *)&as[k][ty * 4], y = *(float4 *)&bs[k][tx * 4];
            float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sum[i][j] += xs[i] * ys[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *(float4 *)&c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

int main(void) {
    float *a = device_reals<float>(128 * 128), *b = device_reals<float>(128 * 128), *c = device_reals<float>(128 * 128);
    double *da = device_reals<double>(64 * 64), *db = device_reals<double>(64 * 64), *dc = device_reals<double>(64 * 64);
    LAUNCH((tiled<32, float>), dim3(2, 2), dim3(32, 32), c, a, b, 64);
    LAUNCH((tiled<16, float>), dim3(4, 4), dim3(16, 16), c, a, b, 64);
    LAUNCH((tiled<8, float>), dim3(4, 4), dim3(8, 8), c, a, b, 32);
    LAUNCH((tiled<16, double>), dim3(2, 2), dim3(16, 16), dc, da, db, 32);
    LAUNCH((tiled<32, int>), dim3(2, 2), dim3(32, 32), (int *)c, (const int *)a, (const int *)b, 64);
    LAUNCH(tiled_padded<32>, dim3(2, 2), dim3(32, 32), c, a, b, 64);
    LAUNCH(tiled_padded<16>, dim3(4, 4), dim3(16, 16), c, a, b, 64);
    LAUNCH(tiled_edges<16>, dim3(4, 4), dim3(16, 16), c, a, b, 50);
    LAUNCH(tiled_edges<32>, dim3(2, 2), dim3(32, 32), c, a, b, 50);
    LAUNCH(tiled_transposed<16>, dim3(4, 4), dim3(16, 16), c, a, b, 64);
    LAUNCH(tiled_transposed<32>, dim3(2, 2), dim3(32, 32), c, a, b, 64);
    LAUNCH(untiled, dim3(4, 4), dim3(16, 16), c, a, b, 64);
    LAUNCH(register_blocked, dim3(1, 1), dim3(16, 16), c, a, b, 64);
    LAUNCH(register_blocked_v4, dim3(1, 1), dim3(16, 16), c, a, b, 64);
    puts("done");
    return 0;
}
