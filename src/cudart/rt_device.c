/* Devices: there is one. Properties are its attributes under other names. */
#include <stdio.h>
#include <string.h>

#include "cudart/cudart.h"

host_error rt_check_device(int device)
{
    host_context *c = rt_context();
    host_error error = host_status(c);
    if (error == HOST_NO_DEVICE) return error;
    return device == 0 ? 0 : HOST_INVALID_DEVICE;
}

RT(cudaGetDeviceCount)(int *count)
{
    if (!count) return rt_end(HOST_INVALID_VALUE);
    host_error error = host_status(rt_context());
    *count = error == HOST_NO_DEVICE ? 0 : 1;
    return rt_end(error == HOST_NO_DEVICE ? error : 0);
}

RT(cudaGetDevice)(int *device)
{
    if (!device) return rt_end(HOST_INVALID_VALUE);
    *device = 0;
    return rt_end(rt_check_device(0));
}

RT(cudaSetDevice)(int device)
{
    host_error error = rt_check_device(device);
    if (!error) rt_use();
    return rt_end(error);
}

RT(cudaInitDevice)(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return lw_cudart_cudaSetDevice(device);
}

RT(cudaSetValidDevices)(int *devices, int count)
{
    if (count < 0 || (count && !devices)) return rt_end(HOST_INVALID_VALUE);
    for (int i = 0; i < count; i++)
        if (devices[i] != 0) return rt_end(HOST_INVALID_DEVICE);
    return rt_end(rt_check_device(0));
}

RT(cudaChooseDevice)(int *device, const rt_device_prop *prop)
{
    if (!device || !prop) return rt_end(HOST_INVALID_VALUE);
    *device = 0;
    return rt_end(rt_check_device(0));
}

RT(cudaSetDeviceFlags)(unsigned flags)
{
    unsigned schedule = flags & 7; /* auto, spin, yield, blocking sync: one of them */
    bool known = !(flags & ~0x1fu) && (schedule == 0 || schedule == 1 || schedule == 2 || schedule == 4);
    return rt_end(known ? 0 : HOST_INVALID_VALUE);
}

RT(cudaGetDeviceFlags)(unsigned *flags)
{
    if (!flags) return rt_end(HOST_INVALID_VALUE);
    *flags = 8; /* cudaDeviceMapHost */
    return rt_end(0);
}

RT(cudaDeviceGetAttribute)(int *value, int attribute, int device)
{
    host_error error = rt_check_device(device);
    return rt_end(error ? error : host_device_attribute(rt_context(), attribute, value));
}

static void set_int(void *prop, size_t offset, int value) { memcpy((char *)prop + offset, &value, sizeof value); }

static void set_size(void *prop, size_t offset, int value)
{
    size_t wide = (size_t)value;
    memcpy((char *)prop + offset, &wide, sizeof wide);
}

/* Which attribute fills which field: integers first, sizes below. */
static void fill_from_attributes(host_context *c, rt_device_prop *p)
{
    static const struct {
        size_t offset;
        int attribute;
        bool wide;
    } map[] = {
#define I(field, attribute) {offsetof(rt_device_prop, field), attribute, false},
#define Z(field, attribute) {offsetof(rt_device_prop, field), attribute, true},
        I(regs_per_block, 12) I(warp_size, 10) I(max_threads_per_block, 1) I(max_threads_dim[0], 2)
            I(max_threads_dim[1], 3) I(max_threads_dim[2], 4) I(max_grid[0], 5) I(max_grid[1], 6) I(max_grid[2], 7) I(
                major, 75) I(minor, 76) I(sm_count, 16) I(integrated, 18) I(can_map_host, 19) I(texture1d, 21)
                I(texture1d_mipmap, 77) I(texture2d[0], 22) I(texture2d[1], 23) I(texture2d_mipmap[0], 73) I(
                    texture2d_mipmap[1], 74) I(texture2d_linear[0], 70) I(texture2d_linear[1], 71)
                    I(texture2d_linear[2], 72) I(texture2d_gather[0], 45) I(texture2d_gather[1], 46) I(texture3d[0], 24)
                        I(texture3d[1], 25) I(texture3d[2], 26) I(texture3d_alt[0], 47) I(texture3d_alt[1], 48)
                            I(texture3d_alt[2], 49) I(texture_cubemap, 52) I(texture1d_layered[0], 42) I(
                                texture1d_layered[1], 43) I(texture2d_layered[0], 27) I(texture2d_layered[1],
                                                                                        28) I(texture2d_layered[2], 29)
                                I(texture_cubemap_layered[0], 53) I(texture_cubemap_layered[1], 54) I(
                                    surface1d, 55) I(surface2d[0],
                                                     56) I(surface2d[1],
                                                           57) I(surface3d[0],
                                                                 58) I(surface3d[1],
                                                                       59) I(surface3d[2],
                                                                             60) I(surface1d_layered[0],
                                                                                   61) I(surface1d_layered[1],
                                                                                         62) I(surface2d_layered[0], 63)
                                    I(surface2d_layered[1],
                                      64) I(surface2d_layered[2],
                                            65) I(surface_cubemap, 66) I(surface_cubemap_layered[0], 67)
                                        I(surface_cubemap_layered[1], 68) I(concurrent_kernels, 31) I(ecc, 32) I(
                                            pci_bus, 33) I(pci_device, 34) I(pci_domain,
                                                                             50) I(tcc, 35)
                                            I(async_engines, 40) I(unified_addressing, 41) I(bus_width, 37) I(
                                                l2_bytes,
                                                38) I(persisting_l2, 108) I(threads_per_sm, 39)
                                                I(priorities, 78) I(global_l1, 79) I(local_l1, 80) I(regs_per_sm, 82) I(
                                                    managed, 83) I(multi_gpu, 84)
                                                    I(multi_gpu_group, 85) I(host_atomics, 86) I(pageable, 88) I(
                                                        concurrent_managed,
                                                        89) I(preemption, 90)
                                                        I(host_pointer_registered, 91) I(cooperative, 95) I(
                                                            pageable_host_tables,
                                                            100) I(direct_managed,
                                                                   101) I(blocks_per_sm, 106)
                                                            I(access_policy_window, 109) I(host_register, 99) I(
                                                                sparse_arrays,
                                                                112) I(host_register_readonly,
                                                                       113) I(timeline_semaphores, 114)
                                                                I(memory_pools, 115) I(rdma, 116) I(rdma_flush, 117)
                                                                    I(rdma_ordering, 118) I(pool_handle_types, 119) I(
                                                                        deferred_arrays,
                                                                        121) I(ipc_events,
                                                                               125) I(cluster_launch, 120)
                                                                        I(unified_functions, 129) I(numa_config, 130) I(
                                                                            numa_id, 131) I(mps, 133)
                                                                            I(host_numa, 134) I(gpu_pci_device, 139) I(
                                                                                gpu_pci_subsystem,
                                                                                140) I(multinode_ipc,
                                                                                       143) Z(shared_per_block, 8)
                                                                                Z(mem_pitch, 11) Z(total_const, 9)
                                                                                    Z(texture_alignment,
                                                                                      14) Z(texture_pitch_alignment, 51)
                                                                                        Z(surface_alignment,
                                                                                          30) Z(shared_per_sm, 81)
                                                                                            Z(shared_optin, 97)
                                                                                                Z(shared_reserved, 111)
        /* Members that CUDA 13 dropped; only the project's own headers show them (clang-include/driver_types.h). */
        I(reserved[49], 13) I(reserved[50], 36) I(reserved[51], 20) I(reserved[52], 15) I(reserved[53], 17)
            I(reserved[54], 87) I(reserved[55], 96)
#undef I
#undef Z
    };
    for (size_t i = 0; i < sizeof map / sizeof *map; i++) {
        int value = 0;
        host_device_attribute(c, map[i].attribute, &value);
        if (map[i].wide) set_size(p, map[i].offset, value);
        else set_int(p, map[i].offset, value);
    }
}

RT(cudaGetDeviceProperties)(rt_device_prop *out, int device)
{
    host_context *c = rt_context();
    host_error error = out ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (error) return rt_end(error);
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", host_device_name(c));
    host_device_uuid(c, out->uuid);
    out->total_global_mem = host_device_memory_bytes(c);
    fill_from_attributes(c, out);
    return 0;
}

RT(cudaDeviceGetPCIBusId)(char *out, int length, int device)
{
    host_error error = out && length > 0 ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (error) return rt_end(error);
    int bus = 0, slot = 0, domain = 0;
    host_device_attribute(rt_context(), 33, &bus);
    host_device_attribute(rt_context(), 34, &slot);
    host_device_attribute(rt_context(), 50, &domain);
    snprintf(out, (size_t)length, "%04x:%02x:%02x.0", domain, bus, slot);
    return 0;
}

RT(cudaDeviceGetByPCIBusId)(int *device, const char *id)
{
    char own[32];
    if (!device || !id) return rt_end(HOST_INVALID_VALUE);
    int error = lw_cudart_cudaDeviceGetPCIBusId(own, sizeof own, 0);
    if (error) return error;
    *device = 0;
    return rt_end(strcmp(own, id) && strcmp(own + 5, id) ? HOST_INVALID_DEVICE : 0);
}

RT(cudaDeviceSynchronize)(void)
{
    rt_use();
    return rt_end(host_synchronize(rt_context()));
}

RT(cudaDeviceReset)(void) { return rt_end(host_reset(rt_context())); }

RT(cudaDeviceGetLimit)(size_t *out, int limit)
{
    uint64_t value = 0;
    host_error error = out ? host_limit_get(rt_context(), limit, &value) : HOST_INVALID_VALUE;
    if (!error) *out = value;
    return rt_end(error);
}

RT(cudaDeviceSetLimit)(int limit, size_t value) { return rt_end(host_limit_set(rt_context(), limit, value)); }

/* Cache preferences are hints without effect on results; they are kept so that programs read back what they set. */
RT(cudaDeviceGetCacheConfig)(int *out)
{
    return rt_end(out ? host_cache_config(rt_context(), out, false) : HOST_INVALID_VALUE);
}

RT(cudaDeviceSetCacheConfig)(int config) { return rt_end(host_cache_config(rt_context(), &config, true)); }

RT(cudaDeviceGetSharedMemConfig)(int *out)
{
    return rt_end(out ? host_bank_config(rt_context(), out, false) : HOST_INVALID_VALUE);
}

RT(cudaDeviceSetSharedMemConfig)(int config) { return rt_end(host_bank_config(rt_context(), &config, true)); }

RT(cudaDeviceGetStreamPriorityRange)(int *least, int *greatest)
{
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return rt_end(0);
}

RT(cudaCtxResetPersistingL2Cache)(void) { return rt_end(host_status(rt_context())); }

RT(cudaDeviceGetTexture1DLinearMaxWidth)(size_t *out, const rt_channel_desc *desc, int device)
{
    int width = 0;
    host_error error = out && desc ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (!error) error = host_device_attribute(rt_context(), 69, &width);
    if (!error) *out = (size_t)width;
    return rt_end(error);
}

/* ---- peers: there are none ---- */
RT(cudaDeviceCanAccessPeer)(int *out, int device, int peer)
{
    host_error error = out ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (!error) error = rt_check_device(peer);
    if (!error) *out = 0;
    return rt_end(error);
}

RT(cudaDeviceEnablePeerAccess)(int peer, unsigned flags)
{
    host_error error = rt_check_device(peer);
    if (!error && flags) error = HOST_INVALID_VALUE;
    return rt_end(error ? error : HOST_PEER_ACCESS_UNSUPPORTED);
}

RT(cudaDeviceDisablePeerAccess)(int peer)
{
    host_error error = rt_check_device(peer);
    return rt_end(error ? error : HOST_PEER_ACCESS_NOT_ENABLED);
}

RT(cudaDeviceGetP2PAttribute)(int *out, int attribute, int from, int to)
{
    (void)attribute;
    host_error error = out ? rt_check_device(from) : HOST_INVALID_VALUE;
    if (!error) error = rt_check_device(to);
    return rt_end(error ? error : HOST_INVALID_DEVICE); /* the two must differ */
}
