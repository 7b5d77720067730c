/* names: interned names, symbols, nested scopes.
 *
 * A name is kept once; it points to its innermost declaration, which points to the one it hides. Closing a scope
 * takes its declarations off again. `%r<100>` is one symbol: a register gets an index when it is first used, so a
 * range costs nothing however large it is. Labels may be used before they are declared: such uses wait until their
 * scope closes and move to the scope outside if the name is not declared there (at most PTX_MAX_NESTING times). */
#include "ptx/ptx_priv.h"

#include <stdlib.h>
#include <string.h>

void ptx_names_start(ptx_parser *p)
{
#define PTX_DIRECTIVE(id, text) ptx_intern(p, text, sizeof(text) - 1)->directive = PTX_D_##id;
    PTX_DIRECTIVES(PTX_DIRECTIVE)
#undef PTX_DIRECTIVE
    p->range_depth = -1;
}

ptx_directive ptx_directive_of(ptx_parser *p, const ptx_token *token)
{
    if (token->kind != PTX_T_DOT) return PTX_D_NONE;
    const ptx_name *name = lw_map_get(&p->names, token->text, token->size);
    return name ? name->directive : PTX_D_NONE;
}

/* ---- declaring ---- */
static ptx_symbol *add_symbol(ptx_parser *p, ptx_name *name, ptx_symbol_kind kind, int depth, uint32_t line)
{
    ptx_symbol *s = LW_NEW(p->arena, ptx_symbol);
    s->name = name;
    s->kind = kind;
    s->depth = depth;
    s->line = line;
    s->next_in_scope = p->scopes[depth].symbols;
    p->scopes[depth].symbols = s;
    ptx_symbol **at = kind == PTX_S_RANGE ? &name->range : &name->symbol;
    while (*at && (*at)->depth > depth) at = &(*at)->outer; /* at most one per open scope */
    s->outer = *at;
    *at = s;
    return s;
}

/* The innermost range that holds the name ("%r12" in %r<13>), its number in *number. */
static ptx_symbol *find_range(ptx_parser *p, const ptx_name *name, uint32_t *number)
{
    ptx_symbol *best = NULL;
    uint64_t value = 0, power = 1;
    for (size_t i = name->size; i > 1 && name->size - i < 7; power *= 10) {
        char c = name->text[--i];
        if (c < '0' || c > '9') break;
        value += (uint64_t)(c - '0') * power;
        if (c == '0' && i + 1 < name->size) continue; /* no leading zeros */
        const ptx_name *prefix = lw_map_get(&p->names, name->text, i);
        for (ptx_symbol *s = prefix ? prefix->range : NULL; s; s = s->outer)
            if (value < s->index && (!best || s->depth > best->depth)) {
                best = s;
                *number = (uint32_t)value;
                break;
            }
    }
    return best;
}

uint32_t ptx_add_register(ptx_parser *p, const char *name, ptx_type type, uint32_t vector)
{
    lw_vec_push(&p->registers, ((ptx_register){name, type, vector}));
    return (uint32_t)p->registers.count - 1;
}

ptx_symbol *ptx_lookup(ptx_parser *p, ptx_name *name)
{
    ptx_symbol *s = name->symbol;
    if (p->range_depth < 0 || (s && s->depth >= p->range_depth)) return s;
    uint32_t number = 0;
    ptx_symbol *range = find_range(p, name, &number);
    if (!range || (s && s->depth >= range->depth)) return s;
    s = add_symbol(p, name, PTX_S_REGISTER, range->depth, range->line);
    s->index = ptx_add_register(p, name->text, range->type, range->vector);
    return s;
}

static lw_status check_new(ptx_parser *p, const ptx_token *token, ptx_name *name)
{
    ptx_symbol *s = ptx_lookup(p, name);
    if (s && s->depth == p->depth)
        return ptx_fail_token(p, token, LW_SYNTAX, "'%s' is already declared in this scope, in line %u", name->text,
                              s->line);
    return LW_OK;
}

lw_status ptx_declare(ptx_parser *p, const ptx_token *token, ptx_name *name, ptx_symbol_kind kind, ptx_symbol **out)
{
    LW_TRY(check_new(p, token, name));
    *out = add_symbol(p, name, kind, p->depth, token->line);
    return LW_OK;
}

/* Functions are declared in module scope wherever the parser stands; an earlier symbol of that scope is handed back. */
ptx_symbol *ptx_module_symbol(ptx_parser *p, const ptx_token *token, ptx_name *name, ptx_symbol_kind kind, bool *is_new)
{
    ptx_symbol *s = name->symbol;
    while (s && s->depth > 0) s = s->outer;
    *is_new = !s;
    return s ? s : add_symbol(p, name, kind, 0, token->line);
}

lw_status ptx_declare_range(ptx_parser *p, const ptx_token *token, ptx_name *name, ptx_type type, uint32_t vector,
                            uint32_t count)
{
    if (name->range && name->range->depth == p->depth)
        return ptx_fail_token(p, token, LW_SYNTAX, "'%s<...>' is already declared in this scope, in line %u",
                              name->text, name->range->line);
    ptx_symbol *s = add_symbol(p, name, PTX_S_RANGE, p->depth, token->line);
    s->type = type;
    s->vector = vector;
    s->index = count;
    p->scopes[p->depth].has_ranges = true;
    p->range_depth = p->depth;
    return LW_OK;
}

/* ---- scopes ---- */
lw_status ptx_scope_open(ptx_parser *p)
{
    if (p->depth + 1 >= (int)LW_COUNT(p->scopes))
        return ptx_fail_token(p, &p->token, LW_LIMIT, "scopes nested more than %d deep", PTX_MAX_NESTING);
    p->depth++;
    p->scopes[p->depth] = (ptx_scope){.fixup_start = p->fixups.count};
    return LW_OK;
}

void ptx_scope_drop(ptx_parser *p)
{
    for (ptx_symbol *s = p->scopes[p->depth].symbols; s; s = s->next_in_scope) {
        ptx_symbol **at = s->kind == PTX_S_RANGE ? &s->name->range : &s->name->symbol;
        while (*at != s) at = &(*at)->outer;
        *at = s->outer;
    }
    p->depth--;
    while (p->range_depth > p->depth || (p->range_depth >= 0 && !p->scopes[p->range_depth].has_ranges))
        p->range_depth--;
}

static void resolve(const ptx_fixup *fixup, const ptx_symbol *s)
{
    if (fixup->label) {
        *fixup->label = s->index;
        return;
    }
    ptx_operand *o = fixup->operand;
    if (s->kind == PTX_S_LABEL) {
        o->kind = PTX_OP_LABEL;
        o->imm = s->index;
    } else if (s->kind == PTX_S_TARGETS) {
        o->kind = PTX_OP_TARGETS;
        o->targets = s->targets;
    } else {
        o->kind = PTX_OP_PROTOTYPE;
        o->prototype = s->prototype;
    }
}

static bool is_place(const ptx_symbol *s, bool label_only)
{
    return s->kind == PTX_S_LABEL || (!label_only && (s->kind == PTX_S_TARGETS || s->kind == PTX_S_PROTOTYPE));
}

/* Names of the scope end, and what they hid is in sight again; labels used before they stood there are resolved. */
lw_status ptx_scope_close(ptx_parser *p)
{
    size_t kept = p->scopes[p->depth].fixup_start;
    for (size_t i = kept; i < p->fixups.count; i++) {
        ptx_fixup *f = &p->fixups.items[i];
        const ptx_symbol *s = f->name->symbol;
        if (s && s->depth == p->depth && is_place(s, f->label)) {
            resolve(f, s);
        } else if (p->depth <= 2) {
            ptx_token at = {.kind = PTX_T_NAME, .line = f->line, .column = f->column};
            return ptx_fail_token(p, &at, LW_SYNTAX, f->label ? "undeclared label '%s'" : "undeclared name '%s'",
                                  f->name->text);
        } else {
            p->fixups.items[kept++] = *f;
        }
    }
    p->fixups.count = kept;
    ptx_scope_drop(p);
    return LW_OK;
}
