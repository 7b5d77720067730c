// Single precision functions and fast intrinsics against double libm; rounding modes; float atan2, sincos, pow, rsqrt.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define OPS 26

__global__ void kernel(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i], s, c, *o = out + i * OPS;
    o[0] = sinf(x);
    o[1] = cosf(x);
    o[2] = tanf(x);
    o[3] = expf(x);
    o[4] = logf(y);
    o[5] = powf(y, x);
    o[6] = sqrtf(y);
    o[7] = rsqrtf(y);
    o[8] = cbrtf(x);
    o[9] = atan2f(x, y);
    o[10] = erff(x);
    o[11] = tanhf(x);
    o[12] = hypotf(x, y);
    o[13] = fmodf(x, y);
    sincosf(x, &s, &c);
    o[14] = s - c;
    o[15] = __fadd_rn(x, y);
    o[16] = __fmul_rz(x, y);
    o[17] = __fdiv_rd(x, y);
    o[18] = __fsqrt_ru(y);
    o[19] = __fmaf_rn(x, y, 1.0f);
    o[20] = __expf(x);
    o[21] = __sinf(x);
    o[22] = __logf(y);
    o[23] = __powf(y, 1.5f);
    o[24] = (float)__float2int_rd(x) + __float2uint_ru(y) * 0.5f;
    o[25] = log2f(y) + exp10f(x * 0.1f) + fdimf(x, y) + rintf(x) + truncf(y);
}

int main() {
    const int n = 2000;
    std::vector<float> a(n), b(n), got(n * OPS);
    for (int i = 0; i < n; i++) {
        a[i] = (rand() % 20001 - 10000) / 2000.0f;
        b[i] = (rand() % 10000 + 1) / 500.0f;
    }
    float *da, *db, *d;
    cudaMalloc(&da, n * 4);
    cudaMalloc(&db, n * 4);
    cudaMalloc(&d, n * OPS * 4);
    cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * 4, cudaMemcpyHostToDevice);
    kernel<<<(n + 63) / 64, 64>>>(da, db, d, n);
    cudaMemcpy(got.data(), d, n * OPS * 4, cudaMemcpyDeviceToHost);
    // relative tolerance, absolute tolerance
    const double tol[OPS][2] = {{3e-7, 1e-9}, {3e-7, 1e-9}, {6e-7, 1e-9}, {3e-7, 0}, {3e-7, 1e-9}, {1e-6, 0},
                                {7e-8, 0},    {3e-7, 0},    {3e-7, 0},    {4e-7, 0}, {4e-7, 0},    {4e-7, 0},
                                {3e-7, 0},    {0, 0},       {0, 3e-7},    {7e-8, 0}, {1.3e-7, 0},  {1.3e-7, 0},
                                {1.3e-7, 0},  {7e-8, 1e-7}, {1e-5, 0},    {0, 2e-6}, {1e-5, 2e-6}, {1e-5, 0},
                                {0, 0},       {1e-6, 1e-5}};
    int bad = 0, first[OPS] = {0};
    for (int i = 0; i < n; i++) {
        double x = a[i], y = b[i], want[OPS];
        want[0] = sin(x); want[1] = cos(x); want[2] = tan(x); want[3] = exp(x); want[4] = log(y); want[5] = pow(y, x);
        want[6] = sqrt(y); want[7] = 1 / sqrt(y); want[8] = cbrt(x); want[9] = atan2(x, y); want[10] = erf(x);
        want[11] = tanh(x); want[12] = hypot(x, y); want[13] = fmod(x, y); want[14] = sin(x) - cos(x);
        want[15] = x + y; want[16] = x * y; want[17] = x / y; want[18] = sqrt(y); want[19] = x * y + 1;
        want[20] = exp(x); want[21] = sin(x); want[22] = log(y); want[23] = pow(y, 1.5);
        want[24] = (float)((float)(int)floor(x) + (float)(unsigned)ceil(y) * 0.5f);
        want[25] = log2(y) + pow(10, x * 0.1) + (x > y ? x - y : 0) + rint(x) + trunc(y);
        for (int k = 0; k < OPS; k++) {
            double g = got[i * OPS + k];
            bool ok = fabs(g - want[k]) <= tol[k][0] * fabs(want[k]) + tol[k][1];
            if (k == 16) ok &= fabs(g) <= fabs(want[k]);
            if (k == 17) ok &= g <= want[k];
            if (k == 18) ok &= g >= want[k];
            if (!ok) {
                bad++;
                if (!first[k]++) printf("operation %d of %.9g, %.9g: %.9g, expected %.9g\n", k, x, y, g, want[k]);
            }
        }
    }
    bad += cudaGetLastError() != cudaSuccess;
    cudaFree(da); cudaFree(db); cudaFree(d);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
