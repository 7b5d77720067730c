/* plan_rounds.c: loads of shared memory in counted loops whose address goes on by their own size in each round: where the
 * assembler unrolls the loop they are neighbours, and become loads of 16 bytes. How it unrolls a loop PTX does not show, but machine
 * code does: then none of their width is left, and as many more of 16 bytes are there. */
#include "code/plan.h"

enum { WIDEST_BYTES = 16, WIDEST = 4, WORD_BYTES = 4, LONGEST = 1024 };

/* What the loops have that hold such loads. */
typedef struct round_loads {
    uint32_t narrow, wide; /* those to be joined; others of 16 bytes, of which there are copies, too */
} round_loads;

static bool is_shared_load(const code_insn *i, plan_access *out)
{
    return plan_access_of(i, out) && out->space == CODE_OF_SHARED && out->direction == CODE_LOADS &&
           !i->mem.access.apart;
}

static bool is_narrow(const decoder *d, uint32_t first, uint32_t last, const code_insn *i, uint32_t width)
{
    plan_access a;
    return is_shared_load(i, &a) && a.width == width && plan_step(d, first, last, i->a) == 1 << width;
}

static void join(code_insn *i)
{
    i->mem.access.joined_words = WIDEST_BYTES / WORD_BYTES;
    i->mem.access.by_rounds = true;
}

/* Those of the loop [first, last] that end at this width, which are joined if asked for. */
static round_loads loads_of_loop(decoder *d, uint32_t first, uint32_t last, uint32_t width, bool joins)
{
    round_loads r = {0};
    plan_access a;
    for (uint32_t u = first; u < last; u++) {
        code_insn *i = &d->insns.items[u];
        bool narrow = is_narrow(d, first, last, i, width);
        r.narrow += narrow;
        r.wide += is_shared_load(i, &a) && a.width == WIDEST;
        if (narrow && joins) join(i);
    }
    return r.narrow ? r : (round_loads){0};
}

static round_loads loads_of_loops(decoder *d, const plan_value *values, uint32_t width, bool joins)
{
    round_loads all = {0};
    for (uint32_t u = 0; u < d->insns.count; u++) {
        bool varies;
        if (d->insns.items[u].op != OP_bra || !plan_ends_counted_loop(d, u, values, &varies)) continue;
        uint32_t first = (uint32_t)(d->insns.items[u].branch.to->target - d->out->insns);
        if (u - first >= LONGEST) continue;
        round_loads r = loads_of_loop(d, first, u, width, joins);
        all.narrow += r.narrow;
        all.wide += r.wide;
    }
    return all;
}

/* Are all loads of this width joined, in loops that stand so often in machine code that just its loads of 16 bytes come of it? */
static bool all_joined(const uint32_t *planned, const uint32_t *machine, uint32_t width, round_loads in)
{
    uint32_t each = WIDEST_BYTES >> width; /* rounds whose loads become one */
    for (uint32_t w = 0; w < WIDEST; w++)
        if (w != width && planned[w] != machine[w]) return false;
    if (machine[width] || in.narrow != planned[width] || machine[WIDEST] < planned[WIDEST] - in.wide) return false;
    uint32_t copies = machine[WIDEST] - (planned[WIDEST] - in.wide), of_each = in.wide * each + in.narrow;
    return copies && copies % of_each == 0;
}

void plan_rounds(decoder *d, const plan_value *values, plan_machine *m)
{
    enum { WORD = 2, PAIR = 3 };
    if (!m->known) return;
    uint32_t *planned = m->planned[CODE_OF_SHARED][CODE_LOADS];
    const uint32_t *machine = (*d->builder->options.accesses)[CODE_OF_SHARED][CODE_LOADS];
    for (uint32_t width = WORD; width <= PAIR; width++) {
        if (!planned[width] || machine[width]) continue;
        if (!all_joined(planned, machine, width, loads_of_loops(d, values, width, false))) continue;
        loads_of_loops(d, values, width, true);
        for (uint32_t w = 0; w < CODE_ACCESS_WIDTHS; w++) planned[w] = machine[w];
        m->equal[CODE_OF_SHARED][CODE_LOADS] = true;
        return;
    }
}
