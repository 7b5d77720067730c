/*
 * Reductions over a tile or over coalesced threads.
 */
#ifndef LWC_CG_REDUCE_H
#define LWC_CG_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

#define LWC_CG_OP(name, expr)                                                                                          \
    template <class T = void> struct name {                                                                            \
        LWC_CGM T operator()(T a, T b) const { return expr; }                                                          \
    };                                                                                                                 \
    template <> struct name<void> {                                                                                    \
        template <class T> LWC_CGM T operator()(T a, T b) const { return expr; }                                       \
    };
LWC_CG_OP(plus, a + b)
LWC_CG_OP(less, b < a ? b : a)
LWC_CG_OP(greater, a < b ? b : a)
LWC_CG_OP(bit_and, a &b)
LWC_CG_OP(bit_or, a | b)
LWC_CG_OP(bit_xor, a ^ b)
#undef LWC_CG_OP

namespace lanewise
{
/* The general way: a butterfly over the tile. */
template <class Op> struct reducer {
    template <class G, class T> static LWC_CGM T run(const G &g, T v, Op op)
    {
#pragma unroll
        for (unsigned m = g.size() / 2; m > 0; m /= 2) v = op(v, g.shfl_xor(v, m));
        return v;
    }
};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define LWC_CG_REDUX(Op, type, f)                                                                                      \
    LWC_CG type redux(const thread_group &g, type v, Op) { return f(g.mask, v); }                                      \
    template <unsigned N> LWC_CG type redux(const large_tile<N> &g, type v, Op op)                                     \
    {                                                                                                                  \
        return g.fold(f(0xffffffffu, v), op);                                                                          \
    }
LWC_CG_REDUX(plus<int>, int, __reduce_add_sync)
LWC_CG_REDUX(plus<unsigned>, unsigned, __reduce_add_sync)
LWC_CG_REDUX(less<int>, int, __reduce_min_sync)
LWC_CG_REDUX(less<unsigned>, unsigned, __reduce_min_sync)
LWC_CG_REDUX(greater<int>, int, __reduce_max_sync)
LWC_CG_REDUX(greater<unsigned>, unsigned, __reduce_max_sync)
LWC_CG_REDUX(bit_and<unsigned>, unsigned, __reduce_and_sync)
LWC_CG_REDUX(bit_or<unsigned>, unsigned, __reduce_or_sync)
LWC_CG_REDUX(bit_xor<unsigned>, unsigned, __reduce_xor_sync)
#undef LWC_CG_REDUX
#endif
} // namespace lanewise

namespace lanewise
{
template <class G, class T, class Op> LWC_CG T reduce_tile(const G &g, const thread_group &, T v, Op op)
{
    return reducer<Op>::run(g, v, op);
}
template <class G, unsigned N, class T, class Op> LWC_CG T reduce_tile(const G &g, const large_tile<N> &, T v, Op op)
{
    return g.fold(reducer<Op>::run(thread_block_tile<32>(), v, op), op);
}
} // namespace lanewise

template <unsigned N, class P, class T, class Op> LWC_CG T reduce(const thread_block_tile<N, P> &g, T v, Op op)
{
    return lanewise::reduce_tile(g, g, v, op);
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define LWC_CG_REDUX(name, type)                                                                                       \
    template <unsigned N, class P> LWC_CG type reduce(const thread_block_tile<N, P> &g, type v, name<type> op)         \
    {                                                                                                                  \
        return lanewise::redux(g, v, op);                                                                              \
    }
LWC_CG_REDUX(plus, int)
LWC_CG_REDUX(plus, unsigned)
LWC_CG_REDUX(less, int)
LWC_CG_REDUX(less, unsigned)
LWC_CG_REDUX(greater, int)
LWC_CG_REDUX(greater, unsigned)
LWC_CG_REDUX(bit_and, unsigned)
LWC_CG_REDUX(bit_or, unsigned)
LWC_CG_REDUX(bit_xor, unsigned)
#undef LWC_CG_REDUX
#endif

/* Coalesced threads: a tree over ranks, then the first rank's value to all. */
template <class T, class Op> LWC_CG T reduce(const coalesced_group &g, T v, Op op)
{
    unsigned n = g.size(), r = g.thread_rank();
    for (unsigned d = 16; d > 0; d /= 2) {
        T o = g.shfl_down(v, d);
        if (r + d < n && r < d) v = op(v, o);
    }
    return g.shfl(v, 0);
}

} // namespace cooperative_groups

#endif
