/* The first driver program of every textbook: devices, a context, PTX text, both forms of launch parameters. */
#include "driver_test.h"

enum { N = 1000 };

static void check_sum(CUdeviceptr c, float *host)
{
    CHECK(cuMemcpyDtoH(host, c, N * sizeof(float)));
    for (int i = 0; i < N; i++) EXPECT(host[i] == 3.0f * (float)i);
    CHECK(cuMemsetD8(c, 0, N * sizeof(float)));
}

static void launch_all_forms(CUfunction add, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, float *host)
{
    unsigned n = N;
    void *params[] = {&a, &b, &c, &n};
    CHECK(cuLaunchKernel(add, (N + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    CHECK(cuCtxSynchronize());
    check_sum(c, host);

    struct {
        CUdeviceptr a, b, c;
        unsigned n;
    } packed = {a, b, c, N};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(add, (N + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, NULL, extra));
    check_sum(c, host);

    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {2, 1, 1}};
    CUlaunchConfig config = {.gridDimX = 4,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 256,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = &cluster,
                             .numAttrs = 1};
    CHECK(cuLaunchKernelEx(&config, add, params, NULL));
    check_sum(c, host);
    CHECK(cuLaunchCooperativeKernel(add, 4, 1, 1, 256, 1, 1, 0, NULL, params));
    check_sum(c, host);
    EXPECT_ERROR(cuLaunchKernel(add, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    EXPECT_ERROR(cuLaunchKernel(NULL, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_ERROR(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, params, extra), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
    int count = 0, version = 0, major = 0, minor = 0;
    char name[100];
    size_t total = 0;
    CUdevice device;
    CUmodule module;
    CUfunction add;
    CUdeviceptr a, b, c;
    static float host[N];

    EXPECT_ERROR(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    begin();
    CHECK(cuDriverGetVersion(&version));
    EXPECT(version == 13000);
    CHECK(cuDeviceGetCount(&count));
    EXPECT(count == 1);
    EXPECT_ERROR(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetName(name, sizeof name, device));
    EXPECT(strlen(name) > 0);
    CHECK(cuDeviceTotalMem(&total, device));
    EXPECT(total > 1 << 20);
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    EXPECT(major >= 5 && minor >= 0);

    CHECK(cuModuleLoadData(&module, PTX_ADD));
    CHECK(cuModuleGetFunction(&add, module, "add"));
    EXPECT_ERROR(cuModuleGetFunction(&add, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    CHECK(cuMemAlloc(&a, sizeof host));
    CHECK(cuMemAlloc(&b, sizeof host));
    CHECK(cuMemAlloc(&c, sizeof host));
    for (int i = 0; i < N; i++) host[i] = (float)i;
    CHECK(cuMemcpyHtoD(a, host, sizeof host));
    for (int i = 0; i < N; i++) host[i] = 2.0f * (float)i;
    CHECK(cuMemcpyHtoD(b, host, sizeof host));
    launch_all_forms(add, a, b, c, host);
    CHECK(cuMemFree(a));
    CHECK(cuMemFree(b));
    CHECK(cuMemFree(c));
    CHECK(cuModuleUnload(module));
    EXPECT_ERROR(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuDevicePrimaryCtxRelease(device));
    printf("ok vector_add\n");
    return 0;
}
