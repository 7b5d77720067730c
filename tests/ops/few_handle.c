/*
 * A handle that believes in one multiprocessor: what a plan does with much data is then reached with little. Programs
 * that ask for it have their own cudaDeviceGetAttribute, which the library finds before the runtime's.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default) /* the library is to find it */
#include <dlfcn.h>
#include "few_handle.h"

static int shown; /* multiprocessors; 0: what there are */

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    typedef cudaError_t (*type)(int *, enum cudaDeviceAttr, int);
    cudaError_t e = ((type)(uintptr_t)dlsym(RTLD_NEXT, "cudaDeviceGetAttribute"))(value, attribute, device);
    if (e == cudaSuccess && shown && attribute == cudaDevAttrMultiProcessorCount) *value = shown;
    return e;
}

lw_ops *test_few_handle(test_state *t)
{
    lw_ops *few = NULL;
    lw_ops_error err;
    shown = 1;
    test_check(t, lw_ops_create(&few, 0, &err) == LW_OPS_OK, "handle of one multiprocessor");
    shown = 0;
    return few;
}
