/* The options of the JIT compiler, read once per call, and the logs that answer them. There is no compiler behind them:
 * PTX is parsed, and what goes wrong is written to the logs that a program gives. Of the options that steer code
 * generation only the cap on registers has an effect. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"
#include "device/profile.h"

void cu_jit_begin(cu_jit *jit, uint32_t count, const int *options, void **values)
{
    *jit = (cu_jit){options && values ? count : 0, options, values, lw_now()};
}

static void **jit_value(const cu_jit *jit, int option)
{
    for (uint32_t i = 0; i < jit->count; i++)
        if (jit->options[i] == option) return &jit->values[i];
    return NULL;
}

uint32_t cu_jit_max_registers(const cu_jit *jit)
{
    void **most = jit_value(jit, CU_JIT_MAX_REGISTERS);
    return most ? (uint32_t)(uintptr_t)*most : 0;
}

/* Writes a log into the program's buffer and its length, without the NUL, into the size option. */
static void fill_log(const cu_jit *jit, int log, int log_size, const char *text)
{
    void **buffer = jit_value(jit, log);
    void **size = jit_value(jit, log_size);
    if (!size) return;
    size_t room = (uint32_t)(uintptr_t)*size;
    size_t length = strlen(text);
    if (!buffer || !*buffer || !room) {
        *size = NULL;
        return;
    }
    length = LW_MIN(length, room - 1);
    memcpy(*buffer, text, length);
    ((char *)*buffer)[length] = 0;
    *size = (void *)(uintptr_t)length;
}

static void describe_kernels(host_module *module, lw_text *out)
{
    size_t count = host_module_kernel_count(module);
    host_kernel **kernels = lw_alloc((count + 1) * sizeof *kernels);
    host_module_kernels(module, kernels, count);
    for (size_t i = 0; i < count; i++) {
        host_kernel_info info;
        if (!host_kernel_query(kernels[i], &info))
            lw_text_add(out, "info    : entry function '%s': %d registers%s, %llu bytes smem\n", info.name,
                        info.registers, info.registers_estimated ? " (estimated)" : "",
                        (unsigned long long)info.static_shared_bytes);
    }
    free(kernels);
}

void cu_jit_end(const cu_jit *jit, host_module *module, const lw_error *error)
{
    lw_text info = {0};
    lw_text bad = {0};
    void **verbose = jit_value(jit, CU_JIT_LOG_VERBOSE);
    void **wall = jit_value(jit, CU_JIT_WALL_TIME);
    if (module && verbose && *verbose) describe_kernels(module, &info);
    if (error && error->status) lw_text_add(&bad, "error   : %s\n", error->message);
    fill_log(jit, CU_JIT_INFO_LOG, CU_JIT_INFO_LOG_SIZE, info.data ? info.data : "");
    fill_log(jit, CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_SIZE, bad.data ? bad.data : "");
    if (wall) {
        float milliseconds = (float)((lw_now() - jit->started) * 1e3);
        *wall = NULL;
        memcpy(wall, &milliseconds, sizeof milliseconds);
    }
    lw_text_free(&info);
    lw_text_free(&bad);
}

void cu_note_no_ptx(const lw_error *error)
{
    host_note(host_get(), "%s; a program that compiles at run time must ask for PTX (compute_%u), not for machine code",
              error->message, (unsigned)host_device(host_get())->cc);
}
