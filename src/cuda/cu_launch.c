/* Launches and occupancy. */

#include "cuda/driver.h"

static host_error launch(host_kernel *kernel, const host_launch_config *config, void **params, void **extra)
{
    const void *packed;
    size_t bytes;
    if (params && extra) return HOST_INVALID_VALUE;
    host_error error = host_status(host_get());
    if (!error) error = cu_kernel(kernel);
    if (!error) error = host_kernel_on(kernel, host_device_current(host_get()), &kernel);
    if (!error) error = face_packed(extra, &packed, &bytes);
    return error ? error : host_launch(kernel, config, params, packed, bytes);
}

/* The sizes as these calls take them: x, y, z of the grid, then of the block. */
#define SIZES unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz
#define GRID ((uint32_t[]){gx, gy, gz})
#define BLOCK ((uint32_t[]){bx, by, bz})

static host_error launch_sizes(void *stream, bool per_thread, host_kernel *kernel, const uint32_t grid[3],
                               const uint32_t block[3], unsigned shared, bool cooperative, void **params, void **extra)
{
    host_stream *s = face_stream(stream, per_thread);
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    host_launch_config config = face_config(grid, block, shared, s);
    config.cooperative = cooperative;
    return launch(kernel, &config, params, extra);
}
CU_TWICE(cuLaunchKernel, ptsz,
         (host_kernel * kernel, SIZES, unsigned shared, void *stream, void **params, void **extra),
         launch_sizes(stream, per_thread, kernel, GRID, BLOCK, shared, false, params, extra))
CU_TWICE(cuLaunchCooperativeKernel, ptsz, (host_kernel * kernel, SIZES, unsigned shared, void *stream, void **params),
         launch_sizes(stream, per_thread, kernel, GRID, BLOCK, shared, true, params, NULL))

static host_error config_from(bool per_thread, const cu_launch_config *in, host_launch_config *out)
{
    if (!in || (in->attribute_count && !in->attributes)) return HOST_INVALID_VALUE;
    host_stream *s = face_stream(in->stream, per_thread);
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    *out = face_config(in->grid, in->block, in->shared, s);
    return face_config_attributes(&cu_face, out, in->attributes, in->attribute_count);
}

static host_error launch_with(bool per_thread, const cu_launch_config *in, host_kernel *kernel, void **params,
                              void **extra)
{
    host_launch_config config;
    host_error error = config_from(per_thread, in, &config);
    return error ? error : launch(kernel, &config, params, extra);
}
CU_TWICE(cuLaunchKernelEx, ptsz, (const cu_launch_config *in, host_kernel *kernel, void **params, void **extra),
         launch_with(per_thread, in, kernel, params, extra))

/* ---- occupancy ---- */
CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(int *out, host_kernel *kernel, int block, size_t shared)
{
    CU_NEED;
    host_error error = out ? cu_kernel(kernel) : HOST_INVALID_VALUE;
    return cu_end(error ? error : host_occupancy_blocks(kernel, block, shared, out));
}

CU(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int *out, host_kernel *kernel, int block, size_t shared,
                                                         unsigned flags)
{
    if (flags > 1) return cu_end(HOST_INVALID_VALUE);
    return lw_cuda_cuOccupancyMaxActiveBlocksPerMultiprocessor(out, kernel, block, shared);
}

/* The block size with the most threads on an SM: from the largest down in steps of a warp, the first of equals. */
static host_error best_block(host_kernel *kernel, size_t (*shared_of)(int block), size_t shared, int limit,
                             int *out_block, int *out_blocks_per_sm)
{
    enum { WARP = 32 };
    int most = 0;
    int best_threads = 0;
    host_error error = host_kernel_attribute_get(kernel, HOST_KERNEL_MAX_THREADS_PER_BLOCK, &most);
    if (error) return error;
    int device_threads = face_device_attribute(HOST_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR);
    if (limit > 0 && limit < most) most = limit;
    *out_block = 0;
    *out_blocks_per_sm = 0;
    for (int aligned = (most + WARP - 1) / WARP * WARP; aligned > 0; aligned -= WARP) {
        int block = LW_MIN(aligned, most);
        int blocks = 0;
        error = host_occupancy_blocks(kernel, block, shared_of ? shared_of(block) : shared, &blocks);
        if (error) return error;
        if (block * blocks > best_threads) {
            best_threads = block * blocks;
            *out_block = block;
            *out_blocks_per_sm = blocks;
        }
        if (best_threads == device_threads) break;
    }
    return 0;
}

CU(cuOccupancyMaxPotentialBlockSizeWithFlags)(int *min_grid, int *block, host_kernel *kernel, size_t (*shared_of)(int),
                                              size_t shared, int limit, unsigned flags)
{
    int blocks = 0;
    CU_NEED;
    host_error error = min_grid && block && flags <= 1 ? cu_kernel(kernel) : HOST_INVALID_VALUE;
    if (!error) error = best_block(kernel, shared_of, shared, limit, block, &blocks);
    if (error) return cu_end(error);
    *min_grid = blocks * face_device_attribute(HOST_DEVICE_MULTIPROCESSOR_COUNT);
    return cu_end(0);
}

CU(cuOccupancyMaxPotentialBlockSize)
(int *min_grid, int *block, host_kernel *kernel, size_t (*shared_of)(int), size_t shared, int limit)
{
    return lw_cuda_cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block, kernel, shared_of, shared, limit, 0);
}

typedef host_error (*cluster_question)(host_kernel *kernel, const host_launch_config *config, int *out);

static host_error ask_of_clusters(cluster_question ask, const cu_launch_config *in, host_kernel *kernel, int *out)
{
    host_launch_config config;
    host_error error = out ? config_from(false, in, &config) : HOST_INVALID_VALUE;
    if (!error) error = cu_kernel(kernel);
    return error ? error : ask(kernel, &config, out);
}

CU(cuOccupancyMaxActiveClusters)(int *out, host_kernel *kernel, const cu_launch_config *in)
{
    CU_NEED;
    return cu_end(ask_of_clusters(host_occupancy_clusters, in, kernel, out));
}

CU(cuOccupancyMaxPotentialClusterSize)(int *out, host_kernel *kernel, const cu_launch_config *in)
{
    CU_NEED;
    return cu_end(ask_of_clusters(host_occupancy_cluster_size, in, kernel, out));
}
