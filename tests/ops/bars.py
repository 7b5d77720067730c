"""Counter bars: the performance test of liblanewise-ops without a GPU. Every case of bars.csv runs under `lanewise
run`; what was counted must not exceed the bar, and a naive way to the same result (naive.cu) must.

usage: lanewise run [--device cc:7.5] python3 bars.py LIBRARY_DIRECTORY [--update] [--verbose] [CASE...]
--update writes what was counted, and a little more, as the new bars of this path (exit code 1 if a bar has no control).

On an H200 the counters are also compared with those of a card, bars_h200.csv: record_bars.sh runs every case there
(with --launch, without the emulator) under Nsight Compute, and --record RAW.csv keeps what it wrote. Rows that
`lanewise run` marks as not exact may differ; what was recorded of other code (another number of instructions) counts
as stale.

Columns of bars.csv, each an upper limit; empty: no bar, because no naive way is worse (a histogram that takes all
shared memory there is, say).
  sectors     32-byte sectors of global and local memory and bulk copies / the op's useful bytes in sectors
  wavefronts  passes through shared memory / the least for the same accesses
  partial     bytes of sectors that stores write in part / useful bytes written
  inst, mem   thread instructions of PTX, and lanes of memory instructions, per element
  shared      bytes of shared memory of a block, static and dynamic
  launches    kernels per call"""
import csv
import ctypes
import json
import os
import random
import struct
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "ops", "python"))
libraries = sys.argv[1]
os.environ.setdefault("LANEWISE_OPS_LIBRARY", os.path.join(libraries, "liblanewise-ops.so.0"))
# before anything else that brings the runtime, so that the library sees it first
few_sms = ctypes.CDLL(os.path.join(libraries, "liblanewise-ops-few-sms.so"), mode=ctypes.RTLD_GLOBAL)
import lanewise_ops as lw

TABLE = os.path.join(here, "bars.csv")
RECORDED = os.path.join(here, "bars_h200.csv")
METRICS = ("sectors", "wavefronts", "partial", "inst", "mem", "shared", "launches")
core = ctypes.CDLL(os.environ["LANEWISE_LIB"]) if "LANEWISE_LIB" in os.environ else None # None: on a card
cuda = ctypes.CDLL("libcudart.so.13")
libc = ctypes.CDLL(None)
failures = 0


def fail(text):
    global failures
    failures += 1
    print(f"FAIL: {text}", flush=True)


def ok(error):
    if error:
        raise RuntimeError(f"CUDA error {error}")


# ---- what was counted so far ----

def report():
    """The JSON report of everything this run has launched."""
    ok(cuda.cudaDeviceSynchronize())
    results, text = ctypes.c_void_p(), ctypes.c_void_p()
    message = ctypes.create_string_buffer(2048)
    if core.lw_results_read(os.environ["LANEWISE_RESULTS"].encode(), None, ctypes.byref(results), message) or \
            core.lw_results_json(results, ctypes.byref(text), message):
        raise RuntimeError(message.value.decode())
    document = json.loads(ctypes.string_at(text))
    libc.free(text)
    core.lw_results_free(results)
    return document


def sums():
    """Per kernel and configuration: what it has cost in all."""
    out = {}
    for launch in report()["launches"]:
        key = (launch["kernel_mangled"], *launch["grid"], *launch["block"], *launch["cluster"],
               launch["dynamic_shared_bytes"])
        of = dict.fromkeys(("sectors", "wavefronts", "ideal", "partial", "mem"), 0)
        of["launches"], of["inst"] = launch["count"], launch["thread_inst"]
        of["shared"] = launch["dynamic_shared_bytes"] + launch.get("occupancy", {}).get("static_shared_bytes", 0)
        of["groups"], of["why"] = {}, {}
        for line in launch["lines"]:
            c = line["counters"]
            group = GROUPS.get((line["space"], line["op"]))
            if line["op"] == "copy" and not c.get("requests"):
                group = None # bulk copies: the card's counters are those of the pipe that they go past
            for counter in COUNTERS if group else ():
                of["groups"][group, counter] = of["groups"].get((group, counter), 0) + c.get(counter, 0)
            if group and not line["exact"]:
                of["why"].setdefault(group, line.get("why", "not exact"))
            if line["space"] in ("global", "local"):
                of["sectors"] += c.get("sectors", 0)
                of["partial"] += c.get("sectors_partial", 0)
            if line["space"] in ("shared", "dshared"):
                of["wavefronts"] += c.get("wavefronts", 0)
                of["ideal"] += c.get("wavefronts_ideal", 0)
            if line["space"] not in ("constant", "texture"):
                of["mem"] += c.get("lanes", 0)
        out[key] = of
    return out


# Rows of the report -> groups of the profiler's counters, and these counters.
GROUPS = {("global", "load"): "global_ld", ("global", "copy"): "global_ld", ("global", "store"): "global_st",
          ("global", "reduction"): "global_red", ("global", "atomic"): "global_atom", ("local", "load"): "local_ld",
          ("local", "store"): "local_st", ("shared", "load"): "shared_ld", ("shared", "store"): "shared_st",
          ("shared", "atomic"): "shared_atom", ("shared", "reduction"): "shared_atom"}
COUNTERS = ("requests", "sectors", "wavefronts")

state = {}
counted = {} # of the last measure(): {(group, counter): value}; and why a group is not exact


def measure(call, useful, written, elements):
    """What one call costs, as the columns of the table."""
    global state, counted
    call()
    now, shared = sums(), 0
    groups, why = {}, {}
    cost = dict.fromkeys(("sectors", "wavefronts", "ideal", "partial", "mem", "inst", "launches"), 0)
    for key, of in now.items():
        before = state.get(key, {})
        for name in cost:
            cost[name] += of[name] - before.get(name, 0)
        if of["launches"] > before.get("launches", 0):
            shared = max(shared, of["shared"])
            why.update(of["why"])
            for name, value in of["groups"].items():
                groups[name] = groups.get(name, 0) + value - before.get("groups", {}).get(name, 0)
    state = now
    counted = {"groups": groups, "why": why, "inst": cost["inst"]}
    return {"sectors": cost["sectors"] * 32 / useful, "partial": cost["partial"] * 32 / written,
            "wavefronts": cost["wavefronts"] / cost["ideal"] if cost["ideal"] else 0.0, "inst": cost["inst"] / elements,
            "mem": cost["mem"] / elements, "shared": shared, "launches": cost["launches"]}


# ---- memory, naive ways ----

class Memory:
    """Device memory with content, on a sector's boundary or `offset` bytes behind it; freed with the case."""

    def __init__(self, content, offset=0):
        self.bytes, p = len(content), ctypes.c_void_p()
        ok(cuda.cudaMalloc(ctypes.byref(p), ctypes.c_size_t(self.bytes + offset + 512)))
        self.base, self.at = p.value, p.value + offset
        self.write(content)

    def write(self, content):
        ok(cuda.cudaMemcpy(ctypes.c_void_p(self.at), bytes(content), ctypes.c_size_t(len(content)), 1))
        ok(cuda.cudaDeviceSynchronize())

    def read(self):
        into = ctypes.create_string_buffer(self.bytes)
        ok(cuda.cudaDeviceSynchronize())
        ok(cuda.cudaMemcpy(into, ctypes.c_void_p(self.at), ctypes.c_size_t(self.bytes), 2))
        return into.raw

    def free(self):
        cuda.cudaFree(ctypes.c_void_p(self.base))


class NaiveMove(ctypes.Structure):
    _fields_ = ([(n, ctypes.c_void_p) for n in ("dst", "src", "dst_index", "src_index")] +
                [(n, ctypes.c_int64 * 8) for n in ("extent", "dst_stride", "src_stride")] +
                [(n, ctypes.c_int32) for n in ("rank", "elem", "skip", "reserved")])


class NaiveHist(ctypes.Structure):
    _fields_ = ([(n, ctypes.c_void_p) for n in ("counts", "sums", "samples", "weights", "edges")] +
                [(n, ctypes.c_int64) for n in ("n", "bins", "first")] + [(n, ctypes.c_int32) for n in ("size", "real")])


def strides(extent, elem):
    out = [elem] * len(extent)
    for d in range(len(extent) - 2, -1, -1):
        out[d] = out[d + 1] * extent[d + 1]
    return out


def move(dst, src, extent, to, frm, elem, skip=0, dst_index=0, src_index=0):
    fill = [0] * (8 - len(extent))
    longs = ctypes.c_int64 * 8
    return NaiveMove(dst, src, dst_index, src_index, longs(*extent, *fill), longs(*to, *fill), longs(*frm, *fill),
                     len(extent), elem, skip, 0)


class Run:
    """One case, set up: call() does the op, naive what the naive kernels do in its place, `result` what both write."""

    def __init__(self):
        self.owned, self.naive, self.check_useful = [], [], True

    def memory(self, content, offset=0):
        m = Memory(content, offset)
        self.owned.append(m)
        return m

    def plan(self, plan):
        self.owned.append(plan)
        self.the_plan = plan
        return plan

    def workspace(self):
        return self.memory(bytes(self.the_plan.workspace)).at

    def free(self):
        for thing in reversed(self.owned):
            thing.close() if isinstance(thing, lw.Plan) else thing.free()


def copy_like(ops, make, out, elem, src_bytes, frm, base=0, offset=0, useful=None, src_elem=None, content=None):
    """out[i...] = the element at base + sum of i * frm; make(ops, dst pointer, src pointer) gives the plan."""
    run, size = Run(), elem * prod(out)
    src = run.memory(random.randbytes(src_bytes) if content is None else content, offset)
    run.result = run.memory(bytes(size), offset)
    plan = run.plan(make(ops))
    run.call = lambda: plan.run(run.result.at, src.at + base)
    run.elements, run.written = prod(out), size
    run.useful = useful or size + prod(out) * (src_elem or elem)
    run.naive = [move(run.result.at, src.at + base, out, strides(out, elem), frm, elem, (src_elem or elem) - elem)]
    return run


def prod(numbers):
    p = 1
    for n in numbers:
        p *= n
    return p


def in_place(ops, plan, out, elem, frm, base=0):
    """Naive: into a second buffer, and back."""
    run, size = Run(), elem * prod(out)
    content = random.randbytes(size)
    run.result = run.memory(content)
    run.reset = lambda: run.result.write(content)
    other = run.memory(bytes(size))
    run.plan(plan)
    workspace = run.workspace() if plan.workspace else None
    run.call = lambda: plan.run(run.result.at, workspace=workspace)
    run.elements, run.written, run.useful = prod(out), size, 2 * size
    flat = strides(out, elem)
    run.naive = [move(other.at, run.result.at + base, out, flat, frm, elem),
                 move(run.result.at, other.at, out, flat, flat, elem)]
    return run


# ---- the cases ----

def transpose(rows, cols, elem, batch=1, offset=0):
    def make(ops):
        return ops.transpose_plan(rows, cols, elem, batch)
    return lambda ops: copy_like(ops, make, (batch, cols, rows), elem, batch * rows * cols * elem,
                                 (rows * cols * elem, elem, cols * elem), offset=offset)


def permute(shape, perm, elem):
    out, flat = [shape[p] for p in perm], strides(shape, elem)

    def make(ops):
        return ops.permute_plan(lw.dense(out, lw.Type.BYTES, elem), lw.dense(shape, lw.Type.BYTES, elem), perm)
    return lambda ops: copy_like(ops, make, out, elem, prod(shape) * elem, [flat[p] for p in perm])


def flip(shape, axes, elem, offset=0):
    flat = strides(shape, elem)
    base = sum((shape[a] - 1) * flat[a] for a in axes)

    def make(ops):
        t = lw.dense(shape, lw.Type.BYTES, elem)
        return ops.flip_plan(t, t, axes)

    def case(ops):
        run = copy_like(ops, make, shape, elem, prod(shape) * elem,
                        [-s if d in axes else s for d, s in enumerate(flat)], base, offset)
        plan, src = run.the_plan, run.owned[0]
        run.call = lambda: plan.run(run.result.at, src.at)
        return run
    return case


def crop(shape, pitch, elem):
    def make(ops):
        src = lw.dense(shape, lw.Type.BYTES, elem)
        src.stride[0] = pitch
        return ops.copy_plan(lw.dense(shape, lw.Type.BYTES, elem), src)
    return lambda ops: copy_like(ops, make, shape, elem, pitch * shape[0], (pitch, elem), base=64)


def convert(shape, turned):
    """f32 to bf16: of numbers that both hold, so that cutting is rounding."""
    out = shape[::-1] if turned else shape
    flat = strides(shape, 4)

    def make(ops):
        return ops.convert_plan(lw.dense(out, lw.Type.BF16), lw.dense(shape, lw.Type.F32), (1, 0) if turned else None)
    content = struct.pack(f"{prod(shape)}f", *(float(random.randrange(-128, 128)) for _ in range(prod(shape))))
    return lambda ops: copy_like(ops, make, out, 2, 0, flat[::-1] if turned else flat, src_elem=4, content=content)


def pad(shape, margin):
    out = [n + 2 * margin for n in shape]

    def case(ops):
        run = copy_like(ops, lambda o: o.pad_plan(lw.dense(out, lw.Type.F32), lw.dense(shape, lw.Type.F32),
                                                  [margin] * len(shape), 1.5), shape, 4, 4 * prod(shape),
                        strides(shape, 4))
        src, old = run.owned[0], run.result
        run.result = run.memory(bytes(4 * prod(out)))
        value = run.memory(struct.pack("f", 1.5))
        plan = run.the_plan
        run.call = lambda: plan.run(run.result.at, src.at)
        run.written = 4 * prod(out)
        run.useful, run.elements = 4 * (prod(shape) + prod(out)), prod(out)
        flat = strides(out, 4)
        run.naive = [move(run.result.at, value.at, out, flat, [0] * len(out), 4),
                     move(run.result.at + margin * sum(flat), src.at, shape, flat, strides(shape, 4), 4)]
        return run
    return case


def flip_in_place(shape, elem):
    flat = strides(shape, elem)
    tensor, last = lw.dense(shape, lw.Type.BYTES, elem), len(shape) - 1
    return lambda ops: in_place(ops, ops.flip_inplace_plan(tensor, (last,)), shape, elem, flat[:-1] + [-elem],
                                (shape[-1] - 1) * elem)


def square_in_place(n, elem):
    return lambda ops: in_place(ops, ops.transpose_square_inplace_plan(n, elem), (n, n), elem, (elem, n * elem))


def matrix_in_place(rows, cols, elem, scratch):
    return lambda ops: in_place(ops, ops.transpose_inplace_plan(rows, cols, elem, scratch=scratch), (cols, rows), elem,
                                (elem, cols * elem))


def rows_by_index(scatter, count, row):
    def case(ops):
        run, table_rows = Run(), count
        order = random.sample(range(table_rows), count)
        src = run.memory(random.randbytes(table_rows * row))
        index = run.memory(struct.pack(f"{count}i", *order))
        run.result = run.memory(bytes(count * row))
        if scatter:
            run.call = lambda: ops.scatter_rows(run.result.at, table_rows, row, src.at, row, row, index.at, 4, count)
        else:
            run.call = lambda: ops.gather_rows(run.result.at, row, src.at, table_rows, row, row, index.at, 4, count)
        run.elements, run.written, run.check_useful = count * row // 4, count * row, False
        run.useful = count * (2 * row + 4)
        which = {"dst_index" if scatter else "src_index": index.at}
        run.naive = [move(run.result.at, src.at, (count, row // 4), (row, 4), (row, 4), 4, **which)]
        return run
    return case


def records(sizes, n, to_soa):
    layout = lw.record(sizes)
    step = layout.record_bytes

    def case(ops):
        run = Run()
        content = random.randbytes(n * step)
        one, other = run.memory(content), run.memory(bytes(n * step))
        run.result = other
        places = [other.at if to_soa else one.at] # the arrays, one after the other, each on a boundary of 64 bytes
        for size in sizes[:-1]:
            places.append(places[-1] + n * size)
        plan = run.plan(ops.record_plan(layout, n))
        if to_soa:
            run.call = lambda: plan.aos_to_soa(places, one.at)
        else:
            run.call = lambda: plan.soa_to_aos(other.at, places)
        run.elements, run.written, run.useful = n * len(sizes), n * step, 2 * n * step
        for f, size in enumerate(sizes):
            at = layout.offset[f]
            run.naive.append(move(places[f], one.at + at, (n,), (size,), (step,), size) if to_soa else
                             move(other.at + at, places[f], (n,), (step,), (size,), size))
        return run
    return case


KINDS = {lw.Type.U8: ("B", 1, 0), lw.Type.I32: ("i", 4, 0), lw.Type.F32: ("f", 4, 1), lw.Type.F64: ("d", 8, 1)}


def hist(kind, binning, bins, n, skew=False, weights=False, strategy=lw.Strategy.AUTO):
    letter, size, real = KINDS[kind]

    def sample(_):
        if skew:
            return bins // 3
        return random.randrange(bins) if not real else random.random() * 100

    def case(ops):
        content = struct.pack(f"{n}{letter}", *map(sample, range(n))) # seeded by the case's name
        run = Run()
        what = lw.Hist(strategy=strategy, sample_type=kind, binning=binning, bins=bins, lo=0, hi=100, hi_int=bins,
                       rows=1, row_samples=n,
                       count_type=lw.Type.F32 if weights else lw.Type.U32, weight_type=lw.Type.F32 if weights else 0)
        even = lw.Hist.from_buffer_copy(what)
        even.binning = lw.Binning.EVEN
        edges = lw.hist_edges(even)
        device_edges = run.memory(bytes(edges))
        doubles = run.memory(struct.pack(f"{bins + 1}d", *edges))
        samples = run.memory(content)
        run.result = run.memory(bytes(4 * bins))
        load = run.memory(struct.pack(f"{n}f", *(float(random.randrange(8)) for _ in range(n)))) if weights else None
        run.reset = lambda: run.result.write(bytes(4 * bins))
        plan = run.plan(ops.hist_plan(what))
        workspace = run.workspace() if plan.workspace else None
        run.call = lambda: plan.hist(run.result.at, samples.at, device_edges.at, workspace,
                                     weights=load.at if load else None)
        # what a histogram must move: samples and weights in, counts out, and edges where they are given
        given = len(bytes(edges)) if binning == lw.Binning.EDGES else 0
        run.written, run.elements = 4 * bins, n
        run.useful, run.check_useful = n * (size + (4 if weights else 0)) + 4 * bins + given, False
        at = run.result.at
        run.naive = [NaiveHist(0 if weights else at, at if weights else 0, samples.at, load.at if load else 0,
                               doubles.at if binning != lw.Binning.INTEGER else 0, n, bins, 0, size, real)]
        return run
    return case


U8, I32, F32, F64 = lw.Type.U8, lw.Type.I32, lw.Type.F32, lw.Type.F64
INTEGER, EVEN, EDGES = lw.Binning.INTEGER, lw.Binning.EVEN, lw.Binning.EDGES
CASES = {
    ("transpose", "1 B aligned"): transpose(256, 384, 1), ("transpose", "2 B aligned"): transpose(256, 192, 2),
    ("transpose", "4 B aligned"): transpose(256, 192, 4), ("transpose", "8 B aligned"): transpose(128, 192, 8),
    ("transpose", "16 B aligned"): transpose(128, 64, 16), ("transpose", "12 B"): transpose(320, 192, 12),
    ("transpose", "1 B odd"): transpose(509, 517, 1, offset=3),
    ("transpose", "2 B odd"): transpose(509, 259, 2, offset=6),
    ("transpose", "4 B odd"): transpose(181, 193, 4, offset=4),
    ("transpose", "8 B odd"): transpose(91, 193, 8, offset=8),
    ("transpose", "4 B batch of 16 x 16"): transpose(16, 16, 4, 1024),
    ("transpose", "4 B batch of 4 x 4"): transpose(4, 4, 4, 16384),
    ("transpose", "4 B 3 columns"): transpose(64000, 3, 4),
    ("permute", "4 B rank 4 3210"): permute((32, 24, 16, 24), (3, 2, 1, 0), 4),
    ("permute", "4 B rank 4 0213"): permute((8, 24, 12, 16), (0, 2, 1, 3), 4),
    ("permute", "1 B rank 5 42013"): permute((12, 16, 10, 12, 9), (4, 2, 0, 1, 3), 1),
    ("permute", "2 B rank 3 201"): permute((48, 80, 64), (2, 0, 1), 2),
    ("flip", "1 B"): flip((90000,), (0,), 1), ("flip", "4 B"): flip((30000,), (0,), 4),
    ("flip", "4 B misaligned"): flip((30001,), (0,), 4, offset=4), ("flip", "12 B"): flip((50000,), (0,), 12),
    ("flip", "3 B"): flip((60000,), (0,), 3), ("flip", "3 B short rows"): flip((300, 200), (1,), 3),
    ("flip", "4 B rows of 3 axes"): flip((12, 40, 64), (0, 1), 4),
    ("copy", "4 B crop"): crop((120, 200), 4096, 4), ("copy", "1 B crop odd"): crop((200, 301), 999, 1),
    ("convert", "f32 to bf16"): convert((160, 256), False),
    ("convert", "f32 to bf16 turned"): convert((160, 256), True),
    ("pad", "4 B rank 2"): pad((150, 200), 8), ("pad", "4 B long rows"): pad((40, 2600), 8),
    ("flip in place", "4 B"): flip_in_place((40000,), 4), ("flip in place", "1 B"): flip_in_place((90000,), 1),
    ("flip in place", "3 B"): flip_in_place((60000,), 3), ("flip in place", "12 B"): flip_in_place((50001,), 12),
    ("transpose in place", "4 B square"): square_in_place(192, 4),
    ("transpose in place", "4 B square, odd"): square_in_place(191, 4),
    ("transpose in place", "1 B square, odd"): square_in_place(381, 1),
    ("transpose in place", "1 B square, odd, many tiles"): square_in_place(1171, 1),
    ("transpose in place", "2 B square, odd, many tiles"): square_in_place(1171, 2),
    ("transpose in place", "4 B square, odd, many tiles"): square_in_place(805, 4),
    ("transpose in place", "8 B square, odd, many tiles"): square_in_place(549, 8),
    ("transpose in place", "4 B 97 x 250, little scratch"): matrix_in_place(97, 250, 4, 250 * 4 * 40),
    ("gather", "rows of 256 B"): rows_by_index(False, 400, 256),
    ("scatter", "rows of 256 B"): rows_by_index(True, 400, 256),
    ("aos2soa", "4 x 4 B"): records((4,) * 4, 6000, True), ("aos2soa", "16 x 4 B"): records((4,) * 16, 1600, True),
    ("aos2soa", "mixed 1 to 16 B"): records((16, 8, 4, 2, 1, 1), 2000, True),
    ("soa2aos", "4 x 4 B"): records((4,) * 4, 6000, False), ("soa2aos", "3 x 4 B"): records((4,) * 3, 8000, False),
    ("soa2aos", "mixed 1 to 16 B"): records((16, 8, 4, 2, 1, 1), 2000, False),
    ("aos2soa", "mixed 1 to 16 B, few"): records((16, 8, 4, 2, 1, 1), 440, True),
    ("soa2aos", "mixed 1 to 16 B, few"): records((16, 8, 4, 2, 1, 1), 440, False),
    ("aos2soa", "4 x 1 B"): records((1,) * 4, 20000, True), ("soa2aos", "2 x 8 B"): records((8,) * 2, 6000, False),
    ("hist", "i32 1024 bins, few"): hist(I32, INTEGER, 1024, 15000),
    ("hist", "i32 1024 bins, many counters"): hist(I32, INTEGER, 1024, 100000),
    ("hist", "u8 256 bins"): hist(U8, INTEGER, 256, 400000),
    ("hist", "u8 256 bins, constant"): hist(U8, INTEGER, 256, 400000, skew=True),
    ("hist", "i32 1024 bins"): hist(I32, INTEGER, 1024, 200000),
    ("hist", "i32 1024 bins, constant"): hist(I32, INTEGER, 1024, 200000, skew=True),
    ("hist", "i32 100000 bins"): hist(I32, INTEGER, 100000, 200000),
    ("hist", "i32 even 300 bins"): hist(I32, EVEN, 300, 150000),
    ("hist", "f32 even 256 bins"): hist(F32, EVEN, 256, 150000),
    ("hist", "f64 even 256 bins"): hist(F64, EVEN, 256, 80000),
    ("hist", "f32 64 edges"): hist(F32, EDGES, 64, 150000), ("hist", "f32 3000 edges"): hist(F32, EDGES, 3000, 150000),
    ("hist", "f32 weights"): hist(F32, EVEN, 256, 80000, weights=True),
    ("hist", "i32 100000 bins, partition"): hist(I32, INTEGER, 100000, 200000, strategy=lw.Strategy.PARTITION),
    ("hist", "i32 100000 bins, packed"): hist(I32, INTEGER, 100000, 200000, strategy=lw.Strategy.PACKED),
    ("hist", "u8 256 bins, pairs"): hist(U8, INTEGER, 256, 400000, strategy=lw.Strategy.PAIRS),
}


# ---- the table ----

def read_table():
    rows = {}
    with open(TABLE) as f:
        lines = [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]
    if lines[0] != "op;class;path;" + ";".join(METRICS):
        raise SystemExit(f"{TABLE}: columns")
    for line in lines[1:]:
        op, kind, path, *cells = line.split(";")
        rows[op, kind, path] = {m: float(c) for m, c in zip(METRICS, cells, strict=True) if c}
    return rows


def write_table(rows):
    with open(TABLE) as f:
        head = [line for line in f if line.startswith("#")]
    order = {key: i for i, key in enumerate(CASES)}
    with open(TABLE, "w") as f:
        f.writelines(head)
        print("op;class;path;" + ";".join(METRICS), file=f)
        for (op, kind, path), bars in sorted(rows.items(), key=lambda r: (order[r[0][:2]], r[0][2])):
            print(";".join([op, kind, path] + [f"{bars[m]:g}" if m in bars else "" for m in METRICS]), file=f)


def bar_of(op, metric, value):
    """1 % more than counted; 5 % for histograms, whose loops of compare-and-swap depend on which warp comes first."""
    if metric in ("shared", "launches"):
        return float(value)
    digits, room = 3 if value < 100 else 1, 1.05 if op == "hist" else 1.01
    return round(value * room + 0.5 * 10 ** -digits, digits) if value else 0.0


# ---- a card's counters ----

METRIC = {f"l1tex__t_{counter}_pipe_lsu_mem_{group[:-2]}op_{group[-2:]}.sum": (group, counter)
          for group in ("global_ld", "global_st", "local_ld", "local_st") for counter in ("requests", "sectors")}
METRIC.update({f"l1tex__t_{counter}_pipe_lsu_mem_global_op_{op}.sum": (f"global_{op}", counter)
               for op in ("red", "atom") for counter in ("requests", "sectors")})
METRIC.update({f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum": (f"shared_{op}", "wavefronts")
               for op in ("ld", "st", "atom")})
SEPARATOR = "move_chunk" # a kernel of naive.cu, launched before every case


def launch_all():
    """Every case once, on a card, for the profiler."""
    library = ctypes.CDLL(os.path.join(libraries, "liblanewise-ops-naive.so"))
    spare = Memory(bytes(64))
    between = move(spare.at, spare.at + 32, (1,), (1,), (1,), 1)
    with lw.Ops() as ops:
        for name, case in CASES.items():
            random.seed(str(name))
            run = case(ops)
            ok(library.naive_run_move(ctypes.byref(between), 0))
            run.call()
            ok(cuda.cudaDeviceSynchronize())
            run.free()
    print(f"{len(CASES)} cases launched")


def read_profile(path):
    """{case: {(group, counter): value}} of the profiler's raw page."""
    with open(path, newline="") as f:
        rows = list(csv.reader(line for line in f if not line.startswith("==")))
    while rows and "Kernel Name" not in rows[0]:
        rows.pop(0)
    head, at, cases = rows[0], -1, [{} for _ in CASES]
    for row in rows[2:]: # behind a line of units
        if SEPARATOR in row[head.index("Kernel Name")]:
            at += 1
            continue
        for metric, name in METRIC.items():
            if metric in head:
                value = int(float(row[head.index(metric)].replace(",", "") or 0))
                cases[at][name] = cases[at].get(name, 0) + value
    if at + 1 != len(CASES):
        raise SystemExit(f"{path}: {at + 1} cases, there are {len(CASES)}")
    return dict(zip(CASES, cases))


def read_recorded():
    """{case: (instructions, {(group, counter): value})}"""
    cases = {}
    if not os.path.exists(RECORDED):
        return cases
    with open(RECORDED) as f:
        for line in f:
            if line.startswith("#") or line.startswith("op;"):
                continue
            op, kind, group, counter, value = line.rstrip("\n").split(";")
            inst, values = cases.setdefault((op, kind), ([0], {}))
            if counter == "instructions":
                inst[0] = int(value)
            else:
                values[group, counter] = int(value)
    return cases


def write_recorded(profile, instructions, notes):
    with open(RECORDED, "w") as f:
        print("# Counters of the cases of bars.csv on a card; see bars.py. instructions: thread instructions\n"
              "# of PTX of the code they belong to.", file=f)
        f.writelines(f"# {note}\n" for note in notes)
        print("op;class;group;counter;value", file=f)
        for name, values in profile.items():
            if name not in instructions:
                continue
            print(*name, "", "instructions", instructions[name], sep=";", file=f)
            for (group, counter), value in sorted(values.items()):
                if value:
                    print(*name, group, counter, value, sep=";", file=f)


def compare_recorded(name, of_op, recorded, tally, talk):
    """One case against the card: equal, marked, stale or different. Spills count as marked."""
    (inst,), card = recorded
    if abs(of_op["inst"] - inst) > (0.02 * inst if name[0] == "hist" else 0):
        tally["stale"].append(" ".join(name))
        return
    # a compare-and-swap loop loads, too; a reduction may be issued as an atomic
    other = {"shared_ld": "shared_atom", "global_atom": "global_red", "global_red": "global_atom"}
    worst = "equal"
    for key in sorted(set(card) | {k for k, v in of_op["groups"].items() if v and k in METRIC.values()}):
        ours, theirs = of_op["groups"].get(key, 0), card.get(key, 0)
        if ours == theirs:
            continue
        why = of_op["why"].get(key[0]) or of_op["why"].get(other.get(key[0]))
        if key[0].startswith("local") and not ours:
            why = "registers that the assembler keeps in local memory: PTX does not show them"
        text = f"{' '.join(name)}: {key[0]} {key[1]} {ours}, on the card {theirs}"
        if why:
            worst = "marked" if worst == "equal" else worst
            if talk:
                print(f"{text} ({why})")
        else:
            worst = "different"
            fail(text)
    tally[worst].append(" ".join(name))


naive = None


def run_case(ops, name, path, bars, update):
    """Runs the op and both naive ways; returns the case's new bars."""
    random.seed(str(name))
    run = CASES[name](ops)
    if run.check_useful and run.the_plan.useful_bytes != run.useful:
        fail(f"{name}: the plan says {run.the_plan.useful_bytes} useful bytes, it must move {run.useful}")
    got = measure(run.call, run.useful, run.written, run.elements)
    of_op, right = counted, run.result.read()
    controls = []
    for through in (0, 1):
        getattr(run, "reset", lambda: run.result.write(bytes(run.result.bytes)))()

        def call():
            for part in run.naive:
                function = naive.naive_run_hist if isinstance(part, NaiveHist) else naive.naive_run_move
                ok(function(ctypes.byref(part), through))
        controls.append(measure(call, run.useful, run.written, run.elements))
        if run.result.read() != right:
            fail(f"{name} on {path}: the naive way {through} has another result")
    chosen = run.the_plan.describe() if hasattr(run, "the_plan") else ""
    run.free()
    new = {}
    for metric in METRICS:
        bar, worst = bar_of(name[0], metric, got[metric]), max(c[metric] for c in controls)
        if worst > bar:
            new[metric] = bar
        if update:
            continue
        if metric in bars and got[metric] > bars[metric]:
            fail(f"{name} on {path}: {metric} {got[metric]:.4g}, bar {bars[metric]:g} [{chosen}]")
        if metric in bars and worst <= bars[metric]:
            fail(f"{name} on {path}: the naive ways have {metric} {worst:.4g}, within the bar {bars[metric]:g}")
    return new, got, controls, chosen, of_op


def main():
    global naive
    arguments = [a for a in sys.argv[2:] if not a.startswith("--")]
    update, talk = "--update" in sys.argv, "--verbose" in sys.argv
    if "--launch" in sys.argv:
        launch_all()
        return 0
    profile = None
    if "--record" in sys.argv:
        raw = arguments.pop(0)
        profile = read_profile(raw)
    naive = ctypes.CDLL(os.path.join(libraries, "liblanewise-ops-naive.so"))
    table, path = read_table(), report()["device"]["cc"]
    card, recorded, instructions = path == "9.0", {} if profile else read_recorded(), {}
    tally = {"equal": [], "marked": [], "stale": [], "different": []}
    global state
    state = sums()
    with lw.Ops() as ops:
        if not few_sms.few_sms_asked():
            fail("the library did not ask few_sms.c for the number of multiprocessors")
        for name in CASES:
            if arguments and not any(a in " ".join(name) for a in arguments):
                continue
            bars = table.get((*name, path), {})
            try:
                new, got, controls, chosen, of_op = run_case(ops, name, path, bars, update)
            except lw.LanewiseError as e:
                if e.status != lw.Status.UNSUPPORTED or bars:
                    fail(f"{name} on {path}: {e}")
                continue # a forced strategy that this device is too small for: no row
            if not bars and not update:
                fail(f"{name} on {path}: no row in bars.csv")
            if update:
                table[(*name, path)] = new
                missing = [m for m in METRICS if m not in new]
                if missing:
                    print(f"{name} on {path}: no bar for {', '.join(missing)}")
            instructions[name] = of_op["inst"]
            if card and name in recorded:
                compare_recorded(name, of_op, recorded[name], tally, talk)
            elif card and recorded and not profile:
                tally["stale"].append(" ".join(name))
            if talk:
                print(*name, f"[{chosen}]", *(f"{m} {got[m]:.4g}" for m in METRICS))
                for c in controls:
                    print("      naive", *(f"{m} {c[m]:.4g}" for m in METRICS))
    stale = [key for key in table if key[:2] not in CASES]
    if stale:
        fail(f"rows without a case: {stale}")
    if update:
        write_table({key: bars for key, bars in table.items() if key not in stale})
    if profile:
        with open(raw) as f:
            write_recorded(profile, instructions, [line[7:].rstrip() for line in f if line.startswith("==NOTE ")])
    if card and recorded:
        print("beside the card's counters:", ", ".join(f"{len(cases)} {state}" for state, cases in tally.items()))
        if tally["stale"]:
            print("recorded of other code:", "; ".join(tally["stale"]))
    print(f"bars on {path}: {len(CASES)} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
