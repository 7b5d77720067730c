#include "time/time.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- instructions */
static const struct {
    const char *opcode, *type;
    time_work work;
} rows[] = {
#define WORK(opcode, type, issue, fp32, integer, either, fp64, sfu, lsu, tensor)                                       \
    {opcode, type, {issue, fp32, integer, fp64, sfu, lsu, tensor, either}},
#include "time/work.def"
#undef WORK
};

static bool fits(const char *mnemonic, const char *opcode, const char *type)
{
    size_t length = strlen(opcode);
    if (strncmp(mnemonic, opcode, length)) return false;
    if (mnemonic[length] && mnemonic[length] != '.') return false;
    return !*type || strstr(mnemonic + length, type);
}

time_work time_work_of(const char *mnemonic)
{
    for (size_t k = 0; k < LW_COUNT(rows); k++)
        if (fits(mnemonic, rows[k].opcode, rows[k].type)) return rows[k].work;
    return (time_work){.issue = 1, .integer = 1};
}

/* ---------------------------------------------------------------- resources */
/* Multiprocessors times the cycles a second of each, as far as the blocks keep them busy: the one with most blocks ends
 * last. */
static double busy_sms(const device_profile *d, const time_demand *t)
{
    double sms = (double)d->sm_count, blocks = (double)t->blocks;
    double most = ceil(blocks / sms);
    double waves = blocks / sms / t->blocks_per_sm;
    /* of many waves the blocks of the last spread by themselves */
    double share = waves > 4 ? 1 : blocks / sms / most;
    return sms * share;
}

static double busy_cycles(const device_profile *d, const time_demand *t)
{
    return busy_sms(d, t) * (double)d->clock_khz * 1e3;
}

/* Instructions of a warp that the PTX does not have: constants, its place in the grid, the end. Measured: 5 to 7. How long
 * they take is in the time of a block. */
#define FRAME 5.0

static void pipes(const device_profile *d, const time_demand *t, double *seconds)
{
    double frames = FRAME * (double)t->blocks * t->warps_per_block;
    double cycles = busy_cycles(d, t);
    double fp64_lanes = (double)d->time_fp32_lanes / (double)LW_MAX(d->single_to_double_ratio, (uint64_t)1);
    const time_work *w = &t->work;
    seconds[RESULT_ISSUE] = (w->issue + frames) / 4 / cycles;
    /* the assembler deals out what either can do so that both have as many */
    double to_fp32 = fmin(fmax((w->integer + w->either - w->fp32) / 2, 0), fmax(w->either, 0));
    seconds[RESULT_FP32] = (w->fp32 + to_fp32) * 32 / (double)d->time_fp32_lanes / cycles;
    seconds[RESULT_INT] = (w->integer + w->either - to_fp32) * 32 / (double)d->time_int_lanes / cycles;
    seconds[RESULT_FP64] = w->fp64 * 32 / fp64_lanes / cycles;
    seconds[RESULT_SFU] = w->sfu * 32 / (double)d->time_sfu_lanes / cycles;
    seconds[RESULT_TENSOR] = w->tensor * 8 / cycles;
    /* one data stage serves both: it is named by what it serves most */
    bool shared = t->shared_wavefronts > t->l1_wavefronts;
    double both = t->shared_wavefronts + t->l1_wavefronts;
    seconds[RESULT_SHARED] = (shared ? both : t->shared_wavefronts) / cycles;
    seconds[RESULT_L1] = (shared ? t->l1_wavefronts : both) / cycles;
}

/* How much faster a multiprocessor writes to L2 when others do not: 2.6 cycles a request of an H200, in kernels of 8 to 40
 * blocks with scattered stores, where all of them together get one in 3.3 (tests/hw/time). */
#define WRITES_ALONE 1.25

static void memory(const device_profile *d, const time_demand *t, time_prediction *p)
{
    double *seconds = p->resource;
    const double giga = 1e9, percent = 0.01;
    double reads = t->dram_read_bytes, writes = t->dram_write_bytes, bytes = reads + writes;
    double peak = (double)d->memory_clock_khz * 1e3 * 2 * (double)d->memory_bus_bits / 8;
    double lesser = bytes > 0 ? 2 * fmin(reads, writes) / bytes : 0; /* 1: as much read as written */
    double efficiency = (double)d->time_dram_percent - lesser * (double)d->time_dram_mixed_loss;
    /* A piece in a page of its own costs opening the page, however little of it is moved. */
    double scattered = t->dram_scattered * 64 / (peak * (double)d->time_dram_scattered * percent);
    seconds[RESULT_DRAM] = fmax(bytes / (peak * efficiency * percent), scattered);
    double read = fmax(t->l2_read_sectors * 32 / ((double)d->time_l2_read_gb * giga),
                       t->l2_read_requests / ((double)d->time_l2_read_requests * giga));
    double write = fmax(t->l2_write_sectors * 32 / ((double)d->time_l2_write_gb * giga),
                        t->l2_write_requests / ((double)d->time_l2_write_requests * giga));
    p->busy[RESULT_L2] = fmax(read, write);
    /* Few multiprocessors do not write as fast as L2 could take it. */
    write /= fmin(1, WRITES_ALONE * busy_sms(d, t) / (double)d->sm_count);
    seconds[RESULT_L2] = fmax(read, write);
    p->busy[RESULT_DRAM] = seconds[RESULT_DRAM];
    double rate = (double)d->time_atomics * giga;
    double hot = (double)d->time_atomics_page * 1e6;
    if (t->hot_lines > 0) hot = (double)d->time_atomics_word * 1e6;
    p->busy[RESULT_ATOMICS] = t->l2_atomic_sectors / rate;
    seconds[RESULT_ATOMICS] = fmax(t->l2_atomic_sectors / rate, t->hot_atomics * t->l2_atomic_sectors / hot);
}

/* Of one load, as long as the mean one takes. */
static double load_cycles(const device_profile *d, const time_demand *t)
{
    double load = (double)d->time_l1_cycles;
    load += t->missed_l1 * ((double)d->time_l2_cycles - (double)d->time_l1_cycles);
    load += t->missed_l2 * ((double)d->time_dram_cycles - (double)d->time_l2_cycles);
    return load;
}

/* A warp alone: instructions one behind the other, and what it waits for. As many as fit run at once. */
static double latency(const device_profile *d, const time_demand *t)
{
    double warps = (double)t->blocks * t->warps_per_block;
    double load = load_cycles(d, t);
    double barrier = (double)d->time_barrier_cycles + 1.2 * t->warps_per_block;
    double one = t->work.issue * (double)d->time_alu_cycles + t->global_waits * load;
    one += t->work.fp64 * ((double)d->time_fp64_cycles - (double)d->time_alu_cycles);
    one += t->shared_waits * (double)d->time_shared_cycles + t->barrier_waits * barrier;
    one /= warps;
    double waves = (double)t->blocks / (double)d->sm_count / t->blocks_per_sm;
    waves = waves > 4 ? waves : ceil(waves);
    /* the last wave takes as long as the block that takes longest */
    double cycles = (waves - 1) * one * fmax(t->block_mean, 1) + one * fmax(t->block_longest, 1);
    cycles += waves * (double)d->time_block_cycles;
    return cycles / ((double)d->clock_khz * 1e3);
}

static double starts(const device_profile *d, const time_demand *t)
{
    double per_sm = ceil((double)t->blocks / (double)d->sm_count);
    return per_sm * t->warps_per_block * (double)d->time_warp_start_cycles / ((double)d->clock_khz * 1e3);
}

/* ---------------------------------------------------------------- together */
/* How far what was measured lies above and below where a resource takes all of the time: kernels that models were fitted to
 * (tests/hw/split.csv), so that about nine in ten lie between. */
static const struct {
    double up, down;
} spread[RESULT_RESOURCES] = {
    [RESULT_DRAM] = {0.12, 0.08},   [RESULT_L2] = {0.30, 0.10},      [RESULT_L1] = {0.25, 0.10},
    [RESULT_SHARED] = {0.15, 0.06}, [RESULT_ISSUE] = {0.20, 0.10},   [RESULT_FP32] = {0.15, 0.10},
    [RESULT_FP64] = {0.12, 0.10},   [RESULT_INT] = {0.15, 0.12},     [RESULT_SFU] = {0.12, 0.10},
    [RESULT_TENSOR] = {0.30, 0.30}, [RESULT_ATOMICS] = {0.12, 0.10}, [RESULT_LATENCY] = {0.34, 0.22},
    [RESULT_LAUNCH] = {0.12, 0.12},
};

/* What inexact counts add to the range, both ways, if all are: of the kernels of tests/hw/time/h100-draw.csv with such rows
 * the middle nine tenths (5 to 95 %) take 0.60 to 2.17 times what is predicted, of those without 0.79 to 1.89 times. */
#define INEXACT 0.3

/* The range: the spread of the resources, by the squares of their times. It is wider upwards where several come close to each
 * other, whose overlap is not known, and both ways where counts are not exact. */
static void set_range(const time_demand *t, time_prediction *p)
{
    const double crowd = 0.3, inexact = INEXACT * fmin(fmax(t->inexact, 0), 1);
    double squares = 0, up = 0, down = 0, sum = 0, most = 0;
    for (int k = 0; k < RESULT_RESOURCES; k++) {
        double r = p->resource[k];
        squares += r * r;
        up += spread[k].up * r * r;
        down += spread[k].down * r * r;
        if (k == RESULT_LAUNCH) continue;
        sum += r;
        most = fmax(most, r);
    }
    double crowded = sum > 0 ? (1 - most / sum) * fmin(most / p->seconds, 1) : 0;
    p->low = p->seconds / (1 + down / squares + inexact);
    p->high = p->seconds * (1 + up / squares + crowd * crowded + inexact);
}

time_prediction time_predict(const device_profile *d, const time_demand *t)
{
    time_prediction p = {0};
    double launch = (double)d->time_launch_ns * 1e-9;
    /* Until the first loads are back nothing else begins. */
    double first = t->global_waits > 0 ? load_cycles(d, t) / ((double)d->clock_khz * 1e3) : 0;
    pipes(d, t, p.resource);
    for (int k = 0; k < RESULT_RESOURCES; k++) p.busy[k] = p.resource[k] * busy_sms(d, t) / (double)d->sm_count;
    memory(d, t, &p);
    p.resource[RESULT_LATENCY] = latency(d, t);
    p.resource[RESULT_LAUNCH] = starts(d, t);
    double sum = 0;
    for (int k = 0; k < RESULT_RESOURCES; k++) sum += pow(p.resource[k], TIME_OVERLAP);
    p.seconds = launch + first + pow(sum, 1 / TIME_OVERLAP);
    p.resource[RESULT_LAUNCH] += launch;
    set_range(t, &p);
    return p;
}
