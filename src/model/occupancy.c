/* model: occupancy. Blocks are limited by warps, registers (given to warps in units, by partition of the
 * multiprocessor), shared memory (in units, with the driver's part, out of the carve-out), block slots and, from
 * capability 9.0, barriers. The rules are those of NVIDIA's cuda_occupancy.h without partitioned global caching. */
#include "model/occupancy.h"

#include <string.h>

static uint32_t by_registers(const device_profile *d, uint64_t partitions, uint32_t warps, uint32_t registers)
{
    if (!registers) return OCCUPANCY_UNLIMITED;
    uint64_t per_warp = lw_round_up((uint64_t)registers * d->warp_size, d->register_unit);
    /* The hardware's check rounds the warps up to all partitions. */
    if (registers > d->registers_per_thread || d->registers_per_block < per_warp * lw_round_up(warps, partitions))
        return 0;
    return (uint32_t)(d->registers_per_sm / partitions / per_warp * partitions / warps);
}

/* The least size the carve-out can be set to that holds bytes; the greatest if none does. */
static uint64_t carve(const device_profile *d, uint64_t bytes)
{
    for (uint32_t i = 0; i < d->shared_carveout_count; i++)
        if (d->shared_carveouts[i] >= bytes) return d->shared_carveouts[i];
    return d->shared_per_sm;
}

static void limit_shared(const device_profile *d, const occupancy_query *q, occupancy *o)
{
    uint64_t fixed = (uint64_t)q->static_shared + d->shared_reserved;
    uint64_t block = lw_round_up(fixed + q->dynamic_shared, d->shared_unit);
    uint64_t limit = d->shared_per_block;
    if (q->opted_in && fixed + q->max_dynamic_shared > limit) limit = d->shared_per_block_optin;
    bool too_much = block > limit + d->shared_reserved || (q->opted_in && q->dynamic_shared > q->max_dynamic_shared);
    uint64_t sm = d->shared_per_sm;
    if (q->carveout >= 0) sm = carve(d, (uint64_t)q->carveout * d->shared_per_sm / 100);
    if (sm < block) sm = carve(d, block);
    o->shared_per_block = block;
    o->shared_per_sm = sm;
    o->by_shared = too_much ? 0 : block ? (uint32_t)(sm / block) : OCCUPANCY_UNLIMITED;
}

lw_status model_occupancy(const device_profile *d, const occupancy_query *q, occupancy *out, lw_error *error)
{
    memset(out, 0, sizeof *out);
    if (!q->threads) return lw_fail(error, LW_INVALID_ARGUMENT, "a block has at least one thread");
    if (q->carveout < -1 || q->carveout > 100)
        return lw_fail(error, LW_INVALID_ARGUMENT, "a carve-out is given in percent, or -1: %d", q->carveout);
    uint32_t warps = (uint32_t)((q->threads + d->warp_size - 1) / d->warp_size);
    out->by_warps = q->threads > d->threads_per_block ? 0 : (uint32_t)(d->warps_per_sm / warps);
    out->by_registers = by_registers(d, d->register_partitions, warps, q->registers);
    /* What no chip of the family with 4 partitions can run, none runs (6.0 has 2). */
    if (d->cc == 60 && !by_registers(d, 4, warps, q->registers)) out->by_registers = 0;
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
    out->warps_per_sm = least * warps;
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
    for (uint32_t i = 0; i < d->gpc_count;
         i++) /* a cluster wants as many multiprocessors in its group as it has blocks */
        if (d->gpc_sms[i] >= size) clusters += d->gpc_sms[i] * blocks / size;
    return (uint32_t)clusters;
}
