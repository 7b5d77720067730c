/* lexer: PTX text -> tokens, one at a time.
 *
 * Identifiers are [A-Za-z][A-Za-z0-9_$]* or [_$%][A-Za-z0-9_$]+ ("_" alone is the sink). ".name" is one token.
 * Numbers carry their value: decimal, 0x, octal, 0b, each with an optional U; 0f and 0d with the bits of a float;
 * decimal floats. A mnemonic is read as one piece, because ".2d" or "shared::cta" are words only inside of one. */
#include "ptx/ptx_priv.h"

#include <stdlib.h>
#include <string.h>

enum { START = 1, WORD = 2, DIGIT = 4, SPACE = 8, HEX = 16 };

static inline unsigned class_of(char c)
{
    static const uint8_t classes[256] = {
        ['0' ... '9'] = WORD | DIGIT | HEX,
        ['A' ... 'F'] = START | WORD | HEX,
        ['a' ... 'f'] = START | WORD | HEX,
        ['G' ... 'Z'] = START | WORD,
        ['g' ... 'z'] = START | WORD,
        ['_'] = START | WORD,
        ['$'] = START | WORD,
        [' '] = SPACE,
        ['\t'] = SPACE,
        ['\r'] = SPACE,
        ['\v'] = SPACE,
        ['\f'] = SPACE,
    };
    return classes[(unsigned char)c];
}

void ptx_lex_start(ptx_parser *p)
{
    p->at = p->line_start = p->module->text;
    p->end = p->at + p->module->text_size;
    p->line = 1;
    ptx_next(p);
}

static void new_line(ptx_parser *p)
{
    p->line++;
    p->line_start = p->at;
}

/* Skips a comment that starts at p->at; false, and nothing is skipped, if it never ends. */
static bool skip_comment(ptx_parser *p)
{
    const char *start = p->at, *line_start = p->line_start;
    uint32_t line = p->line;
    if (p->at[1] == '/') {
        const char *eol = memchr(p->at, '\n', (size_t)(p->end - p->at));
        p->at = eol ? eol : p->end;
        return true;
    }
    const char *s = p->at + 2;
    for (; s < p->end; s++) {
        if (*s == '*' && s[1] == '/') {
            p->at = s + 2;
            return true;
        }
        if (*s == '\n') {
            p->at = s + 1;
            new_line(p);
        }
    }
    p->at = start;
    p->line_start = line_start;
    p->line = line;
    return false;
}

/* Skips blanks and comments; false at a comment without end. The text has a NUL at its end, so s[1] is always there. */
static bool skip_space(ptx_parser *p)
{
    for (;;) {
        char c = *p->at;
        if (class_of(c) & SPACE) {
            p->at++;
        } else if (c == '\n') {
            p->at++;
            new_line(p);
        } else if (c == '/' && (p->at[1] == '/' || p->at[1] == '*')) {
            if (!skip_comment(p)) return false;
        } else {
            return true;
        }
    }
}

static const char *skip_class(const char *s, unsigned class)
{
    while (class_of(*s) & class) s++;
    return s;
}

static void bad(ptx_token *t, const char *message)
{
    t->kind = PTX_T_BAD;
    t->message = message;
}

/* 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX */
static const char *float_bits(ptx_token *t, const char *s, size_t digits)
{
    const char *stop = skip_class(s, HEX);
    if ((size_t)(stop - s) != digits)
        bad(t, digits == 8 ? "a 0f constant has exactly 8 hexadecimal digits"
                           : "a 0d constant has exactly 16 hexadecimal digits");
    else t->value = (ptx_value){digits == 8 ? PTX_V_F32 : PTX_V_F64, false, strtoull(s, NULL, 16)};
    return stop;
}

static int digit_value(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

static const char *integer(ptx_token *t, const char *s, unsigned base)
{
    uint64_t value = 0;
    bool overflow = false;
    const char *first = s;
    for (; class_of(*s) & HEX && (unsigned)digit_value(*s) < base; s++)
        overflow |= __builtin_mul_overflow(value, base, &value) ||
                    __builtin_add_overflow(value, (unsigned)digit_value(*s), &value);
    t->value = (ptx_value){PTX_V_INT, value > INT64_MAX, value};
    if (*s == 'U' || *s == 'u') {
        t->value.is_unsigned = true;
        s++;
    }
    if (s == first) bad(t, "a number without digits");
    else if (overflow) bad(t, "an integer of more than 64 bits");
    return s;
}

/* digits [. digits] [e [+-] digits]; the copy keeps strtod inside of a number however long it is */
static const char *decimal_float(ptx_token *t, const char *s)
{
    const char *stop = skip_class(s, DIGIT);
    if (*stop == '.') stop = skip_class(stop + 1, DIGIT);
    if (*stop == 'e' || *stop == 'E') {
        const char *e = stop + 1 + (stop[1] == '+' || stop[1] == '-');
        if (class_of(*e) & DIGIT) stop = skip_class(e, DIGIT);
    }
    char copy[512];
    size_t n = (size_t)(stop - s);
    if (n >= sizeof copy) {
        bad(t, "a number of more than 511 characters");
        return stop;
    }
    memcpy(copy, s, n);
    copy[n] = 0;
    double value = strtod(copy, NULL);
    t->value = (ptx_value){.kind = PTX_V_F64};
    memcpy(&t->value.bits, &value, sizeof value);
    return stop;
}

static void number(ptx_parser *p, ptx_token *t)
{
    const char *s = p->at, *after = skip_class(s, DIGIT);
    t->kind = PTX_T_NUMBER;
    if (*s == '0' && (s[1] | 32) == 'x') s = integer(t, s + 2, 16);
    else if (*s == '0' && (s[1] | 32) == 'f') s = float_bits(t, s + 2, 8);
    else if (*s == '0' && (s[1] | 32) == 'd') s = float_bits(t, s + 2, 16);
    else if (*s == '0' && (s[1] | 32) == 'b') s = integer(t, s + 2, 2);
    else if (*after == '.' || (*after | 32) == 'e') s = decimal_float(t, s);
    else s = integer(t, s, *s == '0' ? 8 : 10);
    if (class_of(*s) & WORD && t->kind != PTX_T_BAD) bad(t, "a malformed number");
    p->at = skip_class(s, WORD);
}

static void string(ptx_parser *p, ptx_token *t)
{
    const char *s = ++p->at;
    while (s < p->end && *s != '"' && *s != '\n') s += *s == '\\' && s + 1 < p->end && s[1] != '\n' ? 2 : 1;
    t->kind = PTX_T_STRING;
    t->text = p->at;
    t->size = (size_t)(s - p->at);
    if (*s != '"' || s >= p->end) bad(t, "a string that does not end on its line");
    p->at = s < p->end && *s == '"' ? s + 1 : s;
}

static void punctuation(ptx_parser *p, ptx_token *t)
{
    static const struct {
        char text[3];
        int punct;
    } pairs[] = {{"<<", PTX_P_SHL}, {">>", PTX_P_SHR}, {"<=", PTX_P_LE},  {">=", PTX_P_GE},
                 {"==", PTX_P_EQ},  {"!=", PTX_P_NE},  {"&&", PTX_P_AND}, {"||", PTX_P_OR}};
    t->kind = PTX_T_PUNCT;
    t->punct = (unsigned char)*p->at;
    p->at++;
    for (size_t i = 0; i < LW_COUNT(pairs); i++)
        if (pairs[i].text[0] == (char)t->punct && pairs[i].text[1] == *p->at) {
            t->punct = pairs[i].punct;
            p->at++;
            break;
        }
    if (!t->punct || (t->punct < 256 && !strchr("!@()[]{}<>,;:=|+-*/%&^~?", t->punct))) bad(t, "a stray character");
}

/* The next token; the one before is lost. */
void ptx_next(ptx_parser *p)
{
    ptx_token *t = &p->token;
    bool ended = skip_space(p);
    *t = (ptx_token){.text = p->at, .line = p->line, .column = (uint32_t)(p->at - p->line_start) + 1};
    if (!ended) {
        bad(t, "a comment that does not end");
        return;
    }
    if (p->at >= p->end) return;
    unsigned class = class_of(*p->at);
    if (class & START || (*p->at == '%' && class_of(p->at[1]) & WORD)) {
        t->kind = PTX_T_NAME;
        p->at = skip_class(p->at + 1, WORD);
    } else if (*p->at == '.' && class_of(p->at[1]) & WORD) {
        t->kind = PTX_T_DOT;
        p->at = skip_class(p->at + 1, WORD);
        if (class_of(t->text[1]) & DIGIT) bad(t, "a directive does not start with a digit");
    } else if (class & DIGIT) {
        number(p, t);
    } else if (*p->at == '"') {
        string(p, t);
        return;
    } else {
        punctuation(p, t);
    }
    t->size = (size_t)(p->at - t->text);
}

bool ptx_at_label(ptx_parser *p)
{
    const char *at = p->at, *line_start = p->line_start;
    uint32_t line = p->line;
    bool ended = skip_space(p), label = ended && *p->at == ':' && p->at[1] != ':';
    p->at = at;
    p->line_start = line_start;
    p->line = line;
    return label;
}

/* End of the words that are joined without blanks: ld.shared::cta.b32 */
static const char *mnemonic_end(const char *s)
{
    for (;;) {
        if (class_of(*s) & WORD) s++;
        else if (*s == '.' && class_of(s[1]) & WORD) s += 2;
        else if (*s == ':' && s[1] == ':' && class_of(s[2]) & WORD) s += 3;
        else return s;
    }
}

/* "ld .global .u32" is the same as "ld.global.u32" */
static const char *spaced_mnemonic(ptx_parser *p, const char *start)
{
    lw_text text = {0};
    lw_text_append(&text, start, (size_t)(p->at - start));
    while (skip_space(p) && *p->at == '.' && class_of(p->at[1]) & WORD) {
        const char *stop = mnemonic_end(p->at);
        lw_text_append(&text, p->at, (size_t)(stop - p->at));
        p->at = stop;
    }
    const char *name = ptx_intern(p, text.data, text.size)->text;
    lw_text_free(&text);
    return name;
}

/* The whole mnemonic up to a blank, kept once per module: equal ones have one address. */
const char *ptx_lex_mnemonic(ptx_parser *p)
{
    const char *start = p->token.text;
    p->at = mnemonic_end(start);
    size_t size = (size_t)(p->at - start);
    const char *name, *line_start = p->line_start;
    uint32_t line = p->line;
    if (skip_space(p) && *p->at == '.') {
        p->at = start + size;
        p->line = line;
        p->line_start = line_start;
        name = spaced_mnemonic(p, start);
    } else {
        name = ptx_intern(p, start, size)->text;
    }
    ptx_next(p);
    return name;
}

void ptx_skip_line(ptx_parser *p)
{
    const char *eol = memchr(p->at, '\n', (size_t)(p->end - p->at));
    p->at = eol ? eol : p->end;
    ptx_next(p);
}
