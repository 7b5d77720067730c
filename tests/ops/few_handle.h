#ifndef LW_OPS_TEST_FEW_HANDLE_H
#define LW_OPS_TEST_FEW_HANDLE_H

#include "harness.h"

/* A second handle of the device, shown as one of a single multiprocessor; the caller destroys it. */
lw_ops *test_few_handle(test_state *t);

#endif
