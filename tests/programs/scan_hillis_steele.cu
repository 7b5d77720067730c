// Inclusive scan after Hillis and Steele: one block with two buffers, then many blocks with a scan of block sums.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256

__global__ void scan_block(const int *in, int *out, int *sums, int n) {
    __shared__ int temp[2 * BLOCK];
    int tid = threadIdx.x, gid = blockIdx.x * BLOCK + tid;
    int pout = 0, pin = 1;

    temp[tid] = gid < n ? in[gid] : 0;
    __syncthreads();
    for (int offset = 1; offset < BLOCK; offset <<= 1) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (tid >= offset)
            temp[pout * BLOCK + tid] = temp[pin * BLOCK + tid] + temp[pin * BLOCK + tid - offset];
        else
            temp[pout * BLOCK + tid] = temp[pin * BLOCK + tid];
        __syncthreads();
    }
    if (gid < n)
        out[gid] = temp[pout * BLOCK + tid];
    if (sums && tid == BLOCK - 1)
        sums[blockIdx.x] = temp[pout * BLOCK + tid];
}

__global__ void add_sums(int *out, const int *sums, int n) {
    int gid = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && gid < n)
        out[gid] += sums[blockIdx.x - 1];
}

int main(void) {
    int n = 30000, grid = (n + BLOCK - 1) / BLOCK;
    int *h_in = (int *)malloc(n * sizeof(int)), *h_out = (int *)malloc(n * sizeof(int));
    int *d_in, *d_out, *d_sums, *d_sums_scanned;

    for (int i = 0; i < n; i++)
        h_in[i] = rand() % 10;
    cudaMalloc((void **)&d_in, n * sizeof(int));
    cudaMalloc((void **)&d_out, n * sizeof(int));
    cudaMalloc((void **)&d_sums, grid * sizeof(int));
    cudaMalloc((void **)&d_sums_scanned, grid * sizeof(int));
    cudaMemcpy(d_in, h_in, n * sizeof(int), cudaMemcpyHostToDevice);

    scan_block<<<grid, BLOCK>>>(d_in, d_out, d_sums, n);
    scan_block<<<1, BLOCK>>>(d_sums, d_sums_scanned, NULL, grid);
    add_sums<<<grid, BLOCK>>>(d_out, d_sums_scanned, n);
    cudaMemcpy(h_out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) {
        printf("CUDA error\n");
        return 1;
    }
    int sum = 0, bad = 0;
    for (int i = 0; i < n && !bad; i++) {
        sum += h_in[i];
        if (h_out[i] != sum) {
            printf("out[%d] = %d, expected %d\n", i, h_out[i], sum);
            bad = 1;
        }
    }
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_sums);
    cudaFree(d_sums_scanned);
    free(h_in);
    free(h_out);
    printf(bad ? "FAIL\n" : "PASS\n");
    return bad;
}
