// Monte Carlo estimate of pi with curand's device API (XORWOW), one state per thread kept in global memory.
#include <cstdio>
#include <cmath>
#include <curand_kernel.h>

#define CHECK(call)                                                                   \
    {                                                                                 \
        const cudaError_t error = call;                                               \
        if (error != cudaSuccess) {                                                   \
            printf("Error: %s:%d, ", __FILE__, __LINE__);                             \
            printf("code: %d, reason: %s\n", error, cudaGetErrorString(error));       \
            exit(1);                                                                  \
        }                                                                             \
    }

__global__ void setup_kernel(curandState *state, unsigned long long seed) {
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curand_init(seed + id, 0, 0, &state[id]); // different seeds: no skip-ahead needed
}

__global__ void count_inside(curandState *state, int samples, unsigned long long *total) {
    __shared__ unsigned int block_count;
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curandState local = state[id];
    if (threadIdx.x == 0) block_count = 0;
    __syncthreads();
    unsigned int inside = 0;
    for (int i = 0; i < samples; i++) {
        float x = curand_uniform(&local), y = curand_uniform(&local);
        if (x * x + y * y <= 1.0f) inside++;
    }
    atomicAdd(&block_count, inside);
    state[id] = local;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, (unsigned long long)block_count);
}

int main() {
    const int blocks = 8, threads = 128, samples = 64;
    curandState *state;
    unsigned long long *d_total, total;
    CHECK(cudaMalloc(&state, blocks * threads * sizeof(curandState)));
    CHECK(cudaMalloc(&d_total, sizeof(total)));
    CHECK(cudaMemset(d_total, 0, sizeof(total)));
    setup_kernel<<<blocks, threads>>>(state, 1234ULL);
    CHECK(cudaGetLastError());
    count_inside<<<blocks, threads>>>(state, samples, d_total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&total, d_total, sizeof(total), cudaMemcpyDeviceToHost));
    double pi = 4.0 * total / ((double)blocks * threads * samples);
    printf("pi is about %f\n", pi);
    CHECK(cudaFree(state));
    CHECK(cudaFree(d_total));
    bool ok = std::fabs(pi - M_PI) < 0.05;
    printf("%s\n", ok ? "PASS" : "FAIL");
    return !ok;
}
