/*
 * memcpy_async of a group: 16-, 8- or 4-byte asynchronous copies where both sides are aligned, else bytes.
 */
#ifndef LWC_CG_MEMCPY_ASYNC_H
#define LWC_CG_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

namespace cooperative_groups
{

namespace lanewise
{
template <unsigned W, class G> LWC_CG void copy_async(const G &g, char *d, const char *s, size_t n)
{
    for (size_t i = (size_t)g.thread_rank() * W; i + W <= n; i += (size_t)g.size() * W)
        __pipeline_memcpy_async(d + i, s + i, W);
    for (size_t i = n / W * W + (size_t)g.thread_rank(); i < n; i += (size_t)g.size()) d[i] = s[i];
}
} // namespace lanewise

template <class G> LWC_CG void lwc_memcpy_async(const G &g, void *dst, const void *src, size_t n)
{
    char *d = (char *)dst;
    const char *s = (const char *)src;
    size_t both = (size_t)d | (size_t)s;
    if (!__isShared(dst) || !__isGlobal(src) || (both & 3)) {
        for (size_t i = (size_t)g.thread_rank(); i < n; i += (size_t)g.size()) d[i] = s[i];
    } else if (!(both & 15)) lanewise::copy_async<16>(g, d, s, n);
    else if (!(both & 7)) lanewise::copy_async<8>(g, d, s, n);
    else lanewise::copy_async<4>(g, d, s, n);
    __pipeline_commit();
}
template <class G, class T> LWC_CG void memcpy_async(const G &g, T *dst, const T *src, size_t bytes)
{
    lwc_memcpy_async(g, dst, src, bytes);
}
template <class G> LWC_CG void memcpy_async(const G &g, void *dst, const void *src, size_t bytes)
{
    lwc_memcpy_async(g, dst, src, bytes);
}
/* Counts of elements on both sides: the smaller one is copied. */
template <class G, class T> LWC_CG void memcpy_async(const G &g, T *dst, size_t dst_n, const T *src, size_t src_n)
{
    lwc_memcpy_async(g, dst, src, (dst_n < src_n ? dst_n : src_n) * sizeof(T));
}
template <class G> LWC_CG void wait(const G &g)
{
    __pipeline_wait_prior(0);
    g.sync();
}
template <unsigned N, class G> LWC_CG void wait_prior(const G &g)
{
    __pipeline_wait_prior(N);
    g.sync();
}

} // namespace cooperative_groups

#endif
