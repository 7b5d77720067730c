#include "time/putback.h"

#include "time/session.h"

void cache_launch_changed(cache_launch *l, uint64_t address, uint64_t bytes)
{
    cache_range range = {address >> CACHE_LINE_SHIFT, (address + bytes + 127) >> CACHE_LINE_SHIFT, true};
    lw_vec_push(&l->put_back, range);
}

void cache_launch_managed(cache_launch *l, uint64_t address, uint64_t bytes)
{
    cache_range range = {address >> CACHE_LINE_SHIFT, (address + bytes + 127) >> CACHE_LINE_SHIFT, false};
    lw_vec_push(&l->put_back, range);
    l->managed = true;
}

/* The range that holds the line; NULL: none does. */
static cache_range *range_of(const cache_launch *l, uint64_t line)
{
    size_t low = 0, high = l->put_back.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (l->put_back.items[middle].end <= line) low = middle + 1;
        else high = middle;
    }
    bool within = low < l->put_back.count && line >= l->put_back.items[low].begin;
    return within ? &l->put_back.items[low] : NULL;
}

static void see_stored(cache_launch *l, const cache_entry *e, uint32_t level)
{
    bool stores = e->kind == CACHE_STORE || e->kind == CACHE_ATOMIC;
    if (!stores || cache_level_of(cache_line_of(e)) < level) return;
    cache_range *range = range_of(l, cache_line_of(e));
    if (range) range->stored = true;
}

/* Managed memory is put back where the launch stores, whatever it stores. Of the lines of the sample: multiprocessors that are kept whole say
 * nothing of the others. */
static void find_stored(cache_launch *l, const cache_record *r)
{
    for (size_t k = 0; k < r->pieces.count; k++) {
        const cache_piece *p = &r->pieces.items[k];
        for (uint32_t e = 0; e < p->count; e++) see_stored(l, &p->entries[e], r->level);
    }
}

uint64_t cache_lines_put_back(cache_launch *l, const cache_record *record)
{
    uint64_t lines = 0;
    if (l->managed) find_stored(l, record);
    l->managed = false;
    for (size_t k = 0; k < l->put_back.count; k++)
        if (l->put_back.items[k].stored) lines += l->put_back.items[k].end - l->put_back.items[k].begin;
    return lines;
}

/* The ranges that were last are dirty, as many as may be. */
void cache_put_back(cache_launch *l, uint64_t lines)
{
    cache_session *s = l->session;
    uint64_t after = lines;
    if (!cache_session_watches(s, l->shape.live_bytes)) return;
    for (size_t k = 0; k < l->put_back.count; k++) {
        cache_range range = l->put_back.items[k];
        if (!range.stored) continue;
        after -= range.end - range.begin;
        cache_session_restore(s, range.begin, range.end, s->restored_lines - LW_MIN(after, s->restored_lines));
    }
}
