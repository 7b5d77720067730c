/* The driver's entry points of the calls that it shares with the runtime. */
#include "cuda/cu_calls.h"

#define FACE (&cu_face)

#define NEED_NOTHING
#define NEED_INIT CU_NEED_INIT;
#define NEED_CONTEXT CU_NEED;
#define CALL(need, runtime, driver, params, result)                                                                    \
    CU(driver) params { NEED_##need return cu_end(result); }
#define TWICE(runtime, driver, suffix, params, result) CU_TWICE(driver, suffix, params, result)
#include "face/calls.def"
