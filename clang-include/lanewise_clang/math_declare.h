/*
 * Device overloads of the C and C++ math functions, declared before the host's <cmath>.
 * Clang treats constexpr functions as host and device unless a device function of the same signature was seen first;
 * so these declarations, and their names in std, must precede libstdc++'s. Definitions: math_device.h.
 */
#ifndef LWC_MATH_DECLARE_H
#define LWC_MATH_DECLARE_H

#include "../host_defines.h"

#define LWC_MATH_UNARY(M)                                                                                        \
    M(acos) M(acosh) M(asin) M(asinh) M(atan) M(atanh) M(cbrt) M(ceil) M(cos) M(cosh) M(erf) M(erfc) M(exp)      \
    M(exp2) M(expm1) M(fabs) M(floor) M(lgamma) M(log) M(log10) M(log1p) M(log2) M(logb) M(nearbyint) M(rint)    \
    M(round) M(sin) M(sinh) M(sqrt) M(tan) M(tanh) M(tgamma) M(trunc)
#define LWC_MATH_BINARY(M) M(atan2) M(copysign) M(fdim) M(fmax) M(fmin) M(fmod) M(hypot) M(nextafter) M(pow) M(remainder)
#define LWC_MATH_TO_INT(M) M(ilogb, int) M(lrint, long) M(llrint, long long) M(lround, long) M(llround, long long)

#define LWC_DECL1(fn) LWC_FN double fn(double); LWC_FN float fn(float); LWC_FN float fn##f(float);
#define LWC_DECL2(fn) \
    LWC_FN double fn(double, double); LWC_FN float fn(float, float); LWC_FN float fn##f(float, float);
#define LWC_DECLI(fn, t) LWC_FN t fn(double); LWC_FN t fn(float); LWC_FN t fn##f(float);
LWC_MATH_UNARY(LWC_DECL1)
LWC_MATH_BINARY(LWC_DECL2)
LWC_MATH_TO_INT(LWC_DECLI)
#undef LWC_DECL1
#undef LWC_DECL2
#undef LWC_DECLI

LWC_FN double fma(double, double, double);
LWC_FN float fma(float, float, float);
LWC_FN float fmaf(float, float, float);
LWC_FN double ldexp(double, int);
LWC_FN float ldexp(float, int);
LWC_FN float ldexpf(float, int);
LWC_FN double scalbn(double, int);
LWC_FN float scalbn(float, int);
LWC_FN float scalbnf(float, int);
LWC_FN double scalbln(double, long);
LWC_FN float scalbln(float, long);
LWC_FN float scalblnf(float, long);
LWC_FN double frexp(double, int *);
LWC_FN float frexp(float, int *);
LWC_FN float frexpf(float, int *);
LWC_FN double modf(double, double *);
LWC_FN float modf(float, float *);
LWC_FN float modff(float, float *);
LWC_FN double remquo(double, double, int *);
LWC_FN float remquo(float, float, int *);
LWC_FN float remquof(float, float, int *);
LWC_FN double nan(const char *);
LWC_FN float nanf(const char *);
LWC_FN int abs(int);
LWC_FN long abs(long);
LWC_FN long long abs(long long);
LWC_FN float abs(float);
LWC_FN double abs(double);
LWC_FN long labs(long);
LWC_FN long long llabs(long long);

/* An integer argument stands for a double; the templates of libstdc++ would call the host's builtin. */
template <class T> struct lwc_double_if {};
#define LWC_INTEGER(t) template <> struct lwc_double_if<t> { typedef double type; };
LWC_INTEGER(bool)
LWC_INTEGER(char)
LWC_INTEGER(signed char)
LWC_INTEGER(unsigned char)
LWC_INTEGER(short)
LWC_INTEGER(unsigned short)
LWC_INTEGER(int)
LWC_INTEGER(unsigned int)
LWC_INTEGER(long)
LWC_INTEGER(unsigned long)
LWC_INTEGER(long long)
LWC_INTEGER(unsigned long long)
#undef LWC_INTEGER

namespace std {
#define LWC_USING1(fn)                                                                                         \
    using ::fn;                                                                                                \
    template <class T>                                                                                        \
    static __inline__ __attribute__((device, always_inline, nodebug, unused)) typename lwc_double_if<T>::type fn(T x) \
    {                                                                                                         \
        return ::fn((double)x);                                                                                \
    }
#define LWC_USING2(fn) using ::fn;
#define LWC_USINGI(fn, t) using ::fn;
LWC_MATH_UNARY(LWC_USING1)
LWC_MATH_BINARY(LWC_USING2)
LWC_MATH_TO_INT(LWC_USINGI)
using ::fma;
using ::ldexp;
using ::scalbn;
using ::scalbln;
using ::frexp;
using ::modf;
using ::remquo;
using ::abs;
using ::labs;
using ::llabs;
#undef LWC_USING1
#undef LWC_USING2
#undef LWC_USINGI
}

#endif
