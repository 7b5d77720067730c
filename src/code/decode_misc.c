/* decode_misc.c: matrix loads and stores between shared memory and registers, the stack of alloca, and
 * bulk zeroing of shared memory. Of the matrix shapes there are 8x8 matrices of 16-bit elements; the others need
 * sm_100. */
#include "code/decode.h"
#include "event/event.h"

#include <string.h>

/* ---------------------------------------------------------------- ldmatrix, stmatrix, movmatrix */
static bool matrix_form(decoder *d, const decode_parts *p, uint32_t *out_count)
{
    static const char *const counts[] = {"", "x1", "x2", "", "x4"};
    for (uint32_t k = 1; k < LW_COUNT(counts); k++)
        if (decode_parts_have(p, counts[k])) *out_count = k;
    if (!decode_known_parts(d, p, 1, "sync aligned m8n8 x1 x2 x4 trans shared shared::cta b16")) return false;
    if (*out_count && decode_parts_have(p, "m8n8") && d->in->operand_count == 2) return true;
    decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
    return false;
}

static void decode_matrix(decoder *d, bool load)
{
    decode_parts p = decode_split(d->in->mnemonic);
    uint32_t count = 0;
    if (!matrix_form(d, &p, &count)) return;
    const ptx_operand *at = &d->ops[load ? 1 : 0], *registers = &d->ops[load ? 0 : 1];
    ptx_space space = PTX_GENERIC;
    for (uint32_t k = 1; k < p.count; k++) decode_space_part(&p, k, &space);
    if (!decode_vector_fits(d, registers, count)) return;
    decode_place a = decode_address(d, at, space);
    code_list *l =
        load ? decode_result_list(d, registers, count, 4) : decode_source_list(d, registers, count, 4, PTX_B32);
    code_insn *i = decode_emit(d, load ? OP_ldmatrix : OP_stmatrix);
    decode_set_address(i, &a);
    i->mem.list = l;
    i->mem.space = (uint8_t)space;
    i->mem.bytes = 16;
    i->mem.vector = (uint8_t)count;
    i->mem.matrix.transposed = decode_parts_have(&p, "trans");
    i->event_op = load ? EVENT_MATRIX_LOAD : EVENT_MATRIX_STORE;
    decode_last_info(d)->list = l;
    decode_note_memory(d);
    decode_flush(d);
}
void decode_ldmatrix(decoder *d) { decode_matrix(d, true); }
void decode_stmatrix(decoder *d) { decode_matrix(d, false); }

void decode_movmatrix(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    if (!decode_known_parts(d, &p, 1, "sync aligned m8n8 trans b16") || !decode_operands_are(d, 2)) return;
    code_ref a = decode_source(d, &d->ops[1], LANE_u32);
    code_ref r = decode_result(d, &d->ops[0], LANE_u32);
    code_insn *i = decode_emit(d, OP_movmatrix);
    i->d = r;
    i->a = a;
    decode_flush(d);
}

/* ---------------------------------------------------------------- st.bulk */
/* st.bulk{.weak}{.shared::cta} [a], size, 0 */
void decode_st_bulk(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    int64_t value = 1;
    if (!decode_known_parts(d, &p, 2, "weak shared::cta")) return;
    if (d->in->operand_count != 3 || !decode_is_int(&d->ops[2], &value) || value) {
        decode_problem(d, "'%s' takes an address, a size and the value 0", d->in->mnemonic);
        return;
    }
    ptx_space space = decode_parts_have(&p, "shared::cta") ? PTX_SHARED : PTX_GENERIC;
    decode_place a = decode_address(d, &d->ops[0], space);
    code_ref size = decode_source(d, &d->ops[1], LANE_u64);
    code_insn *i = decode_emit(d, OP_st_bulk);
    decode_set_address(i, &a);
    i->b = size;
    i->mem.space = (uint8_t)space;
    i->mem.bytes = 8;
    i->mem.vector = 1;
    i->event_op = EVENT_STORE;
    i->event_flags = EVENT_BULK;
    decode_note_memory(d);
}

/* ---------------------------------------------------------------- the stack */
static uint32_t stack_type(const decode_parts *p) { return ptx_type_bytes(decode_last_type(p)) == 4 ? 4 : 8; }

/* alloca.type ptr, size {, alignment}: an address in local memory */
void decode_alloca(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    int64_t alignment = 8;
    uint32_t bytes = stack_type(&p), n = d->in->operand_count;
    if (!decode_known_parts(d, &p, 1, "u32 u64")) return;
    if (n < 2 || n > 3 || (n == 3 && !decode_is_int(&d->ops[2], &alignment)) ||
        !lw_is_power_of_2((uint64_t)alignment)) {
        decode_problem(d, "'%s' takes a result, a size and a constant alignment, a power of 2", d->in->mnemonic);
        return;
    }
    lane_type t = bytes == 4 ? LANE_u32 : LANE_u64;
    code_ref size = decode_source(d, &d->ops[1], t);
    code_ref r = decode_result(d, &d->ops[0], t);
    code_insn *i = decode_emit(d, OP_alloca);
    i->d = r;
    i->a = size;
    i->stack.alignment = alignment;
    i->stack.bytes = (uint8_t)bytes;
    d->body->uses_local = true;
    decode_flush(d);
}

void decode_stacksave(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    uint32_t bytes = stack_type(&p);
    code_ref r = decode_result(d, &d->ops[0], bytes == 4 ? LANE_u32 : LANE_u64);
    code_insn *i = decode_emit(d, OP_stacksave);
    i->d = r;
    i->stack.bytes = (uint8_t)bytes;
    decode_flush(d);
}

void decode_stackrestore(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    uint32_t bytes = stack_type(&p);
    code_ref a = decode_source(d, &d->ops[0], bytes == 4 ? LANE_u32 : LANE_u64);
    code_insn *i = decode_emit(d, OP_stackrestore);
    i->a = a;
    i->stack.bytes = (uint8_t)bytes;
}
