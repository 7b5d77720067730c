/* Virtual memory management (virtual.c): physical memory behind handles, reserved addresses, and mappings of the one at
 * the other. */
#ifndef LW_HOST_VIRTUAL_H
#define LW_HOST_VIRTUAL_H

#include "host/managed.h"
#include "host/types.h"

#define HOST_PHYSICAL_GRAIN (UINT64_C(2) << 20) /* of sizes and addresses, as on a card */

typedef struct host_physical host_physical;
typedef struct host_physical_props { /* as CUmemAllocationProp */
    int type, handle_types;
    host_location location;
    void *metadata;
    uint8_t flags[8];
} host_physical_props;

host_error host_physical_check(host_context *context, const host_physical_props *props);
host_error host_physical_create(host_context *context, uint64_t bytes, const host_physical_props *props,
                                host_physical **out);
bool host_physical_valid(host_context *context, const host_physical *physical);
const host_physical_props *host_physical_properties(const host_physical *physical);
/* One holder less; what nobody holds or maps is freed. */
host_error host_physical_release(host_context *context, host_physical *physical);
/* One holder more of what is mapped at the address. */
host_error host_physical_at(host_context *context, uint64_t address, host_physical **out);
/* A file descriptor for the caller to close; the same memory in this process or another one of the run. */
host_error host_physical_export(host_context *context, const host_physical *physical, int *out_fd);
host_error host_physical_import(host_context *context, int fd, host_physical **out);

host_error host_virtual_reserve(host_context *context, uint64_t bytes, uint64_t alignment, uint64_t wanted,
                                uint64_t *out_address);
host_error host_virtual_free(host_context *context, uint64_t address, uint64_t bytes);
host_error host_virtual_map(host_context *context, uint64_t address, uint64_t bytes, host_physical *physical);
host_error host_virtual_unmap(host_context *context, uint64_t address, uint64_t bytes);
/* access: cudaMemAccessFlags. The range consists of whole mappings. */
host_error host_virtual_set_access(host_context *context, uint64_t address, uint64_t bytes, host_location location,
                                   int access);
host_error host_virtual_access(host_context *context, uint64_t address, host_location location, int *out_access);
/* Mappings, reservations and handles: they outlive contexts, and a reset, and end with the process's memory. */
void host_virtual_free_all(host_context *context);

#endif
