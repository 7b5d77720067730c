/* contract.c: which sums of a function are fused with a product.
 *
 * A compiler of CUDA fuses what it can before it writes PTX. What is left as `mul` and `add` without a rounding modifier
 * the assembler may fuse as well (PTX ISA, "add": "mul/add sequences with no rounding modifiers may be optimized to use
 * fused multiply-add"), and results differ in the last bit by whether it does. The rules below are those of ptxas 13.0 at
 * -O3, found by reading the machine code of small programs; tests/programs2/contraction.cu holds them and runs on a card, too.
 *
 * - A sum takes a product of the same type and .ftz, whose value reaches it directly or through `neg`. A product has neither
 *   guard nor .sat, a sum may have both; `div.approx` and `div.full` are products with a reciprocal.
 * - Both stand in one segment: between branches, their targets, calls, and divisions and square roots that are routines of
 *   their own. A product with a factor that is the same everywhere (a constant, a kernel's parameter) reaches beyond.
 * - First, in the order of the text, a sum takes a product that is read only there. Then a sum takes a product whose readers
 *   are all sums that can take it. Where both addends would do, it is the first.
 * - x + x takes none. Nothing is fused in code for a debugger (.target debug). */
#include "code/contract.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY (-1)
#define POISON 1000 /* added to the readers of a value whose readers are not all known */

typedef enum number_type { F32, F64, F16, F16X2, BF16, BF16X2, NUMBER_TYPES } number_type;

typedef struct shape {
    uint8_t kind; /* enum contract_kind */
    uint8_t type; /* enum number_type */
    bool ftz, minus;
} shape;

/* The value that an instruction makes. */
typedef struct value {
    shape shape;
    uint32_t segment;
    int32_t source[2]; /* the instructions that made the operands of a sum or negation, or NOBODY */
    uint32_t readers;
    uint32_t leaves; /* of a product: its readers, counting those of its negations for them */
    uint32_t takers; /* and how many of them are sums that could still take it */
    bool replaced;   /* its register is written again in the segment: nobody outside reads it */
    bool portable;   /* a product that reaches beyond its segment */
} value;

typedef struct reg_state {
    uint32_t definitions;
    int32_t first;      /* the first of them in the text */
    int32_t last;       /* the last so far in this segment; NOBODY: unknown */
    uint32_t last_seen; /* segment + 1 of `last` */
} reg_state;

typedef struct contract_state {
    const ptx_module *module;
    const ptx_function *f;
    value *values;   /* by instruction */
    reg_state *regs; /* by register */
    uint8_t *target; /* by instruction: something branches here */
    contract_insn *out;
    uint32_t segment;
    bool any;
} contract_state;

/* ---------------------------------------------------------------- mnemonics */
static bool take(const char **at, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*at, word, n)) return false;
    *at += n;
    return true;
}

static shape shape_of(const char *mnemonic)
{
    static const struct {
        const char *word;
        shape shape;
    } words[] = {
        {"mul.", {.kind = CONTRACT_PRODUCT}},         {"add.", {.kind = CONTRACT_SUM}},
        {"sub.", {.kind = CONTRACT_SUM, .minus = 1}}, {"neg.", {.kind = CONTRACT_NEGATION}},
        {"div.approx.", {.kind = CONTRACT_QUOTIENT}}, {"div.full.", {.kind = CONTRACT_QUOTIENT}},
    };
    static const char *const types[NUMBER_TYPES] = {"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"};
    static const shape nothing = {0};
    for (size_t k = 0; k < LW_COUNT(words); k++) {
        const char *at = mnemonic;
        if (!take(&at, words[k].word)) continue;
        shape s = words[k].shape;
        s.ftz = take(&at, "ftz.");
        if (s.kind == CONTRACT_SUM) take(&at, "sat.");
        for (s.type = 0; s.type < NUMBER_TYPES; s.type++)
            if (!strcmp(at, types[s.type])) return s;
        return nothing;
    }
    return nothing;
}

static bool begins(const char *mnemonic, const char *word) { return take(&mnemonic, word); }

static bool is_routine(const char *mnemonic)
{
    static const char *const words[] = {"div.r",   "rcp.r",   "sqrt.r",  "div.u64", "div.s64",
                                        "rem.u64", "rem.s64", "div.f64", "rcp.f64", "sqrt.f64"};
    for (size_t k = 0; k < LW_COUNT(words); k++)
        if (begins(mnemonic, words[k])) return true;
    return false;
}

static bool ends_segment(const ptx_insn *in)
{
    static const char *const words[] = {"bra", "brx", "call", "ret", "exit", "trap"};
    for (size_t k = 0; k < LW_COUNT(words); k++)
        if (begins(in->mnemonic, words[k])) return true;
    return is_routine(in->mnemonic);
}

/* ---------------------------------------------------------------- registers that an instruction names */
typedef void (*visit)(contract_state *c, int32_t insn, int32_t reg);

static void each_register(contract_state *c, int32_t insn, const ptx_operand *o, visit fn)
{
    if (o->reg >= 0) fn(c, insn, o->reg);
    for (uint32_t k = 0; k < o->item_count; k++) each_register(c, insn, &o->items[k], fn);
}

/* Is the first operand what the instruction writes? An address is not; other first operands that are only read
 * (a barrier's number) hold no product. */
static bool writes_first(const ptx_insn *in)
{
    return in->operand_count && in->operands[0].kind != PTX_OP_ADDRESS && in->operands[0].kind != PTX_OP_TEX;
}

static void count_definition(contract_state *c, int32_t insn, int32_t reg)
{
    reg_state *r = &c->regs[reg];
    if (!r->definitions++) r->first = insn;
}

/* The instruction that made what the register holds now, or NOBODY. */
static int32_t maker(const contract_state *c, int32_t insn, int32_t reg)
{
    const reg_state *r = &c->regs[reg];
    if (r->last_seen == c->segment + 1) return r->last;
    return r->definitions == 1 && r->first < insn ? r->first : NOBODY;
}

static void count_reader(contract_state *c, int32_t insn, int32_t reg)
{
    int32_t from = maker(c, insn, reg);
    if (from != NOBODY) c->values[from].readers++;
    else if (c->regs[reg].definitions == 1) c->values[c->regs[reg].first].readers += POISON; /* around a loop */
}

static void define(contract_state *c, int32_t insn, int32_t reg)
{
    reg_state *r = &c->regs[reg];
    bool guarded = c->f->insns[insn].guard >= 0;
    if (r->last_seen == c->segment + 1 && r->last != NOBODY) {
        if (guarded) c->values[r->last].readers += POISON;
        else c->values[r->last].replaced = true;
    }
    r->last = guarded ? NOBODY : insn;
    r->last_seen = c->segment + 1;
}

/* Vectors and lists as first operands may be read as well (calls, wgmma). */
static void visit_insn(contract_state *c, int32_t insn)
{
    const ptx_insn *in = &c->f->insns[insn];
    bool writes = writes_first(in);
    bool plain = writes && in->operands[0].kind == PTX_OP_REG;
    for (uint32_t k = plain; k < in->operand_count; k++) each_register(c, insn, &in->operands[k], count_reader);
    if (in->guard >= 0) count_reader(c, insn, in->guard);
    if (writes) each_register(c, insn, &in->operands[0], define);
}

/* ---------------------------------------------------------------- products */
static bool is_immediate(const ptx_operand *o)
{
    return o->kind == PTX_OP_INT || o->kind == PTX_OP_F32 || o->kind == PTX_OP_F64;
}

/* The same wherever it is read: a constant, a kernel's parameter, constant memory at a fixed place. */
static bool is_everywhere(const contract_state *c, const ptx_operand *o)
{
    if (is_immediate(o)) return true;
    if (o->kind != PTX_OP_REG || c->regs[o->reg].definitions != 1) return false;
    const ptx_insn *from = &c->f->insns[c->regs[o->reg].first];
    if (from->guard >= 0 || from->operand_count != 2) return false;
    if (begins(from->mnemonic, "mov.")) return is_immediate(&from->operands[1]);
    if (begins(from->mnemonic, "ld.param")) return c->f->is_entry && from->operands[1].variable != NULL;
    return begins(from->mnemonic, "ld.const") && from->operands[1].reg < 0;
}

static bool is_product(const value *v)
{
    return v->shape.kind == CONTRACT_PRODUCT || v->shape.kind == CONTRACT_QUOTIENT;
}

static void describe(contract_state *c, int32_t insn)
{
    const ptx_insn *in = &c->f->insns[insn];
    value *v = &c->values[insn];
    v->segment = c->segment;
    v->source[0] = v->source[1] = NOBODY;
    v->shape = shape_of(in->mnemonic);
    if (!v->shape.kind) return;
    uint32_t sources = v->shape.kind == CONTRACT_NEGATION ? 1 : 2;
    bool fits = in->operand_count == sources + 1 && in->operands[0].kind == PTX_OP_REG;
    if (!fits || (in->guard >= 0 && v->shape.kind != CONTRACT_SUM)) {
        v->shape.kind = CONTRACT_NONE;
        return;
    }
    for (uint32_t k = 0; k < sources; k++) {
        const ptx_operand *o = &in->operands[k + 1];
        if (o->kind == PTX_OP_REG && !o->negated) v->source[k] = maker(c, insn, o->reg);
    }
    if (v->shape.kind == CONTRACT_PRODUCT)
        v->portable = is_everywhere(c, &in->operands[1]) || is_everywhere(c, &in->operands[2]);
}

/* Do all who read the value stand where it is known to be this one? */
static bool is_known(const contract_state *c, int32_t insn)
{
    const ptx_operand *to = &c->f->insns[insn].operands[0];
    return c->values[insn].replaced || (to->reg >= 0 && c->regs[to->reg].definitions == 1); /* -1: a vector */
}

/* The product that an addend of a sum is, through negations; NOBODY. */
static int32_t product_of(const contract_state *c, int32_t sum, uint32_t operand, bool *out_minus)
{
    const value *s = &c->values[sum];
    bool minus = s->shape.minus && operand == 1;
    for (int32_t at = s->source[operand]; at != NOBODY;) {
        const value *v = &c->values[at];
        if (v->shape.type != s->shape.type || !is_known(c, at)) return NOBODY;
        if (is_product(v)) {
            *out_minus = minus;
            bool reaches = v->segment == s->segment || v->portable;
            return v->shape.ftz == s->shape.ftz && reaches ? at : NOBODY;
        }
        if (v->shape.kind != CONTRACT_NEGATION || (v->shape.ftz && !s->shape.ftz)) return NOBODY;
        minus = !minus;
        at = v->source[0];
    }
    return NOBODY;
}

/* ---------------------------------------------------------------- who takes what */
static bool can_take(const contract_state *c, int32_t sum, uint32_t operand, int32_t *out_product, bool *out_minus)
{
    bool minus = false, unused = false;
    *out_product = product_of(c, sum, operand, &minus);
    *out_minus = minus;
    if (*out_product == NOBODY) return false;
    return product_of(c, sum, 1 - operand, &unused) != *out_product;
}

static void count_takers(contract_state *c, int32_t sum, int by)
{
    for (uint32_t k = 0; k < 2; k++) {
        int32_t p = NOBODY;
        bool minus = false;
        if (can_take(c, sum, k, &p, &minus)) c->values[p].takers += (uint32_t)by;
    }
}

static bool needs_copies(const contract_state *c, int32_t product, int32_t sum)
{
    const ptx_insn *in = &c->f->insns[product];
    if (c->values[product].segment != c->values[sum].segment) return true;
    for (uint32_t k = 1; k < 3; k++) {
        if (in->operands[k].kind != PTX_OP_REG) continue;
        const reg_state *r = &c->regs[in->operands[k].reg];
        if (r->definitions != 1 || (r->first >= product && r->first < sum)) return true;
    }
    return false;
}

static void fuse(contract_state *c, int32_t sum, uint32_t operand, int32_t product, bool minus)
{
    count_takers(c, sum, -1);
    for (int32_t at = c->values[sum].source[operand]; at != product; at = c->values[at].source[0])
        c->values[at].readers--;
    c->values[product].leaves--;
    contract_insn *o = &c->out[sum];
    o->product = product;
    o->operand = (uint8_t)operand;
    o->minus = minus;
    o->minus_other = c->values[sum].shape.minus && operand == 0;
    if (c->values[product].shape.kind == CONTRACT_QUOTIENT || needs_copies(c, product, sum))
        c->out[product].copied = true;
    c->any = true;
}

/* pass 0: products read only once; pass 1: those whose readers all can take them */
static void take_products(contract_state *c, uint32_t pass)
{
    for (int32_t s = 0; s < (int32_t)c->f->insn_count; s++) {
        if (c->values[s].shape.kind != CONTRACT_SUM || c->out[s].product != NOBODY) continue;
        for (uint32_t k = 0; k < 2; k++) {
            int32_t p = NOBODY;
            bool minus = false;
            if (!can_take(c, s, k, &p, &minus)) continue;
            const value *v = &c->values[p];
            if (pass == 0 ? v->readers != 1 || v->leaves != 1 : v->leaves != v->takers) continue;
            fuse(c, s, k, p, minus);
            break;
        }
    }
}

static void count_leaves(contract_state *c)
{
    size_t n = c->f->insn_count;
    for (size_t k = 0; k < n; k++) c->values[k].leaves = c->values[k].readers;
    /* from the last negation of a chain to its product */
    for (size_t k = n; k-- > 0;) {
        const value *v = &c->values[k];
        if (v->shape.kind != CONTRACT_NEGATION || v->source[0] == NOBODY) continue;
        uint32_t known = is_known(c, (int32_t)k) ? v->leaves : POISON;
        c->values[v->source[0]].leaves += known - 1;
    }
}

static void drop_unread(contract_state *c)
{
    for (size_t k = 0; k < c->f->insn_count; k++) {
        const value *v = &c->values[k];
        contract_insn *o = &c->out[k];
        o->kind = v->shape.kind;
        if (is_product(v)) o->dropped = v->readers && !v->leaves;
        if (v->shape.kind == CONTRACT_NEGATION && v->source[0] != NOBODY && is_product(&c->values[v->source[0]]))
            o->dropped = !c->values[v->source[0]].leaves;
    }
}

/* ---------------------------------------------------------------- a function */
static void find_targets(contract_state *c)
{
    for (size_t k = 0; k < c->f->insn_count; k++) {
        const ptx_insn *in = &c->f->insns[k];
        for (uint32_t o = 0; o < in->operand_count; o++) {
            const ptx_operand *at = &in->operands[o];
            if (at->kind == PTX_OP_LABEL && (size_t)at->imm < c->f->insn_count) c->target[at->imm] = 1;
            if (at->kind != PTX_OP_TARGETS) continue;
            for (size_t t = 0; t < at->targets->count; t++)
                if (at->targets->labels && at->targets->labels[t] < c->f->insn_count)
                    c->target[at->targets->labels[t]] = 1;
        }
    }
}

static bool has_both(const ptx_function *f)
{
    bool product = false, sum = false;
    for (size_t k = 0; k < f->insn_count && !(product && sum); k++) {
        shape s = shape_of(f->insns[k].mnemonic);
        product |= s.kind == CONTRACT_PRODUCT || s.kind == CONTRACT_QUOTIENT;
        sum |= s.kind == CONTRACT_SUM;
    }
    return product && sum;
}

static void read_function(contract_state *c)
{
    size_t n = c->f->insn_count;
    for (size_t k = 0; k < n; k++)
        if (writes_first(&c->f->insns[k])) each_register(c, (int32_t)k, &c->f->insns[k].operands[0], count_definition);
    find_targets(c);
    for (size_t k = 0; k < n; k++) {
        if (c->target[k]) c->segment++;
        describe(c, (int32_t)k);
        visit_insn(c, (int32_t)k);
        if (ends_segment(&c->f->insns[k])) c->segment++;
    }
}

contract_insn *code_contract(const ptx_module *module, const ptx_function *f)
{
    if (module->debug_target || !has_both(f)) return NULL;
    size_t n = f->insn_count;
    contract_state c = {.module = module,
                        .f = f,
                        .values = lw_alloc(n * sizeof *c.values),
                        .regs = lw_alloc((f->register_count + 1) * sizeof *c.regs),
                        .target = lw_alloc(n),
                        .out = lw_alloc(n * sizeof *c.out)};
    for (size_t k = 0; k < n; k++) c.out[k].product = NOBODY;
    read_function(&c);
    count_leaves(&c);
    for (size_t k = 0; k < n; k++)
        if (c.values[k].shape.kind == CONTRACT_SUM) count_takers(&c, (int32_t)k, 1);
    take_products(&c, 0);
    take_products(&c, 1);
    drop_unread(&c);
    free(c.values);
    free(c.regs);
    free(c.target);
    if (c.any) return c.out;
    free(c.out);
    return NULL;
}
