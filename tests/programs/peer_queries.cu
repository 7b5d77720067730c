// Multi-device queries on however many devices there are: peer access, pointer attributes, per-device work, device
// reset.
#include <cstdio>
#include <vector>

__global__ void square(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= p[i];
}

int main() {
    int count = 0;
    bool ok = cudaGetDeviceCount(&count) == cudaSuccess && count >= 1;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            int can = -1;
            cudaError_t e = cudaDeviceCanAccessPeer(&can, i, j);
            ok &= e == cudaSuccess && (can == 0 || can == 1);
            if (i == j) ok &= can == 0;
        }
    ok &= cudaDeviceEnablePeerAccess(0, 0) != cudaSuccess; // a device is no peer of itself
    cudaGetLastError();
    const int n = 3000;
    std::vector<int *> ptr(count);
    std::vector<int> h(n), out(n);
    for (int i = 0; i < n; i++) h[i] = i % 1000;
    for (int dev = 0; dev < count; dev++) {
        cudaSetDevice(dev);
        cudaMalloc(&ptr[dev], n * sizeof(int));
        cudaMemcpy(ptr[dev], h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
        square<<<(n + 127) / 128, 128>>>(ptr[dev], n);
    }
    for (int dev = 0; dev < count; dev++) {
        cudaSetDevice(dev);
        ok &= cudaDeviceSynchronize() == cudaSuccess;
        cudaPointerAttributes a;
        ok &= cudaPointerGetAttributes(&a, ptr[dev] + 10) == cudaSuccess && a.device == dev &&
              a.type == cudaMemoryTypeDevice && a.devicePointer == ptr[dev] + 10;
        cudaMemcpy(out.data(), ptr[dev], n * sizeof(int), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++) ok &= out[i] == h[i] * h[i];
    }
    // a peer copy works between any two, also from a device to itself
    int last = count - 1;
    int *copy;
    cudaSetDevice(last);
    cudaMalloc(&copy, n * sizeof(int));
    ok &= cudaMemcpyPeer(copy, last, ptr[0], 0, n * sizeof(int)) == cudaSuccess;
    cudaMemcpy(out.data(), copy, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) ok &= out[i] == h[i] * h[i];
    for (int dev = 0; dev < count; dev++) cudaFree(ptr[dev]);
    cudaFree(copy);
    cudaSetDevice(0);
    ok &= cudaGetLastError() == cudaSuccess && cudaDeviceReset() == cudaSuccess;
    // usable again after a reset
    int *d, v = 0;
    ok &= cudaMalloc(&d, sizeof(int)) == cudaSuccess;
    cudaMemset(d, 0x02, sizeof(int));
    square<<<1, 1>>>(d, 1);
    cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost);
    ok &= v == (int)(0x02020202u * 0x02020202u);
    cudaFree(d);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
