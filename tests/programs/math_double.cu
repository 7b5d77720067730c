// Double precision math functions against libm, within a few ulps (cbrt and gamma: of both sides together); special
// values.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define FUNCTIONS(X)                                                                                              \
    X(sin, -100, 100, 2) X(cos, -100, 100, 2) X(tan, -50, 50, 3) X(exp, -700, 700, 2) X(exp2, -1000, 1000, 2)     \
    X(expm1, -40, 40, 2) X(log, 1e-150, 1e150, 2) X(log2, 1e-10, 1e10, 2) X(log10, 1e-5, 1e5, 2)                  \
    X(log1p, -0.99, 10, 2) X(sqrt, 0, 1e10, 0) X(cbrt, -1e6, 1e6, 5) X(asin, -1, 1, 3) X(acos, -1, 1, 3)          \
    X(atan, -30, 30, 3) X(sinh, -20, 20, 3) X(cosh, -20, 20, 3) X(tanh, -5, 5, 3) X(asinh, -100, 100, 4)          \
    X(acosh, 1.1, 100, 4) X(atanh, -0.99, 0.99, 4) X(erf, -3, 3, 3) X(erfc, -3, 10, 6) X(tgamma, 0.5, 30, 12)     \
    X(lgamma, 3, 100, 6) X(floor, -1e5, 1e5, 0) X(ceil, -1e5, 1e5, 0) X(trunc, -1e5, 1e5, 0) X(round, -99, 99, 0) \
    X(rint, -99, 99, 0) X(fabs, -9, 9, 0) X(j0, 0.1, 2, 25)

enum { NONE
#define X(f, lo, hi, ulps) , F_##f
FUNCTIONS(X)
#undef X
, COUNT };

__global__ void kernel(const double *x, double *y, int n, int which) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i], r = 0;
    switch (which) {
#define X(f, lo, hi, ulps) case F_##f: r = f(v); break;
        FUNCTIONS(X)
#undef X
    }
    y[i] = r;
}

__global__ void two(const double *a, const double *b, double *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double *o = y + i * 10;
    o[0] = pow(a[i], b[i]);
    o[1] = atan2(a[i], b[i]);
    o[2] = hypot(a[i], b[i]);
    o[3] = fmod(a[i], b[i]);
    o[4] = fma(a[i], b[i], a[i]);
    o[5] = copysign(a[i], b[i]);
    o[6] = a[i] / b[i];
    o[7] = remainder(a[i], b[i]);
    int e;
    o[8] = frexp(a[i], &e) + e;
    o[9] = ldexp(a[i], (int)b[i]);
}

static double ulps(double got, double want) {
    if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
    if (!std::isfinite(got) || !std::isfinite(want)) return 1e30;
    double u = nextafter(fabs(want), INFINITY) - fabs(want);
    return fabs(got - want) / u;
}

int main() {
    const int n = 512;
    std::vector<double> x(n), y(n), b(n), out(n * 10);
    double *dx, *dy, *db;
    cudaMalloc(&dx, n * 8);
    cudaMalloc(&db, n * 8);
    cudaMalloc(&dy, n * 80);
    int bad = 0;
    struct { const char *name; double (*f)(double); double lo, hi, limit; int id; } table[] = {
#define X(f, lo, hi, ulps) {#f, static_cast<double (*)(double)>(f), lo, hi, ulps, F_##f},
        FUNCTIONS(X)
#undef X
    };
    for (auto &t : table) {
        for (int i = 0; i < n; i++) {
            double u = rand() / (double)RAND_MAX;
            x[i] = t.lo > 0 && t.hi / t.lo > 1e6 ? t.lo * pow(t.hi / t.lo, u) : t.lo + (t.hi - t.lo) * u;
        }
        cudaMemcpy(dx, x.data(), n * 8, cudaMemcpyHostToDevice);
        kernel<<<(n + 63) / 64, 64>>>(dx, dy, n, t.id);
        cudaMemcpy(y.data(), dy, n * 8, cudaMemcpyDeviceToHost);
        double worst = 0;
        int at = 0;
        for (int i = 0; i < n; i++) {
            double u = ulps(y[i], t.f(x[i]));
            if (u > worst) {
                worst = u;
                at = i;
            }
        }
        if (worst > t.limit + 1e-9) {
            printf("%s(%.17g) = %.17g, expected %.17g: %g ulps\n", t.name, x[at], y[at], t.f(x[at]), worst);
            bad++;
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] = pow(10, rand() % 600 / 100.0 - 3);
        b[i] = (rand() % 2000 - 1000.5) / 50;
    }
    cudaMemcpy(dx, x.data(), n * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * 8, cudaMemcpyHostToDevice);
    two<<<(n + 63) / 64, 64>>>(dx, db, dy, n);
    cudaMemcpy(out.data(), dy, n * 80, cudaMemcpyDeviceToHost);
    const double limits[10] = {3, 3, 2, 0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        int e;
        double fr = frexp(x[i], &e) + e;
        double want[10] = {pow(x[i], b[i]),       atan2(x[i], b[i]),     hypot(x[i], b[i]),
                           fmod(x[i], b[i]),      fma(x[i], b[i], x[i]), copysign(x[i], b[i]),
                           x[i] / b[i],           remainder(x[i], b[i]), fr,
                           ldexp(x[i], (int)b[i])};
        for (int k = 0; k < 10; k++)
            if (ulps(out[i * 10 + k], want[k]) > limits[k] && bad++ < 20)
                printf("binary %d of %.17g, %.17g: %.17g, expected %.17g\n", k, x[i], b[i], out[i * 10 + k], want[k]);
    }
    const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 5e-324, 1.7e308};
    cudaMemcpy(dx, special, sizeof special, cudaMemcpyHostToDevice);
    for (int id : {F_sin, F_exp, F_log, F_sqrt, F_atan, F_floor, F_erf, F_cbrt}) {
        kernel<<<1, 32>>>(dx, dy, 9, id);
        cudaMemcpy(y.data(), dy, sizeof special, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 9; i++) {
            double want = 0;
            switch (id) {
            case F_sin: want = sin(special[i]); break;
            case F_exp: want = exp(special[i]); break;
            case F_log: want = log(special[i]); break;
            case F_sqrt: want = sqrt(special[i]); break;
            case F_atan: want = atan(special[i]); break;
            case F_floor: want = floor(special[i]); break;
            case F_erf: want = erf(special[i]); break;
            case F_cbrt: want = cbrt(special[i]); break;
            }
            if (ulps(y[i], want) > 3 && bad++ < 20)
                printf("function %d of special value %g: %g, expected %g\n", id, special[i], y[i], want);
        }
    }
    bad += cudaGetLastError() != cudaSuccess;
    cudaFree(dx); cudaFree(db); cudaFree(dy);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
