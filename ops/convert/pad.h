/* Pads in one launch, a part of the planner of pads. Not installed. */
#ifndef LW_OPS_PAD_H
#define LW_OPS_PAD_H

#include "convert/convert.h"

/* Of pointers aligned to 16 bytes. */
typedef struct lw_pad_one {
    lw_span span;  /* but for out_lo, out_hi */
    int64_t bytes; /* of the output */
    uint32_t grid; /* 0: the shape is not for one launch */
    lw_pad_params p;
} lw_pad_one;

/* one: zeros at first */
void lw_pad_one_plan(lw_pad_one *one, const lw_tensor *dst, const lw_tensor *src, int64_t elem, const int64_t *before,
                     const void *value);
lw_ops_status lw_pad_one_run(const lw_pad_one *one, char *dst, const char *src, lw_stream stream);

#endif
