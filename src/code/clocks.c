/* clocks.c: what %clock shows under --time: cycles of each basic block, split where the clock is read. A warp's clock is then
 * a function of what the warp executes alone. */
#include "code/code_priv.h"

#include <stdlib.h>
#include <string.h>

/* How many loads one behind the other a register's value comes from. */
typedef struct chain {
    uint32_t block; /* pending.block; of another one: none */
    uint32_t loads;
} chain;

/* What was loaded and not waited for yet. The assembler moves loads up as far as they can go: those that do not depend on each other
 * are under way together, wherever what they return is used. */
typedef struct pending {
    chain *chains;  /* by register */
    uint32_t block; /* counts what is waited for together */
    uint32_t loads; /* the longest chain so far */
    uint32_t
        floor; /* loads from here on come behind so many: they stand behind a store or a barrier, and these have been waited for */
    double latency, waited; /* of the last of the chain; as much of it has been waited for */
    const ptx_insn
        *guarded; /* up to here a branch has become guards, at which nobody waits for what others use; NULL: none has */
} pending;

static bool begins(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

static uint32_t chain_of(const pending *p, int32_t reg)
{
    return reg >= 0 && p->chains[reg].block == p->block ? p->chains[reg].loads : 0;
}

static uint32_t operand_chain(const pending *p, const ptx_operand *o)
{
    uint32_t loads = chain_of(p, o->reg);
    for (uint32_t k = 0; k < o->item_count; k++) loads = LW_MAX(loads, operand_chain(p, &o->items[k]));
    return loads;
}

static void set_chain(pending *p, const ptx_operand *o, uint32_t loads)
{
    if (o->kind == PTX_OP_REG && o->reg >= 0) p->chains[o->reg] = (chain){p->block, loads};
    for (uint32_t k = 0; k < o->item_count; k++) set_chain(p, &o->items[k], loads);
}

/* The last loads of the chain are waited for. */
static double settle(pending *p)
{
    double cycles = p->latency - p->waited;
    p->waited = p->latency;
    return cycles;
}

static void keep_order(pending *p) { p->floor = p->waited < p->latency ? p->loads - 1 : p->loads; }

static double end_block(pending *p)
{
    double cycles = settle(p);
    p->block++;
    p->loads = p->floor = 0;
    p->latency = p->waited = 0;
    p->guarded = NULL;
    return cycles;
}

static double latency_of(const code_clock_costs *c, const char *mnemonic)
{
    if (begins(mnemonic, "ld.param")) return 0;
    bool matrix = begins(mnemonic, "ldmatrix."), loads = matrix || begins(mnemonic, "wmma.load.");
    loads |=
        begins(mnemonic, "ld.") || begins(mnemonic, "ldu.") || begins(mnemonic, "atom.") || begins(mnemonic, "tex.");
    if (matrix || strstr(mnemonic, ".shared")) return loads ? c->shared : 0;
    if (begins(mnemonic, "ld.const") || begins(mnemonic, "ld.local")) return c->l1;
    return loads ? c->l2 : 0;
}

/* A load that comes behind so many; what it waits for first. */
static double add_load(pending *p, uint32_t behind, double latency)
{
    double cycles = 0;
    if (behind + 1 > p->loads) {
        cycles = settle(p);
        p->loads = behind + 1;
        p->latency = p->waited = 0;
    }
    if (behind + 1 == p->loads) p->latency = LW_MAX(p->latency, latency);
    return cycles;
}

static bool keeps_order(const char *mnemonic)
{
    bool stores = begins(mnemonic, "st.") && !begins(mnemonic, "st.shared") && !begins(mnemonic, "st.param");
    return stores || begins(mnemonic, "bar") || begins(mnemonic, "atom") || begins(mnemonic, "membar") ||
           begins(mnemonic, "fence");
}

/* What an instruction adds: its issue, and what it waits for first. */
static double cost_of(const code_clock_costs *c, pending *p, const ptx_insn *insn)
{
    double cycles = c->issue(insn->mnemonic) * c->alu, latency = latency_of(c, insn->mnemonic);
    uint32_t first = latency > 0; /* a load's first operand is what it writes */
    uint32_t loads = chain_of(p, insn->guard);
    for (uint32_t k = first; k < insn->operand_count; k++) loads = LW_MAX(loads, operand_chain(p, &insn->operands[k]));
    if (loads && loads == p->loads) cycles += settle(p);
    if (latency > 0) {
        loads = LW_MAX(loads, p->floor);
        cycles += add_load(p, loads, latency);
        loads++;
    }
    if (begins(insn->mnemonic, "bar")) cycles += c->barrier;
    if (keeps_order(insn->mnemonic)) keep_order(p);
    if (insn->operand_count) set_chain(p, &insn->operands[0], loads);
    return cycles;
}

/* Whether the basic block that an instruction begins goes on with the one before it: machine code branches neither to its begin nor
 * around it. */
static bool goes_on(const pending *p, const ptx_insn *insn) { return p->guarded && insn <= p->guarded; }

static void set_function(code_kernel *k, const code_function *f, const code_clock_costs *c)
{
    pending p = {.chains = lw_alloc((f->ptx->register_count + 1) * sizeof *p.chains), .block = 1};
    uint32_t *target = NULL; /* where the cycles since then go */
    double cycles = 0;
    uint32_t site = UINT32_MAX;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        code_insn *i = &f->insns[n];
        if (i->op == OP_block) {
            bool last = n + 1 == f->insn_count;
            if (last || !goes_on(&p, k->sites[f->insns[n + 1].site].insn))
                cycles += end_block(&p); /* the next block uses it */
            if (target) *target = (uint32_t)(cycles + 0.5);
            target = &i->block.cycles;
            cycles = 0;
            site = UINT32_MAX;
            continue;
        }
        if (i->site != site) {
            const ptx_insn *insn = k->sites[i->site].insn, *to = NULL;
            cycles += cost_of(c, &p, insn);
            if (c->guards) to = c->guards(c->device, f->ptx, insn);
            if (to) p.guarded = to;
        }
        site = i->site;
        if (i->op != OP_special) continue;
        keep_order(&p);
        if (target) *target = (uint32_t)(cycles + 0.5);
        target = &i->special.cycles;
        cycles = 0;
    }
    if (target) *target = (uint32_t)(cycles + end_block(&p) + 0.5);
    free(p.chains);
}

void code_set_clocks(code_kernel *k, const code_clock_costs *costs)
{
    for (uint32_t n = 0; n < k->body->function_count; n++) set_function(k, k->body->functions[n], costs);
}
