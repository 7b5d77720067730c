/* test_random: random kernels, executed and compared with a reference that evaluates the generator's own tree, one
 * thread at a time: arithmetic of several widths with many live registers, nested divergence, loops whose trip counts
 * differ between lanes, break, continue, switches, guarded instructions, calls (direct, guarded, indirect, recursive),
 * early returns and exits, shared memory between barriers, shuffles and votes where all lanes meet. Memory must be as
 * the reference says, counts must not depend on the number of host threads, and what all lanes of a warp reach together
 * must be executed once per warp. LW_RANDOM_SEED picks the first seed, LW_RANDOM_COUNT how many kernels there are. */
#include "fixture.h"
#include "unit.h"

#include "exec/exec.h"

#include <stdlib.h>
#include <string.h>

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

/* ---------------------------------------------------------------- as PTX */
typedef struct writer {
    program *p;
    lw_text *out;
    u32 loop_end[4], loop_next[4], loops; /* labels of the loops around this place */
} writer;

static void put_operand(writer *w, const operand *o, u32 class)
{
    if (o->immediate) lw_text_add(w->out, "%u", (u32)o->value);
    else lw_text_add(w->out, "%%%c%u", class_letter[class], (u32)o->value);
}

static void put_guard(writer *w, const statement *s, bool invert)
{
    if (s->guard >= 0) lw_text_add(w->out, "@%s%%p%d ", s->negated != invert ? "!" : "", s->guard);
}

static void put_assign(writer *w, const statement *s)
{
    const operation *o = &operations[s->op];
    bool packs = strchr(o->text, '{') != NULL;
    put_guard(w, s, false);
    lw_text_add(w->out, "%.*s %%%c%u", (int)strcspn(o->text, "{"), o->text, class_letter[o->result], s->dst);
    for (u32 k = 0; k < 3 && o->source[k] != N; k++) {
        lw_text_add(w->out, packs && !k ? ", {" : ", ");
        put_operand(w, &s->source[k], o->source[k]);
    }
    lw_text_add(w->out, "%s%s;\n", packs ? "}" : "", o->suffix);
}

static void put_list(writer *w, const statement *s);

static void put_branch(writer *w, const statement *s)
{
    u32 other = w->p->labels++, end = w->p->labels++;
    put_guard(w, s, true);
    lw_text_add(w->out, "bra L%u;\n", other);
    put_list(w, s->body[0]);
    if (s->body[1]) lw_text_add(w->out, "bra L%u;\n", end);
    lw_text_add(w->out, "L%u:\n", other);
    put_list(w, s->body[1]);
    lw_text_add(w->out, "L%u:\n", end);
}

/* Trips: the low bits of a register, one more when tested at the end. */
static void put_loop(writer *w, const statement *s)
{
    u32 head = w->p->labels++, next = w->p->labels++, end = w->p->labels++, c = w->loops, r = (u32)s->source[0].value;
    lw_text_add(w->out, "and.b32 %%c%u, %%v%u, 7;\n", c, r);
    if (s->flag) lw_text_add(w->out, "add.u32 %%c%u, %%c%u, 1;\nL%u:\n", c, c, head);
    else
        lw_text_add(w->out, "L%u:\nL%u: setp.eq.u32 %%q%u, %%c%u, 0;\n@%%q%u bra L%u;\nsub.u32 %%c%u, %%c%u, 1;\n",
                    head, next, c, c, c, end, c, c);
    w->loop_end[w->loops] = end, w->loop_next[w->loops++] = next;
    put_list(w, s->body[0]);
    w->loops--;
    if (s->flag)
        lw_text_add(w->out, "L%u: sub.u32 %%c%u, %%c%u, 1;\nsetp.ne.u32 %%q%u, %%c%u, 0;\n@%%q%u bra L%u;\n", next, c,
                    c, c, c, c, head);
    else lw_text_add(w->out, "bra L%u;\n", head);
    lw_text_add(w->out, "L%u:\n", end);
}

static void put_switch(writer *w, const statement *s)
{
    u32 first = w->p->labels, end = first + 4;
    w->p->labels += 5;
    lw_text_add(w->out, "T%u: .branchtargets L%u, L%u, L%u, L%u;\nand.b32 %%t0, %%v%u, 3;\nbrx.idx %%t0, T%u;\n", first,
                first, first + 1, first + 2, first + 3, (u32)s->source[0].value, first);
    for (u32 k = 0; k < 4; k++) {
        lw_text_add(w->out, "L%u:\n", first + k);
        put_list(w, s->body[k]);
        if (!(s->number >> k & 1)) lw_text_add(w->out, "bra L%u;\n", end);
    }
    lw_text_add(w->out, "L%u:\n", end);
}

static void put_call(writer *w, const statement *s)
{
    u32 a = (u32)s->source[0].value, b = (u32)s->source[1].value;
    lw_text_add(w->out,
                "{ .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], %%v%u; and.b32 %%t0, %%v%u, 3; "
                "st.param.b32 [b], %%t0;\n",
                a, b);
    if (s->kind == CALL) {
        put_guard(w, s, false);
        lw_text_add(w->out, "call (r), f%u, (a, b);\n", s->number);
        put_guard(w, s, false);
    } else {
        u32 proto = w->p->labels++;
        lw_text_add(w->out, "mov.u64 %%x0, f%u; mov.u64 %%x1, f%u; selp.b64 %%x0, %%x0, %%x1, %%p%d;\n", s->number,
                    s->number + 1, s->guard);
        lw_text_add(
            w->out,
            "C%u: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\ncall (r), %%x0, (a, b), C%u;\n",
            proto, proto);
    }
    lw_text_add(w->out, "ld.param.b32 %%v%u, [r]; }\n", s->dst);
}

static void put_return(writer *w, const statement *s)
{
    u32 on = w->p->labels++;
    put_guard(w, s, true);
    lw_text_add(w->out, "bra L%u;\nst.param.b32 [result], %%v%u;\nret;\nL%u:\n", on, (u32)s->source[0].value, on);
}

static void put_local(writer *w, const statement *s)
{
    u32 value = s->kind == LOCAL_STORE ? (u32)s->source[1].value : s->dst;
    lw_text_add(
        w->out,
        "and.b32 %%t0, %%v%u, %u;\nmul.wide.u32 %%x0, %%t0, 4;\nmov.u64 %%x1, words;\nadd.u64 %%x0, %%x0, %%x1;\n",
        (u32)s->source[0].value, LOCAL_WORDS - 1);
    if (s->kind == LOCAL_STORE) lw_text_add(w->out, "st.local.u32 [%%x0], %%v%u;\n", value);
    else lw_text_add(w->out, "ld.local.u32 %%v%u, [%%x0];\n", value);
}

static void put_bin_address(writer *w, const char *index)
{
    lw_text_add(w->out,
                "and.b32 %%t0, %s, %u;\nshl.b32 %%t0, %%t0, 2;\nmov.u32 %%t1, bins;\nadd.u32 %%t0, %%t0, %%t1;\n",
                index, BINS - 1);
}

static void put_collective(writer *w, const statement *s)
{
    static const char *const ways[] = {"up", "down", "bfly", "idx"}, *const limits[] = {"0", "0x1f", "0x1f", "0x1f"};
    u32 a = (u32)s->source[0].value;
    switch (s->kind) {
    case SHUFFLE:
        lw_text_add(w->out, "shfl.sync.%s.b32 %%v%u|%%p%d, %%v%u, %u, %s, -1;\n", ways[s->op], s->dst, s->guard, a,
                    s->number, limits[s->op]);
        break;
    case BALLOT:
        lw_text_add(w->out, "vote.sync.ballot.b32 %%v%u, %s%%p%d, -1;\n", s->dst, s->negated ? "!" : "", s->guard);
        break;
    case VOTE:
        lw_text_add(w->out, "vote.sync.%s.pred %%p%u, %s%%p%d, -1;\n", s->flag ? "all" : "any", s->dst,
                    s->negated ? "!" : "", s->guard);
        break;
    case REDUCE: lw_text_add(w->out, "redux.sync.add.u32 %%v%u, %%v%u, -1;\n", s->dst, a); break;
    case EXCHANGE:
        lw_text_add(w->out,
                    "shl.b32 %%t0, %%lin, 2;\nmov.u32 %%t1, cells;\nadd.u32 %%t0, %%t0, %%t1;\nst.shared.u32 [%%t0], "
                    "%%v%u;\nbar.sync 0;\n",
                    a);
        lw_text_add(w->out,
                    "mad.lo.u32 %%t0, %%lin, 7, %u;\nrem.u32 %%t0, %%t0, %u;\nshl.b32 %%t0, %%t0, 2;\nadd.u32 %%t0, "
                    "%%t0, %%t1;\n",
                    s->number, w->p->threads);
        lw_text_add(w->out, "ld.shared.u32 %%v%u, [%%t0];\nbar.sync 0;\n", s->dst);
        break;
    default: /* READ_BINS */
        lw_text_add(w->out, "bar.sync 0;\n");
        put_bin_address(w, "%lin");
        lw_text_add(w->out, "ld.shared.u32 %%v%u, [%%t0];\nbar.sync 0;\n", s->dst);
    }
}

static void put_statement(writer *w, const statement *s)
{
    char index[16];
    switch (s->kind) {
    case ASSIGN: put_assign(w, s); break;
    case BRANCH: put_branch(w, s); break;
    case LOOP: put_loop(w, s); break;
    case SWITCH: put_switch(w, s); break;
    case BREAK_IF:
        put_guard(w, s, false);
        lw_text_add(w->out, "bra L%u;\n", w->loop_end[w->loops - 1]);
        break;
    case CONTINUE_IF:
        put_guard(w, s, false);
        lw_text_add(w->out, "bra L%u;\n", w->loop_next[w->loops - 1]);
        break;
    case CALL:
    case CALL_INDIRECT: put_call(w, s); break;
    case RETURN_IF: put_return(w, s); break;
    case EXIT_IF:
        put_guard(w, s, false);
        lw_text_add(w->out, "exit;\n");
        break;
    case STORE:
        lw_text_add(w->out, "st.global.u32 [%%out+%u], %%v%u;\n", 4 * s->number, (u32)s->source[0].value);
        break;
    case LOCAL_STORE:
    case LOCAL_LOAD: put_local(w, s); break;
    case COUNT:
        snprintf(index, sizeof index, "%%v%u", (u32)s->source[0].value);
        put_bin_address(w, index);
        lw_text_add(w->out, "red.shared.add.u32 [%%t0], %%v%u;\n", (u32)s->source[1].value);
        break;
    default: put_collective(w, s);
    }
}

static void put_list(writer *w, const statement *s)
{
    for (; s; s = s->next) put_statement(w, s);
}

/* Registers start from two values, so that lanes differ. */
static u64 start_value(u32 class, u32 k, u64 a, u64 b)
{
    return narrowed(class == P ? (a >> (k & 31) ^ b) & 1 : a * (2 * k + 1) + b * (k + 3) + 17 * k, class);
}

static void put_start(writer *w, const char *a, const char *b)
{
    lw_text_add(w->out,
                ".reg .b32 %%v<%u>; .reg .b64 %%w<8>; .reg .b16 %%h<8>; .reg .pred %%p<8>; .reg .pred %%q<4>; .reg "
                ".b32 %%c<4>;\n"
                ".reg .b32 %%t<4>; .reg .b64 %%x<4>; .reg .b64 %%out; .reg .b32 %%lin; .reg .b64 %%y<2>;\n",
                REGISTERS);
    lw_text_add(w->out, "%s%s", a, b); /* sets %t2 and %t3 */
    lw_text_add(w->out, "cvt.u64.u32 %%y0, %%t2; cvt.u64.u32 %%y1, %%t3;\n");
    for (u32 c = 0; c < P; c++)
        for (u32 k = 0; k < class_registers[c]; k++) {
            lw_text_add(w->out, "mul.lo.u64 %%x0, %%y0, %u; mad.lo.u64 %%x0, %%y1, %u, %%x0; add.u64 %%x0, %%x0, %u;\n",
                        2 * k + 1, k + 3, 17 * k);
            lw_text_add(w->out,
                        c == V   ? "cvt.u32.u64 %%v%u, %%x0;\n"
                        : c == W ? "mov.u64 %%w%u, %%x0;\n"
                                 : "cvt.u16.u64 %%h%u, %%x0;\n",
                        k);
        }
    for (u32 k = 0; k < class_registers[P]; k++)
        lw_text_add(
            w->out,
            "shr.u32 %%t0, %%t2, %u; xor.b32 %%t0, %%t0, %%t3; and.b32 %%t0, %%t0, 1; setp.ne.u32 %%p%u, %%t0, 0;\n", k,
            k);
}

static void put_function(writer *w, u32 n)
{
    const function *f = &w->p->functions[n];
    lw_text_add(w->out, ".func (.param .b32 result) f%u(.param .b32 a0, .param .b32 b0)\n{\n", n);
    put_start(w, "ld.param.u32 %t2, [a0];\n", "ld.param.u32 %t3, [b0];\n");
    put_list(w, f->body);
    if (f->recursive) {
        u32 on = w->p->labels++;
        lw_text_add(w->out,
                    "setp.eq.u32 %%q0, %%t3, 0;\n@%%q0 bra L%u;\nsub.u32 %%t0, %%t3, 1;\n{ .param .b32 a; .param .b32 "
                    "b; .param .b32 r; st.param.b32 [a], %%v1; "
                    "st.param.b32 [b], %%t0; call (r), f%u, (a, b); ld.param.b32 %%t1, [r]; }\nadd.u32 %%v0, %%v0, "
                    "%%t1;\nL%u:\n",
                    on, n, on);
    }
    lw_text_add(w->out, "st.param.b32 [result], %%v0;\nret;\n}\n");
}

static void put_finish(writer *w)
{
    u32 slot = 0;
    for (u32 k = 0; k < class_registers[V]; k++)
        lw_text_add(w->out, "st.global.u32 [%%out+%u], %%v%u;\n", 4 * slot++, k);
    for (u32 k = 0; k < class_registers[W]; k++, slot += 2) { /* not 8-byte aligned in general: two words */
        lw_text_add(w->out,
                    "mov.b64 {%%t0, %%t1}, %%w%u; st.global.u32 [%%out+%u], %%t0; st.global.u32 [%%out+%u], %%t1;\n", k,
                    4 * slot, 4 * slot + 4);
    }
    lw_text_add(w->out, "mov.u32 %%t0, 0;\n");
    for (u32 k = 0; k < class_registers[H]; k++)
        lw_text_add(w->out, "cvt.u32.u16 %%t1, %%h%u; mad.lo.u32 %%t0, %%t0, 31, %%t1;\n", k);
    for (u32 k = 0; k < class_registers[P]; k++)
        lw_text_add(w->out, "selp.u32 %%t1, 1, 0, %%p%u; mad.lo.u32 %%t0, %%t0, 31, %%t1;\n", k);
    lw_text_add(w->out, "st.global.u32 [%%out+%u], %%t0;\nret;\n}\n", 4 * slot);
}

static void put_program(program *p, lw_text *out)
{
    writer w = {.p = p, .out = out};
    lw_text_add(out, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (u32 n = 0; n < FUNCTIONS; n++) put_function(&w, n);
    lw_text_add(out,
                ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 cells[%u]; .shared .align 4 .b8 bins[%u]; "
                ".local .align 4 .b8 words[%u];\n",
                4 * MOST_THREADS, 4 * BINS, 4 * LOCAL_WORDS);
    put_start(&w,
              "mov.u32 %lin, %tid.x;\nmov.u32 %t0, %ctaid.x;\nmov.u32 %t1, %ntid.x;\nmad.lo.u32 %t2, %t0, %t1, "
              "%lin;\nmov.u32 %t3, 5;\n",
              "ld.param.u64 %out, [out];\n");
    lw_text_add(out, "mul.wide.u32 %%x0, %%t2, %u;\nadd.u64 %%out, %%out, %%x0;\nmov.u32 %%t0, 0;\n", 4 * SLOTS);
    for (u32 k = 0; k < LOCAL_WORDS; k++) lw_text_add(out, "st.local.u32 [words+%u], %%t0;\n", 4 * k);
    put_bin_address(&w, "%lin");
    lw_text_add(out, "mov.u32 %%t1, 0;\nst.shared.u32 [%%t0], %%t1;\nbar.sync 0;\n");
    put_list(&w, p->body);
    put_finish(&w);
}

/* ---------------------------------------------------------------- the reference */
typedef enum flow { NEXT, BREAK, CONTINUE, RETURN, EXIT } flow;

typedef struct thread {
    u64 r[CLASSES][REGISTERS];
    u32 local[LOCAL_WORDS];
    u32 *out, *bins;
    u32 result; /* of a function */
    bool exited;
    const program *p;
} thread;

static void start_thread(thread *t, u64 a, u64 b)
{
    for (u32 c = 0; c < CLASSES; c++)
        for (u32 k = 0; k < class_registers[c]; k++) t->r[c][k] = start_value(c, k, a, b);
}

static bool guard_holds(const thread *t, const statement *s)
{
    return s->guard < 0 || (t->r[P][s->guard] != 0) != s->negated;
}
static u64 value_of(const thread *t, const operand *o, u32 class)
{
    return narrowed(o->immediate || class >= CLASSES ? o->value : t->r[class][o->value], class);
}
static u32 word_of(const thread *t, const statement *s, u32 k) { return (u32)t->r[V][s->source[k].value]; }

static flow run_list(thread *t, const statement *s);

static u32 run_function(const program *p, u32 n, u32 a, u32 b)
{
    const function *f = &p->functions[n];
    thread t = {.p = p};
    start_thread(&t, a, b);
    if (run_list(&t, f->body) == RETURN) return t.result;
    if (f->recursive && b) t.r[V][0] = (u32)(t.r[V][0] + run_function(p, n, (u32)t.r[V][1], b - 1));
    return (u32)t.r[V][0];
}

static flow run_loop(thread *t, const statement *s)
{
    u32 trips = (word_of(t, s, 0) & 7) + s->flag;
    for (; trips; trips--) {
        flow f = run_list(t, s->body[0]);
        if (f == BREAK) break;
        if (f == RETURN || f == EXIT) return f;
    }
    return NEXT;
}

static flow run_switch(thread *t, const statement *s)
{
    for (u32 k = word_of(t, s, 0) & 3; k < 4; k++) {
        flow f = run_list(t, s->body[k]);
        if (f != NEXT) return f;
        if (!(s->number >> k & 1)) break;
    }
    return NEXT;
}

static void run_assign(thread *t, const statement *s)
{
    const operation *o = &operations[s->op];
    u64 v[3] = {0};
    for (u32 k = 0; k < 3 && o->source[k] != N; k++) v[k] = value_of(t, &s->source[k], o->source[k]);
    t->r[o->result][s->dst] = narrowed(evaluate(s->op, v[0], v[1], v[2]), o->result);
}

static flow run_statement(thread *t, const statement *s)
{
    bool on = guard_holds(t, s);
    switch (s->kind) {
    case ASSIGN:
        if (on) run_assign(t, s);
        return NEXT;
    case BRANCH: return run_list(t, on ? s->body[0] : s->body[1]);
    case LOOP: return run_loop(t, s);
    case SWITCH: return run_switch(t, s);
    case BREAK_IF: return on ? BREAK : NEXT;
    case CONTINUE_IF: return on ? CONTINUE : NEXT;
    case RETURN_IF: t->result = word_of(t, s, 0); return on ? RETURN : NEXT;
    case EXIT_IF: return on ? EXIT : NEXT;
    case CALL:
        if (on) t->r[V][s->dst] = run_function(t->p, s->number, word_of(t, s, 0), word_of(t, s, 1) & 3);
        return NEXT;
    case CALL_INDIRECT:
        t->r[V][s->dst] =
            run_function(t->p, t->r[P][s->guard] ? s->number : s->number + 1, word_of(t, s, 0), word_of(t, s, 1) & 3);
        return NEXT;
    case STORE: t->out[s->number] = word_of(t, s, 0); return NEXT;
    case LOCAL_STORE: t->local[word_of(t, s, 0) % LOCAL_WORDS] = word_of(t, s, 1); return NEXT;
    case LOCAL_LOAD: t->r[V][s->dst] = t->local[word_of(t, s, 0) % LOCAL_WORDS]; return NEXT;
    case COUNT: t->bins[word_of(t, s, 0) % BINS] += word_of(t, s, 1); return NEXT;
    default: return NEXT;
    }
}

static flow run_list(thread *t, const statement *s)
{
    flow f = NEXT;
    for (; s && f == NEXT; s = s->next) f = run_statement(t, s);
    return f;
}

static u32 shuffle_from(const statement *s, u32 lane, u64 *in_range)
{
    int from = s->op == 0   ? (int)lane - (int)s->number
               : s->op == 1 ? (int)(lane + s->number)
               : s->op == 2 ? (int)(lane ^ s->number)
                            : (int)s->number;
    *in_range = from >= 0 && from < 32;
    return *in_range ? (u32)from : lane;
}

/* One warp: lanes first .. first + count of the block, from their state before the statement. */
static void warp_collective(thread *t, const thread *before, u32 count, const statement *s)
{
    u32 ballot = 0, sum = 0;
    for (u32 l = 0; l < count; l++) {
        ballot |= (u32)(s->guard >= 0 && guard_holds(&before[l], s)) << l;
        sum += word_of(&before[l], s, 0);
    }
    for (u32 l = 0; l < count; l++) {
        if (s->kind == BALLOT) t[l].r[V][s->dst] = ballot;
        if (s->kind == REDUCE) t[l].r[V][s->dst] = sum;
        if (s->kind == VOTE)
            t[l].r[P][s->dst] = s->flag ? ballot == (count == 32 ? UINT32_MAX : (1u << count) - 1) : ballot != 0;
        if (s->kind != SHUFFLE) continue;
        u32 from = shuffle_from(s, l, &t[l].r[P][s->guard]);
        t[l].r[V][s->dst] = word_of(&before[from], s, 0);
    }
}

static void collective(thread *t, u32 threads, const statement *s)
{
    static thread before[MOST_THREADS];
    memcpy(before, t, threads * sizeof *t);
    for (u32 first = 0; first < threads; first += 32)
        warp_collective(t + first, before + first, LW_MIN(threads - first, 32u), s);
    for (u32 k = 0; k < threads; k++) {
        if (s->kind == EXCHANGE) t[k].r[V][s->dst] = word_of(&before[(k * 7 + s->number) % threads], s, 0);
        if (s->kind == READ_BINS) t[k].r[V][s->dst] = t[k].bins[k % BINS];
    }
}

static void finish_thread(thread *t)
{
    u32 slot = 0, hash = 0;
    for (u32 k = 0; k < class_registers[V]; k++) t->out[slot++] = (u32)t->r[V][k];
    for (u32 k = 0; k < class_registers[W]; k++)
        t->out[slot++] = (u32)t->r[W][k], t->out[slot++] = (u32)(t->r[W][k] >> 32);
    for (u32 c = H; c <= P; c++)
        for (u32 k = 0; k < class_registers[c]; k++) hash = hash * 31 + (u32)t->r[c][k];
    t->out[slot] = hash;
}

static void run_reference(const program *p, u32 *out)
{
    static thread t[MOST_THREADS];
    for (u32 b = 0; b < BLOCKS; b++) {
        u32 bins[BINS] = {0};
        memset(t, 0, sizeof t);
        for (u32 k = 0; k < p->threads; k++) {
            t[k].p = p, t[k].bins = bins, t[k].out = out + (size_t)(b * p->threads + k) * SLOTS;
            start_thread(&t[k], b * p->threads + k, 5);
        }
        for (const statement *s = p->body; s; s = s->next) {
            if (s->kind >= SHUFFLE) collective(t, p->threads, s);
            for (u32 k = 0; k < p->threads && s->kind < SHUFFLE; k++)
                if (!t[k].exited && run_statement(&t[k], s) == EXIT) t[k].exited = true;
        }
        for (u32 k = 0; k < p->threads; k++)
            if (!t[k].exited) finish_thread(&t[k]);
    }
}

/* ---------------------------------------------------------------- running and comparing */
static exec_result run(fixture *f, const program *p, u64 out, u32 workers)
{
    exec_launch l = {.kernel = f->kernel,
                     .grid = {BLOCKS, 1, 1},
                     .block = {p->threads, 1, 1},
                     .cluster = {1, 1, 1},
                     .params = (const uint8_t *)&out,
                     .threads = workers,
                     .memory = f->memory,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 4096}};
    exec_result r;
    CHECK(exec_run(&l, &r, &f->error) == LW_OK);
    return r;
}

/* The first difference only: one wrong value makes many. */
static bool same_memory(const program *p, const u32 *got, const u32 *want, u32 workers)
{
    for (u32 k = 0; k < BLOCKS * p->threads * SLOTS; k++) {
        if (got[k] == want[k]) continue;
        UNIT_FAIL("seed %llu, %u workers: thread %u slot %u is 0x%x, expected 0x%x", (unsigned long long)p->seed,
                  workers, k / SLOTS, k % SLOTS, got[k], want[k]);
        return false;
    }
    return true;
}

/* What stands where all lanes meet is executed once per warp. */
static void check_once_per_warp(const fixture *f, const program *p, const exec_result *r)
{
    u32 warps = BLOCKS * ((p->threads + 31) / 32);
    for (u32 s = 0; s < f->kernel->site_count; s++) {
        const char *m = f->kernel->sites[s].insn->mnemonic;
        if (strncmp(m, "shfl", 4) && strncmp(m, "vote", 4) && strncmp(m, "redux", 5) && strncmp(m, "bar.", 4)) continue;
        if (r->site_inst[s] == warps) continue;
        UNIT_FAIL("seed %llu: %s was executed %llu times by %u warps", (unsigned long long)p->seed, m,
                  (unsigned long long)r->site_inst[s], warps);
        return;
    }
}

static void check_program(u64 seed)
{
    program p = {0};
    lw_text text = {0};
    fixture f = {0};
    make_program(&p, seed);
    put_program(&p, &text);
    if (getenv("LW_RANDOM_PRINT")) fwrite(text.data, 1, text.size, stdout);
    size_t bytes = (size_t)BLOCKS * p.threads * SLOTS * 4;
    u32 *want = lw_alloc(bytes);
    run_reference(&p, want);
    if (!load(&f, text.data, "k")) UNIT_FAIL("seed %llu: %s", (unsigned long long)seed, f.error.message);
    exec_result r[2] = {0};
    for (u32 workers = 1; workers <= 2 && f.kernel; workers++) {
        u64 out = 0;
        CHECK(mem_alloc(f.memory, bytes, 0, MEM_PINNED, 0, NULL, &out) == LW_OK);
        r[workers - 1] = run(&f, &p, out, workers);
        const exec_fault *fault = &r[workers - 1].fault;
        if (fault->kind != EXEC_NO_FAULT) UNIT_FAIL("seed %llu: %s", (unsigned long long)seed, fault->message);
        else if (same_memory(&p, (const u32 *)(uintptr_t)out, want, workers))
            check_once_per_warp(&f, &p, &r[workers - 1]);
    }
    if (f.kernel && memcmp(r[0].site_inst, r[1].site_inst, f.kernel->site_count * sizeof(u64)))
        UNIT_FAIL("seed %llu: executions depend on the number of workers", (unsigned long long)seed);
    if (f.kernel && memcmp(r[0].site_lanes, r[1].site_lanes, f.kernel->site_count * sizeof(u64)))
        UNIT_FAIL("seed %llu: lanes depend on the number of workers", (unsigned long long)seed);
    exec_result_free(&r[0]), exec_result_free(&r[1]);
    unload(&f);
    free(want);
    lw_text_free(&text);
    lw_arena_free(&p.arena);
}

UNIT_CASE(random_kernels)
{
    u64 first = getenv("LW_RANDOM_SEED") ? strtoull(getenv("LW_RANDOM_SEED"), NULL, 0) : 1;
    u64 count = getenv("LW_RANDOM_COUNT") ? strtoull(getenv("LW_RANDOM_COUNT"), NULL, 0) : 300;
    for (u64 seed = first; seed < first + count && unit_failures < 10; seed++) check_program(seed);
}

UNIT_MAIN()
