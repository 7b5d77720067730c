/* plan_select.c: a load whose value nothing but a select reads, the select's predicate being known before. The
 * assembler may load for those lanes alone that take the value (tests/programs/connected_components.cu: join, where the
 * second of two loads is executed as often, but by fewer lanes). Such rows are marked. */
#include "code/plan.h"

#include <stdlib.h>

/* Where each virtual register was written last: index of the micro-operation + 1. */
typedef struct last_writes {
    uint32_t *written; /* by virtual register */
    uint32_t u;        /* the micro-operation at hand */
} last_writes;

static void note_written(void *user, code_ref r, code_operand what)
{
    (void)what;
    last_writes *w = user;
    w->written[code_vreg_of(r)] = w->u + 1;
}

static void mark_side(decoder *d, const uint32_t *written, const uint32_t *reads, code_ref value, code_ref predicate)
{
    if (!code_is_virtual(value) || !code_is_virtual(predicate)) return;
    uint32_t loaded = written[code_vreg_of(value)];
    uint32_t known = written[code_vreg_of(predicate)];
    if (!loaded || reads[code_vreg_of(value)] != 1) return;
    const code_insn *load = &d->insns.items[loaded - 1];
    if (load->op == OP_ld && load->event_op == EVENT_LOAD && known < loaded) plan_mark(d, load->site, PLAN_SELECTED);
}

void plan_select(decoder *d, const uint32_t *reads)
{
    last_writes w = {.written = lw_alloc((d->vregs.count + 1) * sizeof *w.written)};
    for (w.u = 0; w.u < d->insns.count; w.u++) {
        const code_insn *i = &d->insns.items[w.u];
        if (i->op == OP_selp32 || i->op == OP_selp64) {
            mark_side(d, w.written, reads, i->a, i->c);
            mark_side(d, w.written, reads, i->b, i->c);
        }
        code_each_written(i, &d->infos.items[w.u], note_written, &w);
    }
    free(w.written);
}
