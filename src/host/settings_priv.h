/* settings: what cudaDeviceSetLimit and the like set (settings.c). */
#ifndef LW_HOST_SETTINGS_PRIV_H
#define LW_HOST_SETTINGS_PRIV_H

#include "host/settings.h"
#include "host/state_priv.h"

struct host_settings {
    struct {
        uint64_t limits[HOST_LIMIT_COUNT]; /* by host_limit */
        unsigned flags;
        int cache; /* host_cache_preference */
        int banks; /* host_bank_width */
    } of[HOST_DEVICES_MOST];
};

void host_settings_default(host_context *context, uint32_t device);

static inline uint64_t host_limit_of(const host_context *c, uint32_t device, enum host_limit limit)
{
    return c->settings->of[device].limits[limit];
}

#endif
