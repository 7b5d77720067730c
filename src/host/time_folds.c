/* What machine code has fewer of than PTX, as read in the code that ptxas 13.0 writes for 9.0:
 *
 * - a product and the sum that takes it are one instruction: FFMA, DFMA, IMAD, IMAD.WIDE; a shift and a sum are LEA, LEA.HI. A product of
 *   which all readers are such sums is computed in each of them;
 * - logic of up to three inputs is one LOP3, sums of up to three one IADD3;
 * - what combines predicates is an operand of the comparison; a comparison of logic with zero is a result of the LOP3;
 * - in a loop that does not change the divisor its reciprocal is computed before it. */
#include "host/time_folds_priv.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY (-1)
#define INPUTS 3 /* of a LOP3, an IADD3 */

typedef struct value {
    int32_t writer; /* the only one; NOBODY: none, or several */
    uint32_t writes, reads;
    uint32_t taken; /* readers that are sums and take it */
} value;

typedef struct folder {
    const ptx_function *function;
    value *values; /* per register */
    uint8_t *folds;
    uint8_t *inputs;  /* of a logic operation or a sum, those that were folded into it included */
    int32_t *product; /* that a sum takes: an instruction, or NOBODY */
} folder;

static bool begins(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

static bool is_one_of(const char *mnemonic, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(mnemonic, *names)) return true;
    return false;
}

/* ---------------------------------------------------------------- who writes and reads what */
static bool writes_first(const char *mnemonic)
{
    static const char *const without[] = {"st.",      "red.", "bra",    "bar",   "ret", "exit", "brx",
                                          "prefetch", "trap", "membar", "fence", "cp.", "call", NULL};
    for (const char *const *name = without; *name; name++)
        if (begins(mnemonic, *name)) return false;
    return true;
}

static void note_write(folder *f, const ptx_operand *o, int32_t insn)
{
    if (o->reg >= 0 && o->kind != PTX_OP_ADDRESS) {
        value *v = &f->values[o->reg];
        v->writer = v->writes++ ? NOBODY : insn;
    }
    for (uint32_t k = 0; k < o->item_count; k++) note_write(f, &o->items[k], insn);
}

static void note_read(folder *f, const ptx_operand *o)
{
    if (o->reg >= 0) f->values[o->reg].reads++;
    for (uint32_t k = 0; k < o->item_count; k++) note_read(f, &o->items[k]);
}

static void note_values(folder *f)
{
    for (size_t k = 0; k < f->function->register_count; k++) f->values[k].writer = NOBODY;
    for (size_t k = 0; k < f->function->insn_count; k++) {
        const ptx_insn *insn = &f->function->insns[k];
        bool call = begins(insn->mnemonic, "call"), writes = writes_first(insn->mnemonic);
        if (insn->guard >= 0) f->values[insn->guard].reads++;
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (call || (writes && !o)) note_write(f, &insn->operands[o], (int32_t)k);
            if (call || !writes || o) note_read(f, &insn->operands[o]);
        }
        /* only written if the guard holds: the value before it is another */
        if (insn->guard >= 0 && writes && insn->operand_count && insn->operands[0].reg >= 0)
            f->values[insn->operands[0].reg].writes++, f->values[insn->operands[0].reg].writer = NOBODY;
    }
}

/* The instruction that makes what an operand names. */
static int32_t writer_of(const folder *f, const ptx_operand *o)
{
    return o->kind == PTX_OP_REG && o->reg >= 0 ? f->values[o->reg].writer : NOBODY;
}

static const ptx_insn *insn_at(const folder *f, int32_t at) { return &f->function->insns[at]; }

static bool read_once(const folder *f, const ptx_operand *o) { return f->values[o->reg].reads == 1; }

/* ---------------------------------------------------------------- products in sums */
static bool is_sum(const char *mnemonic)
{
    static const char *const sums[] = {"add.s32", "add.u32", "sub.s32", "sub.u32",     "add.s64",
                                       "add.u64", "add.f32", "sub.f32", "add.ftz.f32", "sub.ftz.f32",
                                       "add.f64", "sub.f64", NULL};
    return is_one_of(mnemonic, sums);
}

static bool takes(const char *sum, const ptx_insn *product)
{
    const char *of = product->mnemonic;
    if (product->guard >= 0) return false;
    if (strstr(sum, "64") && !strstr(sum, "f64")) {
        bool is_long = !strcmp(of, "mul.lo.s64") || !strcmp(of, "mul.lo.u64");
        return begins(sum, "add") && (begins(of, "mul.wide.") || is_long);
    }
    if (strstr(sum, "32") && !strstr(sum, "f32")) {
        bool shift = (!strcmp(of, "shl.b32") || !strcmp(of, "shr.u32")) && product->operands[2].kind == PTX_OP_INT;
        return begins(sum, "add") && (shift || !strcmp(of, "mul.lo.s32") || !strcmp(of, "mul.lo.u32"));
    }
    return begins(of, "mul.") && !strcmp(of + 4, sum + 4); /* the same type, nothing said of rounding */
}

/* Of two products a sum takes the one that fewer read. */
static void take_product(folder *f, int32_t k)
{
    const ptx_insn *sum = insn_at(f, k);
    const ptx_operand *best = NULL;
    if (!is_sum(sum->mnemonic) || sum->operand_count < 3) return;
    for (uint32_t o = 1; o < 3; o++) {
        const ptx_operand *operand = &sum->operands[o];
        int32_t writer = writer_of(f, operand);
        if (writer == NOBODY || !takes(sum->mnemonic, insn_at(f, writer))) continue;
        if (!best || f->values[operand->reg].reads < f->values[best->reg].reads) best = operand;
    }
    if (!best) return;
    f->product[k] = writer_of(f, best);
    f->values[best->reg].taken++;
}

static void fold_product(folder *f, int32_t k)
{
    int32_t product = f->product[k];
    if (product == NOBODY) return;
    const ptx_insn *of = insn_at(f, product);
    const value *v = &f->values[of->operands[0].reg];
    if (v->taken != v->reads) return;                                    /* somebody needs the product itself */
    if (begins(of->mnemonic, "mul.lo.") && strstr(of->mnemonic, "64")) { /* several, of which one takes the addend */
        f->folds[k] = HOST_FOLD_AWAY;
        return;
    }
    f->folds[product] = HOST_FOLD_AWAY;
    if (begins(of->mnemonic, "mul.lo.") || begins(of->mnemonic, "mul.wide.")) f->folds[k] = HOST_FOLD_PRODUCT;
    f->inputs[k] = INPUTS;
}

/* ---------------------------------------------------------------- operations of three inputs */
static bool is_logic(const char *mnemonic)
{
    static const char *const logic[] = {"and.b32", "or.b32",  "xor.b32", "not.b32", "and.b64",
                                        "or.b64",  "xor.b64", "not.b64", NULL};
    return is_one_of(mnemonic, logic);
}

static bool is_short_sum(const char *mnemonic)
{
    static const char *const sums[] = {"add.s32", "add.u32", "sub.s32", "sub.u32", NULL};
    return is_one_of(mnemonic, sums);
}

static bool are_alike(const char *a, const char *b)
{
    if (is_logic(a)) return is_logic(b) && !strcmp(a + strlen(a) - 3, b + strlen(b) - 3);
    return is_short_sum(a) && is_short_sum(b);
}

/* Takes operations of the same kind that nobody else reads in, as long as the inputs are not too many. */
static void fold_inputs(folder *f, int32_t k)
{
    const ptx_insn *insn = insn_at(f, k);
    if (!is_logic(insn->mnemonic) && !is_short_sum(insn->mnemonic)) return;
    if (f->inputs[k]) return; /* has a product */
    uint32_t inputs = insn->operand_count - 1u;
    for (uint32_t o = 1; o < insn->operand_count; o++) {
        int32_t writer = writer_of(f, &insn->operands[o]);
        if (writer == NOBODY || !read_once(f, &insn->operands[o]) || insn_at(f, writer)->guard >= 0) continue;
        bool fits = are_alike(insn->mnemonic, insn_at(f, writer)->mnemonic) && f->folds[writer] == HOST_FOLD_NONE;
        if (!fits || inputs - 1 + f->inputs[writer] > INPUTS) continue;
        inputs += f->inputs[writer] - 1u;
        f->folds[writer] = HOST_FOLD_AWAY;
    }
    f->inputs[k] = (uint8_t)inputs;
}

/* ---------------------------------------------------------------- predicates */
static bool is_of_predicates(const char *mnemonic)
{
    static const char *const logic[] = {"and.pred", "or.pred", "xor.pred", "not.pred", NULL};
    return is_one_of(mnemonic, logic);
}

static void fold_predicates(folder *f, int32_t k)
{
    const ptx_insn *insn = insn_at(f, k);
    if (begins(insn->mnemonic, "setp.eq.") || begins(insn->mnemonic, "setp.ne.")) {
        int32_t writer = insn->operand_count == 3 ? writer_of(f, &insn->operands[1]) : NOBODY;
        bool zero = insn->operand_count == 3 && insn->operands[2].kind == PTX_OP_INT && !insn->operands[2].imm;
        if (writer != NOBODY && zero && is_logic(insn_at(f, writer)->mnemonic) && read_once(f, &insn->operands[1]))
            f->folds[k] = HOST_FOLD_AWAY;
    }
    if (!is_of_predicates(insn->mnemonic)) return;
    bool away = begins(insn->mnemonic, "not.");
    for (uint32_t o = 1; o < insn->operand_count && !away; o++) {
        int32_t writer = writer_of(f, &insn->operands[o]);
        if (writer == NOBODY || !read_once(f, &insn->operands[o])) continue;
        away = begins(insn_at(f, writer)->mnemonic, "setp") || f->folds[writer] == HOST_FOLD_AWAY;
    }
    if (away) f->folds[k] = HOST_FOLD_AWAY;
}

/* ---------------------------------------------------------------- moves */
/* A value that a loop hands on from turn to turn and one that takes it over live at once: two registers, and a copy. Of %tid and %ctaid
 * there is an instruction each; others are constants. */
static void fold_move(folder *f, int32_t k)
{
    const ptx_insn *insn = insn_at(f, k);
    if (!begins(insn->mnemonic, "mov.") || insn->operand_count != 2 || insn->operands[0].kind != PTX_OP_REG) return;
    const ptx_operand *from = &insn->operands[1];
    bool special =
        from->kind == PTX_OP_SPECIAL && (from->special == PTX_SPECIAL_TID || from->special == PTX_SPECIAL_CTAID);
    bool hands_on = from->kind == PTX_OP_REG && from->reg >= 0 && f->values[from->reg].writes > 1;
    hands_on = hands_on && f->values[insn->operands[0].reg].writes > 1;
    if (special || hands_on) f->folds[k] = HOST_FOLD_COPY;
}

/* ---------------------------------------------------------------- divisions */
static bool is_division(const char *mnemonic)
{
    static const char *const divisions[] = {"div.u32", "div.s32", "rem.u32", "rem.s32", NULL};
    return is_one_of(mnemonic, divisions);
}

/* Per instruction the first one of the innermost loop around it; those of no loop: none before it. */
static int32_t *loops_of(const ptx_function *function)
{
    size_t count = function->insn_count, open = 0;
    int32_t *begin = lw_alloc((count + 1) * sizeof *begin), *stack = lw_alloc((count + 1) * sizeof *stack);
    for (size_t k = count; k-- > 0;) {
        const ptx_insn *insn = &function->insns[k];
        while (open && stack[open - 1] > (int32_t)k) open--;
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            const ptx_operand *to = &insn->operands[o];
            bool back = to->kind == PTX_OP_LABEL && begins(insn->mnemonic, "bra") && to->imm <= (int64_t)k;
            if (back && (!open || stack[open - 1] < (int32_t)to->imm)) stack[open++] = (int32_t)to->imm;
        }
        begin[k] = open ? stack[open - 1] : NOBODY;
    }
    free(stack);
    return begin;
}

static void fold_divisions(folder *f)
{
    int32_t *loops = NULL;
    for (size_t k = 0; k < f->function->insn_count; k++) {
        const ptx_insn *insn = &f->function->insns[k];
        if (!is_division(insn->mnemonic) || insn->operand_count < 3 || insn->operands[2].kind != PTX_OP_REG) continue;
        if (!loops) loops = loops_of(f->function);
        int32_t writer = writer_of(f, &insn->operands[2]);
        if (loops[k] != NOBODY && writer != NOBODY && writer < loops[k]) f->folds[k] = HOST_FOLD_DIVISOR;
    }
    free(loops);
}

uint8_t *host_folds_of(const ptx_function *function)
{
    size_t count = function->insn_count + 1;
    folder f = {.function = function};
    f.values = lw_alloc((function->register_count + 1) * sizeof *f.values);
    f.folds = lw_alloc(count);
    f.inputs = lw_alloc(count);
    f.product = lw_alloc(count * sizeof *f.product);
    note_values(&f);
    for (int32_t k = 0; k < (int32_t)function->insn_count; k++) {
        f.product[k] = NOBODY;
        take_product(&f, k);
    }
    for (int32_t k = 0; k < (int32_t)function->insn_count; k++) {
        fold_product(&f, k);
        fold_inputs(&f, k);
        fold_predicates(&f, k);
        fold_move(&f, k);
    }
    fold_divisions(&f);
    free(f.values);
    free(f.inputs);
    free(f.product);
    return f.folds;
}
