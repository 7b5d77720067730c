#include "time/lanes.h"

#include "time/lru.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Without branches: most lanes of a scattered access are of no more interest. */
static void some_lanes(const uint64_t *address, uint32_t mask, uint32_t drop, cache_lanes *lanes)
{
    const uint64_t first = address[__builtin_ctz(mask)] >> CACHE_LINE_SHIFT;
    *lanes = (cache_lanes){0, 0, 0};
    uint64_t last = ~first;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t line = address[lane] >> CACHE_LINE_SHIFT;
        lanes->wanted |= (uint32_t)!(cache_mix(line) & drop) << lane;
        lanes->another |= (uint32_t)(line != last) << lane;
        lanes->first |= (uint32_t)(line == first) << lane;
        last = line;
    }
}

#ifdef __x86_64__
#define HALF __attribute__((target("avx2")))

/* Of x * y, of 64 bits each: low bits 0 to 31 are in those of *low, bits 32 to 63 where they belong in what is returned, whose others mean
 * nothing. From products of 32 bits: AVX2 has no others. */
HALF static inline __m256i times_half(__m256i x, uint64_t y, __m256i *low)
{
    *low = _mm256_mul_epu32(x, _mm256_set1_epi64x((long long)y));
    __m256i crossed = _mm256_mullo_epi32(x, _mm256_set1_epi64x((long long)(y >> 32 | y << 32)));
    return _mm256_add_epi32(_mm256_add_epi32(*low, crossed), _mm256_slli_epi64(crossed, 32));
}

/* Bits 0 to 31 of cache_mix(). */
HALF static inline __m256i mix_half(__m256i x)
{
    __m256i low, sum = times_half(x, UINT64_C(0x9e3779b97f4a7c15), &low);
    __m256i product = _mm256_blend_epi32(low, sum, 0xaa); /* its upper words from sum */
    x = _mm256_xor_si256(product, _mm256_srli_epi64(sum, 32));
    sum = times_half(x, UINT64_C(0xd6e8feb86659fd93), &low);
    return _mm256_xor_si256(low, _mm256_srli_epi64(sum, 32));
}

HALF static inline uint32_t equal_half(__m256i x, __m256i y)
{
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(x, y)));
}

HALF static inline __m256i lines_half(const uint64_t *address)
{
    return _mm256_srli_epi64(_mm256_loadu_si256((const __m256i *)(const void *)address), CACHE_LINE_SHIFT);
}

/* Four lanes at once, all of them active. */
HALF static void all_lanes_half(const uint64_t *address, uint32_t drop, cache_lanes *lanes)
{
    const uint32_t step = 4;
    const __m256i dropped = _mm256_set1_epi64x(drop), zero = _mm256_setzero_si256();
    const __m256i first = _mm256_set1_epi64x((long long)(address[0] >> CACHE_LINE_SHIFT));
    uint32_t wanted = 0, at_first = 0, same = 0;
#pragma GCC unroll 8
    for (uint32_t lane = 0; lane < 32; lane += step) {
        __m256i line = lines_half(address + lane);
        __m256i last =
            lane ? lines_half(address + lane - 1) : _mm256_permute4x64_epi64(line, 0x90); /* of lanes 1 to 3 */
        wanted |= equal_half(_mm256_and_si256(mix_half(line), dropped), zero) << lane;
        at_first |= equal_half(line, first) << lane;
        same |= equal_half(line, last) << lane;
    }
    lanes->wanted = wanted;
    lanes->first = at_first;
    lanes->another = ~same | 1; /* nothing is before lane 0 */
}

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
WIDE static void all_lanes(const uint64_t *address, uint32_t drop, cache_lanes *lanes)
{
    const uint32_t step = 8;
    const __m512i dropped = _mm512_set1_epi64(drop);
    const __m512i first = _mm512_set1_epi64((long long)(address[0] >> CACHE_LINE_SHIFT));
    *lanes = (cache_lanes){0, 0, 0};
    __m512i before = _mm512_xor_si512(first, _mm512_set1_epi64(-1));
    for (uint32_t lane = 0; lane < 32; lane += step) {
        __m512i line = _mm512_srli_epi64(_mm512_loadu_si512(address + lane), CACHE_LINE_SHIFT);
        __m512i last = _mm512_alignr_epi64(line, before, 7);
        lanes->wanted |= (uint32_t)_mm512_testn_epi64_mask(mix_wide(line), dropped) << lane;
        lanes->another |= (uint32_t)_mm512_cmpneq_epi64_mask(line, last) << lane;
        lanes->first |= (uint32_t)_mm512_cmpeq_epi64_mask(line, first) << lane;
        before = line;
    }
}
#endif

void cache_lanes_of(const uint64_t address[32], uint32_t mask, uint32_t drop, cache_lanes *lanes)
{
#ifdef __x86_64__
    if (mask == UINT32_MAX && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        all_lanes(address, drop, lanes);
        return;
    }
    if (mask == UINT32_MAX && __builtin_cpu_supports("avx2")) {
        all_lanes_half(address, drop, lanes);
        return;
    }
#endif
    some_lanes(address, mask, drop, lanes);
}
