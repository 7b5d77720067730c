/* test_exec_asserts: the assertions inside execution and the model: each is seen to fire when what it states is broken
 * on purpose, and none fires while kernels run that use most of execution. The sources are compiled here with LW_DEBUG,
 * in place of the library's, so that this runs in every build. test_invariants.c is the same for invariants.h. */
#include "fires.h"

#include "exec/barrier.c"
#include "exec/call.c"
#include "exec/cluster.c"
#include "exec/control.c"
#include "exec/emit.c"
#include "exec/emit_access.c"
#include "exec/mbarrier.c"
#include "exec/order.c"
#include "exec/schedule.c"
#include "exec/specials.c"
#include "exec/warp.c"
#include "model/count.c"

/* A worker that runs lanes 0-15 of the one warp of a block; lanes 16-31 wait at a join for them. */
typedef struct world {
    exec_launch launch;
    event_launch event_launch;
    exec_run_state run;
    exec_worker worker;
    exec_cluster cluster;
    exec_block block;
    exec_warp warp;
    code_insn insns[4];
} world;

enum { RUNNING = 0xffff, WAITING = 0xffff0000 };

static void world_begin(world *w)
{
    *w = (world){0};
    exec_ctx *x = &w->worker.x;
    w->cluster = (exec_cluster){.blocks = &w->block, .block_count = 1, .live_threads = 32};
    w->block = (exec_block){.cluster = &w->cluster, .warps = &w->warp, .warp_count = 1, .live_threads = 32};
    w->block.async_issued = 3;
    w->warp = (exec_warp){.block = &w->block, .live = FULL_MASK, .started = FULL_MASK};
    w->warp.root.lanes = FULL_MASK;
    w->warp.joins_used = 1;
    w->warp.joins[0] = (exec_join){.pc = &w->insns[3], .frame = &w->warp.root, .mask = FULL_MASK, .arrived = WAITING};
    w->event_launch.insn_count = 1;
    w->run = (exec_run_state){.launch = &w->launch, .stop_at = UINT64_MAX};
    w->worker.run = &w->run;
    w->worker.active = &w->cluster;
    w->worker.active_count = 1;
    x->worker = &w->worker;
    x->launch = &w->launch;
    x->event_launch = &w->event_launch;
    x->block = &w->block;
    x->warp = &w->warp;
    x->group = exec_group_new(&w->warp, RUNNING, w->insns, &w->warp.root, &w->warp.joins[0]);
    x->mask = RUNNING;
}

/* The text of the assertion that statements fire: on the world `w`, its context `x`, its warp, block and group. */
#define BROKEN(expected, ...)                                                                                          \
    do {                                                                                                               \
        static world broken;                                                                                           \
        world *w = &broken;                                                                                            \
        world_begin(w);                                                                                                \
        exec_ctx *x = &w->worker.x;                                                                                    \
        exec_warp *warp = &w->warp;                                                                                    \
        exec_block *block = &w->block;                                                                                 \
        exec_group *group = x->group;                                                                                  \
        (void)warp, (void)block, (void)group;                                                                          \
        FIRES(expected, __VA_ARGS__);                                                                                  \
    } while (0)

/* ---------------------------------------------------------------- groups, joins, frames */
UNIT_CASE(a_new_group_has_live_lanes_and_room)
{
    static const char *const lanes = "mask && !(mask & ~w->live)";
    BROKEN("nothing", exec_group_new(warp, 1, w->insns, &warp->root, NULL));
    BROKEN(lanes, exec_group_new(warp, 0, w->insns, &warp->root, NULL));
    BROKEN(lanes, warp->live = RUNNING; exec_group_new(warp, 1u << 20, w->insns, &warp->root, NULL));
    BROKEN("w->groups_used != UINT32_MAX", warp->groups_used = UINT32_MAX;
           exec_group_new(warp, 1, w->insns, &warp->root, NULL));
    BROKEN("w->groups_used >> (g - w->groups) & 1", exec_group_free(warp, group); exec_group_free(warp, group));
}

UNIT_CASE(lanes_arrive_once_where_they_are_waited_for)
{
    static const char *const once = "!(lanes & ~j->mask) && !(lanes & j->arrived)";
    BROKEN("nothing", join_arrive(&warp->joins[0], 1));
    BROKEN(once, join_arrive(&warp->joins[0], 1u << 16));
    BROKEN(once, warp->joins[0].mask = WAITING; join_arrive(&warp->joins[0], 1));
}

UNIT_CASE(some_lanes_part_not_all)
{
    static const char *const some = "lanes && !(lanes & ~x->mask) && lanes != x->mask";
    BROKEN("nothing", exec_group_part(x, 1, &w->insns[1], &w->insns[3], w->insns));
    BROKEN(some, exec_group_part(x, RUNNING, &w->insns[1], &w->insns[3], w->insns));
    BROKEN(some, exec_group_part(x, 0, &w->insns[1], &w->insns[3], w->insns));
    BROKEN(some, exec_group_part(x, 1u << 16, &w->insns[1], &w->insns[3], w->insns));
}

UNIT_CASE(lanes_leave_frames_that_they_are_in)
{
    BROKEN("nothing", frame_leave(x, &warp->root, RUNNING));
    BROKEN("!(lanes & ~f->lanes)", warp->root.lanes = WAITING; frame_leave(x, &warp->root, 1));
}

/* ---------------------------------------------------------------- running */
UNIT_CASE(the_running_group_is_ready_and_has_lanes)
{
    BROKEN("g && g->state == GROUP_READY", group->state = GROUP_BARRIER;
           run_slice(&w->worker, warp, group, &(warp_turn){0}));
    BROKEN("g && g->state == GROUP_READY", run_slice(&w->worker, warp, NULL, &(warp_turn){0}));
    BROKEN("x->mask && x->mask == x->group->mask", x->go = 1; x->mask = 0; interpret(x));
    BROKEN("x->mask && x->mask == x->group->mask", x->go = 1; group->mask = 1; interpret(x));
}

UNIT_CASE(barriers_let_go_when_all_have_arrived)
{
    static const char *const all = "b->arrived >= (b->expected ? b->expected : block->live_threads)";
    BROKEN("nothing", block->barriers[1].arrived = 32; release_barrier(x, NULL, block, 1));
    BROKEN(all, block->barriers[1].arrived = 31; release_barrier(x, NULL, block, 1));
    BROKEN(all, block->barriers[1] = (exec_barrier){.arrived = 32, .expected = 64}; release_barrier(x, NULL, block, 1));
}

UNIT_CASE(threads_exit_once_and_clusters_end_done)
{
    BROKEN("threads <= b->live_threads", exec_threads_exit(x, block, 33));
    BROKEN("c->blocks_done == c->block_count && worker->active_count",
           exec_cluster_retire(&w->worker, &w->worker.active));
}

UNIT_CASE(shared_variables_lie_in_shared_memory)
{
    static const code_fill inside = {.kind = FILL_SHARED, .bytes = 4}, outside = {.kind = FILL_SHARED, .value = 17};
    static struct code_body body;
    static code_kernel kernel = {.body = &body};
    static uint8_t file[256];
    body.block.count = 1;
#define FILL(fill)                                                                                                     \
    body.block.fills = (fill);                                                                                         \
    block->file = file;                                                                                                \
    w->launch.kernel = &kernel;                                                                                        \
    w->run.shared_bytes = 16;                                                                                          \
    exec_fill_block(&w->run, block)
    BROKEN("nothing", FILL(&inside));
    BROKEN("f->kind != FILL_SHARED || f->value <= run->shared_bytes", FILL(&outside));
}

UNIT_CASE(mbarrier_objects_hold_what_their_bits_can)
{
    static const char *const counts = "b->pending <= COUNT_LIMIT && b->expected <= COUNT_LIMIT";
    static const char *const bytes = "b->bytes >= -COUNT_LIMIT && b->bytes <= COUNT_LIMIT";
    BROKEN("nothing", pack(&(barrier){.pending = COUNT_LIMIT, .bytes = -COUNT_LIMIT}));
    BROKEN(counts, pack(&(barrier){.pending = COUNT_LIMIT + 1}));
    BROKEN(counts, pack(&(barrier){.expected = COUNT_LIMIT + 1}));
    BROKEN(bytes, pack(&(barrier){.bytes = COUNT_LIMIT + 1}));
}

/* ---------------------------------------------------------------- events */
UNIT_CASE(events_are_of_lanes_and_of_the_launch)
{
    static const char *const lanes = "e->mask != 0", *const memory = "e->insn < e->launch->insn_count";
    static const char *const sync = "e->insn == EVENT_NO_INSN || e->insn < e->launch->insn_count";
    BROKEN("nothing", deliver_memory(x, &(event_memory){.launch = &w->event_launch, .mask = 1}));
    BROKEN(lanes, deliver_memory(x, &(event_memory){.launch = &w->event_launch}));
    BROKEN(memory, deliver_memory(x, &(event_memory){.launch = &w->event_launch, .mask = 1, .insn = 1}));
    BROKEN("nothing", deliver_sync(x, &(event_sync){.launch = &w->event_launch, .insn = EVENT_NO_INSN}));
    BROKEN(sync, deliver_sync(x, &(event_sync){.launch = &w->event_launch, .insn = 1}));
}

UNIT_CASE(asynchronous_operations_have_been_issued)
{
    static const char *const issued = "use->mask && use->number && use->number <= x->block->async_issued";
    static const event_insn insn;
#define EMIT(n, lanes)                                                                                                 \
    w->event_launch.insns = &insn;                                                                                     \
    emit_async(x, w->insns, EVENT_ASYNC_COMPLETE, &(exec_async_use){.number = (n), .mask = (lanes)})
    BROKEN("nothing", EMIT(3, 1));
    BROKEN(issued, EMIT(0, 1));
    BROKEN(issued, EMIT(4, 1));
    BROKEN(issued, EMIT(3, 0));
}

UNIT_CASE(one_access_is_watched_at_a_time)
{
    static const event_insn insn;
    uint8_t *pointer[32] = {0};
    BROKEN("x->details", exec_watch_end(x));
    BROKEN("!x->details", w->event_launch.insns = &insn; exec_watch_begin(x, w->insns, 1, pointer, 4);
           exec_watch_begin(x, w->insns, 1, pointer, 4));
}

UNIT_CASE(models_count_events_of_their_launch)
{
    static const char *const known = "e->insn < w->model->insn_count && e->mask";
    static model m = {.insn_count = 1};
    static model_worker state = {.model = &m};
    BROKEN(known, model_count(&state, &(event_memory){.insn = 1, .mask = 1}));
    BROKEN(known, model_count(&state, &(event_memory){.insn = 0, .mask = 0}));
}

/* ---------------------------------------------------------------- none fires */
static void ignore_memory(void *state, const event_memory *e)
{
    (void)e;
    ++*(uint64_t *)state;
}

static void ignore_sync(void *state, const event_sync *e)
{
    (void)e;
    ++*(uint64_t *)state;
}

static const event_client listens = {.name = "all",
                                     .kinds = ~UINT64_C(0),
                                     .fields = EVENT_FIELD_VALUES | EVENT_FIELD_ORDER,
                                     .memory = ignore_memory,
                                     .sync = ignore_sync};

static lw_status place(void *user, const ptx_variable *v, uint64_t *out_address, lw_error *error)
{
    (void)error;
    return mem_alloc(user, v->bytes, 0, MEM_GLOBAL_VAR, 0, v->name, out_address);
}

/* Runs a kernel of tests/ptx/events/events.ptx with the checked executors, watched or not. */
static void run_checked(const char *name, uint32_t blocks, uint32_t threads, uint32_t cluster, uint32_t listeners)
{
    char *text = NULL;
    size_t size = 0;
    lw_error error = {0};
    mem_window *memory = NULL;
    ptx_module *module = NULL;
    code_image *image = NULL;
    code_kernel *kernel = NULL;
    uint64_t events = 0, buffer = 0;
    exec_result result = {0};
    REQUIRE(mem_create(&memory, UINT64_C(1) << 28, &error) == LW_OK);
    REQUIRE(mem_alloc(memory, 8192, 0, MEM_DEVICE, 0, NULL, &buffer) == LW_OK);
    REQUIRE(lw_file_read(unit_path("ptx/events/events.ptx"), &text, &size, &error) == LW_OK);
    REQUIRE(ptx_parse(&module, "events.ptx", text, size, &error) == LW_OK);
    const ptx_module *modules[] = {module};
    code_linker linker = {.user = memory, .place = place, .storage = mem_storage};
    REQUIRE(code_link(&image, modules, 1, &linker, &error) == LW_OK);
    REQUIRE(code_kernel_build(&kernel, image, code_find_entry(image, name), NULL, &error) == LW_OK);
    exec_prepare(kernel);
    event_listener listener = {&listens, &events};
    exec_launch launch = {.kernel = kernel,
                          .grid = {blocks, 1, 1},
                          .block = {threads, 1, 1},
                          .cluster = {cluster, 1, 1},
                          .params = (const uint8_t *)&buffer,
                          .grid_id = 1,
                          .threads = 1,
                          .memory = memory,
                          .device = {.cc = 90, .sm_count = 4, .max_blocks_per_sm = 8, .stack_bytes = 1024},
                          .listeners = &listener,
                          .listener_count = listeners};
    if (setjmp(fired)) UNIT_FAIL("%s: '%s' fired", name, fired_what);
    else CHECK(exec_run(&launch, &result, &error) == LW_OK);
    CHECK_STR(result.fault.message, "");
    CHECK_EQ_INT(events != 0, listeners);
    exec_result_free(&result);
    code_kernel_free(kernel);
    code_image_free(image);
    ptx_module_free(module);
    mem_destroy(memory);
    free(text);
}

UNIT_CASE(kernels_fire_nothing)
{
    for (uint32_t listeners = 0; listeners < 2; listeners++) {
        run_checked("kinds", 4, 96, 2, listeners);
        run_checked("lock", 8, 64, 1, listeners);
        run_checked("ticket", 8, 32, 1, listeners);
        run_checked("updates", 2, 1, 1, listeners);
        run_checked("overwrites", 1, 32, 1, listeners);
        run_checked("frames", 2, 40, 1, listeners);
    }
}

UNIT_MAIN()
