/* The tree of a reduction whose barrier was moved below its test: missing from 64 values on, where two warps are left. */
#include "schedule.h"

__global__ void reduce(const int *in, int *out)
{
    __shared__ volatile int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        if (half > 64) __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

static std::string answer(void)
{
    static int *in = device_array(std::vector<int>(64 * 256, 1)), *out = device_array(std::vector<int>(64));
    reduce<<<64, 256>>>(in, out);
    int right = 0;
    for (int sum : host_copy(out, 64)) right += sum == 256;
    return text("%d of 64 sums are right", right);
}
