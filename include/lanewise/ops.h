/*
 * liblanewise-ops: memory-bound GPU kernels (transpose, permute, reverse, AoS <-> SoA, histogram, strided copies)
 * behind a plain C interface. No CUDA header is needed: a stream is the same pointer that CUDA calls cudaStream_t,
 * so any language with a foreign-function interface can call it.
 *
 * Rules that hold for every function
 *  - A handle (lw_ops) belongs to one device, reads its limits once and is immutable: any number of threads may use it.
 *  - A plan is made on the host alone (no GPU call), is immutable, and may run concurrently with distinct workspaces.
 *    It may run on any pointers that have the alignment declared at creation; faster kernels are chosen at run time
 *    when pointers happen to be better aligned.
 *  - Running only enqueues kernels on the given stream: no allocation, no synchronisation, no default stream. It is
 *    legal while the stream is being captured. The calling thread's current device must be the handle's.
 *  - Sizes are int64. Zero extents are legal and do nothing. Element counts above 2^32 work.
 *  - Out-of-place operations refuse buffers whose address ranges (first to last byte touched) meet: LW_OPS_OVERLAP.
 *  - Errors are returned, never printed. Creation functions fill `err` (may be NULL) with a sentence.
 *  - A launch error is what the launch itself returned; the caller's last CUDA error is not cleared.
 */
#ifndef LANEWISE_OPS_H
#define LANEWISE_OPS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LW_OPS_MAX_RANK 8
#define LW_OPS_MAX_FIELDS 64
#define LW_OPS_MAX_ELEM 64

#if defined(__GNUC__)
#define LW_OPS_API __attribute__((visibility("default")))
#else
#define LW_OPS_API
#endif

typedef struct CUstream_st *lw_stream; /* the same pointer as cudaStream_t; NULL is CUDA's default stream */
typedef struct lw_ops lw_ops;
typedef struct lw_plan lw_plan;

typedef enum lw_ops_status {
    LW_OPS_OK = 0,
    LW_OPS_BAD_ARGUMENT, /* NULL where a pointer is needed, a value outside its documented range */
    LW_OPS_BAD_TYPE,     /* unknown element type, or element sizes that differ */
    LW_OPS_BAD_SHAPE,    /* rank or extents out of range, or extents that do not match */
    LW_OPS_BAD_STRIDE,   /* an output whose elements overlap or could overlap each other */
    LW_OPS_OVERLAP,      /* input and output ranges meet in an out-of-place operation */
    LW_OPS_MISALIGNED,   /* a pointer has less than the declared alignment */
    LW_OPS_WORKSPACE,    /* workspace missing or not aligned to 256 bytes */
    LW_OPS_UNSUPPORTED,  /* legal, but this version or this device has no kernel for it */
    LW_OPS_NO_MEMORY,    /* host allocation failed */
    LW_OPS_DEVICE,       /* no such device, its properties could not be read, or another device is current */
    LW_OPS_LAUNCH,       /* the launch returned a CUDA error */
    LW_OPS_FILE,         /* reading or writing a file failed, or it ended too early */
    LW_OPS_BUSY          /* all tickets of the copier are in use */
} lw_ops_status;

typedef struct lw_ops_error {
    int32_t status;     /* lw_ops_status */
    int32_t cuda_error; /* cudaError_t, 0 if none */
    char text[240];     /* one sentence in English */
} lw_ops_error;

/* Element types. LW_BYTES moves elements of any size from 1 to 64 bytes without looking at them. */
typedef enum lw_type {
    LW_BYTES = 0,
    LW_U8,
    LW_I8,
    LW_U16,
    LW_I16,
    LW_U32,
    LW_I32,
    LW_U64,
    LW_I64,
    LW_F16,
    LW_BF16,
    LW_F32,
    LW_F64,
    LW_F8E4M3,
    LW_F8E5M2, /* OCP 8-bit floating point; conversions only */
    LW_TYPE_COUNT
} lw_type;

/*
 * A tensor: extent[0] is the slowest dimension by convention, but only the strides count. Strides are in bytes, may be
 * negative, and for inputs zero (broadcast). `data` points at the element with all indices 0 and may be NULL in plans.
 */
typedef struct lw_tensor {
    void *data;
    int32_t type;       /* lw_type */
    int32_t elem_bytes; /* 1..64; 0 means the size of `type` (not for LW_BYTES) */
    int32_t rank;       /* 0..8; rank 0 is one element */
    int32_t align;      /* promised alignment of data in bytes, a power of two; 0: largest power of two that divides
                           the element size (at most 16) */
    int64_t extent[LW_OPS_MAX_RANK];
    int64_t stride[LW_OPS_MAX_RANK];
} lw_tensor;

/* ---- handle ---------------------------------------------------------------------------------------------------- */

/*
 * Reads the limits of `device` and loads and configures the kernels on it. Makes the device current while it works. A
 * library without code for compute capability 9.0 does on such a device what it does on those that it has code for.
 */
LW_OPS_API lw_ops_status lw_ops_create(lw_ops **ops, int device, lw_ops_error *err);
LW_OPS_API void lw_ops_destroy(lw_ops *ops);
/* Version of the library, "major.minor.patch". */
LW_OPS_API const char *lw_ops_version(void);
/* A sentence for a status; never NULL. */
LW_OPS_API const char *lw_ops_status_text(int status);
/* Bytes of one element of a type; 0 for LW_BYTES and unknown types. */
LW_OPS_API int lw_type_bytes(int type);
/* A dense tensor in row-major order (last extent fastest). */
LW_OPS_API lw_tensor lw_tensor_dense(void *data, int type, int elem_bytes, int rank, const int64_t *extent);

/* ---- plans ----------------------------------------------------------------------------------------------------- */

LW_OPS_API void lw_plan_destroy(lw_plan *plan);
/* Workspace that running needs, in bytes; a pure function of the plan. It must be aligned to 256 bytes. */
LW_OPS_API size_t lw_plan_workspace(const lw_plan *plan);
/* Useful bytes: every input byte read once plus every output byte written once. */
LW_OPS_API double lw_plan_useful_bytes(const lw_plan *plan);
/* Number of kernel launches of one run at the best alignment. */
LW_OPS_API int lw_plan_launches(const lw_plan *plan);
/* Writes what was chosen ("tile 64x64 elem 4 ...") into text; always terminates it. */
LW_OPS_API void lw_plan_describe(const lw_plan *plan, char *text, size_t size);

/*
 * Runs a copy-like plan (strided copy, permute, flip, transpose). dst and src point at the elements with all indices 0
 * of the tensors given at creation. In-place plans take dst == src. workspace may be NULL where none is needed.
 */
LW_OPS_API lw_ops_status lw_plan_run(const lw_plan *plan, void *dst, const void *src, void *workspace,
                                     lw_stream stream);

/* ---- strided copies, permute, flip ----------------------------------------------------------------------------- */

/*
 * dst[i...] = src[i...] for all indices. Extents and element sizes must be equal. Crops, pads of the interior and
 * broadcasts are expressed by pointers and strides. The output must not overlap itself: sorted by |stride|, every
 * stride must be at least the reach of the faster dimensions, otherwise LW_OPS_BAD_STRIDE.
 */
LW_OPS_API lw_ops_status lw_copy_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, lw_plan **plan,
                                      lw_ops_error *err);
/* dst has extent[k] = src.extent[perm[k]]: dst[i0, i1, ...] = src[j...] with j[perm[k]] = i[k]. */
LW_OPS_API lw_ops_status lw_permute_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                                         lw_plan **plan, lw_ops_error *err);
/* Reverses every dimension k with bit k of `axes` set. Equal extents. */
LW_OPS_API lw_ops_status lw_flip_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, uint32_t axes,
                                      lw_plan **plan, lw_ops_error *err);
/* The same in place: run with dst == src. */
LW_OPS_API lw_ops_status lw_flip_inplace_plan(const lw_ops *ops, const lw_tensor *t, uint32_t axes, lw_plan **plan,
                                              lw_ops_error *err);
/*
 * Transposes `batch` row-major matrices rows x cols, each directly after the other and without padding between rows,
 * out of place. elem_bytes 1..64. align as in lw_tensor.
 */
LW_OPS_API lw_ops_status lw_transpose_plan(const lw_ops *ops, int64_t batch, int64_t rows, int64_t cols, int elem_bytes,
                                           int align, lw_plan **plan, lw_ops_error *err);
/* Square matrices in place: n x n with a row pitch in bytes and a distance between matrices in bytes. */
LW_OPS_API lw_ops_status lw_transpose_square_inplace_plan(const lw_ops *ops, int64_t batch, int64_t n, int elem_bytes,
                                                          int64_t row_stride, int64_t batch_stride, lw_plan **plan,
                                                          lw_ops_error *err);

enum { LW_CONVERT_SWAP_INPUT = 1, LW_CONVERT_SWAP_OUTPUT = 2, LW_CONVERT_COMPLEX = 4, LW_CONVERT_CONJUGATE = 8 };
/*
 * A permutation (perm as in lw_permute_plan; NULL: none) that also changes elements: u8, i8, fp8, f16, bf16, f32 and
 * f64 into each other; the bytes of input or output elements in reverse order; with LW_CONVERT_COMPLEX every element is
 * two values of the type side by side, with LW_CONVERT_CONJUGATE the second changes its sign. Of equal types any but
 * LW_BYTES goes. Values are rounded once, to nearest even. To integers and fp8 they saturate (fp8 at its largest finite
 * value); NaN becomes 0 as an integer. elem_bytes and align of the tensors are not used: pointers and strides are
 * multiples of the type's size.
 */
LW_OPS_API lw_ops_status lw_convert_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                                         uint32_t flags, lw_plan **plan, lw_ops_error *err);
/*
 * dst[i...] = src[i - before...] where that exists, elsewhere the element at `value` (host memory, read at once).
 * before[k] may be negative: then the input is cropped. Any extents of both sides. Up to 2 * rank + 1 launches.
 */
LW_OPS_API lw_ops_status lw_pad_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src,
                                     const int64_t *before, const void *value, lw_plan **plan, lw_ops_error *err);
/*
 * In place: `batch` dense row-major matrices, rows x cols each, become cols x rows; or a dense tensor of up to 7
 * dimensions (extent[0] slowest) is permuted, extent k of the result being extent[perm[k]]. Run with dst == src and a
 * workspace of lw_plan_workspace() bytes: at most `scratch`, or with 0 at most 32 MiB + 16 lines of the longer side.
 * LW_OPS_WORKSPACE if `scratch` is less than one line of the longer side. Square matrices need none.
 */
LW_OPS_API lw_ops_status lw_transpose_inplace_plan(const lw_ops *ops, int64_t batch, int64_t rows, int64_t cols,
                                                   int elem_bytes, int64_t scratch, lw_plan **plan, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_permute_inplace_plan(const lw_ops *ops, int rank, const int64_t *extent, const int *perm,
                                                 int elem_bytes, int64_t scratch, lw_plan **plan, lw_ops_error *err);

/* One-shot forms: plan, run, destroy. They need no workspace. */
LW_OPS_API lw_ops_status lw_copy(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, lw_stream stream,
                                 lw_ops_error *err);
LW_OPS_API lw_ops_status lw_permute(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                                    lw_stream stream, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_flip(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, uint32_t axes,
                                 lw_stream stream, lw_ops_error *err);

/* ---- rows by index --------------------------------------------------------------------------------------------- */

typedef enum lw_index_policy {
    LW_INDEX_SKIP = 0, /* a row whose index is outside 0..table_rows-1 is not read and not written */
    LW_INDEX_WRAP      /* -table_rows..-1 count from the end; what is still outside is skipped */
} lw_index_policy;

/*
 * gather:  dst row i = table row index[i];  scatter: table row index[i] = src row i (which of two equal indices wins is
 * not defined). index_bytes is 4 (int32) or 8 (int64); row_bytes >= 0; pitches in bytes, at least row_bytes.
 */
LW_OPS_API lw_ops_status lw_gather_rows(const lw_ops *ops, void *dst, int64_t dst_pitch, const void *table,
                                        int64_t table_rows, int64_t table_pitch, int64_t row_bytes, const void *index,
                                        int index_bytes, int64_t count, int policy, lw_stream stream);
LW_OPS_API lw_ops_status lw_scatter_rows(const lw_ops *ops, void *table, int64_t table_rows, int64_t table_pitch,
                                         const void *src, int64_t src_pitch, int64_t row_bytes, const void *index,
                                         int index_bytes, int64_t count, int policy, lw_stream stream);

/* ---- AoS <-> SoA ----------------------------------------------------------------------------------------------- */

typedef enum lw_padding {
    LW_PAD_KEEP = 0, /* SoA -> AoS leaves the bytes between fields as they are */
    LW_PAD_ZERO      /* SoA -> AoS writes zeros there */
} lw_padding;

/* A record layout: field f occupies bytes offset[f] .. offset[f] + size[f] - 1; fields must not overlap. */
typedef struct lw_record {
    int32_t fields;       /* 1..64 */
    int32_t record_bytes; /* distance of records in bytes, 1..4096 */
    int32_t offset[LW_OPS_MAX_FIELDS];
    int32_t size[LW_OPS_MAX_FIELDS]; /* 1..record_bytes */
} lw_record;

LW_OPS_API lw_ops_status lw_record_plan(const lw_ops *ops, const lw_record *layout, int64_t records, int padding,
                                        lw_plan **plan, lw_ops_error *err);
/*
 * In place, run with lw_plan_run(dst == src) and a workspace as of lw_transpose_inplace_plan(): the array of field f
 * stands at byte records * offset[f]. Bytes between fields are kept in an order of their own: going there and back
 * changes nothing.
 */
LW_OPS_API lw_ops_status lw_record_inplace_plan(const lw_ops *ops, const lw_record *layout, int64_t records, int to_soa,
                                                int64_t scratch, lw_plan **plan, lw_ops_error *err);
/* fields[f] points at records * size[f] bytes in device memory; the array of pointers itself is host memory. */
LW_OPS_API lw_ops_status lw_aos_to_soa(const lw_plan *plan, void *const *fields, const void *aos, lw_stream stream);
LW_OPS_API lw_ops_status lw_soa_to_aos(const lw_plan *plan, void *aos, const void *const *fields, lw_stream stream);

/* ---- histogram ------------------------------------------------------------------------------------------------- */

typedef enum lw_hist_binning {
    LW_HIST_INTEGER = 0, /* integer samples: bin = sample - first */
    LW_HIST_EVEN,        /* bins of equal width over [lo, hi): exactly the edges that lw_hist_edges() gives */
    LW_HIST_EDGES        /* bins + 1 ascending edges in device memory, of the sample's edge type */
} lw_hist_binning;

typedef enum lw_hist_outside {
    LW_HIST_DROP = 0, /* samples outside all bins are not counted */
    LW_HIST_CLAMP,    /* they go to the first or the last bin */
    LW_HIST_COUNT     /* two more counts follow the bins: below, above */
} lw_hist_outside;

typedef enum lw_hist_range {
    LW_HIST_RANGE_GIVEN = 0, /* lo and hi (lo_int and hi_int) below */
    LW_HIST_RANGE_DEVICE,    /* two values of the edge type in device memory, passed to the run as `edges` */
    LW_HIST_RANGE_FOUND      /* least and greatest finite sample; combine with last_closed */
} lw_hist_range;

typedef enum lw_hist_strategy {
    LW_HIST_AUTO = 0,
    LW_HIST_SHARED,    /* 32-bit counters in shared memory, in as many passes over bin ranges as needed */
    LW_HIST_PACKED,    /* counters of 3 to 16 bits in shared memory with spill, passes over bin ranges as needed */
    LW_HIST_CLUSTER,   /* samples of 4 or 8 bytes, 9.0 and later, up to 262,144 entries: counters spread over a
                        cluster's distributed shared memory */
    LW_HIST_GLOBAL,    /* atomics on the counts in global memory (L2) */
    LW_HIST_LANES,     /* u8 and i8 samples: one counter per value and lane in shared memory */
    LW_HIST_PAIRS,     /* u8 and i8 samples: two samples per 16-bit counter in shared memory, then summed */
    LW_HIST_PARTITION, /* samples of 4 or 8 bytes: first ordered by range of bins in the workspace, then counted */
    LW_HIST_STRATEGY_COUNT
} lw_hist_strategy;

/* Levels of one more dimension of a joint histogram; the fields mean what they mean in lw_hist. */
typedef struct lw_hist_axis {
    int64_t bins, first, lo_int, hi_int;
    double lo, hi;
} lw_hist_axis;

/*
 * bins 1..16,777,216. Counts are uint32 or uint64 (a uint32 count wraps modulo 2^32). NaN samples are dropped
 * unless nan_above, then they count as above all bins (so with CLAMP they go to the last bin). The last bin
 * excludes its upper edge unless last_closed. With accumulate the counts are added to what is there, otherwise they
 * overwrite it. Row r of `rows` starts at samples + r * row_pitch bytes and has row_samples samples; with
 * segmented, each row has its own histogram at counts + r * (bins + 2 if LW_HIST_COUNT) entries, otherwise all rows
 * share one.
 *
 * Channels: a sample is `channels` values side by side, of which the first `counted` are counted: each in its own
 * histogram (all with the same levels, one histogram after the other), or joint: one histogram of `counted` (2 or
 * 3) dimensions, the last one fastest, whose first dimension has the levels of this struct and the others those of
 * axis[0] and axis[1]. A joint sample that is outside in one dimension is outside; LW_HIST_COUNT is refused there.
 * The edges of a joint histogram stand one dimension after the other. At most 16,777,216 bins in all.
 *
 * Weights: one for each sample, without gaps, in the order of the samples (row r begins at weight r * row_samples);
 * count_type is then the type of the sums: LW_F64, or LW_F32 for weights of that type. Sums of floating-point
 * numbers depend on their order in the last bits, unless deterministic: then every weight is rounded to a multiple
 * of q = 2^(e + ceil(log2(n)) - 62), where n is the number of samples of a histogram and 2^e is above weight_limit,
 * and the multiples are added as integers: the same bits on every run and device. A sum of m weights errs by at
 * most m * q / 2 before it is rounded once to the sums' type; for n = 2^28, q is 2^-33 of the limit or less.
 * weight_limit 0: the greatest finite |weight|, found by one more pass. Weights beyond the limit are taken as the
 * limit, NaN as 0.
 *
 * Range: with RANGE_DEVICE and RANGE_FOUND the levels of LW_HIST_EVEN become known on the device; the first two
 * elements of the workspace (of the edge type) tell them afterwards. Where lo < hi does not hold, 0.5, or the
 * distance to the next number if that is more, is taken from lo and added to it (integers: hi = lo + 1); without
 * any finite sample they are 0 and 1. Where hi - lo overflows f64, the step is hi / bins - lo / bins. One channel
 * only.
 */
typedef struct lw_hist {
    int32_t sample_type; /* any lw_type from LW_U8 to LW_F64 */
    int32_t binning;     /* lw_hist_binning */
    int32_t outside;     /* lw_hist_outside */
    int32_t count_type;  /* LW_U32 or LW_U64; with weights LW_F32 or LW_F64 */
    int32_t nan_above, last_closed, accumulate, segmented;
    int32_t strategy; /* lw_hist_strategy; a strategy that cannot do the case gives LW_OPS_UNSUPPORTED */
    int64_t bins;
    int64_t first;          /* LW_HIST_INTEGER: value of bin 0 */
    int64_t lo_int, hi_int; /* LW_HIST_EVEN with integer samples; u64 as the same bits; hi > lo */
    double lo, hi;          /* LW_HIST_EVEN with floating-point samples; both finite, hi > lo */
    int64_t rows, row_samples, row_pitch;
    int64_t workspace_limit; /* bytes the plan may ask for; 0: 1 GiB, negative: none. The strategy adapts to it */
    int32_t channels, counted, joint; /* values per sample, 0: 1, at most 4; how many of them count, 0: all */
    int32_t weight_type;              /* 0: none, LW_F32 or LW_F64 */
    int32_t deterministic;            /* sums of weights have the same bits on every run */
    int32_t range;                    /* lw_hist_range */
    double weight_limit;              /* deterministic: no |weight| is above this; 0: to be found */
    lw_hist_axis axis[2];             /* joint: dimensions 1 and 2 */
} lw_hist;

LW_OPS_API lw_ops_status lw_hist_plan(const lw_ops *ops, const lw_hist *what, lw_plan **plan, lw_ops_error *err);
/* edges is device memory (LW_HIST_EDGES, LW_HIST_RANGE_DEVICE) or NULL. */
LW_OPS_API lw_ops_status lw_hist_run(const lw_plan *plan, void *counts, const void *samples, const void *edges,
                                     void *workspace, lw_stream stream);
/* The same with weights: sums[bin] += weight. Strategies: AUTO, SHARED and GLOBAL, as with channels. */
LW_OPS_API lw_ops_status lw_hist_run_weighted(const lw_plan *plan, void *sums, const void *samples, const void *weights,
                                              const void *edges, void *workspace, lw_stream stream);
/* One-shot: plan, run, destroy, with a strategy that needs no workspace. Not for ranges from the device or sums. */
LW_OPS_API lw_ops_status lw_hist_count(const lw_ops *ops, const lw_hist *what, void *counts, const void *samples,
                                       const void *edges, lw_stream stream, lw_ops_error *err);
/*
 * The type edges have for a sample type: LW_I64 for integers, LW_U64 for u64, LW_F32 for f16, bf16 and f32, LW_F64 for
 * f64.
 */
LW_OPS_API int lw_hist_edge_type(int sample_type);
/*
 * Writes the bins + 1 edges that define LW_HIST_EVEN. Integers: lo + ceil(i * (hi - lo) / bins). f32: fmaf(i, step, lo)
 * with step = (float)((hi - lo) / bins) rounded once, the last edge exactly hi, none above hi; f64 likewise with fma.
 * Bin i holds edge[i] <= x < edge[i + 1].
 */
LW_OPS_API lw_ops_status lw_hist_edges(const lw_hist *what, void *edges);
/*
 * The strategy table of this build for a compute capability (for example 90): one line of text per row, of which
 * the first that fits is taken. Fewer than 4 Mi samples are never partitioned.
 */
LW_OPS_API void lw_hist_table(int compute_capability, char *text, size_t size);

/* ---- host copies ----------------------------------------------------------------------------------------------- */

/*
 * A copier moves bytes between the device and host memory or files. It owns threads and a ring of pinned memory,
 * nothing grows. Calls return at once; the device side is ordered in the given stream: the copy begins after what the
 * stream has, what follows in the stream sees it. Host memory (or the file's range) belongs to the copier until the
 * ticket is waited for; with NULL for the ticket, until the stream has passed the copy.
 *  - Memory that the device reaches by itself (pinned, registered, mapped, managed) is copied by the runtime.
 *  - Copies of pageable memory up to direct_bytes are made at once, by the runtime or by the copier's threads with the
 *    caller's: the call returns when the host side is done, and so may wait until the stream is there.
 *  - Other copies of one copier follow each other in the order of the calls, whatever their streams: use one copier per
 *    direction to overlap both. A caller may block while a stream's queue is full.
 *  - Copies through the ring wait in host functions (cudaLaunchHostFunc): host functions of the program's own run late.
 *  - In a stream that is being captured: LW_OPS_UNSUPPORTED. Any number of threads may call.
 */
typedef struct lw_copier lw_copier;

typedef struct lw_copier_options {
    int32_t threads;      /* 1..256; 0: 4 */
    int32_t numa_node;    /* of the threads and the ring; -1: anywhere */
    int64_t ring_bytes;   /* pinned memory, from 1 MiB on, beside 4 MiB for copies at once; 0: 64 MiB */
    int64_t direct_bytes; /* pageable copies up to here are made at once; 0: 16 MiB; -1: none */
    int32_t tickets;      /* copies under way at most, 1..4096; 0: 64 */
    int32_t reserved;     /* 0 */
} lw_copier_options;

typedef struct lw_ticket {
    uint64_t id; /* 0: nothing to wait for */
} lw_ticket;

/* `planes` planes of `rows` rows of row_bytes; distances in bytes, at least what they span. */
typedef struct lw_host_shape {
    int64_t row_bytes, rows, planes;
    int64_t host_row, host_plane;
    int64_t device_row, device_plane;
} lw_host_shape;

/* options may be NULL. The handle must outlive the copier. */
LW_OPS_API lw_ops_status lw_copier_create(lw_copier **copier, const lw_ops *ops, const lw_copier_options *options,
                                          lw_ops_error *err);
/* Waits for all copies. */
LW_OPS_API void lw_copier_destroy(lw_copier *copier);
LW_OPS_API lw_ops_status lw_copy_h2d(lw_copier *copier, void *dst, const void *src, int64_t bytes, lw_stream stream,
                                     lw_ticket *ticket, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_copy_d2h(lw_copier *copier, void *dst, const void *src, int64_t bytes, lw_stream stream,
                                     lw_ticket *ticket, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_copy_h2d_strided(lw_copier *copier, void *dst, const void *src, const lw_host_shape *shape,
                                             lw_stream stream, lw_ticket *ticket, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_copy_d2h_strided(lw_copier *copier, void *dst, const void *src, const lw_host_shape *shape,
                                             lw_stream stream, lw_ticket *ticket, lw_ops_error *err);
/* bytes of the file `fd` from `offset` on; the file's position is neither used nor moved. */
LW_OPS_API lw_ops_status lw_copy_file_to_device(lw_copier *copier, void *dst, int fd, int64_t offset, int64_t bytes,
                                                lw_stream stream, lw_ticket *ticket, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_copy_device_to_file(lw_copier *copier, int fd, int64_t offset, const void *src,
                                                int64_t bytes, lw_stream stream, lw_ticket *ticket, lw_ops_error *err);
/* Waits until the host side is free (h2d) or complete (d2h, files); reports what went wrong; the ticket ends. */
LW_OPS_API lw_ops_status lw_ticket_wait(lw_copier *copier, lw_ticket *ticket, lw_ops_error *err);
/* 1: waiting would not block. */
LW_OPS_API int lw_ticket_done(lw_copier *copier, const lw_ticket *ticket);

#ifdef __cplusplus
}
#endif
#endif
