/*
 * The handle: it reads the device's limits once and loads every kernel that forms.def names, so that running never loads
 * a module (which would synchronise or be illegal while a stream is captured).
 */
#include <stdlib.h>
#include <cuda_runtime_api.h>
#include "copy/kernels.h"

#define LW_OPS_VERSION "0.1.0"

const char *lw_ops_version(void) { return LW_OPS_VERSION; }

typedef int (*setup_call)(lw_ops *ops); /* cudaError_t */

/* clang-format off */
#define COPY_FORM(name, parameters) int lw_##name##_setup(lw_ops *ops);
#define KERNELS(name) int lw_##name##_setup(lw_ops *ops);
#include "forms.def"
#undef COPY_FORM
#undef KERNELS

static const setup_call setups[] = {
#define COPY_FORM(name, parameters) lw_##name##_setup,
#define KERNELS(name) lw_##name##_setup,
#include "forms.def"
#undef COPY_FORM
#undef KERNELS
};
/* clang-format on */

static int read_limits(lw_ops *ops)
{
    static const enum cudaDeviceAttr attr[] = {
        cudaDevAttrComputeCapabilityMajor,
        cudaDevAttrComputeCapabilityMinor,
        cudaDevAttrMultiProcessorCount,
        cudaDevAttrMaxSharedMemoryPerBlockOptin,
        cudaDevAttrMaxSharedMemoryPerMultiprocessor,
        cudaDevAttrL2CacheSize,
    };
    int v[6];
    for (int i = 0; i < 6; i++) {
        int e = (int)cudaDeviceGetAttribute(&v[i], attr[i], ops->device);
        if (e) return e;
    }
    ops->cc = 10 * v[0] + v[1];
    ops->sms = v[2];
    ops->shared_optin = v[3];
    ops->shared_sm = v[4];
    ops->l2_bytes = v[5];
    return 0;
}

static int load_kernels(lw_ops *ops)
{
    int code = 0;
    int e = lw_rows_code(&code);
    if (ops->cc >= 90 && code < 90) ops->cc = code; /* a library without kernels for clusters and bulk copies */
    for (size_t i = 0; i < sizeof setups / sizeof *setups && !e; i++) e = setups[i](ops);
    return e;
}

lw_ops_status lw_ops_create(lw_ops **out, int device, lw_ops_error *err)
{
    int before = 0;
    if (!out) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the handle pointer is NULL");
    *out = NULL;
    lw_ops *ops = calloc(1, sizeof *ops);
    if (!ops) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the handle");
    ops->device = device;
    int e = (int)cudaGetDevice(&before);
    if (!e) e = read_limits(ops);
    if (!e) e = (int)cudaSetDevice(device);
    if (!e) {
        e = load_kernels(ops);
        cudaSetDevice(before);
    }
    if (e) {
        free(ops);
        lw_ops_fail(err, LW_OPS_DEVICE, "device %d: %s", device, cudaGetErrorString((cudaError_t)e));
        if (err) err->cuda_error = e;
        return LW_OPS_DEVICE;
    }
    *out = ops;
    return LW_OPS_OK;
}

void lw_ops_destroy(lw_ops *ops) { free(ops); }
