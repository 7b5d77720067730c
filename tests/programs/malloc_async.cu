// Stream-ordered allocation: cudaMallocAsync and cudaFreeAsync, the default pool, a pool of one's own, attributes.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#define OK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("line %d: %s\nFAIL\n", __LINE__, cudaGetErrorString(e_));                                           \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

__global__ void fill(int *p, int n, int v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v + i;
}
__global__ void add(int *a, const int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += b[i];
}

int main() {
    int supported = 0;
    cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0);
    if (!supported) {
        printf("no memory pools\nFAIL\n");
        return 1;
    }
    const int n = 5000, G = (n + 255) / 256;
    bool ok = true;
    cudaStream_t s1, s2;
    cudaEvent_t ready;
    OK(cudaStreamCreate(&s1));
    OK(cudaStreamCreate(&s2));
    OK(cudaEventCreate(&ready));
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    uint64_t threshold = UINT64_MAX, read = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
    ok &= read == threshold;

    std::vector<int> h(n);
    for (int round = 0; round < 4; round++) {
        int *a, *b;
        OK(cudaMallocAsync((void **)&a, n * sizeof(int), s1));
        OK(cudaMallocAsync((void **)&b, n * sizeof(int), s2));
        fill<<<G, 256, 0, s1>>>(a, n, round);
        fill<<<G, 256, 0, s2>>>(b, n, 10);
        OK(cudaEventRecord(ready, s2));
        OK(cudaStreamWaitEvent(s1, ready, 0));
        add<<<G, 256, 0, s1>>>(a, b, n);
        OK(cudaMemcpyAsync(h.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost, s1));
        OK(cudaFreeAsync(a, s1));
        OK(cudaFreeAsync(b, s1));
        OK(cudaStreamSynchronize(s1));
        for (int i = 0; i < n; i++) ok &= h[i] == round + 10 + 2 * i;
    }
    uint64_t used = 1, high = 0;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    ok &= used == 0 && high >= 2 * n * sizeof(int);
    OK(cudaMemPoolTrimTo(pool, 0));

    cudaMemPool_t own;
    cudaMemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = 0;
    OK(cudaMemPoolCreate(&own, &props));
    int *c;
    OK(cudaMallocFromPoolAsync((void **)&c, n * sizeof(int), own, s1));
    fill<<<G, 256, 0, s1>>>(c, n, 7);
    OK(cudaMemcpyAsync(h.data(), c, n * sizeof(int), cudaMemcpyDeviceToHost, s1));
    OK(cudaFreeAsync(c, s1));
    OK(cudaStreamSynchronize(s1));
    for (int i = 0; i < n; i++) ok &= h[i] == 7 + i;
    OK(cudaMemPoolDestroy(own));

    // mixed with the synchronous calls
    int *d;
    OK(cudaMallocAsync((void **)&d, 1000, 0));
    OK(cudaFree(d));
    OK(cudaMalloc((void **)&d, 1000));
    OK(cudaFreeAsync(d, 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaStreamDestroy(s1));
    OK(cudaStreamDestroy(s2));
    OK(cudaEventDestroy(ready));
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
