/* A smoothing step in place in shared memory, neighbours read and the own element written without a barrier between. */
#include "schedule.h"

__global__ void smooth(int *out, int rounds)
{
    __shared__ int s[258];
    int t = threadIdx.x + 1;
    s[t] = 3 * t * t;
    if (t == 1) s[0] = s[257] = 0;
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        s[t] = (s[t - 1] + s[t] + s[t + 1]) / 3;
        __syncthreads();
    }
    out[t - 1] = s[t];
}

static std::string answer(void)
{
    static int *out = device_array(std::vector<int>(256));
    smooth<<<1, 256>>>(out, 4);
    std::vector<int> got = host_copy(out, 256), want(258), next(258);
    for (int k = 1; k <= 256; k++) want[k] = 3 * k * k;
    for (int round = 0; round < 4; round++) {
        for (int k = 1; k <= 256; k++) next[k] = (want[k - 1] + want[k] + want[k + 1]) / 3;
        want = next;
    }
    int right = 0;
    for (int k = 0; k < 256; k++) right += got[k] == want[k + 1];
    return text("%d of 256 are as with two buffers", right);
}
