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
    lw_vec_free(&set->spans);
    lw_vec_free(&set->messages);
    lw_vec_free(&set->checks);
    lw_arena_free(&set->arena);
}

void result_finding_relate(result_finding *finding, const result_related *all, size_t count)
{
    size_t places = 0;
    while (places < count && all[places].role < RESULT_STEP) places++;
    finding->related = all;
    finding->related_count = places;
    finding->steps = all + places;
    finding->step_count = count - places;
}

const char *const result_resource_names[RESULT_RESOURCES] = {
#define RESOURCE(id, name) name,
#include "result/resources.def"
#undef RESOURCE
};

const char *const result_range_words[RESULT_RANGES] = {
#define RANGE(id, up, down, words) words,
#include "result/ranges.def"
#undef RANGE
};

void result_time_add(result_time *into, const result_time *from)
{
    if (from->high * into->low >= into->high * from->low) into->range = from->range;
    into->count += from->count;
    into->seconds += from->seconds;
    into->low += from->low;
    into->high += from->high;
    if (from->count) { /* else nothing was predicted */
        into->launch_below = from->launch_below;
        into->busy_from = from->busy_from;
    }
    for (int k = 0; k < RESULT_RESOURCES; k++) into->resource[k] += from->resource[k];
    for (int k = 0; k < RESULT_RESOURCES; k++) into->busy[k] += from->busy[k];
}

result_resource result_bottleneck(const result_time *time)
{
    result_resource most = RESULT_DRAM;
    if (time->seconds < time->launch_below * (double)time->count) return RESULT_LAUNCH;
    for (int k = 0; k < RESULT_RESOURCES; k++)
        if (k != RESULT_LATENCY && k != RESULT_LAUNCH && time->busy[k] > time->busy[most]) most = (result_resource)k;
    return time->busy[most] < time->busy_from * time->seconds ? RESULT_LATENCY : most;
}

double result_unit_share(const result_time *time, result_resource unit)
{
    return time->seconds > 0 ? LW_MIN(time->busy[unit] / time->seconds, 1.0) : 0;
}

const char *const result_span_names[RESULT_SPAN_KINDS] = {
#define SPAN(id, name, is_copy, meaning) name,
#include "result/spans.def"
#undef SPAN
};

void result_span_add(result_span *into, const result_span *from)
{
    into->begin = LW_MIN(into->begin, from->begin);
    into->end = LW_MAX(into->end, from->end);
    into->seconds += from->seconds;
    into->bytes += from->bytes;
    into->count += from->count;
}
