/* init: initialisers of .global and .const variables: numbers, addresses and nested braces, as in C.
 *
 *   = 5    = {1, 2, {3}}    = generic(x)+8    = {f, x+4}    = {0xFF(x), 0xFF00(x), ...}   (one byte of an address each)
 *
 * Values are stored little-endian in a growing buffer; what is not named is zero. Addresses are recorded beside it. */
#include "ptx/ptx_priv.h"

#include <stdlib.h>
#include <string.h>

typedef struct init {
    ptx_variable *variable;
    uint32_t element;                         /* bytes */
    uint64_t strides[PTX_MAX_DIMENSIONS + 2]; /* bytes that the braces of each level cover; level 0 is the whole */
    int deepest;                              /* innermost level that may have braces */
    uint64_t limit;                           /* bytes of the variable; of an unsized one, what can be kept */
    uint64_t end;                             /* highest byte named */
    LW_VEC(uint8_t) bytes;
    LW_VEC(ptx_init_address) addresses;
} init;

/* One element at offset; the image grows as values come, so that a large array with a short list stays small. */
static lw_status put(ptx_parser *p, init *in, const ptx_token *at, uint64_t offset, const void *value)
{
    if (offset > in->limit || in->element > in->limit - offset)
        return ptx_fail_token(p, at, LW_SYNTAX, "more values than '%s' has elements", in->variable->name);
    uint64_t end = offset + in->element;
    if (end > PTX_MAX_INIT_BYTES)
        return ptx_fail_token(p, at, LW_LIMIT, "initialised variables of more than %llu bytes",
                              (unsigned long long)PTX_MAX_INIT_BYTES);
    if (end > in->bytes.count) {
        lw_vec_reserve(&in->bytes, end);
        memset(in->bytes.items + in->bytes.count, 0, end - in->bytes.count);
        in->bytes.count = end;
    }
    memcpy(in->bytes.items + offset, value, in->element);
    in->end = LW_MAX(in->end, end);
    return LW_OK;
}

/* ---- numbers ---- */
static double value_of_bits(ptx_value v)
{
    double d = 0;
    float f;
    uint32_t bits = (uint32_t)v.bits;
    if (v.kind == PTX_V_INT) return v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;
    if (v.kind == PTX_V_F32) return memcpy(&f, &bits, sizeof f), (double)f;
    return memcpy(&d, &v.bits, sizeof d), d;
}

static lw_status put_number(ptx_parser *p, init *in, const ptx_token *at, uint64_t offset, ptx_value v)
{
    ptx_type type = in->variable->type;
    if (in->element > 8)
        return ptx_fail_token(p, at, LW_UNSUPPORTED, "initialisers of .%s are not supported", ptx_type_name(type));
    if (type == PTX_F32) {
        float f = (float)value_of_bits(v);
        uint32_t bits = (uint32_t)v.bits; /* 0f constants keep their bits, NaN payloads too */
        return put(p, in, at, offset, v.kind == PTX_V_F32 ? (void *)&bits : (void *)&f);
    }
    if (type == PTX_F64) {
        double d = value_of_bits(v);
        return put(p, in, at, offset, v.kind == PTX_V_F64 ? (void *)&v.bits : (void *)&d);
    }
    bool fits = v.kind == PTX_V_INT || (ptx_type_class(type) == 'B' && in->element == (v.kind == PTX_V_F32 ? 4 : 8));
    if (!fits)
        return ptx_fail_token(p, at, LW_SYNTAX, "a floating-point value for a variable of type .%s",
                              ptx_type_name(type));
    return put(p, in, at, offset, &v.bits);
}

/* ---- addresses ---- */
static lw_status addend(ptx_parser *p, int64_t *sum)
{
    if (!ptx_is(p, '+') && !ptx_is(p, '-')) return LW_OK;
    ptx_value v;
    LW_TRY(ptx_const_int(p, &v)); /* its first + or - reads as a sign */
    *sum = (int64_t)((uint64_t)*sum + v.bits);
    return LW_OK;
}

/* name, generic(name), each with an addend */
static lw_status symbol(ptx_parser *p, ptx_init_address *a)
{
    ptx_token token;
    ptx_name *name;
    LW_TRY(ptx_expect_name(p, "a number or a name", &token, &name));
    if (ptx_is(p, '(') && token.size == 7 && !memcmp(token.text, "generic", 7) && !a->generic) {
        ptx_next(p);
        a->generic = true;
        LW_TRY(symbol(p, a));
        LW_TRY(ptx_expect(p, ')'));
        return addend(p, &a->addend);
    }
    const ptx_symbol *s = ptx_lookup(p, name);
    if (!s) return ptx_fail_token(p, &token, LW_SYNTAX, "undeclared name '%s'", name->text);
    if (s->kind == PTX_S_VARIABLE) a->variable = s->variable;
    else if (s->kind == PTX_S_FUNCTION) a->function = s->function;
    else return ptx_fail_token(p, &token, LW_SYNTAX, "'%s' has no address", name->text);
    return addend(p, &a->addend);
}

static lw_status put_address(ptx_parser *p, init *in, const ptx_token *at, ptx_init_address *a, uint64_t offset,
                             bool masked)
{
    if (!masked && in->element != 8 && in->element != 4)
        return ptx_fail_token(p, at, LW_SYNTAX, "an address does not fit into type .%s",
                              ptx_type_name(in->variable->type));
    if (ptx_type_class(in->variable->type) == 'F')
        return ptx_fail_token(p, at, LW_SYNTAX, "an address in a floating-point variable");
    a->offset = offset;
    LW_TRY(put(p, in, at, offset, &(uint64_t){0}));
    lw_vec_push(&in->addresses, *a);
    return LW_OK;
}

/* 0xFF00(name): the number is read, and p is at '(' */
static lw_status mask(ptx_parser *p, init *in, const ptx_token *at, uint64_t offset)
{
    uint64_t bits = at->value.bits;
    ptx_init_address a = {.bytes = 1, .shift = bits ? (uint32_t)__builtin_ctzll(bits) : 0};
    if (at->value.kind != PTX_V_INT || a.shift % 8 || bits >> a.shift != 0xFF || in->element != 1)
        return ptx_fail_token(p, at, LW_SYNTAX,
                              "a mask must select one byte, as in 0xFF00(name), for an 8-bit variable");
    ptx_next(p);
    LW_TRY(symbol(p, &a));
    LW_TRY(ptx_expect(p, ')'));
    LW_TRY(addend(p, &a.addend));
    return put_address(p, in, at, &a, offset, true);
}

/* The current token is a number that '(' follows at once */
static bool at_mask(const ptx_parser *p)
{
    const char *s = p->at;
    while (*s == ' ' || *s == '\t') s++;
    return p->token.kind == PTX_T_NUMBER && *s == '(';
}

/* A number, or the address of a variable or function with an offset or a mask. */
static lw_status scalar(ptx_parser *p, init *in, uint64_t offset)
{
    ptx_token at = p->token;
    if (at_mask(p)) {
        ptx_next(p);
        return mask(p, in, &at, offset);
    }
    if (ptx_starts_const(p)) {
        ptx_value v;
        LW_TRY(ptx_const(p, &v));
        return put_number(p, in, &at, offset, v);
    }
    ptx_init_address a = {.bytes = in->element};
    LW_TRY(symbol(p, &a));
    return put_address(p, in, &at, &a, offset, false);
}

/* The values between the braces of one level, which covers the bytes from start. */
static lw_status values(ptx_parser *p, init *in, int level, uint64_t start)
{
    uint64_t cursor = start, step = in->strides[level + 1];
    uint64_t end = level ? start + in->strides[level] : in->limit;
    LW_TRY(ptx_expect(p, '{'));
    LW_TRY(ptx_enter(p));
    while (!ptx_is(p, '}')) {
        ptx_token at = p->token;
        bool nested = ptx_is(p, '{');
        if (nested && level == in->deepest) return ptx_fail_token(p, &at, LW_SYNTAX, "more braces than dimensions");
        if (nested && step) cursor = start + lw_round_up(cursor - start, step);
        uint64_t size = nested ? step : in->element;
        if (cursor > end || size > end - cursor)
            return ptx_fail_token(p, &at, LW_SYNTAX, "more values than '%s' has elements", in->variable->name);
        LW_TRY(nested ? values(p, in, level + 1, cursor) : scalar(p, in, cursor));
        cursor += size;
        in->end = LW_MAX(in->end, cursor);
        if (!ptx_accept(p, ',')) break;
    }
    ptx_leave(p);
    return ptx_expect(p, '}');
}

static void finish(ptx_parser *p, init *in)
{
    ptx_variable *v = in->variable;
    uint8_t *bytes = lw_arena_alloc(p->arena, v->bytes ? v->bytes : 1);
    if (in->bytes.count) memcpy(bytes, in->bytes.items, LW_MIN(in->bytes.count, v->bytes));
    v->init = bytes;
    v->address_count = in->addresses.count;
    if (in->addresses.count) {
        size_t size = in->addresses.count * sizeof in->addresses.items[0];
        v->addresses = memcpy(lw_arena_alloc(p->arena, size), in->addresses.items, size);
    }
}

static lw_status parse(ptx_parser *p, init *in, const ptx_token *name, const ptx_shape *shape)
{
    ptx_variable *v = in->variable;
    if (ptx_is(p, '{')) LW_TRY(values(p, in, 0, 0));
    else if (shape->count || v->vector > 1) return ptx_expected(p, "'{'");
    else LW_TRY(scalar(p, in, 0));
    if (shape->unsized) v->bytes = lw_round_up(in->end, in->strides[1]);
    if (v->bytes > PTX_MAX_INIT_BYTES - p->init_bytes)
        return ptx_fail_token(p, name, LW_LIMIT, "initialised variables of more than %llu bytes",
                              (unsigned long long)PTX_MAX_INIT_BYTES);
    p->init_bytes += v->bytes;
    return LW_OK;
}

lw_status ptx_initialiser(ptx_parser *p, const ptx_token *name, ptx_variable *variable, const ptx_shape *shape)
{
    init in = {.variable = variable, .element = ptx_type_bytes(variable->type)};
    if (variable->type == PTX_TEXREF || variable->type == PTX_SAMPLERREF || variable->type == PTX_SURFREF)
        return ptx_fail_token(p, &p->token, LW_UNSUPPORTED, "initialisers of .%s are not supported",
                              ptx_type_name(variable->type));
    int last = shape->count;
    in.deepest = LW_MAX(last - 1 + (variable->vector > 1), 0);
    in.strides[last + 1] = in.element;
    in.strides[last] = (uint64_t)in.element * variable->vector;
    for (int i = last; i-- > 0;) in.strides[i] = in.strides[i + 1] * shape->dims[i];
    in.limit = shape->unsized ? PTX_MAX_INIT_BYTES : variable->bytes;
    if (shape->unsized && !in.strides[1]) return ptx_fail_token(p, name, LW_SYNTAX, "an open array of empty elements");
    lw_status status = parse(p, &in, name, shape);
    if (status == LW_OK) finish(p, &in);
    lw_vec_free(&in.bytes);
    lw_vec_free(&in.addresses);
    return status;
}
