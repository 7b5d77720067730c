/* managed: all hints of the context (managed.c). */
#ifndef LW_HOST_MANAGED_PRIV_H
#define LW_HOST_MANAGED_PRIV_H

#include "host/managed.h"
#include "host/state_priv.h"

host_hints *host_hints_make(void);
void host_hints_free(host_context *context);

#endif
