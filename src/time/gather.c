/* gather.c: a launch's entries, in order of blocks and of turns. */
#include "time/gather.h"

#include "time/session.h"

#include <math.h>
#include <stdlib.h>

bool cache_is_whole(const cache_record *r, uint32_t block_rank, const cache_entry *e)
{
    uint32_t rank = cache_rank_of(block_rank, e->time);
    return rank != CACHE_NO_RANK && rank >= r->rank;
}

static int by_block(const void *a, const void *b)
{
    const cache_piece *x = a, *y = b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return x->entries < y->entries ? -1 : x->entries > y->entries; /* a block is of one worker */
}

/* What does not go by turns comes before what does. */
static uint32_t turn_of(const cache_entry *e) { return e->unloaded ? e->time : e->time | (CACHE_TURN - 1); }

/* Joins two runs that follow each other, in order of turns, into `to`. */
static void merge_runs(const cache_entry *from, size_t middle, size_t end, cache_entry *to)
{
    size_t left = 0, right = middle;
    for (size_t k = 0; k < end; k++) {
        bool take_left = left < middle && (right == end || turn_of(&from[left]) <= turn_of(&from[right]));
        to[k] = take_left ? from[left++] : from[right++];
    }
}

static size_t run_end(const cache_entry *entries, size_t begin, size_t count)
{
    size_t end = begin + 1;
    while (end < count && turn_of(&entries[end - 1]) <= turn_of(&entries[end])) end++;
    return end;
}

/* Sorts the entries of a block by turns; those of a turn stay in the order in which they were recorded, which is warp by
 * warp. A warp's are in order already, so it merges runs until there is one. */
static void sort_by_turn(cache_entry *entries, size_t count, cache_entry *room)
{
    if (run_end(entries, 0, count) >= count) return; /* as most are */
    for (size_t runs = 2; runs > 1;) {
        runs = 0;
        for (size_t begin = 0; begin < count; runs++) {
            size_t middle = run_end(entries, begin, count);
            size_t end = middle < count ? run_end(entries, middle, count) : middle;
            merge_runs(entries + begin, middle - begin, end - begin, room + begin);
            begin = end;
        }
        for (size_t k = 0; runs && k < count; k++) entries[k] = room[k];
    }
}

/* Drops what the sample of the launch does not keep: a worker alone may have kept more. */
static void drop_unwanted(const cache_record *r, const cache_launch *l, cache_piece *p)
{
    uint32_t kept = 0, block_rank = cache_block_rank(l, p->block);
    for (uint32_t k = 0; k < p->count; k++) {
        const cache_entry *e = &p->entries[k];
        if (cache_level_of(e->line) >= r->level || cache_is_whole(r, block_rank, e)) p->entries[kept++] = *e;
    }
    p->count = kept;
}

/* The end of the pieces of the same block. */
static size_t block_end(const cache_record *r, size_t begin)
{
    size_t end = begin + 1;
    while (end < r->pieces.count && r->pieces.items[end].block == r->pieces.items[begin].block) end++;
    return end;
}

/* Of blocks of several pieces, which have to be copied. */
static size_t entries_apart(const cache_record *r)
{
    size_t count = 0;
    for (size_t k = 0, end; k < r->pieces.count; k = end) {
        end = block_end(r, k);
        for (size_t n = k; end - k > 1 && n < end; n++) count += r->pieces.items[n].count;
    }
    return count;
}

/* So many pieces of a block as one, whose entries are copied. */
static cache_piece join(const cache_piece *pieces, size_t count, cache_entry *to)
{
    cache_piece whole = {.block = pieces->block, .entries = to};
    for (size_t k = 0; k < count; k++)
        for (uint32_t e = 0; e < pieces[k].count; e++) to[whole.count++] = pieces[k].entries[e];
    return whole;
}

/* One piece per block, its entries in order of turns. */
static void join_pieces(cache_record *r)
{
    size_t used = 0, joined = 0;
    LW_VEC(cache_entry) room = {0};
    r->entries = lw_alloc((entries_apart(r) + 1) * sizeof *r->entries);
    for (size_t k = 0, end; k < r->pieces.count; k = end) {
        cache_piece whole = r->pieces.items[k];
        end = block_end(r, k);
        if (end - k > 1) {
            whole = join(&r->pieces.items[k], end - k, r->entries + used);
            used += whole.count;
        }
        lw_vec_reserve(&room, whole.count);
        sort_by_turn(whole.entries, whole.count, room.items);
        r->pieces.items[joined++] = whole;
    }
    r->pieces.count = joined;
    lw_vec_free(&room);
}

static bool has_barriers(const cache_launch *l)
{
    for (const cache_worker *w = l->workers; w; w = w->next)
        if (w->loop_barriers) return true;
    return false;
}

/* Where warps wait for the schedulers or L1 rather than for memory: in loops of loads of a word or two and hardly any stores. */
static bool loads_little(const cache_launch *l)
{
    const uint64_t wide = 8;
    uint64_t loads = 0, bytes = 0, others = 0;
    for (const cache_worker *w = l->workers; w; w = w->next) {
        loads += w->loop_loads;
        bytes += w->loop_bytes;
        others += w->loop_others;
    }
    return loads && bytes <= wide * loads && others * 8 < loads;
}

static void settle_sample(cache_record *r, cache_launch *l)
{
    cache_sample all = {.level = 0};
    for (cache_worker *w = l->workers; w; w = w->next) {
        all.level = LW_MAX(all.level, w->sample.level);
        all.rank = LW_MAX(all.rank, w->sample.rank);
    }
    for (cache_worker *w = l->workers; w; w = w->next) {
        all.lines += w->sample.lines;
        r->fetched += w->fetched;
        l->stored_lines += (double)w->stored_lines;
        for (uint32_t k = all.level; k < CACHE_LEVELS; k++) all.at_level[k] += w->sample.at_level[k];
        for (uint32_t k = all.rank; k < CACHE_RANKS; k++) all.at_rank[k] += w->sample.at_rank[k];
    }
    for (uint32_t k = all.level; k < CACHE_LEVELS; k++) all.hashed += all.at_level[k];
    for (uint32_t k = all.rank; k < CACHE_RANKS; k++) all.whole += all.at_rank[k];
    cache_sample_limit(&all, &l->shape);
    r->level = all.level;
    r->rank = all.rank;
    r->lines = all.lines;
    r->kept = fmin((double)all.whole * l->session->sm_count / (double)LW_MAX(all.lines, (uint64_t)1), 1);
}

void cache_gather(cache_record *r, cache_launch *l)
{
    for (uint64_t b = 0; b < l->shape.blocks; b++) /* of a launch that was stopped */
        if (l->warps[b]) cache_block_end(l, (uint32_t)b);
    for (cache_worker *w = l->workers; w; w = w->next)
        for (size_t s = 0; s < w->segments.count; s++) {
            const cache_segment *segment = &w->segments.items[s];
            cache_piece p = {segment->block, segment->count, w->entries.items + segment->begin};
            if (p.count) lw_vec_push(&r->pieces, p);
        }
    settle_sample(r, l);
    r->barriers = has_barriers(l);
    r->paced = r->barriers || loads_little(l);
    if (r->pieces.count) qsort(r->pieces.items, r->pieces.count, sizeof *r->pieces.items, by_block);
    for (size_t k = 0; k < r->pieces.count; k++) drop_unwanted(r, l, &r->pieces.items[k]);
    join_pieces(r);
}

void cache_record_free(cache_record *r)
{
    lw_vec_free(&r->pieces);
    free(r->entries);
}
