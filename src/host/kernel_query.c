/* What programs ask and set of kernels: their facts, with those of the machine code beside the PTX, and attributes. */
#include "device/profile.h"
#include "host/kernel_priv.h"
#include "host/module_priv.h"
#include "host/state_priv.h"

/* The part that holds the entry. */
static const ptx_module *part_of(const host_kernel *k)
{
    for (size_t i = 0; i < k->module->parts.count; i++)
        if (ptx_find_function(k->module->parts.items[i], k->name) == k->entry) return k->module->parts.items[i];
    return k->module->parts.items[0];
}

/* What the device, the kernel's own limit and, where they are known, its registers allow. */
static int max_threads(const host_kernel *k)
{
    uint64_t device = k->module->context->device->threads_per_block;
    const uint32_t *limit = k->entry->reqntid[0] ? k->entry->reqntid : k->entry->maxntid;
    uint64_t given = (uint64_t)limit[0] * LW_MAX(limit[1], 1u) * LW_MAX(limit[2], 1u);
    uint64_t most = limit[0] ? LW_MIN(given, device) : device;
    if (k->machine_registers)
        while (most > 32 && !host_blocks_per_sm(k, most, 0)) most = (most - 1) / 32 * 32;
    return (int)most;
}

host_error host_kernel_query(host_kernel *k, host_kernel_info *out)
{
    host_error error = host_kernel_need(k);
    if (error) return error;
    const ptx_function *f = k->entry;
    *out = (host_kernel_info){.name = k->name, .module = k->module, .param_count = k->code->param_count};
    out->static_shared_bytes = k->code->static_shared_bytes;
    out->constant_bytes = k->module->constant_bytes;
    out->local_bytes = k->machine_registers ? k->machine_local : k->code->local_bytes;
    out->max_threads_per_block = max_threads(k);
    out->registers = k->machine_registers ? k->machine_registers : (int)k->code->registers;
    out->registers_estimated = !k->machine_registers;
    out->ptx_version = (int)part_of(k)->sm;
    out->binary_version = (int)k->module->context->device->cc;
    for (int d = 0; d < 3; d++) out->required_cluster[d] = (int)f->reqnctapercluster[d];
    if (f->reqnctapercluster[0])
        for (int d = 1; d < 3; d++) out->required_cluster[d] = LW_MAX(out->required_cluster[d], 1);
    out->cluster_must_be_set = f->reqnctapercluster[0] || f->explicitcluster;
    return 0;
}

host_error host_kernel_attribute_set(host_kernel *k, int attribute, int value)
{
    host_error error = host_kernel_need(k);
    if (error) return error;
    const device_profile *d = k->module->context->device;
    switch (attribute) {
    case HOST_KERNEL_MAX_DYNAMIC_SHARED:
        if (value < 0 || (uint64_t)value + k->code->static_shared_bytes > d->shared_per_block_optin)
            return HOST_INVALID_VALUE;
        k->max_dynamic_shared = value;
        return 0;
    case HOST_KERNEL_SHARED_CARVEOUT:
        if (value < -1 || value > 100) return HOST_INVALID_VALUE;
        k->carveout = value;
        return 0;
    case HOST_KERNEL_CLUSTER_WIDTH:
    case HOST_KERNEL_CLUSTER_HEIGHT:
    case HOST_KERNEL_CLUSTER_DEPTH:
        if (value < 0 || k->entry->reqnctapercluster[0]) return HOST_INVALID_VALUE; /* fixed in the code */
        k->required_cluster[attribute - HOST_KERNEL_CLUSTER_WIDTH] = value;
        return 0;
    case HOST_KERNEL_NONPORTABLE_CLUSTER: k->nonportable_cluster = value != 0; return 0;
    case HOST_KERNEL_CLUSTER_POLICY:
        if (value < 0 || value > 2) return HOST_INVALID_VALUE;
        k->cluster_policy = value;
        return 0;
    default: return HOST_INVALID_VALUE;
    }
}

host_error host_kernel_attribute_get(host_kernel *k, int attribute, int *out)
{
    host_kernel_info info;
    host_error error = out ? host_kernel_query(k, &info) : HOST_INVALID_VALUE;
    if (error) return error;
    switch (attribute) {
    case HOST_KERNEL_MAX_THREADS_PER_BLOCK: *out = info.max_threads_per_block; return 0;
    case HOST_KERNEL_STATIC_SHARED: *out = (int)info.static_shared_bytes; return 0;
    case HOST_KERNEL_CONSTANT: *out = (int)info.constant_bytes; return 0;
    case HOST_KERNEL_LOCAL: *out = (int)info.local_bytes; return 0;
    case HOST_KERNEL_REGISTERS: *out = info.registers; return 0;
    case HOST_KERNEL_PTX_VERSION: *out = info.ptx_version; return 0;
    case HOST_KERNEL_BINARY_VERSION: *out = info.binary_version; return 0;
    case HOST_KERNEL_CACHE_MODE_CA: *out = 0; return 0;
    case HOST_KERNEL_MAX_DYNAMIC_SHARED: *out = host_kernel_max_dynamic(k); return 0;
    case HOST_KERNEL_SHARED_CARVEOUT: *out = k->carveout; return 0;
    case HOST_KERNEL_CLUSTER_MUST_BE_SET: *out = info.cluster_must_be_set; return 0;
    case HOST_KERNEL_CLUSTER_WIDTH:
    case HOST_KERNEL_CLUSTER_HEIGHT:
    case HOST_KERNEL_CLUSTER_DEPTH:
        *out = info.required_cluster[0] ? info.required_cluster[attribute - HOST_KERNEL_CLUSTER_WIDTH]
                                        : k->required_cluster[attribute - HOST_KERNEL_CLUSTER_WIDTH];
        return 0;
    case HOST_KERNEL_NONPORTABLE_CLUSTER: *out = k->nonportable_cluster; return 0;
    case HOST_KERNEL_CLUSTER_POLICY: *out = k->cluster_policy; return 0;
    default: return HOST_INVALID_VALUE;
    }
}

host_error host_kernel_cache_set(host_kernel *k, int config)
{
    if (config < 0 || config >= HOST_CACHE_PREFERENCES) return HOST_INVALID_VALUE;
    k->cache = config;
    return 0;
}

host_error host_kernel_bank_set(host_kernel *k, int config)
{
    if (config < 0 || config >= HOST_BANK_WIDTHS) return HOST_INVALID_VALUE;
    k->bank_config = config;
    return 0;
}
