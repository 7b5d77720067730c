/* Thread 0 sets a shared scalar; the others use it after a load from global memory and no barrier. */
#include "schedule.h"

__global__ void scale(const int *in, int *out)
{
    __shared__ volatile int factor;
    if (threadIdx.x == 0) factor = 7;
    int value = in[threadIdx.x];
    out[threadIdx.x] = value * factor;
}

__global__ void spoil(int *out)
{
    __shared__ volatile int words[64];
    words[threadIdx.x] = 1000;
    out[threadIdx.x] = words[63 - threadIdx.x];
}

static std::string answer(void)
{
    static int *in = device_array(std::vector<int>(256, 1)), *out = device_array(std::vector<int>(256));
    for (int k = 0; k < 1; k++) spoil<<<132 * 8, 64>>>(out); /* leaves 1000 in every multiprocessor's shared memory */
    scale<<<1, 256>>>(in, out);
    int right = 0;
    for (int value : host_copy(out, 256)) right += value == 7;
    return text("%d of 256 are right", right);
}
