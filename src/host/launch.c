/* Launches: the configuration is checked against the device when the program calls (with the errors an H200 gives), the
 * parameters are copied, and the engine later runs the kernel, counts it and reports its faults. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/profile.h"
#include "host/host_priv.h"

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
    int banks = k->bank_config ? k->bank_config : k->module->context->settings.banks;
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

/* ---- running, on the engine's thread ---- */
typedef struct run_state {
    host_context *context;
    double started;
    bool shown;
} run_state;

static int run_print(void *user, const char *format, const uint8_t *arguments, uint64_t bytes)
{
    return host_print(((run_state *)user)->context, format, arguments, bytes);
}

static uint64_t run_alloc(void *user, uint64_t bytes) { return host_heap_alloc(((run_state *)user)->context, bytes); }

static void run_free(void *user, uint64_t address) { host_heap_free(((run_state *)user)->context, address); }

static bool run_texture(void *user, uint64_t texture, uint32_t dimensions, bool layered, bool coordinates_float,
                        const uint32_t *coordinates, ptx_type type, uint32_t out[4], uint64_t *out_address)
{
    return host_texture_fetch(((run_state *)user)->context, texture, dimensions, layered, coordinates_float,
                              coordinates, type, out, out_address);
}

/* Shown on a terminal from the second second on. */
static bool run_progress(void *user, uint64_t thread_inst, uint64_t done, uint64_t total)
{
    run_state *r = user;
    double seconds = lw_now() - r->started;
    if (r->context->options.progress && seconds > 1) {
        fprintf(stderr, "\r\033[K%.1f s: %.2f billion thread instructions, %llu of %llu blocks", seconds,
                (double)thread_inst * 1e-9, (unsigned long long)done, (unsigned long long)total);
        r->shown = true;
    }
    return !atomic_load(&r->context->engine.interrupt);
}

/* The memory that grid.sync() counts arrivals in: zero before every cooperative launch. */
static uint64_t grid_workspace(host_context *c)
{
    const uint64_t bytes = 256;
    if (!c->launches.workspace &&
        mem_alloc(c->memory, bytes, 0, MEM_INTERNAL, 0, "grid workspace", &c->launches.workspace))
        return 0;
    memset((void *)(uintptr_t)c->launches.workspace, 0, bytes);
    return c->launches.workspace;
}

static host_error fault_error(exec_fault_kind kind)
{
    switch (kind) {
    case EXEC_DIVERGENT_BARRIER:
    case EXEC_NO_FAULT: return 0;
    case EXEC_ILLEGAL_ADDRESS:
    case EXEC_SHARED_RANGE: return HOST_ILLEGAL_ADDRESS;
    case EXEC_MISALIGNED: return HOST_MISALIGNED_ADDRESS;
    case EXEC_INVALID_SPACE: return HOST_INVALID_ADDRESS_SPACE;
    case EXEC_INVALID_PC: return HOST_INVALID_PC;
    case EXEC_ILLEGAL_INSTRUCTION: return HOST_ILLEGAL_INSTRUCTION;
    case EXEC_TRAP: return HOST_LAUNCH_FAILURE;
    case EXEC_ASSERT: return HOST_ASSERT;
    case EXEC_STACK_OVERFLOW: return HOST_HARDWARE_STACK_ERROR;
    case EXEC_HANG: return HOST_LAUNCH_TIMEOUT;
    case EXEC_CLUSTER_EXITED:
    case EXEC_INTERRUPTED: return HOST_LAUNCH_FAILURE;
    }
    return HOST_UNKNOWN;
}

static exec_device device_facts(host_context *c, const host_op *op)
{
    const host_launch_config *g = &op->u.kernel.config;
    uint64_t threads = (uint64_t)g->block[0] * g->block[1] * g->block[2];
    return (exec_device){
        .cc = c->device->cc,
        .sm_count = (uint32_t)c->device->sm_count,
        .max_blocks_per_sm = host_blocks_per_sm(op->u.kernel.kernel, threads, g->dynamic_shared),
        .max_local_bytes = 512 * 1024,
        .stack_bytes = (uint32_t)c->settings.limits[HOST_LIMIT_STACK_SIZE],
        .clock_khz = (uint32_t)c->device->clock_khz,
    };
}

static void describe_launch(const host_context *c, const exec_launch *launch, event_launch *out)
{
    exec_describe_launch(launch, out);
    if (!c->engine.running) return;
    out->stream = c->engine.running->place.stream;
    out->operation = c->engine.running->serial;
}

void host_launch_run(host_context *c, const host_op *op)
{
    const host_launch_config *g = &op->u.kernel.config;
    run_state state = {.context = c, .started = lw_now()};
    exec_launch launch = {
        .kernel = op->u.kernel.kernel->code,
        .dynamic_shared_bytes = (uint32_t)g->dynamic_shared,
        .params = op->u.kernel.params,
        .cooperative = g->cooperative,
        .grid_id = ++c->launches.last_id,
        .grid_workspace = g->cooperative || op->u.kernel.kernel->code->uses_grid_sync ? grid_workspace(c) : 0,
        .threads = c->options.threads,
        .memory = c->memory,
        .device = device_facts(c, op),
        .services = {&state, run_print, run_alloc, run_free, run_texture, run_progress},
        .interrupt = &c->engine.interrupt,
    };
    memcpy(launch.grid, g->grid, sizeof launch.grid);
    memcpy(launch.block, g->block, sizeof launch.block);
    memcpy(launch.cluster, g->cluster, sizeof launch.cluster);
    host_launch_facts facts = {.context = c, .op = op};
    event_launch shown = {.owner = &facts};
    host_listeners listeners;
    describe_launch(c, &launch, &shown);
    host_clients_launch_begin(c, &shown, &listeners);
    launch.event = &shown;
    launch.listeners = listeners.listener;
    launch.listener_count = listeners.count;
    exec_result result = {0};
    lw_error error = {0};
    lw_status status = exec_run(&launch, &result, &error);
    if (state.shown) fprintf(stderr, "\r\033[K");
    if (status) {
        host_note(c, "%s: %s", op->u.kernel.kernel->name, error.message);
        host_fault(c, status == LW_NO_MEMORY ? HOST_LAUNCH_OUT_OF_RESOURCES : HOST_LAUNCH_FAILURE);
    } else if (result.fault.kind != EXEC_NO_FAULT && result.fault.kind != EXEC_INTERRUPTED) {
        host_finding(c, &shown, &result.fault);
        host_fault(c, fault_error(result.fault.kind));
    }
    if (!status && result.warning.kind) host_finding(c, &shown, &result.warning);
    facts.result = status ? NULL : &result;
    host_clients_launch_end(c, &shown, &listeners);
    exec_result_free(&result);
}
