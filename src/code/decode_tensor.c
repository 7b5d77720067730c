/* decode_tensor.c: products of the tensor cores: mma.sync, dense and sparse. */
#include "code/decode_tensor.h"
#include "ptx/mods.h"

#include <stdio.h>
#include <string.h>

static const struct tensor_type_desc {
    const char *name;
    uint8_t bits;
} tensor_types[] = {
    [TENSOR_F16] = {"f16", 16},  [TENSOR_BF16] = {"bf16", 16}, [TENSOR_TF32] = {"tf32", 32},
    [TENSOR_E4M3] = {"e4m3", 8}, [TENSOR_E5M2] = {"e5m2", 8},  [TENSOR_F32] = {"f32", 32},
    [TENSOR_S32] = {"s32", 32},  [TENSOR_F64] = {"f64", 64},   [TENSOR_S8] = {"s8", 8},
    [TENSOR_U8] = {"u8", 8},     [TENSOR_S4] = {"s4", 4},      [TENSOR_U4] = {"u4", 4},
    [TENSOR_B1] = {"b1", 1},
};

/* The shapes of the ISA for a type of A, m n k; sparse ones with the logical k. */
static const struct tensor_shape {
    uint8_t m, n;
    uint16_t k;
    uint8_t a; /* the first of a family: bf16 as f16, e5m2 as e4m3, u8 as s8, u4 as s4 */
    bool sparse;
} tensor_shapes[] = {
    {8, 8, 4, TENSOR_F16, false},    {16, 8, 8, TENSOR_F16, false},  {16, 8, 16, TENSOR_F16, false},
    {16, 8, 4, TENSOR_TF32, false},  {16, 8, 8, TENSOR_TF32, false}, {16, 8, 16, TENSOR_E4M3, false},
    {16, 8, 32, TENSOR_E4M3, false}, {8, 8, 4, TENSOR_F64, false},   {16, 8, 4, TENSOR_F64, false},
    {16, 8, 8, TENSOR_F64, false},   {16, 8, 16, TENSOR_F64, false}, {8, 8, 16, TENSOR_S8, false},
    {16, 8, 16, TENSOR_S8, false},   {16, 8, 32, TENSOR_S8, false},  {8, 8, 32, TENSOR_S4, false},
    {16, 8, 32, TENSOR_S4, false},   {16, 8, 64, TENSOR_S4, false},  {8, 8, 128, TENSOR_B1, false},
    {16, 8, 128, TENSOR_B1, false},  {16, 8, 256, TENSOR_B1, false}, {16, 8, 16, TENSOR_F16, true},
    {16, 8, 32, TENSOR_F16, true},   {16, 8, 8, TENSOR_TF32, true},  {16, 8, 16, TENSOR_TF32, true},
    {16, 8, 64, TENSOR_E4M3, true},  {16, 8, 32, TENSOR_S8, true},   {16, 8, 64, TENSOR_S8, true},
    {16, 8, 64, TENSOR_S4, true},    {16, 8, 128, TENSOR_S4, true},
};

uint32_t decode_tensor_bits(uint8_t type) { return tensor_types[type].bits; }

uint8_t decode_tensor_family(uint8_t type)
{
    switch (type) {
    case TENSOR_BF16: return TENSOR_F16;
    case TENSOR_E5M2: return TENSOR_E4M3;
    case TENSOR_U8: return TENSOR_S8;
    case TENSOR_U4: return TENSOR_S4;
    default: return type;
    }
}

static bool is_known_shape(const code_tensor *t)
{
    for (size_t k = 0; k < LW_COUNT(tensor_shapes); k++) {
        const struct tensor_shape *s = &tensor_shapes[k];
        if (s->m == t->m && s->n == t->n && s->k == t->k && s->a == decode_tensor_family(t->a) &&
            s->sparse == t->sparse)
            return t->m != 8 || t->k != 4 || t->a != TENSOR_BF16;
    }
    return false;
}

int decode_tensor_type(const decode_parts *p, uint32_t k)
{
    for (size_t t = 0; t < LW_COUNT(tensor_types); t++)
        if (decode_part_is(p, k, tensor_types[t].name)) return (int)t;
    return -1;
}

uint32_t decode_tensor_types(const decode_parts *p, int *types, uint32_t most)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        int type = decode_tensor_type(p, k);
        if (type < 0) continue;
        if (found == most) return 0;
        types[found++] = type;
    }
    return found;
}

/* The four types at the end of the mnemonic: of D, A, B, C; those of C and D are the same but for m8n8k4 with f16 and f32. */
static bool read_types(const decode_parts *p, code_tensor *t)
{
    int types[4];
    uint32_t found = decode_tensor_types(p, types, 4);
    t->half_c = found == 4 && t->m == 8 && types[0] == TENSOR_F32 && types[1] == TENSOR_F16 && types[3] == TENSOR_F16;
    if (found != 4 || (types[0] != types[3] && !t->half_c)) return false;
    t->c = (uint8_t)types[0];
    t->a = (uint8_t)types[1];
    t->b = (uint8_t)types[2];
    if (decode_tensor_family(t->a) != decode_tensor_family(t->b)) return false;
    switch (decode_tensor_family(t->a)) {
    case TENSOR_F16: return t->a == t->b && (t->c == TENSOR_F32 || (t->c == TENSOR_F16 && t->a == TENSOR_F16));
    case TENSOR_E4M3: return t->c == TENSOR_F32 || t->c == TENSOR_F16;
    case TENSOR_TF32: return t->c == TENSOR_F32;
    case TENSOR_F64: return t->c == TENSOR_F64;
    default: return t->c == TENSOR_S32;
    }
}

/* "m16n8k32" */
static bool read_shape(const decode_parts *p, code_tensor *t)
{
    for (uint32_t k = 0; k < p->count; k++) {
        unsigned m, n, depth;
        char word[32], made[32];
        snprintf(word, sizeof word, "%.*s", (int)p->size[k], p->part[k]);
        if (sscanf(word, "m%3un%3uk%4u", &m, &n, &depth) != 3) continue;
        snprintf(made, sizeof made, "m%un%uk%u", m, n, depth);
        if (strcmp(made, word) || m > 64 || n > 255 || depth > 256) return false;
        t->m = (uint8_t)m;
        t->n = (uint8_t)n;
        t->k = (uint16_t)depth;
        return true;
    }
    return false;
}

/* How sm_90 sums. Other generations sum in other steps; what they give is not followed. */
static void set_rule(code_tensor *t)
{
    t->through_f16 = decode_tensor_family(t->a) == TENSOR_E4M3;
    t->step = t->a == TENSOR_TF32 ? 8 : 16;
    t->bits = 25;
    t->keep = 23;
}

static void set_registers(code_tensor *t)
{
    uint32_t bits = tensor_types[t->a].bits, kept = t->sparse ? t->k / 2 : t->k, of_c = tensor_types[t->c].bits;
    uint32_t width = bits == 64 ? 64 : 32; /* of a register */
    t->registers_a = (uint8_t)(t->m * kept * bits / 32 / width);
    t->registers_b = (uint8_t)(t->n * t->k * bits / 32 / width);
    t->registers_c = (uint8_t)(t->m * t->n * of_c / 32 / (of_c == 64 ? 64 : 32));
    if (t->m != 8 || t->k != 4 || t->a != TENSOR_F16) return;
    t->registers_a = t->registers_b = 2; /* four products at once */
    t->registers_c = of_c == 32 ? 8 : 4;
}

bool decode_tensor_finish(const decode_parts *p, code_tensor *t)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    t->satfinite = decode_parts_have(p, "satfinite");
    t->exclusive = decode_parts_have(p, "xor");
    for (uint32_t k = 0; k < LW_COUNT(roundings); k++)
        if (decode_parts_have(p, roundings[k])) t->rounding = (uint8_t)k;
    if (!is_known_shape(t)) return false;
    set_rule(t);
    set_registers(t);
    return true;
}

static bool read_form(decoder *d, const decode_parts *p, code_tensor *t)
{
    t->sparse = decode_parts_have(p, "sp") || decode_parts_have(p, "sp::ordered_metadata");
    bool known =
        decode_known_parts(d, p, 1,
                           "sp sp::ordered_metadata sync aligned m8n8k4 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 "
                           "m16n8k128 m16n8k256 m8n8k16 m8n8k32 m8n8k128 row col satfinite xor and popc rn rz rm rp "
                           "f16 bf16 tf32 e4m3 e5m2 f32 s32 f64 s8 u8 s4 u4 b1");
    if (!known) return false;
    if (!read_shape(p, t) || !read_types(p, t) || !decode_tensor_finish(p, t)) {
        decode_problem(d, "'%s': this product of matrices is not supported", d->in->mnemonic);
        return false;
    }
    uint32_t layouts = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        bool column = decode_part_is(p, k, "col");
        if (!column && !decode_part_is(p, k, "row")) continue;
        if (layouts == 0) t->column_a = column;
        if (layouts == 1) t->row_b = !column;
        layouts++;
    }
    return true;
}

bool decode_tensor_registers(decoder *d, code_list *l, uint32_t *at, const ptx_operand *o, uint32_t count,
                             uint32_t bytes, bool results)
{
    if (!decode_vector_fits(d, o, count)) return false;
    for (uint32_t k = 0; k < count; k++, (*at)++) {
        const ptx_operand *one = decode_element(o, k);
        if (results) l->results = *at + 1;
        if (results && one->kind == PTX_OP_SINK) continue;
        l->ref[*at] = results ? decode_result(d, one, code_lane_of_bytes(bytes))
                              : decode_source(d, one, code_lane_of_bytes(bytes));
    }
    return true;
}

static bool put_half_c(decoder *d, code_list *l, uint32_t *at)
{
    if (!decode_vector_fits(d, &d->ops[3], 4)) return false;
    for (uint32_t k = 0; k < 8; k++) l->ref[(*at)++] = decode_source(d, decode_element(&d->ops[3], k / 2), LANE_u32);
    return true;
}

void decode_mma(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    code_tensor *t = LW_NEW(d->arena, code_tensor);
    if (!read_form(d, &p, t) || !decode_operands_are(d, t->sparse ? 6 : 4)) return;
    uint32_t bytes = t->a == TENSOR_F64 ? 8 : 4, at = 0;
    code_list *l = decode_new_list(d, (uint32_t)t->registers_a + t->registers_b + 2u * t->registers_c + t->sparse);
    /* sources first: a result may be one of them */
    at = t->registers_c;
    if (!decode_tensor_registers(d, l, &at, &d->ops[1], t->registers_a, bytes, false)) return;
    if (!decode_tensor_registers(d, l, &at, &d->ops[2], t->registers_b, bytes, false)) return;
    if (t->half_c ? !put_half_c(d, l, &at)
                  : !decode_tensor_registers(d, l, &at, &d->ops[3], t->registers_c, bytes, false))
        return;
    if (t->sparse) {
        int64_t selector;
        if (!decode_is_int(&d->ops[5], &selector) || selector < 0 || selector > 3) {
            decode_problem(d, "'%s': the selector is a number from 0 to 3", d->in->mnemonic);
            return;
        }
        t->selector = (uint8_t)selector;
        l->ref[at] = decode_source(d, &d->ops[4], LANE_u32);
    }
    at = 0;
    if (!decode_tensor_registers(d, l, &at, &d->ops[0], t->registers_c, bytes, true)) return;
    code_insn *i = decode_emit(d, OP_mma);
    i->tensor.form = t;
    i->tensor.list = l;
    decode_last_info(d)->list = l;
    decode_flush(d);
}
