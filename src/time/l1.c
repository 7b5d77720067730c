/* l1.c: what a load finds in L1, and what goes for what it does not find.
 *
 * Measured on an H200 (tests/hw/probes/sets.cu, tests/hw/h200-sets.csv). A set of four ways is picked by sums of bits of the line's number:
 * of 78336 loads of lines at random, this says for each whether it is still there. What was found again is kept: of a set the line goes that was
 * used longest ago of those that only came in; once all of them were found, they are all as new. Data is less than 2048 lines, by what shared memory leaves. While
 * there is some left the sets grow; then a hand goes round them, each slice for itself, and takes a line of each. So rows that blocks are through
 * with, which they have gone through twice, stay, and are in the way of the next blocks' (tests/hw/h200-keeps.csv: where 8 rows take 57 % of L1, blocks of
 * one wave find all of theirs again, those of four waves 56 %). */
#include "time/l1.h"

#include "event/event.h"

#include <stdlib.h>

#define NO_TAG UINT64_MAX
#define FIRST_USE (UINT32_C(1) << 31)
#define LAST_WAYS 2u /* of a set that go after others: 128 KiB of 256 stay (tests/hw/h200-hints-l1.csv, l1_last) */
#define SET_BITS 9u  /* of CACHE_L1_SETS */
#define SLICE_SETS (CACHE_L1_SETS / CACHE_L1_SLICES)
#define HAND_STEP 37u /* the hand does not go from one neighbour to the next; in which order is not known */

/* Which bits of the number of the set each bit of the line's number changes, from bit SET_BITS on; those before it are the number. Those
 * behind were not measured: they tell 32 GB from the next. */
static const uint16_t set_bits[] = {0x071, 0x01b, 0x176, 0x149, 0x039, 0x1e1, 0x1dd, 0x0ee, 0x194, 0x08d,
                                    0x1ac, 0x0f4, 0x12f, 0x082, 0x0f0, 0x115, 0x1fc, 0x15f, 0x13d};

static uint32_t set_of(uint64_t tag)
{
    uint32_t set = (uint32_t)tag % CACHE_L1_SETS;
    uint64_t rest = tag >> SET_BITS & ((UINT64_C(1) << LW_COUNT(set_bits)) - 1);
    for (; rest; rest &= rest - 1) set ^= set_bits[__builtin_ctzll(rest)];
    return set;
}

void cache_l1_init(cache_l1 *c, uint32_t lines)
{
    *c = (cache_l1){.uses = FIRST_USE,
                    .firsts = FIRST_USE,
                    .slice_lines = LW_MAX(LW_MIN(lines, CACHE_L1_PLACES) / CACHE_L1_SLICES, 1u)};
    c->ways = lw_alloc(CACHE_L1_PLACES * sizeof *c->ways);
    c->room = lw_alloc((CACHE_L1_PLACES + (size_t)1) * sizeof *c->lines);
    c->lines = (cache_line *)((char *)c->room + (-(uintptr_t)c->room & (sizeof *c->lines - 1)));
    for (uint32_t k = 0; k < CACHE_L1_PLACES; k++) c->ways[k].tag = NO_TAG;
}

void cache_l1_free(cache_l1 *c)
{
    free(c->ways);
    free(c->room);
    *c = (cache_l1){0};
}

uint32_t cache_l1_count(const cache_l1 *c)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < CACHE_L1_SLICES; k++) count += c->slices[k].count;
    return count;
}

static cache_way *way_of(const cache_l1 *c, uint32_t set, uint64_t tag)
{
    cache_way *ways = &c->ways[set * CACHE_L1_WAYS];
    for (uint32_t k = 0; k < CACHE_L1_WAYS; k++)
        if (ways[k].tag == tag) return &ways[k];
    return NULL;
}

cache_line *cache_l1_find(const cache_l1 *c, uint64_t tag)
{
    const cache_way *way = way_of(c, set_of(tag), tag);
    return way ? &c->lines[way - c->ways] : NULL;
}

void cache_l1_expect(const cache_l1 *c, uint64_t tag)
{
    const cache_way *ways = &c->ways[set_of(tag) * CACHE_L1_WAYS];
    __builtin_prefetch(ways);
    __builtin_prefetch(ways + CACHE_L1_WAYS - 1);
}

size_t cache_l1_expected(const cache_l1 *c, uint64_t tag)
{
    uint32_t set = set_of(tag);
    const cache_way *way = way_of(c, set, tag);
    if (!way) way = way_of(c, set, NO_TAG);
    return way ? (size_t)(way - c->ways) : set * (size_t)CACHE_L1_WAYS;
}

/* Of those that came in before then, which were found again or not, and go after others or not; NULL: there is none. */
static cache_way *oldest(cache_way *ways, bool last, bool again, uint32_t before)
{
    cache_way *found = NULL;
    for (uint32_t k = 0; k < CACHE_L1_WAYS; k++) {
        if (ways[k].tag == NO_TAG || ways[k].last != last || ways[k].again != again) continue;
        if (ways[k].came >= before) continue;
        if (!found || ways[k].used < found->used) found = &ways[k];
    }
    return found;
}

/* What comes in just now goes last. */
static cache_way *victim_among(cache_way *ways, bool last, uint32_t now)
{
    cache_way *found = oldest(ways, last, false, now);
    if (found) return found;
    found = oldest(ways, last, true, now);
    for (uint32_t k = 0; found && k < CACHE_L1_WAYS; k++) ways[k].again = false;
    if (!found) found = oldest(ways, last, false, UINT32_MAX);
    return found ? found : oldest(ways, last, true, UINT32_MAX);
}

/* Which of a set goes; NULL: there is none in it. */
static cache_way *victim_of(cache_l1 *c, uint32_t set, uint32_t now)
{
    cache_way *ways = &c->ways[set * CACHE_L1_WAYS], *found = victim_among(ways, false, now);
    return found ? found : victim_among(ways, true, now);
}

static cache_way *next_victim(cache_l1 *c, uint32_t slice, uint32_t now)
{
    for (;;) {
        uint32_t at = c->slices[slice].hand++ * HAND_STEP % SLICE_SETS;
        cache_way *found = victim_of(c, at * CACHE_L1_SLICES + slice, now);
        if (found) return found;
    }
}

/* A free place in the set: one more, if there is data left, or that of a line that goes. */
static cache_way *take_place(cache_l1 *c, uint32_t set, uint32_t now, cache_line *evicted)
{
    cache_slice *slice = &c->slices[set % CACHE_L1_SLICES];
    cache_way *place = way_of(c, set, NO_TAG), *gone = NULL;
    if (!place) gone = place = victim_of(c, set, now);
    else if (slice->count >= c->slice_lines) gone = next_victim(c, set % CACHE_L1_SLICES, now);
    if (!gone) {
        slice->count++;
        return place;
    }
    *evicted = c->lines[gone - c->ways];
    gone->tag = NO_TAG;
    return place;
}

/* Of ways that are to go after others the one that was used longest ago does not, if a set has too many. */
static void keep(cache_way *ways, cache_way *way)
{
    uint32_t count = 0;
    way->last = true;
    for (uint32_t k = 0; k < CACHE_L1_WAYS; k++) count += ways[k].tag != NO_TAG && ways[k].last;
    if (count <= LAST_WAYS) return;
    cache_way *first = NULL;
    for (uint32_t k = 0; k < CACHE_L1_WAYS; k++)
        if (ways[k].last && &ways[k] != way && (!first || ways[k].used < first->used)) first = &ways[k];
    first->last = false;
}

/* Measured (tests/hw/h200-hints-l1.csv): of what is to go first that which came last goes; what is to leave the order as it is goes before
 * what was used, in the order in which it came. */
static void note_use(cache_l1 *c, uint32_t set, cache_way *way, uint8_t eviction)
{
    way->used = ++c->uses;
    if (eviction == EVENT_EVICT_FIRST) way->used = --c->firsts;
    if (eviction == EVENT_EVICT_UNCHANGED) way->used = FIRST_USE;
    if (eviction == EVENT_EVICT_LAST) keep(&c->ways[set * CACHE_L1_WAYS], way);
}

cache_line *cache_l1_use(cache_l1 *c, uint64_t tag, uint32_t now, uint8_t eviction, cache_line *evicted)
{
    uint32_t set = set_of(tag);
    cache_way *way = way_of(c, set, tag);
    evicted->touched = 0;
    if (way) {
        note_use(c, set, way, eviction);
        return &c->lines[way - c->ways];
    }
    way = take_place(c, set, now, evicted);
    *way = (cache_way){.tag = tag, .came = now};
    note_use(c, set, way, eviction);
    cache_line *line = &c->lines[way - c->ways];
    *line = (cache_line){.tag = tag};
    return line;
}

void cache_l1_hit(cache_l1 *c, const cache_line *line)
{
    size_t place = (size_t)(line - c->lines);
    cache_way *ways = &c->ways[place - place % CACHE_L1_WAYS], *way = &c->ways[place];
    uint32_t others = 0;
    way->again = true;
    for (uint32_t k = 0; k < CACHE_L1_WAYS; k++) {
        if (ways[k].tag == NO_TAG || &ways[k] == way) continue;
        if (!ways[k].again) return;
        others++;
    }
    for (uint32_t k = 0; others && k < CACHE_L1_WAYS; k++) ways[k].again = &ways[k] == way;
}
