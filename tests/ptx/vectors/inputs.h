/* inputs.h: the operand values of the instruction vectors: a pure function of lane type, operand number and index,
 * shared by the program that records results on a GPU and by the tests that compare. The first VECTOR_EDGES indices
 * combine edge values (one operand: the edge table itself), the others are pseudo-random values of mixed classes. */
#ifndef LW_TEST_VECTOR_INPUTS_H
#define LW_TEST_VECTOR_INPUTS_H

#include <stdint.h>

enum { VECTOR_COUNT = 256, VECTOR_CORE = 14, VECTOR_EDGES = VECTOR_CORE * VECTOR_CORE };

/* classes of values */
enum vector_class { CLASS_INT, CLASS_F32, CLASS_F64, CLASS_H16, CLASS_B16, CLASS_H16X2, CLASS_B16X2 };

static const uint64_t int_edges[] = {
    0,
    1,
    UINT64_MAX,
    0x80000000u,
    0x7fffffffu,
    31,
    32,
    0x8000000000000000u,
    0x7fffffffffffffffu,
    0x8000,
    0x7fff,
    63,
    64,
    0x123456789abcdef0u,
    2,
    3,
    7,
    8,
    15,
    16,
    17,
    33,
    65,
    127,
    128,
    255,
    256,
    0xffff,
    0x10000,
    0xff00ff00ff00ff00u,
    0xfffffffeu,
    0xffffffffu,
    0x100000000u,
    0x80000001u,
    0xffffff80ffffff80u,
    0xfffffffffffffffeu,
    0x1000001u,
    0x1fffffff,
    0x20000000000001u,
    0x55555555aaaaaaaau,
    0x7ff,
    0x801,
    0x1001,
    65519,
    65520,
    65535,
    65536,
    0x7fffff80u,
    0x7fffffc0u,
    0xffffff7fu,
    0x7fffff8000000000u,
    0x7ffffffffffffdffu,
    0xffffff8000000000u,
    0x8080000000000001u,
    0x01010001u,
    0x01018000u,
};
static const uint32_t f32_edges[] = {
    0,           0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 1,           0x807fffffu,
    0x7f7fffffu, 0x00800000u, 0x3fc00000u, 0xc0490fdbu, 0x40000000u, /* core */
    0xff7fffffu, 0x7f800001u, 0xffc12345u, 0xffffffffu, 0x80800000u, 0x007fffffu, 0x80000001u, 0x3f000000u, 0xbf000000u,
    0x3effffffu, 0x3f000001u, 0x3f7fffffu, 0x3f800001u, 0x40200000u, 0xc0200000u, 0x40600000u, 0x42fe0000u, 0x42ff0000u,
    0x43000000u, 0xc3000000u, 0xc3008000u, 0xc3010000u, 0x437f8000u, 0x43800000u, 0x46fffe00u, 0x47000000u, 0x477fff00u,
    0x477fe000u, 0x477fefffu, 0x477ff000u, 0x4f000000u, 0x4effffffu, 0xcf000000u, 0xcf000001u, 0x4f800000u, 0x4f7fffffu,
    0x5f000000u, 0x5effffffu, 0xdf000000u, 0x5f800000u, 0x33800000u, 0x33000000u, 0x33000001u, 0x387fe000u, 0x387ff000u,
    0x38800000u, 0x43dfffffu, 0x43e00000u, 0x43e80000u, 0x47600000u, 0x47680000u, 0x3b800000u, 0x3a800000u, 0x3a800001u,
    0x3f801000u, 0x3f803000u, 0x3f808000u, 0x3f818000u, 0x7f7f8000u, 0x7f7f7fffu, 0xc2fc0000u, 0xc3150000u, 0xc3160000u,
    0xc3168000u, 0x42fe0001u, 0x3f490fdbu, 0x40490fdbu, 0x40c90fdbu, 0x4f490fdbu, 0x461c4000u, 0x4b800001u, 0xcb000001u,
    0x3fb504f3u, 0x00400000u, 0x00000100u, 0x7e800000u, 0x7e800001u, 0x7f000000u, 0xfe800001u, 0x00ffffffu, 0x01000000u,
};
static const uint64_t f64_edges[] = {
    0,
    0x8000000000000000u,
    0x3ff0000000000000u,
    0xbff0000000000000u,
    0x7ff0000000000000u,
    0xfff0000000000000u,
    0x7ff8000000000000u,
    1,
    0x800fffffffffffffu,
    0x7fefffffffffffffu,
    0x0010000000000000u,
    0x3ff8000000000000u,
    0xfff4000000000123u,
    0x4000000000000000u, /* core */
    0x7ff0000000000001u,
    0xffffffffffffffffu,
    0x7ff8000000001234u,
    0x8010000000000000u,
    0xffefffffffffffffu,
    0x3fe0000000000000u,
    0xbfe0000000000000u,
    0x3fdfffffffffffffu,
    0x3fe0000000000001u,
    0x4004000000000000u,
    0xc004000000000000u,
    0x47efffffe0000000u,
    0x47effffff0000000u,
    0x47efffffefffffffu,
    0x36a0000000000000u,
    0x3690000000000000u,
    0x3690000000000001u,
    0x380fffffc0000000u,
    0x380fffffe0000000u,
    0x3810000000000000u,
    0x40effc0000000000u,
    0x40effdffffffffffu,
    0x40effe0000000000u,
    0x3e60000000000000u,
    0x3e60000000000001u,
    0x3f10000000000000u,
    0x41dfffffffc00000u,
    0x41e0000000000000u,
    0xc1e0000000000000u,
    0xc1e0000000200000u,
    0x41efffffffe00000u,
    0x41f0000000000000u,
    0x43e0000000000000u,
    0x43dfffffffffffffu,
    0xc3e0000000000000u,
    0x43f0000000000000u,
    0x43efffffffffffffu,
    0x405fe00000000000u,
    0x4070000000000000u,
    0x406ff00000000000u,
    0x3ff0000010000000u,
    0x3ff0000030000000u,
    0x3ff0100000000000u,
    0x3ff0300000000000u,
    0x47efe00000000000u,
    0x47effdffffffffffu,
    0x7fd0000000000000u,
    0x7fd0000000000001u,
    0x7fe0000000000000u,
    0x3fefffffffffffffu,
    0x4330000000000001u,
    0x000fffffffffffffu,
    0x3ff0000000000001u,
    0x0008000000000000u,
    0x3fd5555555555555u,
};
static const uint16_t h16_edges[] = {
    0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1,      0x83ff, 0x7bff,
    0x0400, 0x3e00, 0x4000, 0xfc01, /* core */
    0x7fff, 0xffff, 0xfbff, 0x3800, 0xb800, 0x4100, 0x4300, 0x3bff, 0x3c01, 0x03ff,
    0x8001, 0x8400, 0x5bff, 0x5c00, 0x57f8, 0x77ff, 0x7800, 0x5f7f, 0x5f00, 0x6c00,
    0x7a00, 0x7b00, 0x7b80, 0x1c00, 0x2000, 0x0002, 0x6800, 0x6801, 0x7d55, 0x3555,
};
static const uint16_t b16_edges[] = {
    0,      0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 1,      0x807f, 0x7f7f,
    0x0080, 0x3fc0, 0x4000, 0xff81, /* core */
    0x7fff, 0xffff, 0xff7f, 0x3f00, 0xbf00, 0x4020, 0x4060, 0x3f7f, 0x3f81, 0x007f,
    0x8001, 0x8080, 0x4300, 0x437f, 0x4f00, 0x4f80, 0xcf00, 0x5f00, 0x5f80, 0x477f,
    0x4780, 0x3880, 0x3300, 0x3380, 0x3381, 0x0100, 0x0040, 0x7e80, 0x7f00, 0x4b80,
};

static inline uint64_t vector_random(uint64_t seed) /* splitmix64 */
{
    seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
    return seed ^ seed >> 31;
}

/* A random value: any bits, a moderate exponent, or near an edge. */
static inline uint64_t vector_mixed(enum vector_class c, uint64_t r, uint64_t pick)
{
    switch (c) {
    case CLASS_INT: return pick % 4 == 0 ? r : pick % 4 == 1 ? r >> 32 : pick % 4 == 2 ? r % 81 : r >> 1 >> (r & 63);
    case CLASS_F32: {
        uint32_t x = (uint32_t)r, e = 127 - 12 + (uint32_t)(pick >> 8) % 24,
                 wide = 127 - 30 + (uint32_t)(pick >> 8) % 66;
        return pick % 4 == 0 ? x : (x & 0x807fffffu) | (pick % 4 == 1 ? wide : e) << 23;
    }
    case CLASS_F64: {
        uint64_t e = 1023 - 12 + (pick >> 8) % 24, wide = 1023 - 150 + (pick >> 8) % 290;
        return pick % 4 == 0 ? r : (r & 0x800fffffffffffffu) | (pick % 4 == 1 ? wide : e) << 52;
    }
    case CLASS_H16: return pick % 2 ? r & 0xffff : (r & 0x83ff) | (12 + (pick >> 8) % 7) << 10;
    case CLASS_B16: return pick % 2 ? r & 0xffff : (r & 0x807f) | (121 + (pick >> 8) % 12) << 7;
    default: return r;
    }
}

#define EDGE_COUNT(table) (sizeof table / sizeof table[0])
static inline uint64_t vector_edge(enum vector_class c, uint32_t k)
{
    switch (c) {
    case CLASS_F32: return f32_edges[k % EDGE_COUNT(f32_edges)];
    case CLASS_F64: return f64_edges[k % EDGE_COUNT(f64_edges)];
    case CLASS_H16: return h16_edges[k % EDGE_COUNT(h16_edges)];
    case CLASS_B16: return b16_edges[k % EDGE_COUNT(b16_edges)];
    default: return int_edges[k % EDGE_COUNT(int_edges)];
    }
}

/* Several NaNs at once: operand k is a quiet NaN, a signalling NaN (payloads tell which) or a number. */
static inline uint64_t vector_nan(enum vector_class c, uint32_t k, uint32_t choice)
{
    static const uint64_t value[4][3] = {{0x7fc00000u, 0xff800010u, 0x3fc00000u},
                                         {0x7ff8000000000000u, 0xfff0000000000010u, 0x3ff8000000000000u},
                                         {0x7e00, 0xfc10, 0x3e00},
                                         {0x7fc0, 0xff90, 0x3fc0}};
    return value[c - CLASS_F32][choice] + (choice < 2 ? k + 1 : 0);
}

/* Results just under the least normal number, cancellation, overflow. */
static inline uint64_t vector_corner(enum vector_class c, uint32_t k, uint32_t which)
{
    static const uint32_t f32[][3] = {{0x00ffffffu, 0x3f000000u, 0},           {0x3f7fffffu, 0x00800000u, 0x80000000u},
                                      {0x3f7fffffu, 0x80800000u, 1},           {0x80000001u, 0x3e800000u, 0x00800000u},
                                      {0x00000001u, 0x3e800000u, 0x807fffffu}, {0x3f800001u, 0x3f800001u, 0xbf800002u},
                                      {0x3f7fffffu, 0x3f7fffffu, 0xbf7ffffeu}, {0x7f7fffffu, 0x3f800001u, 0xff7fffffu},
                                      {0x7f7fffffu, 0x40000000u, 0xff7fffffu}, {0x00800000u, 0x80000001u, 0x3f800000u},
                                      {0x00800001u, 0x80800000u, 0x33800000u}, {0x7f7fffffu, 0x7f7fffffu, 0x33800000u},
                                      {0x3f7fffffu, 0x7e800000u, 0},           {0x3fffffffu, 0x7f000000u, 0}};
    static const uint64_t f64[][3] = {{0x001fffffffffffffu, 0x3fe0000000000000u, 0},
                                      {0x3fefffffffffffffu, 0x0010000000000000u, 0x8000000000000000u},
                                      {0x3ff0000000000001u, 0x3ff0000000000001u, 0xbff0000000000002u},
                                      {0x7fefffffffffffffu, 0x4000000000000000u, 0xffefffffffffffffu},
                                      {0x0010000000000000u, 0x8000000000000001u, 0x3ff0000000000000u},
                                      {0x3fefffffffffffffu, 0x3fefffffffffffffu, 0xbfeffffffffffffeu}};
    static const uint16_t h16[][3] = {{0x07ff, 0x3800, 0},      {0x3bff, 0x0400, 0x8000}, {0x3bff, 0x8400, 1},
                                      {0x8001, 0x3400, 0x0400}, {0x3c01, 0x3c01, 0xbc02}, {0x7bff, 0x3c01, 0xfbff},
                                      {0x0400, 0x8001, 0x3c00}, {0x7bff, 0x4000, 0xfbff}, {0x7fff, 0x3c00, 0x3c00},
                                      {0x3c00, 0x7fff, 0x3c00}, {0x3c00, 0x3c00, 0x7fff}, {0xffff, 0x3c00, 0x3c00},
                                      {0x7ff7, 0x3c00, 0x3c00}, {0x3c00, 0xfff7, 0x7fff}, {0x3c00, 0xbc00, 0x7ff7},
                                      {0x7ff7, 0x7e00, 0x3c00}, {0xfff7, 0x7c00, 0xbc00}};
    static const uint16_t b16[][3] = {{0x00ff, 0x3f00, 0},      {0x3f7f, 0x0080, 0x8000}, {0x3f7f, 0x8080, 1},
                                      {0x8001, 0x3e80, 0x0080}, {0x3f81, 0x3f81, 0xbf82}, {0x3f80, 0x3f81, 0x0001},
                                      {0x3f88, 0x3f88, 0x2000}, {0x3f88, 0x3f88, 0xa000}, {0x7fff, 0x3f80, 0x3f80},
                                      {0x3f80, 0x7fff, 0x3f80}, {0x3f80, 0x3f80, 0x7fff}, {0xffff, 0x3f80, 0x3f80},
                                      {0x7f7f, 0x3f81, 0xff7f}, {0x7ff7, 0x3f80, 0x3f80}, {0x3f80, 0xfff7, 0x7fff},
                                      {0x3f80, 0xbf80, 0x7ff7}, {0xfff7, 0x7f80, 0xbf80}};
    switch (c) {
    case CLASS_F32: return f32[which % EDGE_COUNT(f32)][k];
    case CLASS_F64: return f64[which % EDGE_COUNT(f64)][k];
    case CLASS_H16: return h16[which % EDGE_COUNT(h16)][k];
    default: return b16[which % EDGE_COUNT(b16)][k];
    }
}

/* Operand k (0..2) of vector n of an instruction with `operands` sources; from VECTOR_COUNT on all are random. */
static inline uint64_t vector_input(enum vector_class c, uint32_t operands, uint32_t k, uint32_t n)
{
    if (c == CLASS_H16X2 || c == CLASS_B16X2) {
        enum vector_class half = c == CLASS_H16X2 ? CLASS_H16 : CLASS_B16;
        uint32_t other = n < VECTOR_COUNT ? (n * 37 + 11) % VECTOR_COUNT : n + 1000003;
        return vector_input(half, operands, k, n) | vector_input(half, operands, k, other) << 16;
    }
    uint64_t r = vector_random((uint64_t)n * 4 + k), pick = vector_random(r);
    if (n < VECTOR_EDGES) {
        if (operands == 1) return n < 96 ? vector_edge(c, n) : vector_mixed(c, r, pick);
        return vector_edge(c, k == 0 ? n % VECTOR_CORE : k == 1 ? n / VECTOR_CORE : n * 5 + n / VECTOR_CORE);
    }
    static const uint8_t power[3] = {1, 3, 9};
    if (operands > 1 && c != CLASS_INT && n < VECTOR_EDGES + 27)
        return vector_nan(c, k, (n - VECTOR_EDGES) / power[k] % 3);
    if (operands > 1 && c != CLASS_INT && n < VECTOR_EDGES + 44) return vector_corner(c, k, n - VECTOR_EDGES - 27);
    if (pick >> 32 & 1 && k) return vector_edge(c, (uint32_t)(pick >> 34));
    return vector_mixed(c, r, pick);
}

#endif
