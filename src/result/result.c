/* result: names of counters and limits, adding counter sets, freeing result sets. */
#include "result/result.h"

#include <stdlib.h>

const counter_desc counter_descs[COUNTER_COUNT] = {
#define COUNTER(id, json, ncu, text) [COUNTER_##id] = {json, ncu, text},
#include "result/counters.def"
#undef COUNTER
};

const char *const result_limit_names[RESULT_LIMITS] = {"warps", "registers", "shared memory", "blocks", "barriers"};

void counter_set_add(counter_set *into, const counter_set *from)
{
    into->present |= from->present;
    for (int c = 0; c < COUNTER_COUNT; c++)
        if (from->present >> c & 1) into->value[c] += from->value[c];
}

void result_set_free(result_set *set)
{
    if (!set) return;
    lw_vec_free(&set->launches);
    lw_vec_free(&set->findings);
    lw_vec_free(&set->uncounted);
    lw_vec_free(&set->messages);
    lw_arena_free(&set->arena);
}
