/* race_steps.c: each warp remembers its last few synchronisations, with the clock (B, S) of its last access before them. An
 * access with a later clock lies behind. Only what advances the clock is remembered: what releases. */
#include "check/race_steps.h"

static race_step_kind kind_of(const event_sync *e)
{
    switch (e->kind) {
    case EVENT_BARRIER_ARRIVE: return e->waits ? RACE_STEP_BARRIER : RACE_STEP_ARRIVE;
    case EVENT_WARP_SYNC: return e->collective ? RACE_STEP_COLLECTIVE : RACE_STEP_WARP;
    case EVENT_FENCE: return e->order == EVENT_ORDER_ACQUIRE ? RACE_STEP_NONE : RACE_STEP_FENCE;
    case EVENT_CLUSTER_ARRIVE: return RACE_STEP_CLUSTER;
    case EVENT_MBARRIER: return e->op == EVENT_MBARRIER_ARRIVE ? RACE_STEP_MBARRIER : RACE_STEP_NONE;
    default: return RACE_STEP_NONE;
    }
}

void race_steps_pass(race_block *b, const event_sync *e)
{
    race_step_kind kind = kind_of(e);
    if (kind == RACE_STEP_NONE || e->insn == EVENT_NO_INSN || e->warp >= b->warps) return;
    race_warp *w = &b->warp[e->warp];
    uint16_t last = (uint16_t)(w->s - !w->dirty); /* S of the last access before */
    w->passed[w->passed_count++ % RACE_PASSED] = (race_passed){e->insn, b->b, last, (uint8_t)kind};
}

const char *race_step_name(const race_step *s)
{
    switch (s->kind) {
    case RACE_STEP_BARRIER: return s->place == RACE_STEP_BEHIND ? "waits at a barrier" : "barrier of the block";
    case RACE_STEP_ARRIVE: return "arrives at a barrier";
    case RACE_STEP_WARP: return "__syncwarp()";
    case RACE_STEP_COLLECTIVE: return "shuffle, vote or match";
    case RACE_STEP_FENCE: return "fence";
    case RACE_STEP_CLUSTER: return "arrives at the cluster barrier";
    case RACE_STEP_MBARRIER: return "mbarrier arrive";
    default: return "";
    }
}

static void add(race_side *side, const race_passed *p, race_step_place place)
{
    if (side->step_count < RACE_STEPS) side->steps[side->step_count++] = (race_step){p->insn, p->kind, (uint8_t)place};
}

/* At most `most` of the steps of epoch b that lie before (or behind) an access at s: the ones nearest to it. */
static void add_some(race_side *side, const race_warp *w, uint32_t b, uint32_t s, bool behind)
{
    enum { MOST = 2 };
    const race_passed *found[RACE_PASSED];
    uint32_t count = 0;
    uint32_t from = w->passed_count > RACE_PASSED ? w->passed_count - RACE_PASSED : 0;
    for (uint32_t n = from; n < w->passed_count; n++) {
        const race_passed *p = &w->passed[n % RACE_PASSED];
        if (p->b == b && (p->s >= s) == behind) found[count++] = p;
    }
    uint32_t first = behind || count < MOST ? 0 : count - MOST;
    for (uint32_t n = first; n < count && n < first + MOST; n++)
        add(side, found[n], behind ? RACE_STEP_BEHIND : RACE_STEP_BEFORE);
}

/* The barrier of the whole block that began epoch b. */
static const race_passed *common(const race_warp *w, uint32_t b)
{
    uint32_t from = w->passed_count > RACE_PASSED ? w->passed_count - RACE_PASSED : 0;
    for (uint32_t n = w->passed_count; n-- > from;) {
        const race_passed *p = &w->passed[n % RACE_PASSED];
        if (p->b + 1 == b && p->kind == RACE_STEP_BARRIER) return p;
    }
    return NULL;
}

/* Of some lane of a warp it is not known when it accessed: it is shown behind the barrier that both passed. */
static void note_side(race_side *side, const race_warp *w, uint32_t b, race_slot slot)
{
    uint32_t s = side->some_lane ? 0 : RACE_FIELD(slot, S);
    const race_passed *last = common(w, b);
    side->step_count = 0;
    if (last) add(side, last, RACE_STEP_COMMON);
    add_some(side, w, b, s, false);
    add(side, &(race_passed){.insn = RACE_FIELD(slot, SITE) - 1}, RACE_STEP_ACCESS);
    if (!side->some_lane) add_some(side, w, b, s, true);
}

void race_steps_note(race_conflict *c, const race_block *b, race_slot prior, race_slot mine)
{
    bool one_block = c->before.block == b->linear && c->after.block == b->linear;
    bool known = c->before.warp < b->warps && c->after.warp < b->warps && c->before.site != RACE_SITE_MASK &&
                 c->after.site != RACE_SITE_MASK;
    if (!one_block || !known || RACE_FIELD(prior, B) != race_b_of(b)) return;
    note_side(&c->before, &b->warp[c->before.warp], b->b, prior);
    note_side(&c->after, &b->warp[c->after.warp], b->b, mine);
}
