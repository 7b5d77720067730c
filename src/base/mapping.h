/* What lies at an address of this process (mapping.c). */
#ifndef LW_BASE_MAPPING_H
#define LW_BASE_MAPPING_H

#include "base/base.h"

typedef struct lw_mapping {
    bool writable;
    char name[1024]; /* of a file: its path; "[heap]", "[stack]"; "" for other anonymous memory */
    char file
        [1024]; /* the file that is loaded here: name, or of the .bss behind a file's mappings that file's; else "" */
    uint64_t base; /* of file: the first address that it is mapped at */
} lw_mapping;

/* From /proc/self/maps; false: nothing is mapped there. Safe in signal handlers. */
bool lw_mapping_at(uint64_t address, lw_mapping *out);

#endif
