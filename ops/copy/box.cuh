/* Where boxes of the index space lie, and which of a thread's places in them exist: box.cu and runs.cu. */
#ifndef LW_OPS_BOX_CUH
#define LW_OPS_BOX_CUH

#include "common/kernel.cuh"
#include "copy/kernels.h"

/* Which of a thread's places exist: in full boxes, and in the last box of either cut dimension. */
struct masks {
    uint32_t all, cut0, cut1;
};

struct place {
    int64_t in, out;
    bool last0, last1;
};

LW_DEV place place_of(const lw_box_dim *d, int dims, uint32_t index)
{
    place at = {0, 0, false, false};
    for (int i = 0; i < dims; i++) {
        uint32_t q = i + 1 < dims ? fdiv(index, d[i].boxes) : 0, c = index - q * d[i].boxes.d;
        at.in += c * d[i].in;
        at.out += c * d[i].out;
        bool last = c + 1 == d[i].boxes.d;
        if (d[i].limit == 1) at.last0 = last;
        if (d[i].limit == 2) at.last1 = last;
        index = q;
    }
    return at;
}

LW_DEV uint32_t select(const masks &m, const place &at)
{
    return m.all & (at.last0 ? m.cut0 : ~0u) & (at.last1 ? m.cut1 : ~0u);
}

#endif
