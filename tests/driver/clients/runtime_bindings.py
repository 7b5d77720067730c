"""cuda-bindings 13: the runtime's calls, which are lanewise's under `lanewise run`."""
import numpy as np
from cuda.bindings import runtime


def ok(answer):
    assert answer[0] == 0, answer
    return answer[1] if len(answer) == 2 else answer[1:]


if ok(runtime.cudaRuntimeGetVersion()) // 1000 != 13:
    print("skip runtime_bindings.py: cuda-bindings of another version than 13")
    raise SystemExit(0)
assert ok(runtime.cudaGetDeviceCount()) >= 1
assert ok(runtime.cudaGetDeviceProperties(0)).multiProcessorCount > 0
N = 1000
there = np.arange(N, dtype=np.float32)
back = np.zeros_like(there)
stream = ok(runtime.cudaStreamCreate())
memory = ok(runtime.cudaMallocAsync(4 * N, stream))
kind = runtime.cudaMemcpyKind
ok(runtime.cudaMemcpyAsync(memory, there.ctypes.data, 4 * N, kind.cudaMemcpyHostToDevice, stream))
ok(runtime.cudaMemcpyAsync(back.ctypes.data, memory, 4 * N, kind.cudaMemcpyDeviceToHost, stream))
ok(runtime.cudaFreeAsync(memory, stream))
ok(runtime.cudaDeviceSynchronize())
assert (there == back).all()
assert runtime.cudaFree(4096)[0] == runtime.cudaError_t.cudaErrorInvalidValue
print("ok runtime_bindings.py")
