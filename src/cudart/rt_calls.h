/* rt_calls.h: the prototypes of the entry points in rt_calls.c, for calls of the runtime's own that are made of them. */
#ifndef LW_RT_CALLS_H
#define LW_RT_CALLS_H

#include "cudart/cudart.h"

#define CALL(need, runtime, driver, params, result) RT(runtime) params;
#define TWICE(runtime, driver, suffix, params, result)                                                                 \
    RT(runtime) params;                                                                                                \
    RT(runtime##_##suffix) params;
#include "face/calls.def"
#undef CALL
#undef TWICE

#endif
