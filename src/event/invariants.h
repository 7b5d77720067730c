/* invariants: what must stay true of events; checked where LW_ASSERT is on. */
#ifndef LW_EVENT_INVARIANTS_H
#define LW_EVENT_INVARIANTS_H

#include "event/event.h"

/* An access is made by some lane, and by an instruction of its kernel: clients index by it. */
static inline void event_check_memory(const event_memory *e)
{
    (void)e;
    LW_ASSERT(e->mask != 0);
    LW_ASSERT(e->insn < e->launch->insn_count);
}

#endif
