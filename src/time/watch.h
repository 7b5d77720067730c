/* watch: what the model of time wants to know of the accesses of whole multiprocessors, of which it sees line after line. */
#ifndef LW_TIME_WATCH_H
#define LW_TIME_WATCH_H

#include "time/trace.h"

#define CACHE_WORD_PLANES 7u /* accesses of up to 127 lines */

/* The load or store of a warp whose lines come one after the other, and all so far. */
typedef struct cache_watch {
    uint32_t block, time, insn;
    uint64_t page;
    uint32_t lines, pages;
    bool missed, pending;
    uint32_t planes[CACHE_WORD_PLANES]; /* per word of a line in how many lines it is wanted: bit k of these numbers */
    uint64_t alone, together;           /* lines that loads waited for: asked for by themselves, and by others */
} cache_watch;

/* A line of an access, which L1 had or had not, or which another warp had just asked for. sites: per instruction, where it is noted. */
void cache_watch_line(cache_watch *w, cache_site *sites, const cache_entry *e, uint32_t block, bool missed,
                      bool pending);
void cache_watch_end(cache_watch *w, cache_site *sites);
/* Of the lines that loads waited for the share that another warp had asked for: these warps go on together. */
double cache_watch_together(const cache_watch *w);

#endif
