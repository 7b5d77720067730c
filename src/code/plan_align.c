/* plan_align.c: what the assembler knows of the alignment of addresses. An access of 4, 8 or 16 bytes shows that low bits
 * of its base are zero, if the base is computed in the same basic block, and then wherever that has been executed before
 * (machine code of ptxas 13.0: curand_init; a struct of a double and two floats): that holds for what is computed from the base, too, but not for
 * what is computed from a parameter, which stands in the constant bank. */
#include "code/dominators.h"
#include "code/plan.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* An access by this base, in this block. */
typedef struct proof {
    uint32_t block;
    uint32_t zeros;
    uint32_t next; /* of the same base: index into proofs, or NONE */
} proof;

struct plan_alignment {
    const decoder *d;
    const plan_value *values;
    uint32_t *definition; /* by virtual register: the one micro-operation that writes it + 1; 0: none, NONE: several */
    uint32_t *first;      /* by virtual register: index of a proof, or NONE */
    uint32_t *stretch;    /* by micro-operation: how many before it branch to a slow path */
    uint32_t *loop;       /* by block: the first micro-operation of the innermost loop that it is in, or 0 */
    uint32_t *depth;      /* by block: how many loops it is in */
    LW_VEC(proof) proofs;
    LW_VEC(uint32_t) recomputed; /* sums of a pointer and a 64-bit product with an extended 32-bit register */
    code_dominators dominators;  /* nodes: numbers of blocks */
};

/* ---------------------------------------------------------------- ways between blocks */
static uint32_t number_at(const decoder *d, const code_insn *target)
{
    return d->insns.items[target - d->out->insns].block.index;
}

/* The edges out of the block that begins at micro-operation u. */
static void add_edges(const decoder *d, uint32_t u, code_edges *out)
{
    uint32_t from = d->insns.items[u].block.index;
    for (uint32_t v = u + 1; v < d->insns.count; v++) {
        const code_insn *i = &d->insns.items[v];
        if (i->op == OP_block) {
            lw_vec_push(out, ((code_edge){from, i->block.index}));
            return;
        }
        if (i->op == OP_bra) lw_vec_push(out, ((code_edge){from, number_at(d, i->branch.to->target)}));
        for (uint32_t k = 0; i->op == OP_brx && k < i->table.to->count; k++)
            lw_vec_push(out, ((code_edge){from, number_at(d, i->table.to->target[k])}));
        bool ends = i->op == OP_bra || i->op == OP_brx || i->op == OP_ret || i->op == OP_exit || i->op == OP_trap;
        if (ends && i->guard == CODE_NO_REF) return;
    }
}

static code_dominators find_dominators(const decoder *d)
{
    code_edges edges = {0};
    for (uint32_t u = 0; u < d->insns.count; u++)
        if (d->insns.items[u].op == OP_block) add_edges(d, u, &edges);
    code_digraph g = code_digraph_new(d->kernel->block_count + 1, &edges);
    code_dominators found = code_dominators_new(&g, d->insns.items[0].block.index);
    code_digraph_free(&g);
    lw_vec_free(&edges);
    return found;
}

bool plan_dominates(const plan_alignment *a, uint32_t over, uint32_t block)
{
    return code_dominates(&a->dominators, over, block);
}

uint32_t plan_dominator(const plan_alignment *a, uint32_t block)
{
    return a->dominators.order[block] ? a->dominators.up[block] : block;
}

/* Backwards, as loops begin in front of their branch back: those that are open, the innermost last. */
static void find_loops(plan_alignment *a)
{
    const decoder *d = a->d;
    a->loop = lw_alloc((d->kernel->block_count + 1) * sizeof *a->loop);
    a->depth = lw_alloc((d->kernel->block_count + 1) * sizeof *a->depth);
    LW_VEC(uint32_t) open = {0};
    for (uint32_t u = (uint32_t)d->insns.count; u-- > 0;) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_bra && i->branch.to->backward)
            lw_vec_push(&open, (uint32_t)(i->branch.to->target - d->out->insns));
        while (open.count && open.items[open.count - 1] > u) open.count--;
        if (i->op != OP_block || !open.count) continue;
        a->loop[i->block.index] = open.items[open.count - 1];
        a->depth[i->block.index] = (uint32_t)open.count;
    }
    lw_vec_free(&open);
}

/* ---------------------------------------------------------------- proofs */
typedef struct definition_walk {
    uint32_t *definition;
    uint32_t u;
} definition_walk;

static void note_definition(void *user, code_ref r, code_operand what)
{
    (void)what;
    definition_walk *w = user;
    uint32_t *at = &w->definition[code_vreg_of(r)];
    *at = *at ? NONE : w->u + 1;
}

/* The factor of a 64-bit product that is a 32-bit register without a sign, or CODE_NO_REF. */
static code_ref unsigned_factor(const plan_alignment *a, const code_insn *product)
{
    if (!product) return CODE_NO_REF;
    if (product->op == OP_mul_wide_u32) return product->a;
    const code_insn *factor = plan_definition(a, product->a);
    bool extended = product->op == OP_mul_lo_s64 || product->op == OP_mul_lo_u64;
    return extended && factor && factor->op == OP_cvt_u64_u32 ? factor->a : CODE_NO_REF;
}

static const code_insn *product_of(const plan_alignment *a, const code_insn *sum)
{
    return sum->op == OP_add_s64 || sum->op == OP_add_u64 ? plan_definition(a, sum->b) : NULL;
}

static void find_recomputed(plan_alignment *a)
{
    enum { MOST = 64 };
    for (uint32_t u = 0; u < a->d->insns.count && a->recomputed.count < MOST; u++) {
        const code_insn *product = product_of(a, &a->d->insns.items[u]);
        if (product && product->op != OP_mul_wide_u32 && unsigned_factor(a, product) != CODE_NO_REF)
            lw_vec_push(&a->recomputed, u);
    }
}

static uint32_t block_of(const plan_alignment *a, const code_insn *i)
{
    return a->d->builder->sites.items[i->site].block;
}

/* What was proven of an address holds in its own block alone if an inner loop of a loop computes the address again: the
 * assembler sees that a product with an extended register is the wide product, if no sign is extended (machine code of ptxas
 * 13.0: curand_init). */
static bool is_recomputed(const plan_alignment *a, code_ref r, uint32_t block)
{
    const code_insn *i = plan_definition(a, r);
    const code_insn *product = i ? product_of(a, i) : NULL;
    uint64_t by, by_again;
    if (!product || product->op != OP_mul_wide_u32 || !plan_constant(a->d, product->b, &by)) return false;
    uint32_t home = block_of(a, i);
    for (size_t k = 0; home != block && k < a->recomputed.count; k++) {
        const code_insn *again = &a->d->insns.items[a->recomputed.items[k]];
        const code_insn *other = product_of(a, again);
        bool like = again->a == i->a && unsigned_factor(a, other) == product->a;
        bool same = like && plan_constant(a->d, other->b, &by_again) && by == by_again;
        if (same && a->depth[block_of(a, again)] >= a->depth[home] + 2) return true;
    }
    return false;
}

plan_alignment *plan_alignment_new(const decoder *d, const plan_value *values)
{
    plan_alignment *a = lw_alloc(sizeof *a);
    size_t registers = d->vregs.count + 1;
    *a = (plan_alignment){.d = d, .values = values};
    a->definition = lw_alloc(registers * sizeof *a->definition);
    a->first = lw_alloc(registers * sizeof *a->first);
    memset(a->first, 0xff, registers * sizeof *a->first);
    a->stretch = lw_alloc((d->insns.count + 1) * sizeof *a->stretch);
    for (size_t u = 0; u < d->insns.count; u++)
        a->stretch[u + 1] = a->stretch[u] + plan_has_slow_path(d->insns.items[u].op);
    definition_walk w = {.definition = a->definition};
    for (w.u = 0; w.u < d->insns.count; w.u++)
        code_each_written(&d->insns.items[w.u], &d->infos.items[w.u], note_definition, &w);
    a->dominators = find_dominators(d);
    find_loops(a);
    find_recomputed(a);
    return a;
}

void plan_alignment_free(plan_alignment *a)
{
    lw_vec_free(&a->proofs);
    lw_vec_free(&a->recomputed);
    free(a->definition);
    free(a->first);
    free(a->stretch);
    free(a->loop);
    free(a->depth);
    code_dominators_free(&a->dominators);
    free(a);
}

/* The assembler writes what an access shows to the definition of the base, and looks for that in the access's own basic
 * block alone, which slow paths of divisions end, too (machine code of ptxas 13.0: curand_init of MRG32k3a). Where there are
 * several (a loop's pointer) they meet in a block that is not known here. */
static bool is_defined_in(const plan_alignment *a, code_ref base, uint32_t block, uint32_t u)
{
    const code_insn *i = plan_definition(a, base);
    if (!i) return true;
    return a->d->builder->sites.items[i->site].block == block && a->stretch[i - a->d->insns.items] == a->stretch[u];
}

void plan_alignment_prove(plan_alignment *a, uint32_t u, uint32_t block, uint32_t zeros)
{
    code_ref base = a->d->insns.items[u].a;
    if (!code_is_virtual(base) || !is_defined_in(a, base, block, u)) return;
    uint32_t *first = &a->first[code_vreg_of(base)];
    if (*first != NONE && a->proofs.items[*first].block == block && a->proofs.items[*first].zeros >= zeros) return;
    proof fresh = {block, zeros, *first};
    *first = (uint32_t)a->proofs.count;
    lw_vec_push(&a->proofs, fresh);
}

/* The one micro-operation that writes the register, or NULL. */
const code_insn *plan_definition(const plan_alignment *a, code_ref r)
{
    if (!code_is_virtual(r)) return NULL;
    uint32_t u = a->definition[code_vreg_of(r)];
    return u && u != NONE ? &a->d->insns.items[u - 1] : NULL;
}

bool plan_has_several(const plan_alignment *a, code_ref r)
{
    return code_is_virtual(r) && a->definition[code_vreg_of(r)] == NONE;
}

/* Is the register a parameter, as it is? */
static bool is_parameter(const plan_alignment *a, code_ref r)
{
    for (int copies = 0; copies < 4; copies++) {
        const code_insn *i = plan_definition(a, r);
        if (!i) return r != CODE_NO_REF && !code_is_virtual(r);
        if (i->op != OP_mov_b64 && i->op != OP_cvta) return false;
        r = i->a;
    }
    return false;
}

/* What the assembler knows of low bits it does not take into a loop, but of products, which it computes there again (machine
 * code of ptxas 13.0: HeCBench layernorm, whose step by which it goes on is cvt and shl). */
static bool is_lost_in_loop(const plan_alignment *a, code_ref r, uint32_t block)
{
    const code_insn *i = plan_definition(a, r);
    if (!i || i - a->d->insns.items >= (ptrdiff_t)a->loop[block]) return false;
    switch (i->op) {
    case OP_cvt_u64_u32:
    case OP_cvt_s64_s32:
    case OP_cvt_s64_u32:
    case OP_cvt_u64_s32:
    case OP_shl_b64:
    case OP_and_b64: return true;
    default: return false;
    }
}

static uint32_t zeros_at(const plan_alignment *a, code_ref r, uint32_t block, int depth)
{
    enum { DEEPEST = 6 };
    if (is_lost_in_loop(a, r, block)) return 0;
    plan_value known = plan_value_of(a->d, a->values, r);
    uint32_t zeros = known.zeros;
    if (!code_is_virtual(r)) return zeros;
    bool counts = (!depth || !is_parameter(a, r)) && !is_recomputed(a, r, block);
    for (uint32_t k = a->first[code_vreg_of(r)]; counts && k != NONE; k = a->proofs.items[k].next)
        if (plan_dominates(a, a->proofs.items[k].block, block)) zeros = LW_MAX(zeros, a->proofs.items[k].zeros);
    const code_insn *i = plan_definition(a, r);
    if (!i || depth == DEEPEST) return zeros;
    plan_value of[3] = {plan_value_of(a->d, a->values, i->a), plan_value_of(a->d, a->values, i->b),
                        plan_value_of(a->d, a->values, i->c)};
    if (i->a != CODE_NO_REF) of[0].zeros = (uint8_t)zeros_at(a, i->a, block, depth + 1);
    if (i->b != CODE_NO_REF) of[1].zeros = (uint8_t)zeros_at(a, i->b, block, depth + 1);
    return LW_MAX(zeros, plan_result_zeros(a->d, i, of[0], of[1], of[2]));
}

uint32_t plan_zeros_at(const plan_alignment *a, code_ref base, uint32_t block) { return zeros_at(a, base, block, 0); }
