/* race_found.c: folding, and the words of findings. */
#include "check/race_found.h"

#include "check/race_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- folding */
/* Which instruction wrote; of two writes the first. A race has no order: which access comes first is chance, so both
 * orders of a read and a write are one finding. */
static uint32_t write_site(const race_conflict *c)
{
    return c->pair == RACE_READ_WRITE ? c->after.site : c->before.site;
}

static uint32_t other_site(const race_conflict *c)
{
    return c->pair == RACE_READ_WRITE ? c->before.site : c->after.site;
}

static bool same_pair(const race_conflict *a, const race_conflict *b)
{
    if ((a->pair == RACE_WRITE_WRITE) != (b->pair == RACE_WRITE_WRITE)) return false;
    uint32_t one = write_site(a), two = other_site(a);
    if (write_site(b) == one && other_site(b) == two) return true;
    return a->pair == RACE_WRITE_WRITE && write_site(b) == two && other_site(b) == one;
}

static bool same_kind(const race_conflict *a, const race_conflict *b)
{
    return a->why == b->why && a->space == b->space && same_pair(a, b);
}

static int compare_sides(const race_side *a, const race_side *b)
{
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    if (a->warp != b->warp) return a->warp < b->warp ? -1 : 1;
    if (a->lane != b->lane) return a->lane < b->lane ? -1 : 1;
    return 0;
}

/* Which of two conflicts is shown: the one that names two threads, else that of the lowest ones. */
static bool is_lower(const race_conflict *a, const race_conflict *b)
{
    if (a->before.some_lane != b->before.some_lane) return b->before.some_lane;
    int order = compare_sides(&a->after, &b->after);
    if (!order) order = compare_sides(&a->before, &b->before);
    if (!order) return a->address < b->address;
    return order < 0;
}

static void swap_sides(race_conflict *c)
{
    race_side side = c->before;
    c->before = c->after;
    c->after = side;
}

static bool is_of_one_value(race_why why) { return why == RACE_SAME_VALUE || why == RACE_SAME_DIGEST; }

/* The other side is a block, not an access of it. */
static bool is_of_block(race_why why) { return why == RACE_EXIT || why == RACE_EXIT_COPY || why == RACE_START; }

/* Of accesses by two blocks it does not matter which came first: one order for all. */
static void normalise(race_conflict *c)
{
    if (c->before.block == c->after.block || is_of_block(c->why)) return;
    if (c->pair == RACE_READ_WRITE) {
        c->pair = RACE_WRITE_READ;
        swap_sides(c);
    } else if (c->pair == RACE_WRITE_WRITE) {
        bool later =
            c->before.site != c->after.site ? c->before.site > c->after.site : compare_sides(&c->before, &c->after) > 0;
        if (later) swap_sides(c);
    }
}

/* One instruction of several blocks writes one place: then any two of the blocks race, and which of them met depends on
 * which host thread ran them. The two lowest are named. */
static void name_lowest(race_conflict *into, const race_conflict *c)
{
    const race_side *sides[] = {&c->before, &c->after};
    for (uint32_t k = 0; k < LW_COUNT(sides); k++) {
        race_side side = *sides[k];
        if (side.block == into->before.block || side.block == into->after.block) continue;
        if (compare_sides(&side, &into->after) < 0) into->after = side;
        if (compare_sides(&into->after, &into->before) < 0) swap_sides(into);
    }
}

static bool is_one_place(const race_conflict *a, const race_conflict *b)
{
    bool one_insn = a->pair == RACE_WRITE_WRITE && a->before.site == a->after.site;
    return one_insn && a->address == b->address && a->before.block != a->after.block &&
           b->before.block != b->after.block;
}

race_conflict *race_found_add(race_found *f, const race_conflict *conflict)
{
    race_conflict c = *conflict;
    normalise(&c);
    for (size_t k = f->list.count; k-- > 0;) {
        race_conflict *old = &f->list.items[k];
        if (!same_kind(old, &c)) continue;
        uint64_t count = old->count + c.count;
        race_conflict other = *old;
        bool replaced = is_lower(&c, old);
        if (replaced) *old = c;
        if (f->unordered && is_one_place(old, &c)) name_lowest(old, replaced ? &other : &c);
        old->count = count;
        return replaced ? old : NULL;
    }
    lw_vec_push(&f->list, c);
    return &f->list.items[f->list.count - 1];
}

void race_found_merge(race_found *into, const race_found *from)
{
    for (size_t k = 0; k < from->list.count; k++) race_found_add(into, &from->list.items[k]);
}

void race_found_free(race_found *f) { lw_vec_free(&f->list); }

/* ---------------------------------------------------------------- words */
typedef struct why_row {
    const char *severity;
    const char *why;  /* nothing orders them: ... */
    const char *mend; /* what would */
} why_row;

static const why_row why_rows[RACE_WHY_COUNT] = {
    [RACE_NO_BARRIER] = {"error", "no barrier of the block lies between the two warps' accesses",
                         "a __syncthreads() between them orders them"},
    [RACE_NO_WARP_SYNC] = {"error", "lanes of a warp need not go on together, and no __syncwarp() lies between them",
                           "a __syncwarp() between them orders them"},
    [RACE_COLLECTIVE] = {"warning",
                         "only a shuffle, vote or match lies between the lanes' accesses, which does not "
                         "order memory",
                         "a __syncwarp() between them makes it certain"},
    [RACE_VOLATILE_ONLY] = {"warning",
                            "volatile does not keep the lanes of a warp together on compute capability 7.0 "
                            "and later",
                            "a __syncwarp() between them orders them"},
    [RACE_ONE_INSN] = {"warning", "lanes of one instruction write different values there, and one of them stays",
                       "let one lane write, or give each a place of its own"},
    [RACE_SAME_VALUE] = {"warning", "all write the same value: harmless if that is so for all inputs",
                         "let one thread write, or use an atomic"},
    [RACE_SAME_DIGEST] =
        {"warning",
         "all write the same value, as far as is remembered of a launch that writes so much: harmless if "
         "that is so, for all inputs",
         "let one thread write, or use an atomic"},
    [RACE_NO_ORDER] = {"error",
                       "nothing orders accesses of different blocks of a launch but atomics or flags with "
                       "fences, and grid synchronisation",
                       "use atomics, give each block a place of its own, or split the kernel in two"},
    [RACE_RELAXED] = {"note",
                      "the blocks exchange relaxed or volatile values, and what is written may depend on what "
                      "was read",
                      "a release behind the read and an acquire before the write make it certain"},
    [RACE_NO_FENCE] = {"warning", "the flag was read without acquire, and no fence or barrier follows it",
                       "a __threadfence() behind the read of the flag, or ld.acquire, orders them"},
    [RACE_SCOPE] = {"error", "the scope of an atomic or volatile access is too narrow for the two threads",
                    "use the scope of the device (without _block)"},
    [RACE_SIZES] = {"error", "the two accesses are atomic or volatile, but of different size",
                    "access the same bytes with the same size"},
    [RACE_BEFORE_CAS] = {"warning",
                         "a plain read meets compare-and-swap of other threads: harmless if the value is "
                         "only what the swap compares with",
                         "read it with volatile, or with an atomic"},
    [RACE_NO_WAIT] = {"error",
                      "the asynchronous copy or product may still be under way: nobody has waited for it, or nothing "
                      "orders that wait "
                      "before",
                      "wait for it (cp.async.wait_group, __pipeline_wait_prior; the mbarrier of a bulk copy; of wgmma "
                      "its wait_group), "
                      "then synchronise"},
    [RACE_NO_PROXY] =
        {"error",
         "the copy reads shared memory by another way (the async proxy) than threads write it, and no "
         "fence.proxy.async lies between",
         "each thread that wrote executes fence.proxy.async (cuda::ptx::fence_proxy_async), then a barrier, "
         "then the copy"},
    [RACE_NON_COHERENT] = {"error", "the read goes through the read-only cache (ld.global.nc, __ldg)",
                           "read it as ordinary memory, behind a barrier"},
    [RACE_EXIT] = {"error", "the block whose memory it is may have exited: nothing orders the access before its exit",
                   "a cluster.sync() behind the last access, before the block ends, orders them"},
    [RACE_EXIT_COPY] =
        {"warning",
         "the block may exit before the copy has read its shared memory; it is an error if another block "
         "takes the place",
         "wait for it (cp.async.bulk.wait_group.read) before the thread that issued it ends"},
    [RACE_START] = {"error",
                    "the block whose memory it is may not have begun: nothing orders the access behind its "
                    "start",
                    "a cluster.sync() before the first access orders them"},
};

static const char *pair_name(const race_conflict *c)
{
    if (is_of_block(c->why)) return c->pair == RACE_WRITE_READ ? "read" : "write";
    if (c->before.block != c->after.block) return c->pair == RACE_WRITE_WRITE ? "two writes" : "read and write";
    switch (c->pair) {
    case RACE_READ_WRITE: return "write after read";
    case RACE_WRITE_READ: return "read after write";
    default: return "write after write";
    }
}

static void place_of(const event_launch *l, const race_side *s, uint32_t block[3], uint32_t thread[3])
{
    uint32_t t = s->warp * 32 + s->lane;
    block[0] = s->block % l->grid[0];
    block[1] = s->block / l->grid[0] % l->grid[1];
    block[2] = s->block / l->grid[0] / l->grid[1];
    thread[0] = t % l->block[0];
    thread[1] = t / l->block[0] % l->block[1];
    thread[2] = t / l->block[0] / l->block[1];
}

static uint32_t insn_of(const race_side *s) { return s->site == RACE_SITE_MASK ? EVENT_NO_INSN : s->site - 1; }

static void memory_of(const race_conflict *c, const event_session *session, char *out, size_t size)
{
    if (c->space == EVENT_SHARED) {
        snprintf(out, size, "shared memory, byte %llu", (unsigned long long)c->address);
    } else if (c->space == EVENT_DSHARED) {
        snprintf(out, size, "shared memory of the cluster, rank %llu, byte %llu",
                 (unsigned long long)(c->address >> 24), (unsigned long long)(c->address & 0xffffff));
    } else if (session->describe) {
        session->describe(session->owner, c->address, out, size);
    } else {
        snprintf(out, size, "global memory at 0x%llx", (unsigned long long)c->address);
    }
}

static const char *relation(const race_conflict *c)
{
    if (c->why == RACE_EXIT_COPY || c->why == RACE_NO_PROXY) return "by a bulk copy";
    if (is_of_block(c->why)) return "in another block";
    if (c->before.block != c->after.block) return "by threads of two blocks";
    if (c->why == RACE_NO_WAIT) return "beside an asynchronous operation";
    return c->before.warp != c->after.warp || c->why == RACE_NO_BARRIER ? "by two warps of a block"
                                                                        : "by two lanes of a warp";
}

/* What a drawing of the race says between the accesses. */
static const char *gap_of(race_why why)
{
    switch (why) {
    case RACE_NO_WARP_SYNC:
    case RACE_COLLECTIVE:
    case RACE_VOLATILE_ONLY: return "no __syncwarp()";
    case RACE_NO_FENCE: return "no fence behind the flag";
    case RACE_NO_WAIT: return "no wait for the copy";
    case RACE_NO_PROXY: return "no fence.proxy.async";
    case RACE_NO_BARRIER:
    case RACE_SAME_VALUE:
    case RACE_SAME_DIGEST: return "no barrier of the block";
    default: return NULL;
    }
}

static uint32_t side_steps(const race_conflict *c, uint8_t side, const event_launch *launch, event_related *out)
{
    const race_side *s = side ? &c->after : &c->before;
    bool writes = side ? c->pair != RACE_WRITE_READ : c->pair != RACE_READ_WRITE;
    for (uint32_t n = 0; n < s->step_count; n++) {
        const race_step *step = &s->steps[n];
        out[n] = (event_related){.message = writes ? "writes" : "reads", .insn = step->insn, .side = side};
        out[n].role = step->place == RACE_STEP_ACCESS   ? EVENT_ROLE_ACCESS
                      : step->place == RACE_STEP_COMMON ? EVENT_ROLE_COMMON
                                                        : EVENT_ROLE_STEP;
        if (step->place != RACE_STEP_ACCESS) out[n].message = race_step_name(step);
        place_of(launch, s, out[n].block, out[n].thread);
    }
    return s->step_count;
}

/* The steps of both sides and what is missing; 0: there is nothing to draw. */
static uint32_t drawing(const race_conflict *c, const event_launch *launch, event_related *out)
{
    const char *gap = gap_of(c->why);
    bool one_warp = c->before.warp == c->after.warp;
    if (is_of_one_value(c->why) && one_warp) gap = "no __syncwarp()";
    bool one_insn = c->before.site == c->after.site && one_warp;
    if (!gap || !c->before.step_count || !c->after.step_count || (one_insn && is_of_one_value(c->why))) return 0;
    uint32_t count = side_steps(c, 0, launch, out);
    count += side_steps(c, 1, launch, out + count);
    out[count] = (event_related){.message = gap, .insn = EVENT_NO_INSN, .role = EVENT_ROLE_MISSING};
    return count + 1;
}

static void tell(const race_conflict *c, const event_launch *launch, const event_session *session)
{
    char memory[512] = "";
    memory_of(c, session, memory, sizeof memory);
    const why_row *row = &why_rows[c->why];
    char *message = lw_printf("%s of %u byte%s %s, %s: %s; %s", pair_name(c), c->after.bytes,
                              c->after.bytes == 1 ? "" : "s", relation(c), memory, row->why, row->mend);
    event_related all[2 + 2 * RACE_STEPS] = {{.insn = insn_of(&c->before)}};
    event_related *other = &all[0];
    other->message = c->pair == RACE_READ_WRITE ? "the other access, a read" : "the other access, a write";
    if (c->before.some_lane) other->message = "the other access, a read by a thread of the warp that begins with";
    if (is_of_block(c->why)) other->message = c->why == RACE_START ? "the block that begins" : "the block that exits";
    place_of(launch, &c->before, other->block, other->thread);
    event_finding f = {.check = "racecheck",
                       .severity = row->severity,
                       .message = message,
                       .launch = launch,
                       .insn = insn_of(&c->after),
                       .has_place = true,
                       .address = c->address,
                       .has_address = true,
                       .bytes = c->after.bytes,
                       .count = c->count,
                       .related = all,
                       .related_count = 1 + drawing(c, launch, all + 1)};
    place_of(launch, &c->after, f.block, f.thread);
    session->finding(session->owner, &f);
    free(message);
}

static void tell_note(const char *message, const event_launch *launch, const event_session *session)
{
    event_finding f = {.check = "racecheck",
                       .severity = "note",
                       .message = message,
                       .launch = launch,
                       .insn = EVENT_NO_INSN,
                       .count = 1};
    session->finding(session->owner, &f);
}

/* A broken program does not flood the report. */
static void tell_rest(uint32_t count, const event_launch *launch, const event_session *session)
{
    char message[128];
    snprintf(message, sizeof message, "%u more pairs of instructions of this kernel race: mend the first ones", count);
    tell_note(message, launch, session);
}

static int by_place(const void *a, const void *b)
{
    const race_conflict *x = a, *y = b;
    if (x->after.site != y->after.site) return x->after.site < y->after.site ? -1 : 1;
    if (x->before.site != y->before.site) return x->before.site < y->before.site ? -1 : 1;
    if (x->pair != y->pair) return x->pair < y->pair ? -1 : 1;
    if (x->why != y->why) return x->why < y->why ? -1 : 1;
    return (int)x->space - (int)y->space;
}

/* One value by chance, where the same two instructions also wrote different ones, or some of which less is known. */
static bool is_doubted(const race_found *f, const race_conflict *c)
{
    if (!is_of_one_value(c->why)) return false;
    for (size_t k = 0; k < f->list.count; k++) {
        const race_conflict *o = &f->list.items[k];
        bool doubt = o->why == RACE_SAME_DIGEST ? c->why == RACE_SAME_VALUE : !is_of_one_value(o->why);
        if (doubt && same_pair(o, c)) return true;
    }
    return false;
}

static bool is_new(const race_conflict *c, const event_launch *launch, lw_map *told, lw_arena *keys)
{
    uint32_t one = write_site(c), two = other_site(c);
    bool writes = c->pair == RACE_WRITE_WRITE;
    if (writes && one > two) {
        one = other_site(c);
        two = write_site(c);
    }
    char *key = lw_arena_printf(keys, "%s/%u/%u/%u/%u/%u", launch->kernel ? launch->kernel : "", one, two, writes,
                                c->why, c->space);
    if (lw_map_get(told, key, strlen(key))) return false;
    lw_map_put(told, key, strlen(key), key);
    return true;
}

void race_found_tell(race_found *f, const event_launch *launch, const event_session *session, lw_map *told,
                     lw_arena *keys)
{
    enum { MOST_FINDINGS = 64 };
    uint32_t count = 0;
    if (f->list.count > 1) qsort(f->list.items, f->list.count, sizeof *f->list.items, by_place);
    for (size_t k = 0; k < f->list.count; k++) {
        const race_conflict *c = &f->list.items[k];
        if (is_doubted(f, c)) continue;
        if (!is_new(c, launch, told, keys)) continue;
        if (count++ < MOST_FINDINGS) tell(c, launch, session);
    }
    if (count > MOST_FINDINGS) tell_rest(count - MOST_FINDINGS, launch, session);
}

void race_found_tell_forgotten(const event_launch *launch, const event_session *session, lw_map *told, lw_arena *keys)
{
    char *key = lw_arena_printf(keys, "%s/forgotten", launch->kernel ? launch->kernel : "");
    if (lw_map_get(told, key, strlen(key))) return;
    lw_map_put(told, key, strlen(key), key);
    tell_note(
        "in lines of 128 bytes of this kernel more threads met than there is room for: races with the accesses that "
        "were forgotten are not found",
        launch, session);
}
