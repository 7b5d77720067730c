/* What L1 keeps of rows that blocks go through several times, with and without stores in between.
 *     ncu --clock-control none --cache-control none --metrics (the columns of h200-keeps.csv) ./keeps
 * `keeps list` says what the launches are, in order; `keeps N` is the N-th of them alone, from 0; `keeps places FILE` writes on which multiprocessor each block of grids of small blocks
 * has run, a byte a block, grid after grid. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { NONE, BEHIND, BETWEEN, IN_PLACE, SHARED_ROW };
static const char *const names[] = {"no stores", "stores in the last pass", "a pass of stores between", "stores in place", "a row for all"};

__global__ void keeps(const float *in, float *out, int n, int passes, int mode)
{
    size_t row = (size_t)blockIdx.x * n;
    float sum = 0;
    for (int p = 0; p < passes; p++) {
        for (int k = threadIdx.x; k < n; k += blockDim.x) {
            float v = mode == SHARED_ROW && p ? in[k] : in[row + k];
            sum += v;
            if (p == passes - 1 && mode == BEHIND) out[row + k] = v * sum;
            if (p == passes - 1 && mode == IN_PLACE) ((float *)in)[row + k] = v * sum;
        }
        __syncthreads();
        if (mode == BETWEEN && p < passes - 1)
            for (int k = threadIdx.x; k < n; k += blockDim.x) out[row + k] = 1.0f;
        __syncthreads();
    }
    if (sum == 12345) *out = sum;
}

__global__ void places(unsigned char *sm, float *a, int load)
{
    int b = blockIdx.y * gridDim.x + blockIdx.x;
    if (threadIdx.x == 0) {
        int at;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(at));
        sm[b] = at;
    }
    if (load) a[(size_t)b * blockDim.x + threadIdx.x] += 1;
}

int main(int argc, char **argv)
{
    bool list = argc > 1 && !strcmp(argv[1], "list");
    int at = 0, only = argc == 2 && !list ? atoi(argv[1]) : -1;
    float *in = nullptr, *out = nullptr;
    const size_t bytes = (size_t)512 << 20;
    if (!list) {
        cudaMalloc(&in, bytes);
        cudaMalloc(&out, bytes);
        cudaMemset(in, 0, bytes);
    }
    if (argc > 2) {
        FILE *f = fopen(argv[2], "wb");
        static unsigned char host[262144];
        for (int load = 0; load < 2; load++)
            for (int threads = 4; threads <= 256; threads *= 4)
                for (int grid = 4096; grid <= 262144; grid *= 8) {
                    places<<<grid, threads>>>((unsigned char *)out, in, load);
                    cudaMemcpy(host, out, grid, cudaMemcpyDeviceToHost);
                    fwrite(host, 1, grid, f);
                }
        fclose(f);
        return 0;
    }
    for (int smem = 0; smem <= 64; smem += 32) // KiB a multiprocessor, by 8 blocks
        for (int waves = 1; waves <= 4; waves *= 4)
            for (int n = 512; n <= 8192; n *= 2)
                for (int mode = NONE; mode <= SHARED_ROW; mode++)
                    for (int passes = 2; passes <= 3; passes++) {
                        int grid = 132 * 8 * waves;
                        if (passes == 3 && mode > BEHIND) continue;
                        if (only >= 0 && only != at++) continue;
                        if (list) printf("%d,%d,%d,%d,%d,%s\n", smem, grid, n, waves, passes, names[mode]);
                        else keeps<<<grid, 256, smem * 128>>>(in, out, n, passes, mode);
                    }
    return list ? 0 : cudaDeviceSynchronize();
}
