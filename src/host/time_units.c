#include "host/mnemonic_priv.h"
#include "host/time_units_priv.h"

#include <stdlib.h>
#include <string.h>

#include "host/time_folds_priv.h"
#include "host/time_waits_priv.h"

/* What a register of the function that is being looked at holds, as far as the assembler's choice of instructions depends on it. */
typedef enum held {
    HELD_OTHER,
    HELD_PARAM,  /* a parameter: the assembler loads it from constant memory where no instruction takes it from there */
    HELD_PRODUCT /* of two 32-bit numbers, 64 bits wide: IMAD.WIDE adds a base to it in the same instruction */
} held;

/* A branch over few instructions: they become guarded ones, which warps execute as well all of whose lanes go past them. */
typedef struct unit_walk {
    const ptx_function *function;
    held *registers;
    const ptx_insn *guarded; /* up to here, and not this one */
    double times;            /* that a warp came to the branch */
    bool shared;             /* the base of shared memory has been found out */
} unit_walk;

static held of_register(const unit_walk *w, const ptx_operand *o)
{
    return o->kind == PTX_OP_REG && o->reg >= 0 ? w->registers[o->reg] : HELD_OTHER;
}

static void set_register(unit_walk *w, const ptx_operand *o, held what)
{
    if (o->kind == PTX_OP_REG && o->reg >= 0) w->registers[o->reg] = what;
}

static void enter_function(unit_walk *w, const ptx_function *function)
{
    if (w->function == function) return;
    free(w->registers);
    w->registers = lw_alloc((function->register_count + 1) * sizeof *w->registers);
    w->function = function;
    w->guarded = NULL;
}

/* Whether an instruction needs a parameter in a register: the base that is added to a product, an address, what is stored. It is loaded
 * once, or each time where lanes may go past. */
static bool loads_param(unit_walk *w, const ptx_insn *insn)
{
    bool guarded = insn < w->guarded;
    bool sums = begins(insn->mnemonic, "add.") && insn->operand_count == 3;
    for (uint32_t k = 0; k < insn->operand_count; k++) {
        const ptx_operand *o = &insn->operands[k];
        bool needed = sums && k && of_register(w, &insn->operands[3 - k]) == HELD_PRODUCT;
        needed |= o->kind == PTX_OP_ADDRESS || (k && begins(insn->mnemonic, "st."));
        if (!needed || o->reg < 0 || w->registers[o->reg] != HELD_PARAM) continue;
        if (!guarded) w->registers[o->reg] = HELD_OTHER;
        return true;
    }
    return false;
}

static void follow(unit_walk *w, const ptx_insn *insn)
{
    if (!insn->operand_count) return;
    const char *mnemonic = insn->mnemonic;
    held what = HELD_OTHER;
    bool moves = begins(mnemonic, "cvta.") || begins(mnemonic, "mov.");
    if (moves && insn->operand_count > 1) what = of_register(w, &insn->operands[1]);
    if (begins(mnemonic, "ld.param.")) what = HELD_PARAM;
    if (begins(mnemonic, "mul.wide.") || begins(mnemonic, "mad.wide.")) what = HELD_PRODUCT;
    set_register(w, &insn->operands[0], what);
}

/* Reads of a special register go to the unit of addresses (a block's place, constants such as its size) or, a thread's place in its block,
 * to L1's. */
static void add_special(time_demand *t, const ptx_insn *insn, double times)
{
    for (uint32_t k = 1; begins(insn->mnemonic, "mov.") && k < insn->operand_count; k++) {
        const ptx_operand *o = &insn->operands[k];
        if (o->kind != PTX_OP_SPECIAL) continue;
        if (o->special == PTX_SPECIAL_TID) t->other_wavefronts += times;
        if (o->special == PTX_SPECIAL_CTAID || o->special == PTX_SPECIAL_NTID || o->special == PTX_SPECIAL_NCTAID)
            t->uniforms += times;
    }
}

static bool is_shared_base(const ptx_insn *insn)
{
    bool takes = begins(insn->mnemonic, "mov.") && insn->operand_count == 2;
    const ptx_operand *o = takes ? &insn->operands[1] : NULL;
    return o && o->kind == PTX_OP_VARIABLE && o->variable && o->variable->space == PTX_SHARED;
}

/* A constant is an operand of what takes it, or comes by the uniform datapath, but for places that differ from lane to lane, summands of
 * loops, and where lanes may go past. */
static bool loads_constant(const unit_walk *w, const ptx_insn *insn, host_fold fold)
{
    return begins(insn->mnemonic, "ld.const") && fold != HOST_FOLD_AWAY &&
           (fold != HOST_FOLD_CONSTANT || insn < w->guarded);
}

static void add_site(time_demand *t, unit_walk *w, const code_site *site, host_fold fold, double times)
{
    const ptx_insn *insn = site->insn;
    const char *mnemonic = insn->mnemonic;
    if (is_block_barrier(mnemonic) || loads_constant(w, insn, fold)) t->uniforms += times;
    if (loads_param(w, insn)) t->uniforms += times;
    if (is_shared_base(insn) && !w->shared) {
        t->uniforms += times;
        w->shared = true;
    }
    add_special(t, insn, times);
    if (begins(mnemonic, "shfl.")) t->other_wavefronts += times;
    if (insn >= w->guarded || w->times <= times) return;
    time_work work = time_work_of(mnemonic);
    t->other_wavefronts += work.lsu * (w->times - times);
    t->off_issue +=
        (work.lsu + work.fp32 + work.fp64) * (w->times - times); /* addresses are worked out before the branch */
}

void host_time_units(const device_profile *device, time_demand *demand, const code_kernel *code, const uint8_t *folds,
                     const double *executed)
{
    const double fence = (double)device->time_fence_block_tenths / 10;
    unit_walk walk = {0};
    demand->uniforms += (double)demand->blocks * demand->warps_per_block; /* where each warp's stack begins */
    for (uint32_t k = 0; k < code->site_count; k++) {
        const code_site *site = &code->sites[k];
        enter_function(&walk, site->function);
        if (!site->repeats) add_site(demand, &walk, site, (host_fold)folds[k], executed[k]);
        if (host_is_block_fence(site->insn->mnemonic)) demand->shared_wavefronts += executed[k] * fence;
        follow(&walk, site->insn);
        const ptx_insn *to = host_branch_guards(device, site->function, site->insn);
        if (!to) continue;
        walk.guarded = to;
        walk.times = executed[k];
    }
    free(walk.registers);
}
