"""The Python file against liblanewise-ops: every function of the header is declared and called, structures and numbers
are those of C, results equal Python's own, errors carry the library's text. Device memory comes from the CUDA runtime
through ctypes. usage: python3 python_test.py HEADER [--layout]; exit code 77 without a device.

--layout prints C that compiles only if structures and numbers agree with the header; it needs no device."""
import ctypes
import os
import random
import re
import struct
import sys
import tempfile
import threading

sys.path.insert(0, os.environ.get("LANEWISE_OPS_PYTHON") or
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "ops", "python"))
import lanewise_ops as lw

STRUCTS = {"lw_ops_error": lw._Error, "lw_tensor": lw.Tensor, "lw_record": lw.Record, "lw_hist_axis": lw.HistAxis,
           "lw_hist": lw.Hist, "lw_copier_options": lw.CopierOptions, "lw_host_shape": lw.HostShape,
           "lw_ticket": lw._Ticket}
ENUMS = {"LW_OPS_": lw.Status, "LW_": lw.Type, "LW_CONVERT_": lw.Convert, "LW_INDEX_": lw.Index, "LW_PAD_": lw.Pad,
         "LW_HIST_": (lw.Binning, lw.Outside, lw.Strategy), "LW_HIST_RANGE_": lw.Range}


def layout():
    lines = ['#include <stddef.h>', '#include "lanewise/ops.h"']
    for name, kind in STRUCTS.items():
        lines.append(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(kind)}, "{name}");')
        for field, *_ in kind._fields_:
            at = getattr(kind, field)
            lines.append(f'_Static_assert(offsetof({name}, {field}) == {at.offset} && '
                         f'sizeof((({name} *)0)->{field}) == {at.size}, "{name}.{field}");')
    for prefix, kinds in ENUMS.items():
        for kind in kinds if isinstance(kinds, tuple) else (kinds,):
            lines += [f'_Static_assert({prefix}{m.name} == {m.value}, "{prefix}{m.name}");' for m in kind]
    lines.append(f'_Static_assert(LW_TYPE_COUNT == {len(lw.Type)}, "types");')
    lines.append(f'_Static_assert(LW_HIST_STRATEGY_COUNT == {len(lw.Strategy)}, "strategies");')
    lines.append(f'_Static_assert(LW_OPS_BUSY == {len(lw.Status) - 1}, "statuses");')
    return "\n".join(lines)


# ---- device memory ----

cuda = None
failures = checks = 0


def check(ok, what):
    global failures, checks
    checks += 1
    if not ok:
        failures += 1
        print(f"FAIL: {what}")


def raises(status, call, what, text=None):
    try:
        call()
    except lw.LanewiseError as e:
        check(e.status == status and str(e) and (text is None or text in str(e)), f"{what}: {e.status!r}: {e}")
        return
    check(False, f"{what}: accepted")


def ok(error):
    if error:
        raise RuntimeError(f"CUDA error {error}")


class Device:
    """Device memory that tells where it is as CuPy's, Numba's and PyTorch's arrays do."""

    def __init__(self, content, shape=None, typestr="|u1", strides=None):
        self.nbytes = len(content)
        p = ctypes.c_void_p()
        ok(cuda.cudaMalloc(ctypes.byref(p), ctypes.c_size_t(self.nbytes + 256)))
        self.address = p.value
        self.write(content)
        self.__cuda_array_interface__ = {"shape": (self.nbytes,) if shape is None else shape, "typestr": typestr,
                                         "data": (self.address, False), "strides": strides, "version": 3}

    def write(self, content):
        if content:
            ok(cuda.cudaMemcpy(ctypes.c_void_p(self.address), bytes(content), ctypes.c_size_t(len(content)), 1))
        ok(cuda.cudaDeviceSynchronize())

    def read(self):
        ok(cuda.cudaDeviceSynchronize())
        into = ctypes.create_string_buffer(self.nbytes + 1)
        ok(cuda.cudaMemcpy(into, ctypes.c_void_p(self.address), ctypes.c_size_t(self.nbytes), 2))
        return into.raw[:self.nbytes]

    def words(self, kind="I"):
        return list(struct.unpack(f"{self.nbytes // struct.calcsize(kind)}{kind}", self.read()))

    def __del__(self):
        if cuda:
            cuda.cudaFree(ctypes.c_void_p(self.address))


def ints(values, shape=None, typestr="<u4", kind="I", strides=None):
    values = list(values)
    return Device(struct.pack(f"{len(values)}{kind}", *values), shape or (len(values),), typestr, strides)


class Stream:
    """As torch names it (cuda_stream) or CuPy (ptr)."""

    def __init__(self, name):
        p = ctypes.c_void_p()
        ok(cuda.cudaStreamCreate(ctypes.byref(p)))
        setattr(self, name, p.value)


# ---- the tests ----

def transposed(values, rows, cols):
    return [values[r * cols + c] for c in range(cols) for r in range(rows)]


def test_copies(ops):
    rows, cols = 33, 70
    values = [random.getrandbits(32) for _ in range(rows * cols)]
    for stream in (None, 0, Stream("cuda_stream"), Stream("ptr")):
        a, b = ints(values, (rows, cols)), ints([0] * len(values), (cols, rows))
        ops.permute(b, a, (1, 0), stream)
        check(b.words() == transposed(values, rows, cols), "permute")
        ops.flip(a, b_flat(b, rows, cols), (0,), stream)
        check(a.words() == rowwise_back(transposed(values, rows, cols), rows, cols), "flip of rows")
    a, b = ints(values, (rows, cols)), ints([0] * len(values), (rows, cols))
    ops.copy(b, a)
    check(b.words() == values, "copy")
    turned = ints(values, (cols, rows), strides=(4, 4 * cols))  # a view: the transpose of a
    c = ints([0] * len(values), (cols, rows))
    with ops.copy_plan(c, turned) as plan:
        check(plan.launches == 1 and plan.workspace == 0 and plan.useful_bytes == 8 * len(values), "what a plan tells")
        check(len(plan.describe()) > 3, "describe")
        plan.run(c, turned)
    check(c.words() == transposed(values, rows, cols), "copy of a view")
    try:
        plan.run(c, turned)
        check(False, "a closed plan runs")
    except ValueError as e:
        check("closed" in str(e), str(e))


def b_flat(b, rows, cols):
    return lw.dense((rows, cols), lw.Type.U32, data=b)


def rowwise_back(values, rows, cols):
    return [values[(rows - 1 - r) * cols + c] for r in range(rows) for c in range(cols)]


def test_plans(ops):
    rows, cols = 31, 40
    values = [random.getrandbits(32) for _ in range(rows * cols)]
    t = transposed(values, rows, cols)
    a, b = ints(values), ints([0] * len(values))
    with ops.transpose_plan(rows, cols, 4) as plan:
        plan.run(b, a)
    check(b.words() == t, "transpose_plan")
    with ops.permute_plan(lw.dense((cols, rows), lw.Type.U32), lw.dense((rows, cols), lw.Type.U32), (1, 0)) as plan:
        b.write(bytes(b.nbytes))
        plan.run(b.address, a.address, stream=0)
    check(b.words() == t, "permute_plan on plain integers")
    with ops.flip_plan(b, a, 1) as plan:
        plan.run(b, a)
    check(b.words() == values[::-1], "flip_plan")
    with ops.flip_inplace_plan(b, 1) as plan:
        plan.run(b)
    check(b.words() == values, "flip_inplace_plan")
    with ops.transpose_inplace_plan(rows, cols, 4) as plan, Workspace(plan) as w:
        plan.run(b, workspace=w)
    check(b.words() == t, "transpose_inplace_plan")
    b.write(a.read())
    with ops.permute_inplace_plan((rows, cols), (1, 0), 4) as plan, Workspace(plan) as w:
        plan.run(b, workspace=w)
    check(b.words() == t, "permute_inplace_plan")
    n = 30
    with ops.transpose_square_inplace_plan(n, 4) as plan:
        b.write(a.read())
        plan.run(b)
    check(b.words() == transposed(values, n, n) + values[n * n:], "transpose_square_inplace_plan")
    floats = [float(i - 50) for i in range(300)]
    x, y = ints(floats, typestr="<f4", kind="f"), Device(bytes(600), (300,), "<f2")
    with ops.convert_plan(y, x) as plan:
        plan.run(y, x)
    check(y.words("e") == floats, "convert_plan")
    padded = ints([0] * 45, (5, 9))
    small = ints(range(12), (3, 4))
    with ops.pad_plan(padded, small, (1, 2), 7) as plan:
        plan.run(padded, small)
    want = [7] * 45
    for i in range(12):
        want[(1 + i // 4) * 9 + 2 + i % 4] = i
    check(padded.words() == want, "pad_plan")


class Workspace:
    """What a plan asks for, on the device."""

    def __init__(self, plan):
        self.memory = Device(bytes(plan.workspace))

    def __enter__(self):
        return self.memory

    def __exit__(self, *_):
        ok(cuda.cudaDeviceSynchronize())


def test_rows(ops):
    table = [random.getrandbits(32) for _ in range(50 * 6)]
    index = [random.randrange(-2, 52) for _ in range(64)]
    t, i, out = ints(table), ints(index, typestr="<i4", kind="i"), ints([0] * 64 * 6)
    ops.gather_rows(out, 24, t, 50, 24, 24, i, 4, 64, lw.Index.SKIP)
    want = [0] * 64 * 6
    for r, k in enumerate(index):
        if 0 <= k < 50:
            want[r * 6:r * 6 + 6] = table[k * 6:k * 6 + 6]
    check(out.words() == want, "gather_rows")
    order = random.sample(range(50), 50)
    order_d, back = ints(order, typestr="<i8", kind="q"), ints([0] * 50 * 6)
    ops.scatter_rows(back, 50, 24, t, 24, 24, order_d, 8, 50)
    for r, k in enumerate(order):
        want[k * 6:k * 6 + 6] = table[r * 6:r * 6 + 6]
    check(back.words() == want[:300], "scatter_rows")


def test_records(ops):
    n, layout = 333, lw.record((4, 2, 8), 16, (0, 4, 8))
    content = random.randbytes(n * 16)
    aos, fields = Device(content), [Device(bytes(n * size)) for size in (4, 2, 8)]
    with ops.record_plan(layout, n, lw.Pad.ZERO) as plan:
        plan.aos_to_soa(fields, aos)
        for f, (at, size) in enumerate(((0, 4), (4, 2), (8, 8))):
            want = b"".join(content[r * 16 + at:r * 16 + at + size] for r in range(n))
            check(fields[f].read() == want, f"field {f}")
        plan.soa_to_aos(aos, fields)
        raises(lw.Status.BAD_ARGUMENT, lambda: plan.soa_to_aos(aos, fields[:2]), "two fields of three")
    want = b"".join(content[r * 16:r * 16 + 6] + b"\0\0" + content[r * 16 + 8:r * 16 + 16] for r in range(n))
    check(aos.read() == want, "soa_to_aos")
    packed = lw.record((4, 8, 4))
    check(packed.record_bytes == 16 and list(packed.offset[:3]) == [0, 4, 12], "a packed record")
    with ops.record_inplace_plan(packed, n, True) as there, ops.record_inplace_plan(packed, n, False) as back:
        with Workspace(there) as w, Workspace(back) as v:
            aos.write(content)
            there.run(aos, workspace=w)
            check(aos.read()[:4 * n] == b"".join(content[r * 16:r * 16 + 4] for r in range(n)), "in place, there")
            back.run(aos, workspace=v)
            check(aos.read() == content, "in place, and back")


def test_hist(ops):
    samples = [random.randrange(-5, 105) for _ in range(5000)]
    s, counts = ints(samples, typestr="<i4", kind="i"), ints([9] * 102)
    what = lw.Hist(sample_type=lw.Type.I32, binning=lw.Binning.INTEGER, outside=lw.Outside.COUNT,
                   count_type=lw.Type.U32, bins=100, rows=1, row_samples=5000)
    want = [samples.count(v) for v in range(100)] + [sum(v < 0 for v in samples), sum(v >= 100 for v in samples)]
    with ops.hist_plan(what) as plan, Workspace(plan) as w:
        plan.hist(counts, s, workspace=w)
    check(counts.words() == want, "hist_plan")
    counts.write(bytes(counts.nbytes))
    ops.hist_count(what, counts, s)
    check(counts.words() == want, "hist_count")
    floats = [random.random() for _ in range(3000)]
    weights = [float(random.randrange(16)) for _ in floats]
    x, y, sums = ints(floats, kind="f"), ints(weights, kind="f"), ints([0.0] * 10, kind="f")
    what = lw.Hist(sample_type=lw.Type.F32, binning=lw.Binning.EVEN, count_type=lw.Type.F32, weight_type=lw.Type.F32,
                   bins=10, lo=0, hi=1, rows=1, row_samples=3000)
    edges = lw.hist_edges(what)
    check(len(edges) == 11 and edges[0] == 0 and edges[10] == 1, "hist_edges")
    exact = struct.unpack("3000f", struct.pack("3000f", *floats))
    want = [sum(w for v, w in zip(exact, weights) if edges[b] <= v < edges[b + 1]) for b in range(10)]
    with ops.hist_plan(what) as plan, Workspace(plan) as w:
        plan.hist(sums, x, weights=y, workspace=w)
    check(sums.words("f") == want, "weights")
    check("shared" in lw.hist_table(90), "hist_table")
    check(lw.hist_edge_type(lw.Type.F16) == lw.Type.F32, "hist_edge_type")


def test_copier(ops):
    n = 3 << 20
    content = random.randbytes(n)
    a = Device(bytes(n))
    with ops.copier(threads=2, ring_bytes=1 << 20, direct_bytes=-1) as copier:
        back = bytearray(n)
        with copier.h2d(a, content, n):
            pass
        check(a.read() == content, "h2d")
        ticket = copier.d2h(back, a, n)
        ticket.wait()
        check(ticket.done() and bytes(back) == content, "d2h")
        shape = lw.HostShape(row_bytes=1000, rows=300, planes=2, host_row=1100, host_plane=1100 * 300, device_row=1000,
                             device_plane=300000)
        copier.h2d_strided(a, content, shape).wait()
        want = b"".join(content[(p * 300 + r) * 1100:][:1000] for p in range(2) for r in range(300))
        check(a.read()[:600000] == want, "h2d_strided")
        back[:] = bytes(n)
        copier.d2h_strided(back, a, shape).wait()
        check(all(back[i * 1100:i * 1100 + 1000] == want[i * 1000:i * 1000 + 1000] and not any(
            back[i * 1100 + 1000:i * 1100 + 1100]) for i in range(600)), "d2h_strided")
        with tempfile.TemporaryFile() as f:
            f.write(content)
            f.flush()
            copier.file_to_device(a, f.fileno(), 100, n - 100).wait()
            check(a.read()[:n - 100] == content[100:], "file_to_device")
            copier.device_to_file(f.fileno(), 0, a, n - 100).wait()
            f.seek(0)
            check(f.read(n - 100) == content[100:], "device_to_file")
            ticket = copier.file_to_device(a, f.fileno(), n, 1)
            raises(lw.Status.FILE, ticket.wait, "beyond the file", "file: ")
    raises(lw.Status.BAD_ARGUMENT, lambda: ops.copier(ring_bytes=5), "a ring of 5 bytes", "option of the copier")


def test_errors(ops):
    a = ints(range(64), (8, 8))
    raises(lw.Status.OVERLAP, lambda: ops.permute(a, a, (1, 0)), "overlap")
    raises(lw.Status.BAD_ARGUMENT, lambda: ops.permute_plan(a, a, (0, 0)), "no permutation")
    raises(lw.Status.BAD_ARGUMENT, lambda: ops.permute_plan(a, a, (0,)), "short permutation", "2 dimensions")
    raises(lw.Status.BAD_SHAPE, lambda: lw.dense((1,) * 9), "nine dimensions")
    raises(lw.Status.BAD_SHAPE, lambda: lw.record([1] * 65), "65 fields")
    raises(lw.Status.BAD_ARGUMENT, lambda: ops.pad_plan(a, a, (0, 0), b"12345"), "a value of 5 bytes")
    raises(lw.Status.BAD_TYPE, lambda: ops.pad_plan(lw.dense((8,), lw.Type.BYTES, 3), lw.dense((8,), lw.Type.BYTES, 3),
                                                    (0,), 7), "a number for bytes")
    raises(lw.Status.DEVICE, lambda: lw.Ops(99), "device 99", "device 99")
    for wrong in (object(), "text"):
        try:
            ops.copy(wrong, a)
            check(False, f"{wrong!r} is a tensor")
        except TypeError:
            check(True, "")
    try:
        lw.stream_pointer(object())
        check(False, "an object is a stream")
    except TypeError:
        check(True, "")
    check(lw.type_bytes(lw.Type.BF16) == 2 and lw.status_text(lw.Status.BUSY) == "all tickets are in use", "texts")
    check(re.fullmatch(r"\d+\.\d+\.\d+", lw.version()), "version")
    check(lw.pointer(None) == 0 and lw.pointer(17) == 17 and lw.pointer(ctypes.c_void_p(5)) == 5, "pointer")


def test_torch_like():
    """What torch tensors say of themselves."""
    class Fake:
        shape, dtype = (3, 5), "torch.bfloat16"

        def data_ptr(self):
            return 4096

        def element_size(self):
            return 2

        def stride(self):
            return (1, 3)
    t = lw.tensor(Fake())
    check((t.data, t.type, t.elem_bytes, t.rank) == (4096, lw.Type.BF16, 2, 2), "a torch tensor")
    check(list(t.extent[:2]) == [3, 5] and list(t.stride[:2]) == [2, 6], "its strides")
    check(lw.pointer(Fake()) == 4096, "its pointer")


def test_threads(ops):
    """One handle, one plan, many threads, each with its own stream and memory."""
    plan = ops.transpose_plan(40, 50, 4)
    wrong = []

    def work(seed):
        values = [seed * 5000 + i for i in range(2000)]
        a, b, stream = ints(values), ints([0] * 2000), Stream("ptr")
        for _ in range(5):
            plan.run(b, a, stream=stream)
        if b.words() != transposed(values, 40, 50):
            wrong.append(seed)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    check(not wrong, f"threads {wrong}")


def main():
    global cuda
    header = open(sys.argv[1]).read()
    if "--layout" in sys.argv:
        print(layout())
        return 0
    declared = set(re.findall(r"^LW_OPS_API[^;]*?\b(lw_\w+)\(", header, re.M | re.S))
    check(declared == set(lw._FUNCTIONS) and len(declared) > 40,
          f"declared here or there only: {declared ^ set(lw._FUNCTIONS)}")
    cuda = ctypes.CDLL("libcudart.so.13")
    count = ctypes.c_int()
    if cuda.cudaGetDeviceCount(ctypes.byref(count)) or not count.value:
        print("SKIPPED: no CUDA device")
        return 77
    random.seed(1)
    used = count_calls()
    with lw.Ops(0) as ops:
        for test in (test_copies, test_plans, test_rows, test_records, test_hist, test_copier, test_errors,
                     test_threads):
            test(ops)
    test_torch_like()
    check(used == set(lw._FUNCTIONS), f"never called: {set(lw._FUNCTIONS) - used}")
    print(f"python: {checks} checks, {failures} failures")
    return 1 if failures else 0


def count_calls():
    """The names of the functions that are called from now on."""
    library, used = lw.library(), set()

    class Watched:
        def __getattr__(self, name):
            used.add(name)
            return getattr(library, name)
    lw._loaded = Watched()
    return used


if __name__ == "__main__":
    sys.exit(main())
