/*
 * Cooperative groups: thread blocks, tiles of a warp, coalesced threads, clusters and the grid.
 * A group inside a warp is a lane mask; its collectives are the warp's with that mask. Tiles above 32 threads are not
 * supported. The grid's barrier uses the workspace whose address the driver gives in %envreg1 and %envreg2.
 */
#ifndef LWC_COOPERATIVE_GROUPS_H
#define LWC_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#define LWC_CG static __inline__ __attribute__((device, always_inline, nodebug, unused))
#define LWC_CGM __inline__ __attribute__((device, always_inline, nodebug))

namespace cooperative_groups
{

namespace lanewise
{
/* Shuffles of any trivially copyable type, word by word. */
template <class T, class F> LWC_CG T by_words(const T &v, F f)
{
    const int words = (sizeof(T) + 3) / 4;
    unsigned w[words] = {0};
    T r;
    __builtin_memcpy(w, &v, sizeof(T));
#pragma unroll
    for (int i = 0; i < words; i++) w[i] = f(w[i]);
    __builtin_memcpy(&r, w, sizeof(T));
    return r;
}
LWC_CG unsigned block_rank_in_grid() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
LWC_CG unsigned thread_rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
LWC_CG unsigned threads_in_block() { return blockDim.x * blockDim.y * blockDim.z; }
LWC_CG unsigned lanes_below() { return lwc_lanemask_lt(); }
} // namespace lanewise

enum class lwc_kind : unsigned { block, warp, grid, cluster };

/* ---- The general handle ---- */
class thread_group
{
  public:
    LWC_CGM void sync() const;
    LWC_CGM unsigned long long size() const;
    LWC_CGM unsigned long long num_threads() const { return size(); }
    LWC_CGM unsigned long long thread_rank() const;
    LWC_CGM bool is_valid() const { return true; }
    LWC_CGM thread_group(lwc_kind k, unsigned m) : kind(k), mask(m) {}
    lwc_kind kind;
    unsigned mask; /* lanes, for groups inside a warp */
};

/* ---- Thread blocks ---- */
class thread_block : public thread_group
{
  public:
    struct arrival_token {
    };
    LWC_CGM thread_block() : thread_group(lwc_kind::block, 0xffffffffu), memory(0) {}
    unsigned long long *memory; /* for tiles of several warps */
    static LWC_CGM void sync() { __syncthreads(); }
    LWC_CGM arrival_token barrier_arrive() const { return arrival_token(); }
    LWC_CGM void barrier_wait(arrival_token &&) const { __syncthreads(); }
    static LWC_CGM unsigned size() { return lanewise::threads_in_block(); }
    static LWC_CGM unsigned num_threads() { return lanewise::threads_in_block(); }
    static LWC_CGM unsigned thread_rank() { return lanewise::thread_rank_in_block(); }
    static LWC_CGM dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static LWC_CGM dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static LWC_CGM dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static LWC_CGM dim3 dim_threads() { return group_dim(); }
};
LWC_CG thread_block this_thread_block() { return thread_block(); }

/* ---- Clusters ---- */
class cluster_group : public thread_group
{
  public:
    struct arrival_token {
    };
    LWC_CGM cluster_group() : thread_group(lwc_kind::cluster, 0xffffffffu) {}
    static LWC_CGM void sync()
    {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    static LWC_CGM arrival_token barrier_arrive()
    {
        __cluster_barrier_arrive();
        return arrival_token();
    }
    static LWC_CGM void barrier_wait() { __cluster_barrier_wait(); }
    static LWC_CGM void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
    static LWC_CGM unsigned query_shared_rank(const void *p) { return __cluster_query_shared_rank(p); }
    template <class T> static LWC_CGM T *map_shared_rank(T *p, int rank)
    {
        return (T *)__cluster_map_shared_rank((const void *)p, (unsigned)rank);
    }
    static LWC_CGM dim3 block_index() { return __clusterRelativeBlockIdx(); }
    static LWC_CGM unsigned block_rank() { return __clusterRelativeBlockRank(); }
    static LWC_CGM dim3 dim_blocks() { return __clusterDim(); }
    static LWC_CGM unsigned num_blocks() { return __clusterSizeInBlocks(); }
    static LWC_CGM dim3 thread_index()
    {
        dim3 b = block_index();
        return dim3(b.x * blockDim.x + threadIdx.x, b.y * blockDim.y + threadIdx.y, b.z * blockDim.z + threadIdx.z);
    }
    static LWC_CGM dim3 dim_threads()
    {
        dim3 b = dim_blocks();
        return dim3(b.x * blockDim.x, b.y * blockDim.y, b.z * blockDim.z);
    }
    static LWC_CGM unsigned thread_rank()
    {
        return block_rank() * lanewise::threads_in_block() + lanewise::thread_rank_in_block();
    }
    static LWC_CGM unsigned num_threads() { return num_blocks() * lanewise::threads_in_block(); }
    static LWC_CGM unsigned size() { return num_threads(); }
};
LWC_CG cluster_group this_cluster() { return cluster_group(); }

/* ---- The grid ---- */
class grid_group : public thread_group
{
  public:
    struct arrival_token {
        unsigned old;
    };
    LWC_CGM grid_group() : thread_group(lwc_kind::grid, 0xffffffffu) {}
    static LWC_CGM unsigned *workspace()
    {
        return (unsigned *)(((unsigned long long)lwc_envreg1() << 32) | lwc_envreg2());
    }
    LWC_CGM bool is_valid() const { return workspace() != nullptr; }
    /* One word counts blocks: the first block adds 2^31 less the others' ones, so its top bit flips when all came. */
    LWC_CGM arrival_token barrier_arrive() const
    {
        arrival_token t = {0};
        unsigned *w = workspace();
        if (!w) __trap();
        __syncthreads();
        if (lanewise::thread_rank_in_block() == 0) {
            unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
            unsigned add = lanewise::block_rank_in_grid() == 0 ? 0x80000001u - blocks : 1u;
            asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(t.old) : "l"(w + 1), "r"(add) : "memory");
        }
        return t;
    }
    LWC_CGM void barrier_wait(arrival_token &&t) const
    {
        if (lanewise::thread_rank_in_block() == 0) {
            unsigned now;
            do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(workspace() + 1) : "memory");
            while (((now ^ t.old) & 0x80000000u) == 0);
        }
        __syncthreads();
    }
    LWC_CGM void sync() const { barrier_wait(barrier_arrive()); }
    static LWC_CGM unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static LWC_CGM dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static LWC_CGM dim3 group_dim() { return dim_blocks(); }
    static LWC_CGM unsigned long long block_rank() { return lanewise::block_rank_in_grid(); }
    static LWC_CGM dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static LWC_CGM unsigned long long num_threads() { return num_blocks() * lanewise::threads_in_block(); }
    static LWC_CGM unsigned long long size() { return num_threads(); }
    static LWC_CGM unsigned long long thread_rank()
    {
        return block_rank() * lanewise::threads_in_block() + lanewise::thread_rank_in_block();
    }
    static LWC_CGM unsigned long long num_clusters()
    {
        dim3 d = __clusterGridDimInClusters();
        return (unsigned long long)d.x * d.y * d.z;
    }
    static LWC_CGM dim3 dim_clusters() { return __clusterGridDimInClusters(); }
    static LWC_CGM dim3 cluster_index() { return __clusterIdx(); }
    static LWC_CGM unsigned long long cluster_rank()
    {
        dim3 d = __clusterGridDimInClusters(), i = __clusterIdx();
        return ((unsigned long long)i.z * d.y + i.y) * d.x + i.x;
    }
};
LWC_CG grid_group this_grid() { return grid_group(); }

/* ---- Groups inside a warp ---- */
class coalesced_group : public thread_group
{
  public:
    LWC_CGM coalesced_group(unsigned m, unsigned parts = 1, unsigned part = 0)
        : thread_group(lwc_kind::warp, m), meta_size(parts), meta_rank(part)
    {
    }
    LWC_CGM void sync() const { __syncwarp(mask); }
    LWC_CGM unsigned size() const { return (unsigned)__popc(mask); }
    LWC_CGM unsigned num_threads() const { return size(); }
    LWC_CGM unsigned thread_rank() const { return (unsigned)__popc(mask & lanewise::lanes_below()); }
    LWC_CGM unsigned meta_group_size() const { return meta_size; }
    LWC_CGM unsigned meta_group_rank() const { return meta_rank; }
    /* The lane that has a rank: the rank-th set bit of the mask. */
    LWC_CGM unsigned lane_of(unsigned rank) const
    {
        return mask == 0xffffffffu ? rank & 31u : __fns(mask, 0, (int)rank + 1) & 31u;
    }
    template <class T> LWC_CGM T shfl(T v, unsigned rank) const
    {
        unsigned lane = lane_of(rank % size()), m = mask;
        return lanewise::by_words(v, [=](unsigned w) { return __shfl_sync(m, w, (int)lane); });
    }
    template <class T> LWC_CGM T shfl_up(T v, unsigned delta) const
    {
        unsigned r = thread_rank(), m = mask, lane = r < delta ? lwc_laneid() : lane_of(r - delta);
        return lanewise::by_words(v, [=](unsigned w) { return __shfl_sync(m, w, (int)lane); });
    }
    template <class T> LWC_CGM T shfl_down(T v, unsigned delta) const
    {
        unsigned r = thread_rank(), m = mask, lane = r + delta >= size() ? lwc_laneid() : lane_of(r + delta);
        return lanewise::by_words(v, [=](unsigned w) { return __shfl_sync(m, w, (int)lane); });
    }
    LWC_CGM int any(int p) const { return __any_sync(mask, p); }
    LWC_CGM int all(int p) const { return __all_sync(mask, p); }
    LWC_CGM unsigned ballot(int p) const { return pack(__ballot_sync(mask, p)); }
    template <class T> LWC_CGM unsigned match_any(T v) const { return pack(__match_any_sync(mask, v)); }
    template <class T> LWC_CGM unsigned match_all(T v, int &p) const { return pack(__match_all_sync(mask, v, &p)); }
    unsigned meta_size, meta_rank;

  private:
    /* Lanes' bits to ranks' bits. */
    LWC_CGM unsigned pack(unsigned lanes) const
    {
        unsigned r = 0, m = mask;
        if (m == 0xffffffffu) return lanes;
        for (unsigned i = 0; m; i++, m &= m - 1) r |= ((lanes >> (__ffs((int)m) - 1)) & 1u) << i;
        return r;
    }
};
LWC_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned Size, class Parent = void> class thread_block_tile;

template <unsigned Size> class thread_block_tile<Size, void> : public thread_group
{
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles of 1 to 512 threads, a power of two");

  public:
    static LWC_CGM unsigned tile_mask()
    {
        return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1u) << (lwc_laneid() & ~(Size - 1u));
    }
    LWC_CGM thread_block_tile() : thread_group(lwc_kind::warp, tile_mask()) {}
    static LWC_CGM void sync() { __syncwarp(tile_mask()); }
    static constexpr LWC_THD unsigned size() { return Size; }
    static constexpr LWC_THD unsigned num_threads() { return Size; }
    static LWC_CGM unsigned thread_rank() { return lanewise::thread_rank_in_block() & (Size - 1u); }
    LWC_CGM unsigned meta_group_rank() const { return lanewise::thread_rank_in_block() / Size; }
    LWC_CGM unsigned meta_group_size() const { return (lanewise::threads_in_block() + Size - 1) / Size; }
    template <class T> LWC_CGM T shfl(T v, int rank) const
    {
        return lanewise::by_words(v, [=](unsigned w) { return __shfl_sync(tile_mask(), w, rank, (int)Size); });
    }
    template <class T> LWC_CGM T shfl_up(T v, unsigned d) const
    {
        return lanewise::by_words(v, [=](unsigned w) { return __shfl_up_sync(tile_mask(), w, d, (int)Size); });
    }
    template <class T> LWC_CGM T shfl_down(T v, unsigned d) const
    {
        return lanewise::by_words(v, [=](unsigned w) { return __shfl_down_sync(tile_mask(), w, d, (int)Size); });
    }
    template <class T> LWC_CGM T shfl_xor(T v, unsigned m) const
    {
        return lanewise::by_words(v, [=](unsigned w) { return __shfl_xor_sync(tile_mask(), w, (int)m, (int)Size); });
    }
    LWC_CGM int any(int p) const { return __any_sync(tile_mask(), p); }
    LWC_CGM int all(int p) const { return __all_sync(tile_mask(), p); }
    LWC_CGM unsigned ballot(int p) const { return shift(__ballot_sync(tile_mask(), p)); }
    template <class T> LWC_CGM unsigned match_any(T v) const { return shift(__match_any_sync(tile_mask(), v)); }
    template <class T> LWC_CGM unsigned match_all(T v, int &p) const
    {
        return shift(__match_all_sync(tile_mask(), v, &p));
    }

  private:
    static LWC_CGM unsigned shift(unsigned lanes)
    {
        return Size == 32 ? lanes : lanes >> (lwc_laneid() & ~(Size - 1u));
    }
};

} // namespace cooperative_groups
#include "cooperative_groups/large_tiles.h"
namespace cooperative_groups
{

/* With the parent known, the number of tiles counts inside the parent. */
template <unsigned Size, class Parent> class thread_block_tile : public thread_block_tile<Size, void>
{
  public:
    LWC_CGM thread_block_tile() {}
};
template <unsigned Size, unsigned Outer, class P>
class thread_block_tile<Size, thread_block_tile<Outer, P>> : public thread_block_tile<Size, void>
{
  public:
    LWC_CGM thread_block_tile() {}
    LWC_CGM unsigned meta_group_rank() const { return (lanewise::thread_rank_in_block() & (Outer - 1)) / Size; }
    LWC_CGM unsigned meta_group_size() const { return Outer / Size; }
};

template <unsigned Size, class G> LWC_CG thread_block_tile<Size, G> tiled_partition(const G &g)
{
    thread_block_tile<Size, G> tile;
    lanewise::give_memory(tile, g);
    return tile;
}
LWC_CG thread_block_tile<1> this_thread() { return thread_block_tile<1>(); }

/* Any size: consecutive ranks of the parent, which is a block or lies inside a warp. */
LWC_CG coalesced_group tiled_partition(const coalesced_group &g, unsigned n)
{
    unsigned r = g.thread_rank(), first = r / n * n, m = 0;
    for (unsigned i = first; i < first + n && i < g.size(); i++) m |= 1u << g.lane_of(i);
    return coalesced_group(m, (g.size() + n - 1) / n, r / n);
}
LWC_CG thread_group tiled_partition(const thread_group &g, unsigned n)
{
    if (g.kind == lwc_kind::block) {
        unsigned m = n >= 32 ? 0xffffffffu : ((1u << n) - 1u) << (lwc_laneid() & ~(n - 1u));
        unsigned left = lanewise::threads_in_block() - (lanewise::thread_rank_in_block() & ~31u);
        if (n > 32) __trap();
        return thread_group(lwc_kind::warp, left < 32 ? m & ((1u << left) - 1u) : m);
    }
    return tiled_partition(coalesced_group(g.mask), n);
}
template <class G, class T> LWC_CG coalesced_group labeled_partition(const G &g, T label)
{
    unsigned m = __match_any_sync(g.mask, label);
    return coalesced_group(m);
}
template <class G> LWC_CG coalesced_group binary_partition(const G &g, bool p)
{
    unsigned m = __ballot_sync(g.mask, p);
    return coalesced_group(p ? m : g.mask & ~m, 2, p ? 1 : 0);
}

LWC_CGM void thread_group::sync() const
{
    if (kind == lwc_kind::block) __syncthreads();
    else if (kind == lwc_kind::warp) __syncwarp(mask);
    else if (kind == lwc_kind::grid) grid_group().sync();
    else cluster_group::sync();
}
LWC_CGM unsigned long long thread_group::size() const
{
    return kind == lwc_kind::block  ? thread_block::size()
           : kind == lwc_kind::warp ? (unsigned long long)__popc(mask)
           : kind == lwc_kind::grid ? grid_group::size()
                                    : cluster_group::size();
}
LWC_CGM unsigned long long thread_group::thread_rank() const
{
    return kind == lwc_kind::block  ? thread_block::thread_rank()
           : kind == lwc_kind::warp ? (unsigned long long)__popc(mask & lanewise::lanes_below())
           : kind == lwc_kind::grid ? grid_group::thread_rank()
                                    : cluster_group::thread_rank();
}

template <class G> LWC_CG void sync(const G &g) { g.sync(); }
template <class G> LWC_CG unsigned long long thread_rank(const G &g) { return g.thread_rank(); }
template <class G> LWC_CG unsigned long long group_size(const G &g) { return g.size(); }
template <class G, class F> LWC_CG void invoke_one(const G &g, F f)
{
    if (g.thread_rank() == 0) f();
}
template <class G, class F> LWC_CG auto invoke_one_broadcast(const G &g, F f) -> decltype(f())
{
    decltype(f()) v{};
    if (g.thread_rank() == 0) v = f();
    return g.shfl(v, 0);
}

} // namespace cooperative_groups

#endif
