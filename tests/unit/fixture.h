/* A kernel from PTX text, ready to run: for tests that need no CUDA face. */
#ifndef LW_TESTS_FIXTURE_H
#define LW_TESTS_FIXTURE_H

#include "unit.h"

#include "exec/exec.h"

typedef struct fixture {
    mem_window *memory;
    ptx_module *module;
    code_image *image;
    code_kernel *kernel;
    lw_error error;
} fixture;

static lw_status place(void *user, const ptx_variable *v, uint64_t *out_address, lw_error *error)
{
    (void)error;
    return mem_alloc(((fixture *)user)->memory, v->bytes, 0, v->space == PTX_CONST ? MEM_CONST_VAR : MEM_GLOBAL_VAR, 0,
                     v->name, out_address);
}

/* What is refused: its status, and f->error. unload() f in every case. */
__attribute__((unused)) static lw_status open_kernel(fixture *f, const char *text, const char *kernel,
                                                     const code_options *options)
{
    *f = (fixture){0};
    code_linker linker = {.user = f, .place = place, .storage = mem_storage};
    LW_TRY(mem_create(&f->memory, UINT64_C(1) << 30, &f->error));
    LW_TRY(ptx_parse(&f->module, "test.ptx", text, strlen(text), &f->error));
    const ptx_module *modules[] = {f->module};
    LW_TRY(code_link(&f->image, modules, 1, &linker, &f->error));
    const ptx_function *entry = code_find_entry(f->image, kernel);
    if (!entry) return lw_fail(&f->error, LW_NOT_FOUND, "no kernel %s", kernel);
    LW_TRY(code_kernel_build(&f->kernel, f->image, entry, options, &f->error));
    exec_prepare(f->kernel);
    return LW_OK;
}

__attribute__((unused)) static bool load_with(fixture *f, const char *text, const char *kernel,
                                              const code_options *options)
{
    return open_kernel(f, text, kernel, options) == LW_OK;
}

__attribute__((unused)) static bool load(fixture *f, const char *text, const char *kernel)
{
    return load_with(f, text, kernel, NULL);
}

__attribute__((unused)) static void unload(fixture *f)
{
    if (f->error.message[0]) printf("    %s\n", f->error.message);
    code_kernel_free(f->kernel);
    code_image_free(f->image);
    ptx_module_free(f->module);
    mem_destroy(f->memory);
}

/* A launch of a row of blocks, on one host thread of a device like an H200. */
__attribute__((unused)) static exec_launch launch_of(const fixture *f, uint32_t blocks, uint32_t threads,
                                                     const void *params)
{
    return (exec_launch){.kernel = f->kernel,
                         .grid = {blocks, 1, 1},
                         .block = {threads, 1, 1},
                         .cluster = {1, 1, 1},
                         .params = params,
                         .threads = 1,
                         .memory = f->memory,
                         .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
}

/* Memory that test and kernel share. */
__attribute__((unused)) static uint64_t buffer(fixture *f, uint64_t bytes)
{
    uint64_t a = 0;
    CHECK(mem_alloc(f->memory, bytes, 0, MEM_PINNED, 0, NULL, &a) == LW_OK);
    return a;
}

#endif
