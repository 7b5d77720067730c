/* Tensor-core matrix loads and stores through wmma, from global and from shared memory. */
#include "hw.h"
#include <mma.h>

__global__ void wmma_global(float *c, const half *a, const half *b) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < 4; k++) {
        wmma::load_matrix_sync(fa, a + 16 * k, 64);
        wmma::load_matrix_sync(fb, b + 16 * k, 64);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void wmma_shared(float *c, const half *a) {
    using namespace nvcuda;
    __shared__ __align__(32) half s[16 * 24];
    for (int k = threadIdx.x; k < 16 * 24; k += 32) s[k] = a[k];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, s, 24);
    wmma::load_matrix_sync(fb, s, 24);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

int main(void) {
    char *out = device_words<char>(1 << 16, true), *zero = device_words<char>(1 << 16, true);
    LAUNCH(wmma_global, 1, 32, (float *)out, (const half *)zero, (const half *)zero);
    LAUNCH(wmma_shared, 1, 32, (float *)out, (const half *)zero);
    puts("done");
    return 0;
}
