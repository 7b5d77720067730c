/* synccheck: misuse of barriers, masks and mbarriers that execution tells of (event/misuse.def), and phases of mbarriers
 * that nobody waits for. One finding for each instruction and kind of misuse in a launch: the lowest thread, and how often. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/sync_phases.h"

/* Misuse of one kind at one instruction. */
typedef struct sync_seen {
    uint32_t insn;
    uint8_t misuse;
    uint64_t count;  /* of lanes */
    uint64_t thread; /* the lowest: linear in the grid */
    uint32_t lanes;  /* what else it concerns, there */
} sync_seen;
typedef LW_VEC(sync_seen) sync_list;

typedef struct sync_session {
    event_session services;
} sync_session;

typedef struct sync_launch {
    sync_session *session;
    const event_launch *launch;
    sync_list seen; /* of the workers that have ended */
} sync_launch;

typedef struct sync_worker {
    sync_launch *launch;
    sync_list seen;
    sync_phases phases;
} sync_worker;

static const struct sync_row {
    const char *severity, *what, *mend;
} rows[EVENT_MISUSE_COUNT] = {
#define MISUSE(ID, severity, what, mend) [EVENT_MISUSE_##ID] = {severity, what, mend},
#include "event/misuse.def"
#undef MISUSE
};

/* ---------------------------------------------------------------- seen */
/* Is it one finding? Tails of shuffles come in rows of instructions, and need no more than one note. */
static bool is_same(const sync_seen *a, const sync_seen *b)
{
    return a->misuse == b->misuse && (a->insn == b->insn || a->misuse == EVENT_MISUSE_SOURCE_TAIL);
}

static bool is_lower(const sync_seen *a, const sync_seen *b)
{
    return a->insn != b->insn ? a->insn < b->insn : a->thread < b->thread;
}

static void add(sync_list *list, const sync_seen *s)
{
    for (size_t k = 0; k < list->count; k++) {
        sync_seen *have = &list->items[k];
        if (!is_same(have, s)) continue;
        uint64_t count = have->count + s->count;
        if (is_lower(s, have)) *have = *s;
        have->count = count;
        return;
    }
    lw_vec_push(list, *s);
}

static uint64_t threads_of(const event_launch *l) { return (uint64_t)l->block[0] * l->block[1] * l->block[2]; }

static void note(sync_worker *w, const event_sync *e, event_misuse misuse, uint32_t lanes)
{
    uint32_t lane = e->mask ? (uint32_t)__builtin_ctz(e->mask) : 0;
    sync_seen s = {.insn = e->insn,
                   .misuse = (uint8_t)misuse,
                   .count = e->mask ? (uint64_t)__builtin_popcount(e->mask) : 1,
                   .thread = e->block * threads_of(e->launch) + e->warp * 32 + lane,
                   .lanes = lanes};
    add(&w->seen, &s);
}

static void on_sync(void *state, const event_sync *e)
{
    sync_worker *w = state;
    switch (e->kind) {
    case EVENT_MISUSE: note(w, e, (event_misuse)e->misuse, e->lanes); break;
    case EVENT_MBARRIER: sync_phases_use(&w->phases, e); break;
    case EVENT_MBARRIER_PHASE:
        if (sync_phases_end(&w->phases, e)) note(w, e, EVENT_MISUSE_MBARRIER_UNOBSERVED, 0);
        break;
    default: break;
    }
}

/* ---------------------------------------------------------------- words */
/* " (lanes 3, 8-15)", or nothing. */
static void say_lanes(lw_text *out, uint32_t lanes)
{
    if (!lanes) return;
    lw_text_add(out, lanes & (lanes - 1) ? " (lanes " : " (lane ");
    const char *between = "";
    for (uint32_t first = 0; first < 32; first++) {
        if (!(lanes >> first & 1)) continue;
        uint32_t last = first;
        while (last < 31 && lanes >> (last + 1) & 1) last++;
        lw_text_add(out, last > first ? "%s%u-%u" : "%s%u", between, first, last);
        between = ", ";
        first = last;
    }
    lw_text_add(out, ")");
}

static void split(uint64_t linear, const uint32_t size[3], uint32_t out[3])
{
    out[0] = (uint32_t)(linear % size[0]);
    out[1] = (uint32_t)(linear / size[0] % size[1]);
    out[2] = (uint32_t)(linear / size[0] / size[1]);
}

static void report(const sync_launch *l, const sync_seen *s)
{
    const struct sync_row *row = &rows[s->misuse];
    const event_session *services = &l->session->services;
    lw_text message = {0};
    lw_text_add(&message, "%s", row->what);
    say_lanes(&message, s->lanes);
    lw_text_add(&message, ". %s", row->mend);
    event_finding f = {.check = check_rows[CHECK_SYNCCHECK].name,
                       .severity = row->severity,
                       .message = message.data,
                       .launch = l->launch,
                       .insn = s->insn,
                       .has_place = true,
                       .count = s->count};
    split(s->thread / threads_of(l->launch), l->launch->grid, f.block);
    split(s->thread % threads_of(l->launch), l->launch->block, f.thread);
    services->finding(services->owner, &f);
    lw_text_free(&message);
}

/* ---------------------------------------------------------------- life */
static void *session_begin(const event_session *services)
{
    if (!check_wanted(services->checks, CHECK_SYNCCHECK)) return NULL;
    sync_session *s = lw_alloc(sizeof *s);
    s->services = *services;
    return s;
}

static void session_end(void *session) { free(session); }

static void *launch_begin(void *session, const event_launch *launch)
{
    sync_launch *l = lw_alloc(sizeof *l);
    l->session = session;
    l->launch = launch;
    return l;
}

static int in_order(const void *a, const void *b)
{
    const sync_seen *first = a;
    const sync_seen *second = b;
    if (first->insn != second->insn) return first->insn < second->insn ? -1 : 1;
    return (first->misuse > second->misuse) - (first->misuse < second->misuse);
}

static void launch_end(void *session, const event_launch *launch, void *state)
{
    sync_launch *l = state;
    (void)session;
    (void)launch;
    if (l->seen.count) qsort(l->seen.items, l->seen.count, sizeof *l->seen.items, in_order);
    for (size_t k = 0; k < l->seen.count; k++) report(l, &l->seen.items[k]);
    lw_vec_free(&l->seen);
    free(l);
}

static void *worker_begin(void *launch, uint32_t worker)
{
    (void)worker;
    sync_worker *w = lw_alloc(sizeof *w);
    w->launch = launch;
    return w;
}

static void worker_end(void *launch, uint32_t worker, void *state)
{
    sync_worker *w = state;
    sync_launch *l = launch;
    (void)worker;
    for (size_t k = 0; k < w->seen.count; k++) add(&l->seen, &w->seen.items[k]);
    lw_vec_free(&w->seen);
    sync_phases_free(&w->phases);
    free(w);
}

const event_client check_sync = {
    .name = "synccheck",
    .session_begin = session_begin,
    .session_end = session_end,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .kinds = EVENT_BIT(EVENT_MISUSE) | EVENT_BIT(EVENT_MBARRIER) | EVENT_BIT(EVENT_MBARRIER_PHASE),
    .worker_begin = worker_begin,
    .sync = on_sync,
    .worker_end = worker_end,
};
