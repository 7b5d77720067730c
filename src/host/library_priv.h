/* library: calls of libraries as operations (library.c). */
#ifndef LW_HOST_LIBRARY_PRIV_H
#define LW_HOST_LIBRARY_PRIV_H

#include "host/emit_priv.h"

void host_library_run(host_context *context, const host_op *op, const host_place *at);

#endif
