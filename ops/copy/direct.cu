/*
 * Permutations whose elements lie in aligned vectors on both sides, without shared memory: a thread reads as many
 * vectors as one holds elements, turns that square in registers and writes it. Lanes side by side complete sectors on
 * both sides; blocks take boxes one after the other in the order of the output.
 */
#include "copy/box.cuh"

typedef void (*direct_fn)(const lw_direct_params);

/* w: V vectors of V units of U bytes; turned. */
template <int U, int B> LW_DEV void turn(uint32_t (*w)[B / 4])
{
    const int V = B / U, words = U < 4 ? 1 : U / 4;
    uint32_t r[V][B / 4];
    if (U >= 4) {
#pragma unroll
        for (int i = 0; i < V; i++) {
#pragma unroll
            for (int j = 0; j < B / 4; j++) r[i][j] = w[j / words][i * words + j % words];
        }
    } else if (U == 2) {
#pragma unroll
        for (int i = 0; i < V; i++) {
            const uint32_t half = i % 2 ? 0x7632 : 0x5410;
#pragma unroll
            for (int j = 0; j < B / 4; j++) r[i][j] = __byte_perm(w[2 * j][i / 2], w[2 * j + 1][i / 2], half);
        }
    } else {
#pragma unroll
        for (int i = 0; i < B / 4; i++) {
#pragma unroll
            for (int j = 0; j < B / 4; j++) {
                uint32_t a = w[4 * j][i], b = w[4 * j + 1][i], c = w[4 * j + 2][i], d = w[4 * j + 3][i];
                uint32_t ab0 = __byte_perm(a, b, 0x5140), cd0 = __byte_perm(c, d, 0x5140);
                uint32_t ab1 = __byte_perm(a, b, 0x7362), cd1 = __byte_perm(c, d, 0x7362);
                r[4 * i][j] = __byte_perm(ab0, cd0, 0x5410);
                r[4 * i + 1][j] = __byte_perm(ab0, cd0, 0x7632);
                r[4 * i + 2][j] = __byte_perm(ab1, cd1, 0x5410);
                r[4 * i + 3][j] = __byte_perm(ab1, cd1, 0x7632);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < V; i++) {
#pragma unroll
        for (int j = 0; j < B / 4; j++) w[i][j] = r[i][j];
    }
}

template <int U, int B> __global__ void __launch_bounds__(LW_BLOCK) direct_kernel(const lw_direct_params p)
{
    const int V = B / U;
    typedef typename vec<B>::t wide;
    __align__(16) uint32_t w[V][B / 4];
    const place at = place_of(p.grid, p.grid_dims, blockIdx.x);
    const char *in = p.in + at.in;
    char *out = p.out + at.out;
    for (uint32_t square = threadIdx.x; square < p.squares; square += blockDim.x) {
        uint32_t e = square, from = 0, to = 0, c0 = 0, c1 = 0;
        for (int k = 0; k < p.square_digits; k++) {
            uint32_t q = fdiv(e, p.square_digit[k].steps), c = e - q * p.square_digit[k].steps.d;
            e = q;
            from += c * p.square_digit[k].in;
            to += c * p.square_digit[k].out;
            if (p.square_digit[k].limit == 1) c0 += c * p.square_digit[k].step;
            if (p.square_digit[k].limit == 2) c1 += c * p.square_digit[k].step;
        }
        if ((at.last0 && c0 >= p.rest[0]) || (at.last1 && c1 >= p.rest[1])) continue;
#pragma unroll
        for (int j = 0; j < V; j++) *(wide *)w[j] = *(const wide *)(in + from + j * p.in_row);
        turn<U, B>(w);
#pragma unroll
        for (int j = 0; j < V; j++) *(wide *)(out + to + j * p.out_col) = *(const wide *)w[j];
    }
}

static const struct direct_entry {
    int unit, vec;
    direct_fn fn;
} table[] = {
#define DIRECT(U, B) {U, B, direct_kernel<U, B>}
    DIRECT(1, 4),  DIRECT(1, 8), DIRECT(1, 16), DIRECT(2, 4),  DIRECT(2, 8),
    DIRECT(2, 16), DIRECT(4, 8), DIRECT(4, 16), DIRECT(8, 16),
};
#define ENTRIES ((int)(sizeof table / sizeof table[0]))

extern "C" int lw_direct_launch(const lw_direct_params *p, int unit, int vec, uint32_t grid, uint32_t threads,
                                lw_stream stream)
{
    for (int i = 0; i < ENTRIES; i++) {
        if (table[i].unit != unit || table[i].vec != vec) continue;
        return LW_LAUNCH(table[i].fn, grid, threads, 0, stream, p);
    }
    return (int)cudaErrorInvalidValue;
}

extern "C" int lw_direct_setup(lw_ops *)
{
    cudaFuncAttributes a;
    for (int i = 0; i < ENTRIES; i++) {
        cudaError_t e = cudaFuncGetAttributes(&a, (const void *)table[i].fn);
        if (e != cudaSuccess) return (int)e;
    }
    return 0;
}
