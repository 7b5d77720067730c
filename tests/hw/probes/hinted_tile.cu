/* hinted_tile N: a transpose and a blur that say which loads and stores are the last ones, and sums of rows that are
 * gone through twice (tests/hw/time/h200-hinted.csv: 2048, 3072, 8192). */
#include <cstdio>
#include <cstdlib>

__global__ void tr(const float *in, float *out, int n)
{
    __shared__ float s[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        s[threadIdx.y + k][threadIdx.x] = __ldcs(in + (y + k) * n + x);
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        __stcs(out + (y + k) * n + x, s[threadIdx.x][threadIdx.y + k]);
}

__global__ void blur(const float *in, float *out, int n)
{
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    float a = 0;
    for (int d = -2; d <= 2; d++) {
        int r = min(max(y + d, 0), n - 1);
        a += d == -2 ? __ldcs(in + (size_t)r * n + x) : in[(size_t)r * n + x];
    }
    __stcs(out + (size_t)y * n + x, a);
}

__global__ void rows(const float *in, float *out, int n)
{
    float a = 0, b = 0;
    const float *r = in + (size_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += 256) {
        float v;
        asm volatile("ld.global.L1::evict_last.f32 %0, [%1];" : "=f"(v) : "l"(r + i));
        a += v;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 256) {
        float v;
        asm volatile("ld.global.L1::evict_first.f32 %0, [%1];" : "=f"(v) : "l"(r + i));
        b += v * a;
    }
    out[blockIdx.x * 256 + threadIdx.x] = b;
}

__global__ void rows_lu(const float *in, float *out, int n)
{
    float a = 0, b = 0;
    const float *r = in + (size_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += 256)
        a += r[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 256)
        b += __ldlu(r + i) * a;
    out[blockIdx.x * 256 + threadIdx.x] = b;
}

__global__ void sum(const float *in, float *out, int n)
{
    float a = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        a += in[i];
    out[blockIdx.x * 256 + threadIdx.x] = a;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    float *in, *out;
    cudaMalloc(&in, (size_t)n * n * 4);
    cudaMalloc(&out, (size_t)n * n * 4);
    cudaMemset(in, 0, (size_t)n * n * 4);
    tr<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
    sum<<<528, 256>>>(in, out, n * n);
    blur<<<dim3(n / 256, n), 256>>>(in, out, n);
    sum<<<528, 256>>>(in, out, n * n);
    rows<<<n, 256>>>(in, out, n);
    rows_lu<<<n, 256>>>(in, out, n);
    printf("%d\n", cudaDeviceSynchronize());
}
