/* rows.c: the table of insns.def as data for the decoder: key -> form, operand lanes, allowed modifiers. */
#include "code/decode.h"

#include <string.h>

const code_row code_rows[] = {
#define R1(id, key, mods, ptx, sm, D, A, expr)                                                                         \
    {key, ROW_ALU, 1, {LANE_##D, LANE_##A}, OP_##id, mods, ptx, sm, NULL, NULL},
#define R2(id, key, mods, ptx, sm, D, A, B, expr)                                                                      \
    {key, ROW_ALU, 2, {LANE_##D, LANE_##A, LANE_##B}, OP_##id, mods, ptx, sm, NULL, NULL},
#define R3(id, key, mods, ptx, sm, D, A, B, C, expr)                                                                   \
    {key, ROW_ALU, 3, {LANE_##D, LANE_##A, LANE_##B, LANE_##C}, OP_##id, mods, ptx, sm, NULL, NULL},
#define F1(id, key, mods, ptx, sm, T, expr) {key, ROW_ALU, 1, {LANE_##T, LANE_##T}, OP_##id, mods, ptx, sm, NULL, NULL},
#define F2(id, key, mods, ptx, sm, T, expr)                                                                            \
    {key, ROW_ALU, 2, {LANE_##T, LANE_##T, LANE_##T}, OP_##id, mods, ptx, sm, NULL, NULL},
#define F3(id, key, mods, ptx, sm, T, expr)                                                                            \
    {key, ROW_ALU, 3, {LANE_##T, LANE_##T, LANE_##T, LANE_##T}, OP_##id, mods, ptx, sm, NULL, NULL},
#define RC(id, key, mods, ptx, sm, A, expr)                                                                            \
    {key, ROW_COMPARE, 2, {LANE_pred, LANE_##A, LANE_##A}, OP_##id, mods, ptx, sm, NULL, NULL},
#define P1(id, key, ptx, sm, expr) {key, ROW_PRED, 1, {LANE_pred, LANE_pred}, OP_##id, 0, ptx, sm, NULL, NULL},
#define P2(id, key, ptx, sm, expr)                                                                                     \
    {key, ROW_PRED, 2, {LANE_pred, LANE_pred, LANE_pred}, OP_##id, 0, ptx, sm, NULL, NULL},
#define SP(id, key, ptx, sm) {key, ROW_IRREGULAR, 0, {0}, 0, 0, ptx, sm, decode_##id, NULL},
#define NO(id, key, why) {key, ROW_REFUSED, 0, {0}, 0, 0, 0, 0, NULL, why},
#include "ptx/insns.def"
};
const size_t code_row_count = LW_COUNT(code_rows);

void code_index_rows(lw_map *map)
{
    for (size_t i = 0; i < code_row_count; i++)
        lw_map_put(map, code_rows[i].key, strlen(code_rows[i].key), (void *)&code_rows[i]);
}

uint32_t code_lane_bytes(lane_type t)
{
    static const uint8_t bytes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2, 2, 4, 4, 0, 16};
    return bytes[t];
}

bool code_lane_is_signed(lane_type t) { return t == LANE_s8 || t == LANE_s16 || t == LANE_s32 || t == LANE_s64; }

lane_type code_lane_of(ptx_type t)
{
    switch (t) {
    case PTX_PRED: return LANE_pred;
    case PTX_F16: return LANE_h16;
    case PTX_BF16: return LANE_b16;
    case PTX_F16X2: return LANE_h32;
    case PTX_BF16X2: return LANE_b32;
    case PTX_F32: return LANE_f32;
    case PTX_F64: return LANE_f64;
    default: break;
    }
    bool is_signed = ptx_type_class(t) == 'S';
    switch (ptx_type_bytes(t)) {
    case 1: return is_signed ? LANE_s8 : LANE_u8;
    case 2: return is_signed ? LANE_s16 : LANE_u16;
    case 4: return is_signed ? LANE_s32 : LANE_u32;
    case 8: return is_signed ? LANE_s64 : LANE_u64;
    case 16: return LANE_b128;
    default: return LANE_none;
    }
}

/* ---------------------------------------------------------------- mnemonics */
decode_parts decode_split(const char *m)
{
    decode_parts p = {0};
    while (*m && p.count < LW_COUNT(p.part)) {
        size_t n = strcspn(m, ".");
        /* "::" stays inside a part: "shared::cta", "L1::evict_last" */
        p.part[p.count] = m;
        p.size[p.count++] = (uint8_t)LW_MIN(n, (size_t)255);
        m += n;
        if (*m == '.') m++;
    }
    return p;
}

bool decode_part_is(const decode_parts *p, uint32_t k, const char *text)
{
    return k < p->count && strlen(text) == p->size[k] && !memcmp(p->part[k], text, p->size[k]);
}

bool decode_parts_have(const decode_parts *p, const char *text)
{
    for (uint32_t k = 1; k < p->count; k++)
        if (decode_part_is(p, k, text)) return true;
    return false;
}

ptx_type decode_part_type(const decode_parts *p, uint32_t k)
{
    return k < p->count ? ptx_type_find(p->part[k], p->size[k]) : PTX_NO_TYPE;
}

ptx_type decode_last_type(const decode_parts *p)
{
    for (uint32_t k = p->count; k-- > 1;) {
        ptx_type t = decode_part_type(p, k);
        if (t != PTX_NO_TYPE) return t;
    }
    return PTX_NO_TYPE;
}
