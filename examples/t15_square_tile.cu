/* T15, second part: the ways of filling and reading one 32 x 32 tile.
 * Read and written by rows: no conflict. By columns: 32-way on 32 banks, unless the rows are padded by one word.
 * Two kernels fill by row and read by column, one statically and one dynamically sized, each without and with a pad.
 * (On a GPU with 8-byte banks the unpadded column costs 16.) */
#include "example.h"

#define DIM 32
#define PAD 1

__global__ void row_row(int *out) {
    __shared__ int tile[DIM][DIM];
    int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.y][threadIdx.x];
}

__global__ void col_col(int *out) {
    __shared__ int tile[DIM][DIM];
    int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.x][threadIdx.y] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void row_col(int *out) {
    __shared__ int tile[DIM][DIM];
    int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void row_col_pad(int *out) {
    __shared__ int tile[DIM][DIM + PAD];
    int idx = threadIdx.y * blockDim.x + threadIdx.x;

    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void row_col_dynamic(int *out) {
    extern __shared__ int dynamic_tile[];
    int row_idx = threadIdx.y * blockDim.x + threadIdx.x;
    int col_idx = threadIdx.x * blockDim.y + threadIdx.y;

    dynamic_tile[row_idx] = row_idx;
    __syncthreads();
    out[row_idx] = dynamic_tile[col_idx];
}

__global__ void row_col_dynamic_pad(int *out) {
    extern __shared__ int dynamic_tile[];
    int row_idx = threadIdx.y * (blockDim.x + PAD) + threadIdx.x;
    int col_idx = threadIdx.x * (blockDim.x + PAD) + threadIdx.y;
    int idx = threadIdx.y * blockDim.x + threadIdx.x;

    dynamic_tile[row_idx] = idx;
    __syncthreads();
    out[idx] = dynamic_tile[col_idx];
}

static const struct {
    const char *name;
    void (*kernel)(int *);
    int turned; /* the result is the transposed tile */
    size_t dynamic_bytes;
} ways[] = {
    {"row_row", row_row, 0, 0},
    {"col_col", col_col, 0, 0},
    {"row_col", row_col, 1, 0},
    {"row_col_pad", row_col_pad, 1, 0},
    {"row_col_dynamic", row_col_dynamic, 1, DIM * DIM * sizeof(int)},
    {"row_col_dynamic_pad", row_col_dynamic_pad, 1, DIM * (DIM + PAD) * sizeof(int)},
};

int main(void) {
    int expected[DIM * DIM], got[DIM * DIM], *d_out;
    dim3 block(DIM, DIM);
    int pass = 1;

    CHECK(cudaMalloc((void **)&d_out, sizeof got));
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        for (int i = 0; i < DIM * DIM; i++)
            expected[i] = ways[w].turned ? (i % DIM) * DIM + i / DIM : i;
        CHECK(cudaMemset(d_out, 0xff, sizeof got));
        ways[w].kernel<<<1, block, ways[w].dynamic_bytes>>>(d_out);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
        pass &= same_ints(ways[w].name, expected, got, DIM * DIM);
    }
    CHECK(cudaFree(d_out));
    return finish(pass);
}
