/* array: all arrays of the context (array.c, mipmap.c). */
#ifndef LW_HOST_ARRAY_PRIV_H
#define LW_HOST_ARRAY_PRIV_H

#include "host/array.h"
#include "host/state_priv.h"

struct host_array_list {
    LW_VEC(host_array *) all;
    LW_VEC(host_mipmap *) mipmaps;
};

void host_array_end(host_context *context, host_array *array); /* whatever it belongs to */
void host_arrays_free(host_context *context);

#endif
