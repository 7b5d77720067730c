/* device: profiles of GPUs, from data/devices, built into the library. Every number has a source.
 *
 * Names: "h200", "H200", "NVIDIA H200" (a board; upper and lower case are one), "cc:9.0" or "sm_90" (a capability with
 * the numbers of a chip that has it). A profile is a plain value: copy it freely, nothing to free. */
#ifndef LW_DEVICE_PROFILE_H
#define LW_DEVICE_PROFILE_H

#include "base/base.h"

#define DEVICE_DEFAULT "h200"
#define DEVICE_CARVEOUTS 16
#define DEVICE_GPCS 32

typedef struct device_profile {
    char id[32];   /* "h200", "cc:9.0" */
    char name[64]; /* "NVIDIA H200" */
    uint32_t cc;   /* 10 * major + minor: 90, 120 */
    uint32_t cc_major, cc_minor;
#define FIELD(name, unit, text) uint64_t name;
#include "device/fields.def"
#undef FIELD
    /* What the shared memory of a multiprocessor can be set to, ascending; count 0: it is not shared with L1. */
    uint64_t shared_carveouts[DEVICE_CARVEOUTS];
    uint32_t shared_carveout_count;
    /* Multiprocessors in each group that can hold a cluster; count 0: not known. */
    uint32_t gpc_sms[DEVICE_GPCS];
    uint32_t gpc_count;
} device_profile;

typedef enum device_field {
#define FIELD(name, unit, text) DEVICE_##name,
#include "device/fields.def"
#undef FIELD
    DEVICE_FIELD_COUNT
} device_field;

/* One number with where it comes from. */
typedef struct device_fact {
    const char *name, *unit, *text;
    const char *group; /* what it is a number of: "the multiprocessor" */
    uint64_t value;    /* of a list: how many it has */
    char source[320];
    char confidence[16]; /* measured derived header vendor reported remembered assumed; "": a list that is not known */
} device_fact;

/* Every number, then the two lists: shared_carveouts, gpc_sms. */
#define DEVICE_FACT_COUNT (DEVICE_FIELD_COUNT + 2)

/* LW_NOT_FOUND: the message gives near names. NULL or "" = DEVICE_DEFAULT. */
lw_status device_find(const char *name, device_profile *out, lw_error *error);
/* Calls visit for every built-in profile, boards first. */
lw_status device_each(void (*visit)(void *user, const device_profile *profile), void *user, lw_error *error);
/* All numbers of a device with their sources: facts[DEVICE_sm_count] ... */
lw_status device_describe(const char *name, device_profile *out, device_fact facts[DEVICE_FACT_COUNT], lw_error *error);
lw_status device_get_fact(const char *name, device_field field, device_fact *out, lw_error *error);
/* Parses one profile text (a file of the same form); parent, where the text inherits, is looked up among the built-in
 * ones. source_name is for messages, which name the line: "device profile x.json:7: unknown number 'sms'". */
lw_status device_parse(const char *json, size_t size, const char *source_name, device_profile *out, lw_error *error);
lw_status device_parse_facts(const char *json, size_t size, const char *source_name, device_profile *out,
                             device_fact facts[DEVICE_FACT_COUNT], lw_error *error);

#endif
