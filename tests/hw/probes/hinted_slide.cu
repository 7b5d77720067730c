/* hinted_slide MIB: a part of the data is used again and again beside 256 MiB that stream through, without and with an
 * access policy window over it, as in the CUDA programming guide (tests/hw/time/h200-hinted.csv: 8, 24, 48). */
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void plain(int *stream, int *again, size_t n, size_t m)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        again[i % m] = 2 * again[i % m];
        stream[i] = 2 * stream[i];
    }
}

__global__ void window(int *stream, int *again, size_t n, size_t m)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        again[i % m] = 2 * again[i % m];
        stream[i] = 2 * stream[i];
    }
}

int main(int argc, char **argv)
{
    size_t mib = atoi(argv[1]), n = (size_t)1 << 26, m = mib << 18;
    int *s, *a;
    cudaMalloc(&s, n * 4);
    cudaMalloc(&a, m * 4);
    cudaMemset(s, 0, n * 4);
    cudaMemset(a, 0, m * 4);
    plain<<<1056, 512>>>(s, a, n, m);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)30 << 20);
    cudaStream_t st;
    cudaStreamCreate(&st);
    cudaStreamAttrValue v;
    memset(&v, 0, sizeof v);
    v.accessPolicyWindow.base_ptr = a;
    v.accessPolicyWindow.num_bytes = m * 4;
    v.accessPolicyWindow.hitRatio = mib > 30 ? 30.f / mib : 1.f;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaStreamSetAttribute(st, cudaStreamAttributeAccessPolicyWindow, &v);
    window<<<1056, 512, 0, st>>>(s, a, n, m);
    window<<<1056, 512, 0, st>>>(s, a, n, m);
    printf("%d\n", cudaDeviceSynchronize());
}
