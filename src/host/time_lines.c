/* Which source line costs most of a launch's predicted time: the model once more without it, and with what it moves at the
 * ideal. */
#include "host/time_lines_priv.h"

#include <math.h>
#include <string.h>

#define LINES_MOST 8 /* that are looked at: those that move most */

/* A source line: one row of it stands for all. */
typedef struct line_cost {
    result_row *first;
    double weight;
} line_cost;

static double value(const counter_set *set, counter_id id)
{
    return set->present >> id & 1 ? (double)set->value[id] : 0;
}

/* What a row holds the device with, in cycles of a multiprocessor, about: only to choose what to look at. */
static double weight_of(const counter_set *c)
{
    double flops = value(c, COUNTER_FLOP_FP32) + 2 * value(c, COUNTER_FLOP_FP64) + value(c, COUNTER_FLOP_FP16) / 2;
    return value(c, COUNTER_WAVEFRONTS) + value(c, COUNTER_SECTORS) / 2 + flops / 256 +
           value(c, COUNTER_FLOP_TENSOR) / 4096;
}

static bool same_line(const result_row *a, const result_row *b)
{
    return a->line == b->line && a->file == b->file && a->ptx == b->ptx;
}

static void add_line(line_cost *lines, uint32_t *count, line_cost line)
{
    uint32_t at = *count < LINES_MOST ? (*count)++ : LINES_MOST - 1;
    if (at == LINES_MOST - 1 && lines[at].first && lines[at].weight >= line.weight) return;
    while (at > 0 && lines[at - 1].weight < line.weight) {
        lines[at] = lines[at - 1];
        at--;
    }
    lines[at] = line;
}

static uint32_t choose(result_row *rows, size_t count, line_cost *lines)
{
    uint32_t chosen = 0;
    for (size_t k = 0; k < count; k++) {
        bool known = false;
        for (size_t n = 0; n < k && !known; n++) known = same_line(&rows[n], &rows[k]);
        if (known) continue;
        line_cost line = {&rows[k], 0};
        for (size_t n = k; n < count; n++)
            if (same_line(&rows[n], &rows[k])) line.weight += weight_of(&rows[n].counters);
        add_line(lines, &chosen, line);
    }
    return chosen;
}

static void reduce(double *of, double by) { *of = fmax(*of - by, 0); }

/* Takes a share of what a row asks for out of the demand. */
static void take_row(time_demand *t, const time_demand *all, const result_row *row, double share)
{
    const counter_set *c = &row->counters;
    double reads = share * value(c, COUNTER_L2_READ_SECTORS), writes = share * value(c, COUNTER_L2_WRITE_SECTORS);
    if (!strcmp(row->space, "shared")) reduce(&t->shared_wavefronts, share * value(c, COUNTER_WAVEFRONTS));
    else if (!strcmp(row->space, "texture") && !strcmp(row->op, "load"))
        reduce(&t->texels, share * value(c, COUNTER_LANES));
    else if (strcmp(row->op, "store"))
        reduce(&t->l1_wavefronts, share * fmax(value(c, COUNTER_REQUESTS), value(c, COUNTER_TAGS)));
    reduce(&t->l2_read_sectors, reads);
    reduce(&t->l2_write_sectors, writes);
    reduce(&t->l2_atomic_sectors, share * value(c, COUNTER_L2_ATOMIC_SECTORS));
    if (all->l2_read_sectors > 0) reduce(&t->l2_read_requests, all->l2_read_requests * reads / all->l2_read_sectors);
    if (all->l2_write_sectors > 0) reduce(&t->l2_write_packets, all->l2_write_packets * writes / all->l2_write_sectors);
}

/* Bytes of DRAM: at the ideal those that caches already save are not saved again. */
static void take_dram(time_demand *t, const counter_set *c, double share)
{
    double left = 1 - share;
    double before = t->dram_read_bytes + t->dram_write_bytes;
    double read = value(c, COUNTER_DRAM_READ_BYTES), write = value(c, COUNTER_DRAM_WRITE_BYTES);
    reduce(&t->dram_read_bytes, read - fmin(read, 32 * left * value(c, COUNTER_L2_READ_SECTORS)));
    reduce(&t->dram_write_bytes, write - fmin(write, 32 * left * value(c, COUNTER_L2_WRITE_SECTORS)));
    if (before > 0) t->dram_scattered *= (t->dram_read_bytes + t->dram_write_bytes) / before;
}

/* The share of what a row moves that it would not move at its ideal. */
static double excess(const counter_set *c)
{
    double actual = value(c, COUNTER_WAVEFRONTS), ideal = value(c, COUNTER_WAVEFRONTS_IDEAL);
    if (!(c->present >> COUNTER_WAVEFRONTS_IDEAL & 1)) {
        actual = value(c, COUNTER_SECTORS);
        ideal = value(c, COUNTER_SECTORS_IDEAL);
    }
    return actual > ideal && ideal > 0 ? 1 - ideal / actual : 0;
}

/* Instructions and waits of a line. */
static void take_instructions(time_demand *t, const time_demand *all, const time_line_work *work)
{
    double instructions = all->work.issue > 0 ? work->work.issue / all->work.issue : 0;
    reduce(&t->path, all->path * instructions);
    reduce(&t->even_path, all->even_path * instructions);
    reduce(&t->chain, all->chain * instructions);
    reduce(&t->work.issue, work->work.issue);
    reduce(&t->work.fp32, work->work.fp32);
    reduce(&t->work.integer, work->work.integer);
    reduce(&t->work.fp64, work->work.fp64);
    reduce(&t->work.sfu, work->work.sfu);
    reduce(&t->work.lsu, work->work.lsu);
    reduce(&t->work.tensor, work->work.tensor);
    reduce(&t->work.either, work->work.either);
    reduce(&t->work.reads, work->work.reads);
    double loads = all->global_loads > 0 ? work->loads / all->global_loads : 0;
    reduce(&t->global_waits, all->global_waits * loads);
    reduce(&t->even_waits, all->even_waits * loads);
}

void host_time_lines(const device_profile *device, const time_demand *demand, result_row *rows, size_t count,
                     time_line_work (*work_of)(void *user, const result_row *row), void *user)
{
    line_cost lines[LINES_MOST] = {{0}};
    uint32_t chosen = choose(rows, count, lines);
    double all = time_predict(device, demand).seconds;
    for (uint32_t k = 0; k < chosen; k++) {
        time_demand without = *demand, ideal = *demand;
        for (size_t n = 0; n < count; n++) {
            if (!same_line(&rows[n], lines[k].first)) continue;
            double share = excess(&rows[n].counters);
            take_row(&without, demand, &rows[n], 1);
            take_dram(&without, &rows[n].counters, 1);
            if (share <= 0) continue;
            take_row(&ideal, demand, &rows[n], share);
            take_dram(&ideal, &rows[n].counters, share);
        }
        time_line_work work = work_of(user, lines[k].first);
        take_instructions(&without, demand, &work);
        lines[k].first->seconds = fmax(all - time_predict(device, &without).seconds, 0);
        lines[k].first->seconds_saved = fmax(all - time_predict(device, &ideal).seconds, 0);
    }
}
