/* diag: messages that point at the text, and the small steps of the parser that can only fail with one of them. */
#include "ptx/ptx_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXCERPT 160 /* most characters of a line shown under a message */

/* Writes "\n    line\n    ^" for line and column into out. Tabs and control characters become one blank each, so that
 * the caret stands where it should. Long lines are cut around the column. */
static void excerpt(const ptx_module *module, uint32_t line, uint32_t column, char *out, size_t size)
{
    const char *s = module->text, *end = s + module->text_size;
    out[0] = 0;
    for (uint32_t i = 1; i < line && s; i++) {
        s = memchr(s, '\n', (size_t)(end - s));
        if (s) s++;
    }
    if (!s || !line || !column) return;
    const char *stop = memchr(s, '\n', (size_t)(end - s));
    size_t length = (size_t)((stop ? stop : end) - s), first = 0;
    if (length && s[length - 1] == '\r') length--;
    if (column - 1 > length) column = (uint32_t)length + 1;
    if (column > EXCERPT - 20) first = column - (EXCERPT - 20);
    size_t count = LW_MIN(length - first, (size_t)EXCERPT);
    char shown[EXCERPT + 1];
    for (size_t i = 0; i < count; i++) shown[i] = (unsigned char)s[first + i] < 32 ? ' ' : s[first + i];
    shown[count] = 0;
    snprintf(out, size, "\n    %s\n    %*s", shown, (int)(column - first), "^");
}

static lw_status fail_args(const ptx_module *module, uint32_t line, uint32_t column, lw_error *error, lw_status status,
                           const char *format, va_list args)
{
    char message[1200], where[2 * EXCERPT + 64];
    vsnprintf(message, sizeof message, format, args);
    excerpt(module, line, column, where, sizeof where);
    return lw_fail(error, status, "%.256s:%u:%u: %s%s", module->name, line, column, message, where);
}

lw_status ptx_fail_at(const ptx_module *module, uint32_t line, uint32_t column, lw_error *error, lw_status status,
                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_args(module, line, column, error, status, format, args);
    va_end(args);
    return status;
}

lw_status ptx_fail_token(ptx_parser *p, const ptx_token *token, lw_status status, const char *format, ...)
{
    if (token->kind == PTX_T_BAD) /* what the lexer says comes first */
        return ptx_fail_at(p->module, token->line, token->column, p->error, LW_SYNTAX, "%s", token->message);
    va_list args;
    va_start(args, format);
    fail_args(p->module, token->line, token->column, p->error, status, format, args);
    va_end(args);
    return status;
}

lw_status ptx_expected(ptx_parser *p, const char *what)
{
    const ptx_token *t = &p->token;
    if (t->kind == PTX_T_END) return ptx_fail_token(p, t, LW_SYNTAX, "expected %s but the text ends", what);
    return ptx_fail_token(p, t, LW_SYNTAX, "expected %s but found '%.*s'", what, (int)LW_MIN(t->size, (size_t)80),
                          t->text);
}

lw_status ptx_enter(ptx_parser *p)
{
    if (p->nesting >= PTX_MAX_NESTING)
        return ptx_fail_token(p, &p->token, LW_LIMIT, "nested more than %d deep", PTX_MAX_NESTING);
    p->nesting++;
    return LW_OK;
}

bool ptx_is_word(const ptx_parser *p, const char *word)
{
    return p->token.kind == PTX_T_NAME && p->token.size == strlen(word) && !memcmp(p->token.text, word, p->token.size);
}

bool ptx_accept(ptx_parser *p, int punct)
{
    if (!ptx_is(p, punct)) return false;
    ptx_next(p);
    return true;
}

lw_status ptx_expect(ptx_parser *p, int punct)
{
    if (ptx_accept(p, punct)) return LW_OK;
    return ptx_expected(p, (char[4]){'\'', (char)punct, '\'', 0});
}

lw_status ptx_expect_number(ptx_parser *p, const char *what, uint64_t max, uint64_t *value)
{
    *value = 0;
    if (p->token.kind != PTX_T_NUMBER || p->token.value.kind != PTX_V_INT) return ptx_expected(p, what);
    if (p->token.value.bits > max)
        return ptx_fail_token(p, &p->token, LW_LIMIT, "%s is too large: at most %llu is possible", what,
                              (unsigned long long)max);
    *value = p->token.value.bits;
    ptx_next(p);
    return LW_OK;
}

lw_status ptx_expect_name(ptx_parser *p, const char *what, ptx_token *token, ptx_name **name)
{
    if (p->token.kind != PTX_T_NAME) return ptx_expected(p, what);
    *token = p->token;
    *name = ptx_intern(p, token->text, token->size);
    ptx_next(p);
    return LW_OK;
}
