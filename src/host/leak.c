/* leakcheck: what the program allocated and never freed, when the process ends or the device is reset. Memory of cudaMalloc
 * and its relatives, managed and pinned memory, and the device heap; not streams, events and registrations. A note,
 * whatever the number: a leak harms nothing that was computed. */
#include "host/leak_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/graph_priv.h"
#include "host/origin_priv.h"
#include "host/results_priv.h"
#include "host/services_priv.h"

/* What one place allocated of one kind of memory. */
typedef struct leak {
    mem_allocation first; /* of the lowest serial */
    char place[256];      /* "reduce.cu:41", or "" */
    uint64_t blocks, bytes;
} leak;

typedef struct leaks {
    host_context *context;
    LW_VEC(leak) all;
} leaks;

static bool is_live(host_context *c, const mem_allocation *a)
{
    if (!host_graph_owns(a)) return true;
    for (size_t i = 0; i < c->graphs->live.count; i++)
        if (c->graphs->live.items[i] == a->address) return true;
    return false;
}

/* Memory that a program frees by itself; variables, ours and registrations are not. */
static bool is_programs(host_context *c, const mem_allocation *a)
{
    bool is_array = a->kind == MEM_DEVICE && !strcmp(a->name, "array");
    bool kind = a->kind == MEM_DEVICE || a->kind == MEM_MANAGED || a->kind == MEM_PINNED;
    return kind && !a->mapped && (!a->name[0] || is_array) && is_live(c, a);
}

static bool same_place(const leak *l, const mem_allocation *a, const char *place)
{
    if (l->first.kind != a->kind) return false;
    return place[0] ? !strcmp(l->place, place) : l->first.made_at == a->made_at;
}

static void collect(void *user, const mem_allocation *a)
{
    leaks *found = user;
    leak made = {.first = *a, .blocks = 1, .bytes = a->bytes};
    if (!is_programs(found->context, a)) return;
    host_origin_name(found->context, a->made_at, made.place, sizeof made.place);
    for (size_t i = 0; i < found->all.count; i++) {
        leak *l = &found->all.items[i];
        if (!same_place(l, a, made.place)) continue;
        l->blocks++;
        l->bytes += a->bytes;
        if (a->serial < l->first.serial) l->first = *a;
        return;
    }
    lw_vec_push(&found->all, made);
}

static void tell(host_context *c, const char *message, uint32_t made_at, uint64_t count)
{
    const host_call_place *place = host_origin_place(c, made_at);
    bool has_line = place && place->line.line;
    result_finding f = {.check = "leakcheck",
                        .severity = result_severities[RESULT_NOTE].name,
                        .message = message,
                        .site = place ? place->site : NULL,
                        .file = has_line ? place->line.file : NULL,
                        .line = has_line ? place->line.line : 0,
                        .count = count};
    result_log *log = host_log(c);
    if (log) result_log_finding(log, &f);
    else fprintf(stderr, "lanewise: leakcheck: %s\n", message);
}

static void tell_leak(host_context *c, const leak *l)
{
    char block[640];
    lw_text message = {0};
    mem_describe_block(c->memory, &l->first, block, sizeof block);
    if (l->blocks == 1) lw_text_add(&message, "never freed: %s", block);
    else
        lw_text_add(&message, "never freed: %llu blocks, %llu bytes in all; the first is %s",
                    (unsigned long long)l->blocks, (unsigned long long)l->bytes, block);
    tell(c, message.data, l->first.made_at, l->blocks);
    lw_text_free(&message);
}

static void tell_heap(host_context *c)
{
    char message[256];
    uint64_t bytes;
    uint64_t blocks = host_heap_used(c, &bytes);
    if (!blocks) return;
    snprintf(message, sizeof message,
             "never freed: %llu block%s of the device heap (malloc or new in a kernel), %llu bytes in all",
             (unsigned long long)blocks, blocks == 1 ? "" : "s", (unsigned long long)bytes);
    tell(c, message, 0, blocks);
}

static int in_order(const void *a, const void *b)
{
    uint64_t first = ((const leak *)a)->first.serial;
    uint64_t second = ((const leak *)b)->first.serial;
    return (first > second) - (first < second);
}

void host_leaks_report(host_context *c)
{
    bool is_child = c->results->parents != NULL; /* of fork(): the memory is its parent's */
    if (!check_wanted(&c->options.checks, CHECK_LEAKCHECK) || !c->memory || is_child) return;
    leaks found = {.context = c};
    mem_each(c->memory, collect, &found);
    if (found.all.count && host_is_sticky(c, 0))
        tell(c,
             "a kernel failed, and nothing can be freed after that: what is listed as never freed may be a "
             "consequence",
             0, 1);
    if (found.all.count) qsort(found.all.items, found.all.count, sizeof *found.all.items, in_order);
    for (size_t i = 0; i < found.all.count; i++) tell_leak(c, &found.all.items[i]);
    tell_heap(c);
    lw_vec_free(&found.all);
}
