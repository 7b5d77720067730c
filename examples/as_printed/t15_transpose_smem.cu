/* T15 as printed: the transposition through a 32 x 16 shared tile, with its error: in the output coordinates the two
 * dimensions of the block are swapped. Corrected: ../t15_transpose.cu, smem_2d.
 * Arguments: nx, ny (256 and 128 by default; sizes that are no multiple of the tile show a second error: the barrier
 * stands inside the guard, so not all threads of a block reach it, and the guard is for the wrong coordinates). */
#include "../example.h"

#define BDIMX 32
#define BDIMY 16

__global__ void transposeSmem(float *out, float *in, int nx, int ny) {
    __shared__ float tile[BDIMY][BDIMX];
    unsigned int ix, iy, ti, to;

    ix = blockIdx.x * blockDim.x + threadIdx.x;
    iy = blockIdx.y * blockDim.y + threadIdx.y;
    ti = iy * nx + ix;

    unsigned int bidx, irow, icol;
    bidx = threadIdx.y * blockDim.x + threadIdx.x;
    irow = bidx / blockDim.y;
    icol = bidx % blockDim.y;

    ix = blockIdx.y * blockDim.x + icol;
    iy = blockIdx.x * blockDim.y + irow;
    to = iy * ny + ix;

    if (ix < nx && iy < ny) {
        tile[threadIdx.y][threadIdx.x] = in[ti];
        __syncthreads();
        out[to] = tile[icol][irow];
    }
}

int main(int argc, char **argv) {
    int nx = arg_int(argc, argv, 1, 256), ny = arg_int(argc, argv, 2, 128);
    size_t n = (size_t)nx * ny, bytes = n * sizeof(float);
    float *in = (float *)malloc(bytes), *expected = (float *)malloc(bytes), *got = (float *)malloc(bytes);
    float *d_in, *d_out;
    dim3 block(BDIMX, BDIMY), grid((nx + BDIMX - 1) / BDIMX, (ny + BDIMY - 1) / BDIMY);
    size_t wrong = 0;

    for (int y = 0; y < ny; y++) {
        for (int x = 0; x < nx; x++) {
            in[y * nx + x] = (float)(y * nx + x + 1);
            expected[x * ny + y] = in[y * nx + x];
        }
    }
    CHECK(cudaMalloc((void **)&d_in, bytes));
    CHECK(cudaMalloc((void **)&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, bytes));
    transposeSmem<<<grid, block>>>(d_out, d_in, nx, ny);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, d_out, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        wrong += got[i] != expected[i];
    printf("%zu of %zu elements are wrong\n", wrong, n);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(in);
    free(got);
    free(expected);
    return finish(wrong == 0);
}
