/* flops: floating-point operations of a launch, with --time (flops.c). */
#ifndef LW_HOST_FLOPS_PRIV_H
#define LW_HOST_FLOPS_PRIV_H

#include "code/code.h"
#include "exec/exec.h"
#include "result/result.h"

/* What an instruction did in a launch; false: nothing that counts. */
bool host_flops_of_site(const code_kernel *code, const exec_result *result, uint32_t site, counter_set *out);

#endif
