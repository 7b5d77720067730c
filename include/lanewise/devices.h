/* devices.h: every number of a device profile, with its source and its confidence.
 *
 *   lw_device_profile *device;
 *   const lw_device_number *number;
 *   if (lw_device_open("h200", &device, &message)) fail(message.text);
 *   size_t count = lw_device_numbers(device, &number);
 *   for (size_t i = 0; i < count; i++) printf("%s %llu\n", number[i].name, (unsigned long long)number[i].value);
 *   lw_device_close(device);
 *
 * Errors: functions that can fail return 0 on success. On failure they return a positive number and write one sentence
 * to *message (which may be NULL). Threads: all functions may be called from any thread; a profile does not change
 * after it was opened. No function prints anything or keeps state. */
#ifndef LANEWISE_DEVICES_H
#define LANEWISE_DEVICES_H

#include "lanewise/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_device_number {
    const char *name;       /* such as "warps_per_sm"; all devices have the same names in the same order */
    const char *unit;       /* "bytes", "kHz", ... or "" */
    const char *text;       /* a description */
    const char *group;      /* the heading it belongs under; numbers of a group are adjacent */
    uint64_t value;         /* if it is a single number */
    const uint64_t *list;   /* if it is a list: the values in ascending order; NULL for a single number */
    size_t list_count;      /* 0: the list is not known, or the device has nothing of this kind */
    const char *source;     /* where the number comes from: a document, a header, a measurement */
    const char *confidence; /* measured derived header vendor reported remembered assumed; "" for an unknown list */
} lw_device_number;

typedef struct lw_device_profile lw_device_profile;

/* Opens the profile of a device. spec: see lw_device_find(). The caller owns *out and closes it with
 * lw_device_close(). Fails if there is no such device. */
LW_RUN_API int lw_device_open(const char *spec, lw_device_profile **out, lw_message *message);
/* Opens a profile from a file in the format of data/devices/NAME.json, which may inherit from a built-in profile. The
 * caller owns *out. If the file is wrong, the message names the file and the line. */
LW_RUN_API int lw_device_open_file(const char *path, lw_device_profile **out, lw_message *message);
/* Frees a profile and everything that was returned for it. NULL is allowed. */
LW_RUN_API void lw_device_close(lw_device_profile *profile);

/* What these two return belongs to the profile and is valid until it is closed. lw_device_numbers() sets *out to an
 * array and returns its length. */
LW_RUN_API const lw_device_info *lw_device_profile_info(const lw_device_profile *profile);
LW_RUN_API size_t lw_device_numbers(const lw_device_profile *profile, const lw_device_number **out);

/* Writes `count` profiles as one JSON document: {"lanewise": version, "schema": 1, "devices": [{"id", "name", "cc",
 * "numbers": {NAME: {"value", "unit", "text", "source", "confidence"}}}]}. *out is a NUL-terminated string; the caller
 * frees it with free(). */
LW_RUN_API int lw_device_json(lw_device_profile *const *profiles, size_t count, char **out, lw_message *message);

#ifdef __cplusplus
}
#endif

#endif
