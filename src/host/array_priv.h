/* array: all arrays of the context (array.c). */
#ifndef LW_HOST_ARRAY_PRIV_H
#define LW_HOST_ARRAY_PRIV_H

#include "host/array.h"
#include "host/state_priv.h"

struct host_array_list {
    LW_VEC(host_array *) all;
};

void host_arrays_free(host_context *context);

#endif
