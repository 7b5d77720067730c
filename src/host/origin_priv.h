/* origin: where in the program memory was allocated and freed (origin.c). */
#ifndef LW_HOST_ORIGIN_PRIV_H
#define LW_HOST_ORIGIN_PRIV_H

#include "host/call_place.h"
#include "host/state_priv.h"

host_origins *host_origins_make(void);
void host_origins_forked(host_context *context);

/* The number of the place that the calling thread's call came from: 1, 2, 3 ..., the same for the same stack. 0: not
 * taken. Stacks cost microseconds: unless memory is checked, only the first few thousand are taken. */
uint32_t host_origin_here(host_context *context);
/* NULL: not known. It stays as long as the context. */
const host_call_place *host_origin_place(host_context *context, uint32_t origin);
/* "reduce.cu:41"; "" without a source line. A mem_namer; user: the context. */
void host_origin_name(void *context, uint32_t origin, char *out, size_t size);

#endif
