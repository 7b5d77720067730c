/* T9 as printed: `dev` is used one line before it is declared, so this does not compile: the compiler's message is
 * the finding. Corrected: ../t09_zero_copy.cu. */
#include "../example.h"

__global__ void add_ten(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        data[i] += 10;
}

int main(void) {
    const int n = 1024;
    int *host;

    CHECK(cudaHostAlloc((void **)&host, n * sizeof(int), cudaHostAllocMapped));
    for (int i = 0; i < n; i++)
        host[i] = i;

    CHECK(cudaHostGetDevicePointer((void **)&dev, host, 0));
    int *dev;

    add_ten<<<(n + 255) / 256, 256>>>(dev, n);
    CHECK_LAUNCH();
    for (int i = 0; i < n; i++) {
        if (host[i] != i + 10) {
            printf("element %d is %d, expected %d\n", i, host[i], i + 10);
            return finish(0);
        }
    }
    CHECK(cudaFreeHost(host));
    return finish(1);
}
