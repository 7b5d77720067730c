/* pattern.h: counts one memory access of one warp, without a kernel. An access is given by a description or by 32 byte
 * offsets, and counted for any device that has a profile. The functions also show which lanes use which banks, and
 * search for a padding, a swizzle or a layout without conflicts.
 *
 *   lw_access access; lw_access_counts counts;
 *   lw_access_describe(&(lw_access_text){.type = "float", .stride = "3", .space = "shared"}, &access, &message);
 *   lw_access_count("cc:8.6", &access, NULL, &counts, &message);
 *   for (size_t i = 0; i < counts.counter_count; i++) puts(counts.counters[i].name);
 *
 * Units: offsets, sizes and amounts of memory are in bytes; strides, tiles and pitches are in elements.
 * Ownership: all structures are plain values of the caller, except where a string is said to be allocated.
 * Errors: functions return 0 on success. On failure they return a positive number and write one line to *message (which
 * may be NULL) that says what is wrong and where.
 * Threads: all functions may be called from any thread. No function prints anything or keeps state.
 *
 * The rules and their sources: docs/RULES.md. */
#ifndef LANEWISE_PATTERN_H
#define LANEWISE_PATTERN_H

#include "lanewise/session.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LW_LANES 32
/* All offsets are smaller than this, so that shifting or padding them cannot overflow. */
#define LW_OFFSET_LIMIT ((int64_t)1 << 40)

/* ---- kinds of accesses ---- */
typedef struct lw_access_op {
    const char *name;  /* "lds32", "stg128", "atoms_add", "ldsm4" */
    const char *space; /* "shared" "global" "local" "dshared" "constant" */
    const char *op;    /* "load" "store" "atomic" "reduction" "increment" "reduce-increment" "cas" "exchange" "copy"
                          "ldmatrix" "stmatrix" */
    uint32_t bytes;    /* per lane; 16 for matrix instructions, whose lanes give addresses of rows */
    uint32_t matrices; /* of ldmatrix and stmatrix: lanes 0 to 8 * matrices - 1 give the row addresses; else 0 */
} lw_access_op;
/* Finds an operation by its name; NULL if there is none. Operations are static data. */
LW_RUN_API const lw_access_op *lw_access_op_find(const char *name);
/* The operation with this number, from 0; NULL after the last one. */
LW_RUN_API const lw_access_op *lw_access_op_at(size_t index);

/* ---- one access ---- */
typedef enum lw_layout {
    LW_LAYOUT_OFFSETS, /* 32 offsets without a known structure */
    LW_LAYOUT_STRIDE,  /* element number * stride */
    LW_LAYOUT_STRUCT,  /* one member of an array of structs */
    LW_LAYOUT_TILE     /* a tile of rows x columns elements; rows start `pitch` elements apart */
} lw_layout;

typedef struct lw_access {
    const lw_access_op *op;
    int64_t offset[LW_LANES]; /* in bytes; -1: the lane is inactive */
    lw_layout layout;         /* how the offsets were made: lw_access_remedies() may change this */
    int64_t base;             /* bytes that were added to every offset (--offset) */
    int64_t stride;           /* in elements, or in structs */
    uint32_t struct_bytes, struct_align, member_offset;
    uint32_t rows, columns, pitch; /* of the tile, in elements */
    bool by_column;                /* consecutive lanes take consecutive rows of one column */
    bool permuted;
    uint32_t lanes;          /* lanes 0 to lanes - 1 are active */
    uint8_t index[LW_LANES]; /* the element number of every lane: the lane's own number unless permuted */
} lw_access;

/* A description in words, as on the command line of `lanewise pattern`. NULL or "": not given; defaults in brackets. */
typedef struct lw_access_text {
    const char *op; /* "load" "store" "atomic" ..., or the name of an lw_access_op, which sets space and size [load] */
    const char *space;     /* "shared" "global" "local" "dshared" "constant" [shared] */
    const char *type;      /* "float" "double" "float4" "int8" "uint16_t" "half2" ... [float] */
    const char *structure; /* C declarations, such as 'float x, y, z; int id'; requires member */
    const char *member;    /* "x", "v[2]" */
    const char *stride;    /* elements (or structs) between consecutive lanes; may be negative [1] */
    const char *offset;    /* bytes before the first element [0] */
    const char *lanes;     /* 1 to 32: so many lanes are active [32] */
    const char *permute;   /* "reverse" "xor:K" "rotate:K", or 32 element numbers: "3 2 1 0 ..." */
    const char *tile;      /* "32x32"; with one element of padding "32x33" (by column) or "32x32+1" */
    const char *by;        /* the direction of consecutive lanes in the tile: "column" or "row" [column] */
    const char *offsets;   /* 32 byte offsets instead of everything above, "-" or -1: inactive: "0 4 8 - - ..." */
} lw_access_text;
/* Makes an access from a description. Fails if a word is unknown, if a type or struct cannot be parsed, or if the parts
 * contradict each other. */
LW_RUN_API int lw_access_describe(const lw_access_text *text, lw_access *out, lw_message *message);
/* Makes an access from 32 offsets, separated by blanks or commas. op: the name of an lw_access_op, such as "lds32". */
LW_RUN_API int lw_access_from_offsets(const char *op, const char *offsets, lw_access *out, lw_message *message);

/* ---- counting ---- */
/* Settings of certain generations, ignored by the others. NULL or zero: the generation's default. */
typedef struct lw_access_options {
    uint32_t bank_bytes; /* cc 3.x: bank width, 4 or 8 bytes (cudaDeviceSetSharedMemConfig) */
    bool cached;         /* cc 3.5 and 3.7: global loads use L1 (-dlcm=ca) */
    bool uncached;       /* cc 2.x: global loads bypass L1 (-dlcm=cg) */
} lw_access_options;

typedef struct lw_access_counts {
    lw_device_info device;
    lw_counter counters[32]; /* those that apply, in the order of the report */
    size_t counter_count;    /* 0: no lane is active */
    /* The counter that measures the cost of the access, and its lowest possible value for these lanes and sizes:
     * wavefronts (shared memory), sectors or, below cc 5.0, transactions (global and local memory), requests (constant
     * memory). "" and 0 if no rule is known. The name is a static string. */
    const char *cost_name;
    uint64_t cost, ideal;
    char why[256]; /* why the counters are not exact on this device; "" if they are exact */
} lw_access_counts;
/* Counts an access. device: see lw_device_find(). options may be NULL. Fails if the device is unknown or does not have
 * such accesses. */
LW_RUN_API int lw_access_count(const char *device, const lw_access *access, const lw_access_options *options,
                               lw_access_counts *out, lw_message *message);
/* Looks up a counter by name. Returns false if it does not apply. */
LW_RUN_API bool lw_access_counter(const lw_access_counts *counts, const char *name, uint64_t *out);

/* ---- lanes and banks ---- */
/* The banks that one lane uses for one of its words. Marks with the same group, bank and pass are served together. */
typedef struct lw_bank_mark {
    uint8_t group, lane;
    uint8_t bank, banks; /* the first bank, and the number of adjacent banks */
    uint8_t pass;        /* from 1 */
} lw_bank_mark;

typedef struct lw_bank_map {
    uint32_t banks, bank_bytes; /* 16 or 32 banks of 4 or 8 bytes */
    uint32_t groups;            /* groups of lanes that are served one after the other */
    uint32_t passes;            /* for each group the most passes in any bank, added up over the groups */
    uint32_t extra;             /* passes that the rule adds for all addresses (cc 2.x, 16 bytes per lane) */
    uint32_t factor;            /* wavefronts per pass: 2 for compare-and-swap, else 1 */
    lw_bank_mark marks[4 * LW_LANES];
    size_t mark_count;
} lw_bank_map;
/* Maps the lanes of a shared-memory access to banks. Fails for other spaces, and where lw_access_count() knows no
 * wavefronts. (passes + extra) * factor equals the wavefronts of lw_access_count(). */
LW_RUN_API int lw_access_banks(const char *device, const lw_access *access, const lw_access_options *options,
                               lw_bank_map *out, lw_message *message);

/* ---- remedies ---- */
typedef enum lw_remedy_kind {
    LW_REMEDY_PAD,     /* add elements between rows */
    LW_REMEDY_SWIZZLE, /* XOR the index with some of its own bits */
    LW_REMEDY_ALIGN,   /* move the first byte */
    LW_REMEDY_SOA,     /* use one array per member (structure of arrays) */
    LW_REMEDY_WHOLE,   /* load the whole struct at once */
    LW_REMEDY_ORDER,   /* let lanes access elements in ascending order */
    LW_REMEDY_TIGHT,   /* let neighbouring lanes access neighbouring elements */
    LW_REMEDY_HINT     /* advice that cannot be counted */
} lw_remedy_kind;

typedef struct lw_remedy {
    lw_remedy_kind kind;
    uint64_t cost, ideal; /* of the changed access on the same device; 0 for LW_REMEDY_HINT */
    uint64_t bytes;       /* additional memory */
    lw_access access;     /* the changed access; for LW_REMEDY_HINT the original one */
    char text[320];       /* one sentence */
} lw_remedy;
#define LW_REMEDIES 8
/* Searches for changes that lower the cost of an access. Sets *count to the number of remedies, at most LW_REMEDIES,
 * sorted by cost; 0 if the access is already at its ideal, or if no rule for its cost is known. */
LW_RUN_API int lw_access_remedies(const char *device, const lw_access *access, const lw_access_options *options,
                                  lw_remedy out[LW_REMEDIES], size_t *count, lw_message *message);

/* ---- tables ---- */
/* Counts every row of a CSV table (RFC 4180). text: `bytes` bytes with a header line that has at least the columns op
 * and offsets, in any order. name: for messages ("file.csv:12: ..."). Sets *out to a CSV table with one row per input
 * row and the columns op, name, offsets, requests, wavefronts, conflicts, sectors, tags, t_wavefronts; a cell is empty
 * if the counter does not apply. *out is NUL-terminated; the caller frees it with free(). Fails at the first wrong row,
 * without output. The additional op "cpg16" is a cp.async.cg that reads adjacent elements; its offsets are those of the
 * destination, and it has no wavefronts, because no rule for them is known. */
LW_RUN_API int lw_access_table(const char *text, size_t bytes, const char *name, const char *device,
                               const lw_access_options *options, char **out, lw_message *message);

#ifdef __cplusplus
}
#endif

#endif
