/* ptx_lines: the PTX of a kernel by source line (ptx_lines.c), for who writes the rows of a launch. */
#ifndef LW_HOST_PTX_LINES_PRIV_H
#define LW_HOST_PTX_LINES_PRIV_H

#include "exec/exec.h"
#include "host/kernel_priv.h"
#include "host/state_priv.h"

/* The kernel's sites are made. false: it was not asked for, or enough launches of the kernel have it. */
bool host_ptx_lines(const host_context *context, host_kernel *kernel, const exec_result *result, lw_text *out);

#endif
