/*
 * The built-in vector types and dim3: sizes and alignments as the CUDA programming guide's table gives them.
 */
#ifndef LWC_VECTOR_TYPES_H
#define LWC_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define LWC_VEC1(name, type, a)                                                                                        \
    struct __attribute__((aligned(a))) name {                                                                          \
        type x;                                                                                                        \
    };                                                                                                                 \
    typedef struct name name
#define LWC_VEC2(name, type, a)                                                                                        \
    struct __attribute__((aligned(a))) name {                                                                          \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    typedef struct name name
#define LWC_VEC3(name, type, a)                                                                                        \
    struct __attribute__((aligned(a))) name {                                                                          \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    typedef struct name name
#define LWC_VEC4(name, type, a)                                                                                        \
    struct __attribute__((aligned(a))) name {                                                                          \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    typedef struct name name

LWC_VEC1(char1, signed char, 1);
LWC_VEC2(char2, signed char, 2);
LWC_VEC3(char3, signed char, 1);
LWC_VEC4(char4, signed char, 4);
LWC_VEC1(uchar1, unsigned char, 1);
LWC_VEC2(uchar2, unsigned char, 2);
LWC_VEC3(uchar3, unsigned char, 1);
LWC_VEC4(uchar4, unsigned char, 4);
LWC_VEC1(short1, short, 2);
LWC_VEC2(short2, short, 4);
LWC_VEC3(short3, short, 2);
LWC_VEC4(short4, short, 8);
LWC_VEC1(ushort1, unsigned short, 2);
LWC_VEC2(ushort2, unsigned short, 4);
LWC_VEC3(ushort3, unsigned short, 2);
LWC_VEC4(ushort4, unsigned short, 8);
LWC_VEC1(int1, int, 4);
LWC_VEC2(int2, int, 8);
LWC_VEC3(int3, int, 4);
LWC_VEC4(int4, int, 16);
LWC_VEC1(uint1, unsigned int, 4);
LWC_VEC2(uint2, unsigned int, 8);
LWC_VEC3(uint3, unsigned int, 4);
LWC_VEC4(uint4, unsigned int, 16);
LWC_VEC1(long1, long int, 8);
LWC_VEC2(long2, long int, 16);
LWC_VEC3(long3, long int, 8);
LWC_VEC4(long4_16a, long int, 16);
LWC_VEC4(long4_32a, long int, 32);
LWC_VEC4(long4, long int, 16);
LWC_VEC1(ulong1, unsigned long int, 8);
LWC_VEC2(ulong2, unsigned long int, 16);
LWC_VEC3(ulong3, unsigned long int, 8);
LWC_VEC4(ulong4_16a, unsigned long int, 16);
LWC_VEC4(ulong4_32a, unsigned long int, 32);
LWC_VEC4(ulong4, unsigned long int, 16);
LWC_VEC1(longlong1, long long int, 8);
LWC_VEC2(longlong2, long long int, 16);
LWC_VEC3(longlong3, long long int, 8);
LWC_VEC4(longlong4_16a, long long int, 16);
LWC_VEC4(longlong4_32a, long long int, 32);
LWC_VEC4(longlong4, long long int, 16);
LWC_VEC1(ulonglong1, unsigned long long int, 8);
LWC_VEC2(ulonglong2, unsigned long long int, 16);
LWC_VEC3(ulonglong3, unsigned long long int, 8);
LWC_VEC4(ulonglong4_16a, unsigned long long int, 16);
LWC_VEC4(ulonglong4_32a, unsigned long long int, 32);
LWC_VEC4(ulonglong4, unsigned long long int, 16);
LWC_VEC1(float1, float, 4);
LWC_VEC2(float2, float, 8);
LWC_VEC3(float3, float, 4);
LWC_VEC4(float4, float, 16);
LWC_VEC1(double1, double, 8);
LWC_VEC2(double2, double, 16);
LWC_VEC3(double3, double, 8);
LWC_VEC4(double4_16a, double, 16);
LWC_VEC4(double4_32a, double, 32);
LWC_VEC4(double4, double, 16);

struct dim3 {
    unsigned int x, y, z;
#if defined(__cplusplus)
    __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    __host__ __device__ constexpr dim3(uint3 a) : x(a.x), y(a.y), z(a.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#undef LWC_VEC1
#undef LWC_VEC2
#undef LWC_VEC3
#undef LWC_VEC4

#endif
