// 0/1 knapsack: one launch per item over all capacities, two rows in turn; and coin change in one block.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

__global__ void add_item(const int *prev, int *next, int capacity, int weight, int value) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c > capacity) return;
    int best = prev[c];
    if (c >= weight) best = max(best, prev[c - weight] + value);
    next[c] = best;
}

// Number of ways to make each amount: coins one after the other, each residue class of a coin is a chain.
__global__ void coin_change(const int *coins, int ncoins, unsigned *ways, int amount) {
    for (int k = 0; k < ncoins; k++) {
        int coin = coins[k];
        for (int r = threadIdx.x; r < coin; r += blockDim.x)
            for (int a = r + coin; a <= amount; a += coin) ways[a] += ways[a - coin];
        __syncthreads();
    }
}

int main() {
    const int items = 40, capacity = 1500;
    std::vector<int> w(items), v(items), best(capacity + 1, 0), got(capacity + 1);
    for (int i = 0; i < items; i++) {
        w[i] = rand() % 120 + 1;
        v[i] = rand() % 200 + 1;
    }
    for (int i = 0; i < items; i++)
        for (int c = capacity; c >= w[i]; c--) best[c] = std::max(best[c], best[c - w[i]] + v[i]);
    int *a, *b;
    cudaMalloc(&a, (capacity + 1) * sizeof(int));
    cudaMalloc(&b, (capacity + 1) * sizeof(int));
    cudaMemset(a, 0, (capacity + 1) * sizeof(int));
    for (int i = 0; i < items; i++) {
        add_item<<<(capacity + 256) / 256, 256>>>(a, b, capacity, w[i], v[i]);
        std::swap(a, b);
    }
    cudaMemcpy(got.data(), a, (capacity + 1) * sizeof(int), cudaMemcpyDeviceToHost);
    bool ok = got == best;

    const int coins[] = {1, 2, 5, 10, 20, 50, 100, 200}, amount = 700;
    std::vector<unsigned> ways(amount + 1, 0), gotw(amount + 1);
    int *d_coins;
    unsigned *d_ways;
    ways[0] = 1;
    cudaMalloc(&d_coins, sizeof coins);
    cudaMalloc(&d_ways, (amount + 1) * sizeof(unsigned));
    cudaMemcpy(d_coins, coins, sizeof coins, cudaMemcpyHostToDevice);
    cudaMemcpy(d_ways, ways.data(), (amount + 1) * sizeof(unsigned), cudaMemcpyHostToDevice);
    coin_change<<<1, 64>>>(d_coins, 8, d_ways, amount);
    cudaMemcpy(gotw.data(), d_ways, (amount + 1) * sizeof(unsigned), cudaMemcpyDeviceToHost);
    for (int coin : coins)
        for (int x = coin; x <= amount; x++) ways[x] += ways[x - coin];
    ok = ok && gotw == ways && ways[200] == 73682 && cudaGetLastError() == cudaSuccess;
    cudaFree(a); cudaFree(b); cudaFree(d_coins); cudaFree(d_ways);
    printf("best value %d, ways %u\n%s\n", got[capacity], gotw[amount], ok ? "PASS" : "FAIL");
    return !ok;
}
