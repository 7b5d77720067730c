// A second translation unit with a kernel and a static of the same names as elsewhere.
#include "vec.h"
#include <numeric>
#include <vector>

static __device__ int calls = 7;

namespace {
__global__ void kernel(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = scale({(float)i, 0, 0}, 1.0f).x + calls - 7;
}
}

int launch_from_other_file(float *d_buffer, int n) {
    std::vector<float> h(n);
    kernel<<<(n + 31) / 32, 32>>>(d_buffer, n);
    cudaMemcpy(h.data(), d_buffer, n * sizeof(float), cudaMemcpyDeviceToHost);
    return (int)std::accumulate(h.begin(), h.end(), 0.0f);
}
