// Device functions and variables that main.cu uses.
#include "vec.h"

__device__ float factor = 1.0f;
__constant__ float weights[4] = {1, 2, 3, 4};
static __device__ int calls; // local to this file

__device__ vec3 scale(vec3 v, float k) {
    vec3 r = {v.x * k, v.y * k, v.z * k};
    return r;
}

__device__ float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ void count_call() { atomicAdd(&calls, 1); }

static __device__ float plus(float a, float b) { return a + b; }
static __device__ float times(float a, float b) { return a * b; }
__device__ operation operations[2] = {plus, times};

void set_factor(float f) { cudaMemcpyToSymbol(factor, &f, sizeof f); }

int read_calls() {
    int n = -1;
    cudaMemcpyFromSymbol(&n, calls, sizeof n);
    return n;
}
