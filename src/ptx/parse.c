/* parse: a PTX module (PTX ISA 6.0 to 9.0): module directives and functions.
 *
 * A function that is declared and later defined is one ptx_function; so is an alias and its declaration. The first
 * error ends parsing. Time and memory grow with the text's length only. */
#include "ptx/ptx_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- functions ---- */
#define KEEP(list, count_out)                                                                                          \
    ((count_out) = (list).count, (list).count ? memcpy(lw_arena_alloc(p->arena, (list).count * sizeof *(list).items),  \
                                                       (list).items, (list).count * sizeof *(list).items)              \
                                              : NULL)

/* "128", "16, 8" or "16, 8, 1" */
static lw_status dimensions(ptx_parser *p, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t n;
        LW_TRY(ptx_expect_number(p, "a dimension", UINT32_MAX, &n));
        out[i] = (uint32_t)n;
        if (!ptx_accept(p, ',')) break;
    }
    return LW_OK;
}

static lw_status number_of(ptx_parser *p, uint32_t *out)
{
    uint64_t n;
    LW_TRY(ptx_expect_number(p, "a number", UINT32_MAX, &n));
    *out = (uint32_t)n;
    return LW_OK;
}

/* Directives between the parameters and the body */
static lw_status function_directives(ptx_parser *p, ptx_function *f)
{
    uint32_t ignored;
    bool managed;
    while (p->token.kind == PTX_T_DOT) {
        ptx_directive d = ptx_directive_of(p, &p->token);
        if (d == PTX_D_PRAGMA) {
            LW_TRY(ptx_parse_pragma(p));
            continue;
        }
        ptx_token token = p->token;
        ptx_next(p);
        switch (d) {
        case PTX_D_MAXNTID: LW_TRY(dimensions(p, f->maxntid)); break;
        case PTX_D_REQNTID: LW_TRY(dimensions(p, f->reqntid)); break;
        case PTX_D_REQNCTAPERCLUSTER: LW_TRY(dimensions(p, f->reqnctapercluster)); break;
        case PTX_D_MINNCTAPERSM: LW_TRY(number_of(p, &f->minnctapersm)); break;
        case PTX_D_MAXNCTAPERSM: LW_TRY(number_of(p, &f->maxnctapersm)); break;
        case PTX_D_MAXNREG: LW_TRY(number_of(p, &f->maxnreg)); break;
        case PTX_D_MAXCLUSTERRANK: LW_TRY(number_of(p, &f->maxclusterrank)); break;
        case PTX_D_ABI_PRESERVE:
        case PTX_D_ABI_PRESERVE_CONTROL: LW_TRY(number_of(p, &ignored)); break;
        case PTX_D_ATTRIBUTE: LW_TRY(ptx_attribute(p, &managed)); break;
        case PTX_D_EXPLICITCLUSTER: f->explicitcluster = true; break;
        case PTX_D_NORETURN: f->noreturn = true; break;
        case PTX_D_BLOCKSARECLUSTERS:
            return ptx_fail_token(p, &token, LW_UNSUPPORTED, "'.blocksareclusters' is not supported");
        default:
            return ptx_fail_token(p, &token, LW_SYNTAX, "'%.*s' is not a directive of functions",
                                  (int)LW_MIN(token.size, (size_t)60), token.text);
        }
    }
    return LW_OK;
}

/* Which register holds each parameter that is one: returns first, then parameters, in the order of the text */
static const int32_t *register_map(ptx_parser *p, const ptx_variable_list *list, int32_t *next)
{
    int32_t *map = LW_NEW_ARRAY(p->arena, int32_t, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const ptx_variable *v = list->items[i];
        map[i] = v->space == PTX_REG && strcmp(v->name, "_") ? (*next)++ : -1;
    }
    return map;
}

/* The tree node of the name: the one of an earlier declaration or a new one. */
static lw_status function_node(ptx_parser *p, const ptx_token *token, ptx_name *name, ptx_function **out)
{
    bool is_new;
    ptx_symbol *s = ptx_module_symbol(p, token, name, PTX_S_FUNCTION, &is_new);
    if (s->kind != PTX_S_FUNCTION)
        return ptx_fail_token(p, token, LW_SYNTAX, "'%s' is already declared in this scope, in line %u", name->text,
                              s->line);
    if (is_new) {
        s->function = LW_NEW(p->arena, ptx_function);
        s->function->name = name->text;
        s->function->index = (uint32_t)p->functions.count;
        s->function->is_declaration = true;
        lw_vec_push(&p->functions, s->function);
    }
    *out = s->function;
    return LW_OK;
}

/* May `made` stand beside what was known of the function before? */
static lw_status check_redeclared(ptx_parser *p, const ptx_token *token, const ptx_function *old,
                                  const ptx_function *made)
{
    if (!old->line) return LW_OK; /* new */
    if (!old->is_declaration && !made->is_declaration)
        return ptx_fail_token(p, token, LW_SYNTAX, "'%s' is already defined, in line %u", old->name, old->line);
    if (old->is_entry != made->is_entry || old->param_count != made->param_count ||
        old->return_count != made->return_count)
        return ptx_fail_token(p, token, LW_SYNTAX, "'%s' was declared with other parameters, in line %u", old->name,
                              old->line);
    return LW_OK;
}

static lw_status signature(ptx_parser *p, ptx_function *made, ptx_token *token, ptx_function **f,
                           ptx_variable_list *returns, ptx_variable_list *params)
{
    ptx_name *name;
    bool managed;
    while (ptx_directive_of(p, &p->token) == PTX_D_ATTRIBUTE) {
        ptx_next(p);
        LW_TRY(ptx_attribute(p, &managed));
    }
    if (ptx_directive_of(p, &p->token) == PTX_D_NORETURN) {
        ptx_next(p);
        made->noreturn = true;
    }
    if (!made->is_entry && ptx_is(p, '(')) LW_TRY(ptx_param_list(p, true, returns));
    LW_TRY(ptx_expect_name(p, "a function's name", token, &name));
    LW_TRY(function_node(p, token, name, f));
    p->function = *f;
    made->name = name->text;
    made->index = (*f)->index;
    made->line = token->line;
    if (ptx_is(p, '(')) LW_TRY(ptx_param_list(p, true, params));
    for (size_t i = 0; i < returns->count; i++) returns->items[i]->scope = *f;
    int32_t next = 0;
    made->return_registers = register_map(p, returns, &next);
    made->param_registers = register_map(p, params, &next);
    made->returns = KEEP(*returns, made->return_count);
    made->params = KEEP(*params, made->param_count);
    return function_directives(p, made);
}

/* .entry or .func: linkage, results, name, parameters, directives, then a body or a semicolon. */
static lw_status function(ptx_parser *p, ptx_linkage linkage, bool is_entry)
{
    ptx_function made = {.is_entry = is_entry, .linkage = linkage}, *f = NULL;
    ptx_variable_list returns = {0}, params = {0};
    ptx_token token;
    ptx_next(p);
    p->function = &made;
    p->registers.count = p->fixups.count = 0;
    LW_TRY(ptx_scope_open(p));
    lw_status status = signature(p, &made, &token, &f, &returns, &params);
    lw_vec_free(&returns);
    lw_vec_free(&params);
    LW_TRY(status);
    made.is_declaration = !ptx_is(p, '{');
    LW_TRY(check_redeclared(p, &token, f, &made));
    if (made.is_declaration) {
        made.registers = KEEP(p->registers, made.register_count);
        LW_TRY(ptx_expect(p, ';'));
    } else {
        LW_TRY(ptx_parse_body(p, &made));
    }
    if (f->is_declaration) *f = made; /* a declaration after the definition says nothing new */
    ptx_scope_drop(p);
    p->function = NULL;
    return LW_OK;
}

/* ---- module directives ---- */
/* "9.0" is one number token; its text is what counts */
enum { NEWEST_MAJOR = 9 };
static lw_status version(ptx_parser *p)
{
    ptx_next(p);
    const char *s = p->token.text, *end = s + p->token.size;
    uint32_t major = 0, minor = 0;
    while (s < end && *s >= '0' && *s <= '9' && major < 100) major = major * 10 + (uint32_t)(*s++ - '0');
    bool ok = p->token.kind == PTX_T_NUMBER && s < end && *s == '.' && end - s == 2 && s[1] >= '0' && s[1] <= '9';
    if (!ok) return ptx_expected(p, "a version such as 9.0");
    if (major > NEWEST_MAJOR) /* minor versions only add; a major one may change what there is */
        return ptx_fail_token(p, &p->token, LW_UNSUPPORTED,
                              "PTX ISA %u.%u is too new: versions up to %d.x are supported", major, minor,
                              NEWEST_MAJOR);
    minor = (uint32_t)(s[1] - '0');
    p->module->version = major * 10 + minor;
    ptx_next(p);
    return LW_OK;
}

/* "sm_90a": true, and the numbers, if the word is one */
static bool target_number(const ptx_token *t, uint32_t *sm, char *suffix)
{
    size_t prefix = 0;
    if (t->size > 3 && !memcmp(t->text, "sm_", 3)) prefix = 3;
    if (t->size > 8 && !memcmp(t->text, "compute_", 8)) prefix = 8;
    size_t i = prefix;
    *sm = 0;
    *suffix = 0;
    if (!prefix) return false;
    for (; i < t->size && t->text[i] >= '0' && t->text[i] <= '9' && *sm < 10000; i++)
        *sm = *sm * 10 + (uint32_t)(t->text[i] - '0');
    if (i + 1 == t->size && (t->text[i] == 'a' || t->text[i] == 'f')) *suffix = t->text[i++];
    return i > prefix && i == t->size;
}

/* .target sm_90a, debug, ... */
static lw_status target(ptx_parser *p)
{
    do {
        uint32_t sm;
        char suffix;
        ptx_next(p);
        if (p->token.kind != PTX_T_NAME) return ptx_expected(p, "a target such as sm_90");
        if (target_number(&p->token, &sm, &suffix)) {
            if (sm >= p->module->sm) p->module->sm_suffix = suffix;
            p->module->sm = LW_MAX(p->module->sm, sm);
        } else if (ptx_is_word(p, "debug")) {
            p->module->debug_target = true;
        } else if (!ptx_is_word(p, "texmode_unified") && !ptx_is_word(p, "texmode_independent") &&
                   !ptx_is_word(p, "map_f64_to_f32")) {
            return ptx_expected(p, "a target such as sm_90");
        }
        ptx_next(p);
    } while (ptx_is(p, ','));
    return LW_OK;
}

static lw_status address_size(ptx_parser *p)
{
    ptx_next(p);
    ptx_token token = p->token;
    uint64_t bits;
    LW_TRY(ptx_expect_number(p, "32 or 64", 64, &bits));
    if (bits != 64) return ptx_fail_token(p, &token, LW_UNSUPPORTED, "only 64-bit addresses are supported");
    return LW_OK;
}

/* .alias name, function; */
static lw_status alias(ptx_parser *p)
{
    ptx_token token, aliasee_token;
    ptx_name *name, *aliasee;
    ptx_next(p);
    LW_TRY(ptx_expect_name(p, "a function's name", &token, &name));
    LW_TRY(ptx_expect(p, ','));
    LW_TRY(ptx_expect_name(p, "a function's name", &aliasee_token, &aliasee));
    const ptx_symbol *s = name->symbol;
    if (!s || s->kind != PTX_S_FUNCTION || !s->function->is_declaration)
        return ptx_fail_token(p, &token, LW_SYNTAX, "an alias must be a declared function without a body");
    lw_vec_push(&p->aliases, ((ptx_alias){s->function, aliasee, aliasee_token}));
    return ptx_expect(p, ';');
}

/* An alias gets the body of its function; name, place and linkage stay its own. */
static lw_status finish_aliases(ptx_parser *p)
{
    for (size_t i = 0; i < p->aliases.count; i++) {
        const ptx_alias *a = &p->aliases.items[i];
        const ptx_symbol *s = a->aliasee->symbol;
        if (!s || s->kind != PTX_S_FUNCTION || s->function->is_declaration || s->function->is_entry)
            return ptx_fail_token(p, &a->token, LW_SYNTAX, "'%s' is not a defined function", a->aliasee->text);
        ptx_function copy = *s->function;
        copy.name = a->alias->name;
        copy.index = a->alias->index;
        copy.line = a->alias->line;
        copy.linkage = a->alias->linkage;
        *a->alias = copy;
    }
    return LW_OK;
}

static lw_status linked(ptx_parser *p)
{
    ptx_linkage linkage = PTX_STATIC;
    for (;;) {
        switch (ptx_directive_of(p, &p->token)) {
        case PTX_D_EXTERN: linkage = PTX_EXTERN; break;
        case PTX_D_VISIBLE: linkage = PTX_VISIBLE; break;
        case PTX_D_WEAK: linkage = PTX_WEAK; break;
        case PTX_D_COMMON: linkage = PTX_COMMON; break;
        case PTX_D_ENTRY: return function(p, linkage, true);
        case PTX_D_FUNC: return function(p, linkage, false);
        default: return ptx_declaration(p, linkage);
        }
        ptx_next(p);
    }
}

/* A directive at module scope. */
static lw_status module_item(ptx_parser *p)
{
    if (ptx_is(p, ';')) return ptx_next(p), LW_OK;
    if (ptx_is(p, '@')) return ptx_skip_line(p), LW_OK; /* "@@DWARF ...", before PTX 2.0 */
    ptx_directive d = ptx_directive_of(p, &p->token);
    if (d != PTX_D_VERSION && !p->module->version) return ptx_expected(p, "'.version', which comes first,");
    switch (d) {
    case PTX_D_VERSION: return version(p);
    case PTX_D_TARGET: return target(p);
    case PTX_D_ADDRESS_SIZE: return address_size(p);
    case PTX_D_FILE: return ptx_parse_file(p);
    case PTX_D_LOC: return ptx_parse_loc(p);
    case PTX_D_SECTION: return ptx_parse_section(p);
    case PTX_D_PRAGMA: return ptx_parse_pragma(p);
    case PTX_D_ALIAS: return alias(p);
    case PTX_D_EXTERN:
    case PTX_D_VISIBLE:
    case PTX_D_WEAK:
    case PTX_D_COMMON:
    case PTX_D_ENTRY:
    case PTX_D_FUNC:
    case PTX_D_CONST:
    case PTX_D_GLOBAL:
    case PTX_D_LOCAL:
    case PTX_D_SHARED:
    case PTX_D_TEX:
    case PTX_D_REG:
    case PTX_D_PARAM: return linked(p);
    default: return ptx_expected(p, "a module directive");
    }
}

static lw_status module_text(ptx_parser *p)
{
    ptx_module *m = p->module;
    while (p->token.kind != PTX_T_END) LW_TRY(module_item(p));
    if (!m->version) return ptx_expected(p, "'.version'");
    if (!m->sm) return ptx_fail_token(p, &p->token, LW_SYNTAX, "the module has no .target sm_NN");
    LW_TRY(finish_aliases(p));
    LW_TRY(ptx_lines_finish(p));
    m->functions = KEEP(p->functions, m->function_count);
    m->variables = KEEP(p->variables, m->variable_count);
    return LW_OK;
}

static void free_parser(ptx_parser *p)
{
    lw_map_free(&p->names);
    lw_vec_free(&p->functions);
    lw_vec_free(&p->variables);
    lw_vec_free(&p->aliases);
    lw_vec_free(&p->registers);
    lw_vec_free(&p->locals);
    lw_vec_free(&p->insns);
    lw_vec_free(&p->labels);
    lw_vec_free(&p->fixups);
    lw_vec_free(&p->line_uses);
    lw_vec_free(&p->files);
    lw_text_free(&p->debug_str);
    free(p->line_slots);
    free(p);
}

lw_status ptx_parse(ptx_module **out, const char *name, const char *text, size_t size, lw_error *error)
{
    *out = NULL;
    while (size && !text[size - 1]) size--; /* fatbins pad with zeros */
    if (!name) name = "<module>";
    if (size > PTX_MAX_TEXT) return lw_fail(error, LW_LIMIT, "%.256s: more than 1 GiB of PTX text", name);
    lw_arena arena = {0};
    ptx_module *m = LW_NEW(&arena, ptx_module);
    m->arena = arena; /* from here on the module owns it */
    m->name = lw_arena_strdup(&m->arena, name);
    m->text = lw_arena_strndup(&m->arena, size ? text : "", size);
    m->text_size = size;
    ptx_parser *p = lw_alloc(sizeof *p);
    p->module = m;
    p->arena = &m->arena;
    p->error = error;
    ptx_names_start(p);
    ptx_lex_start(p);
    lw_status status = module_text(p);
    free_parser(p);
    if (status != LW_OK) {
        ptx_module_free(m);
        return status;
    }
    *out = m;
    return LW_OK;
}
