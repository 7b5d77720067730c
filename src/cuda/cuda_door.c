/* The driver's door: its table, and what its calls answer when there is no core: CUDA_ERROR_NO_DEVICE. */
#include "door/door.h"

#include <stdio.h>

enum {
#define ENTRY(symbol, kind, group, name, version, stream) ROW_##symbol,
#include "cuda/entrypoints.def"
#undef ENTRY
    ROW_COUNT
};

extern const void *lw_cuda_table[] __attribute__((visibility("hidden")));
void lw_cuda_bind(void) __attribute__((visibility("hidden")));

/* Tells this driver from NVIDIA's. */
const char lw_cuda_marker[] __attribute__((visibility("default"), used)) = "lanewise cuda 13.0";

#define NO_DEVICE 100

static int fail(void)
{
    static int said;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        fprintf(stderr, "lanewise: this libcuda.so.1 is lanewise's and finds no " LW_CORE_NAME " beside it; start the "
                        "program with: lanewise run COMMAND\n");
    return NO_DEVICE;
}

static int fail_version(int *version)
{
    if (version) *version = 0;
    return fail();
}

void lw_cuda_bind(void)
{
    static int state;
    static const lw_door_fallback special[] = {{ROW_cuDriverGetVersion, (const void *)fail_version}};
    static const lw_door door = {
        "cuda", lw_cuda_table, ROW_COUNT, (const void *)fail, special, sizeof special / sizeof *special};
    lw_door_bind(&door, &state);
}
