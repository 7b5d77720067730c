/* variant: a run of a program under `lanewise run --time` in a process of its own, whose output nobody sees, and what it
 * predicts by kernel. */
#ifndef LW_CLI_VARIANT_H
#define LW_CLI_VARIANT_H

#include "cli.h"

#include <sys/types.h>

/* All launches of the kernels of one name. */
typedef struct variant_kernel {
    char *name; /* without parameters */
    uint64_t launches;
    double seconds, low, high; /* of all of them */
    double longest; /* seconds of the launches of one configuration that took longest: what follows is theirs */
    const char *bottleneck;
    double occupancy;
    char *place; /* of the line that costs most; NULL: not known */
} variant_kernel;

typedef struct variant {
    words arguments; /* of `lanewise run`, the command's name left out */
    /* while it runs: */
    pid_t process;
    char *results, *log; /* files */
    /* when it has ended: */
    int status; /* what it exited with */
    char *why;  /* it failed: a sentence; NULL: it did not */
    variant_kernel *kernels;
    size_t kernel_count;
    double device_seconds; /* of the whole program on the device */
} variant;

/* A folder for the files of all variants; false: there is none, said on stderr. It is removed by variants_end(). */
bool variants_begin(void);
void variants_end(void);

bool variant_start(variant *v);
/* Waits for any of those that run, and reads what it predicts. NULL: none runs. */
variant *variant_wait(variant *all, size_t count);
const variant_kernel *variant_kernel_of(const variant *v, const char *name); /* NULL: it did not run there */

/* What a command passes on to `lanewise run`: words that are not its own options, from argv[i] on. Fills in what stands
 * before --, and from there on. Returns 0 or the exit status. */
int variant_parse(const command *self, void *options, char **argv, words *before, words *after);

const char *variant_time(double seconds);           /* "14.9 us" */
const char *variant_range(double low, double high); /* "12.7-17.4 us" */

#endif
