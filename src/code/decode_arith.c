/* decode_arith.c: the irregular instructions that compute: comparisons, selection, mov, bit fields and extended
 * precision. */
#include "code/decode.h"

#include <stdio.h>

/* bfi has four sources */
void decode_bfi(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    if (!decode_operands_are(d, 5)) return;
    bool wide = decode_part_type(&p, 1) == PTX_B64;
    lane_type t = wide ? LANE_u64 : LANE_u32;
    code_ref a = decode_source(d, &d->ops[1], t);
    code_ref b = decode_source(d, &d->ops[2], t);
    code_ref c = decode_source(d, &d->ops[3], LANE_u32);
    code_ref e = decode_source(d, &d->ops[4], LANE_u32);
    code_ref to = decode_result(d, &d->ops[0], t);
    code_insn *i = decode_emit(d, wide ? OP_bfi64 : OP_bfi32);
    i->d = to;
    i->a = a;
    i->b = b;
    i->c = c;
    i->e = e;
    decode_flush(d);
}

static void decode_lop3_pred(decoder *d, bool is_and)
{
    /* lop3.or.b32 d|p, a, b, c, immLut, q; */
    int64_t imm = 0;
    const ptx_operand *to = &d->ops[0];
    bool pair = to->kind == PTX_OP_PAIR;
    if (!decode_operands_between(d, 5, 6)) return;
    code_ref a = decode_source(d, &d->ops[1], LANE_u32);
    code_ref b = decode_source(d, &d->ops[2], LANE_u32);
    code_ref c = decode_source(d, &d->ops[3], LANE_u32);
    if (!decode_is_int(&d->ops[4], &imm)) decode_problem(d, "the table of lop3 must be an integer constant");
    code_list *l = decode_new_list(d, 2);
    l->results = 1;
    l->ref[1] = d->in->operand_count > 5 ? decode_source_pred(d, &d->ops[5]) : decode_constant(d, 0, 0);
    l->ref[0] = decode_result(d, pair ? &to->items[1] : to, LANE_pred);
    code_ref r = pair ? decode_result(d, &to->items[0], LANE_u32) : decode_temp(d, 4);
    code_insn *i = decode_emit(d, OP_lop3_pred);
    i->d = r;
    i->a = a;
    i->b = b;
    i->c = c;
    i->lop3.list = l;
    i->lop3.table = (uint8_t)imm;
    i->lop3.is_and = is_and;
    decode_last_info(d)->list = l;
    decode_flush(d);
}
void decode_lop3_or(decoder *d) { decode_lop3_pred(d, false); }
void decode_lop3_and(decoder *d) { decode_lop3_pred(d, true); }

/* ---------------------------------------------------------------- comparisons */
static uint32_t combine_of(const decode_parts *p)
{
    if (decode_part_is(p, 2, "and")) return COMBINE_AND;
    if (decode_part_is(p, 2, "or")) return COMBINE_OR;
    if (decode_part_is(p, 2, "xor")) return COMBINE_XOR;
    return COMBINE_NONE;
}

/* setp.CmpOp[.BoolOp][.ftz].type p[|q], a, b[, [!]c] */
static const code_row *compare_row(decoder *d, const decode_parts *p, ptx_type type, uint32_t *out_bool,
                                   uint32_t *out_mods)
{
    char key[64];
    *out_bool = combine_of(p);
    *out_mods = decode_parts_have(p, "ftz") ? PTX_FTZ : 0;
    if (p->count < 2 || type == PTX_NO_TYPE) {
        decode_problem(d, "unknown comparison '%s'", d->in->mnemonic);
        return NULL;
    }
    int n = snprintf(key, sizeof key, "setp.%.*s.%s", (int)p->size[1], p->part[1], ptx_type_name(type));
    const code_row *r = n < (int)sizeof key ? lw_map_get(&d->image->rows, key, (size_t)n) : NULL;
    if (!r) decode_problem(d, "unknown comparison '%s'", d->in->mnemonic);
    return r && decode_operands_are(d, *out_bool ? 4 : 3) ? r : NULL;
}

/* guarded is false for results in temporaries, when a guarded operation behind it writes the result. The pointer is valid
 * until the next emit. */
static code_insn *emit_compare(decoder *d, const code_row *r, uint32_t boolean, uint32_t mods, code_ref p, code_ref q,
                               bool guarded)
{
    code_ref a = decode_source(d, &d->ops[1], (lane_type)r->lane[1]);
    code_ref b = d->in->operand_count > 2 ? decode_source(d, &d->ops[2], (lane_type)r->lane[1]) : CODE_NO_REF;
    code_ref c = boolean && d->in->operand_count > 3 ? decode_source_pred(d, &d->ops[3]) : CODE_NO_REF;
    code_insn *i = guarded ? decode_emit(d, (code_op)r->op) : decode_emit_unguarded(d, (code_op)r->op);
    i->d = p;
    i->e = q;
    i->a = a;
    i->b = b;
    i->c = c;
    i->alu.combine = (uint8_t)boolean;
    i->alu.mods = (uint16_t)mods;
    return i;
}

static bool is_packed(ptx_type t) { return t == PTX_F16X2 || t == PTX_BF16X2; }

/* The comparison of both halves of a packed type: p for the low, q for the high half (the row's imm is the shift). */
static void emit_packed_compare(decoder *d, const code_row *r, uint32_t boolean, uint32_t mods, code_ref p, code_ref q,
                                bool guarded)
{
    code_ref low = boolean ? decode_temp(d, 0) : p; /* p may also be the third source */
    emit_compare(d, r, boolean, mods, low, CODE_NO_REF, guarded);
    emit_compare(d, r, boolean, mods, q, CODE_NO_REF, guarded)->alu.imm = 16;
    if (low == p) return;
    code_insn *i = decode_emit(d, OP_mov_pred);
    i->d = p;
    i->a = low;
}

/* testp.finite.f32 p, a: a row of insns.def each */
void decode_testp(decoder *d)
{
    if (d->row->form != ROW_COMPARE) {
        decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
        return;
    }
    if (!decode_operands_are(d, 2)) return;
    code_ref to = decode_result(d, &d->ops[0], LANE_pred);
    emit_compare(d, d->row, COMBINE_NONE, d->mods, to, CODE_NO_REF, true);
}

/* Of packed types p is the comparison of the low halves and q that of the high ones; else q is the negated
 * comparison. */
void decode_setp(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    uint32_t boolean, mods;
    const code_row *r = compare_row(d, &p, decode_last_type(&p), &boolean, &mods);
    if (!r) return;
    const ptx_operand *to = &d->ops[0];
    bool pair = to->kind == PTX_OP_PAIR;
    if (is_packed(decode_last_type(&p))) {
        if (pair)
            emit_packed_compare(d, r, boolean, mods, decode_result(d, &to->items[0], LANE_pred),
                                decode_result(d, &to->items[1], LANE_pred), true);
        else decode_problem(d, "'%s' needs two predicates p|q", d->in->mnemonic);
        return;
    }
    code_ref first = decode_result(d, pair ? &to->items[0] : to, LANE_pred);
    code_ref second = pair ? decode_result(d, &to->items[1], LANE_pred) : CODE_NO_REF;
    emit_compare(d, r, boolean, mods, first, second, true);
}

/* What `set` gives for true: 1.0 of a float type, all ones of an integer type. The bits of one element. */
static uint64_t truth_of(ptx_type t)
{
    switch (t) {
    case PTX_F32: return 0x3f800000u;
    case PTX_F16:
    case PTX_F16X2: return 0x3c00u;
    case PTX_BF16:
    case PTX_BF16X2: return 0x3f80u;
    default: return ~(uint64_t)0;
    }
}

/* set of a packed type: each half all ones or 1.0 */
static void decode_packed_set(decoder *d, const code_row *r, uint32_t boolean, uint32_t mods, ptx_type dtype)
{
    uint64_t value = truth_of(dtype) & 0xffff;
    code_ref p[2] = {decode_temp(d, 0), decode_temp(d, 0)};
    code_ref half[2] = {decode_temp(d, 4), decode_temp(d, 4)};
    emit_packed_compare(d, r, boolean, mods, p[0], p[1], false);
    for (uint32_t k = 0; k < 2; k++) {
        code_insn *i = decode_emit_unguarded(d, OP_select_pred);
        i->d = half[k];
        i->c = p[k];
        i->value.bits = value << 16 * k;
        i->value.bytes = 4;
    }
    code_ref to = decode_result(d, &d->ops[0], LANE_u32);
    code_insn *i = decode_emit(d, OP_or_b32);
    i->d = to;
    i->a = half[0];
    i->b = half[1];
    decode_flush(d);
}

/* set.CmpOp[.BoolOp][.ftz].dtype.stype d, a, b[, c]: all ones or 1.0 when true */
void decode_set(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    uint32_t boolean, mods;
    ptx_type dtype = decode_part_type(&p, p.count - 2);
    ptx_type stype = decode_part_type(&p, p.count - 1);
    const code_row *r = compare_row(d, &p, stype, &boolean, &mods);
    if (!r) return;
    if (ptx_type_bytes(dtype) != 2 && ptx_type_bytes(dtype) != 4) {
        decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
        return;
    }
    if (is_packed(stype)) {
        decode_packed_set(d, r, boolean, mods, dtype);
        return;
    }
    code_ref t = decode_temp(d, 0);
    emit_compare(d, r, boolean, mods, t, CODE_NO_REF, false);
    code_ref to = decode_result(d, &d->ops[0], code_lane_of(dtype));
    code_insn *i = decode_emit(d, OP_select_pred);
    i->d = to;
    i->c = t;
    i->value.bits = truth_of(dtype);
    i->value.bytes = (uint8_t)ptx_type_bytes(dtype);
    decode_flush(d);
}

/* selp.type d, a, b, c: bits are moved whatever the type. */
void decode_selp(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    ptx_type type = decode_last_type(&p);
    uint32_t bytes = ptx_type_bytes(type);
    lane_type t = code_lane_of(type);
    if (bytes != 2 && bytes != 4 && bytes != 8) {
        decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
        return;
    }
    if (!decode_operands_are(d, 4)) return;
    code_ref a = decode_source(d, &d->ops[1], t);
    code_ref b = decode_source(d, &d->ops[2], t);
    code_ref c = decode_source_pred(d, &d->ops[3]);
    code_ref to = decode_result(d, &d->ops[0], t);
    static const uint16_t ops[] = {[2] = OP_selp16, [4] = OP_selp32, [8] = OP_selp64};
    code_insn *i = decode_emit(d, (code_op)ops[bytes]);
    i->d = to;
    i->a = a;
    i->b = b;
    i->c = c;
    decode_flush(d);
}

/* ---------------------------------------------------------------- mov */
/* Do n elements of 1, 2, 4 or 8 bytes make up one value of these bytes? */
static bool packs(decoder *d, uint32_t n, uint32_t bytes)
{
    if (n > 1 && n <= bytes && bytes % n == 0 && lw_is_power_of_2(bytes / n)) return true;
    decode_problem(d, "%u values do not match the type of '%s'", n, d->in->mnemonic);
    return false;
}

static void set_pack(code_insn *i, const code_list *list, uint32_t bytes, uint32_t whole_bytes)
{
    i->pack.list = list;
    i->pack.bytes = (uint8_t)bytes;
    i->pack.count = (uint8_t)list->count;
    i->pack.whole_bytes = (uint8_t)whole_bytes;
}

/* mov.bN d, {a, b, ...}: the first element is the low one. */
static void decode_pack(decoder *d, const ptx_operand *list, uint32_t bytes)
{
    uint32_t n = list->item_count, each = n ? bytes / n : 0;
    if (!packs(d, n, bytes)) return;
    code_list *l = decode_new_list(d, n);
    lane_type t = code_lane_of_bytes(each);
    for (uint32_t k = 0; k < n; k++) l->ref[k] = decode_source(d, &list->items[k], t);
    code_ref to = decode_result(d, &d->ops[0], code_lane_of_bytes(bytes));
    code_insn *i = decode_emit(d, OP_pack);
    i->d = to;
    set_pack(i, l, each, bytes);
    decode_last_info(d)->list = l;
    decode_flush(d);
}

/* mov.bN {a, b, ...}, s; `_` drops an element. */
static void decode_unpack(decoder *d, const ptx_operand *list, uint32_t bytes)
{
    uint32_t n = list->item_count, each = n ? bytes / n : 0;
    if (!packs(d, n, bytes)) return;
    code_list *l = decode_new_list(d, n);
    lane_type t = code_lane_of_bytes(each);
    code_ref from = decode_source(d, &d->ops[1], code_lane_of_bytes(bytes));
    l->results = n;
    for (uint32_t k = 0; k < n; k++)
        l->ref[k] = list->items[k].kind == PTX_OP_SINK ? CODE_NO_REF : decode_result(d, &list->items[k], t);
    code_insn *i = decode_emit(d, OP_unpack);
    i->a = from;
    set_pack(i, l, each, bytes);
    decode_last_info(d)->list = l;
    decode_flush(d);
}

static void mov_predicate(decoder *d)
{
    code_ref s = decode_source_pred(d, &d->ops[1]);
    code_ref to = decode_result(d, &d->ops[0], LANE_pred);
    code_insn *i = decode_emit(d, OP_mov_pred);
    i->d = to;
    i->a = s;
}

/* Of floats only immediates differ from moves of bits: they may be written in another type. */
static void mov_value(decoder *d, ptx_type type)
{
    uint32_t bytes = ptx_type_bytes(type);
    lane_type t = type == PTX_F32 || type == PTX_F64 ? code_lane_of(type) : code_lane_of_bytes(bytes);
    code_ref s = decode_source(d, &d->ops[1], t);
    code_ref to = decode_result(d, &d->ops[0], t);
    code_insn *i = decode_emit(d, decode_mov_of_bytes(bytes));
    i->d = to;
    i->a = s;
    decode_flush(d);
}

void decode_mov(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    ptx_type type = decode_last_type(&p);
    uint32_t bytes = ptx_type_bytes(type);
    if (p.count != 2 || (type != PTX_PRED && bytes < 2)) {
        decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
        return;
    }
    if (!decode_operands_are(d, 2)) return;
    if (type == PTX_PRED) mov_predicate(d);
    else if (d->ops[1].kind == PTX_OP_VECTOR) decode_pack(d, &d->ops[1], bytes);
    else if (d->ops[0].kind == PTX_OP_VECTOR) decode_unpack(d, &d->ops[0], bytes);
    else mov_value(d, type);
}

/* ---------------------------------------------------------------- extended precision */
static code_ref carry(decoder *d)
{
    if (d->carry < 0) d->carry = (int32_t)((decode_temp(d, 0) & ~VIRTUAL) >> 2);
    return VIRTUAL | (uint32_t)d->carry << 2 | CODE_FRAME;
}

/* add.cc, addc, sub.cc, subc, mad.cc, madc (PTX ISA 9.0, section 9.7.2): the condition code is a predicate register
 * of the function, which no other instruction touches. */
static void decode_carry(decoder *d, code_op op, bool subtract, bool reads)
{
    decode_parts p = decode_split(d->in->mnemonic);
    bool writes = decode_parts_have(&p, "cc");
    lane_type t = code_lane_of(decode_last_type(&p));
    t = code_lane_bytes(t) == 8 ? LANE_u64 : LANE_u32;
    if (!decode_operands_are(d, op == OP_mad_cc ? 4 : 3)) return;
    code_ref a = decode_source(d, &d->ops[1], t);
    code_ref b = decode_source(d, &d->ops[2], t);
    code_ref c = op == OP_mad_cc ? decode_source(d, &d->ops[3], t) : CODE_NO_REF;
    code_ref to = decode_result(d, &d->ops[0], t);
    code_insn *i = decode_emit(d, op);
    i->d = to;
    i->a = a;
    i->b = b;
    i->c = c;
    i->e = carry(d);
    i->carry.bytes = (uint8_t)code_lane_bytes(t);
    i->carry.subtract = subtract;
    i->carry.reads = reads;
    i->carry.writes = writes;
    i->carry.high = decode_parts_have(&p, "hi");
    i->carry.is_signed = ptx_type_class(decode_last_type(&p)) == 'S';
    decode_flush(d);
}
void decode_add_cc(decoder *d) { decode_carry(d, OP_add_cc, false, false); }
void decode_addc(decoder *d) { decode_carry(d, OP_add_cc, false, true); }
void decode_sub_cc(decoder *d) { decode_carry(d, OP_add_cc, true, false); }
void decode_subc(decoder *d) { decode_carry(d, OP_add_cc, true, true); }
void decode_mad_lo_cc(decoder *d) { decode_carry(d, OP_mad_cc, false, false); }
void decode_mad_hi_cc(decoder *d) { decode_carry(d, OP_mad_cc, false, false); }
void decode_madc(decoder *d) { decode_carry(d, OP_mad_cc, false, true); }
