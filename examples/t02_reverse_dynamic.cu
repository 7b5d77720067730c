/* T2: reverse an array in one block through dynamic shared memory: `extern __shared__` and the size in the launch.
 * Argument: the number of elements, 64 by default, at most 1024. */
#include "example.h"

__global__ void reverse_dynamic(int *d, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    int tr = n - t - 1;

    s[t] = d[t];
    __syncthreads();
    d[t] = s[tr];
}

int main(int argc, char **argv) {
    int n = arg_int(argc, argv, 1, 64);
    size_t bytes = n * sizeof(int);
    int *a = (int *)malloc(bytes), *r = (int *)malloc(bytes), *d = (int *)malloc(bytes);
    int *d_d;
    int pass;

    for (int i = 0; i < n; i++) {
        a[i] = i;
        r[i] = n - i - 1;
        d[i] = 0;
    }
    CHECK(cudaMalloc((void **)&d_d, bytes));
    CHECK(cudaMemcpy(d_d, a, bytes, cudaMemcpyHostToDevice));
    reverse_dynamic<<<1, n, bytes>>>(d_d, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(d, d_d, bytes, cudaMemcpyDeviceToHost));
    pass = same_ints("reverse_dynamic", r, d, n);

    CHECK(cudaFree(d_d));
    free(a);
    free(r);
    free(d);
    return finish(pass);
}
