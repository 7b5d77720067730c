/* time_prints: calls of printf that a warp makes one after the other (time_prints.c). */
#ifndef LW_HOST_TIME_PRINTS_PRIV_H
#define LW_HOST_TIME_PRINTS_PRIV_H

#include "code/code.h"

#define HOST_PRINT_WARPS 8

/* Calls that only one thread makes, by the warp that it is in, as the number says that its own is compared with. */
typedef struct print_series {
    int64_t warps[HOST_PRINT_WARPS];
    double calls[HOST_PRINT_WARPS];
    uint32_t count;
    double others; /* calls of which that is not known: taken to be the same warp's */
} print_series;

/* calls: of a warp. The calls of the warp that has most, so far. */
double host_add_print(print_series *series, const code_site *site, double calls);

#endif
