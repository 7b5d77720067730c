/* NVML and cuDNN's handles: the device is the one that CUDA shows. Prints what differs, and "ok nvml". */
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "library_test.h"

/* nvml.h and cudnn.h are not part of every toolkit. */
typedef struct device *nvml_device;
extern int nvmlInit_v2(void), nvmlShutdown(void), nvmlDeviceGetCount_v2(unsigned *);
extern int nvmlDeviceGetHandleByIndex_v2(unsigned, nvml_device *), nvmlDeviceGetName(nvml_device, char *, unsigned);
extern int nvmlDeviceGetUUID(nvml_device, char *, unsigned), nvmlDeviceGetHandleByUUID(const char *, nvml_device *);
extern int nvmlDeviceGetHandleByPciBusId_v2(const char *, nvml_device *);
extern int nvmlDeviceGetCudaComputeCapability(nvml_device, int *, int *);
extern int nvmlDeviceGetMemoryInfo(nvml_device, uint64_t out[3]),
    nvmlDeviceGetTemperature(nvml_device, int, unsigned *);
extern int nvmlSystemGetCudaDriverVersion_v2(int *);
extern const char *nvmlErrorString(int);
extern int cudnnCreate(void **), cudnnDestroy(void *), cudnnSetStream(void *, void *), cudnnGetStream(void *, void **);
extern int cudnnBackendFinalize(void *);
extern size_t cudnnGetVersion(void);
extern const char *cudnnGetErrorString(int);

static void check_device(nvml_device d)
{
    struct cudaDeviceProp p;
    char name[96], bus[32], small[4];
    nvml_device again = NULL;
    uint64_t memory[3] = {0}; /* total, free, used */
    unsigned warm;
    int major = 0, minor = 0, version = 0, driver = 0;
    CHECK(!cudaGetDeviceProperties(&p, 0) && !cudaDriverGetVersion(&driver));
    CHECK(!nvmlDeviceGetName(d, name, sizeof name) && !strcmp(name, p.name));
    CHECK(nvmlDeviceGetName(d, small, sizeof small) == 7);
    CHECK(!nvmlDeviceGetCudaComputeCapability(d, &major, &minor) && major == p.major && minor == p.minor);
    CHECK(!nvmlDeviceGetMemoryInfo(d, memory) && memory[0] == p.totalGlobalMem && memory[1] + memory[2] == memory[0]);
    CHECK(!nvmlSystemGetCudaDriverVersion_v2(&version) && version == driver);
    CHECK(!nvmlDeviceGetUUID(d, name, sizeof name) && strlen(name) == 40 && !strncmp(name, "GPU-", 4));
    CHECK(!nvmlDeviceGetHandleByUUID(name, &again) && again == d);
    CHECK(!cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    again = NULL;
    CHECK(!nvmlDeviceGetHandleByPciBusId_v2(bus, &again) && again == d);
    CHECK(nvmlDeviceGetHandleByPciBusId_v2("0000:7f:1f.0", &again) == 6);
    CHECK(nvmlDeviceGetTemperature(d, 0, &warm) == 3 && strstr(nvmlErrorString(3), "not available"));
}

static void check_nvml(void)
{
    unsigned count = 0;
    nvml_device d = NULL;
    CHECK(nvmlDeviceGetCount_v2(&count) == 1); /* not initialised */
    CHECK(!nvmlInit_v2() && !nvmlDeviceGetCount_v2(&count) && count == 1);
    CHECK(!nvmlDeviceGetHandleByIndex_v2(0, &d) && nvmlDeviceGetHandleByIndex_v2(1, &d) == 2);
    check_device(d);
    CHECK(!nvmlShutdown() && nvmlShutdown() == 1);
}

static void check_dnn(void)
{
    void *handle = NULL, *stream = NULL;
    cudaStream_t own;
    CHECK(!cudaStreamCreate(&own));
    CHECK(!cudnnCreate(&handle) && !cudnnSetStream(handle, own) && !cudnnGetStream(handle, &stream) && stream == own);
    CHECK(cudnnGetVersion() / 10000 == 9);
    CHECK(!strcmp(cudnnGetErrorString(cudnnBackendFinalize(handle)), "CUDNN_STATUS_NOT_SUPPORTED"));
    CHECK(!cudnnDestroy(handle) && cudnnDestroy(NULL) == 2000);
    CHECK(!cudaStreamDestroy(own));
}

int main(void)
{
    check_nvml();
    check_dnn();
    if (!failures) printf("ok nvml\n");
    return failures != 0;
}
