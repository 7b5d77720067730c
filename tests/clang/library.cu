// The C and C++ library in device code: printf, assert, allocation, memory functions, classes, lambdas, constexpr std.
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cuComplex.h>
#include <cuda_profiler_api.h>
#include <library_types.h>
#include <limits>
#include <nvtx3/nvToolsExt.h>
#include <utility>
#include <vector>

struct shape {
    int *alive;
    __device__ explicit shape(int *a) : alive(a) { atomicAdd(alive, 1); }
    __device__ virtual ~shape() { atomicAdd(alive, -1); }
    __device__ virtual float area() const = 0;
};
struct square : shape {
    float side;
    __device__ square(int *a, float s) : shape(a), side(s) {}
    __device__ float area() const override { return side * side; }
};

__host__ __device__ static int twice(int x) { return 2 * x; }
typedef int (*unary)(int);
__device__ unary device_function = twice;

template <class F> __global__ void apply(F f, int *p) { p[threadIdx.x] = f(p[threadIdx.x]); }
template <class... T> __device__ float total(T... v) { return (0.0f + ... + (float)v); }

__global__ void use(float *f, int *i, char *c, cuFloatComplex *z, int n)
{
    shape *s = new square(i, f[0]);
    f[1] = s->area();
    delete s;
    char *m = (char *)malloc(100);
    memset(m, 0, 100), memcpy(m, c, (size_t)n), memmove(c, m, 7), free(m);
    i[1] = memcmp(c, m, 10) + (int)strlen(c) + strcmp(c, m);
    assert(n < 1000 && "small");
    printf("%d %f %s %p %lld\n", n, f[2], "text", (void *)f, 5ll);
    i[2] = std::max(n, 3) + std::numeric_limits<int>::max() - std::min(n, 2) + device_function(n);
    std::pair<int, float> q(n, 2.0f);
    f[3] = total(1, 2.0, q.second) + cuCabsf(cuCdivf(z[0], cuCmulf(z[1], cuConjf(z[2]))));
    auto square_of = [=](float x) { return x * x * (float)n; };
    f[4] = square_of(f[4]);
    int *array = new int[8];
    array[n & 7] = n;
    i[5] = array[3];
    delete[] array;
    float4 *v = reinterpret_cast<float4 *>(f);
    v[2] = make_float4(v[3].x, 1.0f, 2.0f, v[4].w);
}

int main()
{
    std::vector<int> v(3, 1);
    nvtxRangePushA("work");
    apply<<<1, 32>>>([=] __device__(int x) { return x + 1; }, (int *)nullptr);
    nvtxRangePop();
    cudaProfilerStop();
    return v[2] - 1;
}
