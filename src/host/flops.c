/* The rows of a launch's floating-point operations: by source line. */
#include "host/flops_priv.h"
#include "host/kernel_priv.h"
#include "time/flops.h"

static void set(counter_set *counters, counter_id id, double value)
{
    if (value <= 0) return;
    counters->present |= 1u << id;
    counters->value[id] = (uint64_t)(value + 0.5);
}

bool host_flops_of_site(const code_kernel *code, const exec_result *result, uint32_t site, counter_set *out)
{
    *out = (counter_set){0};
    if (!result->site_inst || !result->site_inst[site]) return false;
    time_flops f = time_flops_of(code->sites[site].insn->mnemonic);
    double lanes = (double)result->site_lanes[site];
    set(out, COUNTER_FLOP_FP16, f.fp16 * lanes);
    set(out, COUNTER_FLOP_FP32, f.fp32 * lanes);
    set(out, COUNTER_FLOP_FP64, f.fp64 * lanes);
    set(out, COUNTER_FLOP_TENSOR, f.tensor * (double)result->site_inst[site]);
    return out->present;
}
