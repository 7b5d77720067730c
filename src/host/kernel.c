/* Kernels: decoded at their first launch or query, their attributes, and what the machine code beside the PTX says of
 * them. */
#include <stdlib.h>
#include <string.h>

#include "device/profile.h"
#include "exec/exec.h"
#include "fatbin/fatbin.h"
#include "host/clocks_priv.h"
#include "host/handle_priv.h"
#include "host/kernel_priv.h"
#include "host/module_priv.h"
#include "host/sites_priv.h"
#include "host/source_priv.h"
#include "host/state_priv.h"

_Static_assert(sizeof(code_accesses) == sizeof((struct fatbin_kernel_info){0}.accesses) &&
                   (int)CODE_OF_GENERIC == (int)FATBIN_GENERIC && (int)CODE_OF_GLOBAL == (int)FATBIN_GLOBAL &&
                   (int)CODE_OF_SHARED == (int)FATBIN_SHARED && (int)CODE_OF_LOCAL == (int)FATBIN_LOCAL &&
                   (int)CODE_LOADS == (int)FATBIN_LOADS && (int)CODE_STORES == (int)FATBIN_STORES,
               "code/ takes the numbers as fatbin/ has them");

bool host_kernel_valid(host_context *c, const host_kernel *k) { return host_handle_is(c, k, HOST_T_KERNEL); }

/* Registers and more of the machine code, if there is any for this device. */
static struct fatbin_kernel_info read_machine_code(host_kernel *k)
{
    struct fatbin_kernel_info info = {0};
    const host_module *m = k->module;
    for (size_t i = 0; i < m->images.count && !k->machine_registers; i++) {
        if (fatbin_kernel(m->images.items[i], m->context->device->cc, true, k->name, &info, NULL)) continue;
        k->machine_registers = (int)info.registers;
        k->machine_local = info.stack_bytes;
    }
    return info;
}

/* The frames of functions that a kernel reaches, from the same machine code. */
static void read_frames(void *user, code_frame *frames, size_t count)
{
    const host_kernel *k = user;
    const host_module *m = k->module;
    struct fatbin_frame *read = lw_alloc(count * sizeof *read);
    for (size_t f = 0; f < count; f++) read[f].function = frames[f].function;
    for (size_t i = 0; i < m->images.count && !read[0].found; i++)
        fatbin_frames(m->images.items[i], m->context->device->cc, true, k->name, read, count, NULL);
    for (size_t f = 0; f < count; f++)
        frames[f] = (code_frame){.function = read[f].function,
                                 .found = read[f].found,
                                 .plain = read[f].plain,
                                 .arrays = read[f].arrays,
                                 .saves = read[f].saves,
                                 .loads = read[f].loads};
    free(read);
}

host_error host_kernel_need(host_kernel *k)
{
    host_context *c = k->module->context;
    host_lock(c);
    if (!k->built) {
        k->built = true;
        lw_error error = {0};
        struct fatbin_kernel_info machine = read_machine_code(k);
        code_options options = {.count_ptx = c->options.count_ptx,
                                .stack_known = k->machine_registers != 0,
                                .stack_bytes = k->machine_local,
                                .accesses = k->machine_registers ? &machine.accesses : NULL,
                                .frames = k->machine_registers ? read_frames : NULL,
                                .user = k,
                                .relocatable = k->module->relocatable};
        lw_status status = code_kernel_build(&k->code, k->module->image, k->entry, &options, &error);
        if (status) {
            k->build_error = status == LW_NO_MEMORY ? HOST_MEMORY_ALLOCATION : HOST_NOT_SUPPORTED;
            host_note(c, "%s", error.message);
        } else {
            exec_prepare(k->code);
            if (c->options.time) host_set_clocks(c, k->code);
            uint32_t most = k->module->max_registers;
            if (most) k->code->registers = LW_MIN(k->code->registers, most);
        }
    }
    host_unlock(c);
    return k->build_error;
}

const char *host_kernel_demangled(host_kernel *k)
{
    host_lock(k->module->context);
    if (!k->demangled) k->demangled = host_demangle(k->name);
    host_unlock(k->module->context);
    return k->demangled;
}

void host_kernel_free(host_kernel *k)
{
    host_handle_remove(k->module->context, k);
    host_sites_free(k->sites);
    code_kernel_free(k->code);
    free(k->demangled);
    free(k->folds);
    free(k);
}

host_error host_kernel_param(host_kernel *k, size_t index, size_t *out_offset, size_t *out_bytes)
{
    host_error error = host_kernel_need(k);
    if (error) return error;
    if (index >= k->code->param_count) return HOST_INVALID_VALUE;
    if (out_offset) *out_offset = k->code->params[index].offset;
    if (out_bytes) *out_bytes = k->code->params[index].bytes;
    return 0;
}

/* Dynamic shared memory a launch may ask for. */
int host_kernel_max_dynamic(const host_kernel *k)
{
    if (k->max_dynamic_shared >= 0) return k->max_dynamic_shared;
    int plain = (int)k->module->context->device->shared_per_block - (int)k->code->static_shared_bytes;
    return LW_MAX(plain, 0);
}
