/* The functions of ops.h that are the same for all plans. */
#include "common/plan.h"
#include <stdlib.h>

lw_plan *lw_plan_new(const lw_ops *ops, const lw_plan_type *type)
{
    lw_plan *plan = calloc(1, type->bytes);
    if (!plan) return NULL;
    plan->type = type;
    plan->ops = ops;
    plan->align = 1;
    return plan;
}

void lw_plan_destroy(lw_plan *plan)
{
    if (plan && plan->type->release) plan->type->release(plan);
    free(plan);
}

size_t lw_plan_workspace(const lw_plan *plan) { return plan ? plan->workspace : 0; }

double lw_plan_useful_bytes(const lw_plan *plan) { return plan ? plan->useful_bytes : 0; }

int lw_plan_launches(const lw_plan *plan) { return plan ? plan->launches : 0; }

void lw_plan_describe(const lw_plan *plan, char *text, size_t size)
{
    if (!text || !size) return;
    text[0] = 0;
    if (plan) plan->type->describe(plan, text, size);
}

lw_ops_status lw_plan_run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream)
{
    if (!plan || !plan->type->run) return LW_OPS_BAD_ARGUMENT;
    if (plan->type->in_place && dst != src) return LW_OPS_OVERLAP;
    return plan->type->run(plan, dst, src, workspace, stream);
}
