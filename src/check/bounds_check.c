/* memcheck of shared variables: an access whose address derives from one variable lies in this variable. What lies outside of
 * all shared memory, execution itself finds in every run; here is what ends up in another variable, or between two, where
 * nothing stops it. Kernels whose shared memory is one variable are not listened to. */
#include <stdio.h>
#include <stdlib.h>

#include "check/check.h"

/* Accesses of one instruction that lie outside of its variable. */
typedef struct bounds_seen {
    uint64_t count;   /* of lanes */
    uint64_t thread;  /* the lowest: linear in the grid */
    uint64_t address; /* its access: offset in the block's shared memory */
    uint8_t bytes;
    bool is_write;
} bounds_seen;

typedef struct bounds_launch {
    const event_session *services;
    const event_launch *launch;
    bounds_seen *seen; /* per instruction; of the workers that have ended */
} bounds_launch;

typedef struct bounds_worker {
    const event_launch *launch;
    bounds_seen *seen;
} bounds_worker;

static bool is_outside(const event_variable *v, uint64_t address, uint32_t bytes)
{
    if (address < v->offset) return true;
    return v->bytes && address + bytes > (uint64_t)v->offset + v->bytes;
}

static void join(bounds_seen *have, const bounds_seen *s)
{
    uint64_t count = have->count + s->count;
    if (!s->count) return;
    if (!have->count || s->thread < have->thread) *have = *s;
    have->count = count;
}

static void on_memory(void *state, const event_memory *e)
{
    bounds_worker *w = state;
    const event_variable *v = event_insn_of(e)->variable;
    if (!v || e->space != EVENT_SHARED || e->op > EVENT_REDUCTION || (e->flags & EVENT_BULK)) return;
    const uint32_t *dim = e->launch->block;
    uint64_t threads = (uint64_t)dim[0] * dim[1] * dim[2];
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (!is_outside(v, e->address[lane], e->bytes)) continue;
        bounds_seen s = {.count = 1,
                         .thread = e->block * threads + e->warp * 32 + lane,
                         .address = e->address[lane],
                         .bytes = e->bytes,
                         .is_write = e->op != EVENT_LOAD};
        join(&w->seen[e->insn], &s);
    }
}

/* ---------------------------------------------------------------- words */
static void say_place(lw_text *out, const event_variable *v, uint64_t address)
{
    uint64_t end = (uint64_t)v->offset + v->bytes;
    bool before = address < v->offset;
    uint64_t distance = before ? v->offset - address : address > end ? address - end : 0;
    if (!before && address < end) lw_text_add(out, "across the end of");
    else if (distance) lw_text_add(out, "%llu byte%s ", (unsigned long long)distance, distance == 1 ? "" : "s");
    else lw_text_add(out, "just ");
    if (before || address >= end) lw_text_add(out, before ? "before" : "past the end of");
    lw_text_add(out, " shared variable %s", v->name);
    if (v->bytes) lw_text_add(out, " of %u byte%s", v->bytes, v->bytes == 1 ? "" : "s");
}

/* The variable that some instruction of the kernel names there, or NULL. */
static const event_variable *variable_at(const event_launch *l, uint64_t address)
{
    for (uint32_t k = 0; k < l->insn_count; k++) {
        const event_variable *v = l->insns[k].variable;
        if (v && address >= v->offset && (!v->bytes || address < (uint64_t)v->offset + v->bytes)) return v;
    }
    return NULL;
}

static void split(uint64_t linear, const uint32_t size[3], uint32_t out[3])
{
    out[0] = (uint32_t)(linear % size[0]);
    out[1] = (uint32_t)(linear / size[0] % size[1]);
    out[2] = (uint32_t)(linear / size[0] / size[1]);
}

static void report(const bounds_launch *b, uint32_t insn)
{
    const bounds_seen *s = &b->seen[insn];
    const event_launch *l = b->launch;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    const event_variable *there = variable_at(l, s->address);
    lw_text message = {0};
    lw_text_add(&message, "shared %s of %u byte%s: ", s->is_write ? "write" : "read", s->bytes,
                s->bytes == 1 ? "" : "s");
    say_place(&message, l->insns[insn].variable, s->address);
    if (there && there != l->insns[insn].variable) lw_text_add(&message, ", inside %s", there->name);
    lw_text_add(&message, ". A GPU does not notice it, and the kernel goes on.");
    event_finding f = {.check = check_rows[CHECK_MEMCHECK].name,
                       .severity = "error",
                       .message = message.data,
                       .launch = l,
                       .insn = insn,
                       .has_place = true,
                       .address = s->address,
                       .has_address = true,
                       .bytes = s->bytes,
                       .count = s->count};
    split(s->thread / threads, l->grid, f.block);
    split(s->thread % threads, l->block, f.thread);
    b->services->finding(b->services->owner, &f);
    lw_text_free(&message);
}

/* ---------------------------------------------------------------- life */
static void *session_begin(const event_session *services)
{
    return check_wanted(services->checks, CHECK_MEMCHECK) ? (void *)services : NULL;
}

static void *launch_begin(void *session, const event_launch *launch)
{
    bool any = false;
    for (uint32_t k = 0; k < launch->insn_count; k++) any |= launch->insns[k].variable != NULL;
    if (!any) return NULL;
    bounds_launch *b = lw_alloc(sizeof *b);
    b->services = session;
    b->launch = launch;
    b->seen = lw_alloc(launch->insn_count * sizeof *b->seen);
    return b;
}

static void launch_end(void *session, const event_launch *launch, void *state)
{
    bounds_launch *b = state;
    (void)session;
    for (uint32_t k = 0; k < launch->insn_count; k++)
        if (b->seen[k].count) report(b, k);
    free(b->seen);
    free(b);
}

static void *worker_begin(void *launch, uint32_t worker)
{
    const bounds_launch *b = launch;
    bounds_worker *w = lw_alloc(sizeof *w);
    (void)worker;
    w->launch = b->launch;
    w->seen = lw_alloc(b->launch->insn_count * sizeof *w->seen);
    return w;
}

static void worker_end(void *launch, uint32_t worker, void *state)
{
    bounds_launch *b = launch;
    bounds_worker *w = state;
    (void)worker;
    for (uint32_t k = 0; k < b->launch->insn_count; k++) join(&b->seen[k], &w->seen[k]);
    free(w->seen);
    free(w);
}

const event_client check_bounds = {
    .name = "memcheck",
    .session_begin = session_begin,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .kinds = EVENT_BIT(EVENT_ACCESS),
    .worker_begin = worker_begin,
    .memory = on_memory,
    .worker_end = worker_end,
};
