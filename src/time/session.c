/* session.c: L2 from launch to launch. */
#include "time/session.h"

#include <stdlib.h>

#define LEAST_LINES 16u /* of a partition's sample */

cache_session *cache_session_make(const device_profile *d, bool cold)
{
    cache_session *s = lw_alloc(sizeof *s);
    uint64_t lines = d->l2_bytes >> CACHE_LINE_SHIFT;
    s->device = *d;
    s->sm_count = (uint32_t)LW_MAX(d->sm_count, (uint64_t)1);
    s->l1_bytes = d->l1_bytes;
    s->l2_lines = lines * d->l2_use_percent / 100;
    s->all_lines = lines;
    s->dirty_lines = lines * d->l2_dirty_percent / 100;
    s->restored_lines = s->l2_lines * d->l2_dirty_percent / 100;
    s->partial_lines = lines * d->l2_partial_percent / 100;
    s->cold = cold;
    return s;
}

static void free_l2(cache_l2 *l2)
{
    cache_lru_free(&l2->lines);
    lw_vec_free(&l2->dirty.tags);
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
    *l2 = (cache_l2){.dirty_count = 0};
    cache_lru_init(&l2->lines, (uint32_t)LW_MAX(lines, (uint64_t)LEAST_LINES));
}

/* What a sample of another size still knows of the lines. */
static void take_over(cache_l2 *to, const cache_l2 *from, uint32_t level)
{
    for (uint32_t k = from->lines.oldest; k != CACHE_NO_LINE; k = from->lines.lines[k].newer) {
        const cache_line *line = &from->lines.lines[k];
        cache_line evicted;
        if (cache_level_of(line->tag) < level) continue;
        cache_line *copy = cache_lru_use(&to->lines, line->tag, line->used, &evicted);
        if (evicted.touched && evicted.dirty) to->dirty_count--;
        copy->launch = line->launch;
        copy->writer = line->writer;
        copy->valid = line->valid;
        copy->touched = line->touched;
        copy->dirty = line->dirty;
        copy->words = line->words;
        to->dirty_count += line->dirty != 0;
    }
    for (size_t k = from->dirty.begin; k < from->dirty.tags.count; k++) {
        cache_line *line = cache_lru_find(&to->lines, from->dirty.tags.items[k]);
        if (!line || line->queued || !line->dirty) continue;
        line->queued = true;
        lw_vec_push(&to->dirty.tags, line->tag);
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
    l2->dirty.tags.count = 0;
    l2->dirty.begin = 0;
    l2->partial.tags.count = 0;
    l2->partial.begin = 0;
    l2->dirty_count = 0;
}

/* The line, as a copy leaves it: whole, and not of this launch. That memory has still to be written is left out. */
static void write_line(cache_session *s, uint64_t line)
{
    cache_l2 *l2 = &s->l2[cache_home_of(line)];
    cache_line evicted;
    cache_line *l = cache_lru_use(&l2->lines, line, 0, &evicted);
    if (evicted.touched && evicted.dirty) l2->dirty_count--;
    if (l->dirty) l2->dirty_count--;
    l->valid = CACHE_ALL_SECTORS;
    l->touched = CACHE_ALL_SECTORS;
    l->dirty = 0;
    l->launch = 0;
    s->lines_since += UINT64_C(1) << s->level;
}

void cache_session_write(cache_session *s, uint64_t address, uint64_t bytes, uint64_t rows, uint64_t pitch)
{
    if (s->cold || !bytes) return;
    if (!s->l2[0].lines.lines) resize(s, s->level);
    uint64_t most = LW_MAX((s->l2_lines << CACHE_LINE_SHIFT) / bytes, (uint64_t)1); /* rows before them have gone */
    for (uint64_t row = rows > most ? rows - most : 0; row < rows; row++) {
        uint64_t begin = (address + row * pitch) >> CACHE_LINE_SHIFT;
        uint64_t end = (address + row * pitch + bytes - 1) >> CACHE_LINE_SHIFT;
        if (end - begin >= s->l2_lines) begin = end + 1 - s->l2_lines;
        for (uint64_t line = begin; line <= end; line++)
            if (cache_level_of(line) >= s->level) write_line(s, line);
    }
}

bool cache_session_watches(const cache_session *s, uint64_t live_bytes)
{
    return !s->cold && 4 * live_bytes >> CACHE_LINE_SHIFT > s->l2_lines;
}

static void restore_line(cache_session *s, uint64_t line, bool dirty)
{
    cache_l2 *l2 = &s->l2[cache_home_of(line)];
    if (cache_level_of(line) < s->level) return;
    write_line(s, line);
    cache_line *l = cache_lru_find(&l2->lines, line);
    l->launch = CACHE_RESTORED;
    if (!dirty) return;
    l->dirty = CACHE_ALL_SECTORS;
    l->queued = true;
    l2->dirty_count++;
    lw_vec_push(&l2->dirty.tags, line);
}

void cache_session_restore(cache_session *s, uint64_t begin, uint64_t end, uint64_t dirty)
{
    const uint64_t backup = UINT64_C(1) << 50; /* far from what programs have */
    if (end - begin > s->l2_lines) begin = end - s->l2_lines;
    for (uint64_t line = begin; line < end; line++) {
        if (cache_level_of(line + backup) >= s->level) write_line(s, line + backup);
        restore_line(s, line, end - line <= dirty);
    }
}

static bool many_bytes(const cache_session *s, uint64_t live_bytes)
{
    return live_bytes >> CACHE_LINE_SHIFT > s->all_lines;
}

/* What of L2 a profiler's saving of so much memory drives out, which goes through it twice. Measured on an H200 with 60 MiB: of memory
 * that is read or copied 0 to 20 % at 8 MB, 22 to 56 % at 17, 50 to 92 % at 25, 90 to 100 % at 34. */
static double lost_share(const cache_session *s, uint64_t live_bytes)
{
    double none = (double)s->device.l2_saving_none_percent, all = (double)s->device.l2_saving_all_percent;
    double part = 100.0 * (double)(live_bytes >> CACHE_LINE_SHIFT) / (double)s->all_lines;
    if (!cache_session_watches(s, live_bytes)) return 0;
    return LW_MIN(LW_MAX((part - none) / (all - none), 0.0), 1.0);
}

void cache_session_begin(cache_session *s, uint32_t level, uint64_t live_bytes, bool written)
{
    if (!s->l2[0].lines.lines || level != s->level) resize(s, level);
    s->launches++;
    s->saved = lost_share(s, live_bytes);
    s->lost = written || many_bytes(s, live_bytes) ? s->saved : 0;
    if (s->cold || s->lost >= 1) {
        for (uint32_t p = 0; p < CACHE_PARTITIONS; p++) clear(&s->l2[p]);
        s->known_level = 0;
    }
    if (level >= s->known_level || s->lines_since > s->l2_lines) {
        s->known_level = level;
        s->lines_since = 0;
    }
}

static void save_line(const cache_session *s, cache_l2 *l2, cache_line *line)
{
    if (line->launch != s->launches || !line->stored) return;
    l2->dirty_count -= line->dirty != 0;
    line->valid |= line->dirty;
    line->dirty = 0;
    if (cache_uniform(line->tag * 5 + s->launches) < s->saved) cache_lru_drop(&l2->lines, line);
}

void cache_session_save_changed(cache_session *s)
{
    for (uint32_t p = 0; p < CACHE_PARTITIONS;
         p++) /* backwards: the last line takes the place of one that is dropped */
        for (uint32_t k = s->l2[p].lines.count; k-- > 0;) save_line(s, &s->l2[p], &s->l2[p].lines.lines[k]);
}
