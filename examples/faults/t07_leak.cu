/* T7 with two faults: d_b is never freed, and with a guard of `<=` the last thread touches one element past the end.
 * A GPU reports neither here: the allocation is rounded up, so nothing is hit. */
#include "../example.h"

__global__ void add_one(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= n)
        data[i] += 1;
}

int main(void) {
    enum { N = 1000 };
    int host[N], expected[N];
    int *d_a, *d_b;

    for (int i = 0; i < N; i++) {
        host[i] = i;
        expected[i] = i + 1;
    }
    CHECK(cudaMalloc((void **)&d_a, sizeof host));
    CHECK(cudaMalloc((void **)&d_b, sizeof host));
    CHECK(cudaMemcpy(d_a, host, sizeof host, cudaMemcpyHostToDevice));
    add_one<<<(N + 255) / 256, 256>>>(d_a, N);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(host, d_a, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    return finish(same_ints("add_one", expected, host, N));
}
