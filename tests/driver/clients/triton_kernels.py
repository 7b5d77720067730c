"""Triton: an addition, a softmax, a transpose and matrix products of fp32 and fp16, against numpy. Memory comes from the driver."""
import ctypes
import sys

import numpy as np
import triton
import triton.language as tl

cuda = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status:
        sys.exit(f"the driver returned {status}")


class Tensor:
    """What Triton asks of an argument: its type and its address."""

    def __init__(self, array):
        self.dtype = str(array.dtype)
        self.shape, self.bytes = array.shape, array.nbytes
        address = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(self.bytes)))
        self.address = address.value
        check(cuda.cuMemcpyHtoD_v2(ctypes.c_uint64(self.address), np.ascontiguousarray(array).ctypes.data_as(ctypes.c_void_p),
                                   ctypes.c_size_t(self.bytes)))

    def data_ptr(self):
        return self.address

    def numpy(self):
        array = np.empty(self.shape, self.dtype)
        check(cuda.cuMemcpyDtoH_v2(array.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.address),
                                   ctypes.c_size_t(self.bytes)))
        return array


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    value = tl.load(x + row + i, mask=i < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(out + row + i, power / tl.sum(power, 0), mask=i < columns)


@triton.jit
def transpose(x, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    tile = tl.load(x + r[:, None] * columns + c[None, :], mask=inside)
    tl.store(out + c[:, None] * rows + r[None, :], tl.trans(tile), mask=tl.trans(inside))


@triton.jit
def matmul(a, b, out, M, N, K, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, K, BLOCK):
        left = tl.load(a + r[:, None] * K + (start + k)[None, :])
        right = tl.load(b + (start + k)[:, None] * N + c[None, :])
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(out + r[:, None] * N + c[None, :], total)


def same(what, got, want):
    if not np.allclose(got, want, rtol=1e-5, atol=1e-5):
        sys.exit(f"triton: {what} is wrong: {got.ravel()[:4]} instead of {want.ravel()[:4]}")
    print(f"triton: {what}: right")


def random(*shape):
    return np.random.default_rng(1).standard_normal(shape, dtype=np.float32)


triton.runtime.driver.active.get_current_device()  # makes the context current
x, y, out = random(1000), random(1000) * 2, np.zeros(1000, np.float32)
device = [Tensor(v) for v in (x, y, out)]
add[(4,)](*device, 1000, BLOCK=256)
same("add", device[2].numpy(), x + y)

x = random(16, 100)
device = [Tensor(x), Tensor(np.zeros_like(x))]
softmax[(16,)](*device, 100, BLOCK=128)
power = np.exp(x - x.max(1, keepdims=True))
same("softmax", device[1].numpy(), power / power.sum(1, keepdims=True))

x = random(100, 70)
device = [Tensor(x), Tensor(np.zeros((70, 100), np.float32))]
transpose[(4, 3)](*device, 100, 70, BLOCK=32)
same("transpose", device[1].numpy(), x.T)

a, b = random(64, 96), random(96, 32)
device = [Tensor(a), Tensor(b), Tensor(np.zeros((64, 32), np.float32))]
matmul[(4, 2)](*device, 64, 32, 96, BLOCK=16)
same("matmul", device[2].numpy(), a @ b)

left, right = a.astype(np.float16), b.astype(np.float16)
device = [Tensor(left), Tensor(right), Tensor(np.zeros((64, 32), np.float32))]
matmul[(4, 2)](*device, 64, 32, 96, BLOCK=16)
same("matmul of fp16", device[2].numpy(), left.astype(np.float32) @ right.astype(np.float32))
