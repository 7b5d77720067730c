/* cuLink*: two PTX texts that need each other become one image, which is copied, loaded and linked again; libraries. */
#include "driver_test.h"

#define PTX_CALLER                                                                                                     \
    PTX_HEAD                                                                                                           \
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"                                                            \
    ".visible .entry run(.param .u64 out)\n"                                                                           \
    "{\n    .reg .b32 %r<4>;\n    .reg .b64 %d<2>;\n"                                                                  \
    "    ld.param.u64 %d1, [out];\n    mov.u32 %r1, 21;\n"                                                             \
    "    {\n    .param .b32 a;\n    .param .b32 b;\n    st.param.b32 [a], %r1;\n"                                      \
    "    call.uni (b), twice, (a);\n    ld.param.b32 %r2, [b];\n    }\n"                                               \
    "    st.global.u32 [%d1], %r2;\n    ret;\n}\n"
#define PTX_TWICE                                                                                                      \
    PTX_HEAD                                                                                                           \
    ".visible .func (.param .b32 r) twice(.param .b32 x)\n"                                                            \
    "{\n    .reg .b32 %r<3>;\n    ld.param.b32 %r1, [x];\n    shl.b32 %r2, %r1, 1;\n"                                  \
    "    st.param.b32 [r], %r2;\n    ret;\n}\n"

/* Declared with a result, defined without one: the call is made all the same. */
#define PTX_NOTE_CALLER                                                                                                \
    PTX_HEAD                                                                                                           \
    ".extern .func (.param .b32 r) note(.param .b64 at, .param .b32 x);\n"                                             \
    ".visible .entry run(.param .u64 out)\n"                                                                           \
    "{\n    .reg .b32 %r<4>;\n    .reg .b64 %d<2>;\n"                                                                  \
    "    ld.param.u64 %d1, [out];\n    mov.u32 %r1, 42;\n"                                                             \
    "    {\n    .param .b64 a;\n    .param .b32 b;\n    .param .b32 c;\n    st.param.b64 [a], %d1;\n"                  \
    "    st.param.b32 [b], %r1;\n    call.uni (c), note, (a, b);\n    ld.param.b32 %r2, [c];\n    }\n    ret;\n}\n"
#define PTX_NOTE                                                                                                       \
    PTX_HEAD                                                                                                           \
    ".visible .func note(.param .u64 at, .param .u32 x)\n"                                                             \
    "{\n    .reg .b32 %r<3>;\n    .reg .b64 %d<2>;\n    ld.param.u64 %d1, [at];\n    ld.param.u32 %r1, [x];\n"         \
    "    st.u32 [%d1], %r1;\n    ret;\n}\n"

/* Every block writes its number, waits for the grid, and adds what the next block wrote. */
#define PTX_GRID                                                                                                       \
    PTX_HEAD                                                                                                           \
    ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"                                     \
    ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);\n"                        \
    ".visible .entry grid(.param .u64 out)\n"                                                                          \
    "{\n    .reg .pred %p;\n    .reg .b32 %r<9>;\n    .reg .b64 %d<9>;\n"                                              \
    "    ld.param.u64 %d1, [out];\n    mov.u32 %r1, %ctaid.x;\n    mov.u32 %r2, %nctaid.x;\n"                          \
    "    mul.wide.u32 %d2, %r1, 4;\n    add.s64 %d3, %d1, %d2;\n    st.global.u32 [%d3], %r1;\n"                       \
    "    mov.u32 %r3, 1;\n    mov.u32 %r4, 0;\n"                                                                       \
    "    {\n    .param .b32 a;\n    .param .b64 b;\n    st.param.b32 [a], %r3;\n"                                      \
    "    call.uni (b), cudaCGGetIntrinsicHandle, (a);\n    ld.param.b64 %d4, [b];\n    }\n"                            \
    "    {\n    .param .b64 a;\n    .param .b32 b;\n    .param .b32 c;\n    st.param.b64 [a], %d4;\n"                  \
    "    st.param.b32 [b], %r4;\n    call.uni (c), cudaCGSynchronize, (a, b);\n    ld.param.b32 %r5, [c];\n    }\n"    \
    "    add.u32 %r6, %r1, 1;\n    setp.eq.u32 %p, %r6, %r2;\n    selp.b32 %r6, 0, %r6, %p;\n"                         \
    "    mul.wide.u32 %d5, %r6, 4;\n    add.s64 %d6, %d1, %d5;\n    ld.global.u32 %r7, [%d6];\n"                       \
    "    mul.wide.u32 %d7, %r2, 4;\n    add.s64 %d8, %d3, %d7;\n    add.u32 %r7, %r7, %r5;\n"                          \
    "    st.global.u32 [%d8], %r7;\n    ret;\n}\n"

static void run_image(const void *image)
{
    CUmodule module;
    CUfunction run;
    CUdeviceptr out;
    unsigned value = 0;
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuModuleGetFunction(&run, module, "run"));
    CHECK(cuMemAlloc(&out, 4));
    void *params[] = {&out};
    CHECK(cuLaunchKernel(run, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    CHECK(cuMemcpyDtoH(&value, out, 4));
    EXPECT(value == 42);
    CHECK(cuMemFree(out));
    CHECK(cuModuleUnload(module));
}

static void add(CUlinkState link, const char *ptx, const char *name)
{
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx, strlen(ptx) + 1, name, 0, NULL, NULL));
}

static void check_fewer_results(void)
{
    CUlinkState link;
    void *image;
    size_t bytes;
    CHECK(cuLinkCreate(0, NULL, NULL, &link));
    add(link, PTX_NOTE_CALLER, "caller.ptx");
    add(link, PTX_NOTE, "note.ptx");
    CHECK(cuLinkComplete(link, &image, &bytes));
    run_image(image);
    CHECK(cuLinkDestroy(link));
}

static void check_failures(void)
{
    char log[400] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUlinkState link;
    void *image;
    size_t bytes;
    CHECK(cuLinkCreate(2, options, values, &link));
    add(link, PTX_TWICE, "twice.ptx");
    add(link, PTX_TWICE, "again.ptx");
    EXPECT_ERROR(cuLinkComplete(link, &image, &bytes), CUDA_ERROR_INVALID_PTX);
    EXPECT(strstr(log, "twice"));
    CHECK(cuLinkDestroy(link));
    EXPECT_ERROR(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
    values[1] = (void *)sizeof log;
    CHECK(cuLinkCreate(2, options, values, &link)); /* nobody defines twice(): drivers answer "unknown error" */
    add(link, PTX_CALLER, "caller.ptx");
    EXPECT_ERROR(cuLinkComplete(link, &image, &bytes), CUDA_ERROR_UNKNOWN);
    EXPECT(strstr(log, "'twice'") && strstr(log, "caller.ptx"));
    CHECK(cuLinkDestroy(link));
    CHECK(cuLinkCreate(0, NULL, NULL, &link));
    EXPECT_ERROR(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)"add me", 7, "x", 0, NULL, NULL),
                 CUDA_ERROR_INVALID_PTX);
    EXPECT_ERROR(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, (void *)"add me", 7, "x", 0, NULL, NULL),
                 CUDA_ERROR_INVALID_IMAGE);
    EXPECT_ERROR(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/nonexistent.ptx", 0, NULL, NULL), CUDA_ERROR_FILE_NOT_FOUND);
    CHECK(cuLinkDestroy(link));
}

/* libcudadevrt.a holds machine code; its grid functions come with it all the same. */
static void check_device_runtime(void)
{
    enum { BLOCKS = 8 };
    CUlinkState link;
    CUmodule module;
    CUfunction grid;
    CUdeviceptr out;
    void *image, *params[] = {&out};
    size_t bytes;
    unsigned host[2 * BLOCKS];
    CHECK(cuLinkCreate(0, NULL, NULL, &link));
    add(link, PTX_GRID, "grid.ptx");
    CHECK(
        cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, (void *)"!<arch>\n", 8, "/somewhere/libcudadevrt.a", 0, NULL, NULL));
    CHECK(cuLinkComplete(link, &image, &bytes));
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuLinkDestroy(link));
    CHECK(cuModuleGetFunction(&grid, module, "grid"));
    CHECK(cuMemAlloc(&out, sizeof host));
    for (int round = 0; round < 2; round++) {
        CHECK(cuMemsetD8(out, 0xff, sizeof host));
        CHECK(cuLaunchCooperativeKernel(grid, BLOCKS, 1, 1, 1, 1, 1, 0, NULL, params));
        CHECK(cuMemcpyDtoH(host, out, sizeof host));
        for (unsigned i = 0; i < BLOCKS; i++) EXPECT(host[BLOCKS + i] == (i + 1) % BLOCKS);
    }
    CHECK(cuMemFree(out));
    CHECK(cuModuleUnload(module));
}

static void check_library(void)
{
    CUlibrary library, back;
    CUkernel kernel, listed[2];
    CUfunction function;
    CUmodule module;
    CUdeviceptr out, factor;
    size_t bytes;
    unsigned count = 0, value = 2, n = 8, host[8];
    int attribute = 0;
    const char *name;
    CHECK(cuLibraryLoadData(&library, PTX_FILL, NULL, NULL, 0, NULL, NULL, 0));
    CHECK(cuLibraryGetKernel(&kernel, library, "fill"));
    CHECK(cuLibraryGetKernelCount(&count, library));
    EXPECT(count == 1);
    CHECK(cuLibraryEnumerateKernels(listed, 1, library));
    EXPECT(listed[0] == kernel);
    CHECK(cuLibraryGetModule(&module, library));
    CHECK(cuLibraryGetGlobal(&factor, &bytes, library, "factor"));
    EXPECT_ERROR(cuLibraryGetManaged(&factor, &bytes, library, "factor"), CUDA_ERROR_NOT_FOUND);
    CHECK(cuKernelGetName(&name, kernel));
    EXPECT(!strcmp(name, "fill"));
    CHECK(cuKernelGetLibrary(&back, kernel));
    EXPECT(back == library);
    CHECK(cuKernelGetAttribute(&attribute, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    CHECK(cuKernelGetFunction(&function, kernel));
    CHECK(cuMemAlloc(&out, sizeof host));
    void *params[] = {&out, &value, &n};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, NULL, params, NULL));
    CHECK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 8, 1, 1, 0, NULL, params, NULL));
    CHECK(cuMemcpyDtoH(host, out, sizeof host));
    EXPECT(host[7] == 6);
    CHECK(cuMemFree(out));
    CHECK(cuLibraryUnload(library));
}

int main(void)
{
    CUlinkState link;
    void *image, *copy;
    size_t bytes = 0;
    begin();
    CHECK(cuLinkCreate(0, NULL, NULL, &link));
    add(link, PTX_CALLER, "caller.ptx");
    add(link, PTX_TWICE, "twice.ptx");
    CHECK(cuLinkComplete(link, &image, &bytes));
    EXPECT(bytes > 0);
    copy = malloc(bytes);
    memcpy(copy, image, bytes);
    CHECK(cuLinkDestroy(link));
    run_image(copy);

    CHECK(cuLinkCreate(0, NULL, NULL, &link)); /* a linked image is an input again */
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, copy, bytes, "first", 0, NULL, NULL));
    CHECK(cuLinkComplete(link, &image, &bytes));
    run_image(image);
    CHECK(cuLinkDestroy(link));
    free(copy);

    CHECK(cuLinkCreate(0, NULL, NULL, &link)); /* one input */
    add(link, PTX_ADD, NULL);
    CHECK(cuLinkComplete(link, &image, &bytes));
    CUmodule module;
    CHECK(cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
    CHECK(cuModuleUnload(module));
    CHECK(cuLinkDestroy(link));
    check_fewer_results();
    check_failures();
    check_device_runtime();
    check_library();
    printf("ok link_ptx\n");
    return 0;
}
