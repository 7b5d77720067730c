/*
 * Bulk copies into shared memory, cc 9.0 and later (bulk.cu, gather.cu, square.cu); nothing on older devices. A barrier
 * is told how many bytes come, and lets go of those that wait for it when all of them are there.
 */
#ifndef LW_OPS_BULK_CUH
#define LW_OPS_BULK_CUH

#include "common/kernel.cuh"

LW_DEV uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

/* By one thread, before the block's next barrier. */
LW_DEV void bulk_init(uint32_t bar, uint32_t arrivals)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar), "r"(arrivals)
                 : "memory");
#endif
}

LW_DEV void bulk_expect(uint32_t bar, uint32_t bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
#endif
}

/* Both addresses and the size are multiples of 16. */
LW_DEV void bulk_copy(uint32_t to, const char *from, uint32_t bytes, uint32_t bar)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(bar)
                 : "memory");
#endif
}

LW_DEV uint32_t warp_sum(uint32_t v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, v);
#else
    return v;
#endif
}

/* Until the bytes of the barrier's first, third, ... use (parity 0) are there, or of the others (1). */
LW_DEV void bulk_wait(uint32_t bar, uint32_t parity)
{
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .pred p;\nW_%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra W_%=;\n}" ::"r"(bar),
        "r"(parity)
        : "memory");
#endif
}

#endif
