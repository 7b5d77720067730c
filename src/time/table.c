#include "time/table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024u /* a power of two */

void cache_table_free(cache_table *t)
{
    free(t->items);
    free(t->slots);
    *t = (cache_table){.item_bytes = t->item_bytes};
}

/* As much work as the items that were made. */
void cache_table_clear(cache_table *t)
{
    const size_t sparse = 8;
    if (!t->slots) return;
    if (t->mask >= FIRST_SLOTS && t->mask / sparse > t->count) {
        cache_table_free(t);
        return;
    }
    memset(t->slots, 0, ((size_t)t->mask + 1) * sizeof *t->slots);
    t->count = 0;
}

static uint64_t key_of(const cache_table *t, uint32_t index)
{
    uint64_t key;
    memcpy(&key, cache_table_item(t, index), sizeof key);
    return key;
}

static void grow_slots(cache_table *t)
{
    cache_table_slot *old = t->slots;
    uint32_t count = old ? t->mask + 1 : 0;
    t->mask = old ? 2 * t->mask + 1 : FIRST_SLOTS - 1;
    t->slots = lw_alloc(((size_t)t->mask + 1) * sizeof *t->slots);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = old[k].hash & t->mask;
        if (!old[k].item) continue;
        while (t->slots[at].item) at = (at + 1) & t->mask;
        t->slots[at] = old[k];
    }
    free(old);
}

static void *make_item(cache_table *t, uint64_t key)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : FIRST_SLOTS / 2;
        t->items = lw_realloc(t->items, t->room * t->item_bytes);
    }
    void *item = cache_table_item(t, t->count++);
    memset(item, 0, t->item_bytes);
    memcpy(item, &key, sizeof key);
    return item;
}

void *cache_table_get(cache_table *t, uint64_t key)
{
    if (!t->slots || 2 * t->count > t->mask) grow_slots(t);
    uint32_t hash = cache_table_hash(key), at = hash & t->mask;
    for (; t->slots[at].item; at = (at + 1) & t->mask)
        if (t->slots[at].hash == hash && key_of(t, t->slots[at].item - 1) == key)
            return cache_table_item(t, t->slots[at].item - 1);
    t->slots[at] = (cache_table_slot){t->count + 1, hash};
    return make_item(t, key);
}
