"""Numba: shared memory, atomics, double-precision mathematics, streams and events."""
import math

import numpy as np
from numba import cuda


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def block_sums(x, out):
    shared = cuda.shared.array(256, dtype=np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    k = 128
    while k > 0:
        if t < k:
            shared[t] += shared[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        cuda.atomic.add(out, 0, shared[0])


@cuda.jit
def mathematics(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = math.sin(x[i]) * math.exp(-x[i]) + math.sqrt(x[i])


n = 1000
a = np.arange(n, dtype=np.float32)
c = np.zeros_like(a)
add[(n + 127) // 128, 128](a, 2 * a, c)
assert (c == 3 * a).all()
total = np.zeros(1, dtype=np.float32)
block_sums[4, 256](a, total)
assert total[0] == a.sum()
x = np.linspace(0, 3, n)
stream = cuda.stream()
start, end = cuda.event(), cuda.event()
start.record(stream)
y = cuda.device_array(n, dtype=np.float64, stream=stream)
mathematics[8, 128, stream](cuda.to_device(x, stream=stream), y)
end.record(stream)
end.synchronize()
assert cuda.event_elapsed_time(start, end) > 0
assert np.allclose(y.copy_to_host(stream=stream), np.sin(x) * np.exp(-x) + np.sqrt(x))
print("ok numba_kernels.py")
