/* Launches and occupancy. */
#include "cudart/cudart.h"

unsigned lw_cudart___cudaPushCallConfiguration(rt_dim3 grid, rt_dim3 block, size_t shared, void *stream)
{
    rt_thread *t = rt_thread_get();
    if (t->call_count == RT_CALL_DEPTH) return 1;
    t->calls[t->call_count++] = (rt_call){grid, block, shared, stream, __builtin_return_address(0)};
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
    host_thread_get(host_get())->launches_next_from = call->from;
    return rt_end(0);
}

static host_error launch(void *stream, bool per_thread, const void *function, rt_dim3 grid, rt_dim3 block, void **args,
                         size_t shared, bool cooperative)
{
    host_kernel *kernel;
    host_stream *s = face_stream(stream, per_thread);
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    host_error error = host_status(host_get());
    if (!error) error = rt_kernel_on(function, host_stream_device(s), &kernel);
    if (error) return error;
    host_launch_config config = face_config(grid.size, block.size, shared, s);
    config.cooperative = cooperative;
    return host_launch(kernel, &config, args, NULL, 0);
}

#define LAUNCH(name, cooperative)                                                                                      \
    RT_TWICE(name, ptsz,                                                                                               \
             (const void *function, rt_dim3 grid, rt_dim3 block, void **args, size_t shared, void *stream),            \
             launch(stream, per_thread, function, grid, block, args, shared, cooperative))
LAUNCH(__cudaLaunchKernel, false)
LAUNCH(cudaLaunchKernel, false)
LAUNCH(cudaLaunchCooperativeKernel, true)

static host_error config_from(bool per_thread, const rt_launch_config *in, host_launch_config *out)
{
    if (!in || (in->attribute_count && !in->attributes)) return HOST_INVALID_VALUE;
    host_stream *s = face_stream(in->stream, per_thread);
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    *out = face_config(in->grid.size, in->block.size, in->dynamic_shared, s);
    return face_config_attributes(&rt_face, out, in->attributes, in->attribute_count);
}

static host_error launch_with(bool per_thread, const rt_launch_config *in, const void *function, void **args)
{
    host_kernel *kernel;
    host_launch_config config;
    host_error error = config_from(per_thread, in, &config);
    if (!error) error = host_status(host_get());
    if (!error) error = rt_kernel_on(function, host_stream_device(config.stream), &kernel);
    return error ? error : host_launch(kernel, &config, args, NULL, 0);
}
RT_TWICE(cudaLaunchKernelExC, ptsz, (const rt_launch_config *in, const void *function, void **args),
         launch_with(per_thread, in, function, args))

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

typedef host_error (*cluster_question)(host_kernel *kernel, const host_launch_config *config, int *out);

static host_error ask_of_clusters(cluster_question ask, const rt_launch_config *in, const void *function, int *out)
{
    host_kernel *kernel;
    host_launch_config config;
    host_error error = config_from(false, in, &config);
    if (!error) error = rt_kernel(function, &kernel);
    return error ? error : ask(kernel, &config, out);
}

RT(cudaOccupancyMaxActiveClusters)(int *out, const void *function, const rt_launch_config *in)
{
    return rt_end(ask_of_clusters(host_occupancy_clusters, in, function, out));
}

RT(cudaOccupancyMaxPotentialClusterSize)(int *out, const void *function, const rt_launch_config *in)
{
    return rt_end(ask_of_clusters(host_occupancy_cluster_size, in, function, out));
}
