/* decode_wgmma.c: products of a warpgroup: wgmma.mma_async and what orders it. */
#include "code/decode_tensor.h"
#include "ptx/mods.h"

#include <stdio.h>
#include <string.h>

/* "m64n128k16": the type of A decides which k there is, and with integers which n. */
static bool read_shape(const decode_parts *p, code_tensor *t)
{
    unsigned n = 0, depth = 0;
    char word[32], made[32];
    for (uint32_t k = 0; k < p->count && !n; k++) {
        snprintf(word, sizeof word, "%.*s", (int)p->size[k], p->part[k]);
        if (sscanf(word, "m64n%3uk%4u", &n, &depth) != 2) n = 0;
    }
    snprintf(made, sizeof made, "m64n%uk%u", n, depth);
    bool integer = decode_tensor_family(t->a) == TENSOR_S8 || t->a == TENSOR_B1;
    bool known = n >= 8 && n <= 256 && n % 8 == 0 && (!integer || n <= 32 || n % 16 == 0);
    if (t->sparse && t->a == TENSOR_B1) return false;
    if (!known || strcmp(word, made) || depth * decode_tensor_bits(t->a) != (t->sparse ? 512 : 256)) return false;
    t->m = 16;
    t->n = 8;
    t->k = (uint16_t)depth;
    t->columns = (uint16_t)n;
    return true;
}

/* Of D, A and B. */
static bool read_types(const decode_parts *p, code_tensor *t)
{
    int types[3];
    if (decode_tensor_types(p, types, 3) != 3) return false;
    t->c = (uint8_t)types[0];
    t->a = (uint8_t)types[1];
    t->b = (uint8_t)types[2];
    if (decode_tensor_family(t->a) != decode_tensor_family(t->b)) return false;
    switch (decode_tensor_family(t->a)) {
    case TENSOR_F16: return t->a == t->b && (t->c == TENSOR_F32 || (t->c == TENSOR_F16 && t->a == TENSOR_F16));
    case TENSOR_E4M3: return t->c == TENSOR_F32 || t->c == TENSOR_F16;
    case TENSOR_TF32: return t->c == TENSOR_F32;
    case TENSOR_S8:
    case TENSOR_B1: return t->c == TENSOR_S32;
    default: return false;
    }
}

/* How sm_90a sums: fp8 in one step of 32, of which fewer bits are kept. Of sparse products only what is kept counts. */
static void set_rule(code_tensor *t)
{
    bool fp8 = decode_tensor_family(t->a) == TENSOR_E4M3;
    t->step = (uint8_t)(fp8 ? 32 : t->a == TENSOR_TF32 ? 8 : 16);
    t->bits = fp8 ? 13 : 25;
    t->keep = fp8 ? 13 : 23;
    t->registers_a = t->shared_a ? 1 : 4;
    t->registers_b = 1;
    t->registers_c = (uint8_t)(t->columns * (t->c == TENSOR_F16 ? 1 : 2) / 4);
}

/* An immediate operand that is one of two; false: it is another. */
static bool read_choice(decoder *d, uint32_t at, int64_t no, int64_t yes, bool *out)
{
    int64_t value = no;
    if (!decode_is_int(&d->ops[at], &value) || (value != no && value != yes)) {
        decode_problem(d, "'%s': operand %u is %d or %d", d->in->mnemonic, at + 1, (int)no, (int)yes);
        return false;
    }
    *out = value == yes;
    return true;
}

/* d, a, b, of sparse products metadata and selector, scale-d, then scales of floats, then of 16-bit elements what is transposed
 * in shared memory. */
static bool read_choices(decoder *d, code_tensor *t)
{
    bool halves = decode_tensor_family(t->a) == TENSOR_F16, floats = t->c != TENSOR_S32, second = false;
    uint32_t at = t->sparse ? 6 : 4; /* behind scale-d */
    if (!decode_operands_are(d, at + 2 * floats + (halves ? 1u + t->shared_a : 0))) return false;
    if (t->sparse && !read_choice(d, 4, 0, 1, &second)) return false;
    t->selector = second;
    if (second && decode_tensor_bits(t->a) == 8) {
        decode_problem(d, "'%s': the selector of 8-bit elements is 0", d->in->mnemonic);
        return false;
    }
    if (floats && (!read_choice(d, at, 1, -1, &t->negate_a) || !read_choice(d, at + 1, 1, -1, &t->negate_b)))
        return false;
    if (halves && t->shared_a && !read_choice(d, at + 2, 0, 1, &t->column_a)) return false;
    return !halves || read_choice(d, at + 2 + t->shared_a, 0, 1, &t->row_b);
}

static void decode_product(decoder *d, const decode_parts *p)
{
    code_tensor *t = LW_NEW(d->arena, code_tensor);
    t->sparse = decode_part_is(p, 2, "sp");
    uint32_t sync = 2u + t->sparse;
    if (p->count < 5 || !decode_part_is(p, sync, "sync") || !decode_part_is(p, sync + 1, "aligned") ||
        !read_types(p, t) || !read_shape(p, t) || d->in->operand_count < (t->sparse ? 6 : 4)) {
        decode_problem(d, "'%s': this product of matrices is not supported", d->in->mnemonic);
        return;
    }
    t->satfinite = decode_parts_have(p, "satfinite");
    t->shared_a = d->ops[1].kind == PTX_OP_REG;
    if (!read_choices(d, t)) return;
    set_rule(t);
    code_list *l = decode_new_list(d, 2u * t->registers_c + t->registers_a + t->registers_b + t->sparse);
    uint32_t at = t->registers_c;
    if (t->shared_a) l->ref[at++] = decode_source(d, &d->ops[1], LANE_u64);
    else if (!decode_tensor_registers(d, l, &at, &d->ops[1], 4, 4, false)) return;
    l->ref[at++] = decode_source(d, &d->ops[2], LANE_u64);
    if (!decode_tensor_registers(d, l, &at, &d->ops[0], t->registers_c, 4, false)) return;
    if (t->sparse) l->ref[at] = decode_source(d, &d->ops[3], LANE_u32);
    code_ref scale = decode_source_pred(d, &d->ops[t->sparse ? 5 : 3]);
    at = 0;
    if (!decode_tensor_registers(d, l, &at, &d->ops[0], t->registers_c, 4, true)) return;
    code_insn *i = decode_emit(d, OP_wgmma);
    i->c = scale;
    i->tensor.form = t;
    i->tensor.list = l;
    decode_last_info(d)->list = l;
    i->event_op = EVENT_MATRIX_LOAD;
    decode_note_memory(d);
    decode_flush(d);
}

/* Products are carried out when they are issued: waits have nothing to wait for but the other warps. */
void decode_wgmma(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    int64_t keep;
    if (decode_part_is(&p, 1, "mma_async")) {
        decode_product(d, &p);
    } else if (decode_part_is(&p, 1, "fence") || decode_part_is(&p, 1, "commit_group")) {
        bool fence = decode_part_is(&p, 1, "fence");
        if (decode_known_parts(d, &p, 2, "sync aligned") && decode_operands_are(d, 0))
            decode_emit(d, fence ? OP_nop : OP_wgmma_commit);
    } else if (decode_part_is(&p, 1, "wait_group")) {
        if (!decode_known_parts(d, &p, 2, "sync aligned") || !decode_operands_are(d, 1)) return;
        if (!decode_is_int(&d->ops[0], &keep)) {
            decode_problem(d, "the operand of '%s' must be an integer constant", d->in->mnemonic);
            return;
        }
        code_insn *i = decode_emit(d, OP_wgmma_wait);
        i->group.waits = true;
        i->group.keep = (uint32_t)keep;
    } else {
        decode_problem(d, "'%s' is not known", d->in->mnemonic);
    }
}
