/* The sets of L1: which lines it still has, of lines at random and of lines one after the other, that a warp loads into an empty L1.
 *     ./sets > h200-sets.csv        (no profiler: a load that takes less than 100 cycles is found)
 * Each line is looked for in a launch of its own, as looking for one brings it in; L1 is empty when a launch begins. */
#include <cstdio>
#include <cstdlib>

enum { SMS = 132, LANES = 32, LINE = 128, FOUND_CYCLES = 100, LOADS = 1536, MOST_BITS = 28 };

__device__ unsigned sink;

__host__ __device__ unsigned mix(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

/* The k-th line: of 2^bits at random, or, with 0 bits, the k-th of all. */
__host__ __device__ unsigned line_of(unsigned bits, unsigned seed, unsigned k)
{
    return bits ? mix(seed + k * 2654435761u) >> (32 - bits) : k;
}

__device__ void load(const char *at)
{
    unsigned v;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    if (v == 12345) sink = v;
}

__device__ int found(const char *at)
{
    __syncwarp();
    unsigned begin = clock();
    load(at);
    return (unsigned)clock() - begin < FOUND_CYCLES;
}

__global__ void look(const char *lines, unsigned bits, unsigned seed, int loads, int first, int touch_at, unsigned char *lost)
{
    int k = first + blockIdx.x;
    if (k >= loads) return;
    for (int i = 0; i < loads; i++) {
        if (i == touch_at && touch_at) load(lines + (size_t)line_of(bits, seed, k) * LINE);
        load(lines + (size_t)line_of(bits, seed, i) * LINE);
        __syncwarp();
    }
    int here = found(lines + (size_t)line_of(bits, seed, k) * LINE);
    if (!threadIdx.x) lost[k] = !here;
}

static unsigned char lost[8192];

/* How many of the first `of` of so many loads are lost. */
static int look_for(const char *lines, unsigned bits, unsigned seed, int loads, int of, int touch_at, unsigned char *device)
{
    int count = 0;
    cudaMemset(device, 0, sizeof lost);
    for (int first = 0; first < of; first += SMS) look<<<SMS, LANES>>>(lines, bits, seed, loads, first, touch_at, device);
    if (cudaMemcpy(lost, device, sizeof lost, cudaMemcpyDeviceToHost)) exit(1);
    for (int k = 0; k < of; k++) count += lost[k];
    return count;
}

/* Lost loads as bits, four to a digit, the first the lowest bit of the first digit. */
static void print_lost(int loads)
{
    for (int k = 0; k < loads; k += 4) printf("%x", lost[k] | lost[k + 1] << 1 | lost[k + 2] << 2 | lost[k + 3] << 3);
    printf("\n");
}

int main()
{
    char *all, *lines;
    unsigned char *device;
    const size_t bytes = (size_t)LINE << MOST_BITS;
    if (cudaMalloc(&all, 2 * bytes) || cudaMalloc(&device, sizeof lost)) return 1;
    lines = (char *)(((size_t)all + bytes - 1) / bytes * bytes);
    printf("what,shared_percent,bits,seed,loads,touched_after,lost,which\n");
    for (unsigned bits = 12; bits <= MOST_BITS; bits++)
        for (unsigned seed = bits; seed < bits + 3; seed++) {
            cudaFuncSetAttribute(look, cudaFuncAttributePreferredSharedMemoryCarveout, 0);
            int count = look_for(lines, bits, seed * 1000003, LOADS, LOADS, 0, device);
            printf("at random,0,%u,%u,%d,0,%d,", bits, seed * 1000003, LOADS, count);
            print_lost(LOADS);
        }
    const int shares[] = {0, 44, 58}; /* 32, 132 and 164 KB of shared memory */
    for (int share : shares) {
        cudaFuncSetAttribute(look, cudaFuncAttributePreferredSharedMemoryCarveout, share);
        for (int loads = 512; loads <= 2560; loads += 128)
            printf("one after the other,%d,0,0,%d,0,%d,\n", share, loads, look_for(lines, 0, 0, loads, loads, 0, device));
        for (int loads = 1024; loads <= 4096; loads += 512) {
            printf("the first 512,%d,0,0,%d,0,%d,\n", share, loads, look_for(lines, 0, 0, loads, 512, 0, device));
            printf("the first 512 loaded again,%d,0,0,%d,600,%d,\n", share, loads, look_for(lines, 0, 0, loads, 512, 600, device));
        }
    }
    return 0;
}
