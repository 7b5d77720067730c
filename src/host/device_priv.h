/* device: the profile that a context is made with (device.c). */
#ifndef LW_HOST_DEVICE_PRIV_H
#define LW_HOST_DEVICE_PRIV_H

#include "host/device.h"

/* Profile by name ("H200", "cc:9.0"; NULL: the default), or NULL with a reason. */
const struct device_profile *host_device_find(const char *name, lw_error *error);
uint64_t host_device_profile_bytes(const struct device_profile *profile);
uint32_t host_device_cc(const host_context *context); /* 90 */
void host_device_cc_text(const host_context *context, char out[8]);

#endif
