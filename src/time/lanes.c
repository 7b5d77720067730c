#include "time/lanes.h"

#include "time/lru.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Without branches: most lanes of a scattered access are of no more interest. */
static cache_lanes some_lanes(const uint64_t *address, uint32_t mask, uint64_t drop)
{
    const uint64_t first = address[__builtin_ctz(mask)] >> CACHE_LINE_SHIFT;
    cache_lanes lanes = {0, 0, 0};
    uint64_t last = ~first;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t line = address[lane] >> CACHE_LINE_SHIFT;
        lanes.wanted |= (uint32_t)!(cache_mix(line) & drop) << lane;
        lanes.another |= (uint32_t)(line != last) << lane;
        lanes.first |= (uint32_t)(line == first) << lane;
        last = line;
    }
    return lanes;
}

#ifdef __x86_64__
#define WIDE __attribute__((target("avx512f,avx512dq")))

/* cache_mix() */
WIDE static inline __m512i mix_wide(__m512i x)
{
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)UINT64_C(0x9e3779b97f4a7c15)));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)UINT64_C(0xd6e8feb86659fd93)));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
}

/* Eight lanes at once, all of them active. */
WIDE static cache_lanes all_lanes(const uint64_t *address, uint64_t drop)
{
    const uint32_t step = 8;
    const __m512i dropped = _mm512_set1_epi64((long long)drop);
    const __m512i first = _mm512_set1_epi64((long long)(address[0] >> CACHE_LINE_SHIFT));
    cache_lanes lanes = {0, 0, 0};
    __m512i before = _mm512_xor_si512(first, _mm512_set1_epi64(-1));
    for (uint32_t lane = 0; lane < 32; lane += step) {
        __m512i line = _mm512_srli_epi64(_mm512_loadu_si512(address + lane), CACHE_LINE_SHIFT);
        __m512i last = _mm512_alignr_epi64(line, before, 7);
        lanes.wanted |= (uint32_t)_mm512_testn_epi64_mask(mix_wide(line), dropped) << lane;
        lanes.another |= (uint32_t)_mm512_cmpneq_epi64_mask(line, last) << lane;
        lanes.first |= (uint32_t)_mm512_cmpeq_epi64_mask(line, first) << lane;
        before = line;
    }
    return lanes;
}
#endif

cache_lanes cache_lanes_of(const uint64_t address[32], uint32_t mask, uint64_t drop)
{
#ifdef __x86_64__
    if (mask == UINT32_MAX && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return all_lanes(address, drop);
#endif
    return some_lanes(address, mask, drop);
}
