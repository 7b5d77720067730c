/* Modules: parts (PTX text, fatbins, registration wrappers) -> PTX for the device -> parsed, linked, variables placed
 * in device memory. Programs of the runtime API declare their fatbins at start; the work is done at the first use of
 * one of their kernels or variables. */
#define _GNU_SOURCE /* program_invocation_name, dladdr */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "device/profile.h"
#include "fatbin/fatbin.h"
#include "host/devices.h"
#include "host/emit_priv.h"
#include "host/handle_priv.h"
#include "host/kernel_priv.h"
#include "host/module_priv.h"
#include "host/queue_priv.h"
#include "host/state_priv.h"
#include "host/unwaited_priv.h"
#include "model/model.h"

bool host_module_valid(host_context *c, const host_module *m) { return host_handle_is(c, m, HOST_T_MODULE); }

void host_modules_forked(host_context *c) { pthread_mutex_init(&c->modules->telling, NULL); }

static host_module *module_create(host_context *c)
{
    host_module *m = lw_alloc(sizeof *m);
    m->context = c;
    host_lock(c);
    m->next = c->modules->first;
    c->modules->first = m;
    m->number = ++c->modules->made;
    host_unlock(c);
    host_handle_add(c, m, HOST_T_MODULE);
    return m;
}

host_module *host_module_declare(host_context *c, const void *wrapper)
{
    host_module *m = module_create(c);
    m->wrapper = wrapper;
    return m;
}

static host_error from_status(lw_status status)
{
    switch (status) {
    case LW_OK: return 0;
    case LW_NO_MEMORY: return HOST_MEMORY_ALLOCATION;
    case LW_NO_PTX: return HOST_NO_KERNEL_IMAGE_FOR_DEVICE;
    case LW_SYNTAX: return HOST_INVALID_PTX;
    case LW_UNSUPPORTED: return HOST_UNSUPPORTED_PTX_VERSION;
    case LW_CORRUPT:
    case LW_INVALID_ARGUMENT: return HOST_INVALID_KERNEL_IMAGE;
    default: return HOST_INVALID_PTX;
    }
}

/* What reports call PTX that has no line information: the file it came from, else the program. */
static const char *module_name(host_module *m, const struct fatbin_entry *e, const char *given)
{
    if (given) return lw_arena_strdup(&m->arena, given);
    if (e->file_name.size) return lw_arena_strndup(&m->arena, (const char *)e->file_name.data, e->file_name.size);
    if (m->number == 1 && !m->parts.count) return lw_arena_printf(&m->arena, "%s.ptx", program_invocation_short_name);
    return lw_arena_printf(&m->arena, "%s.%u.%zu.ptx", program_invocation_short_name, m->number, m->parts.count + 1);
}

/* Bytes that are none of the kinds of image there are count as a broken image: what PTX asks for that is not supported
 * is another thing. */
static lw_status as_broken(lw_status status) { return status == LW_UNSUPPORTED ? LW_CORRUPT : status; }

static lw_status read_images(host_module *m, const void *data, struct fatbin_memory *out, lw_error *error)
{
    return as_broken(fatbin_from_memory(data, &m->arena, out, error));
}

void host_module_cap_registers(host_module *m, uint32_t most)
{
    if (most && (!m->max_registers || most < m->max_registers)) m->max_registers = most;
}

/* " -maxrregcount=32 --generate-line-info ": the assembler's options as containers keep them. */
static void read_options(host_module *m, lw_span options)
{
    static const char key[] = "-maxrregcount=";
    char text[256];
    size_t n = LW_MIN(options.size, sizeof text - 1);
    if (n) memcpy(text, options.data, n);
    text[n] = 0;
    const char *at = strstr(text, key);
    if (at) host_module_cap_registers(m, (uint32_t)strtoul(at + sizeof key - 1, NULL, 10));
    if (strstr(text, "-dlcm=cg")) m->global_l1 = MODEL_L1_UNCACHED;
    if (strstr(text, "-dlcm=ca")) m->global_l1 = MODEL_L1_CACHED;
}

lw_status host_select_ptx(host_context *c, lw_span image, lw_arena *arena, lw_span *out_text,
                          struct fatbin_entry *out_entry, lw_error *error)
{
    uint32_t cc = c->device->cc;
    struct fatbin_entry entry;
    lw_error newer = {0};
    if (cc >= FATBIN_OLDEST_TARGET) return fatbin_select_ptx(image, cc, true, arena, out_text, out_entry, error);
    lw_status status = fatbin_select_ptx(image, cc, true, arena, out_text, &entry, error);
    if (status == LW_NO_PTX && !fatbin_select_ptx(image, FATBIN_OLDEST_TARGET, true, arena, out_text, &entry, &newer)) {
        if (error) *error = (lw_error){0};
        status = LW_OK;
        host_note(c, "the code was compiled for compute capability %u.%u; memory is counted by the rules of %u.%u",
                  entry.sm / 10, entry.sm % 10, cc / 10, cc % 10);
    }
    if (!status && out_entry) *out_entry = entry;
    return status;
}

/* One image: choose its PTX and parse it. */
static lw_status add_image(host_module *m, lw_span image, const char *given_name, lw_error *error)
{
    lw_span text;
    struct fatbin_entry entry;
    LW_TRY(as_broken(host_select_ptx(m->context, image, &m->arena, &text, &entry, error)));
    ptx_module *parsed;
    LW_TRY(ptx_parse(&parsed, module_name(m, &entry, given_name), (const char *)text.data, text.size, error));
    lw_vec_push(&m->parts, parsed);
    lw_vec_push(&m->images, image);
    read_options(m, entry.options);
    return LW_OK;
}

/* Of several images (-rdc: one per translation unit, and NVIDIA's device runtime library) those without PTX for the
 * device are left out; what they should have defined is named when the rest is linked. */
static lw_status add_memory(host_module *m, const void *data, const char *name, lw_error *error)
{
    struct fatbin_memory memory;
    LW_TRY(read_images(m, data, &memory, error));
    if (memory.linked.size) lw_vec_push(&m->images, memory.linked);
    m->relocatable = memory.linked.size != 0;
    lw_error missing = {0};
    for (size_t i = 0; i < memory.count; i++) {
        lw_error one = {0};
        lw_status status = add_image(m, memory.images[i], name, &one);
        if (status && status != LW_NO_PTX) return lw_fail(error, status, "%s", one.message);
        if (status) lw_fail(&missing, status, "%s", one.message);
    }
    if (!m->parts.count && missing.status) return lw_fail(error, missing.status, "%s", missing.message);
    return LW_OK;
}

void host_module_home(host_module *m, const char *name, void *home)
{
    host_home entry = {name, home};
    host_lock(m->context);
    lw_vec_push(&m->homes, entry);
    host_unlock(m->context);
}

static void *home_of(const host_module *m, const char *name)
{
    for (size_t i = 0; i < m->homes.count; i++)
        if (!strcmp(m->homes.items[i].name, name)) return m->homes.items[i].at;
    return NULL;
}

/* The program's own memory becomes the device's. */
static lw_status place_at_home(host_module *m, const ptx_variable *v, void *home, uint64_t *out, lw_error *error)
{
    host_variable placed = {.address = (uint64_t)(uintptr_t)home, .bytes = v->bytes, .at_home = true};
    if (mem_register(m->context->memory, placed.address, v->bytes, 0))
        return lw_fail(error, LW_INVALID_ARGUMENT, "the managed variable '%s' lies in registered memory", v->name);
    placed.initialised = v->init || v->address_count;
    lw_vec_push(&m->variables, placed);
    *out = placed.address;
    return LW_OK;
}

static lw_status place_variable(void *user, const ptx_variable *v, uint64_t *out, lw_error *error)
{
    host_module *m = user;
    void *home = home_of(m->origin ? m->origin : m, v->name);
    if (home && m->origin) {
        *out = (uint64_t)(uintptr_t)home;
        return LW_OK;
    }
    if (home) return place_at_home(m, v, home, out, error);
    code_symbol shared;
    if (m->origin && v->managed && code_find_symbol(m->origin->image, v->name, &shared)) {
        *out = shared.address;
        return LW_OK;
    }
    mem_kind kind = v->managed ? MEM_MANAGED : v->space == PTX_CONST ? MEM_CONST_VAR : MEM_GLOBAL_VAR;
    lw_status status = mem_alloc_on(m->context->memory, m->device, v->bytes, v->alignment, kind, 0, v->name, out);
    if (status)
        return lw_fail(error, status, "no device memory for the variable '%s' (%llu bytes)", v->name,
                       (unsigned long long)v->bytes);
    if (v->space == PTX_CONST) m->constant_bytes += v->bytes;
    lw_vec_push(&m->variables,
                ((host_variable){.address = *out, .bytes = v->bytes, .initialised = v->init || v->address_count}));
    return LW_OK;
}

/* Of another device's copy of the code, which may have written to it. */
static bool holds(void *user, uint64_t address)
{
    const host_module *m = user;
    for (size_t i = 0; i < m->variables.count && m->origin; i++)
        if (m->variables.items[i].address == address) return false;
    return m->origin != NULL;
}

/* Keeps the initial contents of variables that have any, for host_module_reset(). */
static void keep_initial(host_module *m)
{
    for (size_t i = 0; i < m->variables.count; i++) {
        host_variable *v = &m->variables.items[i];
        if (!v->initialised || !v->bytes) continue;
        v->initial = lw_arena_alloc(&m->arena, v->bytes);
        memcpy(v->initial, mem_storage(v->address), v->bytes);
    }
}

static lw_status module_link(host_module *m, lw_error *error)
{
    code_linker linker = {.user = m, .place = place_variable, .holds = holds, .storage = mem_storage};
    const ptx_module *const *parts = (const ptx_module *const *)m->parts.items;
    LW_TRY(code_link(&m->image, parts, m->parts.count, &linker, error));
    keep_initial(m);
    return LW_OK;
}

/* The code of a module for another device: what was parsed is shared. */
static host_module *module_for(host_module *origin, uint32_t device)
{
    host_module *m = module_create(origin->context);
    m->origin = origin;
    m->device = device;
    m->tried = true;
    m->built = origin->built;
    m->global_l1 = origin->global_l1;
    m->relocatable = origin->relocatable;
    m->max_registers = origin->max_registers;
    for (size_t i = 0; i < origin->parts.count; i++) lw_vec_push(&m->parts, origin->parts.items[i]);
    for (size_t i = 0; i < origin->images.count; i++) lw_vec_push(&m->images, origin->images.items[i]);
    lw_error error = {0};
    m->error = from_status(module_link(m, &error));
    if (m->error) host_note(m->context, "%s", error.message);
    return m;
}

host_error host_module_on(host_module *m, uint32_t device, host_module **out)
{
    host_module *origin = m->origin ? m->origin : m;
    host_error error = host_module_need(origin);
    *out = m;
    if (error || m->device == device || m->of_context) return error;
    *out = origin;
    if (origin->device == device) return 0;
    host_lock(m->context);
    if (!origin->on[device]) origin->on[device] = module_for(origin, device);
    *out = origin->on[device];
    host_unlock(m->context);
    if (!(*out)->error) host_module_tell_variables(*out);
    return (*out)->error;
}

void host_module_of_context(host_module *m) { m->of_context = true; }

host_error host_kernel_on(host_kernel *k, uint32_t device, host_kernel **out)
{
    host_module *m;
    *out = k;
    if (k->module->device == device) return 0;
    host_error error = host_module_on(k->module, device, &m);
    return error || m == k->module ? error : host_module_kernel(m, k->name, out);
}

/* When the program or shared library that holds the data was written; 0: not known. */
static int64_t written(const void *data)
{
    Dl_info found;
    struct stat st;
    if (!dladdr(data, &found) || !found.dli_fname) return 0;
    bool program = !strcmp(found.dli_fname, program_invocation_name); /* as it was called: no path from here */
    return stat(program ? "/proc/self/exe" : found.dli_fname, &st) ? 0 : (int64_t)st.st_mtime;
}

host_error host_module_need(host_module *m)
{
    host_context *c = m->context;
    if (c->init_error) return c->init_error;
    host_lock(c);
    if (!m->tried) {
        m->tried = true;
        m->built = written(m->wrapper);
        lw_error error = {0};
        lw_status status = add_memory(m, m->wrapper, NULL, &error);
        if (!status) status = module_link(m, &error);
        m->error = from_status(status);
        if (status) host_note(c, "%s", error.message);
    }
    host_unlock(c);
    if (!m->error) host_module_tell_variables(m);
    return m->error;
}

static void free_variable(host_module *m, const host_variable *v)
{
    if (v->at_home) mem_unregister(m->context->memory, v->address);
    else mem_free(m->context->memory, v->address);
}

static void module_free(host_module *m)
{
    for (size_t i = 0; i < m->kernels.count; i++) host_kernel_free(m->kernels.items[i]);
    code_image_free(m->image);
    for (size_t i = 0; i < m->variables.count; i++) free_variable(m, &m->variables.items[i]);
    for (size_t i = 0; i < m->parts.count && !m->origin; i++) ptx_module_free(m->parts.items[i]);
    lw_vec_free(&m->kernels);
    lw_vec_free(&m->variables);
    lw_vec_free(&m->homes);
    lw_vec_free(&m->parts);
    lw_vec_free(&m->images);
    lw_arena_free(&m->arena);
    free(m);
}

static void module_unlist(host_module *m)
{
    host_context *c = m->context;
    host_handle_remove(c, m);
    host_lock(c);
    host_module **at = &c->modules->first;
    while (*at && *at != m) at = &(*at)->next;
    if (*at) *at = m->next;
    host_unlock(c);
}

host_error host_module_unload(host_context *c, host_module *m)
{
    if (!host_module_valid(c, m)) return HOST_INVALID_RESOURCE_HANDLE;
    uint64_t known = host_unwaited_known(c);
    host_queue_synchronize(c);
    host_unwaited_forget_wait(c, known); /* it is not the program's: a program that ends unloads what it has */
    for (uint32_t d = 0; d < HOST_DEVICES_MOST; d++)
        if (m->on[d]) host_module_unload(c, m->on[d]);
    module_unlist(m);
    host_module_tell_end(m);
    module_free(m);
    return 0;
}

static bool looks_like_text(const uint8_t *p, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && (p[i] == ' ' || p[i] == '\t' || p[i] == '\n' || p[i] == '\r')) i++;
    return i < bytes && (p[i] == '/' || p[i] == '.');
}

/* Data of known size is kept as a copy (the caller's may go away); wrappers and unsized data are copied piecemeal. */
static lw_status add_part(host_module *m, const host_part *part, lw_error *error)
{
    const char *name = part->name;
    if (!part->data) return lw_fail(error, LW_INVALID_ARGUMENT, "no module data");
    if (!part->bytes) {
        struct fatbin_memory memory;
        LW_TRY(read_images(m, part->data, &memory, error));
        for (size_t i = 0; i < memory.count; i++) {
            host_part sized = {name, memory.images[i].data, memory.images[i].size};
            LW_TRY(add_part(m, &sized, error));
        }
        return LW_OK;
    }
    uint8_t *copy = lw_arena_alloc(&m->arena, part->bytes + 1);
    memcpy(copy, part->data, part->bytes);
    if (looks_like_text(copy, part->bytes)) {
        ptx_module *parsed;
        size_t bytes = strnlen((const char *)copy, part->bytes);
        LW_TRY(ptx_parse(&parsed, lw_arena_strdup(&m->arena, name ? name : "module.ptx"), (const char *)copy, bytes,
                         error));
        lw_vec_push(&m->parts, parsed);
        return LW_OK;
    }
    return add_image(m, lw_span_of(copy, part->bytes), name, error);
}

host_error host_module_load(host_context *c, const host_part *parts, size_t count, host_module **out, lw_error *error)
{
    if (!out || !parts || !count) return HOST_INVALID_VALUE;
    host_error status = host_status(c);
    if (status) return status;
    lw_error local = {0};
    if (!error) error = &local;
    host_module *m = module_create(c);
    m->tried = true;
    m->device = host_device_current(c);
    host_lock(c);
    lw_status done = LW_OK;
    for (size_t i = 0; i < count && !done; i++) done = add_part(m, &parts[i], error);
    if (!done) done = module_link(m, error);
    if (!done) done = code_check(m->image, error);
    host_unlock(c);
    if (done) {
        module_unlist(m);
        module_free(m);
        return from_status(done);
    }
    host_module_tell_variables(m);
    *out = m;
    return 0;
}

/* Whoever comes second waits until the first has told. */
void host_module_tell_variables(host_module *m)
{
    host_context *c = m->context;
    pthread_mutex_lock(&c->modules->telling);
    for (size_t i = 0; i < m->variables.count && !m->told; i++)
        host_emit_alloc(c, m->variables.items[i].address, m->variables.items[i].bytes, true, NULL);
    m->told = true;
    pthread_mutex_unlock(&c->modules->telling);
}

void host_module_tell_end(host_module *m)
{
    host_context *c = m->context;
    pthread_mutex_lock(&c->modules->telling);
    for (size_t i = 0; i < m->variables.count && m->told; i++)
        host_emit_free(c, m->variables.items[i].address, host_queue_place(c));
    m->told = false;
    pthread_mutex_unlock(&c->modules->telling);
}

void host_module_reset(host_module *m)
{
    for (size_t i = 0; i < m->variables.count; i++) {
        const host_variable *v = &m->variables.items[i];
        void *at = mem_storage(v->address);
        if (v->at_home) mem_register(m->context->memory, v->address, v->bytes, 0); /* the reset has ended that */
        if (v->initial) memcpy(at, v->initial, v->bytes);
        else memset(at, 0, v->bytes);
    }
}

/* ---- kernels and symbols by name ---- */
static host_kernel *kernel_of(host_module *m, const ptx_function *entry)
{
    for (size_t i = 0; i < m->kernels.count; i++)
        if (m->kernels.items[i]->entry == entry) return m->kernels.items[i];
    host_kernel *k = lw_alloc(sizeof *k);
    *k = (host_kernel){.module = m, .name = entry->name, .entry = entry, .max_dynamic_shared = -1, .carveout = -1};
    lw_vec_push(&m->kernels, k);
    host_handle_add(m->context, k, HOST_T_KERNEL);
    return k;
}

host_error host_module_kernel(host_module *m, const char *name, host_kernel **out)
{
    if (!name || !out) return HOST_INVALID_VALUE;
    host_error error = host_module_need(m);
    if (error) return error;
    const ptx_function *entry = code_find_entry(m->image, name);
    if (!entry) return HOST_SYMBOL_NOT_FOUND;
    host_lock(m->context);
    *out = kernel_of(m, entry);
    host_unlock(m->context);
    return 0;
}

host_kernel *host_module_kernel_at(host_module *m, uint64_t address)
{
    const ptx_function *entry = code_entry_at(m->image, address);
    if (!entry) return NULL;
    host_lock(m->context);
    host_kernel *k = kernel_of(m, entry);
    host_unlock(m->context);
    return k;
}

host_error host_module_symbol(host_module *m, const char *name, uint64_t *out_address, uint64_t *out_bytes)
{
    if (!name) return HOST_INVALID_VALUE;
    host_error error = host_module_need(m);
    if (error) return error;
    code_symbol symbol;
    if (!code_find_symbol(m->image, name, &symbol)) return HOST_SYMBOL_NOT_FOUND;
    if (out_address) *out_address = symbol.address;
    if (out_bytes) *out_bytes = symbol.bytes;
    return 0;
}

typedef struct kernel_list {
    host_module *module;
    host_kernel **out;
    size_t count, capacity;
} kernel_list;

static void list_kernel(void *user, const ptx_function *entry)
{
    kernel_list *list = user;
    if (list->out && list->count < list->capacity) list->out[list->count] = kernel_of(list->module, entry);
    list->count++;
}

size_t host_module_kernel_count(host_module *m)
{
    kernel_list list = {.module = m};
    if (host_module_need(m)) return 0;
    code_each_entry(m->image, list_kernel, &list);
    return list.count;
}

host_error host_module_kernels(host_module *m, host_kernel **out, size_t capacity)
{
    kernel_list list = {.module = m, .out = out, .capacity = capacity};
    host_error error = host_module_need(m);
    if (error) return error;
    host_lock(m->context);
    code_each_entry(m->image, list_kernel, &list);
    host_unlock(m->context);
    return 0;
}
