/* How many blocks and clusters of a kernel are resident at once: its resources and settings put to the model's
 * calculator. */
#include "device/profile.h"
#include "host/kernel_priv.h"
#include "host/module_priv.h"
#include "host/state_priv.h"
#include "model/occupancy.h"

/* registers: of a thread; 0: they limit nothing. */
static occupancy_query query_of(const host_kernel *k, uint64_t threads, uint64_t dynamic_shared, uint32_t registers)
{
    return (occupancy_query){
        .threads = (uint32_t)threads,
        .registers = registers,
        .static_shared = k->code->static_shared_bytes,
        .dynamic_shared = (uint32_t)dynamic_shared,
        .max_dynamic_shared = (uint32_t)host_kernel_max_dynamic(k),
        .opted_in = k->max_dynamic_shared >= 0,
        .carveout = -1, /* a preference: the driver goes beyond it when a block needs more */
        .barriers = k->code->barrier_count,
    };
}

static bool resources(const host_kernel *k, uint64_t threads, uint64_t dynamic_shared, uint32_t registers,
                      occupancy *out)
{
    const device_profile *d = k->module->context->device;
    if (!threads || threads > d->threads_per_block || dynamic_shared > UINT32_MAX) return false;
    occupancy_query query = query_of(k, threads, dynamic_shared, registers);
    return !model_occupancy(d, &query, out, NULL);
}

/* Estimates never keep a kernel from running. */
static uint32_t known_registers(const host_kernel *k) { return (uint32_t)LW_MAX(k->machine_registers, 0); }

/* Blocks on one multiprocessor; the kernel is built. */
uint32_t host_blocks_per_sm(const host_kernel *k, uint64_t threads, uint64_t dynamic_shared)
{
    occupancy o;
    return resources(k, threads, dynamic_shared, known_registers(k), &o) ? o.blocks_per_sm : 0;
}

static uint64_t volume(const uint32_t size[3]) { return (uint64_t)size[0] * size[1] * size[2]; }

/* What a report says of a launch: with the registers of the machine code, else with an estimate, else without. */
result_occupancy host_occupancy_of_launch(const host_kernel *k, const host_launch_config *g)
{
    const device_profile *d = k->module->context->device;
    result_occupancy out = {.registers = known_registers(k),
                            .registers_known = k->machine_registers > 0,
                            .static_shared_bytes = k->code->static_shared_bytes};
    occupancy o;
    uint64_t cluster = volume(g->cluster);
    if (!out.registers) out.registers = LW_MIN(k->code->registers, model_register_limit(d));
    if (!resources(k, volume(g->block), g->dynamic_shared, out.registers, &o)) return out;
    if (!o.blocks_per_sm && !out.registers_known) { /* the launch ran: the estimate is too high */
        out.registers = 0;
        resources(k, volume(g->block), g->dynamic_shared, 0, &o);
    }
    out.max_warps_per_sm = (uint32_t)d->warps_per_sm;
    out.blocks_per_sm = o.blocks_per_sm;
    out.warps_per_sm = o.warps_per_sm;
    out.limited_by = o.limited_by;
    if (cluster > 1) out.active_clusters = model_active_clusters(d, &o, (uint32_t)cluster, &out.clusters_exact);
    return out;
}

uint32_t host_blocks_with_shared(const host_kernel *k, const host_launch_config *g, uint64_t more)
{
    const device_profile *d = k->module->context->device;
    result_occupancy now = host_occupancy_of_launch(k, g);
    occupancy_query query = {
        .threads = (uint32_t)volume(g->block),
        .registers = now.registers,
        .static_shared = k->code->static_shared_bytes,
        .dynamic_shared = (uint32_t)(g->dynamic_shared + more),
        .max_dynamic_shared = (uint32_t)d->shared_per_block_optin,
        .opted_in = true,
        .carveout = -1,
        .barriers = k->code->barrier_count,
    };
    occupancy o;
    return model_occupancy(d, &query, &o, NULL) ? 0 : o.blocks_per_sm;
}

uint64_t host_shared_carveout(const host_kernel *k, const host_launch_config *g)
{
    occupancy o;
    const device_profile *d = k->module->context->device;
    if (!resources(k, volume(g->block), g->dynamic_shared, known_registers(k), &o)) return 0;
    occupancy_query query = query_of(k, volume(g->block), g->dynamic_shared, known_registers(k));
    query.carveout = k->carveout;
    return model_driver_carveout(d, &query, &o);
}

uint32_t host_resident_clusters(const host_kernel *k, const host_launch_config *g, uint64_t size)
{
    occupancy o;
    bool exact;
    uint64_t threads = (uint64_t)g->block[0] * g->block[1] * g->block[2];
    if (size > k->module->context->device->max_cluster ||
        !resources(k, threads, g->dynamic_shared, known_registers(k), &o))
        return 0;
    return model_active_clusters(k->module->context->device, &o, (uint32_t)size, &exact);
}
