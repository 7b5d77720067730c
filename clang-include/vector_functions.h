/*
 * make_<type><n>: constructors of the built-in vector types.
 */
#ifndef LWC_VECTOR_FUNCTIONS_H
#define LWC_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define LWC_MAKE(name, type)                                                                                           \
    LWC_HD name##1 make_##name##1(type x)                                                                              \
    {                                                                                                                  \
        name##1 v = {x};                                                                                               \
        return v;                                                                                                      \
    }                                                                                                                  \
    LWC_HD name##2 make_##name##2(type x, type y)                                                                      \
    {                                                                                                                  \
        name##2 v = {x, y};                                                                                            \
        return v;                                                                                                      \
    }                                                                                                                  \
    LWC_HD name##3 make_##name##3(type x, type y, type z)                                                              \
    {                                                                                                                  \
        name##3 v = {x, y, z};                                                                                         \
        return v;                                                                                                      \
    }
#define LWC_MAKE4(name, type)                                                                                          \
    LWC_HD name make_##name(type x, type y, type z, type w)                                                            \
    {                                                                                                                  \
        name v = {x, y, z, w};                                                                                         \
        return v;                                                                                                      \
    }

LWC_MAKE(char, signed char)
LWC_MAKE(uchar, unsigned char)
LWC_MAKE(short, short)
LWC_MAKE(ushort, unsigned short)
LWC_MAKE(int, int)
LWC_MAKE(uint, unsigned int)
LWC_MAKE(long, long int)
LWC_MAKE(ulong, unsigned long int)
LWC_MAKE(longlong, long long int)
LWC_MAKE(ulonglong, unsigned long long int)
LWC_MAKE(float, float)
LWC_MAKE(double, double)
LWC_MAKE4(char4, signed char)
LWC_MAKE4(uchar4, unsigned char)
LWC_MAKE4(short4, short)
LWC_MAKE4(ushort4, unsigned short)
LWC_MAKE4(int4, int)
LWC_MAKE4(uint4, unsigned int)
LWC_MAKE4(long4, long int)
LWC_MAKE4(long4_16a, long int)
LWC_MAKE4(long4_32a, long int)
LWC_MAKE4(ulong4, unsigned long int)
LWC_MAKE4(ulong4_16a, unsigned long int)
LWC_MAKE4(ulong4_32a, unsigned long int)
LWC_MAKE4(longlong4, long long int)
LWC_MAKE4(longlong4_16a, long long int)
LWC_MAKE4(longlong4_32a, long long int)
LWC_MAKE4(ulonglong4, unsigned long long int)
LWC_MAKE4(ulonglong4_16a, unsigned long long int)
LWC_MAKE4(ulonglong4_32a, unsigned long long int)
LWC_MAKE4(float4, float)
LWC_MAKE4(double4, double)
LWC_MAKE4(double4_16a, double)
LWC_MAKE4(double4_32a, double)

#undef LWC_MAKE
#undef LWC_MAKE4

#endif
