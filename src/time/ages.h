/* ages: when a line was last accessed by whom. Grows as it must. */
#ifndef LW_TIME_AGES_H
#define LW_TIME_AGES_H

#include "base/base.h"

typedef struct cache_age {
    uint64_t key; /* of the line and who accesses it; never 0 */
    uint64_t time;
    uint8_t valid, touched; /* sectors, as in cache_line */
} cache_age;

typedef struct cache_ages {
    cache_age *items; /* hash table, linear probing; key 0: free */
    size_t mask, count;
} cache_ages;

void cache_ages_free(cache_ages *a);
/* A new one has key, and 0 in all else. Valid until the next call. */
cache_age *cache_ages_get(cache_ages *a, uint64_t key);

#endif
