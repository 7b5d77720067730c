/* Fuzz target of room exec: any bytes as PTX text; every entry function that can be decoded runs as one block of 32
 * threads whose parameters all point to one small buffer. Nothing may crash and every launch ends: the interrupt is set
 * from the start, so a launch is stopped at the first look at it, after one time slice of a loop. Memory events must be
 * well-formed. Results are not checked. */
#include "event/event.h"
#include "exec/exec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFER_BYTES = 4096, ENTRY_LIMIT = 4, SHARED_LIMIT = 128 << 10, LOCAL_LIMIT = 64 << 10, DYNAMIC_SHARED = 1024 };

typedef struct fixture {
    mem_window *memory;
    const code_image *image;
    const code_kernel *kernel;
    uint64_t buffer;
    uint32_t entries;
} fixture;

static void must(bool condition)
{
    if (!condition) abort();
}

static lw_status place(void *user, const ptx_variable *v, uint64_t *out_address, lw_error *error)
{
    if (v->bytes > 1 << 20) return lw_fail(error, LW_NO_MEMORY, "'%s' is too large for this test", v->name);
    mem_kind kind = v->space == PTX_CONST ? MEM_CONST_VAR : MEM_GLOBAL_VAR;
    return mem_alloc(((fixture *)user)->memory, v->bytes, 0, kind, 0, v->name, out_address);
}

static void check_event(void *state, const event_memory *e)
{
    const fixture *f = state;
    must(e->insn < f->kernel->site_count && f->kernel->sites[e->insn].is_memory);
    must(e->mask && !(e->mask & e->off_mask) && e->space < EVENT_SPACE_COUNT && e->op < EVENT_OP_COUNT && e->address);
    must(e->block == 0 && e->warp == 0);
}

static void run(fixture *f, const code_kernel *k)
{
    atomic_int stop = 1;
    uint8_t *params = lw_alloc(k->param_bytes + 8);
    for (uint32_t at = 0; at + 8 <= k->param_bytes; at += 8) memcpy(params + at, &f->buffer, 8);
    static const event_client client = {.kinds = EVENT_BIT(EVENT_COUNTED), .memory = check_event};
    event_listener listener = {&client, f};
    exec_launch l = {.kernel = k,
                     .grid = {1, 1, 1},
                     .block = {32, 1, 1},
                     .cluster = {1, 1, 1},
                     .params = params,
                     .dynamic_shared_bytes = k->uses_dynamic_shared ? DYNAMIC_SHARED : 0,
                     .threads = 1,
                     .memory = f->memory,
                     .listeners = &listener,
                     .listener_count = 1,
                     .interrupt = &stop,
                     .device = {.cc = 90, .sm_count = 4, .max_blocks_per_sm = 1, .stack_bytes = 1024}};
    exec_result result;
    f->kernel = k;
    if (exec_run(&l, &result, NULL) == LW_OK) exec_result_free(&result);
    free(params);
}

static void each_entry(void *user, const ptx_function *entry)
{
    fixture *f = user;
    code_kernel *k = NULL;
    if (f->entries++ >= ENTRY_LIMIT) return;
    if (code_kernel_build(&k, f->image, entry, NULL, NULL) != LW_OK) return;
    exec_prepare(k);
    if (k->static_shared_bytes <= SHARED_LIMIT && k->local_bytes <= LOCAL_LIMIT) run(f, k);
    code_kernel_free(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fixture f = {0};
    ptx_module *m = NULL;
    code_image *image = NULL;
    code_linker linker = {.user = &f, .place = place, .storage = mem_storage};
    if (ptx_parse(&m, "fuzz", (const char *)data, size, NULL) != LW_OK) return 0;
    must(mem_create(&f.memory, UINT64_C(64) << 20, NULL) == LW_OK);
    must(mem_alloc(f.memory, BUFFER_BYTES, 0, MEM_PINNED, 0, NULL, &f.buffer) == LW_OK);
    const ptx_module *modules[] = {m};
    if (code_link(&image, modules, 1, &linker, NULL) == LW_OK) {
        f.image = image;
        code_each_entry(image, each_entry, &f);
    }
    code_image_free(image);
    ptx_module_free(m);
    mem_destroy(f.memory);
    return 0;
}
