// nvcc: --extended-lambda
// Lambdas as kernel arguments: __device__ and __host__ __device__, captures by value, in a for_each and a reduce.
#include <cstdio>
#include <vector>

template <class F> __global__ void for_each_kernel(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

template <class F> void parallel_for(int n, F f) { for_each_kernel<<<(n + 127) / 128, 128>>>(n, f); }

template <class T, class Map, class Join> __global__ void map_reduce(int n, T *out, T init, Map map, Join join) {
    __shared__ T s[128];
    T acc = init;
    for (int i = threadIdx.x; i < n; i += blockDim.x) acc = join(acc, map(i));
    s[threadIdx.x] = acc;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] = join(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = s[0];
}

struct Affine {
    float a, b;
    __host__ __device__ float operator()(float x) const { return a * x + b; }
};

int main() {
    const int n = 3001;
    float *x, *y;
    int *counter;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&counter, sizeof(int));
    *counter = 0;
    float scale = 0.5f;
    Affine f{2.0f, -1.0f};
    parallel_for(n, [=] __device__(int i) {
        x[i] = i * scale;
        y[i] = f(x[i]);
        if (i % 10 == 0) atomicAdd(counter, 1);
    });
    auto both = [scale] __host__ __device__(float v) { return v * v + scale; };
    parallel_for(n, [=] __device__(int i) { y[i] = both(y[i]); });
    bool ok = cudaDeviceSynchronize() == cudaSuccess && *counter == (n + 9) / 10;
    for (int i = 0; i < n && ok; i++) ok = x[i] == i * 0.5f && y[i] == both(f(i * 0.5f));

    double *total;
    cudaMallocManaged(&total, sizeof(double));
    map_reduce<<<1, 128>>>(n, total, 0.0, [=] __device__(int i) { return (double)x[i]; },
                           [] __device__(double a, double b) { return a + b; });
    cudaDeviceSynchronize();
    ok = ok && *total == 0.25 * n * (n - 1);
    int *best;
    cudaMallocManaged(&best, sizeof(int));
    map_reduce<<<1, 128>>>(n, best, -1, [=] __device__(int i) { return (i * 37) % 1009; },
                           [] __device__(int a, int b) { return a > b ? a : b; });
    cudaDeviceSynchronize();
    ok = ok && *best == 1008 && cudaGetLastError() == cudaSuccess;
    cudaFree(x); cudaFree(y); cudaFree(counter); cudaFree(total); cudaFree(best);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
