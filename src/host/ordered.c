/* ordered.c: such arrays are known by the serial numbers of their allocations; the last ones. Copies of them are missed, and one that is
 * written anew stays in the list: then its rows carry a mark that says too much. */
#include "host/ordered_priv.h"

#include <string.h>

#include "host/kernel_priv.h"

enum { KEPT = 64, PARAMETERS = 31 };

struct host_ordered {
    uint64_t serials[KEPT]; /* of allocations, in a ring */
    uint32_t next;
};

host_ordered *host_ordered_make(void) { return lw_alloc(sizeof(host_ordered)); }

static bool is_kept(const host_ordered *o, uint64_t serial)
{
    for (uint32_t k = 0; k < KEPT; k++)
        if (o->serials[k] == serial) return true;
    return false;
}

/* The serial number of the allocation that the k-th 8 bytes of the parameters point into; 0: none. */
static uint64_t serial_of(const host_context *c, const host_launch_facts *facts, uint32_t k)
{
    const uint8_t *params = facts->op->u.kernel.params;
    uint64_t address = 0;
    mem_allocation a;
    if (!params || 8 * (k + 1) > facts->op->u.kernel.kernel->code->param_bytes) return 0;
    memcpy(&address, params + 8 * k, sizeof address);
    return address && mem_find(c->memory, address, &a) ? a.serial : 0;
}

uint32_t host_ordered_of_launch(const host_context *c, const host_launch_facts *facts)
{
    uint32_t arrays = 0;
    for (uint32_t k = 0; c->ordered->next && k < PARAMETERS; k++) {
        uint64_t serial = serial_of(c, facts, k);
        if (serial && is_kept(c->ordered, serial)) arrays |= UINT32_C(1) << (k + 1);
    }
    return arrays;
}

void host_ordered_note(const host_context *c, const host_launch_facts *facts, uint32_t arrays)
{
    host_ordered *o = c->ordered;
    const code_kernel *code = facts->op->u.kernel.kernel->code;
    const uint32_t *grid = facts->op->u.kernel.config.grid;
    bool several = (uint64_t)grid[0] * grid[1] * grid[2] > 1;
    uint32_t filled = 0;
    for (uint32_t s = 0; s < code->site_count; s++) {
        const code_site *site = &code->sites[s];
        bool ordered = (site->ordered && several) || (site->address_from | site->stored_from) & arrays;
        if (site->writes && ordered && facts->result->site_inst[s]) filled |= UINT32_C(1) << site->array;
    }
    for (uint32_t k = 0; k < PARAMETERS; k++) {
        uint64_t serial = filled >> (k + 1) & 1 ? serial_of(c, facts, k) : 0;
        if (serial && !is_kept(o, serial)) o->serials[o->next++ % KEPT] = serial;
    }
}
