/* What machine code has fewer of than PTX, as read in the code that ptxas 13.0 writes for 9.0:
 *
 * - a product and the sum that takes it are one instruction: FFMA, DFMA, IMAD, IMAD.WIDE; a shift and a sum are LEA, LEA.HI. A product of
 *   which all readers are such sums is computed in each of them;
 * - logic of up to three inputs is one LOP3, sums of up to three one IADD3;
 * - what combines predicates is an operand of the comparison; a comparison of logic with zero is a result of the LOP3;
 * - in a loop that does not change the divisor its reciprocal is computed before it, and where there are several divisions by the same
 *   one, once;
 * - a branch behind one that lanes may take is that one, the other way round;
 * - what all lanes load from one place of constant memory comes by ULDC, two words at once.
 *
 * And more: where lanes may go different ways, BSSY before the branch says where they meet, and BSYNC is there. Registers are in two
 * banks, odd and even, each of which gives a warp's one in a cycle: a product and sum of three holds up its scheduler, but where the
 * instruction before has just read one of them (".reuse"). Where all change, the banks take turns. */
#include "host/mnemonic_priv.h"
#include "host/time_folds_priv.h"
#include "host/time_waits_priv.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY HOST_NO_INSN
#define INPUTS 3 /* of a LOP3, an IADD3 */

typedef struct value {
    int32_t writer; /* the only one; NOBODY: none, or several */
    uint32_t writes, reads;
    uint32_t taken; /* readers that are sums and take it */
    bool varies;    /* from lane to lane, as far as can be seen */
} value;

/* Registers, and numbers. A register that logic has twice is one input. */
typedef struct inputs {
    int32_t of[INPUTS]; /* NOBODY: a number */
    uint8_t count;
} inputs;

typedef struct folder {
    const ptx_function *function;
    value *values; /* per register */
    uint8_t *folds;
    inputs *inputs;   /* of a logic operation or a sum, those that were folded into it included */
    int32_t *product; /* that a sum takes: an instruction, or NOBODY */
} folder;

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

static int32_t target_of(const folder *f, const ptx_insn *insn)
{
    const ptx_insn *to = host_branch_target(f->function, insn);
    return to ? (int32_t)(to - f->function->insns) : NOBODY;
}

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
    f->inputs[k].count = INPUTS;
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

/* false: it is one too many. */
static bool add_input(inputs *to, int32_t reg, bool logic)
{
    for (uint32_t k = 0; logic && reg != NOBODY && k < to->count; k++)
        if (to->of[k] == reg) return true;
    if (to->count == INPUTS) return false;
    to->of[to->count++] = reg;
    return true;
}

/* An operation's inputs, with those of its operands' writers in place of the operands in `taken` (bits); false: they are too many. */
static bool inputs_of(const folder *f, const ptx_insn *insn, uint32_t taken, inputs *out)
{
    const bool logic = is_logic(insn->mnemonic);
    *out = (inputs){.count = 0};
    for (uint32_t o = 1; o < insn->operand_count; o++) {
        const ptx_operand *operand = &insn->operands[o];
        const inputs own = {{operand->kind == PTX_OP_REG ? operand->reg : NOBODY}, 1};
        const inputs *in = taken >> o & 1 ? &f->inputs[writer_of(f, operand)] : &own;
        for (uint32_t k = 0; k < in->count; k++)
            if (!add_input(out, in->of[k], logic)) return false;
    }
    return true;
}

/* Operations of the same kind that nobody else reads: bits of the operands that they make. */
static uint32_t operands_to_take(const folder *f, const ptx_insn *insn)
{
    uint32_t taken = 0;
    for (uint32_t o = 1; o < insn->operand_count; o++) {
        int32_t writer = writer_of(f, &insn->operands[o]);
        if (writer == NOBODY || !read_once(f, &insn->operands[o]) || insn_at(f, writer)->guard >= 0) continue;
        bool fits = are_alike(insn->mnemonic, insn_at(f, writer)->mnemonic) && f->folds[writer] == HOST_FOLD_NONE;
        taken |= (uint32_t)fits << o;
    }
    return taken;
}

/* Takes in all of them, or else one, as long as the inputs are not too many. */
static void fold_inputs(folder *f, int32_t k)
{
    const ptx_insn *insn = insn_at(f, k);
    if (!is_logic(insn->mnemonic) && !is_short_sum(insn->mnemonic)) return;
    if (f->inputs[k].count) return; /* has a product */
    uint32_t taken = operands_to_take(f, insn), left = taken;
    for (; taken && !inputs_of(f, insn, taken, &f->inputs[k]); left &= left - 1) taken = left & -left;
    if (!taken) inputs_of(f, insn, taken, &f->inputs[k]);
    for (uint32_t o = 1; o < insn->operand_count; o++)
        if (taken >> o & 1) f->folds[writer_of(f, &insn->operands[o])] = HOST_FOLD_AWAY;
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

/* The divisor's register; NOBODY: it is no division, or by a number. */
static int32_t divisor_of(const ptx_insn *insn)
{
    bool by_register = is_division(insn->mnemonic) && insn->operand_count > 2 && insn->operands[2].kind == PTX_OP_REG;
    return by_register ? insn->operands[2].reg : NOBODY;
}

/* In a loop that does not change its divisor. */
static void fold_divisions(folder *f, const int32_t *loops)
{
    for (int32_t k = 0; k < (int32_t)f->function->insn_count; k++) {
        const ptx_insn *insn = insn_at(f, k);
        int32_t writer = divisor_of(insn) == NOBODY ? NOBODY : writer_of(f, &insn->operands[2]);
        if (loops[k] != NOBODY && writer != NOBODY && writer < loops[k]) f->folds[k] = HOST_FOLD_DIVISOR;
    }
}

/* Per instruction the first of those before it that branch to it, or NOBODY; its own place if one behind it does. */
static int32_t *first_branches(const folder *f)
{
    size_t count = f->function->insn_count;
    int32_t *from = lw_alloc((count + 1) * sizeof *from);
    for (size_t k = 0; k <= count; k++) from[k] = NOBODY;
    for (int32_t k = 0; k < (int32_t)count; k++) {
        int32_t to = target_of(f, insn_at(f, k));
        if (to == NOBODY || to > (int32_t)count) continue;
        if (to <= k) from[to] = to;
        else if (from[to] == NOBODY) from[to] = k;
    }
    return from;
}

/* Divisors that a warp has divided by on each way to an instruction, and not changed since. */
typedef struct divisors {
    int32_t *since; /* per register and sign: the division, + 1; 0: it has not */
    int32_t *stack; /* divisions, as they come */
    size_t open;
    int32_t *place; /* of since, per division of the stack */
} divisors;

/* Those of the divisions behind that place were gone past. */
static void forget_behind(divisors *d, int32_t place)
{
    while (d->open && d->stack[d->open - 1] > place) {
        d->open--;
        int32_t *since = &d->since[d->place[d->open]];
        if (*since == d->stack[d->open] + 1) *since = 0;
    }
}

static void forget_written(divisors *d, const ptx_operand *o)
{
    if (o->reg >= 0) d->since[2 * o->reg] = d->since[2 * o->reg + 1] = 0;
    for (uint32_t k = 0; k < o->item_count; k++) forget_written(d, &o->items[k]);
}

static void note_divisor(folder *f, divisors *d, int32_t k)
{
    const ptx_insn *insn = insn_at(f, k);
    int32_t reg = divisor_of(insn);
    if (reg != NOBODY) {
        int32_t at = 2 * reg + (strstr(insn->mnemonic, ".s32") != NULL);
        if (d->since[at]) f->folds[k] = HOST_FOLD_DIVISOR;
        else if (insn->guard < 0) {
            d->since[at] = k + 1;
            d->stack[d->open] = k;
            d->place[d->open++] = at;
        }
    }
    if (insn->operand_count && writes_first(insn->mnemonic)) forget_written(d, &insn->operands[0]);
}

/* Several divisions by the same: the reciprocal of the first is there for the others. */
static void share_divisors(folder *f)
{
    size_t count = f->function->insn_count + 1;
    int32_t *from = first_branches(f);
    divisors d = {.since = lw_alloc(2 * (f->function->register_count + 1) * sizeof *d.since),
                  .stack = lw_alloc(count * sizeof *d.stack),
                  .place = lw_alloc(count * sizeof *d.place)};
    for (int32_t k = 0; k < (int32_t)f->function->insn_count; k++) {
        if (from[k] == k) forget_behind(&d, NOBODY);
        else if (from[k] != NOBODY) forget_behind(&d, from[k]);
        note_divisor(f, &d, k);
    }
    free(from);
    free(d.since);
    free(d.stack);
    free(d.place);
}

/* ---------------------------------------------------------------- branches */
static bool operand_varies(const folder *f, const ptx_operand *o)
{
    bool varies = o->reg >= 0 && f->values[o->reg].varies;
    varies |= o->kind == PTX_OP_SPECIAL && (o->special == PTX_SPECIAL_TID || o->special == PTX_SPECIAL_LANEID);
    for (uint32_t k = 0; k < o->item_count; k++) varies |= operand_varies(f, &o->items[k]);
    return varies;
}

static void set_varies(folder *f, const ptx_operand *o)
{
    if (o->reg >= 0 && o->kind != PTX_OP_ADDRESS) f->values[o->reg].varies = true;
    for (uint32_t k = 0; k < o->item_count; k++) set_varies(f, &o->items[k]);
}

static bool branch_varies(const folder *f, const ptx_insn *bra)
{
    return bra->guard >= 0 && f->values[bra->guard].varies && !strstr(bra->mnemonic, ".uni");
}

/* What is made of values that vary does, and what is written at several places, of which lanes pass some only. Of data in memory that
 * all lanes load from one place the assembler knows that it is the same. ends: per instruction the end of the loop that begins there and
 * that lanes leave at different times. */
static void spread_variance(folder *f, int32_t *ends)
{
    int32_t until = 0;
    for (int32_t k = 0; k < (int32_t)f->function->insn_count; k++) {
        const ptx_insn *insn = insn_at(f, k);
        int32_t to = target_of(f, insn);
        until = LW_MAX(until, ends[k]);
        if (to != NOBODY && branch_varies(f, insn)) {
            if (to <= k) ends[to] = LW_MAX(ends[to], k);
            else until = LW_MAX(until, to);
        }
        if (!writes_first(insn->mnemonic) || !insn->operand_count) continue;
        const ptx_operand *first = &insn->operands[0];
        bool varies = begins(insn->mnemonic, "ld.local") || begins(insn->mnemonic, "atom");
        varies |= k < until && first->reg >= 0 && f->values[first->reg].writes > 1;
        varies |= insn->guard >= 0 && f->values[insn->guard].varies;
        for (uint32_t o = 1; o < insn->operand_count && !varies; o++) varies = operand_varies(f, &insn->operands[o]);
        if (varies) set_varies(f, first);
    }
}

/* The end of what lanes may go past by this branch, to meet the others behind it; NOBODY: it is none such. Loops have theirs before them. */
static int32_t end_of_branch(const folder *f, int32_t k, const int32_t *loop_ends)
{
    const ptx_insn *insn = insn_at(f, k);
    int32_t to = target_of(f, insn);
    if (to <= k || to >= (int32_t)f->function->insn_count || !branch_varies(f, insn)) return NOBODY;
    bool leaves = begins(insn_at(f, to)->mnemonic, "ret") || begins(insn_at(f, to)->mnemonic, "exit");
    leaves |= loop_ends[k] != NOBODY && to > loop_ends[k];
    return leaves ? NOBODY : to;
}

/* Several to the same place share what is there. */
static void fold_branches(folder *f, const int32_t *loop_ends)
{
    int32_t open = NOBODY;
    for (int32_t k = 0; k < (int32_t)f->function->insn_count; k++) {
        int32_t to = end_of_branch(f, k, loop_ends);
        if (to == NOBODY || to == open) continue;
        open = to;
        f->folds[k] = HOST_FOLD_MEETS;
    }
}

/* Two branches one behind the other go to where the first does and to where the second does: blocks are laid out so that one is enough. */
static void fold_pairs(folder *f)
{
    for (int32_t k = 1; k < (int32_t)f->function->insn_count; k++) {
        const ptx_insn *insn = insn_at(f, k), *before = insn_at(f, k - 1);
        bool pair =
            target_of(f, insn) != NOBODY && insn->guard < 0 && target_of(f, before) != NOBODY && before->guard >= 0;
        if (pair) f->folds[k] = HOST_FOLD_AWAY;
    }
}

/* Whether it is another in each turn of a loop. */
static bool goes_round(const folder *f, const ptx_operand *o, int depth)
{
    if (o->reg < 0 || !depth) return false;
    int32_t writer = f->values[o->reg].writer;
    bool round = f->values[o->reg].writes > 1;
    for (uint32_t k = 1; writer != NOBODY && k < insn_at(f, writer)->operand_count; k++)
        round |= goes_round(f, &insn_at(f, writer)->operands[k], depth - 1);
    return round;
}

/* The word behind the one that the last such load of the block was for: LDC.64 has fetched both. */
static bool is_second_word(const ptx_insn *load, const ptx_insn *before)
{
    const ptx_operand *o = &load->operands[1], *other = before ? &before->operands[1] : NULL;
    return other && o->reg == other->reg && o->imm == other->imm + 4 && o->imm % 8 == 4 && strstr(load->mnemonic, "32");
}

/* What a sum of integers adds in a loop comes to a register (LDC), where it is at a place that goes on from turn to turn: sums take one
 * constant, and one at a known place. */
static void load_summands(folder *f)
{
    const int depth = 4; /* of a pointer and an index */
    const ptx_insn *last = NULL;
    for (int32_t k = 0; k < (int32_t)f->function->insn_count; k++) {
        const ptx_insn *sum = insn_at(f, k);
        if (target_of(f, sum) != NOBODY) last = NULL;
        for (uint32_t o = 1; is_short_sum(sum->mnemonic) && o < sum->operand_count; o++) {
            int32_t writer = writer_of(f, &sum->operands[o]);
            if (writer == NOBODY || f->folds[writer] != HOST_FOLD_CONSTANT) continue;
            const ptx_insn *load = insn_at(f, writer);
            if (!goes_round(f, &load->operands[1], depth)) continue;
            bool second = is_second_word(load, last);
            f->folds[writer] = second ? HOST_FOLD_AWAY : HOST_FOLD_NONE;
            last = second ? NULL : load;
        }
    }
}

static bool loads_constant(const ptx_insn *insn)
{
    return begins(insn->mnemonic, "ld.const") && insn->operand_count > 1;
}

/* By register: whether a constant is loaded by it that lanes may go past. */
static void find_passed(const folder *f, const int32_t *loop_ends, bool *passed)
{
    int32_t end = NOBODY;
    for (int32_t k = 0; k < (int32_t)f->function->insn_count; k++) {
        const ptx_insn *insn = insn_at(f, k);
        end = LW_MAX(end, end_of_branch(f, k, loop_ends));
        bool past = k < end || insn->guard >= 0;
        if (past && loads_constant(insn) && insn->operands[1].reg >= 0) passed[insn->operands[1].reg] = true;
    }
}

/* What lanes may go past comes to a register (LDC), and all else that is loaded from where that register points to, which is none of the
 * uniform ones then (machine code of ptxas 13.0). */
static void fold_constants(folder *f, const int32_t *loop_ends)
{
    bool *passed = lw_alloc(f->function->register_count + (size_t)1);
    find_passed(f, loop_ends, passed);
    for (int32_t k = 0; k < (int32_t)f->function->insn_count; k++) {
        const ptx_insn *insn = insn_at(f, k);
        if (!loads_constant(insn) || insn->guard >= 0 || operand_varies(f, &insn->operands[1])) continue;
        int32_t reg = insn->operands[1].reg;
        if (reg < 0 || !passed[reg]) f->folds[k] = HOST_FOLD_CONSTANT;
    }
    free(passed);
    load_summands(f);
}

/* ---------------------------------------------------------------- banks of registers */
static bool is_product_and_sum(const ptx_insn *insn)
{
    return begins(insn->mnemonic, "fma.") && !strstr(insn->mnemonic, "64") && insn->operand_count == 4;
}

/* Whether it is the same for all lanes: a number, a parameter, what they load from one place of constant memory. */
static bool is_constant(const folder *f, const ptx_operand *o, bool *number)
{
    int32_t writer = writer_of(f, o);
    const ptx_insn *from = writer == NOBODY ? NULL : insn_at(f, writer);
    bool moved = from && begins(from->mnemonic, "mov.") && from->operand_count == 2 &&
                 (from->operands[1].kind == PTX_OP_INT || from->operands[1].kind == PTX_OP_F32);
    *number = o->kind != PTX_OP_REG || moved;
    return *number || (from && (begins(from->mnemonic, "ld.param") || f->folds[writer] == HOST_FOLD_CONSTANT));
}

/* Registers that it reads. One constant can be an operand; two that are no numbers are loaded to registers. */
static int registers_of(const folder *f, const ptx_insn *insn)
{
    int registers = 0, constants = 0, numbers = 0;
    for (uint32_t o = 1; o < insn->operand_count; o++) {
        bool again = false, number;
        for (uint32_t k = 1; k < o; k++)
            again |= insn->operands[k].reg >= 0 && insn->operands[k].reg == insn->operands[o].reg;
        if (again) continue;
        if (!is_constant(f, &insn->operands[o], &number)) registers++;
        else if (number) numbers++;
        else constants++;
    }
    return registers + (constants + numbers > 1 ? LW_MAX(constants, 1) : 0);
}

/* Whether the one behind it comes at once and has one of its factors, or its summand. */
static bool leaves_operand(const ptx_insn *insn, const ptx_insn *next)
{
    bool same = insn->operands[3].reg >= 0 && insn->operands[3].reg == next->operands[3].reg;
    for (uint32_t o = 1; o < next->operand_count; o++) {
        int32_t reg = next->operands[o].reg;
        if (reg >= 0 && reg == insn->operands[0].reg) return false;
        for (uint32_t k = 1; k < 3 && o < 3; k++) same |= reg >= 0 && reg == insn->operands[k].reg;
    }
    return same;
}

/* pairs: per register the last product and sum, + 1, that had it as a factor, and as a summand. */
typedef struct bank_reads {
    int32_t factor, summand;
} bank_reads;

/* Whether one of the block had one of its factors and its summand: both banks are asked for the same each time. */
static bool repeats_pair(const bank_reads *pairs, const ptx_insn *insn, int32_t block)
{
    int32_t with = insn->operands[3].reg >= 0 ? pairs[insn->operands[3].reg].summand : 0;
    bool repeats = false;
    for (uint32_t o = 1; o < 3; o++) {
        int32_t reg = insn->operands[o].reg;
        repeats |= reg >= 0 && with > block && pairs[reg].factor == with;
    }
    return repeats;
}

static void note_pairs(bank_reads *pairs, const ptx_insn *insn, int32_t at)
{
    for (uint32_t o = 1; o < 3; o++)
        if (insn->operands[o].reg >= 0) pairs[insn->operands[o].reg].factor = at + 1;
    if (insn->operands[3].reg >= 0) pairs[insn->operands[3].reg].summand = at + 1;
}

static void fold_reads(folder *f)
{
    bank_reads *pairs = lw_alloc((f->function->register_count + 1) * sizeof *pairs);
    int32_t block = 0; /* + 1 */
    const ptx_insn *last = NULL;
    for (int32_t k = 0; k < (int32_t)f->function->insn_count; k++) {
        const ptx_insn *insn = insn_at(f, k);
        if (target_of(f, insn) != NOBODY) block = k + 1, last = NULL;
        if (!is_product_and_sum(insn)) continue;
        bool reads = f->folds[k] == HOST_FOLD_NONE && registers_of(f, insn) > 2;
        if (reads && !(last && leaves_operand(last, insn)))
            f->folds[k] = repeats_pair(pairs, insn, block) ? HOST_FOLD_BANK : HOST_FOLD_READS;
        note_pairs(pairs, insn, k);
        last = insn;
    }
    free(pairs);
}

static void find_meetings(folder *f, const int32_t *loop_ends)
{
    const int passes = 3; /* values that go round in a loop, and loops in loops */
    int32_t *ends = lw_alloc((f->function->insn_count + 1) * sizeof *ends);
    for (int pass = 0; pass < passes; pass++) spread_variance(f, ends);
    fold_branches(f, loop_ends);
    fold_pairs(f);
    fold_constants(f, loop_ends);
    free(ends);
}

uint8_t *host_folds_of(const ptx_function *function)
{
    size_t count = function->insn_count + 1;
    folder f = {.function = function};
    f.values = lw_alloc((function->register_count + 1) * sizeof *f.values);
    f.folds = lw_alloc(count);
    f.inputs = lw_alloc(count * sizeof *f.inputs);
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
    host_loops loops = host_loops_of(function);
    fold_divisions(&f, loops.begin);
    share_divisors(&f);
    find_meetings(&f, loops.end);
    fold_reads(&f);
    host_loops_free(&loops);
    free(f.values);
    free(f.inputs);
    free(f.product);
    return f.folds;
}
