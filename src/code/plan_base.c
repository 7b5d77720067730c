/* plan_base.c: the rules of plan.def as data, and marking what they concern. */
#include "code/plan.h"

static const struct {
    bool exact;
    const char *why;
} rules[] = {
#define PLAN(id, exact, why, proof) {exact, why},
#include "code/plan.def"
#undef PLAN
};

/* What concerns all rows of a kernel: marks them if the rule holds. */
void plan_mark_kernel(kernel_builder *b, enum plan_rule rule)
{
    for (size_t k = 0; k < b->sites.count; k++) {
        code_site *s = &b->sites.items[k];
        s->exact = false; /* of calls, too: what these access by themselves */
        if (!s->why) s->why = rules[rule].why;
    }
}

/* Would the machine code have another number of loads or stores, or wider ones, if the assembler did so? */
static bool shows_in_machine_code(enum plan_rule rule)
{
    return rule == PLAN_SHARED_TWICE || rule == PLAN_SHARED_ELSEWHERE || rule == PLAN_UNROLLED ||
           rule == PLAN_LOADED_AGAIN;
}

void plan_mark(decoder *d, uint32_t site, enum plan_rule rule)
{
    if (rules[rule].exact) return;
    if (shows_in_machine_code(rule)) lw_vec_push(&d->builder->doubts, ((code_doubt){site, rule}));
    else plan_mark_surely(d, site, rule);
}

void plan_mark_surely(decoder *d, uint32_t site, enum plan_rule rule)
{
    code_site *s = &d->builder->sites.items[site];
    s->exact = false;
    if (!s->why) s->why = rules[rule].why;
}

void plan_mark_parting(decoder *d, uint32_t site, uint32_t first, uint32_t last, enum plan_rule rule)
{
    lw_vec_push(&d->builder->partings, ((code_parting){site, first, last, false, rules[rule].why}));
}

void plan_mark_warps(decoder *d, uint32_t site, enum plan_rule rule)
{
    lw_vec_push(&d->builder->partings, ((code_parting){site, site, site, true, rules[rule].why}));
}
