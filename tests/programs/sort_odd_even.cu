// Odd-even transposition sort: one block in shared memory, and one launch per phase in global memory.
#include <stdio.h>
#include <stdlib.h>

__global__ void oddEvenShared(int *a, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[2 * t] = a[2 * t];
    if (2 * t + 1 < n) s[2 * t + 1] = a[2 * t + 1];
    __syncthreads();
    for (int phase = 0; phase < n; phase++) {
        int i = 2 * t + (phase & 1);
        if (i + 1 < n && s[i] > s[i + 1]) {
            int tmp = s[i];
            s[i] = s[i + 1];
            s[i + 1] = tmp;
        }
        __syncthreads();
    }
    a[2 * t] = s[2 * t];
    if (2 * t + 1 < n) a[2 * t + 1] = s[2 * t + 1];
}

__global__ void phaseKernel(int *a, int n, int odd, int *changed) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd;
    if (i + 1 < n && a[i] > a[i + 1]) {
        int tmp = a[i];
        a[i] = a[i + 1];
        a[i + 1] = tmp;
        *changed = 1;
    }
}

static int cmp(const void *x, const void *y) {
    int a = *(const int *)x, b = *(const int *)y;
    return (a > b) - (a < b);
}

int main() {
    enum { N = 301 };
    int h[N], want[N], got[N], *d, *d_changed, changed = 1, bad = 0;
    for (int i = 0; i < N; i++) want[i] = h[i] = rand() % 1000 - 500;
    qsort(want, N, sizeof(int), cmp);
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&d_changed, sizeof(int));
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    oddEvenShared<<<1, (N + 1) / 2, sizeof(int) * (N + 1)>>>(d, N);
    cudaMemcpy(got, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) bad += got[i] != want[i];

    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    while (changed) {
        cudaMemset(d_changed, 0, sizeof(int));
        phaseKernel<<<3, 64>>>(d, N, 0, d_changed);
        phaseKernel<<<3, 64>>>(d, N, 1, d_changed);
        cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(got, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) bad += got[i] != want[i];
    bad += cudaGetLastError() != cudaSuccess;
    cudaFree(d);
    cudaFree(d_changed);
    printf(bad ? "%d wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
