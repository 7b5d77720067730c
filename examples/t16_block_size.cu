/* T16: the search for a block size: the same matrix addition and transposition over blocks of 8 x 8 to 64 x 8.
 * Every configuration prints its time and its occupancy; the fastest is named at the end. Times mean something on a
 * GPU only; the occupancy is the same everywhere. Arguments: nx, ny (128 and 128), the repetitions (1). */
#include "example.h"

__global__ void add_matrices(float *c, const float *a, const float *b, int nx, int ny) {
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;

    if (ix < nx && iy < ny)
        c[iy * nx + ix] = a[iy * nx + ix] + b[iy * nx + ix];
}

__global__ void transpose_add(float *c, const float *a, const float *b, int nx, int ny) {
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;

    if (ix < nx && iy < ny)
        c[ix * ny + iy] = a[iy * nx + ix] + b[iy * nx + ix];
}

typedef void (*matrix_kernel)(float *, const float *, const float *, int, int);

static float time_kernel(matrix_kernel kernel, dim3 block, float *c, const float *a, const float *b, int nx, int ny,
                         int repeat) {
    dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
    cudaEvent_t start, stop;
    float ms, best = INFINITY;

    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int r = 0; r < repeat; r++) {
        CHECK(cudaEventRecord(start));
        kernel<<<grid, block>>>(c, a, b, nx, ny);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        best = fminf(best, ms);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return best;
}

static int search(const char *name, matrix_kernel kernel, float *d_c, const float *d_a, float *got,
                  const float *expected, int nx, int ny, int repeat) {
    static const dim3 blocks[] = {{8, 8}, {8, 16}, {8, 32}, {16, 8}, {16, 16}, {16, 32}, {32, 8}, {32, 16}, {64, 8}};
    size_t n = (size_t)nx * ny, best = 0;
    float best_ms = INFINITY;
    int per_sm, warps_max, pass = 1;
    struct cudaDeviceProp prop;

    CHECK(cudaGetDeviceProperties(&prop, 0));
    warps_max = prop.maxThreadsPerMultiProcessor / prop.warpSize;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        int threads = blocks[i].x * blocks[i].y;
        float ms;

        CHECK(cudaMemset(d_c, 0xff, n * sizeof(float)));
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, 0));
        ms = time_kernel(kernel, blocks[i], d_c, d_a, d_a, nx, ny, repeat);
        CHECK(cudaMemcpy(got, d_c, n * sizeof(float), cudaMemcpyDeviceToHost));
        pass &= same_floats(name, expected, got, n, 0.0f);
        printf("%-14s block %2u x %2u: %9.4f ms, occupancy %3.0f %%\n", name, blocks[i].x, blocks[i].y, ms,
               100.0 * per_sm * ((threads + 31) / 32) / warps_max);
        if (ms < best_ms) {
            best_ms = ms;
            best = i;
        }
    }
    printf("%-14s best here: %u x %u\n", name, blocks[best].x, blocks[best].y);
    return pass;
}

int main(int argc, char **argv) {
    int nx = arg_int(argc, argv, 1, 128), ny = arg_int(argc, argv, 2, 128), repeat = arg_int(argc, argv, 3, 1), pass;
    size_t n = (size_t)nx * ny, bytes = n * sizeof(float);
    float *a = (float *)malloc(bytes), *sum = (float *)malloc(bytes), *turned = (float *)malloc(bytes);
    float *got = (float *)malloc(bytes), *d_a, *d_c;

    for (int y = 0; y < ny; y++) {
        for (int x = 0; x < nx; x++) {
            a[y * nx + x] = (float)(y * 100 + x);
            sum[y * nx + x] = turned[x * ny + y] = 2.0f * a[y * nx + x];
        }
    }
    CHECK(cudaMalloc((void **)&d_a, bytes));
    CHECK(cudaMalloc((void **)&d_c, bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    pass = search("add", add_matrices, d_c, d_a, got, sum, nx, ny, repeat);
    pass &= search("transpose_add", transpose_add, d_c, d_a, got, turned, nx, ny, repeat);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_c));
    free(a);
    free(sum);
    free(turned);
    free(got);
    return finish(pass);
}
