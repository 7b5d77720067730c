/* Contexts: the stack, created and primary ones, what needs one, faults and recovery, functions by name and version. */
#include <dlfcn.h>

#include "driver_test.h"

#define PTX_FAULT                                                                                                      \
    PTX_HEAD                                                                                                           \
    ".visible .entry wild()\n{\n    .reg .b64 %d<2>;\n    .reg .b32 %r<2>;\n"                                          \
    "    mov.u64 %d1, 64;\n    mov.u32 %r1, 1;\n    st.global.u32 [%d1], %r1;\n    ret;\n}\n"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/* The last user's cuCtxDetach destroys, and takes the context off the stack. */
static void check_uses(void)
{
    CUcontext before, made, now;
    CHECK(cuCtxGetCurrent(&before));
    for (int i = 0; i < 1000; i++) {
#if CUDA_VERSION >= 13000
        CHECK(cuCtxCreate(&made, NULL, 0, 0));
#else
        CHECK(cuCtxCreate(&made, 0, 0));
#endif
        if (i % 2) {
            CHECK(cuCtxAttach(&now, 0));
            EXPECT(now == made);
            CHECK(cuCtxDetach(made));
            CHECK(cuCtxSynchronize());
            CHECK(cuCtxDetach(made));
        } else {
            CHECK(cuCtxDestroy(made));
        }
        EXPECT_ERROR(cuCtxPushCurrent(made), CUDA_ERROR_INVALID_CONTEXT);
        CHECK(cuCtxGetCurrent(&now));
        EXPECT(now == before);
    }
}

static void check_stack(void)
{
    CUcontext primary, made, now;
    CUdeviceptr p;
    CUdevice device = 7;
    unsigned flags = 0, version = 0;
    int active = -1;
    size_t limit = 0;
    EXPECT_ERROR(cuMemAlloc(&p, 16), CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxGetCurrent(&now));
    EXPECT(now == NULL);
    CHECK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT(!active);
    CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
    CHECK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT(active);
    CHECK(cuCtxPushCurrent(primary));
#if CUDA_VERSION >= 13000
    CHECK(cuCtxCreate(&made, NULL, CU_CTX_SCHED_BLOCKING_SYNC, 0));
#else
    CHECK(cuCtxCreate(&made, CU_CTX_SCHED_BLOCKING_SYNC, 0));
#endif
    CHECK(cuCtxGetCurrent(&now));
    EXPECT(now == made && made != primary);
    CHECK(cuCtxGetFlags(&flags));
    EXPECT(flags & CU_CTX_SCHED_BLOCKING_SYNC);
    CHECK(cuCtxGetDevice(&device));
    EXPECT(device == 0);
    CHECK(cuCtxGetApiVersion(made, &version));
    EXPECT(version >= 3000);
    CHECK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    CHECK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
    EXPECT(limit == 4096);
    CHECK(cuCtxPopCurrent(&now));
    EXPECT(now == made);
    CHECK(cuCtxGetCurrent(&now));
    EXPECT(now == primary);
    CHECK(cuCtxDestroy(made));
    EXPECT_ERROR(cuCtxPushCurrent(made), CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuMemAlloc(&p, 16));
    CHECK(cuMemFree(p));
    check_uses();
    CHECK(cuCtxSetCurrent(NULL));
    EXPECT_ERROR(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuDevicePrimaryCtxRelease(0));
    EXPECT_ERROR(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
}

/* A fault is reported until the context goes. */
static void check_fault(void)
{
    CUmodule module;
    CUfunction wild;
    CUdeviceptr p;
    begin();
    CHECK(cuModuleLoadData(&module, PTX_FAULT));
    CHECK(cuModuleGetFunction(&wild, module, "wild"));
    CHECK(cuLaunchKernel(wild, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    EXPECT_ERROR(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_ERROR(cuMemAlloc(&p, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(cuDevicePrimaryCtxReset(0));
    CHECK(cuMemAlloc(&p, 16));
    CHECK(cuMemFree(p));
}

static void check_names(void)
{
    void *found = NULL, *library = dlopen("libcuda.so.1", RTLD_NOW);
    CUdriverProcAddressQueryResult result;
    const char *text = NULL;
    size_t total;
    EXPECT(library && dlsym(library, "cuMemcpyHtoD_v2") && dlsym(library, "cuLaunchKernel_ptsz"));
    CUresult (*get)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *) = (CUresult(*)(
        const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *))dlsym(library, "cuGetProcAddress_v2");
    EXPECT(get != NULL);
    EXPECT_ERROR(get("", &found, 0, 0, &result), CUDA_ERROR_NOT_FOUND);
    EXPECT_ERROR(get("cuNoSuchCall", &found, 13000, 0, &result), CUDA_ERROR_NOT_FOUND);
    EXPECT(result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND && !found);
    EXPECT_ERROR(get("cuLaunchKernelEx", &found, 11000, 0, &result), CUDA_ERROR_NOT_FOUND);
    EXPECT(result == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    CHECK(get("cuDeviceTotalMem", &found, 13000, 0, &result)); /* the 64-bit form */
    CHECK(((CUresult(*)(size_t *, CUdevice))found)(&total, 0));
    EXPECT(total > (size_t)1 << 32 || total > 1 << 20);
    void *plain, *own;
    CHECK(get("cuStreamSynchronize", &plain, 13000, 0, NULL));
    CHECK(get("cuStreamSynchronize", &own, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    EXPECT(plain != own);
    CHECK(get("cuInit", &plain, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL)); /* has no other form */
    void *old, *newest;
    CHECK(get("cuCtxCreate", &old, 3020, 0, NULL));
    CHECK(get("cuCtxCreate", &newest, 13000, 0, NULL));
    EXPECT(old != newest);
    CUuuid id = {{1}};
    const void *table = &id;
    CUresult (*export_table)(const void **, const CUuuid *) =
        (CUresult(*)(const void **, const CUuuid *))dlsym(library, "cuGetExportTable");
    EXPECT_ERROR(export_table(&table, &id), CUDA_ERROR_NOT_FOUND); /* and says once who asks */
    EXPECT(table == NULL);
    CHECK(cuGetErrorString(CUDA_ERROR_NOT_FOUND, &text));
    EXPECT(strlen(text) > 0);
    EXPECT_ERROR(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    EXPECT(text == NULL);
}

int main(void)
{
    CHECK(cuInit(0));
    check_stack();
    check_fault();
    check_names();
    printf("ok contexts\n");
    return 0;
}
