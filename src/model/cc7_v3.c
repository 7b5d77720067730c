/* model: the rules of cc 7.0 and later, compiled for x86-64-v3 (AVX2). */
#ifdef __x86_64__
/* Other headers come before the target changes. */
#include <immintrin.h>
#include <string.h>

#include "model/rules.h"

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#else
#pragma GCC target("arch=x86-64-v3,prefer-vector-width=256")
#endif
#define VECTOR __m256i
#define VECTOR_LOAD(p) _mm256_loadu_si256((const void *)(p))
#define VECTOR_LEAST(a, b) _mm256_min_epu32(a, b)
#define MODEL_RULES model_cc7_v3
#include "model/rules_cc7.inl"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
