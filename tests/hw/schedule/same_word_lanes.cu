/* The lanes of a warp store to one word at once: in shared memory, in global memory, and the odd ones only. */
#include "schedule.h"

__global__ void store(volatile int *out)
{
    __shared__ volatile int word[2];
    int lane = threadIdx.x;
    word[0] = lane;
    if (lane % 2 == 1 && lane < 20) word[1] = lane;
    out[0] = lane;
    if (lane > 3 && lane < 11) out[1] = lane;
    __syncwarp();
    if (lane == 0) {
        out[2] = word[0];
        out[3] = word[1];
    }
}

static std::string answer(void)
{
    static int *out = device_array(std::vector<int>(4));
    store<<<1, 32>>>(out);
    std::vector<int> got = host_copy(out, 4);
    return text("global lane %d; of 4 to 10 lane %d; shared lane %d; of odd ones below 20 lane %d", got[0], got[1],
                got[2], got[3]);
}
