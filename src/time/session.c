/* session.c: L2 from launch to launch. */
#include "time/session.h"

#include <stdlib.h>

#define LEAST_LINES 16u /* of a partition's sample */
#define PROFILER_LINE (UINT64_C(1) << 51)

cache_session *cache_session_make(const device_profile *d, bool cold)
{
    cache_session *s = lw_alloc(sizeof *s);
    uint64_t lines = d->l2_bytes >> CACHE_LINE_SHIFT;
    s->device = *d;
    s->sm_count = (uint32_t)LW_MAX(d->sm_count, (uint64_t)1);
    s->l1_bytes = d->l1_bytes;
    s->l2_lines = lines;
    s->dirty_share = (double)d->l2_dirty_percent / 100;
    s->restored_lines = lines * d->l2_restored_percent / 100;
    s->profiler_lines = lines * d->l2_profiler_percent / 100;
    s->profiler_dirty_lines = d->l2_profiler_dirty_kb * 1000 >> CACHE_LINE_SHIFT;
    s->partial_lines = lines * d->l2_partial_percent / 100;
    s->used_lines = lines;
    s->cold = cold;
    return s;
}

static void free_l2(cache_l2 *l2)
{
    cache_lru_free(&l2->lines);
    cache_arrivals_free(&l2->arrivals);
    lw_vec_free(&l2->partial.tags);
}

void cache_session_free(cache_session *s)
{
    if (!s) return;
    for (uint32_t p = 0; p < CACHE_PARTITIONS; p++) free_l2(&s->l2[p]);
    cache_ages_free(&s->ages);
    cache_ages_free(&s->asked);
    free(s);
}

static void make_l2(const cache_session *s, cache_l2 *l2, uint32_t level)
{
    uint64_t lines = s->l2_lines / CACHE_PARTITIONS >> level;
    *l2 = (cache_l2){.partial.begin = 0};
    cache_lru_init(&l2->lines, (uint32_t)LW_MAX(lines, (uint64_t)LEAST_LINES), (uint32_t)s->device.l2_ways);
    cache_arrivals_init(&l2->arrivals, &l2->lines);
}

static void take_over_line(cache_l2 *to, const cache_line *line)
{
    cache_line evicted;
    cache_line *copy = cache_lru_use(&to->lines, line->tag, &evicted);
    copy->launch = line->launch;
    copy->writer = line->writer;
    copy->valid = line->valid;
    copy->touched = line->touched;
    copy->words = line->words;
    cache_lru_dirty(&to->lines, copy, line->dirty);
}

/* What a sample of another size still knows of the lines. */
static void take_over(cache_l2 *to, cache_l2 *from, uint32_t level)
{
    const cache_lru *c = &from->lines;
    cache_arrivals_settle_all(&from->arrivals, &from->lines);
    for (uint32_t set = 0; set < c->set_count; set++)
        for (uint32_t k = c->sets[set].oldest; k != CACHE_NO_LINE; k = c->lines[k].newer) {
            cache_lru_see_cleanings(c, &c->lines[k]);
            if (cache_level_of(c->lines[k].tag) >= level) take_over_line(to, &c->lines[k]);
        }
}

static void resize(cache_session *s, uint32_t level)
{
    for (uint32_t p = 0; p < CACHE_PARTITIONS; p++) {
        cache_l2 before = s->l2[p];
        make_l2(s, &s->l2[p], level);
        if (before.lines.lines) take_over(&s->l2[p], &before, level);
        free_l2(&before);
    }
    s->level = level;
}

static void clear(cache_l2 *l2)
{
    if (l2->lines.count) cache_lru_clear(&l2->lines);
    if (l2->arrivals.any) cache_arrivals_clear(&l2->arrivals, &l2->lines);
    l2->partial.tags.count = 0;
    l2->partial.begin = 0;
}

/* The line, as a copy leaves it. That memory has still to be written is left out. */
static void write_line(cache_session *s, uint64_t line, uint64_t how)
{
    cache_l2 *l2 = &s->l2[cache_home_of(line)];
    if (cache_level_of(line) < s->level) return;
    cache_arrive(&l2->arrivals, &l2->lines, line, how);
    s->lines_since += UINT64_C(1) << s->level;
}

void cache_session_write(cache_session *s, uint64_t address, uint64_t bytes, uint64_t rows, uint64_t pitch)
{
    if (s->cold || !bytes) return;
    if (!s->l2[0].lines.lines) resize(s, s->level);
    uint64_t lines = s->l2_lines / 2 * 3; /* before them all has gone, in the fullest of sets, too */
    uint64_t most = LW_MAX((lines << CACHE_LINE_SHIFT) / bytes, (uint64_t)1);
    for (uint64_t row = rows > most ? rows - most : 0; row < rows; row++) {
        uint64_t begin = (address + row * pitch) >> CACHE_LINE_SHIFT;
        uint64_t end = (address + row * pitch + bytes - 1) >> CACHE_LINE_SHIFT;
        if (end - begin >= lines) begin = end + 1 - lines;
        s->used_lines += end + 1 - begin;
        for (uint64_t line = begin; line <= end; line++) write_line(s, line, 0);
    }
}

bool cache_session_watches(const cache_session *s, uint64_t live_bytes)
{
    return !s->cold && 4 * live_bytes >> CACHE_LINE_SHIFT > s->l2_lines;
}

void cache_session_restore(cache_session *s, uint64_t begin, uint64_t end, uint64_t dirty)
{
    const uint64_t backup = UINT64_C(1) << 50; /* far from what programs have */
    if (end - begin > s->l2_lines) begin = end - s->l2_lines;
    for (uint64_t line = begin; line < end; line++) {
        write_line(s, line + backup, 0);
        write_line(s, line, CACHE_ARRIVES_RESTORED | (end - line <= dirty ? CACHE_ARRIVES_DIRTY : 0));
    }
}

/* Lines of a profiler's own, by any addresses that programs do not have; only their number counts. */
static void use_other_lines(cache_session *s, uint64_t lines, uint64_t how)
{
    for (uint64_t k = 0; k < lines >> s->level; k++) {
        cache_l2 *l2 = &s->l2[k % CACHE_PARTITIONS];
        cache_arrive(&l2->arrivals, &l2->lines, PROFILER_LINE + s->other_lines++, how);
    }
    s->lines_since += lines;
}

/* Those of the last time are still there, but for what was used since: launches that use little cost little. */
static void go_through_others(cache_session *s)
{
    uint64_t clean = LW_MIN(s->profiler_lines, 2 * s->used_lines);
    use_other_lines(s, clean, 0);
    use_other_lines(s, clean * s->profiler_dirty_lines / LW_MAX(s->profiler_lines, (uint64_t)1), CACHE_ARRIVES_DIRTY);
    s->used_lines = 0;
}

void cache_session_begin(cache_session *s, uint32_t level, uint64_t live_bytes)
{
    if (!s->l2[0].lines.lines || level != s->level) resize(s, level);
    s->launches++;
    for (uint32_t p = 0; p < CACHE_PARTITIONS; p++) {
        if (s->cold) clear(&s->l2[p]);
        else if (cache_session_watches(s, live_bytes)) s->l2[p].lines.cleanings++;
    }
    if (s->cold) s->known_level = 0;
    if (cache_session_watches(s, live_bytes)) go_through_others(s);
    if (level >= s->known_level || s->lines_since > s->l2_lines) {
        s->known_level = level;
        s->lines_since = 0;
    }
}
