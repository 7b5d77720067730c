/* clocks: what device code sees of time, with --time (clocks.c). */
#ifndef LW_HOST_CLOCKS_PRIV_H
#define LW_HOST_CLOCKS_PRIV_H

#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/state_priv.h"

void host_set_clocks(const host_context *context, code_kernel *code); /* before its first launch */
/* Adds what the launch waited for a clock to its predicted time, and says so. */
void host_add_clock_wait(host_context *context, const host_launch_facts *facts, const result_launch *launch,
                         result_time *time);

#endif
