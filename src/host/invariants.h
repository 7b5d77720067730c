/* invariants: what must stay true of the queue of operations; checked where LW_ASSERT is on. */
#ifndef LW_HOST_INVARIANTS_H
#define LW_HOST_INVARIANTS_H

#include "base/base.h"

/* Operations are done in the order in which they were issued, none is left out and none comes twice. */
static inline void host_check_serial(uint64_t completed, uint64_t serial)
{
    (void)completed, (void)serial;
    LW_ASSERT(serial == completed + 1);
}

#endif
