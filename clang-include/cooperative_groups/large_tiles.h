/* Tiles of 64 to 512 threads: several warps of a block, with memory that the program gives to this_thread_block().
 * A tile waits at a named barrier of its own; of the 16 tiles of 64 threads in a block of 1024 the last has none left
 * (0 is __syncthreads) and counts arrivals in that memory. Included by cooperative_groups.h. */
#ifndef LWC_LARGE_TILES_H
#define LWC_LARGE_TILES_H

namespace cooperative_groups
{
/* Word 0: the arrivals of the tile without a barrier; then one word a warp. */
template <unsigned MaxBlockSize = 1024> struct block_tile_memory {
    unsigned long long words[1 + (MaxBlockSize + 31) / 32];
};

template <unsigned N> LWC_CG thread_block this_thread_block(block_tile_memory<N> &memory)
{
    thread_block b;
    b.memory = memory.words;
    if (thread_block::thread_rank() == 0) memory.words[0] = 0;
    __syncthreads();
    return b;
}

namespace lanewise
{
template <unsigned Size> class large_tile
{
  public:
    LWC_CGM large_tile() : memory(0) {}
    static constexpr LWC_THD unsigned size() { return Size; }
    static constexpr LWC_THD unsigned num_threads() { return Size; }
    static LWC_CGM unsigned thread_rank() { return thread_rank_in_block() % Size; }
    static LWC_CGM unsigned meta_group_rank() { return thread_rank_in_block() / Size; }
    static LWC_CGM unsigned meta_group_size() { return (threads_in_block() + Size - 1) / Size; }
    LWC_CGM void sync() const
    {
        unsigned barrier = meta_group_rank() + 1;
        if (barrier < 16) asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "n"(Size) : "memory");
        else count_arrivals();
    }
    template <class T> LWC_CGM T shfl(T v, unsigned rank) const
    {
        return by_words(v, [=](unsigned w) {
            volatile unsigned *slot = (volatile unsigned *)(memory + 1 + meta_group_rank() * (Size / 32));
            if (thread_rank() == rank) *slot = w;
            sync();
            unsigned r = *slot;
            sync();
            return r;
        });
    }
    LWC_CGM int any(int p) const
    {
        return fold((unsigned)__any_sync(0xffffffffu, p), [](unsigned a, unsigned b) { return a | b; }) != 0;
    }
    LWC_CGM int all(int p) const { return !any(!p); }
    /* What each warp holds, folded over the warps; the same in all threads. */
    template <class T, class Op> LWC_CGM T fold(T of_warp, Op op) const
    {
        static_assert(sizeof(T) <= 8, "values of tiles of several warps have 8 bytes at most");
        unsigned long long *slots = memory + 1 + meta_group_rank() * (Size / 32);
        if (lwc_laneid() == 0) __builtin_memcpy(&slots[thread_rank() / 32], &of_warp, sizeof(T));
        sync();
        T result, next;
        __builtin_memcpy(&result, &slots[0], sizeof(T));
        for (unsigned i = 1; i < Size / 32; i++) {
            __builtin_memcpy(&next, &slots[i], sizeof(T));
            result = op(result, next);
        }
        sync();
        return result;
    }
    unsigned long long *memory;

  private:
    /* The top bit turns over when the last warp comes. */
    LWC_CGM void count_arrivals() const
    {
        __syncwarp();
        if (lwc_laneid() == 0) {
            unsigned *w = (unsigned *)memory, add = thread_rank() == 0 ? 0x80000000u - (Size / 32 - 1) : 1u;
            __threadfence_block();
            unsigned old = atomicAdd(w, add);
            while (((*(volatile unsigned *)w ^ old) & 0x80000000u) == 0) {}
            __threadfence_block();
        }
        __syncwarp();
    }
};
} // namespace lanewise

#define LWC_LARGE_TILE(Size)                                                                                           \
    template <> class thread_block_tile<Size, void> : public lanewise::large_tile<Size>                                \
    {                                                                                                                  \
      public:                                                                                                          \
        LWC_CGM thread_block_tile() {}                                                                                 \
    };
LWC_LARGE_TILE(64)
LWC_LARGE_TILE(128)
LWC_LARGE_TILE(256)
LWC_LARGE_TILE(512)
#undef LWC_LARGE_TILE

namespace lanewise
{
template <class G> LWC_CG void give_memory(thread_group &, const G &) {}
template <unsigned Size> LWC_CG void give_memory(large_tile<Size> &t, const thread_block &b) { t.memory = b.memory; }
template <unsigned Size, unsigned Outer> LWC_CG void give_memory(large_tile<Size> &t, const large_tile<Outer> &outer)
{
    t.memory = outer.memory;
}
} // namespace lanewise
} // namespace cooperative_groups

#endif
