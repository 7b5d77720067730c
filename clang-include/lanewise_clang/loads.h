/*
 * Loads and stores with a cache operator in the name, for the scalar and vector types CUDA names.
 * The pointers must be to global memory; their generic address is the global one.
 */
#ifndef LWC_LOADS_H
#define LWC_LOADS_H

#include "../vector_types.h"

#define LWC_LD1(f, op, t, v, asmt, c, vol)                                                                       \
    LWC_FN t f(const t *p) { v r; asm vol("ld.global." op "." asmt " %0, [%1];" : "=" c(r) : "l"(p) LWC_CLOB); return (t)r; }
#define LWC_LD2(f, op, t, v, asmt, c, vol)                                                                       \
    LWC_FN t f(const t *p)                                                                                       \
    {                                                                                                            \
        v x, y;                                                                                                  \
        asm vol("ld.global." op ".v2." asmt " {%0,%1}, [%2];" : "=" c(x), "=" c(y) : "l"(p) LWC_CLOB);           \
        t r;                                                                                                     \
        r.x = (decltype(r.x))x, r.y = (decltype(r.x))y;                                                          \
        return r;                                                                                                \
    }
#define LWC_LD4(f, op, t, v, asmt, c, vol)                                                                       \
    LWC_FN t f(const t *p)                                                                                       \
    {                                                                                                            \
        v x, y, z, w;                                                                                            \
        asm vol("ld.global." op ".v4." asmt " {%0,%1,%2,%3}, [%4];"                                              \
            : "=" c(x), "=" c(y), "=" c(z), "=" c(w) : "l"(p) LWC_CLOB);                                         \
        t r;                                                                                                     \
        r.x = (decltype(r.x))x, r.y = (decltype(r.x))y, r.z = (decltype(r.x))z, r.w = (decltype(r.x))w;          \
        return r;                                                                                                \
    }
#define LWC_LOADS(f, op, vol)                                                                                    \
    LWC_LD1(f, op, char, short, "s8", "h", vol) LWC_LD1(f, op, signed char, short, "s8", "h", vol)               \
    LWC_LD1(f, op, unsigned char, unsigned short, "u8", "h", vol)                                                \
    LWC_LD1(f, op, short, short, "s16", "h", vol) LWC_LD1(f, op, unsigned short, unsigned short, "u16", "h", vol) \
    LWC_LD1(f, op, int, int, "s32", "r", vol) LWC_LD1(f, op, unsigned, unsigned, "u32", "r", vol)                \
    LWC_LD1(f, op, long, long, "s64", "l", vol) LWC_LD1(f, op, unsigned long, unsigned long, "u64", "l", vol)    \
    LWC_LD1(f, op, long long, long long, "s64", "l", vol)                                                        \
    LWC_LD1(f, op, unsigned long long, unsigned long long, "u64", "l", vol)                                      \
    LWC_LD1(f, op, float, float, "f32", "f", vol) LWC_LD1(f, op, double, double, "f64", "d", vol)                \
    LWC_LD2(f, op, char2, short, "s8", "h", vol) LWC_LD4(f, op, char4, short, "s8", "h", vol)                    \
    LWC_LD2(f, op, uchar2, unsigned short, "u8", "h", vol) LWC_LD4(f, op, uchar4, unsigned short, "u8", "h", vol) \
    LWC_LD2(f, op, short2, short, "s16", "h", vol) LWC_LD4(f, op, short4, short, "s16", "h", vol)                \
    LWC_LD2(f, op, ushort2, unsigned short, "u16", "h", vol) LWC_LD4(f, op, ushort4, unsigned short, "u16", "h", vol) \
    LWC_LD2(f, op, int2, int, "s32", "r", vol) LWC_LD4(f, op, int4, int, "s32", "r", vol)                        \
    LWC_LD2(f, op, uint2, unsigned, "u32", "r", vol) LWC_LD4(f, op, uint4, unsigned, "u32", "r", vol)            \
    LWC_LD2(f, op, longlong2, long long, "s64", "l", vol)                                                        \
    LWC_LD2(f, op, ulonglong2, unsigned long long, "u64", "l", vol)                                              \
    LWC_LD2(f, op, float2, float, "f32", "f", vol) LWC_LD4(f, op, float4, float, "f32", "f", vol)                \
    LWC_LD2(f, op, double2, double, "f64", "d", vol)

#define LWC_CLOB
LWC_LOADS(__ldg, "nc", )
#undef LWC_CLOB
#define LWC_CLOB : "memory"
LWC_LOADS(__ldca, "ca", volatile)
LWC_LOADS(__ldcg, "cg", volatile)
LWC_LOADS(__ldcs, "cs", volatile)
LWC_LOADS(__ldlu, "lu", volatile)
LWC_LOADS(__ldcv, "cv", volatile)
#undef LWC_CLOB
#undef LWC_LD1
#undef LWC_LD2
#undef LWC_LD4
#undef LWC_LOADS

#define LWC_ST1(f, op, t, v, asmt, c) \
    LWC_FN void f(t *p, t a) { asm volatile("st.global." op "." asmt " [%0], %1;" :: "l"(p), c((v)a) : "memory"); }
#define LWC_ST2(f, op, t, v, asmt, c)                                                                            \
    LWC_FN void f(t *p, t a)                                                                                     \
    {                                                                                                            \
        asm volatile("st.global." op ".v2." asmt " [%0], {%1,%2};" :: "l"(p), c((v)a.x), c((v)a.y) : "memory");  \
    }
#define LWC_ST4(f, op, t, v, asmt, c)                                                                            \
    LWC_FN void f(t *p, t a)                                                                                     \
    {                                                                                                            \
        asm volatile("st.global." op ".v4." asmt " [%0], {%1,%2,%3,%4};"                                         \
                     :: "l"(p), c((v)a.x), c((v)a.y), c((v)a.z), c((v)a.w) : "memory");                          \
    }
#define LWC_STORES(f, op)                                                                                        \
    LWC_ST1(f, op, char, short, "s8", "h") LWC_ST1(f, op, signed char, short, "s8", "h")                         \
    LWC_ST1(f, op, unsigned char, unsigned short, "u8", "h")                                                     \
    LWC_ST1(f, op, short, short, "s16", "h") LWC_ST1(f, op, unsigned short, unsigned short, "u16", "h")          \
    LWC_ST1(f, op, int, int, "s32", "r") LWC_ST1(f, op, unsigned, unsigned, "u32", "r")                          \
    LWC_ST1(f, op, long, long, "s64", "l") LWC_ST1(f, op, unsigned long, unsigned long, "u64", "l")              \
    LWC_ST1(f, op, long long, long long, "s64", "l")                                                             \
    LWC_ST1(f, op, unsigned long long, unsigned long long, "u64", "l")                                           \
    LWC_ST1(f, op, float, float, "f32", "f") LWC_ST1(f, op, double, double, "f64", "d")                          \
    LWC_ST2(f, op, char2, short, "s8", "h") LWC_ST4(f, op, char4, short, "s8", "h")                              \
    LWC_ST2(f, op, uchar2, unsigned short, "u8", "h") LWC_ST4(f, op, uchar4, unsigned short, "u8", "h")          \
    LWC_ST2(f, op, short2, short, "s16", "h") LWC_ST4(f, op, short4, short, "s16", "h")                          \
    LWC_ST2(f, op, ushort2, unsigned short, "u16", "h") LWC_ST4(f, op, ushort4, unsigned short, "u16", "h")      \
    LWC_ST2(f, op, int2, int, "s32", "r") LWC_ST4(f, op, int4, int, "s32", "r")                                  \
    LWC_ST2(f, op, uint2, unsigned, "u32", "r") LWC_ST4(f, op, uint4, unsigned, "u32", "r")                      \
    LWC_ST2(f, op, longlong2, long long, "s64", "l") LWC_ST2(f, op, ulonglong2, unsigned long long, "u64", "l")  \
    LWC_ST2(f, op, float2, float, "f32", "f") LWC_ST4(f, op, float4, float, "f32", "f")                          \
    LWC_ST2(f, op, double2, double, "f64", "d")
LWC_STORES(__stwb, "wb")
LWC_STORES(__stcg, "cg")
LWC_STORES(__stcs, "cs")
LWC_STORES(__stwt, "wt")
#undef LWC_ST1
#undef LWC_ST2
#undef LWC_ST4
#undef LWC_STORES

#endif
