/* invariants: what must stay true of the queue of operations and of the table of handles; checked where LW_ASSERT is
 * on. */
#ifndef LW_HOST_INVARIANTS_H
#define LW_HOST_INVARIANTS_H

#include "base/base.h"

/* Operations are done in the order in which they were issued, none is left out and none comes twice. */
static inline void host_check_serial(uint64_t completed, uint64_t serial)
{
    (void)completed, (void)serial;
    LW_ASSERT(serial == completed + 1);
}

/* An object is in the table of handles once: what is added is none of those that are there, and none of the table's own
 * marks (NULL and HOST_TOMB, 0 and 1). */
static inline void host_check_handles(const void *there, const void *added)
{
    (void)there, (void)added;
    LW_ASSERT(there != added && (uintptr_t)added > 1);
}

#endif
