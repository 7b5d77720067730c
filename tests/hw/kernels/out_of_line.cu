/* Blocks that the compiler puts behind the final `ret`, as it does with divisions: where their lanes meet the others.
 * The last loop leaves only to that `ret`. */
#include "hw.h"

typedef unsigned long long u64;

/* The bin of a value by 64-bit arithmetic: a division where the halves are not zero. */
static __device__ __forceinline__ unsigned bin_of(u64 value, u64 low, u64 range, unsigned bins, bool exact) {
    u64 d = value - low;
    if (value < low || d >= range) return bins;
    if (__builtin_expect(!exact, 1)) return (unsigned)d;
    return range < bins ? (unsigned)(d * bins / range) : (unsigned)(d / (range / bins));
}
/* Five lanes of a warp divide, the others wait at the barrier's block. */
__global__ void bins_of_few(int *out, const u64 *in, u64 low, u64 range, unsigned bins, bool exact, int few) {
    __shared__ int count[257];
    for (int k = threadIdx.x; k < 257; k += blockDim.x) count[k] = 0;
    __syncthreads();
    if ((int)threadIdx.x < few) atomicAdd(&count[bin_of(in[TID], low, range, bins, exact)], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < (int)bins; k += blockDim.x) {
        int n = count[k];
        if (n) atomicAdd(&out[k], n);
    }
}
/* Every lane, with values on all ways through; what follows is loaded and stored by whole warps. */
__global__ void bins_of_all(int *out, const u64 *in, u64 low, u64 range, unsigned bins, bool exact) {
    unsigned bin = bin_of(in[TID] % 1000, low, range, bins, exact);
    out[TID] = (int)bin;
    for (int k = threadIdx.x; k < 512; k += blockDim.x) out[blockIdx.x * 512 + k + 1024] = (int)in[k] ^ (int)bin;
}

int main(void) {
    u64 *in = (u64 *)device_words<int>(1 << 15, false);
    int *out = device_words<int>(1 << 15, true);
    LAUNCH(bins_of_few, 2, 128, out, in, 0ull, ~0ull, 256u, true, 5);
    LAUNCH(bins_of_few, 2, 128, out, in, 1ull << 60, 1ull << 62, 200u, true, 77);
    LAUNCH(bins_of_all, 2, 128, out, in, 100ull, 700ull, 64u, true);
    LAUNCH(bins_of_all, 2, 128, out, in, 0ull, 40ull, 64u, true);
    puts("done");
    return 0;
}
