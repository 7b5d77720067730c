// Sum, minimum and arg-max with warp shuffles, one partial result per warp in shared memory.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

template <typename T> __inline__ __device__ T warpReduceSum(T val) {
#pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(0xffffffffu, val, offset);
    return val;
}

__inline__ __device__ float warpReduceMin(float val) {
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        val = fminf(val, __shfl_xor_sync(0xffffffffu, val, mask));
    return val;
}

template <typename T> __inline__ __device__ T blockReduceSum(T val) {
    static __shared__ T shared[32];
    int lane = threadIdx.x % warpSize;
    int wid = threadIdx.x / warpSize;
    val = warpReduceSum(val);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : T(0);
    if (wid == 0) val = warpReduceSum(val);
    return val;
}

template <typename T> __global__ void sumKernel(const T *in, T *out, int N) {
    T sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x)
        sum += in[i];
    sum = blockReduceSum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

__global__ void minAndArgmax(const float *in, float *mins, int *args, int N) {
    __shared__ float smin[32], smax[32];
    __shared__ int sarg[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < N ? in[i] : FLT_MAX;
    float best = i < N ? in[i] : -FLT_MAX;
    int arg = i;
    float lo = warpReduceMin(v);
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_down_sync(~0u, best, offset);
        int otherArg = __shfl_down_sync(~0u, arg, offset);
        if (other > best || (other == best && otherArg < arg)) {
            best = other;
            arg = otherArg;
        }
    }
    if ((threadIdx.x & 31) == 0) {
        smin[threadIdx.x / 32] = lo;
        smax[threadIdx.x / 32] = best;
        sarg[threadIdx.x / 32] = arg;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) {
            lo = fminf(lo, smin[w]);
            if (smax[w] > best) {
                best = smax[w];
                arg = sarg[w];
            }
        }
        mins[blockIdx.x] = lo;
        args[blockIdx.x] = arg;
    }
}

int main() {
    const int N = 40000, B = 256, G = (N + B - 1) / B;
    std::vector<float> h(N);
    std::vector<int> hi(N);
    double want = 0;
    int wanti = 0;
    for (int i = 0; i < N; i++) {
        hi[i] = (i * 7919) % 1001 - 500;
        h[i] = hi[i] * 0.125f;
        want += h[i];
        wanti += hi[i];
    }
    float *d, *dsum, *dmins;
    int *di, *disum, *dargs;
    cudaMalloc(&d, N * sizeof(float));
    cudaMalloc(&di, N * sizeof(int));
    cudaMalloc(&dsum, sizeof(float));
    cudaMalloc(&disum, sizeof(int));
    cudaMalloc(&dmins, G * sizeof(float));
    cudaMalloc(&dargs, G * sizeof(int));
    cudaMemcpy(d, h.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(di, hi.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dsum, 0, sizeof(float));
    cudaMemset(disum, 0, sizeof(int));
    sumKernel<float><<<20, B>>>(d, dsum, N);
    sumKernel<int><<<20, B>>>(di, disum, N);
    minAndArgmax<<<G, B>>>(d, dmins, dargs, N);
    float sum;
    int isum;
    std::vector<float> mins(G);
    std::vector<int> args(G);
    cudaMemcpy(&sum, dsum, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&isum, disum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(mins.data(), dmins, G * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(args.data(), dargs, G * sizeof(int), cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) { printf("CUDA error\n"); return 1; }
    bool ok = fabs(sum - want) < 1e-3 * fabs(want) + 1 && isum == wanti;
    float lo = *std::min_element(mins.begin(), mins.end());
    if (lo != *std::min_element(h.begin(), h.end())) ok = false;
    for (int b = 0; b < G && ok; b++) {
        int first = b * B, last = std::min(N, first + B);
        int arg = std::max_element(h.begin() + first, h.begin() + last) - h.begin();
        if (h[arg] != h[args[b]]) { printf("block %d argmax %d vs %d\n", b, args[b], arg); ok = false; }
    }
    cudaFree(d); cudaFree(di); cudaFree(dsum); cudaFree(disum); cudaFree(dmins); cudaFree(dargs);
    printf("%s\n", ok ? "PASS" : "FAIL");
    return ok ? 0 : 1;
}
