/*
 * The base of liblanewise-ops: the handle, errors and the arithmetic that planners share. Not installed.
 *
 * Files know only what stands before them: common/base.h, common/plan.h; an op's headers and parts; its front (the file
 * with the functions of ops.h); ops that use another one's. forms.def names all kernels, for handle.c at the end.
 */
#ifndef LW_OPS_BASE_H
#define LW_OPS_BASE_H

#include <stdbool.h>
#include "common/params.h"
#include "lanewise/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What lw_ops_create() found out about the device. */
struct lw_ops {
    int device;
    int cc;           /* compute capability, 10 * major + minor; at most that of the library's code */
    int sms;          /* multiprocessors */
    int shared_optin; /* shared bytes one block can have at most */
    int shared_sm;    /* shared bytes of one multiprocessor */
    int64_t l2_bytes;
    /* Resident blocks per multiprocessor, by the rows of a kernel's own table: */
    int box_blocks[32];
    int runs_blocks[3];   /* shared memory left aside */
    int gather_blocks[8]; /* likewise */
};

/* A dimension of a copy. */
typedef struct lw_dim {
    int64_t n;       /* extent, elements */
    int64_t in, out; /* bytes from one element to the next */
} lw_dim;

/* Where a copy-like kernel begins and which bytes it touches, from the tensors' element 0. */
typedef struct lw_span {
    int64_t in_off, out_off; /* to the kernel's start */
    int64_t in_lo, in_hi;    /* [lo, hi) */
    int64_t out_lo, out_hi;
} lw_span;

/* Fills in err, if there is one, and returns the status. */
lw_ops_status lw_ops_fail(lw_ops_error *err, lw_ops_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
lw_ops_status lw_launch_status(int cuda_error);
lw_ops_status lw_check_device(const lw_ops *ops); /* the handle's device is the current one */

lw_fdiv lw_fdiv_make(uint32_t d);
int lw_low_bit(uint64_t bits, int cap);                     /* largest power of two that divides bits, at most cap */
double lw_read_bytes(const lw_dim *d, int count, int elem); /* every input element once, however often it is used */
/*
 * The normal form of a copy: extents of 1 dropped, output strides positive and ascending, neighbours merged where both
 * sides allow it. Adds to the span's offsets what dimensions that are turned round move its start by, and sets the rest.
 * False: elements of the output overlap, or could.
 */
bool lw_dims_normalise(lw_dim *d, int *count, int64_t in_elem, int64_t out_elem, lw_span *span);
/*
 * Blocks enumerate all of `count` dimensions but those with a bit in `skip`; *blocks is multiplied by their extents.
 * False: 2^31 blocks or more.
 */
bool lw_outer_fill(lw_outer *o, const lw_dim *d, int count, unsigned skip, uint64_t *blocks);

#ifdef __cplusplus
}
#endif
#endif
