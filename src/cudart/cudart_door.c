/* The runtime's door: its table, and what its calls answer when there is no core: cudaErrorInsufficientDriver, with the
 * registration calls of constructors quiet, so that a program that never uses CUDA starts without a word. */
#include "door/door.h"

enum {
#define ENTRY(name, kind, group) ROW_##name,
#include "cudart/entrypoints.def"
#undef ENTRY
    ROW_COUNT
};

extern const void *lw_cudart_table[] __attribute__((visibility("hidden")));
void lw_cudart_bind(void) __attribute__((visibility("hidden")));

/* Tells a program with our static runtime from one with NVIDIA's. */
const char lw_cudart_marker[] __attribute__((visibility("default"), used)) = "lanewise cudart 13.0";

#define INSUFFICIENT_DRIVER 35

static int fail(void)
{
    lw_door_complain();
    return INSUFFICIENT_DRIVER;
}

static const char *fail_name(int error) { return error ? "cudaErrorInsufficientDriver" : "cudaSuccess"; }

static const char *fail_text(int error)
{
    return error ? "CUDA driver version is insufficient for CUDA runtime version" : "no error";
}

static void **quiet_register(void *wrapper)
{
    static void *handle;
    (void)wrapper;
    return &handle;
}

static int quiet(void) { return INSUFFICIENT_DRIVER; }

static int fail_count(int *count)
{
    if (count) *count = 0;
    return fail();
}

typedef struct channel_desc {
    int x, y, z, w, f;
} channel_desc;

static channel_desc describe(int x, int y, int z, int w, int f) { return (channel_desc){x, y, z, w, f}; }

void lw_cudart_bind(void)
{
    static int state;
    static const lw_door_fallback special[] = {
        {ROW_cudaGetErrorName, (const void *)fail_name},
        {ROW_cudaGetErrorString, (const void *)fail_text},
        {ROW_cudaGetDeviceCount, (const void *)fail_count},
        {ROW_cudaCreateChannelDesc, (const void *)describe},
        {ROW___cudaRegisterFatBinary, (const void *)quiet_register},
        {ROW___cudaRegisterFatBinaryEnd, (const void *)quiet},
        {ROW___cudaUnregisterFatBinary, (const void *)quiet},
        {ROW___cudaRegisterFunction, (const void *)quiet},
        {ROW___cudaRegisterVar, (const void *)quiet},
        {ROW___cudaRegisterManagedVar, (const void *)quiet},
        {ROW___cudaRegisterHostVar, (const void *)quiet},
        {ROW___cudaLanewiseManaged, (const void *)quiet},
    };
    static const lw_door door = {"cudart",           lw_cudart_table, ROW_COUNT,
                                 (const void *)fail, special,         sizeof special / sizeof *special};
    lw_door_bind(&door, &state);
}
