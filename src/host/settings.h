/* What a program sets for a device (settings.c). */
#ifndef LW_HOST_SETTINGS_H
#define LW_HOST_SETTINGS_H

#include "host/cuda_numbers.h"
#include "host/types.h"

/* limit: a host_limit. */
host_error host_limit_get(host_context *context, int limit, uint64_t *out_value); /* of the current device */
host_error host_limit_get_on(host_context *context, uint32_t device, int limit, uint64_t *out_value);
host_error host_limit_set(host_context *context, int limit, uint64_t value);

/* Its flags (cudaSetDeviceFlags): read or set. */
void host_device_flags(host_context *context, unsigned *flags, bool set);
/* The current device's preferred cache configuration (host_cache_preference): read or set. */
/* What persists in L2 does so no more, once all that was put has run (client_caches.c). */
host_error host_persisting_reset(host_context *context);
host_error host_cache_config(host_context *context, int *config, bool set);
/* Width of the banks of shared memory (host_bank_width): read or set. Only 3.x takes notice. */
host_error host_bank_config(host_context *context, int *config, bool set);

#endif
