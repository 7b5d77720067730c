/* Internal to fatbin: the numbers of the container format (told in walk.c), and what several of its files share. */
#ifndef LW_FATBIN_FORMAT_H
#define LW_FATBIN_FORMAT_H

#include "fatbin/fatbin.h"

#define FATBIN_MAGIC 0xBA55ED50u
#define FATBIN_HEADER 16u
#define FATBIN_ENTRY_HEADER 64u
#define FATBIN_RAW_PTX 1u
#define FATBIN_RAW_ELF 2u

/* Offsets in an entry's header. */
enum {
    FATBIN_AT_KIND = 0,
    FATBIN_AT_TWO = 2, /* always 0x0101 */
    FATBIN_AT_HEADER_SIZE = 4,
    FATBIN_AT_STORED = 8,
    FATBIN_AT_COMPRESSED = 16,
    FATBIN_AT_OPTIONS = 20,
    FATBIN_AT_MINOR = 24,
    FATBIN_AT_MAJOR = 26,
    FATBIN_AT_SM = 28,
    FATBIN_AT_NAME = 32,
    FATBIN_AT_NAME_SIZE = 36,
    FATBIN_AT_FLAGS = 40,
    FATBIN_AT_UNCOMPRESSED = 56,
};

/* Whether bytes look like PTX text: after white space a comment or a directive. */
bool fatbin_is_ptx_text(lw_span bytes);
/* Sets sm, arch_suffix and version of an entry from the directives .version and .target of its text, where there. */
void fatbin_scan_ptx(lw_span text, struct fatbin_entry *entry);
/* Whether machine code of this entry runs on a device. */
bool fatbin_cubin_fits(const struct fatbin_entry *entry, uint32_t sm, bool arch_features);
/* Whether a cubin holds any function: what the device linker makes for a program without kernels holds none. */
bool fatbin_cubin_has_code(lw_span cubin);
/* Whether entry is the better choice of two that fit: newer, at one sm more specific. */
bool fatbin_better(const struct fatbin_entry *entry, const struct fatbin_entry *than);

#endif
