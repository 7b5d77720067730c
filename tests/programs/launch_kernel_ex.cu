// Launch APIs: cudaLaunchKernel, cudaLaunchKernelEx with attributes, cudaLaunchKernelExC, cooperative as an attribute,
// programmatic stream serialisation.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void axpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

__global__ void grid_sum(int *values, int *out) {
    cg::grid_group g = cg::this_grid();
    values[g.thread_rank()] = (int)g.thread_rank();
    g.sync();
    if (blockIdx.x == 0) {
        int s = 0;
        for (unsigned i = threadIdx.x; i < g.size(); i += blockDim.x) s += values[i];
        atomicAdd(out, s);
    }
}

__global__ void primary(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = i;
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__global__ void secondary(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    if (i < n) p[i] = p[i] * 2 + 1;
}

int main() {
    const int n = 1000;
    float x[n], y[n], *dx, *dy;
    bool ok = true;
    for (int i = 0; i < n; i++) {
        x[i] = i;
        y[i] = 1;
    }
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dy, sizeof y);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
    int count = n;
    float a = 2.0f;
    void *args[] = {&count, &a, &dx, &dy};
    ok &= cudaLaunchKernel((const void *)axpy, dim3((n + 127) / 128), dim3(128), args, 0, 0) == cudaSuccess;

    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaDeviceSynchronize();
    cudaLaunchConfig_t config = {};
    config.gridDim = (n + 63) / 64;
    config.blockDim = 64;
    config.stream = stream;
    cudaLaunchAttribute attrs[2] = {};
    attrs[0].id = cudaLaunchAttributePriority;
    attrs[0].val.priority = 0;
    config.attrs = attrs;
    config.numAttrs = 1;
    ok &= cudaLaunchKernelEx(&config, axpy, n, 3.0f, (const float *)dx, dy) == cudaSuccess;
    ok &= cudaLaunchKernelExC(&config, (const void *)axpy, args) == cudaSuccess;
    cudaStreamSynchronize(stream);
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) ok &= y[i] == 1 + 7.0f * i;
    if (!ok) printf("launches\n");

    int *values, *out, h;
    cudaMalloc(&values, 4096 * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(out, 0, sizeof(int));
    config.gridDim = 8;
    config.blockDim = 96;
    attrs[0].id = cudaLaunchAttributeCooperative;
    attrs[0].val.cooperative = 1;
    ok &= cudaLaunchKernelEx(&config, grid_sum, values, out) == cudaSuccess;
    cudaStreamSynchronize(stream);
    cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost);
    ok &= h == 768 * 767 / 2;
    if (!ok) printf("cooperative\n");

    config.gridDim = 8;
    config.blockDim = 128;
    config.numAttrs = 0;
    ok &= cudaLaunchKernelEx(&config, primary, values, n) == cudaSuccess;
    attrs[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attrs[0].val.programmaticStreamSerializationAllowed = 1;
    config.numAttrs = 1;
    ok &= cudaLaunchKernelEx(&config, secondary, values, n) == cudaSuccess;
    cudaStreamSynchronize(stream);
    static int v[n];
    cudaMemcpy(v, values, sizeof v, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) ok &= v[i] == 2 * i + 1;
    ok &= cudaGetLastError() == cudaSuccess;
    cudaStreamDestroy(stream);
    cudaFree(dx); cudaFree(dy); cudaFree(values); cudaFree(out);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
