/* run.h: what a tool needs around a run of a CUDA program: devices to choose from, what kind of program a file is, the
 * file the program's processes write their results into, and the report over it. The command `lanewise` is built on
 * this header alone.
 *
 * A run, in short:
 *   lw_results_create(path)                  then start the program with LANEWISE_RESULTS=path in its environment
 *   lw_results_read(path, NULL, &results)    after its end, however it ended
 *   lw_results_text() / lw_results_json()    the report
 *
 * Functions that can fail return 0 or a positive number and then fill *message (NULL allowed) with a sentence. Nothing
 * here prints, and everything may be called from any thread. */
#ifndef LANEWISE_RUN_H
#define LANEWISE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LW_RUN_API __attribute__((visibility("default")))
#else
#define LW_RUN_API
#endif

typedef struct lw_message {
    char text[2048];
} lw_message;

/* ---- devices ---- */
typedef struct lw_device_info {
    char id[32];      /* what --device takes: "h200", "cc:8.6" */
    char name[64];    /* "NVIDIA H200" */
    int major, minor; /* compute capability */
    int multiprocessors;
    uint64_t memory_bytes, l2_bytes;
    uint64_t shared_per_block, shared_per_multiprocessor; /* bytes; the first with opt-in */
} lw_device_info;

/* Calls visit for every device there is a profile of, boards first. Fails only without memory; *device is valid during
 * the call. */
LW_RUN_API int lw_device_each(void (*visit)(void *user, const lw_device_info *device), void *user, lw_message *message);
/* spec: an id or name ("h200", "NVIDIA H200"), or a capability ("cc:8.6"); NULL: the default. */
LW_RUN_API int lw_device_find(const char *spec, lw_device_info *out, lw_message *message);

/* ---- programs ---- */
/* Whether a file can attach to lanewise when it is started for a device. */
typedef enum lw_program_verdict {
    LW_PROGRAM_FINE,    /* it attaches, or it is nothing that could (a script, a program without CUDA) */
    LW_PROGRAM_SHARED,  /* it attaches through libcudart.so.13: preload ours, in case it has an RPATH to another */
    LW_PROGRAM_REFUSED, /* it cannot attach: *message says why and the line that mends it */
} lw_program_verdict;

/* library_dir: lanewise's directory of libraries, for the line that mends it. A file that cannot be read is fine here:
 * starting it will say so better. */
LW_RUN_API lw_program_verdict lw_program_check(const char *path, const lw_device_info *device, const char *library_dir,
                                               lw_message *message);

/* ---- results ---- */
typedef struct lw_results lw_results;

/* Makes an empty results file at path, or empties the one there is. Fails if it cannot be written. */
LW_RUN_API int lw_results_create(const char *path, lw_message *message);
/* Reads what all processes have written so far. *out belongs to the caller: lw_results_free(); NULL on failure (no such
 * file, or no results file of this version). device: what the report names if no process got as far as saying which
 * device it ran on; NULL allowed. */
LW_RUN_API int lw_results_read(const char *path, const lw_device_info *device, lw_results **out, lw_message *message);
LW_RUN_API void lw_results_free(lw_results *results); /* NULL allowed */

/* Results do not change once they are read: any number of threads may look at them. */
LW_RUN_API bool lw_results_attached(const lw_results *results); /* some process used lanewise's runtime */
/* Launches of one kernel with one configuration are one. */
LW_RUN_API size_t lw_results_launches(const lw_results *results);
LW_RUN_API size_t lw_results_findings(const lw_results *results);
/* Those of them for which `lanewise run --error-exitcode` changes the exit status: errors and warnings, not notes. */
LW_RUN_API size_t lw_results_failures(const lw_results *results);

typedef struct lw_report_options {
    bool colour;     /* ANSI colours */
    bool unicode;    /* marks outside ASCII */
    unsigned width;  /* columns; 0: 100 */
    unsigned lines;  /* most source lines in full per kernel; 0: 8 */
    bool all;        /* leave nothing out: every kernel, line and finding */
    const char *cwd; /* file names below it are shown relative to it; NULL: as they are */
    bool only_bad;   /* only the findings that lw_results_failures() counts; an empty text if there are none */
} lw_report_options;

/* *out is malloc'ed, NUL-terminated; the caller frees it. */
/* The report as `lanewise run` prints it (docs/REPORT.md); options: zeros are the defaults; not NULL. */
LW_RUN_API int lw_results_text(const lw_results *results, const lw_report_options *options, char **out,
                               lw_message *message);
/* The document that `lanewise run --json` writes, of schema 1 (docs/REPORT.md). */
LW_RUN_API int lw_results_json(const lw_results *results, char **out, lw_message *message);

#ifdef __cplusplus
}
#endif

#endif
