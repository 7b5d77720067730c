/* A program of both APIs without kernels of its own: the runtime's first real call makes the primary context current
 * for the driver's calls. */
#include <dlfcn.h>

#include "driver_test.h"

int main(void)
{
    CUcontext current = NULL, primary;
    CUdeviceptr memory;
    int count = 0;
    void *runtime = dlopen("libcudart.so.13", RTLD_NOW);
    EXPECT(runtime);
    int (*get_count)(int *) = (int (*)(int *))dlsym(runtime, "cudaGetDeviceCount");
    int (*set_device)(int) = (int (*)(int))dlsym(runtime, "cudaSetDevice");
    EXPECT(get_count && set_device);
    EXPECT(!get_count(&count) && count == 1);
    CHECK(cuInit(0));
    CHECK(cuCtxGetCurrent(&current));
    EXPECT(!current);
    EXPECT_ERROR(cuMemAlloc(&memory, 16), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT(!set_device(0));
    CHECK(cuCtxGetCurrent(&current));
    CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
    EXPECT(current == primary);
    CHECK(cuMemAlloc(&memory, 16));
    CHECK(cuMemFree(memory));
    CHECK(cuDevicePrimaryCtxRelease(0));
    printf("ok runtime_context\n");
    return 0;
}
