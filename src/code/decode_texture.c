/* decode_texture.c: tex, tld4, and the queries txq and suq. */
#include "code/decode.h"

typedef struct texture_form {
    uint32_t dimensions, layered; /* layered 1: the first coordinate is the number of a layer */
    uint32_t results;             /* registers: 4, of packed halves 2 */
    uint32_t how;                 /* enum code_texture */
    uint32_t component;
    bool cube;
    ptx_type type, coordinates;
} texture_form;

static bool read_geometry(const decode_parts *p, uint32_t k, texture_form *f)
{
    static const char *const flat[] = {"1d", "2d", "3d", "a1d", "a2d"};
    static const char *const cubes[] = {"cube", "acube"};
    for (uint32_t n = 0; n < LW_COUNT(flat); n++) {
        if (!decode_part_is(p, k, flat[n])) continue;
        f->dimensions = n % 3 + 1;
        f->layered = n / 3;
    }
    for (uint32_t n = 0; n < LW_COUNT(cubes); n++) {
        if (!decode_part_is(p, k, cubes[n])) continue;
        f->dimensions = 3;
        f->layered = n;
        f->cube = true;
    }
    return f->dimensions != 0;
}

static bool types_exist(const decode_parts *p, uint32_t k, texture_form *f)
{
    ptx_type t = f->type = decode_part_type(p, k + 1), c = f->coordinates = decode_part_type(p, k + 2);
    f->results = t == PTX_F16X2 ? 2 : 4;
    bool vector = decode_part_is(p, k, f->results == 2 ? "v2" : "v4");
    bool type = t == PTX_F32 || t == PTX_S32 || t == PTX_U32 || t == PTX_F16 || t == PTX_F16X2;
    return vector && type && (c == PTX_F32 || (c == PTX_S32 && !f->cube)) && p->count == k + 3;
}

/* tex{.base|.level|.grad}.geom.v4.type.ctype */
static bool read_tex_form(decoder *d, texture_form *f)
{
    static const char *const modes[] = {"base", "level", "grad"};
    decode_parts p = decode_split(d->in->mnemonic);
    uint32_t at = 1;
    *f = (texture_form){.how = CODE_TEXTURE_BASE};
    for (uint32_t n = 0; n < LW_COUNT(modes); n++) {
        if (!decode_part_is(&p, 1, modes[n])) continue;
        f->how = CODE_TEXTURE_BASE + n;
        at = 2;
    }
    bool known = read_geometry(&p, at, f) && types_exist(&p, at + 1, f);
    if (known && f->how == CODE_TEXTURE_GRADIENT) known = f->coordinates == PTX_F32;
    if (!known && !decode_refused_word(d, &p)) decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
    return known;
}

/* tld4.comp.geom.v4.type.f32 */
static bool read_gather_form(decoder *d, texture_form *f)
{
    static const char *const components[] = {"r", "g", "b", "a"};
    decode_parts p = decode_split(d->in->mnemonic);
    *f = (texture_form){.how = CODE_TEXTURE_GATHER, .component = LW_COUNT(components)};
    for (uint32_t n = 0; n < LW_COUNT(components); n++)
        if (decode_part_is(&p, 1, components[n])) f->component = n;
    bool known = f->component < LW_COUNT(components) && read_geometry(&p, 2, f) && types_exist(&p, 3, f);
    known = known && f->coordinates == PTX_F32 && (f->cube || f->dimensions == 2);
    if (!known) decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
    return known;
}

/* The operands behind [object, coordinates], and what they are. */
typedef struct texture_operands {
    const ptx_operand *object, *at; /* at: coordinates */
    const ptx_operand *more[2];     /* a level, or derivatives along x and y */
    const ptx_operand *offset;      /* NULL: none */
    uint32_t more_count;
} texture_operands;

static uint32_t values_of(const ptx_operand *o) { return o->kind == PTX_OP_VECTOR ? o->item_count : 1; }

static bool read_operands(decoder *d, const texture_form *f, texture_operands *out)
{
    const ptx_operand *from = d->in->operand_count > 1 ? &d->ops[1] : NULL;
    uint32_t next = 2, count = d->in->operand_count;
    *out = (texture_operands){0};
    if (!from || from->kind != PTX_OP_TEX || from->item_count != 2) {
        decode_refuse(d, REFUSED_SAMPLER);
        return false;
    }
    out->object = &from->items[0];
    out->at = &from->items[1];
    out->more_count = f->how == CODE_TEXTURE_LEVEL ? 1 : f->how == CODE_TEXTURE_GRADIENT ? 2 : 0;
    for (uint32_t k = 0; k < out->more_count && next < count; k++) out->more[k] = &d->ops[next++];
    bool complete = !out->more_count || out->more[out->more_count - 1];
    bool scalar = f->dimensions == 1; /* of one dimension offsets are no vector, and depths are not compared */
    if (next < count && (scalar || d->ops[next].kind == PTX_OP_VECTOR)) out->offset = &d->ops[next++];
    uint32_t taken = f->dimensions + f->layered;
    for (uint32_t k = 0; complete && f->how == CODE_TEXTURE_GRADIENT && k < 2; k++)
        complete = values_of(out->more[k]) >= f->dimensions;
    if (out->offset) complete = complete && !f->cube && values_of(out->offset) >= f->dimensions;
    if (complete && next == count && values_of(out->at) >= taken) return true;
    if (next < count) decode_refuse(d, REFUSED_DEPTH);
    else decode_problem(d, "'%s' takes %u coordinates, and what its words say", d->in->mnemonic, taken);
    return false;
}

/* Results, coordinates, a level or derivatives, offsets. */
static code_list *texture_list(decoder *d, const texture_form *f, const texture_operands *o)
{
    bool real = f->coordinates == PTX_F32;
    uint32_t taken = f->dimensions + f->layered, per_more = f->how == CODE_TEXTURE_GRADIENT ? f->dimensions : 1;
    uint32_t count = 4 + taken + o->more_count * per_more + (o->offset ? f->dimensions : 0), at = 4;
    code_list *l = decode_new_list(d, count);
    l->results = 4;
    for (uint32_t k = 0; k < taken; k++)
        l->ref[at++] = decode_source(d, decode_element(o->at, k), real && k >= f->layered ? LANE_f32 : LANE_u32);
    for (uint32_t m = 0; m < o->more_count; m++)
        for (uint32_t k = 0; k < per_more; k++)
            l->ref[at++] = decode_source(d, decode_element(o->more[m], k), real ? LANE_f32 : LANE_u32);
    for (uint32_t k = 0; o->offset && k < f->dimensions; k++)
        l->ref[at++] = decode_source(d, decode_element(o->offset, k), LANE_u32);
    return l;
}

/* d[|p], [object, coordinates] ...: p says that the texel is resident, which it always is. */
static void decode_fetch(decoder *d, const texture_form *f)
{
    texture_operands o;
    const ptx_operand *to = &d->ops[0];
    bool pair = to->kind == PTX_OP_PAIR;
    const ptx_operand *texel = pair ? &to->items[0] : to;
    if (!read_operands(d, f, &o)) return;
    if (texel->kind != PTX_OP_VECTOR || texel->item_count != f->results) {
        decode_problem(d, "'%s' has %u results", d->in->mnemonic, f->results);
        return;
    }
    code_list *l = texture_list(d, f, &o);
    code_ref handle = decode_source(d, o.object, LANE_u64);
    for (uint32_t k = 0; k < f->results; k++)
        if (texel->items[k].kind != PTX_OP_SINK)
            l->ref[k] = decode_result(d, &texel->items[k], f->type == PTX_F16 ? LANE_u16 : LANE_u32);
    code_ref resident = pair ? decode_result(d, &to->items[1], LANE_pred) : CODE_NO_REF;
    code_insn *i = decode_emit(d, OP_tex);
    i->d = resident;
    i->a = handle;
    i->mem.list = l;
    i->mem.space = PTX_GLOBAL;
    i->mem.bytes = 4;
    i->mem.vector = 1;
    i->mem.texture.dimensions = f->dimensions & 3;
    i->mem.texture.layered = f->layered & 1;
    i->mem.texture.real = f->coordinates == PTX_F32;
    i->mem.texture.cube = f->cube;
    i->mem.texture.offsets = o.offset != NULL;
    i->mem.texture.type = (uint8_t)f->type;
    i->mem.texture.how = (uint8_t)f->how;
    i->mem.texture.component = (uint8_t)f->component;
    i->event_op = EVENT_LOAD;
    decode_last_info(d)->list = l;
    decode_note_memory(d);
    decode_flush(d);
}

void decode_tex(decoder *d)
{
    texture_form f;
    if (read_tex_form(d, &f)) decode_fetch(d, &f);
}

void decode_tld4(decoder *d)
{
    texture_form f;
    if (read_gather_form(d, &f)) decode_fetch(d, &f);
}

/* ---------------------------------------------------------------- queries */
static const struct {
    const char *word;
    uint8_t query;
    bool texture, surface;
} queries[] = {
    {"width", CODE_QUERY_WIDTH, true, true},
    {"height", CODE_QUERY_HEIGHT, true, true},
    {"depth", CODE_QUERY_DEPTH, true, true},
    {"array_size", CODE_QUERY_ARRAY_SIZE, true, true},
    {"num_mipmap_levels", CODE_QUERY_LEVELS, true, false},
    {"num_samples", CODE_QUERY_SAMPLES, true, false},
    {"channel_data_type", CODE_QUERY_CHANNEL_TYPE, true, true},
    {"channel_order", CODE_QUERY_CHANNEL_ORDER, true, true},
    {"normalized_coords", CODE_QUERY_NORMALIZED, true, false},
    {"filter_mode", CODE_QUERY_FILTER, true, false},
    {"addr_mode_0", CODE_QUERY_ADDRESS_0, true, false},
    {"addr_mode_1", CODE_QUERY_ADDRESS_1, true, false},
    {"addr_mode_2", CODE_QUERY_ADDRESS_2, true, false},
    {"memory_layout", CODE_QUERY_MEMORY_LAYOUT, false, true},
};

/* txq.query.b32 d, [a]; txq.level.query.b32 d, [a], level; suq.query.b32 d, [a] */
static void decode_query(decoder *d, bool surface)
{
    decode_parts p = decode_split(d->in->mnemonic);
    bool level = !surface && decode_part_is(&p, 1, "level");
    uint32_t word = level ? 2 : 1;
    size_t n = 0;
    while (n < LW_COUNT(queries) &&
           !(decode_part_is(&p, word, queries[n].word) && (surface ? queries[n].surface : queries[n].texture)))
        n++;
    if (n == LW_COUNT(queries) || p.count != word + 2 || (level && queries[n].query > CODE_QUERY_DEPTH)) {
        decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
        return;
    }
    if (!decode_operands_between(d, 2 + level, 2 + level)) return;
    ptx_operand object = d->ops[1];
    object.kind = object.variable ? PTX_OP_VARIABLE : PTX_OP_REG;
    if (d->ops[1].kind != PTX_OP_ADDRESS || object.imm) {
        decode_problem(d, "'%s' takes an object or a reference", d->in->mnemonic);
        return;
    }
    code_ref handle = decode_source(d, &object, LANE_u64);
    code_ref asked = level ? decode_source(d, &d->ops[2], LANE_u32) : CODE_NO_REF;
    code_ref r = decode_result(d, &d->ops[0], LANE_u32);
    code_insn *i = decode_emit(d, OP_txq);
    i->d = r;
    i->a = handle;
    i->b = asked;
    i->mem.query.query = queries[n].query;
    i->mem.query.surface = surface;
    i->mem.bytes = 4;
    i->mem.vector = 1;
    i->event_op = CODE_NO_EVENT;
    decode_flush(d);
}
void decode_txq(decoder *d) { decode_query(d, false); }
void decode_suq(decoder *d) { decode_query(d, true); }
