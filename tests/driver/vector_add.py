"""A driver-API client through ctypes alone: vector add from PTX text, found by cuGetProcAddress as newer clients do."""
import ctypes
import sys

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [a];
    ld.param.u64 %d2, [b];
    ld.param.u64 %d3, [c];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p bra DONE;
    mul.wide.u32 %d4, %r5, 4;
    add.s64 %d5, %d1, %d4;
    add.s64 %d6, %d2, %d4;
    add.s64 %d7, %d3, %d4;
    ld.global.f32 %f1, [%d5];
    ld.global.f32 %f2, [%d6];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%d7], %f3;
DONE:
    ret;
}
"""

cuda = ctypes.CDLL("libcuda.so.1")


def find(name):
    pointer = ctypes.c_void_p()
    result = cuda.cuGetProcAddress_v2(name.encode(), ctypes.byref(pointer), 12000, ctypes.c_uint64(0), None)
    assert result == 0, (name, result)
    return ctypes.CFUNCTYPE(ctypes.c_int)(pointer.value)


def check(name, *arguments):
    function = find(name)
    function.argtypes = None
    result = function(*arguments)
    if result:
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(result, ctypes.byref(text))
        sys.exit("%s: %d %s" % (name, result, text.value))


def main():
    n = 1000
    device, context = ctypes.c_int(), ctypes.c_void_p()
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    check("cuInit", 0)
    check("cuDeviceGet", ctypes.byref(device), 0)
    check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    check("cuCtxSetCurrent", context)
    check("cuModuleLoadData", ctypes.byref(module), PTX)
    check("cuModuleGetFunction", ctypes.byref(function), module, b"add")
    pointers = [ctypes.c_uint64() for _ in range(3)]
    array = ctypes.c_float * n
    for pointer in pointers:
        check("cuMemAlloc", ctypes.byref(pointer), ctypes.c_size_t(4 * n))
    for pointer, factor in zip(pointers, (1, 2)):
        check("cuMemcpyHtoD", pointer, array(*[factor * i for i in range(n)]), ctypes.c_size_t(4 * n))
    count = ctypes.c_uint(n)
    values = pointers + [count]
    params = (ctypes.c_void_p * 4)(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
    check("cuLaunchKernel", function, 8, 1, 1, 128, 1, 1, 0, None, params, None)
    out = array()
    check("cuMemcpyDtoH", out, pointers[2], ctypes.c_size_t(4 * n))
    assert all(out[i] == 3 * i for i in range(n))
    print("ok vector_add.py")


main()
