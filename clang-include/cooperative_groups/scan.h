/*
 * Inclusive and exclusive scans over a tile or over coalesced threads.
 */
#ifndef LWC_CG_SCAN_H
#define LWC_CG_SCAN_H

#include "reduce.h"

namespace cooperative_groups
{

template <class G, class T, class Op> LWC_CG T inclusive_scan(const G &g, T v, Op op)
{
    unsigned n = g.size(), r = g.thread_rank();
    for (unsigned d = 1; d < n; d *= 2) {
        T o = g.shfl_up(v, d);
        if (r >= d) v = op(o, v);
    }
    return v;
}
template <class G, class T> LWC_CG T inclusive_scan(const G &g, T v) { return inclusive_scan(g, v, plus<T>()); }
/* The first rank's result is the zero of addition; for other operations it is unspecified. */
template <class G, class T, class Op> LWC_CG T exclusive_scan(const G &g, T v, Op op)
{
    T s = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() == 0 ? T() : s;
}
template <class G, class T> LWC_CG T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }

} // namespace cooperative_groups

#endif
