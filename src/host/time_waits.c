#include "host/mnemonic_priv.h"
#include "host/time_waits_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "time/time.h"

const ptx_insn *host_branch_target(const ptx_function *function, const ptx_insn *insn)
{
    if (strncmp(insn->mnemonic, "bra", 3)) return NULL;
    for (uint32_t k = 0; k < insn->operand_count; k++) {
        const ptx_operand *o = &insn->operands[k];
        if (o->kind == PTX_OP_LABEL) return &function->insns[o->imm];
    }
    return NULL;
}

host_loops host_loops_of(const ptx_function *function)
{
    size_t count = function->insn_count, open = 0;
    host_loops l = {lw_alloc((count + 1) * sizeof *l.begin), lw_alloc((count + 1) * sizeof *l.end)};
    int32_t *stack = lw_alloc((count + 1) * sizeof *stack), *last = lw_alloc((count + 1) * sizeof *last);
    for (int32_t k = (int32_t)count; k-- > 0;) {
        const ptx_insn *target = host_branch_target(function, &function->insns[k]);
        int32_t to = target ? (int32_t)(target - function->insns) : k + 1;
        while (open && stack[open - 1] > k) open--;
        if (to <= k && !(open && stack[open - 1] >= to)) {
            last[open] = k;
            stack[open++] = to;
        }
        l.begin[k] = open ? stack[open - 1] : HOST_NO_INSN;
        l.end[k] = open ? last[open - 1] : HOST_NO_INSN;
    }
    free(stack);
    free(last);
    return l;
}

void host_loops_free(host_loops *loops)
{
    free(loops->begin);
    free(loops->end);
}

bool host_is_fence(const char *mnemonic)
{
    return code_is_fence(mnemonic) && !strstr(mnemonic, ".cta") && !strstr(mnemonic, ".cluster");
}

bool host_is_block_fence(const char *mnemonic) { return code_is_fence(mnemonic) && strstr(mnemonic, ".cta"); }

/* An instruction's target if it always branches; else NULL. */
static const ptx_insn *goes_to(const ptx_function *function, const ptx_insn *insn)
{
    return insn->guard < 0 ? host_branch_target(function, insn) : NULL;
}

/* Where the ways of a branch meet that go behind each other in the text: `@p bra JOIN; ...`, `@p bra ELSE; ... bra JOIN; ELSE: ...`
 * and `@p bra THEN; bra ELSE; THEN: ... bra JOIN; ELSE: ...`. */
static const ptx_insn *ways_meet(const ptx_function *function, const ptx_insn *bra, const ptx_insn *to)
{
    const ptx_insn *over = goes_to(function, bra + 1);
    const ptx_insn *other = over && over > to && to == bra + 2 ? over : to;
    const ptx_insn *end = goes_to(function, other - 1);
    return end && end > other ? end : other;
}

/* What an assembler does not guard. */
static bool stays_branch(const char *mnemonic)
{
    static const char *const words[] = {"bar", "call", "ret", "atom", "exit", "trap", "brx"};
    for (size_t k = 0; k < LW_COUNT(words); k++)
        if (begins(mnemonic, words[k])) return true;
    return host_is_fence(mnemonic) || time_work_of(mnemonic).parts;
}

const ptx_insn *host_branch_guards(const device_profile *d, const ptx_function *function, const ptx_insn *bra)
{
    const ptrdiff_t most = (ptrdiff_t)d->time_guards;
    const ptx_insn *to = host_branch_target(function, bra);
    if (!to || bra->guard < 0 || to <= bra) return NULL;
    const ptx_insn *end = ways_meet(function, bra, to);
    ptrdiff_t branches = 0;
    for (const ptx_insn *k = bra + 1; end && k < end && k - bra <= most + branches; k++) {
        const ptx_insn *inner = host_branch_target(function, k);
        if (stays_branch(k->mnemonic) || (inner && (k->guard >= 0 || inner <= k || inner > end))) return NULL;
        branches += inner != NULL;
    }
    return end && end - bra <= most + branches ? end : NULL;
}

/* The branch that closes the innermost loop around an instruction; NULL: there is none. */
static const ptx_insn *end_of_loop(const ptx_function *function, const ptx_insn *insn)
{
    for (const ptx_insn *k = insn; k < function->insns + function->insn_count; k++) {
        const ptx_insn *to = host_branch_target(function, k);
        if (to && to <= insn) return k;
    }
    return NULL;
}

static bool reads_one_of(const ptx_insn *insn, const bool *registers)
{
    for (uint32_t k = 1; k < insn->operand_count; k++)
        if (insn->operands[k].reg >= 0 && registers[insn->operands[k].reg]) return true;
    return false;
}

bool host_fetches_work(const code_site *atomic)
{
    const ptx_function *function = atomic->function;
    const ptx_insn *insn = atomic->insn, *last = end_of_loop(function, insn);
    if (!last || insn->operand_count < 3 || insn->operands[0].reg < 0) return false;
    if (insn->operands[2].kind == PTX_OP_INT && !insn->operands[2].imm) return false;    /* only looks */
    bool *from = lw_alloc((function->register_count + 1) * sizeof *from), found = false; /* it */
    from[insn->operands[0].reg] = true;
    for (const ptx_insn *k = insn + 1; k <= last && !found; k++) {
        found = begins(k->mnemonic, "bra") && k->guard >= 0 && from[k->guard];
        found |= begins(k->mnemonic, "ret") && k->guard >= 0 && from[k->guard];
        if (!begins(k->mnemonic, "st") && k->operand_count && k->operands[0].reg >= 0 && reads_one_of(k, from))
            from[k->operands[0].reg] = true;
    }
    free(from);
    return found;
}

/* What a loop executes goes down by the share of its rounds that waited. */
static void take_off(const code_kernel *code, uint32_t branch, double share, double *work)
{
    const code_site *last = &code->sites[branch];
    const ptx_insn *first = host_branch_target(last->function, last->insn);
    for (uint32_t k = 0; first && k < code->site_count; k++) {
        const code_site *site = &code->sites[k];
        if (site->function == last->function && site->insn >= first && site->insn <= last->insn) work[k] *= 1 - share;
    }
}

static bool is_global(const ptx_insn *insn)
{
    const char *m = insn->mnemonic;
    bool other = strstr(m, ".shared") || strstr(m, ".param") || strstr(m, ".const") || strstr(m, ".local");
    return !other && (begins(m, "ld.") || begins(m, "atom.") || begins(m, "red."));
}

/* Its address: the first operand of one whose result nobody reads, the second of others. */
static const ptx_operand *place_of(const ptx_insn *insn)
{
    uint32_t at = begins(insn->mnemonic, "red.") ? 0 : 1;
    return insn->operand_count > at ? &insn->operands[at] : NULL;
}

/* Marks the registers that come from the result of an atomic until there. */
static void mark_results(const ptx_insn *atomic, const ptx_insn *until, bool *from)
{
    if (begins(atomic->mnemonic, "atom.") && atomic->operands[0].reg >= 0) from[atomic->operands[0].reg] = true;
    for (const ptx_insn *k = atomic + 1; k < until; k++)
        if (!begins(k->mnemonic, "st") && k->operand_count && k->operands[0].reg >= 0 && reads_one_of(k, from))
            from[k->operands[0].reg] = true;
}

/* Whether a loop asks for how many have come, or for what the last of them says: a counter that all add to is before it, and what is
 * asked is in global memory at a place that does not depend on what the counter was. (Who has his place by a counter, and waits for
 * the one before him, asks at a place that does.) */
static bool asks_for_all(const code_site *branch)
{
    const ptx_function *function = branch->function;
    const ptx_insn *last = branch->insn, *first = host_branch_target(function, last);
    bool *from = lw_alloc((function->register_count + 1) * sizeof *from), asks = false, counts = false;
    for (const ptx_insn *k = function->insns; first && k < first; k++) {
        bool adds = is_global(k) && (strstr(k->mnemonic, ".add.") || strstr(k->mnemonic, ".inc."));
        if (!adds || !k->operand_count) continue;
        counts = true;
        mark_results(k, last, from);
    }
    for (const ptx_insn *k = first; first && counts && k <= last; k++) {
        const ptx_operand *place = is_global(k) ? place_of(k) : NULL;
        asks |= place && (place->reg < 0 || !from[place->reg]);
    }
    free(from);
    return asks;
}

/* The barrier behind a loop that waits until all others have come: one warp of a block asks whether they have, and all wait for it there.
 * 0: there is none near, or the loop waits for something else. */
uint32_t host_barrier_behind(const code_kernel *code, uint32_t site)
{
    const uint32_t near = 16; /* what a grid barrier has in between */
    for (uint32_t k = site + 1; k < code->site_count && k <= site + near; k++) {
        if (code->sites[k].function != code->sites[site].function) return 0;
        if (is_block_barrier(code->sites[k].insn->mnemonic)) return asks_for_all(&code->sites[site]) ? k : 0;
    }
    return 0;
}

/* How often an emulated warp asks while others come is not how often a card's does: it asks once, and the barrier has the time. */
static void ask_once(const code_kernel *code, uint32_t last, double *work)
{
    const ptx_insn *to = host_branch_target(code->sites[last].function, code->sites[last].insn);
    uint32_t first = last;
    while (to && first > 0 && code->sites[first - 1].function == code->sites[last].function &&
           code->sites[first - 1].insn >= to)
        first--;
    for (uint32_t k = first; first > 0 && k <= last; k++) work[k] = fmin(work[k], work[first - 1]);
}

double host_grid_barrier_cycles(const device_profile *d, const code_kernel *code, const exec_result *result,
                                const double *executed, uint64_t blocks)
{
    double ns = (double)d->time_grid_barrier_ns + (double)d->time_grid_barrier_block_ps * 1e-3 * (double)blocks,
           waits = 0;
    uint32_t last = 0; /* a loop may be left by several branches */
    for (uint32_t k = 0; k < code->site_count; k++) {
        uint32_t barrier = result->site_waits[k] ? host_barrier_behind(code, k) : 0;
        if (barrier && barrier != last) waits += executed[barrier];
        if (barrier) last = barrier;
    }
    return waits * ns * 1e-6 * (double)d->clock_khz;
}

double *host_work_of_sites(const code_kernel *code, const exec_result *result)
{
    double *work = lw_alloc((code->site_count + 1) * sizeof *work);
    for (uint32_t k = 0; result->site_inst && k < code->site_count; k++) work[k] = (double)result->site_inst[k];
    for (uint32_t k = 0; result->site_waits && k < code->site_count; k++) {
        double waits = (double)result->site_waits[k], all = (double)result->site_inst[k];
        if (waits > 0 && all > 0) take_off(code, k, LW_MIN(waits / all, 1.0), work);
        if (waits > 0 && host_barrier_behind(code, k)) ask_once(code, k, work);
    }
    return work;
}
