/*
 * Which strategy counts how many entries: constants per compute capability, measured (EXPERIMENTS.md says where). Rows of a
 * capability are read in order; the first with enough entries is taken. A capability without rows takes the next lower.
 */
#ifndef LW_OPS_HIST_TABLE_H
#define LW_OPS_HIST_TABLE_H

#include "lanewise/ops.h"

typedef struct lw_hist_choice {
    int cc;
    int sample_bytes; /* 0: any */
    int64_t entries;  /* up to */
    int strategy;
} lw_hist_choice;

static const lw_hist_choice lw_hist_choices[] = {
    {90, 1, 16777218, LW_HIST_LANES},  {90, 2, 65538, LW_HIST_SHARED},
    {90, 0, 58111, LW_HIST_SHARED},  /* 1 range: bench/results/2026-11-21-h200-table.csv */
    {90, 0, 317760, LW_HIST_PACKED}, /* 1 range of at least 5 bits: more runs over below that, if skewed */
    {90, 2, 16777218, LW_HIST_GLOBAL}, {90, 0, 16777218, LW_HIST_PARTITION},
    {75, 0, 65536, LW_HIST_SHARED},    {75, 0, 16777218, LW_HIST_GLOBAL},
};

/* Few samples (hist_few.cu): limits in bytes of a multiprocessor, measured on an H200 */
#define FEW_BYTES 262144 /* so many are few; twice as many with several counters of a bin */
#define FEW_MANY 65536   /* from that on there are several, with up to FEW_ENTRIES */
#define FEW_ENTRIES 1536
#define FEW_MOST 32768 /* entries */
#define FEW_SQUARE 512 /* best number of blocks: the root of the bytes by this */

#endif
