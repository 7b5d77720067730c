/* costly: the rows above their ideal of a whole run, the worst first, each place once. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static int by_cost(const void *left, const void *right)
{
    const report_costly *a = left;
    const report_costly *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? 1 : -1;
    if (a->launch != b->launch) return a->launch < b->launch ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* A load and a store of one line, or one line in several kernels, are one thing to change. */
static bool is_known(const report_costly *lines, size_t count, const result_row *row)
{
    for (size_t i = 0; i < count; i++) {
        const result_row *other = lines[i].row;
        if (other->line == row->line && other->ptx == row->ptx && !strcmp(other->file, row->file)) return true;
    }
    return false;
}

size_t report_costly_lines(const result_set *set, lw_arena *arena, report_costly **out)
{
    size_t all = 0;
    size_t kept = 0;
    for (size_t i = 0; i < set->launches.count; i++) all += set->launches.items[i].row_count;
    report_costly *lines = LW_NEW_ARRAY(arena, report_costly, all + 1);
    size_t count = 0;
    for (size_t i = 0; i < set->launches.count; i++) {
        const result_launch *launch = &set->launches.items[i];
        for (size_t k = 0; k < launch->row_count; k++) {
            double cost = report_cost(&launch->rows[k].counters);
            if (cost > 0 && report_measure_of(&launch->rows[k].counters).has_ideal)
                lines[count++] = (report_costly){&launch->rows[k], launch, cost};
        }
    }
    if (count) qsort(lines, count, sizeof *lines, by_cost);
    for (size_t i = 0; i < count && kept < REPORT_COSTLY_MOST; i++)
        if (!is_known(lines, kept, lines[i].row)) lines[kept++] = lines[i];
    *out = lines;
    return kept;
}
