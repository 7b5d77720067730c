/* devices.h: the numbers of a device, each with where it comes from and how sure it is.
 *
 *   lw_device_profile *device;
 *   const lw_device_number *number;
 *   if (lw_device_open("h200", &device, &message)) fail(message.text);
 *   size_t count = lw_device_numbers(device, &number);
 *   for (size_t i = 0; i < count; i++) printf("%s %llu\n", number[i].name, (unsigned long long)number[i].value);
 *   lw_device_close(device);
 *
 * Functions that can fail return 0 or a positive number and then fill *message (NULL allowed) with a sentence. Nothing
 * here prints or keeps anything; everything may be called from any thread. */
#ifndef LANEWISE_DEVICES_H
#define LANEWISE_DEVICES_H

#include "lanewise/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_device_number {
    const char *name;     /* "warps_per_sm"; the same for all devices, in the same order */
    const char *unit;     /* "bytes", "kHz", ... or "" */
    const char *text;     /* what it is */
    const char *group;    /* what it is a number of; numbers of a group follow each other */
    uint64_t value;       /* of a single number */
    const uint64_t *list; /* of a list, ascending; NULL: a single number */
    size_t list_count;    /* 0: the list is not known, or the device has nothing of the kind */
    const char *source;
    const char *confidence; /* measured derived header vendor reported remembered assumed; "": an unknown list */
} lw_device_number;

typedef struct lw_device_profile lw_device_profile;

/* spec: as lw_device_find takes it. *out belongs to the caller: lw_device_close(). Fails if there is no such device. */
LW_RUN_API int lw_device_open(const char *spec, lw_device_profile **out, lw_message *message);
/* A profile from a file of the form of data/devices/NAME.json; it may inherit from a built-in one. The message names
 * the file and the line. */
LW_RUN_API int lw_device_open_file(const char *path, lw_device_profile **out, lw_message *message);
LW_RUN_API void lw_device_close(lw_device_profile *profile); /* NULL allowed */

/* What they return belongs to the profile and lives as long; lw_device_numbers() returns how many there are. */
LW_RUN_API const lw_device_info *lw_device_profile_info(const lw_device_profile *profile);
LW_RUN_API size_t lw_device_numbers(const lw_device_profile *profile, const lw_device_number **out);

/* {"lanewise": version, "schema": 1, "devices": [{"id", "name", "cc", "numbers": {NAME: {"value", "unit", "text",
 * "source", "confidence"}}}]}. *out is malloc'ed, NUL-terminated; the caller frees it. */
LW_RUN_API int lw_device_json(lw_device_profile *const *profiles, size_t count, char **out, lw_message *message);

#ifdef __cplusplus
}
#endif

#endif
