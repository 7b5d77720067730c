/* session.h: runs CUDA kernels from your own program, without a GPU and without the CUDA API: load PTX or a fatbin from
 * memory, create buffers, launch kernels, read counters and findings.
 *
 *   lw_session *s; lw_module *m; void *d;
 *   lw_session_create(&s, NULL, &message);
 *   lw_module_load(s, ptx, strlen(ptx), "vadd.ptx", &m, &message);
 *   lw_buffer_create(s, bytes, &d, &message);              d is an ordinary pointer: fill it with memcpy
 *   lw_launch(s, m, "vadd", &(lw_shape){.grid = {8}, .block = {256}}, (void *[]){&d, &n}, &message);
 *   lw_session_results(s, &results, &message);             then lw_results_text() or lw_results_json() of run.h, or
 *   lw_results_each(results, visit, user);                 row by row
 *
 * Errors: functions that can fail return 0 on success. On failure they return a positive number, write one sentence to
 * *message (which may be NULL), and set the pointer they return to NULL or leave it unchanged.
 * Threads: calls on one session and its modules may come from different threads, but only one at a time.
 * A process can have only one session at a time, because device memory has fixed addresses. Strings that are passed in
 * are copied. No function prints anything or ends the process.
 *
 * The counters follow the rules in docs/REPORT.md; src/result/counters.def defines each of them. */
#ifndef LANEWISE_SESSION_H
#define LANEWISE_SESSION_H

#include "lanewise/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_session lw_session;
typedef struct lw_module lw_module;

/* Zero-initialise for the defaults. */
typedef struct lw_session_options {
    const char *device;    /* see lw_device_find(); NULL: the default device */
    unsigned threads;      /* host threads that execute blocks; 0: one per processor */
    uint64_t memory_bytes; /* device memory; 0: that of the device, but at most three quarters of the host's */
    bool count_ptx;        /* count the PTX as written, without modelling the assembler (--count ptx) */
    bool time;             /* as --time; with caches "warm" if they are not given */
    const char *caches;    /* "warm", "cold" : as --caches; NULL: not */
    const char *schedule;  /* "card" (default), "to-barrier", "random:SEED" : as --schedule */
    const char *fill;   /* what fresh device, shared and local memory hold: "171", "0xab", "random:SEED"; NULL: zeros */
    const char *check;  /* "all", or names of checks separated by commas, as --check; NULL: none */
    uint32_t find_seed; /* with racecheck: of a launch that races, schedules that are tried until its result is another
                           one, as --find-seed; a note names it. 0: none. Each launch forks the process. */
} lw_session_options;

/* Creates a session. options may be NULL. The caller owns *out and destroys it with lw_session_destroy(). Fails if the
 * device is unknown, or if there is not enough address space for device memory. The caller must make sure that no other
 * session exists. */
LW_RUN_API int lw_session_create(lw_session **out, const lw_session_options *options, lw_message *message);
/* Destroys a session with its modules and buffers. NULL is allowed. Results that were read from it stay valid. */
LW_RUN_API void lw_session_destroy(lw_session *session);

/* Loads a module. image: `bytes` bytes of PTX text, of a fatbin, or of an ELF file that contains a fatbin; it is
 * copied. name: appears in messages, and in reports if there is no line information. The session owns *out. If the PTX
 * is wrong, the message names the line and the column. An unsupported instruction is an error of lw_launch(), and only
 * for kernels that contain it. */
LW_RUN_API int lw_module_load(lw_session *session, const void *image, size_t bytes, const char *name, lw_module **out,
                              lw_message *message);
/* Finds a __device__ or __constant__ variable by its name in PTX. out_address and out_bytes may be NULL. The address
 * is for the host, while no kernel runs: it is no pointer for kernels. It is valid as long as the module. */
LW_RUN_API int lw_module_variable(lw_module *module, const char *name, void **out_address, size_t *out_bytes,
                                  lw_message *message);

/* Allocates device memory, zeroed and aligned to 512 bytes. Host and kernels use the same pointer. The session owns the
 * buffer: free it with lw_buffer_destroy(), or with the session. */
LW_RUN_API int lw_buffer_create(lw_session *session, size_t bytes, void **out, lw_message *message);
/* Lets kernels access the caller's memory until lw_buffer_destroy() is called for it. The memory must stay valid until
 * then; lanewise never frees it. */
LW_RUN_API int lw_buffer_register(lw_session *session, void *memory, size_t bytes, lw_message *message);
/* Frees a buffer that was created, or ends the use of memory that was registered. Fails if `buffer` is neither. */
LW_RUN_API int lw_buffer_destroy(lw_session *session, void *buffer, lw_message *message);

/* A launch configuration. Dimensions are x, y, z; 0 means 1. */
typedef struct lw_shape {
    uint32_t grid[3];    /* blocks */
    uint32_t block[3];   /* threads per block */
    uint32_t cluster[3]; /* blocks per cluster */
    uint32_t dynamic_shared_bytes;
    bool cooperative; /* a cooperative launch (grid.sync()) */
} lw_shape;

/* Runs a kernel and returns when it has finished. kernel: its name in PTX (mangled for C++). arguments[i] points to the
 * value of parameter i, as for cudaLaunchKernel. If the kernel faults, the call fails: the message contains the fault,
 * the source line, block, thread and allocation, and the results contain a finding. The session remains usable. */
LW_RUN_API int lw_launch(lw_session *session, lw_module *module, const char *kernel, const lw_shape *shape,
                         void **arguments, lw_message *message);

/* Copies everything that was counted until now. The caller owns *out and frees it with lw_results_free(). */
LW_RUN_API int lw_session_results(lw_session *session, lw_results **out, lw_message *message);

/* ---- results row by row ---- */
typedef struct lw_counter {
    const char *name; /* "sectors", "wavefronts", ... as in the JSON report */
    uint64_t value;
} lw_counter;

/* The counts of one source line of one kernel, for one memory space, one operation and one access width. Everything is
 * valid during the call of visit. */
typedef struct lw_row {
    const char *kernel, *file, *function;
    uint32_t line;
    const char *space; /* "shared" "global" "dshared" "local" "constant" "texture" */
    const char *op;    /* "load" "store" "atomic" "reduction" "copy" "matrix" */
    uint32_t bytes_per_lane;
    bool exact;                 /* the counts are what hardware counts, not an estimate */
    const char *why;            /* the reason if not exact, else NULL */
    const lw_counter *counters; /* only those that apply to this space and operation */
    size_t counter_count;
} lw_row;
/* Calls visit for every row, launch by launch. visit must not free the results. */
LW_RUN_API void lw_results_each(const lw_results *results, void (*visit)(void *user, const lw_row *row), void *user);

/* A second place that a finding names, such as the other access of a race. */
typedef struct lw_related {
    const char *message, *file; /* file may be NULL */
    uint32_t line, block[3], thread[3];
} lw_related;

/* An error, a warning or a note. Everything is valid during the call of visit; kernel and file may be NULL, an unknown line
 * is 0. */
typedef struct lw_finding {
    const char *check, *severity, *message, *kernel, *file;
    uint32_t line, block[3], thread[3];
    uint64_t count; /* how often it was seen */
    const lw_related *related;
    size_t related_count;
} lw_finding;
LW_RUN_API void lw_results_each_finding(const lw_results *results, void (*visit)(void *user, const lw_finding *finding),
                                        void *user);

#ifdef __cplusplus
}
#endif

#endif
