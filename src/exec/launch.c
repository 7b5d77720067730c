/* launch.c: one launch: what it needs is computed and allocated, its workers run, their counts are summed up. */
#include "exec/emit.h"
#include "exec/schedule.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- workers */
static void worker_begin(exec_run_state *run, uint32_t index)
{
    exec_worker *worker = &run->workers[index];
    const code_kernel *k = run->launch->kernel;
    exec_ctx *x = &worker->x;
    worker->run = run;
    worker->index = index;
    worker->last_progress = run->started;
    x->worker = worker;
    x->launch = run->launch;
    x->file[CODE_LAUNCH] = run->launch_file;
    x->shared_bytes = run->shared_end;
    x->local_stride = run->local_stride;
    x->block_inst = LW_NEW_ARRAY(&worker->arena, uint64_t, k->block_count + 1);
    x->block_lanes = LW_NEW_ARRAY(&worker->arena, uint64_t, k->block_count + 1);
    x->lanes_on = LW_NEW_ARRAY(&worker->arena, uint64_t, k->site_count + 1);
    x->on_heap = LW_NEW_ARRAY(&worker->arena, bool, k->site_count + 1);
    x->parted = LW_NEW_ARRAY(&worker->arena, bool, k->site_count + 1);
    x->caches = LW_NEW_ARRAY(&worker->arena, exec_alloc_cache, k->site_count + 1);
    for (uint32_t n = 0; n <= k->site_count; n++) x->caches[n] = (exec_alloc_cache){.low = 1};
    exec_listen(x, index);
}

static void add_waits(exec_result *r, const exec_worker *worker, uint32_t sites)
{
    if (!worker->waits) return;
    if (!r->site_waits) r->site_waits = lw_alloc((sites + 1) * sizeof(uint64_t));
    for (uint32_t s = 0; s < sites; s++) r->site_waits[s] += worker->waits[s];
}

static void worker_end(exec_run_state *run, exec_worker *worker)
{
    const exec_launch *l = run->launch;
    exec_result *r = run->result;
    exec_listen_end(&worker->x);
    exec_pass_end(worker);
    for (uint32_t s = 0; s < l->kernel->site_count; s++) {
        uint32_t block = l->kernel->sites[s].block;
        r->site_inst[s] += worker->x.block_inst[block];
        r->site_lanes[s] += worker->x.block_lanes[block];
        r->site_lanes_on[s] += worker->x.lanes_on[s];
        r->site_on_heap[s] |= worker->x.on_heap[s];
        r->site_parted[s] |= worker->x.parted[s];
    }
    add_waits(r, worker, l->kernel->site_count);
    r->schedule_dependent |= worker->schedule_dependent;
    bool longer = worker->clock_wait > r->clock_wait;
    bool earlier = worker->clock_wait == r->clock_wait && worker->clock_site < r->clock_site;
    if (longer || earlier) r->clock_site = worker->clock_site;
    if (longer) r->clock_wait = worker->clock_wait;
    r->clock_work += worker->clock_work;
    r->clock_blocks += worker->clock_blocks;
    r->clock_longest = LW_MAX(r->clock_longest, worker->clock_longest);
    lw_arena_free(&worker->arena);
}

/* ---------------------------------------------------------------- what a launch needs */
static bool has_alloca(const code_function *f)
{
    for (uint32_t u = 0; u < f->insn_count; u++)
        if (f->insns[u].op == OP_alloca) return true;
    return false;
}

/* Bytes of local memory of a thread: the deepest chain of frames, plus the stack limit when recursion makes it unknown.
 * A frame here holds every parameter of every call, an assembler's only the registers it saves: half as much and less.
 * Three times the limit lets what fits on a card fit here. */
static uint32_t local_bytes_of(const exec_launch *l)
{
    enum { FRAME_ALIGNMENT = 64, STACK_FACTOR = 3, STACK_LEAST = 1024 };
    const struct code_body *b = l->kernel->body;
    bool unknown = b->functions[0]->recursive || b->uses_indirect, allocates = false;
    uint32_t bytes = b->functions[0]->stack_bytes;
    for (uint32_t k = 0; k < b->function_count; k++) {
        allocates |= has_alloca(b->functions[k]);
        if (unknown) bytes = LW_MAX(bytes, b->functions[k]->local_bytes);
    }
    bytes += FRAME_ALIGNMENT * b->function_count;
    if (unknown || allocates) bytes += STACK_FACTOR * LW_MAX(l->device.stack_bytes, (uint32_t)STACK_LEAST);
    return (uint32_t)lw_round_up(bytes, FRAME_ALIGNMENT);
}

/* Shared memory: static variables, dynamic ones, and behind them the system's for a kernel that asks where it is. */
static void size_shared(exec_run_state *run)
{
    const exec_launch *l = run->launch;
    const code_kernel *k = l->kernel;
    run->shared_bytes = exec_shared_bytes(l);
    run->reserved_at = exec_reserved_at(l);
    run->shared_end = k->body->uses_system_shared ? run->reserved_at + 2 * EXEC_RESERVED_PART : run->shared_bytes;
}

/* Clusters that may be resident at once, per worker. A cooperative launch is resident as a whole. */
static uint32_t residency_of(const exec_run_state *run)
{
    const exec_device *d = &run->launch->device;
    uint64_t blocks = (uint64_t)LW_MAX(d->max_blocks_per_sm, 1u) * LW_MAX(d->sm_count, 1u);
    uint64_t share = blocks / run->cluster_size / run->worker_count;
    return (uint32_t)LW_MAX(run->launch->cooperative ? run->cluster_count : share, 1u);
}

static bool wants_one_worker(const exec_launch *l)
{
    for (uint32_t k = 0; k < l->listener_count; k++) {
        const event_listener *who = &l->listeners[k];
        if (who->client->one_worker && who->client->one_worker(who->launch)) return true;
    }
    return false;
}

static void size_grid(exec_run_state *run)
{
    const exec_launch *l = run->launch;
    run->threads_per_block = l->block[0] * l->block[1] * l->block[2];
    run->warps_per_block = (run->threads_per_block + 31) / 32;
    run->cluster_size = l->cluster[0] * l->cluster[1] * l->cluster[2];
    run->block_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    run->cluster_count = run->block_count / run->cluster_size;
    run->worker_count = (uint32_t)LW_MIN((uint64_t)LW_MAX(l->threads, 1u), LW_MAX(run->block_count, (uint64_t)1));
    if (l->schedule.kind == EXEC_SCHEDULE_RANDOM) run->worker_count = 1; /* else chance is the host's */
    if (wants_one_worker(l)) run->worker_count = 1;
    run->residency = residency_of(run);
}

static lw_status copy_params(exec_run_state *run)
{
    const exec_launch *l = run->launch;
    uint32_t bytes = l->kernel->param_bytes;
    LW_TRY(mem_alloc(l->memory, LW_MAX(bytes, 1u), 0, MEM_INTERNAL, 0, "kernel parameters", &run->params_address));
    run->params = mem_storage(run->params_address);
    if (bytes) memcpy(run->params, l->params, bytes);
    return LW_OK;
}

static lw_status set_up(exec_run_state *run)
{
    const exec_launch *l = run->launch;
    size_grid(run);
    size_shared(run);
    run->local_stride = local_bytes_of(l);
    LW_TRY(copy_params(run));
    run->launch_file = lw_arena_alloc_aligned(&run->arena, l->kernel->body->launch.bytes, 64);
    run->grid_workspace = l->grid_workspace;
    exec_fill_launch(run);
    run->event_launch = l->event;
    if (!l->event) {
        exec_describe_launch(l, &run->own_event_launch);
        run->event_launch = &run->own_event_launch;
    }
    run->workers = lw_arena_alloc_aligned(&run->arena, run->worker_count * sizeof *run->workers, 64);
    for (uint32_t n = 0; n < run->worker_count; n++) worker_begin(run, n);
    return LW_OK;
}

/* ---------------------------------------------------------------- running and summing up */
static void sum_up(const exec_run_state *run, exec_result *out)
{
    const code_kernel *k = run->launch->kernel;
    for (uint32_t s = 0; s < k->site_count; s++) {
        out->inst_executed += out->site_inst[s];
        out->thread_inst += out->site_lanes[s];
        out->schedule_dependent |= k->sites[s].follows_atomic && out->site_inst[s] && run->block_count > 1;
    }
}

lw_status exec_run(const exec_launch *launch, exec_result *out, lw_error *error)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uint32_t sites = launch->kernel->site_count;
    *out = (exec_result){0};
    exec_run_state run = {
        .launch = launch, .result = out, .fault_lock = &lock, .started = lw_now(), .stop_at = UINT64_MAX};
    lw_status status = set_up(&run);
    if (status != LW_OK) {
        lw_arena_free(&run.arena);
        return lw_fail(error, status, "no device memory for the kernel's parameters");
    }
    out->site_inst = lw_alloc((sites + 1) * sizeof(uint64_t));
    out->site_lanes = lw_alloc((sites + 1) * sizeof(uint64_t));
    out->site_lanes_on = lw_alloc((sites + 1) * sizeof(uint64_t));
    out->site_on_heap = lw_alloc(sites + 1);
    out->site_parted = lw_alloc(sites + 1);
    exec_schedule_run(&run);
    out->seconds = lw_now() - run.started;
    out->blocks_done = run.blocks_done;
    for (uint32_t n = 0; n < run.worker_count; n++) worker_end(&run, &run.workers[n]);
    sum_up(&run, out);
    exec_pass_sort(out, launch);
    mem_free(launch->memory, run.params_address);
    exec_order_free(run.order);
    lw_arena_free(&run.arena);
    return LW_OK;
}

void exec_result_free(exec_result *result)
{
    if (!result) return;
    free(result->passed);
    free(result->site_inst);
    free(result->site_lanes);
    free(result->site_lanes_on);
    free(result->site_on_heap);
    free(result->site_parted);
    free(result->site_waits);
    *result = (exec_result){0};
}
