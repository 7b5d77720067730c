/* decode_mem.c: loads, stores, atomics and address conversions. Cache operators, eviction priorities, prefetch sizes
 * and cache hints are parsed and have no effect on results. */
#include "code/decode.h"
#include "event/event.h"

#include <string.h>

/* ---------------------------------------------------------------- modifiers */
typedef struct access {
    ptx_space space;
    ptx_type type;
    uint32_t vector;
    uint8_t flags;   /* EVENT_VOLATILE ... */
    bool ordered;    /* volatile, relaxed, acquire, mmio */
    bool shared;     /* meant for other threads: all of a vector at once */
    bool has_policy; /* .L2::cache_hint: one more operand at the end */
} access;

/* What one modifier of a load, store or atomic says; those that say nothing of interest here stand in its row. */
static void read_modifier(access *a, const decode_parts *p, uint32_t k)
{
    if (decode_space_part(p, k, &a->space)) return;
    if (decode_part_is(p, k, "v2")) a->vector = 2;
    if (decode_part_is(p, k, "v4")) a->vector = 4;
    if (decode_part_is(p, k, "v8")) a->vector = 8;
    if (decode_part_is(p, k, "nc")) a->flags |= EVENT_NON_COHERENT;
    if (decode_part_is(p, k, "cg")) a->flags |= EVENT_BYPASS_L1;
    if (decode_part_is(p, k, "volatile")) a->flags |= EVENT_VOLATILE;
    if (decode_part_is(p, k, "L2::cache_hint")) a->has_policy = true;
    if (decode_word_in("volatile relaxed acquire mmio", p->part[k], p->size[k])) a->ordered = true;
    if (decode_word_in("volatile relaxed acquire release mmio cg cv wt", p->part[k], p->size[k])) a->shared = true;
}

static access parse_access(const decode_parts *p)
{
    access a = {.space = PTX_GENERIC, .vector = 1, .type = decode_last_type(p)};
    for (uint32_t k = 1; k < p->count; k++) read_modifier(&a, p, k);
    return a;
}

/* Elements of 1 to 16 bytes, at most 32 in all (sm_100's 256-bit vectors). */
static bool access_fits(decoder *d, const access *a)
{
    uint32_t bytes = ptx_type_bytes(a->type);
    if (bytes && bytes * a->vector <= 32) return true;
    decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
    return false;
}

/* What a load or store moves: elements between memory and registers of `width` bytes. */
static void set_elements(code_insn *i, const code_list *list, const access *a, uint32_t width)
{
    i->mem.list = list;
    i->mem.bytes = (uint8_t)ptx_type_bytes(a->type);
    i->mem.vector = (uint8_t)a->vector;
    i->mem.space = (uint8_t)a->space;
    i->mem.access.reg_bytes = (uint8_t)width;
    i->mem.access.is_signed = ptx_type_class(a->type) == 'S';
    i->mem.access.ordered = a->ordered;
    i->mem.access.at_once = a->shared && a->vector > 1;
}

/* ---------------------------------------------------------------- kernel and call parameters */
/* A load from a kernel parameter is a move from the launch file, not an access: the hardware reads its constant bank.
 * */
static void load_kernel_param(decoder *d, const access *a)
{
    const ptx_operand *from = &d->ops[1], *to = &d->ops[0];
    uint32_t offset = 0, bytes = ptx_type_bytes(a->type);
    for (size_t k = 0; k < d->f->param_count; k++)
        if (d->f->params[k] == from->variable) offset = d->kernel->params[k].offset;
    for (uint32_t k = 0; k < a->vector; k++) {
        const ptx_operand *o = decode_element(to, k);
        if (o->kind == PTX_OP_SINK) continue;
        uint32_t width = decode_register_width(d, o, LW_MAX(bytes, 2u));
        uint64_t at = (uint64_t)offset + (uint64_t)from->imm + (uint64_t)k * bytes;
        if (at > d->kernel->param_bytes || at + bytes > d->kernel->param_bytes) {
            decode_problem(d, "the access is outside the kernel's parameters");
            return;
        }
        code_fill fill = {.kind = FILL_PARAM,
                          .bytes = (uint8_t)width,
                          .param_bytes = (uint8_t)bytes,
                          .value = at,
                          .is_signed = ptx_type_class(a->type) == 'S'};
        code_ref r = decode_fill(d, CODE_LAUNCH, fill);
        code_ref t = decode_result(d, o, code_lane_of_bytes(width));
        code_insn *i = decode_emit(d, decode_mov_of_bytes(width));
        i->d = t;
        i->a = r;
    }
    decode_flush(d);
}

/* Parameters of calls lie in the frames of caller and callee. The assembler keeps them in registers: nothing is
 * counted. */
static void frame_access(decoder *d, const access *a, bool load)
{
    const ptx_operand *at = &d->ops[load ? 1 : 0], *o = &d->ops[load ? 0 : 1];
    uint64_t offset = 0;
    uint64_t size = at->variable->bytes ? at->variable->bytes : ptx_type_bytes(at->variable->type);
    if (!decode_frame_offset(d, at->variable, &offset) || at->imm < 0 || (uint64_t)at->imm > size ||
        (uint64_t)at->imm + ptx_type_bytes(a->type) * a->vector > size) {
        decode_problem(d, "the access is outside parameter '%s'", at->variable->name);
        return;
    }
    uint32_t width = decode_register_width(d, o, LW_MAX(ptx_type_bytes(a->type), 2u));
    code_list *l =
        load ? decode_result_list(d, o, a->vector, width) : decode_source_list(d, o, a->vector, width, a->type);
    code_insn *i = decode_emit(d, load ? OP_ld_frame : OP_st_frame);
    i->mem.offset = (int64_t)offset + at->imm;
    set_elements(i, l, a, width);
    decode_last_info(d)->list = l;
    d->body->uses_local = true;
    decode_flush(d);
}

/* ---------------------------------------------------------------- ld, st */

void decode_ld(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    access a = parse_access(&p);
    const ptx_operand *to = &d->ops[0], *from = &d->ops[1];
    if (!decode_operands_between(d, 2, 2 + a.has_policy) || !access_fits(d, &a) || !decode_vector_fits(d, to, a.vector))
        return;
    if (a.space == PTX_PARAM && from->variable && from->variable->space == PTX_PARAM) {
        if (decode_is_call_param(d, from->variable)) frame_access(d, &a, true);
        else load_kernel_param(d, &a);
        return;
    }
    if (a.space == PTX_PARAM && !d->f->is_entry) a.space = PTX_GENERIC;
    uint32_t width = decode_register_width(d, to, LW_MAX(ptx_type_bytes(a.type), 2u));
    decode_place at = decode_address(d, from, a.space);
    code_list *l = decode_result_list(d, to, a.vector, width);
    code_insn *i = decode_emit(d, OP_ld);
    decode_set_address(i, &at);
    set_elements(i, l, &a, width);
    i->event_flags = a.flags;
    i->event_op = a.space == PTX_CONST && at.base == CODE_NO_REF ? CODE_NO_EVENT : EVENT_LOAD;
    decode_last_info(d)->list = l;
    if (i->event_op != CODE_NO_EVENT) decode_note_memory(d);
    decode_flush(d);
}
void decode_ldu(decoder *d) { decode_ld(d); }

void decode_st(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    if (decode_part_is(&p, 1, "async")) {
        decode_st_async(d);
        return;
    }
    if (decode_part_is(&p, 1, "bulk")) {
        decode_st_bulk(d);
        return;
    }
    access a = parse_access(&p);
    const ptx_operand *to = &d->ops[0], *from = &d->ops[1];
    if (!decode_operands_between(d, 2, 2 + a.has_policy) || !access_fits(d, &a) ||
        !decode_vector_fits(d, from, a.vector))
        return;
    if (a.space == PTX_PARAM && to->variable && decode_is_call_param(d, to->variable)) {
        frame_access(d, &a, false);
        return;
    }
    if (a.space == PTX_PARAM) {
        decode_problem(d, "'%s' does not write to a parameter of a call", d->in->mnemonic);
        return;
    }
    uint32_t width = decode_register_width(d, from, LW_MAX(ptx_type_bytes(a.type), 2u));
    decode_place at = decode_address(d, to, a.space);
    code_list *l = decode_source_list(d, from, a.vector, width, a.type);
    code_insn *i = decode_emit(d, OP_st);
    decode_set_address(i, &at);
    set_elements(i, l, &a, width);
    i->event_flags = a.flags;
    i->event_op = EVENT_STORE;
    decode_last_info(d)->list = l;
    decode_note_memory(d);
}

/* ---------------------------------------------------------------- atom, red */
static int atomic_operation(const decode_parts *p)
{
    static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"};
    for (uint32_t k = 1; k < p->count; k++)
        for (size_t n = 0; n < LW_COUNT(names); n++)
            if (decode_part_is(p, k, names[n])) return (int)n;
    return -1;
}

static uint8_t atomic_class(int operation, ptx_type type)
{
    if (operation == ATOM_CAS) return EVENT_ATOMIC_CAS;
    if (operation == ATOM_EXCH) return EVENT_ATOMIC_EXCH;
    if (operation != ATOM_ADD) return EVENT_ATOMIC_OTHER;
    char c = ptx_type_class(type);
    return c == 'U' || c == 'S' ? EVENT_ATOMIC_ADD : EVENT_ATOMIC_FADD;
}

/* What an atomic does. Its operands: the result if it returns one, the address, the values, for cas the new values. */
typedef struct atomic_form {
    access access;
    int operation;       /* enum code_atomic; negative: none */
    bool returns;        /* atom, else red */
    uint32_t at_operand; /* position of the address */
    uint32_t bytes;      /* of an element */
} atomic_form;

static bool has_new_values(const atomic_form *f) { return f->operation == ATOM_CAS; }

/* Does the combination of operation, type and vector exist? */
static bool atomic_exists(const atomic_form *f)
{
    bool exchanges = f->operation == ATOM_CAS || f->operation == ATOM_EXCH;
    if (f->operation < 0 || f->access.type == PTX_NO_TYPE) return false;
    if (f->bytes < 2 || f->bytes * f->access.vector > 16) return false;
    if (exchanges) return f->access.vector == 1;
    return f->bytes < 16;
}

static bool read_atomic_form(decoder *d, bool returns, atomic_form *f)
{
    decode_parts p = decode_split(d->in->mnemonic);
    *f = (atomic_form){
        .access = parse_access(&p), .operation = atomic_operation(&p), .returns = returns, .at_operand = returns};
    f->bytes = ptx_type_bytes(f->access.type);
    if (!atomic_exists(f)) {
        decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
        return false;
    }
    uint32_t vector = f->access.vector, least = f->at_operand + 2u + has_new_values(f);
    const ptx_operand *value = &d->ops[f->at_operand + 1];
    if (!decode_operands_between(d, least, least + f->access.has_policy)) return false;
    if (returns && !decode_vector_fits(d, &d->ops[0], vector)) return false;
    if (!decode_vector_fits(d, value, vector)) return false;
    return !has_new_values(f) || decode_vector_fits(d, value + 1, vector);
}

/* Results, values, then the new values of cas; `vector` each. */
static code_list *atomic_list(decoder *d, const atomic_form *f)
{
    const access *a = &f->access;
    const ptx_operand *result = &d->ops[0], *value = &d->ops[f->at_operand + 1];
    lane_type lane = a->type == PTX_F32 || a->type == PTX_F64 ? code_lane_of(a->type) : code_lane_of_bytes(f->bytes);
    code_list *l = decode_new_list(d, 3 * a->vector);
    l->results = f->returns ? a->vector : 0;
    for (uint32_t k = 0; k < a->vector; k++) {
        l->ref[a->vector + k] = decode_source(d, decode_element(value, k), lane);
        if (has_new_values(f)) l->ref[2 * a->vector + k] = decode_source(d, decode_element(value + 1, k), lane);
    }
    for (uint32_t k = 0; f->returns && k < a->vector; k++)
        if (decode_element(result, k)->kind != PTX_OP_SINK)
            l->ref[k] = decode_result(d, decode_element(result, k), lane);
    return l;
}

static void decode_atomic(decoder *d, bool returns)
{
    atomic_form f;
    if (!read_atomic_form(d, returns, &f)) return;
    decode_place at = decode_address(d, &d->ops[f.at_operand], f.access.space);
    code_list *l = atomic_list(d, &f);
    code_insn *i = decode_emit(d, OP_atom);
    decode_set_address(i, &at);
    i->mem.list = l;
    i->mem.bytes = (uint8_t)f.bytes;
    i->mem.vector = (uint8_t)f.access.vector;
    i->mem.space = (uint8_t)f.access.space;
    i->mem.atomic.operation = (uint8_t)f.operation;
    i->mem.atomic.type = (uint8_t)f.access.type;
    i->mem.atomic.event_class = atomic_class(f.operation, f.access.type);
    i->event_op = returns ? EVENT_ATOMIC : EVENT_REDUCTION;
    i->event_flags = f.access.flags;
    decode_last_info(d)->list = l;
    d->body->uses_atomics = true;
    decode_note_memory(d);
    decode_flush(d);
}
void decode_atom(decoder *d) { decode_atomic(d, true); }
void decode_red(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    if (decode_part_is(&p, 1, "async")) decode_st_async(d);
    else decode_atomic(d, false);
}

/* ---------------------------------------------------------------- addresses */
/* cvta.space.size d, a (space -> generic); cvta.to.space.size (generic -> space). A variable operand is resolved. */
void decode_cvta(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    bool to_space = decode_part_is(&p, 1, "to");
    ptx_space space = PTX_GENERIC;
    decode_space_part(&p, to_space ? 2 : 1, &space);
    lane_type t = ptx_type_bytes(decode_last_type(&p)) == 4 ? LANE_u32 : LANE_u64;
    if (space == PTX_PARAM && !d->f->is_entry) space = PTX_LOCAL;
    if (!decode_operands_are(d, 2)) return;
    code_ref s = decode_source(d, &d->ops[1], t);
    code_ref r = decode_result(d, &d->ops[0], t);
    bool moves = space == PTX_SHARED || space == PTX_SHARED_CLUSTER || space == PTX_LOCAL;
    code_insn *i = decode_emit(d, moves ? OP_cvta : decode_mov_of_bytes(code_lane_bytes(t)));
    i->d = r;
    i->a = s;
    if (moves) {
        i->window.space = (uint8_t)space;
        i->window.bytes = (uint8_t)code_lane_bytes(t);
        i->window.to_space = to_space;
    }
    decode_flush(d);
}

/* isspacep.space p, a: does the generic address lie in the window of the space? */
void decode_isspacep(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    ptx_space space = PTX_GENERIC;
    decode_space_part(&p, 1, &space);
    const ptx_operand *o = &d->ops[1];
    uint32_t bytes = o->kind == PTX_OP_REG && d->vregs.items[o->reg].bytes == 4 ? 4 : 8;
    if (!decode_operands_are(d, 2)) return;
    code_ref s = decode_source(d, o, bytes == 4 ? LANE_u32 : LANE_u64);
    code_ref r = decode_result(d, &d->ops[0], LANE_pred);
    code_insn *i = decode_emit(d, OP_isspacep);
    i->d = r;
    i->a = s;
    i->window.space = (uint8_t)space;
    i->window.bytes = (uint8_t)bytes;
}

/* ---------------------------------------------------------------- hints: no effect on results */
static void decode_nop(decoder *d) { decode_emit(d, OP_nop); }
void decode_prefetch(decoder *d) { decode_nop(d); }
void decode_prefetchu(decoder *d) { decode_nop(d); }
void decode_discard(decoder *d) { decode_nop(d); }
void decode_applypriority(decoder *d) { decode_nop(d); }

/* createpolicy: a policy is an opaque 64-bit value that only cache hints use. What is converted (.cvt) is one already. */
void decode_createpolicy(decoder *d)
{
    bool converts = !strncmp(d->in->mnemonic, "createpolicy.cvt.", strlen("createpolicy.cvt."));
    code_ref r = decode_result(d, &d->ops[0], LANE_u64);
    code_ref a = converts ? decode_source(d, &d->ops[1], LANE_u64) : decode_constant(d, code_policy(d->in), 8);
    code_insn *i = decode_emit(d, OP_mov_b64);
    i->d = r;
    i->a = a;
    decode_flush(d);
}
