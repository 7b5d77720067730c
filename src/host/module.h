/* Modules: parts to linked code, variables in device memory (module.c). */
#ifndef LW_HOST_MODULE_H
#define LW_HOST_MODULE_H

#include "host/types.h"

/* What a module is made of: each part is PTX text, a fatbin container, a __fatBinC_Wrapper, or an ELF cubin/relocatable
 * (cubins carry no PTX and are named as such). Parts are linked together (-rdc, cuLink*). bytes 0: unknown, taken from
 * the data. The data of parts may go away after the call. */
typedef struct host_part {
    const char *name; /* for messages; NULL: "module" */
    const void *data;
    size_t bytes;
} host_part;

/* Parses and links at once. HOST_NO_KERNEL_IMAGE_FOR_DEVICE (no PTX usable on the device), HOST_INVALID_PTX,
 * HOST_INVALID_KERNEL_IMAGE, HOST_SYMBOL_NOT_FOUND / duplicates -> HOST_INVALID_PTX; error has the text for a JIT log.
 */
/* Caps the registers of kernels that are not yet decoded, as -maxrregcount does. 0: no cap. */
void host_module_cap_registers(host_module *module, uint32_t most);
host_error host_module_load(host_context *context, const host_part *parts, size_t part_count, host_module **out,
                            lw_error *error);
/* Like host_module_load, but only remembers the parts (which must stay); the work is done by host_module_need(). */
host_module *host_module_declare(host_context *context, const void *fatbin_wrapper);
/* Parses and links a declared module if that was not done yet; prints the reason of a failure once. */
host_error host_module_need(host_module *module);
/* The variable `name` of a declared module lives in the program's own memory at home, which both may read and write: a
 * __managed__ variable as clang compiles it. To be said before the module is needed, which writes its first value there. */
void host_module_home(host_module *module, const char *name, void *home);
/* Waits for all work, frees the module, its kernels and variables. */
host_error host_module_unload(host_context *context, host_module *module);
/* HOST_SYMBOL_NOT_FOUND. Kernels are owned by the module; equal names give the equal pointer. */
host_error host_module_kernel(host_module *module, const char *name, host_kernel **out);
/* The kernel at an address that device code of the module took; NULL: none is there. */
host_kernel *host_module_kernel_at(host_module *module, uint64_t address);
host_error host_module_symbol(host_module *module, const char *name, uint64_t *out_address, uint64_t *out_bytes);
/* Of several devices: the same code, with variables of its own, for another one; a kernel of it. What belongs to one
 * context (host_module_of_context) stays as it is. */
host_error host_module_on(host_module *module, uint32_t device, host_module **out);
host_error host_kernel_on(host_kernel *kernel, uint32_t device, host_kernel **out);
void host_module_of_context(host_module *module);
size_t host_module_kernel_count(host_module *module);
host_error host_module_kernels(host_module *module, host_kernel **out, size_t capacity);
bool host_kernel_valid(host_context *context, const host_kernel *kernel);
bool host_module_valid(host_context *context, const host_module *module);

/* fatbin_select_ptx for the context's device. Devices that toolkits compile no more for take PTX of
 * FATBIN_OLDEST_TARGET too, with a note. */
struct fatbin_entry;
lw_status host_select_ptx(host_context *context, lw_span image, lw_arena *arena, lw_span *out_text,
                          struct fatbin_entry *out_entry, lw_error *error);

#endif
