// __launch_bounds__, maxnreg by spilling on purpose, and function attributes that follow.
#include <cstdio>
#include <vector>

#define STATE 48

// A long dependency of many live values; with tight bounds the compiler must spill.
template <int MINBLOCKS>
__global__ void __launch_bounds__(256, MINBLOCKS) churn(const float *in, float *out, int rounds)
{
    float v[STATE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < STATE; k++) v[k] = in[(i + k * 17) & 1023];
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < STATE; k++) v[k] = v[k] * 0.5f + v[(k * 7 + 1) % STATE] * 0.25f;
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < STATE; k++) s += v[k] * (k + 1);
    out[i] = s;
}

__global__ void __launch_bounds__(32) one_warp(int *out) { out[threadIdx.x] = 32 - threadIdx.x; }

int main() {
    const int n = 1024;
    std::vector<float> in(n), a(512), b(512), c(512);
    for (int i = 0; i < n; i++) in[i] = (i * 37 % 101) / 10.0f;
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * 4);
    cudaMalloc(&d_out, 512 * 4);
    cudaMemcpy(d_in, in.data(), n * 4, cudaMemcpyHostToDevice);
    churn<1><<<2, 256>>>(d_in, d_out, 4);
    cudaMemcpy(a.data(), d_out, 512 * 4, cudaMemcpyDeviceToHost);
    churn<4><<<2, 256>>>(d_in, d_out, 4);
    cudaMemcpy(b.data(), d_out, 512 * 4, cudaMemcpyDeviceToHost);
    churn<8><<<2, 256>>>(d_in, d_out, 4);
    cudaMemcpy(c.data(), d_out, 512 * 4, cudaMemcpyDeviceToHost);
    bool ok = a == b && a == c;
    for (int i = 0; i < 512; i++) {
        float v[STATE], s = 0;
        for (int k = 0; k < STATE; k++) v[k] = in[(i + k * 17) & 1023];
        for (int r = 0; r < 4; r++)
            for (int k = 0; k < STATE; k++) v[k] = v[k] * 0.5f + v[(k * 7 + 1) % STATE] * 0.25f;
        for (int k = 0; k < STATE; k++) s += v[k] * (k + 1);
        ok &= fabsf(s - a[i]) < 1e-3f * fabsf(s);
    }
    cudaFuncAttributes attr;
    ok &= cudaFuncGetAttributes(&attr, churn<8>) == cudaSuccess && attr.maxThreadsPerBlock == 256;
    printf("churn<8>: %d registers, %zu bytes local\n", attr.numRegs, attr.localSizeBytes);
    ok &= attr.numRegs > 0 && attr.numRegs <= 32;
    int *di = (int *)d_out, h[32];
    one_warp<<<1, 32>>>(di);
    cudaMemcpy(h, di, sizeof h, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 32; t++) ok &= h[t] == 32 - t;
    ok &= cudaFuncGetAttributes(&attr, one_warp) == cudaSuccess && attr.maxThreadsPerBlock == 32;
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(d_in);
    cudaFree(d_out);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
