/* Launches, function attributes and occupancy. */
#include <stdlib.h>
#include <string.h>

#include "cudart/cudart.h"

unsigned lw_cudart___cudaPushCallConfiguration(rt_dim3 grid, rt_dim3 block, size_t shared, void *stream)
{
    rt_thread *t = rt_thread_get();
    if (t->call_count == RT_CALL_DEPTH) return 1;
    t->calls[t->call_count++] = (rt_call){grid, block, shared, stream};
    return 0;
}

RT(__cudaPopCallConfiguration)(rt_dim3 *grid, rt_dim3 *block, size_t *shared, void **stream)
{
    rt_thread *t = rt_thread_get();
    if (!t->call_count) return rt_end(HOST_MISSING_CONFIGURATION);
    const rt_call *call = &t->calls[--t->call_count];
    *grid = call->grid;
    *block = call->block;
    *shared = call->shared;
    *stream = call->stream;
    return 0;
}

host_launch_config rt_config(rt_dim3 grid, rt_dim3 block, size_t shared, host_stream *stream)
{
    return (host_launch_config){.grid = {grid.x, grid.y, grid.z},
                                .block = {block.x, block.y, block.z},
                                .dynamic_shared = shared,
                                .stream = stream};
}

static host_error launch(bool per_thread, const void *function, rt_dim3 grid, rt_dim3 block, void **args, size_t shared,
                         void *stream, bool cooperative)
{
    host_kernel *k;
    host_stream *s = rt_stream(stream, per_thread);
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    host_error error = host_status(rt_context());
    if (!error) error = rt_kernel(function, &k);
    if (error) return error;
    host_launch_config config = rt_config(grid, block, shared, s);
    config.cooperative = cooperative;
    return host_launch(k, &config, args, NULL, 0);
}

static host_error on___cudaLaunchKernel(bool per_thread, void *kernel, rt_dim3 grid, rt_dim3 block, void **args,
                                        size_t shared, void *stream)
{
    return launch(per_thread, kernel, grid, block, args, shared, stream, false);
}
RT_PAIR(__cudaLaunchKernel, ptsz, (void *kernel, rt_dim3 grid, rt_dim3 block, void **args, size_t shared, void *stream),
        (kernel, grid, block, args, shared, stream))

static host_error on_cudaLaunchKernel(bool per_thread, const void *function, rt_dim3 grid, rt_dim3 block, void **args,
                                      size_t shared, void *stream)
{
    return launch(per_thread, function, grid, block, args, shared, stream, false);
}
RT_PAIR(cudaLaunchKernel, ptsz,
        (const void *function, rt_dim3 grid, rt_dim3 block, void **args, size_t shared, void *stream),
        (function, grid, block, args, shared, stream))

static host_error on_cudaLaunchCooperativeKernel(bool per_thread, const void *function, rt_dim3 grid, rt_dim3 block,
                                                 void **args, size_t shared, void *stream)
{
    return launch(per_thread, function, grid, block, args, shared, stream, true);
}
RT_PAIR(cudaLaunchCooperativeKernel, ptsz,
        (const void *function, rt_dim3 grid, rt_dim3 block, void **args, size_t shared, void *stream),
        (function, grid, block, args, shared, stream))

static host_error config_from(bool per_thread, const rt_launch_config *in, host_launch_config *out)
{
    if (!in || (in->attribute_count && !in->attributes)) return HOST_INVALID_VALUE;
    host_stream *s = rt_stream(in->stream, per_thread);
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    *out = rt_config(in->grid, in->block, in->dynamic_shared, s);
    return face_config_attributes(&rt_face, out, in->attributes, in->attribute_count);
}

static host_error on_cudaLaunchKernelExC(bool per_thread, const rt_launch_config *in, const void *function, void **args)
{
    host_kernel *k;
    host_launch_config config;
    host_error error = config_from(per_thread, in, &config);
    if (!error) error = host_status(rt_context());
    if (!error) error = rt_kernel(function, &k);
    return error ? error : host_launch(k, &config, args, NULL, 0);
}
RT_PAIR(cudaLaunchKernelExC, ptsz, (const rt_launch_config *in, const void *function, void **args),
        (in, function, args))

/* ---- attributes ---- */
RT(cudaFuncGetAttributes)(rt_func_attributes *out, const void *function)
{
    host_kernel *k;
    host_kernel_info info;
    if (!out) return rt_end(HOST_INVALID_VALUE);
    memset(out, 0, sizeof *out);
    host_error error = rt_kernel(function, &k);
    if (!error) error = host_kernel_query(k, &info);
    if (error) return rt_end(error);
    out->shared_bytes = info.static_shared_bytes;
    out->const_bytes = info.constant_bytes;
    out->local_bytes = info.local_bytes;
    out->max_threads = info.max_threads_per_block;
    out->registers = info.registers;
    out->ptx_version = info.ptx_version;
    out->binary_version = info.binary_version;
    host_kernel_attribute_get(k, 8, &out->max_dynamic_shared);
    host_kernel_attribute_get(k, 9, &out->carveout);
    out->cluster_must_be_set = info.cluster_must_be_set;
    for (int i = 0; i < 3; i++) host_kernel_attribute_get(k, 11 + i, &out->required_cluster[i]);
    host_kernel_attribute_get(k, 14, &out->nonportable_cluster);
    host_kernel_attribute_get(k, 15, &out->cluster_policy);
    return 0;
}

RT(cudaFuncSetAttribute)(const void *function, int attribute, int value)
{
    host_kernel *k;
    host_error error = rt_kernel(function, &k);
    return rt_end(error ? error : host_kernel_attribute_set(k, attribute, value));
}

RT(cudaKernelSetAttributeForDevice)(void *kernel, int attribute, int value, int device)
{
    host_error error = rt_check_device(device);
    return error ? rt_end(error) : lw_cudart_cudaFuncSetAttribute(kernel, attribute, value);
}

RT(cudaFuncSetCacheConfig)(const void *function, int config)
{
    host_kernel *k;
    host_error error = rt_kernel(function, &k);
    return rt_end(error ? error : host_kernel_cache_set(k, config));
}

RT(cudaFuncSetSharedMemConfig)(const void *function, int config)
{
    host_kernel *k;
    host_error error = rt_kernel(function, &k);
    return rt_end(error ? error : host_kernel_bank_set(k, config));
}

RT(cudaFuncGetName)(const char **out, const void *function)
{
    host_kernel *k;
    host_kernel_info info;
    if (!out) return rt_end(HOST_INVALID_VALUE);
    host_error error = rt_kernel(function, &k);
    if (!error) error = host_kernel_query(k, &info);
    if (!error) *out = info.name;
    return rt_end(error);
}

RT(cudaFuncGetParamInfo)(const void *function, size_t index, size_t *offset, size_t *size)
{
    host_kernel *k;
    host_error error = offset ? rt_kernel(function, &k) : HOST_INVALID_VALUE;
    return rt_end(error ? error : host_kernel_param(k, index, offset, size));
}

/* ---- occupancy ---- */
RT(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(int *out, const void *function, int block, size_t shared)
{
    host_kernel *k;
    host_error error = rt_kernel(function, &k);
    return rt_end(error ? error : host_occupancy_blocks(k, block, shared, out));
}

RT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int *out, const void *function, int block, size_t shared,
                                                           unsigned flags)
{
    if (flags > 1) return rt_end(HOST_INVALID_VALUE);
    return lw_cudart_cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, function, block, shared);
}

RT(cudaOccupancyAvailableDynamicSMemPerBlock)(size_t *out, const void *function, int blocks, int block)
{
    host_kernel *k;
    uint64_t bytes = 0;
    host_error error = out ? rt_kernel(function, &k) : HOST_INVALID_VALUE;
    if (!error) error = host_occupancy_available_shared(k, blocks, block, &bytes);
    if (!error) *out = bytes;
    return rt_end(error);
}

RT(cudaOccupancyMaxActiveClusters)(int *out, const void *function, const rt_launch_config *in)
{
    host_kernel *k;
    host_launch_config config;
    host_error error = config_from(false, in, &config);
    if (!error) error = rt_kernel(function, &k);
    return rt_end(error ? error : host_occupancy_clusters(k, &config, out));
}

RT(cudaOccupancyMaxPotentialClusterSize)(int *out, const void *function, const rt_launch_config *in)
{
    host_kernel *k;
    host_launch_config config;
    host_error error = config_from(false, in, &config);
    if (!error) error = rt_kernel(function, &k);
    return rt_end(error ? error : host_occupancy_cluster_size(k, &config, out));
}

/* ---- libraries: modules loaded by hand ---- */
RT(cudaLibraryLoadData)(void **out, const void *code, int *jit_options, void **jit_values, unsigned jit_count,
                        int *library_options, void **library_values, unsigned library_count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)library_options, (void)library_values,
        (void)library_count;
    lw_error text = {0};
    host_part part = {NULL, code, 0};
    if (!out || !code) return rt_end(HOST_INVALID_VALUE);
    host_error error = host_module_load(rt_context(), &part, 1, (host_module **)out, &text);
    if (error && text.status) host_note(rt_context(), "%s", text.message);
    return rt_end(error);
}

RT(cudaLibraryLoadFromFile)(void **out, const char *path, int *jit_options, void **jit_values, unsigned jit_count,
                            int *library_options, void **library_values, unsigned library_count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)library_options, (void)library_values,
        (void)library_count;
    if (!out || !path) return rt_end(HOST_INVALID_VALUE);
    host_part part = {path, NULL, 0};
    char *data;
    if (lw_file_read(path, &data, &part.bytes, NULL)) return rt_end(HOST_FILE_NOT_FOUND);
    part.data = data;
    lw_error text = {0};
    host_error error = host_module_load(rt_context(), &part, 1, (host_module **)out, &text);
    if (error && text.status) host_note(rt_context(), "%s", text.message);
    free(data);
    return rt_end(error);
}

static host_error library_check(const void *library)
{
    return host_module_valid(library) ? 0 : HOST_INVALID_RESOURCE_HANDLE;
}

RT(cudaLibraryUnload)(void *library)
{
    host_error error = library_check(library);
    return rt_end(error ? error : host_module_unload(library));
}

RT(cudaLibraryGetKernel)(void **out, void *library, const char *name)
{
    host_error error = out ? library_check(library) : HOST_INVALID_VALUE;
    return rt_end(error ? error : host_module_kernel(library, name, (host_kernel **)out));
}

RT(cudaLibraryGetKernelCount)(unsigned *out, void *library)
{
    host_error error = out ? library_check(library) : HOST_INVALID_VALUE;
    if (!error) *out = (unsigned)host_module_kernel_count(library);
    return rt_end(error);
}

RT(cudaLibraryEnumerateKernels)(void **out, unsigned count, void *library)
{
    host_error error = out ? library_check(library) : HOST_INVALID_VALUE;
    return rt_end(error ? error : host_module_kernels(library, (host_kernel **)out, count));
}

RT(cudaLibraryGetGlobal)(void **out, size_t *bytes, void *library, const char *name)
{
    uint64_t address = 0, size = 0;
    host_error error = library_check(library);
    if (!error) error = host_module_symbol(library, name, &address, &size);
    if (!error && out) *out = (void *)(uintptr_t)address;
    if (!error && bytes) *bytes = size;
    return rt_end(error);
}

RT(cudaLibraryGetManaged)(void **out, size_t *bytes, void *library, const char *name)
{
    return lw_cudart_cudaLibraryGetGlobal(out, bytes, library, name);
}
