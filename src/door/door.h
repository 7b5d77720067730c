/* door.h: what a door (libcudart.so.13, libcudart_static.a, libcuda.so.1) and the core say to each other. A door holds
 * only trampolines; at the first call it loads the core, liblanewise.so.0, and fills its table from the core's. */
#ifndef LW_DOOR_H
#define LW_DOOR_H

#include <stddef.h>

#define LW_DOOR_ABI 1u /* changes when rows of an entry point table move or change their meaning */
#define LW_CORE_NAME "liblanewise.so.0"

/* The one function the core exports for doors: the functions of `door` ("cudart", "cuda") in the order of its
 * entrypoints.def. NULL: no such door, or another ABI. *count may exceed what an older door knows. */
typedef const void *const *(*lw_core_table_fn)(const char *door, unsigned abi, size_t *count);

/* What the file that includes door.c's code gives it. */
typedef struct lw_door_fallback {
    size_t index; /* row */
    const void *function;
} lw_door_fallback;
typedef struct lw_door {
    const char *name;
    const void **table; /* filled by lw_door_bind() */
    size_t count;
    const void *fail;                /* stands in for every row when there is no core ... */
    const lw_door_fallback *special; /* ... but these */
    size_t special_count;
} lw_door;

/* Finds the core and fills the table, at the first call of a door, whichever thread makes it; others wait until it is
 * done. *state is the door's, 0 at first. */
void lw_door_bind(const lw_door *door, int *state);
/* Says once on stderr why there is no core. */
void lw_door_complain(void);

#endif
