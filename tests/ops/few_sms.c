/*
 * Loaded before liblanewise-ops, makes it believe in one multiprocessor: its grids are then so small that a block works
 * as long on the little data of an emulated test as on a full card with large data, and what a block does once counts
 * as little. The attribute is all that changes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <cuda_runtime_api.h>

#define MULTIPROCESSORS 1

typedef cudaError_t (*attribute_call)(int *value, enum cudaDeviceAttr attribute, int device);

static int asked;

/* How often somebody asked for the number of multiprocessors. */
int few_sms_asked(void) { return asked; }

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    void *runtime = dlopen("libcudart.so.13", RTLD_LAZY | RTLD_NOLOAD); /* the one the library is linked with */
    attribute_call real = runtime ? (attribute_call)dlsym(runtime, "cudaDeviceGetAttribute") : NULL;
    if (runtime) dlclose(runtime);
    if (!real) return cudaErrorNotSupported;
    cudaError_t e = real(value, attribute, device);
    if (e == cudaSuccess && attribute == cudaDevAttrMultiProcessorCount) {
        *value = MULTIPROCESSORS;
        asked++;
    }
    return e;
}
