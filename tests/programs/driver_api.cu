// nvcc: -lcuda
// The driver API: a module from PTX text, its function and global, a launch with parameters, memory and events.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <vector>

static const char *ptx = R"(
.version 7.8
.target sm_52
.address_size 64

.global .align 4 .f32 factor = 0f40000000;

.visible .entry scale(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n)
{
    .reg .pred  %p<2>;
    .reg .b32   %r<6>;
    .reg .f32   %f<4>;
    .reg .b64   %rd<8>;

    ld.param.u64    %rd1, [p_in];
    ld.param.u64    %rd2, [p_out];
    ld.param.u32    %r1, [p_n];
    mov.u32         %r2, %ctaid.x;
    mov.u32         %r3, %ntid.x;
    mov.u32         %r4, %tid.x;
    mad.lo.s32      %r5, %r2, %r3, %r4;
    setp.ge.s32     %p1, %r5, %r1;
    @%p1 bra        DONE;
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mul.wide.s32    %rd5, %r5, 4;
    add.s64         %rd6, %rd3, %rd5;
    add.s64         %rd7, %rd4, %rd5;
    ld.global.f32   %f1, [%rd6];
    ld.global.f32   %f2, [factor];
    fma.rn.f32      %f3, %f1, %f2, 0f3F800000;
    st.global.f32   [%rd7], %f3;
DONE:
    ret;
}
)";

#define OK(x)                                                                                                          \
    do {                                                                                                               \
        CUresult r_ = (x);                                                                                             \
        if (r_ != CUDA_SUCCESS) {                                                                                      \
            const char *s_ = "?";                                                                                      \
            cuGetErrorName(r_, &s_);                                                                                   \
            printf("line %d: %s\nFAIL\n", __LINE__, s_);                                                               \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

int main() {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr in, out, factor;
    CUstream stream;
    CUevent start, stop;
    size_t bytes;
    int n = 1000, major, count;
    char name[100];
    std::vector<float> h(n), got(n);
    bool ok = true;

    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    OK(cuDeviceGet(&device, 0));
    OK(cuDeviceGetName(name, sizeof name, device));
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    printf("%s, %d\n", name, major);
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, "scale"));
    ok &= cuModuleGetFunction(&function, module, "missing") == CUDA_ERROR_NOT_FOUND;
    OK(cuModuleGetFunction(&function, module, "scale"));
    OK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    ok &= bytes == 4;
    OK(cuMemAlloc(&in, n * 4));
    OK(cuMemAlloc(&out, n * 4));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
    for (int i = 0; i < n; i++) h[i] = i;
    OK(cuMemcpyHtoD(in, h.data(), n * 4));
    OK(cuMemsetD32(out, 0, n));
    for (int round = 0; round < 2; round++) {
        void *args[] = {&in, &out, &n};
        OK(cuEventRecord(start, stream));
        OK(cuLaunchKernel(function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, args, NULL));
        OK(cuEventRecord(stop, stream));
        OK(cuStreamSynchronize(stream));
        OK(cuMemcpyDtoH(got.data(), out, n * 4));
        float f = round ? -0.5f : 2.0f;
        for (int i = 0; i < n; i++) ok &= got[i] == i * f + 1;
        f = -0.5f;
        OK(cuMemcpyHtoD(factor, &f, 4));
    }
    // parameters packed in a buffer
    struct { CUdeviceptr in, out; int n; } packed = {in, in, n};
    size_t size = 20; // the parameters without the structure's padding
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, 0, NULL, extra));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(got.data(), in, n * 4));
    for (int i = 0; i < n; i++) ok &= got[i] == i * -0.5f + 1;
    CUmodule bad;
    ok &=
        cuModuleLoadData(&bad, ".version 7.8\n.target sm_52\n.address_size 64\n.visible .entry k() { nonsense; }\n") ==
        CUDA_ERROR_INVALID_PTX;
    float ms;
    OK(cuEventElapsedTime(&ms, start, stop));
    ok &= ms >= 0;
    OK(cuEventDestroy(start));
    OK(cuEventDestroy(stop));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(in));
    OK(cuMemFree(out));
    OK(cuModuleUnload(module));
    OK(cuDevicePrimaryCtxRelease(device));
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
