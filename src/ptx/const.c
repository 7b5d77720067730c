/* const: constant expressions (PTX ISA "Constant Expressions"): integers of 64 bits, signed or unsigned, and f64.
 * Precedence climbing over one token of look-ahead. Integer arithmetic wraps; division by zero is an error. */
#include "ptx/ptx_priv.h"

#include <string.h>

static lw_status ternary(ptx_parser *p, ptx_value *v);

static double as_double(ptx_value v)
{
    double d;
    float f;
    if (v.kind == PTX_V_INT) return v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;
    if (v.kind == PTX_V_F64) return memcpy(&d, &v.bits, sizeof d), d;
    uint32_t bits = (uint32_t)v.bits;
    return memcpy(&f, &bits, sizeof f), (double)f;
}

static ptx_value of_double(double d)
{
    ptx_value v = {.kind = PTX_V_F64};
    memcpy(&v.bits, &d, sizeof d);
    return v;
}

static ptx_value of_int(uint64_t bits, bool is_unsigned) { return (ptx_value){PTX_V_INT, is_unsigned, bits}; }

static bool is_true(ptx_value v) { return v.kind == PTX_V_INT ? v.bits != 0 : as_double(v) != 0; }

/* Of the binary operator at hand, as in C (PTX ISA 9.0: constant expressions); 0: none. */
static int precedence(const ptx_parser *p)
{
    if (p->token.kind != PTX_T_PUNCT) return 0;
    switch (p->token.punct) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case PTX_P_SHL:
    case PTX_P_SHR: return 8;
    case '<':
    case '>':
    case PTX_P_LE:
    case PTX_P_GE: return 7;
    case PTX_P_EQ:
    case PTX_P_NE: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case PTX_P_AND: return 2;
    case PTX_P_OR: return 1;
    default: return 0;
    }
}

/* Constant expressions of floats have + - * / and comparisons. */
static lw_status apply_float(ptx_parser *p, const ptx_token *op, ptx_value a, ptx_value b, ptx_value *out)
{
    double x = as_double(a);
    double y = as_double(b);
    switch (op->punct) {
    case '*': *out = of_double(x * y); return LW_OK;
    case '/': *out = of_double(x / y); return LW_OK;
    case '+': *out = of_double(x + y); return LW_OK;
    case '-': *out = of_double(x - y); return LW_OK;
    case '<': *out = of_int(x < y, false); return LW_OK;
    case '>': *out = of_int(x > y, false); return LW_OK;
    case PTX_P_LE: *out = of_int(x <= y, false); return LW_OK;
    case PTX_P_GE: *out = of_int(x >= y, false); return LW_OK;
    case PTX_P_EQ: *out = of_int(x == y, false); return LW_OK;
    case PTX_P_NE: *out = of_int(x != y, false); return LW_OK;
    default: return ptx_fail_token(p, op, LW_SYNTAX, "this operator only takes integers");
    }
}

static lw_status divide(ptx_parser *p, const ptx_token *op, uint64_t x, uint64_t y, bool u, uint64_t *r)
{
    if (!y) return ptx_fail_token(p, op, LW_SYNTAX, "division by zero in a constant expression");
    bool rest = op->punct == '%';
    if (u) *r = rest ? x % y : x / y;
    else if (y == UINT64_MAX) *r = rest ? 0 : 0 - x; /* INT64_MIN / -1 */
    else *r = (uint64_t)(rest ? (int64_t)x % (int64_t)y : (int64_t)x / (int64_t)y);
    return LW_OK;
}

static uint64_t shift(int punct, ptx_value a, uint64_t n)
{
    if (punct == PTX_P_SHL) return n < 64 ? a.bits << n : 0;
    if (a.is_unsigned) return n < 64 ? a.bits >> n : 0;
    return (uint64_t)((int64_t)a.bits >> (n < 64 ? n : 63));
}

static bool compare(int punct, uint64_t x, uint64_t y, bool u)
{
    bool less = u ? x < y : (int64_t)x < (int64_t)y;
    switch (punct) {
    case '<': return less;
    case '>': return !less && x != y;
    case PTX_P_LE: return less || x == y;
    case PTX_P_GE: return !less;
    case PTX_P_EQ: return x == y;
    default: return x != y;
    }
}

static lw_status apply(ptx_parser *p, const ptx_token *op, ptx_value a, ptx_value b, ptx_value *out)
{
    if (op->punct == PTX_P_AND || op->punct == PTX_P_OR) {
        *out = of_int(op->punct == PTX_P_AND ? is_true(a) && is_true(b) : is_true(a) || is_true(b), false);
        return LW_OK;
    }
    if (a.kind != PTX_V_INT || b.kind != PTX_V_INT) return apply_float(p, op, a, b, out);
    bool u = a.is_unsigned || b.is_unsigned;
    uint64_t x = a.bits, y = b.bits, r = 0;
    switch (op->punct) {
    case '*': r = x * y; break;
    case '/':
    case '%': LW_TRY(divide(p, op, x, y, u, &r)); break;
    case '+': r = x + y; break;
    case '-': r = x - y; break;
    case '&': r = x & y; break;
    case '^': r = x ^ y; break;
    case '|': r = x | y; break;
    case PTX_P_SHL:
    case PTX_P_SHR: r = shift(op->punct, a, y), u = a.is_unsigned; break;
    default: r = compare(op->punct, x, y, u), u = false; break;
    }
    *out = of_int(r, u);
    return LW_OK;
}

/* "(.s64) x" and "(.u64) x", or "(expression)"; the parenthesis is read */
static lw_status parenthesis(ptx_parser *p, ptx_value *v, bool *is_cast)
{
    *is_cast = p->token.kind == PTX_T_DOT;
    if (!*is_cast) {
        LW_TRY(ternary(p, v));
        return ptx_expect(p, ')');
    }
    ptx_type type = ptx_type_find(p->token.text + 1, p->token.size - 1);
    if (type != PTX_S64 && type != PTX_U64) return ptx_expected(p, "'.s64' or '.u64'");
    v->is_unsigned = type == PTX_U64;
    ptx_next(p);
    return ptx_expect(p, ')');
}

static lw_status negate(ptx_value *v)
{
    if (v->kind == PTX_V_INT) v->bits = 0 - v->bits;
    else v->bits ^= v->kind == PTX_V_F32 ? 1u << 31 : 1ull << 63;
    return LW_OK;
}

/* A constant, a parenthesised expression, or an operator or cast in front of one. */
static lw_status unary(ptx_parser *p, ptx_value *v)
{
    ptx_token op = p->token;
    if (op.kind == PTX_T_NUMBER) {
        *v = op.value;
        ptx_next(p);
        return LW_OK;
    }
    if (ptx_is_word(p, "WARP_SZ")) {
        *v = of_int(32, false);
        ptx_next(p);
        return LW_OK;
    }
    if (op.kind != PTX_T_PUNCT || !op.punct || op.punct > 127 || !strchr("+-~!(", op.punct))
        return ptx_expected(p, "a constant");
    ptx_next(p);
    LW_TRY(ptx_enter(p));
    bool is_cast = false, cast_unsigned = false;
    if (op.punct == '(') {
        LW_TRY(parenthesis(p, v, &is_cast));
        cast_unsigned = v->is_unsigned;
    }
    if (op.punct != '(' || is_cast) LW_TRY(unary(p, v));
    ptx_leave(p);
    if (op.punct == '-') return negate(v);
    if (op.punct == '!') *v = of_int(!is_true(*v), false);
    if (op.punct == '~' || is_cast) {
        if (v->kind != PTX_V_INT) return ptx_fail_token(p, &op, LW_SYNTAX, "this operator only takes integers");
        *v = is_cast ? of_int(v->bits, cast_unsigned) : of_int(~v->bits, v->is_unsigned);
    }
    return LW_OK;
}

/* Operators of at least this precedence, to the left first. */
static lw_status binary(ptx_parser *p, int lowest, ptx_value *v)
{
    LW_TRY(unary(p, v));
    for (int level; (level = precedence(p)) >= lowest && level;) {
        ptx_token op = p->token;
        ptx_value right = {0};
        ptx_next(p);
        LW_TRY(ptx_enter(p));
        LW_TRY(binary(p, level + 1, &right));
        ptx_leave(p);
        LW_TRY(apply(p, &op, *v, right, v));
    }
    return LW_OK;
}

static lw_status ternary(ptx_parser *p, ptx_value *v)
{
    LW_TRY(binary(p, 1, v));
    if (!ptx_accept(p, '?')) return LW_OK;
    ptx_value yes = {0}, no = {0};
    LW_TRY(ptx_enter(p));
    LW_TRY(ternary(p, &yes));
    LW_TRY(ptx_expect(p, ':'));
    LW_TRY(ternary(p, &no));
    ptx_leave(p);
    *v = is_true(*v) ? yes : no;
    return LW_OK;
}

lw_status ptx_const(ptx_parser *p, ptx_value *value)
{
    *value = (ptx_value){0};
    return ternary(p, value);
}

lw_status ptx_const_int(ptx_parser *p, ptx_value *value)
{
    ptx_token start = p->token;
    LW_TRY(ptx_const(p, value));
    if (value->kind != PTX_V_INT) return ptx_fail_token(p, &start, LW_SYNTAX, "expected an integer constant");
    return LW_OK;
}

bool ptx_starts_const(const ptx_parser *p)
{
    if (p->token.kind == PTX_T_NUMBER || ptx_is_word(p, "WARP_SZ")) return true;
    return p->token.kind == PTX_T_PUNCT && p->token.punct && p->token.punct < 128 && strchr("+-~!(", p->token.punct);
}
