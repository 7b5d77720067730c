/* T1 with its fault: no barrier between the write of s[t] and the read of s[n - 1 - t], which the other warp writes.
 * An H200 printed a wrong first element; another GPU, or another day, may well print PASS. */
#include "../example.h"

#define N 64

__global__ void reverse_static(int *d, int n) {
    __shared__ int s[N];
    int t = threadIdx.x;
    int tr = n - t - 1;

    s[t] = d[t];
    d[t] = s[tr];
}

int main(void) {
    int a[N], r[N], d[N];
    int *d_d;

    for (int i = 0; i < N; i++) {
        a[i] = i;
        r[i] = N - i - 1;
    }
    CHECK(cudaMalloc((void **)&d_d, N * sizeof(int)));
    CHECK(cudaMemcpy(d_d, a, N * sizeof(int), cudaMemcpyHostToDevice));
    reverse_static<<<1, N>>>(d_d, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(d, d_d, N * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_d));
    return finish(same_ints("reverse_static", r, d, N));
}
