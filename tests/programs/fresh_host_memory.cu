/* Host memory that the program allocates before its first CUDA call and never sets is zero, if the heap is as the system
 * gave it: the runtime's own start must not leave its data there. No standard promises it, but programs rely on it. */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void copy(float *to, const float *from) { to[threadIdx.x] = from[threadIdx.x]; }

static size_t count_set(const unsigned char *bytes, size_t size)
{
    size_t set = 0;
    for (size_t i = 0; i < size; i++) set += bytes[i] != 0;
    return set;
}

int main(void)
{
    size_t set = 0;
    unsigned char *block[10];
    bool fills = dlsym(RTLD_DEFAULT, "__asan_init") != NULL; /* its allocator fills what it returns */
    for (int k = 0; k < 10; k++) {
        size_t size = (size_t)64 << k;
        block[k] = (unsigned char *)malloc(size);
        set += count_set(block[k], size);
    }
    float *from, *to, sum[32];
    cudaMalloc((void **)&from, sizeof sum);
    cudaMalloc((void **)&to, sizeof sum);
    cudaMemcpy(from, block[8], sizeof sum, cudaMemcpyHostToDevice);
    copy<<<1, 32>>>(to, from);
    cudaMemcpy(sum, to, sizeof sum, cudaMemcpyDeviceToHost);
    bool equal = !memcmp(sum, block[8], sizeof sum);
    printf("%zu of 65472 bytes are not zero\n", set);
    if ((set && !fills) || !equal) {
        puts("FAIL");
        return 1;
    }
    puts("PASS");
    for (int k = 0; k < 10; k++) free(block[k]);
    return 0;
}
