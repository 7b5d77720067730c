/* The end of what a program made in the context: cudaDeviceReset, a context that is opened again with other options, and
 * the end of the process. Stands above all other files of the room. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/array_priv.h"
#include "host/clients_priv.h"
#include "host/context_priv.h"
#include "host/devices.h"
#include "host/emit_priv.h"
#include "host/graph_priv.h"
#include "host/ipc_priv.h"
#include "host/launch_priv.h"
#include "host/leak_priv.h"
#include "host/managed_priv.h"
#include "host/module_priv.h"
#include "host/queue_priv.h"
#include "host/results_priv.h"
#include "host/services_priv.h"
#include "host/surface_priv.h"
#include "host/settings_priv.h"
#include "host/state_priv.h"
#include "host/unwaited_priv.h"
#include "host/stream_priv.h"
#include "host/virtual.h"

static void free_program_memory(void *user, const mem_allocation *a)
{
    host_context *c = user;
    if (a->kind == MEM_REGISTERED) {
        mem_unregister(c->memory, a->address);
    } else if (a->kind == MEM_DEVICE || a->kind == MEM_MANAGED || a->kind == MEM_PINNED) {
        if (!a->name[0] && !a->mapped) mem_free(c->memory, a->address); /* named ones are __managed__ variables */
    }
}

/* Variables of modules are told by their modules. */
static void tell_freed(void *user, const mem_allocation *a)
{
    host_context *c = user;
    if (a->kind == MEM_REGISTERED) host_emit_unregister(c, a->address);
    else if (host_graph_owns(a)) host_graph_memory_end(c, a->address, NULL);
    else if (a->mapped) return; /* told when it is unmapped */
    else if (a->kind == MEM_DEVICE || a->kind == MEM_PINNED || (a->kind == MEM_MANAGED && !a->name[0]))
        host_emit_free(c, a->address, NULL);
}

/* What ends with the device, for clients of events. */
static void tell_end(host_context *c)
{
    mem_each(c->memory, tell_freed, c);
    for (uint32_t d = 0; d < host_device_count(c); d++) host_heap_tell_end(c, d);
    for (host_module *m = c->modules->first; m; m = m->next) host_module_tell_end(m);
}

static void tell_new(host_context *c)
{
    for (host_module *m = c->modules->first; m; m = m->next)
        if (m->tried && !m->error) host_module_tell_variables(m);
}

host_error host_reset(host_context *c)
{
    if (c->init_error) return c->init_error;
    host_queue_synchronize(c);
    host_print_flush(c);
    host_leaks_report(c);
    tell_end(c);
    host_ipc_free_all(c);
    host_lock(c);
    host_graph_execs_free(c);
    host_graphs_free(c);
    host_streams_free(c);
    host_textures_free(c);
    host_surfaces_free(c);
    host_hints_free(c);
    for (uint32_t d = 0; d < HOST_DEVICES_MOST; d++) host_heap_destroy(c, d), host_settings_default(c, d);
    host_arrays_free(c);
    mem_each(c->memory, free_program_memory, c);
    for (host_module *m = c->modules->first; m; m = m->next) host_module_reset(m);
    host_launches_reset(c);
    for (uint32_t d = 0; d < HOST_DEVICES_MOST; d++) c->peers[d] = 0, atomic_store(&c->sticky[d], 0);
    atomic_store(&c->told, 0);
    atomic_store(&c->gone, 0);
    host_unlock(c);
    tell_new(c);
    return 0;
}

typedef struct device_visit {
    host_context *context;
    uint32_t device;
} device_visit;

static void end_of_device(void *user, const mem_allocation *a)
{
    device_visit *v = user;
    if (a->device == v->device) free_program_memory(v->context, a);
}

static void tell_end_of_device(void *user, const mem_allocation *a)
{
    device_visit *v = user;
    if (a->device == v->device) tell_freed(v->context, a);
}

host_error host_reset_device(host_context *c, uint32_t device)
{
    if (host_device_count(c) == 1) return host_reset(c);
    if (c->init_error) return c->init_error;
    device_visit visit = {c, device};
    host_queue_synchronize(c);
    host_print_flush(c);
    for (host_module *m = c->modules->first; m; m = m->next)
        if (m->device == device) host_module_tell_end(m);
    mem_each(c->memory, tell_end_of_device, &visit);
    host_heap_tell_end(c, device);
    host_lock(c);
    host_streams_free_device(c, device);
    host_peers_forget(c, device);
    mem_each(c->memory, end_of_device, &visit);
    for (host_module *m = c->modules->first; m; m = m->next)
        if (m->device == device) host_module_reset(m);
    host_heap_destroy(c, device);
    host_settings_default(c, device);
    if (atomic_load(&c->told)) atomic_fetch_or(&c->gone, 1u << device);
    atomic_store(&c->sticky[device], 0);
    host_unlock(c);
    tell_new(c);
    return 0;
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool same_device(const host_options *a, const host_options *b)
{
    return same_text(a->device, b->device) && LW_MAX(a->devices, 1u) == LW_MAX(b->devices, 1u) &&
           a->memory_bytes == b->memory_bytes;
}

static void forget_device(host_context *c)
{
    host_virtual_free_all(c);
    mem_destroy(c->memory);
    free((void *)c->device);
    c->memory = NULL;
    c->device = NULL;
}

static bool same_checks(const check_options *a, const check_options *b)
{
    return a->set == b->set && a->init_at_load == b->init_at_load;
}

/* Kernels are decoded for one device, and variables lie in its memory: modules do not survive another one. */
static host_error context_change(host_context *c, const host_options *options)
{
    bool other_device = c->init_error || !same_device(&c->options, options);
    bool other_checks = !same_checks(&c->options.checks, &options->checks);
    bool other_results = other_device || other_checks || !same_text(c->options.results, options->results);
    if (other_device && c->modules->first) return HOST_ILLEGAL_STATE;
    if (other_device && !c->init_error) host_reset(c);
    host_queue_drain(c);
    host_print_flush(c);
    host_lock(c);
    if (other_results) host_clients_end(c); /* what they tell once is told once in each */
    host_options old = c->options;
    c->options = host_options_copy(options);
    if (other_results) host_context_begin_clients(c);
    if (other_results) host_results_close(c);
    host_selection_set(c);
    if (other_device) {
        forget_device(c);
        host_context_set_device(c);
    }
    if (other_results) host_results_open(c);
    if (c->results->log) host_watch_interrupts();
    host_options_free(&old);
    host_unlock(c);
    return 0;
}

host_error host_open(const host_options *options, host_context **out)
{
    bool made;
    host_context *c = *out = host_context_make(options, &made);
    host_error error = made ? 0 : context_change(c, options);
    return error ? error : host_status(c);
}

/* The library goes with the process: finish what was launched and say goodbye to the results file. */
__attribute__((destructor)) static void context_goodbye(void)
{
    host_context *c = host_context_current();
    if (!c || c->pid != getpid()) return;
    host_queue_drain(c);
    if (!host_print_report(c)) host_unwaited_report(c);
    host_print_flush(c);
    host_leaks_report(c);
    host_clients_end(c);
    host_results_close(c);
}
