/* Occupancy: how many blocks of a kernel are resident on a multiprocessor (registers, shared memory, warps, blocks) and how
 * many clusters on the device. The rules are those of the CUDA programming guide's appendix and of the occupancy
 * calculator; numbers come from the device profile. */
#include "device/profile.h"
#include "host/host_priv.h"

static uint64_t by_registers(const device_profile *d, uint64_t registers, uint64_t warps)
{
    if (!registers) return d->blocks_per_sm;
    uint64_t per_warp = lw_round_up(registers * d->warp_size, d->register_unit);
    if (per_warp * warps > d->registers_per_block) return 0;
    uint64_t partitions = LW_MAX(d->register_partitions, UINT64_C(1));
    uint64_t fit = d->registers_per_sm / partitions / per_warp * partitions;
    return fit / warps;
}

static uint64_t by_shared(const device_profile *d, uint64_t bytes)
{
    if (!bytes) return d->blocks_per_sm;
    bytes = lw_round_up(bytes + d->shared_reserved, d->shared_unit);
    return d->shared_per_sm / bytes;
}

/* Blocks on one multiprocessor; the kernel is built. */
uint32_t host_blocks_per_sm(const host_kernel *k, uint64_t threads, uint64_t dynamic_shared)
{
    const device_profile *d = k->module->context->device;
    if (!threads || threads > d->threads_per_block) return 0;
    uint64_t shared = k->code->static_shared_bytes + dynamic_shared;
    if (shared > d->shared_per_block_optin) return 0;
    uint64_t warps = (threads + d->warp_size - 1) / d->warp_size;
    uint64_t blocks = LW_MIN(d->blocks_per_sm, d->warps_per_sm / warps);
    /* Estimated registers never keep a kernel from running. */
    uint64_t limit = by_registers(d, (uint64_t)k->machine_registers, warps);
    blocks = LW_MIN(blocks, limit);
    limit = by_shared(d, shared);
    return (uint32_t)LW_MIN(blocks, limit);
}

host_error host_occupancy_blocks(host_kernel *k, int threads, uint64_t dynamic_shared, int *out)
{
    if (!out || threads <= 0) return HOST_INVALID_VALUE;
    host_kernel_info info;
    host_error error = host_kernel_query(k, &info);
    if (error) return error;
    bool fits = threads <= info.max_threads_per_block && dynamic_shared <= (uint64_t)host_kernel_max_dynamic(k);
    *out = fits ? (int)host_blocks_per_sm(k, (uint64_t)threads, dynamic_shared) : 0;
    return 0;
}

host_error host_occupancy_available_shared(host_kernel *k, int blocks, int threads, uint64_t *out)
{
    if (!out || blocks <= 0 || threads <= 0) return HOST_INVALID_VALUE;
    host_error error = host_kernel_need(k);
    if (error) return error;
    const device_profile *d = k->module->context->device;
    uint64_t share = d->shared_per_sm / (uint64_t)blocks / d->shared_unit * d->shared_unit;
    uint64_t taken = k->code->static_shared_bytes;
    uint64_t room = share > taken ? share - taken : 0;
    *out = LW_MIN(room, (uint64_t)host_kernel_max_dynamic(k));
    return 0;
}

/* Clusters of `size` blocks resident at once: whole clusters within each group of multiprocessors. */
static uint64_t resident_clusters(const device_profile *d, uint64_t blocks_per_sm, uint64_t size)
{
    if (d->cluster_blocks_per_sm) blocks_per_sm = LW_MIN(blocks_per_sm, d->cluster_blocks_per_sm);
    if (!d->gpc_count) return d->sm_count * blocks_per_sm / size;
    uint64_t clusters = 0;
    for (uint32_t g = 0; g < d->gpc_count; g++) clusters += d->gpc_sms[g] * blocks_per_sm / size;
    return clusters;
}

host_error host_occupancy_clusters(host_kernel *k, const host_launch_config *config, int *out)
{
    if (!out) return HOST_INVALID_VALUE;
    host_launch_config checked = *config;
    host_error error = host_kernel_need(k);
    if (!error) error = host_cluster_check(k, &checked, true);
    if (error) return error;
    const device_profile *d = k->module->context->device;
    uint64_t size = (uint64_t)checked.cluster[0] * checked.cluster[1] * checked.cluster[2];
    uint64_t threads = (uint64_t)config->block[0] * config->block[1] * config->block[2];
    *out = size > d->max_cluster ? 0
                                 : (int)resident_clusters(d, host_blocks_per_sm(k, threads, config->dynamic_shared), size);
    return 0;
}

host_error host_occupancy_cluster_size(host_kernel *k, const host_launch_config *config, int *out)
{
    if (!out) return HOST_INVALID_VALUE;
    host_launch_config checked = *config;
    host_error error = host_kernel_need(k);
    if (!error) error = host_cluster_check(k, &checked, true);
    if (error) return error;
    const device_profile *d = k->module->context->device;
    uint64_t threads = (uint64_t)config->block[0] * config->block[1] * config->block[2];
    uint64_t size = k->nonportable_cluster ? d->max_cluster : d->max_cluster_portable;
    uint32_t blocks = host_blocks_per_sm(k, threads, config->dynamic_shared);
    while (size > 1 && !resident_clusters(d, blocks, size)) size /= 2;
    *out = (int)size;
    return 0;
}
