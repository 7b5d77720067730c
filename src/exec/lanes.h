/* lanes.h: turns rows of insns.def into executors: one loop over 32 lanes under a mask. Included by the lanes_*.c
 * files, which are compiled once per host instruction set (LANES_ISA = v2, v3, v4: x86-64 microarchitecture levels)
 * with -O3 -ffp-contract=off -fwrapv. Each file defines the row macros it wants and lists its entries. */
#ifndef LW_EXEC_LANES_H
#define LW_EXEC_LANES_H

#include "exec/exec_priv.h"
#include "ptx/semantics.h"

#include <xmmintrin.h>

#define ISA_JOIN2(a, b) a##_##b
#define ISA_JOIN(a, b) ISA_JOIN2(a, b)
#define ISA(name) ISA_JOIN(name, LANES_ISA)

#if defined __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* some rows (division, fns) have no vector form */
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (uint32_t l = 0; l < 32; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (uint32_t l = 0; l < 32; l++)
#endif

static const uint32_t lane_bit[32] __attribute__((aligned(64), unused)) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* Sets the host's rounding mode around a loop (MXCSR bits 13-14: 0 nearest, 1 down, 2 up, 3 zero). */
static inline __attribute__((unused)) uint32_t rounding_begin(uint32_t mods)
{
    static const uint16_t mxcsr[4] = {0, 3u << 13, 1u << 13, 2u << 13}; /* RN RZ RM RP */
    uint32_t old = _mm_getcsr();
    __asm__ volatile("" ::: "memory");
    _mm_setcsr((old & ~(3u << 13)) | mxcsr[mods & PTX_RND_MASK]);
    __asm__ volatile("" ::: "memory");
    return old;
}
static inline __attribute__((unused)) void rounding_end(uint32_t old)
{
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(old);
    __asm__ volatile("" ::: "memory");
}

/* d[l] = value for the lanes of mask; BODY computes `value` of type D from index l. */
#define LANE_LOOP(D, dd, BODY)                                                                                         \
    do {                                                                                                               \
        if (mask == FULL_MASK) {                                                                                       \
            EACH_LANE                                                                                                  \
            {                                                                                                          \
                BODY;                                                                                                  \
                dd[l] = value;                                                                                         \
            }                                                                                                          \
        } else {                                                                                                       \
            EACH_LANE                                                                                                  \
            {                                                                                                          \
                BODY;                                                                                                  \
                dd[l] = mask & lane_bit[l] ? value : dd[l];                                                            \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

#define ROUNDED(mods_allowed, LOOP)                                                                                    \
    do {                                                                                                               \
        if (((mods_allowed) & (M_RND | M_RINT)) && (mods & PTX_RND_MASK)) {                                            \
            uint32_t old_rounding = rounding_begin(mods);                                                              \
            LOOP;                                                                                                      \
            rounding_end(old_rounding);                                                                                \
        } else {                                                                                                       \
            LOOP;                                                                                                      \
        }                                                                                                              \
    } while (0)

#define RUN(id) static void run_##id(exec_ctx *x, const code_insn *i, uint32_t mask)
#define ROW_BEGIN                                                                                                      \
    const uint32_t mods = i->alu.mods;                                                                                 \
    const int64_t imm = i->alu.imm;                                                                                    \
    (void)mods, (void)imm

#define DEFINE_R1(id, key, allowed, ptx, sm, D, A, expr)                                                               \
    RUN(id)                                                                                                            \
    {                                                                                                                  \
        ROW_BEGIN;                                                                                                     \
        D *dd = LANES(D, i->d);                                                                                        \
        const A *aa = LANES(A, i->a);                                                                                  \
        ROUNDED(allowed, LANE_LOOP(D, dd, A a = aa[l]; D value = (D)(expr)));                                          \
    }
#define DEFINE_R2(id, key, allowed, ptx, sm, D, A, B, expr)                                                            \
    RUN(id)                                                                                                            \
    {                                                                                                                  \
        ROW_BEGIN;                                                                                                     \
        D *dd = LANES(D, i->d);                                                                                        \
        const A *aa = LANES(A, i->a);                                                                                  \
        const B *bb = LANES(B, i->b);                                                                                  \
        ROUNDED(allowed, LANE_LOOP(D, dd, A a = aa[l]; B b = bb[l]; (void)a; (void)b; D value = (D)(expr)));           \
    }
#define DEFINE_R3(id, key, allowed, ptx, sm, D, A, B, C, expr)                                                         \
    RUN(id)                                                                                                            \
    {                                                                                                                  \
        ROW_BEGIN;                                                                                                     \
        D *dd = LANES(D, i->d);                                                                                        \
        const A *aa = LANES(A, i->a);                                                                                  \
        const B *bb = LANES(B, i->b);                                                                                  \
        const C *cc = LANES(C, i->c);                                                                                  \
        ROUNDED(allowed, LANE_LOOP(D, dd, A a = aa[l]; B b = bb[l]; C c = cc[l]; (void)b; D value = (D)(expr)));       \
    }

/* f32 and f64 rows: inputs flushed with .ftz, results flushed, saturated, NaN made canonical. */
#define IN_f32(v, F) ((F) ? ftz_f32(v) : (v))
#define IN_f64(v, F) (v)
#define OUT_f32(v, F, S) out_f32(v, F, S)
#define OUT_f64(v, F, S) (v)
SEM f32 out_f32(f32 v, bool flush, bool saturate)
{
    v = canonical_f32(v);
    if (flush) v = ftz_f32(v);
    return saturate ? sat_f32(v) : v;
}
#define DEFINE_F1(id, key, allowed, ptx, sm, T, expr)                                                                  \
    RUN(id)                                                                                                            \
    {                                                                                                                  \
        ROW_BEGIN;                                                                                                     \
        T *dd = LANES(T, i->d);                                                                                        \
        const T *aa = LANES(T, i->a);                                                                                  \
        F_SWITCH(1, T, expr)                                                                                           \
    }
#define F_IN1(T, F) T a = IN_##T(aa[l], F)
#define F_IN2(T, F)                                                                                                    \
    F_IN1(T, F);                                                                                                       \
    T b = IN_##T(bb[l], F)
#define F_IN3(T, F)                                                                                                    \
    F_IN2(T, F);                                                                                                       \
    T c = IN_##T(cc[l], F)
#define F_LOOP(N, T, S, expr) F_LOOP_##T(N, T, S, expr)
#define F_LOOP_f32(N, T, S, expr) LANE_LOOP(T, dd, enum {nans = 1}; F_IN##N(T, 0); T value = OUT_##T((expr), 0, S))
#define F_LOOP_f64(N, T, S, expr)                                                                                      \
    do {                                                                                                               \
        T out[32] __attribute__((aligned(64)));                                                                        \
        uint64_t any = 0;                                                                                              \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            enum { nans = 0 };                                                                                         \
            F_IN##N(T, 0);                                                                                             \
            out[l] = (expr);                                                                                           \
            any |= out[l] != out[l];                                                                                   \
        }                                                                                                              \
        if (__builtin_expect(any != 0, 0)) {                                                                           \
            EACH_LANE                                                                                                  \
            {                                                                                                          \
                enum { nans = 1 };                                                                                     \
                F_IN##N(T, 0);                                                                                         \
                out[l] = (expr);                                                                                       \
            }                                                                                                          \
        }                                                                                                              \
        LANE_LOOP(T, dd, T value = out[l]);                                                                            \
    } while (0)
/* With .ftz a result is flushed that is tiny before rounding (cc 9.0). It then shows as the least normal number, which
 * is looked at again, rounded towards zero. */
#define F_LOOP_FTZ(N, T, S, expr)                                                                                      \
    do {                                                                                                               \
        T out[32] __attribute__((aligned(64)));                                                                        \
        uint32_t least = 0;                                                                                            \
        enum { nans = 1 };                                                                                             \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            F_IN##N(T, 1);                                                                                             \
            out[l] = OUT_##T((expr), 1, S);                                                                            \
            least |= IS_LEAST_##T(out[l]);                                                                             \
        }                                                                                                              \
        if (__builtin_expect(least, 0)) {                                                                              \
            uint32_t kept_rounding = rounding_begin(PTX_RND_RZ);                                                       \
            EACH_LANE                                                                                                  \
            {                                                                                                          \
                F_IN##N(T, 1);                                                                                         \
                T value = OUT_##T((expr), 1, S);                                                                       \
                out[l] = IS_LEAST_##T(out[l]) && value == 0 ? value : out[l];                                          \
            }                                                                                                          \
            rounding_end(kept_rounding);                                                                               \
        }                                                                                                              \
        LANE_LOOP(T, dd, T value = out[l]);                                                                            \
    } while (0)
#define IS_LEAST_f32(v) ((bits_f32(v) & 0x7fffffffu) == 0x00800000u)
#define IS_LEAST_f64(v) 0
#define F_SWITCH(N, T, expr)                                                                                           \
    if (__builtin_expect(!(mods & (PTX_FTZ | PTX_SAT | PTX_RND_MASK)), 1)) {                                           \
        F_LOOP(N, T, 0, expr);                                                                                         \
        return;                                                                                                        \
    }                                                                                                                  \
    uint32_t old_rounding = mods & PTX_RND_MASK ? rounding_begin(mods) : 0;                                            \
    switch (mods & (PTX_FTZ | PTX_SAT)) {                                                                              \
    case 0: F_LOOP(N, T, 0, expr); break;                                                                              \
    case PTX_FTZ: F_LOOP_FTZ(N, T, 0, expr); break;                                                                    \
    case PTX_SAT: F_LOOP(N, T, 1, expr); break;                                                                        \
    default: F_LOOP_FTZ(N, T, 1, expr); break;                                                                         \
    }                                                                                                                  \
    if (mods & PTX_RND_MASK) rounding_end(old_rounding);
#define DEFINE_F2(id, key, allowed, ptx, sm, T, expr)                                                                  \
    RUN(id)                                                                                                            \
    {                                                                                                                  \
        ROW_BEGIN;                                                                                                     \
        T *dd = LANES(T, i->d);                                                                                        \
        const T *aa = LANES(T, i->a), *bb = LANES(T, i->b);                                                            \
        F_SWITCH(2, T, expr)                                                                                           \
    }
#define DEFINE_F3(id, key, allowed, ptx, sm, T, expr)                                                                  \
    RUN(id)                                                                                                            \
    {                                                                                                                  \
        ROW_BEGIN;                                                                                                     \
        T *dd = LANES(T, i->d);                                                                                        \
        const T *aa = LANES(T, i->a), *bb = LANES(T, i->b), *cc = LANES(T, i->c);                                      \
        F_SWITCH(3, T, expr)                                                                                           \
    }

/* Comparisons: a mask word; sub combines it with the predicate c; e is the second result (the complement combined). */
#define DEFINE_RC(id, key, allowed, ptx, sm, A, expr)                                                                  \
    RUN(id)                                                                                                            \
    {                                                                                                                  \
        ROW_BEGIN;                                                                                                     \
        const A *aa = LANES(A, i->a);                                                                                  \
        const A *bb = LANES(A, i->b == CODE_NO_REF ? i->a : i->b);                                                     \
        uint32_t word = 0;                                                                                             \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            A a = aa[l], b = bb[l];                                                                                    \
            (void)b;                                                                                                   \
            word |= (expr) ? lane_bit[l] : 0;                                                                          \
        }                                                                                                              \
        store_compare(x, i, mask, word);                                                                               \
    }
static inline __attribute__((unused)) uint32_t combined(uint32_t combine, uint32_t word, uint32_t c)
{
    switch (combine) {
    case COMBINE_AND: return word & c;
    case COMBINE_OR: return word | c;
    default: return word ^ c;
    }
}

/* The lanes where a comparison holds become its result, those where it does not the second result if it has one. */
static inline __attribute__((unused)) void store_compare(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t word)
{
    uint32_t other = ~word;
    if (i->alu.combine) {
        uint32_t c = PREDICATE(i->c);
        word = combined(i->alu.combine, word, c);
        other = combined(i->alu.combine, other, c);
    }
    PREDICATE(i->d) = (PREDICATE(i->d) & ~mask) | (word & mask);
    if (i->e != CODE_NO_REF) PREDICATE(i->e) = (PREDICATE(i->e) & ~mask) | (other & mask);
}

#define DEFINE_P1(id, key, ptx, sm, expr)                                                                              \
    RUN(id)                                                                                                            \
    {                                                                                                                  \
        uint32_t a = PREDICATE(i->a);                                                                                  \
        PREDICATE(i->d) = (PREDICATE(i->d) & ~mask) | ((expr) & mask);                                                 \
    }
#define DEFINE_P2(id, key, ptx, sm, expr)                                                                              \
    RUN(id)                                                                                                            \
    {                                                                                                                  \
        uint32_t a = PREDICATE(i->a), b = PREDICATE(i->b);                                                             \
        PREDICATE(i->d) = (PREDICATE(i->d) & ~mask) | ((expr) & mask);                                                 \
    }

#endif
