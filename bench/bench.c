/* bench: kernel time of the workloads W1..W4, counting on and off, without any CUDA face: PTX in, counters out.
 * Usage: lanewise_bench [workloads.ptx] [threads] [repeats]   one line a workload: best of `repeats` runs
 *        lanewise_bench --load LINES                          time to load PTX of that many lines */
#include "device/profile.h"
#include "exec/exec.h"
#include "model/model.h"

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

static double run_once(const workload *w, const code_kernel *kernel, mem_window *memory, const device_profile *device,
                       const void *params, uint32_t threads, bool count, uint64_t *out_inst)
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
    event_listener listener;
    if (count) {
        if (model_create(&m, device, kernel->site_count, &error) != LW_OK) exit(1);
        listener = (event_listener){&model_client, m};
        l.listeners = &listener;
        l.listener_count = 1;
    }
    exec_result r;
    if (exec_run(&l, &r, &error) != LW_OK || r.fault.kind) {
        fprintf(stderr, "%s: %s%s\n", w->name, error.message, r.fault.message);
        exit(1);
    }
    double seconds = r.seconds;
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
    code_linker linker = {memory, place, mem_storage};
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
    code_linker linker = {memory, place, mem_storage};
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
        double best[2] = {1e9, 1e9};
        uint64_t inst = 0;
        for (uint32_t r = 0; r < repeats; r++)
            for (int count = 0; count < 2; count++) {
                double s = run_once(w, kernel, memory, &device, p, threads, count, &inst);
                if (s < best[count]) best[count] = s;
            }
        printf("%-28s %8.1f %12.2f %12.2f %8.2f %8.1f\n", w->name, (double)inst / 1e6, (double)inst / best[1] / 1e9,
               (double)inst / best[0] / 1e9, best[1] / best[0], w->goal);
        code_kernel_free(kernel);
    }
    return 0;
}
