/* body: the statements of a function body: labels, declarations, .loc, nested scopes, guards and instructions. One
 * loop; nesting is the parser's scope stack, not recursion. */
#include "ptx/ptx_priv.h"

#include <stdlib.h>
#include <string.h>

lw_status ptx_parse_pragma(ptx_parser *p)
{
    ptx_next(p);
    do {
        if (p->token.kind != PTX_T_STRING) return ptx_expected(p, "a string");
        p->nounroll |= p->token.size == 8 && !memcmp(p->token.text, "nounroll", 8);
        ptx_next(p);
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}

/* ---- named lists ---- */
/* name: .branchtargets label, ...; the labels may stand further down: they are resolved when the scope closes. */
static lw_status branch_targets(ptx_parser *p, const ptx_token *token, ptx_name *name)
{
    LW_VEC(ptx_fixup) uses = {0};
    lw_status status = LW_OK;
    do {
        ptx_token at;
        ptx_name *label;
        status = ptx_expect_name(p, "a label", &at, &label);
        if (status != LW_OK) break;
        lw_vec_push(&uses, ((ptx_fixup){label, NULL, NULL, at.line, at.column}));
    } while (ptx_accept(p, ','));
    ptx_symbol *s;
    if (status == LW_OK) status = ptx_declare(p, token, name, PTX_S_TARGETS, &s);
    if (status == LW_OK) {
        uint32_t *labels = LW_NEW_ARRAY(p->arena, uint32_t, uses.count);
        for (size_t i = 0; i < uses.count; i++) {
            uses.items[i].label = &labels[i];
            lw_vec_push(&p->fixups, uses.items[i]);
        }
        s->targets = LW_NEW(p->arena, ptx_targets);
        *s->targets = (ptx_targets){.name = name->text, .labels = labels, .count = uses.count};
    }
    lw_vec_free(&uses);
    LW_TRY(status);
    return ptx_expect(p, ';');
}

static lw_status call_target(ptx_parser *p, const ptx_function **out)
{
    ptx_token at;
    ptx_name *name;
    LW_TRY(ptx_expect_name(p, "a function", &at, &name));
    const ptx_symbol *s = ptx_lookup(p, name);
    if (!s) return ptx_fail_token(p, &at, LW_SYNTAX, "undeclared name '%s'", name->text);
    if (s->kind != PTX_S_FUNCTION) return ptx_fail_token(p, &at, LW_SYNTAX, "'%s' is not a function", name->text);
    *out = s->function;
    return LW_OK;
}

/* name: .calltargets function, ...; */
static lw_status call_targets(ptx_parser *p, const ptx_token *token, ptx_name *name)
{
    LW_VEC(const ptx_function *) list = {0};
    lw_status status;
    do {
        const ptx_function *f = NULL;
        status = call_target(p, &f);
        if (status == LW_OK) lw_vec_push(&list, f);
    } while (status == LW_OK && ptx_accept(p, ','));
    ptx_symbol *s;
    if (status == LW_OK) status = ptx_declare(p, token, name, PTX_S_TARGETS, &s);
    if (status == LW_OK) {
        size_t size = list.count * sizeof list.items[0];
        s->targets = LW_NEW(p->arena, ptx_targets);
        *s->targets = (ptx_targets){.name = name->text,
                                    .count = list.count,
                                    .functions = memcpy(lw_arena_alloc(p->arena, size), list.items, size)};
    }
    lw_vec_free(&list);
    LW_TRY(status);
    return ptx_expect(p, ';');
}

static const ptx_variable *keep_params(ptx_parser *p, const ptx_variable_list *list)
{
    ptx_variable *kept = LW_NEW_ARRAY(p->arena, ptx_variable, list->count);
    for (size_t i = 0; i < list->count; i++) kept[i] = *list->items[i];
    return kept;
}

static lw_status prototype_text(ptx_parser *p, ptx_variable_list *returns, ptx_variable_list *params)
{
    ptx_token at;
    ptx_name *ignored;
    uint64_t number;
    if (ptx_is(p, '(')) LW_TRY(ptx_param_list(p, false, returns));
    LW_TRY(ptx_expect_name(p, "'_'", &at, &ignored));
    if (ptx_is(p, '(')) LW_TRY(ptx_param_list(p, false, params));
    while (p->token.kind == PTX_T_DOT) {
        ptx_directive d = ptx_directive_of(p, &p->token);
        if (d != PTX_D_NORETURN && d != PTX_D_ABI_PRESERVE && d != PTX_D_ABI_PRESERVE_CONTROL) break;
        ptx_next(p);
        if (d != PTX_D_NORETURN) LW_TRY(ptx_expect_number(p, "a number", UINT32_MAX, &number));
    }
    return ptx_expect(p, ';');
}

/* name: .callprototype (results) _ (parameters); */
static lw_status prototype(ptx_parser *p, const ptx_token *token, ptx_name *name)
{
    ptx_variable_list returns = {0}, params = {0};
    ptx_symbol *s;
    lw_status status = prototype_text(p, &returns, &params);
    if (status == LW_OK) status = ptx_declare(p, token, name, PTX_S_PROTOTYPE, &s);
    if (status == LW_OK) {
        s->prototype = LW_NEW(p->arena, ptx_prototype);
        *s->prototype =
            (ptx_prototype){name->text, keep_params(p, &returns), keep_params(p, &params), returns.count, params.count};
    }
    lw_vec_free(&returns);
    lw_vec_free(&params);
    return status;
}

/* A name and a colon: a label, or the name of the directive that follows. */
static lw_status label(ptx_parser *p)
{
    ptx_token token = p->token;
    ptx_name *name = ptx_intern(p, token.text, token.size);
    ptx_symbol *s;
    ptx_next(p);
    ptx_next(p); /* ':' */
    switch (ptx_directive_of(p, &p->token)) {
    case PTX_D_BRANCHTARGETS: ptx_next(p); return branch_targets(p, &token, name);
    case PTX_D_CALLTARGETS: ptx_next(p); return call_targets(p, &token, name);
    case PTX_D_CALLPROTOTYPE: ptx_next(p); return prototype(p, &token, name);
    default: break;
    }
    LW_TRY(ptx_declare(p, &token, name, PTX_S_LABEL, &s));
    s->index = (uint32_t)p->insns.count;
    lw_vec_push(&p->labels, ((ptx_label){name->text, s->index}));
    return LW_OK;
}

/* ---- instructions ---- */
/* "@p" or "@!p" */
static lw_status guard(ptx_parser *p, ptx_insn *insn)
{
    ptx_token token;
    ptx_name *name;
    ptx_next(p);
    insn->guard_negated = ptx_accept(p, '!');
    LW_TRY(ptx_expect_name(p, "a predicate register", &token, &name));
    const ptx_symbol *s = ptx_lookup(p, name);
    if (!s) return ptx_fail_token(p, &token, LW_SYNTAX, "undeclared name '%s'", name->text);
    if (s->kind != PTX_S_REGISTER || p->registers.items[s->index].type != PTX_PRED)
        return ptx_fail_token(p, &token, LW_SYNTAX, "'%s' is not a predicate register", name->text);
    insn->guard = (int32_t)s->index;
    return LW_OK;
}

static lw_status instruction(ptx_parser *p)
{
    ptx_insn insn = {.guard = -1, .line = p->token.line, .column = p->token.column, .source = p->line_now};
    insn.nounroll = p->nounroll;
    p->nounroll = false;
    if (ptx_is(p, '@')) LW_TRY(guard(p, &insn));
    if (p->token.kind != PTX_T_NAME) return ptx_expected(p, "an instruction");
    insn.mnemonic = ptx_lex_mnemonic(p);
    LW_TRY(ptx_parse_operands(p, &insn));
    lw_vec_push(&p->insns, insn);
    return LW_OK;
}

static lw_status directive(ptx_parser *p)
{
    switch (ptx_directive_of(p, &p->token)) {
    case PTX_D_LOC: return ptx_parse_loc(p);
    case PTX_D_FILE: return ptx_parse_file(p);
    case PTX_D_PRAGMA: return ptx_parse_pragma(p);
    case PTX_D_SECTION: return ptx_parse_section(p);
    case PTX_D_EXTERN: ptx_next(p); return ptx_declaration(p, PTX_EXTERN);
    case PTX_D_WEAK: ptx_next(p); return ptx_declaration(p, PTX_WEAK);
    case PTX_D_VISIBLE: ptx_next(p); return ptx_declaration(p, PTX_VISIBLE);
    case PTX_D_REG:
    case PTX_D_CONST:
    case PTX_D_GLOBAL:
    case PTX_D_LOCAL:
    case PTX_D_PARAM:
    case PTX_D_SHARED: return ptx_declaration(p, PTX_STATIC);
    default: return ptx_expected(p, "a statement");
    }
}

static lw_status statement(ptx_parser *p)
{
    if (ptx_is(p, ';')) return ptx_next(p), LW_OK;
    if (p->token.kind == PTX_T_DOT) return directive(p);
    if (p->token.kind == PTX_T_NAME && ptx_at_label(p)) return label(p);
    return instruction(p);
}

#define KEEP(list, count_out)                                                                                          \
    ((count_out) = (list).count, (list).count ? memcpy(lw_arena_alloc(p->arena, (list).count * sizeof *(list).items),  \
                                                       (list).items, (list).count * sizeof *(list).items)              \
                                              : NULL)

/* Statements up to the closing brace; braces inside are scopes of names. */
lw_status ptx_parse_body(ptx_parser *p, ptx_function *f)
{
    int outer = p->depth;
    p->nounroll = false;
    p->insns.count = p->labels.count = p->fixups.count = p->locals.count = 0;
    ptx_lines_function_start(p);
    LW_TRY(ptx_scope_open(p));
    ptx_next(p);
    for (;;) {
        if (ptx_is(p, '{')) {
            LW_TRY(ptx_scope_open(p));
            ptx_next(p);
        } else if (ptx_is(p, '}')) {
            LW_TRY(ptx_scope_close(p));
            ptx_next(p);
            if (p->depth == outer) break;
        } else if (p->token.kind == PTX_T_END) {
            return ptx_expected(p, "'}'");
        } else {
            LW_TRY(statement(p));
        }
    }
    f->insns = KEEP(p->insns, f->insn_count);
    f->labels = KEEP(p->labels, f->label_count);
    f->locals = KEEP(p->locals, f->local_count);
    f->registers = KEEP(p->registers, f->register_count);
    return LW_OK;
}
