/* Right behind the barrier every warp reads a word and warp 0 overwrites it with its next instruction. */
#include "schedule.h"

__global__ void overwrite(int *out)
{
    __shared__ volatile int word;
    if (threadIdx.x == 0) word = 1;
    __syncthreads();
    int value = word;
    if (threadIdx.x == 0) word = 2;
    __syncthreads();
    out[threadIdx.x] = value;
}

static std::string answer(void)
{
    static int *out = device_array(std::vector<int>(1024));
    overwrite<<<1, 1024>>>(out);
    std::vector<int> got = host_copy(out, 1024);
    int old = 0;
    for (int warp = 0; warp < 32; warp++) old += got[32 * warp] == 1;
    return text("%d of 32 warps read the old value", old);
}
