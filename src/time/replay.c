/* replay.c: the traces of a launch's blocks, interleaved as a card would run them, through L1 and L2.
 *
 * Time is counted in memory instructions of a block: all resident blocks advance together, or at their paces. A calendar holds each of
 * them at the time of its next entry. */
#include "time/ages.h"
#include "time/gather.h"
#include "time/joins.h"
#include "time/l1.h"
#include "time/l2.h"
#include "time/pace.h"
#include "time/places.h"
#include "time/putback.h"
#include "time/rest.h"
#include "time/stores.h"
#include "time/trace.h"
#include "time/turns.h"
#include "time/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANK_SMS 4u /* multiprocessors that may be kept whole */
#define NAP 64u     /* memory instructions after which a slow block is looked at again: it may go faster */
#define DAYS 4096u  /* of the calendar; a power of two */
#define NOBODY UINT32_MAX
#define NO_BLOCK UINT64_MAX
#define LASTING_EACH 32u /* steps of the time in which as many lines come in as L1 has */

/* A resident block. */
typedef struct resident {
    uint32_t block, sm;
    int whole;                      /* of multiprocessors that are kept whole; -1: not one of them */
    uint64_t round;                 /* blocks that its multiprocessor has had before */
    uint32_t rank;                  /* of the block, cache_block_rank() */
    uint32_t next;                  /* of the same day; NOBODY: none */
    uint32_t wave;                  /* of the blocks that run at the same time */
    const cache_entry *entry, *end; /* its next, and the end of them */
    uint64_t time;                  /* when it is carried out, by its pace: up to `now` */
    uint64_t due;
    bool runs;
    uint32_t older;    /* blocks that run on its multiprocessor and came before it */
    uint32_t released; /* when its warps last left a barrier, + 1; 0: never */
    uint32_t missed;   /* when one of them last loaded something that L1 did not have, + 1; 0: never */
    cache_pace pace;
} resident;

typedef struct day {
    uint32_t first, last;
} day;

/* Stores that would not find their line as it is on its way, on multiprocessors that are kept whole: those that come late, as a load before them
 * waited for L2, and the others. */
typedef struct rewrites {
    uint32_t late, soon;
} rewrites;

typedef struct replay {
    cache_launch *launch;
    cache_session *session;
    cache_record record;
    resident *residents;
    uint32_t resident_count, left;
    uint64_t *next_round; /* per multiprocessor, of its next block */
    double *speeds;       /* of a block behind so many others on its multiprocessor; NULL: all go at the same speed */
    day *days;
    uint64_t now;
    cache_l1 whole[RANK_SMS]; /* L1 of multiprocessors that are kept whole */
    uint32_t clearings
        [RANK_SMS]; /* how often all in it was dropped: lines see to it when they are used, as cache_line.launch */
    uint32_t *cleared_at; /* per multiprocessor: when all in its L1 was last dropped, as in cache_age.time; 0: never */
    cache_stores *stores[RANK_SMS]; /* per place of a line in it */
    cache_turns turns[RANK_SMS];
    const event_insn *hints; /* as in cache_worker */
    uint8_t *mates;          /* per instruction, as in cache_store */
    rewrites *again;         /* per instruction */
    cache_share *gone;       /* the same */
    cache_table *ages;       /* what the others' L1 would hold */
    cache_joins joins;
    uint64_t evicted_at[RANK_SMS]; /* when a line last had to go; 0: never */
    double life;                   /* how long a line lives in such an L1 on the average; 0: for ever */
    double lasting[4 * LASTING_EACH];
    cache_l2_use l2;
    cache_watch watch;
    cache_site *sampled; /* per instruction: L1 of the sample of lines */
    cache_rest *rest;    /* per instruction */
    double stands;       /* waves of blocks for each that is kept of the multiprocessor that is whole for longest */
} replay;

/* ---------------------------------------------------------------- L1 */
static int whole_index(const replay *r, uint32_t sm)
{
    uint32_t quarter = r->session->sm_count / 4;
    if (sm == cache_usual_sm(r->launch)) return 0;
    if (sm == r->session->sm_count / 2) return 1;
    if (sm == quarter) return 2;
    return sm == quarter * 3 ? 3 : -1;
}

/* Whether another warp fetches the line just now: warps that do the same come by at the same time, and all of them wait. */
static bool is_pending(const cache_line *line, const resident *who) { return line->filled == (uint32_t)who->time + 1; }

static cache_store store_of(const replay *r, const cache_entry *e, const resident *who, uint32_t sectors)
{
    return (cache_store){.launch = r->launch,
                         .entry = e,
                         .sectors = sectors,
                         .time = (uint32_t)who->time,
                         .block = who->block,
                         .lines = cache_l1_count(&r->whole[0]),
                         .wave = who->wave,
                         .stands = r->stands,
                         .now = r->now,
                         .watch = &r->watch,
                         .gone = r->gone[e->insn],
                         .mates = &r->mates[e->insn]};
}

/* The sectors of an access that L1 has; takes in the others. What several stores have written over all of their bytes is there, too. */
static uint32_t l1_sectors(const cache_entry *e, uint32_t sectors, uint8_t *valid, uint8_t *touched, uint32_t *words)
{
    if (e->kind == CACHE_STORE) *words |= e->words;
    uint32_t hits = e->kind == CACHE_STORE ? (*touched ? sectors : 0) : sectors & *valid;
    *touched |= (uint8_t)sectors;
    *valid |= (uint8_t)(e->kind == CACHE_STORE ? cache_sectors_full(*words) : sectors);
    return hits;
}

/* How long a line lives, by how often one has to go. */
static void see_eviction(replay *r, const cache_l1 *l1)
{
    const double weight = 1.0 / 256;
    uint64_t *last = &r->evicted_at[l1 - r->whole];
    double life = (double)(r->now - *last) * cache_l1_capacity(l1);
    if (*last) r->life = r->life ? r->life + (life - r->life) * weight : LW_MAX(life, 1.0);
    *last = r->now;
}

static void clear_l1(replay *r, const resident *who)
{
    if (who->whole >= 0) r->clearings[who->whole]++;
    r->cleared_at[who->sm] = (uint32_t)r->now;
}

/* What the line had before all in L1 was dropped is not there. That of local memory is of one thread: nobody else stores it. */
static void see_clearing(cache_line *line, uint32_t clearings)
{
    if (line->tag < CACHE_LOCAL_LINE && line->launch != clearings) {
        line->valid = 0;
        line->touched = 0;
        line->words = 0;
    }
    line->launch = clearings;
}

/* Whether a load before the store has been to L2: then nothing is on its way any more. Of what is kept of other multiprocessors most loads are not
 * known: it goes as with those. */
static bool comes_late(replay *r, const cache_entry *e, const resident *who, uint32_t stored, bool whole)
{
    rewrites *seen = &r->again[e->insn];
    if (!whole) return seen->late > seen->soon;
    bool late = who->missed > stored;
    if (late) seen->late++;
    else seen->soon++;
    return late;
}

/* The sectors that hit of those that would, if the line were not on its way. Those that had been written over before are L1's own: an attention that
 * sets its row to 0 and adds to it time and again finds all of it. */
static uint32_t l1_rewritten(replay *r, const cache_entry *e, const resident *who, cache_rewrite *rewrite,
                             uint32_t hits, uint8_t *valid, bool whole)
{
    uint32_t sectors = cache_sectors_with(e->words), time = (uint32_t)who->time;
    uint32_t stored = rewrite->stored;
    if (e->line >= CACHE_LOCAL_LINE || !(sectors & ~rewrite->own)) return hits;
    if (who->released > stored) rewrite->stored = 0; /* nobody goes over a barrier */
    if (e->kind == CACHE_LOAD && sectors & ~hits) rewrite->filled = time + 1;
    rewrite->loaded |= e->kind == CACHE_LOAD;
    if (e->kind != CACHE_STORE || !cache_store_again(rewrite, e, time)) return hits;
    if (comes_late(r, e, who, stored, whole)) {
        rewrite->stored = time + 1;
        return hits;
    }
    *valid &= (uint8_t)~sectors;
    return 0;
}

/* Loads that leave nothing in L1 find what is there (tests/hw/h200-hints-l1.csv, no_allocate and lu). */
static bool stays_out(const replay *r, const cache_entry *e)
{
    return r->hints && e->kind == CACHE_LOAD && r->hints[e->insn].l1_eviction == EVENT_NO_ALLOCATE;
}

static uint8_t l1_eviction(const replay *r, const cache_entry *e)
{
    bool given = r->hints && e->kind == CACHE_LOAD && !stays_out(r, e);
    return given ? r->hints[e->insn].l1_eviction : EVENT_EVICT_NORMAL;
}

static uint32_t l1_whole(replay *r, const cache_entry *e, uint32_t sectors, const resident *who, bool *pending)
{
    const uint32_t index = (uint32_t)who->whole;
    cache_l1 *l1 = &r->whole[index];
    cache_line evicted;
    if (stays_out(r, e) && !cache_l1_find(l1, e->line)) return 0;
    cache_line *line = cache_l1_use(l1, e->line, (uint32_t)r->now, l1_eviction(r, e), &evicted);
    uint32_t time = (uint32_t)who->time;
    bool races = false;
    if (evicted.touched) see_eviction(r, l1);
    see_clearing(line, r->clearings[index]);
    if (e->line < CACHE_LOCAL_LINE)
        cache_turns_note(&r->turns[index], (size_t)(line - l1->lines), e, who->block, who->time);
    *pending = e->kind == CACHE_LOAD && is_pending(line, who);
    cache_stores *stores = &r->stores[index][line - l1->lines];
    if (e->kind == CACHE_STORE) {
        cache_store store = store_of(r, e, who, sectors);
        races = cache_store_races(stores, line, &store);
    }
    stores->rewrite.own = (uint8_t)cache_sectors_full(line->words);
    uint32_t hits = l1_sectors(e, sectors, &line->valid, &line->touched, &line->words);
    if (races) hits = 0;
    hits = l1_rewritten(r, e, who, &stores->rewrite, hits, &line->valid, true);
    if (e->kind != CACHE_STORE && e->line >= CACHE_LOCAL_LINE)
        hits |= sectors & ~cache_sectors_with(e->words & ~line->words);
    if (e->kind == CACHE_LOAD && sectors & ~hits) line->filled = time + 1;
    if (hits) cache_l1_hit(l1, line);
    return hits;
}

/* Of the line for the multiprocessor and its neighbour. */
static uint64_t age_key(const cache_entry *e, uint32_t sm) { return cache_line_of(e) << 11 | sm / 2; }

static cache_age *age_of(replay *r, const cache_entry *e, uint32_t sm)
{
    return cache_table_get(r->ages, age_key(e, sm));
}

/* The share of lines that are still there when so many others have come in as L1 has lines. If the oldest of n goes, where a share u of all is
 * younger than a line that is as old, it goes at the rate n u^(n-1): the share that is left is 1 - u^n, which is also how fast u grows. */
static void set_lasting(replay *r, uint32_t choice)
{
    const uint32_t steps = 16;
    double younger = 0;
    for (uint32_t k = 0; k < LW_COUNT(r->lasting); k++) {
        r->lasting[k] = 1 - pow(younger, choice);
        for (uint32_t n = 0; n < steps; n++)
            younger = LW_MIN(younger + (1 - pow(younger, choice)) / (LASTING_EACH * steps), 1.0);
    }
}

static double lasts(const replay *r, double age)
{
    const uint32_t steps = LW_COUNT(r->lasting);
    double step = age * LASTING_EACH;
    return step < steps ? r->lasting[(uint32_t)step] : 0;
}

/* Whether the line has had to go since it was used last. */
static bool has_gone(const replay *r, const cache_age *age, uint32_t used)
{
    double unused = (double)((uint32_t)r->now - used);
    return r->life && cache_uniform(age->key * 7 + r->now) > lasts(r, unused / r->life);
}

static uint32_t l1_by_age(replay *r, const cache_entry *e, uint32_t sectors, cache_age *age, const resident *who)
{
    uint32_t sm = who->sm, which = sm % 2;
    bool cleared = e->line < CACHE_LOCAL_LINE && (int32_t)(r->cleared_at[sm] - age->time[which]) > 0;
    if (age->touched[which] && (cleared || has_gone(r, age, age->time[which]))) {
        age->valid[which] = 0;
        age->touched[which] = 0;
        age->words[which] = 0;
    }
    if (stays_out(r, e)) return sectors & age->valid[which];
    age->time[which] = (uint32_t)r->now;
    age->rewrite[which].own = (uint8_t)cache_sectors_full(age->words[which]);
    uint32_t hits = l1_sectors(e, sectors, &age->valid[which], &age->touched[which], &age->words[which]);
    return l1_rewritten(r, e, who, &age->rewrite[which], hits, &age->valid[which], false);
}

/* Loads that go past L1 leave nothing of what they load there. Measured of reductions whose last warp loads and stores volatile memory: none of
 * its stores finds its line. */
static void drop_from_l1(replay *r, const cache_entry *e, uint32_t sectors, bool whole, cache_age *age,
                         const resident *who)
{
    cache_line *line = whole ? cache_l1_find(&r->whole[who->whole], e->line) : NULL;
    if (line) {
        line->valid &= (uint8_t)~sectors;
        line->touched &= (uint8_t)~sectors;
        line->words &= ~cache_words_in(sectors);
    }
    if (!age) return;
    age->valid[who->sm % 2] &= (uint8_t)~sectors;
    age->touched[who->sm % 2] &= (uint8_t)~sectors;
    age->words[who->sm % 2] &= ~cache_words_in(sectors);
}

/* ---------------------------------------------------------------- behind L1 */
static uint32_t not_joined(replay *r, const cache_entry *e, const resident *who, uint32_t sectors)
{
    const cache_asker asker = {.sm = who->sm,
                               .block = who->block,
                               .time = who->time,
                               .now = r->now,
                               .busy = LW_MIN(r->left, r->session->sm_count)};
    return cache_joins_left(&r->joins, e, &asker, sectors);
}

static bool in_window(const cache_window *w, uint64_t line)
{
    return line >= w->address >> CACHE_LINE_SHIFT && line < (w->address + w->bytes) >> CACHE_LINE_SHIFT;
}

/* An instruction's own word goes before what the launch says of a window of addresses, of whose lines the share is taken by a hash. */
static uint8_t l2_eviction(const replay *r, const cache_entry *e)
{
    const cache_window *w = &r->launch->shape.window;
    if (r->hints && r->hints[e->insn].l2_eviction) return r->hints[e->insn].l2_eviction;
    if (!w->bytes || !in_window(w, e->line)) return EVENT_EVICT_NORMAL;
    return cache_uniform(e->line) < w->hit_ratio ? w->hit : w->miss;
}

static void to_l2(replay *r, const cache_entry *e, const resident *who, uint32_t sectors, uint32_t counted)
{
    uint32_t sm = who->sm;
    cache_access a = {.line = e->line,
                      .now = r->now,
                      .sectors = sectors,
                      .counted = counted,
                      .words = e->words,
                      .partition = sm % CACHE_PARTITIONS,
                      .insn = e->insn,
                      .eviction = l2_eviction(r, e),
                      .spread = cache_is_spread(e),
                      .placed = who->block < r->resident_count};
    if (e->kind == CACHE_STORE) cache_l2_store(&r->l2, &a);
    else if (e->kind == CACHE_ATOMIC) cache_l2_atomic(&r->l2, &a);
    else cache_l2_load(&r->l2, &a);
}

static uint64_t blocks_per_sm(const replay *r) { return r->resident_count / r->session->sm_count; }

/* Notes a load for what is said of the rest of the launch. */
static void note_load(replay *r, const cache_entry *e, const resident *who, bool whole, uint32_t sectors, uint32_t hits)
{
    cache_rest *rest = &r->rest[e->insn];
    uint32_t rank = cache_usual_rank(r->launch, who->round, e->time);
    if (cache_level_of(e->line) >= r->record.level) cache_rest_add(rest, rank >= r->record.rank, sectors, hits);
    if (!whole || rank != r->record.rank) return;
    rest->latest += sectors;
    rest->latest_hits += hits;
}

/* What leaves L1 of a store whose lines the sample has not: it may have none of few. */
static void note_unseen(replay *r, const cache_entry *e, const resident *who, uint32_t sectors)
{
    cache_site *site = &r->launch->sites[e->insn];
    if (r->sampled[e->insn].l1_sectors) return;
    cache_store store = store_of(r, e, who, sectors);
    site->unseen += cache_sector_count(sectors);
    site->unseen_writes += cache_sector_count(cache_store_leaves(age_of(r, e, who->sm), who->sm % 2, &store));
}

static void take_entry(replay *r, const cache_entry *e, resident *who)
{
    if (e->line == CACHE_L1_CLEARED) {
        clear_l1(r, who);
        return;
    }
    bool whole = who->whole >= 0 && cache_is_whole(&r->record, who->rank, e);
    bool sampled = cache_level_of(e->line) >= r->record.level;
    bool cached = e->kind == CACHE_LOAD || e->kind == CACHE_STORE;
    uint32_t sectors = cache_sectors_with(e->words), hits = 0;
    bool pending = false;
    cache_age *age = sampled ? age_of(r, e, who->sm) : NULL;
    if (cached && whole) hits = l1_whole(r, e, sectors, who, &pending);
    else if (cached && sampled) hits = l1_by_age(r, e, sectors, age, who);
    else if (e->kind == CACHE_LOAD_L2) drop_from_l1(r, e, sectors, whole, age, who);
    if (e->kind == CACHE_LOAD && sectors & ~hits) who->missed = (uint32_t)who->time + 1;
    if (whole) {
        r->launch->sites[e->insn].l1_sectors += cache_sector_count(sectors);
        r->launch->sites[e->insn].l1_hits += cache_sector_count(hits);
        cache_watch_line(&r->watch, r->launch->sites, e, who->block, sectors & ~hits, pending);
    }
    r->launch->sites[e->insn].line = cache_line_of(e) << CACHE_LINE_SHIFT;
    if (e->kind == CACHE_LOAD) note_load(r, e, who, whole, cache_sector_count(sectors), cache_sector_count(hits));
    if (whole && !sampled && e->kind == CACHE_STORE) note_unseen(r, e, who, sectors);
    if (!sampled) return;
    r->sampled[e->insn].l1_sectors += cache_sector_count(sectors);
    r->sampled[e->insn].l1_hits += cache_sector_count(hits);
    if (e->kind == CACHE_LOAD) sectors &= ~hits;
    if ((e->kind == CACHE_LOAD || e->kind == CACHE_LOAD_L2) && sectors) sectors = not_joined(r, e, who, sectors);
    uint32_t counted = sectors;
    if (e->kind == CACHE_STORE) {
        cache_store store = store_of(r, e, who, sectors);
        counted = cache_store_leaves(age, who->sm % 2, &store);
    }
    if (sectors) to_l2(r, e, who, sectors, counted);
}

/* ---------------------------------------------------------------- blocks in time */
static void put_in_calendar(replay *r, uint32_t index)
{
    resident *who = &r->residents[index];
    uint64_t when = LW_MIN(LW_MAX(who->due, r->now + 1), r->now + DAYS - 1);
    day *d = &r->days[when % DAYS];
    who->next = NOBODY;
    if (d->first == NOBODY) d->first = index;
    else r->residents[d->last].next = index;
    d->last = index;
}

/* The entries of the block, which may have none. */
static cache_piece piece_of(const replay *r, uint32_t block)
{
    const cache_piece *pieces = r->record.pieces.items;
    size_t low = 0, high = r->record.pieces.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pieces[middle].block < block) low = middle + 1;
        else high = middle;
    }
    bool there = low < r->record.pieces.count && pieces[low].block == block;
    return there ? pieces[low] : (cache_piece){.block = block};
}

static const cache_entry *next_entry(const resident *who) { return who->entry < who->end ? who->entry : NULL; }

static void set_due(replay *r, resident *who)
{
    const cache_entry *e = next_entry(who);
    who->due = cache_pace_time(&who->pace, e ? e->time : r->launch->block_time[who->block]);
    if (who->pace.speed < 1) who->due = LW_MIN(who->due, r->now + NAP);
}

static void set_pace(replay *r, resident *who, uint32_t older)
{
    who->older = older;
    if (r->speeds) cache_pace_set(&who->pace, r->now, r->speeds[older]);
}

static uint32_t running(const replay *r, uint32_t sm)
{
    uint32_t count = 0;
    for (uint32_t k = sm; k < r->resident_count; k += r->session->sm_count) count += r->residents[k].runs;
    return count;
}

/* Those that came later have one less before them. */
static void end_block(replay *r, resident *who)
{
    r->left--;
    who->runs = false;
    for (uint32_t k = who->sm; k < r->resident_count; k += r->session->sm_count) {
        resident *other = &r->residents[k];
        if (other->runs && other->older > who->older) set_pace(r, other, other->older - 1);
    }
}

/* That accessed memory. */
static uint64_t next_block(replay *r, resident *who)
{
    const cache_launch *l = r->launch;
    uint64_t *round = &r->next_round[who->sm];
    while (*round * r->session->sm_count < l->shape.blocks) {
        who->round = (*round)++;
        uint64_t block = cache_block_at(l, (cache_place){who->sm, who->round});
        if (block < l->shape.blocks && l->block_time[block]) return block;
    }
    return NO_BLOCK;
}

/* The next block that accessed memory takes the place on its multiprocessor; false: there is none. */
static bool start_block(replay *r, uint32_t index)
{
    resident *who = &r->residents[index];
    uint64_t block = next_block(r, who);
    if (block == NO_BLOCK) return false;
    who->block = (uint32_t)block;
    who->rank = cache_block_rank(r->launch, who->block);
    who->wave = who->block / r->resident_count;
    cache_piece piece = piece_of(r, who->block);
    who->entry = piece.entries;
    who->end = piece.entries + piece.count;
    who->released = who->missed = 0;
    who->pace = cache_pace_begin(r->now);
    set_pace(r, who, running(r, who->sm));
    who->runs = true;
    set_due(r, who);
    put_in_calendar(r, index);
    r->left++;
    return true;
}

/* Fetches what an entry of the block will be looked for in, of which so many are left that go before: there is too much for the caches of
 * this machine. */
static void expect(const replay *r, const resident *who, ptrdiff_t before)
{
    if (before >= who->end - who->entry) return;
    const cache_entry *e = who->entry + before;
    if (who->whole >= 0) cache_l1_expect(&r->whole[who->whole], e->line);
    if (cache_level_of(e->line) < r->record.level) return;
    cache_table_expect(r->ages, age_key(e, who->sm));
    cache_joins_expect(&r->joins, e, who->sm);
    for (uint32_t k = 0; k < CACHE_PARTITIONS; k++) cache_lru_expect(&r->session->l2[k].lines, e->line);
}

static void expect_in_l1(const replay *r, const cache_entry *e, uint32_t index)
{
    const cache_l1 *l1 = &r->whole[index];
    size_t place = cache_l1_expected(l1, e->line);
    __builtin_prefetch(&l1->lines[place], 1);
    __builtin_prefetch(&r->stores[index][place], 1);
    __builtin_prefetch(&r->turns[index].places[place], 1);
}

/* Fetches what the next entry will find there. */
static void expect_found(const replay *r, const resident *who)
{
    const cache_entry *e = next_entry(who);
    if (!e) return;
    if (who->whole >= 0) expect_in_l1(r, e, (uint32_t)who->whole);
    if (cache_level_of(e->line) < r->record.level) return;
    cache_table_expect_item(r->ages, age_key(e, who->sm));
    for (uint32_t k = 0; k < CACHE_PARTITIONS; k++) cache_lru_expect_line(&r->session->l2[k].lines, e->line);
}

/* The next block of the same day. */
static uint32_t after(const replay *r, uint32_t index) { return index == NOBODY ? NOBODY : r->residents[index].next; }

/* Everything that is due; then the block waits for its next entry, or makes place for another. */
static void advance(replay *r, uint32_t index)
{
    resident *who = &r->residents[index];
    const cache_entry *e;
    while ((e = next_entry(who)) && (who->time = cache_pace_time(&who->pace, e->time)) <= r->now) {
        if (e->released) who->released = (uint32_t)who->time + 1;
        who->entry++;
        expect(r, who, 1);
        expect_found(r, who);
        take_entry(r, e, who);
    }
    bool ended = !e && cache_pace_time(&who->pace, r->launch->block_time[who->block]) <= r->now;
    if (!ended) {
        set_due(r, who);
        put_in_calendar(r, index);
        return;
    }
    end_block(r, who);
    start_block(r, index);
}

static void pass_day(replay *r)
{
    day *d = &r->days[r->now % DAYS];
    uint32_t index = d->first, second = after(r, index), third = after(r, second), fourth = after(r, third);
    *d = (day){NOBODY, NOBODY};
    while (index != NOBODY) {
        uint32_t fifth = after(r, fourth);
        if (fifth != NOBODY) __builtin_prefetch(&r->residents[fifth]);
        if (fourth != NOBODY) __builtin_prefetch(r->residents[fourth].entry);
        if (third != NOBODY) expect(r, &r->residents[third], 0);
        if (third != NOBODY) expect(r, &r->residents[third], 1);
        if (second != NOBODY) expect_found(r, &r->residents[second]);
        advance(r, index);
        index = second;
        second = third;
        third = fourth;
        fourth = fifth;
    }
}

/* Sectors of a line that an instruction goes to, in the mean of some of the entries. */
static double sectors_each(const replay *r)
{
    const size_t blocks = 4096;
    const uint32_t each = 16;
    uint64_t sectors = 0, count = 0;
    for (size_t k = 0; k < r->record.pieces.count; k += 1 + r->record.pieces.count / blocks) {
        const cache_piece *p = &r->record.pieces.items[k];
        for (uint32_t e = 0; e < p->count; e += 1 + p->count / each, count++)
            sectors += cache_sector_count(cache_sectors_with(p->entries[e].words));
    }
    return count ? (double)sectors / (double)count : 0;
}

/* Whether multiprocessors have more to do than L2 has to bring, if it has to bring all: to issue, or to fetch from shared memory, a
 * word of each lane in a cycle. Else older blocks do not hold up the others, as all of them wait for memory (tests/hw/h200-keeps.csv). */
static bool is_busy(const replay *r)
{
    const device_profile *d = &r->session->device;
    const double sector = 32, giga = 1e9, kilo = 1e3;
    double sectors = (double)r->record.lines * sectors_each(r), read_rate = (double)d->time_l2_read_gb * giga;
    double clocks = (double)d->sm_count * (double)d->clock_khz * kilo; /* of all multiprocessors in a second */
    double issue = (double)r->launch->instructions / (double)LW_MAX(d->time_schedulers, (uint64_t)1);
    return !r->launch->instructions || fmax(issue, (double)r->record.fetched) * read_rate > sectors * sector * clocks;
}

static double waves_for_each(const replay *r)
{
    double waves = ceil((double)r->launch->shape.blocks / (double)LW_MAX(r->resident_count, 1u)), kept = 1;
    while (kept < waves && cache_usual_rank(r->launch, (uint64_t)kept * blocks_per_sm(r), 0) >= r->record.rank)
        kept *= 2;
    return LW_MAX(waves / kept, 1.0);
}

static void set_speeds(replay *r, uint32_t blocks)
{
    const device_profile *d = &r->session->device;
    uint32_t warps = r->launch->shape.warps_per_block;
    if (r->record.barriers && !is_busy(r)) return;
    r->speeds = lw_alloc((blocks + (size_t)1) * sizeof *r->speeds);
    for (uint32_t k = 0; k < blocks; k++) r->speeds[k] = cache_pace_behind(d, k, warps);
}

static void make_l1(replay *r)
{
    const device_profile *d = &r->session->device;
    uint64_t bytes = r->session->l1_bytes - LW_MIN(r->launch->shape.shared_carveout, r->session->l1_bytes);
    uint64_t lines = bytes >> CACHE_LINE_SHIFT, kept = LW_MIN(d->l1_free_lines, lines / 2);
    set_lasting(r, CACHE_L1_WAYS);
    for (uint32_t k = 0; k < RANK_SMS; k++) {
        cache_l1_init(&r->whole[k], (uint32_t)(lines - kept));
        r->stores[k] = lw_alloc(CACHE_L1_PLACES * sizeof *r->stores[k]);
        r->turns[k].places = lw_alloc(CACHE_L1_PLACES * sizeof *r->turns[k].places);
    }
}

static void begin(replay *r)
{
    const cache_shape *shape = &r->launch->shape;
    uint32_t sms = r->session->sm_count;
    uint64_t per_sm = LW_MIN((uint64_t)shape->blocks_per_sm, (shape->blocks + sms - 1) / sms);
    r->resident_count = (uint32_t)per_sm * sms;
    r->stands = waves_for_each(r);
    cache_joins_begin(&r->joins, r->launch, &r->record, r->resident_count);
    if (r->record.paced) set_speeds(r, (uint32_t)per_sm);
    make_l1(r);
    r->residents = lw_alloc((r->resident_count + 1) * sizeof *r->residents);
    r->next_round = lw_alloc(sms * sizeof *r->next_round);
    r->cleared_at = lw_alloc(sms * sizeof *r->cleared_at);
    r->days = lw_alloc(DAYS * sizeof *r->days);
    for (uint32_t k = 0; k < DAYS; k++) r->days[k] = (day){NOBODY, NOBODY};
    for (uint32_t k = 0; k < r->resident_count; k++) {
        r->residents[k].sm = k % sms;
        r->residents[k].whole = whole_index(r, k % sms);
        start_block(r, k);
    }
}

static void end(replay *r)
{
    for (uint32_t k = 0; k < RANK_SMS; k++) cache_l1_free(&r->whole[k]);
    for (uint32_t k = 0; k < RANK_SMS; k++) free(r->stores[k]);
    for (uint32_t k = 0; k < RANK_SMS; k++) free(r->turns[k].places);
    cache_record_free(&r->record);
    free(r->residents);
    free(r->next_round);
    free(r->speeds);
    free(r->cleared_at);
    free(r->days);
    free(r->sampled);
    free(r->rest);
    free(r->mates);
    free(r->again);
    free(r->gone);
}

static const event_insn *hints_of(const cache_launch *l)
{
    for (const cache_worker *w = l->workers; w; w = w->next)
        if (w->hints) return w->hints;
    return NULL;
}

static double polled(const cache_launch *l, uint32_t insn)
{
    cache_polls all = {0, 0};
    for (const cache_worker *w = l->workers; w; w = w->next) {
        if (!w->polls) continue;
        all.taken += w->polls[insn].taken;
        all.left_out += w->polls[insn].left_out;
    }
    return all.left_out ? (double)all.left_out / (double)(all.left_out + all.taken) : 0;
}

/* Of the multiprocessor that is kept whole for longest. */
static void finish_turns(replay *r)
{
    const cache_turns *t = &r->turns[0];
    if (!t->loads) return;
    r->launch->turns = t->most * r->stands;
    r->launch->turn_lines = (double)t->lines / (double)t->loads;
}

/* Instructions that no whole multiprocessor executed have the L1 of the sample. */
static void finish_sites(replay *r)
{
    for (uint32_t k = 0; k < r->launch->shape.insns; k++) {
        cache_site *site = &r->launch->sites[k];
        site->polled = polled(r->launch, k);
        site->sectors = r->sampled[k].l1_sectors;
        site->sampled_hits = r->sampled[k].l1_hits;
        cache_rest_apply(site, &r->rest[k], r->record.kept);
        if (site->l1_sectors) continue;
        site->l1_sectors = r->sampled[k].l1_sectors;
        site->l1_hits = r->sampled[k].l1_hits;
    }
}

void cache_launch_ran(cache_launch *l, uint64_t instructions) { l->instructions = instructions; }

cache_site *cache_launch_replay(cache_launch *l)
{
    replay r = {.launch = l, .session = l->session, .now = 1, .watch = {.block = NOBODY}};
    l->sites = lw_alloc((l->shape.insns + (size_t)1) * sizeof *l->sites);
    r.sampled = lw_alloc((l->shape.insns + (size_t)1) * sizeof *r.sampled);
    r.rest = lw_alloc((l->shape.insns + (size_t)1) * sizeof *r.rest);
    r.mates = lw_alloc((l->shape.insns + (size_t)1) * sizeof *r.mates);
    r.again = lw_alloc((l->shape.insns + (size_t)1) * sizeof *r.again);
    r.gone = lw_alloc((l->shape.insns + (size_t)1) * sizeof *r.gone);
    for (uint32_t k = 0; k < l->shape.insns; k++) r.gone[k] = cache_share_gone(l, k);
    r.hints = hints_of(l);
    r.ages = &l->session->ages;
    cache_table_clear(r.ages);
    r.l2 = (cache_l2_use){.session = l->session, .sites = l->sites};
    cache_gather(&r.record, l);
    uint64_t put_back = cache_lines_put_back(l, &r.record);
    cache_session_begin(l->session, r.record.level, &l->shape, put_back);
    cache_put_back(l, put_back);
    cache_session_ready(l->session, &l->shape);
    begin(&r);
    for (; r.left; r.now++) pass_day(&r);
    cache_watch_end(&r.watch, l->sites);
    cache_l2_end(&r.l2, l->shape.insns, (double)put_back, l->shape.blocks > r.resident_count);
    finish_sites(&r);
    finish_turns(&r);
    end(&r);
    return l->sites;
}
