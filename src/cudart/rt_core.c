/* The runtime face's foundations: threads and last errors, the error calls, unsupported calls, versions. */

#include "cudart/cudart.h"

rt_thread *rt_thread_get(void)
{
    host_thread *t = host_thread_get(host_get());
    if (!t->runtime) t->runtime = lw_alloc(sizeof(rt_thread));
    return t->runtime;
}

int rt_end_call(host_error error, const char *function)
{
    if (error) rt_thread_get()->last_error = error;
    face_end(&rt_book, function, error);
    return error;
}

host_error rt_unsupported(const char *name) { return face_unsupported("", name, RT_NOT_SUPPORTED); }

RT(cudaGetLastError)(void)
{
    rt_thread *t = rt_thread_get();
    int error = t->last_error;
    t->last_error = 0;
    if (error) host_failures_read_thread(host_get(), host_thread_get(host_get())->id);
    return error;
}

RT(cudaPeekAtLastError)(void)
{
    int error = rt_thread_get()->last_error;
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
