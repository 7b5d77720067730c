/* driver_test.h: what the driver-API test programs share: checked calls, a device and context, and PTX texts. Each
 * program prints "ok NAME" and returns 0, or says what went wrong and returns 1. */
#ifndef DRIVER_TEST_H
#define DRIVER_TEST_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        CUresult r_ = (call);                                                                                          \
        const char *n_ = NULL;                                                                                         \
        if (r_ != CUDA_SUCCESS) {                                                                                      \
            cuGetErrorName(r_, &n_);                                                                                   \
            printf("%s:%d: %s: %d (%s)\n", __FILE__, __LINE__, #call, (int)r_, n_ ? n_ : "?");                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define EXPECT_ERROR(call, error)                                                                                      \
    do {                                                                                                               \
        CUresult r_ = (call);                                                                                          \
        if (r_ != (error)) {                                                                                           \
            printf("%s:%d: %s: %d, expected %s\n", __FILE__, __LINE__, #call, (int)r_, #error);                        \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline CUcontext begin(void)
{
    CUdevice device;
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    return context;
}

#define PTX_HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
/* c[i] = a[i] + b[i], i < n */
#define PTX_ADD                                                                                                        \
    PTX_HEAD                                                                                                           \
    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"                                \
    "{\n"                                                                                                              \
    "    .reg .pred %p;\n    .reg .b32 %r<6>;\n    .reg .f32 %f<4>;\n    .reg .b64 %d<8>;\n"                           \
    "    ld.param.u64 %d1, [a];\n    ld.param.u64 %d2, [b];\n    ld.param.u64 %d3, [c];\n    ld.param.u32 %r1, [n];\n" \
    "    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r3, %ntid.x;\n    mov.u32 %r4, %tid.x;\n"                                \
    "    mad.lo.s32 %r5, %r2, %r3, %r4;\n    setp.ge.u32 %p, %r5, %r1;\n    @%p bra DONE;\n"                           \
    "    mul.wide.u32 %d4, %r5, 4;\n    add.s64 %d5, %d1, %d4;\n    add.s64 %d6, %d2, %d4;\n"                          \
    "    add.s64 %d7, %d3, %d4;\n    ld.global.f32 %f1, [%d5];\n    ld.global.f32 %f2, [%d6];\n"                       \
    "    add.f32 %f3, %f1, %f2;\n    st.global.f32 [%d7], %f3;\n"                                                      \
    "DONE:\n    ret;\n}\n"
/* out[i] = value for i < n, and a variable `factor` that multiplies it */
#define PTX_FILL                                                                                                       \
    PTX_HEAD                                                                                                           \
    ".visible .global .align 4 .u32 factor = 3;\n"                                                                     \
    ".visible .entry fill(.param .u64 out, .param .u32 value, .param .u32 n)\n"                                        \
    "{\n"                                                                                                              \
    "    .reg .pred %p;\n    .reg .b32 %r<8>;\n    .reg .b64 %d<4>;\n"                                                 \
    "    ld.param.u64 %d1, [out];\n    ld.param.u32 %r1, [value];\n    ld.param.u32 %r2, [n];\n"                       \
    "    mov.u32 %r3, %ctaid.x;\n    mov.u32 %r4, %ntid.x;\n    mov.u32 %r5, %tid.x;\n"                                \
    "    mad.lo.s32 %r6, %r3, %r4, %r5;\n    setp.ge.u32 %p, %r6, %r2;\n    @%p bra DONE;\n"                           \
    "    ld.global.u32 %r7, [factor];\n    mul.lo.u32 %r1, %r1, %r7;\n"                                                \
    "    mul.wide.u32 %d2, %r6, 4;\n    add.s64 %d3, %d1, %d2;\n    st.global.u32 [%d3], %r1;\n"                       \
    "DONE:\n    ret;\n}\n"

#endif
