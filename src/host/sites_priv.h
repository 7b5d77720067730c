/* sites: where the instructions of a kernel stand in its source. */
#ifndef LW_HOST_SITES_PRIV_H
#define LW_HOST_SITES_PRIV_H

#include "code/code.h"
#include "result/result.h"

/* Source facts of one instruction. */
typedef struct host_site_place {
    const char *file, *function; /* function: demangled */
    uint32_t line;
    bool ptx;
    const result_frame *inlined;
    uint32_t inlined_count;
} host_site_place;

typedef struct host_sites {
    lw_arena arena;
    lw_map names;            /* mangled -> demangled */
    host_site_place *places; /* by code_kernel.sites: host_site_of() */
} host_sites;

/* Of those that access memory it is known from the begin: places[site]. */
const host_site_place *host_site_of(host_sites *sites, const code_kernel *kernel, uint32_t site);
host_sites *host_sites_make(const code_kernel *kernel);
void host_sites_free(host_sites *sites); /* NULL: nothing to do */

#endif
