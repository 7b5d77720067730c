/* The runtime's entry points of the calls that it shares with the driver. */
#include "cudart/rt_calls.h"

#define FACE (&rt_face)

#define CALL(need, runtime, driver, params, result)                                                                    \
    RT(runtime) params { return rt_end(result); }
#define TWICE(runtime, driver, suffix, params, result) RT_TWICE(runtime, suffix, params, result)
#include "face/calls.def"
