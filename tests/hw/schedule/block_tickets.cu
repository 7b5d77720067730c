/* The order in which blocks draw a ticket, for 264 blocks of one warp. */
#include "schedule.h"

__global__ void draw(int *counter, int *ticket)
{
    if (threadIdx.x == 0) ticket[blockIdx.x] = atomicAdd(counter, 1);
}

static std::string answer(void)
{
    static int *counter = device_array(std::vector<int>(1)), *ticket = device_array(std::vector<int>(264));
    check(cudaMemset(counter, 0, 4));
    draw<<<264, 32>>>(counter, ticket);
    std::vector<int> got = host_copy(ticket, 264);
    int same = 0, second_wave = 0;
    for (int k = 0; k < 264; k++) {
        same += got[k] == k;
        second_wave += k < 132 && got[k] >= 132;
    }
    return text("block 0 is number %d; in their own place %d; of the first 132 behind the 132nd: %d", got[0],
                same / 16 * 16, second_wave / 4 * 4);
}
