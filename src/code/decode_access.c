/* decode_access.c: what the decoders of memory instructions share: spaces, addresses, and the registers that are loaded
 * or stored, one or a vector of them. */
#include "code/decode.h"

#include <string.h>

bool decode_space_part(const decode_parts *p, uint32_t k, ptx_space *out)
{
    static const struct {
        const char *name;
        ptx_space space;
    } names[] = {
        {"global", PTX_GLOBAL},
        {"shared", PTX_SHARED},
        {"shared::cta", PTX_SHARED},
        {"local", PTX_LOCAL},
        {"shared::cluster", PTX_SHARED_CLUSTER},
        {"const", PTX_CONST},
        {"param", PTX_PARAM},
        {"param::entry", PTX_PARAM},
        {"param::func", PTX_PARAM},
    };
    for (size_t n = 0; n < LW_COUNT(names); n++) {
        if (!decode_part_is(p, k, names[n].name)) continue;
        *out = names[n].space;
        return true;
    }
    return false;
}

void decode_set_address(code_insn *i, const decode_place *at)
{
    i->a = at->base;
    i->mem.offset = at->offset;
    i->mem.narrow = at->base_bytes == 4;
}

const ptx_operand *decode_element(const ptx_operand *o, uint32_t k)
{
    return o->kind == PTX_OP_VECTOR ? &o->items[k] : o;
}

/* Width of the registers of a load or store: the register's own, at least the type's. */
uint32_t decode_register_width(const decoder *d, const ptx_operand *o, uint32_t bytes)
{
    const ptx_operand *first = o->kind == PTX_OP_VECTOR ? NULL : o;
    for (uint32_t k = 0; !first && k < o->item_count; k++)
        if (o->items[k].kind == PTX_OP_REG) first = &o->items[k];
    if (!first || first->kind != PTX_OP_REG) return bytes;
    return LW_MAX(bytes, d->vregs.items[first->reg].bytes);
}

bool decode_vector_fits(decoder *d, const ptx_operand *o, uint32_t vector)
{
    uint32_t n = o->kind == PTX_OP_VECTOR ? o->item_count : 1;
    if (n == vector) return true;
    decode_problem(d, "'%s' takes %u values, %u given", d->in->mnemonic, vector, n);
    return false;
}

code_list *decode_result_list(decoder *d, const ptx_operand *o, uint32_t vector, uint32_t width)
{
    code_list *l = decode_new_list(d, vector);
    l->results = vector;
    for (uint32_t k = 0; k < vector; k++)
        if (decode_element(o, k)->kind != PTX_OP_SINK)
            l->ref[k] = decode_result(d, decode_element(o, k), code_lane_of_bytes(width));
    return l;
}

code_list *decode_source_list(decoder *d, const ptx_operand *o, uint32_t vector, uint32_t width, ptx_type type)
{
    code_list *l = decode_new_list(d, vector);
    bool real = type == PTX_F32 || type == PTX_F64;
    for (uint32_t k = 0; k < vector; k++)
        l->ref[k] =
            decode_source(d, decode_element(o, k),
                          real && width == ptx_type_bytes(type) ? code_lane_of(type) : code_lane_of_bytes(width));
    return l;
}
