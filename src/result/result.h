/* result: plain data that models and checks write and reports read. No behaviour beyond merging and the result log. */
#ifndef LW_RESULT_H
#define LW_RESULT_H

#include "base/base.h"

typedef enum counter_id {
#define COUNTER(id, json, ncu, text) COUNTER_##id,
#include "result/counters.def"
#undef COUNTER
    COUNTER_COUNT
} counter_id;

typedef struct counter_desc {
    const char *name, *ncu, *text;
} counter_desc;
extern const counter_desc counter_descs[COUNTER_COUNT];

/* Values with a bit per counter that applies (a counter that does not apply is omitted from reports, never 0). */
typedef struct counter_set {
    uint32_t present; /* bit c: value[c] applies */
    uint64_t value[COUNTER_COUNT];
} counter_set;
void counter_set_add(counter_set *into, const counter_set *from);

typedef struct result_frame {
    const char *file;
    uint32_t line;
    const char *function; /* demangled, or NULL */
} result_frame;

/* Addresses of one warp that executed a row, kept to be drawn; only if samples are asked for. */
typedef struct result_sample {
    uint64_t cost;      /* wavefronts, sectors or transactions of this access alone */
    uint64_t alike, of; /* of so many accesses looked at so many cost the same; in the launch that the sample is from */
    uint32_t mask;      /* lanes that access memory; 0: there is no sample */
    uint32_t block, warp; /* linear index of the block; warp in it */
    uint64_t address[32]; /* of global memory; of shared memory the offset; 0 for lanes that are off */
} result_sample;
enum { RESULT_WORST, RESULT_TYPICAL, RESULT_SAMPLES };

/* result_row.space of arithmetic, with --time: such rows have no memory accesses. */
#define RESULT_MATH "math"
/* result_row.function of what a call accesses by itself, at the line of the call */
#define RESULT_PRINTF "printf"
#define RESULT_HEAP "malloc, free"
#define RESULT_SAVES "saved registers"

/* One row of a launch: one source line x space x op x bytes. */
typedef struct result_row {
    const char *file; /* innermost frame that is not in a toolkit header; the module's name when ptx */
    uint32_t line;
    const char *function;
    const result_frame *inlined; /* full chain, leaf first; count 0 without line information */
    uint32_t inlined_count;
    bool ptx;          /* no line information: line is the PTX line */
    const char *space; /* "shared" "global" "dshared" "local" "constant" "texture", RESULT_MATH */
    const char *op;    /* "load" "store" "atomic" "reduction" "copy" "matrix" "flop" */
    const char *dir;   /* "load"/"store" for matrix, else NULL */
    uint32_t bytes_per_lane;
    bool exact;
    const char *why; /* reason when not exact, else NULL */
    /* one sentence: why it costs more than the ideal and what usually mends it; NULL if it does not */
    const char *advice;
    const char *source;           /* text of the line, of a report that was read back; else NULL */
    const result_sample *samples; /* RESULT_SAMPLES of them; NULL: none were kept */
    counter_set counters;
    /* Predicted, with --time, of one row of each of the lines that cost most: what the launch would take less without the
     * line, and with what it moves at the ideal. */
    double seconds, seconds_saved;
} result_row;

/* What limits occupancy: bits of result_occupancy.limited_by, and their names. */
#define RESULT_LIMITS 5
extern const char *const result_limit_names[RESULT_LIMITS];

/* How much of a multiprocessor the blocks of a launch can fill, by the model's calculator. */
typedef struct result_occupancy {
    uint32_t max_warps_per_sm; /* 0: not calculated, and nothing else holds */
    uint32_t blocks_per_sm, warps_per_sm;
    uint32_t limited_by;
    uint32_t registers;   /* of a thread; 0: no idea, they limit nothing */
    bool registers_known; /* by machine code; else estimated: the registers of the PTX that live at once */
    bool clusters_exact;  /* else estimated */
    uint32_t static_shared_bytes;
    uint32_t active_clusters; /* on the device; only for launches in clusters */
} result_occupancy;

/* result_launch.note of a launch that a fault ended. */
#define RESULT_STOPPED_BY_ERROR "stopped by an error"

/* What time is spent on. */
typedef enum result_resource {
#define RESOURCE(id, name) RESULT_##id,
#include "result/resources.def"
#undef RESOURCE
    RESULT_RESOURCES
} result_resource;
extern const char *const result_resource_names[RESULT_RESOURCES];

/* Why the range of a predicted time is as wide as it is; the words: "" of one that is not wide. */
typedef enum result_range {
#define RANGE(id, up, down, words) RESULT_RANGE_##id,
#include "result/ranges.def"
#undef RANGE
    RESULT_RANGES
} result_range;
extern const char *const result_range_words[RESULT_RANGES];

/* Predicted time, summed over launches; mean: divided by their number. */
typedef struct result_time {
    uint64_t count; /* launches that were predicted; 0: none */
    double seconds, low, high;
    double resource[RESULT_RESOURCES]; /* seconds that each would take alone */
    double
        busy[RESULT_RESOURCES]; /* that the profiler's units would be, of the whole device: they show busy / seconds */
    result_range range;         /* of the launch whose range is widest */
    /* Of the device, for result_bottleneck(): seconds below which a launch is named so, share of its peak from which a unit is. */
    double launch_below, busy_from;
} result_time;
void result_time_add(result_time *into, const result_time *from);
/* What limits such a launch, as a profiler names it: launch if it is short, latency where no unit is busy for much of the time in the
 * mean over the device (launch_below, busy_from), else the busiest. So a launch of few blocks, or atomics that all go to one slice of L2, are
 * latency. */
result_resource result_bottleneck(const result_time *time);
/* How busy a unit is of its peak, 0 to 1, to be shown: busy / seconds may be a little more, as both are predicted. */
double result_unit_share(const result_time *time, result_resource unit);

/* ---- the timeline ---- */
typedef enum result_span_kind {
#define SPAN(id, name, is_copy, meaning) RESULT_SPAN_##id,
#include "result/spans.def"
#undef SPAN
    RESULT_SPAN_KINDS
} result_span_kind;
extern const char *const result_span_names[RESULT_SPAN_KINDS];

/* Operations that are kept one by one, of a process; those after them are folded by stream, kind and name. */
#define RESULT_SPANS_MOST 512

/* An operation of a stream in predicted time, or several that were folded: count > 1. */
typedef struct result_span {
    result_span_kind kind;
    uint32_t process; /* 1, 2 ... in the order in which they attached; set by result_log_read() */
    uint64_t stream;
    const char *name;  /* of kernels, demangled; NULL: none */
    double begin, end; /* seconds; the first operation is submitted at 0 */
    double seconds;    /* what they took, summed */
    uint64_t bytes, count;
} result_span;
void result_span_add(result_span *into, const result_span *from); /* folds */

/* What one launch would have counted with another layout of an array, by --what-if. */
typedef struct result_what_if {
    const char *array;                  /* as the source names it; "arg2": the kernel's second argument points to it */
    const char *about;                  /* of global arrays: which allocation it is; else NULL */
    const char *now, *then;             /* "tile[32][32]", "tile[32][33]"; then NULL: no other layout can be counted */
    const char *index;                  /* where element i goes: "i + i / 32" */
    const char *refused;                /* why it is not recommended; NULL: nothing speaks against it */
    bool best;                          /* it is recommended */
    bool global;                        /* in global memory: sectors are counted, else wavefronts */
    bool exact;                         /* else the compiler joins accesses of the array, and may join others then */
    uint64_t before, after;             /* wavefronts or sectors of the array's accesses */
    uint32_t bytes_before, bytes_after; /* shared memory of a block; 0 of global arrays */
    uint32_t blocks_before, blocks_after; /* resident on a multiprocessor */
    double seconds_before, seconds_after; /* predicted; 0: not asked for */
} result_what_if;

/* What the blocks of one launch cost, in cells of one or of neighbouring blocks; only if samples are asked for. */
#define RESULT_LEVELS 63
typedef struct result_blocks {
    uint64_t count;         /* blocks */
    uint32_t columns, rows; /* of cells */
    uint32_t across;        /* the grid's width, blocks */
    uint32_t fold[2];       /* blocks of a cell, across and down */
    bool in_line;           /* a grid of one dimension: cells go on in the next row */
    uint32_t sm_count;      /* of the device */
    uint32_t worst;         /* cell */
    /* Cycles that a block keeps one multiprocessor's memory busy with: a wavefront is one, a sector half of one. */
    double least, most, mean;
    const uint8_t *level; /* by cell: 0 to RESULT_LEVELS, which stands for the most */
} result_blocks;

/* Launches of one kernel with one configuration, summed. */
typedef struct result_launch {
    const char *kernel, *kernel_mangled;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared_bytes;
    const char *parent;      /* the kernel that launched it, demangled; NULL: the host did */
    const char *parent_file; /* where; NULL: not known */
    uint32_t parent_line;
    uint32_t device;        /* of several: 0, 1, 2 ... */
    uint64_t count;         /* launches summed here */
    double seconds;         /* kernel time without host work */
    uint64_t inst_executed; /* warp instructions (PTX) */
    uint64_t thread_inst;   /* thread instructions (PTX) */
    bool schedule_dependent;
    bool library;               /* a call of a library (cuBLAS ...), carried out on the host: no grid, no rows */
    uint64_t library_bytes;     /* what it must read and write at least */
    const char *note;           /* e.g. "interrupted", or NULL */
    int64_t built;              /* when the file that holds its code was written, in Unix seconds; 0: not known */
    result_occupancy occupancy; /* of the first of them */
    counter_set counters;       /* totals over the rows; what DRAM writes meanwhile by itself is of none */
    result_time time;
    const result_row *rows;
    size_t row_count;
    const result_blocks *blocks;   /* of the first of them; NULL: not kept */
    const char *ptx;               /* by source line, likewise (host/ptx_lines.c has the form) */
    const result_what_if *what_if; /* of the first launch that has something to gain */
    size_t what_if_count;
} result_launch;

/* Launches of a kernel that ran without being counted, as an option asked for. */
typedef enum result_why_uncounted { RESULT_NOT_SELECTED, RESULT_NOT_IN_RANGE } result_why_uncounted;
typedef struct result_uncounted {
    const char *kernel;       /* demangled */
    result_why_uncounted why; /* its name does not match --kernel; --launch-skip, --launch-count */
    uint64_t count;
} result_uncounted;

/* Severities: rows of severities.def. */
typedef enum result_severity_id {
#define SEVERITY(id, name, counts) RESULT_##id,
#include "result/severities.def"
#undef SEVERITY
    RESULT_SEVERITIES
} result_severity_id;
typedef struct result_severity {
    const char *name;
    bool counts; /* for --error-exitcode */
} result_severity;
extern const result_severity result_severities[RESULT_SEVERITIES];
result_severity_id result_severity_find(const char *name); /* RESULT_ERROR for a name that is none */

/* What a related place is: as event_role. */
typedef enum result_role {
    RESULT_PLACE,
    RESULT_HOST,
    RESULT_STEP,
    RESULT_COMMON,
    RESULT_ACCESS,
    RESULT_MISSING
} result_role;

typedef struct result_related {
    const char *message, *file;
    uint32_t line, block[3], thread[3];
    uint8_t role; /* result_role */
    uint8_t side; /* from RESULT_STEP on: 0 or 1 */
} result_related;

typedef struct result_finding {
    const char *check;    /* memcheck racecheck synccheck leakcheck assert api */
    const char *severity; /* a name of severities.def */
    const char *message;
    const char *kernel; /* demangled; NULL if none */
    const char *file;
    uint32_t line;
    uint32_t block[3], thread[3];
    bool has_place; /* block and thread are known */
    uint64_t address;
    bool has_address;
    uint32_t bytes;
    uint64_t count;
    /* Of failed calls (check api), else NULL and 0. */
    const char *call;  /* as the program writes it: "cudaMemcpy" */
    const char *error; /* "cudaErrorInvalidValue" */
    const char *site;  /* where it is called, "main (app+0x1139)"; NULL: unknown; file and line are the call's then */
    uint64_t call_number;          /* the first of `count` was the call_number-th call of its thread */
    const result_related *related; /* further places */
    size_t related_count;
    const result_related *steps; /* roles from RESULT_STEP on: what draws a race, RESULT_MISSING last */
    size_t step_count;
} result_finding;
/* Sets what is related to a finding: places first, then steps, as events and results files have them. */
void result_finding_relate(result_finding *finding, const result_related *all, size_t count);

/* Everything one run produced. Strings and arrays are owned by arena. */
typedef struct result_set {
    lw_arena arena;
    const char *device_name;
    const char *device_cc; /* "9.0" */
    bool complete;         /* false: a process ended without saying goodbye */
    LW_VEC(result_launch) launches;
    LW_VEC(result_finding) findings;
    LW_VEC(result_uncounted) uncounted;
    LW_VEC(result_span) spans;     /* the timeline, with --time */
    LW_VEC(const char *) messages; /* things named once: unsupported calls, ignored options */
    LW_VEC(const char *) checks;   /* names of the checks that were on */
    uint64_t suppressed;           /* findings that result_suppress() dropped */
} result_set;
void result_set_free(result_set *set);

/* ---- suppressions (suppress.c) ---- */
/* Drops the findings that a text names (one CHECK:KERNEL[@FILE[:LINE]] a line, docs/CHECKS.md), and says in a message which
 * of its lines fit nothing. path: of its file, for messages. LW_INVALID_ARGUMENT for a line that is no suppression; then
 * nothing is dropped. */
lw_status result_suppress(result_set *set, const char *path, const char *text, size_t size, lw_error *error);
/* Adds the line, with its end, that would drop this finding, unless out has it already. */
void result_suppression_of(const result_finding *finding, lw_text *out);

/* ---- the result log: how a guest process hands results to `lanewise run` ----
 * A file that every process under `lanewise run` maps shared and writes into directly, so that results survive a
 * crash, _exit or SIGKILL. Launch records are updated in place (totals); strings are written once. */
typedef struct result_log result_log;

/* Parent: creates the file. Its path goes to children as the environment variable LANEWISE_RESULTS. */
lw_status result_log_create(const char *path, lw_error *error);
/* Guest process: opens it; device name and cc are stored with the process. */
lw_status result_log_open(result_log **out, const char *path, const char *device_name, const char *device_cc,
                          lw_error *error);
/* Adds a launch: found by (kernel_mangled, grid, block, cluster, dynamic shared) and summed row by row if present (rows
 * are matched by position and identity; see result_log.c). Thread safe within the process. */
void result_log_launch(result_log *log, const result_launch *launch);
void result_log_finding(result_log *log, const result_finding *finding);
/* A finding of which it is not known yet how bad it is: it has its severity until result_log_settle() was called as
 * often as it was written, then that of `settled`. NULL: there was no room for it. */
typedef struct result_open result_open;
result_open *result_log_open_finding(result_log *log, const result_finding *finding, const char *settled);
void result_log_settle(result_log *log, result_open *finding);
/* Adds an operation to the timeline of this process. */
void result_log_span(result_log *log, const result_span *span);
/* Adds one launch that is not counted. */
void result_log_uncounted(result_log *log, const char *kernel, result_why_uncounted why);
/* The same for a signal handler: without locks and memory of the process; every call makes a finding of its own. */
void result_log_finding_in_signal(result_log *log, const result_finding *finding);
void result_log_message(result_log *log, const char *message); /* duplicates are dropped */
void result_log_check(result_log *log, const char *name);      /* a check is on in this process */
/* Marks this process as ended properly. */
void result_log_close(result_log *log);
/* Parent: reads everything all processes wrote; tolerates records cut by a crash. */
lw_status result_log_read(const char *path, result_set *out, lw_error *error);

#endif
