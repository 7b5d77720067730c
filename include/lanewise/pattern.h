/* pattern.h: what one memory access of one warp costs, without a kernel: by description or by 32 byte offsets, on any
 * device there is a profile of; where its lanes land in the banks; and which padding, swizzle or layout makes it free.
 *
 *   lw_access access; lw_access_counts counts;
 *   lw_access_describe(&(lw_access_text){.type = "float", .stride = "3", .space = "shared"}, &access, &message);
 *   lw_access_count("cc:8.6", &access, NULL, &counts, &message);
 *   for (size_t i = 0; i < counts.counter_count; i++) puts(counts.counters[i].name);
 *
 * Units: offsets, sizes and costs in memory are bytes; strides, tiles and pitches are elements. Everything is a plain
 * value that the caller owns, except what is said to be malloc'ed. Functions return 0, or a positive number and then
 * fill *message (NULL allowed) with one line that says what is wrong and where. Nothing here prints, keeps state or
 * touches what it is not given: everything may be called from any thread. */
#ifndef LANEWISE_PATTERN_H
#define LANEWISE_PATTERN_H

#include "lanewise/session.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LW_LANES 32
/* Offsets are below this, so that shifting and padding them cannot overflow. */
#define LW_OFFSET_LIMIT ((int64_t)1 << 40)

/* ---- the accesses there are ---- */
typedef struct lw_access_op {
    const char *name;  /* "lds32", "stg128", "atoms_add", "ldsm4" */
    const char *space; /* "shared" "global" "local" "dshared" "constant" */
    const char *op;    /* "load" "store" "atomic" "reduction" "increment" "reduce-increment" "cas" "exchange" "copy"
                          "ldmatrix" "stmatrix" */
    uint32_t bytes;    /* per lane; a row address of a matrix instruction names 16 */
    uint32_t matrices; /* of ldmatrix and stmatrix: lanes 0 to 8 * matrices - 1 give the rows; else 0 */
} lw_access_op;
/* By name; NULL: there is none. Rows live for ever. */
LW_RUN_API const lw_access_op *lw_access_op_find(const char *name);
/* By number from 0; NULL behind the last. */
LW_RUN_API const lw_access_op *lw_access_op_at(size_t index);

/* ---- one access ---- */
typedef enum lw_layout {
    LW_LAYOUT_OFFSETS, /* 32 offsets, nothing known of what they mean */
    LW_LAYOUT_STRIDE,  /* element index * stride */
    LW_LAYOUT_STRUCT,  /* one member of an array of structs */
    LW_LAYOUT_TILE     /* rows x columns elements in memory, rows `pitch` elements apart */
} lw_layout;

typedef struct lw_access {
    const lw_access_op *op;
    int64_t offset[LW_LANES]; /* bytes; -1: the lane is inactive */
    lw_layout layout;         /* how the offsets came about: what lw_access_remedies() may change */
    int64_t base;             /* --offset: added to every offset */
    int64_t stride;           /* elements, or structs */
    uint32_t struct_bytes, struct_align, member_offset;
    uint32_t rows, columns, pitch;
    bool by_column;
    bool permuted;
    uint32_t lanes;          /* lanes 0 to lanes - 1 take part */
    uint8_t index[LW_LANES]; /* which element a lane takes: the lane, unless permuted */
} lw_access;

/* A description as people write it. NULL or "" where nothing is said; defaults in brackets. */
typedef struct lw_access_text {
    const char *op;    /* "load" "store" "atomic" ..., or the name of an lw_access_op with its space and size [load] */
    const char *space; /* "shared" "global" "local" "dshared" "constant" [shared] */
    const char *type;  /* "float" "double" "float4" "int8" "uint16_t" "half2" ... [float] */
    const char *structure; /* 'float x, y, z; int id': C declarations; needs member */
    const char *member;    /* "x", "v[2]" */
    const char *stride;    /* elements (structs) from one index to the next; may be negative [1] */
    const char *offset;    /* bytes in front of the first element [0] */
    const char *lanes;     /* 1 to 32: the first lanes take part [32] */
    const char *permute;   /* "reverse" "xor:K" "rotate:K", or the index of every lane: "3 2 1 0 ..." */
    const char *tile;      /* "32x32", with 1 element of padding "32x33" (by column) or "32x32+1" */
    const char *by;        /* which elements of the tile lanes 0, 1, 2... take: "column" or "row" [column] */
    const char *offsets;   /* 32 byte offsets instead of all this, "-" or -1: inactive: "0 4 8 - - ..." */
} lw_access_text;
/* Fails if a word is unknown, a type or struct cannot be read, or the parts do not fit together; the message says
 * which. */
LW_RUN_API int lw_access_describe(const lw_access_text *text, lw_access *out, lw_message *message);
/* 32 offsets separated by blanks or commas into an access of a named op ("lds32"). */
LW_RUN_API int lw_access_from_offsets(const char *op, const char *offsets, lw_access *out, lw_message *message);

/* ---- counting ---- */
/* What a generation can be set to. NULL or zero: its default. Others take no notice. */
typedef struct lw_access_options {
    uint32_t bank_bytes; /* cc 3.x: 4 or 8 (cudaDeviceSetSharedMemConfig) */
    bool cached;         /* global loads go through L1 (-dlcm=ca): cc 3.5, 3.7 */
    bool uncached;       /* they go round it (-dlcm=cg): cc 2.x */
} lw_access_options;

typedef struct lw_access_counts {
    lw_device_info device;
    lw_counter counters[32]; /* those that apply, in the order of reports */
    size_t counter_count;    /* 0: no lane is active */
    /* The counter that says what the access costs, and the least it can be for these lanes and sizes: wavefronts of
     * shared memory, sectors or (below cc 5.0) transactions of global and local memory, requests of constant memory. ""
     * and zeros where no rule says. The name lives for ever. */
    const char *cost_name;
    uint64_t cost, ideal;
    char why[256]; /* why the counters are not exact on this device; "" if they are */
} lw_access_counts;
/* device: as lw_device_find(). Fails if the device is unknown or has no such access. */
LW_RUN_API int lw_access_count(const char *device, const lw_access *access, const lw_access_options *options,
                               lw_access_counts *out, lw_message *message);
/* A counter by name; false if it does not apply. */
LW_RUN_API bool lw_access_counter(const lw_access_counts *counts, const char *name, uint64_t *out);

/* ---- lanes against banks ---- */
/* One lane of one request. Marks of one group and bank with equal `pass` are served together. */
typedef struct lw_bank_mark {
    uint8_t group, lane;
    uint8_t bank, banks; /* first bank and how many, side by side */
    uint8_t pass;        /* from 1 */
} lw_bank_mark;

typedef struct lw_bank_map {
    uint32_t banks, bank_bytes; /* 16 or 32; 4 or 8 */
    uint32_t groups;            /* sets of lanes served one after the other */
    uint32_t passes;            /* the sum over groups of the most passes in a bank */
    uint32_t extra;             /* passes that the rule adds whatever the addresses (cc 2.x, 16 bytes) */
    uint32_t factor;            /* wavefronts per pass: 2 for compare-and-swap */
    lw_bank_mark marks[4 * LW_LANES];
    size_t mark_count;
} lw_bank_map;
/* Shared accesses only, and only where there is a rule (lw_access_count() gives wavefronts). (passes + extra) * factor
 * equals the wavefronts of lw_access_count(). */
LW_RUN_API int lw_access_banks(const char *device, const lw_access *access, const lw_access_options *options,
                               lw_bank_map *out, lw_message *message);

/* ---- what would make it free ---- */
typedef enum lw_remedy_kind {
    LW_REMEDY_PAD,     /* elements between rows */
    LW_REMEDY_SWIZZLE, /* exclusive or of the index with bits of itself */
    LW_REMEDY_ALIGN,   /* move the first byte */
    LW_REMEDY_SOA,     /* one array per member */
    LW_REMEDY_WHOLE,   /* load the whole struct at once */
    LW_REMEDY_ORDER,   /* lanes in ascending order */
    LW_REMEDY_TIGHT,   /* neighbouring lanes, neighbouring elements */
    LW_REMEDY_HINT     /* words only: nothing that can be counted */
} lw_remedy_kind;

typedef struct lw_remedy {
    lw_remedy_kind kind;
    uint64_t cost, ideal; /* of the changed access, on the same device; free if equal. 0 and 0 for a hint */
    uint64_t bytes;       /* memory that it takes more */
    lw_access access;     /* the changed access; unchanged for a hint */
    char text[320];       /* a sentence */
} lw_remedy;
#define LW_REMEDIES 8
/* Searches. *count 0: the access is free already, or no rule says what it costs. At most LW_REMEDIES, cheapest first.
 */
LW_RUN_API int lw_access_remedies(const char *device, const lw_access *access, const lw_access_options *options,
                                  lw_remedy out[LW_REMEDIES], size_t *count, lw_message *message);

/* ---- tables ---- */
/* Reads CSV (RFC 4180, a heading line with at least the columns op and offsets, in any order) and counts every row.
 * name: for messages ("file.csv:12: ..."). *out: CSV with the columns op, name, offsets, requests, wavefronts,
 * conflicts, sectors, tags, t_wavefronts; one row per row, empty where a counter does not apply; malloc'ed, the caller
 * frees it. The first bad row ends it with an error and no output. Rows of the op "cpg16" (cp.async.cg from a source of
 * neighbours; offsets: the destination) have no wavefronts: there is no rule for them. */
LW_RUN_API int lw_access_table(const char *text, size_t bytes, const char *name, const char *device,
                               const lw_access_options *options, char **out, lw_message *message);

#ifdef __cplusplus
}
#endif

#endif
