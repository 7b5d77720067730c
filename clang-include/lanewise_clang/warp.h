/*
 * Warp votes, matches, reductions and shuffles.
 * 64-bit shuffles are two 32-bit ones. The shuffle's control word holds the segment mask (bits 8-12) and the clamp.
 */
#ifndef LWC_WARP_H
#define LWC_WARP_H

#include "builtins.h"

LWC_FN unsigned __activemask(void)
{
    unsigned r;
    asm volatile("activemask.b32 %0;" : "=r"(r)::"memory");
    return r;
}

LWC_FN unsigned __ballot_sync(unsigned mask, int p)
{
    unsigned r;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(r)
                 : "r"(p), "r"(mask)
                 : "memory");
    return r;
}

#define LWC_VOTE(name, mode)                                                                                           \
    LWC_FN int name(unsigned mask, int p)                                                                              \
    {                                                                                                                  \
        int r;                                                                                                         \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." mode                                        \
                     ".pred q, p, %2; selp.s32 %0, 1, 0, q; }"                                                         \
                     : "=r"(r)                                                                                         \
                     : "r"(p), "r"(mask)                                                                               \
                     : "memory");                                                                                      \
        return r;                                                                                                      \
    }
LWC_VOTE(__all_sync, "all")
LWC_VOTE(__any_sync, "any")
LWC_VOTE(__uni_sync, "uni")
#undef LWC_VOTE

/* ---- Shuffles ---- */
#define LWC_SHFL32(name, mode, ctype)                                                                                  \
    LWC_FN unsigned name(unsigned mask, unsigned v, ctype b, unsigned c)                                               \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                                      \
                     : "=r"(r)                                                                                         \
                     : "r"(v), "r"(b), "r"(c), "r"(mask)                                                               \
                     : "memory");                                                                                      \
        return r;                                                                                                      \
    }
LWC_SHFL32(lwc_shfl_idx, "idx", int)
LWC_SHFL32(lwc_shfl_up, "up", unsigned)
LWC_SHFL32(lwc_shfl_down, "down", unsigned)
LWC_SHFL32(lwc_shfl_bfly, "bfly", int)
#undef LWC_SHFL32

#define LWC_SHFL_SET(name, core, ctype, clamp)                                                                         \
    LWC_FN unsigned name(unsigned m, unsigned v, ctype b, int w = 32)                                                  \
    {                                                                                                                  \
        return core(m, v, b, ((32 - w) << 8) | clamp);                                                                 \
    }                                                                                                                  \
    LWC_FN int name(unsigned m, int v, ctype b, int w = 32) { return (int)name(m, (unsigned)v, b, w); }                \
    LWC_FN float name(unsigned m, float v, ctype b, int w = 32)                                                        \
    {                                                                                                                  \
        return __builtin_bit_cast(float, name(m, __builtin_bit_cast(unsigned, v), b, w));                              \
    }                                                                                                                  \
    LWC_FN unsigned long long name(unsigned m, unsigned long long v, ctype b, int w = 32)                              \
    {                                                                                                                  \
        unsigned lo = name(m, (unsigned)v, b, w), hi = name(m, (unsigned)(v >> 32), b, w);                             \
        return ((unsigned long long)hi << 32) | lo;                                                                    \
    }                                                                                                                  \
    LWC_FN long long name(unsigned m, long long v, ctype b, int w = 32)                                                \
    {                                                                                                                  \
        return (long long)name(m, (unsigned long long)v, b, w);                                                        \
    }                                                                                                                  \
    LWC_FN unsigned long name(unsigned m, unsigned long v, ctype b, int w = 32)                                        \
    {                                                                                                                  \
        return name(m, (unsigned long long)v, b, w);                                                                   \
    }                                                                                                                  \
    LWC_FN long name(unsigned m, long v, ctype b, int w = 32) { return (long)name(m, (unsigned long long)v, b, w); }   \
    LWC_FN double name(unsigned m, double v, ctype b, int w = 32)                                                      \
    {                                                                                                                  \
        return __builtin_bit_cast(double, name(m, __builtin_bit_cast(unsigned long long, v), b, w));                   \
    }
LWC_SHFL_SET(__shfl_sync, lwc_shfl_idx, int, 31)
LWC_SHFL_SET(__shfl_up_sync, lwc_shfl_up, unsigned, 0)
LWC_SHFL_SET(__shfl_down_sync, lwc_shfl_down, unsigned, 31)
LWC_SHFL_SET(__shfl_xor_sync, lwc_shfl_bfly, int, 31)
#undef LWC_SHFL_SET

/* ---- Match ---- */
LWC_FN unsigned lwc_match_any(unsigned m, unsigned v)
{
    unsigned r;
    asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(m) : "memory");
    return r;
}
LWC_FN unsigned lwc_match_any(unsigned m, unsigned long long v)
{
    unsigned r;
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(v), "r"(m) : "memory");
    return r;
}
LWC_FN unsigned lwc_match_all(unsigned m, unsigned v, int *pred)
{
    unsigned r;
    int p;
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                 : "=r"(r), "=r"(p)
                 : "r"(v), "r"(m)
                 : "memory");
    *pred = p;
    return r;
}
LWC_FN unsigned lwc_match_all(unsigned m, unsigned long long v, int *pred)
{
    unsigned r;
    int p;
    asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                 : "=r"(r), "=r"(p)
                 : "l"(v), "r"(m)
                 : "memory");
    *pred = p;
    return r;
}
#define LWC_MATCH(type, bits)                                                                                          \
    LWC_FN unsigned __match_any_sync(unsigned m, type v) { return lwc_match_any(m, __builtin_bit_cast(bits, v)); }     \
    LWC_FN unsigned __match_all_sync(unsigned m, type v, int *pred)                                                    \
    {                                                                                                                  \
        return lwc_match_all(m, __builtin_bit_cast(bits, v), pred);                                                    \
    }
LWC_MATCH(int, unsigned)
LWC_MATCH(unsigned, unsigned)
LWC_MATCH(float, unsigned)
LWC_MATCH(long, unsigned long long)
LWC_MATCH(unsigned long, unsigned long long)
LWC_MATCH(long long, unsigned long long)
LWC_MATCH(unsigned long long, unsigned long long)
LWC_MATCH(double, unsigned long long)
#undef LWC_MATCH

/* ---- Warp-wide reductions (sm_80) ---- */
#define LWC_REDUX(name, op, type, suffix)                                                                              \
    LWC_FN type name(unsigned m, type v)                                                                               \
    {                                                                                                                  \
        type r;                                                                                                        \
        asm volatile("redux.sync." op "." suffix " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(m) : "memory");                \
        return r;                                                                                                      \
    }
LWC_REDUX(__reduce_add_sync, "add", unsigned, "u32")
LWC_REDUX(__reduce_add_sync, "add", int, "s32")
LWC_REDUX(__reduce_min_sync, "min", unsigned, "u32")
LWC_REDUX(__reduce_min_sync, "min", int, "s32")
LWC_REDUX(__reduce_max_sync, "max", unsigned, "u32")
LWC_REDUX(__reduce_max_sync, "max", int, "s32")
LWC_REDUX(__reduce_and_sync, "and", unsigned, "b32")
LWC_REDUX(__reduce_or_sync, "or", unsigned, "b32")
LWC_REDUX(__reduce_xor_sync, "xor", unsigned, "b32")
#undef LWC_REDUX

#endif
