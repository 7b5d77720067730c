/* One level of a breadth-first search whose visited flags are tested and set without atomics: vertices reached by 32 edges
 * from threads of one warp, of one block and of all blocks; how many are queued more than once. */
#include "schedule.h"

__global__ void expand(const int *target, volatile int *visited, int *queue, int *count, int edges)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= edges) return;
    int v = target[k];
    if (visited[v] == 0) {
        visited[v] = 1;
        queue[atomicAdd(count, 1)] = v;
    }
}

static int queued(int spread)
{
    const int edges = 8192;
    static int *target = device_array(std::vector<int>(edges)), *visited = device_array(std::vector<int>(edges)),
               *queue = device_array(std::vector<int>(edges)), *count = device_array(std::vector<int>(1));
    std::vector<int> list(edges);
    for (int k = 0; k < edges; k++) list[k] = spread == 0 ? k / 32 : spread == 1 ? k / 256 * 8 + k % 8 : k % 256;
    check(cudaMemcpy(target, list.data(), edges * 4, cudaMemcpyHostToDevice));
    check(cudaMemset(visited, 0, edges * 4));
    check(cudaMemset(count, 0, 4));
    expand<<<edges / 256, 256>>>(target, visited, queue, count, edges);
    return host_copy(count, 1)[0];
}

static std::string answer(void)
{
    int warp = queued(0), block = queued(1), grid = queued(2);
    return text("256 vertices queued: by lanes %d; by warps about %d; by blocks about %d", warp, block / 256 * 256,
                grid / 256 * 256);
}
