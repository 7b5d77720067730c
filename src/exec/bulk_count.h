/* bulk_count.h: inside exec/: events of bulk copies, with tensor maps and without, and what is counted of their side in global memory. */
#ifndef LW_EXEC_BULK_COUNT_H
#define LW_EXEC_BULK_COUNT_H

#include "exec/emit.h"
#include "exec/tensor_map_box.h"

/* One side of a bulk operation of one lane, or a piece of it. */
typedef struct exec_bulk_side {
    event_op op;
    event_space space;
    uint32_t lane, bytes;
    uint64_t address, other; /* as in event_memory */
    uint32_t async;          /* number of the operation */
    bool one_sided;          /* there is no other side: what is written comes from nowhere */
    uint8_t flags;           /* EVENT_... besides the instruction's */
    uint8_t only;            /* as in exec_access */
} exec_bulk_side;
void exec_tell_bulk(exec_ctx *x, const code_insn *i, const exec_bulk_side *side);

/* Collects pieces that lie one behind the other, and tells them as one. The first four, op, only, cast and other are the user's. */
typedef struct exec_bulk_teller {
    exec_ctx *x;
    const code_insn *insn;
    uint32_t lane, number; /* number: as an asynchronous operation */
    event_op op;
    uint8_t only;     /* as in exec_access */
    bool cast;        /* a multicast */
    uint64_t other;   /* address of the other side */
    uint64_t address; /* of what was not told yet */
    uint32_t bytes;
    uint8_t flags;   /* EVENT_PART behind the first */
    bool filled;     /* what was not told yet */
    bool run_filled; /* slices of an interleaved map that follow each other: */
    uint32_t run_bytes;
    uint64_t run, run_shared;
} exec_bulk_teller;

/* Adds bytes in global memory. */
void exec_bulk_tell_row(exec_bulk_teller *t, uint64_t address, uint32_t bytes);
/* Tells what was added; without that it tells, once, that nothing was accessed. */
void exec_bulk_flush(exec_bulk_teller *t);
/* Adds a row of row_bytes as a card counts it; shared: where it lies in shared memory. Of multicasts what L2 reads once for all blocks. */
void exec_bulk_count_row(exec_bulk_teller *t, const exec_tensor_row *row, uint32_t row_bytes, uint64_t shared);
/* The same of a slice of an interleaved map. */
void exec_bulk_count_slice(exec_bulk_teller *t, const exec_tensor_row *row, uint32_t bytes, uint64_t shared);

#endif
