// Which operands take the slow path of a division, root or reciprocal: in a function that is called by address the slow path stores and loads
// one register more on the stack. One launch for each pair of operands; the pairs are printed in the order of launches.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>
#include <cuda_runtime.h>
struct op {
    __device__ virtual float run(float a, float b) const = 0;
};
struct divide : op {
    __device__ float run(float a, float b) const override { return a / b; }
};
struct root : op {
    __device__ float run(float a, float) const override { return sqrtf(a); }
};
struct reciprocal : op {
    __device__ float run(float a, float) const override { return 1.0f / a; }
};
struct divide64 : op {
    __device__ float run(float a, float b) const override { return (float)((double)a / (double)b); }
};
struct root64 : op {
    __device__ float run(float a, float) const override { return (float)sqrt((double)a); }
};
__device__ char place[64];
__global__ void once(float *out, int which, float a, float b)
{
    op *o = which == 0   ? (op *)new (place) divide
            : which == 1 ? (op *)new (place) root
            : which == 2 ? (op *)new (place) reciprocal
            : which == 3 ? (op *)new (place) divide64
                         : (op *)new (place) root64;
    *out = o->run(a, b);
}
static float bits(unsigned u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static float *out;
static int launch;
static void run(int which, float a, float b)
{
    unsigned u, v;
    memcpy(&u, &a, 4), memcpy(&v, &b, 4);
    once<<<1, 1>>>(out, which, a, b);
    printf("%d,%d,%08x,%08x\n", launch++, which, u, v);
}
int main()
{
    cudaMalloc(&out, 4);
    static const unsigned exponents[] = {0, 1, 2, 23, 24, 25, 64, 126, 127, 190, 229, 230, 251, 252, 253, 254, 255};
    for (unsigned m = 0; m < 2; m++)
        for (unsigned e : exponents)
            for (unsigned f : exponents)
                if (m == 0 || e == 0 || f == 0 || e == 255 || f == 255)
                    run(0, bits(e << 23 | m * 0x400001), bits(f << 23));
    for (int d = -130; d <= 130; d++) run(0, bits((unsigned)(127 + (d > 127 ? 127 : d < -126 ? -126 : d)) << 23), 1.5f);
    for (int which = 1; which < 5; which++)
        for (unsigned m = 0; m < 2; m++)
            for (unsigned e = 0; e < 256; e += e < 30 || e > 224 ? 1 : 10)
                run(which, bits(e << 23 | m * 0x400001), 3.0f);
    run(1, -1.0f, 0), run(1, -0.0f, 0), run(2, -0.0f, 0), run(0, -0.0f, 2), run(0, 2, -0.0f);
    return cudaDeviceSynchronize();
}
