// Error handling: wrong launch configurations, bad arguments, bad pointers; which code comes, and what sticks.
#include <cstdio>
#include <cstring>

__global__ void nothing() {}
__global__ void big_block(int *p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) bounded(int *p) { p[threadIdx.x] = 2; }

// A launch of an impossible shape: runtime 13.0 says invalid value, older ones said invalid configuration.
#if CUDART_VERSION >= 13000
static const cudaError_t kBadShape = cudaErrorInvalidValue;
#else
static const cudaError_t kBadShape = cudaErrorInvalidConfiguration;
#endif

static int bad = 0;
static void expect(const char *what, cudaError_t got, cudaError_t want) {
    if (got != want) {
        printf("%s: %s, expected %s\n", what, cudaGetErrorName(got), cudaGetErrorName(want));
        bad++;
    }
}

int main() {
    int *d, *other, h[4] = {1, 2, 3, 4}, count;
    expect("no error yet", cudaGetLastError(), cudaSuccess);
    expect("malloc", cudaMalloc(&d, 4096), cudaSuccess);

    nothing<<<1, 1025>>>();
    expect("1025 threads", cudaPeekAtLastError(), kBadShape);
    expect("peek does not clear", cudaGetLastError(), kBadShape);
    expect("get clears", cudaGetLastError(), cudaSuccess);
    nothing<<<1, dim3(32, 32, 2)>>>();
    expect("32 x 32 x 2", cudaGetLastError(), kBadShape);
    nothing<<<1, dim3(1, 1, 65)>>>();
    expect("z of 65", cudaGetLastError(), kBadShape);
    nothing<<<0, 32>>>();
    expect("empty grid", cudaGetLastError(), kBadShape);
    nothing<<<1, 0>>>();
    expect("empty block", cudaGetLastError(), kBadShape);
    nothing<<<dim3(1, 65536), 1>>>();
    expect("grid y of 65536", cudaGetLastError(), kBadShape);
    nothing<<<1, 32, 1 << 20>>>();
    expect("1 MB of shared memory", cudaGetLastError(), cudaErrorInvalidValue);
    bounded<<<1, 128>>>(d);
    expect("more than the launch bounds", cudaGetLastError(), cudaErrorInvalidValue);
    big_block<<<1, 1024>>>(d);
    expect("1024 threads", cudaGetLastError(), cudaSuccess);
    nothing<<<65536, 1>>>();
    expect("grid x of 65536 is fine", cudaGetLastError(), cudaSuccess);
    nothing<<<dim3(1, 65535, 2), dim3(1, 1, 1)>>>();
    expect("grid y of 65535 is fine", cudaGetLastError(), cudaSuccess);

    expect("malloc of too much", cudaMalloc(&other, (size_t)1 << 60), cudaErrorMemoryAllocation);
    cudaGetLastError();
    expect("malloc again", cudaMalloc(&other, 4096), cudaSuccess);
    expect("free again", cudaFree(other), cudaSuccess);
    expect("malloc of nothing", cudaMalloc(&other, 0), cudaSuccess);
    expect("copy from null", cudaMemcpy(d, NULL, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    expect("copy of nothing", cudaMemcpy(d, h, 0, cudaMemcpyHostToDevice), cudaSuccess);
    expect("copy direction", cudaMemcpy(d, h, 16, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    cudaGetLastError();
    expect("free of null", cudaFree(NULL), cudaSuccess);
    expect("free of a host pointer", cudaFree(h), cudaErrorInvalidValue);
    expect("free of the middle", cudaFree(d + 4), cudaErrorInvalidValue);
    cudaGetLastError();
    expect("memset", cudaMemset(d, 0, 4096), cudaSuccess);
    expect("free", cudaFree(d), cudaSuccess);
    expect("double free", cudaFree(d), cudaErrorInvalidValue);
    cudaGetLastError();

    cudaGetDeviceCount(&count);
    expect("set a device that is not there", cudaSetDevice(count), cudaErrorInvalidDevice);
    cudaGetLastError();
    int value;
    expect("attribute of a device that is not there", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count + 3),
           cudaErrorInvalidDevice);
    cudaGetLastError();
    cudaEvent_t e1, e2;
    float ms;
    cudaEventCreate(&e1);
    cudaEventCreate(&e2);
    expect("elapsed of events not recorded", cudaEventElapsedTime(&ms, e1, e2), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    cudaEventDestroy(e1);
    cudaEventDestroy(e2);

    if (strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") ||
        strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument") ||
        strcmp(cudaGetErrorString(cudaSuccess), "no error") ||
        strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered")) {
        printf("error names\n");
        bad++;
    }
    expect("the device still works", cudaDeviceSynchronize(), cudaSuccess);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
