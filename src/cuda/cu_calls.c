/* The driver's entry points of the calls that it shares with the runtime. */
#include "cuda/cu_calls.h"

#define FACE (&cu_face)

#define NEED_NOTHING
#define NEED_INIT CU_NEED_INIT;
#define NEED_CONTEXT CU_NEED;
#define CALL(need, runtime, driver, params, result)                                                                    \
    CU(driver) params { NEED_##need return cu_end(result); }
#define TWICE(runtime, driver, suffix, params, result)                                                                 \
    CU(driver) params                                                                                                  \
    {                                                                                                                  \
        const bool per_thread = false;                                                                                 \
        CU_NEED;                                                                                                       \
        return cu_end(result);                                                                                         \
    }                                                                                                                  \
    CU(driver##_##suffix) params                                                                                       \
    {                                                                                                                  \
        const bool per_thread = true;                                                                                  \
        CU_NEED;                                                                                                       \
        return cu_end(result);                                                                                         \
    }
#include "face/calls.def"
