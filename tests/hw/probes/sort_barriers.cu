/* A bitonic sort with its barrier behind `if (x > t)`. Unrolled, machine code branches around each of its copies, and lanes of a warp
 * wait at different ones: it hangs. Output: the end of h100-partial-barriers.txt.
 *
 *   nvcc -arch=sm_90 -O2 sort_barriers.cu
 *   sort_barriers CASE     0: unrolled, 1: loops as they are written; may never end: give it a time limit */
#include <cstdio>
__global__ void bitonic(int *p)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x;
    s[t] = p[t];
    __syncthreads();
    for (unsigned k = 2; k <= 256; k *= 2)
        for (unsigned j = k / 2; j; j /= 2) {
            unsigned x = t ^ j;
            if (x > t) {
                if (((t & k) == 0) == (s[t] > s[x])) {
                    int q = s[t];
                    s[t] = s[x];
                    s[x] = q;
                }
                __syncthreads();
            }
        }
    p[t] = s[t];
}
/* the same, but its one barrier is executed under a predicate */
__global__ void rolled(int *p)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x;
    s[t] = p[t];
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 2; k <= 256; k *= 2)
#pragma unroll 1
        for (unsigned j = k / 2; j; j /= 2) {
            unsigned x = t ^ j;
            if (x > t) {
                if (((t & k) == 0) == (s[t] > s[x])) {
                    int q = s[t];
                    s[t] = s[x];
                    s[x] = q;
                }
                __syncthreads();
            }
        }
    p[t] = s[t];
}
int main(int n, char **v)
{
    int *d, h[256], bad = 0;
    for (int i = 0; i < 256; i++) h[i] = i * 7919 % 256;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    (v[1][0] == '0' ? bitonic : rolled)<<<1, 256>>>(d);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++) bad += h[i] != i;
    printf("%s: %s, %d not in their place\n", v[1], cudaGetErrorName(e), bad);
    return 0;
}
