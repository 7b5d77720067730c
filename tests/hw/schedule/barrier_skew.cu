/* How many clocks lie between the first and the last warp that leave a barrier and read a shared word, for 8 and 32 warps; and
 * the order of the warps: how many leave it after the warp with the next lower number. */
#include "schedule.h"

__global__ void leave(unsigned *out)
{
    __shared__ volatile int word;
    word = 0;
    __syncthreads();
    __syncthreads();
    unsigned at = (unsigned)clock64();
    int value = word;
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = at + value;
}

static std::string skew(int warps)
{
    static unsigned *out = device_array(std::vector<unsigned>(32));
    leave<<<1, 32 * warps>>>(out);
    std::vector<unsigned> got = host_copy(out, 32);
    unsigned first = 0, last = 0;
    int ascending = 0;
    for (int k = 0; k < warps; k++) {
        int since = (int)(got[k] - got[0]);
        first = since < (int)first ? since : first;
        last = since > (int)last ? since : last;
        ascending += k > 0 && (int)(got[k] - got[k - 1]) >= 0;
    }
    return text("%d warps: %d clocks; %d ascend", warps, (int)(last - first) / 4 * 4, ascending / 4 * 4);
}

static std::string answer(void) { return skew(8) + "; " + skew(32); }
