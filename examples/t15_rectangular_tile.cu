/* T15, third part: the same for a tile of 16 rows and 32 columns, where rows and columns differ in length, so that
 * the threads must be renumbered to read a column: thread k reads row k % 16 of column k / 16.
 * Unpadded the column read takes 16 wavefronts on 4-byte banks and 8 on 8-byte banks; one pad column makes it 2 on
 * both; two pad columns make it free. */
#include "example.h"

#define DIMX 32
#define DIMY 16

__global__ void row_row(int *out) {
    __shared__ int tile[DIMY][DIMX];
    int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.y][threadIdx.x];
}

__global__ void col_col(int *out) {
    __shared__ int tile[DIMX][DIMY];
    int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.x][threadIdx.y] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.x][threadIdx.y];
}

template <int pad> __global__ void row_col(int *out) {
    __shared__ int tile[DIMY][DIMX + pad];
    int idx = threadIdx.y * blockDim.x + threadIdx.x;
    int irow = idx / blockDim.y;
    int icol = idx % blockDim.y;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[icol][irow];
}

template <int pad> __global__ void row_col_dynamic(int *out) {
    extern __shared__ int dynamic_tile[];
    int idx = threadIdx.y * blockDim.x + threadIdx.x;
    int irow = idx / blockDim.y;
    int icol = idx % blockDim.y;
    int row_idx = threadIdx.y * (blockDim.x + pad) + threadIdx.x;
    int col_idx = icol * (blockDim.x + pad) + irow;

    dynamic_tile[row_idx] = idx;
    __syncthreads();
    out[idx] = dynamic_tile[col_idx];
}

static const struct {
    const char *name;
    void (*kernel)(int *);
    int turned;
    size_t dynamic_bytes;
} ways[] = {
    {"row_row", row_row, 0, 0},
    {"col_col", col_col, 0, 0},
    {"row_col", row_col<0>, 1, 0},
    {"row_col_pad1", row_col<1>, 1, 0},
    {"row_col_pad2", row_col<2>, 1, 0},
    {"row_col_dynamic", row_col_dynamic<0>, 1, DIMY * DIMX * sizeof(int)},
    {"row_col_dynamic_pad1", row_col_dynamic<1>, 1, DIMY * (DIMX + 1) * sizeof(int)},
    {"row_col_dynamic_pad2", row_col_dynamic<2>, 1, DIMY * (DIMX + 2) * sizeof(int)},
};

int main(void) {
    int expected[DIMX * DIMY], got[DIMX * DIMY], *d_out;
    dim3 block(DIMX, DIMY);
    int pass = 1;

    CHECK(cudaMalloc((void **)&d_out, sizeof got));
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        for (int i = 0; i < DIMX * DIMY; i++)
            expected[i] = ways[w].turned ? (i % DIMY) * DIMX + i / DIMY : i;
        CHECK(cudaMemset(d_out, 0xff, sizeof got));
        ways[w].kernel<<<1, block, ways[w].dynamic_bytes>>>(d_out);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
        pass &= same_ints(ways[w].name, expected, got, DIMX * DIMY);
    }
    CHECK(cudaFree(d_out));
    return finish(pass);
}
