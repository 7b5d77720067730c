/* cu_calls.h: the prototypes of the entry points in cu_calls.c, for older versions of them. */
#ifndef LW_CU_CALLS_H
#define LW_CU_CALLS_H

#include "cuda/driver.h"

#define CALL(need, runtime, driver, params, result) CU(driver) params;
#define TWICE(runtime, driver, suffix, params, result)                                                                 \
    CU(driver) params;                                                                                                 \
    CU(driver##_##suffix) params;
#include "face/calls.def"
#undef CALL
#undef TWICE

#endif
