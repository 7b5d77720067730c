/* trace: the accesses of a launch to global memory, kept so that they can be counted again as if an array's elements lay elsewhere. Most
 * warps access neighbours or a stride: of them a base and a step are kept, of others each lane's address. */
#ifndef LW_MODEL_TRACE_H
#define LW_MODEL_TRACE_H

#include "event/event.h"

/* One warp access. */
typedef struct model_touch {
    uint64_t base;  /* address of lane 0, also if that is off */
    uint32_t other; /* 0: lane i is at base + i * step; else number + 1 of its addresses */
    int32_t step;
    uint32_t insn, mask, block;
    uint8_t space, op, atomic, bytes, flags;
} model_touch;

typedef struct model_trace model_trace;
/* budget: bytes that all traces of a launch may take together; NULL: any number. */
model_trace *model_trace_make(int64_t *budget);
void model_trace_free(model_trace *trace);
void model_trace_add(model_trace *trace, const event_memory *event); /* not of shared memory */
uint64_t model_trace_dropped(const model_trace *trace);              /* accesses that were not kept */
size_t model_trace_count(const model_trace *trace);
/* In the order in which they happened in each block; address: of the lanes that are on. */
const model_touch *model_trace_at(const model_trace *trace, size_t index, uint64_t address[32]);

#endif
