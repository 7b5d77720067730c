/* Parts of the caches that are made to be fast, beside what they are said to do. */
#include "time/lanes.h"
#include "time/lru.h"
#include "time/table.h"
#include "unit.h"

#include <stdlib.h>

static uint64_t draw(void)
{
    static uint64_t state = 1;
    return cache_mix(state++);
}

/* As lanes.h says it, lane by lane. */
static cache_lanes lanes_as_said(const uint64_t *address, uint32_t mask, uint32_t drop)
{
    cache_lanes lanes = {0, 0, 0};
    int before = -1, first = __builtin_ctz(mask);
    for (int lane = 0; lane < 32; lane++) {
        uint64_t line = address[lane] >> CACHE_LINE_SHIFT;
        if (!(mask >> lane & 1)) continue;
        if (!(cache_mix(line) & drop)) lanes.wanted |= 1u << lane;
        if (before < 0 || address[before] >> CACHE_LINE_SHIFT != line) lanes.another |= 1u << lane;
        if (address[first] >> CACHE_LINE_SHIFT == line) lanes.first |= 1u << lane;
        before = lane;
    }
    return lanes;
}

UNIT_CASE(lines_of_lanes)
{
    for (int turn = 0; turn < 2000; turn++) {
        uint64_t address[32], lines = (1 + draw() % 40) << (turn % 11 ? 0 : 33), base = draw() >> 8;
        uint32_t mask = turn % 2 ? UINT32_MAX : (uint32_t)draw() | 1u << draw() % 32;
        uint32_t drop = ((UINT32_C(1) << turn % 6) - 1) << turn % 27;
        for (int lane = 0; lane < 32; lane++) address[lane] = base + draw() % (lines << CACHE_LINE_SHIFT);
        cache_lanes said = lanes_as_said(address, mask, drop), have;
        cache_lanes_of(address, mask, drop, &have);
        CHECK_EQ_INT(have.wanted, said.wanted);
        CHECK_EQ_INT(have.another, said.another);
        CHECK_EQ_INT(have.first, said.first);
    }
}

typedef struct item {
    uint64_t key;
    uint32_t uses;
} item;

/* Every key has an item of its own, which is new after the table has been cleared, whether it was full or nearly empty. */
UNIT_CASE(items_of_a_table)
{
    cache_table table = {.item_bytes = sizeof(item)};
    const uint64_t counts[] = {5000, 3, 20000, 1};
    for (unsigned turn = 0; turn < LW_COUNT(counts); turn++, cache_table_clear(&table))
        for (unsigned pass = 0; pass < 2; pass++)
            for (uint64_t key = 0; key < counts[turn]; key++) {
                item *found = cache_table_get(&table, key << 11);
                CHECK(found->key == key << 11);
                CHECK_EQ_INT(found->uses++, pass);
            }
    CHECK_EQ_INT(table.count, 0);
    cache_table_free(&table);
}

UNIT_MAIN()
