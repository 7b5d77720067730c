// Device math: every function by its C names and as C++ overloads, in namespace std too, and with integer arguments.
#include <cuda_runtime.h>
#include <cmath>
#include <math_constants.h>

#define UNARY(M)                                                                                                      \
    M(acos) M(acosh) M(asin) M(asinh) M(atan) M(atanh) M(cbrt) M(ceil) M(cos) M(cosh) M(erf) M(erfc) M(exp) M(exp2)   \
    M(expm1) M(fabs) M(floor) M(lgamma) M(log) M(log10) M(log1p) M(log2) M(logb) M(nearbyint) M(rint) M(round) M(sin) \
    M(sinh) M(sqrt) M(tan) M(tanh) M(tgamma) M(trunc)
#define BINARY(M) M(atan2) M(copysign) M(fdim) M(fmax) M(fmin) M(fmod) M(hypot) M(nextafter) M(pow) M(remainder)
#define OWN(M) M(rsqrt) M(rcbrt) M(sinpi) M(cospi) M(erfcx) M(erfinv) M(erfcinv) M(normcdf) M(normcdfinv)

#define CALL1(fn) f[k] += fn##f(f[k]) + fn(f[k]); d[k] += fn(d[k]) + fn((double)f[k]); k++;
#define STD1(fn) f[k] += std::fn(f[k]); d[k] += std::fn(d[k]) + std::fn(n); k++;
#define CALL2(fn) f[k] += fn##f(f[k], f[k + 1]) + fn(f[k], f[1]); d[k] += fn(d[k], d[k + 1]) + fn(d[k], f[2]); k++;
#define STD2(fn) f[k] += std::fn(f[k], f[k + 1]); d[k] += std::fn(d[k], d[k + 1]); k++;

__global__ void by_name(float *f, double *d, int k) { UNARY(CALL1) BINARY(CALL2) }
__global__ void by_overload(float *f, double *d, int n, int k) { UNARY(STD1) BINARY(STD2) }
__global__ void cuda_names(float *f, double *d, int k)
{
    OWN(CALL1)
    float s, c;
    double ds, dc;
    int e;
    sincosf(f[0], &s, &c), sincos(d[0], &ds, &dc);
    f[1] = s + c, d[1] = ds + dc;
    sincospif(f[0], &s, &c), sincospi(d[0], &ds, &dc);
    f[2] = s * c, d[2] = ds * dc;
    f[3] = frexpf(f[4], &e) + ldexpf(f[5], e) + scalbnf(f[6], e) + modff(f[7], &s) + remquof(f[8], f[9], &e) + s;
    d[3] = frexp(d[4], &e) + ldexp(d[5], e) + scalbn(d[6], e) + modf(d[7], &ds) + remquo(d[8], d[9], &e) + ds;
    f[4] = fmaf(f[1], f[2], f[3]) + fma(f[1], f[2], f[3]) + rhypotf(f[1], f[2]) + norm3df(f[1], f[2], f[3]) +
           rnorm4df(f[1], f[2], f[3], f[4]) + exp10f(f[5]) + j0f(f[1]) + ynf(2, f[3]);
    d[4] = fma(d[1], d[2], d[3]) + rhypot(d[1], d[2]) + norm4d(d[1], d[2], d[3], d[4]) + exp10(d[5]) + j1(d[1]) +
           y0(d[2]) + y1(d[3]) + jn(3, d[4]) + yn(3, d[5]) + j0(d[6]) +
           cyl_bessel_i0(d[7]) + cyl_bessel_i1f(f[3]);
    k = ilogb(d[1]) + ilogbf(f[1]) + (int)lrint(d[2]) + (int)lrintf(f[3]) + (int)llround(d[3]) + (int)lroundf(f[4]) +
        (int)llrint(f[5]);
    k += isnan(f[1]) + isinf(d[1]) + isfinite(f[2]) + signbit(d[2]) + std::isnan(d[3]) + std::signbit(f[4]);
    f[5] = nanf("") + std::abs(f[6]) + (float)abs(k) + (float)std::abs(d[6]) + (float)std::abs(-3L) + CUDART_PI_F;
    f[6] = (float)std::pow(d[7], 2) + std::pow(f[8], 2.0f) + (float)pow(2, k) + (float)std::max(k, 3) + (float)sqrt(k);
    f[7] = k;
}
__global__ void approximations(float *f, double *d)
{
    f[0] = __expf(f[1]) + __exp10f(f[2]) + __logf(f[3]) + __log2f(f[4]) + __log10f(f[5]) + __powf(f[6], f[7]);
    float s, c;
    __sincosf(f[8], &s, &c);
    f[1] = __sinf(f[1]) + __cosf(f[2]) + __tanf(f[3]) + s + c + __fdividef(f[4], f[5]) + __saturatef(f[6]) +
           fdividef(f[1], f[2]);
    f[2] = __fadd_rn(f[1], f[2]) + __fadd_rz(f[1], f[2]) + __fsub_ru(f[1], f[2]) + __fmul_rd(f[1], f[2]) +
           __fdiv_rn(f[1], f[2]);
    f[3] = __fmaf_rn(f[1], f[2], f[3]) + __frcp_rn(f[1]) + __fsqrt_rn(f[2]) + __fsqrt_ru(f[2]) + __frsqrt_rn(f[3]);
    d[0] = __dadd_rn(d[1], d[2]) + __dsub_rz(d[1], d[2]) + __dmul_ru(d[1], d[2]) + __ddiv_rd(d[1], d[2]) +
           __fma_rn(d[1], d[2], d[3]);
    d[1] = __drcp_rn(d[1]) + __dsqrt_rn(d[2]);
}

/* What CUDA has and C has not is there on the host too. */
int main()
{
    double err = fabs(rsqrt(4.0) - 0.5) + fabs(sinpi(0.5) - 1.0) + fabs(normcdf(0.0) - 0.5) + fabs(erfinv(0.0)) +
                 fabs(cospi(1.0f) + 1.0);
    return err > 1e-15 || max(3, 4) != 4 || min(2.0f, 1.0f) != 1.0f;
}
