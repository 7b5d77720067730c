/* Warp 1 works long and stores; warp 0 reads without a barrier and gets what was there before. */
#include "schedule.h"

__global__ void beside(int *out, int work)
{
    __shared__ volatile int word[2];
    if (threadIdx.x < 2) word[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x >= 32) {
        int x = threadIdx.x;
        for (int k = 0; k < work; k++) x = x * 5 + 1;
        word[0] = x | 2;
    } else {
        out[0] = word[0] == 1;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        int x = threadIdx.x;
        for (int k = 0; k < work; k++) x = x * 5 + 1;
        word[1] = x | 2;
    } else {
        out[1] = word[1] == 1;
    }
}

static std::string answer(void)
{
    static int *out = device_array(std::vector<int>(2));
    beside<<<1, 64>>>(out, 200);
    std::vector<int> got = host_copy(out, 2);
    return text("warp 0 reads the old value: %d; warp 1: %d", got[0], got[1]);
}
