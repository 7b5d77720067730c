/* Arrays and structures of one thread: which of them the assembler keeps in local memory; spills; calls. */
#include "hw.h"

__global__ void indexed_by_data(int *out, const int *in) {
    int a[16];
    for (int k = 0; k < 16; k++) a[k] = in[TID + 256 * k];
    out[TID] = a[in[TID] & 15];
}
__global__ void indexed_by_argument(int *out, const int *in, int at) {
    int a[16];
    for (int k = 0; k < 16; k++) a[k] = in[TID + 256 * k];
    out[TID] = a[at];
}
__global__ void indexed_by_constants(int *out, const int *in) {
    int a[8], sum = 0;
    for (int k = 0; k < 8; k++) a[k] = in[TID + 256 * k];
    for (int k = 0; k < 8; k++) sum += a[k] * a[7 - k];
    out[TID] = sum;
}
__global__ void rolled_loop(int *out, const int *in, int n) {
    int a[32], sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) a[k] = in[TID + 64 * k];
#pragma unroll 1
    for (int k = 0; k < n; k++) sum += a[n - 1 - k] * (k + 1);
    out[TID] = sum;
}
__global__ void byte_array(int *out, const unsigned char *in, int n) {
    unsigned char a[64];
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) a[k] = in[TID + k];
#pragma unroll 1
    for (int k = 0; k < n; k++) sum += a[(in[TID + k] + k) % n];
    out[TID] = sum;
}
__global__ void double_array(double *out, const double *in, int n) {
    double a[16], sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) a[k] = in[(TID + k) & 255];
#pragma unroll 1
    for (int k = 0; k < n; k++) sum += a[n - 1 - k] * k;
    out[TID] = sum;
}
__global__ void initialised_table(int *out, const int *in) {
    const int table[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    out[TID] = table[(in[TID] & 0x7fffffff) % 12];
}
__global__ void divergent_index(int *out, const int *in, int n) {
    int a[8];
    for (int k = 0; k < 8; k++) a[k] = in[TID + k];
    if (in[TID] & 4)
        for (int k = 0; k < n; k++) a[in[TID + k] & 7] += k;
    out[TID] = a[n & 7];
}
struct state { int count; float value[6]; int last; };
static __device__ __noinline__ void advance(state *s, int k) {
    s->value[k % 6] += 1.0f;
    s->count++;
    s->last = k;
}
__global__ void structure_by_pointer(int *out, const int *in) {
    state s = {};
    for (int k = 0; k < 5; k++) advance(&s, in[TID + k] & 63);
    out[TID] = s.count + s.last + (int)s.value[2];
}
static __device__ __noinline__ int call_me(int a, int b) { return a * b + (a >> 3); }
__global__ void calls(int *out, const int *in) {
    int v = in[TID];
    for (int k = 0; k < 4; k++) v = call_me(v, in[TID + k]);
    out[TID] = v;
}
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int *out, const int *in) { out[TID] = fibonacci(in[TID] >> 5 & 7); }
/* More values than registers: the launch bounds force spills. */
__global__ void __launch_bounds__(1024, 2) spilled(float *out, const float *in) {
    float v[48];
#pragma unroll
    for (int k = 0; k < 48; k++) v[k] = in[TID + 64 * k];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 3; r++)
#pragma unroll
        for (int k = 0; k < 48; k++) v[k] = v[k] * v[(k * 7 + 5) % 48] + v[(k + 11) % 48];
#pragma unroll
    for (int k = 0; k < 48; k++) out[TID + 64 * k] = v[k];
}
__global__ void insertion_sort(int *out, const int *in) {
    int a[12];
    for (int k = 0; k < 12; k++) a[k] = in[TID * 12 + k];
    for (int i = 1; i < 12; i++) {
        int v = a[i], j = i - 1;
        while (j >= 0 && a[j] > v) a[j + 1] = a[j], j--;
        a[j + 1] = v;
    }
    for (int k = 0; k < 12; k++) out[TID * 12 + k] = a[k];
}
struct parameters { int table[20]; float scale; };
__global__ void parameter_array(int *out, const int *in, parameters p) { out[TID] = p.table[(in[TID] >> 4 & 15)] + (int)p.scale; }
__global__ void parameter_uniform(int *out, const int *in, parameters p) { out[TID] = p.table[blockIdx.x] + in[TID]; }

int main(void) {
    int *in = device_words<int>(1 << 16, false), *out = device_words<int>(1 << 16, true);
    double *reals = device_reals<double>(4096);
    parameters p = {};
    for (int k = 0; k < 20; k++) p.table[k] = k * k;
    LAUNCH(indexed_by_data, 2, 64, out, in);
    LAUNCH(indexed_by_argument, 2, 64, out, in, 5);
    LAUNCH(indexed_by_constants, 2, 64, out, in);
    LAUNCH(rolled_loop, 2, 64, out, in, 20);
    LAUNCH(byte_array, 2, 64, out, (const unsigned char *)in, 30);
    LAUNCH(double_array, 2, 64, (double *)out, reals, 12);
    LAUNCH(initialised_table, 2, 64, out, in);
    LAUNCH(divergent_index, 2, 64, out, in, 7);
    LAUNCH(structure_by_pointer, 2, 64, out, in);
    LAUNCH(calls, 2, 64, out, in);
    LAUNCH(recursion, 2, 64, out, in);
    LAUNCH(spilled, 1, 64, (float *)out, (const float *)reals);
    LAUNCH(insertion_sort, 2, 64, out, in);
    LAUNCH(parameter_array, 2, 64, out, in, p);
    LAUNCH(parameter_uniform, 2, 64, out, in, p);
    puts("done");
    return 0;
}
