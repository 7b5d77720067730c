/*
 * References of strided copies, permutations and flips: one element at a time, in index order.
 */
#include <string.h>
#include "ref.h"

static int elem_of(const lw_tensor *t) { return t->elem_bytes ? t->elem_bytes : lw_type_bytes(t->type); }

/* Steps a row-major index; 0 when all indices were met. */
static int step(int rank, const int64_t *extent, int64_t *index)
{
    for (int i = rank - 1; i >= 0; i--) {
        if (++index[i] < extent[i]) return 1;
        index[i] = 0;
    }
    return 0;
}

static void move(const lw_tensor *dst, const lw_tensor *src, const int *perm, uint32_t axes)
{
    int64_t index[LW_OPS_MAX_RANK] = {0};
    int elem = elem_of(src);
    for (int i = 0; i < dst->rank; i++) {
        if (dst->extent[i] == 0) return;
    }
    do {
        char *d = dst->data;
        const char *s = src->data;
        for (int i = 0; i < dst->rank; i++) {
            int from = perm ? perm[i] : i;
            d += index[i] * dst->stride[i];
            s += (axes >> i & 1 ? dst->extent[i] - 1 - index[i] : index[i]) * src->stride[from];
        }
        memcpy(d, s, (size_t)elem);
    } while (step(dst->rank, dst->extent, index));
}

void lw_ref_copy(const lw_tensor *dst, const lw_tensor *src) { move(dst, src, 0, 0); }

void lw_ref_permute(const lw_tensor *dst, const lw_tensor *src, const int *perm) { move(dst, src, perm, 0); }

void lw_ref_flip(const lw_tensor *dst, const lw_tensor *src, uint32_t axes) { move(dst, src, 0, axes); }
