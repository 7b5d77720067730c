/* What a profiler's units show: shares of their peaks over the whole device and time, by the counters that they divide. The weights of
 * requests and sectors at L2 (the device's time_unit_*) are those by which its units follow from the counters of recorded kernels. */
#include <math.h>

#include "time/parts_priv.h"

static double part(uint64_t percent, double of) { return (double)percent * of / 100; }

/* Data stage of L1: what it serves most has its name, and threads' places and shuffles go the way of shared memory. */
static void data_stage(const device_profile *d, const time_demand *t, double cycles, double *busy)
{
    double shared = t->shared_wavefronts + t->other_wavefronts;
    double l1 = t->l1_wavefronts + part(d->time_unit_l1_atomic_percent, t->atomic_lines) +
                part(d->time_unit_l1_packet_percent, t->l2_write_packets) + time_texel_cycles(d, t);
    busy[RESULT_SHARED] = shared > l1 ? (shared + l1) / cycles : 0;
    busy[RESULT_L1] = shared > l1 ? 0 : (shared + l1) / cycles;
}

/* Slots to issue in, of which those are not busy that go by while registers are read; or the unit of constants, barriers and places of
 * blocks, which takes an instruction of a warp in two cycles. */
static void issue(const device_profile *d, const time_demand *t, double cycles, double *busy)
{
    double slots = (time_slots(d, t) + t->off_issue) / (double)d->time_schedulers;
    busy[RESULT_ISSUE] = fmax(slots, t->uniforms * (double)d->time_uniform_cycles) / cycles;
}

/* The busiest of L2's units: the way to it, its tags, its sectors, the way back. */
static double l2_clocks(const device_profile *d, const time_demand *t)
{
    double reads = t->l2_read_sectors, writes = t->l2_write_sectors, atomics = t->l2_atomic_sectors;
    double filled = t->dram_read_bytes / 32, back = t->dram_write_bytes / 32;
    double each = t->l2_write_packets > 0 ? fmin(writes / t->l2_write_packets, 2) : 1;
    double requests = t->l2_read_requests + t->l2_write_packets * (1.5 - each / 2); /* of stores: of a whole line */
    double to = part(d->time_unit_l2_way_percent, requests + writes + atomics);
    double tags = part(d->time_unit_l2_tag_percent, requests + fmin(t->atomic_lines, atomics)) +
                  part(d->time_unit_l2_tag_sector_percent, writes + atomics + filled) +
                  part(d->time_unit_l2_tag_back_percent, back);
    double sectors = part(d->time_unit_l2_read_percent, reads) +
                     part(d->time_unit_l2_written_percent, writes + atomics) +
                     part(d->time_unit_l2_filled_percent, filled);
    double data = part(d->time_unit_l2_data_read_percent, reads) + part(d->time_unit_l2_data_written_percent, writes) +
                  part(d->time_unit_l2_data_filled_percent, filled) + part(d->time_unit_l2_data_back_percent, back);
    double from = fmax(part(d->time_unit_l2_return_percent, reads), filled);
    return fmax(fmax(fmax(to, tags), fmax(sectors, data)), from);
}

void time_units(const device_profile *d, const time_demand *t, double *busy)
{
    const double giga = 1e9, percent = 0.01, sector = 32;
    double cycles = (double)d->sm_count * (double)d->clock_khz * 1e3;
    double peak = (double)d->memory_clock_khz * 1e3 * 2 * (double)d->memory_bus_bits / 8;
    double slices = (double)d->time_l2_read_gb * giga / sector * (double)d->time_l2_slices_percent * percent;
    data_stage(d, t, cycles, busy);
    issue(d, t, cycles, busy);
    busy[RESULT_L2] = l2_clocks(d, t) / slices;
    /* always less than the way to L2, as recorded */
    busy[RESULT_ATOMICS] = part(d->time_unit_l2_atomic_percent, t->l2_atomic_sectors) / slices;
    busy[RESULT_DRAM] = (t->dram_read_bytes + t->dram_write_bytes) / peak;
}
