/* session.h: run CUDA kernels from a program of your own, with no GPU and no CUDA API: load PTX or a fatbin from
 * memory, make buffers, launch with `void **` arguments, read counters and findings.
 *
 *   lw_session *s; lw_module *m; void *d;
 *   lw_session_create(&s, NULL, &message);
 *   lw_module_load(s, ptx, strlen(ptx), "vadd.ptx", &m, &message);
 *   lw_buffer_create(s, bytes, &d, &message);              d is an ordinary pointer: fill it with memcpy
 *   lw_launch(s, m, "vadd", &(lw_shape){.grid = {8}, .block = {256}}, (void *[]){&d, &n}, &message);
 *   lw_session_results(s, &results, &message);             then lw_results_text(), lw_results_json() of run.h, or
 *   lw_results_each(results, visit, user);                 row by row
 *
 * Rules. Functions return 0, or a positive number and then fill *message (NULL allowed) with a sentence; what they give
 * through a pointer is then NULL or not written. A process has at most one session at a time, because device addresses
 * are fixed. Calls on one session and its modules may come from any thread, but one at a time. A launch is finished
 * when lw_launch returns. Strings that go in are copied. Nothing here prints or exits.
 *
 * Counts follow the rules that the report follows: docs/REPORT.md, src/result/counters.def. */
#ifndef LANEWISE_SESSION_H
#define LANEWISE_SESSION_H

#include "lanewise/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_session lw_session;
typedef struct lw_module lw_module;

/* All optional: zero-initialise. */
typedef struct lw_session_options {
    const char *device;    /* "h200" (default), "cc:8.0", ... : as --device */
    unsigned threads;      /* host threads; 0: all processors */
    uint64_t memory_bytes; /* device memory; 0: the least of the device's and three quarters of the host's */
    bool count_ptx;        /* count the PTX as written: no count plan (--count ptx) */
} lw_session_options;

/* options: NULL for the defaults. Fails if the device is unknown, or if there is no room for device memory. That it is
 * the only session is up to the caller. *out belongs to the caller: lw_session_destroy(). */
LW_RUN_API int lw_session_create(lw_session **out, const lw_session_options *options, lw_message *message);
/* Frees the session with its modules and buffers; NULL allowed. Results read before stay valid. */
LW_RUN_API void lw_session_destroy(lw_session *session);

/* image: PTX text, a fatbin container, or an ELF file that carries one; bytes its size; name: for messages and for
 * reports without line information. *out is the session's and lives as long. Fails with line and column if
 * the PTX is wrong; an instruction that is not supported is an error of the launch that needs it. */
LW_RUN_API int lw_module_load(lw_session *session, const void *image, size_t bytes, const char *name, lw_module **out,
                              lw_message *message);
/* Address and size in bytes of a __device__ or __constant__ variable by its PTX name, each NULL allowed; the address is
 * usable on the host while no launch runs. Fails if the module has no such variable. */
LW_RUN_API int lw_module_variable(lw_module *module, const char *name, void **out_address, size_t *out_bytes,
                                  lw_message *message);

/* Device memory, zeroed, 512-byte aligned; *out is both the host's and the kernel's pointer, and the session's: freed
 * by lw_buffer_destroy() or with the session. */
LW_RUN_API int lw_buffer_create(lw_session *session, size_t bytes, void **out, lw_message *message);
/* Lets kernels use memory of your own (it must outlive its use); undone by lw_buffer_destroy, which leaves it. */
LW_RUN_API int lw_buffer_register(lw_session *session, void *memory, size_t bytes, lw_message *message);
/* Frees a created buffer or lets go of a registered one, by the pointer it was made with. Fails for any
 * other pointer. */
LW_RUN_API int lw_buffer_destroy(lw_session *session, void *buffer, lw_message *message);

/* Grid in blocks, block in threads, cluster in blocks; x, y, z. Zero extents count as 1. */
typedef struct lw_shape {
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared_bytes;
    bool cooperative;
} lw_shape;

/* Runs the kernel (its PTX name) to its end. arguments[i] points to the value of parameter i, as for cudaLaunchKernel.
 * A fault of the kernel is an error here (message: what, line, block, thread, allocation) and a finding in the results;
 * the session goes on. */
LW_RUN_API int lw_launch(lw_session *session, lw_module *module, const char *kernel, const lw_shape *shape,
                         void **arguments, lw_message *message);

/* What was counted so far. *out: freed with lw_results_free(). */
LW_RUN_API int lw_session_results(lw_session *session, lw_results **out, lw_message *message);

/* ---- results row by row ---- */
typedef struct lw_counter {
    const char *name; /* "sectors", "wavefronts", ... as in the JSON report */
    uint64_t value;
} lw_counter;

/* One source line of one kernel, in one space, one operation, one width. Valid during the call. */
typedef struct lw_row {
    const char *kernel, *file, *function;
    uint32_t line;
    const char *space; /* "shared" "global" "dshared" "local" "constant" "texture" */
    const char *op;    /* "load" "store" "atomic" "reduction" "copy" "matrix" */
    uint32_t bytes_per_lane;
    bool exact;
    const char *why;            /* when not exact */
    const lw_counter *counters; /* only those that apply */
    size_t counter_count;
} lw_row;
/* Calls visit for every row, launch by launch; it must not free the results. */
LW_RUN_API void lw_results_each(const lw_results *results, void (*visit)(void *user, const lw_row *row), void *user);

/* A fault or warning. Texts are valid during the call, "" where not known; line 0: not known. */
typedef struct lw_finding {
    const char *check, *severity, *message, *kernel, *file;
    uint32_t line, block[3], thread[3];
} lw_finding;
LW_RUN_API void lw_results_each_finding(const lw_results *results, void (*visit)(void *user, const lw_finding *finding),
                                        void *user);

#ifdef __cplusplus
}
#endif

#endif
