/* plan_select.c: a load whose value nothing but a select reads, the select's predicate being known before. The
 * assembler may load for those lanes alone that take the value (tests/programs/connected_components.cu: join, where the
 * second of two loads is executed as often, but by fewer lanes). Such rows are marked. */
#include "code/plan.h"

#include <stdlib.h>

/* An index into the function for each virtual register: where it was written last, + 1. */
static uint32_t *at(uint32_t *written, code_ref r)
{
    return r != CODE_NO_REF && (r & VIRTUAL) ? &written[(r & ~VIRTUAL) >> 2] : NULL;
}

static void note_written(uint32_t *written, code_ref r, uint32_t u)
{
    uint32_t *w = at(written, r);
    if (w) *w = u + 1;
}

static void mark_side(decoder *d, uint32_t *written, const uint32_t *reads, code_ref value, code_ref predicate)
{
    const uint32_t *w = at(written, value), *known = at(written, predicate);
    if (!w || !*w || !known || reads[(value & ~VIRTUAL) >> 2] != 1) return;
    const code_insn *load = &d->insns.items[*w - 1];
    if (load->op == OP_ld && load->event_op == EVENT_LOAD && *known < *w) plan_mark(d, load->site, PLAN_SELECTED);
}

void plan_select(decoder *d, const uint32_t *reads)
{
    uint32_t *written = lw_alloc((d->vregs.count + 1) * sizeof *written);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        const uop_info *n = &d->infos.items[u];
        if (i->op == OP_selp32 || i->op == OP_selp64) {
            mark_side(d, written, reads, i->a, i->c);
            mark_side(d, written, reads, i->b, i->c);
        }
        if (n->writes_d) note_written(written, i->d, u);
        if (n->writes_e) note_written(written, i->e, u);
        for (uint32_t k = 0; n->list && k < n->list->count; k++)
            if (n->list->written >> k & 1) note_written(written, n->list->ref[k], u);
    }
    free(written);
}
