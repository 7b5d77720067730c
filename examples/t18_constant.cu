/* T18: constant memory: one request serves one word. A coefficient read by all lanes at the same index is a
 * broadcast; a table read at an index that depends on the lane is a request for each distinct word.
 * The first kernel is a 9-point stencil with its coefficients in constant memory. */
#include "example.h"

#define RADIUS 4
#define BLOCK 128
#define TABLE 64

__constant__ float coefficients[RADIUS + 1];
__constant__ int table[TABLE];

__global__ void stencil(float *out, const float *in, int n) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int i = blockIdx.x * blockDim.x + threadIdx.x; /* in has RADIUS extra elements at both ends */
    int s = threadIdx.x + RADIUS;
    float sum;

    tile[s] = in[i + RADIUS];
    if (threadIdx.x < RADIUS) {
        tile[s - RADIUS] = in[i];
        tile[s + BLOCK] = in[i + RADIUS + BLOCK];
    }
    __syncthreads();
    sum = coefficients[0] * tile[s];
    for (int k = 1; k <= RADIUS; k++)
        sum += coefficients[k] * (tile[s + k] + tile[s - k]);
    out[i] = sum;
}

__global__ void uniform_lookup(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = table[blockIdx.x % TABLE];
}

__global__ void divergent_lookup(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = table[threadIdx.x % TABLE];
}

static int run_stencil(int grid) {
    static const float c[RADIUS + 1] = {0.5f, 0.25f, -0.125f, 0.0625f, -0.03125f};
    int n = grid * BLOCK, padded = n + 2 * RADIUS, pass;
    float *in = (float *)malloc(padded * sizeof(float)), *expected = (float *)malloc(n * sizeof(float));
    float *got = (float *)malloc(n * sizeof(float)), *d_in, *d_out;

    for (int i = 0; i < padded; i++)
        in[i] = (float)(i * 7 % 32);
    for (int i = 0; i < n; i++) {
        expected[i] = c[0] * in[i + RADIUS];
        for (int k = 1; k <= RADIUS; k++)
            expected[i] += c[k] * (in[i + RADIUS + k] + in[i + RADIUS - k]);
    }
    CHECK(cudaMalloc((void **)&d_in, padded * sizeof(float)));
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
    CHECK(cudaMemcpy(d_in, in, padded * sizeof(float), cudaMemcpyHostToDevice));
    stencil<<<grid, BLOCK>>>(d_out, d_in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    pass = same_floats("stencil", expected, got, n, 1e-6f);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(in);
    free(expected);
    free(got);
    return pass;
}

int main(void) {
    enum { GRID = 16 };
    int h_table[TABLE], expected[GRID * BLOCK], got[GRID * BLOCK], *d_out, pass;

    pass = run_stencil(GRID);
    for (int i = 0; i < TABLE; i++)
        h_table[i] = i * i;
    CHECK(cudaMemcpyToSymbol(table, h_table, 32 * sizeof(int)));
    CHECK(cudaMemcpyToSymbol(table, h_table + 32, 32 * sizeof(int), 32 * sizeof(int))); /* second half, by offset */
    CHECK(cudaMalloc((void **)&d_out, sizeof got));

    uniform_lookup<<<GRID, BLOCK>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < GRID * BLOCK; i++)
        expected[i] = h_table[i / BLOCK % TABLE];
    pass &= same_ints("uniform", expected, got, GRID * BLOCK);

    divergent_lookup<<<GRID, BLOCK>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < GRID * BLOCK; i++)
        expected[i] = h_table[i % BLOCK % TABLE];
    pass &= same_ints("divergent", expected, got, GRID * BLOCK);
    CHECK(cudaFree(d_out));
    return finish(pass);
}
