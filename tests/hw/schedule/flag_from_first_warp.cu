/* Within a block: the last warp waits for a flag that warp 0 sets after some work; the data has no fence. */
#include "schedule.h"

__global__ void hand_over(int *out, int work)
{
    __shared__ volatile int data, flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        int x = 1;
        for (int k = 0; k < work; k++) x = x * 5 + 1;
        data = x;
        flag = 1;
    }
    if (threadIdx.x == blockDim.x - 1) {
        int polls = 0;
        while (!flag) polls++;
        out[0] = data;
        out[1] = polls > 0;
    }
}

static std::string answer(void)
{
    static int *out = device_array(std::vector<int>(2));
    hand_over<<<1, 128>>>(out, 100);
    std::vector<int> got = host_copy(out, 2);
    return text("data %d waited %d", got[0], got[1]);
}
