/* What a program sets for a device: limits, preferred cache, width of the banks. */
#include <string.h>

#include "device/profile.h"
#include "host/device.h"
#include "host/devices.h"
#include "host/queue_priv.h"
#include "host/settings_priv.h"
#include "host/state_priv.h"

#define PERSISTING_PARTS 10u

/* Bytes of L2 that are set aside together: of an H200's 39321600 a tenth, to which a limit is rounded up. */
static uint64_t persisting_part(host_context *c)
{
    int most = 0;
    host_device_attribute(c, 0, HOST_DEVICE_MAX_PERSISTING_L2_CACHE_SIZE, &most);
    return (uint64_t)most / PERSISTING_PARTS;
}

void host_settings_default(host_context *c, uint32_t device)
{
    /* As an H200 answers: stack, printf, heap, sync depth (none), pending launches, L2 fetch; the last two come from
     * the device: three parts of the L2 that can be set aside, and the shared memory of a block. */
    static const uint64_t defaults[HOST_LIMIT_COUNT] = {1024, 8650752, 8388608, 0, 2048, 64, 0, 0};
    uint64_t *limits = c->settings->of[device].limits;
    memcpy(limits, defaults, sizeof defaults);
    if (!c->device) return;
    int shared = 0;
    host_device_attribute(c, 0, HOST_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &shared);
    limits[HOST_LIMIT_PERSISTING_L2] = 3 * persisting_part(c);
    limits[HOST_LIMIT_SHARED_MEMORY] = (uint64_t)shared;
}

host_error host_limit_get_on(host_context *c, uint32_t device, int limit, uint64_t *out)
{
    if (!out || limit < 0 || limit >= HOST_LIMIT_COUNT) return HOST_INVALID_VALUE;
    if (limit == HOST_LIMIT_SYNC_DEPTH) return HOST_UNSUPPORTED_LIMIT;
    *out = c->settings->of[device].limits[limit];
    return 0;
}

host_error host_limit_get(host_context *c, int limit, uint64_t *out)
{
    return host_limit_get_on(c, host_device_current(c), limit, out);
}

host_error host_limit_set(host_context *c, int limit, uint64_t value)
{
    uint32_t device = host_device_current(c);
    if (limit < 0 || limit > HOST_LIMIT_PERSISTING_L2) return HOST_INVALID_VALUE;
    if (limit == HOST_LIMIT_SYNC_DEPTH) return HOST_UNSUPPORTED_LIMIT;
    if (limit == HOST_LIMIT_STACK_SIZE && value > 512 * 1024)
        return HOST_INVALID_VALUE; /* 512 KB of local memory per thread at most */
    if (limit == HOST_LIMIT_PERSISTING_L2 && value > persisting_part(c) * PERSISTING_PARTS) return HOST_INVALID_VALUE;
    host_queue_drain(c);
    host_lock(c);
    if (limit == HOST_LIMIT_MALLOC_HEAP_SIZE) {
        if (c->heaps[device]) {
            host_unlock(c);
            return HOST_INVALID_VALUE; /* the heap's size is fixed once a kernel has used it */
        }
        value = LW_MAX(value, UINT64_C(4) << 20);
    }
    if (limit == HOST_LIMIT_PENDING_LAUNCHES) value = LW_MAX(value, UINT64_C(32)); /* an H200's least */
    if (limit == HOST_LIMIT_PERSISTING_L2) value = lw_round_up(value, LW_MAX(persisting_part(c), UINT64_C(1)));
    if (limit == HOST_LIMIT_STACK_SIZE) value = lw_round_up(value, 16);
    if (limit == HOST_LIMIT_L2_FETCH_GRANULARITY) value = LW_MIN(value, UINT64_C(128));
    c->settings->of[device].limits[limit] = value;
    host_unlock(c);
    return 0;
}

host_error host_bank_config(host_context *c, int *config, bool set)
{
    host_error error = host_status(c);
    if (error) return error;
    if (set && (*config < 0 || *config >= HOST_BANK_WIDTHS)) return HOST_INVALID_VALUE;
    if (set) c->settings->of[host_device_current(c)].banks = *config;
    else
        *config = c->device->cc / 10 == 3 && c->settings->of[host_device_current(c)].banks == HOST_BANKS_EIGHT_BYTES
                      ? HOST_BANKS_EIGHT_BYTES
                      : HOST_BANKS_FOUR_BYTES;
    return 0;
}

host_error host_cache_config(host_context *c, int *config, bool set)
{
    host_error error = host_status(c);
    if (error) return error;
    if (set && (*config < 0 || *config >= HOST_CACHE_PREFERENCES)) return HOST_INVALID_VALUE;
    if (set) c->settings->of[host_device_current(c)].cache = *config;
    else *config = c->settings->of[host_device_current(c)].cache;
    return 0;
}

void host_device_flags(host_context *c, unsigned *flags, bool set)
{
    unsigned *its = &c->settings->of[host_device_current(c)].flags;
    if (set) *its = *flags;
    else *flags = *its;
}
