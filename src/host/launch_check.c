/* The configuration of a launch against the limits of the device and of the kernel, when the program calls: with the
 * errors an H200 gives, and the limit and its mend in words. */
#include "device/profile.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/module_priv.h"
#include "host/refuse.h"
#include "host/state_priv.h"

typedef unsigned long long ull; /* what printf takes */

static uint64_t volume(const uint32_t size[3]) { return (uint64_t)size[0] * size[1] * size[2]; }

static host_error check_cooperative(const host_kernel *k, const host_launch_config *g, uint64_t threads)
{
    const device_profile *d = k->module->context->device;
    uint64_t resident = (uint64_t)host_blocks_per_sm(k, threads, g->dynamic_shared) * d->sm_count;
    uint64_t blocks = volume(g->grid);
    if (blocks <= resident) return 0;
    return host_refuse(
        HOST_COOPERATIVE_LAUNCH_TOO_LARGE,
        "A cooperative grid must be resident as a whole: it has %llu blocks, and %llu of them fit on the "
        "device. Launch as many as cudaOccupancyMaxActiveBlocksPerMultiprocessor says times the number of "
        "multiprocessors, and let each do more.",
        (ull)blocks, (ull)resident);
}

/* name: "grid" or "block". */
static host_error check_size(const char *name, const uint32_t size[3], uint64_t x, uint64_t y, uint64_t z)
{
    if (!size[0] || !size[1] || !size[2])
        return host_refuse(
            HOST_INVALID_VALUE,
            "The %s is %u x %u x %u: each dimension must be at least 1. If it is a quotient, round it up, "
            "(n + size - 1) / size, and do not launch for n = 0.",
            name, size[0], size[1], size[2]);
    if (size[0] <= x && size[1] <= y && size[2] <= z) return 0;
    return host_refuse(HOST_INVALID_VALUE, "The %s is %u x %u x %u; it may be at most %llu x %llu x %llu.", name,
                       size[0], size[1], size[2], (ull)x, (ull)y, (ull)z);
}

static host_error check_threads(const host_kernel *k, const uint32_t block[3])
{
    uint64_t most = k->module->context->device->threads_per_block;
    uint64_t threads = volume(block);
    if (threads <= most) return 0;
    return host_refuse(
        HOST_INVALID_VALUE,
        "The block has %llu threads (%u x %u x %u); a block may have %llu. Launch smaller blocks, and more "
        "of them.",
        (ull)threads, block[0], block[1], block[2], (ull)most);
}

/* What the kernel was compiled for. */
static host_error check_bounds(const host_kernel *k, const uint32_t block[3])
{
    const ptx_function *f = k->entry;
    uint64_t threads = volume(block);
    if (f->maxntid[0]) {
        uint64_t most = (uint64_t)f->maxntid[0] * LW_MAX(f->maxntid[1], 1u) * LW_MAX(f->maxntid[2], 1u);
        if (threads > most)
            return host_refuse(HOST_INVALID_VALUE,
                               "The block has %llu threads; the kernel was compiled for at most %llu "
                               "(__launch_bounds__).",
                               (ull)threads, (ull)most);
    }
    for (int i = 0; f->reqntid[0] && i < 3; i++)
        if (block[i] != LW_MAX(f->reqntid[i], 1u))
            return host_refuse(HOST_INVALID_VALUE,
                               "The kernel was compiled for blocks of exactly %u x %u x %u threads (__block_size__).",
                               f->reqntid[0], LW_MAX(f->reqntid[1], 1u), LW_MAX(f->reqntid[2], 1u));
    return 0;
}

static host_error check_dynamic_shared(const host_kernel *k, uint64_t bytes)
{
    const device_profile *d = k->module->context->device;
    uint64_t most = (uint64_t)host_kernel_max_dynamic(k);
    uint64_t fixed = k->code->static_shared_bytes;
    uint64_t optin = d->shared_per_block_optin > fixed ? d->shared_per_block_optin - fixed : 0;
    if (bytes <= most) return 0;
    if (bytes <= optin)
        return host_refuse(
            HOST_INVALID_VALUE,
            "The launch asks for %llu bytes of dynamic shared memory; the kernel may have %llu. Allow it "
            "more before the launch: cudaFuncSetAttribute(kernel, "
            "cudaFuncAttributeMaxDynamicSharedMemorySize, %llu).",
            (ull)bytes, (ull)most, (ull)bytes);
    return host_refuse(HOST_INVALID_VALUE,
                       "The launch asks for %llu bytes of dynamic shared memory; the kernel may have %llu, and %llu at "
                       "the most on this device. Work on smaller tiles.",
                       (ull)bytes, (ull)most, (ull)optin);
}

static host_error check_resources(const host_kernel *k, const host_launch_config *g)
{
    uint64_t threads = volume(g->block);
    uint64_t fixed = k->code->static_shared_bytes;
    uint64_t most = k->module->context->device->shared_per_block;
    if (host_blocks_per_sm(k, threads, g->dynamic_shared)) return 0;
    if (fixed > most)
        return host_refuse(
            HOST_LAUNCH_OUT_OF_RESOURCES,
            "The kernel declares %llu bytes of __shared__ arrays; %llu are the most. Larger ones must be "
            "dynamic: extern __shared__, their size in the launch, and before it "
            "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, size).",
            (ull)fixed, (ull)most);
    return host_refuse(HOST_LAUNCH_OUT_OF_RESOURCES,
                       "A block does not fit on a multiprocessor: %llu threads of %d registers, %llu bytes of shared "
                       "memory. Launch smaller blocks, or limit the registers: __launch_bounds__(%llu).",
                       (ull)threads, k->machine_registers ? k->machine_registers : (int)k->code->registers,
                       (ull)(g->dynamic_shared + fixed), (ull)threads);
}

host_error host_launch_check(const host_kernel *k, host_launch_config *g)
{
    const device_profile *d = k->module->context->device;
    host_error error = check_size("grid", g->grid, d->grid_dim_x, d->grid_dim_y, d->grid_dim_z);
    if (!error) error = check_threads(k, g->block);
    if (!error) error = check_size("block", g->block, d->block_dim_x, d->block_dim_y, d->block_dim_z);
    if (!error) error = check_bounds(k, g->block);
    if (!error) error = check_dynamic_shared(k, g->dynamic_shared);
    if (!error) error = host_cluster_check(k, g, false);
    if (!error) error = check_resources(k, g);
    if (!error && g->cooperative) error = check_cooperative(k, g, volume(g->block));
    return error;
}
