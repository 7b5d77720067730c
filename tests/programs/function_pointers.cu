// Device function pointers: tables in constant memory, passed to kernels, copied from symbols, member pointers.
#include <cmath>
#include <cstdio>

typedef float (*unary)(float);
typedef int (*binary)(int, int);

__device__ float square(float x) { return x * x; }
__device__ float half_of(float x) { return x * 0.5f; }
__device__ float negate(float x) { return -x; }

__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }

__device__ unary d_square = square;
__device__ unary d_half = half_of;
__device__ binary table[4] = {add, sub, mul, larger};

__global__ void apply(const float *in, float *out, unary f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = f(in[i]);
}

// Every lane may call another function.
__global__ void apply_table(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[i % 4](i, 7);
}

__device__ float compose(unary f, unary g, float x) { return f(g(x)); }
__global__ void composed(float *out, int which) {
    unary f = which ? negate : square;
    out[threadIdx.x] = compose(f, half_of, (float)threadIdx.x);
}

struct Op {
    float k;
    __device__ float plus(float x) const { return x + k; }
    __device__ float times(float x) const { return x * k; }
};
__global__ void members(float *out) {
    float (Op::*f)(float) const = threadIdx.x & 1 ? &Op::plus : &Op::times;
    Op op = {3.0f};
    out[threadIdx.x] = (op.*f)((float)threadIdx.x);
}

int main() {
    const int n = 64;
    float h[n], out[n], *d_in, *d_out;
    int hi[n], *d_int;
    bool ok = true;
    for (int i = 0; i < n; i++) h[i] = i - 20;
    cudaMalloc(&d_in, sizeof h);
    cudaMalloc(&d_out, sizeof h);
    cudaMalloc(&d_int, sizeof hi);
    cudaMemcpy(d_in, h, sizeof h, cudaMemcpyHostToDevice);
    unary f;
    cudaMemcpyFromSymbol(&f, d_square, sizeof f);
    apply<<<2, 32>>>(d_in, d_out, f, n);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) ok &= out[i] == h[i] * h[i];
    cudaMemcpyFromSymbol(&f, d_half, sizeof f);
    apply<<<2, 32>>>(d_in, d_out, f, n);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) ok &= out[i] == h[i] * 0.5f;
    apply_table<<<2, 32>>>(d_int, n);
    cudaMemcpy(hi, d_int, sizeof hi, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        int want[4] = {i + 7, i - 7, i * 7, i > 7 ? i : 7};
        ok &= hi[i] == want[i % 4];
    }
    for (int which = 0; which < 2; which++) {
        composed<<<1, n>>>(d_out, which);
        cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++) ok &= out[i] == (which ? -(i * 0.5f) : (i * 0.5f) * (i * 0.5f));
    }
    members<<<1, n>>>(d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) ok &= out[i] == (i & 1 ? i + 3.0f : i * 3.0f);
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(d_in); cudaFree(d_out); cudaFree(d_int);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
