/* Runs a kernel, on the engine's thread: hands the launch to exec with the clients that listen, serves what kernels ask of
 * the host, and reports faults. */
#include <stdio.h>
#include <string.h>

#include "device/profile.h"
#include "host/clients_priv.h"
#include "host/devices.h"
#include "host/find_seed_priv.h"
#include "host/finding_priv.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/module_priv.h"
#include "host/queue_priv.h"
#include "host/services_priv.h"
#include "host/settings_priv.h"
#include "host/state_priv.h"
#include "host/surface_priv.h"

typedef struct run_state {
    host_context *context;
    const event_launch *launch;
    double started;
    const char *kernel; /* its name */
    bool shown;
    host_children *children;
} run_state;

static int run_print(void *user, const char *format, const uint8_t *arguments, uint64_t bytes, exec_printed *out,
                     const exec_strings *strings)
{
    const run_state *r = user;
    return host_print(r->context, r->kernel, format, arguments, bytes, out, strings);
}

static void run_assertion(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "%s\n", line);
}

static uint64_t run_alloc(void *user, uint64_t bytes)
{
    run_state *r = user;
    return host_heap_alloc(r->context, r->children->device, bytes, r->launch);
}

static bool run_free(void *user, uint64_t address, uint64_t *out_bytes)
{
    run_state *r = user;
    return host_heap_free(r->context, address, r->launch, out_bytes);
}

static void run_device_call(void *user, exec_device_call *call)
{
    host_device_call(((run_state *)user)->children, call);
}

static bool run_texture(void *user, const exec_texture_fetch *fetch, uint32_t *out_bad)
{
    return host_texture_fetch(((run_state *)user)->context, fetch, out_bad);
}

static bool run_query(void *user, uint64_t handle, bool surface, uint32_t query, uint32_t level, uint32_t *out)
{
    host_context *c = ((run_state *)user)->context;
    return surface ? host_surface_query(c, handle, query, out) : host_texture_query(c, handle, query, level, out);
}

static bool run_surface(void *user, uint64_t handle, exec_surface *out)
{
    return host_surface_find(((run_state *)user)->context, handle, out);
}

/* On a terminal: what runs and how far it is, from the first second on; once, how to cut it short. */
static void show_progress(run_state *r, double seconds, uint64_t thread_inst, uint64_t done, uint64_t total)
{
    static bool told; /* the engine's thread alone */
    enum { NAME_MOST = 24 };
    const double seconds_until_told = 5;
    if (seconds > seconds_until_told && !told) {
        fprintf(stderr,
                "\r\033[Klanewise: sizes meant for a GPU take long here: run fewer blocks, count fewer launches "
                "(--launch-count), or count nothing (--no-report); Ctrl-C ends with a report\n");
        told = true;
    }
    fprintf(stderr, "\r\033[K%.*s: %.0f s, %llu of %llu blocks, %.2f G instructions, %.2f G/s", NAME_MOST, r->kernel,
            seconds, (unsigned long long)done, (unsigned long long)total, (double)thread_inst * 1e-9,
            (double)thread_inst * 1e-9 / seconds);
    r->shown = true;
}

static bool run_progress(void *user, uint64_t thread_inst, uint64_t done, uint64_t total)
{
    run_state *r = user;
    double seconds = lw_now() - r->started;
    if (r->context->options.progress && seconds > 1) show_progress(r, seconds, thread_inst, done, total);
    return !atomic_load(host_queue_interrupt_flag(r->context));
}

struct host_launches {  /* the engine's thread alone */
    uint64_t last_id;   /* of a grid: %gridid */
    uint64_t workspace; /* address of what grid.sync() counts in; 0: not made yet */
};

host_launches *host_launches_make(void) { return lw_alloc(sizeof(host_launches)); }

void host_launches_reset(host_context *c)
{
    if (c->launches->workspace) mem_free(c->memory, c->launches->workspace);
    c->launches->workspace = 0;
}

/* The memory that grid.sync() counts arrivals in: zero before every launch that has it. On a card (H200, driver 580) it is there
 * from the first cooperative launch on, for all kernels that ask for it; grid.sync() traps where there is none. */
static uint64_t grid_workspace(host_context *c)
{
    const uint64_t bytes = 256;
    if (!c->launches->workspace &&
        mem_alloc(c->memory, bytes, 0, MEM_INTERNAL, 0, "grid workspace", &c->launches->workspace))
        return 0;
    memset(mem_storage(c->launches->workspace), 0, bytes);
    return c->launches->workspace;
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
        .stack_bytes = (uint32_t)host_limit_of(c, op->u.kernel.kernel->module->device, HOST_LIMIT_STACK_SIZE),
        .clock_khz = (uint32_t)c->device->clock_khz,
    };
}

static void describe_launch(const exec_launch *launch, const host_place *at, event_launch *out)
{
    exec_describe_launch(launch, out);
    if (!at) return;
    out->stream = at->stream;
    out->operation = at->number;
}

/* The schedule that was asked for. What was counted with another than the default's says so. */
static exec_schedule schedule_of(host_context *c)
{
    exec_schedule s = {.kind = EXEC_SCHEDULE_CARD};
    const char *text = c->options.schedule;
    if (!text) return s;
    if (!exec_schedule_parse(text, &s)) {
        host_note(c, "there is no schedule '%s': it is card, to-barrier or random:SEED", text);
        return (exec_schedule){.kind = EXEC_SCHEDULE_CARD};
    }
    if (s.kind != EXEC_SCHEDULE_CARD)
        host_note(c, "warps and blocks took turns by --schedule=%s, not as by default", text);
    return s;
}

/* What exec/ is told of a launch; who listens is not known yet. */
static exec_launch exec_launch_of(host_context *c, const host_op *op, run_state *state)
{
    const host_launch_config *g = &op->u.kernel.config;
    const host_kernel *kernel = op->u.kernel.kernel;
    exec_launch launch = {
        .kernel = kernel->code,
        .dynamic_shared_bytes = (uint32_t)g->dynamic_shared,
        .params = op->u.kernel.params,
        .cooperative = g->cooperative,
        .stop_at_errors = c->options.stop_at_errors,
        .grid_id = ++c->launches->last_id,
        .grid_workspace =
            g->cooperative || (kernel->code->uses_grid_sync && c->launches->workspace) ? grid_workspace(c) : 0,
        .graph = (uint64_t)(uintptr_t)op->u.kernel.graph,
        .threads = c->options.threads,
        .schedule = schedule_of(c),
        .timed = c->options.time,
        .fill = c->options.fill,
        .timeout = c->options.timeout,
        .memory = c->memory,
        .device_number = kernel->module->device,
        .out_of_reach = host_device_out_of_reach(c, kernel->module->device),
        .device = device_facts(c, op),
        .services = {state, run_print, run_assertion, run_alloc, run_free, run_device_call, run_texture, run_query,
                     run_surface, run_progress},
        .interrupt = host_queue_interrupt_flag(c),
    };
    memcpy(launch.grid, g->grid, sizeof launch.grid);
    memcpy(launch.block, g->block, sizeof launch.block);
    memcpy(launch.cluster, g->cluster, sizeof launch.cluster);
    return launch;
}

/* What went wrong in a launch that ran: findings, and the error that the program gets. */
static void tell_faults(host_context *c, uint32_t device, const event_launch *shown, const exec_result *result)
{
    for (uint32_t k = 0; k < result->passed_count; k++) host_finding_passed(c, shown, &result->passed[k]);
    exec_fault_kind kind = result->fault.kind;
    if (kind != EXEC_NO_FAULT && kind != EXEC_INTERRUPTED) {
        host_finding(c, shown, &result->fault);
        host_fault(c, device, fault_error(kind));
    }
    bool hangs = kind == EXEC_HANG; /* who waits where was said */
    if (result->warning.kind && !hangs) host_finding(c, shown, &result->warning);
}

/* What the kernel waited for by its clock (a cycle is a nanosecond without --time) took no time here; events tell it. */
static void skip_waits(host_context *c, const run_state *state, const exec_result *result)
{
    double waited = (double)result->clock_wait * 1e-9, took = lw_now() - state->started;
    if (waited > took) host_queue_skip(c, waited - took);
}

void host_launch_run(host_context *c, const host_op *op, const host_place *at, host_children *children)
{
    run_state state = {.context = c, .started = lw_now(), .kernel = host_kernel_demangled(op->u.kernel.kernel)};
    exec_launch launch = exec_launch_of(c, op, &state);
    host_launch_facts facts = {.context = c, .op = op};
    event_launch shown = {.owner = &facts};
    host_listeners listeners;
    describe_launch(&launch, at, &shown);
    host_clients_launch_begin(c, &shown, at, &listeners);
    state.launch = &shown;
    state.children = children;
    children->launch = &shown, children->device = launch.device_number;
    launch.event = &shown;
    launch.listeners = listeners.listener, launch.listener_count = listeners.count;
    exec_result result = {0};
    lw_error error = {0};
    host_seed_search *search = host_find_seed_begin(c, &launch);
    lw_status status = exec_run(&launch, &result, &error);
    skip_waits(c, &state, &result);
    if (state.shown) fprintf(stderr, "\r\033[K");
    if (status) {
        host_note(c, "%s: %s", op->u.kernel.kernel->name, error.message);
        host_fault(c, launch.device_number,
                   status == LW_NO_MEMORY ? HOST_LAUNCH_OUT_OF_RESOURCES : HOST_LAUNCH_FAILURE);
    } else {
        tell_faults(c, launch.device_number, &shown, &result);
    }
    facts.result = status ? NULL : &result;
    host_children_settle(children);
    host_clients_launch_end(c, &shown, at, &listeners);
    host_find_seed_end(c, search, &shown, !status && result.fault.kind == EXEC_NO_FAULT);
    exec_result_free(&result);
}
