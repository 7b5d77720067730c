/* l1: the lines of a multiprocessor's L1: in sets of four ways, of data that all sets share. */
#ifndef LW_TIME_L1_H
#define LW_TIME_L1_H

#include "time/lru.h"

#define CACHE_L1_SETS 512u
#define CACHE_L1_WAYS 4u
#define CACHE_L1_SLICES 4u
#define CACHE_L1_PLACES (CACHE_L1_SETS * CACHE_L1_WAYS)

typedef struct cache_way {
    uint64_t tag;
    uint32_t used; /* when, in uses of the cache; less: what goes before all others */
    uint32_t came; /* when it was brought in, as `now` */
    bool last;     /* it goes after others */
    bool again;    /* something was found in it since it came in, or since this was so of all of its set */
} cache_way;

/* Every fourth set, and a quarter of the data. */
typedef struct cache_slice {
    uint32_t count; /* lines in it */
    uint32_t hand;  /* the next of its sets that gives one up */
} cache_slice;

typedef struct cache_l1 {
    cache_way *ways;   /* those of a set stand together */
    cache_line *lines; /* what they hold, in the same order */
    void *room;        /* that these stand in */
    cache_slice slices[CACHE_L1_SLICES];
    uint32_t slice_lines;  /* that a slice can hold */
    uint32_t uses, firsts; /* the last of each: uses go up, firsts go down */
} cache_l1;

/* Of about so many lines of data, CACHE_L1_PLACES at most. */
void cache_l1_init(cache_l1 *c, uint32_t lines);
void cache_l1_free(cache_l1 *c);
/* The line, which is brought in if it is not there. It keeps its place until it has to go, which lines that come in just now do last: they are on
 * their way. eviction: event_eviction of the access, but EVENT_NO_ALLOCATE. evicted: what went for it, or its `touched` is 0. */
cache_line *cache_l1_use(cache_l1 *c, uint64_t tag, uint32_t now, uint8_t eviction, cache_line *evicted);
/* Something was found in the line: it is kept, until all in its set were found again. */
void cache_l1_hit(cache_l1 *c, const cache_line *line);
/* The line, or NULL; it does not count as used. */
cache_line *cache_l1_find(const cache_l1 *c, uint64_t tag);
/* The line will be asked for soon: what finds it is fetched; when that is there, the place it has, or may get. */
void cache_l1_expect(const cache_l1 *c, uint64_t tag);
size_t cache_l1_expected(const cache_l1 *c, uint64_t tag);
uint32_t cache_l1_count(const cache_l1 *c);
static inline uint32_t cache_l1_capacity(const cache_l1 *c) { return c->slice_lines * CACHE_L1_SLICES; }

#endif
