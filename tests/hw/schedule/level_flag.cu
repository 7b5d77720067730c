/* Level-synchronous search: all writers of a vertex write the same level and all set the same flag: a race without a choice. */
#include "schedule.h"

__global__ void expand(const int *target, int *level, int *changed, int now, int edges)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < edges && level[k % 1024] == now && level[target[k]] < 0) {
        level[target[k]] = now + 1;
        *changed = 1;
    }
}

static std::string answer(void)
{
    const int edges = 4096;
    std::vector<int> list(edges), start(1024, -1);
    for (int k = 0; k < edges; k++) list[k] = (k % 1024 * 4 + k / 1024 + 1) % 1024;
    start[0] = 0;
    static int *target = device_array(list), *level = device_array(start), *changed = device_array(std::vector<int>(1));
    check(cudaMemcpy(level, start.data(), 4096, cudaMemcpyHostToDevice));
    int levels = 0;
    for (int more = 1; more && levels < 50; levels++) {
        check(cudaMemset(changed, 0, 4));
        expand<<<edges / 256, 256>>>(target, level, changed, levels, edges);
        more = host_copy(changed, 1)[0];
    }
    int sum = 0;
    for (int value : host_copy(level, 1024)) sum += value;
    return text("%d launches; levels sum up to %d", levels, sum);
}
