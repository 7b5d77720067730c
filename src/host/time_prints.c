#include "host/time_prints_priv.h"

#include <math.h>

#include "host/mnemonic_priv.h"
#include "host/time_waits_priv.h"

/* The last branch before an instruction that goes over it; NULL: there is none. */
static const ptx_insn *branch_over(const ptx_function *function, const ptx_insn *insn)
{
    for (const ptx_insn *k = insn; k-- > function->insns;) {
        const ptx_insn *to = host_branch_target(function, k);
        if (to && k->guard >= 0 && to > insn) return k;
    }
    return NULL;
}

/* What a register is compared with for equality to decide a branch: the number that only one thread has. */
static const ptx_insn *compared(const ptx_function *function, const ptx_insn *bra)
{
    for (const ptx_insn *k = bra; k-- > function->insns;) {
        if (!k->operand_count || k->operands[0].reg != bra->guard) continue;
        bool equal = begins(k->mnemonic, "setp.ne.") || begins(k->mnemonic, "setp.eq.");
        bool fits = equal && k->operand_count == 3 && k->operands[1].kind == PTX_OP_REG;
        return fits && k->operands[2].kind == PTX_OP_INT ? k : NULL;
    }
    return NULL;
}

double host_add_print(print_series *series, const code_site *site, double calls)
{
    const ptx_insn *bra = branch_over(site->function, site->insn);
    const ptx_insn *setp = bra ? compared(site->function, bra) : NULL;
    uint32_t at = 0;
    int64_t warp = setp ? setp->operands[2].imm / 32 : 0;
    while (at < series->count && series->warps[at] != warp) at++;
    if (!setp || at == HOST_PRINT_WARPS) {
        series->others += calls;
    } else {
        series->warps[at] = warp;
        series->calls[at] += calls;
        if (at == series->count) series->count++;
    }
    double most = 0;
    for (uint32_t k = 0; k < series->count; k++) most = fmax(most, series->calls[k]);
    return series->others + most;
}
