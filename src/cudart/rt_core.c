/* The runtime face's foundations: threads and last errors, the error calls, unsupported calls, versions. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "cudart/cudart.h"

rt_thread *rt_thread_get(void)
{
    host_thread *t = host_thread_get(host_get());
    if (!t->runtime) t->runtime = lw_alloc(sizeof(rt_thread));
    return t->runtime;
}

/* ---------------------------------------------------------------- last errors */
enum { MOST_DOORS = 256 };
static const void *_Atomic doors[MOST_DOORS]; /* where the objects lie that hold a door */
static _Atomic uint32_t door_count;
static _Atomic bool shared; /* one of them is the shared library */

void rt_add_instance(const void *door)
{
    Dl_info info;
    if (!dladdr(door, &info)) return;
    if (strstr(info.dli_fname, "libcudart.so")) atomic_store(&shared, true);
    uint32_t n = atomic_fetch_add(&door_count, 1);
    if (n < MOST_DOORS) atomic_store(&doors[n], info.dli_fbase);
}

/* The instance that the caller belongs to: the only one that there is, or the one in its object. NULL: the shared library, or not
 * known, as a function that ends in a jump to the runtime leaves its own caller's address. */
static const void *instance_of(const void *caller)
{
    Dl_info info;
    uint32_t known = LW_MIN(atomic_load(&door_count), (uint32_t)MOST_DOORS);
    if (known == 1) return atomic_load(&doors[0]);
    if (!known || !dladdr(caller, &info)) return NULL;
    for (uint32_t n = 0; n < known; n++)
        if (atomic_load(&doors[n]) == info.dli_fbase) return info.dli_fbase;
    return NULL;
}

static int *last_error(rt_thread *t, const void *instance)
{
    uint32_t i = 0;
    while (i < t->last_count && t->last[i].instance != instance) i++;
    if (i == RT_INSTANCES) i--; /* more than there is room for: the last ones share */
    else if (i == t->last_count) t->last[t->last_count++] = (rt_last){instance, 0};
    return &t->last[i].error;
}

/* What a caller sees as the last error: its instance's; else one whose instance is not known; who is not known himself sees all. */
static int *seen_error(rt_thread *t, const void *caller)
{
    const void *instance = instance_of(caller);
    int *last = last_error(t, instance);
    if (*last || atomic_load(&shared)) return last;
    if (instance) return last_error(t, NULL);
    for (uint32_t i = 0; !*last && i < t->last_count; i++) last = &t->last[i].error;
    return last;
}

static int take_last_error(rt_thread *t, const void *caller)
{
    int *last = seen_error(t, caller), error = *last;
    *last = 0;
    t->failed = false;
    for (uint32_t i = 0; i < t->last_count; i++) t->failed |= t->last[i].error != 0;
    return error;
}

int rt_end_call(host_error error, const char *function, const void *caller)
{
    if (error) {
        rt_thread *t = rt_thread_get();
        *last_error(t, instance_of(caller)) = error;
        t->failed = true;
    }
    face_end(&rt_book, function, error);
    return error;
}

host_error rt_unsupported(const char *name) { return face_unsupported("", name, RT_NOT_SUPPORTED); }

RT(cudaGetLastError)(void)
{
    rt_thread *t = rt_thread_get();
    int error = t->failed ? take_last_error(t, __builtin_return_address(0)) : 0;
    if (error) host_failures_read_thread(host_get(), host_thread_get(host_get())->id);
    return error;
}

RT(cudaPeekAtLastError)(void)
{
    rt_thread *t = rt_thread_get();
    int error = t->failed ? *seen_error(t, __builtin_return_address(0)) : 0;
    if (error) host_failures_read_thread(host_get(), host_thread_get(host_get())->id);
    return error;
}

const char *lw_cudart_cudaGetErrorName(int error)
{
    const host_error_desc *row = host_error_find(error);
    if (error) host_failures_read_error(host_get(), error);
    return row ? row->runtime_name : "unrecognized error code";
}

const char *lw_cudart_cudaGetErrorString(int error)
{
    const host_error_desc *row = host_error_find(error);
    if (error) host_failures_read_error(host_get(), error);
    return row ? row->text : "unrecognized error code";
}

RT(cudaRuntimeGetVersion)(int *version)
{
    if (!version) return rt_end(HOST_INVALID_VALUE);
    *version = FACE_VERSION;
    return rt_end(0);
}

/* Driver functions are handed out by the driver face, when the library was built with it. */
void *lw_cuda_find_function(const char *name, int version, uint64_t flags) __attribute__((weak));

static host_error driver_entry(const char *symbol, void **out, uint32_t version, uint64_t flags, int *result)
{
    enum { FOUND = 0, NOT_FOUND = 1 };
    if (!symbol || !out) return HOST_INVALID_VALUE;
    *out = lw_cuda_find_function ? lw_cuda_find_function(symbol, (int)version, flags) : NULL;
    if (result) *result = *out ? FOUND : NOT_FOUND;
    return *out || result ? 0 : HOST_SYMBOL_NOT_FOUND;
}

RT(cudaGetDriverEntryPoint)(const char *symbol, void **out, unsigned long long flags, int *result)
{
    return rt_end(driver_entry(symbol, out, FACE_VERSION, flags, result));
}

RT(cudaGetDriverEntryPoint_ptsz)(const char *symbol, void **out, unsigned long long flags, int *result)
{
    return rt_end(driver_entry(symbol, out, FACE_VERSION, flags | 2, result));
}

RT(cudaGetDriverEntryPointByVersion)
(const char *symbol, void **out, unsigned version, unsigned long long flags, int *result)
{
    return rt_end(driver_entry(symbol, out, version, flags, result));
}

RT(cudaGetDriverEntryPointByVersion_ptsz)(const char *symbol, void **out, unsigned version, unsigned long long flags,
                                          int *result)
{
    return rt_end(driver_entry(symbol, out, version, flags | 2, result));
}
