/* bases.c: which shared variable the address of a memory instruction derives from. A register that holds the address of a
 * variable, plus or minus anything that is no address, still means this variable; one that may hold the address of
 * several, or a value from memory, a parameter or a call, means none. The order of instructions is left out: a register
 * means a variable only if all that is ever written to it does. Optimisers keep the variable (an address computed from the
 * difference of two variables derives from two, and so from none). */
#include "code/decode.h"

#include <stdlib.h>
#include <string.h>

/* What a register holds: nothing yet, no address (or one that is not known), the address of `variable`, or one of
 * several. The value only goes up, so that looking again ends. */
typedef enum base_kind { BASE_NOTHING, BASE_NUMBER, BASE_VARIABLE, BASE_SEVERAL } base_kind;
typedef struct base {
    base_kind kind;
    const ptx_variable *variable;
} base;

static const base several = {BASE_SEVERAL, NULL};
static const base number = {BASE_NUMBER, NULL};

/* One value or the other. */
static base either(base a, base b)
{
    if (a.kind == BASE_NOTHING) return b;
    if (b.kind == BASE_NOTHING) return a;
    return a.kind == b.kind && a.variable == b.variable ? a : several;
}

/* a + b */
static base sum(base a, base b)
{
    if (a.kind == BASE_NOTHING || b.kind == BASE_NOTHING) return (base){BASE_NOTHING, NULL};
    if (a.kind == BASE_NUMBER) return b;
    return b.kind == BASE_NUMBER ? a : several;
}

static base of_operand(const base *registers, const ptx_operand *o)
{
    if (o->kind == PTX_OP_REG && o->reg >= 0) return registers[o->reg];
    if (o->kind == PTX_OP_VARIABLE && o->variable && o->variable->space == PTX_SHARED)
        return (base){BASE_VARIABLE, o->variable};
    return number;
}

/* What an operation that keeps no address makes: of an address, nothing that may be used as one. */
static base of_others(const base *registers, const ptx_insn *in)
{
    base all = number;
    for (uint32_t k = 1; k < in->operand_count; k++) {
        base one = of_operand(registers, &in->operands[k]);
        if (one.kind == BASE_NOTHING) return one;
        if (one.kind != BASE_NUMBER) all = several;
    }
    return all;
}

static bool begins(const ptx_insn *in, const char *word) { return !strncmp(in->mnemonic, word, strlen(word)); }

static base result_of(const base *registers, const ptx_insn *in)
{
    const ptx_operand *o = in->operands;
    uint32_t n = in->operand_count;
    bool copies = begins(in, "mov.") || begins(in, "cvta.") || begins(in, "cvt.");
    bool adds = begins(in, "add.") || begins(in, "and.") || begins(in, "or.");
    if (copies && n == 2) return of_operand(registers, &o[1]);
    if (adds && n == 3) return sum(of_operand(registers, &o[1]), of_operand(registers, &o[2]));
    if (begins(in, "selp.") && n == 4) return either(of_operand(registers, &o[1]), of_operand(registers, &o[2]));
    if (begins(in, "sub.") && n == 3) {
        base b = of_operand(registers, &o[2]);
        return b.kind > BASE_NUMBER ? several : sum(of_operand(registers, &o[1]), b);
    }
    if (begins(in, "mad.") && n == 4) {
        base a = sum(of_operand(registers, &o[1]), of_operand(registers, &o[2]));
        return a.kind > BASE_NUMBER ? several : sum(a, of_operand(registers, &o[3]));
    }
    return of_others(registers, in);
}

/* Joins what is written to a register; true if that changes what it holds. */
static bool put(base *registers, const ptx_operand *o, base value)
{
    bool changed = false;
    for (uint32_t k = 0; k < o->item_count; k++) changed |= put(registers, &o->items[k], number);
    if (o->kind != PTX_OP_REG || o->reg < 0) return changed;
    base *r = &registers[o->reg];
    base joined = either(*r, value);
    changed |= joined.kind != r->kind;
    *r = joined;
    return changed;
}

static bool writes_first(const ptx_insn *in)
{
    return !begins(in, "st.") && !begins(in, "red.") && !begins(in, "bra") && !begins(in, "bar");
}

static base *find_bases(const ptx_function *f)
{
    base *registers = lw_alloc((f->register_count + 1) * sizeof *registers);
    bool changed = true;
    for (size_t k = 0; k < f->param_count && f->param_registers; k++)
        if (f->param_registers[k] >= 0) registers[f->param_registers[k]] = number;
    while (changed) {
        changed = false;
        for (size_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *in = &f->insns[k];
            if (!in->operand_count || !writes_first(in)) continue;
            changed |= put(registers, &in->operands[0], result_of(registers, in));
        }
    }
    return registers;
}

static const ptx_variable *base_of(const base *registers, const ptx_insn *in)
{
    static const char *const accesses[] = {"ld.", "st.", "atom.", "red.", "cp.async.c", "ldmatrix.", "stmatrix."};
    bool is_access = false;
    for (size_t k = 0; k < LW_COUNT(accesses); k++) is_access |= begins(in, accesses[k]);
    if (!is_access) return NULL;
    for (uint32_t k = 0; k < in->operand_count; k++) {
        const ptx_operand *o = &in->operands[k];
        if (o->kind != PTX_OP_ADDRESS) continue;
        if (o->variable) return o->variable->space == PTX_SHARED ? o->variable : NULL;
        return o->reg >= 0 && registers[o->reg].kind == BASE_VARIABLE ? registers[o->reg].variable : NULL;
    }
    return NULL;
}

/* The variable's place for events; the same for all its instructions. */
static const event_variable *placed(kernel_builder *b, lw_map *known, const ptx_variable *v)
{
    const event_variable *have = lw_map_get(known, (const char *)&v, sizeof v);
    uint64_t offset;
    if (have) return have;
    if (!code_shared_offset(b, v, &offset)) return NULL;
    event_variable *made = LW_NEW(&b->kernel->arena, event_variable);
    *made = (event_variable){lw_arena_strdup(&b->kernel->arena, v->name), (uint32_t)offset, (uint32_t)v->bytes};
    const ptx_variable **key = lw_arena_alloc(&b->kernel->arena, sizeof *key);
    *key = v;
    lw_map_put(known, (const char *)key, sizeof *key, made);
    return made;
}

void code_note_variables(kernel_builder *b, event_insn *insns)
{
    enum { ENOUGH = 2 }; /* of one variable alone, all that lies outside is outside of the block's shared memory */
    if (b->shared_offset.count < ENOUGH) return;
    lw_map known = {0};
    const ptx_function *function = NULL;
    base *registers = NULL;
    for (uint32_t k = 0; k < b->kernel->site_count; k++) {
        const code_site *site = &b->kernel->sites[k];
        if (!site->insn) continue;
        if (site->function != function) {
            free(registers);
            function = site->function;
            registers = find_bases(function);
        }
        const ptx_variable *v = base_of(registers, site->insn);
        if (v) insns[k].variable = placed(b, &known, v);
    }
    free(registers);
    lw_map_free(&known);
}
