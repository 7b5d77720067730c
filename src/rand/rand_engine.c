/* The generators: their states, where their streams begin, and how a draw becomes a number between 0 and 1. */
#include <string.h>

#include "rand/rand.h"

/* Group `offset` of all is group offset / streams of stream offset % streams: how many groups a stream lies behind. */
static uint64_t groups_before(const rand_generator *g, unsigned stream, uint64_t offset)
{
    unsigned streams = g->engine->streams;
    return offset / streams + (stream < offset % streams);
}

/* As curand_uniform(): (0, 1], from 32 bits. */
static float uniform_of_bits(uint64_t draw) { return (float)(uint32_t)draw * 0x1p-32f + 0x1p-33f; }
static double double_of_bits(const uint64_t *draws)
{
    uint64_t mixed = (uint32_t)draws[0] ^ (uint64_t)(uint32_t)draws[1] << 21;
    return (double)mixed * 0x1p-53 + 0x1p-54;
}
static uint32_t integer_of_bits(uint64_t draw) { return (uint32_t)draw; }

/* ---------------------------------------------------------------- XORWOW (Marsaglia 2003) */
#define XORWOW_ADDEND 362437u
#define XORWOW_STREAM_BITS 67 /* streams begin 2^67 numbers apart */
typedef struct xorwow {
    uint32_t d, v[5];
} xorwow;

/* How cuRAND makes a state of a seed. */
static xorwow xorwow_seeded(uint64_t seed)
{
    uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
    uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    return (xorwow){6615241u + low + high,
                    {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low}};
}

static void xorwow_start(rand_generator *g, uint64_t seed, uint64_t offset)
{
    xorwow *states = g->states;
    rand_bits power;
    rand_bits_step(&power);
    uint64_t steps = offset / g->engine->streams; /* of every stream */
    xorwow state = xorwow_seeded(seed);
    for (int bit = 0; bit < XORWOW_STREAM_BITS; bit++) {
        if (bit < 64 && steps >> bit & 1) rand_bits_apply(&power, state.v);
        rand_bits_square(&power);
    }
    state.d += (uint32_t)steps * XORWOW_ADDEND;
    for (unsigned i = 0; i < g->engine->streams; i++) { /* 2^67 additions leave d as it is */
        states[i] = state;
        rand_bits_apply(&power, state.v);
    }
    uint64_t unused;
    for (unsigned i = 0; i < offset % g->engine->streams; i++) g->engine->draw(&states[i], 1, &unused);
}

static void xorwow_draw(void *state, unsigned count, uint64_t *out)
{
    xorwow *s = state;
    for (unsigned i = 0; i < count; i++) {
        uint32_t t = s->v[0] ^ s->v[0] >> 2;
        memmove(s->v, s->v + 1, 4 * sizeof *s->v);
        s->v[4] = (s->v[4] ^ s->v[4] << 4) ^ (t ^ t << 1);
        s->d += XORWOW_ADDEND;
        out[i] = s->v[4] + s->d;
    }
}

/* ---------------------------------------------------------------- MRG32k3a (L'Ecuyer 1999) */
#define MRG_M1 4294967087u
#define MRG_M2 4294944443u
#define MRG_STREAM_BITS 76
typedef struct mrg {
    uint32_t s1[3], s2[3];
} mrg;

static void mrg_step_matrices(rand_mod *a, rand_mod *b)
{
    *a = (rand_mod){{{0, 1, 0}, {0, 0, 1}, {MRG_M1 - 810728u, 1403580u, 0}}, MRG_M1};
    *b = (rand_mod){{{0, 1, 0}, {0, 0, 1}, {MRG_M2 - 1370589u, 0, 527612u}}, MRG_M2};
}

static mrg mrg_seeded(uint64_t seed)
{
    mrg s = {{12345, 12345, 12345}, {12345, 12345, 12345}};
    if (!seed) return s;
    uint64_t x1 = (uint32_t)seed ^ 0x55555555u;
    uint64_t x2 = (uint32_t)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; i++) {
        s.s1[i] = (uint32_t)((i == 1 ? x2 : x1) * 12345 % MRG_M1);
        s.s2[i] = (uint32_t)((i == 1 ? x1 : x2) * 12345 % MRG_M2);
    }
    return s;
}

static void mrg_start(rand_generator *g, uint64_t seed, uint64_t offset)
{
    mrg *states = g->states;
    rand_mod a, b;
    mrg_step_matrices(&a, &b);
    uint64_t steps = offset / g->engine->streams;
    mrg state = mrg_seeded(seed);
    for (int bit = 0; bit < MRG_STREAM_BITS; bit++) {
        if (bit < 64 && steps >> bit & 1) {
            rand_mod_apply(&a, state.s1);
            rand_mod_apply(&b, state.s2);
        }
        rand_mod_square(&a);
        rand_mod_square(&b);
    }
    for (unsigned i = 0; i < g->engine->streams; i++) {
        states[i] = state;
        rand_mod_apply(&a, state.s1);
        rand_mod_apply(&b, state.s2);
    }
    uint64_t unused;
    for (unsigned i = 0; i < offset % g->engine->streams; i++) g->engine->draw(&states[i], 1, &unused);
}

static void mrg_draw(void *state, unsigned count, uint64_t *out)
{
    mrg *s = state;
    for (unsigned i = 0; i < count; i++) {
        uint64_t p1 = (1403580ull * s->s1[1] + 810728ull * (MRG_M1 - s->s1[0])) % MRG_M1;
        uint64_t p2 = (527612ull * s->s2[2] + 1370589ull * (MRG_M2 - s->s2[0])) % MRG_M2;
        s->s1[0] = s->s1[1];
        s->s1[1] = s->s1[2];
        s->s1[2] = (uint32_t)p1;
        s->s2[0] = s->s2[1];
        s->s2[1] = s->s2[2];
        s->s2[2] = (uint32_t)p2;
        out[i] = p1 > p2 ? p1 - p2 : p1 + MRG_M1 - p2;
    }
}

#define MRG_NORM 2.3283065498378288e-10 /* as curand_kernel.h has it: 1 / (MRG_M1 + 1) */
static float mrg_uniform(uint64_t draw) { return (float)((double)draw * MRG_NORM); }
static double mrg_uniform_double(const uint64_t *draws) { return (double)draws[0] * MRG_NORM; }
static uint32_t mrg_integer(uint64_t draw) { return (uint32_t)((double)draw * 1.000000048662); }

/* ---------------------------------------------------------------- Philox4x32-10 (Salmon and others 2011) */
typedef struct philox {
    uint64_t counter; /* of groups of four; the words above it are the stream */
    uint32_t stream, key[2];
} philox;

static void philox_start(rand_generator *g, uint64_t seed, uint64_t offset)
{
    philox *states = g->states;
    for (unsigned i = 0; i < g->engine->streams; i++)
        states[i] = (philox){groups_before(g, i, offset / 4), i, {(uint32_t)seed, (uint32_t)(seed >> 32)}};
}

static void philox_four(const philox *p, uint32_t c[4])
{
    uint32_t key[2] = {p->key[0], p->key[1]};
    c[0] = (uint32_t)p->counter;
    c[1] = (uint32_t)(p->counter >> 32);
    c[2] = p->stream;
    c[3] = 0;
    for (int round = 0; round < 10; round++) {
        uint64_t x = 0xd2511f53ull * c[0];
        uint64_t y = 0xcd9e8d57ull * c[2];
        uint32_t next[4] = {(uint32_t)(y >> 32) ^ c[1] ^ key[0], (uint32_t)y, (uint32_t)(x >> 32) ^ c[3] ^ key[1],
                            (uint32_t)x};
        memcpy(c, next, sizeof next);
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
}

static void philox_draw(void *state, unsigned count, uint64_t *out)
{
    philox *p = state;
    uint32_t four[4];
    for (unsigned i = 0; i < count; i++) {
        if (i % 4 == 0) {
            philox_four(p, four);
            p->counter++;
        }
        out[i] = four[i % 4];
    }
}

/* ---------------------------------------------------------------- MT19937 (Matsumoto and Nishimura 1998), one stream */
#define MT_WORDS 624u
typedef struct mt19937 {
    uint32_t words[MT_WORDS];
    unsigned next;
} mt19937;

static void mt_renew(mt19937 *m)
{
    for (unsigned i = 0; i < MT_WORDS; i++) {
        uint32_t y = (m->words[i] & 0x80000000u) | (m->words[(i + 1) % MT_WORDS] & 0x7fffffffu);
        m->words[i] = m->words[(i + 397) % MT_WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    m->next = 0;
}

static void mt_draw(void *state, unsigned count, uint64_t *out)
{
    mt19937 *m = state;
    for (unsigned i = 0; i < count; i++) {
        if (m->next == MT_WORDS) mt_renew(m);
        uint32_t y = m->words[m->next++];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        out[i] = y ^ y >> 18;
    }
}

static void mt_start(rand_generator *g, uint64_t seed, uint64_t offset)
{
    mt19937 *m = g->states;
    m->words[0] = (uint32_t)seed ^ (uint32_t)(seed >> 32);
    for (uint32_t i = 1; i < MT_WORDS; i++) m->words[i] = 1812433253u * (m->words[i - 1] ^ m->words[i - 1] >> 30) + i;
    m->next = MT_WORDS;
    uint64_t unused;
    for (uint64_t i = 0; i < offset; i++) mt_draw(m, 1, &unused);
}

/* ---------------------------------------------------------------- quasirandom: a draw is made of its index (rand_fill.c) */
static void quasi_start(rand_generator *g, uint64_t seed, uint64_t offset)
{
    (void)seed;
    g->drawn = offset;
}
static float uniform_of_32(uint64_t draw) { return (float)(uint32_t)(draw >> 32) * 0x1p-32f + 0x1p-33f; }
static double double_of_32(const uint64_t *draws) { return (double)(uint32_t)(draws[0] >> 32) * 0x1p-32 + 0x1p-33; }
static double double_of_64(const uint64_t *draws) { return (double)(draws[0] >> 11) * 0x1p-53 + 0x1p-54; }
static uint32_t integer_of_32(uint64_t draw) { return (uint32_t)(draw >> 32); }

/* ---------------------------------------------------------------- the table */
#define PSEUDO(number, stream_count, state, lane_count, odd, doubles, start, draw, uniform, uniform_double, integer)   \
    {number, false,   false, 32,   stream_count, sizeof(state),  lane_count,                                           \
     odd,    doubles, start, draw, uniform,      uniform_double, integer}
#define QUASI(number, scrambled, bits, uniform_double)                                                                 \
    {number, true, scrambled, bits, 1, 1, 1, true, 1, quasi_start, NULL, uniform_of_32, uniform_double, integer_of_32}
static const rand_engine engines[] = {
    PSEUDO(101, 4096, xorwow, 1, false, 2, xorwow_start, xorwow_draw, uniform_of_bits, double_of_bits, integer_of_bits),
    PSEUDO(121, 81920, mrg, 1, false, 1, mrg_start, mrg_draw, mrg_uniform, mrg_uniform_double, mrg_integer),
    PSEUDO(141, 1, mt19937, 1, true, 2, mt_start, mt_draw, uniform_of_bits, double_of_bits,
           integer_of_bits), /* MTGP32 */
    PSEUDO(142, 1, mt19937, 1, true, 2, mt_start, mt_draw, uniform_of_bits, double_of_bits, integer_of_bits),
    PSEUDO(161, 65536, philox, 4, true, 2, philox_start, philox_draw, uniform_of_bits, double_of_bits, integer_of_bits),
    QUASI(201, false, 32, double_of_32),
    QUASI(202, true, 32, double_of_32),
    QUASI(203, false, 64, double_of_64),
    QUASI(204, true, 64, double_of_64),
};

const rand_engine *rand_engine_find(int type)
{
    enum { PSEUDO_DEFAULT = 100, XORWOW = 101, QUASI_DEFAULT = 200, SOBOL32 = 201 };
    if (type == PSEUDO_DEFAULT) type = XORWOW;
    if (type == QUASI_DEFAULT) type = SOBOL32;
    for (size_t i = 0; i < LW_COUNT(engines); i++)
        if (engines[i].type == type) return &engines[i];
    return NULL;
}
