/* bench: kernel time of the workloads W1..W4, counting on and off, without any CUDA face: PTX in, counters out.
 * Usage: lanewise_bench [workloads.ptx] [threads] [repeats]   one line a workload: best of `repeats` runs
 *        lanewise_bench --load LINES                          time to load PTX of that many lines
 * With LANEWISE_CHECK in the environment (as --check=LIST) two more columns: with these checks and counting, and how many
 * times as long as counting alone. With LANEWISE_CACHES in it four more: the same for --caches, and for --time, whose times
 * are those of --caches. */
#include "check/check.h"
#include "device/profile.h"
#include "exec/exec.h"
#include "model/model.h"
#include "time/caches.h"
#include "time/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct workload {
    const char *name, *kernel;
    uint32_t grid[3], block[3];
    double goal; /* thousand million thread-instructions a second, counting on */
} workload;

static const workload workloads[] = {
    {"W1 naive transpose 2048^2", "transpose_naive", {64, 64, 1}, {32, 32, 1}, 2.5},
    {"W2 tiled transpose 2048^2", "transpose_tiled", {64, 64, 1}, {32, 8, 1}, 2.5},
    {"W3 histogram 16 M", "histogram", {1024, 1, 1}, {256, 1, 1}, 1.5},
    {"W4 mandelbrot 1024^2", "mandelbrot", {32, 128, 1}, {32, 8, 1}, 3.0},
};

static lw_status place(void *user, const ptx_variable *v, uint64_t *out, lw_error *error)
{
    (void)error;
    return mem_alloc(user, v->bytes, 0, MEM_GLOBAL_VAR, 0, v->name, out);
}

/* ---- checks: the clients that the environment asks for */
extern const event_client check_race, check_sync, check_bounds, check_init;
static const event_client *const check_clients[] = {&check_race, &check_sync, &check_bounds, &check_init};

typedef struct bench_checks {
    check_options options;
    event_session services;
    void *session[LW_COUNT(check_clients)], *launch[LW_COUNT(check_clients)];
} bench_checks;

static void ignore_finding(void *owner, const event_finding *f)
{
    (void)owner;
    fprintf(stderr, "%s: %s\n", f->check, f->message);
}

/* One session for all runs, as in a process. */
static bench_checks *checks_session(void)
{
    static bench_checks checks;
    const char *list = getenv("LANEWISE_CHECK");
    if (checks.options.set || !list || check_parse(list, &checks.options.set, NULL)) return &checks;
    checks.services = (event_session){.finding = ignore_finding, .checks = &checks.options};
    for (size_t k = 0; k < LW_COUNT(check_clients); k++)
        checks.session[k] = check_clients[k]->session_begin(&checks.services);
    return &checks;
}

static void checks_begin(bench_checks *c, const event_launch *launch, exec_launch *l, event_listener *listeners)
{
    for (size_t k = 0; k < LW_COUNT(check_clients); k++) {
        const event_client *client = check_clients[k];
        c->launch[k] = c->session[k] ? client->launch_begin(c->session[k], launch) : NULL;
        if (c->launch[k]) listeners[l->listener_count++] = (event_listener){client, c->launch[k]};
    }
}

static void checks_end(bench_checks *c, const event_launch *launch)
{
    for (size_t k = 0; k < LW_COUNT(check_clients); k++) {
        if (c->launch[k]) check_clients[k]->launch_end(c->session[k], launch, c->launch[k]);
        c->launch[k] = NULL;
    }
}

/* ---- caches and time: as host/client_caches.c and host/time.c use them */
static const event_client cache_client = {
    .name = "caches",
    .kinds = CACHE_KINDS,
    .worker_begin = cache_worker_begin,
    .memory = cache_memory,
    .sync = cache_sync,
};

/* One session for all runs, as in a process. */
static cache_session *caches_session(const device_profile *device)
{
    static cache_session *session;
    if (!session) session = cache_session_make(device, false);
    return session;
}

static cache_launch *caches_begin(cache_session *session, const exec_launch *l, const event_launch *launch)
{
    cache_shape shape = {
        .blocks = (uint64_t)l->grid[0] * l->grid[1],
        .warps_per_block = l->block[0] * l->block[1] / 32,
        .blocks_per_sm = 2048 / (l->block[0] * l->block[1]),
        .shared_carveout = 32 << 10,
        .insns = launch->insn_count,
    };
    return cache_launch_make(session, &shape);
}

/* What a launch's prediction costs behind the replay: its instructions, and the model for it and for some lines. */
static void predict(const code_kernel *kernel, const device_profile *device, const exec_result *r)
{
    const int lines = 17;
    time_demand t = {.blocks = 4096, .warps_per_block = 8, .blocks_per_sm = 8};
    for (uint32_t k = 0; k < kernel->site_count; k++) {
        time_work work = time_work_of(kernel->sites[k].insn->mnemonic);
        t.work.issue += work.issue * (r->site_inst ? (double)r->site_inst[k] : 0);
    }
    for (int k = 0; k < lines; k++) t.dram_read_bytes += time_predict(device, &t).seconds;
}

enum { RUN_PLAIN, RUN_COUNTING, RUN_CHECKED, RUN_CACHES, RUN_TIME, RUN_KINDS };

static bool runs(int what)
{
    if (what == RUN_CHECKED) return getenv("LANEWISE_CHECK");
    return what < RUN_CHECKED || getenv("LANEWISE_CACHES");
}

static double run_once(const workload *w, const code_kernel *kernel, mem_window *memory, const device_profile *device,
                       const void *params, uint32_t threads, int what, uint64_t *out_inst)
{
    lw_error error = {0};
    model *m = NULL;
    exec_launch l = {.kernel = kernel,
                     .cluster = {1, 1, 1},
                     .params = params,
                     .threads = threads,
                     .memory = memory,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    memcpy(l.grid, w->grid, sizeof l.grid);
    memcpy(l.block, w->block, sizeof l.block);
    event_listener listeners[2 + LW_COUNT(check_clients)];
    event_launch shown = {0};
    bench_checks *checks = checks_session();
    l.listeners = listeners;
    if (what != RUN_PLAIN) {
        if (model_create(&m, device, kernel->site_count, &error) != LW_OK) exit(1);
        listeners[l.listener_count++] = (event_listener){&model_client, m};
    }
    exec_describe_launch(&l, &shown);
    l.event = &shown;
    double start = lw_now();
    cache_session *caches = what >= RUN_CACHES ? caches_session(device) : NULL;
    cache_launch *cached = caches ? caches_begin(caches, &l, &shown) : NULL;
    if (cached) listeners[l.listener_count++] = (event_listener){&cache_client, cached};
    l.timed = what == RUN_TIME;
    if (what == RUN_CHECKED) checks_begin(checks, &shown, &l, listeners);
    exec_result r;
    if (exec_run(&l, &r, &error) != LW_OK || r.fault.kind) {
        fprintf(stderr, "%s: %s%s\n", w->name, error.message, r.fault.message);
        exit(1);
    }
    checks_end(checks, &shown);
    if (cached) cache_launch_replay(cached);
    if (what == RUN_TIME) predict(kernel, device, &r);
    double seconds = what >= RUN_CHECKED ? lw_now() - start : r.seconds;
    cache_launch_free(cached);
    *out_inst = r.thread_inst;
    exec_result_free(&r);
    model_destroy(m);
    return seconds;
}

/* Parse, link and decode of a straight kernel of about `lines` lines. */
static int bench_loading(uint32_t lines)
{
    lw_text text = {0};
    lw_text_add(
        &text,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<%u>;\n"
        ".reg .b64 %%d<4>;\nld.param.u64 %%d1, [p];\nmov.u32 %%r0, %%tid.x;\n",
        lines + 1);
    for (uint32_t k = 1; k < lines; k++) lw_text_add(&text, "add.s32 %%r%u, %%r%u, %u;\n", k, k - 1, k & 255);
    lw_text_add(&text, "st.global.u32 [%%d1], %%r%u;\nret;\n}\n", lines - 1);
    lw_error error = {0};
    mem_window *memory;
    ptx_module *module;
    code_image *image;
    code_kernel *kernel;
    double start = lw_now();
    if (mem_create(&memory, UINT64_C(1) << 30, &error) || ptx_parse(&module, "load.ptx", text.data, text.size, &error))
        return 1;
    code_linker linker = {.user = memory, .place = place, .storage = mem_storage};
    const ptx_module *modules[] = {module};
    if (code_link(&image, modules, 1, &linker, &error) ||
        code_kernel_build(&kernel, image, code_find_entry(image, "k"), NULL, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%u lines of PTX parsed, linked and decoded: %.0f ms (goal 1000)\n", lines, 1e3 * (lw_now() - start));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--load")) return bench_loading((uint32_t)atoi(argv[2]));
    const char *path = argc > 1 ? argv[1] : "bench/workloads.ptx";
    uint32_t threads = argc > 2 ? (uint32_t)atoi(argv[2]) : 2, repeats = argc > 3 ? (uint32_t)atoi(argv[3]) : 5;
    lw_error error = {0};
    char *text;
    size_t size;
    mem_window *memory;
    ptx_module *module;
    code_image *image;
    device_profile device;
    if (lw_file_read(path, &text, &size, &error) || mem_create(&memory, UINT64_C(1) << 32, &error) ||
        ptx_parse(&module, path, text, size, &error) || device_find("h200", &device, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    code_linker linker = {.user = memory, .place = place, .storage = mem_storage};
    const ptx_module *modules[] = {module};
    if (code_link(&image, modules, 1, &linker, &error)) return 1;
    uint64_t in, out;
    uint32_t n = 16 << 20;
    if (mem_alloc(memory, (uint64_t)n * 4, 0, MEM_DEVICE, 0, "", &in) ||
        mem_alloc(memory, (uint64_t)n * 4, 0, MEM_DEVICE, 0, "", &out))
        return 1;
    uint32_t seed = 1;
    uint32_t *words = mem_storage(in);
    for (uint32_t k = 0; k < n; k++) words[k] = (seed = seed * 1664525u + 1013904223u) >> 8;
    memset(mem_storage(out), 0, (size_t)n * 4);
    printf("%-28s %8s %12s %12s %8s %8s\n", "workload", "M inst", "counting G/s", "no rep. G/s", "ratio", "goal");
    if (getenv("LANEWISE_CHECK")) printf("checks on: two more columns, G/s and times counting\n");
    if (getenv("LANEWISE_CACHES")) printf("caches and time: four more, G/s and times counting, G/s and times caches\n");
    for (size_t k = 0; k < LW_COUNT(workloads); k++) {
        const workload *w = &workloads[k];
        code_kernel *kernel;
        if (code_kernel_build(&kernel, image, code_find_entry(image, w->kernel), NULL, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        exec_prepare(kernel);
        struct {
            uint64_t out, in;
            int32_t n, pad;
        } params = {out, in, k < 2 ? 2048 : (int32_t)n, 0};
        struct {
            uint64_t out;
            int32_t n, limit;
        } mandel = {out, 1024, 256};
        const void *p = k == 3 ? (const void *)&mandel : &params;
        double best[RUN_KINDS] = {1e9, 1e9, 1e9, 1e9, 1e9};
        uint64_t inst = 0;
        for (uint32_t r = 0; r < repeats; r++)
            for (int what = 0; what < RUN_KINDS; what++) {
                if (!runs(what)) continue;
                double s = run_once(w, kernel, memory, &device, p, threads, what, &inst);
                if (s < best[what]) best[what] = s;
            }
        printf("%-28s %8.1f %12.2f %12.2f %8.2f %8.1f", w->name, (double)inst / 1e6, (double)inst / best[1] / 1e9,
               (double)inst / best[0] / 1e9, best[1] / best[0], w->goal);
        for (int what = RUN_CHECKED; what < RUN_KINDS; what++) {
            double base = best[what == RUN_TIME ? RUN_CACHES : RUN_COUNTING];
            if (runs(what)) printf(" %12.2f %8.2f", (double)inst / best[what] / 1e9, best[what] / base);
        }
        printf("\n");
        code_kernel_free(kernel);
    }
    return 0;
}
