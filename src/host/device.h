/* Facts of the chosen device (device.c). */
#ifndef LW_HOST_DEVICE_H
#define LW_HOST_DEVICE_H

#include "host/types.h"

/* Device attribute by its CUDA number (cudaDeviceAttr = CUdevice_attribute); HOST_INVALID_VALUE if unknown. */
host_error host_device_attribute(host_context *context, uint32_t device, int attribute, int *out_value);
const char *host_device_name(const host_context *context);
void host_device_uuid(const host_context *context, uint32_t device, uint8_t out[16]);
uint64_t host_device_memory_bytes(host_context *context);
void host_memory_info(host_context *context, uint32_t device, uint64_t *out_free, uint64_t *out_total);

#endif
