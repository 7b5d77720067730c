/*
 * Atomic functions: device scope, and _block and _system variants.
 * Device scope goes through clang's builtins, so that the compiler still infers the address space; what clang has
 * no builtin for is PTX on generic addresses.
 */
#ifndef LWC_ATOMICS_H
#define LWC_ATOMICS_H

#include "../host_defines.h"
#include "../vector_types.h"

#define LWC_BITS(to, v) __builtin_bit_cast(to, v)

/* One PTX atomic on a generic address with the scope written out. */
#define LWC_ATOM_ASM(name, type, scope, op, suffix, reg)                                                               \
    LWC_FN type name(type *p, type v)                                                                                  \
    {                                                                                                                  \
        type r;                                                                                                        \
        asm volatile("atom." scope op "." suffix " %0, [%1], %2;" : "=" reg(r) : "l"(p), reg(v) : "memory");           \
        return r;                                                                                                      \
    }
#define LWC_CAS_ASM(name, type, scope, suffix, reg)                                                                    \
    LWC_FN type name(type *p, type c, type v)                                                                          \
    {                                                                                                                  \
        type r;                                                                                                        \
        asm volatile("atom." scope "cas." suffix " %0, [%1], %2, %3;"                                                  \
                     : "=" reg(r)                                                                                      \
                     : "l"(p), reg(c), reg(v)                                                                          \
                     : "memory");                                                                                      \
        return r;                                                                                                      \
    }

/* ---- Device scope ---- */
LWC_FN int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
LWC_FN unsigned atomicAdd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v); }
LWC_FN unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v);
}
LWC_FN float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
LWC_FN double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }

LWC_FN int atomicSub(int *p, int v) { return atomicAdd(p, (int)(0u - (unsigned)v)); }
LWC_FN unsigned atomicSub(unsigned *p, unsigned v) { return atomicAdd(p, 0u - v); }

LWC_FN int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
LWC_FN unsigned atomicExch(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
LWC_FN unsigned long long atomicExch(unsigned long long *p, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v);
}
LWC_FN float atomicExch(float *p, float v)
{
    return LWC_BITS(float, __nvvm_atom_xchg_gen_i((int *)p, LWC_BITS(int, v)));
}

LWC_FN int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
LWC_FN unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
LWC_FN long long atomicMin(long long *p, long long v) { return __nvvm_atom_min_gen_ll(p, v); }
LWC_FN unsigned long long atomicMin(unsigned long long *p, unsigned long long v)
{
    return __nvvm_atom_min_gen_ull(p, v);
}
LWC_FN int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
LWC_FN unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
LWC_FN long long atomicMax(long long *p, long long v) { return __nvvm_atom_max_gen_ll(p, v); }
LWC_FN unsigned long long atomicMax(unsigned long long *p, unsigned long long v)
{
    return __nvvm_atom_max_gen_ull(p, v);
}

LWC_FN unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
LWC_FN unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }

#define LWC_LOGIC(name, op)                                                                                            \
    LWC_FN int name(int *p, int v) { return __nvvm_atom_##op##_gen_i(p, v); }                                          \
    LWC_FN unsigned name(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_##op##_gen_i((int *)p, (int)v); }     \
    LWC_FN unsigned long long name(unsigned long long *p, unsigned long long v)                                        \
    {                                                                                                                  \
        return (unsigned long long)__nvvm_atom_##op##_gen_ll((long long *)p, (long long)v);                            \
    }
LWC_LOGIC(atomicAnd, and)
LWC_LOGIC(atomicOr, or)
LWC_LOGIC(atomicXor, xor)
#undef LWC_LOGIC

LWC_FN int atomicCAS(int *p, int c, int v) { return __nvvm_atom_cas_gen_i(p, c, v); }
LWC_FN unsigned atomicCAS(unsigned *p, unsigned c, unsigned v)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)c, (int)v);
}
LWC_FN unsigned long long atomicCAS(unsigned long long *p, unsigned long long c, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)c, (long long)v);
}
LWC_CAS_ASM(atomicCAS, unsigned short, "", "b16", "h")

/* ---- Block and system scope ---- */
#define LWC_SCOPED(x, scope)                                                                                           \
    LWC_ATOM_ASM(atomicAdd##x, int, scope, "add", "s32", "r")                                                          \
    LWC_ATOM_ASM(atomicAdd##x, unsigned, scope, "add", "u32", "r")                                                     \
    LWC_ATOM_ASM(atomicAdd##x, unsigned long long, scope, "add", "u64", "l")                                           \
    LWC_ATOM_ASM(atomicAdd##x, float, scope, "add", "f32", "f")                                                        \
    LWC_ATOM_ASM(atomicAdd##x, double, scope, "add", "f64", "d")                                                       \
    LWC_FN int atomicSub##x(int *p, int v) { return atomicAdd##x(p, (int)(0u - (unsigned)v)); }                        \
    LWC_FN unsigned atomicSub##x(unsigned *p, unsigned v) { return atomicAdd##x(p, 0u - v); }                          \
    LWC_ATOM_ASM(atomicExch##x, int, scope, "exch", "b32", "r")                                                        \
    LWC_ATOM_ASM(atomicExch##x, unsigned, scope, "exch", "b32", "r")                                                   \
    LWC_ATOM_ASM(atomicExch##x, unsigned long long, scope, "exch", "b64", "l")                                         \
    LWC_ATOM_ASM(atomicExch##x, float, scope, "exch", "b32", "f")                                                      \
    LWC_ATOM_ASM(atomicMin##x, int, scope, "min", "s32", "r")                                                          \
    LWC_ATOM_ASM(atomicMin##x, unsigned, scope, "min", "u32", "r")                                                     \
    LWC_ATOM_ASM(atomicMin##x, long long, scope, "min", "s64", "l")                                                    \
    LWC_ATOM_ASM(atomicMin##x, unsigned long long, scope, "min", "u64", "l")                                           \
    LWC_ATOM_ASM(atomicMax##x, int, scope, "max", "s32", "r")                                                          \
    LWC_ATOM_ASM(atomicMax##x, unsigned, scope, "max", "u32", "r")                                                     \
    LWC_ATOM_ASM(atomicMax##x, long long, scope, "max", "s64", "l")                                                    \
    LWC_ATOM_ASM(atomicMax##x, unsigned long long, scope, "max", "u64", "l")                                           \
    LWC_ATOM_ASM(atomicInc##x, unsigned, scope, "inc", "u32", "r")                                                     \
    LWC_ATOM_ASM(atomicDec##x, unsigned, scope, "dec", "u32", "r")                                                     \
    LWC_ATOM_ASM(atomicAnd##x, int, scope, "and", "b32", "r")                                                          \
    LWC_ATOM_ASM(atomicAnd##x, unsigned, scope, "and", "b32", "r")                                                     \
    LWC_ATOM_ASM(atomicAnd##x, unsigned long long, scope, "and", "b64", "l")                                           \
    LWC_ATOM_ASM(atomicOr##x, int, scope, "or", "b32", "r")                                                            \
    LWC_ATOM_ASM(atomicOr##x, unsigned, scope, "or", "b32", "r")                                                       \
    LWC_ATOM_ASM(atomicOr##x, unsigned long long, scope, "or", "b64", "l")                                             \
    LWC_ATOM_ASM(atomicXor##x, int, scope, "xor", "b32", "r")                                                          \
    LWC_ATOM_ASM(atomicXor##x, unsigned, scope, "xor", "b32", "r")                                                     \
    LWC_ATOM_ASM(atomicXor##x, unsigned long long, scope, "xor", "b64", "l")                                           \
    LWC_CAS_ASM(atomicCAS##x, int, scope, "b32", "r")                                                                  \
    LWC_CAS_ASM(atomicCAS##x, unsigned, scope, "b32", "r")                                                             \
    LWC_CAS_ASM(atomicCAS##x, unsigned long long, scope, "b64", "l")                                                   \
    LWC_CAS_ASM(atomicCAS##x, unsigned short, scope, "b16", "h")
LWC_SCOPED(_block, "cta.")
LWC_SCOPED(_system, "sys.")
#undef LWC_SCOPED

#undef LWC_BITS

#endif
