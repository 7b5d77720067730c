// Template kernels: types, sizes, functors and specialisations as parameters; if constexpr; variadic packs.
#include <cstdio>
#include <type_traits>
#include <vector>

struct Add { template <class T> __host__ __device__ T operator()(T a, T b) const { return a + b; } };
struct Mul { template <class T> __host__ __device__ T operator()(T a, T b) const { return a * b; } };
struct Max { template <class T> __host__ __device__ T operator()(T a, T b) const { return a > b ? a : b; } };

template <class T, class Op, int BLOCK> __global__ void fold(const T *in, T *out, int n, T init, Op op) {
    __shared__ T s[BLOCK];
    T acc = init;
    for (int i = threadIdx.x; i < n; i += BLOCK) acc = op(acc, in[i]);
    s[threadIdx.x] = acc;
    __syncthreads();
#pragma unroll
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = s[0];
}

template <class T> struct Traits { static __host__ __device__ T twice(T v) { return v + v; } };
template <> struct Traits<bool> { static __host__ __device__ bool twice(bool v) { return !v; } };

template <class T> __global__ void apply_traits(T *p, int n) {
    int i = threadIdx.x;
    if (i < n) {
        if constexpr (std::is_floating_point<T>::value) p[i] = Traits<T>::twice(p[i]) + T(0.5);
        else p[i] = Traits<T>::twice(p[i]);
    }
}

template <class... Ts> __host__ __device__ double sum_all(Ts... v) { return (0.0 + ... + (double)v); }
template <class... Ts> __global__ void variadic(double *out, Ts... v) { *out = sum_all(v...); }

template <int N> struct Fib { enum { value = Fib<N - 1>::value + Fib<N - 2>::value }; };
template <> struct Fib<1> { enum { value = 1 }; };
template <> struct Fib<0> { enum { value = 0 }; };
template <int... Ns> __global__ void constants(int *out) {
    int values[] = {Fib<Ns>::value...};
    out[threadIdx.x] = values[threadIdx.x];
}

template <class T, class Op> bool test_fold(const char *name, T init, Op op) {
    const int n = 1000;
    std::vector<T> h(n);
    for (int i = 0; i < n; i++) h[i] = T(i % 7 == 3 ? 2 : 1);
    if (std::is_same<Op, Mul>::value)
        for (int i = 60; i < n; i++) h[i] = 1;
    T want = init, got, *d, *o;
    for (T v : h) want = op(want, v);
    cudaMalloc(&d, n * sizeof(T));
    cudaMalloc(&o, sizeof(T));
    cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    fold<T, Op, 64><<<1, 64>>>(d, o, n, init, op);
    cudaMemcpy(&got, o, sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(o);
    if (got != want) printf("%s is wrong\n", name);
    return got == want;
}

template <class T> bool test_traits() {
    T h[8], *d;
    for (int i = 0; i < 8; i++) h[i] = T(i % 2 + (sizeof(T) > 1 ? i : 0));
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    apply_traits<<<1, 8>>>(d, 8);
    T got[8];
    cudaMemcpy(got, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    for (int i = 0; i < 8; i++) {
        T want = Traits<T>::twice(h[i]);
        if (std::is_floating_point<T>::value) want = want + T(0.5);
        if (got[i] != want) return false;
    }
    return true;
}

int main() {
    bool ok = test_fold<int>("int add", 0, Add()) & test_fold<float>("float add", 0.f, Add()) &
              test_fold<double>("double mul", 1.0, Mul()) & test_fold<long long>("long long mul", 1LL, Mul()) &
              test_fold<short>("short max", (short)-5, Max()) &
              test_fold<unsigned char>("uchar max", (unsigned char)0, Max()) &
              test_fold<unsigned long>("ulong add", 0ul, Add());
    ok &=
        test_traits<int>() & test_traits<bool>() & test_traits<float>() & test_traits<double>() & test_traits<short>();
    double *d, r;
    int *di, f[5];
    cudaMalloc(&d, sizeof r);
    cudaMalloc(&di, sizeof f);
    variadic<<<1, 1>>>(d, 1, 2.5f, 'a', 3.25, (short)-4, 10ull, true);
    cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost);
    ok &= r == sum_all(1, 2.5f, 'a', 3.25, (short)-4, 10ull, true);
    constants<5, 10, 15, 20, 25><<<1, 5>>>(di);
    cudaMemcpy(f, di, sizeof f, cudaMemcpyDeviceToHost);
    ok &= f[0] == 5 && f[1] == 55 && f[2] == 610 && f[3] == 6765 && f[4] == 75025 && cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    cudaFree(di);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
