/* T11: how a warp's addresses become transactions.
 * Each kernel loads one float a thread and stores it aligned. The loads: aligned and in order; permuted inside a
 * 128-byte line; shifted by an offset (misaligned); one word for all lanes; scattered, one line for each lane.
 * read_segment is the usual vector sum with an offset on its loads; write_segment has the offset on its stores.
 * Arguments: the number of elements (65536 by default), the offset (11). */
#include "example.h"

#define BLOCK 256

__global__ void aligned(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

__global__ void permuted(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = (i & ~31) | ((i * 13 + 5) & 31);

    if (i < n)
        out[i] = in[k];
}

__global__ void misaligned(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i + 1 < n)
        out[i] = in[i + 1];
}

__global__ void one_word(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i / 32];
}

/* n is a power of two: lane l reads line l * (n / 32) / 32, so the lanes are far apart. */
__global__ void scattered(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = (i % 32) * (n / 32) + i / 32;

    if (i < n)
        out[i] = in[k];
}

__global__ void read_segment(const float *a, const float *b, float *c, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = i + offset;

    if (k < n)
        c[i] = a[k] + b[k];
}

__global__ void write_segment(const float *a, const float *b, float *c, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = i + offset;

    if (k < n)
        c[k] = a[i] + b[i];
}

/* The index that element i of the result comes from, or -1 when nothing is written there. */
static int source(int pattern, int i, int n) {
    switch (pattern) {
    case 0: return i;
    case 1: return (i & ~31) | ((i * 13 + 5) & 31);
    case 2: return i + 1 < n ? i + 1 : -1;
    case 3: return i / 32;
    default: return (i % 32) * (n / 32) + i / 32;
    }
}

static int run_patterns(float *d_out, const float *d_in, const float *in, float *expected, float *got, int n) {
    static const char *const names[] = {"aligned", "permuted", "misaligned", "one word", "scattered"};
    static void (*const kernels[])(float *, const float *, int) = {aligned, permuted, misaligned, one_word, scattered};
    int pass = 1;

    for (int p = 0; p < 5; p++) {
        CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
        kernels[p]<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_out, d_in, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(got, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++)
            expected[i] = source(p, i, n) < 0 ? 0.0f : in[source(p, i, n)];
        pass &= same_floats(names[p], expected, got, n, 0.0f);
    }
    return pass;
}

static int run_segments(float *d_out, const float *d_in, const float *in, float *expected, float *got, int n,
                        int offset) {
    int grid = (n + BLOCK - 1) / BLOCK, pass = 1;

    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    read_segment<<<grid, BLOCK>>>(d_in, d_in, d_out, n, offset);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        expected[i] = i + offset < n ? 2.0f * in[i + offset] : 0.0f;
    pass &= same_floats("read segment", expected, got, n, 0.0f);

    CHECK(cudaMemset(d_out, 0, n * sizeof(float)));
    write_segment<<<grid, BLOCK>>>(d_in, d_in, d_out, n, offset);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        expected[i] = i >= offset ? 2.0f * in[i - offset] : 0.0f;
    pass &= same_floats("write segment", expected, got, n, 0.0f);
    return pass;
}

int main(int argc, char **argv) {
    int n = arg_int(argc, argv, 1, 1 << 16), offset = arg_int(argc, argv, 2, 11), pass;
    size_t bytes;
    float *in, *expected, *got, *d_in, *d_out;

    n = (n + 1023) & ~1023; /* whole warps of whole lines */
    bytes = n * sizeof(float);
    in = (float *)malloc(bytes);
    expected = (float *)malloc(bytes);
    got = (float *)malloc(bytes);
    for (int i = 0; i < n; i++)
        in[i] = (float)(i % 8191);
    CHECK(cudaMalloc((void **)&d_in, bytes));
    CHECK(cudaMalloc((void **)&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));
    pass = run_patterns(d_out, d_in, in, expected, got, n);
    pass &= run_segments(d_out, d_in, in, expected, got, n, offset);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(in);
    free(expected);
    free(got);
    return finish(pass);
}
