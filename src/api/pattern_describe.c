/* api: a description of one access in words, or 32 offsets as text -> lw_access. Nothing here knows a device.
 * Limits: offsets below LW_OFFSET_LIMIT, strides below 2^24 elements, tiles below 65536 rows and columns. */
#include "api/pattern_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool given(const char *s) { return s && *s; }

bool pattern_int(const char *text, int64_t least, int64_t most, int64_t *out)
{
    const char *digits = text + (*text == '-' || *text == '+');
    size_t n = strspn(digits, "0123456789");
    if (!n || n > 18 || digits[n]) return false;
    *out = strtoll(text, NULL, 10);
    return *out >= least && *out <= most;
}

/* ---- operations ---- */

static const lw_access_op access_ops[] = {
#define OP(name, space, op, bytes, matrices) {name, space, op, bytes, matrices},
#include "api/pattern_ops.def"
#undef OP
};

const lw_access_op *lw_access_op_at(size_t index) { return index < LW_COUNT(access_ops) ? &access_ops[index] : NULL; }

const lw_access_op *lw_access_op_find(const char *name)
{
    for (size_t i = 0; name && i < LW_COUNT(access_ops); i++)
        if (!strcmp(access_ops[i].name, name)) return &access_ops[i];
    return NULL;
}

/* Other words for the operations; for matrices, the name of the access itself. */
static const struct {
    const char *word, *op;
} op_words[] = {
    {"ld", "load"},        {"read", "load"},         {"st", "store"},          {"write", "store"},
    {"atom", "atomic"},    {"add", "atomic"},        {"red", "reduction"},     {"inc", "increment"},
    {"exch", "exchange"},  {"cp.async", "copy"},     {"cp.async.ca", "copy"},  {"ldmatrix.x1", "ldsm1"},
    {"ldmatrix", "ldsm4"}, {"ldmatrix.x2", "ldsm2"}, {"ldmatrix.x4", "ldsm4"}, {"ldmatrix.x4.trans", "ldsm4t"},
    {"stmatrix", "stsm4"}, {"stmatrix.x1", "stsm1"}, {"stmatrix.x2", "stsm2"}, {"stmatrix.x4", "stsm4"},
};

/* The row of a space, an operation and a size; why not, if there is none. */
static const lw_access_op *combine(const char *space, const char *op, uint32_t bytes, lw_message *message)
{
    bool space_known = false, op_known = false, both = false;
    for (size_t i = 0; i < LW_COUNT(access_ops); i++) {
        const lw_access_op *row = &access_ops[i];
        bool same_space = !strcmp(row->space, space), same_op = !strcmp(row->op, op);
        space_known |= same_space;
        op_known |= same_op;
        both |= same_space && same_op;
        if (same_space && same_op && row->bytes == bytes) return row;
    }
    if (!space_known)
        pattern_fail(message, "space: unknown space '%.40s' (shared, global, local, dshared, constant)", space);
    else if (!op_known)
        pattern_fail(message,
                     "op: unknown operation '%.40s' (load, store, atomic, reduction, increment, cas, exchange, "
                     "copy, ldmatrix, stmatrix, or a name like lds32)",
                     op);
    else if (!both) pattern_fail(message, "op: there is no rule for a %s of %s memory", op, space);
    else pattern_fail(message, "type: there is no rule for a %s of %u bytes in %s memory", op, bytes, space);
    return NULL;
}

/* bytes: of the type or member; 0: none was given. */
static const lw_access_op *find_op(const lw_access_text *text, uint32_t bytes, lw_message *message)
{
    const char *op = given(text->op) ? text->op : "load";
    for (size_t i = 0; i < LW_COUNT(op_words); i++)
        if (!strcmp(op, op_words[i].word)) op = op_words[i].op;
    const lw_access_op *row = lw_access_op_find(op);
    if (!row) return combine(given(text->space) ? text->space : "shared", op, bytes ? bytes : 4, message);
    if (given(text->space) && strcmp(text->space, row->space)) {
        pattern_fail(message, "op: %s is an access of %s memory, not of '%.40s'", text->op, row->space, text->space);
        return NULL;
    }
    if (bytes && bytes != row->bytes) {
        pattern_fail(message, "type: %s takes %u bytes a lane, not %u", text->op, row->bytes, bytes);
        return NULL;
    }
    return row;
}

/* ---- offsets ---- */

static const char between[] = " \t\r\n,";

static unsigned count_words(const char *text)
{
    unsigned words = 0;
    for (; text += strspn(text, between), *text; text += strcspn(text, between)) words++;
    return words;
}

int pattern_offsets(const char *text, uint32_t bytes, int64_t out[LW_LANES], lw_message *message)
{
    unsigned lane = 0, words = count_words(text);
    if (words != LW_LANES) return pattern_fail(message, "offsets: %u instead of 32 (one per lane)", words);
    for (size_t n; text += strspn(text, between), *text; text += n, lane++) {
        char word[24];
        int64_t value = -1;
        n = strcspn(text, between);
        snprintf(word, sizeof word, "%.*s", (int)LW_MIN(n, sizeof word - 1), text);
        if (strcmp(word, "-") && (n >= sizeof word || !pattern_int(word, INT64_MIN, INT64_MAX, &value)))
            return pattern_fail(message, "offsets: lane %u: '%s' is not a whole number", lane, word);
        if (value < -1) return pattern_fail(message, "offsets: lane %u: %s is negative (-1: inactive)", lane, word);
        if (value >= LW_OFFSET_LIMIT) return pattern_fail(message, "offsets: lane %u: %s is too large", lane, word);
        if (value >= 0 && value % bytes)
            return pattern_fail(message, "offsets: lane %u: %s is not a multiple of the %u bytes a lane accesses", lane,
                                word, bytes);
        out[lane] = value;
    }
    return 0;
}

int lw_access_from_offsets(const char *op, const char *offsets, lw_access *out, lw_message *message)
{
    *out = (lw_access){.op = lw_access_op_find(op), .lanes = LW_LANES, .stride = 1};
    if (!out->op) return pattern_fail(message, "unknown access '%.40s' (like lds32, stg64, atoms_add, ldsm4)", op);
    for (uint8_t i = 0; i < LW_LANES; i++) out->index[i] = i;
    return pattern_offsets(offsets, out->op->bytes, out->offset, message);
}

/* ---- which element a lane takes ---- */

static int listed_permutation(const char *text, lw_access *a, lw_message *message)
{
    uint32_t lane = 0, words = count_words(text);
    for (size_t n; text += strspn(text, between), *text; text += n, lane++) {
        char word[24];
        int64_t value;
        n = strcspn(text, between);
        snprintf(word, sizeof word, "%.*s", (int)LW_MIN(n, sizeof word - 1), text);
        if (n >= sizeof word || !pattern_int(word, 0, 255, &value))
            return pattern_fail(message, "permute: '%s' is neither reverse, xor:K, rotate:K nor an index of 0 to 255",
                                word);
        if (lane < LW_LANES) a->index[lane] = (uint8_t)value;
    }
    if (words != a->lanes) return pattern_fail(message, "permute: %u indices for %u lanes", words, a->lanes);
    return 0;
}

static int permute(const char *text, lw_access *a, lw_message *message)
{
    int64_t k = 0;
    for (uint8_t i = 0; i < LW_LANES; i++) a->index[i] = i;
    if (!given(text)) return 0;
    a->permuted = true;
    bool is_xor = !strncmp(text, "xor:", 4), is_rotate = !strncmp(text, "rotate:", 7);
    if (!is_xor && !is_rotate && strcmp(text, "reverse")) return listed_permutation(text, a, message);
    const char *number = strchr(text, ':');
    if (number && !pattern_int(number + 1, is_xor ? 0 : -255, is_xor ? 31 : 255, &k))
        return pattern_fail(message, "permute: %s takes a whole number %s, not '%.20s'", is_xor ? "xor" : "rotate",
                            is_xor ? "of 0 to 31" : "", number + 1);
    int64_t n = a->lanes;
    for (uint32_t i = 0; i < a->lanes; i++)
        a->index[i] = (uint8_t)(is_xor ? i ^ (uint32_t)k : is_rotate ? ((i + k) % n + n) % n : n - 1 - i);
    return 0;
}

static int64_t offset_of(const lw_access *a, uint32_t index)
{
    int64_t i = index;
    if (a->layout == LW_LAYOUT_STRUCT) return a->base + i * a->stride * a->struct_bytes + a->member_offset;
    if (a->layout != LW_LAYOUT_TILE) return a->base + i * a->stride * a->op->bytes;
    int64_t row = a->by_column ? i % a->rows : i / a->columns, column = a->by_column ? i / a->rows : i % a->columns;
    return a->base + (row * a->pitch + column) * a->op->bytes;
}

int pattern_place(lw_access *a, lw_message *message)
{
    for (uint32_t lane = 0; lane < LW_LANES; lane++) {
        a->offset[lane] = -1;
        if (lane >= a->lanes) continue;
        if (a->layout == LW_LAYOUT_TILE && a->index[lane] >= (uint64_t)a->rows * a->columns)
            return pattern_fail(message, "tile: %ux%u elements are too few for element %u of lane %u", a->rows,
                                a->columns, a->index[lane], lane);
        int64_t at = offset_of(a, a->index[lane]);
        if (at < 0) return pattern_fail(message, "lane %u would access byte %lld: give an offset", lane, (long long)at);
        if (at >= LW_OFFSET_LIMIT)
            return pattern_fail(message, "lane %u would access byte %lld: too far", lane, (long long)at);
        if (at % a->op->bytes)
            return pattern_fail(message, "lane %u would access byte %lld: not a multiple of the %u bytes it accesses",
                                lane, (long long)at, a->op->bytes);
        a->offset[lane] = at;
    }
    return 0;
}

/* ---- the parts of a description ---- */

static int take_number(const char *what, const char *text, int64_t least, int64_t most, int64_t otherwise, int64_t *out,
                       lw_message *message)
{
    *out = otherwise;
    if (!given(text) || pattern_int(text, least, most, out)) return 0;
    return pattern_fail(message, "%s: '%.40s' is not a whole number of %lld to %lld", what, text, (long long)least,
                        (long long)most);
}

/* "32x33" or "32x32+1": rows x columns + padding. */
static int take_tile(const lw_access_text *text, lw_access *a, lw_message *message)
{
    unsigned long part[3] = {0, 0, 0};
    const char *s = text->tile;
    const char *by = given(text->by) ? text->by : "column";
    for (int i = 0; i < 3; i++) {
        char *end;
        bool digit = *s >= '0' && *s <= '9';
        if (digit) part[i] = strtoul(s, &end, 10);
        if (!digit || part[i] > 65535 || (i < 2 && !part[i])) break;
        s = end;
        if (*s != (i == 0 ? 'x' : '+') || i == 2) break;
        s++;
    }
    if (*s || !part[0] || !part[1])
        return pattern_fail(message, "tile: '%.40s' is not of the form 32x33 or 32x32+1 (rows x columns + padding)",
                            text->tile);
    a->layout = LW_LAYOUT_TILE;
    a->rows = (uint32_t)part[0], a->columns = (uint32_t)part[1], a->pitch = (uint32_t)(part[1] + part[2]);
    a->by_column = !strcmp(by, "column");
    if (!a->by_column && strcmp(by, "row")) return pattern_fail(message, "by: '%.40s' is neither column nor row", by);
    return 0;
}

/* Bytes a lane accesses by type or member; 0: neither is given. */
static int take_type(const lw_access_text *text, lw_access *a, uint32_t *bytes, lw_message *message)
{
    pattern_type type = {0, 0};
    pattern_member member;
    *bytes = 0;
    if (given(text->structure)) {
        if (given(text->type))
            return pattern_fail(message, "type cannot be combined with struct, whose members have types");
        if (pattern_struct_find(text->structure, given(text->member) ? text->member : "", &member, message)) return 1;
        a->layout = LW_LAYOUT_STRUCT;
        a->struct_bytes = member.struct_bytes, a->struct_align = member.struct_align, a->member_offset = member.offset;
        *bytes = member.bytes;
    } else if (given(text->member)) {
        return pattern_fail(message, "member: needs struct, as in 'float x, y, z'");
    } else if (given(text->type)) {
        if (!pattern_type_find(text->type, &type))
            return pattern_fail(message, "type: unknown type '%.60s'", text->type);
        *bytes = type.bytes;
    }
    if (*bytes && (!lw_is_power_of_2(*bytes) || *bytes > 32))
        return pattern_fail(message,
                            "type: no access takes %u bytes a lane (1, 2, 4, 8, 16); as a struct: "
                            "struct 'float x, y, z', member x",
                            *bytes);
    return 0;
}

static int take_layout(const lw_access_text *text, lw_access *a, lw_message *message)
{
    int64_t lanes;
    if (take_number("stride", text->stride, -(1 << 24), 1 << 24, 1, &a->stride, message) ||
        take_number("offset", text->offset, 0, LW_OFFSET_LIMIT / 2, 0, &a->base, message) ||
        take_number("lanes", text->lanes, 1, LW_LANES, LW_LANES, &lanes, message))
        return 1;
    a->lanes = (uint32_t)lanes;
    if (given(text->by) && !given(text->tile)) return pattern_fail(message, "by: needs tile");
    if (given(text->tile)) {
        if (given(text->stride)) return pattern_fail(message, "stride cannot be combined with tile");
        if (given(text->structure)) return pattern_fail(message, "struct cannot be combined with tile");
        if (take_tile(text, a, message)) return 1;
    }
    return permute(text->permute, a, message);
}

int lw_access_describe(const lw_access_text *text, lw_access *out, lw_message *message)
{
    uint32_t bytes;
    *out = (lw_access){.layout = LW_LAYOUT_STRIDE};
    if (take_type(text, out, &bytes, message)) return 1;
    if (!(out->op = find_op(text, bytes, message))) return 1;
    if (!given(text->offsets)) return take_layout(text, out, message) || pattern_place(out, message);
    if (given(text->stride) || given(text->structure) || given(text->tile) || given(text->by) || given(text->permute) ||
        given(text->lanes) || given(text->offset))
        return pattern_fail(message, "offsets: give every address; only op, space and type go with it");
    return lw_access_from_offsets(out->op->name, text->offsets, out, message);
}
