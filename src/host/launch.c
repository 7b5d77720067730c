/* Launches: the configuration is checked against the device when the program calls (with the errors an H200 gives), the
 * parameters are copied, and the engine later runs the kernel, counts it and reports its faults. */
#include <stdlib.h>
#include <string.h>

#include "device/profile.h"
#include "host/graph.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/module_priv.h"
#include "host/settings_priv.h"
#include "host/state_priv.h"
#include "host/stream.h"
#include "host/submit_priv.h"

static bool within(const uint32_t size[3], uint64_t x, uint64_t y, uint64_t z)
{
    return size[0] >= 1 && size[1] >= 1 && size[2] >= 1 && size[0] <= x && size[1] <= y && size[2] <= z;
}

/* Settles the cluster size. any_size: sizes above the device's are left to the caller (occupancy answers 0 for them).
 */
host_error host_cluster_check(const host_kernel *k, host_launch_config *g, bool any_size)
{
    const device_profile *d = k->module->context->device;
    const ptx_function *f = k->entry;
    uint32_t own[3] = {f->reqnctapercluster[0], LW_MAX(f->reqnctapercluster[1], 1u),
                       LW_MAX(f->reqnctapercluster[2], 1u)};
    if (!own[0] && k->required_cluster[0])
        for (int i = 0; i < 3; i++) own[i] = (uint32_t)LW_MAX(k->required_cluster[i], 1);
    bool given = g->cluster_given;
    if (!given && !own[0]) {
        for (int i = 0; i < 3; i++) g->cluster[i] = 1;
        return f->explicitcluster ? HOST_INVALID_CLUSTER_SIZE : 0;
    }
    if (!given) memcpy(g->cluster, own, sizeof own);
    if (given && own[0] && memcmp(g->cluster, own, sizeof own)) return HOST_INVALID_CLUSTER_SIZE;
    uint64_t size = (uint64_t)g->cluster[0] * g->cluster[1] * g->cluster[2];
    if (!size) return HOST_INVALID_CLUSTER_SIZE;
    if (size > 1 && !d->max_cluster) return HOST_NOT_SUPPORTED;
    for (int i = 0; i < 3; i++)
        if (g->grid[i] % g->cluster[i]) return HOST_INVALID_CLUSTER_SIZE;
    uint64_t most = k->nonportable_cluster ? d->max_cluster : d->max_cluster_portable;
    if (size > LW_MAX(most, UINT64_C(1)) && !(any_size && k->nonportable_cluster)) return HOST_INVALID_CLUSTER_SIZE;
    return 0;
}

static host_error check_cooperative(const host_kernel *k, const host_launch_config *g, uint64_t threads)
{
    const device_profile *d = k->module->context->device;
    uint64_t resident = (uint64_t)host_blocks_per_sm(k, threads, g->dynamic_shared) * d->sm_count;
    uint64_t blocks = (uint64_t)g->grid[0] * g->grid[1] * g->grid[2];
    return blocks > resident ? HOST_COOPERATIVE_LAUNCH_TOO_LARGE : 0;
}

static host_error check_config(host_kernel *k, host_launch_config *g)
{
    const device_profile *d = k->module->context->device;
    if (!within(g->grid, d->grid_dim_x, d->grid_dim_y, d->grid_dim_z)) return HOST_INVALID_VALUE;
    if (!within(g->block, d->block_dim_x, d->block_dim_y, d->block_dim_z)) return HOST_INVALID_VALUE;
    uint64_t threads = (uint64_t)g->block[0] * g->block[1] * g->block[2];
    if (threads > d->threads_per_block) return HOST_INVALID_VALUE;
    const ptx_function *f = k->entry;
    if (f->maxntid[0]) {
        uint64_t most = (uint64_t)f->maxntid[0] * LW_MAX(f->maxntid[1], 1u) * LW_MAX(f->maxntid[2], 1u);
        if (threads > most) return HOST_INVALID_VALUE;
    }
    if (f->reqntid[0])
        for (int i = 0; i < 3; i++)
            if (g->block[i] != LW_MAX(f->reqntid[i], 1u)) return HOST_INVALID_VALUE;
    if (g->dynamic_shared > (uint64_t)host_kernel_max_dynamic(k)) return HOST_INVALID_VALUE;
    host_error error = host_cluster_check(k, g, false);
    if (error) return error;
    if (!host_blocks_per_sm(k, threads, g->dynamic_shared)) return HOST_LAUNCH_OUT_OF_RESOURCES;
    return g->cooperative ? check_cooperative(k, g, threads) : 0;
}

host_error host_kernel_op(host_kernel *k, const host_launch_config *config, void *const *params, const void *packed,
                          size_t packed_bytes, host_op *out)
{
    host_error error = host_kernel_need(k);
    if (error) return error;
    *out = (host_op){.kind = HOST_OP_KERNEL};
    out->u.kernel.kernel = k;
    out->u.kernel.config = *config;
    error = check_config(k, &out->u.kernel.config);
    if (error) return error;
    const code_kernel *code = k->code;
    if (code->param_count && !params && !packed) return HOST_INVALID_VALUE;
    uint8_t *image = lw_alloc(code->param_bytes);
    for (uint32_t i = 0; i < code->param_count && params; i++) {
        if (!params[i]) {
            free(image);
            return HOST_INVALID_VALUE;
        }
        memcpy(image + code->params[i].offset, params[i], code->params[i].bytes);
    }
    if (!params && packed) memcpy(image, packed, LW_MIN(packed_bytes, (size_t)code->param_bytes));
    out->u.kernel.params = image;
    out->u.kernel.param_bytes = code->param_bytes;
    int banks = k->bank_config ? k->bank_config : k->module->context->settings->banks;
    out->u.kernel.bank_bytes = banks == HOST_BANKS_EIGHT_BYTES ? 8 : 4;
    return 0;
}

host_error host_launch(host_kernel *k, const host_launch_config *config, void *const *params, const void *packed,
                       size_t packed_bytes)
{
    host_context *c = k->module->context;
    host_error error = host_status(c);
    if (error) return error;
    host_op op;
    error = host_kernel_op(k, config, params, packed, packed_bytes, &op);
    if (error) return error;
    error = host_submit(config->stream, &op, false);
    if (!error && config->completion_event) error = host_event_record(config->completion_event, config->stream, 0);
    return error;
}
