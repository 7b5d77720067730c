// Read-only loads: __ldg of every type, const __restrict__, cache-hinted loads and stores, vector types of all widths.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

template <class T> __global__ void ldg_copy(const T *in, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __ldg(in + (n - 1 - i));
}

template <class T> __global__ void hinted(const T *in, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T v;
    switch (i % 5) {
    case 0: v = __ldcg(in + i); break;
    case 1: v = __ldca(in + i); break;
    case 2: v = __ldcs(in + i); break;
    case 3: v = __ldlu(in + i); break;
    default: v = __ldcv(in + i); break;
    }
    switch (i % 4) {
    case 0: __stcg(out + i, v); break;
    case 1: __stwb(out + i, v); break;
    case 2: __stcs(out + i, v); break;
    default: __stwt(out + i, v); break;
    }
}

__global__ void gather(const float *__restrict__ table, const int *__restrict__ index, float *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[index[i]] + table[index[n - 1 - i]];
}

template <class T> bool test(const char *name) {
    const int n = 500;
    std::vector<unsigned char> h(n * sizeof(T)), g(n * sizeof(T));
    for (auto &b : h) b = rand();
    T *in, *out;
    cudaMalloc(&in, n * sizeof(T));
    cudaMalloc(&out, n * sizeof(T));
    cudaMemcpy(in, h.data(), h.size(), cudaMemcpyHostToDevice);
    ldg_copy<T><<<(n + 63) / 64, 64>>>(in, out, n);
    cudaMemcpy(g.data(), out, g.size(), cudaMemcpyDeviceToHost);
    bool ok = true;
    for (int i = 0; i < n; i++) ok &= memcmp(&g[i * sizeof(T)], &h[(n - 1 - i) * sizeof(T)], sizeof(T)) == 0;
    cudaMemset(out, 0, n * sizeof(T));
    hinted<T><<<(n + 63) / 64, 64>>>(in, out, n);
    cudaMemcpy(g.data(), out, g.size(), cudaMemcpyDeviceToHost);
    ok &= g == h;
    cudaFree(in);
    cudaFree(out);
    if (!ok) printf("%s is wrong\n", name);
    return ok;
}

int main() {
    bool ok = true;
#define T(type) ok &= test<type>(#type);
    T(char)
    T(signed char) T(unsigned char) T(short) T(unsigned short) T(int) T(unsigned) T(long long) T(unsigned long long)
        T(char2) T(char4) T(short2) T(short4) T(int2) T(int4) T(longlong2) T(uchar2) T(uchar4) T(ushort2) T(ushort4)
            T(uint2) T(uint4) T(ulonglong2) T(float) T(float2) T(float4) T(double) T(double2) const int n = 1000;
    std::vector<float> table(n), out(n);
    std::vector<int> index(n);
    for (int i = 0; i < n; i++) {
        table[i] = i * 0.5f;
        index[i] = rand() % n;
    }
    float *dt, *dout;
    int *di;
    cudaMalloc(&dt, n * 4);
    cudaMalloc(&dout, n * 4);
    cudaMalloc(&di, n * 4);
    cudaMemcpy(dt, table.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(di, index.data(), n * 4, cudaMemcpyHostToDevice);
    gather<<<(n + 127) / 128, 128>>>(dt, di, dout, n);
    cudaMemcpy(out.data(), dout, n * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) ok &= out[i] == table[index[i]] + table[index[n - 1 - i]];
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(dt); cudaFree(dout); cudaFree(di);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
