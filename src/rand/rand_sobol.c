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

uint64_t rand_sobol(unsigned dimension, uint64_t index)
{
    static _Thread_local uint64_t vectors[64];
    static _Thread_local unsigned made = UINT32_MAX;
    if (made != dimension) {
        make_vectors(dimension, vectors);
        made = dimension;
    }
    uint64_t gray = index ^ index >> 1, point = 0;
    for (; gray; gray &= gray - 1) point ^= vectors[__builtin_ctzll(gray)];
    return point;
}
