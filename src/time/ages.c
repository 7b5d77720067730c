#include "time/ages.h"

#include "time/lru.h"

#include <stdlib.h>

void cache_ages_free(cache_ages *a)
{
    free(a->items);
    *a = (cache_ages){0};
}

void cache_ages_clear(cache_ages *a)
{
    if (a->epoch == UINT32_MAX) cache_ages_free(a); /* items of long ago would come back */
    a->epoch++;
    a->count = 0;
}

static bool is_free(const cache_ages *a, const cache_age *item) { return !item->key || item->epoch != a->epoch; }

static cache_age *place_of(const cache_ages *a, uint64_t key)
{
    size_t at = cache_mix(key) & a->mask;
    while (!is_free(a, &a->items[at]) && a->items[at].key != key) at = (at + 1) & a->mask;
    return &a->items[at];
}

static void grow(cache_ages *a)
{
    const size_t first = 1024;
    cache_ages more = {.mask = a->items ? 2 * a->mask + 1 : first - 1, .count = a->count, .epoch = a->epoch};
    more.items = lw_alloc((more.mask + 1) * sizeof *more.items);
    for (size_t k = 0; a->items && k <= a->mask; k++)
        if (!is_free(a, &a->items[k])) *place_of(&more, a->items[k].key) = a->items[k];
    free(a->items);
    *a = more;
}

cache_age *cache_ages_get(cache_ages *a, uint64_t key)
{
    LW_ASSERT(key);
    if (!a->items || 2 * a->count > a->mask) grow(a);
    cache_age *age = place_of(a, key);
    if (is_free(a, age)) {
        *age = (cache_age){.key = key, .epoch = a->epoch};
        a->count++;
    }
    return age;
}
