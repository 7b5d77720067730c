/* clocks.c: what %clock shows under --time: cycles of each basic block, split where the clock is read. A warp's clock is then
 * a function of what the warp executes alone. */
#include "code/code_priv.h"

#include <stdlib.h>
#include <string.h>

/* Registers that hold what was loaded and not used yet: who uses one waits for all of them. */
typedef struct pending {
    const ptx_function *function;
    uint8_t *loaded; /* by register */
    double latency;  /* the longest of them; 0: there are none */
} pending;

static bool begins(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

static bool uses(const pending *p, const ptx_operand *o)
{
    if (o->reg >= 0 && p->loaded[o->reg]) return true;
    for (uint32_t k = 0; k < o->item_count; k++)
        if (uses(p, &o->items[k])) return true;
    return false;
}

static void mark(pending *p, const ptx_operand *o)
{
    if (o->kind == PTX_OP_REG && o->reg >= 0) p->loaded[o->reg] = 1;
    for (uint32_t k = 0; k < o->item_count; k++) mark(p, &o->items[k]);
}

static double settle(pending *p)
{
    double waited = p->latency;
    if (waited > 0) memset(p->loaded, 0, p->function->register_count + 1);
    p->latency = 0;
    return waited;
}

static double latency_of(const code_clock_costs *c, const char *mnemonic)
{
    if (begins(mnemonic, "ld.param")) return 0;
    if (strstr(mnemonic, ".shared")) return begins(mnemonic, "ld.") || begins(mnemonic, "atom.") ? c->shared : 0;
    if (begins(mnemonic, "ld.const") || begins(mnemonic, "ld.local")) return c->l1;
    bool far = begins(mnemonic, "ld.") || begins(mnemonic, "atom.") || begins(mnemonic, "tex.");
    return far ? c->l2 : 0;
}

/* What an instruction adds: its issue, and what it waits for first. */
static double cost_of(const code_clock_costs *c, pending *p, const ptx_insn *insn)
{
    double cycles = c->issue(insn->mnemonic) * c->alu;
    double latency = latency_of(c, insn->mnemonic);
    uint32_t first = latency > 0; /* a load's first operand is what it writes */
    bool waits = false;
    for (uint32_t k = first; k < insn->operand_count && !waits; k++) waits = uses(p, &insn->operands[k]);
    if (waits) cycles += settle(p);
    if (begins(insn->mnemonic, "bar")) cycles += c->barrier;
    if (latency > 0 && insn->operand_count) mark(p, &insn->operands[0]);
    p->latency = LW_MAX(p->latency, latency);
    return cycles;
}

static void set_function(code_kernel *k, const code_function *f, const code_clock_costs *c)
{
    pending p = {.function = f->ptx, .loaded = lw_alloc(f->ptx->register_count + 1)};
    uint32_t *target = NULL; /* where the cycles since then go */
    double cycles = 0;
    uint32_t site = UINT32_MAX;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        code_insn *i = &f->insns[n];
        if (i->op == OP_block) {
            cycles += settle(&p); /* the next block uses it */
            if (target) *target = (uint32_t)(cycles + 0.5);
            target = &i->block.cycles;
            cycles = 0;
            site = UINT32_MAX;
            continue;
        }
        if (i->site != site) cycles += cost_of(c, &p, k->sites[i->site].insn);
        site = i->site;
        if (i->op != OP_special) continue;
        if (target) *target = (uint32_t)(cycles + 0.5);
        target = &i->special.cycles;
        cycles = 0;
    }
    if (target) *target = (uint32_t)(cycles + settle(&p) + 0.5);
    free(p.loaded);
}

void code_set_clocks(code_kernel *k, const code_clock_costs *costs)
{
    for (uint32_t n = 0; n < k->body->function_count; n++) set_function(k, k->body->functions[n], costs);
}
