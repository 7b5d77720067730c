/* settings: what cudaDeviceSetLimit and the like set (settings.c). */
#ifndef LW_HOST_SETTINGS_PRIV_H
#define LW_HOST_SETTINGS_PRIV_H

#include "host/settings.h"
#include "host/state_priv.h"

struct host_settings {
    uint64_t limits[HOST_LIMIT_COUNT]; /* by host_limit */
    int cache;                         /* host_cache_preference */
    int banks;                         /* host_bank_width */
};

void host_settings_default(host_context *context);

#endif
