/* What a profiler's units show: shares of their peaks over the whole device and time, by the counters that they divide. The weights of
 * requests and sectors at L2 are those by which its units follow from the counters of recorded kernels (docs/REPORT.md). */
#include <math.h>

#include "time/parts_priv.h"

/* Data stage of L1: what it serves most has its name, and threads' places and shuffles go the way of shared memory. */
static void data_stage(const time_demand *t, double cycles, double *busy)
{
    const double of_atomic = 0.5, of_packet = 0.7; /* wavefronts of a line, of 64 bytes on their way to L2 */
    double shared = t->shared_wavefronts + t->other_wavefronts;
    double l1 = t->l1_wavefronts + of_atomic * t->atomic_lines + of_packet * t->l2_write_packets;
    busy[RESULT_SHARED] = shared > l1 ? (shared + l1) / cycles : 0;
    busy[RESULT_L1] = shared > l1 ? 0 : (shared + l1) / cycles;
}

/* Slots to issue in, or the unit of constants, barriers and places of blocks, which takes an instruction of a warp in two cycles. */
static void issue(const device_profile *d, const time_demand *t, double cycles, double *busy)
{
    double off = t->off_issue / (double)d->time_schedulers / cycles;
    busy[RESULT_ISSUE] = fmax(busy[RESULT_ISSUE] + off, t->uniforms * (double)d->time_uniform_cycles / cycles);
}

/* The busiest of L2's units: the way to it, its tags, its sectors, the way back. */
static double l2_clocks(const time_demand *t)
{
    double reads = t->l2_read_sectors, writes = t->l2_write_sectors, atomics = t->l2_atomic_sectors;
    double filled = t->dram_read_bytes / 32, back = t->dram_write_bytes / 32;
    double each = t->l2_write_packets > 0 ? fmin(writes / t->l2_write_packets, 2) : 1;
    double requests = t->l2_read_requests + t->l2_write_packets * (1.5 - each / 2); /* of stores: of a whole line */
    double to = 0.85 * (requests + writes + atomics);
    double tags = 1.2 * (requests + fmin(t->atomic_lines, atomics)) + 0.2 * (writes + atomics + filled) + 0.1 * back;
    double sectors = 0.38 * reads + 0.55 * (writes + atomics) + 0.12 * filled;
    double data = 0.27 * reads + 0.4 * writes + 0.5 * filled + 0.25 * back;
    return fmax(fmax(fmax(to, tags), fmax(sectors, data)), fmax(0.52 * reads, filled));
}

void time_units(const device_profile *d, const time_demand *t, double *busy)
{
    const double giga = 1e9, percent = 0.01, sector = 32;
    double cycles = (double)d->sm_count * (double)d->clock_khz * 1e3;
    double peak = (double)d->memory_clock_khz * 1e3 * 2 * (double)d->memory_bus_bits / 8;
    double slices = (double)d->time_l2_read_gb * giga / sector * (double)d->time_l2_slices_percent * percent;
    data_stage(t, cycles, busy);
    issue(d, t, cycles, busy);
    busy[RESULT_L2] = l2_clocks(t) / slices;
    /* always less than the way to L2, as recorded */
    busy[RESULT_ATOMICS] = 0.68 * t->l2_atomic_sectors / slices;
    busy[RESULT_DRAM] = (t->dram_read_bytes + t->dram_write_bytes) / peak;
}
