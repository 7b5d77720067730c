/* race_block.c: block barriers, warp synchronisation, fences. */
#include "check/race_block.h"

#include <stdlib.h>
#include <string.h>

#define EACH_OF(lane, mask)                                                                                            \
    for (uint32_t left_ = (mask), lane; left_ && (lane = (uint32_t)__builtin_ctz(left_), true); left_ &= left_ - 1)

/* ---------------------------------------------------------------- time */
static void whole_block_passed(race_block *b);

/* Accesses from now on are later than those so far. */
static void next_s(race_block *b, race_warp *w)
{
    if (!w->dirty) return;
    w->dirty = false;
    w->s++;
    /* Out of numbers: as a barrier of the block; races across this point are missed. */
    if (w->s > RACE_S_MASK) whole_block_passed(b);
}

/* Accesses of lane m that happened before lane l's next one, as S. */
static uint16_t known_in_warp(const race_warp *w, uint32_t l, uint32_t m)
{
    if (l == m) return w->s;
    return w->partial ? w->lanes[l][m] : (uint16_t)(w->s - 1);
}

static void drop_lane(race_warp *w, uint32_t l)
{
    race_know_drop(w->know[l]);
    race_know_drop(w->pending[l]);
    race_know_drop(w->fence[l]);
    w->know[l] = w->pending[l] = w->fence[l] = NULL;
}

/* ---------------------------------------------------------------- release and acquire */
static race_clock *own_clock(const race_block *b, const race_warp *w, uint32_t mask)
{
    race_clock *c = race_clock_new((uint32_t)(w - b->warp), 1);
    EACH_OF(l, mask)
    {
        for (uint32_t m = 0; m < 32; m++) c->s[0][m] = LW_MAX(c->s[0][m], known_in_warp(w, l, m));
    }
    return c;
}

race_know *race_release(race_block *b, race_warp *w, uint32_t mask)
{
    race_know *out = NULL;
    if (w->knows) EACH_OF(l, mask) race_know_join(&out, w->know[l]);
    race_clock *own = own_clock(b, w, mask);
    race_know_join_entry(&out, b->linear, b->b, own);
    race_clock_drop(own);
    w->dirty = true; /* what follows is later, whoever looks */
    next_s(b, w);
    return out;
}

void race_acquire(race_warp *w, uint32_t mask, const race_know *what)
{
    if (!what) return;
    w->knows = true;
    race_know *before = NULL, *after = NULL; /* lanes that know the same go on to do so */
    EACH_OF(l, mask)
    {
        bool same = after && w->know[l] == before;
        if (!same) {
            race_know_drop(before);
            race_know_drop(after);
            before = race_know_hold(w->know[l]);
            after = race_know_hold(w->know[l]);
            race_know_join(&after, what);
        }
        race_know_drop(w->know[l]);
        w->know[l] = race_know_hold(after);
    }
    race_know_drop(before);
    race_know_drop(after);
}

/* What relaxed reads have seen counts from now on. */
static void settle(race_warp *w, uint32_t mask)
{
    if (!w->knows) return;
    EACH_OF(l, mask)
    {
        if (!w->pending[l]) continue;
        race_know_join(&w->know[l], w->pending[l]);
        race_know_drop(w->pending[l]);
        w->pending[l] = NULL;
    }
}

/* Lanes of mask know together what each of them knew. */
static void share(race_warp *w, uint32_t mask)
{
    if (!w->knows) return;
    settle(w, mask);
    race_know *all = NULL;
    EACH_OF(l, mask) race_know_join(&all, w->know[l]);
    if (all) {
        EACH_OF(l, mask)
        {
            race_know_drop(w->know[l]);
            w->know[l] = race_know_hold(all);
        }
    }
    race_know_drop(all);
}

/* ---------------------------------------------------------------- the whole block */
static race_know *joined(race_block *b, bool fences)
{
    race_know *all = NULL;
    for (uint32_t k = 0; k < b->warps; k++) {
        race_warp *w = &b->warp[k];
        if (!w->knows) continue;
        if (!fences) settle(w, UINT32_MAX);
        for (uint32_t l = 0; l < 32; l++) race_know_join(&all, fences ? w->fence[l] : w->know[l]);
    }
    return all;
}

race_know *race_block_knows(race_block *b) { return joined(b, false); }

static void share_in_block(race_block *b)
{
    bool any = false;
    for (uint32_t k = 0; k < b->warps; k++) any |= b->warp[k].knows;
    if (!any) return;
    race_know *know = joined(b, false), *fence = joined(b, true);
    for (uint32_t k = 0; k < b->warps; k++) {
        race_warp *w = &b->warp[k];
        w->knows = true;
        uint8_t scope = 0; /* fences of a block: the widest counts, so that nothing is called a race for it */
        for (uint32_t l = 0; l < 32; l++) scope = LW_MAX(scope, w->fence_scope[l]);
        for (uint32_t l = 0; l < 32; l++) {
            drop_lane(w, l);
            w->know[l] = race_know_hold(know);
            w->fence[l] = race_know_hold(fence);
            w->fence_scope[l] = scope;
        }
    }
    race_know_drop(know);
    race_know_drop(fence);
}

static void widest_fence(race_block *b)
{
    uint8_t scope = 0;
    for (uint32_t k = 0; k < b->warps; k++)
        for (uint32_t l = 0; l < 32; l++) scope = LW_MAX(scope, b->warp[k].fence_scope[l]);
    for (uint32_t k = 0; k < b->warps; k++) memset(b->warp[k].fence_scope, scope, 32);
}

static void whole_block_passed(race_block *b)
{
    share_in_block(b);
    if (b->warps && b->warp[0].knows) widest_fence(b);
    b->b++;
    for (uint32_t k = 0; k < b->warps; k++) {
        race_warp *w = &b->warp[k];
        w->s = 1;
        w->hard = 1;
        w->dirty = false;
        w->partial = false;
    }
}

void race_block_begin(race_block *b, const event_launch *launch, uint32_t linear, uint32_t cluster)
{
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    b->linear = linear;
    b->owner = linear + 1;
    b->cluster = cluster;
    b->b = 1;
    b->proxy_b = 0;
    b->live_threads = threads;
    b->warps = (threads + 31) / 32;
    for (uint32_t k = 0; k < b->warps; k++) {
        uint32_t rest = threads - k * 32;
        uint16_t(*lanes)[32] = b->warp[k].lanes;
        b->warp[k] = (race_warp){.live = rest >= 32 ? UINT32_MAX : (1u << rest) - 1, .s = 1, .hard = 1, .lanes = lanes};
    }
    memset(b->landed, 0, sizeof b->landed);
    for (uint32_t k = 0; k < b->shared_lines; k++) shadow_clear(&b->shared[k]);
}

static void barrier_clear(race_barrier *r)
{
    race_know_drop(r->left);
    r->left = NULL;
    r->threads = 0;
    r->leaves = false;
    r->waiting.count = 0;
}

void race_block_end(race_block *b)
{
    for (uint32_t k = 0; k < b->warps; k++) {
        if (!b->warp[k].knows) continue;
        for (uint32_t l = 0; l < 32; l++) drop_lane(&b->warp[k], l);
        b->warp[k].knows = false;
    }
    for (uint32_t k = 0; k < LW_COUNT(b->barrier); k++) {
        barrier_clear(&b->barrier[k]);
        lw_vec_free(&b->barrier[k].waiting);
    }
    race_flags_clear(&b->flags);
    race_flags_clear(&b->mbarriers);
}

/* ---------------------------------------------------------------- block barriers */
void race_on_arrive(race_block *b, const event_sync *e)
{
    race_barrier *r = &b->barrier[e->id & 31];
    if (e->waits) {
        race_arrival a = {e->warp, e->mask};
        lw_vec_push(&r->waiting, a);
        r->threads += lw_popcount(e->mask);
        return;
    }
    race_know *left = race_release(b, &b->warp[e->warp], e->mask);
    race_know_join(&r->left, left);
    race_know_drop(left);
    r->leaves = true;
}

/* Some threads only: who waited knows what all who arrived made known. */
static void part_released(race_block *b, race_barrier *r)
{
    race_know *all = r->left;
    r->left = NULL;
    for (size_t k = 0; k < r->waiting.count; k++) {
        race_arrival *a = &r->waiting.items[k];
        race_warp *w = &b->warp[a->warp];
        settle(w, a->mask);
        race_know *one = race_release(b, w, a->mask);
        race_know_join(&all, one);
        race_know_drop(one);
    }
    for (size_t k = 0; k < r->waiting.count; k++) {
        race_arrival *a = &r->waiting.items[k];
        race_acquire(&b->warp[a->warp], a->mask, all);
    }
    race_know_drop(all);
}

void race_on_release(race_block *b, const event_sync *e)
{
    race_barrier *r = &b->barrier[e->id & 31];
    bool whole = !r->leaves && r->threads >= b->live_threads;
    if (whole) whole_block_passed(b);
    else part_released(b, r);
    barrier_clear(r);
}

/* ---------------------------------------------------------------- warps */
static void begin_partial(race_warp *w)
{
    if (!w->lanes) w->lanes = lw_alloc(32 * sizeof *w->lanes);
    for (uint32_t l = 0; l < 32; l++)
        for (uint32_t m = 0; m < 32; m++) w->lanes[l][m] = (uint16_t)(w->s - 1);
    w->partial = true;
}

static void sync_part(race_block *b, race_warp *w, uint32_t mask)
{
    if (!w->partial) begin_partial(w);
    uint16_t all[32] = {0};
    EACH_OF(l, mask)
    {
        for (uint32_t m = 0; m < 32; m++) all[m] = LW_MAX(all[m], w->lanes[l][m]);
        all[l] = w->s;
    }
    EACH_OF(l, mask) memcpy(w->lanes[l], all, sizeof all);
    w->dirty = true;
    next_s(b, w);
}

void race_on_warp_sync(race_block *b, const event_sync *e)
{
    race_warp *w = &b->warp[e->warp];
    uint32_t mask = e->mask & w->live;
    if (!(mask & (mask - 1))) return;
    share(w, mask);
    if (mask != w->live) {
        sync_part(b, w, mask);
        if (!e->collective) w->hard = w->s;
        return;
    }
    w->dirty |= w->partial;
    w->partial = false;
    next_s(b, w);
    if (!e->collective) w->hard = w->s;
}

void race_on_lanes_exit(race_block *b, const event_sync *e)
{
    race_warp *w = &b->warp[e->warp];
    w->live &= ~e->mask;
    b->live_threads -= LW_MIN(b->live_threads, lw_popcount(e->mask));
}

/* ---------------------------------------------------------------- fences */
bool race_is_fenced(const race_block *b, race_slot write)
{
    uint32_t since_fence = b->b - b->proxy_b;
    uint32_t since_write = (race_b_of(b) + (uint32_t)RACE_B_MASK - RACE_FIELD(write, B)) % (uint32_t)RACE_B_MASK;
    if (!b->proxy_b || since_write < since_fence) return false;
    return since_write > since_fence || RACE_FIELD(write, S) <= b->warp[RACE_FIELD(write, WARP)].proxy_s;
}

void race_on_fence(race_block *b, const event_sync *e)
{
    if (e->proxy == EVENT_PROXY_ASYNC) {
        b->proxy_b = b->b;
        for (uint32_t k = 0; k < b->warps; k++) b->warp[k].proxy_s = b->warp[k].s;
    }
    if (e->proxy != EVENT_PROXY_GENERIC) return;
    race_warp *w = &b->warp[e->warp];
    if (e->order != EVENT_ORDER_RELEASE) settle(w, e->mask);
    if (e->order == EVENT_ORDER_ACQUIRE) return;
    race_know *now = race_release(b, w, e->mask);
    w->knows = true;
    EACH_OF(l, e->mask)
    {
        race_know_drop(w->fence[l]);
        w->fence[l] = race_know_hold(now);
        w->fence_scope[l] = e->scope;
    }
    race_know_drop(now);
}
