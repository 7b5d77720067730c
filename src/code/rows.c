/* rows.c: the table of insns.def as data for the decoder: key -> form, operand lanes, allowed modifiers. */
#include "code/decode.h"

#include <string.h>

const code_row code_rows[] = {
#define R1(id, key, mods, ptx, sm, D, A, expr)                                                                         \
    {key, ROW_ALU, 1, {LANE_##D, LANE_##A}, OP_##id, mods, ptx, sm, NULL, NULL, OWN_WORDS, NULL},
#define R2(id, key, mods, ptx, sm, D, A, B, expr)                                                                      \
    {key, ROW_ALU, 2, {LANE_##D, LANE_##A, LANE_##B}, OP_##id, mods, ptx, sm, NULL, NULL, OWN_WORDS, NULL},
#define R3(id, key, mods, ptx, sm, D, A, B, C, expr)                                                                   \
    {key, ROW_ALU, 3, {LANE_##D, LANE_##A, LANE_##B, LANE_##C}, OP_##id, mods, ptx, sm, NULL, NULL, OWN_WORDS, NULL},
#define F1(id, key, mods, ptx, sm, T, expr)                                                                            \
    {key, ROW_ALU, 1, {LANE_##T, LANE_##T}, OP_##id, mods, ptx, sm, NULL, NULL, OWN_WORDS, NULL},
#define F2(id, key, mods, ptx, sm, T, expr)                                                                            \
    {key, ROW_ALU, 2, {LANE_##T, LANE_##T, LANE_##T}, OP_##id, mods, ptx, sm, NULL, NULL, OWN_WORDS, NULL},
#define F3(id, key, mods, ptx, sm, T, expr)                                                                            \
    {key, ROW_ALU, 3, {LANE_##T, LANE_##T, LANE_##T, LANE_##T}, OP_##id, mods, ptx, sm, NULL, NULL, OWN_WORDS, NULL},
#define RC(id, key, mods, ptx, sm, A, expr)                                                                            \
    {key, ROW_COMPARE, 2, {LANE_pred, LANE_##A, LANE_##A}, OP_##id, mods, ptx, sm, NULL, NULL, OWN_WORDS, NULL},
#define P1(id, key, ptx, sm, expr)                                                                                     \
    {key, ROW_PRED, 1, {LANE_pred, LANE_pred}, OP_##id, 0, ptx, sm, NULL, NULL, OWN_WORDS, NULL},
#define P2(id, key, ptx, sm, expr)                                                                                     \
    {key, ROW_PRED, 2, {LANE_pred, LANE_pred, LANE_pred}, OP_##id, 0, ptx, sm, NULL, NULL, OWN_WORDS, NULL},
#define SP(id, key, ptx, sm, how, words) {key, ROW_IRREGULAR, 0, {0}, 0, 0, ptx, sm, decode_##id, NULL, how, words},
#define NO(id, key, why) {key, ROW_REFUSED, 0, {0}, 0, 0, 0, 0, NULL, why, OWN_WORDS, NULL},
#include "ptx/insns.def"
};
const size_t code_row_count = LW_COUNT(code_rows);

void code_index_rows(lw_map *map)
{
    for (size_t i = 0; i < code_row_count; i++)
        lw_map_put(map, code_rows[i].key, strlen(code_rows[i].key), (void *)&code_rows[i]);
}

/* ---------------------------------------------------------------- finding the row */
typedef struct flag_name {
    const char *text;
    uint32_t mods; /* stored flags */
    uint32_t need; /* M_* the row must allow */
} flag_name;

static const flag_name flag_names[] = {
    {"rn", PTX_RND_RN, M_RN},
    {"rz", PTX_RND_RZ, M_RZ},
    {"rm", PTX_RND_RM, M_RMP},
    {"rp", PTX_RND_RP, M_RMP},
    {"rni", PTX_RINT | PTX_RND_RN, M_RINT},
    {"rzi", PTX_RINT | PTX_RND_RZ, M_RINT},
    {"rmi", PTX_RINT | PTX_RND_RM, M_RINT},
    {"rpi", PTX_RINT | PTX_RND_RP, M_RINT},
    {"rna", PTX_RNA, M_RNA},
    {"ftz", PTX_FTZ, M_FTZ},
    {"sat", PTX_SAT, M_SAT},
    {"relu", PTX_RELU, M_RELU},
    {"satfinite", PTX_SATFINITE, M_SATFINITE},
    {"NaN", PTX_NAN, M_NAN},
    {"oob", PTX_OOB, M_OOB},
};

/* The flag at part k, which may take two parts: *out_parts. NULL: none. */
static const flag_name *flag_at(const decode_parts *p, uint32_t k, uint32_t *out_parts)
{
    static const flag_name xorsign_abs = {"xorsign", PTX_XORSIGN, M_XORSIGN};
    *out_parts = 1;
    for (size_t f = 0; f < LW_COUNT(flag_names); f++)
        if (decode_part_is(p, k, flag_names[f].text)) return &flag_names[f];
    if (!decode_part_is(p, k, "xorsign") || !decode_part_is(p, k + 1, "abs")) return NULL;
    *out_parts = 2;
    return &xorsign_abs;
}

/* A flag of the mnemonic that the row does not allow, or NULL. */
static const char *flag_not_allowed(const code_row *r, const decode_parts *p)
{
    const char *bad = NULL;
    for (size_t f = 0; f < LW_COUNT(flag_names); f++)
        if ((flag_names[f].need & ~r->mods) && decode_parts_have(p, flag_names[f].text)) bad = flag_names[f].text;
    return bad;
}

/* The irregular or refused row whose key is the longest prefix of the mnemonic. */
static const code_row *irregular_row(const lw_map *rows, const decode_parts *p)
{
    for (uint32_t k = p->count; k-- > 0;) {
        size_t n = (size_t)(p->part[k] - p->part[0]) + p->size[k];
        const code_row *r = lw_map_get(rows, p->part[0], n);
        if (r && (r->form == ROW_IRREGULAR || r->form == ROW_REFUSED)) return r;
    }
    return NULL;
}

decode_found decode_find_row(const lw_map *rows, const decode_parts *p)
{
    char key[128];
    decode_found found = {0};
    uint32_t size = 0, need = 0, parts = 1;
    for (uint32_t k = 0; k < p->count; k += parts) {
        const flag_name *flag = k ? flag_at(p, k, &parts) : NULL;
        if (flag) {
            found.mods |= flag->mods;
            need |= flag->need;
            continue;
        }
        if (size + p->size[k] + 2 > sizeof key) return found;
        if (size) key[size++] = '.';
        memcpy(key + size, p->part[k], p->size[k]);
        size += p->size[k];
    }
    found.row = lw_map_get(rows, key, size);
    bool whole = found.row && (found.row->form == ROW_IRREGULAR || found.row->form == ROW_REFUSED);
    if (!found.row) found.row = irregular_row(rows, p);
    else if (!whole && (need & ~found.row->mods)) found.bad = flag_not_allowed(found.row, p);
    return found;
}

const code_row *decode_row_of_opcode(const lw_map *rows, const decode_parts *p)
{
    const code_row *r = lw_map_get(rows, p->part[0], p->size[0]);
    return r && r->form == ROW_IRREGULAR ? r : NULL;
}
