// Scales an array on the device and checks it. Printed: what tests/builds/check.py looks for.
#include <cstdio>

extern "C" float factor(void);

__global__ void scale(float *a, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= f; // counted: tests/builds/check.py looks for this line in the report
}

int main()
{
    const int n = 1000;
    float host[n], *device;
    for (int i = 0; i < n; i++) host[i] = i;
    if (cudaMalloc((void **)&device, sizeof host)) return 1;
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<(n + 127) / 128, 128>>>(device, factor(), n);
    if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost)) return 2;
    for (int i = 0; i < n; i++)
        if (host[i] != 3.f * i) return 3;
    puts("scaled");
    return 0;
}
