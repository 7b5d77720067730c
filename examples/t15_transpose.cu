/* T15: transpose a matrix of ny rows and nx columns, from naive to padded shared tiles.
 * A warp that stores a column of the result touches 32 sectors. A tile in shared memory turns that into whole rows, and
 * costs bank conflicts when the tile is read by columns, unless its rows are padded. With the 32 x 16 block used here
 * a warp reads 16 rows of two neighbouring columns: 16 wavefronts without padding, 2 with one pad column, 1 with two.
 * Arguments: nx, ny (256 and 128 by default); any size, the edges are guarded. */
#include "example.h"

#define BDIMX 32
#define BDIMY 16
#define PAD 2

/* Upper bound: coalesced both ways, no transposition. */
__global__ void copy_row(float *out, const float *in, int nx, int ny) {
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;

    if (ix < nx && iy < ny)
        out[iy * nx + ix] = in[iy * nx + ix];
}

/* Lower bound: strided both ways, no transposition. */
__global__ void copy_col(float *out, const float *in, int nx, int ny) {
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;

    if (ix < nx && iy < ny)
        out[ix * ny + iy] = in[ix * ny + iy];
}

/* Loads rows, stores columns. */
__global__ void naive_row(float *out, const float *in, int nx, int ny) {
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;

    if (ix < nx && iy < ny)
        out[ix * ny + iy] = in[iy * nx + ix];
}

/* Loads columns, stores rows: ix runs along the rows of the result, which has nx rows and ny columns. */
__global__ void naive_col(float *out, const float *in, int nx, int ny) {
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;

    if (ix < ny && iy < nx)
        out[iy * ny + ix] = in[ix * nx + iy];
}

/* Tile with 2-D indexing. The block is renumbered so that 16 neighbouring threads store 16 neighbouring elements. */
template <int pad> __global__ void smem_2d(float *out, const float *in, int nx, int ny) {
    __shared__ float tile[BDIMY][BDIMX + pad];
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    int irow = bidx / blockDim.y;
    int icol = bidx % blockDim.y;
    int ox = blockIdx.y * blockDim.y + icol;
    int oy = blockIdx.x * blockDim.x + irow;

    if (ix < nx && iy < ny)
        tile[threadIdx.y][threadIdx.x] = in[iy * nx + ix];
    __syncthreads();
    if (ox < ny && oy < nx)
        out[oy * ny + ox] = tile[icol][irow];
}

/* The same with the tile as one array. */
template <int pad> __global__ void smem_1d(float *out, const float *in, int nx, int ny) {
    __shared__ float tile[BDIMY * (BDIMX + pad)];
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    int irow = bidx / blockDim.y;
    int icol = bidx % blockDim.y;
    int ox = blockIdx.y * blockDim.y + icol;
    int oy = blockIdx.x * blockDim.x + irow;

    if (ix < nx && iy < ny)
        tile[threadIdx.y * (BDIMX + pad) + threadIdx.x] = in[iy * nx + ix];
    __syncthreads();
    if (ox < ny && oy < nx)
        out[oy * ny + ox] = tile[icol * (BDIMX + pad) + irow];
}

/* Each block moves two tiles side by side: two loads and two stores in flight for every thread. */
__global__ void smem_unroll2_pad(float *out, const float *in, int nx, int ny) {
    __shared__ float tile[BDIMY][2 * BDIMX + PAD];
    int ix = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    int bidx = threadIdx.y * blockDim.x + threadIdx.x;
    int irow = bidx / blockDim.y;
    int icol = bidx % blockDim.y;
    int ox = blockIdx.y * blockDim.y + icol;
    int oy = 2 * blockIdx.x * blockDim.x + irow;

    if (iy < ny && ix < nx)
        tile[threadIdx.y][threadIdx.x] = in[iy * nx + ix];
    if (iy < ny && ix + BDIMX < nx)
        tile[threadIdx.y][threadIdx.x + BDIMX] = in[iy * nx + ix + BDIMX];
    __syncthreads();
    if (ox < ny && oy < nx)
        out[oy * ny + ox] = tile[icol][irow];
    if (ox < ny && oy + BDIMX < nx)
        out[(oy + BDIMX) * ny + ox] = tile[icol][irow + BDIMX];
}

struct variant {
    const char *name;
    void (*kernel)(float *, const float *, int, int);
    int transposes;  /* 0: a copy */
    int swap_grid;   /* the grid covers the result, not the source */
    int tiles;       /* tiles of a block along x */
};

static const struct variant variants[] = {
    {"copy_row", copy_row, 0, 0, 1},
    {"copy_col", copy_col, 0, 0, 1},
    {"naive_row", naive_row, 1, 0, 1},
    {"naive_col", naive_col, 1, 1, 1},
    {"smem_2d", smem_2d<0>, 1, 0, 1},
    {"smem_2d_pad1", smem_2d<1>, 1, 0, 1},
    {"smem_2d_pad2", smem_2d<PAD>, 1, 0, 1},
    {"smem_1d", smem_1d<0>, 1, 0, 1},
    {"smem_1d_pad2", smem_1d<PAD>, 1, 0, 1},
    {"smem_unroll2_pad2", smem_unroll2_pad, 1, 0, 2},
};

static int run_variant(const struct variant *v, float *d_out, const float *d_in, float *got, const float *expected,
                       int nx, int ny) {
    size_t bytes = (size_t)nx * ny * sizeof(float);
    int gx = v->swap_grid ? ny : nx, gy = v->swap_grid ? nx : ny;
    dim3 block(BDIMX, BDIMY);
    dim3 grid((gx + v->tiles * BDIMX - 1) / (v->tiles * BDIMX), (gy + BDIMY - 1) / BDIMY);
    cudaEvent_t start, stop;
    float ms;

    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMemset(d_out, 0xff, bytes));
    CHECK(cudaEventRecord(start));
    v->kernel<<<grid, block>>>(d_out, d_in, nx, ny);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaMemcpy(got, d_out, bytes, cudaMemcpyDeviceToHost));
    printf("%-18s %9.4f ms %9.2f GB/s\n", v->name, ms, 2.0 * bytes / (ms * 1e6));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return same_floats(v->name, expected, got, (size_t)nx * ny, 0.0f);
}

int main(int argc, char **argv) {
    int nx = arg_int(argc, argv, 1, 256), ny = arg_int(argc, argv, 2, 128);
    size_t n = (size_t)nx * ny, bytes = n * sizeof(float);
    float *in = (float *)malloc(bytes), *transposed = (float *)malloc(bytes), *got = (float *)malloc(bytes);
    float *d_in, *d_out;
    int pass = 1;

    for (int y = 0; y < ny; y++) {
        for (int x = 0; x < nx; x++) {
            in[y * nx + x] = (float)(y * nx + x);
            transposed[x * ny + y] = in[y * nx + x];
        }
    }
    CHECK(cudaMalloc((void **)&d_in, bytes));
    CHECK(cudaMalloc((void **)&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));

    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        pass &= run_variant(&variants[i], d_out, d_in, got, variants[i].transposes ? transposed : in, nx, ny);

    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(in);
    free(transposed);
    free(got);
    return finish(pass);
}
