/* Constant memory: one word for the warp, words that differ by lane, structures, tables in loops. */
#include "hw.h"

__constant__ float coefficients[16];
__constant__ int table[256];
__constant__ unsigned char bytes[64];
__constant__ double reals[64];
struct settings { int width; float gain; double bias; int limits[4]; };
__constant__ settings config;

__global__ void polynomial(float *out, const float *in) {
    float x = in[TID], y = 0;
    for (int k = 15; k >= 0; k--) y = y * x + coefficients[k];
    out[TID] = y;
}
__global__ void loop_by_argument(float *out, const float *in, int n) {
    float x = in[TID], y = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) y = y * x + coefficients[k];
    out[TID] = y;
}
__global__ void by_block(int *out) { out[TID] = table[blockIdx.x]; }
__global__ void by_lane(int *out) { out[TID] = table[threadIdx.x]; }
__global__ void by_data(int *out, const int *in) { out[TID] = table[in[TID] >> 8 & 255]; }
__global__ void by_two_words(int *out) { out[TID] = table[threadIdx.x & 1]; }
__global__ void by_byte(int *out) { out[TID] = bytes[threadIdx.x & 63]; }
__global__ void by_double(double *out) { out[TID] = reals[threadIdx.x & 63]; }
__global__ void of_structure(float *out, const float *in) {
    out[TID] = in[TID] * config.gain + (float)config.bias + config.width + config.limits[2];
}
__global__ void of_structure_indexed(int *out, const int *in) { out[TID] = config.limits[in[TID] >> 7 & 3]; }
__global__ void generic_pointer(int *out, const int *in, int which) {
    const int *p = which ? table : in;
    out[TID] = p[threadIdx.x];
}

int main(void) {
    int *in = device_words<int>(1 << 12, false), *out = device_words<int>(1 << 16, true), h[256];
    float *fin = device_reals<float>(1024), c[16];
    for (int k = 0; k < 256; k++) h[k] = 3 * k;
    for (int k = 0; k < 16; k++) c[k] = 0.25f * k;
    CHECK(cudaMemcpyToSymbol(table, h, sizeof h));
    CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
    LAUNCH(polynomial, 2, 128, (float *)out, fin);
    LAUNCH(loop_by_argument, 2, 128, (float *)out, fin, 13);
    LAUNCH(by_block, 4, 128, out);
    LAUNCH(by_lane, 2, 128, out);
    LAUNCH(by_data, 2, 128, out, in);
    LAUNCH(by_two_words, 2, 128, out);
    LAUNCH(by_byte, 2, 128, out);
    LAUNCH(by_double, 2, 128, (double *)out);
    LAUNCH(of_structure, 2, 128, (float *)out, fin);
    LAUNCH(of_structure_indexed, 2, 128, out, in);
    LAUNCH(generic_pointer, 2, 128, out, in, 0);
    puts("done");
    return 0;
}
