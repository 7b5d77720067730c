#include "time/time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "time/parts_priv.h"

/* ---------------------------------------------------------------- instructions */
static const struct {
    const char *opcode, *type;
    time_work work;
} rows[] = {
#define WORK(opcode, type, issue, fp32, integer, either, fp64, sfu, lsu, tensor, latency, parts)                       \
    {opcode, type, {issue, fp32, integer, fp64, sfu, lsu, tensor, latency, either, parts, 0}},
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

/* Types of the operands of tensor-core instructions: how many products of them take as long as one of 16 bits. */
static double tensor_rate(const device_profile *d, const char *mnemonic)
{
    const struct {
        const char *type;
        uint64_t thousandths;
    } rates[] = {
        {".tf32", d->time_tensor_tf32}, {".f64", d->time_tensor_fp64},  {".e4m3", d->time_tensor_byte},
        {".e5m2", d->time_tensor_byte}, {".s8", d->time_tensor_byte},   {".u8", d->time_tensor_byte},
        {".s4", d->time_tensor_nibble}, {".u4", d->time_tensor_nibble}, {".b1", d->time_tensor_bit},
    };
    for (size_t t = 0; t < LW_COUNT(rates); t++)
        if (strstr(mnemonic, rates[t].type) && rates[t].thousandths) return (double)rates[t].thousandths / 1000;
    return 1;
}

double time_tensor_of(const device_profile *d, const char *mnemonic)
{
    unsigned m, n, k;
    const double warps = 4; /* of a group */
    if (!strstr(mnemonic, "mma")) return 0;
    const char *shape = strstr(mnemonic, ".m");
    for (; shape; shape = strstr(shape + 1, ".m"))
        if (sscanf(shape, ".m%un%uk%u", &m, &n, &k) == 3) break;
    if (!shape) return 0;
    double products = (double)m * n * k / tensor_rate(d, mnemonic);
    if (strncmp(mnemonic, "wgmma", 5)) return products;
    return products / warps * (double)d->time_group_percent / 100;
}

time_work time_work_of(const char *mnemonic)
{
    time_work work = {.issue = 1, .integer = 1, .latency = 4.3};
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        if (!fits(mnemonic, rows[k].opcode, rows[k].type)) continue;
        work = rows[k].work;
        break;
    }
    return work;
}

/* ---------------------------------------------------------------- resources */
/* How much longer the multiprocessor with the longest block is at work than the mean one. */
static double imbalance(const device_profile *d, const time_demand *t)
{
    if (t->block_mean <= 0) return 1;
    double each = fmax((double)t->blocks / (double)d->sm_count, 1);
    return fmax(t->block_longest / t->block_mean / each, 1);
}

/* Multiprocessors times the cycles a second of each, as far as the blocks keep them busy: the one with most blocks, or with
 * the longest, ends last. */
static double busy_sms(const device_profile *d, const time_demand *t)
{
    double sms = (double)d->sm_count, blocks = (double)t->blocks;
    double most = ceil(blocks / sms);
    double waves = blocks / sms / t->blocks_per_sm;
    /* of many waves the blocks of the last spread by themselves */
    double share = waves > 4 ? 1 : blocks / sms / most;
    return sms * share / imbalance(d, t);
}

static double hertz(const device_profile *d) { return (double)d->clock_khz * 1e3; }

static double busy_cycles(const device_profile *d, const time_demand *t) { return busy_sms(d, t) * hertz(d); }

static void pipes(const device_profile *d, const time_demand *t, double *seconds)
{
    double cycles = busy_cycles(d, t);
    double fp64_lanes = (double)d->time_fp32_lanes / (double)LW_MAX(d->single_to_double_ratio, (uint64_t)1);
    const time_work *w = &t->work;
    double slots = (time_slots(d, t) + w->reads) / (double)d->time_schedulers,
           places = t->uniforms * (double)d->time_uniform_cycles;
    seconds[RESULT_ISSUE] = fmax(slots, places) / cycles;
    /* the assembler deals out what either can do so that both have as many */
    double to_fp32 = fmin(fmax((w->integer + w->either - w->fp32) / 2, 0), fmax(w->either, 0));
    seconds[RESULT_FP32] = (w->fp32 + to_fp32) * 32 / (double)d->time_fp32_lanes / cycles;
    seconds[RESULT_INT] = (w->integer + w->either - to_fp32) * 32 / (double)d->time_int_lanes / cycles;
    seconds[RESULT_FP64] = w->fp64 * 32 / fp64_lanes / cycles;
    seconds[RESULT_SFU] = w->sfu * 32 / (double)d->time_sfu_lanes / cycles;
    seconds[RESULT_TENSOR] = w->tensor / (double)LW_MAX(d->time_tensor_products, (uint64_t)1) / cycles;
    /* one data stage serves both, and stores on their way: it is named by what it serves most */
    double l1 = t->l1_wavefronts + t->atomic_lines + (double)d->time_store_cycles * t->l2_write_packets;
    l1 += t->constant_words * (double)d->time_constant_tenths / 10;
    l1 += time_texel_cycles(d, t);
    bool shared = t->shared_wavefronts > l1;
    double both = t->shared_wavefronts + l1;
    seconds[RESULT_SHARED] = (shared ? both : t->shared_wavefronts) / cycles;
    seconds[RESULT_L1] = (shared ? l1 : both) / cycles;
}

/* Of atomics that need what the one before left, one is under way at a time; between two that succeed all others of the word try in
 * vain, of which half are left in the mean. Where those leave whose value is no longer wanted, emulation, which runs one warp after
 * the other, has more that succeed than a card, whose warps have all begun with the first value. */
static double chain_of(const device_profile *d, const time_demand *t)
{
    double steps = t->atomic_chain;
    if (t->atomic_yields)
        steps = fmin((double)d->time_atomic_first_tenths / 10 +
                         steps / (double)LW_MAX(d->time_atomic_emulated, (uint64_t)1),
                     (double)d->time_atomic_rounds);
    double tries = t->atomic_crowd / 2 / ((double)d->time_atomic_tries * 1e6);
    return steps * fmax((double)d->time_atomic_cycles / hertz(d), tries);
}

/* Of the peak: of what is read alone, of what is written alone, and less as both are mixed, because the bus turns round. */
static double dram_percent(const device_profile *d, double reads, double writes)
{
    double lesser =
        reads + writes > 0 ? 2 * fmin(reads, writes) / (reads + writes) : 0; /* 1: as much read as written */
    double alone = (double)(writes > reads ? d->time_dram_written_percent : d->time_dram_percent);
    double mixed = (double)d->time_dram_percent - (double)d->time_dram_mixed_loss;
    return alone + (mixed - alone) * lesser;
}

/* Loads, stores and atomics go through the same tags of L2 one after the other: that is named by what takes most of it. */
static void share_tags(double *seconds, double accesses, double atomics)
{
    double *most = &seconds[seconds[RESULT_ATOMICS] > seconds[RESULT_L2] ? RESULT_ATOMICS : RESULT_L2];
    *most = fmax(*most, accesses + atomics);
}

/* Of atomics in the 512 bytes that most go to: one slice of L2 serves them, sums of floating point slower, and slowest in one line, where
 * each waits for the one before. */
static double slice_of(const device_profile *d, const time_demand *t)
{
    const double mega = 1e6, sums = t->float_atomics;
    double other = 1 / (double)d->time_atomics_slice;
    double sum = t->hot_lines > 0 ? 1 / (double)LW_MAX(d->time_sums_line, (uint64_t)1) : 2 * other;
    double each = (1 - sums) * other + sums * sum;
    bool tried = t->atomic_yields && t->atomic_chain > 0; /* as many as emulation has */
    return tried ? 0 : t->hot_atomics * t->l2_atomic_sectors * each / mega;
}

static void memory(const device_profile *d, const time_demand *t, double *seconds)
{
    const double giga = 1e9, percent = 0.01;
    double reads = t->dram_read_bytes, writes = t->dram_write_bytes, bytes = reads + writes;
    double peak = (double)d->memory_clock_khz * 1e3 * 2 * (double)d->memory_bus_bits / 8;
    double efficiency = dram_percent(d, reads, writes);
    /* A piece in a page of its own costs opening the page, however little of it is moved. */
    double scattered = t->dram_scattered * 64 / (peak * (double)d->time_dram_scattered * percent);
    seconds[RESULT_DRAM] = fmax(bytes / (peak * efficiency * percent), scattered);
    /* Requests of loads and packets of stores share the way to L2; what loads get has one of its own. */
    double to = t->l2_read_requests / ((double)d->time_l2_read_requests * giga) +
                t->l2_write_packets / ((double)d->time_l2_write_packets * giga);
    seconds[RESULT_L2] = fmax(to, t->l2_read_sectors * 32 / ((double)d->time_l2_read_gb * giga));
    double longer = 1 + t->read_atomics * (100 / (double)d->time_atomics_read_percent - 1);
    double rate = (double)d->time_atomics * giga / longer;
    double spread = t->l2_atomic_sectors / rate;
    if (t->atomic_yields && t->atomic_chain > 0) spread = 0; /* as many tries as emulation has */
    seconds[RESULT_ATOMICS] = fmax(fmax(spread, slice_of(d, t)), chain_of(d, t));
    share_tags(seconds, to, spread);
}

/* Of one load, as long as the mean one takes. */
static double load_cycles(const device_profile *d, const time_demand *t)
{
    double load = (double)d->time_l1_cycles;
    load += t->missed_l1 * ((double)d->time_l2_cycles - (double)d->time_l1_cycles);
    load += t->missed_l2 * ((double)d->time_dram_cycles - (double)d->time_l2_cycles);
    return load;
}

/* Times that the blocks' warps take one behind the other: in the waves, and the last takes as long as its longest block. */
static double rounds(const device_profile *d, const time_demand *t, double *waves)
{
    *waves = (double)t->blocks / (double)d->sm_count / t->blocks_per_sm;
    if (*waves <= 4) *waves = ceil(*waves);
    return (*waves - 1) * fmax(t->block_mean, 1) + fmax(t->block_longest, 1);
}

/* Times a warp of the mean block, in cycles. */
static double per_warp(const time_demand *t, double cycles)
{
    return cycles / ((double)t->blocks * t->warps_per_block);
}

/* What warps wait for memory and at barriers, in cycles, in the turns that they take. All warps of a block come by its barriers, and
 * by what all of them load: a block that takes longer than others, or a warp, does not because of them. */
static double memory_waits(const device_profile *d, const time_demand *t, double turns, double waves)
{
    double barrier = (double)d->time_barrier_cycles + (double)d->time_barrier_warp_tenths / 10 * t->warps_per_block;
    double others = (t->global_waits - t->even_waits) * load_cycles(d, t) + t->fence_cycles;
    return per_warp(t, others) * turns +
           per_warp(t, t->barrier_waits * barrier + t->even_waits * load_cycles(d, t)) * waves;
}

/* Where a multiprocessor has only one block, nothing else goes on while all of its warps wait at a barrier for what they load. */
static double exposed(const device_profile *d, const time_demand *t)
{
    double waves, turns = rounds(d, t, &waves);
    bool alone = t->blocks <= d->sm_count || t->blocks_per_sm == 1;
    return alone && t->barrier_waits > 0 ? memory_waits(d, t, turns, waves) / hertz(d) : 0;
}

/* Warps that a multiprocessor has at work at once, as far as they all have something to do: the longest has more than others. */
static double warps_at_work(const device_profile *d, const time_demand *t)
{
    double blocks = fmin(t->blocks_per_sm, ceil((double)t->blocks / (double)d->sm_count));
    double longer = t->block_mean > 0 ? fmax(t->block_longest / t->block_mean, 1) : 1;
    return fmax(blocks * t->warps_per_block / longer, 1);
}

/* How much warps that use shared memory wait for their turn there. Where loops are unrolled, as in products of tiles in registers, results
 * are hardly waited for: a warp has others to go on with, and what it fetches comes meanwhile; but not right behind a barrier, where the warps of
 * a large block all fetch at once. */
static double share_waiting(const time_demand *t)
{
    if (t->shared_wavefronts <= t->l1_wavefronts || t->path <= 0) return 1;
    double chained = fmin(fmax(t->chain / t->path, TIME_CHAINED / 4) / TIME_CHAINED, 1);
    double barriers = t->work.issue > 0 ? t->barrier_waits / t->work.issue * TIME_BARRIER_INSNS : 0;
    double at_once = fmin(barriers * (t->warps_per_block - 1) / TIME_BARRIER_WARPS, 1);
    return 1 - (1 - chained) * (1 - at_once);
}

/* What a warp waits for the others: for the slots to issue in, while they do not wait for memory, and as far as issuing does not
 * take all of the time itself; and for their turn in L1 and shared memory, of which it needs one itself. busy: share of the time alone that is not memory. */
static double crowd_of(const device_profile *d, const time_demand *t, const double *seconds, double alone, double busy)
{
    const double percent = 0.01;
    double warps = warps_at_work(d, t), each = fmax(warps / (double)d->time_schedulers, 1),
           issue = seconds[RESULT_ISSUE];
    double crowd = 0;
    if (alone > 0)
        crowd = (double)d->time_crowd_percent * percent * issue * busy * alone / (alone + issue) * (1 - 1 / each);
    double stage = fmax(seconds[RESULT_L1], seconds[RESULT_SHARED]);
    double own = (double)d->time_stage_own_percent * percent / warps;
    double others = (double)d->time_stage_percent * percent * (1 - 1 / warps);
    return crowd + (own + others) * stage * share_waiting(t);
}

/* What a block takes beside its mean warp: its last warp starts later than its first, and ends still later where what they load comes one
 * after the other. */
static double block_cycles(const device_profile *d, const time_demand *t)
{
    double loads = fmin(per_warp(t, t->global_waits), 1); /* share of the warps */
    double each = (double)d->time_warp_start_cycles + loads * (double)d->time_warp_turn_cycles;
    return (double)d->time_block_cycles + t->warps_per_block * each;
}

/* A warp alone: its instructions, and what it waits for. As many as fit run at once, and wait for each other. */
static double latency(const device_profile *d, const time_demand *t, const double *seconds)
{
    double waves, turns = rounds(d, t, &waves);
    double own = t->path - t->even_path + t->work.fp64 * ((double)d->time_fp64_cycles - (double)d->time_alu_cycles);
    own =
        per_warp(t, own + t->shared_waits * (double)d->time_shared_cycles) * turns + per_warp(t, t->even_path) * waves;
    own += t->code * (double)d->time_fetch_cycles;
    double memory = memory_waits(d, t, turns, waves), alone = (own + memory) / hertz(d);
    double crowd = crowd_of(d, t, seconds, alone, alone > 0 ? own / (own + memory) : 0);
    return alone + waves * block_cycles(d, t) / hertz(d) + crowd;
}

/* Blocks of a multiprocessor that change the same line, one after the other. */
static double turns(const device_profile *d, const time_demand *t)
{
    double each = (double)d->time_stored_cycles + (double)d->time_stored_line_cycles * t->turn_lines;
    return t->turns * each / hertz(d);
}

/* Blocks that wait for what the one before hands on. */
static double links(const device_profile *d, const time_demand *t)
{
    double each = (double)d->time_link_cycles + (t->link_fences ? (double)d->time_link_fence_cycles : 0);
    return (t->links * each + t->link_loads * (double)d->time_l2_cycles) / hertz(d);
}

/* A multiprocessor starts its blocks one after the other, and the warps of each. */
static double starts(const device_profile *d, const time_demand *t)
{
    double blocks = ceil((double)t->blocks / (double)d->sm_count);
    double least = blocks > 1 ? (double)d->time_block_start_cycles : 0;
    return blocks * fmax(t->warps_per_block * (double)d->time_warp_start_cycles, least) / hertz(d);
}

/* Memory of the host, which kernels reach by the bus, printf and the device heap: nothing overlaps with them. */
static double outside(const device_profile *d, const time_demand *t)
{
    double rate = (double)d->copy_to_device_pinned * 1e6 * (double)d->time_host_percent / 100;
    double bus = fmax(t->host_read_bytes, t->host_write_bytes);
    /* A warp waits for the host at each of its calls. Other warps' calls go the same way, behind each other. */
    double others = t->print_warps > t->prints ? 1 - t->prints / t->print_warps : 0;
    double each = t->print_warps * (double)d->time_print_warp_ns + t->print_lanes * (double)d->time_print_lane_ns;
    double prints = t->prints * (double)d->time_print_ns + others * each;
    /* malloc and free go through what has been taken; of many threads one is at it at a time, each for itself. */
    double heap = t->heap_calls * ((double)d->time_heap_ns + t->heap_calls / 2 * (double)d->time_heap_more_ns);
    heap = fmax(heap, t->heap_lanes * (double)d->time_heap_lane_ns);
    return (bus > 0 ? bus / rate : 0) + (prints + heap) * 1e-9;
}

/* ---------------------------------------------------------------- together */
static double overlap(const device_profile *d, const time_demand *t)
{
    bool waves = t->blocks > d->sm_count * t->blocks_per_sm;
    return (waves && t->blocks_per_sm <= 2 ? TIME_OVERLAP_FEW : TIME_OVERLAP) / sqrt(share_waiting(t));
}

/* Blocks start while others run, and nothing waits for atomics whose results nobody reads: a slice of L2 that has more of them than it serves
 * goes on while warps do anything else, up to the end. */
static double together(const device_profile *d, const time_demand *t, const double *resource)
{
    double sum = 0, k_norm = overlap(d, t), queue = t->read_atomics > 0 ? 0 : slice_of(d, t);
    if (queue < resource[RESULT_ATOMICS]) queue = 0;
    for (int k = 0; k < RESULT_RESOURCES; k++) {
        bool apart = k == RESULT_LAUNCH || (k == RESULT_ATOMICS && queue > 0);
        if (!apart) sum += pow(resource[k], k_norm);
    }
    double launch = resource[RESULT_LAUNCH], starts = TIME_OVERLAP_STARTS;
    double others = pow(pow(sum, starts / k_norm) + pow(launch, starts), 1 / starts);
    return pow(pow(others, TIME_OVERLAP_QUEUE) + pow(queue, TIME_OVERLAP_QUEUE), 1 / TIME_OVERLAP_QUEUE);
}

time_prediction time_predict(const device_profile *d, const time_demand *t)
{
    time_prediction p = {0};
    double wide =
        fmin((double)t->blocks / (double)d->sm_count, 1); /* share of the multiprocessors that begin and end */
    double launch = ((double)d->time_launch_ns + (double)d->time_spread_ns * wide) * 1e-9;
    /* Until the first loads are back nothing else begins. */
    double first = t->global_waits > 0 ? load_cycles(d, t) / hertz(d) : 0;
    pipes(d, t, p.resource);
    for (int k = 0; k < RESULT_RESOURCES; k++) p.busy[k] = p.resource[k] * busy_sms(d, t) / (double)d->sm_count;
    memory(d, t, p.resource);
    time_units(d, t, p.busy);
    /* while all blocks wait for each other, nothing goes on on the whole device */
    double apart = exposed(d, t), out = outside(d, t) + per_warp(t, t->grid_cycles) / hertz(d);
    p.resource[RESULT_LATENCY] = fmax(latency(d, t, p.resource) - apart, fmax(turns(d, t), links(d, t)));
    p.resource[RESULT_LAUNCH] = starts(d, t);
    p.seconds = launch + first + apart + out + together(d, t, p.resource);
    p.resource[RESULT_LATENCY] += apart + out;
    p.resource[RESULT_LAUNCH] += launch;
    time_range(t, &p);
    return p;
}

double time_counted_blocks(double begun, double done) { return done > 0 && 2 * done >= begun ? (begun + done) / 2 : 0; }
