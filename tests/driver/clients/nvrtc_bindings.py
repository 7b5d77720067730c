"""cuda-bindings: NVRTC to PTX and to what it calls machine code, module, stream, launch."""
import ctypes

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b"""
extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *out, size_t n)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}
"""


def ok(answer):
    assert answer[0] == 0, answer
    return answer[1] if len(answer) == 2 else answer[1:]


ok(driver.cuInit(0))
device = ok(driver.cuDeviceGet(0))
context = ok(driver.cuDevicePrimaryCtxRetain(device))
ok(driver.cuCtxSetCurrent(context))
major = ok(driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
minor = ok(driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
program = ok(nvrtc.nvrtcCreateProgram(SOURCE, b"saxpy.cu", 0, [], []))
ok(nvrtc.nvrtcCompileProgram(program, 2, [b"-arch=compute_%d%d" % (major, minor), b"-lineinfo"]))
ptx = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
ok(nvrtc.nvrtcGetPTX(program, ptx))
module = ok(driver.cuModuleLoadData(ptx))
saxpy = ok(driver.cuModuleGetFunction(module, b"saxpy"))
n = 5000
x, y = np.random.rand(2, n).astype(np.float32)
out = np.zeros(n, np.float32)
dx, dy, dout = [ok(driver.cuMemAlloc(x.nbytes)) for _ in range(3)]
stream = ok(driver.cuStreamCreate(0))
ok(driver.cuMemcpyHtoDAsync(dx, x.ctypes.data, x.nbytes, stream))
ok(driver.cuMemcpyHtoDAsync(dy, y.ctypes.data, y.nbytes, stream))
arguments = ((2.0, dx, dy, dout, n), (ctypes.c_float, None, None, None, ctypes.c_size_t))
ok(driver.cuLaunchKernel(saxpy, (n + 255) // 256, 1, 1, 256, 1, 1, 0, stream, arguments, 0))
ok(driver.cuMemcpyDtoHAsync(out.ctypes.data, dout, out.nbytes, stream))
ok(driver.cuStreamSynchronize(stream))
assert np.allclose(out, 2 * x + y)
program = ok(nvrtc.nvrtcCreateProgram(SOURCE, b"saxpy.cu", 0, [], []))
ok(nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_%d%d" % (major, minor)]))
cubin = b" " * ok(nvrtc.nvrtcGetCUBINSize(program))
ok(nvrtc.nvrtcGetCUBIN(program, cubin))
module = ok(driver.cuModuleLoadData(cubin))
saxpy = ok(driver.cuModuleGetFunction(module, b"saxpy"))
arguments = ((3.0, dx, dy, dout, n), (ctypes.c_float, None, None, None, ctypes.c_size_t))
ok(driver.cuLaunchKernel(saxpy, (n + 255) // 256, 1, 1, 256, 1, 1, 0, stream, arguments, 0))
ok(driver.cuMemcpyDtoHAsync(out.ctypes.data, dout, out.nbytes, stream))
ok(driver.cuStreamSynchronize(stream))
assert np.allclose(out, 3 * x + y)
print("ok nvrtc_bindings.py")
