/* table: items of one size by a key. Grows as it must, and keeps its storage from launch to launch: fresh pages of the host cost more than what
 * is done with them. Items stand one behind the other as they are made, so that what is used for the first time is not looked for in all of
 * the storage. */
#ifndef LW_TIME_TABLE_H
#define LW_TIME_TABLE_H

#include "time/lru.h"

typedef struct cache_table_slot {
    uint32_t item; /* its index + 1; 0: free */
    uint32_t hash; /* of its key: most items that are not meant need not be looked at */
} cache_table_slot;

typedef struct cache_table {
    size_t item_bytes; /* of each item, which begins with its key, a uint64_t */
    char *items;
    uint32_t count, room;    /* items, and how many there is storage for */
    cache_table_slot *slots; /* linear probing */
    uint32_t mask;
} cache_table;

void cache_table_free(cache_table *t);  /* leaves item_bytes */
void cache_table_clear(cache_table *t); /* its storage stays, where it was needed */
/* The item of the key; a new one has 0 in all else. Valid until the next call. */
void *cache_table_get(cache_table *t, uint64_t key);

static inline uint32_t cache_table_hash(uint64_t key) { return (uint32_t)cache_mix(key); }
static inline void *cache_table_item(const cache_table *t, uint32_t index) { return t->items + index * t->item_bytes; }

/* Says that an item will be asked for soon: what finds it is fetched. */
static inline void cache_table_expect(const cache_table *t, uint64_t key)
{
    if (t->slots) __builtin_prefetch(&t->slots[cache_table_hash(key) & t->mask]);
}

/* When that is there: the item, or the place of a new one. */
static inline void cache_table_expect_item(const cache_table *t, uint64_t key)
{
    const size_t fetched = 64; /* at once, by processors of today */
    if (!t->slots) return;
    uint32_t hash = cache_table_hash(key);
    const cache_table_slot *slot = &t->slots[hash & t->mask];
    bool there = slot->item && slot->hash == hash;
    const char *item = cache_table_item(t, there ? slot->item - 1 : t->count + 1);
    for (size_t at = 0; at < t->item_bytes; at += fetched) __builtin_prefetch(item + at, 1);
}

#endif
