/* transposes: which scattered stores find their line in L1.
 *
 *   transposes N   N x N floats, by blocks of several sizes: direct: loads and stores; barrier: with one in between; shared: through shared
 *                  memory; only: stores alone */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define PLACE int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y

template <int X, int Y>
__global__ void direct(float *out, const float *in, int n)
{
    PLACE;
    out[x * n + y] = in[y * n + x];
}

template <int X, int Y>
__global__ void barrier(float *out, const float *in, int n)
{
    PLACE;
    float value = in[y * n + x];
    __syncthreads();
    out[x * n + y] = value;
}

template <int X, int Y>
__global__ void shared(float *out, const float *in, int n)
{
    __shared__ float tile[Y][X + 1];
    PLACE;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[x * n + y] = tile[threadIdx.y][threadIdx.x];
}

template <int X, int Y>
__global__ void only(float *out, const float *in, int n)
{
    PLACE;
    out[x * n + y] = (float)n;
}

template <int X, int Y>
static void all(float *out, const float *in, int n)
{
    dim3 grid(n / X, n / Y), block(X, Y);
    direct<X, Y><<<grid, block>>>(out, in, n);
    barrier<X, Y><<<grid, block>>>(out, in, n);
    shared<X, Y><<<grid, block>>>(out, in, n);
    only<X, Y><<<grid, block>>>(out, in, n);
    cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    int n = atoi(argv[1]);
    size_t bytes = (size_t)n * n * sizeof(float);
    float *in, *out;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemset(in, 0, bytes);
    all<32, 32>(out, in, n);
    all<32, 16>(out, in, n);
    all<32, 8>(out, in, n);
    all<32, 4>(out, in, n);
    all<16, 16>(out, in, n);
    all<8, 8>(out, in, n);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
