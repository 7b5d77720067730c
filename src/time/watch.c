#include "time/watch.h"

#define PAGE_SHIFT 5 /* 32 lines: 4 KiB */
#define MANY_LINES 5u

/* Lines leave L1's data stage together where they differ in the words that are wanted: as many wavefronts as the word that
 * is wanted of most lines. */
static uint32_t wavefronts(const uint32_t *planes)
{
    uint32_t most = 0, words = UINT32_MAX;
    for (uint32_t k = CACHE_WORD_PLANES; k-- > 0;) {
        if (!(words & planes[k])) continue;
        words &= planes[k];
        most |= 1u << k;
    }
    return most;
}

static void add_words(uint32_t *planes, uint32_t words)
{
    for (uint32_t k = 0; words && k < CACHE_WORD_PLANES; k++) {
        uint32_t carry = planes[k] & words;
        planes[k] ^= words;
        words = carry;
    }
}

void cache_watch_end(cache_watch *w, cache_site *sites)
{
    cache_site *site = &sites[w->insn];
    site->lines += w->lines;
    site->wavefronts += wavefronts(w->planes);
    if (w->lines < MANY_LINES) return;
    site->many_lines += w->lines - 1;
    site->many_pages += w->pages - 1;
}

void cache_watch_line(cache_watch *w, cache_site *sites, const cache_entry *e, uint32_t block, bool missed,
                      bool pending)
{
    cache_site *site = &sites[e->insn];
    uint64_t page = cache_line_of(e) >> PAGE_SHIFT;
    if (e->first || w->block != block || w->time != e->time || w->insn != e->insn) {
        cache_watch_end(w, sites);
        *w =
            (cache_watch){.block = block, .time = e->time, .insn = e->insn, .alone = w->alone, .together = w->together};
        site->loads++;
    }
    w->lines++;
    w->alone += missed;
    w->together += pending && !missed;
    add_words(w->planes, e->words);
    w->pages += page != w->page;
    w->page = page;
    if (pending && !missed && !w->missed && !w->pending) {
        site->pending_loads++;
        w->pending = true;
    }
    if (!missed) return;
    if (w->pending && !w->missed) site->pending_loads--;
    site->missed_lines++;
    site->missed_loads += !w->missed;
    w->missed = true;
}

double cache_watch_together(const cache_watch *w)
{
    uint64_t all = w->alone + w->together;
    return all ? (double)w->together / (double)all : 0;
}
