/* device, internal: the profile texts, generated from data/devices by tools/embed.cmake. */
#ifndef LW_DEVICE_DATA_H
#define LW_DEVICE_DATA_H

#include <stddef.h>

struct device_data {
    const char *file; /* "h200.json" */
    const char *json;
};
extern const struct device_data device_data[];
extern const size_t device_data_count;

#endif
