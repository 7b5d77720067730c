/* As broadcast_then_partials, but the overwriting comes a few instructions after the read. */
#include "schedule.h"

__global__ void broadcast(float *out, const float *in)
{
    __shared__ float slot[8];
    float mine = in[threadIdx.x];
    if (threadIdx.x == 0) slot[0] = 1;
    __syncthreads();
    float scale = slot[0];
    for (int step = 16; step > 0; step /= 2) mine += __shfl_xor_sync(~0u, mine * scale, step);
    if (threadIdx.x % 32 == 0) slot[threadIdx.x / 32] = 100 + mine;
    __syncthreads();
    out[threadIdx.x] = scale;
}

static std::string answer(void)
{
    static float *in = device_array(std::vector<float>(256)), *out = device_array(std::vector<float>(256));
    broadcast<<<1, 256>>>(out, in);
    std::vector<float> got = host_copy(out, 256);
    return text("%g %g %g %g %g %g %g %g", got[0], got[32], got[64], got[96], got[128], got[160], got[192], got[224]);
}
