/* Devices: there is one, whose attributes come from its profile. */
#include <stdio.h>
#include <string.h>

#include "cuda/driver.h"

CU(cuDeviceGetCount)(int *count)
{
    host_error error = cu_need_init();
    if (error || !count) return error ? error : HOST_INVALID_VALUE;
    *count = 1;
    return 0;
}

CU(cuDeviceGet)(int *device, int ordinal)
{
    host_error error = device ? cu_check_device(ordinal) : HOST_INVALID_VALUE;
    if (!error) *device = 0;
    return cu_end(error);
}

CU(cuDeviceGetName)(char *out, int length, int device)
{
    host_error error = out && length > 0 ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) snprintf(out, (size_t)length, "%s", host_device_name(cu_host()));
    return error;
}

CU(cuDeviceGetUuid_v2)(uint8_t *out, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) host_device_uuid(cu_host(), out);
    return error;
}

CU(cuDeviceGetUuid)(uint8_t *out, int device) { return lw_cuda_cuDeviceGetUuid_v2(out, device); }

CU(cuDeviceTotalMem_v2)(size_t *out, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *out = host_device_memory_bytes(cu_host());
    return error;
}

CU(cuDeviceGetAttribute)(int *out, int attribute, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    return cu_end(error ? error : host_device_attribute(cu_host(), attribute, out));
}

static int attribute(int number)
{
    int value = 0;
    host_device_attribute(cu_host(), number, &value);
    return value;
}

CU(cuDeviceComputeCapability)(int *major, int *minor, int device)
{
    host_error error = major && minor ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (error) return error;
    *major = attribute(75);
    *minor = attribute(76);
    return 0;
}

CU(cuDeviceGetProperties)(cu_device_prop *out, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (error) return error;
    *out = (cu_device_prop){.max_threads_per_block = attribute(1),
                            .max_threads_dim = {attribute(2), attribute(3), attribute(4)},
                            .max_grid = {attribute(5), attribute(6), attribute(7)},
                            .shared_per_block = attribute(8),
                            .total_const = attribute(9),
                            .simd_width = attribute(10),
                            .mem_pitch = attribute(11),
                            .regs_per_block = attribute(12),
                            .clock_rate = attribute(13),
                            .texture_align = attribute(14)};
    return 0;
}

CU(cuDeviceGetPCIBusId)(char *out, int length, int device)
{
    host_error error = out && length > 0 ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) snprintf(out, (size_t)length, "%04x:%02x:%02x.0", attribute(50), attribute(33), attribute(34));
    return error;
}

CU(cuDeviceGetByPCIBusId)(int *device, const char *id)
{
    char own[32];
    if (!device || !id) return HOST_INVALID_VALUE;
    int error = lw_cuda_cuDeviceGetPCIBusId(own, sizeof own, 0);
    if (error) return error;
    *device = 0;
    return strcmp(own, id) && strcmp(own + 5, id) ? HOST_INVALID_DEVICE : 0;
}

CU(cuDeviceGetTexture1DLinearMaxWidth)(size_t *out, int format, unsigned channels, int device)
{
    host_format unused;
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) error = cu_format(format, channels, &unused);
    if (!error) *out = (size_t)attribute(69);
    return error;
}

CU(cuDeviceGetExecAffinitySupport)(int *out, int type, int device)
{
    host_error error = out && type == 0 ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *out = 0; /* contexts on part of the SMs: not offered */
    return error;
}

/* ---- pools of the device ---- */
CU(cuDeviceGetDefaultMemPool)(void **out, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *out = host_pool_default(cu_host(), MEM_DEVICE);
    return error;
}

CU(cuDeviceGetMemPool)(void **out, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *out = host_pool_current(cu_host(), MEM_DEVICE);
    return error;
}

CU(cuDeviceSetMemPool)(int device, void *pool)
{
    host_error error = cu_check_device(device);
    return cu_end(error ? error : host_pool_set_current(cu_host(), MEM_DEVICE, pool));
}

/* Memory of graphs comes from the one device memory: none is held back. */
CU(cuDeviceGraphMemTrim)(int device) { return cu_check_device(device); }

CU(cuDeviceGetGraphMemAttribute)(int device, int which, void *value)
{
    host_error error = value && which >= 0 && which <= 3 ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *(uint64_t *)value = 0;
    return error;
}

CU(cuDeviceSetGraphMemAttribute)(int device, int which, void *value)
{
    return value && (which == 1 || which == 3) ? cu_check_device(device) : HOST_INVALID_VALUE;
}

/* ---- peers: there are none ---- */
CU(cuDeviceCanAccessPeer)(int *out, int device, int peer)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) error = cu_check_device(peer);
    if (!error) *out = 0;
    return error;
}

CU(cuDeviceGetP2PAttribute)(int *out, int which, int from, int to)
{
    (void)which;
    host_error error = out ? cu_check_device(from) : HOST_INVALID_VALUE;
    if (!error) error = cu_check_device(to);
    return error ? error : HOST_INVALID_DEVICE; /* the two must differ */
}

CU(cuCtxEnablePeerAccess)(const cu_context *peer, unsigned flags)
{
    CU_NEED;
    if (flags) return HOST_INVALID_VALUE;
    return cu_context_valid(peer) ? HOST_PEER_ACCESS_UNSUPPORTED : HOST_DEVICE_UNINITIALIZED;
}

CU(cuCtxDisablePeerAccess)(const cu_context *peer)
{
    CU_NEED;
    return cu_context_valid(peer) ? HOST_PEER_ACCESS_NOT_ENABLED : HOST_DEVICE_UNINITIALIZED;
}
