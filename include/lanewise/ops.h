/*
 * liblanewise-ops: memory-bound GPU kernels (transpose, permute, reverse, AoS <-> SoA, histogram, strided copies)
 * with a C interface. The interface needs no CUDA header: a stream is the pointer that CUDA calls cudaStream_t. Any
 * language with a foreign-function interface can call it. ops/DESIGN.md explains how the kernels work.
 *
 * Rules for all functions
 *  - Handles (lw_ops) belong to one device and are immutable: any number of threads may use the same handle.
 *  - Plans are created on the host without any GPU call. They are immutable, and may run concurrently if each run has
 *    its own workspace. A plan runs on all pointers that have the alignment declared at its creation; if pointers are
 *    better aligned, a faster kernel is chosen at run time. A plan may not outlive its handle.
 *  - Running a plan only enqueues kernels in the given stream. It does not allocate, does not synchronise, and does not
 *    use the default stream, so it is permitted during stream capture. The current device of the calling thread must be
 *    the handle's.
 *  - Sizes are int64_t. Extents may be zero: the operation then does nothing. More than 2^32 elements are supported.
 *  - Out-of-place operations return LW_OPS_OVERLAP if the address ranges of input and output (from the first to the
 *    last byte accessed) overlap.
 *  - Errors are returned and never printed. Functions with a parameter `err` (which may be NULL) also write a sentence.
 *  - LW_OPS_LAUNCH reports the error of the launch itself. The caller's last CUDA error is not cleared.
 *  - Pointers to results (`ops`, `plan`, `copier`) are set to NULL on failure.
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

typedef struct CUstream_st *lw_stream; /* a cudaStream_t; NULL is CUDA's default stream */
typedef struct lw_ops lw_ops;
typedef struct lw_plan lw_plan;

typedef enum lw_ops_status {
    LW_OPS_OK = 0,
    LW_OPS_BAD_ARGUMENT, /* NULL for a required pointer, or a value outside its documented range */
    LW_OPS_BAD_TYPE,     /* unknown element type, or different element sizes */
    LW_OPS_BAD_SHAPE,    /* rank or extents out of range, or extents that do not match */
    LW_OPS_BAD_STRIDE,   /* elements of the output overlap, or could overlap */
    LW_OPS_OVERLAP,      /* input and output of an out-of-place operation overlap */
    LW_OPS_MISALIGNED,   /* a pointer does not have the declared alignment */
    LW_OPS_WORKSPACE,    /* the workspace is missing, or not aligned to 256 bytes */
    LW_OPS_UNSUPPORTED,  /* valid, but there is no kernel for it in this version or for this device */
    LW_OPS_NO_MEMORY,    /* an allocation on the host failed */
    LW_OPS_DEVICE,       /* no such device, its properties cannot be read, or another device is current */
    LW_OPS_LAUNCH,       /* a kernel launch returned a CUDA error */
    LW_OPS_FILE,         /* a file cannot be read or written, or it is too short */
    LW_OPS_BUSY          /* all tickets of the copier are in use */
} lw_ops_status;

typedef struct lw_ops_error {
    int32_t status;     /* lw_ops_status */
    int32_t cuda_error; /* cudaError_t, 0 if none */
    char text[240];     /* one sentence in English, NUL-terminated */
} lw_ops_error;

/* Element types. LW_BYTES stands for elements of 1 to 64 bytes that are moved without being interpreted. */
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
    LW_F8E5M2, /* these two: OCP 8-bit floating point, for conversions only */
    LW_TYPE_COUNT
} lw_type;

/*
 * A tensor in device memory. By convention extent[0] is the slowest dimension, but only the strides matter. Strides are
 * in bytes and may be negative; strides of inputs may be zero (broadcast). `data` points to the element whose indices
 * are all 0; it is ignored where a plan is created, and may be NULL there.
 */
typedef struct lw_tensor {
    void *data;
    int32_t type;       /* lw_type */
    int32_t elem_bytes; /* 1..64; 0 means the size of `type` (not for LW_BYTES) */
    int32_t rank;       /* 0..8; rank 0 is one element */
    int32_t align;      /* guaranteed alignment of data in bytes, a power of two; 0: the largest power of two that
                           divides the element size, at most 16 */
    int64_t extent[LW_OPS_MAX_RANK]; /* elements */
    int64_t stride[LW_OPS_MAX_RANK]; /* bytes */
} lw_tensor;

/* ---- handle ---------------------------------------------------------------------------------------------------- */

/*
 * Creates a handle: reads the limits of `device` (a CUDA device number), and loads and configures the kernels. The
 * device is current during the call; afterwards the previous one is current again. The caller destroys *ops. If the
 * library was built without code for compute capability 9.0, it uses the kernels for older devices on such a device.
 */
LW_OPS_API lw_ops_status lw_ops_create(lw_ops **ops, int device, lw_ops_error *err);
LW_OPS_API void lw_ops_destroy(lw_ops *ops); /* NULL is allowed */
/* The version of the library, "major.minor.patch": a static string. */
LW_OPS_API const char *lw_ops_version(void);
/* A sentence that describes a status: a static string, never NULL. */
LW_OPS_API const char *lw_ops_status_text(int status);
/* The size of one element in bytes; 0 for LW_BYTES and unknown types. */
LW_OPS_API int lw_type_bytes(int type);
/* Describes a dense tensor in row-major order (the last dimension is the fastest). */
LW_OPS_API lw_tensor lw_tensor_dense(void *data, int type, int elem_bytes, int rank, const int64_t *extent);

/* ---- plans ----------------------------------------------------------------------------------------------------- */

/* Plans belong to the caller and are destroyed with lw_plan_destroy(); NULL is allowed. */
LW_OPS_API void lw_plan_destroy(lw_plan *plan);
/* The size of the workspace (device memory, aligned to 256 bytes) that a run of the plan needs, in bytes. */
LW_OPS_API size_t lw_plan_workspace(const lw_plan *plan);
/* The bytes that a run must move at least: each input byte is read once, each output byte is written once. */
LW_OPS_API double lw_plan_useful_bytes(const lw_plan *plan);
/* The number of kernel launches of one run, if the pointers are fully aligned. */
LW_OPS_API int lw_plan_launches(const lw_plan *plan);
/* Writes a description of the chosen kernels ("tile 64x64 elem 4 ...") to text, which is always NUL-terminated. */
LW_OPS_API void lw_plan_describe(const lw_plan *plan, char *text, size_t size);

/*
 * Runs a plan that copies (strided copy, permute, flip, transpose, convert, pad, and in-place forms). dst and src point
 * to the elements whose indices are all 0. In-place plans require dst == src. workspace may be NULL if the plan needs
 * none.
 */
LW_OPS_API lw_ops_status lw_plan_run(const lw_plan *plan, void *dst, const void *src, void *workspace,
                                     lw_stream stream);

/* ---- strided copies, permute, flip ----------------------------------------------------------------------------- */

/*
 * Strided copy: dst[i...] = src[i...] for all indices. Extents and element sizes must be equal. Crops, interior padding
 * and broadcasts are expressed by pointers and strides. Elements of the output must not overlap: with the dimensions
 * sorted by |stride|, each stride must be at least as large as the span of the faster dimensions, or the call returns
 * LW_OPS_BAD_STRIDE.
 */
LW_OPS_API lw_ops_status lw_copy_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, lw_plan **plan,
                                      lw_ops_error *err);
/*
 * Permutes dimensions: dst[i0, i1, ...] = src[j0, j1, ...] with j[perm[k]] = i[k]. dst.extent[k] must be
 * src.extent[perm[k]]. perm has `rank` entries.
 */
LW_OPS_API lw_ops_status lw_permute_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                                         lw_plan **plan, lw_ops_error *err);
/* Reverses every dimension k whose bit k is set in `axes`. Extents must be equal. */
LW_OPS_API lw_ops_status lw_flip_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, uint32_t axes,
                                      lw_plan **plan, lw_ops_error *err);
/* The same in place: run it with dst == src. */
LW_OPS_API lw_ops_status lw_flip_inplace_plan(const lw_ops *ops, const lw_tensor *t, uint32_t axes, lw_plan **plan,
                                              lw_ops_error *err);
/*
 * Transposes `batch` dense row-major matrices of rows x cols elements, stored one after the other, out of place.
 * elem_bytes is 1 to 64. align: see lw_tensor.
 */
LW_OPS_API lw_ops_status lw_transpose_plan(const lw_ops *ops, int64_t batch, int64_t rows, int64_t cols, int elem_bytes,
                                           int align, lw_plan **plan, lw_ops_error *err);
/*
 * Transposes `batch` square matrices of n x n elements in place. row_stride and batch_stride are the distances between
 * rows and between matrices, in bytes.
 */
LW_OPS_API lw_ops_status lw_transpose_square_inplace_plan(const lw_ops *ops, int64_t batch, int64_t n, int elem_bytes,
                                                          int64_t row_stride, int64_t batch_stride, lw_plan **plan,
                                                          lw_ops_error *err);

enum { LW_CONVERT_SWAP_INPUT = 1, LW_CONVERT_SWAP_OUTPUT = 2, LW_CONVERT_COMPLEX = 4, LW_CONVERT_CONJUGATE = 8 };
/*
 * Permutes dimensions (perm as in lw_permute_plan(); NULL: no permutation) and converts elements:
 *  - between any two of u8, i8, fp8, f16, bf16, f32 and f64; if both types are equal, any type but LW_BYTES is allowed
 *  - LW_CONVERT_SWAP_INPUT, LW_CONVERT_SWAP_OUTPUT: reverses the bytes of each input or output value
 *  - LW_CONVERT_COMPLEX: each element consists of two adjacent values; LW_CONVERT_CONJUGATE also negates the second one
 * Values are rounded once, to nearest even. Conversions to integers and to fp8 saturate (fp8 at its largest finite
 * value). NaN becomes 0 in an integer. elem_bytes and align of the tensors are ignored: pointers and strides must be
 * multiples of the type's size.
 */
LW_OPS_API lw_ops_status lw_convert_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                                         uint32_t flags, lw_plan **plan, lw_ops_error *err);
/*
 * Pads or crops: dst[i...] = src[i - before...] where that element exists, otherwise the element at `value` (in host
 * memory, read during this call). before[k] is the padding in front of dimension k, in elements; if it is negative, the
 * input is cropped there. Both tensors may have any extents. A run has up to 2 * rank + 1 launches.
 */
LW_OPS_API lw_ops_status lw_pad_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src,
                                     const int64_t *before, const void *value, lw_plan **plan, lw_ops_error *err);
/*
 * In place: lw_transpose_inplace_plan() turns `batch` dense row-major matrices of rows x cols elements into cols x
 * rows; lw_permute_inplace_plan() permutes a dense tensor of up to 7 dimensions (extent[0] is the slowest), so that
 * dimension k of the result has extent[perm[k]]. Run them with dst == src. The workspace is at most `scratch` bytes,
 * or, if `scratch` is 0, at most 32 MiB + 16 lines of the longer side. Returns LW_OPS_WORKSPACE if `scratch` is less
 * than one line of the longer side. Square matrices need no workspace.
 */
LW_OPS_API lw_ops_status lw_transpose_inplace_plan(const lw_ops *ops, int64_t batch, int64_t rows, int64_t cols,
                                                   int elem_bytes, int64_t scratch, lw_plan **plan, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_permute_inplace_plan(const lw_ops *ops, int rank, const int64_t *extent, const int *perm,
                                                 int elem_bytes, int64_t scratch, lw_plan **plan, lw_ops_error *err);

/* These create a plan, run it, and destroy it. They need no workspace. */
LW_OPS_API lw_ops_status lw_copy(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, lw_stream stream,
                                 lw_ops_error *err);
LW_OPS_API lw_ops_status lw_permute(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                                    lw_stream stream, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_flip(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, uint32_t axes,
                                 lw_stream stream, lw_ops_error *err);

/* ---- rows by index --------------------------------------------------------------------------------------------- */

typedef enum lw_index_policy {
    LW_INDEX_SKIP = 0, /* rows whose index is outside 0..table_rows - 1 are skipped */
    LW_INDEX_WRAP      /* indices -table_rows..-1 count from the end; other indices outside the table are skipped */
} lw_index_policy;

/*
 * lw_gather_rows(): dst row i = table row index[i], for i in 0..count - 1.
 * lw_scatter_rows(): table row index[i] = src row i. If two indices are equal, it is undefined which row is stored.
 * index is device memory; index_bytes is 4 (int32) or 8 (int64). row_bytes may be 0. Pitches are in bytes, at least
 * row_bytes. policy: an lw_index_policy.
 */
LW_OPS_API lw_ops_status lw_gather_rows(const lw_ops *ops, void *dst, int64_t dst_pitch, const void *table,
                                        int64_t table_rows, int64_t table_pitch, int64_t row_bytes, const void *index,
                                        int index_bytes, int64_t count, int policy, lw_stream stream);
LW_OPS_API lw_ops_status lw_scatter_rows(const lw_ops *ops, void *table, int64_t table_rows, int64_t table_pitch,
                                         const void *src, int64_t src_pitch, int64_t row_bytes, const void *index,
                                         int index_bytes, int64_t count, int policy, lw_stream stream);

/* ---- AoS <-> SoA ----------------------------------------------------------------------------------------------- */

typedef enum lw_padding {
    LW_PAD_KEEP = 0, /* SoA -> AoS does not change the bytes between fields */
    LW_PAD_ZERO      /* SoA -> AoS sets them to zero */
} lw_padding;

/* The layout of a record: field f is in bytes offset[f] to offset[f] + size[f] - 1. Fields must not overlap. */
typedef struct lw_record {
    int32_t fields;       /* 1..64 */
    int32_t record_bytes; /* distance between records in bytes, 1..4096 */
    int32_t offset[LW_OPS_MAX_FIELDS];
    int32_t size[LW_OPS_MAX_FIELDS]; /* 1..record_bytes */
} lw_record;

/* A plan for lw_aos_to_soa() and lw_soa_to_aos() of `records` records. padding: an lw_padding. */
LW_OPS_API lw_ops_status lw_record_plan(const lw_ops *ops, const lw_record *layout, int64_t records, int padding,
                                        lw_plan **plan, lw_ops_error *err);
/*
 * In place: run it with lw_plan_run() and dst == src; scratch and workspace as for lw_transpose_inplace_plan(). As SoA,
 * the array of field f starts at byte records * offset[f]. The bytes between fields are preserved in an unspecified
 * order: converting to SoA and back restores them. to_soa: nonzero for AoS -> SoA, zero for SoA -> AoS.
 */
LW_OPS_API lw_ops_status lw_record_inplace_plan(const lw_ops *ops, const lw_record *layout, int64_t records, int to_soa,
                                                int64_t scratch, lw_plan **plan, lw_ops_error *err);
/* fields[f] points to records * size[f] bytes in device memory; the array of pointers itself is in host memory. */
LW_OPS_API lw_ops_status lw_aos_to_soa(const lw_plan *plan, void *const *fields, const void *aos, lw_stream stream);
LW_OPS_API lw_ops_status lw_soa_to_aos(const lw_plan *plan, void *aos, const void *const *fields, lw_stream stream);

/* ---- histogram ------------------------------------------------------------------------------------------------- */

typedef enum lw_hist_binning {
    LW_HIST_INTEGER = 0, /* integer samples: bin = sample - first */
    LW_HIST_EVEN,        /* bins of equal width over [lo, hi), with the edges that lw_hist_edges() calculates */
    LW_HIST_EDGES        /* bins + 1 ascending edges in device memory, of type lw_hist_edge_type() */
} lw_hist_binning;

typedef enum lw_hist_outside {
    LW_HIST_DROP = 0, /* samples outside all bins are not counted */
    LW_HIST_CLAMP,    /* they are counted in the first or the last bin */
    LW_HIST_COUNT     /* they are counted in two more entries after the bins: below, above */
} lw_hist_outside;

typedef enum lw_hist_range {
    LW_HIST_RANGE_GIVEN = 0, /* lo and hi (lo_int and hi_int) of lw_hist */
    LW_HIST_RANGE_DEVICE,    /* two values of the edge type in device memory, the `edges` argument of the run */
    LW_HIST_RANGE_FOUND      /* the smallest and the largest finite sample; usually with last_closed */
} lw_hist_range;

typedef enum lw_hist_strategy {
    LW_HIST_AUTO = 0,
    LW_HIST_SHARED,    /* 32-bit counters in shared memory; several passes over ranges of bins if necessary */
    LW_HIST_PACKED,    /* counters of 3 to 16 bits in shared memory that spill to memory; several passes if necessary */
    LW_HIST_CLUSTER,   /* samples of 4 or 8 bytes, capability 9.0 and later, up to 262,144 entries: the counters are
                        distributed over the shared memory of a cluster */
    LW_HIST_GLOBAL,    /* atomic additions to the counts in global memory (L2) */
    LW_HIST_LANES,     /* u8 and i8 samples: one counter per value and lane in shared memory */
    LW_HIST_PAIRS,     /* u8 and i8 samples: 16-bit counters for pairs of samples in shared memory, summed at the end */
    LW_HIST_PARTITION, /* samples of 4 or 8 bytes: sorted by range of bins into the workspace, then counted */
    LW_HIST_STRATEGY_COUNT
} lw_hist_strategy;

/* The bins of an additional dimension of a joint histogram; the fields have the same meaning as in lw_hist. */
typedef struct lw_hist_axis {
    int64_t bins, first, lo_int, hi_int;
    double lo, hi;
} lw_hist_axis;

/*
 * A histogram. Zero-initialise it, then set what is needed.
 *
 * Bins: 1 to 16,777,216. Counts are uint32 or uint64 (a uint32 count wraps modulo 2^32). NaN samples are dropped, or,
 * with nan_above, counted like samples above all bins (with LW_HIST_CLAMP in the last bin). The last bin does not
 * include its upper edge unless last_closed is set. With accumulate, counts are added to the existing values, otherwise
 * they replace them. Row r of the samples starts at samples + r * row_pitch bytes and has row_samples samples. With
 * segmented, each row has its own histogram, at counts + r * (bins + 2 if LW_HIST_COUNT) entries; otherwise all rows
 * share one.
 *
 * Channels: a sample consists of `channels` adjacent values, of which the first `counted` are counted. Either each
 * channel has its own histogram (all with the same bins, stored one after the other), or, with joint, there is one
 * histogram of `counted` (2 or 3) dimensions: the last dimension is the fastest, the first one has the bins of this
 * structure, the others those of axis[0] and axis[1]. A sample of a joint histogram that is outside in one dimension is
 * outside; LW_HIST_COUNT is not supported there. Edges of a joint histogram are stored one dimension after the other. A
 * joint histogram has at most 16,777,216 bins in total.
 *
 * Weights: one per sample, contiguous, in the order of the samples (those of row r start at weight r * row_samples).
 * count_type is then the type of the sums: LW_F64, or LW_F32 for weights of type LW_F32. The last bits of
 * floating-point sums depend on the order of the additions. With deterministic they do not: each weight is rounded to a
 * multiple of q = 2^(e + ceil(log2(n)) - 62), where n is the number of samples of a histogram and 2^e is larger than
 * weight_limit, and the multiples are added as integers, which gives the same bits on every run and every device. The
 * error of a sum of m weights is at most m * q / 2 before it is rounded once to the type of the sums; for n = 2^28, q
 * is at most 2^-33 of the limit. weight_limit 0 stands for the largest finite |weight|, which takes one more pass to
 * find. Weights beyond the limit count as the limit, NaN counts as 0.
 *
 * Range: with LW_HIST_RANGE_DEVICE and LW_HIST_RANGE_FOUND, the range of LW_HIST_EVEN is determined on the device, and
 * stored in the first two elements of the workspace (of the edge type). If lo < hi is false, the range is widened: lo -
 * d to hi + d, where d is 0.5 or the distance to the next number, whichever is larger (integers: hi = lo + 1). Without
 * any finite sample it is 0 to 1. If hi - lo overflows in f64, the step is hi / bins - lo / bins. Only for one channel.
 */
typedef struct lw_hist {
    int32_t sample_type; /* any lw_type from LW_U8 to LW_F64 */
    int32_t binning;     /* lw_hist_binning */
    int32_t outside;     /* lw_hist_outside */
    int32_t count_type;  /* LW_U32 or LW_U64; with weights LW_F32 or LW_F64 */
    int32_t nan_above, last_closed, accumulate, segmented;
    int32_t strategy; /* lw_hist_strategy; LW_OPS_UNSUPPORTED if that strategy cannot be used */
    int64_t bins;
    int64_t first;                        /* LW_HIST_INTEGER: the value that bin 0 counts */
    int64_t lo_int, hi_int;               /* LW_HIST_EVEN with integer samples (u64: the same bits); hi > lo */
    double lo, hi;                        /* LW_HIST_EVEN with floating-point samples; both finite, hi > lo */
    int64_t rows, row_samples, row_pitch; /* row_pitch in bytes */
    int64_t workspace_limit; /* the most bytes of workspace; 0: 1 GiB, negative: none. LW_HIST_AUTO respects it */
    int32_t channels, counted, joint; /* values per sample, at most 4 (0: 1); how many are counted (0: all) */
    int32_t weight_type;              /* 0: none, LW_F32 or LW_F64 */
    int32_t deterministic;            /* sums of weights have the same bits on every run */
    int32_t range;                    /* lw_hist_range */
    double weight_limit;              /* deterministic: the largest |weight|; 0: found by an additional pass */
    lw_hist_axis axis[2];             /* joint: dimensions 1 and 2 */
} lw_hist;

LW_OPS_API lw_ops_status lw_hist_plan(const lw_ops *ops, const lw_hist *what, lw_plan **plan, lw_ops_error *err);
/*
 * Runs a histogram plan. counts, samples and workspace are device memory. edges: device memory for LW_HIST_EDGES and
 * LW_HIST_RANGE_DEVICE, else NULL.
 */
LW_OPS_API lw_ops_status lw_hist_run(const lw_plan *plan, void *counts, const void *samples, const void *edges,
                                     void *workspace, lw_stream stream);
/* The same with weights: sums[bin] += weight. With weights or channels the strategies are AUTO, SHARED and GLOBAL. */
LW_OPS_API lw_ops_status lw_hist_run_weighted(const lw_plan *plan, void *sums, const void *samples, const void *weights,
                                              const void *edges, void *workspace, lw_stream stream);
/*
 * Creates a plan with a strategy that needs no workspace, runs it, and destroys it. Not for weights, nor for ranges
 * that are determined on the device.
 */
LW_OPS_API lw_ops_status lw_hist_count(const lw_ops *ops, const lw_hist *what, void *counts, const void *samples,
                                       const void *edges, lw_stream stream, lw_ops_error *err);
/*
 * The type of the edges for a sample type: LW_I64 for integers, but LW_U64 for u64; LW_F32 for f16, bf16 and f32;
 * LW_F64 for f64.
 */
LW_OPS_API int lw_hist_edge_type(int sample_type);
/*
 * Writes the bins + 1 edges of LW_HIST_EVEN to edges (host memory, of type lw_hist_edge_type()). Bin i counts the
 * samples with edge[i] <= x < edge[i + 1]. For integers, edge[i] = lo + ceil(i * (hi - lo) / bins). For f32, edge[i] =
 * fmaf(i, step, lo) with step = (float)((hi - lo) / bins), rounded once; no edge is larger than hi, and the last one is
 * exactly hi. For f64 the same with fma().
 */
LW_OPS_API lw_ops_status lw_hist_edges(const lw_hist *what, void *edges);
/*
 * Writes the table by which LW_HIST_AUTO chooses on a compute capability (for example 90) to text, one row per line.
 * The first row that fits is chosen. LW_HIST_PARTITION is never chosen for fewer than 4 Mi samples.
 */
LW_OPS_API void lw_hist_table(int compute_capability, char *text, size_t size);

/* ---- host copies ----------------------------------------------------------------------------------------------- */

/*
 * A copier copies between the device and host memory or files. It has its own threads and a ring buffer of pinned
 * memory of fixed size. Calls normally return at once. On the device, a copy is ordered like any work in the given
 * stream: it starts after what the stream already contains, and later work in the stream sees its result. The host
 * memory, or the range of the file, belongs to the copier until lw_ticket_wait() returns, or, if the ticket is NULL,
 * until the stream has completed the copy.
 *  - Memory that the device can access directly (pinned, registered, mapped, managed) is copied by the CUDA runtime.
 *  - Copies of pageable memory up to direct_bytes are direct: the runtime, or the copier's threads together with the
 *    calling thread, make them during the call. The call returns when the host side is finished, so it may have to wait
 *    for the stream.
 *  - All other copies of one copier are made in the order of the calls, even in different streams. To copy in both
 *    directions at the same time, use one copier for each. A call may block while a stream's queue is full.
 *  - Copies through the ring buffer wait in host functions (cudaLaunchHostFunc), which delays the program's own host
 *    functions.
 *  - In a stream that is being captured, the calls return LW_OPS_UNSUPPORTED.
 *  - Any number of threads may use the same copier.
 */
typedef struct lw_copier lw_copier;

typedef struct lw_copier_options {
    int32_t threads;      /* 1..256; 0: 4 */
    int32_t numa_node;    /* for the threads and the ring buffer; -1: any */
    int64_t ring_bytes;   /* size of the ring buffer, at least 1 MiB; 0: 64 MiB. Direct copies use 4 MiB more */
    int64_t direct_bytes; /* the largest direct copy of pageable memory; 0: 16 MiB; -1: none */
    int32_t tickets;      /* the most copies at the same time, 1..4096; 0: 64 */
    int32_t reserved;     /* must be 0 */
} lw_copier_options;

typedef struct lw_ticket {
    uint64_t id; /* 0: nothing to wait for */
} lw_ticket;

/*
 * `planes` planes of `rows` rows of row_bytes bytes. The other members are distances between rows and between planes,
 * in bytes, which must be at least what a row or a plane spans.
 */
typedef struct lw_host_shape {
    int64_t row_bytes, rows, planes;
    int64_t host_row, host_plane;
    int64_t device_row, device_plane;
} lw_host_shape;

/* Creates a copier; options may be NULL. The handle must outlive it. The caller destroys *copier. */
LW_OPS_API lw_ops_status lw_copier_create(lw_copier **copier, const lw_ops *ops, const lw_copier_options *options,
                                          lw_ops_error *err);
/* Waits for all copies, then destroys the copier. NULL is allowed. */
LW_OPS_API void lw_copier_destroy(lw_copier *copier);
LW_OPS_API lw_ops_status lw_copy_h2d(lw_copier *copier, void *dst, const void *src, int64_t bytes, lw_stream stream,
                                     lw_ticket *ticket, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_copy_d2h(lw_copier *copier, void *dst, const void *src, int64_t bytes, lw_stream stream,
                                     lw_ticket *ticket, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_copy_h2d_strided(lw_copier *copier, void *dst, const void *src, const lw_host_shape *shape,
                                             lw_stream stream, lw_ticket *ticket, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_copy_d2h_strided(lw_copier *copier, void *dst, const void *src, const lw_host_shape *shape,
                                             lw_stream stream, lw_ticket *ticket, lw_ops_error *err);
/* Copies `bytes` bytes of the file descriptor `fd` from `offset` on. The file position is neither used nor changed. */
LW_OPS_API lw_ops_status lw_copy_file_to_device(lw_copier *copier, void *dst, int fd, int64_t offset, int64_t bytes,
                                                lw_stream stream, lw_ticket *ticket, lw_ops_error *err);
LW_OPS_API lw_ops_status lw_copy_device_to_file(lw_copier *copier, int fd, int64_t offset, const void *src,
                                                int64_t bytes, lw_stream stream, lw_ticket *ticket, lw_ops_error *err);
/*
 * Waits until the host memory can be reused (h2d) or the data is complete (d2h, files), returns the status of the copy,
 * and releases the ticket.
 */
LW_OPS_API lw_ops_status lw_ticket_wait(lw_copier *copier, lw_ticket *ticket, lw_ops_error *err);
/* Returns 1 if lw_ticket_wait() would not block, else 0. */
LW_OPS_API int lw_ticket_done(lw_copier *copier, const lw_ticket *ticket);

#ifdef __cplusplus
}
#endif
#endif
