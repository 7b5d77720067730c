// Faults that programs provoke on purpose: a failing assert, an illegal access, bad launches, each in a process of its own
// by fork and exec, and what the error calls say afterwards.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>
__global__ void testAssert(int N) { int gtid = blockIdx.x * blockDim.x + threadIdx.x; assert(gtid < N); }
__global__ void wild(int *p) { p[threadIdx.x] = 1; }
__global__ void trapper() { if (threadIdx.x == 3) __trap(); }
__global__ void fine(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void misaligned(char *p) { *(int *)(p + 1) = 3; }
__global__ void shared_oob(int *o, int k) { __shared__ int t[32]; t[threadIdx.x] = threadIdx.x; __syncthreads(); o[0] = t[k + threadIdx.x]; }
__global__ void deep(int n, int *o) { volatile int a[64]; for (int i = 0; i < 64; i++) a[i] = n + i; if (threadIdx.x == 0) *o = a[n & 63]; }
__global__ void big_block(float *o) { __shared__ float s[1024]; s[threadIdx.x] = 1; __syncthreads(); o[threadIdx.x] = s[1023 - threadIdx.x]; }
// A launch of an impossible shape: runtime 13.0 says invalid value, older ones said invalid configuration.
static const cudaError_t kBadShape = CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
static int child(int which) {
    int *p; if (cudaMalloc(&p, 128)) return 100; cudaError_t e;
    switch (which) {
    case 0: testAssert<<<2, 32>>>(60); e = cudaDeviceSynchronize(); if (e != cudaErrorAssert) return 1; return cudaGetLastError() != cudaErrorAssert;
    case 1: wild<<<1, 32>>>((int *)0x10); e = cudaDeviceSynchronize(); if (e != cudaErrorIllegalAddress) return 1; if (cudaMalloc(&p, 4) != cudaErrorIllegalAddress) return 2; if (cudaGetLastError() != cudaErrorIllegalAddress) return 3; return cudaDeviceReset() == cudaSuccess ? 0 : 0;
    case 2: trapper<<<1, 32>>>(); e = cudaDeviceSynchronize(); return e != cudaErrorLaunchFailure;
    case 3: misaligned<<<1, 1>>>((char *)p); e = cudaDeviceSynchronize(); return e != cudaErrorMisalignedAddress;
    case 4: fine<<<1, 2048>>>(p); if (cudaPeekAtLastError() != kBadShape) return 1; if (cudaGetLastError() != kBadShape) return 2; if (cudaGetLastError() != cudaSuccess) return 3; fine<<<1, 32>>>(p); return cudaDeviceSynchronize();
    case 5: fine<<<1, 32, 1 << 20>>>(p); if (cudaGetLastError() != cudaErrorInvalidValue) return 1; fine<<<0, 32>>>(p); if (cudaGetLastError() != kBadShape) return 2; fine<<<dim3(1, 70000), 32>>>(p); if (cudaGetLastError() != kBadShape) return 3; fine<<<1, dim3(1, 1, 65)>>>(p); return cudaGetLastError() != kBadShape;
    case 6: { int h; if (cudaMemcpy(&h, p, 4096, cudaMemcpyDeviceToHost) != cudaErrorInvalidValue) return 1; cudaGetLastError(); if (cudaMemcpy(p, &h, 4, (cudaMemcpyKind)77) != cudaErrorInvalidMemcpyDirection) return 2; cudaGetLastError(); if (cudaFree((char *)p + 4) != cudaErrorInvalidValue) return 3; cudaGetLastError(); if (cudaFree(p)) return 4; return cudaFree(p) != cudaErrorInvalidValue; }
    case 7: { void *q; if (cudaMalloc(&q, (size_t)1 << 60) != cudaErrorMemoryAllocation) return 1; if (cudaGetLastError() != cudaErrorMemoryAllocation) return 2; if (cudaSetDevice(99) != cudaErrorInvalidDevice) return 3; cudaGetLastError(); if (strcmp(cudaGetErrorString(cudaErrorInvalidDevice), "invalid device ordinal")) return 4; return strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") != 0; }
    case 8: { cudaDeviceReset(); int *q; if (cudaMalloc(&q, 128)) return 1; fine<<<1, 32>>>(q); int h[32]; if (cudaMemcpy(h, q, 128, cudaMemcpyDeviceToHost)) return 2; return h[31] != 31; }
    case 9: deep<<<1, 32>>>(5, p); { int h; cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost); return h != 10; }
    case 10: { float *f; cudaMalloc(&f, 4096); big_block<<<1, 1024>>>(f); return cudaDeviceSynchronize(); }
    case 11: { // sticky after an asynchronous failure: seen by the copy
        wild<<<1, 32>>>((int *)0x20); int h; if (cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost) != cudaErrorIllegalAddress) return 1; return cudaStreamSynchronize(0) != cudaErrorIllegalAddress; }
    }
    return 99;
}
int main(int argc, char **argv) {
    if (argc > 1) return child(atoi(argv[1]));
    int bad = 0;
    for (int i = 0; i <= 11; i++) {
        pid_t pid = fork(); char num[8]; snprintf(num, 8, "%d", i); if (!pid) { freopen("/dev/null", "w", stderr); execl("/proc/self/exe", argv[0], num, (char *)0); _exit(127); }
        int st; waitpid(pid, &st, 0); if (!WIFEXITED(st) || WEXITSTATUS(st)) { printf("case %d: status %d\n", i, WIFEXITED(st) ? WEXITSTATUS(st) : 1000 + WTERMSIG(st)); bad++; }
    }
    puts(bad ? "FAIL" : "PASS"); return bad != 0;
}
