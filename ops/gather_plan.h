/* A form of gather.cu for a box: gather_plan.c. Not installed. */
#ifndef LW_OPS_GATHER_PLAN_H
#define LW_OPS_GATHER_PLAN_H

#include "box_plan.h"

typedef struct gather_form {
    bool linear; /* runs of the output are of its fastest dimension */
    int group;   /* log2 of the lanes to a run of the output */
} gather_form;

bool lw_gather_fill(const lw_ops *ops, const box_work *b, const gather_form *f, lw_copy_variant *v);

#endif
