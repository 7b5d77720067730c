/* Results of a generator: draws become bits, uniform, normal and log-normal numbers, and counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rand/rand.h"

static bool is_double(rand_kind kind)
{
    return kind == RAND_UNIFORM_DOUBLE || kind == RAND_NORMAL_DOUBLE || kind == RAND_LOG_NORMAL_DOUBLE;
}
static bool is_normal(rand_kind kind) { return kind >= RAND_NORMAL && kind <= RAND_LOG_NORMAL_DOUBLE; }
static bool is_count(rand_kind kind) { return kind == RAND_POISSON; }

size_t rand_kind_bytes(rand_kind kind) { return kind == RAND_BITS_64 || is_double(kind) ? 8 : 4; }

/* ---------------------------------------------------------------- counts: the inverse of the distribution function */
typedef struct counts {
    uint32_t first; /* the smallest count that is given */
    size_t n;
    double *cumulated; /* probability of first + i and all below */
} counts;

static double log_probability(double mean, double k) { return k * log(mean) - mean - lgamma(k + 1); }

static counts make_counts(double mean)
{
    double deviation = sqrt(mean);
    double low = floor(LW_MAX(mean - 12 * deviation - 12, 0));
    double high = LW_MIN(ceil(mean + 12 * deviation + 40), (double)UINT32_MAX); /* beyond lies less than 2^-60 */
    counts c = {(uint32_t)low, (size_t)(high - low) + 1, NULL};
    c.cumulated = lw_alloc(c.n * sizeof *c.cumulated);
    double sum = 0;
    for (size_t i = 0; i < c.n; i++) {
        sum += exp(log_probability(mean, low + (double)i));
        c.cumulated[i] = sum;
    }
    return c;
}

static uint32_t count_at(const counts *c, double uniform)
{
    size_t low = 0, high = c->n - 1; /* the first whose cumulated probability reaches it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->cumulated[middle] >= uniform) high = middle;
        else low = middle + 1;
    }
    return c->first + (uint32_t)low;
}

/* ---------------------------------------------------------------- normal numbers */
typedef struct pair {
    double x, y;
} pair;

/* Box and Muller; uniform: (0, 1]. */
static pair normal_pair(double radius, double angle)
{
    double s = sqrt(-2 * log(radius));
    return (pair){s * sin(6.283185307179586 * angle), s * cos(6.283185307179586 * angle)};
}

static double normal_inverse(double p)
{
    double x = 0; /* Newton's method from a start within 0.005 (Abramowitz and Stegun 26.2.23) */
    double q = LW_MIN(p, 1 - p);
    if (q <= 0) return p < 0.5 ? -8.3 : 8.3;
    double t = sqrt(-2 * log(q));
    x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 4; i++) {
        double beyond = 0.5 * erfc(x * 0.7071067811865476);
        x += (beyond - q) / (0.3989422804014327 * exp(-0.5 * x * x));
    }
    return p < 0.5 ? -x : x;
}

static double scaled(const rand_wish *w, double normal)
{
    double value = w->mean + w->deviation * normal;
    return w->kind == RAND_LOG_NORMAL || w->kind == RAND_LOG_NORMAL_DOUBLE ? exp(value) : value;
}

/* ---------------------------------------------------------------- a group of results */
typedef struct filling {
    const rand_engine *engine;
    const rand_wish *wish;
    counts counts;
    unsigned results, draws; /* of a group */
} filling;

static filling begin(const rand_engine *e, const rand_wish *w)
{
    filling f = {.engine = e, .wish = w, .results = e->lanes, .draws = 0};
    bool doubles = is_double(w->kind) || is_count(w->kind);
    if (is_normal(w->kind) && !e->quasi) f.results = LW_MAX(f.results, 2u);
    f.draws = f.results * (doubles ? e->draws_per_double : 1);
    if (is_count(w->kind)) f.counts = make_counts(w->mean);
    return f;
}

static double uniform_of(const filling *f, const uint64_t *draws, unsigned i)
{
    const rand_engine *e = f->engine;
    if (is_double(f->wish->kind) || is_count(f->wish->kind)) return e->uniform_double(draws + i * e->draws_per_double);
    return (double)e->uniform(draws[i]);
}

static void put(const filling *f, void *out, size_t i, double value)
{
    if (is_double(f->wish->kind)) ((double *)out)[i] = value;
    else ((float *)out)[i] = (float)value;
}

/* Results first .. first + n - 1 of the draws of one group. */
static void put_group(const filling *f, const uint64_t *draws, void *out, size_t first, unsigned n)
{
    rand_kind kind = f->wish->kind;
    for (unsigned i = 0; i < n; i++) {
        size_t at = first + i;
        if (kind == RAND_BITS_32) ((uint32_t *)out)[at] = f->engine->integer(draws[i]);
        else if (kind == RAND_BITS_64) ((uint64_t *)out)[at] = draws[i];
        else if (is_count(kind)) ((uint32_t *)out)[at] = count_at(&f->counts, uniform_of(f, draws, i));
        else if (!is_normal(kind)) put(f, out, at, uniform_of(f, draws, i));
        else if (f->engine->quasi) put(f, out, at, scaled(f->wish, normal_inverse(uniform_of(f, draws, i))));
        else {
            pair p = normal_pair(uniform_of(f, draws, i & ~1u), uniform_of(f, draws, i | 1u));
            put(f, out, at, scaled(f->wish, i & 1 ? p.y : p.x));
        }
    }
}

/* Points of each dimension lie together: all of the first, then all of the second ... */
static void fill_points(rand_generator *g, const filling *f, void *out, size_t count)
{
    size_t points = count / g->dimensions;
    for (unsigned d = 0; d < g->dimensions; d++) {
        rand_dimension dimension;
        rand_sobol_dimension(g->engine, d, &dimension);
        for (size_t i = 0; i < points; i++) {
            uint64_t draw = rand_sobol(&dimension, g->drawn + i);
            if (g->engine->bits == 32) draw &= 0xffffffff00000000u; /* 32 direction vectors */
            put_group(f, &draw, out, d * points + i, 1);
        }
    }
    g->drawn += points;
}

void rand_fill(rand_generator *g, const rand_wish *wish, void *out, size_t count)
{
    const rand_engine *e = g->engine;
    filling f = begin(e, wish);
    uint64_t draws[8];
    if (e->quasi) fill_points(g, &f, out, count);
    else
        for (size_t i = 0; i < count; i += f.results) {
            e->draw((char *)g->states + g->cursor * e->state_bytes, f.draws, draws);
            g->cursor = (g->cursor + 1) % e->streams;
            put_group(&f, draws, out, i, (unsigned)LW_MIN(f.results, count - i));
        }
    free(f.counts.cumulated);
}
