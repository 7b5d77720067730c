/* JIT options: logs with line numbers, wall time, wrong input of several kinds; modules, globals, function attributes.
 */
#include "driver_test.h"

#define ENTRY(body) PTX_HEAD ".visible .entry k()\n{\n    .reg .b32 %r<3>;\n    .reg .b64 %d<3>;\n" body "    ret;\n}\n"
#define BAD_PTX PTX_HEAD ".visible .entry bad()\n{\n    frobnicate.u32 %r1;\n    ret;\n}\n"

static CUresult load(const char *image, char *info, char *error, size_t *error_length)
{
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_LOG_VERBOSE,      CU_JIT_WALL_TIME};
    void *values[] = {info, (void *)(size_t)500, error, (void *)(size_t)500, (void *)1, NULL};
    CUmodule module;
    CUresult result = cuModuleLoadDataEx(&module, image, 6, options, values);
    float milliseconds;
    memcpy(&milliseconds, &values[5], sizeof milliseconds);
    EXPECT(milliseconds > 0);
    *error_length = (size_t)values[3];
    EXPECT((size_t)values[1] == strlen(info));
    if (result == CUDA_SUCCESS) CHECK(cuModuleUnload(module));
    return result;
}

static void check_logs(void)
{
    char info[500], error[500];
    size_t length = 0;
    CHECK(load(PTX_ADD, info, error, &length));
    EXPECT(length == 0 && !error[0] && strstr(info, "'add'"));
    EXPECT_ERROR(load(BAD_PTX, info, error, &length), CUDA_ERROR_INVALID_PTX);
    EXPECT(strlen(error) == length && strstr(error, ":6:") && strstr(error, "frobnicate"));
    EXPECT_ERROR(load("", info, error, &length), CUDA_ERROR_INVALID_IMAGE);
    EXPECT_ERROR(load(".version 8.8\n.target sm_120\n.address_size 64\n.entry k() { ret; }\n", info, error, &length),
                 CUDA_ERROR_INVALID_PTX);
    EXPECT(length > 0);
    /* a log of ten bytes is cut and still ends in NUL */
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    char small[12] = "xxxxxxxxxxx";
    void *values[] = {small, (void *)(size_t)10};
    CUmodule module;
    EXPECT_ERROR(cuModuleLoadDataEx(&module, BAD_PTX, 2, options, values), CUDA_ERROR_INVALID_PTX);
    EXPECT(strlen(small) == 9 && (size_t)values[1] == 9 && small[10] == 'x');
}

/* What does not exist fails when it is loaded; what exists but is not supported fails when its kernel is launched. */
static void check_instructions(void)
{
    static const char *const unknown[] = {"add.u33 %r0, %r1, %r2;\n", "frobnicate.u32 %r0, %r1;\n",
                                          "shl.f32 %r0, %r1, 2;\n"};
    static const char *const texts[] = {ENTRY("    add.u33 %r0, %r1, %r2;\n"), ENTRY("    frobnicate.u32 %r0, %r1;\n"),
                                        ENTRY("    shl.f32 %r0, %r1, 2;\n")};
    char info[500], error[500];
    size_t length = 0;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        EXPECT_ERROR(load(texts[k], info, error, &length), CUDA_ERROR_INVALID_PTX);
        EXPECT(strstr(error, ":8:5:") && strstr(error, "unknown instruction") && strstr(error, unknown[k]));
    }
    CUmodule module;
    CUfunction k;
    CHECK(cuModuleLoadData(&module, ENTRY("    tcgen05.wait::ld.sync.aligned;\n")));
    CHECK(cuModuleGetFunction(&k, module, "k"));
    EXPECT_ERROR(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(cuModuleUnload(module));
}

/* Which error says what: no image at all, text that is no PTX, a PTX of the future, a name that nobody defines. */
static void check_kinds(void)
{
    char info[500], error[500];
    size_t length = 0;
    EXPECT_ERROR(load("\1\2\3\4 no image of any kind", info, error, &length), CUDA_ERROR_INVALID_IMAGE);
    EXPECT_ERROR(load(".nonsense\n", info, error, &length), CUDA_ERROR_INVALID_PTX);
    EXPECT_ERROR(load(".version 99.0\n.target sm_90\n.address_size 64\n", info, error, &length),
                 CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    EXPECT_ERROR(load(PTX_HEAD ".extern .func nobody();\n.visible .entry k()\n{\n    call.uni nobody;\n    ret;\n}\n",
                      info, error, &length),
                 CUDA_ERROR_INVALID_PTX);
    EXPECT(strstr(error, "undefined reference to 'nobody' in 'k'"));
    EXPECT_ERROR(load(PTX_HEAD ".extern .global .u32 gone;\n.visible .entry k()\n{\n    .reg .b32 %r<2>;\n"
                               "    ld.global.u32 %r1, [gone+4];\n    ret;\n}\n",
                      info, error, &length),
                 CUDA_ERROR_INVALID_PTX);
    EXPECT(strstr(error, "undefined reference to 'gone' in 'k'"));
    CHECK(load(PTX_HEAD ".extern .func nobody();\n.visible .entry k()\n{\n    ret;\n}\n", info, error, &length));
}

/* PTX with 40 values that live at once, and a directive. */
static const char *many_registers(const char *directive)
{
    enum { VALUES = 40 };
    static char text[8000];
    size_t n =
        (size_t)snprintf(text, sizeof text,
                         "%s.visible .entry k(.param .u64 p) %s\n{\n    .reg .b32 %%r<50>;\n    .reg .b64 %%d<2>;\n"
                         "    ld.param.u64 %%d1, [p];\n",
                         PTX_HEAD, directive);
    for (int i = 0; i < VALUES; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "    ld.global.u32 %%r%d, [%%d1+%d];\n", i, 4 * i);
    for (int i = 1; i < VALUES; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "    xor.b32 %%r0, %%r0, %%r%d;\n", i);
    snprintf(text + n, sizeof text - n, "    st.global.u32 [%%d1], %%r0;\n    ret;\n}\n");
    return text;
}

static int registers_of(CUmodule module)
{
    CUfunction k;
    int registers = 0;
    CHECK(cuModuleGetFunction(&k, module, "k"));
    CHECK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, k));
    CHECK(cuModuleUnload(module));
    return registers;
}

static void check_registers(void)
{
    CUmodule module;
    CUlinkState link;
    void *image;
    size_t bytes;
    CUjit_option option[] = {CU_JIT_MAX_REGISTERS};
    void *value[] = {(void *)(size_t)24};
    CHECK(cuModuleLoadData(&module, many_registers("")));
    EXPECT(registers_of(module) > 40);
    CHECK(cuModuleLoadData(&module, many_registers(".maxnreg 32")));
    EXPECT(registers_of(module) == 32);
    CHECK(cuModuleLoadDataEx(&module, many_registers(""), 1, option, value));
    EXPECT(registers_of(module) == 24);
    CHECK(cuLinkCreate(1, option, value, &link));
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)many_registers(""), strlen(many_registers("")), "k", 0, NULL,
                        NULL));
    CHECK(cuLinkComplete(link, &image, &bytes));
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuLinkDestroy(link));
    EXPECT(registers_of(module) == 24);
}

static void check_module(void)
{
    CUmodule module, back;
    CUfunction fill, listed[4];
    CUdeviceptr out, factor;
    size_t bytes = 0, offset = 0;
    unsigned count = 0, value = 5, n = 100, host[100], seven = 7;
    int threads = 0, shared = -1;
    const char *name = NULL;
    CHECK(cuModuleLoadData(&module, PTX_FILL));
    CHECK(cuModuleGetFunction(&fill, module, "fill"));
    CHECK(cuModuleGetFunctionCount(&count, module));
    EXPECT(count == 1);
    CHECK(cuModuleEnumerateFunctions(listed, 1, module));
    EXPECT(listed[0] == fill);
    CHECK(cuFuncGetName(&name, fill));
    EXPECT(!strcmp(name, "fill"));
    CHECK(cuFuncGetModule(&back, fill));
    EXPECT(back == module);
    CHECK(cuFuncGetParamInfo(fill, 1, &offset, &bytes));
    EXPECT(offset == 8 && bytes == 4);
    EXPECT_ERROR(cuFuncGetParamInfo(fill, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    CUcontext context;
    CHECK(cuCtxPopCurrent(&context));
    CHECK(cuFuncGetParamInfo(fill, 1, &offset, &bytes));
    EXPECT_ERROR(cuKernelGetParamInfo((CUkernel)fill, 1, &offset, &bytes), CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxPushCurrent(context));
    CHECK(cuKernelGetParamInfo((CUkernel)fill, 1, &offset, &bytes));
    CHECK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, fill));
    CHECK(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, fill));
    EXPECT(threads == 1024 && shared == 0);
    CHECK(cuFuncSetAttribute(fill, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
    CHECK(cuFuncSetCacheConfig(fill, CU_FUNC_CACHE_PREFER_L1));

    CHECK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    EXPECT(bytes == 4);
    EXPECT_ERROR(cuModuleGetGlobal(&factor, &bytes, module, "none"), CUDA_ERROR_NOT_FOUND);
    CHECK(cuMemAlloc(&out, sizeof host));
    void *params[] = {&out, &value, &n};
    CHECK(cuLaunchKernel(fill, 1, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    CHECK(cuMemcpyDtoH(host, out, sizeof host));
    EXPECT(host[0] == 15 && host[99] == 15);
    CHECK(cuMemcpyHtoD(factor, &seven, sizeof seven));
    CHECK(cuLaunchKernel(fill, 1, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    CHECK(cuMemcpyDtoH(host, out, sizeof host));
    EXPECT(host[0] == 35 && host[99] == 35);
    CHECK(cuMemFree(out));
    CHECK(cuModuleUnload(module));
}

int main(void)
{
    begin();
    check_logs();
    check_instructions();
    check_kinds();
    check_registers();
    check_module();
    printf("ok jit_logs\n");
    return 0;
}
