// Single-pass scan with decoupled look-back: blocks take a ticket, publish an aggregate, then an inclusive prefix.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK 128
#define ITEMS 4
#define TILE (BLOCK * ITEMS)

enum { FLAG_EMPTY = 0, FLAG_AGGREGATE = 1, FLAG_PREFIX = 2 };

__device__ unsigned int ticket;

__device__ inline unsigned long long pack(unsigned flag, int value) {
    return ((unsigned long long)flag << 32) | (unsigned)value;
}

__global__ void scan_single_pass(const int *in, int *out, volatile unsigned long long *state, int n) {
    __shared__ int warp_sums[BLOCK / 32];
    __shared__ int tile_prefix;
    __shared__ unsigned tile_id;

    if (threadIdx.x == 0) tile_id = atomicAdd(&ticket, 1);
    __syncthreads();
    const int tile = tile_id;
    const int base = tile * TILE + threadIdx.x * ITEMS;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    int items[ITEMS], sum = 0;
    for (int k = 0; k < ITEMS; k++) {
        items[k] = base + k < n ? in[base + k] : 0;
        sum += items[k];
    }
    int inclusive = sum;
    for (int d = 1; d < 32; d <<= 1) {
        int other = __shfl_up_sync(~0u, inclusive, d);
        if (lane >= d) inclusive += other;
    }
    if (lane == 31) warp_sums[warp] = inclusive;
    __syncthreads();
    int before = 0, total = 0;
    for (int w = 0; w < BLOCK / 32; w++) {
        if (w < warp) before += warp_sums[w];
        total += warp_sums[w];
    }
    if (threadIdx.x == 0) {
        if (tile == 0) {
            state[0] = pack(FLAG_PREFIX, total);
            tile_prefix = 0;
        } else {
            state[tile] = pack(FLAG_AGGREGATE, total);
            int prefix = 0;
            for (int look = tile - 1; look >= 0;) {
                unsigned long long s = state[look];
                unsigned flag = (unsigned)(s >> 32);
                if (flag == FLAG_EMPTY) continue;
                prefix += (int)(unsigned)s;
                if (flag == FLAG_PREFIX) break;
                look--;
            }
            state[tile] = pack(FLAG_PREFIX, prefix + total);
            tile_prefix = prefix;
        }
    }
    __syncthreads();
    int running = tile_prefix + before + inclusive - sum;
    for (int k = 0; k < ITEMS; k++) {
        running += items[k];
        if (base + k < n) out[base + k] = running;
    }
}

int main() {
    const int n = 60001, tiles = (n + TILE - 1) / TILE;
    std::vector<int> in(n), out(n);
    for (auto &v : in) v = rand() % 21 - 10;
    int *d_in, *d_out;
    unsigned long long *d_state;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMalloc(&d_state, tiles * sizeof(unsigned long long));
    cudaMemset(d_state, 0, tiles * sizeof(unsigned long long));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan_single_pass<<<tiles, BLOCK>>>(d_in, d_out, d_state, n);
    cudaError_t e = cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(e));
        return 1;
    }
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        if (out[i] != sum) {
            printf("out[%d] = %d, expected %d\nFAIL\n", i, out[i], sum);
            return 1;
        }
    }
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_state);
    printf("PASS\n");
    return 0;
}
