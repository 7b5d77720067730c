/* decl: declarations of variables, registers and parameters.
 *
 *   [linkage] .space [.align n] [.attribute(...)] [.v2|.v4] .type name [dims] [= initialiser] {, ...} ;
 *
 * The dot words are taken in any order. An `.extern` variable and its definition become one ptx_variable. */
#include "ptx/ptx_priv.h"

#include <stdlib.h>
#include <string.h>

static lw_status alignment(ptx_parser *p, uint32_t *out)
{
    ptx_token at = p->token;
    uint64_t n;
    LW_TRY(ptx_expect_number(p, "an alignment", PTX_MAX_ALIGN, &n));
    if (!lw_is_power_of_2(n)) return ptx_fail_token(p, &at, LW_SYNTAX, "an alignment must be a power of two");
    *out = (uint32_t)n;
    return LW_OK;
}

/* .attribute(.managed, .unified(a, b)), the word .attribute is read */
lw_status ptx_attribute(ptx_parser *p, bool *managed)
{
    LW_TRY(ptx_expect(p, '('));
    do {
        ptx_directive d = ptx_directive_of(p, &p->token);
        if (d != PTX_D_MANAGED && d != PTX_D_UNIFIED) return ptx_expected(p, "'.managed' or '.unified'");
        ptx_next(p);
        if (d == PTX_D_MANAGED) *managed = true;
        if (d == PTX_D_UNIFIED && ptx_accept(p, '(')) {
            ptx_value ignored;
            do LW_TRY(ptx_const_int(p, &ignored));
            while (ptx_accept(p, ','));
            LW_TRY(ptx_expect(p, ')'));
        }
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ')');
}

static bool space_of(ptx_directive d, ptx_space *space)
{
    switch (d) {
    case PTX_D_REG: *space = PTX_REG; return true;
    case PTX_D_CONST: *space = PTX_CONST; return true;
    case PTX_D_GLOBAL:
    case PTX_D_TEX: *space = PTX_GLOBAL; return true;
    case PTX_D_LOCAL: *space = PTX_LOCAL; return true;
    case PTX_D_PARAM: *space = PTX_PARAM; return true;
    case PTX_D_SHARED: *space = PTX_SHARED; return true;
    default: return false;
    }
}

/* One directive of a declaration's head: space, type, vector, alignment, attributes. */
static lw_status head_word(ptx_parser *p, ptx_decl *decl, bool *has_space)
{
    ptx_token token = p->token;
    ptx_directive d = ptx_directive_of(p, &token);
    ptx_space space;
    ptx_type type = d == PTX_D_NONE ? ptx_type_find(token.text + 1, token.size - 1) : PTX_NO_TYPE;
    ptx_next(p);
    if (type != PTX_NO_TYPE) {
        if (decl->type != PTX_NO_TYPE) return ptx_fail_token(p, &token, LW_SYNTAX, "a second type");
        decl->type = type;
    } else if (space_of(d, &space)) {
        /* after .ptr comes the space that the pointer points to; nothing here needs it */
        if (*has_space && !decl->is_pointer) return ptx_fail_token(p, &token, LW_SYNTAX, "a second state space");
        if (!*has_space) decl->space = space;
        *has_space = true;
    } else if (d == PTX_D_ALIGN) {
        uint32_t n = 0;
        LW_TRY(alignment(p, &n));
        if (!decl->is_pointer) decl->alignment = n; /* after .ptr: alignment of the memory pointed to */
    } else if (d == PTX_D_ATTRIBUTE) {
        LW_TRY(ptx_attribute(p, &decl->managed));
    } else if (d == PTX_D_V2 || d == PTX_D_V4) {
        decl->vector = d == PTX_D_V2 ? 2 : 4;
    } else if (d == PTX_D_PTR) {
        decl->is_pointer = true;
    } else {
        return ptx_fail_token(p, &token, LW_SYNTAX, "'%.*s' is not allowed in a declaration",
                              (int)LW_MIN(token.size, (size_t)60), token.text);
    }
    return LW_OK;
}

/* .space .align n .vN .type, in any order that compilers write. */
lw_status ptx_decl_head(ptx_parser *p, ptx_decl *decl, bool need_space)
{
    bool has_space = false;
    bool is_tex = ptx_directive_of(p, &p->token) == PTX_D_TEX;
    decl->start = p->token;
    decl->vector = 1;
    while (p->token.kind == PTX_T_DOT) LW_TRY(head_word(p, decl, &has_space));
    if (need_space && !has_space) return ptx_expected(p, "a state space");
    if (decl->type == PTX_NO_TYPE) return ptx_expected(p, "a type");
    if (is_tex) decl->type = PTX_TEXREF; /* `.tex .u32 t`: the old form of `.global .texref t` */
    if (decl->type == PTX_PRED && decl->space != PTX_REG)
        return ptx_fail_token(p, &decl->start, LW_SYNTAX, "predicates can only be registers");
    return LW_OK;
}

/* "[2][3]" or "[]" */
static lw_status dimensions(ptx_parser *p, ptx_shape *shape)
{
    while (ptx_accept(p, '[')) {
        if (shape->count == PTX_MAX_DIMENSIONS)
            return ptx_fail_token(p, &p->token, LW_LIMIT, "more than %d dimensions", PTX_MAX_DIMENSIONS);
        ptx_value n = {0};
        ptx_token at = p->token;
        if (ptx_is(p, ']')) {
            if (shape->count) return ptx_fail_token(p, &at, LW_SYNTAX, "only the first dimension may be empty");
            shape->unsized = true;
        } else {
            LW_TRY(ptx_const_int(p, &n));
            if (n.bits > PTX_MAX_VARIABLE_BYTES)
                return ptx_fail_token(p, &at, LW_LIMIT, "an array of this size is not possible");
        }
        shape->dims[shape->count++] = n.bits;
        LW_TRY(ptx_expect(p, ']'));
    }
    return LW_OK;
}

static lw_status total_bytes(ptx_parser *p, const ptx_token *at, const ptx_decl *decl, const ptx_shape *shape,
                             uint64_t *bytes)
{
    *bytes = (uint64_t)ptx_type_bytes(decl->type) * decl->vector;
    for (int i = 0; i < shape->count; i++)
        if (__builtin_mul_overflow(*bytes, shape->dims[i], bytes) || *bytes > PTX_MAX_VARIABLE_BYTES)
            return ptx_fail_token(p, at, LW_LIMIT, "'%.*s' is too large", (int)LW_MIN(at->size, (size_t)80), at->text);
    return LW_OK;
}

static void fill_variable(ptx_parser *p, ptx_variable *v, const ptx_decl *decl, const ptx_token *token, uint64_t bytes,
                          bool unsized)
{
    uint32_t natural = ptx_type_bytes(decl->type) * decl->vector;
    v->space = decl->space;
    v->type = decl->type;
    v->vector = decl->vector;
    v->alignment = decl->alignment ? decl->alignment : LW_MAX(natural, 1u);
    v->bytes = bytes;
    v->unsized = unsized;
    v->is_pointer = decl->is_pointer;
    v->managed = decl->managed;
    v->linkage = decl->linkage;
    v->scope = p->function;
    v->line = token->line;
}

/* A second declaration of a module variable: allowed if one of the two is .extern, or both are .common. */
static lw_status redeclare(ptx_parser *p, const ptx_token *token, ptx_variable *old, const ptx_decl *decl,
                           uint64_t bytes, bool unsized, bool has_init)
{
    bool common = old->linkage == PTX_COMMON && decl->linkage == PTX_COMMON;
    if (old->linkage != PTX_EXTERN && decl->linkage != PTX_EXTERN && !common)
        return ptx_fail_token(p, token, LW_SYNTAX, "'%s' is already declared in this scope, in line %u", old->name,
                              old->line);
    if (old->space != decl->space || old->type != decl->type || old->vector != decl->vector ||
        (old->bytes != bytes && !old->unsized && !unsized && !has_init && !common))
        return ptx_fail_token(p, token, LW_SYNTAX, "'%s' was declared with another type, in line %u", old->name,
                              old->line);
    bool keep = decl->linkage == PTX_EXTERN ? old->linkage != PTX_EXTERN || unsized : common && old->bytes > bytes;
    if (!keep) fill_variable(p, old, decl, token, bytes, unsized);
    return LW_OK;
}

static lw_status declare_variable(ptx_parser *p, const ptx_decl *decl, const ptx_token *token, ptx_name *name,
                                  const ptx_shape *shape, bool has_init, ptx_variable **out)
{
    uint64_t bytes;
    LW_TRY(total_bytes(p, token, decl, shape, &bytes));
    ptx_symbol *s = ptx_lookup(p, name);
    if (s && p->depth == 0 && s->kind == PTX_S_VARIABLE) {
        *out = s->variable;
        return redeclare(p, token, s->variable, decl, bytes, shape->unsized && !has_init, has_init);
    }
    LW_TRY(ptx_declare(p, token, name, PTX_S_VARIABLE, &s));
    ptx_variable *v = s->variable = *out = LW_NEW(p->arena, ptx_variable);
    v->name = name->text;
    fill_variable(p, v, decl, token, bytes, shape->unsized && !has_init);
    if (p->depth == 0) {
        v->index = (uint32_t)p->variables.count;
        lw_vec_push(&p->variables, v);
    } else {
        v->index = (uint32_t)p->locals.count;
        lw_vec_push(&p->locals, v);
    }
    return LW_OK;
}

static lw_status declare_register(ptx_parser *p, const ptx_decl *decl, const ptx_token *token, ptx_name *name)
{
    ptx_symbol *s;
    if (!p->function) return ptx_fail_token(p, token, LW_SYNTAX, "registers can only be declared in functions");
    if (!ptx_type_bytes(decl->type) && decl->type != PTX_PRED)
        return ptx_fail_token(p, token, LW_SYNTAX, "a register cannot have this type");
    LW_TRY(ptx_declare(p, token, name, PTX_S_REGISTER, &s));
    s->index = ptx_add_register(p, name->text, decl->type, decl->vector);
    return LW_OK;
}

/* name<N>: N registers, or N variables name0 .. name(N-1) */
static lw_status range(ptx_parser *p, const ptx_decl *decl, const ptx_token *token, ptx_name *name)
{
    bool is_reg = decl->space == PTX_REG;
    uint64_t count, limit = is_reg ? PTX_MAX_REGISTER_RANGE : PTX_MAX_VARIABLE_RANGE - p->range_variables;
    LW_TRY(ptx_expect_number(p, is_reg ? "a number of registers" : "a number of variables", limit, &count));
    LW_TRY(ptx_expect(p, '>'));
    if (is_reg) {
        if (!p->function) return ptx_fail_token(p, token, LW_SYNTAX, "registers can only be declared in functions");
        return ptx_declare_range(p, token, name, decl->type, decl->vector, (uint32_t)count);
    }
    p->range_variables += count;
    for (uint64_t i = 0; i < count; i++) {
        char *text = lw_printf("%s%llu", name->text, (unsigned long long)i);
        ptx_name *one = ptx_intern(p, text, strlen(text));
        free(text);
        ptx_variable *v;
        LW_TRY(declare_variable(p, decl, token, one, &(ptx_shape){0}, false, &v));
    }
    return LW_OK;
}

/* name, name<N>, or name[..] = initialiser */
static lw_status declarator(ptx_parser *p, const ptx_decl *decl)
{
    ptx_token token;
    ptx_name *name;
    LW_TRY(ptx_expect_name(p, "a name", &token, &name));
    if (ptx_accept(p, '<')) return range(p, decl, &token, name);
    if (decl->space == PTX_REG) return declare_register(p, decl, &token, name);
    ptx_shape shape = {0};
    ptx_variable *v;
    LW_TRY(dimensions(p, &shape));
    bool has_init = ptx_is(p, '=');
    LW_TRY(declare_variable(p, decl, &token, name, &shape, has_init, &v));
    if (!has_init) return LW_OK;
    if (decl->linkage == PTX_EXTERN)
        return ptx_fail_token(p, &p->token, LW_SYNTAX, "an .extern variable cannot have an initialiser");
    if (decl->space != PTX_GLOBAL && decl->space != PTX_CONST)
        return ptx_fail_token(p, &p->token, LW_SYNTAX, "only .global and .const variables can have initialisers");
    ptx_next(p);
    return ptx_initialiser(p, &token, v, &shape);
}

lw_status ptx_declaration(ptx_parser *p, ptx_linkage linkage)
{
    ptx_decl decl = {.linkage = linkage};
    LW_TRY(ptx_decl_head(p, &decl, true));
    if (!p->function && decl.space == PTX_PARAM)
        return ptx_fail_token(p, &decl.start, LW_SYNTAX, "parameters can only be declared in functions");
    do LW_TRY(declarator(p, &decl));
    while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}

/* One parameter. Named ones are declared; a register parameter becomes a register and gets its index from it. */
static lw_status param(ptx_parser *p, bool declare, ptx_variable_list *list)
{
    ptx_decl decl = {0};
    ptx_token token;
    ptx_name *name;
    ptx_shape shape = {0};
    uint64_t bytes;
    ptx_symbol *s;
    LW_TRY(ptx_decl_head(p, &decl, true));
    if (decl.space != PTX_PARAM && decl.space != PTX_REG)
        return ptx_fail_token(p, &decl.start, LW_SYNTAX, "a parameter must be in .param or .reg space");
    LW_TRY(ptx_expect_name(p, "a parameter's name", &token, &name));
    LW_TRY(dimensions(p, &shape));
    LW_TRY(total_bytes(p, &token, &decl, &shape, &bytes));
    ptx_variable *v = LW_NEW(p->arena, ptx_variable);
    v->name = name->text;
    fill_variable(p, v, &decl, &token, bytes, shape.unsized);
    v->index = (uint32_t)list->count;
    lw_vec_push(list, v);
    if (!declare || (name->size == 1 && name->text[0] == '_')) return LW_OK;
    LW_TRY(ptx_declare(p, &token, name, decl.space == PTX_REG ? PTX_S_REGISTER : PTX_S_VARIABLE, &s));
    if (decl.space == PTX_REG) s->index = ptx_add_register(p, name->text, decl.type, decl.vector);
    else s->variable = v;
    return LW_OK;
}

lw_status ptx_param_list(ptx_parser *p, bool declare, ptx_variable_list *list)
{
    LW_TRY(ptx_expect(p, '('));
    if (ptx_accept(p, ')')) return LW_OK;
    do LW_TRY(param(p, declare, list));
    while (ptx_accept(p, ','));
    return ptx_expect(p, ')');
}
