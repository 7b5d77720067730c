/* model: the rules of cc 7.0 and later, compiled for x86-64-v3 (AVX2). */
#ifdef __x86_64__
#include "model/rules.h" /* system headers before the target changes */
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#else
#pragma GCC target("arch=x86-64-v3,prefer-vector-width=256")
#endif
#define MODEL_RULES model_cc7_v3
#include "model/rules_cc7.inl"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
