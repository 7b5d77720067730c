/* run.h: what a tool needs to run CUDA programs under lanewise: the list of devices, a check of whether a program can
 * attach, the results file that the program's processes write, and the report. The command `lanewise` uses this header
 * and no internal one.
 *
 * A run consists of three steps:
 *   lw_results_create(path)                  then start the program with LANEWISE_RESULTS=path in its environment
 *   lw_results_read(path, NULL, &results)    after it has ended, also after a crash
 *   lw_results_text() or lw_results_json()   the report
 *
 * Errors: functions that can fail return 0 on success. On failure they return a positive number and write one sentence
 * to *message (which may be NULL). Threads: all functions may be called from any thread. No function prints anything.
 */
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
    char text[2048]; /* NUL-terminated */
} lw_message;

/* ---- devices ---- */
typedef struct lw_device_info {
    char id[32];      /* what --device accepts: "h200", "cc:8.6" */
    char name[64];    /* "NVIDIA H200" */
    int major, minor; /* compute capability */
    int multiprocessors;
    uint64_t memory_bytes, l2_bytes;
    uint64_t shared_per_block; /* bytes, the maximum with opt-in */
    uint64_t shared_per_multiprocessor;
} lw_device_info;

/* Calls visit once for every device that has a profile, boards before capabilities. *device is valid during the call.
 * Fails only if memory runs out. */
LW_RUN_API int lw_device_each(void (*visit)(void *user, const lw_device_info *device), void *user, lw_message *message);
/* Finds a device. spec: an id or a name ("h200", "NVIDIA H200"), or a compute capability ("cc:8.6"); NULL: the default
 * device. Fails if there is no such device. */
LW_RUN_API int lw_device_find(const char *spec, lw_device_info *out, lw_message *message);

/* ---- programs ---- */
/* Whether a program will attach to lanewise when it is started. */
typedef enum lw_program_verdict {
    LW_PROGRAM_FINE,    /* it attaches, or it is a file that does not need to (a script, a program without CUDA) */
    LW_PROGRAM_SHARED,  /* it attaches through libcudart.so.13: preload lanewise's, in case an RPATH leads elsewhere */
    LW_PROGRAM_REFUSED, /* it cannot attach; *message says why and how to build it so that it does */
} lw_program_verdict;

/* Checks the file at `path` for a run on `device`. library_dir: lanewise's library directory, which the message quotes.
 * A file that cannot be read is LW_PROGRAM_FINE: the attempt to start it gives the better message. */
LW_RUN_API lw_program_verdict lw_program_check(const char *path, const lw_device_info *device, const char *library_dir,
                                               lw_message *message);

/* Whether the program at `path` is linked with one of NVIDIA's closed libraries (cuBLAS, cuFFT ...), whose calls fail
 * under lanewise; *message says which, and what that means. */
LW_RUN_API bool lw_program_uses_closed_library(const char *path, lw_message *message);

/* ---- checks ---- */
/* Whether `list` can be given to --check: "all", or names separated by commas ("memcheck,racecheck"). Returns 0 if it can,
 * else the message lists the names. */
LW_RUN_API int lw_checks_valid(const char *list, lw_message *message);

/* Whether `text` can be given to --fill: 0 to 255 (0xff too) or random:SEED. */
LW_RUN_API bool lw_fill_valid(const char *text);

/* ---- results ---- */
typedef struct lw_results lw_results;

/* Creates an empty results file at `path`, or empties an existing file. Fails if it cannot be written. */
LW_RUN_API int lw_results_create(const char *path, lw_message *message);
/* Reads what all processes have written until now. The caller owns *out and frees it with lw_results_free(); it is NULL
 * on failure (no such file, or not a results file of this version). device: the device that the report names if no
 * process recorded one; may be NULL. */
LW_RUN_API int lw_results_read(const char *path, const lw_device_info *device, lw_results **out, lw_message *message);
LW_RUN_API void lw_results_free(lw_results *results); /* NULL is allowed */

/* Whether lw_results_suppress() would take the file at `path`. Returns 0 if so. */
LW_RUN_API int lw_suppressions_valid(const char *path, lw_message *message);
/* Drops the findings that the file at `path` names, one CHECK:KERNEL[@FILE[:LINE]] per line (docs/CHECKS.md). Call it
 * before anything else uses the results. Fails, and drops nothing, if the file cannot be read or a line is malformed. */
LW_RUN_API int lw_results_suppress(lw_results *results, const char *path, lw_message *message);
/* The lines that would drop the errors and warnings, as a string that the caller frees with free(). */
LW_RUN_API char *lw_results_suppressions(const lw_results *results);

/* Results are immutable but for that: several threads may use the same results at the same time. */
LW_RUN_API bool lw_results_attached(const lw_results *results); /* a process used lanewise's CUDA runtime or driver */
/* The number of launch records. Launches of one kernel with the same configuration are one record. */
LW_RUN_API size_t lw_results_launches(const lw_results *results);
LW_RUN_API size_t lw_results_findings(const lw_results *results);
/* Those of them for which `lanewise run --error-exitcode` changes the exit status: errors and warnings, not notes. */
LW_RUN_API size_t lw_results_failures(const lw_results *results);

/* Predicted times of a launch record, if the program ran with LANEWISE_TIME=1 and LANEWISE_CACHES=warm (or cold) in its
 * environment. Strings live as long as the results. */
typedef struct lw_launch_time {
    const char *kernel; /* demangled */
    unsigned grid[3], block[3];
    uint64_t launches; /* that the record holds; times are of all of them together */
    double seconds, low, high;
    const char *bottleneck; /* "dram", "l2" ... (docs/REPORT.md) */
    double occupancy;       /* 0 to 1 */
    const char *file;       /* of the line that costs most; NULL: not known */
    unsigned line;
} lw_launch_time;
/* Calls visit for every launch record that was predicted. *time is valid during the call. */
LW_RUN_API void lw_results_times(const lw_results *results, void (*visit)(void *user, const lw_launch_time *time),
                                 void *user);
/* From the begin of the first operation on the device to the end of the last one, in seconds; 0: not predicted. */
LW_RUN_API double lw_results_device_seconds(const lw_results *results);

/* Zero-initialise for the defaults. */
typedef struct lw_report_options {
    bool colour;     /* use ANSI colours */
    bool unicode;    /* use characters outside ASCII */
    unsigned width;  /* columns; 0: 100 */
    unsigned lines;  /* the most source lines per kernel that are shown in full; 0: 8 */
    bool all;        /* show all kernels, lines and findings */
    const char *cwd; /* files below this directory are shown relative to it; NULL: as recorded */
    bool only_bad;   /* show only the findings that lw_results_failures() counts; empty text if there are none */
} lw_report_options;

/* Both functions set *out to a NUL-terminated string, which the caller frees with free().
 * lw_results_text(): the report as `lanewise run` prints it (docs/REPORT.md). options must not be NULL. */
LW_RUN_API int lw_results_text(const lw_results *results, const lw_report_options *options, char **out,
                               lw_message *message);
/* lw_results_json(): the document that `lanewise run --json` writes, schema 1 (docs/REPORT.md). */
LW_RUN_API int lw_results_json(const lw_results *results, char **out, lw_message *message);
/* Other forms of the report, of which of options only cwd counts. *out: a text that the caller frees with free(). */
typedef enum lw_report_form {
    LW_REPORT_HTML,     /* as lw_results_html() */
    LW_REPORT_SARIF,    /* SARIF 2.1.0: findings, and lines above their ideal as notes */
    LW_REPORT_JUNIT,    /* JUnit XML: a test case per kernel, failed by errors and warnings */
    LW_REPORT_MARKDOWN, /* a summary */
} lw_report_form;
LW_RUN_API int lw_results_form(const lw_results *results, lw_report_form form, const lw_report_options *options,
                               char **out, lw_message *message);
/* Adds the text of source lines to the results, which lw_results_json() then writes: lw_diff() finds lines that moved by it. */
LW_RUN_API void lw_results_keep_sources(lw_results *results);
/* Whether lw_results_budgets() would take the file at `path`. Returns 0 if so. */
LW_RUN_API int lw_budgets_valid(const char *path, lw_message *message);
/* Compares the results with the budgets of the file at `path` (docs/REPORT.md). *out: a line for each that is exceeded
 * ("over budget: ...") and for each that fits nothing in the run, which the caller frees with free(); *over: how many are exceeded. */
LW_RUN_API int lw_results_budgets(const lw_results *results, const char *path, char **out, size_t *over,
                                  lw_message *message);

/* ---- words ---- */
/* A word of the report, explained; static data. */
typedef struct lw_word {
    const char *name, *title, *text;
    const char *picture; /* lines of ASCII, or "" */
} lw_word;
/* The word with this number, from 0; NULL after the last one. */
LW_RUN_API const lw_word *lw_word_at(size_t index);
/* The word that explains `name`: its name, its title or another word of the report, the page or the JSON ("pass", "L1", "fp32"), in upper
 * or lower case, with gaps as " ", "-" or "_". NULL: there is none. May be called from any thread. */
LW_RUN_API const lw_word *lw_word_find(const char *name);

/* ---- two runs ---- */
typedef struct lw_diff_options {
    bool colour, unicode, json;
    unsigned width;                /* columns; 0: 100 */
    const char *cwd;               /* files below it are shown relative to it; NULL: as recorded */
    const char *const *conditions; /* what must not hold: "sectors > 1.05x" (docs/REPORT.md) */
    size_t condition_count;
    bool html; /* a page instead of text */
} lw_diff_options;
/* Compares two files that `lanewise run --json` wrote. *out: the differences, which the caller frees with free(); *failed: how often
 * conditions hold. */
LW_RUN_API int lw_diff(const char *before, const char *after, const lw_diff_options *options, char **out,
                       size_t *failed, lw_message *message);

/* lw_results_html(): the report as one page with everything in it, as `lanewise run --html` writes it. Of options only
 * cwd counts. Pictures of accesses are in it if the program ran with LANEWISE_SAMPLES=1 in its environment. */
LW_RUN_API int lw_results_html(const lw_results *results, const lw_report_options *options, char **out,
                               lw_message *message);

#ifdef __cplusplus
}
#endif

#endif
