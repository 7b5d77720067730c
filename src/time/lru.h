/* lru: a sectored cache of lines of 128 bytes, in sets of which the least recently used line goes. */
#ifndef LW_TIME_LRU_H
#define LW_TIME_LRU_H

#include "base/base.h"

#define CACHE_SECTOR_BYTES 32u
#define CACHE_LINE_SHIFT 7
#define CACHE_ALL_SECTORS 0xfu

typedef struct cache_line {
    _Alignas(64) uint64_t tag; /* address >> CACHE_LINE_SHIFT */
    uint32_t newer, older;     /* index of the neighbour in order of use; CACHE_NO_LINE: none */
    uint32_t launch;           /* number of the launch that used it last */
    uint32_t writer;           /* instruction of that launch that wrote it last */
    uint32_t words;            /* written since the line is here */
    uint8_t valid;             /* sectors that hold what memory holds, or what was written over all of their bytes */
    uint8_t touched;           /* sectors that hold anything: valid ones, and those written in part */
    uint8_t dirty;             /* touched sectors that memory does not have yet */
    bool stored;               /* by the launch that used it last */
    uint32_t filled;           /* time at which sectors were last brought in, + 1; 0: not known */
    uint32_t far_insn;   /* of a line at home, before it is stored: the last instruction that loaded of it elsewhere, */
    uint32_t far_launch; /* the launch, */
    float far_missed;    /* the share of them that has been taken to miss in a later pass, */
    uint8_t far;         /* and the sectors */
    uint8_t seen;        /* of a copy: sectors that this launch has loaded */
    bool last;           /* it goes after others of its set: cache_lru_keep() */
    bool soon;           /* it is the first to be written back, and then the next that goes */
    bool queued_partial; /* it stands in the queue of lines written in part */
    uint32_t cleanings;  /* of the cache that the line has seen */
} cache_line;

#define CACHE_NO_LINE UINT32_MAX
#define CACHE_RESTORED UINT32_MAX /* as the launch that used a line: a profiler has put it back */

typedef struct cache_set {
    uint32_t count, dirty;   /* lines, and those of them that are dirty and go before `lasts` */
    uint32_t newest, oldest; /* CACHE_NO_LINE: there is none */
    uint32_t cleanings;      /* of the cache that the count of dirty lines has seen */
    uint32_t lasts;          /* lines that go after the others */
} cache_set;

typedef struct cache_slot {
    uint32_t line; /* its index + 1; 0: free */
    uint32_t hash; /* of its tag: most lines that are not meant need not be looked at */
} cache_slot;

typedef struct cache_lru {
    cache_line *lines; /* those of a set stand together, in use from its first place on */
    void *room;        /* that they stand in */
    cache_set *sets;
    uint32_t set_count, ways;
    uint32_t capacity, count; /* of all sets */
    uint32_t lasts;           /* the same */
    bool soon;                /* lines may be `soon` */
    cache_slot *slots;        /* hash table, linear probing */
    uint32_t slot_mask;
    uint32_t
        cleanings; /* how often all that was dirty has been written to memory: each line sees to it when it is used */
} cache_lru;

static inline uint64_t cache_mix(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* Sets of about so many ways each; as many as capacity: one. */
void cache_lru_init(cache_lru *c, uint32_t capacity, uint32_t ways);
void cache_lru_free(cache_lru *c);
void cache_lru_clear(cache_lru *c);
static inline cache_set *cache_lru_set(const cache_lru *c, uint64_t tag)
{
    if (c->set_count == 1) return c->sets;
    uint64_t hash = cache_mix(tag ^ UINT64_C(0x2545f4914f6cdd1d)) & UINT32_MAX;
    return &c->sets[hash * c->set_count >> 32];
}

static inline uint32_t cache_lru_hash(uint64_t tag) { return (uint32_t)(cache_mix(tag) >> 20); }

/* NULL: it does not hold the line. Does not count as use. */
cache_line *cache_lru_find(const cache_lru *c, uint64_t tag);
/* The line, now the newest; made without sectors if it is not there. *evicted: a copy of the line that had to go, its
 * touched == 0: none had to. */
cache_line *cache_lru_use(cache_lru *c, uint64_t tag, cache_line *evicted);
/* Says which sectors of a line are dirty: a set counts such lines. */
void cache_lru_dirty(cache_lru *c, cache_line *line, uint32_t sectors);
/* The line goes after all others of its set that were not kept so. Of those of a set at most this share is: the one that was used longest
 * ago is then as others. */
void cache_lru_keep(cache_lru *c, cache_line *line, double share);
void cache_lru_forget_kept(cache_lru *c); /* no line is kept so any more */
/* The line is the next that goes. */
void cache_lru_go_first(cache_lru *c, const cache_line *line);
/* The least recently used dirty line of the set, of those that are `soon` if there are any; NULL: there is none. */
cache_line *cache_lru_oldest_dirty(const cache_lru *c, const cache_set *set);
/* What was dirty before the last cleaning is not any more. All lines that functions here give have seen them. */
static inline void cache_lru_see_cleanings(const cache_lru *c, cache_line *line)
{
    if (line->cleanings == c->cleanings) return;
    line->cleanings = c->cleanings;
    line->valid |= line->dirty;
    line->dirty = 0;
}

/* Says that a line will be used soon: what finds it is fetched. */
static inline void cache_lru_expect(const cache_lru *c, uint64_t tag)
{
    __builtin_prefetch(&c->slots[cache_lru_hash(tag) & c->slot_mask]);
}

/* When that is there: the line, or the one that would go for it. */
static inline void cache_lru_expect_line(const cache_lru *c, uint64_t tag)
{
    uint32_t hash = cache_lru_hash(tag);
    const cache_slot *slot = &c->slots[hash & c->slot_mask];
    bool there = slot->line && slot->hash == hash;
    uint32_t index = there ? slot->line - 1 : cache_lru_set(c, tag)->oldest;
    if (index != CACHE_NO_LINE) __builtin_prefetch(&c->lines[index]);
}

/* Drops a line that is there. */
void cache_lru_drop(cache_lru *c, cache_line *line);

/* A number from 0 to 1 that follows from this one: what is chance on a card is the same in each run here. */
static inline double cache_uniform(uint64_t x) { return (double)(cache_mix(x) >> 11) * 0x1p-53; }

/* The sectors that have some of these words of a line, and those that have all. */
static inline uint32_t cache_sectors_with(uint32_t words)
{
    words |= words >> 4;
    words |= words >> 2;
    words |= words >> 1;                              /* bits 0, 8, 16, 24: whether their bytes have any */
    return (words & 0x01010101u) * 0x10204080u >> 28; /* moves them to bits 28 to 31 */
}

static inline uint32_t cache_sectors_full(uint32_t words) { return CACHE_ALL_SECTORS & ~cache_sectors_with(~words); }

/* The words of those sectors. */
static inline uint32_t cache_words_in(uint32_t sectors)
{
    const uint32_t spread = 0x00204081, first = 0x01010101, all = 0xff; /* bit k to the first of byte k */
    return ((sectors & CACHE_ALL_SECTORS) * spread & first) * all;
}

/* How many: a digit for each of the 16 sets. */
static inline uint32_t cache_sector_count(uint32_t sectors)
{
    return (uint32_t)(UINT64_C(0x4332322132212110) >> 4 * sectors & 0xf);
}

/* A line's level: the zero bits at the end of its hash. A share of 2^-k of all lines has level k or more. */
#define CACHE_LEVELS 32
static inline uint32_t cache_level_of(uint64_t line)
{
    return (uint32_t)__builtin_ctzll(cache_mix(line) | UINT64_C(1) << (CACHE_LEVELS - 1));
}

#endif
