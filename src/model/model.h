/* model: what the memory hardware would have counted. A client of events; results are counter sets per instruction.
 *
 * Use: model_create, hand {&model_client, model} to execution as a listener, afterwards model_result for every (instruction, space, op) of
 * interest or model_each for all there are, model_destroy. Counts of workers are merged by addition: the result does
 * not depend on how many workers there were.
 *
 * Which rules apply is chosen by the device profile's compute capability: a row of the table in generation.c for each
 * of 1.0-1.1, 1.2-1.3, 2.x, 3.x, 5.x-6.x, 7.0 and later (cc 9.0 adds the measured hash of the tag banks and with it
 * t_wavefronts). Below 5.0 memory is counted in that generation's transactions. What is not exact says why: a result by
 * the rules of its capability, model_inexact for all that execution counts. Other capabilities are refused by name. */
#ifndef LW_MODEL_H
#define LW_MODEL_H

#include "device/profile.h"
#include "event/event.h"
#include "result/result.h"

typedef struct model model;

lw_status model_create(model **out, const device_profile *device, uint32_t insn_count, lw_error *error);
void model_destroy(model *m);
/* Valid until model_destroy. worker_begin may be called from any thread; a worker state serves one thread at a time. */
/* What model_create() made is the state of the launch: {&model_client, m} is the listener. A client that does more may
 * hand the two hooks on. */
extern const event_client model_client;
void *model_worker_begin(void *m, uint32_t worker);
void model_count(void *worker, const event_memory *event); /* EVENT_COUNTED */

/* What a program or a compiler option changes about the rules of a device. All zero: the device's defaults. */
typedef enum model_l1 {
    MODEL_L1_DEFAULT,
    MODEL_L1_CACHED,  /* global loads go through L1 (-dlcm=ca); 2.x, 3.5, 3.7 */
    MODEL_L1_UNCACHED /* they go round it, as ld.cg always does (-dlcm=cg); 2.x */
} model_l1;
/* What a block of so many bytes takes of a chunk of the device heap, at least: recorded on an H200 (tests/hw/h200-heap.csv). */
static inline uint64_t model_heap_taken(uint64_t bytes) { return LW_MAX(bytes + 32, (uint64_t)80); }
typedef struct model_options {
    uint32_t bank_bytes; /* of shared memory on 3.x: 4 or 8; 0: the default, 4. Other capabilities take no notice */
    model_l1 global_l1;  /* capabilities without the choice take no notice */
    uint64_t heap_taken; /* of the device heap, by blocks in use when the launch begins: model_heap_taken() of each */
} model_options;
/* Before the first event. LW_INVALID_ARGUMENT: banks that are not 4 or 8 bytes wide. */
lw_status model_set_options(model *m, const model_options *options, lw_error *error);
/* NULL, or why counting a program on this device is not exact, whatever the rules: below cc 7.0 it is not known what
 * the assembler would have made of its PTX. Valid until model_destroy. */
const char *model_inexact(const model *m);

/* Counters of one instruction in one space, all widths added. INST_EXECUTED counts events, so instructions with at
 * least one active lane: who knows of executions without one adds them. present == 0 if nothing was counted.
 * Only after execution has ended (worker_end called or no worker running). */
counter_set model_result(model *m, uint32_t insn, event_space space, event_op op);

typedef struct model_site_result {
    uint32_t insn; /* index into event_launch.insns */
    event_space space;
    event_op op;
    uint32_t bytes_per_lane; /* of the event: what the count plan joined counts once */
    bool bulk;               /* EVENT_BULK */
    const char *why;         /* why the counters are not exact by the rules of this capability, or NULL */
    counter_set counters;
} model_site_result;
/* Every counted (instruction, space, op, bytes) in that order. */
void model_each(model *m, void (*visit)(void *user, const model_site_result *site), void *user);

/* ---- what calls access by themselves: the driver's printf (print.c; EVENT_PRINT), its malloc and free, and functions that
 * save registers (calls.c; EVENT_HEAP_CALL, EVENT_SAVE, EVENT_RESTORE) ---- */
enum { MODEL_PRINT_PARTS = 5 };
typedef enum model_call { MODEL_PRINT, MODEL_HEAP, MODEL_SAVES } model_call;
#define MODEL_CALL_KINDS                                                                                               \
    (EVENT_BIT(EVENT_PRINT) | EVENT_BIT(EVENT_HEAP_CALL) | EVENT_BIT(EVENT_SAVE) | EVENT_BIT(EVENT_RESTORE))
typedef struct model_call_result {
    uint32_t insn;
    model_call what;
    event_space space;
    event_op op;
    const char *why; /* why the counters are not exact, or NULL */
    counter_set counters;
} model_call_result;
void model_call_count(void *worker,
                      const event_sync *event); /* the client's sync hook; takes no notice of other kinds */
/* Every call of printf, up to MODEL_PRINT_PARTS results of each, in the order of instructions; then all others. Only after execution
 * has ended. */
/* NULL, or why nothing that the launch counted is certain: lanes went different ways in a function that calls itself, and where these meet
 * again is not known (tests/hw/kernels/local_arrays.cu: recursion). */
const char *model_call_doubt(const model *m);
void model_each_call(model *m, void (*visit)(void *user, const model_call_result *call), void *user);

/* One access given by hand, counted by the same code: 32 byte offsets, -1 = inactive lane.
 * op: ld/st + space + bits: lds32 sts128 ldg8 stg64 ldl32 stl64 dld32 dst128; ldsm1 ldsm2 ldsm4 ldsm4t stsm4;
 * atomics atoms_add atoms_inc1 reds_add reds_inc1 atoms_cas atoms_ex64 atom32 atom64 red32 red64 cas32 cas64 datom;
 * cpa4 cpa8 cpa16 (cp.async.ca: its shared side, the source being free of conflicts), cpg16 (cp.async.cg: both sides'
 * counters, the source being neighbours), ldci ldci64 ldci128 (constant). LW_UNSUPPORTED names an unknown op and one
 * that the capability does not have, LW_INVALID_ARGUMENT a misaligned offset. Nothing is counted (present == 0)
 * without an active lane.
 * options: NULL for the defaults. why, if not NULL, gets NULL or the reason why the counters are not exact. */
lw_status model_pattern(const device_profile *device, const model_options *options, const char *op,
                        const int64_t offsets[32], counter_set *out, const char **why, lw_error *error);
/* A cp.async with both sides given: cpa4 cpa8 cpa16 cpg16. global: requests, sectors, tags of the source; shared:
 * wavefronts and conflicts of the destination; why is of the latter, the former are exact. */
lw_status model_copy_pattern(const device_profile *device, const char *op, const int64_t source[32],
                             const int64_t destination[32], counter_set *global, counter_set *shared, const char **why,
                             lw_error *error);

#endif
