/* session.c: L2 from launch to launch. */
#include "time/session.h"

#include <stdlib.h>

#define LEAST_LINES 16u /* of a partition's sample */

cache_session *cache_session_make(const device_profile *d, bool cold)
{
    cache_session *s = lw_alloc(sizeof *s);
    uint64_t lines = d->l2_bytes >> CACHE_LINE_SHIFT;
    s->sm_count = (uint32_t)LW_MAX(d->sm_count, (uint64_t)1);
    s->l1_bytes = d->l1_bytes;
    s->l2_lines = lines * d->l2_use_percent / 100;
    s->dirty_lines = lines * d->l2_dirty_percent / 100;
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
    cache_ages_free(&s->pages);
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

void cache_session_begin(cache_session *s, uint32_t level)
{
    if (!s->l2[0].lines.lines || level != s->level) resize(s, level);
    s->launches++;
    if (s->cold) {
        for (uint32_t p = 0; p < CACHE_PARTITIONS; p++) clear(&s->l2[p]);
        s->known_level = 0;
    }
    if (level >= s->known_level || s->lines_since > s->l2_lines) {
        s->known_level = level;
        s->lines_since = 0;
    }
}
