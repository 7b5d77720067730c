/* event.c: the table of kinds. */
#include "event/event.h"

const event_kind_info event_kinds[EVENT_KIND_COUNT] = {
#define EVENT_KIND(id, name, payload, meaning) [EVENT_##id] = {name, meaning, EVENT_PAYLOAD_##payload},
#include "event/kinds.def"
#undef EVENT_KIND
};

uint64_t event_kinds_of(event_payload payload)
{
    uint64_t set = 0;
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++)
        if (event_kinds[k].payload == payload) set |= EVENT_BIT(k);
    return set;
}
