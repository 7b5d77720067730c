/* model: what the memory hardware would have counted. A client of events; results are counter sets per instruction.
 *
 * Use: model_create, hand model_sink() to execution, afterwards model_result for every (instruction, space, op) of
 * interest or model_each for all there are, model_destroy. Counts of workers are merged by addition: the result does
 * not depend on how many workers there were.
 *
 * Which rules apply is chosen by the device profile: now cc 7.0 and later (one rule set; cc 9.0 adds the measured hash
 * of the tag banks and with it t_wavefronts). cc 5.x and 6.x use the same rules, where vendor texts support them only
 * in part: model_inexact() tells. Older capabilities are refused by name. */
#ifndef LW_MODEL_H
#define LW_MODEL_H

#include "device/profile.h"
#include "exec/event.h"
#include "result/result.h"

typedef struct model model;

lw_status model_create(model **out, const device_profile *device, uint32_t insn_count, lw_error *error);
void model_destroy(model *m);
/* Valid until model_destroy. worker_begin may be called from any thread; one worker state serves one thread at a time. */
event_sink model_sink(model *m);
/* NULL, or why the counters of this device are not exact ("rules of cc 7.0 assumed"). */
const char *model_inexact(const model *m);

/* Counters of one instruction in one space, all widths added. INST_EXECUTED counts events, so instructions with at
 * least one active lane: who knows of executions without one adds them. present == 0 if nothing was counted.
 * Only after execution has ended (worker_end called or no worker running). */
counter_set model_result(model *m, uint32_t insn, mem_space_kind space, mem_op op);

typedef struct model_site_result {
    uint32_t insn;
    mem_space_kind space;
    mem_op op;
    uint32_t bytes_per_lane;
    bool bulk;
    counter_set counters;
} model_site_result;
/* Every counted (instruction, space, op, bytes) in that order. */
void model_each(model *m, void (*visit)(void *user, const model_site_result *site), void *user);

/* One access given by hand, counted by the same code: 32 byte offsets, -1 = inactive lane.
 * op: ld/st + space + bits: lds32 sts128 ldg8 stg64 ldl32 stl64 dld32 dst128; ldsm1 ldsm2 ldsm4 ldsm4t stsm4;
 * atomics atoms_add atoms_inc1 reds_add reds_inc1 atoms_cas atoms_ex64 atom32 atom64 red32 red64 datom; cpa4 cpa8 cpa16
 * (cp.async.ca, its shared side), ldci (constant). LW_UNSUPPORTED names an unknown op, LW_INVALID_ARGUMENT a misaligned
 * offset. */
lw_status model_pattern(const device_profile *device, const char *op, const int64_t offsets[32], counter_set *out,
                        lw_error *error);

#endif
