/* operands.c: PTX operands -> operand references of micro-operations.
 *
 * A register whose width differs from the instruction's type (allowed for ld, st, cvt and by ptxas for b types) is
 * adapted by an extra cvt micro-operation before or after; immediates and special registers become lanes of the launch,
 * block or warp file, filled once by the executor. */
#include "code/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static code_ref vref(int32_t reg) { return VIRTUAL | (uint32_t)reg << 2 | CODE_FRAME; }

/* ---------------------------------------------------------------- lane files */
/* Equal values share a place in the file, whichever function uses them. */
code_ref decode_fill(decoder *d, uint32_t file, code_fill fill)
{
    kernel_builder *b = d->builder;
    code_fill key = {.kind = fill.kind,
                     .bytes = fill.bytes,
                     .component = fill.component,
                     .param_bytes = fill.param_bytes,
                     .is_signed = fill.is_signed,
                     .special = fill.special,
                     .number = fill.number,
                     .generic = fill.generic,
                     .value = fill.value};
    struct {
        uint64_t file;
        code_fill fill;
    } *k = lw_arena_alloc(d->arena, sizeof *k);
    k->file = file;
    memcpy(&k->fill, &key, sizeof key);
    void *found = lw_map_get(&b->fill_index, (const char *)k, sizeof *k);
    if (!found) {
        uint32_t size = fill.bytes ? 32u * fill.bytes : 4u;
        uint32_t offset = (uint32_t)lw_round_up(b->file_bytes[file], 64);
        b->file_bytes[file] = offset + (uint32_t)lw_round_up(size, 64);
        key.offset = offset;
        lw_vec_push(&b->fills[file], key);
        found = (void *)(uintptr_t)(offset + 1);
        lw_map_put(&b->fill_index, (const char *)k, sizeof *k, found);
    }
    return ((uint32_t)(uintptr_t)found - 1) | file;
}

static code_ref constant(decoder *d, uint64_t value, uint32_t bytes, bool is_address)
{
    if (bytes && bytes < 8) value &= ((uint64_t)1 << (8 * bytes)) - 1;
    code_fill fill = {.kind = FILL_IMM, .bytes = (uint8_t)bytes, .number = is_address, .value = value};
    return decode_fill(d, CODE_LAUNCH, fill);
}

code_ref decode_constant(decoder *d, uint64_t value, uint32_t bytes) { return constant(d, value, bytes, false); }

/* Clocks and the like: a micro-operation reads them. */
static code_ref read_special(decoder *d, const ptx_operand *o, uint32_t bytes)
{
    code_ref t = decode_temp(d, bytes);
    code_insn *i = decode_emit_unguarded(d, OP_special);
    i->d = t;
    i->special.which = o->special;
    i->special.number = (uint8_t)o->imm;
    i->special.bytes = (uint8_t)bytes;
    return t;
}

/* A special register as lanes of `bytes`. */
static code_ref special_ref(decoder *d, const ptx_operand *o, uint32_t bytes)
{
    static const uint8_t files[] = {
        [PTX_PER_LAUNCH] = CODE_LAUNCH, [PTX_PER_BLOCK] = CODE_BLOCK, [PTX_PER_LANE] = CODE_WARP};
    const ptx_special_row *row = &ptx_specials[o->special];
    if (row->makes == PTX_MAKES_GRID_SYNC) d->kernel->uses_grid_sync = true;
    if (row->makes == PTX_MAKES_SYSTEM_SHARED) d->body->uses_system_shared = true;
    if (row->changes == PTX_PER_READ) return read_special(d, o, bytes);
    code_fill fill = {.kind = FILL_SPECIAL,
                      .bytes = (uint8_t)bytes,
                      .special = o->special,
                      .number = (uint32_t)o->imm,
                      .component = o->component < 0 ? 0 : (uint8_t)o->component};
    return decode_fill(d, files[row->changes], fill);
}

/* ---------------------------------------------------------------- variables */
#define ABSENT UINT32_MAX

static uint32_t position_in(const ptx_variable *const *list, size_t count, const ptx_variable *v)
{
    if (v->index < count && list[v->index] == v) return v->index;
    for (uint32_t k = 0; k < count; k++)
        if (list[k] == v) return k;
    return ABSENT;
}

bool decode_frame_offset(decoder *d, const ptx_variable *v, uint64_t *out)
{
    if (!v->scope) return false;
    uint32_t k = position_in(d->f->params, d->f->param_count, v);
    if (k != ABSENT) {
        *out = d->param_offset[k];
        return true;
    }
    k = position_in(d->f->returns, d->f->return_count, v);
    if (k != ABSENT) {
        *out = d->return_offset[k];
        return true;
    }
    k = position_in(d->f->locals, d->f->local_count, v);
    if (k != ABSENT) *out = d->local_offset[k];
    return k != ABSENT;
}

bool decode_is_call_param(const decoder *d, const ptx_variable *v)
{
    if (v->space != PTX_PARAM || !v->scope) return false;
    if (!d->f->is_entry) return true;
    for (size_t i = 0; i < d->f->param_count; i++)
        if (d->f->params[i] == v) return false;
    return true;
}

bool code_shared_offset(const kernel_builder *b, const ptx_variable *v, uint64_t *out)
{
    if (v->linkage == PTX_EXTERN && !v->scope) {
        const image_variable *r = code_resolve_variable(b->image, v);
        if (r && r->variable != v) v = r->variable;
    }
    void *found = lw_map_get(&b->shared_offset, (const char *)&v, sizeof v);
    if (!found) return false;
    *out = (uint64_t)(uintptr_t)found - 1;
    return true;
}

bool decode_shared_offset(decoder *d, const ptx_variable *v, uint64_t *out)
{
    return code_shared_offset(d->builder, v, out);
}

/* Launch parameter offset of a formal of the entry. */
static uint32_t entry_param_offset(const decoder *d, const ptx_variable *v)
{
    for (size_t i = 0; i < d->f->param_count; i++)
        if (d->f->params[i] == v) return d->kernel->params[i].offset;
    return 0;
}

static code_ref shared_variable(decoder *d, const ptx_variable *v, int64_t addend, uint32_t bytes, bool generic)
{
    uint64_t offset = 0;
    if (!decode_shared_offset(d, v, &offset)) decode_problem(d, "shared variable '%s' has no definition", v->name);
    code_fill fill = {
        .kind = FILL_SHARED, .bytes = (uint8_t)bytes, .generic = generic, .value = offset + (uint64_t)addend};
    return decode_fill(d, CODE_BLOCK, fill);
}

static code_ref kernel_parameter(decoder *d, const ptx_variable *v, int64_t addend, uint32_t bytes)
{
    code_fill fill = {
        .kind = FILL_PARAM_ADDRESS, .bytes = (uint8_t)bytes, .value = entry_param_offset(d, v) + (uint64_t)addend};
    return decode_fill(d, CODE_LAUNCH, fill);
}

/* A variable of the function's frame: where that lies is known when the function runs. */
static code_ref frame_variable(decoder *d, const ptx_variable *v, int64_t addend, uint32_t bytes, bool generic)
{
    uint64_t offset = 0;
    decode_frame_offset(d, v, &offset);
    code_ref t = decode_temp(d, bytes);
    code_insn *i = decode_emit_unguarded(d, OP_frame_address);
    i->d = t;
    i->stack.offset = (int64_t)offset + addend;
    i->stack.bytes = (uint8_t)bytes;
    i->stack.generic = generic;
    d->body->uses_local = true;
    return t;
}

static code_ref global_variable(decoder *d, const ptx_variable *v, int64_t addend, uint32_t bytes)
{
    const image_variable *r = code_resolve_variable(d->image, v);
    if (r) return constant(d, r->address + (uint64_t)addend, bytes, true);
    decode_problem(d, "variable '%s' has no definition", v->name);
    return decode_constant(d, 0, bytes);
}

/* The address of a variable plus addend as lanes of `bytes`, in its own space (generic: as a generic address). */
static code_ref variable_ref(decoder *d, const ptx_variable *v, int64_t addend, uint32_t bytes, bool generic)
{
    switch (v->space) {
    case PTX_SHARED: return shared_variable(d, v, addend, bytes, generic);
    case PTX_PARAM:
        if (!decode_is_call_param(d, v)) return kernel_parameter(d, v, addend, bytes);
        return frame_variable(d, v, addend, bytes, generic);
    case PTX_LOCAL: return frame_variable(d, v, addend, bytes, generic);
    default: return global_variable(d, v, addend, bytes);
    }
}

/* ---------------------------------------------------------------- width adaptation */
static const code_row *cvt_row(decoder *d, lane_type to, lane_type from)
{
    static const char *const names[] = {"", "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
    char key[32];
    int n = snprintf(key, sizeof key, "cvt.%s.%s", names[to], names[from]);
    return lw_map_get(&d->image->rows, key, (size_t)n);
}

/* A register of another width than the instruction's type; see the head of this file. */
static code_ref adapt_source(decoder *d, code_ref ref, uint32_t from_bytes, lane_type lane, const ptx_operand *o)
{
    uint32_t bytes = code_lane_bytes(lane);
    if (bytes == from_bytes) return ref;
    if (bytes == 16 || from_bytes == 16 || bytes == 0 || from_bytes == 0) {
        decode_problem(d, "operand '%s' does not fit the instruction's type",
                       o->kind == PTX_OP_REG ? d->f->registers[o->reg].name : "?");
        return decode_temp(d, bytes);
    }
    /* A narrower register is zero-extended, or sign-extended when the instruction is signed. */
    bool is_signed = code_lane_is_signed(lane);
    lane_type from = is_signed ? code_signed_lane_of_bytes(from_bytes) : code_lane_of_bytes(from_bytes);
    const code_row *r = cvt_row(d, code_lane_of_bytes(bytes), from);
    code_ref t = decode_temp(d, bytes);
    code_insn *i = decode_emit_unguarded(d, (code_op)r->op);
    i->d = t;
    i->a = ref;
    return t;
}

static uint32_t register_bytes(const decoder *d, int32_t reg) { return d->vregs.items[reg].bytes; }

static code_ref component_of_vector(decoder *d, const ptx_operand *o)
{
    decode_problem(d, "vector registers (%s) are not supported", d->f->registers[o->reg].name);
    return decode_temp(d, 4);
}

static bool is_vector(const decoder *d, const ptx_operand *o)
{
    return o->component >= 0 || d->f->registers[o->reg].vector > 1;
}

/* Special registers, addresses of variables and functions have 1 to 8 bytes. */
static bool fits_address(decoder *d, lane_type lane)
{
    uint32_t bytes = code_lane_bytes(lane);
    if (bytes && bytes <= 8) return true;
    decode_problem(d, "an operand of '%s' does not fit the instruction's type", d->in->mnemonic);
    return false;
}

static code_ref special_source(decoder *d, const ptx_operand *o, lane_type lane)
{
    const ptx_special_row *row = &ptx_specials[o->special];
    uint32_t bytes = code_lane_bytes(lane);
    uint32_t natural = LW_MAX(ptx_type_bytes(row->type), 4u);
    if (lane == LANE_pred && row->type == PTX_PRED) return special_ref(d, o, 0);
    if (!fits_address(d, lane)) return decode_temp(d, bytes);
    if (bytes >= natural) return special_ref(d, o, bytes);
    return adapt_source(d, special_ref(d, o, natural), natural, lane, o);
}

/* A float written in the other precision than the instruction's type is converted, not reinterpreted. */
static uint64_t float_immediate(const ptx_operand *o, lane_type lane)
{
    if (o->kind == PTX_OP_F32 && lane == LANE_f64) {
        float f;
        uint32_t bits = (uint32_t)o->imm;
        memcpy(&f, &bits, 4);
        double x = f;
        uint64_t u;
        memcpy(&u, &x, 8);
        return u;
    }
    if (o->kind == PTX_OP_F64 && code_lane_bytes(lane) == 4) {
        double x;
        memcpy(&x, &o->imm, 8);
        float f = (float)x;
        uint32_t u;
        memcpy(&u, &f, 4);
        return u;
    }
    return (uint64_t)o->imm;
}

/* An integer where a float stands is its value, not its bits. */
static uint64_t integer_immediate(const ptx_operand *o, lane_type lane)
{
    uint64_t value = (uint64_t)o->imm;
    if (lane == LANE_f32) {
        float f = (float)o->imm;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        value = bits;
    } else if (lane == LANE_f64) {
        double x = (double)o->imm;
        memcpy(&value, &x, sizeof value);
    }
    return value;
}

/* A function whose address is taken may be called: it is decoded, too. A kernel may be launched: it is one of its own. */
static code_ref function_ref(decoder *d, const ptx_function *function, uint32_t bytes)
{
    const image_function *f = code_resolve_function(d->image, function);
    if (!f) {
        decode_problem(d, "function '%s' has no definition", function->name);
        return decode_constant(d, 0, bytes);
    }
    if (!f->function->is_entry) code_queue_function(d->builder, f);
    return decode_constant(d, f->address, bytes);
}

code_ref decode_source(decoder *d, const ptx_operand *o, lane_type lane)
{
    uint32_t bytes = code_lane_bytes(lane);
    switch (o->kind) {
    case PTX_OP_REG:
        if (is_vector(d, o)) return component_of_vector(d, o);
        return adapt_source(d, vref(o->reg), register_bytes(d, o->reg), lane, o);
    case PTX_OP_INT: return decode_constant(d, integer_immediate(o, lane), bytes);
    case PTX_OP_F32:
    case PTX_OP_F64: return decode_constant(d, float_immediate(o, lane), bytes);
    case PTX_OP_SPECIAL: return special_source(d, o, lane);
    case PTX_OP_VARIABLE:
        if (!fits_address(d, lane)) return decode_temp(d, bytes);
        return variable_ref(d, o->variable, o->imm, bytes, false);
    case PTX_OP_FUNCTION:
        if (!fits_address(d, lane)) return decode_temp(d, bytes);
        return function_ref(d, o->function, bytes);
    default: decode_problem(d, "unexpected operand of '%s'", d->in->mnemonic); return decode_temp(d, bytes);
    }
}

code_ref decode_source_pred(decoder *d, const ptx_operand *o)
{
    if (o->kind == PTX_OP_INT) return decode_constant(d, o->imm ? ~(uint64_t)0 : 0, 0);
    code_ref r = decode_source(d, o, LANE_pred);
    if (!o->negated) return r;
    code_ref t = decode_temp(d, 0);
    code_insn *i = decode_emit_unguarded(d, OP_not_pred);
    i->d = t;
    i->a = r;
    return t;
}

code_ref decode_result(decoder *d, const ptx_operand *o, lane_type lane)
{
    uint32_t bytes = code_lane_bytes(lane);
    if (o->kind == PTX_OP_SINK) return decode_temp(d, bytes);
    if (o->kind != PTX_OP_REG) {
        decode_problem(d, "the result of '%s' is not a register", d->in->mnemonic);
        return decode_temp(d, bytes);
    }
    if (is_vector(d, o)) return component_of_vector(d, o);
    uint32_t have = register_bytes(d, o->reg);
    if (have == bytes) return vref(o->reg);
    if (!have || !bytes || have == 16 || bytes == 16 || d->pending_count == LW_COUNT(d->pending)) {
        decode_problem(d, "register '%s' does not fit the type of '%s'", d->f->registers[o->reg].name, d->in->mnemonic);
        return decode_temp(d, bytes);
    }
    code_ref t = decode_temp(d, bytes);
    d->pending[d->pending_count].temp = t;
    d->pending[d->pending_count].final = vref(o->reg);
    d->pending[d->pending_count].from =
        code_lane_is_signed(lane) ? code_signed_lane_of_bytes(bytes) : code_lane_of_bytes(bytes);
    d->pending[d->pending_count++].to = code_lane_of_bytes(have);
    return t;
}

void decode_flush(decoder *d)
{
    for (uint32_t k = 0; k < d->pending_count; k++) {
        const code_row *r = cvt_row(d, d->pending[k].to, d->pending[k].from);
        code_insn *i = decode_emit(d, (code_op)r->op);
        i->d = d->pending[k].final;
        i->a = d->pending[k].temp;
    }
    d->pending_count = 0;
}

/* ---------------------------------------------------------------- addresses */
decode_place decode_address(decoder *d, const ptx_operand *o, ptx_space space)
{
    decode_place a = {.base = CODE_NO_REF, .base_bytes = 8, .offset = o->imm};
    if (o->kind != PTX_OP_ADDRESS) {
        decode_problem(d, "expected an address operand");
        return a;
    }
    if (o->reg >= 0) {
        a.base_bytes = (uint8_t)register_bytes(d, o->reg);
        a.base = vref(o->reg);
        if (a.base_bytes != 4 && a.base_bytes != 8) {
            decode_problem(d, "address register '%s' is neither 32 nor 64 bits wide", d->f->registers[o->reg].name);
            a.base_bytes = 8;
            a.base = CODE_NO_REF;
        }
        return a;
    }
    if (!o->variable) return a;
    uint64_t offset = 0;
    const ptx_variable *v = o->variable;
    if (v->space == PTX_SHARED && space != PTX_GENERIC) {
        if (!decode_shared_offset(d, v, &offset)) decode_problem(d, "shared variable '%s' has no definition", v->name);
        a.offset += (int64_t)offset; /* own block: no rank needed */
        a.base_bytes = 4;            /* marks "own block" for the executor */
        return a;
    }
    if (v->space == PTX_GLOBAL || v->space == PTX_CONST) {
        const image_variable *r = code_resolve_variable(d->image, v);
        if (r) a.offset += (int64_t)r->address;
        else decode_problem(d, "variable '%s' has no definition", v->name);
        return a;
    }
    a.base = variable_ref(d, v, 0, 8, space == PTX_GENERIC);
    return a;
}
