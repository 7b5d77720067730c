/* decode_surface.c: suld, sust and sured. */
#include "code/decode.h"

typedef struct surface_form {
    uint32_t dimensions, vector;
    bool layered, formatted;
    int boundary;  /* enum code_boundary; negative: not named */
    int operation; /* sured: enum code_atomic; negative: not named */
    ptx_type type;
} surface_form;

/* The place of part k in a list of names; negative: it is none of them. */
static int place_in(const decode_parts *p, uint32_t k, const char *const names[], uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        if (decode_part_is(p, k, names[n])) return (int)n;
    return -1;
}

/* Reads one word of the mnemonic; false: no instruction on surfaces has it. */
static bool read_part(const decode_parts *p, uint32_t k, surface_form *f)
{
    static const char *const geometries[] = {"1d", "2d", "3d", "a1d", "a2d"};
    static const char *const boundaries[] = {"trap", "clamp", "zero"};
    static const char *const vectors[] = {"v2", "v4"};
    static const char *const cached[] = {"ca", "cg", "cs", "cv", "wb", "wt"};
    static const char *const operations[] = {"add", "min", "max", "and", "or"};
    static const int operation_of[] = {ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR};
    int at = place_in(p, k, geometries, LW_COUNT(geometries));
    if (at >= 0) {
        f->dimensions = (uint32_t)at % 3 + 1;
        f->layered = at >= 3;
        return true;
    }
    if ((at = place_in(p, k, boundaries, LW_COUNT(boundaries))) >= 0) {
        f->boundary = at;
        return true;
    }
    if ((at = place_in(p, k, vectors, LW_COUNT(vectors))) >= 0) {
        f->vector = 2u << at;
        return true;
    }
    if ((at = place_in(p, k, operations, LW_COUNT(operations))) >= 0) {
        f->operation = operation_of[at];
        return true;
    }
    if (place_in(p, k, cached, LW_COUNT(cached)) >= 0) return true;
    f->type = decode_part_type(p, k);
    return f->type != PTX_NO_TYPE;
}

static bool type_exists(const surface_form *f, bool reduces)
{
    uint32_t bytes = ptx_type_bytes(f->type);
    char class = ptx_type_class(f->type);
    if (reduces) return bytes == 4 || bytes == 8;
    if (f->formatted) return bytes == 4;
    return class == 'B' && bytes >= 1 && bytes <= 8 && bytes * f->vector <= 16;
}

/* suld.b.geom{.cop}{.vec}.type.boundary, sust.b and sust.p likewise, sured.b and sured.p with an operation. */
static bool read_form(decoder *d, bool reduces, surface_form *f)
{
    decode_parts p = decode_split(d->in->mnemonic);
    *f = (surface_form){.vector = 1, .boundary = -1, .operation = -1, .type = PTX_NO_TYPE};
    f->formatted = decode_part_is(&p, 1, "p");
    bool known = f->formatted || decode_part_is(&p, 1, "b");
    for (uint32_t k = 2; known && k < p.count; k++) known = read_part(&p, k, f);
    known = known && f->dimensions && f->boundary >= 0 && f->type != PTX_NO_TYPE && type_exists(f, reduces);
    known = known && reduces == (f->operation >= 0) && !(reduces && (f->layered || f->vector > 1));
    if (!known) decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
    return known;
}

/* [object, coordinates]; 3-D and layered 2-D coordinates have a fourth that is not looked at. */
static const ptx_operand *coordinates_of(decoder *d, const ptx_operand *place, uint32_t count)
{
    bool pair = place->kind == PTX_OP_TEX && place->item_count == 2;
    const ptx_operand *at = pair ? &place->items[1] : NULL;
    uint32_t given = !at ? 0 : at->kind == PTX_OP_VECTOR ? at->item_count : 1;
    if (given >= count) return at;
    decode_problem(d, "'%s' takes a surface and %u coordinate%s", d->in->mnemonic, count, count == 1 ? "" : "s");
    return NULL;
}

static void decode_surface(decoder *d, code_op op)
{
    surface_form f;
    bool load = op == OP_suld;
    if (!decode_operands_between(d, 2, 2) || !read_form(d, op == OP_sured, &f)) return;
    const ptx_operand *place = &d->ops[load ? 1 : 0], *value = &d->ops[load ? 0 : 1];
    uint32_t count = f.dimensions + f.layered, bytes = ptx_type_bytes(f.type);
    const ptx_operand *at = coordinates_of(d, place, count);
    if (!at || !decode_vector_fits(d, value, f.vector)) return;
    uint32_t width = op == OP_sured ? bytes : decode_register_width(d, value, LW_MAX(bytes, 2u));
    code_ref handle = decode_source(d, &place->items[0], LANE_u64);
    code_list *l = decode_new_list(d, f.vector + count);
    for (uint32_t k = 0; k < count; k++) l->ref[f.vector + k] = decode_source(d, decode_element(at, k), LANE_u32);
    for (uint32_t k = 0; k < f.vector; k++) {
        const ptx_operand *o = decode_element(value, k);
        if (!load) l->ref[k] = decode_source(d, o, code_lane_of_bytes(width));
        else if (o->kind != PTX_OP_SINK) l->ref[k] = decode_result(d, o, code_lane_of_bytes(width));
    }
    l->results = load ? f.vector : 0;
    code_insn *i = decode_emit(d, op);
    i->a = handle;
    i->mem.list = l;
    i->mem.bytes = (uint8_t)bytes;
    i->mem.vector = (uint8_t)f.vector;
    i->mem.space = PTX_GLOBAL;
    i->mem.surface.dimensions = f.dimensions & 3;
    i->mem.surface.layered = f.layered;
    i->mem.surface.formatted = f.formatted;
    i->mem.surface.boundary = (uint8_t)f.boundary & 3;
    i->mem.surface.type = (uint8_t)f.type;
    if (op == OP_sured) i->mem.surface.operation = (uint8_t)f.operation;
    else i->mem.surface.reg_bytes = (uint8_t)width;
    i->mem.surface.event_class = f.operation == ATOM_ADD ? EVENT_ATOMIC_ADD : EVENT_ATOMIC_OTHER;
    i->event_op = load ? EVENT_LOAD : op == OP_sust ? EVENT_STORE : EVENT_REDUCTION;
    decode_last_info(d)->list = l;
    d->body->uses_atomics |= op == OP_sured;
    decode_note_memory(d);
    decode_flush(d);
}
void decode_suld(decoder *d) { decode_surface(d, OP_suld); }
void decode_sust(decoder *d) { decode_surface(d, OP_sust); }
void decode_sured(decoder *d) { decode_surface(d, OP_sured); }
