/* result: names of counters and limits, adding counter sets, freeing result sets. */
#include "result/result.h"

#include <stdlib.h>
#include <string.h>

const counter_desc counter_descs[COUNTER_COUNT] = {
#define COUNTER(id, json, ncu, text) [COUNTER_##id] = {json, ncu, text},
#include "result/counters.def"
#undef COUNTER
};

const char *const result_limit_names[RESULT_LIMITS] = {"warps", "registers", "shared memory", "blocks", "barriers"};

const result_severity result_severities[RESULT_SEVERITIES] = {
#define SEVERITY(id, name, counts) [RESULT_##id] = {name, counts},
#include "result/severities.def"
#undef SEVERITY
};

result_severity_id result_severity_find(const char *name)
{
    for (int s = 0; name && s < RESULT_SEVERITIES; s++)
        if (!strcmp(result_severities[s].name, name)) return (result_severity_id)s;
    return RESULT_ERROR;
}

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
    lw_vec_free(&set->checks);
    lw_arena_free(&set->arena);
}
