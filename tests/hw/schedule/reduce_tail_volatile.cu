/* The old reduction: barriers down to 64 values and then one warp alone, through volatile shared memory without __syncwarp. */
#include "schedule.h"

__global__ void reduce(const int *in, int *out)
{
    __shared__ volatile int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 32; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
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
