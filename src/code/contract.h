/* contract.h: inside code/: which sums of a function the assembler fuses with a product (contract.c). */
#ifndef LW_CODE_CONTRACT_H
#define LW_CODE_CONTRACT_H

#include "ptx/module.h"

typedef enum contract_kind {
    CONTRACT_NONE,
    CONTRACT_PRODUCT,  /* mul */
    CONTRACT_QUOTIENT, /* div.approx, div.full: a product with a reciprocal */
    CONTRACT_NEGATION, /* neg */
    CONTRACT_SUM       /* add, sub */
} contract_kind;

/* What becomes of an instruction. */
typedef struct contract_insn {
    int32_t product;  /* of a sum: the instruction of the product fused into it, or -1 */
    uint8_t kind;     /* enum contract_kind */
    uint8_t operand;  /* of a fused sum: which addend that product was, 0 or 1 */
    bool minus;       /* of a fused sum: the product goes in negated */
    bool minus_other; /* of a fused sum: the other addend goes in negated */
    bool dropped;     /* a product or negation that nobody reads any more */
    bool copied;      /* a product whose factors are needed further on, when their registers may hold something else */
} contract_insn;

/* By instruction, to be freed; NULL: nothing is fused. */
contract_insn *code_contract(const ptx_module *module, const ptx_function *f);

#endif
