// bfloat16 arithmetic and the 8-bit floats E4M3 and E5M2: all encodings to float, conversion with saturation.
#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void bf16(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_bfloat16 x = __float2bfloat16(a[i]), y = __float2bfloat16(b[i]);
    out[i * 6] = __bfloat162float(x);
    out[i * 6 + 1] = __bfloat162float(__hadd(x, y));
    out[i * 6 + 2] = __bfloat162float(__hmul(x, y));
    out[i * 6 + 3] = __bfloat162float(__hfma(x, y, x));
    __nv_bfloat162 p = __hmax2(__halves2bfloat162(x, y), __bfloat162bfloat162(y));
    out[i * 6 + 4] = __low2float(p);
    out[i * 6 + 5] = __bfloat162float(__float2bfloat16_rz(a[i]));
}

__global__ void fp8_decode(float *e4m3, float *e5m2) {
    int i = threadIdx.x;
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    a.__x = (__nv_fp8_storage_t)i;
    b.__x = (__nv_fp8_storage_t)i;
    e4m3[i] = float(a);
    e5m2[i] = float(b);
}

__global__ void fp8_encode(const float *in, float *e4m3, float *e5m2, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    e4m3[i] = float(__nv_fp8_e4m3(in[i])); // saturating
    e5m2[i] = float(__nv_fp8_e5m2(in[i]));
}

static double rounded(double v, int bits, int min_exp) { // nearest even with `bits` of significand
    if (v == 0) return v;
    int e;
    frexp(v, &e);
    if (e < min_exp) e = min_exp;
    double unit = ldexp(1.0, e - bits);
    return nearbyint(v / unit) * unit;
}
static double decode(int i, int ebits, int mbits, bool ieee) {
    int bias = (1 << (ebits - 1)) - 1, e = (i >> mbits) & ((1 << ebits) - 1), m = i & ((1 << mbits) - 1);
    double v = e == 0 ? ldexp(m, 1 - bias - mbits) : ldexp((1 << mbits) + m, e - bias - mbits);
    if (ieee && e == (1 << ebits) - 1) v = m ? NAN : INFINITY;
    if (!ieee && (i & 0x7F) == 0x7F) v = NAN;
    return i & 0x80 ? -v : v;
}

int main() {
    const int n = 2000;
    float a[n], b[n], *da, *db, *dout;
    static float out[n * 6];
    int bad = 0;
    for (int i = 0; i < n; i++) {
        a[i] = ldexpf((i * 7919 % 4001) - 2000.3f, (i % 19) - 12);
        b[i] = ((i * 104729) % 2003 - 1000.7f) / 37;
    }
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dout, sizeof out);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    bf16<<<(n + 127) / 128, 128>>>(da, db, dout, n);
    cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        double x = rounded(a[i], 8, -125), y = rounded(b[i], 8, -125);
        double want[6] = {x, rounded(x + y, 8, -125), rounded(x * y, 8, -125), rounded(x * y + x, 8, -125), fmax(x, y),
                          0};
        int e;
        frexp(a[i], &e);
        double unit = ldexp(1.0, e - 8);
        want[5] = trunc(a[i] / unit) * unit;
        for (int k = 0; k < 6; k++)
            if (out[i * 6 + k] != want[k] && bad++ < 5)
                printf("bf16 %d of %g %g: %g, expected %g\n", k, x, y, out[i * 6 + k], want[k]);
    }
    float d4[256], d5[256];
    fp8_decode<<<1, 256>>>(dout, dout + 256);
    cudaMemcpy(d4, dout, sizeof d4, cudaMemcpyDeviceToHost);
    cudaMemcpy(d5, dout + 256, sizeof d5, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++) {
        double w4 = decode(i, 4, 3, false), w5 = decode(i, 5, 2, true);
        bad += std::isnan(w4) ? !std::isnan(d4[i]) : d4[i] != w4;
        bad += std::isnan(w5) ? !std::isnan(d5[i]) : d5[i] != w5;
    }
    if (bad) printf("after decoding: %d\n", bad);
    fp8_encode<<<(n + 127) / 128, 128>>>(da, dout, dout + n, n);
    static float e4[n], e5[n];
    cudaMemcpy(e4, dout, sizeof e4, cudaMemcpyDeviceToHost);
    cudaMemcpy(e5, dout + n, sizeof e5, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        double w4 = rounded(a[i], 4, -5), w5 = rounded(a[i], 3, -13);
        w4 = fmin(fmax(w4, -448), 448);
        w5 = fmin(fmax(w5, -57344), 57344);
        if ((e4[i] != w4 || e5[i] != w5) && bad++ < 5)
            printf("fp8 of %g: %g %g, expected %g %g\n", a[i], e4[i], e5[i], w4, w5);
    }
    bad += cudaGetLastError() != cudaSuccess;
    cudaFree(da); cudaFree(db); cudaFree(dout);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
