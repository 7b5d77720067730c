/* Facts of the chosen device, as both APIs ask for them by attribute number (attributes.def). */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "device/profile.h"
#include "host/device_priv.h"
#include "host/state_priv.h"

const struct device_profile *host_device_find(const char *name, lw_error *error)
{
    device_profile *profile = lw_alloc(sizeof *profile);
    if (device_find(name, profile, error)) return NULL; /* once per process: the profile lives as long as it does */
    return profile;
}

uint64_t host_device_profile_bytes(const struct device_profile *profile) { return profile->memory_bytes; }

uint32_t host_device_cc(const host_context *c) { return c->device ? c->device->cc : 0; }

void host_device_cc_text(const host_context *c, char out[8])
{
    snprintf(out, 8, "%u.%u", c->device ? c->device->cc_major : 0, c->device ? c->device->cc_minor : 0);
}

const char *host_device_name(const host_context *c) { return c->device ? c->device->name : "none"; }

/* The machine's number of a device that the program sees. */
static uint32_t number_of(const host_context *c, uint32_t device)
{
    return c->options.hides ? c->options.numbers[device] : device;
}

/* A stable identity: a hash of the name, with the device's number, in the form of a UUID. */
void host_device_uuid(const host_context *c, uint32_t device, uint8_t out[16])
{
    const char *name = host_device_name(c);
    device = number_of(c, device);
    uint64_t a = lw_hash(name, strlen(name), 1 + 2 * device), b = lw_hash(name, strlen(name), 2 + 2 * device);
    memcpy(out, &a, 8);
    memcpy(out + 8, &b, 8);
    out[6] = (uint8_t)((out[6] & 0x0f) | 0x40);
    out[8] = (uint8_t)((out[8] & 0x3f) | 0x80);
}

uint64_t host_device_memory_bytes(host_context *c) { return c->memory_bytes; }

void host_memory_info(host_context *c, uint32_t device, uint64_t *out_free, uint64_t *out_total)
{
    uint64_t used = 0, limit = 0;
    mem_usage(c->memory, device, &used, &limit);
    *out_total = limit;
    *out_free = used < limit ? limit - used : 0;
}

static int clamp(uint64_t value) { return value > INT_MAX ? INT_MAX : (int)value; }

host_error host_device_attribute(host_context *c, uint32_t device, int attribute, int *out)
{
    if (!out) return HOST_INVALID_VALUE;
    if (c->init_error) return c->init_error;
    const struct device_profile *d = c->device;
    switch (attribute) {
#define FIELD_ATTRIBUTE(name, number, field)                                                                           \
    case number: *out = clamp(d->field); return 0;
#define PRODUCT_ATTRIBUTE(name, number, a, b)                                                                          \
    case number: *out = clamp(d->a * d->b); return 0;
#define FIXED_ATTRIBUTE(name, number, value)                                                                           \
    case number: *out = value; return 0;
#define CLUSTER_ATTRIBUTE(name, number)                                                                                \
    case number: *out = d->max_cluster > 0; return 0;
#define INDEXED_ATTRIBUTE(name, number, value)                                                                         \
    case number: *out = value + (int)number_of(c, device); return 0;
#include "host/attributes.def"
    default: return HOST_INVALID_VALUE;
    }
}
