/* trap: accesses of the host to device memory, which fault, as findings (trap.c). */
#ifndef LW_HOST_TRAP_PRIV_H
#define LW_HOST_TRAP_PRIV_H

#include "host/types.h"

/* Puts a handler before the process's own for SIGSEGV and SIGBUS; again after the program has installed one. */
void host_trap_install(host_context *context);

#endif
