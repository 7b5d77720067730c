/* plan_pieces.c: innermost counted loops that the assembler has unrolled in pieces of 4, 2 and 1 rounds (the compiler made four
 * trips of each round before). Lanes that leave such a loop at different times go round it together otherwise than in PTX:
 * execution follows (exec/pieces.c). Known by the copies: machine code has the loads and stores of each of these loops seven
 * times, or eight times where the first round of all is one of its own. */
#include "code/plan.h"

enum { COPIES = 4 + 2 + 1 };

static uint32_t index_of(const decoder *d, const code_insn *i) { return (uint32_t)(i - d->out->insns); }

/* ---- which loops ---- */
typedef struct relation {
    uint8_t relation, bytes;
    bool is_signed, is_known;
} relation;

static relation relation_of(uint16_t op)
{
    switch (op) {
#define COMPARES(T, bytes, is_signed)                                                                                  \
    case OP_setp_lt_##T: return (relation){CODE_LESS, bytes, is_signed, true};                                         \
    case OP_setp_le_##T: return (relation){CODE_LESS_EQUAL, bytes, is_signed, true};                                   \
    case OP_setp_gt_##T: return (relation){CODE_GREATER, bytes, is_signed, true};                                      \
    case OP_setp_ge_##T: return (relation){CODE_GREATER_EQUAL, bytes, is_signed, true};                                \
    case OP_setp_ne_##T: return (relation){CODE_NOT_EQUAL, bytes, is_signed, true};
        COMPARES(s32, 4, true)
        COMPARES(u32, 4, false)
        COMPARES(s64, 8, true)
        COMPARES(u64, 8, false)
#undef COMPARES
    default: return (relation){0};
    }
}

/* The one micro-operation of [first, last] that writes the register; NULL: none does, or several. */
static const code_insn *writer_in(const decoder *d, uint32_t first, uint32_t last, code_ref r)
{
    const code_insn *found = NULL;
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->d == CODE_NO_REF || (i->d & ~1u) != (r & ~1u)) continue;
        if (found) return NULL;
        found = i;
    }
    return found;
}

static bool writes_through_list(const code_insn *i) { return i->op == OP_ld; }

/* Does nothing in [first, last] write the register? */
static bool stays(const decoder *d, uint32_t first, uint32_t last, code_ref r)
{
    if (r == CODE_NO_REF) return false;
    if (!(r & VIRTUAL)) return true;
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->d != CODE_NO_REF && (i->d & ~1u) == (r & ~1u)) return false;
        for (uint32_t k = 0; writes_through_list(i) && k < i->mem.vector; k++)
            if (d->infos.items[u].list->ref[k] == r) return false;
    }
    return true;
}

/* One basic block, in which lanes do not part. */
static bool is_straight(const decoder *d, uint32_t first, uint32_t last)
{
    const code_insn *insns = d->insns.items;
    if (insns[first].op != OP_block || last + 1 >= d->insns.count || insns[last + 1].op != OP_block) return false;
    if (insns[first].block.pieces || insns[last + 1].block.pieces) return false;
    for (uint32_t u = first + 1; u < last; u++) {
        uint16_t op = insns[u].op;
        if (op == OP_block || (!code_uops[op].computes && op != OP_ld && op != OP_st)) return false;
    }
    return true;
}

/* What ends the loop's rounds; false: something that is not followed here. */
static bool find_pieces(const decoder *d, uint32_t first, uint32_t last, code_pieces *out)
{
    const code_insn *branch = &d->insns.items[last];
    const code_insn *compare = writer_in(d, first, last, branch->guard);
    if (!compare || compare->guard != CODE_NO_REF || !is_straight(d, first, last)) return false;
    relation r = relation_of(compare->op);
    const code_insn *add = r.is_known ? writer_in(d, first, last, compare->a) : NULL;
    if (!add || add->guard != CODE_NO_REF || add > compare || add->a != add->d || !stays(d, first, last, compare->b))
        return false;
    if (!plan_adds_constant(d, first, last, add->d) || !plan_constant(d, add->b, &out->step)) return false;
    const code_insn *insns = d->out->insns;
    out->head = insns + first;
    out->branch = insns + last;
    out->compare = insns + (compare - d->insns.items);
    out->relation = r.relation;
    out->bytes = r.bytes;
    out->is_signed = r.is_signed;
    return true;
}

/* ---- what machine code has of them ---- */
static void add_accesses(const decoder *d, uint32_t first, uint32_t last, code_accesses total)
{
    for (uint32_t u = first; u <= last; u++) {
        plan_access a;
        if (plan_access_of(&d->insns.items[u], &a)) total[a.space][a.direction][a.width]++;
    }
}

/* Has machine code so many more of them, of all that there are in loops? *exactly: and no more. */
static bool has_copies(const decoder *d, const plan_machine *m, code_accesses in_loops, uint32_t more, bool *exactly)
{
    const uint32_t *machine = &(*d->builder->options.accesses)[0][0][0], *planned = &m->planned[0][0][0],
                   *loops = &in_loops[0][0][0];
    bool any = false;
    *exactly = true;
    for (uint32_t k = 0; k < sizeof m->planned / sizeof *planned; k++) {
        if (!loops[k]) continue;
        any = true;
        if (machine[k] < planned[k] + more * loops[k]) return false;
        *exactly &= machine[k] == planned[k] + more * loops[k];
    }
    return any;
}

static void go_round_in_pieces(decoder *d, uint32_t first, uint32_t last, const code_pieces *pieces)
{
    code_pieces *p = LW_NEW(d->arena, code_pieces);
    code_branch *to = LW_NEW(d->arena, code_branch);
    *p = *pieces;
    *to = *d->insns.items[last].branch.to;
    to->pieces = p;
    d->insns.items[last].branch.to = to;
    d->insns.items[first].block.pieces = d->insns.items[last + 1].block.pieces = p;
}

bool plan_pieces(decoder *d, const plan_value *values, const plan_machine *m)
{
    bool varies, exactly = false, again = false, known = true;
    code_accesses in_loops = {0};
    if (!m->known) return false;
    for (uint32_t u = 0; u < d->insns.count; u++)
        if (d->insns.items[u].op == OP_bra && plan_ends_counted_loop(d, u, values, &varies))
            add_accesses(d, index_of(d, d->insns.items[u].branch.to->target), u, in_loops);
    if (!has_copies(d, m, in_loops, COPIES - 1, &exactly)) return false;
    bool eight = has_copies(d, m, in_loops, COPIES, &again);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        code_pieces p = {0};
        if (d->insns.items[u].op != OP_bra || !plan_ends_counted_loop(d, u, values, &varies) || !varies) continue;
        uint32_t first = index_of(d, d->insns.items[u].branch.to->target);
        if (find_pieces(d, first, u, &p)) go_round_in_pieces(d, first, u, &p);
        else known = false;
    }
    return known && (exactly || (eight && again));
}
