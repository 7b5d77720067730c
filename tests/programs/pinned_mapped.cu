// Pinned memory in every form: cudaHostAlloc flags, cudaHostRegister of malloc'd memory, mapped pointers, flags query.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <unistd.h>

#define MUST(x)                                                                  \
    if (cudaError_t e_ = (x); e_ != cudaSuccess) {                               \
        printf("line %d: %s\nFAIL\n", __LINE__, cudaGetErrorString(e_));         \
        return 1;                                                                \
    }

__global__ void copy_plus(const int *in, int *out, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + k;
}

static bool check(const int *p, int n, int k) {
    for (int i = 0; i < n; i++)
        if (p[i] != i + k) {
            printf("element %d is %d, expected %d\n", i, p[i], i + k);
            return false;
        }
    return true;
}

int main() {
    const int n = 3000;
    bool ok = true;
    MUST(cudaSetDeviceFlags(cudaDeviceMapHost));
    int *in, *out, *d_in, *d_out;
    unsigned flags;
    MUST(cudaHostAlloc(&in, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocWriteCombined));
    MUST(cudaHostAlloc(&out, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    MUST(cudaHostGetFlags(&flags, in));
    ok &= (flags & cudaHostAllocMapped) != 0;
    for (int i = 0; i < n; i++) in[i] = i;
    MUST(cudaHostGetDevicePointer(&d_in, in, 0));
    MUST(cudaHostGetDevicePointer(&d_out, out, 0));
    copy_plus<<<(n + 127) / 128, 128>>>(d_in, d_out, n, 5);
    MUST(cudaDeviceSynchronize());
    ok &= check(out, n, 5);

    int *reg = (int *)aligned_alloc(4096, (n * sizeof(int) + 4095) / 4096 * 4096), *d_reg;
    MUST(cudaHostRegister(reg, n * sizeof(int), cudaHostRegisterMapped));
    ok &= cudaHostRegister(reg, n * sizeof(int), 0) == cudaErrorHostMemoryAlreadyRegistered;
    cudaGetLastError();
    MUST(cudaHostGetDevicePointer(&d_reg, reg, 0));
    copy_plus<<<(n + 127) / 128, 128>>>(d_in, d_reg, n, 9);
    MUST(cudaDeviceSynchronize());
    ok &= check(reg, n, 9);
    cudaPointerAttributes attr;
    MUST(cudaPointerGetAttributes(&attr, reg));
    ok &= attr.type == cudaMemoryTypeHost;
    MUST(cudaHostUnregister(reg));
    ok &= cudaHostUnregister(reg) == cudaErrorHostMemoryNotRegistered;
    cudaGetLastError();
    int local;
    MUST(cudaPointerGetAttributes(&attr, &local));
    ok &= attr.type == cudaMemoryTypeUnregistered;
    ok &= cudaFreeHost(&local) != cudaSuccess;
    cudaGetLastError();
    MUST(cudaFreeHost(in));
    MUST(cudaFreeHost(out));
    free(reg);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
