#include "time/joins.h"

#include "time/ages.h"
#include "time/pace.h"

#include <math.h>

/* How much multiprocessors ask of L2, in sectors of each in a memory instruction, as an average that forgets. */
static double see_demand(cache_joins *j, const cache_asker *who, uint32_t sectors)
{
    const double memory = 16; /* memory instructions */
    cache_demand *d = &j->demand;
    double since = (double)(who->now - d->time);
    if (since > 0) {
        double now = d->sectors * j->sampled / who->busy / since;
        d->mean = d->time ? d->mean + (now - d->mean) * (1 - exp(-since / memory)) : 0;
        if (d->first) d->mean = now;
        d->first = !d->time;
        d->sectors = 0;
        d->time = who->now;
    }
    d->sectors += cache_sector_count(sectors);
    return d->mean;
}

/* How many of them still go in step, of those who ask for so many sectors in a memory instruction: the more they do in between, the
 * fewer. Measured: tiled products of matrices with 0.05 sectors and more for an instruction four fifths, of half precision in 32 bits,
 * with half of that, half. */
static double stay_in_step(const cache_joins *j, double sectors)
{
    double half = (double)j->device->l1_join_work_permille / 1000;
    if (j->work <= 0) return 1;
    double rate = sectors / j->work;
    return rate * rate / (rate * rate + half * half);
}

/* By how much more often they meet than later. All begin at once; what waits at barriers is in step later, too. Measured of products of
 * matrices without tiles: of those of 11 to 54 us 16 to 21 % of what L1 gets is joined, of those of 0.4 to 5 ms 1 to 7 %. */
static double more_at_begin(const cache_joins *j, uint32_t loads)
{
    const device_profile *d = j->device;
    if (j->barriers) return 0;
    return (double)d->l1_join_begin_percent / 100 / (1 + loads / (double)LW_MAX(d->l1_join_begin_loads, (uint64_t)1));
}

/* Of loads in loops not yet. All blocks of the first wave begin at once, those behind it as others end: of what L1 gets of kernels
 * that load tiles and then stay in shared memory 18 to 33 % is joined, and 1 %; of additions by blocks of one thread 13 to 18 %
 * (tests/hw/time/h200-twenty-fifth.csv: dee_transposeMatmul, m1325_matmul_1; h200-twenty-sixth.csv: ch1c_blocked-fw). */
static double chance_at_begin(const cache_joins *j, const cache_asker *who)
{
    const device_profile *d = j->device;
    if (who->block < j->residents && j->warps > 1) return (double)d->l1_join_first_percent / 100;
    return (double)d->l1_join_start_percent / 100 / j->warps;
}

static double warps_per_sm(const cache_joins *j) { return (double)j->warps * ((double)j->residents / j->sms); }

/* How likely it is that a multiprocessor meets a given one of its cluster that asks for the same. They wait for the same, so they go in
 * step: the sooner the less else they do, and the fewer blocks each has that go at different speeds. Blocks of few warps begin side by
 * side. Measured (tests/hw/h100-joins.csv): two multiprocessors of a cluster that load the same lines within some 50 cycles are joined
 * always, and stay in step with up to 800 cycles in between; 100 cycles apart never, nor those of two clusters. Of kernels of public
 * programs, by what L1 gets and what L2 is asked for: of tiled products of matrices with one block a multiprocessor 50 %, with 2, 4 and
 * 8 of them 25, 13 and 7 %, of untiled ones half of that, but of those whose warps ask for whole lines as much; of products that load
 * fragments of matrices, of more lines than CACHE_VERY_FEW_LINES, 3 to 9 % (tests/hw/time/h100-nineteenth.csv, wmma), of tiles of whose
 * columns a warp loads more than CACHE_FEW_LINES 8 to 12 % (h100-twentieth.csv: gian_test, won_sgemm), of more than CACHE_SOME_LINES 1 to
 * 6 %, but of one 31 % (h200-twenty-fifth.csv: cur_matmulShared; h200-twenty-third.csv: nann_cuda_4_02, ordi_matmul).
 * Loops over bodies seldom miss L1, and what they do in between takes all multiprocessors as long: those of a warp each stay in step
 * where they wait at barriers, but the more warps share the schedulers the less (tests/hw/h200-products.csv, bodies). */
static double chance_in_loops(const cache_joins *j, const cache_entry *e, double mean)
{
    const device_profile *d = j->device;
    bool full = cache_sectors_with(e->words) == CACHE_ALL_SECTORS;
    double least = (double)d->l1_join_least_percent / 100, more = (double)d->l1_join_more_percent / 100;
    double half = (double)d->l1_join_half_tenths / 10, step = stay_in_step(j, mean);
    double often = least + more * step * mean / (mean + half), seldom = 1 - step;
    if (j->barriers) return often / j->apart + seldom * (double)d->l1_join_seldom_percent / 100 / warps_per_sm(j);
    double apart = full ? j->apart_full : j->apart;
    return often / apart * (step + seldom * (double)d->l1_join_seldom_free_percent / 100);
}

static double chance_to_meet(const cache_joins *j, const cache_entry *e, const cache_asker *who, double mean)
{
    const device_profile *d = j->device;
    double chance = e->looped ? chance_in_loops(j, e, mean) : chance_at_begin(j, who);
    if (cache_is_wide(e)) return chance * (double)d->l1_join_wide_percent / 100;
    if (!e->looped) return chance;
    if (who->block >= j->residents) {
        uint64_t later = j->barriers ? d->l1_join_later_percent : d->l1_join_later_free_percent;
        return chance * (double)later / 100;
    }
    if (j->barriers ? cache_is_spread(e) : !cache_is_close(e)) return chance * (double)d->l1_join_spread_percent / 100;
    return chance * (1 + more_at_begin(j, e->time));
}

/* The cluster (GPC) that this multiprocessor is of, which is numbered as its first block. Measured: blocks go to one cluster after the
 * other until each has one on all of its multiprocessors, of which the last clusters have two more. */
static uint32_t cluster_of(const cache_joins *j, uint32_t sm)
{
    uint32_t size = j->cluster_sms, first = j->narrow * size; /* of the wide ones */
    return sm < first ? sm / size : j->narrow + (sm - first) / (size + 2);
}

static uint64_t key_of(const cache_joins *j, const cache_entry *e, uint32_t sm)
{
    return cache_line_of(e) << 11 | cluster_of(j, sm);
}

void cache_joins_expect(const cache_joins *j, const cache_entry *e, uint32_t sm)
{
    if (e->kind == CACHE_LOAD || e->kind == CACHE_LOAD_L2) cache_table_expect(j->asked, key_of(j, e, sm));
}

/* The sectors that nobody in the cluster has asked for just now. Requests that others join take so many of them and no more: of blocks
 * that all go through the same tiles, one a multiprocessor, 34.7 of 132 ask L2, a quarter of the 16 or 18 of each cluster, rounded up
 * (tests/hw/h100-l1.csv, tiles). Any that is open may be met. */
uint32_t cache_joins_left(cache_joins *j, const cache_entry *e, const cache_asker *who, uint32_t sectors)
{
    cache_asked *asked = cache_table_get(j->asked, key_of(j, e, who->sm));
    double chance = chance_to_meet(j, e, who, see_demand(j, who, sectors));
    bool now = asked->time == (uint32_t)who->time, same = !(sectors & ~(uint32_t)asked->sectors);
    if (!now || !same) asked->requests = asked->joins = 0;
    uint32_t full = asked->joins / (uint32_t)LW_MAX(j->device->l1_join_mates, (uint64_t)1);
    uint32_t open = asked->requests - LW_MIN(full, (uint32_t)asked->requests);
    double alone = open ? pow(1 - LW_MIN(chance, 1.0), open) : 1;
    if (open && cache_uniform(cache_line_of(e) * 5 + who->now * 131 + who->sm) >= alone) {
        asked->joins = (uint8_t)LW_MIN(asked->joins + 1u, (unsigned)UINT8_MAX);
        return 0;
    }
    asked->requests = (uint8_t)LW_MIN(asked->requests + 1u, (unsigned)UINT8_MAX);
    asked->sectors = (uint8_t)(now ? asked->sectors | sectors : sectors);
    asked->time = (uint32_t)who->time;
    return sectors;
}

/* Instructions of all warps of a multiprocessor for each memory instruction of one of them; 0: not known. */
static double work_between(const cache_launch *l, uint64_t blocks_per_sm)
{
    double memory = 0;
    for (uint64_t k = 0; k < l->shape.blocks; k++) memory += l->block_time[k];
    return memory > 0 ? (double)l->instructions * (double)blocks_per_sm / memory : 0;
}

static uint32_t narrow_clusters(uint32_t sms, uint32_t size)
{
    uint32_t clusters = LW_MAX(sms / size, 1u);
    return clusters - LW_MIN((sms - clusters * size) / 2, clusters);
}

void cache_joins_begin(cache_joins *j, const cache_launch *l, const cache_record *record, uint32_t residents)
{
    const device_profile *d = &l->session->device;
    uint32_t warps = l->shape.warps_per_block, per_sm = residents / l->session->sm_count;
    *j = (cache_joins){.device = d,
                       .asked = &l->session->asked,
                       .sms = l->session->sm_count,
                       .residents = residents,
                       .warps = warps,
                       .barriers = record->barriers,
                       .sampled = (double)(UINT64_C(1) << record->level),
                       .work = work_between(l, per_sm),
                       .apart = pow((double)per_sm, (double)d->l1_join_blocks_tenths / 10)};
    cache_table_clear(j->asked);
    j->cluster_sms = (uint32_t)LW_MAX(d->l1_join_sms, (uint64_t)1);
    j->narrow = narrow_clusters(j->sms, j->cluster_sms);
    /* without barriers those that go at different speeds do not meet the more: measured of products without tiles */
    if (!j->barriers) j->apart = pow(j->apart, (double)d->l1_join_free_tenths / 10);
    else if (record->paced)
        j->apart /= 1 + (double)d->l1_join_paced_percent / 100 * (1 - cache_pace_behind(d, per_sm - 1, warps));
    j->apart_full = pow(j->apart, (double)d->l1_join_full_percent / 100);
}
