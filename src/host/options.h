/* options: what a process's context is made with. The doors' programs get theirs from the environment, which
 * `lanewise run` sets; sessions (api/) give them by value. */
#ifndef LW_HOST_OPTIONS_H
#define LW_HOST_OPTIONS_H

#include "base/base.h"
#include "check/check.h"
#include "memory/memory.h"
#include "host/types.h"

#define HOST_DEVICES_MOST MEM_DEVICES_MOST

typedef struct host_options {
    const char *device;                 /* "h200", "cc:8.0" ...; NULL: the default device */
    uint32_t devices;                   /* how many of them, at most HOST_DEVICES_MOST; 0: one */
    uint8_t numbers[HOST_DEVICES_MOST]; /* which of the machine's they are, with hides */
    bool hides;                         /* of several devices CUDA_VISIBLE_DEVICES shows these alone */
    uint32_t threads;                   /* host threads that execute blocks; 0: one per processor */
    uint64_t memory_bytes; /* device memory at most; 0: the least of the device's and three quarters of the host's */
    const char *results;   /* path of the results file, which exists; NULL: nobody wants results */
    const char *kernels;   /* extended regular expression: kernels that are counted; NULL: all */
    uint64_t launch_skip;  /* of the launches of those kernels, how many are not counted first ... */
    uint64_t launch_count; /* ... and how many are counted after that; UINT64_MAX: all */
    bool count_ptx;        /* count the PTX as it stands, without the count plan */
    bool no_report;        /* count nothing; findings and messages are still written */
    bool stop_at_errors;   /* accesses that are errors but that a card lets through stop their launch */
    const char *caches;    /* "warm" or "cold": predict caches and DRAM; NULL: do not */
    bool time;             /* predict times, and caches for them */
    bool samples;          /* keep addresses of single warps, to be drawn */
    bool what_if;          /* count other layouts of arrays in shared memory */
    const char *schedule;  /* "card", "to-barrier", "random:SEED" (exec_schedule_parse); NULL: card */
    double timeout;        /* seconds that a kernel may run; 0: any time */
    mem_fill fill;         /* what fresh device memory, shared and local memory hold */
    check_options checks;  /* none: only what costs nothing */
    uint64_t find_seed; /* of a launch that races, schedules that are tried for one that changes its result; 0: none */
    bool progress;      /* show progress on stderr from the second second of a launch on */
} host_options;

/* LANEWISE_DEVICE, LANEWISE_DEVICES (how many), LANEWISE_THREADS, LANEWISE_MEMORY ("512M", "2G"), LANEWISE_RESULTS, LANEWISE_KERNEL,
 * LANEWISE_LAUNCH_SKIP, LANEWISE_LAUNCH_COUNT, LANEWISE_COUNT=ptx, LANEWISE_NO_REPORT=1, LANEWISE_PROGRESS=1,
 * LANEWISE_ON_ERROR=stop, LANEWISE_CACHES (warm, cold), LANEWISE_TIME=1, LANEWISE_SAMPLES=1, LANEWISE_WHAT_IF=1, LANEWISE_SCHEDULE, LANEWISE_TIMEOUT (seconds), LANEWISE_CHECK
 * (check_parse), LANEWISE_INIT_AT_LOAD=1, LANEWISE_FILL (mem_fill_parse), LANEWISE_FIND_SEED (how many). The one place of this room that reads the
 * environment. Strings are the environment's: they are valid until it changes. */
host_options host_options_from_environment(void);

/* Of several devices those that CUDA_VISIBLE_DEVICES shows: numbers with commas between (by UUID: all are shown).
 * HOST_NO_DEVICE, HOST_INVALID_DEVICE. A single device is always shown: what hides the card of a machine is not meant
 * for this one. */
host_error host_options_choose_visible(host_options *options);

/* A copy with strings of its own, threads filled in and within 1..1024. */
host_options host_options_copy(const host_options *options);
void host_options_free(host_options *options);

#endif
