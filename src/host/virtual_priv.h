/* virtual: the part of the context that virtual memory management has (virtual.c). */
#ifndef LW_HOST_VIRTUAL_PRIV_H
#define LW_HOST_VIRTUAL_PRIV_H

#include "host/state_priv.h"
#include "host/virtual.h"

host_virtual *host_virtual_make(void);

#endif
