/* tensor_sum.h: one sum of the tensor cores, as tests/hw/tensor has it from an H200: products and the accumulator are
 * truncated to multiples of 2^(M - bits), where M is the largest exponent among them, and added exactly; an f32 result is
 * truncated, an f16 one rounded to even. This file says it for any operands, NaN and infinity included, one sum at a time
 * (tensor_sum.c); lanes_tensor.c has the fast way for finite ones. */
#ifndef LW_EXEC_TENSOR_SUM_H
#define LW_EXEC_TENSOR_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "code/code_priv.h"

typedef enum tensor_class { TENSOR_ZERO, TENSOR_FINITE, TENSOR_INFINITE, TENSOR_NAN } tensor_class;

/* sig x 2^(exponent - fraction), or what its class says. */
typedef struct tensor_number {
    tensor_class class;
    bool negative;
    int exponent, fraction;
    uint64_t sig;
} tensor_number;

tensor_number exec_tensor_decode(code_tensor_type type, uint32_t bits);
tensor_number exec_tensor_product(tensor_number a, tensor_number b);
/* An fp8 number as f16 has it: subnormals above 2^-14 are normal. */
tensor_number exec_tensor_through_f16(tensor_number n);
/* The bits of t's C type. c: of the accumulator; has_c: it takes part. */
uint32_t exec_tensor_step(const code_tensor *t, const tensor_number *products, uint32_t count, uint32_t c, bool has_c);
/* c + sum as IEEE has it, for fp8 through f16. */
uint32_t exec_tensor_add(const code_tensor *t, uint32_t sum, uint32_t c);
/* The exponent that all-zero sums have. */
int exec_tensor_floor(const code_tensor *t);

#endif
