/* A value broadcast through shared memory is read right behind the barrier; each warp then works and overwrites its slot, of
 * which slot 0 holds that value, without a barrier between (the last kernels of several softmax programs). */
#include "schedule.h"

__global__ void broadcast(float *out, const float *in, int n)
{
    __shared__ float slot[4];
    if (threadIdx.x == 0) slot[0] = 1;
    __syncthreads();
    float scale = slot[0], sum = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += in[k] * scale;
    if (threadIdx.x % 32 == 0) slot[threadIdx.x / 32] = 100 + sum;
    __syncthreads();
    out[threadIdx.x] = scale;
}

static std::string answer(void)
{
    static float *in = device_array(std::vector<float>(1 << 14)), *out = device_array(std::vector<float>(128));
    broadcast<<<1, 128>>>(out, in, 1 << 14);
    std::vector<float> got = host_copy(out, 128);
    return text("%g %g %g %g", got[0], got[32], got[64], got[96]);
}
