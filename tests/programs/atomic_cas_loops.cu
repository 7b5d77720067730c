// Atomics made from compare-and-swap: double add, float max, multiply, 8-bit add, 128-bit struct by lock-free index.
#include <cmath>
#include <cstdio>

__device__ double myAtomicAdd(double *address, double val) {
    unsigned long long int *address_as_ull = (unsigned long long int *)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__device__ float atomicMaxFloat(float *address, float val) {
    int *p = (int *)address, old = *p, assumed;
    while (__int_as_float(old) < val) {
        assumed = old;
        old = atomicCAS(p, assumed, __float_as_int(val));
        if (old == assumed) break;
    }
    return __int_as_float(old);
}

__device__ float atomicMinTrick(float *addr, float value) {
    return value >= 0 ? __int_as_float(atomicMin((int *)addr, __float_as_int(value)))
                      : __uint_as_float(atomicMax((unsigned *)addr, __float_as_uint(value)));
}

__device__ void atomicMul(float *address, float val) {
    int *p = (int *)address, old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, __float_as_int(__int_as_float(assumed) * val));
    } while (old != assumed);
}

__device__ unsigned char atomicAddByte(unsigned char *address, unsigned char val) {
    size_t where = (size_t)address & 3;
    unsigned *base = (unsigned *)(address - where), shift = where * 8, old = *base, assumed, sum;
    do {
        assumed = old;
        sum = ((old >> shift) + val) & 0xFF;
        old = atomicCAS(base, assumed, (assumed & ~(0xFFu << shift)) | (sum << shift));
    } while (assumed != old);
    return (unsigned char)(old >> shift);
}

__device__ unsigned short atomicCAS16(unsigned short *p, unsigned short expect, unsigned short value)
{
    return atomicCAS(p, expect, value);
}

__global__ void kernel(double *d, float *fmaxv, float *fminv, float *prod, unsigned char *bytes,
                       unsigned short *half_words)
{
    __shared__ double s;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    myAtomicAdd(&s, i * 0.5);
    __syncthreads();
    if (threadIdx.x == 0) myAtomicAdd(d, s);
    atomicMaxFloat(fmaxv, sinf((float)i) * 100);
    atomicMinTrick(fminv, (i % 2 ? 1 : -1) * (float)(i % 37 + 1));
    if (i < 20) atomicMul(prod, i % 2 ? 2.0f : 0.5f);
    if (i == 20) atomicMul(prod, 3.0f);
    atomicAddByte(&bytes[i % 7], 1);
    unsigned short old = half_words[1], assumed;
    do {
        assumed = old;
        old = atomicCAS16(&half_words[1], assumed, assumed + 3);
    } while (old != assumed);
}

int main() {
    struct Data { double sum; float mx, mn, prod; unsigned char bytes[8]; unsigned short hw[4]; } h, *d;
    memset(&h, 0, sizeof h);
    h.mx = -1e30f;
    h.mn = 1e30f;
    h.prod = 1;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
    const int G = 4, B = 96, n = G * B;
    kernel<<<G, B>>>(&d->sum, &d->mx, &d->mn, &d->prod, d->bytes, d->hw);
    cudaError_t e = cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    float mx = -1e30f, mn = 1e30f;
    int bytes[7] = {0};
    for (int i = 0; i < n; i++) {
        mx = fmaxf(mx, sinf((float)i) * 100);
        mn = fminf(mn, (i % 2 ? 1 : -1) * (float)(i % 37 + 1));
        bytes[i % 7]++;
    }
    bool ok =
        e == cudaSuccess && h.sum == 0.25 * n * (n - 1) && fabsf(h.mx - mx) < 1e-3f && h.mn == mn && h.prod == 3.0f;
    for (int k = 0; k < 7; k++) ok &= h.bytes[k] == bytes[k];
    ok &= h.bytes[7] == 0 && h.hw[0] == 0 && h.hw[1] == 3 * n && h.hw[2] == 0;
    printf("%f %f %f %f\n%s\n", h.sum, h.mx, h.mn, h.prod, ok ? "PASS" : "FAIL");
    cudaFree(d);
    return !ok;
}
