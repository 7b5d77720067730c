/* model: the rules of cc 7.0 and later, compiled for x86-64-v4 (AVX-512). */
#ifdef __x86_64__
/* Other headers come before the target changes. */
#include <immintrin.h>
#include <string.h>

#include "model/rules.h"

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("arch=x86-64-v4"))), apply_to = function)
#else
#pragma GCC target("arch=x86-64-v4,prefer-vector-width=512")
#endif
#define VECTOR __m512i
#define VECTOR_LOAD(p) _mm512_loadu_si512((const void *)(p))
#define VECTOR_LEAST(a, b) _mm512_min_epu32(a, b)
#define VECTOR_PICK(a, b, index) _mm512_permutex2var_epi32(a, index, b)
#define VECTOR_CONFLICTS(v, among)                                                                                     \
    (uint32_t)__builtin_popcount(_mm512_testn_epi32_mask(_mm512_conflict_epi32(v), among))
#define MODEL_RULES model_cc7_v4
#include "model/rules_cc7.inl"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
