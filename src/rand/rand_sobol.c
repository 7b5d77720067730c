/* Sobol's points with the direction numbers of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better
 * two-dimensional projections" (2008), in the order of Gray codes. */
#include "rand/rand.h"

typedef struct sobol_dimension {
    uint8_t degree, coefficients; /* of the primitive polynomial, without its first and last term */
    uint8_t numbers[7];           /* the first direction numbers */
} sobol_dimension;

static const sobol_dimension dimensions[RAND_SOBOL_DIMENSIONS] = {
    {0, 0, {0}}, /* the van der Corput sequence */
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
};

/* The direction vectors of a dimension, as fractions of 2^64. */
static void make_vectors(unsigned dimension, uint64_t v[64])
{
    const sobol_dimension *d = &dimensions[dimension];
    unsigned degree = d->degree;
    for (unsigned i = 0; i < 64; i++) {
        if (!degree) {
            v[i] = 1ull << (63 - i);
        } else if (i < degree) {
            v[i] = (uint64_t)d->numbers[i] << (63 - i);
        } else {
            v[i] = v[i - degree] ^ v[i - degree] >> degree;
            for (unsigned k = 1; k < degree; k++)
                if (d->coefficients >> (degree - 1 - k) & 1) v[i] ^= v[i - k];
        }
    }
}

void rand_sobol_dimension(const rand_engine *e, unsigned dimension, rand_dimension *out)
{
    *out = (rand_dimension){.constant = 0};
    if (dimension < RAND_SOBOL_DIMENSIONS && !e->scrambled) {
        make_vectors(dimension, out->vectors);
        return;
    }
    const rand_tables *t = rand_tables_find(); /* was there when the generator was told its dimensions */
    if (!t) return;
    const uint32_t *narrow = e->scrambled ? t->scrambled_32[dimension] : t->vectors_32[dimension];
    const uint64_t *wide = e->scrambled ? t->scrambled_64[dimension] : t->vectors_64[dimension];
    for (unsigned i = 0; i < e->bits; i++) out->vectors[i] = e->bits == 32 ? (uint64_t)narrow[i] << 32 : wide[i];
    if (e->scrambled)
        out->constant = e->bits == 32 ? (uint64_t)t->constants_32[dimension] << 32 : t->constants_64[dimension];
}

uint64_t rand_sobol(const rand_dimension *d, uint64_t index)
{
    uint64_t gray = index ^ index >> 1, point = d->constant;
    for (; gray; gray &= gray - 1) point ^= d->vectors[__builtin_ctzll(gray)];
    return point;
}
