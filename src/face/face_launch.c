/* Launch configurations. */
#include <string.h>

#include "face/face.h"

host_launch_config face_config(const uint32_t grid[3], const uint32_t block[3], uint64_t shared, host_stream *stream)
{
    host_launch_config config = {.dynamic_shared = shared, .stream = stream};
    memcpy(config.grid, grid, sizeof config.grid);
    memcpy(config.block, block, sizeof config.block);
    return config;
}

static host_error set_attribute(const face *self, host_launch_config *config, int id, const face_attribute_value *value)
{
    switch (id) {
    case FACE_ATTRIBUTE_COOPERATIVE: config->cooperative = value->number != 0; return 0;
    case FACE_ATTRIBUTE_CLUSTER:
        memcpy(config->cluster, value->cluster, sizeof config->cluster);
        config->cluster_given = true;
        return 0;
    case FACE_ATTRIBUTE_ACCESS_POLICY:
        config->window = value->window;
        config->window_given = true;
        return host_access_window_check(host_get(), host_device_current(host_get()), &value->window);
    case FACE_ATTRIBUTE_PROGRAMMATIC: config->programmatic = value->number != 0; return 0;
    case FACE_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case FACE_ATTRIBUTE_COMPLETION_EVENT:
        if (!host_event_valid(host_get(), value->event.event)) return HOST_INVALID_RESOURCE_HANDLE;
        config->completion_event = value->event.event;
        return 0;
    case FACE_ATTRIBUTE_PRIORITY: config->priority = value->number; return 0;
    case FACE_ATTRIBUTE_UPDATABLE_NODE:
        return value->number ? face_unsupported("", self->updatable_node, self->not_supported) : 0;
    default: /* hints: domains, scheduling, carve-out */
        return id >= 0 && id <= FACE_ATTRIBUTE_LAST ? 0 : HOST_INVALID_VALUE;
    }
}

host_error face_config_attributes(const face *self, host_launch_config *config, const face_attribute *attributes,
                                  uint32_t count)
{
    host_error error = 0;
    for (uint32_t i = 0; i < count && !error; i++)
        error = set_attribute(self, config, attributes[i].id, &attributes[i].value);
    return error;
}

/* The keys of extra[]. */
#define EXTRA_POINTER ((void *)1)
#define EXTRA_SIZE ((void *)2)

host_error face_packed(void **extra, const void **out, size_t *out_bytes)
{
    *out = NULL;
    *out_bytes = 0;
    for (void **e = extra; e && *e; e += 2) {
        if (*e == EXTRA_POINTER) *out = e[1];
        else if (*e == EXTRA_SIZE && e[1]) *out_bytes = *(const size_t *)e[1];
        else return HOST_INVALID_VALUE;
    }
    return 0;
}
