"""PyCUDA with PTX instead of machine code: module, global, textbook kernel, gpu memory by hand."""
import numpy as np
import pycuda.autoprimaryctx
import pycuda.driver as driver
from pycuda.compiler import compile

SOURCE = """
__device__ int factor = 3;
extern "C" __global__ void scale(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
"""
major, minor = driver.Device(0).compute_capability()
ptx = compile(SOURCE, target="ptx", arch="compute_%d%d" % (major, minor), no_extern_c=True)
module = driver.module_from_buffer(ptx)
scale = module.get_function("scale")
x = np.arange(1000, dtype=np.int32)
scale(driver.InOut(x), np.int32(x.size), block=(128, 1, 1), grid=(8, 1))
assert (x == 3 * np.arange(1000)).all()
address, size = module.get_global("factor")
driver.memcpy_htod(address, np.int32(-1))
pointer = driver.mem_alloc(x.nbytes)
driver.memcpy_htod(pointer, x)
scale.prepare("Pi")
scale.prepared_call((8, 1), (128, 1, 1), pointer, x.size)
out = np.empty_like(x)
driver.memcpy_dtoh(out, pointer)
assert size == 4 and (out == -x).all()
print("ok pycuda_ptx.py")
