/* trace.c: workers record what blocks access, as far as the sample keeps it. */
#include "time/trace.h"

#include "time/banks.h"
#include "time/lanes.h"
#include "time/places.h"
#include "time/session.h"

#include <stdlib.h>

#define LOCAL_WORD_BITS 17 /* 512 KiB a thread, in words of 4 bytes */
#define NO_BLOCK UINT32_MAX
#define UNROLLED_LOADS 64u /* of a warp that it does not carry out in a row: a loop that is unrolled as a whole */
#define CHECK_EVERY 8192u  /* entries, until it is seen whether the sample has to shrink */

/* ---------------------------------------------------------------- the sample */
/* Ranks 0, 1: multiprocessors that are the first to go; then one is left, and waves of it go by halves, then the ends
 * of the blocks of its first wave. */
#define RANK_WAVES 2u
#define WAVE_BITS 16u
#define RANK_TIMES (RANK_WAVES + WAVE_BITS)
#define TIME_BITS 24u
_Static_assert(RANK_TIMES + TIME_BITS < CACHE_RANKS, "ranks have places in at_rank[]");

static uint32_t bits_of(uint32_t x) { return x ? 32 - (uint32_t)__builtin_clz(x) : 0; }

/* Of the multiprocessor that is kept whole for longest. */
static uint32_t rank_of_round(const cache_launch *l, uint64_t round)
{
    return RANK_TIMES - LW_MIN(bits_of((uint32_t)(round / l->shape.blocks_per_sm)), WAVE_BITS);
}

uint32_t cache_block_rank(const cache_launch *l, uint32_t block)
{
    uint32_t sms = l->session->sm_count;
    cache_place place = cache_place_in(l, block);
    if (place.sm == cache_usual_sm(l)) return rank_of_round(l, place.round);
    if (place.sm == sms / 2) return 1;
    return place.sm == sms / 4 || place.sm == sms / 4 * 3 ? 0 : CACHE_NO_RANK;
}

uint32_t cache_rank_of(uint32_t block_rank, uint32_t time)
{
    return block_rank == RANK_TIMES ? RANK_TIMES + TIME_BITS - LW_MIN(bits_of(time), TIME_BITS) : block_rank;
}

uint32_t cache_usual_rank(const cache_launch *l, uint64_t round, uint32_t time)
{
    return cache_rank_of(rank_of_round(l, round), time);
}

/* The least level by the number of lines: all of a small launch, then one line in 16, so that replaying costs less than
 * emulating, then as many as the replay of a large one may cost. */
static uint32_t level_for(uint64_t lines)
{
    const uint64_t all = 1u << 14, most = LW_MAX(UINT64_C(1) << 17, lines >> 9);
    const uint32_t usual = 4;
    uint32_t level = 0;
    while (level < usual && lines >> level > all) level++;
    while (level < CACHE_LEVELS - 1 && lines >> level > most) level++;
    return level;
}

/* Entries of whole multiprocessors. One alone is a small part of a launch, and how long lines live in L1 shows late where blocks begin in
 * step. */
static uint64_t whole_budget(const cache_sample *s, const cache_shape *shape)
{
    const uint64_t alone = 4;
    return s->rank < RANK_WAVES ? shape->full_budget : alone * shape->full_budget;
}

void cache_sample_limit(cache_sample *s, const cache_shape *shape)
{
    uint32_t least = shape->keep_all ? 0 : level_for(s->lines);
    while (s->level < least) s->hashed -= s->at_level[s->level++];
    while (s->hashed > shape->hash_budget && s->level < CACHE_LEVELS - 1) s->hashed -= s->at_level[s->level++];
    while (s->whole > whole_budget(s, shape) && s->rank < CACHE_RANKS - 1) s->whole -= s->at_rank[s->rank++];
}

static bool keeps_rank(const cache_sample *s, uint32_t rank) { return rank != CACHE_NO_RANK && rank >= s->rank; }

/* Drops what the sample does not keep any more. */
static void compact(cache_worker *w)
{
    size_t kept = 0;
    for (size_t s = 0; s < w->segments.count; s++) {
        cache_segment *segment = &w->segments.items[s];
        uint32_t begin = (uint32_t)kept, block_rank = cache_block_rank(w->launch, segment->block);
        for (uint32_t k = 0; k < segment->count; k++) {
            cache_entry entry = w->entries.items[segment->begin + k];
            bool keep = cache_level_of(entry.line) >= w->sample.level;
            keep = keep || keeps_rank(&w->sample, cache_rank_of(block_rank, entry.time));
            if (keep) w->entries.items[kept++] = entry;
        }
        segment->begin = begin;
        segment->count = (uint32_t)kept - begin;
    }
    w->entries.count = kept;
}

/* ---------------------------------------------------------------- entries */
static cache_segment *open_segment(cache_worker *w)
{
    cache_segment *last = w->segments.count ? &w->segments.items[w->segments.count - 1] : NULL;
    if (last && last->block == w->block) return last;
    cache_segment fresh = {.block = w->block, .begin = (uint32_t)w->entries.count};
    if (last && !last->count) w->segments.count--;
    lw_vec_push(&w->segments, fresh);
    return &w->segments.items[w->segments.count - 1];
}

/* Whether the sample keeps the line; counts it. Most lines end here. */
static inline bool is_wanted(cache_worker *w, uint64_t line)
{
    w->sample.lines++;
    return !(cache_mix(line) & w->drop) || w->whole;
}

/* Whether all lines of what a warp does at this time are kept. */
static inline bool is_whole(const cache_worker *w, uint32_t time)
{
    return w->place != CACHE_NO_RANK && keeps_rank(&w->sample, cache_rank_of(w->place, time));
}

/* Lines of an access to bytes that follow each other, if the sample keeps none of them, as it is with most; else 0. */
static inline uint64_t lines_dropped(const cache_worker *w, const event_memory *e)
{
    uint64_t first = e->address[0] >> CACHE_LINE_SHIFT, last = (e->address[0] + 32u * e->bytes - 1) >> CACHE_LINE_SHIFT;
    for (uint64_t line = first; line <= last; line++)
        if (!(cache_mix(line) & w->drop)) return 0;
    return last - first + 1;
}

/* Whether it is time to see if more is kept than may be. */
static inline bool is_full(const cache_worker *w)
{
    const cache_sample *s = &w->sample;
    return s->hashed >= w->check_at || s->whole > whole_budget(s, &w->launch->shape);
}

/* The sample shrinks if more is kept than may be. */
__attribute__((noinline)) static void limit(cache_worker *w)
{
    cache_sample *s = &w->sample;
    const cache_shape *shape = &w->launch->shape;
    cache_sample_limit(s, shape);
    w->drop = (UINT32_C(1) << s->level) - 1;
    if (w->entries.count / 2 > s->hashed + s->whole) compact(w); /* else what it drops costs less than looking for it */
    w->check_at = LW_MIN(s->hashed + CHECK_EVERY, (uint64_t)shape->hash_budget + 1);
}

/* ---------------------------------------------------------------- from an event to lines */
/* Lines of the event of which the sample keeps some, with their words. */
static void add_lines(cache_worker *w, const uint64_t *line, const uint32_t *words, uint32_t count)
{
    cache_sample *s = &w->sample;
    cache_entry entry = w->entry;
    uint32_t rank = cache_rank_of(w->place, entry.time), first = (uint32_t)w->entries.count;
    bool by_rank = keeps_rank(s, rank);
    if (!count) return;
    cache_segment *segment = open_segment(w);
    lw_vec_reserve(&w->entries, first + (size_t)count);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t level = cache_level_of(line[k]);
        bool by_level = level >= s->level;
        if (!by_level && !by_rank) continue;
        entry.line = line[k];
        entry.words = words[k];
        w->entries.items[w->entries.count++] = entry;
        entry.first = false;
        s->hashed += by_level;
        s->at_level[level] += by_level;
    }
    w->entry = entry;
    uint32_t kept = (uint32_t)w->entries.count - first;
    segment->count += kept;
    if (by_rank) {
        s->whole += kept;
        s->at_rank[rank] += kept;
    }
    if (is_full(w)) limit(w);
}

/* Words of a line from byte `from` to before byte `to`. */
static uint32_t words_of(uint32_t from, uint32_t to)
{
    uint32_t first = from / 4, last = (to - 1) / 4;
    return UINT32_MAX >> (31 - last) & UINT32_MAX << first;
}

/* Bytes that follow each other. */
static void add_range(cache_worker *w, uint64_t address, uint64_t bytes)
{
    const uint64_t line_bytes = UINT64_C(1) << CACHE_LINE_SHIFT;
    for (uint64_t end = address + bytes; address < end;) {
        uint64_t line = address >> CACHE_LINE_SHIFT;
        uint32_t from = (uint32_t)(address % line_bytes);
        uint32_t to = (uint32_t)LW_MIN(line_bytes, end - line * line_bytes);
        uint32_t words = words_of(from, to);
        address = (line + 1) * line_bytes;
        if (is_wanted(w, line)) add_lines(w, &line, &words, 1);
    }
}

/* The lines of one instruction that the sample keeps. */
typedef struct line_set {
    uint64_t line[64];
    uint32_t words[64];
    uint32_t count;
    uint64_t highest; /* of them: those of a warp mostly go up, so that one above is not among them */
    uint64_t last;    /* line that was asked for: the next lane often has the same */
    bool wanted;      /* whether the sample keeps it */
} line_set;

static void begin_set(line_set *set)
{
    set->count = 0;
    set->highest = 0;
    set->last = UINT64_MAX;
    set->wanted = false;
}

static inline bool set_wants(cache_worker *w, line_set *set, uint64_t line)
{
    if (line == set->last) return set->wanted;
    set->last = line;
    set->wanted = is_wanted(w, line);
    return set->wanted;
}

static void add_to_set(line_set *set, uint64_t line, uint32_t words)
{
    for (uint32_t k = line > set->highest ? 0 : set->count; k-- > 0;) {
        if (set->line[k] != line) continue;
        set->words[k] |= words;
        return;
    }
    if (set->count == LW_COUNT(set->line)) return;
    set->highest = LW_MAX(set->highest, line);
    set->line[set->count] = line;
    set->words[set->count++] = words;
}

static void add_set(cache_worker *w, const line_set *set) { add_lines(w, set->line, set->words, set->count); }

/* The lines of an access: as many as it comes to until it is at the first again, where lanes go through them over and over. */
static cache_reach reach_of(const cache_lanes *lanes)
{
    uint32_t again = lanes->first & lanes->another, asked = lw_popcount(lanes->another);
    again &= again - 1; /* that is not the first lane */
    uint32_t before = again ? (again & -again) - 1 : UINT32_MAX, lines = lw_popcount(lanes->another & before);
    if (lines > CACHE_SOME_LINES) return CACHE_WIDE;
    if (asked > CACHE_FEW_LINES && lines > CACHE_FEW_LINES) return CACHE_SPREAD;
    return lines > CACHE_VERY_FEW_LINES ? CACHE_NEAR : CACHE_CLOSE;
}

/* Where the lines of a store lie matters to the next warp. That differs from block to block, so some of all are looked at... */
static bool looks_at_banks(const cache_launch *l, uint32_t block)
{
    const uint32_t blocks = 128;
    return !(cache_mix(block) % LW_MAX(l->shape.blocks / blocks, (uint64_t)1));
}

/* ... and of what eight warps do at the same time always one, or loops whose turns take as many memory instructions would hide it. */
static bool looks_now(const cache_worker *w, uint32_t warp)
{
    const uint32_t times = 64, each = 8, time = w->entry.time;
    return w->banks && (time < times || !((time + warp + w->block) % each));
}

/* another: its lanes whose lines are not those of the lanes before. */
static void note_banks(cache_worker *w, const event_memory *e, uint32_t another)
{
    const device_profile *d = &w->launch->session->device;
    line_set set;
    begin_set(&set);
    for (; another; another &= another - 1) add_to_set(&set, e->address[__builtin_ctz(another)] >> CACHE_LINE_SHIFT, 0);
    uint32_t kept = (uint32_t)d->l1_store_rows, leaving = (uint32_t)d->l1_store_leaving_lines;
    const cache_rows rows = cache_rows_of(set.line, set.count);
    if (!w->gone) w->gone = lw_alloc((w->launch->shape.insns + (size_t)1) * sizeof *w->gone);
    cache_gone *g = &w->gone[LW_MIN(e->insn, w->launch->shape.insns)];
    g->lines += set.count;
    g->next += lw_popcount(cache_lines_gone(&rows, 0, kept, leaving));
    g->next_but_one += lw_popcount(cache_lines_gone(&rows, 1, kept, leaving));
}

static void add_lanes(cache_worker *w, const event_memory *e, uint32_t mask)
{
    const uint32_t line_bytes = 1u << CACHE_LINE_SHIFT;
    if (!mask) return; /* a copy that fills with zeros reads nothing */
    cache_lanes lanes;
    cache_lanes_of(e->address, mask, w->drop, &lanes);
    uint32_t asked = lw_popcount(lanes.another), wanted = w->whole ? mask : lanes.wanted;
    bool looks = w->entry.kind == CACHE_STORE && looks_now(w, e->warp);
    w->sample.lines += asked;
    if (!wanted && !looks) return;
    line_set set;
    begin_set(&set);
    for (uint32_t left = wanted; left; left &= left - 1) {
        uint64_t address = e->address[__builtin_ctz(left)];
        uint32_t from = (uint32_t)(address % line_bytes);
        add_to_set(&set, address >> CACHE_LINE_SHIFT, words_of(from, LW_MIN(from + e->bytes, line_bytes)));
    }
    cache_entry entry = w->entry; /* a whole: what is written in parts is slow to read as one */
    entry.reach = reach_of(&lanes);
    entry.narrow = entry.narrow && asked <= CACHE_VERY_FEW_LINES;
    entry.unloaded = entry.unloaded && asked > CACHE_VERY_FEW_LINES;
    w->entry = entry;
    if (looks && cache_is_spread(&entry)) note_banks(w, e, lanes.another);
    add_set(w, &set);
}

/* Local memory is interleaved: a word of 32 lanes is a line. */
static void add_local(cache_worker *w, const event_memory *e)
{
    line_set set;
    begin_set(&set);
    for (uint32_t at = 0; at < e->bytes; at += 4)
        for (uint32_t mask = e->mask; mask; mask &= mask - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(mask);
            uint64_t word = (e->address[lane] + at) / 4 & ((1u << LOCAL_WORD_BITS) - 1);
            uint64_t line = w->local + ((uint64_t)e->warp << LOCAL_WORD_BITS) + word;
            if (set_wants(w, &set, line)) add_to_set(&set, line, 1u << lane);
        }
    add_set(w, &set);
}

/* What lanes read that are carried out at once; they share it. */
static void add_group(cache_worker *w, const event_memory *e, const event_texel_set *texels, uint32_t lanes)
{
    const uint32_t sectors_per_line = 4, words_of_sector = 0xff;
    line_set set;
    begin_set(&set);
    for (uint32_t row = 0; row < texels->rows; row++)
        for (uint32_t mask = lanes; mask; mask &= mask - 1) {
            uint32_t sector = e->texels->sector[texels->first + row][__builtin_ctz(mask)];
            uint64_t line = (texels->base >> CACHE_LINE_SHIFT) + sector / sectors_per_line;
            if (set_wants(w, &set, line)) add_to_set(&set, line, words_of_sector << sector % sectors_per_line * 8);
        }
    add_set(w, &set);
}

static void add_texels(cache_worker *w, const event_memory *e)
{
    for (uint32_t k = 0; k < e->texels->sets; k++) {
        const event_texel_set *texels = &e->texels->set[k];
        const uint32_t together = (1u << texels->together) - 1;
        for (uint32_t pass = 0; pass < texels->passes; pass++)
            for (uint32_t lane = 0; lane < 32; lane += texels->together)
                add_group(w, e, texels, texels->mask & together << lane);
    }
}

static cache_kind kind_of(const event_memory *e, bool strong)
{
    switch (e->op) {
    case EVENT_STORE:
    case EVENT_COPY_WRITE: return CACHE_STORE;
    case EVENT_ATOMIC:
    case EVENT_REDUCTION: return CACHE_ATOMIC;
    default: return strong || e->flags & (EVENT_VOLATILE | EVENT_BYPASS_L1 | EVENT_BULK) ? CACHE_LOAD_L2 : CACHE_LOAD;
    }
}

/* Whether others see it outside of the multiprocessor: a load goes past L1 (LDG.STRONG.GPU). */
static bool is_strong(const event_insn *i) { return i->order > EVENT_ORDER_VOLATILE && i->scope > EVENT_SCOPE_CTA; }

static bool has_strong(const event_launch *l)
{
    for (uint32_t k = 0; l && k < l->insn_count; k++)
        if (is_strong(&l->insns[k])) return true;
    return false;
}

static bool has_hints(const event_launch *l)
{
    for (uint32_t k = 0; l && k < l->insn_count; k++)
        if (l->insns[k].l1_eviction || l->insns[k].l2_eviction) return true;
    return false;
}

/* What follows must see what others have stored: in machine code CCTL.IVALL, which drops all of L1, stands behind fences, loads and
 * atomics that acquire for more than the block, membar.gl among them. */
static bool clears_l1(uint8_t order, uint8_t scope)
{
    bool acquires = order == EVENT_ORDER_ACQUIRE || order == EVENT_ORDER_ACQ_REL || order == EVENT_ORDER_SC;
    return acquires && scope > EVENT_SCOPE_CTA;
}

/* Whether the warp has just done the same: it waits for another thread, and how often it asks here says nothing of a card. */
static bool is_poll(cache_worker *w, uint32_t insn, const cache_warp *warp)
{
    bool again = insn + 1 == warp->insn;
    cache_polls *p = &w->polls[LW_MIN(insn, w->launch->shape.insns)];
    p->left_out += again;
    p->taken += !again;
    return again;
}

/* Whether a store waits for what its basic block has loaded from shared memory, behind another store: the assembler brings such a load
 * before the stores of its own block, but not over a branch. That takes as long as a memory instruction: the store before has left L1. */
static bool waits_for_shared(const event_memory *e, const cache_warp *warp)
{
    if (!warp->stored || !e->launch) return false;
    const event_insn *insns = e->launch->insns;
    return insns[e->insn].awaits && insns[e->insn].part != insns[warp->insn - 1].part;
}

static void clear_l1(cache_worker *w, uint32_t time, uint32_t insn)
{
    const uint64_t line = CACHE_L1_CLEARED;
    const uint32_t words = 0;
    w->entry = (cache_entry){
        .kind = CACHE_LOAD_L2, .insn = insn < CACHE_INSNS ? insn : 0, .time = time & CACHE_TIME_MAX, .first = true};
    add_lines(w, &line, &words, 1);
}

/* Blocks of a wave take the place of those before one by one: what is left over at the end runs beside others. */
static cache_hot_wave wave_of(const cache_launch *l, uint32_t block)
{
    uint64_t at_once = (uint64_t)l->session->sm_count * l->shape.blocks_per_sm;
    uint64_t waves = LW_MAX(l->shape.blocks / at_once, (uint64_t)1);
    return (cache_hot_wave){block * waves / l->shape.blocks, waves};
}

static void enter_block(cache_worker *w, uint32_t block, const event_launch *launch)
{
    cache_launch *l = w->launch;
    if (!w->seen) w->strong = has_strong(launch);
    if (!w->seen) w->may_chain = cache_chain_may(launch);
    if (!w->seen && w->strong) w->polls = lw_alloc((l->shape.insns + (size_t)1) * sizeof *w->polls);
    if (!w->seen && has_hints(launch)) w->hints = launch->insns;
    w->seen = true;
    w->block = block;
    if (!l->warps[block]) l->warps[block] = lw_alloc(l->shape.warps_per_block * sizeof *w->warps);
    w->warps = l->warps[block];
    w->place = cache_block_rank(l, block);
    w->simple = !w->strong && !w->may_chain && w->place == CACHE_NO_RANK;
    w->wave = wave_of(l, block);
    w->banks = looks_at_banks(l, block);
    cache_place place = cache_place_in(l, block);
    uint64_t slot = place.sm * (uint64_t)l->shape.blocks_per_sm + place.round % l->shape.blocks_per_sm;
    w->local = CACHE_LOCAL_LINE + (slot * l->shape.warps_per_block << LOCAL_WORD_BITS);
}

static uint32_t highest(const cache_launch *l, const cache_warp *warps)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < l->shape.warps_per_block; k++) most = LW_MAX(most, warps[k].time);
    return most;
}

void cache_block_end(cache_launch *l, uint32_t block)
{
    cache_warp *warps = l->warps[block];
    if (!warps) return;
    l->block_time[block] = highest(l, warps);
    l->warps[block] = NULL;
    free(warps);
}

void cache_sync(void *state, const event_sync *e)
{
    cache_worker *w = state;
    cache_launch *l = w->launch;
    if (e->kind == EVENT_BLOCK_EXIT) {
        cache_block_end(l, e->block);
        if (w->block == e->block) w->block = NO_BLOCK;
        return;
    }
    if (e->kind == EVENT_FENCE) {
        if (!clears_l1(e->order, e->scope)) return;
        if (e->block != w->block) enter_block(w, e->block, e->launch);
        clear_l1(w, w->warps[e->warp].time, e->insn);
        return;
    }
    cache_warp *warps = l->warps[e->block];
    uint32_t most = warps ? highest(l, warps) : 0;
    for (uint32_t k = 0; warps && k < l->shape.warps_per_block; k++) {
        w->loop_barriers |= warps[k].looped;
        warps[k].time = most;
        warps[k].released = true;
        warps[k].fetched = 0;
    }
}

/* Warps that leave a barrier and wait for nothing but what they fetch from shared memory do the next thing together; where each goes
 * through much of it, they are apart at the end. */
static inline void see_fetch(cache_worker *w, const event_memory *e)
{
    if (e->block != w->block) enter_block(w, e->block, e->launch);
    cache_warp *warp = &w->warps[e->warp];
    w->fetched += LW_MAX(e->bytes / 4u, 1u);
    if (warp->released && warp->fetched <= CACHE_FEW_FETCHES) warp->fetched++;
}

static void see_load(cache_warp *warp)
{
    warp->loaded = true;
    warp->released = false;
    warp->fetched = 0;
}

static void note_loop(cache_worker *w, const event_memory *e)
{
    if (e->op != EVENT_LOAD) w->loop_others++;
    else {
        w->loop_loads++;
        w->loop_bytes += e->bytes;
    }
}

/* Whether a load is of memory beside what its warp has just stored, which the assembler knows by base and offset: it brings that before the
 * store (members that are changed one by one). */
static inline bool goes_before(const cache_warp *warp, const event_memory *e, bool global)
{
    if (e->op != EVENT_LOAD || !global || !warp->hoisted) return false;
    uint64_t from = e->address[__builtin_ctz(e->mask)];
    uint64_t apart = from > warp->stored_at ? from - warp->stored_at : warp->stored_at - from;
    return apart >= e->bytes && apart < 1u << CACHE_LINE_SHIFT;
}

/* The assembler brings stores together that have only loads between them which may go before them. */
static inline bool goes_on(cache_warp *warp, const event_memory *e, bool stores)
{
    bool may_go_before = e->op == EVENT_LOAD && e->flags & EVENT_NON_COHERENT;
    bool row = stores && warp->hoisted > 1;
    if (stores) warp->stored_at = e->address[__builtin_ctz(e->mask)];
    if (stores) warp->hoisted = 1;
    else if (may_go_before && warp->hoisted && warp->hoisted <= CACHE_ROW_LOADS) warp->hoisted++;
    else warp->hoisted = 0;
    return row;
}

/* The lines of the event, as entries that are as w->entry. */
static void record(cache_worker *w, const event_memory *e)
{
    if (w->entry.kind == CACHE_ATOMIC) cache_hot_add(&w->hot, e, w->entry.time, w->wave);
    if (e->space == EVENT_LOCAL) add_local(w, e);
    else if (e->space == EVENT_TEXTURE) add_texels(w, e);
    else if (e->flags & EVENT_BULK) add_range(w, e->address[__builtin_ctz(e->mask)], e->bytes_total);
    else if (e->shape == EVENT_CONSECUTIVE) add_range(w, e->address[0], 32u * e->bytes);
    else if (e->shape == EVENT_UNIFORM) add_lanes(w, e, e->mask & -e->mask);
    else add_lanes(w, e, e->op == EVENT_COPY_READ ? e->sources : e->mask);
}

/* What the warp does now: what entries say of it besides their lines. The warp has done it then. */
static inline __attribute__((always_inline)) cache_entry carry_out(cache_worker *w, const event_memory *e, bool global,
                                                                   bool stores, bool strong)
{
    cache_warp *warp = &w->warps[e->warp];
    if (stores && waits_for_shared(e, warp)) warp->time++;
    bool looped = warp->looped || e->insn < warp->insn || warp->loads >= UNROLLED_LOADS;
    if (looped) note_loop(w, e);
    bool before = goes_before(warp, e, global);
    uint32_t time = before ? warp->time - 1 : warp->time++;
    cache_entry entry = {.kind = kind_of(e, strong),
                         .insn = e->insn & (CACHE_INSNS - 1),
                         .released = warp->released,
                         .time = time & CACHE_TIME_MAX,
                         .narrow = e->bytes < 4,
                         .first = true,
                         .looped = looped,
                         .unloaded = global && !warp->loaded && stores && e->shape == EVENT_GENERAL,
                         .abreast = warp->fetched && warp->fetched <= CACHE_FEW_FETCHES};
    entry.row = !before && goes_on(warp, e, stores);
    if (!stores) see_load(warp);
    warp->looped = looped;
    warp->stored = stores;
    warp->insn = e->insn + 1;
    warp->loads += e->op == EVENT_LOAD;
    return entry;
}

/* Of memory that L1 and L2 stand before; global: of global memory. Not inlined: the short ways before it would save all registers. */
__attribute__((noinline)) static void see_access(cache_worker *w, const event_memory *e, bool global)
{
    if (e->insn >= CACHE_INSNS || e->flags & EVENT_FILLED) return;
    if (e->block != w->block) enter_block(w, e->block, e->launch);
    bool strong = w->strong && is_strong(event_insn_of(e));
    cache_warp *warp = &w->warps[e->warp];
    if (w->may_chain && global) cache_chain_note(&w->notes, e, warp->loads);
    if (strong && e->op == EVENT_LOAD && is_poll(w, e->insn, warp)) return;
    w->entry = carry_out(w, e, global, e->op == EVENT_STORE, strong);
    w->whole = is_whole(w, w->entry.time);
    uint64_t lines = w->sample.lines;
    record(w, e);
    if (e->op == EVENT_STORE) w->stored_lines += w->sample.lines - lines;
    if (strong && clears_l1(event_insn_of(e)->order, event_insn_of(e)->scope)) clear_l1(w, warp->time, e->insn);
}

/* Most accesses are ordinary, and the sample keeps nothing of them: then nothing is to be noted but that the warp has carried one out. */
__attribute__((noinline)) static void see_global(cache_worker *w, const event_memory *e)
{
    bool ordinary = e->op == EVENT_LOAD || e->op == EVENT_STORE;
    bool in_a_row = e->shape == EVENT_CONSECUTIVE && !(e->flags & (EVENT_BULK | EVENT_FILLED));
    bool simple = w->simple && e->block == w->block && e->insn < CACHE_INSNS;
    uint64_t lines = simple && ordinary && in_a_row ? lines_dropped(w, e) : 0;
    w->sample.lines += lines;
    if (!lines) see_access(w, e, true);
    else if (e->op == EVENT_LOAD) carry_out(w, e, true, false, false);
    else {
        carry_out(w, e, true, true, false);
        w->stored_lines += lines;
    }
}

void cache_memory(void *state, const event_memory *e)
{
    switch (e->space) {
    case EVENT_SHARED:
        if (e->op == EVENT_LOAD) see_fetch(state, e);
        return;
    case EVENT_TEXTURE:
        if (e->texels) see_access(state, e, false);
        return;
    case EVENT_LOCAL: see_access(state, e, false); return;
    case EVENT_GLOBAL: see_global(state, e); return;
    default: return;
    }
}

/* ---------------------------------------------------------------- launches */
void *cache_worker_begin(void *launch, uint32_t worker)
{
    (void)worker;
    cache_launch *l = launch;
    cache_worker *w = cache_session_worker(l->session);
    w->launch = l;
    w->block = NO_BLOCK;
    pthread_mutex_lock(&l->lock);
    w->next = l->workers;
    l->workers = w;
    pthread_mutex_unlock(&l->lock);
    return w;
}

cache_launch *cache_launch_make(cache_session *session, const cache_shape *shape)
{
    cache_launch *l = lw_alloc(sizeof *l);
    l->session = session;
    l->shape = *shape;
    if (!l->shape.hash_budget) l->shape.hash_budget = CACHE_HASH_BUDGET;
    if (!l->shape.full_budget) l->shape.full_budget = CACHE_FULL_BUDGET;
    l->shape.blocks_per_sm = LW_MAX(shape->blocks_per_sm, 1u);
    l->block_time = lw_alloc((size_t)(shape->blocks + 1) * sizeof *l->block_time);
    l->warps = lw_alloc((size_t)(shape->blocks + 1) * sizeof *l->warps);
    pthread_mutex_init(&l->lock, NULL);
    return l;
}

cache_hot cache_launch_hot(const cache_launch *l)
{
    cache_hot_counts *all = NULL;
    for (const cache_worker *w = l->workers; w; w = w->next) cache_hot_join(&all, w->hot);
    cache_hot hot = cache_hot_of(all);
    free(all);
    hot.turns = l->turns;
    hot.turn_lines = l->turn_lines;
    cache_notes notes = {0};
    for (const cache_worker *w = l->workers; w; w = w->next)
        for (size_t k = 0; k < w->notes.list.count; k++) lw_vec_push(&notes.list, w->notes.list.items[k]);
    hot.chain = cache_chain_of(&notes);
    lw_vec_free(&notes.list);
    return hot;
}

cache_share cache_share_gone(const cache_launch *l, uint32_t insn)
{
    cache_gone all = {0, 0, 0};
    for (const cache_worker *w = l->workers; w; w = w->next) {
        if (!w->gone) continue;
        all.lines += w->gone[insn].lines;
        all.next += w->gone[insn].next;
        all.next_but_one += w->gone[insn].next_but_one;
    }
    double lines = (double)LW_MAX(all.lines, (uint64_t)1);
    return (cache_share){(double)all.next / lines, (double)all.next_but_one / lines};
}

/* Its storage stays, for those of the next launch. */
static void end_worker(cache_session *session, cache_worker *w)
{
    const size_t most = 1u << 20; /* of each that storage is kept for: 16 MiB and less */
    free(w->hot);
    free(w->polls);
    free(w->gone);
    lw_vec_free(&w->notes.list);
    if (w->entries.capacity > most) lw_vec_free(&w->entries);
    if (w->segments.capacity > most) lw_vec_free(&w->segments);
    *w = (cache_worker){.entries = w->entries, .segments = w->segments};
    w->entries.count = 0;
    w->segments.count = 0;
    cache_session_idle(session, w);
}

void cache_launch_free(cache_launch *l)
{
    if (!l) return;
    for (cache_worker *w = l->workers, *next; w; w = next) {
        next = w->next;
        end_worker(l->session, w);
    }
    pthread_mutex_destroy(&l->lock);
    free(l->block_time);
    free(l->warps);
    free(l->sites);
    lw_vec_free(&l->put_back);
    free(l);
}
