/* What stands at an address of the program's own code (code_place.c). */
#ifndef LW_HOST_CODE_PLACE_H
#define LW_HOST_CODE_PLACE_H

#include "fatbin/fatbin.h"

typedef struct host_code_place {
    struct fatbin_function function; /* mangled; "" if it has no symbol */
    struct fatbin_line line;         /* line 0: not known */
} host_code_place;

/* path: the program or library; address: in that file, as addr2line takes it. Safe in signal handlers. */
void host_code_place_read(const char *path, uint64_t address, host_code_place *out);

#endif
