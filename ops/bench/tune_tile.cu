/*
 * Times tile shapes, block orders and (compiled a second time with LW_TUNE_HINT) streaming hints of the transposition
 * kernel on square and rectangular matrices. Prints GB/s per variant, best first per case.
 */
#include <stdio.h>
#include <stdlib.h>
#include "copy/tile.cuh"

/* order 0: along output rows, 1: along input rows, 2: squares of 8 x 8 tiles, 3: diagonals */
struct tune_params {
    const char *in;
    char *out;
    int64_t rows, cols;
    uint32_t row_tiles, col_tiles;
    int order;
};

LW_DEV void tile_of(const tune_params &p, uint32_t i, uint32_t *r, uint32_t *c)
{
    if (p.order == 0) {
        *r = i % p.row_tiles;
        *c = i / p.row_tiles;
    } else if (p.order == 1) {
        *c = i % p.col_tiles;
        *r = i / p.col_tiles;
    } else if (p.order == 2) {
        uint32_t band = 8 * p.col_tiles, b = i / band, in = i % band, high = min(8u, p.row_tiles - 8 * b);
        *r = 8 * b + in % high;
        *c = in / high;
    } else {
        *r = i % p.row_tiles;
        *c = (i / p.row_tiles + *r) % p.col_tiles;
    }
}

template <int E, int KC, int KR, int MINB> __global__ void __launch_bounds__(LW_BLOCK, MINB)
    tune_kernel(const tune_params p)
{
    typedef tile_shape<E, KC, KR> S;
    __shared__ __align__(16) unsigned char tile[S::cols * S::line];
    uint32_t r, c;
    tile_of(p, blockIdx.x, &r, &c);
    int64_t row0 = (int64_t)r * S::rows, col0 = (int64_t)c * S::cols;
    uint32_t rows = (uint32_t)min(p.rows - row0, (int64_t)S::rows),
             cols = (uint32_t)min(p.cols - col0, (int64_t)S::cols);
    uint4 v[S::loads];
    tile_load<E, KC, KR, false>(v, p.in + (row0 * p.cols + col0) * E, p.cols * E, 0, 0, rows, cols, 8);
    tile_put<E, KC, KR>(tile, v);
    __syncthreads();
    tile_store<E, KC, KR, false>(tile, p.out + col0 * p.rows * E + row0 * E, p.rows * E, rows, cols, 8);
}

typedef void (*tune_fn)(const tune_params);
struct entry {
    int elem, kc, kr, minb, rows, cols;
    tune_fn fn;
};
#define T(E, C, R, M) {E, C, R, M, tile_shape<E, C, R>::rows, tile_shape<E, C, R>::cols, tune_kernel<E, C, R, M>}
static const entry table[] = {
    T(4, 1, 1, 8),  T(4, 2, 1, 8),  T(4, 1, 2, 8),  T(4, 2, 2, 1), T(4, 2, 2, 8), T(4, 4, 1, 8),  T(4, 1, 4, 8),
    T(4, 2, 4, 4),  T(2, 1, 1, 8),  T(2, 2, 1, 1),  T(2, 1, 2, 1), T(2, 1, 2, 8), T(2, 2, 1, 8),  T(2, 2, 2, 1),
    T(2, 2, 2, 4),  T(1, 1, 1, 1),  T(1, 1, 1, 8),  T(1, 1, 2, 1), T(1, 2, 1, 1), T(1, 1, 2, 4),  T(8, 1, 1, 8),
    T(8, 2, 1, 8),  T(8, 1, 2, 8),  T(8, 2, 2, 8),  T(8, 4, 1, 8), T(8, 4, 2, 4), T(16, 1, 1, 8), T(16, 2, 1, 8),
    T(16, 4, 1, 8), T(16, 2, 2, 8), T(16, 1, 2, 8),
};

static float median_ms(const entry *e, tune_params p, cudaEvent_t a, cudaEvent_t b)
{
    float v[9];
    for (int i = 0; i < 9; i++) {
        cudaEventRecord(a);
        e->fn<<<p.row_tiles * p.col_tiles, LW_BLOCK>>>(p);
        cudaEventRecord(b);
        if (cudaEventSynchronize(b) != cudaSuccess || cudaEventElapsedTime(&v[i], a, b) != cudaSuccess) return -1;
        for (int k = i; k > 0 && v[k] < v[k - 1]; k--) {
            float t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
    }
    return v[4];
}

int main(void)
{
    static const int64_t shape[][2] = {{16384, 16384}, {10000, 10000}, {5000, 50000}};
    char *in, *out;
    size_t size = (size_t)4200 << 20;
    cudaEvent_t a, b;
    if (cudaMalloc(&in, size) != cudaSuccess || cudaMalloc(&out, size) != cudaSuccess) return 1;
    cudaMemset(in, 0x5a, size);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (size_t s = 0; s < 3; s++) {
        for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
            const entry *e = &table[i];
            if (shape[s][0] % (16 / e->elem) || shape[s][1] % (16 / e->elem)) continue;
            tune_params p = {in,
                             out,
                             shape[s][0],
                             shape[s][1],
                             (uint32_t)((shape[s][0] + e->rows - 1) / e->rows),
                             (uint32_t)((shape[s][1] + e->cols - 1) / e->cols),
                             0};
            printf("tune %lldx%lld e%d tile %dx%d (%d,%d) minblocks %d:", (long long)p.rows, (long long)p.cols, e->elem,
                   e->rows, e->cols, e->kc, e->kr, e->minb);
            for (p.order = 0; p.order < 4; p.order++) {
                float ms = median_ms(e, p, a, b);
                printf(" %.0f", 2.0 * p.rows * p.cols * e->elem / ms * 1e-6);
            }
            printf(" GB/s\n");
        }
    }
    return 0;
}
