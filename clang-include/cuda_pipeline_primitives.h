/*
 * Asynchronous copies from global to shared memory: the primitives, and a plain copy below sm_80.
 */
#ifndef LWC_CUDA_PIPELINE_PRIMITIVES_H
#define LWC_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"

LWC_FN void __pipeline_memcpy_async(void *dst, const void *src, size_t size, size_t zfill = 0)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned d = (unsigned)__cvta_generic_to_shared(dst);
    unsigned n = (unsigned)(size - zfill);
    if (size == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(d), "l"(src), "r"(n) : "memory");
    else if (size == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(d), "l"(src), "r"(n) : "memory");
    else if (size == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(d), "l"(src), "r"(n) : "memory");
    else __trap();
#else
    char *d = (char *)dst;
    const char *s = (const char *)src;
    for (size_t i = 0; i < size; i++) d[i] = i < size - zfill ? s[i] : 0;
#endif
}
LWC_FN void __pipeline_commit(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/* The PTX count is an immediate: a constant argument chooses one case of the switch. */
LWC_FN void __pipeline_wait_prior(size_t n)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    switch (n) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    case 7: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 8;" ::: "memory"); break;
    }
#else
    (void)n;
#endif
}
LWC_FN void __pipeline_arrive_on(unsigned long long *barrier)
{
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier))
                 : "memory");
}

/* Barriers of one block's asynchronous work (sm_80). */
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;
LWC_FN void __mbarrier_init(__mbarrier_t *b, unsigned n)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(b)), "r"(n) : "memory");
}
LWC_FN void __mbarrier_inval(__mbarrier_t *b)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(b)) : "memory");
}
LWC_FN __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b)
{
    __mbarrier_token_t t;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(t)
                 : "r"((unsigned)__cvta_generic_to_shared(b))
                 : "memory");
    return t;
}
LWC_FN bool __mbarrier_test_wait(__mbarrier_t *b, __mbarrier_token_t t)
{
    unsigned r;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(r)
                 : "r"((unsigned)__cvta_generic_to_shared(b)), "l"(t)
                 : "memory");
    return r != 0;
}

#endif
