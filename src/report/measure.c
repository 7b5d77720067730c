/* measure: which counter of a row has an ideal, and what missing it costs. One place, so that text, order and advice
 * agree.
 *
 * Cost is a least time of one SM, so that shared and global lines can be put into one order: a wavefront holds the data
 * stage for a cycle; a sector is 32 bytes of the 64 bytes a cycle that L2 gives an SM, half a cycle (transactions of
 * old capabilities: the same for each 32 bytes). It is an order of lines, not a prediction of time: caches and overlap
 * are not in it. */
#include "report/report.h"

#define CYCLES_PER_WAVEFRONT 1.0
#define CYCLES_PER_SECTOR 0.5
#define CYCLES_PER_REQUEST 1.0 /* constant memory serves one address a cycle */

static bool has(const counter_set *c, counter_id id) { return c->present >> id & 1; }

/* Constant memory: lanes with different addresses are served one request after the other; the ideal is one an
 * instruction. */
static bool requests_serialised(const counter_set *c)
{
    return has(c, COUNTER_REQUESTS) && has(c, COUNTER_INST_EXECUTED) && !has(c, COUNTER_SECTORS) &&
           c->value[COUNTER_REQUESTS] > c->value[COUNTER_INST_EXECUTED];
}

report_measure report_measure_of(const counter_set *c)
{
    report_measure m = {0};
    if (has(c, COUNTER_WAVEFRONTS) && has(c, COUNTER_WAVEFRONTS_IDEAL)) {
        m = (report_measure){"wavefronts", true, c->value[COUNTER_WAVEFRONTS], c->value[COUNTER_WAVEFRONTS_IDEAL]};
    } else if (has(c, COUNTER_SECTORS) && has(c, COUNTER_SECTORS_IDEAL)) {
        m = (report_measure){"sectors", true, c->value[COUNTER_SECTORS], c->value[COUNTER_SECTORS_IDEAL]};
    } else if (has(c, COUNTER_SECTORS)) {
        m = (report_measure){"sectors", false, c->value[COUNTER_SECTORS], 0};
    } else if (has(c, COUNTER_TRANSACTIONS) && has(c, COUNTER_TRANSACTIONS_IDEAL)) {
        m = (report_measure){"transactions", true, c->value[COUNTER_TRANSACTIONS],
                             c->value[COUNTER_TRANSACTIONS_IDEAL]};
    } else if (has(c, COUNTER_BYTES)) {
        m = (report_measure){"bytes", false, c->value[COUNTER_BYTES], 0};
    } else if (requests_serialised(c)) {
        m = (report_measure){"requests", true, c->value[COUNTER_REQUESTS], c->value[COUNTER_INST_EXECUTED]};
    } else if (has(c, COUNTER_REQUESTS)) {
        m = (report_measure){"requests", false, c->value[COUNTER_REQUESTS], 0};
    }
    return m;
}

double report_cost(const counter_set *c)
{
    double cost = 0;
    if (requests_serialised(c))
        cost += CYCLES_PER_REQUEST * (double)(c->value[COUNTER_REQUESTS] - c->value[COUNTER_INST_EXECUTED]);
    if (has(c, COUNTER_WAVEFRONTS) && has(c, COUNTER_WAVEFRONTS_IDEAL) &&
        c->value[COUNTER_WAVEFRONTS] > c->value[COUNTER_WAVEFRONTS_IDEAL])
        cost += CYCLES_PER_WAVEFRONT * (double)(c->value[COUNTER_WAVEFRONTS] - c->value[COUNTER_WAVEFRONTS_IDEAL]);
    if (has(c, COUNTER_TRANSACTIONS) && c->value[COUNTER_TRANSACTIONS] > c->value[COUNTER_TRANSACTIONS_IDEAL]) {
        double sectors_each = (double)c->value[COUNTER_BYTES_MOVED] / 32 / (double)c->value[COUNTER_TRANSACTIONS];
        cost += CYCLES_PER_SECTOR * sectors_each *
                (double)(c->value[COUNTER_TRANSACTIONS] - c->value[COUNTER_TRANSACTIONS_IDEAL]);
    }
    if (has(c, COUNTER_SECTORS) && has(c, COUNTER_SECTORS_IDEAL) &&
        c->value[COUNTER_SECTORS] > c->value[COUNTER_SECTORS_IDEAL])
        cost += CYCLES_PER_SECTOR * (double)(c->value[COUNTER_SECTORS] - c->value[COUNTER_SECTORS_IDEAL]);
    return cost;
}

const result_row *report_slowest(const result_launch *launch)
{
    const result_row *most = NULL;
    for (size_t k = 0; k < launch->row_count; k++)
        if (launch->rows[k].seconds > (most ? most->seconds : 0)) most = &launch->rows[k];
    return launch->time.count ? most : NULL;
}

double report_timeline_seconds(const result_set *set)
{
    double most = 0;
    uint32_t processes = 0;
    for (size_t k = 0; k < set->spans.count; k++) processes = LW_MAX(processes, set->spans.items[k].process);
    for (uint32_t process = 1; process <= processes; process++) {
        double begin = 0, end = -1;
        for (size_t k = 0; k < set->spans.count; k++) {
            const result_span *span = &set->spans.items[k];
            if (span->process != process) continue;
            begin = end < 0 ? span->begin : LW_MIN(begin, span->begin);
            end = LW_MAX(end, span->end);
        }
        most = LW_MAX(most, end - begin);
    }
    return most;
}
