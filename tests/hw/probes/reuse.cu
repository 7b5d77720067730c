/* reuse: launches that read one array and write another, again and again, both allocated before the first launch.
 *
 *   reuse IN_MIB OUT_MIB LAUNCHES CHANGE   CHANGE: 1: each launch writes other values; 0: all write the same */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void mix(float *out, const float *in, float value, unsigned in_blocks, unsigned out_blocks)
{
    float x = 0;
    if (blockIdx.x < in_blocks) x = in[(size_t)blockIdx.x * 256 + threadIdx.x];
    if (blockIdx.x < out_blocks) out[(size_t)blockIdx.x * 256 + threadIdx.x] = x + value;
    else if (x == 12345.f) out[0] = x;
}

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    size_t in = (size_t)atoi(argv[1]) << 20, out = (size_t)atoi(argv[2]) << 20;
    float *a, *b, *host = (float *)malloc(in);
    for (size_t i = 0; i < in / sizeof *host; i++) host[i] = 1;
    cudaMalloc(&a, in);
    cudaMalloc(&b, out ? out : sizeof *b);
    cudaMemcpy(a, host, in, cudaMemcpyHostToDevice);
    unsigned in_blocks = (unsigned)(in / 1024), out_blocks = (unsigned)(out / 1024);
    for (int k = 0; k < atoi(argv[3]); k++) {
        float value = atoi(argv[4]) ? (float)k : 0;
        mix<<<in_blocks > out_blocks ? in_blocks : out_blocks, 256>>>(b, a, value, in_blocks, out_blocks);
        cudaDeviceSynchronize();
    }
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
    free(host);
    return error != cudaSuccess;
}
