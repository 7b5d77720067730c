/* time_folds: which instructions of PTX the assembler writes together with others (time_folds.c). */
#ifndef LW_HOST_TIME_FOLDS_PRIV_H
#define LW_HOST_TIME_FOLDS_PRIV_H

#include "ptx/module.h"

typedef enum host_fold {
    HOST_FOLD_NONE,
    HOST_FOLD_AWAY,    /* part of another's machine instruction */
    HOST_FOLD_PRODUCT, /* a sum of integers that has taken a product: IMAD, IMAD.WIDE */
    HOST_FOLD_COPY,    /* a move that no register saves: what goes round in a loop, a special register */
    HOST_FOLD_DIVISOR, /* a division of integers whose reciprocal is at hand: its loop does not change the divisor, or there was one before by the same */
    HOST_FOLD_CONSTANT, /* a load of constant memory at a place that all lanes share: ULDC, which fetches two words at once */
    HOST_FOLD_MEETS, /* a branch that lanes may take or not, and behind which they meet again */
    HOST_FOLD_READS, /* a product and sum of three registers, which come from two banks */
    HOST_FOLD_BANK,  /* the same, two of them of one bank each time */
} host_fold;

/* Per instruction of the function a host_fold; the caller frees them. */
uint8_t *host_folds_of(const ptx_function *function);

#endif
