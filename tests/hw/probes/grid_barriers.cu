/* What a barrier of all blocks takes: cooperative groups' own, and one by hand. Prints rows of tests/hw/h100-grid-barriers.csv.
 * nvcc -arch=sm_90 -O3 grid_barriers.cu */
#include <cooperative_groups.h>
#include <cstdio>

__global__ void groups(int times)
{
    for (int k = 0; k < times; k++) cooperative_groups::this_grid().sync();
}

__device__ unsigned arrived, round_number;

__global__ void by_hand(int times)
{
    for (int k = 0; k < times; k++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            unsigned now = *(volatile unsigned *)&round_number;
            if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
                arrived = 0;
                __threadfence();
                atomicAdd(&round_number, 1);
            } else {
                while (*(volatile unsigned *)&round_number == now) {}
            }
        }
        __syncthreads();
    }
}

/* Microseconds of a launch, the best of a few. */
static float best_of(void (*kernel)(int), int blocks, int threads, int times)
{
    cudaEvent_t from, to;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    float best = 1e9f;
    for (int run = 0; run < 9; run++) {
        void *args[] = {&times};
        float ms;
        cudaEventRecord(from);
        cudaLaunchCooperativeKernel((void *)kernel, dim3(blocks), dim3(threads), args);
        cudaEventRecord(to);
        cudaEventSynchronize(to);
        cudaEventElapsedTime(&ms, from, to);
        if (ms < best) best = ms;
    }
    return best * 1e3f;
}

static float each(void (*kernel)(int), int blocks, int threads)
{
    return (best_of(kernel, blocks, threads, 220) - best_of(kernel, blocks, threads, 20)) / 200;
}

int main()
{
    const int sms = 132;
    for (int threads = 32; threads <= 1024; threads *= 2)
        for (int per = 1; per <= 8 && threads * per <= 2048; per *= 2)
            for (int blocks : {1, 8, 66, sms, sms * per}) {
                if (per > 1 && blocks <= sms) continue;
                printf("%d,%d,%.3f,%.3f\n", blocks, threads, each(groups, blocks, threads), each(by_hand, blocks, threads));
            }
    return cudaGetLastError();
}
