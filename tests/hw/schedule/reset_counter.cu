/* A compaction loop: the counter is read behind the barrier and reset by thread 0 for the next round without another. */
#include "schedule.h"

__global__ void compact(int *out, int rounds)
{
    __shared__ int count;
    int total = 0;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        if ((threadIdx.x + k) % 3 == 0) atomicAdd(&count, 1);
        __syncthreads();
        total += count;
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
    }
    out[threadIdx.x] = total;
}

static std::string answer(void)
{
    static int *out = device_array(std::vector<int>(256));
    compact<<<1, 256>>>(out, 6);
    std::vector<int> got = host_copy(out, 256);
    int least = got[0], most = got[0];
    for (int value : got) {
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    return text("totals %d to %d", least, most);
}
