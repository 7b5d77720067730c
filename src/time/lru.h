/* lru: a sectored cache of lines of 128 bytes, in sets of which the least recently used line goes. */
#ifndef LW_TIME_LRU_H
#define LW_TIME_LRU_H

#include "base/base.h"

#define CACHE_SECTOR_BYTES 32u
#define CACHE_LINE_SHIFT 7
#define CACHE_ALL_SECTORS 0xfu

typedef struct cache_line {
    uint64_t tag;          /* address >> CACHE_LINE_SHIFT */
    uint64_t used;         /* time of the last access */
    uint32_t newer, older; /* index of the neighbour in order of use; CACHE_NO_LINE: none */
    uint32_t launch;       /* number of the launch that used it last */
    uint32_t writer;       /* instruction of that launch that wrote it last */
    uint32_t words;        /* written since the line is here */
    uint8_t valid;         /* sectors that hold what memory holds, or what was written over all of their bytes */
    uint8_t touched;       /* sectors that hold anything: valid ones, and those written in part */
    uint8_t dirty;         /* touched sectors that memory does not have yet */
    uint32_t filled;       /* time at which sectors were last brought in, + 1; 0: not known */
    bool stored;           /* by the launch that used it last */
    uint8_t seen;          /* of a copy: sectors that this launch has loaded */
    uint8_t far;           /* of a line at home, before it is stored: sectors that a launch has loaded elsewhere, */
    uint32_t far_insn;     /* the last instruction that did, */
    uint32_t far_launch;   /* and the launch */
    float far_missed;      /* the share of them that has been taken to miss in a later pass */
    bool queued_partial;   /* it stands in the queue of lines written in part */
} cache_line;

#define CACHE_NO_LINE UINT32_MAX
#define CACHE_RESTORED UINT32_MAX /* as the launch that used a line: a profiler has put it back */

typedef struct cache_set {
    uint32_t count, dirty;   /* lines, and those of them that are dirty */
    uint32_t newest, oldest; /* CACHE_NO_LINE: there is none */
} cache_set;

typedef struct cache_lru {
    cache_line *lines; /* those of a set stand together, in use from its first place on */
    cache_set *sets;
    uint32_t set_count, ways;
    uint32_t capacity, count; /* of all sets */
    uint32_t *slots;          /* hash table: index + 1 of a line, 0: free; linear probing */
    uint32_t slot_mask;
    uint64_t random; /* not 0: the line that goes is any one, not the oldest; the state of the generator */
} cache_lru;

/* Sets of about so many ways each; as many as capacity: one. */
void cache_lru_init(cache_lru *c, uint32_t capacity, uint32_t ways);
void cache_lru_free(cache_lru *c);
void cache_lru_clear(cache_lru *c);
/* NULL: it does not hold the line. Does not count as use. */
cache_line *cache_lru_find(const cache_lru *c, uint64_t tag);
/* The line, now the newest; made without sectors if it is not there. *evicted: a copy of the line that had to go, its
 * touched == 0: none had to. */
cache_line *cache_lru_use(cache_lru *c, uint64_t tag, uint64_t now, cache_line *evicted);
cache_set *cache_lru_set(const cache_lru *c, uint64_t tag);
/* Says which sectors of a line are dirty: a set counts such lines. */
void cache_lru_dirty(cache_lru *c, cache_line *line, uint32_t sectors);
/* The least recently used dirty line of the set; NULL: there is none. */
cache_line *cache_lru_oldest_dirty(const cache_lru *c, const cache_set *set);
/* Drops a line that is there. */
void cache_lru_drop(cache_lru *c, cache_line *line);

static inline uint64_t cache_mix(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

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
