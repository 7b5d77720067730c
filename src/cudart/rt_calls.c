/* The runtime's entry points of the calls that it shares with the driver. */
#include "cudart/rt_calls.h"

#define FACE (&rt_face)

#define CALL(need, runtime, driver, params, result)                                                                    \
    RT(runtime) params { return rt_end(result); }
#define TWICE(runtime, driver, suffix, params, result)                                                                 \
    RT(runtime) params                                                                                                 \
    {                                                                                                                  \
        const bool per_thread = false;                                                                                 \
        return rt_end(result);                                                                                         \
    }                                                                                                                  \
    RT(runtime##_##suffix) params                                                                                      \
    {                                                                                                                  \
        const bool per_thread = true;                                                                                  \
        return rt_end(result);                                                                                         \
    }
#include "face/calls.def"
