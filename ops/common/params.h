/*
 * What planners (C) and kernels (CUDA) share: parameters are plain data that a planner fills in and a launch passes by
 * value. Units everywhere: bytes unless said otherwise. "in" strides belong to the source, "out" strides to the
 * destination.
 */
#ifndef LW_OPS_PARAMS_H
#define LW_OPS_PARAMS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LW_OUTER_MAX 8
#define LW_BLOCK 256 /* threads per block of every copy kernel */

/*
 * Division by a constant d for numerators below 2^31: quotient = (mulhi(n, m) + n) >> s (Granlund and Montgomery).
 * d: the divisor, m: its multiplier, s: the shift.
 */
typedef struct lw_fdiv {
    uint32_t d, m, s;
} lw_fdiv;

/* Dimensions that blocks enumerate, fastest first. */
typedef struct lw_outer {
    int32_t dims;
    lw_fdiv div[LW_OUTER_MAX];                   /* extents */
    int64_t in[LW_OUTER_MAX], out[LW_OUTER_MAX]; /* bytes from one index to the next */
} lw_outer;

#ifdef __cplusplus
}
#endif
#endif
