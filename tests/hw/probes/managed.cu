/* managed: what a profiler of many passes shows of memory that is all allocated before the first launch, of each kind.
 *
 *   managed KIND MIB KERNEL LAUNCHES   KIND: device (copied from the host), managed (written by the host), prefetched (the same, then prefetched)
 *                                      KERNEL: add, read, scale (in place), fill; it uses arrays of MIB each
 *
 *   ncu --clock-control none --cache-control none --section SpeedOfLight --metrics (the names in tools/time_hw.py) managed ... */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void add(float *c, const float *a, const float *b) /* whole blocks of 256 */
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    c[i] = a[i] + b[i];
}

__global__ void read(const float *a, float *out)
{
    float x = a[(size_t)blockIdx.x * 256 + threadIdx.x];
    if (x == 12345.f) out[0] = x;
}

__global__ void scale(float *a) { a[(size_t)blockIdx.x * 256 + threadIdx.x] *= 2; }

__global__ void fill(float *a) { a[(size_t)blockIdx.x * 256 + threadIdx.x] = 3; }

static float *make(const char *kind, size_t count)
{
    float *host = (float *)malloc(count * sizeof *host), *memory;
    for (size_t i = 0; i < count; i++) host[i] = 1;
    if (!strcmp(kind, "device")) {
        cudaMalloc(&memory, count * sizeof *memory);
        cudaMemcpy(memory, host, count * sizeof *memory, cudaMemcpyHostToDevice);
    } else {
        cudaMallocManaged(&memory, count * sizeof *memory);
        memcpy(memory, host, count * sizeof *memory);
    }
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    if (!strcmp(kind, "prefetched")) cudaMemPrefetchAsync(memory, count * sizeof *memory, device, 0, 0);
    free(host);
    return memory;
}

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    size_t count = (size_t)atoi(argv[2]) << 18;
    bool three = !strcmp(argv[3], "add");
    float *a = make(argv[1], count), *b = three ? make(argv[1], count) : NULL, *c = three ? make(argv[1], count) : NULL;
    float *out;
    cudaMalloc(&out, sizeof *out);
    cudaDeviceSynchronize();
    unsigned blocks = (unsigned)(count / 256);
    for (int k = atoi(argv[4]); k > 0; k--) {
        if (three) add<<<blocks, 256>>>(c, a, b);
        if (!strcmp(argv[3], "read")) read<<<blocks, 256>>>(a, out);
        if (!strcmp(argv[3], "scale")) scale<<<blocks, 256>>>(a);
        if (!strcmp(argv[3], "fill")) fill<<<blocks, 256>>>(a);
        cudaDeviceSynchronize();
    }
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
