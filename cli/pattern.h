/* pattern: what the files of `lanewise pattern` share. */
#ifndef LW_CLI_PATTERN_H
#define LW_CLI_PATTERN_H

#include "lanewise/pattern.h"

#include <stdio.h>

/* One access with everything that is told of it. */
typedef struct pattern_report {
    const char *device;
    lw_access access;
    lw_access_options options;
    lw_access_counts counts;
    lw_bank_map banks;
    bool has_banks;
    lw_remedy remedies[LW_REMEDIES];
    size_t remedy_count;
} pattern_report;

/* The access on one capability. */
typedef struct pattern_generation {
    lw_device_info device;
    lw_access_counts counts;
    char reason[256]; /* why there is no such access there; "" if there is */
} pattern_generation;

typedef struct pattern_generations {
    pattern_generation *items;
    size_t count, capacity;
} pattern_generations;

/* The access on every generic profile, oldest first. */
int pattern_generations_of(const lw_access *access, const lw_access_options *options, pattern_generations *out,
                           lw_message *message);
bool pattern_same_counts(const lw_access_counts *a, const lw_access_counts *b);

/* "32-bit load from shared memory" */
char *pattern_name(const lw_access *access);
/* A counter of interest to people: not the number of lanes and instructions, which they gave. */
bool pattern_is_shown(const char *counter);

void pattern_json(FILE *out, const pattern_report *report, const pattern_generations *all /* or NULL */);
void pattern_all_text(FILE *out, const pattern_generations *all, unsigned width);

#endif
