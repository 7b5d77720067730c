/* Jumps ahead: steps of linear generators as matrices, which are squared. */
#include <string.h>

#include "rand/rand.h"

void rand_bits_step(rand_bits *out)
{
    for (unsigned bit = 0; bit < 160; bit++) {
        uint32_t v[5] = {0};
        v[bit / 32] = 1u << (bit % 32);
        uint32_t t = v[0] ^ v[0] >> 2;
        uint32_t last = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
        memmove(v, v + 1, 4 * sizeof *v);
        v[4] = last;
        memcpy(out->rows[bit], v, sizeof v);
    }
}

void rand_bits_apply(const rand_bits *m, uint32_t v[5])
{
    uint32_t sum[5] = {0};
    for (unsigned bit = 0; bit < 160; bit++) {
        uint32_t all = -(v[bit / 32] >> (bit % 32) & 1); /* row counts if the bit is set */
        for (int w = 0; w < 5; w++) sum[w] ^= m->rows[bit][w] & all;
    }
    memcpy(v, sum, sizeof sum);
}

void rand_bits_square(rand_bits *m)
{
    rand_bits old = *m;
    for (unsigned bit = 0; bit < 160; bit++) rand_bits_apply(&old, m->rows[bit]);
}

void rand_mod_apply(const rand_mod *m, uint32_t v[3])
{
    uint32_t out[3];
    for (int i = 0; i < 3; i++) {
        uint64_t sum = 0;
        for (int j = 0; j < 3; j++) sum = (sum + m->rows[i][j] * v[j] % m->modulus) % m->modulus;
        out[i] = (uint32_t)sum;
    }
    memcpy(v, out, sizeof out);
}

void rand_mod_square(rand_mod *m)
{
    rand_mod old = *m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            uint64_t sum = 0;
            for (int k = 0; k < 3; k++) sum = (sum + old.rows[i][k] * old.rows[k][j] % old.modulus) % old.modulus;
            m->rows[i][j] = sum;
        }
}
