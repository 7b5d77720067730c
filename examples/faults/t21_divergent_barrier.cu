/* T21: a barrier in divergent code: the even threads wait at one __syncthreads, the odd ones at another. The
 * barriers are not the same one; what happens is undefined (on recent hardware both count as arrivals and the kernel
 * ends, with a value from the wrong side of the barrier at worst; on others it hangs). */
#include "../example.h"

#define BLOCK 64

__global__ void half_and_half(int *out) {
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = t;
    if (t % 2 == 0) {
        __syncthreads();
        out[t] = s[BLOCK - 1 - t];
    } else {
        s[t] = -t;
        __syncthreads();
        out[t] = s[BLOCK - 1 - t];
    }
}

int main(void) {
    int got[BLOCK], expected[BLOCK], *d_out;

    for (int t = 0; t < BLOCK; t++)
        expected[t] = (BLOCK - 1 - t) % 2 == 0 ? BLOCK - 1 - t : -(BLOCK - 1 - t);
    CHECK(cudaMalloc((void **)&d_out, sizeof got));
    half_and_half<<<1, BLOCK>>>(d_out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_out));
    return finish(same_ints("half_and_half", expected, got, BLOCK));
}
