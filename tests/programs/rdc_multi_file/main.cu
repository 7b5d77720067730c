// nvcc: -rdc=true
// Separate compilation: device functions, variables and constants of other files, linked by nvlink.
#include "vec.h"
#include <cstdio>
#include <vector>

__global__ void kernel(vec3 *points, float *norms, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    vec3 p = scale(points[i], factor);
    points[i] = p;
    norms[i] = dot(p, p) + weights[i % 4];
    count_call();
}

__global__ void through_pointer(float *out) { out[threadIdx.x] = operations[threadIdx.x % 2](threadIdx.x, 2.0f); }

int main() {
    const int n = 500;
    std::vector<vec3> h(n);
    std::vector<float> norms(n);
    for (int i = 0; i < n; i++) h[i] = {(float)i, 1.0f, -2.0f};
    vec3 *d;
    float *d_norms;
    cudaMalloc(&d, n * sizeof(vec3));
    cudaMalloc(&d_norms, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(vec3), cudaMemcpyHostToDevice);
    set_factor(0.5f);
    kernel<<<(n + 127) / 128, 128>>>(d, d_norms, n);
    cudaMemcpy(norms.data(), d_norms, n * sizeof(float), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess && read_calls() == n;
    for (int i = 0; i < n; i++) {
        float x = 0.5f * i, want = x * x + 0.25f + 1.0f + (i % 4 + 1);
        if (norms[i] != want) ok = false;
    }
    through_pointer<<<1, 32>>>(d_norms);
    cudaMemcpy(norms.data(), d_norms, 32 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) ok &= norms[i] == (i % 2 ? i * 2.0f : i + 2.0f);
    ok &= launch_from_other_file(d_norms, 64) == 64 * 63 / 2;
    cudaFree(d);
    cudaFree(d_norms);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
