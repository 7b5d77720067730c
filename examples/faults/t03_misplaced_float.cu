/* T3 with its fault: the chars come first and the float array starts right behind them, at byte 50.
 * Reading or writing it is a misaligned address; the launch fails with cudaErrorMisalignedAddress. */
#include "../example.h"

__global__ void carve(float *out, int n_char, int n_float) {
    extern __shared__ char s[];
    char *s_char = s;
    float *s_float = (float *)&s_char[n_char];
    int t = threadIdx.x;

    if (t < n_char)
        s_char[t] = (char)t;
    if (t < n_float)
        s_float[t] = 0.5f * t;
    __syncthreads();
    if (t < n_float)
        out[t] = s_float[n_float - 1 - t] + s_char[t % n_char];
}

int main(void) {
    enum { N_CHAR = 50, N_FLOAT = 64 };
    float *d_out;
    cudaError_t error;

    CHECK(cudaMalloc((void **)&d_out, N_FLOAT * sizeof(float)));
    carve<<<1, 64, N_CHAR + N_FLOAT * sizeof(float)>>>(d_out, N_CHAR, N_FLOAT);
    CHECK(cudaGetLastError());
    error = cudaDeviceSynchronize();
    printf("the kernel ended with: %s\n", cudaGetErrorName(error));
    return error == cudaErrorMisalignedAddress ? 1 : 2;
}
