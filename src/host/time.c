/* The time of a launch: gathers what it asks of the device from what was executed and counted, for the model in time/. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/caches_priv.h"
#include "host/kernel_priv.h"
#include "host/mnemonic_priv.h"
#include "host/sites_priv.h"
#include "host/time_block_priv.h"
#include "host/time_folds_priv.h"
#include "host/time_lines_priv.h"
#include "host/time_prints_priv.h"
#include "host/time_units_priv.h"
#include "host/time_waits_priv.h"
#include "time/time.h"

static void add_work(time_work *to, const time_work *one, double times)
{
    to->issue += one->issue * times;
    to->fp32 += one->fp32 * times;
    to->integer += one->integer * times;
    to->fp64 += one->fp64 * times;
    to->sfu += one->sfu * times;
    to->lsu += one->lsu * times;
    to->tensor += one->tensor * times;
    to->either += one->either * times;
    to->reads += one->reads * times;
}

static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

static bool is_shared(const char *mnemonic) { return strstr(mnemonic, ".shared") != NULL; }

/* fold: host_fold */
static time_work work_on(const device_profile *d, const char *mnemonic, uint8_t fold)
{
    char known[64];
    if (fold == HOST_FOLD_AWAY) return (time_work){0};
    if (fold == HOST_FOLD_PRODUCT) return time_work_of("mad.wide");
    if (fold == HOST_FOLD_COPY) return time_work_of("copied.mov");
    if (fold == HOST_FOLD_CONSTANT) return time_work_of("uniform.ld.const");
    if (fold == HOST_FOLD_MEETS) return time_work_of("meeting.bra");
    if (fold == HOST_FOLD_DIVISOR) {
        snprintf(known, sizeof known, "known.%s", mnemonic);
        return time_work_of(known);
    }
    time_work work = time_work_of(mnemonic);
    work.tensor = time_tensor_of(d, mnemonic);
    if (fold == HOST_FOLD_READS) work.reads = (double)d->time_reads_percent / 100;
    if (fold == HOST_FOLD_BANK) work.reads = 1;
    return work;
}

/* Per site of a kernel a host_fold. */
static uint8_t *folds_of_sites(const code_kernel *code)
{
    uint8_t *all = lw_alloc(code->site_count + (size_t)1), *folds = NULL;
    const ptx_function *function = NULL;
    for (uint32_t k = 0; k < code->site_count; k++) {
        const code_site *site = &code->sites[k];
        if (site->function != function) {
            free(folds);
            function = site->function;
            folds = host_folds_of(function);
        }
        all[k] = folds[site->insn - function->insns];
    }
    free(folds);
    return all;
}

static double times_of_a_warp(const time_demand *t, double times)
{
    return ceil(times / ((double)t->blocks * t->warps_per_block));
}

static void add_print(time_demand *t, print_series *series, const code_site *site, double times, double lanes)
{
    t->prints = host_add_print(series, site, times_of_a_warp(t, times));
    t->print_warps += times;
    t->print_lanes += lanes;
}

static double value(const counter_set *set, counter_id id)
{
    return set->present >> id & 1 ? (double)set->value[id] : 0;
}

/* Whether the count plan has joined it to another, or gave its variable registers. */
static bool is_joined(const code_site *site)
{
    const char *mnemonic = site->insn->mnemonic;
    return !site->is_memory && (begins(mnemonic, "ld.") || begins(mnemonic, "st.")) && !strstr(mnemonic, ".param");
}

static void add_instructions(const device_profile *d, time_demand *t, const code_kernel *code,
                             const exec_result *result, const double *executed, const cache_site *sites,
                             const result_launch *launch, const uint8_t *folds)
{
    const uint32_t registers = launch->occupancy.registers;
    print_series prints = {0};
    block_waits waits = {.block = UINT32_MAX, .now = UINT32_MAX, .most = host_together_most(d, registers)};
    for (uint32_t k = 0; k < code->site_count; k++) {
        const code_site *site = &code->sites[k];
        const char *mnemonic = site->insn->mnemonic;
        double times = executed[k], issued = times;
        bool other = site->block != waits.now && !site->moved;
        if (other && site->function == waits.function && waits.through && site->insn <= waits.through) {
            waits.now = site->block;
            other = false;
        }
        if (other || site->function != waits.function) {
            host_end_block(d, t, &waits);
            host_enter_block(&waits, site);
        }
        bool guarded = site->function == waits.function && waits.through && site->insn < waits.through;
        if (guarded) issued = fmax(times, waits.guarded);
        if (issued <= 0 || site->repeats) continue; /* the assembler keeps what was loaded */
        time_work work = work_on(d, mnemonic, folds[k]);
        if (is_joined(site)) work.issue = work.lsu = 0;
        const ptx_insn *through = host_branch_guards(d, site->function, site->insn);
        bool inner = guarded && begins(mnemonic, "bra"); /* from the end of a way to where both meet */
        if (through || inner) work.issue = 0;
        add_work(&t->work, &work, issued);
        waits.runs = fmax(waits.runs, times);
        waits.issue += work.issue * issued;
        waits.accesses += work.lsu * issued;
        if (times <= 0) continue;
        if (through) {
            waits.through = through;
            waits.guarded = issued;
        } else if (!inner && begins(mnemonic, "bra") && folds[k] != HOST_FOLD_AWAY) /* BSYNC takes as long as BRA */
            waits.branches += folds[k] == HOST_FOLD_MEETS ? 2 * times : times;
        host_add_waits(d, t, &waits, site, &sites[k], times, &work);
        t->code += work.issue;
        code_builtin called = code_builtin_called(site->insn);
        double lanes = result->site_lanes ? (double)result->site_lanes[k] : times;
        if (called == CODE_MALLOC || called == CODE_FREE) {
            t->heap_calls += times_of_a_warp(t, times);
            t->heap_lanes += lanes;
        }
        if (called == CODE_VPRINTF) add_print(t, &prints, site, times, lanes);
        if (is_block_barrier(mnemonic)) t->barrier_waits += times;
    }
    host_end_block(d, t, &waits);
    t->missed_l1 = share(t->missed_l1, t->global_waits);
    t->missed_l2 = share(t->missed_l2, t->global_waits);
    host_leave_function(&waits);
}

/* The rounds of shared atomics that are loops of compare-and-swaps in machine code: that is what is counted for them. contended:
 * those of rows in which warps of a block meet at a word. */
static double loop_rounds(const code_kernel *code, const double *executed, const result_launch *launch,
                          double *contended)
{
    bool loops = false;
    double rounds = 0, others = 0;
    *contended = 0;
    for (uint32_t k = 0; k < code->site_count; k++) {
        const code_site *site = &code->sites[k];
        loops |= site->swaps;
        if (site->atomic != EVENT_ATOMIC_NONE && is_shared(site->insn->mnemonic) && !site->swaps) others += executed[k];
    }
    for (size_t k = 0; loops && k < launch->row_count; k++) {
        const result_row *row = &launch->rows[k];
        bool atomic = !strcmp(row->op, "atomic") || !strcmp(row->op, "reduction");
        if (!atomic || strcmp(row->space, "shared") != 0) continue;
        rounds += value(&row->counters, COUNTER_INST_EXECUTED);
        if (!row->exact) *contended += value(&row->counters, COUNTER_INST_EXECUTED);
    }
    return fmax(rounds - others, 0);
}

/* Each round has a load, a compare-and-swap and what is between them. Where warps meet at a word, one of them succeeds in the time of
 * two rounds (tests/hw/h200-waits.csv), and the others try again. They meet the more, the more lanes of a warp do. */
static void add_loops(const device_profile *d, time_demand *t, const code_kernel *code, const double *executed,
                      const result_launch *launch)
{
    const double instructions = (double)d->time_swap_instructions, cycles = (double)d->time_swap_cycles;
    const double waits = (double)d->time_swap_waits, many = (double)d->time_swap_rounds;
    double contended, rounds = loop_rounds(code, executed, launch, &contended), atomics = 0;
    if (rounds <= 0) return;
    for (uint32_t k = 0; k < code->site_count; k++)
        if (code->sites[k].swaps) atomics += executed[k];
    double meets = share(contended, rounds) * fmin(share(rounds, atomics) / many, 1);
    double warps = t->warps_per_block / fmax(t->block_mean, 1); /* that are at it at once */
    double longer = rounds * (1 + meets * fmax(warps / 2 - 1, 0)),
           tries = rounds * (1 + meets * (warps * 3 / 4 - 3.0 / 4));
    t->shared_wavefronts *= 1 + meets * (tries / rounds - 1);
    t->work.issue += instructions * tries;
    t->path += instructions * cycles * longer;
    t->shared_waits += waits * longer;
}

static void add_rows(time_demand *t, const result_launch *launch)
{
    double inexact = 0;
    for (size_t k = 0; k < launch->row_count; k++) {
        const counter_set *c = &launch->rows[k].counters;
        bool shared = !strcmp(launch->rows[k].space, "shared");
        double l1 = fmax(value(c, COUNTER_REQUESTS), value(c, COUNTER_TAGS));
        if (!shared &&
            !strcmp(launch->rows[k].op, "store")) { /* on their way to L2, where the sample knows more of them */
            t->l2_write_packets += l1;
            l1 = 0;
        }
        if (!strcmp(launch->rows[k].space, "constant")) { /* of a cache of their own */
            double words = value(c, COUNTER_INST_EXECUTED) * LW_MAX(launch->rows[k].bytes_per_lane / 4, 1u);
            t->constant_words += fmax(value(c, COUNTER_REQUESTS) - words, 0);
            continue;
        }
        if (!strcmp(launch->rows[k].space, "texture") && !strcmp(launch->rows[k].op, "load")) {
            t->texels += value(c, COUNTER_LANES);
            continue;
        }
        double wavefronts = shared ? value(c, COUNTER_WAVEFRONTS) : l1;
        if (!shared && (!strcmp(launch->rows[k].op, "atomic") || !strcmp(launch->rows[k].op, "reduction"))) {
            t->atomic_lines += l1;
            continue;
        }
        *(shared ? &t->shared_wavefronts : &t->l1_wavefronts) += wavefronts;
        if (!launch->rows[k].exact) inexact += wavefronts;
    }
    t->inexact = share(inexact, t->shared_wavefronts + t->l1_wavefronts);
    const counter_set *c = &launch->counters;
    t->l2_read_sectors = value(c, COUNTER_L2_READ_SECTORS);
    t->l2_write_sectors = value(c, COUNTER_L2_WRITE_SECTORS);
    t->l2_atomic_sectors = value(c, COUNTER_L2_ATOMIC_SECTORS);
    t->dram_read_bytes = value(c, COUNTER_DRAM_READ_BYTES);
    t->dram_write_bytes = value(c, COUNTER_DRAM_WRITE_BYTES);
}

/* Sums of the sample. */
static cache_site all_sites(const cache_site *sites, const code_kernel *code)
{
    cache_site all = {0};
    for (uint32_t k = 0; k < code->site_count; k++) {
        const cache_site *s = &sites[k];
        const char *mnemonic = code->sites[k].insn->mnemonic;
        bool stores = begins(mnemonic, "st.") || begins(mnemonic, "atom.") || begins(mnemonic, "red.");
        all.l2_reads += s->l2_reads;
        all.l2_writes += s->l2_writes;
        all.l2_read_requests += s->l2_read_requests;
        all.l2_write_packets += s->l2_write_packets;
        all.dram_read_bytes += s->dram_read_bytes;
        all.dram_write_bytes += s->dram_write_bytes;
        bool elsewhere = stores || begins(mnemonic, "tex.") || begins(mnemonic, "tld4.");
        all.lines += elsewhere ? 0 : s->lines;
        all.wavefronts += elsewhere || code->sites[k].repeats ? 0 : s->wavefronts;
        all.many_lines += s->many_lines;
        all.many_pages += s->many_pages;
    }
    return all;
}

/* What goes to memory of the host. */
static void add_host_bytes(time_demand *t, const cache_site *sites, const cache_site *all, const code_kernel *code)
{
    double reads = 0, writes = 0;
    for (uint32_t k = 0; k < code->site_count; k++) {
        if (!sites[k].on_host) continue;
        reads += sites[k].l2_reads;
        writes += sites[k].l2_writes;
    }
    t->host_read_bytes = share(reads, all->l2_reads) * t->l2_read_sectors * 32;
    t->host_write_bytes = share(writes, all->l2_writes) * t->l2_write_sectors * 32;
}

static void add_caches(time_demand *t, const host_context *c, const code_kernel *code)
{
    const cache_site *sites = host_caches_of_launch(c);
    cache_site all = all_sites(sites, code);
    double scattered = 0;
    for (uint32_t k = 0; k < code->site_count; k++)
        scattered += sites[k].dram_openings * share(sites[k].many_pages, sites[k].many_lines);
    cache_hot hot = host_hot_of_launch(c);
    add_host_bytes(t, sites, &all, code);
    if (all.lines > 0) t->l1_wavefronts *= all.wavefronts / all.lines;
    /* of a launch that stays in few lines the sample may have none */
    double requests = all.l2_reads > 0 ? all.l2_read_requests / all.l2_reads : 0.5;
    t->l2_read_requests = requests * t->l2_read_sectors;
    t->l2_write_packets = fmax(t->l2_write_packets, t->l2_write_sectors / 2);
    if (all.l2_writes > 0) t->l2_write_packets = all.l2_write_packets / all.l2_writes * t->l2_write_sectors;
    t->dram_scattered = share(scattered, all.dram_read_bytes + all.dram_write_bytes);
    t->dram_scattered *= t->dram_read_bytes + t->dram_write_bytes;
    t->hot_atomics = hot.share;
    t->hot_lines = hot.lines;
    t->turns = hot.turns;
    t->turn_lines = hot.turn_lines;
    t->links = hot.chain.links;
    t->link_loads = hot.chain.loads;
}

/* All warps come by barriers of all blocks at the same time: none takes longer than others. */
static void add_grid_barriers(const device_profile *d, time_demand *t, const code_kernel *code,
                              const exec_result *result, const double *executed)
{
    double cycles = host_grid_barrier_cycles(d, code, result, executed, t->blocks);
    t->grid_cycles += cycles;
    if (cycles > 0) t->block_mean = t->block_longest = 1;
}

/* Accesses of rounds in which warps only waited go with them: counters have them, a card has others. */
static void leave_out_waits(time_demand *t, const code_kernel *code, const exec_result *result, const double *executed)
{
    double all = 0, left = 0;
    for (uint32_t k = 0; k < code->site_count; k++) {
        double accesses = time_work_of(code->sites[k].insn->mnemonic).lsu;
        all += accesses * (double)result->site_inst[k];
        left += accesses * executed[k];
    }
    double kept = all > 0 ? left / all : 1;
    double *scaled[] = {&t->l1_wavefronts,   &t->atomic_lines,     &t->shared_wavefronts,
                        &t->l2_read_sectors, &t->l2_read_requests, &t->l2_atomic_sectors};
    for (size_t k = 0; k < LW_COUNT(scaled); k++) *scaled[k] *= kept;
}

/* The branch that closes the loop around a compare-and-swap which is tried until it succeeds. */
static uint32_t end_of_tries(const code_kernel *code, uint32_t site)
{
    const code_site *of = &code->sites[site];
    for (uint32_t k = site; k < code->site_count && code->sites[k].function == of->function; k++) {
        const ptx_insn *to = host_branch_target(of->function, code->sites[k].insn);
        if (to && to <= of->insn) return k;
    }
    return site;
}

/* Who tries for the word at once: the lanes that come to the loop, of the blocks that fit on the device. The loop is also left, if
 * it has a second way out, by those that see that they need not (a minimum, a maximum). */
static void add_tries(const device_profile *d, time_demand *t, const code_kernel *code, const exec_result *result,
                      uint32_t site)
{
    uint32_t last = end_of_tries(code, site), first = site, ways = 0;
    const code_site *end = &code->sites[last];
    const ptx_insn *to = host_branch_target(end->function, end->insn);
    while (first > 0 && to && code->sites[first].insn > to) first--;
    for (uint32_t k = first; k <= last; k++) {
        const ptx_insn *where = host_branch_target(end->function, code->sites[k].insn);
        bool inside = where >= to && where <= end->insn;
        ways += where && code->sites[k].insn->guard >= 0 && (!inside || k == last);
        /* a word that stays as it is fails nobody */
        const char *mnemonic = code->sites[k].insn->mnemonic;
        ways += 2 * (uint32_t)(begins(mnemonic, "max.") || begins(mnemonic, "min."));
    }
    double fit = share((double)d->sm_count * t->blocks_per_sm, (double)t->blocks);
    double lanes = 0; /* before it there may be those that go elsewhere, in it those that go round */
    if (result->site_lanes && first > 0)
        lanes = (double)LW_MIN(result->site_lanes[first - 1], result->site_lanes[first]);
    t->atomic_crowd = lanes * fmin(fit, 1);
    if (strstr(code->sites[site].insn->mnemonic, "64")) t->atomic_crowd *= 2; /* two words each */
    t->atomic_yields = ways > 1;
}

/* Of atomics of global memory: which are sums of floating point; and where all go to one line, locks and compare-and-swaps that
 * are tried until they succeed, of which each has seen what the one before left. */
static void add_atomics(const device_profile *d, time_demand *t, const code_kernel *code, const exec_result *result,
                        const double *executed)
{
    double sums = 0, all = 0, swaps = 0, exchanges = 0, read = 0, fences = 0, given = 0;
    uint32_t tried = 0;
    for (uint32_t k = 0; k < code->site_count; k++) {
        const code_site *site = &code->sites[k];
        if (host_is_fence(site->insn->mnemonic)) fences += executed[k];
        if (site->atomic == EVENT_ATOMIC_NONE || is_shared(site->insn->mnemonic)) continue;
        all += executed[k];
        if (!site->unread) read += executed[k];
        if (site->atomic == EVENT_ATOMIC_FADD) sums += executed[k];
        if (site->atomic == EVENT_ATOMIC_EXCH) *(site->unread ? &given : &exchanges) += executed[k];
        if (site->atomic != EVENT_ATOMIC_CAS || !site->waits) continue;
        swaps += executed[k];
        tried = k;
    }
    t->link_fences = fences >= (double)t->blocks / 2;
    t->float_atomics = share(sums, all);
    t->read_atomics = share(read, all);
    if (swaps <= 0 || t->hot_lines <= 0) return;
    /* Who gives a lock back waits for nothing behind it: the next one is there already. Fences around what it guards are waited for. */
    double step = (double)d->time_atomic_cycles;
    if (given > 0) swaps *= (double)d->time_lock_cycles / step;
    fences = fmin(fences, 2 * given) * (double)d->time_lock_fence_cycles / step;
    t->atomic_chain = (swaps + exchanges + fences) * t->hot_atomics;
    add_tries(d, t, code, result, tried);
}

/* How far warps differ in what they do. What waits for a clock is added elsewhere. */
static void add_blocks(time_demand *t, const exec_result *result, double begun)
{
    if (!result->clock_work || result->clock_wait) return;
    double mean = (double)result->clock_work / begun;
    t->block_mean = (double)result->clock_blocks / (begun / t->warps_per_block) / mean;
    t->block_longest = (double)result->clock_longest / mean;
}

/* Blocks that fetch their work one item after the other, by an atomic whose result they read (a lane of a warp or block for all, or
 * each lane for itself), are done at about the same time on a card; in emulation the first of them may have taken it all
 * (tests/hw/h200-orders.csv). */
static void even_out(time_demand *t, const code_kernel *code, const exec_result *result, const double *executed)
{
    bool fetches = false;
    for (uint32_t k = 0; k < code->site_count; k++) {
        const code_site *site = &code->sites[k];
        bool add = strstr(site->insn->mnemonic, ".add.") || strstr(site->insn->mnemonic, ".inc.");
        if (site->atomic == EVENT_ATOMIC_NONE || !add || site->unread || is_shared(site->insn->mnemonic)) continue;
        if (executed[k] < 4.0 * (double)t->blocks) continue;
        bool one = !site->waits && result->site_lanes && (double)result->site_lanes[k] <= executed[k];
        fetches |= one || host_fetches_work(site);
    }
    if (fetches) t->block_longest = t->block_mean;
}

/* Warps whose work the counts are: all, unless the launch was stopped. */
static double counted_warps(const time_demand *t, const code_kernel *code, const exec_result *result)
{
    double all = (double)t->blocks * t->warps_per_block;
    if (!result->fault.kind || !result->site_inst || !code->site_count) return all;
    double begun = fmin((double)result->site_inst[0] / t->warps_per_block, (double)t->blocks);
    return time_counted_blocks(begun, (double)result->blocks_done) * t->warps_per_block;
}

/* Of a launch that was stopped: blocks that did not end are taken to do what the others did. */
static void extrapolate(time_demand *t, double begun)
{
    double times = (double)t->blocks * t->warps_per_block / begun;
    double *sums[] = {&t->work.issue,
                      &t->work.fp32,
                      &t->work.integer,
                      &t->work.fp64,
                      &t->work.sfu,
                      &t->work.lsu,
                      &t->work.tensor,
                      &t->work.either,
                      &t->work.reads,
                      &t->path,
                      &t->even_path,
                      &t->shared_wavefronts,
                      &t->l1_wavefronts,
                      &t->l2_read_sectors,
                      &t->l2_write_sectors,
                      &t->l2_atomic_sectors,
                      &t->l2_read_requests,
                      &t->l2_write_packets,
                      &t->dram_read_bytes,
                      &t->dram_write_bytes,
                      &t->dram_scattered,
                      &t->atomic_chain,
                      &t->global_loads,
                      &t->global_waits,
                      &t->shared_waits,
                      &t->barrier_waits,
                      &t->host_read_bytes,
                      &t->host_write_bytes,
                      &t->prints,
                      &t->heap_calls,
                      &t->print_warps,
                      &t->print_lanes,
                      &t->constant_words,
                      &t->atomic_lines,
                      &t->fence_cycles,
                      &t->uniforms,
                      &t->other_wavefronts,
                      &t->off_issue,
                      &t->grid_cycles,
                      &t->texels,
                      &t->chain};
    if (times <= 1) return;
    for (size_t k = 0; k < LW_COUNT(sums); k++) *sums[k] *= times;
    t->inexact = 1;
}

typedef struct line_reader {
    const device_profile *device;
    const host_kernel *kernel;
    const double *executed; /* host_work_of_sites */
    const uint8_t *folds;
} line_reader;

static time_line_work work_of_line(void *user, const result_row *row)
{
    const line_reader *r = user;
    const code_kernel *code = r->kernel->code;
    time_line_work sum = {0};
    for (uint32_t k = 0; k < code->site_count; k++) {
        if (r->executed[k] <= 0) continue;
        const host_site_place *place = host_site_of(r->kernel->sites, code, k);
        if (place->line != row->line || place->ptx != row->ptx || (!row->ptx && place->file != row->file)) continue;
        double times = r->executed[k];
        time_work work = work_on(r->device, code->sites[k].insn->mnemonic, r->folds[k]);
        add_work(&sum.work, &work, times);
        if (host_waits_for_global(&code->sites[k])) sum.loads += times;
    }
    return sum;
}

/* Why less is known of what warps wait for than of most launches. */
static result_range doubt_of(const device_profile *d, const time_demand *t, const host_launch_facts *facts,
                             const result_launch *launch)
{
    double longer = (double)d->time_doubt_longest_percent / 100, inexact = (double)d->time_doubt_inexact_percent / 100;
    if (facts->result->site_waits) return RESULT_RANGE_POLLING;
    if (launch->schedule_dependent) return RESULT_RANGE_ORDER;
    if (t->inexact > inexact || t->heap_calls > 0) return RESULT_RANGE_COUNTS;
    return t->block_longest > longer * fmax(t->block_mean, 1) ? RESULT_RANGE_BLOCKS : RESULT_RANGE_SHORT;
}

static bool has_unknown_policies(const code_kernel *code)
{
    for (uint32_t k = 0; k < code->site_count; k++)
        if (code->event_insns[k].l2_eviction == EVENT_EVICT_UNKNOWN) return true;
    return false;
}

result_time host_time_of_launch(const host_context *c, const host_launch_facts *facts, const result_launch *launch,
                                result_row *rows)
{
    const host_launch_config *g = &facts->op->u.kernel.config;
    host_kernel *k = facts->op->u.kernel.kernel;
    uint64_t threads = (uint64_t)g->block[0] * g->block[1] * g->block[2];
    time_demand t = {.blocks = (uint64_t)g->grid[0] * g->grid[1] * g->grid[2],
                     .warps_per_block = (uint32_t)((threads + 31) / 32),
                     .blocks_per_sm = LW_MAX(launch->occupancy.blocks_per_sm, 1u)};
    double begun = counted_warps(&t, k->code, facts->result);
    if (begun <= 0) return (result_time){0};
    double *executed = host_work_of_sites(k->code, facts->result);
    if (!k->folds) k->folds = folds_of_sites(k->code);
    add_instructions(c->device, &t, k->code, facts->result, executed, host_caches_of_launch(c), launch, k->folds);
    host_time_units(c->device, &t, k->code, k->folds, executed);
    add_blocks(&t, facts->result, begun);
    even_out(&t, k->code, facts->result, executed);
    add_rows(&t, launch);
    add_loops(c->device, &t, k->code, executed, launch);
    add_caches(&t, c, k->code);
    if (facts->result->site_waits) leave_out_waits(&t, k->code, facts->result, executed);
    if (facts->result->site_waits) add_grid_barriers(c->device, &t, k->code, facts->result, executed);
    add_atomics(c->device, &t, k->code, facts->result, executed);
    extrapolate(&t, begun);
    t.doubt = doubt_of(c->device, &t, facts, launch);
    t.policies = has_unknown_policies(k->code);
    time_prediction p = time_predict(c->device, &t);
    result_time out = {.count = 1,
                       .seconds = p.seconds,
                       .low = p.low,
                       .high = p.high,
                       .range = p.range,
                       .launch_below = (double)c->device->time_label_launch_ns * 1e-9,
                       .busy_from = (double)c->device->time_label_busy_percent / 100};
    memcpy(out.resource, p.resource, sizeof out.resource);
    memcpy(out.busy, p.busy, sizeof out.busy);
    line_reader reader = {c->device, k, executed, k->folds};
    host_time_lines(c->device, &t, rows, launch->row_count, work_of_line, &reader);
    free(executed);
    return out;
}
