/* Devices: their attributes come from the profile they all have. */
#include <stdio.h>

#include "cuda/driver.h"

CU(cuDeviceGetCount)(int *count)
{
    host_error error = cu_need_init();
    if (error || !count) return cu_end(error ? error : HOST_INVALID_VALUE);
    *count = (int)host_device_count(host_get());
    return cu_end(0);
}

CU(cuDeviceGet)(int *device, int ordinal)
{
    host_error error = device ? cu_check_device(ordinal) : HOST_INVALID_VALUE;
    if (!error) *device = ordinal;
    return cu_end(error);
}

CU(cuDeviceGetName)(char *out, int length, int device)
{
    host_error error = out && length > 0 ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) snprintf(out, (size_t)length, "%s", host_device_name(host_get()));
    return cu_end(error);
}

CU(cuDeviceGetUuid_v2)(uint8_t *out, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) host_device_uuid(host_get(), (uint32_t)device, out);
    return cu_end(error);
}

CU(cuDeviceGetUuid)(uint8_t *out, int device) { return lw_cuda_cuDeviceGetUuid_v2(out, device); }

CU(cuDeviceTotalMem_v2)(size_t *out, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *out = host_device_memory_bytes(host_get());
    return cu_end(error);
}

CU(cuDeviceGetAttribute)(int *out, int attribute, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    return cu_end(error ? error : host_device_attribute(host_get(), (uint32_t)device, attribute, out));
}

CU(cuDeviceComputeCapability)(int *major, int *minor, int device)
{
    host_error error = major && minor ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (error) return cu_end(error);
    *major = face_device_attribute(HOST_DEVICE_COMPUTE_CAPABILITY_MAJOR);
    *minor = face_device_attribute(HOST_DEVICE_COMPUTE_CAPABILITY_MINOR);
    return cu_end(0);
}

CU(cuDeviceGetProperties)(cu_device_prop *out, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (error) return cu_end(error);
    *out = (cu_device_prop){.max_threads_per_block = face_device_attribute(HOST_DEVICE_MAX_THREADS_PER_BLOCK),
                            .max_threads_dim = {face_device_attribute(HOST_DEVICE_MAX_BLOCK_DIM_X),
                                                face_device_attribute(HOST_DEVICE_MAX_BLOCK_DIM_Y),
                                                face_device_attribute(HOST_DEVICE_MAX_BLOCK_DIM_Z)},
                            .max_grid = {face_device_attribute(HOST_DEVICE_MAX_GRID_DIM_X),
                                         face_device_attribute(HOST_DEVICE_MAX_GRID_DIM_Y),
                                         face_device_attribute(HOST_DEVICE_MAX_GRID_DIM_Z)},
                            .shared_per_block = face_device_attribute(HOST_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK),
                            .total_const = face_device_attribute(HOST_DEVICE_TOTAL_CONSTANT_MEMORY),
                            .simd_width = face_device_attribute(HOST_DEVICE_WARP_SIZE),
                            .mem_pitch = face_device_attribute(HOST_DEVICE_MAX_PITCH),
                            .regs_per_block = face_device_attribute(HOST_DEVICE_MAX_REGISTERS_PER_BLOCK),
                            .clock_rate = face_device_attribute(HOST_DEVICE_CLOCK_RATE),
                            .texture_align = face_device_attribute(HOST_DEVICE_TEXTURE_ALIGNMENT)};
    return cu_end(0);
}

CU(cuDeviceGetTexture1DLinearMaxWidth)(size_t *out, int format, unsigned channels, int device)
{
    host_format unused;
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) error = cu_format(format, channels, &unused);
    if (!error) *out = (size_t)face_device_attribute(HOST_DEVICE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    return cu_end(error);
}

CU(cuDeviceGetExecAffinitySupport)(int *out, int type, int device)
{
    host_error error = out && type == 0 ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *out = 0; /* contexts on part of the SMs: not offered */
    return cu_end(error);
}

CU(cuCtxEnablePeerAccess)(const cu_context *peer, unsigned flags)
{
    CU_NEED;
    if (flags) return cu_end(HOST_INVALID_VALUE);
    if (!cu_context_valid(peer)) return cu_end(HOST_DEVICE_UNINITIALIZED);
    return cu_end(host_peer_enable(host_get(), cu_current()->device, peer->device));
}

CU(cuCtxDisablePeerAccess)(const cu_context *peer)
{
    CU_NEED;
    if (!cu_context_valid(peer)) return cu_end(HOST_DEVICE_UNINITIALIZED);
    return cu_end(host_peer_disable(host_get(), cu_current()->device, peer->device));
}
