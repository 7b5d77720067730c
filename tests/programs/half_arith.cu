// Half precision: conversions with every rounding, arithmetic, comparisons, math functions, half2 lanes, special
// values.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>

__global__ void convert_all(float *back, unsigned short *bits, int n) { // every half value to float and back
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        __half h = __ushort_as_half((unsigned short)i);
        back[i] = __half2float(h);
        bits[i] = __half_as_ushort(__float2half_rn(back[i]));
    }
}

__global__ void rounding(const float *in, unsigned short *rn, unsigned short *rz, unsigned short *rd,
                         unsigned short *ru, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    rn[i] = __half_as_ushort(__float2half_rn(in[i]));
    rz[i] = __half_as_ushort(__float2half_rz(in[i]));
    rd[i] = __half_as_ushort(__float2half_rd(in[i]));
    ru[i] = __half_as_ushort(__float2half_ru(in[i]));
}

__global__ void arithmetic(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half x = __float2half(a[i]), y = __float2half(b[i]);
    float *o = out + i * 16;
    o[0] = __half2float(x + y);
    o[1] = __half2float(__hmul(x, y));
    o[2] = __half2float(__hsub(x, y));
    o[3] = __half2float(__hdiv(x, y));
    o[4] = __half2float(__hfma(x, y, x));
    o[5] = __half2float(__hmax(x, y));
    o[6] = __half2float(__hmin(x, y));
    o[7] = __hlt(x, y);
    o[8] = __half2float(hsqrt(__habs(x)));
    o[9] = __half2int_rn(x);
    __half2 p = __halves2half2(x, y), q = __half2half2(y);
    __half2 s = __hadd2(p, q);
    o[10] = __low2float(s) - __high2float(__hneg2(p));
    o[11] = __half2float(hfloor(x));
    o[12] = __half2float(hexp(__hmul(x, __float2half(0.01f))));
    o[13] = __hbgt2(p, q) || __hisnan(x);
    o[14] = __half2float(__hadd_sat(x, y));
    o[15] = __half2float(htrunc(y)) + __half2float(hceil(y));
}

static float ref_half(unsigned short h) {
    int e = (h >> 10) & 31, m = h & 1023, s = h >> 15;
    float v = e == 0 ? ldexpf(m, -24) : e == 31 ? (m ? NAN : INFINITY) : ldexpf(1024 + m, e - 25);
    return s ? -v : v;
}
static float to_half_value(double v) { // round to nearest even, as a float
    if (v == 0 || std::isnan(v) || std::isinf(v)) return (float)v;
    int e;
    frexp(v, &e);
    if (e < -13) e = -13;
    double unit = ldexp(1.0, e - 11), r = nearbyint(v / unit) * unit;
    return fabs(r) > 65504 ? (v < 0 ? -INFINITY : INFINITY) : (float)r;
}

int main() {
    int bad = 0;
    const int all = 65536;
    float *d_back, *back = new float[all];
    unsigned short *d_bits, *bits = new unsigned short[4 * all];
    cudaMalloc(&d_back, all * 4);
    cudaMalloc(&d_bits, 4 * all * 2);
    cudaMemset(d_bits, 0, 4 * all * 2);
    convert_all<<<64, 256>>>(d_back, d_bits, all);
    cudaMemcpy(back, d_back, all * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(bits, d_bits, all * 2, cudaMemcpyDeviceToHost);
    for (int i = 0; i < all; i++) {
        float want = ref_half(i);
        if (std::isnan(want)) bad += !std::isnan(back[i]);
        else bad += back[i] != want || signbit(back[i]) != signbit(want) || bits[i] != i;
    }
    if (bad) printf("conversions: %d\n", bad);

    const int n = 4000;
    float a[n], b[n], *da, *db, *dout, *out = new float[n * 16];
    for (int i = 0; i < n; i++) {
        a[i] = ldexpf((i * 7919 % 4001) - 2000.3f, (i % 41) - 28);
        b[i] = ((i * 104729) % 2003 - 1000.7f) / 37;
    }
    a[0] = 65520; a[1] = 65519.99f; a[2] = 1e-9f; a[3] = -1e-9f; a[4] = INFINITY; a[5] = 70000; a[6] = -70000;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dout, n * 64);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    rounding<<<(n + 127) / 128, 128>>>(da, d_bits, d_bits + all, d_bits + 2 * all, d_bits + 3 * all, n);
    cudaMemcpy(bits, d_bits, 4 * all * 2, cudaMemcpyDeviceToHost);
    int round_bad = 0;
    for (int i = 0; i < n; i++) {
        float rn = ref_half(bits[i]), rz = ref_half(bits[all + i]), rd = ref_half(bits[2 * all + i]),
              ru = ref_half(bits[3 * all + i]);
        round_bad += rn != to_half_value(a[i]);
        round_bad += !(rd <= a[i] && a[i] <= ru) || fabsf(rz) > fabsf(a[i]) || (rz != rd && rz != ru);
        if (rd != ru) // neighbours
            round_bad += !(rn == rd || rn == ru);
    }
    if (round_bad) printf("rounding: %d\n", round_bad);

    for (int i = 0; i < n; i++) a[i] = to_half_value((i * 31 % 997 - 498) / 16.0);
    for (int i = 0; i < n; i++) b[i] = to_half_value(b[i]);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    arithmetic<<<(n + 127) / 128, 128>>>(da, db, dout, n);
    cudaMemcpy(out, dout, n * 64, cudaMemcpyDeviceToHost);
    int arith_bad = 0;
    for (int i = 0; i < n; i++) {
        double x = a[i], y = b[i];
        float want[16];
        want[0] = to_half_value(x + y);
        want[1] = to_half_value(x * y);
        want[2] = to_half_value(x - y);
        want[3] = to_half_value(x / y);
        want[4] = to_half_value(x * y + x);
        want[5] = fmax(x, y);
        want[6] = fmin(x, y);
        want[7] = x < y;
        want[8] = to_half_value(sqrt(fabs(x)));
        want[9] = nearbyint(x);
        want[10] = to_half_value(x + y) + y;
        want[11] = floor(x);
        want[12] = to_half_value(exp(to_half_value(x * to_half_value(0.01))));
        want[13] = x > y && y > y;
        want[14] = fmin(fmax(to_half_value(x + y), 0), 1);
        want[15] = trunc(y) + ceil(y);
        for (int k = 0; k < 16; k++) {
            float tolerance = k == 12 || k == 3 ? fabsf(want[k]) * 0.001f : 0; // division and exp: within an ulp
            if (!(fabsf(out[i * 16 + k] - want[k]) <= tolerance) && arith_bad++ < 5)
                printf("operation %d of %g, %g: %g, expected %g\n", k, x, y, out[i * 16 + k], want[k]);
        }
    }
    bad += round_bad + arith_bad + (cudaGetLastError() != cudaSuccess);
    cudaFree(da); cudaFree(db); cudaFree(dout); cudaFree(d_back); cudaFree(d_bits);
    delete[] out;
    delete[] back;
    delete[] bits;
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
