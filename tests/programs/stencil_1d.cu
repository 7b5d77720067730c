// The 1-D stencil of the introductory lectures: radius 3, halo in shared memory.
#include <algorithm>
#include <iostream>
using namespace std;

#define N 16384
#define RADIUS 3
#define BLOCK_SIZE 128

__global__ void stencil_1d(int *in, int *out) {
    __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x;
    int lindex = threadIdx.x + RADIUS;

    temp[lindex] = in[gindex];
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = in[gindex - RADIUS];
        temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];
    }
    __syncthreads();

    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[lindex + offset];
    out[gindex] = result;
}

int main(void) {
    int *in, *out;
    int *d_in, *d_out;
    int size = (N + 2 * RADIUS) * sizeof(int);

    in = (int *)malloc(size);
    out = (int *)malloc(size);
    fill_n(in, N + 2 * RADIUS, 1);
    fill_n(out, N + 2 * RADIUS, 1);
    in[500] = 42;

    cudaMalloc((void **)&d_in, size);
    cudaMalloc((void **)&d_out, size);
    cudaMemcpy(d_in, in, size, cudaMemcpyHostToDevice);
    cudaMemcpy(d_out, out, size, cudaMemcpyHostToDevice);
    stencil_1d<<<N / BLOCK_SIZE, BLOCK_SIZE>>>(d_in + RADIUS, d_out + RADIUS);
    cudaMemcpy(out, d_out, size, cudaMemcpyDeviceToHost);

    for (int i = 0; i < N + 2 * RADIUS; i++) {
        int want = 0;
        if (i < RADIUS || i >= N + RADIUS) want = 1;
        else
            for (int k = -RADIUS; k <= RADIUS; k++) want += in[i + k];
        if (out[i] != want) {
            cout << "Mismatch at index " << i << ", was: " << out[i] << ", should be: " << want << endl;
            return -1;
        }
    }
    free(in);
    free(out);
    cudaFree(d_in);
    cudaFree(d_out);
    cout << "Success!" << endl << "PASS" << endl;
    return 0;
}
