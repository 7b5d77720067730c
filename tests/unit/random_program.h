/* random_program.h: random kernels as trees, made from a seed (test_random.c). */
#ifndef LW_TESTS_RANDOM_PROGRAM_H
#define LW_TESTS_RANDOM_PROGRAM_H

#include "base/base.h"

#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef uint16_t u16;

enum { BLOCKS = 6, MOST_THREADS = 96, SLOTS = 64, FIRST_STORE = 44, LOCAL_WORDS = 16, BINS = 8, FUNCTIONS = 4 };

/* ---------------------------------------------------------------- operations */
/* Classes of registers: 32, 64, 16 bits, predicates. I: an immediate that is not 0. */
enum { V, W, H, P, I, N, CLASSES = 4 };
enum { REGISTERS = 24 };
static const u32 class_registers[CLASSES] = {REGISTERS, 7, 5, 5};
static const char class_letter[] = "vwhp";

static u64 reversed(u64 x)
{
    u64 r = 0;
    for (int k = 0; k < 32; k++) r |= (x >> k & 1) << (31 - k);
    return r;
}
static u64 shifted_left(u64 a, u64 n, u32 bits) { return n >= bits ? 0 : a << n; }
static u64 shifted_right(u64 a, u64 n, u32 bits) { return n >= bits ? 0 : a >> n; }
static u64 funnel(u64 a, u64 b, u64 n) { return ((b << 32 | a) << (n & 31)) >> 32; }

/* text (with "{" where the sources are packed), what follows the operands, classes of the result and the sources, value
 */
#define OPERATIONS(OP)                                                                                                 \
    OP("add.u32", "", V, V, V, N, a + b)                                                                               \
    OP("sub.s32", "", V, V, V, N, a - b)                                                                               \
    OP("mul.lo.u32", "", V, V, V, N, a *b)                                                                             \
    OP("mul.hi.u32", "", V, V, V, N, a *b >> 32)                                                                       \
    OP("mad.lo.u32", "", V, V, V, V, a *b + c)                                                                         \
    OP("div.u32", "", V, V, I, N, a / b)                                                                               \
    OP("rem.u32", "", V, V, I, N, a % b)                                                                               \
    OP("and.b32", "", V, V, V, N, a &b)                                                                                \
    OP("or.b32", "", V, V, V, N, a | b)                                                                                \
    OP("xor.b32", "", V, V, V, N, a ^ b)                                                                               \
    OP("not.b32", "", V, V, N, N, ~a)                                                                                  \
    OP("neg.s32", "", V, V, N, N, -a)                                                                                  \
    OP("shl.b32", "", V, V, V, N, shifted_left(a, b, 32))                                                              \
    OP("shr.u32", "", V, V, V, N, shifted_right(a, b, 32))                                                             \
    OP("shr.s32", "", V, V, V, N, (u64)((int64_t)(int32_t)a >> (b > 31 ? 31 : b)))                                     \
    OP("min.u32", "", V, V, V, N, a < b ? a : b)                                                                       \
    OP("max.s32", "", V, V, V, N, (int32_t)a > (int32_t)b ? a : b)                                                     \
    OP("popc.b32", "", V, V, N, N, (u64)__builtin_popcountll(a))                                                       \
    OP("clz.b32", "", V, V, N, N, a ? (u64)__builtin_clzll(a) - 32 : 32)                                               \
    OP("brev.b32", "", V, V, N, N, reversed(a))                                                                        \
    OP("lop3.b32", ", 0x96", V, V, V, V, a ^ b ^ c)                                                                    \
    OP("bfe.u32", ", 5, 7", V, V, N, N, a >> 5 & 127)                                                                  \
    OP("shf.l.wrap.b32", "", V, V, V, V, funnel(a, b, c))                                                              \
    OP("selp.b32", "", V, V, V, P, c ? a : b)                                                                          \
    OP("add.u64", "", W, W, W, N, a + b)                                                                               \
    OP("sub.u64", "", W, W, W, N, a - b)                                                                               \
    OP("mul.lo.u64", "", W, W, W, N, a *b)                                                                             \
    OP("xor.b64", "", W, W, W, N, a ^ b)                                                                               \
    OP("min.s64", "", W, W, W, N, (int64_t)a < (int64_t)b ? a : b)                                                     \
    OP("shl.b64", "", W, W, V, N, shifted_left(a, b, 64))                                                              \
    OP("shr.u64", "", W, W, V, N, shifted_right(a, b, 64))                                                             \
    OP("mul.wide.u32", "", W, V, V, N, a *b)                                                                           \
    OP("mov.b64{", "", W, V, V, N, b << 32 | a)                                                                        \
    OP("selp.b64", "", W, W, W, P, c ? a : b)                                                                          \
    OP("add.u16", "", H, H, H, N, a + b)                                                                               \
    OP("sub.u16", "", H, H, H, N, a - b)                                                                               \
    OP("mul.lo.u16", "", H, H, H, N, a *b)                                                                             \
    OP("max.u16", "", H, H, H, N, a > b ? a : b)                                                                       \
    OP("min.s16", "", H, H, H, N, (int16_t)a < (int16_t)b ? a : b)                                                     \
    OP("cvt.u32.u64", "", V, W, N, N, a)                                                                               \
    OP("cvt.u64.u32", "", W, V, N, N, a)                                                                               \
    OP("cvt.s64.s32", "", W, V, N, N, (u64)(int64_t)(int32_t)a)                                                        \
    OP("cvt.u16.u32", "", H, V, N, N, a)                                                                               \
    OP("cvt.u32.u16", "", V, H, N, N, a)                                                                               \
    OP("cvt.s32.s16", "", V, H, N, N, (u64)(int64_t)(int16_t)a)                                                        \
    OP("setp.eq.u32", "", P, V, V, N, a == b)                                                                          \
    OP("setp.lt.s32", "", P, V, V, N, (int32_t)a < (int32_t)b)                                                         \
    OP("setp.ge.u32", "", P, V, V, N, a >= b)                                                                          \
    OP("setp.gt.and.u32", "", P, V, V, P, a > b && c)                                                                  \
    OP("setp.ne.or.s32", "", P, V, V, P, a != b || c)                                                                  \
    OP("setp.lt.u64", "", P, W, W, N, a < b)                                                                           \
    OP("setp.le.s16", "", P, H, H, N, (int16_t)a <= (int16_t)b)                                                        \
    OP("and.pred", "", P, P, P, N, a &b)                                                                               \
    OP("xor.pred", "", P, P, P, N, a ^ b)                                                                              \
    OP("not.pred", "", P, P, N, N, !a)

typedef struct operation {
    const char *text, *suffix;
    uint8_t result, source[3];
} operation;
static const operation operations[] = {
#define OP(text, suffix, d, a, b, c, value) {text, suffix, d, {a, b, c}},
    OPERATIONS(OP)
#undef OP
};

static u64 evaluate(u32 op, u64 a, u64 b, u64 c)
{
    enum { BASE = __COUNTER__ + 1 };
    switch (op) {
#define OP(text, suffix, d, s0, s1, s2, value)                                                                         \
    case __COUNTER__ - BASE: return (void)a, (void)b, (void)c, (u64)(value);
        OPERATIONS(OP)
#undef OP
    default: return 0;
    }
}

static u64 narrowed(u64 x, u32 class)
{
    return class == V || class == I ? (u32)x : class == H ? (u16)x : class == P ? x & 1 : x;
}

/* Registers start from two values, so that lanes differ. */
static u64 start_value(u32 class, u32 k, u64 a, u64 b)
{
    return narrowed(class == P ? (a >> (k & 31) ^ b) & 1 : a * (2 * k + 1) + b * (k + 3) + 17 * k, class);
}

/* ---------------------------------------------------------------- the tree */
typedef enum kind {
    ASSIGN,
    BRANCH,
    LOOP,
    SWITCH,
    BREAK_IF,
    CONTINUE_IF,
    CALL,
    CALL_INDIRECT,
    RETURN_IF,
    EXIT_IF,
    STORE,
    LOCAL_STORE,
    LOCAL_LOAD,
    COUNT, /* by each thread for itself */
    SHUFFLE,
    BALLOT,
    VOTE,
    EXCHANGE,
    REDUCE,
    READ_BINS /* by all threads together */
} kind;

typedef struct operand {
    bool immediate;
    u64 value; /* or the number of a register */
} operand;

typedef struct statement {
    kind kind;
    u32 op, dst, number;
    operand source[3];
    int guard; /* predicate, or -1 */
    /* flag: loops: tested at the end; switches: case k falls through when bit k of number is set */
    bool negated, flag;
    struct statement *body[4], *next;
} statement;

typedef struct function {
    statement *body;
    bool recursive;
} function;

typedef struct program {
    lw_arena arena;
    u64 seed;
    u32 threads;
    statement *body;
    function functions[FUNCTIONS];
    u32 labels;
} program;

/* ---------------------------------------------------------------- making programs */
typedef struct maker {
    program *p;
    u64 random;
    int function; /* being made: calls only those before it; -1: the kernel */
    u32 loops;    /* around this place */
    bool may_exit, convergent;
} maker;

static u32 dice(maker *m, u32 sides)
{
    m->random ^= m->random << 13, m->random ^= m->random >> 7, m->random ^= m->random << 17;
    return (u32)(m->random >> 33) % sides;
}

static operand any_operand(maker *m, u32 class, bool immediates)
{
    if (class == I) return (operand){true, 1 + dice(m, 1000)};
    if (class != P && immediates && !dice(m, 4)) return (operand){true, dice(m, 3) ? dice(m, 40) : dice(m, 30000)};
    return (operand){false, dice(m, class_registers[class])};
}

static statement *new_statement(maker *m, kind k)
{
    statement *s = LW_NEW(&m->p->arena, statement);
    s->kind = k;
    s->guard = -1;
    s->dst = dice(m, REGISTERS);
    for (int n = 0; n < 3; n++) s->source[n] = any_operand(m, V, false);
    return s;
}

static void assign_operation(maker *m, statement *s)
{
    s->op = dice(m, LW_COUNT(operations));
    const operation *o = &operations[s->op];
    s->dst = dice(m, class_registers[o->result]);
    for (u32 k = 0; k < 3 && o->source[k] != N; k++) s->source[k] = any_operand(m, o->source[k], k > 0);
    if (!dice(m, 4)) s->guard = (int)dice(m, class_registers[P]), s->negated = dice(m, 2);
}

static statement *make_list(maker *m, u32 count, u32 depth);

static void conditional(maker *m, statement *s)
{
    s->guard = (int)dice(m, class_registers[P]);
    s->negated = dice(m, 2);
}

static void make_nested(maker *m, statement *s, u32 depth)
{
    bool convergent = m->convergent;
    m->convergent = false;
    u32 bodies = s->kind == SWITCH ? 4 : s->kind == BRANCH ? 1 + dice(m, 2) : 1;
    if (s->kind == LOOP) m->loops++;
    for (u32 k = 0; k < bodies; k++) s->body[k] = make_list(m, 1 + dice(m, 4), depth - 1);
    if (s->kind == LOOP) m->loops--;
    if (s->kind == BRANCH) conditional(m, s);
    s->flag = dice(m, 2);
    s->number = dice(m, 16);
    m->convergent = convergent;
}

static kind pick_kind(maker *m, u32 depth)
{
    static const kind collectives[] = {SHUFFLE, BALLOT, VOTE, EXCHANGE, REDUCE};
    u32 callable = m->function < 0 ? FUNCTIONS : (u32)m->function;
    switch (dice(m, 16)) {
    case 0:
    case 1: return depth ? BRANCH : ASSIGN;
    case 2: return depth && m->loops < 2 ? LOOP : ASSIGN;
    case 3: return depth ? SWITCH : ASSIGN;
    case 4: return m->loops ? BREAK_IF : ASSIGN;
    case 5: return m->loops ? CONTINUE_IF : ASSIGN;
    case 6: return callable ? CALL : ASSIGN;
    case 7: return callable > 1 ? CALL_INDIRECT : ASSIGN;
    case 8: return m->function >= 0 ? RETURN_IF : m->may_exit && !dice(m, 4) ? EXIT_IF : STORE;
    case 9: return m->function >= 0 ? ASSIGN : dice(m, 2) ? LOCAL_STORE : LOCAL_LOAD;
    case 10: return m->function >= 0 ? ASSIGN : COUNT;
    case 11:
    case 12: return m->convergent ? collectives[dice(m, LW_COUNT(collectives))] : ASSIGN;
    default: return ASSIGN;
    }
}

static statement *make_statement(maker *m, u32 depth)
{
    kind k = pick_kind(m, depth);
    statement *s = new_statement(m, k);
    switch (k) {
    case ASSIGN: assign_operation(m, s); break;
    case BRANCH:
    case LOOP:
    case SWITCH: make_nested(m, s, depth); break;
    case BREAK_IF:
    case CONTINUE_IF:
    case RETURN_IF:
    case EXIT_IF: conditional(m, s); break;
    case CALL:
        s->number = dice(m, m->function < 0 ? FUNCTIONS : (u32)m->function);
        if (!dice(m, 3)) conditional(m, s);
        break;
    case CALL_INDIRECT:
        s->number = dice(m, m->function < 0 ? FUNCTIONS - 1 : (u32)m->function - 1);
        conditional(m, s);
        break;
    case STORE: s->number = FIRST_STORE + dice(m, SLOTS - FIRST_STORE); break;
    case SHUFFLE:
        s->number = dice(m, 16), s->op = m->p->threads % 32 ? 2 : dice(m, 4),
        s->guard = (int)dice(m, class_registers[P]);
        break;
    case BALLOT:
    case VOTE:
        conditional(m, s), s->flag = dice(m, 2);
        if (k == VOTE) s->dst = dice(m, class_registers[P]);
        break;
    case EXCHANGE: s->number = dice(m, 200); break;
    default: break;
    }
    return s;
}

static statement *make_list(maker *m, u32 count, u32 depth)
{
    statement *first = NULL, **at = &first;
    for (u32 k = 0; k < count; k++, at = &(*at)->next) *at = make_statement(m, depth);
    return first;
}

static void make_program(program *p, u64 seed)
{
    maker m = {.p = p, .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    static const u32 threads[] = {32, 48, 64, 96};
    for (int k = 0; k < 8; k++) dice(&m, 2);
    p->seed = seed;
    p->threads = threads[dice(&m, LW_COUNT(threads))];
    for (m.function = 0; m.function < FUNCTIONS; m.function++) {
        p->functions[m.function].recursive = dice(&m, 2);
        p->functions[m.function].body = make_list(&m, 3 + dice(&m, 5), 2);
    }
    m.function = -1;
    m.convergent = true;
    p->body = make_list(&m, 8 + dice(&m, 16), 3);
    statement *bins = new_statement(&m, READ_BINS), **end = &p->body;
    while (*end) end = &(*end)->next;
    *end = bins;
    m.convergent = false;
    m.may_exit = true;
    bins->next = make_list(&m, 4 + dice(&m, 10), 3);
}

#endif
