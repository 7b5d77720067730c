/* T12: the same update on an array of structures and on a structure of arrays.
 * With x and y side by side, a warp's access to x alone uses half of every sector it moves, and so does its access
 * to y. The third kernel moves the whole structure as one 8-byte vector, which mends the array of structures.
 * Argument: the number of elements, 65536 by default. */
#include "example.h"

#define BLOCK 128
#define MAX_N (1 << 22)

struct point {
    float x, y;
};

struct points {
    float x[MAX_N];
    float y[MAX_N];
};

/* volatile: x and y by separate instructions, as the layouts are compared. */
__global__ void update_aos(volatile struct point *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        data[i].x = data[i].x + 10.0f;
        data[i].y = data[i].y + 20.0f;
    }
}

__global__ void update_soa(volatile struct points *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        data->x[i] = data->x[i] + 10.0f;
        data->y[i] = data->y[i] + 20.0f;
    }
}

__global__ void update_float2(float2 *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float2 p = data[i];
        p.x += 10.0f;
        p.y += 20.0f;
        data[i] = p;
    }
}

static float elapsed(cudaEvent_t start, cudaEvent_t stop) {
    float ms;

    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms;
}

int main(int argc, char **argv) {
    int n = arg_int(argc, argv, 1, 1 << 16), grid, pass = 1;
    struct point *aos, *d_aos;
    struct points *d_soa;
    float *expected, *got;
    cudaEvent_t start, stop;

    n = n > MAX_N ? MAX_N : n;
    grid = (n + BLOCK - 1) / BLOCK;
    aos = (struct point *)malloc(n * sizeof *aos);
    expected = (float *)malloc(2 * n * sizeof(float));
    got = (float *)malloc(2 * n * sizeof(float));
    for (int i = 0; i < n; i++) {
        aos[i].x = (float)(i % 1000);
        aos[i].y = (float)(i % 777);
    }
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMalloc((void **)&d_aos, n * sizeof *d_aos));
    CHECK(cudaMalloc((void **)&d_soa, sizeof *d_soa));
    CHECK(cudaMemcpy(d_aos, aos, n * sizeof *aos, cudaMemcpyHostToDevice));
    for (int i = 0; i < n; i++) {
        expected[2 * i] = aos[i].x + 10.0f;
        expected[2 * i + 1] = aos[i].y + 20.0f;
    }

    CHECK(cudaEventRecord(start));
    update_aos<<<grid, BLOCK>>>(d_aos, n);
    CHECK(cudaGetLastError());
    printf("aos     %8.4f ms\n", elapsed(start, stop));
    CHECK(cudaMemcpy(got, d_aos, n * sizeof *d_aos, cudaMemcpyDeviceToHost));
    pass &= same_floats("array of structures", expected, got, 2 * (size_t)n, 0.0f);

    CHECK(cudaMemcpy(d_aos, aos, n * sizeof *aos, cudaMemcpyHostToDevice));
    CHECK(cudaEventRecord(start));
    update_float2<<<grid, BLOCK>>>((float2 *)d_aos, n);
    CHECK(cudaGetLastError());
    printf("float2  %8.4f ms\n", elapsed(start, stop));
    CHECK(cudaMemcpy(got, d_aos, n * sizeof *d_aos, cudaMemcpyDeviceToHost));
    pass &= same_floats("array of float2", expected, got, 2 * (size_t)n, 0.0f);

    /* The fields of the structure of arrays are reached by member addresses, computed on the host. */
    for (int i = 0; i < n; i++) {
        got[i] = aos[i].x;
        got[n + i] = aos[i].y;
        expected[i] = aos[i].x + 10.0f;
        expected[n + i] = aos[i].y + 20.0f;
    }
    CHECK(cudaMemcpy(d_soa->x, got, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_soa->y, got + n, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaEventRecord(start));
    update_soa<<<grid, BLOCK>>>(d_soa, n);
    CHECK(cudaGetLastError());
    printf("soa     %8.4f ms\n", elapsed(start, stop));
    CHECK(cudaMemcpy(got, d_soa->x, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got + n, d_soa->y, n * sizeof(float), cudaMemcpyDeviceToHost));
    pass &= same_floats("structure of arrays", expected, got, 2 * (size_t)n, 0.0f);

    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFree(d_aos));
    CHECK(cudaFree(d_soa));
    free(aos);
    free(expected);
    free(got);
    return finish(pass);
}
