// Rows of `make bench` for what once was far slower than the rest: texture fetches, and atomics of all lanes on one
// word; beside them plain loads. Prints millions of fetches (loads, updates) a second, kernel launch included.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { N = 512, ROUNDS = 32 };

static void check(cudaError_t error)
{
    if (!error) return;
    printf("%s\n", cudaGetErrorString(error));
    exit(1);
}

__device__ int column() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int row() { return blockIdx.y * blockDim.y + threadIdx.y; }

__global__ void loads(float *out, const float *in)
{
    float sum = 0;
    for (int k = 0; k < ROUNDS; k++) sum += in[(row() * N + column() + k) & (N * N - 1)];
    out[row() * N + column()] = sum;
}

__global__ void fetches(float *out, cudaTextureObject_t texture)
{
    float sum = 0;
    for (int k = 0; k < ROUNDS; k++) sum += tex2D<float>(texture, column() + k + 0.3f, row() * 0.7f + 0.25f);
    out[row() * N + column()] = sum;
}

__global__ void add_floats(float *out)
{
    for (int k = 0; k < ROUNDS; k++) atomicAdd(out, 1.0f);
}

__global__ void add_integers(int *out, int *last)
{
    int sum = 0;
    for (int k = 0; k < ROUNDS; k++) sum += atomicAdd(out, k);
    last[row() * N + column()] = sum;
}

template <class F> static void measure(const char *name, F launch)
{
    double best = 1e9;
    for (int k = 0; k < 5; k++) {
        auto start = std::chrono::steady_clock::now();
        launch();
        check(cudaDeviceSynchronize());
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (seconds < best) best = seconds;
    }
    printf("%-44s %8.0f M/s\n", name, 1e-6 * N * N * ROUNDS / best);
}

int main()
{
    static float host[N * N];
    float *in, *out;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    for (int k = 0; k < N * N; k++) host[k] = (float)(k % 1000);
    check(cudaMalloc(&in, sizeof host));
    check(cudaMalloc(&out, sizeof host));
    check(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    check(cudaMallocArray(&array, &format, N, N));
    check(cudaMemcpy2DToArray(array, 0, 0, host, N * 4, N * 4, N, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture = {};
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t point, bilinear;
    check(cudaCreateTextureObject(&point, &resource, &texture, nullptr));
    texture.filterMode = cudaFilterModeLinear;
    check(cudaCreateTextureObject(&bilinear, &resource, &texture, nullptr));
    dim3 grid(N / 32, N / 8), block(32, 8);
    measure("global loads", [&] { loads<<<grid, block>>>(out, in); });
    measure("tex2D of floats, point-sampled (goal 300)", [&] { fetches<<<grid, block>>>(out, point); });
    measure("tex2D of floats, bilinear (goal 100)", [&] { fetches<<<grid, block>>>(out, bilinear); });
    measure("atomicAdd of floats to one word", [&] { add_floats<<<grid, block>>>(out); });
    measure("atomicAdd of integers to one word, with results",
            [&] { add_integers<<<grid, block>>>((int *)out, (int *)in); });
}
