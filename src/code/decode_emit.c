/* decode_emit.c: the base of the decoders: appending micro-operations, virtual registers and operand lists, and the
 * checks that every decoder makes of its mnemonic and operands. */
#include "code/decode.h"

#include <string.h>

static code_insn *append(decoder *d, code_op op, bool guarded)
{
    code_insn i = {.op = (uint16_t)op, .event_op = CODE_NO_EVENT, .guard = CODE_NO_REF, .site = d->site};
    i.d = i.a = i.b = i.c = i.e = CODE_NO_REF;
    if (guarded && d->in && d->in->guard >= 0)
        i.guard = VIRTUAL | (uint32_t)d->in->guard << 2 | (d->in->guard_negated ? 1u : 0u);
    lw_vec_push(&d->insns, i);
    lw_vec_push(&d->infos, ((uop_info){0}));
    return &d->insns.items[d->insns.count - 1];
}

code_insn *decode_emit(decoder *d, code_op op) { return append(d, op, true); }

code_insn *decode_emit_unguarded(decoder *d, code_op op) { return append(d, op, false); }

uop_info *decode_last_info(decoder *d) { return &d->infos.items[d->infos.count - 1]; }

code_ref decode_temp(decoder *d, uint32_t bytes)
{
    lw_vec_push(&d->vregs, (vreg){(uint8_t)bytes});
    return VIRTUAL | (uint32_t)(d->vregs.count - 1) << 2 | CODE_FRAME;
}

code_list *decode_new_list(decoder *d, uint32_t count)
{
    code_list *l = lw_arena_alloc(d->arena, sizeof *l + count * sizeof l->ref[0]);
    l->count = count;
    for (uint32_t k = 0; k < count; k++) l->ref[k] = CODE_NO_REF;
    return l;
}

bool decode_is_int(const ptx_operand *o, int64_t *out)
{
    if (o->kind != PTX_OP_INT) return false;
    *out = o->imm;
    return true;
}

bool decode_operands_between(decoder *d, uint32_t least, uint32_t most)
{
    uint32_t n = d->in->operand_count;
    if (n >= least && n <= most) return true;
    if (least == most) decode_problem(d, "'%s' takes %u operands, %u given", d->in->mnemonic, least, n);
    else decode_problem(d, "'%s' takes %u to %u operands, %u given", d->in->mnemonic, least, most, n);
    return false;
}

bool decode_operands_are(decoder *d, uint32_t count) { return decode_operands_between(d, count, count); }

void decode_note_memory(decoder *d) { d->builder->sites.items[d->site].is_memory = true; }

code_op decode_mov_of_bytes(uint32_t bytes)
{
    switch (bytes) {
    case 2: return OP_mov_b16;
    case 4: return OP_mov_b32;
    case 8: return OP_mov_b64;
    default: return OP_mov128;
    }
}

/* ---------------------------------------------------------------- what is refused for a reason */
static const decode_refusal refusals[] = {
#define FORM(id, text, why) {NULL, text, why},
#include "ptx/refused.def"
#define WORD(opcode, word, why) {opcode, word, why},
#include "ptx/refused.def"
};

const decode_refusal *decode_refusals(size_t *count)
{
    *count = LW_COUNT(refusals);
    return refusals;
}

/* Is the opcode, of one part or several, that of the mnemonic? */
static bool is_opcode_of(const char *mnemonic, const char *opcode)
{
    size_t n = strlen(opcode);
    return !strncmp(mnemonic, opcode, n) && (mnemonic[n] == '.' || !mnemonic[n]);
}

bool decode_refused_word(decoder *d, const decode_parts *p)
{
    for (size_t k = REFUSED_FORMS; k < LW_COUNT(refusals); k++) {
        const decode_refusal *r = &refusals[k];
        if (!is_opcode_of(d->in->mnemonic, r->opcode) || !decode_parts_have(p, r->word)) continue;
        decode_problem(d, "'.%s' of '%s': %s", r->word, d->in->mnemonic, r->why);
        return true;
    }
    return false;
}

void decode_refuse(decoder *d, uint32_t form) { decode_problem(d, "'%s': %s", d->in->mnemonic, refusals[form].why); }

bool decode_known_part(decoder *d, const decode_parts *p, uint32_t k, const char *allowed)
{
    if (decode_word_in(allowed, p->part[k], p->size[k])) return true;
    if (decode_refused_word(d, p)) return false;
    decode_problem(d, "'.%.*s' of '%s' is not supported", (int)p->size[k], p->part[k], d->in->mnemonic);
    return false;
}

bool decode_known_parts(decoder *d, const decode_parts *p, uint32_t from, const char *allowed)
{
    for (uint32_t k = from; k < p->count; k++)
        if (!decode_known_part(d, p, k, allowed)) return false;
    return true;
}
