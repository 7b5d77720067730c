/* The module with NVIDIA's runtime: its functions know no device. */
#include "capsules.h"

static int version_number;

static int own_count(int *out)
{
    *out = -1;
    return 100;
}

static int own_version(int *out)
{
    *out = version_number;
    return 0;
}

static int own_unknown(int *out)
{
    *out = 7;
    return 0;
}

static void hand_on(const char *name, capsule_call call)
{
    PyDict_SetItemString(0, name, PyCapsule_New((void *)call, capsule_type, 0));
}

void start_module(int version)
{
    version_number = version;
    hand_on("_cudaGetDeviceCount", own_count);
    hand_on("_cudaOfALaterToolkit", own_unknown);
    hand_on("getDeviceCount", own_count); /* is none of the runtime's */
    hand_on("_cudaRuntimeGetVersion", own_version);
}
