/* test_children: launches from kernels without a compiler: the calls of the device runtime as nvcc and clang make them,
 * their errors, and the order of children. */
#include "unit.h"

#include "code/decode.h"
#include "host/children.h"
#include "host/host.h"
#include "host/settings_priv.h"
#include "host/state_priv.h"

#include <string.h>

#define EXTERN                                                                                                         \
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], "          \
    ".param .align 4 .b8 b[12], .param .b32 s);\n"                                                                     \
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"                          \
    ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"

/* launches `child` with threads of block.x, on a stream, with a value to append */
#define LAUNCH                                                                                                         \
    ".func (.param .b32 out) launch(.param .b32 threads, .param .b64 stream, .param .b64 log, .param .b32 value)\n"    \
    "{\n.param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 p;\n"          \
    ".param .b64 q; .param .b64 t; .param .b32 e; .reg .b64 %rd<6>; .reg .b32 %r<6>; .reg .pred %n;\n"                 \
    "mov.u64 %rd1, child; st.param.b64 [f], %rd1;\n"                                                                   \
    "mov.u32 %r1, 1; st.param.b32 [g], %r1; st.param.b32 [g+4], %r1; st.param.b32 [g+8], %r1;\n"                       \
    "ld.param.u32 %r2, [threads]; st.param.b32 [b], %r2; st.param.b32 [b+4], %r1; st.param.b32 [b+8], %r1;\n"          \
    "mov.u32 %r3, 0; st.param.b32 [s], %r3;\n"                                                                         \
    "call (p), __cudaCDP2GetParameterBufferV2, (f, g, b, s);\n"                                                        \
    "ld.param.b64 %rd2, [p]; setp.eq.s64 %n, %rd2, 0; @%n bra NONE;\n"                                                 \
    "ld.param.u64 %rd3, [log]; st.u64 [%rd2], %rd3; ld.param.u32 %r4, [value]; st.u32 [%rd2+8], %r4;\n"                \
    "st.param.b64 [q], %rd2; ld.param.u64 %rd4, [stream]; st.param.b64 [t], %rd4;\n"                                   \
    "call (e), __cudaCDP2LaunchDeviceV2, (q, t);\n"                                                                    \
    "ld.param.b32 %r5, [e]; st.param.b32 [out], %r5; ret;\n"                                                           \
    "NONE: call (e), __cudaCDP2GetLastError, (); ld.param.b32 %r5, [e]; st.param.b32 [out], %r5; ret;\n}\n"

static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n" EXTERN
    /* log[0]: entries so far; log[1..]: their values */
    ".visible .entry child(.param .u64 log, .param .u32 value)\n"
    "{\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\nld.param.u64 %rd1, [log]; ld.param.u32 %r1, [value];\n"
    "atom.global.add.u32 %r2, [%rd1], 1; mad.wide.u32 %rd2, %r2, 4, %rd1; st.global.u32 [%rd2+4], %r1; ret;\n}\n" LAUNCH
    ".visible .entry parent(.param .u64 log, .param .u64 errors, .param .u32 threads, .param .u64 first)\n"
    "{\n.reg .b64 %rd<8>; .reg .b32 %r<12>; .param .b32 t; .param .b64 s; .param .b64 l; .param .b32 v; .param .b32 "
    "e;\n"
    "ld.param.u64 %rd1, [log]; ld.param.u64 %rd2, [errors]; ld.param.u32 %r1, [threads]; ld.param.u64 %rd3, [first];\n"
    "mov.u32 %r2, %ctaid.x; mul.lo.u32 %r3, %r2, 10;\n"
    "st.param.b32 [t], %r1; st.param.b64 [s], %rd3; st.param.b64 [l], %rd1; st.param.b32 [v], %r3;\n"
    "call (e), launch, (t, s, l, v);\n"
    "ld.param.b32 %r4, [e]; st.global.u32 [%rd2], %r4;\n"
    "add.u32 %r5, %r3, 1; mov.u64 %rd4, 0; st.param.b32 [t], %r1; st.param.b64 [s], %rd4; st.param.b64 [l], %rd1;\n"
    "st.param.b32 [v], %r5; call (e), launch, (t, s, l, v);\n"
    "ld.param.b32 %r6, [e]; st.global.u32 [%rd2+4], %r6; ret;\n}\n";

/* What two blocks that launch two children each leave: log[16], errors[2]. */
static void run(uint32_t threads, uint64_t first, uint32_t log[16], uint32_t errors[2])
{
    host_context *c = host_get();
    host_part part = {"children.ptx", text, strlen(text)};
    host_module *m = NULL;
    host_kernel *k = NULL;
    host_stream *s = NULL;
    lw_error error = {0};
    uint64_t at_log = 0, at_errors = 0;
    CHECK_EQ_INT(host_module_load(c, &part, 1, &m, &error), 0);
    CHECK_STR(error.message, "");
    CHECK_EQ_INT(host_module_kernel(m, "parent", &k), 0);
    CHECK_EQ_INT(host_stream_create(c, 1, 0, &s), 0);
    CHECK_EQ_INT(host_malloc(c, 64, MEM_DEVICE, 0, &at_log), 0);
    CHECK_EQ_INT(host_malloc(c, 8, MEM_DEVICE, 0, &at_errors), 0);
    host_launch_config g = {.grid = {2, 1, 1}, .block = {1, 1, 1}, .stream = s};
    void *params[] = {&at_log, &at_errors, &threads, &first};
    CHECK_EQ_INT(host_launch(k, &g, params, NULL, 0), 0);
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    memcpy(log, mem_storage(at_log), 64);
    memcpy(errors, mem_storage(at_errors), 8);
    CHECK_EQ_INT(host_free(c, at_log), 0);
    CHECK_EQ_INT(host_free(c, at_errors), 0);
    host_stream_destroy(c, s);
    CHECK_EQ_INT(host_module_unload(c, m), 0);
}

UNIT_CASE(children_run_by_block_and_in_order)
{
    uint32_t log[16], errors[2];
    run(1, HOST_STREAM_OF_BLOCK, log, errors);
    static const uint32_t want[] = {4, 0, 1, 10, 11};
    for (size_t k = 0; k < LW_COUNT(want); k++) CHECK_EQ_INT(log[k], want[k]);
    CHECK_EQ_INT(errors[0], 0);
    CHECK_EQ_INT(errors[1], 0);
}

UNIT_CASE(tail_launches_come_last)
{
    uint32_t log[16], errors[2];
    run(1, HOST_STREAM_TAIL, log, errors);
    static const uint32_t want[] = {4, 1, 11, 0, 10};
    for (size_t k = 0; k < LW_COUNT(want); k++) CHECK_EQ_INT(log[k], want[k]);
}

UNIT_CASE(errors_of_launches)
{
    uint32_t log[16], errors[2];
    run(4096, HOST_STREAM_OF_BLOCK, log, errors);
    CHECK_EQ_INT(log[0], 0);
    CHECK_EQ_INT(errors[0], HOST_INVALID_CONFIGURATION);
    run(1, 12345, log, errors); /* no stream; the other one runs */
    CHECK_EQ_INT(log[0], 2);
    CHECK_EQ_INT(errors[0], HOST_INVALID_VALUE);
    CHECK_EQ_INT(errors[1], 0);
}

UNIT_CASE(pending_launches_are_limited)
{
    uint32_t log[16], errors[2];
    CHECK_EQ_INT(host_limit_set(host_get(), HOST_LIMIT_PENDING_LAUNCHES, 1), 0);
    CHECK_EQ_INT(host_get()->settings->of[0].limits[HOST_LIMIT_PENDING_LAUNCHES], 32);
    host_get()->settings->of[0].limits[HOST_LIMIT_PENDING_LAUNCHES] = 1;
    run(1, HOST_STREAM_FORGET, log, errors); /* only tail launches are */
    CHECK_EQ_INT(log[0], 4);
    run(1, HOST_STREAM_TAIL, log, errors); /* the second block's is refused */
    CHECK_EQ_INT(log[0], 3);
    CHECK_EQ_INT(host_limit_set(host_get(), HOST_LIMIT_PENDING_LAUNCHES, 2048), 0);
}

/* Wrong arguments of every row: none is without an answer, none ends the program. */
UNIT_CASE(each_call_has_an_answer)
{
    host_context *c = host_get();
    host_part part = {"children.ptx", text, strlen(text)};
    host_module *m = NULL;
    host_op op = {.kind = HOST_OP_KERNEL};
    host_children children;
    CHECK_EQ_INT(host_module_load(c, &part, 1, &m, NULL), 0);
    CHECK_EQ_INT(host_module_kernel(m, "parent", &op.u.kernel.kernel), 0);
    host_kernel_info info;
    CHECK_EQ_INT(host_kernel_query(op.u.kernel.kernel, &info), 0);
    host_children_begin(&children, c, &op, false);
    int asked = 0;
    for (int k = CODE_NO_BUILTIN + 1; k < CODE_BUILTIN_COUNT; k++) {
        if (!code_builtins[k].device_call) continue;
        exec_device_call call = {.function = k, .site = UINT32_MAX};
        memset(call.argument, 0x5a, sizeof call.argument);
        host_device_call(&children, &call);
        asked++;
    }
    CHECK(asked > 30);
    CHECK_EQ_INT(children.list.count, 0);
    host_children_settle(&children);
    host_children_end(&children);
    CHECK_EQ_INT(host_module_unload(c, m), 0);
}

UNIT_CASE(names_of_the_device_runtime)
{
    CHECK_EQ_INT(code_builtin_of("__cudaCDP2LaunchDeviceV2_ptsz"), CODE_LAUNCH_V2);
    CHECK_EQ_INT(code_builtin_of("__cudaCDP2LaunchDeviceV2"), CODE_LAUNCH_V2);
    CHECK_EQ_INT(code_builtin_of("cudaLaunchDevice"), CODE_LAUNCH_V1);
    CHECK_EQ_INT(code_builtin_of("cudaLaunchDeviceX"), CODE_NO_BUILTIN);
    CHECK_EQ_INT(code_builtin_of("cudaGetLastErro"), CODE_NO_BUILTIN);
    CHECK_EQ_INT(code_builtin_of("vprintf"), CODE_VPRINTF);
    CHECK_EQ_INT(code_builtin_of("__cudaCDP2vprintf"), CODE_NO_BUILTIN);
}

UNIT_MAIN()
