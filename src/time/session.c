/* session.c: L2 from launch to launch. */
#include "time/session.h"

#include "time/ages.h"
#include "time/trace.h"

#include <math.h>
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
    s->partial_lines = lines * d->l2_partial_percent / 100;
    s->used_lines = lines;
    s->cold = cold;
    s->ages.item_bytes = sizeof(cache_age);
    s->asked.item_bytes = sizeof(cache_asked);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

cache_worker *cache_session_worker(cache_session *s)
{
    pthread_mutex_lock(&s->lock);
    cache_worker *w = s->idle;
    if (w) s->idle = w->next;
    pthread_mutex_unlock(&s->lock);
    if (!w) return lw_alloc(sizeof *w);
    w->next = NULL;
    return w;
}

void cache_session_idle(cache_session *s, cache_worker *w)
{
    pthread_mutex_lock(&s->lock);
    w->next = s->idle;
    s->idle = w;
    pthread_mutex_unlock(&s->lock);
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
    cache_table_free(&s->ages);
    cache_table_free(&s->asked);
    for (cache_worker *w = s->idle, *next; w; w = next) {
        next = w->next;
        lw_vec_free(&w->entries);
        lw_vec_free(&w->segments);
        free(w);
    }
    pthread_mutex_destroy(&s->lock);
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
    copy->soon = line->soon;
    to->lines.soon |= line->soon;
    if (line->last) cache_lru_keep(&to->lines, copy, 1);
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

static void bring(cache_session *s, uint32_t partition, uint64_t line, uint64_t how)
{
    cache_l2 *l2 = &s->l2[partition];
    cache_arrive(&l2->arrivals, &l2->lines, line, how);
    s->lines_since += UINT64_C(1) << s->level;
}

static void write_line(cache_session *s, uint64_t line, uint64_t how)
{
    if (cache_level_of(line) >= s->level) bring(s, cache_home_of(line), line, how);
}

/* The line as a copy of the host leaves it, and passes of a profiler that have read it since: of half of the lines the other partition has
 * a copy. That memory has still to be written is left out. */
static void copy_line(cache_session *s, uint64_t line)
{
    if (cache_level_of(line) < s->level) return;
    bring(s, cache_home_of(line), line, 0);
    if (cache_uniform(line * 13) < 0.5) bring(s, 1 - cache_home_of(line), line, 0);
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
        s->used_lines += (end + 1 - begin) * 3 / 2;
        s->copied_lines += (end + 1 - begin) * 3 / 2;
        for (uint64_t line = begin; line <= end; line++) copy_line(s, line);
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

/* All that is dirty goes to memory, and then is the first to go. */
static void write_back_all(cache_session *s)
{
    for (uint32_t p = 0; p < CACHE_PARTITIONS; p++) s->l2[p].lines.cleanings++;
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

/* What a profiler itself goes through before the pass that it measures. Measured: of 16.8 MB that a kernel reads again and again 2.2 miss
 * on an H100, 0.5 on an H200, of 25.2 MB 15.4 on an H100; if memory was allocated behind the first launch 14.3, 9.5 and 25. Without a
 * profiler none. Stores beside what is read drive out hardly any of the 16.8 MB (tests/hw/time/h200-reuse.csv), but do if memory was allocated
 * behind the first launch: else part of what a profiler goes through is the first to go. The passes before are not replayed: behind copies of
 * much it is less, and none of it goes first, so that of 33.5 MB that were copied 28 miss as recorded. Where managed memory is allocated more of its own is dirty, if it does not put back as much itself. Those lines of the last
 * time are still there, but for what was used since: launches that use little cost little. */
static void go_through_others(cache_session *s, const cache_shape *shape, uint64_t put_back)
{
    const device_profile *d = &s->device;
    bool behind_copies = 4 * s->copied_lines > s->l2_lines, early = !shape->late_memory && !behind_copies;
    uint64_t percent = shape->late_memory || early ? d->l2_profiler_late_percent : d->l2_profiler_percent;
    uint64_t all = LW_MAX(s->l2_lines * percent / 100, (uint64_t)1), lines = LW_MIN(all, 2 * s->used_lines);
    uint64_t dirty = d->l2_profiler_dirty_kb * 1000 >> CACHE_LINE_SHIFT;
    uint64_t managed = d->l2_profiler_managed_kb * 1000 >> CACHE_LINE_SHIFT;
    if (shape->managed_memory) dirty = LW_MAX(dirty, managed - LW_MIN(managed, put_back));
    dirty = LW_MIN(dirty, all) * lines / all;
    s->other_lines_left = LW_MIN(s->l2_lines * d->l2_profiler_behind_percent / 100, lines - dirty);
    uint64_t first = s->l2_lines * d->l2_profiler_first_percent / 100, before = lines - dirty - s->other_lines_left;
    first =
        early ? first - LW_MIN(first, all - lines) : 0; /* lines of the last time that are still there are none of it */
    first = LW_MIN(first, before);
    use_other_lines(s, before - first, 0);
    use_other_lines(s, first, CACHE_ARRIVES_DIRTY);
    if (first) write_back_all(s);
    use_other_lines(s, dirty, CACHE_ARRIVES_DIRTY);
    s->used_lines = 0;
    s->copied_lines = 0;
}

void cache_session_ready(cache_session *s, const cache_shape *shape)
{
    if (cache_session_watches(s, shape->live_bytes)) use_other_lines(s, s->other_lines_left, 0);
}

/* Sixteenths of L2, at least one: with a limit of 0, 16 and 32 MiB of 60 MiB 3.7, 18.3 and 33 MiB persist (tests/hw/h200-hints.csv). */
static double persisting_share(const cache_session *s, uint64_t bytes)
{
    const double parts = 16;
    double part = (double)(s->l2_lines << CACHE_LINE_SHIFT) / parts;
    return s->device.persisting_l2_bytes ? fmax(ceil((double)bytes / part), 1) / parts : 0;
}

void cache_session_reset_persisting(cache_session *s)
{
    for (uint32_t p = 0; p < CACHE_PARTITIONS; p++) cache_lru_forget_kept(&s->l2[p].lines);
}

void cache_session_begin(cache_session *s, uint32_t level, const cache_shape *shape, uint64_t put_back)
{
    bool watches = cache_session_watches(s, shape->live_bytes);
    if (!s->l2[0].lines.lines || level != s->level) resize(s, level);
    s->launches++;
    s->persisting_share = persisting_share(s, shape->persisting_bytes);
    for (uint32_t p = 0; s->cold && p < CACHE_PARTITIONS; p++) clear(&s->l2[p]);
    if (s->cold) s->known_level = 0;
    if (watches) {
        write_back_all(s);
        go_through_others(s, shape, put_back);
    }
    bool others_gone = s->lines_since > s->l2_lines && !s->l2[0].lines.lasts && !s->l2[1].lines.lasts;
    if (level >= s->known_level || others_gone) {
        s->known_level = level;
        s->lines_since = 0;
    }
}
