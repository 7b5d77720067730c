/* Clocks of the device under --time: what a kernel's %clock shows, and what a launch waits for it. */
#include <math.h>

#include "device/profile.h"
#include "host/clocks_priv.h"
#include "host/source_priv.h"
#include "host/time_waits_priv.h"
#include "time/time.h"

static double issue_of(const char *mnemonic) { return time_work_of(mnemonic).issue; }

static const ptx_insn *guards_of(const void *device, const ptx_function *function, const ptx_insn *branch)
{
    return host_branch_guards(device, function, branch);
}

void host_set_clocks(const host_context *c, code_kernel *code)
{
    const device_profile *d = c->device;
    code_clock_costs costs = {
        .issue = issue_of,
        .alu = (double)d->time_alu_cycles,
        .shared = (double)d->time_shared_cycles,
        .l1 = (double)d->time_l1_cycles,
        .l2 = (double)d->time_l2_cycles,
        .barrier = (double)d->time_barrier_cycles,
        .guards = guards_of,
        .device = d,
    };
    code_set_clocks(code, &costs);
}

void host_add_clock_wait(host_context *c, const host_launch_facts *facts, const result_launch *launch,
                         result_time *time)
{
    uint64_t cycles = facts->result->clock_wait;
    if (!cycles) return;
    host_kernel *k = facts->op->u.kernel.kernel;
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    uint64_t resident = c->device->sm_count * LW_MAX(launch->occupancy.blocks_per_sm, 1u);
    double waves = ceil((double)blocks / (double)resident);
    double seconds = waves * (double)cycles / ((double)c->device->clock_khz * 1e3);
    time->seconds += seconds;
    time->low += seconds;
    time->high += seconds;
    time->resource[RESULT_LATENCY] += seconds;
    const code_site *site = &k->code->sites[facts->result->clock_site];
    const ptx_line *shown = host_visible_frame(site->insn->source);
    host_note(c, "%s waits at %s:%u until a clock shows some time; the predicted time contains the longest such wait",
              launch->kernel, shown && shown->file ? shown->file : site->module->name,
              shown ? shown->line : site->insn->line);
}
