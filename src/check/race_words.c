/* race_words.c: the words that threads synchronise with: what a release leaves there, an acquire takes. */
#include "check/race_words.h"

static race_flags *flags_of(race_access *a, uint64_t *address)
{
    if (a->event->space == EVENT_GLOBAL) return &a->worker->flags;
    race_block *b = a->block;
    if (a->event->space == EVENT_DSHARED) b = race_worker_rank(a->worker, b->cluster, (uint32_t)(*address >> 24));
    *address &= 0xffffff;
    return b ? &b->flags : NULL;
}

static bool acquires(event_order o)
{
    return o == EVENT_ORDER_ACQUIRE || o == EVENT_ORDER_ACQ_REL || o == EVENT_ORDER_SC;
}
static bool releases(event_order o)
{
    return o == EVENT_ORDER_RELEASE || o == EVENT_ORDER_ACQ_REL || o == EVENT_ORDER_SC;
}

static void see(race_access *a, uint32_t lane, const race_know *what, bool now)
{
    if (!what) return;
    if (now) {
        race_acquire(a->warp, 1u << lane, what);
        return;
    }
    a->warp->knows = true;
    race_know_join(&a->warp->pending[lane], what);
}

static void read_flag(race_access *a, uint32_t lane)
{
    uint64_t address = a->event->address[lane];
    race_flags *flags = flags_of(a, &address);
    const race_flag *f = flags ? race_flag_find(flags, address) : NULL;
    if (!f) return;
    const event_insn *what = event_insn_of(a->event);
    bool now = acquires((event_order)what->order);
    if (what->scope >= EVENT_SCOPE_CLUSTER) see(a, lane, f->a, now);
    if (f->block == a->owner) see(a, lane, f->b, now);
}

/* A wide scope includes the own block: readers of scope .cta there see the release as well. */
static void release_on(race_flag *f, uint32_t owner, uint32_t scope, const race_know *what)
{
    bool wide = scope >= EVENT_SCOPE_CLUSTER;
    if (wide) race_know_join(&f->a, what);
    if (wide && f->b && f->block != owner) return;
    if (f->block != owner) {
        race_know_drop(f->b);
        f->b = NULL;
    }
    f->block = owner;
    race_know_join(&f->b, what);
}

static void write_flag(race_access *a, uint32_t lane)
{
    const event_insn *what = event_insn_of(a->event);
    race_warp *w = a->warp;
    uint64_t address = a->event->address[lane];
    race_flags *flags = flags_of(a, &address);
    if (!flags) return;
    bool strict = releases((event_order)what->order);
    race_know *out = strict ? race_release(a->block, w, 1u << lane) : race_know_hold(w->fence[lane]);
    uint32_t scope = strict ? what->scope : LW_MIN(what->scope, w->fence_scope[lane]);
    race_flag *f = race_flag_find(flags, address);
    bool update = race_is_atomic(a->kind) && a->event->atomic != EVENT_ATOMIC_NONE;
    if (f && !update) race_flag_empty(f);
    if (out && !f) f = race_flag_make(flags, address);
    if (out) release_on(f, a->owner, scope, out);
    race_know_drop(out);
}

void race_words_order(race_access *a)
{
    const event_memory *e = a->event;
    bool reads = e->op == EVENT_LOAD || e->op == EVENT_ATOMIC || e->op == EVENT_REDUCTION;
    for (uint32_t m = e->mask; m && reads && e->op != EVENT_REDUCTION; m &= m - 1)
        read_flag(a, (uint32_t)__builtin_ctz(m));
    for (uint32_t m = e->mask; m && a->writes; m &= m - 1) write_flag(a, (uint32_t)__builtin_ctz(m));
}
