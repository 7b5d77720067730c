/* model: occupancy. Blocks are limited by warps, registers (given to warps in units, by partition of the
 * multiprocessor; before 2.0 to blocks), shared memory (in units, with the driver's part, out of the carve-out), block
 * slots and, from capability 9.0, barriers. The rules are those of NVIDIA's cuda_occupancy.h without its partitioned
 * global caching and virtual resources: of CUDA 13.0 from capability 3.0 on, of CUDA 7.0 for 1.x and 2.x. */
#include "model/occupancy.h"

#include <string.h>

/* Warps of a block as they are allocated: before 2.0 in pairs. */
static uint32_t allocated_warps(const device_profile *d, uint32_t threads)
{
    uint32_t warps = (uint32_t)((threads + d->warp_size - 1) / d->warp_size);
    return d->cc < 20 ? warps + warps % 2 : warps;
}

/* 2.x rounds some numbers of registers to twice its unit. */
static uint64_t register_unit(const device_profile *d, uint32_t registers)
{
    bool doubled = d->cc / 10 == 2 && registers > 20 && registers < 47 && (registers % 8 == 5 || registers % 8 == 6);
    return doubled ? 2 * d->register_unit : d->register_unit;
}

uint32_t model_register_limit(const device_profile *d)
{
    if (d->cc == 30) return 255; /* the header does not tell 3.0, whose instructions name 63, from 3.5 */
    /* Of the 256 that can be allocated from 7.0 on, the last cannot be named in an instruction. */
    return d->cc >= 70 && d->registers_per_thread == 255 ? 256 : (uint32_t)d->registers_per_thread;
}

static uint32_t by_registers(const device_profile *d, uint64_t partitions, uint32_t warps, uint32_t registers,
                             uint64_t *block)
{
    uint64_t per_warp = (uint64_t)registers * d->warp_size, unit = register_unit(d, registers);
    bool of_block = d->cc < 20; /* given to the block as a whole, not to warps */
    if (!of_block) per_warp = lw_round_up(per_warp, unit);
    *block = of_block ? lw_round_up(per_warp * warps, unit) : per_warp * warps;
    if (!registers) return OCCUPANCY_UNLIMITED;
    if (registers > model_register_limit(d)) return 0;
    if (of_block) return (uint32_t)(d->registers_per_sm / *block);
    /* The hardware's check rounds the warps up to all partitions. */
    if (d->registers_per_block < per_warp * lw_round_up(warps, partitions)) return 0;
    return (uint32_t)(d->registers_per_sm / partitions / per_warp * partitions / warps);
}

/* The least size the carve-out can be set to that holds bytes; the greatest if none does. */
static uint64_t carve(const device_profile *d, uint64_t bytes)
{
    for (uint32_t i = 0; i < d->shared_carveout_count; i++)
        if (d->shared_carveouts[i] >= bytes) return d->shared_carveouts[i];
    return d->shared_per_sm;
}

/* 2.x and 3.x: two or three sizes, chosen by the cache preference; the percentage came later. */
static uint64_t prefer_by_cache(const device_profile *d, occupancy_cache cache)
{
    if (!d->shared_carveout_count) return d->shared_per_sm;
    uint64_t least = d->shared_carveouts[0], middle = (least + d->shared_per_sm) / 2;
    if (cache == OCCUPANCY_CACHE_L1) return least;
    bool has_middle = cache == OCCUPANCY_CACHE_EQUAL && carve(d, middle) == middle;
    return has_middle ? middle : d->shared_per_sm;
}

static uint64_t prefer(const device_profile *d, const occupancy_query *q)
{
    static const int32_t percent_of[] = {[OCCUPANCY_CACHE_NONE] = 100, /* the default takes all */
                                         [OCCUPANCY_CACHE_SHARED] = 100,
                                         [OCCUPANCY_CACHE_L1] = 0,
                                         [OCCUPANCY_CACHE_EQUAL] = 50};
    if (d->cc < 70) return prefer_by_cache(d, q->cache);
    int32_t percent = q->carveout >= 0 ? q->carveout : percent_of[q->cache];
    return carve(d, (uint64_t)percent * d->shared_per_sm / 100);
}

static void limit_shared(const device_profile *d, const occupancy_query *q, occupancy *o)
{
    uint64_t fixed = (uint64_t)q->static_shared + d->shared_reserved;
    uint64_t dynamic = q->dynamic_shared + (uint64_t)q->threads * q->shared_per_thread;
    uint64_t block = lw_round_up(fixed + dynamic, d->shared_unit);
    uint64_t limit = d->shared_per_block;
    if (q->opted_in && fixed + q->max_dynamic_shared > limit) limit = LW_MAX(limit, d->shared_per_block_optin);
    bool too_much = block > limit + d->shared_reserved || (q->opted_in && dynamic > q->max_dynamic_shared);
    uint64_t sm = prefer(d, q);
    if (sm < block) sm = d->cc >= 70 ? carve(d, block) : d->shared_per_sm;
    o->shared_per_block = block;
    o->shared_per_sm = sm;
    if (too_much) o->by_shared = 0;
    else o->by_shared = block ? (uint32_t)(sm / block) : OCCUPANCY_UNLIMITED;
}

static void limit_registers(const device_profile *d, const occupancy_query *q, uint32_t warps, occupancy *o)
{
    uint64_t block, partitions = d->cc / 10 == 2 ? 2 : d->register_partitions;
    o->by_registers = by_registers(d, partitions, warps, q->registers, &o->registers_per_block);
    /* What no chip of the family with 4 partitions can run, none runs (6.0 has 2). */
    if (d->cc == 60 && !by_registers(d, 4, warps, q->registers, &block)) o->by_registers = 0;
}

lw_status model_occupancy(const device_profile *d, const occupancy_query *q, occupancy *out, lw_error *error)
{
    memset(out, 0, sizeof *out);
    if (!q->threads) return lw_fail(error, LW_INVALID_ARGUMENT, "a block has at least one thread");
    if (q->carveout < -1 || q->carveout > 100)
        return lw_fail(error, LW_INVALID_ARGUMENT, "a carve-out is given in percent, or -1: %d", q->carveout);
    uint32_t warps = allocated_warps(d, q->threads);
    out->by_warps = q->threads > d->threads_per_block ? 0 : (uint32_t)(d->warps_per_sm / warps);
    limit_registers(d, q, warps, out);
    limit_shared(d, q, out);
    out->by_blocks = (uint32_t)d->blocks_per_sm;
    out->by_barriers = OCCUPANCY_UNLIMITED;
    if (d->barriers_per_sm) out->by_barriers = (uint32_t)d->barriers_per_sm / (q->barriers ? q->barriers : 1);
    const uint32_t limits[] = {out->by_warps, out->by_registers, out->by_shared, out->by_blocks, out->by_barriers};
    uint32_t least = OCCUPANCY_UNLIMITED;
    for (size_t i = 0; i < LW_COUNT(limits); i++) least = LW_MIN(least, limits[i]);
    for (size_t i = 0; i < LW_COUNT(limits); i++)
        if (limits[i] == least) out->limited_by |= 1u << i;
    out->blocks_per_sm = least;
    out->warps_per_sm = least * (uint32_t)((q->threads + d->warp_size - 1) / d->warp_size);
    return LW_OK;
}

/* The blocks for which the driver leaves room beside those that are resident, if that takes no more than half of L1; a multiprocessor that one
 * block fills, or two of all warps, needs none. resident: as far as anything but shared memory limits them. */
static uint64_t blocks_with_room(const device_profile *d, const occupancy_query *q, const occupancy *o,
                                 uint64_t resident)
{
    const uint64_t more = 11, as_many = 4;
    bool none = !q->static_shared && !q->dynamic_shared && !q->shared_per_thread;
    bool full = o->by_warps == resident && resident == 2 && resident * q->threads == d->warps_per_sm * d->warp_size;
    if (resident <= 1) return resident;
    if (none) return LW_MIN(as_many * o->by_warps, d->blocks_per_sm);
    return full ? resident : LW_MIN(LW_MIN(2 * resident, resident + more), d->blocks_per_sm);
}

uint64_t model_driver_carveout(const device_profile *d, const occupancy_query *q, const occupancy *o)
{
    if (!d->shared_carveout_count) return 0;
    uint64_t resident = LW_MIN(LW_MIN(o->by_warps, o->by_registers), LW_MIN(o->by_blocks, o->by_barriers));
    uint64_t block = LW_MAX(o->shared_per_block, d->shared_reserved);
    uint64_t fit = block ? LW_MIN(resident, d->shared_per_sm / block) : resident;
    if (q->carveout >= 0) return LW_MAX(prefer(d, q), carve(d, block));
    uint64_t half = carve(d, d->l1_bytes / 2), room = carve(d, blocks_with_room(d, q, o, resident) * block);
    return LW_MAX(carve(d, fit * block), LW_MIN(room, half));
}

lw_status model_occupancy_best(const device_profile *d, const occupancy_query *query, uint32_t *threads, occupancy *out,
                               lw_error *error)
{
    occupancy_query q = *query;
    occupancy o;
    uint64_t most = 0;
    *threads = 0;
    memset(out, 0, sizeof *out);
    for (uint64_t n = d->threads_per_block / d->warp_size * d->warp_size; n; n -= d->warp_size) {
        q.threads = (uint32_t)n;
        LW_TRY(model_occupancy(d, &q, &o, error));
        if (n * o.blocks_per_sm <= most) continue;
        most = n * o.blocks_per_sm;
        *threads = q.threads;
        *out = o;
    }
    return LW_OK;
}

uint32_t model_active_clusters(const device_profile *d, const occupancy *o, uint32_t size, bool *exact)
{
    uint64_t blocks = o->blocks_per_sm, clusters = 0;
    if (exact) *exact = d->gpc_count > 0;
    if (!size || size > LW_MAX(d->max_cluster, 1) || !blocks) return 0;
    if (d->cluster_blocks_per_sm) blocks = LW_MIN(blocks, d->cluster_blocks_per_sm);
    if (size == 1) return (uint32_t)(d->sm_count * blocks);
    if (!d->gpc_count) return (uint32_t)(d->sm_count / 16 * (16 * blocks / size));
    /* a cluster wants as many multiprocessors in its group as it has blocks */
    for (uint32_t i = 0; i < d->gpc_count; i++)
        if (d->gpc_sms[i] >= size) clusters += d->gpc_sms[i] * blocks / size;
    return (uint32_t)clusters;
}
