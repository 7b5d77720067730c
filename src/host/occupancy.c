/* Occupancy as programs ask for it. */
#include "device/profile.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/module_priv.h"
#include "host/state_priv.h"

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

host_error host_occupancy_clusters(host_kernel *k, const host_launch_config *config, int *out)
{
    if (!out) return HOST_INVALID_VALUE;
    host_launch_config checked = *config;
    host_error error = host_kernel_need(k);
    if (!error) error = host_cluster_check(k, &checked, true);
    if (error) return error;
    uint64_t size = (uint64_t)checked.cluster[0] * checked.cluster[1] * checked.cluster[2];
    *out = (int)host_resident_clusters(k, config, size);
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
    uint64_t size = k->nonportable_cluster ? d->max_cluster : d->max_cluster_portable;
    while (size > 1 && !host_resident_clusters(k, config, size)) size /= 2;
    *out = (int)size;
    return 0;
}
