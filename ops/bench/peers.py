#!/usr/bin/env python3
"""PyTorch (eager and compiled), CuPy, JAX and NPP as peers of liblanewise-ops, on this machine's GPU, through the
Python file.

usage: peers.py LIBRARY_DIRECTORY [--out FILE] [--only OP] [--seconds N] [--rounds N] [--shapes N]

A row is one op on one pair of buffers. Ours, the best plain copy (or read) of the same bytes on the same buffers and
every peer that is installed and can do it take turns, 9 rounds; a row's figures are medians of the rounds' ratios. The
candidates for the denominator are those of lanewise-ops-bench (liblanewise-ops-sweep.so of the directory). Every
result is compared with ours, bit by bit. Cases are named as there, columns are the same: tools/bench_table.py joins
both by op and case. A time is that of CALLS calls on the host's clock, from an idle device to an idle device, since
not every library can be timed by events of a stream; `out` of a peer is a buffer given to it where it takes one, else
it allocates as its users' programs do. Rows without time left (--seconds) are counted in the last line."""
import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import torch

CALLS_MS = 3.0  # a timing is long enough for some calls
started = time.monotonic()


def optional(name):
    try:
        module = __import__(name, fromlist=["_"])
        return module
    except Exception as e:  # not installed, or not for this device
        print(f"# no {name}: {str(e).splitlines()[0][:100]}", file=sys.stderr)
        return None


# ---- measuring ----

class Bench:
    def __init__(self, options):
        import lanewise_ops
        self.lw, self.options, self.skipped = lanewise_ops, options, 0
        self.ops = lanewise_ops.Ops()
        self.sweep = ctypes.CDLL(os.path.join(options.libraries, "liblanewise-ops-sweep.so"))
        for name in ("bench_copy", "bench_read"):
            getattr(self.sweep, name).argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
                                                  ctypes.c_void_p]
        for name in ("bench_copy_name", "bench_read_name"):
            getattr(self.sweep, name).restype = ctypes.c_char_p
        self.cupy, self.jax = optional("cupy"), optional("jax")
        if self.jax:
            self.jax.config.update("jax_enable_x64", True)
        self.scratch = torch.empty(1 << 20, dtype=torch.uint8, device="cuda")
        self.file = open(options.out, "w") if options.out else sys.stdout
        self.npp = Npp()

    def time(self, call, calls):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            kept = call()
        if hasattr(kept, "block_until_ready"):
            kept.block_until_ready()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3 / calls

    def calls_for(self, call):
        call()
        once = min(self.time(call, 1) for _ in range(2))
        return max(1, min(20, int(CALLS_MS / max(once, 1e-3))))

    def denominators(self, dst, src, nbytes, read):
        """[(name, call)]: the plain kernels, and the runtime's copy."""
        sweep, to, frm = self.sweep, dst.data_ptr(), src.data_ptr()
        if read:
            return [(sweep.bench_read_name(i).decode(), lambda i=i: sweep.bench_read(i, self.scratch.data_ptr(), frm,
                                                                                    nbytes, None))
                    for i in range(sweep.bench_reads())]
        a, b = flat(dst)[:nbytes], flat(src)[:nbytes]
        if min(a.numel(), b.numel()) < nbytes: # one side is smaller than the mean of both
            self.spare = a, b = [torch.empty(nbytes, dtype=torch.uint8, device="cuda") for _ in range(2)]
            to, frm = a.data_ptr(), b.data_ptr()
        return [(sweep.bench_copy_name(i).decode(), lambda i=i: sweep.bench_copy(i, to, frm, nbytes & ~15, None))
                for i in range(sweep.bench_copies())] + [("cudaMemcpyAsync", lambda: a.copy_(b))]

    def row(self, op, case, dst, src, ours, peers, useful, read=False, plan="", same=None):
        """ours(): runs; peers: [(name, call, result)], result None: it wrote into dst."""
        o = self.options
        nbytes = int(useful if read else useful // 2)
        candidates = self.denominators(dst, src, nbytes, read)
        calls = self.calls_for(candidates[0][1])
        first = [min(self.time(call, calls) for _ in range(3)) for _, call in candidates]
        limit, limit_call = candidates[first.index(min(first))]
        flat(dst).fill_(0xA5)
        ours()
        right = (same(dst) if same else dst).clone()
        good = []
        for name, call in peers:
            try:
                flat(dst).fill_(0xA5)
                got = call()
                got = dst if got is None else as_torch(got)
                torch.cuda.synchronize()
                theirs = same(got) if same else got
                if not torch.equal(bits(theirs).reshape(-1), bits(right).reshape(-1)):
                    print(f"# {op} {case}: {name} has another result", file=self.file, flush=True)
                    continue
                good.append((name, call, self.calls_for(call)))
            except Exception as e:
                print(f"# {op} {case}: {name}: {str(e).splitlines()[0][:120]}", file=self.file, flush=True)
            got = None
        ratios, times, base, other = [], [], [], [[] for _ in good]
        for k in range(-1, o.rounds):
            den, mine = self.time(limit_call, calls), self.time(ours, calls)
            theirs = [den / self.time(call, n) for _, call, n in good]
            if k < 0:
                continue
            base.append(den)
            times.append(mine)
            ratios.append(den / mine)
            for i, ratio in enumerate(theirs):
                other[i].append(ratio)
        ratios.sort()
        ms, middle = statistics.median(times), statistics.median(ratios)
        named = sorted(((statistics.median(r), name) for r, (name, _, _) in zip(other, good)), reverse=True)
        best = named[0] if named else (0, "")
        print(f'{op},{case},"{plan}",{useful},{ms:.5f},{useful / ms * 1e-6:.1f},{middle:.4f},'
              f"{ratios[len(ratios) // 10]:.4f},{ratios[-1 - len(ratios) // 10]:.4f},"
              f"{limit},{statistics.median(base):.5f},{best[1]},{best[0]:.4f},"
              f"{'; '.join(f'{n} {r:.4f}' for r, n in named)}", file=self.file, flush=True)

    def wanted(self, op):
        if self.options.only and self.options.only not in op:
            return False
        if self.options.seconds and time.monotonic() - started > self.options.seconds:
            self.skipped += 1
            return False
        return True

    # ---- peers ----
    def jit(self, function, *arrays):
        """A call of a jitted function on torch's buffers."""
        inputs = [self.jax.dlpack.from_dlpack(a) for a in arrays]
        compiled = self.jax.jit(function)
        compiled(*inputs).block_until_ready()
        return lambda: compiled(*inputs)

    def compiled(self, function, *arrays):
        torch._dynamo.reset() # else it gives up after some shapes
        ready = torch.compile(function, dynamic=False)
        ready(*arrays)
        return lambda: ready(*arrays)

    def peers(self, eager, function=None, arrays=(), cupy=None, jax=None, jax_arrays=None):
        """eager(): writes into dst or returns; function(*arrays): for torch.compile; cupy(cupy): a call or None."""
        out = [("PyTorch", eager)]
        for name, there, make in (
                ("PyTorch compiled", function, lambda: self.compiled(function, *arrays)),
                ("CuPy", cupy and self.cupy, lambda: cupy(self.cupy)),
                ("JAX", jax and self.jax, lambda: self.jit(jax, *(jax_arrays or arrays)))):
            if not there:
                continue
            try:
                out.append((name, make()))
            except Exception as e:
                print(f"# {name}: {(str(e).splitlines() or ['?'])[0][:120]}", file=self.file, flush=True)
        return out


def quiet(call):
    """The result is in a buffer that was given."""
    def run():
        call()
    return run


class Npp:
    """NVIDIA's image library, where the toolkit has it: transposes, mirrors, histograms of bytes."""

    class Context(ctypes.Structure):
        _fields_ = [("stream", ctypes.c_void_p)] + [(n, ctypes.c_int) for n in (
            "device", "multiprocessors", "threads_per_multiprocessor", "threads_per_block")] + [
            ("shared_per_block", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
            ("flags", ctypes.c_uint), ("reserved", ctypes.c_int)]

    class Size(ctypes.Structure):
        _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]

    KINDS = {1: "8u", 2: "16u", 4: "32s"}

    def __init__(self):
        p = torch.cuda.get_device_properties(0)
        self.context = self.Context(None, 0, p.multi_processor_count, p.max_threads_per_multi_processor, 1024, 49152,
                                    p.major, p.minor, 0, 0)
        self.exchange, self.geometry, self.statistics = (self.load(n) for n in ("nppidei", "nppig", "nppist"))

    @staticmethod
    def load(name):
        for path in (f"lib{name}.so.13", f"lib{name}.so"):
            try:
                return ctypes.CDLL(path)
            except OSError:
                pass
        return None

    def turned(self, dst, src, rows, cols, elem):
        if not self.exchange or elem not in self.KINDS:
            return []
        function = getattr(self.exchange, f"nppiTranspose_{self.KINDS[elem]}_C1R_Ctx")
        return [("NPP", lambda: self.check(function(
            ctypes.c_void_p(src.data_ptr()), cols * elem, ctypes.c_void_p(dst.data_ptr()), rows * elem,
            self.Size(cols, rows), self.context)))]

    def mirrored(self, dst, src, rows, cols, elem):
        """Every row reversed."""
        if not self.geometry or elem not in self.KINDS:
            return []
        function = getattr(self.geometry, f"nppiMirror_{self.KINDS[elem]}_C1R_Ctx")
        return [("NPP", lambda: self.check(function(
            ctypes.c_void_p(src.data_ptr()), cols * elem, ctypes.c_void_p(dst.data_ptr()), cols * elem,
            self.Size(cols, rows), 1, self.context)))]

    def bytes_counted(self, counts, src, rows, cols):
        if not self.statistics:
            return []
        need, size = ctypes.c_size_t(), self.Size(cols, rows)
        self.check(self.statistics.nppiHistogramEvenGetBufferSize_8u_C1R_Ctx(size, 257, ctypes.byref(need),
                                                                             self.context))
        work = torch.empty(need.value + 64, dtype=torch.uint8, device="cuda")
        return [("NPP", lambda: self.check(self.statistics.nppiHistogramEven_8u_C1R_Ctx(
            ctypes.c_void_p(src.data_ptr()), cols, size, ctypes.c_void_p(counts.data_ptr()), 257, 0, 256,
            ctypes.c_void_p(work.data_ptr()), self.context)))]

    @staticmethod
    def check(status):
        if status:
            raise RuntimeError(f"NPP status {status}")


def flat(x):
    return x.reshape(-1).view(torch.uint8)


def bits(x):
    return x.contiguous().view(torch.uint8) if x.dtype != torch.bool else x


def as_torch(x):
    return x if isinstance(x, torch.Tensor) else torch.from_dlpack(x)


# Integers: they hold any bits, and every library has them.
TYPES = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def filled(shape, elem):
    n = 1
    for s in shape:
        n *= s
    x = torch.randint(0, 256, ((n * elem + 7) // 8 * 8,), dtype=torch.uint8, device="cuda")
    return x[:n * elem].view(TYPES[elem]).reshape(shape)


# ---- rows ----

def permutation(bench, op, case, shape, perm, elem, src=None):
    if not bench.wanted(op):
        return
    src = filled(shape, elem)
    out_shape = [shape[p] for p in perm]
    dst = torch.empty(out_shape, dtype=TYPES[elem], device="cuda")
    view = src.permute(perm)
    with bench.ops.permute_plan(dst, src, perm) as plan:
        peers = bench.peers(quiet(lambda: dst.copy_(view)), lambda x: x.permute(perm).contiguous(), (src,),
                            lambda cp: copier(cp, dst, src, perm), lambda x: x.transpose(perm))
        if tuple(perm) == (1, 0):
            peers += bench.npp.turned(dst, src, *shape, elem)
        bench.row(op, case, dst, src, lambda: plan.run(dst, src), peers, 2 * src.numel() * elem, plan=plan.describe())


def copier(cp, dst, src, perm):
    to, view = cp.from_dlpack(dst), cp.from_dlpack(src).transpose(perm)

    def call():
        to[...] = view
    return call


def transposes(bench):
    large = [(8192, 8192), (16384, 16384), (12288, 12288), (10000, 10000), (16384, 16416), (5000, 50000)]
    odd = [(8191, 8193), (10001, 10003), (4999, 50001), (16384, 8190)]
    batches = [(1 << 20, 4, 4), (1 << 18, 16, 16), (65536, 32, 32), (100, 1000, 1000)]
    for elem in (4, 2, 1, 8):
        for i in range(6):
            for op, shapes in (("transpose", large), ("transodd", odd)):
                if i < len(shapes):
                    permutation(bench, op, f"1x{shapes[i][0]}x{shapes[i][1]} e{elem}", shapes[i], (1, 0), elem)
        if elem < 8:
            for shape in batches:
                permutation(bench, "batch", "x".join(map(str, shape)) + f" e{elem}", shape, (0, 2, 1), elem)


class Seeded:
    """The shapes of lanewise-ops-bench: splitmix64, see bench_permute_shape()."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = (1 << 64) - 1
        self.state = z = (self.state + 0x9e3779b97f4a7c15) & mask
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & mask
        z = (z ^ z >> 27) * 0x94d049bb133111eb & mask
        return z ^ z >> 31

    def shape(self, elem):
        rank = 3 + self.next() % 5
        want, volume, shape = ((256 + self.next() % 768) << 20) // elem, 1, []
        for i in range(rank):
            left, mean = want / volume, 1.0
            while mean < 1e9 and mean_power(mean, rank - i) < left:
                mean *= 1.05
            e = int(left) if i + 1 == rank else int(mean * (0.4 + (self.next() % 1000) / 700))
            if self.next() % 2:
                e = e & ~7 if e > 8 else e
            shape.append(max(e, 2))
            volume *= shape[-1]
        perm = list(range(rank))
        while perm == sorted(perm):
            for i in range(rank - 1, 0, -1):
                j = self.next() % (i + 1)
                perm[i], perm[j] = perm[j], perm[i]
        return shape, perm


def mean_power(mean, n):
    p = 1.0
    for _ in range(n):
        p *= mean
    return p


def permutations(bench):
    seeded, all_shapes = Seeded(1), bench.options.all_shapes
    for op, elems, count in (("permute4", (4, 8, 16, 4), all_shapes), ("permute1", (1, 2), all_shapes // 2)):
        for i in range(count):
            elem = elems[i % len(elems)]
            shape, perm = seeded.shape(elem)
            if elem in TYPES and i < (bench.options.shapes if op == "permute4" else bench.options.shapes // 2):
                case = "x".join(map(str, shape)) + " p" + "".join(map(str, perm)) + f" e{elem}"
                permutation(bench, op, case, shape, perm, elem)


def flips(bench):
    for elem in (1, 2, 4, 8):
        flip(bench, f"1 GiB e{elem}", ((1 << 30) // elem,), (0,), elem)
    for axes in range(1, 8):
        flip(bench, f"64x2048x2048 f32 axes {axes}", (64, 2048, 2048), [a for a in range(3) if axes >> a & 1], 4)


def flip(bench, case, shape, axes, elem):
    if not bench.wanted("flip"):
        return
    src = filled(shape, elem)
    dst = torch.empty_like(src)
    back = tuple(slice(None, None, -1) if a in axes else slice(None) for a in range(len(shape)))

    def cupy(cp):
        to, view = cp.from_dlpack(dst), cp.from_dlpack(src)[back]

        def call():
            to[...] = view
        return call
    with bench.ops.flip_plan(dst, src, axes) as plan:
        peers = bench.peers(lambda: torch.flip(src, tuple(axes)), lambda x: torch.flip(x, tuple(axes)), (src,), cupy,
                            lambda x: bench.jax.numpy.flip(x, tuple(axes)))
        if list(axes) == [len(shape) - 1]: # of one row the height is 1
            peers += bench.npp.mirrored(dst, src, src.numel() // shape[-1], shape[-1], elem)
        bench.row("flip", case, dst, src, lambda: plan.run(dst, src), peers, 2 * src.numel() * elem,
                  plan=plan.describe())


def in_place(bench):
    """Into a new buffer and back is what the others offer."""
    for n in (16384, 10000, 8191):
        if not bench.wanted("square"):
            continue
        src = filled((n, n), 4)
        work = src.clone()

        def eager():
            work.copy_(work.t().clone(memory_format=torch.contiguous_format))
        with bench.ops.transpose_square_inplace_plan(n, 4) as plan:
            def fresh(call):
                work.copy_(src)
                call()
                return work
            bench.row("square", f"{n}^2 e4", work, src, lambda: plan.run(work), [("PyTorch", eager)],
                      2 * src.numel() * 4,
                      plan=plan.describe(), same=lambda x: torch.zeros(1))
            mine, other = fresh(lambda: plan.run(work)).clone(), fresh(eager)
            if not torch.equal(mine, other):
                print("# square: other results", file=bench.file)


def records(bench):
    for fields in (2, 3, 4, 5, 7, 8, 12, 16):
        n = (1 << 30) // (4 * fields)
        layout = bench.lw.record([4] * fields)
        for to_soa in (True, False):
            op = "aos2soa" if to_soa else "soa2aos"
            if not bench.wanted(op):
                continue
            # fields of a multiple of 256 bytes each, as in lanewise-ops-bench
            step = (n * 4 + 255) // 256 * 64
            aos, soa = filled((n, fields), 4), filled((fields, step), 4)
            views = [soa[f][:n] for f in range(fields)]
            with bench.ops.record_plan(layout, n, bench.lw.Pad.ZERO) as plan:
                case = f"{fields} fields of {4 * fields} bytes"
                if to_soa:
                    peers = bench.peers(quiet(lambda: soa[:, :n].copy_(aos.t())), lambda x: x.t().contiguous(), (aos,),
                                        None, lambda x: x.T)
                    bench.row(op, case, soa, aos, lambda: plan.aos_to_soa(views, aos), peers, 8 * n * fields,
                              plan=plan.describe(), same=lambda x: x[:, :n])
                else:
                    peers = bench.peers(quiet(lambda: aos.copy_(soa[:, :n].t())), lambda x: x[:, :n].t().contiguous(),
                                        (soa,), None, lambda x: x[:, :n].T)
                    bench.row(op, case, aos, soa, lambda: plan.soa_to_aos(aos, views), peers, 8 * n * fields,
                              plan=plan.describe())


def histograms(bench):
    lw, n = bench.lw, 1 << 28
    for bins in (64, 256, 1024, 4096, 32768, 65536, 131072, 262144, 1048576):
        if not bench.wanted("hist"):
            continue
        src = torch.randint(0, bins, (n,), dtype=torch.int32, device="cuda")
        counts = torch.zeros(bins, dtype=torch.int32, device="cuda")
        what = lw.Hist(sample_type=lw.Type.I32, binning=lw.Binning.INTEGER, bins=bins, count_type=lw.Type.U32, rows=1,
                       row_samples=n)
        with bench.ops.hist_plan(what) as plan:
            work = torch.empty(max(plan.workspace, 1), dtype=torch.uint8, device="cuda")
            peers = bench.peers(lambda: torch.bincount(src, minlength=bins), None, (),
                                lambda cp: (lambda x: lambda: cp.bincount(x, minlength=bins))(cp.from_dlpack(src)),
                                lambda x: bench.jax.numpy.bincount(x, length=bins), (src,))
            bench.row("hist", f"i32 uniform s0 bins {bins}", counts, src, lambda: plan.hist(counts, src,
                                                                                            workspace=work),
                      peers, 4 * n, read=True, plan=plan.describe(), same=lambda x: x.to(torch.int64))
    counted_bytes(bench)
    even(bench, n)
    weights(bench, n)


def counted_bytes(bench):
    lw, n = bench.lw, 1 << 30
    for style in ("uniform", "constant"):
        if not bench.wanted("hist8"):
            continue
        src = torch.randint(0, 256 if style == "uniform" else 1, (n,), dtype=torch.uint8, device="cuda")
        counts = torch.zeros(256, dtype=torch.int32, device="cuda")
        what = lw.Hist(sample_type=lw.Type.U8, binning=lw.Binning.INTEGER, bins=256, count_type=lw.Type.U32, rows=1,
                       row_samples=n)
        with bench.ops.hist_plan(what) as plan:
            work = torch.empty(max(plan.workspace, 1), dtype=torch.uint8, device="cuda")
            peers = bench.peers(lambda: torch.bincount(src, minlength=256), None, (),
                                lambda cp: (lambda x: lambda: cp.bincount(x, minlength=256))(cp.from_dlpack(src)),
                                lambda x: bench.jax.numpy.bincount(x, length=256), (src,))
            peers += bench.npp.bytes_counted(counts, src, 1 << 15, 1 << 15)
            bench.row("hist8", f"u8 {style} s0 bins 256", counts, src, lambda: plan.hist(counts, src, workspace=work),
                      peers, n, read=True, plan=plan.describe(), same=lambda x: x.to(torch.int64))


def even(bench, n):
    lw = bench.lw
    for bins in (64, 1000, 4096):
        if not bench.wanted("histeven"):
            continue
        src = torch.randint(0, 1 << 24, (n,), dtype=torch.int32, device="cuda").to(torch.float32) * 2.0 ** -24
        counts = torch.zeros(bins, dtype=torch.int32, device="cuda")
        what = lw.Hist(sample_type=lw.Type.F32, binning=lw.Binning.EVEN, bins=bins, lo=0, hi=1, count_type=lw.Type.U32,
                       rows=1, row_samples=n)
        with bench.ops.hist_plan(what) as plan:
            work = torch.empty(max(plan.workspace, 1), dtype=torch.uint8, device="cuda")
            # their edges are rounded otherwise: the sum is compared
            peers = bench.peers(lambda: torch.histc(src, bins, 0, 1), None, (),
                                lambda cp: (lambda x: lambda: cp.histogram(x, bins, range=(0,
                                                                                           1))[0])(cp.from_dlpack(src)),
                                lambda x: bench.jax.numpy.histogram(x, bins, range=(0, 1))[0], (src,))
            bench.row("histeven", f"f32 uniform bins {bins}", counts, src, lambda: plan.hist(counts, src,
                                                                                             workspace=work),
                      peers, 4 * n, read=True, plan=plan.describe(),
                      same=lambda x: x.to(torch.float64).sum().reshape(1).to(torch.int64))


def weights(bench, n):
    lw = bench.lw
    for bins in (256, 4096):
        if not bench.wanted("histweights"):
            continue
        both = torch.empty(2 * n, dtype=torch.int32, device="cuda")
        src, load = both[:n], both[n:].view(torch.float32)
        src.random_(0, bins)
        load.fill_(1.0)
        sums = torch.zeros(bins, dtype=torch.float32, device="cuda")
        what = lw.Hist(sample_type=lw.Type.I32, binning=lw.Binning.INTEGER, bins=bins, count_type=lw.Type.F32,
                       weight_type=lw.Type.F32, rows=1, row_samples=n)
        with bench.ops.hist_plan(what) as plan:
            work = torch.empty(max(plan.workspace, 1), dtype=torch.uint8, device="cuda")
            peers = bench.peers(lambda: torch.bincount(src, load, bins), None, (),
                                lambda cp: (lambda x, w: lambda: cp.bincount(x, w, bins))(cp.from_dlpack(src),
                                                                                         cp.from_dlpack(load)),
                                lambda x, w: bench.jax.numpy.bincount(x, w, length=bins), (src, load))
            bench.row("histweights", f"i32 uniform f32 weights bins {bins}", sums, both,
                      lambda: plan.hist(sums, src, workspace=work, weights=load), peers, 8 * n, read=True,
                      plan=plan.describe(), same=lambda x: x.to(torch.int64))


def by_index(bench):
    """Rows of a table of 1 GiB by random indices."""
    for row in (64, 256, 1024, 4096):
        if not bench.wanted("gather"):
            continue
        count = (1 << 30) // row
        table = filled((count, row // 4), 4)
        index = torch.randperm(count, device="cuda")
        dst = torch.empty_like(table)

        def ours():
            bench.ops.gather_rows(dst, row, table, count, row, row, index, 8, count)
        peers = bench.peers(quiet(lambda: torch.index_select(table, 0, index, out=dst)),
                            lambda t, i: t[i], (table, index),
                            lambda cp: (lambda t, i, o: quiet(lambda: cp.take(t, i, 0, o)))(
                                cp.from_dlpack(table), cp.from_dlpack(index), cp.from_dlpack(dst)),
                            lambda t, i: bench.jax.numpy.take(t, i, axis=0))
        bench.row("gather", f"rows of {row} bytes", dst, table, ours, peers, count * (2 * row))


def conversions(bench):
    n = 16384
    for turned in (False, True):
        for kind, name in ((torch.bfloat16, "bf16"), (torch.float16, "f16")):
            if not bench.wanted("convert"):
                continue
            src = torch.rand((n, n), device="cuda") - 0.5
            dst = torch.empty((n, n), dtype=kind, device="cuda")
            view, perm = (src.t(), (1, 0)) if turned else (src, (0, 1))
            with bench.ops.convert_plan(dst, src, perm) as plan:
                jax_kind = getattr(bench.jax.numpy, "bfloat16" if name == "bf16" else "float16") if bench.jax else None
                peers = bench.peers(quiet(lambda: dst.copy_(view)),
                                    lambda x: (x.t() if turned else x).to(kind).contiguous(),
                                    (src,), None, lambda x: (x.T if turned else x).astype(jax_kind))
                bench.row("convert", f"f32 to {name} {'transposed' if turned else 'contiguous'}", dst, src,
                          lambda: plan.run(dst, src), peers, 6 * n * n, plan=plan.describe())


def pads(bench):
    for shape, margin in (((8192, 8192), 64), ((8191, 8189), 3), ((16384, 16384), 8), ((64, 2048, 2000), 1)):
        name = "x".join(map(str, shape)) + f" e4 margin {margin}"
        if not bench.wanted("pad"):
            continue
        lead = len(shape) - 2
        out = [s + (2 * margin if d >= lead else 0) for d, s in enumerate(shape)]
        src = torch.rand(shape, device="cuda")
        dst = torch.empty(out, device="cuda")
        before = [0] * lead + [margin] * 2
        with bench.ops.pad_plan(dst, src, before, 0.0) as plan:
            wide = [(0, 0)] * lead + [(margin, margin)] * 2
            pad = torch.nn.functional.pad
            peers = bench.peers(lambda: pad(src, (margin,) * 4), lambda x: pad(x, (margin,) * 4), (src,), None,
                                lambda x: bench.jax.numpy.pad(x, wide))
            bench.row("pad", name, dst, src, lambda: plan.run(dst, src), peers, 4 * (src.numel() + dst.numel()),
                      plan=plan.describe())


def head(bench, options):
    versions = [f"torch {torch.__version__}"] + [f"{m.__name__} {m.__version__}" for m in (bench.cupy, bench.jax) if m]
    properties = torch.cuda.get_device_properties(0)
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True,
                            text=True, check=False).stdout.split("\n")[0]
    command = " ".join(a for a in sys.argv[2:] if a != options.out and a != "--out")
    print(f"# device {properties.name}, {properties.multi_processor_count} SMs, driver {driver}; {', '.join(versions)}\n"
          f"# liblanewise-ops {bench.lw.version()}, {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}\n"
          f"# command: ops/bench/peers.py {command}\n"
          "op,case,plan,useful_bytes,ms,GB_per_s,ratio,ratio_p10,ratio_p90,denominator,denominator_ms,peer,"
          "peer_ratio,peers", file=bench.file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries")
    parser.add_argument("--out")
    parser.add_argument("--only")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--shapes", type=int, default=20, help="seeded permutations that are run")
    parser.add_argument("--all-shapes", type=int, default=200,
                        help="--shapes of lanewise-ops-bench, whose cases these are")
    options = parser.parse_args()
    os.environ.setdefault("LANEWISE_OPS_LIBRARY", os.path.join(options.libraries, "liblanewise-ops.so.0"))
    bench = Bench(options)
    head(bench, options)
    for part in (transposes, permutations, flips, records, histograms, by_index, conversions, pads, in_place):
        try:
            part(bench)
        except torch.OutOfMemoryError as e:
            print(f"# {part.__name__}: {str(e).splitlines()[0]}", file=bench.file)
        torch.cuda.empty_cache()
    if bench.skipped:
        print(f"# {bench.skipped} rows were not measured: the time of {options.seconds:g} s was up", file=bench.file)


if __name__ == "__main__":
    main()
