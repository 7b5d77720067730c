/* endless.c: loops of which it is certain that they never end: no way leads out, or a time round the loop changes nothing. */
#include "code/uops.h"
#include "exec/schedule.h"

#include <stdlib.h>
#include <string.h>

/* So many micro-operations at most are run to find a time round the loop that changes nothing. */
enum { ROUND_MOST = 4096 };

/* ---------------------------------------------------------------- no way leads out */
typedef struct search {
    const code_function *function;
    bool *seen;       /* per micro-operation of the function */
    uint32_t *to_see; /* a stack */
    uint32_t count;   /* on it */
} search;

static void visit(search *s, const code_insn *i)
{
    uint32_t n = (uint32_t)(i - s->function->insns);
    if (n >= s->function->insn_count || s->seen[n]) return;
    s->seen[n] = true;
    s->to_see[s->count++] = n;
}

/* May the launch, or the function, end here? What is not followed may. */
static bool leads_out(const code_insn *i)
{
    switch (i->op) {
    case OP_exit:
    case OP_ret:
    case OP_trap:
    case OP_brx:
    case OP_call:
    case OP_builtin: return true;
    default: return false;
    }
}

static bool search_way_out(search *s)
{
    while (s->count) {
        const code_insn *i = &s->function->insns[s->to_see[--s->count]];
        if (leads_out(i)) return true;
        bool jumps = i->op == OP_bra;
        if (jumps) visit(s, i->branch.to->target);
        if (!jumps || i->guard != CODE_NO_REF) visit(s, i + 1);
    }
    return false;
}

static bool has_way_out(const code_function *f, const code_insn *from)
{
    search s = {.function = f,
                .seen = lw_alloc(f->insn_count * sizeof(bool)),
                .to_see = lw_alloc(f->insn_count * sizeof(uint32_t))};
    visit(&s, from);
    bool found = search_way_out(&s);
    free(s.seen);
    free(s.to_see);
    return found;
}

/* ---------------------------------------------------------------- nothing changes */
static bool only_computes(const code_insn *i) { return code_uops[i->op].computes || i->op == OP_bra; }

/* Does the group come back to where it stands with all registers as they are, having only computed? Then it does so for
 * ever. */
static bool round_changes_nothing(exec_ctx *x, void (*step)(exec_ctx *x))
{
    const code_insn *start = x->pc;
    uint32_t mask = x->mask, bytes = x->group->frame->function->register_bytes;
    uint8_t *before = lw_alloc(bytes);
    bool same = false;
    memcpy(before, x->file[CODE_FRAME], bytes);
    x->go = 1;
    x->slice = ROUND_MOST;
    for (uint32_t n = 0; n < ROUND_MOST && x->go && only_computes(x->pc) && !same; n++) {
        step(x);
        if (!x->go || x->mask != mask) break;
        same = x->pc == start && !memcmp(before, x->file[CODE_FRAME], bytes);
    }
    free(before);
    return same;
}

void exec_endless_check(exec_ctx *x, void (*step)(exec_ctx *x))
{
    const char *why = NULL;
    exec_group *g = x->group;
    if (!has_way_out(g->frame->function, x->pc)) why = "no way leads out of this loop";
    else if (round_changes_nothing(x, step)) why = "a time round this loop changes no value and touches no memory";
    if (x->group && x->group->state == GROUP_READY) {
        x->group->pc = x->pc;
        x->group->mask = x->mask;
    }
    if (!why) return;
    exec_fail(x, x->pc, EXEC_HANG, (uint32_t)__builtin_ctz(x->mask), 0, 0, false, "code", "the kernel never ends: %s",
              why);
}
