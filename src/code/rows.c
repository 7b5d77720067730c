/* rows.c: the table of insns.def as data for the decoder: key -> form, operand lanes, allowed modifiers. */
#include "code/decode.h"

#include <string.h>

#define REGULAR(of_form, id, of_key, of_mods, since, target, count, ...)                                               \
    {.key = of_key,                                                                                                    \
     .form = of_form,                                                                                                  \
     .sources = count,                                                                                                 \
     .lane = {__VA_ARGS__},                                                                                            \
     .op = OP_##id,                                                                                                    \
     .mods = of_mods,                                                                                                  \
     .ptx = since,                                                                                                     \
     .sm = target},
#define ALU(id, key, mods, ptx, sm, count, ...) REGULAR(ROW_ALU, id, key, mods, ptx, sm, count, __VA_ARGS__)
#define PREDICATE(id, key, ptx, sm, count, ...) REGULAR(ROW_PRED, id, key, 0, ptx, sm, count, LANE_pred, __VA_ARGS__)

/* The column `orders` of irregular rows. */
#define ORDERS_PLAIN {ROW_ACCESS, EVENT_ORDER_WEAK, EVENT_SCOPE_NONE}
#define ORDERS_ORDER(order, scope) {ROW_ACCESS, EVENT_ORDER_##order, EVENT_SCOPE_##scope}
#define ORDERS_FENCE(order) {ROW_FENCE, EVENT_ORDER_##order, EVENT_SCOPE_NONE}
#define ORDERS_COPY {ROW_COPY, EVENT_ORDER_WEAK, EVENT_SCOPE_NONE}

const code_row code_rows[] = {
#define R1(id, key, mods, ptx, sm, D, A, expr) ALU(id, key, mods, ptx, sm, 1, LANE_##D, LANE_##A)
#define R2(id, key, mods, ptx, sm, D, A, B, expr) ALU(id, key, mods, ptx, sm, 2, LANE_##D, LANE_##A, LANE_##B)
#define R3(id, key, mods, ptx, sm, D, A, B, C, expr)                                                                   \
    ALU(id, key, mods, ptx, sm, 3, LANE_##D, LANE_##A, LANE_##B, LANE_##C)
#define F1(id, key, mods, ptx, sm, T, expr) ALU(id, key, mods, ptx, sm, 1, LANE_##T, LANE_##T)
#define F2(id, key, mods, ptx, sm, T, expr) ALU(id, key, mods, ptx, sm, 2, LANE_##T, LANE_##T, LANE_##T)
#define F3(id, key, mods, ptx, sm, T, expr) ALU(id, key, mods, ptx, sm, 3, LANE_##T, LANE_##T, LANE_##T, LANE_##T)
#define RC(id, key, mods, ptx, sm, A, expr)                                                                            \
    REGULAR(ROW_COMPARE, id, key, mods, ptx, sm, 2, LANE_pred, LANE_##A, LANE_##A)
#define P1(id, key, ptx, sm, expr) PREDICATE(id, key, ptx, sm, 1, LANE_pred)
#define P2(id, key, ptx, sm, expr) PREDICATE(id, key, ptx, sm, 2, LANE_pred, LANE_pred)
#define SP(id, of_key, since, target, modifiers, of_words, of_orders)                                                  \
    {.key = of_key,                                                                                                    \
     .form = ROW_IRREGULAR,                                                                                            \
     .ptx = since,                                                                                                     \
     .sm = target,                                                                                                     \
     .decode = decode_##id,                                                                                            \
     .how = modifiers,                                                                                                 \
     .words = of_words,                                                                                                \
     .orders = ORDERS_##of_orders},
#define NO(id, of_key, reason) {.key = of_key, .form = ROW_REFUSED, .why = reason},
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

/* Flags may stand in any place between the words of a key: what is left without them is looked up. Irregular rows
 * match by prefix, and keep all words. */
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
