/* random_reference.h: a tree of random_program.h evaluated by itself, one thread at a time. */
#ifndef LW_TESTS_RANDOM_REFERENCE_H
#define LW_TESTS_RANDOM_REFERENCE_H

#include "random_program.h"

#include <string.h>

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

#endif
