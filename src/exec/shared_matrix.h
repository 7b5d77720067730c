/* shared_matrix.h: inside exec/: the operands of wgmma that lie in shared memory, as descriptors say (shared_matrix.c). */
#ifndef LW_EXEC_SHARED_MATRIX_H
#define LW_EXEC_SHARED_MATRIX_H

#include "exec/emit.h"

/* A descriptor (PTX ISA 9.0, "Matrix Descriptor Format"). Offsets in bytes. */
typedef struct exec_shared_matrix {
    uint32_t start, leading, stride;
    uint32_t width; /* of the swizzle: 16 (none), 32, 64, 128 bytes */
    uint32_t base;  /* lines of 128 bytes by which the swizzle's pattern is moved */
    bool turned;    /* elements of 16 bits that follow each other along m or n */
} exec_shared_matrix;

/* turned: as the instruction says. */
void exec_shared_matrix_open(exec_ctx *x, code_ref descriptor, bool turned, exec_shared_matrix *out);
/* Rows from `first` on (of B: columns), a multiple of 8, `deep` times 32 bytes of k each (2: B of a sparse product). false: a
 * fault. */
bool exec_shared_matrix_read(exec_ctx *x, const code_insn *i, const exec_shared_matrix *s, uint32_t first,
                             uint32_t count, uint32_t deep, uint8_t rows[][128]);

/* What the operands of a product under way have undefined: bits of the warp's 16 rows and of the columns. */
typedef struct exec_product_unknown {
    uint32_t rows, columns[256 / 32];
    event_origin origin;
    bool any;
} exec_product_unknown;

/* The event of reading 8 or 16 rows that exist. async: number of the product; part: it has told of others. counted: a card
 * reads them for this warp, as it does A's rows; B it reads once for four warps. */
typedef struct exec_matrix_reading {
    const exec_shared_matrix *matrix;
    uint32_t first, count, async;
    uint32_t deep; /* which 32 bytes of k: 1 only of a sparse product's B */
    bool part, counted;
    bool is_b;
} exec_matrix_reading;
void exec_shared_matrix_tell(exec_ctx *x, const code_insn *i, const exec_matrix_reading *r, exec_product_unknown *out);

#endif
