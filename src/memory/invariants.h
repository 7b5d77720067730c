/* invariants: what must stay true of the table of allocations; checked where LW_ASSERT is on. */
#ifndef LW_MEMORY_INVARIANTS_H
#define LW_MEMORY_INVARIANTS_H

#include "memory/memory.h"

static inline uint64_t mem_end_of(const mem_allocation *a) { return a->address + LW_MAX(a->bytes, 1); }

/* Live allocations are disjoint and lie in order of address: entry `at` of the table and its neighbours. */
static inline void mem_check_neighbours(mem_allocation *const *live, size_t count, size_t at)
{
    (void)live, (void)count, (void)at;
    LW_ASSERT(at < count);
    LW_ASSERT(at == 0 || mem_end_of(live[at - 1]) <= live[at]->address);
    LW_ASSERT(at + 1 == count || mem_end_of(live[at]) <= live[at + 1]->address);
}

/* What is given out counts against the limit. */
static inline void mem_check_charge(uint64_t used, uint64_t limit)
{
    (void)used, (void)limit;
    LW_ASSERT(used <= limit);
}

#endif
