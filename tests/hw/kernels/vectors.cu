/* Global loads and stores of every width, partial warps, shifted and strided addresses. */
#include "hw.h"

struct three { float x, y, z; };
struct six { int a, b, c, d, e, f; };
struct __align__(16) four { float x, y, z, w; };
struct mixed { char tag; short kind; int value; double weight; };

template <typename T> __global__ void copy_guarded(T *out, const T *in, int n) {
    int i = TID;
    if (i < n) out[i] = in[i];
}
template <typename T> __global__ void copy_full(T *out, const T *in) { out[TID] = in[TID]; }
template <typename T> __global__ void copy_shifted(T *out, const T *in, int shift) { out[TID] = in[TID + shift]; }
template <typename T> __global__ void copy_strided(T *out, const T *in, int stride) { out[TID * stride] = in[TID * stride]; }
__global__ void copy_ldg(float *out, const float *__restrict__ in) { out[TID] = __ldg(in + TID); }
__global__ void sum_three(float *out, const three *in) {
    three t = in[TID];
    out[TID] = t.x + t.y + t.z;
}
__global__ void write_three(three *out, const float *in) {
    three t = {in[TID], in[TID] + 1, in[TID] + 2};
    out[TID] = t;
}
__global__ void sum_six(int *out, const six *in) {
    six t = in[TID];
    out[TID] = t.a + t.b + t.c + t.d + t.e + t.f;
}
__global__ void copy_mixed(mixed *out, const mixed *in) { out[TID] = in[TID]; }
__global__ void touch_mixed(mixed *out, const mixed *in) {
    out[TID].tag = in[TID].tag + 1;
    out[TID].value = in[TID].kind;
    out[TID].weight = 2 * in[TID].weight;
}
__global__ void pairs_of_scalars(int *out, const int *in) {
    int i = 2 * TID;
    out[i] = in[i] + 1;
    out[i + 1] = in[i + 1] + 2;
}
__global__ void four_scalars(int *out, const int *__restrict__ in) {
    int i = 4 * TID;
    out[TID] = in[i] + in[i + 1] * 3 + in[i + 2] * 5 + in[i + 3] * 7;
}
__global__ void reversed(int *out, const int *in, int n) { out[n - 1 - TID] = in[TID]; }
__global__ void grid_stride(float *out, const float *in, int n) {
    for (int i = TID; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * in[i];
}
__global__ void saxpy(float *y, const float *x, float a, int n) {
    int i = TID;
    if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void same_twice(int *out, const int *in) { out[TID] = in[TID] + in[TID ^ 1] + in[TID]; }
__global__ void volatile_twice(int *out, const volatile int *in) { out[TID] = in[TID] + in[TID]; }

int main(void) {
    char *in = device_words<char>(1 << 20, false), *out = device_words<char>(1 << 20, true);
    LAUNCH(copy_full<char>, 2, 128, (char *)out, (const char *)in);
    LAUNCH(copy_full<short>, 2, 128, (short *)out, (const short *)in);
    LAUNCH(copy_full<float>, 2, 128, (float *)out, (const float *)in);
    LAUNCH(copy_full<double>, 2, 128, (double *)out, (const double *)in);
    LAUNCH(copy_full<uchar4>, 2, 128, (uchar4 *)out, (const uchar4 *)in);
    LAUNCH(copy_full<float2>, 2, 128, (float2 *)out, (const float2 *)in);
    LAUNCH(copy_full<float3>, 2, 128, (float3 *)out, (const float3 *)in);
    LAUNCH(copy_full<float4>, 2, 128, (float4 *)out, (const float4 *)in);
    LAUNCH(copy_full<double2>, 2, 128, (double2 *)out, (const double2 *)in);
    LAUNCH(copy_full<four>, 2, 128, (four *)out, (const four *)in);
    LAUNCH(copy_full<uchar3>, 2, 128, (uchar3 *)out, (const uchar3 *)in);
    LAUNCH(copy_guarded<float>, 3, 96, (float *)out, (const float *)in, 201);
    LAUNCH(copy_guarded<float4>, 3, 96, (float4 *)out, (const float4 *)in, 201);
    LAUNCH(copy_guarded<char>, 3, 50, (char *)out, (const char *)in, 113);
    LAUNCH(copy_shifted<int>, 2, 128, (int *)out, (const int *)in, 1);
    LAUNCH(copy_shifted<int>, 2, 128, (int *)out, (const int *)in, 8);
    LAUNCH(copy_shifted<short>, 2, 128, (short *)out, (const short *)in, 3);
    LAUNCH(copy_shifted<float2>, 2, 128, (float2 *)out, (const float2 *)in, 1);
    LAUNCH(copy_shifted<float4>, 2, 128, (float4 *)out, (const float4 *)in, 1);
    for (int s = 2; s <= 64; s *= 2) LAUNCH(copy_strided<int>, 2, 128, (int *)out, (const int *)in, s);
    LAUNCH(copy_strided<float4>, 2, 128, (float4 *)out, (const float4 *)in, 3);
    LAUNCH(copy_ldg, 2, 128, (float *)out, (const float *)in);
    LAUNCH(sum_three, 2, 128, (float *)out, (const three *)in);
    LAUNCH(write_three, 2, 128, (three *)out, (const float *)in);
    LAUNCH(sum_six, 2, 128, (int *)out, (const six *)in);
    LAUNCH(copy_mixed, 2, 128, (mixed *)out, (const mixed *)in);
    LAUNCH(touch_mixed, 2, 128, (mixed *)out, (const mixed *)in);
    LAUNCH(pairs_of_scalars, 2, 128, (int *)out, (const int *)in);
    LAUNCH(four_scalars, 2, 128, (int *)out, (const int *)in);
    LAUNCH(reversed, 2, 128, (int *)out, (const int *)in, 256);
    LAUNCH(grid_stride, 2, 96, (float *)out, (const float *)in, 1001);
    LAUNCH(saxpy, 3, 128, (float *)out, (const float *)in, 2.0f, 300);
    LAUNCH(same_twice, 2, 128, (int *)out, (const int *)in);
    LAUNCH(volatile_twice, 2, 128, (int *)out, (const volatile int *)in);
    puts("done");
    return 0;
}
