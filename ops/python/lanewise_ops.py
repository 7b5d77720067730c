"""liblanewise-ops for Python, over ctypes: one file, no dependency.

Pointers are integers, or anything that says where it lies: torch tensors, CuPy and Numba arrays (data_ptr() or
__cuda_array_interface__), for host memory NumPy arrays and buffers too. Streams are integers, torch or CuPy streams, or
None (CUDA's default stream). Nothing here allocates device memory or waits: a call enqueues and returns, and what it was
given must live until the stream is done. A call that fails raises LanewiseError with the library's own sentence.

    import lanewise_ops as lw
    with lw.Ops() as ops:
        ops.permute(dst, src, (1, 0), stream)                    # plan, run, destroy
        with ops.permute_plan(dst, src, (1, 0)) as plan:         # or keep the plan
            plan.run(dst, src, stream=stream)

The library is found in LANEWISE_OPS_LIBRARY (a file), beside this file's installation (../../../lib), or by the system's
loader. What each operation does, its units and limits, is described in include/lanewise/ops.h; names are the same.
"""
import ctypes
import enum
import os
import struct
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32
from ctypes import c_uint64, c_void_p

MAX_RANK, MAX_FIELDS, MAX_ELEM = 8, 64, 64


# ---- the types of ops.h ----

class Status(enum.IntEnum):
    OK, BAD_ARGUMENT, BAD_TYPE, BAD_SHAPE, BAD_STRIDE, OVERLAP, MISALIGNED, WORKSPACE, UNSUPPORTED, NO_MEMORY, DEVICE, \
        LAUNCH, FILE, BUSY = range(14)


class Type(enum.IntEnum):
    BYTES, U8, I8, U16, I16, U32, I32, U64, I64, F16, BF16, F32, F64, F8E4M3, F8E5M2 = range(15)


class Convert(enum.IntFlag):
    SWAP_INPUT, SWAP_OUTPUT, COMPLEX, CONJUGATE = 1, 2, 4, 8


class Index(enum.IntEnum):
    SKIP, WRAP = range(2)


class Pad(enum.IntEnum):
    KEEP, ZERO = range(2)


class Binning(enum.IntEnum):
    INTEGER, EVEN, EDGES = range(3)


class Outside(enum.IntEnum):
    DROP, CLAMP, COUNT = range(3)


class Range(enum.IntEnum):
    GIVEN, DEVICE, FOUND = range(3)


class Strategy(enum.IntEnum):
    AUTO, SHARED, PACKED, CLUSTER, GLOBAL, LANES, PAIRS, PARTITION = range(8)


class _Error(Structure):
    _fields_ = [("status", c_int32), ("cuda_error", c_int32), ("text", c_char * 240)]


class Tensor(Structure):
    """lw_tensor. tensor() makes one of an array, dense() of a shape."""
    _fields_ = [("data", c_void_p), ("type", c_int32), ("elem_bytes", c_int32), ("rank", c_int32), ("align", c_int32),
                ("extent", c_int64 * MAX_RANK), ("stride", c_int64 * MAX_RANK)]


class Record(Structure):
    """lw_record. record() makes one of a list of fields."""
    _fields_ = [("fields", c_int32), ("record_bytes", c_int32), ("offset", c_int32 * MAX_FIELDS),
                ("size", c_int32 * MAX_FIELDS)]


class HistAxis(Structure):
    """lw_hist_axis: levels of one more dimension."""
    _fields_ = [("bins", c_int64), ("first", c_int64), ("lo_int", c_int64), ("hi_int", c_int64), ("lo", c_double),
                ("hi", c_double)]


class Hist(Structure):
    """lw_hist: Hist(sample_type=Type.F32, binning=Binning.EVEN, bins=100, lo=0, hi=1, rows=1, row_samples=n, ...)."""
    _fields_ = ([(n, c_int32) for n in ("sample_type", "binning", "outside", "count_type", "nan_above", "last_closed",
                                        "accumulate", "segmented", "strategy")] +
                [(n, c_int64) for n in ("bins", "first", "lo_int", "hi_int")] + [("lo", c_double), ("hi", c_double)] +
                [(n, c_int64) for n in ("rows", "row_samples", "row_pitch", "workspace_limit")] +
                [(n, c_int32) for n in ("channels", "counted", "joint", "weight_type", "deterministic", "range")] +
                [("weight_limit", c_double), ("axis", HistAxis * 2)])


class CopierOptions(Structure):
    _fields_ = [("threads", c_int32), ("numa_node", c_int32), ("ring_bytes", c_int64), ("direct_bytes", c_int64),
                ("tickets", c_int32), ("reserved", c_int32)]


class HostShape(Structure):
    """lw_host_shape: planes of rows of row_bytes; distances in bytes."""
    _fields_ = [(n, c_int64) for n in ("row_bytes", "rows", "planes", "host_row", "host_plane", "device_row",
                                       "device_plane")]


class _Ticket(Structure):
    _fields_ = [("id", c_uint64)]


class LanewiseError(Exception):
    """status: a Status; cuda_error: the CUDA error's number, 0 if none."""

    def __init__(self, status, text, cuda_error=0):
        super().__init__(text)
        self.status = Status(status) if status in list(Status) else status
        self.cuda_error = cuda_error


# ---- the functions of ops.h: name -> result, arguments ----

_h, _p, _s, _e, _i, _l = c_void_p, c_void_p, c_void_p, POINTER(_Error), c_int, c_int64
_out, _t, _ints, _longs = POINTER(c_void_p), POINTER(Tensor), POINTER(c_int), POINTER(c_int64)
_ticket, _shape = POINTER(_Ticket), POINTER(HostShape)
_FUNCTIONS = {
    "lw_ops_create": (_i, _out, _i, _e), "lw_ops_destroy": (None, _h), "lw_ops_version": (c_char_p,),
    "lw_ops_status_text": (c_char_p, _i), "lw_type_bytes": (_i, _i),
    "lw_tensor_dense": (Tensor, _p, _i, _i, _i, _longs),
    "lw_plan_destroy": (None, _h), "lw_plan_workspace": (c_size_t, _h), "lw_plan_useful_bytes": (c_double, _h),
    "lw_plan_launches": (_i, _h), "lw_plan_describe": (None, _h, c_char_p, c_size_t),
    "lw_plan_run": (_i, _h, _p, _p, _p, _s),
    "lw_copy_plan": (_i, _h, _t, _t, _out, _e), "lw_permute_plan": (_i, _h, _t, _t, _ints, _out, _e),
    "lw_flip_plan": (_i, _h, _t, _t, c_uint32, _out, _e), "lw_flip_inplace_plan": (_i, _h, _t, c_uint32, _out, _e),
    "lw_transpose_plan": (_i, _h, _l, _l, _l, _i, _i, _out, _e),
    "lw_transpose_square_inplace_plan": (_i, _h, _l, _l, _i, _l, _l, _out, _e),
    "lw_convert_plan": (_i, _h, _t, _t, _ints, c_uint32, _out, _e), "lw_pad_plan": (_i, _h, _t, _t, _longs, _p, _out, _e),
    "lw_transpose_inplace_plan": (_i, _h, _l, _l, _l, _i, _l, _out, _e),
    "lw_permute_inplace_plan": (_i, _h, _i, _longs, _ints, _i, _l, _out, _e),
    "lw_copy": (_i, _h, _t, _t, _s, _e), "lw_permute": (_i, _h, _t, _t, _ints, _s, _e),
    "lw_flip": (_i, _h, _t, _t, c_uint32, _s, _e),
    "lw_gather_rows": (_i, _h, _p, _l, _p, _l, _l, _l, _p, _i, _l, _i, _s),
    "lw_scatter_rows": (_i, _h, _p, _l, _l, _p, _l, _l, _p, _i, _l, _i, _s),
    "lw_record_plan": (_i, _h, POINTER(Record), _l, _i, _out, _e),
    "lw_record_inplace_plan": (_i, _h, POINTER(Record), _l, _i, _l, _out, _e),
    "lw_aos_to_soa": (_i, _h, _out, _p, _s), "lw_soa_to_aos": (_i, _h, _p, _out, _s),
    "lw_hist_plan": (_i, _h, POINTER(Hist), _out, _e), "lw_hist_run": (_i, _h, _p, _p, _p, _p, _s),
    "lw_hist_run_weighted": (_i, _h, _p, _p, _p, _p, _p, _s),
    "lw_hist_count": (_i, _h, POINTER(Hist), _p, _p, _p, _s, _e), "lw_hist_edge_type": (_i, _i),
    "lw_hist_edges": (_i, POINTER(Hist), _p), "lw_hist_table": (None, _i, c_char_p, c_size_t),
    "lw_copier_create": (_i, _out, _h, POINTER(CopierOptions), _e), "lw_copier_destroy": (None, _h),
    "lw_copy_h2d": (_i, _h, _p, _p, _l, _s, _ticket, _e), "lw_copy_d2h": (_i, _h, _p, _p, _l, _s, _ticket, _e),
    "lw_copy_h2d_strided": (_i, _h, _p, _p, _shape, _s, _ticket, _e),
    "lw_copy_d2h_strided": (_i, _h, _p, _p, _shape, _s, _ticket, _e),
    "lw_copy_file_to_device": (_i, _h, _p, _i, _l, _l, _s, _ticket, _e),
    "lw_copy_device_to_file": (_i, _h, _i, _l, _p, _l, _s, _ticket, _e),
    "lw_ticket_wait": (_i, _h, _ticket, _e), "lw_ticket_done": (_i, _h, _ticket),
}
_NAME = "liblanewise-ops.so.0"
_loaded = None


def library():
    """The loaded library (ctypes.CDLL), found as the module's text says."""
    global _loaded
    if _loaded is None:
        beside = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "lib", _NAME)
        path = os.environ.get("LANEWISE_OPS_LIBRARY") or (beside if os.path.exists(beside) else _NAME)
        try:
            lib = ctypes.CDLL(path)
        except OSError as why:
            raise ImportError(f"{path}: {why} (LANEWISE_OPS_LIBRARY names the file of liblanewise-ops)") from why
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
        _loaded = lib
    return _loaded


def _check(status, error=None):
    if status == Status.OK:
        return
    said = error.text.decode(errors="replace") if error is not None and error.status == status else ""
    raise LanewiseError(status, said or library().lw_ops_status_text(status).decode(),
                        error.cuda_error if error is not None and said else 0)


def _call(name, *arguments):
    """A function whose last argument is an lw_ops_error."""
    error = _Error()
    _check(getattr(library(), name)(*arguments, byref(error)), error)


# ---- pointers, streams, arrays ----

def pointer(x):
    """The address of x as an int: a number, None (0), or an object that tells where its memory is."""
    if x is None or isinstance(x, int):
        return x or 0
    if hasattr(x, "data_ptr"):  # torch
        return x.data_ptr()
    for interface in ("__cuda_array_interface__", "__array_interface__"):
        if hasattr(x, interface):
            return getattr(x, interface)["data"][0]
    if isinstance(x, (ctypes.Array, Structure)):
        return ctypes.addressof(x)
    if isinstance(x, ctypes._Pointer):
        return ctypes.cast(x, c_void_p).value or 0
    if isinstance(x, c_void_p):
        return x.value or 0
    if isinstance(x, bytes):
        return ctypes.cast(c_char_p(x), c_void_p).value
    view = memoryview(x)  # bytearray, array: writable buffers of host memory
    if not view.contiguous:
        raise TypeError("a buffer with gaps has no one address")
    return ctypes.addressof((c_char * view.nbytes).from_buffer(x)) if view.nbytes else 0


def stream_pointer(stream):
    """A stream as an int: a number, None (CUDA's default stream), a torch or a CuPy stream."""
    if stream is None or isinstance(stream, int):
        return stream or 0
    for name in ("cuda_stream", "ptr", "handle"):  # torch; CuPy; Numba
        value = getattr(stream, name, None)
        if value is not None:
            return value if isinstance(value, int) else value.value or 0
    raise TypeError(f"{type(stream).__name__} is no stream")


_TYPESTR = {"u1": Type.U8, "i1": Type.I8, "b1": Type.U8, "u2": Type.U16, "i2": Type.I16, "u4": Type.U32, "i4": Type.I32,
            "u8": Type.U64, "i8": Type.I64, "f2": Type.F16, "f4": Type.F32, "f8": Type.F64}
_TORCH = {"uint8": Type.U8, "bool": Type.U8, "int8": Type.I8, "uint16": Type.U16, "int16": Type.I16, "uint32": Type.U32,
          "int32": Type.I32, "uint64": Type.U64, "int64": Type.I64, "float16": Type.F16, "bfloat16": Type.BF16,
          "float32": Type.F32, "float64": Type.F64, "float8_e4m3fn": Type.F8E4M3, "float8_e5m2": Type.F8E5M2}


def dense(shape, type=Type.BYTES, elem_bytes=0, data=None):
    """A dense tensor in row-major order (last extent fastest)."""
    shape = [int(n) for n in shape]
    if len(shape) > MAX_RANK:
        raise LanewiseError(Status.BAD_SHAPE, f"{len(shape)} dimensions; at most {MAX_RANK}")
    extent = (c_int64 * MAX_RANK)(*shape)
    return library().lw_tensor_dense(pointer(data), int(type), int(elem_bytes), len(shape), extent)


def _strided(data, type, elem_bytes, shape, strides):
    if len(shape) > MAX_RANK:
        raise LanewiseError(Status.BAD_SHAPE, f"{len(shape)} dimensions; at most {MAX_RANK}")
    return Tensor(data or None, int(type), elem_bytes, len(shape), 0, (c_int64 * MAX_RANK)(*shape),
                  (c_int64 * MAX_RANK)(*strides))


def tensor(x):
    """A Tensor as it is; an array with its type, shape and strides."""
    if isinstance(x, Tensor):
        return x
    if hasattr(x, "data_ptr"):  # torch
        size = x.element_size()
        kind = _TORCH.get(str(x.dtype).rpartition(".")[2], Type.BYTES)
        return _strided(x.data_ptr(), kind, size, tuple(x.shape), [s * size for s in x.stride()])
    if not hasattr(x, "__cuda_array_interface__"):
        raise TypeError(f"{x.__class__.__name__} is no tensor: lanewise_ops.dense() describes a plain pointer")
    face = x.__cuda_array_interface__
    shape, size = tuple(face["shape"]), int(face["typestr"][2:])
    if face["typestr"][0] == ">" and size > 1:
        kind = Type.BYTES  # Convert.SWAP_INPUT reads them, with the type given by hand
    else:
        kind = _TYPESTR.get(face["typestr"][1:], Type.BYTES)
    if face.get("strides"):
        return _strided(face["data"][0], kind, size, shape, face["strides"])
    return dense(shape, kind, size, face["data"][0])


def record(fields, record_bytes=0, offsets=None):
    """A Record of field sizes in bytes; packed, or with the offsets and the distance of records given."""
    sizes = [int(f) for f in fields]
    if len(sizes) > MAX_FIELDS:
        raise LanewiseError(Status.BAD_SHAPE, f"{len(sizes)} fields; at most {MAX_FIELDS}")
    places = list(offsets) if offsets is not None else [sum(sizes[:i]) for i in range(len(sizes))]
    return Record(len(sizes), record_bytes or sum(sizes), (c_int32 * MAX_FIELDS)(*places),
                  (c_int32 * MAX_FIELDS)(*sizes))


def _perm(perm, rank):
    if perm is None:
        return None
    if len(perm) != rank:
        raise LanewiseError(Status.BAD_ARGUMENT, f"a permutation of {len(perm)} for {rank} dimensions")
    return (c_int * MAX_RANK)(*perm)


def _axes(axes):
    """A bit per axis, from an int of such bits or a sequence of axis numbers."""
    return axes if isinstance(axes, int) else sum(1 << a for a in set(axes))


_PACK = {Type.U8: "B", Type.I8: "b", Type.U16: "H", Type.I16: "h", Type.U32: "I", Type.I32: "i", Type.U64: "Q",
         Type.I64: "q", Type.F16: "e", Type.F32: "f", Type.F64: "d"}


def _element(value, type):
    """The bytes of one element."""
    if not isinstance(value, (int, float)):
        return bytes(value)
    if type not in _PACK:
        raise LanewiseError(Status.BAD_TYPE, "elements of this type are given as bytes")
    return struct.pack(_PACK[type], value)


# ---- plain functions ----

def version():
    return library().lw_ops_version().decode()


def status_text(status):
    return library().lw_ops_status_text(int(status)).decode()


def type_bytes(type):
    return library().lw_type_bytes(int(type))


def hist_edge_type(sample_type):
    return Type(library().lw_hist_edge_type(int(sample_type)))


def hist_edges(what):
    """The bins + 1 edges that define even levels, as an array of the edge type (ctypes)."""
    kinds = {Type.I64: c_int64, Type.U64: c_uint64, Type.F32: ctypes.c_float, Type.F64: c_double}
    edges = (kinds[hist_edge_type(what.sample_type)] * (max(what.bins, 0) + 1))()
    _check(library().lw_hist_edges(byref(what), edges))
    return edges


def hist_table(compute_capability):
    """The strategy table of this build for a compute capability (90), as text."""
    text = ctypes.create_string_buffer(8192)
    library().lw_hist_table(compute_capability, text, len(text))
    return text.value.decode()


# ---- handles ----

class _Handle:
    """Owns one C object; a context manager. close() may be called twice."""
    _destroy = None

    def __init__(self):
        self._h = c_void_p()

    @property
    def handle(self):
        if not self._h:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._h

    def close(self):
        if self._h:
            getattr(library(), self._destroy)(self._h)
            self._h = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_h", None) and _loaded is not None:
            self.close()


class Plan(_Handle):
    """A plan: immutable, runs any number of times on pointers of the declared alignment."""
    _destroy = "lw_plan_destroy"

    def __init__(self, ops, name, *arguments, fields=0):
        super().__init__()
        self._ops, self._fields = ops, fields  # the plan needs the handle
        _call(name, ops.handle, *arguments, byref(self._h))

    @property
    def workspace(self):
        """Bytes that running needs, aligned to 256."""
        return library().lw_plan_workspace(self.handle)

    @property
    def useful_bytes(self):
        return library().lw_plan_useful_bytes(self.handle)

    @property
    def launches(self):
        return library().lw_plan_launches(self.handle)

    def describe(self):
        text = ctypes.create_string_buffer(512)
        library().lw_plan_describe(self.handle, text, len(text))
        return text.value.decode()

    def run(self, dst, src=None, workspace=None, stream=None):
        """Copies, permutes, flips, converts, pads; in place without src."""
        place = pointer(dst)
        _check(library().lw_plan_run(self.handle, place, place if src is None else pointer(src), pointer(workspace),
                                     stream_pointer(stream)))

    def _field_array(self, fields):
        if len(fields) != self._fields:
            raise LanewiseError(Status.BAD_ARGUMENT, f"{len(fields)} fields for a record of {self._fields}")
        return (c_void_p * len(fields))(*[pointer(f) for f in fields])

    def aos_to_soa(self, fields, aos, stream=None):
        _check(library().lw_aos_to_soa(self.handle, self._field_array(fields), pointer(aos), stream_pointer(stream)))

    def soa_to_aos(self, aos, fields, stream=None):
        _check(library().lw_soa_to_aos(self.handle, pointer(aos), self._field_array(fields), stream_pointer(stream)))

    def hist(self, counts, samples, edges=None, workspace=None, stream=None, weights=None):
        arguments = [self.handle, pointer(counts), pointer(samples)]
        after = [pointer(edges), pointer(workspace), stream_pointer(stream)]
        if weights is None:
            _check(library().lw_hist_run(*arguments, *after))
        else:
            _check(library().lw_hist_run_weighted(*arguments, pointer(weights), *after))


class Ops(_Handle):
    """The handle of one device; any number of threads may use it. Plans and copiers must be closed before it."""
    _destroy = "lw_ops_destroy"

    def __init__(self, device=0):
        super().__init__()
        _call("lw_ops_create", byref(self._h), device)

    # plans
    def copy_plan(self, dst, src):
        return Plan(self, "lw_copy_plan", byref(tensor(dst)), byref(tensor(src)))

    def permute_plan(self, dst, src, perm):
        a, b = tensor(dst), tensor(src)
        return Plan(self, "lw_permute_plan", byref(a), byref(b), _perm(perm, b.rank))

    def flip_plan(self, dst, src, axes):
        return Plan(self, "lw_flip_plan", byref(tensor(dst)), byref(tensor(src)), _axes(axes))

    def flip_inplace_plan(self, x, axes):
        return Plan(self, "lw_flip_inplace_plan", byref(tensor(x)), _axes(axes))

    def transpose_plan(self, rows, cols, elem_bytes, batch=1, align=0):
        return Plan(self, "lw_transpose_plan", batch, rows, cols, elem_bytes, align)

    def transpose_square_inplace_plan(self, n, elem_bytes, batch=1, row_stride=None, batch_stride=None):
        row = n * elem_bytes if row_stride is None else row_stride
        return Plan(self, "lw_transpose_square_inplace_plan", batch, n, elem_bytes, row,
                    n * row if batch_stride is None else batch_stride)

    def transpose_inplace_plan(self, rows, cols, elem_bytes, batch=1, scratch=0):
        return Plan(self, "lw_transpose_inplace_plan", batch, rows, cols, elem_bytes, scratch)

    def permute_inplace_plan(self, shape, perm, elem_bytes, scratch=0):
        extent = (c_int64 * len(shape))(*shape)
        return Plan(self, "lw_permute_inplace_plan", len(shape), extent, _perm(perm, len(shape)), elem_bytes, scratch)

    def convert_plan(self, dst, src, perm=None, flags=0):
        a, b = tensor(dst), tensor(src)
        return Plan(self, "lw_convert_plan", byref(a), byref(b), _perm(perm, b.rank), int(flags))

    def pad_plan(self, dst, src, before, value):
        """value: a number (not for BYTES, bf16 and fp8), or the bytes of one element."""
        a, b = tensor(dst), tensor(src)
        if len(before) != b.rank:
            raise LanewiseError(Status.BAD_ARGUMENT, f"{len(before)} margins for {b.rank} dimensions")
        element = _element(value, a.type)
        if len(element) != (a.elem_bytes or type_bytes(a.type)):
            raise LanewiseError(Status.BAD_ARGUMENT, f"a value of {len(element)} bytes for another element size")
        return Plan(self, "lw_pad_plan", byref(a), byref(b), (c_int64 * MAX_RANK)(*before), pointer(element))

    def record_plan(self, layout, records, padding=Pad.KEEP):
        return Plan(self, "lw_record_plan", byref(layout), records, int(padding), fields=layout.fields)

    def record_inplace_plan(self, layout, records, to_soa, scratch=0):
        return Plan(self, "lw_record_inplace_plan", byref(layout), records, int(to_soa), scratch)

    def hist_plan(self, what):
        return Plan(self, "lw_hist_plan", byref(what))

    # one call each
    def copy(self, dst, src, stream=None):
        _call("lw_copy", self.handle, byref(tensor(dst)), byref(tensor(src)), stream_pointer(stream))

    def permute(self, dst, src, perm, stream=None):
        a, b = tensor(dst), tensor(src)
        _call("lw_permute", self.handle, byref(a), byref(b), _perm(perm, b.rank), stream_pointer(stream))

    def flip(self, dst, src, axes, stream=None):
        _call("lw_flip", self.handle, byref(tensor(dst)), byref(tensor(src)), _axes(axes), stream_pointer(stream))

    def gather_rows(self, dst, dst_pitch, table, table_rows, table_pitch, row_bytes, index, index_bytes, count,
                    policy=Index.SKIP, stream=None):
        _check(library().lw_gather_rows(self.handle, pointer(dst), dst_pitch, pointer(table), table_rows, table_pitch,
                                        row_bytes, pointer(index), index_bytes, count, int(policy),
                                        stream_pointer(stream)))

    def scatter_rows(self, table, table_rows, table_pitch, src, src_pitch, row_bytes, index, index_bytes, count,
                     policy=Index.SKIP, stream=None):
        _check(library().lw_scatter_rows(self.handle, pointer(table), table_rows, table_pitch, pointer(src), src_pitch,
                                         row_bytes, pointer(index), index_bytes, count, int(policy),
                                         stream_pointer(stream)))

    def hist_count(self, what, counts, samples, edges=None, stream=None):
        _call("lw_hist_count", self.handle, byref(what), pointer(counts), pointer(samples), pointer(edges),
              stream_pointer(stream))

    def copier(self, **options):
        return Copier(self, **options)


class Ticket:
    """A copy under way; the host memory is the copier's until wait() returned. A context manager that waits."""

    def __init__(self, copier, keep):
        self._copier, self._keep, self._c = copier, keep, _Ticket()

    def wait(self):
        try:
            _call("lw_ticket_wait", self._copier.handle, byref(self._c))
        finally:
            self._keep = None

    def done(self):
        return bool(library().lw_ticket_done(self._copier.handle, byref(self._c)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.wait()


class Copier(_Handle):
    """Asynchronous copies between the device and pageable memory or files. Options: threads, numa_node (-1: anywhere),
    ring_bytes, direct_bytes, tickets. Every copy returns a Ticket; wait for it before the host memory is used again."""
    _destroy = "lw_copier_destroy"

    def __init__(self, ops, **options):
        super().__init__()
        self._ops = ops
        _call("lw_copier_create", byref(self._h), ops.handle, byref(CopierOptions(**{"numa_node": -1, **options})))

    def _start(self, name, keep, *arguments, stream):
        ticket = Ticket(self, keep)
        _call(name, self.handle, *arguments, stream_pointer(stream), byref(ticket._c))
        return ticket

    def h2d(self, dst, src, nbytes, stream=None):
        return self._start("lw_copy_h2d", (dst, src), pointer(dst), pointer(src), nbytes, stream=stream)

    def d2h(self, dst, src, nbytes, stream=None):
        return self._start("lw_copy_d2h", (dst, src), pointer(dst), pointer(src), nbytes, stream=stream)

    def h2d_strided(self, dst, src, shape, stream=None):
        return self._start("lw_copy_h2d_strided", (dst, src), pointer(dst), pointer(src), byref(shape), stream=stream)

    def d2h_strided(self, dst, src, shape, stream=None):
        return self._start("lw_copy_d2h_strided", (dst, src), pointer(dst), pointer(src), byref(shape), stream=stream)

    def file_to_device(self, dst, fd, offset, nbytes, stream=None):
        return self._start("lw_copy_file_to_device", dst, pointer(dst), fd, offset, nbytes, stream=stream)

    def device_to_file(self, fd, offset, src, nbytes, stream=None):
        return self._start("lw_copy_device_to_file", src, fd, offset, pointer(src), nbytes, stream=stream)
