/* cmd_pattern_all: one access on all generations, side by side: a column for each run of capabilities that count alike.
 */
#include "cli.h"
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

/* ---- counting ---- */

static void add_generation(void *user, const lw_device_info *device)
{
    pattern_generations *all = user;
    if (strncmp(device->id, "cc:", 3)) return;
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 32;
        pattern_generation *items = keep(capacity * sizeof *items);
        if (all->count) memcpy(items, all->items, all->count * sizeof *items);
        all->items = items;
        all->capacity = capacity;
    }
    all->items[all->count++] = (pattern_generation){.device = *device};
}

static int by_capability(const void *a, const void *b)
{
    const pattern_generation *x = a, *y = b;
    return (x->device.major * 100 + x->device.minor) - (y->device.major * 100 + y->device.minor);
}

int pattern_generations_of(const lw_access *access, const lw_access_options *options, pattern_generations *out,
                           lw_message *message)
{
    *out = (pattern_generations){0};
    int failed = lw_device_each(add_generation, out, message);
    if (failed) return failed;
    if (out->count) qsort(out->items, out->count, sizeof *out->items, by_capability);
    for (size_t i = 0; i < out->count; i++) {
        pattern_generation *g = &out->items[i];
        lw_message reason = {""};
        if (lw_access_count(g->device.id, access, options, &g->counts, &reason))
            snprintf(g->reason, sizeof g->reason, "%.255s", reason.text);
    }
    return 0;
}

bool pattern_same_counts(const lw_access_counts *a, const lw_access_counts *b)
{
    if (a->counter_count != b->counter_count || strcmp(a->why, b->why)) return false;
    for (size_t i = 0; i < a->counter_count; i++)
        if (strcmp(a->counters[i].name, b->counters[i].name) || a->counters[i].value != b->counters[i].value)
            return false;
    return true;
}

bool pattern_is_shown(const char *counter) { return strcmp(counter, "inst_executed") && strcmp(counter, "lanes"); }

/* ---- the table ---- */

typedef struct column {
    const pattern_generation *first, *last;
    unsigned width;
    char heading[32];
} column;

static bool alike(const pattern_generation *a, const pattern_generation *b)
{
    if (*a->reason || *b->reason) return *a->reason && *b->reason;
    return pattern_same_counts(&a->counts, &b->counts);
}

static size_t make_columns(const pattern_generations *all, column *columns)
{
    size_t n = 0;
    for (size_t i = 0; i < all->count; i++) {
        const pattern_generation *g = &all->items[i];
        if (n && alike(columns[n - 1].first, g)) columns[n - 1].last = g;
        else columns[n++] = (column){g, g, 0, ""};
    }
    for (size_t i = 0; i < n; i++) {
        const lw_device_info *a = &columns[i].first->device, *b = &columns[i].last->device;
        int size = snprintf(columns[i].heading, sizeof columns[i].heading, "%d.%d", a->major, a->minor);
        if (a != b)
            size += snprintf(columns[i].heading + size, sizeof columns[i].heading - (size_t)size, "-%d.%d", b->major,
                             b->minor);
        if (*columns[i].first->counts.why)
            size += snprintf(columns[i].heading + size, sizeof columns[i].heading - (size_t)size, "~");
        columns[i].width = (unsigned)size + 2 > 6 ? (unsigned)size + 2 : 6;
    }
    return n;
}

static bool has_row(const column *columns, size_t n, const char *counter)
{
    uint64_t value;
    for (size_t i = 0; i < n; i++)
        if (lw_access_counter(&columns[i].first->counts, counter, &value)) return true;
    return false;
}

/* The names of all counters, in the order of reports: by merging the lists of the generations. */
static size_t counter_names(const column *columns, size_t n, const char *names[64])
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = 0;
        for (size_t c = 0; c < columns[i].first->counts.counter_count; c++) {
            const char *name = columns[i].first->counts.counters[c].name;
            size_t k = 0;
            while (k < count && strcmp(names[k], name)) k++;
            if (k < count) {
                at = k + 1;
                continue;
            }
            if (count == 64 || !pattern_is_shown(name)) continue;
            memmove(&names[at + 1], &names[at], (count - at) * sizeof *names);
            names[at++] = name;
            count++;
        }
    }
    return count;
}

static void block(FILE *out, const column *columns, size_t n, const char *const *names, size_t name_count)
{
    fprintf(out, "%-18s", "cc");
    for (size_t i = 0; i < n; i++) fprintf(out, "%*s", (int)columns[i].width, columns[i].heading);
    fputc('\n', out);
    for (size_t k = 0; k < name_count; k++) {
        if (!has_row(columns, n, names[k])) continue;
        fprintf(out, "%-18s", names[k]);
        for (size_t i = 0; i < n; i++) {
            uint64_t value;
            bool has = lw_access_counter(&columns[i].first->counts, names[k], &value);
            fprintf(out, "%*s", (int)columns[i].width, has ? text_of("%llu", (unsigned long long)value) : "-");
        }
        fputc('\n', out);
    }
}

static void reasons(FILE *out, const column *columns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const pattern_generation *g = columns[i].first;
        if (*g->reason) fprintf(out, "%s: %s\n", columns[i].heading, g->reason);
        else if (*g->counts.why) fprintf(out, "%s %s\n", columns[i].heading, g->counts.why);
    }
}

void pattern_all_text(FILE *out, const pattern_generations *all, unsigned width)
{
    column *columns = keep((all->count + 1) * sizeof *columns);
    const char *names[64];
    size_t n = make_columns(all, columns), count = counter_names(columns, n, names);
    for (size_t from = 0, to; from < n; from = to) {
        unsigned used = 18;
        for (to = from; to < n && (to == from || used + columns[to].width <= width); to++) used += columns[to].width;
        if (from) fputc('\n', out);
        block(out, columns + from, to - from, names, count);
    }
    reasons(out, columns, n);
}
