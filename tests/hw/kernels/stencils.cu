/* Stencils and tiles: 1, 2 and 3 dimensions, from global and from shared memory; transposes; narrow types; generic pointers. */
#include "hw.h"
#include <cuda_fp16.h>

#define R 3
__global__ void stencil_1d(float *out, const float *in, int n) {
    __shared__ float s[128 + 2 * R];
    int g = TID, l = threadIdx.x + R;
    s[l] = g < n ? in[g] : 0.0f;
    if (threadIdx.x < R) {
        s[l - R] = g >= R ? in[g - R] : 0.0f;
        s[l + 128] = g + 128 < n ? in[g + 128] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -R; k <= R; k++) sum += s[l + k];
    if (g < n) out[g] = sum;
}
__global__ void stencil_2d_global(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = 0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}
__global__ void stencil_2d_shared(float *out, const float *in, int w, int h) {
    __shared__ float s[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = threadIdx.x + 1, j = threadIdx.y + 1;
    bool inside = x < w && y < h;
    s[j][i] = inside ? in[y * w + x] : 0.0f;
    if (i == 1) s[j][0] = inside && x > 0 ? in[y * w + x - 1] : 0.0f;
    if (i == 16) s[j][17] = y < h && x + 1 < w ? in[y * w + x + 1] : 0.0f;
    if (j == 1) s[0][i] = inside && y > 0 ? in[(y - 1) * w + x] : 0.0f;
    if (j == 16) s[17][i] = x < w && y + 1 < h ? in[(y + 1) * w + x] : 0.0f;
    __syncthreads();
    if (inside) out[y * w + x] = s[j][i - 1] + s[j][i + 1] + s[j - 1][i] + s[j + 1][i] - 4 * s[j][i];
}
__global__ void stencil_3d(float *out, const float *in, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= n - 1 || y >= n - 1) return;
    float below = in[y * n + x], here = in[n * n + y * n + x];
    for (int z = 1; z < n - 1; z++) {
        const float *p = in + z * n * n + y * n + x;
        float above = p[n * n];
        out[z * n * n + y * n + x] = below + above + p[-1] + p[1] + p[-n] + p[n] - 6 * here;
        below = here, here = above;
    }
}
template <int PAD> __global__ void transpose(float *out, const float *in, int n) {
    __shared__ float s[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) s[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = s[threadIdx.x][threadIdx.y + k];
}
__global__ void transpose_xor(float *out, const float *in, int n) {
    __shared__ float s[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) s[threadIdx.y + k][threadIdx.x ^ (threadIdx.y + k)] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = s[threadIdx.x][(threadIdx.y + k) ^ threadIdx.x];
}
template <typename T> __global__ void reverse_shared(T *out, const T *in) {
    __shared__ T s[256];
    s[threadIdx.x] = in[TID];
    __syncthreads();
    out[TID] = s[blockDim.x - 1 - threadIdx.x];
}
template <typename T> __global__ void strided_shared(T *out, const T *in, int stride) {
    __shared__ T s[2048];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = in[k];
    __syncthreads();
    out[TID] = s[(threadIdx.x * stride) & 2047];
}
__global__ void half_axpy(half2 *y, const half2 *x, float a) { y[TID] = __hfma2(__float2half2_rn(a), x[TID], y[TID]); }
__global__ void grey(unsigned char *out, const uchar3 *in, int n) {
    int i = TID;
    if (i < n) out[i] = (unsigned char)((in[i].x * 77 + in[i].y * 150 + in[i].z * 29) >> 8);
}
__global__ void either_space(int *out, const int *in, int shared) {
    __shared__ int s[128];
    s[threadIdx.x] = in[TID];
    __syncthreads();
    const int *p = shared ? s : in;
    out[TID] = p[127 - threadIdx.x];
}
static __device__ __noinline__ int sum_of(const int *p, int n) {
    int sum = 0;
    for (int k = 0; k < n; k++) sum += p[k];
    return sum;
}
__global__ void generic_call(int *out, const int *in, int n) {
    __shared__ int s[128];
    s[threadIdx.x] = in[TID];
    __syncthreads();
    out[TID] = sum_of(s + (threadIdx.x & 64), n) + sum_of(in + TID, n);
}
__device__ int global_table[256];
__global__ void device_variable(int *out, const int *in) {
    global_table[threadIdx.x] = in[TID];
    out[TID] = global_table[threadIdx.x] + 1;
}

int main(void) {
    char *w = device_words<char>(1 << 18, false), *o = device_words<char>(1 << 18, true);
    float *in = device_reals<float>(1 << 14), *out = (float *)o;
    LAUNCH(stencil_1d, 3, 128, out, in, 300);
    LAUNCH(stencil_2d_global, dim3(2, 5), dim3(32, 8), out, in, 50, 37);
    LAUNCH(stencil_2d_shared, dim3(4, 3), dim3(16, 16), out, in, 50, 37);
    LAUNCH(stencil_3d, dim3(1, 4), dim3(32, 4), out, in, 18);
    LAUNCH(transpose<0>, dim3(2, 2), dim3(32, 8), out, in, 64);
    LAUNCH(transpose<1>, dim3(2, 2), dim3(32, 8), out, in, 64);
    LAUNCH(transpose<2>, dim3(2, 2), dim3(32, 8), out, in, 64);
    LAUNCH(transpose_xor, dim3(2, 2), dim3(32, 8), out, in, 64);
    LAUNCH(reverse_shared<char>, 2, 256, (char *)o, (const char *)w);
    LAUNCH(reverse_shared<short>, 2, 256, (short *)o, (const short *)w);
    LAUNCH(reverse_shared<float2>, 2, 256, (float2 *)o, (const float2 *)w);
    LAUNCH(reverse_shared<float3>, 2, 256, (float3 *)o, (const float3 *)w);
    LAUNCH(reverse_shared<float4>, 2, 256, (float4 *)o, (const float4 *)w);
    LAUNCH(reverse_shared<double>, 2, 256, (double *)o, (const double *)w);
    for (int s = 1; s <= 32; s *= 2) {
        LAUNCH(strided_shared<int>, 2, 64, (int *)o, (const int *)w, s);
        LAUNCH(strided_shared<char>, 2, 64, (char *)o, (const char *)w, s);
        LAUNCH(strided_shared<short>, 2, 64, (short *)o, (const short *)w, s);
        LAUNCH(strided_shared<double>, 2, 64, (double *)o, (const double *)w, s);
    }
    LAUNCH(half_axpy, 2, 128, (half2 *)o, (const half2 *)in, 2.0f);
    LAUNCH(grey, 2, 128, (unsigned char *)o, (const uchar3 *)w, 250);
    LAUNCH(either_space, 2, 128, (int *)o, (const int *)w, 1);
    LAUNCH(generic_call, 2, 128, (int *)o, (const int *)w, 10);
    LAUNCH(device_variable, 1, 128, (int *)o, (const int *)w);
    puts("done");
    return 0;
}
