/* model: the rules of cc 7.0 and later, compiled for x86-64-v4 (AVX-512). */
#ifdef __x86_64__
#include "model/rules.h" /* system headers before the target changes */
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("arch=x86-64-v4"))), apply_to = function)
#else
#pragma GCC target("arch=x86-64-v4,prefer-vector-width=512")
#endif
#define MODEL_RULES model_cc7_v4
#include "model/rules_cc7.inl"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
