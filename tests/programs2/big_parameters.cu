// Kernels with parameter lists of more than 255 bytes and of 4 KiB, passed by value: nested structs, arrays, alignment,
// byte-sized and bool members, pointers into constant memory, namespaces, extern "C", many template instances.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <type_traits>
#include <utility>
struct __align__(16) inner { char c; double d; short s[3]; float4 v; };
struct big { int n; inner in[5]; bool flag; long long ll; unsigned char bytes[67]; float m[4][4]; const float *table; };
struct huge { int v[1000]; };
__constant__ float table[16];
__constant__ struct { int a; double b; char c[5]; } konst = {3, 2.5, "abcd"};
__constant__ int primes[] = {2, 3, 5, 7, 11, 13};
extern "C" __global__ void take_big(const big b, double *o, char tag, big b2) {
    int t = threadIdx.x; double r = b.n + b.in[t % 5].d + b.in[t % 5].c + b.in[t % 5].s[2] + b.in[t % 5].v.w + b.flag * 100 + b.ll + b.bytes[t] + b.m[t % 4][t % 3] + b.table[t % 16];
    o[t] = r + tag + b2.bytes[66 - t] + konst.b * konst.a + konst.c[t % 4] + primes[t % 6];
}
__global__ void take_huge(const __grid_constant__ huge h, int *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < 1000) o[i] = h.v[999 - i] * 2; }
namespace outer { namespace { __device__ int scale(int x) { return x * 7; } } namespace in2 { template <typename T, int N, bool F> __global__ void k(T *o) { __shared__ T s[N]; int t = threadIdx.x; for (int i = t; i < N; i += blockDim.x) s[i] = (T)(F ? scale(i) : i); __syncthreads(); if (t < N) o[t] = s[N - 1 - t]; } } }
template <typename T, int N> int one() { T *o; cudaMallocManaged(&o, N * sizeof(T)); int bad = 0; outer::in2::k<T, N, true><<<1, 64>>>(o); cudaDeviceSynchronize(); for (int i = 0; i < N; i++) bad += o[i] != (T)((N - 1 - i) * 7); outer::in2::k<T, N, false><<<1, 64>>>(o); cudaDeviceSynchronize(); for (int i = 0; i < N; i++) bad += o[i] != (T)(N - 1 - i); cudaFree(o); if (bad) printf("N %d size %zu: %d\n", N, sizeof(T), bad); return bad; }
template <typename T, int... N> int many(std::integer_sequence<int, N...>) { int bad = 0; (void)std::initializer_list<int>{(bad += one<T, N + 5>(), 0)...}; return bad; }
template <typename... A> __global__ void variadic(double *o, A... a) { double s = 0; double v[] = {(double)a...}; for (double x : v) s = s * 2 + x; o[threadIdx.x] = s; }
int main() {
    int bad = 0; float t[16]; for (int i = 0; i < 16; i++) t[i] = i * 0.25f; cudaMemcpyToSymbol(table, t, sizeof t); float *tp; cudaGetSymbolAddress((void **)&tp, table);
    big b; memset(&b, 0, sizeof b); b.n = 5; for (int i = 0; i < 5; i++) { b.in[i].d = i * 1.5; b.in[i].c = 'a' + i; b.in[i].s[2] = -i * 100; b.in[i].v = make_float4(0, 0, 0, i + 0.125f); } b.flag = true; b.ll = 1LL << 40; for (int i = 0; i < 67; i++) b.bytes[i] = i * 3; for (int i = 0; i < 16; i++) b.m[i / 4][i % 4] = i; b.table = tp;
    double *o; cudaMallocManaged(&o, 67 * 8); take_big<<<1, 67>>>(b, o, 'x', b); bad += cudaDeviceSynchronize() != 0; const int pr[] = {2, 3, 5, 7, 11, 13};
    for (int i = 0; i < 67; i++) { double r = 5 + (i % 5) * 1.5 + 'a' + i % 5 - (i % 5) * 100 + (i % 5 + 0.125f) + 100 + (double)(1LL << 40) + (unsigned char)(i * 3) + (i % 4 * 4 + i % 3) + t[i % 16]; r += 'x' + (unsigned char)((66 - i) * 3) + 7.5 + "abcd"[i % 4] + pr[i % 6]; bad += r != o[i] && !(r - o[i] < 1e-3 && o[i] - r < 1e-3); } if (bad) printf("big %d\n", bad);
    huge h; for (int i = 0; i < 1000; i++) h.v[i] = i * i; int *q; cudaMallocManaged(&q, 4000); take_huge<<<8, 128>>>(h, q); bad += cudaDeviceSynchronize() != 0; for (int i = 0; i < 1000; i++) bad += q[i] != 2 * (999 - i) * (999 - i);
    bad += many<char>(std::make_integer_sequence<int, 12>()) + many<float>(std::make_integer_sequence<int, 12>()) + many<double>(std::make_integer_sequence<int, 8>()) + many<long long>(std::make_integer_sequence<int, 8>()) + many<unsigned short>(std::make_integer_sequence<int, 8>());
    variadic<<<1, 2>>>(o, 1, 2.5f, 'a', 3ull, true, (short)-4, 1e300 * 0); cudaDeviceSynchronize(); double s = 0; for (double x : {1.0, 2.5, 97.0, 3.0, 1.0, -4.0, 0.0}) s = s * 2 + x; bad += o[1] != s; puts(bad ? "FAIL" : "PASS"); return bad != 0;
}
