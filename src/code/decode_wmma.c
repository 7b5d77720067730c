/* decode_wmma.c: wmma.load, wmma.store and wmma.mma, as ordinary accesses and products of mma.
 *
 * Which element of a matrix a lane's register holds was recorded (tests/hw/tensor/h200/wmma_layouts.csv). Of every fragment
 * one dimension is spread over groups of four lanes, lane / 4, here called lines: rows of A and C, columns of B; the other
 * one, along a line, over the four lanes of a group and over the elements within a register. Products of m8n32k16 are
 * computed as those of the transposed matrices: there lines of C are columns. */
#include "code/decode.h"
#include "code/decode_tensor.h"
#include "code/plan.h"
#include "event/event.h"

#include <stdio.h>
#include <string.h>

enum { FRAGMENT_A, FRAGMENT_B, FRAGMENT_C };

typedef struct fragment {
    uint8_t which;
    uint8_t type;  /* enum code_tensor_type */
    uint32_t bits; /* of an element in memory */
    uint32_t run;  /* elements of a line that follow each other in a lane: those of a register, or two of C */
    uint32_t registers, different; /* f16: some of its 8 registers are copies of the `different` first ones */
    bool contiguous;               /* elements of a line lie side by side in memory */
    uint32_t pitch; /* elements between lines, or of a line: where the instruction has no operand for it */
} fragment;

/* ---------------------------------------------------------------- shapes */
typedef struct wmma_shape {
    uint32_t m, n, k;
} wmma_shape;

static const struct shape_row {
    wmma_shape shape;
    uint8_t type; /* the family's first */
} shapes[] = {
    {{16, 16, 16}, TENSOR_F16}, {{32, 8, 16}, TENSOR_F16}, {{8, 32, 16}, TENSOR_F16},  {{16, 16, 16}, TENSOR_S8},
    {{32, 8, 16}, TENSOR_S8},   {{8, 32, 16}, TENSOR_S8},  {{16, 16, 8}, TENSOR_TF32}, {{8, 8, 4}, TENSOR_F64},
    {{8, 8, 32}, TENSOR_S4},    {{8, 8, 128}, TENSOR_B1},
};

static bool read_shape(const decode_parts *p, wmma_shape *out)
{
    for (size_t s = 0; s < LW_COUNT(shapes); s++) {
        char word[16];
        const wmma_shape *shape = &shapes[s].shape;
        snprintf(word, sizeof word, "m%un%uk%u", shape->m, shape->n, shape->k);
        *out = *shape;
        if (decode_parts_have(p, word)) return true;
    }
    return false;
}

static bool is_shape_of(const wmma_shape *shape, uint8_t type)
{
    for (size_t s = 0; s < LW_COUNT(shapes); s++)
        if (!memcmp(&shapes[s].shape, shape, sizeof *shape) && shapes[s].type == decode_tensor_family(type))
            return true;
    return false;
}

/* C of this shape may have this type. */
static bool is_c_of(const wmma_shape *shape, uint8_t type)
{
    if (shape->k == 4) return type == TENSOR_F64;
    if (shape->k == 8) return type == TENSOR_F32;
    if (shape->k >= 32) return type == TENSOR_S32;
    return type == TENSOR_F16 || type == TENSOR_F32 || type == TENSOR_S32;
}

/* Registers of a fragment: how many elements a lane has, which are those of the matrix over 32 lanes. */
static bool describe(const wmma_shape *s, uint32_t which, uint8_t type, bool by_rows, fragment *out)
{
    uint32_t bits = decode_tensor_bits(type), width = bits == 64 ? 64 : 32;
    uint32_t lines = which == FRAGMENT_B ? s->n : s->m, length = which == FRAGMENT_C ? s->n : s->k;
    bool turned = which == FRAGMENT_C && s->m == 8 && s->n == 32;
    if (which == FRAGMENT_C ? !is_c_of(s, type) : !is_shape_of(s, type)) return false;
    *out = (fragment){.which = (uint8_t)which, .type = type, .bits = bits};
    out->different = out->registers = lines * length * bits / 32 / width;
    if (type == TENSOR_F16 && which != FRAGMENT_C) out->registers = 8;
    out->run = which == FRAGMENT_C ? 2 : width / bits;
    out->contiguous = (which == FRAGMENT_B) != by_rows;
    out->pitch = out->contiguous ? length : lines;
    if (turned) out->contiguous = !out->contiguous; /* the same memory seen along the other dimension */
    return bits >= 8 || out->contiguous;
}

/* Where the first element of a register's (of C: a pair's) run lies, beyond where the lane's own elements begin. */
typedef struct offset {
    uint32_t line, along;
} offset;

static offset offset_of(const wmma_shape *s, const fragment *f, uint32_t r)
{
    uint32_t bits = f->bits;
    uint32_t lines = f->which == FRAGMENT_B ? s->n : s->m;
    r %= f->different;
    if (f->which == FRAGMENT_C) { /* r: number of the pair */
        bool square = s->m == 16;
        return square ? (offset){8 * (r & 1), 8 * (r >> 1)} : (offset){8 * r, 0};
    }
    if (bits == 8) return (offset){8 * r, 0};
    uint32_t step = bits == 32 ? 4 : 8; /* from one run to the next along a line */
    bool along_first = lines == 8 || (f->which == FRAGMENT_B && lines == 16);
    if (along_first) return (offset){8 * (r >> 1), step * (r & 1)};
    return (offset){8 * (r & 1) + 16 * (r >> 2), step * (r >> 1 & 1)};
}

/* ---------------------------------------------------------------- addresses */
static code_ref compute(decoder *d, code_op op, code_ref a, code_ref b, uint32_t bytes)
{
    code_ref t = decode_temp(d, bytes);
    code_insn *i = decode_emit_unguarded(d, op);
    i->d = t;
    i->a = a;
    i->b = b;
    return t;
}

static code_ref widened(decoder *d, code_ref a) { return compute(d, OP_cvt_u64_u32, a, CODE_NO_REF, 8); }

static code_ref lane_number(decoder *d)
{
    ptx_operand lane = {.kind = PTX_OP_SPECIAL, .special = PTX_SPECIAL_LANEID};
    return decode_source(d, &lane, LANE_u32);
}

typedef struct places {
    code_ref base;  /* address of the matrix */
    code_ref own;   /* address of the lane's first element; of access_turned() of the first of its row of memory */
    code_ref pitch; /* bytes that the operand `stride` means */
    uint32_t step;  /* bytes of an element, 0: of less than 8 bits */
} places;

/* stride: the operand, or NULL. */
static places find_places(decoder *d, const fragment *f, const ptx_operand *at, const ptx_operand *stride,
                          ptx_space space)
{
    places p = {.step = f->bits / 8};
    code_ref base = decode_address_value(d, at, space);
    code_ref elements = stride ? decode_source(d, stride, LANE_u32) : decode_constant(d, f->pitch, 4);
    code_ref lane = lane_number(d);
    code_ref line = widened(d, compute(d, OP_shr_u32, lane, decode_constant(d, 2, 4), 4));
    code_ref quarter = widened(d, compute(d, OP_and_b32, lane, decode_constant(d, 3, 4), 4));
    code_ref bits = compute(d, OP_mul_wide_u32, elements, decode_constant(d, f->bits, 4), 8);
    p.pitch = compute(d, OP_shr_u64, bits, decode_constant(d, 3, 4), 8);
    uint32_t run_bytes = f->run * f->bits / 8;
    bool rows = f->contiguous || f->bits == 16; /* groups of lanes have rows of memory */
    code_ref by_pitch = rows ? line : quarter;
    code_ref by_bytes = rows ? quarter : line;
    code_ref pitches = compute(d, OP_mul_lo_u64, by_pitch, p.pitch, 8);
    if (!rows && f->run > 1) pitches = compute(d, OP_mul_lo_u64, pitches, decode_constant(d, f->run, 8), 8);
    code_ref bytes = compute(d, OP_mul_lo_u64, by_bytes, decode_constant(d, rows ? run_bytes : p.step, 8), 8);
    p.base = base;
    p.own = compute(d, OP_add_u64, base, compute(d, OP_add_u64, pitches, bytes, 8), 8);
    return p;
}

/* The lane's own address plus so many pitches. */
static code_ref plus_pitches(decoder *d, const places *p, uint32_t count)
{
    if (!count) return p->own;
    code_ref more = compute(d, OP_mul_lo_u64, p->pitch, decode_constant(d, count, 8), 8);
    return compute(d, OP_add_u64, p->own, more, 8);
}

/* ---------------------------------------------------------------- accesses */
/* `count` registers of the operand from `first` on, or (list given) those of a list, to or from [base + offset]. */
static void emit_access(decoder *d, bool loads, ptx_space space, code_ref base, uint32_t offset, uint32_t bytes,
                        code_list *l)
{
    code_insn *i = decode_emit(d, loads ? OP_ld : OP_st);
    decode_set_memory(i, l, space, bytes, l->count);
    i->a = base;
    i->mem.offset = offset;
    i->mem.access.reg_bytes = (uint8_t)LW_MAX(bytes, 4u);
    i->event_op = loads ? EVENT_LOAD : EVENT_STORE;
    decode_last_info(d)->list = l;
    decode_note_memory(d);
}

static code_list *registers_of(decoder *d, const ptx_operand *o, uint32_t first, uint32_t count, uint32_t bytes,
                               bool loads)
{
    code_list *l = decode_new_list(d, count);
    for (uint32_t k = 0; k < count; k++) {
        const ptx_operand *one = decode_element(o, first + k);
        lane_type lane = bytes == 8 ? LANE_u64 : LANE_u32;
        if (loads) l->results = k + 1;
        if (loads && one->kind == PTX_OP_SINK) continue;
        l->ref[k] = loads ? decode_result(d, one, lane) : decode_source(d, one, lane);
    }
    return l;
}

/* A run that lies side by side: one access. */
static void access_run(decoder *d, const wmma_shape *s, const fragment *f, const places *p, const ptx_operand *o,
                       uint32_t r, bool loads, ptx_space space)
{
    offset at = offset_of(s, f, r);
    bool pair = f->which == FRAGMENT_C && f->bits >= 32; /* of C a run is two registers */
    uint32_t bytes = LW_MAX(f->bits / 8, 4u), count = pair ? 2 : 1;
    code_list *l = registers_of(d, o, r * count, count, bytes, loads);
    emit_access(d, loads, space, plus_pitches(d, p, at.line), at.along * f->bits / 8, bytes, l);
    if (loads) decode_flush(d);
}

/* Elements of 16 bits that lie in lines of memory of their own: 8x8 of them are moved as rows of memory, two a lane, and turned. */
static void access_turned(decoder *d, const wmma_shape *s, const fragment *f, const places *p, const ptx_operand *o,
                          uint32_t r, bool loads, ptx_space space)
{
    offset at = offset_of(s, f, r);
    code_list *l = decode_new_list(d, 1);
    l->results = loads;
    code_ref base = plus_pitches(d, p, at.along);
    if (loads) {
        l->ref[0] = decode_temp(d, 4);
        emit_access(d, true, space, base, at.line * 2, 4, l);
    }
    code_ref from = loads ? l->ref[0] : decode_source(d, decode_element(o, r), LANE_u32);
    code_ref to = loads ? decode_result(d, decode_element(o, r), LANE_u32) : decode_temp(d, 4);
    code_insn *i = decode_emit(d, OP_movmatrix);
    i->d = to;
    i->a = from;
    if (loads) decode_flush(d);
    if (loads) return;
    l->ref[0] = to;
    emit_access(d, false, space, base, at.line * 2, 4, l);
}

/* ---------------------------------------------------------------- shared memory: ldmatrix */
static bool by_ldmatrix(const fragment *f, ptx_space space, bool loads)
{
    if (!loads || space != PTX_SHARED || f->which == FRAGMENT_C) return false;
    return f->bits == 16 || (f->bits == 8 && f->contiguous);
}

/* a + b * count, of 64 bits. */
static code_ref plus_times(decoder *d, code_ref a, code_ref b, uint32_t count)
{
    if (!count) return a;
    return compute(d, OP_add_u64, a, compute(d, OP_mul_lo_u64, b, decode_constant(d, count, 8), 8), 8);
}

/* `count` registers from `first` on: lane 8j + i gives the address of row i of matrix j. */
static void load_matrices(decoder *d, const wmma_shape *s, const fragment *f, const places *p, const ptx_operand *o,
                          uint32_t first, uint32_t count)
{
    offset start = offset_of(s, f, first), low = start, high = start; /* low, high: one more in this bit of j */
    if (count > 1) low = offset_of(s, f, first + 1);
    if (count > 2) high = offset_of(s, f, first + 2);
    code_ref lane = lane_number(d);
    code_ref row = widened(d, compute(d, OP_and_b32, lane, decode_constant(d, 7, 4), 4));
    code_ref pair = compute(d, OP_shr_u32, lane, decode_constant(d, 3, 4), 4);
    code_ref bit = widened(d, compute(d, OP_and_b32, pair, decode_constant(d, 1, 4), 4));
    code_ref half = widened(d, compute(d, OP_shr_u32, lane, decode_constant(d, 4, 4), 4));
    bool lines = f->contiguous; /* rows of memory are lines */
    code_ref zero = decode_constant(d, 0, 8);
    code_ref pitches = plus_times(d, row, bit, lines ? low.line - start.line : low.along - start.along);
    pitches = plus_times(d, pitches, half, lines ? high.line - start.line : high.along - start.along);
    code_ref elements = plus_times(d, zero, bit, lines ? low.along - start.along : low.line - start.line);
    elements = plus_times(d, elements, half, lines ? high.along - start.along : high.line - start.line);
    code_ref bytes = compute(d, OP_mul_lo_u64, elements, decode_constant(d, p->step, 8), 8);
    code_ref address = compute(d, OP_add_u64, p->base, compute(d, OP_mul_lo_u64, pitches, p->pitch, 8), 8);
    address = compute(d, OP_add_u64, address, bytes, 8);
    address = plus_times(d, address, p->pitch, lines ? start.line : start.along);
    code_list *l = registers_of(d, o, first, count, 4, true);
    code_insn *i = decode_emit(d, OP_ldmatrix);
    decode_set_memory(i, l, PTX_SHARED, 16, count);
    i->a = address;
    i->mem.offset = (lines ? start.along : start.line) * p->step;
    i->mem.matrix.transposed = !f->contiguous;
    i->event_op = EVENT_MATRIX_LOAD;
    decode_last_info(d)->list = l;
    decode_note_memory(d);
    decode_flush(d);
}

/* The elements of a run one by one: each lies in a line of memory of its own. */
static void access_elements(decoder *d, const wmma_shape *s, const fragment *f, const places *p, const ptx_operand *o,
                            uint32_t r, bool loads, ptx_space space)
{
    offset at = offset_of(s, f, r);
    bool whole = f->bits >= 32; /* elements are registers */
    uint32_t bytes = f->bits / 8;
    code_ref joined = CODE_NO_REF;
    code_ref source = whole || loads ? CODE_NO_REF : decode_source(d, decode_element(o, r), LANE_u32);
    for (uint32_t e = 0; e < f->run; e++) {
        code_ref base = plus_pitches(d, p, at.along + e);
        if (whole) {
            code_list *l = registers_of(d, o, r * f->run + e, 1, bytes, loads);
            emit_access(d, loads, space, base, at.line * bytes, bytes, l);
            if (loads) decode_flush(d);
            continue;
        }
        code_list *l = decode_new_list(d, 1);
        l->results = loads;
        code_ref shift = decode_constant(d, e * f->bits, 4);
        l->ref[0] = loads ? decode_temp(d, 4) : compute(d, OP_shr_u32, source, shift, 4);
        emit_access(d, loads, space, base, at.line * bytes, bytes, l);
        if (!loads) continue;
        code_ref part = e ? compute(d, OP_shl_b32, l->ref[0], shift, 4) : l->ref[0];
        joined = e ? compute(d, OP_or_b32, joined, part, 4) : part;
    }
    if (whole || !loads) return;
    code_ref to = decode_result(d, decode_element(o, r), LANE_u32);
    code_insn *i = decode_emit(d, OP_mov_b32);
    i->d = to;
    i->a = joined;
    decode_flush(d);
}

/* A copy of a register that was loaded before. */
static void copy_register(decoder *d, const ptx_operand *o, uint32_t from, uint32_t to)
{
    if (decode_element(o, from)->kind == PTX_OP_SINK || decode_element(o, to)->kind == PTX_OP_SINK) return;
    code_ref a = decode_source(d, decode_element(o, from), LANE_u32);
    code_ref r = decode_result(d, decode_element(o, to), LANE_u32);
    code_insn *i = decode_emit(d, OP_mov_b32);
    i->d = r;
    i->a = a;
    decode_flush(d);
}

static bool read_fragment(const decode_parts *p, wmma_shape *s, fragment *f)
{
    uint32_t which = decode_part_is(p, 2, "a") ? FRAGMENT_A : decode_part_is(p, 2, "b") ? FRAGMENT_B : FRAGMENT_C;
    int type = decode_tensor_type(p, p->count - 1);
    if (type < 0 || !read_shape(p, s)) return false;
    return describe(s, which, (uint8_t)type, decode_parts_have(p, "row"), f);
}

static void decode_transfer(decoder *d, const decode_parts *p, bool loads)
{
    wmma_shape s;
    fragment f;
    bool known =
        decode_known_parts(d, p, 1,
                           "load store a b c d sync aligned row col m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4 "
                           "m8n8k32 m8n8k128 global shared shared::cta f16 bf16 tf32 f32 s32 f64 s8 u8 s4 u4 b1");
    if (!known || !decode_operands_between(d, 2, 3)) return;
    if (!read_fragment(p, &s, &f)) {
        decode_problem(d, "'%s': this matrix is not supported", d->in->mnemonic);
        return;
    }
    const ptx_operand *registers = &d->ops[loads ? 0 : 1], *at = &d->ops[loads ? 1 : 0];
    const ptx_operand *stride = d->in->operand_count > 2 ? &d->ops[2] : NULL;
    if (!decode_vector_fits(d, registers, f.registers)) return;
    ptx_space space = decode_space_in(p);
    places where = find_places(d, &f, at, stride, space);
    bool pairs = f.which == FRAGMENT_C && f.bits >= 32;
    uint32_t runs = pairs ? f.different / 2 : f.different;
    uint32_t most = f.bits == 16 ? 4 : 2; /* registers that one ldmatrix loads */
    bool matrices = by_ldmatrix(&f, space, loads);
    for (uint32_t r = 0; matrices && r < runs; r += most)
        load_matrices(d, &s, &f, &where, registers, r, LW_MIN(most, runs - r));
    for (uint32_t r = 0; !matrices && r < runs; r++) {
        if (f.contiguous) access_run(d, &s, &f, &where, registers, r, loads, space);
        else if (f.bits == 16) access_turned(d, &s, &f, &where, registers, r, loads, space);
        else access_elements(d, &s, &f, &where, registers, r, loads, space);
    }
    for (uint32_t r = f.different; r < f.registers; r++) copy_register(d, registers, r % f.different, r);
    bool recorded = f.bits >= 8 && (space != PTX_GENERIC || f.bits >= 32);
    if (!recorded && !d->kernel->no_count_plan) plan_mark(d, d->site, PLAN_WMMA);
}

/* ---------------------------------------------------------------- products */
/* One product of mma: which registers of the fragments it takes. */
typedef struct part_of_product {
    uint32_t a, b, c; /* first of each */
} part_of_product;

/* Registers of an operand from `first` on, into the list. */
static void put_sources(decoder *d, code_list *l, uint32_t *at, const ptx_operand *o, uint32_t first, uint32_t count,
                        uint32_t bytes)
{
    for (uint32_t k = 0; k < count; k++)
        l->ref[(*at)++] = decode_source(d, decode_element(o, first + k), code_lane_of_bytes(bytes));
}

/* The results go to registers of their own first: an operand of the next product may be a result of this instruction. */
static void emit_product(decoder *d, const code_tensor *t, const part_of_product *part, const ptx_operand *a,
                         const ptx_operand *b, const code_ref *c, code_ref *results)
{
    uint32_t bytes = t->a == TENSOR_F64 ? 8 : 4, at = t->registers_c;
    code_list *l = decode_new_list(d, (uint32_t)t->registers_a + t->registers_b + 2u * t->registers_c);
    put_sources(d, l, &at, a, part->a, t->registers_a, bytes);
    put_sources(d, l, &at, b, part->b, t->registers_b, bytes);
    for (uint32_t k = 0; k < t->registers_c; k++) l->ref[at++] = c[part->c + k];
    for (uint32_t k = 0; k < t->registers_c; k++) {
        l->ref[k] = results[part->c + k] = decode_temp(d, bytes);
        l->results = k + 1;
    }
    code_insn *i = decode_emit(d, OP_mma);
    i->tensor.form = t;
    i->tensor.list = l;
    decode_last_info(d)->list = l;
}

/* What mma does not have: D and C of f16 and f32. They are summed as f32: C is widened before, or D rounded behind (to zero with
 * .satfinite, which the assembler makes nothing else of), as machine code for sm_90 does it. */
typedef struct mixed_types {
    uint8_t d, c; /* enum code_tensor_type */
} mixed_types;

/* The types of D, A, B and C, of which f16's products name only the first and the last. */
static bool read_types(const decode_parts *p, code_tensor *t, mixed_types *mixed)
{
    int types[4];
    uint32_t found = decode_tensor_types(p, types, 4);
    if (found != 2 && found != 4) return false;
    *mixed = (mixed_types){.d = (uint8_t)types[0], .c = (uint8_t)types[found - 1]};
    t->a = (uint8_t)(found == 4 ? types[1] : TENSOR_F16);
    t->b = (uint8_t)(found == 4 ? types[2] : TENSOR_F16);
    t->c = mixed->d == mixed->c ? mixed->d : TENSOR_F32;
    bool floats =
        (mixed->d == TENSOR_F16 || mixed->d == TENSOR_F32) && (mixed->c == TENSOR_F16 || mixed->c == TENSOR_F32);
    return t->a == t->b && (mixed->d == mixed->c || (floats && found == 2));
}

/* C's registers as those of the sum. */
static void find_addends(decoder *d, const mixed_types *mixed, uint32_t count, code_ref *out)
{
    const ptx_operand *c = &d->ops[3];
    bool widens = mixed->c == TENSOR_F16 && mixed->d == TENSOR_F32;
    for (uint32_t k = 0; k < count; k++) {
        const ptx_operand *one = decode_element(c, widens ? k / 2 : k);
        out[k] = decode_source(d, one, mixed->c == TENSOR_F64 ? LANE_u64 : LANE_u32);
        if (!widens) continue;
        if (k % 2) out[k] = compute(d, OP_shr_u32, out[k], decode_constant(d, 16, 4), 4);
        out[k] = compute(d, OP_cvt_f32_h16, compute(d, OP_cvt_u16_u32, out[k], CODE_NO_REF, 2), CODE_NO_REF, 4);
    }
}

/* The sum's registers as those of D. */
static void put_results(decoder *d, const code_tensor *t, const mixed_types *mixed, uint32_t count,
                        const code_ref *results)
{
    bool narrows = mixed->d == TENSOR_F16 && t->c == TENSOR_F32;
    uint32_t bytes = t->a == TENSOR_F64 ? 8 : 4;
    for (uint32_t k = 0; k < count; k++) {
        const ptx_operand *to = decode_element(&d->ops[0], k);
        if (to->kind == PTX_OP_SINK) continue;
        code_ref r = decode_result(d, to, code_lane_of_bytes(bytes));
        code_insn *i = decode_emit(d, narrows ? OP_cvt_h16x2_f32 : decode_mov_of_bytes(bytes));
        i->d = r;
        i->a = results[narrows ? 2 * k + 1 : k];
        if (narrows) i->b = results[2 * k];
        if (narrows) i->alu.mods = t->satfinite ? PTX_RND_RZ : PTX_RND_RN;
        decode_flush(d);
    }
}

/* The product of mma that the shape's is made of: of m8n32 the transposed one. */
static void set_part_shape(const wmma_shape *s, code_tensor *t)
{
    bool small = s->m == 8 && s->n == 8;
    t->m = small ? 8 : 16;
    t->n = 8;
    t->k = (uint16_t)s->k;
}

static void decode_product(decoder *d, const decode_parts *p)
{
    wmma_shape s;
    fragment a, b, c, to, sum; /* c, to: of C and D in the instruction */
    mixed_types mixed;
    code_tensor *t = LW_NEW(d->arena, code_tensor);
    bool known =
        decode_known_parts(d, p, 1,
                           "mma sync aligned row col m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128 "
                           "satfinite xor and popc rn rz rm rp f16 bf16 tf32 f32 s32 f64 s8 u8 s4 u4 b1");
    if (!known || !decode_operands_are(d, 4)) return;
    bool fits = read_shape(p, &s) && read_types(p, t, &mixed) && describe(&s, FRAGMENT_A, t->a, true, &a) &&
                describe(&s, FRAGMENT_B, t->b, false, &b) && describe(&s, FRAGMENT_C, mixed.c, true, &c) &&
                describe(&s, FRAGMENT_C, mixed.d, true, &to) && describe(&s, FRAGMENT_C, t->c, true, &sum);
    if (fits) set_part_shape(&s, t);
    if (!fits || !decode_tensor_finish(p, t)) {
        decode_problem(d, "'%s': this product of matrices is not supported", d->in->mnemonic);
        return;
    }
    if (t->a == TENSOR_TF32) t->step = 4; /* recorded: wmma sums four of k at a time, mma.m16n8k8 eight */
    if (!decode_vector_fits(d, &d->ops[0], to.registers) || !decode_vector_fits(d, &d->ops[1], a.registers) ||
        !decode_vector_fits(d, &d->ops[2], b.registers) || !decode_vector_fits(d, &d->ops[3], c.registers))
        return;
    bool turned = s.m == 8 && s.n == 32;
    const ptx_operand *first = &d->ops[turned ? 2 : 1], *second = &d->ops[turned ? 1 : 2];
    code_ref addends[8], results[8];
    find_addends(d, &mixed, sum.registers, addends);
    for (uint32_t at = 0, k = 0; at < sum.registers; at += t->registers_c, k++) {
        part_of_product part = {.c = at};
        if (s.m == 16) part.b = k * t->registers_b; /* the columns from 8 on */
        else part.a = k * t->registers_a;           /* the rows from 16 on */
        emit_product(d, t, &part, first, second, addends, results);
    }
    put_results(d, t, &mixed, to.registers, results);
}

void decode_wmma(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    if (decode_part_is(&p, 1, "load") || decode_part_is(&p, 1, "store"))
        decode_transfer(d, &p, decode_part_is(&p, 1, "load"));
    else decode_product(d, &p);
}
