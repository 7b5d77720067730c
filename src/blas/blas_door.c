/* cuBLAS's door: its table, and what its calls answer when there is no core: CUBLAS_STATUS_NOT_INITIALIZED. */
#include "door/door.h"

enum {
#define ENTRY(symbol, kind, group) ROW_##symbol,
#include "blas/entrypoints.def"
#undef ENTRY
    ROW_COUNT
};

extern const void *lw_cublas_table[] __attribute__((visibility("hidden")));
void lw_cublas_bind(void) __attribute__((visibility("hidden")));

/* Tells this library from NVIDIA's. */
const char lw_cublas_marker[] __attribute__((visibility("default"), used)) = "lanewise cublas 13";

#define NOT_INITIALIZED 1

static int fail(void)
{
    lw_door_complain();
    return NOT_INITIALIZED;
}

void lw_cublas_bind(void)
{
    static int state;
    static const lw_door door = {"cublas", lw_cublas_table, ROW_COUNT, (const void *)fail, NULL, 0};
    lw_door_bind(&door, &state);
}
