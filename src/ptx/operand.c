/* operand: operands of instructions -> ptx_operand. Knows no instruction but `call`, whose parentheses are lists; in
 * all others they belong to constant expressions.
 *
 *   operand  = part { '|' part }
 *   part     = name [.component] [+- constant] | !reg | -reg | constant | _
 *           | '{' list '}' | '(' list ')' | '[' address ']'
 *   address  = (reg | variable) [+- constant] | constant, or such a thing, more operands: coordinates of a texture */
#include "ptx/ptx_priv.h"

#include <stdlib.h>
#include <string.h>

typedef LW_VEC(ptx_operand) operand_list;

#define MAX_ITEMS 1024 /* of one list */

static lw_status operand(ptx_parser *p, bool lists, ptx_operand *out);

static const ptx_operand plain = {.reg = -1, .component = -1};

static const ptx_operand *keep(ptx_parser *p, operand_list *list)
{
    size_t size = list->count * sizeof list->items[0];
    const ptx_operand *kept = list->count ? memcpy(lw_arena_alloc(p->arena, size), list->items, size) : NULL;
    lw_vec_free(list);
    return kept;
}

/* The rest of "{a, b}" after the opening character */
static lw_status items(ptx_parser *p, int closing, bool lists, operand_list *list)
{
    if (ptx_accept(p, closing)) return LW_OK;
    do {
        ptx_operand o;
        ptx_token at = p->token;
        if (list->count >= MAX_ITEMS)
            return ptx_fail_token(p, &at, LW_LIMIT, "more than %d operands in a list", MAX_ITEMS);
        LW_TRY(operand(p, lists, &o));
        if (o.kind == PTX_OP_NONE)
            return ptx_fail_token(p, &at, LW_SYNTAX, "undeclared name '%s'", ((ptx_name *)o.items)->text);
        lw_vec_push(list, o);
    } while (ptx_accept(p, ','));
    return ptx_expect(p, closing);
}

static lw_status group(ptx_parser *p, ptx_operand_kind kind, int closing, ptx_operand *out)
{
    operand_list list = {0};
    ptx_next(p);
    LW_TRY(ptx_enter(p));
    lw_status status = items(p, closing, false, &list);
    ptx_leave(p);
    *out = plain;
    out->kind = kind;
    out->item_count = (uint32_t)list.count;
    out->items = keep(p, &list);
    return status;
}

static lw_status constant(ptx_parser *p, ptx_operand *out)
{
    ptx_value v;
    LW_TRY(ptx_const(p, &v));
    *out = plain;
    static const uint8_t kinds[] = {[PTX_V_INT] = PTX_OP_INT, [PTX_V_F32] = PTX_OP_F32, [PTX_V_F64] = PTX_OP_F64};
    out->kind = (ptx_operand_kind)kinds[v.kind];
    out->imm = (int64_t)v.bits;
    out->is_unsigned = v.is_unsigned;
    return LW_OK;
}

/* .h10, .b3210: selector or mask of a SIMD video instruction, 2 to 4 digits. imm: the digits, four bits each, the last
 * written lowest, and from bit 16 their number. */
static bool simd_selector(const ptx_token *t, ptx_operand *o)
{
    if (t->size < 4 || t->size > 6 || (t->text[1] != 'b' && t->text[1] != 'h')) return false;
    int64_t digits = 0;
    for (size_t i = 2; i < t->size; i++) {
        if (t->text[i] < '0' || t->text[i] > '7') return false;
        digits = digits << 4 | (t->text[i] - '0');
    }
    o->component = t->text[1] == 'h' ? 10 : 11;
    o->imm = digits | (int64_t)(t->size - 2) << 16;
    return true;
}

/* .x .y .z .w, also as .r .g .b .a; .b0 .. .b3, .h0, .h1 of video instructions */
static lw_status component(ptx_parser *p, ptx_operand *o, uint32_t count)
{
    static const char *const words[] = {".x", ".y",  ".z",  ".w",  ".r",  ".g",  ".b",
                                        ".a", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    static const int8_t components[] = {0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    if (p->token.kind != PTX_T_DOT) return LW_OK;
    for (size_t i = 0; i < LW_COUNT(words); i++)
        if (p->token.size == strlen(words[i]) && !memcmp(p->token.text, words[i], p->token.size))
            o->component = components[i];
    if (o->component < 0 && o->kind == PTX_OP_REG) simd_selector(&p->token, o);
    bool selector = o->component > 3;
    if (o->component < 0 || (selector ? o->kind != PTX_OP_REG : (uint32_t)o->component >= count))
        return ptx_fail_token(p, &p->token, LW_SYNTAX, "no such component");
    ptx_next(p);
    return LW_OK;
}

/* "+4", "-4", "+-4" behind a name */
static lw_status offset(ptx_parser *p, int64_t *imm)
{
    if (!ptx_is(p, '+') && !ptx_is(p, '-')) return LW_OK;
    ptx_value v;
    LW_TRY(ptx_const_int(p, &v));
    *imm = (int64_t)v.bits;
    return LW_OK;
}

static lw_status special(ptx_parser *p, const ptx_name *name, ptx_operand *o)
{
    o->kind = PTX_OP_SPECIAL;
    o->special = (uint16_t)(name->special - 1);
    ptx_special_find(name->text, name->size, &o->imm);
    return component(p, o, ptx_specials[o->special].components);
}

/* A name that is not declared yet may be a label further down: kind NONE with the name in items, see keep_operands. */
static lw_status unknown(ptx_parser *p, const ptx_token *token, ptx_name *name, ptx_operand *o)
{
    if (name->text[0] == '%') return ptx_fail_token(p, token, LW_SYNTAX, "undeclared name '%s'", name->text);
    o->kind = PTX_OP_NONE;
    o->items = (const void *)name;
    return LW_OK;
}

/* A register, special register, variable, function or label; what is unknown may be a label further down. */
static lw_status named(ptx_parser *p, ptx_operand *o)
{
    ptx_token token = p->token;
    ptx_name *name = ptx_intern(p, token.text, token.size);
    *o = plain;
    ptx_next(p);
    if (name->size == 1 && name->text[0] == '_') {
        o->kind = PTX_OP_SINK;
        return LW_OK;
    }
    ptx_symbol *s = ptx_lookup(p, name);
    if (!s) return name->special ? special(p, name, o) : unknown(p, &token, name, o);
    switch (s->kind) {
    case PTX_S_REGISTER:
        o->kind = PTX_OP_REG;
        o->reg = (int32_t)s->index;
        LW_TRY(component(p, o, p->registers.items[s->index].vector));
        return LW_OK;
    case PTX_S_VARIABLE:
        o->kind = PTX_OP_VARIABLE;
        o->variable = s->variable;
        if (ptx_is(p, '['))
            return ptx_fail_token(p, &p->token, LW_UNSUPPORTED, "indexed variables are not supported: write [%s+bytes]",
                                  name->text);
        return offset(p, &o->imm);
    case PTX_S_FUNCTION:
        o->kind = PTX_OP_FUNCTION;
        o->function = s->function;
        return LW_OK;
    default: return unknown(p, &token, name, o); /* a scope inside may still declare a nearer one */
    }
}

/* !p, -r: a minus before a register; before anything else it belongs to a constant */
static lw_status negated(ptx_parser *p, ptx_operand *o)
{
    ptx_next(p);
    if (p->token.kind != PTX_T_NAME) return ptx_expected(p, "a register");
    ptx_token token = p->token;
    LW_TRY(named(p, o));
    if (o->kind != PTX_OP_REG) return ptx_fail_token(p, &token, LW_SYNTAX, "only a register can be negated");
    o->negated = true;
    return LW_OK;
}

/* What stands between '[' and ']' or ',': the base of an address */
static lw_status base(ptx_parser *p, ptx_operand *o)
{
    if (ptx_starts_const(p)) {
        ptx_value v;
        LW_TRY(ptx_const_int(p, &v));
        *o = plain;
        o->imm = (int64_t)v.bits;
        return LW_OK;
    }
    if (p->token.kind != PTX_T_NAME) return ptx_expected(p, "an address");
    ptx_token token = p->token;
    LW_TRY(named(p, o));
    if (o->kind == PTX_OP_NONE)
        return ptx_fail_token(p, &token, LW_SYNTAX, "undeclared name '%s'", ((ptx_name *)o->items)->text);
    if (o->kind != PTX_OP_REG && o->kind != PTX_OP_VARIABLE)
        return ptx_fail_token(p, &token, LW_SYNTAX, "an address starts with a register or a variable");
    return o->kind == PTX_OP_REG ? offset(p, &o->imm) : LW_OK;
}

/* [address], [address+offset], or the operands of a texture read. */
static lw_status bracket(ptx_parser *p, ptx_operand *out)
{
    ptx_operand first;
    ptx_next(p);
    LW_TRY(base(p, &first));
    if (ptx_accept(p, ']')) {
        *out = first;
        out->kind = PTX_OP_ADDRESS;
        return LW_OK;
    }
    if (!ptx_is(p, ',') || first.kind == PTX_OP_NONE /* a constant */) return ptx_expected(p, "']'");
    operand_list list = {0};
    lw_vec_push(&list, first);
    ptx_next(p);
    LW_TRY(ptx_enter(p));
    lw_status status = items(p, ']', false, &list);
    ptx_leave(p);
    *out = plain;
    out->kind = PTX_OP_TEX;
    out->item_count = (uint32_t)list.count;
    out->items = keep(p, &list);
    return status;
}

static lw_status part(ptx_parser *p, bool lists, ptx_operand *o)
{
    if (p->token.kind == PTX_T_NAME && !ptx_is_word(p, "WARP_SZ")) return named(p, o);
    if (ptx_is(p, '[')) return bracket(p, o);
    if (ptx_is(p, '{')) return group(p, PTX_OP_VECTOR, '}', o);
    if (ptx_is(p, '(') && lists) return group(p, PTX_OP_LIST, ')', o);
    bool minus = ptx_is(p, '-') || ptx_is(p, '!');
    const char *s = p->at;
    while (*s == ' ' || *s == '\t') s++;
    bool name_follows = *s == '%' || *s == '_' || *s == '$' || ((*s | 32) >= 'a' && (*s | 32) <= 'z');
    if (minus && name_follows && strncmp(s, "WARP_SZ", 7)) return negated(p, o);
    if (!ptx_starts_const(p)) return ptx_expected(p, "an operand");
    return constant(p, o);
}

static lw_status operand(ptx_parser *p, bool lists, ptx_operand *out)
{
    LW_TRY(part(p, lists, out));
    if (!ptx_is(p, '|')) return LW_OK;
    ptx_operand *pair = LW_NEW_ARRAY(p->arena, ptx_operand, 2);
    ptx_token token = p->token;
    pair[0] = *out;
    ptx_next(p);
    LW_TRY(part(p, lists, &pair[1]));
    if (pair[0].kind == PTX_OP_NONE || pair[1].kind == PTX_OP_NONE)
        return ptx_fail_token(p, &token, LW_SYNTAX, "undeclared name '%s'",
                              ((ptx_name *)pair[pair[0].kind != PTX_OP_NONE].items)->text);
    *out = plain;
    out->kind = PTX_OP_PAIR;
    out->items = pair;
    out->item_count = 2;
    return LW_OK;
}

/* Operands of the instruction up to and with ';' */
lw_status ptx_parse_operands(ptx_parser *p, ptx_insn *insn)
{
    ptx_operand list[PTX_MAX_OPERANDS];
    ptx_token tokens[PTX_MAX_OPERANDS];
    uint8_t count = 0;
    bool lists = !strncmp(insn->mnemonic, "call", 4);
    if (ptx_accept(p, ';')) return LW_OK;
    do {
        if (count == PTX_MAX_OPERANDS)
            return ptx_fail_token(p, &p->token, LW_SYNTAX, "more than %d operands", PTX_MAX_OPERANDS);
        tokens[count] = p->token;
        LW_TRY(operand(p, lists, &list[count]));
        count++;
    } while (ptx_accept(p, ','));
    if (!ptx_is(p, ';')) return ptx_expected(p, "',' or ';'");
    ptx_operand *kept = LW_NEW_ARRAY(p->arena, ptx_operand, count);
    memcpy(kept, list, count * sizeof *kept);
    for (uint8_t i = 0; i < count; i++) {
        if (kept[i].kind != PTX_OP_NONE) continue;
        ptx_name *name = (ptx_name *)kept[i].items;
        kept[i].items = NULL;
        lw_vec_push(&p->fixups, ((ptx_fixup){name, &kept[i], NULL, tokens[i].line, tokens[i].column}));
    }
    insn->operands = kept;
    insn->operand_count = count;
    ptx_next(p);
    return LW_OK;
}
