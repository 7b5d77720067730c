/* decode_tensor.h: what the decoders of mma, wmma and wgmma share (decode_tensor.c). */
#ifndef LW_DECODE_TENSOR_H
#define LW_DECODE_TENSOR_H

#include "code/decode.h"

uint32_t decode_tensor_bits(uint8_t type);                 /* of an element */
uint8_t decode_tensor_family(uint8_t type);                /* the first of its family: f16 of bf16, s8 of u8 */
int decode_tensor_type(const decode_parts *p, uint32_t k); /* enum code_tensor_type; -1: the part is no type */
/* The types among the parts, in their order, at most `most`. Their number; 0: there are more. */
uint32_t decode_tensor_types(const decode_parts *p, int *types, uint32_t most);
/* Reads the other parts of a product whose shape and types are known, and fills in what follows from them. False: no product
 * of mma has this shape. */
bool decode_tensor_finish(const decode_parts *p, code_tensor *t);
/* The registers of an operand, from list element *at on. */
bool decode_tensor_registers(decoder *d, code_list *l, uint32_t *at, const ptx_operand *o, uint32_t count,
                             uint32_t bytes, bool results);

#endif
